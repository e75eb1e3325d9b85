//! The tools under test: how each is pointed at the stand-in provider, and what its own tools are called.

use std::fs;
use std::path::Path;
use std::time::Duration;

use rebut_core::debate::Prompt;
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
    /// Puts hooks, MCP servers and the like into its home and into the project, each of which would leave a file.
    pub(crate) plant: fn(&Places),
    /// Puts settings into its home that allow it everything.
    pub(crate) allow: fn(&Places, Way),
    /// The arguments with which it does whatever the model wants, told on standard input.
    pub(crate) freely: &'static [&'static str],
    /// Where in the home it looks for what a person tells it in general.
    pub(crate) own_instructions: &'static [&'static str],
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

const CLAUDE_FREELY: &[&str] = &["-p", "--dangerously-skip-permissions"];

/// How long a tool may take that is allowed everything.
const FREELY: Duration = Duration::from_mins(2);

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
        allow: allow_claude,
        freely: CLAUDE_FREELY,
        own_instructions: &[".claude/CLAUDE.md", ".claude/rules/all.md"],
        calls: claude_calls,
    },
    // As a person has it who signed in: another way of keeping hooks and instructions out.
    Subject {
        name: "claude-no-key",
        tool: "claude",
        model: ("opus", "claude-opus"),
        effort: Some("max"),
        unknown: "no-such-model",
        point: |places, base| {
            // What reaches the model may stand in the person's settings alone, and must not be lost with the rest.
            let env = json!({ "ANTHROPIC_BASE_URL": base, "ANTHROPIC_AUTH_TOKEN": "not-a-real-token" });
            keep(&places.home.join(".claude/settings.json"), &json!({ "env": env }).to_string());
            Vec::new()
        },
        known: &[],
        plant: plant_claude,
        allow: allow_claude,
        freely: CLAUDE_FREELY,
        own_instructions: &[".claude/CLAUDE.md", ".claude/rules/all.md"],
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
        allow: allow_codex,
        freely: &["exec", "--skip-git-repo-check", "--dangerously-bypass-approvals-and-sandbox", "-"],
        own_instructions: &[".codex/AGENTS.md"],
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
        allow: allow_gemini,
        freely: &["--skip-trust", "--approval-mode", "yolo"],
        own_instructions: &[".gemini/GEMINI.md"],
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
        allow: allow_opencode,
        freely: &["run", "--model", "standin/stand-in-model"],
        own_instructions: &[".config/opencode/AGENTS.md", ".claude/CLAUDE.md"],
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
            known(Way::Acp, "link", UNANSWERED, ENDS),
        ],
        plant: plant_copilot,
        allow: allow_copilot,
        freely: &["--allow-all-tools", "--allow-all-paths"],
        own_instructions: &[".copilot/copilot-instructions.md"],
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

pub(crate) fn keep(file: &Path, content: &str) {
    fs::create_dir_all(file.parent().expect("a folder")).expect("a folder for settings");
    fs::write(file, content).expect("settings");
}

/// Lays settings over those that a file holds.
fn lay_over(file: &Path, over: &Value) {
    let own = fs::read_to_string(file).ok().and_then(|text| serde_json::from_str(&text).ok());
    let mut settings: Value = own.unwrap_or_else(|| json!({}));
    for (key, value) in over.as_object().expect("a table") {
        settings[key] = value.clone();
    }
    keep(file, &settings.to_string());
}

fn plant_claude(places: &Places) {
    let hook = |name: &str| json!([{ "hooks": [{ "type": "command", "command": places.spy(name) }] }]);
    let hooks =
        |name: &str| json!({ "hooks": { "UserPromptSubmit": hook(name), "SessionStart": hook(name), "Stop": hook(name) } });
    lay_over(&places.home.join(".claude/settings.json"), &hooks("hook"));
    lay_over(&places.workspace.join(".claude/settings.json"), &hooks("hook-of-project"));
    let servers = |name: &str| json!({ "mcpServers": { name: { "command": "sh", "args": ["-c", places.spy(name)] } } });
    lay_over(&places.home.join(".claude.json"), &servers("server"));
    lay_over(&places.workspace.join(".mcp.json"), &servers("server-of-project"));
}

fn allow_claude(places: &Places, _: Way) {
    let allow = json!(["Bash", "Write", "Edit", "Read(//**)"]);
    let permissions =
        json!({ "allow": allow, "additionalDirectories": [places.outside], "defaultMode": "bypassPermissions" });
    for folder in [&places.home, &places.workspace] {
        lay_over(&folder.join(".claude/settings.json"), &json!({ "permissions": permissions }));
    }
}

fn plant_codex(places: &Places) {
    let file = places.home.join(".codex/config.toml");
    let own = fs::read_to_string(&file).unwrap_or_default();
    let words = |name: &str| json!(["-c", places.spy(name)]);
    let server = |name: &str| format!("[mcp_servers.\"{name}\"]\ncommand = \"sh\"\nargs = {}\n", words(name));
    let notify = json!(["sh", "-c", places.spy("notify")]);
    let trust = format!("[projects.{}]\ntrust_level = \"trusted\"\n", json!(places.workspace));
    keep(&file, &format!("notify = {notify}\n{own}\n{}{}{trust}", server("server"), server("odd.server")));
    keep(&places.workspace.join(".codex/config.toml"), &server("server-of-project"));
    let hook = json!([{ "hooks": [{ "type": "command", "command": places.spy("hook") }] }]);
    keep(
        &places.home.join(".codex/hooks.json"),
        &json!({ "hooks": { "UserPromptSubmit": hook, "SessionStart": hook } }).to_string(),
    );
}

/// What allows it everything stands in its settings already.
fn allow_codex(places: &Places, way: Way) {
    let file = places.home.join(".codex/config.toml");
    let own = fs::read_to_string(&file).unwrap_or_default();
    keep(&file, &format!("{own}\n[projects.{}]\ntrust_level = \"trusted\"\n", json!(places.workspace)));
    // As an agent it is not started at all where a repository has settings for it.
    if way == Way::Cli {
        keep(
            &places.workspace.join(".codex/config.toml"),
            "sandbox_mode = \"danger-full-access\"\napproval_policy = \"never\"\n",
        );
    }
}

fn plant_gemini(places: &Places) {
    let settings = |of: &str| {
        let hook =
            json!([{ "matcher": "*", "hooks": [{ "type": "command", "command": places.spy(&format!("hook{of}")) }] }]);
        json!({
            "mcpServers": { "spy": { "command": "sh", "args": ["-c", places.spy(&format!("server{of}"))] } },
            "hooks": { "SessionStart": hook, "BeforeAgent": hook }, "hooksConfig": { "enabled": true },
            "tools": { "discoveryCommand": places.spy(&format!("discovery{of}")) },
        })
    };
    lay_over(&places.home.join(".gemini/settings.json"), &settings(""));
    lay_over(&places.workspace.join(".gemini/settings.json"), &settings("-of-project"));
}

fn allow_gemini(places: &Places, _: Way) {
    let tools = json!(["run_shell_command", "write_file", "read_file"]);
    let settings = json!({ "tools": { "allowed": tools }, "context": { "includeDirectories": [places.outside] } });
    for folder in [&places.home, &places.workspace] {
        lay_over(&folder.join(".gemini/settings.json"), &settings);
    }
    let rule = |tool: &str| format!("[[rule]]\ntoolName = \"{tool}\"\ndecision = \"allow\"\npriority = 500\n");
    keep(&places.home.join(".gemini/policies/mine.toml"), &(rule("run_shell_command") + &rule("write_file")));
    let trusted = json!({ places.workspace.display().to_string(): "TRUST_FOLDER" });
    keep(&places.home.join(".gemini/trustedFolders.json"), &trusted.to_string());
}

fn plant_opencode(places: &Places) {
    let server = |name: &str| json!({ "mcp": { "spy": { "type": "local", "command": ["sh", "-c", places.spy(name)] } } });
    keep(&places.home.join(".config/opencode/opencode.json"), &server("server").to_string());
    keep(&places.workspace.join("opencode.json"), &server("server-of-project").to_string());
    for (folder, of) in [
        (places.home.join(".config/opencode"), ""),
        (places.home.join(".opencode"), "-of-home"),
        (places.workspace.join(".opencode"), "-of-project"),
        (places.workspace.clone(), "-of-folder"),
    ] {
        let spy = json!(places.spy(&format!("plugin{of}")));
        let plugin = format!("export const Spy = async ({{ $ }}) => {{ await $`sh -c ${{{spy}}}`; return {{}} }}\n");
        keep(&folder.join("plugin/spy.js"), &plugin);
        let spy = json!(places.outside.join(format!("spy-tool{of}")));
        let tool = "export default { description: \"d\", args: {}, async execute() { return \"x\" } }\n";
        keep(&folder.join("tool/spy.js"), &format!("import fs from \"fs\"\nfs.writeFileSync({spy}, \"x\")\n{tool}"));
    }
}

fn allow_opencode(places: &Places, _: Way) {
    let permission = json!({ "bash": "allow", "edit": "allow", "external_directory": "allow", "*": "allow" });
    let agents = json!({ "build": { "permission": permission }, "rebut": { "permission": permission } });
    let settings = json!({ "permission": permission, "agent": agents, "default_agent": "mine" });
    keep(&places.home.join(".config/opencode/opencode.json"), &settings.to_string());
    let mine = "---\ndescription: mine\nmode: primary\npermission:\n  bash: allow\n  edit: allow\n  external_directory: allow\n---\nyou\n";
    for name in ["mine", "rebut"] {
        keep(&places.home.join(format!(".config/opencode/agent/{name}.md")), mine);
    }
}

fn plant_copilot(places: &Places) {
    let server = |name: &str| json!({ "type": "local", "command": "sh", "args": ["-c", places.spy(name)], "tools": ["*"] });
    let servers = json!({ "mcpServers": { "spy": server("server"), "my spy.x": server("odd-server") } });
    keep(&places.home.join(".copilot/mcp-config.json"), &servers.to_string());
    for file in [".mcp.json", ".github/mcp.json"] {
        keep(&places.workspace.join(file), &json!({ "mcpServers": { "theirs": server("server-of-project") } }).to_string());
    }
    for (folder, name) in [(places.home.join(".copilot"), "hook"), (places.workspace.join(".github"), "hook-of-project")] {
        let hook = json!([{ "type": "command", "bash": places.spy(name) }]);
        let hooks = json!({ "version": 1, "hooks": { "sessionStart": hook, "userPromptSubmitted": hook } });
        keep(&folder.join("hooks/spy.json"), &hooks.to_string());
    }
    let hook = json!([{ "type": "command", "bash": places.spy("hook-of-settings") }]);
    keep(&places.home.join(".copilot/settings.json"), &json!({ "hooks": { "sessionStart": hook } }).to_string());
    keep(&places.workspace.join(".github/copilot/settings.json"), &json!({ "hooks": { "sessionStart": hook } }).to_string());
}

fn allow_copilot(places: &Places, _: Way) {
    let settings = json!({ "trustedFolders": ["/"], "trusted_folders": ["/"], "defaultPermissionMode": "allow-all" });
    for file in ["config.json", "settings.json"] {
        keep(&places.home.join(".copilot").join(file), &settings.to_string());
    }
}

fn call(name: &str, arguments: Value) -> ToolCall {
    ToolCall::new(name, arguments)
}

fn claude_calls(deed: Deed, places: &Places) -> Vec<ToolCall> {
    let (file, folder) = (places.secret(), places.outside.display().to_string());
    match deed {
        Deed::Write => vec![call("Write", json!({ "file_path": places.deed(), "content": "done" }))],
        Deed::Shell => vec![call("Bash", json!({ "command": places.touch(), "description": "makes a file" }))],
        Deed::ReadLink => vec![call("Read", json!({ "file_path": places.link() }))],
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
        Deed::ReadLink => shell(format!("cat {}", places.link())),
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
        Deed::ReadLink => vec![call("read_file", json!({ "file_path": places.link() }))],
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
        Deed::ReadLink => vec![call("read", json!({ "filePath": places.link() }))],
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
        Deed::ReadLink => vec![call("view", json!({ "path": places.link() }))],
        Deed::ReadInside | Deed::ReadForbidden => vec![call("view", json!({ "path": places.inside() }))],
        Deed::ReadOutside => vec![
            call("view", json!({ "path": file })),
            call("grep", json!({ "pattern": "SECRET", "path": folder, "output_mode": "content" })),
        ],
    }
}

/// Has a tool do what the model wants, without rebut and with leave to do anything. How it ended, for whoever finds that
/// nothing was done.
pub(crate) async fn run_freely(
    subject: &Subject,
    places: &Places,
    prompt: &Prompt,
    variables: Vec<(String, String)>,
) -> String {
    let tool = TOOLS.iter().find(|tool| tool.name == subject.tool).expect("a tool that rebut knows");
    let Some(program) = detect(tool, &ToolsSettings::default()) else { return "it is not installed".to_owned() };
    let launch = Launch {
        program,
        arguments: subject.freely.iter().map(Into::into).collect(),
        folder: places.workspace.clone(),
        variables: variables.into_iter().map(|(name, value)| (name.into(), value.into())).collect(),
        input: prompt.joined().into_bytes(),
    };
    let (patience, cancel) = (Patience::default(), CancellationToken::new());
    let mut listen = |_: &str| Heard::More;
    match tokio::time::timeout(FREELY, process::run(&launch, &patience, &mut listen, &cancel)).await {
        Err(_) => "it did not end".to_owned(),
        Ok(Err(error)) => error.to_string(),
        Ok(Ok(output)) => {
            let said = [output.stdout, output.stderr].map(|said| String::from_utf8_lossy(&said).trim().to_owned());
            said.join(" | ")
        }
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
