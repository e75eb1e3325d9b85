//! `local`: a model that runs in this process. All seats of one model share its weights; each has a memory of its own.

mod seat;

use std::collections::BTreeMap;
use std::fs::File;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError, Weak};

use rebut_core::debate::SeatPlan;
use rebut_model::{LoadOptions, Model};

use crate::models::{Known, ModelError as ShelfError, ModelName, Models, context_of};
use seat::LocalSeat;

use super::Seat;

/// The tool's name.
pub const NAME: &str = "local";

/// What everybody should know who debates with the default model.
pub const MECHANICS: &str =
    "the embedded model is very small: it shows the mechanics of a debate, not wisdom; decide nothing by its verdict";

/// The embedded models of this process.
#[derive(Debug, Default)]
pub(super) struct Locals {
    /// The shelf of weights.
    pub(super) root: Option<PathBuf>,
    loaded: Mutex<BTreeMap<PathBuf, Weak<Model>>>,
}

/// Why an embedded model cannot take a seat.
#[derive(Debug, thiserror::Error)]
pub enum LocalError {
    /// There is no folder for weights.
    #[error("there is no home folder to keep models in; name a folder with REBUT_MODEL_DIR")]
    NoShelf,
    /// The default model is not here yet.
    #[error("the weights of the embedded model are not here; fetch them with `rebut model pull {}`", Known::DEFAULT.name)]
    NoWeights,
    /// No model of this name.
    #[error("there is no model `{0}` on the shelf; `rebut model list` shows those that are, and how to get others")]
    NotOnShelf(String),
    /// No such file.
    #[error("there is no file {0}; name the weights as `local:PATH.gguf`, or a model of `rebut model list`")]
    NoFile(PathBuf),
    /// The shelf cannot be read.
    #[error(transparent)]
    Shelf(#[from] ShelfError),
    /// The weights cannot be loaded.
    #[error("{path}: {source}", path = path.display())]
    Weights {
        /// The file.
        path: PathBuf,
        /// Why not.
        source: Box<rebut_model::ModelError>,
    },
}

/// Which weights a seat asks for.
enum Asked {
    Default,
    Named(ModelName),
    File(PathBuf),
}

impl Locals {
    /// The plan for a seat: the default model, one by name, or one by its file. Weights that can be fetched need not be
    /// here yet.
    pub(super) fn plan(&self, model: Option<&str>, workspace: &Path) -> Result<SeatPlan, LocalError> {
        let (model, context) = match asked(model, workspace)? {
            Asked::Default => (None, Some(Known::DEFAULT.context)),
            Asked::Named(name) => {
                let installed =
                    self.shelf()?.find(&name)?.ok_or_else(|| LocalError::NotOnShelf(name.as_str().to_owned()))?;
                (Some(name.as_str().to_owned()), installed.record.context)
            }
            Asked::File(path) => {
                let file = File::open(&path).map_err(|_| LocalError::NoFile(path.clone()))?;
                (Some(path.display().to_string()), context_of(file))
            }
        };
        // No conversation is longer than what is loaded for.
        let most = u64::try_from(LoadOptions::default().context).unwrap_or(u64::MAX);
        Ok(SeatPlan {
            tool: NAME.to_owned(),
            model,
            family: NAME.to_owned(),
            data_goes_to: "nobody (computed on this machine)".to_owned(),
            reads_workspace: false,
            context_tokens: Some(context.unwrap_or(most).min(most)),
            price: None,
            transport: String::new(),
        })
    }

    /// Whether this seat's weights are the default ones, and still have to be fetched.
    pub(super) fn must_be_fetched(&self, seat: &SeatPlan) -> Result<bool, LocalError> {
        Ok(seat.tool == NAME && seat.model.is_none() && self.shelf()?.default()?.is_none())
    }

    /// Takes a seat; the weights are loaded if no other seat has them.
    pub(super) fn open(&self, model: Option<&str>, workspace: &Path) -> Result<Box<dyn Seat>, LocalError> {
        let path = match asked(model, workspace)? {
            Asked::Default => self.shelf()?.default()?.ok_or(LocalError::NoWeights)?.path,
            Asked::Named(name) => {
                let found = self.shelf()?.find(&name)?;
                found.ok_or_else(|| LocalError::NotOnShelf(name.as_str().to_owned()))?.path
            }
            Asked::File(path) if !path.is_file() => return Err(LocalError::NoFile(path)),
            Asked::File(path) => path,
        };
        Ok(Box::new(LocalSeat::new(&self.load(&path)?)))
    }

    fn load(&self, path: &Path) -> Result<Arc<Model>, LocalError> {
        let mut loaded = self.loaded.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(model) = loaded.get(path).and_then(Weak::upgrade) {
            return Ok(model);
        }
        let failed = |source| LocalError::Weights { path: path.to_owned(), source: Box::new(source) };
        let model = Arc::new(Model::load(path, LoadOptions::default()).map_err(failed)?);
        loaded.insert(path.to_owned(), Arc::downgrade(&model));
        Ok(model)
    }

    fn shelf(&self) -> Result<Models, LocalError> {
        self.root.as_ref().map(Models::at).ok_or(LocalError::NoShelf)
    }
}

/// A name stands on the shelf; what has a folder or an ending is a file.
fn asked(model: Option<&str>, workspace: &Path) -> Result<Asked, LocalError> {
    match model {
        None => Ok(Asked::Default),
        Some(file) if file.contains('/') || file.to_lowercase().ends_with(".gguf") => Ok(Asked::File(workspace.join(file))),
        Some(name) => Ok(Asked::Named(ModelName::parse(name)?)),
    }
}
