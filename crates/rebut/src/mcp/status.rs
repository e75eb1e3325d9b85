//! The status of a debate: as text for the model that asked, and as a value for programs.

use std::path::{Path, PathBuf};

use jiff::Timestamp;
use rebut_core::debate::{CallState, Choice, Debate, NewVersion, Plan};
use rebut_core::report;
use rebut_engine::session::{Record, worker_error};
use rebut_engine::store::State;
use schemars::JsonSchema;
use serde::Serialize;

use crate::commands::{choose, remaining_findings};
use crate::terminal::harmless;

/// The most characters of a text that goes to a model; the rest is in a resource.
const LONGEST: usize = 24_000;

/// The status of a debate.
#[derive(Clone, Debug, Default, Serialize, JsonSchema)]
pub(super) struct DebateStatus {
    /// The debate's id; empty if it was only planned.
    pub(super) id: String,
    /// duel, review, ask, cross or panel.
    pub(super) format: String,
    /// The topic, in one line.
    pub(super) topic: String,
    /// planned (dry_run), running, waiting (for `debate_choose`), interrupted, completed, partial, uncontested, failed or
    /// cancelled.
    pub(super) status: String,
    /// Whether it has ended, so that `debate_result` has the result.
    pub(super) ended: bool,
    /// How a request in words was understood.
    pub(super) understood: Option<String>,
    /// How long it has run.
    pub(super) elapsed_seconds: f64,
    /// Calls answered.
    pub(super) answered: usize,
    /// Calls failed.
    pub(super) failed: usize,
    /// Calls in progress.
    pub(super) under_way: Vec<String>,
    /// Tokens used so far; estimated if a tool reports none.
    pub(super) tokens: u64,
    /// The choice it is waiting for.
    pub(super) choice: Option<OpenChoice>,
    /// The resource with its transcript.
    pub(super) transcript: String,
    /// The result in one line, once it has ended.
    pub(super) headline: Option<String>,
    /// How firm the verdict is: firm, leaning, single (one ballot) or undecided.
    pub(super) firmness: Option<String>,
    /// In Markdown: what was said so far, the result once it has ended, or the plan after a dry run. A long text is cut at
    /// its beginning; the transcript has all of it.
    pub(super) said: String,
    /// For a review with `fail_on` that has ended: the findings that remain, in a sentence.
    pub(super) findings: Option<String>,
    /// What to do next.
    pub(super) next: String,
    /// The folder with its journal and documents.
    pub(super) folder: PathBuf,
}

#[derive(Clone, Debug, Serialize, JsonSchema)]
pub(crate) struct OpenChoice {
    pub(super) question: String,
    /// What can be chosen.
    pub(super) options: Vec<ChoiceOption>,
    /// The option that rebut recommends.
    pub(super) recommended: String,
}

#[derive(Clone, Debug, Serialize, JsonSchema)]
pub(crate) struct ChoiceOption {
    /// What `debate_choose` takes.
    pub(super) option: String,
    /// What it means.
    pub(super) meaning: String,
}

impl From<Choice> for OpenChoice {
    fn from(choice: Choice) -> Self {
        let options = choice.options.into_iter().map(|(option, meaning)| ChoiceOption { option, meaning });
        Self { question: choice.question, options: options.collect(), recommended: choice.recommended }
    }
}

impl DebateStatus {
    /// The status of a debate, without what was said. Whether it runs was asked before it was read, so that one which ends in
    /// between is read to its end.
    pub(super) fn of(state: &Path, running: bool, debate: &Debate, now: Timestamp) -> Self {
        let id = &debate.plan().id;
        let choice = choose::offered(debate).filter(|_| !running).map(OpenChoice::from);
        let waits_for_user = debate.format().waits_for_user(debate);
        let status = State::of(debate, running).as_str();
        let transcript = transcript_uri(id.as_str());
        let ended = debate.outcome().is_some() && !waits_for_user;
        let until = if running { now } else { debate.last_at() };
        let count = |is: fn(&CallState) -> bool| debate.calls().filter(|(_, call)| is(&call.state)).count();
        Self {
            id: id.to_string(),
            format: debate.plan().format.clone(),
            topic: shortened(&debate.plan().topic),
            status: status.to_owned(),
            ended,
            understood: None,
            elapsed_seconds: std::time::Duration::from_millis(debate.elapsed_ms(until)).as_secs_f64(),
            answered: count(|state| matches!(state, CallState::Answered(_))),
            failed: count(|state| matches!(state, CallState::Failed(_))),
            under_way: debate.under_way_keys().filter(|_| running).map(ToString::to_string).collect(),
            tokens: debate.spent_tokens(),
            headline: ended.then(|| harmless(&debate.format().brief(debate, NewVersion::Proposed).headline).into_owned()),
            firmness: debate.format().firmness(debate).map(|firmness| firmness.as_str().to_owned()),
            said: String::new(),
            findings: remaining_findings(debate).filter(|_| ended),
            next: next(status, id.as_str(), worker_error(state, id)),
            choice,
            transcript,
            folder: Record::of(state, id).documents().to_owned(),
        }
    }

    /// The same with what was said, which is slow to render.
    pub(super) fn with_said(self, debate: &Debate) -> Self {
        let (said, whole) = if self.ended {
            (report::conclusion(debate), verdict_uri(&self.id))
        } else {
            (report::document(debate), self.transcript.clone())
        };
        Self { said: bounded(&harmless(&said), &whole), ..self }
    }

    pub(super) fn planned(plan: &Plan) -> Self {
        Self {
            format: plan.format.clone(),
            topic: shortened(&plan.topic),
            status: "planned".to_owned(),
            said: harmless(&report::plan_text(plan)).into_owned(),
            next: "Nothing was started. Call debate_start without dry_run to start it.".to_owned(),
            ..Self::default()
        }
    }

    pub(super) fn line(&self) -> String {
        let Self { id, format, status, elapsed_seconds, answered, .. } = self;
        let tokens = report::thousands(self.tokens);
        if id.is_empty() {
            return format!("{format}: {status}");
        }
        let under_way =
            if self.under_way.is_empty() { String::new() } else { format!(", now: {}", self.under_way.join(", ")) };
        format!("{format} {id}: {status}, {answered} answers, {tokens} tokens, {elapsed_seconds:.0} s{under_way}")
    }

    /// The choice it is waiting for, one line per option.
    pub(super) fn choice_text(&self) -> Option<String> {
        let choice = self.choice.as_ref()?;
        let options = choice.options.iter().map(|ChoiceOption { option, meaning }| {
            let mark = if *option == choice.recommended { " (recommended)" } else { "" };
            format!("- {option}: {meaning}{mark}")
        });
        Some(format!("{}\n{}", choice.question, options.collect::<Vec<_>>().join("\n")))
    }
}

fn next(status: &str, id: &str, error: Option<String>) -> String {
    match status {
        "running" => format!("It continues in the background. Call debate_status (id {id}, wait_seconds up to 45)."),
        "waiting" => format!("It is waiting for the user's choice: ask them, then call debate_choose (id {id})."),
        "interrupted" => {
            let why = error.map(|error| format!(" Its last error: {}.", harmless(&error))).unwrap_or_default();
            format!("It was interrupted.{why} The user can continue it with: rebut resume {id}")
        }
        "cancelled" => format!("It was cancelled. The user can continue it with: rebut resume {id}"),
        _ => format!("It has ended. Transcript: {}", transcript_uri(id)),
    }
}

pub(super) fn transcript_uri(id: &str) -> String {
    format!("rebut://debates/{id}/transcript")
}

pub(super) fn verdict_uri(id: &str) -> String {
    format!("rebut://debates/{id}/verdict")
}

/// A topic for a list: its first line, cut where it is long.
pub(super) fn shortened(topic: &str) -> String {
    const LONGEST_TOPIC: usize = 300;
    let first = harmless(topic.lines().next().unwrap_or_default()).into_owned();
    let is_cut = first.chars().count() > LONGEST_TOPIC || topic.lines().nth(1).is_some();
    let first: String = first.chars().take(LONGEST_TOPIC).collect();
    if is_cut { first + "…" } else { first }
}

/// The text, or its end where it is long, with the name of the resource that has all of it.
fn bounded(text: &str, whole: &str) -> String {
    let length = text.chars().count();
    if length <= LONGEST {
        return text.to_owned();
    }
    let end: String = text.chars().skip(length - LONGEST).collect();
    format!("(The first {} characters are omitted; the resource {whole} has the whole text.)\n\n…{end}", length - LONGEST)
}
