//! A panel as documents, rendered from the log and the answers. Redacted words are in the log alone.

mod brief;
mod metadata;
mod page;
mod reports;
mod summary;
mod transcript;
mod verifier;

use serde_json::{Value, json};

use crate::debate::page::Section;
use crate::debate::{Brief, Debate, Documents, Event, NewVersion, Status};
use crate::formats::panel::{self, Adjudication, Grade, LogEntry, Panel, Record, Redactor};
use crate::report::quoted::{inert, lowered};
use crate::report::text::{in_cell, in_line, list, push, visible};
use crate::report::{notes_section, unfinished};

pub const DOCUMENTS: [&str; 7] = [
    "debate-log.jsonl",
    "transcript.md",
    "summary.md",
    "blog-post.md",
    "metadata.json",
    "verifier-report.md",
    "assessor-report.md",
];

impl Documents for Panel {
    fn document(&self, debate: &Debate) -> String {
        let Some(view) = View::of(debate) else { return String::new() };
        let mut text = transcript::transcript(&view);
        push(&mut text, format_args!("\n{}\n", lowered(&self.conclusion(debate, NewVersion::Proposed))));
        text
    }

    fn brief(&self, debate: &Debate, _version: NewVersion) -> Brief {
        brief::brief(debate)
    }

    fn conclusion(&self, debate: &Debate, _version: NewVersion) -> String {
        let Some(view) = View::of(debate) else { return String::new() };
        let mut text = String::from("# Panel\n\n");
        push(&mut text, format_args!("- Topic: {}\n", in_line(&debate.plan().topic)));
        push(&mut text, format_args!("- Debaters: {}\n", view.record.setup.names().join(", ")));
        push(&mut text, format_args!("- Rounds: {} of at most {}\n", view.record.rounds, view.record.setup.max_rounds));
        push(&mut text, format_args!("- Entries: {}, redacted: {}\n", view.record.log.len(), view.record.redactions.len()));
        push(&mut text, format_args!("- Sources: {}\n", view.record.counts()));
        for line in debate.ending_lines() {
            push(&mut text, format_args!("\n{line}\n"));
        }
        match panel::adjudication(debate) {
            Some(judged) => {
                let firmness =
                    panel::firmness(debate).map_or_else(String::new, |firmness| format!("**{}.** ", firmness.heading()));
                push(
                    &mut text,
                    format_args!("\n## Outcome: {}\n\n{firmness}{}\n", judged.outcome, view.body(&judged.reason)),
                );
                push(&mut text, format_args!("\n{}\n", view.record.counts_line()));
                text.push_str("\nDecisive:\n\n");
                list(
                    &mut text,
                    judged.decisive.iter().map(|entry| format!("[seq {}] {}", entry.seq, view.line(&entry.why))),
                );
                push(&mut text, format_args!("\n{}", grades(&view, &judged)));
            }
            None => text.push_str(&unfinished(debate)),
        }
        text.push_str(&notes_section(debate, "##"));
        text.trim_end().to_owned()
    }

    /// What a log gains by an event need not be of that event; see [`Documents::log_since`].
    fn passage(&self, _debate: &Debate, _event: &Event) -> Option<String> {
        None
    }

    fn log_since(&self, debate: &Debate, from: usize) -> (Vec<String>, usize) {
        let Some(view) = View::of(debate) else { return (Vec::new(), 0) };
        let new = view.record.log.get(from..).unwrap_or_default();
        (new.iter().map(|entry| transcript::entry(&view, entry)).collect(), view.record.log.len())
    }

    fn log(&self, debate: &Debate) -> Option<String> {
        View::of(debate).map(|view| log(&view.record))
    }

    fn page(&self, debate: &Debate) -> Vec<Section> {
        page::page(debate)
    }

    fn state(&self, debate: &Debate, _version: NewVersion) -> Value {
        let Some(view) = View::of(debate) else { return Value::Null };
        let plan = debate.plan();
        let standing: Vec<Value> = view.record.setup.names().iter().map(|name| metadata::standing(&view, name)).collect();
        json!({
            "id": plan.id,
            "topic": plan.topic,
            "status": debate.status(),
            "rounds_completed": view.record.rounds,
            "max_rounds": view.record.setup.max_rounds,
            "outcome": panel::adjudication(debate).map(|judged| judged.outcome),
            "debaters": standing,
            "metadata": metadata::metadata(&view),
            "timestamp": debate.last_at().to_string(),
            "rebut": { "firmness": panel::firmness(debate), "ballots": panel::judgements(debate) },
        })
    }

    /// None before the first entry. Those about the whole debate are written once it has ended or was stopped.
    fn files(&self, debate: &Debate, _folder: &str, _version: NewVersion) -> Vec<(String, String)> {
        let Some(view) = View::of(debate).filter(|view| !view.record.log.is_empty()) else { return Vec::new() };
        let mut files = vec![("debate-log.jsonl", log(&view.record)), ("transcript.md", transcript::transcript(&view))];
        if debate.status() != Status::Running {
            files.push(("metadata.json", format!("{:#}\n", metadata::metadata(&view))));
            files.push(("verifier-report.md", verifier::report(&view)));
            files.push(("summary.md", summary::summary(&view)));
            files.extend(reports::blog(&view).map(|text| ("blog-post.md", text)));
            files.extend(reports::assessment(&view).map(|text| ("assessor-report.md", text)));
        }
        files.into_iter().map(|(name, text)| (name.to_owned(), text)).collect()
    }

    fn claims_json(&self, debate: &Debate) -> Value {
        let Some(view) = View::of(debate) else { return Value::Null };
        view.record.results.iter().map(|(seq, result)| json!({ "seq": seq, "result": result })).collect()
    }

    fn claims_table(&self, debate: &Debate) -> String {
        View::of(debate).map_or_else(String::new, |view| verifier::tables(&view))
    }
}

fn grades(view: &View<'_>, judged: &Adjudication) -> String {
    let mut table = String::from(
        "| debater | sources | rebuttals | findings | rules | persona | note |\n|---|---|---|---|---|---|---|\n",
    );
    for of in &judged.debaters {
        let grades = [of.sourced_arguments, of.rebuttals, of.verifier_findings, of.rules_kept, of.persona_kept];
        let note = in_cell(&view.shown(&of.note));
        push(&mut table, format_args!("| {} | {} | {note} |\n", of.name, grades.map(Grade::as_str).join(" | ")));
    }
    table
}

fn log(record: &Record<'_>) -> String {
    // Serializing an entry cannot fail, and JSON has no line ends inside.
    let line = |entry| serde_json::to_string(entry).map(|line| line + "\n").unwrap_or_default();
    record.log.iter().map(line).collect()
}

struct View<'a> {
    debate: &'a Debate,
    record: Record<'a>,
    redactor: Redactor,
}

impl<'a> View<'a> {
    fn of(debate: &'a Debate) -> Option<Self> {
        let record = panel::record(debate)?;
        let redactor = record.redactor(debate.plan());
        Some(Self { debate, record, redactor })
    }

    /// Words as they may be shown: without what is redacted.
    fn shown(&self, text: &str) -> String {
        visible(&self.redactor.redact(text.trim()))
    }

    /// The engine's own words, which name the sources that they are about.
    fn engine(&self, text: &str) -> String {
        visible(&self.redactor.redact_quotes(text.trim()))
    }

    fn words(&self, entry: &LogEntry) -> String {
        visible(self.record.shown(entry, &self.redactor).trim())
    }

    fn line(&self, text: &str) -> String {
        in_line(&self.shown(text))
    }

    /// Words as a part of a document.
    fn body(&self, text: &str) -> String {
        inert(&self.shown(text))
    }
}
