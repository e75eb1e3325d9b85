//! `rebut list`

use std::path::Path;

use clap::Args;
use clap::builder::RangedU64ValueParser;
use jiff::{SignedDuration, Span, SpanRelativeTo, Timestamp};
use rebut_core::debate::{Cost, Sum};
use rebut_core::formats::FORMATS;
use rebut_engine::session::Record;
use rebut_engine::store::{Listed, State, Summary};
use serde_json::json;

use crate::app::App;
use crate::error::{CommandError, Exit};

/// List debates, newest first
#[derive(Debug, Args)]
#[command(
    after_long_help = "Examples:\n  rebut list\n  rebut list --all --kind review --since 7d\n  rebut list --search pool leak\n  rebut list --json | jq -r .id"
)]
pub(crate) struct List {
    /// Include other workspaces
    #[arg(long, short)]
    all: bool,
    /// Only debates of this kind
    #[arg(long, value_parser = FORMATS.iter().map(|(name, _)| *name).collect::<Vec<_>>())]
    kind: Option<String>,
    /// Only debates of the last days, hours or minutes: 7d, 12h, 90m
    #[arg(long, value_name = "TIME", value_parser = read_age)]
    since: Option<SignedDuration>,
    /// Only debates with all these words in topic, outcome or id
    #[arg(long, value_name = "WORDS", num_args = 1..)]
    search: Vec<String>,
    /// Most debates to list
    #[arg(long, short = 'L', value_name = "N", default_value_t = 30, value_parser = RangedU64ValueParser::<usize>::new().range(1..))]
    limit: usize,
}

impl List {
    pub(crate) fn run(&self, app: &App) -> Result<Exit, CommandError> {
        let now = Timestamp::now();
        let debates = self.read(app)?;
        let in_reach: Vec<&Listed> = debates.iter().rev().filter(|debate| self.all || app.is_here(debate)).collect();
        let found: Vec<&Listed> = in_reach.iter().copied().filter(|debate| self.is_meant(debate, now)).collect();
        let shown = &found[..found.len().min(self.limit)];
        if app.screen.json {
            for debate in shown {
                app.screen.json(|| as_json(debate, Record::of(&app.state, &debate.id).documents()));
            }
        } else if !shown.is_empty() {
            let for_people = app.screen.is_for_people();
            let rows = shown.iter().map(|debate| if for_people { self.cells(debate, now) } else { piped(debate) });
            let rows: Vec<_> = rows.collect();
            let workspace = self.all.then_some("WORKSPACE");
            let head: Vec<&str> =
                ["ID", "KIND", "AGE"].into_iter().chain(workspace).chain(["TOPIC", "OUTCOME", "COST"]).collect();
            app.screen.rows(&head, &rows);
        }
        self.note_rest(app, debates.is_empty(), in_reach.len(), found.len());
        Ok(Exit::Done)
    }

    /// Every debate, or, where no filter needs more, only those that are shown and one that says there are others. Oldest
    /// first.
    fn read(&self, app: &App) -> Result<Vec<Listed>, CommandError> {
        if self.kind.is_none() && self.since.is_none() && self.search.is_empty() {
            let demo = app.demo();
            let here = [app.place.workspace.as_path(), &demo];
            let here = (!self.all).then_some(here.as_slice());
            let mut newest = app.wait(app.store.newest(here, self.limit.saturating_add(1)))?;
            if newest.is_empty() {
                newest = app.wait(app.store.newest(None, 1))?;
            }
            newest.reverse();
            return Ok(newest);
        }
        app.wait(app.store.list())
    }

    fn is_meant(&self, debate: &Listed, now: Timestamp) -> bool {
        let summary = debate.summary.as_ref();
        let kind = self.kind.as_ref().is_none_or(|kind| summary.is_some_and(|summary| summary.format == *kind));
        let since = self.since.is_none_or(|age| debate.updated().is_some_and(|updated| now.duration_since(updated) <= age));
        kind && since && (self.search.is_empty() || has_words(debate, &self.search.join(" ")))
    }

    fn cells(&self, debate: &Listed, now: Timestamp) -> Vec<String> {
        let of = |part: fn(&Summary) -> String| debate.summary.as_ref().map(part).unwrap_or_default();
        let age = debate.updated().map(|updated| ago(updated, now)).unwrap_or_default();
        let mut cells = vec![debate.id.short().to_owned(), of(|summary| summary.format.clone()), age];
        cells.extend(self.all.then(|| workspace(debate)));
        cells.extend([debate.topic().to_owned(), outcome(debate), of(|summary| cost(summary.cost))]);
        cells
    }

    fn note_rest(&self, app: &App, none: bool, in_reach: usize, found: usize) {
        if none {
            app.screen.note(&format!("no debates in {}", app.state.display()));
        } else if in_reach == 0 {
            let workspace = app.place.workspace.display();
            app.screen.note(&format!("no debates in {workspace}; `rebut list --all` shows those of other workspaces"));
        } else if found == 0 {
            app.screen.note(&format!("none of {in_reach} debates match"));
        } else if found > self.limit {
            app.screen.note(&format!("showing the newest {}; --limit shows more", self.limit));
        }
    }
}

pub(crate) fn has_words(debate: &Listed, words: &str) -> bool {
    let text = format!("{} {} {}", debate.id, debate.topic(), outcome(debate)).to_lowercase();
    words.to_lowercase().split_whitespace().all(|word| text.contains(word))
}

/// A line for programs: every column in full.
fn piped(debate: &Listed) -> Vec<String> {
    let of = |part: fn(&Summary) -> String| debate.summary.as_ref().map(part).unwrap_or_default();
    vec![
        debate.id.to_string(),
        debate.state.as_str().to_owned(),
        of(|summary| summary.format.clone()),
        debate.updated().map(|updated| updated.to_string()).unwrap_or_default(),
        of(|summary| summary.workspace.clone()),
        debate.topic().to_owned(),
        outcome(debate),
        of(|summary| cost(summary.cost)),
    ]
}

fn as_json(debate: &Listed, folder: &Path) -> serde_json::Value {
    let summary = debate.summary.as_ref();
    json!({
        "id": debate.id, "status": debate.state.as_str(), "topic": debate.topic(), "folder": folder,
        "kind": summary.map(|summary| &summary.format), "workspace": summary.map(|summary| &summary.workspace),
        "created": summary.map(|summary| summary.created), "updated": debate.updated(),
        "outcome": summary.and_then(|summary| summary.outcome.as_ref()),
        "cost": summary.map(|summary| cost(summary.cost)),
    })
}

/// The outcome, or the state while there is none.
fn outcome(debate: &Listed) -> String {
    let ended = debate.summary.as_ref().and_then(|summary| summary.outcome.clone());
    ended.filter(|_| debate.state.has_ended()).unwrap_or_else(|| match (debate.state, &debate.problem) {
        (State::Interrupted, Some(why)) => format!("interrupted: {why}"),
        (state, _) => state.as_str().to_owned(),
    })
}

fn workspace(debate: &Listed) -> String {
    let name = debate.summary.as_ref().and_then(|summary| Path::new(&summary.workspace).file_name());
    name.map(|name| name.to_string_lossy().into_owned()).unwrap_or_default()
}

pub(crate) fn cost(sum: Sum) -> String {
    match sum {
        Sum { known: 0, unknown: 0 } => "free".to_owned(),
        Sum { known: 0, .. } => "unknown".to_owned(),
        Sum { known, unknown } => format!("{}{}", Cost::from_nanodollars(known), if unknown > 0 { "+" } else { "" }),
    }
}

/// Reads an age such as `30d`, `12h` or `90m`.
pub(super) fn read_age(text: &str) -> Result<SignedDuration, &'static str> {
    let span = text.parse::<Span>().and_then(|span| span.to_duration(SpanRelativeTo::days_are_24_hours()));
    span.ok().filter(|age| !age.is_negative()).ok_or("expected a number with s, m, h or d, such as 30d")
}

pub(crate) fn ago(then: Timestamp, now: Timestamp) -> String {
    const UNITS: [(char, i64); 4] = [('d', 86_400), ('h', 3_600), ('m', 60), ('s', 1)];
    let seconds = now.duration_since(then).as_secs().max(0);
    let fits = UNITS.iter().find(|(_, unit)| seconds >= *unit);
    fits.map_or_else(|| "now".to_owned(), |(name, unit)| format!("{}{name}", seconds / unit))
}
