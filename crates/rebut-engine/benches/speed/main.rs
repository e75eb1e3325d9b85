//! How fast rebut is, as one table: what was measured, the ideal in the same run, their ratio, and the aim.
//!
//! Machines and disks are noisy, so that nothing here is a test: every figure is a median, stands beside the bare work
//! that cannot be avoided (measured in turns with it), and an aim that is missed is printed as missed.
//!
//! Run it with `scripts/bench`, or with `cargo bench -p rebut-engine`.

#![expect(clippy::unwrap_used, reason = "a benchmark that cannot go on ends")]
#![expect(clippy::print_stdout, clippy::print_stderr, reason = "a benchmark prints its table")]

mod appends;
mod bare;
mod calls;
mod citations;
mod crowd;
mod figures;
mod program;
mod prompts;
mod stage;
mod table;

use stage::Stage;
use table::Table;

fn main() {
    // The crowd is measured in a process of its own, so that its peak of memory is nobody else's.
    if let Some(folder) = std::env::var_os(crowd::VARIABLE) {
        return crowd::measure_here(Stage::within(folder.into()));
    }
    if let Some(pack) = std::env::var_os(citations::VARIABLE) {
        return citations::measure_here(pack.as_ref());
    }
    // `cargo test --all-targets` runs benchmarks too, without this word; what is timed is no test.
    if !std::env::args().any(|argument| argument == "--bench") {
        return eprintln!("run by cargo bench");
    }
    let stage = Stage::set();
    let mut table = Table::default();
    let named = std::env::args().skip(1).filter(|argument| !argument.starts_with('-')).collect::<Vec<_>>();
    let named = named.into_iter();
    for (name, measure) in [
        ("start and memory of the program", program::measure as fn(&Stage, &mut Table)),
        ("calls", calls::measure),
        ("a thousand debates", crowd::measure),
        ("appends", appends::measure),
        ("prompts", prompts::measure),
        ("citations", citations::measure),
    ] {
        // `cargo bench -p rebut-engine -- citations` measures nothing else.
        if named.clone().next().is_some() && !named.clone().any(|part| name.contains(&part)) {
            continue;
        }
        eprintln!("measuring: {name} …");
        measure(&stage, &mut table);
    }
    print!("{table}");
}
