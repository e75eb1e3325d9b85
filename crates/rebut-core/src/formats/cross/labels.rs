//! Under which name each reader knows the partners: `Partner A`, in an order of its own for every reader, or by name.
//!
//! Inside a debate partners are `partner-1` and so on, and their claims have the letters of [`Partner::letter`]. What a
//! reader writes is kept as it wrote it, and told to others by `retelling`.

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

    /// Whether this is the reader itself.
    pub(super) fn is_read_by(&self, partner: Partner) -> bool {
        self.reader == Some(partner)
    }

    /// The letters by which this reader knows the others; none where names are open.
    pub(super) fn letters(&self) -> Vec<(char, Partner)> {
        if self.names.is_some() {
            return Vec::new();
        }
        let known = self.order.iter().filter_map(|partner| Some((self.letter(*partner).chars().next()?, *partner)));
        known.collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn labels(order: &[u32], reader: Option<u32>) -> Labels {
        let partner = |number: u32| Partner::of_seat(&format!("partner-{number}")).unwrap();
        Labels { order: order.iter().map(|n| partner(*n)).collect(), reader: reader.map(partner), names: None }
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
