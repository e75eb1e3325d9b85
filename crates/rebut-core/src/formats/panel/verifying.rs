//! Sources are looked at while the debate goes on: first by the engine, then by the verifier where a text must be judged.

use super::cues;
use super::entry::{EntryType, LogEntry};
use super::procedure::Asked;
use super::session::{Go, Pause, Request, Session};
use super::setup::Office;
use super::source::Item;
use super::verification::{self, Look, SourceStatus, VerificationResult, look, unanswered};
use super::{Content, content};
use crate::debate::{Action, CallState, Check, Step, StepKey};
use crate::evidence::check::{Checked, Cited};

/// About how many tokens a verification has.
const VERIFICATION_TOKENS: u64 = 700;

/// The sources of one call of a debater.
#[derive(Clone, Debug)]
pub(super) struct Docket {
    /// The debater's call.
    pub(super) key: StepKey,
    /// Its sources, in the order of the entries.
    pub(super) items: Vec<Item>,
    /// The entries of which the results are written down.
    pub(super) logged: Vec<u64>,
    /// The more urgent, the smaller.
    pub(super) priority: u8,
}

/// What is known of a docket.
pub(super) enum Settled {
    /// This is still to be done; nothing where it is under way.
    Open(Vec<Step>),
    /// The results, in the order of its sources.
    Done(Vec<VerificationResult>),
}

impl Docket {
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
    /// What was found by the engine of each source, and whether the verifier is needed for it.
    pub(super) fn looks(&self, docket: &Docket) -> Option<Vec<Look>> {
        let findings: Option<&[Checked]> = match self.debate.plan().evidence {
            Some(_) => Some(self.debate.findings(&docket.evidence_key())?),
            None => None,
        };
        let found = |at: usize| findings.and_then(|findings| findings.get(at));
        let others = |at: usize| {
            let own = &docket.items[at];
            let beside = docket.items.iter().enumerate().filter(|(other, item)| *other != at && item.seq == own.seq);
            beside.filter(|(other, _)| found(*other).is_some_and(|found| found.result.holds())).count()
        };
        let items = docket.items.iter().enumerate();
        Some(items.map(|(at, item)| look(item, found(at), others(at), self.text_of(item, found(at)))).collect())
    }

    /// The sources that the verifier is asked about.
    pub(super) fn for_the_verifier<'d>(&self, docket: &'d Docket) -> Vec<&'d Item> {
        let looks = self.looks(docket).unwrap_or_default();
        docket.items.iter().zip(looks).filter(|(_, look)| *look == Look::IsThere).map(|(item, _)| item).collect()
    }

    /// How far the verification of a docket has come. Where the debate has gone on without an answer (`closed`), there
    /// will be none.
    pub(super) fn settle(&self, docket: &Docket, closed: bool) -> Go<Settled> {
        let Some(looks) = self.looks(docket) else {
            let key = docket.evidence_key();
            if !self.debate.may_begin(&key) {
                return Ok(Settled::Open(Vec::new()));
            }
            let cited =
                |(item, number): (&Item, u32)| Cited { with_text: true, ..Cited::by_claim(number, item.evidence.clone()) };
            let evidence = docket.items.iter().zip(1..).map(cited).collect();
            let action = Action::Check(Check { evidence, revisions: Vec::new(), texts: Vec::new() });
            return Ok(Settled::Open(vec![Step { key, action }]));
        };
        let asked = self.for_the_verifier(docket);
        let answer =
            if asked.is_empty() { None } else { self.verifier(docket.verification_keys(), docket, &asked, None, closed)? };
        let answer = match answer {
            Some(Err(steps)) => return Ok(Settled::Open(steps)),
            Some(Ok(results)) => results,
            None => &[],
        };
        let results = docket.items.iter().zip(looks).map(|(item, look)| match look {
            Look::Decides(result) => result,
            Look::IsThere => {
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
        docket: &Docket,
        asked: &[&Item],
        challenge: Option<&LogEntry>,
        closed: bool,
    ) -> Go<Option<Result<&[VerificationResult], Vec<Step>>>> {
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
                    let prompt = cues::verification(self, docket, asked, challenge)?;
                    let (asked, tokens) = (Asked::Verification, VERIFICATION_TOKENS);
                    let request = Request::new(Office::Verifier, "verification", prompt, asked, schema, tokens);
                    return Ok(Some(Err(vec![Step { key, action: self.call(request) }])));
                }
            }
        }
        Ok(None)
    }

    /// What the verifier can do beside the debate, the most urgent first.
    pub(super) fn background(&self) -> Go<Vec<Step>> {
        let mut open: Vec<&Docket> = self.dockets.iter().filter(|docket| docket.is_open()).collect();
        open.sort_by_key(|docket| docket.priority);
        let mut steps = Vec::new();
        for docket in open {
            if let Settled::Open(more) = self.settle(docket, false)? {
                steps.extend(more);
            }
        }
        Ok(steps)
    }

    /// Writes down what is found of all that was said since the last time, in the order of the entries. `closed` tells
    /// whether the debate has gone on since.
    pub(super) fn write_results(&mut self, closed: bool) -> Go<()> {
        let mut found: Vec<VerificationResult> = Vec::new();
        let mut steps = Vec::new();
        let mut waiting = false;
        for docket in self.dockets.iter().filter(|docket| docket.is_open()) {
            match self.settle(docket, closed)? {
                Settled::Open(more) => {
                    waiting = true;
                    steps.extend(more);
                }
                Settled::Done(results) => {
                    found.extend(results.into_iter().filter(|result| !docket.logged.contains(&result.verified_seq)));
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
        for docket in &mut self.dockets {
            docket.logged = docket.items.iter().map(|item| item.seq).collect();
        }
        Ok(())
    }

    /// What is found of one entry's sources, at once: the turn waits for it.
    pub(super) fn urgent_results(&mut self, seq: u64, closed: bool) -> Go<Vec<VerificationResult>> {
        let Some(place) = self.dockets.iter().position(|docket| docket.items.iter().any(|item| item.seq == seq)) else {
            return Ok(Vec::new());
        };
        let results = match self.settle(&self.dockets[place], closed)? {
            Settled::Open(steps) => return Err(Pause::Steps(steps)),
            Settled::Done(results) => results,
        };
        let own: Vec<VerificationResult> = results.into_iter().filter(|result| result.verified_seq == seq).collect();
        if !self.dockets[place].logged.contains(&seq) {
            for result in own.clone() {
                self.write_result(result);
            }
            self.dockets[place].logged.push(seq);
        }
        Ok(own)
    }

    /// Writes a result down. It stands for what was found of the same source before, which only a challenge can lead to.
    pub(super) fn write_result(&mut self, result: VerificationResult) {
        let docket = self.dockets.iter().find(|docket| docket.items.iter().any(|item| item.seq == result.verified_seq));
        let at = docket.and_then(|docket| {
            let [first, again] = docket.verification_keys();
            let keys = [again, first, docket.evidence_key(), docket.key.clone()];
            keys.iter().find_map(|key| self.debate.ended_at(key))
        });
        // A result that is held in memory can always be written out.
        let content = serde_json::to_string(&result).unwrap_or_default();
        let entry = self.write(at, Office::Verifier.as_str(), EntryType::VerificationResult, content);
        entry.target_seq = Some(result.verified_seq);
        let seq = entry.seq;
        let same = |known: &VerificationResult| known.verified_seq == result.verified_seq && known.url == result.url;
        if let Some(place) = self.minutes.results.iter().position(|(_, known)| same(known)) {
            self.minutes.results.remove(place);
            self.relayed -= usize::from(place < self.relayed);
        }
        self.minutes.results.push((seq, result));
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

impl Docket {
    /// Whether any of its results is not written down yet.
    pub(super) fn is_open(&self) -> bool {
        self.items.iter().any(|item| !self.logged.contains(&item.seq))
    }
}
