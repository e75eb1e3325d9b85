//! The folder of a panel's documents: named by time and topic, or by the user.

use std::path::Path;

use jiff::Timestamp;
use rebut_core::formats::panel::{DOCUMENTS, folder_name};
use rebut_engine::planning::Place;
use rebut_engine::workspace::{leads_out, real_path};

use crate::error::CommandError;

const OUTPUT: &str = "output";

/// The folder for the documents of a panel, absolute. Documents that are there already are never written over, and a
/// symlink in the workspace leads to no other folder of the machine.
pub(super) fn folder(place: &Place, named: Option<&Path>, at: Timestamp, topic: &str) -> Result<String, CommandError> {
    let here = &place.folder;
    let folder = if let Some(named) = named {
        let folder = here.join(named);
        if folder.exists() && !folder.is_dir() {
            return Err(CommandError::usage(format!("--out: {} is not a folder", folder.display())));
        }
        if let Some(there) = DOCUMENTS.iter().find(|name| folder.join(name).exists()) {
            let error = format!("--out: {} already has a {there}", folder.display());
            return Err(CommandError::usage(error).hint("name another folder, or remove what is in it"));
        }
        folder
    } else {
        let name = folder_name(at, topic);
        let free = (1..).map(|number| if number == 1 { name.clone() } else { format!("{name}-{number}") });
        let mut free = free.map(|name| here.join(OUTPUT).join(name)).filter(|folder| !folder.exists());
        free.next().unwrap_or_else(|| here.join(OUTPUT).join(&name))
    };
    if leads_out(&folder, &place.workspace) {
        let error = format!("{} leads out of the workspace through a symlink", folder.display());
        let real = real_path(&folder);
        return Err(
            CommandError::usage(error).hint(format!("to write there, name the folder itself: --out {}", real.display()))
        );
    }
    let text = folder.to_str().map(str::to_owned);
    text.ok_or_else(|| {
        CommandError::usage(format!("the folder for the documents is not UTF-8: {}", folder.display()))
            .hint("name another one with --out")
    })
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    fn at() -> Timestamp {
        "2026-11-15T08:15:03Z".parse().unwrap()
    }

    #[test]
    fn two_panels_of_one_second_have_folders_of_their_own() {
        let here = std::env::temp_dir().join(format!("rebut-documents-{}", std::process::id()));
        let place = Place { folder: here.clone(), workspace: here.clone() };
        let first = folder(&place, None, at(), "Ship it; rm -rf /").unwrap();
        assert!(first.ends_with("output/20261115T081503Z-ship-it-rm-rf"), "{first}");
        fs::create_dir_all(&first).unwrap();
        let second = folder(&place, None, at(), "Ship it; rm -rf /").unwrap();
        assert!(second.ends_with("-ship-it-rm-rf-2"), "{second}");
        fs::remove_dir_all(&here).unwrap();
    }
}
