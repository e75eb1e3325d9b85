//! What every command needs: folder, settings, debates and providers.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;

use rebut_core::debate::{Debate, DebateId, Plan};
use rebut_engine::checks::{Names, Snapshot, TEST_VARIABLE};
use rebut_engine::config::{Layers, Places, ProjectFiles, StoreSettings};
use rebut_engine::models::Models;
use rebut_engine::planning::{Host, Place, Planner};
use rebut_engine::providers::Providers;
use rebut_engine::session::{Documents, OwnFiles, Sessions};
use rebut_engine::store::postgres::{Address, ConnectOptions};
use rebut_engine::store::{self, Fault, FileStore, Listed, PostgresStore, Store, StoreError};
use tokio::runtime::Runtime;
use toml::Value;

use crate::cli::Shared;
use crate::error::CommandError;
use crate::run::runtime;
use crate::terminal::Screen;

pub(crate) struct App {
    pub(crate) place: Place,
    pub(crate) places: Places,
    pub(crate) layers: Layers,
    pub(crate) store: Arc<dyn Store>,
    /// The folder of this machine for debates and projections.
    pub(crate) state: PathBuf,
    pub(crate) providers: Providers,
    pub(crate) screen: Screen,
    /// The user's home folder, which is not a project.
    pub(crate) home: Option<PathBuf>,
    /// Whether the user named the folder for debates, so that no format uses another one.
    pub(crate) state_dir_is_named: bool,
    /// The tool that rebut is called from.
    pub(crate) host: Option<Host>,
    model_root: Option<PathBuf>,
    no_color: bool,
    pub(crate) runtime: Runtime,
}

/// What a server was started with. It reads the surroundings of any folder for its blocking work.
#[derive(Clone)]
pub(crate) struct AppFactory {
    pub(crate) place: Place,
    pub(crate) store: Arc<dyn Store>,
    pub(crate) state: PathBuf,
    shared: Shared,
    screen: Screen,
}

impl AppFactory {
    pub(crate) fn of(app: &App, shared: Shared) -> Self {
        // From another folder it must be the same one.
        let state_dir = shared.state_dir.map(|dir| app.place.folder.join(dir));
        let (place, store, state) = (app.place.clone(), app.store.clone(), app.state.clone());
        Self { place, store, state, shared: Shared { state_dir, ..shared }, screen: app.screen.of_server() }
    }

    /// Runs blocking work on its own thread. The error includes its hints.
    pub(crate) async fn work<T: Send + 'static>(
        &self,
        folder: PathBuf,
        project: ProjectFiles,
        work: impl FnOnce(App) -> Result<T, CommandError> + Send + 'static,
    ) -> Result<T, String> {
        let apps = self.clone();
        let work = move || App::at(folder, &apps.shared, &apps.screen, project).and_then(work);
        match tokio::task::spawn_blocking(work).await {
            Ok(done) => done.map_err(|error| error.with_hints()),
            Err(error) => Err(error.to_string()),
        }
    }
}

impl App {
    /// Reads the environment, and these files of the project.
    pub(crate) fn new(shared: &Shared, screen: &Screen, project: ProjectFiles) -> Result<Self, CommandError> {
        let folder = std::env::current_dir()
            .map_err(|error| CommandError::failed(format!("can't read the current folder: {error}")))?;
        Self::at(folder, shared, screen, project)
    }

    pub(crate) fn at(
        folder: PathBuf,
        shared: &Shared,
        screen: &Screen,
        project: ProjectFiles,
    ) -> Result<Self, CommandError> {
        let place = Place::around(folder);
        let home = std::env::home_dir();
        let xdg = std::env::var_os("XDG_CONFIG_HOME").map(PathBuf::from);
        let places = Places { project, ..Places::new(home.as_deref(), xdg.as_deref(), &place.workspace) };
        let mut layers = Layers::read(&places, std::env::vars_os())?;
        if let Some(store) = &shared.store {
            layers.set_flag("store.url", store.clone().into(), "--store")?;
        }
        let state_dir_is_named = shared.state_dir.is_some() || layers.settings().state.dir.is_some();
        let root = match (&shared.state_dir, &layers.settings().state.dir) {
            (Some(folder), _) => folder.clone(),
            (None, Some(folder)) => PathBuf::from(folder),
            (None, None) => platform_dir("XDG_STATE_HOME", ".local/state").ok_or_else(|| {
                CommandError::usage("no home folder to store debates in")
                    .hint("name a folder with --state-dir or REBUT_STATE_DIR")
            })?,
        };
        let root = place.folder.join(root);
        // Before anything is fetched or asked.
        if root.exists() && !root.is_dir() {
            return Err(CommandError::usage(format!("can't store debates in {}: not a folder", root.display()))
                .hint("choose a folder with --state-dir, or with state.dir in the settings"));
        }
        let model_root = match &layers.settings().model.dir {
            Some(folder) => Some(PathBuf::from(folder)),
            None => platform_dir("XDG_DATA_HOME", ".local/share").map(|folder| folder.join("models")),
        };
        let model_root = model_root.map(|root| place.folder.join(root));
        let providers = Providers::new(layers.settings()).with_models(model_root.clone());
        let (mut screen, no_color) = (screen.clone(), shared.no_color);
        screen.follow(&layers.settings().output, no_color);
        screen.link_files_of(&place.workspace);
        let host = Host::around(|name| std::env::var_os(name).is_some_and(|value| !value.is_empty()));
        // A release build has no faults.
        let fault = std::env::var("REBUT_FAULT").ok().filter(|fault| cfg!(debug_assertions) && !fault.is_empty());
        let fault = fault.map(|fault| fault.parse()).transpose().map_err(|error: String| CommandError::usage(error))?;
        let store = open_store(&layers.settings().store, &root, fault)?;
        let state = root;
        Ok(Self {
            place,
            places,
            layers,
            store,
            state,
            providers,
            screen,
            home,
            state_dir_is_named,
            host,
            model_root,
            no_color,
            runtime: runtime()?,
        })
    }

    pub(crate) fn planner<'a>(&'a self, place: &'a Place) -> Planner<'a> {
        Planner { settings: self.layers.settings(), providers: &self.providers, place }
    }

    /// Sets what flags, or words in their place, say.
    pub(crate) fn set_flags<'a>(
        &mut self,
        flags: impl IntoIterator<Item = (impl AsRef<str>, Option<Value>, &'a str)>,
    ) -> Result<(), CommandError> {
        for (key, value, flag) in flags {
            if let Some(value) = value {
                self.layers.set_flag(key.as_ref(), value, flag)?;
            }
        }
        Ok(())
    }

    /// Reads the settings again with these files of the project. Flags must be set again after that.
    pub(crate) fn read_project(&mut self, project: ProjectFiles) -> Result<(), CommandError> {
        self.places.project = project;
        self.layers = Layers::read(&self.places, std::env::vars_os())?;
        self.providers = Providers::new(self.layers.settings()).with_models(self.model_root.clone());
        self.screen.follow(&self.layers.settings().output, self.no_color);
        Ok(())
    }

    pub(crate) fn sessions(&self) -> Result<Sessions<'_>, CommandError> {
        Ok(Sessions {
            store: self.store.as_ref(),
            state: &self.state,
            settings: self.layers.settings(),
            providers: &self.providers,
            models: self.model_root.as_deref(),
            names: self.names()?,
            home: self.home.as_deref(),
            host: self.host,
            ai_state_dir: std::env::var_os("AI_STATE_DIR"),
            documents: Documents::Rendered,
            folder: &self.place.folder,
            worker,
        })
    }

    /// Where paths are named for a debate: relative to the user's folder, stored relative to the debate's workspace.
    pub(crate) fn place_in(&self, plan: &Plan) -> Place {
        Place { folder: self.place.folder.clone(), workspace: plan.workspace.clone().into() }
    }

    pub(crate) fn demo(&self) -> PathBuf {
        self.state.join("demo/pool")
    }

    /// Whether a debate belongs here: it is about this workspace, or the demo, which has no other.
    pub(crate) fn is_here(&self, debate: &Listed) -> bool {
        debate.is_of(&self.place.workspace) || debate.is_of(&self.demo())
    }

    /// The debate with this part of an id, or for `last` the last one of this workspace, else the last demo.
    pub(crate) fn find(&self, part: &str) -> Result<DebateId, CommandError> {
        if part != "last" {
            return self.wait(self.store.find(part));
        }
        for folder in [&self.place.workspace, &self.demo()] {
            if let Some(debate) = self.wait(self.store.newest(Some(&[folder]), 1))?.pop() {
                return Ok(debate.id);
            }
        }
        Err(match self.wait(self.store.newest(None, 1))?.len() {
            0 => StoreError::NoDebates.into(),
            _ => CommandError::usage(format!("no debate in {} yet", self.place.workspace.display()))
                .hint("`rebut list --all` shows those of other workspaces"),
        })
    }

    pub(crate) fn read(&self, part: &str) -> Result<Debate, CommandError> {
        let id = self.find(part)?;
        Ok(self.wait(store::read(self.store.as_ref(), &id))?.0)
    }

    /// Waits for the store or for a session.
    pub(crate) fn wait<T, E: Into<CommandError>>(
        &self,
        future: impl Future<Output = Result<T, E>>,
    ) -> Result<T, CommandError> {
        self.runtime.block_on(future).map_err(Into::into)
    }

    /// What evidence is checked against: the workspace as it is now, without what earlier debates wrote there.
    pub(crate) fn snapshot(&self) -> Snapshot {
        let own = OwnFiles::of(&self.state);
        let limits = (&self.layers.settings().evidence).into();
        Snapshot::survey(&self.place.workspace, self.home.as_deref(), limits, &|path| own.holds(path))
    }

    /// Resolves the hosts of cited pages. A release build ignores the test table: a variable must not lead to hosts of this
    /// network.
    pub(crate) fn names(&self) -> Result<Names, CommandError> {
        match std::env::var(TEST_VARIABLE) {
            Ok(table) if cfg!(debug_assertions) && !table.is_empty() => {
                Names::of_test(&table).map_err(|error| CommandError::usage(format!("{TEST_VARIABLE}: {error}")))
            }
            _ => Ok(Names::default()),
        }
    }

    pub(crate) fn models(&self) -> Result<Models, CommandError> {
        self.model_root.as_deref().map(Models::at).ok_or_else(|| {
            CommandError::usage("no home folder to store models in").hint("name a folder with REBUT_MODEL_DIR")
        })
    }
}

/// Opens the database of the settings, else the folder. Nothing is connected before it is needed.
fn open_store(settings: &StoreSettings, root: &Path, fault: Option<Fault>) -> Result<Arc<dyn Store>, CommandError> {
    let Some(url) = &settings.url else { return Ok(Arc::new(FileStore::at(root).with_fault(fault))) };
    let options = ConnectOptions {
        schema: settings.schema.clone(),
        root_certificate: settings.root_certificate.as_ref().map(PathBuf::from),
        lease: settings.lease_seconds.duration(),
        heartbeat: settings.heartbeat_seconds.duration(),
    };
    Ok(Arc::new(PostgresStore::new(Address::read(url, options)?, root)?.with_fault(fault)))
}

fn worker(state_dir: &Path, id: &DebateId, epoch: u64) -> std::io::Result<Command> {
    let mut command = Command::new(std::env::current_exe()?);
    command.arg("--state-dir").arg(state_dir).args(["--no-color", "resume", id.as_str()]);
    command.args(["--worker", &epoch.to_string()]);
    Ok(command)
}

/// rebut's own folder in the place that the platform has for such things; none without a home folder.
fn platform_dir(variable: &str, usual: &str) -> Option<PathBuf> {
    let usual = if cfg!(target_os = "macos") { "Library/Application Support" } else { usual };
    let xdg = std::env::var_os(variable).map(PathBuf::from).filter(|path| path.is_absolute());
    let home = || std::env::home_dir().filter(|home| home.is_absolute()).map(|home| home.join(usual));
    Some(xdg.or_else(home)?.join("rebut"))
}
