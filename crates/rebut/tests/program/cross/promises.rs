//! What ask and cross promise, line by line, through the built program.

use rebut_fakes::stand_in::{NAMES, Turn};
use rebut_fakes::{ScriptLine, Terminal, with_block};
use serde_json::json;

use super::{QUESTION, THREE, TWO, arguments, asked, comparison, cross, machine_with_script, script};
use crate::machine_with;

/// A stance as a tool writes it.
fn stance(text: &str, position: &str) -> String {
    with_block(text, &json!({"position": position, "moved": "no", "claims": []}))
}

#[test]
fn answers_stand_below_each_other_where_the_terminal_is_narrow_and_in_three_columns_where_it_is_wide() {
    let env = machine_with_script(&script(3, 0));
    let narrow = Terminal::open().columns(60).show(&mut env.command(arguments("ask", &THREE, &[]))).exits(0);
    assert!(!narrow.stderr.contains(" │ "), "{}", narrow.stderr);
    assert!(narrow.stderr.contains("Answer 1 of round 0.") && narrow.stderr.contains("Answer 3 of round 0."));
    let wide = Terminal::open().columns(160).show(&mut env.command(["show"])).exits(0);
    let row = wide.stderr.lines().find(|line| line.contains("Answer 1 of round 0.")).unwrap_or_default();
    assert!(row.contains("│ Answer 2 of round 0.") && row.contains("│ Answer 3 of round 0."), "{}", wide.stderr);
    let plain: Vec<&str> = wide.stderr.lines().map(str::trim_end).collect();
    let heading = plain.iter().position(|line| line.contains("Where they agree")).unwrap();
    assert_eq!(plain[heading - 1], "", "an empty line before the heading: {}", wide.stderr);
}

#[test]
fn a_comparison_has_two_to_four_points() {
    let points = |count: usize| {
        let point = json!({"kind": "differ", "partners": ["Partner A"], "claims": [], "text": "They differ on cost."});
        ScriptLine::text(json!({ "points": vec![point; count] }).to_string())
    };
    // A fifth point is left out; one alone is asked for again.
    for (count, accepted) in [(1, false), (2, true), (4, true), (5, true)] {
        let env = machine_with_script(&script(2, 0).instead("comparison", [points(count), comparison()]));
        let run = env.rebut(arguments("ask", &TWO, &[])).exits(0);
        assert_eq!(run.stderr.contains("invalid answer (does not fit)"), !accepted, "{count}: {}", run.stderr);
    }
}

#[test]
fn two_partners_of_different_vendors_are_the_default() {
    let (env, _) = machine_with(&NAMES, &[]);
    let run = env.rebut(["cross", QUESTION, "--dry-run", "--json"]).exits(0);
    let seats = &run.json()["plan"]["seats"];
    assert_eq!((seats["partner-1"]["tool"].as_str(), seats["partner-2"]["tool"].as_str()), (Some("claude"), Some("codex")));
    assert_eq!(seats["moderator"]["tool"], "gemini", "a vendor that takes no part");
    assert!(seats.get("partner-3").is_none());
    let seats_of = |tools: &[&str], count: &str| {
        let env = machine_with(tools, &[]).0.set("ANTHROPIC_API_KEY", "sk-test");
        let plan = env.rebut(["cross", QUESTION, "--partners", count, "--dry-run", "--json"]).exits(0).json();
        let seats = plan["plan"]["seats"].as_object().unwrap();
        seats.values().map(|seat| seat["tool"].as_str().unwrap().to_owned()).collect::<Vec<_>>()
    };
    assert_eq!(seats_of(&["claude", "codex"], "3"), ["claude", "claude", "codex", "anthropic"], "the moderator and three");
    assert_eq!(seats_of(&[], "2"), ["anthropic"; 3], "where nobody else is there, the same again");
}

#[test]
fn eight_partners_take_part_and_nine_are_refused() {
    let names: Vec<String> = (1..=8).map(|number| format!("p{number}")).collect();
    let script = names.iter().fold(script(8, 1), |script, name| script.of_family(name, name));
    let env = machine_with_script(&script);
    let seats = |count: usize| {
        let all = (0..count).map(|place| format!("script:seats.toml#p{}", place % 8 + 1));
        all.collect::<Vec<_>>().join(",")
    };
    let run =
        |count: usize| env.rebut(["cross", QUESTION, "--partners", &seats(count), "--moderator", "script:seats.toml#chair"]);
    let _ = run(9).exits(2).says("two to eight seats");
    let told = run(8).exits(0).shows("Answer 8 of round 1.");
    let colours: std::collections::BTreeSet<char> = told
        .stdout
        .lines()
        .filter(|line| line.starts_with("## ") && line.ends_with("— final"))
        .filter_map(|line| line.chars().nth(3))
        .collect();
    assert_eq!(colours.len(), 8, "eight vendors, eight colours: {}", told.stdout);
    assert_eq!(env.debate().state()["exchanges"].as_array().map(Vec::len), Some(16));
}

#[test]
fn the_title_of_a_thread_reaches_a_tool_that_takes_one() {
    let moderator = json!({
        "points": [
            {"kind": "differ", "partners": ["Partner A"], "claims": [], "text": "One."},
            {"kind": "differ", "partners": ["Partner B"], "claims": [], "text": "Two."}
        ],
        "synthesis": "Both.", "position": null,
    });
    let turns = [
        Turn::answer("opencode", stance("Ship it.", "yes")),
        Turn::answer("claude", stance("Wait.", "no")),
        Turn::answer("codex", moderator.to_string()),
    ];
    let (env, calls) = machine_with(&["opencode", "claude", "codex"], &turns);
    let _ = env
        .rebut(["cross", "Should we ship?", "--partners", "opencode,claude", "--moderator", "codex", "--rounds", "0"])
        .exits(0);
    let called = calls.call_of("opencode");
    assert!(called.has(&["--title", "debate-should-we-ship-partner-1"]), "{:?}", called.arguments);
}

#[test]
fn names_are_read_where_they_are_open_and_the_same_seat_may_sit_twice() {
    let named = |one: &str, other: &str| {
        let points = json!([
            {"kind": "agree", "partners": [one], "claims": [], "text": "It holds."},
            {"kind": "differ", "partners": [other], "claims": [], "text": "It differs."}
        ]);
        let said = json!({ "points": points, "synthesis": "Both." });
        script(2, 1).instead("synthesis", [ScriptLine::text(said.to_string())])
    };
    let env = machine_with_script(&named("script:seats.toml#north", "script:seats.toml#south"));
    let _ = cross(&env, &TWO, &["--named"]).exits(0);
    let prompt = env.debate().prompt("round-1/partner-1");
    assert!(prompt.contains("script:seats.toml#south, round 0>>") && !prompt.contains("Partner B, round 0"), "{prompt}");
    env.clear();
    let twice = ["--partners", "script:seats.toml#north,script:seats.toml#north", "--moderator", "script:seats.toml#chair"];
    env.write("seats.toml", named("script:seats.toml#north (Partner A)", "script:seats.toml#north (Partner B)").to_toml());
    let run = cross(&env, &twice, &["--named"]).exits(0);
    let run = run.shows("- **agree** (script:seats.toml#north (Partner A)): It holds.");
    let _ = run
        .shows("one model, script:seats.toml#north, gives all 2 answers")
        .shows("| script:seats.toml#north (Partner B) | round 1 |");
}

#[test]
fn always_debate_runs_every_round() {
    let env = machine_with_script(&script(2, 4));
    let _ = cross(&env, &TWO, &["--rounds", "4", "--always-debate"]).exits(0);
    assert!(asked(&env.debate()).contains(&"round-4/partner-1".to_owned()));
}

const HOSTILE: &str = "Ship.\u{1b}[2J\u{1b}]0;owned\u{7} \u{202e}txt";

#[test]
fn hostile_text_reaches_no_terminal_from_ask_cross_show_or_export() {
    let hostile = ScriptLine::text(stance(HOSTILE, "yes"));
    let later = ScriptLine::text(format!("Fine.\u{1b}[2J\n\n{}", stance(HOSTILE, "yes")));
    let script = script(2, 1).instead("round-0/partner-1", [hostile]).instead("round-1/partner-1", [later]);
    let env = machine_with_script(&script);
    for command in [
        arguments("ask", &TWO, &[]),
        vec!["show"],
        vec!["export", "--as", "md"],
        vec!["export", "--as", "json"],
        arguments("cross", &TWO, &[]),
        vec!["show"],
        vec!["export"],
    ] {
        let run = Terminal::open().columns(100).show(&mut env.command(&command)).exits(0);
        assert!(run.stderr.contains("Ship."), "{command:?}: {}", run.stderr);
        for forbidden in ["\u{1b}[2J", "\u{1b}]0;", "\u{202e}", "\u{7}"] {
            assert!(!run.stderr.contains(forbidden), "{command:?} lets {forbidden:?} through");
        }
    }
    let piped = env.rebut(["export"]).exits(0);
    assert!(piped.stdout.contains("␛[2J"), "a document does nothing either, where it is printed later");
}

#[test]
fn the_evidence_of_an_ask_stands_with_each_answer_once_all_are_in() {
    let evidence = json!([{"file": "notes.md", "lines": "1", "quote": "41 % of CPU"}]);
    let block = json!({"position": "yes", "claims": [{"text": "It holds", "evidence": evidence}]});
    let evident = with_block("Ship.", &block);
    let env = machine_with_script(&script(2, 0).instead("round-0/partner-1", [ScriptLine::text(evident)]));
    env.write("notes.md", "41 % of CPU\n");
    let run = env.rebut(arguments("ask", &TWO, &[])).exits(0);
    assert!(!run.stdout.contains("Evidence of"), "{}", run.stdout);
    let answer = run.stdout.find("Ship.").unwrap();
    let evidence = run.stdout.find("✔ notes.md:1").expect("its evidence");
    assert!(answer < evidence && evidence < run.stdout.find("Answer 2 of round 0.").unwrap(), "{}", run.stdout);
    for command in ["show", "export"] {
        let _ = env.rebut([command]).exits(0).shows("✔ notes.md:1");
    }
}

#[test]
fn from_keeps_the_moderator_skips_what_failed_and_refuses_what_runs() {
    let env = machine_with_script(&script(2, 1));
    let _ = env.rebut(arguments("ask", &TWO, &[])).exits(0);
    let plan = |more: &[&str]| {
        let all: Vec<&str> = ["cross", "--from", "last", "--dry-run", "--json"].iter().chain(more).copied().collect();
        env.rebut(all).exits(0).json()["plan"]["seats"]["moderator"]["model"].clone()
    };
    assert_eq!(plan(&[]), "seats.toml#chair");
    let again = env.rebut(["resume", "last"]).exits(0).says("is complete; add another comparison with --judge");
    let _ = again.says(&format!("rebut cross --from {}", env.debate().short()));
    assert_eq!(plan(&["--moderator", "script:seats.toml#south"]), "seats.toml#south");
    let kept = env.debate();
    let failed = ["round-0/partner-1", "round-0/partner-2"];
    let broken = failed.iter().fold(script(2, 1), |script, key| script.instead(key, [ScriptLine::fail("exit")]));
    env.write("seats.toml", broken.to_toml());
    let _ = env.rebut(arguments("ask", &TWO, &[])).exits(1);
    env.write("seats.toml", script(2, 1).to_toml());
    let _ = env.rebut(["cross", "--from", "last", "--dry-run"]).exits(0).shows(&format!("2 answers of {}", kept.id));
    env.write("seats.toml", script(2, 1).instead("round-0/partner-2", [ScriptLine::hang()]).to_toml());
    let mut running = env.start(arguments("ask", &TWO, &["--json"]));
    let _ = running.wait_for(|event| event["happening"]["kind"] == "answered");
    let _ = env.rebut(["cross", "--from", "last"]).exits(2).says("is still running").says("rebut cancel ");
    let _ = env.rebut(["cancel", "last"]).exits(0);
    let _ = running.end().exits(130);
}

/// Where there is nothing else the embedded model plays a duel; it is too small for any other format.
#[test]
fn only_a_duel_falls_back_to_the_embedded_model() {
    let env = crate::machine();
    env.write("plan.md", "We will rewrite it.");
    for arguments in [["ask", QUESTION], ["cross", QUESTION], ["panel", QUESTION], ["review", "plan.md"]] {
        let run = env.rebut(arguments).exits(2).says("error: no tool, API or local server is available");
        let _ = run.says("hint: or watch a scripted debate: rebut demo");
    }
    assert!(env.debates().is_empty());
}

#[test]
fn a_question_that_is_long_is_not_printed_whole_before_it_is_asked() {
    let env = machine_with_script(&script(2, 0));
    let question = format!("debate this for 3 rounds: {}end", "word ".repeat(200));
    let all: Vec<&str> = ["cross", question.as_str(), "--dry-run"].iter().chain(&TWO).copied().collect();
    let run = env.rebut(all).exits(0);
    assert!(!run.stdout.contains("word end") && run.stdout.contains("word …"), "{}", run.stdout);
    assert!(run.stderr.contains("understood: 3 rounds") && !run.stderr.contains("wordend"), "{}", run.stderr);
}
