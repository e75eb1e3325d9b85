//! What each tool really printed, and what it means: captures of the real programs against a stand-in provider.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

mod homes;

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

use proptest::prelude::*;
use rebut_core::debate::{Answer, Cause, Effort, Failure, Prompt, Retry};
use serde_json::Value;

use rebut_engine::providers::cli::{Ask, CommandLine, Line, OwnSettings, Said};
use rebut_engine::providers::{Feature, Progress, TOOLS, Tool};

fn folder() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("src/providers/tools/captures")
}

fn tool(name: &str) -> &'static Tool {
    rebut_engine::providers::tool(name).unwrap()
}

fn read(name: &str, case: &str) -> Result<Answer, Failure> {
    let file = |end: &str| fs::read(folder().join(name).join(format!("{case}.{end}"))).unwrap_or_default();
    let exit = String::from_utf8(file("exit")).unwrap();
    let (stdout, stderr) = (file("stdout"), file("stderr"));
    tool(name).read(&Said {
        stdout: &String::from_utf8_lossy(&stdout),
        stderr: &String::from_utf8_lossy(&stderr),
        exit: exit.trim().parse().ok(),
    })
}

/// A captured success of each tool, as it streams.
const SUCCESSES: [(&str, &str); 7] = [
    ("claude", "partial"),
    ("codex", "success"),
    ("gemini", "stream"),
    ("opencode", "success"),
    ("copilot", "success-json"),
    ("qwen", "success"),
    ("grok", "success"),
];

fn stdout(name: &str, case: &str) -> String {
    fs::read_to_string(folder().join(name).join(format!("{case}.stdout"))).unwrap()
}

#[test]
fn every_failure_has_the_cause_that_its_signature_names() {
    for tool in TOOLS {
        let causes = fs::read_to_string(folder().join(tool.name).join("causes")).unwrap();
        for (case, cause) in causes.lines().map(|line| line.split_once(' ').unwrap()) {
            let failure = read(tool.name, case).expect_err(case);
            assert_eq!(serde_json::to_value(failure.cause).unwrap(), cause, "{}/{case}: {failure}", tool.name);
        }
    }
}

#[test]
fn what_gemini_notes_of_its_start_is_no_reason() {
    let stderr = fs::read_to_string(folder().join("gemini/truncated.stderr")).unwrap();
    let end = stderr.find("start mark").and_then(|at| stderr[at..].find('\n').map(|length| at + length)).unwrap();
    let failure = tool("gemini").read(&Said { stdout: "", stderr: &stderr[..end], exit: Some(1) }).unwrap_err();
    assert_eq!(failure.cause, Cause::Exit, "{failure:?}");
    let note = "Ripgrep is not available. Falling back to GrepTool.\n";
    let failure = tool("gemini").read(&Said { stdout: "", stderr: note, exit: Some(1) }).unwrap_err();
    assert_eq!(failure.detail, "it ended with status 1 and said nothing");
}

#[test]
fn an_answer_of_gemini_that_it_cut_short_itself_is_none() {
    let whole = stdout("gemini", "stream");
    // As the program writes it: it was read there, and not seen in a run.
    let event = |severity: &str, message: &str| {
        let event = serde_json::json!({ "type": "error", "timestamp": "2026-11-15T06:28:39.640Z", "severity": severity,
            "message": message });
        let (before, result) = whole.trim_end().rsplit_once('\n').unwrap();
        let stdout = format!("{before}\n{event}\n{result}\n");
        tool("gemini").read(&Said { stdout: &stdout, stderr: "", exit: Some(0) }).map_err(|failure| failure.cause)
    };
    for (severity, message) in
        [("warning", "Loop detected, stopping execution"), ("error", "Maximum session turns exceeded")]
    {
        assert_eq!(event(severity, message).unwrap_err(), Cause::Truncated, "{message}");
    }
    assert!(event("warning", "a word about something else").is_ok());
}

#[test]
fn an_answer_is_read_with_what_the_tool_reports() {
    let answers = SUCCESSES.map(|(name, case)| {
        let Answer { text, model, usage, session, .. } = read(name, case).unwrap();
        let start: String = text.chars().take(20).collect();
        format!("{name}: {start:?}… of {} bytes, model {model:?}, {usage:?}, session {session:?}", text.len())
    });
    insta::assert_snapshot!(answers.join("\n"));
}

#[test]
fn answers_with_control_characters_arrive_whole() {
    for (name, end) in [("claude", "end\\n'"), ("codex", "end 😀")] {
        let answer = read(name, "control-characters").unwrap();
        assert!(answer.text.ends_with(end), "{name}: {}", answer.text);
    }
}

#[test]
fn a_quota_is_tried_once_more_and_a_rate_limit_until_the_limit() {
    assert_eq!(read("codex", "quota").unwrap_err().retry(false), Retry::Once);
    assert_eq!(read("gemini", "429").unwrap_err().retry(false), Retry::Once, "a minute's quota is called so too");
    // The advice below the message names quotas.
    assert_eq!(read("gemini", "stream-429").unwrap_err().retry(false), Retry::UntilLimit);
}

#[test]
fn a_failed_sign_in_says_what_to_do() {
    for tool in TOOLS {
        assert_eq!(read(tool.name, "401").unwrap_err().advice.as_deref(), Some(tool.sign_in.advice), "{}", tool.name);
    }
}

#[test]
fn the_answer_is_told_as_it_arrives() {
    for (name, case) in SUCCESSES {
        let stdout = stdout(name, case);
        let lines = stdout.lines().map(|line| tool(name).hear(line));
        let news = lines.clone().filter_map(|line| if let Line::News(news) = line { Some(news) } else { None }).flatten();
        let told: String = news.filter_map(|news| if let Progress::Text(text) = news { Some(text) } else { None }).collect();
        assert_eq!(told, read(name, case).unwrap().text, "{name}");
        assert_eq!(lines.filter(|line| *line == Line::Last).count(), 1, "{name}");
    }
}

fn has_key(name: &str) -> Option<String> {
    (name == "ANTHROPIC_API_KEY").then(|| "key".to_owned())
}

fn asked<'a, T>(name: &str, change: impl Fn(&mut Ask<'a>), of: impl Fn(&Ask<'a>) -> T) -> T {
    static PROMPT: LazyLock<Prompt> =
        LazyLock::new(|| Prompt { system: "# Rules".into(), user: "# Topic\n\n/help me with @src/lib.rs".into() });
    static OWN: LazyLock<OwnSettings> = LazyLock::new(OwnSettings::default);
    let mut ask = Ask {
        model: Some("m-1"),
        effort: tool(name).efforts.map(|words| words[Effort::Max as usize]),
        prompt: &PROMPT,
        program: Path::new("/home/user/lib/node_modules/@openai/codex/bin/codex.js"),
        schema: None,
        own: &OWN,
        scratch: Path::new("/scratch"),
        title: "round-1/proposer",
        reads_workspace: true,
        searches_web: false,
        variable: &has_key,
    };
    change(&mut ask);
    of(&ask)
}

fn command<'a>(name: &str, change: impl Fn(&mut Ask<'a>)) -> CommandLine {
    asked(name, change, tool(name).command)
}

#[test]
fn commands_are_these() {
    let lines: Vec<String> = TOOLS
        .iter()
        .map(|tool| {
            let line = command(tool.name, |_| {});
            let arguments: Vec<_> = line.arguments.iter().map(|a| a.to_string_lossy().into_owned()).collect();
            let variables: Vec<String> = line.variables.iter().map(|(name, value)| format!("{name}={value}")).collect();
            format!("{} {arguments:?}\n    {variables:?}", tool.name)
        })
        .collect();
    insta::assert_snapshot!(lines.join("\n"));
}

#[test]
fn the_prompt_is_never_an_argument_and_begins_with_a_heading() {
    for tool in TOOLS {
        let line = command(tool.name, |_| {});
        assert!(line.input.starts_with("# Rules"), "{}", tool.name);
        assert!(line.input.contains("me with @"), "{}", tool.name);
        assert!(line.arguments.iter().all(|argument| !argument.to_string_lossy().contains("Topic")), "{}", tool.name);
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 128, ..ProptestConfig::default() })]

    #[test]
    fn reading_never_panics(stdout in "(\\PC|\n|\\{\"type\":\"(result|error|text|turn.completed|message)\"[^\n]{0,20}\n){0,40}", stderr in "(\\PC|\n){0,80}", exit in proptest::option::of(-1_i32..256)) {
        for tool in TOOLS {
            let _ = tool.read(&Said { stdout: &stdout, stderr: &stderr, exit });
            for line in stdout.lines() {
                let _ = tool.hear(line);
            }
        }
    }
}

#[test]
fn what_is_no_session_id_is_left_out_and_nothing_else_is_lost() {
    for (name, case) in SUCCESSES {
        let text = stdout(name, case);
        let whole = tool(name).read(&Said { stdout: &text, stderr: "", exit: Some(0) }).unwrap();
        let session = whole.session.clone().unwrap();
        let strange = text.replace(&session, "../../etc;$(id)");
        let read = tool(name).read(&Said { stdout: &strange, stderr: "", exit: Some(0) }).unwrap();
        assert_eq!(read, Answer { session: None, ..whole }, "{name}");
    }
}

#[test]
fn a_preface_says_only_that_the_tool_has_started() {
    for (name, case) in SUCCESSES {
        let text = stdout(name, case);
        let lines: Vec<Line> = text.lines().map(|line| tool(name).hear(line)).collect();
        assert_eq!(lines[0], Line::Idle, "{name}");
        assert!(lines.iter().any(|line| matches!(line, Line::News(_))), "{name}");
        assert_eq!(tool(name).hear("a line that is no JSON"), Line::News(Vec::new()), "{name}");
    }
    // A model that thinks has begun, also where what it thinks is not told.
    let thinking = r#"{"type":"stream_event","event":{"type":"content_block_delta","delta":{"type":"thinking_delta"}}}"#;
    assert_eq!(tool("claude").hear(thinking), Line::News(Vec::new()));
    let ping = r#"{"type":"stream_event","event":{"type":"ping"},"session_id":"s","parent_tool_use_id":null,"uuid":"u"}"#;
    for idle in [ping, r#"{"type":"keep_alive"}"#, " "] {
        assert_eq!(tool("claude").hear(idle), Line::Idle, "{idle}");
    }
    assert_eq!(tool("codex").hear(r#"{"type":"error","message":"Reconnecting... 1/5"}"#), Line::Idle);
}

#[test]
fn an_answer_by_a_schema_is_read_and_words_instead_of_one_are_kept() {
    assert_eq!(read("claude", "schema").unwrap().text, r#"{"winner":"challenger"}"#);
    assert!(read("claude", "schema-prose").unwrap().text.starts_with("STAND-IN-ANSWER"));
}

#[test]
fn a_schema_reaches_the_tool_that_takes_one() {
    static SCHEMA: LazyLock<Value> = LazyLock::new(|| serde_json::json!({ "type": "object" }));
    for tool in TOOLS {
        let with = command(tool.name, |ask| ask.schema = Some(&SCHEMA)).arguments;
        let takes = with.windows(2).any(|pair| pair == ["--json-schema", r#"{"type":"object"}"#]);
        let enforces = tool.has(Feature::EnforcesSchema);
        let is_asked_by_prompt_alone = with == command(tool.name, |_| {}).arguments;
        assert_eq!((takes, is_asked_by_prompt_alone), (enforces, !enforces), "{}", tool.name);
    }
}

#[test]
fn the_agent_of_codex_keeps_the_users_own_settings_beside_ours() {
    let own = OwnSettings { servers: vec!["spy".to_owned()], ..OwnSettings::default() };
    let config = |given: &str| {
        let variable = |_: &str| Some(given.to_owned());
        asked(
            "codex",
            |ask| (ask.own, ask.variable) = (&own, &variable),
            |ask| (tool("codex").agent.quirks.variables)(ask).map(|variables| variables[0].1.clone()),
        )
    };
    let read = |given: &str| -> Value { serde_json::from_str(&config(given).unwrap()).unwrap() };
    let mine = read(r#"{"model_provider":"mine","mcp_servers":{"x":{}}}"#);
    assert_eq!((&mine["model_provider"], &mine["mcp_servers"]), (&Value::from("mine"), &Value::Null));
    assert_eq!(mine["mcp_servers.spy.enabled"], false);
    assert_eq!(mine["shell_environment_policy"]["inherit"], "core");
    assert_eq!(read("")["notify"], serde_json::json!([]));
    assert!(config("{ no JSON").unwrap_err().to_string().starts_with("CODEX_CONFIG can't be read: "));
}
