//! Parts of one artifact are critiqued at the same time.

use rebut_fakes::{ScriptLine, TestEnv};
use rustix::process::Signal;

use super::{agreement, critique, early_drop, finding, folder, judged, repository, ruling, same, seats};

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

#[test]
fn a_large_snippet_is_read_in_parts_riskiest_first_and_its_findings_are_one_list() {
    let no_name = finding("P3", "the steps have no names that say anything", "", "");
    let shell = finding("P1", "what comes from outside is run as a command", "", "");
    let again = finding("P2", "what comes from outside is run as a command of the shell", "", "");
    // F1 and F2 are told by the judge to be one.
    let rulings = [ruling("F1", "valid", "P3"), same("F2", "valid", "P3", "F1"), ruling("F3", "valid", "P3")];
    let script = seats()
        .reading("critic", 3_000)
        .call("round-1/critique/1", critique(&[again, no_name], "revise"))
        .call("round-1/critique/2", critique(&[shell], "revise"))
        .call("round-1/judgement", judged(&rulings, &[]));
    let env = folder(&script);
    let step = |n: u32| format!("def step_{n}(value):\n    return value + {n}\n\n\n");
    let steps = |numbers: std::ops::Range<u32>| numbers.map(step).collect::<String>();
    let danger = "def run(request):\n    os.system(request.args['command'] + password)\n\n\n";
    let code = format!("```python\n{}{danger}{}```\n", steps(0..110), steps(110..130));
    let _ = env.rebut_reading(code.as_bytes(), super::arguments(&["-", "--state-dir", "kept"])).exits(0);
    let kept = env.debates_in("workspace/kept").remove(0);
    let (first, second) = (kept.prompt("round-1/critique/1"), kept.prompt("round-1/critique/2"));
    assert!(first.contains("os.system(") && !second.contains("os.system("), "the riskiest part comes first: {first}");
    for n in 0..130 {
        let line = format!("def step_{n}(value):\n    return value + {n}\n");
        assert!(first.contains(&line) != second.contains(&line), "step {n} stands in one part, and whole");
    }
    let round = super::json_file(&kept, "metadata.json")["rounds"][0].clone();
    let counted = ["p1", "p2", "p3"].map(|severity| round[severity].as_u64().unwrap());
    assert_eq!(counted, [1, 0, 1], "what both parts raise counts once, at its highest severity");
}
