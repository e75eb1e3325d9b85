//! Downloads: broken off, continued, redirected, and refused.

use std::fs;

use rebut_engine::models::{Checksum, ErrorKind, Known, ModelName, PullEvent, Request, Source, Stage};
use rebut_fakes::{FileServer, Reply, weights};
use tokio_util::sync::CancellationToken;

use crate::{Shelf, TINY, request};

fn served(replies: &[Reply]) -> FileServer {
    FileServer::start().with("/a.gguf", replies)
}

#[tokio::test]
async fn weights_arrive_whole_with_what_is_known_of_them() {
    let (stage, weights) = (Shelf::new(), weights::gguf(300_000));
    let server = served(&[Reply::file(&weights)]);
    let pulled = stage.pull(&request(&server.at("/a.gguf?token=hush"), &weights)).await.unwrap();
    assert!(pulled.is_new);
    assert_eq!(fs::read(&pulled.installed.path).unwrap(), weights);
    let record = &pulled.installed.record;
    assert_eq!((record.licence.as_deref(), record.architecture.as_deref()), (Some("mit"), Some("llama")));
    assert_eq!((record.context, record.bytes), (Some(2048), weights.len() as u64));
    assert_eq!(record.source, server.at("/a.gguf"), "what may be secret is not written down");
    assert_eq!(stage.kept(), TINY);
    let again = stage.pull(&request(&server.at("/a.gguf"), &weights)).await.unwrap();
    assert_eq!((again.is_new, server.asked().len()), (false, 1));
}

#[tokio::test]
async fn nothing_that_could_be_a_password_is_sent() {
    let (stage, weights) = (Shelf::new(), weights::gguf(1000));
    let server = served(&[Reply::redirect("/b.gguf")]).with("/b.gguf", &[Reply::file(&weights)]);
    stage.pull(&request(&server.at("/a.gguf"), &weights)).await.unwrap();
    for asked in server.asked() {
        let names: Vec<&str> = asked.headers.keys().map(String::as_str).collect();
        assert_eq!(names, ["accept", "accept-encoding", "host", "user-agent"]);
    }
}

#[tokio::test]
async fn a_download_that_breaks_off_is_resumed_by_the_next_pull() {
    let (stage, weights) = (Shelf::new(), weights::gguf(300_000));
    let file = Reply::file(&weights);
    let server = served(&[file.clone().cut_after(100_000), Reply::status(503), file.clone().cut_after(50_000), file]);
    let request = request(&server.at("/a.gguf?token=hush"), &weights);
    for expected in ["broke off after 100.0 kB", "answered 503", "broke off after 150.0 kB"] {
        let error = stage.pull(&request).await.unwrap_err();
        assert!(error.to_string().contains(expected), "{expected}: {error}");
        assert!(matches!(&stage.kept()[..], [part] if part.starts_with(".tiny-")), "{:?}", stage.kept());
        assert!(!error.hints.is_empty() && !error.to_string().contains("hush"), "{error}");
    }
    assert_eq!(fs::read(stage.pull(&request).await.unwrap().installed.path).unwrap(), weights);
    assert_eq!(server.ranges(), ["", "bytes=100000-", "bytes=100000-", "bytes=150000-"]);
}

#[tokio::test]
async fn a_download_is_resumed_from_its_own_source_only() {
    let (stage, one, other) = (Shelf::new(), weights::gguf(300_000), weights::gguf(200_000));
    let server = served(&[Reply::file(&one).cut_after(100_000)]).with("/b.gguf", &[Reply::file(&other)]);
    stage.pull(&request(&server.at("/a.gguf"), &one)).await.unwrap_err();
    let kept = stage.kept();
    let no_file = Source::File("/no/such/tiny.gguf".into());
    stage.pull(&Request::from(no_file, None, None).unwrap()).await.unwrap_err();
    assert_eq!(stage.kept(), kept, "what failed has nothing to do with it");
    stage.pull(&request(&server.at("/b.gguf"), &other)).await.unwrap();
    assert_eq!(server.ranges(), ["", ""]);
    assert_eq!(stage.kept(), TINY);
}

#[tokio::test]
async fn a_file_that_cannot_be_resumed_is_begun_anew() {
    let (old, new, short) = ([b"GGUF".to_vec(), vec![1; 299_996]].concat(), weights::gguf(300_000), weights::gguf(50_000));
    for (first, then, content, ranges) in [
        // A server without ranges, a file that changed, and one that became shorter.
        (&new, Reply::file(&new).without_ranges(), &new, &["", "bytes=100000-"][..]),
        (&old, Reply::file(&new), &new, &["", "bytes=100000-", ""]),
        (&old, Reply::file(&short), &short, &["", "bytes=100000-", ""]),
    ] {
        let stage = Shelf::new();
        let server = served(&[Reply::file(first).cut_after(100_000), then]);
        let request = request(&server.at("/a.gguf"), content);
        stage.pull(&request).await.unwrap_err();
        assert_eq!(&fs::read(stage.pull(&request).await.unwrap().installed.path).unwrap(), content);
        assert_eq!(server.ranges(), ranges);
    }
}

#[tokio::test]
async fn a_download_that_was_whole_and_not_yet_checked_is_not_fetched_again() {
    let (stage, weights) = (Shelf::new(), weights::gguf(300_000));
    let server = served(&[Reply::file(&weights)]);
    let (cancel, request) = (CancellationToken::new(), request(&server.at("/a.gguf"), &weights));
    let stop = |event: PullEvent| {
        if matches!(event, PullEvent::Progress { stage: Stage::Verifying, .. }) {
            cancel.cancel();
        }
    };
    let stopped = stage.models().pull(&request, &stop, &cancel).await;
    assert_eq!(stopped.unwrap_err().kind, ErrorKind::Stopped);
    stage.pull(&request).await.unwrap();
    assert_eq!(server.ranges(), ["", "bytes=300000-"]);
}

#[tokio::test]
async fn what_is_not_what_it_should_be_is_not_kept() {
    let weights = weights::gguf(5000);
    let other = [&weights[..], b"more"].concat();
    let cases = [
        (Reply::file(&other), "its SHA-256 is"),
        (Reply::file(b"<!doctype html>"), "it is not a GGUF file"),
        (Reply::file(b"GG"), "its SHA-256 is"),
        (Reply::status(404), "answered 404"),
        (Reply::status(401), "answered 401"),
        (Reply::status(500), "answered 500"),
        (Reply::status(204), "answered 204"),
        (Reply::file(&weights).without_length(), "does not report the file's length"),
        (Reply::file(&weights).endless(), "does not report the file's length"),
        (Reply::redirect("http://example.org/a.gguf"), "which is not allowed"),
        (Reply::redirect("/a.gguf"), "redirects without end"),
        (Reply::status(302), "redirects to nowhere"),
    ];
    for (reply, expected) in cases {
        let stage = Shelf::new();
        let server = served(&[reply]);
        let error = stage.pull(&request(&server.at("/a.gguf"), &weights)).await.unwrap_err();
        assert!(error.to_string().contains(expected), "{expected}: {error}");
        assert_eq!(stage.kept(), Vec::<String>::new(), "{expected}");
        assert!(!error.hints.is_empty(), "{error}");
    }
}

#[tokio::test]
async fn a_length_that_no_disk_has_is_refused_before_it_is_begun() {
    let (stage, weights) = (Shelf::new(), weights::gguf(5000));
    let server = served(&[Reply::file(&weights).without_length().header("content-length", "9000000000000000000")]);
    let error = stage.pull(&request(&server.at("/a.gguf"), &weights)).await.unwrap_err();
    assert!(error.to_string().contains(" free, but has "), "{error}");
    assert_eq!(stage.kept(), Vec::<String>::new());
}

#[tokio::test]
async fn nobody_there_is_told_at_once_with_what_to_do_instead() {
    let (stage, weights) = (Shelf::new(), weights::gguf(5000));
    let port = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let error = stage.pull(&request(&format!("http://127.0.0.1:{port}/a.gguf"), &weights)).await.unwrap_err();
    assert!(error.to_string().contains("can't be reached"), "{error}");
    assert!(error.hints.iter().any(|hint| hint.contains("--file")), "{:?}", error.hints);
    assert_eq!(stage.kept(), Vec::<String>::new());
}

/// A hub redirects to where its files are, and tells the checksum in the redirect.
fn hub(stage: &mut Shelf, first: impl Fn(Reply) -> Reply, file: Reply) -> FileServer {
    let store = FileServer::start().with("/blob", &[file]);
    let path = "/owner/repo/resolve/main/folder/Tiny-Q4.gguf";
    let hub = FileServer::start().with(path, &[first(Reply::redirect(&store.at("/blob?sig=1")))]);
    stage.hub = hub.at("");
    hub
}

async fn refused(stage: &Shelf, sha256: Option<Checksum>) -> String {
    stage.pull(&hub_request(sha256)).await.unwrap_err().to_string()
}

fn hub_request(sha256: Option<Checksum>) -> Request {
    Request::from(Source::parse("hf:owner/repo/folder/Tiny-Q4.gguf").unwrap(), None, sha256).unwrap()
}

#[tokio::test]
async fn a_hub_that_tells_no_checksum_needs_one_from_the_person() {
    let (mut stage, weights) = (Shelf::new(), weights::gguf(5000));
    let _hub = hub(&mut stage, |reply| reply.header("x-linked-etag", "\"abc\""), Reply::file(&weights));
    let error = stage.pull(&hub_request(None)).await.unwrap_err();
    assert_eq!(error.kind, ErrorKind::Usage, "{error}");
    assert!(error.hints[0].contains("--sha256"));
    stage.pull(&hub_request(Some(Checksum::of(&weights)))).await.unwrap();
}

#[tokio::test]
async fn a_hub_that_tells_another_checksum_than_it_gives_is_not_believed() {
    let weights = weights::gguf(5000);
    let other = format!("\"{}\"", Checksum::of(b"other"));
    let mut stage = Shelf::new();
    let _hub = hub(&mut stage, |reply| reply.header("x-linked-etag", &other), Reply::file(&weights));
    assert!(refused(&stage, None).await.contains("its SHA-256 is"));
    let wanted = Some(Checksum::of(&weights));
    assert!(refused(&stage, wanted).await.contains("its SHA-256 is"));
    assert_eq!(stage.kept(), Vec::<String>::new());
}

#[tokio::test]
async fn a_hub_that_tells_the_length_stands_in_for_a_server_that_does_not() {
    let weights = weights::gguf(300_000);
    let (tag, file) = (format!("\"{}\"", Checksum::of(&weights)), Reply::file(&weights).without_length());
    for (file, expected) in [
        (file.clone().cut_after(100_000), "broke off after 100.0 kB: the connection ended too early"),
        (file.clone().endless(), "it sends more than it announced"),
        (file, ""),
    ] {
        let mut stage = Shelf::new();
        let tells = |reply: Reply| reply.header("x-linked-etag", &tag).header("x-linked-size", "300000");
        let _hub = hub(&mut stage, tells, file);
        let pulled = stage.pull(&hub_request(None)).await;
        let said = pulled.err().map(|error| error.to_string()).unwrap_or_default();
        assert!(said.ends_with(expected) && said.is_empty() == expected.is_empty(), "{expected}: {said}");
    }
}

#[tokio::test]
async fn a_name_of_the_catalogue_is_refused_as_soon_as_the_hub_tells_the_checksum() {
    let (mut stage, weights) = (Shelf::new(), weights::gguf(5000));
    let tag = format!("\"{}\"", Checksum::of(&weights));
    let _hub = hub(&mut stage, |reply| reply.header("x-linked-etag", &tag), Reply::file(&weights).silent_after(1000));
    let name = ModelName::parse(Known::DEFAULT.name).unwrap();
    let error = stage.pull(&Request { name, ..hub_request(None) }).await.unwrap_err();
    assert!(error.to_string().contains("is the name of other weights"), "{error}");
}
