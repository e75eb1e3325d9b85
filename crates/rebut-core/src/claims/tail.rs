//! The structured tail of a statement: lines after `--- claims`.

use std::collections::BTreeMap;

use super::citation::{closes, find_in_evidence, opens, without_ticks};
use super::{Claim, ClaimId};

/// What the tail says.
#[derive(Debug, Default)]
pub(super) struct Tail {
    pub(super) claims: Vec<Claim>,
    pub(super) concessions: Vec<Concession>,
}

/// A concession of the tail.
#[derive(Debug)]
pub(super) struct Concession {
    /// What is said to stand in the prose.
    pub(super) quote: String,
    /// The claims that it concedes.
    pub(super) claims: Vec<ClaimId>,
}

/// Splits a statement at the last line `--- claims`: the prose before it, and the lines after it.
pub(super) fn split(text: &str) -> Option<(&str, &str)> {
    let mut at = 0;
    let mut found = None;
    for line in text.split_inclusive('\n') {
        if is_heading(line) {
            found = Some((at, at + line.len()));
        }
        at += line.len();
    }
    let (start, end) = found?;
    let body = text[..start].trim();
    // The tail is sometimes put into a fence of its own.
    let body = body.strip_suffix("```").or_else(|| body.strip_suffix("~~~")).map_or(body, str::trim_end);
    Some((body, &text[end..]))
}

/// Reads the tail's lines, and gives what stands behind the list. A line that is none of ours goes on with the one before
/// it; behind the last line that is one of ours, a blank line ends the list.
pub(super) fn read(text: &str) -> (Tail, &str) {
    let (lines, behind) = text.split_at(end(text));
    let mut items: Vec<(Key, String)> = Vec::new();
    let mut rest = lines;
    let mut blocks = Blocks::default();
    while !rest.is_empty() {
        // A block of code below evidence is what stands there.
        if let Some((Key::Evidence, value)) = items.last_mut()
            && let Some(block) = blocks.first_of(rest)
        {
            value.push('\n');
            value.push_str(rest[..block].trim());
            rest = &rest[block..];
            continue;
        }
        let (line, behind) = rest.split_once('\n').unwrap_or((rest, ""));
        rest = behind;
        let (line, bare) = unlisted(line);
        match keyed(bare) {
            Some((key, value)) => items.extend(in_one_line(key, value)),
            None if bare.is_empty() => {}
            None => {
                if let Some((_, value)) = items.last_mut() {
                    value.push(' ');
                    value.push_str(line);
                }
            }
        }
    }
    let mut tail = Tail::default();
    for (key, value) in items {
        let value = value.trim();
        match key {
            Key::Claim if !value.is_empty() => tail.claims.push(Claim { text: value.to_owned(), ..Claim::default() }),
            Key::Evidence if !names_nothing(value) => {
                if let Some(claim) = tail.claims.last_mut() {
                    claim.evidence.push(value.to_owned());
                }
            }
            Key::Attacks => {
                if let Some(claim) = tail.claims.last_mut() {
                    claim.attacks.extend(ids(value));
                }
            }
            Key::Concede if !is_none(value) => tail.concessions.push(concession(value)),
            _ => {}
        }
    }
    (tail, behind.trim())
}

/// The longest fence that opens a block. Nobody writes longer ones.
const LONGEST_FENCE: usize = 16;

/// The blocks of code of a list.
#[derive(Default)]
struct Blocks {
    /// For a fence, by its mark and length, up to where none closes it: how much of the text is left there. Without that, each
    /// of many fences that nobody closes would be looked for through all of the list.
    unclosed: BTreeMap<(char, usize), usize>,
}

impl Blocks {
    /// The length of a block of code that what is left of the list begins with, up to its closing fence. A list that stands
    /// in a fence of its own has only the closing one.
    fn first_of(&mut self, text: &str) -> Option<usize> {
        let (opening, body) = text.split_once('\n')?;
        let open = opens(opening, 0..opening.len()).filter(|open| open.length <= LONGEST_FENCE)?;
        let fence = (open.mark, open.length);
        if self.unclosed.get(&fence).is_some_and(|left| text.len() > *left) {
            return None;
        }
        let mut at = opening.len() + 1;
        for line in body.split_inclusive('\n') {
            if keyed(unlisted(line).1).is_some() {
                break;
            }
            at += line.len();
            if closes(line.trim_start(), &open) {
                return Some(at);
            }
        }
        self.unclosed.insert(fence, text.len() - at);
        None
    }
}

/// `claim: a | evidence: src/pool.rs:9`: several items in one line.
fn in_one_line(key: Key, value: &str) -> Vec<(Key, String)> {
    let mut items = vec![(key, String::new())];
    for (place, part) in value.split(" | ").enumerate() {
        match keyed(part.trim()).filter(|_| place > 0) {
            Some((key, value)) => items.push((key, value.to_owned())),
            None => {
                if let Some((_, value)) = items.last_mut() {
                    value.push_str(if place > 0 { " | " } else { "" });
                    value.push_str(part);
                }
            }
        }
    }
    items
}

/// Where the list ends.
fn end(text: &str) -> usize {
    let mut at = 0;
    let (mut begun, mut end) = (false, None);
    for line in text.split_inclusive('\n') {
        let (bare_line, bare) = unlisted(line);
        at += line.len();
        if keyed(bare).is_some() {
            (begun, end) = (true, None);
        } else if begun && end.is_none() && bare_line.is_empty() {
            end = Some(at);
        }
    }
    end.unwrap_or(text.len())
}

/// A line without the marks of code around it, and without those of a list.
fn unlisted(line: &str) -> (&str, &str) {
    let line = line.trim();
    // A fence is no line of the list; other ticks are taken off only as a pair around all of it, since code may end a line.
    let fence = ["```", "~~~"].iter().any(|fence| line.starts_with(fence));
    let line = if fence { line.trim_matches(['`', '~']).trim() } else { without_ticks(line) };
    (line, line.trim_start_matches(|c: char| c.is_ascii_digit() || matches!(c, '-' | '*' | '.' | ')' | ' ')))
}

#[derive(Clone, Copy, Debug)]
enum Key {
    Claim,
    Evidence,
    Attacks,
    Concede,
}

fn keyed(line: &str) -> Option<(Key, &str)> {
    let (word, value) = line.split_once(':')?;
    let key = match word.trim().trim_matches('*').to_ascii_lowercase().as_str() {
        "claim" => Key::Claim,
        "evidence" => Key::Evidence,
        "attacks" | "attack" | "against" => Key::Attacks,
        "concede" | "concession" => Key::Concede,
        _ => return None,
    };
    Some((key, value.trim_start_matches('*').trim()))
}

fn is_heading(line: &str) -> bool {
    let line = line.trim().trim_matches(['*', '`', '#', ' ']);
    line.strip_prefix("---").is_some_and(|rest| rest.trim_matches(['-', ' ', ':']).eq_ignore_ascii_case("claims"))
}

/// Whether a line of evidence says that there is none, and names none: `none of the tests cover it, see src/a.rs:9` does.
fn names_nothing(value: &str) -> bool {
    // One word is no place, though it may look like one: `n/a`.
    is_none(value) && (!value.contains(char::is_whitespace) || find_in_evidence(value).is_empty())
}

/// Words with which a speaker says that there is nothing: `none`, `None (opinion)`, `keine`, `I have no evidence`.
fn is_none(value: &str) -> bool {
    const NONE: [&str; 14] = [
        "none",
        "n/a",
        "na",
        "nil",
        "null",
        "nothing",
        "unproven",
        "unsupported",
        "keine",
        "keiner",
        "nichts",
        "aucune",
        "ninguna",
        "nessuna",
    ];
    let value = value.trim_matches(|c: char| !c.is_alphanumeric()).to_lowercase();
    let value = value.replace('’', "'");
    let first = value.split(['(', ',', ';', ':', '—']).next().unwrap_or_default().trim_end_matches([' ', '-', '.']);
    let first = first.split(" - ").next().unwrap_or_default();
    let denied = ["no evidence", "without evidence", "i have no", "none ", "keine belege", "kein beleg"];
    value.is_empty() || NONE.contains(&first) || denied.iter().any(|lead| first.starts_with(lead))
}

/// The ids of claims in a text.
fn ids(text: &str) -> impl Iterator<Item = ClaimId> {
    text.split(|c: char| c.is_whitespace() || c == ',' || c == ';').filter_map(id)
}

fn id(word: &str) -> Option<ClaimId> {
    ClaimId::read(word.trim_matches(['(', ')', '[', ']', ':', '.', '\u{2014}', '\u{2013}']))
}

/// `C1.2 "I concede that …"`: the ids stand outside of the quotation marks, or before the words where there are no marks.
fn concession(value: &str) -> Concession {
    let marks = ['"', '\u{201c}', '\u{201d}'];
    match (value.find(marks), value.rfind(marks)) {
        (Some(open), Some(close)) if open < close => {
            let outside = format!("{} {}", &value[..open], &value[close..].trim_start_matches(marks));
            let quote = unquoted(&value[open..close]).replace("\\\"", "\"");
            Concession { quote, claims: ids(&outside).collect() }
        }
        _ => {
            let words = value.split_inclusive(|c: char| c.is_whitespace() || c == ',' || c == ';');
            let between = |word: &str| word == "and" || !word.contains(char::is_alphanumeric);
            let is_lead = |word: &&str| id(word.trim_end_matches([',', ';', ' '])).is_some() || between(word.trim());
            let lead: usize = words.take_while(is_lead).map(str::len).sum();
            let claims: Vec<ClaimId> = ids(&value[..lead]).collect();
            let quote = if claims.is_empty() { value } else { &value[lead..] };
            Concession { quote: unquoted(quote).to_owned(), claims }
        }
    }
}

fn unquoted(value: &str) -> &str {
    value.trim_matches(['"', '\u{201c}', '\u{201d}', ' '])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn evidence_that_is_named_is_never_dropped() {
        for value in [
            "None of the tests cover it, see src/a.rs:99",
            "nothing, but see src/a.rs:99",
            "I have no doubt: src/a.rs:99",
            "none (src/a.rs:99)",
        ] {
            let (tail, _) = read(&format!("claim: x\nevidence: {value}\n"));
            assert_eq!(tail.claims[0].evidence, [value]);
        }
        for value in ["none", "n/a", "N/A.", "none (n/a)", "None - a guess"] {
            let (tail, _) = read(&format!("claim: x\nevidence: {value}\n"));
            assert_eq!(tail.claims[0].evidence, [""; 0], "{value}");
        }
    }

    #[test]
    fn a_block_ends_with_a_fence_like_its_own() {
        for block in ["```rust\ndrop(x);\n```", "~~~\ndrop(x);\n~~~", "````md\n```\ndrop(x);\n```\n````"] {
            let text = format!("claim: x\nevidence: src/a.rs:1\n{block}\nevidence: src/b.rs:2\n\nAnd so on.");
            let (tail, rest) = read(&text);
            assert_eq!(tail.claims[0].evidence, [format!("src/a.rs:1\n{block}"), "src/b.rs:2".to_owned()]);
            assert_eq!(rest, "And so on.");
        }
        let (tail, _) = read("claim: x\nevidence: src/a.rs:1\n~~~");
        assert_eq!(tail.claims[0].evidence, ["src/a.rs:1"]);
    }

    #[test]
    fn fences_that_nobody_closes_are_looked_for_once() {
        // With the square of the lines this would take hours.
        for fence in ["```a\n", "~~~ a\n", "```a\n````b\n"] {
            for end in ["", "claim: y\n"] {
                let (tail, _) = read(&format!("claim: x\nevidence: y\n{}{end}", fence.repeat(40_000)));
                assert_eq!(tail.claims[0].evidence.len(), 1);
            }
        }
    }

    #[test]
    fn who_names_no_evidence_says_so_in_many_words() {
        for value in ["none", "None.", "-", "n/a", "None (opinion)", "nil", "keine", "none - a guess", "No evidence found"] {
            assert!(is_none(value), "{value}");
        }
        for value in ["common knowledge", "see above", "src/none.rs:3", "RFC 7540 section 4", "nonesuch"] {
            assert!(!is_none(value), "{value}");
        }
    }

    #[test]
    fn the_ids_of_a_concession_stand_before_its_words_or_behind_them() {
        for (line, ids, quote) in [
            ("P1.1 \"I concede it.\"", "P1.1", "I concede it."),
            ("P1.1, P1.2 I concede both.", "P1.1 P1.2", "I concede both."),
            ("P1.1 and P1.2: I concede both.", "P1.1 P1.2", "I concede both."),
            ("P1.1 \u{2014} \u{201c}I concede it.\u{201d}", "P1.1", "I concede it."),
            ("\"I concede it.\" (P1.1)", "P1.1", "I concede it."),
            ("P1.1 \"the \\\"stub\\\" is real\"", "P1.1", "the \"stub\" is real"),
            ("P1.1", "P1.1", ""),
            ("I concede it.", "", "I concede it."),
        ] {
            let read = concession(line);
            let told: Vec<&str> = read.claims.iter().map(ClaimId::as_str).collect();
            assert_eq!((told.join(" ").as_str(), read.quote.as_str()), (ids, quote), "{line}");
        }
    }
}
