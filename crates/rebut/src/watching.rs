//! Whether the workspace changed while tools were answering that read a copy of it and should write nothing.

use std::collections::BTreeMap;
use std::path::Path;
use std::time::{Duration, SystemTime};

use jiff::Timestamp;
use rebut_core::debate::{Debate, Event, Happening, Plan, StepKey};
use rebut_engine::providers::Progress;
use rebut_engine::runner::Observer;
use rebut_engine::workspace::pin::touched_since;
use serde_json::json;

use crate::desk::Desk;

/// How long after its answer what a tool has started may still write.
const AFTERWARDS: Duration = Duration::from_secs(1);

/// The most files that are named.
const MOST_NAMED: usize = 10;

/// Takes down when each tool was answering, for somebody else who watches.
pub(crate) struct Watching<'o> {
    observer: &'o mut dyn Observer,
    began: SystemTime,
    calls: Vec<Call>,
}

/// A call to a tool of this machine.
struct Call {
    key: StepKey,
    /// Who was asked: `codex (challenger)`.
    who: String,
    from: Timestamp,
    to: Option<Timestamp>,
}

impl<'o> Watching<'o> {
    pub(crate) fn new(observer: &'o mut dyn Observer) -> Self {
        Self { observer, began: SystemTime::now(), calls: Vec::new() }
    }

    /// Says which files changed while which tools were answering. `before` are the files that were there.
    pub(crate) fn tell(&self, desk: &Desk, plan: &Plan, before: &[String]) {
        if self.calls.is_empty() {
            return;
        }
        let workspace = Path::new(&plan.workspace);
        let limits = (&desk.layers.settings().evidence).into();
        let touched = touched_since(workspace, desk.home.as_deref(), limits, self.began, before);
        let own = desk.shelf.own_files();
        let mut by_tools: BTreeMap<Vec<&str>, Vec<String>> = BTreeMap::new();
        for touched in touched.into_iter().filter(|touched| !own.holds(&workspace.join(&touched.path))) {
            let Ok(at) = Timestamp::try_from(touched.at) else { continue };
            let who = self.answering(at);
            if !who.is_empty() {
                by_tools.entry(who).or_default().push(touched.path);
            }
        }
        for (who, files) in by_tools {
            let named = files.iter().take(MOST_NAMED).map(String::as_str).collect::<Vec<_>>().join(", ");
            let more = files.len().checked_sub(MOST_NAMED).filter(|more| *more > 0);
            let more = more.map(|more| format!(" and {more} more")).unwrap_or_default();
            let who_text = who.join(" and ");
            desk.screen.error_line(
                "warning",
                &format!(
                    "files in the workspace changed while {who_text} was answering: {named}{more}; tools only get a copy to \
                     read, so if you did not change these files, the tool did"
                ),
            );
            desk.screen.json(|| json!({ "type": "workspace_changed", "files": files, "during": who }));
        }
    }
}

impl Watching<'_> {
    /// Who was answering at a time; where nobody was, whoever had just answered.
    fn answering(&self, at: Timestamp) -> Vec<&str> {
        let during = |afterwards: Duration| {
            let is_meant = |call: &&Call| at >= call.from && call.to.is_none_or(|to| at <= to + afterwards);
            let mut who: Vec<&str> = self.calls.iter().filter(is_meant).map(|call| call.who.as_str()).collect();
            who.sort_unstable();
            who.dedup();
            who
        };
        let now = during(Duration::ZERO);
        if now.is_empty() { during(AFTERWARDS) } else { now }
    }
}

impl Observer for Watching<'_> {
    fn event(&mut self, debate: &Debate, seq: u64, event: &Event) {
        match &event.happening {
            Happening::Started { key, seat, .. } => {
                let planned = debate.plan().seat(seat).filter(|plan| matches!(plan.transport.as_str(), "cli" | "acp"));
                self.calls.extend(planned.map(|plan| Call {
                    key: key.clone(),
                    who: format!("{} ({seat})", plan.tool),
                    from: event.at,
                    to: None,
                }));
            }
            Happening::Answered { key, .. }
            | Happening::Rejected { key, .. }
            | Happening::Failed { key, .. }
            | Happening::Abandoned { key, .. } => {
                let open = self.calls.iter_mut().find(|call| call.key == *key && call.to.is_none());
                if let Some(call) = open {
                    call.to = Some(event.at);
                }
            }
            _ => {}
        }
        self.observer.event(debate, seq, event);
    }

    fn progress(&mut self, key: &StepKey, progress: &Progress) {
        self.observer.progress(key, progress);
    }
}
