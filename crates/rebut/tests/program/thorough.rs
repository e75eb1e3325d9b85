//! Thorough duels as the user sees them: closings, and a second debate with positions exchanged.

use std::collections::BTreeSet;

use rebut_fakes::{Script, ScriptLine, TestEnv, with_block};
use serde_json::{Value, json};

use crate::{machine_for, meaning};

const THOROUGH: [&str; 4] = ["--rounds", "1", "--rigor", "thorough"];

fn machine(script: &Script) -> TestEnv {
    machine_for(script).set("REBUT_OUTPUT_STATEMENTS", "false")
}

/// A thorough duel of one round: the challenger wins the first debate, and this side the one with positions exchanged.
fn thorough(second: &str) -> Script {
    let mut script = Script::duel(1);
    for (debate, positions) in [("", ["Rewrite it.", "Cache it."]), ("exchange/", ["Cache it.", "Rewrite it."])] {
        for (role, position) in ["proposer", "challenger"].into_iter().zip(positions) {
            let argument = format!("The {role} argues: {position}");
            let block = json!({"position": position, "claims": [{"text": argument, "evidence": []}]});
            let closing = format!("The {role} closes with: {position}");
            script = script
                .instead(&format!("{debate}round-1/{role}"), [ScriptLine::text(with_block(&argument, &block))])
                .call(&format!("{debate}round-1/closing/{role}"), ScriptLine::text(closing));
        }
    }
    let again = ["exchange/verdict/judge", "exchange/verdict/2/judge"];
    again.iter().fold(script, |script, judge| script.judged(judge, second))
}

#[test]
fn a_position_that_wins_no_matter_who_argues_it_is_firm() {
    let env = machine(&thorough("proposer"));
    let run = env.duel(&THOROUGH).exits(0).shows("12 calls, up to 16").shows("only 1 of 3 judges is available");
    let _ = run.shows("✔ Firm: challenger (script:debate.toml#south) wins; the position wins no matter who argues it");
    let record = env.rebut(["export", "last", "--as", "adr"]).exits(0);
    let record = record.shows("- Result: Firm: challenger (script:debate.toml#south) wins; the position wins no matter");
    let _ = record.shows("- Positions exchanged: firm 2:0, proposer (script:debate.toml#north) wins with \"Cache it.\"");
    let state = env.debate().state();
    assert_eq!((state["rebut"]["firmness"].as_str(), &state["status"]), (Some("firm"), &json!("completed")));
    assert_eq!(state["exchanges"].as_array().map(Vec::len), Some(2));
    let second = &state["rebut"]["exchange"];
    assert_eq!(second["outcome"], json!({"result": "position", "side": "challenger"}));
    assert_eq!(second["positions"]["proposer"], "Cache it.");
    for debate in [&state["rebut"], second] {
        assert_eq!(debate["closings"].as_array().map(Vec::len), Some(2));
        assert_eq!(debate["ballots"].as_array().map(Vec::len), Some(2));
    }
    assert!(env.debate().prompt("exchange/round-1/challenger").contains("your position>>\nRewrite it."));
    let shown = env.rebut(["show", "last"]).exits(0);
    let shown = shown.shows("## Closing — proposer (script)").shows("## Positions exchanged: Round 1 — challenger (script)");
    let _ = shown.shows("- Positions exchanged: firm 2:0, proposer (script:debate.toml#north) wins with \"Cache it.\"");
    let page = env.rebut(["export", "last", "--as", "html"]).exits(0).stdout;
    for id in ["P1-closing", "exchange", "XP1", "XC1.1", "XC1-closing"] {
        assert_eq!(page.matches(&format!("id=\"{id}\"")).count(), 1, "{id}");
    }
}

#[test]
fn a_persuasive_debater_on_the_wrong_side_is_reported() {
    let env = machine(&thorough("challenger"));
    let run = env.duel(&THOROUGH).exits(3);
    let _ = run.shows("! Undecided: the same debater won both, challenger (script:debate.toml#south)");
    let state = env.debate().state();
    assert_eq!((&state["verdict"]["winner"], &state["status"]), (&Value::Null, &json!("completed")));
    assert_eq!(state["rebut"]["exchange"]["outcome"], json!({"result": "debater", "side": "challenger"}));
}

#[test]
fn a_second_debate_that_breaks_off_is_finished_by_a_resume() {
    let answer = thorough("proposer").answer("exchange/round-1/challenger");
    let lines = [ScriptLine::fail("auth"), ScriptLine::text(answer)];
    let env = machine(&thorough("proposer").instead("exchange/round-1/challenger", lines));
    let run = env.duel(&THOROUGH).exits(3).shows("! Partial · Firm: challenger (script:debate.toml#south) wins · ");
    let _ = run.shows("Positions exchanged: Round 1 is incomplete: the challenger (script) is not signed in");
    let _ = env.rebut(["resume", "last"]).exits(0).shows("the position wins no matter who argues it");
    assert!(env.debate().answers().values().all(|times| *times == 1), "{:?}", env.debate().answers());
    assert!(!env.debate().answers().contains_key("verdict/2/judge/1"), "the first debate is not judged again");
}

#[test]
fn another_verdict_is_on_both_debates() {
    let env = machine(&thorough("proposer").judged("verdict/2/judge", "challenger"));
    let _ = env.duel(&THOROUGH).exits(0);
    let before: BTreeSet<String> = env.debate().answers().into_keys().collect();
    let _ = env.rebut(["rejudge", "last"]).exits(0).shows("the position wins no matter who argues it");
    let new: Vec<String> = env.debate().answers().into_keys().filter(|key| !before.contains(key)).collect();
    let expected = ["exchange/verdict/2/judge/1", "exchange/verdict/2/judge/2", "verdict/2/judge/1", "verdict/2/judge/2"];
    assert_eq!(new, expected);
}

#[test]
fn a_kill_at_any_event_of_both_debates_loses_nothing() {
    let env = machine(&thorough("proposer"));
    let _ = env.duel(&THOROUGH).exits(0);
    let (expected, events) = (meaning(&env.debate()), env.debate().lines().len());
    assert_eq!(events, 26, "planned, twelve calls that start and end, finished");
    env.clear();
    for event in 1..events {
        for fault in [format!("kill-after:{event}"), format!("tear:{event}:20")] {
            env.duel_with_fault(&fault, &THOROUGH).was_killed();
            let _ = env.rebut(["resume", "last"]).exits(0);
            let debate = env.debate();
            assert_eq!((meaning(&debate), debate.status()), (expected.clone(), "completed".to_owned()), "{fault}");
            assert!(debate.answers().values().all(|times| *times == 1), "{fault}: {:?}", debate.answers());
            env.clear();
        }
    }
}
