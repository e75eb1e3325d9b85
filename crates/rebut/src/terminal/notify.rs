//! A notification at the end of a run: on the desktop if a program for it is installed, else the bell.

use std::io::{self, IsTerminal, Write};
use std::process::{Command, Stdio};

use rebut_core::debate::{Debate, NewVersion};

use super::{Screen, harmless};

/// Shows its first two arguments as a notification's title and text; nothing in them acts as a script.
const OSASCRIPT: [&str; 6] =
    ["-e", "on run argv", "-e", "display notification (item 2 of argv) with title (item 1 of argv)", "-e", "end run"];

impl Screen {
    pub(crate) fn notify(&self, debate: &Debate, version: NewVersion) {
        if !self.notifies || self.serves {
            return;
        }
        let headline = debate.format().brief(debate, version).headline;
        let text = harmless(&headline);
        // `notify-send` reads markup.
        let escaped = text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;");
        let is_shown = runs("notify-send", &["--app-name=rebut", "--", "rebut", &escaped])
            || runs("osascript", &[&OSASCRIPT[..], &["rebut", &text]].concat());
        if !is_shown && io::stderr().is_terminal() {
            self.above_lines(|_| drop(io::stderr().write_all(b"\x07")));
        }
    }
}

/// Starts a program, if it is installed, without waiting for it: a desktop might not answer.
fn runs(program: &str, arguments: &[&str]) -> bool {
    let quiet = || Stdio::null();
    Command::new(program).args(arguments).stdin(quiet()).stdout(quiet()).stderr(quiet()).spawn().is_ok()
}
