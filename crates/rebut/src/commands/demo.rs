//! `rebut demo`: a scripted duel about the service in `examples/pool`, which is written to the state folder.

use std::fs;
use std::path::Path;

use clap::Args;
use rebut_engine::config::ProjectFiles;
use rebut_engine::store::files::create_folder;
use rebut_engine::workspace;

use super::Command;
use crate::app::App;
use crate::cli::{self, Shared};
use crate::error::{CommandError, Exit};
use crate::start::start;

/// Watch a scripted debate: no model, no network, a few seconds
#[derive(Debug, Args)]
#[command(after_long_help = EXAMPLES)]
pub(crate) struct Demo {}

const EXAMPLES: &str = "\
The answers are prepared; everything else is real: citations are checked, and the debate is stored.

Examples:
  rebut demo
  rebut demo --verbose    with every statement in full
  rebut show last         read it again";

const TOPIC: &str = "Should we raise the pool size from 10 to 50?";

/// The prepared answers, in the folder of the service: the plan names the seats by this file.
const ANSWERS: &str = "answers";

const FILES: [(&str, &str); 5] = [
    (ANSWERS, include_str!("../../../../examples/pool.toml")),
    ("README.md", include_str!("../../../../examples/pool/README.md")),
    ("bench/latency.md", include_str!("../../../../examples/pool/bench/latency.md")),
    ("config/database.toml", include_str!("../../../../examples/pool/config/database.toml")),
    ("src/pool.rs", include_str!("../../../../examples/pool/src/pool.rs")),
];

/// An empty repository.
const REPOSITORY: [(&str, &str); 4] = [
    (".git/HEAD", "ref: refs/heads/main\n"),
    (".git/objects/info/packs", ""),
    (".git/refs/heads/.keep", ""),
    ("../.gitignore", "*\n"),
];

impl Demo {
    pub(crate) fn run(&self, app: &App, shared: &Shared) -> Result<Exit, CommandError> {
        let folder = app.demo();
        write_files(&folder)?;
        let seat = |name: &str| format!("script:{ANSWERS}#{name}");
        let (proposer, challenger, judge) = (seat("north"), seat("south"), seat("bench"));
        // The user's settings for duels don't fit the script.
        let line = ["rebut", "duel", TOPIC, "--proposer", &proposer, "--challenger", &challenger, "--judge", &judge]
            .into_iter()
            .chain(["--rounds", "2", "--effort", "low", "--context", "none", "--no-fetch-sources"]);
        let (arguments, _) = cli::read(line.map(Into::into).collect()).map_err(CommandError::failed)?;
        let Command::Duel(duel) = arguments.command else { return Err(CommandError::failed("the demo is not a duel")) };
        let shared = Shared { state_dir: Some(app.state.clone()), ..shared.clone() };
        start(duel.as_ref(), App::at(folder, &shared, &app.screen, ProjectFiles::Nothing)?)
    }
}

fn write_files(folder: &Path) -> Result<(), CommandError> {
    // Inside a repository the files would be part of it, so they get an empty one of their own, which that one ignores.
    let of_git = if workspace::around(folder) == folder { &[][..] } else { &REPOSITORY };
    for (name, text) in FILES.iter().chain(of_git) {
        let path = folder.join(name);
        let made = path.parent().map_or(Ok(()), create_folder);
        made.and_then(|()| fs::write(&path, text)).map_err(|error| {
            CommandError::failed(format!("can't write {}: {error}", path.display()))
                .hint("choose another folder with --state-dir")
        })?;
    }
    Ok(())
}
