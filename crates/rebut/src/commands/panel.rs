//! `rebut panel`

mod documents;
pub(crate) mod lineup;

use std::ffi::OsString;
use std::path::PathBuf;

use clap::Args;
use rebut_engine::clock::Clock;
use rebut_engine::planning::{PanelRequest, plan_panel, read_lineup};
use rebut_engine::session::Start;
use toml::Value;

use crate::app::App;
use crate::error::CommandError;
use crate::flags::{DebateFlags, LimitFlags, RIGORS, read_topic, seed, whole_number};
use crate::start::{Ready, StartsDebate};

use self::lineup::Consent;
use super::Finish;

/// Run a panel: 2–8 personas debate, with a chair, a verifier and an audience
#[derive(Debug, Args)]
#[command(after_long_help = EXAMPLES)]
pub(crate) struct Panel {
    /// The topic, or `-` to read it from standard input
    #[arg(value_name = "TOPIC")]
    topic: Vec<OsString>,
    /// Lineup file (TOML or JSON): name, persona, starting_position, incentives and optionally model per debater
    #[arg(long, value_name = "FILE", conflicts_with = "with")]
    debaters: Option<PathBuf>,
    /// Describe the debaters you want; the chair builds the lineup
    #[arg(long, value_name = "HINTS")]
    with: Option<String>,
    /// Accept the proposed lineup without asking
    #[arg(long, short)]
    yes: bool,
    /// Folder for the documents [default: output/TIME-TOPIC]
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Minimum rounds (1–20) [default: 3]
    #[arg(long, value_name = "N", allow_negative_numbers = true, value_parser = whole_number)]
    min_rounds: Option<i64>,
    /// Maximum rounds (1–20) [default: 8]
    #[arg(long, value_name = "N", allow_negative_numbers = true, value_parser = whole_number)]
    max_rounds: Option<i64>,
    /// Start no new round after N minutes [default: 30]
    ///
    /// Checked between rounds, after the minimum. --max-minutes is the hard limit and goes straight to the judgement.
    #[arg(long, value_name = "MINUTES", allow_negative_numbers = true, value_parser = whole_number)]
    time_budget: Option<i64>,
    /// How often the chair judges: quick (once), standard or thorough (twice, with the debaters reversed) [default: standard]
    #[arg(long, value_name = "RIGOR", value_parser = RIGORS)]
    rigor: Option<String>,
    /// Who leads and judges the debate: `tool` or `tool:model`
    #[arg(long, value_name = "SEAT")]
    chair: Option<String>,
    /// Who checks whether a source supports its claim
    #[arg(long, value_name = "SEAT")]
    verifier: Option<String>,
    /// Who asks questions after each round
    #[arg(long, value_name = "SEAT")]
    audience: Option<String>,
    /// Who writes the documents; also plays debaters without a model [default: different vendors]
    #[arg(long, value_name = "SEAT")]
    reporter: Option<String>,
    /// Who assesses the quality of the debate
    #[arg(long, value_name = "SEAT")]
    assessor: Option<String>,
    /// Let models search the web with their tool's own search, if it has one
    #[arg(long)]
    web: bool,
    #[command(flatten)]
    limits: LimitFlags,
    #[command(flatten)]
    flags: DebateFlags,
    /// Random seed, for models that support one
    #[arg(long, value_name = "SEED", value_parser = seed)]
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

On a terminal you approve the chair's lineup, change it once, replace it or give up. In the
background it waits for `rebut choose`. Without a terminal, or with --yes, it is accepted.

Exit codes: 0 concluded (win, draw or void) with all documents, 1 not started or no arguments,
2 usage, 3 no conclusion, a document is missing, waiting for a choice, or out of budget,
130 cancelled or given up";

impl StartsDebate for Panel {
    fn flags(&self) -> &DebateFlags {
        &self.flags
    }

    fn prepare(&self, app: &mut App) -> Result<Ready, CommandError> {
        let topic = read_topic(&app.screen, &self.topic, "topic", "panel")?;
        self.set_flags(app)?;
        let debaters = match &self.debaters {
            Some(file) => read_lineup(&app.place.folder.join(file))?,
            None => Vec::new(),
        };
        let output = documents::folder(&app.place, self.out.as_deref(), Clock::start().now(), &topic)?;
        let snapshot = self.flags.snapshot(app);
        let mut common = self.flags.common(app, "panel", &snapshot)?;
        common.seed.clone_from(&self.seed);
        if let Some(evidence) = &mut common.evidence {
            evidence.fetch_sources = app.layers.settings().evidence.fetch_sources.unwrap_or(true);
        }
        let request = PanelRequest {
            topic,
            debaters,
            hints: self.with.clone().unwrap_or_default(),
            output,
            web: self.web,
            accepts_lineup: self.yes,
            context: self.limits.context.clone(),
            common,
        };
        let plan = plan_panel(request, app.planner(&app.place))?;
        let finish = Finish::Panel(Consent::in_foreground(self.yes));
        Ok(Ready { start: Start { plan, snapshot, documents: None }, finish, understood: None })
    }
}

impl Panel {
    fn set_flags(&self, app: &mut App) -> Result<(), CommandError> {
        let text = |text: &Option<String>| text.clone().map(Value::String);
        app.set_flags([
            ("panel.min_rounds", self.min_rounds.map(Value::Integer), "--min-rounds"),
            ("panel.max_rounds", self.max_rounds.map(Value::Integer), "--max-rounds"),
            ("panel.time_budget_minutes", self.time_budget.map(Value::Integer), "--time-budget"),
            ("verdict.rigor", text(&self.rigor), "--rigor"),
            ("panel.models.chair", text(&self.chair), "--chair"),
            ("panel.models.verifier", text(&self.verifier), "--verifier"),
            ("panel.models.audience", text(&self.audience), "--audience"),
            ("panel.models.reporter", text(&self.reporter), "--reporter"),
            ("panel.models.assessor", text(&self.assessor), "--assessor"),
        ])?;
        // A maximum below the minimum sets both.
        if let (Some(most), None) = (self.max_rounds, self.min_rounds)
            && most < i64::from(app.layers.settings().panel.min_rounds)
        {
            app.layers.set_flag("panel.min_rounds", Value::Integer(most), "--max-rounds")?;
        }
        self.limits.set_flags(app, "panel")?;
        self.flags.set_flags(app)?;
        let panel = &app.layers.settings().panel;
        let (min, max) = (panel.min_rounds, panel.max_rounds);
        if min > max {
            let [of_min, of_max] = ["panel.min_rounds", "panel.max_rounds"].map(|key| app.layers.origin(key));
            let wrong = format!("min_rounds ({min}) is more than max_rounds ({max})");
            return Err(CommandError::usage(wrong).hint(format!("min_rounds: {of_min}; max_rounds: {of_max}")));
        }
        Ok(())
    }
}
