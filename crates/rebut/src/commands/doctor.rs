//! `rebut doctor`

mod embedded;
mod services;

use std::fmt::Write;
use std::path::Path;
use std::time::Duration;

use clap::Args;
use rebut_core::debate::{Effort, SeatPlan};
use rebut_core::report;
use rebut_engine::models::Pip;
use rebut_engine::providers::local;
use rebut_engine::providers::seating::{Seating, Wanted, seat};
use rebut_engine::providers::{Checkup, Probe, ProbeAsked, ServiceCheckup, SignIn, Surroundings};
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;

use crate::app::App;
use crate::error::{CommandError, Exit};
use crate::{run, signals};

/// List tools, APIs and local servers, and whether they can take a seat
#[derive(Debug, Args)]
#[command(after_long_help = EXAMPLES)]
pub(crate) struct Doctor {
    /// Ask each for one word and for JSON, and show response time and model (small cost)
    #[arg(long)]
    probe: bool,
}

const EXAMPLES: &str = "\
Examples:
  rebut doctor                  installed tools, API keys, local servers
  rebut doctor --probe          ask each for a word and for JSON
  rebut doctor --json | jq -r 'select(.can_be_seated).name'

Exit codes: 0 a debate can start, 1 no seat is available (with --probe: none answers)";

/// Time limit of a probe, unless a call's is shorter: some tools retry forever.
const PROBE_LIMIT: Duration = Duration::from_mins(1);

/// How long a tool may take to print its version.
const VERSION_LIMIT: Duration = Duration::from_secs(15);

/// Every tool, service and model, as `--json` prints it.
pub(crate) fn providers(app: &App, probe: bool, stop: &CancellationToken) -> Result<Vec<Value>, CommandError> {
    let found = app.models().and_then(|models| Ok(models.default()?)).map_err(|error| error.to_string());
    let has_weights = found.as_ref().is_ok_and(Option::is_some);
    let (tools, services, embedded) = run::runtime()?.block_on(Doctor { probe }.examine(app, has_weights, stop));
    let tools = tools.iter().map(|(checkup, probe)| as_json(checkup, probe.as_ref()));
    let services = services.iter().map(|(checkup, asked)| services::as_json(checkup, asked.as_ref(), probe));
    Ok(tools.chain(services).chain([embedded::as_json(&found, embedded.as_ref())]).collect())
}

impl Doctor {
    pub(crate) fn probes(&self) -> bool {
        self.probe
    }

    pub(crate) fn run(&self, app: &App) -> Result<Exit, CommandError> {
        let stop = signals::listen(&app.screen)?;
        let found = app.models().and_then(|models| Ok(models.default()?)).map_err(|error| error.to_string());
        let weights = found.as_ref().ok().and_then(Option::as_ref);
        let (tools, services, embedded) = run::runtime()?.block_on(self.examine(app, weights.is_some(), &stop));
        if stop.is_cancelled() {
            return Ok(Exit::Cancelled);
        }
        for (checkup, probe) in &tools {
            app.screen.json(|| as_json(checkup, probe.as_ref()));
        }
        if !app.screen.json {
            app.screen.text(&all_as_text(&tools));
        }
        show_services(app, &services, self.probe);
        app.screen.json(|| embedded::as_json(&found, embedded.as_ref()));
        if !app.screen.json {
            app.screen.text(&embedded::as_text(&found, embedded.as_ref()));
        }
        let answers = |probe: &Option<Probe>| probe.as_ref().is_none_or(|probe| probe.result.is_ok());
        let is_able = |checkup: &Checkup| checkup.can_be_seated() && checkup.signed_out().is_none();
        let answers = tools.iter().any(|(checkup, probe)| is_able(checkup) && answers(probe))
            || services.iter().any(|(checkup, probe)| checkup.can_be_seated() && answers(probe));
        let duel = &app.layers.settings().duel;
        let others = app.providers.look_around(duel.effort, duel.transport).seats;
        let embedded_answers =
            others.is_empty() && weights.is_some() && embedded.as_ref().is_none_or(|probe| probe.result.is_ok());
        // Without weights a debate fetches them first, if pip is installed.
        let can_fetch = found == Ok(None) && !self.probe && !Pip::on_this_machine().is_empty();
        let can_begin = if others.is_empty() { embedded_answers || can_fetch } else { answers };
        let others = if others.is_empty() { app.providers.embedded().into_iter().collect() } else { others };
        let seating = seat(Wanted::default(), &others).ok();
        let exit = if can_begin { Exit::Done } else { Exit::Failed };
        let failed = |probe: &Option<Probe>| probe.as_ref().is_some_and(|probe| probe.result.is_err());
        let signed_out = tools.iter().filter(|(checkup, _)| checkup.signed_out().is_some());
        let signed_out: Vec<&str> = signed_out.map(|(checkup, _)| checkup.name.as_str()).collect();
        let signed_out = seating.as_ref().map(|seating| seated_among(seating, &signed_out)).unwrap_or_default();
        let of_tools = tools.iter().filter(|(_, probe)| failed(probe)).map(|(checkup, _)| checkup.name.as_str());
        let of_services = services.iter().filter(|(_, probe)| failed(probe)).map(|(checkup, _)| checkup.name.as_str());
        let silent: Vec<&str> = of_tools.chain(of_services).chain(failed(&embedded).then_some(local::NAME)).collect();
        let silent = seating.as_ref().map(|seating| seated_among(seating, &silent)).unwrap_or_default();
        app.screen.json(|| {
            let defaults = seating.as_ref().map(seats);
            json!({ "type": "result", "exit": exit as u8, "defaults": defaults, "defaults_without_answer": silent })
        });
        if !app.screen.json {
            let conclusion = conclusion(seating.as_ref(), &silent, weights.is_some(), can_fetch);
            app.screen.text(&match signed_out.as_slice() {
                [] => conclusion,
                [one] => format!("{conclusion} But {one} is not signed in."),
                several => format!("{conclusion} But {} are not signed in.", several.join(" and ")),
            });
        }
        Ok(exit)
    }

    async fn examine(
        &self,
        app: &App,
        has_weights: bool,
        stop: &CancellationToken,
    ) -> (Examined<Checkup>, Examined<ServiceCheckup>, Option<Probe>) {
        let home = std::env::home_dir();
        let around = Surroundings {
            home: home.as_deref(),
            folder: &app.place.workspace,
            variable: &|name| std::env::var_os(name),
            limit: VERSION_LIMIT,
        };
        let (checkups, services) =
            futures_util::future::join(app.providers.check_up(around, stop), app.providers.check_up_services()).await;
        let limit = app.layers.settings().duel.timeout_seconds.duration().min(PROBE_LIMIT);
        if self.probe {
            app.screen.note(&format!("asking each for one word and for JSON (up to {} s each)", limit.as_secs_f64()));
        }
        let around = Surroundings { limit, ..around };
        let transport = app.layers.settings().duel.transport;
        let ask = |checkup: Checkup| async {
            // A tool that is not signed in would retry for a minute and fail.
            if !self.probe || !checkup.can_be_seated() || checkup.signed_out().is_some() {
                return (checkup, None);
            }
            let probe = app.providers.probe(&checkup.name, transport, around, stop).await;
            (checkup, Some(probe))
        };
        let ask_service = |checkup: ServiceCheckup| async {
            let probe = if self.probe { app.providers.probe_service(&checkup, around, stop).await } else { None };
            (checkup, probe)
        };
        let tools = futures_util::future::join_all(checkups.into_iter().map(ask));
        let services = futures_util::future::join_all(services.into_iter().map(ask_service));
        let (tools, services) = futures_util::future::join(tools, services).await;
        // The embedded model uses all cores, so it goes last.
        let asks = self.probe && has_weights && !stop.is_cancelled();
        let embedded = if asks { Some(app.providers.probe(local::NAME, transport, around, stop).await) } else { None };
        (tools, services, embedded)
    }
}

type Examined<T> = Vec<(T, Option<Probe>)>;

/// Services that can be used at length, the others in two lines.
fn show_services(app: &App, services: &Examined<ServiceCheckup>, asked: bool) {
    for (checkup, probe) in services {
        app.screen.json(|| services::as_json(checkup, probe.as_ref(), asked));
        if !app.screen.json
            && let Some(text) = services::as_text(checkup, probe.as_ref(), asked)
        {
            app.screen.text(&text);
        }
    }
    let checkups: Vec<&ServiceCheckup> = services.iter().map(|(checkup, _)| checkup).collect();
    if !app.screen.json
        && let Some(lines) = services::others(&checkups)
    {
        app.screen.text(&lines);
    }
}

/// Missing tools get a line each; the others are separated by blank lines.
fn all_as_text(examined: &[(Checkup, Option<Probe>)]) -> String {
    let mut text = String::new();
    let mut above: Option<&Checkup> = None;
    for (checkup, probe) in examined {
        if above.is_some_and(|above| above.program.is_some() || checkup.program.is_some()) {
            text.push('\n');
        }
        text.push_str(&as_text(checkup, probe.as_ref()));
        above = Some(checkup);
    }
    text
}

fn as_text(checkup: &Checkup, probe: Option<&Probe>) -> String {
    let name = format!("{:<9}", checkup.name);
    let Some(program) = &checkup.program else {
        return format!("{name} {}\n", reason(checkup));
    };
    let version = match (&checkup.version, &checkup.no_version) {
        (Some(version), _) => version.clone(),
        (None, Some(why)) => format!("version unknown: {why}"),
        (None, None) if checkup.is_own_agent => "an agent of your own".to_owned(),
        (None, None) => "version unknown".to_owned(),
    };
    let mut text = format!("{name} {version}\n");
    let mut line = |what: &str, value: &str| {
        // Writing to a string cannot fail.
        let _ = writeln!(text, "  {what:<11} {value}");
    };
    line("program", &program.display().to_string());
    line("transports", &checkup.transports.join(", "));
    line("signed in", &sign_in_words(&checkup.sign_in));
    line("models", &models(checkup));
    if let Some(words) = effort_words(checkup) {
        line("effort", &words);
    }
    for limit in &checkup.limits {
        line("limits", limit);
    }
    if let Some(probe) = probe {
        line("probe", &probe_words(probe));
    }
    text
}

/// Why a tool is missing, without its name, which is printed before.
fn reason(checkup: &Checkup) -> String {
    let why = checkup.missing.as_deref().unwrap_or_default();
    why.strip_prefix(&checkup.name).map_or(why, |rest| rest.trim_start_matches(':').trim_start()).to_owned()
}

fn sign_in_words(sign_in: &SignIn) -> String {
    match sign_in {
        SignIn::Key(variable) => format!("probably: {variable} is set"),
        SignIn::File(file) => format!("probably: {} exists", at_home(file)),
        SignIn::Told => "yes".to_owned(),
        SignIn::No(advice) => format!("no. {advice}"),
        SignIn::Unknown => "unknown: neither its key nor its file was found; run with --probe".to_owned(),
    }
}

/// A path as people write it.
fn at_home(file: &Path) -> String {
    let home = std::env::home_dir().filter(|home| !home.as_os_str().is_empty());
    match home.and_then(|home| file.strip_prefix(home).ok().map(Path::to_owned)) {
        Some(rest) => format!("~/{}", rest.display()),
        None => file.display().to_string(),
    }
}

fn models(checkup: &Checkup) -> String {
    effort_models(&checkup.models, "its own").unwrap_or_else(|| "its own, at every effort".to_owned())
}

/// The tool's words for efforts, if they differ from ours.
fn effort_words(checkup: &Checkup) -> Option<String> {
    let is_other = |(effort, word): &(Effort, Option<String>)| word.as_deref() != Some(effort.as_str());
    let words = effort_models(&checkup.efforts, "not set")?;
    checkup.efforts.iter().any(is_other).then_some(words)
}

/// The model for each effort; `None` if it has none.
fn effort_models(models: &[(Effort, Option<String>); 4], without: &str) -> Option<String> {
    let shown =
        |(effort, model): &(Effort, Option<String>)| format!("{} {}", effort.as_str(), model.as_deref().unwrap_or(without));
    let any = models.iter().any(|(_, model)| model.is_some());
    any.then(|| models.iter().map(shown).collect::<Vec<_>>().join(", "))
}

fn probe_words(probe: &Probe) -> String {
    let took = report::duration(milliseconds(probe));
    match &probe.result {
        Ok(answer) => {
            let model = answer.model.as_deref().unwrap_or("not reported");
            format!("answered in {took}, model {model}")
        }
        Err(failure) => {
            let before = match probe.asked {
                ProbeAsked::Text => "",
                ProbeAsked::Json => "answers in text, but not in JSON, which judges and panels need: ",
            };
            let advice = failure.advice.as_ref().map(|advice| format!(". {advice}")).unwrap_or_default();
            format!("{before}{failure}{advice}")
        }
    }
}

fn milliseconds(probe: &Probe) -> u64 {
    u64::try_from(probe.took.as_millis()).unwrap_or(u64::MAX)
}

/// The default seats.
fn conclusion(seating: Option<&Seating>, silent: &[&str], has_weights: bool, can_fetch: bool) -> String {
    let Some(seating) = seating else {
        return "No seat is available: install one of these tools, set an API key, or start a local server.".to_owned();
    };
    if seating.proposer.tool == local::NAME && !has_weights && can_fetch {
        return "By default, rebut fetches the embedded model and uses it for every seat; for a useful debate, install one of these \
                tools, set an API key, or start a local server."
            .to_owned();
    }
    if seating.proposer.tool == local::NAME && !has_weights {
        return "No seat is available yet. A debate fetches the embedded model first; for a useful one, install one of these tools, \
                set an API key, or start a local server."
            .to_owned();
    }
    let Seating { proposer, challenger, judge } = seating;
    let (proposer, challenger, judge) = (proposer.spec(), challenger.spec(), judge.spec());
    let seated = format!("By default, {proposer} proposes, {challenger} challenges, {judge} judges.");
    if silent.is_empty() {
        return seated;
    }
    let probes = if silent.len() == 1 { "its probe" } else { "their probes" };
    format!("{seated} But {} did not answer: see {probes} above, and name others with --tools.", silent.join(" and "))
}

/// Which of these are default seats.
fn seated_among<'a>(seating: &Seating, names: &[&'a str]) -> Vec<&'a str> {
    let seats = [&seating.proposer, &seating.challenger, &seating.judge];
    names.iter().copied().filter(|name| seats.iter().any(|seat| seat.tool == *name)).collect()
}

fn seats(seating: &Seating) -> Value {
    let spec = |seat: &SeatPlan| seat.spec();
    json!({
        "proposer": spec(&seating.proposer), "challenger": spec(&seating.challenger), "judge": spec(&seating.judge),
    })
}

fn as_json(checkup: &Checkup, probe: Option<&Probe>) -> Value {
    let signed_in = match &checkup.sign_in {
        SignIn::Key(variable) => json!({ "variable": variable }),
        SignIn::File(file) => json!({ "file": file }),
        SignIn::Told | SignIn::No(_) | SignIn::Unknown => Value::Null,
    };
    let is_signed_in = match &checkup.sign_in {
        SignIn::Key(_) | SignIn::File(_) | SignIn::Told => Some(true),
        SignIn::No(_) => Some(false),
        SignIn::Unknown => None,
    };
    json!({
        "type": "tool",
        "name": checkup.name,
        "program": checkup.program,
        "missing": checkup.missing,
        "version": checkup.version, "no_version": checkup.no_version,
        "transports": checkup.transports,
        "limits": checkup.limits,
        "signed_in": is_signed_in,
        "signed_in_by": signed_in,
        "models": by_effort(&checkup.models),
        "effort": by_effort(&checkup.efforts),
        "can_be_seated": checkup.can_be_seated(),
        "probe": probe.map(probe_json),
    })
}

fn by_effort(words: &[(Effort, Option<String>); 4]) -> Value {
    words.iter().map(|(effort, word)| (effort.as_str().to_owned(), json!(word))).collect()
}

fn probe_json(probe: &Probe) -> Value {
    match &probe.result {
        Ok(answer) => json!({ "ms": milliseconds(probe), "model": answer.model }),
        Err(failure) => json!({
            "ms": milliseconds(probe),
            "asked": if probe.asked == ProbeAsked::Json { "json" } else { "text" },
            "cause": failure.cause,
            "detail": failure.detail,
            "advice": failure.advice,
            "complaints": failure.complaints,
        }),
    }
}
