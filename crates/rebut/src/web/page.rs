//! The whole page of a debate: as a file, and as what a browser is sent while the debate runs.

use std::path::Path;

use jiff::Timestamp;
use minijinja::{Error, Value, context};
use rebut_core::debate::{CallState, Debate, DebateId};
use rebut_core::formats::duel::check_rejudge;
use rebut_core::report;
use rebut_engine::checks::Excerpts;
use rebut_engine::session::worker_error;
use rebut_engine::store::{State, Store, StoreError};

use super::pieces::{Piece, ROOT, assembled};
use super::sections::Sections;
use super::templates::{SCRIPT, STYLE, policy, render, safe};
use crate::commands::{choose, cost, lineup};
use crate::error::CommandError;
use crate::flags::RIGORS;

/// The longest heading, in characters. The rest of the topic is folded.
const LONGEST_HEADING: usize = 240;

/// What a served page shows that isn't in the journal.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Live {
    /// Whether a process runs it, or it is queued.
    pub(super) running: bool,
    /// Whether it waits for a worker.
    queued: bool,
    /// The last error of its last worker on this machine.
    pub(super) problem: Option<String>,
}

impl Live {
    pub(super) async fn of(store: &dyn Store, state: &Path, id: &DebateId) -> Result<Self, StoreError> {
        let claimed = store.is_claimed(id).await?;
        let queued = !claimed && store.is_queued(id).await?;
        let running = claimed || queued;
        Ok(Self { running, queued, problem: if running { None } else { worker_error(state, id) } })
    }
}

/// The pieces that depend on more than the journal.
pub(super) const VOLATILE: [&str; 4] = ["status", "choice", "rejudge", "now"];

/// A debate as one file that needs nothing else.
pub(crate) async fn file(debate: &Debate, store: &dyn Store) -> Result<String, CommandError> {
    let mut excerpts = Excerpts::of(debate.plan(), store).await;
    let page = pieces(debate, &mut excerpts, None)
        .and_then(|pieces| document(&heading(debate), &assembled(&pieces), context! {}, policy(false)));
    page.map_err(|error| CommandError::failed(error.to_string()))
}

/// A debate as it is served, up to what has happened so far.
pub(super) fn served(debate: &Debate, pieces: &[Piece]) -> Result<String, Error> {
    let live = context! { seq => debate.events(), path => format!("/d/{}", debate.plan().id) };
    document(&heading(debate), &assembled(pieces), live, policy(true))
}

pub(super) fn document(title: &str, html: &str, live: Value, policy: String) -> Result<String, Error> {
    render("page", context! { title, html => safe(html), live, policy, style => safe(STYLE), script => safe(SCRIPT) })
}

pub(super) fn pieces(debate: &Debate, excerpts: &mut Excerpts, live: Option<&Live>) -> Result<Vec<Piece>, Error> {
    let mut pieces = vec![Piece::leaf("head", ROOT, head(debate, live.is_some())?)];
    pieces.push(Piece::leaf("status", ROOT, status(debate, live, excerpts.problem.as_deref())?));
    if let Some(live) = live {
        pieces.push(Piece::leaf("choice", ROOT, choice(debate, live)?));
        let can_rejudge = !live.running && check_rejudge(debate).is_ok();
        pieces.push(Piece::leaf("rejudge", ROOT, render("rejudge", context! { can_rejudge, rigors => RIGORS })?));
    }
    let (sections, titles) = Sections::of(debate, excerpts)?;
    let titles: Vec<Value> = titles.into_iter().map(|(id, title)| context! { id, title }).collect();
    pieces.push(Piece::leaf("nav", ROOT, render("nav", context! { titles })?));
    if let Some(live) = live {
        pieces.push(Piece::leaf("now", ROOT, now(debate, live)?));
    }
    pieces.extend(sections);
    Ok(pieces)
}

/// The topic in one line, as long as a heading may be.
fn heading(debate: &Debate) -> String {
    let topic = debate.plan().topic.trim();
    let line = topic.lines().next().unwrap_or_default();
    let cut: String = line.chars().take(LONGEST_HEADING).collect();
    if cut.len() < topic.len() { format!("{cut}…") } else { cut }
}

fn head(debate: &Debate, is_served: bool) -> Result<String, Error> {
    let (plan, heading) = (debate.plan(), heading(debate));
    let whole = Some(&plan.topic).filter(|topic| topic.trim() != heading);
    let seats = plan.seats.iter().map(|(name, seat)| {
        let model = debate.newest_answer(name).and_then(|answer| answer.model.clone());
        context! { name => name.as_str(), spec => seat.spec(), model }
    });
    let seats: Vec<Value> = seats.collect();
    let began = debate.began_at();
    render(
        "head",
        context! { heading, whole, is_served, format => &plan.format, id => plan.id.as_str(), began => began.to_string(), seats },
    )
}

fn status(debate: &Debate, live: Option<&Live>, unread: Option<&str>) -> Result<String, Error> {
    let running = live.is_some_and(|live| live.running);
    let state = if live.is_some_and(|live| live.queued) { State::Queued } else { State::of(debate, running) };
    let until = if running { Timestamp::now() } else { debate.last_at() };
    let answered = debate.calls().filter(|(_, call)| matches!(call.state, CallState::Answered(_))).count();
    let total = debate.accounts().total();
    let planned = debate.format().outline(debate.plan()).len().max(answered);
    render(
        "status",
        context! {
            state => state.as_str(), running, is_served => live.is_some(),
            elapsed => report::duration(debate.elapsed_ms(until)), elapsed_ms => debate.elapsed_ms(until),
            answered, planned, tokens => debate.spent_tokens(), cost => cost(total.cost),
            problem => live.and_then(|live| live.problem.as_deref()).filter(|_| state == State::Interrupted), unread,
            can_cancel => running && debate.outcome().is_none(),
            can_resume => !running && matches!(state, State::Interrupted | State::Cancelled),
        },
    )
}

fn choice(debate: &Debate, live: &Live) -> Result<String, Error> {
    let choice = choose::offered(debate).filter(|_| !live.running).map(|choice| {
        let options = choice.options.iter();
        let options: Vec<Value> =
            options.map(|(name, meaning)| context! { name, meaning, recommended => *name == choice.recommended }).collect();
        context! { question => &choice.question, options, takes_text => lineup::offered(debate).is_some() }
    });
    render("choice", context! { choice })
}

fn now(debate: &Debate, live: &Live) -> Result<String, Error> {
    let calls = debate.calls().filter(|_| live.running).filter_map(|(key, call)| match call.state {
        CallState::UnderWay { since, .. } => {
            let tool = debate.plan().seat(&call.seat).map_or("", |seat| seat.tool.as_str());
            Some(context! {
                key => key.as_str(), seat => call.seat.as_str(), tool, phase => call.phase.to_string(),
                since => since.as_millisecond(), attempt => call.attempts,
            })
        }
        _ => None,
    });
    let calls: Vec<Value> = calls.collect();
    render("now", context! { calls })
}
