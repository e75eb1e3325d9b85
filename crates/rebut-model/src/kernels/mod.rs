//! The inner loops, chosen at run time by what the processor supports.
//!
//! Weights are packed as in [`crate::weights`]. Every kernel adds in the same order however many tokens it is given at once,
//! so the result of a token does not depend on the rest of its batch.
//! `portable.rs` has every kernel in plain Rust, for other processors and to test the rest against; `x86.rs` has the
//! intrinsics.

pub(crate) mod portable;
#[cfg(target_arch = "x86_64")]
mod x86;

use crate::quant::BLOCK;

/// The instruction set that the kernels use.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Simd {
    Portable,
    /// AVX2 with FMA and F16C: x86 since about 2013.
    Avx2,
    /// AVX-512 with VNNI.
    Avx512,
}

impl Simd {
    /// The best that this processor supports.
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

    #[cfg(test)]
    pub(crate) fn all_supported() -> Vec<Self> {
        [Self::Portable, Self::Avx2, Self::Avx512].into_iter().filter(|&simd| simd <= Self::detect()).collect()
    }
}

#[derive(Debug, Clone, Copy)]
#[repr(C, align(64))]
pub(crate) struct CacheLine(pub(crate) [u8; 64]);

/// Rows of quantized weights that are interleaved.
pub(crate) const GROUP: usize = 16;
/// Cache lines of a group's Q4 block: 16 scales and 16 minimums in f16, then 4 lines of nibbles. Line `1 + n` has 4 bytes
/// per row: quants `4n..4n+4` in the low nibbles, `4n+16..4n+20` in the high ones.
pub(crate) const Q4_LINES: usize = 5;
/// Cache lines of a group's Q8 block: 16 scales in f32, then 8 lines. Line `1 + n` has for each row the quants `4n..4n+4`,
/// each plus 128.
pub(crate) const Q8_LINES: usize = 9;
/// Columns of the right side and the result of [`matmul_f32`].
pub(crate) const TILE_COLUMNS: usize = 32;
/// The most rows of the left side of [`matmul_f32`].
pub(crate) const TILE_ROWS: usize = 4;

/// The activations of several tokens, in f32 and quantized to eight bits in blocks of 32.
#[derive(Default)]
pub(crate) struct Activations {
    /// Values per token.
    pub(crate) width: usize,
    pub(crate) values: Vec<f32>,
    quants: Vec<i8>,
    /// Per block.
    scales: Vec<f32>,
    /// Per block: the scale times the sum of the quants.
    sums: Vec<f32>,
    /// Per block: the sum of the quants times -128, to cancel the 128 that is added to Q8 weights.
    offsets: Vec<i32>,
}

impl Activations {
    pub(crate) fn resize(&mut self, tokens: usize, width: usize) {
        self.width = width;
        let blocks = tokens * width.div_ceil(BLOCK);
        self.values.resize(tokens * width, 0.0);
        self.quants.resize(blocks * BLOCK, 0);
        self.scales.resize(blocks, 0.0);
        self.sums.resize(blocks, 0.0);
        self.offsets.resize(blocks, 0);
    }

    /// To be called after `values` were written.
    pub(crate) fn quantize(&mut self, simd: Simd) {
        if self.width.is_multiple_of(BLOCK) {
            quantize(simd, &self.values, &mut self.quants, &mut self.scales, &mut self.sums, &mut self.offsets);
        }
    }

    pub(crate) fn tokens(&self) -> usize {
        self.values.len() / self.width
    }

    fn blocks_per_token(&self) -> usize {
        self.width / BLOCK
    }
}

/// Calls the kernel for this processor.
macro_rules! dispatch {
    ($simd:expr, $avx512:ident, $avx2:ident, $portable:ident, $arguments:tt) => {
        match $simd {
            #[cfg(target_arch = "x86_64")]
            Simd::Avx512 => x86::$avx512 $arguments,
            #[cfg(target_arch = "x86_64")]
            Simd::Avx2 => x86::$avx2 $arguments,
            _ => portable::$portable $arguments,
        }
    };
}

/// Multiplies one group of quantized weights by the tokens `from..from + out.len()`.
pub(crate) type QuantizedMatmul = fn(Simd, &[CacheLine], &Activations, usize, &mut [[f32; GROUP]]);

pub(crate) fn matmul_q4(simd: Simd, group: &[CacheLine], x: &Activations, from: usize, out: &mut [[f32; GROUP]]) {
    dispatch!(simd, q4_avx512, q4_avx2, matmul_q4, (group, x, from, out));
}

pub(crate) fn matmul_q8(simd: Simd, group: &[CacheLine], x: &Activations, from: usize, out: &mut [[f32; GROUP]]) {
    dispatch!(simd, q8_avx512, q8_avx2, matmul_q8, (group, x, from, out));
}

/// The left side of [`matmul_f32`]: up to four rows of `depth` values, `stride` apart.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Left<'a> {
    pub(crate) values: &'a [f32],
    pub(crate) stride: usize,
    pub(crate) rows: usize,
    pub(crate) depth: usize,
}

/// Adds to `out` the product of up to four rows with a tile of `depth` rows of 32 values, `stride` apart.
pub(crate) fn matmul_f32(simd: Simd, left: Left<'_>, right: &[f32], stride: usize, out: &mut [[f32; TILE_COLUMNS]]) {
    assert!(left.rows <= TILE_ROWS && out.len() >= left.rows);
    if left.rows == 0 || left.depth == 0 {
        return;
    }
    assert!(left.values.len() >= (left.rows - 1) * left.stride + left.depth);
    assert!(right.len() >= (left.depth - 1) * stride + TILE_COLUMNS);
    dispatch!(simd, f32_avx512, f32_avx2, matmul_f32, (left, right, stride, out));
}

pub(crate) fn f16_to_f32(simd: Simd, halves: &[u16], out: &mut [f32]) {
    assert_eq!(halves.len(), out.len());
    dispatch!(simd, f16_to_f32_avx512, f16_to_f32_avx2, f16_to_f32, (halves, out));
}

pub(crate) fn f32_to_f16(simd: Simd, values: &[f32], out: &mut [u16]) {
    assert_eq!(values.len(), out.len());
    dispatch!(simd, f32_to_f16_avx2, f32_to_f16_avx2, f32_to_f16, (values, out));
}

/// Kernels of `portable.rs` that the compiler vectorizes by itself once it may use wider instructions.
macro_rules! autovectorized {
    ($($(#[$doc:meta])* $name:ident($($argument:ident: $kind:ty),*) $(-> $result:ty)?;)*) => {$(
        $(#[$doc])*
        pub(crate) fn $name(simd: Simd, $($argument: $kind),*) $(-> $result)? {
            match simd {
                #[cfg(target_arch = "x86_64")]
                Simd::Avx512 => x86::with_avx512(|| portable::$name::<true>($($argument),*)),
                #[cfg(target_arch = "x86_64")]
                Simd::Avx2 => x86::with_avx2(|| portable::$name::<true>($($argument),*)),
                _ => portable::$name::<false>($($argument),*),
            }
        }
    )*};
}

autovectorized! {
    /// Quantizes whole blocks of 32 values; see [`Activations`].
    quantize(values: &[f32], quants: &mut [i8], scales: &mut [f32], sums: &mut [f32], offsets: &mut [i32]);
    rms_norm(values: &[f32], weights: &[f32], eps: f32, out: &mut [f32]);
    /// `gate = silu(gate) * up`
    swiglu(gate: &mut [f32], up: &[f32]);
    /// `values += others`
    add(values: &mut [f32], others: &[f32]);
    /// `values *= factor`
    scale(values: &mut [f32], factor: f32);
    /// Replaces scores by `exp(score - max)` and returns their sum: the numerators and the denominator of softmax.
    softmax_terms(scores: &mut [f32; TILE_COLUMNS], max: f32) -> f32;
}

#[cfg(test)]
mod tests;
