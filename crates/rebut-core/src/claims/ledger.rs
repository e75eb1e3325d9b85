//! The ledger of a debate: every claim with its evidence, who attacked it, who conceded it, and what became of that.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use serde::Serialize;

use super::check::Checked;
use super::citation::Citation;
use super::concession::{called_false_in, stands_in, taken_back_in, withdrawn_in, words_with_dots};
use super::{ClaimId, Statement, Tally};

/// A statement with what its check found.
#[derive(Clone, Copy, Debug)]
pub struct Spoken<'a> {
    /// The speaker's letter in ids.
    pub letter: &'a str,
    /// The speaker.
    pub speaker: &'a str,
    /// The round.
    pub round: u32,
    /// The statement.
    pub statement: &'a Statement,
    /// What was found of its citations; none where they were not checked.
    pub checked: &'a [Checked],
}

/// The ledger.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Ledger {
    /// Every claim, in the order of the debate.
    pub claims: Vec<LedgerClaim>,
    /// Citations that stand under no claim, by the statement they stand in (`P1`).
    pub beside: Vec<(String, Vec<Checked>)>,
    /// Every concession that counts.
    pub concessions: Vec<LedgerConcession>,
    /// Concessions that a list of claims names and that stand nowhere in the statement: they do not count.
    pub unfounded: Vec<LedgerConcession>,
    /// The counts of it all.
    pub tally: Tally,
}

/// A claim and what became of it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct LedgerClaim {
    /// Its id.
    pub id: ClaimId,
    /// Who made it.
    pub speaker: String,
    #[serde(skip)]
    round: u32,
    /// The claim.
    pub text: String,
    /// Whether its speaker names evidence for it, be it only what others cited falsely.
    #[serde(skip)]
    names_evidence: bool,
    /// Evidence that is not of a kind that can be looked up, as it was written.
    pub other_evidence: Vec<String>,
    /// Its citations and what was found of them, each as one of this claim alone.
    pub citations: Vec<Checked>,
    /// Claims by which others attack it.
    pub attacked_by: Vec<ClaimId>,
    /// Who concedes it, in which round.
    pub conceded_by: Vec<(String, u32)>,
    /// Whether somebody who conceded it attacks it later.
    pub walked_back: bool,
    /// In which round its own speaker gave it up by its id.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub withdrawn: Option<u32>,
}

impl LedgerClaim {
    /// Whether its speaker names nothing for it.
    pub fn is_unsupported(&self) -> bool {
        !self.names_evidence
    }

    /// Whether all that its speaker names for it was cited before, by somebody else, and found to be false: such a place is
    /// no citation of its own.
    pub fn rests_on_what_was_false_before(&self) -> bool {
        self.names_evidence && self.citations.is_empty() && self.other_evidence.is_empty()
    }
}

/// A concession that stands word for word in a statement.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct LedgerConcession {
    /// Who made it.
    pub speaker: String,
    /// In which round.
    pub round: u32,
    /// The words.
    pub quote: String,
    /// The claims that it concedes, as far as it names them.
    pub claims: Vec<ClaimId>,
    /// Whether it names evidence that was not found to be false. One that does not is an unsupported switch.
    pub cites: bool,
    /// What it names that was found to be false, where it names nothing else.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub cites_falsely: Vec<String>,
}

impl fmt::Display for LedgerConcession {
    /// Who, when, the words, and what is wrong with what they cite, if anything.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}, round {}: \"{}\"", self.speaker, self.round, self.quote)?;
        match (self.cites, &self.cites_falsely[..]) {
            (true, _) => Ok(()),
            (false, []) => f.write_str(" (cites nothing)"),
            (false, [one]) => write!(f, " (cites only {one}, which is false)"),
            (false, several) => write!(f, " (cites only {}, which are false)", several.join(", ")),
        }
    }
}

impl Ledger {
    /// The ledger of these statements, which come in the order of the debate.
    pub fn of<'a>(spoken: impl IntoIterator<Item = Spoken<'a>>) -> Self {
        let spoken: Vec<Spoken<'a>> = spoken.into_iter().collect();
        let tally = Tally::of(spoken.iter().flat_map(|spoken| spoken.checked));
        let mut ledger = Self { tally, ..Self::default() };
        for said in &spoken {
            ledger.claims.extend(claims(said));
            let beside: Vec<Checked> =
                said.checked.iter().filter(|found| found.citation.claims.is_empty()).cloned().collect();
            if !beside.is_empty() {
                ledger.beside.push((format!("{}{}", said.letter, said.round), beside));
            }
            ledger.concessions.extend(concessions(said));
            ledger.unfounded.extend(said.statement.unfounded_concessions.iter().map(|quote| LedgerConcession {
                speaker: said.speaker.to_owned(),
                round: said.round,
                quote: quote.clone(),
                claims: Vec::new(),
                cites: false,
                cites_falsely: Vec::new(),
            }));
        }
        for said in &spoken {
            ledger.cross(said);
        }
        ledger.support_concessions();
        let others = ledger.claims.iter().map(|claim| claim.other_evidence.len()).sum();
        ledger.tally = ledger.tally.with_others(others);
        ledger
    }

    /// The ledger of sides that know their own claims by the ids that the debate has for them: what they give up of these is
    /// entered too.
    pub fn of_sides<'a>(spoken: impl IntoIterator<Item = Spoken<'a>>) -> Self {
        let spoken: Vec<Spoken<'a>> = spoken.into_iter().collect();
        let mut ledger = Self::of(spoken.iter().copied());
        let by_id: BTreeMap<ClaimId, usize> =
            ledger.claims.iter().enumerate().map(|(at, claim)| (claim.id.clone(), at)).collect();
        for said in &spoken {
            for at in withdrawn_in(&said.statement.body).iter().filter_map(|id| by_id.get(id)) {
                let claim = &mut ledger.claims[*at];
                if claim.speaker == said.speaker && claim.round < said.round {
                    let _ = claim.withdrawn.get_or_insert(said.round);
                }
            }
        }
        ledger
    }

    /// The citations that were found to be false, by the claim or statement that they stand in.
    pub fn false_citations(&self) -> impl Iterator<Item = (String, &Checked)> {
        let of_claims =
            self.claims.iter().flat_map(|claim| claim.citations.iter().map(|found| (claim.id.to_string(), found)));
        let others = self.beside.iter().flat_map(|(place, all)| all.iter().map(|found| (place.clone(), found)));
        of_claims.chain(others).filter(|(_, found)| found.result.is_false())
    }

    /// Concessions that name no evidence, or none that is not false.
    pub fn unsupported_switches(&self) -> impl Iterator<Item = &LedgerConcession> {
        self.concessions.iter().filter(|concession| !concession.cites)
    }

    /// A concession has the evidence of what it concedes: of the claims that it names, and of one of the same statement that
    /// says the same.
    fn support_concessions(&mut self) {
        let Self { claims, concessions, .. } = self;
        for concession in concessions.iter_mut().filter(|concession| !concession.cites) {
            let own = |claim: &LedgerClaim| {
                let same_statement = claim.speaker == concession.speaker && claim.round == concession.round;
                same_statement && stands_in(&claim.text, &concession.quote)
            };
            let named: BTreeSet<&ClaimId> = concession.claims.iter().collect();
            let meant = claims.iter().filter(|claim| named.contains(&claim.id) || own(claim));
            concession.cites = meant.flat_map(|claim| &claim.citations).any(|found| found.result.holds());
            if concession.cites {
                concession.cites_falsely.clear();
            }
        }
    }

    /// Enters what a statement takes back in so many words: the claims that the sentence names, or those whose words stand in
    /// it, or else what its speaker conceded last. A claim that was conceded and is now called false is taken back too.
    fn walk_back(&mut self, said: &Spoken<'_>) {
        let sentences = taken_back_in(&said.statement.body);
        let called_false = called_false_in(&said.statement.body);
        if sentences.is_empty() && called_false.is_empty() {
            return;
        }
        let mut conceded = Conceded::before(said, &self.claims);
        for at in called_false.iter().filter_map(|id| conceded.by_id.get(id)) {
            self.claims[*at].walked_back = true;
        }
        for sentence in sentences {
            let ids: BTreeSet<ClaimId> = words_with_dots(sentence).filter_map(ClaimId::read).collect();
            let meant: Vec<usize> = if ids.is_empty() {
                conceded.told_in(sentence).unwrap_or_else(|| std::mem::take(&mut conceded.last))
            } else {
                ids.iter().filter_map(|id| conceded.by_id.get(id).copied()).collect()
            };
            for at in meant {
                self.claims[at].walked_back = true;
            }
        }
    }

    /// Enters what a statement says of the claims of others. Nobody attacks or concedes claims of their own.
    fn cross(&mut self, said: &Spoken<'_>) {
        let conceded: BTreeSet<&ClaimId> = said.statement.conceded.keys().collect();
        let mut attacks: BTreeMap<&ClaimId, Vec<ClaimId>> = BTreeMap::new();
        for (claim, number) in said.statement.claims.iter().zip(1_u32..) {
            let by = ClaimId::new(said.letter, said.round, number);
            claim.attacks.iter().for_each(|attacked| attacks.entry(attacked).or_default().push(by.clone()));
        }
        self.walk_back(said);
        for claim in self.claims.iter_mut().filter(|claim| claim.speaker != said.speaker) {
            if let Some(by) = attacks.get(&claim.id) {
                // What was conceded in an earlier round is taken back by attacking it.
                claim.walked_back |= claim.conceded_by.iter().any(|(who, round)| who == said.speaker && *round < said.round);
                claim.attacked_by.extend_from_slice(by);
            }
            if conceded.contains(&claim.id) {
                claim.conceded_by.push((said.speaker.to_owned(), said.round));
            }
        }
    }
}

/// The claims that the speaker of a statement conceded before it, by their places in the ledger. What was taken back once need
/// not be taken back again, and is gone from the lists: many sentences and many claims are not many times each other.
struct Conceded {
    by_id: BTreeMap<ClaimId, usize>,
    by_word: BTreeMap<String, Vec<usize>>,
    /// Those that were conceded last.
    last: Vec<usize>,
}

impl Conceded {
    fn before(said: &Spoken<'_>, claims: &[LedgerClaim]) -> Self {
        let conceded_at = |claim: &LedgerClaim| {
            let rounds = claim.conceded_by.iter().filter(|(who, round)| who == said.speaker && *round < said.round);
            rounds.map(|(_, round)| *round).max()
        };
        let all: Vec<(usize, u32)> =
            claims.iter().enumerate().filter_map(|(at, claim)| Some((at, conceded_at(claim)?))).collect();
        let last = all.iter().map(|(_, round)| *round).max();
        let mut by_word: BTreeMap<String, Vec<usize>> = BTreeMap::new();
        for (at, _) in &all {
            telling_words(&claims[*at].text).for_each(|word| by_word.entry(word).or_default().push(*at));
        }
        Self {
            by_id: all.iter().map(|(at, _)| (claims[*at].id.clone(), *at)).collect(),
            by_word,
            last: all.iter().filter(|(_, round)| Some(*round) == last).map(|(at, _)| *at).collect(),
        }
    }

    /// Those whose text has a telling word of this sentence, as far as no sentence before named them so; none where no text
    /// has any.
    fn told_in(&mut self, sentence: &str) -> Option<Vec<usize>> {
        let mut told: Option<Vec<usize>> = None;
        for word in telling_words(sentence) {
            if let Some(claims) = self.by_word.get_mut(&word) {
                told.get_or_insert_default().append(claims);
            }
        }
        told
    }
}

/// Words that say what a text is about: names and longer words, in small letters.
fn telling_words(text: &str) -> impl Iterator<Item = String> {
    const EMPTY: [&str; 16] = [
        "withdraw",
        "retract",
        "concession",
        "conceded",
        "concede",
        "wrong",
        "back",
        "take",
        "that",
        "what",
        "this",
        "with",
        "after",
        "earlier",
        "have",
        "been",
    ];
    let words = text.split(|c: char| !c.is_alphanumeric());
    let telling = words.filter(|word| word.chars().count() > 3 || word.chars().filter(|c| c.is_uppercase()).count() > 1);
    telling.map(str::to_lowercase).filter(|word| !EMPTY.contains(&word.as_str()))
}

fn claims<'a>(said: &'a Spoken<'_>) -> impl Iterator<Item = LedgerClaim> + 'a {
    let mut found = by_claim(said.checked);
    said.statement.claims.iter().zip(1_u32..).map(move |(claim, number)| {
        // With all claims of each finding in each of these claims, the ledger would grow with the square of them.
        let own = |found: &Checked| Checked {
            citation: Citation { claims: vec![number], ..found.citation.clone() },
            ..found.clone()
        };
        LedgerClaim {
            id: ClaimId::new(said.letter, said.round, number),
            speaker: said.speaker.to_owned(),
            round: said.round,
            text: claim.text.clone(),
            names_evidence: claim.names_evidence(),
            other_evidence: claim.evidence_not_looked_up().cloned().collect(),
            citations: found.remove(&number).unwrap_or_default().into_iter().map(own).collect(),
            attacked_by: Vec::new(),
            conceded_by: Vec::new(),
            walked_back: false,
            withdrawn: None,
        }
    })
}

/// The findings of each claim, by its number.
pub(super) fn by_claim(findings: &[Checked]) -> BTreeMap<u32, Vec<&Checked>> {
    let mut by_claim: BTreeMap<u32, Vec<&Checked>> = BTreeMap::new();
    for found in findings {
        found.citation.claims.iter().for_each(|claim| by_claim.entry(*claim).or_default().push(found));
    }
    by_claim
}

fn concessions<'a>(said: &'a Spoken<'_>) -> impl Iterator<Item = LedgerConcession> + 'a {
    let statement = said.statement;
    let beside = statement.cited_beside_concessions(said.checked);
    statement.concessions.iter().zip(beside).map(move |(quote, (false_ones, others))| LedgerConcession {
        speaker: said.speaker.to_owned(),
        round: said.round,
        quote: quote.clone(),
        claims: statement.conceded.iter().filter(|(_, words)| *words == quote).map(|(id, _)| id.clone()).collect(),
        cites: !others.is_empty(),
        cites_falsely: if others.is_empty() { false_ones.iter().map(ToString::to_string).collect() } else { Vec::new() },
    })
}

#[cfg(test)]
mod tests {
    use super::super::check::CheckResult;
    use super::*;

    fn spoken<'a>(letter: &'a str, round: u32, statement: &'a Statement) -> Spoken<'a> {
        let speaker = if letter == "P" { "proposer" } else { "challenger" };
        Spoken { letter, speaker, round, statement, checked: &[] }
    }

    #[test]
    fn a_concession_has_the_evidence_of_what_it_concedes() {
        let check = |statement: &Statement| -> Vec<Checked> {
            let checked = |citation| Checked::of(citation, CheckResult::Verified, "");
            statement.citations().into_iter().map(checked).collect()
        };
        let opening = Statement::read("So.\n--- claims\nclaim: TLS is a stub\nevidence: src/tls.rs:12\nclaim: it is slow");
        let found = check(&opening);
        let supported = |answer: &str| {
            let answer = Statement::read(answer);
            let own = check(&answer);
            let opening = Spoken { checked: &found, ..spoken("P", 1, &opening) };
            let answer = Spoken { checked: &own, ..spoken("C", 1, &answer) };
            Ledger::of([opening, answer]).unsupported_switches().count() == 0
        };
        assert!(supported("I concede P1.1.\n--- claims\nconcede: P1.1 \"I concede P1.1.\""));
        assert!(!supported("I concede P1.2.\n--- claims\nconcede: P1.2 \"I concede P1.2.\""));
        assert!(supported("I concede that TLS is a stub.\n--- claims\nclaim: TLS is a stub\nevidence: src/tls.rs:12"));
        assert!(!supported("I concede that TLS is a stub.\n--- claims\nclaim: something else\nevidence: src/tls.rs:12"));
    }

    #[test]
    fn a_concession_that_is_taken_back_in_words_is_walked_back() {
        let opening = Statement::read("So.\n--- claims\nclaim: TLS is a stub\nclaim: the pool leaks");
        let conceding = Statement::read(
            "I concede that it is. I concede the leak.\n--- claims\nconcede: P1.1 \"I concede that it is.\"\n\
             concede: P1.2 \"I concede the leak.\"",
        );
        let walked_back = |words: &str| -> Vec<String> {
            let later = Statement::read(words);
            assert_eq!(later.concessions, Vec::<String>::new(), "{words}");
            let ledger = Ledger::of([spoken("P", 1, &opening), spoken("C", 1, &conceding), spoken("C", 2, &later)]);
            ledger.claims.iter().filter(|claim| claim.walked_back).map(|claim| claim.id.to_string()).collect()
        };
        assert_eq!(walked_back("I withdraw my concession of P1.1: it is fine."), ["P1.1"]);
        assert_eq!(walked_back("I retract my concession on TLS."), ["P1.1"]);
        assert_eq!(walked_back("I withdraw the concession."), ["P1.1", "P1.2"]);
        assert_eq!(walked_back("I reverse my earlier concession: P1.1 does not hold."), ["P1.1"]);
        assert_eq!(walked_back("P1.1 is false after all."), ["P1.1"]);
        assert_eq!(walked_back("My concession of P1.2 was premature."), ["P1.2"]);
        assert_eq!(walked_back("I hold what I said."), [""; 0]);
        assert_eq!(walked_back("P1.1 is not decisive."), [""; 0]);
    }

    #[test]
    fn a_claim_that_its_own_side_gives_up_is_withdrawn() {
        let opening = Statement::read("So.\n--- claims\nclaim: TLS is on\nclaim: the pool is fair");
        let answer = Statement::read("I concede P1.1.\n--- claims\nclaim: it leaks");
        let later = Statement::read("I withdraw P1.2, and C1.1 is beside the point.");
        let ledger = Ledger::of_sides([spoken("P", 1, &opening), spoken("C", 1, &answer), spoken("P", 2, &later)]);
        let told: Vec<(&str, Option<u32>)> = ledger.claims.iter().map(|c| (c.id.as_str(), c.withdrawn)).collect();
        assert_eq!(told, [("P1.1", None), ("P1.2", Some(2)), ("C1.1", None)]);
    }

    #[test]
    fn attacks_concessions_and_what_is_walked_back_are_entered() {
        let opening = Statement::read("gRPC.\n--- claims\nclaim: fast\nevidence: none\nclaim: typed\nevidence: the RFC");
        let answer = Statement::read(
            "I concede that it is typed.\n--- claims\nclaim: slow\nattacks: P1.1\nattacks: P9.9\n\
             concede: P1.2 \"I concede that it is typed.\"",
        );
        let later = Statement::read("No.\n--- claims\nclaim: types rot\nattacks: P1.2");
        let ledger = Ledger::of([spoken("P", 1, &opening), spoken("C", 1, &answer), spoken("C", 2, &later)]);
        let told: Vec<String> = ledger
            .claims
            .iter()
            .map(|c| {
                format!(
                    "{} {:?} {} {}",
                    c.id,
                    c.attacked_by.iter().map(ClaimId::as_str).collect::<Vec<_>>(),
                    c.conceded_by.len(),
                    c.walked_back
                )
            })
            .collect();
        assert_eq!(told, ["P1.1 [\"C1.1\"] 0 false", "P1.2 [\"C2.1\"] 1 true", "C1.1 [] 0 false", "C2.1 [] 0 false"]);
        assert!(ledger.claims[0].is_unsupported());
        assert!(!ledger.claims[1].is_unsupported());
        assert_eq!(ledger.unsupported_switches().count(), 1);
        assert_eq!(ledger.tally.to_string(), "0 citations checked, 0 verified, 0 failed; 1 could not be checked");
    }

    #[test]
    fn a_claim_whose_text_names_evidence_is_no_claim_without_any() {
        let statement = Statement::read("So.\n--- claims\nclaim: src/token.rs:10 is of no use\nattacks: P1.1\nclaim: plain");
        // What others cited falsely is no citation of its own, and so nothing was looked up.
        let ledger = Ledger::of([spoken("C", 1, &statement)]);
        let told = ledger.claims.iter().map(|claim| (claim.is_unsupported(), claim.rests_on_what_was_false_before()));
        assert_eq!(told.collect::<Vec<_>>(), [(false, true), (true, false)]);
        assert_eq!(statement.unsupported().map(|claim| claim.text.as_str()).collect::<Vec<_>>(), ["plain"]);
        let account = super::super::account_of("C", 1, &statement, &[]);
        assert_eq!(
            account,
            "C1.1 src/token.rs:10 is of no use\n  named is only what was cited before and found to be false\n\
             C1.2 plain\n  no evidence is named\n"
        );
    }

    #[test]
    fn the_ledger_grows_with_the_claims_and_not_with_their_square() {
        let statement = Statement::read(&format!("So.\n--- claims\n{}", "claim: c\nevidence: a.rs:1\n".repeat(3_000)));
        let found: Vec<Checked> =
            statement.citations().into_iter().map(|citation| Checked::of(citation, CheckResult::Verified, "")).collect();
        assert_eq!((found.len(), found[0].citation.claims.len()), (1, 3_000));
        let ledger = Ledger::of([Spoken { checked: &found, ..spoken("P", 1, &statement) }]);
        let claims = ledger.claims.iter().flat_map(|claim| &claim.citations).map(|found| found.citation.claims.len());
        assert_eq!(claims.sum::<usize>(), 3_000);
    }
}
