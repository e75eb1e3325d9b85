//! A challenge in the middle of a turn: the source is checked at once, the verifier judges the challenge, and the chair's ruling
//! follows from both.

use super::session::{Session, Walk};
use super::{Debater, Ruling, RulingKind, SourceStatus, VerificationResult};
use crate::debate::StepKey;

impl Session<'_> {
    /// A challenge of the entry `seq`: its source is verified at once, and ruled on. `at` is the seq of the challenge itself.
    pub(super) fn challenge(&mut self, key: &StepKey, challenger: &Debater, seq: u64, at: u64) -> Walk<u64> {
        let by = &challenger.name;
        let ruling = format!("{key}/ruling");
        let closed = self.is_recorded(&ruling);
        self.batches.iter_mut().filter(|batch| batch.has(seq)).for_each(|batch| batch.priority = 0);
        let results = self.urgent_results(seq, closed)?;
        let results = self.judged_challenge(key, seq, at, results, closed)?;
        let speaker = self.record.speaker(seq).to_owned();
        let (status, of) = Session::worst(&results).unwrap_or((SourceStatus::Unchecked, Vec::new()));
        let found = self.summarize(&of);
        self.ruled.insert(seq);
        let (kind, outcome) = match status {
            SourceStatus::Fabricated => (
                RulingKind::Penalty,
                format!("holds, the source is fabricated ({found}). The entry is redacted and {speaker} is penalised."),
            ),
            SourceStatus::Unreliable => (
                RulingKind::Warning,
                format!(
                    "holds, the source is unreliable ({found}). {speaker} is warned and must withdraw or replace it in its \
                     next entry."
                ),
            ),
            SourceStatus::Verified => (RulingKind::Dismissal, "is dismissed, the source is verified.".to_owned()),
            SourceStatus::Unchecked => (RulingKind::Undecided, format!("can't be decided ({found}).")),
        };
        let against = kind.is_grave().then_some(speaker.as_str());
        let text = format!("Ruling on seq {seq}: the challenge of {by} {outcome}");
        let entry = self.rule(&ruling, kind, against, Some(seq), text)?;
        if let Some(ruling) = self.record.rulings.last_mut() {
            ruling.challenger = Some(by.clone());
        }
        if kind == RulingKind::Penalty {
            self.redact(&format!("{key}/redaction"), seq, &found, Some(entry))?;
        }
        Ok(entry)
    }

    /// Whether an entry can't be challenged by this debater any more: it was ruled against or corrected, or the debater's
    /// own challenge was dismissed. One that could not be decided can be raised again.
    pub(super) fn is_settled(&self, seq: u64, by: &str) -> bool {
        let about = |entry: u64| self.record.entry(entry).is_some_and(|entry| entry.target_seq == Some(seq));
        let settles = |ruling: &Ruling| {
            let is_own = ruling.challenger.as_deref() == Some(by);
            about(ruling.entry) && (ruling.kind.is_grave() || (ruling.kind == RulingKind::Dismissal && is_own))
        };
        self.record.correction_of(seq).is_some() || self.record.rulings.iter().any(settles)
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
    ) -> Walk<Vec<VerificationResult>> {
        let against =
            |result: &VerificationResult| matches!(result.status, SourceStatus::Fabricated | SourceStatus::Unreliable);
        let Some(batch) = self.batch_of(seq).filter(|_| !results.iter().any(against)) else { return Ok(results) };
        let mut items = self.for_the_verifier(batch);
        items.retain(|item| item.seq == seq);
        if items.is_empty() {
            return Ok(results);
        }
        let challenge = self.record.entry(at);
        let keys = ["challenge", "challenge/again"].map(|what| StepKey::new(format!("{key}/{what}")));
        let Some(judged) = self.verifier(keys, batch, &items, challenge, closed)? else {
            // Without its answer the challenge can't be dismissed; what was found before still counts.
            let why = "the source exists, and the verifier gave no answer to the challenge";
            return Ok(items.iter().map(|item| item.unanswered(why)).collect());
        };
        for result in judged {
            self.write_result(result.clone());
        }
        Ok(self.record.results_of(seq).cloned().collect())
    }
}
