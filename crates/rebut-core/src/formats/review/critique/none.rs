//! Whether a text says that there is nothing: told from findings that begin with the same words.

use super::Severity;
use super::vocabulary::{
    AS_A_WHOLE, AUXILIARIES, DESCRIPTIONS, FINDS, FOUND, IN_OTHER_WORDS, NOUNS, QUIET, REASSURES, REMARKS, SETTLED,
    TAKES_BACK, TO_REPORT, VERBS, WHERE,
};

/// Whether a text says that there is nothing: `None`, `None found.`, `No issues`, `N/A`, `—`.
pub(super) fn is_none(text: &str) -> bool {
    says_none(text) || denied(text).is_some_and(|plain| says_none(&plain)) || goes_on_well(text)
}

/// "There are no P2 findings", "I did not find any P2 issues" as "no P2 findings", "no P2 issues"; none if it begins
/// otherwise.
fn denied(text: &str) -> Option<String> {
    let bare = text.trim().trim_matches(|c: char| !c.is_alphanumeric()).to_lowercase();
    let mut rest = bare.as_str();
    let mut take = |known: &[&str]| {
        let end = rest.find(|c: char| !c.is_alphanumeric() && !matches!(c, '\'' | '’')).unwrap_or(rest.len());
        let found = known.contains(&&rest[..end]);
        if found {
            rest = rest[end..].trim_start();
        }
        found
    };
    let mut negated = false;
    if take(&["there"]) {
        // "There don't appear to be any P1 issues."
        if take(&["don't", "don’t", "doesn't", "doesn’t"]) {
            let seems = take(&["appear", "seem"]) && take(&["to"]) && take(&["be"]) && take(&["any"]);
            return seems.then(|| format!("no {rest}"));
        }
        if !take(&["is", "are", "was", "were"]) {
            return None;
        }
    } else if take(&["i", "we"]) {
        let _ = take(&["have", "could", "can", "do", "did"]);
        negated = take(&[
            "not",
            "didn't",
            "didn’t",
            "don't",
            "don’t",
            "couldn't",
            "couldn’t",
            "cannot",
            "can't",
            "can’t",
            "haven't",
        ]);
        if !take(&FINDS) {
            return None;
        }
    } else {
        return None;
    }
    if negated {
        return take(&["any"]).then(|| format!("no {rest}"));
    }
    ["no ", "none", "nothing"].iter().any(|word| rest.starts_with(word)).then(|| rest.to_owned())
}

/// "No issues, the code is fine": what stands behind the comma says that all is well.
fn goes_on_well(text: &str) -> bool {
    let Some((first, behind)) = text.split_once(", ") else { return false };
    let is_said_well = |behind: &str| !words(behind).is_empty() && reassures(&behind.to_lowercase());
    says_none(first) && is_said_well(behind)
}

fn says_none(text: &str) -> bool {
    let bare = text.trim().trim_matches(|c: char| !c.is_alphanumeric());
    if bare.is_empty() {
        return true;
    }
    let lower = bare.to_lowercase();
    if matches!(lower.as_str(), "n/a" | "na" | "not applicable" | "0" | "zero" | "nil" | "nothing" | "no" | "null" | "empty")
    {
        return true;
    }
    if IN_OTHER_WORDS.contains(&lower.as_str()) || AS_A_WHOLE.contains(&lower.as_str()) {
        return true;
    }
    // What is said behind the first sentence must not take it back: "None. But the lock leaks." is a finding.
    let (sentence, behind) = sentence_and_rest(&lower);
    if let Some(here) = ["not applicable", "n/a"].iter().find_map(|words| sentence.strip_prefix(words)) {
        return closes(&words(here)) && (reassures(behind) || says_there_is_no_such(behind));
    }
    if !reassures(behind) {
        return false;
    }
    let (first, rest) = sentence.split_at(sentence.find(|c: char| !c.is_alphanumeric()).unwrap_or(sentence.len()));
    match first {
        "none" => closes(&words(rest)),
        "nothing" => {
            // "Nothing blocking was found."
            let said: Vec<String> = words(rest).into_iter().filter(|word| !AUXILIARIES.contains(&word.as_str())).collect();
            ends(&said) || said.iter().all(|word| DESCRIPTIONS.contains(&word.as_str()) || FOUND.contains(&word.as_str()))
        }
        "no" | "zero" | "0" => is_no_noun(&words(rest)),
        _ => false,
    }
}

/// Whether these words behind a "none" state nothing: there are none of them, or only such as "found" and "at this time".
fn closes(said: &[String]) -> bool {
    let states_nothing = |word: &String| {
        let word = word.as_str();
        QUIET.contains(&word) || FOUND.contains(&word) || NOUNS.contains(&word) || severity_word(word).is_some()
    };
    match said {
        // "None of the errors is handled" is a finding.
        [first, rest @ ..] if first == "of" => match rest {
            [note] => matches!(note.as_str(), "note" | "significance" | "importance" | "concern"),
            [this, level] => this == "this" && matches!(level.as_str(), "severity" | "level" | "kind" | "priority"),
            _ => false,
        },
        [first, second, rest @ ..] if first == "to" => {
            TO_REPORT.contains(&second.as_str()) && rest.iter().all(states_nothing)
        }
        words => words.iter().all(states_nothing),
    }
}

/// The first sentence, and what is said behind it.
fn sentence_and_rest(text: &str) -> (&str, &str) {
    let marks = [". ", ": ", "! ", " - ", " (", "\n", ";", "—", "–", ".\n"];
    // `P1–P3` is one word.
    let breaks = |at: usize| !text[..at].ends_with(char::is_alphanumeric) || !text[at..].starts_with('–');
    let end = marks.iter().filter_map(|mark| text.find(mark)).filter(|at| breaks(*at)).min().unwrap_or(text.len());
    text.split_at(end)
}

/// Whether a text behind "none" says nothing, or no more than that all is well: no place, and nothing that takes it back.
fn reassures(text: &str) -> bool {
    let said = words(text);
    let has = |list: &[&str]| has_one_of(&said, list);
    let settled = said.last().is_some_and(|last| SETTLED.contains(&last.as_str()));
    // "All error paths are handled", and not "no error is handled".
    let all_handled = matches!(said.as_slice(), [first, .., last] if first == "all" && last == "handled");
    closes(&said) || (!names_a_place(text) && (has(&REASSURES) || settled || all_handled) && !has(&TAKES_BACK))
}

/// Whether what stands behind "not applicable" only says that there is no such thing here: `no security-relevant code`.
fn says_there_is_no_such(text: &str) -> bool {
    const A_FEW_WORDS: usize = 5;
    let said = words(text);
    let states = |word: &String| VERBS.contains(&word.as_str()) || TAKES_BACK.contains(&word.as_str());
    said.first().is_some_and(|first| first == "no") && said.len() <= A_FEW_WORDS && !said.iter().any(states)
}

fn names_a_place(text: &str) -> bool {
    text.contains(['/', '`']) || text.contains(|c: char| c.is_ascii_digit())
}

fn has_one_of(said: &[String], list: &[&str]) -> bool {
    said.iter().any(|word| list.contains(&word.as_str()))
}

/// Whether these words only say where nothing was found: "in the error handling", and no sentence of their own.
fn is_place(words: &[String]) -> bool {
    const LONGEST: usize = 8;
    let states = |word: &String| VERBS.contains(&word.as_str()) || TAKES_BACK.contains(&word.as_str());
    words.first().is_none_or(|first| WHERE.contains(&first.as_str())) && words.len() <= LONGEST && !words.iter().any(states)
}

/// `P1 findings`, `issues were found in …`: what follows a "no".
fn is_no_noun(words: &[String]) -> bool {
    let described = |word: &&String| DESCRIPTIONS.contains(&word.as_str()) || severity_word(word).is_some();
    let mut rest = words.iter().skip_while(described);
    let named = words.iter().any(|word| severity_word(word).is_some());
    match rest.next() {
        None => named,
        Some(noun) if NOUNS.contains(&noun.as_str()) || REMARKS.contains(&noun.as_str()) => {
            let behind: Vec<String> = rest.cloned().collect();
            let auxiliary = |word: &&String| AUXILIARIES.contains(&word.as_str());
            let verb: Vec<String> = behind.iter().skip_while(auxiliary).cloned().collect();
            // "No concern for the lock" says what is missing.
            let lacks = noun == "concern" && behind.first().is_some_and(|next| next == "for");
            behind.is_empty() || (!lacks && NOUNS.contains(&noun.as_str()) && is_place(&behind)) || ends(&verb)
        }
        Some(_) => false,
    }
}

/// Whether the words are such as end a statement that there is nothing.
fn ends(words: &[String]) -> bool {
    match words {
        [first, second, rest @ ..] if first == "to" => TO_REPORT.contains(&second.as_str()) && closes_or_places(rest),
        [first, rest @ ..] => FOUND.contains(&first.as_str()) && closes_or_places(rest),
        [] => false,
    }
}

fn closes_or_places(words: &[String]) -> bool {
    is_place(words) || closes(words)
}

/// The severities of which a line says that there are no findings; all three for findings as such. Only plain statements
/// about findings count: "No issues" in prose is too easily said.
pub(super) fn stated(line: &str) -> Vec<Severity> {
    let bare = line.trim().trim_matches(|c: char| !c.is_alphanumeric());
    let all = words(bare);
    let named: Vec<Severity> =
        Severity::ALL.into_iter().filter(|one| all.iter().any(|word| severity_word(word) == Some(*one))).collect();
    let named = if ranges(bare) { Severity::ALL.to_vec() } else { named };
    let (before, behind) = bare.split_once(':').unwrap_or((bare, ""));
    let label = words(before);
    let is_label = !label.is_empty()
        && label.iter().all(|word| {
            DESCRIPTIONS.contains(&word.as_str()) || NOUNS.contains(&word.as_str()) || severity_word(word).is_some()
        });
    let says_none = if behind.is_empty() { is_none(bare) && all.len() > 1 } else { is_label && is_none(behind) };
    if !says_none {
        return Vec::new();
    }
    let of_findings = |words: &[String]| words.iter().any(|word| word == "findings");
    match named.is_empty() {
        false => named,
        true if of_findings(&label) || (behind.is_empty() && of_findings(&words(&first_sentence(bare)))) => {
            Severity::ALL.to_vec()
        }
        true => Vec::new(),
    }
}

/// `P1-P3`, `P1 to P3`, `P1–P3`.
fn ranges(text: &str) -> bool {
    let squeezed: String = text.to_lowercase().chars().filter(|c| !c.is_whitespace()).collect();
    ["p1-p3", "p1–p3", "p1top3", "p1throughp3", "p1…p3", "p1..p3"].iter().any(|range| squeezed.contains(range))
}

/// The severity that a word names: `p1`, `p2s`. Scales with more steps end in ours.
pub(super) fn severity_word(word: &str) -> Option<Severity> {
    match word.to_lowercase().trim_end_matches('s') {
        "p0" | "p1" => Some(Severity::P1),
        "p2" => Some(Severity::P2),
        "p3" | "p4" => Some(Severity::P3),
        _ => None,
    }
}

/// The first sentence, with lists in it taken apart.
pub(super) fn first_sentence(text: &str) -> String {
    let end = text.find(". ").or_else(|| text.find(['\n', ';', '—'])).unwrap_or(text.len());
    text[..end].replace(['/', ','], " ")
}

/// The words of a text, in lower case.
pub(super) fn words(text: &str) -> Vec<String> {
    let words = text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
    words.map(str::to_lowercase).collect()
}
