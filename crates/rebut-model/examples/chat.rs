//! Asks a model one question: `cargo run --release -p rebut-model --example chat -- MODEL.gguf "QUESTION" [SCHEMA.json]`.
#![expect(clippy::print_stdout, clippy::print_stderr, reason = "a program for the terminal")]

use std::io::Write;
use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

use rebut_model::{LoadOptions, Message, Model, Wish};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [path, question, rest @ ..] = arguments.as_slice() else {
        return Err("usage: chat MODEL.gguf QUESTION [SCHEMA.json]".into());
    };
    let start = Instant::now();
    let model = Arc::new(Model::load(Path::new(path), LoadOptions::default())?);
    eprintln!("{:#?}\nloaded in {:?}", model.about(), start.elapsed());
    let schema = rest.first().map(std::fs::read).transpose()?;
    let schema = schema.map(|bytes| serde_json::from_slice(&bytes)).transpose()?;
    let wish = Wish { max_tokens: 300, schema, ..Wish::default() };
    let start = Instant::now();
    let reply = model.session().chat(&[Message::user(question)], &wish, &|| false, &mut |piece| {
        print!("{piece}");
        // A terminal that is gone has nothing to be flushed to.
        let _ = std::io::stdout().flush();
    })?;
    eprintln!("\n{} + {} tokens, {:?}, {:?}", reply.prompt_tokens, reply.answer_tokens, reply.stop, start.elapsed());
    Ok(())
}
