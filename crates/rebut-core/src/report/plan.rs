//! The plan as the user reads it before the first call.

use std::fmt::Write;

use serde_json::{Value, json};

use super::accounts::duration;
use super::text::first_line;
use crate::debate::{Budget, Cost, Effort, EvidenceRules, NotKept, OutlineCall, Plan, RunOn, Scope, SeatName, SeatPlan};
use crate::formats::format_of;

/// The plan in lines: who speaks, how many calls, about how much time and how many tokens, and who gets which data.
pub fn plan_text(plan: &Plan) -> String {
    let format = format_of(plan);
    let outline = format.outline(plan);
    let mut text = String::new();
    let mut line = |name: &str, value: &str| {
        // Writing to a string cannot fail.
        let _ = writeln!(text, "  {name:<11} {value}");
    };
    line("topic", &first_line(&plan.topic));
    if let Some(parent) = &plan.parent {
        line("fork of", &format!("{} after {}", parent.id, parent.after));
    }
    let words = format.plan_words(plan);
    for (name, value) in &words.lines {
        line(name, value);
    }
    let seats = seats_in_order(plan, &outline);
    let (what, later) = words.seated_later;
    let what = SeatName::new(what);
    if !later.is_empty() {
        let specs: Vec<String> = later.iter().map(SeatPlan::spec).collect();
        line(what.as_str(), &format!("{} (in turn)", specs.join(", ")));
    }
    for (name, seat) in &seats {
        // The command line is the default; `acp:NAME` already says it.
        let over = if seat.transport == "acp" && !seat.tool.starts_with("acp:") { " over ACP" } else { "" };
        line(&format.seat_title(plan, name), &format!("{}{over}", seat.spec()));
    }
    let timeout = duration(plan.timeout_ms);
    line("rounds", &format!("{}, effort {}, up to {timeout} per call", words.rounds, plan.effort.as_str()));
    let (typical, most) = time(plan, &outline);
    // An estimate that looks exact would be taken for more than it is.
    let tokens = outline.iter().map(|call| call.tokens).sum::<u64>().div_ceil(1_000) * 1_000;
    let extra: Vec<String> =
        words.extra_calls.iter().map(|(count, what)| format!(", up to {count} more for {what}")).collect();
    let extra = extra.concat();
    line("calls", &format!("{}{extra}; about {} tokens, {typical} (at most {most})", outline.len(), thousands(tokens)));
    if let Some(cost) = Estimate::of(plan, &outline).text(plan) {
        line("cost", &cost);
    }
    line("budget", &budget(&plan.budget));
    if let Some(evidence) = &plan.evidence {
        line("citations", &checked_against(evidence));
    }
    let all = seats.into_iter().chain(later.iter().map(|seat| (&what, seat)));
    let goes = all.map(|(name, seat)| {
        let goes = format!("{} → {}", sent(plan, seat.reads_workspace), seat.data_goes_to);
        (format.seat_title(plan, name), goes)
    });
    for (goes, names) in grouped(goes) {
        line("sends", &format!("{goes} ({})", names.join(", ")));
    }
    for known in &words.known_cases {
        line("known cases", known);
    }
    if plan.evidence.as_ref().is_some_and(|evidence| evidence.fetch_sources) {
        line("fetches", "cited web pages (turn off with --no-fetch-sources)");
    }
    for note in words.notes.iter().chain(&plan.notes) {
        line("note", note);
    }
    text
}

/// How long a call to a seat usually takes: a rough figure from experience.
pub fn usual_call_ms(plan: &Plan, seat: &SeatName) -> u64 {
    match (plan.seat(seat).map(|seat| seat.tool.as_str()), plan.effort) {
        (Some("script"), _) => 1_000,
        (Some("local"), _) => 4_000,
        (_, Effort::Low) => 10_000,
        (_, Effort::Medium) => 20_000,
        (_, Effort::High) => 40_000,
        (_, Effort::Max) => 90_000,
    }
}

/// The plan with its outline as data.
pub fn plan_json(plan: &Plan) -> Value {
    let outline = format_of(plan).outline(plan);
    let calls: Vec<Value> = outline
        .iter()
        .map(|call| json!({ "key": call.key, "seat": call.seat, "phase": call.phase, "estimated_tokens": call.tokens }))
        .collect();
    let mut shown = json!(plan);
    // A plan that is only shown has no id: one is given when the debate begins.
    shown["id"] = Value::Null;
    let Estimate { known, unknown, .. } = Estimate::of(plan, &outline);
    let cost = json!({ "known": known, "unknown_for": unknown.iter().map(|(name, _)| name).collect::<Vec<_>>() });
    json!({ "type": "plan", "plan": shown, "notes": format_of(plan).plan_words(plan).notes, "calls": calls, "estimated_cost": cost })
}

/// Whether every seat is known to cost nothing.
pub fn is_free(plan: &Plan) -> bool {
    let estimate = Estimate::of(plan, &format_of(plan).outline(plan));
    estimate.known == Cost::default() && estimate.unknown.is_empty()
}

/// What a debate will cost, about.
pub(super) struct Estimate<'a> {
    pub(super) known: Cost,
    is_any_known: bool,
    pub(super) unknown: Vec<(&'a SeatName, &'a SeatPlan)>,
}

impl<'a> Estimate<'a> {
    /// Counts every call's tokens as read and half of them as written: an answer is thought about.
    pub(super) fn of(plan: &'a Plan, outline: &[OutlineCall]) -> Self {
        let seats = seats_in_order(plan, outline);
        let cost = |call: &OutlineCall| {
            let price = plan.seat(&call.seat)?.price?;
            Some(price.of(call.tokens, call.tokens / 2).nanodollars())
        };
        Self {
            known: Cost::from_nanodollars(outline.iter().filter_map(cost).sum()),
            is_any_known: seats.iter().any(|(_, seat)| seat.price.is_some()),
            unknown: seats.into_iter().filter(|(_, seat)| seat.price.is_none()).collect(),
        }
    }

    /// What is known of it; none where no price is known.
    pub(super) fn amount(&self) -> Option<String> {
        let cents = self.known.nanodollars().div_ceil(10_000_000);
        // To the cent, upwards: it is an estimate.
        let amount = if cents == 0 { "free".to_owned() } else { format!("about ${}.{:02}", cents / 100, cents % 100) };
        self.is_any_known.then_some(amount)
    }

    /// In words; none where no price is known and no seat is paid per token.
    fn text(&self, plan: &Plan) -> Option<String> {
        if !self.is_any_known && self.unknown.iter().all(|(_, seat)| seat.transport != "http") {
            return None;
        }
        let title = |name: &SeatName| format_of(plan).seat_title(plan, name);
        let names: Vec<String> =
            self.unknown.iter().map(|(name, seat)| format!("{} ({})", title(name), seat.spec())).collect();
        let unknown = (!names.is_empty()).then(|| format!("unknown for {}", names.join(", ")));
        Some(self.amount().into_iter().chain(unknown).collect::<Vec<_>>().join("; "))
    }
}

/// What citations are checked against, and what is allowed beyond that.
fn checked_against(evidence: &EvidenceRules) -> String {
    let mut text = match &evidence.scope {
        Scope::Pinned(pin) => {
            let files = |count: u64, kind: &str| match count {
                1 => format!("1 {kind}file"),
                count => format!("{} {kind}files", thousands(count)),
            };
            let against = match &pin.commit {
                None => files(pin.files, ""),
                Some(commit) => {
                    let changed = (pin.changed > 0).then(|| format!(" + {}", files(pin.changed, "uncommitted ")));
                    format!("{}{}", commit.get(..10).unwrap_or(commit), changed.unwrap_or_default())
                }
            };
            let git = pin.git_failed.as_deref().map(|said| format!("; commits can't be checked: {said}"));
            format!("checked against {against}{}{}", left_out(&pin.left_out), git.unwrap_or_default())
        }
        Scope::Live { why } => format!(
            "checked against the live workspace ({why}); seats read it directly, including ignored files such as .env"
        ),
        Scope::Nothing { why } => format!("files can't be checked, and no seat reads them: {why}"),
    };
    if let Some(commands) = &evidence.commands {
        text.push_str("; runs searches");
        if !commands.is_empty() {
            let place = match &evidence.scope {
                Scope::Pinned(_) => "each in its own copy, without binary, large or ignored files",
                Scope::Live { .. } => "in the workspace itself",
                Scope::Nothing { .. } => "not run",
            };
            let revised = match evidence.run_on {
                RunOn::Unrevised => "",
                RunOn::Revised => ", also on files revised by a model",
            };
            let _ = write!(text, " and the commands {} ({place}, not sandboxed{revised})", commands.join(", "));
        }
    }
    text
}

/// What is in the workspace and not in its copy.
fn left_out(left_out: &[NotKept]) -> String {
    let all: u64 = left_out.iter().map(|left| left.count).sum();
    if all == 0 {
        return String::new();
    }
    let each: Vec<String> = left_out.iter().map(|left| format!("{} {}", thousands(left.count), left.why)).collect();
    format!(", leaving out {} ({})", thousands(all), each.join(", "))
}

/// About how long, and how long at most.
pub(super) fn time(plan: &Plan, outline: &[OutlineCall]) -> (String, String) {
    let in_turn = format_of(plan).calls_in_turn(plan, outline);
    let most = (in_turn * plan.timeout_ms).min(plan.budget.max_ms.unwrap_or(u64::MAX));
    let usual: u64 = outline.iter().map(|call| usual_call_ms(plan, &call.seat)).sum();
    let usual = (usual * in_turn / (outline.len() as u64).max(1)).min(most);
    // An estimate has no tenths.
    let usual = if usual < 10_000 { format!("{} s", usual.div_ceil(1_000)) } else { duration(usual) };
    (usual, duration(most))
}

/// The seats in the order in which they first speak; then those that speak only where another fails, since what they
/// would get is to be known before as well.
pub(super) fn seats_in_order<'a>(plan: &'a Plan, outline: &[OutlineCall]) -> Vec<(&'a SeatName, &'a SeatPlan)> {
    let mut seats: Vec<(&SeatName, &SeatPlan)> = Vec::new();
    let speaking = outline.iter().filter_map(|call| plan.seats.get_key_value(&call.seat));
    for seat in speaking.chain(&plan.seats) {
        if !seats.iter().any(|(known, _)| *known == seat.0) {
            seats.push(seat);
        }
    }
    seats
}

fn budget(budget: &Budget) -> String {
    let limits = [
        budget.max_ms.map(duration),
        budget.max_tokens.map(|tokens| format!("{} tokens", thousands(tokens))),
        budget.max_cost.map(|cost| cost.to_string()),
    ];
    let limits: Vec<String> = limits.into_iter().flatten().collect();
    if limits.is_empty() { "no limit".to_owned() } else { limits.join(", ") }
}

/// What is true of seats, each with the names of the seats of which it is.
pub(super) fn grouped(seats: impl Iterator<Item = (String, String)>) -> Vec<(String, Vec<String>)> {
    let mut groups: Vec<(String, Vec<String>)> = Vec::new();
    for (name, what) in seats {
        match groups.iter_mut().find(|(known, _)| *known == what) {
            Some((_, names)) if names.contains(&name) => {}
            Some((_, names)) => names.push(name),
            None => groups.push((what, vec![name])),
        }
    }
    groups
}

fn sent(plan: &Plan, reads_workspace: bool) -> String {
    let mut parts = vec![format_of(plan).features().seats_read.to_owned()];
    parts.extend(plan.context.iter().map(|item| item.label.clone()));
    if reads_workspace && plan.workspace_readable {
        parts.push(format!("files it reads in {}", plan.workspace));
    }
    parts.join(", ")
}

/// A number as people read it: `12,000`.
pub fn thousands(number: u64) -> String {
    let digits = number.to_string();
    let groups: Vec<&str> = digits.as_bytes().rchunks(3).rev().filter_map(|group| std::str::from_utf8(group).ok()).collect();
    groups.join(",")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::debate::PinFacts;

    fn told(scope: Scope) -> String {
        checked_against(&EvidenceRules { scope, commands: None, run_on: RunOn::default(), fetch_sources: false })
    }

    #[test]
    fn a_plan_says_what_is_not_kept_and_what_git_refused() {
        let live = told(Scope::Live { why: "it has too many files".to_owned() });
        assert!(live.ends_with("seats read it directly, including ignored files such as .env"), "{live}");
        let git_failed = Some("git says: fatal: detected dubious ownership".to_owned());
        let facts =
            PinFacts { pack: String::new(), files: 3, bytes: 9, commit: None, changed: 1, git_failed, left_out: Vec::new() };
        let walked = told(Scope::Pinned(facts.clone()));
        assert!(walked.contains("commits can't be checked: git says: fatal: detected dubious ownership"), "{walked}");
        assert!(!walked.contains("hidden") && !walked.contains("uncommitted"), "{walked}");
        let committed = told(Scope::Pinned(PinFacts { commit: Some("0123456789ab".to_owned()), git_failed: None, ..facts }));
        assert!(committed.ends_with("checked against 0123456789 + 1 uncommitted file"), "{committed}");
    }

    #[test]
    fn a_plan_says_what_is_left_out_of_the_copy() {
        let left = |why: &str, count| NotKept { why: why.to_owned(), count };
        let left_out = vec![left("binary", 1200), left("named like a file that holds keys", 1)];
        let (pack, commit, git_failed) = (String::new(), None, None);
        let told = told(Scope::Pinned(PinFacts { pack, files: 1, bytes: 9, commit, changed: 0, git_failed, left_out }));
        assert!(
            told.ends_with("checked against 1 file, leaving out 1,201 (1,200 binary, 1 named like a file that holds keys)"),
            "{told}"
        );
    }
}
