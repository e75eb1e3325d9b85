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
    let decisive = judged.decisive.iter().map(|entry| format!("{} (entry {})", view.line(&entry.why), entry.seq));
    Brief::of(debate, Some(format!("{outcome} · {}", verifier::brief_tally(&view))))
        .row("Why", std::iter::once(view.line(&judged.reason)).chain(decisive).collect::<Vec<_>>())
        .row("Open", unresolved.collect::<Vec<_>>())
}
