//! Markdown on a terminal: headings, emphasis, lists, quotes, code and tables, fitted to its width.
//!
//! The text was made harmless before; all escape sequences come from here.

use pulldown_cmark::{CodeBlockKind, Event, HeadingLevel, Options, Parser, Tag, TagEnd};

use super::harmless;
use super::highlight::highlighted;
use super::spans::{Color, Line, Span, Style, painted, plain, width, wrap};
use super::table::fitted;

/// The widest line of prose: longer ones are hard to follow.
const WIDEST_PROSE: usize = 100;

/// Where a click on a word such as `src/pool.rs:35` leads.
pub(super) type LinkOf<'a> = &'a dyn Fn(&str) -> Option<String>;

pub(super) struct Look<'a> {
    pub(super) color: bool,
    /// Only where the terminal knows links.
    pub(super) link: Option<LinkOf<'a>>,
}

pub(super) fn render(text: &str, columns: usize, look: &Look) -> String {
    let mut page = Page {
        columns: columns.max(20),
        look,
        lines: Vec::new(),
        margins: Vec::new(),
        lists: Vec::new(),
        inline: Line::new(),
        styles: vec![Style::default()],
        url: None,
        code: None,
        table: Vec::new(),
    };
    let parser = Parser::new_ext(text, Options::ENABLE_TABLES | Options::ENABLE_STRIKETHROUGH);
    for (event, range) in parser.into_offset_iter() {
        page.take(match event {
            // Character references could encode escape sequences and marks, so they stay as written.
            Event::Text(_) if text[range.clone()].starts_with('&') => Event::Text(text[range].into()),
            event => event,
        });
    }
    page.flush();
    while page.lines.last().is_some_and(String::is_empty) {
        page.lines.pop();
    }
    page.lines.join("\n")
}

/// What a block in a quote or a list begins its lines with.
struct Margin {
    first: Option<Span>,
    rest: Span,
}

struct Page<'a> {
    columns: usize,
    look: &'a Look<'a>,
    lines: Vec<String>,
    margins: Vec<Margin>,
    /// The number of the next item, for each open list that has numbers.
    lists: Vec<Option<u64>>,
    inline: Line,
    styles: Vec<Style>,
    /// Where the link that is being read leads.
    url: Option<String>,
    /// Language and text of the code that is being read.
    code: Option<(String, String)>,
    /// The rows of the table that is being read.
    table: Vec<Vec<Line>>,
}

impl Page<'_> {
    fn take(&mut self, event: Event) {
        match event {
            Event::Start(tag) => self.start(tag),
            Event::End(tag) => self.end(tag),
            Event::Text(text) | Event::Html(text) | Event::InlineHtml(text) => match &mut self.code {
                Some((_, code)) => code.push_str(&text),
                None => self.text(&text),
            },
            Event::Code(code) if self.look.color => self.word(&code, Style::colored(Color::Cyan)),
            Event::Code(code) => self.word(&format!("`{code}`"), Style::default()),
            Event::SoftBreak => self.text(" "),
            Event::HardBreak => self.text("\n"),
            Event::Rule => {
                self.gap();
                let rule = "─".repeat(self.room().min(WIDEST_PROSE));
                self.line(vec![Span::new(rule, Style::DIM)]);
            }
            Event::FootnoteReference(_) | Event::TaskListMarker(_) | Event::InlineMath(_) | Event::DisplayMath(_) => {}
        }
    }

    fn start(&mut self, tag: Tag) {
        match tag {
            Tag::Paragraph | Tag::Table(_) => self.gap(),
            Tag::Heading { level, .. } => {
                self.gap();
                self.styles.push(Style { underline: level == HeadingLevel::H1, ..Style::BOLD });
                if !self.look.color {
                    self.text(&format!("{} ", "#".repeat(level as usize)));
                }
            }
            Tag::BlockQuote(_) => {
                self.gap();
                let bar = Span::new("│ ", Style::DIM);
                self.margins.push(Margin { first: None, rest: bar });
            }
            Tag::CodeBlock(kind) => {
                self.flush();
                self.gap();
                let language = match &kind {
                    CodeBlockKind::Fenced(info) => info.split([' ', ',', '{']).next().unwrap_or_default().to_owned(),
                    CodeBlockKind::Indented => String::new(),
                };
                self.code = Some((language, String::new()));
            }
            Tag::List(first) => {
                self.flush();
                if self.lists.is_empty() {
                    self.gap();
                }
                self.lists.push(first);
            }
            Tag::Item => {
                let mark = match self.lists.last_mut() {
                    Some(Some(number)) => {
                        let mark = format!("{number}. ");
                        *number += 1;
                        mark
                    }
                    _ => "• ".to_owned(),
                };
                let rest = Span::new(" ".repeat(mark.chars().count()), Style::default());
                self.margins.push(Margin { first: Some(Span::new(mark, Style::default())), rest });
            }
            Tag::Emphasis => self.push_style(|style| style.italic = true),
            Tag::Strong => self.push_style(|style| style.bold = true),
            Tag::Strikethrough => self.push_style(|style| style.strike = true),
            Tag::Link { dest_url, .. } | Tag::Image { dest_url, .. } => self.url = Some(harmless(&dest_url).into_owned()),
            Tag::TableHead | Tag::TableRow => self.table.push(Vec::new()),
            _ => {}
        }
    }

    fn end(&mut self, tag: TagEnd) {
        match tag {
            TagEnd::Paragraph => self.flush(),
            TagEnd::Heading(_) => {
                self.flush();
                self.styles.pop();
            }
            TagEnd::BlockQuote(_) | TagEnd::Item => {
                self.flush();
                self.margins.pop();
            }
            TagEnd::List(_) => drop(self.lists.pop()),
            TagEnd::CodeBlock => {
                let (language, code) = self.code.take().unwrap_or_default();
                let language = if self.look.color { language.as_str() } else { "" };
                for mut line in highlighted(&code, language) {
                    line.insert(0, Span::new("    ", Style::default()));
                    self.line(line);
                }
            }
            TagEnd::Emphasis | TagEnd::Strong | TagEnd::Strikethrough => drop(self.styles.pop()),
            TagEnd::Link | TagEnd::Image => {
                // The destination is always shown: a text can name another one.
                if let Some(url) = self.url.take()
                    && !plain(&self.inline).ends_with(&url)
                {
                    self.text(&format!(" ({url})"));
                }
            }
            TagEnd::TableCell => {
                if let Some(row) = self.table.last_mut() {
                    row.push(std::mem::take(&mut self.inline));
                }
            }
            TagEnd::Table => {
                for line in fitted(&std::mem::take(&mut self.table), self.room()) {
                    self.line(line);
                }
            }
            _ => {}
        }
    }

    fn push_style(&mut self, change: impl FnOnce(&mut Style)) {
        let mut style = self.styles.last().copied().unwrap_or_default();
        change(&mut style);
        self.styles.push(style);
    }

    fn text(&mut self, text: &str) {
        let style = self.styles.last().copied().unwrap_or_default();
        for word in text.split_inclusive([' ', '\n']) {
            self.word(word, style);
        }
    }

    /// Adds a word: marks have their colour, and what can be opened is a link.
    fn word(&mut self, word: &str, style: Style) {
        let style = Style { color: Color::of_mark(word.trim()).or(style.color), ..style };
        let name = word.trim().trim_matches(['(', ')', '`', ',', ';', '.']);
        let link = self.look.link.and_then(|link| link(name));
        self.inline.push(Span { text: word.to_owned(), style, link });
    }

    fn room(&self) -> usize {
        let taken: usize = self.margins.iter().map(|margin| width(std::slice::from_ref(&margin.rest))).sum();
        self.columns.saturating_sub(taken).max(10)
    }

    fn flush(&mut self) {
        let inline = std::mem::take(&mut self.inline);
        if plain(&inline).trim().is_empty() {
            return;
        }
        for line in wrap(&inline, self.room().min(WIDEST_PROSE)) {
            self.line(line);
        }
    }

    /// An empty line before a block, unless the block comes first or right after its list mark.
    fn gap(&mut self) {
        let is_first = self.margins.last().is_some_and(|margin| margin.first.is_some());
        if !is_first && self.lines.last().is_some_and(|line| !line.is_empty()) {
            let rest: Line = self.margins.iter().map(|margin| margin.rest.clone()).collect();
            let line = self.shown(&rest);
            self.lines.push(line.trim_end().to_owned());
        }
    }

    fn line(&mut self, line: Line) {
        let margins = self.margins.iter_mut().map(|margin| margin.first.take().unwrap_or_else(|| margin.rest.clone()));
        let whole: Line = margins.collect::<Vec<_>>().into_iter().chain(line).collect();
        let shown = self.shown(&whole);
        self.lines.push(shown.trim_end().to_owned());
    }

    fn shown(&self, line: &[Span]) -> String {
        if self.look.color { painted(line) } else { plain(line) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PAGE: &str = "\
# Verdict

**Challenger** wins: the *leak* in `acquire()` at src/pool.rs:35 went unanswered, and nobody showed that more connections help.

- ✔ src/pool.rs:88-95
- ✘ `src/nope.rs`: no such file, which is a long explanation that has to be wrapped somewhere
  1. nested
  2. items

> quoted
> text

| claim | side | evidence |
|---|---|---|
| acquire() drops the lock before it awaits, which is long | challenger | ✔ src/pool.rs:88-95 |
| p99 is 40 ms | proposer | ✘ |

```rust
let guard = lock(); // held
```

[docs](https://example.org/a) <https://example.org/b>
";

    fn shown(columns: usize) -> String {
        render(PAGE, columns, &Look { color: false, link: None })
    }

    #[test]
    fn a_page_fits_every_width() {
        for columns in [60, 80, 200] {
            let page = shown(columns);
            assert!(page.lines().all(|line| console::measure_text_width(line) <= columns), "{page}");
            insta::assert_snapshot!(format!("page_at_{columns}"), page);
        }
    }

    #[test]
    fn colours_only_add_escape_sequences() {
        let link = |word: &str| word.starts_with("src/pool.rs:35").then(|| "file:///w/src/pool.rs".to_owned());
        let page = render(PAGE, 80, &Look { color: true, link: Some(&link) });
        insta::assert_snapshot!(page.replace('\u{1b}', "^"));
    }

    #[test]
    fn character_references_do_nothing() {
        let hostile =
            "a &#27;]0;x&#7; &#x1b;[2J &#10004; &#x202e; [b](https://x.org/&#27;]8;;) `&#27;` <https://y.org/&#7;>";
        let page = render(hostile, 200, &Look { color: false, link: None });
        assert!(!page.contains(['\u{1b}', '\u{7}', '\u{202e}', '✔']), "{page:?}");
        assert!(page.contains("&#27;]0;x&#7;") && page.contains("&#10004;"), "{page:?}");
    }

    #[test]
    fn no_word_is_lost_in_a_narrow_table() {
        let page = render(
            "| a | b | c | d |\n|-|-|-|-|\n| one two three | four five | six | seven |",
            20,
            &Look { color: false, link: None },
        );
        for word in ["one", "two", "three", "four", "five", "six", "seven"] {
            assert!(page.contains(word), "{page}");
        }
    }
}
