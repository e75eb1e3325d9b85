//! Every kernel in plain Rust.
//!
//! Functions with `FMA` are also compiled for processors with fused multiply-add; elsewhere `mul_add` is a slow call.

#![expect(clippy::inline_always, reason = "only what is inlined is compiled for its caller's instructions")]

use super::{Activations, CacheLine, GROUP, Left, Q4_LINES, Q8_LINES, TILE_COLUMNS};
use crate::f16;
use crate::quant::BLOCK;

#[inline(always)]
fn multiply_add<const FMA: bool>(a: f32, b: f32, c: f32) -> f32 {
    if FMA { a.mul_add(b, c) } else { a * b + c }
}

#[expect(clippy::cast_precision_loss, reason = "a block's product fits")]
pub(super) fn matmul_q4(group: &[CacheLine], x: &Activations, from: usize, out: &mut [[f32; GROUP]]) {
    let blocks = x.blocks_per_token();
    out.fill([0.0; GROUP]);
    for (block, lines) in group.chunks_exact(Q4_LINES).enumerate() {
        let scales_and_mins: [f32; GROUP * 2] = std::array::from_fn(|at| f16_in(&lines[0], at));
        for (token, out) in out.iter_mut().enumerate() {
            let first = (from + token) * blocks;
            let quants = &x.quants[(first + block) * BLOCK..][..BLOCK];
            let (scale, sum) = (x.scales[first + block], x.sums[first + block]);
            // Sixteen products of a nibble and a quant fit into sixteen bits. A row has four sums, which are added last.
            let mut sums = [0i16; 64];
            for (at, line) in lines[1..].iter().enumerate() {
                let (low, high) = (repeat(&quants[at * 4..]), repeat(&quants[at * 4 + 16..]));
                for (sums, bytes) in sums.chunks_exact_mut(8).zip(line.0.chunks_exact(8)) {
                    for lane in 0..8 {
                        sums[lane] += i16::from(bytes[lane] & 15) * low[lane] + i16::from(bytes[lane] >> 4) * high[lane];
                    }
                }
            }
            for (row, (out, sums)) in out.iter_mut().zip(sums.chunks_exact(4)).enumerate() {
                let product: i32 = sums.iter().map(|sum| i32::from(*sum)).sum();
                *out += product as f32 * (scales_and_mins[row] * scale);
                *out += scales_and_mins[GROUP + row] * sum;
            }
        }
    }
}

/// Four quants twice: eight bytes of a line have four quants of two rows.
#[inline]
fn repeat(quants: &[i8]) -> [i16; 8] {
    std::array::from_fn(|lane| i16::from(quants[lane % 4]))
}

#[expect(clippy::cast_precision_loss, reason = "a block's product fits")]
pub(super) fn matmul_q8(group: &[CacheLine], x: &Activations, from: usize, out: &mut [[f32; GROUP]]) {
    let blocks = x.blocks_per_token();
    for (token, out) in out.iter_mut().enumerate() {
        *out = [0.0; GROUP];
        let first = (from + token) * blocks;
        for (block, lines) in group.chunks_exact(Q8_LINES).enumerate() {
            let quants = &x.quants[(first + block) * BLOCK..][..BLOCK];
            let mut sums = [0i32; 64];
            for (at, line) in lines[1..].iter().enumerate() {
                let repeated = repeat(&quants[at * 4..]);
                for (sums, bytes) in sums.chunks_exact_mut(8).zip(line.0.chunks_exact(8)) {
                    for lane in 0..8 {
                        // The product fits into sixteen bits once the 128 is subtracted.
                        sums[lane] += i32::from((i16::from(bytes[lane]) - 128) * repeated[lane]);
                    }
                }
            }
            for (row, (out, sums)) in out.iter_mut().zip(sums.chunks_exact(4)).enumerate() {
                let product: i32 = sums.iter().sum();
                *out += product as f32 * (f32_in(&lines[0], row) * x.scales[first + block]);
            }
        }
    }
}

pub(crate) fn f16_in(line: &CacheLine, at: usize) -> f32 {
    f16::f16_to_f32(u16::from_le_bytes([line.0[at * 2], line.0[at * 2 + 1]]))
}

pub(crate) fn f32_in(line: &CacheLine, at: usize) -> f32 {
    f32::from_le_bytes([line.0[at * 4], line.0[at * 4 + 1], line.0[at * 4 + 2], line.0[at * 4 + 3]])
}

pub(super) fn matmul_f32(left: Left<'_>, right: &[f32], stride: usize, out: &mut [[f32; TILE_COLUMNS]]) {
    for (row, out) in out.iter_mut().take(left.rows).enumerate() {
        for at in 0..left.depth {
            let factor = left.values[row * left.stride + at];
            for (out, value) in out.iter_mut().zip(&right[at * stride..][..TILE_COLUMNS]) {
                *out += factor * value;
            }
        }
    }
}

pub(super) fn f16_to_f32(halves: &[u16], out: &mut [f32]) {
    for (out, &half) in out.iter_mut().zip(halves) {
        *out = f16::f16_to_f32(half);
    }
}

pub(super) fn f32_to_f16(values: &[f32], out: &mut [u16]) {
    for (out, &value) in out.iter_mut().zip(values) {
        *out = f16::f32_to_f16(value);
    }
}

/// Adding it to a value rounds to an integer, which is then in the lowest bits.
const ROUNDER: f32 = 12_582_912.0;

#[inline(always)]
#[expect(clippy::cast_possible_truncation, clippy::cast_precision_loss, reason = "quants lie between -127 and 127")]
pub(super) fn quantize<const FMA: bool>(
    values: &[f32],
    quants: &mut [i8],
    scales: &mut [f32],
    sums: &mut [f32],
    offsets: &mut [i32],
) {
    let blocks = values.chunks_exact(BLOCK).zip(quants.chunks_exact_mut(BLOCK));
    let results = scales.iter_mut().zip(sums.iter_mut()).zip(offsets.iter_mut());
    for ((values, quants), ((scale, total), offset)) in blocks.zip(results) {
        let mut max = [0f32; 8];
        for eight in values.chunks_exact(8) {
            for (max, value) in max.iter_mut().zip(eight) {
                let magnitude = value.abs();
                *max = if magnitude > *max { magnitude } else { *max };
            }
        }
        let max = max.into_iter().fold(0f32, f32::max);
        *scale = max / 127.0;
        let inverse = if max > 0.0 { 127.0 / max } else { 0.0 };
        let mut sum = 0i32;
        for (quant, value) in quants.iter_mut().zip(values) {
            let rounded = (value * inverse + ROUNDER).to_bits() as i8;
            *quant = rounded;
            sum += i32::from(rounded);
        }
        *total = *scale * sum as f32;
        *offset = -128 * sum;
    }
}

#[inline(always)]
#[expect(clippy::cast_precision_loss, reason = "widths are small numbers")]
pub(super) fn rms_norm<const FMA: bool>(values: &[f32], weights: &[f32], eps: f32, out: &mut [f32]) {
    let mut sums = [0f32; 16];
    let chunks = values.chunks_exact(16);
    let mut rest = 0.0;
    for value in chunks.remainder() {
        rest += value * value;
    }
    for sixteen in chunks {
        for (sum, value) in sums.iter_mut().zip(sixteen) {
            *sum = multiply_add::<FMA>(*value, *value, *sum);
        }
    }
    let mean = (sums.iter().sum::<f32>() + rest) / values.len() as f32;
    let factor = 1.0 / (mean + eps).sqrt();
    for ((out, value), weight) in out.iter_mut().zip(values).zip(weights) {
        *out = value * factor * weight;
    }
}

#[inline(always)]
pub(super) fn swiglu<const FMA: bool>(gate: &mut [f32], up: &[f32]) {
    for (gate, up) in gate.iter_mut().zip(up) {
        *gate = *gate / (1.0 + exp::<FMA>(-*gate)) * up;
    }
}

#[inline(always)]
pub(super) fn add<const FMA: bool>(values: &mut [f32], others: &[f32]) {
    for (value, other) in values.iter_mut().zip(others) {
        *value += other;
    }
}

#[inline(always)]
pub(super) fn scale<const FMA: bool>(values: &mut [f32], factor: f32) {
    for value in values {
        *value *= factor;
    }
}

#[inline(always)]
pub(super) fn softmax_terms<const FMA: bool>(scores: &mut [f32; TILE_COLUMNS], max: f32) -> f32 {
    let mut sums = [0f32; 16];
    for sixteen in scores.chunks_exact_mut(16) {
        for (sum, score) in sums.iter_mut().zip(sixteen) {
            *score = exp::<FMA>(*score - max);
            *sum += *score;
        }
    }
    sums.iter().sum()
}

/// `e^x` to about seven digits; results below the smallest normal value are 0.
#[inline(always)]
#[expect(clippy::excessive_precision, reason = "the polynomial's coefficients as they are published")]
pub(crate) fn exp<const FMA: bool>(x: f32) -> f32 {
    let x_max = if x < 88.0 { x } else { 88.0 };
    let shifted = multiply_add::<FMA>(x_max, std::f32::consts::LOG2_E, ROUNDER);
    let integer = shifted - ROUNDER;
    let rest = multiply_add::<FMA>(integer, -0.693_359_375, x_max);
    let rest = multiply_add::<FMA>(integer, 2.121_944_4e-4, rest);
    let mut polynomial = 1.987_569_15e-4;
    for coefficient in [1.398_199_950_7e-3, 8.333_451_907_3e-3, 4.166_579_589_4e-2, 1.666_666_545_9e-1, 5.000_000_120_1e-1] {
        polynomial = multiply_add::<FMA>(polynomial, rest, coefficient);
    }
    let value = multiply_add::<FMA>(polynomial * rest, rest, rest) + 1.0;
    let power = f32::from_bits(shifted.to_bits().wrapping_add(127) << 23);
    if x < -87.0 { 0.0 } else { value * power }
}
