//! The inner loops, chosen when the program runs by what the processor can do. Knows nothing of models.
//!
//! Weights lie as their [`crate::matrix`] has packed them, inputs are [`Inputs`]: numbers as they are, and rounded to eight
//! bits in blocks of 32. Every kernel adds in the same order however many tokens it is given at once, so that a token's
//! numbers do not depend on its neighbours in a batch.
//!
//! | file | what |
//! |---|---|
//! | `portable.rs` | every loop in plain Rust: what other processors run, and what the rest is tested against |
//! | `x86.rs` | AVX2 and AVX-512 VNNI: the one file with intrinsics |

pub(crate) mod portable;
#[cfg(target_arch = "x86_64")]
mod x86;

use crate::quant::BLOCK;

/// Which instructions of the processor are used.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Level {
    /// What every processor of the compiler's target has.
    Portable,
    /// AVX2 with FMA and F16C: x86 since about 2013.
    Avx2,
    /// AVX-512 with VNNI.
    Avx512,
}

impl Level {
    /// The best that this processor can do.
    pub(crate) fn detect() -> Self {
        #[cfg(target_arch = "x86_64")]
        {
            if x86::has_avx512() {
                return Self::Avx512;
            }
            if x86::has_avx2() {
                return Self::Avx2;
            }
        }
        Self::Portable
    }

    /// The name that people know it by.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Portable => "portable",
            Self::Avx2 => "AVX2",
            Self::Avx512 => "AVX-512 VNNI",
        }
    }

    /// Every level that this processor can do.
    #[cfg(test)]
    pub(crate) fn all() -> Vec<Self> {
        [Self::Portable, Self::Avx2, Self::Avx512].into_iter().filter(|&level| level <= Self::detect()).collect()
    }
}

/// Sixty-four bytes that begin where a cache line does.
#[derive(Debug, Clone, Copy)]
#[repr(C, align(64))]
pub(crate) struct Line(pub(crate) [u8; 64]);

/// How many rows of weights lie beside each other in the packed forms.
pub(crate) const GROUP: usize = 16;
/// Lines of a group's block in four bits: 16 scales and 16 smallest values in half precision, then 4 lines of nibbles.
/// Line `1 + n` has for each row 4 bytes: values `4n..4n+4` in the low nibbles, `4n+16..4n+20` in the high ones.
pub(crate) const FOUR_LINES: usize = 5;
/// Lines of a group's block in eight bits: 16 scales in single precision, then 8 lines; line `1 + n` has for each row the
/// values `4n..4n+4`, each with 128 added.
pub(crate) const EIGHT_LINES: usize = 9;
/// How many rows lie beside each other where weights are not quantised.
pub(crate) const WIDE: usize = 32;
/// How many rows of the left side [`product`] takes at once.
pub(crate) const TALL: usize = 4;

/// Several tokens' inputs of a matrix: numbers, and the same rounded to eight bits.
#[derive(Debug, Default)]
pub(crate) struct Inputs {
    /// How many numbers a token has.
    pub(crate) width: usize,
    pub(crate) singles: Vec<f32>,
    values: Vec<i8>,
    /// For each block of 32 its scale.
    scales: Vec<f32>,
    /// For each block its scale times the sum of its values.
    sums: Vec<f32>,
    /// For each block the sum of its values times -128, which takes the 128 out again that eight-bit weights have added.
    offsets: Vec<i32>,
}

impl Inputs {
    /// Makes room for this many tokens.
    pub(crate) fn reset(&mut self, tokens: usize, width: usize) {
        self.width = width;
        let blocks = tokens * width.div_ceil(BLOCK);
        self.singles.resize(tokens * width, 0.0);
        self.values.resize(blocks * BLOCK, 0);
        self.scales.resize(blocks, 0.0);
        self.sums.resize(blocks, 0.0);
        self.offsets.resize(blocks, 0);
    }

    /// Rounds all tokens' numbers, which must have been written to `singles`.
    pub(crate) fn round(&mut self, level: Level) {
        if self.width.is_multiple_of(BLOCK) {
            round(level, &self.singles, &mut self.values, &mut self.scales, &mut self.sums, &mut self.offsets);
        }
    }

    fn blocks(&self) -> usize {
        self.width / BLOCK
    }
}

/// One group's products with the tokens `from..from + out.len()`, weights in four bits.
pub(crate) fn four(level: Level, group: &[Line], inputs: &Inputs, from: usize, out: &mut [[f32; GROUP]]) {
    match level {
        #[cfg(target_arch = "x86_64")]
        Level::Avx512 => x86::four_512(group, inputs, from, out),
        #[cfg(target_arch = "x86_64")]
        Level::Avx2 => x86::four_256(group, inputs, from, out),
        _ => portable::four(group, inputs, from, out),
    }
}

/// One group's products with the tokens `from..from + out.len()`, weights in eight bits.
pub(crate) fn eight(level: Level, group: &[Line], inputs: &Inputs, from: usize, out: &mut [[f32; GROUP]]) {
    match level {
        #[cfg(target_arch = "x86_64")]
        Level::Avx512 => x86::eight_512(group, inputs, from, out),
        #[cfg(target_arch = "x86_64")]
        Level::Avx2 => x86::eight_256(group, inputs, from, out),
        _ => portable::eight(group, inputs, from, out),
    }
}

/// The left side of [`product`]: up to four rows of `depth` numbers, each `stride` after the one before.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Left<'a> {
    pub(crate) numbers: &'a [f32],
    pub(crate) stride: usize,
    pub(crate) rows: usize,
    pub(crate) depth: usize,
}

/// Adds to `out` the product of up to four rows with a block of `depth` rows of 32 numbers, each `stride` after the last.
pub(crate) fn product(level: Level, left: Left<'_>, right: &[f32], stride: usize, out: &mut [[f32; WIDE]]) {
    assert!(left.rows <= TALL && out.len() >= left.rows);
    if left.rows == 0 || left.depth == 0 {
        return;
    }
    assert!(left.numbers.len() >= (left.rows - 1) * left.stride + left.depth);
    assert!(right.len() >= (left.depth - 1) * stride + WIDE);
    match level {
        #[cfg(target_arch = "x86_64")]
        Level::Avx512 => x86::product_512(left, right, stride, out),
        #[cfg(target_arch = "x86_64")]
        Level::Avx2 => x86::product_256(left, right, stride, out),
        _ => portable::product(left, right, stride, out),
    }
}

/// Half-precision numbers as single-precision ones.
pub(crate) fn halves_to_singles(level: Level, halves: &[u16], out: &mut [f32]) {
    assert_eq!(halves.len(), out.len());
    match level {
        #[cfg(target_arch = "x86_64")]
        Level::Avx512 => x86::halves_to_singles_512(halves, out),
        #[cfg(target_arch = "x86_64")]
        Level::Avx2 => x86::halves_to_singles_256(halves, out),
        _ => portable::halves_to_singles(halves, out),
    }
}

/// Single-precision numbers as the nearest half-precision ones.
pub(crate) fn singles_to_halves(level: Level, singles: &[f32], out: &mut [u16]) {
    assert_eq!(singles.len(), out.len());
    match level {
        #[cfg(target_arch = "x86_64")]
        Level::Avx512 | Level::Avx2 => x86::singles_to_halves(singles, out),
        _ => portable::singles_to_halves(singles, out),
    }
}

/// Loops that the compiler turns into wide instructions by itself, once it may use them.
macro_rules! widened {
    ($($(#[$about:meta])* $name:ident($($argument:ident: $kind:ty),*) $(-> $result:ty)?;)*) => {$(
        $(#[$about])*
        pub(crate) fn $name(level: Level, $($argument: $kind),*) $(-> $result)? {
            match level {
                #[cfg(target_arch = "x86_64")]
                Level::Avx512 => x86::avx512::$name($($argument),*),
                #[cfg(target_arch = "x86_64")]
                Level::Avx2 => x86::avx2::$name($($argument),*),
                _ => portable::$name::<false>($($argument),*),
            }
        }
    )*};
}

widened! {
    /// Rounds whole blocks of 32 numbers to eight bits: values, and for each block scale, sum and offset.
    round(singles: &[f32], values: &mut [i8], scales: &mut [f32], sums: &mut [f32], offsets: &mut [i32]);
    /// Divides by the root of the mean square and multiplies by the weights.
    root_mean_square(numbers: &[f32], weights: &[f32], epsilon: f32, out: &mut [f32]);
    /// `gate = gate / (1 + exp(-gate)) * up`
    gated(gate: &mut [f32], up: &[f32]);
    /// `numbers += others`
    add(numbers: &mut [f32], others: &[f32]);
    /// `numbers *= factor`
    scale(numbers: &mut [f32], factor: f32);
    /// Replaces scores by `exp(score - largest)` and gives their sum.
    exponentials(scores: &mut [f32; WIDE], largest: f32) -> f32;
}

#[cfg(test)]
mod tests;
