//! Embedded models: debates on tiny weights that the tests write themselves, and one on the real model. The weights of that
//! are fetched by `scripts/test`, which names them in REBUT_TEST_MODEL. What a model says is its own; only the shape is held.

use std::fs;
use std::path::PathBuf;

use rebut_fakes::tiny_model::TinyModel;
use rebut_fakes::{Script, TOPIC, TestEnv, weights};

use crate::machine;

/// A machine with the weights of a tiny model in its workspace.
fn machine_with_weights() -> TestEnv {
    let env = machine();
    env.write("tiny.gguf", TinyModel { context: 8192, ..TinyModel::default() }.bytes());
    env
}

/// Both sides and the judge are the tiny model.
const BY_TINY: [&str; 8] =
    ["--proposer", "local:tiny.gguf", "--challenger", "local:tiny.gguf", "--judge", "local:tiny.gguf", "--rounds", "1"];

#[test]
fn one_embedded_model_can_be_named_for_every_seat_and_costs_nothing() {
    let env = machine_with_weights();
    let run = env.rebut([&["duel", TOPIC][..], &BY_TINY].concat());
    let run = run.shows("argues both sides, with different seeds");
    let debate = env.debate();
    let statements: Vec<_> =
        debate.of_kind("answered").into_iter().filter(|line| line.key().starts_with("round-1/")).collect();
    assert_eq!(statements.len(), 2, "{run}");
    assert_ne!(statements[0].happening["answer"]["text"], statements[1].happening["answer"]["text"], "seeds of their own");
    for statement in statements {
        assert_eq!(statement.happening["answer"]["usage"]["cost"], 0, "{statement:?}");
    }
    let _ = run.shows("$0.0000");
}

#[test]
fn it_debates_itself_where_only_a_judge_is_named_and_nothing_else_is_there() {
    let env = machine();
    env.write("judge.toml", Script::duel(1).to_toml());
    for judge in ["local", "script:judge.toml#bench"] {
        let run = env.rebut(["duel", TOPIC, "--judge", judge, "--dry-run", "--json"]).exits(0);
        let seats = &run.json_lines()[0]["plan"]["seats"];
        assert_eq!((&seats["proposer"]["tool"], &seats["challenger"]["tool"]), (&"local".into(), &"local".into()));
    }
}

#[test]
fn weights_that_cannot_be_used_are_found_out_before_anything_is_begun() {
    let env = machine();
    let whole = TinyModel::default().bytes();
    env.write("cut.gguf", &whole[..whole.len() - 100]);
    env.write("page.gguf", "<html>not found</html>");
    env.write("other.gguf", TinyModel { architecture: "mamba".to_owned(), ..TinyModel::default() }.bytes());
    env.write("bare.gguf", weights::gguf(3000));
    for (file, expected) in [
        ("cut.gguf", "the file is truncated or corrupted: tensor `"),
        ("page.gguf", "this is not a GGUF file: it does not begin as one"),
        ("other.gguf", "architecture `mamba` is not supported (supported: llama, qwen2, qwen3)"),
        ("bare.gguf", "the file has no metadata `"),
        ("none.gguf", "name the weights as `local:PATH.gguf`"),
    ] {
        let seat = format!("local:{file}");
        let run = env.rebut(["duel", TOPIC, "--proposer", &seat, "--challenger", "local", "--dry-run"]).exits(2);
        let run = run.says(expected);
        assert_eq!(run.stderr.matches(file).count(), 1, "the file is named once: {run}");
        let _ = env.rebut(["duel", TOPIC, "--proposer", &seat, "--challenger", "local"]).exits(2).says(expected);
    }
    assert!(env.debates().is_empty(), "no folder is left");
}

#[test]
fn the_same_seed_gives_the_same_debate() {
    let env = machine_with_weights();
    let meaning = |seed: &str| {
        let _ = env.rebut([&["duel", TOPIC, "--seed", seed][..], &BY_TINY].concat());
        let _ = env.rebut(["show", "--verbose"]).exits(0).shows(&format!("  seed        {seed}\n"));
        let meaning = env.debate().state()["rebut"]["meaning"].clone();
        env.clear();
        meaning
    };
    let first = meaning("apple tree");
    assert!(first.is_string());
    assert_eq!(meaning("apple tree"), first);
    assert_ne!(meaning("42"), first);
    let _ =
        machine().rebut(["duel", TOPIC, "--seed", " "]).exits(2).says("expected a number or up to 100 characters of text");
}

#[test]
fn what_a_seat_cannot_read_is_refused_before_anybody_is_asked() {
    let env = machine_with_weights();
    env.write("small.md", "A line of what we measured.\n".repeat(20));
    env.write("large.md", "A line of what we measured.\n".repeat(2_000));
    let arguments = |file: &'static str| [&["duel", TOPIC, "--dry-run", "--context", file][..], &BY_TINY].concat();
    let _ = env.rebut(arguments("file=small.md")).exits(0);
    let run = env.rebut(arguments("file=large.md")).exits(2);
    let run = run.says("error: proposer: a prompt and its answer take about ").says(" is 8192; attach less");
    assert!(env.debates().is_empty(), "{run}");
}

#[test]
fn the_defaults_own_name_is_another_word_for_it() {
    let run = machine().rebut(["duel", TOPIC, "--tools", "local,local:smollm2-135m", "--dry-run"]).exits(0);
    let run = run.shows("local argues both sides");
    assert!(!run.stdout.contains("different models"), "{run}");
}

#[test]
fn weights_that_were_changed_since_they_were_pulled_are_not_debated_with() {
    let env = machine();
    let file = env.write("own.gguf", TinyModel::default().bytes());
    let _ = env.rebut(["model", "pull", "--file", file.to_str().unwrap(), "--name", "own"]).exits(0);
    let kept = env.rebut(["model", "path", "own"]).exits(0).stdout.trim().to_owned();
    let mut bytes = std::fs::read(&kept).unwrap();
    let at = bytes.len() - 50;
    bytes[at] ^= 0xff;
    std::fs::write(&kept, bytes).unwrap();
    // A clock that is coarse must not hide it.
    let later = std::time::SystemTime::now() + std::time::Duration::from_secs(5);
    std::fs::File::options().append(true).open(&kept).unwrap().set_modified(later).unwrap();
    env.write("seats.toml", Script::duel(1).to_toml());
    let others =
        ["--challenger", "script:seats.toml#b", "--judge", "script:seats.toml#c", "--rounds", "1", "--rigor", "quick"];
    let run = env.rebut(["duel", TOPIC, "--proposer", "local:own"].iter().chain(&others));
    let _ = run.exits(2).says("was changed since it was pulled");
}

#[test]
fn weights_that_are_deleted_while_a_debate_runs_are_not_missed() {
    let env = machine_with_weights();
    let running = env.start([&["duel", TOPIC, "--json"][..], &BY_TINY].concat());
    let has_started = |debate: &rebut_fakes::DebateFolder| {
        fs::read_to_string(debate.journal_file()).is_ok_and(|journal| journal.contains("\"kind\":\"started\""))
    };
    crate::until("the first call has started", || env.debates().iter().any(has_started));
    fs::remove_file(env.workspace().join("tiny.gguf")).unwrap();
    let run = running.end();
    assert!(run.json_lines().iter().any(|line| line["happening"]["kind"] == "finished"), "{run}");
    assert_eq!(
        env.debate().of_kind("answered").iter().filter(|line| line.key().starts_with("round-1/")).count(),
        2,
        "{run}"
    );
}

#[test]
#[ignore = "needs the real weights in REBUT_TEST_MODEL: scripts/test fetches them and runs this"]
fn a_whole_duel_of_one_round_is_held_by_the_embedded_model_alone() {
    let weights = PathBuf::from(std::env::var_os("REBUT_TEST_MODEL").expect("REBUT_TEST_MODEL names the weights"));
    let env = machine().set("REBUT_MODEL_DIR", weights.parent().unwrap().to_str().unwrap());
    let run = env.rebut([TOPIC, "--rounds", "1", "--timeout", "1200"]);
    let run = run.shows("shows the mechanics only").shows("local argues both sides");
    let debate = env.debate();
    let answers = debate.of_kind("answered");
    let statements: Vec<_> = answers.iter().filter(|line| line.key().starts_with("round-1/")).collect();
    assert_eq!(statements.len(), 2, "{run}");
    for statement in &statements {
        let answer = &statement.happening["answer"];
        assert!(answer["model"].as_str().unwrap().to_lowercase().contains("smollm2"), "{answer}");
        assert!(answer["usage"]["output_tokens"].as_u64().unwrap() > 0, "{answer}");
    }
    assert_ne!(
        statements[0].happening["content"]["body"], statements[1].happening["content"]["body"],
        "each side has a seed of its own"
    );
    // A verdict may break the rules, which are not all in its schema; but it always fits the schema.
    for rejected in debate.of_kind("rejected") {
        let code = rejected.happening["rejection"]["code"].as_str().unwrap().to_owned();
        assert!(!matches!(code.as_str(), "verdict:not_json" | "verdict:does_not_fit"), "{code}");
    }
    assert!(matches!(debate.status().as_str(), "completed" | "partial"), "{run}");
}
