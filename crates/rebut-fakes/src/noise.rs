//! Unlikely texts: drawn from pieces, or made from real ones by cutting, doubling and mixing.
//!
//! The same seed draws the same texts. Tests draw a bounded number with a fixed seed; `scripts/fuzz` draws others, for
//! as long as it is let, and tells the seed of a failure.

use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};

pub const SEED: &str = "REBUT_FUZZ_SEED";
/// A variable with how many texts are drawn, in place of the bounded number.
pub const ROUNDS: &str = "REBUT_FUZZ_ROUNDS";
/// A variable with how many times the bounded number is drawn: a test of costly texts keeps drawing fewer than others.
pub const TIMES: &str = "REBUT_FUZZ_TIMES";

pub struct Noise(u64);

/// Draws texts and checks something of each. A check that panics fails the test, with the seed and the text.
pub fn fuzz(rounds: u64, draw: impl Fn(&mut Noise) -> String, check: impl Fn(&str)) {
    let number = |name| std::env::var(name).ok().and_then(|value| value.parse::<u64>().ok());
    let first = number(SEED).unwrap_or(1);
    let rounds = number(ROUNDS).unwrap_or(rounds * number(TIMES).unwrap_or(1));
    for seed in (first..).take(usize::try_from(rounds).expect("a number of rounds")) {
        let text = draw(&mut Noise::new(seed));
        if let Err(panic) = catch_unwind(AssertUnwindSafe(|| check(&text))) {
            let told = format!("{SEED}={seed} {ROUNDS}=1 draws what failed: {text:?}\n");
            std::io::Write::write_all(&mut std::io::stderr(), told.as_bytes()).expect("standard error takes it");
            resume_unwind(panic);
        }
    }
}

impl Noise {
    pub fn new(seed: u64) -> Self {
        Self(seed)
    }

    fn next(&mut self) -> u64 {
        // SplitMix64: good enough to look like chance.
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    pub fn below(&mut self, most: usize) -> usize {
        usize::try_from(self.next() >> 33).expect("31 bits") % most.max(1)
    }

    pub(crate) fn byte(&mut self) -> u8 {
        self.next().to_le_bytes()[7]
    }

    /// Between -1 and 1.
    #[expect(clippy::cast_precision_loss, reason = "24 bits fit")]
    pub(crate) fn number(&mut self) -> f32 {
        (self.next() >> 40) as f32 / 8_388_608.0 - 1.0
    }

    pub fn pick<'a, T: ?Sized>(&mut self, from: &[&'a T]) -> &'a T {
        from[self.below(from.len())]
    }

    /// Pieces in any order, at most this many; now and then one of them many times over.
    pub fn text(&mut self, pieces: &[&str], most: usize) -> String {
        let mut text = String::new();
        for _ in 0..self.below(most) {
            let piece = self.pick(pieces);
            let times = if self.below(24) == 0 { self.below(300) } else { 1 };
            text.extend(std::iter::repeat_n(piece, times));
            if self.below(16) == 0 {
                text.extend(char::from_u32(u32::try_from(self.below(0x11_0000)).expect("a number")));
            }
        }
        text
    }

    /// A text with parts of it cut out, doubled, moved, or replaced by one of these pieces.
    pub fn mixed(&mut self, text: &str, pieces: &[&str]) -> String {
        let mut text = text.to_owned();
        for _ in 0..=self.below(6) {
            let (from, to) = (self.place(&text), self.place(&text));
            let (from, to) = (from.min(to), from.max(to));
            match self.below(5) {
                0 => text.replace_range(from..to, ""),
                1 if text.len() < 100_000 => {
                    let twice = text[from..to].to_owned();
                    text.insert_str(from, &twice);
                }
                2 => text.replace_range(from..to, self.pick(pieces)),
                3 => text.insert_str(from, self.pick(pieces)),
                _ => text.truncate(to),
            }
        }
        text
    }

    fn place(&mut self, text: &str) -> usize {
        let at = self.below(text.len() + 1);
        (0..=at).rev().find(|at| text.is_char_boundary(*at)).unwrap_or(0)
    }
}
