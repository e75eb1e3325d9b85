//! AVX2 and AVX-512 VNNI. The only file with intrinsics.
//!
//! `unsafe` has two reasons here. A function that uses instructions must only be called where the processor has them: each
//! is called through a function of this file that a [`super::Level`] leads to, and a level above `Portable` exists only after
//! `has_avx2` or `has_avx512` have said yes. And loads through pointers must stay inside their slices: every entry asserts
//! the lengths that its loops walk.
#![expect(unsafe_code, reason = "intrinsics, behind run-time detection and asserted lengths")]
#![expect(clippy::cast_ptr_alignment, reason = "unaligned loads are used wherever alignment is not that of a line")]

#[allow(clippy::wildcard_imports, reason = "the intrinsics' names say what they are")]
use std::arch::x86_64::*;

use super::{EIGHT_LINES, FOUR_LINES, GROUP, Inputs, Left, Line, WIDE, portable};
use crate::quant::BLOCK;

pub(super) fn has_avx2() -> bool {
    is_x86_feature_detected!("avx2") && is_x86_feature_detected!("fma") && is_x86_feature_detected!("f16c")
}

pub(super) fn has_avx512() -> bool {
    has_avx2()
        && is_x86_feature_detected!("avx512f")
        && is_x86_feature_detected!("avx512bw")
        && is_x86_feature_detected!("avx512dq")
        && is_x86_feature_detected!("avx512vl")
        && is_x86_feature_detected!("avx512vnni")
}

/// A loop of `portable.rs`, compiled for wider instructions.
macro_rules! one {
    ($features:literal, $name:ident, ($($argument:ident: $kind:ty),*), $result:ty) => {
        pub(in super::super) fn $name($($argument: $kind),*) -> $result {
            #[target_feature(enable = $features)]
            fn inner($($argument: $kind),*) -> $result {
                portable::$name::<true>($($argument),*)
            }
            // SAFETY: this level was detected; see the head of the file.
            unsafe { inner($($argument),*) }
        }
    };
}

macro_rules! widened {
    ($module:ident, $features:literal) => {
        pub(super) mod $module {
            use super::{WIDE, portable};

            one!($features, round, (
                singles: &[f32], values: &mut [i8], scales: &mut [f32], sums: &mut [f32], offsets: &mut [i32]
            ), ());
            one!($features, root_mean_square, (numbers: &[f32], weights: &[f32], epsilon: f32, out: &mut [f32]), ());
            one!($features, gated, (gate: &mut [f32], up: &[f32]), ());
            one!($features, add, (numbers: &mut [f32], others: &[f32]), ());
            one!($features, scale, (numbers: &mut [f32], factor: f32), ());
            one!($features, exponentials, (scores: &mut [f32; WIDE], largest: f32), f32);
        }
    };
}

widened!(avx2, "avx2,fma,f16c");
widened!(avx512, "avx512f,avx512bw,avx512dq,avx512vl,avx512vnni,avx2,fma,f16c");

/// What a kernel reads of several tokens' inputs; made only where all of it lies inside the slices.
struct Tokens {
    values: *const i8,
    scales: *const f32,
    sums: *const f32,
    offsets: *const i32,
    blocks: usize,
}

impl Tokens {
    /// Tokens `from..from + count` beside a group of this many lines with `each` lines a block.
    fn of(inputs: &Inputs, from: usize, count: usize, lines: usize, each: usize) -> Self {
        let blocks = inputs.blocks();
        let (first, end) = (from * blocks, (from + count) * blocks);
        assert!(lines >= blocks * each && inputs.values.len() >= end * BLOCK);
        assert!(inputs.scales.len() >= end && inputs.sums.len() >= end && inputs.offsets.len() >= end);
        Self {
            values: inputs.values[first * BLOCK..].as_ptr(),
            scales: inputs.scales[first..].as_ptr(),
            sums: inputs.sums[first..].as_ptr(),
            offsets: inputs.offsets[first..].as_ptr(),
            blocks,
        }
    }

    /// The same from a later token on.
    ///
    /// SAFETY: the caller stays within the count that `of` was given.
    unsafe fn skip(&self, tokens: usize) -> Self {
        let blocks = tokens * self.blocks;
        unsafe {
            Self {
                values: self.values.add(blocks * BLOCK),
                scales: self.scales.add(blocks),
                sums: self.sums.add(blocks),
                offsets: self.offsets.add(blocks),
                blocks: self.blocks,
            }
        }
    }
}

/// An entry that asserts lengths and gives the inner kernel eight, four, two or one token at a time.
macro_rules! in_tiles {
    ($name:ident, $inner:ident, $lines:expr, [$($tile:literal),*]) => {
        pub(super) fn $name(group: &[Line], inputs: &Inputs, from: usize, out: &mut [[f32; GROUP]]) {
            let tokens = Tokens::of(inputs, from, out.len(), group.len(), $lines);
            let mut done = 0;
            $(
                while out.len() - done >= $tile {
                    // SAFETY: this level was detected, and `Tokens::of` has asserted the lengths.
                    unsafe { $inner::<$tile>(group.as_ptr(), &tokens.skip(done), &mut out[done..done + $tile]) };
                    done += $tile;
                }
            )*
        }
    };
}

in_tiles!(four_512, four_512_tile, FOUR_LINES, [8, 4, 2, 1]);
in_tiles!(eight_512, eight_512_tile, EIGHT_LINES, [8, 4, 2, 1]);
in_tiles!(four_256, four_256_tile, FOUR_LINES, [4, 2, 1]);
in_tiles!(eight_256, eight_256_tile, EIGHT_LINES, [4, 2, 1]);

#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,avx512vnni,avx2,fma,f16c")]
unsafe fn four_512_tile<const T: usize>(group: *const Line, tokens: &Tokens, out: &mut [[f32; GROUP]]) {
    let low = _mm512_set1_epi8(15);
    let mut totals = [_mm512_setzero_ps(); T];
    unsafe {
        for block in 0..tokens.blocks {
            let lines = group.add(block * FOUR_LINES).cast::<__m512i>();
            let about = _mm512_load_si512(lines);
            let scales = _mm512_cvtph_ps(_mm512_castsi512_si256(about));
            let smallest = _mm512_cvtph_ps(_mm512_extracti64x4_epi64::<1>(about));
            let mut weights = [_mm512_setzero_si512(); 8];
            for at in 0..4 {
                let both = _mm512_load_si512(lines.add(1 + at));
                weights[at] = _mm512_and_si512(both, low);
                weights[at + 4] = _mm512_and_si512(_mm512_srli_epi16::<4>(both), low);
            }
            for (token, total) in totals.iter_mut().enumerate() {
                let place = token * tokens.blocks + block;
                let values = tokens.values.add(place * BLOCK).cast::<i32>();
                let mut first = _mm512_setzero_si512();
                let mut second = _mm512_setzero_si512();
                for at in 0..4 {
                    first = _mm512_dpbusd_epi32(first, weights[at], _mm512_set1_epi32(values.add(at).read_unaligned()));
                    let later = _mm512_set1_epi32(values.add(at + 4).read_unaligned());
                    second = _mm512_dpbusd_epi32(second, weights[at + 4], later);
                }
                let product = _mm512_cvtepi32_ps(_mm512_add_epi32(first, second));
                let scale = _mm512_mul_ps(scales, _mm512_set1_ps(*tokens.scales.add(place)));
                *total = _mm512_fmadd_ps(product, scale, *total);
                *total = _mm512_fmadd_ps(smallest, _mm512_set1_ps(*tokens.sums.add(place)), *total);
            }
        }
        for (out, total) in out.iter_mut().zip(totals) {
            _mm512_storeu_ps(out.as_mut_ptr(), total);
        }
    }
}

#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,avx512vnni,avx2,fma,f16c")]
unsafe fn eight_512_tile<const T: usize>(group: *const Line, tokens: &Tokens, out: &mut [[f32; GROUP]]) {
    let mut totals = [_mm512_setzero_ps(); T];
    unsafe {
        for block in 0..tokens.blocks {
            let lines = group.add(block * EIGHT_LINES).cast::<__m512i>();
            let scales = _mm512_castsi512_ps(_mm512_load_si512(lines));
            let mut weights = [_mm512_setzero_si512(); 8];
            for (at, weights) in weights.iter_mut().enumerate() {
                *weights = _mm512_load_si512(lines.add(1 + at));
            }
            for (token, total) in totals.iter_mut().enumerate() {
                let place = token * tokens.blocks + block;
                let values = tokens.values.add(place * BLOCK).cast::<i32>();
                let mut first = _mm512_set1_epi32(*tokens.offsets.add(place));
                let mut second = _mm512_setzero_si512();
                for at in 0..4 {
                    first = _mm512_dpbusd_epi32(first, weights[at], _mm512_set1_epi32(values.add(at).read_unaligned()));
                    let later = _mm512_set1_epi32(values.add(at + 4).read_unaligned());
                    second = _mm512_dpbusd_epi32(second, weights[at + 4], later);
                }
                let product = _mm512_cvtepi32_ps(_mm512_add_epi32(first, second));
                let scale = _mm512_mul_ps(scales, _mm512_set1_ps(*tokens.scales.add(place)));
                *total = _mm512_fmadd_ps(product, scale, *total);
            }
        }
        for (out, total) in out.iter_mut().zip(totals) {
            _mm512_storeu_ps(out.as_mut_ptr(), total);
        }
    }
}

/// A group's sixteen rows are two halves of eight. Sixteen products of a nibble and a value fit into sixteen bits.
#[target_feature(enable = "avx2,fma,f16c")]
unsafe fn four_256_tile<const T: usize>(group: *const Line, tokens: &Tokens, out: &mut [[f32; GROUP]]) {
    let low = _mm256_set1_epi8(15);
    let ones = _mm256_set1_epi16(1);
    unsafe {
        for half in 0..2 {
            let mut totals = [_mm256_setzero_ps(); T];
            for block in 0..tokens.blocks {
                let lines = group.add(block * FOUR_LINES).cast::<__m256i>();
                let halves = lines.cast::<__m128i>();
                let scales = _mm256_cvtph_ps(_mm_load_si128(halves.add(half)));
                let smallest = _mm256_cvtph_ps(_mm_load_si128(halves.add(2 + half)));
                let mut weights = [_mm256_setzero_si256(); 8];
                for at in 0..4 {
                    let both = _mm256_load_si256(lines.add((1 + at) * 2 + half));
                    weights[at] = _mm256_and_si256(both, low);
                    weights[at + 4] = _mm256_and_si256(_mm256_srli_epi16::<4>(both), low);
                }
                for (token, total) in totals.iter_mut().enumerate() {
                    let place = token * tokens.blocks + block;
                    let values = tokens.values.add(place * BLOCK).cast::<i32>();
                    let mut pairs = _mm256_setzero_si256();
                    for (at, weights) in weights.iter().enumerate() {
                        let value = _mm256_set1_epi32(values.add(at).read_unaligned());
                        pairs = _mm256_add_epi16(pairs, _mm256_maddubs_epi16(*weights, value));
                    }
                    let product = _mm256_cvtepi32_ps(_mm256_madd_epi16(pairs, ones));
                    let scale = _mm256_mul_ps(scales, _mm256_set1_ps(*tokens.scales.add(place)));
                    *total = _mm256_fmadd_ps(product, scale, *total);
                    *total = _mm256_fmadd_ps(smallest, _mm256_set1_ps(*tokens.sums.add(place)), *total);
                }
            }
            for (out, total) in out.iter_mut().zip(totals) {
                _mm256_storeu_ps(out.as_mut_ptr().add(half * 8), total);
            }
        }
    }
}

/// There is no product of signed bytes, so that the value's sign moves to the weight: neither is ever -128.
#[target_feature(enable = "avx2,fma,f16c")]
unsafe fn eight_256_tile<const T: usize>(group: *const Line, tokens: &Tokens, out: &mut [[f32; GROUP]]) {
    let ones = _mm256_set1_epi16(1);
    let middle = _mm256_set1_epi8(i8::MIN);
    unsafe {
        for half in 0..2 {
            let mut totals = [_mm256_setzero_ps(); T];
            for block in 0..tokens.blocks {
                let lines = group.add(block * EIGHT_LINES).cast::<__m256i>();
                let scales = _mm256_castsi256_ps(_mm256_load_si256(lines.add(half)));
                let mut products = [_mm256_setzero_si256(); T];
                for at in 0..8 {
                    let weights = _mm256_xor_si256(_mm256_load_si256(lines.add((1 + at) * 2 + half)), middle);
                    for (token, product) in products.iter_mut().enumerate() {
                        let values = tokens.values.add((token * tokens.blocks + block) * BLOCK).cast::<i32>();
                        let value = _mm256_set1_epi32(values.add(at).read_unaligned());
                        let pairs = _mm256_maddubs_epi16(_mm256_abs_epi8(value), _mm256_sign_epi8(weights, value));
                        *product = _mm256_add_epi32(*product, _mm256_madd_epi16(pairs, ones));
                    }
                }
                for (token, total) in totals.iter_mut().enumerate() {
                    let scale = *tokens.scales.add(token * tokens.blocks + block);
                    let scale = _mm256_mul_ps(scales, _mm256_set1_ps(scale));
                    *total = _mm256_fmadd_ps(_mm256_cvtepi32_ps(products[token]), scale, *total);
                }
            }
            for (out, total) in out.iter_mut().zip(totals) {
                _mm256_storeu_ps(out.as_mut_ptr().add(half * 8), total);
            }
        }
    }
}

/// Entries of the product kernels; [`super::product`] has asserted the lengths.
macro_rules! products {
    ($name:ident, $inner:ident) => {
        pub(super) fn $name(left: Left<'_>, right: &[f32], stride: usize, out: &mut [[f32; WIDE]]) {
            // SAFETY: this level was detected, and the caller has asserted the lengths.
            unsafe {
                match left.rows {
                    1 => $inner::<1>(left, right.as_ptr(), stride, out),
                    2 => $inner::<2>(left, right.as_ptr(), stride, out),
                    3 => $inner::<3>(left, right.as_ptr(), stride, out),
                    _ => $inner::<4>(left, right.as_ptr(), stride, out),
                }
            }
        }
    };
}

products!(product_512, product_512_rows);
products!(product_256, product_256_rows);

#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,avx512vnni,avx2,fma,f16c")]
unsafe fn product_512_rows<const R: usize>(left: Left<'_>, right: *const f32, stride: usize, out: &mut [[f32; WIDE]]) {
    let numbers = left.numbers.as_ptr();
    unsafe {
        let mut totals = [[_mm512_setzero_ps(); 2]; R];
        for (total, out) in totals.iter_mut().zip(out.iter()) {
            *total = [_mm512_loadu_ps(out.as_ptr()), _mm512_loadu_ps(out.as_ptr().add(16))];
        }
        for at in 0..left.depth {
            let row = right.add(at * stride);
            let (first, second) = (_mm512_loadu_ps(row), _mm512_loadu_ps(row.add(16)));
            for (place, total) in totals.iter_mut().enumerate() {
                let factor = _mm512_set1_ps(*numbers.add(place * left.stride + at));
                total[0] = _mm512_fmadd_ps(factor, first, total[0]);
                total[1] = _mm512_fmadd_ps(factor, second, total[1]);
            }
        }
        for (total, out) in totals.iter().zip(out) {
            _mm512_storeu_ps(out.as_mut_ptr(), total[0]);
            _mm512_storeu_ps(out.as_mut_ptr().add(16), total[1]);
        }
    }
}

#[target_feature(enable = "avx2,fma,f16c")]
unsafe fn product_256_rows<const R: usize>(left: Left<'_>, right: *const f32, stride: usize, out: &mut [[f32; WIDE]]) {
    let numbers = left.numbers.as_ptr();
    unsafe {
        for half in [0, 16] {
            let mut totals = [[_mm256_setzero_ps(); 2]; R];
            for (total, out) in totals.iter_mut().zip(out.iter()) {
                *total = [_mm256_loadu_ps(out.as_ptr().add(half)), _mm256_loadu_ps(out.as_ptr().add(half + 8))];
            }
            for at in 0..left.depth {
                let row = right.add(at * stride + half);
                let (first, second) = (_mm256_loadu_ps(row), _mm256_loadu_ps(row.add(8)));
                for (place, total) in totals.iter_mut().enumerate() {
                    let factor = _mm256_set1_ps(*numbers.add(place * left.stride + at));
                    total[0] = _mm256_fmadd_ps(factor, first, total[0]);
                    total[1] = _mm256_fmadd_ps(factor, second, total[1]);
                }
            }
            for (total, out) in totals.iter().zip(out.iter_mut()) {
                _mm256_storeu_ps(out.as_mut_ptr().add(half), total[0]);
                _mm256_storeu_ps(out.as_mut_ptr().add(half + 8), total[1]);
            }
        }
    }
}

pub(super) fn halves_to_singles_512(halves: &[u16], out: &mut [f32]) {
    #[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,avx512vnni,avx2,fma,f16c")]
    unsafe fn inner(halves: *const u16, out: *mut f32, count: usize) {
        for at in (0..count).step_by(16) {
            unsafe { _mm512_storeu_ps(out.add(at), _mm512_cvtph_ps(_mm256_loadu_si256(halves.add(at).cast()))) };
        }
    }
    let whole = halves.len() / 16 * 16;
    assert!(out.len() >= whole);
    // SAFETY: this level was detected, and both slices have `whole` numbers.
    unsafe { inner(halves.as_ptr(), out.as_mut_ptr(), whole) };
    portable::halves_to_singles(&halves[whole..], &mut out[whole..]);
}

pub(super) fn halves_to_singles_256(halves: &[u16], out: &mut [f32]) {
    #[target_feature(enable = "avx2,fma,f16c")]
    unsafe fn inner(halves: *const u16, out: *mut f32, count: usize) {
        for at in (0..count).step_by(8) {
            unsafe { _mm256_storeu_ps(out.add(at), _mm256_cvtph_ps(_mm_loadu_si128(halves.add(at).cast()))) };
        }
    }
    let whole = halves.len() / 8 * 8;
    assert!(out.len() >= whole);
    // SAFETY: this level was detected, and both slices have `whole` numbers.
    unsafe { inner(halves.as_ptr(), out.as_mut_ptr(), whole) };
    portable::halves_to_singles(&halves[whole..], &mut out[whole..]);
}

pub(super) fn singles_to_halves(singles: &[f32], out: &mut [u16]) {
    #[target_feature(enable = "avx2,fma,f16c")]
    unsafe fn inner(singles: *const f32, out: *mut u16, count: usize) {
        for at in (0..count).step_by(8) {
            unsafe {
                let halves = _mm256_cvtps_ph::<_MM_FROUND_TO_NEAREST_INT>(_mm256_loadu_ps(singles.add(at)));
                _mm_storeu_si128(out.add(at).cast(), halves);
            }
        }
    }
    let whole = singles.len() / 8 * 8;
    assert!(out.len() >= whole);
    // SAFETY: this level was detected, and both slices have `whole` numbers.
    unsafe { inner(singles.as_ptr(), out.as_mut_ptr(), whole) };
    portable::singles_to_halves(&singles[whole..], &mut out[whole..]);
}
