//! A running agent: requests and replies over the pipes of a supervised child.

use std::io;
use std::process::ExitStatus;
use std::time::Duration;

use rebut_core::debate::{Cause, Failure};
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;

use super::turn::Turn;
use super::wire::{self, Message, RpcError};
use super::{failure, permission};
use crate::process::{Companion, Launch, Patience, Spoken, TempFolder};
use crate::providers::cli::PATIENCE_WITH_TRIES;
use crate::providers::cli::reading::stalled;
use crate::redact::redact;

/// The version of the protocol that is spoken.
const VERSION: u64 = 1;

/// How long an agent that tries again by itself is waited for.
const MOMENT: Duration = Duration::from_secs(5);

/// An agent that has answered `initialize`.
pub(super) struct Connection {
    companion: Companion,
    next_id: u64,
    closes_sessions: bool,
    takes_titles: bool,
    /// What failed, where a line of its standard error says that it tries again by itself.
    tries_again: Option<fn(&str) -> Option<Failure>>,
    /// Its home, with its temporary files. It is deleted after the agent has ended.
    _home: Option<TempFolder>,
}

/// How long a reply may take.
#[derive(Clone, Copy, Debug)]
pub(super) struct Wait {
    /// Until it is there, whatever else is said.
    pub(super) whole: Option<Duration>,
    /// Until the agent begins to answer.
    pub(super) first: Option<Duration>,
    /// Of silence, once it has begun.
    pub(super) stall: Option<Duration>,
}

impl Wait {
    pub(super) fn at_most(whole: Duration) -> Self {
        Self { whole: Some(whole), first: None, stall: None }
    }
}

/// Why there is no result.
#[derive(Debug)]
pub(super) enum Trouble {
    /// The agent said no. It can be asked other things.
    Refused(RpcError),
    /// The agent has ended.
    Ended(Option<ExitStatus>),
    /// It said more than is taken.
    TooMuch,
    /// It took too long.
    Late(Duration),
    /// It tries again and again by itself after this.
    TriesAgain(Box<Failure>),
    /// Nobody waits any more.
    Cancelled,
}

impl Connection {
    /// Starts an agent and greets it. Nothing is left of one that does not answer as an agent.
    pub(super) async fn open(
        launch: &Launch,
        patience: &Patience,
        wait: Duration,
        cancel: &CancellationToken,
    ) -> Result<Self, Failure> {
        let companion = Companion::start(launch, patience).map_err(|error| not_started(launch, &error))?;
        let mut connection =
            Self { companion, next_id: 1, closes_sessions: false, takes_titles: false, tries_again: None, _home: None };
        // Neither files nor terminals are offered: whatever an agent does, it must ask for by name.
        let hello = json!({
            "protocolVersion": VERSION,
            "clientCapabilities": { "fs": { "readTextFile": false, "writeTextFile": false }, "terminal": false },
            "clientInfo": { "name": "rebut", "title": "rebut", "version": env!("CARGO_PKG_VERSION") },
        });
        let answer = connection.ask("initialize", &hello, None, Wait::at_most(wait), cancel).await;
        let problem = match answer {
            Ok(answer) if answer["protocolVersion"] == VERSION => {
                let of_sessions = &answer["agentCapabilities"]["sessionCapabilities"];
                connection.closes_sessions = of_sessions["close"].is_object();
                connection.takes_titles = of_sessions["title"].is_object();
                return Ok(connection);
            }
            Ok(answer) => {
                let version = &answer["protocolVersion"];
                Failure::new(Cause::Exit, format!("it speaks version {version} of ACP, and rebut version {VERSION}"))
            }
            Err(trouble) => connection.failure(&trouble, false),
        };
        connection.end().await;
        Err(problem)
    }

    /// The same, with an ear for what it says only on standard error.
    pub(super) fn hearing_complaints(self, tries_again: Option<fn(&str) -> Option<Failure>>) -> Self {
        Self { tries_again, ..self }
    }

    /// The same, with the home that goes with it.
    pub(super) fn living_in(self, home: TempFolder) -> Self {
        Self { _home: Some(home), ..self }
    }

    /// Its process, as long as it lives.
    pub(super) fn id(&self) -> Option<u32> {
        self.companion.id()
    }

    pub(super) fn is_gone(&mut self) -> bool {
        self.companion.is_gone()
    }

    /// Whether a session can be given a title.
    pub(super) fn takes_titles(&self) -> bool {
        self.takes_titles
    }

    /// Begins a call of its own: as much as before may be said again.
    pub(super) fn begin_call(&mut self) {
        self.companion.begin_turn();
    }

    /// Asks for something and waits for the reply.
    pub(super) async fn ask(
        &mut self,
        method: &str,
        params: &Value,
        turn: Option<&mut Turn>,
        wait: Wait,
        cancel: &CancellationToken,
    ) -> Result<Value, Trouble> {
        let id = self.send(method, params);
        tokio::select! {
            biased;
            () = cancel.cancelled() => Err(Trouble::Cancelled),
            reply = self.reply(id, turn, wait) => reply,
        }
    }

    /// Asks for something; the reply can be waited for, or not.
    pub(super) fn send(&mut self, method: &str, params: &Value) -> u64 {
        let id = self.next_id;
        self.next_id += 1;
        self.companion.tell(&wire::request(id, method, params));
        id
    }

    /// Tells the agent to stop what it does in a session.
    pub(super) fn cancel(&mut self, session: &str) {
        self.companion.tell(&wire::notification("session/cancel", &json!({ "sessionId": session })));
    }

    /// Gives a session back, where the agent can take it; it is told with whatever it is told next.
    pub(super) fn close(&mut self, session: &str) {
        if self.closes_sessions {
            self.send("session/close", &json!({ "sessionId": session }));
        }
    }

    /// Waits for the reply to a request, and does what the agent asks for in the meantime. Safe to give up and begin
    /// again.
    pub(super) async fn reply(&mut self, id: u64, mut turn: Option<&mut Turn>, wait: Wait) -> Result<Value, Trouble> {
        let from_now = |wait: Duration| (tokio::time::Instant::now() + wait, wait);
        let (whole, first) = (wait.whole.map(from_now), wait.first.map(from_now));
        let mut tries: u32 = 0;
        let mut deeds = turn.as_ref().map_or(0, |turn| turn.deeds());
        let mut stall = wait.stall.map(from_now);
        let mut failed: Option<(Failure, (tokio::time::Instant, Duration))> = None;
        loop {
            let began = turn.as_ref().is_some_and(|turn| turn.began());
            let silence = if began { stall } else { first };
            let deadline = whole.into_iter().chain(silence).chain(failed.as_ref().map(|(_, end)| *end)).min();
            let spoken = match deadline {
                None => Ok(self.companion.hear().await),
                Some((at, wait)) => tokio::time::timeout_at(at, self.companion.hear()).await.map_err(|_| wait),
            };
            let spoken = match spoken {
                Ok(spoken) => spoken,
                Err(wait) => {
                    let in_vain = failed.filter(|(_, (end, _))| *end <= tokio::time::Instant::now());
                    return Err(in_vain.map_or(Trouble::Late(wait), |(why, _)| Trouble::TriesAgain(Box::new(why))));
                }
            };
            let line = match spoken {
                Spoken::Line(line) => line,
                Spoken::Complaint(line) => {
                    if let Some(failure) = self.tries_again.and_then(|failed| failed(&line)) {
                        tries += 1;
                        if tries >= PATIENCE_WITH_TRIES {
                            return Err(Trouble::TriesAgain(Box::new(failure)));
                        }
                        // Trying again is ours; it gets a moment for a proper word about it, or for a better answer.
                        failed = Some((failure, from_now(MOMENT)));
                    }
                    continue;
                }
                Spoken::TooMuch => return Err(Trouble::TooMuch),
                Spoken::Ended(status) => return Err(Trouble::Ended(status)),
            };
            match wire::read(&line) {
                Message::Reply { id: of, result } if of == id => return result.map_err(Trouble::Refused),
                Message::Notification { method, params } if method == "session/update" => {
                    if let Some(turn) = &mut turn {
                        turn.hear(&params);
                        if turn.deeds() > deeds {
                            deeds = turn.deeds();
                            stall = wait.stall.map(from_now);
                        }
                        failed = failed.filter(|_| !turn.began());
                        if let Some(failure) = turn.broken_off() {
                            return Err(Trouble::TriesAgain(Box::new(failure)));
                        }
                    }
                }
                Message::Request { id, method, params } if method == "session/request_permission" => {
                    let decision = turn.as_mut().map_or_else(permission::cancelled, |turn| turn.permit(&params));
                    stall = wait.stall.map(from_now);
                    self.companion.tell(&wire::reply(&id, &decision));
                }
                // It was offered nothing else.
                Message::Request { id, method, .. } => self.companion.tell(&wire::no_such_method(&id, &method)),
                // Replies that nobody waits for, news of other kinds, and noise.
                Message::Reply { .. } | Message::Notification { .. } | Message::Noise => {}
            }
        }
    }

    /// The failure that a trouble stands for.
    pub(super) fn failure(&self, trouble: &Trouble, answer_began: bool) -> Failure {
        let failure = match trouble {
            Trouble::Refused(error) => failure::of_error(error),
            Trouble::Ended(status) => failure::of_end(*status, &self.companion.complaints(), answer_began),
            Trouble::TooMuch => Failure::new(Cause::TooLarge, ""),
            Trouble::Late(wait) => stalled(*wait),
            Trouble::TriesAgain(failure) => (**failure).clone(),
            Trouble::Cancelled => Failure::new(Cause::Cancelled, ""),
        };
        self.complained(failure)
    }

    /// A failure with what the agent complained so far, for whoever looks into it.
    pub(super) fn complained(&self, failure: Failure) -> Failure {
        failure.with_complaints(&redact(&String::from_utf8_lossy(&self.companion.complaints())))
    }

    pub(super) async fn end(self) {
        self.companion.end().await;
    }
}

fn not_started(launch: &Launch, error: &io::Error) -> Failure {
    let cause = if error.kind() == io::ErrorKind::NotFound { Cause::NotInstalled } else { Cause::Exit };
    Failure::new(cause, format!("{} could not be started: {error}", launch.program.display()))
}
