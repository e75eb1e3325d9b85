//! The evidence of a duel: when it is looked up, and how what was found is told to debaters, judge and reader.

use std::fmt::Write;

use super::resting::reasoning_rests_on;
use super::verdict::{FALSE_EVIDENCE, WAY_OUT, free_words, own_citations, own_citations_of_fields, resting_on};
use super::{Role, statement, statements, verdict_at, verdict_evidence_key};
use crate::claims::check::Checked;
use crate::claims::citation::find_with_others;
use crate::claims::marks::own_words;
use crate::claims::{ClaimId, Earlier, Ledger, LedgerClaim, Spoken, Tally, account_of, one_line, shortened};
use crate::debate::{Action, Check, Debate, Rejection, Step, StepKey};

/// The most lines that are told of rounds of which only a summary is read.
const REMEMBERED: usize = 80;

/// The key of the check of a statement's evidence: `round-2/challenger/evidence`.
pub fn evidence_key(round: u32, role: Role) -> StepKey {
    StepKey::new(format!("round-{round}/{role}/evidence"))
}

/// The ledger of a duel.
pub fn ledger(debate: &Debate) -> Ledger {
    Ledger::of_sides(spoken(debate, u32::MAX))
}

/// The ledger of the rounds that a verdict rests on.
pub(super) fn judged_ledger(debate: &Debate) -> Ledger {
    Ledger::of_sides(spoken(debate, super::completed_rounds(debate)))
}

/// What was found of a statement's evidence, in order.
pub fn findings(debate: &Debate, round: u32, role: Role) -> &[Checked] {
    debate.findings(&evidence_key(round, role)).unwrap_or_default()
}

/// The checks that statements still need before anybody answers them.
pub(super) fn checks(debate: &Debate) -> impl Iterator<Item = Step> {
    let said = statements(debate).filter(|_| debate.plan().evidence.is_some());
    said.filter_map(|(round, role, statement, _)| {
        let key = evidence_key(round, role);
        let earlier = || earlier(debate, round, role);
        let citations = if debate.may_begin(&key) { statement.own_citations(&earlier()) } else { Vec::new() };
        (!citations.is_empty())
            .then_some(Step { key, action: Action::Check(Check { citations, revisions: Vec::new(), texts: Vec::new() }) })
    })
}

/// What was found before a statement was made, of either side.
fn earlier(debate: &Debate, round: u32, role: Role) -> Earlier<'_> {
    let mut earlier = Earlier::default();
    let before = statements(debate).take_while(|(other_round, other, ..)| (*other_round, *other) != (round, role));
    for (round, speaker, ..) in before {
        let found = findings(debate, round, speaker).iter();
        if speaker == role { earlier.own.extend(found) } else { earlier.of_others.extend(found) }
    }
    earlier
}

/// The check that an answered verdict still needs: what only the verdict cites was looked up by nobody.
pub(super) fn verdict_check(debate: &Debate, verdict: &StepKey) -> Option<Step> {
    debate.plan().evidence.as_ref()?;
    let key = verdict_evidence_key(verdict);
    let citations = own_citations(verdict_at(debate, verdict)?, &judged_ledger(debate));
    let wanted = debate.may_begin(&key) && !citations.is_empty();
    wanted.then_some(Step { key, action: Action::Check(Check { citations, revisions: Vec::new(), texts: Vec::new() }) })
}

/// Why an answered verdict may not stand: a decisive argument or an agreement rests on what was looked up for it and is
/// false. What is false and known from the debate is refused when the answer is read.
pub(super) fn verdict_rejection(debate: &Debate, verdict: &StepKey) -> Option<Rejection> {
    let of_fields = own_citations_of_fields(verdict_at(debate, verdict)?, &judged_ledger(debate));
    let mut found = super::verdict_findings(debate, verdict).iter().filter(|found| found.result.is_false());
    found.find(|found| of_fields.contains(&found.citation)).map(resting_on_own)
}

/// Why an answered verdict is asked for again, though it may stand: its reasoning, or an argument under the loser's
/// statement, which are free words and are read by rules, rests on a false citation.
pub(super) fn reasoning_objection(debate: &Debate, verdict: &StepKey) -> Option<Rejection> {
    let own = super::verdict_findings(debate, verdict).iter().find(|found| found.result.is_false());
    let known = || {
        let (what, found) = false_in_free_words(debate, verdict).into_iter().next()?;
        Some(resting_on(if what == "the reasoning" { "`reasoning`" } else { what }, &found))
    };
    own.map(resting_on_own).or_else(known)
}

fn resting_on_own(found: &Checked) -> Rejection {
    let (cited, detail) = (&found.citation.target, &found.detail);
    Rejection::new(
        FALSE_EVIDENCE,
        format!("the verdict rests on {cited}, which nobody had cited; it was looked up and is false: {detail}; {WAY_OUT}"),
    )
}

/// The false citations of the debate that the free words of a verdict rest on, with what these are.
fn false_in_free_words(debate: &Debate, verdict: &StepKey) -> Vec<(&'static str, Checked)> {
    let Some(verdict) = verdict_at(debate, verdict) else { return Vec::new() };
    let ledger = judged_ledger(debate);
    let found = |(what, text)| {
        let found = reasoning_rests_on(&ledger, verdict.winner.role(), text);
        found.into_iter().cloned().map(move |found| (what, found)).collect::<Vec<_>>()
    };
    free_words(verdict).flat_map(found).collect()
}

/// What is told of the verdict that a debate ended with, where its reasoning still names what is false although the judge
/// was asked again: `the reasoning names src/auth/token.rs:10, which failed its check`.
pub fn reasoning_notes(debate: &Debate) -> Vec<String> {
    let Some(key) = debate.outcome().and_then(|outcome| outcome.verdict.as_ref()) else { return Vec::new() };
    let verdict = verdict_at(debate, key);
    let own = super::verdict_findings(debate, key).iter().filter(|found| found.result.is_false()).cloned();
    let own = own.map(|found| {
        // What it is the first to cite, free words cite.
        let all = verdict.into_iter().flat_map(free_words);
        let named =
            all.into_iter().find(|(_, text)| find_with_others(text).iter().any(|c| c.target == found.citation.target));
        (named.map_or("the reasoning", |(what, _)| what), found)
    });
    let mut named: Vec<String> = Vec::new();
    for (what, found) in own.chain(false_in_free_words(debate, key)) {
        let note = one_line(&format!("{what} names {}, which failed its check", found.citation.target));
        if !named.contains(&note) {
            named.push(note);
        }
    }
    named
}

/// The claims of a statement with what was found of their evidence, for the prompts; none where nothing is checked.
pub(super) fn account(debate: &Debate, round: u32, role: Role) -> Option<String> {
    debate.plan().evidence.as_ref()?;
    let (statement, _) = statement(debate, round, role)?;
    Some(account_of(role.letter(), round, statement, findings(debate, round, role)))
}

/// What remains to be known of the rounds that are only summarised: the ids of claims, so that they can still be attacked
/// and conceded, and the citations that were found to be false.
pub(super) fn remembered(debate: &Debate, last_round: u32) -> Option<String> {
    debate.plan().evidence.as_ref()?;
    let ledger = Ledger::of_sides(spoken(debate, last_round));
    let false_ones = ledger.false_citations().map(|(place, found)| format!("{place} {}", one_line(&found.to_string())));
    let claims = ledger.claims.iter().map(|claim| {
        let unsupported = if claim.is_unsupported() { " (no evidence is named)" } else { "" };
        format!("{} {}{unsupported}", claim.id, shortened(&claim.text))
    });
    // What is false is told first: if anything is left out, it is not that.
    let lines: Vec<String> = false_ones.chain(claims).collect();
    let told = lines.len().min(REMEMBERED);
    let mut text = lines[..told].join("\n");
    if told < lines.len() {
        let _ = write!(text, "\nand {} more", lines.len() - told);
    }
    (!text.is_empty()).then_some(text)
}

/// What the judge is told of the evidence as a whole, line by line.
pub(super) fn totals(debate: &Debate) -> Vec<String> {
    if debate.plan().evidence.is_none() {
        return Vec::new();
    }
    let last_round = super::completed_rounds(debate);
    let mut lines: Vec<String> = Role::DEBATERS
        .iter()
        .map(|role| {
            let own = || spoken(debate, last_round).filter(|said| said.speaker == role.as_str());
            let claims = own().flat_map(|said| &said.statement.claims);
            let others = claims.map(|claim| claim.evidence_not_looked_up().count()).sum();
            format!("{role}: {}", Tally::of(own().flat_map(|said| said.checked)).with_others(others))
        })
        .collect();
    let ledger = judged_ledger(debate);
    let switches = ledger.unsupported_switches();
    lines.extend(
        switches.map(|switch| format!("unsupported change of position: {}", one_line(&own_words(&switch.to_string())))),
    );
    lines.extend(ledger.claims.iter().filter(|claim| claim.walked_back).map(walked_back));
    lines.extend(ledger.claims.iter().filter_map(|claim| {
        let round = claim.withdrawn?;
        Some(format!("{} withdrew its own {} in round {round}", claim.speaker, claim.id))
    }));
    lines.extend(ledger.unfounded.iter().map(|listed| {
        let quote = one_line(&own_words(&listed.quote));
        format!(
            "{}, round {}, lists a concession that its statement does not make: \"{quote}\"",
            listed.speaker, listed.round
        )
    }));
    lines
}

/// How a concession was walked back: by an attack on what was conceded, or in so many words.
fn walked_back(claim: &LedgerClaim) -> String {
    let Some((who, round)) = claim.conceded_by.first() else { return format!("{} was walked back", claim.id) };
    let letter = Role::DEBATERS.iter().find(|role| role.as_str() == who).map_or("", |role| role.letter());
    let is_later = |id: &ClaimId| {
        let by = id.as_str().strip_prefix(letter).and_then(|rest| rest.split_once('.'));
        by.and_then(|(later, _)| later.parse::<u32>().ok()).is_some_and(|later| later > *round)
    };
    let how = if claim.attacked_by.iter().any(is_later) { "attacked it later" } else { "took that back later" };
    format!("{who} conceded {} and {how}", claim.id)
}

fn spoken(debate: &Debate, last_round: u32) -> impl Iterator<Item = Spoken<'_>> {
    statements(debate).filter(move |(round, ..)| *round <= last_round).map(|(round, role, statement, _)| Spoken {
        letter: role.letter(),
        speaker: role.as_str(),
        round,
        statement,
        checked: findings(debate, round, role),
    })
}
