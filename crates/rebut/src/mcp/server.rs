//! The tools at work: which call does what.

use std::collections::HashMap;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use rebut_core::debate::{Debate, DebateId, Status};
use rebut_core::report;
use rebut_engine::clock::Clock;
use rebut_engine::planning::Place;
use rebut_engine::shelf::{Shelf, Shelved};
use rmcp::RoleServer;
use rmcp::model::RequestId;
use rmcp::service::RequestContext;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;
use tokio::sync::watch;
use tokio::task::JoinHandle;

use super::inside::Folders;
use super::own::{Own, Said};
use super::pulse::Pulse;
use super::recent::Recent;
use super::start::Start;
use super::telling::{Standing, bounded, shortened, verdict_uri};
use super::tools::{
    Chosen, Follow, Line, Listed, Look, Mention, Nothing, One, Outcome, Provider, Providers, ToVerify, Verified,
};
use super::words::CommandLine;
use crate::commands::describe;
use crate::terminal::harmless;

/// How often a journal is looked at while its end is waited for.
const LOOK: Duration = Duration::from_millis(200);

/// Words by which a client says that it only waited too long.
const IMPATIENCE: [&str; 6] = ["timed out", "timeout", "time out", "deadline", "time limit", "too long"];

/// How long a debate has at least to be begun, whatever a client says: without its id nothing can be told of it.
const LEAST: Duration = Duration::from_secs(5);

/// How long the reason of a call that was taken back is waited for: it is on its way.
const WORD: Duration = Duration::from_secs(2);

/// The most debates that are listed.
const MOST_LISTED: usize = 100;

/// The most citations that are told one by one.
const MOST_MENTIONS: usize = 200;

/// The server of one client.
pub(super) struct Server {
    own: Own,
    pub(super) shelf: Shelf,
    recent: Arc<Recent>,
    /// The folder that the client was started in.
    here: PathBuf,
    clock: Clock,
    patience: Duration,
    /// Calls that the client took back, with its reason.
    pub(super) taken_back: watch::Sender<HashMap<RequestId, String>>,
}

/// What a tool answers: text for the model, a value for programs.
pub(super) struct Answer {
    pub(super) text: String,
    pub(super) value: Value,
}

/// An answer, or what the caller did wrong or can mend.
pub(super) type Answered = Result<Answer, String>;

impl Server {
    pub(super) fn new(own: Own, shelf: Shelf, place: &Place, patience: Duration) -> Self {
        let recent = Arc::new(Recent::in_workspace(place.workspace.clone()));
        let (here, taken_back) = (place.folder.clone(), watch::Sender::default());
        Self { own, shelf, recent, here, clock: Clock::start(), patience, taken_back }
    }

    /// The client's debates, newest first: those of its workspace and its roots, and those that it began.
    pub(super) async fn debates(&self, context: &RequestContext<RoleServer>) -> Result<Vec<Shelved>, String> {
        let folders = Folders::of(&self.here, context).await;
        let all = self.shelf.all().map_err(|error| error.to_string())?;
        let is_its_own = |shelved: &Shelved| {
            self.recent.began(&shelved.id) || shelved.read().is_ok_and(|debate| folders.hold(&debate.plan().workspace))
        };
        Ok(all.into_iter().rev().filter(is_its_own).take(MOST_LISTED).collect())
    }

    /// A debate of the client's by a part of its id, or `last`.
    pub(super) async fn own_debate(&self, id: &str, context: &RequestContext<RoleServer>) -> Result<Debate, String> {
        let (shelved, debate) = self.read(id)?;
        let folders = Folders::of(&self.here, context).await;
        if self.recent.began(&shelved.id) || folders.hold(&debate.plan().workspace) {
            return Ok(debate);
        }
        Err(format!("{} is of another workspace", shelved.id))
    }

    /// Does what a tool does; none where there is no such tool.
    pub(super) async fn answer(
        &self,
        name: &str,
        arguments: Value,
        context: &RequestContext<RoleServer>,
    ) -> Option<Answered> {
        let answered = match name {
            "debate_start" => self.start(read(arguments), context).await,
            "debate_status" => self.status(read(arguments), context).await,
            "debate_result" => self.result(read(arguments), context).await,
            "debate_cancel" => self.cancel(read(arguments), context).await,
            "debate_choose" => self.choose(read(arguments), context).await,
            "debate_list" => self.list(read(arguments)),
            "verify" => self.verify(read(arguments), context).await,
            "providers" => self.providers(read(arguments), context).await,
            _ => return None,
        };
        // Nobody asks any more why this call was taken back.
        self.taken_back.send_if_modified(|reasons| reasons.remove(&context.id).is_some());
        Some(answered)
    }

    async fn start(&self, start: Result<Start, String>, context: &RequestContext<RoleServer>) -> Answered {
        let start = start?;
        let client = context.client_info().map(|client| client.name);
        let CommandLine { format, mut words, command } = start.line(client.as_deref())?;
        let folders = Folders::of(&self.here, context).await;
        let folder = folders.folder(start.folder.as_deref())?;
        for file in command.asked().every_file() {
            folders.check(&folder, &file)?;
        }
        words.insert(0, format.as_str().to_owned());
        let until = tokio::time::Instant::now() + self.patience_of(start.wait_seconds, self.patience);
        let begun = {
            let (own, recent) = (self.own.clone(), Arc::clone(&self.recent));
            recent.prepares();
            // It goes on though nobody waits for it any more.
            tokio::spawn(async move {
                let said = own.call_in(&folder, &words).await;
                recent.prepared(said.as_ref().ok().and_then(begun_id));
                said
            })
        };
        let mut pulse = Pulse::new();
        let prepared_by = until.max(tokio::time::Instant::now() + LEAST);
        let Some(said) = self.prepared(begun, prepared_by, &mut pulse, context).await else {
            return Err(
                "The debate is still being prepared, and begins by itself: debate_status with the id `last` tells of \
                        it in a few seconds."
                    .to_owned(),
            );
        };
        let said = said?;
        // A review of nothing ends without having begun.
        let id = begun_id(&said).ok_or_else(|| said.text.trim().to_owned())?;
        let left = until.saturating_duration_since(tokio::time::Instant::now());
        let standing = self.follow(id.as_str(), left, &mut pulse, context).await?;
        if context.ct.is_cancelled() && self.is_unwanted(&context.id).await {
            // The person does not want it any more. What was answered is kept.
            self.recent.find(&self.shelf, id.as_str())?.ask_to_stop().map_err(|error| {
                format!("The call was taken back, but the debate goes on: {error}\nStop it with: rebut cancel {id}")
            })?;
        }
        tell(&standing)
    }

    /// What came of beginning a debate; none where it takes longer than the client waits.
    async fn prepared(
        &self,
        mut begun: JoinHandle<Result<Said, String>>,
        until: tokio::time::Instant,
        pulse: &mut Pulse,
        context: &RequestContext<RoleServer>,
    ) -> Option<Result<Said, String>> {
        loop {
            tokio::select! {
                said = &mut begun => return Some(said.unwrap_or_else(|error| Err(error.to_string()))),
                () = tokio::time::sleep_until(until) => return None,
                () = pulse.beat(context, || "the debate is being prepared".to_owned()) => {}
            }
        }
    }

    async fn status(&self, follow: Result<Follow, String>, context: &RequestContext<RoleServer>) -> Answered {
        let Follow { id, wait_seconds } = follow?;
        let patience = self.patience_of(wait_seconds, Duration::ZERO);
        tell(&self.follow(&id, patience, &mut Pulse::new(), context).await?)
    }

    async fn result(&self, follow: Result<Follow, String>, context: &RequestContext<RoleServer>) -> Answered {
        let Follow { id, wait_seconds } = follow?;
        let patience = self.patience_of(wait_seconds, Duration::ZERO);
        let standing = self.follow(&id, patience, &mut Pulse::new(), context).await?;
        if !standing.ended {
            return Err(format!("There is no result yet. {}\n{}", standing.line(), standing.next));
        }
        let (_, debate) = self.read(&standing.id)?;
        let conclusion = bounded(&harmless(&report::conclusion(&debate)), &verdict_uri(&standing.id));
        let text = format!("{}\n\n{conclusion}\n\nTranscript: {}", standing.line(), standing.transcript);
        let Standing { id, status, transcript, folder, .. } = standing;
        answer(text, &Outcome { id, status, conclusion, transcript, folder })
    }

    async fn cancel(&self, one: Result<One, String>, context: &RequestContext<RoleServer>) -> Answered {
        let One { id } = one?;
        self.until_prepared(&id, Duration::ZERO).await;
        let (shelved, debate) = self.read(&id)?;
        // To stop what is stopped is to find it so.
        if shelved.is_running() || debate.status() != Status::Cancelled {
            let asked = self.own.call(words(&["cancel", shelved.id.as_str()])).await;
            // It may have come to its stop while it was asked to.
            let is_stopped =
                || self.read(&id).is_ok_and(|(now, debate)| !now.is_running() && debate.status() == Status::Cancelled);
            if let Err(error) = asked
                && !is_stopped()
            {
                return Err(error);
            }
        }
        tell(&self.follow(shelved.id.as_str(), self.patience, &mut Pulse::new(), context).await?)
    }

    async fn choose(&self, chosen: Result<Chosen, String>, context: &RequestContext<RoleServer>) -> Answered {
        let Chosen { id, option, wait_seconds } = chosen?;
        self.until_prepared(&id, Duration::ZERO).await;
        let (shelved, _) = self.read(&id)?;
        self.own.call(words(&["choose", shelved.id.as_str(), "--", &option])).await?;
        let patience = self.patience_of(wait_seconds, Duration::ZERO);
        tell(&self.follow(shelved.id.as_str(), patience, &mut Pulse::new(), context).await?)
    }

    fn list(&self, nothing: Result<Nothing, String>) -> Answered {
        let Nothing {} = nothing?;
        let all = self.shelf.all().map_err(|error| error.to_string())?;
        let debates: Vec<Line> = all[all.len().saturating_sub(MOST_LISTED)..]
            .iter()
            .map(|shelved| {
                let (status, topic) = describe(shelved);
                Line { id: shelved.id.to_string(), status: status.to_owned(), topic: shortened(&topic) }
            })
            .collect();
        let lines: Vec<String> =
            debates.iter().map(|line| format!("{}  {}  {}", line.id, line.status, line.topic)).collect();
        let mut text = if lines.is_empty() { "There are no debates yet.".to_owned() } else { lines.join("\n") };
        if all.len() > debates.len() {
            text = format!("(Of {} debates the newest {} are listed.)\n{text}", all.len(), debates.len());
        }
        answer(text, &Listed { debates })
    }

    async fn verify(&self, wanted: Result<ToVerify, String>, context: &RequestContext<RoleServer>) -> Answered {
        let ToVerify { text, folder } = wanted?;
        let folder = Folders::of(&self.here, context).await.folder(folder.as_deref())?;
        let said = self.look(words(&["verify", "-"]), Some(&folder), Some(&text), context).await?;
        let found = said.last("mentions").ok_or_else(|| said.text.trim().to_owned())?;
        let findings: Vec<Mention> = told(&found["findings"])?;
        let verified = Verified {
            findings: findings.into_iter().take(MOST_MENTIONS).collect(),
            failed: found["failed"].as_u64().unwrap_or(0),
        };
        let lines: Vec<&str> = said.text.trim().lines().collect();
        let mut text: Vec<&str> = lines.iter().take(MOST_MENTIONS).copied().collect();
        if lines.len() > MOST_MENTIONS {
            text.extend(["(the rest is left out)"].iter().chain(lines.last()));
        }
        answer(text.join("\n"), &verified)
    }

    async fn providers(&self, look: Result<Look, String>, context: &RequestContext<RoleServer>) -> Answered {
        let line = if look?.probe { words(&["doctor", "--probe"]) } else { words(&["doctor"]) };
        let said = self.look(line, None, None, context).await?;
        let providers = said.lines().iter().filter(|line| line["name"].is_string());
        let providers: Vec<Provider> = providers.map(told).collect::<Result<_, _>>()?;
        let text: Vec<String> = providers.iter().map(provider_line).collect();
        answer(text.join("\n"), &Providers { providers })
    }

    /// What a command tells that changes nothing: it ends with the call that asked for it.
    async fn look(
        &self,
        line: Vec<OsString>,
        folder: Option<&Path>,
        input: Option<&str>,
        context: &RequestContext<RoleServer>,
    ) -> Result<Said, String> {
        let mut pulse = Pulse::new();
        let mut looking = std::pin::pin!(self.own.look(line, folder, input));
        loop {
            tokio::select! {
                said = &mut looking => return said,
                () = context.ct.cancelled() => return Err("the call was taken back".to_owned()),
                () = pulse.beat(context, || "rebut is looking".to_owned()) => {}
            }
        }
    }

    /// Where a debate stands once it rests, or once patience or the client is at its end.
    async fn follow(
        &self,
        id: &str,
        patience: Duration,
        pulse: &mut Pulse,
        context: &RequestContext<RoleServer>,
    ) -> Result<Standing, String> {
        let until = tokio::time::Instant::now() + patience;
        self.until_prepared(id, patience).await;
        // Found once: `last` may be another one in a moment.
        let shelved = self.recent.find(&self.shelf, id)?;
        pulse.quicken();
        loop {
            let running = shelved.is_running();
            let debate = read_debate(&shelved)?;
            let standing = Standing::of(&shelved, running, &debate, self.clock.now());
            let is_enough = standing.rests() || tokio::time::Instant::now() >= until;
            if (is_enough && !standing.changes_hands()) || context.ct.is_cancelled() {
                return Ok(standing);
            }
            tokio::select! {
                () = tokio::time::sleep(LOOK) => {}
                () = context.ct.cancelled() => {}
                () = pulse.beat(context, || standing.line()) => {}
            }
        }
    }

    /// Waits while `last` has no id yet, which is a matter of moments.
    async fn until_prepared(&self, id: &str, patience: Duration) {
        let until = tokio::time::Instant::now() + patience.max(LEAST);
        while id == "last" && self.recent.is_preparing() && tokio::time::Instant::now() < until {
            tokio::time::sleep(LOOK).await;
        }
    }

    /// A debate by a part of its id, or `last`.
    pub(super) fn read(&self, id: &str) -> Result<(Shelved, Debate), String> {
        let shelved = self.recent.find(&self.shelf, id)?;
        let debate = read_debate(&shelved)?;
        Ok((shelved, debate))
    }

    /// How long to wait: as asked for, but never so long that a call would look dead.
    fn patience_of(&self, seconds: Option<f64>, usual: Duration) -> Duration {
        let asked = seconds.map(|seconds| Duration::try_from_secs_f64(seconds.max(0.0)).unwrap_or(self.patience));
        asked.unwrap_or(usual).min(self.patience)
    }

    /// Whether a call that was taken back is one that nobody wants any more. A client that has lost its patience wants it
    /// still, and so does one that gives no reason or is gone without a word.
    async fn is_unwanted(&self, id: &RequestId) -> bool {
        let mut reasons = self.taken_back.subscribe();
        let told = tokio::time::timeout(WORD, reasons.wait_for(|reasons| reasons.contains_key(id))).await;
        let Ok(Ok(reasons)) = told else { return false };
        let reason = reasons[id].to_lowercase();
        drop(reasons);
        self.taken_back.send_modify(|reasons| drop(reasons.remove(id)));
        !reason.is_empty() && !IMPATIENCE.iter().any(|word| reason.contains(word))
    }
}

/// The id of the debate that a command has begun and left to a worker.
fn begun_id(said: &Said) -> Option<DebateId> {
    DebateId::parse(said.last("detached")?["id"].as_str()?)
}

fn read_debate(shelved: &Shelved) -> Result<Debate, String> {
    shelved.read().map_err(|error| format!("{error}\n{}", error.hint()))
}

fn read<T: DeserializeOwned>(arguments: Value) -> Result<T, String> {
    serde_json::from_value(arguments).map_err(|error| format!("the arguments cannot be read: {error}"))
}

/// What this same program has told, as what it is.
fn told<T: DeserializeOwned>(value: &Value) -> Result<T, String> {
    T::deserialize(value).map_err(|error| format!("rebut does not understand itself: {error}"))
}

fn answer(text: String, value: &impl Serialize) -> Answered {
    let value = serde_json::to_value(value).map_err(|error| format!("the answer cannot be written: {error}"))?;
    Ok(Answer { text, value })
}

/// Where a debate stands, as text and as a value.
fn tell(standing: &Standing) -> Answered {
    let Standing { said, next, .. } = standing;
    let parts = [Some(standing.line()), Some(said.clone()), standing.choice_text(), Some(next.clone())];
    answer(parts.into_iter().flatten().collect::<Vec<_>>().join("\n\n"), standing)
}

/// A provider in a line.
fn provider_line(provider: &Provider) -> String {
    let Provider { name, version, missing, probe, .. } = provider;
    let how = match missing {
        _ if provider.can_be_seated => {
            let version = version.as_ref().map(|version| format!(" {version}")).unwrap_or_default();
            let asked = probe.as_ref().map(|probe| format!("; asked: {}", Value::Object(probe.clone()))).unwrap_or_default();
            format!("can take a seat{version}{asked}")
        }
        Some(missing) => format!("cannot take a seat: {missing}"),
        None => "cannot take a seat yet".to_owned(),
    };
    format!("{name}: {how}")
}

fn words(words: &[&str]) -> Vec<OsString> {
    words.iter().map(OsString::from).collect()
}
