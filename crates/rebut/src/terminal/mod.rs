//! What the user sees. Text that a model wrote is made harmless before it reaches the screen.

mod ask;
mod columns;
mod ending;
mod highlight;
mod json;
mod listing;
mod live;
mod markdown;
mod programs;
mod pull;
mod spans;
mod table;
mod wrap;
mod writer;

use std::io::{self, IsTerminal, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};

use console::Term;
use indicatif::{MultiProgress, ProgressBar};
use rebut_engine::config::{self, OutputSettings};
use serde_json::Value;

use crate::cli::Shared;
use crate::error::CommandError;

pub(crate) use rebut_core::report::harmless;

pub(crate) use ask::{has_terminal, pick, question};
use json::escaped;
pub(crate) use live::Live;
use markdown::Look;
pub(crate) use pull::PullView;
use spans::{Color, Span, Style, painted};
use writer::Writer;

#[derive(Clone, Debug)]
pub(crate) struct Screen {
    pub(crate) json: bool,
    pub(crate) quiet: bool,
    pub(crate) verbose: bool,
    pub(crate) statements: bool,
    pub(crate) notifies: bool,
    color: bool,
    color_errors: bool,
    pub(crate) draws: bool,
    /// The width of the terminal that text goes to, if it is one.
    columns: Option<usize>,
    error_columns: Option<usize>,
    /// The folder in which `src/pool.rs:35` is a file, where the terminal knows links.
    links: Option<PathBuf>,
    /// Progress lines; everything else is printed above them. Only the writer touches them, since drawing can block too.
    lines: MultiProgress,
    writer: Writer,
    /// Whether the command is done and only the output is left.
    finishing: Arc<AtomicBool>,
    /// The first error of standard output.
    unwritten: Arc<OnceLock<io::Error>>,
    /// Whether standard input and output carry a protocol, so that nothing is asked or printed there.
    pub(crate) serves: bool,
}

impl Screen {
    pub(crate) fn new(shared: &Shared) -> Self {
        let unset = |name: &str| std::env::var_os(name).is_none_or(|value| value.is_empty());
        let is_able = std::env::var_os("TERM").is_none_or(|term| term != "dumb");
        let allowed = !shared.no_color && unset("NO_COLOR") && is_able;
        let errors = io::stderr().is_terminal();
        let out = if shared.json { errors } else { io::stdout().is_terminal() };
        let terminal = if shared.json { Term::stderr() } else { Term::stdout() };
        Self {
            json: shared.json,
            quiet: shared.quiet,
            verbose: shared.verbose,
            statements: shared.verbose,
            notifies: false,
            color: allowed && out,
            color_errors: allowed && errors,
            draws: errors && !shared.quiet && is_able,
            columns: out.then(|| usize::from(terminal.size().1)),
            error_columns: errors.then(|| usize::from(Term::stderr().size().1)),
            links: None,
            lines: MultiProgress::new(),
            writer: Writer::start(),
            finishing: Arc::default(),
            unwritten: Arc::default(),
            serves: false,
        }
    }

    /// The same for a server, whose standard input and output carry a protocol.
    pub(crate) fn of_server(&self) -> Self {
        Self { json: false, quiet: true, draws: false, columns: None, serves: true, ..self.clone() }
    }

    pub(crate) fn is_for_people(&self) -> bool {
        self.columns.is_some()
    }

    /// Whether the user can be asked: there is a terminal on both sides.
    pub(crate) fn can_ask(&self) -> bool {
        !self.serves && has_terminal()
    }

    /// Asks a question that is answered with yes or no, [y/N]. `None` if the user can't be asked.
    pub(crate) fn confirm(&self, question: &str, help: &str) -> Option<bool> {
        self.can_ask().then(|| {
            let answer = self.ask(&format!("{question} [y/N]"), help).unwrap_or_default();
            ["y", "yes"].contains(&answer.to_lowercase().as_str())
        })
    }

    /// The same where `otherwise` is the way without being asked.
    pub(crate) fn agreed(&self, question: &str, help: &str, otherwise: &str) -> Result<bool, CommandError> {
        let answer = self.confirm(question, help);
        answer.ok_or_else(|| CommandError::usage("can't ask without a terminal").hint(otherwise))
    }

    /// The same where an empty line means yes, [Y/n].
    pub(crate) fn confirm_unless_no(&self, question: &str, help: &str) -> bool {
        let answer = self.ask(&format!("{question} [Y/n]"), help).map(|answer| answer.to_lowercase());
        matches!(answer.as_deref(), Some("" | "y" | "yes"))
    }

    /// Follows the settings; flags and NO_COLOR override them.
    pub(crate) fn follow(&mut self, settings: &OutputSettings, no_color: bool) {
        let forbidden = no_color || std::env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty());
        match settings.color {
            config::Color::Always if !forbidden => (self.color, self.color_errors) = (true, true),
            config::Color::Never => (self.color, self.color_errors) = (false, false),
            _ => {}
        }
        self.statements |= settings.statements;
        self.notifies |= settings.notify;
    }

    /// Text for people, made harmless: on standard output, or on standard error with `--json`.
    ///
    /// A full disk doesn't end a debate that is being paid for: [`unwritten`](Self::unwritten) reports it at the end.
    pub(crate) fn text(&self, text: &str) {
        let safe = harmless(text);
        self.print(&self.columns.map_or_else(|| safe.to_string(), |columns| wrap::wrap(&safe, columns)));
    }

    /// A line that begins with a mark, in the mark's colour.
    pub(crate) fn marked(&self, indent: &str, line: &str) {
        let (mark, rest) = line.split_once(' ').unwrap_or((line, ""));
        match Color::of_mark(mark).filter(|_| self.color) {
            Some(color) => {
                let columns = self.columns.unwrap_or(usize::MAX).saturating_sub(indent.len() + 2);
                let wrapped = wrap::wrap(&harmless(rest), columns).replace('\n', &format!("\n{indent}  "));
                self.print(&format!("{indent}{} {wrapped}", painted(&[Span::new(mark, Style::colored(color))])));
            }
            None => self.text(&format!("{indent}{line}")),
        }
    }

    /// Files of this folder that are named in Markdown can be clicked, if the terminal knows links.
    pub(crate) fn link_files_of(&mut self, workspace: &Path) {
        let terminal = if self.json { supports_hyperlinks::Stream::Stderr } else { supports_hyperlinks::Stream::Stdout };
        self.links = (self.color && supports_hyperlinks::on(terminal)).then(|| workspace.to_owned());
    }

    /// Markdown, rendered on a terminal and as it is elsewhere.
    pub(crate) fn markdown(&self, text: &str) {
        self.print(&self.rendered(text));
    }

    /// The same for a whole document: what is longer than the terminal goes through the pager.
    pub(crate) fn document_for_people(&self, text: &str) {
        let shown = self.rendered(text);
        self.finish();
        let is_long = Term::stdout().size_checked().is_some_and(|(rows, _)| shown.lines().count() >= usize::from(rows));
        if self.json || !is_long || !programs::page(&shown) {
            self.print(&shown);
        }
    }

    fn rendered(&self, text: &str) -> String {
        let safe = harmless(text);
        let Some(columns) = self.columns else { return safe.into_owned() };
        let link = |word: &str| file_url(self.links.as_deref()?, word);
        let look = Look { color: self.color, link: self.links.is_some().then_some(&link) };
        markdown::render(&safe, columns, &look)
    }

    /// Text that must not be wrapped, such as a diff.
    pub(crate) fn lines_as_they_are(&self, text: &str) {
        self.print(&harmless(text));
    }

    fn print(&self, shown: &str) {
        let shown = format!("{shown}\n");
        if self.json || self.serves {
            self.above_lines(move |_| drop(io::stderr().write_all(shown.as_bytes())));
        } else {
            self.above_lines(move |screen| screen.mind(io::stdout().write_all(shown.as_bytes())));
        }
    }

    fn above_lines(&self, write: impl FnOnce(&Self) + Send + 'static) {
        let screen = self.clone();
        self.writer.write(move || screen.lines.suspend(|| write(&screen)));
    }

    fn draw(&self, change: impl FnOnce(&MultiProgress) + Send + 'static) {
        let lines = self.lines.clone();
        self.writer.write(move || change(&lines));
    }

    fn remove(&self, bars: impl IntoIterator<Item = ProgressBar>) {
        for bar in bars {
            self.draw(move |lines| {
                bar.finish_and_clear();
                lines.remove(&bar);
            });
        }
    }

    /// Keeps the first error of standard output. A reader that went away is not one.
    fn mind(&self, written: io::Result<()>) {
        if let Err(error) = written
            && error.kind() != io::ErrorKind::BrokenPipe
        {
            let _ = self.unwritten.set(error);
        }
    }

    /// Waits until everything is written, however long the reader takes.
    pub(crate) fn finish(&self) {
        self.writer.finish();
    }

    pub(crate) fn is_finishing(&self) -> bool {
        self.finishing.load(Ordering::Relaxed)
    }

    /// Why not all of the output was written, if so. Called once the command is done.
    pub(crate) fn unwritten(&self) -> Option<&io::Error> {
        self.finishing.store(true, Ordering::Relaxed);
        self.finish();
        // What is still buffered would be lost without an error when the program ends.
        self.mind(io::stdout().flush());
        self.unwritten.get()
    }

    /// Texts under their headings: side by side if the terminal is wide enough, else one below the other.
    pub(crate) fn side_by_side(&self, panels: &[(String, String)]) {
        let safe: Vec<(String, String)> =
            panels.iter().map(|(heading, text)| (harmless(heading).into_owned(), harmless(text).into_owned())).collect();
        let look = Look { color: self.color, link: None };
        if let Some(rows) = self.columns.and_then(|columns| columns::side_by_side(&safe, columns, &look)) {
            return self.print(rows.trim_end());
        }
        let texts: Vec<String> = safe.iter().map(|(heading, text)| format!("## {heading}\n\n{text}")).collect();
        self.markdown(&texts.join("\n\n"));
    }

    /// A note on standard error, except with `--quiet`.
    pub(crate) fn note(&self, text: &str) {
        if !self.quiet {
            self.error_line("note", text);
        }
    }

    pub(crate) fn warn(&self, text: &str) {
        if !self.quiet {
            self.error_line("warning", text);
        }
    }

    pub(crate) fn error_line(&self, kind: &str, text: &str) {
        let shown = match (self.color_errors, kind) {
            (true, "error") => "\u{1b}[1;31merror\u{1b}[0m".to_owned(),
            (true, "warning") => "\u{1b}[1;33mwarning\u{1b}[0m".to_owned(),
            (true, _) => format!("\u{1b}[1m{kind}\u{1b}[0m"),
            (false, _) => kind.to_owned(),
        };
        let line = format!("{kind}: {}\n", harmless(text));
        let line = self.error_columns.map_or(line.clone(), |columns| wrap::wrap(&line, columns));
        let line = line.replacen(kind, &shown, 1);
        self.above_lines(move |_| drop(io::stderr().write_all(line.as_bytes())));
    }

    /// Text on standard error, made harmless.
    pub(crate) fn error_text(&self, text: &str) {
        let text = harmless(text);
        let line = format!("{}\n", self.error_columns.map_or(text.to_string(), |columns| wrap::wrap(&text, columns)));
        self.above_lines(move |_| drop(io::stderr().write_all(line.as_bytes())));
    }

    /// A question on standard error, which is answered on the same line.
    pub(crate) fn prompt(&self, text: &str) {
        let line = format!("{} ", harmless(text));
        self.above_lines(move |_| drop(io::stderr().write_all(line.as_bytes())));
    }

    /// A JSON line on standard output, with `--json`.
    pub(crate) fn json(&self, value: impl FnOnce() -> Value) {
        if self.json {
            // One write: standard output would split a long line into many.
            let line = format!("{}\n", escaped(&value().to_string()));
            self.above_lines(move |screen| screen.mind(io::stdout().write_all(line.as_bytes())));
        }
    }

    /// Raw text on standard output: documents that go to a file or another program. On a terminal it is made harmless.
    pub(crate) fn document(&self, text: &str) {
        self.finish();
        let mut out = io::stdout().lock();
        let text = if out.is_terminal() { harmless(text) } else { text.into() };
        self.mind(out.write_all(text.as_bytes()).and_then(|()| out.flush()));
    }

    /// The same for JSON, which stays the same JSON: harmful characters are escaped.
    pub(crate) fn json_document(&self, text: &str) {
        self.document(&escaped(text));
    }
}

/// The first of some names, and how many more there are.
pub(crate) fn first_of(names: &[String], most: usize) -> String {
    let shown = names.iter().take(most).map(String::as_str).collect::<Vec<_>>().join(", ");
    if names.len() > most { format!("{shown} and {} more", names.len() - most) } else { shown }
}

/// Where a click on `src/pool.rs:35` leads, if that is a file in the folder.
fn file_url(folder: &Path, word: &str) -> Option<String> {
    let (name, lines) = word.split_once(':').unwrap_or((word, "1"));
    let is_place = !name.is_empty() && lines.chars().all(|c| c.is_ascii_digit() || c == '-');
    let path = folder.join(name);
    let is_inside = is_place && path.starts_with(folder) && !name.split('/').any(|part| part == "..") && path.is_file();
    is_inside.then(|| url::Url::from_file_path(path).ok()).flatten().map(String::from)
}
