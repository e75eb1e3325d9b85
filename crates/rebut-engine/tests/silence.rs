//! How long a tool may say nothing: as long as its call, unless it is known to stream.
#![cfg(unix)]
#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use std::process::Command;
use std::time::Duration;

use rebut_core::debate::{Cause, Effort, Prompt, SeatPlan, Shape, StepKey};
use rebut_engine::config::{Seconds, Settings};
use rebut_engine::providers::{ModelChoice, Order, ProgressSink, Providers, SeatSpec, TOOLS, Transport};
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

const LIMIT: Duration = Duration::from_mins(15);

/// How a call to a tool that never says anything ends, and after how long on a clock that stands still while nothing
/// waits for it.
async fn silent(tool: &str, first_output: Option<Seconds>) -> (Cause, Duration) {
    let folder = tempfile::tempdir().unwrap();
    let program = folder.path().join(tool);
    // Another process writes it: a file that this one had open would be busy when it is started.
    let write = ["-c", "printf '#!/bin/sh\\nexec sleep 1000\\n' > \"$0\" && chmod 755 \"$0\""];
    assert!(Command::new("/bin/sh").args(write).arg(&program).status().unwrap().success());
    let mut settings = Settings::default();
    settings.limits.first_output_seconds = first_output;
    settings.tools.entry(tool.to_owned()).or_default().program = Some(program.display().to_string());
    let providers = Providers::new(&settings);
    let spec = SeatSpec { tool: tool.to_owned(), model: ModelChoice::OfTool };
    let plan: SeatPlan = providers.plan(&spec, Effort::Low, Transport::Cli, folder.path()).unwrap();
    let seat = providers.open(&plan, folder.path(), None).unwrap();
    let key = StepKey::new("round-1/proposer");
    let order = Order {
        key: key.clone(),
        setbacks: 0,
        thread: None,
        prompt: Prompt::default(),
        shape: Shape::Prose,
        output_tokens: 1,
        effort: Effort::Low,
        seed: 0,
        limit: LIMIT,
    };
    let (sender, _nobody) = tokio::sync::mpsc::unbounded_channel();
    let cancel = CancellationToken::new();
    let began = Instant::now();
    let limit = async {
        tokio::time::sleep(LIMIT).await;
        cancel.cancel();
        std::future::pending::<()>().await;
    };
    let failure = tokio::select! {
        answer = seat.answer(&order, ProgressSink::new(key, sender), cancel.clone()) => answer.unwrap_err(),
        () = limit => unreachable!("it only cancels"),
    };
    (failure.cause, began.elapsed())
}

#[tokio::test(start_paused = true)]
async fn only_a_tool_that_streams_is_stopped_for_its_silence_before_the_calls_limit() {
    for tool in TOOLS {
        let (cause, after) = silent(tool.name, None).await;
        if tool.name == "claude" {
            assert!(cause == Cause::Stalled && after < LIMIT, "{}: {cause:?} after {after:?}", tool.name);
        } else {
            assert!(cause == Cause::Cancelled && after >= LIMIT, "{}: {cause:?} after {after:?}", tool.name);
        }
    }
}

#[tokio::test(start_paused = true)]
async fn a_limit_that_the_user_sets_holds_for_every_tool() {
    for tool in TOOLS {
        let (cause, after) = silent(tool.name, Some(Seconds::whole(200))).await;
        assert!(cause == Cause::Stalled && after >= Duration::from_secs(200) && after < LIMIT, "{}: {after:?}", tool.name);
    }
}
