//! The tools: each calls the same functions as its command, and answers with the result.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use rebut_core::debate::{Debate, DebateId, Status};
use rebut_engine::clock::Clock;
use rebut_engine::config::ProjectFiles;
use rebut_engine::planning::Host;
use rebut_engine::session::Follower;
use rebut_engine::store::{self, Store};
use rmcp::RoleServer;
use rmcp::model::JsonObject;
use rmcp::service::RequestContext;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use super::folders::Folders;
use super::pulse::Pulse;
use super::recent::Recent;
use super::request::Request;
use super::status::{DebateStatus, shortened};
use super::tools::{Chosen, Follow, Line, Listed, Look, Nothing, Providers, ToVerify, Verified};
use crate::app::{App, AppFactory};
use crate::cli::Shared;
use crate::commands::{choose, doctor, verify};
use crate::error::CommandError;
use crate::run;
use crate::start::{Started, detached};

/// How often a journal is read while waiting for its end.
const LOOK: Duration = Duration::from_millis(200);

/// The shortest wait for a debate that is being prepared: without its id there is nothing to answer.
const START_WAIT: Duration = Duration::from_secs(5);

const MOST_LISTED: usize = 100;

const MOST_MENTIONS: usize = 200;

pub(super) struct Server {
    apps: AppFactory,
    store: Arc<dyn Store>,
    state: PathBuf,
    recent: Arc<Recent>,
    /// The folder that the client was started in.
    here: PathBuf,
    clock: Clock,
    patience: Duration,
}

/// What a tool answers: text for the model, a value for programs.
pub(super) struct Answer {
    pub(super) text: String,
    pub(super) value: Value,
}

pub(super) type Answered = Result<Answer, String>;

impl Server {
    pub(super) fn new(app: &App, shared: Shared, patience: Duration) -> Self {
        Self {
            apps: AppFactory::of(app, shared),
            store: Arc::clone(&app.store),
            state: app.state.clone(),
            recent: Arc::new(Recent::in_workspace(app.place.workspace.clone())),
            here: app.place.folder.clone(),
            clock: Clock::start(),
            patience,
        }
    }

    /// The client's debates, newest first: those of its workspace and its roots, and those that it started.
    pub(super) async fn debates(&self, context: &RequestContext<RoleServer>) -> Result<Vec<store::Listed>, String> {
        let folders = Folders::of(&self.here, context).await;
        let all = self.store.list().await.map_err(|error| error.to_string())?;
        let is_its_own = |debate: &store::Listed| {
            let workspace = debate.summary.as_ref().map(|summary| summary.workspace.as_str());
            self.recent.started(&debate.id) || workspace.is_some_and(|workspace| folders.contain(workspace))
        };
        Ok(all.into_iter().rev().filter(is_its_own).take(MOST_LISTED).collect())
    }

    /// A debate of the client's by a part of its id, or `last`: one of its workspace, or one that it started.
    pub(super) async fn own_debate(&self, id: &str, context: &RequestContext<RoleServer>) -> Result<Debate, String> {
        self.own_debate_within(START_WAIT, id, context).await
    }

    async fn own_debate_within(
        &self,
        patience: Duration,
        id: &str,
        context: &RequestContext<RoleServer>,
    ) -> Result<Debate, String> {
        let id = self.recent.find(self.store.as_ref(), id, patience).await?;
        let read = store::read(self.store.as_ref(), &id).await;
        let debate = read.map(|(debate, _)| debate).map_err(|error| format!("{error}\n{}", error.hint()))?;
        let folders = Folders::of(&self.here, context).await;
        let id = &debate.plan().id;
        if self.recent.started(id) || folders.contain(&debate.plan().workspace) {
            return Ok(debate);
        }
        Err(format!("{id} belongs to another workspace"))
    }

    pub(super) async fn answer(
        &self,
        name: &str,
        arguments: JsonObject,
        context: &RequestContext<RoleServer>,
    ) -> Option<Answered> {
        Some(match name {
            "debate_start" => self.start(arguments, context).await,
            "debate_status" => self.status(read(arguments), context).await.and_then(|status| say(&status)),
            "debate_result" => self.status(read(arguments), context).await.and_then(|status| result(&status)),
            "debate_cancel" => self.cancel(read(arguments), context).await,
            "debate_choose" => self.choose(read(arguments), context).await,
            "debate_list" => self.list(read(arguments), context).await,
            "verify" => self.verify(read(arguments), context).await,
            "providers" => self.providers(read(arguments), context).await,
            _ => return None,
        })
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
        let (project, recent) = (request.command.project_files(), Arc::clone(&self.recent));
        let (apps, preparing) = (self.apps.clone(), recent.prepares().await);
        // A client cancels a call at its time limit too, so a cancelled call stops no debate: `debate_cancel` does.
        let starting = tokio::spawn(async move {
            let start = move |mut app: App| {
                app.host = client.or(app.host);
                detached(&request.command, app, false)
            };
            let started = apps.work(folder, project, start).await;
            if let Ok(Started::Debate { id, .. }) = &started {
                recent.add(id.clone());
            }
            drop(preparing);
            started
        });
        let mut pulse = Pulse::new();
        let started = tokio::select! {
            started = starting => started.map_err(|error| error.to_string())?,
            () = tokio::time::sleep_until(until.max(Instant::now() + START_WAIT)) => {
                return Err("The debate is still being prepared, and starts when it is ready: call debate_status with the id \
                            `last` in a few seconds."
                    .to_owned());
            }
            never = pulse.beats(context, || "preparing the debate".to_owned()) => never,
        };
        let (id, understood) = match started? {
            Started::Debate { id, understood } => (id, understood),
            Started::Planned(plan) => return say(&DebateStatus::planned(&plan)),
        };
        let left = until.saturating_duration_since(Instant::now());
        let mut status = self.follow(id.as_str(), left, &mut pulse, context).await?;
        status.understood = understood;
        say(&status)
    }

    async fn status(
        &self,
        follow: Result<Follow, String>,
        context: &RequestContext<RoleServer>,
    ) -> Result<DebateStatus, String> {
        let Follow { id, wait_seconds } = follow?;
        let patience = self.patience_of(wait_seconds, Duration::ZERO);
        self.follow(&id, patience, &mut Pulse::new(), context).await
    }

    async fn cancel(&self, follow: Result<Follow, String>, context: &RequestContext<RoleServer>) -> Answered {
        let Follow { id, .. } = follow?;
        let debate = self.own_debate(&id, context).await?;
        let id = debate.plan().id.clone();
        let running = self.store.is_claimed(&id).await.unwrap_or(false);
        if (running || debate.status() != Status::Cancelled)
            && let Err(error) = self.stop(id.clone()).await
            // It may have stopped in the meantime.
            && self.own_debate(id.as_str(), context).await?.status() != Status::Cancelled
        {
            return Err(error);
        }
        say(&self.follow(id.as_str(), self.patience, &mut Pulse::new(), context).await?)
    }

    async fn stop(&self, id: DebateId) -> Result<(), String> {
        let stop = move |app: App| {
            run::runtime()?.block_on(app.sessions()?.cancel(&id))?;
            Ok(())
        };
        self.apps.work(self.here.clone(), ProjectFiles::Nothing, stop).await
    }

    async fn choose(&self, chosen: Result<Chosen, String>, context: &RequestContext<RoleServer>) -> Answered {
        let Chosen { id, option, text, wait_seconds } = chosen?;
        let debate = self.own_debate(&id, context).await?;
        let folders = Folders::of(&self.here, context).await;
        let workspace = PathBuf::from(&debate.plan().workspace);
        if option.trim().to_lowercase() == choose::REPLACE
            && let Some(file) = text.as_deref().map(str::trim)
        {
            folders.check(&workspace, Path::new(file))?;
        }
        let (id, chosen) = (debate.plan().id.clone(), debate.plan().id.clone());
        let choose = move |app: App| {
            run::refuse_nesting()?;
            choose::choose(&app, &chosen, &option, text.as_deref())
        };
        self.apps.work(workspace, ProjectFiles::Workspace, choose).await?;
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
        let stop = CancellationToken::new();
        let stopped = stop.clone();
        let look_up = move |app: App| verify::look_up(&app, &text, &app.place.folder, false, &stopped);
        let looking = self.apps.work(folder, ProjectFiles::Nothing, look_up);
        let mut mentions = until_cancelled(looking, &stop, context).await?;
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
        let stop = CancellationToken::new();
        let stopped = stop.clone();
        let look = move |app: App| {
            if probe {
                run::refuse_nesting()?;
            }
            doctor::providers(&app, probe, &stopped)
        };
        let looking = self.apps.work(self.here.clone(), ProjectFiles::Workspace, look);
        let found = until_cancelled(looking, &stop, context).await?;
        let text: Vec<String> = found.iter().map(provider_line).collect();
        let providers = found.into_iter().filter_map(|provider| provider.as_object().cloned()).collect();
        answer(text.join("\n"), &Providers { providers })
    }

    /// The status of a debate once it has ended or is waiting for the user, or the time is up.
    async fn follow(
        &self,
        id: &str,
        patience: Duration,
        pulse: &mut Pulse,
        context: &RequestContext<RoleServer>,
    ) -> Result<DebateStatus, String> {
        let until = Instant::now() + patience;
        // Found once: `last` may be another one in a moment.
        let id = self.own_debate_within(patience.max(START_WAIT), id, context).await?.plan().id.clone();
        let mut followed =
            Follower::of(self.store.as_ref(), &id).await.map_err(|error| CommandError::from(error).with_hints())?;
        pulse.quicken();
        loop {
            let status = DebateStatus::of(&self.state, followed.is_running(), followed.debate(), self.clock.now());
            let is_enough = status.is_settled() || Instant::now() >= until;
            if (is_enough && !status.is_handed_over()) || context.ct.is_cancelled() {
                return Ok(status.with_said(followed.debate()));
            }
            tokio::select! {
                () = tokio::time::sleep(LOOK) => {}
                () = context.ct.cancelled() => {}
                () = pulse.beat(context, || status.line()) => {}
            }
            followed.catch_up().await.map_err(|error| error.to_string())?;
        }
    }

    /// How long to wait: as requested, but never so long that a call looks dead.
    fn patience_of(&self, seconds: Option<f64>, usual: Duration) -> Duration {
        let asked = seconds.map(|seconds| Duration::try_from_secs_f64(seconds.max(0.0)).unwrap_or(self.patience));
        asked.unwrap_or(usual).min(self.patience)
    }
}

/// Waits for a lookup, which ends with the call that asked for it.
async fn until_cancelled<T>(
    looking: impl Future<Output = Result<T, String>>,
    stop: &CancellationToken,
    context: &RequestContext<RoleServer>,
) -> Result<T, String> {
    let _stops = stop.clone().drop_guard();
    let mut pulse = Pulse::new();
    tokio::select! {
        found = looking => found,
        () = context.ct.cancelled() => Err("the call was cancelled".to_owned()),
        never = pulse.beats(context, || "looking".to_owned()) => never,
    }
}

/// `claude: available 2.1`, from what doctor reports.
fn provider_line(provider: &Value) -> String {
    let text = |field: &str| provider[field].as_str();
    let how = match (provider["can_be_seated"].as_bool(), text("missing")) {
        (Some(true), _) => format!("available {}", text("version").unwrap_or_default()).trim_end().to_owned(),
        (_, Some(missing)) => format!("not available: {missing}"),
        (_, None) => "not available yet".to_owned(),
    };
    let probe = Some(&provider["probe"]).filter(|probe| !probe.is_null()).map(|probe| format!("; probe: {probe}"));
    format!("{}: {how}{}", text("name").unwrap_or_default(), probe.unwrap_or_default())
}

fn read<T: DeserializeOwned>(arguments: JsonObject) -> Result<T, String> {
    serde_json::from_value(Value::Object(arguments)).map_err(|error| error.to_string())
}

fn answer(text: String, value: &impl Serialize) -> Answered {
    let value = serde_json::to_value(value).map_err(|error| format!("can't serialize the answer: {error}"))?;
    Ok(Answer { text, value })
}

fn result(status: &DebateStatus) -> Answered {
    if status.ended { say(status) } else { Err(format!("There is no result yet. {}\n{}", status.line(), status.next)) }
}

fn say(status: &DebateStatus) -> Answered {
    let DebateStatus { understood, headline, findings, said, next, .. } = status;
    let (line, choice) = (status.line(), status.choice_text());
    let parts =
        [headline.as_ref(), Some(&line), understood.as_ref(), findings.as_ref(), Some(said), choice.as_ref(), Some(next)];
    answer(parts.into_iter().flatten().map(String::as_str).collect::<Vec<_>>().join("\n\n"), status)
}
