//! Checks sources while the debate goes on: first the engine, then the verifier where a text must be judged.

use super::session::{Pause, Session, Walk, all};
use super::source::CitedSource;
use super::tasks::{Request, Task};
use super::verification::{self, engine_result};
use super::{Content, EntryType, LogEntry, Office, SourceStatus, VerificationResult, cues};
use crate::debate::{Action, Check, Payload, Step, StepKey};
use crate::evidence::check::{Checked, Cited};

/// The sources of one call of a debater.
#[derive(Clone, Debug)]
pub(super) struct SourceBatch {
    pub(super) key: StepKey,
    /// Its sources, in the order of the entries.
    pub(super) items: Vec<CitedSource>,
    /// The more urgent, the smaller.
    pub(super) priority: u8,
}

impl SourceBatch {
    pub(super) fn evidence_key(&self) -> StepKey {
        StepKey::new(format!("{}/evidence", self.key))
    }

    /// The keys under which the verifier is asked: a second time where the first failed.
    pub(super) fn verification_keys(&self) -> [StepKey; 2] {
        ["verification", "verification/again"].map(|what| StepKey::new(format!("{}/{what}", self.key)))
    }

    pub(super) fn has(&self, seq: u64) -> bool {
        self.items.iter().any(|item| item.seq == seq)
    }
}

impl<'a> Session<'a> {
    pub(super) fn batch_of(&self, seq: u64) -> Option<&SourceBatch> {
        self.batches.iter().find(|batch| batch.has(seq))
    }

    /// Whether the results for an entry are logged: they are logged together.
    fn is_logged(&self, seq: u64) -> bool {
        self.record.results_of(seq).next().is_some()
    }

    fn is_open(&self, batch: &SourceBatch) -> bool {
        batch.items.iter().any(|item| !self.is_logged(item.seq))
    }

    /// For each source what the engine's own check settles: none where the verifier is needed. None before the check.
    fn engine_results(&self, batch: &SourceBatch) -> Option<Vec<Option<VerificationResult>>> {
        let findings: Option<&[Checked]> = match self.debate.plan().evidence {
            Some(_) => Some(self.debate.findings(&batch.evidence_key())?),
            None => None,
        };
        let found = |at: usize| findings.and_then(|findings| findings.get(at));
        let others = |at: usize| {
            let own = &batch.items[at];
            let beside = batch.items.iter().enumerate().filter(|(other, item)| *other != at && item.seq == own.seq);
            beside.filter(|(other, _)| found(*other).is_some_and(|found| found.result.holds())).count()
        };
        let items = batch.items.iter().enumerate();
        Some(items.map(|(at, item)| engine_result(item, found(at), others(at), self.text_of(item, found(at)))).collect())
    }

    pub(super) fn for_the_verifier<'d>(&self, batch: &'d SourceBatch) -> Vec<&'d CitedSource> {
        let settled = self.engine_results(batch).unwrap_or_default();
        batch.items.iter().zip(settled).filter(|(_, result)| result.is_none()).map(|(item, _)| item).collect()
    }

    /// The results for a batch, in the order of its sources. Where the debate has gone on without an answer (`closed`),
    /// there will be none.
    fn settle(&self, batch: &SourceBatch, closed: bool) -> Walk<Vec<VerificationResult>> {
        let Some(settled) = self.engine_results(batch) else {
            let key = batch.evidence_key();
            let cited = |(item, number): (&CitedSource, u32)| Cited {
                with_text: true,
                ..Cited::by_claim(number, item.evidence.clone())
            };
            let evidence = batch.items.iter().zip(1..).map(cited).collect();
            let action = Action::Check(Check { evidence, revisions: Vec::new(), texts: Vec::new() });
            let begins = self.debate.may_begin(&key);
            return Err(Pause::Steps(begins.then_some(Step { key, action }).into_iter().collect()));
        };
        let asked = self.for_the_verifier(batch);
        let answer =
            if asked.is_empty() { None } else { self.verifier(batch.verification_keys(), batch, &asked, None, closed)? };
        let results = batch.items.iter().zip(settled).map(|(item, result)| {
            let judged = || answer.into_iter().flatten().find(|result| item.is_judged_by(result)).cloned();
            result.or_else(judged).unwrap_or_else(|| {
                item.unanswered("the source exists, and the verifier gave no answer on whether it supports the claim")
            })
        });
        Ok(results.collect())
    }

    /// The verifier's results; none where it failed twice.
    pub(super) fn verifier(
        &self,
        keys: [StepKey; 2],
        batch: &SourceBatch,
        asked: &[&CitedSource],
        challenge: Option<&LogEntry>,
        closed: bool,
    ) -> Walk<Option<&'a [VerificationResult]>> {
        for key in keys {
            let answer = self.answer(Task::Verification, &key, closed, |session| {
                let (office, task, schema) = (Office::Verifier, Task::Verification, verification::schema(asked));
                let prompt = session.to_office(office, task, cues::verification(session, batch, asked, challenge))?;
                let asks = Payload::of(asked.iter().map(|item| (*item).clone()).collect::<Vec<CitedSource>>());
                Ok(Request { seat: office.seat(), task, asks, prompt, schema })
            })?;
            if let Some(Content::Verification(verification)) = answer {
                return Ok(Some(&verification.results));
            }
        }
        Ok(None)
    }

    /// What the verifier can do in parallel, the most urgent first.
    pub(super) fn background(&self) -> Walk<()> {
        let mut open: Vec<&SourceBatch> = self.batches.iter().filter(|batch| self.is_open(batch)).collect();
        open.sort_by_key(|batch| batch.priority);
        all(open.into_iter().map(|batch| self.settle(batch, false))).map(drop)
    }

    /// Logs the results for everything said since the last time, in the order of the entries. `closed` says that the debate has
    /// gone on since.
    pub(super) fn write_results(&mut self, closed: bool) -> Walk<()> {
        let open = self.batches.iter().filter(|batch| self.is_open(batch));
        let mut new = all(open.map(|batch| self.settle(batch, closed)))?.concat();
        new.retain(|result| !self.is_logged(result.verified_seq));
        new.sort_by_key(|result| result.verified_seq);
        for result in new {
            self.write_result(result);
        }
        Ok(())
    }

    /// The results for one entry's sources, at once: the turn waits for them.
    pub(super) fn urgent_results(&mut self, seq: u64, closed: bool) -> Walk<Vec<VerificationResult>> {
        let Some(batch) = self.batch_of(seq) else { return Ok(Vec::new()) };
        let mut own = self.settle(batch, closed)?;
        own.retain(|result| result.verified_seq == seq);
        if !self.is_logged(seq) {
            for result in &own {
                self.write_result(result.clone());
            }
        }
        Ok(own)
    }

    /// Logs a result. After a challenge it replaces the earlier result for the same source.
    pub(super) fn write_result(&mut self, result: VerificationResult) {
        let at = self.batch_of(result.verified_seq).and_then(|batch| {
            let [first, again] = batch.verification_keys();
            let keys = [again, first, batch.evidence_key(), batch.key.clone()];
            keys.iter().find_map(|key| self.debate.ended_at(key))
        });
        // Serializing a result cannot fail.
        let content = serde_json::to_string(&result).unwrap_or_default();
        let entry = self.write(at, Office::Verifier.as_str(), EntryType::VerificationResult, content);
        entry.target_seq = Some(result.verified_seq);
        let seq = entry.seq;
        let is_other = |known: &VerificationResult| (known.verified_seq, &known.url) != (result.verified_seq, &result.url);
        self.record.results.retain(|(_, known)| is_other(known));
        self.record.results.push((seq, result));
    }

    /// The worst that was found of an entry, with the sources concerned.
    pub(super) fn worst(results: &[VerificationResult]) -> Option<(SourceStatus, Vec<&VerificationResult>)> {
        let order = [SourceStatus::Fabricated, SourceStatus::Unreliable, SourceStatus::Unchecked, SourceStatus::Verified];
        order.into_iter().find_map(|status| {
            let of: Vec<&VerificationResult> = results.iter().filter(|result| result.status == status).collect();
            (!of.is_empty()).then_some((status, of))
        })
    }
}
