//! Words for "there is nothing": told from findings that begin with the same words, and from refusals.

use super::Severity;

/// What there can be none of.
const NOUNS: [&str; 14] = [
    "issue", "issues", "finding", "findings", "problem", "problems", "concern", "concerns", "bug", "bugs", "blocker",
    "blockers", "defect", "defects",
];

/// What there can be none of in the critique, while "no comments in the parser" is a finding.
const REMARKS: [&str; 7] = ["remarks", "comments", "suggestions", "objections", "items", "change", "changes"];

/// Words before such a noun that only describe it.
const DESCRIPTIONS: [&str; 40] = [
    "critical",
    "high",
    "medium",
    "low",
    "severity",
    "priority",
    "major",
    "minor",
    "blocking",
    "significant",
    "serious",
    "correctness",
    "security",
    "reliability",
    "maintainability",
    "performance",
    "compatibility",
    "optional",
    "further",
    "other",
    "additional",
    "new",
    "known",
    "obvious",
    "real",
    "material",
    "substantive",
    "important",
    "noteworthy",
    "level",
    "must",
    "fix",
    "and",
    "or",
    "further",
    "style",
    "remaining",
    "specific",
    "open",
    "actual",
];

/// Words with which such a statement ends.
const FOUND: [&str; 15] = [
    "found",
    "identified",
    "detected",
    "noted",
    "spotted",
    "raised",
    "observed",
    "seen",
    "discovered",
    "remain",
    "remaining",
    "needed",
    "required",
    "necessary",
    "here",
];

/// Words with which it goes on about where nothing was found.
const WHERE: [&str; 6] = ["in", "for", "with", "at", "of", "on"];

/// What there can be nothing "to" do.
const TO_REPORT: [&str; 6] = ["report", "raise", "note", "mention", "address", "flag"];

/// Whether a text says that there is nothing: `None`, `None found.`, `No issues`, `N/A`, `—`.
pub(super) fn is_none(text: &str) -> bool {
    let bare = text.trim().trim_matches(|c: char| !c.is_alphanumeric());
    if bare.is_empty() {
        return true;
    }
    let lower = bare.to_lowercase();
    if matches!(lower.as_str(), "n/a" | "na" | "not applicable" | "0" | "zero" | "nil" | "nothing" | "no" | "null" | "empty")
    {
        return true;
    }
    let (first, rest) = lower.split_at(lower.find(|c: char| !c.is_alphanumeric()).unwrap_or(lower.len()));
    match first {
        "none" => {
            // "None of the errors is handled" is a finding; "None. It is safe" and "None at this level" are not.
            let stops = rest.trim_start().is_empty() || !rest.trim_start().starts_with(char::is_alphanumeric);
            let said = words(rest);
            let first = said.first().map(String::as_str).unwrap_or_default();
            stops || ends(&said) || (first != "of" && WHERE.contains(&first)) || NOUNS.contains(&first)
        }
        "nothing" => ends(&words(rest)),
        "no" | "zero" | "0" => is_no_noun(&words(&first_sentence(rest))),
        _ => false,
    }
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
            let auxiliary =
                |word: &&String| matches!(word.as_str(), "are" | "were" | "was" | "is" | "have" | "been" | "has");
            let verb: Vec<String> = behind.iter().skip_while(auxiliary).cloned().collect();
            let goes_on = |word: &String| WHERE.contains(&word.as_str()) && NOUNS.contains(&noun.as_str());
            behind.first().is_none_or(goes_on) || ends(&verb)
        }
        Some(_) => false,
    }
}

/// Whether the words are such as end a statement that there is nothing.
fn ends(words: &[String]) -> bool {
    match words {
        [first, second, ..] if first == "to" => TO_REPORT.contains(&second.as_str()),
        [first, ..] => FOUND.contains(&first.as_str()),
        [] => false,
    }
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

/// Whether a text says that the evidence is insufficient, and does not deny it.
pub(super) fn says_insufficient(text: &str) -> bool {
    let all = words(text);
    let denied = |at: usize| {
        all[at.saturating_sub(3)..at]
            .iter()
            .any(|word| matches!(word.as_str(), "no" | "not" | "never" | "isn" | "without" | "hardly"))
    };
    let pairs =
        [("insufficient", "evidence"), ("insufficiently", "evidenced"), ("evidence", "insufficient"), ("not", "enough")];
    all.windows(3).enumerate().any(|(at, next)| {
        let said = pairs.iter().any(|(one, other)| next[0] == *one && (next[1] == *other || next[2] == *other));
        let enough = next[0] != "not" || (next[2] == "evidence");
        said && enough && !denied(at) && next[1] != "not"
    }) || matches!(all.as_slice(), [.., one, other] if one == "insufficient" && other == "evidence" && !denied(all.len() - 2))
}

/// Verbs of which a critic that did nothing says that it cannot.
const REFUSED: [&str; 24] = [
    "help", "assist", "review", "comply", "provide", "access", "complete", "process", "evaluate", "critique", "analyze",
    "analyse", "read", "open", "continue", "fulfill", "fulfil", "do", "perform", "engage", "fetch", "view", "discuss",
    "proceed",
];

/// Whether the first sentence says that nothing was done: "I'm sorry, but I can't help with that."
pub(super) fn refuses(text: &str) -> bool {
    let start: String = text.chars().take(300).collect();
    let all = words(&first_sentence(&start));
    let unable = |at: usize| match all[at].as_str() {
        "cannot" | "unable" => true,
        "can" | "could" => matches!(all.get(at + 1).map(String::as_str), Some("t" | "not")),
        "not" => all.get(at + 1).is_some_and(|next| next == "able"),
        "won" => all.get(at + 1).is_some_and(|next| next == "t"),
        _ => false,
    };
    let speaks =
        all.iter().take(6).any(|word| matches!(word.as_str(), "i" | "sorry" | "apologies" | "apologize" | "unable" | "we"));
    let refused = |at: usize| all[at + 1..].iter().take(4).any(|word| REFUSED.contains(&word.as_str()));
    speaks && (0..all.len()).any(|at| unable(at) && refused(at))
}

fn first_sentence(text: &str) -> String {
    let end = text.find(". ").or_else(|| text.find(['\n', ';', '—'])).unwrap_or(text.len());
    text[..end].replace(['/', ','], " ")
}

/// The words of a text, in lower case.
pub(super) fn words(text: &str) -> Vec<String> {
    let words = text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
    words.map(str::to_lowercase).collect()
}
