//! The evidence of a duel: when it is looked up, and how what was found is told to debaters, judge and reader.

use std::fmt::Write;

use super::verdict::own_citations;
use super::{Role, statement, statements, verdict_at, verdict_evidence_key};
use crate::claims::check::Checked;
use crate::claims::{ClaimId, Earlier, Ledger, Spoken, Statement, Tally};
use crate::debate::{Action, Check, Debate, Rejection, Step, StepKey};

/// The most citations of one statement that a prompt tells of: room is kept for all false ones first.
const TOLD: usize = 60;

/// The most lines that are told of rounds of which only a summary is read, and how long a claim is told then.
const REMEMBERED: usize = 80;
const REMEMBERED_CHARS: usize = 120;

/// The key of the check of a statement's evidence: `round-2/challenger/evidence`.
pub fn evidence_key(round: u32, role: Role) -> StepKey {
    StepKey::new(format!("round-{round}/{role}/evidence"))
}

/// The ledger of a duel.
pub fn ledger(debate: &Debate) -> Ledger {
    Ledger::of(spoken(debate, u32::MAX))
}

/// The ledger of the rounds that a verdict rests on.
pub(super) fn judged_ledger(debate: &Debate) -> Ledger {
    Ledger::of(spoken(debate, super::completed_rounds(debate)))
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

/// Whether an answered verdict may stand, with nothing false in what it rests on; and if not, why.
pub(super) fn verdict_rejection(debate: &Debate, verdict: &StepKey) -> Option<Rejection> {
    let found = super::verdict_findings(debate, verdict).iter().find(|found| found.result.is_false())?;
    let (cited, detail) = (&found.citation.target, &found.detail);
    Some(Rejection::new(
        "verdict:false_evidence",
        format!("the verdict rests on {cited}, which nobody had cited; it was looked up and is false: {detail}"),
    ))
}

/// The claims of a statement with what was found of their evidence, for the prompts; none where nothing is checked.
pub(super) fn account(debate: &Debate, round: u32, role: Role) -> Option<String> {
    debate.plan().evidence.as_ref()?;
    let (statement, _) = statement(debate, round, role)?;
    Some(account_of(role.letter(), round, statement, findings(debate, round, role)))
}

/// The claims of any statement with what was found of their evidence; `letter` is its speaker's.
pub(in crate::formats) fn account_of(letter: &str, round: u32, statement: &Statement, findings: &[Checked]) -> String {
    let mut room = Room::for_all(findings);
    let mut text = String::new();
    for (claim, number) in statement.claims.iter().zip(1_u32..) {
        let id = ClaimId::new(letter, round, number);
        // Writing to a string cannot fail.
        let _ = writeln!(text, "{id} {}", one_line(&claim.text));
        let of_claim = || findings.iter().filter(|found| found.citation.claims.contains(&number));
        if claim.evidence.is_empty() && of_claim().next().is_none() {
            text.push_str("  no evidence is named\n");
        }
        tell(&mut text, of_claim(), &mut room);
        let mut others = claim.evidence_not_looked_up().peekable();
        if !claim.evidence.is_empty() && of_claim().next().is_none() && others.peek().is_none() {
            text.push_str("  named is only what was cited before and found to be false\n");
        }
        for line in others {
            let _ = writeln!(text, "  ? {}: unchecked, not of a kind that can be looked up", shortened(&one_line(line)));
        }
    }
    if statement.claims.is_empty() && findings.is_empty() {
        text.push_str("nothing is cited\n");
    }
    let beside: Vec<&Checked> = findings.iter().filter(|found| found.citation.claims.is_empty()).collect();
    if !beside.is_empty() {
        text.push_str(if statement.claims.is_empty() { "cited\n" } else { "cited beside the claims\n" });
        tell(&mut text, beside.into_iter(), &mut room);
    }
    text
}

/// What remains to be known of the rounds that are only summarised: the ids of claims, so that they can still be attacked
/// and conceded, and the citations that were found to be false.
pub(super) fn remembered(debate: &Debate, last_round: u32) -> Option<String> {
    debate.plan().evidence.as_ref()?;
    let ledger = Ledger::of(spoken(debate, last_round));
    let false_ones = ledger.false_citations().map(|(place, found)| format!("{place} {}", one_line(&found.to_string())));
    let claims = ledger.claims.iter().map(|claim| {
        let unsupported = if claim.is_unsupported() { " (no evidence is named)" } else { "" };
        format!("{} {}{unsupported}", claim.id, shortened(&one_line(&claim.text)))
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
    lines.extend(switches.map(|switch| format!("unsupported change of position: {}", one_line(&switch.to_string()))));
    lines.extend(ledger.claims.iter().filter(|claim| claim.walked_back).map(|claim| {
        let who = claim.conceded_by.first().map_or("", |(who, _)| who.as_str());
        format!("{who} conceded {} and attacked it later", claim.id)
    }));
    lines.extend(ledger.unfounded.iter().map(|listed| {
        let quote = one_line(&listed.quote);
        format!(
            "{}, round {}, lists a concession that its statement does not make: \"{quote}\"",
            listed.speaker, listed.round
        )
    }));
    lines
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

/// How many citations may still be told.
struct Room {
    of_false: usize,
    of_others: usize,
}

impl Room {
    /// Those that hold have what the false ones leave, wherever in the statement these stand.
    fn for_all(findings: &[Checked]) -> Self {
        let false_ones = findings.iter().filter(|found| found.result.is_false());
        // A citation is told under each of its claims.
        let of_false = false_ones.map(|found| found.citation.claims.len().max(1)).sum::<usize>().min(TOLD);
        Self { of_false, of_others: TOLD - of_false }
    }
}

fn tell<'a>(text: &mut String, findings: impl Iterator<Item = &'a Checked>, room: &mut Room) {
    let (of_false, others): (Vec<&Checked>, Vec<&Checked>) = findings.partition(|found| found.result.is_false());
    let mut untold = Vec::new();
    for (findings, left) in [(of_false, &mut room.of_false), (others, &mut room.of_others)] {
        let told = findings.len().min(*left);
        *left -= told;
        for found in &findings[..told] {
            let _ = writeln!(text, "  {}", one_line(&found.to_string()));
        }
        untold.extend_from_slice(&findings[told..]);
    }
    if !untold.is_empty() {
        let _ = writeln!(text, "  and {} more: {}", untold.len(), Tally::of(untold.iter().copied()));
    }
}

fn shortened(line: &str) -> String {
    if line.chars().count() <= REMEMBERED_CHARS {
        line.to_owned()
    } else {
        line.chars().take(REMEMBERED_CHARS).chain(['…']).collect()
    }
}

fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}
