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
const FOUND: [&str; 17] = [
    "found",
    "reported",
    "known",
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

/// Words that can follow a "none" without stating anything: "at this time", "that I could find", "in this diff".
const QUIET: [&str; 52] = [
    "at",
    "in",
    "for",
    "on",
    "this",
    "that",
    "these",
    "the",
    "a",
    "any",
    "time",
    "level",
    "severity",
    "priority",
    "present",
    "moment",
    "point",
    "stage",
    "now",
    "so",
    "far",
    "currently",
    "there",
    "were",
    "was",
    "are",
    "is",
    "have",
    "been",
    "has",
    "i",
    "we",
    "could",
    "can",
    "find",
    "see",
    "identify",
    "spot",
    "change",
    "changes",
    "diff",
    "patch",
    "code",
    "file",
    "files",
    "section",
    "part",
    "category",
    "review",
    "round",
    "version",
    "artifact",
];

/// Words that take back or add to what was said before them, or that make a sentence a statement of its own.
const TAKES_BACK: [&str; 42] = [
    "but",
    "however",
    "though",
    "although",
    "except",
    "yet",
    "while",
    "apart",
    "besides",
    "still",
    "unless",
    "only",
    "not",
    "never",
    "nor",
    "without",
    "missing",
    "cannot",
    "t",
    "too",
    "should",
    "would",
    "must",
    "may",
    "might",
    "if",
    "when",
    "until",
    "instead",
    "fails",
    "breaks",
    "wrong",
    "because",
    "since",
    "whereas",
    "aside",
    "beyond",
    "other",
    "despite",
    "nevertheless",
    "neither",
    "lacks",
];

/// Verbs that make of "no issues with locking" a sentence about something else: "… is handled".
const VERBS: [&str; 10] = ["is", "are", "was", "were", "has", "have", "gets", "get", "does", "do"];

/// Words of a sentence that says why there is nothing.
const REASSURES: [&str; 18] = [
    "fine",
    "safe",
    "sound",
    "correct",
    "correctly",
    "ok",
    "okay",
    "good",
    "well",
    "clean",
    "solid",
    "reasonable",
    "right",
    "consistent",
    "properly",
    "covered",
    "sensible",
    "lgtm",
];

/// "None" in other languages, as a critic that is asked in one of them answers.
const IN_OTHER_WORDS: [&str; 24] = [
    "keine", "keiner", "keines", "kein", "nichts", "aucun", "aucune", "rien", "ninguno", "ninguna", "nada", "nessuno",
    "nessuna", "niente", "nenhum", "nenhuma", "geen", "нет", "无", "無", "没有", "なし", "없음", "brak",
];

/// What there can be nothing "to" do.
const TO_REPORT: [&str; 6] = ["report", "raise", "note", "mention", "address", "flag"];

/// Words that say why there is nothing where a sentence ends with them: "the change is small", "all addressed".
const SETTLED: [&str; 10] =
    ["small", "simple", "trivial", "minimal", "straightforward", "addressed", "resolved", "fixed", "settled", "mechanical"];

/// Who finds nothing, and how: "I found no", "we did not see any".
const FINDS: [&str; 18] = [
    "find",
    "found",
    "see",
    "saw",
    "seen",
    "have",
    "has",
    "identify",
    "identified",
    "spot",
    "spotted",
    "notice",
    "noticed",
    "detect",
    "detected",
    "raise",
    "report",
    "had",
];

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
    if IN_OTHER_WORDS.contains(&lower.as_str()) {
        return true;
    }
    // What is said behind the first sentence must not take it back: "None. But the lock leaks." is a finding.
    let (sentence, behind) = sentence_and_rest(&lower);
    if !reassures(behind) {
        return false;
    }
    let (first, rest) = sentence.split_at(sentence.find(|c: char| !c.is_alphanumeric()).unwrap_or(sentence.len()));
    match first {
        "none" => closes(&words(rest)),
        "nothing" => {
            let said = words(rest);
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
    let names_a_place = text.contains(['/', '`']) || text.contains(|c: char| c.is_ascii_digit());
    let has = |list: &[&str]| said.iter().any(|word| list.contains(&word.as_str()));
    let settled = said.last().is_some_and(|last| SETTLED.contains(&last.as_str()));
    closes(&said) || (!names_a_place && (has(&REASSURES) || settled) && !has(&TAKES_BACK))
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
            let auxiliary =
                |word: &&String| matches!(word.as_str(), "are" | "were" | "was" | "is" | "have" | "been" | "has");
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
