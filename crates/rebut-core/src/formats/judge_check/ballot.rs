//! What a judge is asked about a known case: just what the judge of a duel is asked. A duel of one round is folded in which
//! the statements are those of the case, and the call for its verdict is taken. So there is no second judge's prompt.

use std::collections::BTreeMap;

use jiff::Timestamp;
use serde_json::json;

use crate::debate::{
    Action, Answer, Budget, Call, Chance, Debate, Event, EvidenceRules, Format, Happening, Payload, Phase, Plan, Procedure,
    Rejection, RunOn, Scope, SeatPlan, Shape, Share, Step, StepKey,
};
use crate::evidence::Subject;
use crate::evidence::check::{CheckResult, Checked, Cited};
use crate::formats::begin;
use crate::formats::duel::{Duel, DuelSetup, Role, Side, chosen};
use crate::judge_check::{Case, Kind, Label, Order, ShownCase, ShownSide, Variant};

/// The call for the verdict of a duel that stands just before it.
pub(super) struct Ballot {
    pub(super) duel: Debate,
    pub(super) key: StepKey,
    pub(super) call: Call,
}

/// A step of a duel is at most this many away from the verdict.
const MOST_STEPS: usize = 20;

impl Ballot {
    /// The ballot on a case; none if the duel's prompts cannot be rendered.
    pub(super) fn on(plan: &Plan, judge: &SeatPlan, at: Timestamp, key: &StepKey, shown: &ShownCase) -> Option<Self> {
        let plan = duel_plan(plan, judge, key, &shown.question);
        let mut duel = begin(Event { at, happening: Happening::Planned { plan: Box::new(plan) } }).ok()?;
        for _ in 0..MOST_STEPS {
            for Step { key, action } in Duel.next(&duel) {
                match action {
                    Action::Ask(call) if call.seat == Duel.judge() => return Some(Self { duel, key, call: *call }),
                    action => say(&mut duel, at, key, action, shown)?,
                }
            }
        }
        None
    }

    /// The side that an answer names, or why it is not acceptable.
    pub(super) fn chosen(&self, text: &str) -> Result<Option<Label>, Rejection> {
        let content = Duel.accept(&self.duel, &self.key, &self.call, text)?;
        Ok(chosen(&content).map(|winner| match winner {
            Side::Proposer => Label::A,
            Side::Challenger => Label::B,
        }))
    }
}

/// What tells this version of the judge's prompt and of its answer's form from others, for a judge on this seat.
pub fn prompt_hash(plan: &Plan, judge: &SeatPlan) -> Option<String> {
    let case = Case {
        id: String::new(),
        kind: Kind::Own,
        question: "Which?".to_owned(),
        a: "One.".to_owned(),
        b: "Other.".to_owned(),
        better: Label::A,
        why_known: String::new(),
    };
    let plan = Plan { chance: Chance::from_nonce("prompt"), ..plan.clone() };
    let shown = case.shown(Variant::FalseCitation, Order::AsWritten);
    let Call { prompt, shape, .. } = Ballot::on(&plan, judge, Timestamp::UNIX_EPOCH, &StepKey::new("prompt"), &shown)?.call;
    let schema = match shape {
        Shape::Json { schema, .. } => schema.to_string(),
        Shape::Prose => String::new(),
    };
    Some(blake3::hash(format!("{}\n{}\n{schema}", prompt.system, prompt.user).as_bytes()).to_hex().to_string())
}

/// The duel in which a judge of this plan would read the case.
fn duel_plan(plan: &Plan, judge: &SeatPlan, key: &StepKey, question: &str) -> Plan {
    let debater = SeatPlan {
        // No word that a case could contain: the names of tools are hidden from a judge.
        tool: "known-case".to_owned(),
        model: None,
        family: "known-case".to_owned(),
        data_goes_to: String::new(),
        reads_workspace: false,
        context_tokens: None,
        price: None,
        enforces_schema: false,
        transport: String::new(),
    };
    let scope = Scope::Nothing { why: "a known case has no workspace".to_owned() };
    let evidence = EvidenceRules { scope, commands: None, run_on: RunOn::default(), fetch_sources: false };
    Plan {
        version: plan.version,
        id: plan.id.clone(),
        parent: None,
        topic: question.to_owned(),
        format: "duel".to_owned(),
        setup: Payload::of(DuelSetup { rounds: 1 }),
        seats: BTreeMap::from([
            (Role::Proposer.seat(), debater.clone()),
            (Role::Challenger.seat(), debater),
            (Role::Judge.seat(), judge.clone()),
        ]),
        effort: plan.effort,
        timeout_ms: plan.timeout_ms,
        context: Vec::new(),
        workspace: plan.workspace.clone(),
        workspace_readable: false,
        evidence: Some(evidence),
        budget: Budget::default(),
        verdict_share: Share::default(),
        chance: Chance::from_nonce(format!("{}/{key}", plan.chance.nonce())),
        prompts: plan.prompts.clone(),
        judges: BTreeMap::new(),
        notes: Vec::new(),
    }
}

/// Does the next step of the duel, as its debaters and the engine would.
fn say(duel: &mut Debate, at: Timestamp, key: StepKey, action: Action, shown: &ShownCase) -> Option<()> {
    let mut happen = |happening| duel.apply(Event { at, happening }).ok();
    match action {
        Action::Ask(call) => {
            let side = if call.seat == Role::Proposer.seat() { &shown.a } else { &shown.b };
            let text = statement(side);
            let content = Duel.accept(duel, &key, &call, &text).ok()?;
            let Call { seat, prompt, .. } = *call;
            let mut happen = |happening| duel.apply(Event { at, happening }).ok();
            let phase = Phase(String::new());
            let (attempt, limit_ms, reserved_tokens) = (1, 0, 0);
            happen(Happening::Started { key: key.clone(), attempt, seat, phase, prompt, limit_ms, reserved_tokens })?;
            happen(Happening::Answered { key, answer: Answer { text, ..Answer::default() }, content })
        }
        Action::Check(check) => {
            let findings = check.evidence.into_iter().map(|cited| looked_up(cited, shown)).collect();
            happen(Happening::Checked { key, findings, pages: Vec::new() })
        }
        Action::Record(entry) => happen(Happening::Recorded { key, entry }),
        Action::Try(_) | Action::Choose(_) | Action::Cancel | Action::Finish(_) => None,
    }
}

/// The statement of a side, with the block that lists its claim.
fn statement(side: &ShownSide) -> String {
    let evidence = side.cites.map(|(path, lines)| json!({ "file": path, "lines": lines }));
    let claim = json!({ "text": side.claim, "evidence": evidence.into_iter().collect::<Vec<_>>() });
    format!("{}\n\n```json\n{}\n```\n", side.text, json!({ "claims": [claim] }))
}

/// Only the citation of a variant is looked up: it is false. What a case mentions otherwise has no workspace.
fn looked_up(cited: Cited, shown: &ShownCase) -> Checked {
    let mut cites = [&shown.a, &shown.b].into_iter().filter_map(|side| side.cites);
    let is_false = matches!(cited.evidence.subject(), Subject::File { path, .. } if cites.any(|(file, _)| file == path));
    if is_false {
        Checked::of(cited, CheckResult::Missing, "no such file")
    } else {
        Checked::of(cited, CheckResult::Unchecked, "a known case has no workspace")
    }
}
