//! Whole debates: every format run to its end by the built program, with each tool in every role.

use std::path::{Path, PathBuf};
use std::process::Command;

use rebut_fakes::provider::Provider;
use rebut_fakes::{DebateFolder, RoleSeen, Run, WHOLE_DEBATES, WholeDebate};

use crate::cell::{Places, Way, short};
use crate::tools::{SUBJECTS, Subject};

/// The time limit of a debate. The tools are slow to start, and a panel makes many calls.
const MINUTES: &str = "20";

/// A debate to run.
pub(crate) struct Debate {
    whole: &'static WholeDebate,
    way: Way,
    seats: Vec<String>,
}

/// How a debate ended.
pub(crate) struct Ended {
    pub(crate) format: &'static str,
    pub(crate) way: Way,
    /// The debate in words.
    pub(crate) which: String,
    /// The roles that the tools were seen in, or what went wrong.
    pub(crate) result: Result<Vec<RoleSeen>, String>,
}

/// The tools, without second setups.
pub(crate) fn tools() -> impl Iterator<Item = &'static Subject> {
    SUBJECTS.iter().filter(|subject| subject.name == subject.tool)
}

/// The debates of these formats over these transports. Each is run once per tool, with the tools moved on by one seat, so
/// that every tool takes every seat.
pub(crate) fn planned(formats: impl Fn(&str) -> bool, ways: impl Fn(Way) -> bool) -> Vec<Debate> {
    let tools: Vec<String> = tools().map(|subject| subject.tool.to_owned()).collect();
    let mut debates = Vec::new();
    for whole in WHOLE_DEBATES.iter().filter(|whole| formats(whole.format)) {
        for way in Way::ALL.into_iter().filter(|way| ways(*way)) {
            for first in 0..tools.len() {
                let seats = tools.iter().cycle().skip(first).take(whole.seats()).cloned().collect();
                debates.push(Debate { whole, way, seats });
            }
        }
    }
    debates
}

impl Debate {
    /// Runs it with this program.
    pub(crate) async fn run(&self, rebut: &Path) -> Ended {
        // Outside this repository, since rebut refuses to keep temporary files in one. Kept if the debate falls short.
        let mut folder = tempfile::Builder::new().prefix("rebut-debate-").tempdir().expect("a temporary folder");
        let places = Places::of(folder.path());
        places.clear();
        let provider = Provider::start();
        self.whole.prepare(&places.workspace, &self.seats, &provider);
        let pointed = tools().flat_map(|subject| (subject.point)(&places, &provider.base("ok")));
        let mut command = Command::new(rebut);
        command.current_dir(&places.workspace).args(self.whole.arguments(&self.seats));
        command.args(["--transport", self.way.name(), limit(self.whole), MINUTES]);
        // The cells run with a repository elsewhere in the environment; here it would be the one to debate about.
        command.env_remove("GIT_DIR").env_remove("GIT_WORK_TREE").env("PWD", &places.workspace);
        command.envs(places.variables()).envs(pointed);
        let run = tokio::task::spawn_blocking(move || Run::of(&mut command)).await.expect("a run to its end");
        let state = places.home.join(".local/state/rebut");
        let result = self.judge(&run, &state).and_then(|seen| places.leftovers().map_or(Ok(seen), Err));
        folder.disable_cleanup(result.is_err());
        drop(provider);
        let which = format!("{} ({}), {}", self.whole.format, self.whole.about, self.seats.join(", "));
        let result = result.map_err(|wrong| format!("{wrong} in {}", folder.path().display()));
        Ended { format: self.whole.format, way: self.way, which, result }
    }

    fn judge(&self, run: &Run, state: &Path) -> Result<Vec<RoleSeen>, String> {
        let debate = run.json_lines().last().and_then(|line| DebateFolder::of_result(line, state));
        let Some(debate) = debate else { return Err(format!("no debate: {}", short(&run.to_string()))) };
        let seen = debate.roles_seen().map_err(|wrong| wrong.join("; "))?;
        if run.code != Some(self.whole.exit) {
            return Err(format!("exit code {:?}", run.code));
        }
        match seen.iter().find(|seen| seen.transport != self.way.name()) {
            Some(other) => Err(format!("{} was called over {}", other.tool, other.transport)),
            None => Ok(seen),
        }
    }
}

/// The flag for the time limit of a debate.
fn limit(whole: &WholeDebate) -> &'static str {
    if whole.format == "review" { "--budget-minutes" } else { "--max-minutes" }
}

/// The built program, which is in the same target folder as this one.
pub(crate) fn program() -> PathBuf {
    let own = std::env::current_exe().expect("this program");
    own.ancestors().nth(2).expect("the folder of the target").join("rebut")
}
