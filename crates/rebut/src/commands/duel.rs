//! `rebut duel`, which is also what a bare topic means.

use std::ffi::OsString;

use clap::Args;
use rebut_core::debate::{Effort, SeatPlan};
use rebut_core::formats::duel::ROUNDS;
use rebut_core::formats::wording::{self, Request};
use rebut_engine::planning::{Common, DuelRequest, Host, plan_duel};
use rebut_engine::session::Start;
use rebut_engine::workspace::WhoseWish;
use toml::Value;

use crate::app::App;
use crate::commands::Finish;
use crate::error::CommandError;
use crate::flags::{DebateFlags, LimitFlags, RIGORS, host, read_topic, seed, whole_number};
use crate::start::{Ready, StartsDebate, understood};
use crate::terminal::pick;

/// Debate a topic: a proposer and a challenger argue, a judge decides
#[derive(Debug, Args)]
#[command(after_long_help = EXAMPLES)]
pub(crate) struct Duel {
    /// The topic, or `-` to read it from standard input
    ///
    /// Requests in words are understood: "codex vs gemini about X, 3 rounds, thorough".
    #[arg(value_name = "TOPIC")]
    pub(crate) topic: Vec<OsString>,
    /// Who argues for a position: `tool` or `tool:model`
    #[arg(long, value_name = "SEAT")]
    proposer: Option<String>,
    /// Who attacks it: `tool` or `tool:model`
    #[arg(long, value_name = "SEAT")]
    challenger: Option<String>,
    /// Proposer and challenger in one flag
    #[arg(long, value_name = "P,C", conflicts_with_all = ["proposer", "challenger"])]
    tools: Option<String>,
    /// Who decides: `tool` or `tool:model` [default: from another vendor than the debaters]
    #[arg(long, value_name = "SEAT")]
    judge: Option<String>,
    /// Number of rounds (1–5) [default: 2]
    #[arg(long, value_name = "N", allow_negative_numbers = true, value_parser = whole_number)]
    rounds: Option<i64>,
    /// How much judging: quick, standard or thorough [default: standard]
    ///
    /// quick: one ballot. standard: two ballots with the sides exchanged; a second judge votes if the first contradicts
    /// itself. thorough: three judges of different vendors, closings written blind, and a second debate with the positions
    /// exchanged.
    #[arg(long, value_name = "RIGOR", value_parser = RIGORS)]
    rigor: Option<String>,
    /// The proposer's model; `auto` leaves it to the tool
    #[arg(long, value_name = "MODEL", allow_hyphen_values = true)]
    model_proposer: Option<String>,
    /// The challenger's model; `auto` leaves it to the tool
    #[arg(long, value_name = "MODEL", allow_hyphen_values = true)]
    model_challenger: Option<String>,
    #[command(flatten)]
    limits: LimitFlags,
    #[command(flatten)]
    flags: DebateFlags,
    /// Random seed, for models that support one
    ///
    /// Any number or text. By default each debate draws its own; `rebut show --verbose` prints it.
    #[arg(long, value_name = "SEED", value_parser = seed)]
    seed: Option<String>,
    /// Choose seats, rounds and effort interactively
    #[arg(long)]
    pick: bool,
    /// The tool that calls rebut; `last-debate.json` goes to its folder [default: detected from the environment]
    #[arg(long, value_name = "TOOL", value_parser = host())]
    host: Option<Host>,
    /// Why the topic may be a mistyped command.
    #[arg(skip)]
    pub(crate) doubt: Option<CommandError>,
    /// Whether the user typed nothing and is guided through the choices.
    #[arg(skip)]
    pub(crate) is_guided: bool,
}

const EXAMPLES: &str = "\
Examples:
  rebut \"Should we replace our REST gateway with gRPC?\" --proposer claude --challenger gemini
  rebut \"codex vs gemini about our retry policy, 3 rounds, thorough\"
  rebut duel \"Do we need HTTP/3?\" --fetch-sources --allow-checks
  git log -1 --format=%B | rebut duel - --context diff --max-minutes 10
  rebut duel \"Monolith first?\" --proposer ollama:llama3.2 --challenger local --dry-run";

impl Duel {
    /// Whether a flag names a seat, so that the words are surely a topic.
    pub(crate) fn names_seats(&self) -> bool {
        [&self.proposer, &self.challenger, &self.tools, &self.judge].into_iter().any(Option::is_some) || self.pick
    }

    /// Sets what the words of the topic say about seats, rounds and effort.
    fn set_words(app: &mut App, request: &Request) -> Result<(), CommandError> {
        let seat = |seat: Option<&String>| seat.cloned().map(Value::String);
        let words = [
            ("duel.proposer", seat(request.seats.first())),
            ("duel.challenger", seat(request.seats.get(1))),
            ("duel.judge", seat(request.judge.as_ref())),
            ("duel.rounds", request.rounds.map(|rounds| Value::Integer(rounds.into()))),
            ("duel.effort", request.effort.map(|effort| Value::String(effort.as_str().to_owned()))),
        ];
        app.set_flags(words.map(|(key, value)| (key, value, "the topic's wording")))
    }

    fn set_flags(&self, app: &mut App) -> Result<(), CommandError> {
        let (proposer, challenger) = match &self.tools {
            None => (self.proposer.clone(), self.challenger.clone()),
            Some(tools) => match tools.split_once(',') {
                Some((p, c)) if !p.trim().is_empty() && !c.trim().is_empty() => {
                    (Some(p.trim().to_owned()), Some(c.trim().to_owned()))
                }
                _ => return Err(CommandError::usage("--tools takes two seats: --tools claude,gemini")),
            },
        };
        self.limits.set_flags(app, "duel")?;
        self.flags.set_flags(app)?;
        let context = &self.limits.context;
        let context =
            (!context.is_empty()).then(|| Value::Array(context.iter().map(|what| Value::String(what.clone())).collect()));
        app.set_flags([
            ("duel.proposer", proposer.map(Value::String), "--proposer"),
            ("duel.challenger", challenger.map(Value::String), "--challenger"),
            ("duel.judge", self.judge.clone().map(Value::String), "--judge"),
            ("duel.rounds", self.rounds.map(Value::Integer), "--rounds"),
            ("duel.context", context, "--context"),
            ("verdict.rigor", self.rigor.clone().map(Value::String), "--rigor"),
        ])
    }
}

impl StartsDebate for Duel {
    fn flags(&self) -> &DebateFlags {
        &self.flags
    }

    fn must_confirm(&self) -> bool {
        self.doubt.is_some() || self.is_guided
    }

    fn doubt(&self) -> Option<&CommandError> {
        self.doubt.as_ref()
    }

    fn prepare(&self, app: &mut App) -> Result<Ready, CommandError> {
        if self.is_guided {
            welcome(app)?;
        }
        let text = read_topic(&app.screen, &self.topic, "topic", "duel")?;
        let request = wording::read(&text, Some("duel"), &app.providers.known_names());
        Self::set_words(app, &request)?;
        self.set_flags(app)?;
        if self.is_guided && request.seats.is_empty() {
            pick_debaters(app)?;
        }
        app.host = self.host.or(app.host);
        if self.pick {
            pick_everything(app)?;
        }
        let snapshot = self.flags.snapshot(app);
        let by_project = app.layers.origin("duel.context").is_the_projects();
        let understood = understood(&request);
        let request = DuelRequest {
            topic: request.topic,
            model_proposer: self.model_proposer.clone(),
            model_challenger: self.model_challenger.clone(),
            context_wish: if by_project { WhoseWish::Project } else { WhoseWish::User },
            common: Common { seed: self.seed.clone(), ..self.flags.common(app, "duel", &snapshot)? },
        };
        let plan = plan_duel(request, app.planner(&app.place))?;
        Ok(Ready { start: Start { plan, snapshot, documents: None }, finish: Finish::Show, understood })
    }
}

/// Shows what rebut does and which seats are available, without calling any.
fn welcome(app: &App) -> Result<(), CommandError> {
    let mut seats: Vec<String> = offered_seats(app)?.iter().map(SeatPlan::spec).collect();
    seats.dedup();
    app.screen.text(&format!("{WELCOME}\n\nAvailable: {} (`rebut doctor` shows all)\n", seats.join(", ")));
    Ok(())
}

const WELCOME: &str = "\
Two AI tools argue, rebut checks their evidence, and a third one decides.

For example:
  Should we replace our REST gateway with gRPC?
  claude vs codex: is the retry policy in src/client.rs safe?";

fn pick_debaters(app: &mut App) -> Result<(), CommandError> {
    let help = "Name proposer and challenger, such as `claude codex`. An empty line picks the best available.";
    let answer = app.screen.ask("Who debates? [auto]", help).unwrap_or_default();
    let seats: Vec<&str> = answer.split([',', ' ']).filter(|seat| !seat.is_empty() && *seat != "vs").collect();
    match seats[..] {
        [] | ["auto"] => Ok(()),
        [proposer, challenger] => {
            app.layers.set_flag("duel.proposer", Value::String(proposer.to_owned()), "your answer")?;
            Ok(app.layers.set_flag("duel.challenger", Value::String(challenger.to_owned()), "your answer")?)
        }
        _ => Err(CommandError::usage("a duel has two debaters").hint("name two seats: claude codex")),
    }
}

const SEAT_HELP: &str = "A seat is a tool with its model. `rebut doctor` shows why others are not offered.";
const ROUNDS_HELP: &str = "In each round both sides speak once. More rounds cost more.";
const EFFORT_HELP: &str = "How hard the models think. More effort takes longer and costs more.";

/// Asks for every choice, offering only seats that are available.
fn pick_everything(app: &mut App) -> Result<(), CommandError> {
    if !app.screen.can_ask() {
        return Err(CommandError::usage("--pick needs a terminal").hint("name the seats with flags"));
    }
    let closed = || CommandError::usage("the input ended before all choices were made");
    let seats = offered_seats(app)?;
    // The two debaters differ if possible, and other vendors than those already picked are offered first.
    let mut picked: Vec<&SeatPlan> = Vec::new();
    for (key, question) in
        [("duel.proposer", "Who proposes?"), ("duel.challenger", "Who challenges?"), ("duel.judge", "Who judges?")]
    {
        let is_taken = |seat: &&SeatPlan| key == "duel.challenger" && picked.contains(seat);
        let mut offered: Vec<&SeatPlan> = seats.iter().filter(|seat| !is_taken(seat)).collect();
        if offered.is_empty() {
            offered = seats.iter().collect();
        }
        offered.sort_by_key(|seat| picked.iter().any(|other| other.family == seat.family));
        let specs: Vec<String> = offered.iter().map(|seat| seat.spec()).collect();
        let spec = pick(&app.screen, question, &specs, "", SEAT_HELP).ok_or_else(closed)?;
        picked.extend(offered.into_iter().find(|seat| seat.spec() == spec));
        app.layers.set_flag(key, Value::String(spec), "--pick")?;
    }
    let rounds: Vec<String> = ROUNDS.map(|n| n.to_string()).collect();
    let present = app.layers.settings().duel.rounds.to_string();
    let chosen = pick(&app.screen, "How many rounds?", &rounds, &present, ROUNDS_HELP).ok_or_else(closed)?;
    app.layers.set_flag("duel.rounds", Value::Integer(chosen.parse().unwrap_or_default()), "--pick")?;
    let efforts: Vec<String> = Effort::ALL.map(|effort| effort.as_str().to_owned()).to_vec();
    let present = app.layers.settings().duel.effort.as_str();
    let chosen = pick(&app.screen, "How much effort?", &efforts, present, EFFORT_HELP).ok_or_else(closed)?;
    app.layers.set_flag("duel.effort", Value::String(chosen), "--pick")?;
    Ok(())
}

/// The seats on offer: those available, and those that settings or flags name.
fn offered_seats(app: &App) -> Result<Vec<SeatPlan>, CommandError> {
    let duel = &app.layers.settings().duel;
    let mut seats = app.providers.look_around(duel.effort, duel.transport).seats;
    for (role, named) in [("proposer", &duel.proposer), ("challenger", &duel.challenger), ("judge", &duel.judge)] {
        if let Some(named) = named {
            let named = app.planner(&app.place).seat(role, named, duel.effort, duel.transport)?;
            if seats.iter().all(|seat| seat.spec() != named.spec()) {
                seats.push(named);
            }
        }
    }
    if seats.is_empty() {
        seats.extend(app.providers.embedded());
    }
    if seats.is_empty() {
        return Err(rebut_engine::planning::PlanError::from(rebut_engine::providers::seating::SeatingError::NoSeats).into());
    }
    Ok(seats)
}
