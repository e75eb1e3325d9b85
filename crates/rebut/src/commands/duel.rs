//! `rebut duel`, which is also what a bare topic means.

use std::ffi::OsString;
use std::io::{self, IsTerminal, Read};

use clap::Args;
use rebut_core::debate::{Chance, DebateId, Effort, Evidence};
use rebut_core::formats::duel::{ROUNDS, wording};
use rebut_core::report;
use rebut_engine::chance;
use rebut_engine::clock::Clock;
use rebut_engine::config::read_prompts;
use rebut_engine::evidence::Grounds;
use rebut_engine::planning::{DuelRequest, plan_duel};
use rebut_engine::providers::Providers;
use toml::Value;

use crate::cli::joined;
use crate::cli::number;
use crate::desk::Desk;
use crate::error::{CommandError, Exit};
use crate::terminal::{ask_line, pick};
use crate::{running, signals};

/// A proposer and a challenger argue a topic, a judge decides
#[derive(Debug, Args)]
#[command(after_long_help = EXAMPLES)]
pub(crate) struct Duel {
    /// What is debated, or `-` to read it from standard input
    ///
    /// Names of tools and wishes are understood: "codex vs gemini about X, 3 rounds, thorough".
    #[arg(value_name = "TOPIC")]
    topic: Vec<OsString>,
    /// Who takes a position: `tool` or `tool:model`
    #[arg(long, value_name = "SEAT")]
    proposer: Option<String>,
    /// Who attacks it: `tool` or `tool:model`
    #[arg(long, value_name = "SEAT")]
    challenger: Option<String>,
    /// Proposer and challenger in one
    #[arg(long, value_name = "P,C", conflicts_with_all = ["proposer", "challenger"])]
    tools: Option<String>,
    /// Who decides: `tool` or `tool:model` [default: of a family that is not debating]
    #[arg(long, value_name = "SEAT")]
    judge: Option<String>,
    /// How many rounds, 1 to 5 [default: 2]
    #[arg(long, value_name = "N", allow_negative_numbers = true, value_parser = rounds)]
    rounds: Option<i64>,
    /// How hard the seats think: low, medium, high or max [default: high]
    #[arg(long, value_name = "EFFORT")]
    effort: Option<String>,
    /// The proposer's model; `auto` leaves it to the tool
    #[arg(long, value_name = "MODEL", allow_hyphen_values = true)]
    model_proposer: Option<String>,
    /// The challenger's model; `auto` leaves it to the tool
    #[arg(long, value_name = "MODEL", allow_hyphen_values = true)]
    model_challenger: Option<String>,
    /// What goes into every prompt: none, diff or file=PATH (may be repeated)
    #[arg(long, value_name = "WHAT")]
    context: Vec<String>,
    /// How tools are spoken to: cli, acp or auto [default: cli]
    ///
    /// `acp` keeps a tool's agent open between its turns, so that later rounds start faster. `auto` is acp where the
    /// agent answers, else cli; to find out, every agent is started once before the debate (1 to 5 seconds).
    #[arg(long, value_name = "HOW")]
    transport: Option<String>,
    /// Seconds for one whole call [default: 240]
    #[arg(long, value_name = "SECONDS", allow_negative_numbers = true, value_parser = number)]
    timeout: Option<Value>,
    /// End with a judged result after so many minutes
    #[arg(long, value_name = "MINUTES", allow_negative_numbers = true)]
    max_minutes: Option<f64>,
    /// End with a judged result before so many tokens are used
    #[arg(long, value_name = "TOKENS", allow_negative_numbers = true, value_parser = whole_number)]
    max_tokens: Option<i64>,
    /// End with a judged result before so many dollars are spent
    #[arg(long, value_name = "DOLLARS", allow_negative_numbers = true)]
    max_cost: Option<f64>,
    /// Seats may not read the files of the workspace, and citations of files are not looked up
    #[arg(long)]
    no_workspace: bool,
    /// Let claims be checked by searches (`grep "PATTERN" in path = 3`) and by the commands of your config (`run NAME`)
    ///
    /// Commands are those of `[checks.NAME]` in your own config.toml, known to the models by name alone. Each runs in a
    /// copy of the workspace of its own, once in a debate and within its time limit.
    #[arg(long)]
    allow_checks: bool,
    /// Fetch the pages on the web that are cited, and look the quotes and figures up in them
    ///
    /// Only public hosts are asked, over http and https, without cookies, credentials or proxies. Each page is fetched
    /// once and kept in the debate.
    #[arg(long)]
    fetch_sources: bool,
    /// Use the prompts in the project's .rebut/prompts; the verdict names them
    #[arg(long)]
    trust_project_prompts: bool,
    /// Tell everybody who could have taken a seat, in the order of preference
    #[arg(long)]
    explain_seats: bool,
    /// What chance is drawn from: with the same seed, models that take one say the same again on the same machine
    ///
    /// Any number or word. Without one it is drawn anew for each debate; `rebut show --verbose` tells it.
    #[arg(long, value_name = "N|TEXT", value_parser = seed)]
    seed: Option<String>,
    /// Ask for every choice before the debate begins
    #[arg(long)]
    pick: bool,
    /// Show the plan and end
    #[arg(long)]
    dry_run: bool,
}

const EXAMPLES: &str = "\
Examples:
  rebut \"Should we replace our REST gateway with gRPC?\" --proposer claude --challenger gemini
  rebut \"codex vs gemini about our retry policy, 3 rounds, thorough\"
  rebut duel \"Do we need HTTP/3?\" --fetch-sources --allow-checks
  git log -1 --format=%B | rebut duel - --context diff --max-minutes 10
  rebut duel \"Monolith first?\" --tools script:examples/gateway.toml#north,script:examples/gateway.toml#south --dry-run";

impl Duel {
    /// The topic as it was typed.
    pub(crate) fn topic(&self) -> &[OsString] {
        &self.topic
    }

    pub(crate) fn run(self, mut desk: Desk) -> Result<Exit, CommandError> {
        let topic = self.read_topic(&mut desk)?;
        self.set_flags(&mut desk)?;
        if self.pick {
            pick_everything(&mut desk)?;
        }
        let clock = Clock::start();
        let grounds = if self.no_workspace {
            Grounds::nothing("--no-workspace keeps the debate out of the workspace's files")
        } else {
            Grounds::survey(&desk.place.workspace, desk.home.as_deref(), (&desk.layers.settings().evidence).into())
        };
        let prompts = read_prompts(&desk.places, self.trust_project_prompts)?;
        let request = DuelRequest {
            topic,
            model_proposer: self.model_proposer.clone(),
            model_challenger: self.model_challenger.clone(),
            workspace_readable: !self.no_workspace,
            evidence: Some(Evidence {
                scope: grounds.scope().clone(),
                commands: self.allow_checks.then(|| desk.check_names()),
                fetch_sources: desk.layers.settings().evidence.fetch_sources,
            }),
            explain_seats: self.explain_seats,
            prompts,
        };
        let settings = desk.layers.settings();
        // The id is known only once the folder is claimed, and nothing is claimed before the plan is sound.
        let no_id_yet = DebateId::new(clock.now(), 0);
        let chance = self.seed.as_ref().map_or_else(chance::draw, Chance::from_nonce);
        let mut plan = plan_duel(request, settings, &desk.providers, &desk.place, no_id_yet, chance)?;
        if self.dry_run {
            desk.screen.text(&report::plan_text(&plan));
            desk.screen.json(|| report::plan_json(&plan));
            return Ok(Exit::Done);
        }
        let signal = signals::listen(&desk.screen)?;
        running::fetch_weights(&desk, &plan, &signal)?;
        let shelved = desk.shelf.claim(clock.now(), None)?;
        plan.id = shelved.id.clone();
        let mut watchers = running::watchers(&desk.screen, &shelved.folder, &plan);
        let begun = running::begin(&desk, plan, grounds, clock, &shelved, &mut watchers);
        let (runner, ground, seats) = begun.inspect_err(|_| {
            // Nothing was begun, so that nothing is kept; what cannot be removed either is shown by `list` as empty.
            let _ = desk.shelf.take_back(&shelved);
        })?;
        let debate = running::run(&desk, runner, ground, seats, signal, &mut watchers)?;
        Ok(running::conclude(&desk.screen, &debate, &shelved.folder, running::exit_of(&debate)))
    }

    /// The topic, and what was said around it. On a terminal a missing one is asked for.
    fn read_topic(&self, desk: &mut Desk) -> Result<String, CommandError> {
        let text = joined(&self.topic)?;
        if text == "-" {
            return read_stdin();
        }
        let text = if text.trim().is_empty() {
            let asked = ask_line("What shall be debated?").filter(|line| !line.is_empty());
            asked.ok_or_else(|| {
                CommandError::usage("there is no topic")
                    .hint("rebut \"Should we …?\", or `-` to read it from standard input")
            })?
        } else {
            text
        };
        let said = wording::read(&text, &Providers::names()).map_err(|error| CommandError::usage(error.to_string()))?;
        let seat = |seat: &Option<String>| seat.clone().map(Value::String);
        for (key, value) in [
            ("duel.proposer", seat(&said.proposer)),
            ("duel.challenger", seat(&said.challenger)),
            ("duel.rounds", said.rounds.map(|rounds| Value::Integer(rounds.into()))),
            ("duel.effort", said.effort.map(|effort| Value::String(effort.as_str().to_owned()))),
        ] {
            if let Some(value) = value {
                desk.layers.set_flag(key, value, "the topic's wording")?;
            }
        }
        if !said.understood.is_empty() {
            desk.screen.note(&format!("understood: {}; topic: {}", said.understood.join(", "), said.topic));
        }
        Ok(said.topic)
    }

    fn set_flags(&self, desk: &mut Desk) -> Result<(), CommandError> {
        let (proposer, challenger) = match &self.tools {
            None => (self.proposer.clone(), self.challenger.clone()),
            Some(tools) => match tools.split_once(',') {
                Some((p, c)) if !p.trim().is_empty() && !c.trim().is_empty() => {
                    (Some(p.trim().to_owned()), Some(c.trim().to_owned()))
                }
                _ => return Err(CommandError::usage("--tools takes two seats: --tools claude,gemini")),
            },
        };
        let context = (!self.context.is_empty())
            .then(|| Value::Array(self.context.iter().map(|what| Value::String(what.clone())).collect()));
        for (key, value, flag) in [
            ("duel.proposer", proposer.map(Value::String), "--proposer"),
            ("duel.challenger", challenger.map(Value::String), "--challenger"),
            ("duel.judge", self.judge.clone().map(Value::String), "--judge"),
            ("duel.rounds", self.rounds.map(Value::Integer), "--rounds"),
            ("duel.effort", self.effort.clone().map(Value::String), "--effort"),
            ("duel.transport", self.transport.clone().map(Value::String), "--transport"),
            ("duel.timeout_seconds", self.timeout.clone(), "--timeout"),
            ("duel.context", context, "--context"),
            ("evidence.fetch_sources", self.fetch_sources.then_some(Value::Boolean(true)), "--fetch-sources"),
            ("budget.max_minutes", self.max_minutes.map(Value::Float), "--max-minutes"),
            ("budget.max_tokens", self.max_tokens.map(Value::Integer), "--max-tokens"),
            ("budget.max_cost", self.max_cost.map(Value::Float), "--max-cost"),
        ] {
            if let Some(value) = value {
                desk.layers.set_flag(key, value, flag)?;
            }
        }
        Ok(())
    }
}

/// Asks for every choice in one go, offering only what can be seated.
fn pick_everything(desk: &mut Desk) -> Result<(), CommandError> {
    if !io::stdin().is_terminal() || !io::stderr().is_terminal() {
        return Err(CommandError::usage("--pick asks questions, and there is no terminal to ask on")
            .hint("name the seats with flags"));
    }
    let closed = || CommandError::usage("the input ended before every choice was made");
    let mut seats: Vec<String> = desk
        .providers
        .available(desk.layers.settings().duel.effort, desk.layers.settings().duel.transport)
        .iter()
        .map(rebut_core::debate::SeatPlan::spec)
        .collect();
    for named in
        [&desk.layers.settings().duel.proposer, &desk.layers.settings().duel.challenger, &desk.layers.settings().duel.judge]
    {
        if let Some(named) = named.as_ref().filter(|named| !seats.contains(named)) {
            seats.push(named.clone());
        }
    }
    if seats.is_empty() {
        seats.extend(desk.providers.embedded().map(|embedded| embedded.spec()));
    }
    if seats.is_empty() {
        return Err(rebut_engine::planning::PlanError::from(rebut_engine::providers::seating::SeatingError::Nobody).into());
    }
    let mut proposer = None;
    for (key, question) in
        [("duel.proposer", "Who proposes?"), ("duel.challenger", "Who challenges?"), ("duel.judge", "Who judges?")]
    {
        // The two who argue must differ, as far as there is a choice.
        let others: Vec<String> =
            seats.iter().filter(|seat| key != "duel.challenger" || Some(*seat) != proposer.as_ref()).cloned().collect();
        let offered = if others.is_empty() { &seats } else { &others };
        let seat = pick(&desk.screen, question, offered, 0).ok_or_else(closed)?;
        if key == "duel.proposer" {
            proposer = Some(seat.clone());
        }
        desk.layers.set_flag(key, Value::String(seat), "--pick")?;
    }
    let rounds: Vec<String> = ROUNDS.map(|n| n.to_string()).collect();
    let present = place_of(&rounds, &desk.layers.settings().duel.rounds.to_string());
    let chosen = pick(&desk.screen, "How many rounds?", &rounds, present).ok_or_else(closed)?;
    desk.layers.set_flag("duel.rounds", Value::Integer(chosen.parse().unwrap_or_default()), "--pick")?;
    let efforts: Vec<String> = Effort::ALL.map(|effort| effort.as_str().to_owned()).to_vec();
    let present = place_of(&efforts, desk.layers.settings().duel.effort.as_str());
    let chosen = pick(&desk.screen, "How hard shall they think?", &efforts, present).ok_or_else(closed)?;
    desk.layers.set_flag("duel.effort", Value::String(chosen), "--pick")?;
    Ok(())
}

/// Where the present value stands among the options.
fn place_of(options: &[String], present: &str) -> usize {
    options.iter().position(|option| option == present).unwrap_or(0)
}

/// Whether the number is in its range is the settings' to say, as for every level.
fn rounds(text: &str) -> Result<i64, String> {
    text.parse().map_err(|_| format!("it takes a whole number from {} to {}", ROUNDS.start(), ROUNDS.end()))
}

fn seed(text: &str) -> Result<String, &'static str> {
    const LONGEST: usize = 100;
    let is_one = !text.trim().is_empty() && text.chars().count() <= LONGEST && !text.contains(char::is_control);
    if is_one { Ok(text.trim().to_owned()) } else { Err("it takes a number, or a word of at most 100 characters") }
}

fn whole_number(text: &str) -> Result<i64, &'static str> {
    text.parse().map_err(|_| "it takes a whole number")
}

fn read_stdin() -> Result<String, CommandError> {
    let mut bytes = Vec::new();
    io::stdin()
        .lock()
        .read_to_end(&mut bytes)
        .map_err(|error| CommandError::failed(format!("standard input cannot be read: {error}")))?;
    let text = String::from_utf8(bytes).map_err(|_| CommandError::usage("the topic on standard input is not UTF-8"))?;
    if text.trim().is_empty() { Err(CommandError::usage("there is no topic on standard input")) } else { Ok(text) }
}
