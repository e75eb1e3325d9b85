//! What became of a debate under test.

use rebut_core::debate::{BudgetLimit, Debate, Event, Failure, Happening, Outcome, Prompt, Status};

use super::TestDebate;

impl TestDebate {
    /// What the events fold to.
    pub(crate) fn debate(&self) -> &Debate {
        &self.debate
    }

    pub(crate) fn events(&self) -> &[Event] {
        &self.events
    }

    pub(crate) fn outcome(&self) -> &Outcome {
        self.debate.outcome().expect("the debate has ended")
    }

    pub(crate) fn status(&self) -> Status {
        self.outcome().status
    }

    /// What the person is told at the end.
    pub(crate) fn lines(&self) -> Vec<&str> {
        self.outcome().lines.iter().map(String::as_str).collect()
    }

    /// The keys of all calls in the order in which they were handed to seats, each attempt.
    pub(crate) fn asked(&self) -> Vec<&str> {
        self.prompts().map(|(key, _)| key).collect()
    }

    /// Every prompt in the order in which it was handed to a seat.
    pub(crate) fn prompts(&self) -> impl Iterator<Item = (&str, &Prompt)> {
        self.happenings().filter_map(|happening| match happening {
            Happening::Started { key, prompt, .. } => Some((key.as_str(), prompt)),
            _ => None,
        })
    }

    /// The prompt with which a call was last asked.
    pub(crate) fn prompt(&self, key: &str) -> &Prompt {
        let last = self.prompts().filter(|(asked, _)| *asked == key).last();
        last.map_or_else(|| panic!("`{key}` was never asked"), |(_, prompt)| prompt)
    }

    /// The time limit with which a call was last asked, in milliseconds.
    pub(crate) fn limit(&self, key: &str) -> u64 {
        let limits = self.happenings().filter_map(|happening| match happening {
            Happening::Started { key: asked, limit_ms, .. } if asked.as_str() == key => Some(*limit_ms),
            _ => None,
        });
        limits.last().unwrap_or_else(|| panic!("`{key}` was never asked"))
    }

    /// The failure with which a call ended, by the event of it.
    pub(crate) fn failure(&self, key: &str) -> &Failure {
        let failures = self.happenings().filter_map(|happening| match happening {
            Happening::Failed { key: failed, failure } if failed.as_str() == key => Some(failure),
            _ => None,
        });
        failures.last().unwrap_or_else(|| panic!("`{key}` never failed"))
    }

    /// The codes by which answers to this call were rejected.
    pub(crate) fn rejections(&self, key: &str) -> Vec<&str> {
        let rejected = self.happenings().filter_map(|happening| match happening {
            Happening::Rejected { key: of, rejection, .. } if of.as_str() == key => Some(rejection.code.as_str()),
            _ => None,
        });
        rejected.collect()
    }

    /// The limits of the budget that were reached, by the events of it.
    pub(crate) fn budget_spent(&self) -> Vec<BudgetLimit> {
        let spent = self.happenings().filter_map(|happening| match happening {
            Happening::BudgetSpent { limit } => Some(*limit),
            _ => None,
        });
        spent.collect()
    }

    fn happenings(&self) -> impl Iterator<Item = &Happening> {
        self.events.iter().map(|event| &event.happening)
    }
}
