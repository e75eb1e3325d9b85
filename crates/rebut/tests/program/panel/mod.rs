//! `rebut panel` through the built program, with scripted seats.

mod documents;
mod failures;
mod kills;
mod lineups;
mod logs;
mod plans;
mod redactions;
mod tools;

pub(crate) use lineups::with_a_lineup_to_propose;

use std::fs;
use std::path::PathBuf;

use rebut_fakes::panel::{PanelScript, SOURCE_FILE, offices};
use rebut_fakes::{DebateFolder, Run, Script, TestEnv};
use serde_json::Value;

use crate::machine;

const TOPIC: &str = "Should AI code review replace human review?";
/// The folder for documents that tests name.
const OUT: [&str; 2] = ["--out", "papers"];

/// A machine with this script, its lineup, and the file that everybody cites.
pub(crate) fn machine_with_script(panel: PanelScript, script: &Script) -> TestEnv {
    let env = machine();
    env.write("seats.toml", script.to_toml());
    env.write("lineup.toml", panel.lineup("seats.toml"));
    env.write(SOURCE_FILE.0, SOURCE_FILE.1);
    env
}

/// The arguments of a panel of the lineup, with as many rounds as the script has unless more are allowed.
pub(crate) fn arguments(panel: PanelScript, more: &[&str]) -> Vec<String> {
    let rounds = panel.rounds.to_string();
    let own = ["panel", TOPIC, "--debaters", "lineup.toml", "--min-rounds", &rounds];
    let most = ["--max-rounds", &rounds];
    let most = if more.contains(&most[0]) { &[] } else { &most[..] };
    let own = own.iter().chain(most).chain(&OUT).chain(more).map(|word| (*word).to_owned());
    own.chain(offices("seats.toml")).collect()
}

fn hold(env: &TestEnv, panel: PanelScript, more: &[&str]) -> Run {
    env.rebut(arguments(panel, more))
}

/// A document of the debate.
fn document(env: &TestEnv, name: &str) -> String {
    fs::read_to_string(env.workspace().join("papers").join(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
}

/// The names of the documents, sorted.
fn documents(env: &TestEnv) -> Vec<String> {
    names(env.workspace().join("papers"))
}

fn names(folder: PathBuf) -> Vec<String> {
    let Ok(entries) = fs::read_dir(folder) else { return Vec::new() };
    let mut names: Vec<String> = entries.map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned()).collect();
    names.sort();
    names
}

/// The log, entry by entry.
fn log(env: &TestEnv) -> Vec<Value> {
    document(env, "debate-log.jsonl").lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

/// The contents of all entries of this type.
fn contents(env: &TestEnv, kind: &str) -> Vec<String> {
    let of = |entry: &Value| (entry["type"] == kind).then(|| entry["content"].as_str().unwrap().to_owned());
    log(env).iter().filter_map(of).collect()
}

fn metadata(env: &TestEnv) -> Value {
    serde_json::from_str(&document(env, "metadata.json")).unwrap()
}

fn asked(debate: &DebateFolder) -> Vec<String> {
    debate.of_kind("started").iter().map(|line| line.key().to_owned()).collect()
}
