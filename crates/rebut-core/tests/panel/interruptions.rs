//! Challenges and questions in the middle of a turn.

use serde_json::json;

use super::{contents, seq, told};
use crate::test_debate::panel::{GONE, GOOD, OTHER, challenge, entry, panel, result, schema_of, turn};

/// The point of anna in round 1 that rests on this page.
fn point(url: &str) -> String {
    turn(&[entry("new_point", "Most teams that tried it went back within months. It did not pay.", url)])
}

#[test]
fn a_challenge_that_holds_redacts_and_penalises_and_the_same_debater_goes_on() {
    let test = panel(2, |_| ())
        .says("round-1/anna", point(GONE))
        .says("round-1/ben", turn(&[challenge(8, "went back within months")]))
        .says("round-1/ben/2", turn(&[entry("new_point", "Review also teaches. That counts.", GOOD)]))
        .run();
    insta::assert_snapshot!("a_challenge_that_holds", told(test.debate())[7..17].join("\n"));
    assert!(
        contents(&test, "ruling")[0].starts_with("Ruling on seq 8: the challenge of ben holds, the source is fabricated")
    );
    assert!(contents(&test, "redaction")[0].starts_with("REDACTED: seq 8 (anna)."));
    let cue = &test.prompt("round-1/ben/2").user;
    assert!(cue.contains("the ruling on what you raised") && cue.contains("the challenge of ben holds"), "{cue}");
    assert!(!schema_of(&test, "round-1/ben/2").contains("source_challenge"), "a second one in a turn is not offered");
    assert!(test.prompt("chair/judgement/1").user.contains("penalties 1"));
}

#[test]
fn an_urgent_result_is_logged_at_once_and_not_again_at_the_rounds_end() {
    let test = panel(2, |_| ())
        .says("round-1/anna", point(OTHER))
        .says("round-1/ben", turn(&[challenge(8, "went back within months")]))
        .run();
    let log = told(test.debate());
    assert_eq!(log.iter().filter(|line| line.contains("verification_result about 8")).count(), 1, "{log:#?}");
    assert!(log[10].contains("verifier verification_result about 8"), "{log:#?}");
    assert!(contents(&test, "ruling")[0].contains("the source is unreliable"), "{:?}", contents(&test, "ruling"));
    assert!(contents(&test, "ruling")[0].contains("must withdraw or replace it"));
    let warned = contents(&test, "ruling").iter().filter(|text| text.contains("anna is warned")).count();
    assert_eq!(warned, 1, "what was ruled on is not ruled on again at the next round");
    let last = contents(&test, "ruling").remove(1);
    assert_eq!(last, "Ruling on seq 8: anna was warned and has not corrected it.");
    let cue = &test.prompt("round-2/anna").user;
    assert!(cue.contains("findings and rulings on your entries") && cue.contains(OTHER), "{cue}");
}

#[test]
fn a_challenge_of_a_verified_source_is_dismissed_and_of_an_unread_one_left_open() {
    for (url, words) in [(GOOD, "is dismissed, the source is verified"), ("https://example.com/wall", "can't be decided")] {
        let test = panel(2, |_| ())
            .says("round-1/anna", point(url))
            .says("round-1/ben", turn(&[challenge(8, "went back within months")]))
            .run();
        assert!(contents(&test, "ruling")[0].contains(words), "{:?}", contents(&test, "ruling"));
        assert_eq!(contents(&test, "redaction"), Vec::<String>::new());
    }
}

#[test]
fn a_dismissal_closes_an_entry_for_its_challenger_alone() {
    let again = || turn(&[challenge(10, "went back within months")]);
    let test = panel(3, |_| ())
        .says("round-1/anna", point(GOOD))
        .says("round-1/ben", again())
        .says("round-1/carla", again())
        .says("round-2/ben", again())
        .run();
    let rulings = contents(&test, "ruling");
    assert!(rulings[0].contains("the challenge of ben is dismissed"), "{rulings:?}");
    assert!(rulings[1].contains("the challenge of carla is dismissed"), "{rulings:?}");
    assert_eq!(test.rejections("round-2/ben"), ["turn:reference"]);
}

#[test]
fn a_challenge_that_nobody_could_decide_closes_nothing() {
    let again = || turn(&[challenge(8, "went back within months")]);
    let held = json!({"results": [result(8, GOOD, "unreliable", "The page says nothing of months.")]}).to_string();
    let lost = rebut_core::debate::Cause::Timeout;
    let test = panel(2, |_| ())
        .says("round-1/anna", point(GOOD))
        .says("round-1/ben", again())
        .fails("round-1/ben/challenge", lost, "")
        .fails("round-1/ben/challenge/again", lost, "")
        .says("round-2/ben", again())
        .says("round-2/ben/challenge", held)
        .run();
    let rulings = contents(&test, "ruling");
    assert!(rulings[0].contains("the challenge of ben can't be decided"), "{rulings:?}");
    assert!(rulings[1].contains("the challenge of ben holds, the source is unreliable"), "{rulings:?}");
}

#[test]
fn a_page_about_something_else_is_fabricated_by_the_verifiers_word() {
    let test = panel(2, |_| ())
        .says("round-1/anna", point(GOOD))
        .says(
            "round-1/anna/verification",
            json!({"results": [result(8, GOOD, "fabricated", "It is about gardens.")]}).to_string(),
        )
        .says("round-1/ben", turn(&[challenge(8, "went back within months")]))
        .run();
    assert!(contents(&test, "redaction")[0].contains("It is about gardens"), "{:?}", contents(&test, "redaction"));
}

#[test]
fn a_request_for_clarification_is_answered_as_a_ruling_and_the_turn_goes_on() {
    let ask = json!({"type": "clarification_request", "content": "Does it cover tests?", "in_one_sentence": "Tests too?"});
    let test = panel(2, |_| ()).says("round-1/anna", turn(std::slice::from_ref(&ask))).run();
    let at = seq(&test, "anna", "clarification_request");
    let rulings = contents(&test, "ruling");
    assert_eq!(rulings, [format!("Ruling on seq {at}: The topic is review of code before it is merged.")]);
    assert!(test.asked().contains(&"round-1/anna/2"));
    let silent = panel(2, |_| ())
        .says("round-1/anna", turn(&[ask]))
        .fails("round-1/anna/clarification", rebut_core::debate::Cause::Timeout, "")
        .run();
    assert!(contents(&silent, "ruling")[0].contains("the chair gave no answer"));
}

#[test]
fn one_challenge_and_one_question_a_turn_are_all() {
    let ask = json!({"type": "clarification_request", "content": "Does it cover tests?", "in_one_sentence": "Tests too?"});
    let test = panel(2, |_| ())
        .says("round-1/ben", turn(&[challenge(2, "review pays")]))
        .says("round-1/ben/2", turn(std::slice::from_ref(&ask)))
        .says("round-1/ben/3", turn(&[challenge(2, "review pays")]))
        .run();
    assert_eq!(test.rejections("round-1/ben/3"), ["turn:type"]);
    assert!(test.asked().contains(&"round-1/ben/3"));
    assert!(!test.asked().contains(&"round-1/ben/4"));
    let schema = schema_of(&test, "round-1/ben/3");
    assert!(!schema.contains("source_challenge") && !schema.contains("clarification_request"), "{schema}");
}

#[test]
fn the_verifier_judges_a_challenge_by_its_words_its_claim_and_the_text_of_the_source() {
    let held = json!({"results": [result(8, GOOD, "unreliable", "The page says nothing of months.")]}).to_string();
    let test = panel(2, |_| ())
        .says("round-1/anna", point(GOOD))
        .says("round-1/ben", turn(&[challenge(8, "went back within months.")]))
        .says("round-1/ben/challenge", held)
        .run();
    let asked = &test.prompt("round-1/ben/challenge").user;
    for words in
        ["The source of seq 8 does not show it.", "The claim that fails: went back within months.", "The text of the page."]
    {
        assert!(asked.contains(words), "{words}: {asked}");
    }
    assert!(contents(&test, "ruling")[0].contains("the challenge of ben holds, the source is unreliable"));
    let record = rebut_core::formats::panel::record(test.debate()).expect("a panel");
    assert_eq!(record.results_of(8).map(|result| result.status.as_str()).collect::<Vec<_>>(), ["unreliable"]);
    let log = test.debate().format().log(test.debate()).expect("a log");
    assert_eq!(rebut_core::formats::panel::check_log(&log), []);
}

#[test]
fn what_was_ruled_on_or_corrected_cannot_be_challenged_again() {
    let mut mended = entry("new_point", "The review file says it better. It does.", "docs/review.md:3");
    mended["corrects_seq"] = json!(2);
    let corrected = panel(2, |_| ())
        .says("round-1/anna", turn(&[mended]))
        .says("round-1/ben", turn(&[challenge(2, "review pays")]))
        .run();
    assert_eq!(corrected.rejections("round-1/ben"), ["turn:reference"]);
    let warned = panel(2, |_| ())
        .says("round-1/anna", point(OTHER))
        .says("round-1/ben", turn(&[challenge(8, "went back within months")]))
        .says("round-2/ben", turn(&[challenge(8, "It did not pay.")]))
        .run();
    assert!(contents(&warned, "ruling")[0].contains("anna is warned"), "{:?}", contents(&warned, "ruling"));
    assert_eq!(warned.rejections("round-2/ben"), ["turn:reference"]);
}

#[test]
fn the_verifier_reads_the_cited_lines_of_a_file_with_those_around_them() {
    let test = panel(2, |_| ())
        .says("round-1/anna", turn(&[entry("new_point", "Review finds most faults. It is counted.", "docs/review.md:3")]))
        .run();
    let asked = &test.prompt("round-1/anna/verification").user;
    assert!(asked.contains("2: two\n3: Review found 41 of 60 faults."), "{asked}");
}

#[test]
fn a_challenge_that_nobody_judges_cannot_be_decided_and_what_was_found_stands() {
    let lost = |key: &str| (key.to_owned(), rebut_core::debate::Cause::Timeout);
    let mut test = panel(2, |_| ())
        .says("round-1/anna", point(GOOD))
        .says("round-1/ben", turn(&[challenge(8, "went back within months")]));
    for (key, cause) in [lost("round-1/ben/challenge"), lost("round-1/ben/challenge/again")] {
        test = test.fails(&key, cause, "");
    }
    let test = test.run();
    assert!(contents(&test, "ruling")[0].contains("can't be decided"), "{:?}", contents(&test, "ruling"));
    let record = rebut_core::formats::panel::record(test.debate()).expect("a panel");
    assert_eq!(record.results_of(8).map(|result| result.status.as_str()).collect::<Vec<_>>(), ["verified"]);
}

#[test]
fn a_challenge_names_a_claim_of_the_entry_and_none_of_the_challengers_making() {
    let straw = turn(&[challenge(8, "Review makes all programs free of faults.")]);
    let test = panel(2, |_| ()).says("round-1/anna", point(GOOD)).says("round-1/ben", straw).run();
    assert_eq!(test.rejections("round-1/ben"), ["turn:claim"]);
    let asked = &test.prompt("round-1/ben").user;
    assert!(asked.contains("claim must be copied from seq 8"), "{asked}");
    assert_eq!(contents(&test, "ruling"), Vec::<String>::new());
}
