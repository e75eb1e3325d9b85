//! The first contact, and what helps on the way: a bare `rebut`, `?` at prompts, following, notifications.

use std::fs;

use rebut_fakes::{Script, Terminal, TestEnv};

use crate::{machine_for, until};

/// A machine whose user has chosen the script's seats.
fn with_seats(script: &Script) -> TestEnv {
    let env = machine_for(script);
    let seat = |name: &str| format!("script:{}#{name}", env.workspace().join("debate.toml").display());
    env.user_config(format!(
        "[duel]\nproposer = \"{}\"\nchallenger = \"{}\"\njudge = \"{}\"\nrounds = 1\n",
        seat("north"),
        seat("south"),
        seat("bench")
    ));
    env
}

#[test]
fn a_bare_rebut_shows_who_is_available_and_asks_before_anyone_is_called() {
    let env = with_seats(&Script::duel(1));
    let nothing: [&str; 0] = [];
    let run = Terminal::open().run(&mut env.command(nothing), "?\nShould we ship it?\n\n?\nn\n").exits(130);
    let run = run.says("`claude vs codex: TOPIC` picks the").says("which may cost money");
    let _ = run.says("nothing was started").shows("Available: ").shows("Should we replace our REST gateway with gRPC?");
    assert!(env.debates().is_empty());
    let _ = Terminal::open().run(&mut env.command(nothing), "Should we ship it?\nauto\ny\n").exits(0);
    assert_eq!(env.debate().state()["topic"], "Should we ship it?");
    let _ = env.rebut(nothing).exits(0).shows("Usage: rebut TOPIC");
}

#[test]
fn a_debate_is_watched_until_it_ends() {
    let env = machine_for(&Script::duel(1).everywhere("delay_ms", 150));
    let _ = env.duel(&["--rounds", "1", "--detach"]).exits(0);
    // On a terminal `show` follows it as well.
    let shown = Terminal::open().columns(100).show(&mut env.command(["show", "--no-color"])).exits(0);
    let _ = shown.says("wins");
    let _ = env.rebut(["watch"]).exits(0).shows("Argument of the challenger in round 1.").shows("wins");
    let events = env.rebut(["watch", "--json"]).exits(0).json_lines();
    assert_eq!(events.len(), env.debate().lines().len() + 1);
}

#[test]
fn the_user_is_notified_of_the_end_where_that_is_wanted() {
    let env = machine_for(&Script::duel(1));
    let rung = |env: &TestEnv, more: &[&str]| {
        let arguments = env.duel_arguments(&[&["--rounds", "1"], more].concat());
        Terminal::open().run(&mut env.command(arguments), "").exits(0).stderr.contains('\u{7}')
    };
    assert!(!rung(&env, &[]) && rung(&env, &["--notify"]));
    let env = env.set("REBUT_OUTPUT_NOTIFY", "true");
    env.install_script("notify-send", "printf '%s\\n' \"$@\" > \"$HOME/notified\"\n");
    assert!(!rung(&env, &[]), "the desktop takes the place of the bell");
    let notified = || fs::read_to_string(env.home().join("notified")).unwrap_or_default();
    until("notified", || notified().contains("wins"));
    assert!(notified().starts_with("--app-name=rebut\n--\nrebut\n"), "{}", notified());
}
