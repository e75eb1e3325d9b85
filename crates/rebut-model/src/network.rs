//! The network: from tokens to the likelihood of the next one. Knows nothing of text.
//!
//! Several tokens are computed at once, so that each weight is fetched once for all of them. What a token's numbers are
//! does not depend on which others are computed beside it, nor on the number of threads.

use crate::attention::Attention;
use crate::cache::Cache;
use crate::error::ModelError;
use crate::gguf::Gguf;
use crate::kernels::{self, Inputs, Level};
use crate::matrix::Matrix;
use crate::quant;
use crate::shape::{MOST_DIMENSIONS, Shape, Turning};
use crate::threads::{Pool, Table};

/// How many tokens are computed at once.
pub(crate) const BATCH: usize = 64;
/// How many tokens' queries are taken together in attention, so that keys are unpacked once for them.
const QUERIES: usize = 16;

/// All weights of a network.
#[derive(Debug)]
pub(crate) struct Network {
    pub(crate) shape: Shape,
    level: Level,
    embedding: Matrix,
    layers: Vec<Layer>,
    norm: Vec<f32>,
    /// Where there is none, the embedding serves for the way out as well.
    output: Option<Matrix>,
}

#[derive(Debug)]
struct Layer {
    attention_norm: Vec<f32>,
    query: Linear,
    key: Linear,
    value: Linear,
    /// Qwen 3 brings queries and keys to a common length, head by head.
    query_norm: Option<Vec<f32>>,
    key_norm: Option<Vec<f32>>,
    attention_out: Linear,
    feed_norm: Vec<f32>,
    gate: Linear,
    up: Linear,
    down: Linear,
}

/// A matrix, and numbers that are added where the architecture has them.
#[derive(Debug)]
struct Linear {
    matrix: Matrix,
    bias: Option<Vec<f32>>,
}

/// What a computation needs besides weights and cache; used by one computation after the other.
#[derive(Debug)]
pub(crate) struct Desk {
    pub(crate) pool: Pool,
    stream: Vec<f32>,
    inputs: Inputs,
    queries: Vec<f32>,
    keys: Vec<f32>,
    values: Vec<f32>,
    results: Vec<f32>,
    gate: Vec<f32>,
    up: Vec<f32>,
    turns: Vec<(f32, f32)>,
    /// The unnormalised likelihoods of all tokens to come next.
    pub(crate) logits: Vec<f32>,
}

impl Desk {
    pub(crate) fn new(threads: usize) -> Result<Self, ModelError> {
        Ok(Self {
            pool: Pool::new(threads)?,
            stream: Vec::new(),
            inputs: Inputs::default(),
            queries: Vec::new(),
            keys: Vec::new(),
            values: Vec::new(),
            results: Vec::new(),
            gate: Vec::new(),
            up: Vec::new(),
            turns: Vec::new(),
            logits: Vec::new(),
        })
    }
}

/// Whether a computation came to its end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Ended {
    Done,
    Cancelled,
}

/// Which tokens' successors are wanted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Wanted {
    /// The tokens are only to be remembered.
    Nothing,
    /// The logits after the last token.
    Last,
}

/// A vector of numbers of this length.
pub(crate) fn numbers(gguf: &mut Gguf, name: &str, length: usize) -> Result<Vec<f32>, ModelError> {
    let tensor = gguf.tensor(name)?.clone();
    if tensor.shape != [length as u64] {
        let wanted = vec![length as u64];
        return Err(ModelError::TensorShape { name: name.to_owned(), found: tensor.shape, wanted });
    }
    let mut bytes = vec![0; length / tensor.kind.block_values() * tensor.kind.block_bytes()];
    gguf.read(&tensor, 0, &mut bytes)?;
    let mut numbers = vec![0.0; length];
    quant::to_singles(tensor.kind, &bytes, &mut numbers);
    Ok(numbers)
}

impl Linear {
    fn load(gguf: &mut Gguf, name: &str, columns: usize, rows: usize) -> Result<Self, ModelError> {
        let matrix = Matrix::load(gguf, &format!("{name}.weight"), columns, rows)?;
        let bias = format!("{name}.bias");
        let bias = gguf.tensors.contains_key(&bias).then(|| numbers(gguf, &bias, rows)).transpose()?;
        Ok(Self { matrix, bias })
    }
}

impl Layer {
    fn load(gguf: &mut Gguf, shape: &Shape, index: usize) -> Result<Self, ModelError> {
        let name = |part: &str| format!("blk.{index}.{part}");
        let (width, feed) = (shape.width, shape.feed);
        let (queries, shared) = (shape.heads * shape.dimensions, shape.shared_heads * shape.dimensions);
        let head_norm = |gguf: &mut Gguf, part: &str| {
            let name = name(part);
            gguf.tensors.contains_key(&name).then(|| numbers(gguf, &name, shape.dimensions)).transpose()
        };
        Ok(Self {
            attention_norm: numbers(gguf, &name("attn_norm.weight"), width)?,
            query: Linear::load(gguf, &name("attn_q"), width, queries)?,
            key: Linear::load(gguf, &name("attn_k"), width, shared)?,
            value: Linear::load(gguf, &name("attn_v"), width, shared)?,
            query_norm: head_norm(gguf, "attn_q_norm.weight")?,
            key_norm: head_norm(gguf, "attn_k_norm.weight")?,
            attention_out: Linear::load(gguf, &name("attn_output"), queries, width)?,
            feed_norm: numbers(gguf, &name("ffn_norm.weight"), width)?,
            gate: Linear::load(gguf, &name("ffn_gate"), width, feed)?,
            up: Linear::load(gguf, &name("ffn_up"), width, feed)?,
            down: Linear::load(gguf, &name("ffn_down"), feed, width)?,
        })
    }

    fn matrices(&self) -> [&Matrix; 7] {
        [&self.query, &self.key, &self.value, &self.attention_out, &self.gate, &self.up, &self.down]
            .map(|linear| &linear.matrix)
    }
}

impl Network {
    /// Reads all weights.
    pub(crate) fn load(gguf: &mut Gguf, shape: Shape, level: Level) -> Result<Self, ModelError> {
        let embedding = Matrix::load(gguf, "token_embd.weight", shape.width, shape.vocabulary)?;
        let output = gguf.tensors.contains_key("output.weight");
        let output = output.then(|| Matrix::load(gguf, "output.weight", shape.width, shape.vocabulary)).transpose()?;
        let norm = numbers(gguf, "output_norm.weight", shape.width)?;
        let layers = (0..shape.layers).map(|index| Layer::load(gguf, &shape, index)).collect::<Result<_, _>>()?;
        Ok(Self { shape, level, embedding, layers, norm, output })
    }

    /// An empty cache for a session of its own.
    pub(crate) fn cache(&self) -> Cache {
        Cache::new(self.shape.layers, self.shape.shared_heads, self.shape.dimensions)
    }

    /// How many weights there are, and how many bytes they take.
    pub(crate) fn size(&self) -> (u64, usize) {
        let matrices = self.layers.iter().flat_map(Layer::matrices).chain([&self.embedding]).chain(&self.output);
        matrices
            .fold((0, 0), |(count, bytes), matrix| (count + (matrix.rows * matrix.columns) as u64, bytes + matrix.bytes()))
    }

    /// Computes up to [`BATCH`] tokens that follow `position` others, and remembers them in the cache, which must have room.
    pub(crate) fn read(
        &self,
        desk: &mut Desk,
        cache: &mut Cache,
        position: usize,
        tokens: &[u32],
        wanted: Wanted,
        cancelled: &dyn Fn() -> bool,
    ) -> Ended {
        let (width, count) = (self.shape.width, tokens.len());
        desk.stream.resize(count * width, 0.0);
        for (token, out) in tokens.iter().zip(desk.stream.chunks_exact_mut(width)) {
            self.embedding.row(*token as usize, out);
        }
        self.turns(&mut desk.turns, position, count);
        for (index, layer) in self.layers.iter().enumerate() {
            if cancelled() {
                return Ended::Cancelled;
            }
            self.attend(desk, cache, index, layer, position, count);
            self.feed(desk, layer, count);
        }
        if wanted == Wanted::Last {
            desk.inputs.reset(1, width);
            let last = &desk.stream[(count - 1) * width..];
            kernels::root_mean_square(self.level, last, &self.norm, self.shape.epsilon, &mut desk.inputs.singles);
            desk.inputs.round(self.level);
            let output = self.output.as_ref().unwrap_or(&self.embedding);
            desk.logits.resize(self.shape.vocabulary, 0.0);
            multiply(&mut desk.pool, self.level, &desk.inputs, 1, &mut [(output, &mut desk.logits)]);
        }
        Ended::Done
    }

    /// How far each pair of numbers is turned at each position.
    fn turns(&self, turns: &mut Vec<(f32, f32)>, position: usize, count: usize) {
        turns.clear();
        for position in position..position + count {
            #[expect(clippy::cast_precision_loss, reason = "positions are below 2^24")]
            turns.extend(self.shape.frequencies.iter().map(|frequency| (position as f32 * frequency).sin_cos()));
        }
    }

    /// Brings each token to a common length and rounds it: what a matrix takes.
    fn norm(&self, stream: &[f32], inputs: &mut Inputs, weights: &[f32], count: usize) {
        let width = self.shape.width;
        inputs.reset(count, width);
        for (token, out) in stream.chunks_exact(width).zip(inputs.singles.chunks_exact_mut(width)) {
            kernels::root_mean_square(self.level, token, weights, self.shape.epsilon, out);
        }
        inputs.round(self.level);
    }

    fn attend(&self, desk: &mut Desk, cache: &mut Cache, index: usize, layer: &Layer, position: usize, count: usize) {
        let shape = &self.shape;
        let (queries, shared) = (shape.heads * shape.dimensions, shape.shared_heads * shape.dimensions);
        self.norm(&desk.stream, &mut desk.inputs, &layer.attention_norm, count);
        desk.queries.resize(count * queries, 0.0);
        desk.keys.resize(count * shared, 0.0);
        desk.values.resize(count * shared, 0.0);
        let Desk { pool, inputs, queries: query, keys, values, .. } = desk;
        let mut work = [(&layer.query.matrix, query), (&layer.key.matrix, keys), (&layer.value.matrix, values)];
        multiply(pool, self.level, inputs, count, &mut work);
        self.add_bias(&layer.query, &mut desk.queries);
        self.add_bias(&layer.key, &mut desk.keys);
        self.add_bias(&layer.value, &mut desk.values);
        self.head_norm(layer.query_norm.as_deref(), &mut desk.queries);
        self.head_norm(layer.key_norm.as_deref(), &mut desk.keys);
        self.turn(&desk.turns, &mut desk.queries, queries);
        self.turn(&desk.turns, &mut desk.keys, shared);
        for token in 0..count {
            let (keys, values) = (&desk.keys[token * shared..][..shared], &desk.values[token * shared..][..shared]);
            cache.write(self.level, index, position + token, keys, values);
        }

        desk.inputs.reset(count, queries);
        let sharing = shape.heads / shape.shared_heads;
        let attention = Attention {
            level: self.level,
            cache,
            layer: index,
            dimensions: shape.dimensions,
            sharing,
            queries: &desk.queries,
            width: queries,
            position,
        };
        // Heads that share keys and values are computed together: unpacking these costs more than multiplying with them.
        let step = shape.dimensions * sharing;
        let rows = desk.inputs.singles.chunks_mut(QUERIES * queries);
        let mut tables: Vec<Table<'_>> = rows.map(|numbers| Table { numbers, width: queries, step }).collect();
        desk.pool.columns(&mut tables, &|table, columns| {
            let from = table * QUERIES;
            attention.fill(from, QUERIES.min(count - from), columns);
        });
        desk.inputs.round(self.level);
        self.add_to_stream(desk, &layer.attention_out, count);
    }

    fn feed(&self, desk: &mut Desk, layer: &Layer, count: usize) {
        let feed = self.shape.feed;
        self.norm(&desk.stream, &mut desk.inputs, &layer.feed_norm, count);
        desk.gate.resize(count * feed, 0.0);
        desk.up.resize(count * feed, 0.0);
        let mut work = [(&layer.gate.matrix, &mut desk.gate), (&layer.up.matrix, &mut desk.up)];
        multiply(&mut desk.pool, self.level, &desk.inputs, count, &mut work);
        self.add_bias(&layer.gate, &mut desk.gate);
        self.add_bias(&layer.up, &mut desk.up);
        desk.inputs.reset(count, feed);
        kernels::gated(self.level, &mut desk.gate, &desk.up);
        desk.inputs.singles.copy_from_slice(&desk.gate);
        desk.inputs.round(self.level);
        self.add_to_stream(desk, &layer.down, count);
    }

    fn add_to_stream(&self, desk: &mut Desk, linear: &Linear, count: usize) {
        desk.results.resize(count * self.shape.width, 0.0);
        let mut work = [(&linear.matrix, &mut desk.results)];
        multiply(&mut desk.pool, self.level, &desk.inputs, count, &mut work);
        self.add_bias(linear, &mut desk.results);
        kernels::add(self.level, &mut desk.stream, &desk.results);
    }

    fn add_bias(&self, linear: &Linear, numbers: &mut [f32]) {
        if let Some(bias) = &linear.bias {
            numbers.chunks_exact_mut(bias.len()).for_each(|token| kernels::add(self.level, token, bias));
        }
    }

    fn head_norm(&self, weights: Option<&[f32]>, numbers: &mut [f32]) {
        let Some(weights) = weights else { return };
        let mut normed = [0.0; MOST_DIMENSIONS];
        for head in numbers.chunks_exact_mut(weights.len()) {
            let normed = &mut normed[..head.len()];
            kernels::root_mean_square(self.level, head, weights, self.shape.epsilon, normed);
            head.copy_from_slice(normed);
        }
    }

    /// Turns the pairs of numbers of every head as far as the token's position says.
    fn turn(&self, turns: &[(f32, f32)], numbers: &mut [f32], width: usize) {
        let pairs = self.shape.dimensions / 2;
        for (token, turns) in numbers.chunks_exact_mut(width).zip(turns.chunks_exact(pairs)) {
            for head in token.chunks_exact_mut(self.shape.dimensions) {
                for (pair, (sine, cosine)) in turns.iter().enumerate() {
                    let (one, other) = match self.shape.turning {
                        Turning::Neighbours => (pair * 2, pair * 2 + 1),
                        Turning::Halves => (pair, pair + pairs),
                    };
                    let (a, b) = (head[one], head[other]);
                    head[one] = a * cosine - b * sine;
                    head[other] = a * sine + b * cosine;
                }
            }
        }
    }
}

/// Multiplies all tokens' inputs with several matrices at once, each into numbers of its own.
fn multiply(pool: &mut Pool, level: Level, inputs: &Inputs, count: usize, work: &mut [(&Matrix, &mut Vec<f32>)]) {
    // Shares are small enough that a thread which comes late finds some, and large enough to be worth asking for.
    let shares = pool.threads() * 6;
    let matrices: Vec<&Matrix> = work.iter().map(|(matrix, _)| *matrix).collect();
    let mut tables: Vec<Table<'_>> = work
        .iter_mut()
        .map(|(matrix, numbers)| {
            let step = matrix.rows.div_ceil(shares).next_multiple_of(matrix.grain());
            Table { numbers: numbers.as_mut_slice(), width: matrix.rows, step }
        })
        .collect();
    pool.columns(&mut tables, &|index, columns| matrices[index].multiply(level, inputs, count, columns));
}
