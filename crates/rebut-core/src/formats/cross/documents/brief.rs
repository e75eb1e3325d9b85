//! An ask or a cross in a few lines.

use crate::debate::{Brief, Debate};
use crate::evidence::marks::neutral;
use crate::formats::cross::{Agreement, PointKind, agreement, ledger, present, synthesis};
use crate::report::claims::citations;
use crate::report::text::in_line;

pub(super) fn brief(debate: &Debate) -> Brief {
    let said = |text: &str| in_line(&neutral(text));
    let Some(found) = synthesis(debate) else { return Brief::of(debate, None) };
    let counted = present(debate).line().map_or_else(String::new, |counted| format!(" ({counted})"));
    let agreed = match agreement(debate) {
        Some(Agreement::Full) => "They agree",
        Some(Agreement::Partial) => "They agree in part",
        Some(Agreement::None) | None => "They differ",
    };
    let points =
        |kind: PointKind| found.points.iter().filter(move |point| point.kind == kind).map(|point| said(&point.text));
    Brief::of(debate, Some(format!("{agreed}{counted} · {}", citations(debate, &ledger(debate)))))
        .row("Do", [said(found.text.split("\n\n").next().unwrap_or_default())])
        .row("Agree", points(PointKind::Agree))
        .row("Differ", points(PointKind::Differ))
}
