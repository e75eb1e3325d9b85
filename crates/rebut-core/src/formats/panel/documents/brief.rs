//! A panel in a few lines.

use super::{View, verifier};
use crate::debate::{Brief, Debate};
use crate::formats::panel;

pub(in crate::formats::panel) fn brief(debate: &Debate) -> Brief {
    let judged = panel::adjudication(debate);
    let (Some(judged), Some(view)) = (judged, View::of(debate)) else { return Brief::of(debate, None) };
    let outcome = match judged.outcome.as_str() {
        "draw" => "A draw".to_owned(),
        "void" => "Void".to_owned(),
        wins => wins.strip_suffix("_wins").map_or_else(|| wins.to_owned(), |name| format!("{name} wins")),
    };
    let unresolved = view.minutes.unresolved.iter().map(|point| view.line(&point.point));
    Brief::of(debate, Some(format!("{outcome} · sources: {}", verifier::tally(&view))))
        .row("Why", [view.line(&judged.reason)])
        .row("From", judged.decisive.iter().map(|entry| format!("{} (seq {})", view.line(&entry.why), entry.seq)))
        .row("Open", unresolved.collect::<Vec<_>>())
}
