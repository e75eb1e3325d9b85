//! What of the artifact is critiqued in which call: whole where it fits, else in portions, riskiest first.

use super::portions::Portion;
use super::versions::revisions_before;
use super::{Artifact, Form, Parts, ReviewSetup, Role, Target, current_text, setup, split};
use crate::debate::{Debate, Plan, SeatName};
use crate::diff::Diff;

/// How much a seat is taken to read if its limit is unknown, in tokens.
const USUAL_CONTEXT: u64 = 100_000;
/// Tokens that are kept free for rules, task, rebuttals and the answer.
const KEPT_FREE: u64 = 8_000;
/// Bytes of an artifact that are taken for one token: code has fewer to a token than prose.
const BYTES_A_TOKEN: u64 = 3;
/// The smallest portion that is worth a call, in bytes.
const SMALLEST_PORTION: u64 = 2_000;

/// A part of the artifact that is critiqued in one call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Part {
    /// Its name in keys: empty for the whole, `code`, `proposal`, `1`, `code-2`.
    pub name: String,
    pub target: Target,
    pub text: String,
    pub files: Vec<String>,
    /// Which part of the whole it is, in words; empty for the whole.
    pub place: String,
}

/// The parts in which the current version is critiqued in a round.
pub fn parts(debate: &Debate, round: u32) -> Vec<Part> {
    let Some(setup) = setup(debate.plan()) else { return Vec::new() };
    let parts = of_text(debate.plan(), setup, &current_text(debate, round));
    parts.into_iter().map(|part| with_revisions(part, debate, round, setup)).collect()
}

/// The parts in which the artifact is critiqued before anything was made of it, as the plan can tell them.
pub(super) fn first_parts(plan: &Plan) -> Vec<Part> {
    setup(plan).map(|setup| of_text(plan, setup, &setup.artifact.text)).unwrap_or_default()
}

fn of_text(plan: &Plan, setup: &ReviewSetup, text: &str) -> Vec<Part> {
    let most = bytes_for(plan, &Role::Critic.seat());
    let Artifact { form, .. } = &setup.artifact;
    match setup.target {
        Target::Mixed => {
            let Parts { code, proposal } = split(text);
            let code = within(&Artifact::new(code, Form::Text, String::new()), Target::Code, most, "code");
            let proposal = Artifact::new(proposal, Form::Text, String::new());
            code.into_iter().chain(within(&proposal, Target::Proposal, most, "proposal")).collect()
        }
        // An artifact that is as it was given is cut up once, however often it is asked for.
        target if text == setup.artifact.text => within(&setup.artifact, target, most, ""),
        target => within(&Artifact::new(text.to_owned(), form.clone(), String::new()), target, most, ""),
    }
}

/// What the plan says of an artifact that is too large for one reading; none for one that is read as a whole.
pub fn split_note(plan: &Plan) -> Option<String> {
    let parts = first_parts(plan).into_iter().filter(|part| !part.place.is_empty()).count();
    let critic = Role::Critic.seat();
    (parts > 1).then(|| format!("too large for one call: the {critic} reads it in {parts} parts, riskiest first"))
}

/// What a seat reads of an artifact at most, in bytes.
pub(super) fn bytes_for(plan: &Plan, seat: &SeatName) -> usize {
    let context = plan.seat(seat).and_then(|seat| seat.context_tokens).unwrap_or(USUAL_CONTEXT);
    // A seat that reads very little still gets half of what it reads.
    let tokens = context.saturating_sub(KEPT_FREE).max(context / 2);
    usize::try_from((tokens * BYTES_A_TOKEN).max(SMALLEST_PORTION)).unwrap_or(usize::MAX)
}

fn within(artifact: &Artifact, target: Target, most: usize, name: &str) -> Vec<Part> {
    let text = &artifact.text;
    if text.trim().is_empty() {
        return Vec::new();
    }
    if text.len() <= most {
        let (name, files) = (name.to_owned(), files_of(artifact));
        return vec![Part { name, target, text: text.clone(), files, place: String::new() }];
    }
    let cut = artifact.portions(most);
    let all = cut.pieces.len();
    let part = |(portion, number): (&Portion, usize)| {
        let place = format!("part {number} of {all}, the riskiest first");
        let name = if name.is_empty() { number.to_string() } else { format!("{name}-{number}") };
        let files = if portion.files.is_empty() { files_of(artifact) } else { portion.files.clone() };
        Part { name, target, text: portion.text.clone(), files, place }
    };
    cut.pieces.iter().zip(1..).map(part).collect()
}

/// The files that a critic can read: all but binary ones.
fn files_of(artifact: &Artifact) -> Vec<String> {
    match (&artifact.form, artifact.change()) {
        (Form::File { path }, _) => vec![path.clone()],
        (_, Some(diff)) => diff.files.iter().filter(|file| !file.binary).map(|file| file.path().to_owned()).collect(),
        (_, None) => Vec::new(),
    }
}

/// A diff stays what it was, followed by what was changed since.
fn with_revisions(mut part: Part, debate: &Debate, round: u32, setup: &ReviewSetup) -> Part {
    if !setup.artifact.form.is_patched() {
        return part;
    }
    for patch in revisions_before(debate, round) {
        let touched: Vec<String> = Diff::parse(patch).paths().into_iter().map(str::to_owned).collect();
        let concerned = part.place.is_empty() || touched.iter().any(|path| part.files.contains(path));
        if concerned {
            part.text = format!("{}\n\n{}{patch}", part.text.trim_end(), REVISED);
            part.files.extend(touched.into_iter().filter(|path| !part.files.contains(path)).collect::<Vec<_>>());
        }
    }
    part
}

/// The line between the change and what was made of it since.
pub(super) const REVISED: &str = "# Revised since, on top of the above:\n";
