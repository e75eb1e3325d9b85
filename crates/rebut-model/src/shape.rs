//! A network's measures, read from the file's metadata and held to sane limits.

use crate::error::ModelError;
use crate::gguf::Gguf;

/// The architectures that [`crate::network`] computes. They differ in how positions turn queries and keys, and in tensors
/// that are there or not.
const KNOWN: [(&str, Turning); 3] = [("llama", Turning::Neighbours), ("qwen2", Turning::Halves), ("qwen3", Turning::Halves)];

/// Which numbers of a head are turned together by a position.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Turning {
    /// The first with the second, the third with the fourth.
    Neighbours,
    /// Each of the first half with its counterpart in the second half.
    Halves,
}

/// A network's measures.
#[derive(Debug, Clone)]
pub(crate) struct Shape {
    pub(crate) architecture: String,
    pub(crate) layers: usize,
    /// Numbers of a token between layers.
    pub(crate) width: usize,
    /// Numbers in the middle of a feed-forward part.
    pub(crate) feed: usize,
    pub(crate) heads: usize,
    /// Heads of keys and values; several query heads share one.
    pub(crate) shared_heads: usize,
    /// Numbers of a head.
    pub(crate) dimensions: usize,
    pub(crate) vocabulary: usize,
    /// Tokens that the model was trained to read at once.
    pub(crate) context: usize,
    pub(crate) epsilon: f32,
    pub(crate) turning: Turning,
    /// How fast each pair of numbers turns with the position.
    pub(crate) frequencies: Vec<f32>,
}

/// The most numbers that a head may have: room for one is kept on the stack.
pub(crate) const MOST_DIMENSIONS: usize = 512;

impl Shape {
    pub(crate) fn read(gguf: &mut Gguf) -> Result<Self, ModelError> {
        let data = &gguf.metadata;
        let architecture = data
            .text("general.architecture")?
            .ok_or_else(|| ModelError::MissingMetadata { key: "general.architecture".to_owned() })?
            .to_owned();
        let turning = KNOWN.iter().find(|known| known.0 == architecture).map(|known| known.1);
        let turning = turning.ok_or_else(|| ModelError::UnknownArchitecture {
            name: architecture.clone(),
            known: KNOWN.map(|known| known.0).join(", "),
        })?;
        let key = |name: &str| format!("{architecture}.{name}");
        let layers = data.size(&key("block_count"), 1024)?;
        let width = data.size(&key("embedding_length"), 1 << 16)?;
        let heads = data.size(&key("attention.head_count"), 1024)?;
        let shared_heads = data.size_or(&key("attention.head_count_kv"), 1024, heads)?;
        if !heads.is_multiple_of(shared_heads) {
            return Err(ModelError::bad(
                key("attention.head_count_kv"),
                format!("{heads} heads cannot share {shared_heads}"),
            ));
        }
        let dimensions = data.size_or(&key("attention.key_length"), MOST_DIMENSIONS, (width / heads).max(1))?;
        if dimensions > MOST_DIMENSIONS {
            let why = format!("heads of {dimensions} numbers are larger than any that is known here ({MOST_DIMENSIONS})");
            return Err(ModelError::bad(key("attention.head_count"), why));
        }
        if data.size_or(&key("attention.value_length"), MOST_DIMENSIONS, dimensions)? != dimensions
            || !dimensions.is_multiple_of(2)
        {
            return Err(ModelError::bad(key("attention.key_length"), "keys and values must have the same, even length"));
        }
        if data.size_or(&key("rope.dimension_count"), MOST_DIMENSIONS, dimensions)? != dimensions {
            return Err(ModelError::bad(key("rope.dimension_count"), "heads that are turned in part are not known here"));
        }
        if data.get(&key("expert_count")).is_some() && data.u64(&key("expert_count"))? > 0 {
            return Err(ModelError::bad(key("expert_count"), "mixtures of experts are not known here"));
        }
        let epsilon = data
            .float(&key("attention.layer_norm_rms_epsilon"))?
            .ok_or_else(|| ModelError::MissingMetadata { key: key("attention.layer_norm_rms_epsilon") })?;
        let vocabulary = data.texts("tokenizer.ggml.tokens")?.map_or(0, <[String]>::len);
        if vocabulary == 0 || vocabulary > 1 << 21 {
            return Err(ModelError::bad("tokenizer.ggml.tokens", format!("a vocabulary of {vocabulary} tokens")));
        }
        let shape = Self {
            layers,
            width,
            feed: data.size(&key("feed_forward_length"), 1 << 20)?,
            heads,
            shared_heads,
            dimensions,
            vocabulary,
            context: data.size(&key("context_length"), 1 << 24)?,
            epsilon,
            turning,
            frequencies: Vec::new(),
            architecture,
        };
        shape.with_frequencies(gguf)
    }

    fn with_frequencies(mut self, gguf: &mut Gguf) -> Result<Self, ModelError> {
        let key = |name: &str| format!("{}.{name}", self.architecture);
        let data = &gguf.metadata;
        let base = data.float(&key("rope.freq_base"))?.unwrap_or(10_000.0);
        if base <= 0.0 {
            return Err(ModelError::bad(key("rope.freq_base"), format!("{base} is not positive")));
        }
        let slower = match data.text(&key("rope.scaling.type"))? {
            None | Some("none" | "llama3") => 1.0,
            Some("linear") => data.float(&key("rope.scaling.factor"))?.unwrap_or(1.0),
            Some(other) => {
                let why = format!("`{other}` is not known here (known: none, linear, llama3)");
                return Err(ModelError::bad(key("rope.scaling.type"), why));
            }
        };
        let slower = if slower > 0.0 { slower } else { 1.0 };
        let pairs = self.dimensions / 2;
        // Llama 3 stretches its context by a factor for each pair, which comes as a tensor.
        let factors = if gguf.tensors.contains_key("rope_freqs.weight") {
            crate::network::numbers(gguf, "rope_freqs.weight", pairs)?
        } else {
            vec![1.0; pairs]
        };
        #[expect(clippy::cast_precision_loss, reason = "a head's size is a small number")]
        let frequency =
            |(pair, factor): (usize, f32)| base.powf(-(2.0 * pair as f32) / self.dimensions as f32) / factor / slower;
        self.frequencies = factors.into_iter().enumerate().map(frequency).collect();
        Ok(self)
    }
}
