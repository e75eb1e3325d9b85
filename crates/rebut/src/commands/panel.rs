//! `rebut panel`

mod documents;
pub(crate) mod lineup;

use std::ffi::OsString;
use std::path::PathBuf;

use clap::Args;
use rebut_core::debate::{Chance, DebateId, Evidence, Plan, Setup};
use rebut_core::report;
use rebut_engine::chance;
use rebut_engine::clock::Clock;
use rebut_engine::config::read_prompts;
use rebut_engine::evidence::Grounds;
use rebut_engine::planning::{PanelRequest, plan_panel, read_lineup};
use toml::Value;

use crate::cli::joined;
use crate::desk::Desk;
use crate::error::{CommandError, Exit};
use crate::{asking, running, signals};

use self::lineup::Consent;

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
    #[arg(long, value_name = "N", allow_negative_numbers = true, value_parser = asking::whole_number)]
    min_rounds: Option<i64>,
    /// Rounds that are held at most, 1 to 20 [default: 8]
    #[arg(long, value_name = "N", allow_negative_numbers = true, value_parser = asking::whole_number)]
    max_rounds: Option<i64>,
    /// Minutes after which no further round begins [default: 30]
    ///
    /// It is looked at between rounds, and never ends a debate before its least rounds; --max-minutes is the hard limit.
    #[arg(long, value_name = "MINUTES", allow_negative_numbers = true, value_parser = asking::whole_number)]
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
    /// Who writes the documents; debaters without a model of their own have this one
    #[arg(long, value_name = "SEAT")]
    reporter: Option<String>,
    /// Who judges how well the debate was held
    #[arg(long, value_name = "SEAT")]
    assessor: Option<String>,
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
    #[arg(long, value_name = "SECONDS", allow_negative_numbers = true, value_parser = asking::whole_number)]
    timeout: Option<i64>,
    /// Have it judged after so many minutes, wherever it stands
    #[arg(long, value_name = "MINUTES", allow_negative_numbers = true)]
    max_minutes: Option<f64>,
    /// Have it judged before so many tokens are used
    #[arg(long, value_name = "TOKENS", allow_negative_numbers = true, value_parser = asking::whole_number)]
    max_tokens: Option<i64>,
    /// Have it judged before so many dollars are spent
    #[arg(long, value_name = "DOLLARS", allow_negative_numbers = true)]
    max_cost: Option<f64>,
    /// Seats may not read the files of the workspace, and citations of files are not looked up
    #[arg(long)]
    no_workspace: bool,
    /// Fetch the pages on the web that are cited, and look into them; else they count as unchecked
    #[arg(long)]
    fetch_sources: bool,
    /// Let seats search the web with their tool's own search, where it has one
    #[arg(long)]
    web: bool,
    /// Use the prompts in the project's .rebut/prompts; the result names them
    #[arg(long)]
    trust_project_prompts: bool,
    /// Tell everybody who could have taken a seat, in the order of preference
    #[arg(long)]
    explain_seats: bool,
    /// What chance is drawn from: with the same seed, models that take one say the same again on the same machine
    #[arg(long, value_name = "N|TEXT", value_parser = asking::seed)]
    seed: Option<String>,
    /// Show the plan and end
    #[arg(long)]
    dry_run: bool,
}

const EXAMPLES: &str = "\
Examples:
  rebut panel \"Should AI code review replace human review?\"
  rebut panel \"Four-day week?\" --with \"a VC and a labour economist\" --fetch-sources
  rebut panel \"Rewrite it in Rust?\" --debaters panel.toml --max-rounds 4 --out docs/rust-panel
  rebut panel \"Monorepo?\" --chair claude:opus --verifier gemini --reporter codex --yes --json
  rebut check-log output/*/debate-log.jsonl

A lineup in TOML:
  [[debaters]]
  name = \"labour-economist\"
  persona = \"Has studied working hours for twenty years.\"
  starting_position = \"Shorter weeks pay for themselves.\"
  incentives = \"Being right about productivity.\"
  model = \"claude:opus\"                              # or none: the reporter's

On a terminal the lineup that the chair proposes is shown, and you approve it, change it once, replace it or give up. Without
a terminal, or with --yes, it is taken.

Exit codes: 0 concluded (a win, a draw or void) and every document written, 1 it did not start or nobody argued, 2 usage,
3 no conclusion, a document is missing, or the budget ran out, 130 cancelled or given up";

impl Panel {
    pub(crate) fn run(self, mut desk: Desk) -> Result<Exit, CommandError> {
        let topic = self.read_topic()?;
        self.set_flags(&mut desk)?;
        let desk = desk;
        let clock = Clock::start();
        let debaters = match &self.debaters {
            Some(file) => read_lineup(&desk.place.folder.join(file))?,
            None => Vec::new(),
        };
        let output = documents::folder(&desk.place.folder, self.out.as_deref(), clock.now(), &topic)?;
        let grounds = if self.no_workspace {
            Grounds::nothing("--no-workspace keeps the debate out of the workspace's files")
        } else {
            Grounds::survey(&desk.place.workspace, desk.home.as_deref(), (&desk.layers.settings().evidence).into())
        };
        let request = PanelRequest {
            topic,
            debaters,
            hints: self.with.clone().unwrap_or_default(),
            output,
            web: self.web,
            context: self.context.clone(),
            workspace_readable: !self.no_workspace,
            evidence: Some(Evidence {
                scope: grounds.scope().clone(),
                commands: None,
                fetch_sources: desk.layers.settings().evidence.fetch_sources,
            }),
            explain_seats: self.explain_seats,
            prompts: read_prompts(&desk.places, self.trust_project_prompts)?,
        };
        // The id is known only once the folder is claimed, and nothing is claimed before the plan is sound.
        let no_id_yet = DebateId::new(clock.now(), 0);
        let chance = self.seed.as_ref().map_or_else(chance::draw, Chance::from_nonce);
        let plan = plan_panel(request, desk.layers.settings(), &desk.providers, &desk.place, no_id_yet, chance)?;
        if self.dry_run {
            desk.screen.text(&report::plan_text(&plan));
            desk.screen.json(|| report::plan_json(&plan));
            return Ok(Exit::Done);
        }
        self.hold(&desk, plan, grounds, clock)
    }

    /// Holds it, with a word of the person on its lineup in between.
    fn hold(&self, desk: &Desk, mut plan: Plan, grounds: Grounds, clock: Clock) -> Result<Exit, CommandError> {
        let signal = signals::listen(&desk.screen)?;
        running::fetch_weights(desk, &plan, &signal)?;
        let output = documents_of(&plan).to_owned();
        documents::create(&output)?;
        let shelved = desk.shelf.claim(clock.now(), None)?;
        plan.id = shelved.id.clone();
        let mut watchers = running::watchers(&desk.screen, &shelved.folder, &plan);
        let begun = running::begin(desk, plan, grounds, clock, &shelved, &mut watchers);
        let (runner, ground, seats) = begun.inspect_err(|_| {
            // Nothing was begun, so that nothing is kept; what cannot be removed either is shown by `list` as empty.
            let _ = desk.shelf.take_back(&shelved);
            documents::take_back(&output);
        })?;
        let debate = running::run(desk, runner, ground, seats, signal.clone(), &mut watchers)?;
        lineup::settle_and_conclude(desk, debate, &shelved, Consent::of(self.yes), &signal)
    }

    fn read_topic(&self) -> Result<String, CommandError> {
        let text = joined(&self.topic)?;
        if text == "-" {
            return asking::read_stdin("topic");
        }
        let asked = if text.trim().is_empty() {
            crate::terminal::ask_line("What shall be debated?").filter(|line| !line.is_empty())
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
            ("panel.effort", text(&self.effort), "--effort"),
            ("panel.transport", text(&self.transport), "--transport"),
            ("panel.timeout_seconds", self.timeout.map(Value::Integer), "--timeout"),
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
}

/// The folder of a panel's documents.
fn documents_of(plan: &Plan) -> &str {
    match &plan.setup {
        Setup::Panel(panel) => &panel.output,
        Setup::Duel(_) | Setup::Review(_) | Setup::Cross(_) => "",
    }
}
