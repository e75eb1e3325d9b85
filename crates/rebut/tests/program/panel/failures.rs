//! Seats that fail, budgets that end, and debates that count for nothing.

use rebut_fakes::ScriptLine;
use rebut_fakes::panel::{Disturbed, PanelScript, text};

use super::{asked, contents, documents, hold, log, machine_with_script, metadata};

const TWO: PanelScript = PanelScript { debaters: 2, rounds: 1 };

#[test]
fn a_seat_that_is_not_ready_is_named_and_the_debate_does_not_start() {
    let script = TWO.script().instead("ready/ben", [ScriptLine::fail("auth"), text(&serde_json::json!({"ready": true}))]);
    let env = machine_with_script(TWO, &script);
    let run = hold(&env, TWO, &[]).exits(1);
    let _ = run.shows("The debate did not start: ben (script:seats.toml#ben)").shows("rebut resume ");
    assert!(!env.workspace().join("papers").exists(), "there is nothing to put there");
    assert!(asked(&env.debate()).iter().all(|key| key.starts_with("ready/")));
    let _ = env.rebut(["resume", "last"]).exits(0).shows("## Outcome: anna_wins");
    assert_eq!(documents(&env).len(), 7);
}

#[test]
fn a_debater_that_fails_is_asked_again_and_the_debate_goes_on_without_the_turn() {
    let panel = PanelScript { debaters: 3, rounds: 1 };
    let s = panel.entry(1, 0);
    let failing = |key: &str, script: rebut_fakes::Script| {
        script.instead(key, [ScriptLine::fail("exit")]).instead(&format!("{key}/again"), [ScriptLine::fail("empty")])
    };
    let script = failing("round-1/ben", panel.script());
    // A ruling stands where the entry and its result would have been.
    let script = panel.turn(script, "round-1/carla", "rebuttal", s + 2, Some(s));
    let closing = s + 8;
    let arguments = vec![vec![2, s, closing + 2], vec![3, closing + 1], vec![4, s + 2, closing]];
    let script = panel.papers(script, &Disturbed { arguments, open: s + 2 });
    let env = machine_with_script(panel, &script);
    let _ = hold(&env, panel, &[]).exits(0);
    let rulings = contents(&env, "ruling");
    assert_eq!(
        rulings,
        ["Ruling: ben was asked again and returned an empty answer. The debate continues without this turn."]
    );
    let debate = env.debate();
    assert!(asked(&debate).contains(&"round-1/ben/again".to_owned()));
    assert!(asked(&debate).contains(&"closing/ben".to_owned()), "one failure is forgiven");
    assert!(debate.prompt("chair/judgement/1").contains("turns missed 1"));
    let _ = env.rebut(["check-log", "papers/debate-log.jsonl"]).exits(0);
}

#[test]
fn a_debater_failing_twice_in_a_row_leaves_the_panel_by_ruling() {
    let panel = PanelScript { debaters: 2, rounds: 2 };
    let script = ["round-1/ben", "round-2/ben"].iter().fold(panel.script(), |script, key| {
        script.instead(key, [ScriptLine::fail("exit")]).instead(&format!("{key}/again"), [ScriptLine::fail("exit")])
    });
    let s = panel.entry(1, 0);
    // A round of anna alone: her entry, the ruling, her result, what was found, and the next round.
    let script = panel.turn(script, "round-2/anna", "rebuttal", s + 5, Some(3));
    let closing = s + 12;
    let script = panel.papers(script, &Disturbed { arguments: vec![vec![2, s, s + 5, closing], vec![3]], open: s + 5 });
    let env = machine_with_script(panel, &script);
    let run = hold(&env, panel, &[]).exits(3);
    let run = run.shows("ben left the panel after failing twice in a row.");
    assert_eq!(contents(&env, "ruling")[2], "Ruling: ben has failed 2 times in a row and leaves the panel.");
    assert!(!asked(&env.debate()).contains(&"closing/ben".to_owned()), "{run}");
    assert_eq!(metadata(&env)["outcome"], "anna_wins");
}

#[test]
fn an_audience_that_does_not_answer_is_gone_on_without() {
    let env = machine_with_script(TWO, &TWO.script().instead("round-1/audience", [ScriptLine::hang()]));
    let _ = hold(&env, TWO, &["--timeout", "2"]).exits(0);
    assert_eq!(contents(&env, "audience_question"), Vec::<String>::new());
    assert_eq!(documents(&env).len(), 7);
}

#[test]
fn a_question_of_the_audience_is_logged_and_relayed() {
    let panel = PanelScript { debaters: 2, rounds: 2 };
    let question = serde_json::json!({"questions": [{"to": "ben", "question": "Who pays for it?"}]});
    let s = panel.entry(2, 0) + 1;
    let script = panel.script().instead("round-1/audience", [text(&question)]);
    let script = panel.turn(script, "round-2/anna", "rebuttal", s, Some(panel.entry(1, 1)));
    let script = panel.turn(script, "round-2/ben", "rebuttal", s + 1, Some(s));
    let first = |place| vec![panel.opening(place), panel.entry(1, place), s + place as u64];
    let script = panel.papers(script, &Disturbed { arguments: vec![first(0), first(1)], open: s + 1 });
    let env = machine_with_script(panel, &script);
    let _ = hold(&env, panel, &[]).exits(0).shows("audience | audience_question");
    assert_eq!(contents(&env, "audience_question"), ["To ben: Who pays for it?"]);
    let debate = env.debate();
    assert!(debate.prompt("round-2/ben").contains("Who pays for it?"));
    assert!(!debate.prompt("round-2/anna").contains("questions of the audience to you"));
}

#[test]
fn a_void_debate_has_no_blog_post() {
    let script = TWO.script().instead("chair/judgement/1", [text(&TWO.judgement("void", "Neither side can be relied on."))]);
    let script = script.instead("chair/judgement/2", [text(&TWO.judgement("void", "Nothing holds."))]);
    let env = machine_with_script(TWO, &script);
    let _ = hold(&env, TWO, &[]).exits(0).shows("## Outcome: void");
    assert!(!documents(&env).contains(&"blog-post.md".to_owned()), "{:?}", documents(&env));
    assert!(!asked(&env.debate()).contains(&"reporter/blog-post".to_owned()));
    assert_eq!(metadata(&env)["outcome"], "void");
}

#[test]
fn the_time_budget_is_soft_and_looked_at_between_rounds() {
    let panel = PanelScript { debaters: 2, rounds: 2 };
    let env = machine_with_script(panel, &panel.script());
    let _ = hold(&env, panel, &["--max-rounds", "5", "--time-budget", "0"]).exits(0);
    let announced = contents(&env, "announcement");
    let end = "The rounds end after 2 of at most 5: the time budget of 0 minutes is used up.";
    assert!(announced.iter().any(|text| text == end), "{announced:?}");
    assert!(asked(&env.debate()).contains(&"closing/anna".to_owned()), "what was begun is brought to its end");
}

#[test]
fn a_natural_conclusion_ends_the_rounds_after_the_least() {
    let panel = PanelScript { debaters: 2, rounds: 2 };
    let concluded = serde_json::json!({"concluded": true, "reason": "All is said."});
    let script = panel.script().instead("round-2/chair/natural-end", [text(&concluded)]);
    let env = machine_with_script(panel, &script);
    let _ = hold(&env, panel, &["--max-rounds", "5"]).exits(0);
    assert!(contents(&env, "announcement").iter().any(|text| text.contains("the chair sees a natural end (All is said)")));
    assert!(!asked(&env.debate()).contains(&"round-1/chair/natural-end".to_owned()), "not before the least rounds");
}

#[test]
fn judgements_that_differ_with_the_order_of_the_debaters_are_a_draw() {
    let other = text(&TWO.judgement("ben_wins", "It had the last word."));
    let env = machine_with_script(TWO, &TWO.script().instead("chair/judgement/2", [other]));
    let run = hold(&env, TWO, &[]).exits(3).shows("## Outcome: draw").shows("! Undecided: a draw");
    let _ = run.shows("anna_wins: Its arguments were better supported.").shows("ben_wins: It had the last word.");
    assert_eq!(metadata(&env)["outcome"], "draw");
    assert!(
        env.debate().prompt("chair/judgement/2").find("ben: ") < env.debate().prompt("chair/judgement/2").find("anna: ")
    );
}

#[test]
fn a_judgement_that_fails_is_left_out() {
    let env = machine_with_script(TWO, &TWO.script().instead("chair/judgement/2", [ScriptLine::fail("auth")]));
    let run = hold(&env, TWO, &[]).exits(3).shows("## Outcome: anna_wins").shows("**Single ballot.**");
    let _ = run.shows("The judgement chair/judgement/2 is left out: the chair");
}

#[test]
fn a_judge_that_fails_leaves_a_log_that_can_be_judged_later() {
    let judged = text(&TWO.judgement("ben_wins", "It was better supported."));
    let env = machine_with_script(TWO, &TWO.script().instead("chair/judgement/1", [ScriptLine::fail("auth"), judged]));
    let env = env.set("REBUT_VERDICT_RIGOR", "quick");
    let _ = hold(&env, TWO, &[]).exits(3).shows("No conclusion: the chair");
    let before = log(&env);
    let _ = env.rebut(["resume", "last", "--judge", "script:seats.toml#ben"]).exits(0).shows("## Outcome: ben_wins");
    assert_eq!(log(&env)[..before.len()], before[..]);
    let _ = env.rebut(["resume", "last", "--judge", "script:seats.toml#anna"]).exits(2).says("this panel has been judged");
    let _ = env.rebut(["resume", "last", "--rounds", "4"]).exits(2).says("the rounds of this panel are over");
}

#[test]
fn a_panel_is_cancelled_and_goes_on_where_it_was() {
    let env = machine_with_script(TWO, &TWO.script().instead("round-1/ben", [ScriptLine::hang()]));
    let mut running = env.start(super::arguments(TWO, &["--json"]));
    let _ =
        running.wait_for(|event| event["happening"]["kind"] == "answered" && event["happening"]["key"] == "round-1/anna");
    let _ = env.rebut(["cancel", "last"]).exits(0);
    let _ = running.end().exits(130);
    assert!(documents(&env).contains(&"summary.md".to_owned()), "what there is can be read");
    env.write("seats.toml", TWO.script().to_toml());
    let _ = env.rebut(["resume"]).exits(0);
    assert!(env.debate().answers().values().all(|times| *times == 1));
}
