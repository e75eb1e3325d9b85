//! The tools under test: how each is pointed at the stand-in provider, and what its own tools are called.

use std::fs;
use std::path::Path;

use rebut_engine::config::ToolsSettings;
use rebut_engine::process::{self, Heard, Launch, Patience};
use rebut_engine::providers::{TOOLS, acp, detect, find_program};
use rebut_fakes::provider::ToolCall;
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;

use crate::case::Deed;
use crate::cell::{ANSWERED, Places, UNANSWERED, Way};

/// A tool under test.
pub(crate) struct Subject {
    /// Its name here, which may say how it is set up.
    pub(crate) name: &'static str,
    /// Its name in rebut.
    pub(crate) tool: &'static str,
    /// A model that is named, and how the provider sees it.
    pub(crate) model: (&'static str, &'static str),
    /// What the provider sees of the highest effort; `None` where the tool has no such switch.
    pub(crate) effort: Option<&'static str>,
    /// A model that the provider does not know.
    pub(crate) unknown: &'static str,
    /// Variables that lead it to the provider; files are written into its home where it needs them.
    pub(crate) point: fn(&Places, &str) -> Vec<(&'static str, String)>,
    /// Cases in which the tool itself gives us nothing to go by, and what is seen instead.
    pub(crate) known: &'static [Known],
    /// Puts hooks and MCP servers into its home, each of which would leave a file.
    pub(crate) plant: fn(&Places),
    /// The calls by which the model has it do something.
    pub(crate) calls: fn(Deed, &Places) -> Vec<ToolCall>,
}

/// A case in which the tool itself gives us nothing to go by.
pub(crate) struct Known {
    pub(crate) way: Way,
    pub(crate) case: &'static str,
    /// How that which is seen then begins.
    pub(crate) seen: &'static str,
    pub(crate) words: &'static str,
}

const fn known(way: Way, case: &'static str, seen: &'static str, words: &'static str) -> Known {
    Known { way, case, seen, words }
}

const REFUSAL: &str = "it reports the words of a refusal as an ordinary answer";
const ENDS: &str = "it does not do it, and ends its turn without an answer when it is refused";

/// Every tool under test.
pub(crate) const SUBJECTS: [Subject; 6] = [
    Subject {
        name: "claude",
        tool: "claude",
        model: ("opus", "claude-opus"),
        effort: Some("max"),
        unknown: "no-such-model",
        point: |_, base| vec![("ANTHROPIC_BASE_URL", base.to_owned()), ("ANTHROPIC_API_KEY", "not-a-real-key".to_owned())],
        known: &[],
        plant: plant_claude,
        calls: claude_calls,
    },
    // As a person has it who signed in: another way of keeping hooks and instructions out.
    Subject {
        name: "claude-no-key",
        tool: "claude",
        model: ("opus", "claude-opus"),
        effort: Some("max"),
        unknown: "no-such-model",
        point: |_, base| {
            vec![("ANTHROPIC_BASE_URL", base.to_owned()), ("ANTHROPIC_AUTH_TOKEN", "not-a-real-token".to_owned())]
        },
        known: &[],
        plant: plant_claude,
        calls: claude_calls,
    },
    Subject {
        name: "codex",
        tool: "codex",
        model: ("gpt-5.5", "gpt-5.5"),
        effort: Some("xhigh"),
        unknown: "no-such-model",
        point: point_codex,
        known: &[known(Way::Acp, "refusal", ANSWERED, REFUSAL), known(Way::Acp, "write", UNANSWERED, ENDS)],
        plant: plant_codex,
        calls: codex_calls,
    },
    Subject {
        name: "gemini",
        tool: "gemini",
        model: ("gemini-2.5-pro", "gemini-2.5-pro"),
        effort: None,
        unknown: "no-such-model",
        point: point_gemini,
        known: &[],
        plant: plant_gemini,
        calls: gemini_calls,
    },
    Subject {
        name: "opencode",
        tool: "opencode",
        model: ("standin/stand-in-model", "stand-in-model"),
        effort: Some("high"),
        unknown: "standin/no-such-model",
        point: point_opencode,
        known: &[],
        plant: plant_opencode,
        calls: opencode_calls,
    },
    Subject {
        name: "copilot",
        tool: "copilot",
        model: ("gpt-5.2", "gpt-5.2"),
        effort: Some("max"),
        unknown: "no-such-model",
        point: |_, base| {
            vec![
                ("COPILOT_PROVIDER_BASE_URL", format!("{base}/v1")),
                ("COPILOT_PROVIDER_API_KEY", "not-a-real-key".to_owned()),
                ("COPILOT_MODEL", "stand-in-model".to_owned()),
                ("COPILOT_OFFLINE", "true".to_owned()),
            ]
        },
        known: &[
            known(Way::Cli, "refusal", ANSWERED, REFUSAL),
            known(Way::Acp, "refusal", ANSWERED, REFUSAL),
            known(Way::Acp, "read outside", UNANSWERED, ENDS),
        ],
        plant: plant_copilot,
        calls: copilot_calls,
    },
];

fn point_codex(places: &Places, base: &str) -> Vec<(&'static str, String)> {
    let home = places.home.join(".codex");
    fs::create_dir_all(&home).expect("a folder for codex");
    // A person who allows everything otherwise.
    let config = format!(
        "model_provider = \"standin\"\nsandbox_mode = \"danger-full-access\"\napproval_policy = \"never\"\n\n[model_providers.standin]\nname = \"standin\"\nbase_url = \"{base}/v1\"\n\
         env_key = \"STAND_IN_KEY\"\nwire_api = \"responses\"\n"
    );
    fs::write(home.join("config.toml"), config).expect("codex's settings");
    vec![("CODEX_HOME", home.display().to_string()), ("STAND_IN_KEY", "not-a-real-key".to_owned())]
}

fn point_gemini(places: &Places, base: &str) -> Vec<(&'static str, String)> {
    let home = places.home.join(".gemini");
    fs::create_dir_all(&home).expect("a folder for gemini");
    let settings = json!({ "security": { "auth": { "selectedType": "gemini-api-key" } }, "telemetry": { "enabled": false },
        "privacy": { "usageStatisticsEnabled": false }, "general": { "enableAutoUpdate": false } });
    fs::write(home.join("settings.json"), settings.to_string()).expect("gemini's settings");
    vec![("GOOGLE_GEMINI_BASE_URL", base.to_owned()), ("GEMINI_API_KEY", "not-a-real-key".to_owned())]
}

fn point_opencode(_: &Places, base: &str) -> Vec<(&'static str, String)> {
    let model = |name: &str| json!({ "name": name, "reasoning": true, "tool_call": true });
    let config = json!({
        "model": "standin/stand-in-model", "small_model": "standin/stand-in-model",
        "provider": { "standin": {
            "npm": "@ai-sdk/openai-compatible", "name": "standin",
            "options": { "baseURL": format!("{base}/v1"), "apiKey": "not-a-real-key" },
            "models": { "stand-in-model": model("stand-in-model"), "no-such-model": model("no-such-model") },
        } },
    });
    vec![("OPENCODE_CONFIG_CONTENT", config.to_string()), ("OPENCODE_DISABLE_MODELS_FETCH", "1".to_owned())]
}

fn keep(file: &Path, content: &str) {
    fs::create_dir_all(file.parent().expect("a folder")).expect("a folder for settings");
    fs::write(file, content).expect("settings");
}

fn plant_claude(places: &Places) {
    let hook = json!([{ "hooks": [{ "type": "command", "command": places.spy("hook") }] }]);
    let settings = json!({ "hooks": { "UserPromptSubmit": hook, "SessionStart": hook, "Stop": hook } });
    keep(&places.home.join(".claude/settings.json"), &settings.to_string());
    let servers = json!({ "spy": { "command": "sh", "args": ["-c", places.spy("server")] } });
    keep(&places.home.join(".claude.json"), &json!({ "mcpServers": servers }).to_string());
    keep(&places.workspace.join(".mcp.json"), &json!({ "mcpServers": servers }).to_string());
}

fn plant_codex(places: &Places) {
    let file = places.home.join(".codex/config.toml");
    let own = fs::read_to_string(&file).unwrap_or_default();
    let (server, notify) = (json!(["-c", places.spy("server")]), json!(["sh", "-c", places.spy("notify")]));
    keep(&file, &format!("notify = {notify}\n{own}\n[mcp_servers.spy]\ncommand = \"sh\"\nargs = {server}\n"));
}

fn plant_gemini(places: &Places) {
    let file = places.home.join(".gemini/settings.json");
    let own = fs::read_to_string(&file).expect("gemini's settings");
    let mut settings: Value = serde_json::from_str(&own).expect("gemini's settings");
    settings["mcpServers"] = json!({ "spy": { "command": "sh", "args": ["-c", places.spy("server")] } });
    let hook = json!([{ "matcher": "*", "hooks": [{ "type": "command", "command": places.spy("hook") }] }]);
    settings["hooks"] = json!({ "SessionStart": hook, "BeforeAgent": hook });
    keep(&file, &settings.to_string());
}

fn plant_opencode(places: &Places) {
    let command = json!(["sh", "-c", places.spy("server")]);
    let servers = json!({ "spy": { "type": "local", "command": command, "enabled": true } });
    keep(&places.home.join(".config/opencode/opencode.json"), &json!({ "mcp": servers }).to_string());
    let spy = json!(places.spy("plugin"));
    let plugin = format!("export const Spy = async ({{ $ }}) => {{ await $`sh -c ${{{spy}}}`; return {{}} }}\n");
    keep(&places.home.join(".config/opencode/plugin/spy.js"), &plugin);
}

fn plant_copilot(places: &Places) {
    let server = json!({ "type": "local", "command": "sh", "args": ["-c", places.spy("server")], "tools": ["*"] });
    keep(&places.home.join(".copilot/mcp-config.json"), &json!({ "mcpServers": { "spy": server } }).to_string());
}

fn call(name: &str, arguments: Value) -> ToolCall {
    ToolCall::new(name, arguments)
}

fn claude_calls(deed: Deed, places: &Places) -> Vec<ToolCall> {
    let (file, folder) = (places.secret(), places.outside.display().to_string());
    match deed {
        Deed::Write => vec![call("Write", json!({ "file_path": places.deed(), "content": "done" }))],
        Deed::Shell => vec![call("Bash", json!({ "command": places.touch(), "description": "makes a file" }))],
        Deed::ReadInside | Deed::ReadForbidden => vec![call("Read", json!({ "file_path": places.inside() }))],
        Deed::Structured => vec![call("StructuredOutput", json!({ "winner": "challenger" }))],
        Deed::ReadOutside => vec![
            call("Read", json!({ "file_path": file })),
            call("Grep", json!({ "pattern": "SECRET", "path": folder, "output_mode": "content" })),
        ],
    }
}

fn codex_calls(deed: Deed, places: &Places) -> Vec<ToolCall> {
    // The name of its shell depends on its version and on the model: all are tried.
    let shell = |command: String| {
        vec![
            call("exec_command", json!({ "cmd": command })),
            call("shell_command", json!({ "command": command })),
            call("shell", json!({ "command": ["sh", "-c", command] })),
        ]
    };
    match deed {
        Deed::Write => vec![
            call("apply_patch", json!("*** Begin Patch\n*** Add File: deed.txt\n+done\n*** End Patch\n")),
            call(
                "exec_command",
                json!({ "cmd": "apply_patch '*** Begin Patch\n*** Add File: deed.txt\n+done\n*** End Patch'" }),
            ),
        ],
        Deed::Structured => Vec::new(),
        Deed::Shell => shell(places.touch()),
        Deed::ReadInside | Deed::ReadForbidden => shell(format!("cat {}", places.inside())),
        Deed::ReadOutside => shell(format!("cat {}", places.secret())),
    }
}

fn gemini_calls(deed: Deed, places: &Places) -> Vec<ToolCall> {
    let (file, folder) = (places.secret(), places.outside.display().to_string());
    match deed {
        Deed::Write => vec![call("write_file", json!({ "file_path": places.deed(), "content": "done" }))],
        Deed::Structured => Vec::new(),
        Deed::Shell => vec![call("run_shell_command", json!({ "command": places.touch() }))],
        Deed::ReadInside | Deed::ReadForbidden => vec![call("read_file", json!({ "file_path": places.inside() }))],
        Deed::ReadOutside => vec![
            call("read_file", json!({ "file_path": file })),
            call("grep_search", json!({ "pattern": "SECRET", "dir_path": folder })),
            call("read_many_files", json!({ "include": [file] })),
        ],
    }
}

fn opencode_calls(deed: Deed, places: &Places) -> Vec<ToolCall> {
    let (file, folder) = (places.secret(), places.outside.display().to_string());
    match deed {
        Deed::Write => vec![call("write", json!({ "filePath": places.deed(), "content": "done" }))],
        Deed::Structured => Vec::new(),
        Deed::Shell => vec![call("bash", json!({ "command": places.touch(), "description": "makes a file" }))],
        Deed::ReadInside | Deed::ReadForbidden => vec![call("read", json!({ "filePath": places.inside() }))],
        Deed::ReadOutside => {
            vec![call("read", json!({ "filePath": file })), call("grep", json!({ "pattern": "SECRET", "path": folder }))]
        }
    }
}

fn copilot_calls(deed: Deed, places: &Places) -> Vec<ToolCall> {
    let (file, folder) = (places.secret(), places.outside.display().to_string());
    match deed {
        Deed::Write => vec![call("create", json!({ "path": places.deed(), "file_text": "done" }))],
        Deed::Structured => Vec::new(),
        Deed::Shell => {
            vec![call("bash", json!({ "command": places.touch(), "description": "makes a file", "mode": "sync" }))]
        }
        Deed::ReadInside | Deed::ReadForbidden => vec![call("view", json!({ "path": places.inside() }))],
        Deed::ReadOutside => vec![
            call("view", json!({ "path": file })),
            call("grep", json!({ "pattern": "SECRET", "path": folder, "output_mode": "content" })),
        ],
    }
}

/// The version that a tool gives of itself, or that stands beside an agent which is a program of its own.
pub(crate) async fn version(subject: &Subject, way: Way, work: &Path) -> String {
    let agent = acp::agent(subject.tool).filter(|_| way == Way::Acp);
    let adapter = agent.filter(|agent| TOOLS.iter().all(|tool| tool.program != agent.program));
    if let Some(adapter) = adapter {
        return format!("({} {})", adapter.program, packaged_version(adapter.program).unwrap_or("unknown".to_owned()));
    }
    let tool = TOOLS.iter().find(|tool| tool.name == subject.tool).expect("a tool that rebut knows");
    let Some(program) = detect(tool, &ToolsSettings::default()) else { return "not installed".to_owned() };
    let launch = Launch {
        program,
        arguments: vec!["--version".into()],
        folder: work.to_owned(),
        variables: vec![("HOME".into(), work.join("home").into())],
        input: Vec::new(),
    };
    let output = process::run(&launch, &Patience::default(), &mut |_| Heard::More, &CancellationToken::new()).await;
    let text = output.map(|output| String::from_utf8_lossy(&output.stdout).into_owned()).unwrap_or_default();
    let words = text.split(|c: char| !(c.is_ascii_digit() || c == '.'));
    let version = words.filter(|word| word.contains('.')).find(|word| word.starts_with(|c: char| c.is_ascii_digit()));
    version.unwrap_or("unknown").trim_end_matches('.').to_owned()
}

/// The version of the package that a program belongs to.
fn packaged_version(program: &str) -> Option<String> {
    let program = find_program(program)?.canonicalize().ok()?;
    let package = program.ancestors().map(|folder| folder.join("package.json")).find(|file| file.exists())?;
    let package: Value = serde_json::from_str(&fs::read_to_string(package).ok()?).ok()?;
    package["version"].as_str().map(str::to_owned)
}
