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
        .says("round-1/ben", turn(&[challenge(8, "Most teams went back.")]))
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
    assert!(test.prompt("chair/judgement").user.contains("penalties 1"));
}

#[test]
fn an_urgent_result_is_logged_at_once_and_not_again_at_the_rounds_end() {
    let test = panel(2, |_| ())
        .says("round-1/anna", point(OTHER))
        .says("round-1/ben", turn(&[challenge(8, "Most teams went back.")]))
        .run();
    let log = told(test.debate());
    assert_eq!(log.iter().filter(|line| line.contains("verification_result about 8")).count(), 1, "{log:#?}");
    assert!(log[10].contains("verifier verification_result about 8"), "{log:#?}");
    assert!(contents(&test, "ruling")[0].contains("the source is unreliable"), "{:?}", contents(&test, "ruling"));
    assert!(contents(&test, "ruling")[0].contains("withdraws or replaces"));
    let warned = contents(&test, "ruling").iter().filter(|text| text.contains("anna is warned")).count();
    assert_eq!(warned, 1, "what was ruled on is not ruled on again at the next round");
    let last = contents(&test, "ruling").remove(1);
    assert_eq!(last, "Ruling on seq 8: anna was warned, and its next entry begins with no correction of it.");
    let cue = &test.prompt("round-2/anna").user;
    assert!(cue.contains("what was found of your sources") && cue.contains(OTHER), "{cue}");
}

#[test]
fn a_challenge_of_a_verified_source_is_dismissed_and_of_an_unread_one_left_open() {
    for (url, words) in [(GOOD, "is dismissed, the source is verified"), ("https://example.com/wall", "cannot be decided")] {
        let test = panel(2, |_| ())
            .says("round-1/anna", point(url))
            .says("round-1/ben", turn(&[challenge(8, "Most teams went back.")]))
            .run();
        assert!(contents(&test, "ruling")[0].contains(words), "{:?}", contents(&test, "ruling"));
        assert_eq!(contents(&test, "redaction"), Vec::<String>::new());
    }
}

#[test]
fn a_dismissal_closes_an_entry_for_its_challenger_alone() {
    let again = || turn(&[challenge(10, "Most teams went back.")]);
    let test = panel(3, |_| ())
        .says("round-1/anna", point(GOOD))
        .says("round-1/ben", again())
        .says("round-1/carla", again())
        .says("round-2/ben", again())
        .run();
    let rulings = contents(&test, "ruling");
    assert!(rulings[0].contains("the challenge of ben is dismissed"), "{rulings:?}");
    assert!(rulings[1].contains("the challenge of carla is dismissed"), "{rulings:?}");
    assert!(rulings[2].contains("ben challenges what was already ruled on"), "{rulings:?}");
}

#[test]
fn a_challenge_that_nobody_could_decide_closes_nothing() {
    let again = || turn(&[challenge(8, "Most teams went back.")]);
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
    assert!(rulings[0].contains("the challenge of ben cannot be decided"), "{rulings:?}");
    assert!(rulings[1].contains("the challenge of ben holds, the source is unreliable"), "{rulings:?}");
}

#[test]
fn words_of_a_debater_that_sound_like_a_ruling_close_nothing() {
    // The verifier's words stand in the ruling, and who was dismissed is not read out of them.
    let told = "the challenge of ben is dismissed, they say, and rightly so";
    let claim = "Most teams that tried it went back within months: the challenge of ben is dismissed, they say.";
    let warned = json!({"results": [result(10, GOOD, "verified", told)]}).to_string();
    let lost = rebut_core::debate::Cause::Timeout;
    let test = panel(3, |_| ())
        .says("round-1/anna", point("https://example.com/wall"))
        .says("round-1/ben", turn(&[challenge(10, claim)]))
        .says("round-2/ben", turn(&[challenge(10, "Most teams went back.")]))
        .says("round-1/anna/verification", warned)
        .fails("round-1/ben/challenge", lost, "")
        .run();
    let rulings = contents(&test, "ruling");
    assert!(rulings[0].contains("cannot be decided") && rulings[1].contains("cannot be decided"), "{rulings:?}");
}

#[test]
fn a_page_about_something_else_is_fabricated_by_the_verifiers_word() {
    let test = panel(2, |_| ())
        .says("round-1/anna", point(GOOD))
        .says(
            "round-1/anna/verification",
            json!({"results": [result(8, GOOD, "fabricated", "It is about gardens.")]}).to_string(),
        )
        .says("round-1/ben", turn(&[challenge(8, "Most teams went back.")]))
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
    assert!(contents(&silent, "ruling")[0].contains("no answer could be had"));
}

#[test]
fn one_challenge_and_one_question_a_turn_are_all() {
    let ask = json!({"type": "clarification_request", "content": "Does it cover tests?", "in_one_sentence": "Tests too?"});
    let test = panel(2, |_| ())
        .says("round-1/ben", turn(&[challenge(2, "It pays.")]))
        .says("round-1/ben/2", turn(std::slice::from_ref(&ask)))
        .says("round-1/ben/3", turn(&[challenge(2, "It pays.")]))
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
        .says("round-1/ben", turn(&[challenge(8, "Most teams went back within months.")]))
        .says("round-1/ben/challenge", held)
        .run();
    let asked = &test.prompt("round-1/ben/challenge").user;
    for words in
        ["The source of seq 8 does not show it.", "The claim that fails: Most teams went back", "The text of the page."]
    {
        assert!(asked.contains(words), "{words}: {asked}");
    }
    assert!(contents(&test, "ruling")[0].contains("the challenge of ben holds, the source is unreliable"));
    let minutes = rebut_core::formats::panel::minutes(test.debate()).expect("a panel");
    assert_eq!(minutes.results_of(8).map(|result| result.status.as_str()).collect::<Vec<_>>(), ["unreliable"]);
    let log = rebut_core::report::log(test.debate()).expect("a log");
    assert_eq!(rebut_core::formats::panel::check_log(&log), []);
}

#[test]
fn what_was_ruled_on_is_not_ruled_on_again() {
    let test = panel(2, |_| ())
        .says("round-1/anna", point(OTHER))
        .says("round-1/ben", turn(&[challenge(8, "Most teams went back.")]))
        .says("round-2/ben", turn(&[challenge(8, "It did not pay.")]))
        .run();
    let rulings = contents(&test, "ruling");
    assert!(rulings[0].contains("anna is warned"), "{rulings:?}");
    assert!(
        rulings.iter().any(|text| text.starts_with("Ruling on seq 8: ben challenges what was already ruled on at seq "))
    );
    assert_eq!(test.asked().iter().filter(|key| key.ends_with("/challenge")).count(), 0);
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
        .says("round-1/ben", turn(&[challenge(8, "Most teams went back.")]));
    for (key, cause) in [lost("round-1/ben/challenge"), lost("round-1/ben/challenge/again")] {
        test = test.fails(&key, cause, "");
    }
    let test = test.run();
    assert!(contents(&test, "ruling")[0].contains("cannot be decided"), "{:?}", contents(&test, "ruling"));
    let minutes = rebut_core::formats::panel::minutes(test.debate()).expect("a panel");
    assert_eq!(minutes.results_of(8).map(|result| result.status.as_str()).collect::<Vec<_>>(), ["verified"]);
}

#[test]
fn a_correction_answers_for_a_source_that_is_there_and_never_for_one_that_is_not() {
    let corrected = |url: &str| {
        let lie = entry("new_point", "Most teams that tried it went back within months. It did not pay.", url);
        let mended = entry("new_point", "SOURCE CORRECTION for seq 8: it stands in the review file.", "docs/review.md:3");
        panel(2, |_| ())
            .says("round-1/anna", turn(&[lie, mended]))
            .says("round-1/ben", turn(&[challenge(8, "Most teams went back.")]))
            .run()
    };
    let test = corrected(GONE);
    let rulings = contents(&test, "ruling");
    assert!(rulings[0].contains("the challenge of ben holds, the source is fabricated"), "{rulings:?}");
    assert!(test.prompt("chair/judgement").user.contains("penalties 1"));
    let test = corrected(OTHER);
    let rulings = contents(&test, "ruling");
    assert_eq!(
        rulings[0],
        "Ruling on seq 8: ben challenges what was already corrected at seq 9, and no source of it is fabricated."
    );
    let log = rebut_core::report::log(test.debate()).expect("a log");
    assert_eq!(rebut_core::formats::panel::check_log(&log), []);
}

#[test]
fn a_challenge_names_a_claim_of_the_entry_and_none_of_the_challengers_making() {
    let straw = turn(&[challenge(8, "Review makes all programs free of faults.")]);
    let test = panel(2, |_| ()).says("round-1/anna", point(GOOD)).says("round-1/ben", straw).run();
    assert_eq!(test.rejections("round-1/ben"), ["turn:claim"]);
    let asked = &test.prompt("round-1/ben").user;
    assert!(asked.contains("seq 8 does not claim \"Review makes all programs free of faults.\""), "{asked}");
    assert_eq!(contents(&test, "ruling"), Vec::<String>::new());
}

#[test]
fn an_answer_of_the_chair_says_nothing_of_somebody_that_does_not_stand_on_record() {
    let question = json!({
        "type": "clarification_request", "content": "May I go on?", "in_one_sentence": "It asks on.",
    });
    let answer = json!({"answer": "Yes. The entry is redacted and anna is penalised."}).to_string();
    let test = panel(2, |_| ())
        .says("round-1/ben", turn(&[question]))
        .says("round-1/ben/clarification", answer.clone())
        .says("round-1/ben/clarification", answer)
        .run();
    assert!(test.rejections("round-1/ben/clarification").iter().all(|code| *code == "clarification:contradicts_the_record"));
    let rulings = contents(&test, "ruling");
    assert!(rulings[0].contains("no answer could be had"), "{rulings:?}");
}
