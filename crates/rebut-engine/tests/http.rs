//! Seats behind services, against a stand-in that speaks every API and has every fault.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use std::net::TcpListener;
use std::path::Path;
use std::time::Duration;

use futures_util::future::join_all;
use rebut_core::debate::{Answer, Cause, Cost, Effort, Failure, Prompt, SeatPlan, Shape, StepKey};
use rebut_engine::config::{Seconds, ServiceSettings, Settings};
use rebut_engine::providers::{Order, Progress, ProgressSink, Providers, Seat, SeatSpec, Standing, Surroundings, Transport};
use rebut_fakes::provider::{ANSWER, Provider, Request};
use serde_json::{Value, json};
use tokio::sync::mpsc::unbounded_channel;
use tokio_util::sync::CancellationToken;

/// A service for each API.
const SERVICES: [&str; 4] = ["anthropic", "openai", "google", "xai"];

/// The key that every service gets. It has the form of no known key, so that only its value gives it away.
const KEY: &str = "stand-in-of-a-key";

/// Settings in which a case of the stand-in is where a service is, and nothing else of this machine is found.
fn settings(provider: &Provider, service: &str, case: &str) -> Settings {
    let version = if matches!(service, "anthropic" | "google") { "" } else { "/v1" };
    let base = format!("{}{version}", provider.base(case));
    at(&[(service, &base)])
}

/// Settings with these services at these addresses; servers of one's own are nowhere else.
fn at(places: &[(&str, &str)]) -> Settings {
    let nowhere = ["ollama", "llamacpp", "vllm", "lmstudio"].map(|name| (name, "http://127.0.0.1:1/v1"));
    let mut settings = Settings::default();
    settings.limits.stall_seconds = Seconds::try_from(0.3).ok();
    for (name, base) in nowhere.iter().chain(places) {
        let own = ServiceSettings { base_url: Some((*base).to_owned()), ..ServiceSettings::default() };
        settings.services.insert((*name).to_owned(), own);
    }
    settings
}

fn providers(settings: &Settings) -> Providers {
    let keys = ["ANTHROPIC_API_KEY", "OPENAI_API_KEY", "GEMINI_API_KEY", "XAI_API_KEY"];
    Providers::new(settings).with_variables(keys.map(|name| (name.to_owned(), KEY.to_owned())).to_vec())
}

fn plan(providers: &Providers, seat: &str) -> Result<SeatPlan, String> {
    let spec = SeatSpec::parse(seat).unwrap();
    providers.plan(&spec, Effort::High, Transport::Cli, Path::new("/")).map_err(|error| error.to_string())
}

fn open(provider: &Provider, service: &str, case: &str) -> Box<dyn Seat> {
    let mut settings = settings(provider, service, case);
    // Silence is the matter of some cases alone; in the others a slow machine may take its time.
    if !["hang", "stall"].iter().any(|silent| case.starts_with(silent)) {
        settings.limits.stall_seconds = Some(Seconds::whole(5));
    }
    if case == "hang-pinging" {
        settings.limits.first_output_seconds = Seconds::try_from(0.3).ok();
    }
    let providers = providers(&settings);
    let plan = plan(&providers, service).or_else(|_| plan(&providers, &format!("{service}:m"))).unwrap();
    providers.open(&plan, Path::new("/"), None).unwrap()
}

fn order(shape: Shape) -> Order {
    Order {
        key: StepKey::new("round-1/proposer"),
        setbacks: 0,
        thread: None,
        prompt: Prompt { system: "# The rules ä".into(), user: "# The topic\n\nWhy 漢?".into() },
        shape,
        output_tokens: 1_000,
        effort: Effort::High,
        seed: u64::MAX,
        limit: Duration::from_mins(1),
    }
}

async fn ask(seat: &dyn Seat, order: &Order) -> (Result<Answer, Failure>, Vec<Progress>) {
    let (sender, mut pieces) = unbounded_channel();
    let answer = seat.answer(order, ProgressSink::new(order.key.clone(), sender), CancellationToken::new()).await;
    let mut told = Vec::new();
    while let Ok((_, piece)) = pieces.try_recv() {
        told.push(piece);
    }
    (answer, told)
}

/// The failure of a service in a case.
async fn failure(provider: &Provider, service: &str, case: &str) -> Failure {
    ask(&*open(provider, service, case), &order(Shape::Prose)).await.0.unwrap_err()
}

fn schema() -> Shape {
    let schema = json!({ "type": "object", "additionalProperties": false, "required": ["a"],
        "properties": { "a": { "type": "string" } } });
    Shape::Json { name: "verdict", schema }
}

fn key_of(request: &Request) -> &str {
    let names = ["authorization", "x-api-key", "x-goog-api-key"];
    names.iter().find_map(|name| request.headers.get(*name)).map_or("", |value| value.trim_start_matches("Bearer "))
}

#[tokio::test]
async fn every_api_is_asked_in_its_own_words_and_heard_as_it_answers() {
    for service in SERVICES {
        let provider = Provider::start();
        let (answer, told) = ask(&*open(&provider, service, "ok"), &order(schema())).await;
        let answer = answer.unwrap();
        let read: Value = serde_json::from_str(&answer.text).unwrap();
        assert!(read["a"].is_string(), "{service}: {read}");
        let streamed: Vec<String> = told
            .iter()
            .filter_map(|piece| if let Progress::Text(text) = piece { Some(text.clone()) } else { None })
            .collect();
        assert!(streamed.len() > 1 && streamed.concat() == answer.text, "{service}: {streamed:?}");
        assert_eq!((answer.usage.input_tokens, answer.usage.output_tokens), (Some(11), Some(7)), "{service}");
        assert!(answer.usage.cost.is_some_and(|cost| cost > Cost::default()), "{service}");
        assert_eq!(answer.transport, "http");
        let requests = provider.requests();
        let asked = requests[0].asked.clone().unwrap();
        assert_eq!(asked.prompt, "# The rules ä\n# The topic\n\nWhy 漢?", "{service}");
        assert_eq!((asked.effort.as_deref(), asked.stream), (Some("high"), true), "{service}");
        assert_eq!(asked.model, answer.model, "{service}");
        assert_eq!(asked.schema.unwrap()["required"], json!(["a"]), "{service}");
        assert_eq!(key_of(&requests[0]), KEY, "{service}");
        assert_eq!(asked.seed.is_some(), matches!(service, "google" | "xai"), "{service}");
    }
}

#[tokio::test]
async fn every_fault_of_a_service_has_its_name() {
    let provider = Provider::start();
    let cases = [
        ("401", Cause::Auth),
        ("403", Cause::Auth),
        ("404", Cause::UnknownModel),
        ("413", Cause::ContextTooLong),
        ("429", Cause::RateLimited),
        ("500", Cause::Unavailable),
        ("529", Cause::Unavailable),
        ("empty", Cause::Empty),
        ("refusal", Cause::Refused),
        ("length", Cause::Truncated),
        ("truncated", Cause::Truncated),
        ("half-event", Cause::Truncated),
        ("garbage", Cause::Unparsable),
        ("not-text", Cause::Unparsable),
        ("error-body", Cause::Unavailable),
        ("error-event", Cause::Unavailable),
        ("endless", Cause::TooLarge),
        ("endless-line", Cause::TooLarge),
        ("huge", Cause::TooLarge),
        ("hang", Cause::Stalled),
        ("hang-pinging", Cause::Stalled),
        ("stall", Cause::Stalled),
        ("stall-pinging", Cause::Stalled),
        ("redirect", Cause::Exit),
    ];
    for service in SERVICES {
        let failures = join_all(cases.map(|(case, _)| failure(&provider, service, case))).await;
        for ((case, expected), failure) in cases.iter().zip(failures) {
            assert_eq!(failure.cause, *expected, "{service} {case}: {failure}");
        }
    }
}

#[tokio::test]
async fn a_whole_answer_is_kept_though_the_stream_does_not_end() {
    let provider = Provider::start();
    for service in SERVICES {
        let (answer, _) = ask(&*open(&provider, service, "ok-pinging"), &order(Shape::Prose)).await;
        assert_eq!(answer.unwrap().text, ANSWER, "{service}");
    }
}

#[tokio::test]
async fn failures_say_what_to_do_and_never_the_key() {
    let provider = Provider::start();
    for (service, variable) in [
        ("anthropic", "ANTHROPIC_API_KEY"),
        ("openai", "OPENAI_API_KEY"),
        ("google", "GEMINI_API_KEY"),
        ("xai", "XAI_API_KEY"),
    ] {
        let told = failure(&provider, service, "tells-key").await;
        assert_eq!(told.cause, Cause::Auth);
        assert!(told.detail.contains("[redacted]") && !told.detail.contains(KEY), "{}", told.detail);
        assert!(!told.detail.contains(&KEY[..6]), "not a part of it either: {}", told.detail);
        assert_eq!(&*told.advice.unwrap(), format!("Set {variable} to a key that is valid."));
        let unknown = failure(&provider, service, "404").await;
        assert_eq!(&*unknown.advice.unwrap(), format!("Name another model: {service}:MODEL."));
        let html = failure(&provider, service, "garbage").await;
        assert!(
            html.advice.unwrap().starts_with(&format!("Check the address: `services.{service}.base_url` is now http://"))
        );
    }
}

#[tokio::test]
async fn a_service_that_tells_the_key_back_everywhere_is_heard_without_it() {
    for key in [KEY, "k3y-5"] {
        let provider = Provider::start();
        for service in SERVICES {
            let keys = ["ANTHROPIC_API_KEY", "OPENAI_API_KEY", "GEMINI_API_KEY", "XAI_API_KEY"];
            let providers = Providers::new(&settings(&provider, service, "echoes-key"))
                .with_variables(keys.map(|name| (name.to_owned(), key.to_owned())).to_vec());
            let seat = providers.open(&plan(&providers, service).unwrap(), Path::new("/"), None).unwrap();
            let (answer, told) = ask(&*seat, &order(Shape::Prose)).await;
            let answer = answer.unwrap();
            assert_eq!(answer.text, "You sent [redacted] and [redacted].", "{service}");
            assert_eq!(answer.model.as_deref(), Some("model-[redacted]"), "{service}");
            assert_eq!(answer.session, None, "{service}");
            let text = |piece: &Progress| if let Progress::Text(text) = piece { text.clone() } else { String::new() };
            let streamed = told.iter().map(text).collect::<Vec<_>>().concat();
            assert_eq!(streamed, answer.text, "{service}: what is shown while it comes is clean too");
        }
    }
}

#[tokio::test]
async fn a_service_says_how_long_to_wait() {
    let provider = Provider::start();
    for service in SERVICES {
        assert_eq!(failure(&provider, service, "429").await.retry_after_ms, Some(1_000), "{service}");
        let dated = failure(&provider, service, "until-date").await;
        assert_eq!((dated.cause, dated.retry_after_ms), (Cause::Unavailable, Some(0)), "the date has passed");
        assert_eq!(failure(&provider, service, "500").await.retry_after_ms, None);
    }
}

#[tokio::test]
async fn nobody_is_followed_elsewhere_with_a_key() {
    for service in SERVICES {
        let (provider, other) = (Provider::start(), Provider::start());
        provider.send_elsewhere(&other.base("ok"));
        let failure = failure(&provider, service, "redirect").await;
        assert!(failure.detail.starts_with("HTTP 307: it redirects to 127.0.0.1, which is not followed"), "{failure}");
        assert_eq!((other.requests().len(), other.connections()), (0, 0), "{service}");
    }
}

#[tokio::test]
async fn a_server_that_is_not_there_is_unavailable_and_says_how_to_start_it() {
    let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let base = format!("http://127.0.0.1:{port}/v1");
    let providers = providers(&at(&[("ollama", &base)]));
    let plan = plan(&providers, "ollama:llama3.2").unwrap();
    let seat = providers.open(&plan, Path::new("/"), None).unwrap();
    let failure = ask(&*seat, &order(Shape::Prose)).await.0.unwrap_err();
    assert_eq!(failure.cause, Cause::Unavailable);
    assert!(failure.detail.starts_with(&format!("no connection to 127.0.0.1:{port}: ")), "{failure}");
    assert_eq!(&*failure.advice.unwrap(), "If it is not running, start it with `ollama serve`.");
}

#[tokio::test]
async fn a_server_of_ones_own_may_read_a_prompt_for_longer_than_it_may_be_silent() {
    let provider = Provider::start();
    let seat = open(&provider, "llamacpp", "hang");
    let (sender, _nobody) = unbounded_channel();
    let (cancel, order) = (CancellationToken::new(), order(Shape::Prose));
    let answer = seat.answer(&order, ProgressSink::new(order.key.clone(), sender), cancel.clone());
    // Twice as long as the limit of silence: it is still waited for, and ends at once when it is cancelled.
    let waited = tokio::time::timeout(Duration::from_millis(600), answer).await;
    assert!(waited.is_err());
}

#[tokio::test]
async fn a_call_that_is_cancelled_ends_with_its_connection() {
    for case in ["hang", "stall", "endless"] {
        let provider = Provider::start();
        let seat = open(&provider, "llamacpp", case);
        let (sender, mut pieces) = unbounded_channel();
        let (cancel, order) = (CancellationToken::new(), order(Shape::Prose));
        let answer = seat.answer(&order, ProgressSink::new(order.key.clone(), sender), cancel.clone());
        let cancelling = async {
            if case == "hang" {
                while provider.requests().is_empty() {
                    tokio::task::yield_now().await;
                }
            } else {
                pieces.recv().await.unwrap();
            }
            cancel.cancel();
        };
        let (answer, ()) = tokio::join!(answer, cancelling);
        assert_eq!(answer.unwrap_err().cause, Cause::Cancelled, "{case}");
        // The service notices that nobody listens any more: it need not think on, and nobody pays for it.
        while provider.open_connections() > 0 {
            tokio::task::yield_now().await;
        }
    }
}

#[tokio::test]
async fn seats_share_connections_and_use_them_again() {
    let provider = Provider::start();
    let providers = providers(&settings(&provider, "anthropic", "ok"));
    for model in ["a", "b"] {
        let plan = plan(&providers, &format!("anthropic:{model}")).unwrap();
        let seat = providers.open(&plan, Path::new("/"), None).unwrap();
        for _ in 0..3 {
            assert_eq!(ask(&*seat, &order(Shape::Prose)).await.0.unwrap().text, ANSWER);
        }
        seat.close().await;
    }
    assert_eq!((provider.requests().len(), provider.connections()), (6, 1));
}

/// Whether a request has come to its end.
fn is_whole(request: &str) -> bool {
    let Some((head, body)) = request.split_once("\r\n\r\n") else { return false };
    let length = head.to_lowercase().lines().find_map(|line| line.strip_prefix("content-length: ")?.parse().ok());
    body.len() >= length.unwrap_or(0)
}

/// A server that closes a connection just when it is used for the second time.
fn closing() -> (String, std::thread::JoinHandle<()>) {
    use std::io::{Read, Write};
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let base = format!("http://{}/v1", listener.local_addr().unwrap());
    let read = |stream: &mut std::net::TcpStream| {
        let (mut request, mut part) = (String::new(), [0; 4096]);
        while !is_whole(&request) {
            let length = stream.read(&mut part).unwrap();
            request.push_str(std::str::from_utf8(&part[..length]).unwrap());
        }
    };
    let event = r#"data: {"model":"m","choices":[{"delta":{"content":"Here."},"finish_reason":"stop"}]}"#;
    let event = format!("{event}\n\ndata: [DONE]\n\n");
    let answer =
        format!("HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ncontent-length: {}\r\n\r\n{event}", event.len());
    let serving = std::thread::spawn(move || {
        for times in [2, 1] {
            let (mut stream, _) = listener.accept().unwrap();
            for time in 0..times {
                read(&mut stream);
                if time == 0 {
                    stream.write_all(answer.as_bytes()).unwrap();
                }
            }
        }
    });
    (base, serving)
}

#[tokio::test]
async fn a_kept_connection_that_the_server_closes_is_a_failure_to_retry_at_once() {
    let (base, serving) = closing();
    let providers = providers(&at(&[("llamacpp", &base)]));
    let plan = plan(&providers, "llamacpp:m").unwrap();
    let seat = providers.open(&plan, Path::new("/"), None).unwrap();
    let order = Order { prompt: Prompt { system: "a".into(), user: "b".into() }, ..order(Shape::Prose) };
    assert_eq!(ask(&*seat, &order).await.0.unwrap().text, "Here.");
    // The runner asks again, and writes that down.
    let closed = ask(&*seat, &order).await.0.unwrap_err();
    assert_eq!((closed.cause, closed.retry_after_ms), (Cause::Unavailable, Some(0)));
    assert_eq!(ask(&*seat, &order).await.0.unwrap().text, "Here.");
    serving.join().unwrap();
}

#[tokio::test]
async fn what_a_server_refuses_to_know_is_left_out_and_that_is_written_down() {
    for (service, expected) in [
        ("anthropic", "http without schema, effort"),
        ("openai", "http without schema, effort"),
        ("google", "http without schema, effort, seed"),
        ("xai", "http without schema, effort, seed"),
    ] {
        let provider = Provider::start();
        let seat = open(&provider, service, "picky");
        let (answer, told) = ask(&*seat, &order(schema())).await;
        let answer = answer.unwrap();
        assert_eq!((answer.text.as_str(), answer.transport.as_str()), (ANSWER, expected), "{service}");
        assert_eq!(told[0], Progress::Activity("is asked again without schema".to_owned()));
        let first = provider.requests().len();
        assert_eq!(ask(&*seat, &order(schema())).await.0.unwrap().transport, expected);
        assert_eq!(provider.requests().len(), first + 1, "{service}: it is not asked for that again");
    }
}

#[tokio::test]
async fn a_call_that_fails_tells_what_it_cost_all_the_same() {
    let provider = Provider::start();
    for service in SERVICES {
        let failure = failure(&provider, service, "length").await;
        assert_eq!((failure.usage.input_tokens, failure.usage.output_tokens), (Some(11), Some(7)), "{service}");
        assert!(failure.usage.cost.is_some(), "{service}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn seats_are_planned_with_what_is_known_of_their_models() {
    let provider = Provider::start();
    let base = provider.base("ok") + "/v1";
    let providers = providers(&at(&[("llamacpp", &base)]));
    let anthropic = plan(&providers, "anthropic").unwrap();
    assert_eq!(anthropic.spec(), "anthropic:claude-opus-5-5");
    assert_eq!((anthropic.data_goes_to.as_str(), anthropic.context_tokens), ("Anthropic", Some(1_000_000)));
    assert_eq!(anthropic.price.unwrap().input, Cost::from_dollars(4.0).unwrap());
    assert!(!anthropic.reads_workspace);
    assert_eq!(plan(&providers, "anthropic:claude-next").unwrap().price, None, "unknown stays unknown");
    let local = plan(&providers, "llamacpp").unwrap();
    assert_eq!(local.spec(), "llamacpp:stand-in", "the first model that the server lists");
    assert_eq!(local.data_goes_to, "this machine only (a local server)");
    assert_eq!(local.price.unwrap().output, Cost::default());
    assert_eq!(plan(&providers, "openrouter:x/y").unwrap_err(), "openrouter has no key; set OPENROUTER_API_KEY");
    let silent = plan(&providers, "vllm").unwrap_err();
    assert_eq!(silent, "vllm does not answer at http://127.0.0.1:1/v1; start it with `vllm serve MODEL`");
    let base = provider.base("garbage");
    let strange = Providers::new(&at(&[("vllm", &format!("{base}/v1"))]));
    let otherwise = format!(
        "vllm at {base}/v1 answers, but not with a list of models; correct its address in your config.toml, or name its model"
    );
    assert_eq!(plan(&strange, "vllm").unwrap_err(), otherwise);
    let passed_over = strange.look_around(Effort::High, Transport::Cli).passed_over;
    let told = passed_over.iter().find(|who| who.why.starts_with("vllm ")).unwrap();
    assert_eq!(told.why, otherwise);
    assert!(told.is_set_up);
    let unknown = plan(&providers, "antropic").unwrap_err();
    assert!(unknown.starts_with("unknown tool `antropic`; did you mean `anthropic`? (known: claude, codex,"), "{unknown}");
    assert!(unknown.contains("gpt, chatgpt, local, script") && unknown.contains("openai"), "{unknown}");
}

#[test]
fn a_service_without_a_model_of_its_own_must_be_told_one() {
    let providers = Providers::new(&at(&[])).with_variables(vec![("GROQ_API_KEY".to_owned(), KEY.to_owned())]);
    let error = plan(&providers, "groq").unwrap_err();
    let expected = "groq has no model of its own; name one as `groq:MODEL`, or set `services.groq.models.high`";
    assert_eq!(error, expected);
    let family = |seat: &str| plan(&providers, seat).unwrap().family;
    assert_eq!(family("groq:openai/gpt-oss-120b"), "openai");
    assert_eq!(family("groq:llama-3.3-70b-versatile"), "meta");
    assert_eq!(family("groq:acme/next"), "acme");
    assert_eq!(family("ollama:gemma3:27b"), "google", "whose model it is does not change with who runs it");
    assert_eq!(family("ollama:gpt-oss:20b"), "openai");
    assert_eq!(family("ollama:my-own"), "local");
}

#[tokio::test(flavor = "multi_thread")]
async fn services_that_could_be_used_now_are_listed_vendors_before_servers() {
    let provider = Provider::start();
    let (ok, html) = (provider.base("ok") + "/v1", provider.base("garbage"));
    let providers = providers(&at(&[("ollama", &ok), ("lmstudio", &html)]));
    let specs: Vec<String> = providers.find_services(Effort::Low).seats.iter().map(SeatPlan::spec).collect();
    let expected =
        ["anthropic:claude-haiku-5-5", "openai:gpt-6-luna", "google:gemini-3.8-flash", "xai:grok-4.5", "ollama:stand-in"];
    assert_eq!(specs, expected);
    assert_eq!(Providers::new(&at(&[])).find_services(Effort::Low).seats, []);
    for request in provider.requests() {
        assert_eq!(key_of(&request), "", "a server that is only looked for gets no key");
    }
}

#[tokio::test]
async fn a_checkup_tells_keys_by_their_variables_and_servers_by_their_models() {
    let provider = Provider::start();
    let (ok, nobody) = (provider.base("ok") + "/v1", "https://u.example");
    let mut settings = at(&[("ollama", &ok)]);
    let own = ServiceSettings { base_url: Some(nobody.to_owned()), ..ServiceSettings::default() };
    settings.services.insert("mine".to_owned(), own);
    let providers = providers(&settings);
    let checkups = providers.check_up_services().await;
    let standing = |name: &str| checkups.iter().find(|checkup| checkup.name == name).unwrap().standing.clone();
    assert_eq!(standing("google"), Ok(Standing::Key("GEMINI_API_KEY".to_owned())));
    assert_eq!(standing("groq").unwrap_err().to_string(), "groq has no key; set GROQ_API_KEY");
    assert_eq!(standing("ollama"), Ok(Standing::Answers(vec!["stand-in".to_owned()])));
    assert!(standing("vllm").unwrap_err().to_string().starts_with("vllm "), "whatever else has its port");
    assert_eq!(
        standing("mine").unwrap_err().to_string(),
        "the service `mine` has no api; set `services.mine.api` in your config.toml"
    );
    let ollama = checkups.iter().find(|checkup| checkup.name == "ollama").unwrap();
    assert!(ollama.can_be_seated());
    let folder = Path::new("/");
    let around = Surroundings { home: None, folder, variable: &|_| None, limit: Duration::from_mins(1) };
    let probe = providers.probe_service(ollama, around, &CancellationToken::new()).await.unwrap();
    assert_eq!(probe.result.unwrap().model.as_deref(), Some("stand-in"));
    let asks_for = |request: &Request, words: &str| request.asked.as_ref().is_some_and(|a| a.prompt.contains(words));
    let requests = provider.requests();
    let asked = requests.iter().find(|request| asks_for(request, "one word")).expect("a probe for a word");
    assert_eq!(asked.body["max_tokens"], Value::from(4 * 16 + 4_000));
    assert!(requests.iter().any(|request| request.asked.as_ref().is_some_and(|asked| asked.schema.is_some())));
}
