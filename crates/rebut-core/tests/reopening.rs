//! Debates that were stopped, cut off or at their end, and are taken up again.

use std::collections::BTreeMap;

use rebut_core::debate::{Amendment, Cause, Happening, SeatName, Status};
use rebut_core::formats::duel::{self, Bout, Leg, Role, judge_seat};
use rebut_core::formats::fold;
use rebut_core::report;

use crate::test_debate::{seat, texts};
use crate::{Cut, TestDebate};

fn asked_since_resumed(debate: &TestDebate) -> Vec<&str> {
    let resumed = debate.events().iter().rposition(|event| matches!(event.happening, Happening::Resumed { .. }));
    let since = &debate.events()[resumed.expect("a debate that was resumed")..];
    let keys = since.iter().filter_map(|event| match &event.happening {
        Happening::Started { key, .. } => Some(key.as_str()),
        _ => None,
    });
    keys.collect()
}

#[test]
fn a_debate_that_ended_partial_retries_the_failed_call_and_is_judged_anew() {
    let debate = TestDebate::duel(2).fails("round-2/challenger", Cause::Unavailable, "").run();
    assert_eq!(debate.status(), Status::Partial);
    let debate = debate.resume(Amendment::default());
    assert_eq!(asked_since_resumed(&debate), ["round-2/challenger", "verdict/2/judge/1"]);
    assert_eq!(debate.status(), Status::Completed);
    assert_eq!(debate.outcome().verdict, Some(texts::verdict_key(2)));
    assert_eq!(debate.debate().sitting(), 2);
}

#[test]
fn an_uncontested_debate_can_still_be_contested() {
    let debate = TestDebate::duel(1).fails("round-1/challenger", Cause::Auth, "").run().resume(Amendment::default());
    assert_eq!(asked_since_resumed(&debate), ["round-1/challenger", "verdict/2/judge/1"]);
    assert_eq!(debate.status(), Status::Completed);
}

#[test]
fn an_aborted_debate_begins_with_its_opening_again() {
    let debate = TestDebate::duel(1).fails("round-1/proposer", Cause::NotInstalled, "").run().resume(Amendment::default());
    assert_eq!(asked_since_resumed(&debate), ["round-1/proposer", "round-1/challenger", "verdict/2/judge/1"]);
}

#[test]
fn another_judge_decides_a_debate_whose_judge_failed() {
    let debate = TestDebate::duel(1).says("verdict/judge/1", "Hm.").says("verdict/judge/1", "Hm!").run();
    let seats = BTreeMap::from([(judge_seat(1), seat("dogwood"))]);
    let debate = debate.resume(Amendment { seats, ..Amendment::default() });
    assert_eq!(asked_since_resumed(&debate), ["verdict/2/judge/1"]);
    assert_eq!(debate.status(), Status::Completed);
    let judge = debate.debate().plan().seat(&SeatName::new("judge")).expect("a judge");
    assert_eq!(judge.spec(), "dogwood:dogwood-large");
    let prompt = &debate.prompt("verdict/2/judge/1").user;
    assert!(!prompt.contains("not accepted"), "what the judge before said is no concern of the new one");
}

#[test]
fn the_line_on_a_judge_that_failed_names_the_new_judge() {
    let debate =
        TestDebate::duel(1).fails("verdict/judge/1", Cause::Exit, "").fails("verdict/2/judge/1", Cause::Exit, "").run();
    let seats = BTreeMap::from([(judge_seat(1), seat("dogwood"))]);
    let debate = debate.resume(Amendment { seats, ..Amendment::default() });
    assert_eq!(debate.status(), Status::Partial);
    assert_eq!(debate.lines()[0], "No verdict: the judge (dogwood) failed with an error.");
}

#[test]
fn a_judge_is_not_told_with_the_model_of_the_one_before() {
    let debate =
        TestDebate::duel(3).fails("verdict/judge/1", Cause::Timeout, "").fails("verdict/2/judge/1", Cause::Exit, "").run();
    assert!(report::document(debate.debate()).contains("- Judge: cedar (judge-7)\n"), "it has summed up");
    let seats = BTreeMap::from([(judge_seat(1), seat("dogwood"))]);
    let debate = debate.resume(Amendment { seats, ..Amendment::default() });
    let document = report::document(debate.debate());
    assert!(document.contains("- Judge: dogwood (no answer yet)\n"), "{document}");
    assert_eq!(report::state(debate.debate())["rebut"]["judge"]["model"], serde_json::Value::Null);
    let debate = debate.resume(Amendment { timeout_ms: Some(300_000), ..Amendment::default() });
    assert!(report::document(debate.debate()).contains("- Judge: dogwood (judge-7)\n"));
}

#[test]
fn a_verdict_is_kept_when_judging_again_fails() {
    let debate = TestDebate::duel(1).fails("verdict/2/judge/1", Cause::Exit, "").run();
    let seats = BTreeMap::from([(judge_seat(1), seat("dogwood"))]);
    let debate = debate.resume(Amendment { seats, ..Amendment::default() });
    assert_eq!(debate.status(), Status::Partial);
    assert_eq!(debate.outcome().verdict, Some(texts::verdict_key(1)));
    assert!(duel::verdict(debate.debate()).is_some());
    let lines = ["The judge (dogwood) did not vote: it failed with an error.", "The verdict rests on the earlier ballots."];
    assert_eq!(debate.lines(), lines);
}

#[test]
fn a_round_that_fails_again_buys_no_ballots_on_the_same_statements() {
    let more = || Amendment { rounds: Some(2), ..Amendment::default() };
    let debate = TestDebate::duel(1).fails("round-2/challenger", Cause::Exit, "").run().resume(more());
    assert_eq!(asked_since_resumed(&debate), ["round-2/proposer", "round-2/challenger"]);
    assert_eq!((debate.status(), debate.outcome().verdict.clone()), (Status::Partial, Some(texts::verdict_key(1))));
    let debate = debate.resume(more());
    assert_eq!(asked_since_resumed(&debate), ["round-2/challenger", "verdict/3/judge/1"]);
}

#[test]
fn a_completed_debate_goes_on_with_more_rounds() {
    let debate = TestDebate::duel(1).run().resume(Amendment { rounds: Some(3), ..Amendment::default() });
    assert_eq!(
        asked_since_resumed(&debate),
        [
            "round-2/proposer",
            "round-3/summary",
            "round-2/challenger",
            "round-3/proposer",
            "round-3/challenger",
            "verdict/2/judge/1"
        ]
    );
    assert_eq!(debate.status(), Status::Completed);
    assert_eq!(Bout::first(debate.debate()).completed_rounds(), 3);
    assert!(debate.prompt("round-2/proposer").system.contains("It has 3 rounds."));
    assert!(debate.prompt("verdict/2/judge/1").user.contains("3 rounds are complete."));
}

#[test]
fn a_round_that_is_added_after_two_waits_for_a_summary_of_the_first() {
    let debate = TestDebate::duel(2).run().resume(Amendment { rounds: Some(3), ..Amendment::default() });
    assert_eq!(
        asked_since_resumed(&debate),
        ["round-3/summary", "round-3/proposer", "round-3/challenger", "verdict/2/judge/1"]
    );
}

#[test]
fn fewer_rounds_than_were_held_leave_all_of_them_judged() {
    let debate = TestDebate::duel(2).run().resume(Amendment { rounds: Some(1), ..Amendment::default() });
    assert_eq!(asked_since_resumed(&debate), ["verdict/2/judge/1"]);
    assert!(debate.prompt("verdict/2/judge/1").user.contains("2 rounds are complete."));
}

#[test]
fn another_time_limit_holds_for_every_later_call() {
    let debate = TestDebate::duel(1).on("round-1/challenger", crate::Reply::Hangs).run();
    let debate = debate.resume(Amendment { timeout_ms: Some(900_000), ..Amendment::default() });
    let limits = debate.events().iter().filter_map(|event| match &event.happening {
        Happening::Started { limit_ms, .. } => Some(*limit_ms),
        _ => None,
    });
    assert_eq!(limits.collect::<Vec<_>>(), [240_000, 240_000, 900_000, 900_000]);
}

#[test]
fn an_extract_that_was_recorded_stays_when_the_debate_goes_on() {
    let debate =
        TestDebate::duel(3).fails("round-3/summary", Cause::Timeout, "").fails("round-3/proposer", Cause::Timeout, "").run();
    let debate = debate.resume(Amendment::default());
    assert_eq!(asked_since_resumed(&debate), ["round-3/proposer", "round-3/challenger", "verdict/2/judge/1"]);
    assert!(debate.prompt("round-3/proposer").user.contains(": extract of round 1>>\nNo summary is available."));
}

#[test]
fn a_cancelled_summary_is_asked_for_again_when_its_round_is_held_after_all() {
    let debate = TestDebate::duel(3).arriving([0, 0, 0]).fails("round-2/proposer", Cause::Exit, "").run();
    assert_eq!(debate.failure("round-3/summary").cause, Cause::Cancelled);
    let debate = debate.resume(Amendment::default());
    assert!(asked_since_resumed(&debate).contains(&"round-3/summary"));
    assert_eq!(debate.status(), Status::Completed);
}

#[test]
fn a_stopped_debate_is_cancelled_until_it_is_resumed() {
    let debate = TestDebate::duel(2).cut(4, Cut::Stopped).run();
    let stopped = debate.events().iter().position(|event| matches!(event.happening, Happening::Interrupted { .. }));
    let until = stopped.expect("the interruption is in the journal") + 1;
    let then = fold(debate.events()[..until].iter().cloned()).expect("a valid debate");
    assert_eq!(then.status(), Status::Cancelled);
    assert_eq!(debate.status(), Status::Completed);
    assert_eq!(asked_since_resumed(&debate)[0], "round-1/challenger", "the call that was under way is asked again");
    assert_eq!(debate.outcome().verdict, Some(texts::verdict_key(1)), "it had not ended, so it is still the first sitting");
}

#[test]
fn a_call_that_was_cut_off_is_asked_with_the_same_prompt() {
    let debate = TestDebate::duel(1).cut(4, Cut::Killed).run();
    let prompts: Vec<_> = debate.prompts().filter(|(key, _)| *key == "round-1/challenger").collect();
    assert_eq!(prompts.len(), 2);
    assert_eq!(prompts[0], prompts[1]);
    let call = debate.debate().call(&Leg::First.statement_key(1, Role::Challenger)).expect("a call");
    assert_eq!((call.attempts, call.setbacks), (2, 0));
}

#[test]
fn a_repair_that_was_cut_off_is_asked_with_the_same_reason() {
    let script = || TestDebate::duel(1).says("verdict/judge/1", texts::verdict_without_winner());
    let straight = script().run();
    let repair = straight.events().len() - 2;
    let debate = script().cut(repair, Cut::Killed).run();
    assert_eq!(debate.prompts().filter(|(key, _)| *key == "verdict/judge/1").count(), 3);
    assert_eq!(debate.prompt("verdict/judge/1"), straight.prompt("verdict/judge/1"));
    assert_eq!(debate.debate().meaning(), straight.debate().meaning());
}

#[test]
fn a_call_that_was_rejected_twice_before_the_crash_is_not_asked_a_third_time() {
    let script = || TestDebate::duel(1).says("verdict/judge/1", "Hm.").says("verdict/judge/1", "Hm!");
    let straight = script().run();
    let second_rejection = straight.events().len() - 2;
    let debate = script().cut(second_rejection, Cut::Killed).run();
    assert_eq!(debate.asked(), straight.asked());
    assert_eq!(debate.debate().meaning(), straight.debate().meaning());
}
