//! The folder of a panel's documents, claimed while the debate runs: no other debate may write there.

use std::fs::{self, File};
use std::io::{self, Write};
use std::path::Path;

use rebut_core::debate::{DebateId, Plan};
use rebut_core::formats::format_of;
use serde::{Deserialize, Serialize};

use super::{SessionError, Sessions};
use crate::store::{self, StoreError};

/// The file that says which debate writes its documents into a folder.
const CLAIM: &str = ".rebut-panel";

#[derive(Serialize, Deserialize)]
struct Claim {
    debate: DebateId,
    /// The folders that were created for it: those are removed where nothing comes of the debate.
    created: Vec<String>,
}

/// Claims the folder before anything is paid for: it is created, can be written into, and belongs to no other debate. The
/// claim of a debate that was killed before its first event, or was removed, counts for nothing.
pub(super) async fn claim(sessions: &Sessions<'_>, plan: &Plan) -> Result<(), SessionError> {
    let Some((folder, _)) = format_of(plan).output(plan) else { return Ok(()) };
    let path = Path::new(folder);
    let mark = path.join(CLAIM);
    if let Some(claim) = read(&mark)
        && sessions.never_began(&claim.debate).await
    {
        // If it cannot be removed, the folder is refused below.
        let _ = fs::remove_file(&mark);
    }
    let created: Vec<String> =
        path.ancestors().take_while(|part| !part.exists()).map(|part| part.display().to_string()).collect();
    let content = serde_json::to_vec(&Claim { debate: plan.id.clone(), created: created.clone() });
    let claimed = content.map_err(io::Error::other).and_then(|content| {
        fs::create_dir_all(path)?;
        File::create_new(&mark)?.write_all(&content)
    });
    claimed.map_err(|error| {
        if error.kind() == io::ErrorKind::AlreadyExists && mark.exists() {
            return SessionError::usage(format!("another panel writes its documents into {folder}")).hint(format!(
                "name another folder with --out; if that panel was killed, resume it, or remove {}",
                mark.display()
            ));
        }
        for part in &created {
            let _ = fs::remove_dir(part);
        }
        SessionError::failed(format!("the folder for the documents {folder} can't be written: {error}"))
            .hint("nothing was started; name another one with --out")
    })
}

/// Releases the folder. Folders that were created for the debate are removed if they are empty.
pub fn release(plan: &Plan) {
    let Some((folder, _)) = format_of(plan).output(plan) else { return };
    let mark = Path::new(folder).join(CLAIM);
    let Some(claim) = read(&mark).filter(|claim| claim.debate == plan.id) else { return };
    // What cannot be removed tells the next panel what to do.
    let _ = fs::remove_file(&mark);
    for part in claim.created.iter().filter(|part| Path::new(folder).starts_with(part)) {
        let _ = fs::remove_dir(part);
    }
}

fn read(mark: &Path) -> Option<Claim> {
    serde_json::from_slice(&fs::read(mark).ok()?).ok()
}

impl Sessions<'_> {
    /// Whether a debate is gone, or was cut off before its first event.
    async fn never_began(&self, id: &DebateId) -> bool {
        matches!(store::read(self.store, id).await, Err(StoreError::Unknown { .. } | StoreError::Empty { .. }))
    }
}
