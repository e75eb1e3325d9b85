//! Every setting but those of tools, services, agents and checks ([`super::tools`]).

use std::collections::BTreeMap;

use rebut_core::debate::{Budget, Cost, Effort};
use rebut_core::formats::panel::Office;
use rebut_core::formats::review::{Intensity, Mode};
use rebut_core::formats::{cross, duel, panel};
use rebut_core::judging::Rigor;
use serde::{Deserialize, Serialize};

use super::field::{COUNT, settings, whole, words};
use super::names::{is_folder, is_service_name, is_tool_name};
use super::tools::{
    AgentSettings, AgentsSettings, CheckSettings, ServiceSettings, ServicesSettings, ToolSettings, ToolsSettings,
};
use super::{Seconds, Takes};
use crate::providers::{Transport, is_agent_name};
use crate::store::postgres::is_schema;

const SEAT: Takes = Takes::Seat;
const EFFORT: Takes = Takes::OneOf(words::<Effort>);
const TRANSPORT: Takes = Takes::OneOf(words::<Transport>);
const CONTEXT: Takes = Takes::List("a list of `none`, `diff` and `file=PATH`", |_| true);
const FOLDER: Takes = Takes::Text("a path, with `~` written out", is_folder);
// Checked where it is used: an error here would show a password.
const ADDRESS: Takes = Takes::Text("the address of a database", |address| !address.is_empty());
const SCHEMA: Takes = Takes::Text("a name of lowercase letters, digits and _", is_schema);
const OWN_NAMES: &str = "names of lowercase letters, digits, - and _";
const SERVICE_NAMES: &str = "names of lowercase letters, digits and -, other than those of tools";
const MIB: u64 = 1024 * 1024;

settings! {
    /// Every setting; the default is the built-in level.
    Settings {
        /// Duels
        duel: DuelSettings = DuelSettings::default() => Takes::Table(DuelSettings::FIELDS),
        /// Reviews
        review: ReviewSettings = ReviewSettings::default() => Takes::Table(ReviewSettings::FIELDS),
        /// `ask` and `cross`
        cross: CrossSettings = CrossSettings::default() => Takes::Table(CrossSettings::FIELDS),
        /// Panels
        panel: PanelSettings = PanelSettings::default() => Takes::Table(PanelSettings::FIELDS),
        /// How duels and panels are judged
        verdict: VerdictSettings = VerdictSettings::default() => Takes::Table(VerdictSettings::FIELDS),
        /// What one debate may use
        budget: BudgetSettings = BudgetSettings::default() => Takes::Table(BudgetSettings::FIELDS),
        /// Parallel calls, sizes and waits
        limits: LimitSettings = LimitSettings::default() => Takes::Table(LimitSettings::FIELDS),
        /// What citations are checked against
        #[user_only] evidence: EvidenceSettings = EvidenceSettings::default() => Takes::Table(EvidenceSettings::FIELDS),
        /// Commands that claims may refer to as `run NAME`, with `--allow-checks`
        #[user_only] checks: BTreeMap<String, CheckSettings> = BTreeMap::new() => Takes::Named(is_agent_name, OWN_NAMES, CheckSettings::FIELDS),
        /// Your own ACP agents, seated as `acp:NAME`
        #[user_only] agents: AgentsSettings = BTreeMap::new() => Takes::Named(is_agent_name, OWN_NAMES, AgentSettings::FIELDS),
        /// Debates on disk
        #[user_only] state: StateSettings = StateSettings::default() => Takes::Table(StateSettings::FIELDS),
        /// A database for debates, in place of the folder
        #[user_only] store: StoreSettings = StoreSettings::default() => Takes::Table(StoreSettings::FIELDS),
        /// Weights of embedded models
        #[user_only] model: ModelShelfSettings = ModelShelfSettings::default() => Takes::Table(ModelShelfSettings::FIELDS),
        /// The terminal
        output: OutputSettings = OutputSettings::default() => Takes::Table(OutputSettings::FIELDS),
        /// AI tools on this machine
        #[user_only] tools: ToolsSettings = BTreeMap::new() => Takes::Named(is_tool_name, "the name of a tool that `rebut doctor` lists", ToolSettings::FIELDS),
        /// Services that speak an API
        #[user_only] services: ServicesSettings = BTreeMap::new() => Takes::Named(is_service_name, SERVICE_NAMES, ServiceSettings::FIELDS),
    }

    DuelSettings {
        /// Takes a position
        proposer: Option<String> = None => SEAT,
        /// Attacks the position
        challenger: Option<String> = None => SEAT,
        /// Decides; by default from a vendor that isn't debating
        judge: Option<String> = None => SEAT,
        /// Rounds of argument
        rounds: u32 = 2 => whole(&duel::ROUNDS),
        /// How hard the models think
        effort: Effort = Effort::default() => EFFORT,
        /// Time limit per call
        timeout_seconds: Seconds = Seconds::whole(240) => Takes::Seconds,
        /// What to add to every prompt
        context: Vec<String> = Vec::new() => CONTEXT,
        /// How to call tools; `auto` starts every agent once to see whether ACP works (1–5 s)
        #[user_only] transport: Transport = Transport::default() => TRANSPORT,
    }

    ReviewSettings {
        /// Critiques; by default from another vendor than the author's
        critic: Option<String> = None => SEAT,
        /// Classifies the findings
        judge: Option<String> = None => SEAT,
        /// Writes compromises and rebuttals
        author: Option<String> = None => SEAT,
        /// Rounds, minutes and seconds per call: 1, 10, 180; 3, 20, 600; 5, 40, 900
        intensity: Intensity = Intensity::default() => Takes::OneOf(words::<Intensity>),
        /// Take the recommendation after each round, or ask
        mode: Mode = Mode::default() => Takes::OneOf(words::<Mode>),
        /// How hard the models think
        effort: Effort = Effort::default() => EFFORT,
        /// How to call tools
        #[user_only] transport: Transport = Transport::default() => TRANSPORT,
    }

    CrossSettings {
        /// Answer the question; by default those available, from different vendors first
        partners: Vec<String> = Vec::new() => Takes::Seats,
        /// Compares and summarizes
        moderator: Option<String> = None => SEAT,
        /// Maximum rounds of critique
        rounds: u32 = 1 => whole(&cross::ROUNDS),
        /// How hard the models think
        effort: Effort = Effort::default() => EFFORT,
        /// Time limit per call
        timeout_seconds: Seconds = Seconds::whole(240) => Takes::Seconds,
        /// How to call tools
        #[user_only] transport: Transport = Transport::default() => TRANSPORT,
    }

    PanelSettings {
        /// Minimum rounds
        min_rounds: u32 = 3 => whole(&panel::ROUNDS),
        /// Maximum rounds
        max_rounds: u32 = 8 => whole(&panel::ROUNDS),
        /// Start no round after this many minutes, once the minimum is reached
        time_budget_minutes: u32 = 30 => Takes::Whole(0, 1_440),
        /// Seats
        models: PanelModels = PanelModels::default() => Takes::Table(PanelModels::FIELDS),
        /// How hard the models think
        effort: Effort = Effort::default() => EFFORT,
        /// Time limit per call
        timeout_seconds: Seconds = Seconds::whole(240) => Takes::Seconds,
        /// How to call tools
        #[user_only] transport: Transport = Transport::default() => TRANSPORT,
    }

    PanelModels {
        /// Leads the panel and judges it; by default from another vendor than the reporter's
        chair: Option<String> = None => SEAT,
        /// Decides whether sources support their claims; default as for the chair
        verifier: Option<String> = None => SEAT,
        /// Asks questions after each round; default as for the chair
        audience: Option<String> = None => SEAT,
        /// Writes the documents, and plays debaters that name no model; by default the first available
        reporter: Option<String> = None => SEAT,
        /// Assesses how well the debate went; default as for the chair
        assessor: Option<String> = None => SEAT,
    }

    VerdictSettings {
        /// `quick`: one ballot; `standard`: two with the sides exchanged; `thorough`: three judges, blind closings, and a second debate with positions exchanged
        rigor: Rigor = Rigor::default() => Takes::OneOf(words::<Rigor>),
    }

    BudgetSettings {
        /// Maximum time; no limit by default, in a review that of the intensity
        max_minutes: Option<f64> = None => Takes::Minutes,
        /// Maximum tokens, prompts and answers together; no limit by default
        max_tokens: Option<u64> = None => COUNT,
        /// Maximum cost; no limit by default
        max_cost: Option<f64> = None => Takes::Dollars,
    }

    LimitSettings {
        /// Parallel calls overall; no limit by default
        calls: Option<usize> = None => COUNT,
        /// Parallel calls to the embedded model
        local: usize = 1 => COUNT,
        /// Parallel calls per command-line tool
        cli: usize = 4 => COUNT,
        /// Parallel calls per service
        http: usize = 4 => COUNT,
        /// Largest text that `--context` attaches, in bytes
        context_bytes: usize = 400_000 => COUNT,
        /// Wait before the first retry of a call
        retry_wait_ms: u64 = 1000 => COUNT,
        /// Maximum wait for a model's first output; by default 180 for claude, else the call's limit
        first_output_seconds: Option<Seconds> = None => Takes::Seconds,
        /// Maximum silence after that; by default 120 for claude and services, else the call's limit
        stall_seconds: Option<Seconds> = None => Takes::Seconds,
        /// Maximum wait for an ACP agent to start and to open a session
        agent_start_seconds: Seconds = Seconds::whole(60) => Takes::Seconds,
    }

    EvidenceSettings {
        /// Maximum files to copy from the workspace; a larger workspace is read in place
        max_files: u64 = 50_000 => COUNT,
        /// Maximum bytes to copy from the workspace; a larger workspace is read in place
        max_bytes: u64 = 256 * MIB => COUNT,
        /// Largest file to copy; of larger ones only name and size are recorded
        max_file_bytes: u64 = 4 * MIB => Takes::Whole(1, 64 * MIB),
        /// Fetch cited web pages; by default only in panels
        fetch_sources: Option<bool> = None => Takes::Bool,
    }

    StateSettings {
        /// Folder for debates; by default the platform's
        dir: Option<String> = None => FOLDER,
    }

    StoreSettings {
        /// Postgres database: `postgres://USER:PASSWORD@HOST/DATABASE`; by default debates are files
        url: Option<String> = None => ADDRESS,
        /// Schema for the tables, one per team
        schema: String = "rebut".to_owned() => SCHEMA,
        /// Certificate to trust beside the system's, as PEM
        root_certificate: Option<String> = None => FOLDER,
        /// How long a process that is silent keeps its debate
        lease_seconds: Seconds = Seconds::whole(60) => Takes::Seconds,
        /// How often a process shows that it is alive
        heartbeat_seconds: Seconds = Seconds::whole(15) => Takes::Seconds,
    }

    ModelShelfSettings {
        /// Folder for weights; by default the platform's
        dir: Option<String> = None => FOLDER,
    }

    OutputSettings {
        /// Colour on the terminal
        color: Color = Color::default() => Takes::OneOf(words::<Color>),
        /// Print every statement and the whole verdict as they come in, not only the result
        statements: bool = false => Takes::Bool,
        /// Notify at the end of a run: on the desktop, else with the terminal's bell
        #[user_only] notify: bool = false => Takes::Bool,
    }
}

/// When to use colour.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Color {
    /// On a terminal, unless `NO_COLOR` is set.
    #[default]
    Auto,
    /// Also when redirected.
    Always,
    Never,
}

impl CrossSettings {
    /// How many partners are wanted, where only their number is set.
    pub fn wanted(&self) -> Option<usize> {
        match self.partners.as_slice() {
            [number] => number.trim().parse().ok(),
            _ => None,
        }
    }
}

impl PanelModels {
    pub fn of(&self, office: Office) -> Option<&String> {
        let model = match office {
            Office::Chair => &self.chair,
            Office::Verifier => &self.verifier,
            Office::Audience => &self.audience,
            Office::Reporter => &self.reporter,
            Office::Assessor => &self.assessor,
        };
        model.as_ref()
    }
}

impl BudgetSettings {
    /// The limits in the units of a debate's plan.
    pub fn budget(&self) -> Budget {
        Budget {
            max_ms: self.max_minutes.and_then(milliseconds),
            max_tokens: self.max_tokens,
            max_cost: self.max_cost.and_then(Cost::from_dollars),
        }
    }
}

pub(super) fn milliseconds(minutes: f64) -> Option<u64> {
    Seconds::try_from(minutes * 60.0).ok().map(Seconds::millis)
}
