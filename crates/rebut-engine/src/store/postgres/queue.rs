//! Debates that wait for workers: rows of a table, taken one by one without two workers waiting for each other.

use std::time::Duration;

use futures_util::future::BoxFuture;
use rebut_core::debate::DebateId;

use super::PostgresStore;
use super::claim::{Lease, millis};
use crate::chance;
use crate::store::{Claimed, Queue, StoreError, Stored};

impl PostgresStore {
    async fn take_next(&self, tools: &[String]) -> Result<Option<Claimed>, StoreError> {
        let sql = "
            UPDATE debates SET lease = lease + 1, owner = $1, until = now() + $2 * interval '1 ms'
            WHERE id = (
                SELECT id FROM debates
                WHERE queued IS NOT NULL AND seats <@ $3 AND (until IS NULL OR until <= now() OR owner = $1)
                ORDER BY queued LIMIT 1 FOR UPDATE SKIP LOCKED
            )
            RETURNING id, lease";
        let (owner, term) = (chance::mark(), millis(self.database.address.options.lease));
        let rows = self.database.query("take a debate from the queue of", sql, &[&owner, &term, &tools]).await?;
        let Some((id, number)) = rows.first().and_then(|row| Some((DebateId::parse(row.get(0))?, row.get(1)))) else {
            return Ok(None);
        };
        match self.claimed(Lease::kept(&self.database, id.clone(), number)).await {
            Ok(claimed) => Ok(Some(claimed)),
            Err(error @ StoreError::Database { .. }) => Err(error),
            // One that cannot be read must not be taken again and again.
            Err(error) => self.give_up(&id, &error.to_string()).await.map(|()| None),
        }
    }
}

impl Queue for PostgresStore {
    fn next<'a>(&'a self, tools: &'a [String]) -> Stored<'a, Option<Claimed>> {
        Box::pin(self.take_next(tools))
    }

    fn news(&self, most: Duration) -> BoxFuture<'_, ()> {
        Box::pin(async move {
            // Without a connection there is no news, and the time passes.
            let _ = tokio::time::timeout(most, self.database.queued()).await;
        })
    }

    fn give_up<'a>(&'a self, id: &'a DebateId, why: &'a str) -> Stored<'a, ()> {
        Box::pin(async move {
            let sql = "UPDATE debates SET queued = NULL, problem = $2
                WHERE id = $1 AND queued IS NOT NULL AND (until IS NULL OR until <= now())";
            self.database.query("take a debate out of the queue of", sql, &[&id.as_str(), &why]).await.map(drop)
        })
    }

    fn waiting(&self) -> Stored<'_, u64> {
        Box::pin(async move {
            let sql = "SELECT count(*) FROM debates WHERE queued IS NOT NULL AND (until IS NULL OR until <= now())";
            let rows = self.database.query("count the queue of", sql, &[]).await?;
            Ok(rows.first().map_or(0, |row| row.get::<_, i64>(0).unsigned_abs()))
        })
    }
}
