//! How GGUF stores numbers: the kinds of quantisation that are known, and from their bytes to numbers.
//!
//! Weights reach the kernels in two forms only, blocks of 32 in four bits with a scale and a smallest value, or in eight
//! bits with a scale ([`four_bits`], [`eight_bits`]); numbers that are not quantised stay as they are.

mod blocks;
mod half;

pub(crate) use half::{brain_to_single, half_to_single, single_to_half};

/// How many values a block of the packed forms has.
pub(crate) const BLOCK: usize = 32;

/// How a tensor's numbers are stored.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Kind {
    F32,
    F16,
    BF16,
    Q4_0,
    Q4_1,
    Q5_0,
    Q5_1,
    Q8_0,
    Q4K,
    Q5K,
    Q6K,
}

/// Which packed form holds a kind.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Form {
    Plain,
    Four,
    Eight,
}

/// kind, number in the file, name, values in a block, bytes of a block
const KINDS: [(Kind, u32, &str, usize, usize); 11] = [
    (Kind::F32, 0, "F32", 1, 4),
    (Kind::F16, 1, "F16", 1, 2),
    (Kind::BF16, 30, "BF16", 1, 2),
    (Kind::Q4_0, 2, "Q4_0", 32, 18),
    (Kind::Q4_1, 3, "Q4_1", 32, 20),
    (Kind::Q5_0, 6, "Q5_0", 32, 22),
    (Kind::Q5_1, 7, "Q5_1", 32, 24),
    (Kind::Q8_0, 8, "Q8_0", 32, 34),
    (Kind::Q4K, 12, "Q4_K", 256, 144),
    (Kind::Q5K, 13, "Q5_K", 256, 176),
    (Kind::Q6K, 14, "Q6_K", 256, 210),
];

/// Names of kinds that are refused, so that the error can name them.
const REFUSED: [(u32, &str); 17] = [
    (9, "Q8_1"),
    (10, "Q2_K"),
    (11, "Q3_K"),
    (15, "Q8_K"),
    (16, "IQ2_XXS"),
    (17, "IQ2_XS"),
    (18, "IQ3_XXS"),
    (19, "IQ1_S"),
    (20, "IQ4_NL"),
    (21, "IQ3_S"),
    (22, "IQ2_S"),
    (23, "IQ4_XS"),
    (24, "I8"),
    (25, "I16"),
    (26, "I32"),
    (28, "F64"),
    (39, "MXFP4"),
];

impl Kind {
    pub(crate) fn from_number(number: u32) -> Option<Self> {
        KINDS.iter().find(|entry| entry.1 == number).map(|entry| entry.0)
    }

    /// A name for any number, known or not.
    pub(crate) fn name_of_number(number: u32) -> String {
        let refused = REFUSED.iter().find(|entry| entry.0 == number).map(|entry| entry.1.to_owned());
        refused.unwrap_or_else(|| format!("type {number}"))
    }

    /// The names of all known kinds.
    pub(crate) fn known() -> String {
        KINDS.map(|entry| entry.2).join(", ")
    }

    fn entry(self) -> (Self, u32, &'static str, usize, usize) {
        // Every kind has its line in the list; a test holds that.
        KINDS.into_iter().find(|entry| entry.0 == self).unwrap_or(KINDS[0])
    }

    pub(crate) fn name(self) -> &'static str {
        self.entry().2
    }

    pub(crate) fn block_values(self) -> usize {
        self.entry().3
    }

    pub(crate) fn block_bytes(self) -> usize {
        self.entry().4
    }

    /// The packed form that holds this kind.
    pub(crate) fn form(self) -> Form {
        match self {
            Self::F32 | Self::F16 | Self::BF16 => Form::Plain,
            Self::Q4_0 | Self::Q4_1 | Self::Q4K => Form::Four,
            Self::Q5_0 | Self::Q5_1 | Self::Q8_0 | Self::Q5K | Self::Q6K => Form::Eight,
        }
    }
}

/// 32 values in four bits: each is `value × scale + smallest`.
#[derive(Debug, Clone, Copy)]
pub(crate) struct FourBits {
    pub(crate) values: [u8; BLOCK],
    pub(crate) scale: f32,
    pub(crate) smallest: f32,
}

/// 32 values in eight bits: each is `value × scale`. No value is -128, which kernels rely on.
#[derive(Debug, Clone, Copy)]
pub(crate) struct EightBits {
    pub(crate) values: [i8; BLOCK],
    pub(crate) scale: f32,
}

/// The blocks of a row of one of the kinds whose form is [`Form::Four`], exactly as stored.
pub(crate) fn four_bits(kind: Kind, row: &[u8], mut each: impl FnMut(usize, &FourBits)) {
    for (at, block) in row.chunks_exact(kind.block_bytes()).enumerate() {
        match kind {
            Kind::Q4_0 => each(at, &blocks::q4_0(block)),
            Kind::Q4_1 => each(at, &blocks::q4_1(block)),
            _ => {
                for part in 0..8 {
                    each(at * 8 + part, &blocks::q4_k(block, part));
                }
            }
        }
    }
}

/// The blocks of a row of one of the kinds whose form is [`Form::Eight`]. Q8_0 and Q5_0 come exactly as stored. The others
/// have two scales in a block, or a smallest value: they are rounded to 255 steps, four to eight times finer than their own.
pub(crate) fn eight_bits(kind: Kind, row: &[u8], mut each: impl FnMut(usize, &EightBits)) {
    let mut numbers = [0.0; 256];
    for (at, block) in row.chunks_exact(kind.block_bytes()).enumerate() {
        match kind {
            Kind::Q8_0 => each(at, &blocks::q8_0(block)),
            Kind::Q5_0 => each(at, &blocks::q5_0(block)),
            _ => {
                let numbers = &mut numbers[..kind.block_values()];
                to_singles(kind, block, numbers);
                for (part, numbers) in numbers.chunks_exact(BLOCK).enumerate() {
                    each(at * (kind.block_values() / BLOCK) + part, &blocks::to_eight_bits(numbers));
                }
            }
        }
    }
}

/// The numbers of whole blocks of any kind.
pub(crate) fn to_singles(kind: Kind, bytes: &[u8], out: &mut [f32]) {
    let fill = |out: &mut [f32], four: &FourBits| {
        for (out, &value) in out.iter_mut().zip(&four.values) {
            *out = f32::from(value) * four.scale + four.smallest;
        }
    };
    let fill_eight = |out: &mut [f32], eight: &EightBits| {
        for (out, &value) in out.iter_mut().zip(&eight.values) {
            *out = f32::from(value) * eight.scale;
        }
    };
    for (block, out) in bytes.chunks_exact(kind.block_bytes()).zip(out.chunks_exact_mut(kind.block_values())) {
        match kind {
            Kind::F32 => out[0] = f32::from_le_bytes([block[0], block[1], block[2], block[3]]),
            Kind::F16 => out[0] = half_to_single(u16::from_le_bytes([block[0], block[1]])),
            Kind::BF16 => out[0] = brain_to_single(u16::from_le_bytes([block[0], block[1]])),
            Kind::Q4_0 => fill(out, &blocks::q4_0(block)),
            Kind::Q4_1 => fill(out, &blocks::q4_1(block)),
            Kind::Q4K => {
                out.chunks_exact_mut(BLOCK).enumerate().for_each(|(part, out)| fill(out, &blocks::q4_k(block, part)));
            }
            Kind::Q5_0 => fill_eight(out, &blocks::q5_0(block)),
            Kind::Q8_0 => fill_eight(out, &blocks::q8_0(block)),
            Kind::Q5_1 => blocks::q5_1(block, out),
            Kind::Q5K => blocks::q5_k(block, out),
            Kind::Q6K => blocks::q6_k(block, out),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kind_is_found_by_its_number_and_has_its_own_line() {
        for (kind, number, name, values, bytes) in KINDS {
            assert_eq!(Kind::from_number(number), Some(kind));
            assert_eq!((kind.name(), kind.block_values(), kind.block_bytes()), (name, values, bytes));
        }
        assert_eq!(Kind::from_number(10), None);
        assert_eq!(Kind::name_of_number(10), "Q2_K");
        assert_eq!(Kind::name_of_number(4_000_000_000), "type 4000000000");
    }

    #[test]
    fn the_packed_forms_hold_the_same_numbers_as_the_bytes() {
        for (kind, ..) in KINDS {
            // Any bytes are a block; scales are set to sane numbers so that nothing is infinite.
            let mut bytes: Vec<u8> = (0..kind.block_bytes() * 2).map(|n| (n * 89 + 7) as u8).collect();
            let scale = single_to_half(0.013).to_le_bytes();
            for block in bytes.chunks_exact_mut(kind.block_bytes()) {
                match kind {
                    Kind::Q4_1 | Kind::Q5_1 | Kind::Q4K | Kind::Q5K => {
                        block[..2].copy_from_slice(&scale);
                        block[2..4].copy_from_slice(&scale);
                    }
                    Kind::Q6K => block[208..].copy_from_slice(&scale),
                    Kind::Q4_0 | Kind::Q5_0 | Kind::Q8_0 => block[..2].copy_from_slice(&scale),
                    Kind::F32 | Kind::F16 | Kind::BF16 => {}
                }
            }
            let mut numbers = vec![0.0; kind.block_values() * 2];
            to_singles(kind, &bytes, &mut numbers);
            let largest = |at: usize| numbers[at * BLOCK..][..BLOCK].iter().fold(0f32, |most, n| most.max(n.abs()));
            match kind.form() {
                Form::Plain => {}
                Form::Four => four_bits(kind, &bytes, |at, four| {
                    for (n, &value) in four.values.iter().enumerate() {
                        let packed = f32::from(value) * four.scale + four.smallest;
                        assert!((packed - numbers[at * BLOCK + n]).abs() <= 1e-6, "{kind:?} {at} {n}");
                    }
                }),
                Form::Eight => eight_bits(kind, &bytes, |at, eight| {
                    for (n, &value) in eight.values.iter().enumerate() {
                        let packed = f32::from(value) * eight.scale;
                        let error = (packed - numbers[at * BLOCK + n]).abs();
                        assert!(value != i8::MIN && error <= largest(at) / 250.0, "{kind:?} {at} {n}");
                    }
                }),
            }
        }
    }
}
