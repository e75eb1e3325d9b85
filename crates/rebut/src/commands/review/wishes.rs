//! What a person wants done with a review once it has ended: its version taken over, and a word for CI.

use std::path::Path;

use clap::ValueEnum;
use rebut_core::debate::{Debate, NewVersion};
use rebut_core::formats::review::diff::FileDiff;
use rebut_core::formats::review::{Severity, decision, is_code, remaining, revisions, setup, taken, unproven};
use rebut_engine::workspace::apply_to_workspace;

use crate::desk::Desk;
use crate::error::Exit;
use crate::running;

/// Which findings must not remain.
#[derive(Clone, Copy, Debug, ValueEnum)]
pub(crate) enum FailOn {
    /// Correctness, security, reliability
    P1,
    /// Also what weighs on maintenance, performance or compatibility
    P2,
}

/// What is wanted of a review beyond its decision.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Wishes {
    /// Whether its version is written to the working tree.
    pub(crate) apply: bool,
    /// Which findings must not remain.
    pub(crate) fail_on: Option<FailOn>,
}

impl Wishes {
    /// Whether anything is wanted.
    pub(crate) fn any(self) -> bool {
        self.apply || self.fail_on.is_some()
    }

    /// Takes the version over, tells what the review came to, and gives the exit code of it all.
    pub(crate) fn conclude(self, desk: &Desk, debate: &Debate, folder: &Path, exit: Exit) -> Exit {
        let wanted = self.apply && exit == Exit::Done;
        let taken_over = wanted && take_over(desk, debate);
        let failed = wanted && !taken_over && !taken(debate).is_empty();
        // It was reviewed; only the last step was not done.
        let exit = if failed { Exit::Partial } else { exit };
        let unread = if self.fail_on.is_some() && exit == Exit::Done { unread_code(debate) } else { Vec::new() };
        let exit = if unread.is_empty() { exit } else { Exit::Partial };
        let version = if taken_over { NewVersion::TakenOver } else { NewVersion::Proposed };
        if taken_over {
            let failed = desk.sessions().map(|sessions| sessions.render_taken_over(debate)).unwrap_or_default();
            for (path, error) in failed {
                desk.screen.note(&format!("{} could not be written: {error}", path.display()));
            }
        }
        let found = self.found(debate, version).filter(|_| matches!(exit, Exit::Done | Exit::Partial));
        let (exit, line) = found.map_or((exit, None), |(exit, line)| (exit, Some(line)));
        let exit = running::conclude_after(&desk.screen, debate, folder, exit, version);
        if let Some(line) = line {
            desk.screen.error_line("findings", &line);
        }
        if !unread.is_empty() {
            let unread = unread.join(", ");
            desk.screen.error_line("unread", &format!("git treats this code as binary, so it was not reviewed: {unread}"));
        }
        exit
    }

    /// The exit code for findings that must not remain, and a line that says so: a valid one fails, and one that still
    /// needs evidence leaves it open.
    fn found(self, debate: &Debate, version: NewVersion) -> Option<(Exit, String)> {
        let (least, named) = match self.fail_on? {
            FailOn::P1 => (Severity::P1, "P1"),
            FailOn::P2 => (Severity::P2, "P1 or P2"),
        };
        match (remaining(debate, least, version), unproven(debate, least)) {
            (0, 0) => None,
            (0, 1) => Some((Exit::Partial, format!("1 finding called {named} still needs evidence"))),
            (0, count) => Some((Exit::Partial, format!("{count} findings called {named} still need evidence"))),
            (1, _) => Some((Exit::Findings, format!("1 valid finding of {named} remains"))),
            (count, _) => Some((Exit::Findings, format!("{count} valid findings of {named} remain"))),
        }
    }
}

/// Code by its name or its mode that git takes for binary. One NUL byte is enough for that, and shells pass over it.
fn unread_code(debate: &Debate) -> Vec<String> {
    let Some(review) = setup(debate.plan()) else { return Vec::new() };
    let is_unread = |file: &&FileDiff| {
        let ending = file.new.as_deref().and_then(|path| Path::new(path).extension()?.to_str()).unwrap_or_default();
        file.binary && (is_code(&ending.to_lowercase()) || file.executable)
    };
    review.artifact.diff().files.iter().filter(is_unread).filter_map(|file| file.new.clone()).collect()
}

/// Writes what the review made of the files to the working tree; says so, or why not.
fn take_over(desk: &Desk, debate: &Debate) -> bool {
    let patches: Vec<String> = taken(debate).into_iter().map(str::to_owned).collect();
    if patches.is_empty() && !revisions(debate).is_empty() {
        let decision = decision(debate).map_or("nothing", |decision| decision.as_str());
        let id = &debate.plan().id;
        desk.screen.note(&format!(
            "--apply: the decision is \"{decision}\", so that nothing is written; the patch is kept: rebut export {id} --as patch"
        ));
        return false;
    }
    if patches.is_empty() {
        desk.screen.note("--apply: the review has no patch for files of the workspace, so that nothing is written");
        return false;
    }
    match apply_to_workspace(Path::new(&debate.plan().workspace), &patches) {
        Ok(files) => {
            desk.screen.note(&format!("written to the working tree, nothing staged: {}", files.join(", ")));
            true
        }
        Err(error) => {
            desk.screen.error_line("error", &error.to_string());
            desk.screen.error_line("hint", &format!("the patch is kept: rebut export {} --as patch", debate.plan().id));
            false
        }
    }
}
