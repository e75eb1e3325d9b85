//! A model in memory: weights, tokenizer and template of one file, shared by all conversations with it.

use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};
use std::thread;

use crate::error::ModelError;
use crate::gguf::Gguf;
use crate::grammar::Vocabulary;
use crate::kernels::Level;
use crate::matrix;
use crate::memory;
use crate::network::{Desk, Network};
use crate::session::Session;
use crate::shape::Shape;
use crate::template::{Message, Template};
use crate::tokens::Tokenizer;
use crate::turns::Turns;

/// How weights are loaded.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LoadOptions {
    /// How many threads compute; 0 for both of two cores, and half of more, up to eight.
    pub threads: usize,
    /// The longest conversation, in tokens, if the model can read as much. A conversation takes memory as it grows.
    pub context: usize,
    /// No further instructions than these are used, even if the processor has them: for measuring and comparing.
    pub at_most: Level,
}

impl Default for LoadOptions {
    fn default() -> Self {
        Self { threads: 0, context: 8192, at_most: Level::Avx512 }
    }
}

/// What a model is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct About {
    /// The name in the file, or the file's own.
    pub name: String,
    /// How the network is built.
    pub architecture: String,
    /// How many weights it has.
    pub parameters: u64,
    /// How most of its weights are stored.
    pub quantisation: String,
    /// The longest conversation, prompt and answer together, in tokens.
    pub context: usize,
    /// The longest conversation that it was trained for.
    pub trained_context: usize,
    /// The licence, if the file names one.
    pub licence: Option<String>,
    /// The file.
    pub path: PathBuf,
    /// The file's length in bytes.
    pub file_bytes: u64,
    /// What the weights take in memory, in bytes.
    pub memory_bytes: usize,
    /// How many threads compute.
    pub threads: usize,
    /// Which instructions of the processor are used.
    pub instructions: &'static str,
}

/// A model in memory.
#[derive(Debug)]
pub struct Model {
    pub(crate) network: Network,
    pub(crate) tokenizer: Arc<Tokenizer>,
    pub(crate) desk: Turns<Desk>,
    template: Option<Template>,
    vocabulary: OnceLock<Vocabulary>,
    about: About,
}

/// What the head of a file says, before any weights are read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Outline {
    /// How the network is built.
    pub architecture: String,
    /// The longest conversation that it was trained for, in tokens.
    pub trained_context: usize,
}

/// The longest text of a label that is kept.
const LONGEST_LABEL: usize = 256;

/// What a file says of itself, whatever it is a model of.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Label {
    /// The kind of model, such as `llama`.
    pub architecture: Option<String>,
    /// Its licence, as its makers wrote it.
    pub licence: Option<String>,
    /// How many tokens it can keep in mind.
    pub context: Option<u64>,
}

impl Model {
    /// Looks at a GGUF file as far as can be without reading its weights: whether it is whole, and whether architecture,
    /// tokenizer, template and memory are such that it could be loaded now.
    pub fn inspect(path: &Path) -> Result<Outline, ModelError> {
        let mut gguf = Gguf::open(path)?;
        let shape = Shape::read(&mut gguf)?;
        Tokenizer::read(&gguf.metadata)?;
        gguf.metadata.text("tokenizer.chat_template")?.map(Template::new).transpose()?.ok_or(ModelError::NoTemplate)?;
        check_memory(&gguf)?;
        Ok(Outline { architecture: shape.architecture.clone(), trained_context: shape.context })
    }

    /// Whether a GGUF file is whole: every tensor that its head names lies within it. What it is a model of is not asked.
    pub fn check_whole(path: &Path) -> Result<Label, ModelError> {
        let data = Gguf::open(path)?.metadata;
        let text = |key: &str| data.text(key).ok().flatten().map(|text| text.chars().take(LONGEST_LABEL).collect());
        let architecture: Option<String> = text("general.architecture");
        let context = architecture.as_ref().and_then(|name| data.u64(&format!("{name}.context_length")).ok());
        Ok(Label { architecture, licence: text("general.license"), context })
    }

    /// Reads a GGUF file into memory. The file is not needed afterwards.
    pub fn load(path: &Path, options: LoadOptions) -> Result<Self, ModelError> {
        // Never more than the processor has: kernels rely on it.
        let level = Level::detect().min(options.at_most);
        let mut gguf = Gguf::open(path)?;
        let shape = Shape::read(&mut gguf)?;
        let tokenizer = Arc::new(Tokenizer::read(&gguf.metadata)?);
        let template = gguf.metadata.text("tokenizer.chat_template")?.map(Template::new).transpose()?;
        check_memory(&gguf)?;
        let threads = if options.threads == 0 { default_threads() } else { options.threads };
        let desk = Desk::new(threads)?;
        let network = Network::load(&mut gguf, shape, level)?;
        let (parameters, memory_bytes) = network.size();
        let text = |key: &str| gguf.metadata.text(key).ok().flatten().map(str::to_owned);
        let file_name = || path.file_stem().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        let about = About {
            name: text("general.name").unwrap_or_else(file_name),
            architecture: network.shape.architecture.clone(),
            parameters,
            quantisation: quantisation(&gguf),
            context: network.shape.context.min(options.context.max(1)),
            trained_context: network.shape.context,
            licence: text("general.license"),
            path: path.to_owned(),
            file_bytes: gguf.length(),
            memory_bytes,
            threads,
            instructions: level.name(),
        };
        Ok(Self { network, tokenizer, desk: Turns::new(desk), template, vocabulary: OnceLock::new(), about })
    }

    /// What it is.
    pub fn about(&self) -> &About {
        &self.about
    }

    /// A new conversation with memory of its own.
    pub fn session(self: &Arc<Self>) -> Session {
        Session::new(Arc::clone(self))
    }

    /// How many tokens the prompt of a conversation has.
    pub fn count_tokens(&self, messages: &[Message]) -> Result<usize, ModelError> {
        Ok(self.prompt(messages)?.len())
    }

    /// How many tokens a text has by itself.
    pub fn count_text(&self, text: &str) -> usize {
        self.tokenizer.text(text).len()
    }

    /// The tokens of a text by itself. This is for comparing.
    #[doc(hidden)]
    pub fn tokens(&self, text: &str) -> Vec<u32> {
        self.tokenizer.text(text)
    }

    /// The prompt's tokens.
    pub(crate) fn prompt(&self, messages: &[Message]) -> Result<Vec<u32>, ModelError> {
        let template = self.template.as_ref().ok_or(ModelError::NoTemplate)?;
        template.prompt(&self.tokenizer, messages)
    }

    /// The vocabulary as grammars need it, built when the first one does.
    pub(crate) fn vocabulary(&self) -> Result<&Vocabulary, ModelError> {
        if let Some(vocabulary) = self.vocabulary.get() {
            return Ok(vocabulary);
        }
        let vocabulary = Vocabulary::new(&self.tokenizer)?;
        Ok(self.vocabulary.get_or_init(|| vocabulary))
    }
}

/// Whether there is room for the weights, and a little more for what is computed between them.
fn check_memory(gguf: &Gguf) -> Result<(), ModelError> {
    let needed: u64 = gguf.tensors.values().map(matrix::packed_bytes).sum();
    memory::check("this model", needed + needed / 20)
}

/// Tools often run beside a debate, so that not all of many cores are taken.
fn default_threads() -> usize {
    match thread::available_parallelism().map_or(1, usize::from) {
        few @ 0..=2 => few,
        many => many.div_ceil(2).min(8),
    }
}

/// The kind that stores the most weights.
fn quantisation(gguf: &Gguf) -> String {
    let mut counts: Vec<(&str, u64)> = Vec::new();
    for tensor in gguf.tensors.values() {
        let count = tensor.shape.iter().product::<u64>();
        match counts.iter_mut().find(|entry| entry.0 == tensor.kind.name()) {
            Some(entry) => entry.1 += count,
            None => counts.push((tensor.kind.name(), count)),
        }
    }
    counts.into_iter().max_by_key(|entry| entry.1).map_or_else(String::new, |entry| entry.0.to_owned())
}
