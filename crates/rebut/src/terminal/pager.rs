//! Long output on a terminal, through the pager that git would use.

use std::io::Write;
use std::process::{Command, Stdio};

pub(super) fn show(text: &str) -> bool {
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
