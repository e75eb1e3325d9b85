//! `rebut cross`

use std::collections::BTreeMap;
use std::ffi::OsString;

use clap::Args;
use rebut_core::debate::{Debate, DebateId, SeatPlan};
use rebut_core::formats::cross::{Kind, Opened, Opening, given, moderator, partners, setup};
use rebut_engine::planning::Earlier;
use rebut_engine::store::{Listed, State, Store};
use toml::Value;

use crate::asked::Asked;
use crate::asking::{Asking, Wish, read_question, rounds};
use crate::desk::Desk;
use crate::error::{CommandError, Exit};
use crate::running::runtime;

/// Several tools answer one question, critique each other's answers in rounds, and converge
#[derive(Debug, Args)]
#[command(after_long_help = EXAMPLES)]
pub(crate) struct Cross {
    /// What is asked, or `-` to read it from standard input
    ///
    /// Wishes are understood: "debate this for 3 rounds: should we ship?", "ask claude, codex and gemini: …".
    #[arg(value_name = "QUESTION", conflicts_with = "from")]
    question: Vec<OsString>,
    /// How many rounds of critique, 0 to 10 [default: 1]
    #[arg(long, value_name = "N", allow_negative_numbers = true, value_parser = rounds)]
    rounds: Option<i64>,
    /// Go on from the opening answers of an earlier debate: any unique part of the id of an `ask` or a `cross`, or `last`
    ///
    /// `last` is the last ask with at least two answers. Question, partners, options, moderator and attached material are
    /// those of that debate; --moderator names another one, --context adds to the material.
    #[arg(long, value_name = "ID")]
    from: Option<String>,
    /// Stop after round 0 if all give the same option there
    #[arg(long, conflicts_with = "always_debate")]
    gate: bool,
    /// Run every round, even if nobody moves
    #[arg(long)]
    always_debate: bool,
    /// Show partners each other's names
    #[arg(long)]
    named: bool,
    #[command(flatten)]
    asking: Asking,
}

const EXAMPLES: &str = "\
Examples:
  rebut cross \"Should we replace our REST gateway with gRPC?\" --rounds 2
  rebut cross \"debate this for 3 rounds: which database fits us?\" --partners claude,codex,gemini
  rebut cross \"Which one?\" --options postgres,sqlite,duckdb --always-debate
  rebut ask \"How should we version our API?\" && rebut cross --from last

A debate ends early if nobody moves in two rounds (unless --always-debate is given), and with --gate
if all give the same option in round 0.

Exit codes: 0 every voice was heard to the end and summed up, 1 nobody answered, 2 usage, 3 a voice
or the synthesis is missing, 130 cancelled";

impl Cross {
    pub(crate) fn asked(&self) -> Asked {
        self.asking.asked(&self.question)
    }

    pub(crate) fn run(self, mut desk: Desk) -> Result<Exit, CommandError> {
        let (question, from) = match &self.from {
            None => (read_question(&mut desk, &self.question, Kind::Cross)?, None),
            Some(id) => {
                if let Some(flag) = self.asking.names_what_was_decided() {
                    let error = CommandError::usage(format!(
                        "--from goes on with the partners and options of that debate, and {flag} names others"
                    ));
                    return Err(error.hint(format!("leave {flag} out, or ask anew without --from")));
                }
                let (topic, mut earlier, options) = earlier(&desk, id)?;
                if self.asking.names_a_moderator() {
                    earlier.moderator = None;
                }
                (topic, Some((earlier, options)))
            }
        };
        self.asking.set_flags(&mut desk)?;
        if let Some(rounds) = self.rounds {
            desk.layers.set_flag("cross.rounds", Value::Integer(rounds), "--rounds")?;
        }
        let Self { gate, always_debate, named, .. } = self;
        let wish = Wish { kind: Kind::Cross, question, gate, always_debate, named, from };
        self.asking.hold(&desk, wish)
    }
}

/// The question of an earlier debate, its answers and its options.
fn earlier(desk: &Desk, id: &str) -> Result<(String, Earlier, Vec<String>), CommandError> {
    let runtime = runtime()?;
    let id = if id == "last" { last_ask(desk)? } else { runtime.block_on(desk.store.find(id))? };
    if runtime.block_on(desk.store.is_claimed(&id))? {
        return Err(CommandError::usage(format!("{id} is still running, and not all of its answers are in"))
            .hint(format!("wait until it has ended, or stop it with: rebut cancel {id}")));
    }
    let debate = desk.read(id.as_str())?;
    let plan = debate.plan();
    let Some(setup) = setup(plan) else {
        return Err(CommandError::usage(format!("{} is a {}, and has no answers to go on from", plan.id, plan.format))
            .hint("--from takes an ask or a cross: `rebut list` shows every debate"));
    };
    let opening = Opening { debate: plan.id.clone(), answers: answers(&debate) };
    if opening.answers.len() < 2 {
        let count = opening.answers.len();
        return Err(CommandError::usage(format!(
            "{} has {count} answers, and at least two are needed to cross them",
            plan.id
        ))
        .hint(format!("ask the others again with: rebut resume {}", plan.id)));
    }
    let earlier = Earlier {
        opening,
        partners: partners(plan).filter_map(|partner| plan.seat(&partner.seat())).map(SeatPlan::spec).collect(),
        moderator: plan.seat(&moderator()).map(SeatPlan::spec),
        workspace: plan.workspace.clone().into(),
        context: plan.context.clone(),
    };
    Ok((plan.topic.clone(), earlier, setup.options.clone()))
}

/// The last ask that can be gone on from: one that is running, or one with at least two answers.
fn last_ask(desk: &Desk) -> Result<DebateId, CommandError> {
    let mut without_answers = false;
    let is_ask = |debate: &Listed| debate.summary.as_ref().is_some_and(|summary| summary.format == "ask");
    for listed in runtime()?.block_on(desk.store.list())?.into_iter().rev().filter(is_ask) {
        let has_answers = || desk.read(listed.id.as_str()).is_ok_and(|debate| answers(&debate).len() > 1);
        if listed.state == State::Running || has_answers() {
            return Ok(listed.id);
        }
        without_answers = true;
    }
    let why = if without_answers { "no ask has two answers to go on from" } else { "there is no ask to go on from" };
    Err(CommandError::usage(why).hint("rebut ask \"…\" --partners claude,codex"))
}

fn answers(debate: &Debate) -> BTreeMap<rebut_core::debate::SeatName, Opened> {
    let all = partners(debate.plan()).filter_map(|partner| given(debate, 0, partner));
    all.map(|given| (given.partner.seat(), given.opened())).collect()
}
