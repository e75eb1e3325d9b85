//! The state of every known tool and service: program, version, transports, models by effort, sign-in, and on request what
//! it answers.
//!
//! How this is shown is the program's.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::time::Duration;

use futures_util::future::join_all;
use rebut_core::debate::{Answer, Cause, Effort, Failure, Prompt, SeatPlan, Shape, StepKey, structured};
use rebut_core::formats::panel::Ready;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use super::own_agents::{self, OWN_AGENT, OwnAgent};
use super::sign_in::{SignIn, run_briefly, warning};
use super::tools::tool as find_tool;
use super::transport::{Transport, missing};
use super::{
    LocalError, ModelChoice, Order, ProgressSink, Providers, Seat, SeatError, SeatSpec, Service, ServiceError, TOOLS, Tool,
    acp, cli, http,
};
use crate::redact::redact;
use crate::time_limits::within;

#[derive(Clone, Debug)]
pub struct Checkup {
    pub name: String,
    pub program: Option<PathBuf>,
    /// Why it has none and what to do, if it has none.
    pub missing: Option<String>,
    /// The answer to `--version`, as a number if it contains one; or why there is none: such a program will hardly answer
    /// either.
    pub version: Result<Option<String>, String>,
    /// The ways in which it can be spoken to.
    pub transports: Vec<&'static str>,
    pub sign_in: SignIn,
    /// The model for each effort; `None` is the tool's own choice.
    pub models: [(Effort, Option<String>); 4],
    /// Its word for each effort; `None` if it takes none.
    pub efforts: [(Effort, Option<String>); 4],
    /// What it does although a debate forbids it.
    pub limits: Vec<String>,
}

#[derive(Clone, Debug)]
pub struct ServiceCheckup {
    pub name: String,
    /// The service, if it is set up.
    pub service: Option<Service>,
    /// How it can be used, as far as is known without asking a model, or why it can't.
    pub standing: Result<Standing, ServiceError>,
    /// The model for each effort; `None` if one must be named, or the server's first is taken.
    pub models: [(Effort, Option<String>); 4],
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Standing {
    /// The variable that holds its key.
    Key(String),
    /// The user's own server answers, and has these models.
    Answers(Vec<String>),
}

impl ServiceCheckup {
    /// Whether the service can take a seat without a model being named, as far as was checked.
    pub fn can_be_seated(&self) -> bool {
        let has_model = |effort: Effort| self.models[effort as usize].1.is_some();
        match &self.standing {
            Ok(Standing::Key(_)) => Effort::ALL.into_iter().any(has_model),
            Ok(Standing::Answers(models)) => !models.is_empty(),
            Err(_) => false,
        }
    }
}

#[derive(Clone, Debug)]
pub struct Probe {
    /// How long all of it took.
    pub took: Duration,
    /// The last question: the first that failed, or the one for JSON.
    pub question: ProbeQuestion,
    pub result: Result<Answer, Failure>,
}

/// What a probe asks for, in this order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ProbeQuestion {
    Text,
    /// JSON that fits a schema, as judges, moderators and panels are asked for.
    Json,
}

/// Where a checkup looks, and how long it waits for each tool.
#[derive(Clone, Copy)]
pub struct Surroundings<'a> {
    pub home: Option<&'a Path>,
    pub folder: &'a Path,
    pub variable: &'a dyn Fn(&str) -> Option<OsString>,
    /// How long a tool may take.
    pub limit: Duration,
}

impl Checkup {
    /// Whether it is one of the user's own agents.
    pub fn is_own_agent(&self) -> bool {
        self.name.starts_with(OWN_AGENT)
    }

    /// Whether the tool can take a seat, as far as was checked.
    pub fn can_be_seated(&self) -> bool {
        self.program.is_some()
    }

    /// What to do first, if it is known not to be signed in.
    pub fn signed_out(&self) -> Option<&'static str> {
        match self.sign_in {
            SignIn::No(advice) => Some(advice),
            _ => None,
        }
    }
}

impl Providers {
    /// Checks every known tool at once, and the user's own agents; in order of preference. Asks no model.
    pub async fn check_up(&self, around: Surroundings<'_>, cancel: &CancellationToken) -> Vec<Checkup> {
        let mut checkups = join_all(TOOLS.map(|tool| self.check_tool(tool, around, cancel))).await;
        checkups.extend(self.own_agents().map(Self::check_own_agent));
        checkups
    }

    /// The program of such an agent may be a shell or a launcher, so its version is not asked.
    fn check_own_agent(agent: OwnAgent<'_>) -> Checkup {
        let program = agent.program();
        Checkup {
            name: agent.tool(),
            missing: program.is_none().then(|| agent.missing()),
            program,
            version: Ok(None),
            transports: vec![acp::NAME],
            sign_in: SignIn::Unknown,
            models: Effort::ALL.map(|effort| (effort, None)),
            efforts: Effort::ALL.map(|effort| (effort, None)),
            limits: vec![own_agents::LIMIT.to_owned()],
        }
    }

    async fn check_tool(&self, tool: &'static Tool, around: Surroundings<'_>, cancel: &CancellationToken) -> Checkup {
        let program = tool.detect(&self.tools);
        let sign_in = tool.looks_signed_in(around.home, around.variable);
        let (version, sign_in) = match (&program, sign_in) {
            (Some(program), SignIn::Unknown) => {
                let answer = self.ask_signed_in(tool, program, around.limit, cancel);
                Box::pin(futures_util::future::join(version(tool, program, around, cancel), answer)).await
            }
            (Some(program), sign_in) => (version(tool, program, around, cancel).await, sign_in),
            (None, sign_in) => (Ok(None), sign_in),
        };
        let has_agent = tool.detect_agent(&self.tools).is_some();
        let variable = |name: &str| (around.variable)(name).and_then(|value| value.into_string().ok());
        let warning = warning(tool, self.model_for(tool, Effort::High).as_deref(), &variable);
        Checkup {
            name: tool.name.to_owned(),
            missing: program.is_none().then(|| missing(tool, &self.tools).to_string()),
            program,
            version,
            transports: if has_agent { vec![cli::NAME, acp::NAME] } else { vec![cli::NAME] },
            sign_in,
            models: Effort::ALL.map(|effort| (effort, self.model_for(tool, effort))),
            efforts: Effort::ALL.map(|effort| (effort, self.effort_word(tool, effort))),
            limits: tool.limits(has_agent).into_iter().chain(warning).collect(),
        }
    }

    /// Checks every service at once: whether it has a key, and which of the user's own servers answer. Asks no model.
    pub async fn check_up_services(&self) -> Vec<ServiceCheckup> {
        self.check_services(&self.clients).await
    }

    pub(super) async fn check_services(&self, clients: &http::Clients) -> Vec<ServiceCheckup> {
        let checkups = http::names(&self.services).into_iter().filter_map(|name| {
            let service = Service::find(&name, &self.services, &|name| self.variable(name))?;
            Some(async move {
                let standing = match &service {
                    Err(error) => Err(error.clone()),
                    Ok(service) if service.is_own_server() => http::models(service, clients).await.map(Standing::Answers),
                    Ok(service) => http::has_key(service, &|name| self.variable(name)).map(Standing::Key),
                };
                let service = service.ok();
                let model = |effort| service.as_ref().and_then(|service| service.model_for(effort).map(str::to_owned));
                let models = Effort::ALL.map(|effort| (effort, model(effort)));
                ServiceCheckup { name, service, standing, models }
            })
        });
        join_all(checkups).await
    }

    /// Asks a service for one word and for JSON, through the seat that it would have in a debate, with the model for the
    /// lowest effort that has one. `None` if it has no model or cannot be asked.
    pub async fn probe_service(
        &self,
        checkup: &ServiceCheckup,
        around: Surroundings<'_>,
        cancel: &CancellationToken,
    ) -> Option<Probe> {
        let service = checkup.service.as_ref()?;
        let set = Effort::ALL.into_iter().find_map(|effort| service.model_for(effort));
        let model = match checkup.standing.as_ref().ok()? {
            Standing::Key(_) => set?,
            Standing::Answers(models) => set.or(models.first().map(String::as_str))?,
        };
        let plan = http::seat_plan(service, model.to_owned());
        Some(self.probe_seat(Ok(plan), around, cancel).await)
    }

    /// Asks a tool for one word and for JSON, through the seat that it would have in a debate, with low effort and nothing
    /// to read.
    pub async fn probe(
        &self,
        tool: &str,
        transport: Transport,
        around: Surroundings<'_>,
        cancel: &CancellationToken,
    ) -> Probe {
        let spec = SeatSpec { tool: tool.to_owned(), model: ModelChoice::ByEffort };
        // Its agent is greeted before, so that planning its seat does not block.
        if let Some(tool) = find_tool(tool) {
            self.greeted.greet_ahead(tool, transport, &self.tools, cancel).await;
        } else if let Some(Ok(agent)) = self.own_agent(tool) {
            self.greeted.greet(tool, acp::Trial::Greeting, || agent.command(), cancel).await;
        }
        let plan = if cancel.is_cancelled() {
            Err(Failure::new(Cause::Cancelled, ""))
        } else {
            self.plan(&spec, Effort::Low, transport, around.folder).map_err(|error| not_taken(&error))
        };
        self.probe_seat(plan, around, cancel).await
    }

    async fn probe_seat(
        &self,
        plan: Result<SeatPlan, Failure>,
        around: Surroundings<'_>,
        cancel: &CancellationToken,
    ) -> Probe {
        let began = Instant::now();
        let (question, result) =
            match plan.and_then(|plan| self.open(&plan, around.folder, None).map_err(|error| not_taken(&error))) {
                Ok(seat) => {
                    let mut last = (ProbeQuestion::Text, ask(&*seat, ProbeQuestion::Text, around.limit, cancel).await);
                    if last.1.is_ok() {
                        last = (ProbeQuestion::Json, ask(&*seat, ProbeQuestion::Json, around.limit, cancel).await);
                    }
                    seat.close().await;
                    last
                }
                Err(failure) => (ProbeQuestion::Text, Err(failure)),
            };
        let result = result.map_err(|failure| {
            let complaints = redact(failure.complaints()).into_owned();
            Failure { detail: redact(&failure.detail).into_owned(), ..failure }.with_complaints(&complaints)
        });
        Probe { took: began.elapsed(), question, result }
    }
}

async fn ask(
    seat: &dyn Seat,
    question: ProbeQuestion,
    limit: Duration,
    cancel: &CancellationToken,
) -> Result<Answer, Failure> {
    let key = StepKey::new("probe");
    let schema = structured::schema::<Ready>();
    let (user, shape) = match question {
        ProbeQuestion::Text => ("Answer with the one word: ready".to_owned(), Shape::Prose),
        ProbeQuestion::Json => (
            format!("Answer with one JSON object that fits this schema, and nothing else:\n\n```json\n{schema}\n```"),
            Shape::Json { name: "ready", schema },
        ),
    };
    let order = Order {
        key: key.clone(),
        setbacks: 0,
        thread: None,
        prompt: Prompt { system: "# Probe".to_owned(), user },
        shape,
        output_tokens: 16,
        effort: Effort::Low,
        seed: 0,
        limit,
    };
    let (sender, _receiver) = tokio::sync::mpsc::unbounded_channel();
    let cancel = cancel.child_token();
    let answer = seat.answer(&order, ProgressSink::new(key, sender), cancel.clone());
    let answer = match within(limit, &cancel, answer).await {
        (Err(failure), true) => {
            let late = Failure::new(Cause::Timeout, format!("after {} s", limit.as_secs_f64()));
            return Err(Failure { usage: failure.usage, complaints: failure.complaints, ..late });
        }
        (answer, _) => answer?,
    };
    match structured::read::<Ready>("ready", &answer.text) {
        Err(rejection) if question == ProbeQuestion::Json => {
            Err(Failure { usage: answer.usage, ..Failure::new(Cause::Unparsable, rejection.reason) })
        }
        _ => Ok(answer),
    }
}

/// The failure of a seat that could not be opened.
fn not_taken(error: &SeatError) -> Failure {
    let cause = match error {
        SeatError::NotInstalled { .. }
        | SeatError::NoProgram { .. }
        | SeatError::UnknownTool { .. }
        | SeatError::UnknownAgent { .. }
        | SeatError::Local(LocalError::NoWeights | LocalError::NotOnShelf(_) | LocalError::NoFile(_)) => Cause::NotInstalled,
        SeatError::Service(ServiceError::NoKey { .. } | ServiceError::BadKey { .. }) => Cause::Auth,
        SeatError::Service(ServiceError::NotAnswering { .. }) => Cause::Unavailable,
        _ => Cause::Exit,
    };
    Failure::new(cause, error.to_string())
}

/// What a program answers to `--version`, or why it did not.
async fn version(
    tool: &Tool,
    program: &Path,
    around: Surroundings<'_>,
    cancel: &CancellationToken,
) -> Result<Option<String>, String> {
    let environment = tool.environment.iter().map(|(name, value)| (name.into(), value.into())).collect();
    match run_briefly(program, &["--version"], Some(around.folder), environment, around.limit, cancel).await? {
        (text, status) if status.success() => Ok(version_in(&text)),
        (_, status) => Err(format!("it ended with {status}")),
    }
}

/// The version number in a text, or its first line, truncated to fit a table.
fn version_in(text: &str) -> Option<String> {
    const ROOM: usize = 40;
    let line = text.lines().map(str::trim).find(|line| !line.is_empty())?;
    let is_number =
        |word: &&str| word.trim_start_matches('v').starts_with(|c: char| c.is_ascii_digit()) && word.contains('.');
    let shown =
        line.split_whitespace().find(is_number).map_or(line, |word| word.trim_start_matches('v').trim_end_matches('.'));
    Some(redact(shown).chars().filter(|c| !c.is_control()).take(ROOM).collect())
}
