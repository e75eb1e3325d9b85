//! A challenge in the middle of a turn: the source is looked at at once, the verifier judges the challenge itself, and the
//! chair's ruling follows from both.

use super::Content;
use super::minutes::{Ruling, RulingKind};
use super::session::{Go, Pause, Session};
use super::setup::Debater;
use super::source::Item;
use super::verification::{self, Look, SourceStatus, VerificationResult};
use super::verifying::Docket;
use crate::debate::{Rejection, StepKey};

impl Session<'_> {
    /// A challenge of the entry `seq`: its source is verified at once, and ruled on. `at` is the seq of the challenge itself.
    pub(super) fn challenge(&mut self, key: &StepKey, challenger: &Debater, seq: u64, at: u64) -> Go<u64> {
        let ruling = format!("{key}/ruling");
        let by = &challenger.name;
        if let Some(text) = self.already_ruled(seq, by) {
            return self.rule_challenge(&ruling, RulingKind::TooLate, by, None, seq, text);
        }
        let closed = self.is_recorded(&ruling);
        self.raise_priority(seq);
        let results = self.urgent_results(seq, closed)?;
        let results = self.judged_challenge(key, seq, at, results, closed)?;
        let speaker = self.minutes.speaker(seq).to_owned();
        let (status, of) = Session::worst(&results).unwrap_or((SourceStatus::Unchecked, Vec::new()));
        let found = self.told(&of);
        self.ruled.insert(seq);
        match status {
            SourceStatus::Fabricated => {
                let text = format!(
                    "Ruling on seq {seq}: the challenge of {by} holds, the source is fabricated ({found}). The entry is \
                     redacted and {speaker} is penalised."
                );
                let entry = self.rule_challenge(&ruling, RulingKind::Penalty, by, Some(&speaker), seq, text)?;
                self.redact(&format!("{key}/redaction"), seq, &found, Some(entry))?;
                Ok(entry)
            }
            SourceStatus::Unreliable => {
                let text = format!(
                    "Ruling on seq {seq}: the challenge of {by} holds, the source is unreliable ({found}). {speaker} is \
                     warned and must withdraw or replace it in its next entry."
                );
                self.rule_challenge(&ruling, RulingKind::Warning, by, Some(&speaker), seq, text)
            }
            SourceStatus::Verified => {
                let text = format!("Ruling on seq {seq}: the challenge of {by} is dismissed, the source is verified.");
                self.rule_challenge(&ruling, RulingKind::Dismissal, by, None, seq, text)
            }
            SourceStatus::Unchecked => {
                let text = format!("Ruling on seq {seq}: the challenge of {by} cannot be decided ({found}).");
                self.rule_challenge(&ruling, RulingKind::Undecided, by, None, seq, text)
            }
        }
    }

    /// What is answered where a challenge comes too late because the entry was ruled on or corrected.
    fn already_ruled(&self, seq: u64, by: &str) -> Option<String> {
        let about = |entry: u64| self.minutes.entry(entry).is_some_and(|entry| entry.target_seq == Some(seq));
        // What was dismissed is closed for its challenger alone. What could not be decided is open.
        let closes = |ruling: &&Ruling| match ruling.kind {
            RulingKind::Warning | RulingKind::Penalty => true,
            RulingKind::Dismissal => ruling.challenger.as_deref() == Some(by),
            _ => false,
        };
        let ruled = self.minutes.rulings.iter().find(|ruling| about(ruling.entry) && closes(ruling));
        // By then the sources of a corrected entry were looked at: a correction comes in a later round.
        let (what, at) = match (ruled, self.minutes.correction_of(seq)) {
            (Some(ruling), _) => ("ruled on", ruling.entry),
            (None, Some(at)) => ("corrected", at),
            (None, None) => return None,
        };
        Some(format!("Ruling on seq {seq}: {by} challenges what was already {what} at seq {at}."))
    }

    fn raise_priority(&mut self, seq: u64) {
        let challenged = |docket: &&mut Docket| docket.items.iter().any(|item| item.seq == seq);
        if let Some(docket) = self.dockets.iter_mut().find(challenged) {
            docket.priority = 0;
        }
    }

    /// What the verifier makes of the challenge, where there is a text to judge it by and nothing was found against the
    /// source so far. A page is not fetched again for it.
    fn judged_challenge(
        &mut self,
        key: &StepKey,
        seq: u64,
        at: u64,
        results: Vec<VerificationResult>,
        closed: bool,
    ) -> Go<Vec<VerificationResult>> {
        self.challenged = Some((key.clone(), seq));
        let against =
            |result: &VerificationResult| matches!(result.status, SourceStatus::Fabricated | SourceStatus::Unreliable);
        let Some((docket, items)) = self.challenged_items(seq).filter(|_| !results.iter().any(against)) else {
            return Ok(results);
        };
        let challenge = self.minutes.entry(at);
        let judged = match self.verifier(challenge_keys(key), docket, &items, challenge, closed)? {
            Some(Err(steps)) => return Err(Pause::Steps(steps)),
            Some(Ok(judged)) => judged.to_vec(),
            // Without its answer the challenge can't be dismissed; what was found before still counts.
            None => return Ok(items.iter().map(|item| verification::undecided(item)).collect()),
        };
        for result in &judged {
            self.write_result(result.clone());
        }
        Ok(self.minutes.results_of(seq).cloned().collect())
    }

    /// The sources of a challenged entry that can be judged by their text; none where there is no such source.
    fn challenged_items(&self, seq: u64) -> Option<(&Docket, Vec<&Item>)> {
        let docket = self.dockets.iter().find(|docket| docket.items.iter().any(|item| item.seq == seq))?;
        let looks = self.looks(docket)?;
        let there = docket.items.iter().zip(looks).filter(|(item, look)| item.seq == seq && *look == Look::IsThere);
        let items: Vec<&Item> = there.map(|(item, _)| item).collect();
        (!items.is_empty()).then_some((docket, items))
    }

    /// Reads what the verifier says of a challenge; none where this is no such answer.
    pub(super) fn read_challenge(&self, key: &StepKey, text: &str) -> Option<Result<Content, Rejection>> {
        let (base, seq) = self.challenged.as_ref()?;
        let (_, items) = self.challenged_items(*seq).filter(|_| challenge_keys(base).contains(key))?;
        Some(verification::accept(&items, text).map(Content::Verification))
    }
}

/// The keys under which the verifier is asked about a challenge.
fn challenge_keys(key: &StepKey) -> [StepKey; 2] {
    ["challenge", "challenge/again"].map(|what| StepKey::new(format!("{key}/{what}")))
}
