//! A claim in the database: a lease that is renewed while the process lives. Every statement that writes names the number of
//! the lease, and does nothing once another process has taken the debate over.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc;
use std::time::Duration;

use rebut_core::debate::{DebateId, Event, Happening, StepKey};
use tokio::task::AbortHandle;

use super::database::Database;
use super::journal::number;
use super::{blobs, calls};
use crate::store::files::Fault;
use crate::store::line::{self, Encoded};
use crate::store::{Calls, Claim, Cursor, Held, Queued, Request, StoreError, Stored, Summary};

/// How long a process that gives a debate back waits for the database. After that the lease runs out.
const GOODBYE: Duration = Duration::from_secs(5);

/// The right to write one debate until another process takes it over.
pub(super) struct Lease {
    pub(super) database: Arc<Database>,
    pub(super) id: DebateId,
    pub(super) number: i64,
    /// Whether another process has it by now, as far as is known.
    is_lost: Arc<AtomicBool>,
    heart: Option<AbortHandle>,
}

impl Lease {
    /// A lease that was just taken, renewed from now on.
    pub(super) fn kept(database: &Arc<Database>, id: DebateId, number: i64) -> Self {
        let is_lost = Arc::new(AtomicBool::new(false));
        let beating = beat(Arc::clone(database), id.clone(), number, Arc::clone(&is_lost));
        let heart = database.background().map(|background| background.spawn(beating).abort_handle());
        Self { database: Arc::clone(database), id, number, is_lost, heart }
    }

    fn stale(&self) -> StoreError {
        self.is_lost.store(true, Ordering::Relaxed);
        StoreError::Stale { id: self.id.clone() }
    }

    fn check(&self) -> Result<(), StoreError> {
        if self.is_lost.load(Ordering::Relaxed) { Err(self.stale()) } else { Ok(()) }
    }
}

async fn beat(database: Arc<Database>, id: DebateId, lease: i64, is_lost: Arc<AtomicBool>) {
    let sql = "UPDATE debates SET until = now() + $3 * interval '1 ms' WHERE id = $1 AND lease = $2 RETURNING 1";
    let term = millis(database.address.options.lease);
    loop {
        tokio::time::sleep(database.address.options.heartbeat).await;
        let renewed = database.query("renew the lease of a debate in", sql, &[&id.as_str(), &lease, &term]).await;
        // If the database cannot be reached, the next beat tries again, and an append reports it.
        if renewed.is_ok_and(|rows| rows.is_empty()) {
            is_lost.store(true, Ordering::Relaxed);
            return;
        }
    }
}

impl Drop for Lease {
    fn drop(&mut self) {
        if let Some(heart) = self.heart.take() {
            heart.abort();
        }
        if self.is_lost.load(Ordering::Relaxed) {
            return;
        }
        let Some(background) = self.database.background() else { return };
        let (database, id, lease) = (Arc::clone(&self.database), self.id.clone(), self.number);
        let (sender, heard) = mpsc::channel();
        background.spawn(async move {
            let sql = "
                WITH freed AS (
                    UPDATE debates SET until = NULL, owner = NULL WHERE id = $1 AND lease = $2 RETURNING queued
                )
                SELECT pg_notify('rebut_' || current_schema(), 'queue') FROM freed WHERE queued IS NOT NULL";
            // If that fails, the lease runs out.
            let _ = database.query("release a debate in", sql, &[&id.as_str(), &lease]).await;
            let _ = sender.send(());
        });
        let _ = heard.recv_timeout(GOODBYE);
    }
}

impl Held for Lease {
    fn remove(self: Box<Self>) -> Stored<'static, ()> {
        Box::pin(async move {
            let sql = "SELECT remove_debate($1, $2)";
            let rows = self.database.query("remove a debate from", sql, &[&self.id.as_str(), &self.number]).await?;
            let removed = rows.first().is_some_and(|row| row.get(0));
            if removed { Ok(()) } else { Err(self.stale()) }
        })
    }
}

/// A debate that this process writes.
pub(super) struct PostgresClaim {
    lease: Lease,
    folder: PathBuf,
    /// The place of the next event.
    at: Cursor,
    epoch: u64,
    /// The hashes of blobs that this process has stored.
    kept: BTreeSet<String>,
    fault: Option<Fault>,
}

impl PostgresClaim {
    pub(super) fn new(lease: Lease, folder: PathBuf, fault: Option<Fault>) -> Self {
        Self { lease, folder, at: Cursor::default(), epoch: 0, kept: BTreeSet::new(), fault }
    }

    /// The same for a debate with these events.
    pub(super) fn after(self, at: Cursor, events: &[Event]) -> Self {
        let resumed = events.iter().filter(|event| matches!(event.happening, Happening::Resumed { .. })).count();
        Self { at, epoch: resumed as u64, ..self }
    }

    async fn append_now(&mut self, event: &Event) -> Result<(), StoreError> {
        self.lease.check()?;
        let (database, id) = (Arc::clone(&self.lease.database), self.lease.id.clone());
        let seq = self.at.events;
        let encoded = line::encode(seq, self.at.hash.as_deref(), event);
        let Encoded { line, hash, texts } =
            encoded.map_err(|error| StoreError::io("encode an event for", Path::new(id.as_str()))(error.into()))?;
        for (hash, text) in texts {
            if !self.kept.contains(&hash) {
                blobs::keep(&database, &id, &hash, text.as_bytes()).await?;
                self.kept.insert(hash);
            }
        }
        if let Some(fault) = self.fault {
            fault.before(seq);
        }
        let bytes = line.len() as u64;
        let line = String::from_utf8_lossy(line.trim_ascii_end()).into_owned();
        self.write(event, number(seq), &line).await?;
        self.at = Cursor { events: seq + 1, bytes: self.at.bytes + bytes, hash: Some(hash) };
        self.epoch += u64::from(matches!(event.happening, Happening::Resumed { .. }));
        if let Some(fault) = self.fault {
            fault.after(seq);
        }
        Ok(())
    }

    /// Appends a line, and with it settles the request and ends the call that it answers.
    async fn write(&self, event: &Event, seq: i64, line: &str) -> Result<(), StoreError> {
        const APPEND: &str = "
            WITH owned AS (
                UPDATE debates SET events = $3 + 1, until = greatest(until, now() + $5 * interval '1 ms'),
                    queued = CASE WHEN $6 THEN NULL ELSE queued END
                WHERE id = $1 AND lease = $2 AND events = $3 RETURNING id
            ), settled AS (
                DELETE FROM requests USING owned WHERE debate = owned.id AND key = $7
            ), answered AS (
                DELETE FROM calls USING owned WHERE debate = owned.id AND key = $8
            )
            INSERT INTO events (debate, seq, lease, line) SELECT id, $3, $2, $4 FROM owned RETURNING seq";
        let Lease { database, id, number, .. } = &self.lease;
        let is_over = matches!(event.happening, Happening::Finished { .. } | Happening::Interrupted { .. });
        let chosen = match &event.happening {
            Happening::Chosen { key, .. } => Some(key.as_str()),
            _ => None,
        };
        let ended = event.happening.ended_call().map(StepKey::as_str);
        let term = millis(database.address.options.lease);
        let values: [&(dyn tokio_postgres::types::ToSql + Sync); 8] =
            [&id.as_str(), number, &seq, &line, &term, &is_over, &chosen, &ended];
        let appended = database.query("append an event to a debate in", APPEND, &values).await?;
        if !appended.is_empty() {
            return Ok(());
        }
        // It is there already if the answer to an earlier attempt was lost.
        let there = "SELECT 1 FROM debates d JOIN events e ON e.debate = d.id
            WHERE d.id = $1 AND d.lease = $2 AND e.seq = $3 AND e.line = $4";
        let rows = database.query("read an event of", there, &[&id.as_str(), number, &seq, &line]).await?;
        if rows.is_empty() { Err(self.lease.stale()) } else { Ok(()) }
    }
}

impl Claim for PostgresClaim {
    fn id(&self) -> &DebateId {
        &self.lease.id
    }

    fn epoch(&self) -> u64 {
        self.epoch
    }

    fn append<'a>(&'a mut self, event: &'a Event) -> Stored<'a, ()> {
        Box::pin(self.append_now(event))
    }

    fn summarize<'a>(&'a mut self, summary: &'a Summary) -> Stored<'a, ()> {
        Box::pin(async move {
            let Lease { database, id, number: lease, .. } = &self.lease;
            super::listing::store(database, id, number(self.at.events), Some(*lease), summary).await
        })
    }

    fn blobs(&self) -> &Path {
        &self.folder
    }

    fn keep<'a>(&'a mut self, hash: &'a str) -> Stored<'a, ()> {
        Box::pin(async move {
            blobs::keep_file(&self.lease.database, &self.lease.id, hash, &self.folder).await?;
            self.kept.insert(hash.to_owned());
            Ok(())
        })
    }

    fn requests(&mut self) -> Stored<'_, Vec<Request>> {
        Box::pin(async move {
            self.lease.check()?;
            let sql = "
                WITH taken AS (
                    DELETE FROM requests WHERE debate = $1 AND key IS NULL
                        AND EXISTS (SELECT FROM debates WHERE id = $1 AND lease = $2)
                    RETURNING number, request
                )
                SELECT number, request FROM taken
                UNION ALL SELECT number, request FROM requests WHERE debate = $1 AND key IS NOT NULL ORDER BY 1";
            let Lease { database, id, number, .. } = &self.lease;
            let rows = database.query("take the requests of a debate from", sql, &[&id.as_str(), number]).await?;
            Ok(rows.iter().filter_map(|row| serde_json::from_str(row.get(1)).ok()).collect())
        })
    }

    fn queue<'a>(&'a mut self, queued: Queued<'a>) -> Stored<'a, bool> {
        Box::pin(async move {
            let tools = if let Queued::For(tools) = queued { Some(tools) } else { None };
            let sql = "
                UPDATE debates SET seats = coalesce($3, seats), problem = NULL,
                    queued = CASE WHEN $4 AND coalesce($3, seats) <> '{}' THEN coalesce(queued, now()) END
                WHERE id = $1 AND lease = $2 RETURNING queued IS NOT NULL";
            let Lease { database, id, number, .. } = &self.lease;
            let waits = queued != Queued::No;
            let rows = database.query("queue a debate in", sql, &[&id.as_str(), number, &tools, &waits]).await?;
            rows.first().map(|row| row.get(0)).ok_or_else(|| self.lease.stale())
        })
    }

    fn calls(&self) -> Option<Arc<dyn Calls>> {
        Some(Arc::new(calls::SharedCalls::of(&self.lease)))
    }

    fn discard(self: Box<Self>) -> Stored<'static, ()> {
        Box::pin(async move {
            if self.at.events > 0 {
                return Err(StoreError::NotADebate { path: self.lease.id.as_str().into() });
            }
            Box::new(self.lease).remove().await
        })
    }
}

/// A time as the database takes it.
pub(super) fn millis(time: Duration) -> f64 {
    time.as_secs_f64() * 1_000.0
}
