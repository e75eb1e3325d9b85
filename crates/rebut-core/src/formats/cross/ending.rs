//! How an ask or a cross ends, and the lines that say so.

use super::procedure::Early;
use super::{Kind, Partner, absences, again_key, answer_key, given, last_round, moderator, name, partners, present, setup};
use crate::debate::{Cause, Debate, Failure, Outcome, Status, StepKey};

/// The endings that need no moderator: no answer, or only one.
pub(super) fn without_synthesis(debate: &Debate) -> Option<Outcome> {
    let answered: Vec<Partner> = partners(debate.plan()).filter(|partner| given(debate, 0, *partner).is_some()).collect();
    match answered.as_slice() {
        [] => {
            let mut lines = missing(debate);
            lines.push("Debate failed: no partner answered the question.".to_owned());
            Some(Outcome::without_verdict(Status::Failed, lines))
        }
        [only] => {
            let mut lines = missing(debate);
            let name = name(debate.plan(), *only);
            lines.push(format!("Only {name} answered: there is nothing to compare."));
            lines.push(format!("Ask the others again: rebut resume {}", debate.plan().id.short()));
            Some(Outcome::without_verdict(Status::Uncontested, lines))
        }
        _ => None,
    }
}

/// The end of a debate whose moderator has spoken.
pub(super) fn summed_up(debate: &Debate, early: Option<&Early>, verdict: StepKey) -> Outcome {
    let mut lines: Vec<String> = missing(debate);
    lines.extend(alone(debate));
    let complete = lines.is_empty();
    lines.extend(debate.budget_line().filter(|_| !complete));
    lines.extend(early.map(Early::words));
    let status = if complete { Status::Completed } else { Status::Partial };
    Outcome { status, lines, verdict: Some(verdict), decision: None }
}

/// The end of a debate whose moderator failed.
pub(super) fn not_summed_up(debate: &Debate, early: Option<&Early>, failure: &Failure) -> Outcome {
    let plan = debate.plan();
    let what = setup(plan).map_or(Kind::Cross, |setup| setup.kind).document();
    let tool = plan.tool(&moderator());
    let mut lines = missing(debate);
    lines.extend(alone(debate));
    lines.extend(early.map(Early::words));
    lines.push(format!("No {what}: the moderator ({tool}) {}", failure.sentence()));
    let id = plan.id.short();
    lines.push(match debate.budget_spent().filter(|_| failure.cause == Cause::Budget) {
        Some(limit) => format!("All answers are saved. Resume with a larger budget: rebut resume {id} {} N", limit.flag()),
        None => format!("All answers are saved. Use another moderator: rebut resume {id} --moderator X"),
    });
    Outcome::without_verdict(Status::Partial, lines)
}

/// Why a partner is absent from a round, as the rest of a sentence.
pub(super) fn why_absent(debate: &Debate, round: u32, partner: Partner) -> String {
    let failed = [again_key(round, partner), answer_key(round, partner)].iter().find_map(|key| debate.failed(key)).cloned();
    let broken = debate.call(&again_key(round, partner)).and_then(|call| call.rejected.last());
    match failed {
        Some(failure) => match broken {
            Some(broken) => format!("{failure}, then returned an invalid answer ({}).", broken.rejection.words()),
            None => failure.sentence(),
        },
        None if debate.budget_spent().is_some() => "was not asked: the budget was used up.".to_owned(),
        None if gone(debate, round, partner).is_some() => "was not asked again.".to_owned(),
        None => "gave no answer.".to_owned(),
    }
}

/// The failure of an earlier round after which a partner is not asked again: it would fail in the same way.
pub(super) fn gone(debate: &Debate, round: u32, partner: Partner) -> Option<&Failure> {
    let failures = (0..round).filter_map(|round| debate.failed(&answer_key(round, partner)));
    failures.into_iter().find(|failure| matches!(failure.cause, Cause::NotInstalled | Cause::Auth | Cause::UnknownModel))
}

/// All who are missing from a round, by name.
fn missing(debate: &Debate) -> Vec<String> {
    let line = |(round, partner, why): (u32, Partner, String)| {
        let round = if round == 0 { "the first answers".to_owned() } else { format!("round {round}") };
        format!("{} is absent from {round}: it {why}", name(debate.plan(), partner))
    };
    absences(debate).into_iter().map(line).collect()
}

/// Where only one was left in the end.
fn alone(debate: &Debate) -> Option<String> {
    let last = last_round(debate).filter(|last| *last > 0)?;
    let present = present(debate);
    match present.partners.as_slice() {
        _ if present.round < last => Some(format!("No partner answered round {last}: the earlier answers are final.")),
        [only] => {
            let name = name(debate.plan(), *only);
            Some(format!("Only {name} answered round {last}, so the debate ends there."))
        }
        _ => None,
    }
}
