//! Every setting, a line each: who may set it, what it takes, what it is for.
//!
//! Errors, `config show` and the names of environment variables come from this list; the types and the built-in values
//! are those of [`Settings`](super::Settings), and a test compares the two.
//!
//! **A key that names a program to run, an address or a secret key is [`Who::UserOnly`].** So is one that decides where
//! something is written, or how much tools get to see: with small limits for evidence a project could have its seats run
//! in the folder itself, ignored files and all, and over ACP some tools read a project's instructions and files outside of
//! it. Whoever clones a project must be able to run a debate in it without reading its files first.

use Who::{Anyone, UserOnly};

use super::is_service_name;
use crate::providers::{TOOLS, tool};

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

/// Every setting, table by table. All that can be said of a tool or a service (`NAME`) is the user's alone: it names a program,
/// an address, a secret key, or what is paid for.
pub const KEYS: [Key; 79] = [
    entry("duel.proposer", Anyone, SEAT, "who takes a position"),
    entry("duel.challenger", Anyone, SEAT, "who attacks it"),
    entry("duel.judge", Anyone, SEAT, "who decides"),
    entry("duel.rounds", Anyone, "a whole number from 1 to 5", "how many rounds are argued"),
    entry("duel.effort", Anyone, "low, medium, high or max", "how hard the seats think"),
    entry("duel.timeout_seconds", Anyone, SECONDS, "time limit of one whole call"),
    entry("duel.context", Anyone, "a list of `none`, `diff` and `file=PATH`", "what goes into every prompt"),
    entry("duel.transport", UserOnly, "auto, cli or acp", "how tools are spoken to"),
    entry("review.critic", Anyone, SEAT, "who critiques"),
    entry("review.judge", Anyone, SEAT, "who classifies the findings"),
    entry("review.author", Anyone, SEAT, "who writes compromises and rebuttals"),
    entry("review.intensity", Anyone, "quick, standard or extensive", "how many rounds and how much time a review takes"),
    entry("review.mode", Anyone, "auto or manual", "who chooses after each round of a review"),
    entry("review.effort", Anyone, "low, medium, high or max", "how hard the seats think"),
    entry("review.transport", UserOnly, "auto, cli or acp", "how tools are spoken to"),
    entry("cross.partners", Anyone, PARTNERS, "who answers in ask and cross"),
    entry("cross.moderator", Anyone, SEAT, "who compares and sums up"),
    entry("cross.rounds", Anyone, "a whole number from 0 to 10", "how many rounds of critique there are at most"),
    entry("cross.effort", Anyone, "low, medium, high or max", "how hard the seats think"),
    entry("cross.timeout_seconds", Anyone, SECONDS, "time limit of one whole call"),
    entry("cross.transport", UserOnly, "auto, cli or acp", "how tools are spoken to"),
    entry("panel.min_rounds", Anyone, ROUNDS, "rounds that a panel has at least"),
    entry("panel.max_rounds", Anyone, ROUNDS, "rounds that a panel has at most"),
    entry("panel.time_budget_minutes", Anyone, "a whole number from 0 to 1440", "after so many there is no further round"),
    entry("panel.models.chair", Anyone, SEAT, "who leads a panel and judges it"),
    entry("panel.models.verifier", Anyone, SEAT, "who says whether sources support their claims"),
    entry("panel.models.audience", Anyone, SEAT, "who asks questions after each round"),
    entry("panel.models.reporter", Anyone, SEAT, "who writes the documents; the default for debaters"),
    entry("panel.models.assessor", Anyone, SEAT, "who judges how well the debate was held"),
    entry("panel.effort", Anyone, "low, medium, high or max", "how hard the seats think"),
    entry("panel.timeout_seconds", Anyone, SECONDS, "time limit of one whole call"),
    entry("panel.transport", UserOnly, "auto, cli or acp", "how tools are spoken to"),
    entry("budget.max_minutes", Anyone, "a number of minutes above 0", "time a debate may take"),
    entry("budget.max_tokens", Anyone, COUNT, "tokens a debate may use"),
    entry("budget.max_cost", Anyone, "an amount of dollars above 0", "money a debate may cost"),
    entry("limits.calls", Anyone, COUNT, "calls at once, all providers together"),
    entry("limits.local", Anyone, COUNT, "calls at once to the embedded model"),
    entry("limits.cli", Anyone, COUNT, "calls at once to each command-line tool"),
    entry("limits.http", Anyone, COUNT, "calls at once to each service that speaks an API"),
    entry("limits.context_bytes", Anyone, COUNT, "largest context that goes into a prompt"),
    entry("limits.retry_wait_ms", Anyone, COUNT, "wait before the first retry of a call"),
    entry("limits.first_output_seconds", Anyone, SECONDS, "longest wait for a model's first word or deed"),
    entry("limits.stall_seconds", Anyone, SECONDS, "longest silence of a model after that"),
    entry("limits.agent_start_seconds", Anyone, SECONDS, "longest wait for an ACP agent to start and to open a session"),
    entry("evidence.max_files", UserOnly, COUNT, "files of a workspace that are kept at most"),
    entry("evidence.max_bytes", UserOnly, COUNT, "bytes of a workspace that are kept at most"),
    entry("evidence.max_file_bytes", UserOnly, FILE_BYTES, "largest file that is kept"),
    entry("evidence.fetch_sources", UserOnly, TRUTH, "whether pages on the web that are cited are fetched"),
    entry("checks", UserOnly, CHECKS, "commands that claims may refer to, run only with --allow-checks"),
    entry("agents", UserOnly, AGENTS, "agents of your own that speak ACP, seated as `acp:NAME`"),
    entry("state.dir", UserOnly, "a path, with `~` written out", "folder that keeps the debates"),
    entry("model.dir", UserOnly, "a path, with `~` written out", "folder that keeps the weights of embedded models"),
    entry("output.color", Anyone, "auto, always or never", "colour on the terminal"),
    entry("tools.NAME.program", UserOnly, PROGRAM, "its program"),
    entry("tools.NAME.env", UserOnly, VARIABLES, "environment variables to pass on, beside its own"),
    entry("tools.NAME.models.low", UserOnly, MODEL, "its model for low effort"),
    entry("tools.NAME.models.medium", UserOnly, MODEL, "its model for medium effort"),
    entry("tools.NAME.models.high", UserOnly, MODEL, "its model for high effort"),
    entry("tools.NAME.models.max", UserOnly, MODEL, "its model for max effort"),
    entry("tools.NAME.effort.low", UserOnly, TOOL_EFFORT, "its word for low effort"),
    entry("tools.NAME.effort.medium", UserOnly, TOOL_EFFORT, "its word for medium effort"),
    entry("tools.NAME.effort.high", UserOnly, TOOL_EFFORT, "its word for high effort"),
    entry("tools.NAME.effort.max", UserOnly, TOOL_EFFORT, "its word for max effort"),
    // Services: `NAME` is a built-in one or the user's own.
    entry("services.NAME.api", UserOnly, "messages, responses, gemini or chat", "the API that a service speaks"),
    entry("services.NAME.base_url", UserOnly, ADDRESS, "where a service is"),
    entry("services.NAME.key_env", UserOnly, "the name of a variable, in capitals", "the variable that holds its key"),
    entry("services.NAME.family", UserOnly, WORD, "the vendor behind its models"),
    entry("services.NAME.context_tokens", UserOnly, COUNT, "tokens that its models read"),
    entry("services.NAME.structured", UserOnly, TRUTH, "whether it takes a JSON Schema for an answer"),
    entry("services.NAME.plain_http", UserOnly, TRUTH, "whether its key may go over HTTP without encryption"),
    entry("services.NAME.models.low", UserOnly, MODEL, "its model for low effort"),
    entry("services.NAME.models.medium", UserOnly, MODEL, "its model for medium effort"),
    entry("services.NAME.models.high", UserOnly, MODEL, "its model for high effort"),
    entry("services.NAME.models.max", UserOnly, MODEL, "its model for max effort"),
    entry("services.NAME.effort.low", UserOnly, EFFORT, "its word for low effort"),
    entry("services.NAME.effort.medium", UserOnly, EFFORT, "its word for medium effort"),
    entry("services.NAME.effort.high", UserOnly, EFFORT, "its word for high effort"),
    entry("services.NAME.effort.max", UserOnly, EFFORT, "its word for max effort"),
    entry("services.NAME.prices", UserOnly, PRICES, "what its models cost"),
];

/// Variables of ours that are no settings: fault points of tests, how deep a debate runs within another, and the mark
/// of a child: a rebut that a tool starts carries it; and where names lead to in tests of fetching.
pub const OTHER_VARIABLES: [&str; 4] = ["REBUT_FAULT", "REBUT_DEPTH", "REBUT_CHILD", "REBUT_TEST_SOURCES"];

/// What every variable of ours begins with.
pub(super) const PREFIX: &str = "REBUT_";

const SEAT: &str = "a seat: `tool` or `tool:model`";
const PARTNERS: &str = "a list of two to eight seats (`tool` or `tool:model`), or a number from 2 to 8";
const ROUNDS: &str = "a whole number from 1 to 20";
const COUNT: &str = "a whole number above 0";
const SECONDS: &str = "a number of seconds from 0.1 to 86400 (a day)";
const FILE_BYTES: &str = "a whole number from 1 to 67108864 (64 MiB)";
const PROGRAM: &str = "an absolute path, with `~` written out";
const VARIABLES: &str = "a list of names of environment variables";
const AGENTS: &str = "a table an agent, `[agents.NAME]`, with `command = [\"program\", \"argument\"]` (the program by name or \
    absolute path) and perhaps `family = \"vendor\"` and `env = [\"VARIABLE\"]`; names have small letters, digits, - and _";
const CHECKS: &str = "a table a command, `[checks.NAME]`, with `command = [\"program\", \"argument\"]` (the program by name or \
    absolute path) and perhaps `time_limit = 300` in seconds and `env = [\"VARIABLE\"]`; names have small letters, digits, - and _";
const MODEL: &str = "the name of a model, or `auto` for the tool's own";
const ADDRESS: &str = "an address that begins with http:// or https://, without a password";
const WORD: &str = "one word in small letters";
const TRUTH: &str = "true or false";
const TOOL_EFFORT: &str = "the tool's own word, or `auto` to say nothing";
const EFFORT: &str = "the API's own word, or `none` to say nothing";
const PRICES: &str = "a list of `MODEL INPUT OUTPUT` or `MODEL INPUT OUTPUT CACHED`, dollars a million tokens";

/// Stands for the name of a tool or a service.
const NAME: &str = "NAME";

const fn entry(path: &'static str, who: Who, takes: &'static str, help: &'static str) -> Key {
    Key { path, who, takes, help }
}

/// The setting of this path. What can be said of a tool or a service is one setting, whatever its name.
pub fn key(path: &str) -> Option<&'static Key> {
    let listed = listed(path);
    KEYS.iter().find(|key| key.path == listed && (key.is_per_name() == (listed != path)))
}

/// A path as the list has it: `services.NAME.api` for that of any service.
fn listed(path: &str) -> std::borrow::Cow<'_, str> {
    let mut parts = path.splitn(3, '.');
    let known = match (parts.next(), parts.next()) {
        (Some("services"), Some(name)) => is_service_name(name),
        (Some("tools"), Some(name)) => tool(name).is_some_and(|tool| tool.efforts.is_some() || !sets_effort(path)),
        _ => false,
    };
    let (table, rest) = (path.split('.').next().unwrap_or_default(), parts.next());
    match (known, rest) {
        (true, Some(rest)) => format!("{table}.{NAME}.{rest}").into(),
        (true, None) => format!("{table}.{NAME}").into(),
        (false, _) => path.into(),
    }
}

/// Whether a path of a tool is about its words for efforts.
fn sets_effort(path: &str) -> bool {
    path.split('.').nth(2) == Some("effort")
}

impl Key {
    /// The environment variable that sets it: `REBUT_BUDGET_MAX_TOKENS`.
    ///
    /// That of a tool or a service has `NAME` in it.
    pub fn variable(&self) -> String {
        self.variable_for(NAME)
    }

    /// The variable that sets it for the tool or service of this name.
    pub(super) fn variable_for(&self, name: &str) -> String {
        format!("{PREFIX}{}", self.path_for(name).replace(['.', '-'], "_").to_uppercase())
    }

    /// Its path for the tool or service of this name.
    pub(super) fn path_for(&self, name: &str) -> String {
        if self.is_per_name() { self.path.replacen(NAME, name, 1) } else { self.path.to_owned() }
    }

    /// Whether it names who takes part.
    pub(super) fn names_seats(&self) -> bool {
        self.takes == SEAT || self.takes == PARTNERS
    }

    /// Whether it can be set for every tool or service.
    pub(super) fn is_per_name(&self) -> bool {
        self.path.starts_with("services.") || self.path.starts_with("tools.")
    }
}

/// Whether this is a table that holds settings.
pub(super) fn is_table(path: &str) -> bool {
    let path = &*listed(path);
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

/// The path that looks most like this one; where the name of a tool is wrong, the nearest tool.
pub(super) fn nearest_path(path: &str) -> String {
    match path.strip_prefix("tools.").and_then(|rest| rest.split('.').next()) {
        Some(name) if tool(name).is_none() => {
            let names = TOOLS.iter().map(|tool| tool.name);
            format!("tools.{}", nearest(names, |known| strsim::jaro_winkler(name, known)).unwrap_or_default())
        }
        _ => nearest_key(path).path.to_owned(),
    }
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
    fn where_something_is_written_is_the_users_to_say() {
        assert_eq!(key("state.dir").unwrap().who, UserOnly);
        assert_eq!(key("model.dir").unwrap().who, UserOnly);
    }

    #[test]
    fn how_much_tools_get_to_see_is_the_users_to_say() {
        for path in ["evidence.max_files", "evidence.max_bytes", "evidence.max_file_bytes"] {
            assert_eq!(key(path).unwrap().who, UserOnly, "{path}");
        }
    }

    #[test]
    fn what_is_run_and_what_is_fetched_is_the_users_to_say() {
        for path in ["checks", "agents", "evidence.fetch_sources", "review.transport"] {
            assert_eq!(key(path).unwrap().who, UserOnly, "{path}");
        }
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
