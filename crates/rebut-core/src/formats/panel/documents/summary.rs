//! `summary.md`: the reporter's words where words are needed, and what can be computed where they are not.

use super::{View, in_line, list, push};
use crate::formats::panel::entry::seq_list;
use crate::formats::panel::{self, EntryType};

/// What is printed if the reporter gave nothing.
const NOTHING: &str = "The reporter's part is missing.";

pub(super) fn summary(view: &View<'_>) -> String {
    let debate = view.debate;
    let notes = panel::summary_notes(debate);
    let mut text = format!("# Summary: {}\n\n## Overview\n\n", in_line(&debate.plan().topic));
    push(&mut text, format_args!("{}\n", notes.map_or_else(|| NOTHING.to_owned(), |notes| view.body(&notes.overview))));
    text.push_str("\n## Key arguments\n");
    for debater in &view.record.setup.debaters {
        push(&mut text, format_args!("\n### {}\n\n{}\n\n", debater.name, view.line(&debater.persona)));
        let own = notes.into_iter().flat_map(|notes| &notes.key_arguments).filter(|key| key.name == debater.name);
        let arguments = own.flat_map(|key| &key.arguments);
        list(&mut text, arguments.map(|key| format!("[seq {}] {}", key.seq, view.line(&key.argument))));
    }
    text.push_str("\n## Notable exchanges\n\n");
    let exchanges = notes.map(|notes| notes.notable_exchanges.as_slice()).unwrap_or_default();
    list(
        &mut text,
        exchanges.iter().map(|exchange| format!("[seq {}] {}", seq_list(&exchange.seqs), view.line(&exchange.what))),
    );
    push(&mut text, format_args!("\n## Timeline\n\n{}", timeline(view)));
    push(&mut text, format_args!("\n## Verification results\n\n{}\n", view.record.counts()));
    push(
        &mut text,
        format_args!("\n## Flow\n\n{}\n", notes.map_or_else(|| NOTHING.to_owned(), |notes| view.body(&notes.flow))),
    );
    text.push_str("\n## Outcome\n\n");
    match panel::adjudication(debate) {
        Some(judged) => {
            push(&mut text, format_args!("**{}**: {}\n\n", judged.outcome, view.line(&judged.reason)));
            push(&mut text, format_args!("{}\n", view.record.counts_line()));
        }
        None => text.push_str("The debate has no outcome.\n"),
    }
    text.push_str("\n## Audience perspective\n\n");
    match view.record.log.iter().find(|entry| entry.kind == EntryType::AudienceConclusion) {
        Some(conclusion) => push(&mut text, format_args!("{}\n", super::inert(&view.words(conclusion)))),
        None => text.push_str("The audience gave no conclusion.\n"),
    }
    text
}

/// When what happened, computed.
fn timeline(view: &View<'_>) -> String {
    let mut text = String::from("| time | seq | what |\n|---|---|---|\n");
    let is_listed = |kind: EntryType| {
        matches!(
            kind,
            EntryType::Setup
                | EntryType::Announcement
                | EntryType::Redaction
                | EntryType::Conclusion
                | EntryType::SourceChallenge
                | EntryType::AudienceConclusion
        )
    };
    for entry in view.record.log.iter().filter(|entry| is_listed(entry.kind)) {
        let what = match entry.kind {
            EntryType::SourceChallenge => {
                let target = entry.target_seq.map_or_else(String::new, |seq| format!(" seq {seq}"));
                format!("{} challenges a source of{target}", entry.speaker)
            }
            EntryType::AudienceConclusion => "the audience concludes".to_owned(),
            _ => super::in_line(&view.words(entry)),
        };
        let time: String = entry.timestamp.to_string().chars().take(19).collect();
        push(&mut text, format_args!("| {time}Z | {} | {} |\n", entry.seq, super::in_cell(&what)));
    }
    text
}
