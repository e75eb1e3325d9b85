//! Checks sources while the debate goes on: first the engine, then the verifier where a text must be judged.

use super::cues;
use super::entry::{EntryType, LogEntry};
use super::procedure::Asked;
use super::session::{Pause, Request, Session, Walk};
use super::setup::Office;
use super::source::CitedSource;
use super::verification::{self, EngineFinding, SourceStatus, VerificationResult, engine_finding, unanswered};
use super::{Content, content};
use crate::debate::{Action, CallState, Check, Step, StepKey};
use crate::evidence::check::{Checked, Cited};

/// About how many tokens a verification has.
const VERIFICATION_TOKENS: u64 = 700;

/// The sources of one call of a debater.
#[derive(Clone, Debug)]
pub(super) struct SourceBatch {
    /// The debater's call.
    pub(super) key: StepKey,
    /// Its sources, in the order of the entries.
    pub(super) items: Vec<CitedSource>,
    /// The entries whose results are logged.
    pub(super) logged: Vec<u64>,
    /// The more urgent, the smaller.
    pub(super) priority: u8,
}

/// What is known of a batch.
pub(super) enum Settled {
    /// This is still to be done; nothing where it is under way.
    Open(Vec<Step>),
    /// The results, in the order of its sources.
    Done(Vec<VerificationResult>),
}

impl SourceBatch {
    /// The key under which its sources are looked up.
    pub(super) fn evidence_key(&self) -> StepKey {
        StepKey::new(format!("{}/evidence", self.key))
    }

    /// The keys under which the verifier is asked: a second time where the first failed.
    pub(super) fn verification_keys(&self) -> [StepKey; 2] {
        ["verification", "verification/again"].map(|what| StepKey::new(format!("{}/{what}", self.key)))
    }
}

impl Session<'_> {
    /// The engine's finding on each source, which says whether the verifier is needed.
    pub(super) fn engine_findings(&self, batch: &SourceBatch) -> Option<Vec<EngineFinding>> {
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
        Some(items.map(|(at, item)| engine_finding(item, found(at), others(at), self.text_of(item, found(at)))).collect())
    }

    /// The sources that the verifier is asked about.
    pub(super) fn for_the_verifier<'d>(&self, batch: &'d SourceBatch) -> Vec<&'d CitedSource> {
        let findings = self.engine_findings(batch).unwrap_or_default();
        batch
            .items
            .iter()
            .zip(findings)
            .filter(|(_, finding)| *finding == EngineFinding::Exists)
            .map(|(item, _)| item)
            .collect()
    }

    /// How far the verification of a batch has come. Where the debate has gone on without an answer (`closed`), there
    /// will be none.
    pub(super) fn settle(&self, batch: &SourceBatch, closed: bool) -> Walk<Settled> {
        let Some(findings) = self.engine_findings(batch) else {
            let key = batch.evidence_key();
            if !self.debate.may_begin(&key) {
                return Ok(Settled::Open(Vec::new()));
            }
            let cited = |(item, number): (&CitedSource, u32)| Cited {
                with_text: true,
                ..Cited::by_claim(number, item.evidence.clone())
            };
            let evidence = batch.items.iter().zip(1..).map(cited).collect();
            let action = Action::Check(Check { evidence, revisions: Vec::new(), texts: Vec::new() });
            return Ok(Settled::Open(vec![Step { key, action }]));
        };
        let asked = self.for_the_verifier(batch);
        let answer =
            if asked.is_empty() { None } else { self.verifier(batch.verification_keys(), batch, &asked, None, closed)? };
        let answer = match answer {
            Some(Err(steps)) => return Ok(Settled::Open(steps)),
            Some(Ok(results)) => results,
            None => &[],
        };
        let results = batch.items.iter().zip(findings).map(|(item, finding)| match finding {
            EngineFinding::Decided(result) => result,
            EngineFinding::Exists => {
                let own = answer.iter().find(|result| result.verified_seq == item.seq && result.url == item.url);
                own.cloned().unwrap_or_else(|| unanswered(item))
            }
        });
        Ok(Settled::Done(results.collect()))
    }

    /// The verifier's results, or the steps that lead to them; none where it failed twice.
    pub(super) fn verifier(
        &self,
        keys: [StepKey; 2],
        batch: &SourceBatch,
        asked: &[&CitedSource],
        challenge: Option<&LogEntry>,
        closed: bool,
    ) -> Walk<Option<Result<&[VerificationResult], Vec<Step>>>> {
        for key in keys {
            if let Some(Content::Verification(verification)) = content(self.debate, &key) {
                return Ok(Some(Ok(&verification.results)));
            }
            match self.debate.call(&key).map(|call| &call.state) {
                _ if closed => return Ok(None),
                Some(CallState::Failed(_) | CallState::Answered(_)) => {}
                Some(CallState::UnderWay { .. }) => return Ok(Some(Err(Vec::new()))),
                Some(CallState::Open) | None if self.debate.budget_spent().is_some() => return Ok(None),
                Some(CallState::Open) | None => {
                    let schema = verification::schema(asked);
                    let prompt = cues::verification(self, batch, asked, challenge)?;
                    let (asked, tokens) = (Asked::Verification, VERIFICATION_TOKENS);
                    let request = Request::new(Office::Verifier, "verification", prompt, asked, schema, tokens);
                    return Ok(Some(Err(vec![Step { key, action: self.call(request) }])));
                }
            }
        }
        Ok(None)
    }

    /// What the verifier can do in parallel, the most urgent first.
    pub(super) fn background(&self) -> Walk<Vec<Step>> {
        let mut open: Vec<&SourceBatch> = self.batches.iter().filter(|batch| batch.is_open()).collect();
        open.sort_by_key(|batch| batch.priority);
        let mut steps = Vec::new();
        for batch in open {
            if let Settled::Open(more) = self.settle(batch, false)? {
                steps.extend(more);
            }
        }
        Ok(steps)
    }

    /// Logs the results for everything said since the last time, in the order of the entries. `closed` says that the debate has
    /// gone on since.
    pub(super) fn write_results(&mut self, closed: bool) -> Walk<()> {
        let mut found: Vec<VerificationResult> = Vec::new();
        let mut steps = Vec::new();
        let mut waiting = false;
        for batch in self.batches.iter().filter(|batch| batch.is_open()) {
            match self.settle(batch, closed)? {
                Settled::Open(more) => {
                    waiting = true;
                    steps.extend(more);
                }
                Settled::Done(results) => {
                    found.extend(results.into_iter().filter(|result| !batch.logged.contains(&result.verified_seq)));
                }
            }
        }
        if waiting {
            return Err(Pause::Steps(steps));
        }
        found.sort_by_key(|result| result.verified_seq);
        for result in found {
            self.write_result(result);
        }
        for batch in &mut self.batches {
            batch.logged = batch.items.iter().map(|item| item.seq).collect();
        }
        Ok(())
    }

    /// The results for one entry's sources, at once: the turn waits for them.
    pub(super) fn urgent_results(&mut self, seq: u64, closed: bool) -> Walk<Vec<VerificationResult>> {
        let Some(place) = self.batches.iter().position(|batch| batch.items.iter().any(|item| item.seq == seq)) else {
            return Ok(Vec::new());
        };
        let results = match self.settle(&self.batches[place], closed)? {
            Settled::Open(steps) => return Err(Pause::Steps(steps)),
            Settled::Done(results) => results,
        };
        let own: Vec<VerificationResult> = results.into_iter().filter(|result| result.verified_seq == seq).collect();
        if !self.batches[place].logged.contains(&seq) {
            for result in own.clone() {
                self.write_result(result);
            }
            self.batches[place].logged.push(seq);
        }
        Ok(own)
    }

    /// Logs a result. After a challenge it replaces the earlier result for the same source.
    pub(super) fn write_result(&mut self, result: VerificationResult) {
        let batch = self.batches.iter().find(|batch| batch.items.iter().any(|item| item.seq == result.verified_seq));
        let at = batch.and_then(|batch| {
            let [first, again] = batch.verification_keys();
            let keys = [again, first, batch.evidence_key(), batch.key.clone()];
            keys.iter().find_map(|key| self.debate.ended_at(key))
        });
        // Serializing a result cannot fail.
        let content = serde_json::to_string(&result).unwrap_or_default();
        let entry = self.write(at, Office::Verifier.as_str(), EntryType::VerificationResult, content);
        entry.target_seq = Some(result.verified_seq);
        let seq = entry.seq;
        let same = |known: &VerificationResult| known.verified_seq == result.verified_seq && known.url == result.url;
        if let Some(place) = self.record.results.iter().position(|(_, known)| same(known)) {
            self.record.results.remove(place);
            self.relayed -= usize::from(place < self.relayed);
        }
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

impl SourceBatch {
    /// Whether any of its results is not logged yet.
    pub(super) fn is_open(&self) -> bool {
        self.items.iter().any(|item| !self.logged.contains(&item.seq))
    }
}
