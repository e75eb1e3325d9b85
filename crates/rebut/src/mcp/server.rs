//! The tools: each calls the same functions as its command, and answers with the result.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use jiff::SignedDuration;
use rebut_core::debate::{Debate, Status};
use rebut_engine::clock::Clock;
use rebut_engine::config::ProjectFiles;
use rebut_engine::planning::Host;
use rebut_engine::session::Follower;
use rebut_engine::store;
use rmcp::model::{JsonObject, ProgressNotificationParam};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use super::Context;
use super::folders::Folders;
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

/// How often to check whether a debate has ended, or has been prepared.
pub(super) const LOOK: Duration = Duration::from_millis(200);

/// How long a debate may take to pass from one process to the next.
const HANDOVER: SignedDuration = SignedDuration::from_secs(3);

/// The shortest wait for a debate that is being prepared: without its id there is nothing to answer.
const START_WAIT: Duration = Duration::from_secs(5);

/// How often a client that waits is notified.
const HEARTBEAT: Duration = Duration::from_secs(5);

const MOST_LISTED: usize = 100;

const MOST_MENTIONS: usize = 200;

pub(super) struct Server {
    apps: AppFactory,
    recent: Arc<Recent>,
    clock: Clock,
    began: Instant,
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
            recent: Arc::new(Recent::in_workspace(app.place.workspace.clone())),
            clock: Clock::start(),
            began: Instant::now(),
            patience,
        }
    }

    /// The client's debates, newest first: those of its workspace and its roots, and those that it started.
    pub(super) async fn debates(&self, context: &Context) -> Result<Vec<store::Listed>, String> {
        let folders = Folders::of(&self.apps.place.folder, context).await;
        let all = self.apps.store.list().await.map_err(|error| error.to_string())?;
        let is_its_own = |debate: &store::Listed| {
            let workspace = debate.summary.as_ref().map(|summary| summary.workspace.as_str());
            self.recent.started(&debate.id) || workspace.is_some_and(|workspace| folders.contain(workspace))
        };
        Ok(all.into_iter().rev().filter(is_its_own).take(MOST_LISTED).collect())
    }

    /// A debate of the client's by a part of its id, or `last`: one of its workspace, or one that it started.
    pub(super) async fn own_debate(&self, id: &str, context: &Context) -> Result<Debate, String> {
        self.own_debate_within(START_WAIT, id, context).await
    }

    async fn own_debate_within(&self, patience: Duration, id: &str, context: &Context) -> Result<Debate, String> {
        let id = self.recent.find(self.apps.store.as_ref(), id, patience).await?;
        let read = store::read(self.apps.store.as_ref(), &id).await;
        let debate = read.map(|(debate, _)| debate).map_err(|error| format!("{error}\n{}", error.hint()))?;
        let folders = Folders::of(&self.apps.place.folder, context).await;
        let id = &debate.plan().id;
        if self.recent.started(id) || folders.contain(&debate.plan().workspace) {
            return Ok(debate);
        }
        Err(format!("{id} belongs to another workspace"))
    }

    /// The answer of a tool; none if there is no such tool.
    pub(super) async fn answer(&self, name: &str, arguments: JsonObject, context: &Context) -> Option<Answered> {
        let answered = async {
            Ok(Some(match name {
                "debate_start" => self.start(arguments, context).await?,
                "debate_status" => say(&self.status(read(arguments)?, context).await?)?,
                "debate_result" => result(&self.status(read(arguments)?, context).await?)?,
                "debate_cancel" => self.cancel(read(arguments)?, context).await?,
                "debate_choose" => self.choose(read(arguments)?, context).await?,
                "debate_list" => self.list(read(arguments)?, context).await?,
                "verify" => self.verify(read(arguments)?, context).await?,
                "providers" => self.providers(read(arguments)?, context).await?,
                _ => return Ok(None),
            }))
        };
        answered.await.transpose()
    }

    async fn start(&self, call: JsonObject, context: &Context) -> Answered {
        let request = Request::read(call)?;
        let folders = Folders::of(&self.apps.place.folder, context).await;
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
        let started = tokio::select! {
            started = starting => started.map_err(|error| error.to_string())?,
            () = tokio::time::sleep_until(until.max(Instant::now() + START_WAIT)) => {
                return Err("The debate is still being prepared, and starts when it is ready: call debate_status with the id \
                            `last` in a few seconds."
                    .to_owned());
            }
            never = self.beats(context, "preparing the debate") => never,
        };
        let (id, understood) = match started? {
            Started::Debate { id, understood } => (id, understood),
            Started::Planned(plan) => return say(&DebateStatus::planned(&plan)),
        };
        let left = until.saturating_duration_since(Instant::now());
        let mut status = self.follow(id.as_str(), left, context).await?;
        status.understood = understood;
        say(&status)
    }

    async fn status(&self, wanted: Follow, context: &Context) -> Result<DebateStatus, String> {
        self.follow(&wanted.id, self.patience_of(wanted.wait_seconds, Duration::ZERO), context).await
    }

    async fn cancel(&self, wanted: Follow, context: &Context) -> Answered {
        let debate = self.own_debate(&wanted.id, context).await?;
        let id = debate.plan().id.clone();
        let running = self.apps.store.is_claimed(&id).await.unwrap_or(false);
        let stopped = id.clone();
        let stop = move |app: App| app.wait(app.sessions()?.cancel(&stopped)).map(drop);
        if (running || debate.status() != Status::Cancelled)
            && let Err(error) = self.apps.work(self.apps.place.folder.clone(), ProjectFiles::Nothing, stop).await
            // It may have stopped in the meantime.
            && self.own_debate(id.as_str(), context).await?.status() != Status::Cancelled
        {
            return Err(error);
        }
        say(&self.follow(id.as_str(), self.patience, context).await?)
    }

    async fn choose(&self, wanted: Chosen, context: &Context) -> Answered {
        let Chosen { id, option, text, wait_seconds } = wanted;
        let debate = self.own_debate(&id, context).await?;
        let folders = Folders::of(&self.apps.place.folder, context).await;
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
        say(&self.follow(id.as_str(), patience, context).await?)
    }

    async fn list(&self, Nothing {}: Nothing, context: &Context) -> Answered {
        let line = |debate: &store::Listed| Line {
            id: debate.id.to_string(),
            status: debate.state.as_str().to_owned(),
            topic: shortened(debate.topic()),
        };
        let debates: Vec<Line> = self.debates(context).await?.iter().rev().map(line).collect();
        let lines: Vec<String> =
            debates.iter().map(|line| format!("{}  {}  {}", line.id, line.status, line.topic)).collect();
        let text = if lines.is_empty() { "There are no debates yet.".to_owned() } else { lines.join("\n") };
        answer(text, &Listed { debates })
    }

    async fn verify(&self, ToVerify { text, folder }: ToVerify, context: &Context) -> Answered {
        let folder = Folders::of(&self.apps.place.folder, context).await.folder(folder.as_deref())?;
        let look_up = move |app: App, stop: &CancellationToken| verify::look_up(&app, &text, &app.place.folder, false, stop);
        let mut mentions = self.look_up(folder, ProjectFiles::Nothing, look_up, context).await?;
        let failed = mentions.iter().filter(|mention| mention.fails).count();
        let summary = verify::summary(&mentions);
        let more = mentions.len().saturating_sub(MOST_MENTIONS);
        mentions.truncate(MOST_MENTIONS);
        let mut lines: Vec<String> = mentions.iter().map(|mention| mention.text.clone()).collect();
        lines.extend((more > 0).then(|| format!("({more} more)")));
        lines.push(summary);
        answer(lines.join("\n"), &Verified { findings: mentions, failed })
    }

    async fn providers(&self, Look { probe }: Look, context: &Context) -> Answered {
        let look_up = move |app: App, stop: &CancellationToken| {
            if probe {
                run::refuse_nesting()?;
            }
            Ok(doctor::providers(&app, probe, stop))
        };
        let found = self.look_up(self.apps.place.folder.clone(), ProjectFiles::Workspace, look_up, context).await?;
        let text: Vec<String> = found.iter().map(provider_line).collect();
        let providers = found.into_iter().filter_map(|provider| provider.as_object().cloned()).collect();
        answer(text.join("\n"), &Providers { providers })
    }

    /// The status of a debate once it has ended or is waiting for the user, or the time is up.
    async fn follow(&self, id: &str, patience: Duration, context: &Context) -> Result<DebateStatus, String> {
        let until = Instant::now() + patience;
        // Found once: `last` may be another one in a moment.
        let id = self.own_debate_within(patience.max(START_WAIT), id, context).await?.plan().id.clone();
        let mut followed =
            Follower::of(self.apps.store.as_ref(), &id).await.map_err(|error| CommandError::from(error).with_hints())?;
        let mut heartbeat = tokio::time::interval(HEARTBEAT);
        loop {
            let now = self.clock.now();
            let status = DebateStatus::of(&self.apps.state, followed.is_running(), followed.debate(), now);
            let is_enough = status.status != "running" || Instant::now() >= until;
            // A debate is started by one process and run by the next.
            let is_handed_over =
                status.status == "interrupted" && now.duration_since(followed.debate().last_at()) < HANDOVER;
            if (is_enough && !is_handed_over) || context.ct.is_cancelled() {
                return Ok(status.with_said(followed.debate()));
            }
            tokio::select! {
                () = tokio::time::sleep(LOOK) => {}
                () = context.ct.cancelled() => {}
                _ = heartbeat.tick() => self.notify(context, status.line()).await,
            }
            followed.catch_up().await.map_err(|error| error.to_string())?;
        }
    }

    /// Notifies a client. The protocol wants each notification to count up, as the server's age does.
    async fn notify(&self, context: &Context, message: String) {
        if let Some(token) = context.meta.get_progress_token() {
            let news = ProgressNotificationParam::new(token, self.began.elapsed().as_secs_f64()).with_message(message);
            // A client that doesn't listen can still ask.
            let _ = context.peer.notify_progress(news).await;
        }
    }

    /// Notifies a client at intervals, until it is dropped.
    async fn beats(&self, context: &Context, message: &str) -> ! {
        let mut every = tokio::time::interval(HEARTBEAT);
        loop {
            every.tick().await;
            self.notify(context, message.to_owned()).await;
        }
    }

    /// How long to wait: as requested, but never so long that a call looks dead.
    fn patience_of(&self, seconds: Option<f64>, usual: Duration) -> Duration {
        let asked = seconds.map(|seconds| Duration::try_from_secs_f64(seconds.max(0.0)).unwrap_or(self.patience));
        asked.unwrap_or(usual).min(self.patience)
    }

    /// A lookup, which ends with the call that asked for it.
    async fn look_up<T: Send + 'static>(
        &self,
        folder: PathBuf,
        project: ProjectFiles,
        look_up: impl FnOnce(App, &CancellationToken) -> Result<T, CommandError> + Send + 'static,
        context: &Context,
    ) -> Result<T, String> {
        let stop = context.ct.child_token();
        let _stops = stop.clone().drop_guard();
        tokio::select! {
            found = self.apps.work(folder, project, move |app| look_up(app, &stop)) => found,
            () = context.ct.cancelled() => Err("the call was cancelled".to_owned()),
            never = self.beats(context, "looking") => never,
        }
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
