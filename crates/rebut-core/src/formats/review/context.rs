//! What each prompt of a review carries: the artifact first, then what was said of it, then the task.

use std::fmt::Write;

use minijinja::{Value, context};
use serde_json::Value as Json;

use super::artifact::{Form, Target};
use super::critique::schema as critique_schema;
use super::diff::{Diff, Portions, portions};
use super::findings::Finding;
use super::judgement::{RulingKind, open_to_the_judge, ruled, valid_before};
use super::letter::Letter;
use super::parts::{Part, REVISED, bytes_for};
use super::setup::Role;
use super::standing::{chosen, critiques, rebuttal};
use super::tracked::tracked;
use super::versions::{current_text, revisions_before};
use super::weighing::{as_the_change_has_it, evidence_of};
use super::{round_key, setup};
use crate::debate::{Debate, Plan, Prompt};
use crate::formats::prompts::{self, PromptError, Quoted, Sample, render};

/// The prompt for the critique of a part.
pub(super) fn critique_prompt(debate: &Debate, round: u32, part: &Part, role: Role) -> Result<Prompt, PromptError> {
    let plan = debate.plan();
    let name = if part.target == Target::Proposal { "review/proposal.md" } else { "review/code.md" };
    let own_name = setup(plan).and_then(|setup| setup.artifact.form.own_name(round));
    let commands = plan.evidence.as_ref().and_then(|evidence| evidence.commands.clone());
    let system = render(
        plan,
        "review/critic.md",
        context! {
            reads_workspace => reads_workspace(plan, role),
            checked => plan.evidence.is_some(),
            own_name => own_name,
            searches => commands.is_some(),
            pages => plan.evidence.as_ref().is_some_and(|evidence| evidence.fetch_sources),
            commands => commands.unwrap_or_default(),
        },
    )?;
    let task = render(
        plan,
        name,
        context! {
            round => round, place => part.place.as_str(), schema => critique_schema().to_string(),
            files => listed(plan, &format!("files/{}/{round}", part.name), "the files to look at", &part.files),
        },
    )?;
    let key = format!("artifact/{}/{round}", part.name);
    let artifact = Quoted::new(&plan.chance, &key, "the artifact", &part.text);
    let matter = matter(debate, round, &artifact, &[])?;
    Ok(Prompt { system, user: format!("{matter}\n\n{task}") })
}

/// The prompt for the classification of a round's findings.
pub(super) fn judgement_prompt(debate: &Debate, round: u32, schema: &Json) -> Result<Prompt, PromptError> {
    let plan = debate.plan();
    let open = open_to_the_judge(debate, round);
    let mut text = String::new();
    for (place, finding) in &open {
        tell(&mut text, debate, round, *place, finding, None);
        if let Some((earlier, severity)) = valid_before(debate, round, &finding.id) {
            let _ = writeln!(text, "  ruled valid in round {earlier}, as {}", severity.as_str());
        }
    }
    if open.is_empty() {
        text.push_str("none\n");
    }
    for (_, critique) in critiques(debate, round) {
        let said = [
            ("concern", &critique.concerns),
            ("said to be missing", &critique.missing),
            ("said outside of all lists", &critique.strays),
        ];
        for (title, lines) in said {
            for line in lines {
                let _ = writeln!(text, "{title}, without a finding: {}", one_line(line));
            }
        }
        let recommends = critique.recommendation.map_or("nothing that is plain", |it| it.as_str());
        let _ = writeln!(text, "the critic recommends: {recommends}");
        if critique.insufficient_evidence {
            text.push_str("the critic says: insufficient evidence to judge all of it\n");
        }
    }
    let findings = Quoted::new(&plan.chance, &format!("findings/{round}"), "the critic's findings", &text);
    let task = render(plan, "review/judgement.md", context! { findings => findings, schema => schema.to_string() })?;
    let open: Vec<Finding> = open.into_iter().map(|(_, finding)| finding).collect();
    let matter = whole_matter(debate, round, Role::Judge, &open)?;
    Ok(Prompt { system: render(plan, "review/judge.md", Value::UNDEFINED)?, user: format!("{matter}\n\n{task}") })
}

/// The prompt for a new version, by the critic or by the author. `refused` is a patch that did not apply, and why.
pub(super) fn rewrite_prompt(
    debate: &Debate,
    round: u32,
    role: Role,
    refused: Option<(&str, &str)>,
) -> Result<Prompt, PromptError> {
    let plan = debate.plan();
    let findings = valid_findings(debate, round);
    let listed: Vec<Finding> = ruled(debate, round)
        .map(|(ruled, _)| ruled)
        .unwrap_or_default()
        .into_iter()
        .filter(|r| r.kind == RulingKind::Valid)
        .map(|r| r.finding)
        .collect();
    let patched = setup(plan).is_some_and(|setup| setup.artifact.form.is_patched());
    let refused = refused.map(|(patch, why)| {
        let text = format!("{patch}\n{why}");
        Quoted::new(&plan.chance, &format!("refused/{round}"), "the patch that does not apply, and why", &text)
    });
    let task = render(
        plan,
        "review/rewrite.md",
        context! {
            patched => patched,
            accepts => role == Role::Critic,
            findings => Quoted::new(&plan.chance, &format!("valid/{round}"), "the findings that count", &findings),
            refused => refused,
            marker => rewrite_marker(debate, round),
        },
    )?;
    let system = render(plan, "review/author.md", context! { reads_workspace => reads_workspace(plan, role) })?;
    let matter = whole_matter(debate, round, role, &listed)?;
    Ok(Prompt { system, user: format!("{matter}\n\n{task}") })
}

/// The prompt for the answer to the critic.
pub(super) fn rebuttal_prompt(debate: &Debate, round: u32) -> Result<Prompt, PromptError> {
    let plan = debate.plan();
    let (ruled, _) = ruled(debate, round).map(|(ruled, judgement)| (ruled, Some(judgement))).unwrap_or_default();
    let mut text = String::new();
    let mut listed = Vec::new();
    for ruled in ruled.iter().filter(|ruled| ruled.kind != RulingKind::Invalid) {
        let place = ruled.place;
        tell(&mut text, debate, round, place, &ruled.finding, Some(&format!("{}: {}", ruled.kind.as_str(), ruled.reason)));
        listed.push(ruled.finding.clone());
    }
    let findings = Quoted::new(&plan.chance, &format!("answered/{round}"), "the findings to answer", &text);
    let task = render(plan, "review/rebuttal.md", context! { findings => findings })?;
    let system = render(plan, "review/author.md", context! { reads_workspace => reads_workspace(plan, Role::Author) })?;
    let matter = whole_matter(debate, round, Role::Author, &listed)?;
    Ok(Prompt { system, user: format!("{matter}\n\n{task}") })
}

/// The word that marks off a text written anew: one of which neither mark stands in the text so far, since what stands
/// before a mark is taken for words around the new text.
pub(super) fn rewrite_marker(debate: &Debate, round: u32) -> String {
    marker_beside(&current_text(debate, round))
}

fn marker_beside(text: &str) -> String {
    let stands = |word: &str| [format!("<<{word}>>"), format!("<<end {word}>>")].iter().any(|mark| text.contains(mark));
    let mut word = "artifact".to_owned();
    let mut number: u64 = 2;
    while stands(&word) {
        word = format!("artifact-{number}");
        number += 1;
    }
    word
}

/// Tries every prompt that replaces a built-in one of this format.
pub fn check_prompts(plan: &Plan) -> Result<(), PromptError> {
    prompts::check(plan, "review", sample_values)
}

fn sample_values(name: &str, sample: Sample) -> Value {
    let Sample { full } = sample;
    let quoted = || sample.quoted();
    let perhaps = || sample.perhaps();
    let several = sample.several();
    match name {
        "review/critic.md" => {
            let commands: Vec<&str> = full.then_some("test").into_iter().collect();
            context! {
                reads_workspace => full, checked => full, own_name => full.then_some("x"), searches => full, pages => full,
                commands => commands,
            }
        }
        "review/code.md" | "review/proposal.md" => {
            context! { round => 1, place => if full { "part 1 of 2" } else { "" }, files => perhaps(), schema => "{}" }
        }
        "review/matter.md" => context! {
            topic => "x", artifact => quoted(), left_out => perhaps(), context => several.clone(),
            rebuttals => several, earlier => perhaps(),
        },
        "review/judgement.md" => context! { findings => quoted(), schema => "{}" },
        "review/rewrite.md" => context! {
            patched => full, accepts => full, findings => quoted(), refused => perhaps(), marker => "m",
        },
        "review/rebuttal.md" => context! { findings => quoted() },
        "review/author.md" => context! { reads_workspace => full },
        _ => Value::UNDEFINED,
    }
}

/// What is reviewed, in words of our own: what the artifact says of itself stands behind its fence.
fn topic(plan: &Plan) -> &'static str {
    match setup(plan).map(|setup| (&setup.artifact.form, setup.target)) {
        Some((Form::Change | Form::LooseChange { .. }, _)) => "a change",
        Some((Form::File { .. }, _)) => "a file",
        Some((_, Target::Code)) => "a piece of code",
        Some((_, Target::Mixed)) => "a proposal with code",
        _ => "a proposal",
    }
}

/// Names, one a line and fenced: a file's name can hold anything.
fn listed(plan: &Plan, key: &str, title: &str, names: &[String]) -> Option<Quoted> {
    let lines: Vec<String> =
        names.iter().map(|name| name.chars().map(|c| if c.is_control() { ' ' } else { c }).collect()).collect();
    (!lines.is_empty()).then(|| Quoted::new(&plan.chance, key, title, &lines.join("\n")))
}

fn reads_workspace(plan: &Plan, role: Role) -> bool {
    plan.workspace_readable && plan.seat(&role.seat()).is_some_and(|seat| seat.reads_workspace)
}

/// The artifact with what was attached and answered, and what earlier rounds found.
fn matter(debate: &Debate, round: u32, artifact: &Quoted, left_out: &[String]) -> Result<String, PromptError> {
    let plan = debate.plan();
    let attached: Vec<Quoted> = plan
        .context
        .iter()
        .map(|item| Quoted::new(&plan.chance, &format!("context/{}", item.label), item.label.as_str(), &item.text))
        .collect();
    let answered = (1..round).filter(|earlier| chosen(debate, *earlier).is_some_and(|(letter, _)| letter == Letter::D));
    let rebuttals: Vec<Quoted> = answered
        .filter_map(|earlier| {
            let key = round_key(earlier, "rebuttal");
            let checked = debate.findings(&round_key(earlier, "rebuttal/evidence")).unwrap_or_default();
            let checked = as_the_change_has_it(debate, checked.to_vec());
            let marks: Vec<String> = checked.iter().map(ToString::to_string).collect();
            let marks = if marks.is_empty() { String::new() } else { format!("\n\nIts evidence:\n{}", marks.join("\n")) };
            let text = format!("{}{marks}", rebuttal(debate, earlier)?);
            Some(Quoted::new(&plan.chance, key.as_str(), format!("the author's rebuttal after round {earlier}"), &text))
        })
        .collect();
    let earlier = earlier_findings(debate, round);
    let earlier = (!earlier.is_empty())
        .then(|| Quoted::new(&plan.chance, &format!("earlier/{round}"), "findings of earlier rounds", &earlier));
    render(
        plan,
        "review/matter.md",
        context! {
            topic => topic(plan), artifact => artifact.clone(),
            left_out => listed(plan, &format!("left-out/{round}"), "left out", left_out), context => attached,
            rebuttals => rebuttals, earlier => earlier,
        },
    )
}

/// The artifact as far as a seat can read it. Where that is not all, the files that the findings speak of come first, and
/// what is left out is named.
fn whole_matter(debate: &Debate, round: u32, role: Role, findings: &[Finding]) -> Result<String, PromptError> {
    let plan = debate.plan();
    let mut text = current_text(debate, round);
    let form = setup(plan).map(|setup| &setup.artifact.form);
    if form.is_some_and(super::Form::is_patched) {
        for patch in revisions_before(debate, round) {
            text = format!("{}\n\n{REVISED}{patch}", text.trim_end());
        }
    }
    let most = bytes_for(plan, &role.seat());
    let mut left_out = Vec::new();
    if text.len() > most {
        let mut missing: Vec<String> = Vec::new();
        let cut = if form.is_some_and(super::Form::is_diff) {
            let diff = Diff::parse(&text);
            let cut = finely(&diff, most);
            missing.extend(cut.unreadable.iter().map(|file| format!("{file} (no lines to show)")));
            missing.extend(cut.too_long.iter().map(|place| format!("{place} (longer than can be read)")));
            missing.extend((!diff.preamble.trim().is_empty()).then(|| "what stands before the first file".to_owned()));
            cut.portions
        } else {
            super::diff::snippet_portions(&text, most / 4)
        };
        let named: Vec<String> = findings.iter().flat_map(Finding::anchors).map(|anchor| anchor.path).collect();
        let (first, rest): (Vec<_>, Vec<_>) =
            cut.into_iter().partition(|portion| portion.files.iter().any(|file| named.contains(file)));
        text = String::new();
        for portion in first.into_iter().chain(rest) {
            if text.len() + portion.text.len() <= most {
                text.push_str(&portion.text);
                text.push('\n');
            } else {
                missing.extend(portion.files.into_iter().filter(|file| !missing.contains(file)).collect::<Vec<_>>());
            }
        }
        left_out = if missing.is_empty() { vec!["parts of it".to_owned()] } else { missing };
    }
    let artifact = Quoted::new(&plan.chance, &format!("artifact/{round}"), "the artifact", &text);
    matter(debate, round, &artifact, &left_out)
}

/// A diff in portions of which several fit into so many bytes, unless a line needs wider ones.
fn finely(diff: &Diff, most: usize) -> Portions {
    let fine = portions(diff, most / 4);
    if fine.too_long.is_empty() {
        return fine;
    }
    let wide = portions(diff, most);
    if wide.too_long.len() < fine.too_long.len() { wide } else { fine }
}

/// What earlier rounds found and what became of it.
fn earlier_findings(debate: &Debate, round: u32) -> String {
    let mut text = String::new();
    for tracked in tracked(debate).iter().filter(|tracked| tracked.first_round < round && tracked.last_round < round) {
        let place = tracked.finding.place.as_deref().map_or_else(String::new, |place| format!(" ({place})"));
        // Writing to a string cannot fail.
        let _ = writeln!(
            text,
            "{} {}{place} {}: {}",
            tracked.finding.id,
            tracked.severity.as_str(),
            one_line(&tracked.finding.text),
            tracked.state.as_str()
        );
    }
    text
}

/// What a new version has to settle: the valid findings, and what the judge found missing.
fn valid_findings(debate: &Debate, round: u32) -> String {
    let Some((ruled, judgement)) = ruled(debate, round) else { return String::new() };
    let mut text = String::new();
    for ruled in ruled.iter().filter(|ruled| ruled.kind == RulingKind::Valid) {
        let ruling = format!("{}: {}", ruled.severity.as_str(), ruled.reason);
        tell(&mut text, debate, round, ruled.place, &ruled.finding, Some(&ruling));
    }
    for missing in judgement.missing.iter().filter(|missing| missing.important) {
        let _ = writeln!(text, "Not raised by the critic: {}", one_line(&missing.text));
    }
    if text.is_empty() { "none\n".to_owned() } else { text }
}

/// A finding in lines: what, where, and what was found of its evidence.
fn tell(text: &mut String, debate: &Debate, round: u32, place: usize, finding: &Finding, ruling: Option<&str>) {
    let at = finding.place.as_deref().map_or_else(String::new, |place| format!(" at {}", one_line(place)));
    let _ = writeln!(text, "{} {}{at}: {}", finding.id, finding.severity.as_str(), one_line(&finding.text));
    for also in &finding.also {
        let _ = writeln!(text, "  also put as: {}", one_line(also));
    }
    for evidence in &finding.evidence {
        let _ = writeln!(text, "  evidence: {}", one_line(evidence));
    }
    for checked in evidence_of(debate, round, place) {
        let _ = writeln!(text, "  looked up: {}", one_line(&checked.to_string()));
    }
    if finding.place.is_none() && finding.evidence.is_empty() {
        text.push_str("  no evidence is named\n");
    }
    if !finding.action.is_empty() {
        let _ = writeln!(text, "  action: {}", one_line(&finding.action));
    }
    if let Some(replacement) = &finding.replacement {
        let _ = writeln!(text, "  replacement:\n{}", indented(replacement));
    }
    if let Some(ruling) = ruling {
        let _ = writeln!(text, "  ruling: {}", one_line(ruling));
    }
}

fn indented(text: &str) -> String {
    text.lines().map(|line| format!("    {line}")).collect::<Vec<_>>().join("\n")
}

fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn neither_mark_of_a_new_text_stands_in_the_old_one() {
        for (text, word) in [
            ("We use gRPC.", "artifact"),
            ("A\n<<artifact>>\nB", "artifact-2"),
            ("A\n<<end artifact>>\nB", "artifact-2"),
            ("<<artifact>> <<end artifact-2>> <<artifact-3>>", "artifact-4"),
        ] {
            assert_eq!(marker_beside(text), word, "{text}");
        }
    }
}
