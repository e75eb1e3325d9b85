//! Debates over HTTP: whole duels on a stand-in service, what is sent, what is kept, and that no key is.

use std::fs;
use std::path::Path;

use rebut_fakes::provider::{Provider, Request};
use rebut_fakes::{Run, TOPIC, TestEnv, files_below, verdict};
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt, copy_bidirectional};
use tokio::net::{TcpListener, TcpStream};

use crate::machine;

/// Keys of the forms that the vendors' have, put together here so that no tool takes them for real ones.
pub(crate) fn keys() -> [(&'static str, String); 3] {
    [
        (
            "ANTHROPIC_API_KEY",
            format!("sk-{}-api03-{}", "ant", ["Zq7Lw2", "Xr9Tn4", "Vb6Ym1", "Kc8Jd3", "Hf5Gs0Pa"].concat()),
        ),
        ("OPENAI_API_KEY", format!("sk-{}-{}", "proj", ["Bn4Kx8", "Wq1Rz6", "Tm3Vc9", "Ly7Jd2", "Hf5Gs0Pe"].concat())),
        ("GEMINI_API_KEY", "stand-in-of-a-plain-key".to_owned()),
    ]
}

/// A machine whose vendors are the stand-in, each with its key, all by the environment.
pub(crate) fn vendors(provider: &Provider, case: &str) -> TestEnv {
    let env = machine()
        .set("REBUT_VERDICT_RIGOR", "quick")
        .set("ANTHROPIC_BASE_URL", provider.base(case))
        .set("OPENAI_BASE_URL", provider.base(case) + "/v1")
        .set("GOOGLE_GEMINI_BASE_URL", provider.base(case));
    keys().into_iter().fold(env, |env, (name, key)| env.set(name, key))
}

pub(crate) async fn provider() -> Provider {
    let provider = Provider::start();
    provider.reply("# Your task: the verdict", &verdict("challenger"));
    provider
}

/// Runs the program while the stand-in serves it.
pub(crate) fn run(env: &TestEnv, arguments: &[&str]) -> Run {
    tokio::task::block_in_place(|| env.rebut(arguments))
}

pub(crate) fn duel<'a>(more: &[&'a str]) -> Vec<&'a str> {
    [&["duel", TOPIC, "--proposer", "anthropic", "--challenger", "openai", "--judge", "google", "--rounds", "2"], more]
        .concat()
}

/// A way to the stand-in on which the first connection is closed before anything is answered.
async fn closing_once(provider: &Provider) -> String {
    let target = provider.base("ok").trim_start_matches("http://").split('/').next().unwrap().to_owned();
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    tokio::spawn(async move {
        let (mut first, _) = listener.accept().await.unwrap();
        let _ = first.read(&mut [0; 1024]).await;
        drop(first);
        while let Ok((mut client, _)) = listener.accept().await {
            let mut server = TcpStream::connect(&target).await.unwrap();
            tokio::spawn(async move { copy_bidirectional(&mut client, &mut server).await });
        }
    });
    format!("http://{address}/ok")
}

#[tokio::test(flavor = "multi_thread")]
async fn a_request_that_is_sent_again_after_a_reset_is_an_event() {
    let provider = provider().await;
    let env = vendors(&provider, "ok").set("ANTHROPIC_BASE_URL", closing_once(&provider).await);
    let _ = run(&env, &duel(&[])).exits(0).says("warning: round 1, proposer: anthropic is unavailable");
    let retried = env.debate().of_kind("retrying");
    assert_eq!(retried.len(), 1);
    assert_eq!(retried[0].happening["failure"]["cause"], "unavailable");
}

/// Every file below a folder, with what it holds.
fn files(folder: &Path) -> Vec<(String, String)> {
    files_below(folder).into_iter().map(|name| (name.clone(), text_of(&folder.join(name)))).collect()
}

fn text_of(path: &Path) -> String {
    String::from_utf8_lossy(&fs::read(path).unwrap()).into_owned()
}

/// Nothing of a key stands in what was kept, nor in what was shown.
#[track_caller]
fn shows_no_key(env: &TestEnv, run: &Run) {
    for (name, key) in keys() {
        assert!(!run.stdout.contains(&key) && !run.stderr.contains(&key), "{name} was shown: {run}");
        for (file, content) in files(&env.root()) {
            assert!(!content.contains(&key), "{name} stands in {file}");
        }
    }
}

fn asked_by(requests: &[Request], path: &str) -> Vec<Value> {
    requests.iter().filter(|request| request.path.starts_with(path)).map(|request| request.body.clone()).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_whole_duel_is_held_over_three_apis_and_no_key_is_kept_or_shown() {
    let provider = provider().await;
    let env = vendors(&provider, "ok");
    let run = run(&env, &duel(&["--json"])).exits(0);
    shows_no_key(&env, &run);
    let lines = run.json_lines();
    let result = lines.last().unwrap();
    assert_eq!(result["debate"]["status"], "completed");
    let answers: Vec<&Value> = lines
        .iter()
        .filter(|line| line["happening"]["kind"] == "answered")
        .map(|line| &line["happening"]["answer"])
        .collect();
    assert_eq!(answers.len(), 5, "{run}");
    assert!(answers.iter().all(|answer| answer["transport"] == "http" && answer["usage"]["cost"].as_u64() > Some(0)));
    let requests = provider.requests();
    assert_eq!(asked_by(&requests, "/v1/messages").len(), 2);
    assert_eq!(asked_by(&requests, "/v1/responses").len(), 2);
    assert_eq!(asked_by(&requests, "/v1beta/models/gemini-3.8-flash").len(), 1);
    let verdict = &asked_by(&requests, "/v1beta")[0];
    assert_eq!(verdict["generationConfig"]["responseMimeType"], "application/json");
    assert!(verdict["generationConfig"]["responseJsonSchema"]["properties"]["winner"].is_object());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_later_prompt_begins_with_what_an_earlier_one_left_in_the_cache() {
    let provider = provider().await;
    let env = vendors(&provider, "ok");
    env.write("notes.md", "What we measured.\n");
    let context = ["--context", "file=notes.md"];
    let _ = run(&env, &duel(&context)).exits(0);
    let bodies = asked_by(&provider.requests(), "/v1/messages");
    let parts = |body: &Value| body["messages"][0]["content"].as_array().unwrap().clone();
    let marked = |parts: &[Value]| parts.iter().position(|part| !part["cache_control"].is_null()).unwrap();
    let (first, second) = (parts(&bodies[0]), parts(&bodies[1]));
    assert_eq!(bodies[0]["system"], bodies[1]["system"]);
    assert_eq!((marked(&first), marked(&second)), (0, 4), "the notes; then two statements more, each with its claims");
    let texts = |parts: &[Value]| parts.iter().map(|part| part["text"].clone()).collect::<Vec<_>>();
    assert_eq!(texts(&first)[..1], texts(&second)[..1]);
}

#[tokio::test(flavor = "multi_thread")]
async fn the_plan_says_who_gets_what_and_what_it_costs() {
    let provider = provider().await;
    let env = vendors(&provider, "ok");
    let plan = run(&env, &duel(&["--dry-run"])).exits(0);
    let plan = plan.shows("  proposer    anthropic:claude-opus-5-5\n").shows("  challenger  openai:gpt-6.1-sol\n");
    let _ =
        plan.shows("topic and statements → a server on this machine, which may forward them (proposer, challenger, judge)");
    let plan = run(&env, &duel(&["--dry-run"])).exits(0).shows("  cost        about $");
    let plan = plan.shows("  note        costs are estimated with prices of 2026-11-15, or your own");
    assert!(!plan.stdout.contains("unknown for"), "{plan}");
    let next = ["duel", TOPIC, "--tools", "anthropic:claude-next,openai", "--judge", "google", "--dry-run"];
    let _ = run(&env, &next).exits(0).shows("; unknown for proposer (anthropic:claude-next)\n");
    let cost = run(&env, &[&next[..], &["--json"]].concat()).exits(0).json()["estimated_cost"].clone();
    assert!(cost["known"].as_u64() > Some(0) && cost["unknown_for"] == json!(["proposer"]), "{cost}");
    assert!(provider.requests().is_empty(), "a plan asks nobody");
    let small = run(&env, &duel(&["--dry-run", "--max-cost", "0.0001"])).exits(2);
    assert!(small.stderr.contains("the budget of $0.0001 is too small"), "{small}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_service_that_tells_the_key_back_everywhere_gets_it_into_nothing() {
    let provider = Provider::start();
    let env = vendors(&provider, "echoes-key");
    for more in [&["--json"][..], &[]] {
        let run = run(&env, &duel(more));
        assert!(run.to_string().contains("You sent [redacted]"), "{run}");
        shows_no_key(&env, &run);
    }
    let probed = run(&env, &["doctor", "--probe"]).exits(0);
    shows_no_key(&env, &probed);
    let _ = probed.shows("model-[redacted]");
}

#[tokio::test(flavor = "multi_thread")]
async fn the_verdicts_schema_is_sent_as_each_api_takes_it() {
    for (judge, place) in [
        ("anthropic", "/output_config/format/schema"),
        ("openai", "/text/format/schema"),
        ("google", "/generationConfig/responseJsonSchema"),
        ("ollama:m", "/response_format/json_schema/schema"),
    ] {
        let provider = provider().await;
        let env = vendors(&provider, "ok").set("REBUT_SERVICES_OLLAMA_BASE_URL", provider.base("ok") + "/v1");
        let arguments = ["duel", TOPIC, "--proposer", "anthropic", "--challenger", "openai", "--judge", judge, "--json"];
        let run = run(&env, &[&arguments[..], &["--rounds", "1"]].concat()).exits(0);
        let answered = run.json_lines().into_iter().rfind(|line| line["happening"]["kind"] == "answered").unwrap();
        assert_eq!(answered["happening"]["answer"]["transport"], "http", "{judge} took the schema");
        let request = provider.requests().into_iter().rfind(|request| request.asked.is_some()).unwrap();
        let schema = request.body.pointer(place).unwrap();
        insta::assert_json_snapshot!(format!("verdict-schema-{}", judge.split(':').next().unwrap()), schema);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_key_that_is_refused_is_named_by_its_variable_and_not_shown() {
    let provider = provider().await;
    let env = vendors(&provider, "tells-key");
    let run = run(&env, &duel(&[])).exits(1);
    shows_no_key(&env, &run);
    assert!(run.to_string().contains("Set ANTHROPIC_API_KEY to a key that is valid."), "{run}");
    assert!(run.to_string().contains("is not signed in, or its key was refused"), "{run}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_rate_limit_is_waited_for_as_long_as_the_service_asks() {
    let provider = provider().await;
    let env = vendors(&provider, "429");
    let run = run(&env, &duel(&["--json", "--timeout", "3"])).exits(1);
    let retries: Vec<Value> = run
        .json_lines()
        .into_iter()
        .filter(|line| line["happening"]["kind"] == "retrying")
        .map(|line| line["happening"]["wait_ms"].clone())
        .collect();
    assert!(!retries.is_empty() && retries.iter().all(|wait| *wait == json!(1_000)), "{retries:?}");
    shows_no_key(&env, &run);
}

#[tokio::test(flavor = "multi_thread")]
async fn nobody_is_sent_a_key_over_plain_http() {
    let env = machine().set("ANTHROPIC_BASE_URL", "http://gateway.example").set("ANTHROPIC_API_KEY", "a-key");
    let run = run(&env, &["duel", TOPIC, "--proposer", "anthropic", "--challenger", "anthropic:b", "--dry-run"]).exits(2);
    let expected = "error: proposer: anthropic would get its key over http:// without encryption at gateway.example; \
                    use https://, or set `services.anthropic.plain_http = true` in your config.toml if you trust the network";
    assert!(run.stderr.starts_with(expected), "{run}");
    assert!(!run.stderr.contains("a-key"));
}

#[tokio::test(flavor = "multi_thread")]
async fn with_nothing_but_a_server_the_server_takes_every_seat() {
    let provider = provider().await;
    let env = machine().set("REBUT_SERVICES_OLLAMA_BASE_URL", provider.base("ok") + "/v1");
    let run = run(&env, &[TOPIC, "--rounds", "1", "--rigor", "quick"]).exits(0);
    let run = run.shows("  proposer    ollama:stand-in\n").shows("the challenger had the stronger case.");
    let _ = run.shows("| $0.0000 |");
    let seeds: std::collections::BTreeSet<u64> =
        provider.requests().iter().filter_map(|request| request.body["seed"].as_u64()).collect();
    assert_eq!(seeds.len(), 3, "every call has a seed of its own");
}

#[tokio::test(flavor = "multi_thread")]
async fn two_models_of_one_server_debate_with_each_other() {
    let provider = provider().await;
    let env = machine().set("REBUT_SERVICES_OLLAMA_BASE_URL", provider.base("two-models") + "/v1");
    let run = run(&env, &[TOPIC, "--rounds", "1", "--rigor", "quick"]).exits(0);
    let run = run.shows("  proposer    ollama:llama3.2\n").shows("  challenger  ollama:gemma3:4b\n");
    let run = run.shows("challenger ollama:gemma3:4b (another vendor than its opponent)");
    assert!(!run.to_string().contains("argues both sides"), "{run}");
    let asked: std::collections::BTreeSet<_> = provider.asked().into_iter().filter_map(|asked| asked.model).collect();
    assert_eq!(asked, ["gemma3:4b", "llama3.2"].map(str::to_owned).into());
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_set_and_cannot_be_used_is_told_and_so_is_the_rest_where_it_is_asked_for() {
    let provider = provider().await;
    let env = machine()
        .set("REBUT_SERVICES_OLLAMA_BASE_URL", provider.base("ok") + "/v1")
        .set("ANTHROPIC_API_KEY", "two words")
        .set("OPENAI_BASE_URL", "https://u:p@gateway.example")
        .set("GOOGLE_GEMINI_BASE_URL", "http://gateway.example")
        .set("GEMINI_API_KEY", "a-key")
        .set("GROQ_API_KEY", "a-key");
    let plan = run(&env, &[TOPIC, "--dry-run"]).exits(0);
    let plan = plan
        .shows("  note        skipped: ANTHROPIC_API_KEY holds no key for anthropic: it has white space")
        .shows("  note        skipped: OPENAI_BASE_URL is not an address for openai: expected http://")
        .shows("  note        skipped: google would get its key over http:// without encryption at gateway.example;");
    assert!(!plan.stdout.contains("two words") && !plan.stdout.contains("u:p@"), "{plan}");
    for quiet in ["claude is not installed", "xai has no key", "groq has no model", "vllm does not answer"] {
        assert!(!plan.stdout.contains(quiet), "{plan}");
        let told = format!("  note        skipped: {quiet}");
        let _ = run(&env, &[TOPIC, "--dry-run", "--explain-seats"]).exits(0).shows(&told);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_service_of_ones_own_is_a_table_in_the_config() {
    let provider = provider().await;
    let env = machine();
    let text = format!(
        "[services.mine]\napi = 'responses'\nbase_url = '{}/v1'\nkey_env = 'MY_KEY'\nmodels.high = 'big'\nprices = ['big 1 2']\n",
        provider.base("ok")
    );
    env.user_config(text);
    let arguments = ["duel", TOPIC, "--proposer", "mine", "--challenger", "mine:small", "--rounds", "1", "--rigor", "quick"];
    let missing = run(&env, &arguments).exits(2);
    assert!(missing.stderr.starts_with("error: proposer: mine has no key; set MY_KEY"), "{missing}");
    let env = env.set("MY_KEY", "my-own-key");
    let held = run(&env, &arguments).exits(0);
    let _ = held.shows("the challenger (mine:small) had the stronger case.");
    assert!(provider.requests().iter().all(|request| request.headers["authorization"] == "Bearer my-own-key"));
    assert!(files(&env.root()).iter().all(|(_, content)| !content.contains("my-own-key")));
}

#[test]
fn a_server_on_this_machine_is_never_asked_through_a_proxy() {
    let proxy = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    proxy.set_nonblocking(true).unwrap();
    let address = format!("http://{}", proxy.local_addr().unwrap());
    let variables = ["HTTP_PROXY", "http_proxy", "HTTPS_PROXY", "https_proxy", "ALL_PROXY"];
    for base in ["http://localhost:1/v1", "https://localhost:1/v1", "https://127.0.0.1:1/v1"] {
        let env = machine().set("REBUT_SERVICES_OLLAMA_BASE_URL", base);
        let env = variables.into_iter().fold(env, |env, name| env.set(name, &address));
        let _ = env.rebut(["doctor"]).exits(1).shows("servers not running: ollama (");
        assert_eq!(proxy.accept().unwrap_err().kind(), std::io::ErrorKind::WouldBlock, "{base}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn doctor_tells_which_keys_are_set_and_which_servers_answer_and_asks_them() {
    let provider = provider().await;
    let env = vendors(&provider, "ok").set("REBUT_SERVICES_LLAMACPP_BASE_URL", provider.base("ok") + "/v1");
    let look = run(&env, &["doctor"]).exits(0);
    shows_no_key(&env, &look);
    let look = look.shows("  key         ANTHROPIC_API_KEY is set\n");
    let look = look
        .shows("  models      low claude-haiku-5-5, medium claude-sonnet-5-5, high claude-opus-5-5, max claude-opus-5-5\n");
    let look = look
        .shows("llamacpp  your own server\n")
        .shows("APIs without a key: xai (XAI_API_KEY), deepseek (DEEPSEEK_API_KEY)");
    let look = look.shows("servers not running: ollama (127.0.0.1:1), vllm (127.0.0.1:1)");
    let _ = look.shows(
        "By default, anthropic:claude-opus-5-5 proposes, openai:gpt-6.1-sol challenges, google:gemini-3.8-flash judges.",
    );
    assert!(provider.asked().is_empty(), "no model is asked");
    let probed = run(&env, &["doctor", "--probe", "--json"]).exits(0);
    shows_no_key(&env, &probed);
    let lines = probed.json_lines();
    let service = |name: &str| lines.iter().find(|line| line["type"] == "service" && line["name"] == name).unwrap();
    assert_eq!(service("openai")["probe"]["model"], "gpt-6-luna");
    assert_eq!(service("openai")["key_variable"], "OPENAI_API_KEY");
    assert_eq!(service("llamacpp")["lists"], json!(["stand-in"]));
    assert_eq!(service("llamacpp")["probe"]["model"], "stand-in");
    assert_eq!((&service("groq")["probe"], &service("groq")["key_variable"]), (&Value::Null, &Value::Null));
    assert_eq!(provider.asked().len(), 8, "for one word, and for JSON");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_probe_takes_the_lowest_model_that_is_set_and_says_where_there_is_none() {
    let provider = provider().await;
    let env = machine().set("MY_KEY", "my-own-key");
    let of = |name: &str| {
        let base = provider.base("ok");
        format!("[services.{name}]\napi = 'responses'\nbase_url = '{base}/v1'\nkey_env = 'MY_KEY'\n")
    };
    env.user_config(format!("{}models.high = 'big'\n{}", of("mine"), of("bare")));
    let shown = run(&env, &["doctor", "--probe"]).exits(0).shows(", model big\n");
    let _ = shown.shows("  probe       skipped: no model is set for any effort; set services.bare.models.low\n");
    let lines = run(&env, &["doctor", "--probe", "--json"]).exits(0).json_lines();
    let service = |name: &str| lines.iter().find(|line| line["type"] == "service" && line["name"] == name).unwrap();
    assert_eq!((&service("mine")["probe"]["model"], &service("mine")["not_probed"]), (&json!("big"), &Value::Null));
    assert!(service("bare")["not_probed"].as_str().unwrap().starts_with("skipped: no model is set"));
    let unasked = run(&env, &["doctor", "--json"]).exits(0).json_lines();
    assert!(unasked.iter().all(|line| line["not_probed"].is_null()));
}

#[test]
fn a_server_that_speaks_something_else_is_not_said_to_be_silent() {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            let _ = std::io::Write::write_all(&mut stream.unwrap(), b"220 mail.example ready for your letters\r\n");
        }
    });
    for (scheme, how) in [("http", "not HTTP"), ("https", "not HTTPS; an address of plain HTTP begins with http://")] {
        let env = machine().set("REBUT_SERVICES_LLAMACPP_BASE_URL", format!("{scheme}://127.0.0.1:{port}/v1"));
        let line = format!("not a model server: llamacpp (127.0.0.1:{port}: it answers, but {how})\n");
        let _ = run(&env, &["doctor"]).shows(&line);
        let duel = run(&env, &["duel", TOPIC, "--tools", "llamacpp:a,llamacpp:b", "--rounds", "1"]).exits(1);
        let words = duel.to_string().split_whitespace().collect::<Vec<_>>().join(" ");
        let said = format!("127.0.0.1:{port} answers, but {how}");
        assert!(words.contains(&said) && !words.contains("no connection"), "{duel}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_probe_that_a_service_refuses_says_why() {
    let provider = provider().await;
    let env = vendors(&provider, "401");
    let run = run(&env, &["doctor", "--probe"]).exits(1);
    let run = run.shows("  probe       is not signed in, or its key was refused (HTTP 401: the key is not valid). ");
    let _ = run.shows("Set OPENAI_API_KEY to a key that is valid.");
}
