//! Draws the next token from logits: temperature, top-k, top-p, min-p, repetition penalty.

use crate::kernels::portable::exp;
use crate::tokenizer::{TokenKind, Tokenizer};

#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Sampling {
    /// 0 always takes the most likely token.
    pub temperature: f32,
    /// 0 for all tokens.
    pub top_k: usize,
    pub top_p: f32,
    /// A share of the highest probability.
    pub min_p: f32,
    /// Applies to the last `WINDOW` tokens of the answer; 1 for none.
    pub repetition_penalty: f32,
}

impl Default for Sampling {
    /// For small instruct models.
    fn default() -> Self {
        Self { temperature: 0.7, top_k: 40, top_p: 0.95, min_p: 0.05, repetition_penalty: 1.1 }
    }
}

impl Sampling {
    pub fn greedy() -> Self {
        Self { temperature: 0.0, top_k: 0, top_p: 1.0, min_p: 0.0, repetition_penalty: 1.0 }
    }
}

/// Tokens that count as repeated.
const WINDOW: usize = 96;

pub(crate) struct Sampler {
    sampling: Sampling,
    rng: Rng,
    recent: Vec<u32>,
}

impl Sampler {
    pub(crate) fn new(sampling: Sampling, seed: u64) -> Self {
        Self { sampling, rng: Rng::new(seed), recent: Vec::new() }
    }

    /// Adds a token of the answer. Only tokens with letters count as repeated: punctuation has to repeat.
    pub(crate) fn accept(&mut self, tokenizer: &Tokenizer, token: u32) {
        if self.recent.len() >= WINDOW {
            self.recent.remove(0);
        }
        let has_letters = tokenizer.bytes(token).iter().any(u8::is_ascii_alphabetic);
        self.recent.push(if has_letters { token } else { u32::MAX });
    }

    /// `None` if every logit is negative infinity or NaN. Changes the logits.
    pub(crate) fn sample(&mut self, tokenizer: &Tokenizer, logits: &mut [f32]) -> Option<u32> {
        self.penalize_repetition(logits);
        for (token, logit) in (0u32..).zip(logits.iter_mut()) {
            if tokenizer.kind(token) == TokenKind::Special && tokenizer.eog().binary_search(&token).is_err() {
                *logit = f32::NEG_INFINITY;
            }
        }
        if self.sampling.temperature <= 0.0 {
            return top_k(logits, 1).first().map(|candidate| candidate.1);
        }
        let k = if self.sampling.top_k == 0 { logits.len() } else { self.sampling.top_k };
        let mut candidates = top_k(logits, k);
        let max = candidates.first()?.0;
        for candidate in &mut candidates {
            candidate.0 = exp::<false>((candidate.0 - max) / self.sampling.temperature);
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
        let mut left = self.rng.fraction() * within;
        let drawn = candidates[..count].iter().find(|candidate| {
            left -= candidate.0;
            left < 0.0
        });
        drawn.or(candidates.first()).map(|candidate| candidate.1)
    }

    fn penalize_repetition(&self, logits: &mut [f32]) {
        let penalty = self.sampling.repetition_penalty;
        if penalty <= 1.0 {
            return;
        }
        for (at, &token) in self.recent.iter().enumerate() {
            if self.recent[..at].contains(&token) {
                continue;
            }
            if let Some(logit) = logits.get_mut(token as usize) {
                *logit = if *logit > 0.0 { *logit / penalty } else { *logit * penalty };
            }
        }
    }
}

/// The `k` highest logits in descending order; of equals the smaller token first. NaN is left out.
fn top_k(logits: &[f32], k: usize) -> Vec<(f32, u32)> {
    let better = |one: &(f32, u32), other: &(f32, u32)| other.0.total_cmp(&one.0).then(one.1.cmp(&other.1));
    let mut best: Vec<(f32, u32)> = Vec::new();
    let limit = k.saturating_mul(2).max(64);
    let mut threshold = f32::NEG_INFINITY;
    for (&logit, token) in logits.iter().zip(0u32..) {
        // False for NaN.
        if logit > threshold {
            best.push((logit, token));
            if best.len() >= limit && k < best.len() {
                best.select_nth_unstable_by(k - 1, better);
                best.truncate(k);
                threshold = best.iter().fold(f32::INFINITY, |min, candidate| min.min(candidate.0));
            }
        }
    }
    best.sort_unstable_by(better);
    best.truncate(k);
    best
}

/// xoshiro256++.
struct Rng([u64; 4]);

impl Rng {
    fn new(seed: u64) -> Self {
        // Seeded with splitmix64, as the generator's authors advise.
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

    /// In `0.0..1.0`.
    #[expect(clippy::cast_precision_loss, reason = "24 bits fit")]
    fn fraction(&mut self) -> f32 {
        (self.next() >> 40) as f32 / 16_777_216.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn top_k_is_sorted_and_leaves_out_nan() {
        let mut logits: Vec<f32> = (0..1000).map(|n| ((n * 7919) % 1000) as f32).collect();
        logits[5] = f32::NAN;
        logits[6] = f32::NEG_INFINITY;
        let best = top_k(&logits, 40);
        assert_eq!(best.len(), 40);
        assert!(best.windows(2).all(|pair| pair[0].0 > pair[1].0));
        assert_eq!(best[0].0, 999.0);
        assert_eq!(top_k(&[f32::NAN, 1.0, 1.0, f32::INFINITY], 3), [(f32::INFINITY, 3), (1.0, 1), (1.0, 2)]);
        assert!(top_k(&[f32::NAN, f32::NEG_INFINITY], 1).is_empty());
    }

    #[test]
    fn a_seed_determines_the_numbers_and_they_are_uniform() {
        let draw = |seed| {
            let mut rng = Rng::new(seed);
            (0..1000).map(|_| rng.fraction()).collect::<Vec<_>>()
        };
        assert_eq!(draw(7), draw(7));
        assert_ne!(draw(7), draw(8));
        let mean: f32 = draw(1).iter().sum::<f32>() / 1000.0;
        assert!((0.45..0.55).contains(&mean), "{mean}");
        assert!(draw(2).iter().all(|number| (0.0..1.0).contains(number)));
    }
}
