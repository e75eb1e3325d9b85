//! Searches in the list of claims: `grep "PATTERN" in src = 3`, and what people write instead of it.

use super::path::{self, Standing};
use super::{Citation, Target};

/// A search that this form cannot express is one all the same, and nothing else: it has no target. None where the line is no
/// search.
pub(super) fn search(evidence: &str) -> Option<Vec<Citation>> {
    let line = without_ticks_around_the_command(evidence);
    let (program, mut rest) = program(&line)?;
    let (mut flags, mut known) = (if program == "fgrep" { "F".to_owned() } else { String::new() }, true);
    // Whether lines are counted or shown, and in which folders, is not a matter of the pattern.
    let passed_over = if matches!(program, "rg" | "ripgrep") { "iFwcnHIs" } else { "iFwcnrREHhsI" };
    while let Some(flag) = rest.strip_prefix('-') {
        let (letters, behind) = flag.split_once(char::is_whitespace).unwrap_or((flag, ""));
        known &= letters.chars().all(|c| passed_over.contains(c));
        flags.push_str(letters);
        rest = behind.trim_start();
    }
    let Wanted { pattern, mark, place, count } = match wanted(rest)? {
        Reading::Read(wanted) if known => wanted,
        _ => return Some(Vec::new()),
    };
    let path = (!place.is_empty()).then(|| place.to_owned());
    let target = Target::Search { pattern: expression(pattern, mark, &flags), path, count };
    Some(vec![Citation::of(target)])
}

/// What is searched for.
struct Wanted<'a> {
    pattern: &'a str,
    /// The mark around the pattern, where there is one.
    mark: Option<char>,
    place: &'a str,
    count: Option<u64>,
}

/// What comes of reading a search.
enum Reading<'a> {
    Read(Wanted<'a>),
    /// It is one, and not in a form that is known.
    Unread,
}

/// `` `grep "x" in src` = 3``: the marks are around the command, and the number stands behind it.
fn without_ticks_around_the_command(line: &str) -> String {
    let inside = line.strip_prefix('`').and_then(|rest| rest.split_once('`'));
    match inside.filter(|(command, _)| program(command).is_some()) {
        Some((command, behind)) => format!("{command}{behind}"),
        None => line.to_owned(),
    }
}

/// The program that searches, and what stands behind it.
fn program(line: &str) -> Option<(&'static str, &str)> {
    const PROGRAMS: [&str; 6] = ["git grep", "grep", "egrep", "fgrep", "rg", "ripgrep"];
    let named = |program: &&'static str| {
        let (word, rest) = line.split_at_checked(program.len())?;
        let rest = rest.strip_prefix(char::is_whitespace)?;
        word.eq_ignore_ascii_case(program).then(|| (*program, rest.trim()))
    };
    PROGRAMS.iter().find_map(named)
}

/// What stands behind the flags; none where it is a sentence, such as `grep shows nothing, see src/a.rs:3`.
fn wanted(rest: &str) -> Option<Reading<'_>> {
    let marked = rest.chars().next().filter(|c| matches!(c, '"' | '\'' | '`'));
    let (pattern, place, count) = if let Some(mark) = marked {
        let end = rest.char_indices().skip(1).find(|(at, c)| *c == mark && !rest[..*at].ends_with('\\'));
        let Some((end, _)) = end.filter(|(end, _)| *end > 1) else { return Some(Reading::Unread) };
        let Some((place, count)) = counted(rest[end + 1..].trim()) else { return Some(Reading::Unread) };
        let place = place.trim();
        (&rest[1..end], place.strip_prefix("in ").unwrap_or(place).trim(), count)
    } else if !rest.is_empty() && !rest.contains(char::is_whitespace) && !rest.starts_with('/') {
        (rest, "", None)
    } else {
        let (words, count) = counted(rest)?;
        let words: Vec<&str> = words.split_whitespace().collect();
        match (&words[..], count) {
            // Between these marks an expression may stand, or a path be meant.
            ([pattern, ..], _) if pattern.starts_with('/') => return Some(Reading::Unread),
            ([pattern], count) => (*pattern, "", count),
            ([pattern, "in", place], count) | ([pattern, place], count @ Some(_)) => (*pattern, *place, count),
            ([_, place], None) if !has_lines(place) => return Some(Reading::Unread),
            (_, Some(_)) => return Some(Reading::Unread),
            (_, None) => return None,
        }
    };
    let place = place.trim_matches(['`', '"']);
    let one_place = !place.contains(['*', '?', '{', ',']) && !place.contains(" and ") && !place.contains(" or ");
    if !one_place || has_lines(place) {
        return Some(Reading::Unread);
    }
    Some(Reading::Read(Wanted { pattern, mark: marked, place, count }))
}

/// Whether lines of a file are named: they are not what is searched.
fn has_lines(place: &str) -> bool {
    path::read(place, Standing::Explicit).is_some_and(|written| !written.lines.is_empty())
}

/// The place of a search and how many lines are said to match: `in src = 3`, `in src == 3`, `in src → 3`. At least one is
/// what is meant without a number; any other bound is not looked at. A colon is one only before white space, since lines stand
/// behind it otherwise: `src/a.rs:2`.
fn counted(rest: &str) -> Option<(&str, Option<u64>)> {
    let is_sign = |c: char| matches!(c, '=' | ':' | '→' | '>' | '<' | '≥' | '!' | '~' | '≈');
    let counts = |(at, c): &(usize, char)| {
        is_sign(*c) && (*c != ':' || rest[at + 1..].starts_with(|c: char| c.is_whitespace() || is_sign(c)))
    };
    let Some((at, _)) = rest.char_indices().rev().find(counts) else { return Some((rest, None)) };
    let behind = rest[at..].trim_start_matches(is_sign);
    let number: u64 = behind.split_whitespace().next()?.parse().ok()?;
    let place = rest[..rest.len() - behind.len()].trim_end_matches(is_sign);
    let sign: String = rest[place.len()..rest.len() - behind.len()].chars().filter(|c| !c.is_whitespace()).collect();
    let (place, arrow) = place.strip_suffix('-').filter(|_| sign == ">").map_or((place, false), |place| (place, true));
    match (sign.as_str(), number) {
        _ if arrow => Some((place, Some(number))),
        ("=" | "==" | ":" | "→", _) => Some((place, Some(number))),
        (">=" | "≥", 1) | (">", 0) => Some((place, None)),
        _ => None,
    }
}

/// The regular expression that a pattern and the flags before it mean.
fn expression(pattern: &str, mark: Option<char>, flags: &str) -> String {
    let mut pattern =
        mark.map_or_else(|| pattern.to_owned(), |mark| pattern.replace(&format!("\\{mark}"), &mark.to_string()));
    if flags.contains('F') {
        let special = |c: char| "\\.+*?()|[]{}^$".contains(c);
        pattern = pattern.chars().flat_map(|c| special(c).then_some('\\').into_iter().chain([c])).collect();
    } else if pattern.contains("\\|") {
        // Only grep's older form writes a choice so, and then its groups too.
        pattern = pattern.replace("\\|", "|").replace("\\(", "(").replace("\\)", ")");
    }
    if flags.contains('w') {
        pattern = format!("\\b(?:{pattern})\\b");
    }
    if flags.contains('i') { format!("(?i){pattern}") } else { pattern }
}

#[cfg(test)]
mod tests {
    use super::super::find_in_evidence;

    fn told(evidence: &str) -> Vec<String> {
        find_in_evidence(evidence).iter().map(|citation| citation.target.to_string()).collect()
    }

    #[test]
    fn searches_are_written_in_many_ways() {
        for (evidence, expected) in [
            (r#"grep "drop" in src >= 1"#, r#"grep "drop" in src"#),
            (r#"grep "drop" in src == 1"#, r#"grep "drop" in src = 1"#),
            (r#"grep "drop" in src → 1"#, r#"grep "drop" in src = 1"#),
            (r#"grep "drop" in src -> 1"#, r#"grep "drop" in src = 1"#),
            (r#"grep "drop" in src: 1"#, r#"grep "drop" in src = 1"#),
            (r#"grep -i "DROP" in src/a.rs = 1 line"#, r#"grep "(?i)DROP" in src/a.rs = 1"#),
            (r#"grep -rF "f()" = 1"#, r#"grep "f\(\)" = 1"#),
            (r#"grep "panic!\(\"empty" in src = 1"#, r#"grep "panic!\("empty" in src = 1"#),
            (r#"grep "fn \(get\|put\)" in src = 2"#, r#"grep "fn (get|put)" in src = 2"#),
            (r#"`grep "drop" in src` = 1"#, r#"grep "drop" in src = 1"#),
        ] {
            assert_eq!(told(evidence), [expected], "{evidence}");
        }
        for evidence in [
            r#"grep "drop" in src/*.rs = 1"#,
            r#"grep "drop" in src/a.rs, src/net = 0"#,
            r#"grep "drop" in src/a.rs and src/net = 0"#,
            r#"grep "drop" in src >= 2"#,
            r#"grep -P "drop" in src/a.rs = 1"#,
        ] {
            assert_eq!(told(evidence), [""; 0], "{evidence}");
        }
    }

    #[test]
    fn a_search_without_marks_or_by_another_program_is_read_as_one() {
        for (evidence, expected) in [
            ("grep nothing_here in src/pool.rs = 5", r#"grep "nothing_here" in src/pool.rs = 5"#),
            ("grep drop src/pool.rs = 99", r#"grep "drop" in src/pool.rs = 99"#),
            ("grep -c drop src/pool.rs = 99", r#"grep "drop" in src/pool.rs = 99"#),
            ("`grep drop src/pool.rs` = 99", r#"grep "drop" in src/pool.rs = 99"#),
            (r#"rg "drop" src/pool.rs = 99"#, r#"grep "drop" in src/pool.rs = 99"#),
            (r#"git grep "drop" src/pool.rs = 99"#, r#"grep "drop" in src/pool.rs = 99"#),
            (r#"fgrep "f()" src = 9"#, r#"grep "f\(\)" in src = 9"#),
            ("grep todo!", r#"grep "todo!""#),
        ] {
            assert_eq!(told(evidence), [expected], "{evidence}");
        }
        // Nobody can tell what these would find, or where: they are no file that is there, either.
        for evidence in [
            "grep /drop/ in src/pool.rs = 99",
            "grep drop src/pool.rs",
            "grep many words in src/pool.rs = 5",
            r#"rg -t rust "drop" src/pool.rs = 9"#,
            r#"grep "x" in src/pool.rs:10-20 = 1"#,
            r#"grep "drop in src/pool.rs = 1"#,
        ] {
            assert_eq!(told(evidence), [""; 0], "{evidence}");
        }
    }

    #[test]
    fn the_line_behind_a_path_is_no_count_and_a_sentence_is_no_search() {
        assert_eq!(told(r#"grep "drop" in src/a.rs:2"#), [""; 0]);
        for sentence in ["grep shows that it drops the guard at src/a.rs:3", "grep confirms src/a.rs:3"] {
            let found = told(sentence);
            assert!(matches!(&found[..], [place] if place.ends_with("src/a.rs:3")), "{found:?}");
        }
    }
}
