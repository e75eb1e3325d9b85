//! A panel whose debaters are played by a tool of the machine.

use rebut_fakes::TestEnv;
use rebut_fakes::panel::{PanelScript, SOURCE_FILE};
use rebut_fakes::stand_in::{Turn, Turns};

use super::{arguments, documents, metadata};
use crate::machine_with;

const TWO: PanelScript = PanelScript { debaters: 2, rounds: 1 };

/// A machine on which claude plays both debaters; the offices are scripted.
fn with_claude() -> (TestEnv, Turns) {
    let script = TWO.script();
    let keys = ["ready/anna", "opening/anna", "opening/ben", "round-1/anna", "round-1/ben", "closing/ben", "closing/anna"];
    let turns: Vec<Turn> = keys.iter().map(|key| Turn::answer("claude", script.answer(key))).collect();
    let (env, turns) = machine_with(&["claude"], &turns);
    env.write("seats.toml", script.to_toml());
    let lineup = TWO.lineup("seats.toml");
    let played =
        TWO.names().iter().fold(lineup, |text, name| text.replace(&format!("script:seats.toml#{name}"), "claude:opus"));
    env.write("lineup.toml", played);
    env.write(SOURCE_FILE.0, SOURCE_FILE.1);
    (env, turns)
}

#[test]
fn debaters_are_played_by_a_tool_and_keep_their_personas_apart() {
    let (env, turns) = with_claude();
    let run = env.rebut(arguments(TWO, &[])).exits(0);
    let _ = run.shows("one model plays every debater: claude:opus").shows("## Outcome: anna_wins");
    assert_eq!(documents(&env).len(), 7);
    let metadata = metadata(&env);
    assert_eq!(metadata["agents"]["debaters"][0]["model"], "claude-reported-1", "what answered, as the tool reported it");
    assert_eq!(metadata["seats"]["anna"], "claude:opus", "what was asked for");
    let calls = turns.calls();
    assert_eq!(calls.len(), 7, "one readiness probe for both, two openings, two turns, two closings");
    assert!(calls.iter().all(|call| call.has(&["--model", "opus"]) && call.has(&["--tools", "Read,Glob,Grep"])));
    let debate = env.debate();
    assert!(debate.prompt("opening/anna").contains("# You are anna, one of the debaters"));
    assert!(debate.prompt("opening/ben").contains("# You are ben, one of the debaters"));
    assert_eq!(turns.survivors(), Vec::<String>::new());
}

#[test]
fn a_tool_searches_the_web_only_where_that_is_allowed() {
    let (env, turns) = with_claude();
    let _ = env.rebut(arguments(TWO, &["--web"])).exits(0).shows("seats may search the web");
    assert!(turns.calls().iter().all(|call| call.has(&["--tools", "Read,Glob,Grep,WebSearch,WebFetch"])));
    assert!(env.debate().prompt("opening/anna").contains("You may search the web for sources with your own tools"));
}
