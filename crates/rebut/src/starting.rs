//! From the command line of a format to a debate that can start. The command line and the MCP server share this part.

use rebut_core::debate::Plan;
use rebut_core::formats::wording::Request;
use rebut_core::report;
use rebut_engine::checks::Snapshot;
use serde_json::json;

use crate::desk::Desk;
use crate::error::{CommandError, Exit};
use crate::running::{self, Manner};
use crate::terms::Terms;

/// A command that starts a debate.
pub(crate) trait StartsDebate {
    fn terms(&self) -> &Terms;

    /// Plans the debate. Calls no model, writes and prints nothing; a question to the user needs a terminal.
    fn prepare(&self, desk: &mut Desk) -> Result<Prepared, CommandError>;

    /// Whether the user must agree before a seat is called.
    fn must_confirm(&self) -> bool {
        false
    }

    /// Why the words may be a mistyped command.
    fn doubt(&self) -> Option<&CommandError> {
        None
    }
}

pub(crate) enum Prepared {
    Debate(Box<Ready>),
    /// There is nothing to review, for this reason.
    Nothing(String),
}

/// A debate that can start.
pub(crate) struct Ready {
    pub(crate) plan: Plan,
    pub(crate) snapshot: Snapshot,
    pub(crate) manner: Box<dyn Manner>,
    /// What was understood of a request in words.
    pub(crate) understood: Option<String>,
}

impl Ready {
    pub(crate) fn into_prepared(self) -> Prepared {
        Prepared::Debate(Box::new(self))
    }
}

/// What was understood of a request in words, in one line.
pub(crate) fn understood(request: &Request) -> Option<String> {
    const LONGEST: usize = 160;
    let said = request.understood()?;
    let topic: String = request.topic.chars().take(LONGEST).collect();
    let more = if topic.len() < request.topic.len() { "…" } else { "" };
    Some(format!("understood: {said}; topic: {topic}{more}"))
}

const CONFIRM_HELP: &str =
    "`y` calls the seats above, which may cost money. Anything else stops here; nothing has been called so far.";

/// Prepares the debate of a command and runs it.
pub(crate) fn start(command: &dyn StartsDebate, mut desk: Desk) -> Result<Exit, CommandError> {
    let ready = match command.prepare(&mut desk)? {
        Prepared::Debate(ready) => *ready,
        Prepared::Nothing(reason) => {
            desk.screen.note(&reason);
            desk.screen.json(|| json!({ "type": "nothing", "reason": reason }));
            return Ok(Exit::Done);
        }
    };
    if let Some(understood) = &ready.understood {
        desk.screen.note(understood);
    }
    if let Some(doubt) = command.doubt() {
        desk.screen.note(&doubt.with_hints());
    }
    if command.must_confirm() && !command.terms().dry_run {
        let is_long = desk.screen.statements;
        desk.screen.text(&if is_long { report::plan_text(&ready.plan) } else { report::plan_lines(&ready.plan) });
        let answer = desk.screen.ask("Start this debate? [y/N]", CONFIRM_HELP).unwrap_or_default().to_lowercase();
        if !["y", "yes"].contains(&answer.as_str()) {
            desk.screen.note("nothing was started; `rebut --help` lists the commands");
            return Ok(Exit::Cancelled);
        }
    }
    let Ready { plan, snapshot, manner, .. } = ready;
    running::run(&desk, plan, snapshot, command.terms(), manner.as_ref())
}
