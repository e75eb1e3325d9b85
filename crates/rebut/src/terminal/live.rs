//! A debate as it is held: a line for each call under way, and each statement once it is in the journal.

use std::collections::BTreeMap;
use std::time::Duration;

use console::{Term, measure_text_width};
use indicatif::{ProgressBar, ProgressStyle};
use rebut_core::debate::{Debate, EntryKind, Event, Happening, SeatName, StepKey};
use rebut_core::formats::duel::{verdict_again_key, verdict_key};
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
    tail: Tail,
    tokens: Option<u64>,
    activity: Option<String>,
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
        let (mut new, length) = report::log_since(debate, known);
        self.shown = Some(length);
        if let Some(whole) = self.whole.as_ref().filter(|_| !new.is_empty()) {
            let count = new.len();
            new = report::log_since(whole, known).0;
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
        let bar = self.screen.lines.add(ProgressBar::new_spinner());
        if let Ok(style) = ProgressStyle::with_template("{spinner} {prefix} {elapsed} {wide_msg}") {
            bar.set_style(style);
        }
        bar.set_prefix(harmless(&format!("{key} ({tool})")).into_owned());
        bar.enable_steady_tick(Duration::from_millis(120));
        self.calls.insert(key.clone(), CallLine { bar, tail: Tail::default(), tokens: None, activity: None });
    }

    fn end_line(&mut self, key: &StepKey) {
        if let Some(line) = self.calls.remove(key) {
            line.bar.finish_and_clear();
            self.screen.lines.remove(&line.bar);
        }
    }
}

impl Observer for Live {
    fn event(&mut self, debate: &Debate, _seq: u64, event: &Event) {
        match &event.happening {
            Happening::Planned { plan } => self.show(&format!("# {}\n\n{}", plan.id, report::plan_text(plan))),
            Happening::Resumed { amendment } if amendment.lineup.is_some() => {}
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
                if *attempt == 1 && *key == verdict_again_key(debate.sitting()) {
                    self.screen.note(&format!(
                        "{}: the answer of {} rests on a false citation and is asked for again (verdict:false_evidence)",
                        verdict_key(debate.sitting()),
                        tool(debate, key)
                    ));
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
        if let Some(passage) = report::passage(debate, event) {
            self.show(&format!("{passage}\n"));
        }
        self.show_log(debate);
    }

    fn progress(&mut self, key: &StepKey, progress: &Progress) {
        let Some(line) = self.calls.get_mut(key) else { return };
        match progress {
            Progress::Text(text) => line.tail.push(text),
            Progress::Tokens(tokens) => line.tokens = Some(*tokens),
            Progress::Activity(activity) => line.activity = Some(activity.clone()),
        }
        let tokens = line.tokens.map_or_else(|| format!("~{}", line.tail.bytes() / 4), |tokens| tokens.to_string());
        let activity = line.activity.as_deref().map_or_else(String::new, |activity| format!("[{activity}] "));
        let head = format!("{} ", harmless(&format!("{tokens} tokens  {activity}")).trim_end());
        // The line is cut at its end, where the newest words are: so only as many are handed over as there is room for.
        let taken = SPINNER_AND_CLOCK + measure_text_width(&line.bar.prefix()) + measure_text_width(&head);
        let room = usize::from(Term::stderr().size().1).saturating_sub(taken).min(LAST_WORDS);
        line.bar.set_message(head + &newest(&harmless(&line.tail.last_words(LAST_WORDS)), room));
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
