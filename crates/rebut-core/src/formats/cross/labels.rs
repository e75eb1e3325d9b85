//! Under which name each reader knows the partners: `Partner A`, in an order of its own for every reader, or by name.
//!
//! Inside a debate partners are `partner-1` and so on, and their claims have the letters of [`Partner::letter`]. What a
//! reader writes is brought to these names when it arrives, and to those of the next reader when it is passed on.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use super::setup::letter;
use super::{Partner, moderator, partners, setup};
use crate::debate::{Chance, Debate, Entry, EntryKind, SeatName, StepKey};

/// The key of the entry that holds who is known to whom under which name.
pub fn labels_key() -> StepKey {
    StepKey::new("labels")
}

/// The names under which one reader knows the others, in the order in which it reads them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Labels {
    /// The partners that are read.
    pub(super) order: Vec<Partner>,
    /// Who reads, where it is a partner.
    reader: Option<Partner>,
    /// Their own names, where they are not hidden.
    names: Option<BTreeMap<Partner, String>>,
}

/// The entry that is recorded before anybody is asked, where names are hidden.
pub(super) fn entry(debate: &Debate) -> Entry {
    let chance = &debate.plan().chance;
    let all: Vec<Partner> = partners(debate.plan()).collect();
    let readers = all.iter().map(|reader| {
        let others: Vec<Partner> = all.iter().copied().filter(|other| other != reader).collect();
        (reader.to_string(), drawn(chance, &reader.seat(), &others))
    });
    let readers: serde_json::Map<String, Value> =
        readers.chain([(moderator().to_string(), drawn(chance, &moderator(), &all))]).collect();
    Entry { kind: EntryKind::Labels, text: Value::Object(readers).to_string() }
}

fn drawn(chance: &Chance, reader: &SeatName, others: &[Partner]) -> Value {
    let order = chance.permutation(&format!("labels/{reader}"), others.len());
    json!(order.into_iter().filter_map(|place| others.get(place)).map(ToString::to_string).collect::<Vec<_>>())
}

impl Labels {
    /// How this reader knows the others: as it was recorded, or by name.
    pub(super) fn of(debate: &Debate, reader: &SeatName) -> Self {
        let me = Partner::of_seat(reader.as_str());
        let hidden = setup(debate.plan()).is_some_and(|setup| !setup.named);
        if hidden {
            let recorded: Option<BTreeMap<String, Vec<String>>> =
                debate.entry(&labels_key()).and_then(|entry| serde_json::from_str(&entry.text).ok());
            let order = recorded.and_then(|mut readers| readers.remove(reader.as_str())).unwrap_or_default();
            return Self {
                order: order.iter().filter_map(|seat| Partner::of_seat(seat)).collect(),
                reader: me,
                names: None,
            };
        }
        let order: Vec<Partner> = partners(debate.plan()).filter(|partner| Some(*partner) != me).collect();
        let names = order.iter().map(|partner| (*partner, super::name(debate.plan(), *partner))).collect();
        Self { order, reader: me, names: Some(names) }
    }

    /// What a partner is called: `Partner A`, or its name.
    pub(super) fn title(&self, partner: Partner) -> String {
        match &self.names {
            Some(names) => names.get(&partner).cloned().unwrap_or_default(),
            None => format!("Partner {}", self.letter(partner)),
        }
    }

    /// The letter of a partner's claims.
    pub(super) fn letter(&self, partner: Partner) -> &'static str {
        if self.names.is_some() {
            return partner.letter();
        }
        self.order.iter().position(|other| *other == partner).map_or("Z", letter)
    }

    /// The partner of this title.
    pub(super) fn partner(&self, title: &str) -> Option<Partner> {
        let title = title.trim();
        let bare = |partner: &&Partner| self.names.is_none() && title == self.letter(**partner);
        self.order.iter().find(|partner| title.eq_ignore_ascii_case(&self.title(**partner)) || bare(partner)).copied()
    }

    /// What this reader wrote, with everybody under the names of the debate.
    pub(super) fn resolved(&self, text: &str) -> String {
        if self.names.is_some() {
            return text.to_owned();
        }
        let by_letter = |letter: &str| self.order.iter().find(|partner| self.letter(**partner) == letter).copied();
        let text = replaced(text, "Partner ", |rest| {
            let partner = by_letter(rest.get(..1)?)?;
            Some((1, partner.to_string()))
        });
        with_ids(&text, |letter| by_letter(letter).map(Partner::letter))
    }

    /// A text with the names of the debate, as this reader reads it.
    pub(super) fn told(&self, text: &str) -> String {
        let text = replaced(text, "partner-", |rest| {
            let partner = Partner::of_seat(&format!("partner-{}", rest.get(..1)?))?;
            let told = if Some(partner) == self.reader { "you".to_owned() } else { self.title(partner) };
            Some((1, told))
        });
        if self.names.is_some() {
            return text;
        }
        // Nobody reads claims of its own, so that a letter of none of the others is the reader's own.
        with_ids(&text, |letter| {
            let partner = Partner::of_letter(letter)?;
            Some(if Some(partner) == self.reader { "YOU" } else { self.letter(partner) })
        })
    }
}

/// The text with each whole word that begins with `head` replaced; `with` is given what follows the head, and says how
/// much of it is taken and what stands there instead.
pub(super) fn replaced(text: &str, head: &str, with: impl Fn(&str) -> Option<(usize, String)>) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find(head) {
        let after = &rest[at + head.len()..];
        let begins = !rest[..at].ends_with(char::is_alphanumeric) && !out_ends_in_word(&out, &rest[..at]);
        let found = with(after).filter(|(taken, _)| begins && !after[*taken..].starts_with(char::is_alphanumeric));
        out.push_str(&rest[..at]);
        if let Some((taken, instead)) = found {
            out.push_str(&instead);
            rest = &after[taken..];
        } else {
            out.push_str(head);
            rest = after;
        }
    }
    out.push_str(rest);
    out
}

fn out_ends_in_word(out: &str, between: &str) -> bool {
    between.is_empty() && out.ends_with(char::is_alphanumeric)
}

/// The text with the letters of claims' ids (`A0.2`) exchanged.
fn with_ids(text: &str, letter: impl Fn(&str) -> Option<&'static str>) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    let is_part = |c: char| c.is_alphanumeric() || matches!(c, '.' | '_' | '/' | '-');
    while !rest.is_empty() {
        let end = rest.find(|c: char| !is_part(c)).unwrap_or(rest.len());
        let (word, after) = rest.split_at(end);
        match exchanged(word, &letter) {
            Some(other) => out.push_str(&other),
            None => out.push_str(word),
        }
        let gap = after.find(is_part).unwrap_or(after.len());
        out.push_str(&after[..gap]);
        rest = &after[gap..];
    }
    out
}

fn exchanged(word: &str, letter: &impl Fn(&str) -> Option<&'static str>) -> Option<String> {
    let rest = word.get(1..)?;
    let (round, number) = rest.trim_end_matches('.').split_once('.')?;
    let is_count = |text: &str| !text.is_empty() && text.len() <= 2 && text.bytes().all(|b| b.is_ascii_digit());
    (is_count(round) && is_count(number)).then(|| Some(format!("{}{rest}", letter(word.get(..1)?)?)))?
}

#[cfg(test)]
mod tests {
    use super::*;

    fn labels(order: &[u32], reader: Option<u32>) -> Labels {
        let partner = |number: u32| Partner::of_seat(&format!("partner-{number}")).unwrap();
        Labels { order: order.iter().map(|n| partner(*n)).collect(), reader: reader.map(partner), names: None }
    }

    #[test]
    fn what_a_reader_writes_is_brought_to_the_names_of_the_debate_and_on_to_the_next_reader() {
        let first = labels(&[3, 2], Some(1));
        let said = "Partner A errs (A0.2), Partner B does not; Partner C and Partners stay, so does a.rs:3 and B12.x.";
        let kept = first.resolved(said);
        assert_eq!(
            kept,
            "partner-3 errs (C0.2), partner-2 does not; Partner C and Partners stay, so does a.rs:3 and B12.x."
        );
        assert_eq!(first.told(&kept), said);
        let second = labels(&[1, 3], Some(2));
        let told = second.told(&kept);
        assert_eq!(told, "Partner B errs (B0.2), you does not; Partner C and Partners stay, so does a.rs:3 and B12.x.");
    }

    #[test]
    fn letters_and_titles_belong_together() {
        let labels = labels(&[4, 2], None);
        let partner = labels.partner("Partner B").unwrap();
        assert_eq!((labels.title(partner).as_str(), labels.letter(partner), partner.letter()), ("Partner B", "B", "B"));
        assert_eq!(labels.partner("a").map(|p| p.to_string()), None);
        assert_eq!(labels.partner("A").map(|p| p.to_string()).as_deref(), Some("partner-4"));
    }
}
