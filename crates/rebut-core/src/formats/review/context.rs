//! What each prompt of a review carries: the artifact first, then what was said of it, then the task.

use std::collections::BTreeMap;
use std::fmt::Write;

use minijinja::{Value, context};

use super::carrying::Carrying;
use super::parts::{REVISED, bytes_for};
use super::points::points;
use super::portions::{Portions, portions};
use super::rounds::{chosen, part_critiques, rebuttal};
use super::versions::revisions_before;
use super::weighing::as_the_change_has_it;
use super::{Finding, Form, History, Letter, Part, Point, Role, Ruled, RulingKind, Target, current_text, round_key, setup};
use crate::debate::{Debate, Plan, Prompt};
use crate::diff::Diff;
use crate::evidence::Evidence;
use crate::formats::prompts::{PromptError, Quoted, attached, render};
use crate::report::text::one_line;

pub(super) fn critique_prompt(debate: &Debate, round: u32, part: &Part, role: Role) -> Result<Prompt, PromptError> {
    let plan = debate.plan();
    let allowed = plan.evidence.as_ref();
    let values = context! {
        reads_workspace => plan.reads_workspace(&role.seat()),
        checked => allowed.is_some(),
        own_name => setup(plan).and_then(|setup| setup.artifact.form.own_name(round)),
        pages => allowed.is_some_and(|evidence| evidence.fetch_sources),
        commands => plan.commands().map(<[String]>::to_vec),
    };
    let system = render(plan, "review/critic.md", values)?;
    let values = context! { code => part.target != Target::Proposal, round => round, place => part.place.as_str() };
    let task = render(plan, "review/critique.md", values)?;
    let key = format!("artifact/{}/{round}", part.name);
    let artifact = Quoted::new(&plan.chance, &key, "the artifact", &part.text);
    let matter = matter(debate, round, &artifact, &[])?;
    Ok(Prompt { system, user: format!("{matter}\n\n{task}") })
}

pub(super) fn judgement_prompt(debate: &Debate, round: u32) -> Result<Prompt, PromptError> {
    let plan = debate.plan();
    let raised = points(debate, round);
    let (mut text, listed) = finding_lines(raised.findings.iter().filter(|point| point.is_open_to_the_judge()));
    for missing in raised.missing.iter().map(|it| &it.missing) {
        let _ = writeln!(text, "{} missing: {}", missing.id, in_one_line(&missing.title, &missing.explanation));
    }
    let critiques = part_critiques(debate, round).into_iter().filter_map(|it| it.taken);
    for recommendation in critiques.filter_map(|(_, critique)| critique.recommendation) {
        let _ = writeln!(text, "the critic recommends: {}", recommendation.as_str());
    }
    let findings = Quoted::new(&plan.chance, &format!("findings/{round}"), "the critique", &text);
    let task = render(plan, "review/judgement.md", context! { findings => findings })?;
    let matter = whole_matter(debate, round, Role::Judge, &listed)?;
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
    let raised = points(debate, round);
    let (mut text, listed) = finding_lines(raised.findings.iter().filter(|point| point.is_ruled(RulingKind::Valid)));
    for weighed in &raised.missing {
        let weight = if weighed.important == Some(true) { "important" } else { "optional" };
        let missing = &weighed.missing;
        let _ = writeln!(text, "{} missing, {weight}: {}", missing.id, in_one_line(&missing.title, &missing.explanation));
    }
    let patched = setup(plan).is_some_and(|setup| setup.artifact.form.is_patched());
    let refused = refused.map(|(patch, why)| {
        let text = format!("{patch}\n{why}");
        Quoted::new(&plan.chance, &format!("refused/{round}"), "the patch that does not apply, and why", &text)
    });
    let values = context! {
        patched => patched,
        accepts => role != Role::Author,
        findings => Quoted::new(&plan.chance, &format!("valid/{round}"), "the findings that count", &text),
        refused => refused,
        marker => rewrite_marker(debate, round),
    };
    let task = render(plan, "review/rewrite.md", values)?;
    let system = render(plan, "review/author.md", context! { reads_workspace => plan.reads_workspace(&role.seat()) })?;
    let matter = whole_matter(debate, round, role, &listed)?;
    Ok(Prompt { system, user: format!("{matter}\n\n{task}") })
}

pub(super) fn rebuttal_prompt(debate: &Debate, round: u32) -> Result<Prompt, PromptError> {
    let plan = debate.plan();
    let raised = points(debate, round);
    let open = |point: &&Point| point.ruled.as_ref().is_some_and(|ruled| ruled.kind != RulingKind::Invalid);
    let (text, listed) = finding_lines(raised.findings.iter().filter(open));
    let findings = Quoted::new(&plan.chance, &format!("answered/{round}"), "the findings to answer", &text);
    let task = render(plan, "review/rebuttal.md", context! { findings => findings })?;
    let system =
        render(plan, "review/author.md", context! { reads_workspace => plan.reads_workspace(&Role::Author.seat()) })?;
    let matter = whole_matter(debate, round, Role::Author, &listed)?;
    Ok(Prompt { system, user: format!("{matter}\n\n{task}") })
}

/// Findings in lines, each with what was found of its evidence and what was ruled on it; and the findings.
fn finding_lines<'a>(points: impl Iterator<Item = &'a Point>) -> (String, Vec<Finding>) {
    let (mut text, mut listed) = (String::new(), Vec::new());
    for point in points {
        write_finding(&mut text, point);
        listed.push(point.finding.clone());
    }
    if listed.is_empty() {
        text.push_str("no findings\n");
    }
    (text, listed)
}

/// The word that marks off a rewritten text: one whose marks do not occur in the text so far, because everything before a
/// mark counts as words around the new text.
pub(super) fn rewrite_marker(debate: &Debate, round: u32) -> String {
    let text = current_text(debate, round);
    let occurs = |word: &str| [format!("<<{word}>>"), format!("<<end {word}>>")].iter().any(|mark| text.contains(mark));
    let numbered = (2_u64..).map(|number| format!("artifact-{number}"));
    std::iter::once("artifact".to_owned()).chain(numbered).find(|word| !occurs(word)).unwrap_or_default()
}

/// What is reviewed, in our own words: what the artifact says of itself stays inside its fence.
fn topic(plan: &Plan) -> &'static str {
    match setup(plan).map(|setup| (&setup.artifact.form, setup.target)) {
        Some((Form::Change | Form::LooseChange { .. }, _)) => "a change",
        Some((Form::File { .. }, _)) => "a file",
        Some((_, Target::Code)) => "a piece of code",
        Some((_, Target::Mixed)) => "a proposal with code",
        _ => "a proposal",
    }
}

/// The artifact with what was attached and answered, and what earlier rounds found.
fn matter(debate: &Debate, round: u32, artifact: &Quoted, left_out: &[String]) -> Result<String, PromptError> {
    let plan = debate.plan();
    let answered = (1..round).filter(|earlier| chosen(debate, *earlier).is_some_and(|(letter, _)| letter == Letter::D));
    let rebuttals: Vec<Quoted> = answered
        .filter_map(|earlier| {
            let key = round_key(earlier, "rebuttal");
            let checked = debate.findings(&round_key(earlier, "rebuttal/evidence")).unwrap_or_default();
            let checked = as_the_change_has_it(debate, checked.to_vec());
            let marks: Vec<String> = checked.iter().map(|checked| format!("\nmentioned: {checked}")).collect();
            let text = format!("{}\n{}", rebuttal(debate, earlier)?, marks.concat());
            Some(Quoted::new(&plan.chance, key.as_str(), format!("the author's rebuttal after round {earlier}"), &text))
        })
        .collect();
    // One a line: a file's name can hold anything.
    let left_out: Vec<String> = left_out.iter().map(|name| name.replace(char::is_control, " ")).collect();
    let left_out = (!left_out.is_empty())
        .then(|| Quoted::new(&plan.chance, &format!("left-out/{round}"), "left out", &left_out.join("\n")));
    let earlier = earlier_findings(debate, round);
    let earlier = (!earlier.is_empty())
        .then(|| Quoted::new(&plan.chance, &format!("earlier/{round}"), "findings of earlier rounds", &earlier));
    render(
        plan,
        "review/matter.md",
        context! {
            topic => topic(plan), artifact => artifact.clone(),
            left_out => left_out, context => attached(plan),
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
            missing.extend((!diff.preamble.trim().is_empty()).then(|| "what comes before the first file".to_owned()));
            cut.pieces
        } else {
            super::portions::snippet_portions(&text, most / 4)
        };
        let named: Vec<&String> = findings.iter().flat_map(|it| &it.evidence).filter_map(|it| it.file.as_ref()).collect();
        let (first, rest): (Vec<_>, Vec<_>) =
            cut.into_iter().partition(|portion| portion.files.iter().any(|file| named.contains(&file)));
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

/// A diff in portions of which several fit into this many bytes, unless a line needs wider ones.
fn finely(diff: &Diff, most: usize) -> Portions {
    let fine = portions(diff, most / 4);
    if fine.too_long.is_empty() {
        return fine;
    }
    let wide = portions(diff, most);
    if wide.too_long.len() < fine.too_long.len() { wide } else { fine }
}

/// Earlier findings and their state, with places as they are in this round's version.
fn earlier_findings(debate: &Debate, round: u32) -> String {
    let mut text = String::new();
    let mut carryings: BTreeMap<u32, Carrying> = BTreeMap::new();
    let history = History::of(debate);
    for tracked in history.findings.iter().filter(|tracked| tracked.last.round < round) {
        let last = tracked.last.round;
        let carrying = carryings.entry(last).or_insert_with(|| Carrying::between(debate, last, round));
        let place = tracked.finding.place().map(|place| carrying.carried(place));
        let valid = if tracked.state.is_valid() { "ruled valid, " } else { "" };
        // Writing to a string cannot fail.
        let _ = writeln!(
            text,
            "{} {}{}: {} [{valid}{}]",
            tracked.finding.id,
            tracked.severity.as_str(),
            place_of(place.as_ref()),
            one_line(&tracked.finding.title),
            tracked.state.as_str()
        );
    }
    let now = points(debate, round).missing;
    for tracked in history.missing.iter().filter(|tracked| !now.iter().any(|now| now.first == tracked.missing.id)) {
        let _ = writeln!(text, "{} missing: {} [{}]", tracked.missing.id, one_line(&tracked.missing.title), tracked.state());
    }
    text
}

/// A finding in lines: what, where, and what was found of its evidence.
fn write_finding(text: &mut String, point: &Point) {
    let finding = &point.finding;
    let (id, severity) = (&finding.id, finding.severity.as_str());
    let _ = writeln!(text, "{id} {severity}{}: {}", place_of(finding.place()), one_line(&finding.title));
    if !finding.explanation.is_empty() {
        let _ = writeln!(text, "{}", indented(&finding.explanation));
    }
    for (at, evidence) in finding.evidence.iter().enumerate() {
        let line = point.found.get(at).map_or_else(|| format!("? {}", evidence.described()), ToString::to_string);
        let _ = writeln!(text, "  {line}");
    }
    if finding.evidence.is_empty() {
        text.push_str("  no evidence\n");
    }
    if !finding.suggestion.is_empty() {
        let _ = writeln!(text, "  suggestion: {}", indented(&finding.suggestion).trim_start());
    }
    if let Some(Ruled { kind, severity, reason, .. }) = &point.ruled {
        let ruling = format!("{} {}: {reason}", kind.as_str(), severity.as_str());
        let _ = writeln!(text, "  ruled {}", one_line(&ruling));
    }
}

fn place_of(place: Option<&Evidence>) -> String {
    place.map_or_else(String::new, |place| format!(" at {}", one_line(&place.to_string())))
}

fn in_one_line(title: &str, explanation: &str) -> String {
    one_line(&if explanation.is_empty() { title.to_owned() } else { format!("{title}: {explanation}") })
}

fn indented(text: &str) -> String {
    text.lines().map(|line| format!("  {line}")).collect::<Vec<_>>().join("\n")
}
