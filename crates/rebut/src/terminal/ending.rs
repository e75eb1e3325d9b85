//! The end of a run on one screen: the result, what to do and why, what it took, and where the rest is.

use rebut_core::debate::{Brief, Cost, Debate, NewVersion, Status, Sum, Tone};
use rebut_core::report;

use super::spans::{Color, Line, Span, Style, painted, plain, wrap};
use super::{Screen, harmless};

/// The columns of the labels.
const LABEL: usize = 8;
/// How many lines are printed where only the result is wanted.
const QUIET_LINES: usize = 5;
/// The width of the text where no terminal says another one.
const COLUMNS: usize = 100;

impl Screen {
    /// Shows what a debate came to.
    pub(crate) fn ending(&self, debate: &Debate, version: NewVersion) {
        let brief = debate.format().brief(debate, version);
        let mut lines = lines(&brief, self.columns.unwrap_or(COLUMNS).clamp(40, COLUMNS));
        if self.quiet {
            lines.truncate(QUIET_LINES);
        } else {
            let dim = |text: String| vec![Span::new(format!("  {text}"), Style::DIM)];
            lines.push(dim(figures(debate)));
            lines.push(dim(next(debate)));
        }
        let before = if self.quiet { "" } else { "\n" };
        let shown: Vec<String> = lines.iter().map(|line| if self.color { painted(line) } else { plain(line) }).collect();
        self.print(&format!("{before}{}", shown.join("\n")));
    }
}

fn lines(brief: &Brief, columns: usize) -> Vec<Line> {
    let (mark, color) = match brief.tone {
        Tone::Full => ("✔", Color::Green),
        Tone::Partial => ("!", Color::Yellow),
        Tone::Failed => ("✘", Color::Red),
    };
    let headline = Style { bold: true, ..Style::colored(color) };
    let mut lines = vec![vec![Span::new(format!("{mark} {}", harmless(&brief.headline)), headline)]];
    for (label, texts) in &brief.rows {
        let mut label = Some(format!("  {label:<width$}", width = LABEL - 2));
        for text in texts {
            for wrapped in wrap(&[Span::new(harmless(text), Style::default())], columns - LABEL) {
                let before = label.take().unwrap_or_else(|| " ".repeat(LABEL));
                lines.push(std::iter::once(Span::new(before, Style::BOLD)).chain(wrapped).collect());
            }
        }
    }
    lines
}

/// `5 calls · 9 s · $0.02`.
fn figures(debate: &Debate) -> String {
    let total = debate.accounts().total();
    let calls = if total.calls == 1 { "1 call".to_owned() } else { format!("{} calls", total.calls) };
    let cost = match total.cost {
        Sum { unknown: 0, known: 0 } => "free".to_owned(),
        Sum { unknown: 0, known } => Cost::from_nanodollars(known).to_string(),
        Sum { known: 0, .. } => "cost unknown".to_owned(),
        Sum { known, unknown } => format!("{} + {unknown} of unknown cost", Cost::from_nanodollars(known)),
    };
    format!("{calls} · {} · {cost}", report::duration(debate.elapsed_ms(debate.last_at())))
}

/// The commands that lead on from here.
fn next(debate: &Debate) -> String {
    let short = debate.plan().id.short();
    let more = debate.format().rounds_held(debate) + 1;
    let can_have_more = || debate.format().most_rounds(debate.plan()).is_ok_and(|most| more <= most);
    let resume = match debate.status() {
        Status::Completed => can_have_more().then(|| format!("rebut resume {short} --rounds {more}")),
        _ => Some(format!("rebut resume {short}")),
    };
    std::iter::once(format!("rebut show {short}")).chain(resume).collect::<Vec<_>>().join(" · ")
}
