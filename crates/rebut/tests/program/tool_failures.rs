//! Every failure that the real tools were captured in, through the program: its cause, what to do, and the exit code.

use rebut_fakes::stand_in::{NAMES, Turn};
use rebut_fakes::{Run, TOPIC, TestEnv, verdict};

use crate::machine_with;

/// Plays a captured case to the proposer. A failure that passes is not waited for: the wait is longer than the limit.
fn opening(tool: &str, case: &str, timeout: &str) -> (TestEnv, Run) {
    let (env, turns) = machine_with(&NAMES, &[Turn::capture(tool, case)]);
    let env = env.set("REBUT_LIMITS_RETRY_WAIT_MS", "600000");
    let run = env.rebut(["duel", TOPIC, "--proposer", tool, "--timeout", timeout]);
    assert_eq!(turns.survivors(), Vec::<String>::new(), "{tool} {case}");
    assert_eq!(turns.calls().len(), 1, "{tool} {case}");
    (env, run)
}

/// The debate was aborted for this reason, which the person is told with what to do.
#[track_caller]
fn aborts(tool: &str, captured: &str, cause: &str, words: &str, advice: &str) {
    let (env, run) = opening(tool, captured, "60");
    let run = run.exits(1).shows(&format!("Debate aborted: proposer ({tool}) failed on opening round."));
    let run = run.shows(&format!("The proposer {words}")).shows(advice);
    let _ = run.shows("Debate failed: no successful exchanges were recorded.");
    let failed = env.debate().of_kind("failed");
    assert_eq!(failed[0].happening["failure"]["cause"], cause, "{tool} {captured}: {}", failed[0].raw);
    assert_eq!(env.debate().status(), "failed");
}

const AUTH: (&str, &str) = ("auth", "is not signed in, or its key was refused");
const MODEL: (&str, &str) = ("unknown_model", "does not know the model");
const LIMITED: (&str, &str) = ("rate_limited", "is rate limited");
const DOWN: (&str, &str) = ("unavailable", "is unavailable");
const EMPTY: (&str, &str) = ("empty", "returned an empty answer");
const CUT: (&str, &str) = ("truncated", "was cut off mid-answer");
const EXIT: (&str, &str) = ("exit", "failed with an error");

fn all_abort(tool: &str, sign_in: &str, model: &str, cases: &[(&str, (&str, &str))]) {
    for (captured, (cause, words)) in cases {
        let advice = match *cause {
            "auth" => sign_in,
            "unknown_model" => model,
            _ => "",
        };
        aborts(tool, captured, cause, words, advice);
    }
}

#[test]
fn claudes_failures_say_what_to_do() {
    let sign_in = "Run `claude` and sign in with /login, or set ANTHROPIC_API_KEY.";
    let cases = [
        ("401", AUTH),
        ("403", AUTH),
        ("no-key", AUTH),
        ("429", LIMITED),
        ("500", DOWN),
        ("529", DOWN),
        ("unknown-model", MODEL),
        ("empty", EMPTY),
        ("slash-prompt", EMPTY),
        ("truncated", CUT),
        ("max-turns", EXIT),
        ("empty-stdin", EXIT),
    ];
    all_abort("claude", sign_in, "Name another model: claude:MODEL.", &cases);
}

#[test]
fn codexs_failures_say_what_to_do() {
    let sign_in = "Run `codex login`, or set the key that its provider needs.";
    let cases = [
        ("401", AUTH),
        ("403", AUTH),
        ("no-key", AUTH),
        ("404", MODEL),
        ("unknown-model", MODEL),
        ("429", LIMITED),
        ("quota", LIMITED),
        ("500", DOWN),
        ("529", DOWN),
        ("empty", EMPTY),
        ("truncated", CUT),
        ("not-utf8", EXIT),
        ("outside-git", EXIT),
    ];
    all_abort("codex", sign_in, "Name another model: codex:MODEL.", &cases);
}

#[test]
fn geminis_failures_say_what_to_do() {
    let sign_in = "Run `gemini` once and sign in, or set GEMINI_API_KEY.";
    let cases = [
        ("401", AUTH),
        ("403", AUTH),
        ("404", MODEL),
        ("unknown-model", MODEL),
        ("429", LIMITED),
        ("500", DOWN),
        ("stream-empty", EMPTY),
        ("stream-truncated", CUT),
        ("reset", DOWN),
        ("no-input", EXIT),
    ];
    all_abort("gemini", sign_in, "Name another model: gemini:MODEL.", &cases);
}

#[test]
fn opencodes_failures_say_what_to_do() {
    let cases = [("401", AUTH), ("404", MODEL), ("badmodel", MODEL), ("empty", EMPTY), ("garbage", CUT)];
    all_abort("opencode", "Run `opencode auth login`.", "Name another model: opencode:MODEL.", &cases);
}

/// On a rate limit and a lost connection it tries again for ever and says nothing.
#[test]
fn opencodes_endless_retries_end_with_the_time_limit() {
    std::thread::scope(|scope| {
        for case in ["429", "reset"] {
            scope.spawn(move || {
                let (env, run) = opening("opencode", case, "0.3");
                let _ = run.exits(1).shows("The proposer timed out (after 0.3 s). Give it longer with --timeout");
                assert_eq!(env.debate().of_kind("failed")[0].happening["failure"]["cause"], "timeout", "{case}");
            });
        }
    });
}

#[test]
fn copilots_failures_say_what_to_do() {
    let cases = [
        ("401", AUTH),
        ("403", AUTH),
        ("404", MODEL),
        ("badmodel", MODEL),
        ("429", LIMITED),
        ("500", DOWN),
        ("empty", EMPTY),
        ("garbage", CUT),
    ];
    all_abort(
        "copilot",
        "Run `copilot` and sign in with /login, or set COPILOT_PROVIDER_API_KEY.",
        "Name another model: copilot:MODEL.",
        &cases,
    );
}

#[test]
fn a_passing_failure_of_a_tool_is_tried_again() {
    let turns = [
        Turn::capture("claude", "529"),
        Turn::capture("claude", "429"),
        Turn::answer("claude", "Argument of the proposer."),
        Turn::answer("codex", "Argument of the challenger."),
        Turn::answer("gemini", verdict("proposer")),
    ];
    let (env, called) = machine_with(&NAMES, &turns);
    let env = env.set("REBUT_LIMITS_RETRY_WAIT_MS", "1");
    let run = env.rebut([TOPIC, "--rounds", "1"]).exits(0);
    let _ = run
        .says("warning: round 1, proposer: claude is unavailable")
        .says("warning: round 1, proposer: claude is rate limited");
    let prompts: Vec<String> = called.calls_of("claude").into_iter().map(|call| call.prompt).collect();
    assert_eq!(prompts.len(), 3);
    assert!(prompts.iter().all(|prompt| *prompt == prompts[0]), "the same is asked again");
}

/// What happens once on a network or at a provider ends no debate.
#[test]
fn one_passing_fault_of_any_tool_is_tried_again_and_recorded() {
    for (tool, fault, cause) in [
        ("gemini", "429", "rate_limited"),
        ("gemini", "stream-truncated", "truncated"),
        ("gemini", "reset", "unavailable"),
        ("opencode", "unfinished", "truncated"),
        ("claude", "truncated", "truncated"),
        ("codex", "truncated", "truncated"),
        ("copilot", "429", "rate_limited"),
    ] {
        let [challenger, judge] = if tool == "claude" { ["codex", "gemini"] } else { ["claude", "claude"] };
        let turns = [
            Turn::capture(tool, fault),
            Turn::answer(tool, "Argument of the proposer."),
            Turn::answer(challenger, "Argument of the challenger."),
            Turn::answer(judge, verdict("proposer")),
        ];
        let (env, _) = machine_with(&NAMES, &turns);
        let env = env.set("REBUT_LIMITS_RETRY_WAIT_MS", "1");
        let seats = ["--proposer", tool, "--challenger", challenger, "--judge", judge];
        let _ = env.rebut([&["duel", TOPIC, "--rounds", "1"], &seats[..]].concat()).exits(0);
        let retried = env.debate().of_kind("retrying");
        let causes: Vec<_> = retried.iter().map(|line| line.happening["failure"]["cause"].clone()).collect();
        assert_eq!(causes, [cause], "{tool} {fault}");
    }
}

#[test]
fn a_tool_that_fails_later_costs_only_its_own_part_of_the_debate() {
    let (env, _) =
        machine_with(&NAMES, &[Turn::answer("claude", "Argument of the proposer."), Turn::capture("codex", "401")]);
    let run = env.rebut(["duel", TOPIC, "--tools", "claude,codex"]).exits(3);
    let run = run.shows("Uncontested: no side won.").says("warning: round 1, challenger: codex is not signed in");
    let _ = run.shows("codex login");
    assert_eq!(env.debate().status(), "uncontested");

    let turns = [
        Turn::answer("claude", "Argument of the proposer."),
        Turn::answer("codex", "Argument of the challenger."),
        Turn::capture("gemini", "401"),
    ];
    let (env, called) = machine_with(&NAMES, &turns);
    let run = env.rebut(["duel", TOPIC, "--rounds", "1", "--tools", "claude,codex", "--judge", "gemini"]).exits(3);
    let _ = run.shows(&format!("rebut rejudge {} --judge", env.debate().short()));
    assert_eq!(env.debate().status(), "partial");
    called.rewrite(&[Turn::answer("copilot", verdict("proposer"))]);
    let _ =
        env.rebut(["rejudge", "last", "--judge", "copilot"]).exits(0).shows("the proposer (claude) had the stronger case.");
    assert_eq!(called.calls().len(), 4, "no statement is paid for again");
}

#[test]
fn a_tool_that_says_what_no_parser_knows_is_not_quoted() {
    for tool in NAMES {
        let (env, _) = machine_with(&NAMES, &[Turn::raw(tool, "The secret of the build is 42\n")]);
        let run = env.rebut(["duel", TOPIC, "--proposer", tool]).exits(1);
        assert!(!run.stdout.contains("The secret") && !run.stderr.contains("The secret"), "{tool}: {run}");
    }
}

#[test]
fn a_tool_that_is_not_installed_is_named_with_how_to_get_it() {
    let (env, _) = machine_with(&["claude"], &[]);
    for (tool, package) in [
        ("codex", "@openai/codex"),
        ("gemini", "@google/gemini-cli"),
        ("opencode", "opencode-ai"),
        ("copilot", "@github/copilot"),
    ] {
        let run = env.rebut(["duel", TOPIC, "--challenger", tool]).exits(2);
        let _ = run.says(&format!("challenger: {tool} is not installed; get it with `npm install -g {package}`"));
    }
    assert!(!env.state().exists());
}
