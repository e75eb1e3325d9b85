//! What the documentation shows is done as it stands there.

use std::path::Path;

use rebut_fakes::{ScriptLine, TestEnv};

use super::{AFTER, PATCH, SEATS, commit, early_drop_judged, git, repository, seats};

/// A file of the project's documentation.
fn documentation(name: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs").join(name);
    std::fs::read_to_string(path).unwrap()
}

/// The command lines of rebut in a text, as the words that a shell would make of them.
fn commands(text: &str) -> Vec<Vec<String>> {
    let lines = text.lines().filter_map(|line| line.trim_start().trim_start_matches("run: ").strip_prefix("rebut "));
    lines.map(|line| line.split_whitespace().map(|word| word.replace('"', "")).collect()).collect()
}

/// The command in a repository, with its seats taken by the script's and its comment and redirections left out.
fn in_the_machine(command: &[String]) -> Vec<String> {
    let mut words: Vec<String> = Vec::new();
    let mut rest = command.iter();
    while let Some(word) = rest.next() {
        match word.as_str() {
            "--critic" | "--judge" | "--author" => drop(rest.next()),
            ">" | ">>" | "#" | "|" => break,
            word => words.push(word.replace("origin/$BASE", "main")),
        }
    }
    words
}

#[test]
fn the_example_workflow_reviews_a_branch_and_exports_it() {
    let script = early_drop_judged("P1")
        .call("round-1/rewrite", ScriptLine::text(PATCH))
        .call("round-2/critique", super::agreement());
    let env = repository(&script);
    git(&env, &["checkout", "--quiet", "-b", "feature"]);
    commit(&env, "the change");
    assert_eq!(std::fs::read_to_string(env.workspace().join("src/pool.rs")).unwrap(), AFTER);
    let workflow = documentation("examples/review-pull-request.yml");
    let steps: Vec<Vec<String>> = commands(&workflow).iter().map(|command| in_the_machine(command)).collect();
    let [review, document, sarif] = steps.as_slice() else { panic!("{steps:?}") };
    let review: Vec<&str> = review.iter().map(String::as_str).chain(SEATS).collect();
    let _ = env.rebut(review).exits(4).says("1 valid P1 finding remains");
    let _ = env.rebut(document).exits(0).shows("# a change to 1 file (base:main)");
    let log = env.rebut(sarif).exits(0).json();
    assert_eq!(log["runs"][0]["results"][0]["ruleId"], "P1");
    // Every action of others is named by a commit, and nothing is allowed that is not needed.
    let uses: Vec<&str> = workflow.lines().filter_map(|line| line.trim().strip_prefix("- uses: ")).collect();
    assert_eq!(uses.len(), 2);
    for action in uses {
        let commit = action.split_once('@').unwrap().1.split(' ').next().unwrap();
        assert!(commit.len() == 40 && commit.chars().all(|c| c.is_ascii_hexdigit()), "{action}");
    }
    assert!(workflow.contains("\npermissions: {}\n"));
}

#[test]
fn the_script_of_the_documentation_holds_a_review() {
    let text = documentation("scripts.md");
    let (_, section) = text.split_once("## The calls of a review").unwrap();
    let script = section.split_once("```toml\n").unwrap().1.split_once("```").unwrap().0;
    let env = repository(&seats());
    env.write("r.toml", script);
    std::fs::write(env.workspace().join(".git/info/exclude"), "*.toml\n").unwrap();
    let shown = commands(section).into_iter().find(|command| command[0] == "review").unwrap();
    let _ = env.rebut(shown).exits(0).shows("- Keep Original");
}

/// Every command line that a document shows is understood, as far as it can be without running it.
#[test]
fn the_commands_of_the_documentation_are_understood() {
    let env: TestEnv = repository(&seats());
    commit(&env, "the change");
    git(&env, &["checkout", "--quiet", "-b", "feature"]);
    env.write("src/pool.rs", format!("{AFTER}// more\n"));
    commit(&env, "more");
    env.write("src/pool.rs", AFTER);
    env.write("proposal.md", "# Proposal\n\nWe use gRPC.\n");
    let shown = commands(&documentation("review.md"));
    assert!(shown.len() >= 4, "{shown:?}");
    for command in shown {
        let words = in_the_machine(&command).into_iter().map(|word| word.replace("3fa9c1d", "HEAD"));
        let words: Vec<String> = words.chain(SEATS.map(str::to_owned)).chain(["--dry-run".to_owned()]).collect();
        let _ = env.rebut(&words).exits(0).shows("  critic      script:seats.toml#critic");
    }
}
