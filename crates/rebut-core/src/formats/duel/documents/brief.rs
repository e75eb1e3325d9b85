//! A duel in a few lines.

use super::{DECIDE_NOTHING, MECHANICS, is_mechanics_only, winner_name};
use crate::debate::{Brief, Debate, Status, Tone};
use crate::evidence::marks::neutral;
use crate::formats::duel::{ledger, verdict};
use crate::report::claims::citations;
use crate::report::text::in_line;

pub(in crate::formats::duel) fn brief(debate: &Debate) -> Brief {
    let said = |text: &str| in_line(&neutral(text));
    let Some(verdict) = verdict(debate) else {
        let brief = Brief::of(debate, None);
        return match debate.status() {
            Status::Uncontested => brief.row("Do", [super::uncontested(debate).1]),
            _ => brief,
        };
    };
    let winner = verdict.winner.role();
    let (role, name) = (super::capital(winner.as_str()), winner_name(debate, winner));
    let who = if name == winner.as_str() { role } else { format!("{role} ({name})") };
    if is_mechanics_only(debate) {
        let brief = Brief::of(debate, Some(MECHANICS.to_owned()));
        return Brief { tone: Tone::Partial, ..brief }
            .row("Note", [DECIDE_NOTHING.to_owned()])
            .row("Said", [format!("{who} wins: {}", said(&verdict.recommendation))]);
    }
    Brief::of(debate, Some(format!("{who} wins · {}", citations(debate, &ledger(debate)))))
        .row("Do", [said(&verdict.recommendation)])
        .row("Why", verdict.decisive.iter().map(|decisive| format!("{} ({})", said(&decisive.why), decisive.id)))
        .row("Open", verdict.unresolved.iter().map(|question| said(question)))
}
