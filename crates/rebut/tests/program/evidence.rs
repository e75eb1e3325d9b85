//! Evidence through the built program: looked up in a kept copy of the workspace, and on its own with `rebut verify`.

use rebut_fakes::{Script, ScriptLine, TestEnv};

use crate::{machine, machine_for, pipe_at};

const POOL: &str =
    "fn acquire(pool: &Pool) -> Conn {\n    let guard = pool.lock();\n    drop(guard);\n    pool.wait(30)\n}\n";
const OPENING: &str = "src/pool.rs:3 reads \"drop(guard);\", and src/retry.rs:9 loops. See src/pool.rs:1 \"pool.wait(30)\".\n\n\
    --- claims\nclaim: the lock is dropped\nevidence: src/pool.rs:3 \"drop(guard);\"\n\
    claim: two lines speak of a guard\nevidence: grep \"guard\" in src = 2";

fn with_pool() -> TestEnv {
    let env = machine_for(&Script::duel(1).instead("round-1/proposer", [ScriptLine::text(OPENING)]));
    env.write("src/pool.rs", POOL);
    env
}

#[test]
fn a_citation_has_its_mark_beside_it_and_in_the_opponents_prompt() {
    let env = with_pool();
    let run = env.duel(&["--rounds", "1"]).exits(0);
    let run = run.shows("- ✔ src/pool.rs:3: verified, the quote stands there");
    let run = run.shows("- ✘ src/retry.rs:9: missing, there is no such file");
    let run = run.shows("- ≈ src/pool.rs:1: the quote stands at line 4");
    let _ = run.shows("- ? grep \"guard\" in src = 2: unchecked, searches and commands are run only with --allow-checks");
    let prompt = env.debate().prompt("round-1/challenger");
    assert!(prompt.contains("  ✔ src/pool.rs:3: verified, the quote stands there"), "{prompt}");
    assert!(prompt.contains("  ✘ src/retry.rs:9: missing, there is no such file"), "{prompt}");
    let claims = env.rebut(["show", "--claims"]).exits(0);
    let _ = claims.shows("P1.1").shows("✔ src/pool.rs:3: verified");
}

#[test]
fn a_search_is_run_where_the_person_allows_it() {
    let env = with_pool();
    let _ = env
        .duel(&["--rounds", "1", "--allow-checks"])
        .exits(0)
        .shows("- ✔ grep \"guard\" in src = 2: verified, 2 lines match");
}

#[test]
fn what_was_kept_counts_and_not_what_the_file_became() {
    let env = with_pool();
    env.duel_with_fault("kill-after:2", &["--rounds", "1"]).was_killed();
    env.write("src/pool.rs", "nothing of it is left\n");
    let _ = env.rebut(["resume"]).exits(0).shows("- ✔ src/pool.rs:3: verified, the quote stands there");
}

#[test]
fn a_kept_workspace_that_was_changed_is_named() {
    let env = with_pool();
    let _ = env.duel(&["--rounds", "1"]).exits(0);
    let debate = env.debate();
    let pack = debate.path.join(debate.pack().unwrap());
    let mut bytes = std::fs::read(&pack).unwrap();
    bytes[20] ^= 1;
    std::fs::write(&pack, bytes).unwrap();
    let _ = env.rebut(["show", "--verify"]).exits(1).shows("is not what its name says");
}

#[test]
fn without_the_workspace_nothing_is_looked_up() {
    let env = with_pool();
    let run = env.duel(&["--rounds", "1", "--no-workspace"]).exits(0);
    let _ = run.shows("? src/pool.rs:3: unchecked, --no-workspace keeps the debate out of the workspace's files");
    assert_eq!(env.debate().pack(), None);
}

#[test]
fn any_text_can_be_verified_and_the_exit_code_says_whether_it_holds() {
    let env = machine();
    env.write("src/pool.rs", POOL);
    env.write("good.md", "It waits: src/pool.rs:4 reads \"pool.wait(30)\".\n");
    env.write("bad.md", "See src/pool.rs:40 and ../../etc/passwd:1.\n\n- src/none.rs:1\n");
    let _ = env.rebut(["verify", "good.md"]).exits(0).shows("1: ✔ src/pool.rs:4: verified, the quote stands there");
    let run = env.rebut(["verify", "bad.md"]).exits(1).shows("1: ✘ src/pool.rs:40: the file has 5 lines");
    let run = run.shows("1: ✘ ../../etc/passwd:1: out of scope, it lies outside of the workspace and was not read");
    let _ = run.shows("3: ✘ src/none.rs:1: missing, there is no such file");
    let _ = env.rebut_reading(b"see src/pool.rs:2", ["verify", "-"]).exits(0);
    let _ = env.rebut(["verify", "none.md"]).exits(2).says("none.md cannot be read");
    let _ = env.rebut(["verify", "src"]).exits(2).says("is a folder");
}

#[test]
fn what_is_no_file_or_too_large_is_answered_and_never_waited_for() {
    let env = machine();
    pipe_at(&env.workspace().join("pipe"));
    std::os::unix::fs::symlink("pipe", env.workspace().join("link.md")).unwrap();
    std::fs::File::create(env.workspace().join("large.md")).unwrap().set_len(2 << 30).unwrap();
    for (path, said) in [
        ("pipe", "pipe is no file but a pipe or a device; hand over what comes out of it on standard input, with `-`"),
        ("link.md", "link.md is no file"),
        ("/dev/zero", "/dev/zero is no file"),
        ("/dev/null", "/dev/null is no file"),
        ("large.md", "large.md has more than 16777216 bytes"),
    ] {
        let _ = env.rebut(["verify", path]).exits(2).says(said);
    }
    // A pipe that is cited is one more kind of file, and none that is read.
    env.write("answer.md", "See pipe.rs:3 and ./pipe:1.\n");
    pipe_at(&env.workspace().join("pipe.rs"));
    let _ = env.rebut(["verify", "answer.md"]).shows("? pipe.rs:3: unchecked");
}

/// A verdict for the challenger that reasons so.
fn verdict(reasoning: &str) -> ScriptLine {
    let argument = |text: &str| serde_json::json!({ "statement": "round-1/challenger", "argument": text });
    ScriptLine::text(
        serde_json::json!({
            "winner": "challenger", "reasoning": reasoning, "decisive": [argument("It costs less."), argument("It is there.")],
            "quality": { "genuine_disagreement": "high", "evidence_quality": "high", "challenge_depth": "high" },
            "agreements": [], "disagreements": [], "unsupported": [], "unresolved": [], "recommendation": "Keep it.",
        })
        .to_string(),
    )
}

#[test]
fn a_verdict_that_rests_on_an_invention_of_its_own_does_not_pass() {
    let script = Script::duel(1)
        .instead("verdict", [verdict("src/pool.rs:4 reads \"pool.wait(600)\".")])
        .call("verdict/again", verdict("src/pool.rs:4 reads \"pool.wait(30)\"."));
    let env = machine_for(&script);
    env.write("src/pool.rs", POOL);
    let run = env.duel(&["--rounds", "1"]).exits(0);
    let run = run.shows("Cited in the verdict and in no statement:\n\n- ✔ src/pool.rs:4: verified, the quote stands there");
    assert!(!run.stdout.contains("stronger case.** src/pool.rs:4 reads \"pool.wait(600)\""), "{run}");
    assert!(env.debate().prompt("verdict/again").contains("it was looked up and is false"));

    let stubborn = Script::duel(1)
        .instead("verdict", [verdict("src/cache.rs:4 shows it.")])
        .call("verdict/again", verdict("src/cache.rs:4 shows it."));
    let env = machine_for(&stubborn);
    env.write("src/pool.rs", POOL);
    let _ = env.duel(&["--rounds", "1"]).exits(3).shows("PARSE_ERROR:verdict:false_evidence");
}
