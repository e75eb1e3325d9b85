//! The settings as types, and their built-in values.
//!
//! What a value may be stands here and, in words, in [`KEYS`](super::KEYS). Where a value comes from is not known here.

use rebut_core::debate::{Budget, Cost, Effort};
use rebut_core::formats::cross;
use rebut_core::formats::duel::ROUNDS;
use rebut_core::formats::review::{Intensity, Mode};
use serde::{Deserialize, Serialize};

use super::{AgentsSettings, ChecksSettings, PanelSettings, Seconds, ServicesSettings, ToolsSettings, agents, checks};
use crate::providers::Transport;

/// Every setting. The default is the built-in level.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Settings {
    /// How a duel is held.
    pub duel: DuelSettings,
    /// How a review is held.
    pub review: ReviewSettings,
    /// How partners are asked and crossed.
    pub cross: CrossSettings,
    /// How a panel is held.
    pub panel: PanelSettings,
    /// What a debate may use up.
    pub budget: BudgetSettings,
    /// How much happens at once, and how large things get.
    pub limits: LimitSettings,
    /// What of a workspace is kept as evidence, and whether pages are fetched.
    pub evidence: EvidenceSettings,
    /// Where debates are kept.
    pub state: StateSettings,
    /// Where the embedded model's weights are kept.
    pub model: ModelShelfSettings,
    /// How things are shown.
    pub output: OutputSettings,
    /// The tools on this machine.
    pub tools: ToolsSettings,
    /// Services that speak an API.
    pub services: ServicesSettings,
    /// Agents of the person's own.
    #[serde(skip_serializing_if = "AgentsSettings::is_empty")]
    pub agents: AgentsSettings,
    /// Commands that claims may refer to.
    #[serde(skip_serializing_if = "ChecksSettings::is_empty")]
    pub checks: ChecksSettings,
}

/// `[review]`
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ReviewSettings {
    /// Who critiques, as `tool` or `tool:model`.
    pub critic: Option<String>,
    /// Who classifies the findings.
    pub judge: Option<String>,
    /// Who writes compromises and rebuttals.
    pub author: Option<String>,
    /// How much of everything.
    pub intensity: Intensity,
    /// Who chooses after each round.
    pub mode: Mode,
    /// How hard the seats think.
    pub effort: Effort,
    /// How tools are spoken to.
    pub transport: Transport,
}

/// `[cross]`, for `ask` too
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct CrossSettings {
    /// Who answers, as `tool` or `tool:model`, or how many; none leaves it to what is found.
    pub partners: Vec<String>,
    /// Who compares and sums up.
    pub moderator: Option<String>,
    /// The most rounds of critique.
    pub rounds: u32,
    /// How hard the seats think.
    pub effort: Effort,
    /// The time limit of one whole call.
    pub timeout_seconds: Seconds,
    /// How tools are spoken to.
    pub transport: Transport,
}

/// `[duel]`
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct DuelSettings {
    /// Who takes a position, as `tool` or `tool:model`.
    pub proposer: Option<String>,
    /// Who attacks it.
    pub challenger: Option<String>,
    /// Who decides.
    pub judge: Option<String>,
    /// How many rounds are argued.
    pub rounds: u32,
    /// How hard the seats think.
    pub effort: Effort,
    /// The time limit of one whole call.
    pub timeout_seconds: Seconds,
    /// What goes into every prompt: `none`, `diff`, `file=PATH`.
    pub context: Vec<String>,
    /// How tools are spoken to.
    pub transport: Transport,
}

/// `[budget]`; `None` is no limit.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct BudgetSettings {
    /// Time, in minutes.
    pub max_minutes: Option<f64>,
    /// Tokens, prompts and answers together.
    pub max_tokens: Option<u64>,
    /// Money, in dollars.
    pub max_cost: Option<f64>,
}

/// `[limits]`
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct LimitSettings {
    /// How many calls run at once, all providers together; `None` is no limit.
    pub calls: Option<usize>,
    /// How many calls run at once on the embedded model.
    pub local: usize,
    /// How many calls run at once on each command-line tool.
    pub cli: usize,
    /// How many calls run at once on each service that speaks an API.
    pub http: usize,
    /// The largest context that goes into a prompt, in bytes.
    pub context_bytes: usize,
    /// How long a call waits before its first retry.
    pub retry_wait_ms: u64,
    /// How long a model may take to its first word or deed; `None` is the call's limit, and less for tools that stream.
    pub first_output_seconds: Option<Seconds>,
    /// How long it may be silent after that; likewise.
    pub stall_seconds: Option<Seconds>,
    /// How long an agent that speaks ACP may take to start, and to open a session.
    pub agent_start_seconds: Seconds,
}

/// `[evidence]`
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct EvidenceSettings {
    /// How many files of a workspace are kept at most.
    pub max_files: u64,
    /// How many bytes of them.
    pub max_bytes: u64,
    /// How many bytes of one file; a larger one is known by name alone.
    pub max_file_bytes: u64,
    /// Whether pages on the web that are cited are fetched.
    pub fetch_sources: Option<bool>,
}

/// `[state]`
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct StateSettings {
    /// The folder that keeps the debates; `None` is the format's own place.
    pub dir: Option<String>,
}

/// `[model]`
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ModelShelfSettings {
    /// The folder that keeps weights; `None` is the platform's own place.
    pub dir: Option<String>,
}

/// `[output]`
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct OutputSettings {
    /// Whether the terminal gets colour.
    pub color: Color,
}

/// When to use colour.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Color {
    /// On a terminal, unless `NO_COLOR` is set.
    #[default]
    Auto,
    /// Also into a file.
    Always,
    /// Nowhere.
    Never,
}

impl Default for DuelSettings {
    fn default() -> Self {
        Self {
            proposer: None,
            challenger: None,
            judge: None,
            rounds: 2,
            effort: Effort::default(),
            timeout_seconds: Seconds::whole(240),
            context: Vec::new(),
            transport: Transport::default(),
        }
    }
}

impl Default for CrossSettings {
    fn default() -> Self {
        Self {
            partners: Vec::new(),
            moderator: None,
            rounds: 1,
            effort: Effort::default(),
            timeout_seconds: Seconds::whole(240),
            transport: Transport::default(),
        }
    }
}

impl CrossSettings {
    /// How many partners are wanted, where that is all that is said of them.
    pub fn wanted(&self) -> Option<usize> {
        match self.partners.as_slice() {
            [number] => number.trim().parse().ok().filter(|count| cross::PARTNERS.contains(count)),
            _ => None,
        }
    }

    fn in_range(&self) -> bool {
        let count = self.partners.is_empty() || self.wanted().is_some() || cross::PARTNERS.contains(&self.partners.len());
        count
            && self.partners.iter().chain(&self.moderator).all(|seat| !seat.trim().is_empty())
            && cross::ROUNDS.contains(&self.rounds)
            && self.timeout_seconds.in_range()
    }
}

impl Default for LimitSettings {
    fn default() -> Self {
        Self {
            calls: None,
            local: 1,
            cli: 4,
            http: 4,
            context_bytes: 400_000,
            retry_wait_ms: 1000,
            first_output_seconds: None,
            stall_seconds: None,
            // The slowest needs ten seconds on a quiet machine, and several may start at once on a busy one.
            agent_start_seconds: Seconds::whole(60),
        }
    }
}

impl Default for EvidenceSettings {
    fn default() -> Self {
        Self { max_files: 50_000, max_bytes: 256 * MIB, max_file_bytes: 4 * MIB, fetch_sources: None }
    }
}

impl BudgetSettings {
    /// Whether any limit is above one of these.
    pub(super) fn exceeds(&self, limits: &Self) -> bool {
        fn is_over<T: PartialOrd>(own: Option<T>, limit: Option<T>) -> bool {
            own.zip(limit).is_some_and(|(own, limit)| own > limit)
        }
        is_over(self.max_minutes, limits.max_minutes)
            || is_over(self.max_tokens, limits.max_tokens)
            || is_over(self.max_cost, limits.max_cost)
    }

    /// The limits as a debate's plan holds them.
    pub fn budget(&self) -> Budget {
        Budget {
            max_ms: self.max_minutes.and_then(milliseconds),
            max_tokens: self.max_tokens,
            max_cost: self.max_cost.and_then(Cost::from_dollars),
        }
    }
}

impl Settings {
    /// Whether every value is in its range.
    pub(super) fn in_range(&self) -> bool {
        self.duel.in_range()
            && self.review.in_range()
            && self.cross.in_range()
            && self.panel.in_range()
            && self.budget.in_range()
            && self.limits.in_range()
            && self.evidence.in_range()
            && is_folder(self.state.dir.as_deref())
            && is_folder(self.model.dir.as_deref())
            && self.tools.in_range()
            && self.services.in_range()
            && agents::in_range(&self.agents)
            && checks::in_range(&self.checks)
    }
}

const MIB: u64 = 1024 * 1024;

/// The largest file that is kept: one is held in memory as a whole.
const MAX_FILE_BYTES: u64 = 64 * MIB;

/// The longest time limit of one call or command, and the longest silence: a day.
pub(super) const MAX_TIMEOUT_SECONDS: u64 = 86_400;

impl DuelSettings {
    fn in_range(&self) -> bool {
        let seats = [&self.proposer, &self.challenger, &self.judge];
        seats.into_iter().flatten().all(|seat| !seat.trim().is_empty())
            && ROUNDS.contains(&self.rounds)
            && self.timeout_seconds.in_range()
    }
}

impl ReviewSettings {
    fn in_range(&self) -> bool {
        let seats = [&self.critic, &self.judge, &self.author];
        seats.into_iter().flatten().all(|seat| !seat.trim().is_empty())
    }
}

impl BudgetSettings {
    /// A limit that cannot be counted in the plan's units, or comes to nothing there, is out of range.
    fn in_range(&self) -> bool {
        self.max_minutes.is_none_or(|minutes| milliseconds(minutes).is_some_and(|ms| ms > 0))
            && self.max_tokens.is_none_or(|tokens| tokens > 0)
            && self.max_cost.is_none_or(|dollars| Cost::from_dollars(dollars).is_some_and(|cost| cost > Cost::default()))
    }
}

impl LimitSettings {
    fn in_range(&self) -> bool {
        self.calls.is_none_or(|calls| calls > 0)
            && [self.local, self.cli, self.http, self.context_bytes].iter().all(|limit| *limit > 0)
            && self.retry_wait_ms > 0
            && [self.first_output_seconds, self.stall_seconds, Some(self.agent_start_seconds)]
                .into_iter()
                .flatten()
                .all(Seconds::in_range)
    }
}

impl EvidenceSettings {
    fn in_range(&self) -> bool {
        self.max_files > 0 && self.max_bytes > 0 && (1..=MAX_FILE_BYTES).contains(&self.max_file_bytes)
    }
}

/// Only a shell knows `~`; taken as it stands it would make a folder of that name.
fn is_folder(dir: Option<&str>) -> bool {
    dir.is_none_or(|dir| !dir.is_empty() && !dir.starts_with('~'))
}

fn milliseconds(minutes: f64) -> Option<u64> {
    let ms = (minutes * 60_000.0).round();
    // Up to 2^53 every whole number has its own f64, so the cast below loses nothing.
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "the range is checked first")]
    (0.0..=9e15).contains(&ms).then_some(ms as u64)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::super::{
        AgentSettings, CheckSettings, KEYS, ModelSettings, PanelModels, ServiceApi, ServiceSettings, ToolSettings, key,
    };
    use super::*;

    /// Written out without `..`, so that a new setting does not compile until it stands here.
    fn everything_set() -> Settings {
        let text = || Some("x".to_owned());
        let models = || ModelSettings { low: text(), medium: text(), high: text(), max: text() };
        let tool = ToolSettings {
            program: Some("/bin/x".to_owned()),
            models: models(),
            effort: models(),
            env: vec!["X".to_owned()],
        };
        let service = ServiceSettings {
            api: Some(ServiceApi::Chat),
            base_url: Some("http://x".to_owned()),
            key_env: Some("X".to_owned()),
            family: text(),
            context_tokens: Some(1),
            structured: Some(true),
            plain_http: Some(true),
            models: models(),
            effort: models(),
            prices: vec!["x 1 2".to_owned()],
        };
        Settings {
            duel: DuelSettings {
                proposer: text(),
                challenger: text(),
                judge: text(),
                rounds: 5,
                effort: Effort::Max,
                timeout_seconds: Seconds::whole(1),
                context: vec!["diff".to_owned()],
                transport: Transport::Acp,
            },
            review: ReviewSettings {
                critic: text(),
                judge: text(),
                author: text(),
                intensity: Intensity::Quick,
                mode: Mode::Manual,
                effort: Effort::Max,
                transport: Transport::Acp,
            },
            cross: CrossSettings {
                partners: vec!["x".to_owned(), "y".to_owned()],
                moderator: text(),
                rounds: 10,
                effort: Effort::Max,
                timeout_seconds: Seconds::whole(1),
                transport: Transport::Acp,
            },
            panel: PanelSettings {
                min_rounds: 1,
                max_rounds: 20,
                time_budget_minutes: 1,
                models: PanelModels {
                    chair: text(),
                    verifier: text(),
                    audience: text(),
                    reporter: text(),
                    assessor: text(),
                },
                effort: Effort::Max,
                timeout_seconds: Seconds::whole(1),
                transport: Transport::Acp,
            },
            budget: BudgetSettings { max_minutes: Some(0.5), max_tokens: Some(1), max_cost: Some(0.25) },
            limits: LimitSettings {
                calls: Some(1),
                local: 1,
                cli: 1,
                http: 1,
                context_bytes: 1,
                retry_wait_ms: 1,
                first_output_seconds: Some(Seconds::whole(1)),
                stall_seconds: Some(Seconds::whole(1)),
                agent_start_seconds: Seconds::whole(1),
            },
            evidence: EvidenceSettings { max_files: 1, max_bytes: 1, max_file_bytes: 1, fetch_sources: Some(true) },
            state: StateSettings { dir: text() },
            model: ModelShelfSettings { dir: text() },
            output: OutputSettings { color: Color::Never },
            tools: ToolsSettings::default().with("claude", tool),
            services: ServicesSettings::default().with("x", service),
            agents: AgentsSettings::from([(
                "x".to_owned(),
                AgentSettings { command: vec!["x".to_owned()], family: text(), env: vec!["X".to_owned()] },
            )]),
            checks: ChecksSettings::from([(
                "x".to_owned(),
                CheckSettings { command: vec!["x".to_owned()], env: vec!["X".to_owned()], time_limit: 1 },
            )]),
        }
    }

    /// The path of everything in a table that is no table itself.
    fn collect(path: &str, table: &toml::Table, paths: &mut BTreeSet<String>) {
        for (name, value) in table {
            let path = if path.is_empty() { name.clone() } else { format!("{path}.{name}") };
            // Names of the person's own are part of one setting.
            match value.as_table().filter(|_| key(&path).is_none()) {
                Some(inner) => collect(&path, inner, paths),
                // A service may have any name: what can be said of it stands in the list once.
                None => drop(paths.insert(key(&path).map_or(path, |key| key.path.to_owned()))),
            }
        }
    }

    #[test]
    fn the_list_of_keys_names_every_setting_and_no_other() {
        let mut settings = BTreeSet::new();
        collect("", &toml::Table::try_from(everything_set()).unwrap(), &mut settings);
        let listed: BTreeSet<_> = KEYS.iter().map(|key| key.path.to_owned()).collect();
        assert_eq!(settings, listed);
    }

    #[test]
    fn the_built_in_settings_are_in_range() {
        assert!(Settings::default().in_range());
        assert!(everything_set().in_range());
    }

    #[test]
    fn limits_are_counted_in_the_units_of_a_plan() {
        let budget = everything_set().budget.budget();
        assert_eq!(budget.max_ms, Some(30_000));
        assert_eq!(budget.max_tokens, Some(1));
        assert_eq!(budget.max_cost, Some(Cost::from_nanodollars(250_000_000)));
        assert_eq!(Settings::default().budget.budget(), Budget::default());
    }
}
