//! AVX2 and AVX-512 VNNI. The only file with intrinsics.
//!
//! `unsafe` has two reasons here. A function with target features may only be called where the processor has them: each is
//! called through a [`super::Simd`] above `Portable`, which exists only after `has_avx2` or `has_avx512` returned true. And
//! loads through pointers must stay inside their slices: every entry asserts the lengths that its loops read.
#![expect(unsafe_code, reason = "intrinsics, after run-time detection and with asserted lengths")]
#![expect(clippy::cast_ptr_alignment, reason = "unaligned loads are used wherever alignment is not that of a cache line")]

#[allow(clippy::wildcard_imports, reason = "the intrinsics' names are distinctive")]
use std::arch::x86_64::*;

use super::{Activations, CacheLine, GROUP, Left, Q4_LINES, Q8_LINES, TILE_COLUMNS, portable};
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

/// Compiles what `kernel` inlines for wider instructions.
macro_rules! with_features {
    ($name:ident, $features:literal) => {
        pub(super) fn $name<R>(kernel: impl FnOnce() -> R) -> R {
            #[target_feature(enable = $features)]
            fn inner<R>(kernel: impl FnOnce() -> R) -> R {
                kernel()
            }
            // SAFETY: the processor has the features.
            unsafe { inner(kernel) }
        }
    };
}

with_features!(with_avx512, "avx512f,avx512bw,avx512dq,avx512vl,avx512vnni,avx2,fma,f16c");
with_features!(with_avx2, "avx2,fma,f16c");

/// Pointers to the quantized activations of some tokens.
struct Tokens {
    quants: *const i8,
    scales: *const f32,
    sums: *const f32,
    offsets: *const i32,
    blocks: usize,
}

impl Tokens {
    /// The tokens from `first` on.
    ///
    /// SAFETY: the caller has asserted that these tokens are there.
    unsafe fn new(x: &Activations, first: usize) -> Self {
        let blocks = x.blocks_per_token();
        let skip = first * blocks;
        unsafe {
            Self {
                quants: x.quants.as_ptr().add(skip * BLOCK),
                scales: x.scales.as_ptr().add(skip),
                sums: x.sums.as_ptr().add(skip),
                offsets: x.offsets.as_ptr().add(skip),
                blocks,
            }
        }
    }
}

/// An entry that asserts lengths and passes as many tokens at a time as the kernel has registers for.
macro_rules! in_tiles {
    ($name:ident, $lines:expr, [$($tile:literal),*], |$t:ident| $kernel:expr) => {
        pub(super) fn $name(group: &[CacheLine], x: &Activations, from: usize, out: &mut [[f32; GROUP]]) {
            let (blocks, end) = (x.blocks_per_token(), (from + out.len()) * x.blocks_per_token());
            assert!(group.len() >= blocks * $lines && x.quants.len() >= end * BLOCK);
            assert!(x.scales.len() >= end && x.sums.len() >= end && x.offsets.len() >= end);
            let mut done = 0;
            $(
                while out.len() - done >= $tile {
                    const $t: usize = $tile;
                    // SAFETY: the processor has the features, and the lengths are asserted above.
                    unsafe { $kernel(group.as_ptr(), &Tokens::new(x, from + done), &mut out[done..done + $tile]) };
                    done += $tile;
                }
            )*
        }
    };
}

in_tiles!(q4_avx512, Q4_LINES, [8, 4, 2, 1], |T| quantized_512::<T, true>);
in_tiles!(q8_avx512, Q8_LINES, [8, 4, 2, 1], |T| quantized_512::<T, false>);
in_tiles!(q4_avx2, Q4_LINES, [4, 2, 1], |T| q4_256::<T>);
in_tiles!(q8_avx2, Q8_LINES, [4, 2, 1], |T| q8_256::<T>);

#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,avx512vnni,avx2,fma,f16c")]
unsafe fn quantized_512<const T: usize, const Q4: bool>(group: *const CacheLine, x: &Tokens, out: &mut [[f32; GROUP]]) {
    let low = _mm512_set1_epi8(15);
    let mut totals = [_mm512_setzero_ps(); T];
    unsafe {
        for block in 0..x.blocks {
            let lines = group.add(block * if Q4 { Q4_LINES } else { Q8_LINES }).cast::<__m512i>();
            let first_line = _mm512_load_si512(lines);
            let mut mins = _mm512_setzero_ps();
            let mut scales = _mm512_castsi512_ps(first_line);
            let mut weights = [_mm512_setzero_si512(); 8];
            if Q4 {
                scales = _mm512_cvtph_ps(_mm512_castsi512_si256(first_line));
                mins = _mm512_cvtph_ps(_mm512_extracti64x4_epi64::<1>(first_line));
                for at in 0..4 {
                    let both = _mm512_load_si512(lines.add(1 + at));
                    weights[at] = _mm512_and_si512(both, low);
                    weights[at + 4] = _mm512_and_si512(_mm512_srli_epi16::<4>(both), low);
                }
            } else {
                for (at, weights) in weights.iter_mut().enumerate() {
                    *weights = _mm512_load_si512(lines.add(1 + at));
                }
            }
            for (token, total) in totals.iter_mut().enumerate() {
                let place = token * x.blocks + block;
                let quants = x.quants.add(place * BLOCK).cast::<i32>();
                let offset = if Q4 { 0 } else { *x.offsets.add(place) };
                let mut first = _mm512_set1_epi32(offset);
                let mut second = _mm512_setzero_si512();
                for at in 0..4 {
                    first = _mm512_dpbusd_epi32(first, weights[at], _mm512_set1_epi32(quants.add(at).read_unaligned()));
                    let later = _mm512_set1_epi32(quants.add(at + 4).read_unaligned());
                    second = _mm512_dpbusd_epi32(second, weights[at + 4], later);
                }
                let product = _mm512_cvtepi32_ps(_mm512_add_epi32(first, second));
                let scale = _mm512_mul_ps(scales, _mm512_set1_ps(*x.scales.add(place)));
                *total = _mm512_fmadd_ps(product, scale, *total);
                if Q4 {
                    *total = _mm512_fmadd_ps(mins, _mm512_set1_ps(*x.sums.add(place)), *total);
                }
            }
        }
        for (out, total) in out.iter_mut().zip(totals) {
            _mm512_storeu_ps(out.as_mut_ptr(), total);
        }
    }
}

/// The sixteen rows of a group are two halves of eight. Sixteen products of a nibble and a quant fit into sixteen bits.
#[target_feature(enable = "avx2,fma,f16c")]
unsafe fn q4_256<const T: usize>(group: *const CacheLine, x: &Tokens, out: &mut [[f32; GROUP]]) {
    let low = _mm256_set1_epi8(15);
    let ones = _mm256_set1_epi16(1);
    unsafe {
        for half in 0..2 {
            let mut totals = [_mm256_setzero_ps(); T];
            for block in 0..x.blocks {
                let lines = group.add(block * Q4_LINES).cast::<__m256i>();
                let first_line = lines.cast::<__m128i>();
                let scales = _mm256_cvtph_ps(_mm_load_si128(first_line.add(half)));
                let mins = _mm256_cvtph_ps(_mm_load_si128(first_line.add(2 + half)));
                let mut weights = [_mm256_setzero_si256(); 8];
                for at in 0..4 {
                    let both = _mm256_load_si256(lines.add((1 + at) * 2 + half));
                    weights[at] = _mm256_and_si256(both, low);
                    weights[at + 4] = _mm256_and_si256(_mm256_srli_epi16::<4>(both), low);
                }
                for (token, total) in totals.iter_mut().enumerate() {
                    let place = token * x.blocks + block;
                    let quants = x.quants.add(place * BLOCK).cast::<i32>();
                    let mut pairs = _mm256_setzero_si256();
                    for (at, weights) in weights.iter().enumerate() {
                        let quant = _mm256_set1_epi32(quants.add(at).read_unaligned());
                        pairs = _mm256_add_epi16(pairs, _mm256_maddubs_epi16(*weights, quant));
                    }
                    let product = _mm256_cvtepi32_ps(_mm256_madd_epi16(pairs, ones));
                    let scale = _mm256_mul_ps(scales, _mm256_set1_ps(*x.scales.add(place)));
                    *total = _mm256_fmadd_ps(product, scale, *total);
                    *total = _mm256_fmadd_ps(mins, _mm256_set1_ps(*x.sums.add(place)), *total);
                }
            }
            for (out, total) in out.iter_mut().zip(totals) {
                _mm256_storeu_ps(out.as_mut_ptr().add(half * 8), total);
            }
        }
    }
}

/// AVX2 cannot multiply signed bytes, so the sign of the quant moves to the weight: neither is ever -128.
#[target_feature(enable = "avx2,fma,f16c")]
unsafe fn q8_256<const T: usize>(group: *const CacheLine, x: &Tokens, out: &mut [[f32; GROUP]]) {
    let ones = _mm256_set1_epi16(1);
    let middle = _mm256_set1_epi8(i8::MIN);
    unsafe {
        for half in 0..2 {
            let mut totals = [_mm256_setzero_ps(); T];
            for block in 0..x.blocks {
                let lines = group.add(block * Q8_LINES).cast::<__m256i>();
                let scales = _mm256_castsi256_ps(_mm256_load_si256(lines.add(half)));
                let mut products = [_mm256_setzero_si256(); T];
                for at in 0..8 {
                    let weights = _mm256_xor_si256(_mm256_load_si256(lines.add((1 + at) * 2 + half)), middle);
                    for (token, product) in products.iter_mut().enumerate() {
                        let quants = x.quants.add((token * x.blocks + block) * BLOCK).cast::<i32>();
                        let quant = _mm256_set1_epi32(quants.add(at).read_unaligned());
                        let pairs = _mm256_maddubs_epi16(_mm256_abs_epi8(quant), _mm256_sign_epi8(weights, quant));
                        *product = _mm256_add_epi32(*product, _mm256_madd_epi16(pairs, ones));
                    }
                }
                for (token, total) in totals.iter_mut().enumerate() {
                    let scale = *x.scales.add(token * x.blocks + block);
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

/// An f32 kernel that works on two registers of `$lanes` columns at a time. [`super::matmul_f32`] has asserted the lengths.
macro_rules! matmul_f32 {
    ($name:ident, $features:literal, $lanes:literal, $zero:ident, $load:ident, $broadcast:ident, $fmadd:ident, $store:ident) => {
        pub(super) fn $name(left: Left<'_>, right: &[f32], stride: usize, out: &mut [[f32; TILE_COLUMNS]]) {
            #[target_feature(enable = $features)]
            unsafe fn rows<const R: usize>(
                left: Left<'_>,
                right: *const f32,
                stride: usize,
                out: &mut [[f32; TILE_COLUMNS]],
            ) {
                let values = left.values.as_ptr();
                for column in (0..TILE_COLUMNS).step_by(2 * $lanes) {
                    let mut totals = [[$zero(); 2]; R];
                    unsafe {
                        for (total, out) in totals.iter_mut().zip(out.iter()) {
                            let out = out.as_ptr().add(column);
                            *total = [$load(out), $load(out.add($lanes))];
                        }
                        for at in 0..left.depth {
                            let row = right.add(at * stride + column);
                            let (first, second) = ($load(row), $load(row.add($lanes)));
                            for (place, total) in totals.iter_mut().enumerate() {
                                let factor = $broadcast(*values.add(place * left.stride + at));
                                total[0] = $fmadd(factor, first, total[0]);
                                total[1] = $fmadd(factor, second, total[1]);
                            }
                        }
                        for (total, out) in totals.iter().zip(out.iter_mut()) {
                            let out = out.as_mut_ptr().add(column);
                            $store(out, total[0]);
                            $store(out.add($lanes), total[1]);
                        }
                    }
                }
            }
            let right = right.as_ptr();
            // SAFETY: the processor has the features, and the caller has asserted the lengths.
            unsafe {
                match left.rows {
                    1 => rows::<1>(left, right, stride, out),
                    2 => rows::<2>(left, right, stride, out),
                    3 => rows::<3>(left, right, stride, out),
                    _ => rows::<4>(left, right, stride, out),
                }
            }
        }
    };
}

matmul_f32! {
    f32_avx512, "avx512f,avx512bw,avx512dq,avx512vl,avx512vnni,avx2,fma,f16c", 16,
    _mm512_setzero_ps, _mm512_loadu_ps, _mm512_set1_ps, _mm512_fmadd_ps, _mm512_storeu_ps
}
matmul_f32! {
    f32_avx2, "avx2,fma,f16c", 8,
    _mm256_setzero_ps, _mm256_loadu_ps, _mm256_set1_ps, _mm256_fmadd_ps, _mm256_storeu_ps
}

/// Converts `$lanes` values at a time, and the rest with the portable kernel.
macro_rules! conversion {
    ($name:ident, $features:literal, $portable:ident, $from:ty => $to:ty, $lanes:literal, |$in:ident, $out:ident| $convert:expr) => {
        pub(super) fn $name(values: &[$from], out: &mut [$to]) {
            #[target_feature(enable = $features)]
            fn convert(values: &[[$from; $lanes]], out: &mut [[$to; $lanes]]) {
                for (values, out) in values.iter().zip(out) {
                    let ($in, $out) = (values.as_ptr(), out.as_mut_ptr());
                    // SAFETY: both arrays have `$lanes` elements.
                    unsafe { $convert };
                }
            }
            let (chunks, rest) = values.as_chunks();
            let (out_chunks, out_rest) = out.as_chunks_mut();
            // SAFETY: the processor has the features.
            unsafe { convert(chunks, out_chunks) };
            portable::$portable(rest, out_rest);
        }
    };
}

conversion!(f16_to_f32_avx512, "avx512f,avx512vl,f16c", f16_to_f32, u16 => f32, 16, |halves, out| {
    _mm512_storeu_ps(out, _mm512_cvtph_ps(_mm256_loadu_si256(halves.cast())));
});
conversion!(f16_to_f32_avx2, "avx2,f16c", f16_to_f32, u16 => f32, 8, |halves, out| {
    _mm256_storeu_ps(out, _mm256_cvtph_ps(_mm_loadu_si128(halves.cast())));
});
conversion!(f32_to_f16_avx2, "avx2,f16c", f32_to_f16, f32 => u16, 8, |values, out| {
    _mm_storeu_si128(out.cast(), _mm256_cvtps_ph::<_MM_FROUND_TO_NEAREST_INT>(_mm256_loadu_ps(values)));
});
