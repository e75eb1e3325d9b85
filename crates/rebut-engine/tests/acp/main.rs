//! Agents over ACP: what they say is read as it was meant, what they ask for is decided, and nothing of them survives.
#![cfg(unix)]
#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

mod bench;
mod endings;

use std::time::Duration;

use bench::{Bench, LARGE};
use rebut_core::debate::{Cause, Effort};
use rebut_engine::config::ToolSettings;
use rebut_engine::providers::acp::{AcpCommand, Trial, greet};
use rebut_engine::providers::cli::OwnSettings;
use rebut_engine::providers::tool;
use rebut_engine::providers::{Progress, Seat};
use serde_json::json;
use tokio_util::sync::CancellationToken;

const NOBODY: Vec<String> = Vec::new();

#[tokio::test]
async fn what_the_real_agents_answered_is_read_as_it_was_meant() {
    let claude = (Some("claude-opus-5-5"), Some(14), Some(7));
    for (capture, start, end, (model, input, output)) in [
        ("claude-ok", "FAKE-ANSWER user_chars=1315", "briefly.'", claude),
        ("claude-sm", "FAKE-ANSWER", "briefly.'", claude),
        // The model that was asked for was not the one that answered; a warning came after the answer.
        ("claude-cfg", "FAKE-ANSWER", "briefly.'", (Some("claude-sonnet-5-5"), Some(14), Some(7))),
        ("claude-tool", "FAKE-ANSWER", "tail=''", (Some("claude-opus-5-5"), Some(28), Some(14))),
        // A warning came before the answer.
        ("codex-ok", "FAKE-ANSWER", "briefly.'", (Some("gpt-5.3-codex"), Some(11), Some(7))),
        ("codex-tool", "FAKE-ANSWER", "briefly.'", (Some("gpt-5.3-codex"), Some(22), Some(14))),
        ("codex-toolro", "FAKE-ANSWER", "briefly.'", (Some("gpt-5.3-codex"), Some(22), Some(14))),
        ("gemini-ok", "FAKE-ANSWER", "briefly.'", (Some("gemini-3-flash-preview"), Some(11), Some(7))),
        ("gemini-sm", "FAKE-ANSWER", "briefly.'", (Some("gemini-2.5-pro"), Some(11), Some(7))),
        ("gemini-tool", "FAKE-ANSWER", "tail=''", (Some("gemini-3-flash-preview"), Some(22), Some(14))),
        ("opencode-ok2", "FAKE-ANSWER", "briefly.'", (None, Some(11), Some(7))),
        ("opencode-tool", "FAKE-ANSWER", "briefly.'", (None, Some(11), Some(7))),
        ("copilot-ok", "FAKE-ANSWER", "briefly.'", (None, Some(11), Some(7))),
    ] {
        let bench = Bench::playing(capture);
        let seat = bench.seat();
        let answer = bench.ask(&seat).await.unwrap_or_else(|failure| panic!("{capture}: {failure}"));
        assert!(answer.text.starts_with(start) && answer.text.ends_with(end), "{capture}: {}", answer.text);
        let usage = (answer.usage.input_tokens, answer.usage.output_tokens);
        assert_eq!((answer.model.as_deref(), usage), (model, (input, output)), "{capture}");
        assert_eq!(answer.usage.cost.is_some(), ["claude", "opencode"].iter().any(|name| capture.starts_with(name)));
        assert_eq!(answer.transport, "acp");
        assert!(answer.session.unwrap().starts_with("session-"), "{capture}");
        bench.close(seat).await;
    }
}

#[tokio::test]
async fn every_failure_of_the_real_agents_has_its_cause() {
    for (capture, cause, word) in [
        ("claude-401", Cause::Auth, "Authentication required"),
        ("claude-nokey", Cause::Auth, "Authentication required"),
        ("codex-401", Cause::Auth, "Authentication required"),
        // It tells an error like an answer, and its state beside it.
        ("codex-403", Cause::Auth, "does not have permission"),
        ("codex-truncated", Cause::Truncated, "stream disconnected"),
        ("copilot-empty", Cause::Empty, "No response was returned"),
        ("gemini-401", Cause::Auth, "API key not valid."),
        ("gemini-nokey", Cause::Auth, "Gemini API key is missing"),
        ("opencode-401", Cause::Auth, "Incorrect API key"),
        ("copilot-401", Cause::Auth, "Authentication failed"),
        // A tool was refused, and they had nothing else to say.
        ("opencode-ask", Cause::Empty, ""),
        ("copilot-tool", Cause::Empty, "Operation cancelled"),
    ] {
        let bench = Bench::playing(capture);
        let seat = bench.seat();
        let failure = bench.ask(&seat).await.unwrap_err();
        assert_eq!(failure.cause, cause, "{capture}: {failure}");
        assert!(failure.detail.contains(word), "{capture}: {failure}");
        assert_eq!(failure.advice.is_some(), cause == Cause::Auth, "{capture}");
        bench.close(seat).await;
    }
}

#[tokio::test]
async fn a_cancelled_call_ends_in_good_order_and_the_agent_stays() {
    for capture in ["claude-cancel", "codex-cancel", "gemini-cancel", "opencode-cancel", "copilot-cancel", "hang"] {
        let bench = Bench::playing(capture);
        let seat = bench.seat();
        let failure = bench.ask_and_cancel(&seat).await.unwrap_err();
        assert_eq!(failure.cause, Cause::Cancelled, "{capture}");
        assert_eq!(bench.told("session/cancel").len(), 1, "{capture}");
        assert_eq!(seat.idle_processes().len(), 1, "{capture}");
        bench.close(seat).await;
    }
}

#[tokio::test]
async fn an_agent_that_does_not_hear_a_cancel_is_ended() {
    let mut bench = Bench::playing("ignores-cancel");
    bench.ignoring_signals();
    let seat = bench.seat();
    assert_eq!(bench.ask_and_cancel(&seat).await.unwrap_err().cause, Cause::Cancelled);
    assert_eq!(bench.survivors(), NOBODY);
    assert_eq!(seat.idle_processes(), Vec::<u32>::new());
}

#[tokio::test]
async fn an_answer_that_arrives_whole_after_a_cancel_is_kept() {
    let bench = Bench::playing("late-answer");
    let seat = bench.seat();
    assert_eq!(bench.ask_and_cancel(&seat).await.unwrap().text, "first, last");
    bench.close(seat).await;
}

#[tokio::test]
async fn the_process_stays_between_turns_and_every_call_has_a_session_of_its_own() {
    let mut bench = Bench::playing("answers");
    bench.setup.model = Some("large".to_owned());
    bench.setup.command.quirks.mode = Some("read-only");
    let seat = bench.seat();
    let mut sessions = Vec::new();
    for nth in 1..=3 {
        let answer = bench.ask(&seat).await.unwrap();
        assert_eq!(answer.text, format!("answer {nth}"), "one process counts them all");
        sessions.push(answer.session.unwrap());
    }
    sessions.dedup();
    assert_eq!(sessions.len(), 3);
    let processes = bench.processes();
    assert_eq!((processes.len(), seat.idle_processes()), (1, processes));
    let opened = bench.told("session/new");
    assert!(opened.iter().all(|params| params["cwd"] == json!(bench.workspace()) && params["mcpServers"] == json!([])));
    let modes: Vec<_> = bench.told("session/set_mode").iter().map(|params| params["modeId"].clone()).collect();
    assert_eq!(modes, ["read-only", "read-only", "read-only"]);
    let options = bench.told("session/set_config_option");
    let chosen = |nth: usize| (options[nth]["configId"].as_str().unwrap(), options[nth]["value"].as_str().unwrap());
    assert_eq!((options.len(), chosen(0), chosen(1)), (6, ("m", "large"), ("e", "high")));
    assert_eq!(bench.told("session/close").len(), 2, "a session is given back when the next one is opened");
    assert_eq!(bench.told("initialize").len(), 1);
    bench.close(seat).await;
}

/// Agents that make a title of a prompt send it to a model a second time.
#[tokio::test]
async fn a_session_has_its_title_before_the_prompt_so_that_none_is_made_of_it() {
    let mut bench = Bench::playing("answers");
    bench.order.thread = Some("partner-1".to_owned());
    let seat = bench.seat();
    let _ = bench.ask(&seat).await.unwrap();
    let methods: Vec<_> = bench.log().iter().filter_map(|told| told["method"].as_str().map(str::to_owned)).collect();
    let at = |method: &str| methods.iter().position(|told| told == method);
    assert!(at("session/set_title").is_some() && at("session/set_title") < at("session/prompt"), "{methods:?}");
    assert_eq!(bench.told("session/set_title")[0]["title"], "partner-1");
    bench.close(seat).await;
    // One whose agent does not take a title is not asked to.
    let bench = Bench::playing("gemini-ok");
    let seat = bench.seat();
    let _ = bench.ask(&seat).await.unwrap();
    assert_eq!(bench.told("session/set_title").len(), 0);
    bench.close(seat).await;
    // claude has an option for it, and opencode a setting.
    let claude = (tool("claude").unwrap().agent.quirks.session_meta)(&OwnSettings::default(), true).unwrap();
    assert_eq!(claude["claudeCode"]["options"]["title"], "rebut");
}

#[tokio::test]
async fn an_agent_is_offered_neither_files_nor_terminals() {
    let bench = Bench::playing("garbage");
    let seat = bench.seat();
    assert_eq!(bench.ask(&seat).await.unwrap().text, "answer", "noise is no answer");
    let offered = &bench.told("initialize")[0];
    assert_eq!(offered["clientCapabilities"]["fs"], json!({ "readTextFile": false, "writeTextFile": false }));
    assert_eq!((&offered["clientCapabilities"]["terminal"], &offered["protocolVersion"]), (&json!(false), &json!(1)));
    let replies: Vec<_> = bench.log().into_iter().filter(|told| told["id"] == "fs-1").collect();
    assert!(!replies.is_empty() && replies.iter().all(|reply| reply["error"]["code"] == -32601), "{replies:?}");
    bench.close(seat).await;
}

#[tokio::test]
async fn an_agent_that_died_between_turns_is_started_again() {
    let bench = Bench::playing("dies-idle");
    let seat = bench.seat();
    for _ in 0..3 {
        assert_eq!(bench.ask(&seat).await.unwrap().text, "answer");
    }
    assert_eq!(bench.processes().len(), 3);
    bench.close(seat).await;
}

#[tokio::test]
async fn calls_at_the_same_time_have_a_process_and_a_home_each() {
    let mut bench = Bench::playing("answers");
    bench.noting_its_home();
    let seat = bench.seat();
    let (one, two) = tokio::join!(bench.ask(&seat), bench.ask(&seat));
    assert_eq!((one.unwrap().text, two.unwrap().text), ("answer 1".to_owned(), "answer 1".to_owned()));
    assert_eq!(seat.idle_processes().len(), 2);
    let homes = bench.homes();
    assert!(homes.len() == 2 && homes[0] != homes[1] && homes.iter().all(|home| home.is_dir()), "{homes:?}");
    bench.close(seat).await;
    assert!(!homes.iter().any(|home| home.exists()), "{homes:?}");
}

#[tokio::test]
async fn reading_inside_the_workspace_is_allowed_and_everything_else_refused_by_kind() {
    // The ids of the options say the opposite: the option that allows is called `reject`.
    for (case, option) in [
        ("asks:read:src/a.rs", "reject"),
        ("asks:search:src", "reject"),
        ("asks-anywhere:search", "reject"),
        ("asks-anywhere:read", "allow"),
        ("asks:read:/etc/passwd", "allow"),
        ("asks:read:../x", "allow"),
        ("asks:edit:src/a.rs", "allow"),
        ("asks:execute:src", "allow"),
        ("asks:delete:src/a.rs", "allow"),
        ("asks:fetch:https://example.com", "allow"),
        ("asks:other:src", "allow"),
    ] {
        let bench = Bench::playing(case);
        let seat = bench.seat();
        let answer = bench.ask(&seat).await.unwrap();
        assert_eq!(answer.text, format!("decision: {option}"), "{case}");
        bench.close(seat).await;
    }
}

#[tokio::test]
async fn a_seat_without_a_workspace_sits_in_an_empty_folder_and_may_read_nothing() {
    let mut bench = Bench::playing("asks:read:src/a.rs");
    bench.setup.reads_workspace = false;
    let seat = bench.seat();
    assert_eq!(bench.ask(&seat).await.unwrap().text, "decision: allow");
    let folder = std::path::PathBuf::from(bench.told("session/new")[0]["cwd"].as_str().unwrap());
    assert_ne!(folder, bench.workspace());
    assert_eq!(std::fs::read_dir(&folder).unwrap().count(), 0);
    bench.close(seat).await;
    assert!(!folder.exists());
}

#[tokio::test]
async fn an_agent_that_cannot_be_held_or_speaks_another_version_is_not_asked() {
    for (case, word) in [("version-2", "version 2 of ACP"), ("no-modes", "no mode `read-only`")] {
        let mut bench = Bench::playing(case);
        bench.setup.command.quirks.mode = Some("read-only");
        let seat = bench.seat();
        let failure = bench.ask(&seat).await.unwrap_err();
        assert!(failure.cause == Cause::Exit && failure.detail.contains(word), "{case}: {failure}");
        assert_eq!(bench.told("session/prompt").len(), 0, "{case}");
        bench.close(seat).await;
    }
    let mut bench = Bench::playing("no-modes");
    bench.setup.model = Some("large".to_owned());
    assert_eq!(bench.ask(&bench.seat()).await.unwrap_err().cause, Cause::UnknownModel);
}

#[tokio::test]
async fn a_model_is_set_the_way_the_agent_offers() {
    let mut bench = Bench::playing("gemini-sm");
    bench.setup.model = Some("gemini-2.5-pro".to_owned());
    let seat = bench.seat();
    bench.ask(&seat).await.unwrap();
    assert_eq!(bench.told("session/set_model")[0]["modelId"], "gemini-2.5-pro");
    bench.close(seat).await;
    let mut bench = Bench::playing("codex-ok");
    bench.order.effort = Effort::Max;
    let seat = bench.seat();
    bench.ask(&seat).await.unwrap();
    assert_eq!(bench.told("session/set_mode")[0]["modeId"], "read-only");
    bench.close(seat).await;
}

#[tokio::test]
async fn an_effort_is_told_by_the_persons_own_word_where_they_have_one() {
    let mut bench = Bench::playing("answers");
    bench.setup.settings.effort.insert(Effort::High, "xhigh".to_owned());
    bench.order.effort = Effort::High;
    let seat = bench.seat();
    bench.ask(&seat).await.unwrap();
    let told = bench.told("session/set_config_option");
    assert_eq!((&told[0]["configId"], &told[0]["value"]), (&json!("e"), &json!("xhigh")));
    bench.close(seat).await;
    // `auto` says nothing.
    let mut bench = Bench::playing("answers");
    bench.setup.settings.effort.insert(Effort::High, "auto".to_owned());
    bench.order.effort = Effort::High;
    let seat = bench.seat();
    bench.ask(&seat).await.unwrap();
    assert_eq!(bench.told("session/set_config_option").len(), 0);
    bench.close(seat).await;
    // A word that the agent does not know is not passed over.
    let mut bench = Bench::playing("answers");
    bench.setup.settings.effort.insert(Effort::High, "ultra".to_owned());
    bench.order.effort = Effort::High;
    let seat = bench.seat();
    let failure = bench.ask(&seat).await.unwrap_err();
    assert_eq!(failure.detail, "it knows no effort `ultra`, only low, high, xhigh");
    assert!(failure.advice.unwrap().contains("tools.NAME.effort"));
    bench.close(seat).await;
}

#[tokio::test]
async fn a_large_prompt_arrives_whole() {
    let mut bench = Bench::playing("answers");
    bench.order.prompt.user = LARGE.repeat(20_000);
    let seat = bench.seat();
    bench.ask(&seat).await.unwrap();
    let told = bench.told("session/prompt");
    assert_eq!(told[0]["prompt"], json!([{ "type": "text", "text": bench.order.prompt.joined() }]));
    bench.close(seat).await;
}

#[tokio::test]
async fn news_are_told_as_they_come() {
    let bench = Bench::playing("two-parts");
    let seat = bench.seat();
    let (answer, news) = bench.ask_and_listen(&seat).await;
    assert_eq!(answer.unwrap().text, "I look.\n\nIt is so.");
    let text = |text: &str| Progress::Text(text.to_owned());
    let read = Progress::Activity("read src/a.rs".to_owned());
    assert_eq!(news, [text("I look."), read, text("It "), text("is so."), Progress::Tokens(7)]);
    bench.close(seat).await;
}

#[tokio::test]
async fn a_program_proves_nothing_until_it_greets() {
    let bench = Bench::playing("answers");
    for trial in [Trial::Greeting, Trial::Session] {
        greet(&bench.setup.command, trial, Duration::from_mins(1), &CancellationToken::new()).await.unwrap();
        assert_eq!(bench.survivors(), NOBODY);
    }
    assert_eq!(bench.told("session/new").len(), 1, "only the second opens a session");
    let words = |words: &[&str]| words.iter().map(|word| (*word).to_owned()).collect::<Vec<_>>();
    for no_agent in [&["sh", "-c", "exit 0"][..], &["sh", "-c", "cat"], &["sh", "-c", "echo usage: kiro"]] {
        let command = AcpCommand::of_words("kiro", &words(no_agent)).unwrap();
        assert!(
            greet(&command, Trial::Greeting, Duration::from_millis(300), &CancellationToken::new()).await.is_err(),
            "{no_agent:?}"
        );
    }
    assert!(AcpCommand::of_words("mine", &[]).is_none());
    let closed = Bench::playing("no-session");
    greet(&closed.setup.command, Trial::Greeting, Duration::from_mins(1), &CancellationToken::new()).await.unwrap();
    let failure =
        greet(&closed.setup.command, Trial::Session, Duration::from_mins(1), &CancellationToken::new()).await.unwrap_err();
    assert!(failure.detail.contains("the session store is locked"), "{failure}");
    assert_eq!(closed.survivors(), NOBODY);
}

#[tokio::test]
async fn a_session_that_is_no_id_is_not_written_down_and_the_answer_is_kept() {
    let bench = Bench::playing("strange-session");
    let seat = bench.seat();
    let answer = bench.ask(&seat).await.unwrap();
    assert_eq!((answer.text.as_str(), answer.session), ("answer", None));
    assert!(bench.told("session/prompt")[0]["sessionId"].as_str().unwrap().contains('\u{1b}'), "it is spoken to by it");
    bench.close(seat).await;
}

#[tokio::test]
async fn a_command_of_the_persons_own_takes_a_seat() {
    let mut bench = Bench::playing("answers");
    let words = [bench.setup.command.program.display().to_string(), "answers".to_owned()];
    let variables = bench.setup.command.variables.clone();
    bench.setup.command = AcpCommand { variables, ..AcpCommand::of_words("mine", &words).unwrap() };
    let seat = bench.seat();
    assert_eq!((seat.lane().provider.as_ref(), &*bench.ask(&seat).await.unwrap().text), ("mine", "answer 1"));
    bench.close(seat).await;
}

#[test]
fn an_adapter_gets_the_program_that_the_user_named() {
    let named = ToolSettings { program: Some("/x/claude".to_owned()), ..ToolSettings::default() };
    let claude = AcpCommand::of_tool(tool("claude").unwrap(), "/x/agent".into(), Some(&named));
    assert_eq!(claude.variables, [("CLAUDE_CODE_EXECUTABLE".into(), "/x/claude".into())]);
    let gemini = AcpCommand::of_tool(tool("gemini").unwrap(), "/x/gemini".into(), Some(&named));
    assert_eq!(gemini.variables, []);
}
