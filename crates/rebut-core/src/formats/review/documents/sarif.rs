//! The findings of a review as SARIF 2.1.0, for tools that show results of code scanning.

use std::fmt::Write;

use serde_json::{Value, json};

use crate::debate::Debate;
use crate::evidence::Lines;
use crate::evidence::check::CheckResult;
use crate::formats::review::{
    Decision, FindingState, Form, History, Severity, TrackedFinding, WeighedMissing, decision, setup,
};

const SCHEMA: &str = "https://json.schemastore.org/sarif-2.1.0.json";

/// The log with one run: a rule for each severity, a result for each finding that was not struck out. Tools that show
/// results make an alert of each, whatever is said of it beside; what was found to be wrong is in the other documents.
pub(super) fn sarif(debate: &Debate) -> Value {
    let rule = |severity: Severity| {
        let (name, text) = match severity {
            Severity::P1 => ("Critical", "Correctness, security or reliability"),
            Severity::P2 => ("Important", "Maintainability, performance or compatibility of weight"),
            Severity::P3 => ("Optional", "Worth a word"),
        };
        json!({
            "id": severity.as_str(),
            "name": name,
            "shortDescription": { "text": text },
            "defaultConfiguration": { "level": level(severity) },
        })
    };
    let history = History::of(debate);
    let mut results: Vec<Value> = history.findings.iter().filter_map(|tracked| result(debate, &history, tracked)).collect();
    let missing = history.missing.iter().filter(|missing| missing.important == Some(true));
    results.extend(missing.map(|missing| missing_result(debate, missing)));
    let performed = decision(debate).is_some_and(|decision| decision != Decision::StoppedBackend);
    json!({
        "$schema": SCHEMA,
        "version": "2.1.0",
        "runs": [{
            "tool": {
                "driver": {
                    "name": "rebut",
                    "version": env!("CARGO_PKG_VERSION"),
                    "semanticVersion": env!("CARGO_PKG_VERSION"),
                    "rules": Severity::ALL.map(rule),
                }
            },
            "automationDetails": { "id": format!("rebut/review/{}", debate.plan().id) },
            "columnKind": "unicodeCodePoints",
            "invocations": [{
                "executionSuccessful": performed,
                "startTimeUtc": debate.began_at().to_string(),
                "endTimeUtc": debate.last_at().to_string(),
            }],
            "results": results,
        }]
    })
}

/// The finding as a result; none where it was struck out.
fn result(debate: &Debate, history: &History<'_>, tracked: &TrackedFinding) -> Option<Value> {
    let kind = match tracked.state {
        FindingState::Open | FindingState::Addressed { .. } | FindingState::Fixed => "fail",
        FindingState::NeedsEvidence | FindingState::Unjudged => "review",
        FindingState::Invalid | FindingState::FalseEvidence | FindingState::Dropped => return None,
    };
    let finding = &tracked.finding;
    let mut message = finding.title.clone();
    if !finding.explanation.is_empty() {
        message = format!("{message}\n\n{}", finding.explanation);
    }
    if !finding.suggestion.is_empty() {
        message = format!("{message}\n\nSuggested: {}", finding.suggestion);
    }
    let place = match place(debate, history, tracked) {
        Some((place, None)) => Some(place),
        Some((file, Some(lines))) => {
            message = format!("{message}\n\nThis is about the version that the review wrote, there at {lines}.");
            Some(file)
        }
        None => whole(debate).inspect(|_| {
            message.push_str("\n\nThis is about the work as a whole: no line of a file is named.");
        }),
    };
    let properties = json!({
        "rebutId": finding.id,
        "claimedSeverity": finding.severity.as_str(),
        "state": tracked.state.as_str(),
        "reason": tracked.reason,
    });
    // The same for the same finding in a later run, as far as its title is the same.
    let path = finding.place().and_then(|place| place.file.as_deref()).unwrap_or_default();
    Some(entry(kind, tracked.severity, &message, &fingerprint(path, &finding.title), &properties, place))
}

fn entry(
    kind: &str,
    severity: Severity,
    message: &str,
    fingerprint: &str,
    properties: &Value,
    place: Option<Value>,
) -> Value {
    let mut entry = json!({
        "ruleId": severity.as_str(),
        "ruleIndex": Severity::ALL.iter().position(|known| *known == severity),
        "kind": kind,
        // A level other than none is for results that fail.
        "level": if kind == "fail" { level(severity) } else { "none" },
        "message": { "text": message },
        "partialFingerprints": { "rebutFinding/v1": fingerprint },
        "properties": properties,
    });
    if let Some(place) = place {
        entry["locations"] = json!([{ "physicalLocation": place }]);
    }
    entry
}

/// Something missing that is important, as a result of the weight that it has.
fn missing_result(debate: &Debate, missing: &WeighedMissing) -> Value {
    let by = if missing.by_judge { "The judge" } else { "The critic" };
    let (title, explanation) = (&missing.missing.title, &missing.missing.explanation);
    let explanation = if explanation.is_empty() { String::new() } else { format!("\n\n{explanation}") };
    let message = format!("Missing: {title}{explanation}\n\n{by} names this.");
    let properties = json!({ "rebutId": missing.missing.id, "state": missing.state() });
    entry("fail", Severity::P2, &message, &fingerprint("", title), &properties, whole(debate))
}

/// The finding's place as it was first raised, if it is in a file of the workspace: the first lines of its evidence, as
/// they were found. In a version that the review wrote, the file alone is a place here, and the lines are given beside it.
fn place(debate: &Debate, history: &History<'_>, tracked: &TrackedFinding) -> Option<(Value, Option<String>)> {
    let (first, point) = (tracked.first, history.raised(tracked.first)?);
    let named = point.finding.place()?;
    let (path, lines) = (named.file.as_deref()?, named.lines?);
    let own = setup(debate.plan())?.artifact.form.own_name(first.round);
    if own.is_some_and(|own| own == path) {
        return None;
    }
    let at = point.finding.evidence.iter().position(|evidence| evidence == named)?;
    let found = point.found.get(at);
    let file = found.and_then(|checked| checked.file.clone());
    let path = file.unwrap_or_else(|| of_the_workspace(debate, path));
    if !is_inside(&path) {
        return None;
    }
    let file = json!({ "uri": uri(&path) });
    if history.rounds.iter().any(|record| record.round < first.round && record.revision.is_some()) {
        return Some((json!({ "artifactLocation": file }), Some(named.to_string())));
    }
    let relocated = found.filter(|checked| checked.result == CheckResult::Relocated).and_then(|checked| checked.lines);
    let Lines { first, last } = relocated.unwrap_or(lines);
    let region = json!({ "startLine": first.max(1), "endLine": last.max(first).max(1) });
    Some((json!({ "artifactLocation": file, "region": region }), None))
}

/// A path without the folder of the workspace, or the prefix that a diff puts before it.
fn of_the_workspace(debate: &Debate, path: &str) -> String {
    let inside = path.strip_prefix(debate.plan().workspace.trim_end_matches(['/', '\\']));
    if let Some(inside) = inside.and_then(|inside| inside.strip_prefix(['/', '\\'])) {
        return inside.to_owned();
    }
    let bare = ["a/", "b/"].iter().find_map(|prefix| path.strip_prefix(prefix));
    let change = setup(debate.plan()).and_then(|setup| setup.artifact.change());
    let named = |bare: &&str| change.is_some_and(|change| change.paths().contains(bare));
    bare.filter(named).unwrap_or(path).to_owned()
}

/// What is reviewed, for a finding without a place: its file, or the first one of a change. Tools that show
/// results of code scanning refuse a log with a result without a place. A plain text has no file to name.
fn whole(debate: &Debate) -> Option<Value> {
    let artifact = &setup(debate.plan())?.artifact;
    let path = match &artifact.form {
        Form::File { path } => path.clone(),
        Form::Change | Form::LooseChange { .. } => (*artifact.diff().paths().first()?).to_owned(),
        Form::Text | Form::Snippet { .. } => return None,
    };
    is_inside(&path).then(|| json!({ "artifactLocation": { "uri": uri(&path) } }))
}

/// Whether a path stays in the workspace, in the way of writing of either system.
fn is_inside(path: &str) -> bool {
    let drive = path.as_bytes().get(1) == Some(&b':');
    !path.starts_with(['/', '\\']) && !drive && !path.split(['/', '\\']).any(|part| part == "..")
}

/// A path as a relative reference: what has a meaning in an address is written in hexadecimal.
fn uri(path: &str) -> String {
    let path = path.trim_start_matches("./").replace('\\', "/");
    let mut text = String::new();
    for byte in path.bytes() {
        match byte {
            b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' | b'/' => text.push(char::from(byte)),
            // Writing to a string cannot fail.
            _ => drop(write!(text, "%{byte:02X}")),
        }
    }
    text
}

fn fingerprint(path: &str, text: &str) -> String {
    let words: String = text.to_lowercase().chars().filter(|c| c.is_alphanumeric()).collect();
    blake3::hash(format!("{path}\n{words}").as_bytes()).to_hex()[..16].to_owned()
}

fn level(severity: Severity) -> &'static str {
    match severity {
        Severity::P1 => "error",
        Severity::P2 => "warning",
        Severity::P3 => "note",
    }
}
