//! Providers: everything that can take a seat, found by name, planned and opened. One folder or file per kind; `seat` has
//! what they have in common.

pub mod acp;
mod checkup;
pub mod cli;
mod family;
mod found;
pub mod http;
pub mod local;
mod own_agents;
pub mod script;
mod seat;
pub mod seating;
mod sign_in;
mod spec;
pub mod tools;
mod transport;

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use rebut_core::debate::{Effort, SeatPlan};

use crate::process::ChildLimits;
pub use crate::time_limits::TimeLimits;
pub use checkup::{Checkup, Probe, ProbeQuestion, ServiceCheckup, Standing, Surroundings};
pub use found::{Found, PassedOver};
pub use http::{Service, ServiceError};
pub use local::LocalError;
pub use own_agents::OWN_AGENT;
use own_agents::OwnAgent;
pub use script::{Script, ScriptError};
pub use seat::{Answering, Lane, Order, Progress, ProgressSink, Seat};
pub use sign_in::SignIn;
pub use spec::{ModelChoice, SeatSpec, SpecError, check_model};
pub(crate) use spec::{is_agent_name, is_model_name};
pub use tools::{
    FOLLOWS_LINKS, Feature, HostRules, Place, READS_OUTSIDE, SettingsFormat, TOOLS, Tool, find_program, session_variables,
    tool,
};
pub use transport::Transport;

use crate::config::{AgentsSettings, Seconds, ServicesSettings, Settings, ToolsSettings};
use acp::{AcpSeat, AcpSetup};
use cli::CliSeat;
use transport::{Greetings, Reached, reach_planned};

#[derive(Debug)]
pub struct Providers {
    script: script::Scripts,
    local: local::Locals,
    tools: ToolsSettings,
    services: ServicesSettings,
    agents: AgentsSettings,
    /// How long a model may be silent, as far as the user sets it.
    limits: TimeLimits,
    /// Variables that tools and services see before those of this process.
    variables: Vec<(OsString, OsString)>,
    greeted: Greetings,
    /// Connections to services, shared by all seats.
    clients: Arc<http::Clients>,
}

const OPENAI: &str = "openai";

/// Common names for the models of OpenAI: its tool if that is installed, otherwise its API.
const GPT: [&str; 2] = ["gpt", "chatgpt"];

/// What a seat may search with means of its tool.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Search {
    Nothing,
    Web,
}

enum Provider<'a> {
    Script,
    Local,
    Own(OwnAgent<'a>),
    Tool(&'static Tool),
    Service(Box<Service>),
}

#[derive(Debug, thiserror::Error)]
pub enum SeatError {
    #[error(
        "unknown tool `{tool}`{} (known: {})",
        nearest.as_ref().map_or_else(String::new, |name| format!("; did you mean `{name}`?")),
        known.join(", ")
    )]
    UnknownTool { tool: String, nearest: Option<String>, known: Vec<String> },
    #[error("there is no agent `{agent}`; {}", known_agents(agent, known))]
    UnknownAgent { agent: String, known: Vec<String> },
    #[error("{tool} is not installed; {install}")]
    NotInstalled { tool: &'static str, install: &'static str },
    #[error("{tool}: there is no program {program}; correct `tools.{tool}.program` in your config.toml, or remove it there")]
    NoProgram { tool: &'static str, program: String },
    #[error("can't talk to {tool} over ACP: {why}")]
    NoAgent { tool: String, why: String },
    #[error("{tool}: {source}")]
    OwnSettings { tool: &'static str, source: cli::Unreadable },
    #[error("{tool} over ACP is not used in this workspace: {} ({file}). {}", acp::STARTS, acp::USE_COMMAND_LINE)]
    Starts { tool: String, file: &'static str },
    #[error("no empty folder can be made for the seat: {0}")]
    NoFolder(std::io::Error),
    #[error(transparent)]
    Script(#[from] ScriptError),
    #[error(transparent)]
    Service(#[from] ServiceError),
    #[error(transparent)]
    Local(#[from] LocalError),
}

impl Default for Providers {
    fn default() -> Self {
        Self::new(&Settings::default())
    }
}

impl Providers {
    pub fn new(settings: &Settings) -> Self {
        Self {
            script: script::Scripts::default(),
            local: local::Locals::default(),
            tools: settings.tools.clone(),
            services: settings.services.clone(),
            agents: settings.agents.clone(),
            limits: TimeLimits {
                first_output: settings.limits.first_output_seconds.map(Seconds::duration),
                stall: settings.limits.stall_seconds.map(Seconds::duration),
                whole: None,
            },
            variables: Vec::new(),
            greeted: Greetings::waiting(settings.limits.agent_start_seconds.duration()),
            clients: Arc::default(),
        }
    }

    /// The same, with variables that tools and services see before those of this process.
    #[must_use]
    pub fn with_variables(self, variables: Vec<(String, String)>) -> Self {
        let variables = variables.into_iter().map(|(name, value)| (name.into(), value.into())).collect();
        Self { variables, ..self }
    }

    /// The same, with the folder that keeps the weights of embedded models.
    #[must_use]
    pub fn with_models(mut self, root: Option<PathBuf>) -> Self {
        self.local.root = root;
        self
    }

    /// Whether weights must be fetched before these seats can be taken.
    pub fn must_fetch_weights<'a>(&self, seats: impl IntoIterator<Item = &'a SeatPlan>) -> Result<bool, SeatError> {
        for seat in seats {
            if self.local.must_be_fetched(seat)? {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// The embedded model, for machines without tools and services.
    pub fn embedded(&self) -> Option<SeatPlan> {
        self.local.plan(None, Path::new("")).ok()
    }

    /// Greets the agents of the tools to be planned, all at once: each takes seconds.
    pub fn get_to_know(&self, tools: &BTreeSet<String>, transport: Transport) {
        std::thread::scope(|scope| {
            // Failures are reported when the tool is planned.
            for tool in TOOLS.into_iter().filter(|tool| tools.contains(tool.name)) {
                scope.spawn(move || drop(self.greeted.reach(tool, transport, &self.tools)));
            }
            for agent in self.own_agents().filter(|agent| tools.contains(&agent.tool())) {
                scope.spawn(move || drop(self.plan_own(agent, &ModelChoice::OfTool)));
            }
        });
    }

    /// The plan for a named seat, checked as far as can be without a call. Relative files are those of `workspace`.
    pub fn plan(
        &self,
        spec: &SeatSpec,
        effort: Effort,
        transport: Transport,
        workspace: &Path,
    ) -> Result<SeatPlan, SeatError> {
        let named = spec.model.named().map(str::to_owned);
        let found = match self.find(&spec.tool) {
            Err(unknown @ SeatError::UnknownTool { .. }) => match tool_of_model(&spec.tool) {
                Some(tool) if spec.model == ModelChoice::ByEffort => {
                    let spec = SeatSpec { tool: tool.name.to_owned(), model: ModelChoice::Named(spec.tool.clone()) };
                    return self.plan(&spec, effort, transport, workspace);
                }
                _ => return Err(unknown),
            },
            found => found?,
        };
        let tool = match found {
            Provider::Script => return Ok(self.script.plan(named.as_deref(), workspace)?),
            Provider::Local => return Ok(self.local.plan(named.as_deref(), workspace)?),
            Provider::Service(service) => return Ok(http::plan(&service, named, effort, &|name| self.variable(name))?),
            Provider::Own(agent) => return self.plan_own(agent, &spec.model),
            Provider::Tool(tool) => tool,
        };
        self.own_settings_can_be_read(tool)?;
        let reached = self.greeted.reach(tool, transport, &self.tools)?;
        let model = match &spec.model {
            ModelChoice::ByEffort => self.model_for(tool, effort),
            ModelChoice::OfTool | ModelChoice::Named(_) => named,
        };
        Ok(seat_plan(tool, &reached, model))
    }

    /// A tool's settings say how it reaches its model, so a tool with unreadable settings is not used.
    fn own_settings_can_be_read(&self, tool: &'static Tool) -> Result<(), SeatError> {
        let read = (tool.own)(&|name| self.variable(name));
        read.map(drop).map_err(|source| SeatError::OwnSettings { tool: tool.name, source })
    }

    /// Refuses a seat whose agent would start what this folder brings along.
    pub fn check_starts(&self, seat: &SeatPlan, folder: &Path) -> Result<(), SeatError> {
        let tool = tool(&seat.tool).filter(|_| seat.transport == acp::NAME);
        match tool.and_then(|tool| tool.agent.quirks.starts_in(folder)) {
            Some(file) => Err(SeatError::Starts { tool: seat.tool.clone(), file }),
            None => Ok(()),
        }
    }

    /// Why a tool is not called over ACP, if that was checked.
    pub fn why_not_acp(&self, tool: &str) -> Option<String> {
        self.greeted.why_not_acp(tool)
    }

    /// Opens a planned seat. A script's file is one of `workspace`; `reading` is the folder in which the seat may read
    /// files, if it may.
    pub fn open(&self, seat: &SeatPlan, workspace: &Path, reading: Option<&Path>) -> Result<Box<dyn Seat>, SeatError> {
        self.open_with(seat, workspace, reading, Search::Nothing)
    }

    /// Whether this seat's tool has a search of its own that can be allowed without allowing more.
    pub fn can_search(&self, seat: &SeatPlan) -> bool {
        seat.transport == cli::NAME && tool(&seat.tool).is_some_and(|tool| tool.has(Feature::SearchesWeb))
    }

    /// The same as [`Self::open`] for a seat that may search the web, where its tool can.
    pub fn open_with(
        &self,
        seat: &SeatPlan,
        workspace: &Path,
        reading: Option<&Path>,
        search: Search,
    ) -> Result<Box<dyn Seat>, SeatError> {
        let reached = match self.find(&seat.tool)? {
            Provider::Script => return Ok(self.script.open(seat.model.as_deref(), workspace)?),
            Provider::Local => return Ok(self.local.open(seat.model.as_deref(), workspace)?),
            Provider::Service(service) => {
                let variable = |name: &str| self.variable(name);
                // A service thinks in silence, and then says its answer word by word.
                let limits = self.limits.or(TimeLimits { first_output: None, ..TimeLimits::STREAMING });
                let (model, clients) = (seat.model.as_deref(), Arc::clone(&self.clients));
                return Ok(Box::new(http::HttpSeat::open(*service, model, &variable, clients, limits)?));
            }
            Provider::Own(agent) => {
                let no_agent = |why| SeatError::NoAgent { tool: seat.tool.clone(), why };
                Reached::Acp(Box::new(agent.command().map_err(no_agent)?))
            }
            Provider::Tool(tool) => reach_planned(tool, &seat.transport, &self.tools)?,
        };
        let reads_workspace = reading.is_some();
        let workspace = reading.unwrap_or(workspace);
        let streams = tool(&seat.tool).is_some_and(|tool| tool.has(Feature::Streams));
        let limits = self.limits.or(if streams { TimeLimits::STREAMING } else { TimeLimits::default() });
        match reached {
            Reached::Cli(tool, program) => Ok(Box::new(CliSeat {
                tool,
                program,
                model: seat.model.clone(),
                settings: self.tools.get(&seat.tool).cloned().unwrap_or_default(),
                workspace: workspace.to_owned(),
                reads_workspace,
                searches_web: search == Search::Web && self.can_search(seat),
                limits,
                variables: self.variables.clone(),
            })),
            Reached::Acp(command) => {
                let variables = command.variables.iter().chain(&self.variables).cloned().collect();
                let setup = AcpSetup {
                    command: acp::AcpCommand { variables, ..*command },
                    model: seat.model.clone(),
                    settings: self.tools.get(&seat.tool).cloned().unwrap_or_default(),
                    workspace: workspace.to_owned(),
                    reads_workspace,
                    greeting: self.greeted.wait,
                    limits,
                    child_limits: ChildLimits::default(),
                };
                Ok(Box::new(AcpSeat::new(setup).map_err(SeatError::NoFolder)?))
            }
        }
    }

    fn find(&self, name: &str) -> Result<Provider<'_>, SeatError> {
        if name == script::NAME {
            return Ok(Provider::Script);
        }
        if name == local::NAME {
            return Ok(Provider::Local);
        }
        if let Some(tool) = tool(name) {
            return Ok(Provider::Tool(tool));
        }
        if let Some(agent) = self.own_agent(name) {
            return Ok(Provider::Own(agent?));
        }
        match Service::find(name, &self.services, &|name| self.variable(name)) {
            Some(service) => Ok(Provider::Service(Box::new(service?))),
            // A model's name that people use for a tool.
            None if GPT.contains(&name) => {
                let installed = TOOLS.iter().find(|tool| tool.family == OPENAI && tool.detect(&self.tools).is_some());
                self.find(installed.map_or(OPENAI, |tool| tool.name))
            }
            None => {
                let (tool, known) = (name.to_owned(), self.known_names());
                Err(SeatError::UnknownTool { tool, nearest: self.nearest(name, &known), known })
            }
        }
    }

    /// Every name that a seat can be given to: tools, those that run here, services, and agents of the user's own.
    pub fn known_names(&self) -> Vec<String> {
        let tools = TOOLS.iter().map(|tool| tool.name).chain(GPT).chain([local::NAME, script::NAME]).map(str::to_owned);
        tools.chain(http::names(&self.services)).chain(self.own_agents().map(OwnAgent::tool)).collect()
    }

    /// The name that looks most like this one.
    fn nearest(&self, name: &str, known: &[String]) -> Option<String> {
        // The user's own agent, named without `acp:`.
        if let Some(agent) = self.own_agents().find(|agent| agent.name == name) {
            return Some(agent.tool());
        }
        let close = |known: &&String| strsim::osa_distance(known, name) <= 2;
        known.iter().filter(close).min_by_key(|known| strsim::osa_distance(known, name)).cloned()
    }

    fn variable(&self, name: &str) -> Option<String> {
        tools::variable(name, &self.variables)
    }

    /// A tool's word for an effort, over its command line.
    fn effort_word(&self, tool: &Tool, effort: Effort) -> Option<String> {
        let settings = self.tools.get(tool.name).cloned().unwrap_or_default();
        settings.effort_word(effort, tool.efforts.as_ref()).map(|effort| effort.word.to_owned())
    }

    /// The model for an effort: the user's choice, then the built-in one, then the tool's default.
    fn model_for(&self, tool: &Tool, effort: Effort) -> Option<String> {
        match self.tools.get(tool.name).and_then(|own| own.models.get(&effort)).map(|model| check_model(model)) {
            Some(Ok(ModelChoice::Named(model))) => Some(model),
            Some(_) => None,
            None => tool.model_for(effort).map(str::to_owned),
        }
    }
}

/// What to do about an agent that is not there.
fn known_agents(agent: &str, known: &[String]) -> String {
    if known.is_empty() {
        return format!("name its command in your config.toml: [agents.{agent}] with command = [\"program\", \"argument\"]");
    }
    format!("your config.toml has {}", known.join(", "))
}

/// The tool that a bare model id means: `claude-sonnet-4-6` is one of claude's, and so is `opus`. Names without a digit
/// (`claude-code`) are more likely tools that are written wrongly.
fn tool_of_model(id: &str) -> Option<&'static Tool> {
    let by_family = || {
        let family = family::of_model(id).filter(|_| id.contains(|c: char| c.is_ascii_digit()))?;
        TOOLS.into_iter().find(|tool| tool.family == family)
    };
    let by_name = TOOLS.into_iter().find(|tool| tool.models.contains(&Some(id)));
    by_name.or_else(by_family).filter(|_| spec::is_model_name(id))
}

/// Awaits a future on a separate thread: planning is not async, and this thread may belong to a runtime.
fn on_own_thread<T: Send>(work: impl Future<Output = T> + Send) -> Option<T> {
    std::thread::scope(|scope| {
        let thread = scope.spawn(|| {
            let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().ok()?;
            Some(runtime.block_on(work))
        });
        thread.join().ok().flatten()
    })
}

fn seat_plan(tool: &Tool, reached: &Reached, model: Option<String>) -> SeatPlan {
    let is_cli = matches!(reached, Reached::Cli(..));
    SeatPlan {
        tool: tool.name.to_owned(),
        family: model.as_deref().and_then(family::of_model).unwrap_or(tool.family).to_owned(),
        tier: Effort::ALL.into_iter().find(|effort| model.is_some() && tool.models[*effort as usize] == model.as_deref()),
        model,
        data_goes_to: tool.vendor.to_owned(),
        reads_workspace: true,
        transport: if is_cli { cli::NAME } else { acp::NAME }.to_owned(),
        enforces_schema: is_cli && tool.has(Feature::EnforcesSchema),
        ..SeatPlan::default()
    }
}
