//! What reaches a terminal: no escape code where there is none, and nothing that a model, a file or a topic could do there.

use std::fs;

use rebut_fakes::{Script, ScriptLine, Terminal, TestEnv};

use crate::{machine, machine_for, machine_with};

/// Clears the screen, sets the title, rings, reorders, overwrites, and hides in an 8-bit control character.
const HOSTILE: &str = "before\u{1b}[2J\u{1b}]0;owned\u{7} \u{202e}rtl\u{2066} over\rwritten \u{9b}31m\u{8}after";

/// The same as it is shown: what reorders text is taken out, and the rest is made visible.
const HARMLESS: &str = "before␛[2J␛]0;owned␇ rtl over␍written \u{fffd}31m␈after";

fn is_harmless(text: &str) -> bool {
    !text.contains(|c: char| c.is_control() && !matches!(c, '\n' | '\t')) && !text.contains(['\u{202e}', '\u{2066}'])
}

fn hostile() -> Script {
    let block = serde_json::json!({"claims": [{"text": HOSTILE, "evidence": [{"file": HOSTILE}], "attacks": [HOSTILE]}]});
    let statement = rebut_fakes::with_block(&format!("{HOSTILE} says the proposer."), &block);
    let verdict = rebut_fakes::verdict("challenger").replace("Do as [B] says.", "[HERE]");
    let in_json = serde_json::to_string(HOSTILE).unwrap();
    let verdict = verdict.replace("[HERE]", in_json.trim_matches('"'));
    Script::duel(1)
        .instead("round-1/proposer", [ScriptLine::text(statement).set("model", HOSTILE)])
        .instead("verdict/judge/1", [ScriptLine::text(verdict)])
}

#[test]
fn hostile_text_of_a_model_is_shown_and_does_nothing() {
    let env = machine_for(&hostile());
    let run = env.duel(&["--rounds", "1"]).exits(0).shows(&format!("{HARMLESS} says the proposer."));
    let run = run.shows(&format!("## Recommendation\n\n{HARMLESS}"));
    assert!(is_harmless(&run.stdout) && is_harmless(&run.stderr), "{:?}", run.stdout);
    for command in [&["show"][..], &["replay"], &["list"], &["resume", "last"]] {
        let run = env.rebut(command).exits(0);
        assert!(is_harmless(&run.stdout) && is_harmless(&run.stderr), "{command:?}: {:?}", run.stdout);
    }
    for command in [&["show"][..], &["show", "--claims"], &["replay"], &["list"]] {
        let as_json = env.rebut(command.iter().chain(&["--json"])).exits(0);
        assert!(is_harmless(&as_json.stdout), "JSON escapes what is no text: {command:?}");
    }
    let shown = env.rebut(["show", "--json"]).exits(0).json();
    let statement = &shown["exchanges"][0]["response"];
    // What reorders text is taken out on arrival.
    let said = HOSTILE.replace(['\u{202e}', '\u{2066}'], "");
    assert!(statement.as_str().unwrap().starts_with(&format!("{said} says the proposer.")), "and means the same");
    let exported = env.rebut(["export"]).exits(0).shows(" says the proposer.");
    assert!(is_harmless(&exported.stdout), "nor does a document, where it is printed later");
}

#[test]
fn json_on_a_terminal_does_nothing_there_and_is_still_json() {
    let env = machine_for(&hostile());
    let _ = env.duel(&["--rounds", "1"]).exits(0);
    let state = env.debate().state();
    for command in [&["show", "--json"][..], &["export", "--as", "json"]] {
        let seen = Terminal::open().show(&mut env.command(command)).exits(0).stderr.replace("\r\n", "\n");
        assert!(is_harmless(&seen), "{command:?}: {seen:?}");
        assert_eq!(serde_json::from_str::<serde_json::Value>(&seen).unwrap(), state, "{command:?}");
    }
}

#[test]
fn a_hostile_topic_does_nothing_but_be_a_topic() {
    let topic = format!("Should we `touch a`; $(touch b) && touch c | touch d > e\n\"quoted\" 'single' \\ {HOSTILE}?");
    let env = machine_for(&Script::duel(1));
    let arguments = [&["duel", topic.as_str(), "--rounds", "1"], &env.duel_arguments(&[])[2..]].concat();
    let run =
        env.rebut(arguments).exits(0).shows("  topic       Should we `touch a`; $(touch b) && touch c | touch d > e …\n");
    assert!(is_harmless(&run.stdout) && is_harmless(&run.stderr), "{:?}", run.stdout);
    assert_eq!(env.debate().state()["topic"], topic.as_str());
    let names: Vec<_> = fs::read_dir(env.workspace()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert_eq!(names, ["debate.toml"]);
    let listed = env.rebut(["list"]).exits(0);
    assert_eq!(listed.stdout.lines().count(), 1, "{listed}");
    assert!(is_harmless(&listed.stdout));
}

#[test]
fn hostile_arguments_and_settings_are_harmless_in_errors() {
    let env = machine();
    for arguments in [
        &["show", HOSTILE][..],
        &["duel", "A topic", "--proposer", HOSTILE],
        &["duel", "A topic", "--effort", HOSTILE],
        &["duel", "A topic", "--rounds", HOSTILE],
        &["export", "--as", HOSTILE],
    ] {
        for more in [&[][..], &["--json"]] {
            let run = env.rebut(arguments.iter().chain(more)).exits(2);
            assert!(is_harmless(&run.stderr) && is_harmless(&run.stdout), "{run:?}");
        }
    }
    env.write(".rebut/config.toml", "\"\\u001b[2J\" = 1\n");
    let run = env.rebut(["doctor"]).exits(2);
    assert!(is_harmless(&run.stderr), "{:?}", run.stderr);
}

#[test]
fn no_escape_code_is_written_where_there_is_no_terminal() {
    let env = machine_for(&Script::duel(1)).set("TERM", "xterm-256color").set("COLORTERM", "truecolor");
    for arguments in
        [env.duel_arguments(&["--rounds", "1"]), vec!["list"], vec!["show"], vec!["--help"], vec!["duel", "--bad"]]
    {
        let run = env.rebut(&arguments);
        assert!(is_harmless(&run.stdout) && is_harmless(&run.stderr), "{arguments:?}: {run}");
    }
}

#[test]
fn colour_is_for_those_who_ask_and_nobody_who_refuses() {
    let env = machine_for(&Script::duel(1));
    let _ = env.duel(&["--rounds", "1"]).exits(0);
    let env = env.set("REBUT_OUTPUT_COLOR", "always");
    let _ = env.rebut(["show"]).exits(0).shows("# Debate summary");
    let run = env.rebut(["show", "--no-color"]).exits(0);
    assert!(is_harmless(&run.stdout), "{run}");
    let env = env.set("NO_COLOR", "1");
    let run = env.rebut(["show"]).exits(0);
    assert!(is_harmless(&run.stdout), "{run}");
}

/// Runs a duel with a terminal as its standard error, and gives what a person sees there.
fn on_a_terminal(env: &TestEnv, more: &[&str], typed: &str) -> rebut_fakes::Run {
    Terminal::open().run(&mut env.command(env.duel_arguments(more)), typed)
}

/// What a program may send to move lines and to paint, taken away.
fn without_drawing(text: &str) -> String {
    let mut rest = text;
    let mut plain = String::new();
    while let Some((before, after)) = rest.split_once("\u{1b}[") {
        plain.push_str(before);
        let end = after.find(|c: char| c.is_ascii_alphabetic()).map_or(after.len(), |at| at + 1);
        rest = &after[end..];
    }
    plain + rest
}

#[test]
fn hostile_text_does_nothing_in_the_line_that_moves() {
    let hang = ScriptLine::hang().set("partial", format!("{HOSTILE} last words").repeat(3));
    let env = machine_for(&Script::duel(1).instead("round-1/challenger", [hang])).set("TERM", "xterm");
    let run = on_a_terminal(&env, &["--rounds", "1", "--timeout", "1"], "").exits(3);
    let seen = without_drawing(&run.stderr);
    assert!(seen.contains("call 2 of 4: challenger (script)"), "{seen:?}");
    assert!(seen.contains("last words"), "the last words are shown as they arrive: {seen:?}");
    assert!(!run.stderr.contains("\u{1b}[2J") && !run.stderr.contains("\u{1b}]0;"), "{:?}", run.stderr);
    assert!(!seen.contains(['\u{7}', '\u{8}', '\u{9b}', '\u{202e}', '\u{2066}']), "{seen:?}");
    assert!(!seen.contains("over\rwritten"), "{seen:?}");
    assert!(is_harmless(&run.stdout), "what goes into a file has no lines that move");
}

#[test]
fn quiet_draws_nothing_on_a_terminal() {
    let env = machine_for(&Script::duel(1)).set("TERM", "xterm");
    let run = on_a_terminal(&env, &["--rounds", "1", "--quiet"], "").exits(0);
    assert_eq!(run.stderr, "");
}

#[test]
fn every_choice_is_asked_for_in_one_go() {
    let env = machine_for(&Script::duel(3)).set("TERM", "xterm");
    // Who proposes, who challenges, who judges, how many rounds, how hard: by number, by name, by default.
    let typed = "2\nscript:debate.toml#north\n\n9\n1\nlow\n";
    let run = on_a_terminal(&env, &["--pick", "--dry-run"], typed).exits(0);
    let run = run.says("Who proposes?").says("How many rounds?").says("`9` is not an option.");
    let run = run.shows("  proposer    script:debate.toml#south\n").shows("  challenger  script:debate.toml#north\n");
    let _ = run.shows("  judge       script:debate.toml#north\n").shows("  rounds      1, effort low,");
}

#[test]
fn another_vendor_is_offered_first_as_challenger_and_as_judge() {
    let (env, _) = machine_with(&["claude", "codex", "gemini"], &[]);
    let env = env.set("TERM", "xterm");
    let picked = |typed: &str| {
        let arguments = ["duel", "Ship it on Friday?", "--pick", "--dry-run"];
        Terminal::open().run(&mut env.command(arguments), typed).exits(0)
    };
    let run = picked("\n\n\n\n\n").says("[1-5, default 2, ? for help]").shows("  proposer    claude:opus\n");
    let run = run.shows("  challenger  codex\n").shows("  judge       gemini:pro\n");
    let _ = run.shows("  rounds      2, effort high,");
    let _ = picked("gemini:pro\ncodex\n\n\n\n").shows("  judge       claude:opus\n");
}
