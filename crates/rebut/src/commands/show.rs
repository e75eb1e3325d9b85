//! `rebut show`

use clap::{Args, ValueEnum};
use rebut_core::debate::{DebateId, Event, Happening, Plan, Scope};
use rebut_core::formats::fold;
use rebut_core::report;
use rebut_engine::checks;
use rebut_engine::session::Record;
use rebut_engine::store::{Cursor, Listed, StoreError};
use serde_json::json;

use crate::app::App;
use crate::error::{CommandError, Exit};

use super::following::follow;

/// Show a debate, or follow it while it is running
#[derive(Debug, Args)]
#[command(
    after_long_help = "Examples:\n  rebut show last\n  rebut show 3fa9 --json | jq .verdict\n  rebut show 3fa9 --claims\n  rebut show 3fa9 --failures\n  rebut show 3fa9 --verify\n  rebut show last --format log | jq -r .content"
)]
pub(crate) struct Show {
    /// Any unique part of the debate's id, or `last`
    #[arg(default_value = "last")]
    id: String,
    /// Check the journal and its blobs for changes
    #[arg(long)]
    verify: bool,
    /// List every claim with its evidence, attacks and concessions
    #[arg(long, conflicts_with = "verify")]
    claims: bool,
    /// List every failed or retried call, with the last lines of the tool's standard error
    #[arg(long, conflicts_with_all = ["verify", "claims"])]
    failures: bool,
    /// Panel: print the log, as in debate-log.jsonl
    #[arg(long, value_name = "FORMAT", conflicts_with_all = ["verify", "claims", "failures"])]
    format: Option<Format>,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum Format {
    /// One entry per line
    Log,
}

impl Show {
    pub(crate) fn run(&self, app: &App) -> Result<Exit, CommandError> {
        let id = app.find(&self.id)?;
        if self.verify {
            return verify(app, &id);
        }
        if self.failures {
            let read = app.wait(app.store.events(&id, &Cursor::default()))?;
            return failures(app, &read.trusted()?);
        }
        let is_whole = !self.claims && self.format.is_none() && !app.screen.json;
        if is_whole && app.screen.is_for_people() && app.wait(app.store.is_claimed(&id))? {
            return follow(app, &id);
        }
        let debate = app.read(id.as_str())?;
        if let Some(Format::Log) = self.format {
            let log = debate.format().log(&debate).ok_or_else(|| {
                CommandError::usage("this debate is not a panel and has no log")
                    .hint("find one with `rebut list --kind panel`")
            })?;
            app.screen.json_document(&log);
            return Ok(Exit::Done);
        }
        if self.claims {
            app.screen.json(|| debate.format().claims_json(&debate));
            app.screen.markdown(&debate.format().claims_table(&debate));
            return Ok(Exit::Done);
        }
        let forks = forks(app, &id)?;
        if app.screen.json {
            app.screen.json(|| {
                let mut state = report::state(&debate);
                if !forks.is_empty() {
                    state["rebut"]["forks"] = json!(forks.iter().map(|fork| &fork.id).collect::<Vec<_>>());
                }
                state
            });
        } else {
            if app.screen.verbose {
                let plan = debate.plan();
                let seed = format!("  {:<11} {}\n", "seed", plan.chance.nonce());
                app.screen.text(&format!("# {}\n\n{}{seed}", plan.id.short(), report::plan_text(plan)));
            }
            let panels = debate.format().side_by_side(&debate);
            if app.screen.quiet {
                app.screen.markdown(&report::conclusion(&debate));
            } else if panels.is_empty() {
                app.screen.document_for_people(&format!("{}{}", report::document(&debate), kin(debate.plan(), &forks)));
            } else {
                app.screen.markdown(&report::heading(&debate));
                app.screen.side_by_side(&panels);
                let table = report::accounts_table(&debate);
                app.screen.text("");
                let conclusion = report::conclusion(&debate);
                let kin = kin(debate.plan(), &forks);
                app.screen.markdown(&format!("{conclusion}\n\n## Time, tokens and cost\n\n{table}\n{kin}"));
            }
        }
        Ok(Exit::Done)
    }
}

fn forks(app: &App, id: &DebateId) -> Result<Vec<Listed>, CommandError> {
    let debates = app.wait(app.store.list())?;
    let is_meant = |debate: &Listed| debate.summary.as_ref().is_some_and(|summary| summary.parent.as_ref() == Some(id));
    Ok(debates.into_iter().filter(is_meant).collect())
}

/// The debate that this one is a fork of, and its own forks.
fn kin(plan: &Plan, forks: &[Listed]) -> String {
    let parent = plan.parent.as_ref();
    let parent = parent.map(|parent| format!("\nFork of {} after {}\n", parent.id.short(), parent.after));
    let forks: Vec<&str> = forks.iter().map(|fork| fork.id.short()).collect();
    let forks = (!forks.is_empty()).then(|| format!("\nForks: {}\n", forks.join(", ")));
    parent.into_iter().chain(forks).collect()
}

fn failures(app: &App, events: &[Event]) -> Result<Exit, CommandError> {
    let mut any = false;
    for event in events {
        let (key, failure, retried) = match &event.happening {
            Happening::Failed { key, failure } => (key, failure, false),
            Happening::Retrying { key, failure, .. } => (key, failure, true),
            _ => continue,
        };
        any = true;
        app.screen.json(|| json!({ "at": event.at, "key": key, "tried_again": retried, "failure": failure }));
        let after = if retried { "; retried" } else { "" };
        let complaints = failure.complaints();
        let more = failure.advice.as_deref().into_iter().chain(complaints.lines()).map(|line| format!("\n  {line}"));
        app.screen.text(&format!("{key}: {failure}{after}{}", more.collect::<String>()));
    }
    if !any {
        app.screen.note("no call failed");
    }
    Ok(Exit::Done)
}

fn verify(app: &App, id: &DebateId) -> Result<Exit, CommandError> {
    let reading = app.wait(app.store.events(id, &Cursor::default()))?;
    if reading.events.is_empty() && reading.damage.is_none() {
        return Err(StoreError::Empty { id: id.clone() }.into());
    }
    let mut problems: Vec<String> = reading.damage.iter().map(ToString::to_string).collect();
    let events = reading.events.len();
    let torn = reading.torn_bytes;
    // Removing lines from the end leaves the chain intact, but debate.json still counts them.
    if let Some(known) =
        rendered_events(Record::of(&app.state, id).documents()).filter(|known| *known > events as u64 && problems.is_empty())
    {
        problems.push(format!(
            "the journal ends after {events} events, but debate.json was rendered from {known}: lines are missing"
        ));
    }
    let meaning = match fold(reading.events) {
        Ok(debate) => {
            let named = &debate.plan().id;
            if named != id {
                problems.push(format!("this is the journal of {named}, not of {id}"));
            }
            problems.extend(verify_pin(app, debate.plan()).err());
            Some(debate.meaning())
        }
        Err(error) => {
            problems.push(format!("the events contradict each other: {error}"));
            None
        }
    };
    app.screen.json(|| json!({ "events": events, "torn_bytes": torn, "meaning": meaning, "problems": problems }));
    if torn > 0 {
        app.screen.note(&format!("the last line is incomplete ({torn} bytes); `rebut resume` removes it"));
    }
    if problems.is_empty() {
        let meaning = meaning.unwrap_or_default();
        app.screen.text(&format!("journal intact: {events} events\nmeaning: {meaning}"));
        return Ok(Exit::Done);
    }
    for problem in &problems {
        app.screen.text(problem);
    }
    app.screen.text(&format!("{events} events before that are intact"));
    Ok(Exit::Failed)
}

fn verify_pin(app: &App, plan: &Plan) -> Result<(), String> {
    let Some(Scope::Pinned(facts)) = plan.evidence.as_ref().map(|evidence| &evidence.scope) else { return Ok(()) };
    let path = app.wait(app.store.blob(&plan.id, &facts.pack)).map_err(|error| error.to_string())?;
    let blobs = path.parent().unwrap_or(&path);
    checks::verify_kept(plan, blobs).map_err(|error| error.to_string())
}

fn rendered_events(folder: &std::path::Path) -> Option<u64> {
    let state = std::fs::read(folder.join("debate.json")).ok()?;
    serde_json::from_slice::<serde_json::Value>(&state).ok()?["rebut"]["events"].as_u64()
}
