//! `rebut export`, `rebut open` and `rebut compare`: debates as documents.

use std::fs;
use std::path::PathBuf;

use clap::{Args, ValueEnum};
use rebut_core::report;
use rebut_engine::store::files::{create_folder, replace_file};
use serde_json::json;

use crate::app::App;
use crate::error::{CommandError, Exit};
use crate::web;

/// Print a debate as a document: Markdown, HTML, JSON, ADR, SARIF or patch
#[derive(Debug, Args)]
#[command(
    after_long_help = "Examples:\n  rebut export last --as md > debate.md\n  rebut export 3fa9 --as json > debate.json\n  rebut export 3fa9 --as html -o debate.html\n  rebut export last --as sarif > review.sarif\n  rebut export last --as patch | git apply\n  rebut export last --as adr > docs/adr/0007-gateway.md"
)]
pub(crate) struct Export {
    /// Any unique part of the debate's id, or `last`
    #[arg(default_value = "last")]
    id: String,
    /// The kind of document
    #[arg(long = "as", value_name = "KIND", default_value = "md")]
    kind: Kind,
    /// Write to this file
    #[arg(long, short, value_name = "FILE")]
    output: Option<PathBuf>,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum Kind {
    /// Markdown: topic, statements, verdict, accounts
    Md,
    /// One file for the browser that needs nothing else
    Html,
    /// The state, as in debate.json
    Json,
    /// The decision as an architecture decision record
    Adr,
    /// The findings of a review as SARIF 2.1.0, for code scanning
    Sarif,
    /// The changes of a review, as a patch for `git apply`
    Patch,
}

impl Export {
    pub(crate) fn run(&self, app: &App) -> Result<Exit, CommandError> {
        let debate = app.read(&self.id)?;
        let text = match self.kind {
            Kind::Md => report::document(&debate),
            Kind::Html => app.wait(web::file(&debate, app.store.as_ref()))?,
            Kind::Json => format!("{:#}\n", report::state(&debate)),
            Kind::Adr => report::decision_record(&debate)?,
            Kind::Sarif => {
                debate.format().sarif(&debate).map(|log| format!("{log:#}\n")).ok_or_else(|| no_review("findings"))?
            }
            Kind::Patch => {
                let patch = debate.format().patch(&debate).ok_or_else(|| no_review("patch"))?;
                if patch.is_empty() {
                    return Err(CommandError::failed("this review changed no file of the workspace")
                        .hint("`rebut show` shows its result"));
                }
                patch
            }
        };
        if let Some(path) = &self.output {
            let failed = |error| CommandError::failed(format!("{} can't be written: {error}", path.display()));
            fs::write(path, &text).map_err(failed)?;
            return Ok(Exit::Done);
        }
        match self.kind {
            Kind::Json | Kind::Sarif => app.screen.json_document(&text),
            Kind::Md | Kind::Html | Kind::Adr | Kind::Patch => app.screen.document(&text),
        }
        Ok(Exit::Done)
    }
}

fn no_review(what: &str) -> CommandError {
    CommandError::usage(format!("this debate is not a review and has no {what}")).hint("`rebut list` shows all debates")
}

/// Open a debate as a page in the browser
#[derive(Debug, Args)]
#[command(after_long_help = OPEN_EXAMPLES)]
pub(crate) struct Open {
    /// Any unique part of the debate's id, or `last`
    #[arg(default_value = "last")]
    id: String,
}

const OPEN_EXAMPLES: &str = "\
The page is one file beside the debate's journal, and its path is printed. `rebut serve` shows
a debate while it runs.

Examples:
  rebut open
  rebut open 3fa9
  rebut export 3fa9 --as html -o debate.html    a file to share";

impl Open {
    pub(crate) fn run(&self, app: &App) -> Result<Exit, CommandError> {
        let debate = app.read(&self.id)?;
        let folder = app.state.join(debate.plan().id.as_str());
        let page = app.wait(web::file(&debate, app.store.as_ref()))?;
        let path = folder.join("page.html");
        // A debate of another machine has no folder here.
        create_folder(&folder)
            .and_then(|()| replace_file(&path, &folder.join(".page.html.new"), page.as_bytes()))
            .map_err(|error| CommandError::failed(format!("{} can't be written: {error}", path.display())))?;
        app.screen.text(&path.display().to_string());
        app.screen.json(|| json!({ "type": "page", "path": path }));
        if let Err(why) = web::open(&path) {
            app.screen.note(&format!("{why}: open the file yourself"));
        }
        Ok(Exit::Done)
    }
}

/// Compare two debates: verdicts, evidence, seats and cost
#[derive(Debug, Args)]
#[command(
    after_long_help = "Examples:\n  rebut compare 3fa9 ae3f\n  rebut compare 3fa9 ae3f > comparison.md\n  rebut compare 3fa9 ae3f --json | jq '.debates[].headline'"
)]
pub(crate) struct Compare {
    /// Any unique part of a debate's id, or `last`
    #[arg(value_name = "ID")]
    one: String,
    /// The debate to compare it with
    #[arg(value_name = "OTHER")]
    other: String,
}

impl Compare {
    pub(crate) fn run(&self, app: &App) -> Result<Exit, CommandError> {
        let (one, other) = (app.read(&self.one)?, app.read(&self.other)?);
        app.screen.markdown(&report::comparison([&one, &other]));
        app.screen.json(|| report::comparison_json([&one, &other]));
        Ok(Exit::Done)
    }
}
