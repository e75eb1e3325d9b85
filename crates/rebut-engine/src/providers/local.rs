//! `local`: a model that runs in this process. All seats of one model share its weights; each has a memory of its own.

use std::cell::Cell;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError, Weak};
use std::time::Instant;

use rebut_core::debate::{Answer, Cause, Cost, Failure, Price, SeatPlan, Shape, Usage};
use rebut_model::{GenerateOptions, LoadOptions, Message, Model, ModelError, Reply, Session, Stop};
use tokio_util::sync::CancellationToken;

use super::{Answering, Lane, Order, Progress, ProgressSink, Seat};
use crate::models::{Installed, Known, ModelError as ShelfError, ModelName, Models};

pub const NAME: &str = "local";

/// The warning about the default model.
pub const MECHANICS: &str =
    "the embedded model is very small and shows the mechanics only: it votes once; don't rely on its verdict";

/// Local computation has no price.
const FREE: Price = Price { input: Cost::from_nanodollars(0), output: Cost::from_nanodollars(0) };

#[derive(Debug, Default)]
pub(super) struct Locals {
    pub(super) root: Option<PathBuf>,
    loaded: Mutex<BTreeMap<PathBuf, Weak<Model>>>,
}

#[derive(Debug, thiserror::Error)]
pub enum LocalError {
    #[error("there is no home folder to keep models in; name a folder with REBUT_MODEL_DIR")]
    NoShelf,
    #[error("the weights of the embedded model are not here; fetch them with `rebut model pull {}`", Known::DEFAULT.name)]
    NoWeights,
    #[error("model `{0}` is not installed; `rebut model list` shows those that are, and how to get others")]
    NotOnShelf(String),
    #[error("there is no file {path}; name the weights as `local:PATH.gguf`, or a model of `rebut model list`", path = .0.display())]
    NoFile(PathBuf),
    #[error(transparent)]
    Shelf(#[from] ShelfError),
    #[error("{path}: {source}", path = path.display())]
    Weights { path: PathBuf, source: Box<ModelError> },
}

/// Which weights a seat names.
enum Weights {
    Default,
    Named(ModelName),
    File(PathBuf),
}

impl Locals {
    /// The plan for a seat: the default model, one by name, or one by its file. The default weights may still have to be
    /// fetched; all others must be loadable, so that no debate starts that cannot go on.
    pub(super) fn plan(&self, model: Option<&str>, workspace: &Path) -> Result<SeatPlan, LocalError> {
        let (model, context) = match weights_named(model, workspace)? {
            Weights::Default => (None, Known::DEFAULT.context),
            Weights::Named(name) => (Some(name.to_string()), context_of(&self.installed(&name)?.path)?),
            Weights::File(path) => (Some(path.display().to_string()), context_of(&path)?),
        };
        Ok(SeatPlan {
            tool: NAME.to_owned(),
            model,
            family: NAME.to_owned(),
            data_goes_to: "this machine only".to_owned(),
            context_tokens: Some(context.min(most_context())),
            price: Some(FREE),
            enforces_schema: true,
            ..SeatPlan::default()
        })
    }

    /// Whether this seat's weights are the default ones, and still have to be fetched.
    pub(super) fn must_be_fetched(&self, seat: &SeatPlan) -> Result<bool, LocalError> {
        Ok(seat.tool == NAME && seat.model.is_none() && self.shelf()?.default()?.is_none())
    }

    /// Takes a seat; the weights are loaded if no other seat has them.
    pub(super) fn open(&self, model: Option<&str>, workspace: &Path) -> Result<Box<dyn Seat>, LocalError> {
        let path = match weights_named(model, workspace)? {
            Weights::Default => self.checked(self.shelf()?.default()?.ok_or(LocalError::NoWeights)?)?,
            Weights::Named(name) => self.checked(self.installed(&name)?)?,
            Weights::File(path) => path,
        };
        // The same weights by another name are loaded once.
        let path = std::fs::canonicalize(&path).unwrap_or(path);
        Ok(Box::new(LocalSeat::new(&self.load(&path)?)))
    }

    fn checked(&self, installed: Installed) -> Result<PathBuf, LocalError> {
        self.shelf()?.check(&installed)?;
        Ok(installed.path)
    }

    fn load(&self, path: &Path) -> Result<Arc<Model>, LocalError> {
        let mut loaded = self.loaded.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(model) = loaded.get(path).and_then(Weak::upgrade) {
            return Ok(model);
        }
        let model = Arc::new(Model::load(path, LoadOptions::default()).map_err(unusable(path))?);
        loaded.insert(path.to_owned(), Arc::downgrade(&model));
        Ok(model)
    }

    fn installed(&self, name: &ModelName) -> Result<Installed, LocalError> {
        self.shelf()?.find(name)?.ok_or_else(|| LocalError::NotOnShelf(name.to_string()))
    }

    fn shelf(&self) -> Result<Models, LocalError> {
        self.root.as_ref().map(Models::at).ok_or(LocalError::NoShelf)
    }
}

/// How many tokens a conversation has at most, whatever its model could hold: no more is loaded for.
pub fn most_context() -> u64 {
    u64::try_from(LoadOptions::default().context).unwrap_or(u64::MAX)
}

/// How many tokens the weights in a file can hold; an error if they could not be loaded now.
fn context_of(path: &Path) -> Result<u64, LocalError> {
    let context = Model::inspect(path).map_err(unusable(path))?;
    Ok(u64::try_from(context).unwrap_or(u64::MAX))
}

fn unusable(path: &Path) -> impl FnOnce(ModelError) -> LocalError {
    move |source| LocalError::Weights { path: path.to_owned(), source: Box::new(source) }
}

/// Whether the name of a model is a file's: it has a folder or an ending.
pub(crate) fn is_file(model: &str) -> bool {
    model.contains('/') || model.to_lowercase().ends_with(".gguf")
}

/// A name is one of `rebut model list`, unless it is a file's.
fn weights_named(model: Option<&str>, workspace: &Path) -> Result<Weights, LocalError> {
    match model {
        None => Ok(Weights::Default),
        Some(file) if is_file(file) => {
            let path = workspace.join(file);
            if path.is_file() { Ok(Weights::File(path)) } else { Err(LocalError::NoFile(path)) }
        }
        Some(name) if name == Known::DEFAULT.name => Ok(Weights::Default),
        Some(name) => Ok(Weights::Named(ModelName::parse(name)?)),
    }
}

/// The end of a statement that was cut at its longest.
const CUT: &str = " […]";

/// A seat with a memory of its own: what its prompts share is read once.
struct LocalSeat {
    name: String,
    session: Arc<Mutex<Session>>,
}

impl LocalSeat {
    fn new(model: &Arc<Model>) -> Self {
        Self { name: model.name().to_owned(), session: Arc::new(Mutex::new(model.session())) }
    }
}

impl Seat for LocalSeat {
    fn lane(&self) -> Lane {
        Lane { kind: "local", provider: NAME.into() }
    }

    fn answer<'a>(&'a self, order: &'a Order, progress: ProgressSink, cancel: CancellationToken) -> Answering<'a> {
        let session = Arc::clone(&self.session);
        let messages = [Message::system(order.prompt.system.clone()), Message::user(order.prompt.user.clone())];
        let schema = match &order.shape {
            Shape::Json { schema, .. } => Some(schema.clone()),
            Shape::Prose => None,
        };
        let is_prose = schema.is_none();
        let options = GenerateOptions {
            max_tokens: usize::try_from(order.output_tokens).unwrap_or(usize::MAX),
            seed: order.seed,
            schema,
            ..GenerateOptions::default()
        };
        Box::pin(async move {
            let began = Instant::now();
            // Computing takes all of a thread; the ones that wait for others must not be it.
            let computed = tokio::task::spawn_blocking(move || {
                let mut session = session.lock().unwrap_or_else(PoisonError::into_inner);
                let (mut said, repeats) = (String::new(), Cell::new(false));
                let mut piece = |text: &str| {
                    said.push_str(text);
                    repeats.set(is_prose && repeated_from(&said).is_some());
                    progress.tell(Progress::Text(text.to_owned()));
                };
                let is_over = || cancel.is_cancelled() || repeats.get();
                session.chat(&messages, &options, &is_over, &mut piece)
            });
            let reply = match computed.await {
                Ok(reply) => reply.map_err(|error| failure(&error))?,
                Err(_) => return Err(Failure::new(Cause::Exit, "the computation broke off; this is a fault in rebut")),
            };
            let duration_ms = u64::try_from(began.elapsed().as_millis()).unwrap_or(u64::MAX);
            self.conclude(reply, is_prose, duration_ms)
        })
    }
}

impl LocalSeat {
    fn conclude(&self, reply: Reply, is_prose: bool, duration_ms: u64) -> Result<Answer, Failure> {
        let usage = Usage {
            input_tokens: u64::try_from(reply.prompt_tokens).ok(),
            output_tokens: u64::try_from(reply.answer_tokens).ok(),
            cost: Some(Cost::default()),
        };
        let text = match reply.stop {
            Stop::Cancelled if is_prose && repeated_from(&reply.text).is_some() => without_repetition(&reply.text),
            Stop::Cancelled => return Err(Failure { usage, ..Failure::new(Cause::Cancelled, "") }),
            // A small model does not know when to end. What it said up to then is a statement, and shows where it was cut.
            Stop::MaxTokens if is_prose => cut(&reply.text),
            Stop::MaxTokens | Stop::EndOfTurn => reply.text,
        };
        let (model, transport) = (Some(self.name.clone()), NAME.to_owned());
        Ok(Answer { text, model, usage, session: None, duration_ms, transport })
    }
}

/// The text up to the end of its last whole sentence, with a mark that shows that it was cut.
fn cut(text: &str) -> String {
    let end = text.char_indices().rfind(|(at, c)| {
        matches!(c, '.' | '!' | '?' | '。') && text[at + c.len_utf8()..].chars().next().is_none_or(char::is_whitespace)
    });
    let end = end.map_or(text.len(), |(at, c)| at + c.len_utf8());
    format!("{}{CUT}", text[..end].trim_end())
}

/// The shortest sentence that counts as repeated, in bytes.
const SENTENCE: usize = 20;

/// Where a small model begins to say the same again, if the last whole sentence was there before: it goes on like that to
/// its longest answer.
fn repeated_from(text: &str) -> Option<usize> {
    let said = text.trim_end();
    let bare = said.strip_suffix(['.', '!', '?'])?;
    let at = bare.rfind(['.', '!', '?', '\n']).map_or(0, |at| at + 1);
    let sentence = said[at..].trim_start();
    (sentence.len() >= SENTENCE && said[..at].contains(sentence)).then_some(at)
}

fn without_repetition(text: &str) -> String {
    text[..repeated_from(text).unwrap_or(text.len())].trim_end().to_owned()
}

fn failure(error: &ModelError) -> Failure {
    let cause = match error {
        ModelError::ContextFull { .. } => Cause::ContextTooLong,
        _ => Cause::Exit,
    };
    Failure::new(cause, error.to_string())
}

#[cfg(test)]
mod tests {
    use rebut_fakes::tiny_model::TinyModel;

    use super::*;

    #[test]
    fn seats_share_one_copy_of_the_weights_as_long_as_one_of_them_sits() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("tiny.gguf");
        std::fs::write(&path, TinyModel::default().bytes()).unwrap();
        let link = folder.path().join("link.gguf");
        std::os::unix::fs::symlink(&path, &link).unwrap();
        let locals = Locals::default();
        let copies = || {
            let loaded = locals.loaded.lock().unwrap();
            loaded.values().map(Weak::strong_count).filter(|count| *count > 0).count()
        };
        let seats: Vec<_> = ["tiny.gguf", "link.gguf", "tiny.gguf"]
            .iter()
            .map(|file| locals.open(Some(file), folder.path()).unwrap())
            .collect();
        assert_eq!(copies(), 1, "two seats and the judge have one copy");
        drop(seats);
        assert_eq!(copies(), 0, "nothing is kept for nobody");
    }

    #[test]
    fn an_answer_that_is_cancelled_ends_in_the_middle_and_tells_what_it_took() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("tiny.gguf");
        std::fs::write(&path, TinyModel::default().bytes()).unwrap();
        let seat = LocalSeat::new(&Arc::new(Model::load(&path, LoadOptions::default()).unwrap()));
        // A list that cannot be at its end when its first words are heard.
        let schema = serde_json::json!({ "type": "array", "items": { "type": "integer" }, "minItems": 500 });
        let options = GenerateOptions { max_tokens: 1_900, seed: 1, schema: Some(schema), ..GenerateOptions::default() };
        // Cancelled at the first of them, before the next is computed.
        let heard = std::cell::Cell::new(false);
        let messages = [Message::system("Count."), Message::user("Now.")];
        let reply =
            seat.session.lock().unwrap().chat(&messages, &options, &|| heard.get(), &mut |_| heard.set(true)).unwrap();
        let failure = seat.conclude(reply, false, 0).unwrap_err();
        assert_eq!(failure.cause, Cause::Cancelled);
        assert!(failure.usage.output_tokens.is_some_and(|tokens| (1..100).contains(&tokens)), "{:?}", failure.usage);
    }

    #[test]
    fn what_is_said_again_ends_an_answer_before_it() {
        let text = "Fix the leak in the pool first. Then measure it. Fix the leak in the pool first.";
        assert_eq!(without_repetition(text), "Fix the leak in the pool first. Then measure it.");
        for text in
            ["", "Yes. Yes. Yes.", "Fix the leak in the pool first. Fix the leak in", "Fix the leak in the pool first."]
        {
            assert_eq!(repeated_from(text), None, "{text}");
        }
    }

    #[test]
    fn a_statement_that_is_cut_ends_with_a_whole_sentence_and_shows_it() {
        assert_eq!(cut("One. Two is 3.5 long! And th"), "One. Two is 3.5 long! […]");
        assert_eq!(cut("never ends"), "never ends […]");
    }
}
