//! Attention over the KV cache, tile by tile with an online softmax: the running maximum is kept, and the sums are rescaled
//! whenever it grows, so that the scores of all positions are never held at once.

use crate::config::Config;
use crate::kernels::{self, Left, Simd, TILE_COLUMNS, TILE_ROWS};
use crate::kv_cache::{KvCache, TILE};
use crate::thread_pool::Columns;

/// Attention in one layer.
pub(crate) struct Attention<'a> {
    pub(crate) simd: Simd,
    pub(crate) config: &'a Config,
    pub(crate) cache: &'a KvCache,
    pub(crate) layer: usize,
    pub(crate) queries: &'a [f32],
    /// The position of the first token.
    pub(crate) position: usize,
}

impl Attention<'_> {
    /// Computes the heads of these columns for the tokens from `from` on, as many as the columns have rows. All of the heads
    /// must share one KV head.
    pub(crate) fn compute(&self, from: usize, mut out: Columns<'_>) {
        let (count, head_dim, padded) = (out.rows(), self.config.head_dim, self.cache.padded());
        let first_head = out.start / head_dim;
        let heads = out.count / head_dim;
        let head = self.cache.head(self.layer, first_head / self.config.heads_per_kv_head());
        let rows = count * heads;
        let mut queries = vec![0.0; rows * head_dim];
        #[expect(clippy::cast_precision_loss, reason = "a head's size is a small number")]
        let scale = 1.0 / (head_dim as f32).sqrt();
        for (row, query) in queries.chunks_exact_mut(head_dim).enumerate() {
            let place = (from + row / heads) * self.config.query_size() + (first_head + row % heads) * head_dim;
            for (query, value) in query.iter_mut().zip(&self.queries[place..][..head_dim]) {
                *query = value * scale;
            }
        }
        let mut softmax = OnlineSoftmax {
            max: vec![f32::NEG_INFINITY; rows],
            total: vec![0.0; rows],
            values: vec![[0.0; TILE_COLUMNS]; rows * (padded / TILE_COLUMNS)],
            rows,
        };
        let mut keys = vec![0.0; head_dim * TILE];
        let mut values = vec![0.0; padded * TILE];
        let last = self.position + from + count - 1;
        for tile in 0..=last / TILE {
            kernels::f16_to_f32(self.simd, head.keys(tile, head_dim), &mut keys);
            kernels::f16_to_f32(self.simd, head.values(tile, padded), &mut values);
            for start in (0..rows).step_by(TILE_ROWS) {
                let chunk = start..rows.min(start + TILE_ROWS);
                let visible = |row: usize| (self.position + from + row / heads + 1).saturating_sub(tile * TILE).min(TILE);
                let left =
                    Left { values: &queries[start * head_dim..], stride: head_dim, rows: chunk.len(), depth: head_dim };
                softmax.add(self.simd, chunk, left, &keys, &values, &visible);
            }
        }
        for row in 0..rows {
            let place = row % heads * head_dim;
            let target = &mut out.row(row / heads)[place..place + head_dim];
            let inverse = 1.0 / softmax.total[row];
            for (at, target) in target.iter_mut().enumerate() {
                *target = softmax.values[at / TILE_COLUMNS * rows + row][at % TILE_COLUMNS] * inverse;
            }
        }
    }
}

/// The running sums of each row, which is one query head of one token.
struct OnlineSoftmax {
    max: Vec<f32>,
    total: Vec<f32>,
    /// In runs of 32 dimensions; in a run, one entry for each row.
    values: Vec<[f32; TILE_COLUMNS]>,
    rows: usize,
}

impl OnlineSoftmax {
    /// Adds a tile for up to four rows; `visible` returns how many of its positions a row may attend to.
    fn add(
        &mut self,
        simd: Simd,
        rows: std::ops::Range<usize>,
        left: Left<'_>,
        keys: &[f32],
        values: &[f32],
        visible: &dyn Fn(usize) -> usize,
    ) {
        let mut scores = [[0.0; TILE_COLUMNS]; TILE_ROWS];
        kernels::matmul_f32(simd, left, keys, TILE, &mut scores);
        for (row, scores) in rows.clone().zip(&mut scores) {
            let visible = visible(row);
            if visible == 0 {
                *scores = [0.0; TILE_COLUMNS];
                continue;
            }
            scores[visible..].fill(f32::NEG_INFINITY);
            let max = scores.iter().fold(self.max[row], |max, &score| if score > max { score } else { max });
            let total = kernels::softmax_terms(simd, scores, max);
            if max > self.max[row] {
                let rescale = if self.total[row] > 0.0 { (self.max[row] - max).exp() } else { 0.0 };
                self.total[row] *= rescale;
                for run in self.values.chunks_exact_mut(self.rows) {
                    kernels::scale(simd, &mut run[row], rescale);
                }
                self.max[row] = max;
            }
            self.total[row] += total;
        }
        let padded = self.values.len() / self.rows * TILE_COLUMNS;
        let left = Left { values: scores.as_flattened(), stride: TILE_COLUMNS, rows: rows.len(), depth: TILE };
        for (run, sums) in self.values.chunks_exact_mut(self.rows).enumerate() {
            kernels::matmul_f32(simd, left, &values[run * TILE_COLUMNS..], padded, &mut sums[rows.clone()]);
        }
    }
}
