//! `rebut ask`, and what it shares with `rebut cross`: flags and planning.

use std::ffi::OsString;

use clap::Args;
use rebut_core::formats::cross::{Kind, options};
use rebut_core::formats::wording::{self, Request};
use rebut_engine::chance;
use rebut_engine::planning::{CrossRequest, plan_cross};
use rebut_engine::session::Start;
use toml::Value;

use crate::app::App;
use crate::commands::Finish;
use crate::error::CommandError;
use crate::flags::{DebateFlags, LimitFlags, read_topic};
use crate::run;
use crate::start::{Ready, StartsDebate, understood};

/// Ask several tools one question and compare their answers
#[derive(Debug, Args)]
#[command(after_long_help = EXAMPLES)]
pub(crate) struct Ask {
    /// The question, or `-` to read it from standard input
    #[arg(value_name = "QUESTION")]
    question: Vec<OsString>,
    #[command(flatten)]
    flags: AskFlags,
}

const EXAMPLES: &str = "\
Examples:
  rebut ask \"How should we version our API?\" --partners claude,codex,gemini
  rebut ask \"Should we ship on Friday?\" --options yes,no,after-the-audit
  git diff | rebut ask - --partners 3
  rebut cross --from last       have the partners critique each other's answers

Exit codes: 0 complete, 1 no answer, 2 usage, 3 an answer or the comparison is missing,
130 cancelled";

impl StartsDebate for Ask {
    fn flags(&self) -> &DebateFlags {
        self.flags.debate()
    }

    fn prepare(&self, app: &mut App) -> Result<Ready, CommandError> {
        let words = read_question(app, &self.question, Kind::Ask)?;
        let understood = understood(&words);
        let request = CrossRequest { kind: Kind::Ask, question: words.topic, ..CrossRequest::default() };
        self.flags.prepare(app, request, understood)
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
    pub(crate) fn debate(&self) -> &DebateFlags {
        &self.flags
    }

    fn set_flags(&self, app: &mut App) -> Result<(), CommandError> {
        self.limits.set_flags(app, "cross")?;
        self.flags.set_flags(app)?;
        let partners = (!self.partners.is_empty()).then(|| {
            let seats = self.partners.iter().map(|seat| Value::String(seat.trim().to_owned()));
            Value::Array(seats.collect())
        });
        app.set_flags([
            ("cross.partners", partners, "--partners"),
            ("cross.moderator", self.moderator.clone().map(Value::String), "--moderator"),
        ])
    }

    /// The first flag that contradicts an earlier debate.
    pub(crate) fn names_what_was_decided(&self) -> Option<&'static str> {
        let named = [(!self.partners.is_empty(), "--partners"), (!self.options.is_empty(), "--options")];
        named.into_iter().find(|(is_named, _)| *is_named).map(|(_, flag)| flag)
    }

    pub(crate) fn names_a_moderator(&self) -> bool {
        self.moderator.is_some()
    }

    pub(crate) fn prepare(
        &self,
        app: &mut App,
        wanted: CrossRequest,
        understood: Option<String>,
    ) -> Result<Ready, CommandError> {
        self.set_flags(app)?;
        let options = if self.options.is_empty() {
            wanted.options
        } else {
            let read = options::read_list(&self.options.join(","));
            read.map_err(|error| CommandError::usage(format!("--options: {error}")))?
        };
        let snapshot = self.flags.snapshot(app);
        let common = self.flags.common(app, "cross", &snapshot, Vec::new())?;
        let request = CrossRequest { options, context: self.limits.context.clone(), common, ..wanted };
        let plan = plan_cross(request, app.planner(&app.place), run::no_id_yet(), chance::draw())?;
        Ok(Ready { start: Start { plan, snapshot, documents: None }, finish: Finish::Show, understood })
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
