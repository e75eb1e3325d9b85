//! Prompts that replace built-in ones.

use std::fs;
use std::path::{Path, PathBuf};

use rebut_core::debate::PromptOverride;
use rebut_engine::config::{ConfigError, Places, PromptFiles, read_prompts};

struct Folders {
    folder: tempfile::TempDir,
    places: Places,
}

impl Folders {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let places = Places::new(Some(&folder.path().join("home")), None, &folder.path().join("work"));
        fs::create_dir_all(places.workspace.join(".rebut/prompts")).unwrap();
        fs::create_dir_all(places.user.as_ref().unwrap().join("prompts")).unwrap();
        Self { folder, places }
    }

    fn user_folder(&self) -> PathBuf {
        self.places.user.as_ref().unwrap().join("prompts")
    }

    fn project_folder(&self) -> PathBuf {
        self.places.workspace.join(".rebut/prompts")
    }

    fn user(self, name: &str, text: &str) -> Self {
        write(&self.user_folder().join(name), text);
        self
    }

    fn project(self, name: &str, text: &str) -> Self {
        write(&self.project_folder().join(name), text);
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
    let path = folders.user_folder().join("duel/opening.md");
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
    let folder = folders.project_folder();
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
        [("duel/opning.md", "duel/opening.md"), ("opening.md", "duel/opening.md"), ("repair.md/x", "repair.md")]
    {
        let folders = Folders::new().user(name, "");
        let fault = read_prompts(&folders.places, false).unwrap_err();
        let ConfigError::UnknownPrompt { nearest: found, .. } = &fault else { panic!("{fault}") };
        assert_eq!(found, nearest, "{fault}");
    }
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
    fs::create_dir(folders.project_folder().join("duel")).unwrap();
    symlink(secret(&folders).join("opening.md"), folders.project_folder().join("duel/opening.md")).unwrap();
    refused(&folders);

    let folders = Folders::new();
    symlink(secret(&folders), folders.project_folder().join("duel")).unwrap();
    refused(&folders);

    let folders = Folders::new();
    fs::remove_dir(folders.project_folder()).unwrap();
    fs::create_dir(secret(&folders).join("duel")).unwrap();
    symlink(secret(&folders), folders.project_folder()).unwrap();
    refused(&folders);
}

#[cfg(unix)]
#[test]
fn a_projects_link_within_the_project_is_followed() {
    let folders = Folders::new();
    write(&folders.places.workspace.join("docs/repair.md"), "ours");
    std::os::unix::fs::symlink("../../docs/repair.md", folders.project_folder().join("repair.md")).unwrap();
    let files = read_prompts(&folders.places, true).unwrap();
    assert_eq!(files.overrides["repair.md"].text, "ours");
}

#[cfg(unix)]
#[test]
fn a_link_that_leads_nowhere_is_a_fault() {
    let folders = Folders::new();
    std::os::unix::fs::symlink("gone", folders.user_folder().join("repair.md")).unwrap();
    assert!(matches!(read_prompts(&folders.places, false), Err(ConfigError::Unreadable { .. })));
}
