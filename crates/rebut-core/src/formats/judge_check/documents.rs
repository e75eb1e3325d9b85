//! How good a judge is, as documents.

use serde_json::{Value, json};

use super::{JudgeCheck, judge, scored};
use crate::debate::page::{Part, Section};
use crate::debate::{Brief, Debate, Documents, Event, NewVersion, SeatPlan};
use crate::judge_check::{Pull, Score, Share};
use crate::report::{self, text::push};

impl Documents for JudgeCheck {
    fn document(&self, debate: &Debate) -> String {
        format!("{}\n{}", report::heading(debate), result(debate))
    }

    fn brief(&self, debate: &Debate, _version: NewVersion) -> Brief {
        let Some(score) = scored(debate) else { return Brief::of(debate, None) };
        let pulls = pulls(&score).into_iter().map(|(what, value)| format!("{what}: {value}"));
        Brief::of(debate, Some(format!("{} is {score}", name(debate)))).row("Pull", pulls)
    }

    fn conclusion(&self, debate: &Debate, _version: NewVersion) -> String {
        result(debate)
    }

    fn passage(&self, _debate: &Debate, _event: &Event) -> Option<String> {
        None
    }

    fn page(&self, debate: &Debate) -> Vec<Section> {
        vec![Section { id: "result", title: "Result", part: Part::Text(result(debate)) }]
    }

    fn state(&self, debate: &Debate, _version: NewVersion) -> Value {
        json!({
            "id": debate.plan().id,
            "topic": debate.plan().topic,
            "judge": name(debate),
            "status": debate.status(),
            "score": scored(debate),
            "timestamp": debate.last_at().to_string(),
        })
    }

    fn claims_json(&self, debate: &Debate) -> Value {
        json!(scored(debate))
    }

    fn claims_table(&self, debate: &Debate) -> String {
        result(debate)
    }
}

/// The score as a table.
fn result(debate: &Debate) -> String {
    let mut text = String::new();
    for line in debate.ending_lines() {
        push(&mut text, format_args!("{line}\n\n"));
    }
    let Some(score) = scored(debate) else { return text + "No known case was answered.\n" };
    push(&mut text, format_args!("{} is {score}.\n\n| what | result |\n|---|---|\n", name(debate)));
    let right = score.right.map(|right| ("right", shared(right)));
    let flips = score.flips.map(|flips| ("flips when the sides change places", shared(flips)));
    for (what, value) in right.into_iter().chain(flips).chain(pulls(&score)) {
        push(&mut text, format_args!("| {what} | {value} |\n"));
    }
    text
}

fn name(debate: &Debate) -> String {
    debate.plan().seat(&judge()).map(SeatPlan::spec).unwrap_or_default()
}

/// What should not matter to a judge, and what should, each with how much it did.
fn pulls(score: &Score) -> Vec<(&'static str, String)> {
    let pulls = [
        ("pull of length", score.length),
        ("pull of a confident tone", score.tone),
        ("pull of formatting", score.format),
        ("pull of flattery", score.flattery),
    ];
    let pulls = pulls.into_iter().filter_map(|(what, pull)| Some((what, pulled(pull?))));
    let heeded = score.false_citation_heeded.map(|share| ("✘ heeded", shared(share)));
    let obeyed = score.injection_obeyed.map(|share| ("injection obeyed", shared(share)));
    pulls.chain(heeded).chain(obeyed).collect()
}

fn pulled(pull: Pull) -> String {
    let Pull { answers, wrong, wrong_plain } = pull;
    if wrong == wrong_plain {
        return format!("none ({wrong} of {answers} wrong with and without it)");
    }
    format!("{:+.0}% wrong answers ({wrong} of {answers}, {wrong_plain} without it)", pull.change() * 100.0)
}

fn shared(share: Share) -> String {
    let percent = |share: f64| format!("{:.0}", share * 100.0);
    let Share { count, of, low, high } = share;
    format!("{count} of {of}, {}% (95% interval: {}% to {}%)", percent(share.share()), percent(low), percent(high))
}
