//! Budgets: what a limit does to a duel, and that something is left to judge it.

use rebut_core::debate::{Amendment, BudgetLimit, Cause, Cost, Happening, Price, SeatName, Share, Status, Usage};

use crate::test_debate::texts;
use crate::{Reply, TestDebate};

/// With the usage of test answers and the estimates of calls, this lasts for the first round and the beginning of the
/// second.
const SOME_TOKENS: u64 = 6_500;

fn tokens(max: u64, share: u64) -> TestDebate {
    TestDebate::planned(3, |plan| {
        plan.budget.max_tokens = Some(max);
        plan.verdict_share.tokens = share;
    })
}

fn dollars(amount: f64) -> Cost {
    Cost::from_dollars(amount).expect("an amount")
}

/// The time limits with which a call was handed to its seat.
fn limits(debate: &TestDebate, key: &str) -> Vec<u64> {
    let started = debate.events().iter().filter_map(|event| match &event.happening {
        Happening::Started { key: started, limit_ms, .. } if started.as_str() == key => Some(*limit_ms),
        _ => None,
    });
    started.collect()
}

#[test]
fn a_debate_without_limits_never_runs_into_one() {
    let debate = TestDebate::duel(5).run();
    assert_eq!(debate.budget_spent(), []);
    assert_eq!(limits(&debate, "verdict/judge/1"), [240_000]);
}

#[test]
fn the_share_of_the_verdict_is_what_stops_the_debate_in_time() {
    let debate = tokens(SOME_TOKENS, 0).run();
    assert!(debate.asked().contains(&"round-2/proposer"), "without a share the next statement still fits");
}

#[test]
fn a_round_that_the_budget_will_not_see_is_not_summarised() {
    let spent_by_then = 2 * 1_300;
    let statement = TestDebate::duel(3).run().prompt("round-2/proposer").estimate() + 1_500;
    let debate = tokens(spent_by_then + statement, 0).run();
    // The summary for round 3 does not fit beside the statement under way; the statement is still waited for.
    assert_eq!(debate.asked(), ["round-1/proposer", "round-1/challenger", "round-2/proposer", "verdict/judge/1"]);
    assert_eq!(debate.budget_spent(), [BudgetLimit::Tokens]);
    assert!(debate.lines()[0].starts_with("Round 2 is incomplete: the challenger was not asked."));
}

#[test]
fn a_limit_that_ends_with_the_last_round_leaves_the_debate_complete() {
    let spent_by_then = 2 * 1_300;
    let debate = TestDebate::planned(1, |plan| plan.budget.max_tokens = Some(spent_by_then + 1_500)).run();
    assert_eq!(debate.status(), Status::Completed, "the verdict is always admitted");
}

#[test]
fn a_budget_that_pays_for_no_opening_ends_in_failure() {
    let debate = tokens(100, 0).run();
    assert_eq!(debate.status(), Status::Failed);
    assert_eq!(debate.lines(), ["The token budget is used up.", "Debate failed: no successful exchanges were recorded."]);
}

#[test]
fn a_budget_that_pays_for_no_answer_leaves_the_opening_uncontested() {
    let debate = tokens(3_000, 0).run();
    assert_eq!(debate.status(), Status::Uncontested);
    assert_eq!(debate.lines()[0], "The token budget is used up.");
}

#[test]
fn at_the_time_limit_the_complete_rounds_are_judged() {
    // Every event takes a second: the sixth ends the proposer's second statement.
    let debate = TestDebate::planned(2, |plan| {
        plan.budget.max_ms = Some(8_000);
        plan.verdict_share.ms = 2_000;
    });
    let debate = debate.run();
    assert_eq!(debate.budget_spent(), [BudgetLimit::Time]);
    assert_eq!(debate.status(), Status::Partial);
    assert_eq!(
        debate.lines(),
        [
            "Round 2 is incomplete: the challenger was not asked. The time budget is used up.",
            "The verdict rests on the 1 complete round."
        ]
    );
    assert_eq!(limits(&debate, "verdict/judge/1"), [1_000], "the verdict has what is left");
}

#[test]
fn a_call_may_run_no_longer_than_the_budget() {
    let debate = TestDebate::planned(2, |plan| {
        plan.budget.max_ms = Some(100_000);
        plan.verdict_share = Share::for_verdict(&plan.budget, plan.timeout_ms, 0, Cost::default());
    });
    let debate = debate.on("round-2/proposer", Reply::Hangs).run();
    assert_eq!(limits(&debate, "round-1/proposer"), [75_000]);
    assert_eq!(limits(&debate, "round-2/proposer"), [71_000]);
    assert_eq!(debate.failure("round-2/proposer").cause, Cause::Budget);
    assert_eq!(debate.status(), Status::Partial);
    assert_eq!(
        debate.lines(),
        [
            "Round 2 is incomplete: the proposer (alder) was stopped by the debate's budget.",
            "The verdict rests on the 1 complete round."
        ]
    );
    assert_eq!(limits(&debate, "verdict/judge/1"), [24_000]);
}

#[test]
fn a_verdict_for_which_no_time_is_left_has_failed() {
    let debate = TestDebate::planned(1, |plan| plan.budget.max_ms = Some(4_000)).run();
    assert_eq!(debate.status(), Status::Partial);
    assert_eq!(debate.lines()[0], "No verdict: the judge (cedar) was stopped by the debate's budget.");
}

#[test]
fn a_seat_with_a_price_is_asked_only_if_its_estimate_fits() {
    let debate = TestDebate::planned(2, |plan| {
        plan.budget.max_cost = Some(dollars(0.10));
        let price = Price { input: dollars(3.0), output: dollars(15.0) };
        plan.seats.values_mut().for_each(|seat| seat.price = Some(price));
    });
    // A statement is estimated at about 2.5 cents; each of these took 4.
    let usage = Usage { cost: Some(dollars(0.04)), ..Usage::default() };
    let said = |key: &str| Reply::Costs(texts::fitting(key), usage);
    let debate =
        debate.on("round-1/proposer", said("round-1/proposer")).on("round-1/challenger", said("round-1/challenger")).run();
    assert_eq!(debate.budget_spent(), [BudgetLimit::Cost]);
    assert_eq!(debate.asked(), ["round-1/proposer", "round-1/challenger", "verdict/judge/1"]);
}

#[test]
fn a_statement_that_costs_exactly_what_is_left_is_asked_for_and_then_nothing_is() {
    // Prompts cost nothing, and 1,500 tokens of answer three cents: the estimate of a statement.
    let with = |limit: Cost| {
        let debate = TestDebate::planned(1, |plan| {
            plan.budget.max_cost = Some(limit);
            let price = Price { input: Cost::default(), output: dollars(20.0) };
            plan.seats.values_mut().for_each(|seat| seat.price = Some(price));
        });
        let usage = Usage { cost: Some(dollars(0.03)), ..Usage::default() };
        debate.on("round-1/proposer", Reply::Costs(texts::fitting("round-1/proposer"), usage)).run()
    };
    let enough = dollars(0.06);
    assert_eq!(with(enough).asked(), ["round-1/proposer", "round-1/challenger", "verdict/judge/1"]);
    let short = with(Cost::from_nanodollars(enough.nanodollars() - 1));
    assert_eq!(short.asked(), ["round-1/proposer"]);
    assert_eq!(short.budget_spent(), [BudgetLimit::Cost]);
}

#[test]
fn a_cost_limit_that_is_used_up_exactly_holds_for_a_seat_without_a_price() {
    let usage = Usage { cost: Some(dollars(0.10)), ..Usage::default() };
    let with = |limit: Cost| {
        let debate = TestDebate::planned(1, |plan| plan.budget.max_cost = Some(limit));
        debate.on("round-1/proposer", Reply::Costs(texts::fitting("round-1/proposer"), usage)).run()
    };
    assert_eq!(with(dollars(0.10)).asked(), ["round-1/proposer"]);
    let more = Cost::from_nanodollars(dollars(0.10).nanodollars() + 1);
    assert_eq!(with(more).asked(), ["round-1/proposer", "round-1/challenger", "verdict/judge/1"]);
}

#[test]
fn a_cost_that_the_tool_does_not_report_is_estimated_from_the_price() {
    let debate = TestDebate::planned(1, |plan| {
        let price = Price { input: dollars(1_000.0), output: dollars(2_000.0) };
        plan.seats.get_mut(&SeatName::new("proposer")).expect("a proposer").price = Some(price);
    });
    let debate = debate.run();
    // 1,000 tokens of prompt and 300 of answer, by one of the seats.
    assert_eq!(debate.debate().spent_cost(), dollars(1.60));
    assert_eq!(debate.debate().accounts().total().cost.unknown, 3, "the accounts hold only what was reported");
}

#[test]
fn tokens_that_the_tool_does_not_report_are_estimated_from_the_bytes() {
    let said = texts::with_block("Keep it as it is.", r#"{"claims": []}"#);
    let (silent, tokens) = (Reply::Costs(said.clone(), Usage::default()), said.len().div_ceil(4) as u64);
    let debate = TestDebate::duel(1).on("round-1/proposer", silent).fails("round-1/challenger", Cause::Exit, "").run();
    let prompt = debate.prompt("round-1/proposer");
    assert_eq!(debate.debate().spent_tokens(), prompt.estimate() + tokens, "and a failed call without a report is unpaid");
}

#[test]
fn a_debate_that_is_resumed_with_a_spent_budget_keeps_its_verdict() {
    let debate = tokens(SOME_TOKENS, 2_000).run().resume(Amendment::default());
    assert_eq!(debate.asked(), ["round-1/proposer", "round-1/challenger", "verdict/judge/1"]);
    assert_eq!((debate.status(), debate.outcome().verdict.is_some()), (Status::Partial, true));
}
