//! The shelf: names, two at once, and removing.

use std::fs;

use rebut_engine::models::{Checksum, ErrorKind, Known, ModelName, PullEvent, Request, Source, Stage};
use rebut_fakes::tiny_model::TinyModel;
use rebut_fakes::{FileServer, Reply, weights};
use tokio_util::sync::CancellationToken;

use crate::{Shelf, TINY, request};

fn from_file(stage: &Shelf, name: &str, content: &[u8]) -> Request {
    Request::from(Source::File(stage.write(name, content)), None, None).unwrap()
}

#[tokio::test]
async fn a_file_of_this_machine_is_copied_and_summed_up() {
    let (stage, weights) = (Shelf::new(), weights::gguf(300_000));
    let request = from_file(&stage, "Tiny.gguf", &weights);
    let pulled = stage.pull(&request).await.unwrap();
    assert_eq!(pulled.installed.record.sha256, Checksum::of(&weights));
    assert_eq!(stage.kept(), TINY);
    assert!(stage.folder.path().join("Tiny.gguf").exists(), "it is copied and not moved");
    let other = Request { sha256: Some(Checksum::of(b"other")), name: ModelName::parse("other").unwrap(), ..request };
    assert!(stage.pull(&other).await.unwrap_err().to_string().contains("its SHA-256 is"));
    assert_eq!(stage.kept(), TINY);
}

#[tokio::test]
async fn what_is_no_file_of_weights_is_refused() {
    let stage = Shelf::new();
    for (request, expected) in [
        (from_file(&stage, "a.gguf", b"words"), "it is not a GGUF file"),
        (from_file(&stage, "b.gguf", b""), "it is not a GGUF file"),
        (from_file(&stage, "c.gguf", &weights::gguf(0)[..60]), "it can't be used: the file is truncated"),
        (Request::from(Source::File("/no/such.gguf".into()), None, None).unwrap(), "failed to open /no/such.gguf"),
        (Request::from(Source::File("/dev/zero".into()), None, None).unwrap(), "is not a file"),
        (Request::from(Source::File("/tmp".into()), None, None).unwrap(), "is not a file"),
    ] {
        let error = stage.pull(&request).await.unwrap_err();
        assert!(error.to_string().contains(expected), "{expected}: {error}");
        assert_eq!(stage.kept(), Vec::<String>::new());
    }
}

#[tokio::test]
async fn weights_of_another_kind_never_take_a_name_that_is_taken() {
    let (stage, one, two) = (Shelf::new(), weights::gguf(1000), weights::gguf(2000));
    stage.pull(&from_file(&stage, "tiny.gguf", &one)).await.unwrap();
    let server = FileServer::start().with("/a.gguf", &[Reply::file(&two)]);
    let error = stage.pull(&request(&server.at("/a.gguf"), &two)).await.unwrap_err();
    assert!(error.to_string().contains("is the name of other weights"), "{error}");
    assert_eq!(fs::read(stage.root().join("tiny.gguf")).unwrap(), one);
    let default = ModelName::parse(Known::DEFAULT.name).unwrap();
    for other in [from_file(&stage, "other.gguf", &two), request(&server.at("/a.gguf"), &two)] {
        let taking = Request { name: default.clone(), ..other };
        assert_eq!(stage.pull(&taking).await.unwrap_err().kind, ErrorKind::Usage, "the default is what it promises");
    }
    assert!(server.asked().is_empty());
    assert_eq!(stage.kept(), TINY);
}

#[tokio::test]
async fn whoever_waits_for_another_process_can_be_stopped() {
    let (stage, weights) = (Shelf::new(), weights::gguf(1000));
    fs::create_dir_all(stage.root()).unwrap();
    let held = fs::File::create(stage.root().join(".tiny.lock")).unwrap();
    held.lock().unwrap();
    let cancel = CancellationToken::new();
    let stop = |event: PullEvent| {
        assert!(matches!(event, PullEvent::Progress { stage: Stage::Waiting, .. }));
        cancel.cancel();
    };
    let pulled = stage.models().pull(&from_file(&stage, "tiny.gguf", &weights), &stop, &cancel).await;
    assert_eq!(pulled.unwrap_err().kind, ErrorKind::Stopped);
}

#[tokio::test]
async fn weights_that_were_cut_are_not_here_and_are_pulled_again() {
    let (stage, weights) = (Shelf::new(), weights::gguf(1000));
    let server = FileServer::start().with("/a.gguf", &[Reply::file(&weights)]);
    let request = request(&server.at("/a.gguf"), &weights);
    let path = stage.pull(&request).await.unwrap().installed.path;
    fs::write(&path, &weights[..500]).unwrap();
    assert!(stage.models().all().unwrap().is_empty());
    assert!(stage.pull(&request).await.unwrap().is_new);
    assert_eq!(fs::read(path).unwrap(), weights);
}

#[tokio::test]
async fn whatever_is_left_of_a_model_is_removed() {
    let (stage, cancel) = (Shelf::new(), CancellationToken::new());
    let remove = || async { stage.models().remove(&ModelName::parse("tiny").unwrap(), &cancel).await.ok() };
    fs::create_dir_all(stage.root()).unwrap();
    let other = ".tiny-two-01234567.part";
    fs::write(stage.root().join(other), "the part of another model").unwrap();
    for (left, freed) in [("tiny.json", 0), ("tiny.gguf", 4), (".tiny.json", 0), (".tiny-01234567.part", 4)] {
        fs::write(stage.root().join(left), "left").unwrap();
        assert_eq!(remove().await, Some(freed), "{left}");
        assert_eq!(stage.kept(), [other]);
    }
    assert_eq!(remove().await, None);
}

#[tokio::test]
async fn a_file_that_was_cut_behind_its_head_is_refused() {
    let (stage, weights) = (Shelf::new(), TinyModel::default().bytes());
    stage.pull(&from_file(&stage, "tiny.gguf", &weights)).await.unwrap();
    let error = stage.pull(&from_file(&stage, "cut.gguf", &weights[..weights.len() - 9])).await.unwrap_err();
    let expected = "can't be used: the file is truncated or corrupted: tensor `";
    assert!(error.to_string().contains(expected), "{error}");
    assert_eq!(stage.kept(), TINY);
}

#[tokio::test]
async fn weights_that_are_here_and_damaged_are_found_out_and_fetched_again() {
    let (stage, weights) = (Shelf::new(), weights::gguf(1000));
    let server = FileServer::start().with("/a.gguf", &[Reply::file(&weights)]);
    let request = request(&server.at("/a.gguf"), &weights);
    let path = stage.pull(&request).await.unwrap().installed.path;
    let pull = || async { stage.pull(&request).await.unwrap() };
    assert!(!pull().await.is_new);
    let mut damaged = weights.clone();
    damaged[900] ^= 1;
    fs::write(&path, damaged).unwrap();
    assert!(pull().await.is_new);
    assert_eq!(fs::read(path).unwrap(), weights);
    assert_eq!(server.asked().len(), 2);
}
