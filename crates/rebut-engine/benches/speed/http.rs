//! What a seat adds to a call over HTTP: the same question to the same stand-in, asked by a seat and by a bare client, in
//! turns and over connections that are kept.

use std::path::Path;
use std::time::{Duration, Instant};

use rebut_core::debate::{Effort, Prompt, Shape, StepKey};
use rebut_engine::config::{ServiceSettings, Settings};
use rebut_engine::providers::{Order, ProgressSink, Providers, Seat, SeatSpec, Transport};
use rebut_fakes::provider::{Provider, Request};
use tokio_util::sync::CancellationToken;

use crate::figures::{median, ms, ms_text};
use crate::stage::Stage;
use crate::table::{Row, Table};

/// How often each is asked; the first few are not counted.
const TIMES: usize = 400;
const WARM_UP: usize = 20;

/// A service for each API.
const SERVICES: [&str; 4] = ["anthropic", "openai", "google", "llamacpp"];

pub(crate) fn measure(_: &Stage, table: &mut Table) {
    let here = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let mut own = Vec::new();
    for service in SERVICES {
        let provider = Provider::start();
        // As long as a statement is.
        provider.reply("# Topic", &"A sentence with some evidence, as long as they are in a debate. ".repeat(60));
        let seat = seat(&provider, service);
        let order = order();
        let (ours, bare, added) = here.block_on(async {
            call(&*seat, &order).await;
            let request = provider.requests().pop().unwrap();
            let client = reqwest::Client::builder().tls_certs_only([]).no_proxy().tcp_nodelay(true).build().unwrap();
            let (mut ours, mut bares, mut added) = (Vec::new(), Vec::new(), Vec::new());
            for time in 0..TIMES {
                let (one, other) = (ms(call(&*seat, &order).await), ms(bare(&client, &provider, &request).await));
                if time >= WARM_UP {
                    ours.push(one);
                    bares.push(other);
                    added.push(one - other);
                }
            }
            (median(ours), median(bares), median(added))
        });
        let what = format!("a call over HTTP, {service}, 4 kB answer");
        table.add(Row::new(what, ms_text(ours)).ideal(format!("{} (bare reqwest)", ms_text(bare)), ours / bare));
        own.push(added);
    }
    let most = own.into_iter().fold(f64::MIN, f64::max);
    table.add(Row::new("overhead of a call over HTTP, the slowest API", ms_text(most)).aim("< 1 ms", most < 1.0));
}

async fn call(seat: &dyn Seat, order: &Order) -> Duration {
    let (sender, _nobody) = tokio::sync::mpsc::unbounded_channel();
    let sink = ProgressSink::new(order.key.clone(), sender);
    let began = Instant::now();
    let answer = seat.answer(order, sink, CancellationToken::new()).await;
    let took = began.elapsed();
    assert!(answer.unwrap().text.len() > 3_000);
    took
}

/// The same request, and all of its response, read and thrown away.
async fn bare(client: &reqwest::Client, provider: &Provider, request: &Request) -> Duration {
    let body = request.body.to_string();
    let url = provider.base("ok") + &request.path;
    let began = Instant::now();
    let mut response = client.post(url).header("content-type", "application/json").body(body).send().await.unwrap();
    let mut bytes = 0;
    while let Some(part) = response.chunk().await.unwrap() {
        bytes += part.len();
    }
    let took = began.elapsed();
    assert!(bytes > 3_000);
    took
}

fn seat(provider: &Provider, service: &str) -> Box<dyn Seat> {
    let version = if matches!(service, "anthropic" | "google") { "" } else { "/v1" };
    let base_url = Some(format!("{}{version}", provider.base("ok")));
    let mut settings = Settings::default();
    settings.services.insert(service.to_owned(), ServiceSettings { base_url, ..ServiceSettings::default() });
    let keys = ["ANTHROPIC_API_KEY", "OPENAI_API_KEY", "GEMINI_API_KEY"].map(|name| (name.to_owned(), "key".to_owned()));
    let providers = Providers::new(&settings).with_variables(keys.to_vec());
    let spec = SeatSpec::parse(&format!("{service}:model")).unwrap();
    let plan = providers.plan(&spec, Effort::Low, Transport::Cli, Path::new("/")).unwrap();
    providers.open(&plan, Path::new("/"), None).unwrap()
}

fn order() -> Order {
    Order {
        key: StepKey::new("round-1/proposer"),
        setbacks: 0,
        thread: None,
        prompt: Prompt { system: "# Rules\n".repeat(200), user: format!("# Topic\n\n{}", "What was said. ".repeat(500)) },
        shape: Shape::Prose,
        output_tokens: 1_500,
        effort: Effort::Low,
        seed: 1,
        limit: Duration::from_mins(1),
    }
}
