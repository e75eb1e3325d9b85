//! Weight matrices in memory, packed for the kernels.
//!
//! Rows are interleaved in groups, so that one wide instruction works on all rows of a group and nothing is added across
//! lanes. In memory a matrix takes what it takes in the file for Q4_1 and F32, a ninth more for Q4_K, a seventeenth more for
//! Q8_0 and 37 % more for Q6_K.

use crate::error::ModelError;
use crate::f16;
use crate::gguf::{Gguf, TensorInfo};
use crate::kernels::portable::{f16_in, f32_in};
use crate::kernels::{
    self, Activations, CacheLine, GROUP, Left, Q4_LINES, Q8_LINES, QuantizedMatmul, Simd, TILE_COLUMNS, TILE_ROWS,
};
use crate::memory;
use crate::quant::{self, BLOCK, Packing, TensorType};
use crate::thread_pool::Columns;

/// A matrix that activations are multiplied by: `rows` outputs from `columns` inputs.
pub(crate) struct Matrix {
    pub(crate) rows: usize,
    columns: usize,
    store: Store,
}

enum Store {
    /// Groups of 16 rows; a group has its blocks in order, each of [`Q4_LINES`].
    Q4(Vec<CacheLine>),
    /// Groups of 16 rows; a group has its blocks in order, each of [`Q8_LINES`].
    Q8(Vec<CacheLine>),
    /// Groups of 32 rows; a group has 32 values for each column.
    F32(Vec<f32>),
}

/// Tokens that a quantized kernel is given at once.
const TOKENS: usize = 64;

/// The size of a tensor in memory.
pub(crate) fn packed_bytes(tensor: &TensorInfo) -> u64 {
    let columns = tensor.shape.first().copied().unwrap_or(0);
    let rows: u64 = tensor.shape.iter().skip(1).product();
    let blocks = columns.div_ceil(BLOCK as u64) * rows.div_ceil(GROUP as u64);
    match tensor.dtype.packing() {
        Packing::Q4 => blocks * (Q4_LINES * 64) as u64,
        Packing::Q8 => blocks * (Q8_LINES * 64) as u64,
        Packing::F32 => rows.next_multiple_of(TILE_COLUMNS as u64) * columns * 4,
    }
}

/// Reads a tensor that is a vector of exactly this length.
pub(crate) fn vector(gguf: &mut Gguf, name: &str, length: usize) -> Result<Vec<f32>, ModelError> {
    let tensor = gguf.tensor(name, &[length as u64])?;
    if tensor.dtype != TensorType::F32 {
        return Err(ModelError::corrupt(format!("tensor `{name}` is not stored as F32")));
    }
    let mut bytes = vec![0; length * 4];
    gguf.read(&tensor, 0, &mut bytes)?;
    Ok(bytes.as_chunks().0.iter().map(|bytes| f32::from_le_bytes(*bytes)).collect())
}

impl Matrix {
    /// Reads a tensor of exactly this shape and packs it.
    pub(crate) fn load(gguf: &mut Gguf, name: &str, columns: usize, rows: usize) -> Result<Self, ModelError> {
        let tensor = gguf.tensor(name, &[columns as u64, rows as u64])?;
        let row_bytes = columns / tensor.dtype.block_len() * tensor.dtype.block_bytes();
        let mut store = Store::empty(tensor.dtype.packing(), columns, rows)?;
        // Many rows per read, because each read is a system call.
        let rows_per_read = 256.min(rows);
        let mut buffer = vec![0; row_bytes * rows_per_read];
        for first in (0..rows).step_by(rows_per_read) {
            let bytes = &mut buffer[..rows_per_read.min(rows - first) * row_bytes];
            gguf.read(&tensor, (first * row_bytes) as u64, bytes)?;
            for (offset, row) in bytes.chunks_exact(row_bytes).enumerate() {
                store.pack(tensor.dtype, first + offset, columns, row);
            }
        }
        Ok(Self { rows, columns, store })
    }

    /// Work on this matrix is split at multiples of this many rows.
    pub(crate) fn group_rows(&self) -> usize {
        match self.store {
            Store::Q4(_) | Store::Q8(_) => GROUP,
            Store::F32(_) => TILE_COLUMNS,
        }
    }

    /// Multiplies all tokens by the rows that these columns of the output are for: token `t` into row `t`.
    pub(crate) fn multiply(&self, simd: Simd, x: &Activations, mut out: Columns<'_>) {
        debug_assert!(x.width == self.columns && out.start.is_multiple_of(self.group_rows()));
        let (lines, lines_per_block, matmul): (_, _, QuantizedMatmul) = match &self.store {
            Store::Q4(lines) => (lines, Q4_LINES, kernels::matmul_q4),
            Store::Q8(lines) => (lines, Q8_LINES, kernels::matmul_q8),
            Store::F32(values) => return self.multiply_f32(simd, values, x, &mut out),
        };
        let tokens = x.tokens();
        let group_lines = self.columns / BLOCK * lines_per_block;
        let mut sums = [[0.0; GROUP]; TOKENS];
        for place in (0..out.count).step_by(GROUP) {
            let group = &lines[(out.start + place) / GROUP * group_lines..][..group_lines];
            let width = GROUP.min(out.count - place);
            for from in (0..tokens).step_by(TOKENS) {
                let sums = &mut sums[..TOKENS.min(tokens - from)];
                matmul(simd, group, x, from, sums);
                for (token, sums) in sums.iter().enumerate() {
                    out.row(from + token)[place..place + width].copy_from_slice(&sums[..width]);
                }
            }
        }
    }

    fn multiply_f32(&self, simd: Simd, values: &[f32], x: &Activations, out: &mut Columns<'_>) {
        let mut sums = vec![[0.0; TILE_COLUMNS]; x.tokens()];
        for place in (0..out.count).step_by(TILE_COLUMNS) {
            let group = &values[(out.start + place) * self.columns..];
            sums.fill([0.0; TILE_COLUMNS]);
            for (tile, sums) in sums.chunks_mut(TILE_ROWS).enumerate() {
                let values = &x.values[tile * TILE_ROWS * self.columns..];
                let left = Left { values, stride: self.columns, rows: sums.len(), depth: self.columns };
                kernels::matmul_f32(simd, left, group, TILE_COLUMNS, sums);
            }
            let width = TILE_COLUMNS.min(out.count - place);
            for (token, sums) in sums.iter().enumerate() {
                out.row(token)[place..place + width].copy_from_slice(&sums[..width]);
            }
        }
    }

    /// One row in f32: an embedding.
    pub(crate) fn row(&self, row: usize, out: &mut [f32]) {
        let (group, lane) = (row / GROUP, row % GROUP);
        for (column, out) in out.iter_mut().enumerate() {
            let (block, at) = (group * (self.columns / BLOCK) + column / BLOCK, column % BLOCK);
            *out = match &self.store {
                Store::Q4(lines) => {
                    let lines = &lines[block * Q4_LINES..][..Q4_LINES];
                    let byte = lines[1 + at % 16 / 4].0[lane * 4 + at % 4];
                    let quant = if at < 16 { byte & 15 } else { byte >> 4 };
                    f32::from(quant) * f16_in(&lines[0], lane) + f16_in(&lines[0], GROUP + lane)
                }
                Store::Q8(lines) => {
                    let lines = &lines[block * Q8_LINES..][..Q8_LINES];
                    (f32::from(lines[1 + at / 4].0[lane * 4 + at % 4]) - 128.0) * f32_in(&lines[0], lane)
                }
                Store::F32(values) => values[f32_place(row, column, self.columns)],
            };
        }
    }
}

fn f32_place(row: usize, column: usize, columns: usize) -> usize {
    (row / TILE_COLUMNS * columns + column) * TILE_COLUMNS + row % TILE_COLUMNS
}

impl Store {
    fn empty(packing: Packing, columns: usize, rows: usize) -> Result<Self, ModelError> {
        let blocks = columns / BLOCK * rows.div_ceil(GROUP);
        Ok(match packing {
            Packing::Q4 => Self::Q4(memory::filled(blocks * Q4_LINES, CacheLine([0; 64]))?),
            Packing::Q8 => {
                let mut lines = memory::filled(blocks * Q8_LINES, CacheLine([0; 64]))?;
                // Rows that pad the last group must be zero, which is 128 here.
                lines.chunks_exact_mut(Q8_LINES).for_each(|lines| lines[1..].fill(CacheLine([128; 64])));
                Self::Q8(lines)
            }
            Packing::F32 => Self::F32(memory::filled(columns * rows.next_multiple_of(TILE_COLUMNS), 0.0)?),
        })
    }

    fn pack(&mut self, dtype: TensorType, row: usize, columns: usize, bytes: &[u8]) {
        let (first, lane) = (row / GROUP * (columns / BLOCK), row % GROUP);
        match self {
            Self::Q4(lines) => quant::q4_blocks(dtype, bytes, |index, block| {
                let lines = &mut lines[(first + index) * Q4_LINES..][..Q4_LINES];
                let half = |value: f32| f16::f32_to_f16(value.clamp(-65_504.0, 65_504.0)).to_le_bytes();
                lines[0].0[lane * 2..][..2].copy_from_slice(&half(block.scale));
                lines[0].0[(GROUP + lane) * 2..][..2].copy_from_slice(&half(block.min));
                for at in 0..16 {
                    lines[1 + at / 4].0[lane * 4 + at % 4] = block.quants[at] | block.quants[at + 16] << 4;
                }
            }),
            Self::Q8(lines) => quant::q8_blocks(dtype, bytes, |index, block| {
                let lines = &mut lines[(first + index) * Q8_LINES..][..Q8_LINES];
                lines[0].0[lane * 4..][..4].copy_from_slice(&block.scale.to_le_bytes());
                for (at, quant) in block.quants.iter().enumerate() {
                    lines[1 + at / 4].0[lane * 4 + at % 4] = quant.cast_unsigned() ^ 128;
                }
            }),
            Self::F32(values) => {
                for (column, value) in bytes.as_chunks().0.iter().enumerate() {
                    values[f32_place(row, column, columns)] = f32::from_le_bytes(*value);
                }
            }
        }
    }
}
