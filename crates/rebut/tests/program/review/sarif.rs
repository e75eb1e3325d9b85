//! Exports for tools that show results of code scanning: valid by the official schema, and such that they can be taken in.

use std::path::Path;
use std::process::Command;
use std::sync::OnceLock;

use boon::{Compiler, Draft, SchemaIndex, Schemas};
use rebut_fakes::{Run, Script, ScriptLine, TestEnv};
use serde_json::Value;

use super::{
    PATCH, Raised, agreement, critique, early_drop, early_drop_judged, finding, folder, judged, judgement, repository,
    review, ruling, same, seats,
};

/// Names under which tools look for the schema that a log follows.
const SCHEMA: &str = "https://json.schemastore.org/sarif-2.1.0.json";

/// The official schema of SARIF 2.1.0, as a published package carries it; see `tests/sarif-schema`.
fn schema() -> &'static Value {
    static SCHEMA: OnceLock<Value> = OnceLock::new();
    SCHEMA.get_or_init(|| {
        let manifest = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/sarif-schema/Cargo.toml");
        let cargo = std::env::var("CARGO").unwrap_or_else(|_| "cargo".to_owned());
        let mut ask = Command::new(cargo);
        ask.args(["metadata", "--locked", "--format-version", "1", "--manifest-path"]).arg(manifest);
        let metadata = Run::of(&mut ask).exits(0).json();
        let packages = metadata["packages"].as_array().unwrap();
        let package = packages.iter().find(|package| package["name"] == "serde-sarif").unwrap();
        let file = Path::new(package["manifest_path"].as_str().unwrap()).with_file_name("src").join("schema.json");
        serde_json::from_str(&std::fs::read_to_string(file).unwrap()).unwrap()
    })
}

/// What the schema finds wrong with a log.
fn problems(log: &Value) -> Option<String> {
    let (mut schemas, mut compiler) = (Schemas::new(), Compiler::new());
    compiler.set_default_draft(Draft::V7);
    compiler.enable_format_assertions();
    compiler.add_resource(SCHEMA, schema().clone()).unwrap();
    let index: SchemaIndex = compiler.compile(SCHEMA, &mut schemas).unwrap();
    schemas.validate(log, index).err().map(|error| error.to_string())
}

/// The last review as SARIF: valid, and such that code scanning takes it in. Its results.
#[track_caller]
fn exported(env: &TestEnv) -> Vec<Value> {
    let log = env.rebut(["export", "last", "--as", "sarif"]).exits(0).json();
    assert_eq!(problems(&log), None, "{log:#}");
    assert_eq!(log["$schema"], SCHEMA);
    let run = &log["runs"][0];
    let rules = run["tool"]["driver"]["rules"].as_array().unwrap();
    let results = run["results"].as_array().unwrap().clone();
    for result in &results {
        let rule = &rules[usize::try_from(result["ruleIndex"].as_u64().unwrap()).unwrap()];
        assert_eq!(rule["id"], result["ruleId"], "{result:#}");
        assert!(result["partialFingerprints"]["rebutFinding/v1"].as_str().is_some_and(|mark| mark.len() == 16));
        assert!(!result["message"]["text"].as_str().unwrap().is_empty());
        for location in result["locations"].as_array().into_iter().flatten() {
            let physical = &location["physicalLocation"];
            let uri = physical["artifactLocation"]["uri"].as_str().unwrap();
            assert!(!uri.starts_with('/') && !uri.contains(['\\', ' ', ':']), "{uri} is relative and no path of a system");
            assert!(!uri.split('/').any(|part| part == ".." || part == "."), "{uri} stays inside");
            if let Some(region) = physical.get("region") {
                let (first, last) = (region["startLine"].as_u64().unwrap(), region["endLine"].as_u64().unwrap());
                assert!((1..=last).contains(&first), "{region}");
            }
        }
    }
    results
}

/// Holds a review of one round that ends with a compromise on paper, or is stopped: what matters is its export.
fn of_one_round(env: &TestEnv, findings: &[Raised], rulings: &[(&str, &str, &str)]) {
    super::cast(env, &one_round(findings, rulings));
    let _ = review(env, &["--intensity", "quick"]);
}

fn one_round(findings: &[Raised], rulings: &[(&str, &str, &str)]) -> Script {
    seats()
        .call("round-1/critique", critique(findings, "revise"))
        .call("round-1/critique", critique(findings, "revise"))
        .call("round-1/judgement", judgement(rulings, &[]))
        .call("round-1/rewrite", ScriptLine::text(PATCH))
}

fn uri(result: &Value) -> Option<&str> {
    result["locations"][0]["physicalLocation"]["artifactLocation"]["uri"].as_str()
}

#[test]
fn the_schema_finds_faults() {
    let env = repository(&one_round(&[early_drop("P1")], &[("F1", "valid", "P1")]));
    let _ = review(&env, &["--intensity", "quick"]).exits(0);
    let log = env.rebut(["export", "--as", "sarif"]).exits(0).json();
    let faults: [(&str, Value); 5] = [
        ("/version", "2.0.0".into()),
        ("/runs/0/results/0/level", "grave".into()),
        ("/runs/0/results/0/locations/0/physicalLocation/region/startLine", 0.into()),
        ("/runs/0/results/0/locations/0/physicalLocation/artifactLocation/uri", "a path with spaces".into()),
        ("/runs/0/invocations/0/startTimeUtc", "yesterday".into()),
    ];
    for (place, value) in faults {
        let mut wrong = log.clone();
        *wrong.pointer_mut(place).unwrap() = value;
        assert!(problems(&wrong).is_some(), "{place}");
    }
}

#[test]
fn findings_in_files_are_results_at_their_lines() {
    let env = repository(&seats());
    let wait = finding("P2", "the wait has no limit of its own", "src/pool.rs:2-4", "pool.wait(30)");
    of_one_round(&env, &[early_drop("P1"), wait], &[("F1", "valid", "P1"), ("F2", "needs_evidence", "P2")]);
    let results = exported(&env);
    let told: Vec<_> = results.iter().map(|result| (&result["ruleId"], &result["kind"], &result["level"])).collect();
    assert_eq!(told, [(&"P1".into(), &"fail".into(), &"error".into()), (&"P2".into(), &"review".into(), &"none".into())]);
    let region = &results[1]["locations"][0]["physicalLocation"]["region"];
    assert_eq!((&region["startLine"], &region["endLine"]), (&2.into(), &4.into()));
    assert_eq!(uri(&results[0]), Some("src/pool.rs"));
    assert!(results[0]["message"]["text"].as_str().unwrap().ends_with("Suggested: mend it"));
}

#[test]
fn what_was_struck_out_is_no_result() {
    let env = repository(&seats());
    let invented = finding("P2", "the retry loop never ends", "src/retry.rs:9", "loop {");
    of_one_round(&env, &[early_drop("P2"), invented.clone()], &[("F1", "invalid", "P2")]);
    assert_eq!(exported(&env), Vec::<Value>::new());
    // Also where no judge came to speak.
    let env = repository(&seats().call("round-1/critique", critique(&[invented], "revise")));
    let _ = review(&env, &[]).exits(3).shows("[invalid: its evidence is false]");
    assert_eq!(exported(&env), Vec::<Value>::new());
    let env = repository(&seats().call("round-1/critique", agreement()));
    let _ = review(&env, &[]).exits(0);
    assert_eq!(exported(&env), Vec::<Value>::new());
}

#[test]
fn a_finding_without_a_place_stands_at_what_is_reviewed() {
    let env = repository(&seats());
    of_one_round(&env, &[finding("P2", "no test covers the new order", "", "")], &[("F1", "valid", "P2")]);
    let results = exported(&env);
    assert_eq!(uri(&results[0]), Some("src/pool.rs"));
    assert_eq!(results[0]["locations"][0]["physicalLocation"].get("region"), None);
    assert!(results[0]["message"]["text"].as_str().unwrap().contains("about the work as a whole"));
}

#[test]
fn a_finding_about_what_the_review_wrote_names_no_line_that_is_not_there() {
    let undefined = finding("P2", "after() is not defined anywhere", "src/pool.rs:4", "conn.after(guard)");
    let still = finding("P1", "the guard is dropped before the wait", "src/pool.rs:2", "pool.lock()");
    let script = early_drop_judged("P1")
        .call("round-1/rewrite", ScriptLine::text(PATCH))
        .call("round-2/critique", critique(&[still, undefined], "revise"))
        .call("round-2/judgement", judged(&[same("F2", "needs_evidence", "P2", "F1"), ruling("F3", "valid", "P3")], &[]));
    let env = repository(&script);
    let _ = review(&env, &["--max-rounds", "2"]);
    let results = exported(&env);
    let region = |result: &Value| result["locations"][0]["physicalLocation"].get("region").cloned();
    let first = serde_json::json!({ "startLine": 3, "endLine": 3 });
    assert_eq!((results.len(), region(&results[0]), region(&results[1])), (2, Some(first), None), "{results:#?}");
    assert_eq!(uri(&results[1]), Some("src/pool.rs"));
    assert!(
        results[1]["message"]["text"]
            .as_str()
            .unwrap()
            .contains("the version that the review wrote, there at src/pool.rs:4")
    );
}

#[test]
fn paths_become_relative_references_however_they_are_written() {
    let env = repository(&seats());
    let names = ["src/my pool.rs", "src/größe 100%.rs"];
    for name in names {
        env.write(name, "fn wait() {\n    sleep(30)\n}\n");
    }
    let mut all: Vec<Raised> =
        names.map(|name| finding("P2", &format!("{name} waits for ever"), &format!("{name}:2"), "sleep(30)")).into();
    all.push(finding("P2", "the guard is dropped too early", "src\\pool.rs:3", "drop(guard);"));
    all.push(finding("P2", "the pool is shared", "./src/pool.rs:1", "fn acquire"));
    all.push(finding("P3", "the password file is read", "/etc/passwd:1", "root"));
    all.push(finding("P3", "the neighbour is read", "../other/main.rs:1", "main"));
    all.push(finding("P3", "the drive is read", "C:\\other\\main.rs:1", "main"));
    let ids = ["F1", "F2", "F3", "F4"].map(|id| (id, "valid", "P2"));
    of_one_round(&env, &all, &ids);
    let results = exported(&env);
    let of = |text: &str| {
        let found = results.iter().find(|result| result["message"]["text"].as_str().unwrap().starts_with(text));
        found.and_then(uri).map(str::to_owned)
    };
    assert_eq!(of("src/my pool.rs waits").as_deref(), Some("src/my%20pool.rs"));
    assert_eq!(of("src/größe 100%.rs waits").as_deref(), Some("src/gr%C3%B6%C3%9Fe%20100%25.rs"));
    assert_eq!(of("the guard is dropped").as_deref(), Some("src/pool.rs"));
    assert_eq!(of("the pool is shared").as_deref(), Some("src/pool.rs"));
}

#[test]
fn a_text_has_results_without_a_file() {
    let script =
        one_round(&[finding("P1", "no reason is given", "artifact.md:3", "We use gRPC.")], &[("F1", "valid", "P1")]);
    let env = folder(&script);
    env.write("plan.md", "# Proposal\n\nWe use gRPC.\n");
    let _ = review(&env, &["--artifact-file", "plan.md", "--intensity", "quick"]);
    let results = exported(&env);
    assert_eq!((results.len(), results[0].get("locations")), (1, None));
}

#[test]
fn a_review_that_was_not_performed_says_so() {
    let script = seats()
        .call("round-1/critique", ScriptLine::fail("auth"))
        .call("round-1/critique/stand-in", ScriptLine::fail("auth"));
    let env = repository(&script);
    let _ = review(&env, &[]).exits(1);
    assert_eq!(exported(&env), Vec::<Value>::new());
    let log = env.rebut(["export", "--as", "sarif"]).exits(0).json();
    assert_eq!(log["runs"][0]["invocations"][0]["executionSuccessful"], false);
}

#[test]
fn the_same_finding_has_the_same_mark_in_a_later_review() {
    let marks = ["the guard is dropped before the wait", "The guard is dropped, before the wait!"].map(|text| {
        let env = repository(&seats());
        let found = finding("P1", text, "src/pool.rs:3", "drop(guard);");
        of_one_round(&env, &[found], &[("F1", "valid", "P1")]);
        exported(&env)[0]["partialFingerprints"].clone()
    });
    assert_eq!(marks[0], marks[1]);
}

#[test]
fn a_duel_has_no_findings_to_export() {
    let env = crate::machine_for(&Script::duel(1));
    let _ = env.duel(&["--rounds", "1"]).exits(0);
    let _ = env.rebut(["export", "--as", "sarif"]).exits(2).says("is not a review");
}

#[test]
fn a_place_is_told_as_it_was_found() {
    for absolute in [false, true] {
        let probe = repository(&seats());
        let root = if absolute { format!("{}/", probe.workspace().display()) } else { "a/".to_owned() };
        let place = format!("{root}src/pool.rs:3");
        let raised = finding("P2", "the guard is dropped before the wait", &place, "drop(guard);");
        let script = seats()
            .call("round-1/critique", critique(&[raised], "revise"))
            .call("round-1/judgement", judgement(&[("F1", "valid", "P3")], &[]));
        super::cast(&probe, &script);
        let _ = review(&probe, &[]).exits(0);
        let log = probe.rebut(["export", "last", "--as", "sarif"]).exits(0).json();
        let place = &log["runs"][0]["results"][0]["locations"][0]["physicalLocation"];
        assert_eq!(place["artifactLocation"]["uri"], "src/pool.rs", "{place}");
        assert_eq!(place["region"]["startLine"], 3, "{place}");
    }
}
