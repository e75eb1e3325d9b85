//! A debater's turn: asked, retried, logged and ruled on; interrupted by a challenge or a question.

use super::rules::breaches;
use super::session::{Moment, Pause, Session, Walk};
use super::source::items;
use super::tasks::{Request, Task};
use super::turn::{MOST_ENTRIES, TurnLimits, schema, sentence};
use super::verifier::SourceBatch;
use super::{
    Content, Debater, EntryType, LogEntry, Office, Redaction, Redactor, RulingKind, Said, Turn, VerificationResult, chair,
    cues,
};
use crate::debate::{CallState, Cause, EntryKind, Payload, StepKey, structured};

/// After this many failures in a row a debater leaves the panel.
const MOST_ABSENCES: u32 = 2;

impl<'a> Session<'a> {
    pub(super) fn present(&self) -> Vec<&'a Debater> {
        let setup = self.setup();
        setup.debaters.iter().filter(|debater| !self.record.left.contains(&debater.name)).collect()
    }

    pub(super) fn turn(&mut self, base: &StepKey, debater: &'a Debater) -> Walk<()> {
        let mut key = base.clone();
        let mut ruling: Option<u64> = None;
        let first = self.next_seq();
        for call in 2.. {
            let Some(turn) = self.speak(&key, debater, first, ruling)? else { break };
            let seqs = self.write_turn(&key, debater, turn)?;
            let Some((said, seq)) = turn.entries.last().zip(seqs.last().copied()) else { break };
            ruling = Some(match (said.kind, said.target_seq) {
                (EntryType::SourceChallenge, Some(target)) => self.challenge(&key, debater, target, seq)?,
                (EntryType::ClarificationRequest, _) => self.clarify(&key, debater, said, seq)?,
                _ => break,
            });
            key = StepKey::new(format!("{base}/{call}"));
        }
        self.uncorrected(base, debater, first)?;
        if self.record.said.range(first..).next().is_some() {
            self.spoke.insert(debater.name.clone(), self.next_seq());
        }
        Ok(())
    }

    /// Rules against a debater that was warned and argued on without a correction. An entry corrects one other, so a closing,
    /// which is one entry, has room for one correction.
    fn uncorrected(&mut self, base: &StepKey, debater: &Debater, first: u64) -> Walk<()> {
        let since = self.spoke.get(&debater.name).copied().unwrap_or(0);
        let argued = self.record.said.range(first..).filter(|(_, said)| said.kind.argues()).count();
        let warned = self.record.rulings.iter().filter(|ruling| {
            let own = ruling.kind == RulingKind::Warning && ruling.against.as_ref() == Some(&debater.name);
            own && (since..first).contains(&ruling.entry)
        });
        let warned: Vec<u64> = warned.filter_map(|ruling| self.record.entry(ruling.entry)?.target_seq).collect();
        let open: Vec<u64> = warned.iter().filter(|seq| self.record.correction_of(**seq).is_none()).copied().collect();
        let room = self.moment != Moment::Closing || open.len() == warned.len();
        for seq in open.into_iter().filter(|_| room && argued > 0) {
            let text = format!("Ruling on seq {seq}: {} was warned and has not corrected it.", debater.name);
            self.rule(&format!("{base}/uncorrected/{seq}"), RulingKind::Breach, Some(&debater.name), Some(seq), text)?;
        }
        Ok(())
    }

    /// What a debater says in one call of the turn that began with the entry `first`, after the ruling on what it raised in
    /// the call before; none where it failed, which is ruled on.
    fn speak(&mut self, key: &StepKey, debater: &'a Debater, first: u64, ruling: Option<u64>) -> Walk<Option<&'a Turn>> {
        let again = StepKey::new(format!("{key}/again"));
        let absent = format!("{key}/absent");
        let gone_on = self.is_recorded(&absent);
        let spent = self.is_recorded(super::ending::SPENT);
        for key in [key, &again] {
            if let Some(Content::Turn(turn)) = self.debate.content(key) {
                self.absences.insert(debater.name.clone(), 0);
                return Ok(Some(turn));
            }
            if gone_on {
                continue;
            }
            match self.debate.call(key).map(|call| &call.state) {
                _ if spent => return Err(Pause::Spent),
                // An answer of the wrong form was asked for again already.
                Some(CallState::Failed(failure)) if failure.cause == Cause::Rejected => break,
                Some(CallState::Failed(_) | CallState::Answered(_)) => {}
                Some(CallState::Open) | None if self.debate.budget_spent().is_some() => return Err(Pause::Spent),
                Some(CallState::UnderWay { .. }) => return Err(Pause::Steps(Vec::new())),
                Some(CallState::Open) | None => {
                    let limits = self.limits(debater, first);
                    let prompt = cues::turn(self, debater, &limits, ruling)?;
                    let schema = schema(&limits, self.debate.plan().commands());
                    let asks = Payload::of(limits);
                    return Err(self.asks(key, Request { seat: debater.seat(), task: Task::Turn, asks, prompt, schema }));
                }
            }
        }
        self.rule_absence(key, debater, ruling.is_none())?;
        Ok(None)
    }

    /// A debater that failed: the debate goes on without it, and after two failures in a row without it for good.
    fn rule_absence(&mut self, key: &StepKey, debater: &Debater, whole_turn: bool) -> Walk<()> {
        let name = &debater.name;
        let again = StepKey::new(format!("{key}/again"));
        let last = if self.debate.call(&again).is_some() { &again } else { key };
        let why = self.failure(last);
        let text = format!("Ruling: {name} was asked again and {why}. The debate continues without this turn.");
        self.rule(&format!("{key}/absent"), RulingKind::Absence, Some(name), None, text)?;
        if !whole_turn {
            return Ok(());
        }
        let absences = self.absences.entry(name.clone()).or_default();
        *absences += 1;
        if *absences >= MOST_ABSENCES {
            let text = format!("Ruling: {name} has failed {MOST_ABSENCES} times in a row and leaves the panel.");
            self.rule(&format!("{key}/leaves"), RulingKind::Departure, Some(name), None, text)?;
            self.record.left.push(name.clone());
        }
        Ok(())
    }

    /// What the debater may say now, in the turn that began with the entry `first`.
    fn limits(&self, debater: &Debater, first: u64) -> TurnLimits {
        let has_raised = |kind: EntryType| self.record.said.range(first..).any(|(_, said)| said.kind == kind);
        let (own, others): (Vec<_>, Vec<_>) = self.record.arguments().partition(|entry| entry.speaker == debater.name);
        let correctable = own.into_iter().filter(|entry| entry.sources.is_some()).map(|entry| entry.seq).collect();
        let limits = |types, most| TurnLimits { types, most, correctable, ..TurnLimits::default() };
        match self.moment {
            Moment::Opening => limits(vec![EntryType::OpeningStatement], 1),
            Moment::Closing => limits(vec![EntryType::ClosingStatement], 1),
            Moment::Round(_) => {
                let mut limits = limits(vec![EntryType::NewPoint, EntryType::Conjecture], MOST_ENTRIES);
                limits.rebuttable = others.iter().map(|entry| entry.seq).collect();
                if !limits.rebuttable.is_empty() {
                    limits.types.insert(1, EntryType::Rebuttal);
                }
                if !has_raised(EntryType::SourceChallenge) {
                    let is_open = |entry: &&&LogEntry| entry.sources.is_some() && !self.is_settled(entry.seq, &debater.name);
                    let words = |said: &Said| format!("{}\n{}", said.content, said.in_one_sentence);
                    let open = others.iter().filter(is_open);
                    limits.challengeable =
                        open.filter_map(|entry| Some((entry.seq, words(self.record.said.get(&entry.seq)?)))).collect();
                }
                if !limits.challengeable.is_empty() {
                    limits.types.push(EntryType::SourceChallenge);
                }
                if !has_raised(EntryType::ClarificationRequest) {
                    limits.types.push(EntryType::ClarificationRequest);
                }
                limits
            }
        }
    }

    /// Logs the entries, queues their sources for the verifier, and rules on breaches.
    fn write_turn(&mut self, key: &StepKey, debater: &Debater, turn: &'a Turn) -> Walk<Vec<u64>> {
        let again = StepKey::new(format!("{key}/again"));
        let at = self.debate.ended_at(key).or_else(|| self.debate.ended_at(&again));
        let mut seqs = Vec::new();
        let mut sources = Vec::new();
        let mut broken: Vec<(u64, String)> = Vec::new();
        for said in &turn.entries {
            // A redacted entry counts as never made.
            let standing = self.record.said.iter().filter(|(seq, _)| !self.record.is_redacted(**seq));
            let breaches = breaches(said, &standing.map(|(_, said)| *said).collect::<Vec<_>>());
            let content = said.logged(said.claim.as_deref());
            let entry = self.write(at, &debater.name, said.kind, content);
            entry.sources = Session::sources(said, at);
            entry.rebuttal_to_seq = said.rebuttal_to_seq;
            entry.target_seq = said.target_seq;
            let seq = entry.seq;
            broken.extend(breaches.into_iter().map(|breach| (seq, breach)));
            sources.extend(items(seq, said));
            self.record.said.insert(seq, said);
            seqs.push(seq);
        }
        if !sources.is_empty() {
            let priority = self.priority(&debater.name, turn);
            self.batches.push(SourceBatch { key: key.clone(), items: sources, priority });
        }
        for ((seq, breach), number) in broken.into_iter().zip(1..) {
            let text = format!("Ruling on seq {seq}: {breach}.");
            self.rule(&format!("{key}/rule/{number}"), RulingKind::Breach, Some(&debater.name), Some(seq), text)?;
        }
        Ok(seqs)
    }

    /// Sources of a debater that was warned come first, then those of figures, then the rest.
    fn priority(&self, name: &str, turn: &Turn) -> u8 {
        let noticed =
            self.record.rulings.iter().any(|ruling| ruling.kind.is_grave() && ruling.against.as_deref() == Some(name))
                || self.record.redactions.iter().any(|redaction| redaction.speaker == name);
        if noticed {
            1
        } else if turn.entries.iter().any(|said| !said.figures.is_empty()) {
            3
        } else {
            4
        }
    }

    pub(super) fn redact(&mut self, key: &str, seq: u64, reason: &str, ruling: Option<u64>) -> Walk<()> {
        if self.record.is_redacted(seq) {
            return Ok(());
        }
        let speaker = self.record.speaker(seq).to_owned();
        let reason = format!("fabricated source ({reason})");
        let text = format!("REDACTED: seq {seq} ({speaker}). Reason: {reason}. The entry is struck from the record.");
        let by = self.chair_says(key, EntryKind::Redaction, text, Some(seq))?;
        self.record.redactions.push(Redaction { seq, speaker, reason, by, ruling });
        Ok(())
    }

    /// Findings in a few words, without words of the entry itself.
    pub(super) fn summarize(&self, results: &[&VerificationResult]) -> String {
        let findings = results.iter().map(|result| {
            let said = self.record.said.get(&result.verified_seq);
            let redactor = said.map(|said| Redactor::of(said, &[])).unwrap_or_default();
            let why = sentence(&redactor.redact_quotes(&result.explanation));
            format!("{}: {}", result.url, why.trim_end_matches('.'))
        });
        findings.collect::<Vec<_>>().join("; ")
    }

    /// A question on procedure, answered at once.
    fn clarify(&mut self, key: &StepKey, debater: &Debater, said: &Said, seq: u64) -> Walk<u64> {
        let ruling = format!("{key}/ruling");
        let asked = StepKey::new(format!("{key}/clarification"));
        let closed = self.is_recorded(&ruling);
        let answer = self.ask(Office::Chair, Task::Clarification, &asked, closed, |session| {
            (structured::schema::<chair::Clarification>(), cues::clarification(session, debater, said))
        })?;
        let answer = match answer {
            Some(Content::Clarification(clarification)) => clarification.answer.trim().to_owned(),
            _ => "the chair gave no answer; take the topic as it is worded".to_owned(),
        };
        let text = format!("Ruling on seq {seq}: {answer}");
        self.rule(&ruling, RulingKind::Clarification, None, Some(seq), text)
    }
}
