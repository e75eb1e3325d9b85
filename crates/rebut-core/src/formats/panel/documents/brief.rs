//! A panel in a few lines.

use super::{View, verifier};
use crate::debate::{Brief, Debate, Tone};
use crate::formats::panel;
use crate::judging::Firmness;

pub(super) fn brief(debate: &Debate) -> Brief {
    let judged = panel::adjudication(debate);
    let (Some(judged), Some(view)) = (judged, View::of(debate)) else { return Brief::of(debate, None) };
    let outcome = match judged.outcome.as_str() {
        "draw" => "a draw".to_owned(),
        "void" => "void".to_owned(),
        wins => wins.strip_suffix("_wins").map_or_else(|| wins.to_owned(), |name| format!("{name} wins")),
    };
    let unresolved = view.record.unresolved.iter().map(|point| view.line(&point.point));
    let decisive = judged.decisive.iter().map(|entry| format!("{} (entry {})", view.line(&entry.why), entry.seq));
    let heading = panel::firmness(debate).map_or_else(String::new, |firmness| format!("{}: ", firmness.heading()));
    let brief = Brief::of(debate, Some(format!("{heading}{outcome} · {}", verifier::brief_tally(&view))));
    let is_undecided = panel::firmness(debate) == Some(Firmness::Undecided);
    let brief = if is_undecided { Brief { tone: Tone::Partial, ..brief } } else { brief };
    brief
        .row("Why", std::iter::once(view.line(&judged.reason)).chain(decisive).collect::<Vec<_>>())
        .row("Open", unresolved.collect::<Vec<_>>())
}
