//! The tools under test.

use std::fs;
use std::path::Path;
use std::time::Duration;

use rebut_core::debate::Prompt;
use rebut_engine::config::ToolsSettings;
use rebut_engine::process::{self, ChildLimits, Launch, Next};
use rebut_engine::providers::{find_program, tool};
use rebut_fakes::provider::ToolCall;
use serde_json::Value;
use tokio_util::sync::CancellationToken;

use crate::case::Deed;
use crate::cell::{ANSWERED, CHANGED, Places, UNANSWERED, Way};
use crate::deeds::{claude_calls, codex_calls, copilot_calls, gemini_calls, grok_calls, opencode_calls, qwen_calls};
use crate::settings::{
    allow_claude, allow_codex, allow_copilot, allow_gemini, allow_grok, allow_opencode, allow_qwen, plant_claude,
    plant_codex, plant_copilot, plant_gemini, plant_grok, plant_opencode, plant_qwen, point_codex, point_gemini, point_grok,
    point_opencode, point_signed_in_claude,
};

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

const REFUSAL: &str = "it reports a refusal as an ordinary answer";
const SPACES: &str = "it puts a space before each @";
const CUTS: &str = "it cuts long prompts";
const BROKEN: &str = "it reports a truncated answer as complete";
const ENDS: &str = "it ends its turn without an answer when it is refused";

const CLAUDE_FREELY: &[&str] = &["-p", "--dangerously-skip-permissions"];

/// How long a tool may take that is allowed everything.
const FREELY: Duration = Duration::from_mins(2);

/// Every tool under test.
pub(crate) const SUBJECTS: [Subject; 8] = [
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
        point: point_signed_in_claude,
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
    Subject {
        name: "qwen",
        tool: "qwen",
        model: ("qwen3-coder-plus", "qwen3-coder-plus"),
        effort: None,
        unknown: "no-such-model",
        point: |_, base| {
            vec![
                ("OPENAI_BASE_URL", format!("{base}/v1")),
                ("OPENAI_API_KEY", "not-a-real-key".to_owned()),
                ("OPENAI_MODEL", "stand-in-model".to_owned()),
            ]
        },
        known: &[known(Way::Cli, "non-ASCII", CHANGED, SPACES)],
        plant: plant_qwen,
        allow: allow_qwen,
        freely: &["--approval-mode", "yolo", "--auth-type", "openai"],
        own_instructions: &[".qwen/QWEN.md", ".qwen/AGENTS.md"],
        calls: qwen_calls,
    },
    Subject {
        name: "grok",
        tool: "grok",
        model: ("stand-in-big", "stand-in-big"),
        effort: Some("max"),
        unknown: "no-such-model",
        point: point_grok,
        known: &[known(Way::Acp, "200 KB", CHANGED, CUTS), known(Way::Acp, "truncated", ANSWERED, BROKEN)],
        plant: plant_grok,
        allow: allow_grok,
        freely: &["--prompt-file", "/dev/stdin", "--always-approve"],
        own_instructions: &[".grok/AGENTS.md"],
        calls: grok_calls,
    },
];

/// Has a tool do what the model wants, without rebut and with leave to do anything. How it ended, for whoever finds that
/// nothing was done.
pub(crate) async fn run_freely(
    subject: &Subject,
    places: &Places,
    prompt: &Prompt,
    variables: Vec<(String, String)>,
) -> String {
    let tool = tool(subject.tool).expect("a tool that rebut knows");
    let Some(program) = tool.detect(&ToolsSettings::default()) else { return "it is not installed".to_owned() };
    // Without this claude does not let root do anything it likes.
    let variables = variables.into_iter().chain([("IS_SANDBOX".to_owned(), "1".to_owned())]);
    let launch = Launch {
        program,
        arguments: subject.freely.iter().map(Into::into).collect(),
        folder: places.workspace.clone(),
        variables: variables.map(|(name, value)| (name.into(), value.into())).collect(),
        input: prompt.joined().into_bytes(),
    };
    let (child_limits, cancel) = (ChildLimits::default(), CancellationToken::new());
    let mut listen = |_: &str| Next::Continue;
    match tokio::time::timeout(FREELY, process::run(&launch, &child_limits, &mut listen, &cancel)).await {
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
    let tool = tool(subject.tool).expect("a tool that rebut knows");
    if let Some(adapter) = tool.agent.adapter.as_ref().filter(|_| way == Way::Acp) {
        return format!("({} {})", adapter.program, packaged_version(adapter.program).unwrap_or("unknown".to_owned()));
    }
    let Some(program) = tool.detect(&ToolsSettings::default()) else { return "not installed".to_owned() };
    let launch = Launch {
        program,
        arguments: vec!["--version".into()],
        folder: work.to_owned(),
        variables: vec![("HOME".into(), work.join("home").into())],
        input: Vec::new(),
    };
    let output = process::run(&launch, &ChildLimits::default(), &mut |_| Next::Continue, &CancellationToken::new()).await;
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
