//! How fast rebut is, as one table: what was measured, the ideal in the same run, their ratio, and the aim.
//!
//! Machines and disks are noisy, so that nothing here is a test: every figure is a median, stands beside the bare work
//! that cannot be avoided (measured in turns with it), and an aim that is missed is printed as missed.
//!
//! Run it with `scripts/bench`, or with `cargo bench -p rebut-engine`; words after `--` choose what is measured:
//! `cargo bench -p rebut-engine -- HTTP`.

#![expect(clippy::unwrap_used, reason = "a benchmark that cannot go on ends")]
#![expect(clippy::print_stdout, clippy::print_stderr, reason = "a benchmark prints its table")]

mod appends;
mod bare;
mod calls;
mod child;
mod crowd;
mod evidence;
mod figures;
mod http;
mod panels;
mod partners;
mod pins;
mod program;
mod prompts;
mod stage;
mod table;
mod words;
mod workers;

use stage::Stage;
use table::Table;

fn main() {
    // The crowd and the pin are measured in processes of their own, so that their peaks of memory are nobody else's.
    if let Some(folder) = std::env::var_os(crowd::VARIABLE) {
        return crowd::measure_here(Stage::within(folder.into()));
    }
    if let Some(folder) = std::env::var_os(pins::VARIABLE) {
        return pins::measure_here(folder.as_ref());
    }
    if let Some(pack) = std::env::var_os(evidence::VARIABLE) {
        return evidence::measure_here(pack.as_ref());
    }
    // `cargo test --all-targets` runs benchmarks too, without this word; what is timed is no test.
    if !std::env::args().any(|argument| argument == "--bench") {
        return eprintln!("run by cargo bench");
    }
    let stage = Stage::set();
    let mut table = Table::default();
    for (name, measure) in [
        ("start and memory of the program", program::measure as fn(&Stage, &mut Table)),
        ("a child", child::measure),
        ("calls", calls::measure),
        ("ballots", calls::ballots),
        ("words of an answer", words::measure),
        ("calls over HTTP", http::measure),
        ("rounds of partners", partners::measure),
        ("whole panels", panels::measure),
        ("a thousand debates", crowd::measure),
        ("appends", appends::measure),
        ("prompts", prompts::measure),
        ("a pinned workspace", pins::measure),
        ("evidence", evidence::measure),
        ("workers", workers::measure),
    ] {
        if !wanted(name) {
            continue;
        }
        eprintln!("measuring: {name} …");
        measure(&stage, &mut table);
    }
    print!("{table}");
}

/// Whether this part is among those that were asked for: any that holds one of the words, or all.
fn wanted(name: &str) -> bool {
    let words: Vec<String> = std::env::args().skip(1).filter(|word| !word.starts_with('-')).collect();
    words.is_empty() || words.iter().any(|word| name.contains(word))
}
