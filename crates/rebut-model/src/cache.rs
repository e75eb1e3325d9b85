//! What a session remembers of each token it has read: keys and values in half precision, layer by layer.
//!
//! Positions lie in tiles of 32. In a tile, keys are turned so that 32 positions of one dimension are neighbours, as
//! [`crate::attention`] multiplies them; values lie position by position, filled up to a multiple of 32 dimensions.

use crate::error::ModelError;
use crate::kernels::{self, Level, WIDE};
use crate::memory;
use crate::shape::MOST_DIMENSIONS;

/// Positions in a tile.
pub(crate) const TILE: usize = WIDE;
/// The cache grows by this many positions at a time.
const STEP: usize = 256;

/// Keys and values of all layers.
#[derive(Debug)]
pub(crate) struct Cache {
    /// For each layer and head: keys and values.
    heads: Vec<Head>,
    heads_in_layer: usize,
    dimensions: usize,
    room: usize,
}

/// One head's keys and values.
#[derive(Debug, Default, Clone)]
pub(crate) struct Head {
    keys: Vec<u16>,
    values: Vec<u16>,
}

impl Cache {
    pub(crate) fn new(layers: usize, heads_in_layer: usize, dimensions: usize) -> Self {
        Self { heads: vec![Head::default(); layers * heads_in_layer], heads_in_layer, dimensions, room: 0 }
    }

    /// How many numbers a position's values take.
    pub(crate) fn padded(&self) -> usize {
        self.dimensions.next_multiple_of(WIDE)
    }

    /// Makes room for this many positions.
    pub(crate) fn reserve(&mut self, positions: usize) -> Result<(), ModelError> {
        if positions <= self.room {
            return Ok(());
        }
        let room = positions.next_multiple_of(STEP);
        let (keys, values) = (room * self.dimensions, room * self.padded());
        let more = (room - self.room) * (self.dimensions + self.padded()) * 2 * self.heads.len();
        memory::check("a longer conversation", more as u64)?;
        for head in &mut self.heads {
            memory::grow(&mut head.keys, keys, 0)?;
            memory::grow(&mut head.values, values, 0)?;
        }
        self.room = room;
        Ok(())
    }

    /// How many bytes it takes.
    pub(crate) fn bytes(&self) -> usize {
        self.room * (self.dimensions + self.padded()) * 2 * self.heads.len()
    }

    /// A head of a layer.
    pub(crate) fn head(&self, layer: usize, head: usize) -> &Head {
        &self.heads[layer * self.heads_in_layer + head]
    }

    /// Writes one position of a layer: the keys and values of all heads, one after the other.
    pub(crate) fn write(&mut self, level: Level, layer: usize, position: usize, keys: &[f32], values: &[f32]) {
        let (dimensions, padded) = (self.dimensions, self.padded());
        let (tile, lane) = (position / TILE, position % TILE);
        let mut halves = [0u16; MOST_DIMENSIONS];
        for index in 0..self.heads_in_layer {
            let head = &mut self.heads[layer * self.heads_in_layer + index];
            let halves = &mut halves[..dimensions];
            kernels::singles_to_halves(level, &keys[index * dimensions..][..dimensions], halves);
            let tile = &mut head.keys[tile * dimensions * TILE..][..dimensions * TILE];
            for (row, half) in tile.chunks_exact_mut(TILE).zip(halves) {
                row[lane] = *half;
            }
            let values = &values[index * dimensions..][..dimensions];
            kernels::singles_to_halves(level, values, &mut head.values[position * padded..][..dimensions]);
        }
    }
}

impl Head {
    /// A tile's keys, `dimensions` rows of 32 positions.
    pub(crate) fn keys(&self, tile: usize, dimensions: usize) -> &[u16] {
        &self.keys[tile * dimensions * TILE..][..dimensions * TILE]
    }

    /// A tile's values, 32 rows of `padded` numbers.
    pub(crate) fn values(&self, tile: usize, padded: usize) -> &[u16] {
        &self.values[tile * padded * TILE..][..padded * TILE]
    }
}
