//! Prompts that replace built-in ones: files of the same name in the user's config folder, or in the project's.
//!
//! A prompt decides what the seats are told to do, and a project's prompts were written by somebody else. Without the
//! user's word they are not even read. What stands in a prompt is the core's business.

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
    /// What the person should know of them, in plain sentences, for the plan.
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
            if let Some((known, _)) = BUILTIN.get_key_value(name.as_str()) {
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
        if !BUILTIN.contains_key(name.as_str()) {
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
    let names: Vec<_> = BUILTIN.keys().copied().filter(|name| is_there(name)).collect();
    (!names.is_empty()).then(|| {
        let (folder, names) = (folder.display(), names.join(", "));
        format!("the project's prompts in {folder} are not used ({names}); --trust-project-prompts uses them")
    })
}

fn is_folder_of_prompts(name: &str) -> bool {
    BUILTIN.keys().any(|known| known.strip_prefix(name).is_some_and(|rest| rest.starts_with('/')))
}

fn nearest_prompt(name: &str) -> String {
    let known = BUILTIN.keys().copied();
    nearest(known, |known| strsim::normalized_damerau_levenshtein(name, known)).unwrap_or_default().to_owned()
}

fn unreadable(path: &Path, reason: &dyn std::fmt::Display) -> ConfigError {
    ConfigError::Unreadable { path: path.to_owned(), reason: reason.to_string() }
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Folders {
        folder: tempfile::TempDir,
        places: Places,
    }

    impl Folders {
        fn new() -> Self {
            let folder = tempfile::tempdir().unwrap();
            let places = Places::new(Some(&folder.path().join("home")), None, &folder.path().join("work"));
            fs::create_dir_all(places.project_prompts()).unwrap();
            fs::create_dir_all(places.user_prompts().unwrap()).unwrap();
            Self { folder, places }
        }

        fn user(self, name: &str, text: &str) -> Self {
            write(&self.places.user_prompts().unwrap().join(name), text);
            self
        }

        fn project(self, name: &str, text: &str) -> Self {
            write(&self.places.project_prompts().join(name), text);
            self
        }
    }

    fn write(path: &Path, text: &str) {
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    #[test]
    fn without_folders_every_prompt_is_built_in() {
        let places = Places::new(None, None, Path::new("/nowhere"));
        assert_eq!(read_prompts(&places, true), Ok(PromptFiles::default()));
        assert_eq!(read_prompts(&places, false), Ok(PromptFiles::default()));
        let dev_null = Places::new(Some(Path::new("/dev/null")), None, Path::new("/nowhere"));
        assert_eq!(read_prompts(&dev_null, false), Ok(PromptFiles::default()));
    }

    #[test]
    fn the_users_own_prompts_always_count_and_are_named() {
        let folders = Folders::new().user("duel/opening.md", "mine").user("repair.md", "again").user(".DS_Store", "");
        let files = read_prompts(&folders.places, false).unwrap();
        assert_eq!(files.overrides.keys().collect::<Vec<_>>(), ["duel/opening.md", "repair.md"]);
        let opening = &files.overrides["duel/opening.md"];
        let path = folders.places.user_prompts().unwrap().join("duel/opening.md");
        let expected = PromptOverride { origin: path.display().to_string(), from_project: false, text: "mine".to_owned() };
        assert_eq!(opening, &expected);
        assert_eq!(files.notes[0], format!("the prompt `duel/opening.md` is your own, from {}", path.display()));
        assert_eq!(files.notes.len(), 2);
    }

    #[test]
    fn a_projects_prompts_are_not_used_without_trust_and_a_note_says_so() {
        let folders = Folders::new().project("duel/opening.md", "theirs").project("odd.md", "");
        let files = read_prompts(&folders.places, false).unwrap();
        assert!(files.overrides.is_empty());
        let folder = folders.places.project_prompts();
        let expected = format!(
            "the project's prompts in {} are not used (duel/opening.md); --trust-project-prompts uses them",
            folder.display()
        );
        assert_eq!(files.notes, [expected]);
    }

    #[test]
    fn a_trusted_projects_prompts_win_over_the_users() {
        let folders = Folders::new().user("duel/opening.md", "mine").project("duel/opening.md", "theirs");
        let files = read_prompts(&folders.places, true).unwrap();
        let opening = &files.overrides["duel/opening.md"];
        assert_eq!((opening.text.as_str(), opening.from_project), ("theirs", true));
        assert_eq!(files.notes, [format!("the prompt `duel/opening.md` is the project's, from {}", opening.origin)]);
    }

    #[test]
    fn a_file_that_is_no_prompt_is_a_fault_with_the_nearest_name() {
        for (name, nearest) in
            [("duel/opning.md", "duel/opening.md"), ("opening.md", "duel/opening.md"), ("duel/sub/x.md", "duel/summary.md")]
        {
            let folders = Folders::new().user(name, "");
            let fault = read_prompts(&folders.places, false).unwrap_err();
            let ConfigError::UnknownPrompt { nearest: found, .. } = &fault else { panic!("{fault}") };
            assert_eq!(found, nearest, "{fault}");
        }
    }

    #[test]
    fn a_folder_in_a_prompts_place_is_a_fault() {
        let folders = Folders::new().user("repair.md/x", "");
        assert!(matches!(read_prompts(&folders.places, false), Err(ConfigError::NotAFile { .. })));
    }

    #[cfg(unix)]
    #[test]
    fn a_projects_link_out_of_the_project_is_never_followed() {
        use std::os::unix::fs::symlink;
        let secret = |folders: &Folders| {
            let outside = folders.folder.path().join("outside");
            write(&outside.join("opening.md"), "secret");
            outside
        };
        let refused = |folders: &Folders| {
            let fault = read_prompts(&folders.places, true).unwrap_err();
            assert!(matches!(fault, ConfigError::LeadsOutside { .. }), "{fault}");
        };
        let folders = Folders::new().project("repair.md", "");
        fs::create_dir(folders.places.project_prompts().join("duel")).unwrap();
        symlink(secret(&folders).join("opening.md"), folders.places.project_prompts().join("duel/opening.md")).unwrap();
        refused(&folders);

        let folders = Folders::new();
        symlink(secret(&folders), folders.places.project_prompts().join("duel")).unwrap();
        refused(&folders);

        let folders = Folders::new();
        fs::remove_dir(folders.places.project_prompts()).unwrap();
        fs::create_dir(secret(&folders).join("duel")).unwrap();
        symlink(secret(&folders), folders.places.project_prompts()).unwrap();
        refused(&folders);
    }

    #[cfg(unix)]
    #[test]
    fn a_projects_link_within_the_project_is_followed() {
        let folders = Folders::new();
        write(&folders.places.workspace.join("docs/repair.md"), "ours");
        std::os::unix::fs::symlink("../../docs/repair.md", folders.places.project_prompts().join("repair.md")).unwrap();
        let files = read_prompts(&folders.places, true).unwrap();
        assert_eq!(files.overrides["repair.md"].text, "ours");
    }

    #[cfg(unix)]
    #[test]
    fn a_link_that_leads_nowhere_is_a_fault() {
        let folders = Folders::new();
        std::os::unix::fs::symlink("gone", folders.places.user_prompts().unwrap().join("repair.md")).unwrap();
        assert!(matches!(read_prompts(&folders.places, false), Err(ConfigError::Unreadable { .. })));
    }
}
