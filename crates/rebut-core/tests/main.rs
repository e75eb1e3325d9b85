//! What the core promises, as facts: one file a theme, and one [`TestDebate`] that drives a debate as a runner would.

#![expect(clippy::expect_used, reason = "a test that cannot go on says why and fails")]

mod accounts;
mod ballots;
mod budget;
mod context;
mod critiques;
mod cross;
mod cross_counts;
mod documents;
mod evidence;
mod failures;
mod fold;
mod fuzz;
mod golden;
mod growth;
mod judge_cases;
mod judge_check;
mod judgements;
mod judges;
mod mentions;
mod panel;
mod procedure;
mod prompts;
mod reopening;
mod review_evidence;
mod review_order;
mod review_rounds;
mod review_sizes;
mod seats;
mod test_debate;
mod thorough;

pub(crate) use test_debate::{Cut, Reply, TestDebate};

#[test]
fn every_file_of_tests_belongs_to_this_program() {
    let listed = include_str!("main.rs");
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/tests");
    for file in std::fs::read_dir(folder).expect("the folder of this file can be listed") {
        let name = file.expect("an entry of the folder").file_name().to_string_lossy().into_owned();
        if let Some(module) = name.strip_suffix(".rs").filter(|module| *module != "main") {
            assert!(listed.contains(&format!("\nmod {module};\n")), "tests/{name} is never compiled");
        }
    }
}
