//! What a title, a label or a tag says: which part of a critique begins, or how severe a finding is.

use super::super::Severity;
use super::super::none::{is_none, severity_word, words};

/// A part of a critique.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Part {
    /// Findings of one severity.
    Severity(Severity),
    /// Findings that carry their severity themselves.
    Findings,
    Summary,
    Agreements,
    Concerns,
    Suggestions,
    Missing,
    Recommendation,
    Evidence,
    Checked,
    /// Something that a critique need not have.
    Other,
}

/// What a text with a severity at its beginning is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Tag {
    /// The title of a section: `P1`, `P1 - Critical`.
    Title(Severity),
    /// It says that there are none: `P1: None`.
    None(Severity),
    /// It only counts them: `P1: 2`.
    Count(Severity),
    /// A finding: `[P1] the lock is never released`. Whether the tag is set off from the text by marks.
    Finding { severity: Severity, text: String, set_off: bool },
}

/// Names of parts, with bars between them. Of several words all must be there, in this order.
const PARTS: [(Part, &str); 9] = [
    (Part::Summary, "summary|overview|overall|overall assessment|assessment|executive summary|review summary|tl dr|tldr"),
    (
        Part::Agreements,
        "agreements|agreement|strengths|what works|what works well|positives|points of agreement|\
         areas of agreement|what is good|what s good",
    ),
    (Part::Concerns, "concerns|key concerns|main concerns|weaknesses|general concerns"),
    (Part::Suggestions, "suggestions|improvements|suggested improvements|recommendations|general suggestions|next steps"),
    (
        Part::Missing,
        "missing|missing alternatives|gaps|omissions|what is missing|what s missing|missing items|\
         missing considerations|missing tests|missing from the artifact|missing pieces",
    ),
    (
        Part::Recommendation,
        "recommendation|final recommendation|overall recommendation|my recommendation|recommended decision|\
         decision|final decision|verdict|final verdict",
    ),
    (Part::Evidence, "evidence|supporting evidence|general evidence|evidence cited"),
    (
        Part::Checked,
        "checked|what i checked|what was checked|files checked|areas checked|coverage|review coverage|\
         files reviewed|what i reviewed|areas reviewed|reviewed",
    ),
    (
        Part::Findings,
        "findings|issues|issues found|key findings|detailed findings|review findings|code review findings|\
         problems|all findings",
    ),
];

/// Words of a section's title that say no more than how severe it is.
pub(super) const DEGREES: [&str; 52] = [
    "critical",
    "high",
    "medium",
    "low",
    "severity",
    "priority",
    "must",
    "fix",
    "should",
    "could",
    "nice",
    "to",
    "have",
    "blocking",
    "blocker",
    "blockers",
    "major",
    "minor",
    "nit",
    "nits",
    "optional",
    "important",
    "required",
    "recommended",
    "urgent",
    "level",
    "tier",
    "severe",
    "moderate",
    "trivial",
    "cosmetic",
    "serious",
    "be",
    "fixed",
    "addressed",
    "resolved",
    "blocks",
    "release",
    "ship",
    "shipping",
    "needs",
    "attention",
    "immediate",
    "strongly",
    "consider",
    "non",
    "follow",
    "up",
    "worth",
    "fixing",
    "still",
    "nonblocking",
];

/// Further words that only describe a section.
const DESCRIPTIONS: [&str; 36] = [
    "count",
    "total",
    "number",
    "issue",
    "issues",
    "finding",
    "findings",
    "problem",
    "problems",
    "bug",
    "bugs",
    "concern",
    "concerns",
    "item",
    "items",
    "correctness",
    "security",
    "reliability",
    "maintainability",
    "performance",
    "compatibility",
    "before",
    "merge",
    "merging",
    "or",
    "and",
    "of",
    "weight",
    "the",
    "suggestion",
    "suggestions",
    "improvement",
    "improvements",
    "style",
    "polish",
    "s",
];

/// A text without the marks of bold and italic letters around words.
pub(super) fn clean(text: &str) -> String {
    let text = text.trim();
    let mut clean = if text.matches("**").count().is_multiple_of(2) { text.replace("**", "") } else { text.to_owned() };
    for mark in ["__", "*", "_"] {
        if let Some(end) = clean.strip_prefix(mark).and_then(|rest| rest.find(mark)) {
            let inner = clean[mark.len()..mark.len() + end].to_owned();
            let rest = &clean[mark.len() + end + mark.len()..];
            clean = format!("{inner}{rest}");
            break;
        }
    }
    clean.trim().to_owned()
}

/// Whether a text is a title that a critique has.
pub(super) fn is_title(text: &str) -> bool {
    matches!(tag(text), Some(Tag::Title(_) | Tag::None(_))) || part(text).is_some_and(|(_, rest)| rest.is_empty())
}

/// The part that a title or label names, and what stands behind its colon.
pub(super) fn part(text: &str) -> Option<(Part, String)> {
    let clean = clean(text);
    let bare = without_number(clean.trim_start_matches(is_ornament));
    if !bare.starts_with(char::is_alphanumeric) {
        return None;
    }
    let (label, rest) = bare.split_once(':').unwrap_or((bare, ""));
    // A count or a remark in brackets says nothing about which part it is.
    let label = label.split_once('(').map_or(label, |(label, _)| label);
    let name = words(label).join(" ");
    let (part, _) = PARTS.iter().find(|(_, names)| names.split('|').any(|known| known == name))?;
    Some((*part, rest.trim().to_owned()))
}

/// What a text with a severity at its beginning is; none if it begins with something else.
pub(super) fn tag(text: &str) -> Option<Tag> {
    let text = &text.replace('【', "[").replace('】', "] ");
    let marked = text.trim_start().starts_with(['*', '_', '[', '(']);
    let clean = clean(text);
    let bare = without_number(clean.trim_start_matches(is_ornament));
    let Some(found) = leading_severity(bare).or_else(|| described_severity(bare)) else { return degree(text, bare) };
    let rest = without_count(&bare[found.end..]);
    // "P1/P2", "P1 and P2", "P1-P3" speak of several.
    if words(rest).iter().take(2).any(|word| severity_word(word).is_some()) {
        return None;
    }
    let closed = rest.trim_start_matches([']', ')', '*', '_', '`']);
    let (remark, behind) = bracketed(closed.trim_start());
    let remark_says_nothing = remark.is_none_or(describes);
    let open = if remark_says_nothing { behind } else { closed };
    let set_off = marked || open.trim_start().starts_with(SEPARATORS) || open.len() < rest.len();
    // "P1 findings: none": the description ends at the colon.
    let head = open.split_once(':').filter(|(head, _)| !head.trim().is_empty() && describes(head.trim_matches(SEPARATORS)));
    let said = head.map_or(open, |(_, said)| said).trim_start_matches(SEPARATORS).trim();
    let severity = found.severity;
    let number = said.trim_matches(|c: char| !c.is_alphanumeric());
    if !number.is_empty() && number.chars().all(|c| c.is_ascii_digit()) {
        return Some(if number == "0" { Tag::None(severity) } else { Tag::Count(severity) });
    }
    if said.is_empty() || describes(said) {
        return Some(Tag::Title(severity));
    }
    if is_none(said) {
        return Some(Tag::None(severity));
    }
    Some(Tag::Finding { severity, text: said.to_owned(), set_off: set_off || head.is_some() })
}

/// What a text is that tells its severity by a degree alone: `## High`, `Critical issues:`, `[Minor] a typo`. Such words
/// are common, so that a title or a tag has to be written as one.
fn degree(text: &str, bare: &str) -> Option<Tag> {
    let severity = |text: &str| degree_of(&words(text));
    let text = text.trim();
    if let Some((inside, behind)) = text.trim_start_matches('*').strip_prefix('[').and_then(|rest| rest.split_once(']')) {
        let said = behind.trim_start_matches(SEPARATORS).trim_start_matches(['*', ':', ' ']);
        let tagged = words(inside).len() <= 2 && describes(inside) && !said.is_empty() && !behind.starts_with('(');
        return severity(inside).filter(|_| tagged).map(|severity| Tag::Finding {
            severity,
            text: said.to_owned(),
            set_off: true,
        });
    }
    let (head, behind) = bare.split_once(':').unwrap_or((bare, ""));
    let severity = severity(head).filter(|_| describes(head) && words(head).len() <= 4)?;
    match behind.trim() {
        "" => Some(Tag::Title(severity)),
        said if is_none(said) => Some(Tag::None(severity)),
        _ => None,
    }
}

/// A title of a degree with a finding behind it: `Blocking issue: the lock is never released`.
pub(super) fn described_finding(text: &str) -> Option<(Severity, String)> {
    let clean = clean(text);
    let (head, said) = without_number(clean.trim_start_matches(is_ornament)).split_once(':')?;
    let head_words = words(head);
    let severity = degree_of(&head_words)?;
    let fits = describes(head) && head_words.len() <= 3 && !head_words.iter().any(|word| word == "level");
    (fits && !said.trim().is_empty() && !is_none(said)).then(|| (severity, said.trim().to_owned()))
}

/// The severity that the degrees among these words are, if it is one. What blocks nothing is optional; of what is "not"
/// some other degree nobody knows how severe it is.
fn degree_of(words: &[String]) -> Option<Severity> {
    let degree = |(at, word): (usize, &String)| {
        let found = degree_word(word)?;
        let denied = at.checked_sub(1).is_some_and(|before| words[before] == "non");
        let optional = Some(Severity::P3).filter(|_| word.starts_with("block"));
        Some(if denied { optional } else { Some(found) })
    };
    let mut found = words.iter().enumerate().filter_map(degree);
    found.next()?.filter(|first| found.all(|other| other == Some(*first)))
}

/// The severity that a degree in a title is.
fn degree_word(word: &str) -> Option<Severity> {
    match word {
        "critical" | "high" | "blocker" | "blockers" | "blocking" => Some(Severity::P1),
        "medium" | "major" | "moderate" => Some(Severity::P2),
        "low" | "minor" | "nit" | "nits" | "optional" | "cosmetic" | "trivial" | "nonblocking" => Some(Severity::P3),
        _ => None,
    }
}

/// Whether a text names a severity, and not this one alone.
pub(super) fn names_another(text: &str, severity: Option<Severity>) -> bool {
    words(text).iter().filter_map(|word| severity_word(word)).any(|other| Some(other) != severity)
}

/// Whether a severity at the beginning carries the number of a finding: `P1-2`, `P1 #2`.
pub(super) fn is_numbered(text: &str) -> bool {
    let clean = clean(text);
    let bare = without_number(clean.trim_start_matches(is_ornament));
    leading_severity(bare).is_some_and(|found| without_count(&bare[found.end..]).len() < bare.len() - found.end)
}

/// What may stand between a tag and its text.
const SEPARATORS: [char; 10] = [':', '-', '–', '—', '.', '|', ' ', '/', ']', ')'];

fn is_ornament(c: char) -> bool {
    !c.is_alphanumeric() && !matches!(c, '"' | '\'' | '`' | '/' | '.')
}

/// Whether a text has only words that describe a severity; numbers count findings.
pub(super) fn describes(text: &str) -> bool {
    let all = words(text);
    let known = |word: &String| DEGREES.contains(&word.as_str()) || DESCRIPTIONS.contains(&word.as_str());
    all.iter().all(|word| known(word) || word.chars().all(|c| c.is_ascii_digit())) && !text.contains('`')
}

/// A number before a title: `2. P1`, `3) Summary`.
pub(super) fn without_number(text: &str) -> &str {
    let digits = text.bytes().take_while(u8::is_ascii_digit).count();
    let rest = &text[digits..];
    match rest.strip_prefix(['.', ')']).filter(|_| (1..=2).contains(&digits)) {
        Some(rest) => rest.trim_start().trim_start_matches(is_ornament),
        None => text,
    }
}

/// Brackets at the beginning of a text: what stands in them, and what behind.
fn bracketed(text: &str) -> (Option<&str>, &str) {
    let close = match text.chars().next() {
        Some('(') => ')',
        Some('[') => ']',
        _ => return (None, text),
    };
    match text[1..].split_once(close) {
        Some((inside, behind)) => (Some(inside), behind),
        None => (None, text),
    }
}

/// What follows a tag without the number that some give each finding: `P1-2`, `P1.2`, `P1 #2`.
fn without_count(text: &str) -> &str {
    let marked = text.trim_start_matches(' ').strip_prefix('#').or_else(|| text.strip_prefix(['-', '.', '_']));
    let Some(number) = marked else { return text };
    let rest = number.trim_start_matches(|c: char| c.is_ascii_digit());
    let digits = number.len() - rest.len();
    if (1..=2).contains(&digits) && !rest.starts_with(char::is_alphanumeric) { rest } else { text }
}

struct Found {
    severity: Severity,
    end: usize,
}

/// `P1`, `P-1`, `Priority 1`, `Severity: P1` at the beginning.
fn leading_severity(text: &str) -> Option<Found> {
    let mut at = 0;
    let first = word_at(text, 0)?;
    let named = matches!(first.to_lowercase().as_str(), "priority" | "severity" | "level");
    if named {
        at = first.len();
        at += text[at..].len() - text[at..].trim_start_matches([' ', ':', '-', '#', '=', '[', '(']).len();
    }
    let word = word_at(text, at)?;
    let number = match word.to_lowercase().as_str() {
        "1" if named => Some(Severity::P1),
        "2" if named => Some(Severity::P2),
        "3" if named => Some(Severity::P3),
        "p" => {
            // `P-1`
            let digit = text[at + 1..].strip_prefix('-').and_then(|rest| word_at(rest, 0));
            let severity = digit.and_then(|digit| severity_word(&format!("p{digit}")))?;
            return Some(Found { severity, end: at + 3 });
        }
        word => severity_word(word),
    };
    Some(Found { severity: number?, end: at + word.len() })
}

/// `High (P1)`, `Critical issues [P1]`, `Must fix — P1`. `Resolved P1s` are none any more.
fn described_severity(text: &str) -> Option<Found> {
    let mut at = 0;
    if word_at(text, 0).is_some_and(|first| ["resolved", "addressed", "fixed"].contains(&first.to_lowercase().as_str())) {
        return None;
    }
    for _ in 0..5 {
        let word = word_at(text, at)?;
        if let Some(severity) = severity_word(word).filter(|_| at > 0) {
            return Some(Found { severity, end: at + word.len() });
        }
        let lower = word.to_lowercase();
        if !DEGREES.contains(&lower.as_str()) && !DESCRIPTIONS.contains(&lower.as_str()) {
            return None;
        }
        at += word.len();
        let gap = text[at..].len() - text[at..].trim_start_matches([' ', '(', '[', '-', '–', '—', '/', ':']).len();
        at += gap;
    }
    None
}

/// The word that begins at a place.
fn word_at(text: &str, at: usize) -> Option<&str> {
    let rest = text.get(at..)?;
    let end = rest.find(|c: char| !c.is_alphanumeric()).unwrap_or(rest.len());
    (end > 0).then(|| &rest[..end])
}

/// A severity at the end of a title or item: `SQL injection in login (P1)`, `a slow loop — P2`, `a typo. Severity: P3`.
pub(super) fn trailing_tag(text: &str) -> Option<(Severity, String)> {
    let clean = clean(text);
    let bare = clean.trim_end_matches(['.', ':', ' ']);
    let (title, severity) = if let Some(inside) = bare.strip_suffix([')', ']']) {
        let open = inside.rfind(['(', '['])?;
        (&bare[..open], named_severity(&inside[open + 1..])?)
    } else {
        let word = bare.rsplit(' ').next().filter(|word| word.len() < bare.len())?;
        let before = bare[..bare.len() - word.len()].trim_end();
        let lower = before.to_lowercase();
        let of_number = || lower.ends_with("priority").then(|| severity_word(&format!("p{word}"))).flatten();
        let severity = severity_word(word).or_else(of_number)?;
        let label = ["severity:", "priority:", "severity", "priority"].iter().find(|label| lower.ends_with(**label));
        let title = label.and_then(|label| before.get(..before.len() - label.len())).unwrap_or(before).trim_end();
        // In bold letters it is set off by them.
        let bold = text.trim_end().trim_end_matches('.').ends_with(&format!("**{word}**"));
        let set_off = bold || (title.ends_with(['-', '–', '—', '|', ',', '.', ';', ':']) && title.len() > 1);
        if !set_off || names_another(title, Some(severity)) {
            return None;
        }
        (title, severity)
    };
    let title = without_number(title.trim().trim_end_matches(['-', '–', '—', '|', ',', ';', ':', ' ']));
    (!title.is_empty()).then(|| (severity, title.to_owned()))
}

/// `P2`, `severity: P2`.
fn named_severity(text: &str) -> Option<Severity> {
    let lower = text.trim().to_lowercase();
    let bare = lower.trim_start_matches("severity").trim_start_matches("priority").trim_matches([':', ' ', '=']);
    severity_word(bare)
}
