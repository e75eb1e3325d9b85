//! Whether the workspace changed while tools were answering that read a copy of it and should write nothing.

use std::collections::BTreeMap;
use std::path::Path;
use std::time::{Duration, SystemTime};

use jiff::Timestamp;
use rebut_core::debate::{Debate, Event, Happening, Plan, StepKey};

use super::{Notice, OwnFiles, Sessions};
use crate::workspace::pin::touched_since;

/// How long after its answer what a tool has started may still write.
const AFTERWARDS: Duration = Duration::from_secs(1);

/// Remembers when each tool was answering.
pub(super) struct Watching {
    began: SystemTime,
    calls: Vec<Call>,
}

/// A call to a tool on this machine.
struct Call {
    key: StepKey,
    /// Who was asked: `codex (challenger)`.
    who: String,
    from: Timestamp,
    to: Option<Timestamp>,
}

impl Watching {
    pub(super) fn new() -> Self {
        Self { began: SystemTime::now(), calls: Vec::new() }
    }

    pub(super) fn event(&mut self, debate: &Debate, event: &Event) {
        if let Happening::Started { key, seat, .. } = &event.happening {
            let planned = debate.plan().seat(seat).filter(|plan| matches!(plan.transport.as_str(), "cli" | "acp"));
            let who = planned.map(|plan| format!("{} ({seat})", plan.tool));
            self.calls.extend(who.map(|who| Call { key: key.clone(), who, from: event.at, to: None }));
        }
        let ended = event.happening.ended_call();
        let open = self.calls.iter_mut().find(|call| Some(&call.key) == ended && call.to.is_none());
        if let Some(call) = open {
            call.to = Some(event.at);
        }
    }

    /// Which files changed while which tools were answering. `before` are the files that were there.
    pub(super) fn changes(&self, sessions: &Sessions<'_>, plan: &Plan, before: &[String]) -> Vec<Notice> {
        if self.calls.is_empty() {
            return Vec::new();
        }
        let workspace = Path::new(&plan.workspace);
        let limits = (&sessions.settings.evidence).into();
        let touched = touched_since(workspace, sessions.home, limits, self.began, before);
        let own = OwnFiles::of(sessions.state);
        let mut by_tools: BTreeMap<Vec<&str>, Vec<String>> = BTreeMap::new();
        for touched in touched.into_iter().filter(|touched| !own.holds(&workspace.join(&touched.path))) {
            let Ok(at) = Timestamp::try_from(touched.at) else { continue };
            let who = self.answering(at);
            if !who.is_empty() {
                by_tools.entry(who).or_default().push(touched.path);
            }
        }
        let notice = |(who, files): (Vec<&str>, _)| {
            let during = who.into_iter().map(str::to_owned).collect();
            Notice::WorkspaceChanged { files, during }
        };
        by_tools.into_iter().map(notice).collect()
    }

    /// The tools that were answering at a time, else those that had just answered.
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
