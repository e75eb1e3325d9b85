//! What `ask` and `cross` have in common: their flags, and the way from a question to a debate that runs.

use std::ffi::OsString;

use clap::Args;
use rebut_core::debate::Plan;
use rebut_core::formats::cross::{Kind, ROUNDS, options, wording};
use rebut_engine::chance;
use rebut_engine::clock::Clock;
use rebut_engine::config::Settings;
use rebut_engine::planning::{CrossRequest, Earlier, PlanError, plan_cross};
use rebut_engine::providers::seating::SeatingError;
use rebut_engine::providers::{Providers, Transport};
use toml::Value;

use crate::asked::Asked;
use crate::commands::Said;
use crate::desk::Desk;
use crate::error::{CommandError, Exit};
use crate::running::{self, Manner};
use crate::terms::{Bounds, Terms, read_stdin, topic_of};

/// Flags that both commands have.
#[derive(Debug, Args)]
pub(crate) struct Asking {
    /// Who answers: 2 to 8 of `tool` or `tool:model`, or only how many [default: 2, of different vendors]
    #[arg(long, value_name = "A,B,…", value_delimiter = ',')]
    partners: Vec<String>,
    /// Who compares and sums up, without a position of its own: `tool` or `tool:model` [default: of a vendor that takes no part]
    #[arg(long, value_name = "SEAT")]
    moderator: Option<String>,
    /// The answers that can be given: they are typed and counted [default: yes,no where the question asks for it]
    #[arg(long, value_name = "A,B,…", conflicts_with = "open")]
    options: Option<String>,
    /// Take any answer, though the question reads like one for yes or no
    #[arg(long)]
    open: bool,
    #[command(flatten)]
    bounds: Bounds,
    #[command(flatten)]
    terms: Terms,
}

/// What a command asks for beside the flags that both have.
pub(crate) struct Wish {
    pub(crate) kind: Kind,
    pub(crate) question: String,
    pub(crate) gate: bool,
    pub(crate) always_debate: bool,
    pub(crate) named: bool,
    /// The debate to go on from, with its options.
    pub(crate) from: Option<(Earlier, Vec<String>)>,
}

impl Asking {
    /// What is asked of the debate with this question.
    pub(crate) fn asked(&self, question: &[OsString]) -> Asked {
        let seats = self.partners.iter().chain(&self.moderator);
        Asked::of(!question.is_empty(), &self.terms).seats(seats).context(&self.bounds.context)
    }

    /// Sets what the flags say.
    pub(crate) fn set_flags(&self, desk: &mut Desk) -> Result<(), CommandError> {
        self.bounds.set_flags(desk, "cross")?;
        self.terms.set_flags(desk)?;
        let partners = (!self.partners.is_empty()).then(|| {
            let seats = self.partners.iter().map(|seat| Value::String(seat.trim().to_owned()));
            Value::Array(seats.collect())
        });
        for (key, value, flag) in [
            ("cross.partners", partners, "--partners"),
            ("cross.moderator", self.moderator.clone().map(Value::String), "--moderator"),
        ] {
            if let Some(value) = value {
                desk.layers.set_flag(key, value, flag)?;
            }
        }
        Ok(())
    }

    /// Whether anything was named that an earlier debate has decided.
    pub(crate) fn names_what_was_decided(&self) -> Option<&'static str> {
        let named =
            [(!self.partners.is_empty(), "--partners"), (self.options.is_some(), "--options"), (self.open, "--open")];
        named.into_iter().find(|(is_named, _)| *is_named).map(|(_, flag)| flag)
    }

    /// Whether the person named a moderator.
    pub(crate) fn names_a_moderator(&self) -> bool {
        self.moderator.is_some()
    }

    /// Plans it and holds it.
    pub(crate) fn hold(self, desk: &Desk, wish: Wish) -> Result<Exit, CommandError> {
        let Wish { kind, question, gate, always_debate, named, from } = wish;
        let clock = Clock::start();
        let mut notes = Vec::new();
        let (from, options) = match from {
            Some((from, options)) => (Some(from), options),
            None => (None, self.closed(&question, &mut notes)?),
        };
        let grounds = self.terms.survey(desk);
        let terms = self.terms.on(desk, "cross", &grounds, notes)?;
        let request =
            CrossRequest { kind, question, gate, always_debate, named, options, from, context: self.bounds.context, terms };
        let settings = desk.layers.settings();
        let id = running::no_id_yet(&clock);
        let plan = plan_cross(request, settings, &desk.providers, &desk.place, id, chance::draw())
            .map_err(|error| nobody_hint(error, kind))?;
        running::hold(desk, plan, grounds, &self.terms, &Crossed)
    }

    /// The options of a closed question: those that are named, or yes and no where it asks for that.
    fn closed(&self, question: &str, notes: &mut Vec<String>) -> Result<Vec<String>, CommandError> {
        if let Some(list) = &self.options {
            return options::read_list(list).map_err(|error| CommandError::usage(format!("--options: {error}")));
        }
        if self.open || !options::asks_yes_or_no(question) {
            return Ok(Vec::new());
        }
        notes.push(
            "the question is read as one for yes or no, so that answers are counted; --open takes any answer".to_owned(),
        );
        Ok(vec!["yes".to_owned(), "no".to_owned()])
    }
}

/// The error of a plan. Where nobody can take a seat, the example is one of this command.
fn nobody_hint(error: PlanError, kind: Kind) -> CommandError {
    let is_nobody = matches!(error, PlanError::Seating(SeatingError::Nobody));
    let error = CommandError::from(error);
    if !is_nobody {
        return error;
    }
    let command = kind.as_str();
    error.with_last_hint(format!(
        "or see how it goes without one: rebut {command} \"…\" --partners script:FILE#a,script:FILE#b"
    ))
}

/// A text that is not printed whole.
fn shortened(text: &str) -> String {
    const LONGEST: usize = 160;
    if text.chars().count() <= LONGEST {
        text.to_owned()
    } else {
        text.chars().take(LONGEST).chain(" …".chars()).collect()
    }
}

/// The question, and what was said around it.
pub(crate) fn read_question(desk: &mut Desk, words: &[OsString], kind: Kind) -> Result<String, CommandError> {
    let text = topic_of(words, "question")?;
    if text == "-" {
        return read_stdin("question");
    }
    let asked = if text.trim().is_empty() {
        crate::terminal::ask_line(&desk.screen, "What shall be asked?").filter(|line| !line.is_empty())
    } else {
        Some(text)
    };
    let command = kind.as_str();
    let text = asked.ok_or_else(|| {
        CommandError::usage("there is no question")
            .hint(format!("rebut {command} \"Should we …?\", or `-` to read it from standard input"))
    })?;
    let said = wording::read(&text, &Providers::names()).map_err(|error| CommandError::usage(error.to_string()))?;
    let partners =
        (!said.partners.is_empty()).then(|| Value::Array(said.partners.iter().cloned().map(Value::String).collect()));
    let rounds = said.rounds.filter(|_| kind == Kind::Cross);
    for (key, value) in [
        ("cross.partners", partners),
        ("cross.rounds", rounds.map(|rounds| Value::Integer(rounds.into()))),
        ("cross.effort", said.effort.map(|effort| Value::String(effort.as_str().to_owned()))),
    ] {
        if let Some(value) = value {
            desk.layers.set_flag(key, value, "the question's wording")?;
        }
    }
    if !said.understood.is_empty() {
        desk.screen.note(&format!("understood: {}; question: {}", said.understood.join(", "), shortened(&said.question)));
    }
    if kind == Kind::Ask && said.rounds.is_some() {
        desk.screen.note("an ask has no rounds; `rebut cross` has");
    }
    Ok(said.question)
}

/// Whether the number is in its range is the settings' to say, as for every level.
pub(crate) fn rounds(text: &str) -> Result<i64, String> {
    text.parse().map_err(|_| format!("it takes a whole number from {} to {}", ROUNDS.start(), ROUNDS.end()))
}

/// How an ask or a cross that is resumed is gone on with.
pub(crate) fn resumed(_said: &Said, _plan: &Plan) -> Box<dyn Manner> {
    Box::new(Crossed)
}

struct Crossed;

impl Manner for Crossed {
    fn transport(&self, settings: &Settings) -> Transport {
        settings.cross.transport
    }
}
