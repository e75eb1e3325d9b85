//! Seats that fail: the debate goes on without a turn, without a debater, without an audience.

use rebut_core::debate::{Amendment, Budget, Cause, Status};
use rebut_core::formats::panel::{check_log, record};
use rebut_core::report;

use super::{contents, told};
use crate::test_debate::panel::{GOOD, entry, of, panel, turn};
use crate::{Reply, TestDebate};

fn silent(test: TestDebate, key: &str) -> TestDebate {
    test.fails(key, Cause::Timeout, "").fails(&format!("{key}/again"), Cause::Empty, "")
}

#[test]
fn a_debater_that_fails_is_asked_again() {
    let test = panel(2, |_| ()).fails("round-1/anna", Cause::Timeout, "").run();
    assert_eq!(test.status(), Status::Completed);
    assert!(test.asked().contains(&"round-1/anna/again"));
    assert_eq!(contents(&test, "ruling"), Vec::<String>::new());
}

#[test]
fn an_answer_that_breaks_the_form_twice_had_its_second_chance() {
    let test = panel(3, |_| ()).says("round-1/ben", "no json").says("round-1/ben", "no json again").run();
    assert_eq!(test.rejections("round-1/ben").len(), 2);
    assert!(!test.asked().contains(&"round-1/ben/again"));
    assert!(contents(&test, "ruling")[0].contains("returned an invalid answer twice"));
}

#[test]
fn a_debater_failing_twice_in_a_row_leaves_the_panel() {
    let test = silent(silent(panel(3, |_| ()), "round-1/ben"), "round-2/ben").run();
    let rulings = contents(&test, "ruling");
    assert_eq!(rulings[2], "Ruling: ben has failed 2 times in a row and leaves the panel.");
    assert!(!test.asked().contains(&"closing/ben"));
    assert_eq!(test.lines(), ["ben left the panel after failing twice in a row."]);
    let outcomes = record(test.debate()).expect("a panel").outcomes();
    assert_eq!(outcomes, ["anna_wins", "carla_wins", "draw", "void"]);
    let files = report::files(test.debate(), "");
    assert_eq!(check_log(&files.iter().find(|(name, _)| name == "debate-log.jsonl").expect("the log").1), []);
}

#[test]
fn with_fewer_than_two_debaters_the_rounds_end() {
    let test = silent(silent(panel(2, |setup| setup.max_rounds = 5), "round-1/ben"), "round-2/ben").run();
    assert!(contents(&test, "announcement").iter().any(|text| text.contains("fewer than two debaters are left")));
    assert!(!test.asked().contains(&"round-3/anna"));
    assert_eq!(test.status(), Status::Partial);
}

#[test]
fn a_chair_that_words_no_open_point_leaves_the_debaters_sentence_which_is_no_heading() {
    let mut headed = entry("new_point", "# Review pays. It does.", GOOD);
    headed["in_one_sentence"] = serde_json::json!("## Review pays.");
    let test = silent(panel(2, |_| ()).says("round-2/ben", turn(&[headed])), "chair/unresolved").run();
    let announced = contents(&test, "announcement");
    let points = announced.iter().find(|text| text.starts_with("Before the closings")).expect("open points");
    assert!(points.lines().any(|line| line.contains(". Review pays. (seq ")), "{points}");
}

#[test]
fn a_panel_in_which_nobody_speaks_has_failed() {
    let all = ["opening/anna", "opening/ben", "round-1/anna", "round-1/ben"];
    let test = all.into_iter().fold(panel(2, |_| ()), silent).run();
    assert_eq!(test.status(), Status::Failed);
    assert!(test.lines()[0].starts_with("Debate failed: no argument is left"));
}

#[test]
fn an_audience_that_does_not_answer_has_no_questions_and_is_waited_for_two_minutes() {
    let test = panel(2, |_| ()).on("round-1/audience", Reply::Hangs).run();
    assert_eq!(contents(&test, "audience_question"), Vec::<String>::new());
    assert_eq!(test.status(), Status::Completed);
    assert_eq!(test.limit("round-1/audience"), 120_000);
}

#[test]
fn a_verifier_that_fails_is_asked_once_more_and_then_the_source_is_unchecked() {
    let test = panel(2, |_| ())
        .fails("opening/anna/verification", Cause::Timeout, "")
        .fails("opening/anna/verification/again", Cause::Timeout, "")
        .run();
    let results = contents(&test, "verification_result");
    assert!(
        results[0].contains("\"status\":\"unchecked\"") && results[0].contains("the verifier gave no answer"),
        "{results:?}"
    );
    assert_eq!(test.asked().iter().filter(|key| key.starts_with("opening/anna/verification")).count(), 2);
}

#[test]
fn a_page_that_nobody_could_read_is_never_given_to_the_verifier() {
    let test = panel(2, |_| ())
        .says("opening/anna", turn(&[entry("opening_statement", "Keep it.", "https://example.com/wall")]))
        .run();
    assert!(!test.asked().contains(&"opening/anna/verification"));
    assert!(contents(&test, "verification_result")[0].contains("unchecked"));
}

#[test]
fn a_document_that_fails_is_named_and_can_be_had_by_resuming() {
    let test = silent(panel(2, |_| ()), "round-1/ben").fails("reporter/summary", Cause::Timeout, "").run();
    assert_eq!(test.status(), Status::Partial);
    assert!(test.lines()[0].starts_with("The reporter's part of the summary is missing"), "{:?}", test.lines());
    let before = told(test.debate());
    let test = test.resume(Amendment::default());
    assert_eq!(
        (test.status(), told(test.debate())),
        (Status::Completed, before),
        "a turn that was ruled on is not taken up"
    );
}

#[test]
fn a_hard_budget_that_is_used_up_leads_to_the_judgement() {
    let mut plan = panel(2, |_| ()).debate().plan().clone();
    plan.budget = Budget { max_tokens: Some(20_000), ..Budget::default() };
    let test = of(plan).run();
    assert_eq!(test.status(), Status::Partial);
    assert!(contents(&test, "ruling").iter().any(|text| text.contains("the token budget is used up")));
    assert!(test.asked().contains(&"chair/judgement/1"));
    assert!(!test.asked().contains(&"closing/anna"));
}
