//! The table of time, tokens and cost: its sums, and that the unknown is said to be unknown.

use rebut_core::debate::{Account, Accounts, Cause, Cost, Failure, Sum, Usage};

use crate::test_debate::texts;
use crate::{Cut, Reply, TestDebate};

fn usage(input: u64, output: u64, cost: Option<u64>) -> Usage {
    Usage { input_tokens: Some(input), output_tokens: Some(output), cost: cost.map(Cost::from_nanodollars) }
}

fn known(known: u64) -> Sum {
    Sum { known, unknown: 0 }
}

fn row<'a>(accounts: &'a Accounts, seat: &str, phase: &str) -> &'a Account {
    let mut rows = accounts.rows().iter().filter(|row| row.seat.as_str() == seat && row.phase.0 == phase);
    rows.next().unwrap_or_else(|| panic!("no row for {seat} in {phase}"))
}

#[test]
fn every_seat_has_a_row_for_each_phase_in_the_order_of_the_debate() {
    let debate = TestDebate::duel(3).run();
    let rows: Vec<String> =
        debate.debate().accounts().rows().iter().map(|row| format!("{}, {}: {}", row.seat, row.phase, row.calls)).collect();
    assert_eq!(
        rows,
        [
            "proposer, round 1: 1",
            "challenger, round 1: 1",
            "judge, summary: 1",
            "proposer, round 2: 1",
            "challenger, round 2: 1",
            "proposer, round 3: 1",
            "challenger, round 3: 1",
            "judge, verdict: 1",
        ]
    );
}

#[test]
fn sums_are_exact_and_an_unknown_part_is_counted_as_unknown() {
    let debate = TestDebate::duel(1)
        .on("round-1/proposer", Reply::Costs(texts::fitting("round-1/proposer"), usage(1_200, 310, Some(7))))
        .on("round-1/challenger", Reply::Costs(texts::fitting("round-1/challenger"), usage(900, 90, None)))
        .on("verdict/judge/1", Reply::Costs(texts::fitting("verdict/judge/1"), Usage::default()))
        .run();
    let accounts = debate.debate().accounts();
    assert_eq!(row(accounts, "proposer", "round 1").cost, known(7));
    assert_eq!(row(accounts, "challenger", "round 1").cost, Sum { known: 0, unknown: 1 });
    assert_eq!(row(accounts, "judge", "verdict").output_tokens, Sum { known: 0, unknown: 1 });
    let total = accounts.total();
    assert_eq!(total.calls, 3);
    assert_eq!(total.input_tokens, Sum { known: 2_100, unknown: 1 });
    assert_eq!(total.output_tokens, Sum { known: 400, unknown: 1 });
    assert_eq!(total.cost, Sum { known: 7, unknown: 2 });
    assert_eq!(total.ms, 3_000, "each call took from one event to the next");
}

#[test]
fn a_rejected_answer_was_paid_for() {
    let rejected = Reply::Costs("No verdict today.".to_owned(), usage(2_000, 10, Some(3)));
    let accepted = Reply::Costs(texts::fitting("verdict/judge/1"), usage(2_100, 400, Some(5)));
    let debate = TestDebate::duel(1).on("verdict/judge/1", rejected).on("verdict/judge/1", accepted).run();
    let verdict = row(debate.debate().accounts(), "judge", "verdict");
    assert_eq!((verdict.calls, verdict.input_tokens, verdict.cost), (2, known(4_100), known(8)));
}

#[test]
fn a_failed_call_and_a_retry_count_with_what_they_reported() {
    let mut overloaded = Failure::new(Cause::Unavailable, "529");
    overloaded.usage = usage(50, 0, Some(1));
    let debate = TestDebate::duel(1)
        .on("round-1/proposer", Reply::Stumbles(overloaded))
        .on("round-1/proposer", Reply::Stumbles(Failure::new(Cause::RateLimited, "")))
        .on("round-1/proposer", Reply::Costs(texts::fitting("round-1/proposer"), usage(1_000, 200, Some(4))))
        .on("round-1/challenger", Reply::Hangs)
        .run();
    let accounts = debate.debate().accounts();
    let proposer = row(accounts, "proposer", "round 1");
    assert_eq!((proposer.calls, proposer.ms), (1, 3_000), "retries happen inside the call");
    assert_eq!((proposer.input_tokens, proposer.cost), (known(1_050), known(5)));
    let challenger = row(accounts, "challenger", "round 1");
    assert_eq!((challenger.ms, challenger.cost), (240_000, Sum { known: 0, unknown: 1 }));
    assert_eq!(debate.debate().spent_tokens(), 1_250);
}

#[test]
fn the_time_in_which_nobody_ran_the_debate_is_no_time_of_it() {
    let straight = TestDebate::duel(2).run();
    for cut in [Cut::Killed, Cut::Stopped] {
        // After the fourth event the challenger's first statement is under way.
        let debate = TestDebate::duel(2).cut(4, cut).run();
        let elapsed = |debate: &TestDebate| debate.debate().elapsed_ms(debate.debate().last_at());
        assert!(elapsed(&debate) < elapsed(&straight) + 10_000, "{cut:?}: the pause counts as time of the debate");
        let challenger = row(debate.debate().accounts(), "challenger", "round 1");
        assert_eq!(challenger.calls, 2, "{cut:?}");
        assert!(challenger.ms < 10_000, "{cut:?}: the pause counts as time of the call");
        assert_eq!(challenger.input_tokens, Sum { known: 1_000, unknown: 1 }, "{cut:?}");
    }
}

#[test]
fn accounts_read_back_are_the_same_accounts() {
    let debate = TestDebate::duel(2).run();
    let text = serde_json::to_string(debate.debate().accounts()).expect("accounts are JSON");
    let back: Accounts = serde_json::from_str(&text).expect("and read back");
    assert_eq!(&back, debate.debate().accounts());
}

#[test]
fn a_tool_that_reports_absurd_numbers_breaks_no_sum() {
    let absurd = || Reply::Costs(texts::fitting("round-1/proposer"), usage(u64::MAX, u64::MAX, Some(u64::MAX)));
    let debate = TestDebate::planned(1, |plan| {
        plan.budget.max_tokens = Some(1_000_000);
        plan.budget.max_cost = Some(Cost::from_nanodollars(u64::MAX));
    });
    let debate = debate.on("round-1/proposer", absurd()).run();
    assert_eq!(debate.debate().accounts().total().input_tokens.known, u64::MAX);
    assert_eq!(debate.debate().spent_tokens(), u64::MAX);
}
