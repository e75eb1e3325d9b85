//! Evidence looked up in a real repository: what prose mentions by a labelled corpus, and what a speaker lists, bad input
//! included.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]
#![cfg(unix)]

use std::fs;
use std::sync::Arc;

use rebut_core::evidence::check::Cited;
use rebut_core::evidence::mentions;
use rebut_engine::checks::{Allowed, AllowedCommands, Examiner};
use rebut_engine::workspace::pin::{Limits, Pin, Survey};
use rebut_fakes::git;
use serde_json::{Value, json};
use tempfile::TempDir;

const POOL: &str = "use std::sync::Mutex;\n\nfn acquire(pool: &Pool) -> Conn {\n    let guard = pool.lock();\n    drop(guard);\n    pool.wait(30)\n}\n";

/// A repository, kept, and what looks evidence up in it.
struct Repository {
    _folder: TempDir,
    head: String,
    examiner: Examiner,
}

fn repository(allowed: Allowed) -> Repository {
    let folder = tempfile::tempdir().unwrap();
    let workspace = folder.path().join("work");
    for (path, text) in [
        ("src/pool.rs", POOL.as_bytes()),
        ("src/db/mod.rs", b"mod a;\n"),
        ("src/net/mod.rs", b"mod b;\n"),
        ("src/größe.rs", "// größer\n".as_bytes()),
        ("docs/My Notes.md", b"# Notes\n"),
        ("README.md", b"# Pool\n\nIt **pools** connections.\n"),
        ("image.png", b"\x89PNG\0\0"),
    ] {
        let path = workspace.join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
    fs::write(folder.path().join("outside.rs"), "secret\n").unwrap();
    std::os::unix::fs::symlink("../outside.rs", workspace.join("linked.rs")).unwrap();
    std::os::unix::fs::symlink("src/pool.rs", workspace.join("inner.rs")).unwrap();
    git(&workspace, &["init", "-q"]);
    git(&workspace, &["add", "-A"]);
    git(&workspace, &["commit", "-q", "-m", "Pool connections"]);
    let head = git(&workspace, &["rev-parse", "--short=9", "HEAD"]);
    fs::write(workspace.join(".env"), "KEY=1\n").unwrap();
    let limits = Limits { files: 1_000, bytes: 1 << 20, file_bytes: 1 << 18 };
    let blobs = folder.path().join("blobs");
    let packed = Survey::of(&workspace, None, limits).unwrap().pack(&blobs).unwrap();
    let pin = Arc::new(Pin::open(&blobs.join(packed.hash)).unwrap());
    let examiner = Examiner::over_pin(pin, &workspace, allowed);
    Repository { _folder: folder, head, examiner }
}

#[test]
fn what_prose_mentions_is_judged_as_labelled() {
    let Repository { head, examiner, .. } = &repository(Allowed::default());
    let corpus = include_str!("corpus.txt");
    let labelled: Vec<&str> = corpus.lines().filter(|line| !line.is_empty() && !line.starts_with("# ")).collect();
    let wrong = labelled.into_iter().filter_map(|line| {
        let (text, expected) = line.split_once('\t').expect("a text, a tab and its results");
        let text = text.replace('⏎', "\n").replace("HEAD", head);
        let found = examiner.examine_now(mentions(&text));
        let results: Vec<&str> = found.iter().map(|found| found.result.as_str()).collect();
        let expected: Vec<&str> = expected.split('\t').filter(|result| *result != "-").collect();
        (results != expected).then(|| format!("{text}\n  expected {expected:?}\n  found    {found:?}"))
    });
    let wrong: Vec<String> = wrong.collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// The line of each piece of listed evidence.
fn told(examiner: &Examiner, evidence: &[Value]) -> Vec<String> {
    let cited = evidence.iter().map(|one| Cited::by_claim(1, serde_json::from_value(one.clone()).unwrap())).collect();
    examiner.examine_now(cited).iter().map(ToString::to_string).collect()
}

#[test]
fn listed_evidence_is_looked_up_by_its_fields() {
    let Repository { head, examiner, .. } = &repository(Allowed::default());
    for (evidence, expected) in [
        (
            json!({"file": "src/pool.rs", "lines": "5", "quote": "drop(guard);"}),
            "✔ src/pool.rs:5 \"drop(guard);\": quote found",
        ),
        (
            json!({"file": "src/pool.rs", "lines": 1, "quote": "drop(guard);"}),
            "≈ src/pool.rs:1 \"drop(guard);\": the quote is at line 5",
        ),
        (json!({"file": "src/tls.rs", "absent": true}), "✔ absent: src/tls.rs: does not exist, as claimed"),
        (json!({"file": "src/pool.rs", "absent": true}), "✘ absent: src/pool.rs: it exists"),
        (
            json!({"file": "src/pool.rs", "quote": "unwrap()", "absent": true}),
            "✔ absent: src/pool.rs \"unwrap()\": not there, as claimed",
        ),
        // That nothing can be read outside of the workspace shows nothing.
        (json!({"file": "../x.rs", "absent": true}), "? absent: ../x.rs: outside the workspace, not read"),
        (
            json!({"commit": head, "quote": "Pool connections"}),
            &format!("✔ commit {head} \"Pool connections\": quote found in its message or its diff"),
        ),
        (
            json!({"commit": head, "file": "src/pool.rs", "lines": "9"}),
            &format!("✘ commit {head} src/pool.rs:9: the file has 7 lines, in that commit"),
        ),
        (
            json!({"search": "drop", "in": "src", "count": 1}),
            "? search \"drop\" in src = 1: searches and commands run only with --allow-checks",
        ),
        (json!({"run": "test"}), "? run test: searches and commands run only with --allow-checks"),
        (
            json!({"url": "https://example.com/"}),
            "? https://example.com/: web pages are not fetched; --fetch-sources turns that on",
        ),
        // A quote that redaction changed is in no file, and nobody lied.
        (
            json!({"file": "src/pool.rs", "quote": "key = [redacted]"}),
            "? src/pool.rs \"key = [redacted]\": the quote contained a secret, which was removed",
        ),
    ] {
        assert_eq!(told(examiner, std::slice::from_ref(&evidence)), [expected], "{evidence}");
    }
}

#[test]
fn searches_run_where_checks_are_allowed() {
    let allowed = Allowed { commands: Some(AllowedCommands::default()), sources: None };
    let Repository { examiner, .. } = &repository(allowed);
    for (pattern, within, count, expected) in [
        ("drop", "src", 1, "✔ search \"drop\" in src = 1: 1 line matches"),
        ("pool.lock", "src/pool.rs", 1, "✔ search \"pool.lock\" in src/pool.rs = 1: 1 line matches"),
        ("^mod", "src", 3, "✘ search \"^mod\" in src = 3: 2 lines match"),
        ("lock|drop", "src", 1, "✘ search \"lock|drop\" in src = 1: 2 lines match"),
        (
            "pool.lock();",
            "src",
            0,
            "? search \"pool.lock();\" in src = 0: 0 lines match the expression, and 1 more contain it literally",
        ),
        ("drop(", "src", 1, "? search \"drop(\" in src = 1: the pattern is not a regular expression that rebut can read"),
        ("drop", "lib", 1, "✘ search \"drop\" in lib = 1: no such file or folder"),
        ("drop", "../lib", 1, "? search \"drop\" in ../lib = 1: outside the workspace, not read"),
        (
            "secret",
            "linked.rs",
            1,
            "? search \"secret\" in linked.rs = 1: a symlink in the path leads out of the workspace; it was not read",
        ),
    ] {
        assert_eq!(told(examiner, &[json!({"search": pattern, "in": within, "count": count})]), [expected]);
    }
}

#[test]
fn bad_input_reads_nothing_it_should_not_and_ends() {
    let Repository { head, examiner, .. } = &repository(Allowed::default());
    let long = "a/".repeat(100_000);
    let deep = "../".repeat(10_000) + "etc/passwd";
    for path in
        ["", "/", ".", "..", "\0", "src/pool.rs\0", "C:\\x", "//host/share", "linked.rs/..", "src/pool.rs/x", &long, &deep]
    {
        for quote in [None, Some("secret"), Some(""), Some("…"), Some("root:x:0:0")] {
            let evidence = json!({"file": path, "lines": "1-4294967295", "quote": quote});
            let Ok(evidence) = serde_json::from_value(evidence) else { continue };
            let found = examiner.examine_now(vec![Cited::by_claim(1, evidence)]);
            assert!(!found[0].result.holds(), "{path:?} {quote:?}: {}", found[0]);
        }
    }
    // Three letters of the right hash are too few for git.
    for hash in ["--all", "HEAD~1", "@", &head[..3], ":/Pool", "HEAD^{tree}", "-n1", "a".repeat(10_000).as_str()] {
        let found = told(examiner, &[json!({"commit": hash})]);
        assert!(!found[0].starts_with('✔'), "{found:?}");
    }
}
