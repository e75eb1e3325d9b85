//! The hyperparameters of a model, read from GGUF metadata and checked against limits.

use crate::error::ModelError;
use crate::gguf::Gguf;

/// The supported architectures. They differ in RoPE, and in which tensors are present.
const ARCHITECTURES: [(&str, Rope); 3] = [("llama", Rope::Interleaved), ("qwen2", Rope::NeoX), ("qwen3", Rope::NeoX)];

/// Which elements of a head RoPE rotates together.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Rope {
    /// The first with the second, the third with the fourth.
    Interleaved,
    /// Each of the first half with its counterpart in the second half.
    NeoX,
}

pub(crate) struct Config {
    pub(crate) layers: usize,
    pub(crate) hidden_size: usize,
    pub(crate) ffn_size: usize,
    pub(crate) heads: usize,
    /// Several query heads share one.
    pub(crate) kv_heads: usize,
    pub(crate) head_dim: usize,
    pub(crate) vocab_size: usize,
    /// The context length that the model was trained for.
    pub(crate) context: usize,
    pub(crate) rms_eps: f32,
    pub(crate) rope: Rope,
    /// The angle per position of each rotated pair.
    pub(crate) rope_freqs: Vec<f32>,
}

/// Heads are copied to buffers of this size on the stack.
pub(crate) const MAX_HEAD_DIM: usize = 512;

impl Config {
    pub(crate) fn read(gguf: &Gguf) -> Result<Self, ModelError> {
        let data = &gguf.metadata;
        let name = data.string("general.architecture")?.ok_or_else(|| ModelError::missing("general.architecture"))?;
        let rope = ARCHITECTURES.iter().find(|known| known.0 == name).map(|known| known.1);
        let rope = rope.ok_or_else(|| ModelError::UnsupportedArchitecture {
            name: name.to_owned(),
            supported: ARCHITECTURES.map(|known| known.0).join(", "),
        })?;
        let key = |suffix: &str| format!("{name}.{suffix}");
        let hidden_size = data.required_size(&key("embedding_length"), 1 << 16)?;
        let heads = data.required_size(&key("attention.head_count"), 1024)?;
        let kv_heads = data.size(&key("attention.head_count_kv"), 1024)?.unwrap_or(heads);
        if !heads.is_multiple_of(kv_heads) {
            let why = format!("{heads} heads can't share {kv_heads}");
            return Err(ModelError::bad(key("attention.head_count_kv"), why));
        }
        let head_dim = data.size(&key("attention.key_length"), MAX_HEAD_DIM)?.unwrap_or((hidden_size / heads).max(1));
        if head_dim > MAX_HEAD_DIM {
            let why = format!("heads of {head_dim} elements are not supported (at most {MAX_HEAD_DIM})");
            return Err(ModelError::bad(key("attention.head_count"), why));
        }
        let same = |suffix: &str| Ok::<_, ModelError>(data.u64(&key(suffix))?.is_none_or(|size| size == head_dim as u64));
        if !same("attention.value_length")? || !head_dim.is_multiple_of(2) {
            return Err(ModelError::bad(key("attention.key_length"), "keys and values must have the same, even length"));
        }
        if !same("rope.dimension_count")? {
            return Err(ModelError::bad(key("rope.dimension_count"), "partial RoPE is not supported"));
        }
        if data.u64(&key("expert_count"))?.is_some_and(|count| count > 0) {
            return Err(ModelError::bad(key("expert_count"), "mixtures of experts are not supported"));
        }
        if let Some(scaling) = data.string(&key("rope.scaling.type"))?.filter(|scaling| *scaling != "none") {
            return Err(ModelError::bad(key("rope.scaling.type"), format!("`{scaling}` is not supported")));
        }
        if gguf.tensors.contains_key("rope_freqs.weight") {
            return Err(ModelError::corrupt("it scales RoPE by a tensor, which is not supported"));
        }
        let base = data.float(&key("rope.freq_base"))?.unwrap_or(10_000.0);
        if base <= 0.0 {
            return Err(ModelError::bad(key("rope.freq_base"), format!("{base} is not positive")));
        }
        #[expect(clippy::cast_precision_loss, reason = "a head's size is a small number")]
        let rope_freq = |pair: usize| base.powf(-(2.0 * pair as f32) / head_dim as f32);
        let rms_eps = key("attention.layer_norm_rms_epsilon");
        let vocab_size = data.strings("tokenizer.ggml.tokens")?.map_or(0, <[String]>::len);
        if vocab_size == 0 || vocab_size > 1 << 21 {
            return Err(ModelError::bad("tokenizer.ggml.tokens", format!("a vocabulary of {vocab_size} tokens")));
        }
        Ok(Self {
            layers: data.required_size(&key("block_count"), 1024)?,
            hidden_size,
            ffn_size: data.required_size(&key("feed_forward_length"), 1 << 20)?,
            heads,
            kv_heads,
            head_dim,
            vocab_size,
            context: data.required_size(&key("context_length"), 1 << 24)?,
            rms_eps: data.float(&rms_eps)?.ok_or_else(|| ModelError::missing(rms_eps))?,
            rope,
            rope_freqs: (0..head_dim / 2).map(rope_freq).collect(),
        })
    }

    /// The size of all query heads of a token.
    pub(crate) fn query_size(&self) -> usize {
        self.heads * self.head_dim
    }

    pub(crate) fn heads_per_kv_head(&self) -> usize {
        self.heads / self.kv_heads
    }

    /// The size of all key heads of a token, and of all value heads.
    pub(crate) fn kv_size(&self) -> usize {
        self.kv_heads * self.head_dim
    }
}
