//! A debate as it goes on, sent to a browser as server-sent events. The id of an event is the number of journal events that
//! the page has with it, so that a browser that comes back is sent what it lacks.

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
use super::pieces::Sent as Known;

/// How often a journal is looked at while its debate runs, and while it rests.
const LOOK: Duration = Duration::from_millis(12);
const LOOK_AT_REST: Duration = Duration::from_millis(250);
/// How often it is asked whether a process runs the debate.
const ASK: Duration = Duration::from_millis(120);

/// Follows one debate for one browser.
pub(super) struct Following {
    store: Arc<dyn Store>,
    state: PathBuf,
    id: DebateId,
    read: Cursor,
    debate: Debate,
    excerpts: Excerpts,
    arriving: ArrivingText,
    /// What the browser has.
    known: Known,
    live: Live,
    asked: Option<Instant>,
    /// Whether the browser was told how the debate is doing.
    told: bool,
}

impl Following {
    /// Follows a debate from this number of events on.
    pub(super) async fn from(store: Arc<dyn Store>, state: PathBuf, id: DebateId, seq: u64) -> Result<Self, String> {
        let read = store.events(&id, &Cursor::default()).await.map_err(|error| error.to_string())?;
        let next = read.next.clone();
        let mut events = read.trusted().map_err(|error| error.to_string())?;
        // No page shows a debate before its plan.
        let seen = usize::try_from(seq.max(1)).unwrap_or(usize::MAX);
        let later = events.split_off(events.len().min(seen));
        let mut debate = fold(events).map_err(|error| error.to_string())?;
        let mut excerpts = Excerpts::of(debate.plan(), store.as_ref()).await.map_err(|error| error.to_string())?;
        let live = Live::default();
        let mut known = Known::of(&pieces(&debate, &mut excerpts, Some(&live)).map_err(|error| error.to_string())?);
        known.forget(&VOLATILE);
        later.into_iter().try_for_each(|event| debate.apply(event)).map_err(|error| error.to_string())?;
        let arriving = ArrivingText::of(&state, &id);
        let live = Live::default();
        Ok(Self { store, state, id, read: next, debate, excerpts, arriving, known, live, asked: None, told: false })
    }

    /// What the browser is sent, without end.
    pub(super) fn stream(self) -> impl Stream<Item = Result<Sent, std::convert::Infallible>> {
        unfold(self, |mut following| async move {
            loop {
                match following.look().await {
                    Ok(Some(sent)) => return Some((Ok(sent), following)),
                    Ok(None) => {
                        let pause = if following.live.running { LOOK } else { LOOK_AT_REST };
                        tokio::time::sleep(pause).await;
                    }
                    // The browser reconnects and gets the error then.
                    Err(_) => return None,
                }
            }
        })
    }

    /// What is new since the last look.
    async fn look(&mut self) -> Result<Option<Sent>, String> {
        let mut changed = !std::mem::replace(&mut self.told, true);
        if self.asked.is_none_or(|asked| asked.elapsed() >= ASK) {
            self.asked = Some(Instant::now());
            // Asked first: one that ends in between is read to its end.
            let live = Live::of(self.store.as_ref(), &self.state, &self.id).await.map_err(|error| error.to_string())?;
            changed |= live != self.live;
            self.live = live;
        }
        let read = self.store.events(&self.id, &self.read).await.map_err(|error| error.to_string())?;
        let next = read.next.clone();
        let events = read.trusted().map_err(|error| error.to_string())?;
        let (mut at, mut said) = (None, Vec::new());
        for event in events {
            at = Some(event.at);
            said.extend(in_words(&event.happening));
            self.debate.apply(event).map_err(|error| error.to_string())?;
            changed = true;
        }
        self.read = next;
        if changed {
            let pieces = pieces(&self.debate, &mut self.excerpts, Some(&self.live)).map_err(|error| error.to_string())?;
            let change = self.known.change_to(&pieces);
            if !change.is_empty() {
                let data = json!({
                    "pieces": change.pieces, "removed": change.removed, "said": said.join(". "),
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

/// What a screen reader says of an event.
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
