//! What people type after a slash command: read by the parser of the command line.

use rebut_fakes::Script;
use serde_json::json;

use super::{Client, block_on, text, with};
use crate::machine;
use crate::review::with_tools;

const SEATS: &str = "--proposer script:seats.toml#a --challenger script:seats.toml#b --judge script:seats.toml#c";

#[test]
fn flags_in_the_words_of_a_host_are_flags() {
    let env = with(&Script::duel(1));
    block_on(async {
        let client = Client::of(&env).await;
        let words = format!("What's the right policy? {SEATS} --rounds 1");
        let standing = client.told("debate_start", json!({ "arguments": words })).await;
        assert_eq!((standing["format"].as_str(), standing["status"].as_str()), (Some("duel"), Some("completed")));
        assert_eq!(standing["topic"], "What's the right policy?");
        client.close().await;
    });
    let plan = env.debate().plan();
    assert_eq!(plan["setup"]["rounds"], 1);
    assert_eq!(plan["seats"]["challenger"]["model"], "seats.toml#b");
}

#[test]
fn the_words_say_which_debate_it_is() {
    let env = machine();
    env.install_idle("claude");
    env.install_idle("codex");
    env.write("my notes.md", "Ship on Monday.");
    block_on(async {
        let client = Client::of(&env).await;
        for (words, format, topic) in [
            ("Should we shard? --rounds 3", "duel", "Should we shard?"),
            ("\"Ship it now?\" --rounds 3", "duel", "Ship it now?"),
            ("“Ship it?” --rounds 3", "duel", "Ship it?"),
            ("What about an \"open end?", "duel", "What about an \"open end?"),
            ("Do we say \"hi\", then go?", "duel", "Do we say \"hi\", then go?"),
            ("--context='file=my notes.md' Ship it?", "duel", "Ship it?"),
            ("ask claude and codex why is it slow?", "ask", "why is it slow?"),
            ("panel Four-day week? --max-rounds 2", "panel", "Four-day week?"),
        ] {
            let plan = client.told("debate_start", json!({ "arguments": format!("{words} --dry-run") })).await;
            assert_eq!((plan["format"].as_str(), plan["topic"].as_str()), (Some(format), Some(topic)), "{words}");
        }
        client.close().await;
    });
}

#[test]
fn no_words_review_the_uncommitted_changes() {
    let (env, turns) = with_tools(&["claude", "codex", "gemini"]);
    block_on(async {
        let client = Client::of(&env).await;
        let standing = client.told("debate_start", json!({ "arguments": "", "wait_seconds": 50 })).await;
        assert_eq!((standing["format"].as_str(), standing["status"].as_str()), (Some("review"), Some("completed")));
        assert!(standing["topic"].as_str().unwrap().contains("uncommitted"), "{standing}");
        client.close().await;
    });
    assert_eq!(turns.calls().len(), 1);
}

#[test]
fn words_that_cannot_be_meant_start_nothing_and_say_why() {
    let env = with(&Script::duel(1));
    block_on(async {
        let client = Client::of(&env).await;
        for (arguments, says) in [
            (
                json!({ "topic": format!("Shard it? {SEATS}") }),
                "`topic` contains --proposer, which looks like a flag: pass the user's words in `arguments`",
            ),
            (json!({ "arguments": "Shard it? --proposr claude" }), "unexpected argument '--proposr' found"),
            (json!({ "arguments": "Shard it? --max-rounds 3" }), "unexpected argument '--max-rounds' found"),
            (json!({ "arguments": "Shard it? --state-dir /tmp" }), "--state-dir is not available here"),
            (json!({ "arguments": "Shard it? --rounds many" }), "expected a whole number"),
            (json!({ "arguments": "duel --help" }), "--challenger <SEAT>"),
            (json!({ "arguments": "Shard it?", "rounds": 3 }), "`arguments` and `rounds` can't be combined"),
        ] {
            let result = client.call("debate_start", arguments.clone()).await;
            assert_eq!(result.is_error, Some(true), "{arguments}");
            assert!(text(&result).contains(says), "{arguments}: {}", text(&result));
        }
        client.close().await;
    });
    assert!(env.debates().is_empty());
}

#[test]
fn a_topic_with_a_flag_in_it_is_an_error_on_the_command_line_too() {
    let env = machine();
    for (command, topic, flag) in [
        ("duel", "Shard it? --proposer claude --rounds 3", "--proposer"),
        ("ask", "Shard it? --scope=base:main", "--scope"),
        ("cross", "Do it, --rounds, or not", "--rounds"),
        ("panel", "Should cargo have --workspace and --out?", "--out"),
    ] {
        let run = env.rebut([command, topic]).exits(2).says(&format!("contains {flag}, which looks like a flag"));
        let _ = run.says("put flags outside the quotes");
    }
    let _ = env.rebut(["duel", "Rename `--rounds`?", "--proposer", "nobody"]).exits(2).says("unknown tool `nobody`");
}
