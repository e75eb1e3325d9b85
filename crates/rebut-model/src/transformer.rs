//! The transformer: from tokens to logits.
//!
//! Several tokens are computed at once, so that each weight is fetched once for all of them. The result of a token does not
//! depend on the rest of its batch, nor on the number of threads.

use crate::attention::Attention;
use crate::config::{Config, MAX_HEAD_DIM, Rope};
use crate::error::ModelError;
use crate::gguf::Gguf;
use crate::kernels::{self, Activations, Simd};
use crate::kv_cache::KvCache;
use crate::thread_pool::{Table, ThreadPool};
use crate::weights::{Matrix, vector};

/// Tokens that are computed at once.
pub(crate) const BATCH: usize = 64;
/// Tokens per call of attention, so that keys and values are converted once for them.
const QUERY_TOKENS: usize = 16;

pub(crate) struct Transformer {
    pub(crate) config: Config,
    simd: Simd,
    embedding: Matrix,
    layers: Vec<Layer>,
    output_norm: Vec<f32>,
    /// If there is none, the output is tied to the embedding.
    output: Option<Matrix>,
}

struct Layer {
    attention_norm: Vec<f32>,
    query: Linear,
    key: Linear,
    value: Linear,
    /// Qwen 3 normalises queries and keys per head.
    query_norm: Option<Vec<f32>>,
    key_norm: Option<Vec<f32>>,
    attention_output: Linear,
    ffn_norm: Vec<f32>,
    ffn_gate: Linear,
    ffn_up: Linear,
    ffn_down: Linear,
}

struct Linear {
    weight: Matrix,
    bias: Option<Vec<f32>>,
}

/// The buffers of a computation, reused by the next one.
#[derive(Default)]
pub(crate) struct Buffers {
    hidden: Vec<f32>,
    x: Activations,
    queries: Vec<f32>,
    keys: Vec<f32>,
    values: Vec<f32>,
    gate: Vec<f32>,
    up: Vec<f32>,
    linear_out: Vec<f32>,
    /// Sine and cosine of each pair at each position.
    rope: Vec<(f32, f32)>,
}

impl Linear {
    fn load(gguf: &mut Gguf, name: &str, columns: usize, rows: usize) -> Result<Self, ModelError> {
        let weight = Matrix::load(gguf, &format!("{name}.weight"), columns, rows)?;
        let bias = optional_vector(gguf, &format!("{name}.bias"), rows)?;
        Ok(Self { weight, bias })
    }
}

fn optional_vector(gguf: &mut Gguf, name: &str, length: usize) -> Result<Option<Vec<f32>>, ModelError> {
    gguf.tensors.contains_key(name).then(|| vector(gguf, name, length)).transpose()
}

impl Layer {
    fn load(gguf: &mut Gguf, config: &Config, index: usize) -> Result<Self, ModelError> {
        let name = |part: &str| format!("blk.{index}.{part}");
        let (hidden, ffn, head_dim) = (config.hidden_size, config.ffn_size, config.head_dim);
        let (query, kv) = (config.query_size(), config.kv_size());
        Ok(Self {
            attention_norm: vector(gguf, &name("attn_norm.weight"), hidden)?,
            query: Linear::load(gguf, &name("attn_q"), hidden, query)?,
            key: Linear::load(gguf, &name("attn_k"), hidden, kv)?,
            value: Linear::load(gguf, &name("attn_v"), hidden, kv)?,
            query_norm: optional_vector(gguf, &name("attn_q_norm.weight"), head_dim)?,
            key_norm: optional_vector(gguf, &name("attn_k_norm.weight"), head_dim)?,
            attention_output: Linear::load(gguf, &name("attn_output"), query, hidden)?,
            ffn_norm: vector(gguf, &name("ffn_norm.weight"), hidden)?,
            ffn_gate: Linear::load(gguf, &name("ffn_gate"), hidden, ffn)?,
            ffn_up: Linear::load(gguf, &name("ffn_up"), hidden, ffn)?,
            ffn_down: Linear::load(gguf, &name("ffn_down"), ffn, hidden)?,
        })
    }
}

impl Transformer {
    pub(crate) fn load(gguf: &mut Gguf, config: Config, simd: Simd) -> Result<Self, ModelError> {
        let embedding = Matrix::load(gguf, "token_embd.weight", config.hidden_size, config.vocab_size)?;
        let output = gguf.tensors.contains_key("output.weight");
        let output =
            output.then(|| Matrix::load(gguf, "output.weight", config.hidden_size, config.vocab_size)).transpose()?;
        let output_norm = vector(gguf, "output_norm.weight", config.hidden_size)?;
        let layers = (0..config.layers).map(|index| Layer::load(gguf, &config, index)).collect::<Result<_, _>>()?;
        Ok(Self { config, simd, embedding, layers, output_norm, output })
    }

    /// Computes up to [`BATCH`] tokens from `position` on and writes them to the KV cache, which must have room. `logits`, if
    /// given, gets the logits after the last token. Returns false if it was cancelled: then the cache has no valid entries for
    /// these tokens.
    pub(crate) fn forward(
        &self,
        (pool, buffers): &mut (ThreadPool, Buffers),
        cache: &mut KvCache,
        position: usize,
        tokens: &[u32],
        logits: Option<&mut Vec<f32>>,
        cancelled: &dyn Fn() -> bool,
    ) -> bool {
        let (hidden_size, count) = (self.config.hidden_size, tokens.len());
        buffers.hidden.resize(count * hidden_size, 0.0);
        for (token, hidden) in tokens.iter().zip(buffers.hidden.chunks_exact_mut(hidden_size)) {
            self.embedding.row(*token as usize, hidden);
        }
        buffers.rope.clear();
        for position in position..position + count {
            #[expect(clippy::cast_precision_loss, reason = "positions are below 2^24")]
            buffers.rope.extend(self.config.rope_freqs.iter().map(|freq| (position as f32 * freq).sin_cos()));
        }
        for (index, layer) in self.layers.iter().enumerate() {
            if cancelled() {
                return false;
            }
            self.attention(pool, buffers, cache, index, position);
            self.ffn(pool, buffers, layer);
        }
        if let Some(logits) = logits {
            self.norm(&buffers.hidden[(count - 1) * hidden_size..], &mut buffers.x, &self.output_norm);
            let output = self.output.as_ref().unwrap_or(&self.embedding);
            logits.resize(self.config.vocab_size, 0.0);
            multiply(pool, self.simd, &buffers.x, &mut [(output, logits)]);
        }
        true
    }

    /// RMS norm of each token, as the activations of the next matrix.
    fn norm(&self, hidden: &[f32], x: &mut Activations, weights: &[f32]) {
        let width = self.config.hidden_size;
        x.resize(hidden.len() / width, width);
        for (token, out) in hidden.chunks_exact(width).zip(x.values.chunks_exact_mut(width)) {
            kernels::rms_norm(self.simd, token, weights, self.config.rms_eps, out);
        }
        x.quantize(self.simd);
    }

    fn attention(&self, pool: &mut ThreadPool, buffers: &mut Buffers, cache: &mut KvCache, index: usize, position: usize) {
        let (config, layer) = (&self.config, &self.layers[index]);
        let (query_size, kv_size) = (config.query_size(), config.kv_size());
        let Buffers { hidden, x, queries, keys, values, rope, .. } = &mut *buffers;
        self.norm(hidden, x, &layer.attention_norm);
        self.linear(pool, x, &mut [(&layer.query, queries), (&layer.key, keys), (&layer.value, values)]);
        self.head_norm(layer.query_norm.as_deref(), queries);
        self.head_norm(layer.key_norm.as_deref(), keys);
        self.rope(rope, queries, query_size);
        self.rope(rope, keys, kv_size);
        for (token, (keys, values)) in keys.chunks_exact(kv_size).zip(values.chunks_exact(kv_size)).enumerate() {
            cache.write(self.simd, index, position + token, keys, values);
        }

        x.resize(x.tokens(), query_size);
        let attention = Attention { simd: self.simd, config, cache, layer: index, queries, position };
        // Heads that share keys and values are computed together: converting these costs more than multiplying them.
        let step = config.head_dim * config.heads_per_kv_head();
        let tables = x.values.chunks_mut(QUERY_TOKENS * query_size).map(|values| Table::new(values, query_size, step));
        pool.fill_columns(&mut tables.collect::<Vec<_>>(), &|table, columns| {
            attention.compute(table * QUERY_TOKENS, columns);
        });
        x.quantize(self.simd);
        self.add_linear(pool, buffers, &layer.attention_output);
    }

    fn ffn(&self, pool: &mut ThreadPool, buffers: &mut Buffers, layer: &Layer) {
        let Buffers { hidden, x, gate, up, .. } = &mut *buffers;
        self.norm(hidden, x, &layer.ffn_norm);
        self.linear(pool, x, &mut [(&layer.ffn_gate, gate), (&layer.ffn_up, up)]);
        kernels::swiglu(self.simd, gate, up);
        x.resize(x.tokens(), self.config.ffn_size);
        x.values.copy_from_slice(gate);
        x.quantize(self.simd);
        self.add_linear(pool, buffers, &layer.ffn_down);
    }

    /// Applies several linear layers to the same activations, each into a buffer of its own.
    fn linear(&self, pool: &mut ThreadPool, x: &Activations, work: &mut [(&Linear, &mut Vec<f32>)]) {
        let mut matrices: Vec<(&Matrix, &mut Vec<f32>)> = Vec::with_capacity(work.len());
        for (linear, out) in &mut *work {
            out.resize(x.tokens() * linear.weight.rows, 0.0);
            matrices.push((&linear.weight, out));
        }
        multiply(pool, self.simd, x, &mut matrices);
        for (linear, out) in work {
            if let Some(bias) = &linear.bias {
                out.chunks_exact_mut(bias.len()).for_each(|token| kernels::add(self.simd, token, bias));
            }
        }
    }

    /// Applies a linear layer and adds the result to the residual stream.
    fn add_linear(&self, pool: &mut ThreadPool, buffers: &mut Buffers, linear: &Linear) {
        let Buffers { hidden, x, linear_out, .. } = buffers;
        self.linear(pool, x, &mut [(linear, linear_out)]);
        kernels::add(self.simd, hidden, linear_out);
    }

    fn head_norm(&self, weights: Option<&[f32]>, values: &mut [f32]) {
        let Some(weights) = weights else { return };
        let mut normed = [0.0; MAX_HEAD_DIM];
        for head in values.chunks_exact_mut(weights.len()) {
            let normed = &mut normed[..head.len()];
            kernels::rms_norm(self.simd, head, weights, self.config.rms_eps, normed);
            head.copy_from_slice(normed);
        }
    }

    fn rope(&self, rope: &[(f32, f32)], values: &mut [f32], width: usize) {
        let pairs = self.config.head_dim / 2;
        for (token, rope) in values.chunks_exact_mut(width).zip(rope.chunks_exact(pairs)) {
            for head in token.chunks_exact_mut(self.config.head_dim) {
                for (pair, (sine, cosine)) in rope.iter().enumerate() {
                    let (one, other) = match self.config.rope {
                        Rope::Interleaved => (pair * 2, pair * 2 + 1),
                        Rope::NeoX => (pair, pair + pairs),
                    };
                    let (a, b) = (head[one], head[other]);
                    head[one] = a * cosine - b * sine;
                    head[other] = a * sine + b * cosine;
                }
            }
        }
    }
}

/// Multiplies the activations of all tokens by several matrices at once, each into a buffer of its own.
fn multiply(pool: &mut ThreadPool, simd: Simd, x: &Activations, work: &mut [(&Matrix, &mut Vec<f32>)]) {
    // Items are small enough that a thread that comes late still finds some, and large enough to be worth asking for.
    let items = pool.threads() * 6;
    let matrices: Vec<&Matrix> = work.iter().map(|(matrix, _)| *matrix).collect();
    let mut tables: Vec<Table<'_>> = work
        .iter_mut()
        .map(|(matrix, out)| {
            let step = matrix.rows.div_ceil(items).next_multiple_of(matrix.group_rows());
            Table::new(out, matrix.rows, step)
        })
        .collect();
    pool.fill_columns(&mut tables, &|index, columns| matrices[index].multiply(simd, x, columns));
}
