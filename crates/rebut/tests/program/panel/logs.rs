//! `rebut check-log` and `rebut show --format log`.

use rebut_fakes::Script;
use rebut_fakes::panel::PanelScript;
use serde_json::Value;

use super::{document, hold, machine_with_script};
use crate::machine_for;

const TWO: PanelScript = PanelScript { debaters: 2, rounds: 1 };

#[test]
fn the_log_is_printed_as_it_is_written() {
    let env = machine_with_script(TWO, &TWO.script());
    let _ = hold(&env, TWO, &[]).exits(0);
    let log = document(&env, "debate-log.jsonl");
    assert_eq!(env.rebut(["show", "last", "--format", "log"]).exits(0).stdout, log);
    let _ = env.rebut_reading(log.as_bytes(), ["check-log", "-"]).exits(0).shows("-: valid");
    let other = machine_for(&Script::duel(1));
    let _ = other.duel(&["--rounds", "1"]).exits(0);
    let _ = other.rebut(["show", "--format", "log"]).exits(2).says("this debate is not a panel and has no log");
}

#[test]
fn every_line_that_is_wrong_is_named() {
    let env = machine_with_script(TWO, &TWO.script());
    let _ = hold(&env, TWO, &[]).exits(0);
    let log = document(&env, "debate-log.jsonl");
    let lines: Vec<Value> = log.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let changed = |line: usize, change: &dyn Fn(&mut Value)| {
        let mut lines = lines.clone();
        change(&mut lines[line - 1]);
        lines.iter().map(Value::to_string).collect::<Vec<_>>().join("\n") + "\n"
    };
    let cases: [(usize, &str, String); 7] = [
        (4, "can't write `opening_statement`", changed(4, &|line| line["speaker"] = "chair".into())),
        (1, "can't write `setup`; only the chair can", changed(1, &|line| line["speaker"] = "anna".into())),
        (5, "seq is 9, expected 4", changed(5, &|line| line["seq"] = 9.into())),
        (9, "rebuttal_to_seq 99 is not an earlier entry", changed(9, &|line| line["rebuttal_to_seq"] = 99.into())),
        (3, "not an entry: unknown variant `shout`", changed(3, &|line| line["type"] = "shout".into())),
        (3, "not an entry: unknown field `mood`", changed(3, &|line| line["mood"] = "good".into())),
        (lines.len(), "the line has no end", log.trim_end().to_owned()),
    ];
    for (line, what, text) in cases {
        env.write("wrong.jsonl", text);
        let run = env.rebut(["check-log", "wrong.jsonl"]).exits(1);
        let told = run.stdout.lines().find(|told| told.contains(what)).unwrap_or_else(|| panic!("{what}\n{run}"));
        assert!(told.starts_with(&format!("wrong.jsonl: line {line}: ")), "{told}");
    }
    let torn = log.replacen("\"type\":\"setup\"", "\"type\":\"set\nup\"", 1);
    env.write("torn.jsonl", torn);
    let run = env.rebut(["check-log", "torn.jsonl", "papers/debate-log.jsonl", "--json"]).exits(1);
    let told = run.json_lines();
    assert_eq!((told[0]["sound"].as_bool(), told[1]["sound"].as_bool()), (Some(false), Some(true)));
    let wrong: Vec<u64> = told[0]["problems"].as_array().unwrap().iter().filter_map(|p| p["line"].as_u64()).collect();
    assert!(wrong.starts_with(&[1, 2]) && wrong.iter().all(|line| *line <= 3), "a torn line swallows no other: {wrong:?}");
}

#[test]
fn what_is_no_log_at_all_is_said() {
    let env = machine_with_script(TWO, &TWO.script());
    let _ = env.rebut(["check-log", "nowhere.jsonl"]).exits(2).says("can't read nowhere.jsonl");
    let _ = env.rebut(["check-log", "."]).exits(2).says("is a folder");
    env.write("short.jsonl", "");
    let both = env.rebut(["check-log", "nowhere.jsonl", "short.jsonl"]).exits(2).says("can't read nowhere.jsonl");
    let _ = both.shows("short.jsonl: the log is empty");
    env.write("bytes.jsonl", [b'{', 0xff, b'\n']);
    let _ = env.rebut(["check-log", "bytes.jsonl"]).exits(1).shows("bytes.jsonl: line 1: not UTF-8");
    env.write("empty.jsonl", "");
    let _ = env.rebut(["check-log", "empty.jsonl"]).exits(1).shows("the log is empty");
    env.write("wild.jsonl", "{\"\u{1b}[2J\":1}\n");
    let run = env.rebut(["check-log", "wild.jsonl"]).exits(1);
    assert!(!run.stdout.contains('\u{1b}'), "{run}");
}

#[test]
fn a_pipe_is_no_log_and_is_not_waited_for() {
    let env = machine_for(&Script::duel(1));
    crate::pipe_at(&env.workspace().join("pipe.jsonl"));
    let _ =
        env.rebut(["check-log", "pipe.jsonl"]).exits(2).says("can't read pipe.jsonl: it is a pipe or a device, not a file");
}
