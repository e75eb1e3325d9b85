//! What the seats of a panel are asked to do, and how an answer is asked for.

use serde_json::Value;

use super::session::{Moment, Pause, Session, Walk};
use super::{Content, Office};
use crate::debate::{Action, Call, CallState, Fund, Payload, Phase, Prompt, SeatName, Shape, Step, StepKey};
use crate::formats::prompts::PromptError;
use crate::named::named;

named! {
    /// What a seat is asked to do: the name of its prompt, and of the schema of its answer.
    pub(super) enum Task: "task" {
        Lineup = "lineup",
        Ready = "ready",
        Turn = "turn",
        Verification = "verification",
        Questions = "questions",
        NaturalEnd = "natural_end",
        Clarification = "clarification",
        Unresolved = "unresolved",
        Judgement = "judgement",
        Conclusion = "conclusion",
        Summary = "summary",
        Blog = "blog",
        Notes = "notes",
        Assessment = "assessment",
    }
}

impl Task {
    /// Its row in the accounts.
    pub(super) fn phase(self, moment: Moment) -> Phase {
        let name = match self {
            Self::Turn => return moment.turns(),
            Self::Lineup | Self::Verification | Self::Judgement => self.as_str(),
            Self::Ready => "readiness",
            Self::NaturalEnd | Self::Clarification | Self::Unresolved => "chair",
            Self::Questions | Self::Conclusion => "audience",
            Self::Summary | Self::Blog | Self::Notes => "documents",
            Self::Assessment => "assessor",
        };
        Phase(name.to_owned())
    }

    /// About how many tokens an answer has.
    pub(super) fn tokens(self) -> u64 {
        match self {
            Self::Ready => 20,
            Self::NaturalEnd => 150,
            Self::Questions | Self::Clarification => 300,
            Self::Unresolved => 400,
            Self::Notes => 500,
            Self::Lineup => 600,
            Self::Verification | Self::Conclusion => 700,
            Self::Turn => 1_500,
            Self::Judgement => 1_800,
            Self::Summary => 2_000,
            Self::Assessment => 2_500,
            Self::Blog => 2_800,
        }
    }

    fn longest_wait_ms(self) -> u64 {
        match self {
            Self::Ready => 90_000,
            Self::Questions => 120_000,
            _ => u64::MAX,
        }
    }

    fn fund(self) -> Fund {
        if self == Self::Judgement { Fund::Verdict } else { Fund::Debate }
    }
}

/// What is asked of a seat, before it becomes a call.
pub(super) struct Request {
    pub(super) seat: SeatName,
    pub(super) task: Task,
    /// What the answer is checked by, beside its schema.
    pub(super) asks: Payload,
    pub(super) prompt: Prompt,
    pub(super) schema: Value,
}

impl<'a> Session<'a> {
    /// The answer of an office; none where it failed, or where the debate went on without it (`closed`). Otherwise the walk
    /// stops, and the office is asked with this schema and these values for the task's prompt.
    pub(super) fn ask(
        &self,
        office: Office,
        task: Task,
        key: &StepKey,
        closed: bool,
        with: impl FnOnce(&Self) -> (Value, minijinja::Value),
    ) -> Walk<Option<&'a Content>> {
        self.answer(task, key, closed, |session| {
            let (schema, values) = with(session);
            let prompt = session.to_office(office, task, values)?;
            Ok(Request { seat: office.seat(), task, asks: Payload::of(()), prompt, schema })
        })
    }

    /// The same for any seat.
    pub(super) fn answer(
        &self,
        task: Task,
        key: &StepKey,
        closed: bool,
        request: impl FnOnce(&Self) -> Result<Request, PromptError>,
    ) -> Walk<Option<&'a Content>> {
        if let Some(content) = self.debate.content(key) {
            return Ok(Some(content));
        }
        if closed {
            return Ok(None);
        }
        match self.debate.call(key).map(|call| &call.state) {
            Some(CallState::Answered(_) | CallState::Failed(_)) => Ok(None),
            Some(CallState::UnderWay { .. }) => Err(Pause::Steps(Vec::new())),
            // What the budget does not pay for any more is not asked for.
            _ if task.fund() == Fund::Debate && self.debate.budget_spent().is_some() => Ok(None),
            Some(CallState::Open) | None => Err(self.asks(key, request(self)?)),
        }
    }

    pub(super) fn asks(&self, key: &StepKey, request: Request) -> Pause {
        let Request { seat, task, asks, prompt, schema } = request;
        let shape = Shape::Json { name: task.as_str(), schema };
        let (phase, fund, output_tokens) = (task.phase(self.moment), task.fund(), task.tokens());
        let limit_ms = task.longest_wait_ms().min(self.debate.plan().timeout_ms);
        let call = Call { seat, phase, asks, prompt, shape, output_tokens, limit_ms, fund };
        Pause::Steps(vec![Step { key: key.clone(), action: Action::Ask(Box::new(call)) }])
    }
}
