//! A critique as a JSON object: other spellings, plain texts for findings and nulls are taken; what has no meaning is not.

use std::collections::BTreeSet;

use serde_json::{Map, Value};

use super::markdown::place_in;
use super::outside::may_be_a_finding;
use super::{Area, Critique, Remark, Severity, none, recommendation};
use crate::debate::{Rejection, structured};
use crate::formats::review::sameness::anchor_of;

/// Keys under which the findings of one severity stand.
const SEVERITIES: [(Severity, &[&str]); 3] = [
    (
        Severity::P1,
        &["p1", "p1findings", "p1issues", "priority1", "p0", "critical", "high", "blockers", "blocking", "blocker"],
    ),
    (Severity::P2, &["p2", "p2findings", "p2issues", "priority2", "medium", "major"]),
    (Severity::P3, &["p3", "p3findings", "p3issues", "priority3", "p4", "low", "minor"]),
];
/// Keys of a list of findings that carry their severity themselves.
const LISTS: [&str; 3] = ["findings", "issues", "remarks"];
const SUMMARY: [&str; 2] = ["summary", "overview"];
const RECOMMENDATION: [&str; 4] = ["recommendation", "recommendeddecision", "decision", "verdict"];
const CHECKED: [&str; 3] = ["checked", "coverage", "reviewed"];
const MISSING: [&str; 3] = ["missing", "missingalternatives", "gaps"];

type Object = Map<String, Value>;

/// The objects that are a critique: this one, or those in it; none if it does not speak of findings.
pub(super) fn critiques_in(value: Value) -> Vec<Object> {
    let Value::Object(object) = value else { return Vec::new() };
    if is_critique(&object) {
        return vec![object];
    }
    let inner = object.into_iter().filter_map(|(_, value)| match value {
        Value::Object(inner) => Some(inner).filter(is_critique),
        _ => None,
    });
    inner.collect()
}

fn is_critique(object: &Object) -> bool {
    let speaks = |names: &[&str]| field(object, names).is_some();
    SEVERITIES.iter().any(|(_, names)| speaks(&names[..4]))
        || speaks(&LISTS)
        || (speaks(&["summary"]) && speaks(&["recommendation"]))
}

/// Reads the object.
pub(super) fn read(object: &Object) -> Result<Critique, Rejection> {
    said_once(object)?;
    let (findings, stated) = findings(object)?;
    if findings.is_empty() && !stated {
        return Err(Rejection::new(
            "critique:findings_not_stated",
            "the JSON object does not say which findings there are: give `p1`, `p2` and `p3`, each a list, empty if there are none",
        ));
    }
    let list = |names: &[&str]| {
        let lists = fields(object, names).map(|value| texts(Some(value), names[0]));
        Ok(lists.collect::<Result<Vec<_>, Rejection>>()?.concat())
    };
    let summary = fields(object, &SUMMARY).filter_map(text).collect::<Vec<_>>().join("\n");
    let recommended: Vec<String> = fields(object, &RECOMMENDATION).map(|value| text(value).unwrap_or_default()).collect();
    let mut choices = recommended.iter().map(|words| recommendation::read(words));
    let first = choices.next().flatten();
    let mut strays = unknown(object);
    let beside = summary.lines().map(str::to_owned).chain(recommended.iter().cloned());
    strays.extend(beside.filter(|words| may_be_a_finding(words)));
    Ok(Critique {
        summary,
        agreements: list(&["agreements", "strengths"])?,
        concerns: list(&["concerns"])?,
        suggestions: list(&["suggestions"])?,
        findings,
        missing: list(&MISSING)?,
        recommendation: first.filter(|first| choices.all(|other| other == Some(*first))),
        evidence: list(&["evidence"])?,
        checked: fields(object, &CHECKED).flat_map(|value| checked(Some(value))).collect(),
        strays,
        insufficient_evidence: field(object, &["insufficientevidence"]) == Some(&Value::Bool(true)),
    })
}

/// A key that is there twice, in whatever spelling, says two things of which nobody knows which is meant.
fn said_once(object: &Object) -> Result<(), Rejection> {
    let mut seen = BTreeSet::new();
    match object.keys().find(|key| !seen.insert(folded(key))) {
        None => Ok(()),
        Some(key) => Err(structured::doubled("critique", key)),
    }
}

/// What stands under keys that no critique has, where it may be a finding: an entry of a list, or a text that names a line.
fn unknown(object: &Object) -> Vec<String> {
    const A_FEW_WORDS: usize = 2;
    const OTHERS: [&str; 5] = ["agreements", "strengths", "concerns", "suggestions", "insufficientevidence"];
    let severities = SEVERITIES.iter().flat_map(|(_, names)| names.iter());
    let lists = MISSING.iter().chain(&LISTS).chain(&SUMMARY).chain(&RECOMMENDATION).chain(&CHECKED).chain(&OTHERS);
    let known: Vec<&str> = severities.chain(lists).copied().chain(["evidence"]).collect();
    let mut said = Vec::new();
    for (key, value) in object.iter().filter(|(key, _)| !known.contains(&folded(key).as_str())) {
        for entry in entries(value) {
            let (words, in_list) = match entry {
                Value::Object(inner) => (all_of(inner), value.is_array()),
                other => (text(other).unwrap_or_default(), value.is_array()),
            };
            let listed = in_list && words.split_whitespace().count() >= A_FEW_WORDS && !none::is_none(&words);
            if listed || may_be_a_finding(&words) {
                said.push(format!("{key}: {words}"));
            }
        }
    }
    said
}

/// The findings in order of severity, and whether it was said that there are no others.
fn findings(object: &Object) -> Result<(Vec<Remark>, bool), Rejection> {
    let mut findings = Vec::new();
    let mut stated = 0;
    for (severity, names) in SEVERITIES {
        let values: Vec<&Value> = names.iter().filter_map(|name| field(object, &[name])).collect();
        stated += usize::from(!values.is_empty());
        for value in values.into_iter().flat_map(entries) {
            findings.extend(remark(value, Some(severity))?);
        }
    }
    let mut listed = false;
    for value in fields(object, &LISTS) {
        if let Value::Object(inner) = value
            && is_critique(inner)
        {
            said_once(inner)?;
            let (more, all) = self::findings(inner)?;
            findings.extend(more);
            listed |= all;
        } else {
            listed = true;
            for value in entries(value) {
                findings.extend(remark(value, None)?);
            }
        }
    }
    findings.sort_by_key(|remark| remark.severity);
    Ok((findings, listed || stated == SEVERITIES.len()))
}

/// One finding; nothing where it says that there is none.
fn remark(value: &Value, severity: Option<Severity>) -> Result<Option<Remark>, Rejection> {
    let broken = |code: &str, reason: &str| Rejection::new(format!("critique:{code}"), reason);
    if let Some(words) = text(value) {
        if none::is_none(&words) {
            return Ok(None);
        }
        let tag = super::markdown::tagged(&words);
        let (severity, words) = match (severity, tag) {
            // Of two severities the graver one counts.
            (Some(severity), Some((own, rest))) => (severity.min(own), rest),
            (None, Some((severity, rest))) => (severity, rest),
            (Some(severity), None) => (severity, words),
            (None, None) => {
                return Err(broken("finding_without_severity", "every finding needs its severity: P1, P2 or P3"));
            }
        };
        let place = place_in(&words);
        return Ok(Some(Remark {
            severity,
            text: words,
            place,
            evidence: vec![],
            action: String::new(),
            replacement: None,
        }));
    }
    let Value::Object(object) = value else {
        return match value {
            Value::Null => Ok(None),
            _ => Err(broken(
                "does_not_fit",
                "a finding must be an object with `finding`, `place`, `evidence`, `action`, `replacement`",
            )),
        };
    };
    let one = |names: &[&str]| field(object, names).and_then(text).filter(|words| !words.trim().is_empty());
    let evidence = texts(field(object, &["evidence", "proof", "quotes", "quote"]), "evidence")?;
    let said = said(object);
    let action = one(&["action", "suggestedaction", "suggestion", "fix", "recommendation", "remedy"]).unwrap_or_default();
    let replacement = field(object, &["replacement", "suggestedcode", "code", "patch"]).and_then(raw_text);
    let replacement = replacement.filter(|words| !none::is_none(words) || words.contains(['{', '}', '(', ')']));
    let place = place(object);
    said_once(object)?;
    if none::is_none(&said) {
        let silent = none::is_none(&action) && replacement.is_none() && evidence.is_empty();
        // Who says "none" may name the file of which that is said; who says nothing at all names nothing either.
        let is_none = if said.trim().is_empty() {
            place.is_none() && !object.is_empty() && object.values().all(says_nothing)
        } else {
            place.as_deref().and_then(anchor_of).is_none()
        };
        return if silent && is_none {
            Ok(None)
        } else {
            Err(broken("finding_without_text", "a finding has no text: say in `finding` what is wrong"))
        };
    }
    let own = one(&["severity", "priority", "level"]).and_then(|words| severity_of(&words));
    // `"title": "[P1] the lock is never released"`
    let tag = super::markdown::tagged(&said);
    let tagged = tag.as_ref().map(|(severity, _)| *severity);
    let said = tag.map_or(said, |(_, rest)| rest);
    let Some(severity) = [severity, own, tagged].into_iter().flatten().min() else {
        return Err(broken("finding_without_severity", "every finding needs its severity: P1, P2 or P3"));
    };
    let place = place.or_else(|| place_in(&said)).or_else(|| evidence.iter().find_map(|words| place_in(words)));
    let action = if none::is_none(&action) { String::new() } else { action };
    Ok(Some(Remark { severity, text: said, place, evidence, action, replacement }))
}

/// What a finding says: its text, with its title before it where it has both.
fn said(object: &Object) -> String {
    let one = |names: &[&str]| field(object, names).and_then(text).filter(|words| !words.trim().is_empty());
    let title = one(&["title", "name", "headline"]);
    let body = one(&["finding", "text", "issue", "description", "message", "problem", "body", "details", "summary"]);
    match (title, body) {
        (Some(title), Some(body)) if title != body => format!("{}: {body}", title.trim_end_matches(['.', ':'])),
        (title, body) => body.or(title).unwrap_or_default(),
    }
}

fn place(object: &Object) -> Option<String> {
    let one = |names: &[&str]| field(object, names).and_then(text).filter(|words| !none::is_none(words));
    let line = one(&["line", "lines", "linenumber", "startline"]).or_else(|| line_range(object));
    let Some(file) = one(&["place", "location", "where", "file", "path", "filename", "absolutefilepath", "filepath"]) else {
        // `"location": {"file": "src/a.rs", "line": 3}`
        let inner = field(object, &["place", "location", "where", "codelocation", "position"]);
        return inner.and_then(Value::as_object).and_then(place);
    };
    match line.filter(|line| line.starts_with(|c: char| c.is_ascii_digit())) {
        Some(line) if anchor_of(&file).is_none() => Some(format!("{file}:{line}")),
        _ => Some(file),
    }
}

/// `"line_range": {"start": 3, "end": 5}` as lines.
fn line_range(object: &Object) -> Option<String> {
    let range = field(object, &["linerange", "range", "lines"])?.as_object()?;
    let line = |names: &[&str]| field(range, names).and_then(Value::as_u64);
    let first = line(&["start", "startline", "first", "from"])?;
    let last = line(&["end", "endline", "last", "to"]).filter(|last| *last > first);
    Some(last.map_or_else(|| first.to_string(), |last| format!("{first}-{last}")))
}

/// The severity that a word or number names.
pub(super) fn severity_of(words: &str) -> Option<Severity> {
    let bare = words.trim().to_lowercase();
    match bare.trim_start_matches("priority").trim_start_matches("severity").trim_matches([' ', ':', '-']) {
        "p1" | "p0" | "0" | "1" | "critical" | "high" | "blocker" | "blocking" => Some(Severity::P1),
        "p2" | "2" | "medium" | "major" | "moderate" => Some(Severity::P2),
        "p3" | "3" | "low" | "minor" | "nit" | "optional" => Some(Severity::P3),
        _ => None.or_else(|| none::words(&bare).iter().find_map(|word| none::severity_word(word))),
    }
}

fn checked(value: Option<&Value>) -> Vec<Area> {
    let area = |value: &Value| match value {
        Value::Object(object) => {
            let file = field(object, &["file", "path", "place"]).and_then(text).unwrap_or_default();
            let aspects = texts(field(object, &["aspects", "aspect", "what", "checks"]), "aspects").unwrap_or_default();
            Area { file: file.trim().to_owned(), aspects }
        }
        value => area(&text(value).unwrap_or_default()),
    };
    let areas = value.map(entries).unwrap_or_default().into_iter().map(area);
    areas.filter(|area| !area.file.is_empty() || !area.aspects.is_empty()).collect()
}

/// `src/a.rs: error handling, tests` as an area.
pub(super) fn area(words: &str) -> Area {
    let words = words.trim();
    if none::is_none(words) {
        return Area::default();
    }
    let clean = |word: &str| word.trim().trim_matches(['`', '*', '"', '.']).trim().to_owned();
    let cut = words.split_once(": ").or_else(|| words.split_once(" — ")).or_else(|| words.split_once(" - "));
    let (file, rest) = match cut.or_else(|| words.split_once(" (")) {
        Some((file, rest)) => (clean(file), rest.trim_end_matches(')')),
        None => (clean(words), ""),
    };
    if file.contains(char::is_whitespace) || (rest.is_empty() && !file.contains(['.', '/'])) {
        return Area { file: String::new(), aspects: vec![words.trim_matches(['*', '.']).to_owned()] };
    }
    let aspects = rest.split([',', ';']).map(clean).filter(|aspect| !aspect.is_empty()).collect();
    Area { file, aspects }
}

/// The value of the first of these names.
fn field<'a>(object: &'a Object, names: &[&str]) -> Option<&'a Value> {
    fields(object, names).next()
}

/// The values of these names, which are compared without case, spaces and underscores.
fn fields<'a>(object: &'a Object, names: &[&str]) -> impl Iterator<Item = &'a Value> {
    names.iter().filter_map(|name| object.iter().find(|(key, _)| folded(key) == *name)).map(|(_, value)| value)
}

/// A key without case, spaces and underscores.
fn folded(key: &str) -> String {
    key.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect()
}

/// Whether a value of a finding is a blank that was not filled in.
fn says_nothing(value: &Value) -> bool {
    match value {
        Value::Null | Value::Bool(_) | Value::Number(_) => true,
        Value::String(words) => none::is_none(words) || severity_of(words).is_some(),
        Value::Array(values) => values.iter().all(says_nothing),
        Value::Object(object) => object.values().all(says_nothing),
    }
}

/// The entries of a list; one value is a list of one, null an empty one.
fn entries(value: &Value) -> Vec<&Value> {
    match value {
        Value::Null => Vec::new(),
        Value::Array(values) => values.iter().collect(),
        value => vec![value],
    }
}

/// A text or a number, without space around it.
fn text(value: &Value) -> Option<String> {
    raw_text(value).map(|words| words.trim().to_owned())
}

fn raw_text(value: &Value) -> Option<String> {
    match value {
        Value::String(words) => Some(words.clone()),
        Value::Number(number) => Some(number.to_string()),
        _ => None,
    }
}

/// All texts of an object in a row, the place first: `{"file": "a.rs", "line": 3, "quote": "x"}`.
fn all_of(object: &Object) -> String {
    let place = place(object);
    let others =
        object.iter().filter(|(key, _)| place.is_none() || !matches!(key.as_str(), "file" | "path" | "line" | "place"));
    let others = others.filter_map(|(_, value)| text(value));
    place.clone().into_iter().chain(others).collect::<Vec<_>>().join(" ")
}

/// A list of texts, without those that say that there is nothing.
fn texts(value: Option<&Value>, name: &str) -> Result<Vec<String>, Rejection> {
    let mut texts = Vec::new();
    for value in value.map(entries).unwrap_or_default() {
        let said = match value {
            Value::Object(object) => {
                Some(Some(said(object)).filter(|said| !said.is_empty()).unwrap_or_else(|| all_of(object)))
            }
            Value::Null => Some(String::new()),
            value => text(value),
        };
        let Some(said) = said else {
            return Err(Rejection::new("critique:does_not_fit", format!("`{name}` must be a list of texts")));
        };
        if !none::is_none(&said) {
            texts.push(said);
        }
    }
    Ok(texts)
}
