//! `rebut model list`

use clap::Args;
use rebut_engine::models::{CATALOGUE, Installed, Known, Models, size};
use rebut_engine::providers::local;
use serde_json::{Value, json};

use crate::app::App;
use crate::error::{CommandError, Exit};

/// List installed models and those available by name
#[derive(Debug, Args)]
#[command(after_long_help = "\
Examples:
  rebut model list
  rebut model list --json | jq -r 'select(.here) | .path'

`MEMORY` is what the machine should have, with other programs running.")]
pub(super) struct List {}

const HEAD: [&str; 6] = ["NAME", "SIZE", "MEMORY", "CONTEXT", "LICENCE", "ABOUT"];

impl List {
    pub(super) fn run(&self, app: &App, models: &Models) -> Result<Exit, CommandError> {
        let installed = models.all()?;
        let is_here = |known: &Known| installed.iter().any(|model| model.name.as_str() == known.name);
        let others: Vec<&Known> = CATALOGUE.iter().filter(|known| !is_here(known)).collect();
        if app.screen.json {
            for model in &installed {
                app.screen.json(|| here_as_json(model));
            }
            for known in others {
                app.screen.json(|| known_as_json(known));
            }
            return Ok(Exit::Done);
        }
        app.screen.text(&match installed.len() {
            0 => format!("No model in {}", models.root.display()),
            _ => format!("In {}:\n", models.root.display()),
        });
        if !installed.is_empty() {
            app.screen.rows(&HEAD, &installed.iter().map(here).collect::<Vec<_>>());
        }
        if !others.is_empty() {
            app.screen.text("\nAvailable with `rebut model pull NAME`:\n");
            app.screen.rows(&HEAD, &others.into_iter().map(there).collect::<Vec<_>>());
        }
        Ok(Exit::Done)
    }
}

fn here(model: &Installed) -> Vec<String> {
    let known = Known::named(model.name.as_str());
    vec![
        model.name.to_string(),
        size(model.record.bytes),
        known.map_or_else(unknown, |known| format!("{} GB", known.memory_gb)),
        model.record.context.map_or_else(unknown, context),
        model.record.licence.clone().unwrap_or_else(unknown),
        known.map_or_else(|| format!("from {}", model.record.source), |known| known.about.to_owned()),
    ]
}

fn there(known: &Known) -> Vec<String> {
    vec![
        known.name.to_owned(),
        known.size("~"),
        format!("{} GB", known.memory_gb),
        context(known.context),
        known.licence.to_owned(),
        known.about.to_owned(),
    ]
}

/// How much of a model's context is used.
fn context(tokens: u64) -> String {
    let used = local::most_context();
    if tokens > used { format!("{used} of {tokens}") } else { tokens.to_string() }
}

fn unknown() -> String {
    "unknown".to_owned()
}

pub(super) fn here_as_json(model: &Installed) -> Value {
    let record = &model.record;
    json!({
        "type": "model",
        "name": model.name.as_str(),
        "here": true,
        "default": is_default(model.name.as_str()),
        "path": model.path,
        "source": record.source,
        "bytes": record.bytes,
        "sha256": record.sha256,
        "licence": record.licence,
        "architecture": record.architecture,
        "context": record.context,
        "memory_gb": Known::named(model.name.as_str()).map(|known| known.memory_gb),
    })
}

fn known_as_json(known: &Known) -> Value {
    json!({
        "type": "model",
        "name": known.name,
        "here": false,
        "default": is_default(known.name),
        "path": null,
        "source": known.source,
        "bytes": known.bytes,
        "sha256": known.sha256,
        "licence": known.licence,
        "architecture": null,
        "context": known.context,
        "memory_gb": known.memory_gb,
    })
}

fn is_default(name: &str) -> bool {
    name == Known::DEFAULT.name
}
