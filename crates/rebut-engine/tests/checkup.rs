//! What is told of tools whose programs misbehave: a checkup comes to its end, and nothing of them survives.
#![cfg(unix)]
#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use std::path::Path;
use std::process::Command;
use std::time::Duration;

use rebut_core::debate::Cause;
use rebut_engine::config::Settings;
use rebut_engine::providers::{Checkup, Providers, Surroundings, TOOLS, Transport};
use tokio_util::sync::CancellationToken;

/// Providers of which each of these tools is a shell that does this.
fn providers(folder: &Path, tools: &[(&str, &str)]) -> Providers {
    let mut settings = Settings::default();
    for (name, script) in tools {
        let file = folder.join(name);
        // Another process writes it: a file that this one had open would be busy when it is started.
        let write = ["-c", "printf '#!/bin/sh\\n%s\\n' \"$1\" > \"$0\" && chmod 755 \"$0\""];
        assert!(Command::new("/bin/sh").args(write).arg(&file).arg(script).status().unwrap().success());
        settings.tools.entry((*name).to_owned()).or_default().program = Some(file.display().to_string());
    }
    Providers::new(&settings)
}

fn around(folder: &Path, limit: Duration) -> Surroundings<'_> {
    Surroundings { home: None, folder, variable: &|_| None, limit }
}

/// For those who never end.
const SHORT: Duration = Duration::from_millis(300);

/// For those who end by themselves, on a machine that has much to do.
const LONG: Duration = Duration::from_mins(1);

async fn check_up(folder: &Path, limit: Duration, tools: &[(&str, &str)]) -> Vec<Checkup> {
    providers(folder, tools).check_up(around(folder, limit), &CancellationToken::new()).await
}

#[tokio::test]
async fn a_program_that_hangs_floods_or_fails_has_no_version_and_is_found_all_the_same() {
    for (script, limit) in [
        ("sleep 1000", SHORT),
        ("trap '' TERM; echo 1.2.3; while :; do sleep 1000; done", SHORT),
        ("yes", LONG),
        ("echo 1.2.3; exit 1", LONG),
        ("", LONG),
    ] {
        let folder = tempfile::tempdir().unwrap();
        let checkups = check_up(folder.path(), limit, &[("claude", script)]).await;
        assert_eq!(checkups[0].version.as_ref().ok().and_then(Option::as_ref), None, "{script}");
        assert!(checkups[0].can_be_seated(), "{script}");
    }
}

#[tokio::test]
async fn tools_are_told_of_in_the_order_of_preference_each_with_its_own() {
    let folder = tempfile::tempdir().unwrap();
    let said = [
        ("gemini", "printf 'Some CLI 7.8.9.\\nCommit: 0a1b2c3\\n'"),
        ("claude", "echo '1.2.3 (Claude Code)'"),
        ("codex", "printf '\\n  codex-cli v4.5.6 \\n'"),
    ];
    let checkups = check_up(folder.path(), LONG, &said).await;
    assert_eq!(checkups.iter().map(|checkup| checkup.name.as_str()).collect::<Vec<_>>(), TOOLS.map(|tool| tool.name));
    let versions: Vec<_> = checkups[..3].iter().map(|checkup| checkup.version.clone().unwrap().unwrap()).collect();
    assert_eq!(versions, ["1.2.3", "4.5.6", "7.8.9"]);
}

#[tokio::test]
async fn a_probe_that_takes_too_long_is_a_timeout_and_one_that_is_cancelled_is_not() {
    let folder = tempfile::tempdir().unwrap();
    let providers = providers(folder.path(), &[("claude", "sleep 1000")]);
    let cancel = CancellationToken::new();
    let probe = providers.probe("claude", Transport::Cli, around(folder.path(), SHORT), &cancel).await;
    assert_eq!(probe.result.unwrap_err().cause, Cause::Timeout);
    cancel.cancel();
    let probe = providers.probe("claude", Transport::Cli, around(folder.path(), SHORT), &cancel).await;
    assert_eq!(probe.result.unwrap_err().cause, Cause::Cancelled);
}
