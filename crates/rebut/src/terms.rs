//! The flags of every command that holds a debate: its bounds, and the terms on which evidence is looked up.

use std::ffi::OsString;

use clap::{Args, ValueEnum};
use rebut_core::debate::{EvidenceRules, RunOn};
use rebut_engine::checks::Grounds;
use rebut_engine::config::read_prompts;
use rebut_engine::planning::{self, Host};
use rebut_engine::session::OwnFiles;
use toml::Value;

use crate::cli::{flag_in, joined};
use crate::desk::Desk;
use crate::error::CommandError;

/// How hard, how long and with what a debate is held.
#[derive(Debug, Args)]
pub(crate) struct Bounds {
    /// How hard the seats think: low, medium, high or max [default: high]
    #[arg(long, value_name = "EFFORT")]
    effort: Option<String>,
    /// What goes into every prompt: none, diff or file=PATH (may be repeated)
    #[arg(long, value_name = "WHAT")]
    pub(crate) context: Vec<String>,
    /// How tools are spoken to: cli, acp or auto [default: cli]
    ///
    /// `acp` keeps a tool's agent open between its turns, so that later rounds start faster. `auto` is acp where the
    /// agent answers, else cli; to find out, every agent is started once before the debate (1 to 5 seconds).
    #[arg(long, value_name = "HOW")]
    transport: Option<String>,
    /// Seconds for one whole call [default: 240]
    #[arg(long, value_name = "SECONDS", allow_negative_numbers = true, value_parser = number)]
    timeout: Option<Value>,
    /// Stop after N minutes with a partial result
    #[arg(long, value_name = "MINUTES", allow_negative_numbers = true)]
    max_minutes: Option<f64>,
    /// Stop before N tokens are used, with a partial result
    #[arg(long, value_name = "TOKENS", allow_negative_numbers = true, value_parser = whole_number)]
    max_tokens: Option<i64>,
    /// Stop before N dollars are spent, with a partial result
    #[arg(long, value_name = "DOLLARS", allow_negative_numbers = true)]
    max_cost: Option<f64>,
}

impl Bounds {
    /// Sets what the flags say, in the section of the format.
    pub(crate) fn set_flags(&self, desk: &mut Desk, section: &str) -> Result<(), CommandError> {
        for (key, value, flag) in [
            (format!("{section}.effort"), self.effort.clone().map(Value::String), "--effort"),
            (format!("{section}.transport"), self.transport.clone().map(Value::String), "--transport"),
            (format!("{section}.timeout_seconds"), self.timeout.clone(), "--timeout"),
            ("budget.max_minutes".to_owned(), self.max_minutes.map(Value::Float), "--max-minutes"),
            ("budget.max_tokens".to_owned(), self.max_tokens.map(Value::Integer), "--max-tokens"),
            ("budget.max_cost".to_owned(), self.max_cost.map(Value::Float), "--max-cost"),
        ] {
            if let Some(value) = value {
                desk.layers.set_flag(&key, value, flag)?;
            }
        }
        Ok(())
    }
}

/// Which files commands may run on.
#[derive(Clone, Copy, Debug, ValueEnum)]
pub(crate) enum AllowChecks {
    /// The files before any revision
    Unrevised,
    /// The revised files as well
    Revised,
}

impl AllowChecks {
    fn run_on(self) -> RunOn {
        match self {
            Self::Unrevised => RunOn::Unrevised,
            Self::Revised => RunOn::Revised,
        }
    }
}

/// What seats may read, how their evidence is looked up, and what is shown before anything is asked.
#[derive(Debug, Args)]
pub(crate) struct Terms {
    /// Seats may not read the files of the workspace
    ///
    /// Evidence of files is then not checked either, except in a review, against what is reviewed.
    #[arg(long)]
    no_workspace: bool,
    /// Let evidence use searches of the workspace and the commands of your config
    ///
    /// Commands are those of `[checks.NAME]` in your own config.toml, known to the models by name alone. Each runs in a
    /// copy of the workspace of its own, within its time limit and with a cleared environment, but not sandboxed. In a
    /// review they run on the files before any revision; `--allow-checks=revised` also runs them on what a model wrote.
    #[arg(long, value_name = "FILES", num_args = 0..=1, require_equals = true, default_missing_value = "unrevised")]
    allow_checks: Option<AllowChecks>,
    /// Fetch the pages on the web that are cited, and look the quotes and figures up in them
    ///
    /// Only public hosts are asked, over http and https, without cookies, credentials or proxies. Each page is fetched
    /// once and kept in the debate.
    #[arg(long)]
    fetch_sources: bool,
    /// Don't fetch cited web pages [a panel fetches them by default]
    #[arg(long, conflicts_with = "fetch_sources")]
    no_fetch_sources: bool,
    /// Use the prompts in the project's .rebut/prompts; the result names them
    #[arg(long)]
    trust_project_prompts: bool,
    /// Tell everybody who could have taken a seat, in the order of preference
    #[arg(long)]
    explain_seats: bool,
    /// Show the plan and end
    #[arg(long)]
    pub(crate) dry_run: bool,
    /// Begin it, leave it to run on its own, and end
    ///
    /// `rebut show ID` tells how far it is, `rebut cancel ID` stops it, and `rebut choose ID OPTION` makes a choice that it
    /// waits for.
    #[arg(long, conflicts_with = "dry_run")]
    pub(crate) detach: bool,
}

impl Terms {
    /// Sets what the flags say.
    pub(crate) fn set_flags(&self, desk: &mut Desk) -> Result<(), CommandError> {
        for (is_given, value, flag) in
            [(self.fetch_sources, true, "--fetch-sources"), (self.no_fetch_sources, false, "--no-fetch-sources")]
        {
            if is_given {
                desk.layers.set_flag("evidence.fetch_sources", Value::Boolean(value), flag)?;
            }
        }
        Ok(())
    }

    /// What evidence is looked up in: the workspace as it is now, or nothing.
    pub(crate) fn survey(&self, desk: &Desk) -> Grounds {
        if self.no_workspace {
            Grounds::nothing("--no-workspace keeps the debate out of the workspace's files")
        } else {
            Grounds::survey(&desk.place.workspace, desk.home.as_deref(), (&desk.layers.settings().evidence).into())
        }
    }

    /// The terms for the planning of a debate on these grounds. `table` holds the settings of its format.
    pub(crate) fn on(
        &self,
        desk: &Desk,
        table: &str,
        grounds: &Grounds,
        mut notes: Vec<String>,
    ) -> Result<planning::Terms, CommandError> {
        notes.extend(desk.layers.set_by_project(&[table, "budget", "limits"]));
        Ok(planning::Terms {
            // What nothing is known of is not read either: it may be the home folder, with everybody's keys.
            workspace_readable: !self.no_workspace && grounds.are_any(),
            evidence: Some(EvidenceRules {
                scope: grounds.scope().clone(),
                commands: self.allow_checks.map(|_| desk.check_names()),
                run_on: self.allow_checks.map_or_else(RunOn::default, AllowChecks::run_on),
                fetch_sources: desk.layers.settings().evidence.fetch_sources.unwrap_or(false),
            }),
            explain_seats: self.explain_seats,
            prompts: read_prompts(&desk.places, self.trust_project_prompts)?,
            own_files: OwnFiles::of(&desk.state),
            notes,
        })
    }
}

/// The words of a topic or question, joined. What looks like a flag among them was meant as one.
pub(crate) fn topic_of(words: &[OsString], what: &str) -> Result<String, CommandError> {
    let text = joined(words)?;
    match flag_in(&text) {
        None => Ok(text),
        Some(flag) => Err(CommandError::usage(format!("the {what} contains {flag}, which looks like a flag"))
            .hint(format!("put flags outside the quotes; to write about one, put it in backticks: `{flag}`"))),
    }
}

/// Reads what stands on standard input: a topic, a question.
pub(crate) fn read_stdin(what: &str) -> Result<String, CommandError> {
    let text = std::io::read_to_string(std::io::stdin().lock()).map_err(|error| match error.kind() {
        std::io::ErrorKind::InvalidData => CommandError::usage(format!("the {what} on standard input is not UTF-8")),
        _ => CommandError::failed(format!("standard input cannot be read: {error}")),
    })?;
    if text.trim().is_empty() { Err(CommandError::usage(format!("there is no {what} on standard input"))) } else { Ok(text) }
}

/// A tool that rebut is called from.
pub(crate) fn host(text: &str) -> Result<Host, String> {
    let names = || Host::all().map(Host::tool).collect::<Vec<_>>().join(", ");
    Host::named(text).ok_or_else(|| format!("it takes one of {}", names()))
}

/// What chance is drawn from.
pub(crate) fn seed(text: &str) -> Result<String, &'static str> {
    const LONGEST: usize = 100;
    let is_one = !text.trim().is_empty() && text.chars().count() <= LONGEST && !text.contains(char::is_control);
    if is_one { Ok(text.trim().to_owned()) } else { Err("it takes a number, or a word of at most 100 characters") }
}

/// A number whose range is the settings' to say, as for every level.
pub(crate) fn whole_number(text: &str) -> Result<i64, &'static str> {
    text.parse().map_err(|_| "it takes a whole number")
}

/// A number as the settings take it: whole where it is written so.
fn number(text: &str) -> Result<Value, &'static str> {
    let whole = text.parse().map(Value::Integer);
    whole.or_else(|_| text.parse().map(Value::Float)).map_err(|_: std::num::ParseFloatError| "it takes a number")
}
