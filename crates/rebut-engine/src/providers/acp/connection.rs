//! A running agent: requests and replies over the pipes of a supervised child.

use std::process::ExitStatus;
use std::time::Duration;

use rebut_core::debate::{Cause, Failure};
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;

use super::agent::{AcpCommand, Given, not_set_up};
use super::turn::Turn;
use super::wire::{self, Message, RpcError};
use super::{failure, permission};
use crate::process::{ChildEvent, ChildLimits, Subprocess, TempFolder};
use crate::providers::cli::MOST_RETRIES;
use crate::providers::seat::not_started;
use crate::redact::redact;
use crate::time_limits::{Late, TimeLimits, Timer};

const VERSION: u64 = 1;

/// How long to wait for an agent that retries.
const MOMENT: Duration = Duration::from_secs(5);

/// An agent that has answered `initialize`.
pub(super) struct Connection {
    subprocess: Subprocess,
    next_id: u64,
    owes_a_reply: bool,
    closes_sessions: bool,
    takes_titles: bool,
    /// What failed, if a line of its standard error says that it retries.
    retrying: Option<fn(&str) -> Option<Failure>>,
    /// Its home, with its temporary files. It is deleted after the agent has ended.
    _home: TempFolder,
}

#[derive(Debug)]
pub(super) enum RequestError {
    /// The agent refused; it can be asked again.
    Refused(RpcError),
    Ended(Option<ExitStatus>),
    TooMuch,
    Late(Late),
    /// It keeps retrying after this failure, or answered what is no answer.
    Failed(Box<Failure>),
    Cancelled,
}

impl Connection {
    /// Starts an agent, in a home of its own, and greets it. Nothing is left of one that does not answer as an agent.
    pub(super) async fn open(
        command: &AcpCommand,
        given: Given<'_>,
        child_limits: &ChildLimits,
        wait: Duration,
        cancel: &CancellationToken,
    ) -> Result<Self, Failure> {
        let home = command.scratch().map_err(|error| not_set_up(&error))?;
        let launch = command.launch(given, &home).map_err(|error| not_set_up(&error))?;
        let subprocess = Subprocess::start(&launch, child_limits).map_err(|error| not_started(&launch.program, &error))?;
        // While it starts, only the limit of its greeting counts.
        let retrying = command.tool.map(|tool| tool.retrying);
        let mut connection = Self {
            subprocess,
            next_id: 1,
            owes_a_reply: false,
            closes_sessions: false,
            takes_titles: false,
            retrying: None,
            _home: home,
        };
        // We offer neither files nor terminals, so the agent must ask permission for whatever it does.
        let hello = json!({
            "protocolVersion": VERSION,
            "clientCapabilities": { "fs": { "readTextFile": false, "writeTextFile": false }, "terminal": false },
            "clientInfo": { "name": "rebut", "title": "rebut", "version": env!("CARGO_PKG_VERSION") },
        });
        let answer = connection.ask("initialize", &hello, None, TimeLimits::at_most(wait), cancel).await;
        let problem = match answer {
            Ok(answer) if answer["protocolVersion"] == VERSION => {
                let of_sessions = &answer["agentCapabilities"]["sessionCapabilities"];
                connection.closes_sessions = of_sessions["close"].is_object();
                connection.takes_titles = of_sessions["title"].is_object();
                let Some(method) = (command.quirks.auth_method)(&answer) else {
                    return Ok(Self { retrying, ..connection });
                };
                let method = json!({ "methodId": method });
                match connection.ask("authenticate", &method, None, TimeLimits::at_most(wait), cancel).await {
                    Ok(_) => return Ok(Self { retrying, ..connection }),
                    Err(error) => connection.failure(&error, false),
                }
            }
            Ok(answer) => {
                let version = &answer["protocolVersion"];
                Failure::new(Cause::Exit, format!("it speaks version {version} of ACP, and rebut version {VERSION}"))
            }
            Err(error) => connection.failure(&error, false),
        };
        connection.end().await;
        Err(problem)
    }

    pub(super) fn id(&self) -> Option<u32> {
        self.subprocess.id()
    }

    pub(super) fn is_gone(&mut self) -> bool {
        self.subprocess.is_gone()
    }

    /// Whether it has not answered what it was asked last, so that it is not in good order.
    pub(super) fn owes_a_reply(&self) -> bool {
        self.owes_a_reply
    }

    pub(super) fn takes_titles(&self) -> bool {
        self.takes_titles
    }

    pub(super) fn begin_call(&mut self) {
        self.subprocess.begin_turn();
    }

    pub(super) async fn ask(
        &mut self,
        method: &str,
        params: &Value,
        turn: Option<&mut Turn<'_>>,
        limits: TimeLimits,
        cancel: &CancellationToken,
    ) -> Result<Value, RequestError> {
        let id = self.send(method, params);
        tokio::select! {
            biased;
            () = cancel.cancelled() => Err(RequestError::Cancelled),
            reply = self.reply(id, turn, limits) => reply,
        }
    }

    /// Opens a session; what it offers.
    pub(super) async fn new_session(
        &mut self,
        params: &Value,
        wait: Duration,
        cancel: &CancellationToken,
    ) -> Result<Value, RequestError> {
        let offer = self.ask("session/new", params, None, TimeLimits::at_most(wait), cancel).await?;
        let no_session = || RequestError::Failed(Box::new(Failure::unparsable("acp", "no_session")));
        Some(offer).filter(|offer| offer["sessionId"].is_string()).ok_or_else(no_session)
    }

    /// Asks for something; the reply can be waited for, or not.
    pub(super) fn send(&mut self, method: &str, params: &Value) -> u64 {
        let id = self.next_id;
        self.next_id += 1;
        self.owes_a_reply = true;
        self.subprocess.send_line(&wire::request(id, method, params));
        id
    }

    pub(super) fn cancel(&mut self, session: &str) {
        self.subprocess.send_line(&wire::notification("session/cancel", &json!({ "sessionId": session })));
    }

    pub(super) fn close(&mut self, session: &str) {
        if self.closes_sessions {
            self.send("session/close", &json!({ "sessionId": session }));
        }
    }

    /// Waits for the reply to a request, and handles the agent's own requests meanwhile. Cancel safe.
    pub(super) async fn reply(
        &mut self,
        id: u64,
        mut turn: Option<&mut Turn<'_>>,
        limits: TimeLimits,
    ) -> Result<Value, RequestError> {
        let mut timer = Timer::start(limits);
        let mut tries: u32 = 0;
        let mut actions = turn.as_ref().map_or(0, |turn| turn.actions());
        let mut failed: Option<(Failure, Timer)> = None;
        loop {
            let hear = timer.wait(self.subprocess.next_event());
            let spoken = match &failed {
                None => hear.await,
                Some((why, moment)) => match moment.wait(hear).await {
                    Ok(spoken) => spoken,
                    Err(_) => return Err(RequestError::Failed(Box::new(why.clone()))),
                },
            };
            let spoken = spoken.map_err(RequestError::Late)?;
            let line = match spoken {
                ChildEvent::Line(line) => line,
                ChildEvent::ErrorLine(line) => {
                    if let Some(failure) = self.retrying.and_then(|failed| failed(&line)) {
                        tries += 1;
                        if tries >= MOST_RETRIES {
                            return Err(RequestError::Failed(Box::new(failure)));
                        }
                        // Retries are ours; it gets a moment to explain the failure, or to answer after all.
                        failed = Some((failure, Timer::start(TimeLimits::at_most(MOMENT))));
                    }
                    continue;
                }
                ChildEvent::TooLarge => return Err(RequestError::TooMuch),
                ChildEvent::Ended(status) => return Err(RequestError::Ended(status)),
            };
            match wire::read(&line) {
                Message::Reply { id: of, result } if of == id => {
                    self.owes_a_reply = false;
                    return result.map_err(RequestError::Refused);
                }
                Message::Notification { method, params } if method == "session/update" => {
                    if let Some(turn) = &mut turn {
                        turn.hear(&params);
                        if turn.actions() > actions {
                            actions = turn.actions();
                            timer.output();
                        }
                        failed = failed.filter(|_| !turn.began());
                        if let Some(failure) = turn.broken_off() {
                            return Err(RequestError::Failed(Box::new(failure)));
                        }
                    }
                }
                Message::Request { id, method, params } if method == "session/request_permission" => {
                    let decision = turn.as_mut().map_or_else(permission::cancelled, |turn| turn.permit(&params));
                    timer.output();
                    self.subprocess.send_line(&wire::reply(&id, &decision));
                }
                // We offer no other methods.
                Message::Request { id, method, .. } => self.subprocess.send_line(&wire::no_such_method(&id, &method)),
                // Late replies, notifications of other kinds, and noise.
                Message::Reply { .. } | Message::Notification { .. } | Message::Noise => {}
            }
        }
    }

    pub(super) fn failure(&self, error: &RequestError, answer_began: bool) -> Failure {
        let failure = match error {
            RequestError::Refused(error) => failure::of_error(error),
            RequestError::Ended(status) => failure::of_end(*status, &self.subprocess.stderr(), answer_began),
            RequestError::TooMuch => Failure::new(Cause::TooLarge, ""),
            RequestError::Late(late) => late.failure(),
            RequestError::Failed(failure) => (**failure).clone(),
            RequestError::Cancelled => Failure::new(Cause::Cancelled, ""),
        };
        self.with_stderr(failure)
    }

    /// A failure with what the agent wrote to standard error.
    pub(super) fn with_stderr(&self, failure: Failure) -> Failure {
        failure.with_complaints(&redact(&String::from_utf8_lossy(&self.subprocess.stderr())))
    }

    pub(super) async fn end(self) {
        self.subprocess.end().await;
    }
}
