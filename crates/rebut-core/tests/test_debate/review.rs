//! Reviews: their plan, and the answers of their seats.

use rebut_core::debate::{Payload, Plan, SeatName};
use rebut_core::formats::review::{Artifact, Confidence, Form, Intensity, Mode, ReviewSetup, Target};
use serde_json::{Value, json};

use super::{TestDebate, seat};

/// A review of a text in so many rounds, whose plan is changed before it begins.
pub(crate) fn review_of(text: &str, form: Form, target: Target, rounds: u32, change: impl FnOnce(&mut Plan)) -> TestDebate {
    TestDebate::planned(1, |plan| {
        plan.seats = [("critic", "alder"), ("judge", "birch"), ("author", "cedar")]
            .into_iter()
            .map(|(name, tool)| (SeatName::new(name), seat(tool)))
            .collect();
        "review".clone_into(&mut plan.format);
        plan.setup = Payload::of(ReviewSetup {
            artifact: Artifact::new(text.to_owned(), form, String::new()),
            target,
            confidence: Confidence::High,
            scope: "text".to_owned(),
            intensity: Intensity::Standard,
            max_rounds: rounds,
            mode: Mode::Auto,
            skip_rewrite: false,
            apply: false,
            fail_on: None,
            stand_in: false,
        });
        change(plan);
    })
}

/// Evidence: lines of a file with a quote, which may be empty.
pub(crate) fn at(file: &str, lines: &str, quote: &str) -> Value {
    json!({ "file": file, "lines": lines, "quote": quote })
}

/// A finding without evidence.
pub(crate) fn finding(severity: &str, title: &str) -> Value {
    finding_with(severity, title, &[])
}

/// A finding with this evidence.
pub(crate) fn finding_with(severity: &str, title: &str, evidence: &[Value]) -> Value {
    json!({ "severity": severity, "title": title, "explanation": "", "evidence": evidence, "suggestion": "mend it" })
}

/// A critique with these findings, each a severity and a title.
pub(crate) fn critique(findings: &[(&str, &str)], recommendation: &str) -> String {
    let findings: Vec<Value> = findings.iter().map(|(severity, title)| finding(severity, title)).collect();
    critique_of(&findings, &[], recommendation)
}

/// A critique with these findings and missing items.
pub(crate) fn critique_of(findings: &[Value], missing: &[&str], recommendation: &str) -> String {
    let missing: Vec<Value> = missing.iter().map(|title| json!({ "title": title, "explanation": "" })).collect();
    json!({
        "summary": "", "findings": findings, "missing": missing, "recommendation": recommendation, "checked_files": [],
    })
    .to_string()
}

/// A ruling on a finding.
pub(crate) fn ruling(id: &str, ruling: &str, severity: &str) -> Value {
    json!({ "id": id, "ruling": ruling, "severity": severity, "reason": "r" })
}

/// A ruling that calls a finding the same as another one.
pub(crate) fn same(id: &str, ruling: &str, severity: &str, same_as: &str) -> Value {
    json!({ "id": id, "ruling": ruling, "severity": severity, "reason": "r", "same_as": same_as })
}

/// A ruling with evidence.
pub(crate) fn shown(id: &str, ruling: &str, severity: &str, evidence: &[Value]) -> Value {
    json!({ "id": id, "ruling": ruling, "severity": severity, "reason": "r", "evidence": evidence })
}

/// A judgement: findings by id, with ruling and severity; and something missing that the judge adds, if anything.
pub(crate) fn judgement(rulings: &[(&str, &str, &str)], added: &str) -> String {
    let rulings: Vec<Value> = rulings.iter().map(|(id, kind, severity)| ruling(id, kind, severity)).collect();
    let added = if added.is_empty() { json!([]) } else { json!([{ "title": added, "important": true }]) };
    judgement_of(&rulings, &json!([]), &added)
}

/// A judgement of these rulings, missing items that it weighs, and missing items that it adds.
pub(crate) fn judgement_of(rulings: &[Value], missing: &Value, added: &Value) -> String {
    json!({ "rulings": rulings, "missing": missing, "added": added }).to_string()
}

pub(crate) fn rewritten(text: &str) -> String {
    format!("<<artifact>>\n{text}\n<<end artifact>>")
}
