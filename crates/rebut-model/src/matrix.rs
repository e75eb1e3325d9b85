//! Matrices of weights in memory, packed for the kernels.
//!
//! Rows lie beside each other in groups, so that one wide instruction works on sixteen of them and nothing has to be added
//! across lanes. All quantisations become one of two forms ([`crate::quant`]), which keeps the kernels few. In memory a
//! matrix takes what it takes in the file for Q4_1, BF16, F16 and F32, a ninth more for Q4_0 and Q4_K, a seventeenth more
//! for Q8_0, and up to two thirds more for the kinds with five and six bits.

use crate::error::ModelError;
use crate::gguf::{Gguf, TensorInfo};
use crate::kernels::portable::{half_in, single_in};
use crate::kernels::{self, EIGHT_LINES, FOUR_LINES, GROUP, Inputs, Left, Level, Line, TALL, WIDE};
use crate::memory;
use crate::quant::{self, BLOCK, Form, Kind};
use crate::threads::Columns;

/// A matrix that tokens' inputs are multiplied with: `rows` results from `columns` inputs.
#[derive(Debug)]
pub(crate) struct Matrix {
    pub(crate) rows: usize,
    pub(crate) columns: usize,
    store: Store,
}

#[derive(Debug)]
enum Store {
    /// Groups of 16 rows; a group has its blocks in order, each of `FOUR_LINES`.
    Four(Vec<Line>),
    /// Groups of 16 rows; a group has its blocks in order, each of `EIGHT_LINES`.
    Eight(Vec<Line>),
    /// Groups of 32 rows; a group has for each column 32 numbers.
    Halves(Vec<u16>),
    Brains(Vec<u16>),
    Singles(Vec<f32>),
}

/// Multiplies a group of rows with some tokens, from this one on.
type Kernel<'a> = dyn Fn(&[Line], usize, &mut [[f32; GROUP]]) + 'a;

/// Writes a run of a store's numbers in single precision.
type Unpack<'a> = dyn Fn(std::ops::Range<usize>, &mut [f32]) + 'a;

/// How many tokens a kernel is given at once.
const TOKENS: usize = 64;
/// How many columns are unpacked at once where weights are not quantised.
const DEPTH: usize = 64;

/// How many bytes a tensor of this shape takes in memory.
pub(crate) fn packed_bytes(tensor: &TensorInfo) -> u64 {
    let columns = tensor.shape.first().copied().unwrap_or(0);
    let rows: u64 = tensor.shape.iter().skip(1).product();
    let group = |rows: u64, size: usize| rows.next_multiple_of(size as u64);
    let blocks = columns.div_ceil(BLOCK as u64) * (group(rows, GROUP) / GROUP as u64);
    match tensor.kind.form() {
        Form::Four => blocks * (FOUR_LINES * 64) as u64,
        Form::Eight => blocks * (EIGHT_LINES * 64) as u64,
        Form::Plain => group(rows, WIDE) * columns * tensor.kind.block_bytes() as u64,
    }
}

impl Matrix {
    /// Reads a tensor of exactly this shape and packs it.
    pub(crate) fn load(gguf: &mut Gguf, name: &str, columns: usize, rows: usize) -> Result<Self, ModelError> {
        let tensor = gguf.tensor(name)?.clone();
        let wanted = vec![columns as u64, rows as u64];
        if tensor.shape != wanted {
            return Err(ModelError::TensorShape { name: name.to_owned(), found: tensor.shape, wanted });
        }
        let kind = tensor.kind;
        let row_bytes = columns / kind.block_values() * kind.block_bytes();
        let group = if kind.form() == Form::Plain { WIDE } else { GROUP };
        let mut store = Store::empty(kind, columns, rows)?;
        // Several groups are read at once, because each read is a call to the system.
        let at_once = group * 16;
        let mut bytes = vec![0; row_bytes * at_once.min(rows)];
        for first in (0..rows).step_by(at_once) {
            let count = at_once.min(rows - first);
            let bytes = &mut bytes[..count * row_bytes];
            gguf.read(&tensor, (first * row_bytes) as u64, bytes)?;
            for (offset, row) in bytes.chunks_exact(row_bytes).enumerate() {
                store.pack(kind, first + offset, columns, row);
            }
        }
        Ok(Self { rows, columns, store })
    }

    /// How many rows a share of the work should be a multiple of.
    pub(crate) fn grain(&self) -> usize {
        match self.store {
            Store::Four(_) | Store::Eight(_) => GROUP,
            _ => WIDE,
        }
    }

    /// How many bytes it takes.
    pub(crate) fn bytes(&self) -> usize {
        match &self.store {
            Store::Four(lines) | Store::Eight(lines) => lines.len() * 64,
            Store::Halves(numbers) | Store::Brains(numbers) => numbers.len() * 2,
            Store::Singles(numbers) => numbers.len() * 4,
        }
    }

    /// Writes the products of some rows with all tokens: token `t`'s into row `t` of the columns.
    pub(crate) fn multiply(&self, level: Level, inputs: &Inputs, tokens: usize, mut out: Columns<'_>) {
        debug_assert!(inputs.width == self.columns && out.start.is_multiple_of(self.grain()));
        match &self.store {
            Store::Four(lines) => self.multiply_groups(lines, FOUR_LINES, tokens, &mut out, &|group, from, sums| {
                kernels::four(level, group, inputs, from, sums);
            }),
            Store::Eight(lines) => self.multiply_groups(lines, EIGHT_LINES, tokens, &mut out, &|group, from, sums| {
                kernels::eight(level, group, inputs, from, sums);
            }),
            Store::Halves(numbers) => self.multiply_wide(level, inputs, tokens, &mut out, &|range, singles| {
                kernels::halves_to_singles(level, &numbers[range], singles);
            }),
            Store::Brains(numbers) => self.multiply_wide(level, inputs, tokens, &mut out, &|range, singles| {
                for (single, &brain) in singles.iter_mut().zip(&numbers[range]) {
                    *single = quant::brain_to_single(brain);
                }
            }),
            Store::Singles(numbers) => self.multiply_wide(level, inputs, tokens, &mut out, &|range, singles| {
                singles.copy_from_slice(&numbers[range]);
            }),
        }
    }

    fn multiply_groups(&self, lines: &[Line], each: usize, tokens: usize, out: &mut Columns<'_>, kernel: &Kernel<'_>) {
        let length = self.columns / BLOCK * each;
        let mut sums = [[0.0; GROUP]; TOKENS];
        for place in (0..out.count).step_by(GROUP) {
            let group = &lines[(out.start + place) / GROUP * length..][..length];
            let width = GROUP.min(out.count - place);
            for from in (0..tokens).step_by(TOKENS) {
                let sums = &mut sums[..TOKENS.min(tokens - from)];
                kernel(group, from, sums);
                for (token, sums) in sums.iter().enumerate() {
                    out.row(from + token)[place..place + width].copy_from_slice(&sums[..width]);
                }
            }
        }
    }

    fn multiply_wide(&self, level: Level, inputs: &Inputs, tokens: usize, out: &mut Columns<'_>, unpack: &Unpack<'_>) {
        let mut singles = [0.0; DEPTH * WIDE];
        let mut sums = vec![[0.0; WIDE]; tokens];
        for place in (0..out.count).step_by(WIDE) {
            let group = (out.start + place) / WIDE * self.columns;
            sums.fill([0.0; WIDE]);
            for column in (0..self.columns).step_by(DEPTH) {
                let depth = DEPTH.min(self.columns - column);
                let singles = &mut singles[..depth * WIDE];
                unpack((group + column) * WIDE..(group + column + depth) * WIDE, singles);
                for (tile, sums) in sums.chunks_mut(TALL).enumerate() {
                    let numbers = &inputs.singles[tile * TALL * self.columns + column..];
                    let left = Left { numbers, stride: self.columns, rows: sums.len(), depth };
                    kernels::product(level, left, singles, WIDE, sums);
                }
            }
            let width = WIDE.min(out.count - place);
            for (token, sums) in sums.iter().enumerate() {
                out.row(token)[place..place + width].copy_from_slice(&sums[..width]);
            }
        }
    }

    /// One row's numbers: what an embedding looks up.
    pub(crate) fn row(&self, row: usize, out: &mut [f32]) {
        let (group, lane) = (row / GROUP, row % GROUP);
        let wide = |column: usize| (row / WIDE * self.columns + column) * WIDE + row % WIDE;
        for (column, out) in out.iter_mut().enumerate() {
            let (block, at) = (group * (self.columns / BLOCK) + column / BLOCK, column % BLOCK);
            *out = match &self.store {
                Store::Four(lines) => {
                    let lines = &lines[block * FOUR_LINES..][..FOUR_LINES];
                    let byte = lines[1 + at % 16 / 4].0[lane * 4 + at % 4];
                    let value = if at < 16 { byte & 15 } else { byte >> 4 };
                    f32::from(value) * half_in(&lines[0], lane) + half_in(&lines[0], GROUP + lane)
                }
                Store::Eight(lines) => {
                    let lines = &lines[block * EIGHT_LINES..][..EIGHT_LINES];
                    (f32::from(lines[1 + at / 4].0[lane * 4 + at % 4]) - 128.0) * single_in(&lines[0], lane)
                }
                Store::Halves(numbers) => quant::half_to_single(numbers[wide(column)]),
                Store::Brains(numbers) => quant::brain_to_single(numbers[wide(column)]),
                Store::Singles(numbers) => numbers[wide(column)],
            };
        }
    }
}

impl Store {
    fn empty(kind: Kind, columns: usize, rows: usize) -> Result<Self, ModelError> {
        let groups = columns / BLOCK * rows.div_ceil(GROUP);
        let wide = columns * rows.next_multiple_of(WIDE);
        Ok(match kind.form() {
            Form::Four => Self::Four(memory::filled(groups * FOUR_LINES, Line([0; 64]))?),
            Form::Eight => {
                let mut lines = memory::filled(groups * EIGHT_LINES, Line([0; 64]))?;
                // Rows that fill up the last group must be zeros, and zero has 128 added.
                lines.chunks_exact_mut(EIGHT_LINES).for_each(|lines| lines[1..].fill(Line([128; 64])));
                Self::Eight(lines)
            }
            Form::Plain => match kind {
                Kind::F16 => Self::Halves(memory::filled(wide, 0)?),
                Kind::BF16 => Self::Brains(memory::filled(wide, 0)?),
                _ => Self::Singles(memory::filled(wide, 0.0)?),
            },
        })
    }

    fn pack(&mut self, kind: Kind, row: usize, columns: usize, bytes: &[u8]) {
        let (first, lane) = (row / GROUP * (columns / BLOCK), row % GROUP);
        let wide = |column: usize| (row / WIDE * columns + column) * WIDE + row % WIDE;
        match self {
            Self::Four(lines) => quant::four_bits(kind, bytes, |block, four| {
                let lines = &mut lines[(first + block) * FOUR_LINES..][..FOUR_LINES];
                let half = |number: f32| quant::single_to_half(number.clamp(-65_504.0, 65_504.0)).to_le_bytes();
                lines[0].0[lane * 2..][..2].copy_from_slice(&half(four.scale));
                lines[0].0[(GROUP + lane) * 2..][..2].copy_from_slice(&half(four.smallest));
                for at in 0..16 {
                    lines[1 + at / 4].0[lane * 4 + at % 4] = four.values[at] | four.values[at + 16] << 4;
                }
            }),
            Self::Eight(lines) => quant::eight_bits(kind, bytes, |block, eight| {
                let lines = &mut lines[(first + block) * EIGHT_LINES..][..EIGHT_LINES];
                lines[0].0[lane * 4..][..4].copy_from_slice(&eight.scale.to_le_bytes());
                for (at, value) in eight.values.iter().enumerate() {
                    lines[1 + at / 4].0[lane * 4 + at % 4] = value.cast_unsigned() ^ 128;
                }
            }),
            Self::Halves(numbers) | Self::Brains(numbers) => {
                for (column, two) in bytes.chunks_exact(2).enumerate() {
                    numbers[wide(column)] = u16::from_le_bytes([two[0], two[1]]);
                }
            }
            Self::Singles(numbers) => {
                for (column, four) in bytes.chunks_exact(4).enumerate() {
                    numbers[wide(column)] = f32::from_le_bytes([four[0], four[1], four[2], four[3]]);
                }
            }
        }
    }
}
