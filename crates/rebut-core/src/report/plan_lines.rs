//! The plan in four lines: who, how long and how much, what is checked, where data goes; and the same of another verdict.

use super::plan::{Estimate, grouped, seats_in_order, time};
use super::text::first_line;
use crate::debate::{OutlineCall, Plan, Scope, SeatPlan};
use crate::formats::format_of;

/// The plan in four lines below its topic, then what deserves a look.
pub fn plan_lines(plan: &Plan) -> String {
    let format = format_of(plan);
    let outline = format.outline(plan);
    let words = format.plan_words(plan);
    let extra: usize = words.extra_calls.iter().map(|(count, _)| count).sum();
    let extra = if extra == 0 { String::new() } else { format!(", up to {}", outline.len() + extra) };
    let length = format!("{} · {} effort · {}{extra}", rounds(&words.rounds), plan.effort.as_str(), calls(&outline));
    let checks: Vec<String> = std::iter::once(checks(plan)).chain(words.known_cases).collect();
    let lines = lines(plan, &outline, &length, Some(checks.join("; ")));
    format!("{}\n{lines}{}", first_line(&plan.topic), notes(plan))
}

/// What another verdict with these calls takes, by a plan that has its judges already.
pub fn verdict_lines(plan: &Plan, outline: &[OutlineCall]) -> String {
    let mut judges = plan.clone();
    judges.seats.retain(|name, _| outline.iter().any(|call| call.seat == *name));
    let length = format!("{} effort · up to {}", plan.effort.as_str(), calls(outline));
    lines(&judges, outline, &length, None) + &notes(plan)
}

/// Who, how long and how much, what is checked, and where data goes.
fn lines(plan: &Plan, outline: &[OutlineCall], length: &str, checks: Option<String>) -> String {
    let format = format_of(plan);
    let seats = seats_in_order(plan, outline);
    let (later_name, later) = format.plan_words(plan).seated_later;
    let later_specs = later.iter().map(|seat| format!("{later_name} {}", seat.spec()));
    let seats: Vec<(String, &SeatPlan)> =
        seats.into_iter().map(|(name, seat)| (format.seat_title(plan, name), seat)).collect();
    let who: Vec<String> = seats.iter().map(|(name, seat)| format!("{name} {}", seat.spec())).chain(later_specs).collect();
    let (typical, _) = time(plan, outline);
    let cost = cost(&Estimate::of(plan, outline));
    let all = seats.into_iter().chain(later.iter().map(|seat| (later_name.to_owned(), seat)));
    let receivers = grouped(all.map(|(name, seat)| (name, receiver(plan, seat))));
    let receivers: Vec<String> = match receivers.as_slice() {
        [(receiver, _)] => vec![receiver.clone()],
        several => several.iter().map(|(receiver, names)| format!("{receiver} ({})", names.join(", "))).collect(),
    };
    let lines = [
        ("who", Some(who.join(", "))),
        ("cost", Some(format!("{length} · about {typical} · {cost}"))),
        ("checks", checks),
        ("sends", Some(format!("{} → {}", format.features().seats_read, receivers.join(", ")))),
    ];
    lines.into_iter().filter_map(|(name, value)| Some(format!("  {name:<6}  {}\n", value?))).collect()
}

fn notes(plan: &Plan) -> String {
    let warnings = format_of(plan).plan_words(plan).notes.into_iter().map(|warning| format!("  warning: {warning}\n"));
    warnings.chain(plan.notes.iter().map(|note| format!("  note: {note}\n"))).collect()
}

fn calls(outline: &[OutlineCall]) -> String {
    format!("{} call{}", outline.len(), if outline.len() == 1 { "" } else { "s" })
}

fn rounds(words: &str) -> String {
    match words.rsplit(' ').next() {
        Some("1") => format!("{words} round"),
        Some(number) if number.parse::<u32>().is_ok() => format!("{words} rounds"),
        _ => words.to_owned(),
    }
}

/// What it costs, about; what is not known is said to be so.
fn cost(estimate: &Estimate<'_>) -> String {
    let mut names: Vec<String> = Vec::new();
    for (_, seat) in &estimate.unknown {
        let why = if matches!(seat.transport.as_str(), "cli" | "acp") { " (subscription)" } else { "" };
        let name = format!("{}{why}", seat.tool);
        if !names.contains(&name) {
            names.push(name);
        }
    }
    let unknown = (!names.is_empty()).then(|| format!("cost unknown for {}", names.join(", ")));
    estimate.amount().into_iter().chain(unknown).collect::<Vec<_>>().join(", ")
}

fn checks(plan: &Plan) -> String {
    let Some(evidence) = &plan.evidence else { return "nothing".to_owned() };
    let against = match &evidence.scope {
        Scope::Pinned(pin) => {
            let commit = pin.commit.as_deref().map(|commit| commit.get(..7).unwrap_or(commit));
            let files = |count: u64| if count == 1 { "1 file".to_owned() } else { format!("{count} files") };
            match (commit, pin.changed) {
                (Some(commit), 0) => format!("citations against {commit}"),
                (Some(commit), 1) => format!("citations against {commit} + 1 uncommitted file"),
                (Some(commit), changed) => format!("citations against {commit} + {changed} uncommitted files"),
                (None, _) if pin.files == 0 => "no citations: this folder has no files".to_owned(),
                (None, _) => format!("citations against {} of this folder", files(pin.files)),
            }
        }
        Scope::Live { .. } => "citations against the files as they are at that moment".to_owned(),
        Scope::Nothing { why } => format!("no citations: {why}"),
    };
    let commands = evidence.commands.as_ref().filter(|commands| !commands.is_empty());
    let commands = commands.map(|commands| format!("your commands {} (not sandboxed)", commands.join(", ")));
    let pages = evidence.fetch_sources.then(|| "cited web pages are fetched".to_owned());
    [Some(against), commands, pages].into_iter().flatten().collect::<Vec<_>>().join("; ")
}

/// Who gets it, and the files that it reads.
fn receiver(plan: &Plan, seat: &SeatPlan) -> String {
    let files = if seat.reads_workspace && plan.workspace_readable { " with files it reads" } else { "" };
    format!("{}{files}", seat.data_goes_to)
}
