//! Who debates: named in a file, hinted at, or left to the chair, and approved where there is somebody to ask.

use rebut_fakes::panel::{PanelScript, offices, text};
use rebut_fakes::{Run, Script, Terminal, TestEnv};
use serde_json::json;

use crate::until;

use super::{OUT, TOPIC, asked, documents, hold, machine_with_script, metadata};

const TWO: PanelScript = PanelScript { debaters: 2, rounds: 1 };

fn proposal(persona: &str) -> serde_json::Value {
    let debater =
        |name: &str| json!({"name": name, "persona": persona, "starting_position": "Keep it.", "incentives": "Sleep."});
    json!({ "debaters": [debater("anna"), debater("ben")] })
}

fn proposing() -> Script {
    TWO.script()
        .call("lineup/proposal", text(&proposal("An engineer.")))
        .call("lineup/proposal/2", text(&proposal("A nurse.")))
}

fn unnamed(more: &[&str]) -> Vec<String> {
    let own = ["panel", TOPIC, "--min-rounds", "1", "--max-rounds", "1"];
    let own = own.iter().chain(&OUT).chain(more).map(|word| (*word).to_owned());
    own.chain(offices("seats.toml")).collect()
}

/// Holds a panel without a lineup in front of somebody who types this.
fn typed(env: &TestEnv, typed: &str) -> Run {
    Terminal::open().run(&mut env.command(unnamed(&[])), typed)
}

#[test]
fn without_a_terminal_the_chairs_lineup_is_taken() {
    let env = machine_with_script(TWO, &proposing());
    let run = env.rebut(unnamed(&["--with", "two tired engineers"])).exits(0);
    let run = run.shows("The chair proposes:").shows("1. anna (script:seats.toml#reporter)").shows("Incentives: Sleep.");
    let _ = run.shows("## Outcome: anna_wins");
    let debate = env.debate();
    assert_eq!(asked(&debate)[0], "lineup/proposal");
    assert!(debate.prompt("lineup/proposal").contains("the debaters that the user wants>>\ntwo tired engineers\n"));
    assert!(debate.prompt("opening/anna").contains("An engineer."), "the persona reaches its debater");
    assert_eq!(metadata(&env)["agents"]["debaters"][0]["model"], "reporter", "the reporter's model");
    assert_eq!(documents(&env).len(), 7);
}

#[test]
fn on_a_terminal_the_lineup_is_approved() {
    let env = machine_with_script(TWO, &proposing());
    let run = typed(&env, "what?\na\n").exits(0).says("a approve, c describe a change").says("`what?` is not an option.");
    let _ = run.shows("## Outcome: anna_wins");
    assert_eq!(asked(&env.debate()).iter().filter(|key| key.starts_with("lineup/")).count(), 1);
}

#[test]
fn a_lineup_is_changed_once_by_a_word_to_the_chair() {
    let env = machine_with_script(TWO, &proposing());
    let run = typed(&env, "c\nmake them nurses\nc\na\n").exits(0).shows("A nurse.").says("`c` is not an option.");
    let debate = env.debate();
    assert!(debate.prompt("lineup/proposal/2").contains("what the user wants changed>>\nmake them nurses\n"));
    assert!(debate.prompt("opening/anna").contains("A nurse."), "{run}");
}

#[test]
fn a_lineup_is_replaced_by_a_file() {
    let env = machine_with_script(TWO, &proposing());
    let _ = typed(&env, "r\nnowhere.toml\nr\nlineup.toml\n").exits(0).says("can't read the lineup ");
    assert_eq!(metadata(&env)["agents"]["debaters"][1]["model"], "ben");
}

/// A machine whose chair proposes a lineup, and the arguments of a panel that asks for one.
pub(crate) fn with_a_lineup_to_propose(more: &[&str]) -> (TestEnv, Vec<String>) {
    (machine_with_script(TWO, &proposing()), unnamed(more))
}

#[test]
fn in_the_background_a_lineup_waits_for_a_choice() {
    let (env, arguments) = with_a_lineup_to_propose(&["--detach"]);
    let _ = env.rebut(arguments).exits(0);
    crate::detached::until_it_is(&env, "waiting");
    let _ = env.rebut(["choose", "last"]).exits(0).shows("1. anna").shows("approve  debate with this lineup  (recommended)");
    let _ = env.rebut(["choose", "last", "B"]).exits(2).says("`B` is not an option; choose approve, change, replace");
    let _ = env.rebut(["choose", "last", "change", "make", "them", "nurses"]).exits(0);
    crate::detached::until_it_is(&env, "waiting");
    let _ = env.rebut(["choose", "last", "change", "again"]).exits(2).says("choose approve, replace");
    let _ = env.rebut(["choose", "last", "approve"]).exits(0);
    crate::detached::until_it_is(&env, "completed");
    assert!(env.debate().prompt("opening/anna").contains("A nurse."));
}

#[test]
fn a_lineup_that_is_given_up_waits_and_is_not_paid_for_again() {
    for input in ["g\n", "\u{4}"] {
        let env = machine_with_script(TWO, &proposing());
        let run = typed(&env, input).exits(130).says("nothing was debated");
        assert_eq!(documents(&env), Vec::<String>::new(), "{run}");
        let _ = env.rebut(["list"]).exits(0).shows("\twaiting\tpanel\t");
        let _ = env.rebut(["resume", "--timeout", "9"]).exits(2).says("is waiting for your choice");
        let _ = env.rebut(["resume", "--yes"]).exits(0).shows("## Outcome: anna_wins");
        assert_eq!(asked(&env.debate()).iter().filter(|key| key.starts_with("lineup/")).count(), 1);
    }
}

#[test]
fn a_detached_panel_goes_on_without_the_command_that_started_it() {
    let env = machine_with_script(TWO, &proposing());
    let _ = env.rebut(unnamed(&["--detach", "--yes"])).exits(0).shows("runs in the background");
    until("every document is there", || documents(&env).len() == 7);
    crate::detached::until_it_is(&env, "completed");
    assert!(env.debate().answers().values().all(|times| *times == 1));
}

#[test]
fn a_kill_while_the_lineup_is_settled_loses_nothing() {
    let env = machine_with_script(TWO, &proposing());
    let _ = env.rebut(unnamed(&[])).exits(0);
    let events = env.debate().story().iter().position(|event| event == "recorded chair/setup").unwrap();
    for event in 0..events {
        env.clear();
        let _ = std::fs::remove_dir_all(env.workspace().join("papers"));
        env.rebut_with("REBUT_FAULT", &format!("kill-after:{event}"), unnamed(&[])).was_killed();
        let _ = env.rebut(["resume", "last"]).exits(0).shows("## Outcome: anna_wins");
        assert!(env.debate().answers().values().all(|times| *times == 1), "{event}");
    }
}

#[test]
fn a_chair_that_proposes_nonsense_is_asked_again_and_then_the_debate_does_not_start() {
    let nonsense =
        text(&json!({"debaters": [{"name": "chair", "persona": "p", "starting_position": "s", "incentives": "i"}]}));
    let env = machine_with_script(TWO, &TWO.script().instead("lineup/proposal", [nonsense.clone(), nonsense]));
    let run = env.rebut(unnamed(&[])).exits(1).says("invalid answer (does not fit)");
    let _ = run.shows("The debate did not start: the chair ").shows("--debaters FILE");
}

#[test]
fn a_lineup_may_be_json_and_faults_in_it_are_named() {
    let env = machine_with_script(TWO, &TWO.script());
    let lineup = |file: &str, content: &str| {
        env.write(file, content);
        let mut arguments = super::arguments(TWO, &["--dry-run"]);
        let place = arguments.iter().position(|word| word == "lineup.toml").unwrap();
        file.clone_into(&mut arguments[place]);
        env.rebut(arguments)
    };
    let debater = |name: &str| json!({"name": name, "persona": "p", "starting_position": "s", "incentives": "i"});
    let json =
        |names: &[&str]| json!({ "debaters": names.iter().map(|name| debater(name)).collect::<Vec<_>>() }).to_string();
    let _ = lineup("two.json", &json(&["anna", "ben"])).exits(0).shows("anna, ben; at least 1 round");
    let _ = lineup("one.json", &json(&["anna"])).exits(2).says("from 2 to 8 debaters, and this lineup has 1");
    let _ = lineup("twins.json", &json(&["anna", "ANNA"])).exits(2).says("the name `ANNA` is taken by another");
    let _ = lineup("system.json", &json(&["anna", "system"])).exits(2).says("belongs to the panel itself");
    let _ = lineup("path.json", &json(&["anna", "../x"])).exits(2).says("letters, digits and hyphens");
    let _ =
        lineup("torn.toml", "[[debaters]]\nname = \"anna\"\npersona =\n").exits(2).says("torn.toml is not a lineup: line 3");
    let _ = lineup("other.toml", "[[debaters]]\nname = \"anna\"\nage = 3\n")
        .exits(2)
        .says("line 3: this field is unknown; allowed: `name`,");
    let _ = lineup("seat.toml", &TWO.lineup("nowhere.toml")).exits(2).says("anna: failed to read the script");
    assert!(env.debates().is_empty());
    let _ = hold(&env, TWO, &["--with", "somebody"]).exits(2).says("cannot be used with");
}
