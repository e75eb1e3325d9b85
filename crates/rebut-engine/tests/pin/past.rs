//! Files as they were in a commit, while the workspace goes on.

use std::sync::Arc;

use rebut_core::evidence::check::Cited;
use rebut_engine::checks::{Allowed, Examiner};
use serde_json::{Value, json};

use super::ground::{Ground, commit, git};

fn told(examiner: &Examiner, evidence: Value) -> String {
    let cited = Cited::by_claim(1, serde_json::from_value(evidence).unwrap());
    examiner.examine_now(vec![cited])[0].to_string()
}

#[test]
fn a_file_is_looked_up_as_it_was_in_the_commit_that_is_named_with_it() {
    let ground = Ground::repository();
    ground.write("src/past.rs", "fn one() {}\nfn two() { old(); }\n");
    commit(&ground.ws());
    let old = git(&ground.ws(), &["rev-parse", "HEAD"]).trim().to_owned();
    ground.write("src/past.rs", "fn one() {}\n");
    commit(&ground.ws());
    let pin = Arc::new(ground.pin());
    let examiner = Examiner::over_pin(pin, &ground.ws(), Allowed::default());
    let at = |commit: &str, file: &str, lines: u32, quote: Option<&str>| {
        told(&examiner, json!({ "commit": commit, "file": file, "lines": lines, "quote": quote }))
    };
    let two = Some("fn two() { old(); }");
    assert_eq!(
        at(&old, "src/past.rs", 2, two),
        format!("✔ commit {old} src/past.rs:2 \"fn two() {{ old(); }}\": quote found, in that commit")
    );
    assert_eq!(
        at(&old, "src/past.rs", 9, None),
        format!("✘ commit {old} src/past.rs:9: the file has 2 lines, in that commit")
    );
    assert_eq!(at(&old, "src/nope.rs", 9, None), format!("✘ commit {old} src/nope.rs:9: no such file, in that commit"));
    assert_eq!(at("0123abcd9", "src/past.rs", 1, None), "✘ commit 0123abcd9 src/past.rs:1: no such commit");
    // The commit that was checked out when the debate began, whatever is now.
    ground.write("src/past.rs", "fn three() {}\n");
    commit(&ground.ws());
    let one = Some("fn one() {}");
    assert_eq!(
        at("HEAD", "src/past.rs", 1, one),
        "✔ commit HEAD src/past.rs:1 \"fn one() {}\": quote found, in that commit"
    );
    let changes = |file: &str| told(&examiner, json!({ "commit": "HEAD", "file": file }));
    assert_eq!(changes("src/past.rs"), "✔ commit HEAD src/past.rs: the commit changes the file");
    assert_eq!(changes("README.md"), "✘ commit HEAD README.md: the commit does not change the file");
}
