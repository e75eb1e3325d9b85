//! The end of a run on one screen: the result, what to do and why, what it took, and where the rest is.

use console::measure_text_width;
use rebut_core::debate::{Brief, Cost, Debate, NewVersion, Status, Sum, Tone};
use rebut_core::report;

use super::spans::{Color, Line, Span, Style, painted, plain, wrap};
use super::{Screen, harmless};

const QUIET_LINES: usize = 5;
/// Labels take at least this many columns.
const SHORTEST_LABEL: usize = 4;
/// The width of the text without a terminal.
const COLUMNS: usize = 100;

impl Screen {
    /// Shows the result of a debate, and where its documents are.
    pub(crate) fn ending(&self, debate: &Debate, version: NewVersion, documents: Option<&str>) {
        let brief = debate.format().brief(debate, version);
        let columns = self.columns.unwrap_or(COLUMNS).clamp(40, COLUMNS);
        let mut blocks = blocks(&brief, columns);
        if self.quiet {
            keep_whole_blocks(&mut blocks, QUIET_LINES);
        } else {
            let dim = |text: String| vec![Span::new(format!("  {text}"), Style::DIM)];
            let documents = documents.map(|folder| dim(format!("documents: {folder}")));
            let next = next(debate, columns).into_iter().map(dim);
            blocks.push([dim(figures(debate))].into_iter().chain(documents).chain(next).collect());
        }
        let lines = blocks.iter().flatten();
        let shown: Vec<String> = lines.map(|line| if self.color { painted(line) } else { plain(line) }).collect();
        let before = if self.quiet { "" } else { "\n" };
        self.print(&format!("{before}{}", shown.join("\n")));
    }
}

/// The headline and every text, wrapped.
fn blocks(brief: &Brief, columns: usize) -> Vec<Vec<Line>> {
    let (mark, color) = match brief.tone {
        Tone::Full => ("✔ ", Color::Green),
        Tone::Partial => ("! ", Color::Yellow),
        Tone::Failed => ("✘ ", Color::Red),
    };
    let headline = Style { bold: true, ..Style::colored(color) };
    let indented = |first: Span, text: &str, style: Style, columns: usize| -> Vec<Line> {
        let indent = measure_text_width(&first.text);
        let later = Span::new(" ".repeat(indent), Style::default());
        let before = std::iter::once(first).chain(std::iter::repeat(later));
        let lines = wrap(&[Span::new(harmless(text), style)], columns - indent);
        before.zip(lines).map(|(before, line)| std::iter::once(before).chain(line).collect()).collect()
    };
    let mut blocks = vec![indented(Span::new(mark, headline), &brief.headline, headline, columns)];
    let width = brief.rows.iter().map(|(label, _)| label.len()).max().unwrap_or(0).max(SHORTEST_LABEL);
    for (label, texts) in &brief.rows {
        for (place, text) in texts.iter().enumerate() {
            let label = if place == 0 { label } else { "" };
            let label = Span::new(format!("  {label:<width$}  "), Style::BOLD);
            blocks.push(indented(label, text, Style::default(), columns));
        }
    }
    blocks
}

/// Keeps as many whole blocks as fit; the first is cut if it alone is longer.
fn keep_whole_blocks(blocks: &mut Vec<Vec<Line>>, most: usize) {
    let mut room = most;
    blocks.retain_mut(|block| {
        if room == most {
            block.truncate(most);
        }
        let fits = block.len() <= room;
        room = if fits { room - block.len() } else { 0 };
        fits
    });
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

/// What to run next: in one line, or a command per line where that is too narrow.
fn next(debate: &Debate, columns: usize) -> Vec<String> {
    let short = debate.plan().id.short();
    let more = debate.format().rounds_done(debate) + 1;
    let can_have_more = || debate.format().most_rounds(debate.plan()).is_ok_and(|most| more <= most);
    let resume = match debate.status() {
        Status::Completed => can_have_more().then(|| format!("rebut resume {short} --rounds {more}")),
        _ => Some(format!("rebut resume {short}")),
    };
    let commands: Vec<String> =
        [format!("rebut show {short}"), format!("rebut open {short}")].into_iter().chain(resume).collect();
    let line = commands.join(" · ");
    if measure_text_width(&line) + 2 <= columns { vec![line] } else { commands }
}
