//! Programs that show what rebut says: a pager for long output, as git uses one, and the desktop's notifications.

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

/// Shows a text in the pager; false if there is none.
pub(super) fn page(text: &str) -> bool {
    let of = |name: &str| std::env::var(name).ok();
    // Set and empty means: none, as for git.
    let pager = of("REBUT_PAGER").or_else(|| of("PAGER")).unwrap_or_else(|| "less".to_owned());
    if pager.trim().is_empty() || pager == "cat" {
        return false;
    }
    let mut command = Command::new("sh");
    command.args(["-c", &pager]).stdin(Stdio::piped());
    for (name, value) in [("LESS", "FRX"), ("LESSCHARSET", "utf-8"), ("LV", "-c")] {
        if std::env::var_os(name).is_none() {
            command.env(name, value);
        }
    }
    let Ok(mut child) = command.spawn() else { return false };
    if let Some(mut input) = child.stdin.take() {
        // A user who leaves the pager early has seen enough.
        let _ = input.write_all(text.as_bytes()).and_then(|()| input.write_all(b"\n"));
    }
    // 127: the shell found no such program.
    child.wait().is_ok_and(|ended| ended.code() != Some(127))
}
