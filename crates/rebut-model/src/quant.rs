//! GGUF tensor types: their block layout, and from their bytes to numbers.
//!
//! The kernels read two packings of 32 weights: Q4 (four bits, a scale and a minimum) and Q8 (eight bits and a scale).
//! [`q4_blocks`] and [`q8_blocks`] convert to them; F32 stays as it is.

use crate::f16::f16_to_f32;

/// Weights per block in both packings.
pub(crate) const BLOCK: usize = 32;

/// The tensor types that the supported models use.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum TensorType {
    F32,
    Q4_1,
    Q8_0,
    Q4K,
    Q6K,
}

/// How the weights of a tensor are packed in memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Packing {
    F32,
    Q4,
    Q8,
}

/// Names of all GGUF types by id, so that an error can name an unsupported one. Empty names were removed from the format.
const NAMES: [&str; 40] = [
    "F32", "F16", "Q4_0", "Q4_1", "", "", "Q5_0", "Q5_1", "Q8_0", "Q8_1", "Q2_K", "Q3_K", "Q4_K", "Q5_K", "Q6_K", "Q8_K",
    "IQ2_XXS", "IQ2_XS", "IQ3_XXS", "IQ1_S", "IQ4_NL", "IQ3_S", "IQ2_S", "IQ4_XS", "I8", "I16", "I32", "I64", "F64",
    "IQ1_M", "BF16", "", "", "", "TQ1_0", "TQ2_0", "", "", "", "MXFP4",
];

impl TensorType {
    const ALL: [Self; 5] = [Self::F32, Self::Q4_1, Self::Q8_0, Self::Q4K, Self::Q6K];

    pub(crate) fn from_id(id: u32) -> Option<Self> {
        Self::ALL.into_iter().find(|dtype| dtype.layout().0 == id)
    }

    /// The name of any id, supported or not.
    pub(crate) fn name_of(id: u32) -> String {
        let name = NAMES.get(id as usize).filter(|name| !name.is_empty());
        name.map_or_else(|| format!("type {id}"), |name| (*name).to_owned())
    }

    pub(crate) fn supported() -> String {
        Self::ALL.map(|dtype| Self::name_of(dtype.layout().0)).join(", ")
    }

    /// The id in the file, weights per block, bytes per block, and the packing.
    fn layout(self) -> (u32, usize, usize, Packing) {
        match self {
            Self::F32 => (0, 1, 4, Packing::F32),
            Self::Q4_1 => (3, 32, 20, Packing::Q4),
            Self::Q8_0 => (8, 32, 34, Packing::Q8),
            Self::Q4K => (12, 256, 144, Packing::Q4),
            Self::Q6K => (14, 256, 210, Packing::Q8),
        }
    }

    pub(crate) fn block_len(self) -> usize {
        self.layout().1
    }

    pub(crate) fn block_bytes(self) -> usize {
        self.layout().2
    }

    pub(crate) fn packing(self) -> Packing {
        self.layout().3
    }
}

/// Each weight is `quant × scale + min`.
pub(crate) struct Q4Block {
    pub(crate) quants: [u8; BLOCK],
    pub(crate) scale: f32,
    pub(crate) min: f32,
}

/// Each weight is `quant × scale`. No quant is -128: the AVX2 kernel relies on it.
pub(crate) struct Q8Block {
    pub(crate) quants: [i8; BLOCK],
    pub(crate) scale: f32,
}

/// The blocks of a row whose packing is [`Packing::Q4`], without loss.
pub(crate) fn q4_blocks(dtype: TensorType, row: &[u8], mut each: impl FnMut(usize, &Q4Block)) {
    for (index, block) in row.chunks_exact(dtype.block_bytes()).enumerate() {
        if dtype == TensorType::Q4_1 {
            each(index, &q4_1(block));
        } else {
            (0..8).for_each(|part| each(index * 8 + part, &q4_k(block, part)));
        }
    }
}

/// The blocks of a row whose packing is [`Packing::Q8`]. Q8_0 is lossless. A block of Q6_K has two scales: it is rounded to
/// 255 steps, four times finer than its own.
pub(crate) fn q8_blocks(dtype: TensorType, row: &[u8], mut each: impl FnMut(usize, &Q8Block)) {
    let mut values = [0.0; 256];
    for (index, block) in row.chunks_exact(dtype.block_bytes()).enumerate() {
        if dtype == TensorType::Q8_0 {
            each(index, &q8_0(block));
        } else {
            q6_k(block, &mut values);
            for (part, values) in values.chunks_exact(BLOCK).enumerate() {
                each(index * 8 + part, &quantize_q8(values));
            }
        }
    }
}

fn f16_at(block: &[u8], at: usize) -> f32 {
    f16_to_f32(u16::from_le_bytes([block[at], block[at + 1]]))
}

const LOW_NIBBLES: u128 = 0x0f0f_0f0f_0f0f_0f0f_0f0f_0f0f_0f0f_0f0f;

/// The first sixteen quants are the low nibbles, the others the high ones. All at once, because a loop is not vectorized.
fn q4_1(block: &[u8]) -> Q4Block {
    let mut bytes = [0; 16];
    bytes.copy_from_slice(&block[4..20]);
    let nibbles = [0, 4].map(|shift| (u128::from_le_bytes(bytes) >> shift & LOW_NIBBLES).to_le_bytes());
    let mut quants = [0; BLOCK];
    quants.copy_from_slice(nibbles.as_flattened());
    Q4Block { quants, scale: f16_at(block, 0), min: f16_at(block, 2) }
}

/// One of the eight parts of a Q4_K block. Scale and minimum have six bits each, in twelve bytes for all parts. Two parts
/// share 32 bytes of quants: the even one has the low nibbles.
fn q4_k(block: &[u8], part: usize) -> Q4Block {
    let scales = &block[4..16];
    let (scale, min) = if part < 4 {
        (scales[part] & 63, scales[part + 4] & 63)
    } else {
        (scales[part + 4] & 15 | (scales[part - 4] >> 6) << 4, scales[part + 4] >> 4 | (scales[part] >> 6) << 4)
    };
    let bytes = &block[16 + part / 2 * 32..][..BLOCK];
    let shift = part % 2 * 4;
    let quants = std::array::from_fn(|at| bytes[at] >> shift & 15);
    Q4Block { quants, scale: f16_at(block, 0) * f32::from(scale), min: -f16_at(block, 2) * f32::from(min) }
}

fn q6_k(block: &[u8], out: &mut [f32]) {
    let scale = f16_at(block, 208);
    for (at, out) in out.iter_mut().enumerate() {
        // Halves of 128 values; in each, four runs of 32 whose low bits share 64 bytes and whose high bits share 32.
        let (half, run, lane) = (at / 128, at / 32 % 4, at % 32);
        let low = block[half * 64 + run % 2 * 32 + lane] >> (run / 2 * 4) & 15;
        let high = block[128 + half * 32 + lane] >> (run * 2) & 3;
        let part = i8::from_le_bytes([block[192 + at / 16]]);
        *out = scale * f32::from(part) * (f32::from(low | high << 4) - 32.0);
    }
}

fn q8_0(block: &[u8]) -> Q8Block {
    Q8Block { quants: std::array::from_fn(|at| block[2 + at].cast_signed().max(-127)), scale: f16_at(block, 0) }
}

#[expect(clippy::cast_possible_truncation, reason = "the quotient lies between -127 and 127")]
fn quantize_q8(values: &[f32]) -> Q8Block {
    let scale = values.iter().fold(0f32, |max, value| max.max(value.abs())) / 127.0;
    let inverse = if scale > 0.0 { 1.0 / scale } else { 0.0 };
    Q8Block { quants: std::array::from_fn(|at| (values[at] * inverse).round().clamp(-127.0, 127.0) as i8), scale }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::f16::f32_to_f16;

    #[test]
    fn every_type_is_found_by_its_id_and_others_are_named() {
        for dtype in TensorType::ALL {
            assert_eq!(TensorType::from_id(dtype.layout().0), Some(dtype));
        }
        assert_eq!(TensorType::from_id(10), None);
        assert_eq!(TensorType::supported(), "F32, Q4_1, Q8_0, Q4_K, Q6_K");
        assert_eq!(["Q2_K", "BF16", "MXFP4"], [10, 30, 39].map(TensorType::name_of).each_ref().map(String::as_str));
        assert_eq!(TensorType::name_of(4_000_000_000), "type 4000000000");
    }

    #[test]
    fn a_q6_k_block_as_q8_keeps_its_numbers_to_a_two_hundredth_of_the_largest() {
        let mut block: Vec<u8> = (0..210).map(|n| (n * 89 + 7) as u8).collect();
        block[208..].copy_from_slice(&f32_to_f16(0.013).to_le_bytes());
        let mut exact = [0.0; 256];
        q6_k(&block, &mut exact);
        q8_blocks(TensorType::Q6K, &block, |index, block| {
            let exact = &exact[index * BLOCK..][..BLOCK];
            let max = exact.iter().fold(0f32, |max, value| max.max(value.abs()));
            let near = |(a, &b): (&f32, &i8)| (a - f32::from(b) * block.scale).abs() <= max / 250.0;
            assert!(max > 0.0 && exact.iter().zip(&block.quants).all(near));
        });
    }

    #[test]
    fn no_q8_quant_is_the_smallest_byte() {
        assert!(q8_0(&[0x80; 34]).quants.iter().all(|&quant| quant == -127));
    }
}
