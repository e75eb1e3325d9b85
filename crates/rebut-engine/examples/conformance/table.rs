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
         provider on loopback.\n`scripts/conformance` makes this document; run it whenever something in \
         `crates/rebut-engine/src/providers/`\nchanges, or a tool.\n"
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
    text.push_str("\n`known`: a limit of the tool for which no switch was found.\n");
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
- **claude** with `--bare` has `Read` and neither `Glob` nor `Grep`, so that only a seat that may not read the workspace is
  asked that way. With `--json-schema` it gets a tool by which it answers; a model that answers in words all the same
  costs one more turn and is read as before. It rejects a schema that names its dialect (`$schema`), so ours names none.
- **codex** hands the schema of `--output-schema` on as a strict one, which the service takes only in part of JSON Schema.
  Whether it takes ours cannot be tried without the service, so the flag is not used; the prompt carries the schema.
- **Homes**: every tool has settings of its own in a debate, with nothing of the person's but how the model is reached, and
  its credentials lent by a link; what it remembers is deleted with the call. claude keeps its home and is given settings as
  a file. codex keeps its home where it signs in with the system's keychain, which goes by the folder's name: the person's
  `AGENTS.md`, hooks and the settings of a trusted project then count, MCP servers with odd names too, and over ACP it
  remembers. Settings that the machine has for everybody (`/etc/gemini-cli`, managed settings) hold in any case.
- **codex over ACP**: permission profiles are set by flags of the program, which the adapter does not pass on; its mode
  `read-only` reads the whole disk. A refused edit ends its turn. The adapter has it trust every folder, so that it would
  start the MCP servers of a project's `.codex`: such a workspace is refused.
- **gemini** says of a model that repeats itself, in an event beside a result that it calls a success, that it stopped
  (`Loop detected`). Such an answer counts as broken off. The event was read in the program and not seen in a run.
- **gemini** skips the file of `GEMINI_CLI_SYSTEM_SETTINGS_PATH` unless it and all folders above are root's, so it has a home
  of its own (`GEMINI_CLI_HOME`) in a folder that is not trusted: project settings and `GEMINI.md` are not read.
- **opencode** is held by an agent of ours in its settings: what the person allows an agent goes before what all are allowed.
  It reads through links that lead out of the workspace; the copy that seats read of a pinned workspace has none.
- **Titles**: claude-agent-acp, codex-acp and opencode's agent send each prompt a second time to have a title made. claude is
  given one with the session (`title`), codex by `session/set_title`, and opencode's agent for titles is turned off. A
  codex-acp that does not take titles yet sends each prompt twice; the plan says so.
- **copilot over ACP** reads the project's instructions in spite of `--no-custom-instructions`, and runs the repository's
  hooks in spite of `disableAllHooks`: a workspace with hooks is refused. A refused call ends its turn.
- **`--transport auto`** takes the agents of claude, gemini, opencode and qwen where they open a session. Those of codex,
  copilot and grok work too, but are worse than their command lines for the reasons above and below: they are used only
  where ACP is asked for (`--transport acp`), and the plan says so.
- **Environment**: a tool sees what every program needs (paths, locale, proxy, certificates, terminal), its own variables
  (`ANTHROPIC_*` and `CLAUDE_*` for claude, `OPENAI_*` and `CODEX_*` for codex, and so on), the variables that its settings
  name for the provider in use (`env_key` of codex, `{env:NAME}` of opencode, `AWS_*` for claude on Bedrock), and what
  `tools.NAME.env` passes on. It never sees another vendor's key. opencode gets the key of the provider whose model is
  asked for; with no model named and none set up it gets none, and the plan says so. `PWD` is always the tool's own folder.
- **Signed in**: doctor looks for a key or a file of the tool's. Where it finds neither it asks `claude auth status`, `codex
  login status`, `qwen auth status` and `grok models`, reads the settings of gemini and opencode, and has copilot (and gemini, where its settings name a way to
  sign in) open a session over ACP, which they refuse where nobody is signed in. No model is asked. The files of gemini and
  copilot are those that the programs name; whether somebody who is signed in has them could not be tried without an account.
- **qwen** speaks the `stream-json` of claude. It reports errors of its provider as an answer that begins with `[API Error:`,
  and calls that a success; such an answer is a failure here. It retries a 429 or a 500 seven times by itself, for minutes
  and without a word, and no switch was found for that. It puts a space before each `@` of a prompt. The settings of the
  project are read and overruled by ours (`QWEN_CODE_SYSTEM_SETTINGS_PATH`), so that neither its hooks, servers nor commands
  run. No switch keeps `read_file` inside the workspace.
- **grok** speaks it too (`streaming-messages-json`), takes its prompt from `/dev/stdin` and has a home of its own
  (`GROK_HOME`) with rules that deny the shell, writing, the web and MCP, which go before all that allow them, also over
  ACP. `--sandbox strict` would keep its reading inside the workspace; it needs bubblewrap on Linux and could not be tried
  here, so it is not used. Over ACP it must be signed in first (`authenticate`), cuts prompts of 200 KB, and reports an
  answer that broke off as a whole one.
- **Not tried** with qwen and grok: an account. Both were seen with a key and a stand-in provider only (OpenAI's chat
  completions); whether `auth.json` and `oauth_creds.json` are enough to be lent, and what a subscription's limits look like,
  was not seen. Whole debates were not run with them.
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
