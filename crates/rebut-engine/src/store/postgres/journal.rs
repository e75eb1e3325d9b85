//! The journal of a debate in the database: the lines of the one in files, a row each.

use std::io;

use rebut_core::debate::DebateId;

use super::blobs;
use super::database::Database;
use crate::store::decoding::decode;
use crate::store::long_texts::{Found, references};
use crate::store::{Cursor, Events, StoreError};

/// The events after the cursor.
pub(super) async fn read(database: &Database, id: &DebateId, since: &Cursor) -> Result<Events, StoreError> {
    let sql =
        "SELECT e.line FROM debates d LEFT JOIN events e ON e.debate = d.id AND e.seq >= $2 WHERE d.id = $1 ORDER BY e.seq";
    let from = number(since.events);
    let rows = database.query("read the events of", sql, &[&id.as_str(), &from]).await?;
    if rows.is_empty() {
        return Err(StoreError::Unknown { part: id.to_string() });
    }
    let (mut lines, mut hashes) = (Vec::new(), Vec::new());
    for line in rows.iter().filter_map(|row| row.get::<_, Option<&str>>(0)) {
        if line.contains("\"$blob\"")
            && let Ok(value) = serde_json::from_str(line)
        {
            references(&value, &mut hashes);
        }
        lines.extend_from_slice(line.as_bytes());
        lines.push(b'\n');
    }
    let texts = blobs::read(database, &hashes).await?;
    let found = |hash: &str| Found {
        place: format!("the blob {hash}"),
        content: texts.get(hash).cloned().ok_or_else(|| io::Error::other("the database has none")),
    };
    let place = || format!("{id} in {}", database.address.place);
    Ok(decode(&place, &lines, since.clone(), &found)?.events)
}

/// A count as the database has it.
pub(super) fn number(count: u64) -> i64 {
    i64::try_from(count).unwrap_or(i64::MAX)
}
