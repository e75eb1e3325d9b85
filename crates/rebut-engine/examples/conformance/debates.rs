//! Whole debates: every format run to its end by the built program, with each tool in every role.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;

use rebut_fakes::provider::Provider;
use rebut_fakes::{DEBATERS, DebateFolder, Run, WHOLE_DEBATES, WholeDebate};
use serde_json::Value;

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

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct RoleSeen {
    /// The role, and the task in it: `judge: verdict`.
    pub(crate) role: String,
    pub(crate) tool: String,
    pub(crate) transport: String,
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
        let debate = run.json_lines().last().and_then(|line| of_result(line, state));
        let Some(debate) = debate else { return Err(format!("no debate: {}", short(&run.to_string()))) };
        let seen = roles_seen(&debate).map_err(|wrong| wrong.join("; "))?;
        if run.code != Some(self.whole.exit) {
            return Err(format!("exit code {:?}", run.code));
        }
        match seen.iter().find(|seen| seen.transport != self.way.name()) {
            Some(other) => Err(format!("{} was called over {}", other.tool, other.transport)),
            None => Ok(seen),
        }
    }
}

/// The debate of this state folder whose JSON lines end with this.
fn of_result(line: &Value, state: &Path) -> Option<DebateFolder> {
    let path = PathBuf::from(line["folder"].as_str()?);
    let id = line["debate"]["id"].as_str()?.to_owned();
    Some(DebateFolder { kept: state.join(&id), path, id })
}

/// Every role that a tool was seen in; or what went wrong: calls that failed, were rejected, retried or abandoned.
fn roles_seen(debate: &DebateFolder) -> Result<Vec<RoleSeen>, Vec<String>> {
    let lines = debate.lines();
    let wrong = lines.iter().filter(|line| matches!(line.kind(), "failed" | "rejected" | "retrying" | "abandoned"));
    let wrong: Vec<String> = wrong.map(|line| line.happening.to_string()).collect();
    if !wrong.is_empty() {
        return Err(wrong);
    }
    let plan = &lines[0].happening["plan"];
    let mut seats = BTreeMap::new();
    let mut seen = Vec::new();
    for line in &lines {
        if line.kind() == "started" {
            seats.insert(line.key(), line.happening["seat"].as_str().expect("a seat"));
        }
        if line.kind() == "answered" {
            let seat = seats[line.key()];
            let text = |value: &Value| value.as_str().unwrap_or("unknown").to_owned();
            let tool = text(&plan["seats"][seat]["tool"]);
            let transport = text(&line.happening["answer"]["transport"]);
            seen.push(RoleSeen { role: role(seat, line.key()), tool, transport });
        }
    }
    seen.sort();
    seen.dedup();
    Ok(seen)
}

/// A role and the task in it, without names and rounds: `judge: verdict`, `debater: opening`.
fn role(seat: &str, key: &str) -> String {
    // A tool answers once for all of its seats.
    if key.starts_with("ready/") {
        return "ready".to_owned();
    }
    let bare = |word: &str| word.trim_end_matches(|c: char| c.is_ascii_digit()).trim_end_matches('-').to_owned();
    let role = if DEBATERS.contains(&seat) { "debater".to_owned() } else { bare(seat) };
    let is_task = |word: &&str| *word != seat && !DEBATERS.contains(word) && !word.starts_with("round-");
    match key.split('/').filter(is_task).map(bare).rfind(|word| !word.is_empty()) {
        Some(task) => format!("{role}: {task}"),
        None => role,
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
