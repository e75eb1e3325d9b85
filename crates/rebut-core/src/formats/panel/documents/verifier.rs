//! `verifier-report.md`: what was found of sources, in figures and by debater.

use super::{View, in_cell, in_line, list, push};
use crate::formats::panel::{self, SourceStatus};

pub(super) fn report(view: &View<'_>) -> String {
    let mut text = format!("# Verifier report: {}\n\n## Statistics\n\n", in_line(&view.debate.plan().topic));
    text.push_str("| status | sources |\n|---|---|\n");
    for status in SourceStatus::ALL {
        push(&mut text, format_args!("| {} | {} |\n", status.as_str(), view.record.tally(status)));
    }
    push(&mut text, format_args!("| all | {} |\n", view.record.results.len()));
    push(&mut text, format_args!("\n## Results by debater\n\n{}", tables(view)));
    text.push_str("\n## Withdrawn claims\n\n");
    let corrections = view.record.said.keys().filter_map(|seq| Some((seq, view.record.correction_of(*seq)?)));
    let withdrawn = corrections.map(|(corrected, by)| {
        let (speaker, sentence) = (view.record.speaker(*corrected), view.record.sentence(by, &view.redactor));
        format!("seq {corrected} ({speaker}), corrected at seq {by}: {}", in_line(&sentence))
    });
    list(&mut text, withdrawn);
    text.push_str("\n## Notable findings\n\n");
    match panel::verifier_notes(view.debate) {
        Some(notes) => list(&mut text, notes.notable_findings.iter().map(|note| view.line(note))),
        None => text.push_str("The reporter's notes are missing.\n"),
    }
    text
}

/// `4 of 5 sources verified, 1 fabricated`.
pub(super) fn brief_tally(view: &View<'_>) -> String {
    let count = |status: SourceStatus| view.record.tally(status);
    let all: usize = SourceStatus::ALL.into_iter().map(count).sum();
    if all == 0 {
        return "no sources".to_owned();
    }
    let others = SourceStatus::ALL.into_iter().filter(|status| *status != SourceStatus::Verified && count(*status) > 0);
    let others = others.map(|status| format!("{} {}", count(status), status.as_str()));
    let verified = format!("{} of {all} sources verified", count(SourceStatus::Verified));
    std::iter::once(verified).chain(others).collect::<Vec<_>>().join(", ")
}

pub(super) fn tables(view: &View<'_>) -> String {
    let mut text = String::new();
    for name in view.record.setup.names() {
        if !text.is_empty() {
            text.push('\n');
        }
        push(&mut text, format_args!("### {name}\n\n"));
        let own: Vec<_> =
            view.record.results.iter().filter(|(_, result)| view.record.speaker(result.verified_seq) == name).collect();
        if own.is_empty() {
            text.push_str("No sources.\n");
            continue;
        }
        text.push_str("| seq | URL | claim | status | notes |\n|---|---|---|---|---|\n");
        for (_, result) in own {
            let seq = result.verified_seq;
            let claim = view.record.sentence(seq, &view.redactor);
            let notes = view.shown(&result.explanation);
            let cells = [&result.url, &claim, &result.status.as_str().to_owned(), &notes].map(|cell| in_cell(cell));
            push(&mut text, format_args!("| {seq} | {} |\n", cells.join(" | ")));
        }
    }
    text
}
