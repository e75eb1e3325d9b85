//! A loaded model: weights, tokenizer and chat template of one file, shared by all sessions.

use std::path::Path;
use std::sync::{Arc, OnceLock};
use std::thread;

use crate::chat_template::{ChatTemplate, Message};
use crate::config::Config;
use crate::error::ModelError;
use crate::fair_lock::FairLock;
use crate::gguf::Gguf;
use crate::grammar::Grammars;
use crate::kernels::Simd;
use crate::memory;
use crate::session::Session;
use crate::thread_pool::ThreadPool;
use crate::tokenizer::Tokenizer;
use crate::transformer::{Buffers, Transformer};
use crate::weights;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LoadOptions {
    /// 0 for one thread per core up to two, and half of more cores, up to eight.
    pub threads: usize,
    /// The longest conversation in tokens, if the model supports as much. Memory is taken as a conversation grows.
    pub context: usize,
    /// Use no instructions beyond these, even if the processor has them: for tests and benchmarks.
    pub max_simd: Simd,
}

impl Default for LoadOptions {
    fn default() -> Self {
        Self { threads: 0, context: 8192, max_simd: Simd::Avx512 }
    }
}

pub struct Model {
    pub(crate) transformer: Transformer,
    pub(crate) tokenizer: Arc<Tokenizer>,
    /// One session computes at a time.
    pub(crate) compute: FairLock<(ThreadPool, Buffers)>,
    template: Option<ChatTemplate>,
    grammars: OnceLock<Grammars>,
    name: String,
    /// The longest conversation in tokens, prompt and answer together.
    pub(crate) context: usize,
}

/// The longest string of a [`Header`].
const MAX_STRING: usize = 256;

/// What a GGUF file says about itself, whatever model it has.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Header {
    pub architecture: Option<String>,
    pub licence: Option<String>,
    pub context: Option<u64>,
}

impl Model {
    /// Checks everything about a GGUF file except its weights: that it is complete, that its architecture, tokenizer and
    /// chat template are supported, and that it fits into memory. Returns the context length that it was trained for.
    pub fn inspect(path: &Path) -> Result<usize, ModelError> {
        let gguf = Gguf::open(path)?;
        let (config, _, template) = read_head(&gguf)?;
        template.ok_or(ModelError::NoTemplate)?;
        Ok(config.context)
    }

    /// Checks that a GGUF file is complete: that every tensor is within it. Of the model only the tensor types are checked.
    pub fn check_whole(path: &Path) -> Result<Header, ModelError> {
        let data = Gguf::open(path)?.metadata;
        let string = |key: &str| data.string(key).ok().flatten().map(|text| text.chars().take(MAX_STRING).collect());
        let architecture: Option<String> = string("general.architecture");
        let context = architecture.as_ref().and_then(|name| data.u64(&format!("{name}.context_length")).ok().flatten());
        Ok(Header { architecture, licence: string("general.license"), context })
    }

    /// Reads a GGUF file into memory. The file is not needed afterwards.
    pub fn load(path: &Path, options: LoadOptions) -> Result<Self, ModelError> {
        // Never more than the processor has: the kernels rely on it.
        let simd = Simd::detect().min(options.max_simd);
        let mut gguf = Gguf::open(path)?;
        let (config, tokenizer, template) = read_head(&gguf)?;
        let pool = ThreadPool::new(if options.threads == 0 { default_threads() } else { options.threads })?;
        let transformer = Transformer::load(&mut gguf, config, simd)?;
        let name = gguf.metadata.string("general.name").ok().flatten().map(str::to_owned);
        let file_name = || path.file_stem().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        Ok(Self {
            context: transformer.config.context.min(options.context.max(1)),
            transformer,
            tokenizer: Arc::new(tokenizer),
            compute: FairLock::new((pool, Buffers::default())),
            template,
            grammars: OnceLock::new(),
            name: name.unwrap_or_else(file_name),
        })
    }

    /// The name in the metadata, else the file's.
    pub fn name(&self) -> &str {
        &self.name
    }

    pub fn session(self: &Arc<Self>) -> Session {
        Session::new(Arc::clone(self))
    }

    /// The tokens of a text, for tests and benchmarks.
    #[doc(hidden)]
    pub fn tokens(&self, text: &str) -> Vec<u32> {
        self.tokenizer.encode(text)
    }

    /// The tokens of the prompt, for tests.
    #[doc(hidden)]
    pub fn prompt(&self, messages: &[Message]) -> Result<Vec<u32>, ModelError> {
        self.template.as_ref().ok_or(ModelError::NoTemplate)?.prompt(&self.tokenizer, messages)
    }

    /// Built when the first schema is used.
    pub(crate) fn grammars(&self) -> Result<&Grammars, ModelError> {
        if let Some(grammars) = self.grammars.get() {
            return Ok(grammars);
        }
        let grammars = Grammars::new(&self.tokenizer)?;
        Ok(self.grammars.get_or_init(|| grammars))
    }
}

/// Reads everything but the weights, and checks that these fit into memory.
fn read_head(gguf: &Gguf) -> Result<(Config, Tokenizer, Option<ChatTemplate>), ModelError> {
    let config = Config::read(gguf)?;
    let tokenizer = Tokenizer::read(&gguf.metadata)?;
    let template = gguf.metadata.string("tokenizer.chat_template")?.map(ChatTemplate::new).transpose()?;
    let needed: u64 = gguf.tensors.values().map(weights::packed_bytes).sum();
    // A little more for the buffers.
    memory::check("this model", needed + needed / 20)?;
    Ok((config, tokenizer, template))
}

/// Tools often run during a debate, so not all of many cores are used.
fn default_threads() -> usize {
    match thread::available_parallelism().map_or(1, usize::from) {
        few @ 0..=2 => few,
        many => many.div_ceil(2).min(8),
    }
}
