//! What to do with the result of a review: apply the new version, fail in CI.

use std::path::Path;

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use rebut_core::debate::{Debate, NewVersion, Plan};
use rebut_core::diff::FileDiff;
use rebut_core::formats::review::{History, Severity, decision, is_code, revisions, setup, taken};
use rebut_engine::workspace::apply_to_workspace;

use crate::app::App;
use crate::error::Exit;
use crate::run;

/// Reads a severity to fail on. Optional findings don't count.
pub(crate) fn fail_on() -> impl TypedValueParser<Value = Severity> {
    let p1 = PossibleValue::new("p1").help("Correctness, security, reliability");
    let p2 = PossibleValue::new("p2").help("Also maintenance, performance and compatibility");
    PossibleValuesParser::new([p1, p2]).map(|word| if word == "p1" { Severity::P1 } else { Severity::P2 })
}

#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct ResultActions {
    pub(crate) apply: bool,
    /// The least severity of which no valid finding may remain.
    pub(crate) fail_on: Option<Severity>,
}

/// For a review that was asked to fail on findings: those that remain, in a sentence.
pub(crate) fn remaining_findings(debate: &Debate) -> Option<String> {
    let actions = ResultActions::default().with_plan(debate.plan());
    actions.found(debate, NewVersion::Proposed).map(|(_, line)| line)
}

impl ResultActions {
    pub(crate) fn with_plan(self, plan: &Plan) -> Self {
        let Some(setup) = setup(plan) else { return self };
        Self { apply: self.apply || setup.apply, fail_on: self.fail_on.or(setup.fail_on) }
    }

    /// Applies the new version, prints the result, and gives the exit code.
    pub(crate) fn conclude(self, app: &App, debate: &Debate, folder: &Path) -> Exit {
        let exit = run::exit_of(debate);
        let wants_apply = self.apply && exit == Exit::Done;
        let applied = wants_apply && apply(app, debate);
        let failed = wants_apply && !applied && !taken(debate).is_empty();
        // It was reviewed; only the last step was not done.
        let exit = if failed { Exit::Partial } else { exit };
        let unread = if self.fail_on.is_some() && exit == Exit::Done { unread_code(debate) } else { Vec::new() };
        let exit = if unread.is_empty() { exit } else { Exit::Partial };
        let version = if applied { NewVersion::TakenOver } else { NewVersion::Proposed };
        if applied {
            let failed = app.sessions().map(|sessions| sessions.render_again(debate, version)).unwrap_or_default();
            for (path, error) in failed {
                app.screen.note(&format!("can't write {}: {error}", path.display()));
            }
        }
        let found = self.found(debate, version).filter(|_| matches!(exit, Exit::Done | Exit::Partial));
        let (exit, line) = found.map_or((exit, None), |(exit, line)| (exit, Some(line)));
        let exit = run::conclude_after(&app.screen, debate, folder, exit, version);
        if let Some(line) = line {
            app.screen.error_line("findings", &line);
        }
        if !unread.is_empty() {
            let unread = unread.join(", ");
            app.screen.error_line("unread", &format!("not reviewed, because git treats it as binary: {unread}"));
        }
        exit
    }

    /// The exit code for findings that must not remain, with a line for the user. One that still needs evidence leaves it
    /// open.
    fn found(self, debate: &Debate, version: NewVersion) -> Option<(Exit, String)> {
        let least = self.fail_on?;
        let named = if least == Severity::P1 { "P1" } else { "P1 or P2" };
        let history = History::of(debate);
        match (history.remaining(least, version), history.unproven(least)) {
            (0, 0) => None,
            (0, 1) => Some((Exit::Partial, format!("1 {named} finding still needs evidence"))),
            (0, count) => Some((Exit::Partial, format!("{count} {named} findings still need evidence"))),
            (1, _) => Some((Exit::Findings, format!("1 valid {named} finding remains"))),
            (count, _) => Some((Exit::Findings, format!("{count} valid {named} findings remain"))),
        }
    }
}

/// Code, by name or mode, that git treats as binary: one NUL byte is enough, and shells ignore it.
fn unread_code(debate: &Debate) -> Vec<String> {
    let Some(review) = setup(debate.plan()) else { return Vec::new() };
    let is_unread = |file: &&FileDiff| {
        let ending = file.new.as_deref().and_then(|path| Path::new(path).extension()?.to_str()).unwrap_or_default();
        file.binary && (is_code(&ending.to_lowercase()) || file.is_executable())
    };
    review.artifact.diff().files.iter().filter(is_unread).filter_map(|file| file.new.clone()).collect()
}

/// Writes the new version to the working tree; says so, or why not.
fn apply(app: &App, debate: &Debate) -> bool {
    let patches: Vec<String> = taken(debate).into_iter().map(str::to_owned).collect();
    if patches.is_empty() && !revisions(debate).is_empty() {
        let decision = decision(debate).map_or("nothing", |decision| decision.as_str());
        let id = debate.plan().id.short();
        app.screen.note(&format!(
            "--apply: nothing was written, since the decision is \"{decision}\"; the patch is saved: rebut export {id} --as patch"
        ));
        return false;
    }
    if patches.is_empty() {
        app.screen.note("--apply: nothing was written, since the review has no patch for workspace files");
        return false;
    }
    match apply_to_workspace(Path::new(&debate.plan().workspace), &patches) {
        Ok(files) => {
            app.screen.note(&format!("written to the working tree (not staged): {}", files.join(", ")));
            true
        }
        Err(error) => {
            app.screen.error_line("error", &error.to_string());
            app.screen
                .error_line("hint", &format!("the patch is saved: rebut export {} --as patch", debate.plan().id.short()));
            false
        }
    }
}
