//! From the command line of a format to a debate that can start. The command line and the MCP server share this part.

use rebut_core::debate::{DebateId, Plan};
use rebut_core::formats::wording::Request;
use rebut_core::report;
use rebut_engine::checks::Snapshot;
use rebut_engine::session::Start;
use serde_json::json;
use tokio_util::sync::CancellationToken;

use crate::app::App;
use crate::commands::Command;
use crate::error::{CommandError, Exit};
use crate::flags::DebateFlags;
use crate::run::{self, RunHooks};

pub(crate) trait StartsDebate {
    fn flags(&self) -> &DebateFlags;

    /// Plans the debate. Calls no model, writes and prints nothing; a question to the user needs a terminal.
    fn prepare(&self, app: &mut App) -> Result<Prepared, CommandError>;

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

pub(crate) struct Ready {
    pub(crate) plan: Plan,
    pub(crate) snapshot: Snapshot,
    pub(crate) hooks: Box<dyn RunHooks>,
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

pub(crate) fn start(command: &dyn StartsDebate, mut app: App) -> Result<Exit, CommandError> {
    let ready = match command.prepare(&mut app)? {
        Prepared::Debate(ready) => *ready,
        Prepared::Nothing(reason) => {
            app.screen.note(&reason);
            app.screen.json(|| json!({ "type": "nothing", "reason": reason }));
            return Ok(Exit::Done);
        }
    };
    if let Some(understood) = &ready.understood {
        app.screen.note(understood);
    }
    if let Some(doubt) = command.doubt() {
        doubt.show_as_note(&app.screen);
    }
    if command.must_confirm() && !command.flags().dry_run && !confirmed(&app, &ready.plan, "Start this debate?") {
        app.screen.note("nothing was started; `rebut --help` lists the commands");
        return Ok(Exit::Cancelled);
    }
    let Ready { plan, snapshot, hooks, .. } = ready;
    run::run(&app, plan, snapshot, command.flags(), hooks.as_ref())
}

/// Whether the user agrees to a plan, which is shown.
pub(crate) fn confirmed(app: &App, plan: &Plan, question: &str) -> bool {
    app.screen.text(&if app.screen.statements { report::plan_text(plan) } else { report::plan_lines(plan) });
    app.screen.confirm(question, CONFIRM_HELP) == Some(true)
}

/// What came of starting a debate that is left to a worker.
pub(crate) enum Started {
    Debate { id: DebateId, understood: Option<String> },
    Planned(Box<Plan>),
    Nothing(String),
}

/// Prepares the debate of a command, starts it and leaves it to a worker; or only plans it. Nothing is asked or printed.
pub(crate) fn detached(command: &Command, mut app: App, only_plan: bool) -> Result<Started, CommandError> {
    run::refuse_nesting()?;
    let command = command.starts().ok_or_else(|| CommandError::usage("this starts no debate"))?;
    let ready = match command.prepare(&mut app)? {
        Prepared::Nothing(reason) => return Ok(Started::Nothing(reason)),
        Prepared::Debate(ready) => *ready,
    };
    let Ready { plan, snapshot, hooks, understood } = ready;
    if only_plan || command.flags().dry_run {
        return Ok(Started::Planned(Box::new(plan)));
    }
    let sessions = app.sessions()?;
    let start = Start { plan, snapshot, documents: hooks.documents() };
    let stop = CancellationToken::new();
    let (id, _) = run::runtime()?.block_on(sessions.start_detached(start, &mut (), &stop))?;
    Ok(Started::Debate { id, understood })
}
