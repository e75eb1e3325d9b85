//! From the command line of a format to a debate that can start. The command line and the MCP server share this part.

use rebut_core::debate::{DebateId, Plan};
use rebut_core::formats::wording::Request;
use rebut_engine::session::Start;
use tokio_util::sync::CancellationToken;

use crate::app::App;
use crate::commands::{Command, Finish};
use crate::error::{CommandError, Exit};
use crate::flags::DebateFlags;
use crate::run;

pub(crate) trait StartsDebate {
    fn flags(&self) -> &DebateFlags;

    /// Plans the debate. Calls no model, writes and prints nothing; a question to the user needs a terminal.
    fn prepare(&self, app: &mut App) -> Result<Ready, CommandError>;

    fn must_confirm(&self) -> bool {
        false
    }

    /// Why the words may be a mistyped command.
    fn doubt(&self) -> Option<&CommandError> {
        None
    }
}

pub(crate) struct Ready {
    pub(crate) start: Start,
    pub(crate) finish: Finish,
    /// What was understood of a request in words.
    pub(crate) understood: Option<String>,
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
    let Ready { start, finish, understood } = command.prepare(&mut app)?;
    if let Some(understood) = &understood {
        app.screen.note(understood);
    }
    if let Some(doubt) = command.doubt() {
        doubt.show_as_note(&app.screen);
    }
    if command.must_confirm() && !command.flags().dry_run && !confirmed(&app, &start.plan, "Start this debate?") {
        app.screen.note("nothing was started; `rebut --help` lists the commands");
        return Ok(Exit::Cancelled);
    }
    run::run(&app, start, command.flags(), &finish)
}

/// Whether the user agrees to a plan, which is shown.
pub(crate) fn confirmed(app: &App, plan: &Plan, question: &str) -> bool {
    run::show_plan(&app.screen, plan);
    app.screen.confirm(question, CONFIRM_HELP) == Some(true)
}

pub(crate) enum Started {
    Debate { id: DebateId, understood: Option<String> },
    Planned(Box<Plan>),
}

/// Prepares the debate of a command, starts it and leaves it to a worker; or only plans it. Nothing is asked or printed.
pub(crate) fn detached(command: &Command, mut app: App, only_plan: bool) -> Result<Started, CommandError> {
    run::refuse_nesting()?;
    let command = command.starts().ok_or_else(|| CommandError::usage("this starts no debate"))?;
    let Ready { start, understood, .. } = command.prepare(&mut app)?;
    if only_plan || command.flags().dry_run {
        return Ok(Started::Planned(Box::new(start.plan)));
    }
    let (id, _) = app.wait(app.sessions()?.start_detached(start, &mut (), &CancellationToken::new()))?;
    Ok(Started::Debate { id, understood })
}
