//! Progress of a pull: a bar on a terminal, JSON lines for programs.

use std::sync::{Mutex, PoisonError};

use indicatif::{ProgressBar, ProgressStyle};
use rebut_engine::models::{PullEvent, Stage, size};
use serde_json::json;

use super::Screen;

/// How many percent are between two JSON lines.
const STEP: u64 = 5;

/// Shows a pull while it runs. The bar is removed when this is dropped.
pub(crate) struct PullView {
    screen: Screen,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    stage: Option<Stage>,
    reported: u64,
    bar: Option<ProgressBar>,
}

impl PullView {
    pub(crate) fn new(screen: &Screen) -> Self {
        Self { screen: screen.clone(), state: Mutex::default() }
    }

    pub(crate) fn show(&self, event: PullEvent) {
        match event {
            PullEvent::Note(text) => self.screen.note(&text),
            PullEvent::Progress { stage, done, total } => self.move_on(stage, done, total),
        }
    }

    fn move_on(&self, at: Stage, done: u64, total: Option<u64>) {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        let step = total.filter(|total| *total > 0).map_or(0, |total| done * 100 / total / STEP);
        let begins = state.stage != Some(at);
        if begins {
            state.stage = Some(at);
            self.begin(&mut state, at, total);
        }
        if begins || step > state.reported {
            state.reported = step;
            let line = json!({ "type": "progress", "stage": at.as_str(), "done": done, "total": total });
            self.screen.json(|| line);
        }
        if let Some(bar) = state.bar.clone() {
            let of = total.map(|total| format!(" of {}", size(total.max(done)))).unwrap_or_default();
            let words = format!("{}{of}", size(done));
            self.screen.draw(move |_| {
                if let Some(total) = total {
                    // The size of a package's download is only estimated.
                    bar.set_length(total.max(done));
                }
                bar.set_position(done);
                bar.set_message(words);
            });
        }
    }

    fn begin(&self, state: &mut State, at: Stage, total: Option<u64>) {
        self.screen.remove(state.bar.take());
        if at == Stage::Waiting {
            self.screen.note("another process is pulling this model; waiting for it");
        }
        if !self.screen.draws {
            return;
        }
        let form = match total {
            Some(_) => "{prefix} [{bar:30}] {percent:>3}%  {wide_msg}",
            None => "{spinner} {prefix} {elapsed}  {wide_msg}",
        };
        let bar = ProgressBar::hidden();
        state.bar = Some(bar.clone());
        self.screen.draw(move |lines| {
            let bar = lines.add(bar);
            if let Some(total) = total {
                bar.set_length(total);
            }
            if let Ok(style) = ProgressStyle::with_template(form) {
                bar.set_style(style.progress_chars("=> "));
            }
            bar.set_prefix(format!("{:<9}", at.as_str()));
        });
    }
}

impl Drop for PullView {
    fn drop(&mut self) {
        self.screen.remove(self.state.lock().unwrap_or_else(PoisonError::into_inner).bar.take());
    }
}
