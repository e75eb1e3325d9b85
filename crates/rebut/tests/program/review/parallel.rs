//! Parts of one artifact are critiqued at the same time.

use rebut_fakes::{ScriptLine, TestEnv};
use rustix::process::Signal;

use super::{agreement, critique, early_drop, folder, repository, seats};

/// Waits until this part is answered while every other one hangs, for each of the parts: whoever read them one after the
/// other, in whatever order, would hang before one of them.
fn none_waits_for_another(cast_of: impl Fn(&str) -> TestEnv, parts: &[&str], more: &[&str]) {
    for part in parts {
        let env = cast_of(part);
        let mut running = env.start(super::arguments(&[more, &["--json"]].concat()));
        let key = format!("round-1/critique/{part}");
        let _ = running.wait_for(|line| line["happening"]["kind"] == "answered" && line["happening"]["key"] == key.as_str());
        running.signal(Signal::INT);
        let _ = running.end().exits(130);
    }
}

#[test]
fn neither_part_of_a_mixed_text_waits_for_the_other() {
    let cast_of = |answered: &str| {
        let line = |part: &str| if part == answered { agreement() } else { ScriptLine::hang() };
        let script =
            ["code", "proposal"].iter().fold(seats(), |s, part| s.call(&format!("round-1/critique/{part}"), line(part)));
        let env = folder(&script);
        env.write("mixed.md", "# Proposal\n\nWe cache all.\n\n```rust\nfn cache() {}\n```\n");
        env
    };
    none_waits_for_another(cast_of, &["code", "proposal"], &["--artifact-file", "mixed.md", "--state-dir", "kept"]);
}

#[test]
fn no_part_of_a_large_change_waits_for_another() {
    let cast_of = |answered: &str| {
        let line = |part: &str| if part == answered { critique(&[early_drop("P3")], "keep") } else { ScriptLine::hang() };
        let cast = seats().reading("critic", 3_000);
        let script = ["1", "2", "3"].iter().fold(cast, |s, part| s.call(&format!("round-1/critique/{part}"), line(part)));
        let env = repository(&script);
        for name in ["one", "two", "three"] {
            let lines: Vec<String> = (0..90).map(|n| format!("let {name}_{n} = compute({n});\n")).collect();
            env.write(format!("src/{name}.rs"), lines.concat());
        }
        env
    };
    none_waits_for_another(cast_of, &["1", "2", "3"], &[]);
}
