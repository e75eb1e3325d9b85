//! Everything that can go wrong with a model, by name, with what to do about it.

use std::path::PathBuf;

/// Why weights could not be loaded, or a chat not be answered.
#[derive(Debug, thiserror::Error)]
pub enum ModelError {
    /// The file could not be opened or read.
    #[error("the file cannot be read: {source}")]
    Read {
        /// The file.
        path: PathBuf,
        /// What the system said.
        source: std::io::Error,
    },
    /// The file does not begin as a GGUF file does.
    #[error("this is no GGUF file: it does not begin as one")]
    NotGguf {
        /// The file.
        path: PathBuf,
    },
    /// A version of the file format that is not known here.
    #[error("GGUF version {version} is not known here (versions 2 and 3 are)")]
    Version {
        /// What the file says.
        version: u32,
    },
    /// The file ends before what it announces.
    #[error("the file is truncated or corrupted: {what} does not fit into its {length} bytes; fetch it again")]
    Truncated {
        /// What was being read.
        what: String,
        /// The file's length.
        length: u64,
    },
    /// The file contradicts itself or the format.
    #[error("the file is corrupted: {what}; fetch it again")]
    Corrupt {
        /// What is wrong.
        what: String,
    },
    /// A key of metadata that inference needs is not there.
    #[error("the file has no metadata `{key}`, which this model needs")]
    MissingMetadata {
        /// The key.
        key: String,
    },
    /// A key of metadata has a value that cannot be used.
    #[error("metadata `{key}` cannot be used: {why}")]
    BadMetadata {
        /// The key.
        key: String,
        /// What is wrong with the value.
        why: String,
    },
    /// An architecture that this program does not compute.
    #[error("architecture `{name}` is not known here (known: {known})")]
    UnknownArchitecture {
        /// What the file says.
        name: String,
        /// What could be read instead.
        known: String,
    },
    /// A quantisation that this program does not read.
    #[error("tensor `{tensor}` is stored as {kind}, which is not known here (known: {known})")]
    UnknownQuantisation {
        /// The tensor.
        tensor: String,
        /// Its type, by name or number.
        kind: String,
        /// What could be read instead.
        known: String,
    },
    /// A tensor that the architecture needs is not in the file.
    #[error("the file has no tensor `{name}`, which this architecture needs")]
    MissingTensor {
        /// The tensor.
        name: String,
    },
    /// A tensor has another shape than the metadata says.
    #[error("tensor `{name}` has shape {found:?}, where the metadata wants {wanted:?}")]
    TensorShape {
        /// The tensor.
        name: String,
        /// What the file holds.
        found: Vec<u64>,
        /// What the metadata asks for.
        wanted: Vec<u64>,
    },
    /// The tokenizer in the file cannot be used.
    #[error("the file's tokenizer cannot be used: {what}")]
    Tokenizer {
        /// What is wrong.
        what: String,
    },
    /// The file says nothing about how a chat is written.
    #[error("the file has no chat template, so it holds no model for chats; use an instruct model")]
    NoTemplate,
    /// The chat template failed.
    #[error("the file's chat template failed: {what}")]
    Template {
        /// What the template engine said.
        what: String,
    },
    /// There is not enough memory.
    #[error(
        "{what} needs {needed_mb} MB of memory, and {available_mb} MB are available; \
         end other programs, raise the limit that is set for this one (ulimit, control group), or use a smaller model"
    )]
    NoMemory {
        /// For what.
        what: &'static str,
        /// How much it takes, in millions of bytes.
        needed_mb: u64,
        /// How much there is, in millions of bytes.
        available_mb: u64,
    },
    /// Prompt and answer do not fit into the context.
    #[error(
        "a prompt of {prompt} tokens and an answer of up to {answer} do not fit into a context of {context} tokens; \
         shorten one of them"
    )]
    ContextFull {
        /// Tokens of the prompt.
        prompt: usize,
        /// Tokens asked for.
        answer: usize,
        /// Tokens that fit.
        context: usize,
    },
    /// The schema cannot be made into a grammar.
    #[error("the answer cannot be held to this JSON Schema: {what}")]
    Schema {
        /// What is wrong with it.
        what: String,
    },
    /// No answer that fits the schema is short enough.
    #[error("an answer that fits the JSON Schema takes at least {needed} tokens, and {max_tokens} are allowed")]
    SchemaNeedsMore {
        /// Tokens of the shortest answer that was found.
        needed: usize,
        /// Tokens asked for.
        max_tokens: usize,
    },
    /// A thread could not be started.
    #[error("a thread could not be started: {0}")]
    Threads(#[source] std::io::Error),
}

impl ModelError {
    pub(crate) fn corrupt(what: impl Into<String>) -> Self {
        Self::Corrupt { what: what.into() }
    }

    pub(crate) fn bad(key: impl Into<String>, why: impl Into<String>) -> Self {
        Self::BadMetadata { key: key.into(), why: why.into() }
    }
}
