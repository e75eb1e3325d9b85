//! Prompts that replace built-in ones: files of the same name in the user's config folder, or in the project's.
//!
//! A prompt decides what the seats do, and a project's prompts were written by somebody else: they are not even read unless
//! the user trusts them.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use rebut_core::debate::PromptOverride;
use rebut_core::formats::prompts::BUILTIN;

use super::error::short;
use super::file::read_text;
use super::keys::nearest;
use super::places::PROMPTS;
use super::{ConfigError, Places, ProjectFiles};

/// The prompts that replace built-in ones.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PromptFiles {
    /// By name (`duel/opening.md`), for the plan.
    pub overrides: BTreeMap<String, PromptOverride>,
    /// Notes for the plan.
    pub notes: Vec<String>,
}

/// Reads the user's own prompts, and the project's if the user trusts them (`--trust-project-prompts`): those win.
pub fn read_prompts(places: &Places, trust_project: bool) -> Result<PromptFiles, ConfigError> {
    let mut files = PromptFiles::default();
    if let Some(user) = &places.user {
        Folder { path: user.join("prompts"), project: None }.read_into(&mut files.overrides)?;
    }
    let path = places.workspace.join(PROMPTS);
    match &places.project {
        ProjectFiles::Nothing => {}
        ProjectFiles::Workspace if trust_project => {
            Folder { path, project: Some(&places.workspace) }.read_into(&mut files.overrides)?;
        }
        ProjectFiles::Workspace => files.note_unused(&path, |name| path.join(name).symlink_metadata().is_ok()),
        ProjectFiles::Commit { name, texts } => {
            let folder = Folder { path: format!("{name}:{PROMPTS}").into(), project: Some(&places.workspace) };
            if !trust_project {
                files.note_unused(&folder.path, |name| texts.contains_key(&Path::new(PROMPTS).join(name)));
            }
            for (path, text) in texts.iter().filter(|_| trust_project) {
                let Ok(name) = path.strip_prefix(PROMPTS) else { continue };
                let name = folder.known(&name.to_string_lossy())?;
                files.overrides.insert(name.to_owned(), folder.prompt(name, text.clone()));
            }
        }
    }
    for (name, prompt) in &files.overrides {
        let whose = if prompt.from_project { "the project's" } else { "your own" };
        files.notes.push(format!("the prompt `{name}` is {whose}, from {}", prompt.origin));
    }
    Ok(files)
}

impl PromptFiles {
    /// Only looks for the names of prompts: other files there are none of our business without trust.
    fn note_unused(&mut self, folder: &Path, is_there: impl Fn(&str) -> bool) {
        let names: Vec<_> = BUILTIN.keys().copied().filter(|name| is_there(name)).collect();
        if !names.is_empty() {
            let (folder, names) = (folder.display(), names.join(", "));
            let note = "the project's prompts in";
            self.notes.push(format!("{note} {folder} are not used ({names}); --trust-project-prompts uses them"));
        }
    }
}

/// A folder of prompts; with `project`, one whose files must all be inside the project.
struct Folder<'a> {
    path: PathBuf,
    project: Option<&'a Path>,
}

impl Folder<'_> {
    /// Reads the prompts in this folder. Hidden files are the system's and the editor's.
    fn read_into(&self, overrides: &mut BTreeMap<String, PromptOverride>) -> Result<(), ConfigError> {
        let mut walk = ignore::WalkBuilder::new(&self.path);
        walk.standard_filters(false).hidden(true).follow_links(true).sort_by_file_name(Ord::cmp);
        for entry in walk.build().filter(|_| self.path.exists()) {
            let entry = entry.map_err(|error| unreadable(&self.path, &error))?;
            self.confine(entry.path())?;
            if entry.path().is_dir() {
                continue;
            }
            let name = self.known(&entry.path().strip_prefix(&self.path).unwrap_or(entry.path()).to_string_lossy())?;
            if let Some(text) = read_text(entry.path())? {
                overrides.insert(name.to_owned(), self.prompt(name, text));
            }
        }
        Ok(())
    }

    fn prompt(&self, name: &str, text: String) -> PromptOverride {
        let origin = format!("{}/{name}", self.path.display());
        PromptOverride { origin, from_project: self.project.is_some(), text }
    }

    fn known(&self, name: &str) -> Result<&'static str, ConfigError> {
        BUILTIN.get_key_value(name).map(|(known, _)| *known).ok_or_else(|| {
            let all: Vec<&str> = BUILTIN.keys().copied().collect();
            let likeness = |known: &&str| strsim::normalized_damerau_levenshtein(name, known);
            let nearest = nearest(&all, likeness).map_or_else(String::new, |known| (*known).to_owned());
            ConfigError::UnknownPrompt { folder: self.path.clone(), name: short(name), nearest }
        })
    }

    /// Refuses what is outside the project once all symlinks are followed.
    fn confine(&self, path: &Path) -> Result<(), ConfigError> {
        let Some(project) = self.project else { return Ok(()) };
        let real = |path: &Path| path.canonicalize().map_err(|error| unreadable(path, &error));
        if real(path)?.starts_with(real(project)?) {
            return Ok(());
        }
        Err(ConfigError::LeadsOutside { path: path.to_owned(), project: project.to_owned() })
    }
}

fn unreadable(path: &Path, reason: &dyn std::fmt::Display) -> ConfigError {
    ConfigError::Unreadable { path: path.to_owned(), reason: reason.to_string() }
}
