//! Streams a debate to a browser as server-sent events. An event's id is the number of journal events that the page shows
//! with it: a browser that reconnects sends it, and gets what it lacks.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use axum::response::sse::Event as Sent;
use futures_util::stream::{Stream, unfold};
use jiff::Timestamp;
use rebut_core::debate::{Debate, DebateId, Happening, StepKey};
use rebut_core::formats::fold;
use rebut_engine::checks::Excerpts;
use rebut_engine::session::{ArrivingText, Piece as Arrived};
use rebut_engine::store::{Cursor, Store};
use serde_json::json;
use tokio::time::Instant;

use super::page::{Live, VOLATILE, pieces};
use super::pieces::Known;
use super::server::Refused;

/// How often a journal is read while its debate runs, and otherwise.
const POLL: Duration = Duration::from_millis(12);
const POLL_IDLE: Duration = Duration::from_millis(250);
/// How often it is checked whether a process runs the debate.
const POLL_PROCESS: Duration = Duration::from_millis(120);

pub(super) struct Following {
    store: Arc<dyn Store>,
    state: PathBuf,
    id: DebateId,
    read: Cursor,
    debate: Debate,
    excerpts: Excerpts,
    arriving: ArrivingText,
    known: Known,
    live: Live,
    checked: Option<Instant>,
    /// Whether the browser has the state of the debate.
    has_state: bool,
}

impl Following {
    /// Follows a debate for a browser that has this many of its events.
    pub(super) async fn from(store: Arc<dyn Store>, state: PathBuf, id: DebateId, seq: u64) -> Result<Self, Refused> {
        let read = store.events(&id, &Cursor::default()).await?;
        let next = read.next.clone();
        let mut events = read.trusted()?;
        // Every page shows the plan.
        let seen = usize::try_from(seq.max(1)).unwrap_or(usize::MAX);
        let later = events.split_off(events.len().min(seen));
        let mut debate = fold(events)?;
        let mut excerpts = Excerpts::of(debate.plan(), store.as_ref()).await;
        let live = Live::default();
        let mut known = Known::of(&pieces(&debate, &mut excerpts, Some(&live))?);
        known.forget(&VOLATILE);
        later.into_iter().try_for_each(|event| debate.apply(event))?;
        let arriving = ArrivingText::of(&state, &id);
        let live = Live::default();
        Ok(Self { store, state, id, read: next, debate, excerpts, arriving, known, live, checked: None, has_state: false })
    }

    /// What the browser is sent; never ends.
    pub(super) fn stream(self) -> impl Stream<Item = Result<Sent, std::convert::Infallible>> {
        unfold(self, |mut following| async move {
            loop {
                match following.next().await {
                    Ok(Some(sent)) => return Some((Ok(sent), following)),
                    Ok(None) => {
                        let pause = if following.live.running { POLL } else { POLL_IDLE };
                        tokio::time::sleep(pause).await;
                    }
                    // The browser reconnects and gets the error then.
                    Err(_) => return None,
                }
            }
        })
    }

    async fn next(&mut self) -> Result<Option<Sent>, Refused> {
        let mut changed = !std::mem::replace(&mut self.has_state, true);
        if self.checked.is_none_or(|checked| checked.elapsed() >= POLL_PROCESS) {
            self.checked = Some(Instant::now());
            // Before the journal: a debate that ends in between is read to its end.
            let live = Live::of(self.store.as_ref(), &self.state, &self.id).await?;
            changed |= live != self.live;
            self.live = live;
        }
        let read = self.store.events(&self.id, &self.read).await?;
        let next = read.next.clone();
        let events = read.trusted()?;
        let (mut at, mut said) = (None, Vec::new());
        for event in events {
            at = Some(event.at);
            said.extend(in_words(&event.happening));
            self.debate.apply(event)?;
            changed = true;
        }
        self.read = next;
        if changed {
            let pieces = pieces(&self.debate, &mut self.excerpts, Some(&self.live))?;
            let (pieces, removed) = self.known.change_to(&pieces);
            if !pieces.is_empty() || !removed.is_empty() {
                let data = json!({
                    "pieces": pieces, "removed": removed, "said": said.join(". "),
                    "at": at.map(Timestamp::as_millisecond),
                });
                let sent = Sent::default().event("change").id(self.debate.events().to_string()).data(data.to_string());
                return Ok(Some(sent));
            }
        }
        let arrived: Vec<Arrived> = self.arriving.added();
        if arrived.is_empty() {
            return Ok(None);
        }
        Ok(Some(Sent::default().event("text").data(json!(arrived).to_string())))
    }
}

/// How a screen reader announces an event.
fn in_words(happening: &Happening) -> Option<String> {
    let of = |key: &StepKey| key.as_str().replace('/', ", ");
    match happening {
        Happening::Answered { key, .. } => Some(format!("Answered: {}", of(key))),
        Happening::Failed { key, .. } => Some(format!("Failed: {}", of(key))),
        Happening::Finished { .. } => Some("The debate has ended".to_owned()),
        Happening::Interrupted { .. } => Some("The debate was stopped".to_owned()),
        _ => None,
    }
}
