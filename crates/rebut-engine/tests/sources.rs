//! Pages on the web, fetched from a server on loopback that stands in for public hosts.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpListener};
use std::sync::Arc;
use std::time::Duration;

use rebut_core::evidence::check::Cited;
use rebut_core::evidence::source::{Fetched, SourcePage};
use rebut_core::evidence::{Evidence, mentions};
use rebut_engine::checks::{Examiner, Names, Sources};
use rebut_fakes::{FileServer, Reply};
use tokio_util::sync::CancellationToken;

const PAGE: &str = "<html><head><title>Gateways</title><script>var a = '<p>';</script></head><body>\
    <p>Encoding <i>JSON</i> took 41&nbsp;% of the time.</p><p>The server answers with 413.</p>\
    <p>Who writes benchmarks should say on which machine they ran, how often, and what was running beside them, since a \
    figure without its surroundings tells nobody anything.</p></body></html>";

fn html(page: &str) -> Reply {
    Reply::file(page.as_bytes()).header("content-type", "text/html; charset=utf-8").without_ranges()
}

/// Names that lead to the server: `docs.example.com`, and what the test adds.
fn names(server: &FileServer, more: &str) -> Names {
    Names::of_test(&format!("docs.example.com={},{more}", place(server))).unwrap()
}

fn place(server: &FileServer) -> String {
    server.at("").trim_start_matches("http://").to_owned()
}

/// Fetches one page, and says what came of it.
async fn fetched(names: Names, url: &str) -> String {
    let sources = Sources::new(names);
    sources.fetch(&[url.to_owned()], &CancellationToken::new()).await;
    let pages = sources.take_new();
    let [SourcePage { fetched, .. }] = &pages[..] else { panic!("{pages:?}") };
    match fetched {
        Fetched::Read { text } => text.clone(),
        Fetched::Not { result, why } => format!("{result}: {why}"),
    }
}

/// Looks up what a text mentions, and tells each in a line.
async fn told(sources: &Sources, text: &str) -> Vec<String> {
    looked_up(sources, mentions(text)).await
}

async fn looked_up(sources: &Sources, cited: Vec<Cited>) -> Vec<String> {
    let examiner = Examiner::over_nothing("there are no files", Some(sources.clone()));
    let found = examiner.examine(cited, &[], &CancellationToken::new()).await;
    found.iter().map(ToString::to_string).collect()
}

#[tokio::test]
async fn a_page_is_fetched_once_and_its_text_is_looked_into() {
    let server = FileServer::start().with("/bench", &[html(PAGE)]);
    let sources = Sources::new(names(&server, ""));
    let pages =
        [("bench?x=1", "took 41 %"), ("bench", "Encoding JSON took 41 % of the time"), ("bench#top", "answers with 431")];
    let listed = pages
        .map(|(page, quote)| Cited::by_claim(1, Evidence::page(format!("http://docs.example.com/{page}")).quoting(quote)));
    let told = looked_up(&sources, listed.to_vec()).await;
    assert_eq!(
        told,
        [
            "✔ http://docs.example.com/bench?x=1 \"took 41 %\": quote found",
            "✔ http://docs.example.com/bench \"Encoding JSON took 41 % of the time\": quote found",
            "✘ http://docs.example.com/bench#top \"answers with 431\": quote not found; the nearest words are 53% similar",
        ]
    );
    let asked: Vec<String> = server.asked().into_iter().map(|asked| asked.path).collect();
    assert_eq!(asked.iter().filter(|path| *path == "/bench").count(), 1, "{asked:?}");
    assert_eq!(asked.len(), 2);
}

#[tokio::test]
async fn nothing_of_the_persons_is_sent() {
    let server = FileServer::start().with("/bench", &[html(PAGE)]);
    let text = fetched(names(&server, ""), "http://docs.example.com/bench").await;
    assert!(
        text.starts_with("Gateways\nEncoding JSON took 41\u{a0}% of the time.\nThe server answers with 413.\nWho"),
        "{text}"
    );
    let asked = server.asked().remove(0);
    let sent: Vec<&str> = asked.headers.keys().map(String::as_str).collect();
    assert_eq!(sent, ["accept", "accept-encoding", "host", "user-agent"]);
    assert_eq!(asked.headers["host"], "docs.example.com");
    assert_eq!(asked.headers["accept-encoding"], "identity");
}

#[tokio::test]
async fn what_a_name_leads_to_is_judged_and_never_asked_for_twice() {
    let server = FileServer::start().with("/bench", &[html(PAGE)]).with("/again", &[Reply::redirect("/bench")]);
    let turning = format!("turn.example.com={}+10.0.0.1,inner.example.com=192.168.0.1", place(&server));
    let private = "out_of_scope: its host has a private address, and was not asked";
    assert_eq!(fetched(names(&server, &turning), "http://inner.example.com/bench").await, private);
    // The first answer is judged and used; a second lookup of the same hop would lead to 10.0.0.1.
    let text = fetched(names(&server, &turning), "http://turn.example.com/bench").await;
    assert!(text.starts_with("Gateways"), "{text}");
    // A redirect to the same name is a hop of its own, and the name leads elsewhere by then.
    let redirected = private.replace("its host", "it redirects elsewhere: its host");
    assert_eq!(fetched(names(&server, &turning), "http://turn.example.com/again").await, redirected);
    assert_eq!(server.asked().len(), 2);
}

#[tokio::test]
async fn a_redirect_is_judged_as_the_first_address_was() {
    let inner = FileServer::start().with("/secret", &[html(PAGE)]);
    let server = FileServer::start()
        .with("/number", &[Reply::redirect(&inner.at("/secret"))])
        .with("/loopback", &[Reply::redirect("http://127.0.0.1/secret")])
        .with("/mapped", &[Reply::redirect("http://[::ffff:7f00:1]/secret")])
        .with("/name", &[Reply::redirect("http://inner.example.com/secret")])
        .with("/nowhere", &[Reply::redirect("http://nowhere.example.com/secret")])
        .with("/file", &[Reply::redirect("file:///etc/passwd")])
        .with("/user", &[Reply::redirect("http://ada:pw@docs.example.com/")])
        .with("/round", &[Reply::redirect("/round")])
        .with("/fine", &[Reply::redirect("/moved")])
        .with("/moved", &[Reply::redirect("http://docs.example.com/bench")])
        .with("/bench", &[html(PAGE)]);
    let loopback = "out_of_scope: it redirects elsewhere: its host has a loopback address, and was not asked";
    for (path, expected) in [
        ("number", loopback),
        ("loopback", loopback),
        ("mapped", loopback),
        ("name", "out_of_scope: it redirects elsewhere: its host has a link-local address, and was not asked"),
        ("nowhere", "missing: it redirects elsewhere: there is no such host"),
        ("file", "out_of_scope: it redirects elsewhere: only http and https are asked"),
        ("user", "out_of_scope: it redirects elsewhere: the address holds a name or a password, and was not asked"),
        ("round", "unchecked: it redirects more than 5 times"),
    ] {
        let names = names(&server, "inner.example.com=169.254.169.254");
        assert_eq!(fetched(names, &format!("http://docs.example.com/{path}")).await, expected, "{path}");
    }
    assert_eq!(inner.asked(), [], "nobody inside was asked");
    assert_eq!(server.asked().iter().filter(|asked| asked.path == "/round").count(), 6);
    let sources = Sources::new(names(&server, ""));
    sources.fetch(&["http://docs.example.com/fine".to_owned()], &CancellationToken::new()).await;
    let pages = sources.take_new();
    assert_eq!(pages[0].led_to.as_deref(), Some("http://docs.example.com/bench"));
    assert!(matches!(pages[0].fetched, Fetched::Read { .. }));
}

#[tokio::test]
async fn what_cannot_be_read_is_told_apart() {
    let large = vec![b'a'; 5 * 1024 * 1024];
    let text = |content: &[u8]| Reply::file(content).header("content-type", "text/plain").without_ranges();
    let server = FileServer::start()
        .with("/gone", &[Reply::status(410)])
        .with("/refused", &[Reply::status(403)])
        .with("/broken", &[Reply::status(503)])
        .with("/large", &[text(&large)])
        .with("/untold", &[text(&large).without_length()])
        .with("/endless", &[text(b"words").endless()])
        .with("/cut", &[text(&large[..1000]).cut_after(10)])
        .with("/picture", &[Reply::file(b"\x89PNG").header("content-type", "image/png")])
        .with("/packed", &[text(b"\x1f\x8b").header("content-encoding", "gzip")])
        .with("/app", &[html("<div id=root></div><script src=app.js></script>")]);
    for (path, expected) in [
        ("none", "missing: its host has no such page (404)"),
        ("gone", "missing: its host has no such page (410)"),
        ("refused", "unchecked: its host answers with 403"),
        ("broken", "unchecked: its host answers with 503"),
        ("large", "unchecked: it is larger than 4 MiB"),
        ("untold", "unchecked: it is larger than 4 MiB"),
        ("endless", "unchecked: it is larger than 4 MiB"),
        ("cut", "unchecked: it broke off"),
        ("picture", "unchecked: it is image/png, which has no text that can be read"),
        ("packed", "unchecked: it is compressed, which was not requested"),
        ("app", "unchecked: its text is made by scripts, which are not run"),
    ] {
        assert_eq!(fetched(names(&server, ""), &format!("http://docs.example.com/{path}")).await, expected, "{path}");
    }
    // Bound and let go of again: nobody listens there.
    let nobody = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let deaf = Names::of_test(&format!("deaf.example.com={nobody}")).unwrap();
    assert_eq!(fetched(deaf, "http://deaf.example.com/").await, "unchecked: no connection to its host");
    assert_eq!(fetched(names(&server, ""), "http://other.example.com/").await, "missing: there is no such host");
}

#[tokio::test]
async fn a_page_that_never_ends_is_given_up() {
    let server = FileServer::start().with("/silent", &[html(PAGE).silent_after(10)]);
    let sources = Sources::within(Duration::from_millis(200), names(&server, ""));
    let told = told(&sources, "See http://docs.example.com/silent.").await;
    assert_eq!(told, ["? http://docs.example.com/silent: it took too long"]);
}

#[tokio::test]
async fn pages_that_were_fetched_before_are_known() {
    let server = FileServer::start().with("/bench", &[html(PAGE)]);
    let first = Sources::new(names(&server, ""));
    let urls = ["bench", "none"].map(|page| format!("http://docs.example.com/{page}"));
    first.fetch(&urls, &CancellationToken::new()).await;
    let kept = first.take_new();
    assert_eq!(kept.len(), 2);
    assert_eq!(first.take_new(), []);
    // Another process, which has them from the journal.
    let second = Sources::new(names(&server, ""));
    second.know(&kept);
    second.fetch(&urls, &CancellationToken::new()).await;
    assert_eq!(second.take_new(), []);
    let told = told(&second, "See http://docs.example.com/none and http://docs.example.com/bench.").await;
    assert_eq!(
        told,
        [
            "✘ http://docs.example.com/none: its host has no such page (404)",
            "✔ http://docs.example.com/bench: page exists (no quote to check)",
        ]
    );
    assert_eq!(server.asked().len(), 2);
}

#[tokio::test]
async fn more_pages_than_are_fetched_are_left_unchecked() {
    let server = FileServer::start();
    let sources = Sources::new(names(&server, ""));
    let pages: Vec<String> = (0..100).map(|page| format!("- http://docs.example.com/{page}")).collect();
    let told = told(&sources, &pages.join("\n")).await;
    assert_eq!(told.iter().filter(|line| line.contains("no such page")).count(), 40);
    let rest = told.iter().filter(|line| line.ends_with("not fetched: too many pages are cited, or they took too long"));
    assert_eq!(rest.count(), 60);
    assert_eq!(server.asked().len(), 40);
}

#[tokio::test]
async fn once_cancelled_nothing_more_is_fetched() {
    let server = FileServer::start().with("/silent", &[html(PAGE).silent_after(10)]);
    let sources = Sources::new(names(&server, ""));
    let cancel = CancellationToken::new();
    let silent = ["http://docs.example.com/silent".to_owned()];
    let fetch = sources.fetch(&silent, &cancel);
    tokio::pin!(fetch);
    tokio::select! {
        () = &mut fetch => panic!("a page that never ends was read"),
        () = async { while server.asked().is_empty() { tokio::task::yield_now().await; } } => cancel.cancel(),
    }
    fetch.await;
    assert_eq!(sources.take_new(), []);
}

#[tokio::test]
async fn a_secret_in_a_page_is_not_kept() {
    let secret = format!("sk-{}-api03-{}", "ant", ["Zx8kQ2", "mN4vB6", "cL1pR7", "tY9wE3", "uI5oA0sD"].concat());
    let page = format!("the key is {secret} and the limit is 30 calls");
    let server = FileServer::start().with("/leak", &[Reply::file(page.as_bytes()).header("content-type", "text/plain")]);
    let text = fetched(names(&server, ""), "http://docs.example.com/leak").await;
    assert_eq!(text, "the key is [redacted] and the limit is 30 calls");
}

/// A server on loopback that encrypts, and answers every request with the page.
struct SecureServer {
    place: SocketAddr,
    /// The certificate that its own is signed by.
    root: Vec<u8>,
}

impl SecureServer {
    /// It calls itself by this name.
    fn start(name: &str) -> Self {
        let mut root = rcgen::CertificateParams::new(Vec::new()).unwrap();
        root.is_ca = rcgen::IsCa::Ca(rcgen::BasicConstraints::Unconstrained);
        let root_key = rcgen::KeyPair::generate().unwrap();
        let root_certificate = root.self_signed(&root_key).unwrap();
        let issuer = rcgen::Issuer::new(root, root_key);
        let own_key = rcgen::KeyPair::generate().unwrap();
        let own = rcgen::CertificateParams::new(vec![name.to_owned()]).unwrap().signed_by(&own_key, &issuer).unwrap();
        let key = rustls::pki_types::PrivateKeyDer::try_from(own_key.serialize_der()).unwrap();
        let provider = Arc::new(rustls::crypto::ring::default_provider());
        let config = rustls::ServerConfig::builder_with_provider(provider).with_safe_default_protocol_versions().unwrap();
        let config = Arc::new(config.with_no_client_auth().with_single_cert(vec![own.der().clone()], key).unwrap());
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let place = listener.local_addr().unwrap();
        // It ends with the test's process; a connection that is refused is the client's affair.
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let connection = rustls::ServerConnection::new(Arc::clone(&config)).unwrap();
                let _ = answer(rustls::StreamOwned::new(connection, stream));
            }
        });
        Self { place, root: root_certificate.der().to_vec() }
    }
}

fn answer(mut stream: impl Read + Write) -> std::io::Result<()> {
    let mut request = Vec::new();
    let mut part = [0; 1024];
    while !request.windows(4).any(|end| end == b"\r\n\r\n") {
        match stream.read(&mut part)? {
            0 => return Ok(()),
            count => request.extend_from_slice(&part[..count]),
        }
    }
    let length = PAGE.len();
    write!(stream, "HTTP/1.1 200 OK\r\ncontent-type: text/html\r\ncontent-length: {length}\r\n\r\n{PAGE}")?;
    stream.flush()
}

#[tokio::test]
async fn a_page_is_fetched_with_encryption_from_a_host_that_is_trusted() {
    let server = SecureServer::start("docs.example.com");
    let names = Names::of_test(&format!("docs.example.com={}", server.place)).unwrap().trusting(&server.root);
    let sources = Sources::new(names);
    let told = told(&sources, "JSON took 41 % of the time (https://docs.example.com/bench).").await;
    assert_eq!(told, ["✔ https://docs.example.com/bench: page exists (no quote to check)"]);
}

#[tokio::test]
async fn a_host_that_is_not_trusted_is_not_read() {
    let (server, other) = (SecureServer::start("docs.example.com"), SecureServer::start("other.example.com"));
    let untrusted = "unchecked: its host has a certificate that is not trusted";
    let names = |trusted: &SecureServer| {
        let table = format!("docs.example.com={},alias.example.com={}", server.place, server.place);
        Names::of_test(&table).unwrap().trusting(&trusted.root)
    };
    assert_eq!(fetched(names(&other), "https://docs.example.com/bench").await, untrusted, "signed by somebody else");
    assert_eq!(fetched(names(&server), "https://alias.example.com/bench").await, untrusted, "of another name");
    let text = fetched(names(&server), "https://docs.example.com/bench").await;
    assert!(text.starts_with("Gateways"), "{text}");
    // One that does not encrypt at all is no host of such a page.
    let plain = FileServer::start().with("/bench", &[html(PAGE)]);
    let names = Names::of_test(&format!("docs.example.com={}", place(&plain))).unwrap().trusting(&server.root);
    assert_eq!(fetched(names, "https://docs.example.com/bench").await, "unchecked: no connection to its host");
}
