//! Ballots, firmness and another verdict on the same statements, as the user sees them.

use rebut_fakes::{Script, ScriptLine, TestEnv, ballot, verdict};
use serde_json::Value;

use crate::{machine_for, machine_judged_once};

const ONE_ROUND: [&str; 2] = ["--rounds", "1"];

/// A duel of one round in which the judge takes the side that is shown as A.
fn label_a() -> Script {
    Script::duel(1).instead("verdict/judge/1", [ScriptLine::text(verdict("proposer"))])
}

fn winners(env: &TestEnv) -> Vec<String> {
    let state = env.debate().state();
    let ballots = state["rebut"]["ballots"].as_array().unwrap();
    ballots.iter().map(|ballot| ballot["winner"].as_str().unwrap_or("none").to_owned()).collect()
}

#[test]
fn two_ballots_make_a_firm_verdict_and_one_a_single_one() {
    let env = machine_for(&Script::duel(1)).set("REBUT_OUTPUT_STATEMENTS", "false");
    let run = env.duel(&ONE_ROUND).exits(0).shows("4 calls, up to 6");
    let _ = run.shows("✔ Firm: challenger (script:debate.toml#south) wins · 0 of 2 citations verified");
    assert_eq!(env.debate().state()["rebut"]["firmness"], "firm");
    assert_eq!(winners(&env), ["challenger"; 2]);
    env.clear();
    let run = env.duel(&["--rounds", "1", "--rigor", "quick"]).exits(0).shows("3 calls");
    let _ = run.shows("✔ Single ballot: challenger (script:debate.toml#south) wins");
    assert_eq!(winners(&env), ["challenger"]);
}

#[test]
fn a_judge_that_contradicts_itself_leaves_the_debate_undecided() {
    let env = machine_for(&label_a()).set("REBUT_OUTPUT_STATEMENTS", "false");
    let run =
        env.duel(&ONE_ROUND).exits(3).shows("! Undecided 1:1 · ").shows("For the proposer: It names no sources. It leaves");
    let _ = run.shows("For the challenger: It names no sources. It leaves out what matters. (P1)").shows("Who pays for it?");
    let state = env.debate().state();
    assert_eq!((state["status"].as_str(), &state["verdict"]["winner"]), (Some("completed"), &Value::Null));
    let id = env.debate().id;
    let _ = env.rebut(["show", &id]).exits(0).shows("## Undecided 1:1").shows("## Ballots");
    let _ = env.rebut(["resume", &id]).exits(3).says(" is complete; add rounds");
}

#[test]
fn a_failed_ballot_is_left_out() {
    let env = machine_for(&Script::duel(1).instead("verdict/judge/2", [ScriptLine::fail("refused")]));
    let run = env.duel(&ONE_ROUND).exits(3).shows("Ballot 2 of the judge (script) is left out: it refused");
    let _ = run.shows("**Single ballot: the challenger (script:debate.toml#south) had the stronger case.**");
    assert_eq!(env.debate().status(), "partial");
    assert_eq!(winners(&env), ["challenger", "none"]);
}

#[test]
fn a_second_judge_is_asked_where_the_first_contradicts_itself() {
    let script = label_a().judged("verdict/judge-2", "challenger").of_family("other", "another works");
    let env = machine_for(&script);
    env.user_config("[duel]\nproposer = \"script:debate.toml#other\"\n");
    let seats = ["--challenger", "script:debate.toml#south", "--judge", "script:debate.toml#bench"];
    let arguments = [&["duel", rebut_fakes::TOPIC][..], &seats, &ONE_ROUND].concat();
    let plan = env.rebut([&arguments[..], &["--max-tokens", "100000", "--dry-run", "--json"]].concat()).exits(0).json();
    let ballot = plan["calls"].as_array().unwrap().last().unwrap()["estimated_tokens"].as_u64().unwrap();
    assert_eq!(plan["plan"]["verdict_share"]["tokens"], 4 * ballot, "what is set aside pays the second judge too");
    let run = env.rebut(arguments).exits(0).shows("  judge-2     script:debate.toml#other\n");
    let _ = run.shows("**Leaning: the challenger (script:debate.toml#south) had the stronger case.**");
    assert_eq!(winners(&env), ["proposer", "challenger", "challenger", "challenger"]);
}

#[test]
fn a_second_judge_that_cannot_read_the_debate_is_left_out() {
    let env = machine_for(&Script::duel(1).of_family("other", "another works").reading("other", 2_000));
    let seats = ["--proposer", "script:debate.toml#other", "--challenger", "script:debate.toml#south"];
    let judged = ["--judge", "script:debate.toml#bench", "--dry-run"];
    let run = env.rebut([&["duel", rebut_fakes::TOPIC][..], &seats, &judged, &ONE_ROUND].concat()).exits(0);
    let _ =
        run.shows("script:debate.toml#other can't be a further judge: a ballot takes about").shows("context window is 2000");
}

#[test]
fn a_debate_is_judged_again_by_others_and_only_they_are_paid() {
    let script = Script::duel(1).judged("verdict/2/judge-2", "challenger").judged("verdict/3/judge", "proposer");
    let env = machine_for(&script);
    let _ = env.duel(&ONE_ROUND).exits(0);
    let debate = env.debate();
    let before = debate.lines().len();
    let run = env.rebut(["rejudge", "last", "--judge", "script:debate.toml#other"]).exits(0);
    let run = run.shows("**Firm: the challenger").shows("- script:debate.toml#bench (proposer shown first): challenger\n");
    let _ =
        run.shows("- script:debate.toml#other (challenger shown first): challenger\n").shows("- Judge-2: script (other)");
    let mut asked: Vec<String> =
        debate.lines()[before..].iter().filter(|line| line.kind() == "started").map(|line| line.key().to_owned()).collect();
    asked.sort();
    assert_eq!(asked, ["verdict/2/judge-2/1", "verdict/2/judge-2/2"]);
    assert_eq!(winners(&env), ["challenger"; 4]);
    // The first judge again, once.
    let _ = env.rebut(["rejudge", "last", "--judge", "script:debate.toml#bench", "--rigor", "quick"]).exits(0);
    assert_eq!(winners(&env), ["challenger", "challenger", "challenger", "challenger", "proposer"]);
    assert_eq!(debate.state()["rebut"]["firmness"], "leaning");
    assert!(debate.answers().values().all(|times| *times == 1));
}

#[test]
fn only_a_duel_that_has_ended_is_judged_again() {
    let env = machine_judged_once(&Script::duel(1).instead("round-1/challenger", [ScriptLine::fail("exit")]));
    let _ = env.duel(&ONE_ROUND).exits(3);
    let _ = env.rebut(["rejudge", "last"]).exits(2).says("no round is complete").says("rebut resume ");
    env.clear();
    env.duel_with_fault("kill-after:4", &ONE_ROUND).was_killed();
    let _ = env.rebut(["rejudge", "last"]).exits(2).says("this debate has not ended").says("rebut resume ");
    let _ = env.rebut(["resume", "last", "--judge", "script:debate.toml#other"]).exits(3);
    env.rewrite(&Script::duel(2).instead("round-2/challenger", [ScriptLine::fail("exit")]));
    env.clear();
    // What failed before stays as it is.
    let _ = env.duel(&["--rounds", "2"]).exits(3);
    let _ = env.rebut(["rejudge", "last"]).exits(3).shows("Round 2 is incomplete: the challenger (script) failed");
    assert_eq!(env.debate().of_kind("started").iter().filter(|line| line.key() == "round-2/challenger").count(), 1);
    let _ = env.rebut(["resume", "last", "--judge", "script:debate.toml#other"]).exits(2).says("rebut rejudge ");
}

/// A rejudge is killed at every event and gone on with.
#[test]
fn a_kill_after_any_event_of_a_rejudge_loses_nothing() {
    let script = Script::duel(1)
        .instead("verdict/2/judge-2/1", [ScriptLine::text(ballot("challenger", 1))])
        .instead("verdict/2/judge-2/2", [ScriptLine::text(ballot("challenger", 2))]);
    let env = machine_for(&script);
    let rejudge = ["rejudge", "last", "--judge", "script:debate.toml#other"];
    let _ = env.duel(&ONE_ROUND).exits(0);
    let held = env.debate().lines().len();
    let _ = env.rebut(rejudge).exits(0);
    let (meaning, whole) = (crate::meaning(&env.debate()), env.debate().lines().len());
    env.clear();
    for event in held..whole {
        let _ = env.duel(&ONE_ROUND).exits(0);
        env.rebut_with("REBUT_FAULT", &format!("kill-after:{event}"), rejudge).was_killed();
        let _ = env.rebut(["resume", "last"]).exits(0);
        let debate = env.debate();
        assert_eq!(crate::meaning(&debate), meaning, "{event}");
        assert!(debate.answers().values().all(|times| *times == 1), "{event}: {:?}", debate.answers());
        env.clear();
    }
}
