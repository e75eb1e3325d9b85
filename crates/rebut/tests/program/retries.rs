//! Calls that are tried again: which failures are worth it, how long is waited, and within which limit.

use rebut_fakes::{Script, ScriptLine};
use serde_json::Value;

use crate::machine_for;

/// The first wait fits into the limit of one second and is made; the second does not, and is not.
#[test]
fn the_time_limit_is_for_the_whole_call_with_all_its_retries() {
    let limited = |wait: i64| ScriptLine::fail("rate_limited").set("retry_after_ms", wait).set("detail", "429");
    let env = machine_for(&Script::duel(1).instead("round-1/challenger", [limited(10), limited(2_000)]));
    let run = env.duel(&["--rounds", "1", "--timeout", "1"]).exits(3);
    let _ = run.says("warning: round 1, challenger: script is rate limited (429); retrying in 0.1 s");
    let debate = env.debate();
    let waits: Vec<Value> = debate.of_kind("retrying").iter().map(|line| line.happening["wait_ms"].clone()).collect();
    assert_eq!(waits, [100]);
    assert_eq!(debate.of_kind("failed")[0].happening["failure"]["cause"], "rate_limited");
    // The retries are one attempt of one call.
    assert_eq!(debate.of_kind("started").iter().filter(|line| line.key() == "round-1/challenger").count(), 1);
}

#[test]
fn a_failure_that_does_not_pass_is_not_tried_again() {
    for cause in ["auth", "exit", "refused", "unknown_model", "context_too_long", "unparsable"] {
        let script = Script::duel(1)
            .instead("round-1/challenger", [ScriptLine::fail(cause), ScriptLine::text("Argument, too late.")]);
        let env = machine_for(&script);
        let _ = env.duel(&["--rounds", "1"]).exits(3);
        assert_eq!(env.debate().of_kind("retrying").len(), 0, "{cause}");
    }
}

#[test]
fn an_answer_that_broke_off_is_asked_for_once_more() {
    let cut = || ScriptLine::fail("truncated").set("retry_after_ms", 1);
    let script = |lines: Vec<ScriptLine>| Script::duel(1).instead("round-1/challenger", lines);
    let env = machine_for(&script(vec![cut(), ScriptLine::text("Argument of the challenger, whole.")]));
    let _ = env.duel(&["--rounds", "1"]).exits(0).shows("Argument of the challenger, whole.");
    let retried = env.debate().of_kind("retrying");
    assert_eq!(retried.len(), 1);
    assert_eq!(retried[0].happening["failure"]["cause"], "truncated");
    let env = machine_for(&script(vec![cut(), cut(), ScriptLine::text("Argument, too late.")]));
    let _ = env.duel(&["--rounds", "1"]).exits(3);
    assert_eq!(env.debate().of_kind("retrying").len(), 1, "the answer is paid for twice and no more");
}

#[test]
fn a_provider_that_asks_for_no_wait_is_not_asked_without_end() {
    let storm = ScriptLine::fail("rate_limited").set("retry_after_ms", 0_i64);
    let env = machine_for(&Script::duel(1).instead("round-1/proposer", [storm]));
    let _ = env.duel(&["--rounds", "1", "--timeout", "3"]).exits(1);
    let waits: Vec<Value> = env.debate().of_kind("retrying").iter().map(|line| line.happening["wait_ms"].clone()).collect();
    // How many more fit into the limit is a matter of the machine.
    assert_eq!(waits[..3], [100, 200, 400], "{waits:?}");
    assert!(waits.len() < 6, "{waits:?}");
}
