//! The flags of every command that starts a debate: its limits, and how evidence is checked.

use std::ffi::OsString;
use std::io::Read;
use std::path::Path;

use clap::Args;
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use rebut_core::debate::{Amendment, Debate, EvidenceRules, Plan, RunOn, SeatName};
use rebut_engine::checks::Snapshot;
use rebut_engine::config::read_prompts;
use rebut_engine::planning::{self, Host};
use rebut_engine::session::{KnownJudges, OwnFiles};
use rebut_engine::workspace::read_given;
use toml::Value;

use crate::app::App;
use crate::cli::{flag_in, joined};
use crate::error::CommandError;
use crate::terminal::Screen;

/// How models are called.
#[derive(Debug, Args)]
pub(crate) struct ModelFlags {
    /// How hard the models think [default: high]
    #[arg(long, value_name = "EFFORT", value_parser = ["low", "medium", "high", "max"])]
    effort: Option<String>,
    /// How to talk to tools [default: cli]
    ///
    /// `acp` keeps a tool's agent running between turns, so later rounds start faster. `auto` uses acp if the agent
    /// answers, else cli; to find out, each agent is started once before the debate (1–5 seconds).
    #[arg(long, value_name = "HOW", value_parser = ["auto", "cli", "acp"])]
    transport: Option<String>,
}

impl ModelFlags {
    pub(crate) fn set_flags(&self, app: &mut App, section: &str) -> Result<(), CommandError> {
        app.set_flags([
            (format!("{section}.effort"), self.effort.clone().map(Value::String), "--effort"),
            (format!("{section}.transport"), self.transport.clone().map(Value::String), "--transport"),
        ])
    }
}

#[derive(Debug, Args)]
pub(crate) struct LimitFlags {
    #[command(flatten)]
    model: ModelFlags,
    /// Material for every prompt: none, diff or file=PATH (repeatable)
    #[arg(long, value_name = "WHAT")]
    pub(crate) context: Vec<String>,
    /// Time limit per call [default: 240]
    #[arg(long, value_name = "SECONDS", allow_negative_numbers = true, value_parser = number)]
    timeout: Option<Value>,
    /// Stop after N minutes with a partial result
    #[arg(long, value_name = "MINUTES", allow_negative_numbers = true)]
    max_minutes: Option<f64>,
    /// Stop before N tokens are used, with a partial result
    #[arg(long, value_name = "TOKENS", allow_negative_numbers = true, value_parser = whole_number)]
    max_tokens: Option<i64>,
    /// Stop before N dollars are spent, with a partial result
    #[arg(long, value_name = "DOLLARS", allow_negative_numbers = true)]
    max_cost: Option<f64>,
}

pub(crate) const RIGORS: [&str; 3] = ["quick", "standard", "thorough"];

impl LimitFlags {
    pub(crate) fn set_flags(&self, app: &mut App, section: &str) -> Result<(), CommandError> {
        self.model.set_flags(app, section)?;
        app.set_flags([
            (format!("{section}.timeout_seconds"), self.timeout.clone(), "--timeout"),
            ("budget.max_minutes".to_owned(), self.max_minutes.map(Value::Float), "--max-minutes"),
            ("budget.max_tokens".to_owned(), self.max_tokens.map(Value::Integer), "--max-tokens"),
            ("budget.max_cost".to_owned(), self.max_cost.map(Value::Float), "--max-cost"),
        ])
    }
}

fn run_on() -> impl TypedValueParser<Value = RunOn> {
    let unrevised = PossibleValue::new("unrevised").help("The files before any revision");
    let revised = PossibleValue::new("revised").help("The revised files as well");
    PossibleValuesParser::new([unrevised, revised])
        .map(|word| if word == "revised" { RunOn::Revised } else { RunOn::Unrevised })
}

/// What models may read, how their evidence is checked, and whether the debate starts at all.
#[derive(Debug, Default, Args)]
pub(crate) struct DebateFlags {
    /// Don't let models read the workspace
    ///
    /// File evidence is then not checked either, except in a review, against the reviewed change.
    #[arg(long)]
    no_workspace: bool,
    /// Let evidence use workspace searches and the commands in your config
    ///
    /// Commands are those of `[checks.NAME]` in your own config.toml; models see only their names. Each runs in its own
    /// copy of the workspace, with a time limit and a cleared environment, but not sandboxed. In a review they run on
    /// the files before any revision; `--allow-checks=revised` also runs them on what a model wrote.
    #[arg(long, value_name = "FILES", num_args = 0..=1, require_equals = true)]
    #[arg(default_missing_value = "unrevised", value_parser = run_on())]
    allow_checks: Option<RunOn>,
    /// Fetch cited web pages and check quotes and figures against them
    ///
    /// Public hosts only, over http and https, without cookies, credentials or proxies. Each page is fetched once and
    /// kept in the debate.
    #[arg(long)]
    fetch_sources: bool,
    /// Don't fetch cited web pages (a panel fetches them by default)
    #[arg(long, conflicts_with = "fetch_sources")]
    no_fetch_sources: bool,
    /// Use the prompts in the project's .rebut/prompts; the result names them
    #[arg(long)]
    trust_project_prompts: bool,
    /// List every candidate and why it was chosen or skipped
    #[arg(long)]
    explain_seats: bool,
    /// Print the plan and exit
    #[arg(long)]
    pub(crate) dry_run: bool,
    /// Run in the background
    ///
    /// Follow it with `rebut watch ID`, stop it with `rebut cancel ID`, and answer its questions with `rebut choose ID`.
    #[arg(long, conflicts_with = "dry_run")]
    pub(crate) detach: bool,
    /// Queue it for a worker on any machine (needs a database: `--store`)
    ///
    /// The pinned workspace is stored with it. Follow it with `rebut watch ID`; `rebut resume ID` writes its documents here.
    #[arg(long, conflicts_with_all = ["dry_run", "detach"])]
    pub(crate) queue: bool,
    /// Notify at the end: on the desktop, else with the terminal's bell (always: `output.notify`)
    #[arg(long, conflicts_with_all = ["detach", "queue"])]
    notify: bool,
}

impl DebateFlags {
    /// Those of a command that has no others.
    pub(crate) fn run_or_plan(dry_run: bool) -> Self {
        Self { dry_run, ..Self::default() }
    }

    pub(crate) fn set_flags(&self, app: &mut App) -> Result<(), CommandError> {
        app.screen.notifies |= self.notify;
        let flags = [(self.fetch_sources, true, "--fetch-sources"), (self.no_fetch_sources, false, "--no-fetch-sources")];
        app.set_flags(
            flags.map(|(given, value, flag)| ("evidence.fetch_sources", given.then_some(Value::Boolean(value)), flag)),
        )
    }

    /// What evidence is checked against: the workspace as it is now, or nothing.
    pub(crate) fn snapshot(&self, app: &App) -> Snapshot {
        if self.no_workspace {
            Snapshot::nothing("--no-workspace keeps workspace files out of the debate")
        } else {
            app.snapshot()
        }
    }

    /// What these flags say to the planning of a debate on this snapshot. `table` holds the settings of its format.
    pub(crate) fn common(&self, app: &App, table: &str, snapshot: &Snapshot) -> Result<planning::Common, CommandError> {
        Ok(planning::Common {
            // Without snapshot the folder may be the home folder, with all its keys.
            workspace_readable: !self.no_workspace && snapshot.is_any(),
            evidence: Some(EvidenceRules {
                scope: snapshot.scope().clone(),
                commands: self.allow_checks.map(|_| app.layers.settings().checks.keys().cloned().collect()),
                run_on: self.allow_checks.unwrap_or_default(),
                fetch_sources: app.layers.settings().evidence.fetch_sources.unwrap_or(false),
            }),
            explain_seats: self.explain_seats,
            prompts: read_prompts(&app.places, self.trust_project_prompts)?,
            judges: KnownJudges::of(&app.state),
            own_files: OwnFiles::of(&app.state),
            notes: app.layers.notes(&[table, "budget", "limits"]),
            seed: None,
        })
    }
}

/// What changes in a debate that already has answers.
#[derive(Debug, Args)]
pub(crate) struct ChangeFlags {
    /// Replace the judge or moderator: `tool` or `tool:model`
    #[arg(long, value_name = "SEAT", visible_alias = "moderator")]
    pub(crate) judge: Option<String>,
    /// Replace the proposer of a duel
    #[arg(long, value_name = "SEAT")]
    proposer: Option<String>,
    /// Replace the challenger of a duel
    #[arg(long, value_name = "SEAT")]
    challenger: Option<String>,
    /// Replace the critic of a review
    #[arg(long, value_name = "SEAT")]
    critic: Option<String>,
    /// Replace a seat by its name in the plan: `partner-b=gemini`
    #[arg(long, value_name = "NAME=SEAT", value_parser = named_seat)]
    seat: Vec<(String, String)>,
    /// Number of rounds in total (duel and review 1–5, cross 1–10, panel 1–20)
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) rounds: Option<u32>,
}

impl ChangeFlags {
    pub(crate) fn amend(&self, app: &App, debate: &Debate, plan: &mut Plan) -> Result<Amendment, CommandError> {
        let (place, mut amendment) = (app.place_in(plan), Amendment::default());
        let settings = app.layers.settings();
        let transport = match plan.format.as_str() {
            "review" => settings.review.transport,
            "ask" | "cross" => settings.cross.transport,
            "panel" => settings.panel.transport,
            _ => settings.duel.transport,
        };
        let judge = self.judge.iter().map(|seat| (SeatName::new(debate.format().features().judge), seat.as_str()));
        for (name, wanted) in judge.chain(self.other_seats(debate)?) {
            let seat = app.planner(&place).seat(name.as_str(), wanted, plan.effort, transport)?;
            plan.seats.insert(name.clone(), seat.clone());
            amendment.seats.insert(name, seat);
        }
        if let Some(rounds) = self.rounds {
            let most = debate.format().most_rounds(plan)?;
            if rounds > most {
                let what = &plan.format;
                return Err(CommandError::usage(format!(
                    "--rounds {rounds} is too many; a {what} has at most {most} rounds"
                )));
            }
            amendment.rounds = Some(rounds);
            debate.format().set_rounds(&mut plan.setup, rounds);
        }
        Ok(amendment)
    }

    /// The seats to replace besides the judge's, by their names in the plan.
    pub(crate) fn other_seats(&self, debate: &Debate) -> Result<Vec<(SeatName, &str)>, CommandError> {
        let flags = [("proposer", &self.proposer), ("challenger", &self.challenger), ("critic", &self.critic)].into_iter();
        let flags = flags.filter_map(|(name, seat)| Some((name, seat.as_deref()?)));
        let named = self.seat.iter().map(|(name, seat)| (name.as_str(), seat.as_str()));
        let seats = &debate.plan().seats;
        // As people type a seat's title: `Partner B` is `partner-b`.
        let typed = |key: &SeatName| debate.format().seat_title(debate.plan(), key).to_lowercase().replace(' ', "-");
        let find = |(name, seat): (&str, _)| {
            let key = seats.keys().find(|key| key.as_str() == name || typed(key) == name.to_lowercase());
            key.map(|key| (key.clone(), seat)).ok_or_else(|| {
                let known: Vec<String> = seats.keys().map(typed).collect();
                CommandError::usage(format!("this {} has no seat `{name}`", debate.plan().format))
                    .hint(format!("its seats: {}", known.join(", ")))
            })
        };
        flags.chain(named).map(find).collect()
    }
}

fn named_seat(text: &str) -> Result<(String, String), &'static str> {
    let (name, seat) = text.split_once('=').ok_or("expected NAME=SEAT, such as partner-b=gemini")?;
    Ok((name.trim().to_owned(), seat.trim().to_owned()))
}

/// The words of a topic or question, joined. One that contains what looks like a flag is an error: it was meant as one.
fn topic_of(words: &[OsString], what: &str) -> Result<String, CommandError> {
    let text = joined(words)?;
    match flag_in(&text) {
        None => Ok(text),
        Some(flag) => Err(CommandError::usage(format!("the {what} contains {flag}, which looks like a flag"))
            .hint(format!("put flags outside the quotes; to write about one, put it in backticks: `{flag}`"))),
    }
}

const TOPIC_HELP: &str =
    "A decision or a question in your own words. `claude vs codex: TOPIC` picks the debaters, \", 3 rounds\" the length.";

/// The longest topic: it goes into every prompt.
const MOST_TOPIC_BYTES: usize = 400_000;
const MOST_STDIN_BYTES: u64 = 16 << 20;

/// The topic or question: the words, standard input for `-`, or the answer to a prompt on the terminal.
pub(crate) fn read_topic(screen: &Screen, words: &[OsString], what: &str, command: &str) -> Result<String, CommandError> {
    let text = topic_of(words, what)?;
    let text = if text == "-" { topic_on_stdin(screen, what)? } else { text };
    if text.len() > MOST_TOPIC_BYTES {
        let most = MOST_TOPIC_BYTES / 1_000;
        return Err(CommandError::usage(format!("the {what} has {} kB; the limit is {most} kB", text.len() / 1_000))
            .hint("attach long material with --context file=PATH"));
    }
    let given = Some(text).filter(|text| !text.trim().is_empty());
    let asked = given.or_else(|| screen.ask(&format!("What is the {what}?"), TOPIC_HELP).filter(|line| !line.is_empty()));
    asked.ok_or_else(|| {
        CommandError::usage(format!("no {what} given"))
            .hint(format!("rebut {command} \"Should we …?\", or `-` to read it from standard input"))
    })
}

fn topic_on_stdin(screen: &Screen, what: &str) -> Result<String, CommandError> {
    let text = String::from_utf8(read_stdin(screen, MOST_STDIN_BYTES)?);
    let text = text.map_err(|_| CommandError::usage(format!("the {what} on standard input is not UTF-8")))?;
    if text.trim().is_empty() { Err(CommandError::usage(format!("no {what} on standard input"))) } else { Ok(text) }
}

pub(crate) fn read_stdin(screen: &Screen, most: u64) -> Result<Vec<u8>, CommandError> {
    if screen.serves {
        return Err(CommandError::usage("there is no standard input to read here; pass the text itself"));
    }
    let mut bytes = Vec::new();
    let read = std::io::stdin().lock().take(most + 1).read_to_end(&mut bytes);
    read.map_err(|error| CommandError::failed(format!("can't read standard input: {error}")))?;
    if bytes.len() as u64 > most {
        return Err(CommandError::usage(format!("standard input is larger than the limit of {most} bytes")));
    }
    Ok(bytes)
}

/// The bytes of a file, or of standard input for `-`, up to a limit.
pub(crate) fn read_input(screen: &Screen, file: &Path, most: u64) -> Result<Vec<u8>, CommandError> {
    if file.as_os_str() == "-" {
        return read_stdin(screen, most);
    }
    read_given(file, most).map_err(|error| CommandError::unreadable(file, &error))
}

pub(crate) fn host() -> impl TypedValueParser<Value = Host> {
    PossibleValuesParser::new(Host::all().map(Host::tool))
        .try_map(|name| Host::named(&name).ok_or_else(|| format!("unknown tool `{name}`")))
}

pub(crate) fn seed(text: &str) -> Result<String, &'static str> {
    const LONGEST: usize = 100;
    let is_one = !text.trim().is_empty() && text.chars().count() <= LONGEST && !text.contains(char::is_control);
    if is_one { Ok(text.trim().to_owned()) } else { Err("expected a number or up to 100 characters of text") }
}

/// A whole number; the settings check its range, as for every source.
pub(crate) fn whole_number(text: &str) -> Result<i64, &'static str> {
    text.parse().map_err(|_| "expected a whole number")
}

fn number(text: &str) -> Result<Value, &'static str> {
    let whole = text.parse().map(Value::Integer);
    whole.or_else(|_| text.parse().map(Value::Float)).map_err(|_: std::num::ParseFloatError| "expected a number")
}

/// A value in a smaller unit, rounded up.
pub(crate) fn above_zero(value: Option<f64>, unit: f64, flag: &str) -> Result<Option<u64>, CommandError> {
    let Some(value) = value else { return Ok(None) };
    let units = (value * unit).ceil();
    if !(value > 0.0 && units <= 9e15) {
        return Err(CommandError::usage(format!("invalid value {value} for {flag}: expected a number above 0")));
    }
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "the range is checked first")]
    Ok(Some(units as u64))
}
