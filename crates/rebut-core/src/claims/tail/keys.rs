//! What a line of the list of claims is: which item it begins, and by which of the usual spellings.

use std::borrow::Cow;

use super::super::ClaimId;
use super::super::citation::without_ticks;

/// What an item of the list is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Key {
    Claim,
    Evidence,
    Attacks,
    Concede,
}

/// A line that begins an item.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Keyed<'a> {
    pub(super) key: Key,
    /// The id that stands beside the word: of a claim its own, of evidence that of the claim it is for.
    pub(super) id: Option<ClaimId>,
    /// What stands behind it. Of an attack and a concession it begins with the ids beside the word.
    pub(super) value: Cow<'a, str>,
    /// Whether an id stands there in place of a word: `P1.2: …`.
    pub(super) by_id_alone: bool,
}

/// The words by which an item begins.
fn key(word: &str) -> Option<Key> {
    Some(match word {
        "claim" | "claims" | "behauptung" | "behauptungen" | "affirmation" | "afirmación" | "affermazione" => Key::Claim,
        "evidence" | "proof" | "source" | "sources" | "citation" | "citations" | "reference" | "references" | "beleg"
        | "belege" | "beweis" | "quelle" | "quellen" | "preuve" | "preuves" | "prueba" | "pruebas" | "evidencia"
        | "prova" => Key::Evidence,
        "attacks" | "attack" | "against" => Key::Attacks,
        "concede" | "concedes" | "conceded" | "concession" | "concessions" => Key::Concede,
        _ => return None,
    })
}

/// The item that a line begins: `claim: …`, `claim P1.1: …`, `[P1.1] claim: …`, `**Claim 2:** …`, `claim 2 — …`,
/// `attacks C1.2`, and `P1.2: …`, which is a claim.
pub(super) fn keyed(line: &str) -> Option<Keyed<'_>> {
    with_colon(line).or_else(|| without_colon(line))
}

fn with_colon(line: &str) -> Option<Keyed<'_>> {
    let (head, value) = parted(line)?;
    // `"claim": "…"` is a line of JSON, and its value none of the list.
    if head.contains('"') {
        return None;
    }
    let words: Vec<String> = words_of(head).map(str::to_lowercase).collect();
    let ids: Vec<ClaimId> = words.iter().filter_map(|word| ClaimId::read(word)).collect();
    let mut keys = words.iter().filter_map(|word| key(word));
    let value = behind(head, value);
    let Some(first) = keys.next() else {
        let plain = ids.len() == 1 && words.len() == 1 && !value.to_lowercase().starts_with("conced");
        let plain = plain && !value.to_lowercase().starts_with("i conced");
        return plain.then(|| Keyed { by_id_alone: true, ..item(Key::Claim, None, Cow::Borrowed(line.trim())) });
    };
    let others = words.iter().filter(|word| key(word).is_none() && ClaimId::read(word).is_none());
    let plain = others.into_iter().all(|word| is_number(word) || ["for", "of", "no", "nr", "my"].contains(&word.as_str()));
    if !plain || keys.any(|key| key != Key::Claim) {
        return None;
    }
    Some(match first {
        Key::Claim | Key::Evidence => item(first, ids.into_iter().next(), Cow::Borrowed(value)),
        Key::Attacks | Key::Concede => item(first, None, with_ids(&ids, value)),
    })
}

fn item(key: Key, id: Option<ClaimId>, value: Cow<'_, str>) -> Keyed<'_> {
    Keyed { key, id, value, by_id_alone: false }
}

/// `attacks C1.2 and C1.3`, `concede C1.1 "I concede …"`: with an id right behind the word, it needs no colon.
fn without_colon(line: &str) -> Option<Keyed<'_>> {
    let (word, value) = line.split_once(' ')?;
    let key = key(&word.to_lowercase()).filter(|key| matches!(key, Key::Attacks | Key::Concede))?;
    let value = value.trim_start();
    let end = value.find(char::is_whitespace).unwrap_or(value.len());
    let has_id = ClaimId::read(value[..end].trim_matches(['(', ')', '[', ']', ',', ';', '.'])).is_some();
    has_id.then(|| item(key, None, Cow::Borrowed(value.trim_end())))
}

/// The longest head of a line, in bytes.
const LONGEST_HEAD: usize = 60;

/// A line at its first colon, or at a dash that stands for one.
fn parted(line: &str) -> Option<(&str, &str)> {
    let colon = line.find([':', '\u{ff1a}']);
    let dash = [" - ", " \u{2013} ", " \u{2014} "].iter().filter_map(|dash| line.find(dash)).min();
    let at = colon.into_iter().chain(dash).min().filter(|at| *at <= LONGEST_HEAD)?;
    let (head, rest) = line.split_at(at);
    let rest = rest.trim_start();
    Some((head, &rest[rest.chars().next().map_or(0, char::len_utf8)..]))
}

/// What stands behind a head, without the other half of the marks that it opens.
fn behind<'a>(head: &str, value: &'a str) -> &'a str {
    let value = value.trim_start_matches('*');
    let unclosed = |mark: char| head.starts_with(mark) && !head[1..].ends_with(mark);
    let value = if unclosed('_') { value.trim_start_matches('_') } else { value };
    let value = if unclosed('`') { value.trim_start_matches('`') } else { value };
    value.trim()
}

fn words_of(head: &str) -> impl Iterator<Item = &str> {
    let words = head.split(|c: char| c.is_whitespace() || "*_`#()[]<>".contains(c));
    words.map(|word| word.trim_matches(['.', ','])).filter(|word| !word.is_empty())
}

fn is_number(word: &str) -> bool {
    word.len() <= 4 && word.bytes().all(|b| b.is_ascii_digit() || b == b'.')
}

fn with_ids<'a>(ids: &[ClaimId], value: &'a str) -> Cow<'a, str> {
    if ids.is_empty() {
        return Cow::Borrowed(value);
    }
    let ids: Vec<&str> = ids.iter().map(ClaimId::as_str).collect();
    Cow::Owned(format!("{} {value}", ids.join(" ")))
}

/// Whether a line begins something else than an item: a row of a table, a heading, or a word of its own and a colon
/// (`Note: …`). It goes on with no item.
pub(super) fn is_something_else(line: &str) -> bool {
    // Words that lead from a place to what stands there.
    const LEADS: [&str; 6] = ["says", "reads", "states", "shows", "contains", "has"];
    if line.starts_with(['|', '#', '{', '}', ']']) {
        return true;
    }
    let Some((head, value)) = parted(line) else { return false };
    let words: Vec<&str> = words_of(head).collect();
    let plain = (1..=2).contains(&words.len()) && words.iter().all(|word| word.chars().all(char::is_alphabetic));
    plain && !words.iter().any(|word| LEADS.contains(word)) && (value.is_empty() || value.starts_with([' ', '*', '_']))
}

/// A line without the marks of code around it, and without those of a list or a quotation before it.
pub(super) fn unlisted(line: &str) -> (&str, &str) {
    let line = line.trim();
    // A fence is no line of the list; other ticks are taken off only as a pair around all of it, since code may end a line.
    let fence = ["```", "~~~"].iter().any(|fence| line.starts_with(fence));
    let line = if fence { line.trim_matches(['`', '~']).trim() } else { without_ticks(line) };
    let marks = |c: char| c.is_ascii_digit() || c.is_whitespace() || "-*+.)>#•◦‣▪●·–—".contains(c);
    (line, line.trim_start_matches(marks))
}

/// What an item of a Markdown list says.
pub(super) fn bullet(line: &str) -> Option<&str> {
    let line = line.trim();
    let number = line.trim_start_matches(|c: char| c.is_ascii_digit());
    let behind = if number.len() < line.len() {
        number.strip_prefix(['.', ')'])
    } else {
        line.strip_prefix(['-', '*', '+', '•', '◦', '‣', '▪', '●', '–', '—'])
    };
    behind.filter(|behind| behind.starts_with(char::is_whitespace)).map(str::trim_start)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(line: &str) -> String {
        keyed(unlisted(line).1).map_or_else(String::new, |keyed| {
            let id = keyed.id.map(|id| format!(" {id}")).unwrap_or_default();
            format!("{:?}{id}: {}", keyed.key, keyed.value)
        })
    }

    #[test]
    fn an_item_begins_in_the_usual_spellings() {
        for line in [
            "claim: a",
            "claim 1: a",
            "Claim no. 1: a",
            "Claim #2: a",
            "**Claim 1:** a",
            "**Claim 1**: a",
            "`claim`: a",
            "`claim:` a",
            "`claim: a`",
            "_claim_: a",
            "_claim:_ a",
            "> claim: a",
            "• claim: a",
            "+ claim: a",
            "1) claim: a",
            "(1) claim: a",
            "### Claim 1: a",
            "claim\u{ff1a}a",
            "claim 1 - a",
            "claim \u{2014} a",
            "Behauptung: a",
        ] {
            assert_eq!(told(line), "Claim: a", "{line}");
        }
        for line in ["claim P1.1: a", "claim (P1.1): a", "P1.1 claim: a", "[P1.1] claim: a", "**claim [p1.1]:** a"] {
            assert_eq!(told(line), "Claim P1.1: a", "{line}");
        }
        for (line, read) in [
            ("P1.1: a", "Claim: P1.1: a"),
            ("Evidence 2: a.rs:1", "Evidence: a.rs:1"),
            ("evidence for P1.1: a.rs:1", "Evidence P1.1: a.rs:1"),
            ("evidence for claim P1.2: a.rs:1", "Evidence P1.2: a.rs:1"),
            ("Beleg: a.rs:1", "Evidence: a.rs:1"),
            ("attacks C1.2 and C1.3", "Attacks: C1.2 and C1.3"),
            ("attacks C1.2: so", "Attacks: C1.2 so"),
            ("attacks (C1.2): so", "Attacks: C1.2 so"),
            ("concede C1.1: \"so\"", "Concede: C1.1 \"so\""),
            ("concession (C1.1): \"so\"", "Concede: C1.1 \"so\""),
            ("C1.1 conceded: \"so\"", "Concede: C1.1 \"so\""),
        ] {
            assert_eq!(told(line), read, "{line}");
        }
    }

    #[test]
    fn a_line_of_something_else_begins_no_item() {
        for line in [
            "\"claim\": \"a\",",
            "the claim that it waits: no",
            "src/claim.rs: a",
            "P1.1: conceded.",
            "my evidence is thin: none",
            "it waits - a claim",
        ] {
            assert_eq!(told(line), "", "{line}");
        }
        for line in ["Note: \"x\"", "reasoning: it is so", "**Note:** x", "| a | b |", "Confidence:"] {
            assert!(is_something_else(line), "{line}");
        }
        for line in ["src/pool.rs:35", "which says: \"x\"", "https://example.com/x", "and that is all of it: so"] {
            assert!(!is_something_else(line), "{line}");
        }
    }
}
