//! A seat of an embedded model.

use std::cell::Cell;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

use rebut_core::debate::{Answer, Cause, Cost, Failure, Shape, Usage};
use rebut_model::{GenerateOptions, Message, Model, ModelError, Reply, Session, Stop};
use tokio_util::sync::CancellationToken;

use super::super::{Answering, Lane, Order, Progress, ProgressSink, Seat};
use super::NAME;

/// The end of a statement that was cut at its longest.
const CUT: &str = " […]";

/// A seat with a memory of its own: what its prompts share is read once.
pub(super) struct LocalSeat {
    name: String,
    session: Arc<Mutex<Session>>,
}

impl LocalSeat {
    pub(super) fn new(model: &Arc<Model>) -> Self {
        Self { name: model.name().to_owned(), session: Arc::new(Mutex::new(model.session())) }
    }
}

impl Seat for LocalSeat {
    fn lane(&self) -> Lane {
        Lane { kind: "local", provider: NAME.into() }
    }

    fn answer<'a>(&'a self, order: &'a Order, progress: ProgressSink, cancel: CancellationToken) -> Answering<'a> {
        let session = Arc::clone(&self.session);
        let messages = [Message::system(order.prompt.system.clone()), Message::user(order.prompt.user.clone())];
        let schema = match &order.shape {
            Shape::Json { schema, .. } => Some(schema.clone()),
            Shape::Prose => None,
        };
        let is_prose = schema.is_none();
        let options = GenerateOptions {
            max_tokens: usize::try_from(order.output_tokens).unwrap_or(usize::MAX),
            seed: order.seed,
            schema,
            ..GenerateOptions::default()
        };
        Box::pin(async move {
            let began = Instant::now();
            // Computing takes all of a thread; the ones that wait for others must not be it.
            let computed = tokio::task::spawn_blocking(move || {
                let mut session = session.lock().unwrap_or_else(PoisonError::into_inner);
                let (mut said, repeats) = (String::new(), Cell::new(false));
                let mut piece = |text: &str| {
                    said.push_str(text);
                    repeats.set(is_prose && repeated_from(&said).is_some());
                    progress.tell(Progress::Text(text.to_owned()));
                };
                let is_over = || cancel.is_cancelled() || repeats.get();
                session.chat(&messages, &options, &is_over, &mut piece)
            });
            let reply = match computed.await {
                Ok(reply) => reply.map_err(|error| failure(&error))?,
                Err(_) => return Err(Failure::new(Cause::Exit, "the computation broke off; this is a fault in rebut")),
            };
            let duration_ms = u64::try_from(began.elapsed().as_millis()).unwrap_or(u64::MAX);
            self.conclude(reply, is_prose, duration_ms)
        })
    }
}

impl LocalSeat {
    fn conclude(&self, reply: Reply, is_prose: bool, duration_ms: u64) -> Result<Answer, Failure> {
        let usage = Usage {
            input_tokens: u64::try_from(reply.prompt_tokens).ok(),
            output_tokens: u64::try_from(reply.answer_tokens).ok(),
            cost: Some(Cost::default()),
        };
        let text = match reply.stop {
            Stop::Cancelled if is_prose && repeated_from(&reply.text).is_some() => without_repetition(&reply.text),
            Stop::Cancelled => return Err(Failure { usage, ..Failure::new(Cause::Cancelled, "") }),
            // A small model does not know when to end. What it said up to then is a statement, and shows where it was cut.
            Stop::MaxTokens if is_prose => cut(&reply.text),
            Stop::MaxTokens | Stop::EndOfTurn => reply.text,
        };
        let (model, transport) = (Some(self.name.clone()), NAME.to_owned());
        Ok(Answer { text, model, usage, session: None, duration_ms, transport })
    }
}

/// The text up to the end of its last whole sentence, with a mark that shows that it was cut.
fn cut(text: &str) -> String {
    let end = text.char_indices().rfind(|(at, c)| {
        matches!(c, '.' | '!' | '?' | '。') && text[at + c.len_utf8()..].chars().next().is_none_or(char::is_whitespace)
    });
    let end = end.map_or(text.len(), |(at, c)| at + c.len_utf8());
    format!("{}{CUT}", text[..end].trim_end())
}

/// The shortest sentence that counts as repeated, in bytes.
const SENTENCE: usize = 20;

/// Where a small model begins to say the same again, if the last whole sentence was there before: it goes on like that to
/// its longest answer.
fn repeated_from(text: &str) -> Option<usize> {
    let said = text.trim_end();
    let bare = said.strip_suffix(['.', '!', '?'])?;
    let at = bare.rfind(['.', '!', '?', '\n']).map_or(0, |at| at + 1);
    let sentence = said[at..].trim_start();
    (sentence.len() >= SENTENCE && said[..at].contains(sentence)).then_some(at)
}

fn without_repetition(text: &str) -> String {
    text[..repeated_from(text).unwrap_or(text.len())].trim_end().to_owned()
}

fn failure(error: &ModelError) -> Failure {
    let cause = match error {
        ModelError::ContextFull { .. } => Cause::ContextTooLong,
        _ => Cause::Exit,
    };
    Failure::new(cause, error.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_answer_that_is_cancelled_ends_in_the_middle_and_tells_what_it_took() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("tiny.gguf");
        std::fs::write(&path, rebut_fakes::tiny_model::TinyModel::default().bytes()).unwrap();
        let seat = LocalSeat::new(&Arc::new(Model::load(&path, rebut_model::LoadOptions::default()).unwrap()));
        // A list that cannot be at its end when its first words are heard.
        let schema = serde_json::json!({ "type": "array", "items": { "type": "integer" }, "minItems": 500 });
        let options = GenerateOptions { max_tokens: 1_900, seed: 1, schema: Some(schema), ..GenerateOptions::default() };
        // Cancelled at the first of them, before the next is computed.
        let heard = std::cell::Cell::new(false);
        let messages = [Message::system("Count."), Message::user("Now.")];
        let reply =
            seat.session.lock().unwrap().chat(&messages, &options, &|| heard.get(), &mut |_| heard.set(true)).unwrap();
        let failure = seat.conclude(reply, false, 0).unwrap_err();
        assert_eq!(failure.cause, Cause::Cancelled);
        assert!(failure.usage.output_tokens.is_some_and(|tokens| (1..100).contains(&tokens)), "{:?}", failure.usage);
    }

    #[test]
    fn what_is_said_again_ends_an_answer_before_it() {
        let text = "Fix the leak in the pool first. Then measure it. Fix the leak in the pool first.";
        assert_eq!(without_repetition(text), "Fix the leak in the pool first. Then measure it.");
        for text in
            ["", "Yes. Yes. Yes.", "Fix the leak in the pool first. Fix the leak in", "Fix the leak in the pool first."]
        {
            assert_eq!(repeated_from(text), None, "{text}");
        }
    }

    #[test]
    fn a_statement_that_is_cut_ends_with_a_whole_sentence_and_shows_it() {
        assert_eq!(cut("One. Two is 3.5 long! And th"), "One. Two is 3.5 long! […]");
        assert_eq!(cut("never ends"), "never ends […]");
    }
}
