//! The pieces of a page: parts that change independently, each with an id.

use std::collections::BTreeMap;
use std::hash::{DefaultHasher, Hash, Hasher};

use serde_json::{Value, json};

/// A part of the page. Its HTML is one element with its id.
#[derive(Clone, Debug)]
pub(super) struct Piece {
    pub(super) id: String,
    /// The id of the element that it is in.
    pub(super) parent: String,
    /// The id of its element for further pieces, if it can have any. They aren't part of this one.
    pub(super) slot: Option<String>,
    pub(super) open: String,
    /// What comes after the pieces in it.
    pub(super) close: String,
}

impl Piece {
    pub(super) fn leaf(id: impl Into<String>, parent: impl Into<String>, html: String) -> Self {
        Self { id: id.into(), parent: parent.into(), slot: None, open: html, close: String::new() }
    }
}

pub(super) const ROOT: &str = "page";

pub(super) fn assembled(pieces: &[Piece]) -> String {
    let mut by_parent: BTreeMap<&str, Vec<&Piece>> = BTreeMap::new();
    for piece in pieces {
        by_parent.entry(&piece.parent).or_default().push(piece);
    }
    let mut html = String::new();
    write(&mut html, &by_parent, ROOT);
    html
}

fn write(html: &mut String, by_parent: &BTreeMap<&str, Vec<&Piece>>, parent: &str) {
    for piece in by_parent.get(parent).into_iter().flatten() {
        html.push_str(&piece.open);
        if let Some(slot) = &piece.slot {
            write(html, by_parent, slot);
        }
        html.push_str(&piece.close);
    }
}

/// The pieces that an open page has, each with a hash of its content.
#[derive(Clone, Debug, Default)]
pub(super) struct Known(BTreeMap<String, u64>);

impl Known {
    pub(super) fn of(pieces: &[Piece]) -> Self {
        Self(pieces.iter().map(|piece| (piece.id.clone(), hash(piece))).collect())
    }

    /// Forgets these pieces, so they are sent again.
    pub(super) fn forget(&mut self, ids: &[&str]) {
        self.0.retain(|id, _| !ids.contains(&id.as_str()));
    }

    /// What differs from the pieces as they are now, which the page has from here on: those that changed, and the ids of
    /// those that are gone.
    pub(super) fn change_to(&mut self, pieces: &[Piece]) -> (Vec<Value>, Vec<String>) {
        let now = Self::of(pieces);
        let removed = self.0.keys().filter(|id| !now.0.contains_key(*id)).cloned().collect();
        let mut last: BTreeMap<&str, &str> = BTreeMap::new();
        let mut changed = Vec::new();
        for piece in pieces {
            // The piece before it in the same element; none for the first.
            let after = last.insert(&piece.parent, &piece.id);
            let known = self.0.get(&piece.id);
            // Pieces in it are sent on their own.
            if known == now.0.get(&piece.id) || (known.is_some() && piece.slot.is_some()) {
                continue;
            }
            let html = format!("{}{}", piece.open, piece.close);
            changed.push(json!({ "id": piece.id, "parent": piece.parent, "after": after, "html": html }));
        }
        *self = now;
        (changed, removed)
    }
}

fn hash(piece: &Piece) -> u64 {
    let mut hasher = DefaultHasher::new();
    (&piece.open, &piece.close).hash(&mut hasher);
    hasher.finish()
}
