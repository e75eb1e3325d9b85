//! Blocks of code and lines that are set off: what they quote, and from where.

use std::borrow::Cow;
use std::ops::Range;

use super::languages::is_of_another;
use super::path::{self, Standing, Written};
use super::sentences::Heading;
use super::{Citation, Lines, Target, spaced};

/// A block of code is a quote: of the path in its opening line, in its first line, or in the sentence before it.
pub(super) fn block(
    text: &str,
    info: Range<usize>,
    body: Range<usize>,
    heading: Option<Heading>,
    citations: &mut Vec<Citation>,
) {
    let words = &text[info.clone()];
    let lines = &text[body.clone()];
    if matches!(words.split_whitespace().next(), Some("diff" | "patch" | "suggestion")) {
        return;
    }
    if heading.is_none() && search_output(text, body.clone(), citations) {
        return;
    }
    let first_line = lines.lines().next().unwrap_or_default();
    let named = words.split_whitespace().find_map(|word| {
        let word = word.trim_matches(['{', '}', '(', ')', '"', '\'']);
        let word = word.split_once('=').map_or(word, |(_, value)| value.trim_matches('"'));
        // Some write the language before it: `ts:web/app.ts`.
        let path = word.split_once(':').filter(|(language, path)| language.len() <= 10 && path.contains(['.', '/']));
        let behind_language = path.filter(|(language, _)| language.chars().all(char::is_alphanumeric));
        let word = behind_language
            .filter(|(_, path)| counted_path(word).is_none() && path::read(path, Standing::Marked).is_some())
            .map_or(word, |(_, path)| path);
        counted_path(word)
            .or_else(|| path::read(word.trim_start_matches("file:").trim_start_matches("title:"), Standing::Bare))
    });
    let (written, quote, span) = match named {
        Some(written) => (Some(written), lines, info),
        None => match path_in_comment(first_line) {
            Some(written) => {
                let rest = lines.split_once('\n').map_or("", |(_, rest)| rest);
                (Some(written), rest, body.start..body.start + first_line.len())
            }
            None => (None, lines, 0..0),
        },
    };
    let quote = without_numbers(quote.trim_matches('\n'));
    if quote.trim().is_empty() {
        return;
    }
    match (written, heading) {
        (Some(Written { path, lines, symbol }), _) => {
            let mut lines = lines.into_iter();
            let target = Target::File { path: path.clone(), lines: lines.next() };
            let symbols = symbol.into_iter().collect();
            citations.push(Citation {
                span: span.clone(),
                quotes: vec![quote.into_owned()],
                symbols,
                ..Citation::of(target)
            });
            // What is quoted begins at the first of several places; the others are looked up by themselves.
            let others = lines.map(|line| Target::File { path: path.clone(), lines: Some(line) });
            citations.extend(others.map(|target| Citation { span: span.clone(), ..Citation::of(target) }));
        }
        (None, Some(heading)) => {
            if let Some(citation) = citations.get_mut(heading.at) {
                let other = match &citation.target {
                    Target::File { path, .. } | Target::Past { path, .. } => is_of_another(words, path),
                    _ => false,
                };
                // What is in doubt takes nothing from a place whose words were quoted before it.
                match (heading.quotes && !other, citation.quotes.is_empty()) {
                    (true, _) => citation.quotes.push(quote.into_owned()),
                    (false, true) => citation.perhaps.push(quote.into_owned()),
                    (false, false) => {}
                }
            }
        }
        (None, None) => {}
    }
}

/// `src/pool.rs:35:    drop(guard);`, as searches print it: each line of such a block is a citation. Gives whether it is one.
fn search_output(text: &str, body: Range<usize>, citations: &mut Vec<Citation>) -> bool {
    let mut found = Vec::new();
    for line in lines_of(text, body) {
        let content = text[line.clone()].trim_end();
        if content.trim().is_empty() || content == "--" {
            continue;
        }
        let Some(citation) = line_of_search(text, line) else { return false };
        found.push(citation);
    }
    citations.extend(found.iter().cloned());
    !found.is_empty()
}

/// One line of what a search printed.
fn line_of_search(text: &str, span: Range<usize>) -> Option<Citation> {
    let line = text[span.clone()].trim_end();
    let (path, number, words) = parts_of_search(line)?;
    let quotes = if words.trim().chars().count() > 2 { vec![words.trim().to_owned()] } else { Vec::new() };
    let target = Target::File { path, lines: Some(Lines::written(number, number)) };
    Some(Citation { span: span.start..span.start + line.len(), quotes, ..Citation::of(target) })
}

/// Whether a line among prose is one that a search printed: code follows the line's number at once, or as far as it is indented
/// in its file. `src/pool.rs:35: it waits` is somebody's remark.
pub(super) fn is_printed(line: &str) -> bool {
    let spaced = || line.split(':').next().is_some_and(|path| path.contains(char::is_whitespace));
    line.len() <= LONGEST_LINE
        && parts_of_search(line.trim_end()).is_some_and(|(_, _, words)| behind_number(words) != Behind::Remark)
        && !spaced()
}

/// The citation of a line among prose that a search seems to have printed. What may be a remark as well quotes nothing for sure.
pub(super) fn printed(text: &str, span: Range<usize>) -> Option<Citation> {
    let (_, _, words) = parts_of_search(text[span.clone()].trim_end())?;
    let mut citation = line_of_search(text, span)?;
    if behind_number(words) == Behind::Perhaps {
        citation.perhaps = std::mem::take(&mut citation.quotes);
    }
    Some(citation)
}

/// The longest line that is looked at in prose, in bytes.
const LONGEST_LINE: usize = 1_024;

/// What stands behind the number of a line among prose.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Behind {
    Code,
    /// Code, or a remark with code in it.
    Perhaps,
    /// What a program or somebody says of the line.
    Remark,
}

/// What these words behind the number of a line are, by the signs in them: most lines of code end with one or assign something,
/// and a remark is a sentence, has a word of its own before a colon, or begins with the number of a rule.
fn behind_number(words: &str) -> Behind {
    let indent = words.len() - words.trim_start().len();
    let inner = words.trim();
    let all: Vec<&str> = inner.split_whitespace().collect();
    let plain = |word: &str| !word.is_empty() && word.chars().all(char::is_alphabetic);
    let labelled = all.first().is_some_and(|word| word.strip_suffix(':').is_some_and(plain));
    // One space parts a remark from its place; code is indented by more, or not at all.
    if words.starts_with(' ') && indent == 1 || labelled || begins_with_a_rule(&all) {
        return Behind::Remark;
    }
    if ["//", "/*", "# "].iter().any(|mark| inner.starts_with(mark)) {
        return Behind::Code;
    }
    let ends = |signs: &[char]| inner.ends_with(signs);
    // `unused result (must be used)`: brackets around words of a sentence, which a call has not.
    let calls = all.iter().any(|word| word.find(['(', '[']).is_some_and(|at| at > 0));
    let bare = |word: &'_ str| plain(if calls { word } else { word.trim_matches(['(', ')', '[', ']']) });
    let is_told = all.windows(3).any(|three| three.iter().all(|word| bare(word.trim_end_matches(','))));
    let assigns = all.iter().skip(1).any(|word| is_assignment(word));
    if assigns || ends(&['{', '}', ';', ',']) {
        // `it waits for nobody;` has no sign but that of its end.
        let worded = all.iter().all(|word| plain(word.trim_end_matches([';', ','])) || is_assignment(word));
        let doubtful = worded && all.len() > if assigns { 4 } else { 2 } || is_told && !assigns && ends(&[',']);
        return if doubtful { Behind::Perhaps } else { Behind::Code };
    }
    let indented = indent > 0;
    if ends(&['(', ')', '[', ']']) {
        // `errcheck (w.Write)`, which may be `if (ready)`.
        let apart = plain(all[0]) && all.get(1).is_some_and(|word| word.starts_with(['(', '[']));
        return match (is_told, indented) {
            (true, false) => Behind::Remark,
            (true, true) => Behind::Perhaps,
            (false, false) if apart => Behind::Perhaps,
            (false, _) => Behind::Code,
        };
    }
    let signed = || inner.contains(['(', ')', '{', '}', ';', '=', '<', '>', '[', ']']);
    if indented && signed() { Behind::Perhaps } else { Behind::Remark }
}

/// `=`, `+=`, `:=`, and no comparison.
fn is_assignment(word: &str) -> bool {
    let sign = |c: char| c.is_ascii_punctuation() && !matches!(c, '=' | '!' | '(' | ')' | '"' | '\'' | '`' | '_');
    word.strip_suffix('=').is_some_and(|before| before.chars().all(sign) && !matches!(before, "<" | ">"))
}

/// `E501 line too long`, `W0107[unnecessary-pass]`: linters name the rule first.
fn begins_with_a_rule(words: &[&str]) -> bool {
    let Some((first, rest)) = words.split_first() else { return false };
    let (rule, behind) = first.split_at(first.find(['[', ':']).unwrap_or(first.len()));
    let digits = rule.trim_start_matches(|c: char| c.is_ascii_uppercase());
    let numbered = digits.len() >= 3 && digits.bytes().all(|byte| byte.is_ascii_digit());
    let ended = behind.is_empty() || behind.starts_with(':') || behind.ends_with(']');
    (1..=6).contains(&(rule.len() - digits.len()))
        && numbered
        && ended
        && !rest.first().is_some_and(|next| is_assignment(next))
}

fn parts_of_search(line: &str) -> Option<(String, u128, &str)> {
    let mut parts = line.splitn(3, ':');
    let (path, number, words) = (parts.next()?, parts.next()?, parts.next()?);
    // `panicked at src/main.rs:3: …` is what a program says of a place, and quotes nothing from there.
    let number = path::number(number).filter(|_| !spaced::is_command(path, true, true))?;
    // Some name the column as well.
    let words = words.split_once(':').filter(|(column, _)| path::number(column).is_some()).map_or(words, |(_, rest)| rest);
    // A folder has no lines, and neither has what names some already.
    let is_file = |written: &Written| written.lines.is_empty() && !path::names_a_folder(&written.path);
    let Written { path, .. } = path::read(path, Standing::Marked).filter(is_file)?;
    Some((path, number, words))
}

/// A block without the numbers that viewers put before each line: `24 | fn main() {`.
pub(super) fn without_numbers(quote: &str) -> Cow<'_, str> {
    let bare = |line: &'_ str| -> Option<usize> {
        let number = line.trim_start().trim_start_matches(|c: char| c.is_ascii_digit());
        let numbered = number.len() < line.trim_start().len();
        let rest = number.trim_start_matches(' ').strip_prefix(['|', '│', ':', '\t', '→'])?;
        numbered.then_some(line.len() - rest.len())
    };
    if !quote.lines().all(|line| line.trim().is_empty() || bare(line).is_some()) {
        return Cow::Borrowed(quote);
    }
    let lines: Vec<&str> = quote.lines().map(|line| &line[bare(line).unwrap_or_default()..]).collect();
    Cow::Owned(lines.join("\n"))
}

/// `12:20:src/pool.rs`, as some editors head a block.
fn counted_path(word: &str) -> Option<Written> {
    let mut parts = word.splitn(3, ':');
    let (first, last, path) = (parts.next()?, parts.next()?, parts.next()?);
    let lines = Lines::written(path::number(first)?, path::number(last)?);
    let written = path::read(path, Standing::Marked)?;
    Some(Written { lines: vec![lines], ..written })
}

/// `// src/pool.rs:12` or `# src/pool.py`, alone on its line.
fn path_in_comment(line: &str) -> Option<Written> {
    let line = line.trim();
    let bare = ["//", "#", "--", "/*", "<!--", ";", "%"].iter().find_map(|mark| line.strip_prefix(mark))?;
    let bare = bare.trim_end_matches("*/").trim_end_matches("-->").trim().trim_end_matches(':');
    if bare.contains(char::is_whitespace) { None } else { path::read(bare, Standing::Bare) }
}

/// What lines that are set off below a path quote from there.
pub(super) fn quoted(lines: &str) -> Option<String> {
    let lines = lines.trim_matches('\n');
    // A block of code may be set off as a whole: then its lines are quoted, and not its fences.
    let lines = match lines.split_once("```") {
        Some((before, block)) if before.is_empty() || before.ends_with('\n') => {
            let (info, body) = block.split_once('\n')?;
            if matches!(info.trim(), "diff" | "patch" | "suggestion") {
                return None;
            }
            body.split("```").next().unwrap_or(body).trim_matches('\n')
        }
        _ => lines,
    };
    let quote = without_numbers(lines);
    (quote.trim().chars().count() > 2).then(|| quote.into_owned())
}

/// The lines of a part of a text, by their bytes.
pub(super) fn lines_of(text: &str, within: Range<usize>) -> impl Iterator<Item = Range<usize>> {
    let mut at = within.start;
    text[within].split_inclusive('\n').map(move |line| {
        at += line.len();
        at - line.len()..at
    })
}

#[cfg(test)]
mod tests {
    use super::super::find;

    /// What a line behind a place quotes, and what it may quote.
    fn said(words: &str) -> [Vec<String>; 2] {
        let found = find(&format!("src/pool.rs:35:{words}"));
        assert_eq!(found.len(), 1, "{words}");
        let citation = found.into_iter().next().unwrap();
        assert_eq!(citation.target.to_string(), "src/pool.rs:35", "{words}");
        [citation.quotes, citation.perhaps]
    }

    #[test]
    fn a_search_prints_lines_of_files_alone() {
        assert_eq!(said("13:E722:do not use bare except;"), [vec![], vec![]] as [Vec<String>; 2]);
        assert_eq!(find("web/:3:drop(guard);"), []);
        assert_eq!(find("web/app.ts:3:drop(guard);").len(), 1);
    }

    #[test]
    fn code_behind_a_number_is_a_quote_however_many_words_it_has() {
        for words in [
            "public static final long LIMIT = 9;",
            "pool.waiting[id] -= 1",
            "pub static SIZE: usize = 64",
            "count := len(all)",
            "impl Drop for Guard {",
            "DROP INDEX IF EXISTS by_name ON guards (name);",
            "        if (ready)",
            "/// Gives the guard back.",
            "//Gives it back",
            "# gives the guard back",
            "R100[2] = 7",
        ] {
            assert_eq!(said(words), [vec![words.trim().to_owned()], vec![]], "{words}");
        }
    }

    #[test]
    fn what_is_code_or_a_remark_is_a_quote_perhaps() {
        for words in [
            "    with acquire(pool, 3) as guard",
            "    return <b>Please wait</b>",
            "errcheck (pool.Close)",
            "\tif (ready and not closed)",
            "export default Pool;",
            "it waits for nobody;",
            "assignment with = in condition",
            "f() is called far too often,",
        ] {
            assert_eq!(said(words), [vec![], vec![words.trim().to_owned()]], "{words}");
        }
    }

    #[test]
    fn what_is_said_of_a_line_is_no_quote() {
        for words in [
            "unused value (it must be kept)",
            "SA4006 (staticcheck)",
            "9:W0107[unnecessary-pass]",
            "C0116: Missing docstring (missing-docstring)",
            "E225 missing whitespace around = and {",
            "note: f();",
            " f();",
            "x == y is always true",
        ] {
            assert_eq!(said(words)[0], [""; 0], "{words}");
            assert!(!said(words)[1].iter().any(|perhaps| perhaps.contains(' ')), "{words}");
        }
    }
}
