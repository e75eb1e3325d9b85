//! `rebut doctor`

mod services;
mod tools;

use std::time::Duration;

use clap::Args;
use rebut_core::debate::Effort;
use rebut_core::report;
use rebut_engine::models::{Installed, Known, Pip, size};
use rebut_engine::providers::local;
use rebut_engine::providers::seating::{Seating, Wanted, seat};
use rebut_engine::providers::{Checkup, Probe, ProbeQuestion, ServiceCheckup, Surroundings};
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;

use crate::app::App;
use crate::error::{CommandError, Exit};
use crate::signals;

/// List tools, APIs and local servers, and whether they can take a seat
#[derive(Debug, Args)]
#[command(after_long_help = EXAMPLES)]
pub(crate) struct Doctor {
    /// Ask each for one word and for JSON, and show response time and model (small cost)
    #[arg(long)]
    pub(crate) probe: bool,
}

const EXAMPLES: &str = "\
Examples:
  rebut doctor                  installed tools, API keys, local servers
  rebut doctor --probe          ask each for a word and for JSON
  rebut doctor --json | jq -r 'select(.can_be_seated).name'

Exit codes: 0 a debate can start, 1 no seat is available (with --probe: none answers)";

/// Time limit of a probe, unless a call's is shorter: some tools retry forever.
const PROBE_LIMIT: Duration = Duration::from_mins(1);

const VERSION_LIMIT: Duration = Duration::from_secs(15);

/// A tool, a service or the embedded model, as it is shown.
struct Entry {
    name: String,
    /// For people; none for a service that is listed with others in a line.
    text: Option<String>,
    json: Value,
    can_be_seated: bool,
    is_signed_out: bool,
    /// Whether it answered, if it was asked.
    answered: Option<bool>,
}

/// The weights of the embedded model if they are installed, or why that is unknown.
type Weights = Result<Option<Installed>, String>;

impl Entry {
    fn new(name: &str, can_be_seated: bool, text: Option<String>, json: Value, probe: Option<&Probe>) -> Self {
        let answered = probe.map(|probe| probe.result.is_ok());
        Self { name: name.to_owned(), text, json, can_be_seated, is_signed_out: false, answered }
    }

    fn can_answer(&self) -> bool {
        self.can_be_seated && !self.is_signed_out && self.answered != Some(false)
    }
}

/// Every tool, service and model, as `--json` prints it.
pub(crate) fn providers(app: &App, probe: bool, stop: &CancellationToken) -> Vec<Value> {
    let (entries, _) = app.runtime.block_on(Doctor { probe }.examine(app, &weights(app), stop));
    entries.into_iter().map(|entry| entry.json).collect()
}

fn weights(app: &App) -> Weights {
    app.models().and_then(|models| Ok(models.default()?)).map_err(|error| error.to_string())
}

impl Doctor {
    pub(crate) fn run(&self, app: &App) -> Result<Exit, CommandError> {
        let stop = signals::listen(&app.screen)?;
        let weights = weights(app);
        let (entries, others) = app.runtime.block_on(self.examine(app, &weights, &stop));
        if stop.is_cancelled() {
            return Ok(Exit::Cancelled);
        }
        for entry in &entries {
            app.screen.json(|| entry.json.clone());
        }
        let (embedded, of_others) = entries.split_last().map_or((None, &[][..]), |(last, others)| (Some(last), others));
        if !app.screen.json {
            let texts = of_others.iter().filter_map(|entry| entry.text.as_ref());
            let last = embedded.and_then(|entry| entry.text.as_ref());
            app.screen.text(&separated(texts.chain(&others).chain(last)));
        }
        let duel = &app.layers.settings().duel;
        let seats = app.providers.look_around(duel.effort, duel.transport).seats;
        // Without weights a debate fetches them first, if pip is installed.
        let can_fetch = weights == Ok(None) && !self.probe && !Pip::on_this_machine().is_empty();
        let can_begin = if seats.is_empty() {
            embedded.is_some_and(Entry::can_answer) || can_fetch
        } else {
            of_others.iter().any(Entry::can_answer)
        };
        let seats = if seats.is_empty() { app.providers.embedded().into_iter().collect() } else { seats };
        let seating = seat(Wanted::default(), &seats).ok();
        let seated = |is_meant: fn(&Entry) -> bool| -> Vec<&str> {
            let seats = seating.iter().flat_map(|Seating { proposer, challenger, judge }| [proposer, challenger, judge]);
            let is_seated = |entry: &&Entry| seats.clone().any(|seat| seat.tool == entry.name);
            let meant = entries.iter().filter(|entry| is_meant(entry)).filter(is_seated);
            meant.map(|entry| entry.name.as_str()).collect()
        };
        let silent = seated(|entry| entry.answered == Some(false));
        let exit = if can_begin { Exit::Done } else { Exit::Failed };
        app.screen.json(|| {
            let defaults = seating.as_ref().map(|Seating { proposer, challenger, judge }| {
                json!({ "proposer": proposer.spec(), "challenger": challenger.spec(), "judge": judge.spec() })
            });
            json!({ "type": "result", "exit": exit as u8, "defaults": defaults, "defaults_without_answer": silent })
        });
        if !app.screen.json {
            let has_weights = matches!(weights, Ok(Some(_)));
            let conclusion = conclusion(seating.as_ref(), &silent, has_weights, can_fetch);
            app.screen.text(&match seated(|entry| entry.is_signed_out).as_slice() {
                [] => conclusion,
                [one] => format!("{conclusion} But {one} is not signed in."),
                several => format!("{conclusion} But {} are not signed in.", several.join(" and ")),
            });
        }
        Ok(exit)
    }

    /// Everything that could take a seat, the embedded model last, and lines for services that can't be used now.
    async fn examine(&self, app: &App, weights: &Weights, stop: &CancellationToken) -> (Vec<Entry>, Option<String>) {
        let home = std::env::home_dir();
        let around = Surroundings {
            home: home.as_deref(),
            folder: &app.place.workspace,
            variable: &|name| std::env::var_os(name),
            limit: VERSION_LIMIT,
        };
        let (checkups, services) =
            futures_util::future::join(app.providers.check_up(around, stop), app.providers.check_up_services()).await;
        let others = services::others(&services);
        let limit = app.layers.settings().duel.timeout_seconds.duration().min(PROBE_LIMIT);
        if self.probe {
            app.screen.note(&format!("asking each for one word and for JSON (up to {} s each)", limit.as_secs_f64()));
        }
        let around = Surroundings { limit, ..around };
        let transport = app.layers.settings().duel.transport;
        let tool = |checkup: Checkup| async move {
            // A tool that is not signed in would retry for a minute and fail.
            let asks = self.probe && checkup.can_be_seated() && checkup.signed_out().is_none();
            let probe = if asks { Some(app.providers.probe(&checkup.name, transport, around, stop).await) } else { None };
            tools::entry(&checkup, probe.as_ref())
        };
        let service = |checkup: ServiceCheckup| async move {
            let probe = if self.probe { app.providers.probe_service(&checkup, around, stop).await } else { None };
            services::entry(&checkup, probe.as_ref(), self.probe)
        };
        let tools = futures_util::future::join_all(checkups.into_iter().map(tool));
        let services = futures_util::future::join_all(services.into_iter().map(service));
        let (tools, services) = futures_util::future::join(tools, services).await;
        // The embedded model uses all cores, so it goes last.
        let asks = self.probe && matches!(weights, Ok(Some(_))) && !stop.is_cancelled();
        let probe = if asks { Some(app.providers.probe(local::NAME, transport, around, stop).await) } else { None };
        let embedded = embedded(weights, probe.as_ref());
        (tools.into_iter().chain(services).chain([embedded]).collect(), others)
    }
}

fn embedded(weights: &Weights, probe: Option<&Probe>) -> Entry {
    let Known { name, about, shipped, .. } = Known::DEFAULT;
    let where_they_are = match weights {
        Ok(Some(weights)) => weights.path.display().to_string(),
        Err(why) => format!("unknown: {why}"),
        Ok(None) => format!(
            "not installed: fetched by the first debate that needs them ({}), or by `rebut model pull {name}`",
            size(shipped)
        ),
    };
    let asked = probe.map(|probe| ("probe", probe_words(probe)));
    let lines = [("weights", where_they_are)].into_iter().chain(asked);
    let here = weights.as_ref().ok().and_then(Option::as_ref);
    let text = block(local::NAME, &format!("{name}, in this process; {about}"), lines);
    let json = json!({
        "type": "embedded", "name": local::NAME, "model": name, "can_be_seated": here.is_some(),
        "weights": here.map(|weights| &weights.path), "missing": weights.as_ref().err(), "probe": probe.map(probe_json),
    });
    Entry::new(local::NAME, here.is_some(), Some(text), json, probe)
}

/// Blocks with blank lines between them, except between those of a single line.
fn separated<'a>(blocks: impl Iterator<Item = &'a String>) -> String {
    let mut text = String::new();
    let mut is_after_block = false;
    for block in blocks {
        let is_block = block.lines().count() > 1;
        if !text.is_empty() && (is_block || is_after_block) {
            text.push('\n');
        }
        text.push_str(block);
        is_after_block = is_block;
    }
    text
}

/// What is printed of one: a head after its name, and lines with labels.
fn block(name: &str, head: &str, lines: impl IntoIterator<Item = (&'static str, String)>) -> String {
    let lines = lines.into_iter().map(|(label, text)| format!("  {label:<11} {text}\n"));
    format!("{name:<9} {head}\n{}", lines.collect::<String>())
}

/// A reason without the name that is printed before it.
fn without_name<'a>(why: &'a str, name: &str) -> &'a str {
    why.strip_prefix(name).map_or(why, |rest| rest.trim_start_matches(':').trim_start())
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
            let before = match probe.question {
                ProbeQuestion::Text => "",
                ProbeQuestion::Json => "answers in text, but not in JSON, which judges and panels need: ",
            };
            let advice = failure.advice.as_ref().map(|advice| format!(". {advice}")).unwrap_or_default();
            format!("{before}{failure}{advice}")
        }
    }
}

fn milliseconds(probe: &Probe) -> u64 {
    u64::try_from(probe.took.as_millis()).unwrap_or(u64::MAX)
}

fn conclusion(seating: Option<&Seating>, silent: &[&str], has_weights: bool, can_fetch: bool) -> String {
    const ADVICE: &str = "install one of these tools, set an API key, or start a local server.";
    let Some(seating) = seating else { return format!("No seat is available: {ADVICE}") };
    if seating.proposer.tool == local::NAME && !has_weights {
        let now = if can_fetch {
            "By default, rebut fetches the embedded model and uses it for every seat; for a useful debate"
        } else {
            "No seat is available yet. A debate fetches the embedded model first; for a useful one"
        };
        return format!("{now}, {ADVICE}");
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

fn by_effort(words: &[(Effort, Option<String>); 4]) -> Value {
    words.iter().map(|(effort, word)| (effort.as_str().to_owned(), json!(word))).collect()
}

fn probe_json(probe: &Probe) -> Value {
    match &probe.result {
        Ok(answer) => json!({ "ms": milliseconds(probe), "model": answer.model }),
        Err(failure) => json!({
            "ms": milliseconds(probe),
            "asked": if probe.question == ProbeQuestion::Json { "json" } else { "text" },
            "cause": failure.cause,
            "detail": failure.detail,
            "advice": failure.advice,
            "complaints": failure.complaints,
        }),
    }
}
