//! A seat of a service: each call is a request, and the answer a stream.

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use rebut_core::debate::{Answer, Cause, Effort, Failure, Shape};
use rebut_core::formats::schema_text;
use reqwest::Response;
use reqwest::header::CONTENT_TYPE;
use tokio_util::sync::CancellationToken;

use super::api::{Ask, End, PartialAnswer, api};
use super::client::{self, Clients, Refusal};
use super::connection;
use super::failure::{self, Extra};
use super::key::{Key, Scrubber};
use super::no_model;
use super::services::{Service, ServiceError};
use super::sse::Events;
use crate::clock::Clock;
use crate::providers::cli::Variables;
use crate::providers::cli::output::answer;
use crate::providers::{Answering, Lane, Order, Progress, ProgressSink, Seat, TimeLimits};
use crate::redact::redact;
use crate::time_limits::{Late, Timer};

pub const NAME: &str = "http";

/// The most of a stream that is taken.
const MOST_BYTES: u64 = 8 << 20;

/// How long the end of a stream is waited for once the answer is there, so that the connection can be used again.
const AFTERWARDS: Duration = Duration::from_millis(250);

/// The longest name of a model that is written down.
const LONGEST_MODEL: usize = 300;

/// Seeds as every API takes them: those of Gemini have 31 bits.
const MOST_SEED: u64 = (1 << 31) - 1;

#[derive(Debug)]
pub(in crate::providers) struct HttpSeat {
    service: Service,
    model: String,
    key: Key,
    clients: Arc<Clients>,
    /// How long it may be silent before the first word of its answer, where a thought restarts the clock, and after that.
    /// The second limit applies to the response itself too.
    limits: TimeLimits,
    /// What the service has rejected: it is not asked for that again.
    refused: Mutex<BTreeSet<Extra>>,
}

impl HttpSeat {
    pub(in crate::providers) fn open(
        service: Service,
        model: Option<&str>,
        variable: &Variables<'_>,
        clients: Arc<Clients>,
        limits: TimeLimits,
    ) -> Result<Self, ServiceError> {
        let (_, key) = service.key(variable)?;
        let model = model.ok_or_else(|| no_model(&service, Effort::default()))?.to_owned();
        Ok(Self { service, model, key, clients, limits, refused: Mutex::default() })
    }
}

impl Seat for HttpSeat {
    fn lane(&self) -> Lane {
        Lane { kind: NAME, provider: self.service.name.clone().into() }
    }

    fn answer<'a>(&'a self, order: &'a Order, progress: ProgressSink, cancel: CancellationToken) -> Answering<'a> {
        Box::pin(async move {
            let answer = tokio::select! {
                biased;
                // Whatever is under way is dropped, and its connection closed.
                () = cancel.cancelled() => Err(Failure::new(Cause::Cancelled, "")),
                answer = self.ask(order, &progress) => answer,
            };
            answer.map_err(|failure| self.harmless(self.advised(failure)))
        })
    }
}

impl HttpSeat {
    /// Asks, and asks again without what the service refuses to know.
    async fn ask(&self, order: &Order, progress: &ProgressSink) -> Result<Answer, Failure> {
        loop {
            let extras = self.extras(order);
            let refusal = match self.send(order, &extras).await? {
                Ok(response) => {
                    let mut partial = PartialAnswer::default();
                    let ended = self.read_stream(response, &mut partial, progress, order.limit).await;
                    return self.conclude(partial, ended);
                }
                Err(refusal) => refusal,
            };
            let error = refusal.error.clone().unwrap_or_default();
            match Extra::refused(&error, refusal.status, &extras) {
                Some(extra) => {
                    progress.tell(Progress::Activity(format!("is asked again without {}", extra.names().0)));
                    self.refused().insert(extra);
                }
                None => return Err(self.failure(&refusal)),
            }
        }
    }

    /// What is asked for beside the question, the likeliest to be refused first.
    fn extras(&self, order: &Order) -> Vec<Extra> {
        let chat_options = self.service.chat_options;
        let refused = self.refused();
        let wanted = [
            (Extra::Schema, self.service.structured && matches!(order.shape, Shape::Json { .. })),
            (Extra::Usage, chat_options.asks_for_usage),
            (Extra::Effort, self.service.effort_word(order.effort).is_some()),
            (Extra::Seed, chat_options.seed.is_some() || self.service.api == crate::config::ServiceApi::Gemini),
        ];
        let asked = wanted.into_iter().filter(|(extra, wanted)| *wanted && !refused.contains(extra));
        asked.map(|(extra, _)| extra).collect()
    }

    fn refused(&self) -> std::sync::MutexGuard<'_, BTreeSet<Extra>> {
        self.refused.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Sends the question: a stream, or what came instead.
    async fn send(&self, order: &Order, extras: &[Extra]) -> Result<Result<Response, Refusal>, Failure> {
        let api = api(self.service.api);
        let with = |extra: Extra| extras.contains(&extra);
        let mut prompt = order.prompt.clone();
        let schema = match &order.shape {
            Shape::Json { name, schema } if with(Extra::Schema) => Some((*name, schema)),
            // A service that takes schemas and refused this one gets it in words.
            Shape::Json { schema, .. } if self.service.structured => {
                prompt.user = format!("{}\n\n{}", prompt.user, schema_text(schema));
                None
            }
            _ => None,
        };
        let mut chat_options = self.service.chat_options;
        chat_options.asks_for_usage = with(Extra::Usage);
        let ask = Ask {
            model: &self.model,
            prompt: &prompt,
            schema,
            effort: self.service.effort_word(order.effort).filter(|_| with(Extra::Effort)),
            cap: cap(order),
            seed: with(Extra::Seed).then_some(order.seed & MOST_SEED),
            chat_options,
        };
        let path = (api.path)(&self.model);
        let no_address = || Failure::new(Cause::Exit, "the service's address can't be built");
        let url = self.service.address(&path).ok_or_else(no_address)?;
        let client = self.clients.client(&url)?;
        let (headers, body) = (client::headers(api, &self.key), (api.body)(&ask).to_string());
        let sending = client.post(url).headers(headers).body(body).send();
        // A vendor's service answers soon, if only to say that it thinks; the user's own may read the prompt for minutes.
        let first_output = self.limits.stall.filter(|_| !self.service.is_own_server());
        let timer = Timer::start(TimeLimits { first_output, ..TimeLimits::default() });
        let late = |Late(wait)| Failure::new(Cause::Stalled, format!("no response for {} s", wait.as_secs_f64()));
        let sent = timer.wait(sending).await.map_err(late)?;
        let response = sent.map_err(|error| {
            let failure = client::no_connection(&error, &self.host());
            // A server may close a connection that was kept just when it is used again: that needs no wait.
            if connection::was_closed(&error) { Failure { retry_after_ms: Some(0), ..failure } } else { failure }
        })?;
        if !response.status().is_success() {
            return Ok(Err(client::refusal(response, &self.key).await));
        }
        if response.content_length().is_some_and(|length| length > MOST_BYTES) {
            return Err(Failure::new(Cause::TooLarge, "the response is larger than the limit"));
        }
        let kind = response.headers().get(CONTENT_TYPE).and_then(|kind| kind.to_str().ok()).unwrap_or_default();
        let what = match kind.split(';').next().unwrap_or_default().trim() {
            "text/event-stream" => return Ok(Ok(response)),
            "application/json" => match client::refusal(response, &self.key).await.error {
                Some(error) => return Err(failure::of(&error, None)),
                None => "not_a_stream",
            },
            "text/html" => "html",
            _ => "not_a_stream",
        };
        Err(Failure::unparsable(NAME, what).with_advice(self.address_advice()))
    }

    async fn read_stream(
        &self,
        mut response: Response,
        partial: &mut PartialAnswer,
        progress: &ProgressSink,
        limit: Duration,
    ) -> Result<(), Failure> {
        let api = api(self.service.api);
        let mut events = Events::default();
        let mut bytes = 0;
        let mut words = Scrubber::new(&self.key);
        // What keeps a connection open is no output. The user's own server may read the prompt for minutes, and says nothing
        // until it is through.
        let limits = self.limits.in_call(limit);
        let reads = self.service.is_own_server();
        let mut timer = Timer::start(if reads { TimeLimits { first_output: None, ..limits } } else { limits });
        loop {
            let part = match timer.wait(response.chunk()).await {
                Ok(part) => part.map_err(|error| broken(partial, &error))?,
                // The answer is there; only the end of the stream is not.
                Err(_) if partial.end.is_some() => None,
                Err(late) => return Err(late.failure()),
            };
            let Some(part) = part else { break };
            bytes += part.len() as u64;
            if bytes > MOST_BYTES {
                return Err(Failure::new(Cause::TooLarge, ""));
            }
            let (was_over, outputs) = (partial.is_over, partial.outputs());
            for event in events.take(&part)? {
                api.take(partial, &event, &self.key)?;
                for news in partial.news.drain(..) {
                    match news {
                        Progress::Text(text) => tell_text(progress, words.take(&text)),
                        other => progress.tell(other),
                    }
                }
            }
            if partial.is_over && !was_over {
                timer = Timer::start(TimeLimits::at_most(AFTERWARDS));
            } else if partial.outputs() > outputs && !was_over {
                // It is through with the prompt: from its first thought on, its own limit counts.
                if partial.began() {
                    timer.output();
                } else {
                    timer = Timer::start(limits);
                }
            }
        }
        tell_text(progress, words.end());
        Ok(())
    }

    /// The answer, or the failure with what it cost all the same.
    fn conclude(&self, mut partial: PartialAnswer, ended: Result<(), Failure>) -> Result<Answer, Failure> {
        if let Some(End::Refused(words)) = &mut partial.end {
            *words = self.key.scrub(words);
        }
        let rates = self.service.rates(&self.model).or_else(|| self.service.rates(partial.model.as_deref()?));
        let usage = partial.tokens.usage(rates);
        let text = ended.and_then(|()| partial.conclude()).map_err(|failure| Failure { usage, ..failure })?;
        let model = partial.model.as_deref().map(|model| self.key.scrub(model).chars().take(LONGEST_MODEL).collect());
        let session = partial.id.as_deref().map(|id| self.key.scrub(id));
        let answer = answer(&self.key.scrub(text), model, usage, session.as_deref())?;
        Ok(Answer { transport: self.transport(), ..answer })
    }

    /// How the answer came: what the service refused to know is written down with it.
    fn transport(&self) -> String {
        let refused = self.refused();
        let without: Vec<&str> = refused.iter().map(|extra| extra.names().0).collect();
        if without.is_empty() { NAME.to_owned() } else { format!("{NAME} without {}", without.join(", ")) }
    }

    fn failure(&self, refusal: &Refusal) -> Failure {
        if let Some(host) = &refusal.redirects_to {
            let detail = format!("HTTP {}: it redirects to {host}, which is not followed", refusal.status);
            return Failure::new(Cause::Exit, detail).with_advice(self.address_advice());
        }
        // An unknown path says nothing about the model.
        if refusal.status == 404 && refusal.error.is_none() {
            let detail = format!("HTTP 404: there is no such API at {}", self.service.base_url);
            return Failure::new(Cause::Exit, detail).with_advice(self.address_advice());
        }
        let mut failure = failure::of(&refusal.error.clone().unwrap_or_default(), Some(refusal.status));
        if failure.retry_after_ms.is_none() {
            failure.retry_after_ms = failure::retry_after(&refusal.headers, Clock::start().now());
        }
        failure
    }

    fn advised(&self, failure: Failure) -> Failure {
        if failure.advice.is_some() {
            return failure;
        }
        let Service { name, keys, start, .. } = &self.service;
        let advice = match (failure.cause, keys.first(), start) {
            (Cause::Auth, Some(variable), _) => format!("Set {variable} to a key that is valid."),
            (Cause::Auth, None, _) => format!("Name the variable that holds its key in `services.{name}.key_env`."),
            (Cause::UnknownModel, ..) => format!("Name another model: {name}:MODEL."),
            (Cause::ContextTooLong, ..) => "Attach less with --context, or name a model that reads more.".to_owned(),
            (Cause::Unavailable, _, Some(start)) => format!("If it is not running, {start}."),
            _ => return failure,
        };
        failure.with_advice(advice)
    }

    fn address_advice(&self) -> String {
        format!("Check the address: `services.{}.base_url` is now {}.", self.service.name, self.service.base_url)
    }

    /// The failure without the key and other secrets.
    fn harmless(&self, mut failure: Failure) -> Failure {
        failure.detail = redact(&self.key.scrub(&failure.detail)).into_owned();
        failure.advice = failure.advice.map(|advice| redact(&self.key.scrub(&advice)).into());
        failure
    }

    fn host(&self) -> String {
        let url = &self.service.base_url;
        let port = url.port_or_known_default().map_or_else(String::new, |port| format!(":{port}"));
        format!("{}{port}", url.host_str().unwrap_or_default())
    }
}

fn tell_text(progress: &ProgressSink, text: String) {
    if !text.is_empty() {
        progress.tell(Progress::Text(text));
    }
}

/// A stream that broke off: half an answer counts as truncated, and one that had not begun can be asked for again.
fn broken(partial: &PartialAnswer, error: &reqwest::Error) -> Failure {
    let cause = if partial.began() { Cause::Truncated } else { Cause::Unavailable };
    Failure::new(cause, format!("the connection broke off: {}", connection::reason(error)))
}

/// The most tokens an answer may have. Thinking counts too, and an answer that is cut off is worth nothing: the cap is
/// there for what runs away.
fn cap(order: &Order) -> u64 {
    let thinking = match order.effort {
        Effort::Low => 4_000,
        Effort::Medium => 8_000,
        Effort::High => 16_000,
        Effort::Max => 32_000,
    };
    4 * order.output_tokens + thinking
}
