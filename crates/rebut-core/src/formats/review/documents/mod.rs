//! A review as Markdown.

mod brief;
mod files;
mod page;
mod sarif;
mod state;
mod summary;

use serde_json::Value;

use crate::debate::page::Section;
use crate::debate::{Brief, Debate, Decider, Documents, Event, Happening, NewVersion, StepKey};
use crate::evidence::check::Checked;
use crate::formats::review::{
    Content, Critique, History, Record, Review, Revision, RoundRecord, Severity, TrackedFinding, WeighedMissing, record,
    round_key, rounds::rounds, weighing::as_the_change_has_it, whole_patch,
};
use crate::report::claims::evidence_list;
use crate::report::quoted::{contained, inert, lowered};
use crate::report::text::{code, fenced, in_cell, in_line, list, push};
use crate::report::{self, usual_passage};

impl Documents for Review {
    /// The whole review: every round, then what it came to.
    fn document(&self, debate: &Debate) -> String {
        let mut text = report::heading(debate);
        for record in rounds(debate) {
            push(&mut text, format_args!("\n{}\n", lowered(&round_text(debate, &record))));
        }
        push(&mut text, format_args!("\n{}\n", self.conclusion(debate, NewVersion::Proposed)));
        text
    }

    fn brief(&self, debate: &Debate, version: NewVersion) -> Brief {
        brief::brief(debate, version)
    }

    fn conclusion(&self, debate: &Debate, version: NewVersion) -> String {
        summary::conclusion(debate, version)
    }

    fn passage(&self, debate: &Debate, event: &Event) -> Option<String> {
        match &event.happening {
            Happening::Answered { key, .. } => answer(debate, key),
            Happening::Recorded { key, .. } => recorded(debate, key),
            Happening::Checked { key, findings, .. } => {
                let of = key.as_str().trim_end_matches("/evidence");
                Some(format!("Evidence of {of}:\n\n{}", evidence_text(debate, findings)))
            }
            _ => usual_passage(event),
        }
    }

    fn page(&self, debate: &Debate) -> Vec<Section> {
        page::page(debate)
    }

    fn state(&self, debate: &Debate, version: NewVersion) -> Value {
        state::state(debate, version)
    }

    fn files(&self, debate: &Debate, folder: &str, version: NewVersion) -> Vec<(String, String)> {
        files::files(debate, folder, version)
    }

    fn claims_json(&self, debate: &Debate) -> Value {
        self.state(debate, NewVersion::Proposed)["findings"].take()
    }

    fn claims_table(&self, debate: &Debate) -> String {
        let mut text = String::from("| finding | severity | where | what | state |\n|---|---|---|---|---|\n");
        let tracked = History::of(debate).findings;
        for TrackedFinding { finding, severity, state, reason, .. } in &tracked {
            let place = finding.place().map(ToString::to_string).unwrap_or_default();
            let cells = [&place, finding.title.as_str(), &state_with_reason(state.as_str(), reason)].map(in_cell);
            push(&mut text, format_args!("| {} | {} | {} |\n", finding.id, severity.as_str(), cells.join(" | ")));
        }
        if tracked.is_empty() { "No findings are on record.\n".to_owned() } else { text }
    }

    fn sarif(&self, debate: &Debate) -> Option<Value> {
        Some(sarif::sarif(debate))
    }

    /// The patches of a review in one text, with the reviewed diff before them where it is not in the files.
    fn patch(&self, debate: &Debate) -> Option<String> {
        let with_its_end = |patch: &str| if patch.ends_with('\n') { patch.to_owned() } else { format!("{patch}\n") };
        Some(whole_patch(debate).into_iter().map(with_its_end).collect())
    }
}

fn answer(debate: &Debate, key: &StepKey) -> Option<String> {
    match debate.content(key)? {
        Content::Critique(critique) => Some(format!("## {key}\n\n{}", critique_text(critique))),
        Content::Rebuttal { body } => Some(format!("## {key}\n\n{}", contained(body))),
        Content::Revision(revision) => Some(match revision.as_ref() {
            Revision::Patch { patch } => format!("## {key}\n\n{}", fenced("diff", patch)),
            Revision::Text { text } => format!("## {key}\n\n{}", contained(text)),
        }),
        // What the judge says is shown with the recommendation that follows from it.
        Content::Judgement(_) => None,
    }
}

fn recorded(debate: &Debate, key: &StepKey) -> Option<String> {
    match record(debate, key)? {
        Record::Raised(_) => None,
        Record::Recommended(recommended) => {
            let round = key.as_str().strip_prefix("round-")?.split('/').next()?.parse::<u32>().ok()?;
            let record = rounds(debate).into_iter().find(|record| record.round == round)?;
            let rulings = rulings_text(&record);
            let (letter, reason) = (recommended.letter, &recommended.reason);
            Some(format!("## {key}\n\n{rulings}\n**{letter}: {reason}**"))
        }
    }
}

/// A state with its reason, which may begin with what the state says.
fn state_with_reason(state: &str, reason: &str) -> String {
    let said = state.rsplit_once(": ").map_or(state, |(_, said)| said);
    let reason = reason.strip_prefix(said).map_or(reason, |rest| rest.trim_start_matches([':', ' ']));
    if reason.is_empty() { state.to_owned() } else { format!("{state}: {reason}") }
}

pub(super) fn critique_text(critique: &Critique) -> String {
    let mut text = String::new();
    if !critique.summary.is_empty() {
        push(&mut text, format_args!("{}\n", inert(&critique.summary)));
    }
    for severity in Severity::ALL {
        push(&mut text, format_args!("\n### {}\n\n", severity.as_str()));
        let of = critique.findings.iter().filter(|finding| finding.severity == severity);
        list(
            &mut text,
            of.map(|finding| {
                let mut line = titled(&finding.title, &finding.explanation);
                for evidence in &finding.evidence {
                    push(&mut line, format_args!("\n  - evidence: {}", code(&evidence.described())));
                }
                match finding.suggestion.trim() {
                    "" => {}
                    one if !one.contains('\n') => push(&mut line, format_args!("\n  - suggestion: {}", in_line(one))),
                    several => push(&mut line, format_args!("\n  - suggestion:\n\n{}\n", fenced("", several))),
                }
                line
            }),
        );
    }
    if !critique.missing.is_empty() {
        text.push_str("\n### Missing\n\n");
        list(&mut text, critique.missing.iter().map(|gap| titled(&gap.title, &gap.explanation)));
    }
    if let Some(files) = critique.checked_files.as_ref().filter(|files| !files.is_empty()) {
        let files: Vec<String> = files.iter().map(|file| code(file)).collect();
        push(&mut text, format_args!("\nChecked files: {}\n", files.join(", ")));
    }
    let recommendation = critique.recommendation.map_or("none given", |recommendation| recommendation.as_str());
    push(&mut text, format_args!("\nRecommendation: {recommendation}"));
    text.trim().to_owned()
}

fn titled(title: &str, explanation: &str) -> String {
    if explanation.trim().is_empty() { in_line(title) } else { format!("{}: {}", in_line(title), in_line(explanation)) }
}

fn round_text(debate: &Debate, record: &RoundRecord<'_>) -> String {
    let mut text = format!("# Round {}\n", record.round);
    if let Some(failure) = &record.critic_failed {
        push(&mut text, format_args!("\nThe critic failed: {failure}\n"));
    }
    for (part, critique) in &record.critiques {
        let of = if part.is_empty() { String::new() } else { format!(" of {}", in_line(part)) };
        push(&mut text, format_args!("\n## Critique{of}\n\n{}\n", critique_text(critique)));
    }
    let found = debate.findings(&round_key(record.round, "evidence")).unwrap_or_default();
    if !found.is_empty() {
        push(&mut text, format_args!("\n## Evidence\n\n{}", evidence_text(debate, found)));
    }
    push(&mut text, format_args!("\n## Judgement\n\n{}", rulings_text(record)));
    if let Some((letter, reason)) = &record.recommendation {
        push(&mut text, format_args!("\nRecommendation: {letter} ({}): {reason}\n", letter.meaning(record.version)));
    }
    if let Some((letter, Decider::Person)) = record.choice {
        push(&mut text, format_args!("\nChosen: {letter} ({})\n", letter.meaning(record.version)));
    }
    if let Some(rebuttal) = record.rebuttal {
        push(&mut text, format_args!("\n## Rebuttal\n\n{}\n", inert(rebuttal)));
    }
    text.trim_end().to_owned()
}

fn rulings_text(record: &RoundRecord<'_>) -> String {
    let mut text = String::new();
    if !record.judged {
        return "Not judged.\n".to_owned();
    }
    let ruled = record.findings.iter().filter_map(|point| Some((point, point.ruled.as_ref()?)));
    list(
        &mut text,
        ruled.map(|(point, ruled)| {
            let id = &point.finding.id;
            let by = if ruled.by_engine { " (by the engine)" } else { "" };
            let same = if point.first == *id { String::new() } else { format!(" (same as {})", point.first) };
            let (severity, kind) = (ruled.severity.as_str(), ruled.kind.as_str());
            let (title, reason) = (in_line(&point.finding.title), in_line(&ruled.reason));
            let mut line = format!("{id}{same} {severity} {kind}{by}: {title} — {reason}");
            // The engine's own reason names it already.
            for wrong in point.found.iter().filter(|it| it.result.is_false() && !ruled.by_engine) {
                push(&mut line, format_args!("\n  - false evidence: {}", in_line(&wrong.to_string())));
            }
            line
        }),
    );
    for WeighedMissing { missing, by_judge, important, .. } in &record.missing {
        let by = if *by_judge { ", by the judge" } else { "" };
        let weight = if *important == Some(true) { "important" } else { "not important" };
        push(&mut text, format_args!("- {} missing{by} ({weight}): {}\n", missing.id, in_line(&missing.title)));
    }
    text
}

fn evidence_text(debate: &Debate, found: &[Checked]) -> String {
    evidence_list(&as_the_change_has_it(debate, found.to_vec()))
}
