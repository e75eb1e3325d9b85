//! `rebut ask` and `rebut cross`

use std::collections::BTreeMap;
use std::ffi::OsString;

use clap::Args;
use rebut_core::debate::{Debate, DebateId, SeatPlan};
use rebut_core::formats::cross::{Kind, Opened, Opening, given, moderator, options, partners, setup};
use rebut_core::formats::wording::{self, Request};
use rebut_engine::planning::{CrossRequest, Earlier, plan_cross};
use rebut_engine::session::Start;
use rebut_engine::store::{Listed, State};
use toml::Value;

use crate::app::App;
use crate::commands::Finish;
use crate::error::CommandError;
use crate::flags::{DebateFlags, LimitFlags, read_topic, whole_number};
use crate::start::{Ready, StartsDebate, understood};

/// Ask several tools one question and compare their answers
#[derive(Debug, Args)]
#[command(after_long_help = ASK_EXAMPLES)]
pub(crate) struct Ask {
    /// The question, or `-` to read it from standard input
    #[arg(value_name = "QUESTION")]
    question: Vec<OsString>,
    #[command(flatten)]
    flags: AskFlags,
}

const ASK_EXAMPLES: &str = "\
Examples:
  rebut ask \"How should we version our API?\" --partners claude,codex,gemini
  rebut ask \"Should we ship on Friday?\" --options yes,no,after-the-audit
  git diff | rebut ask - --partners 3
  rebut cross --from last       have the partners critique each other's answers

Exit codes: 0 complete, 1 no answer, 2 usage, 3 an answer or the comparison is missing,
130 cancelled";

impl StartsDebate for Ask {
    fn flags(&self) -> &DebateFlags {
        &self.flags.flags
    }

    fn prepare(&self, app: &mut App) -> Result<Ready, CommandError> {
        let words = read_question(app, &self.question, Kind::Ask)?;
        let understood = understood(&words);
        let request = CrossRequest { kind: Kind::Ask, question: words.topic, ..CrossRequest::default() };
        Ok(Ready { understood, ..self.flags.prepare(app, request)? })
    }
}

/// The flags that `ask` and `cross` share.
#[derive(Debug, Args)]
pub(crate) struct AskFlags {
    /// Who answers: 2–8 seats (`tool` or `tool:model`), or just how many [default: 2, from different vendors]
    #[arg(long, value_name = "A,B,…", value_delimiter = ',')]
    partners: Vec<String>,
    /// Who compares the answers: `tool` or `tool:model` [default: from a vendor that isn't answering]
    #[arg(long, value_name = "SEAT")]
    moderator: Option<String>,
    /// Answers to choose from [default: any answer; those that are yes or no are counted]
    #[arg(long, value_name = "A,B,…", value_delimiter = ',')]
    options: Vec<String>,
    #[command(flatten)]
    limits: LimitFlags,
    #[command(flatten)]
    flags: DebateFlags,
}

impl AskFlags {
    fn prepare(&self, app: &mut App, wanted: CrossRequest) -> Result<Ready, CommandError> {
        self.limits.set_flags(app, "cross")?;
        self.flags.set_flags(app)?;
        let partners = (!self.partners.is_empty()).then(|| {
            let seats = self.partners.iter().map(|seat| Value::String(seat.trim().to_owned()));
            Value::Array(seats.collect())
        });
        app.set_flags([
            ("cross.partners", partners, "--partners"),
            ("cross.moderator", self.moderator.clone().map(Value::String), "--moderator"),
        ])?;
        let options = if self.options.is_empty() {
            wanted.options
        } else {
            let read = options::read_list(&self.options.join(","));
            read.map_err(|error| CommandError::usage(format!("--options: {error}")))?
        };
        let snapshot = self.flags.snapshot(app);
        let common = self.flags.common(app, "cross", &snapshot)?;
        let request = CrossRequest { options, context: self.limits.context.clone(), common, ..wanted };
        let plan = plan_cross(request, app.planner(&app.place))?;
        Ok(Ready { start: Start { plan, snapshot, documents: None }, finish: Finish::Show, understood: None })
    }
}

pub(crate) fn read_question(app: &mut App, words: &[OsString], kind: Kind) -> Result<Request, CommandError> {
    let text = read_topic(&app.screen, words, "question", kind.as_str())?;
    let request = wording::read(&text, Some(kind.as_str()), &app.providers.known_names());
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
    app.set_flags(words.map(|(key, value)| (key, value, "the question's wording")))?;
    Ok(request)
}

/// Ask several tools one question and have them critique each other's answers
#[derive(Debug, Args)]
#[command(after_long_help = CROSS_EXAMPLES)]
pub(crate) struct Cross {
    /// The question, or `-` to read it from standard input
    ///
    /// Requests in words are understood: "claude, codex and gemini: should we ship? for 3 rounds".
    #[arg(value_name = "QUESTION", conflicts_with = "from")]
    question: Vec<OsString>,
    /// Rounds of critique (0–10) [default: 1]
    #[arg(long, value_name = "N", allow_negative_numbers = true, value_parser = whole_number)]
    rounds: Option<i64>,
    /// Start from the answers of an earlier `ask` or `cross`: any unique part of its id, or `last`
    ///
    /// `last` is the last ask with at least two answers. Question, partners, options, moderator and material come from
    /// that debate; --moderator replaces its moderator, --context adds material.
    #[arg(long, value_name = "ID")]
    from: Option<String>,
    /// Stop after the opening answers if all agree
    #[arg(long, conflicts_with = "always_debate")]
    gate: bool,
    /// Run every round, even if no position changes
    #[arg(long)]
    always_debate: bool,
    /// Show partners each other's names
    #[arg(long)]
    named: bool,
    #[command(flatten)]
    flags: AskFlags,
}

const CROSS_EXAMPLES: &str = "\
Examples:
  rebut cross \"Should we replace our REST gateway with gRPC?\" --rounds 2
  rebut cross \"claude, codex and gemini: which database fits us? for 3 rounds\"
  rebut cross \"Which one?\" --options postgres,sqlite,duckdb --always-debate
  rebut ask \"How should we version our API?\" && rebut cross --from last

A debate ends early if no position changes in two rounds (unless --always-debate is given), and
with --gate if all opening answers agree.

Exit codes: 0 complete, 1 no answer, 2 usage, 3 an answer or the synthesis is missing,
130 cancelled";

impl StartsDebate for Cross {
    fn flags(&self) -> &DebateFlags {
        &self.flags.flags
    }

    fn prepare(&self, app: &mut App) -> Result<Ready, CommandError> {
        let (mut request, understood) = match &self.from {
            None => {
                let words = read_question(app, &self.question, Kind::Cross)?;
                let understood = understood(&words);
                (CrossRequest { question: words.topic, ..CrossRequest::default() }, understood)
            }
            Some(id) => {
                let decided = [(&self.flags.partners, "--partners"), (&self.flags.options, "--options")];
                if let Some((_, flag)) = decided.into_iter().find(|(given, _)| !given.is_empty()) {
                    let error =
                        format!("{flag} can't be combined with --from, which keeps that debate's partners and options");
                    return Err(CommandError::usage(error).hint(format!("leave out {flag} or --from")));
                }
                let mut request = earlier(app, id)?;
                if let Some(from) = &mut request.from
                    && self.flags.moderator.is_some()
                {
                    from.moderator = None;
                }
                (request, None)
            }
        };
        if let Some(rounds) = self.rounds {
            app.layers.set_flag("cross.rounds", Value::Integer(rounds), "--rounds")?;
        }
        let Self { gate, always_debate, named, .. } = *self;
        request = CrossRequest { kind: Kind::Cross, gate, always_debate, named, ..request };
        Ok(Ready { understood, ..self.flags.prepare(app, request)? })
    }
}

/// A request with question, answers and options of an earlier debate.
fn earlier(app: &App, id: &str) -> Result<CrossRequest, CommandError> {
    let id = if id == "last" { last_ask(app)? } else { app.find(id)? };
    if app.wait(app.store.is_claimed(&id))? {
        return Err(CommandError::usage(format!("{} is still running", id.short()))
            .hint(format!("wait for its answers, or stop it with: rebut cancel {}", id.short())));
    }
    let debate = app.read(id.as_str())?;
    let plan = debate.plan();
    let Some(setup) = setup(plan) else {
        let what = format!("{} is a {}, which has no answers to start from", plan.id.short(), plan.format);
        return Err(CommandError::usage(what).hint("--from takes an ask or a cross; find one with `rebut list --kind ask`"));
    };
    let opening = Opening { debate: plan.id.clone(), answers: answers(&debate) };
    if opening.answers.len() < 2 {
        let count = opening.answers.len();
        return Err(CommandError::usage(format!("{} has too few answers ({count}); a cross needs two", plan.id.short()))
            .hint(format!("ask the others again with: rebut resume {}", plan.id.short())));
    }
    let earlier = Earlier {
        opening,
        partners: partners(plan).filter_map(|partner| plan.seat(&partner.seat())).map(SeatPlan::spec).collect(),
        moderator: plan.seat(&moderator()).map(SeatPlan::spec),
        workspace: plan.workspace.clone().into(),
        context: plan.context.clone(),
    };
    let (question, options) = (plan.topic.clone(), setup.options.clone());
    Ok(CrossRequest { question, options, from: Some(earlier), ..CrossRequest::default() })
}

/// The last ask to start from: one that is running, or has at least two answers.
fn last_ask(app: &App) -> Result<DebateId, CommandError> {
    let mut without_answers = false;
    let is_ask =
        |debate: &Listed| app.is_here(debate) && debate.summary.as_ref().is_some_and(|summary| summary.format == "ask");
    for listed in app.wait(app.store.list())?.into_iter().rev().filter(is_ask) {
        let has_answers = || app.read(listed.id.as_str()).is_ok_and(|debate| answers(&debate).len() > 1);
        if listed.state == State::Running || has_answers() {
            return Ok(listed.id);
        }
        without_answers = true;
    }
    let why = if without_answers { "no ask has two answers to start from" } else { "no ask to start from" };
    Err(CommandError::usage(why).hint("rebut ask \"…\" --partners claude,codex"))
}

fn answers(debate: &Debate) -> BTreeMap<rebut_core::debate::SeatName, Opened> {
    let all = partners(debate.plan()).filter_map(|partner| given(debate, 0, partner));
    all.map(|given| (given.partner.seat(), given.opened())).collect()
}
