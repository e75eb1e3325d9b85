//! The tools at work: each calls what the command of the same purpose calls, and says what came of it.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use rebut_core::debate::{Debate, DebateId, NewVersion, Plan, Status};
use rebut_core::report;
use rebut_engine::clock::Clock;
use rebut_engine::config::ProjectFiles;
use rebut_engine::planning::Host;
use rebut_engine::session::{Follower, Start};
use rebut_engine::store::{self, FileStore, Store};
use rmcp::RoleServer;
use rmcp::model::{JsonObject, RequestId};
use rmcp::service::RequestContext;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;
use tokio::sync::watch;
use tokio::task::JoinHandle;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use super::folders::Folders;
use super::pulse::Pulse;
use super::recent::Recent;
use super::request::Request;
use super::standing::{Standing, bounded, shortened, verdict_uri};
use super::tools::{Chosen, Follow, Line, Listed, Look, Nothing, One, Outcome, Provider, Providers, ToVerify, Verified};
use crate::cli::Shared;
use crate::commands::{choose, doctor, remaining_findings, verify};
use crate::desk::Desk;
use crate::error::CommandError;
use crate::running;
use crate::starting::{Prepared, Ready};
use crate::terminal::{Screen, harmless};

/// How often a journal is read while its end is waited for.
const LOOK: Duration = Duration::from_millis(200);

/// Words by which a client says that it only waited too long.
const IMPATIENCE: [&str; 6] = ["timed out", "timeout", "time out", "deadline", "time limit", "too long"];

/// How long the start of a debate is waited for at least: without its id there is nothing to say.
const LEAST: Duration = Duration::from_secs(5);

/// How long the reason of a cancelled call is waited for: it is on its way.
const REASON: Duration = Duration::from_secs(2);

/// The most debates that are listed.
const MOST_LISTED: usize = 100;

/// The most mentions that are reported one by one.
const MOST_MENTIONS: usize = 200;

/// The server of one client.
pub(super) struct Server {
    surroundings: Surroundings,
    store: FileStore,
    /// The folder for what is rendered from debates.
    state: PathBuf,
    recent: Arc<Recent>,
    /// The folder that the client was started in.
    here: PathBuf,
    clock: Clock,
    patience: Duration,
    /// Calls that the client cancelled, with its reason.
    pub(super) cancelled: watch::Sender<HashMap<RequestId, String>>,
}

/// What a desk in any folder is set up with.
#[derive(Clone)]
struct Surroundings {
    shared: Shared,
    screen: Screen,
}

impl Surroundings {
    fn desk(&self, folder: &Path, project: ProjectFiles) -> Result<Desk, CommandError> {
        Desk::at(folder.to_owned(), &self.shared, &self.screen, project)
    }
}

/// What a tool answers: text for the model, a value for programs.
pub(super) struct Answer {
    pub(super) text: String,
    pub(super) value: Value,
}

/// An answer, or what the caller can put right.
pub(super) type Answered = Result<Answer, String>;

/// What came of starting a debate.
enum Started {
    Debate { id: DebateId, understood: Option<String> },
    Planned(Box<Plan>),
    Nothing(String),
}

impl Server {
    pub(super) fn new(desk: &Desk, shared: Shared, patience: Duration) -> Self {
        // From another folder it must be the same one.
        let state_dir = shared.state_dir.map(|dir| desk.place.folder.join(dir));
        Self {
            surroundings: Surroundings { shared: Shared { state_dir, ..shared }, screen: desk.screen.of_server() },
            store: desk.store.clone(),
            state: desk.state.clone(),
            recent: Arc::new(Recent::in_workspace(desk.place.workspace.clone())),
            here: desk.place.folder.clone(),
            clock: Clock::start(),
            patience,
            cancelled: watch::Sender::default(),
        }
    }

    /// The client's debates, newest first: those of its workspace and its roots, and those that it started.
    pub(super) async fn debates(&self, context: &RequestContext<RoleServer>) -> Result<Vec<store::Listed>, String> {
        let folders = Folders::of(&self.here, context).await;
        let all = self.store.list().await.map_err(|error| error.to_string())?;
        let is_its_own = |debate: &store::Listed| {
            let workspace = debate.summary.as_ref().map(|summary| summary.workspace.as_str());
            self.recent.started(&debate.id) || workspace.is_some_and(|workspace| folders.hold(workspace))
        };
        Ok(all.into_iter().rev().filter(is_its_own).take(MOST_LISTED).collect())
    }

    /// A debate of the client's by a part of its id, or `last`: one of its workspace, or one that it started.
    pub(super) async fn own_debate(&self, id: &str, context: &RequestContext<RoleServer>) -> Result<Debate, String> {
        let id = self.recent.find(&self.store, id).await?;
        let read = store::read(&self.store, &id).await;
        let debate = read.map(|(debate, _)| debate).map_err(|error| format!("{error}\n{}", error.hint()))?;
        let folders = Folders::of(&self.here, context).await;
        let id = &debate.plan().id;
        if self.recent.started(id) || folders.hold(&debate.plan().workspace) {
            return Ok(debate);
        }
        Err(format!("{id} belongs to another workspace"))
    }

    /// Calls a tool; none if there is no such tool.
    pub(super) async fn answer(
        &self,
        name: &str,
        arguments: JsonObject,
        context: &RequestContext<RoleServer>,
    ) -> Option<Answered> {
        let answered = match name {
            "debate_start" => self.start(arguments, context).await,
            "debate_status" => self.status(read(arguments), context).await,
            "debate_result" => self.result(read(arguments), context).await,
            "debate_cancel" => self.cancel(read(arguments), context).await,
            "debate_choose" => self.choose(read(arguments), context).await,
            "debate_list" => self.list(read(arguments), context).await,
            "verify" => self.verify(read(arguments), context).await,
            "providers" => self.providers(read(arguments), context).await,
            _ => return None,
        };
        self.cancelled.send_if_modified(|reasons| reasons.remove(&context.id).is_some());
        Some(answered)
    }

    async fn start(&self, call: JsonObject, context: &RequestContext<RoleServer>) -> Answered {
        let request = Request::read(call)?;
        let folders = Folders::of(&self.here, context).await;
        let folder = folders.folder(request.folder.as_deref())?;
        for path in request.paths(&folder) {
            folders.check(&folder, &path)?;
        }
        if let Some(from) = request.earlier() {
            self.own_debate(from, context).await?;
        }
        let client = context.client_info().and_then(|client| Host::called(&client.name));
        let until = Instant::now() + self.patience_of(request.wait_seconds, self.patience);
        let starting = {
            let (surroundings, recent) = (self.surroundings.clone(), Arc::clone(&self.recent));
            recent.prepares();
            // It continues even if the client stops waiting.
            tokio::task::spawn_blocking(move || {
                let started = surroundings.desk(&folder, request.command.project_files());
                let started = started.and_then(|desk| start(&request, desk, client));
                recent.prepared(match &started {
                    Ok(Started::Debate { id, .. }) => Some(id.clone()),
                    _ => None,
                });
                started
            })
        };
        let mut pulse = Pulse::new();
        let prepared_by = until.max(Instant::now() + LEAST);
        let Some(started) = prepared(starting, prepared_by, &mut pulse, context).await else {
            return Err(
                "The debate is still being prepared and will start by itself: call debate_status with the id `last` \
                        in a few seconds."
                    .to_owned(),
            );
        };
        let (id, understood) = match started? {
            Started::Debate { id, understood } => (id, understood),
            Started::Planned(plan) => return say(&Standing::planned(&plan)),
            Started::Nothing(reason) => return Err(reason),
        };
        let left = until.saturating_duration_since(Instant::now());
        let mut standing = self.follow(id.as_str(), left, &mut pulse, context).await?;
        standing.understood = understood;
        if context.ct.is_cancelled() && self.is_unwanted(&context.id).await {
            // Answers so far are kept.
            self.stop(id).await?;
        }
        say(&standing)
    }

    async fn status(&self, follow: Result<Follow, String>, context: &RequestContext<RoleServer>) -> Answered {
        let Follow { id, wait_seconds } = follow?;
        let patience = self.patience_of(wait_seconds, Duration::ZERO);
        say(&self.follow(&id, patience, &mut Pulse::new(), context).await?)
    }

    async fn result(&self, follow: Result<Follow, String>, context: &RequestContext<RoleServer>) -> Answered {
        let Follow { id, wait_seconds } = follow?;
        let patience = self.patience_of(wait_seconds, Duration::ZERO);
        let standing = self.follow(&id, patience, &mut Pulse::new(), context).await?;
        if !standing.ended {
            return Err(format!("There is no result yet. {}\n{}", standing.line(), standing.next));
        }
        let debate = self.own_debate(&standing.id, context).await?;
        let conclusion = bounded(&harmless(&report::conclusion(&debate)), &verdict_uri(&standing.id));
        let findings = remaining_findings(&debate);
        let headline = harmless(&debate.format().brief(&debate, NewVersion::Proposed).headline).into_owned();
        let firmness = debate.format().firmness(&debate).map(|firmness| firmness.as_str().to_owned());
        let parts = [Some(headline.clone()), Some(standing.line()), findings.clone(), Some(conclusion.clone())];
        let text = parts.into_iter().flatten().collect::<Vec<_>>().join("\n\n");
        let text = format!("{text}\n\nTranscript: {}", standing.transcript);
        let Standing { id, status, transcript, folder, .. } = standing;
        answer(text, &Outcome { id, status, headline, firmness, conclusion, findings, transcript, folder })
    }

    async fn cancel(&self, one: Result<One, String>, context: &RequestContext<RoleServer>) -> Answered {
        let One { id } = one?;
        self.until_prepared(&id, Duration::ZERO).await;
        let debate = self.own_debate(&id, context).await?;
        let id = debate.plan().id.clone();
        let running = self.store.is_claimed(&id).await.unwrap_or(false);
        if (running || debate.status() != Status::Cancelled)
            && let Err(error) = self.stop(id.clone()).await
            // It may have stopped while it was asked to.
            && self.own_debate(id.as_str(), context).await?.status() != Status::Cancelled
        {
            return Err(error);
        }
        say(&self.follow(id.as_str(), self.patience, &mut Pulse::new(), context).await?)
    }

    async fn stop(&self, id: DebateId) -> Result<(), String> {
        let (surroundings, here) = (self.surroundings.clone(), self.here.clone());
        blocking(move || {
            let desk = surroundings.desk(&here, ProjectFiles::Nothing)?;
            let sessions = desk.sessions()?;
            running::runtime()?.block_on(sessions.cancel(&id))?;
            Ok(())
        })
        .await
    }

    async fn choose(&self, chosen: Result<Chosen, String>, context: &RequestContext<RoleServer>) -> Answered {
        let Chosen { id, option, text, wait_seconds } = chosen?;
        self.until_prepared(&id, Duration::ZERO).await;
        let debate = self.own_debate(&id, context).await?;
        let folders = Folders::of(&self.here, context).await;
        let workspace = PathBuf::from(&debate.plan().workspace);
        if option.trim().to_lowercase() == choose::REPLACE
            && let Some(file) = text.as_deref().map(str::trim)
        {
            folders.check(&workspace, Path::new(file))?;
        }
        let (surroundings, id) = (self.surroundings.clone(), debate.plan().id.clone());
        let chosen = id.clone();
        blocking(move || {
            running::refuse_nesting()?;
            let desk = surroundings.desk(&workspace, ProjectFiles::Workspace)?;
            choose::choose(&desk, &chosen, &option, text.as_deref())
        })
        .await?;
        let patience = self.patience_of(wait_seconds, Duration::ZERO);
        say(&self.follow(id.as_str(), patience, &mut Pulse::new(), context).await?)
    }

    async fn list(&self, nothing: Result<Nothing, String>, context: &RequestContext<RoleServer>) -> Answered {
        let Nothing {} = nothing?;
        let own = self.debates(context).await?;
        let debates: Vec<Line> = own
            .iter()
            .rev()
            .map(|debate| Line {
                id: debate.id.to_string(),
                status: debate.state.as_str().to_owned(),
                topic: shortened(debate.topic()),
            })
            .collect();
        let lines: Vec<String> =
            debates.iter().map(|line| format!("{}  {}  {}", line.id, line.status, line.topic)).collect();
        let text = if lines.is_empty() { "There are no debates yet.".to_owned() } else { lines.join("\n") };
        answer(text, &Listed { debates })
    }

    async fn verify(&self, wanted: Result<ToVerify, String>, context: &RequestContext<RoleServer>) -> Answered {
        let ToVerify { text, folder } = wanted?;
        let folder = Folders::of(&self.here, context).await.folder(folder.as_deref())?;
        let surroundings = self.surroundings.clone();
        let stop = CancellationToken::new();
        let looking = {
            let stop = stop.clone();
            blocking(move || {
                let desk = surroundings.desk(&folder, ProjectFiles::Nothing)?;
                verify::look_up(&desk, &text, &folder, false, &stop)
            })
        };
        let mut mentions = while_it_looks(looking, &stop, context).await?;
        let failed = mentions.iter().filter(|mention| mention.fails).count();
        let summary = verify::summary(&mentions);
        let more = mentions.len().saturating_sub(MOST_MENTIONS);
        mentions.truncate(MOST_MENTIONS);
        let mut lines: Vec<String> = mentions.iter().map(|mention| mention.text.clone()).collect();
        lines.extend((more > 0).then(|| format!("({more} more)")));
        lines.push(summary);
        answer(lines.join("\n"), &Verified { findings: mentions, failed })
    }

    async fn providers(&self, look: Result<Look, String>, context: &RequestContext<RoleServer>) -> Answered {
        let probe = look?.probe;
        let (surroundings, here, stop) = (self.surroundings.clone(), self.here.clone(), CancellationToken::new());
        let looking = {
            let stop = stop.clone();
            blocking(move || {
                if probe {
                    running::refuse_nesting()?;
                }
                let desk = surroundings.desk(&here, ProjectFiles::Workspace)?;
                doctor::providers(&desk, probe, &stop)
            })
        };
        let found = while_it_looks(looking, &stop, context).await?;
        let providers = found.into_iter().map(serde_json::from_value).collect::<Result<Vec<Provider>, _>>();
        let providers = providers.map_err(|error| error.to_string())?;
        let text: Vec<String> = providers.iter().map(Provider::line).collect();
        answer(text.join("\n"), &Providers { providers })
    }

    /// The status of a debate once it rests, or once the time or the client's patience is over.
    async fn follow(
        &self,
        id: &str,
        patience: Duration,
        pulse: &mut Pulse,
        context: &RequestContext<RoleServer>,
    ) -> Result<Standing, String> {
        let until = Instant::now() + patience;
        self.until_prepared(id, patience).await;
        // Found once: `last` may be another one in a moment.
        let id = self.own_debate(id, context).await?.plan().id.clone();
        let mut followed = Follower::of(&self.store, &id).await.map_err(|error| CommandError::from(error).with_hints())?;
        pulse.quicken();
        loop {
            let standing = Standing::of(&self.state, followed.is_running(), followed.debate(), self.clock.now());
            let is_enough = standing.rests() || Instant::now() >= until;
            if (is_enough && !standing.changes_hands()) || context.ct.is_cancelled() {
                return Ok(standing.with_said(followed.debate()));
            }
            tokio::select! {
                () = tokio::time::sleep(LOOK) => {}
                () = context.ct.cancelled() => {}
                () = pulse.beat(context, || standing.line()) => {}
            }
            followed.catch_up().await.map_err(|error| error.to_string())?;
        }
    }

    /// Waits while `last` has no id yet, which is a matter of moments.
    async fn until_prepared(&self, id: &str, patience: Duration) {
        let until = Instant::now() + patience.max(LEAST);
        while id == "last" && self.recent.is_preparing() && Instant::now() < until {
            tokio::time::sleep(LOOK).await;
        }
    }

    /// How long to wait: as asked for, but never so long that a call looks dead.
    fn patience_of(&self, seconds: Option<f64>, usual: Duration) -> Duration {
        let asked = seconds.map(|seconds| Duration::try_from_secs_f64(seconds.max(0.0)).unwrap_or(self.patience));
        asked.unwrap_or(usual).min(self.patience)
    }

    /// Whether the user cancelled the call. A client that lost its patience still wants the debate, and so does one that
    /// gives no reason or is gone.
    async fn is_unwanted(&self, id: &RequestId) -> bool {
        let mut reasons = self.cancelled.subscribe();
        let told = tokio::time::timeout(REASON, reasons.wait_for(|reasons| reasons.contains_key(id))).await;
        let Ok(Ok(reasons)) = told else { return false };
        let reason = reasons[id].to_lowercase();
        drop(reasons);
        self.cancelled.send_modify(|reasons| drop(reasons.remove(id)));
        !reason.is_empty() && !IMPATIENCE.iter().any(|word| reason.contains(word))
    }
}

/// Prepares a debate, starts it and leaves it to a worker.
fn start(request: &Request, mut desk: Desk, client: Option<Host>) -> Result<Started, CommandError> {
    running::refuse_nesting()?;
    desk.host = client.or(desk.host);
    let command = request.command.starts().ok_or_else(|| CommandError::usage("this starts no debate"))?;
    let ready = match command.prepare(&mut desk)? {
        Prepared::Nothing(reason) => return Ok(Started::Nothing(reason)),
        Prepared::Debate(ready) => *ready,
    };
    let Ready { plan, grounds, manner, understood } = ready;
    if command.terms().dry_run {
        return Ok(Started::Planned(Box::new(plan)));
    }
    let sessions = desk.sessions()?;
    let id = running::runtime()?.block_on(async {
        let start = Start { plan, grounds, id: manner.id(), documents: manner.documents() };
        let session = sessions.start(start, &mut (), &CancellationToken::new()).await?;
        let id = session.debate().plan().id.clone();
        session.detach().await?;
        Ok::<_, CommandError>(id)
    })?;
    Ok(Started::Debate { id, understood })
}

/// What came of starting a debate; none if it takes longer than the client waits.
async fn prepared(
    mut starting: JoinHandle<Result<Started, CommandError>>,
    until: Instant,
    pulse: &mut Pulse,
    context: &RequestContext<RoleServer>,
) -> Option<Result<Started, String>> {
    loop {
        tokio::select! {
            started = &mut starting => return Some(match started {
                Ok(started) => started.map_err(|error| error.with_hints()),
                Err(error) => Err(error.to_string()),
            }),
            () = tokio::time::sleep_until(until) => return None,
            () = pulse.beat(context, || "the debate is being prepared".to_owned()) => {}
        }
    }
}

/// Waits for what only looks something up; it ends with the call that asked for it.
async fn while_it_looks<T>(
    looking: impl Future<Output = Result<T, String>>,
    stop: &CancellationToken,
    context: &RequestContext<RoleServer>,
) -> Result<T, String> {
    let _stops = stop.clone().drop_guard();
    let mut pulse = Pulse::new();
    let mut looking = std::pin::pin!(looking);
    loop {
        tokio::select! {
            found = &mut looking => return found,
            () = context.ct.cancelled() => return Err("the call was cancelled".to_owned()),
            () = pulse.beat(context, || "rebut is looking".to_owned()) => {}
        }
    }
}

/// Does what blocks on a thread of its own. The error says what to do, too.
async fn blocking<T: Send + 'static>(work: impl FnOnce() -> Result<T, CommandError> + Send + 'static) -> Result<T, String> {
    match tokio::task::spawn_blocking(work).await {
        Ok(done) => done.map_err(|error| error.with_hints()),
        Err(error) => Err(error.to_string()),
    }
}

fn read<T: DeserializeOwned>(arguments: JsonObject) -> Result<T, String> {
    serde_json::from_value(Value::Object(arguments)).map_err(|error| error.to_string())
}

fn answer(text: String, value: &impl Serialize) -> Answered {
    let value = serde_json::to_value(value).map_err(|error| format!("can't serialize the answer: {error}"))?;
    Ok(Answer { text, value })
}

/// The status of a debate, as text and as a value.
fn say(standing: &Standing) -> Answered {
    let Standing { understood, said, next, .. } = standing;
    let parts = [Some(standing.line()), understood.clone(), Some(said.clone()), standing.choice_text(), Some(next.clone())];
    answer(parts.into_iter().flatten().collect::<Vec<_>>().join("\n\n"), standing)
}
