//! How long a whole panel takes against the critical path of its answers, and how its prompts grow with the rounds. It is
//! held by the built program, with its journal, its view and its documents.

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use futures_util::FutureExt;
use rebut_core::debate::{Happening, StepKey};
use rebut_engine::store::{Cursor, FileStore, Store};
use rebut_fakes::panel::{PanelScript, SOURCE_FILE, offices};
use rebut_fakes::{Script, git};

use crate::figures::{float, median, ms, ms_text};
use crate::program::program;
use crate::stage::Stage;
use crate::table::{Row, Table};

const TIMES: usize = 3;
/// How long each kind of answer takes, by how its key ends or begins.
const DELAYS: [(&str, u64); 13] = [
    ("ready/", 30),
    ("/verification", 150),
    ("/audience", 120),
    ("chair/unresolved", 100),
    ("chair/judgement/1", 200),
    ("audience/conclusion", 150),
    ("reporter/summary", 200),
    ("reporter/blog-post", 250),
    ("reporter/verifier-notes", 100),
    ("assessor/report", 200),
    ("opening/", 200),
    ("round-", 200),
    ("closing/", 200),
];
/// Rounds of the panel whose prompts are looked at.
const MOST_ROUNDS: u32 = 8;

pub(crate) fn measure(stage: &Stage, table: &mut Table) {
    let Some(program) = program() else {
        table.add(Row::new("a panel", "not measured: build it with cargo build --release"));
        return;
    };
    for panel in [PanelScript { debaters: 3, rounds: 3 }, PanelScript { debaters: 8, rounds: 2 }] {
        let walls = (0..TIMES).map(|_| ms(hold(&program, &stage.folder("panel"), panel, true))).collect();
        let wall = median(walls);
        let ideal = critical_path(panel);
        let ratio = wall / ms(Duration::from_millis(ideal));
        let PanelScript { debaters, rounds } = panel;
        let what = format!("a panel of {debaters}, {rounds} rounds, answers of {} ms in all", all(panel));
        let row = Row::new(what, ms_text(wall)).ideal(format!("{ideal} ms (critical path)"), ratio);
        table.add(row.aim("< 1.05 × ideal", ratio < 1.05));
    }
    for debaters in [3, 8] {
        let panel = PanelScript { debaters, rounds: MOST_ROUNDS };
        let folder = stage.folder("panel");
        hold(&program, &folder, panel, false);
        let bytes = turns(&folder, panel);
        let [first, second, last, before] = [2, 3, MOST_ROUNDS, MOST_ROUNDS - 1].map(|round| bytes[round as usize - 1]);
        let what = format!("prompt bytes of a turn, panel of {debaters}, rounds 2 and {MOST_ROUNDS}");
        let row = Row::new(what, format!("{first} and {last}"));
        let ratio = (float(last) - float(before)) / (float(second) - float(first));
        let steps = format!("{} (a round adds {})", last - before, second - first);
        table.add(row.ideal(steps, ratio).aim("linear in rounds", ratio < 1.05));
    }
}

/// How long an answer takes.
fn delay(key: &str) -> u64 {
    let fits = |part: &str| if part.starts_with('/') { key.ends_with(part) } else { key.starts_with(part) };
    DELAYS.into_iter().find(|(part, _)| fits(part)).map_or(0, |(_, ms)| ms)
}

/// What has to be waited for one after the other: everybody's turns, of their verifications the last of each stretch, and
/// of the reporter's documents the slowest.
fn critical_path(panel: PanelScript) -> u64 {
    let debaters = panel.debaters as u64;
    let openings = debaters * delay("opening/anna") + delay("opening/anna/verification");
    let round = debaters * delay("round-1/anna") + delay("round-1/anna/verification") + delay("round-1/audience");
    let closings = delay("chair/unresolved") + debaters * delay("closing/anna");
    let papers = delay("chair/judgement/1") + delay("audience/conclusion") + delay("reporter/blog-post");
    delay("ready/anna") + openings + u64::from(panel.rounds) * round + closings + papers + delay("assessor/report")
}

/// The answers of the whole panel, one after the other.
fn all(panel: PanelScript) -> u64 {
    let debaters = panel.debaters as u64;
    let turns = debaters * (delay("opening/anna") + delay("opening/anna/verification"));
    let rounds = debaters * (delay("round-1/anna") + delay("round-1/anna/verification")) + delay("round-1/audience");
    let alone = ["chair/unresolved", "chair/judgement/1", "audience/conclusion", "reporter/summary", "reporter/blog-post"];
    let alone = alone.into_iter().chain(["reporter/verifier-notes", "assessor/report"]).map(delay).sum::<u64>();
    let readiness = (debaters + 5) * delay("ready/anna");
    readiness + turns + u64::from(panel.rounds) * rounds + debaters * delay("closing/anna") + alone
}

fn script(panel: PanelScript) -> Script {
    let delayed = |script: Script, (part, _): (&'static str, u64)| {
        let ms = i64::try_from(delay(part)).unwrap();
        script.where_key(|key| delay(key) == delay(part), "delay_ms", ms)
    };
    DELAYS.into_iter().fold(panel.script(), delayed)
}

/// Holds a panel, and gives how long the program took from its start to its end.
fn hold(program: &Path, folder: &Path, panel: PanelScript, slow: bool) -> Duration {
    let workspace = folder.join("workspace");
    fs::create_dir_all(workspace.join("docs")).unwrap();
    let script = if slow { script(panel) } else { panel.script() };
    fs::write(workspace.join("seats.toml"), script.to_toml()).unwrap();
    fs::write(workspace.join("lineup.toml"), panel.lineup("seats.toml")).unwrap();
    fs::write(workspace.join(SOURCE_FILE.0), SOURCE_FILE.1).unwrap();
    // A repository of its own: what is built stands in one, and the verifier would find other files there.
    git(&workspace, &["init", "--quiet"]);
    let path = std::env::var_os("PATH").unwrap_or_default();
    let rounds = panel.rounds.to_string();
    let mut command = Command::new(program);
    command.env_clear().env("HOME", folder).env("PATH", path).current_dir(&workspace);
    command.args(["panel", "Should AI code review replace human review?", "--debaters", "lineup.toml"]);
    command.args(["--min-rounds", &rounds, "--max-rounds", &rounds, "--out", "papers", "--state-dir", "../state"]);
    command.args(offices("seats.toml")).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::piped());
    let began = Instant::now();
    let ended = command.output().unwrap();
    let took = began.elapsed();
    assert!(ended.status.success(), "the panel is not held: {}", String::from_utf8_lossy(&ended.stderr));
    took
}

/// The bytes of the last debater's prompt in each round.
fn turns(folder: &Path, panel: PanelScript) -> Vec<usize> {
    let store = FileStore::at(folder.join("state"));
    let id = store.find("last").now_or_never().unwrap().unwrap();
    let events = store.events(&id, &Cursor::default()).now_or_never().unwrap().unwrap().trusted().unwrap();
    let last = panel.names()[panel.debaters - 1];
    let of = |round: u32| {
        let key = StepKey::new(format!("round-{round}/{last}"));
        let prompt = events.iter().find_map(|event| match &event.happening {
            Happening::Started { key: own, prompt, .. } if *own == key => Some(prompt.joined().len()),
            _ => None,
        });
        prompt.unwrap()
    };
    (1..=panel.rounds).map(of).collect()
}
