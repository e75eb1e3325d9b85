//! What the buttons of the page do: the same as the commands of those names, in process. A debate that is started or gone on
//! with is left to a worker, so that it does not end with the server.

use std::path::PathBuf;
use std::sync::Arc;

use axum::Json;
use axum::extract::{Path, State};
use axum::http::StatusCode;
use rebut_core::debate::{Amendment, DebateId};
use rebut_core::report;
use rebut_engine::config::ProjectFiles;
use rebut_engine::session::Stopped;
use rebut_engine::store;
use serde::Deserialize;
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;

use super::server::{Refused, Served};
use crate::app::App;
use crate::commands::choose as choosing;
use crate::error::CommandError;
use crate::mcp::command_of;
use crate::run::{self, runtime};
use crate::start::{Started, detached};

type FormatFlags = Result<Json<Value>, Refused>;

/// What a debate is started from.
#[derive(Clone, Deserialize)]
pub(super) struct Wanted {
    format: String,
    topic: String,
    /// Further words, as on the command line.
    #[serde(default)]
    flags: String,
}

pub(super) async fn plan(State(served): State<Arc<Served>>, Json(wanted): Json<Wanted>) -> FormatFlags {
    begin(served, wanted, true).await
}

pub(super) async fn start(State(served): State<Arc<Served>>, Json(wanted): Json<Wanted>) -> FormatFlags {
    begin(served, wanted, false).await
}

/// Plans a debate, and starts it unless only the plan is wanted.
async fn begin(served: Arc<Served>, wanted: Wanted, is_plan: bool) -> FormatFlags {
    let Wanted { format, topic, flags } = wanted;
    let command = command_of(&format, &topic, &flags).map_err(unprocessable)?;
    let started =
        served.apps.work(served.folder.clone(), command.project_files(), move |app| detached(&command, app, is_plan));
    Ok(Json(match started.await.map_err(unprocessable)? {
        Started::Debate { id, .. } => json!({ "id": id }),
        Started::Planned(plan) => json!({ "plan": report::plan_text(&plan) }),
        Started::Nothing(reason) => json!({ "plan": reason }),
    }))
}

pub(super) async fn cancel(State(served): State<Arc<Served>>, Path(id): Path<String>) -> FormatFlags {
    let id = served.find(&id).await?;
    of_debate(served, id, ProjectFiles::Nothing, |app, id| {
        let sessions = app.sessions()?;
        let stopped = runtime()?.block_on(sessions.cancel(id))?;
        Ok(json!({ "running": stopped == Stopped::Asked }))
    })
    .await
}

pub(super) async fn resume(State(served): State<Arc<Served>>, Path(id): Path<String>) -> FormatFlags {
    let id = served.find(&id).await?;
    of_debate(served, id, ProjectFiles::Workspace, |app, id| {
        run::refuse_nesting()?;
        let sessions = app.sessions()?;
        runtime()?.block_on(async {
            let open = sessions.open(id).await?;
            open.forget_worker();
            Ok::<_, CommandError>(open.resume_detached(Amendment::default(), &mut (), &CancellationToken::new()).await?)
        })?;
        Ok(json!({}))
    })
    .await
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
) -> FormatFlags {
    let id = served.find(&id).await?;
    of_debate(served, id, ProjectFiles::Workspace, move |app, id| {
        run::refuse_nesting()?;
        choosing::choose(app, id, &option, Some(&text))?;
        Ok(json!({}))
    })
    .await
}

/// Does something with a debate, in the workspace that it is about.
async fn of_debate(
    served: Arc<Served>,
    id: DebateId,
    project: ProjectFiles,
    act: impl FnOnce(&App, &DebateId) -> Result<Value, CommandError> + Send + 'static,
) -> FormatFlags {
    let (debate, _) = store::read(served.store.as_ref(), &id).await.map_err(Refused::from)?;
    let workspace = PathBuf::from(&debate.plan().workspace);
    let folder = if workspace.is_dir() { workspace } else { served.folder.clone() };
    let done = served.apps.work(folder, project, move |app| act(&app, &id)).await;
    done.map(Json).map_err(unprocessable)
}

fn unprocessable(why: String) -> Refused {
    Refused(StatusCode::UNPROCESSABLE_ENTITY, why)
}
