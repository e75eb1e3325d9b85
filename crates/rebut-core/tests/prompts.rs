//! Every prompt of a duel, whole: they are prose, and are read as prose when they change.

use rebut_core::debate::{Cause, ContextItem, PromptOverride, Status};
use rebut_core::formats::prompts::check;

use crate::TestDebate;
use crate::test_debate::texts;

fn attached() -> ContextItem {
    let text = "# Gateway\n\nOne binary in front of nine services.\n".to_owned();
    ContextItem { label: "docs/gateway.md".to_owned(), text }
}

#[test]
fn the_prompts_of_a_duel_of_three_rounds() {
    let debate = TestDebate::planned(3, |plan| plan.context.push(attached())).run();
    for (key, name) in [
        ("round-1/proposer", "opening"),
        ("round-1/challenger", "response"),
        ("round-2/proposer", "defence"),
        ("round-2/challenger", "follow_up"),
        ("round-3/summary", "summary"),
        ("round-3/proposer", "defence_with_summary"),
        ("round-3/challenger", "follow_up_with_summary"),
        ("verdict/judge/1", "verdict"),
    ] {
        insta::assert_snapshot!(name, debate.prompt(key).joined());
    }
    assert_eq!(debate.asked().len(), 8, "every prompt has its snapshot");
}

#[test]
fn prompts_stay_short() {
    let block = r#"{"position": "Replace it between services.", "claims": [
 {"text": "JSON encoding takes 41 % of the gateway's CPU time", "evidence": [{"file": "bench.md", "lines": "1", "quote": "41 %"}]},
 {"text": "Clients already generate their code", "evidence": [{"file": "clients/Makefile", "lines": "8"}]}]}"#;
    let room = 1_200 - texts::with_block("", block).len();
    let prose = "The profile of the gateway puts most of its time into encoding, and nobody says which. ".repeat(20);
    let answer = texts::with_block(&prose[..room], block);
    assert_eq!(answer.len(), 1_200);
    let debate = TestDebate::about(1, &[("bench.md", "encode 41 %\n")]);
    let debate = debate.says("round-1/proposer", answer.clone()).says("round-1/challenger", answer).run();
    let sizes: Vec<usize> = debate.prompts().map(|(_, prompt)| prompt.system.len() + prompt.user.len()).collect();
    assert_eq!(sizes.len(), 3);
    assert!(sizes.iter().sum::<usize>() <= 11_000, "{sizes:?}");
}

#[test]
fn the_prompt_for_a_summary_with_concessions() {
    let debate = TestDebate::duel(4).run();
    insta::assert_snapshot!("summary_with_concessions", debate.prompt("round-4/summary").joined());
}

#[test]
fn the_prompt_for_a_verdict_on_a_debate_that_broke_off_and_its_repair() {
    let debate = TestDebate::duel(2)
        .says("round-1/proposer", "Replace it: `bench/gateway.md:12-20` shows what JSON costs.")
        .fails("round-2/proposer", Cause::Timeout, "")
        .says("verdict/judge/1", texts::verdict_without_winner())
        .run();
    insta::assert_snapshot!("verdict_repair", debate.prompt("verdict/judge/1").joined());
}

#[test]
fn the_extract_in_place_of_a_summary() {
    let debate = TestDebate::duel(4).fails("round-4/summary", Cause::Stalled, "").run();
    insta::assert_snapshot!("defence_with_extract", debate.prompt("round-4/proposer").user);
}

#[test]
fn no_prompt_has_a_gap_of_two_lines_or_a_line_that_ends_in_white_space() {
    let debate = TestDebate::planned(5, |plan| plan.context.push(attached()))
        .says("verdict/judge/1", texts::verdict_without_winner() + "\n")
        .fails("round-5/summary", Cause::Empty, "")
        .run();
    for (key, prompt) in debate.prompts() {
        let text = prompt.joined();
        assert!(!text.contains("\n\n\n"), "{key}:\n{text}");
        assert!(text.lines().all(|line| line == line.trim_end()), "{key}:\n{text}");
        let pairs = text.lines().zip(text.lines().skip(1)).filter(|(line, _)| !line.starts_with("<<data "));
        let glued = pairs.into_iter().find(|(line, next)| next.starts_with('#') && !line.is_empty());
        assert_eq!(glued, None, "{key}: a heading without a blank line before it");
    }
}

fn replaced(name: &str, text: &str) -> TestDebate {
    let text = PromptOverride { origin: "/home/a/prompts/it.md".into(), from_project: false, text: text.into() };
    TestDebate::planned(1, |plan| {
        plan.prompts.insert(name.to_owned(), text);
    })
}

#[test]
fn a_prompt_of_the_person_replaces_the_built_in_one() {
    let debate = replaced("duel/opening.md", "# Your task\n\nArgue in verse.\n");
    assert_eq!(check(debate.debate().plan()), Ok(()));
    let debate = debate.run();
    assert!(debate.prompt("round-1/proposer").user.ends_with("\n\n# Your task\n\nArgue in verse."));
}

#[test]
fn a_prompt_that_cannot_be_rendered_is_found_before_the_first_call_and_ends_the_debate() {
    let debate = replaced("duel/opening.md", "Argue about {{ moon }}.");
    let error = check(debate.debate().plan()).expect_err("a variable that does not exist");
    assert_eq!((error.name.as_str(), error.origin.as_str()), ("duel/opening.md", "/home/a/prompts/it.md"));
    let debate = debate.run();
    assert_eq!(debate.status(), Status::Failed);
    assert_eq!(debate.asked(), [""; 0]);
    assert!(debate.lines()[0].starts_with("Debate failed: the prompt `duel/opening.md` (/home/a/prompts/it.md) can't"));
}
