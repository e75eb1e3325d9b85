//! Where the files of a configuration lie. Only names: nothing here looks whether they exist.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// The folders that a configuration is read from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Places {
    /// The user's config folder.
    pub user: Option<PathBuf>,
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

    pub fn user_file(&self) -> Option<PathBuf> {
        self.user.as_ref().map(|folder| folder.join("config.toml"))
    }

    pub fn project_file(&self) -> PathBuf {
        self.workspace.join(".rebut").join("config.toml")
    }

    pub fn local_file(&self) -> PathBuf {
        self.workspace.join(".rebut").join("config.local.toml")
    }

    pub fn user_ai_debate(&self) -> Option<PathBuf> {
        self.home.as_ref().map(|home| home.join(".claude").join("ai-debate.json"))
    }

    pub fn project_ai_debate(&self) -> PathBuf {
        self.workspace.join(".claude").join("ai-debate.json")
    }

    pub fn local_ai_debate(&self) -> PathBuf {
        self.workspace.join(".claude").join("ai-debate.local.json")
    }

    pub fn user_prompts(&self) -> Option<PathBuf> {
        self.user.as_ref().map(|folder| folder.join("prompts"))
    }

    pub fn project_prompts(&self) -> PathBuf {
        self.workspace.join(".rebut").join("prompts")
    }
}
