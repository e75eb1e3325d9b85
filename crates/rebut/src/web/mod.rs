//! A debate as a page: one file to keep and share, or served while it runs. Both are the same templates.
//!
//! The page is a list of pieces in a fixed order. A file has all of them; a page that is open in a browser is sent those
//! that changed. Nothing here knows which format a debate has.

mod actions;
mod argument_map;
mod following;
mod guard;
mod markdown;
mod page;
mod pieces;
mod sections;
mod server;
mod templates;

use std::ffi::OsStr;
use std::process::{Command, Stdio};

pub(crate) use page::file;
pub(crate) use server::{ServeFlags, serve};

/// Opens a file or an address in the user's browser. Says why where nothing could be started.
pub(crate) fn open(what: impl AsRef<OsStr>) -> Result<(), String> {
    let program = if cfg!(target_os = "macos") { "open" } else { "xdg-open" };
    let mut command = Command::new(program);
    command.arg(what.as_ref()).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    command.spawn().map(drop).map_err(|error| match error.kind() {
        std::io::ErrorKind::NotFound => format!("{program} is not installed"),
        _ => format!("{program} can't be started: {error}"),
    })
}
