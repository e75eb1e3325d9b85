//! The versions of the tables. Any process that connects brings them up to date; many may do so at the same time.

use tokio_postgres::Client;

use super::failure::Failure;

/// Each turns the version before it into the next.
const MIGRATIONS: [&str; 1] = [include_str!("migrations/1.sql")];

/// The version that this program reads and writes.
#[expect(clippy::cast_possible_truncation, clippy::cast_possible_wrap, reason = "there are few")]
const VERSION: i32 = MIGRATIONS.len() as i32;

/// Brings the tables of this schema to this version. If they have it, nothing is written, so a role that may not create
/// tables can work.
pub(super) async fn run(client: &Client, schema: &str) -> Result<(), Failure> {
    if version(client).await? == Some(VERSION) {
        return Ok(());
    }
    // One at a time: the lock ends with the transaction, however that ends.
    client.batch_execute(&format!("BEGIN; SELECT pg_advisory_xact_lock(hashtext('{schema} migrations'))")).await?;
    client.batch_execute(&format!("CREATE SCHEMA IF NOT EXISTS \"{schema}\"")).await?;
    client
        .batch_execute("CREATE TABLE IF NOT EXISTS migrations (version integer PRIMARY KEY, at timestamptz DEFAULT now())")
        .await?;
    let found = version(client).await?.unwrap_or(0);
    if found > VERSION {
        return Err(Failure::Newer { found, known: VERSION });
    }
    for (number, sql) in (1..).zip(MIGRATIONS).filter(|(number, _)| *number > found) {
        client.batch_execute(sql).await?;
        client.batch_execute(&format!("INSERT INTO migrations (version) VALUES ({number})")).await?;
    }
    Ok(client.batch_execute("COMMIT").await?)
}

/// The version of the tables; none if there are none.
async fn version(client: &Client) -> Result<Option<i32>, Failure> {
    let there = client.query_one("SELECT to_regclass('migrations') IS NOT NULL", &[]).await?;
    if !there.get::<_, bool>(0) {
        return Ok(None);
    }
    let row = client.query_one("SELECT max(version) FROM migrations", &[]).await?;
    Ok(row.get(0))
}
