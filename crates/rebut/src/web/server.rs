//! The server of `rebut serve`: the debates of a workspace, each of them live.

use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::sync::Arc;

use axum::Router;
use axum::extract::{Path, Query, State};
use axum::http::{HeaderMap, StatusCode};
use axum::middleware::from_fn_with_state;
use axum::response::sse::{KeepAlive, Sse};
use axum::response::{Html, IntoResponse, Response};
use axum::routing::{get, post};
use clap::Args;
use jiff::Timestamp;
use minijinja::{Value, context};
use rebut_core::debate::{Debate, DebateId};
use rebut_engine::checks::Excerpts;
use rebut_engine::store::{self, Listed, StoreError};
use serde::Deserialize;
use tokio::net::TcpListener;
use tokio_util::sync::CancellationToken;

use super::actions;
use super::following::Following;
use super::guard::{self, Guard};
use super::page::{Live, document, pieces};
use super::templates::{policy, render};
use crate::app::AppFactory;
use crate::cli::DEBATES;
use crate::commands::{ago, cost, has_words};
use crate::error::CommandError;

const MOST_LISTED: usize = 100;
const SHORTEST_TOKEN: usize = 16;

#[derive(Debug, Args)]
pub(crate) struct ServeFlags {
    /// The port [default: one that is free]
    #[arg(long, value_name = "N", default_value_t = 0, hide_default_value = true)]
    port: u16,
    /// Include debates of other workspaces
    #[arg(long, short)]
    all: bool,
    /// Listen on this address, where others can reach it; needs a token of yours in REBUT_SERVE_TOKEN
    #[arg(long, value_name = "ADDR")]
    listen: Option<IpAddr>,
}

pub(super) struct Served {
    pub(super) apps: AppFactory,
    all: bool,
}

/// Serves until it is stopped. `ready` gets the link once the server listens.
pub(crate) fn serve(
    apps: AppFactory,
    &ServeFlags { port, all, listen }: &ServeFlags,
    stop: &CancellationToken,
    ready: impl FnOnce(&str),
) -> Result<(), CommandError> {
    let ip = listen.unwrap_or(IpAddr::V4(Ipv4Addr::LOCALHOST));
    // Not a setting: those are listed, and a secret is not to be.
    let token = match std::env::var("REBUT_SERVE_TOKEN").ok().filter(|token| !token.is_empty()) {
        Some(token)
            if token.len() < SHORTEST_TOKEN
                || !token.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_.~".contains(&byte)) =>
        {
            let needs = format!("REBUT_SERVE_TOKEN needs at least {SHORTEST_TOKEN} letters, digits, -, _, . or ~");
            return Err(CommandError::usage(needs).hint("for example: export REBUT_SERVE_TOKEN=$(openssl rand -hex 24)"));
        }
        Some(token) => token,
        None if !ip.is_loopback() => {
            return Err(CommandError::usage(format!("other machines can reach {ip}, which requires a token of your own"))
                .hint("set one: export REBUT_SERVE_TOKEN=$(openssl rand -hex 24)"));
        }
        None => rebut_engine::chance::secret().ok_or_else(|| {
            CommandError::failed("the system has no random bytes for a token").hint("set one: REBUT_SERVE_TOKEN")
        })?,
    };
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build();
    let runtime = runtime.map_err(|error| CommandError::failed(format!("the runtime can't be started: {error}")))?;
    let served = Arc::new(Served { apps, all });
    let done = runtime.block_on(async {
        let cannot = |error: std::io::Error| {
            CommandError::failed(format!("can't listen on {}: {error}", SocketAddr::new(ip, port)))
                .hint("choose another port with --port, or leave it to the system with --port 0")
        };
        let listener = TcpListener::bind((ip, port)).await.map_err(cannot)?;
        let guard = Arc::new(Guard { address: listener.local_addr().map_err(cannot)?, token });
        ready(&guard.link("/"));
        let router = router(served).layer(from_fn_with_state(guard, guard::check));
        // Event streams never end, so a graceful shutdown would wait forever.
        tokio::select! {
            ended = axum::serve(listener, router) => ended.map_err(cannot),
            () = stop.cancelled() => Ok(()),
        }
    });
    runtime.shutdown_background();
    done
}

fn router(served: Arc<Served>) -> Router {
    Router::new()
        .route("/", get(list))
        .route("/plan", post(actions::plan))
        .route("/start", post(actions::start))
        .route("/d/{id}", get(debate))
        .route("/d/{id}/events", get(events))
        .route("/d/{id}/cancel", post(actions::cancel))
        .route("/d/{id}/resume", post(actions::resume))
        .route("/d/{id}/choose", post(actions::choose))
        .route("/d/{id}/rejudge", post(actions::rejudge))
        .route("/d/{id}/rejudge/plan", post(actions::rejudge_plan))
        .with_state(served)
}

impl Served {
    /// The debate with this id, if this server shows it.
    pub(super) async fn find(&self, id: &str) -> Result<(DebateId, Debate), Refused> {
        let unknown = || Refused(StatusCode::NOT_FOUND, format!("no such debate: {id}"));
        let id = DebateId::parse(id).ok_or_else(unknown)?;
        let debate = match store::read(self.apps.store.as_ref(), &id).await {
            Ok((debate, _)) => debate,
            Err(StoreError::Unknown { .. }) => return Err(unknown()),
            Err(error) => return Err(error.into()),
        };
        let is_here = self.all || std::path::Path::new(&debate.plan().workspace) == self.apps.place.workspace;
        if is_here { Ok((id, debate)) } else { Err(unknown()) }
    }
}

pub(super) struct Refused(pub(super) StatusCode, pub(super) String);

impl<E: std::fmt::Display> From<E> for Refused {
    fn from(error: E) -> Self {
        Self(StatusCode::INTERNAL_SERVER_ERROR, error.to_string())
    }
}

impl IntoResponse for Refused {
    fn into_response(self) -> Response {
        (self.0, axum::Json(serde_json::json!({ "error": self.1 }))).into_response()
    }
}

#[derive(Deserialize)]
struct Asked {
    #[serde(default)]
    q: String,
}

/// Why a page can't be shown, as a page.
struct NotShown(Refused);

impl<E: Into<Refused>> From<E> for NotShown {
    fn from(error: E) -> Self {
        Self(error.into())
    }
}

impl IntoResponse for NotShown {
    fn into_response(self) -> Response {
        let Refused(status, why) = self.0;
        let html = render("refused", context! { why => &why });
        let page = html.and_then(|html| document("Not shown", &html, context! {}, policy(true)));
        (status, Html(page.unwrap_or_default())).into_response()
    }
}

async fn list(State(served): State<Arc<Served>>, Query(Asked { q }): Query<Asked>) -> Result<Html<String>, NotShown> {
    let all = served.apps.store.list().await?;
    let is_meant = |debate: &&Listed| (served.all || debate.is_of(&served.apps.place.workspace)) && has_words(debate, &q);
    let found: Vec<&Listed> = all.iter().rev().filter(is_meant).collect();
    let debates: Vec<Value> = found.iter().take(MOST_LISTED).map(|debate| line(debate, served.all)).collect();
    let place = if served.all { "all workspaces".to_owned() } else { served.apps.place.workspace.display().to_string() };
    let html = render(
        "list",
        context! { debates, place, query => q, total => found.len(), more => found.len() > MOST_LISTED, formats => DEBATES },
    );
    Ok(Html(document("Debates", &html?, context! {}, policy(true))?))
}

fn line(debate: &Listed, with_workspace: bool) -> Value {
    let summary = debate.summary.as_ref();
    let outcome = summary.and_then(|summary| summary.outcome.as_deref()).filter(|_| debate.state.has_ended());
    context! {
        id => debate.id.as_str(), state => debate.state.as_str(), topic => debate.topic(), outcome,
        format => summary.map(|summary| summary.format.as_str()),
        age => debate.updated().map(|at| ago(at, Timestamp::now())),
        cost => summary.map(|summary| cost(summary.cost)),
        workspace => summary.map(|summary| summary.workspace.as_str()).filter(|_| with_workspace),
    }
}

async fn debate(State(served): State<Arc<Served>>, Path(id): Path<String>) -> Result<Html<String>, NotShown> {
    let (id, _) = served.find(&id).await?;
    // Before the journal: a debate that ends in between is read to its end.
    let live = Live::of(served.apps.store.as_ref(), &served.apps.state, &id).await?;
    let (debate, _) = store::read(served.apps.store.as_ref(), &id).await?;
    let mut excerpts = Excerpts::of(debate.plan(), served.apps.store.as_ref()).await;
    let pieces = pieces(&debate, &mut excerpts, Some(&live))?;
    Ok(Html(super::page::served(&debate, &pieces)?))
}

#[derive(Deserialize)]
struct Since {
    #[serde(default)]
    since: u64,
}

async fn events(
    State(served): State<Arc<Served>>,
    Path(id): Path<String>,
    Query(Since { since }): Query<Since>,
    headers: HeaderMap,
) -> Result<Response, Refused> {
    let (id, _) = served.find(&id).await?;
    // A browser that reconnects says what it has.
    let last = headers.get("last-event-id").and_then(|id| id.to_str().ok()?.parse().ok());
    let following = Following::from(served.apps.store.clone(), served.apps.state.clone(), id, last.unwrap_or(since));
    let following = following.await?;
    Ok(Sse::new(following.stream()).keep_alive(KeepAlive::default()).into_response())
}
