//! The user's consent to the chair's lineup: on a terminal, with `rebut choose`, or from an MCP client.

use std::path::Path;

use rebut_core::debate::{Amendment, Choice, Debate, NewVersion, Payload, Plan, SeatPlan};
use rebut_core::formats::panel::{Debater, LineupWord, MOST_CHANGES, Office, awaited_lineup, setup};
use rebut_engine::planning::{read_lineup, seat_lineup};
use rebut_engine::redact::redact;
use rebut_engine::runner::Chooser;
use rebut_engine::session::release_output;
use serde_json::json;
use tokio_util::sync::CancellationToken;

use crate::app::App;
use crate::commands::FormatFlags;
use crate::error::{CommandError, Exit};
use crate::run::{self, SessionView};
use crate::terminal::{has_terminal, question};

pub(crate) const REPLACE: &str = "replace";

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Consent {
    Asked,
    Given,
    /// Wait for `rebut choose` or `debate_choose`.
    Later,
}

impl Consent {
    pub(crate) fn in_foreground(yes: bool) -> Self {
        if yes || !has_terminal() { Self::Given } else { Self::Asked }
    }

    /// For a panel that goes on, perhaps in the background.
    pub(crate) fn of(flags: &FormatFlags, plan: &Plan) -> Self {
        let yes = flags.yes || setup(plan).is_some_and(|setup| setup.accepts_lineup);
        if flags.worker.is_some() && !yes { Self::Later } else { Self::in_foreground(yes) }
    }
}

/// The choice that a panel offers while its lineup waits.
pub(crate) fn offered(debate: &Debate) -> Option<Choice> {
    let lineup = awaited_lineup(debate).filter(|_| debate.format().waits_for_user(debate))?;
    let mut options = vec![("approve".to_owned(), "debate with this lineup".to_owned())];
    if may_change(debate.plan()) {
        options.push(("change".to_owned(), "describe what the chair should change".to_owned()));
    }
    options.push((REPLACE.to_owned(), "use your own lineup file (TOML or JSON)".to_owned()));
    let question = format!("{}\nDebate with this lineup?", listed(debate.plan(), &lineup));
    Some(Choice { question, options, recommended: "approve".to_owned() })
}

/// What a choice among those offered changes in the debate. `text` is what to change, or the file to use.
pub(crate) fn chosen(app: &App, debate: &Debate, option: &str, text: Option<&str>) -> Result<Amendment, CommandError> {
    let plan = debate.plan();
    let text = text.map(str::trim).filter(|text| !text.is_empty());
    match (option.trim().to_lowercase().as_str(), text) {
        ("approve", None) => seated(app, plan, awaited_lineup(debate).unwrap_or_default()),
        ("change", Some(wish)) if may_change(plan) => {
            let change = Some(Payload::of(LineupWord::Changed { wish: redact(wish).into_owned() }));
            Ok(Amendment { change, ..Amendment::default() })
        }
        ("change", None) => Err(CommandError::usage("say what to change")),
        (REPLACE, Some(file)) => seated(app, plan, read_lineup(&app.place.folder.join(file))?),
        (REPLACE, None) => Err(CommandError::usage("name the lineup file")),
        _ => {
            let offered = offered(debate).map(|choice| choice.options).unwrap_or_default();
            let names: Vec<&str> = offered.iter().map(|(name, _)| name.as_str()).collect();
            Err(CommandError::usage(format!("`{option}` is not an option; choose {}", names.join(", "))))
        }
    }
}

fn may_change(plan: &Plan) -> bool {
    setup(plan).is_some_and(|setup| setup.wishes.len() < MOST_CHANGES)
}

fn seated(app: &App, plan: &Plan, debaters: Vec<Debater>) -> Result<Amendment, CommandError> {
    Ok(seat_lineup(plan, debaters, app.planner(&app.place_in(plan)))?)
}

/// Continues a panel for as long as its lineup waits, and prints the result.
pub(crate) fn settle_and_conclude(
    app: &App,
    mut debate: Debate,
    folder: &Path,
    consent: Consent,
    signal: &CancellationToken,
) -> Result<Exit, CommandError> {
    while let Some(lineup) = awaited_lineup(&debate) {
        let id = debate.plan().id.clone();
        app.screen.json(|| json!({ "type": "lineup", "id": id, "debaters": lineup }));
        if !app.screen.quiet {
            app.screen.text(&format!("The chair proposes:\n{}", listed(debate.plan(), &lineup)));
        }
        let amendment = match consent {
            Consent::Given => Some(seated(app, debate.plan(), lineup)?),
            Consent::Asked => ask(app, &debate, signal),
            Consent::Later => {
                app.screen.note(&format!("the lineup is waiting for your approval: rebut choose {}", id.short()));
                return Ok(Exit::Partial);
            }
        };
        let Some(amendment) = amendment else {
            release_output(debate.plan());
            app.screen.error_line(
                "given up",
                &format!("nothing was debated; return to the lineup with: rebut resume {}", id.short()),
            );
            app.screen.json(|| run::result(&debate, folder, Exit::Cancelled, NewVersion::default()));
            return Ok(Exit::Cancelled);
        };
        debate = go_on(app, &debate, amendment, signal)?;
    }
    // A debate that did not start leaves no empty folder.
    release_output(debate.plan());
    let missing = app.sessions()?.missing_documents(&debate);
    let exit = match run::exit_of(&debate) {
        Exit::Done if !missing.is_empty() => Exit::Partial,
        exit => exit,
    };
    let exit = run::conclude_after(&app.screen, &debate, folder, exit, NewVersion::Proposed);
    if !missing.is_empty() {
        run::report_missing(&app.screen, &debate, &missing);
    }
    Ok(exit)
}

fn go_on(app: &App, debate: &Debate, amendment: Amendment, signal: &CancellationToken) -> Result<Debate, CommandError> {
    let sessions = app.sessions()?;
    let mut view = SessionView::new(&app.screen);
    app.wait(async {
        let open = sessions.go_on(debate).await?;
        if let Some(note) = &open.note {
            app.screen.note(note);
        }
        let session = open.resume(amendment, &mut view, signal).await?;
        session.run(Chooser::Recommendation, signal, &mut view).await
    })
}

/// The debaters, with the seats that would play them.
fn listed(plan: &Plan, lineup: &[Debater]) -> String {
    let reporter = plan.seat(&Office::Reporter.seat());
    let by_default = setup(plan).map(|setup| setup.seats_by_default(lineup, reporter)).unwrap_or_default();
    let debaters = lineup.iter().zip(by_default).zip(1..).map(|((debater, by_default), number)| {
        let Debater { name, persona, starting_position, incentives, model } = debater;
        let model = model.clone().or_else(|| by_default.map(SeatPlan::spec)).unwrap_or_default();
        format!(
            "\n{number}. {name} ({model})\n   {persona}\n   Position: {starting_position}\n   Incentives: {incentives}\n"
        )
    });
    debaters.collect()
}

/// Asks until the answer is understood. The end of the input, or a signal, gives up.
fn ask(app: &App, debate: &Debate, signal: &CancellationToken) -> Option<Amendment> {
    let line = |text: &str| {
        let help = "The panel starts with the debaters above once you approve them. Ctrl-C leaves the lineup for later.";
        let answer = question(&app.screen, text, help);
        app.runtime.block_on(async { signal.run_until_cancelled(answer).await.flatten() })
    };
    let may_change = may_change(debate.plan());
    let change = if may_change { "c describe a change, " } else { "" };
    loop {
        let options = format!("a approve, {change}r replace it with a file, g give up [a]:");
        let answer = line(&options)?;
        let (option, more) = match answer.to_lowercase().as_str() {
            "" | "a" | "approve" | "y" | "yes" => ("approve", None),
            "c" | "change" if may_change => ("change", Some("What should be different?")),
            "r" | "replace" => (REPLACE, Some("The file with your lineup (TOML or JSON):")),
            "g" | "give up" | "n" | "no" | "q" => return None,
            other => {
                app.screen.error_text(&format!("`{other}` is not an option."));
                continue;
            }
        };
        let text = more.map(line);
        if text == Some(None) {
            return None;
        }
        match chosen(app, debate, option, text.flatten().as_deref()) {
            Ok(amendment) => return Some(amendment),
            Err(error) => app.screen.error_line("error", &error.to_string()),
        }
    }
}
