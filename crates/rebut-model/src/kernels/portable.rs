//! Every kernel in plain Rust.
//!
//! Functions with `FUSED` are compiled several times: with the instructions that multiply and add in one step where the
//! processor has them, without elsewhere, because there a fused step is a slow call.

#![expect(clippy::inline_always, reason = "only what is inlined is compiled for its caller's instructions")]

use super::{EIGHT_LINES, FOUR_LINES, GROUP, Inputs, Left, Line, WIDE};
use crate::quant::{BLOCK, half_to_single, single_to_half};

#[inline(always)]
fn multiply_add<const FUSED: bool>(a: f32, b: f32, c: f32) -> f32 {
    if FUSED { a.mul_add(b, c) } else { a * b + c }
}

#[expect(clippy::cast_precision_loss, reason = "a block's product fits")]
pub(super) fn four(group: &[Line], inputs: &Inputs, from: usize, out: &mut [[f32; GROUP]]) {
    let blocks = inputs.blocks();
    out.fill([0.0; GROUP]);
    for (block, lines) in group.chunks_exact(FOUR_LINES).enumerate() {
        // Unpacked once for all tokens.
        let about: [f32; GROUP * 2] = std::array::from_fn(|at| half_in(&lines[0], at));
        for (token, out) in out.iter_mut().enumerate() {
            let first = (from + token) * blocks;
            let values = &inputs.values[(first + block) * BLOCK..][..BLOCK];
            let (scale, sum) = (inputs.scales[first + block], inputs.sums[first + block]);
            // Sixteen products of a nibble and a value fit into sixteen bits; a row has four neighbours, which are added last.
            let mut sums = [0i16; 64];
            for (at, line) in lines[1..].iter().enumerate() {
                let (low, high) = (pattern(&values[at * 4..]), pattern(&values[at * 4 + 16..]));
                for (sums, bytes) in sums.chunks_exact_mut(8).zip(line.0.chunks_exact(8)) {
                    for lane in 0..8 {
                        sums[lane] += i16::from(bytes[lane] & 15) * low[lane] + i16::from(bytes[lane] >> 4) * high[lane];
                    }
                }
            }
            for (row, (out, sums)) in out.iter_mut().zip(sums.chunks_exact(4)).enumerate() {
                let product: i32 = sums.iter().map(|sum| i32::from(*sum)).sum();
                *out += product as f32 * (about[row] * scale);
                *out += about[GROUP + row] * sum;
            }
        }
    }
}

/// Four values twice, as they meet two rows of a line.
#[inline]
fn pattern(values: &[i8]) -> [i16; 8] {
    std::array::from_fn(|lane| i16::from(values[lane % 4]))
}

#[expect(clippy::cast_precision_loss, reason = "a block's product fits")]
pub(super) fn eight(group: &[Line], inputs: &Inputs, from: usize, out: &mut [[f32; GROUP]]) {
    let blocks = inputs.blocks();
    for (token, out) in out.iter_mut().enumerate() {
        *out = [0.0; GROUP];
        let first = (from + token) * blocks;
        for (block, lines) in group.chunks_exact(EIGHT_LINES).enumerate() {
            let values = &inputs.values[(first + block) * BLOCK..][..BLOCK];
            let mut sums = [0i32; 64];
            for (at, line) in lines[1..].iter().enumerate() {
                let pattern = pattern(&values[at * 4..]);
                for (sums, bytes) in sums.chunks_exact_mut(8).zip(line.0.chunks_exact(8)) {
                    for lane in 0..8 {
                        // The product of a byte and a value fits into sixteen bits once the 128 is taken out again.
                        sums[lane] += i32::from((i16::from(bytes[lane]) - 128) * pattern[lane]);
                    }
                }
            }
            for (row, (out, sums)) in out.iter_mut().zip(sums.chunks_exact(4)).enumerate() {
                let product: i32 = sums.iter().sum();
                *out += product as f32 * (single_in(&lines[0], row) * inputs.scales[first + block]);
            }
        }
    }
}

/// The half-precision number at this place in a line.
pub(crate) fn half_in(line: &Line, at: usize) -> f32 {
    half_to_single(u16::from_le_bytes([line.0[at * 2], line.0[at * 2 + 1]]))
}

/// The single-precision number at this place in a line.
pub(crate) fn single_in(line: &Line, at: usize) -> f32 {
    f32::from_le_bytes([line.0[at * 4], line.0[at * 4 + 1], line.0[at * 4 + 2], line.0[at * 4 + 3]])
}

pub(super) fn product(left: Left<'_>, right: &[f32], stride: usize, out: &mut [[f32; WIDE]]) {
    for (row, out) in out.iter_mut().take(left.rows).enumerate() {
        for at in 0..left.depth {
            let factor = left.numbers[row * left.stride + at];
            for (out, number) in out.iter_mut().zip(&right[at * stride..][..WIDE]) {
                *out += factor * number;
            }
        }
    }
}

pub(super) fn halves_to_singles(halves: &[u16], out: &mut [f32]) {
    for (out, &half) in out.iter_mut().zip(halves) {
        *out = half_to_single(half);
    }
}

pub(super) fn singles_to_halves(singles: &[f32], out: &mut [u16]) {
    for (out, &single) in out.iter_mut().zip(singles) {
        *out = single_to_half(single);
    }
}

/// Adding this number rounds to whole numbers, and leaves them in the lowest bits.
const ROUNDER: f32 = 12_582_912.0;

#[inline(always)]
#[expect(clippy::cast_possible_truncation, clippy::cast_precision_loss, reason = "values lie between -127 and 127")]
pub(super) fn round<const FUSED: bool>(
    singles: &[f32],
    values: &mut [i8],
    scales: &mut [f32],
    sums: &mut [f32],
    offsets: &mut [i32],
) {
    let blocks = singles.chunks_exact(BLOCK).zip(values.chunks_exact_mut(BLOCK));
    let about = scales.iter_mut().zip(sums.iter_mut()).zip(offsets.iter_mut());
    for ((singles, values), ((scale, total), offset)) in blocks.zip(about) {
        let mut largest = [0f32; 8];
        for eight in singles.chunks_exact(8) {
            for (largest, single) in largest.iter_mut().zip(eight) {
                let magnitude = single.abs();
                *largest = if magnitude > *largest { magnitude } else { *largest };
            }
        }
        let largest = largest.into_iter().fold(0f32, f32::max);
        *scale = largest / 127.0;
        let inverse = if largest > 0.0 { 127.0 / largest } else { 0.0 };
        let mut sum = 0i32;
        for (value, single) in values.iter_mut().zip(singles) {
            let rounded = (single * inverse + ROUNDER).to_bits() as i8;
            *value = rounded;
            sum += i32::from(rounded);
        }
        *total = *scale * sum as f32;
        *offset = -128 * sum;
    }
}

#[inline(always)]
#[expect(clippy::cast_precision_loss, reason = "widths are small numbers")]
pub(super) fn root_mean_square<const FUSED: bool>(numbers: &[f32], weights: &[f32], epsilon: f32, out: &mut [f32]) {
    let mut sums = [0f32; 16];
    let chunks = numbers.chunks_exact(16);
    let mut rest = 0.0;
    for number in chunks.remainder() {
        rest += number * number;
    }
    for sixteen in chunks {
        for (sum, number) in sums.iter_mut().zip(sixteen) {
            *sum = multiply_add::<FUSED>(*number, *number, *sum);
        }
    }
    let mean = (sums.iter().sum::<f32>() + rest) / numbers.len() as f32;
    let factor = 1.0 / (mean + epsilon).sqrt();
    for ((out, number), weight) in out.iter_mut().zip(numbers).zip(weights) {
        *out = number * factor * weight;
    }
}

#[inline(always)]
pub(super) fn gated<const FUSED: bool>(gate: &mut [f32], up: &[f32]) {
    for (gate, up) in gate.iter_mut().zip(up) {
        *gate = *gate / (1.0 + exponential::<FUSED>(-*gate)) * up;
    }
}

#[inline(always)]
pub(super) fn add<const FUSED: bool>(numbers: &mut [f32], others: &[f32]) {
    for (number, other) in numbers.iter_mut().zip(others) {
        *number += other;
    }
}

#[inline(always)]
pub(super) fn scale<const FUSED: bool>(numbers: &mut [f32], factor: f32) {
    for number in numbers {
        *number *= factor;
    }
}

#[inline(always)]
pub(super) fn exponentials<const FUSED: bool>(scores: &mut [f32; WIDE], largest: f32) -> f32 {
    let mut sums = [0f32; 16];
    for sixteen in scores.chunks_exact_mut(16) {
        for (sum, score) in sums.iter_mut().zip(sixteen) {
            *score = exponential::<FUSED>(*score - largest);
            *sum += *score;
        }
    }
    sums.iter().sum()
}

/// The exponential function to about seven digits; below the smallest normal number it is nothing.
#[inline(always)]
#[expect(clippy::excessive_precision, reason = "the polynomial's coefficients as they are published")]
pub(crate) fn exponential<const FUSED: bool>(x: f32) -> f32 {
    let held = if x < 88.0 { x } else { 88.0 };
    let shifted = multiply_add::<FUSED>(held, std::f32::consts::LOG2_E, ROUNDER);
    let whole = shifted - ROUNDER;
    let rest = multiply_add::<FUSED>(whole, -0.693_359_375, held);
    let rest = multiply_add::<FUSED>(whole, 2.121_944_4e-4, rest);
    let mut polynomial = 1.987_569_15e-4;
    for coefficient in [1.398_199_950_7e-3, 8.333_451_907_3e-3, 4.166_579_589_4e-2, 1.666_666_545_9e-1, 5.000_000_120_1e-1] {
        polynomial = multiply_add::<FUSED>(polynomial, rest, coefficient);
    }
    let value = multiply_add::<FUSED>(polynomial * rest, rest, rest) + 1.0;
    let power = f32::from_bits(shifted.to_bits().wrapping_add(127) << 23);
    if x < -87.0 { 0.0 } else { value * power }
}
