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

    fn same_look(&self, text: String) -> Self {
        Self { text, ..self.clone() }
    }
}

pub(super) fn width(line: &[Span]) -> usize {
    line.iter().map(|span| measure_text_width(&span.text)).sum()
}

/// Breaks text into lines of at most `most` columns, between words where it can. Runs of white space become one space.
pub(super) fn wrap(spans: &[Span], most: usize) -> Vec<Line> {
    let most = most.max(1);
    let mut lines: Vec<Line> = vec![Line::new()];
    let mut used = 0;
    for word in words(spans) {
        match word {
            Word::Break => {
                lines.push(Line::new());
                used = 0;
            }
            Word::Text(pieces) => {
                let columns = width(&pieces);
                if used > 0 && used + 1 + columns > most {
                    lines.push(Line::new());
                    used = 0;
                }
                if used > 0 {
                    let space = space_before(&lines, pieces.first());
                    push(&mut lines, space);
                    used += 1;
                }
                for piece in pieces {
                    used = place(&mut lines, &piece, used, most);
                }
            }
        }
    }
    lines
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

enum Word {
    Text(Line),
    Break,
}

fn words(spans: &[Span]) -> Vec<Word> {
    let mut words = Vec::new();
    let mut word = Line::new();
    let end = |word: &mut Line, words: &mut Vec<Word>| {
        if !word.is_empty() {
            words.push(Word::Text(std::mem::take(word)));
        }
    };
    for span in spans {
        let mut text = String::new();
        for c in span.text.chars() {
            if c.is_whitespace() && c != '\u{a0}' {
                if !text.is_empty() {
                    word.push(span.same_look(std::mem::take(&mut text)));
                }
                end(&mut word, &mut words);
                if c == '\n' {
                    words.push(Word::Break);
                }
            } else {
                text.push(c);
            }
        }
        if !text.is_empty() {
            word.push(span.same_look(text));
        }
    }
    end(&mut word, &mut words);
    words
}

/// Adds a piece without white space; cuts it where it is wider than a whole line.
fn place(lines: &mut Vec<Line>, piece: &Span, mut used: usize, most: usize) -> usize {
    let mut text = String::new();
    for c in piece.text.chars() {
        let columns = measure_text_width(c.encode_utf8(&mut [0; 4]));
        if used + columns > most && used > 0 {
            push(lines, piece.same_look(std::mem::take(&mut text)));
            lines.push(Line::new());
            used = 0;
        }
        text.push(c);
        used += columns;
    }
    push(lines, piece.same_look(text));
    used
}

/// The space before a word, which looks like its neighbours where they look alike.
fn space_before(lines: &[Line], next: Option<&Span>) -> Span {
    let last = lines.last().and_then(|line| line.last());
    match (last, next) {
        (Some(last), Some(next)) if looks_like(last, next) => next.same_look(" ".to_owned()),
        _ => Span::new(" ", Style::default()),
    }
}

fn looks_like(one: &Span, other: &Span) -> bool {
    (one.style, &one.link) == (other.style, &other.link)
}

fn push(lines: &mut [Line], span: Span) {
    let Some(line) = lines.last_mut() else { return };
    match line.last_mut() {
        Some(last) if looks_like(last, &span) => last.text.push_str(&span.text),
        _ if span.text.is_empty() => {}
        _ => line.push(span),
    }
}
