//! The real tools, through rebut's own seats, against a stand-in provider on loopback: does each do what we believe?
//!
//! ```text
//! conformance --work FOLDER [--tool NAME]… [--over cli|acp]… [--case NAME]… [--jobs N] [--table FILE]
//!     [--debates all|FORMAT] [--captures FOLDER] [--turns N]
//! ```
//!
//! The tools are those on the search path; `scripts/conformance` brings them there and calls this. It exits with 1 when
//! one falls short. A run of everything ends with whole debates, run by the built program `rebut`; `--debates` runs only
//! those. With `--captures` it writes down what the tools print instead of judging it; with
//! `--turns` it measures how long so many turns of one seat take.
#![expect(clippy::expect_used, clippy::print_stdout, reason = "a program for the people who work on rebut")]

mod captures;
mod case;
mod cell;
mod debates;
mod deeds;
mod settings;
mod table;
mod tools;
mod turns;

use std::path::PathBuf;
use std::process::ExitCode;

use futures_util::StreamExt;

use case::{CASES, Case};
use cell::{Cell, Way};
use debates::Ended;
use table::{Head, Row, Verdict};
use tools::{SUBJECTS, Subject};

/// What was asked for on the command line.
struct Wanted {
    work: PathBuf,
    tools: Vec<String>,
    ways: Vec<String>,
    cases: Vec<String>,
    jobs: usize,
    table: Option<PathBuf>,
    debates: Option<String>,
    captures: Option<PathBuf>,
    turns: Option<usize>,
}

impl Wanted {
    /// Whether only some of the cells are wanted.
    fn is_choice(&self) -> bool {
        [&self.tools, &self.ways, &self.cases].iter().any(|chosen| !chosen.is_empty())
    }
}

#[tokio::main]
async fn main() -> ExitCode {
    let wanted = wanted();
    let subjects: Vec<&Subject> = SUBJECTS.iter().filter(|subject| chosen(&wanted.tools, subject.name)).collect();
    if let Some(turns) = wanted.turns {
        turns::measure(&subjects, turns, &wanted.work).await;
        return ExitCode::SUCCESS;
    }
    if wanted.debates.is_some() {
        let ended = run_debates(&wanted).await;
        let section = table::debates(&ended);
        println!("\n{section}");
        if let Some(file) = &wanted.table {
            let before = std::fs::read_to_string(file).expect("the document is there");
            std::fs::write(file, table::with_debates(&before, &section)).expect("the document can be written");
        }
        return conclusion(0, 0, &ended);
    }
    let cases: Vec<&Case> = CASES.iter().filter(|case| chosen(&wanted.cases, case.name)).collect();
    let ways = Way::ALL.into_iter().filter(|way| chosen(&wanted.ways, way.name()));
    // A second setup of a tool is one of its command line.
    let columns: Vec<(&Subject, Way)> = ways
        .flat_map(|way| subjects.iter().map(move |subject| (*subject, way)))
        .filter(|(subject, way)| *way == Way::Cli || subject.name == subject.tool)
        .collect();
    let cells =
        columns.iter().flat_map(|(subject, way)| cases.iter().map(|case| Cell::new(subject, *way, case, &wanted.work)));
    if let Some(folder) = &wanted.captures {
        for cell in cells.filter(|cell| cell.way == Way::Cli) {
            captures::write(&cell, folder).await;
        }
        return ExitCode::SUCCESS;
    }
    let judged = futures_util::stream::iter(cells).map(|cell| async move {
        let verdict = cell.judge().await;
        println!("{:<14} {:<4} {:<18} {verdict}", cell.subject.name, cell.way.name(), cell.case.name);
        Row { tool: cell.subject.name, way: cell.way, case: cell.case.name, verdict }
    });
    let rows: Vec<Row> = judged.buffer_unordered(wanted.jobs).collect().await;
    let ended = if wanted.is_choice() { Vec::new() } else { run_debates(&wanted).await };
    let mut heads = Vec::new();
    for (subject, way) in &columns {
        heads.push(Head { tool: subject.name, way: *way, version: tools::version(subject, *way, &wanted.work).await });
    }
    let section = table::debates(&ended);
    println!("\n{}\n{section}", table::plain(&rows, &heads));
    if let Some(file) = &wanted.table {
        std::fs::write(file, table::document(&rows, &heads, &section)).expect("the table can be written");
    }
    let short = rows.iter().filter(|row| matches!(row.verdict, Verdict::Short(_))).count();
    conclusion(rows.len() - short, short, &ended)
}

/// Runs the debates that were asked for and prints how each ended.
async fn run_debates(wanted: &Wanted) -> Vec<Ended> {
    let is_wanted = |format: &str| wanted.debates.as_deref().is_none_or(|debates| debates == "all" || debates == format);
    let planned = debates::planned(is_wanted, |way| chosen(&wanted.ways, way.name()));
    let rebut = debates::program();
    let ended = futures_util::stream::iter(&planned).map(|debate| async {
        let ended = debate.run(&rebut).await;
        let result = ended.result.as_ref().map_or_else(|short| format!("FALLS SHORT: {short}"), |_| "ok".to_owned());
        println!("{:<4} {} {result}", ended.way.name(), ended.which);
        ended
    });
    ended.buffer_unordered(wanted.jobs).collect().await
}

/// Prints the totals and returns the exit code.
fn conclusion(passed: usize, short: usize, ended: &[Ended]) -> ExitCode {
    let fell_short = ended.iter().filter(|ended| ended.result.is_err()).count();
    let gaps = table::gaps(ended);
    for gap in &gaps {
        println!("not seen: {gap}");
    }
    let (passed, short) = (passed + ended.len() - fell_short, short + fell_short);
    println!("{passed} passed, {short} failed, {} not seen", gaps.len());
    if short == 0 && gaps.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

fn chosen(wanted: &[String], name: &str) -> bool {
    wanted.is_empty() || wanted.iter().any(|wanted| wanted == name)
}

fn wanted() -> Wanted {
    let mut wanted = Wanted {
        work: PathBuf::from("target/conformance"),
        tools: Vec::new(),
        ways: Vec::new(),
        cases: Vec::new(),
        jobs: 2,
        table: None,
        debates: None,
        captures: None,
        turns: None,
    };
    let mut arguments = std::env::args().skip(1);
    while let Some(flag) = arguments.next() {
        let value = arguments.next().expect("every flag has a value");
        match flag.as_str() {
            "--work" => wanted.work = value.into(),
            "--tool" => wanted.tools.push(value),
            "--over" => wanted.ways.push(value),
            "--case" => wanted.cases.push(value),
            "--jobs" => wanted.jobs = value.parse().expect("a number"),
            "--table" => wanted.table = Some(value.into()),
            "--debates" => wanted.debates = Some(value),
            "--turns" => wanted.turns = Some(value.parse().expect("a number")),
            "--captures" => wanted.captures = Some(value.into()),
            _ => panic!("there is no flag {flag}"),
        }
    }
    wanted
}
