//! Prompts that replace built-in ones: files of the same name in the user's config folder, or in the project's.
//!
//! A prompt decides what the seats do, and a project's prompts were written by somebody else: they are not even read unless
//! the user trusts them.

use std::collections::BTreeMap;
use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use rebut_core::debate::PromptOverride;
use rebut_core::formats::prompts::BUILTIN;

use super::error::short;
use super::file::read_text;
use super::keys::nearest;
use super::{ConfigError, Places, ProjectFiles};

/// The prompts that replace built-in ones.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PromptFiles {
    /// The prompts by name (`duel/opening.md`), for the plan.
    pub overrides: BTreeMap<String, PromptOverride>,
    /// Notes for the plan.
    pub notes: Vec<String>,
}

/// Reads the user's own prompts, and the project's where the user trusts them (`--trust-project-prompts`): those win.
pub fn read_prompts(places: &Places, trust_project: bool) -> Result<PromptFiles, ConfigError> {
    let mut files = PromptFiles::default();
    if let Some(folder) = places.user_prompts() {
        Folder { path: folder, project: None }.read_into(&mut files.overrides)?;
    }
    let path = places.project_prompts();
    match &places.project {
        ProjectFiles::Nothing => {}
        ProjectFiles::Workspace if trust_project => {
            Folder { path, project: Some(&places.workspace) }.read_into(&mut files.overrides)?;
        }
        ProjectFiles::Workspace => {
            files.notes.extend(note_on_unused(&path, |name| path.join(name).symlink_metadata().is_ok()));
        }
        ProjectFiles::Commit { name, texts } => {
            let path = path.strip_prefix(&places.workspace).unwrap_or(&path);
            let shown = PathBuf::from(format!("{name}:{}", path.display()));
            if trust_project {
                read_commit(path, &shown, texts, &mut files.overrides)?;
            } else {
                files.notes.extend(note_on_unused(&shown, |name| texts.contains_key(&path.join(name))));
            }
        }
    }
    for (name, prompt) in &files.overrides {
        let whose = if prompt.from_project { "the project's" } else { "your own" };
        files.notes.push(format!("the prompt `{name}` is {whose}, from {}", prompt.origin));
    }
    Ok(files)
}

/// A folder of prompts; with `project`, one whose files must all lie within the project.
struct Folder<'a> {
    path: PathBuf,
    project: Option<&'a Path>,
}

impl Folder<'_> {
    fn read_into(&self, overrides: &mut BTreeMap<String, PromptOverride>) -> Result<(), ConfigError> {
        for name in self.names("")? {
            let path = self.path.join(name);
            self.confine(&path)?;
            let text = read_text(&path)?.ok_or_else(|| unreadable(&path, &"the link leads nowhere"))?;
            let origin = path.display().to_string();
            overrides.insert(name.to_owned(), PromptOverride { origin, from_project: self.project.is_some(), text });
        }
        Ok(())
    }

    /// The prompts in a folder below this one. Only folders that prompts have are entered, so links cannot send us round
    /// in circles. Hidden files are the system's and the editor's.
    fn names(&self, below: &str) -> Result<Vec<&'static str>, ConfigError> {
        let folder = self.path.join(below);
        let entries = match fs::read_dir(&folder) {
            Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => return Ok(Vec::new()),
            entries => entries.map_err(|error| unreadable(&folder, &error))?,
        };
        self.confine(&folder)?;
        let mut found = Vec::new();
        for entry in entries {
            found.push(entry.map_err(|error| unreadable(&folder, &error))?.file_name().to_string_lossy().into_owned());
        }
        found.sort();
        let mut names = Vec::new();
        for file in found.iter().filter(|file| !file.starts_with('.')) {
            let name = format!("{below}{file}");
            if let Some((known, _)) = BUILTIN.iter().find(|(known, _)| *known == name) {
                names.push(*known);
            } else if is_folder_of_prompts(&name) && self.path.join(&name).is_dir() {
                names.extend(self.names(&format!("{name}/"))?);
            } else {
                let nearest = nearest_prompt(&name);
                return Err(ConfigError::UnknownPrompt { folder: self.path.clone(), name: short(&name), nearest });
            }
        }
        Ok(names)
    }

    /// Refuses what lies outside the project once all links are followed.
    fn confine(&self, path: &Path) -> Result<(), ConfigError> {
        let Some(project) = self.project else { return Ok(()) };
        let real = |path: &Path| path.canonicalize().map_err(|error| unreadable(path, &error));
        if real(path)?.starts_with(real(project)?) {
            return Ok(());
        }
        Err(ConfigError::LeadsOutside { path: path.to_owned(), project: project.to_owned() })
    }
}

/// The prompts of a commit, in a folder of its.
fn read_commit(
    folder: &Path,
    shown: &Path,
    texts: &BTreeMap<PathBuf, String>,
    overrides: &mut BTreeMap<String, PromptOverride>,
) -> Result<(), ConfigError> {
    for (path, text) in texts {
        let Ok(name) = path.strip_prefix(folder) else { continue };
        let name = name.display().to_string();
        if !BUILTIN.iter().any(|(known, _)| *known == name) {
            let nearest = nearest_prompt(&name);
            return Err(ConfigError::UnknownPrompt { folder: shown.to_owned(), name: short(&name), nearest });
        }
        let origin = format!("{}/{name}", shown.display());
        overrides.insert(name, PromptOverride { origin, from_project: true, text: text.clone() });
    }
    Ok(())
}

/// Only looks for the names of prompts: what else lies there is not our business without trust.
fn note_on_unused(folder: &Path, is_there: impl Fn(&str) -> bool) -> Option<String> {
    let names: Vec<_> = BUILTIN.iter().map(|(name, _)| *name).filter(|name| is_there(name)).collect();
    (!names.is_empty()).then(|| {
        let (folder, names) = (folder.display(), names.join(", "));
        format!("the project's prompts in {folder} are not used ({names}); --trust-project-prompts uses them")
    })
}

fn is_folder_of_prompts(name: &str) -> bool {
    BUILTIN.iter().any(|(known, _)| known.strip_prefix(name).is_some_and(|rest| rest.starts_with('/')))
}

fn nearest_prompt(name: &str) -> String {
    let likeness = |(known, _): &(&str, &str)| strsim::normalized_damerau_levenshtein(name, known);
    nearest(&BUILTIN, likeness).map_or_else(String::new, |(known, _)| (*known).to_owned())
}

fn unreadable(path: &Path, reason: &dyn std::fmt::Display) -> ConfigError {
    ConfigError::Unreadable { path: path.to_owned(), reason: reason.to_string() }
}
