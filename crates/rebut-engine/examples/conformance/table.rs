//! The table of what was seen, for a terminal and for the documentation.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

use crate::case::CASES;
use crate::cell::Way;
use crate::debates::{Ended, tools};

/// What a cell came to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Verdict {
    /// As it must be.
    Ok,
    /// Not so, by a limit of the tool that is written down.
    Known(&'static str),
    /// Not so.
    Short(String),
}

impl std::fmt::Display for Verdict {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Ok => f.write_str("ok"),
            Self::Known(words) => write!(f, "known: {words}"),
            Self::Short(seen) => write!(f, "FALLS SHORT: {seen}"),
        }
    }
}

/// A cell with its verdict.
pub(crate) struct Row {
    pub(crate) tool: &'static str,
    pub(crate) way: Way,
    pub(crate) case: &'static str,
    pub(crate) verdict: Verdict,
}

/// A column: a tool, and how it was spoken to.
pub(crate) struct Head {
    pub(crate) tool: &'static str,
    pub(crate) way: Way,
    pub(crate) version: String,
}

/// The tables for a terminal, one a way of speaking to the tools.
pub(crate) fn plain(rows: &[Row], heads: &[Head]) -> String {
    let mut text = String::new();
    for (way, heads) in by_way(heads) {
        let _ = write!(text, "{:<18}", way.name());
        for head in &heads {
            let _ = write!(text, "{:<34}", format!("{} {}", head.tool, head.version));
        }
        for case in CASES.iter().filter(|case| rows.iter().any(|row| row.case == case.name)) {
            let _ = write!(text, "\n{:<18}", case.name);
            for head in &heads {
                let _ = write!(text, "{:<34}", word(find(rows, head, case.name)));
            }
        }
        text.push_str("\n\n");
    }
    text
}

/// The tables as a document, with what they mean.
pub(crate) fn document(rows: &[Row], heads: &[Head], debates: &str) -> String {
    let today = jiff::Zoned::now().date();
    let mut text = format!(
        "# What the tools do\n\nSeen on {today} with the real programs, through rebut's own seats, against a stand-in \
         provider on loopback.\n`scripts/conformance` writes this page; run it when a tool or something in \
         `crates/rebut-engine/src/providers/`\nchanges.\n"
    );
    for (way, heads) in by_way(heads) {
        let title = match way {
            Way::Cli => "Over their command lines",
            Way::Acp => "Over ACP",
        };
        let _ = write!(text, "\n## {title}\n\n| case |");
        for head in &heads {
            let _ = write!(text, " {} {} |", head.tool, head.version);
        }
        let _ = write!(text, "\n|---|{}", "---|".repeat(heads.len()));
        for case in &CASES {
            let _ = write!(text, "\n| {}: {} |", case.name, case.shows);
            for head in &heads {
                let _ = write!(text, " {} |", word(find(rows, head, case.name)));
            }
        }
        text.push('\n');
    }
    text.push_str("\n`known`: a limit of the tool that no option changes.\n");
    let mut notes: Vec<String> = rows.iter().filter_map(note).collect();
    notes.sort();
    if !notes.is_empty() {
        let _ = write!(text, "\n{}\n", notes.join("\n"));
    }
    text + debates + ELSE + BESIDE
}

/// The document with this section on debates in place of its own.
pub(crate) fn with_debates(document: &str, section: &str) -> String {
    let heading = [DEBATES, ELSE].into_iter().find(|heading| document.contains(heading));
    let (before, rest) = heading.and_then(|heading| document.split_once(heading)).unwrap_or((document, ""));
    let rest = if heading == Some(ELSE) { rest } else { rest.split_once(ELSE).map_or("", |(_, rest)| rest) };
    format!("{before}{section}{ELSE}{rest}")
}

/// The transports over which each tool was seen in each role of each format.
type Seen = BTreeMap<(&'static str, String), BTreeMap<String, BTreeSet<&'static str>>>;

fn seen(ended: &[Ended]) -> Seen {
    let mut all = Seen::new();
    for ended in ended {
        for seen in ended.result.iter().flatten() {
            let of_role = all.entry((ended.format, seen.role.clone())).or_default();
            of_role.entry(seen.tool.clone()).or_default().insert(ended.way.name());
        }
    }
    all
}

/// The roles that a tool was not seen in: `duel, judge: verdict, claude over acp`.
pub(crate) fn gaps(ended: &[Ended]) -> Vec<String> {
    let mut gaps = Vec::new();
    for ((format, role), by_tool) in &seen(ended) {
        for way in Way::ALL.into_iter().filter(|way| ended.iter().any(|one| one.format == *format && one.way == *way)) {
            let was_seen = |tool: &str| by_tool.get(tool).is_some_and(|ways| ways.contains(way.name()));
            let missing = tools().filter(|subject| !was_seen(subject.tool));
            gaps.extend(missing.map(|subject| format!("{format}, {role}, {} over {}", subject.tool, way.name())));
        }
    }
    gaps
}

const DEBATES: &str = "\n## Whole debates\n";
const ELSE: &str = "\n## What else was seen\n";

/// The section on whole debates.
pub(crate) fn debates(ended: &[Ended]) -> String {
    if ended.is_empty() {
        return String::new();
    }
    let mut text = format!(
        "{DEBATES}\nEvery format, run to its end by the built program, with each tool in every role. The stand-in model answers \
         with an instance\nof the schema it is given, through the tool's own structured output if it has one. No call may \
         fail, be rejected or be\nretried. A cell lists the transports over which the tool was seen in the role.\n\n\
         | format | role |"
    );
    let names: Vec<&str> = tools().map(|subject| subject.tool).collect();
    let _ = write!(text, " {} |\n|---|---|{}", names.join(" | "), "---|".repeat(names.len()));
    for ((format, role), by_tool) in &seen(ended) {
        let _ = write!(text, "\n| {format} | {role} |");
        for name in &names {
            let was_seen = |way: &Way| by_tool.get(*name).is_some_and(|ways| ways.contains(way.name()));
            let ways: Vec<&str> = Way::ALL.iter().filter(|way| was_seen(way)).map(|way| way.name()).collect();
            let _ = write!(text, " {} |", if ways.is_empty() { "-".to_owned() } else { ways.join(", ") });
        }
    }
    text.push('\n');
    let note = |ended: &Ended| {
        let wrong = ended.result.as_ref().err()?;
        Some(format!("- {} over {}: {wrong}", ended.which, ended.way.name()))
    };
    let mut notes: Vec<String> = ended.iter().filter_map(note).collect();
    notes.sort();
    if !notes.is_empty() {
        let _ = write!(text, "\n{}\n", notes.join("\n"));
    }
    text
}

/// What was seen beside the cases.
const BESIDE: &str = "
- **claude** with `--bare` has `Read` and neither `Glob` nor `Grep`, so it is used only for seats that may not read the
  workspace. With `--json-schema` it gets a tool to answer with; a model that answers in text anyway costs one more turn
  and is read as before. It rejects a schema that names its dialect (`$schema`), so ours names none.
- **codex** passes the schema of `--output-schema` on as a strict one, for which the service supports part of JSON Schema only.
  Whether it accepts ours can't be tried without the service, so the flag is not used; the prompt contains the schema.
- **Homes**: every tool has its own settings in a debate, with nothing of the user's but how to reach the model and a link to
  the credentials; its memory is deleted after the call. claude keeps its home and gets its settings as a file. codex keeps its
  home if it signs in with the system's keychain, which depends on the folder's name: the user's `AGENTS.md`, hooks and the
  settings of a trusted project then apply, MCP servers with odd names too, and over ACP it remembers. System-wide settings
  (`/etc/gemini-cli`, managed settings) always apply.
- **codex over ACP**: permission profiles are set by flags of the program, which the adapter does not pass on; its mode
  `read-only` reads the whole disk. A refused edit ends its turn. The adapter makes it trust every folder, so it would
  start the MCP servers of a project's `.codex`: such a workspace is refused.
- **gemini** reports a model that repeats itself (`Loop detected`) in an event beside a result that it calls a success. Such an
  answer counts as truncated. The event was found in the program, not seen in a run.
- **gemini** skips the file of `GEMINI_CLI_SYSTEM_SETTINGS_PATH` unless it and all folders above are root's, so it has a home
  of its own (`GEMINI_CLI_HOME`) in a folder that is not trusted: project settings and `GEMINI.md` are not read.
- **opencode** is restricted by an agent of ours in its settings, since a user's permissions for an agent override the general
  ones. It follows symlinks out of the workspace; the pinned copy that seats read has none.
- **Titles**: claude-agent-acp, codex-acp and opencode's agent send each prompt a second time to generate a title. claude
  gets one with the session (`title`), codex by `session/set_title`, and opencode's title agent is disabled. A codex-acp that
  doesn't support titles yet sends each prompt twice; the plan says so.
- **copilot over ACP** reads the project's instructions in spite of `--no-custom-instructions`, and runs the repository's
  hooks in spite of `disableAllHooks`: a workspace with hooks is refused. A refused call ends its turn.
- **`--transport auto`** uses the agents of claude, gemini, opencode and qwen if they open a session. Those of codex, copilot and
  grok work too, but worse than their command lines, for the reasons above and below: they are used only with
  `--transport acp`, and the plan says so.
- **Environment**: a tool sees what every program needs (paths, locale, proxy, certificates, terminal), its own variables
  (`ANTHROPIC_*` and `CLAUDE_*` for claude, `OPENAI_*` and `CODEX_*` for codex, and so on), the variables that its settings
  name for the provider in use (`env_key` of codex, `{env:NAME}` of opencode, `AWS_*` for claude on Bedrock), and what
  `tools.NAME.env` passes on. It never sees another vendor's key. opencode gets the key of the provider of its model;
  without a model it gets none, and the plan says so. `PWD` is always the tool's own folder.
- **Signed in**: doctor looks for a key or a file of the tool. If it finds neither, it runs `claude auth status`, `codex
  login status` and `grok models`, reads the settings of gemini and opencode, and lets copilot and qwen (and gemini, if its
  settings name a way to sign in) open a session over ACP, which they refuse without a sign-in. No model is called. The files of gemini and copilot are
  those that the programs name; whether a sign-in creates them could not be tried without an account.
- **qwen** speaks the `stream-json` of claude. It reports errors of its provider as an answer that begins with `[API Error:`,
  and calls that a success; such an answer is a failure here. It retries a 429 or a 500 seven times, silently for
  minutes, and no option changes that. It puts a space before each `@` of a prompt. The
  project's settings are read and overridden by ours (`QWEN_CODE_SYSTEM_SETTINGS_PATH`), so that neither its hooks, servers nor commands
  run. No option keeps `read_file` inside the workspace.
- **grok** uses the same format (`streaming-messages-json`), takes its prompt from `/dev/stdin` and has a home of its own
  (`GROK_HOME`) with rules that deny the shell, writing, the web and MCP, which override all that allow them, also over
  ACP. `--sandbox strict` would keep its reading inside the workspace; it needs bubblewrap on Linux and could not be tried
  here, so it is not used. Over ACP it must be signed in first (`authenticate`), cuts prompts of 200 KB, and reports a
  truncated answer as complete.
- **Not tried** with qwen and grok: an account. Both were seen with a key and a stand-in provider only (OpenAI's chat
  completions); whether linking `auth.json` and `oauth_creds.json` is enough, and what a subscription's limits look like, is
  unknown.
- **kiro** is not built in. It speaks ACP, as an agent of your own: `[agents.kiro]` with `command = [\"kiro-cli\", \"acp\"]` and
  `env = [\"KIRO_API_KEY\"]`, seated as `acp:kiro`. It was never tried with the real program.
";

fn note(row: &Row) -> Option<String> {
    match &row.verdict {
        Verdict::Ok => None,
        Verdict::Known(words) => Some(format!("- {} over {}, {}: {words}", row.tool, row.way.name(), row.case)),
        Verdict::Short(seen) => Some(format!("- {} over {}, {}: {seen}", row.tool, row.way.name(), row.case)),
    }
}

fn word(verdict: Option<&Verdict>) -> &'static str {
    match verdict {
        None => "-",
        Some(Verdict::Ok) => "ok",
        Some(Verdict::Known(_)) => "known",
        Some(Verdict::Short(_)) => "falls short",
    }
}

fn find<'a>(rows: &'a [Row], head: &Head, case: &str) -> Option<&'a Verdict> {
    let here = |row: &&Row| (row.tool, row.way, row.case) == (head.tool, head.way, case);
    rows.iter().find(here).map(|row| &row.verdict)
}

fn by_way(heads: &[Head]) -> Vec<(Way, Vec<&Head>)> {
    let of = |way: Way| (way, heads.iter().filter(|head| head.way == way).collect::<Vec<_>>());
    Way::ALL.into_iter().map(of).filter(|(_, heads)| !heads.is_empty()).collect()
}
