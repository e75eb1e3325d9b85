//! Every setting, a line each: who may set it, what it takes, what it is for.
//!
//! Errors, `config show` and the names of environment variables come from this list; the types and the built-in values
//! are those of [`Settings`](super::Settings), and a test compares the two.
//!
//! **A key that names a program to run, an address or a secret key is [`Who::UserOnly`].** So is one that decides where
//! something is written. Whoever clones a project must be able to run a debate in it without reading its files first.

use Who::{Anyone, UserOnly};

/// What can be said of a tool, a line each. All of it is the user's alone: it names a program, or what is paid for.
macro_rules! tool {
    ($name:literal) => {
        [
            entry(concat!("tools.", $name, ".program"), UserOnly, PROGRAM, concat!("the program of ", $name)),
            model!($name, "low"),
            model!($name, "medium"),
            model!($name, "high"),
            model!($name, "max"),
        ]
    };
}

/// The model that a tool is asked for at an effort.
macro_rules! model {
    ($name:literal, $effort:literal) => {
        entry(concat!("tools.", $name, ".models.", $effort), UserOnly, MODEL, concat!("its model for ", $effort, " effort"))
    };
}

/// A setting.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Key {
    /// The table and the name in it: `budget.max_tokens`.
    pub path: &'static str,
    /// Whose files may set it.
    pub who: Who,
    /// What it takes, in words that follow "it takes".
    pub takes: &'static str,
    /// What it is for, in one short phrase.
    pub help: &'static str,
}

/// Whose files may set a key. The environment and flags are always the user's.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Who {
    /// The user's and a project's.
    Anyone,
    /// The user's own config only.
    UserOnly,
}

/// Every setting but those of tools, table by table.
const GENERAL: [Key; 21] = [
    entry("duel.proposer", Anyone, SEAT, "who takes a position"),
    entry("duel.challenger", Anyone, SEAT, "who attacks it"),
    entry("duel.judge", Anyone, SEAT, "who decides"),
    entry("duel.rounds", Anyone, "a whole number from 1 to 5", "how many rounds are argued"),
    entry("duel.effort", Anyone, "low, medium, high or max", "how hard the seats think"),
    entry("duel.timeout_seconds", Anyone, SECONDS, "time limit of one whole call"),
    entry("duel.context", Anyone, "a list of `none`, `diff` and `file=PATH`", "what goes into every prompt"),
    entry("duel.transport", Anyone, "auto, cli or acp", "how tools are spoken to"),
    entry("budget.max_minutes", Anyone, "a number of minutes above 0", "time a debate may take"),
    entry("budget.max_tokens", Anyone, COUNT, "tokens a debate may use"),
    entry("budget.max_cost", Anyone, "an amount of dollars above 0", "money a debate may cost"),
    entry("limits.calls", Anyone, COUNT, "calls at once, all providers together"),
    entry("limits.local", Anyone, COUNT, "calls at once to the embedded model"),
    entry("limits.cli", Anyone, COUNT, "calls at once to each command-line tool"),
    entry("limits.context_bytes", Anyone, COUNT, "largest context that goes into a prompt"),
    entry("limits.retry_wait_ms", Anyone, COUNT, "wait before the first retry of a call"),
    entry("limits.first_output_seconds", Anyone, SECONDS, "time that a tool's model may take to its first word or deed"),
    entry("limits.stall_seconds", Anyone, SECONDS, "silence of a tool after that which is put up with"),
    entry("agents", UserOnly, AGENTS, "agents of your own that speak ACP, seated as `acp:NAME`"),
    entry("state.dir", UserOnly, "a path, with `~` written out", "folder that keeps the debates"),
    entry("output.color", Anyone, "auto, always or never", "colour on the terminal"),
];

/// The settings of each tool: those of `tool!`.
const OF_TOOLS: [[Key; 5]; 6] =
    [tool!("claude"), tool!("codex"), tool!("gemini"), tool!("opencode"), tool!("copilot"), tool!("kiro")];

/// Every setting.
pub const KEYS: [Key; GENERAL.len() + 30] = all();

/// Variables of ours that are no settings: fault points of tests, how deep a debate runs within another, and the mark
/// of a child: a rebut that a tool starts carries it.
pub const OTHER_VARIABLES: [&str; 3] = ["REBUT_FAULT", "REBUT_DEPTH", "REBUT_CHILD"];

/// What every variable of ours begins with.
pub(super) const PREFIX: &str = "REBUT_";

const SEAT: &str = "a seat: `tool` or `tool:model`";
const COUNT: &str = "a whole number above 0";
const SECONDS: &str = "a whole number from 1 to 86400 (a day)";
const PROGRAM: &str = "an absolute path, with `~` written out";
const AGENTS: &str = "a table an agent, `[agents.NAME]`, with `command = [\"program\", \"argument\"]` (the program by name or \
    absolute path) and perhaps `family = \"vendor\"`; names have small letters, digits, - and _";
const MODEL: &str = "the name of a model, or `auto` for the tool's own";

const fn entry(path: &'static str, who: Who, takes: &'static str, help: &'static str) -> Key {
    Key { path, who, takes, help }
}

/// The general settings, then those of each tool.
const fn all() -> [Key; GENERAL.len() + 30] {
    let mut keys = [GENERAL[0]; GENERAL.len() + 30];
    let mut at = 0;
    while at < keys.len() {
        keys[at] =
            if at < GENERAL.len() { GENERAL[at] } else { OF_TOOLS[(at - GENERAL.len()) / 5][(at - GENERAL.len()) % 5] };
        at += 1;
    }
    keys
}

/// The setting of this path.
pub fn key(path: &str) -> Option<&'static Key> {
    KEYS.iter().find(|key| key.path == path)
}

impl Key {
    /// The environment variable that sets it: `REBUT_BUDGET_MAX_TOKENS`.
    pub fn variable(&self) -> String {
        format!("{PREFIX}{}", self.path.replace('.', "_").to_uppercase())
    }
}

/// Whether this is a table that holds settings.
pub(super) fn is_table(path: &str) -> bool {
    KEYS.iter().any(|key| key.path.strip_prefix(path).is_some_and(|rest| rest.starts_with('.')))
}

/// The table that looks most like this name.
pub(super) fn nearest_table(name: &str) -> String {
    let tables = KEYS.iter().filter_map(|key| key.path.split('.').next());
    nearest(tables, |table| strsim::jaro_winkler(name, table)).unwrap_or_default().to_owned()
}

/// The setting that looks most like this path; a right name in the wrong table is recognised.
pub(super) fn nearest_key(path: &str) -> &'static Key {
    let likeness = |key: &&Key| {
        let whole = strsim::jaro_winkler(&path.replace('.', "_"), &key.path.replace('.', "_"));
        whole.max(0.95 * strsim::jaro_winkler(name_of(path), name_of(key.path)))
    };
    nearest(KEYS.iter(), likeness).unwrap_or(&KEYS[0])
}

/// The likest of some; the first where several are.
pub(super) fn nearest<T: Copy>(known: impl Iterator<Item = T>, likeness: impl Fn(&T) -> f64) -> Option<T> {
    let mut best: Option<(f64, T)> = None;
    for candidate in known {
        let score = likeness(&candidate);
        if best.is_none_or(|(most, _)| score > most) {
            best = Some((score, candidate));
        }
    }
    best.map(|(_, candidate)| candidate)
}

fn name_of(path: &str) -> &str {
    path.rsplit('.').next().unwrap_or(path)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn every_key_has_a_path_and_a_variable_of_its_own() {
        let paths: BTreeSet<_> = KEYS.iter().map(|key| key.path).collect();
        let mut variables: BTreeSet<_> = KEYS.iter().map(Key::variable).collect();
        variables.extend(OTHER_VARIABLES.map(str::to_owned));
        assert_eq!(paths.len(), KEYS.len());
        assert_eq!(variables.len(), KEYS.len() + OTHER_VARIABLES.len());
        assert!(variables.contains("REBUT_BUDGET_MAX_TOKENS") && variables.contains("REBUT_STATE_DIR"));
    }

    #[test]
    fn where_debates_are_kept_is_the_users_to_say() {
        assert_eq!(key("state.dir").unwrap().who, UserOnly);
    }

    #[test]
    fn the_nearest_key_is_what_a_person_meant() {
        for (written, meant) in [
            ("duel.ronds", "duel.rounds"),
            ("rounds", "duel.rounds"),
            ("budget.tokens", "budget.max_tokens"),
            ("max_cost", "budget.max_cost"),
            ("duel.timeout", "duel.timeout_seconds"),
            ("limits.max_minutes", "budget.max_minutes"),
            ("state_dir", "state.dir"),
            ("outputcolor", "output.color"),
        ] {
            assert_eq!(nearest_key(written).path, meant, "{written}");
        }
        assert_eq!(nearest_table("bugdet"), "budget");
    }
}
