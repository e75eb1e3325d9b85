//! Blobs in the database, in chunks. Pinned workspaces are cached as files on this machine.

use std::collections::HashMap;
use std::fs;
use std::io;
use std::path::Path;

use rebut_core::debate::DebateId;

use super::database::Database;
use crate::chance;
use crate::store::files::{create_folder, replace_file};
use crate::store::long_texts::hash_of;
use crate::store::{Damage, StoreError};

/// The size of a chunk in bytes.
const CHUNK: usize = 1024 * 1024;

/// Makes content part of a debate.
pub(super) async fn keep(database: &Database, id: &DebateId, hash: &str, content: &[u8]) -> Result<(), StoreError> {
    let chunks: Vec<(i32, &[u8])> = (0..).zip(content.chunks(CHUNK)).collect();
    let count = i32::try_from(chunks.len()).unwrap_or(i32::MAX);
    let rows = database.query("keep a blob in", "SELECT keep_blob($1, $2, $3)", &[&id.as_str(), &hash, &count]).await?;
    let there: Vec<i32> = rows.first().map(|row| row.get(0)).unwrap_or_default();
    for (number, content) in chunks.into_iter().filter(|(number, _)| !there.contains(number)) {
        let insert = "INSERT INTO blobs VALUES ($1, $2, $3) ON CONFLICT DO NOTHING";
        database.query("keep a blob in", insert, &[&hash, &number, &content]).await?;
    }
    Ok(())
}

/// The contents of these hashes that are there.
pub(super) async fn read(database: &Database, hashes: &[String]) -> Result<HashMap<String, Vec<u8>>, StoreError> {
    let mut found: HashMap<String, Vec<u8>> = HashMap::new();
    if hashes.is_empty() {
        return Ok(found);
    }
    let sql = "SELECT hash, content FROM blobs WHERE hash = ANY ($1) ORDER BY hash, chunk";
    for row in database.query("read blobs of", sql, &[&hashes]).await? {
        found.entry(row.get(0)).or_default().extend_from_slice(row.get(1));
    }
    Ok(found)
}

/// Writes a blob to this folder as a file, if the database has it.
pub(super) async fn fetch(database: &Database, id: &DebateId, hash: &str, folder: &Path) -> Result<(), StoreError> {
    let path = folder.join(hash);
    if path.exists() {
        return Ok(());
    }
    let sql = "SELECT chunks FROM debate_blobs WHERE debate = $1 AND hash = $2";
    let rows = database.query("look for a blob in", sql, &[&id.as_str(), &hash]).await?;
    let Some(chunks) = rows.first().map(|row| row.get::<_, i32>(0)) else { return Ok(()) };
    let mut content = Vec::new();
    for chunk in 0..chunks {
        let sql = "SELECT content FROM blobs WHERE hash = $1 AND chunk = $2";
        for row in database.query("read a blob of", sql, &[&hash, &chunk]).await? {
            content.extend_from_slice(row.get(0));
        }
    }
    if hash_of(&content) != hash {
        let place = format!("{id} in {}", database.address.place);
        return Err(StoreError::Damaged(Damage {
            place,
            line: 1,
            what: format!("refers to the blob {hash}, which was changed"),
        }));
    }
    let write = || -> io::Result<()> {
        create_folder(folder)?;
        replace_file(&path, &folder.join(format!(".{}.new", chance::mark())), &content)
    };
    write().map_err(StoreError::io("write", &path))
}

/// Makes a file in this folder part of a debate.
pub(super) async fn keep_file(database: &Database, id: &DebateId, hash: &str, folder: &Path) -> Result<(), StoreError> {
    let path = folder.join(hash);
    let content = fs::read(&path).map_err(StoreError::io("read", &path))?;
    keep(database, id, hash, &content).await
}
