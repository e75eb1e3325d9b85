//! Chance as data: markers and seeds are derived from the plan's nonce and a key.

use serde::{Deserialize, Serialize};

/// The plan's nonce: the only randomness of a debate, drawn once by the engine and kept in the journal.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Chance(String);

impl Chance {
    /// Wraps a nonce that was drawn elsewhere.
    pub fn from_nonce(nonce: impl Into<String>) -> Self {
        Self(nonce.into())
    }

    /// The nonce: debates with the same nonce draw the same.
    pub fn nonce(&self) -> &str {
        &self.0
    }

    /// A seed for sampling, different for each key.
    pub fn seed(&self, key: &str) -> u64 {
        let bytes = self.derive(&["seed", key]);
        u64::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3], bytes[4], bytes[5], bytes[6], bytes[7]])
    }

    /// A word that fences `text` as data: it depends on nonce and key, and does not occur in the text.
    ///
    /// The key is that of the fenced text and not of the prompt it stands in, so that a text is fenced alike in every
    /// later prompt and providers can reuse the prefix they have read before.
    pub fn marker(&self, key: &str, text: &str) -> String {
        let mut turn = 0_u32;
        loop {
            let bytes = self.derive(&["marker", key, &turn.to_string()]);
            let marker = blake3::Hash::from_bytes(bytes).to_hex().as_str()[..8].to_owned();
            if !text.contains(&marker) {
                return marker;
            }
            turn += 1;
        }
    }

    fn derive(&self, labels: &[&str]) -> [u8; 32] {
        let mut hasher = blake3::Hasher::new_derive_key("rebut 2026 chance of a debate");
        for part in [self.0.as_str()].iter().chain(labels) {
            hasher.update(&(part.len() as u64).to_le_bytes());
            hasher.update(part.as_bytes());
        }
        *hasher.finalize().as_bytes()
    }
}
