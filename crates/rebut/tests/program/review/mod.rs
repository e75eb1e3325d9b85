//! Reviews through the built program, with scripted seats and real repositories.

mod checks;
mod choices;
mod critiques;
mod decisions;
mod documentation;
mod documents;
mod escapes;
mod given;
mod hostile;
mod injections;
mod keeping;
mod parallel;
mod planning;
mod project;
mod resuming;
mod sarif;
mod scopes;
mod versions;

pub(crate) use choices::with_a_compromise;
pub(crate) use planning::with_tools;

use std::path::Path;
use std::process::Command;

use rebut_fakes::{DebateFolder, Run, Script, ScriptLine, TestEnv};
use serde_json::{Value, json};

use crate::machine;

/// The workspace's file before the change.
const BEFORE: &str = "fn acquire(pool: &Pool) -> Conn {\n    let guard = pool.lock();\n    pool.wait(30)\n}\n";
/// The same after it.
const AFTER: &str =
    "fn acquire(pool: &Pool) -> Conn {\n    let guard = pool.lock();\n    drop(guard);\n    pool.wait(30)\n}\n";
/// A patch that applies to it.
pub(crate) const PATCH: &str = "```diff\n--- a/src/pool.rs\n+++ b/src/pool.rs\n@@ -1,5 +1,5 @@\n fn acquire(pool: &Pool) -> Conn {\n     let \
                     guard = pool.lock();\n-    drop(guard);\n-    pool.wait(30)\n+    let conn = pool.wait(30);\n+    \
                     conn.after(guard)\n }\n```\n";
/// Seats of the script: critic and author are of two families.
pub(crate) const SEATS: [&str; 6] =
    ["--critic", "script:seats.toml#critic", "--judge", "script:seats.toml#judge", "--author", "script:seats.toml#author"];

/// A finding as a critic writes it.
#[derive(Clone)]
struct Raised {
    value: Value,
}

/// A finding at a place (`src/pool.rs:3`), which is its evidence together with a quote.
fn finding(severity: &str, title: &str, place: &str, quote: &str) -> Raised {
    let evidence = if place.is_empty() { json!([]) } else { json!([cited(place, quote)]) };
    let value = json!({
        "severity": severity, "title": title, "explanation": "", "evidence": evidence, "suggestion": "mend it",
    });
    Raised { value }
}

/// Evidence: a place, and what is quoted from it unless that is empty.
fn cited(place: &str, quote: &str) -> Value {
    match place.rsplit_once(':') {
        Some((file, lines)) => json!({ "file": file, "lines": lines, "quote": quote }),
        None => json!({ "file": place, "quote": quote }),
    }
}

/// The finding that the change deserves.
fn early_drop(severity: &str) -> Raised {
    finding(severity, "the guard is dropped before the wait", "src/pool.rs:3", "drop(guard);")
}

impl Raised {
    /// The same with this evidence.
    fn on(mut self, evidence: &[Value]) -> Self {
        self.value["evidence"] = evidence.into();
        self
    }
}

/// A critique with these findings and this recommendation; the file was looked at.
fn critique(findings: &[Raised], recommendation: &str) -> ScriptLine {
    ScriptLine::text(critique_value(findings, recommendation).to_string())
}

/// The same before it is written down.
fn critique_value(findings: &[Raised], recommendation: &str) -> Value {
    let findings: Vec<&Value> = findings.iter().map(|finding| &finding.value).collect();
    json!({
        "summary": "A critique.", "findings": findings, "missing": [], "recommendation": recommendation,
        "checked_files": ["src/pool.rs"],
    })
}

/// A judgement: findings by id, with ruling and severity; and what the judge adds as missing.
fn judgement(rulings: &[(&str, &str, &str)], added: &[(&str, bool)]) -> ScriptLine {
    let rulings: Vec<Value> = rulings.iter().map(|(id, kind, severity)| ruling(id, kind, severity)).collect();
    let added: Vec<Value> =
        added.iter().map(|(title, important)| json!({ "title": title, "important": important })).collect();
    judged(&rulings, &added)
}

/// A judgement of these rulings, with what the judge adds as missing.
fn judged(rulings: &[Value], added: &[Value]) -> ScriptLine {
    ScriptLine::text(json!({ "rulings": rulings, "missing": [], "added": added }).to_string())
}

fn ruling(id: &str, kind: &str, severity: &str) -> Value {
    json!({ "id": id, "ruling": kind, "severity": severity, "reason": "it says so" })
}

/// A ruling that calls a finding the same as another one.
fn same(id: &str, kind: &str, severity: &str, same_as: &str) -> Value {
    let mut ruling = ruling(id, kind, severity);
    ruling["same_as"] = same_as.into();
    ruling
}

/// A judgement that calls F1 a valid P1 whose suggestion says exactly what to write.
fn concrete_p1() -> ScriptLine {
    let mut ruling = ruling("F1", "valid", "P1");
    ruling["concrete"] = true.into();
    judged(&[ruling], &[])
}

/// A script whose critic is of another family than the author.
fn seats() -> Script {
    Script::default().of_family("critic", "north").of_family("author", "south")
}

/// A script in which the critic finds what the change deserves, calls it P1, and the judge calls it so.
pub(crate) fn early_drop_judged(severity: &str) -> Script {
    seats()
        .call("round-1/critique", critique(&[early_drop("P1")], "revise"))
        .call("round-1/judgement", judgement(&[("F1", "valid", severity)], &[]))
}

/// A critique that agrees.
pub(crate) fn agreement() -> ScriptLine {
    critique(&[], "keep")
}

/// A repository with an uncommitted change, and this script for the seats outside of it.
pub(crate) fn repository(script: &Script) -> TestEnv {
    let env = machine();
    env.install("git");
    git(&env, &["init", "--quiet"]);
    env.write("src/pool.rs", BEFORE);
    git(&env, &["add", "."]);
    git(&env, &["commit", "--quiet", "--message", "first"]);
    env.write("src/pool.rs", AFTER);
    cast(&env, script);
    env
}

/// Puts the script where the seats look for it, ignored by git.
fn cast(env: &TestEnv, script: &Script) {
    env.write("seats.toml", script.to_toml());
    if env.workspace().join(".git").exists() {
        std::fs::create_dir_all(env.workspace().join(".git/info")).unwrap();
        std::fs::write(env.workspace().join(".git/info/exclude"), "seats.toml\n").unwrap();
    }
}

/// A folder that is no repository.
fn folder(script: &Script) -> TestEnv {
    let env = machine();
    cast(&env, script);
    env
}

pub(super) fn git(env: &TestEnv, arguments: &[&str]) -> String {
    git_in(env, &env.workspace(), arguments)
}

/// Git in another folder of the machine.
fn git_in(env: &TestEnv, folder: &Path, arguments: &[&str]) -> String {
    let mut git = Command::new("git");
    git.args(["-c", "user.name=Test", "-c", "user.email=test@example.invalid", "-c", "init.defaultBranch=main"]);
    git.args(["-c", "protocol.file.allow=always"]);
    // The same commits in every run.
    git.env("GIT_AUTHOR_DATE", "2026-01-01T00:00:00Z").env("GIT_COMMITTER_DATE", "2026-01-01T00:00:00Z");
    git.args(arguments).current_dir(folder).env("HOME", env.home()).env("GIT_CONFIG_NOSYSTEM", "1");
    Run::of(&mut git).exits(0).stdout
}

/// Commits all that is there.
fn commit(env: &TestEnv, message: &str) {
    git(env, &["add", "--all"]);
    git(env, &["commit", "--quiet", "--message", message]);
}

/// The plan of a review that is not held: the whole way to the artifact, and no call.
#[track_caller]
fn planned(env: &TestEnv, more: &[&str]) -> Planned {
    let run = review(env, &[more, &["--dry-run", "--json"]].concat()).exits(0);
    Planned { plan: run.json()["plan"].clone() }
}

/// A plan, as far as these tests ask.
struct Planned {
    plan: Value,
}

impl Planned {
    fn artifact(&self) -> &str {
        self.plan["setup"]["artifact"]["text"].as_str().unwrap()
    }

    fn setup(&self, key: &str) -> &str {
        self.plan["setup"][key].as_str().unwrap()
    }

    fn form(&self) -> &Value {
        &self.plan["setup"]["artifact"]["form"]
    }

    fn notes(&self) -> String {
        let notes = self.plan["notes"].as_array().unwrap().iter().map(|note| note.as_str().unwrap());
        notes.collect::<Vec<_>>().join("\n")
    }

    /// What stands on the lines that come, without their signs.
    fn coming(&self) -> Vec<&str> {
        let lines = self.artifact().lines().filter(|line| !line.starts_with("+++"));
        lines.filter_map(|line| line.strip_prefix('+')).collect()
    }

    /// The files that the diff names.
    fn files(&self) -> Vec<&str> {
        let heads = self.artifact().lines().filter_map(|line| line.strip_prefix("diff --git a/"));
        heads.filter_map(|head| head.split_once(" b/")).map(|(_, new)| new).collect()
    }
}

fn review(env: &TestEnv, more: &[&str]) -> Run {
    env.rebut(arguments(more))
}

pub(crate) fn arguments<'a>(more: &[&'a str]) -> Vec<&'a str> {
    ["review"].iter().chain(&SEATS).chain(more).copied().collect()
}

/// The name of a review's folder.
fn dashed(id: &str) -> String {
    id.replace('T', "-").replace('Z', "")
}

/// The one review of a repository, which has its documents.
fn kept(env: &TestEnv) -> DebateFolder {
    let review = env.debate();
    DebateFolder { path: env.workspace().join(".git/review-loop").join(dashed(&review.id)), ..review }
}

fn json_file(folder: &DebateFolder, name: &str) -> Value {
    serde_json::from_slice(&std::fs::read(folder.path.join(name)).unwrap()).unwrap()
}

fn text_file(folder: &DebateFolder, name: &str) -> String {
    std::fs::read_to_string(folder.path.join(name)).unwrap()
}

/// The seat that was asked for a step of the one review of a repository.
fn written_by(env: &TestEnv, key: &str) -> String {
    let started = kept(env).of_kind("started");
    let step = started.iter().find(|line| line.key() == key).unwrap_or_else(|| panic!("{key} was not asked for"));
    step.happening["seat"].as_str().unwrap().to_owned()
}

/// The final decision of the one review of a repository.
pub(crate) fn decided(env: &TestEnv) -> String {
    json_file(&kept(env), "decision.json")["final_decision"].as_str().unwrap_or("none").to_owned()
}

/// The letters that were recommended, round by round.
fn letters(env: &TestEnv) -> Vec<String> {
    let history = json_file(&kept(env), "decision.json")["judge_recommendation_history"].as_array().unwrap().clone();
    history.iter().map(|round| round["judge_recommendation"].as_str().unwrap_or("-").to_owned()).collect()
}
