//! The KV cache of a session, in f16.
//!
//! Positions are in tiles of 32. In a tile, keys are transposed: 32 positions of one dimension are adjacent, as
//! [`crate::attention`] multiplies them. Values are position by position, padded to a multiple of 32 dimensions.

use crate::config::{Config, MAX_HEAD_DIM};
use crate::error::ModelError;
use crate::kernels::{self, Simd, TILE_COLUMNS};
use crate::memory;

/// Positions in a tile.
pub(crate) const TILE: usize = TILE_COLUMNS;
/// The cache grows by this many positions at a time.
const STEP: usize = 256;

pub(crate) struct KvCache {
    heads: Vec<Head>,
    kv_heads: usize,
    head_dim: usize,
    capacity: usize,
}

#[derive(Default, Clone)]
pub(crate) struct Head {
    keys: Vec<u16>,
    values: Vec<u16>,
}

impl KvCache {
    pub(crate) fn new(&Config { layers, kv_heads, head_dim, .. }: &Config) -> Self {
        Self { heads: vec![Head::default(); layers * kv_heads], kv_heads, head_dim, capacity: 0 }
    }

    /// The padded size of the values of a position.
    pub(crate) fn padded(&self) -> usize {
        self.head_dim.next_multiple_of(TILE_COLUMNS)
    }

    /// Makes room for this many positions.
    pub(crate) fn reserve(&mut self, positions: usize) -> Result<(), ModelError> {
        if positions <= self.capacity {
            return Ok(());
        }
        let capacity = positions.next_multiple_of(STEP);
        let (keys, values) = (capacity * self.head_dim, capacity * self.padded());
        let more = (capacity - self.capacity) * (self.head_dim + self.padded()) * 2 * self.heads.len();
        memory::check("a longer conversation", more as u64)?;
        for head in &mut self.heads {
            memory::grow(&mut head.keys, keys, 0)?;
            memory::grow(&mut head.values, values, 0)?;
        }
        self.capacity = capacity;
        Ok(())
    }

    pub(crate) fn bytes(&self) -> usize {
        self.capacity * (self.head_dim + self.padded()) * 2 * self.heads.len()
    }

    pub(crate) fn head(&self, layer: usize, head: usize) -> &Head {
        &self.heads[layer * self.kv_heads + head]
    }

    /// Writes one position of a layer: the keys and values of all heads, one after the other.
    pub(crate) fn write(&mut self, simd: Simd, layer: usize, position: usize, keys: &[f32], values: &[f32]) {
        let (head_dim, padded) = (self.head_dim, self.padded());
        let (tile, lane) = (position / TILE, position % TILE);
        let mut halves = [0u16; MAX_HEAD_DIM];
        for index in 0..self.kv_heads {
            let head = &mut self.heads[layer * self.kv_heads + index];
            let halves = &mut halves[..head_dim];
            kernels::f32_to_f16(simd, &keys[index * head_dim..][..head_dim], halves);
            let tile = &mut head.keys[tile * head_dim * TILE..][..head_dim * TILE];
            for (row, half) in tile.chunks_exact_mut(TILE).zip(halves) {
                row[lane] = *half;
            }
            let values = &values[index * head_dim..][..head_dim];
            kernels::f32_to_f16(simd, values, &mut head.values[position * padded..][..head_dim]);
        }
    }
}

impl Head {
    /// The keys of a tile: `head_dim` rows of 32 positions.
    pub(crate) fn keys(&self, tile: usize, head_dim: usize) -> &[u16] {
        &self.keys[tile * head_dim * TILE..][..head_dim * TILE]
    }

    /// The values of a tile: 32 rows of `padded` elements.
    pub(crate) fn values(&self, tile: usize, padded: usize) -> &[u16] {
        &self.values[tile * padded * TILE..][..padded * TILE]
    }
}
