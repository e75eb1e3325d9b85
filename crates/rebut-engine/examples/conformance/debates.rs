//! Whole debates: every format to its end, held by the program itself, with each tool in every role.

use std::path::{Path, PathBuf};
use std::process::Command;

use rebut_fakes::provider::Provider;
use rebut_fakes::{DebateFolder, Deed, Run, WHOLE_DEBATES, WholeDebate};

use crate::cell::{Places, Way, short};
use crate::tools::{SUBJECTS, Subject};

/// How long a debate may take, in minutes: the tools are slow to start, and there are many calls.
const MINUTES: &str = "20";

/// A debate that is to be held.
pub(crate) struct Debate {
    whole: &'static WholeDebate,
    way: Way,
    seats: Vec<String>,
}

/// What came of one.
pub(crate) struct Held {
    pub(crate) format: &'static str,
    pub(crate) way: Way,
    /// Which it was, for people.
    pub(crate) which: String,
    /// What was done in it, or what is short of that.
    pub(crate) result: Result<Vec<Deed>, String>,
}

/// The tools, each once.
pub(crate) fn tools() -> impl Iterator<Item = &'static Subject> {
    SUBJECTS.iter().filter(|subject| subject.name == subject.tool)
}

/// The debates of these formats over these ways, as many of each as there are tools: every tool moves one seat on, so that it
/// has each seat once.
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
    /// Holds it with this program.
    pub(crate) async fn hold(&self, rebut: &Path) -> Held {
        // Outside of this repository: temporary files are refused in one. What falls short is kept.
        let mut folder = tempfile::Builder::new().prefix("rebut-debate-").tempdir().expect("a temporary folder");
        let places = Places::of(folder.path());
        places.clear();
        let provider = Provider::start().await.expect("a port on loopback");
        self.whole.prepare(&places.workspace, &self.seats, &provider);
        let pointed = tools().flat_map(|subject| (subject.point)(&places, &provider.base("ok")));
        let mut command = Command::new(rebut);
        command.current_dir(&places.workspace).args(self.whole.arguments(&self.seats));
        command.args(["--transport", self.way.name(), limit(self.whole), MINUTES]);
        // Whoever starts a debate in a folder has no repository elsewhere in mind.
        command.env_remove("GIT_DIR").env_remove("GIT_WORK_TREE").env("PWD", &places.workspace);
        command.envs(places.variables()).envs(pointed);
        let run = tokio::task::spawn_blocking(move || Run::of(&mut command)).await.expect("a run to its end");
        let result = self.judge(&run).and_then(|deeds| places.leftovers().map_or(Ok(deeds), Err));
        folder.disable_cleanup(result.is_err());
        provider.end().await;
        let which = format!("{} ({}), {}", self.whole.format, self.whole.about, self.seats.join(", "));
        let result = result.map_err(|wrong| format!("{wrong} in {}", folder.path().display()));
        Held { format: self.whole.format, way: self.way, which, result }
    }

    fn judge(&self, run: &Run) -> Result<Vec<Deed>, String> {
        let debate = run.json_lines().last().and_then(DebateFolder::of_result);
        let Some(debate) = debate else { return Err(format!("no debate: {}", short(&run.to_string()))) };
        let deeds = debate.deeds().map_err(|wrong| wrong.join("; "))?;
        if run.code != Some(self.whole.exit) {
            return Err(format!("exit code {:?}", run.code));
        }
        match deeds.iter().find(|deed| deed.transport != self.way.name()) {
            Some(other) => Err(format!("{} was spoken to over {}", other.tool, other.transport)),
            None => Ok(deeds),
        }
    }
}

/// The flag that ends a debate of this format.
fn limit(whole: &WholeDebate) -> &'static str {
    if whole.format == "review" { "--budget-minutes" } else { "--max-minutes" }
}

/// Where the program is, unless it is named: beside this one.
pub(crate) fn beside_this() -> PathBuf {
    let own = std::env::current_exe().expect("this program");
    own.ancestors().nth(2).expect("the folder of the target").join("rebut")
}
