//! A duel in a few lines.

use super::{DECIDE_NOTHING, MECHANICS, Undecided, flags, undecided, winner_name};
use crate::debate::{Brief, Debate, Status, Tone};
use crate::evidence::marks::neutral;
use crate::formats::duel::tiny::judges_are_tiny;
use crate::formats::duel::{Bout, Exchange, Role, Verdict, exchange, firmness, verdict};
use crate::judging::Firmness;
use crate::report::claims::citations;
use crate::report::text::in_line;

pub(super) fn brief(debate: &Debate) -> Brief {
    let bout = Bout::first(debate);
    let said = |text: &str| in_line(&neutral(text));
    let Some(verdict) = verdict(debate) else {
        if firmness(debate) == Some(Firmness::Undecided) {
            let Undecided { note, reasons, open, recommendation, .. } = undecided(debate);
            let headline = format!("{} · {}", result(debate, None), citations(debate, &bout.ledger()));
            return Brief { tone: Tone::Partial, ..Brief::of(debate, Some(headline)) }
                .row("Note", note.map(str::to_owned))
                .row("Do", [recommendation])
                .row("Why", reasons.iter().map(|reason| said(reason)))
                .row("Open", open.iter().map(|question| said(question)));
        }
        let brief = Brief::of(debate, None);
        return match debate.status() {
            Status::Uncontested => brief.row("Do", [super::uncontested(debate).1]),
            _ => brief,
        };
    };
    let result = result(debate, Some(verdict));
    if judges_are_tiny(debate.plan()) {
        let brief = Brief::of(debate, Some(MECHANICS.to_owned()));
        return Brief { tone: Tone::Partial, ..brief }
            .row("Note", [DECIDE_NOTHING.to_owned()])
            .row("Vote", [format!("{result}: {}", said(&verdict.recommendation))]);
    }
    Brief::of(debate, Some(format!("{result} · {}", citations(debate, &bout.ledger()))))
        .row("Flag", flags(debate))
        .row("Do", [said(&verdict.recommendation)])
        .row("Why", verdict.decisive.iter().map(|decisive| format!("{} ({})", said(&decisive.why), decisive.id)))
        .row("Open", verdict.unresolved.iter().map(|question| said(question)))
}

/// `Firm: challenger (gemini) wins`, `Leaning: challenger (gemini) wins 3:1`, `Undecided 2:2`, `Undecided: the same debater
/// won both, proposer (claude)`.
pub(super) fn result(debate: &Debate, verdict: Option<&Verdict>) -> String {
    let heading = firmness(debate).map_or("Judged", Firmness::heading);
    let result = exchange(debate);
    let first = Bout::first(debate);
    let Some(verdict) = verdict else {
        return match result {
            None => format!("{heading} {}", votes(first)),
            Some(Exchange::Debater(side)) => {
                format!("{heading}: the same debater won both, {}", named(debate, side))
            }
            Some(result) => format!("{heading}: {}", result.words()),
        };
    };
    let bouts = if result.is_some() { Bout::both(debate) } else { vec![first] };
    let is_split = bouts.iter().any(|bout| bout.tally().iter().all(|votes| *votes > 0));
    let votes: Vec<String> = bouts.into_iter().map(votes).collect();
    let votes = if is_split { format!(" {}", votes.join(" and ")) } else { String::new() };
    let result = result.map_or_else(String::new, |result| format!("; {}", result.words()));
    format!("{heading}: {} wins{votes}{result}", named(debate, verdict.winner))
}

/// `3:1`, the more votes first.
pub(super) fn votes(bout: Bout<'_>) -> String {
    let [proposer, challenger] = bout.tally();
    format!("{}:{}", proposer.max(challenger), proposer.min(challenger))
}

/// `challenger (gemini)`.
pub(super) fn named(debate: &Debate, role: Role) -> String {
    let name = winner_name(debate, role);
    if name == role.as_str() { name } else { format!("{role} ({name})") }
}
