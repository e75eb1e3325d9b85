//! What a format is: the procedure of a debate, and everything else in which formats differ.

use std::fmt::Debug;

use serde_json::Value;

use super::page::Section;
use super::{Brief, Call, Debate, Event, OutlineCall, Payload, Plan, Rejection, SeatName, SeatPlan, Step, StepKey};
use crate::judging::Firmness;

/// Every format by the name that plans have it under.
pub type Formats = [(&'static str, &'static dyn Format)];

/// How a debate goes. Pure: the same debate always gives the same steps.
pub trait Procedure: Sync {
    /// Every step that may begin now, most urgent first. Steps that are under way or have ended are ignored.
    fn next(&self, debate: &Debate) -> Vec<Step>;

    /// Reads an answer: its content, or why it is not acceptable.
    fn accept(&self, debate: &Debate, key: &StepKey, call: &Call, text: &str) -> Result<Payload, Rejection>;
}

/// A way of debating. Its methods get only debates and plans of this format.
pub trait Format: Procedure + Documents + Debug + Sync {
    fn features(&self) -> &'static Features;

    /// A rejected answer as its author may see it again.
    fn shown(&self, _debate: &Debate, text: &str) -> String {
        text.to_owned()
    }

    /// The stable title of a seat's thread, for tools that take one.
    fn thread(&self, _plan: &Plan, _seat: &SeatName) -> Option<String> {
        None
    }

    /// Whether the user makes the choices; otherwise recommendations are taken.
    fn leaves_choices(&self, _plan: &Plan) -> bool {
        false
    }

    /// Whether the debate waits for a decision of the user, which arrives as an amendment.
    fn waits_for_user(&self, _debate: &Debate) -> bool {
        false
    }

    // Resuming and forking.

    fn rounds_done(&self, debate: &Debate) -> u32;

    /// The most rounds that a debate of this plan can have, or why it has none.
    fn most_rounds(&self, plan: &Plan) -> Result<u32, Refusal>;

    fn set_rounds(&self, _setup: &mut Payload, _rounds: u32) {}

    /// Applies a change of the format's own type.
    fn amend(&self, _setup: &mut Payload, _change: &Payload) {}

    /// Why a debate cannot have another judge, or this many rounds.
    fn check_amendment(&self, _debate: &Debate, _judge: bool, _rounds: Option<u32>) -> Result<(), Refusal> {
        Ok(())
    }

    fn further(&self, debate: &Debate) -> String {
        format!("{} is complete; add rounds with --rounds, or replace the judge with --judge", debate.plan().id.short())
    }

    /// How firm the verdict is; none without ballots.
    fn firmness(&self, _debate: &Debate) -> Option<Firmness> {
        None
    }

    // The engine.

    fn reach<'a>(&self, _plan: &'a Plan) -> Reach<'a> {
        Reach::default()
    }

    /// Whether an answer changes the debate's files.
    fn is_seen(&self, _content: &Payload) -> bool {
        true
    }

    /// The absolute folder for the documents, if not the debate's own, and the names they can have.
    fn output<'a>(&self, _plan: &'a Plan) -> Option<(&'a str, &'static [&'static str])> {
        None
    }

    // The plan.

    /// What the user calls a seat.
    fn seat_title(&self, _plan: &Plan, seat: &SeatName) -> String {
        seat.to_string()
    }

    /// Every call of a debate in which nothing fails, in order, with an estimate of its tokens.
    fn outline(&self, plan: &Plan) -> Vec<OutlineCall>;

    /// Whether a call only probes a seat.
    fn is_probe(&self, _call: &OutlineCall) -> bool {
        false
    }

    /// The calls that the verdict's share of the budget must cover; none where no share is kept.
    fn verdict_calls(&self, _plan: &Plan) -> Vec<OutlineCall> {
        Vec::new()
    }

    /// How many calls run one after another.
    fn calls_in_turn(&self, _plan: &Plan, outline: &[OutlineCall]) -> u64 {
        outline.len() as u64
    }

    /// What the user reads of a plan of this format only.
    fn plan_words<'a>(&self, plan: &'a Plan) -> PlanWords<'a>;
}

/// A debate as it is shown, or handed to other programs.
pub trait Documents {
    /// The whole debate as Markdown.
    fn document(&self, debate: &Debate) -> String;

    /// The result in a few lines.
    fn brief(&self, debate: &Debate, version: NewVersion) -> Brief;

    /// The result as Markdown: the verdict with all its sections, or why there is none.
    fn conclusion(&self, debate: &Debate, version: NewVersion) -> String;

    /// What an event adds to the debate's text, as Markdown.
    fn passage(&self, debate: &Debate, event: &Event) -> Option<String>;

    /// The entries of the log from this one on, each as Markdown under its heading, and the length of the log. Their order is
    /// not that of the events.
    fn log_since(&self, _debate: &Debate, _from: usize) -> (Vec<String>, usize) {
        (Vec::new(), 0)
    }

    /// The log, one entry per line.
    fn log(&self, _debate: &Debate) -> Option<String> {
        None
    }

    /// Answers that are held back until all are in, and then shown side by side, each with its heading.
    fn side_by_side(&self, _debate: &Debate) -> Vec<(String, String)> {
        Vec::new()
    }

    /// The debate as a page shows it, section by section.
    fn page(&self, debate: &Debate) -> Vec<Section>;

    /// The debate as `debate.json` holds it.
    fn state(&self, debate: &Debate, version: NewVersion) -> Value;

    /// Further files, each with its name and content, for this folder.
    fn files(&self, _debate: &Debate, _folder: &str, _version: NewVersion) -> Vec<(String, String)> {
        Vec::new()
    }

    /// The claims with their outcome, as data.
    fn claims_json(&self, debate: &Debate) -> Value;

    fn claims_table(&self, debate: &Debate) -> String;

    /// The decision as an architecture decision record, or why there is none.
    fn decision_record(&self, debate: &Debate) -> Result<String, Refusal> {
        let why = format!("a {} decides nothing that can be recorded", debate.plan().format);
        Err(Refusal::new(why).hint("`--as adr` takes a duel, an ask or a cross"))
    }

    /// The findings as SARIF 2.1.0.
    fn sarif(&self, _debate: &Debate) -> Option<Value> {
        None
    }

    /// The changes to files of the workspace, as one patch.
    fn patch(&self, _debate: &Debate) -> Option<String> {
        None
    }
}

/// Decodes what a journal holds of a format's own type.
pub type Decode = fn(&mut Payload) -> serde_json::Result<()>;

/// What is the same in all debates of a format.
#[derive(Clone, Copy, Debug)]
pub struct Features {
    /// [`Plan::setup`]
    pub setup: Decode,
    /// The content of an accepted answer.
    pub content: Decode,
    /// [`Entry::data`](super::Entry::data), of the type `()` where it records no data.
    pub record: Decode,
    /// [`Amendment::change`](super::Amendment::change), likewise.
    pub change: Decode,
    /// The built-in prompts with their names.
    pub prompts: &'static [(&'static str, &'static str)],
    /// The seat that decides or sums up.
    pub judge: &'static str,
    /// What every seat reads, in words.
    pub seats_read: &'static str,
    pub can_fork: bool,
    /// Whether other tools know its state, and find it in `last-debate.json`.
    pub is_shared: bool,
    /// Whether the conclusion is shown for a debate that was stopped.
    pub concludes_stopped: bool,
}

/// How far a debate reaches into the workspace, and to the web.
#[derive(Clone, Copy, Debug, Default)]
pub struct Reach<'a> {
    /// The patch that comes before every revision.
    pub base: Option<&'a str>,
    /// Whether the files of a commit are pinned instead of the working tree.
    pub of_commit: bool,
    /// Whether seats may search the web with their own tools.
    pub web: bool,
}

#[derive(Debug, Default)]
pub struct PlanWords<'a> {
    pub rounds: String,
    pub lines: Vec<(&'static str, String)>,
    /// What those are called who get these seats in turn, once they are known.
    pub seated_later: (&'static str, &'a [SeatPlan]),
    /// Notes on the choice of seats, in sentences.
    pub notes: Vec<String>,
    /// How each judge did on known cases.
    pub known_cases: Vec<String>,
    /// Calls that are made only if needed: at most how many, and what for.
    pub extra_calls: Vec<(usize, &'static str)>,
}

/// Always equal: the plan, which names the format, is compared beside it.
impl PartialEq for dyn Format {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

/// Whether the user has taken the debate's changes to the workspace.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum NewVersion {
    /// They are a patch.
    #[default]
    Proposed,
    /// They were written to the working tree.
    TakenOver,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refusal {
    pub why: String,
    pub hint: Option<String>,
}

impl Refusal {
    /// A refusal without advice.
    pub fn new(why: impl Into<String>) -> Self {
        Self { why: why.into(), hint: None }
    }

    /// That a debate has come to no decision.
    pub(crate) fn no_decision(debate: &Debate) -> Self {
        let id = debate.plan().id.short();
        Self::new(format!("{id} has no decision yet")).hint(format!("continue with: rebut resume {id}"))
    }

    #[must_use]
    pub fn hint(self, hint: impl Into<String>) -> Self {
        Self { hint: Some(hint.into()), ..self }
    }
}
