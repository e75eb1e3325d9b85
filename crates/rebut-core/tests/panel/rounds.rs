//! When rounds end, what the audience asks, and what goes into a cue.

use serde_json::json;

use super::{contents, seq, told};
use crate::test_debate::panel::{GOOD, entry, panel, rebuttal, turn};

#[test]
fn the_rounds_end_at_the_most_where_nothing_ends_them_before() {
    let test = panel(2, |setup| (setup.min_rounds, setup.max_rounds) = (1, 3)).run();
    assert_eq!(contents(&test, "announcement").iter().filter(|text| text.starts_with("Round ")).count(), 3);
    assert!(test.asked().contains(&"round-1/chair/natural-end"));
    assert!(!test.asked().contains(&"round-3/chair/natural-end"), "after the last round nobody needs to be asked");
}

#[test]
fn the_time_budget_is_looked_at_between_rounds_and_never_before_the_least_number() {
    let test = panel(2, |setup| {
        (setup.min_rounds, setup.max_rounds, setup.time_budget_minutes) = (2, 6, 0);
    })
    .run();
    let announced = contents(&test, "announcement");
    assert!(
        announced.iter().any(|text| text.contains("after 2 of at most 6: the time budget of 0 minutes is used up")),
        "{announced:?}"
    );
    assert!(test.asked().contains(&"round-2/ben"), "a round that has begun is held to its end");
    assert!(!test.asked().contains(&"round-2/chair/natural-end"), "a budget that is gone needs no judgement");
    let again = told(test.debate());
    let resumed = rebut_core::formats::fold(test.events().to_vec()).expect("a journal");
    assert_eq!(told(&resumed), again, "the clock is not looked at twice");
}

#[test]
fn questions_of_the_audience_are_logged_and_relayed_once() {
    let asked = json!({"questions": [{"to": "ben", "question": "Who pays for it?"}]}).to_string();
    let test = panel(2, |_| ()).says("round-1/audience", asked.clone()).says("round-2/audience", asked).run();
    assert_eq!(contents(&test, "audience_question"), ["To ben: Who pays for it?"; 2]);
    let of = |key: &str| test.prompt(key).user.matches("Who pays for it?").count();
    assert_eq!((of("round-2/anna"), of("round-2/ben"), of("closing/ben")), (0, 1, 1));
}

#[test]
fn a_new_framework_is_told_once_to_those_who_come_after_it() {
    let mut point = entry("new_point", "Review is insurance. It pays late.", GOOD);
    point["frameworks"] = json!([{"name": "Insurance model", "description": "Review is a premium against rare faults."}]);
    let test =
        panel(3, |_| ()).says("round-1/anna", turn(std::slice::from_ref(&point))).says("round-2/ben", turn(&[point])).run();
    let told = |key: &str| test.prompt(key).user.contains("frameworks new in this round");
    assert!(told("round-1/ben") && told("round-1/carla"));
    assert!(!told("round-1/anna") && !told("round-2/carla"), "in round 2 it is known");
    let at = seq(&test, "anna", "new_point");
    assert!(test.prompt("round-1/ben").user.contains(&format!("seq {at}, anna: Insurance model: Review is a premium")));
}

#[test]
fn an_opening_cue_lists_earlier_openers_with_their_seqs() {
    let test = panel(3, |_| ()).run();
    assert!(!test.prompt("opening/anna").user.contains("opening_statement>>"));
    let cue = &test.prompt("opening/carla").user;
    assert!(cue.contains("seq 2, anna, opening_statement") && cue.contains("seq 3, ben, opening_statement"), "{cue}");
}

#[test]
fn unresolved_points_are_announced_and_stand_in_every_closing_cue() {
    let test = panel(3, |_| ()).run();
    let announced = contents(&test, "announcement");
    let point = "1. Who answers for a fault is open. (seq ";
    assert!(announced.iter().any(|text| text.contains(point)), "{announced:?}");
    for name in ["anna", "ben", "carla"] {
        assert!(test.prompt(&format!("closing/{name}")).user.contains(point));
    }
    assert!(test.prompt("closing/anna").user.contains("closing_statement>>"));
    assert!(!test.prompt("closing/carla").user.contains("closing_statement>>"));
}

#[test]
fn where_the_chair_cannot_word_what_is_open_the_entries_speak_for_themselves() {
    let test = panel(2, |_| ()).fails("chair/unresolved", rebut_core::debate::Cause::Timeout, "").run();
    let announced = contents(&test, "announcement");
    assert!(announced.iter().any(|text| text.contains("these points are unresolved:\n1. By the word of")), "{announced:?}");
}

#[test]
fn what_is_contested_without_a_decisive_counter_is_unresolved_too() {
    // Ben answers anna's opening by a page that nobody could read, and carla answers it by a file.
    let weak = rebuttal("It does not. Look at it.", 2, "https://example.com/wall");
    let unread = panel(2, |_| ()).says("round-1/ben", turn(std::slice::from_ref(&weak))).run();
    let asked = &unread.prompt("chair/unresolved").user;
    assert!(asked.contains("seq 2, anna: contested by seq 10"), "{asked}");
    let strong = rebuttal("It does not. Look at it.", 2, "docs/review.md:3");
    let read = panel(2, |_| ())
        .says("round-1/ben", turn(&[strong]))
        .says("round-2/anna", turn(&[entry("new_point", "It pays. Still.", GOOD)]))
        .run();
    let asked = &read.prompt("chair/unresolved").user;
    assert!(!asked.contains("seq 2, anna: ") && asked.contains("seq 10, ben: unanswered"), "{asked}");
}

#[test]
fn rules_that_can_be_checked_become_rulings() {
    let six: Vec<_> = (0..6).map(|n| json!({"url": format!("https://example.com/{n}"), "title": "t"})).collect();
    let mut crowded = entry("new_point", "Many say so. All of them.", GOOD);
    crowded["sources"] = json!(six);
    let bare = json!({"type": "new_point", "content": "It is so.", "in_one_sentence": "It is so."});
    let mut closing = entry("closing_statement", "It saves 73 % of the time.", "docs/review.md:3");
    closing["figures"] = json!([{"value": "73 %", "source": 1}]);
    let unsourced = json!({"type": "rebuttal", "content": "No.", "in_one_sentence": "No.", "rebuttal_to_seq": 3});
    let test = panel(2, |_| ())
        .says("round-1/anna", turn(&[crowded, bare, unsourced]))
        .says("closing/anna", turn(&[closing]))
        .run();
    let rulings = contents(&test, "ruling");
    assert!(rulings[0].contains("only the first 5 of 6 do"), "{rulings:?}");
    assert!(rulings[1].contains("a rebuttal needs a source"), "{rulings:?}");
    assert!(rulings[2].contains("a closing can't list a new figure: 73 %"), "{rulings:?}");
    assert!(contents(&test, "new_point").contains(&"[CONJECTURE] It is so.".to_owned()), "the engine marks it");
    assert!(contents(&test, "rebuttal").contains(&"[CONJECTURE] No.".to_owned()));
}
