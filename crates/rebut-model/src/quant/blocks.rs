//! The blocks of each quantisation, from their bytes. Callers pass exactly one block.

use super::{BLOCK, EightBits, FourBits, half_to_single};

fn half_at(block: &[u8], at: usize) -> f32 {
    half_to_single(u16::from_le_bytes([block[at], block[at + 1]]))
}

/// Sixteen bytes hold 32 nibbles: the first half of the values in the low ones, the second in the high ones.
fn nibbles(bytes: &[u8]) -> [u8; BLOCK] {
    let mut values = [0; BLOCK];
    for (at, byte) in bytes[..16].iter().enumerate() {
        values[at] = byte & 15;
        values[at + 16] = byte >> 4;
    }
    values
}

/// Nibbles with a fifth bit each, kept in four bytes.
fn five_bits(high: &[u8], low: &[u8]) -> [u8; BLOCK] {
    let mut values = nibbles(low);
    let high = u32::from_le_bytes([high[0], high[1], high[2], high[3]]);
    for (at, value) in values.iter_mut().enumerate() {
        *value |= u8::from(high >> at & 1 == 1) << 4;
    }
    values
}

pub(super) fn q4_0(block: &[u8]) -> FourBits {
    let scale = half_at(block, 0);
    FourBits { values: nibbles(&block[2..]), scale, smallest: -8.0 * scale }
}

pub(super) fn q4_1(block: &[u8]) -> FourBits {
    FourBits { values: nibbles(&block[4..]), scale: half_at(block, 0), smallest: half_at(block, 2) }
}

/// Scale and smallest value of one of the eight parts of a block of 256, six bits each in twelve bytes.
fn scale_and_min(scales: &[u8], part: usize) -> (f32, f32) {
    let (scale, min) = if part < 4 {
        (scales[part] & 63, scales[part + 4] & 63)
    } else {
        (scales[part + 4] & 15 | (scales[part - 4] >> 6) << 4, scales[part + 4] >> 4 | (scales[part] >> 6) << 4)
    };
    (f32::from(scale), f32::from(min))
}

/// Two parts share 32 bytes: the even one has the low nibbles, the odd one the high ones.
fn part_nibble(bytes: &[u8], part: usize, at: usize) -> u8 {
    let byte = bytes[part / 2 * 32 + at];
    if part.is_multiple_of(2) { byte & 15 } else { byte >> 4 }
}

pub(super) fn q4_k(block: &[u8], part: usize) -> FourBits {
    let (scale, min) = scale_and_min(&block[4..16], part);
    let mut values = [0; BLOCK];
    for (at, value) in values.iter_mut().enumerate() {
        *value = part_nibble(&block[16..], part, at);
    }
    FourBits { values, scale: half_at(block, 0) * scale, smallest: -half_at(block, 2) * min }
}

pub(super) fn q5_k(block: &[u8], out: &mut [f32]) {
    let (high, low) = block[16..].split_at(32);
    for (part, out) in out.chunks_exact_mut(BLOCK).enumerate() {
        let (scale, min) = scale_and_min(&block[4..16], part);
        let (scale, smallest) = (half_at(block, 0) * scale, -half_at(block, 2) * min);
        for (at, out) in out.iter_mut().enumerate() {
            let value = part_nibble(low, part, at) | (high[at] >> part & 1) << 4;
            *out = f32::from(value) * scale + smallest;
        }
    }
}

pub(super) fn q6_k(block: &[u8], out: &mut [f32]) {
    let scale = half_at(block, 208);
    for (at, out) in out.iter_mut().enumerate() {
        // Halves of 128 values; in each, four runs of 32 whose low bits share 64 bytes and whose high bits share 32.
        let (half, run, lane) = (at / 128, at / 32 % 4, at % 32);
        let low = block[half * 64 + run % 2 * 32 + lane] >> (run / 2 * 4) & 15;
        let high = block[128 + half * 32 + lane] >> (run * 2) & 3;
        let part = i8::from_le_bytes([block[192 + at / 16]]);
        *out = scale * f32::from(part) * (f32::from(low | high << 4) - 32.0);
    }
}

pub(super) fn q5_1(block: &[u8], out: &mut [f32]) {
    let (scale, smallest) = (half_at(block, 0), half_at(block, 2));
    for (out, value) in out.iter_mut().zip(five_bits(&block[4..8], &block[8..])) {
        *out = f32::from(value) * scale + smallest;
    }
}

pub(super) fn q5_0(block: &[u8]) -> EightBits {
    let values = five_bits(&block[2..6], &block[6..]);
    EightBits { values: values.map(|value| value.cast_signed() - 16), scale: half_at(block, 0) }
}

pub(super) fn q8_0(block: &[u8]) -> EightBits {
    let mut values = [0; BLOCK];
    for (value, byte) in values.iter_mut().zip(&block[2..]) {
        *value = byte.cast_signed().max(-127);
    }
    EightBits { values, scale: half_at(block, 0) }
}

/// Numbers rounded to eight bits with the scale that just holds the largest.
#[expect(clippy::cast_possible_truncation, reason = "the quotient lies between -127 and 127")]
pub(super) fn to_eight_bits(numbers: &[f32]) -> EightBits {
    let largest = numbers.iter().fold(0f32, |most, number| most.max(number.abs()));
    let scale = largest / 127.0;
    let inverse = if scale > 0.0 { 1.0 / scale } else { 0.0 };
    let mut values = [0; BLOCK];
    for (value, number) in values.iter_mut().zip(numbers) {
        *value = (number * inverse).round().clamp(-127.0, 127.0) as i8;
    }
    EightBits { values, scale }
}
