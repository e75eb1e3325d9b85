//! What acts on a terminal, in an artifact or in the words of a model, is text in all that a review writes for people.

use rebut_fakes::{ScriptLine, Terminal};

use super::{PATCH, agreement, arguments, critique_value, finding, judgement, kept, repository, seats};

/// Sets a terminal's title, and colours it by one character.
const ACTS: &str = "\u{1b}]0;owned\u{7} \u{9b}31m";

#[test]
fn what_acts_on_a_terminal_is_text_in_every_file_and_reaches_no_terminal() {
    let mut raised = finding("P1", &format!("the guard {ACTS} is dropped"), "src/pool.rs:3", "drop(guard);");
    raised.value["suggestion"] = format!("mend {ACTS} it").into();
    let mut critique = critique_value(&[raised], "continue");
    critique["summary"] = format!("A critique {ACTS}.").into();
    critique["missing"] = serde_json::json!([{ "title": format!("a test {ACTS}"), "explanation": ACTS }]);
    critique["checked_files"] = vec![format!("src/{ACTS}.rs")].into();
    let again = finding("P1", &format!("the wait {ACTS} has no limit"), "src/pool.rs:4", "pool.wait(30)");
    let script = seats()
        .call("round-1/critique", ScriptLine::text(critique.to_string()))
        .call("round-1/judgement", judgement(&[("F1", "needs_evidence", "P1")], &[(&format!("a test {ACTS}"), true)]))
        .call("round-1/rebuttal", ScriptLine::text(format!("F1: it {ACTS} locks again.")))
        .call("round-2/critique", ScriptLine::text(critique_value(&[again], "revise").to_string()))
        .call("round-2/judgement", judgement(&[("F2", "valid", "P1")], &[]))
        .call(
            "round-2/rewrite",
            ScriptLine::text(PATCH.replace("conn.after(guard)", &format!("conn.after(guard) // {ACTS}"))),
        )
        .call("round-3/critique", agreement());
    let env = repository(&script).set("TERM", "xterm");
    env.write("src/pool.rs", super::AFTER.replace("drop(guard);", &format!("drop(guard); // {ACTS}")));
    let run = Terminal::open().show(&mut env.command(arguments(&[])));
    assert!(run.stderr.contains("the guard"), "{run}");
    no_acts("the terminal", &run.stderr.replace("\u{1b}[", ""));
    let folder = kept(&env);
    let mut read = Vec::new();
    for file in std::fs::read_dir(&folder.path).unwrap() {
        let path = file.unwrap().path();
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        // What was given is kept to the letter, and the journal is for programs.
        if path.is_dir()
            || name.starts_with('.')
            || ["artifact.md", "artifact.diff", "journal.jsonl"].contains(&name.as_str())
        {
            continue;
        }
        no_acts(&name, &std::fs::read_to_string(&path).unwrap());
        read.push(name);
    }
    for name in
        ["summary.md", "round-1-critique.md", "round-2-input.md", "final-artifact.md", "debate.json", "metadata.json"]
    {
        assert!(read.iter().any(|read| read == name), "{name} was looked at: {read:?}");
    }
    for shown in [vec!["show", "last"], vec!["replay", "last"], vec!["show", "last", "--claims"]] {
        let run = Terminal::open().show(&mut env.command(shown.clone()));
        no_acts(&shown.join(" "), &run.stderr.replace("\u{1b}[", ""));
    }
}

#[track_caller]
fn no_acts(what: &str, text: &str) {
    assert!(!text.contains(['\u{1b}', '\u{9b}', '\u{7}']), "{what}: {text:?}");
}
