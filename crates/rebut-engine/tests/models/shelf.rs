//! The shelf: names, two at once, and removing.

use std::fs;

use rebut_engine::models::{Arrival, CATALOGUE, Checksum, Known, ModelError, ModelName, News, Source, Watch, Wish};
use rebut_fakes::tiny_model::TinyModel;
use rebut_fakes::{FileServer, Reply, weights};
use tokio_util::sync::CancellationToken;

use crate::{Stage, TINY, wish};

fn from_file(stage: &Stage, name: &str, content: &[u8]) -> Wish {
    Wish::from(Source::File(stage.write(name, content)), None, None).unwrap()
}

#[tokio::test]
async fn a_file_of_this_machine_is_copied_and_summed_up() {
    let (stage, weights) = (Stage::new(), weights::gguf(300_000));
    let wish = from_file(&stage, "Tiny.gguf", &weights);
    let pulled = stage.pull(&wish).await.unwrap();
    assert_eq!(pulled.installed.record.sha256, Checksum::of(&weights).to_string());
    assert_eq!(stage.kept(), TINY);
    assert!(stage.folder.path().join("Tiny.gguf").exists(), "it is copied and not moved");
    let other = Wish { sha256: Some(Checksum::of(b"other")), name: ModelName::parse("other").unwrap(), ..wish };
    assert!(matches!(stage.pull(&other).await, Err(ModelError::WrongChecksum { .. })));
    assert_eq!(stage.kept(), TINY);
}

#[tokio::test]
async fn what_is_no_file_of_weights_is_refused() {
    let stage = Stage::new();
    for (wish, expected) in [
        (from_file(&stage, "a.gguf", b"words"), "is no GGUF file"),
        (from_file(&stage, "b.gguf", b""), "is no GGUF file"),
        (from_file(&stage, "c.gguf", &weights::gguf(0)[..60]), "cannot be used: the file is truncated"),
        (Wish::from(Source::File("/no/such.gguf".into()), None, None).unwrap(), "failed to open /no/such.gguf"),
        (Wish::from(Source::File("/dev/zero".into()), None, None).unwrap(), "is no file"),
        (Wish::from(Source::File("/tmp".into()), None, None).unwrap(), "is no file"),
    ] {
        let error = stage.pull(&wish).await.unwrap_err();
        assert!(error.to_string().contains(expected), "{expected}: {error}");
        assert_eq!(stage.kept(), Vec::<String>::new());
    }
}

#[tokio::test]
async fn weights_of_another_kind_never_take_a_name_that_is_taken() {
    let (stage, one, two) = (Stage::new(), weights::gguf(1000), weights::gguf(2000));
    stage.pull(&from_file(&stage, "tiny.gguf", &one)).await.unwrap();
    let server = FileServer::start().with("/a.gguf", &[Reply::file(&two)]);
    let error = stage.pull(&wish(&server.at("/a.gguf"), &two)).await.unwrap_err();
    assert!(matches!(error, ModelError::NameTaken { .. }), "{error}");
    assert_eq!(fs::read(stage.root().join("tiny.gguf")).unwrap(), one);
    assert!(server.asked().is_empty());
    let default = ModelName::parse(Known::DEFAULT.name).unwrap();
    let taking = Wish { name: default, ..from_file(&stage, "other.gguf", &two) };
    assert!(matches!(stage.pull(&taking).await, Err(ModelError::NameTaken { .. })), "the default is what it promises");
    assert_eq!(stage.kept(), TINY);
}

#[tokio::test(flavor = "multi_thread")]
async fn two_that_pull_at_once_fetch_once() {
    let (stage, weights) = (Stage::new(), weights::gguf(300_000));
    let server = FileServer::start().with("/a.gguf", &[Reply::file(&weights)]);
    let wish = wish(&server.at("/a.gguf"), &weights);
    let pulls = (0..4).map(|_| stage.pull(&wish));
    let arrivals: Vec<Arrival> =
        futures_util::future::join_all(pulls).await.into_iter().map(|pulled| pulled.unwrap().arrival).collect();
    assert_eq!(arrivals.iter().filter(|arrival| **arrival == Arrival::Now).count(), 1);
    assert_eq!(server.asked().len(), 1);
    assert_eq!(stage.kept(), TINY);
}

#[tokio::test]
async fn whoever_waits_for_another_process_can_be_stopped() {
    let (stage, weights) = (Stage::new(), weights::gguf(1000));
    let folder = stage.root().join("pulling/tiny");
    fs::create_dir_all(&folder).unwrap();
    let held = fs::File::create(folder.join("lock")).unwrap();
    held.lock().unwrap();
    let cancel = CancellationToken::new();
    let stop = |news: News| {
        assert!(matches!(news, News::At(progress) if progress.stage.as_str() == "waiting"));
        cancel.cancel();
    };
    let pulled = stage.models().pull(&from_file(&stage, "tiny.gguf", &weights), Watch::new(&stop), &cancel).await;
    assert!(matches!(pulled, Err(ModelError::Stopped { .. })));
}

#[tokio::test]
async fn weights_that_were_cut_are_not_here_and_are_pulled_again() {
    let (stage, weights) = (Stage::new(), weights::gguf(1000));
    let server = FileServer::start().with("/a.gguf", &[Reply::file(&weights)]);
    let wish = wish(&server.at("/a.gguf"), &weights);
    let path = stage.pull(&wish).await.unwrap().installed.path;
    fs::write(&path, &weights[..500]).unwrap();
    assert!(stage.models().all().unwrap().is_empty());
    assert_eq!(stage.pull(&wish).await.unwrap().arrival, Arrival::Now);
    assert_eq!(fs::read(path).unwrap(), weights);
}

#[tokio::test]
async fn a_removed_model_leaves_nothing_not_even_half_a_download() {
    let (stage, weights) = (Stage::new(), weights::gguf(1000));
    let cancel = CancellationToken::new();
    let name = ModelName::parse("tiny").unwrap();
    assert!(matches!(stage.models().remove(&name, &cancel).await, Err(ModelError::Missing { .. })));
    stage.pull(&from_file(&stage, "tiny.gguf", &weights)).await.unwrap();
    assert_eq!(stage.models().remove(&name, &cancel).await.unwrap(), weights.len() as u64);
    assert_eq!(stage.kept(), Vec::<String>::new());
    let file = Reply::file(&weights);
    let server = FileServer::start().with("/a.gguf", &[file.clone().cut_after(100), file.cut_after(0)]);
    stage.pull(&wish(&server.at("/a.gguf"), &weights)).await.unwrap_err();
    assert_eq!(stage.models().remove(&name, &cancel).await.unwrap(), 100);
    assert_eq!(stage.kept(), Vec::<String>::new());
}

#[tokio::test]
async fn a_link_in_the_place_of_the_part_is_replaced_and_not_followed() {
    let (stage, weights) = (Stage::new(), weights::gguf(1000));
    let folder = stage.root().join("pulling/tiny");
    fs::create_dir_all(&folder).unwrap();
    std::os::unix::fs::symlink("/dev/full", folder.join("weights.part")).unwrap();
    fs::write(folder.join("weights.json"), "{}").unwrap();
    stage.pull(&from_file(&stage, "tiny.gguf", &weights)).await.unwrap();
    assert!(fs::symlink_metadata(stage.root().join("tiny.gguf")).unwrap().is_file());
}

#[tokio::test]
async fn a_file_that_was_cut_behind_its_head_is_refused() {
    let (stage, weights) = (Stage::new(), TinyModel::default().bytes());
    stage.pull(&from_file(&stage, "tiny.gguf", &weights)).await.unwrap();
    let error = stage.pull(&from_file(&stage, "cut.gguf", &weights[..weights.len() - 9])).await.unwrap_err();
    let expected = "cannot be used: the file is truncated or corrupted: tensor `";
    assert!(matches!(error, ModelError::Damaged { .. }) && error.to_string().contains(expected), "{error}");
    assert_eq!(stage.kept(), TINY);
}

#[tokio::test]
async fn weights_that_are_here_and_damaged_are_found_out_and_fetched_again() {
    let (stage, weights) = (Stage::new(), weights::gguf(1000));
    let server = FileServer::start().with("/a.gguf", &[Reply::file(&weights)]);
    let wish = wish(&server.at("/a.gguf"), &weights);
    let path = stage.pull(&wish).await.unwrap().installed.path;
    let pull = || async { stage.models().pull_checked(&wish, Watch::nobody(), &CancellationToken::new()).await.unwrap() };
    assert_eq!(pull().await.arrival, Arrival::Before);
    let mut damaged = weights.clone();
    damaged[900] ^= 1;
    fs::write(&path, damaged).unwrap();
    assert_eq!(pull().await.arrival, Arrival::Again);
    assert_eq!(fs::read(path).unwrap(), weights);
    assert_eq!(server.asked().len(), 2);
}

/// Each suggestion with the architecture and the tokenizer that its file has, small.
#[test]
fn every_model_of_the_catalogue_is_of_a_kind_that_can_be_run() {
    let folder = tempfile::tempdir().unwrap();
    for known in &CATALOGUE {
        let [architecture, tokenizer] = known.build.map(str::to_owned);
        let path = folder.path().join(known.name);
        TinyModel { architecture, tokenizer, ..TinyModel::default() }.write(&path).unwrap();
        rebut_model::Model::inspect(&path).unwrap();
    }
}
