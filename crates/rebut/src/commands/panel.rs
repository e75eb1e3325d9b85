//! `rebut panel`

mod documents;
mod lineup;

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use clap::Args;
use rebut_core::debate::{Chance, Debate, Plan};
use rebut_engine::chance;
use rebut_engine::clock::Clock;
use rebut_engine::config::Settings;
use rebut_engine::planning::{PanelRequest, plan_panel, read_lineup};
use rebut_engine::providers::Transport;
use tokio_util::sync::CancellationToken;
use toml::Value;

use crate::asked::Asked;
use crate::desk::Desk;
use crate::error::{CommandError, Exit};
use crate::running::{self, Manner};
use crate::terminal::Screen;
use crate::terms::{Bounds, Terms, read_stdin, seed, topic_of, whole_number};

use self::lineup::Consent;
use super::Said;

/// Two to eight personas debate before a chair, with a verifier of sources, an audience, a reporter and an assessor
#[derive(Debug, Args)]
#[command(after_long_help = EXAMPLES)]
pub(crate) struct Panel {
    /// What is debated, or `-` to read it from standard input
    #[arg(value_name = "TOPIC")]
    topic: Vec<OsString>,
    /// Who debates: a file in TOML or JSON with name, persona, starting_position, incentives and perhaps model for each
    #[arg(long, value_name = "FILE", conflicts_with = "with")]
    debaters: Option<PathBuf>,
    /// Whom you want to hear, in your words; the chair makes a lineup of it
    #[arg(long, value_name = "HINTS")]
    with: Option<String>,
    /// Take the lineup that the chair proposes without asking
    #[arg(long, short)]
    yes: bool,
    /// The folder for the documents [default: output/TIME-TOPIC]
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Rounds that are held at least, 1 to 20 [default: 3]
    #[arg(long, value_name = "N", allow_negative_numbers = true, value_parser = whole_number)]
    min_rounds: Option<i64>,
    /// Rounds that are held at most, 1 to 20 [default: 8]
    #[arg(long, value_name = "N", allow_negative_numbers = true, value_parser = whole_number)]
    max_rounds: Option<i64>,
    /// Minutes after which no further round begins [default: 30]
    ///
    /// It is looked at between rounds, and never ends a debate before its least rounds; --max-minutes is the hard limit, and
    /// leads to the judgement.
    #[arg(long, value_name = "MINUTES", allow_negative_numbers = true, value_parser = whole_number)]
    time_budget: Option<i64>,
    /// Who leads the debate and judges it: `tool` or `tool:model`
    #[arg(long, value_name = "SEAT")]
    chair: Option<String>,
    /// Who says whether a source supports its claim
    #[arg(long, value_name = "SEAT")]
    verifier: Option<String>,
    /// Who asks questions after each round
    #[arg(long, value_name = "SEAT")]
    audience: Option<String>,
    /// Who writes the documents; also plays debaters without a model [default for these: different vendors]
    #[arg(long, value_name = "SEAT")]
    reporter: Option<String>,
    /// Who judges how well the debate was held
    #[arg(long, value_name = "SEAT")]
    assessor: Option<String>,
    /// Let seats search the web with their tool's own search, where it has one
    #[arg(long)]
    web: bool,
    #[command(flatten)]
    bounds: Bounds,
    #[command(flatten)]
    terms: Terms,
    /// What chance is drawn from: with the same seed, models that take one say the same again on the same machine
    #[arg(long, value_name = "N|TEXT", value_parser = seed)]
    seed: Option<String>,
}

const EXAMPLES: &str = "\
Examples:
  rebut panel \"Should AI code review replace human review?\"
  rebut panel \"Four-day week?\" --with \"a VC and a labour economist\"
  rebut panel \"Rewrite it in Rust?\" --debaters panel.toml --max-rounds 4 --out docs/rust-panel
  rebut panel \"Monorepo?\" --chair claude:opus --verifier gemini --reporter codex --yes --json
  rebut check-log output/*/debate-log.jsonl

A lineup in TOML:
  [[debaters]]
  name = \"labour-economist\"
  persona = \"Has studied working hours for twenty years.\"
  starting_position = \"Shorter weeks pay for themselves.\"
  incentives = \"Being right about productivity.\"
  model = \"claude:opus\"                              # optional

On a terminal the lineup that the chair proposes is shown, and you approve it, change it once,
replace it or give up. Without a terminal, with --yes or with --detach it is taken.

Exit codes: 0 concluded (a win, a draw or void) and every document written, 1 it did not start or
nobody argued, 2 usage, 3 no conclusion, a document is missing, or the budget ran out, 130 cancelled
or given up";

impl Panel {
    pub(crate) fn asked(&self) -> Asked {
        let seats = [&self.chair, &self.verifier, &self.audience, &self.reporter, &self.assessor];
        let mut asked = Asked::of(!self.topic.is_empty(), &self.terms).seats(seats.into_iter().flatten());
        asked.takes_lineup = self.yes;
        asked.context(&self.bounds.context).files(self.debaters.iter().chain(&self.out).cloned())
    }

    pub(crate) fn run(self, mut desk: Desk) -> Result<Exit, CommandError> {
        let topic = self.read_topic(&desk.screen)?;
        self.set_flags(&mut desk)?;
        let desk = desk;
        let clock = Clock::start();
        let debaters = match &self.debaters {
            Some(file) => read_lineup(&desk.place.folder.join(file))?,
            None => Vec::new(),
        };
        let output = documents::folder(&desk.place, self.out.as_deref(), clock.now(), &topic)?;
        let grounds = self.terms.survey(&desk);
        let mut terms = self.terms.on(&desk, "panel", &grounds, desk.layers.ai_debate_notes())?;
        if let Some(evidence) = &mut terms.evidence {
            evidence.fetch_sources = desk.layers.settings().evidence.fetch_sources.unwrap_or(true);
        }
        let request = PanelRequest {
            topic,
            debaters,
            hints: self.with.clone().unwrap_or_default(),
            output,
            web: self.web,
            context: self.bounds.context.clone(),
            terms,
        };
        let chance = self.seed.as_ref().map_or_else(chance::draw, Chance::from_nonce);
        let settings = desk.layers.settings();
        let plan = plan_panel(request, settings, &desk.providers, &desk.place, running::no_id_yet(&clock), chance)?;
        running::hold(&desk, plan, grounds, &self.terms, &Seated { consent: Consent::of(self.yes) })
    }

    fn read_topic(&self, screen: &Screen) -> Result<String, CommandError> {
        let text = topic_of(&self.topic, "topic")?;
        if text == "-" {
            return read_stdin("topic");
        }
        let asked = if text.trim().is_empty() {
            crate::terminal::ask_line(screen, "What shall be debated?").filter(|line| !line.is_empty())
        } else {
            Some(text)
        };
        asked.ok_or_else(|| {
            CommandError::usage("there is no topic")
                .hint("rebut panel \"Should we …?\", or `-` to read it from standard input")
        })
    }

    fn set_flags(&self, desk: &mut Desk) -> Result<(), CommandError> {
        let text = |text: &Option<String>| text.clone().map(Value::String);
        for (key, value, flag) in [
            ("panel.min_rounds", self.min_rounds.map(Value::Integer), "--min-rounds"),
            ("panel.max_rounds", self.max_rounds.map(Value::Integer), "--max-rounds"),
            ("panel.time_budget_minutes", self.time_budget.map(Value::Integer), "--time-budget"),
            ("panel.models.chair", text(&self.chair), "--chair"),
            ("panel.models.verifier", text(&self.verifier), "--verifier"),
            ("panel.models.audience", text(&self.audience), "--audience"),
            ("panel.models.reporter", text(&self.reporter), "--reporter"),
            ("panel.models.assessor", text(&self.assessor), "--assessor"),
        ] {
            if let Some(value) = value {
                desk.layers.set_flag(key, value, flag)?;
            }
        }
        // Whoever asks for fewer rounds than the least means these.
        if let (Some(most), None) = (self.max_rounds, self.min_rounds)
            && most < i64::from(desk.layers.settings().panel.min_rounds)
        {
            desk.layers.set_flag("panel.min_rounds", Value::Integer(most), "--max-rounds")?;
        }
        self.bounds.set_flags(desk, "panel")?;
        self.terms.set_flags(desk)?;
        let panel = &desk.layers.settings().panel;
        let (min, max) = (panel.min_rounds, panel.max_rounds);
        if min > max {
            let [of_min, of_max] = ["panel.min_rounds", "panel.max_rounds"].map(|key| desk.layers.origin(key));
            let wrong = format!("min_rounds ({min}) is more than max_rounds ({max})");
            return Err(CommandError::usage(wrong).hint(format!("min_rounds: {of_min}; max_rounds: {of_max}")));
        }
        Ok(())
    }
}

/// How a panel that is resumed is gone on with.
pub(crate) fn resumed(said: &Said, _plan: &Plan) -> Box<dyn Manner> {
    Box::new(Seated { consent: Consent::of(said.yes) })
}

/// How a panel is held: its lineup is settled in between.
struct Seated {
    consent: Consent,
}

impl Manner for Seated {
    fn transport(&self, settings: &Settings) -> Transport {
        settings.panel.transport
    }

    fn conclude(&self, desk: &Desk, debate: Debate, folder: &Path, stop: &CancellationToken) -> Result<Exit, CommandError> {
        lineup::settle_and_conclude(desk, debate, folder, self.consent, stop)
    }
}
