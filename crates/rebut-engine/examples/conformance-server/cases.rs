//! The cases: what is asked of the server, and what must come of it.

use std::path::Path;
use std::time::Duration;

use futures_util::future::BoxFuture;
use rebut_core::debate::{Answer, Cause, Effort, Failure, Prompt, Shape, StepKey};
use rebut_engine::config::{ServiceApi, ServiceSettings, Settings};
use rebut_engine::providers::{Order, Progress, ProgressSink, Providers, Seat, SeatSpec, Transport};
use serde_json::{Value, json};
use tokio::sync::mpsc::unbounded_channel;
use tokio_util::sync::CancellationToken;

/// What was seen, or what is wrong with it.
pub(crate) type Outcome = Result<String, String>;

/// What a case gave, for each API.
type Seen = Vec<(&'static str, Outcome)>;

/// A case.
type Check = for<'a> fn(&'a Server) -> BoxFuture<'a, Seen>;

/// Every case.
pub(crate) const CASES: [(&str, Check); 7] = [
    ("found by its list of models", |server| Box::pin(async { vec![("chat", server.found())] })),
    ("success: the answer, streamed as it arrives, with model and usage", |server| Box::pin(server.over_each(success))),
    // Over Messages and Responses this server ignores a schema.
    ("schema: the answer is JSON that fits it", |server| {
        Box::pin(async { vec![("chat", schema(&*server.seat("chat")).await)] })
    }),
    ("seed: the same gives the same answer", |server| Box::pin(async { vec![("chat", seed(&*server.seat("chat")).await)] })),
    ("unknown model: answered by the model it has, which is named", |server| {
        Box::pin(async { vec![("chat", unknown_model(&*server.named("chat", "no-such-model")).await)] })
    }),
    ("too long: named as such", |server| Box::pin(server.over_each(too_long))),
    ("cancel: ended in the middle, and the next call is answered", |server| Box::pin(server.over_each(cancel))),
];

/// The APIs that it speaks, and the path below which each begins.
const APIS: [(&str, ServiceApi, &str); 3] =
    [("chat", ServiceApi::Chat, "/v1"), ("messages", ServiceApi::Messages, ""), ("responses", ServiceApi::Responses, "/v1")];

/// How long a call may take: the model is small, the machine may be busy.
const LIMIT: Duration = Duration::from_mins(3);

pub(crate) struct Server {
    providers: Providers,
}

impl Server {
    /// The server at this address, as a service for each API.
    pub(crate) fn at(base: &str) -> Self {
        let mut settings = Settings::default();
        for (name, api, path) in APIS {
            let base_url = Some(format!("{base}{path}"));
            let own = ServiceSettings { api: Some(api), base_url, ..ServiceSettings::default() };
            // Chat is what the built-in service speaks.
            let name = if name == "chat" { "llamacpp" } else { name };
            settings.services.insert(name.to_owned(), own);
        }
        Self { providers: Providers::new(&settings) }
    }

    /// The seat of the model that the server lists.
    fn seat(&self, api: &str) -> Box<dyn Seat> {
        self.open(if api == "chat" { "llamacpp" } else { api })
    }

    /// The seat of a named model.
    fn named(&self, api: &str, model: &str) -> Box<dyn Seat> {
        self.open(&format!("{}:{model}", if api == "chat" { "llamacpp" } else { api }))
    }

    fn open(&self, seat: &str) -> Box<dyn Seat> {
        let spec = SeatSpec::parse(seat).unwrap();
        let plan = self.providers.plan(&spec, Effort::Low, Transport::Cli, Path::new("/")).unwrap();
        self.providers.open(&plan, Path::new("/"), None).unwrap()
    }

    fn found(&self) -> Outcome {
        let found = self.providers.find_services(Effort::Low).seats;
        let ours = found.iter().find(|seat| seat.tool == "llamacpp").ok_or("it is not found")?;
        let model = ours.model.as_deref().unwrap_or_default();
        Ok(model.rsplit('/').next().unwrap_or_default().to_owned())
    }

    async fn over_each<F>(&self, check: fn(Box<dyn Seat>) -> F) -> Seen
    where
        F: Future<Output = Outcome>,
    {
        let mut seen = Vec::new();
        for (api, ..) in APIS {
            seen.push((api, check(self.seat(api)).await));
        }
        seen
    }
}

async fn success(seat: Box<dyn Seat>) -> Outcome {
    let (answer, pieces) = ask(&*seat, &order("Say in one sentence what a gateway is.", Shape::Prose)).await;
    let answer = answer.map_err(|failure| failure.to_string())?;
    expect(!answer.text.trim().is_empty(), "the answer is empty")?;
    expect(pieces.len() > 1 && pieces.concat() == answer.text, "it was not told as it arrived")?;
    expect(answer.model.is_some(), "the model is not named")?;
    expect(answer.usage.input_tokens > Some(0) && answer.usage.output_tokens > Some(0), "the usage is not known")?;
    Ok(if answer.transport == "http" { String::new() } else { answer.transport })
}

async fn schema(seat: &dyn Seat) -> Outcome {
    let schema = json!({ "type": "object", "additionalProperties": false, "required": ["winner", "certain"],
        "properties": { "winner": { "enum": ["proposer", "challenger"] }, "certain": { "type": "boolean" } } });
    let shape = Shape::Json { name: "verdict", schema };
    let (answer, _) = ask(seat, &order("Who argued better? Answer in JSON.", shape)).await;
    let answer = answer.map_err(|failure| failure.to_string())?;
    if answer.transport != "http" {
        return Ok(format!("it takes none: {}", answer.transport));
    }
    let value: Value = serde_json::from_str(&answer.text).map_err(|_| format!("it is no JSON: {}", answer.text))?;
    let fits = matches!(value["winner"].as_str(), Some("proposer" | "challenger")) && value["certain"].is_boolean();
    expect(fits, "it does not fit the schema")?;
    Ok(String::new())
}

async fn seed(seat: &dyn Seat) -> Outcome {
    let mut texts = Vec::new();
    for _ in 0..2 {
        let (answer, _) = ask(seat, &order("Name a river and say why you like it.", Shape::Prose)).await;
        texts.push(answer.map_err(|failure| failure.to_string())?.text);
    }
    expect(texts[0] == texts[1], "the answers differ")?;
    Ok(String::new())
}

async fn unknown_model(seat: &dyn Seat) -> Outcome {
    match ask(seat, &order("Say hello.", Shape::Prose)).await.0 {
        Ok(answer) => {
            let model = answer.model.unwrap_or_default();
            expect(model != "no-such-model", "it says that it is the model which it is not")?;
            Ok(format!("answered by {}", model.rsplit('/').next().unwrap_or_default()))
        }
        Err(failure) if failure.cause == Cause::UnknownModel => Ok("it refuses".to_owned()),
        Err(failure) => Err(failure.to_string()),
    }
}

async fn too_long(seat: Box<dyn Seat>) -> Outcome {
    let (answer, _) = ask(&*seat, &order(&"A long story about a gateway. ".repeat(3_000), Shape::Prose)).await;
    let failure = answer.err().ok_or("it was answered")?;
    expect(failure.cause == Cause::ContextTooLong, &failure.to_string())?;
    Ok(String::new())
}

async fn cancel(seat: Box<dyn Seat>) -> Outcome {
    let order = order("Tell a very long story about a river and all of its bridges.", Shape::Prose);
    let (sender, mut pieces) = unbounded_channel();
    let cancel = CancellationToken::new();
    let answer = seat.answer(&order, ProgressSink::new(order.key.clone(), sender), cancel.clone());
    let after_some_words = async {
        pieces.recv().await;
        cancel.cancel();
    };
    let (answer, ()) = tokio::join!(answer, after_some_words);
    let failure = answer.err().ok_or("it was answered to its end")?;
    expect(failure.cause == Cause::Cancelled, &failure.to_string())?;
    success(seat).await.map(|_| String::new())
}

async fn ask(seat: &dyn Seat, order: &Order) -> (Result<Answer, Failure>, Vec<String>) {
    let (sender, mut pieces) = unbounded_channel();
    let cancel = CancellationToken::new();
    let answer = seat.answer(order, ProgressSink::new(order.key.clone(), sender), cancel.clone());
    let late = || Err(Failure::new(Cause::Timeout, ""));
    let answer = tokio::time::timeout(LIMIT, answer).await.unwrap_or_else(|_| late());
    let mut texts = Vec::new();
    while let Ok((_, piece)) = pieces.try_recv() {
        if let Progress::Text(text) = piece {
            texts.push(text);
        }
    }
    (answer, texts)
}

fn order(task: &str, shape: Shape) -> Order {
    Order {
        key: StepKey::new("conformance"),
        setbacks: 0,
        thread: None,
        prompt: Prompt { system: "You are brief.".to_owned(), user: task.to_owned() },
        shape,
        output_tokens: 200,
        effort: Effort::Low,
        seed: 20_261_115,
        limit: LIMIT,
    }
}

fn expect(is: bool, else_what: &str) -> Result<(), String> {
    if is { Ok(()) } else { Err(else_what.to_owned()) }
}
