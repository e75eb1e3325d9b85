//! Openings and rounds: who speaks when, what is announced, and when the rounds end.

use super::session::{Moment, Session, Walk, all};
use super::tasks::Task;
use super::{
    Content, EntryType, LogPhase, Office, RelayedQuestion, RulingKind, SourceStatus, VerificationResult, audience, chair,
    cues, turn_key,
};
use crate::debate::{EntryKind, StepKey, structured};

pub(super) const OPENINGS_BEGIN: &str = "Opening statements begin";
pub(super) const ROUNDS_END_AFTER: &str = "The rounds end after ";
pub(super) const ROUNDS_END: &str = "chair/rounds-end";

impl Session<'_> {
    pub(super) fn openings_and_rounds(&mut self) -> Walk<()> {
        let setup = self.setup();
        let topic = self.debate.plan().topic.trim();
        let text = format!("Debate set up. Topic: {topic} Debaters: {}.", setup.names().join(", "));
        self.chair_says(super::ending::SETUP, EntryKind::Setup, text, None)?;
        let order = format!("{OPENINGS_BEGIN}, in this order: {}.", setup.names().join(", "));
        self.chair_says("chair/openings", EntryKind::Announcement, order, None)?;
        for debater in &setup.debaters {
            self.turn(&StepKey::new(format!("opening/{}", debater.name)), debater)?;
        }
        self.announce_findings("opening", "the openings")?;
        for round in 1..=setup.max_rounds {
            if self.too_few() {
                return self.end_rounds("fewer than two debaters are left");
            }
            self.record.rounds = round;
            self.run_round(round)?;
            if let Some(why) = self.between_rounds(round)? {
                return self.end_rounds(&why);
            }
        }
        self.end_rounds("the last round is over")
    }

    pub(super) fn too_few(&self) -> bool {
        self.present().len() < 2
    }

    fn end_rounds(&mut self, why: &str) -> Walk<()> {
        self.moment = Moment::Closing;
        let rounds = self.record.rounds;
        let text = format!("{ROUNDS_END_AFTER}{rounds} of at most {}: {why}.", self.setup().max_rounds);
        self.chair_says(ROUNDS_END, EntryKind::Announcement, text, None).map(drop)
    }

    fn run_round(&mut self, round: u32) -> Walk<()> {
        self.moment = Moment::Round(round);
        self.rule_on_findings(&format!("round-{round}/chair"))?;
        let text = format!("Round {round} of {}", self.setup().max_rounds);
        self.chair_says(&format!("round-{round}/chair/start"), EntryKind::Announcement, text, None)?;
        // What opens a round belongs to it.
        if let Some(start) = self.record.log.last_mut() {
            start.phase = LogPhase::Rebuttal;
        }
        for debater in self.present() {
            self.turn(&turn_key(round, &debater.name), debater)?;
        }
        self.announce_findings(&format!("round-{round}"), &format!("round {round}"))
    }

    /// Logs and announces the results since the last announcement.
    pub(super) fn announce_findings(&mut self, stretch: &str, name: &str) -> Walk<()> {
        let key = format!("{stretch}/chair/findings");
        self.write_results(self.is_recorded(&key))?;
        // Urgent results were logged before, and are announced with the rest.
        let found = self.record.results.iter().filter(|(entry, _)| *entry >= self.relayed).map(|(_, result)| result);
        let text = relayed_text(name, found);
        self.relayed = self.next_seq();
        self.chair_says(&key, EntryKind::Announcement, text, None).map(drop)
    }

    /// Rules on new findings: a fabricated source redacts its entry, an unreliable one is a warning.
    pub(super) fn rule_on_findings(&mut self, place: &str) -> Walk<()> {
        let mut seqs: Vec<u64> = self.record.results.iter().map(|(_, result)| result.verified_seq).collect();
        seqs.dedup();
        for seq in seqs {
            if self.record.is_redacted(seq) || self.ruled.contains(&seq) {
                continue;
            }
            let results: Vec<VerificationResult> = self.record.results_of(seq).cloned().collect();
            let Some((status, of)) = Session::worst(&results) else { continue };
            match status {
                SourceStatus::Fabricated => {
                    let found = self.summarize(&of);
                    self.redact(&format!("{place}/redaction/{seq}"), seq, &found, None)?;
                }
                SourceStatus::Unreliable => {
                    let (found, speaker) = (self.summarize(&of), self.record.speaker(seq).to_owned());
                    // After the closings there is no next entry.
                    let follows = if place == super::ending::LATE {
                        "is warned; it is too late to withdraw it."
                    } else {
                        "is warned and must withdraw or replace it in its next entry."
                    };
                    let text = format!("Ruling on seq {seq}: a source is unreliable ({found}). {speaker} {follows}");
                    self.rule(&format!("{place}/warning/{seq}"), RulingKind::Warning, Some(&speaker), Some(seq), text)?;
                }
                SourceStatus::Verified | SourceStatus::Unchecked => {}
            }
            self.ruled.insert(seq);
        }
        Ok(())
    }

    /// What comes between rounds: the audience's questions, and whether there is another round. Gives the reason where
    /// there is none.
    fn between_rounds(&mut self, round: u32) -> Walk<Option<String>> {
        let setup = self.setup();
        // Once recorded, the decision is read from what follows, so that the clock is read only once.
        let goes_on = self.has_begun(round + 1);
        let ended = self.is_recorded(ROUNDS_END);
        let closed = goes_on || ended;
        let questions = self.questions(round, closed);
        let judged = round >= setup.min_rounds && round < setup.max_rounds && !self.too_few();
        // A call under way is awaited, also when the time runs out meanwhile.
        let asked = self.debate.call(&natural_key(round)).is_some();
        let natural = if judged && (asked || !self.out_of_time()) { self.natural_end(round, closed) } else { Ok(None) };
        let natural = all([questions.map(|()| None), natural])?.into_iter().flatten().next();
        if goes_on {
            return Ok(None);
        }
        if round >= setup.min_rounds && (ended || self.out_of_time()) && natural.is_none() {
            return Ok(Some(format!("the time budget of {} minutes is used up", setup.time_budget_minutes)));
        }
        Ok(natural.map(|reason| format!("the chair sees a natural end ({reason})")))
    }

    fn has_begun(&self, round: u32) -> bool {
        let place = format!("round-{round}/chair/");
        self.debate.entries().any(|(key, _)| key.as_str().starts_with(&place))
    }

    fn out_of_time(&self) -> bool {
        self.debate.elapsed_ms(self.debate.last_at()) >= u64::from(self.setup().time_budget_minutes) * 60_000
    }

    fn questions(&mut self, round: u32, closed: bool) -> Walk<()> {
        let key = StepKey::new(format!("round-{round}/audience"));
        let asked = self.ask(Office::Audience, Task::Questions, &key, closed, |session| {
            let present = session.present();
            let names: Vec<&str> = present.iter().map(|debater| debater.name.as_str()).collect();
            (audience::questions_schema(&names), cues::questions(session, round))
        })?;
        let Some(Content::Questions(questions)) = asked else { return Ok(()) };
        let at = self.debate.ended_at(&key);
        for question in &questions.questions {
            let text = format!("To {}: {}", question.to, question.question.trim());
            let entry = self.write(at, Office::Audience.as_str(), EntryType::AudienceQuestion, text).seq;
            let (to, question) = (question.to.clone(), question.question.trim().to_owned());
            self.record.questions.push(RelayedQuestion { entry, round, to, question });
        }
        Ok(())
    }

    /// Why the chair ends the rounds; none where it does not.
    fn natural_end(&mut self, round: u32, closed: bool) -> Walk<Option<String>> {
        let key = natural_key(round);
        let asked = |session: &Self| (structured::schema::<chair::NaturalEnd>(), cues::natural_end(session, round));
        let found = self.ask(Office::Chair, Task::NaturalEnd, &key, closed, asked)?;
        Ok(match found {
            Some(Content::NaturalEnd(end)) if end.concluded => {
                Some(super::turn::sentence(&end.reason).trim_end_matches('.').to_owned())
            }
            _ => None,
        })
    }
}

/// The announcement of what was found in a stretch of the debate: of each source its entry, the source, and what.
fn relayed_text<'r>(name: &str, found: impl Iterator<Item = &'r VerificationResult>) -> String {
    let (mut bad, mut verified, mut unchecked) = (Vec::new(), 0, 0);
    for VerificationResult { verified_seq, url, status, .. } in found {
        match status {
            SourceStatus::Verified => verified += 1,
            SourceStatus::Unchecked => unchecked += 1,
            SourceStatus::Fabricated | SourceStatus::Unreliable => bad.push(format!("seq {verified_seq} {status} ({url})")),
        }
    }
    let relayed = if bad.is_empty() { "none".to_owned() } else { bad.join("; ") };
    format!("Findings relayed after {name}: {relayed}. Verified: {verified}, unchecked: {unchecked}.")
}

fn natural_key(round: u32) -> StepKey {
    StepKey::new(format!("round-{round}/chair/natural-end"))
}
