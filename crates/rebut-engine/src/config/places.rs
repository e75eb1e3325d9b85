//! Where the files of a configuration lie. Only names: nothing here looks whether they exist.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// The folders that a configuration is read from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Places {
    /// The user's own config folder, where there is one.
    pub user: Option<PathBuf>,
    /// The user's home folder, where there is one.
    pub home: Option<PathBuf>,
    /// The folder that debates are about.
    pub workspace: PathBuf,
    /// Which version of the project's files counts.
    pub project: ProjectFiles,
}

/// Which version of a project's settings and prompts counts. A review of a change must not read those that the change
/// brings along: it would choose its own critic.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum ProjectFiles {
    /// The files in the workspace.
    #[default]
    Workspace,
    /// The files of a commit.
    Commit {
        /// The commit, as it is shown.
        name: String,
        /// Their texts, by their paths in the workspace.
        texts: BTreeMap<PathBuf, String>,
    },
    /// None.
    Nothing,
}

impl Places {
    /// The places of a workspace, given `$HOME` and `$XDG_CONFIG_HOME`, on macOS as on Linux.
    ///
    /// A path that is not absolute counts as not set, as the XDG specification wants it: else the user's own config
    /// would be looked for within the project.
    pub fn new(home: Option<&Path>, xdg_config_home: Option<&Path>, workspace: &Path) -> Self {
        let absolute = |path: &&Path| path.is_absolute();
        let home = home.filter(absolute);
        let config = xdg_config_home.filter(absolute).map(Path::to_owned).or(home.map(|home| home.join(".config")));
        Self {
            user: config.map(|folder| folder.join("rebut")),
            home: home.map(Path::to_owned),
            workspace: workspace.to_owned(),
            project: ProjectFiles::default(),
        }
    }

    /// The files of a project that hold settings, by their paths in the workspace.
    pub fn settings_of_project(&self) -> Vec<PathBuf> {
        let all = [self.project_ai_debate(), self.project_file(), self.local_ai_debate(), self.local_file()];
        all.iter().filter_map(|path| path.strip_prefix(&self.workspace).map(Path::to_owned).ok()).collect()
    }

    /// The user's config file.
    pub fn user_file(&self) -> Option<PathBuf> {
        self.user.as_ref().map(|folder| folder.join("config.toml"))
    }

    /// The project's config file, which its authors share.
    pub fn project_file(&self) -> PathBuf {
        self.workspace.join(".rebut").join("config.toml")
    }

    /// The project's config file on this machine.
    pub fn local_file(&self) -> PathBuf {
        self.workspace.join(".rebut").join("config.local.toml")
    }

    /// The user's settings for the plugin ai-debate.
    pub fn user_ai_debate(&self) -> Option<PathBuf> {
        self.home.as_ref().map(|home| home.join(".claude").join("ai-debate.json"))
    }

    /// The project's settings for the plugin ai-debate.
    pub fn project_ai_debate(&self) -> PathBuf {
        self.workspace.join(".claude").join("ai-debate.json")
    }

    /// Those on this machine.
    pub fn local_ai_debate(&self) -> PathBuf {
        self.workspace.join(".claude").join("ai-debate.local.json")
    }

    /// The folder of the user's own prompts.
    pub fn user_prompts(&self) -> Option<PathBuf> {
        self.user.as_ref().map(|folder| folder.join("prompts"))
    }

    /// The folder of the project's prompts.
    pub fn project_prompts(&self) -> PathBuf {
        self.workspace.join(".rebut").join("prompts")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn user_file(home: Option<&str>, xdg: Option<&str>) -> Option<PathBuf> {
        Places::new(home.map(Path::new), xdg.map(Path::new), Path::new("/project")).user_file()
    }

    #[test]
    fn the_users_file_lies_in_the_xdg_folder_else_in_the_home_folder() {
        let in_home = Some(PathBuf::from("/home/ada/.config/rebut/config.toml"));
        assert_eq!(user_file(Some("/home/ada"), Some("/xdg")), Some(PathBuf::from("/xdg/rebut/config.toml")));
        assert_eq!(user_file(Some("/home/ada"), None), in_home);
        assert_eq!(user_file(Some("/home/ada"), Some("")), in_home);
        assert_eq!(user_file(Some("/home/ada"), Some("relative")), in_home);
        assert_eq!(user_file(None, None), None);
        assert_eq!(user_file(Some(""), None), None);
    }

    #[test]
    fn a_projects_files_lie_in_its_rebut_folder() {
        let places = Places::new(None, None, Path::new("/project"));
        assert_eq!(places.project_file(), Path::new("/project/.rebut/config.toml"));
        assert_eq!(places.local_file(), Path::new("/project/.rebut/config.local.toml"));
        assert_eq!(places.project_prompts(), Path::new("/project/.rebut/prompts"));
    }
}
