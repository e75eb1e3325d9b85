//! Attention over the cache, tile by tile, without ever holding all scores: the largest score so far is carried along, and
//! what has been added up is scaled down whenever a larger one appears.

use crate::cache::{Cache, Head, TILE};
use crate::kernels::{self, Left, Level, TALL, WIDE};
use crate::threads::Columns;

/// What attention of one layer is computed from.
#[derive(Debug)]
pub(crate) struct Attention<'a> {
    pub(crate) level: Level,
    pub(crate) cache: &'a Cache,
    pub(crate) layer: usize,
    /// Numbers of a head.
    pub(crate) dimensions: usize,
    /// Query heads that share a head of keys and values.
    pub(crate) sharing: usize,
    /// Queries of all tokens, and how many numbers a token has.
    pub(crate) queries: &'a [f32],
    pub(crate) width: usize,
    /// The position of the first token.
    pub(crate) position: usize,
}

impl Attention<'_> {
    /// Computes the heads that these columns stand for, for the tokens `from..from + count`. All of these heads must share
    /// one head of keys and values. Row 0 of the columns is the first of these tokens.
    pub(crate) fn fill(&self, from: usize, count: usize, mut out: Columns<'_>) {
        let (dimensions, padded) = (self.dimensions, self.cache.padded());
        let first_head = out.start / dimensions;
        let heads = out.count / dimensions;
        let head = self.cache.head(self.layer, first_head / self.sharing);
        let rows = count * heads;
        let mut queries = vec![0.0; rows * dimensions];
        #[expect(clippy::cast_precision_loss, reason = "a head's size is a small number")]
        let factor = 1.0 / (dimensions as f32).sqrt();
        for (row, query) in queries.chunks_exact_mut(dimensions).enumerate() {
            let place = (from + row / heads) * self.width + (first_head + row % heads) * dimensions;
            for (query, number) in query.iter_mut().zip(&self.queries[place..][..dimensions]) {
                *query = number * factor;
            }
        }
        let mut sums = Sums {
            largest: vec![f32::NEG_INFINITY; rows],
            total: vec![0.0; rows],
            values: vec![[0.0; WIDE]; rows * (padded / WIDE)],
            rows,
        };
        let mut keys = vec![0.0; dimensions * TILE];
        let mut values = vec![0.0; padded * TILE];
        let last = self.position + from + count - 1;
        for tile in 0..=last / TILE {
            self.unpack(head, tile, &mut keys, &mut values);
            for start in (0..rows).step_by(TALL) {
                let chunk = start..rows.min(start + TALL);
                let seen = |row: usize| (self.position + from + row / heads + 1).saturating_sub(tile * TILE).min(TILE);
                let left = Left {
                    numbers: &queries[start * dimensions..],
                    stride: dimensions,
                    rows: chunk.len(),
                    depth: dimensions,
                };
                sums.add(self.level, chunk, left, &keys, &values, &seen);
            }
        }
        for row in 0..rows {
            let place = row % heads * dimensions;
            let target = &mut out.row(row / heads)[place..place + dimensions];
            let inverse = 1.0 / sums.total[row];
            for (at, target) in target.iter_mut().enumerate() {
                *target = sums.values[at / WIDE * rows + row][at % WIDE] * inverse;
            }
        }
    }

    fn unpack(&self, head: &Head, tile: usize, keys: &mut [f32], values: &mut [f32]) {
        kernels::halves_to_singles(self.level, head.keys(tile, self.dimensions), keys);
        kernels::halves_to_singles(self.level, head.values(tile, self.cache.padded()), values);
    }
}

/// What has been added up so far, for each row: a token's query head.
struct Sums {
    largest: Vec<f32>,
    total: Vec<f32>,
    /// Runs of 32 dimensions; in a run, one entry for each row.
    values: Vec<[f32; WIDE]>,
    rows: usize,
}

impl Sums {
    /// Adds a tile for up to four rows; `seen` says how many of its positions a row may look at.
    fn add(
        &mut self,
        level: Level,
        rows: std::ops::Range<usize>,
        left: Left<'_>,
        keys: &[f32],
        values: &[f32],
        seen: &dyn Fn(usize) -> usize,
    ) {
        let mut scores = [[0.0; WIDE]; TALL];
        kernels::product(level, left, keys, TILE, &mut scores);
        for (row, scores) in rows.clone().zip(&mut scores) {
            let seen = seen(row);
            if seen == 0 {
                *scores = [0.0; WIDE];
                continue;
            }
            scores[seen..].fill(f32::NEG_INFINITY);
            let largest = scores.iter().fold(self.largest[row], |most, &score| if score > most { score } else { most });
            let total = kernels::exponentials(level, scores, largest);
            if largest > self.largest[row] {
                let shrink = if self.total[row] > 0.0 { (self.largest[row] - largest).exp() } else { 0.0 };
                self.total[row] *= shrink;
                for run in self.values.chunks_exact_mut(self.rows) {
                    kernels::scale(level, &mut run[row], shrink);
                }
                self.largest[row] = largest;
            }
            self.total[row] += total;
        }
        let padded = self.values.len() / self.rows * WIDE;
        let left = Left { numbers: scores.as_flattened(), stride: WIDE, rows: rows.len(), depth: TILE };
        for (run, sums) in self.values.chunks_exact_mut(self.rows).enumerate() {
            kernels::product(level, left, &values[run * WIDE..], padded, &mut sums[rows.clone()]);
        }
    }
}
