//! What a format is: the procedure of a debate, and everything else that differs from one way of debating to another.

use std::fmt::Debug;

use serde_json::Value;

use super::{Brief, Call, Debate, Event, OutlineCall, Part, Payload, Plan, Rejection, SeatName, SeatPlan, Step, StepKey};

/// Every format by the name that plans have it under.
pub type Formats = [(&'static str, &'static dyn Format)];

/// How a debate goes. Pure: the same debate always gives the same steps.
pub trait Procedure: Sync {
    /// Every step that may begin now, most urgent first, given what has happened and what is under way.
    ///
    /// A step that is returned again while it is under way or after it has ended is not begun twice.
    fn next(&self, debate: &Debate) -> Vec<Step>;

    /// Reads an answer: its content, or why it is not acceptable.
    fn accept(&self, debate: &Debate, key: &StepKey, call: &Call, text: &str) -> Result<Payload, Rejection>;
}

/// A way of debating: all that differs from one to another. It is asked of debates and plans of its own only.
pub trait Format: Procedure + Debug + Sync {
    /// Decodes what a journal holds of this format.
    fn decode(&self, part: Part, payload: &mut Payload) -> serde_json::Result<()>;

    /// A text as it may be shown to its author, when it is asked for again.
    fn shown(&self, _debate: &Debate, text: &str) -> String {
        text.to_owned()
    }

    /// The built-in prompts with their names.
    fn prompts(&self) -> &'static [(&'static str, &'static str)];

    /// The stable title of a seat's thread, for tools that take one; none where every call stands alone.
    fn thread(&self, _plan: &Plan, _seat: &SeatName) -> Option<String> {
        None
    }

    /// Whether choices are left to the user; otherwise recommendations stand.
    fn leaves_choices(&self, _plan: &Plan) -> bool {
        false
    }

    /// Whether the debate rests until the user says a word that only this format knows, and goes on by an amendment with it.
    fn awaits_word(&self, _debate: &Debate) -> bool {
        false
    }

    // What a resumed debate may do differently.

    fn rounds_held(&self, debate: &Debate) -> u32;

    /// The most rounds that a debate of this plan can be argued on to, or why it has none.
    fn most_rounds(&self, plan: &Plan) -> Result<u32, Refusal>;

    fn set_rounds(&self, setup: &mut Payload, rounds: u32);

    /// Takes up a change that only this format knows.
    fn amend(&self, _setup: &mut Payload, _change: &Payload) {}

    /// Why a debate cannot have another judge, or this many rounds, beyond what holds for all.
    fn check_amendment(&self, _debate: &Debate, _judge: bool, _rounds: Option<u32>) -> Result<(), Refusal> {
        Ok(())
    }

    /// Whether another debate can begin with what this one has said up to a step.
    fn can_fork(&self) -> bool {
        false
    }

    /// The seat that decides or sums up.
    fn judge(&self) -> SeatName;

    /// The seats whose rulings `rebut judge check` measures.
    fn checked_judges(&self, _plan: &Plan) -> Vec<SeatName> {
        Vec::new()
    }

    /// Whether a part of the budget is kept for the seat that decides.
    fn keeps_verdict_share(&self) -> bool {
        true
    }

    fn further(&self, _debate: &Debate) -> String {
        "this debate is complete; --judge, or more rounds with --rounds, take it further".to_owned()
    }

    // What the engine does for it.

    /// The patch that comes before every revision.
    fn base<'a>(&self, _plan: &'a Plan) -> Option<&'a str> {
        None
    }

    /// Whether the files of a commit are kept, and not those in the workspace's folder.
    fn keeps_commit(&self, _plan: &Plan) -> bool {
        false
    }

    /// Whether seats may search the web with their own tools.
    fn searches_web(&self, _plan: &Plan) -> bool {
        false
    }

    /// Whether other tools know its state, and find it in `last-debate.json`.
    fn is_shared(&self) -> bool {
        false
    }

    /// Whether an answer is seen in the debate's files before anything else follows it.
    fn is_seen(&self, _content: &Payload) -> bool {
        true
    }

    /// Where the user wants the documents, absolute, if not in the debate's own folder; and the names they can have.
    fn output<'a>(&self, _plan: &'a Plan) -> Option<(&'a str, &'static [&'static str])> {
        None
    }

    // The plan as it is shown.

    /// What the user calls a seat.
    fn seat_title(&self, _plan: &Plan, seat: &SeatName) -> String {
        seat.to_string()
    }

    /// Every call that a debate of this plan makes when nothing fails, in order, with an estimate of its tokens.
    fn outline(&self, plan: &Plan) -> Vec<OutlineCall>;

    /// Whether a call only probes a seat, and costs next to nothing.
    fn is_probe(&self, _call: &OutlineCall) -> bool {
        false
    }

    /// Calls that are only made where something is missing: at most how many, and what for.
    fn extra_calls(&self, _plan: &Plan) -> Option<(usize, &'static str)> {
        None
    }

    /// How many calls are waited for one after another.
    fn calls_in_turn(&self, _plan: &Plan, outline: &[OutlineCall]) -> u64 {
        outline.len() as u64
    }

    fn rounds_words(&self, plan: &Plan) -> String;

    fn plan_lines(&self, _plan: &Plan) -> Vec<(&'static str, String)> {
        Vec::new()
    }

    fn seated_later<'a>(&self, _plan: &'a Plan) -> (&'static str, &'a [SeatPlan]) {
        ("", &[])
    }

    /// What every seat gets to read, in words.
    fn data_words(&self) -> &'static str {
        "topic and statements"
    }

    /// What the user should know of who sits where, in plain sentences.
    fn seat_notes(&self, plan: &Plan) -> Vec<String>;

    // The debate as documents.

    /// The whole debate as Markdown.
    fn document(&self, debate: &Debate) -> String;

    /// What the debate came to, in a few lines.
    fn brief(&self, debate: &Debate, version: NewVersion) -> Brief;

    /// What the debate came to, as Markdown: the verdict with all its sections, or why there is none.
    fn conclusion(&self, debate: &Debate, version: NewVersion) -> String;

    /// Whether that is worth reading where the debate was stopped.
    fn concludes_stopped(&self) -> bool {
        false
    }

    /// What an event adds to the debate as it is read, as Markdown; none for events that add nothing of their own.
    fn passage(&self, debate: &Debate, event: &Event) -> Option<String>;

    /// What was added to the log from this entry on, each under its heading as Markdown; and how long the log is. Entries
    /// come in their order, which is not that of the events.
    fn log_since(&self, _debate: &Debate, _from: usize) -> (Vec<String>, usize) {
        (Vec::new(), 0)
    }

    /// The log, an entry a line; none where there is none.
    fn log(&self, _debate: &Debate) -> Option<String> {
        None
    }

    /// Whether answers are shown side by side once all are in.
    fn is_shown_together(&self, _debate: &Debate) -> bool {
        false
    }

    /// Answers that are read side by side, each with its heading.
    fn side_by_side(&self, _debate: &Debate) -> Vec<(String, String)> {
        Vec::new()
    }

    /// The debate as `debate.json` holds it.
    fn state(&self, debate: &Debate, version: NewVersion) -> Value;

    /// Further files, each with its name and content. `folder` is where they will stand.
    fn files(&self, _debate: &Debate, _folder: &str, _version: NewVersion) -> Vec<(String, String)> {
        Vec::new()
    }

    /// The claims with what became of them, as data.
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

    /// What was made of files of the workspace, as one patch.
    fn patch(&self, _debate: &Debate) -> Option<String> {
        None
    }
}

/// A debate's plan names its format, so that this says no more than that.
impl PartialEq for dyn Format {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

/// What became of the version that a debate made of files of the workspace.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum NewVersion {
    /// It is a patch that the user may take over.
    #[default]
    Proposed,
    /// It was written to the working tree.
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
