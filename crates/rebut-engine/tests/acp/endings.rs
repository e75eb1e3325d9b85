//! How calls end that get no answer: by name, within their limits, and with nobody left.

use std::time::Duration;

use rebut_core::debate::{Cause, Retry};
use rebut_engine::providers::tool;
use tokio_util::sync::CancellationToken;

use crate::NOBODY;
use crate::bench::Bench;

/// Several agents that start at once on a busy machine may all be too slow.
#[tokio::test]
async fn an_agent_that_is_too_slow_to_start_is_started_once_more() {
    let mut bench = Bench::playing("answers");
    bench.setup.greeting = Duration::from_secs(2);
    bench.starting_slowly_once();
    let seat = bench.seat();
    assert_eq!(bench.ask(&seat).await.unwrap().text, "answer 1");
    bench.close(seat).await;
    bench.setup.command.arguments = vec!["-c".into(), "exec sleep 1000".into()];
    bench.setup.greeting = Duration::from_millis(200);
    let failure = bench.ask(&bench.seat()).await.unwrap_err();
    assert_eq!(failure.cause, Cause::Stalled);
    assert!(failure.advice.unwrap().contains("limits.agent_start_seconds"));
    assert_eq!(bench.survivors(), Vec::<String>::new());
}

#[tokio::test]
async fn stop_reasons_and_errors_are_failures_by_name() {
    for (case, cause) in [
        ("refusal", Cause::Refused),
        ("max_tokens", Cause::Truncated),
        ("max_turn_requests", Cause::Exit),
        ("cancelled", Cause::Cancelled),
        ("empty", Cause::Empty),
        ("error:-32000:Please do it", Cause::Auth),
        ("error:401:no", Cause::Auth),
        ("error:429:slow down", Cause::RateLimited),
        ("error:503:busy", Cause::Unavailable),
        ("error:404:no such model", Cause::UnknownModel),
        ("error:-32603:Internal error", Cause::Exit),
        ("error:-32603:Internal error: the model gpt-0 does not exist", Cause::UnknownModel),
        ("error:-32603:Internal error: 429 Too Many Requests", Cause::RateLimited),
        ("error:-32603:Internal error: prompt is too long", Cause::ContextTooLong),
        ("error:-32601:Method not found", Cause::Exit),
    ] {
        let bench = Bench::playing(case);
        let seat = bench.seat();
        let failure = bench.ask(&seat).await.unwrap_err();
        assert_eq!(failure.cause, cause, "{case}: {failure}");
        assert_eq!(seat.idle_processes().len(), 1, "{case}: it said so in good order and is kept");
        bench.close(seat).await;
    }
}

#[tokio::test]
async fn an_agent_that_dies_says_why() {
    for (case, cause, word) in
        [("dies", Cause::Truncated, "fatal: out of memory"), ("dies-at-once", Cause::Auth, "not logged in")]
    {
        let bench = Bench::playing(case);
        let seat = bench.seat();
        let failure = bench.ask(&seat).await.unwrap_err();
        assert_eq!(failure.cause, cause, "{case}: {failure}");
        assert!(failure.detail.contains(word), "{case}: {failure}");
        assert!(failure.complaints().contains(word), "{case}: {failure:?}");
        assert_eq!(bench.survivors(), NOBODY);
    }
    let mut bench = Bench::playing("answers");
    bench.setup.command.program = "/no/such/agent".into();
    assert_eq!(bench.ask(&bench.seat()).await.unwrap_err().cause, Cause::NotInstalled);
}

#[tokio::test]
async fn silence_has_its_limits_and_leaves_nobody() {
    for case in ["silent", "silent-session"] {
        let mut bench = Bench::playing(case);
        bench.setup.greeting = Duration::from_millis(200);
        let seat = bench.seat();
        assert_eq!(bench.ask(&seat).await.unwrap_err().cause, Cause::Stalled, "{case}");
        assert_eq!(bench.survivors(), NOBODY, "{case}");
    }
    // Asked, it says nothing at all: the time for the first word or deed is up before that for silence.
    let mut bench = Bench::playing("mute");
    bench.setup.limits.first_output = Some(Duration::from_millis(200));
    let seat = bench.seat();
    let failure = bench.ask(&seat).await.unwrap_err();
    assert_eq!((failure.cause, failure.detail.as_str()), (Cause::Stalled, "no output for 0.2 s"));
    assert_eq!(failure.retry(false), Retry::UntilLimit, "nothing of an answer has come");
    bench.close(seat).await;
    // Where the call may take no longer, its own limit counts, which is the runner's to watch.
    bench.order.limit = Duration::from_millis(200);
    let seat = bench.seat();
    assert_eq!(bench.ask_and_cancel(&seat).await.unwrap_err().cause, Cause::Cancelled);
    bench.close(seat).await;
    for (case, kept) in [("hang", 1), ("ignores-cancel", 0)] {
        let mut bench = Bench::playing(case);
        bench.setup.limits.stall = Some(Duration::from_millis(200));
        let seat = bench.seat();
        assert_eq!(bench.ask(&seat).await.unwrap_err().cause, Cause::Stalled, "{case}");
        assert_eq!(seat.idle_processes().len(), kept, "{case}");
        bench.close(seat).await;
    }
}

#[tokio::test]
async fn an_agent_that_only_shows_that_it_lives_has_fallen_silent_all_the_same() {
    let mut bench = Bench::playing("shows-life");
    bench.setup.limits.stall = Some(Duration::from_millis(200));
    let seat = bench.seat();
    let failure = bench.ask(&seat).await.unwrap_err();
    assert_eq!((failure.cause, failure.detail.as_str()), (Cause::Stalled, "no output for 0.2 s"));
    assert!(failure.complaints().starts_with("still there"), "what it complained is kept: {failure:?}");
    assert_eq!(bench.survivors(), NOBODY);
}

#[tokio::test]
async fn an_agent_that_tries_again_and_again_by_itself_is_stopped_with_what_it_says_of_it() {
    let mut bench = Bench::playing("tries-again");
    bench.setup.command.tool = tool("opencode");
    let seat = bench.seat();
    let failure = bench.ask(&seat).await.unwrap_err();
    assert_eq!((failure.cause, failure.detail.contains("something went wrong here")), (Cause::Unavailable, true));
    assert_eq!(bench.told("session/cancel").len(), 1);
    bench.close(seat).await;
    // It asks again for an answer that broke off, and says nothing of it.
    let mut bench = Bench::playing("starts-over");
    bench.setup.command.quirks.restarts_answers = true;
    let seat = bench.seat();
    assert_eq!(bench.ask(&seat).await.unwrap_err().cause, Cause::Truncated);
    assert_eq!(bench.told("session/cancel").len(), 1);
    bench.close(seat).await;
    // One failure that it gets over by itself is no concern of ours.
    let mut bench = Bench::playing("tries-once");
    bench.setup.command.tool = tool("opencode");
    let seat = bench.seat();
    assert_eq!(bench.ask(&seat).await.unwrap().text, "answer");
    bench.close(seat).await;
}

#[tokio::test]
async fn a_flood_is_cut_and_what_is_taken_counts_anew_in_every_call() {
    let mut bench = Bench::playing("floods");
    bench.setup.child_limits.most_bytes = 1_000_000;
    let seat = bench.seat();
    assert_eq!(bench.ask(&seat).await.unwrap_err().cause, Cause::TooLarge);
    assert_eq!(bench.survivors(), NOBODY);
    let mut bench = Bench::playing("answers");
    bench.setup.child_limits.most_bytes = 3_000;
    let seat = bench.seat();
    for _ in 0..10 {
        bench.ask(&seat).await.unwrap();
    }
    assert_eq!(bench.processes().len(), 1);
    bench.close(seat).await;
}

#[tokio::test]
async fn what_an_agent_started_elsewhere_ends_with_it() {
    let bench = Bench::playing("forks");
    let seat = bench.seat();
    assert_eq!(bench.ask(&seat).await.unwrap().text, "answer");
    // A process has no environment to be known by while it turns into another program: it is looked for until it has.
    let found = (0..100_000).any(|_| {
        std::thread::yield_now();
        bench.survivors().len() >= 2
    });
    assert!(found, "the agent's own child was never seen");
    bench.close(seat).await;
}

#[tokio::test]
async fn a_call_or_a_seat_that_is_dropped_takes_its_agent_along() {
    let bench = Bench::playing("hang");
    let seat = bench.seat();
    tokio::select! {
        _ = bench.ask(&seat) => panic!("it ended by itself"),
        () = bench.until_told("session/prompt") => {}
    }
    assert_eq!(bench.survivors(), NOBODY);
    let bench = Bench::playing("forks");
    let seat = bench.seat();
    bench.ask(&seat).await.unwrap();
    drop(seat);
    assert_eq!(bench.survivors(), NOBODY);
}

#[tokio::test]
async fn a_call_that_is_cancelled_before_it_began_starts_nothing_that_stays() {
    let bench = Bench::playing("silent");
    let cancel = CancellationToken::new();
    cancel.cancel();
    assert_eq!(bench.ask_with(&bench.seat(), cancel).await.unwrap_err().cause, Cause::Cancelled);
    assert_eq!(bench.survivors(), NOBODY);
}
