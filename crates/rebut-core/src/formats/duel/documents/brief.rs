//! A duel in a few lines.

use super::{DECIDE_NOTHING, MECHANICS, Undecided, is_mechanics_only, undecided, winner_name};
use crate::debate::{Brief, Debate, Status, Tone};
use crate::evidence::marks::neutral;
use crate::formats::duel::{Bout, Verdict, firmness, verdict};
use crate::judging::Firmness;
use crate::report::claims::citations;
use crate::report::text::in_line;

pub(in crate::formats::duel) fn brief(debate: &Debate) -> Brief {
    let bout = Bout::first(debate);
    let said = |text: &str| in_line(&neutral(text));
    let Some(verdict) = verdict(debate) else {
        if firmness(debate) == Some(Firmness::Undecided) {
            let Undecided { reasons, open, recommendation, .. } = undecided(debate);
            let headline = format!("{} · {}", result(debate, None), citations(debate, &bout.ledger()));
            return Brief { tone: Tone::Partial, ..Brief::of(debate, Some(headline)) }
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
    if is_mechanics_only(debate) {
        let brief = Brief::of(debate, Some(MECHANICS.to_owned()));
        return Brief { tone: Tone::Partial, ..brief }
            .row("Note", [DECIDE_NOTHING.to_owned()])
            .row("Said", [format!("{result}: {}", said(&verdict.recommendation))]);
    }
    Brief::of(debate, Some(format!("{result} · {}", citations(debate, &bout.ledger()))))
        .row("Flag", bout.flags(verdict))
        .row("Do", [said(&verdict.recommendation)])
        .row("Why", verdict.decisive.iter().map(|decisive| format!("{} ({})", said(&decisive.why), decisive.id)))
        .row("Open", verdict.unresolved.iter().map(|question| said(question)))
}

/// `Firm: challenger (gemini) wins`, `Leaning: challenger (gemini) wins 3:1`, `Undecided 2:2`.
pub(super) fn result(debate: &Debate, verdict: Option<&Verdict>) -> String {
    let [proposer, challenger] = Bout::first(debate).tally();
    let (more, fewer) = (proposer.max(challenger), proposer.min(challenger));
    let heading = firmness(debate).map_or("Judged", Firmness::heading);
    let Some(verdict) = verdict else { return format!("{heading} {more}:{fewer}") };
    let winner = verdict.winner.role();
    let name = winner_name(debate, winner);
    let who = if name == winner.as_str() { name } else { format!("{winner} ({name})") };
    let votes = if fewer > 0 { format!(" {more}:{fewer}") } else { String::new() };
    format!("{heading}: {who} wins{votes}")
}
