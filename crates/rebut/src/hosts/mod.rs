//! Sets a tool up to call rebut: its MCP server and its `debate` command. What differs between tools is in the tool's own
//! file in the engine ([`HostRules`]).
//!
//! A tool with `mcp add` and `mcp remove` commands changes its settings itself; for the others the file is edited, with a
//! backup. Both are shown before they happen.

mod file;
mod plan;
mod settings;

use std::path::{Path, PathBuf};

use clap::ValueEnum;
use rebut_engine::providers::{HostRules, Place, Tool};

pub(crate) use plan::Plan;
use settings::Settings;

use crate::error::CommandError;

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Scope {
    /// Yours, for every project
    User,
    /// This project's, for everyone who works in it
    Project,
}

/// A file that nothing was done to.
fn left_alone(path: &Path, what: impl std::fmt::Display, hint: &'static str) -> CommandError {
    CommandError::usage(format!("{}: {what}; it is left alone", path.display())).hint(hint)
}

/// Where tools look, besides their own variables.
pub(crate) struct Surroundings {
    pub(crate) home: Option<PathBuf>,
    pub(crate) project: PathBuf,
    pub(crate) program: PathBuf,
}

/// How one tool is installed in one scope.
struct Host {
    settings: Settings,
    /// The tool's own commands that add and remove the server, where it has both.
    own: Option<[Vec<String>; 2]>,
    /// The file of the `debate` command, and its content.
    command: (PathBuf, &'static str),
    /// The folder that stays, however empty.
    root: PathBuf,
}

/// What installing rebut in a tool does, or uninstalling it.
pub(crate) fn plan(tool: &Tool, scope: Scope, uninstall: bool, around: &Surroundings) -> Result<Plan, CommandError> {
    let (host, plan) = (host(tool, scope, around)?, if uninstall { plan::uninstall } else { plan::install });
    plan(host, &around.project)
}

fn host(tool: &Tool, scope: Scope, around: &Surroundings) -> Result<Host, CommandError> {
    let HostRules { settings, format, entry, own_commands, command, command_text, .. } = &tool.host;
    // Others have rebut elsewhere, and find it on the search path.
    let program = match scope {
        Scope::User => around.program.to_str().ok_or_else(|| {
            CommandError::usage(format!("{} is not UTF-8", around.program.display())).hint("install rebut in another folder")
        })?,
        Scope::Project => "rebut",
    };
    let knows_scope = |commands: &[&[&str]; 2]| scope == Scope::User || commands[0].contains(&"{scope}");
    let scope_name = if scope == Scope::User { "user" } else { "project" };
    let own = own_commands.filter(knows_scope).map(|commands| {
        commands.map(|words| {
            let words = words.iter().map(|word| word.replace("{scope}", scope_name).replace("{program}", program));
            [tool.name, "mcp"].map(str::to_owned).into_iter().chain(words).collect()
        })
    });
    let path = around.path(&settings[scope as usize], scope)?;
    Ok(Host {
        settings: Settings { path, format: *format, entry: entry(program) },
        own,
        command: (around.path(&command[scope as usize], scope)?, command_text),
        root: around.root(scope)?.to_owned(),
    })
}

impl Surroundings {
    fn root(&self, scope: Scope) -> Result<&Path, CommandError> {
        let no_home = || {
            CommandError::usage("there is no home folder whose settings could be changed")
                .hint("set HOME, or use --scope project")
        };
        match scope {
            Scope::User => self.home.as_deref().ok_or_else(no_home),
            Scope::Project => Ok(&self.project),
        }
    }

    /// The file at a place: the first that exists, else the last.
    fn path(&self, place: &Place, scope: Scope) -> Result<PathBuf, CommandError> {
        let named = std::env::var_os(place.variable).map(PathBuf::from).filter(|path| path.is_absolute());
        let folder = named.map_or_else(|| self.root(scope).map(|root| root.join(place.folder)), Ok)?;
        let files: Vec<PathBuf> = place.files.iter().map(|file| folder.join(file)).collect();
        let existing = files.iter().find(|file| file.exists());
        Ok(existing.or(files.last()).cloned().unwrap_or(folder))
    }
}
