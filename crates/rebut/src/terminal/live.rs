//! A debate while it runs: one line per call, and each statement once it is in the journal.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use console::{Term, measure_text_width};
use indicatif::{ProgressBar, ProgressState, ProgressStyle};
use rebut_core::debate::{Answer, Cost, Debate, EntryKind, Event, Happening, SeatName, StepKey};
use rebut_core::report;
use rebut_engine::providers::Progress;
use rebut_engine::runner::{Observer, Tail};

use super::{Screen, harmless};

/// How many characters of the latest text are shown where the terminal is wide enough.
const LATEST: usize = 160;
/// The columns that spinner, time and spaces take, and the `^C` that a terminal adds.
const SPINNER_AND_CLOCK: usize = 15;
/// Between the time and the latest text.
const BETWEEN: &str = " · ";

pub(crate) struct Live {
    screen: Screen,
    calls: BTreeMap<StepKey, CallLine>,
    /// Lines of calls that were answered and are shown until the debate ends.
    answered: Vec<ProgressBar>,
    started: usize,
    /// How much of a panel's log was shown; not known before the first event.
    shown: Option<usize>,
    /// The whole debate if it is replayed, so that what was redacted later is never shown.
    whole: Option<Debate>,
    /// Whether statements are shown in full.
    full: bool,
}

struct CallLine {
    bar: ProgressBar,
    prefix: String,
    heard: Arc<Mutex<Heard>>,
}

/// What arrived of an answer so far.
#[derive(Clone, Default)]
struct Heard {
    tail: Tail,
    activity: Option<String>,
    /// Expected time and cost so far, shown before the text.
    before: String,
    /// Whether the answer is JSON, which is not shown.
    is_data: Option<bool>,
    /// Whether the text is inside a fenced block, which is not shown.
    in_fence: bool,
    /// Backticks in a row so far: a fence may arrive in two pieces.
    ticks: usize,
    /// Whether the writer has yet to show it.
    is_due: bool,
}

impl Heard {
    /// Takes the prose; an answer in JSON and fenced blocks are data.
    fn take_text(&mut self, text: &str) {
        if self.is_data.is_none() {
            self.is_data = text.trim_start().chars().next().map(|first| matches!(first, '{' | '[' | '`'));
        }
        if self.is_data == Some(true) {
            return;
        }
        for piece in text.split_inclusive('`') {
            let is_tick = piece.ends_with('`');
            let before = piece.trim_end_matches('`');
            if !before.is_empty() {
                self.ticks = 0;
            }
            if !self.in_fence {
                self.tail.push(before);
            }
            self.ticks += usize::from(is_tick);
            if self.ticks == 3 {
                self.in_fence = !self.in_fence;
                self.ticks = 0;
            }
        }
    }

    /// The line after its prefix, which takes `taken` columns.
    fn line(&self, taken: usize) -> String {
        let activity = self.activity.as_deref().map_or_else(String::new, |activity| format!("[{activity}] "));
        let head = harmless(&format!("{} {activity}", self.before)).trim_end().to_owned();
        // The bar would cut the end of the line, where the latest words are; the `^C` of a Ctrl-C must fit as well, or the
        // terminal wraps the line and it can't be removed.
        let taken = taken + measure_text_width(&head) + BETWEEN.len();
        let room = usize::from(Term::stderr().size().1).saturating_sub(taken + 2).min(LATEST);
        let latest = newest(&harmless(&self.tail.last_words(LATEST)), room);
        if latest.is_empty() { head } else { format!("{head}{BETWEEN}\u{1b}[2m{latest}\u{1b}[0m") }
    }
}

impl Live {
    pub(crate) fn new(screen: &Screen) -> Self {
        let (calls, answered) = (BTreeMap::new(), Vec::new());
        Self { screen: screen.clone(), calls, answered, started: 0, shown: None, whole: None, full: screen.statements }
    }

    /// One that replays a debate whose end is known.
    pub(crate) fn again(screen: &Screen, whole: Debate) -> Self {
        Self { whole: Some(whole), full: true, ..Self::new(screen) }
    }

    fn show(&self, text: &str) {
        if !self.screen.quiet {
            self.screen.markdown(text);
        }
    }

    /// Shows the new entries of a panel's log. Those before a resume were shown then.
    fn show_log(&mut self, debate: &Debate) {
        let known = self.shown.unwrap_or(usize::MAX);
        let (mut new, length) = debate.format().log_since(debate, known);
        self.shown = Some(length);
        if let Some(whole) = self.whole.as_ref().filter(|_| !new.is_empty()) {
            let count = new.len();
            new = whole.format().log_since(whole, known).0;
            new.truncate(count);
        }
        for entry in new.iter().filter(|_| self.full) {
            self.show(&format!("{entry}\n"));
        }
    }

    fn begin_line(&mut self, debate: &Debate, key: &StepKey, seat: &SeatName) {
        self.started += 1;
        if !self.screen.draws {
            return;
        }
        let plan = debate.plan();
        let tool = plan.seat(seat).map_or("", |plan| plan.tool.as_str());
        let calls = debate.format().outline(plan).len().max(self.started);
        let prefix =
            harmless(&format!("call {} of {calls}: {} ({tool})", self.started, debate.format().seat_title(plan, seat)))
                .into_owned();
        let cost = Cost::from_nanodollars(debate.accounts().total().cost.known);
        let cost = if cost == Cost::default() { String::new() } else { format!(" · {cost} so far") };
        let before = format!("of about {}{cost}", report::duration(report::usual_call_ms(plan, seat)));
        let heard = Arc::new(Mutex::new(Heard { before: before.clone(), ..Heard::default() }));
        let bar = ProgressBar::hidden();
        self.calls.insert(key.clone(), CallLine { bar: bar.clone(), prefix: prefix.clone(), heard });
        self.screen.draw(move |lines| {
            let bar = lines.add(bar);
            set_style(&bar, "{spinner} {prefix} {elapsed} {msg}");
            bar.set_prefix(prefix);
            bar.set_message(before);
            bar.enable_steady_tick(Duration::from_millis(120));
        });
    }

    fn end_line(&mut self, key: &StepKey) {
        self.screen.remove(self.calls.remove(key).map(|call| call.bar));
    }

    /// An answer is in. In full it follows as a passage, else it gets one line. The answers of an ask are shown together at the
    /// end.
    fn answered(&mut self, debate: &Debate, key: &StepKey, answer: &Answer) {
        if !debate.format().side_by_side(debate).is_empty() {
            return self.keep_line(key, &answer.text);
        }
        self.end_line(key);
        if !self.full && !self.screen.quiet {
            self.screen.marked("", &format!("✔ {} · {}", call_name(debate, key), report::duration(answer.duration_ms)));
        }
    }

    /// Leaves the line of an answer that is shown only at the end.
    fn keep_line(&mut self, key: &StepKey, text: &str) {
        if let Some(CallLine { bar, prefix, .. }) = self.calls.remove(key) {
            let first = text.lines().find(|line| !line.trim().is_empty() && !line.starts_with(['{', '[', '`']));
            let first = harmless(first.unwrap_or_default()).into_owned();
            self.answered.push(bar.clone());
            self.screen.draw(move |_| {
                set_style(&bar, "✔ {prefix} {elapsed} {wide_msg:.dim}");
                bar.set_prefix(prefix);
                bar.abandon_with_message(first);
            });
        }
    }

    fn clear_lines(&mut self) {
        let calls = std::mem::take(&mut self.calls).into_values().map(|call| call.bar);
        self.screen.remove(self.answered.drain(..).chain(calls));
    }
}

/// A call's line, with its time as it is written everywhere else: `3 s`, `2 min 5 s`.
fn set_style(bar: &ProgressBar, template: &str) {
    let elapsed = |state: &ProgressState, out: &mut dyn fmt::Write| {
        let seconds = state.elapsed().as_secs();
        let _ =
            if seconds < 60 { write!(out, "{seconds} s") } else { write!(out, "{} min {} s", seconds / 60, seconds % 60) };
    };
    if let Ok(style) = ProgressStyle::with_template(template) {
        bar.set_style(style.with_key("elapsed", elapsed));
    }
}

impl Observer for Live {
    fn event(&mut self, debate: &Debate, _seq: u64, event: &Event) {
        match &event.happening {
            Happening::Planned { .. } if !self.screen.quiet => {
                let plan = debate.plan();
                self.screen.text(&if self.full { report::plan_text(plan) } else { report::plan_lines(plan) });
            }
            Happening::Resumed { amendment } if amendment.change.is_some() => {}
            Happening::Resumed { .. } => {
                let kept = debate.calls().filter(|(key, _)| debate.answered(key).is_some()).count();
                if kept > 0 {
                    let answers = if kept == 1 { "answer" } else { "answers" };
                    self.screen.note(&format!("Reusing {kept} saved {answers}"));
                }
            }
            Happening::Started { key, seat, attempt, limit_ms, .. } => {
                if self.screen.verbose {
                    let limit = report::duration(*limit_ms);
                    self.screen.note(&format!("{key}: asking {seat} (attempt {attempt}, limit {limit})"));
                }
                self.begin_line(debate, key, seat);
            }
            Happening::Retrying { key, failure, wait_ms } => {
                let wait = report::duration(*wait_ms);
                self.screen.warn(&format!("{} {failure}; retrying in {wait}", asked(debate, key)));
            }
            Happening::Rejected { key, rejection, .. } => {
                self.end_line(key);
                // The reason can quote the answer; its code says the same in a word.
                let code = &rejection.code;
                let why = code.rsplit(':').next().unwrap_or(code).replace('_', " ");
                let why = if self.screen.verbose { code } else { &why };
                self.screen.warn(&format!("{} returned an invalid answer ({why})", asked(debate, key)));
            }
            Happening::Failed { key, failure } => {
                self.end_line(key);
                self.screen.warn(&format!("{} {failure}", asked(debate, key)));
            }
            Happening::Abandoned { key, .. } => self.end_line(key),
            Happening::Answered { key, answer, .. } => self.answered(debate, key, answer),
            Happening::Checked { findings, .. } if !self.full && !self.screen.quiet => {
                for found in findings.iter().filter(|found| found.claim.is_some() && found.result.is_false()) {
                    self.screen.marked("  ", &found.to_string());
                }
            }
            Happening::BudgetSpent { limit } => {
                self.screen.note(&format!("Budget reached ({}): going to the verdict", limit.words()));
            }
            Happening::Recorded { entry, .. } if entry.kind == EntryKind::Extract => {
                self.screen.warn("The summary failed; using an extract of the statements instead");
            }
            Happening::Finished { .. } | Happening::Interrupted { .. } => self.clear_lines(),
            Happening::Planned { .. }
            | Happening::Recorded { .. }
            | Happening::Checked { .. }
            | Happening::Tried { .. }
            | Happening::Chosen { .. } => {}
        }
        if let Some(passage) = debate.format().passage(debate, event).filter(|_| self.full) {
            self.show(&format!("{passage}\n"));
        }
        self.show_log(debate);
    }

    fn progress(&mut self, key: &StepKey, progress: &Progress) {
        let Some(line) = self.calls.get(key) else { return };
        let mut heard = line.heard.lock().unwrap_or_else(PoisonError::into_inner);
        match progress {
            Progress::Text(text) => heard.take_text(text),
            Progress::Tokens(_) => {}
            Progress::Activity(activity) => heard.activity = Some(activity.clone()),
        }
        // Words arrive faster than they can be drawn: the writer draws all that arrived until its turn.
        if std::mem::replace(&mut heard.is_due, true) {
            return;
        }
        drop(heard);
        let (bar, heard) = (line.bar.clone(), Arc::clone(&line.heard));
        let before = SPINNER_AND_CLOCK + measure_text_width(&line.prefix);
        self.screen.draw(move |_| {
            let now = {
                let mut heard = heard.lock().unwrap_or_else(PoisonError::into_inner);
                heard.is_due = false;
                heard.clone()
            };
            bar.set_message(now.line(before));
        });
    }
}

fn newest(text: &str, room: usize) -> String {
    let mut rest = text;
    while measure_text_width(rest) > room {
        let mut characters = rest.chars();
        characters.next();
        rest = characters.as_str();
    }
    rest.to_owned()
}

/// A call in words: `round 1 · proposer (claude)`.
fn call_name(debate: &Debate, key: &StepKey) -> String {
    named(debate, key, " · ").map_or_else(|| key.to_string(), |(call, tool)| format!("{call} ({tool})"))
}

/// A call as the subject of a sentence: `round 1, proposer: claude`.
fn asked(debate: &Debate, key: &StepKey) -> String {
    named(debate, key, ", ").map_or_else(|| key.to_string(), |(call, tool)| format!("{call}: {tool}"))
}

/// Phase and seat of a call, and the seat's tool. A seat with a phase of its own, such as a panel's audience, is named once.
fn named<'a>(debate: &'a Debate, key: &StepKey, between: &str) -> Option<(String, &'a str)> {
    let call = debate.call(key)?;
    let (phase, seat) = (call.phase.to_string(), debate.format().seat_title(debate.plan(), &call.seat));
    let tool = debate.plan().seat(&call.seat).map_or("the seat", |seat| seat.tool.as_str());
    Some((if phase == seat { phase } else { format!("{phase}{between}{seat}") }, tool))
}
