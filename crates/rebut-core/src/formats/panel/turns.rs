//! A debater's turn: asked, asked again, written down, ruled on; and interrupted where it challenges or asks back.

use super::cues::{self, Moment};
use super::entry::EntryType;
use super::minutes::{Redaction, RulingKind};
use super::reading::{Item, Reading};
use super::rules::{Before, breaches, correction};
use super::session::{Go, Pause, Request, Session};
use super::setup::{Debater, Office};
use super::stretches::{tells, tokens};
use super::turn::{Floor, MOST_ENTRIES, Said, Turn, schema};
use super::verification::{SourceStatus, VerificationResult};
use super::verifying::{Docket, evidence_key};
use super::{PanelContent, Struck, Veil, chair, content, matter};
use crate::debate::{CallState, Cause, EntryKind, Fund, Shape, StepKey, structured};
use crate::evidence::check::Cited;

/// About how many tokens a turn has.
pub(super) const TURN_TOKENS: u64 = 1_500;
/// About how many tokens an answer to a question on procedure has.
const CLARIFICATION_TOKENS: u64 = 300;
/// After so many failures in a row a debater leaves the panel.
const MOST_ABSENCES: u32 = 2;

/// What stands before the claim of a challenge, behind its words.
pub(super) const FAILS: &str = "\n\nThe claim that fails: ";

/// The interruptions that a turn has had.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Interruptions {
    pub(super) challenged: bool,
    pub(super) asked_back: bool,
}

impl<'a> Session<'a> {
    /// The debaters who are still there, in the order of the lineup.
    pub(super) fn present(&self) -> Vec<&'a Debater> {
        let setup = self.setup();
        setup.debaters.iter().filter(|debater| !self.minutes.left.contains(&debater.name)).collect()
    }

    /// A whole turn, with its interruptions.
    pub(super) fn turn(&mut self, base: &StepKey, debater: &'a Debater, moment: Moment) -> Go<()> {
        let mut had = Interruptions::default();
        let mut key = base.clone();
        let mut ruling: Option<u64> = None;
        let first = self.next_seq();
        for call in 2.. {
            let Some(turn) = self.speak(&key, debater, moment, had, ruling)? else { break };
            let seqs = self.write_turn(&key, debater, turn)?;
            let Some((said, seq)) = turn.entries.last().zip(seqs.last().copied()) else { break };
            ruling = Some(match (said.kind, said.target_seq) {
                (EntryType::SourceChallenge, Some(target)) => {
                    had.challenged = true;
                    self.challenge(&key, debater, target, seq)?
                }
                // None such is taken; in a journal that was changed by hand it can stand all the same.
                (EntryType::SourceChallenge, None) => {
                    had.challenged = true;
                    let text = format!("Ruling on seq {seq}: the challenge names no entry.");
                    self.rule(&format!("{key}/ruling"), RulingKind::TooLate, None, Some(seq), text)?
                }
                (EntryType::ClarificationRequest, _) => {
                    had.asked_back = true;
                    self.clarify(&key, debater, said, seq)?
                }
                _ => break,
            });
            key = StepKey::new(format!("{base}/{call}"));
        }
        self.uncorrected(base, debater, first, moment)?;
        if self.minutes.said.range(first..).next().is_some() {
            self.spoke.insert(debater.name.clone(), self.next_seq());
        }
        Ok(())
    }

    /// Whoever was warned and has argued on without a correction is ruled against. An entry begins with one correction, so
    /// that a closing, which is one entry, can hold no more.
    fn uncorrected(&mut self, base: &StepKey, debater: &Debater, first: u64, moment: Moment) -> Go<()> {
        let since = self.spoke.get(&debater.name).copied().unwrap_or(0);
        let argued = self.minutes.said.range(first..).filter(|(_, said)| said.kind.argues()).count();
        let warned = self.minutes.rulings.iter().filter(|ruling| {
            let own = ruling.kind == RulingKind::Warning && ruling.against.as_ref() == Some(&debater.name);
            own && (since..first).contains(&ruling.entry)
        });
        let warned: Vec<u64> = warned.filter_map(|ruling| self.minutes.entry(ruling.entry)?.target_seq).collect();
        let corrected = |seq: &u64| self.minutes.corrections.iter().any(|(of, _)| of == seq);
        let open: Vec<u64> = warned.iter().filter(|seq| !corrected(seq)).copied().collect();
        let room = moment != Moment::Closing || open.len() == warned.len();
        for seq in open.into_iter().filter(|_| room && argued > 0) {
            let text = format!(
                "Ruling on seq {seq}: {} was warned, and its next entry begins with no correction of it.",
                debater.name
            );
            self.rule(&format!("{base}/uncorrected/{seq}"), RulingKind::Breach, Some(&debater.name), Some(seq), text)?;
        }
        Ok(())
    }

    /// What a debater says in one call; none where it failed, which is ruled on.
    fn speak(
        &mut self,
        key: &StepKey,
        debater: &'a Debater,
        moment: Moment,
        had: Interruptions,
        ruling: Option<u64>,
    ) -> Go<Option<&'a Turn>> {
        let again = StepKey::new(format!("{key}/again"));
        let absent = format!("{key}/absent");
        let gone_on = self.is_recorded(&absent);
        let spent = self.is_recorded(super::ending::SPENT);
        for key in [key, &again] {
            if let Some(PanelContent::Turn(turn)) = content(self.debate, key) {
                self.absences.insert(debater.name.clone(), 0);
                return Ok(Some(turn));
            }
            if gone_on {
                continue;
            }
            match self.debate.call(key).map(|call| &call.state) {
                _ if spent => return Err(Pause::Spent),
                // Whoever was asked again because of its form, and broke it again, had its second chance.
                Some(CallState::Failed(failure)) if failure.cause == Cause::Rejected => break,
                Some(CallState::Failed(_) | CallState::Answered(_)) => {}
                Some(CallState::Open) | None if self.debate.budget_spent().is_some() => return Err(Pause::Spent),
                state => {
                    let floor = self.floor(debater, moment, had);
                    let schema = schema(&floor);
                    self.awaited = Some((key.clone(), floor));
                    if matches!(state, Some(CallState::UnderWay { .. })) {
                        return Err(Pause::Steps(Vec::new()));
                    }
                    let request = Request {
                        seat: debater.seat(),
                        phase: moment.phase(),
                        prompt: cues::turn(self, debater, moment, had, ruling, &schema)?,
                        shape: Shape::Json { name: "turn", schema },
                        tokens: TURN_TOKENS,
                        fund: Fund::Debate,
                        patience_ms: None,
                    };
                    let action = self.call(request);
                    return Err(Pause::Steps(vec![crate::debate::Step { key: key.clone(), action }]));
                }
            }
        }
        self.rule_absence(key, debater, had == Interruptions::default())?;
        Ok(None)
    }

    /// A debater that failed: the debate goes on without it, and after two failures in a row without it for good.
    fn rule_absence(&mut self, key: &StepKey, debater: &Debater, whole_turn: bool) -> Go<()> {
        let name = &debater.name;
        let again = StepKey::new(format!("{key}/again"));
        let last = if self.debate.call(&again).is_some() { &again } else { key };
        let why = self.failure(last);
        // The code is for whoever looks into it, and not for the readers of a transcript.
        let why = why.split(" (PARSE_ERROR").next().unwrap_or_default();
        let text = format!("Ruling: {name} was asked again and {why}. The debate goes on without this turn.");
        self.rule(&format!("{key}/absent"), RulingKind::Absence, Some(name), None, text)?;
        if !whole_turn {
            return Ok(());
        }
        let absences = self.absences.entry(name.clone()).or_default();
        *absences += 1;
        if *absences >= MOST_ABSENCES {
            let text = format!("Ruling: {name} has failed {MOST_ABSENCES} times in a row and leaves the panel.");
            self.rule(&format!("{key}/leaves"), RulingKind::Departure, Some(name), None, text)?;
            self.minutes.left.push(name.clone());
        }
        Ok(())
    }

    /// What may be said now.
    pub(super) fn floor(&self, debater: &Debater, moment: Moment, had: Interruptions) -> Floor {
        let others = || self.minutes.standing().filter(|entry| entry.speaker != debater.name).map(|entry| entry.seq);
        match moment {
            Moment::Opening => Floor { types: vec![EntryType::OpeningStatement], most: 1, ..Floor::default() },
            Moment::Closing => Floor { types: vec![EntryType::ClosingStatement], most: 1, ..Floor::default() },
            Moment::Round(_) => {
                let mut floor = Floor { most: MOST_ENTRIES, rebuttable: others().collect(), ..Floor::default() };
                floor.types = vec![EntryType::NewPoint, EntryType::Conjecture];
                if !floor.rebuttable.is_empty() {
                    floor.types.insert(1, EntryType::Rebuttal);
                }
                let sourced = others().filter(|seq| !had.challenged && self.has_sources(*seq));
                floor.challengeable = sourced.map(|seq| (seq, self.minutes.all_words(seq))).collect();
                if !floor.challengeable.is_empty() {
                    floor.types.push(EntryType::SourceChallenge);
                }
                if !had.asked_back {
                    floor.types.push(EntryType::ClarificationRequest);
                }
                floor
            }
        }
    }

    fn has_sources(&self, seq: u64) -> bool {
        self.dockets.iter().any(|docket| docket.items.iter().any(|item| item.seq == seq))
    }

    /// Writes down what was said, hands its sources to the verifier, and rules on what breaks a rule.
    fn write_turn(&mut self, key: &StepKey, debater: &Debater, turn: &'a Turn) -> Go<Vec<u64>> {
        let again = StepKey::new(format!("{key}/again"));
        let at = self.debate.ended_at(key).or_else(|| self.debate.ended_at(&again));
        let mut seqs = Vec::new();
        let mut sources = Vec::new();
        let mut broken: Vec<(u64, String)> = Vec::new();
        for (said, reading) in turn.entries.iter().zip(&turn.readings) {
            let before = self.before(&debater.name, said.kind);
            let mut content = said.content.clone();
            if let Some(claim) = said.claim.as_deref().filter(|_| said.kind == EntryType::SourceChallenge) {
                content = format!("{content}{FAILS}{}", claim.trim());
            }
            let entry = self.write(at, &debater.name, said.kind, content);
            entry.sources = Session::sources(said, at);
            entry.rebuttal_to_seq = said.rebuttal_to_seq.filter(|_| said.kind == EntryType::Rebuttal);
            entry.target_seq = said.target_seq.filter(|_| said.kind == EntryType::SourceChallenge);
            let seq = entry.seq;
            if let Some((corrected, _)) = correction(&said.content).filter(|(of, _)| before.own.contains(of)) {
                self.minutes.corrections.push((corrected, seq));
            }
            let items = self.items(key, seq, said, reading);
            let breaches = breaches(said, reading, !items.is_empty(), &before);
            broken.extend(breaches.into_iter().map(|breach| (seq, breach)));
            self.minutes.said.insert(seq, said);
            sources.extend(items);
            self.readings.insert(seq, reading);
            seqs.push(seq);
        }
        if !sources.is_empty() {
            let priority = self.priority(&debater.name, turn);
            self.dockets.push(Docket { key: key.clone(), items: sources, logged: Vec::new(), priority });
        }
        for ((seq, breach), number) in broken.into_iter().zip(1..) {
            let text = format!("Ruling on seq {seq}: {breach}.");
            self.rule(&format!("{key}/rule/{number}"), RulingKind::Breach, Some(&debater.name), Some(seq), text)?;
        }
        Ok(seqs)
    }

    /// What is to be looked at of an entry.
    fn items(&self, key: &StepKey, seq: u64, said: &Said, reading: &Reading) -> Vec<Item> {
        // Only where the words alone name places does it matter whose they are.
        if !reading.sources.is_empty() || reading.named.is_empty() {
            return reading.items(seq, &[], &[]);
        }
        let of = said.speaks_of();
        let spoken_of: Vec<_> = of.iter().filter_map(|of| self.readings.get(of).copied()).collect();
        // Whoever recalls that a place was found to be bad does not rest on it.
        let is_bad = |item: &&Item| {
            let found = self.found.iter().rfind(|found| found.of == item.seq && found.url == item.url);
            found.is_some_and(|found| matches!(found.status, SourceStatus::Fabricated | SourceStatus::Unreliable))
        };
        let bad: Vec<&Item> = self.dockets.iter().flat_map(|docket| &docket.items).filter(is_bad).collect();
        let items = reading.items(seq, &spoken_of, &bad);
        // What was looked up once has been: an older version did not leave these out.
        let all = reading.items(seq, &spoken_of, &[]);
        let looked_up = self.debate.findings(&evidence_key(key)).unwrap_or_default();
        let is_recorded =
            |item: &Item| looked_up.iter().any(|checked| checked.evidence == Cited::from(&item.citation).evidence);
        if all.iter().all(is_recorded) { all } else { items }
    }

    /// Sources of whoever was warned come first, then those of figures, then the rest.
    fn priority(&self, name: &str, turn: &Turn) -> u8 {
        let noticed = self.minutes.rulings.iter().any(|ruling| {
            let grave = matches!(ruling.kind, RulingKind::Warning | RulingKind::Penalty);
            grave && ruling.against.as_deref() == Some(name)
        }) || self.minutes.redactions.iter().any(|redaction| redaction.speaker == name);
        if noticed {
            1
        } else if turn.readings.iter().any(|reading| !reading.figures.is_empty()) {
            3
        } else {
            4
        }
    }

    /// What was said before an entry, as far as the rules for its kind look at it. What is redacted counts as never said.
    fn before(&mut self, name: &str, kind: EntryType) -> Before {
        let own = |seq: &&u64| self.minutes.speaker(**seq) == name;
        let own = self.minutes.said.keys().filter(own).copied().collect();
        if kind != EntryType::ClosingStatement {
            return Before { own, ..Before::default() };
        }
        // Only a closing is held to the figures and sources of before, which take their time to find: those of the closings
        // are added to what was found for the first of them.
        let redacted = self.minutes.redactions.len();
        if self.heard.as_ref().is_none_or(|(known, ..)| *known != redacted) {
            self.heard = Some((redacted, 0, Before::default()));
        }
        let Some((_, from, heard)) = self.heard.as_mut() else { return Before::default() };
        for (seq, reading) in self.readings.range(*from..) {
            if !self.minutes.redactions.iter().any(|redaction| redaction.seq == *seq) {
                heard.take(reading);
            }
        }
        *from = self.minutes.log.len() as u64;
        Before { own, ..heard.clone() }
    }

    /// Redacts an entry; one that is redacted stays so.
    pub(super) fn redact(&mut self, key: &str, seq: u64, reason: &str, ruling: Option<u64>) -> Go<()> {
        if self.minutes.is_redacted(seq) {
            return Ok(());
        }
        let speaker = self.minutes.log.get(usize::try_from(seq).unwrap_or(usize::MAX));
        let speaker = speaker.map(|entry| entry.speaker.clone()).unwrap_or_default();
        let reason = format!("fabricated source ({reason})");
        let text = format!("REDACTED: seq {seq} ({speaker}). Reason: {reason}. The entry is struck from the record.");
        let by = self.record(key, EntryKind::Redaction, text, Some(seq))?;
        self.minutes.redactions.push(Redaction { seq, speaker, reason, by, ruling });
        Ok(())
    }

    /// Findings in a few words. What an explanation repeats of the entry itself is left out.
    pub(super) fn told(&self, results: &[&VerificationResult]) -> String {
        let told = results.iter().map(|result| {
            // Mostly it repeats nothing, and what was said before need not be looked through.
            let said = self.minutes.said.get(&result.verified_seq);
            let content = said.map(|said| said.content.to_lowercase()).unwrap_or_default();
            let shares = tokens(&result.explanation).iter().any(|token| tells(&token.word) && content.contains(&token.word));
            let repeats = || {
                let texts = said.iter().flat_map(|said| [said.content.as_str(), said.in_one_sentence.as_str()]).collect();
                Veil::over(&Struck { texts, ..Struck::default() }, &[]).covers(&result.explanation)
            };
            let why = if shares && repeats() {
                let veil = self.minutes.veil_over(&[result.verified_seq], &matter(self.debate.plan()));
                super::turn::sentence(&veil.over_text(&result.explanation))
            } else {
                super::turn::sentence(&result.explanation)
            };
            format!("{}: {}", result.url, why.trim_end_matches('.'))
        });
        told.collect::<Vec<_>>().join("; ")
    }

    /// A question on procedure, answered at once.
    fn clarify(&mut self, key: &StepKey, debater: &Debater, said: &Said, seq: u64) -> Go<u64> {
        let ruling = format!("{key}/ruling");
        let asked = StepKey::new(format!("{key}/clarification"));
        let closed = self.is_recorded(&ruling);
        let answer = self.ask(&asked, closed, |session| {
            let schema = structured::schema::<chair::Clarification>();
            Ok(Request {
                seat: Office::Chair.seat(),
                phase: "chair",
                prompt: cues::clarification(session, debater, said, &schema)?,
                shape: Shape::Json { name: "clarification", schema },
                tokens: CLARIFICATION_TOKENS,
                fund: Fund::Debate,
                patience_ms: None,
            })
        })?;
        let answer = match answer {
            Some(PanelContent::Clarification(clarification)) => clarification.answer.trim().to_owned(),
            _ => "no answer could be had; go on with the topic as it is worded".to_owned(),
        };
        let text = format!("Ruling on seq {seq}: {answer}");
        self.rule(&ruling, RulingKind::Clarification, None, Some(seq), text)
    }
}
