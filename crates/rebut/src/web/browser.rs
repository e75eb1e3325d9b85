//! Opens something in the user's browser.

use std::ffi::OsStr;
use std::process::{Command, Stdio};

/// Opens a file or an address. Says why where nothing could be started.
pub(crate) fn open(what: impl AsRef<OsStr>) -> Result<(), String> {
    let program = if cfg!(target_os = "macos") { "open" } else { "xdg-open" };
    let mut command = Command::new(program);
    command.arg(what.as_ref()).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    command.spawn().map(drop).map_err(|error| match error.kind() {
        std::io::ErrorKind::NotFound => format!("{program} is not installed"),
        _ => format!("{program} can't be started: {error}"),
    })
}
