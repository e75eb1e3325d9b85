//! The commands: one file each, with its arguments, its help and its function.

mod cancel;
pub(crate) mod choose;
mod config;
mod cross;
mod demo;
pub(crate) mod doctor;
mod documents;
mod duel;
mod following;
mod install;
mod judge;
mod list;
mod model;
mod panel;
pub(crate) mod rejudge;
mod removing;
mod resume;
mod review;
mod servers;
mod shell;
mod show;
pub(crate) mod verify;
mod worker;

use std::path::Path;

use clap::Subcommand;
use rebut_core::debate::{Debate, Plan};
use rebut_core::formats::judge_check;
use rebut_engine::config::ProjectFiles;
use tokio_util::sync::CancellationToken;

use crate::app::App;
use crate::cli::Arguments;
use crate::error::{CommandError, Exit};
use crate::run;
use crate::start::{StartsDebate, start};
use crate::terminal::Screen;

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    Duel(Box<duel::Duel>),
    Review(Box<review::Review>),
    Ask(Box<cross::Ask>),
    Cross(Box<cross::Cross>),
    Panel(Box<panel::Panel>),
    Demo(demo::Demo),
    Doctor(doctor::Doctor),
    List(list::List),
    Show(show::Show),
    Open(documents::Open),
    Watch(following::Watch),
    Resume(resume::Resume),
    Rejudge(rejudge::Rejudge),
    Cancel(cancel::Cancel),
    Choose(choose::Choose),
    Fork(resume::Fork),
    Compare(documents::Compare),
    Judge(judge::Judge),
    Replay(following::Replay),
    Export(documents::Export),
    Rm(removing::Rm),
    Prune(removing::Prune),
    Verify(verify::Verify),
    CheckLog(verify::CheckLog),
    Worker(worker::Worker),
    Serve(servers::Serve),
    Mcp(servers::Mcp),
    Install(install::Install),
    Model(model::Model),
    Config(config::Config),
    Init(config::Init),
    Completions(shell::Completions),
    Man(shell::Man),
}

impl Command {
    /// Whether it calls seats, which a tool that has a seat itself must not do.
    fn asks_seats(&self) -> bool {
        match self {
            Self::Resume(_) | Self::Rejudge(_) | Self::Worker(_) | Self::Fork(_) | Self::Judge(_) | Self::Choose(_) => true,
            Self::Doctor(doctor) => doctor.probe,
            // The demo's answers are prepared, and what `serve` starts is left to workers.
            _ => self.starts().is_some(),
        }
    }

    /// Which of the project's settings it reads at first. Commands that only read debates need none, so that they work on a
    /// branch with broken settings. A review reads the version that counts once it knows what is reviewed.
    pub(crate) fn project_files(&self) -> ProjectFiles {
        match self {
            // A worker runs debates of any project.
            Self::Review(_) | Self::Worker(_) => ProjectFiles::Nothing,
            Self::Config(config) if config.mends() => ProjectFiles::Nothing,
            Self::Doctor(_) | Self::Config(_) => ProjectFiles::Workspace,
            command if command.asks_seats() => ProjectFiles::Workspace,
            _ => ProjectFiles::Nothing,
        }
    }

    /// The debate that it starts; none for any other command.
    pub(crate) fn starts(&self) -> Option<&dyn StartsDebate> {
        match self {
            Self::Duel(duel) => Some(duel.as_ref()),
            Self::Review(review) => Some(review.as_ref()),
            Self::Ask(ask) => Some(ask.as_ref()),
            Self::Cross(cross) => Some(cross.as_ref()),
            Self::Panel(panel) => Some(panel.as_ref()),
            _ => None,
        }
    }
}

pub(crate) fn run(arguments: Arguments, screen: &Screen) -> Result<Exit, CommandError> {
    let Arguments { command, shared } = arguments;
    let project = command.project_files();
    let app = || App::new(&shared, screen, project);
    if command.asks_seats() {
        run::refuse_nesting()?;
    }
    match command {
        Command::Duel(duel) => start(duel.as_ref(), app()?),
        Command::Review(review) => start(review.as_ref(), app()?),
        Command::Ask(ask) => start(ask.as_ref(), app()?),
        Command::Cross(cross) => start(cross.as_ref(), app()?),
        Command::Panel(panel) => start(panel.as_ref(), app()?),
        Command::Demo(demo) => demo.run(&app()?, &shared),
        Command::Doctor(doctor) => doctor.run(&app()?),
        Command::List(list) => list.run(&app()?),
        Command::Show(show) => show.run(&app()?),
        Command::Open(open) => open.run(&app()?),
        Command::Watch(watch) => watch.run(app()?),
        Command::Resume(resume) => resume.run(&app()?),
        Command::Rejudge(rejudge) => rejudge.run(&app()?),
        Command::Cancel(cancel) => cancel.run(&app()?),
        Command::Choose(choose) => choose.run(&app()?),
        Command::Fork(fork) => fork.run(&app()?),
        Command::Compare(compare) => compare.run(&app()?),
        Command::Judge(judge) => judge.run(&app()?),
        Command::Replay(replay) => replay.run(&app()?),
        Command::Export(export) => export.run(&app()?),
        Command::Rm(rm) => rm.run(&app()?),
        Command::Prune(prune) => prune.run(&app()?),
        Command::Verify(verify) => verify.run(&app()?),
        Command::CheckLog(check) => check.run(&app()?),
        Command::Worker(worker) => worker.run(&app()?),
        Command::Install(install) => install.run(&app()?),
        Command::Serve(serve) => serve.run(&app()?, shared.clone()),
        Command::Mcp(mcp) => mcp.run(&app()?, shared.clone()),
        Command::Model(model) => model.run(&app()?),
        Command::Config(config) => config.run(&app()?),
        Command::Init(init) => init.run(&app()?),
        Command::Completions(completions) => completions.run(screen),
        Command::Man(man) => man.run(screen),
    }
}

pub(crate) use duel::Duel;
use lineup::Consent;
pub(crate) use list::{ago, cost, has_words};
pub(crate) use panel::lineup;
pub(crate) use resume::FormatFlags;
use review::ResultActions;
pub(crate) use review::remaining_findings;

/// What is done with a debate once it has run.
pub(crate) enum Finish {
    Show,
    Review(ResultActions),
    /// Its lineup needs the user's consent.
    Panel(Consent),
    JudgeCheck,
}

impl Finish {
    /// For a debate that goes on.
    fn of(flags: &FormatFlags, plan: &Plan) -> Self {
        match plan.format.as_str() {
            "review" => Self::Review(ResultActions { apply: flags.apply, fail_on: flags.fail_on }),
            "panel" => Self::Panel(Consent::of(flags, plan)),
            judge_check::NAME => Self::JudgeCheck,
            _ => Self::Show,
        }
    }

    /// Whether there is something left to do for a debate that is complete.
    fn wants_more(&self) -> bool {
        match self {
            Self::Show | Self::Panel(_) => false,
            Self::Review(actions) => actions.apply || actions.fail_on.is_some(),
            // The result is kept again, in case that failed before.
            Self::JudgeCheck => true,
        }
    }

    pub(crate) fn conclude(
        &self,
        app: &App,
        debate: Debate,
        folder: &Path,
        signal: &CancellationToken,
    ) -> Result<Exit, CommandError> {
        match self {
            Self::Review(actions) => return Ok(actions.with_plan(debate.plan()).conclude(app, &debate, folder)),
            Self::Panel(consent) => return lineup::settle_and_conclude(app, debate, folder, *consent, signal),
            Self::JudgeCheck => judge::keep(app, &debate)?,
            Self::Show => {}
        }
        Ok(run::conclude(&app.screen, &debate, folder))
    }
}
