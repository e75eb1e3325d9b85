//! The intents of calls, and the limits that hold for all processes together.

use std::sync::Arc;
use std::time::Duration;

use rebut_core::debate::{DebateId, StepKey};

use super::claim::{Lease, millis};
use super::database::Database;
use super::journal::number;
use crate::store::{Calls, Intent, StoreError, Stored};

/// How often a call that waits for others to end asks again.
const ASK_AGAIN: Duration = Duration::from_millis(100);

pub(super) struct SharedCalls {
    database: Arc<Database>,
    id: DebateId,
    lease: i64,
}

impl SharedCalls {
    pub(super) fn of(lease: &Lease) -> Self {
        Self { database: Arc::clone(&lease.database), id: lease.id.clone(), lease: lease.number }
    }
}

impl Calls for SharedCalls {
    fn begin<'a>(&'a self, intent: &'a Intent<'a>) -> Stored<'a, ()> {
        Box::pin(async move {
            let limit = |most: Option<usize>| most.map(|most| number(most as u64));
            let (most, overall) = (limit(intent.most), limit(intent.overall));
            let again = number(u64::try_from(ASK_AGAIN.as_millis()).unwrap_or(u64::MAX));
            loop {
                let values: [&(dyn tokio_postgres::types::ToSql + Sync); 7] =
                    [&self.id.as_str(), &self.lease, &intent.key.as_str(), &intent.provider, &most, &overall, &again];
                let sql = "SELECT begin_call($1, $2, $3, $4, $5, $6, $7)";
                let rows = self.database.query("write the intent of a call to", sql, &values).await?;
                match rows.first().and_then(|row| row.get::<_, Option<i64>>(0)) {
                    None => return Ok(()),
                    Some(-1) => return Err(StoreError::Stale { id: self.id.clone() }),
                    Some(ms) => tokio::time::sleep(Duration::from_millis(ms.unsigned_abs())).await,
                }
            }
        })
    }

    fn slow_down<'a>(&'a self, provider: &'a str, wait: Duration) -> Stored<'a, ()> {
        Box::pin(async move {
            let sql = "INSERT INTO providers VALUES ($1, now() + $2 * interval '1 ms') ON CONFLICT (name)
                DO UPDATE SET quiet_until = greatest(providers.quiet_until, excluded.quiet_until)";
            self.database.query("slow calls down in", sql, &[&provider, &millis(wait)]).await.map(drop)
        })
    }
}

/// The calls of a debate that earlier processes may have paid for, without their outcome.
pub(super) async fn in_doubt(database: &Database, id: &DebateId) -> Result<Vec<StepKey>, StoreError> {
    let sql = "SELECT key FROM calls WHERE debate = $1 ORDER BY key";
    let rows = database.query("read the calls of a debate in", sql, &[&id.as_str()]).await?;
    Ok(rows.iter().map(|row| StepKey::new(row.get::<_, String>(0))).collect())
}
