//! The person's word on a lineup that the chair has proposed, and the way on from there.

use std::path::{Path, PathBuf};

use rebut_core::debate::{Amendment, Debate, NewVersion, Payload, Plan, SeatPlan};
use rebut_core::formats::panel::{Debater, LineupWord, MOST_CHANGES, Office, awaited_lineup, setup};
use rebut_engine::planning::{Place, read_lineup, seat_lineup};
use rebut_engine::redact::redact;
use rebut_engine::runner::Chooser;
use rebut_engine::session::release_output;
use serde_json::json;
use tokio_util::sync::CancellationToken;

use crate::desk::Desk;
use crate::error::{CommandError, Exit};
use crate::running::{self, Shown};
use crate::terminal::{has_terminal, question};

/// Whether a lineup is taken unseen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Consent {
    /// It is shown and asked about, where there is a terminal.
    Asked,
    /// It is taken.
    Given,
}

impl Consent {
    pub(crate) fn of(yes: bool) -> Self {
        if yes || !has_terminal() { Self::Given } else { Self::Asked }
    }
}

/// What the person says.
enum Word {
    Taken(Vec<Debater>),
    Changed(String),
    GivenUp,
}

/// Goes on with a panel for as long as its lineup waits for a word, and says how it ended.
pub(crate) fn settle_and_conclude(
    desk: &Desk,
    mut debate: Debate,
    folder: &Path,
    consent: Consent,
    signal: &CancellationToken,
) -> Result<Exit, CommandError> {
    while let Some(lineup) = awaited_lineup(&debate) {
        show(desk, debate.plan(), &lineup);
        let word = match consent {
            Consent::Given => Word::Taken(lineup),
            Consent::Asked => ask(desk, &debate, lineup, signal)?,
        };
        let amendment = match word {
            Word::Taken(debaters) => take(desk, debate.plan(), debaters)?,
            Word::Changed(wish) => {
                let change = Some(Payload::of(LineupWord::Changed { wish }));
                Amendment { change, ..Amendment::default() }
            }
            Word::GivenUp => {
                let id = &debate.plan().id;
                let told = format!("nothing was debated; take the lineup up again with: rebut resume {id}");
                release_output(debate.plan());
                desk.screen.error_line("given up", &told);
                desk.screen.json(|| running::result(&debate, folder, Exit::Cancelled, NewVersion::default()));
                return Ok(Exit::Cancelled);
            }
        };
        debate = go_on(desk, &debate, amendment, signal)?;
    }
    // A debate that did not start leaves no empty folder behind.
    release_output(debate.plan());
    let missing = desk.sessions()?.missing_documents(&debate);
    let exit = match running::exit_of(&debate) {
        Exit::Done if !missing.is_empty() => Exit::Partial,
        exit => exit,
    };
    let exit = running::conclude(&desk.screen, &debate, folder, exit);
    if !missing.is_empty() {
        running::tell_missing(&desk.screen, &debate, &missing);
    }
    Ok(exit)
}

/// The debaters with their seats.
fn take(desk: &Desk, plan: &Plan, debaters: Vec<Debater>) -> Result<Amendment, CommandError> {
    let place = Place { folder: desk.place.folder.clone(), workspace: plan.workspace.clone().into() };
    Ok(seat_lineup(plan, debaters, desk.layers.settings(), &desk.providers, &place)?)
}

/// Takes the debate up where it waits, and runs it.
fn go_on(desk: &Desk, debate: &Debate, amendment: Amendment, signal: &CancellationToken) -> Result<Debate, CommandError> {
    let sessions = desk.sessions()?;
    let mut shown = Shown::new(&desk.screen);
    running::runtime()?.block_on(async {
        let open = sessions.go_on(debate).await?;
        if let Some(note) = &open.note {
            desk.screen.note(note);
        }
        let session = open.resume(amendment, &mut shown, signal).await?;
        Ok(session.run(Chooser::Recommendation, signal, &mut shown).await?)
    })
}

fn show(desk: &Desk, plan: &Plan, lineup: &[Debater]) {
    let reporter = plan.seat(&Office::Reporter.seat());
    let by_default = setup(plan).map(|setup| setup.seats_by_default(lineup, reporter)).unwrap_or_default();
    desk.screen.json(|| json!({ "type": "lineup", "id": plan.id, "debaters": lineup }));
    if desk.screen.quiet {
        return;
    }
    let mut text = String::from("# The chair proposes\n");
    for ((debater, by_default), number) in lineup.iter().zip(by_default).zip(1..) {
        let Debater { name, persona, starting_position, incentives, model } = debater;
        let model = model.clone().or_else(|| by_default.map(SeatPlan::spec)).unwrap_or_default();
        let told = format!(
            "\n{number}. {name} ({model})\n   {persona}\n   Position: {starting_position}\n   Incentives: {incentives}\n"
        );
        text.push_str(&told);
    }
    desk.screen.text(&text);
}

/// Asks until there is a word that can be followed. An end of the input, or a signal, is a word too.
fn ask(desk: &Desk, debate: &Debate, lineup: Vec<Debater>, signal: &CancellationToken) -> Result<Word, CommandError> {
    let changes = setup(debate.plan()).map_or(0, |setup| setup.wishes.len());
    let may_change = changes < MOST_CHANGES;
    let change = if may_change { "c change it in your words, " } else { "" };
    let line = |text: &str| -> Result<Option<String>, CommandError> {
        let answer = question(&desk.screen, text);
        running::runtime()?.block_on(async {
            tokio::select! {
                biased;
                () = signal.cancelled() => Ok(None),
                line = answer => Ok(line),
            }
        })
    };
    loop {
        let options = format!("a approve, {change}r replace it by a file of yours, g give up [a]:");
        let Some(answer) = line(&options)? else { return Ok(Word::GivenUp) };
        match answer.to_lowercase().as_str() {
            "" | "a" | "approve" | "y" | "yes" => return Ok(Word::Taken(lineup)),
            "c" | "change" if may_change => {
                let Some(wish) = line("What shall be different?")? else { return Ok(Word::GivenUp) };
                if !wish.is_empty() {
                    return Ok(Word::Changed(redact(&wish).into_owned()));
                }
            }
            "r" | "replace" => {
                let Some(file) = line("The file with your lineup (TOML or JSON):")? else { return Ok(Word::GivenUp) };
                match read_lineup(&desk.place.folder.join(PathBuf::from(file))) {
                    Ok(debaters) => return Ok(Word::Taken(debaters)),
                    Err(error) => desk.screen.error_line("error", &error.to_string()),
                }
            }
            "g" | "give up" | "n" | "no" | "q" => return Ok(Word::GivenUp),
            "c" | "change" => desk.screen.error_text("It was changed once; approve it, replace it or give up."),
            other => desk.screen.error_text(&format!("`{other}` is none of these.")),
        }
    }
}
