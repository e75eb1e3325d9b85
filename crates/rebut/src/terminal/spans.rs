//! Styled text: wrapped between words and painted with escape sequences.

use console::measure_text_width;

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Style {
    pub(super) bold: bool,
    pub(super) dim: bool,
    pub(super) italic: bool,
    pub(super) underline: bool,
    pub(super) strike: bool,
    /// One of the terminal's own colours, so that it fits light and dark themes.
    pub(super) color: Option<Color>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Color {
    Red = 31,
    Green = 32,
    Yellow = 33,
    Blue = 34,
    Magenta = 35,
    Cyan = 36,
}

impl Color {
    /// The colour of a mark that says what became of a citation or a call.
    pub(super) fn of_mark(mark: &str) -> Option<Self> {
        match mark {
            "✔" => Some(Self::Green),
            "✘" => Some(Self::Red),
            "≈" | "?" => Some(Self::Yellow),
            _ => None,
        }
    }
}

impl Style {
    const PLAIN: Self = Self { bold: false, dim: false, italic: false, underline: false, strike: false, color: None };
    pub(super) const BOLD: Self = Self { bold: true, ..Self::PLAIN };
    pub(super) const DIM: Self = Self { dim: true, ..Self::PLAIN };

    pub(super) fn colored(color: Color) -> Self {
        Self { color: Some(color), ..Self::default() }
    }

    fn codes(self) -> String {
        let flags = [(self.bold, 1), (self.dim, 2), (self.italic, 3), (self.underline, 4), (self.strike, 9)];
        let flags = flags.iter().filter(|(on, _)| *on).map(|(_, code)| *code);
        let codes = flags.chain(self.color.map(|color| color as u8));
        codes.map(|code| code.to_string()).collect::<Vec<_>>().join(";")
    }
}

/// A piece of text in one style. A newline in it breaks the line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Span {
    pub(super) text: String,
    pub(super) style: Style,
    pub(super) link: Option<String>,
}

pub(super) type Line = Vec<Span>;

impl Span {
    pub(super) fn new(text: impl Into<String>, style: Style) -> Self {
        Self { text: text.into(), style, link: None }
    }
}

pub(super) fn width(line: &[Span]) -> usize {
    line.iter().map(|span| measure_text_width(&span.text)).sum()
}

/// Breaks text into lines of at most `most` columns, between words where it can. Runs of white space become one space.
pub(super) fn wrap(spans: &[Span], most: usize) -> Vec<Line> {
    let (most, plain) = (most.max(1), Span::new("", Style::default()));
    let is_space = |c: char| c.is_whitespace() && c != '\u{a0}';
    let signs: Vec<(char, &Span)> = spans.iter().flat_map(|span| span.text.chars().map(move |c| (c, span))).collect();
    let (mut lines, mut used) = (Vec::new(), 0);
    let mut line: Vec<(char, &Span)> = Vec::new();
    for piece in signs.split_inclusive(|(c, _)| is_space(*c)) {
        let word: Vec<(char, &Span)> = piece.iter().copied().filter(|(c, _)| !is_space(*c)).collect();
        let columns = measure_text_width(&word.iter().map(|(c, _)| *c).collect::<String>());
        if used > 0 && used + 1 + columns > most && !word.is_empty() {
            lines.push(std::mem::take(&mut line));
            used = 0;
        }
        if let (Some((_, last)), Some((_, next))) = (line.last(), word.first()) {
            // The space looks like its neighbours where they look alike.
            line.push((' ', if looks_like(last, next) { *next } else { &plain }));
            used += 1;
        }
        for (c, span) in word {
            let columns = measure_text_width(c.encode_utf8(&mut [0; 4]));
            // A word that is wider than a whole line is cut.
            if used + columns > most && used > 0 {
                lines.push(std::mem::take(&mut line));
                used = 0;
            }
            line.push((c, span));
            used += columns;
        }
        if piece.last().is_some_and(|(c, _)| *c == '\n') {
            lines.push(std::mem::take(&mut line));
            used = 0;
        }
    }
    lines.push(line);
    let run = |run: &[(char, &Span)]| Span { text: run.iter().map(|(c, _)| *c).collect(), ..run[0].1.clone() };
    lines.iter().map(|line: &Vec<_>| line.chunk_by(|(_, a), (_, b)| looks_like(a, b)).map(run).collect()).collect()
}

fn looks_like(one: &Span, other: &Span) -> bool {
    (one.style, &one.link) == (other.style, &other.link)
}

pub(super) fn painted(line: &[Span]) -> String {
    let mut text = String::new();
    for span in line {
        let codes = span.style.codes();
        let shown = if codes.is_empty() { span.text.clone() } else { format!("\u{1b}[{codes}m{}\u{1b}[0m", span.text) };
        match &span.link {
            Some(url) => text.extend(["\u{1b}]8;;", url, "\u{1b}\\", &shown, "\u{1b}]8;;\u{1b}\\"]),
            None => text.push_str(&shown),
        }
    }
    text
}

pub(super) fn plain(line: &[Span]) -> String {
    line.iter().map(|span| span.text.as_str()).collect()
}
