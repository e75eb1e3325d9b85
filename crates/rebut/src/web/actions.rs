//! The page's buttons: each does what the command of its name does, in process. A worker runs the debate, so it outlives the
//! server.

use std::path::PathBuf;
use std::sync::Arc;

use axum::Json;
use axum::extract::{Path, State};
use axum::http::StatusCode;
use rebut_core::debate::{Amendment, Debate, DebateId};
use rebut_core::judging::Rigor;
use rebut_core::report;
use rebut_engine::config::ProjectFiles;
use rebut_engine::session::Stopped;
use serde::Deserialize;
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;

use super::server::{Refused, Served};
use crate::app::App;
use crate::commands::{choose as choosing, rejudge as rejudging};
use crate::error::CommandError;
use crate::mcp::command_of;
use crate::run;
use crate::start::{Started, detached};

type Answer = Result<Json<Value>, Refused>;

#[derive(Clone, Deserialize)]
pub(super) struct Wanted {
    format: String,
    #[serde(default)]
    topic: String,
    /// As on the command line.
    #[serde(default)]
    flags: String,
}

pub(super) async fn plan(State(served): State<Arc<Served>>, Json(wanted): Json<Wanted>) -> Answer {
    begin(served, wanted, true).await
}

pub(super) async fn start(State(served): State<Arc<Served>>, Json(wanted): Json<Wanted>) -> Answer {
    begin(served, wanted, false).await
}

async fn begin(served: Arc<Served>, wanted: Wanted, is_plan: bool) -> Answer {
    let Wanted { format, topic, flags } = wanted;
    let command = command_of(&format, &topic, &flags).map_err(unprocessable)?;
    let started = served
        .apps
        .work(served.apps.place.folder.clone(), command.project_files(), move |app| detached(&command, app, is_plan));
    Ok(Json(match started.await.map_err(unprocessable)? {
        Started::Debate { id, .. } => json!({ "id": id }),
        Started::Planned(plan) => json!({ "plan": report::plan_text(&plan) }),
    }))
}

pub(super) async fn cancel(State(served): State<Arc<Served>>, Path(id): Path<String>) -> Answer {
    of_debate(served, id, ProjectFiles::Nothing, |app, id| {
        let sessions = app.sessions()?;
        let stopped = app.wait(sessions.cancel(id))?;
        Ok(json!({ "running": stopped == Stopped::Asked }))
    })
    .await
}

pub(super) async fn resume(State(served): State<Arc<Served>>, Path(id): Path<String>) -> Answer {
    again(served, id, |_, _| Ok(Amendment::default())).await
}

/// Amends a debate and has a worker resume it.
async fn again(
    served: Arc<Served>,
    id: String,
    amended: impl FnOnce(&App, &Debate) -> Result<Amendment, CommandError> + Send + 'static,
) -> Answer {
    of_debate(served, id, ProjectFiles::Workspace, move |app, id| {
        run::refuse_nesting()?;
        let sessions = app.sessions()?;
        app.wait(async {
            let open = sessions.open(id).await?;
            let amendment = amended(app, open.debate())?;
            Ok::<_, CommandError>(open.resume_detached(amendment, &mut (), &CancellationToken::new()).await?)
        })?;
        Ok(json!({}))
    })
    .await
}

#[derive(Deserialize)]
pub(super) struct Bench {
    /// Seats as on the command line; empty for the same judges.
    #[serde(default)]
    judges: String,
    rigor: Option<Rigor>,
}

impl Bench {
    fn amendment(&self, app: &App, debate: &Debate) -> Result<Amendment, CommandError> {
        let judges = self.judges.split([',', ' ']).filter(|judge| !judge.is_empty()).map(str::to_owned).collect::<Vec<_>>();
        rejudging::amendment(app, debate, &judges, self.rigor)
    }
}

pub(super) async fn rejudge_plan(
    State(served): State<Arc<Served>>,
    Path(id): Path<String>,
    Json(bench): Json<Bench>,
) -> Answer {
    of_debate(served, id, ProjectFiles::Workspace, move |app, id| {
        let debate = app.wait(app.sessions()?.read(id))?;
        let amendment = bench.amendment(app, &debate)?;
        Ok(json!({ "plan": rejudging::plan(debate, amendment)? }))
    })
    .await
}

pub(super) async fn rejudge(State(served): State<Arc<Served>>, Path(id): Path<String>, Json(bench): Json<Bench>) -> Answer {
    again(served, id, move |app, debate| bench.amendment(app, debate)).await
}

#[derive(Deserialize)]
pub(super) struct Chosen {
    option: String,
    /// For a lineup: what to change, or the file to replace it with.
    #[serde(default)]
    text: String,
}

pub(super) async fn choose(
    State(served): State<Arc<Served>>,
    Path(id): Path<String>,
    Json(Chosen { option, text }): Json<Chosen>,
) -> Answer {
    of_debate(served, id, ProjectFiles::Workspace, move |app, id| {
        run::refuse_nesting()?;
        choosing::choose(app, id, &option, Some(&text))?;
        Ok(json!({}))
    })
    .await
}

/// Acts on a debate, in its workspace.
async fn of_debate(
    served: Arc<Served>,
    id: String,
    project: ProjectFiles,
    act: impl FnOnce(&App, &DebateId) -> Result<Value, CommandError> + Send + 'static,
) -> Answer {
    let (id, debate) = served.find(&id).await?;
    let workspace = PathBuf::from(&debate.plan().workspace);
    let folder = if workspace.is_dir() { workspace } else { served.apps.place.folder.clone() };
    let done = served.apps.work(folder, project, move |app| act(&app, &id)).await;
    done.map(Json).map_err(unprocessable)
}

fn unprocessable(why: String) -> Refused {
    Refused(StatusCode::UNPROCESSABLE_ENTITY, why)
}
