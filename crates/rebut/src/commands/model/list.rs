//! `rebut model list`

use clap::Args;
use rebut_engine::models::{CATALOGUE, Installed, Known, Models, size};
use rebut_engine::providers::local;
use serde_json::{Value, json};

use crate::desk::Desk;
use crate::error::{CommandError, Exit};

/// List the models on this machine and those available by name
#[derive(Debug, Args)]
#[command(after_long_help = "\
Examples:
  rebut model list
  rebut model list --json | jq -r 'select(.here) | .path'

`memory` is the memory of a machine on which a model runs beside other programs.")]
pub(super) struct List {}

/// One model, here or not.
struct Row {
    name: String,
    size: String,
    memory: String,
    context: String,
    licence: String,
    about: String,
}

impl List {
    pub(super) fn run(&self, desk: &Desk, models: &Models) -> Result<Exit, CommandError> {
        let installed = models.all()?;
        let is_here = |known: &Known| installed.iter().any(|model| model.name.as_str() == known.name);
        let others: Vec<&Known> = CATALOGUE.iter().filter(|known| !is_here(known)).collect();
        if desk.screen.json {
            for model in &installed {
                desk.screen.json(|| here_as_json(model));
            }
            for known in others {
                desk.screen.json(|| known_as_json(known));
            }
            return Ok(Exit::Done);
        }
        if installed.is_empty() {
            desk.screen.text(&format!("No model is in {}.\n", models.root().display()));
        } else {
            let rows: Vec<Row> = installed.iter().map(here).collect();
            desk.screen.text(&format!("In {}:\n\n{}", models.root().display(), table(&rows)));
        }
        if !others.is_empty() {
            let rows: Vec<Row> = others.into_iter().map(there).collect();
            desk.screen.text(&format!("To be had with `rebut model pull NAME`:\n\n{}", table(&rows)));
        }
        Ok(Exit::Done)
    }
}

fn here(model: &Installed) -> Row {
    let known = Known::named(model.name.as_str());
    Row {
        name: model.name.to_string(),
        size: size(model.record.bytes),
        memory: known.map_or_else(unknown, |known| format!("{} GB", known.memory_gb)),
        context: model.record.context.map_or_else(unknown, context),
        licence: model.record.licence.clone().unwrap_or_else(unknown),
        about: known.map_or_else(|| format!("from {}", model.record.source), |known| known.about.to_owned()),
    }
}

fn there(known: &Known) -> Row {
    Row {
        name: known.name.to_owned(),
        size: known.size("~"),
        memory: format!("{} GB", known.memory_gb),
        context: context(known.context),
        licence: known.licence.to_owned(),
        about: known.about.to_owned(),
    }
}

/// How much of a model's context is used.
fn context(tokens: u64) -> String {
    let used = local::most_context();
    if tokens > used { format!("{used} of {tokens}") } else { tokens.to_string() }
}

fn unknown() -> String {
    "unknown".to_owned()
}

/// The rows under each other, as wide as each column needs.
fn table(rows: &[Row]) -> String {
    let head = ["name", "size", "memory", "context", "licence", ""].map(str::to_owned);
    let cells = |row: &Row| {
        let Row { name, size, memory, context, licence, about } = row;
        [name, size, memory, context, licence, about].map(Clone::clone)
    };
    let lines: Vec<[String; 6]> = std::iter::once(head).chain(rows.iter().map(cells)).collect();
    let width = |column: usize| lines.iter().map(|line| line[column].chars().count()).max().unwrap_or(0);
    let widths: [usize; 6] = std::array::from_fn(width);
    let written = lines.iter().map(|line| {
        let cells = line.iter().zip(widths).map(|(cell, width)| format!("{cell:<width$}"));
        format!("  {}\n", cells.collect::<Vec<_>>().join("  ").trim_end())
    });
    written.collect()
}

/// A model that is here, for programs.
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
