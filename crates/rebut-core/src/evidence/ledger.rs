//! The ledger of a debate: every claim with its evidence, who attacked it, who conceded it, and what went unanswered.
//!
//! It is computed from what the sides list, never from what they write.

use std::collections::BTreeMap;

use serde::Serialize;

use super::{ClaimId, Evidence, Listing, Tally};
use crate::evidence::check::{CheckResult, Checked};

/// A statement as the ledger reads it.
#[derive(Clone, Copy, Debug)]
pub struct Spoken<'a> {
    /// The speaker's letter in ids.
    pub letter: &'a str,
    pub speaker: &'a str,
    pub round: u32,
    /// Its place in the debate: statements of one turn were written at the same time.
    pub turn: u32,
    /// What it lists; none where it lists nothing.
    pub listing: Option<&'a Listing>,
    /// What was found of its evidence and of what its prose mentions.
    pub checked: &'a [Checked],
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Ledger {
    /// Every claim, in the order of the debate.
    pub claims: Vec<LedgerClaim>,
    /// Every concession to another side.
    pub concessions: Vec<LedgerConcession>,
    /// Places that prose mentions and that do not exist, by the id of the statement (`P1`).
    pub false_mentions: Vec<(String, Checked)>,
    /// What was dropped from the lists of claims, by the id of the statement.
    pub dropped: Vec<(String, String)>,
    /// The counts by speaker.
    pub tallies: BTreeMap<String, Tally>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct LedgerClaim {
    pub id: ClaimId,
    pub speaker: String,
    pub text: String,
    pub evidence: Vec<Evidence>,
    /// What was found of it; empty where nothing is looked up.
    pub checked: Vec<Checked>,
    pub attacked_by: Vec<Attack>,
    pub conceded_by: Vec<(String, u32)>,
    /// Whether a speaker conceded it and attacked it later.
    pub walked_back: bool,
    /// The round in which its own speaker withdrew it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub withdrawn: Option<u32>,
    #[serde(skip)]
    turn: u32,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Attack {
    pub by: ClaimId,
    /// What the attacked side did about it.
    pub answer: Answered,
}

/// What a side did about an attack.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Answered {
    /// It attacked the attack, or conceded one of the two claims.
    Yes,
    /// It spoke later and did neither.
    No,
    /// It did not speak again.
    NoChance,
}

/// A concession to another side.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct LedgerConcession {
    pub speaker: String,
    pub round: u32,
    pub claim: ClaimId,
    /// The words of the statement, else the text of the claim.
    pub words: String,
    /// Whether the words occur in the statement.
    pub verbatim: bool,
}

impl LedgerClaim {
    /// Whether evidence is listed for it and all of it that can be looked up is false.
    pub fn is_refuted(&self) -> bool {
        let counts = |found: &&Checked| !matches!(found.result, CheckResult::Invalid | CheckResult::OutOfScope);
        let mut counting = self.checked.iter().filter(counts).peekable();
        counting.peek().is_some()
            && self.checked.len() == self.evidence.len()
            && counting.all(|found| found.result.is_false())
    }
}

impl Ledger {
    /// The ledger of these statements, which come in the order of the debate.
    pub fn of<'a>(spoken: impl IntoIterator<Item = Spoken<'a>>) -> Self {
        let spoken: Vec<Spoken<'a>> = spoken.into_iter().collect();
        let mut ledger = Self::default();
        for said in &spoken {
            ledger.enter(said);
        }
        let by_id: BTreeMap<ClaimId, usize> =
            ledger.claims.iter().enumerate().map(|(at, claim)| (claim.id.clone(), at)).collect();
        for said in &spoken {
            ledger.relate(said, &by_id);
        }
        ledger.judge_answers(&spoken, &by_id);
        ledger
    }

    /// The claim that refutes a reference: the claim itself where all its evidence is false, or the first claim of a statement
    /// whose claims are all of that kind.
    pub fn refuted(&self, reference: &str) -> Option<&LedgerClaim> {
        let of = |claim: &&LedgerClaim| claim.id.as_str() == reference || claim.id.statement() == reference;
        let mut claims = self.claims.iter().filter(of).peekable();
        let first = claims.peek().copied()?;
        claims.all(LedgerClaim::is_refuted).then_some(first)
    }

    pub fn claim(&self, id: &ClaimId) -> Option<&LedgerClaim> {
        self.claims.iter().find(|claim| claim.id == *id)
    }

    /// Every attack that the attacked side left unanswered, with the claim it is directed at.
    pub fn unanswered(&self) -> impl Iterator<Item = (&LedgerClaim, &Attack)> {
        let attacks = self.claims.iter().flat_map(|claim| claim.attacked_by.iter().map(move |attack| (claim, attack)));
        attacks.filter(|(_, attack)| attack.answer == Answered::No)
    }

    /// The counts of all speakers together.
    pub fn tally(&self) -> Tally {
        self.tallies.values().fold(Tally::default(), |all, one| all + *one)
    }

    fn enter(&mut self, said: &Spoken<'_>) {
        let statement = format!("{}{}", said.letter, said.round);
        let mentions = said.checked.iter().filter(|found| found.claim.is_none() && found.result.is_false());
        self.false_mentions.extend(mentions.map(|found| (statement.clone(), found.clone())));
        let Some(listing) = said.listing else { return };
        self.dropped.extend(listing.dropped.iter().map(|dropped| (statement.clone(), dropped.clone())));
        for (claim, number) in listing.claims.iter().zip(1..) {
            let checked: Vec<Checked> = said.checked.iter().filter(|found| found.claim == Some(number)).cloned().collect();
            let tally = self.tallies.entry(said.speaker.to_owned()).or_default();
            *tally = *tally + Tally::of(claim.evidence.len(), &checked);
            self.claims.push(LedgerClaim {
                id: ClaimId::new(said.letter, said.round, number),
                speaker: said.speaker.to_owned(),
                text: claim.text.clone(),
                evidence: claim.evidence.clone(),
                checked,
                attacked_by: Vec::new(),
                conceded_by: Vec::new(),
                walked_back: false,
                withdrawn: None,
                turn: said.turn,
            });
        }
    }

    fn relate(&mut self, said: &Spoken<'_>, by_id: &BTreeMap<ClaimId, usize>) {
        let Some(listing) = said.listing else { return };
        for (claim, number) in listing.claims.iter().zip(1..) {
            for target in claim.attacks.iter().filter_map(|id| by_id.get(id)) {
                let by = ClaimId::new(said.letter, said.round, number);
                let target = &mut self.claims[*target];
                target.walked_back |= target.conceded_by.iter().any(|(who, _)| who == said.speaker);
                target.attacked_by.push(Attack { by, answer: Answered::NoChance });
            }
        }
        for concession in &listing.concedes {
            let Some(target) = by_id.get(&concession.claim).map(|at| &mut self.claims[*at]) else { continue };
            if target.id.is_of(said.letter) {
                target.withdrawn.get_or_insert(said.round);
                continue;
            }
            target.conceded_by.push((said.speaker.to_owned(), said.round));
            self.concessions.push(LedgerConcession {
                speaker: said.speaker.to_owned(),
                round: said.round,
                claim: concession.claim.clone(),
                words: concession.words.clone().unwrap_or_else(|| target.text.clone()),
                verbatim: concession.words.is_some(),
            });
        }
    }

    /// An attack Y on X is answered where X's side, in a later turn, attacks Y or concedes X or Y.
    fn judge_answers(&mut self, spoken: &[Spoken<'_>], by_id: &BTreeMap<ClaimId, usize>) {
        for at in 0..self.claims.len() {
            let id = self.claims[at].id.clone();
            for attack in 0..self.claims[at].attacked_by.len() {
                let by = self.claims[at].attacked_by[attack].by.clone();
                let Some(turn) = by_id.get(&by).map(|at| self.claims[*at].turn) else { continue };
                let mut later = spoken.iter().filter(|said| id.is_of(said.letter) && said.turn > turn).peekable();
                let spoke = later.peek().is_some();
                let answers = |listing: &Listing| {
                    listing.claims.iter().any(|claim| claim.attacks.contains(&by))
                        || listing.concedes.iter().any(|concession| concession.claim == id || concession.claim == by)
                };
                let answered = later.any(|said| said.listing.is_some_and(answers));
                self.claims[at].attacked_by[attack].answer = match (spoke, answered) {
                    (_, true) => Answered::Yes,
                    (true, false) => Answered::No,
                    (false, false) => Answered::NoChance,
                };
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::super::Known;
    use super::*;

    /// Statements of a duel in their order, each as the JSON of its block.
    fn ledger(blocks: &[&str]) -> Ledger {
        let mut ids: BTreeSet<ClaimId> = BTreeSet::new();
        let mut listings = Vec::new();
        for (json, turn) in blocks.iter().zip(0..) {
            let (letter, round) = (["P", "C"][turn as usize % 2], turn / 2 + 1);
            let listing = Listing::read(json, "So it is, I concede.", Known { own: letter, ids: &ids }).expect("a block");
            ids.extend((1..=u32::try_from(listing.claims.len()).unwrap()).map(|n| ClaimId::new(letter, round, n)));
            listings.push((letter, round, turn, listing));
        }
        Ledger::of(listings.iter().map(|(letter, round, turn, listing)| Spoken {
            letter,
            speaker: if *letter == "P" { "proposer" } else { "challenger" },
            round: *round,
            turn: *turn,
            listing: Some(listing),
            checked: &[],
        }))
    }

    const OPENING: &str = r#"{"claims": [{"text": "one"}, {"text": "two"}]}"#;

    #[test]
    fn an_attack_is_answered_by_a_counter_attack_or_a_concession() {
        let attack = r#"{"claims": [{"text": "no", "attacks": ["P1.1"]}]}"#;
        for (defence, expected) in [
            (r#"{"claims": [{"text": "still", "attacks": ["C1.1"]}]}"#, Answered::Yes),
            (r#"{"claims": [], "concedes": [{"claim": "C1.1"}]}"#, Answered::Yes),
            (r#"{"claims": [], "concedes": [{"claim": "P1.1"}]}"#, Answered::Yes),
            (r#"{"claims": [{"text": "something else"}]}"#, Answered::No),
        ] {
            let found = ledger(&[OPENING, attack, defence]);
            assert_eq!(found.claims[0].attacked_by[0].answer, expected, "{defence}");
        }
        let last = ledger(&[OPENING, attack]);
        assert_eq!(last.claims[0].attacked_by[0].answer, Answered::NoChance);
        assert_eq!(last.unanswered().count(), 0);
    }

    #[test]
    fn a_concession_is_kept_with_its_words_or_the_text_of_the_claim() {
        let found = ledger(&[
            OPENING,
            r#"{"claims": [{"text": "no"}], "concedes": [{"claim": "P1.1", "words": "So it is, I concede"}, {"claim": "P1.2"}]}"#,
        ]);
        let told: Vec<(&str, bool)> = found.concessions.iter().map(|c| (c.words.as_str(), c.verbatim)).collect();
        assert_eq!(told, [("So it is, I concede", true), ("two", false)]);
        assert_eq!(found.claims[0].conceded_by, [("challenger".to_owned(), 1)]);
    }
}
