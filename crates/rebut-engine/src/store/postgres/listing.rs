//! Lists debates from their stored summaries. If one is older than the last event, the journal is read.

use std::path::Path;

use rebut_core::debate::DebateId;
use tokio_postgres::Row;

use super::database::Database;
use super::journal;
use crate::store::{Cursor, Events, Listed, State, StoreError, Summary, only_match};

/// The newest debates of these workspaces, or of all, newest first.
pub(super) async fn newest(
    database: &Database,
    workspaces: Option<&[&Path]>,
    most: Option<i64>,
) -> Result<Vec<Listed>, StoreError> {
    let workspaces: Option<Vec<String>> =
        workspaces.map(|those| those.iter().map(|path| path.display().to_string()).collect());
    let sql = "
        SELECT id, events, summary, summarized IS NOT DISTINCT FROM events, coalesce(until > now(), false),
            queued IS NOT NULL, problem
        FROM debates WHERE $1::text[] IS NULL OR workspace = ANY ($1) OR workspace IS NULL
        ORDER BY began DESC, created DESC NULLS FIRST, id DESC LIMIT $2";
    let mut listed = Vec::new();
    for row in database.query("list the debates of", sql, &[&workspaces, &most]).await? {
        listed.extend(look(database, &row).await?);
    }
    Ok(listed)
}

/// The debate whose id contains this part, or the newest for `last`.
pub(super) async fn find(database: &Database, part: &str) -> Result<DebateId, StoreError> {
    let doing = "look for a debate in";
    let ids = |rows: Vec<Row>| rows.iter().filter_map(|row| DebateId::parse(row.get(0))).collect::<Vec<_>>();
    if part == "last" {
        let sql = "SELECT id FROM debates ORDER BY began DESC, created DESC NULLS FIRST, id DESC LIMIT 1";
        return ids(database.query(doing, sql, &[]).await?).pop().ok_or(StoreError::NoDebates);
    }
    let sql = "SELECT id FROM debates WHERE position($1 IN id) > 0";
    only_match(part, ids(database.query(doing, sql, &[&part]).await?))
}

/// A debate as a list shows it; none if it was removed meanwhile.
async fn look(database: &Database, row: &Row) -> Result<Option<Listed>, StoreError> {
    let Some(id) = DebateId::parse(row.get(0)) else { return Ok(None) };
    let [is_current, is_claimed, is_queued] = [3, 4, 5].map(|column| row.get::<_, bool>(column));
    let summary = row.get::<_, Option<&str>>(2).and_then(|text| serde_json::from_str(text).ok());
    let in_progress = || match (is_claimed, is_queued) {
        (true, _) => Some(State::Running),
        (false, true) => Some(State::Queued),
        (false, false) => None,
    };
    if let Some(listed) = Listed::by_summary(&id, summary, is_current, in_progress) {
        return Ok(Some(Listed { problem: row.get(6), ..listed }));
    }
    let events = match journal::read(database, &id, &Cursor::default()).await.and_then(Events::trusted) {
        Err(StoreError::Unknown { .. }) => return Ok(None),
        Err(error @ StoreError::Database { .. }) => return Err(error),
        events => events,
    };
    let listed = Listed::by_journal(id, events);
    if let Some(summary) = &listed.summary {
        // If it cannot be stored, the next list reads the journal again.
        let _ = store(database, &listed.id, row.get(1), None, summary).await;
    }
    Ok(Some(listed))
}

/// Stores a summary of the debate after so many events: under this lease, or without one where there are no more events yet.
pub(super) async fn store(
    database: &Database,
    id: &DebateId,
    events: i64,
    lease: Option<i64>,
    summary: &Summary,
) -> Result<(), StoreError> {
    let sql = "UPDATE debates SET summary = $3, summarized = $2, workspace = $5, created = $6
        WHERE id = $1 AND events = $2 AND ($4::bigint IS NULL OR lease = $4)";
    let text = serde_json::to_string(summary).map_err(std::io::Error::from);
    let text = text.map_err(StoreError::io("encode a summary of", Path::new(id.as_str())))?;
    let values: [&(dyn tokio_postgres::types::ToSql + Sync); 6] =
        [&id.as_str(), &events, &text, &lease, &summary.workspace, &summary.created];
    database.query("store a summary in", sql, &values).await.map(drop)
}
