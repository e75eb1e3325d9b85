//! What can be computed of a panel is computed: who answered whom, what nobody answered, what stands against whom.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

use super::entry::{EntryType, LogEntry};
use super::figures::{figures, numbers, values};
use super::minutes::{Minutes, RulingKind};
use super::record::{ON_RECORD, OnRecord, Record, Thing, topic_of};
use super::rules::{CONJECTURE, NAMES};
use super::turn::Said;
use super::turns::FAILS;
use super::veil::{Heard, Struck, Veil};
use super::verification::{NO_SOURCE, SourceStatus, VerificationResult};
use crate::claims::telling;

/// Words of the engine, which nobody can hide by saying them.
const BOILERPLATE: [&str; 7] = [
    "Ruling on seq: the challenge holds, the source is fabricated. The entry is redacted and is penalised.",
    "the challenge holds, the source is unreliable. is warned and withdraws or replaces it at the start of its next entry.",
    "the challenge is dismissed, the source is verified. cannot be decided, nobody could read the source.",
    "Reason: fabricated source. The entry is struck from the record. Debate concluded. Outcome: void. Outcome: draw.",
    "arguments with sources; rebuttals, never rebutted: nobody; sources verified, unreliable, fabricated, unchecked; \
     redactions, rulings against, penalties; turns missed",
    "[CONJECTURE] SOURCE CORRECTION for seq: [CONJECTURE]",
    "Findings relayed: none. Before the closings these points are unresolved: no point stays unanswered.",
];

/// Everything that a debater said in an entry.
fn all_words(said: &Said) -> impl Iterator<Item = &str> {
    let frameworks = said.frameworks.iter().flat_map(|framework| [framework.name.as_str(), framework.description.as_str()]);
    let sources =
        said.sources.iter().flat_map(|cited| [Some(cited.url.as_str()), Some(cited.title.as_str()), cited.quote.as_deref()]);
    [said.content.as_str(), said.in_one_sentence.as_str()].into_iter().chain(frameworks).chain(sources.flatten())
}

/// What is redacted of an entry.
fn struck(at: u64, said: &Said) -> Struck<'_> {
    let mut struck = Struck { at, ..Struck::default() };
    struck.texts.extend([said.content.as_str(), said.in_one_sentence.as_str()]);
    struck.texts.extend(said.frameworks.iter().map(|framework| framework.description.as_str()));
    struck.texts.extend(said.sources.iter().filter_map(|cited| cited.quote.as_deref()));
    struck.named.extend(said.frameworks.iter().map(|framework| framework.name.as_str()));
    struck.named.extend(said.sources.iter().flat_map(|cited| [cited.url.as_str(), cited.title.as_str()]));
    struck
}

/// What a debater did, in numbers.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Standing {
    /// Arguments that stand.
    pub arguments: usize,
    /// Of them, those with a source.
    pub sourced: usize,
    /// How often each of the others was rebutted.
    pub rebutted: BTreeMap<String, usize>,
    /// Whom it never rebutted.
    pub not_rebutted: Vec<String>,
    /// Turns that it did not take.
    pub absences: usize,
    /// Sources that were found unreliable and never withdrawn or replaced.
    pub uncorrected: Vec<u64>,
    /// What stands on record.
    pub record: OnRecord,
}

impl Minutes<'_> {
    /// Whether an entry is redacted.
    pub fn is_redacted(&self, seq: u64) -> bool {
        self.redactions.iter().any(|redaction| redaction.seq == seq)
    }

    /// An entry.
    pub fn entry(&self, seq: u64) -> Option<&LogEntry> {
        self.log.get(usize::try_from(seq).ok()?)
    }

    /// The words of an entry as they may be shown. What a ruling names of an entry that is redacted is left out, and so is
    /// the claim for which a challenge says that it was cited: the veil would hide it with everybody who has ever said it.
    pub fn words<'e>(&self, entry: &'e LogEntry) -> Cow<'e, str> {
        let struck = entry.target_seq.filter(|seq| self.is_redacted(*seq));
        let cut = |at: &str, end: &str| {
            let (words, _) = entry.content.split_once(at).filter(|_| struck.is_some())?;
            Some(Cow::Owned(format!("{words}{at}{}{end}", super::veil::REDACTED)))
        };
        match entry.kind {
            EntryType::Ruling => cut(NAMES, ".").unwrap_or_else(|| self.without_figures(struck, &entry.content)),
            EntryType::SourceChallenge => cut(FAILS, "").unwrap_or(Cow::Borrowed(&entry.content)),
            _ => Cow::Borrowed(&entry.content),
        }
    }

    /// Why something was found of a source, as it may be shown: without figures of what is redacted.
    pub fn explanation<'r>(&self, result: &'r VerificationResult) -> Cow<'r, str> {
        let struck = Some(result.verified_seq).filter(|seq| self.is_redacted(*seq));
        self.without_figures(struck, &result.explanation)
    }

    /// Words of the engine or the verifier without the figures of the entry that they are about, where it is redacted, and
    /// without the figure that is said to stand in no source, where it is one of a redacted entry.
    fn without_figures<'t>(&self, struck: Option<u64>, text: &'t str) -> Cow<'t, str> {
        let mut shown = Cow::Borrowed(text);
        let said = struck.and_then(|seq| self.said.get(&seq));
        for figure in said.map(|said| telling(&said.content)).unwrap_or_default() {
            if text.contains(&figure) {
                shown = Cow::Owned(shown.replace(&figure, super::veil::REDACTED));
            }
        }
        let (before, after) = NO_SOURCE;
        for (at, _) in text.match_indices(before) {
            let rest = &text[at + before.len()..];
            let figure = rest.split_once(after).map_or("", |(figure, _)| figure);
            if !figure.is_empty() && self.is_struck(figure) {
                let named = format!("{before}{figure}{after}");
                shown = Cow::Owned(shown.replace(&named, &format!("{before}{}{after}", super::veil::REDACTED)));
            }
        }
        shown
    }

    /// Whether a figure is one of an entry that is redacted.
    fn is_struck(&self, figure: &str) -> bool {
        // A number of two digits is the same whatever the word for its unit.
        let worth = |figure: &str| {
            let long = numbers(figure).into_iter().filter(|number| number.len() > 1);
            values(figure).into_iter().chain(long).collect::<Vec<String>>()
        };
        let own = worth(figure);
        let struck = self.redactions.iter().filter_map(|redaction| self.said.get(&redaction.seq));
        struck.flat_map(|said| figures(&said.content)).any(|known| worth(&known).iter().any(|value| own.contains(value)))
    }

    /// All that a debater said in an entry, its sources and their quotes included.
    pub(super) fn all_words(&self, seq: u64) -> String {
        self.said.get(&seq).map(|said| all_words(said).collect::<Vec<_>>().join("\n")).unwrap_or_default()
    }

    /// Who wrote an entry.
    pub fn speaker(&self, seq: u64) -> &str {
        self.entry(seq).map_or("", |entry| entry.speaker.as_str())
    }

    /// What was found of an entry's sources.
    pub fn results_of(&self, seq: u64) -> impl Iterator<Item = &VerificationResult> {
        self.results.iter().map(|(_, result)| result).filter(move |result| result.verified_seq == seq)
    }

    /// Arguments that stand: those that nobody redacted.
    pub fn standing(&self) -> impl Iterator<Item = &LogEntry> {
        self.log.iter().filter(|entry| entry.kind.argues() && !self.is_redacted(entry.seq))
    }

    /// Arguments that no other debater has rebutted, oldest first: what closings should still speak to.
    pub fn unanswered(&self) -> Vec<u64> {
        let answered: BTreeSet<u64> = self.standing().filter_map(|entry| entry.rebuttal_to_seq).collect();
        let open = self.standing().filter(|entry| entry.kind != EntryType::ClosingStatement);
        open.filter(|entry| !answered.contains(&entry.seq)).map(|entry| entry.seq).collect()
    }

    /// How many sources were found to be what.
    pub fn tally(&self, status: SourceStatus) -> usize {
        self.results.iter().filter(|(_, result)| result.status == status).count()
    }

    /// The entry in one sentence; nothing of one that is redacted.
    pub fn sentence(&self, seq: u64, veil: &Veil) -> String {
        match self.said.get(&seq) {
            _ if self.is_redacted(seq) => super::veil::REDACTED.to_owned(),
            // Whoever challenges a source says what it was cited for.
            Some(Said { kind: EntryType::SourceChallenge, target_seq: Some(target), .. }) if self.is_redacted(*target) => {
                format!("It challenges a source of seq {target}, which was redacted.")
            }
            // A guess is told as one, however it words itself.
            Some(said) if said.is_conjecture() && !said.in_one_sentence.starts_with(CONJECTURE) => {
                format!("{CONJECTURE} {}", veil.over_text(&said.in_one_sentence))
            }
            Some(said) => veil.over_text(&said.in_one_sentence),
            None => String::new(),
        }
    }

    /// The veil over all that is redacted by now. `matter` is what the debate is about, which is nobody's alone.
    pub fn veil(&self, matter: &[&str]) -> Veil {
        let seqs: Vec<u64> = self.redactions.iter().map(|redaction| redaction.seq).collect();
        self.veil_over(&seqs, matter)
    }

    /// The veil over these entries.
    pub fn veil_over(&self, seqs: &[u64], matter: &[&str]) -> Veil {
        let struck: Vec<Struck<'_>> = seqs
            .iter()
            .filter_map(|seq| {
                let (author, topic) = (self.speaker(*seq), matter.first().copied().unwrap_or_default());
                Some(Struck { author, topic, ..struck(*seq, self.said.get(seq)?) })
            })
            .collect();
        if struck.is_empty() {
            return Veil::default();
        }
        // What is nobody's alone, and what stands in verified sources.
        let personas = self.setup.debaters.iter().flat_map(|debater| {
            [&debater.name, &debater.persona, &debater.starting_position, &debater.incentives].map(String::as_str)
        });
        let free = matter.iter().copied().chain(BOILERPLATE).chain(personas).chain(self.verified_texts());
        let mut heard: Vec<Heard<'_>> = free.map(|text| Heard::new(text, 0)).collect();
        // What others have said before it, and the offices.
        let is_struck = |seq: &u64| seqs.contains(seq) || self.is_redacted(*seq);
        for (seq, said) in self.said.iter().filter(|(seq, _)| !is_struck(seq)) {
            heard.extend(all_words(said).map(|text| Heard::new(text, seq + 1)));
            let own = self.speaker(*seq);
            let free = |text| Heard { own: Some(own), ..Heard::new(text, 0) };
            heard.extend(self.stands_for(*seq, said, &struck).into_iter().map(free));
        }
        for entry in self.log.iter().filter(|entry| entry.kind.writer().is_some()) {
            heard.push(Heard::new(&entry.content, entry.seq + 1));
        }
        Veil::over_all(&struck, &heard)
    }

    /// The sentences of an entry that its author stands for: by sources that were all verified, with no word to a redacted
    /// entry or its author, and neither asked nor quoted.
    fn stands_for<'s>(&self, seq: u64, said: &'s Said, struck: &[Struck<'_>]) -> Vec<&'s str> {
        let mut found = self.results_of(seq).map(|result| result.status).peekable();
        let verified = found.peek().is_some() && found.all(|status| status == SourceStatus::Verified);
        let of = said.speaks_of();
        if !verified || struck.iter().any(|struck| of.contains(&struck.at)) {
            return Vec::new();
        }
        let lower = |text: &str| text.to_lowercase();
        let names = |text: &str| struck.iter().any(|struck| lower(text).contains(&lower(struck.author)));
        let sentences = said.content.split_inclusive(['.', '!', '?', '\n']).chain([said.in_one_sentence.as_str()]);
        sentences.filter(|text| !text.contains(['?', '"', '“', '„', '«', '»']) && !names(text)).collect()
    }

    /// What stands in the sources that were verified. What somebody says beside such a source is another matter: whoever
    /// mocks a redacted claim can cite a real file for something else.
    fn verified_texts(&self) -> Vec<&str> {
        let mut texts: Vec<&str> = Vec::new();
        for (_, result) in self.results.iter().filter(|(_, result)| result.status == SourceStatus::Verified) {
            let text = self.texts.get(&(result.verified_seq, result.url.clone())).map(|text| &**text);
            // One page is cited by many, and is long.
            texts.extend(text.filter(|text| !texts.iter().any(|known| std::ptr::eq(*known, *text))));
        }
        texts
    }

    /// What a debater did.
    pub fn debater(&self, name: &str) -> Standing {
        let own: Vec<&LogEntry> = self.standing().filter(|entry| entry.speaker == name).collect();
        let others = self.setup.debaters.iter().map(|debater| debater.name.clone()).filter(|other| other != name);
        let mut rebutted: BTreeMap<String, usize> = others.map(|other| (other, 0)).collect();
        for entry in &own {
            if let Some(count) = entry.rebuttal_to_seq.and_then(|seq| rebutted.get_mut(self.speaker(seq))) {
                *count += 1;
            }
        }
        let rulings = || self.rulings.iter().filter(|ruling| ruling.against.as_deref() == Some(name));
        let of = |status| {
            let own = self.results.iter().filter(|(_, result)| self.speaker(result.verified_seq) == name);
            own.filter(|(_, result)| result.status == status).count()
        };
        let corrected: BTreeSet<u64> = self.corrections.iter().map(|(seq, _)| *seq).collect();
        let unreliable = self
            .results
            .iter()
            .map(|(_, result)| result)
            .filter(|result| result.status == SourceStatus::Unreliable && self.speaker(result.verified_seq) == name);
        let uncorrected: BTreeSet<u64> = unreliable.map(|result| result.verified_seq).collect();
        Standing {
            arguments: own.len(),
            sourced: own.iter().filter(|entry| entry.sources.is_some()).count(),
            not_rebutted: rebutted.iter().filter(|(_, count)| **count == 0).map(|(other, _)| other.clone()).collect(),
            rebutted,
            absences: rulings().filter(|ruling| ruling.kind == RulingKind::Absence).count(),
            uncorrected: uncorrected.difference(&corrected).copied().collect(),
            record: OnRecord {
                fabricated: of(SourceStatus::Fabricated),
                unreliable: of(SourceStatus::Unreliable),
                unchecked: of(SourceStatus::Unchecked),
                verified: of(SourceStatus::Verified),
                redactions: self.redactions.iter().filter(|redaction| redaction.speaker == name).count(),
                rulings: rulings().count(),
                penalties: rulings().filter(|ruling| ruling.kind == RulingKind::Penalty).count(),
            },
        }
    }

    /// What words of the chair are held to.
    pub fn record(&self) -> Record {
        let debaters = self.setup.debaters.iter().map(|debater| {
            let name = debater.name.clone();
            let record = self.debater(&name).record;
            (name, record)
        });
        let mut record = Record {
            debaters: debaters.collect(),
            redacted: self.redactions.iter().map(|redaction| redaction.seq).collect(),
            entries: self.log.len() as u64,
            topic: self.log.iter().find(|entry| entry.kind == EntryType::Setup).map_or_else(String::new, topic_of),
            ..Record::default()
        };
        for (_, result) in &self.results {
            record.hold(result.verified_seq, Thing::found(result.status));
        }
        for seq in self.redactions.iter().map(|redaction| redaction.seq) {
            record.hold(seq, Thing::Redacted);
        }
        for (seq, _) in &self.corrections {
            record.hold(*seq, Thing::Withdrawn);
        }
        for ruling in &self.rulings {
            let thing = match ruling.kind {
                RulingKind::Warning => Thing::Warned,
                RulingKind::Penalty => Thing::Penalised,
                _ => continue,
            };
            if let Some(seq) = self.entry(ruling.entry).and_then(|entry| entry.target_seq) {
                record.hold(seq, thing);
            }
        }
        self.log.iter().for_each(|entry| record.relate(entry));
        record
    }

    /// Why the debate ended as it did, as the conclusion says it: with what is wrong with it, and without the figures.
    pub fn outcome_reason(&self) -> Option<&str> {
        let conclusion = self.log.iter().find(|entry| entry.kind == EntryType::Conclusion)?;
        let (_, reason) = conclusion.content.split_once(". Reason: ")?;
        Some(reason.rsplit_once(&format!("\n{ON_RECORD}")).map_or(reason, |(reason, _)| reason))
    }

    /// Sources that were verified and stand, each once.
    pub fn verified_sources(&self) -> Vec<String> {
        let mut urls: Vec<String> = Vec::new();
        for (_, result) in &self.results {
            let stands = result.status == SourceStatus::Verified && !self.is_redacted(result.verified_seq);
            if stands && !urls.contains(&result.url) {
                urls.push(result.url.clone());
            }
        }
        // What is not there supports nobody; what one has misread can support another.
        let fabricated = |url: &String| {
            self.results.iter().any(|(_, result)| result.url == *url && result.status == SourceStatus::Fabricated)
        };
        urls.retain(|url| !fabricated(url));
        urls
    }

    /// Entries with a source that was found unreliable.
    pub fn unreliable(&self) -> BTreeSet<u64> {
        let found = self.results.iter().filter(|(_, result)| result.status == SourceStatus::Unreliable);
        found.map(|(_, result)| result.verified_seq).collect()
    }

    /// How the debate can end.
    pub fn outcomes(&self) -> Vec<String> {
        let names = self.setup.debaters.iter().map(|debater| &debater.name);
        let can_win = |name: &&String| !self.left.contains(name) && self.standing().any(|entry| entry.speaker == **name);
        let wins = names.filter(can_win).map(|name| format!("{name}_wins"));
        wins.chain(["draw".to_owned(), "void".to_owned()]).collect()
    }
}
