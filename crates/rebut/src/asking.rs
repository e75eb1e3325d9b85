//! What `ask` and `cross` have in common: their flags, and the way from a question to a debate that runs.

use std::ffi::OsString;
use std::io::Read;

use clap::Args;
use rebut_core::debate::{DebateId, Evidence};
use rebut_core::formats::cross::{Kind, ROUNDS, options, wording};
use rebut_core::report;
use rebut_engine::chance;
use rebut_engine::clock::Clock;
use rebut_engine::config::{Origin, read_prompts};
use rebut_engine::evidence::Grounds;
use rebut_engine::planning::{CrossRequest, Earlier, plan_cross};
use rebut_engine::providers::Providers;
use toml::Value;

use crate::cli::joined;
use crate::cli::number;
use crate::desk::Desk;
use crate::error::{CommandError, Exit};
use crate::{running, signals};

/// Flags that both commands have.
#[derive(Debug, Args)]
pub(crate) struct Asking {
    /// Who answers: 2 to 8 of `tool` or `tool:model`, or only how many [default: 2, of different vendors]
    #[arg(long, value_name = "A,B,…", value_delimiter = ',')]
    partners: Vec<String>,
    /// Who compares and sums up, without a position of its own: `tool` or `tool:model` [default: of a vendor that takes no part]
    #[arg(long, value_name = "SEAT")]
    moderator: Option<String>,
    /// The answers that can be given: they are typed and counted [default: yes,no where the question asks for it]
    #[arg(long, value_name = "A,B,…", conflicts_with = "open")]
    options: Option<String>,
    /// Take any answer, though the question reads like one for yes or no
    #[arg(long)]
    open: bool,
    /// How hard the seats think: low, medium, high or max [default: high]
    #[arg(long, value_name = "EFFORT")]
    effort: Option<String>,
    /// What goes into every prompt: none, diff or file=PATH (may be repeated)
    #[arg(long, value_name = "WHAT")]
    context: Vec<String>,
    /// How tools are spoken to: cli, acp or auto [default: cli]
    #[arg(long, value_name = "HOW")]
    transport: Option<String>,
    /// Seconds for one whole call [default: 240]
    #[arg(long, value_name = "SECONDS", allow_negative_numbers = true, value_parser = number)]
    timeout: Option<Value>,
    /// End with what there is after so many minutes
    #[arg(long, value_name = "MINUTES", allow_negative_numbers = true)]
    max_minutes: Option<f64>,
    /// End with what there is before so many tokens are used
    #[arg(long, value_name = "TOKENS", allow_negative_numbers = true, value_parser = whole_number)]
    max_tokens: Option<i64>,
    /// End with what there is before so many dollars are spent
    #[arg(long, value_name = "DOLLARS", allow_negative_numbers = true)]
    max_cost: Option<f64>,
    /// Seats may not read the files of the workspace, and citations of files are not looked up
    #[arg(long)]
    no_workspace: bool,
    /// Let claims be checked by searches in the workspace and by the commands of `[checks]`
    #[arg(long)]
    allow_checks: bool,
    /// Fetch the pages on the web that are cited, and look into them
    #[arg(long)]
    fetch_sources: bool,
    /// Use the prompts in the project's .rebut/prompts; the result names them
    #[arg(long)]
    trust_project_prompts: bool,
    /// Tell everybody who could have taken a seat, in the order of preference
    #[arg(long)]
    explain_seats: bool,
    /// Show the plan and end
    #[arg(long)]
    dry_run: bool,
}

/// What a command asks for beside the flags that both have.
pub(crate) struct Wish {
    pub(crate) kind: Kind,
    pub(crate) question: String,
    pub(crate) always_debate: bool,
    pub(crate) named: bool,
    /// The debate to go on from, with its options.
    pub(crate) from: Option<(Earlier, Vec<String>)>,
}

impl Asking {
    /// Sets what the flags say.
    pub(crate) fn set_flags(&self, desk: &mut Desk) -> Result<(), CommandError> {
        let partners = (!self.partners.is_empty()).then(|| {
            let seats = self.partners.iter().map(|seat| Value::String(seat.trim().to_owned()));
            Value::Array(seats.collect())
        });
        for (key, value, flag) in [
            ("cross.partners", partners, "--partners"),
            ("cross.moderator", self.moderator.clone().map(Value::String), "--moderator"),
            ("cross.effort", self.effort.clone().map(Value::String), "--effort"),
            ("cross.transport", self.transport.clone().map(Value::String), "--transport"),
            ("cross.timeout_seconds", self.timeout.clone(), "--timeout"),
            ("evidence.fetch_sources", self.fetch_sources.then_some(Value::Boolean(true)), "--fetch-sources"),
            ("budget.max_minutes", self.max_minutes.map(Value::Float), "--max-minutes"),
            ("budget.max_tokens", self.max_tokens.map(Value::Integer), "--max-tokens"),
            ("budget.max_cost", self.max_cost.map(Value::Float), "--max-cost"),
        ] {
            if let Some(value) = value {
                desk.layers.set_flag(key, value, flag)?;
            }
        }
        Ok(())
    }

    /// Whether anything was named that an earlier debate has decided.
    pub(crate) fn names_what_was_decided(&self) -> Option<&'static str> {
        let named =
            [(!self.partners.is_empty(), "--partners"), (self.options.is_some(), "--options"), (self.open, "--open")];
        named.into_iter().find(|(is_named, _)| *is_named).map(|(_, flag)| flag)
    }

    /// Plans it and holds it.
    pub(crate) fn hold(self, desk: &Desk, wish: Wish) -> Result<Exit, CommandError> {
        let Wish { kind, question, always_debate, named, from } = wish;
        let clock = Clock::start();
        let mut notes = Vec::new();
        let (from, options) = match from {
            Some((from, options)) => (Some(from), options),
            None => (None, self.closed(&question, &mut notes)?),
        };
        let grounds = if self.no_workspace {
            Grounds::nothing("--no-workspace keeps the debate out of the workspace's files")
        } else {
            Grounds::survey(&desk.place.workspace, desk.home.as_deref(), (&desk.layers.settings().evidence).into())
        };
        let request = CrossRequest {
            kind,
            question,
            rounds_given: matches!(desk.layers.origin("cross.rounds"), Origin::Flag(_)),
            always_debate,
            named,
            options,
            from,
            context: self.context,
            workspace_readable: !self.no_workspace,
            evidence: Some(Evidence {
                scope: grounds.scope().clone(),
                commands: self.allow_checks.then(|| desk.check_names()),
                fetch_sources: desk.layers.settings().evidence.fetch_sources,
            }),
            explain_seats: self.explain_seats,
            prompts: read_prompts(&desk.places, self.trust_project_prompts)?,
            notes,
        };
        // The id is known only once the folder is claimed, and nothing is claimed before the plan is sound.
        let no_id_yet = DebateId::new(clock.now(), 0);
        let settings = desk.layers.settings();
        let mut plan = plan_cross(request, settings, &desk.providers, &desk.place, no_id_yet, chance::draw())?;
        if self.dry_run {
            desk.screen.text(&report::plan_text(&plan));
            desk.screen.json(|| report::plan_json(&plan));
            return Ok(Exit::Done);
        }
        let signal = signals::listen(&desk.screen)?;
        running::fetch_weights(desk, &plan, &signal)?;
        let shelved = desk.shelf.claim(clock.now(), None)?;
        plan.id = shelved.id.clone();
        let mut watchers = running::watchers(&desk.screen, &shelved.folder, &plan);
        let begun = running::begin(desk, plan, grounds, clock, &shelved, &mut watchers);
        let (runner, ground, seats) = begun.inspect_err(|_| {
            // Nothing was begun, so that nothing is kept; what cannot be removed either is shown by `list` as empty.
            let _ = desk.shelf.take_back(&shelved);
        })?;
        let debate = running::run(desk, runner, ground, seats, signal, &mut watchers)?;
        Ok(running::conclude(&desk.screen, &debate, &shelved.folder, running::exit_of(&debate)))
    }

    /// The options of a closed question: those that are named, or yes and no where it asks for that.
    fn closed(&self, question: &str, notes: &mut Vec<String>) -> Result<Vec<String>, CommandError> {
        if let Some(list) = &self.options {
            return options::read_list(list).map_err(|error| CommandError::usage(format!("--options: {error}")));
        }
        if self.open || !options::asks_yes_or_no(question) {
            return Ok(Vec::new());
        }
        notes.push(
            "the question is read as one for yes or no, so that answers are counted; --open takes any answer".to_owned(),
        );
        Ok(vec!["yes".to_owned(), "no".to_owned()])
    }
}

/// The question, and what was said around it.
pub(crate) fn read_question(desk: &mut Desk, words: &[OsString], kind: Kind) -> Result<String, CommandError> {
    let text = joined(words)?;
    if text == "-" {
        return read_stdin();
    }
    let asked = if text.trim().is_empty() {
        crate::terminal::ask_line("What shall be asked?").filter(|line| !line.is_empty())
    } else {
        Some(text)
    };
    let command = kind.as_str();
    let text = asked.ok_or_else(|| {
        CommandError::usage("there is no question")
            .hint(format!("rebut {command} \"Should we …?\", or `-` to read it from standard input"))
    })?;
    let said = wording::read(&text, &Providers::names()).map_err(|error| CommandError::usage(error.to_string()))?;
    let partners =
        (!said.partners.is_empty()).then(|| Value::Array(said.partners.iter().cloned().map(Value::String).collect()));
    let rounds = said.rounds.filter(|_| kind == Kind::Cross);
    for (key, value) in [
        ("cross.partners", partners),
        ("cross.rounds", rounds.map(|rounds| Value::Integer(rounds.into()))),
        ("cross.effort", said.effort.map(|effort| Value::String(effort.as_str().to_owned()))),
    ] {
        if let Some(value) = value {
            desk.layers.set_flag(key, value, "the question's wording")?;
        }
    }
    if !said.understood.is_empty() {
        desk.screen.note(&format!("understood: {}; question: {}", said.understood.join(", "), said.question));
    }
    if kind == Kind::Ask && said.rounds.is_some() {
        desk.screen.note("an ask has no rounds; `rebut cross` has");
    }
    Ok(said.question)
}

/// Whether the number is in its range is the settings' to say, as for every level.
pub(crate) fn rounds(text: &str) -> Result<i64, String> {
    text.parse().map_err(|_| format!("it takes a whole number from {} to {}", ROUNDS.start(), ROUNDS.end()))
}

fn whole_number(text: &str) -> Result<i64, &'static str> {
    text.parse().map_err(|_| "it takes a whole number")
}

fn read_stdin() -> Result<String, CommandError> {
    let mut bytes = Vec::new();
    std::io::stdin()
        .lock()
        .read_to_end(&mut bytes)
        .map_err(|error| CommandError::failed(format!("standard input cannot be read: {error}")))?;
    let text = String::from_utf8(bytes).map_err(|_| CommandError::usage("the question on standard input is not UTF-8"))?;
    if text.trim().is_empty() { Err(CommandError::usage("there is no question on standard input")) } else { Ok(text) }
}
