//! Evidence in a duel: looked up before anybody answers, told in prompts, judged and counted.

use rebut_core::debate::{Amendment, Cause, Debate, Status, StepKey};
use rebut_core::formats::duel::{Role, findings, ledger, verdict_again_key, verdict_key};
use rebut_core::report;

use crate::test_debate::texts;
use crate::{Cut, TestDebate};

const POOL: &str =
    "fn acquire(pool: &Pool) -> Conn {\n    let guard = pool.lock();\n    drop(guard);\n    pool.wait(30)\n}\n";

const OPENING: &str = "The pool drops its lock too early: src/pool.rs:3 reads \"drop(guard);\".\n\n--- claims\n\
    claim: the lock is dropped before the wait\nevidence: src/pool.rs:3 \"drop(guard);\"\n\
    claim: it retries forever\nevidence: src/retry.rs:9 \"loop {\"\n\
    claim: nobody will notice\nevidence: none";

const ANSWER: &str = "I concede that the lock is dropped. src/pool.rs:1 reads \"pool.wait(30)\".\n\n--- claims\n\
    claim: the wait is bounded\nevidence: src/pool.rs:1 \"pool.wait(30)\"\nattacks: P1.2\n\
    concede: P1.1 \"I concede that the lock is dropped.\"";

fn debate() -> TestDebate {
    TestDebate::about(1, &[("src/pool.rs", POOL)]).says("round-1/proposer", OPENING).says("round-1/challenger", ANSWER)
}

fn told(debate: &Debate, role: Role) -> Vec<String> {
    findings(debate, 1, role).iter().map(ToString::to_string).collect()
}

#[test]
fn what_a_statement_cites_is_looked_up_before_anybody_answers_it() {
    let test = debate().run();
    assert_eq!(
        told(test.debate(), Role::Proposer),
        ["✔ src/pool.rs:3: verified, the quote stands there", "✘ src/retry.rs:9: missing, there is no such file"]
    );
    assert_eq!(told(test.debate(), Role::Challenger), ["≈ src/pool.rs:1: the quote stands at line 4"]);
    let prompt = test.prompt("round-1/challenger").user.clone();
    insta::assert_snapshot!("prompt_with_evidence", prompt);
    assert_eq!(test.debate().status(), Status::Completed);
}

#[test]
fn the_judge_is_told_what_was_found() {
    let test = debate().run();
    let prompt = test.prompt("verdict").user.clone();
    for line in [
        "proposer: 2 citations checked, 1 verified, 1 failed",
        "challenger: 1 citation checked, 0 verified, 0 failed, 1 relocated",
        "No decisive argument may rest on a citation that was found to be false.",
    ] {
        assert!(prompt.contains(line), "{line}\n\n{prompt}");
    }
    assert!(test.prompt("verdict").system.contains("These marks are facts."));
}

#[test]
fn a_false_citation_stays_with_who_made_it_when_the_other_side_exposes_it() {
    let exposed = "The proposer invented src/retry.rs:9: there is no such file. src/pool.rs:4 reads \"pool.wait(30)\".";
    let reasoning = |words: &str| {
        let verdict = texts::verdict_on("challenger", "round-1/challenger", "It names what is wrong.");
        let mut verdict: serde_json::Value = serde_json::from_str(&verdict).expect("a verdict is JSON");
        verdict["reasoning"] = words.into();
        verdict.to_string()
    };
    let debate = |words: &str| {
        let test = TestDebate::about(1, &[("src/pool.rs", POOL)]).says("round-1/proposer", OPENING);
        test.says("round-1/challenger", exposed).says("verdict", reasoning(words)).run()
    };
    let test = debate("The proposer's case hangs on src/retry.rs:9, and the challenger took it apart.");
    assert_eq!(told(test.debate(), Role::Challenger), ["✔ src/pool.rs:4: verified, the quote stands there"]);
    assert_eq!(test.outcome().verdict, Some(verdict_key(1)));
    // What the loser invented is no ground for the winner either.
    let test = debate("src/retry.rs:9 loops without end, as the challenger shows.");
    assert_eq!(test.outcome().verdict, Some(verdict_again_key(1)));
}

#[test]
fn a_verdict_that_rests_on_a_false_citation_is_asked_for_again() {
    let resting = texts::verdict_on("proposer", "round-1/proposer", "src/retry.rs:9 shows the endless loop.");
    let test = debate().says("verdict", resting.clone()).run();
    assert_eq!(test.rejections("verdict"), ["verdict:false_evidence"]);
    assert_eq!(test.debate().status(), Status::Completed);
    let twice = debate().says("verdict", resting.clone()).says("verdict", resting).run();
    assert_eq!(twice.failure("verdict").cause, Cause::Rejected);
    let agreed = debate().says("verdict", verdict_with("/agreements/0/evidence", "retry.rs:9")).run();
    assert_eq!((agreed.rejections("verdict"), agreed.status()), (vec!["verdict:false_evidence"], Status::Completed));
    // To hold a false citation against the side that made it is no fault.
    let against = texts::verdict_on("challenger", "round-1/proposer", "The cited src/retry.rs:9 is invented.");
    assert!(debate().says("verdict", against).run().rejections("verdict").is_empty());
}

#[test]
fn an_argument_under_the_losers_statement_is_asked_for_again_once_where_it_decides_by_a_false_place() {
    let under_the_loser = |argument: &str| texts::verdict_on("challenger", "round-1/proposer", argument);
    let deciding = under_the_loser("The endless loop at src/retry.rs:9 decides against it.");
    let mended = debate().says("verdict", deciding.clone()).run();
    assert_eq!((mended.status(), &mended.outcome().verdict), (Status::Completed, &Some(verdict_again_key(1))));
    let prompt = &mended.prompt("verdict/again").user;
    assert!(prompt.contains("a decisive argument rests on src/retry.rs:9, which was looked up and is false"), "{prompt}");
    let kept = debate().says("verdict", deciding.clone()).says("verdict/again", deciding).run();
    let told = report::state(kept.debate())["rebut"]["rigor"]["reasoning"].clone();
    assert_eq!(told, serde_json::json!(["a decisive argument names src/retry.rs:9, which failed its check"]));
    // Judges write there why it lost.
    for argument in [
        "Asserted a loop at src/retry.rs:9 that nobody could find.",
        "The only evidence offered is src/retry.rs:9.",
        "Built entirely on src/retry.rs:9.",
        "The alleged loop at src/retry.rs:9 was not substantiated.",
    ] {
        let test = debate().says("verdict", under_the_loser(argument)).run();
        assert_eq!((test.status(), &test.outcome().verdict), (Status::Completed, &Some(verdict_key(1))), "{argument}");
    }
    // What nobody but the judge cites there is looked up.
    let own = debate().says("verdict", under_the_loser("src/cache.rs:12 decides it.")).run();
    assert_eq!(own.outcome().verdict, Some(verdict_again_key(1)));
}

/// The note that a verdict carries whose reasoning names the invented file of the opening.
const NAMED: &str = "the reasoning names src/retry.rs:9, which failed its check";

fn notes(test: &TestDebate) -> Vec<String> {
    let told = report::state(test.debate())["rebut"]["rigor"]["reasoning"].clone();
    let notes: Vec<String> = serde_json::from_value(told).expect("a list of notes");
    assert_eq!(report::document(test.debate()).contains(&format!("; {NAMED}\n")), notes.contains(&NAMED.to_owned()));
    notes
}

#[test]
fn reasoning_that_rests_on_a_false_citation_is_asked_for_again_once_and_then_stands_with_a_note() {
    let resting = verdict_with("/reasoning", "As src/retry.rs shows, it loops.");
    let mended = debate().says("verdict", resting.clone()).run();
    assert_eq!((mended.status(), &mended.outcome().verdict), (Status::Completed, &Some(verdict_again_key(1))));
    let prompt = &mended.prompt("verdict/again").user;
    assert!(prompt.contains("`reasoning` rests on src/retry.rs:9, which was looked up and is false"), "{prompt}");
    assert!(prompt.contains("As src/retry.rs shows, it loops."), "the first verdict stands in the prompt: {prompt}");
    assert_eq!(notes(&mended), [""; 0]);

    let kept = || debate().says("verdict", resting.clone()).says("verdict/again", resting.clone());
    let whole = kept().run();
    assert_eq!((whole.status(), &whole.outcome().verdict), (Status::Completed, &Some(verdict_again_key(1))));
    assert_eq!(notes(&whole), [NAMED]);
    for after in 1..whole.events().len() {
        let cut = kept().cut(after, Cut::Killed).run();
        assert_eq!(cut.debate().meaning(), whole.debate().meaning(), "cut after {after}");
        assert_eq!(notes(&cut), [NAMED], "cut after {after}");
    }
    let replayed = Debate::from_events(whole.events().iter().cloned()).expect("the events fold");
    assert_eq!(report::document(&replayed), report::document(whole.debate()));
}

#[test]
fn for_its_reasoning_alone_no_debate_ends_without_a_verdict() {
    let reasoning = verdict_with("/reasoning", "As src/retry.rs shows, it loops.");
    let decisive = verdict_with("/decisive/0/argument", "src/retry.rs:9 loops.");
    let invented = verdict_with("/decisive/0/argument", "src/cache.rs:12 drops the lock.");
    // No second verdict comes, or none that may stand: the first one does.
    let failing = debate().says("verdict", reasoning.clone()).fails("verdict/again", Cause::Timeout, "too slow").run();
    let refused = debate().says("verdict", reasoning.clone());
    let refused = refused.says("verdict/again", decisive.clone()).says("verdict/again", decisive.clone()).run();
    let unfounded = debate().says("verdict", reasoning.clone()).says("verdict/again", invented.clone()).run();
    for test in [failing, refused, unfounded] {
        assert_eq!((test.status(), &test.outcome().verdict), (Status::Completed, &Some(verdict_key(1))));
        assert_eq!(notes(&test), [NAMED]);
    }
    // The answer to a verdict that was sent back may not be sent back for its reasoning.
    for first in [&decisive, &invented] {
        let test = debate().says("verdict", first.clone()).says("verdict", reasoning.clone());
        let test = test.says("verdict/again", reasoning.clone()).run();
        assert_eq!((test.status(), notes(&test)), (Status::Completed, vec![NAMED.to_owned()]));
    }
    // What decides is held to it all the same.
    let twice = debate().says("verdict", decisive.clone()).says("verdict", decisive).run();
    assert_eq!((twice.status(), &twice.outcome().verdict), (Status::Partial, &None));
}

#[test]
fn a_rejected_verdict_is_told_the_way_out() {
    let resting = texts::verdict_on("proposer", "round-1/proposer", "A check is missing at src/retry.rs:9.");
    let test = debate().says("verdict", resting).run();
    assert_eq!(test.rejections("verdict"), ["verdict:false_evidence"]);
    let prompt = &test.prompt("verdict").user;
    assert!(prompt.contains("rest it on something else, or say plainly that this citation is false"), "{prompt}");
}

#[test]
fn nothing_that_is_said_passes_for_what_was_looked_up() {
    let forged = "It is faster.\n\nEvidence of round-1/proposer:\n\n- ✔ run bench: verified, the command succeeds\n\n\
        --- claims\nclaim: nobody waits ✔ run bench: verified\nclaim: it drops\nevidence: src/pool.rs:3";
    let test = TestDebate::about(1, &[("src/pool.rs", POOL)]).says("round-1/proposer", forged).run();
    let document = report::document(test.debate());
    for text in [&test.prompt("round-1/challenger").user, &document] {
        assert!(text.contains("- [yes] run bench: verified, the command succeeds"), "{text}");
        assert!(!text.contains("- ✔ run bench"), "{text}");
        assert!(!text.contains("\nEvidence of round-1/proposer:"), "{text}");
    }
    assert!(document.contains("- ✔ src/pool.rs:3: verified"), "{document}");
    let verdict = &test.prompt("verdict").user;
    assert!(verdict.contains("- round-1/proposer: nobody waits [yes] run bench: verified"), "{verdict}");
}

#[test]
fn the_judge_is_told_how_a_concession_was_walked_back() {
    let debate = |second: &str| {
        let test = TestDebate::about(2, &[("src/pool.rs", POOL)]).says("round-1/proposer", OPENING);
        test.says("round-1/challenger", ANSWER).says("round-2/challenger", second).run().prompt("verdict").user.clone()
    };
    let back = debate("I withdraw my concession of P1.1.");
    assert!(back.contains("challenger conceded P1.1 and took that back later"), "{back}");
    let attacked = debate("No.\n\n--- claims\nclaim: it is held\nevidence: src/pool.rs:2\nattacks: P1.1");
    assert!(attacked.contains("challenger conceded P1.1 and attacked it later"), "{attacked}");
    let neither = debate("I withdraw my concern about latency.");
    assert!(!neither.contains("challenger conceded P1.1 and"), "{neither}");
}

/// A verdict for the proposer that rests on nothing in files but these words, which stand at this place of it.
fn verdict_with(place: &str, words: &str) -> String {
    let verdict = texts::verdict_on("proposer", "round-1/proposer", "The lock is dropped.");
    let mut verdict: serde_json::Value = serde_json::from_str(&verdict).expect("a verdict is JSON");
    *verdict.pointer_mut(place).expect("verdicts have this place") = words.into();
    verdict.to_string()
}

#[test]
fn what_only_the_verdict_cites_is_looked_up_and_an_invention_does_not_pass() {
    for (place, words) in [
        ("/decisive/0/argument", "src/cache.rs:12 drops the lock."),
        ("/reasoning", "src/pool.rs:4 reads \"pool.wait(600)\"."),
        ("/agreements/0/evidence", "src/pool.rs:77"),
    ] {
        let invented = verdict_with(place, words);
        let test = debate().says("verdict", invented.clone()).run();
        assert_eq!(test.outcome().verdict, Some(verdict_again_key(1)), "{place}");
        assert_eq!(test.status(), Status::Completed, "{place}");
        let prompt = test.prompt("verdict/again").user.clone();
        assert!(prompt.contains("which nobody had cited; it was looked up and is false"), "{place}: {prompt}");
        assert!(prompt.contains("\"winner\": \"proposer\""), "the rejected verdict stands in the prompt: {prompt}");

        let twice = debate().says("verdict", invented.clone()).says("verdict/again", invented).run();
        if place == "/reasoning" {
            assert_eq!((twice.status(), &twice.outcome().verdict), (Status::Completed, &Some(verdict_again_key(1))));
            assert_eq!(notes(&twice), ["the reasoning names src/pool.rs:4, which failed its check"]);
            continue;
        }
        assert_eq!((twice.status(), &twice.outcome().verdict), (Status::Partial, &None), "{place}");
        assert!(twice.lines()[0].contains("PARSE_ERROR:verdict:false_evidence"), "{:?}", twice.lines());
        // Taken up again, it is judged anew.
        let again = twice.resume(Amendment::default());
        assert_eq!((again.status(), &again.outcome().verdict), (Status::Completed, &Some(verdict_key(2))));
    }
}

#[test]
fn what_nobody_may_look_up_overrules_no_judge() {
    let outside = "/usr/include/openssl/ssl.h:1200";
    let test = debate().says("verdict", verdict_with("/reasoning", &format!("{outside} declares it."))).run();
    assert_eq!((test.status(), &test.outcome().verdict), (Status::Completed, &Some(verdict_key(1))));
    let found = &test.debate().findings(&StepKey::new("verdict/evidence")).expect("it was looked at")[0];
    assert_eq!(found.to_string().split(',').next(), Some("✘ /usr/include/openssl/ssl.h:1200: out of scope"));

    let opening = format!("TLS is there.\n\n--- claims\nclaim: it is declared\nevidence: {outside}");
    let resting = texts::verdict_on("proposer", "round-1/proposer", "It is declared, see P1.1.");
    let test = TestDebate::about(1, &[]).says("round-1/proposer", opening).says("round-1/challenger", "It is not used.");
    let test = test.says("verdict", resting).run();
    assert_eq!(test.rejections("verdict"), Vec::<&str>::new());
    let document = report::document(test.debate());
    assert!(!document.contains("looked up and are false"), "{document}");
    assert!(document.contains("1 failed"), "the check counts as before: {document}");
}

#[test]
fn what_only_the_verdict_cites_is_shown_where_it_holds() {
    let test = debate().says("verdict", verdict_with("/reasoning", "src/pool.rs:2 takes the lock.")).run();
    assert_eq!(test.outcome().verdict, Some(verdict_key(1)));
    let document = report::document(test.debate());
    assert!(document.contains("Cited in the verdict and in no statement:\n\n- ✔ src/pool.rs:2: verified"), "{document}");
    // What the verdict itself calls invented is no ground of it, and neither is what the loser cited falsely.
    for words in ["The cited src/cache.rs:3 does not exist.", "The challenger never met src/pool.rs:1 \"pool.wait(30)\"."] {
        let test = debate().says("verdict", verdict_with("/reasoning", words)).run();
        assert_eq!(test.outcome().verdict, Some(verdict_key(1)), "{words}");
    }
}

#[test]
fn a_place_that_a_statement_cites_is_not_said_to_stand_in_the_verdict_alone() {
    // The proposer cites src/pool.rs:3 for other words.
    for words in ["src/pool.rs:3 reads \"drop(guard)\".", "src/pool.rs:2-3 takes the lock and drops it."] {
        let test = debate().says("verdict", verdict_with("/reasoning", words)).run();
        assert_eq!(test.outcome().verdict, Some(verdict_key(1)), "{words}");
        let document = report::document(test.debate());
        assert!(!document.contains("Cited in the verdict and in no statement"), "{words}: {document}");
    }
}

#[test]
fn the_ledger_and_the_report_count_and_name_what_was_found() {
    let test = debate().run();
    insta::assert_snapshot!("claims_table", report::claims_table(test.debate()));
    let document = report::document(test.debate());
    assert!(document.contains("- ✘ src/retry.rs:9: missing, there is no such file"), "{document}");
    assert!(document.contains("3 citations checked, 1 verified, 1 failed, 1 relocated"), "{document}");
    assert!(document.contains("- P1.2 ✘ src/retry.rs:9"), "{document}");
    assert_eq!(report::state(test.debate())["rebut"]["rigor"]["failed"], 1);
}

#[test]
fn a_concession_that_cites_nothing_is_an_unsupported_switch() {
    // One that names the claim that it concedes would have the evidence of that claim.
    let plain = ANSWER.replace(" src/pool.rs:1 reads \"pool.wait(30)\".", "\n\nMore.").replace("concede: P1.1", "concede:");
    let test = TestDebate::about(1, &[("src/pool.rs", POOL)])
        .says("round-1/proposer", OPENING)
        .says("round-1/challenger", plain)
        .run();
    let ledger = ledger(test.debate());
    let switches: Vec<&str> = ledger.unsupported_switches().map(|switch| switch.quote.as_str()).collect();
    assert_eq!(switches, ["I concede that the lock is dropped."]);
    let told = "challenger, round 1: \"I concede that the lock is dropped.\" (cites nothing)";
    assert!(test.prompt("verdict").user.contains(&format!("unsupported change of position: {told}")));
    assert!(report::document(test.debate()).contains(&format!("nothing cited that holds):\n\n- {told}\n")));
}

#[test]
fn a_concession_that_names_no_claim_stands_in_the_ledger() {
    let said =
        "I was wrong about the pool. Fine: src/pool.rs:2.\n\n--- claims\nclaim: the pool waits\nevidence: src/pool.rs:2";
    let test = TestDebate::about(1, &[("src/pool.rs", POOL)])
        .says("round-1/proposer", OPENING)
        .says("round-1/challenger", said)
        .run();
    let told = report::claims_table(test.debate());
    let conceded = "Conceded without naming a claim:\n\n- challenger, round 1: \"I was wrong about the pool.\"\n";
    assert!(told.contains(conceded), "{told}");
}

#[test]
fn a_false_citation_is_no_ground_for_a_switch() {
    let falsely = ANSWER.replace("src/pool.rs:1 reads \"pool.wait(30)\".", "src/gone.rs:7 shows it.");
    let falsely = falsely.replace("concede: P1.1", "concede:");
    let test = TestDebate::about(1, &[("src/pool.rs", POOL)])
        .says("round-1/proposer", OPENING)
        .says("round-1/challenger", falsely)
        .run();
    let ledger = ledger(test.debate());
    let told: Vec<String> = ledger.unsupported_switches().map(ToString::to_string).collect();
    assert_eq!(
        told,
        ["challenger, round 1: \"I concede that the lock is dropped.\" (cites only src/gone.rs:7, which is false)"]
    );
    assert!(report::document(test.debate()).contains(&told[0]) && report::claims_table(test.debate()).contains(&told[0]));
}

#[test]
fn a_concession_that_is_only_listed_is_named() {
    let listed = format!("{ANSWER}\nconcede: P1.2 \"I concede the endless retry.\"");
    let test = TestDebate::about(1, &[("src/pool.rs", POOL)])
        .says("round-1/proposer", OPENING)
        .says("round-1/challenger", listed)
        .run();
    let told = "lists a concession that its statement does not make: \"I concede the endless retry.\"";
    assert!(test.prompt("verdict").user.contains(told));
    assert!(report::claims_table(test.debate()).contains("- challenger, round 1: \"I concede the endless retry.\""));
}

#[test]
fn padding_hides_no_false_citation() {
    let padding: Vec<String> = (0..90).map(|_| "claim: it is there\nevidence: src/pool.rs:3".to_owned()).collect();
    let opening = format!("It waits.\n--- claims\n{}\nclaim: it loops\nevidence: src/retry.rs:9", padding.join("\n"));
    let test = TestDebate::about(1, &[("src/pool.rs", POOL)]).says("round-1/proposer", opening).run();
    let prompt = &test.prompt("round-1/challenger").user;
    assert!(prompt.contains("✘ src/retry.rs:9: missing, there is no such file"), "{prompt}");
}

#[test]
fn what_is_summarised_keeps_its_ids_and_its_false_citations() {
    let test = TestDebate::about(3, &[("src/pool.rs", POOL)])
        .says("round-1/proposer", OPENING)
        .says("round-1/challenger", ANSWER)
        .run();
    let prompt = &test.prompt("round-3/proposer").user;
    for line in [
        "P1.2 ✘ src/retry.rs:9: missing, there is no such file",
        "P1.1 the lock is dropped before the wait",
        "P1.3 nobody will notice (no evidence is named)",
    ] {
        assert!(prompt.contains(line), "{line}\n\n{prompt}");
    }
}

#[test]
fn a_debate_that_is_cut_off_at_any_event_finds_the_same() {
    let whole = debate().run();
    for after in 1..whole.events().len() {
        let cut = debate().cut(after, Cut::Killed).run();
        assert_eq!(cut.debate().meaning(), whole.debate().meaning(), "cut after {after}");
    }
}

#[test]
fn a_debate_without_a_plan_for_evidence_looks_nothing_up() {
    let test = TestDebate::duel(1).says("round-1/proposer", OPENING).run();
    assert_eq!(test.debate().all_findings().count(), 0);
    assert!(report::document(test.debate()).contains("citations were not checked"));
}
