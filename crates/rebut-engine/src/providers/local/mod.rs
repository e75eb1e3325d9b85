//! `local`: a model that runs in this process. All seats of one model share its weights; each has a memory of its own.

mod seat;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError, Weak};

use rebut_core::debate::{Cost, Price, SeatPlan};
use rebut_model::{LoadOptions, Model};

use crate::models::{Installed, Known, ModelError as ShelfError, ModelName, Models};
use seat::LocalSeat;

use super::Seat;

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
    Weights {
        path: PathBuf,
        /// Why not.
        source: Box<rebut_model::ModelError>,
    },
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
        let most = most_context();
        Ok(SeatPlan {
            tool: NAME.to_owned(),
            model,
            family: NAME.to_owned(),
            data_goes_to: "this machine only".to_owned(),
            context_tokens: Some(context.min(most)),
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
        let installed = match weights_named(model, workspace)? {
            Weights::Default => Ok(self.shelf()?.default()?.ok_or(LocalError::NoWeights)?),
            Weights::Named(name) => Ok(self.installed(&name)?),
            Weights::File(path) => Err(path),
        };
        if let Ok(installed) = &installed {
            self.shelf()?.check(installed)?;
        }
        let path = installed.map_or_else(|file| file, |installed| installed.path);
        // The same weights by another name are loaded once.
        let path = std::fs::canonicalize(&path).unwrap_or(path);
        Ok(Box::new(LocalSeat::new(&self.load(&path)?)))
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

fn unusable(path: &Path) -> impl FnOnce(rebut_model::ModelError) -> LocalError {
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

#[cfg(all(test, unix))]
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
}
