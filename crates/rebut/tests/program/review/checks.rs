//! Pages, searches and commands as evidence of a finding: looked up where the person allows it, as in every format.

use rebut_fakes::{FileServer, Reply, ScriptLine, TestEnv};
use serde_json::{Value, json};

use super::{PATCH, critique, early_drop_judged, finding, judgement, kept, repository, review, seats};

const PAGE: &str = "<title>Locks</title><p>A guard that is dropped early lets 41 percent of waiters in.</p>";

/// A review in which each of these is the evidence of a finding of its own; so many of them come to the judge.
fn with_evidence(evidence: &[Value], judged: usize) -> TestEnv {
    let raised: Vec<_> = (1..)
        .zip(evidence)
        .map(|(number, evidence)| {
            let texts = ["the guard is dropped early", "waiters starve for ever", "a second lock is never taken"];
            finding("P2", texts[number % 3], "", "").on(std::slice::from_ref(evidence))
        })
        .collect();
    let rulings = [("F1", "valid", "P3"), ("F2", "valid", "P3"), ("F3", "valid", "P3")];
    repository(
        &seats()
            .call("round-1/critique", critique(&raised, "revise"))
            .call("round-1/judgement", judgement(&rulings[..judged], &[])),
    )
}

/// What was found of the evidence, in order.
fn found(env: &TestEnv) -> Vec<(String, String)> {
    let checked = kept(env).of_kind("checked");
    let findings = checked[0].happening["findings"].as_array().unwrap().clone();
    let text = |value: &serde_json::Value| value.as_str().unwrap_or_default().to_owned();
    findings.iter().map(|finding| (text(&finding["result"]), text(&finding["detail"]))).collect()
}

#[test]
fn a_page_is_evidence_of_a_finding_only_where_pages_are_fetched() {
    let server = FileServer::start()
        .with("/locks", &[Reply::file(PAGE.as_bytes()).header("content-type", "text/html").without_ranges()]);
    let evidence = [json!({ "url": "http://docs.example.com/locks", "quote": "lets 41 percent of waiters in" })];
    let names = || format!("docs.example.com={}", server.at("").trim_start_matches("http://"));
    let env = with_evidence(&evidence, 1).set("REBUT_TEST_SOURCES", names());
    let _ = review(&env, &["--intensity", "quick"]).exits(0);
    assert_eq!(found(&env)[0].0, "unchecked");
    assert_eq!(server.asked().len(), 0, "without the flag nobody is asked");
    assert!(!kept(&env).prompt("round-1/critique").contains("a `url` with a `quote`"));

    let env = with_evidence(&evidence, 1).set("REBUT_TEST_SOURCES", names());
    let _ = review(&env, &["--intensity", "quick", "--fetch-sources"]).exits(0);
    assert_eq!(found(&env), [("verified".to_owned(), "quote found".to_owned())]);
    assert_eq!(server.asked().len(), 1);
    assert!(kept(&env).prompt("round-1/critique").contains("a `url` with a `quote`"));
}

#[test]
fn a_finding_whose_page_does_not_say_so_is_invalid() {
    let server = FileServer::start()
        .with("/locks", &[Reply::file(PAGE.as_bytes()).header("content-type", "text/html").without_ranges()]);
    let env = with_evidence(&[json!({ "url": "http://docs.example.com/locks", "quote": "go()" })], 0)
        .set("REBUT_TEST_SOURCES", format!("docs.example.com={}", server.at("").trim_start_matches("http://")));
    let run = review(&env, &["--intensity", "quick", "--fetch-sources"]).exits(0);
    let _ = run.shows("F1 P2 invalid (by the engine)").shows("quote not found");
}

#[test]
fn searches_and_commands_are_evidence_of_a_finding_only_where_they_are_allowed() {
    let search = json!({ "search": "guard", "in": "src", "count": 2 });
    let evidence = [search, json!({ "run": "test" }), json!({ "run": "bench" })];
    let machine = |judged| {
        let env = with_evidence(&evidence, judged);
        env.user_config("[checks.test]\ncommand = [\"pass\"]\n\n[checks.bench]\ncommand = [\"fail\"]\n");
        env.install_script("pass", "read -r line < src/pool.rs\necho \"$line\"\n");
        env.install_script("fail", "exit 7\n");
        env
    };
    let env = machine(3);
    let _ = review(&env, &["--intensity", "quick"]).exits(0);
    assert!(found(&env).iter().all(|(result, _)| result == "unchecked"), "{:?}", found(&env));
    assert!(!kept(&env).prompt("round-1/critique").contains("`run` with one of"));

    let env = machine(2);
    let run = review(&env, &["--intensity", "quick", "--allow-checks"]).exits(0);
    let results: Vec<String> = found(&env).into_iter().map(|(result, _)| result).collect();
    assert_eq!(results, ["verified", "verified", "mismatch"]);
    let _ = run.shows("F3 P2 invalid (by the engine)").shows("✘ run bench: the command exits with 7");
    let prompt = kept(&env).prompt("round-1/critique");
    assert!(prompt.contains("or `run` with one of bench, test;"), "{prompt}");
}

/// A review whose author writes a patch, after which the critic has a finding that rests on a command. The command notes
/// what it finds in the file.
fn with_a_command_after_a_revision() -> TestEnv {
    let mut raised = finding("P2", "waiters starve for ever", "", "");
    raised.value["evidence"] = json!([{"run": "test"}]);
    let script = early_drop_judged("P1")
        .call("round-1/rewrite", ScriptLine::text(PATCH))
        .call("round-2/critique", critique(&[raised], "revise"))
        .call("round-2/judgement", judgement(&[("F2", "valid", "P3")], &[]));
    let env = repository(&script);
    env.user_config("[checks.test]\ncommand = [\"note\"]\n");
    let noted = env.root().join("noted");
    env.install_script(
        "note",
        &format!("while read -r line; do echo \"$line\"; done < src/pool.rs >> {}\n", noted.display()),
    );
    env
}

#[test]
fn a_command_does_not_run_on_code_that_a_model_wrote() {
    let env = with_a_command_after_a_revision();
    let run = review(&env, &["--allow-checks"]);
    let _ = run.shows("before the revisions the command succeeds; --allow-checks=revised runs it on them");
    let noted = std::fs::read_to_string(env.root().join("noted")).unwrap();
    assert!(noted.contains("drop(guard);") && !noted.contains("conn.after(guard)"), "{noted}");
}

#[test]
fn a_command_runs_on_code_that_a_model_wrote_where_that_is_asked_for() {
    let env = with_a_command_after_a_revision();
    let _ = review(&env, &["--allow-checks=revised"]).shows("✔ run test: the command succeeds");
    let noted = std::fs::read_to_string(env.root().join("noted")).unwrap();
    assert!(noted.contains("conn.after(guard)") && !noted.contains("drop(guard);"), "{noted}");
}
