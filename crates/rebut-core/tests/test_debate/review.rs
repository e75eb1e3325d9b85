//! Reviews: their plan, and the answers of their seats.

use rebut_core::debate::{Plan, SeatName, Setup};
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
        plan.setup = Setup::Review(Box::new(ReviewSetup {
            artifact: Artifact::new(text.to_owned(), form, String::new()),
            target,
            confidence: Confidence::High,
            scope: "text".to_owned(),
            intensity: Intensity::Standard,
            max_rounds: rounds,
            mode: Mode::Auto,
            skip_rewrite: false,
            stand_in: false,
        }));
        change(plan);
    })
}

/// A critique with these findings, each a severity and a text.
pub(crate) fn critique(findings: &[(&str, &str)], recommendation: &str) -> String {
    let of = |severity: &str| -> Vec<Value> {
        let found = findings.iter().filter(|(of, _)| *of == severity);
        found.map(|(_, text)| json!({ "finding": text, "place": "", "evidence": [], "action": "mend it" })).collect()
    };
    json!({
        "summary": "", "p1": of("P1"), "p2": of("P2"), "p3": of("P3"), "recommendation": recommendation,
        "checked": [{ "file": "", "aspects": ["all of it"] }],
    })
    .to_string()
}

/// A judgement: findings by id, with ruling and severity; and something that the critic did not raise, if anything.
pub(crate) fn judgement(rulings: &[(&str, &str, &str)], missing: &str) -> String {
    let ruling = |(id, ruling, severity): &(&str, &str, &str)| json!({ "id": id, "ruling": ruling, "severity": severity, "reason": "r" });
    let missing = if missing.is_empty() { json!([]) } else { json!([{ "text": missing, "important": true }]) };
    json!({ "rulings": rulings.iter().map(ruling).collect::<Vec<_>>(), "missing": missing }).to_string()
}

pub(crate) fn rewritten(text: &str) -> String {
    format!("<<artifact>>\n{text}\n<<end artifact>>")
}

/// A critique with one P2 at a place, resting on this evidence.
pub(crate) fn critique_with_evidence(text: &str, place: &str, evidence: &[&str]) -> String {
    let finding = json!({ "finding": text, "place": place, "evidence": evidence, "action": "mend it" });
    json!({ "summary": "", "p1": [], "p2": [finding], "p3": [], "recommendation": "revise", "checked": [] }).to_string()
}
