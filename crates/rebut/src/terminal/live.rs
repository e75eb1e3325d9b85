//! A debate as it is held: a line for each call under way, and each statement once it is in the journal.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use console::{Term, measure_text_width};
use indicatif::{ProgressBar, ProgressStyle};
use rebut_core::debate::{Debate, EntryKind, Event, Happening, SeatName, StepKey};
use rebut_core::report;
use rebut_engine::providers::Progress;
use rebut_engine::runner::{Observer, Tail};

use super::{Screen, harmless};

/// How many characters of the last words are shown where the terminal is wide enough.
const LAST_WORDS: usize = 160;
/// The columns that the moving sign, the time and the spaces between take.
const SPINNER_AND_CLOCK: usize = 10;

/// Shows a debate on the terminal while it is held, and just so when it is replayed.
pub(crate) struct Live {
    screen: Screen,
    calls: BTreeMap<StepKey, CallLine>,
    /// How much of a panel's log was shown; not known before the first event.
    shown: Option<usize>,
    /// The whole debate, where it is told again: what was redacted in the end is not shown on the way there.
    whole: Option<Debate>,
}

struct CallLine {
    bar: ProgressBar,
    prefix: String,
    heard: Arc<Mutex<Heard>>,
}

/// What was heard of a call so far.
#[derive(Clone, Default)]
struct Heard {
    tail: Tail,
    tokens: Option<u64>,
    activity: Option<String>,
    /// Whether the writer is going to show it anyway.
    is_due: bool,
}

impl Heard {
    fn take(&mut self, progress: &Progress) {
        match progress {
            Progress::Text(text) => self.tail.push(text),
            Progress::Tokens(tokens) => self.tokens = Some(*tokens),
            Progress::Activity(activity) => self.activity = Some(activity.clone()),
        }
    }

    /// The line, without what stands before it, which is so wide.
    fn line(&self, before: usize) -> String {
        let tokens = self.tokens.map_or_else(|| format!("~{}", self.tail.bytes() / 4), |tokens| tokens.to_string());
        let activity = self.activity.as_deref().map_or_else(String::new, |activity| format!("[{activity}] "));
        let head = format!("{} ", harmless(&format!("{tokens} tokens  {activity}")).trim_end());
        // The line is cut at its end, where the newest words are: so only as many are handed over as there is room for.
        let taken = before + measure_text_width(&head);
        let room = usize::from(Term::stderr().size().1).saturating_sub(taken).min(LAST_WORDS);
        head + &newest(&harmless(&self.tail.last_words(LAST_WORDS)), room)
    }
}

impl Live {
    pub(crate) fn new(screen: &Screen) -> Self {
        Self { screen: screen.clone(), calls: BTreeMap::new(), shown: None, whole: None }
    }

    /// One that tells a debate again, of which the end is known.
    pub(crate) fn again(screen: &Screen, whole: Debate) -> Self {
        Self { whole: Some(whole), ..Self::new(screen) }
    }

    fn show(&self, text: &str) {
        if !self.screen.quiet {
            self.screen.text(text);
        }
    }

    /// Shows what a panel's log has gained. What was said before a debate was resumed was shown then.
    fn show_log(&mut self, debate: &Debate) {
        let known = self.shown.unwrap_or(usize::MAX);
        let (mut new, length) = debate.format().log_since(debate, known);
        self.shown = Some(length);
        if let Some(whole) = self.whole.as_ref().filter(|_| !new.is_empty()) {
            let count = new.len();
            new = whole.format().log_since(whole, known).0;
            new.truncate(count);
        }
        for entry in new {
            self.show(&format!("{entry}\n"));
        }
    }

    fn begin_line(&mut self, debate: &Debate, key: &StepKey, seat: &SeatName) {
        if !self.screen.draws {
            return;
        }
        let tool = debate.plan().seat(seat).map_or("", |plan| plan.tool.as_str());
        let prefix = harmless(&format!("{key} ({tool})")).into_owned();
        let bar = ProgressBar::hidden();
        self.calls.insert(key.clone(), CallLine { bar: bar.clone(), prefix: prefix.clone(), heard: Arc::default() });
        self.screen.draw(move |lines| {
            let bar = lines.add(bar);
            if let Ok(style) = ProgressStyle::with_template("{spinner} {prefix} {elapsed} {wide_msg}") {
                bar.set_style(style);
            }
            bar.set_prefix(prefix);
            bar.enable_steady_tick(Duration::from_millis(120));
        });
    }

    fn end_line(&mut self, key: &StepKey) {
        if let Some(CallLine { bar, .. }) = self.calls.remove(key) {
            self.screen.draw(move |lines| {
                bar.finish_and_clear();
                lines.remove(&bar);
            });
        }
    }
}

impl Observer for Live {
    fn event(&mut self, debate: &Debate, _seq: u64, event: &Event) {
        match &event.happening {
            Happening::Planned { .. } => {
                let plan = debate.plan();
                self.show(&format!("# {}\n\n{}", plan.id, report::plan_text(plan)));
            }
            Happening::Resumed { amendment } if amendment.change.is_some() => {}
            Happening::Resumed { .. } => {
                let kept = debate.calls().filter(|(key, _)| debate.answered(key).is_some()).count();
                let kept = if kept == 1 { "1 answer is".to_owned() } else { format!("{kept} answers are") };
                self.screen.note(&format!("resumed {}: {kept} kept and not paid for again", debate.plan().id));
            }
            Happening::Started { key, seat, attempt, limit_ms, .. } => {
                if self.screen.verbose {
                    let limit = report::duration(*limit_ms);
                    self.screen.note(&format!("{key}: asked {seat} (attempt {attempt}, at most {limit})"));
                }
                self.begin_line(debate, key, seat);
            }
            Happening::Retrying { key, failure, wait_ms } => {
                let wait = report::duration(*wait_ms);
                self.screen.note(&format!("{key}: {} {failure}; trying again in {wait}", tool(debate, key)));
            }
            Happening::Rejected { key, rejection, .. } => {
                self.end_line(key);
                self.screen.note(&format!(
                    "{key}: the answer of {} was not accepted ({})",
                    tool(debate, key),
                    rejection.code
                ));
            }
            Happening::Failed { key, failure } => {
                self.end_line(key);
                self.screen.note(&format!("{key}: {} {failure}", tool(debate, key)));
            }
            Happening::Abandoned { key, .. } | Happening::Answered { key, .. } => self.end_line(key),
            Happening::BudgetSpent { limit } => {
                self.screen.note(&format!("the {} is used up; no further statement is paid for", limit.words()));
            }
            Happening::Recorded { key, entry } if entry.kind == EntryKind::Extract => {
                self.screen.note(&format!("{key}: the summary failed; the engine's own extract stands in for it"));
            }
            Happening::Recorded { .. }
            | Happening::Checked { .. }
            | Happening::Tried { .. }
            | Happening::Chosen { .. }
            | Happening::Interrupted { .. }
            | Happening::Finished { .. } => {}
        }
        if let Some(passage) = debate.format().passage(debate, event) {
            self.show(&format!("{passage}\n"));
        }
        self.show_log(debate);
    }

    fn progress(&mut self, key: &StepKey, progress: &Progress) {
        let Some(line) = self.calls.get(key) else { return };
        let mut heard = line.heard.lock().unwrap_or_else(PoisonError::into_inner);
        heard.take(progress);
        // Words come faster than they can be drawn: what comes until the writer gets to it is shown with it.
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

/// The end of a text that fits into so many columns.
fn newest(text: &str, room: usize) -> String {
    let mut rest = text;
    while measure_text_width(rest) > room {
        let mut characters = rest.chars();
        characters.next();
        rest = characters.as_str();
    }
    rest.to_owned()
}

/// The tool that was asked.
fn tool<'a>(debate: &'a Debate, key: &StepKey) -> &'a str {
    let seat = debate.call(key).and_then(|call| debate.plan().seat(&call.seat));
    seat.map_or("the seat", |seat| seat.tool.as_str())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_newest_words_are_the_ones_that_are_shown() {
        assert_eq!(newest("one two three", 5), "three");
        assert_eq!(newest("one", 5), "one");
        assert_eq!(newest("一二三", 4), "二三");
        assert_eq!(newest("one", 0), "");
    }
}
