//! From a conversation to a prompt, by the chat template that the weights' file carries.
//!
//! The template sees a stand-in for each message's text. So its own words and the texts can be told apart afterwards, and
//! a text that spells out a special token stays text.

use std::io::{self, Write};

use minijinja::syntax::SyntaxConfig;
use minijinja::{Environment, Error, ErrorKind, context};

use crate::error::ModelError;
use crate::tokens::{Part, Tokenizer};

/// Who speaks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Role {
    /// The rules of the conversation.
    System,
    /// Whoever asks.
    User,
    /// The model.
    Assistant,
}

/// One message of a conversation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Message {
    /// Who speaks.
    pub role: Role,
    /// What is said. Names of special tokens in it are letters like any others.
    pub text: String,
}

impl Message {
    /// A message of the rules.
    pub fn system(text: impl Into<String>) -> Self {
        Self { role: Role::System, text: text.into() }
    }

    /// A message of whoever asks.
    pub fn user(text: impl Into<String>) -> Self {
        Self { role: Role::User, text: text.into() }
    }

    /// A message of the model.
    pub fn assistant(text: impl Into<String>) -> Self {
        Self { role: Role::Assistant, text: text.into() }
    }
}

impl Role {
    fn name(self) -> &'static str {
        match self {
            Self::System => "system",
            Self::User => "user",
            Self::Assistant => "assistant",
        }
    }
}

/// A chat template.
#[derive(Debug)]
pub(crate) struct Template {
    source: String,
}

/// What stands around a message's number where its text will be: characters that nobody has given a meaning.
const OPEN: char = '\u{10ff00}';
const CLOSE: char = '\u{10ff01}';
/// How many steps a template may take; the longest ones take some ten thousand.
const FUEL: u64 = 5_000_000;
/// How much it may write around the messages, which is some hundred bytes each. Fuel counts steps, however much each
/// writes.
const MOST_BYTES: usize = 1 << 20;

impl Template {
    /// Takes a template whose syntax is right.
    pub(crate) fn new(source: &str) -> Result<Self, ModelError> {
        environment()?.template_from_str(source).map_err(|error| failed(&error))?;
        Ok(Self { source: source.to_owned() })
    }

    /// The prompt's tokens for this conversation, up to where the model's answer begins.
    ///
    /// Some templates know no rules: they refuse them, or leave them out. Then the rules stand at the beginning of the
    /// first question, as the makers of such models advise.
    pub(crate) fn prompt(&self, tokenizer: &Tokenizer, messages: &[Message]) -> Result<Vec<u32>, ModelError> {
        let refused = match self.laid_out(tokenizer, messages, &turns(messages)) {
            Ok(tokens) => return Ok(tokens),
            Err(error) => error,
        };
        let Some(folded) = folded(messages) else { return Err(refused) };
        self.laid_out(tokenizer, messages, &folded).map_err(|_| refused)
    }

    /// The tokens of a prompt in which every message stands.
    fn laid_out(&self, tokenizer: &Tokenizer, messages: &[Message], turns: &[Turn]) -> Result<Vec<u32>, ModelError> {
        let rendered = self.render(tokenizer, turns)?;
        let mut parts = Vec::new();
        let mut seen = vec![false; messages.len()];
        let mut rest = rendered.as_str();
        while let Some((before, after)) = rest.split_once(OPEN) {
            let (number, later) = after.split_once(CLOSE).unwrap_or((after, ""));
            let index: usize =
                number.parse().map_err(|_| ModelError::Template { what: "it tore a message apart".to_owned() })?;
            parts.push(Part::Template(before));
            if let Some(message) = messages.get(index) {
                parts.push(Part::Data(&message.text));
                seen[index] = true;
            }
            rest = later;
        }
        parts.push(Part::Template(rest));
        if let Some(lost) = seen.iter().position(|seen| !seen) {
            let what = format!("it leaves out message {} (of the {})", lost + 1, messages[lost].role.name());
            return Err(ModelError::Template { what });
        }
        Ok(tokenizer.prompt(&parts))
    }

    fn render(&self, tokenizer: &Tokenizer, turns: &[Turn]) -> Result<String, ModelError> {
        let messages: Vec<_> =
            turns.iter().map(|(role, stand_in)| context! { role => role.name(), content => stand_in }).collect();
        let environment = environment()?;
        let template = environment.template_from_str(&self.source).map_err(|error| failed(&error))?;
        let context = context! {
            messages,
            add_generation_prompt => true,
            bos_token => tokenizer.begin_name(),
            eos_token => tokenizer.end_name(),
            enable_thinking => false,
        };
        let mut rendered = Bounded(Vec::new());
        template.render_captured_to(context, &mut rendered).map_err(|error| failed(&error))?;
        String::from_utf8(rendered.0).map_err(|_| ModelError::Template { what: "it wrote what is no text".to_owned() })
    }
}

/// A text that may become so long and no longer: the texts of a conversation are not yet in it.
struct Bounded(Vec<u8>);

impl Write for Bounded {
    fn write(&mut self, part: &[u8]) -> io::Result<usize> {
        if self.0.len() + part.len() > MOST_BYTES {
            return Err(io::Error::other(format!("it writes more than {MOST_BYTES} bytes")));
        }
        self.0.extend_from_slice(part);
        Ok(part.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// A message as the template sees it: who speaks, and what stands for the text.
type Turn = (Role, String);

fn turns(messages: &[Message]) -> Vec<Turn> {
    messages.iter().enumerate().map(|(index, message)| (message.role, stand_in(index))).collect()
}

/// The same with the rules at the beginning of the first question; `None` where there are no rules before one.
fn folded(messages: &[Message]) -> Option<Vec<Turn>> {
    let [rules, question, ..] = messages else { return None };
    if (rules.role, question.role) != (Role::System, Role::User) {
        return None;
    }
    let mut turns = turns(messages);
    turns.remove(0);
    turns[0].1 = format!("{}\n\n{}", stand_in(0), stand_in(1));
    Some(turns)
}

fn stand_in(index: usize) -> String {
    format!("{OPEN}{index}{CLOSE}")
}

fn environment() -> Result<Environment<'static>, ModelError> {
    let mut environment = Environment::new();
    // As the library does that these templates are written for.
    let syntax = SyntaxConfig::builder().trim_blocks(true).lstrip_blocks(true).build();
    environment.set_syntax(syntax.map_err(|error| failed(&error))?);
    environment.set_unknown_method_callback(minijinja_contrib::pycompat::unknown_method_callback);
    environment.set_fuel(Some(FUEL));
    environment.add_function("raise_exception", |why: String| -> Result<String, Error> {
        Err(Error::new(ErrorKind::InvalidOperation, why))
    });
    Ok(environment)
}

fn failed(error: &Error) -> ModelError {
    let inner = std::error::Error::source(error).map_or_else(String::new, |source| format!(": {source}"));
    ModelError::Template { what: format!("{error}{inner}") }
}
