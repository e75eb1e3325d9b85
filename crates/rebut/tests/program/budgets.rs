//! At the limit of a budget a debate ends with a judged result on the rounds that were held.

use rebut_fakes::{Run, Script, ScriptLine, TestEnv};

use crate::{machine_for, machine_judged_once};

/// One round was held, the second was not, and that is what was judged.
fn ends_judged_after_one_round(env: &TestEnv, run: Run, incomplete: &str) {
    let run = run.exits(3).shows(&format!("{incomplete}\n\nThe verdict rests on the 1 complete round."));
    let _ = run.shows("had the stronger case").shows("- Rounds completed: 1 of 2");
    let state = env.debate().state();
    assert_eq!((state["status"].as_str(), state["rounds_completed"].as_u64()), (Some("partial"), Some(1)));
    assert_eq!(
        env.debate().answers().keys().collect::<Vec<_>>(),
        ["round-1/challenger", "round-1/proposer", "verdict/judge/1"]
    );
}

/// Every call reports 2,500 tokens; of the 13,000, half are set aside for the verdict.
fn with_tokens() -> Script {
    Script::duel(2).everywhere("input_tokens", 1_300).everywhere("output_tokens", 1_200)
}

#[test]
fn a_token_budget_ends_the_debate_with_a_verdict() {
    let env = machine_judged_once(&with_tokens());
    let run = env.duel(&["--max-tokens", "13000"]).says("note: Budget reached (token budget): going to the verdict");
    let incomplete = "Round 2 is incomplete: the proposer was not asked. The token budget is used up.";
    ends_judged_after_one_round(&env, run, incomplete);
    assert_eq!(env.debate().of_kind("budget_spent").len(), 1);
}

#[test]
fn a_debate_whose_budget_is_spent_goes_on_with_a_larger_one_and_only_with_that() {
    let env = machine_judged_once(&with_tokens());
    let _ = env.duel(&["--max-tokens", "13000"]).exits(3);
    let refused = env.rebut(["resume", "last"]).exits(2);
    let expected = "error: the debate's budget is used up\n\
                    hint: raise it: --max-minutes, --max-tokens or --max-cost\n";
    assert_eq!(refused.stderr, expected);
    let _ = env.rebut(["resume", "last", "--max-tokens", "100000"]).exits(0).shows("- Rounds completed: 2 of 2");
    assert!(env.debate().answers().values().all(|times| *times == 1));
}

/// A statement is expected to cost $0.016 and costs $0.02; the verdict's share of the $0.08 is $0.029.
#[test]
fn a_cost_budget_ends_the_debate_with_a_verdict() {
    let script = Script::duel(2).everywhere("cost_usd", 0.02);
    let script = ["north", "south", "bench"].iter().fold(script, |script, name| script.priced(name, 1.0, 10.0));
    let env = machine_judged_once(&script);
    let run = env.duel(&["--max-cost", "0.08"]).says("note: Budget reached (cost budget): going to the verdict");
    let incomplete = "Round 2 is incomplete: the proposer was not asked. The cost budget is used up.";
    ends_judged_after_one_round(&env, run, incomplete);
}

#[test]
fn the_smallest_budget_that_is_accepted_comes_to_a_verdict() {
    let script = Script::duel(1).everywhere("input_tokens", 1_500).everywhere("output_tokens", 1_500);
    let env = machine_judged_once(&script);
    let refused = env.duel(&["--rounds", "1", "--max-tokens", "100"]).exits(2);
    let needed = refused.stderr.split("need about ").nth(1).and_then(|rest| rest.split(' ').next());
    let run = env.duel(&["--rounds", "1", "--max-tokens", needed.expect("what is needed")]);
    let _ = run.exits(0).shows("had the stronger case").shows("- Rounds completed: 1 of 1");
}

#[test]
fn a_cost_budget_with_unknown_prices_says_what_it_counts() {
    let env = machine_for(&Script::duel(1));
    let run = env.duel(&["--rounds", "1", "--max-cost", "1"]).exits(0);
    let _ = run.shows("the price of challenger, judge, proposer is unknown: --max-cost counts only reported costs");
}

/// Of the three seconds a quarter is set aside for the verdict, which a script gives at once.
#[test]
fn a_time_budget_cuts_the_call_under_way_and_ends_the_debate_with_a_verdict() {
    let env = machine_judged_once(&Script::duel(2).instead("round-2/proposer", [ScriptLine::hang()]));
    let run = env.duel(&["--max-minutes", "0.05"]);
    let incomplete = "Round 2 is incomplete: the proposer (script) was stopped by the debate's budget.";
    ends_judged_after_one_round(&env, run, incomplete);
}

#[test]
fn limits_that_are_none_are_refused() {
    let env = machine_for(&Script::duel(1));
    for (flag, key, takes) in [
        ("--max-tokens", "budget.max_tokens", "a whole number above 0"),
        ("--max-cost", "budget.max_cost", "an amount of dollars above 0"),
        ("--max-minutes", "budget.max_minutes", "a number of minutes above 0"),
    ] {
        for value in ["0", "-1"] {
            let run = env.duel(&[flag, value]).exits(2);
            let _ = run.says(&format!(" for `{key}` in {flag}: expected {takes}"));
        }
    }
    let _ = env.duel(&["--max-cost", "nan"]).exits(2);
    let _ = env.duel(&["--max-minutes", "inf"]).exits(2);
    assert!(!env.state().exists());
}
