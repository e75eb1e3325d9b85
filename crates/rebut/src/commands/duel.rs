//! `rebut duel`, which is also what a bare topic means.

use std::ffi::OsString;
use std::io::{self, IsTerminal};

use clap::Args;
use rebut_core::debate::{Chance, Effort, Plan, SeatPlan};
use rebut_core::formats::duel::{ROUNDS, wording};
use rebut_engine::chance;
use rebut_engine::clock::Clock;
use rebut_engine::config::Settings;
use rebut_engine::planning::{DuelRequest, Host, plan_duel, plan_seat};
use rebut_engine::providers::{Providers, Transport};
use rebut_engine::workspace::WhoseWish;
use toml::Value;

use crate::asked::Asked;
use crate::cli::joined;
use crate::desk::Desk;
use crate::error::{CommandError, Exit};
use crate::running::{self, Manner};
use crate::terminal::{ask_line, pick};
use crate::terms::{Bounds, Terms, read_stdin, topic_of};

use super::Said;

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
    /// The proposer's model; `auto` leaves it to the tool
    #[arg(long, value_name = "MODEL", allow_hyphen_values = true)]
    model_proposer: Option<String>,
    /// The challenger's model; `auto` leaves it to the tool
    #[arg(long, value_name = "MODEL", allow_hyphen_values = true)]
    model_challenger: Option<String>,
    #[command(flatten)]
    bounds: Bounds,
    #[command(flatten)]
    terms: Terms,
    /// What chance is drawn from: with the same seed, models that take one say the same again on the same machine
    ///
    /// Any number or word. Without one it is drawn anew for each debate; `rebut show --verbose` tells it.
    #[arg(long, value_name = "N|TEXT", value_parser = crate::terms::seed)]
    seed: Option<String>,
    /// Ask for every choice before the debate begins
    #[arg(long)]
    pick: bool,
    /// The tool that rebut is called from: `last-debate.json` goes to its folder [default: found by the environment]
    #[arg(long, value_name = "TOOL", value_parser = crate::terms::host)]
    host: Option<Host>,
}

const EXAMPLES: &str = "\
Examples:
  rebut \"Should we replace our REST gateway with gRPC?\" --proposer claude --challenger gemini
  rebut \"codex vs gemini about our retry policy, 3 rounds, thorough\"
  rebut duel \"Do we need HTTP/3?\" --fetch-sources --allow-checks
  git log -1 --format=%B | rebut duel - --context diff --max-minutes 10
  rebut duel \"Monolith first?\" --proposer ollama:llama3.2 --challenger local --dry-run";

impl Duel {
    /// The topic as it was typed.
    pub(crate) fn topic(&self) -> &[OsString] {
        &self.topic
    }

    pub(crate) fn asked(&self) -> Asked {
        let seats = [&self.proposer, &self.challenger, &self.tools, &self.judge];
        let asked = Asked::of(!self.topic.is_empty(), &self.terms).seats(seats.into_iter().flatten());
        let said = joined(&self.topic).ok().and_then(|topic| wording::read(&topic, &Providers::names()).ok());
        let asked = asked.seats(said.iter().flat_map(|said| said.proposer.iter().chain(&said.challenger)));
        asked.context(&self.bounds.context)
    }

    pub(crate) fn run(self, mut desk: Desk) -> Result<Exit, CommandError> {
        let topic = self.read_topic(&mut desk)?;
        self.set_flags(&mut desk)?;
        desk.host = self.host.or(desk.host);
        if self.pick {
            pick_everything(&mut desk)?;
        }
        let clock = Clock::start();
        let grounds = self.terms.survey(&desk);
        let by_project = desk.layers.origin("duel.context").is_the_projects();
        let request = DuelRequest {
            topic,
            model_proposer: self.model_proposer.clone(),
            model_challenger: self.model_challenger.clone(),
            context_wish: if by_project { WhoseWish::Project } else { WhoseWish::User },
            terms: self.terms.on(&desk, "duel", &grounds, Vec::new())?,
        };
        let settings = desk.layers.settings();
        let chance = self.seed.as_ref().map_or_else(chance::draw, Chance::from_nonce);
        let plan = plan_duel(request, settings, &desk.providers, &desk.place, running::no_id_yet(&clock), chance)?;
        running::hold(&desk, plan, grounds, &self.terms, &Dueled)
    }

    /// The topic, and what was said around it. On a terminal a missing one is asked for.
    fn read_topic(&self, desk: &mut Desk) -> Result<String, CommandError> {
        let text = topic_of(&self.topic, "topic")?;
        if text == "-" {
            return read_stdin("topic");
        }
        let text = if text.trim().is_empty() {
            let asked = ask_line(&desk.screen, "What shall be debated?").filter(|line| !line.is_empty());
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
        self.bounds.set_flags(desk, "duel")?;
        self.terms.set_flags(desk)?;
        let context = &self.bounds.context;
        let context =
            (!context.is_empty()).then(|| Value::Array(context.iter().map(|what| Value::String(what.clone())).collect()));
        for (key, value, flag) in [
            ("duel.proposer", proposer.map(Value::String), "--proposer"),
            ("duel.challenger", challenger.map(Value::String), "--challenger"),
            ("duel.judge", self.judge.clone().map(Value::String), "--judge"),
            ("duel.rounds", self.rounds.map(Value::Integer), "--rounds"),
            ("duel.context", context, "--context"),
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
    let seats = offered_seats(desk)?;
    // The two who argue differ as far as there is a choice, and whoever is of another vendor than those already picked
    // is offered first.
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
        let spec = pick(&desk.screen, question, &specs, 0).ok_or_else(closed)?;
        picked.extend(offered.into_iter().find(|seat| seat.spec() == spec));
        desk.layers.set_flag(key, Value::String(spec), "--pick")?;
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

/// Everybody who can be picked: those who are found, and those whom the settings or the flags name.
fn offered_seats(desk: &Desk) -> Result<Vec<SeatPlan>, CommandError> {
    let duel = &desk.layers.settings().duel;
    let mut seats = desk.providers.available(duel.effort, duel.transport);
    for (role, named) in [("proposer", &duel.proposer), ("challenger", &duel.challenger), ("judge", &duel.judge)] {
        if let Some(named) = named {
            let named = plan_seat(&desk.providers, role, named, duel.effort, duel.transport, &desk.place)?;
            if seats.iter().all(|seat| seat.spec() != named.spec()) {
                seats.push(named);
            }
        }
    }
    if seats.is_empty() {
        seats.extend(desk.providers.embedded());
    }
    if seats.is_empty() {
        return Err(rebut_engine::planning::PlanError::from(rebut_engine::providers::seating::SeatingError::Nobody).into());
    }
    Ok(seats)
}

/// Where the present value stands among the options.
fn place_of(options: &[String], present: &str) -> usize {
    options.iter().position(|option| option == present).unwrap_or(0)
}

/// Whether the number is in its range is the settings' to say, as for every level.
fn rounds(text: &str) -> Result<i64, String> {
    text.parse().map_err(|_| format!("it takes a whole number from {} to {}", ROUNDS.start(), ROUNDS.end()))
}

/// How a duel that is resumed is gone on with.
pub(crate) fn resumed(_said: &Said, _plan: &Plan) -> Box<dyn Manner> {
    Box::new(Dueled)
}

struct Dueled;

impl Manner for Dueled {
    fn transport(&self, settings: &Settings) -> Transport {
        settings.duel.transport
    }
}
