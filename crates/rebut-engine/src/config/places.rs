//! Where config files are. Nothing here looks whether they exist.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use super::Level;

/// The folders that a configuration is read from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Places {
    /// The user's config folder.
    pub user: Option<PathBuf>,
    pub home: Option<PathBuf>,
    /// The folder that debates are about.
    pub workspace: PathBuf,
    pub project: ProjectFiles,
}

/// Which version of a project's settings and prompts counts. A review of a change must not read those that the change
/// brings along: it would choose its own critic.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum ProjectFiles {
    #[default]
    Workspace,
    /// The files of a commit: its name for the user, and their texts by paths in the workspace.
    Commit {
        name: String,
        texts: BTreeMap<PathBuf, String>,
    },
    Nothing,
}

const PROJECT: [&str; 2] = [".claude/ai-debate.json", ".rebut/config.toml"];
const LOCAL: [&str; 2] = [".claude/ai-debate.local.json", ".rebut/config.local.toml"];
/// A project's prompts.
pub(super) const PROMPTS: &str = ".rebut/prompts";

impl Places {
    /// The places of a workspace, given `$HOME` and `$XDG_CONFIG_HOME`, on macOS as on Linux.
    ///
    /// A path that is not absolute counts as not set, as the XDG specification has it: else the user's own config would be
    /// looked for in the project.
    pub fn new(home: Option<&Path>, xdg_config_home: Option<&Path>, workspace: &Path) -> Self {
        let absolute = |path: Option<&Path>| path.filter(|path| path.is_absolute()).map(Path::to_owned);
        let home = absolute(home);
        let config = absolute(xdg_config_home).or_else(|| home.as_ref().map(|home| home.join(".config")));
        let (user, workspace) = (config.map(|folder| folder.join("rebut")), workspace.to_owned());
        Self { user, home, workspace, project: ProjectFiles::default() }
    }

    /// The user's config file; none if there is no home.
    pub fn user_file(&self) -> Option<PathBuf> {
        self.user.as_ref().map(|folder| folder.join("config.toml"))
    }

    /// The project's shared config file.
    pub fn project_file(&self) -> PathBuf {
        self.workspace.join(PROJECT[1])
    }

    /// The files of settings, lowest level first.
    pub fn files(&self) -> Vec<(Level, PathBuf)> {
        let in_home = self.home.as_ref().map(|home| home.join(PROJECT[0]));
        let user = [in_home, self.user_file()];
        let project = PROJECT.map(|file| (Level::Project, self.workspace.join(file)));
        let local = LOCAL.map(|file| (Level::Local, self.workspace.join(file)));
        user.into_iter().flatten().map(|file| (Level::User, file)).chain(project).chain(local).collect()
    }

    /// A project's files and folders of settings and prompts, by their paths in the workspace.
    pub fn of_project() -> impl Iterator<Item = PathBuf> {
        PROJECT.into_iter().chain(LOCAL).chain([PROMPTS]).map(PathBuf::from)
    }
}
