//! Debates in a Postgres database, for many machines.
//!
//! The journal has the same lines as in files, a row each; long texts and pinned workspaces are blobs in chunks. A claim is a
//! lease with a number: it is renewed while its process lives, another process may take the debate over once it has run out,
//! and what is written under an earlier number is refused by the statement itself.

mod address;
mod blobs;
mod calls;
mod claim;
mod database;
mod failure;
mod journal;
mod listing;
mod migrations;
mod queue;
mod tls;

use std::path::{Path, PathBuf};
use std::sync::Arc;

use jiff::Timestamp;
use rebut_core::debate::DebateId;

pub(crate) use address::is_schema;
pub use address::{Address, ConnectOptions};
use claim::{Lease, PostgresClaim, millis};
use database::Database;
pub use failure::DatabaseFault;

use super::files::{BLOBS, Fault};
use super::{Claim, Claimed, Cursor, Doubt, Earlier, Events, Held, Listed, Queue, Request, Store, StoreError, Stored};
use crate::chance;

/// How many ids are tried before giving up on finding a free one.
const ID_TRIES: u32 = 64;

/// Debates in a database.
#[derive(Clone)]
pub struct PostgresStore {
    database: Arc<Database>,
    /// The folder of this machine for blobs that must be files.
    cache: PathBuf,
    fault: Option<Fault>,
}

impl PostgresStore {
    /// Nothing is connected before it is needed.
    pub fn new(address: Address, cache: impl Into<PathBuf>) -> Result<Self, StoreError> {
        Ok(Self { database: Database::at(address)?, cache: cache.into(), fault: None })
    }

    /// The same with a fault for tests.
    #[must_use]
    pub fn with_fault(self, fault: Option<Fault>) -> Self {
        Self { fault, ..self }
    }

    fn folder(&self, id: &DebateId) -> PathBuf {
        self.cache.join(id.as_str()).join(BLOBS)
    }

    async fn create_now(&self, at: Timestamp) -> Result<PostgresClaim, StoreError> {
        let owner = chance::mark();
        let term = millis(self.database.address.options.lease);
        for _ in 0..ID_TRIES {
            let id = DebateId::new(at, chance::small_number());
            let sql = "
                WITH made AS (
                    INSERT INTO debates (id, began, owner, until) VALUES ($1, $2, $3, now() + $4 * interval '1 ms')
                    ON CONFLICT DO NOTHING RETURNING lease
                )
                SELECT lease FROM made UNION ALL SELECT lease FROM debates WHERE id = $1 AND owner = $3";
            let values: [&(dyn tokio_postgres::types::ToSql + Sync); 4] = [&id.as_str(), &id.second(), &owner, &term];
            let rows = self.database.query("create a debate in", sql, &values).await?;
            if let Some(row) = rows.first() {
                let folder = self.folder(&id);
                let lease = Lease::kept(&self.database, id, row.get(0));
                return Ok(PostgresClaim::new(lease, folder, self.fault));
            }
        }
        let place = self.database.address.place.clone();
        let (doing, why) = ("create a debate in", "every id that was tried is taken".to_owned());
        Err(StoreError::Database { doing, place, why, fault: DatabaseFault::Other })
    }

    /// Takes the lease of a debate that no process has.
    async fn lease(&self, id: &DebateId, earlier: Earlier) -> Result<Lease, StoreError> {
        // A request that comes after the lease was taken is meant for this run.
        let sql = "
            WITH taken AS (
                UPDATE debates SET lease = lease + 1, owner = $2, until = now() + $3 * interval '1 ms'
                WHERE id = $1 AND (until IS NULL OR until <= now()) RETURNING lease
            ), dropped AS (
                DELETE FROM requests WHERE $4 AND debate = $1 AND key IS NULL AND EXISTS (SELECT FROM taken)
            )
            SELECT lease FROM taken UNION ALL SELECT lease FROM debates WHERE id = $1 AND owner = $2";
        let (owner, term, drops) =
            (chance::mark(), millis(self.database.address.options.lease), earlier == Earlier::Dropped);
        let rows = self.database.query("claim a debate in", sql, &[&id.as_str(), &owner, &term, &drops]).await?;
        match rows.first() {
            Some(row) => Ok(Lease::kept(&self.database, id.clone(), row.get(0))),
            None if self.is_claimed(id).await? => Err(StoreError::Claimed { id: id.clone() }),
            // Another process has just given it back.
            None => Box::pin(self.lease(id, earlier)).await,
        }
    }

    /// A debate whose lease was taken, with its events.
    async fn claimed(&self, lease: Lease) -> Result<Claimed, StoreError> {
        let id = lease.id.clone();
        let read = journal::read(&self.database, &id, &Cursor::default()).await?;
        let next = read.next.clone();
        let events = read.trusted()?;
        if events.is_empty() {
            return Err(StoreError::Empty { id });
        }
        let in_doubt = Doubt::About(calls::in_doubt(&self.database, &id).await?);
        let claim = PostgresClaim::new(lease, self.folder(&id), self.fault).after(next, &events);
        Ok(Claimed { claim: Box::new(claim), events, note: None, in_doubt })
    }
}

impl Store for PostgresStore {
    fn create(&self, at: Timestamp) -> Stored<'_, Box<dyn Claim>> {
        Box::pin(async move { Ok(Box::new(self.create_now(at).await?) as Box<dyn Claim>) })
    }

    fn claim<'a>(&'a self, id: &'a DebateId, earlier: Earlier) -> Stored<'a, Claimed> {
        Box::pin(async move { self.claimed(self.lease(id, earlier).await?).await })
    }

    fn events<'a>(&'a self, id: &'a DebateId, since: &'a Cursor) -> Stored<'a, Events> {
        Box::pin(journal::read(&self.database, id, since))
    }

    fn is_claimed<'a>(&'a self, id: &'a DebateId) -> Stored<'a, bool> {
        Box::pin(async move {
            let sql = "SELECT coalesce(until > now(), false) FROM debates WHERE id = $1";
            let rows = self.database.query("look at a debate in", sql, &[&id.as_str()]).await?;
            let row = rows.first().ok_or_else(|| StoreError::Unknown { part: id.to_string() })?;
            Ok(row.get(0))
        })
    }

    fn list(&self) -> Stored<'_, Vec<Listed>> {
        Box::pin(async move {
            let mut listed = listing::newest(&self.database, None, None).await?;
            listed.reverse();
            Ok(listed)
        })
    }

    fn newest<'a>(&'a self, workspaces: Option<&'a [&'a Path]>, most: usize) -> Stored<'a, Vec<Listed>> {
        Box::pin(listing::newest(&self.database, workspaces, Some(journal::number(most as u64))))
    }

    fn find<'a>(&'a self, part: &'a str) -> Stored<'a, DebateId> {
        Box::pin(listing::find(&self.database, part))
    }

    fn blob<'a>(&'a self, id: &'a DebateId, hash: &'a str) -> Stored<'a, PathBuf> {
        Box::pin(async move {
            let folder = self.folder(id);
            blobs::fetch(&self.database, id, hash, &folder).await?;
            Ok(folder.join(hash))
        })
    }

    fn request<'a>(&'a self, id: &'a DebateId, request: &'a Request) -> Stored<'a, ()> {
        Box::pin(async move {
            let key = match request {
                Request::Cancel => None,
                Request::Choose { key, .. } => Some(key.as_str()),
            };
            let doing = "ask something of a debate in";
            let text = serde_json::to_string(request).map_err(std::io::Error::from);
            let text = text.map_err(StoreError::io("encode a request for", std::path::Path::new(id.as_str())))?;
            let sql = "
                WITH asked AS (
                    INSERT INTO requests (debate, key, request) SELECT id, $2, $3 FROM debates WHERE id = $1
                    ON CONFLICT (debate, key) DO NOTHING RETURNING request
                )
                SELECT request FROM asked UNION ALL SELECT request FROM requests WHERE debate = $1 AND key = $2";
            let rows = self.database.query(doing, sql, &[&id.as_str(), &key, &text]).await?;
            let earlier = rows.first().ok_or_else(|| StoreError::Unknown { part: id.to_string() })?;
            match serde_json::from_str(earlier.get(0)) {
                Ok(earlier) if earlier == *request => Ok(()),
                Ok(Request::Choose { option, .. }) => Err(StoreError::Chosen { option }),
                _ => Ok(()),
            }
        })
    }

    fn queue(&self) -> Option<&dyn Queue> {
        Some(self)
    }

    fn is_queued<'a>(&'a self, id: &'a DebateId) -> Stored<'a, bool> {
        Box::pin(async move {
            let sql = "SELECT queued IS NOT NULL FROM debates WHERE id = $1";
            let rows = self.database.query("look at a debate in", sql, &[&id.as_str()]).await?;
            Ok(rows.first().is_some_and(|row| row.get(0)))
        })
    }

    fn address(&self) -> Option<&str> {
        Some(&self.database.address.url)
    }

    fn hold<'a>(&'a self, id: &'a DebateId) -> Stored<'a, Box<dyn Held>> {
        Box::pin(async move { Ok(Box::new(self.lease(id, Earlier::Kept).await?) as Box<dyn Held>) })
    }
}
