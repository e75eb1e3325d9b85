//! `rebut ask` and `rebut cross` through the built program, with scripted partners.

mod kills;
mod promises;

use rebut_fakes::{DebateFolder, Run, Script, ScriptLine, TestEnv, with_block};
use serde_json::{Value, json};

use crate::machine;

const QUESTION: &str = "Should we replace our REST gateway with gRPC?";
pub(crate) const TWO: [&str; 4] =
    ["--partners", "script:seats.toml#north,script:seats.toml#south", "--moderator", "script:seats.toml#chair"];
pub(crate) const THREE: [&str; 4] = [
    "--partners",
    "script:seats.toml#north,script:seats.toml#south,script:seats.toml#east",
    "--moderator",
    "script:seats.toml#chair",
];

/// An answer that can be told from every other; in later rounds it says whether it moved.
fn answer(round: u32, partner: u32, position: &str) -> ScriptLine {
    moving(round, partner, position, "no")
}

fn moving(round: u32, partner: u32, position: &str, moved: &str) -> ScriptLine {
    let critique = if round == 0 { "" } else { "Partner A is right on cost.\n\n" };
    let mut block = json!({"position": position, "claims": [{"text": format!("Claim {partner} of round {round}")}]});
    if round > 0 {
        block["moved"] = json!(moved);
    }
    ScriptLine::text(with_block(&format!("{critique}Answer {partner} of round {round}."), &block))
}

fn points() -> Value {
    json!([
        {"kind": "agree", "partners": ["Partner A", "Partner B"], "claims": [], "text": "Both measured it."},
        {"kind": "differ", "partners": ["Partner A", "Partner B"], "claims": [], "text": "They differ on cost."}
    ])
}

fn synthesis() -> ScriptLine {
    ScriptLine::text(json!({ "points": points(), "synthesis": "Cache the two hot routes first." }).to_string())
}

fn comparison() -> ScriptLine {
    ScriptLine::text(json!({ "points": points() }).to_string())
}

/// Partners who answer in every round up to this one and do not move; the second says no.
pub(crate) fn script(partners: u32, rounds: u32) -> Script {
    let families = [("north", "ore"), ("south", "salt"), ("east", "sand"), ("chair", "clay")];
    let script = families.into_iter().fold(Script::default(), |script, (name, family)| script.of_family(name, family));
    let places = (0..=rounds).flat_map(|round| (1..=partners).map(move |partner| (round, partner)));
    let script = places.fold(script, |script, (round, partner)| {
        let position = if partner == 2 { "no" } else { "yes" };
        script.call(&format!("round-{round}/partner-{partner}"), answer(round, partner, position))
    });
    script.call("synthesis", synthesis()).call("synthesis/2", synthesis()).call("comparison", comparison())
}

pub(crate) fn machine_with_script(script: &Script) -> TestEnv {
    let env = machine();
    env.write("seats.toml", script.to_toml());
    env
}

pub(crate) fn arguments<'a>(command: &'a str, seats: &[&'a str], more: &[&'a str]) -> Vec<&'a str> {
    [command, QUESTION].iter().chain(seats).chain(more).copied().collect()
}

pub(crate) fn cross(env: &TestEnv, seats: &[&str], more: &[&str]) -> Run {
    env.rebut(arguments("cross", seats, more))
}

fn asked(debate: &DebateFolder) -> Vec<String> {
    debate.of_kind("started").iter().map(|line| line.key().to_owned()).collect()
}

#[test]
fn ask_shows_all_answers_together_with_where_they_agree_and_differ() {
    let env = machine_with_script(&script(3, 0));
    let run = env.rebut(arguments("ask", &THREE, &[])).exits(0);
    let run = run.shows("script:seats.toml#north (Partner A)\n\nAnswer 1 of round 0.");
    let run = run.shows("script:seats.toml#east (Partner C)\n\nAnswer 3 of round 0.");
    let run = run.shows("- **agree** (").shows("- **differ** (").shows("Agreement: partial (yes 2, no 1)");
    assert_eq!(run.stdout.matches("Answer 1 of round 0.").count(), 1, "shown once, when all are in");
    let debate = env.debate();
    assert_eq!(asked(&debate), ["round-0/partner-1", "round-0/partner-2", "round-0/partner-3", "comparison"]);
    let state = debate.state();
    assert_eq!((state["format"].as_str(), state["status"].as_str()), (Some("ask"), Some("completed")));
    let _ = env.rebut(["show"]).exits(0).shows("Answer 2 of round 0.");
    let _ = env.rebut(["export"]).exits(0).shows("Where they agree, where they differ");
    let _ = env.rebut(["replay"]).exits(0).shows("Answer 2 of round 0.");
    let _ = env.rebut(["resume", "last", "--rounds", "2"]).exits(2).says("rebut cross --from ID");
}

#[test]
fn cross_shows_movement_and_ends_with_the_synthesis() {
    let script = script(2, 2)
        .instead("round-1/partner-1", [moving(1, 1, "no", "yes")])
        .instead("round-2/partner-1", [answer(2, 1, "no")]);
    let env = machine_with_script(&script);
    let run = cross(&env, &TWO, &["--rounds", "2"]).exits(0);
    let run = run.shows("— final\n\nPartner A is right on cost.\n\nAnswer 1 of round 2.");
    let run = run.shows("## How the debate moved them").shows("## Synthesis");
    let run = run.shows("| seat | round | provider | model | bytes | time | attempts |");
    let run = run.shows("round 1: moved, from \"yes\" to \"no\"; unsupported: no claim named; round 2: did not move");
    let _ = run.shows("At first: yes 1, no 1. In the end: no 2.").shows("Agreement: partial (no 2)");
    let debate = env.debate();
    let prompt = debate.prompt("round-1/partner-1");
    assert!(prompt.contains("Partner B, round 0>>\nAnswer 2 of round 0."), "{prompt}");
    let state = debate.state();
    assert_eq!(state["vote"]["final"]["no"], json!(["partner-1", "partner-2"]));
    assert_eq!((&state["agreement"], &state["partners"][1]["label"]), (&json!("partial"), &json!("Partner B")));
    let exchange = &state["exchanges"][0];
    assert_eq!((exchange["model"].as_str(), exchange["attempts"].as_u64()), (Some("north"), Some(1)));
    assert!(exchange["bytes"].as_u64().unwrap() > 20);
    let _ = env.rebut(["show", "--claims"]).exits(0).shows("| A0.1 | Claim 1 of round 0 |");
}

#[test]
fn cross_goes_on_from_the_answers_of_an_ask_and_its_journal_stands_on_its_own() {
    let env = machine_with_script(&script(2, 1));
    let _ = cross(&env, &TWO, &["--from", "last"]).exits(2);
    let _ = env.rebut(["cross", "--from", "last"]).exits(2).says("no ask to start from");
    let _ = env.rebut(arguments("ask", &TWO, &[])).exits(0);
    let _ =
        env.rebut(["cross", "--from", "last", "--partners", "2"]).exits(2).says("--partners can't be combined with --from");
    let moderator = ["cross", "--from", "last", "--moderator", "script:seats.toml#chair"];
    let _ = env.rebut(moderator).exits(0).shows("2 answers of debate-").shows("Answer 2 of round 1.");
    let debates = env.debates();
    let debate = debates.iter().find(|debate| debate.state()["format"] == "cross").unwrap();
    assert_eq!(asked(debate), ["round-1/partner-1", "round-1/partner-2", "synthesis"]);
    let ask = debates.iter().find(|debate| debate.state()["format"] == "ask").unwrap();
    let _ = env.rebut(["rm", &ask.id]).exits(0);
    let _ = env.rebut(["show", &debate.id]).exits(0).shows("Answer 1 of round 0.");
    let _ = env.rebut(["resume", &debate.id, "--moderator", "script:seats.toml#north"]).exits(0);
}

#[test]
fn rounds_are_understood_in_words_and_flags_win() {
    let env = machine_with_script(&script(2, 3));
    let question = format!("Debate this for 2 rounds: {QUESTION}");
    let plan = |more: &[&str]| {
        let all: Vec<&str> =
            ["cross", question.as_str(), "--dry-run", "--json"].iter().chain(&TWO).chain(more).copied().collect();
        env.rebut(all).exits(0).json()["plan"].clone()
    };
    assert_eq!((&plan(&[])["setup"]["rounds"], &plan(&[])["topic"]), (&json!(2), &json!(QUESTION)));
    assert_eq!(plan(&["--rounds", "3"])["setup"]["rounds"], 3);
    assert_eq!(plan(&[])["setup"]["options"], json!(null));
    assert_eq!(plan(&["--options", "now,later"])["setup"]["options"], json!(["now", "later"]));
}

#[test]
fn one_round_takes_place_where_all_agree_the_gate_stops_there_and_early_convergence_is_said() {
    let agreed = script(2, 3).instead("round-0/partner-2", [answer(0, 2, "yes")]);
    let env = machine_with_script(&agreed);
    let _ = cross(&env, &TWO, &[]).exits(0);
    assert_eq!(asked(&env.debate()).len(), 5, "one round of critique");
    env.clear();
    let _ = cross(&env, &TWO, &["--gate"]).exits(0).shows("--gate stopped the debate there, so nothing was challenged");
    assert_eq!(asked(&env.debate()).len(), 3);
    let _ = cross(&env, &TWO, &["--gate", "--always-debate"]).exits(2);
    env.clear();
    env.write("seats.toml", script(2, 6).to_toml());
    let _ =
        cross(&env, &TWO, &["--rounds", "6"]).exits(0).shows("No one moved in rounds 1 and 2: the debate converged early.");
    assert!(!asked(&env.debate()).contains(&"round-3/partner-1".to_owned()));
    let _ = env.rebut(["resume", "last", "--rounds", "3"]).exits(0).shows("Answer 1 of round 3.");
}

#[test]
fn a_partner_that_dies_in_round_2_is_named_and_comes_back_on_resume() {
    let script = script(3, 2).instead("round-2/partner-3", [ScriptLine::fail("exit"), answer(2, 3, "yes")]);
    let env = machine_with_script(&script);
    let run = cross(&env, &THREE, &["--rounds", "2"]).exits(3);
    let _ = run.shows("script:seats.toml#east is absent from round 2: it failed with an error.").shows("## Synthesis");
    assert_eq!(env.debate().status(), "partial");
    let _ = env.rebut(["resume", "last"]).exits(0).shows("Answer 3 of round 2.");
    assert_eq!(asked(&env.debate())[asked(&env.debate()).len() - 2..], ["round-2/partner-3", "synthesis/2"]);
}

#[test]
fn an_empty_answer_is_asked_for_again_and_prose_without_a_block_is_shown() {
    let script = script(3, 0)
        .instead("round-0/partner-1", [ScriptLine::text(" ")])
        .call("round-0/partner-1/again", answer(0, 1, "yes"))
        .instead("round-0/partner-2", [ScriptLine::text("Hard to say, but yes.")])
        .call("round-0/partner-2/claims", ScriptLine::text("I have none."));
    let env = machine_with_script(&script);
    let run = env.rebut(arguments("ask", &THREE, &[])).exits(0);
    let run = run.shows("Answer 1 of round 0.").shows("Hard to say, but yes.\n\n*No position given*");
    let _ = run.shows("Agreement: partial (yes 2, no position given 1)");
    assert_eq!(asked(&env.debate()).len(), 6, "{:?}", asked(&env.debate()));
}

#[test]
fn one_voice_is_no_consensus() {
    let env = machine_with_script(&script(2, 1).instead("round-0/partner-2", [ScriptLine::fail("auth")]));
    let _ = cross(&env, &TWO, &[]).exits(3).shows("there is nothing to compare");
    assert_eq!(env.debate().status(), "uncontested");
    assert_eq!(asked(&env.debate()).len(), 2, "nobody sums up what one said");
}

#[test]
fn what_cannot_be_asked_is_refused_before_anything_begins() {
    let env = machine_with_script(&script(2, 0));
    let _ = env.rebut(["cross", QUESTION, "--partners", "script:seats.toml"]).exits(2).says("a list of two to eight seats");
    let one =
        env.rebut(["ask", QUESTION, "--partners", "1"]).exits(2).says("invalid value 1 for `cross.partners` in --partners");
    let _ = one.says("hint: name at least two (--partners claude,codex), or let rebut choose them (--partners 2)");
    for rounds in ["-1", "11"] {
        let _ = cross(&env, &TWO, &["--rounds", rounds]).exits(2).says("a whole number from 0 to 10");
    }
    let _ = cross(&env, &TWO, &["--options", "yes"]).exits(2).says("2 to 12 options");
    let _ = cross(&env, &TWO, &["--from", "3fa9"]).exits(2);
    let _ = env.rebut(["ask", "--partners", "2"]).exits(2).says("no question given");
    assert!(env.debates().is_empty());
}
