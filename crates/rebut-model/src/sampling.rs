//! Which token comes next: by likelihood and a seed. The same seed draws the same tokens.

use crate::kernels::portable::exponential;
use crate::tokens::{TokenKind, Tokenizer};

/// How the next token is drawn.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Sampling {
    /// Above 1 the unlikely gets likelier, below 1 less likely; 0 always takes the likeliest.
    pub temperature: f32,
    /// Only this many of the likeliest are drawn from; 0 for all.
    pub top_k: usize,
    /// Only the likeliest that together have this probability are drawn from; 1 for all.
    pub top_p: f32,
    /// Only what has at least this share of the likeliest one's probability is drawn from; 0 for all.
    pub min_p: f32,
    /// Words that the last part of the answer has used get less likely by this factor; 1 for no change.
    pub repetition: f32,
}

impl Default for Sampling {
    /// What suits small instruct models.
    fn default() -> Self {
        Self { temperature: 0.7, top_k: 40, top_p: 0.95, min_p: 0.05, repetition: 1.1 }
    }
}

impl Sampling {
    /// Always the likeliest token, whatever the seed.
    pub fn greedy() -> Self {
        Self { temperature: 0.0, top_k: 0, top_p: 1.0, min_p: 0.0, repetition: 1.0 }
    }
}

/// How many of the answer's last tokens count as repeated.
const WINDOW: usize = 96;

/// Draws one token after the other.
#[derive(Debug)]
pub(crate) struct Chooser {
    sampling: Sampling,
    chance: Chance,
    recent: Vec<u32>,
}

impl Chooser {
    pub(crate) fn new(sampling: Sampling, seed: u64) -> Self {
        Self { sampling, chance: Chance::new(seed), recent: Vec::new() }
    }

    /// Remembers a token of the answer. Only tokens with letters count: punctuation and brackets have to repeat.
    pub(crate) fn remember(&mut self, tokenizer: &Tokenizer, token: u32) {
        if self.recent.len() >= WINDOW {
            self.recent.remove(0);
        }
        let wordy = tokenizer.bytes(token).iter().any(u8::is_ascii_alphabetic);
        self.recent.push(if wordy { token } else { u32::MAX });
    }

    /// Draws a token; none if no token has a likelihood. Changes the logits.
    pub(crate) fn choose(&mut self, tokenizer: &Tokenizer, logits: &mut [f32]) -> Option<u32> {
        self.discourage(logits);
        for (token, logit) in (0u32..).zip(logits.iter_mut()) {
            if tokenizer.kind(token) == TokenKind::Special && tokenizer.ends().binary_search(&token).is_err() {
                *logit = f32::NEG_INFINITY;
            }
        }
        if self.sampling.temperature <= 0.0 {
            return likeliest(logits, 1).first().map(|candidate| candidate.1);
        }
        let most = if self.sampling.top_k == 0 { logits.len() } else { self.sampling.top_k };
        let mut candidates = likeliest(logits, most);
        let largest = candidates.first()?.0;
        for candidate in &mut candidates {
            candidate.0 = exponential::<false>((candidate.0 - largest) / self.sampling.temperature);
        }
        candidates.retain(|candidate| candidate.0 >= self.sampling.min_p);
        let total: f32 = candidates.iter().map(|candidate| candidate.0).sum();
        let mut within = 0.0;
        let mut count = 0;
        for candidate in &candidates {
            within += candidate.0;
            count += 1;
            if within >= self.sampling.top_p * total {
                break;
            }
        }
        let mut left = self.chance.fraction() * within;
        let drawn = candidates[..count].iter().find(|candidate| {
            left -= candidate.0;
            left < 0.0
        });
        drawn.or(candidates.first()).map(|candidate| candidate.1)
    }

    fn discourage(&self, logits: &mut [f32]) {
        if self.sampling.repetition <= 1.0 {
            return;
        }
        for (at, &token) in self.recent.iter().enumerate() {
            if self.recent[..at].contains(&token) {
                continue;
            }
            if let Some(logit) = logits.get_mut(token as usize) {
                *logit = if *logit > 0.0 { *logit / self.sampling.repetition } else { *logit * self.sampling.repetition };
            }
        }
    }
}

/// The likeliest tokens, the best first; of equals the one with the smaller number. What is no number is left out.
fn likeliest(logits: &[f32], most: usize) -> Vec<(f32, u32)> {
    let better = |one: &(f32, u32), other: &(f32, u32)| other.0.total_cmp(&one.0).then(one.1.cmp(&other.1));
    let mut best: Vec<(f32, u32)> = Vec::new();
    let limit = most.saturating_mul(2).max(64);
    let mut bar = f32::NEG_INFINITY;
    for (&logit, token) in logits.iter().zip(0u32..) {
        // Comparisons with what is no number are false, so that it never gets in.
        if logit > bar {
            best.push((logit, token));
            if best.len() >= limit && most < best.len() {
                best.select_nth_unstable_by(most - 1, better);
                best.truncate(most);
                bar = best.iter().fold(f32::INFINITY, |least, candidate| least.min(candidate.0));
            }
        }
    }
    best.sort_unstable_by(better);
    best.truncate(most);
    best
}

/// A sequence of numbers that a seed determines (xoshiro256++).
#[derive(Debug)]
struct Chance([u64; 4]);

impl Chance {
    fn new(seed: u64) -> Self {
        // Neighbouring seeds are spread by splitmix64, as the generator's authors advise.
        let mut state = seed;
        Self(std::array::from_fn(|_| {
            state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
            let mut mixed = state;
            mixed = (mixed ^ mixed >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
            mixed = (mixed ^ mixed >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
            mixed ^ mixed >> 31
        }))
    }

    fn next(&mut self) -> u64 {
        let [a, b, c, d] = &mut self.0;
        let result = a.wrapping_add(*d).rotate_left(23).wrapping_add(*a);
        let shifted = *b << 17;
        *c ^= *a;
        *d ^= *b;
        *b ^= *c;
        *a ^= *d;
        *c ^= shifted;
        *d = d.rotate_left(45);
        result
    }

    /// A number from 0 up to, but not including, 1.
    #[expect(clippy::cast_precision_loss, reason = "24 bits fit")]
    fn fraction(&mut self) -> f32 {
        (self.next() >> 40) as f32 / 16_777_216.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_likeliest_come_first_and_what_is_no_number_never() {
        let mut logits: Vec<f32> = (0..1000).map(|n| ((n * 7919) % 1000) as f32).collect();
        logits[5] = f32::NAN;
        logits[6] = f32::NEG_INFINITY;
        let best = likeliest(&logits, 40);
        assert_eq!(best.len(), 40);
        assert!(best.windows(2).all(|pair| pair[0].0 > pair[1].0));
        assert_eq!(best[0].0, 999.0);
        assert_eq!(likeliest(&[f32::NAN, 1.0, 1.0, f32::INFINITY], 3), [(f32::INFINITY, 3), (1.0, 1), (1.0, 2)]);
        assert!(likeliest(&[f32::NAN, f32::NEG_INFINITY], 1).is_empty());
    }

    #[test]
    fn a_seed_determines_the_numbers_and_they_are_spread_evenly() {
        let draw = |seed| {
            let mut chance = Chance::new(seed);
            (0..1000).map(|_| chance.fraction()).collect::<Vec<_>>()
        };
        assert_eq!(draw(7), draw(7));
        assert_ne!(draw(7), draw(8));
        let mean: f32 = draw(1).iter().sum::<f32>() / 1000.0;
        assert!((0.45..0.55).contains(&mean), "{mean}");
        assert!(draw(2).iter().all(|number| (0.0..1.0).contains(number)));
    }
}
