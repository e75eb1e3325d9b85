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
        let folder = user.join("prompts");
        files.add(&folder, false, texts_in(&folder, None)?)?;
    }
    let mut folder = places.workspace.join(PROMPTS);
    let texts = match &places.project {
        ProjectFiles::Nothing => Vec::new(),
        ProjectFiles::Workspace if trust_project => texts_in(&folder, Some(&places.workspace))?,
        // Without trust, files there are none of our business, except whether they are.
        ProjectFiles::Workspace => {
            let there = BUILTIN.keys().filter(|name| folder.join(name).symlink_metadata().is_ok());
            there.map(|name| (name.into(), String::new())).collect()
        }
        ProjectFiles::Commit { name, texts } => {
            folder = format!("{name}:{PROMPTS}").into();
            let inside =
                |(path, text): (&PathBuf, &String)| Some((path.strip_prefix(PROMPTS).ok()?.to_owned(), text.clone()));
            texts.iter().filter_map(inside).collect()
        }
    };
    if trust_project {
        files.add(&folder, true, texts)?;
    } else {
        let names = BUILTIN.keys().copied().filter(|name| texts.iter().any(|(there, _)| there == Path::new(name)));
        let names = names.collect::<Vec<_>>().join(", ");
        let folder = folder.display();
        let unused = format!("the project's prompts in {folder} are not used ({names}); --trust-project-prompts uses them");
        files.notes.extend((!names.is_empty()).then_some(unused));
    }
    for (name, prompt) in &files.overrides {
        let whose = if prompt.from_project { "the project's" } else { "your own" };
        files.notes.push(format!("the prompt `{name}` is {whose}, from {}", prompt.origin));
    }
    Ok(files)
}

impl PromptFiles {
    fn add(&mut self, folder: &Path, from_project: bool, texts: Vec<(PathBuf, String)>) -> Result<(), ConfigError> {
        for (name, text) in texts {
            let name = name.to_string_lossy().into_owned();
            if !BUILTIN.contains_key(name.as_str()) {
                let all: Vec<&str> = BUILTIN.keys().copied().collect();
                let likeness = |known: &&str| strsim::normalized_damerau_levenshtein(&name, known);
                let nearest = nearest(&all, likeness).copied().unwrap_or_default().to_owned();
                return Err(ConfigError::UnknownPrompt { folder: folder.to_owned(), name: short(&name), nearest });
            }
            let origin = format!("{}/{name}", folder.display());
            self.overrides.insert(name, PromptOverride { origin, from_project, text });
        }
        Ok(())
    }
}

/// The files of a folder by their paths in it, all inside of `project` once symlinks are followed. Hidden ones are the
/// system's and the editor's.
fn texts_in(folder: &Path, project: Option<&Path>) -> Result<Vec<(PathBuf, String)>, ConfigError> {
    let unreadable = |path: &Path, reason: String| ConfigError::Unreadable { path: path.to_owned(), reason };
    let real = |path: &Path| path.canonicalize().map_err(|error| unreadable(path, error.to_string()));
    let mut walk = ignore::WalkBuilder::new(folder);
    walk.standard_filters(false).hidden(true).follow_links(true).sort_by_file_name(Ord::cmp);
    let mut texts = Vec::new();
    for entry in walk.build().filter(|_| folder.exists()) {
        let entry = entry.map_err(|error| unreadable(folder, error.to_string()))?;
        let path = entry.path();
        if let Some(project) = project
            && !real(path)?.starts_with(real(project)?)
        {
            return Err(ConfigError::LeadsOutside { path: path.to_owned(), project: project.to_owned() });
        }
        if path.is_dir() {
            continue;
        }
        if let Some(text) = read_text(path)? {
            texts.push((path.strip_prefix(folder).unwrap_or(path).to_owned(), text));
        }
    }
    Ok(texts)
}
