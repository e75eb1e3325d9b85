//! What `ask` and `cross` share: flags, and planning.

use std::ffi::OsString;

use clap::Args;
use rebut_core::debate::Plan;
use rebut_core::formats::cross::{Kind, options};
use rebut_core::formats::wording::{self, Request};
use rebut_engine::chance;
use rebut_engine::clock::Clock;
use rebut_engine::config::Settings;
use rebut_engine::planning::{CrossRequest, Earlier, plan_cross};
use rebut_engine::providers::{Providers, Transport};
use toml::Value;

use crate::commands::Said;
use crate::desk::Desk;
use crate::error::CommandError;
use crate::running::{self, Manner};
use crate::starting::{Prepared, Ready};
use crate::terms::{Bounds, Terms, read_topic};

#[derive(Debug, Args)]
pub(crate) struct Asking {
    /// Who answers: 2–8 seats (`tool` or `tool:model`), or just how many [default: 2, from different vendors]
    #[arg(long, value_name = "A,B,…", value_delimiter = ',')]
    partners: Vec<String>,
    /// Who compares the answers: `tool` or `tool:model` [default: from a vendor that isn't answering]
    #[arg(long, value_name = "SEAT")]
    moderator: Option<String>,
    /// Answers to choose from; votes are counted [default: yes,no for a yes-or-no question]
    #[arg(long, value_name = "A,B,…", value_delimiter = ',', conflicts_with = "open")]
    options: Vec<String>,
    /// Accept any answer, even to a yes-or-no question
    #[arg(long)]
    open: bool,
    #[command(flatten)]
    bounds: Bounds,
    #[command(flatten)]
    terms: Terms,
}

pub(crate) struct Wish {
    pub(crate) kind: Kind,
    pub(crate) question: String,
    pub(crate) gate: bool,
    pub(crate) always_debate: bool,
    pub(crate) named: bool,
    /// The debate to start from, with its options.
    pub(crate) from: Option<(Earlier, Vec<String>)>,
    pub(crate) understood: Option<String>,
}

impl Asking {
    pub(crate) fn terms(&self) -> &Terms {
        &self.terms
    }

    /// Sets what the flags say.
    pub(crate) fn set_flags(&self, desk: &mut Desk) -> Result<(), CommandError> {
        self.bounds.set_flags(desk, "cross")?;
        self.terms.set_flags(desk)?;
        let partners = (!self.partners.is_empty()).then(|| {
            let seats = self.partners.iter().map(|seat| Value::String(seat.trim().to_owned()));
            Value::Array(seats.collect())
        });
        desk.set_flags([
            ("cross.partners", partners, "--partners"),
            ("cross.moderator", self.moderator.clone().map(Value::String), "--moderator"),
        ])
    }

    /// The first flag that contradicts an earlier debate.
    pub(crate) fn names_what_was_decided(&self) -> Option<&'static str> {
        let named =
            [(!self.partners.is_empty(), "--partners"), (!self.options.is_empty(), "--options"), (self.open, "--open")];
        named.into_iter().find(|(is_named, _)| *is_named).map(|(_, flag)| flag)
    }

    pub(crate) fn names_a_moderator(&self) -> bool {
        self.moderator.is_some()
    }

    /// Plans the debate.
    pub(crate) fn prepare(&self, desk: &Desk, wish: Wish) -> Result<Prepared, CommandError> {
        let Wish { kind, question, gate, always_debate, named, from, understood } = wish;
        let clock = Clock::start();
        let mut notes = Vec::new();
        let (from, options) = match from {
            Some((from, options)) => (Some(from), options),
            None => (None, self.closed(&question, &mut notes)?),
        };
        let snapshot = self.terms.survey(desk);
        let terms = self.terms.on(desk, "cross", &snapshot, notes)?;
        let context = self.bounds.context.clone();
        let request = CrossRequest { kind, question, gate, always_debate, named, options, from, context, terms };
        let settings = desk.layers.settings();
        let id = running::no_id_yet(&clock);
        let plan = plan_cross(request, settings, &desk.providers, &desk.place, id, chance::draw())?;
        Ok(Ready { plan, snapshot, manner: Box::new(Crossed), understood }.into_prepared())
    }

    /// The options of a closed question: those given, or yes and no if it asks for that.
    fn closed(&self, question: &str, notes: &mut Vec<String>) -> Result<Vec<String>, CommandError> {
        if !self.options.is_empty() {
            let list = self.options.join(",");
            return options::read_list(&list).map_err(|error| CommandError::usage(format!("--options: {error}")));
        }
        if self.open || !options::asks_yes_or_no(question) {
            return Ok(Vec::new());
        }
        notes.push("this is a yes-or-no question, so answers are counted; use --open to accept any answer".to_owned());
        Ok(vec!["yes".to_owned(), "no".to_owned()])
    }
}

/// Reads the question and the request around it.
pub(crate) fn read_question(desk: &mut Desk, words: &[OsString], kind: Kind) -> Result<Request, CommandError> {
    let text = read_topic(&desk.screen, words, "question", kind.as_str())?;
    let request = wording::read(&text, Some(kind.as_str()), &Providers::names());
    if kind == Kind::Ask && request.rounds.is_some() {
        return Err(CommandError::usage("`rebut ask` has no rounds").hint("use `rebut cross` for several rounds"));
    }
    let partners = request.seats.iter().cloned().map(Value::String).collect::<Vec<_>>();
    let words = [
        ("cross.partners", (!partners.is_empty()).then_some(Value::Array(partners))),
        ("cross.moderator", request.judge.clone().map(Value::String)),
        ("cross.rounds", request.rounds.map(|rounds| Value::Integer(rounds.into()))),
        ("cross.effort", request.effort.map(|effort| Value::String(effort.as_str().to_owned()))),
    ];
    desk.set_flags(words.map(|(key, value)| (key, value, "the question's wording")))?;
    Ok(request)
}

pub(crate) fn resumed(_said: &Said, _plan: &Plan) -> Box<dyn Manner> {
    Box::new(Crossed)
}

struct Crossed;

impl Manner for Crossed {
    fn transport(&self, settings: &Settings) -> Transport {
        settings.cross.transport
    }
}
