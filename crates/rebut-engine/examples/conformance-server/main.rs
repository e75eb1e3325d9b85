//! Speaks to a real server that we did not write through rebut's own seats, and tells case by case what it did.
//!
//! Run it with `scripts/conformance-server`, which starts llama.cpp's server. `--base URL` is where it is, without a
//! path; `--table FILE` writes the document.

#![expect(clippy::unwrap_used, reason = "a check that cannot go on ends")]
#![expect(clippy::print_stdout, reason = "a check prints what it sees")]

mod cases;

use std::process::ExitCode;

use cases::{CASES, Outcome, Server};

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().collect();
    let after = |flag: &str| {
        let at = arguments.iter().position(|argument| argument == flag)?;
        arguments.get(at + 1).cloned()
    };
    let base = after("--base").unwrap();
    let server = Server::at(&base);
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().unwrap();
    let mut rows = Vec::new();
    let mut all_well = true;
    for (what, check) in CASES {
        let cells: Vec<String> =
            runtime.block_on(check(&server)).into_iter().map(|(api, outcome)| cell(api, outcome, &mut all_well)).collect();
        println!("{what}: {}", cells.join("; "));
        rows.push(format!("| {what} | {} |", cells.join("; ")));
    }
    if let Some(file) = after("--table") {
        let name = after("--name").unwrap_or_else(|| "llama.cpp".to_owned());
        std::fs::write(file, document(&name, &rows)).unwrap();
    }
    if all_well { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

fn cell(api: &str, outcome: Outcome, all_well: &mut bool) -> String {
    match outcome {
        Ok(seen) if seen.is_empty() => format!("{api} ok"),
        Ok(seen) => format!("{api} ok ({seen})"),
        Err(why) => {
            *all_well = false;
            format!("{api} FAILED: {}", why.replace('|', "/"))
        }
    }
}

fn document(name: &str, rows: &[String]) -> String {
    format!(
        "# What a real server does\n\n\
         Seen with {name} and SmolLM2-135M on loopback, through rebut's own seats, over each of the APIs that it speaks.\n\
         `scripts/conformance-server` writes this page; run it when something in\n\
         `crates/rebut-engine/src/providers/http/` changes.\n\n\
         | case | seen |\n|---|---|\n{}\n\n\
         Over Messages and Responses this server ignores a JSON Schema; over Chat Completions, which the service\n\
         `llamacpp` speaks, it does.\n",
        rows.join("\n")
    )
}
