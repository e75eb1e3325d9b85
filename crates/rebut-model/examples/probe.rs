//! The model side of `scripts/compare-model` and `scripts/bench-model`, which run llama.cpp for comparison.
//!
//! ```text
//! probe write FOLDER                  tiny models of every kind, as in the tests
//! probe logits MODEL TOKEN…           the logits after these tokens, as JSON
//! probe tokens MODEL                  for each line of JSON (a text) on standard input its tokens, as JSON
//! probe speed MODEL THREADS PROMPT ANSWER [avx2|portable]   milliseconds for a prompt and an answer of this many tokens
//! ```
#![expect(clippy::print_stdout, reason = "a program for scripts")]

use std::error::Error;
use std::io::BufRead;
use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

use rebut_model::{GenerateOptions, LoadOptions, Model, Sampling, Simd};
use serde_json::json;

#[path = "../tests/kinds.rs"]
mod kinds;

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match arguments.as_slice() {
        ["write", folder] => write(Path::new(folder)),
        ["logits", path, tokens @ ..] => logits(path, tokens),
        ["tokens", path] => tokens(path),
        ["speed", path, threads, prompt, answer, rest @ ..] => {
            let max_simd = match rest {
                ["avx2"] => Simd::Avx2,
                ["portable"] => Simd::Portable,
                _ => Simd::Avx512,
            };
            let options = LoadOptions { threads: threads.parse()?, max_simd, ..LoadOptions::default() };
            speed(path, options, prompt.parse()?, answer.parse()?)
        }
        _ => Err("usage: see the head of probe.rs".into()),
    }
}

fn load(path: &str) -> Result<Arc<Model>, Box<dyn Error>> {
    Ok(Arc::new(Model::load(Path::new(path), LoadOptions { threads: 1, ..LoadOptions::default() })?))
}

fn write(folder: &Path) -> Result<(), Box<dyn Error>> {
    for (name, tiny) in kinds::all() {
        std::fs::write(folder.join(format!("{name}.gguf")), tiny.bytes())?;
    }
    Ok(())
}

fn logits(path: &str, tokens: &[&str]) -> Result<(), Box<dyn Error>> {
    let tokens = tokens.iter().map(|token| token.parse()).collect::<Result<Vec<u32>, _>>()?;
    println!("{}", json!(load(path)?.session().logits(&tokens)?));
    Ok(())
}

fn tokens(path: &str) -> Result<(), Box<dyn Error>> {
    let model = load(path)?;
    for line in std::io::stdin().lock().lines() {
        let text: String = serde_json::from_str(&line?)?;
        println!("{}", json!(model.tokens(&text)));
    }
    Ok(())
}

/// The same tokens that `bench_model.py` gives to llama.cpp.
fn speed(path: &str, options: LoadOptions, prompt: u32, answer: usize) -> Result<(), Box<dyn Error>> {
    let start = Instant::now();
    let model = Arc::new(Model::load(Path::new(path), options)?);
    let load_ms = start.elapsed().as_secs_f64() * 1e3;
    let mut session = model.session();
    let prompt: Vec<u32> = (0..prompt).map(|n| 100 + n * 37 % 5000).collect();
    session.logits(&[1, 2, 3])?;
    let start = Instant::now();
    session.logits(&prompt)?;
    let prompt_ms = start.elapsed().as_secs_f64() * 1e3;
    let start = Instant::now();
    let generate = GenerateOptions { max_tokens: answer, sampling: Sampling::greedy(), ..GenerateOptions::default() };
    let reply = session.complete(&prompt, &generate, &|| false, &mut |_| {})?;
    let answer_ms = start.elapsed().as_secs_f64() * 1e3;
    let memory = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let peak_kb = memory.lines().find_map(|line| line.strip_prefix("VmHWM:")?.trim().strip_suffix(" kB")?.parse().ok());
    println!(
        "{}",
        json!({
            "load_ms": load_ms, "prompt_ms": prompt_ms, "prompt_tokens": prompt.len(), "answer_ms": answer_ms,
            "answer_tokens": reply.answer_tokens, "peak_kb": peak_kb.unwrap_or(0u64), "cache_bytes": session.cache_bytes(),
        })
    );
    Ok(())
}
