//! From a conversation to a prompt, with the chat template in the GGUF file.
//!
//! The template gets a placeholder for the text of each message. So its own text and the messages can be told apart
//! afterwards, and a message that spells out a special token remains text.

use std::io::{self, Write};

use minijinja::syntax::SyntaxConfig;
use minijinja::{Environment, Error, ErrorKind, context};

use crate::error::ModelError;
use crate::tokenizer::{Part, Tokenizer};

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Message {
    role: &'static str,
    /// Names of special tokens in it are ordinary text.
    text: String,
}

impl Message {
    pub fn system(text: impl Into<String>) -> Self {
        Self { role: SYSTEM, text: text.into() }
    }

    pub fn user(text: impl Into<String>) -> Self {
        Self { role: USER, text: text.into() }
    }
}

const SYSTEM: &str = "system";
const USER: &str = "user";

pub(crate) struct ChatTemplate {
    source: String,
}

/// Around the number of a message in its placeholder: unassigned characters.
const OPEN: char = '\u{10ff00}';
const CLOSE: char = '\u{10ff01}';
/// Steps of a template; real ones take some ten thousand.
const FUEL: u64 = 5_000_000;
/// Output of a template without the messages, which is some hundred bytes each. Fuel does not limit it.
const MAX_OUTPUT: usize = 1 << 20;

/// A message as the template sees it: role and placeholder.
type Turn = (&'static str, String);

impl ChatTemplate {
    pub(crate) fn new(source: &str) -> Result<Self, ModelError> {
        environment()?.template_from_str(source).map_err(|error| failed(&error))?;
        Ok(Self { source: source.to_owned() })
    }

    /// The tokens of the prompt, up to where the model's answer begins.
    ///
    /// Some templates reject or drop a system message. Then it is put at the beginning of the user's message, as the makers
    /// of such models advise.
    pub(crate) fn prompt(&self, tokenizer: &Tokenizer, messages: &[Message]) -> Result<Vec<u32>, ModelError> {
        let turn = |(index, message): (usize, &Message)| (message.role, format!("{OPEN}{index}{CLOSE}"));
        let turns: Vec<Turn> = messages.iter().enumerate().map(turn).collect();
        self.encode(tokenizer, messages, &turns).or_else(|error| match turns.as_slice() {
            [(SYSTEM, system), (USER, user), rest @ ..] => {
                let merged = [&[(USER, format!("{system}\n\n{user}"))], rest].concat();
                self.encode(tokenizer, messages, &merged).map_err(|_| error)
            }
            _ => Err(error),
        })
    }

    /// An error if the template drops a message.
    fn encode(&self, tokenizer: &Tokenizer, messages: &[Message], turns: &[Turn]) -> Result<Vec<u32>, ModelError> {
        let rendered = self.render(tokenizer, turns)?;
        let mut parts = Vec::new();
        let mut used = vec![false; messages.len()];
        let mut rest = rendered.as_str();
        while let Some((before, after)) = rest.split_once(OPEN) {
            let (number, later) = after.split_once(CLOSE).unwrap_or((after, ""));
            let index: usize = number.parse().map_err(|_| ModelError::template("it changes the text of a message"))?;
            parts.push(Part::Template(before));
            if let Some(message) = messages.get(index) {
                parts.push(Part::Message(&message.text));
                used[index] = true;
            }
            rest = later;
        }
        parts.push(Part::Template(rest));
        if let Some(lost) = used.iter().position(|used| !used) {
            return Err(ModelError::template(format!("it drops message {} ({})", lost + 1, messages[lost].role)));
        }
        Ok(tokenizer.encode_prompt(&parts))
    }

    fn render(&self, tokenizer: &Tokenizer, turns: &[Turn]) -> Result<String, ModelError> {
        let messages: Vec<_> = turns.iter().map(|(role, content)| context! { role => *role, content }).collect();
        let environment = environment()?;
        let template = environment.template_from_str(&self.source).map_err(|error| failed(&error))?;
        let context = context! {
            messages,
            add_generation_prompt => true,
            bos_token => tokenizer.bos_name(),
            eos_token => tokenizer.eos_name(),
            enable_thinking => false,
        };
        let mut rendered = LimitedOutput(Vec::new());
        template.render_captured_to(context, &mut rendered).map_err(|error| failed(&error))?;
        String::from_utf8(rendered.0).map_err(|_| ModelError::template("its output is not UTF-8"))
    }
}

struct LimitedOutput(Vec<u8>);

impl Write for LimitedOutput {
    fn write(&mut self, part: &[u8]) -> io::Result<usize> {
        if self.0.len() + part.len() > MAX_OUTPUT {
            return Err(io::Error::other(format!("it writes more than {MAX_OUTPUT} bytes")));
        }
        self.0.extend_from_slice(part);
        Ok(part.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

fn environment() -> Result<Environment<'static>, ModelError> {
    let mut environment = Environment::new();
    // As Hugging Face transformers, for which the templates are written.
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
    ModelError::template(format!("{error}{inner}"))
}
