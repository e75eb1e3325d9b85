//! Why weights cannot be loaded or a chat cannot be answered.

use std::path::PathBuf;

#[derive(Debug, thiserror::Error)]
pub enum ModelError {
    #[error("the file can't be read: {source}")]
    Read { path: PathBuf, source: std::io::Error },
    #[error("this is not a GGUF file: it does not begin as one")]
    NotGguf { path: PathBuf },
    #[error("GGUF version {version} is not supported (supported: 2, 3)")]
    Version { version: u32 },
    #[error("the file is truncated or corrupted: {what} does not fit into its {length} bytes; fetch it again")]
    Truncated { what: String, length: u64 },
    /// The file contradicts itself or the format.
    #[error("the file is corrupted: {what}; fetch it again")]
    Corrupt { what: String },
    #[error("the file has no metadata `{key}`, which this model needs")]
    MissingMetadata { key: String },
    #[error("metadata `{key}` can't be used: {why}")]
    BadMetadata { key: String, why: String },
    #[error("architecture `{name}` is not supported (supported: {supported})")]
    UnsupportedArchitecture { name: String, supported: String },
    #[error("tensor `{tensor}` is stored as {dtype}, which is not supported (supported: {supported})")]
    UnsupportedTensorType { tensor: String, dtype: String, supported: String },
    #[error("the file has no tensor `{name}`, which this architecture needs")]
    MissingTensor { name: String },
    #[error("tensor `{name}` has shape {found:?}, but the metadata asks for {expected:?}")]
    TensorShape { name: String, found: Vec<u64>, expected: Vec<u64> },
    #[error("the file's tokenizer can't be used: {what}")]
    Tokenizer { what: String },
    #[error("the file has no chat template, so it is not a chat model; use an instruct model")]
    NoTemplate,
    #[error("the file's chat template failed: {what}")]
    Template { what: String },
    #[error(
        "{what} needs {needed_mb} MB of memory, and {available_mb} MB are available; \
         end other programs, raise the limit that is set for this one (ulimit, control group), or use a smaller model"
    )]
    NoMemory { what: &'static str, needed_mb: u64, available_mb: u64 },
    #[error(
        "a prompt of {prompt} tokens and an answer of up to {answer} do not fit into a context of {context} tokens; \
         shorten one of them"
    )]
    ContextFull { prompt: usize, answer: usize, context: usize },
    #[error("this JSON Schema can't be enforced: {what}")]
    Schema { what: String },
    /// `needed` is the length of the shortest answer that was found.
    #[error("an answer that fits the JSON Schema takes at least {needed} tokens, and {max_tokens} are allowed")]
    SchemaNeedsMore { needed: usize, max_tokens: usize },
    #[error("a thread could not be started: {0}")]
    Threads(#[source] std::io::Error),
}

impl ModelError {
    pub(crate) fn corrupt(what: impl Into<String>) -> Self {
        Self::Corrupt { what: what.into() }
    }

    pub(crate) fn missing(key: impl Into<String>) -> Self {
        Self::MissingMetadata { key: key.into() }
    }

    pub(crate) fn bad(key: impl Into<String>, why: impl Into<String>) -> Self {
        Self::BadMetadata { key: key.into(), why: why.into() }
    }

    pub(crate) fn tokenizer(what: impl Into<String>) -> Self {
        Self::Tokenizer { what: what.into() }
    }

    pub(crate) fn template(what: impl Into<String>) -> Self {
        Self::Template { what: what.into() }
    }
}
