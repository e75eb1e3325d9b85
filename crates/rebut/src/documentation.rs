//! The tables in docs/ that come from the code. `UPDATE_DOCS=1 cargo test -p rebut --bin rebut documentation` writes them.

use std::fmt::Write as _;
use std::fs;

use clap::{Arg, ArgAction, Command};
use rebut_core::formats::prompts::BUILTIN;
use rebut_engine::config::{KEYS, Key, OTHER_VARIABLES, Takes};

use crate::cli::{DEBATES, about, definition};

#[test]
fn the_tables_in_docs_are_those_of_the_code() {
    assert_document("commands.md", &[("commands", commands()), ("flags", flags())]);
    let tables = [("settings", settings()), ("variables", variables()), ("prompts", prompts())];
    assert_document("configuration.md", &tables);
}

/// Every module of a crate is in the table of docs/architecture.md, and every file that it names exists.
#[test]
fn the_architecture_names_every_module_and_no_file_that_is_gone() {
    let root = format!("{}/../..", env!("CARGO_MANIFEST_DIR"));
    let document = fs::read_to_string(format!("{root}/docs/architecture.md")).unwrap();
    let table = document.split("## Modules").nth(1).and_then(|rest| rest.split("\n## ").next()).unwrap();
    let rows: Vec<&str> = table.lines().filter_map(|row| row.split('|').nth(2)).collect();
    for krate in ["rebut-core", "rebut-engine", "rebut"] {
        for entry in fs::read_dir(format!("{root}/crates/{krate}/src")).unwrap() {
            let name = entry.unwrap().path().file_stem().unwrap().to_string_lossy().into_owned();
            let is_named = rows.iter().any(|modules| modules.contains(&format!("`{name}`")));
            assert!(is_named || ["lib", "main"].contains(&name.as_str()), "{krate}: {name}");
        }
    }
    let mut files: Vec<&str> = document.split('`').filter(|code| code.starts_with("crates/")).collect();
    files.dedup();
    assert!(files.len() <= 15, "{files:?}");
    for file in files {
        assert!(fs::exists(format!("{root}/{file}")).unwrap(), "{file}");
    }
}

#[test]
fn every_help_has_examples_in_lines_that_are_not_broken() {
    let commands = definition();
    for command in commands.get_subcommands().chain(commands.get_subcommands().flat_map(Command::get_subcommands)) {
        let help = command.get_after_long_help().map(ToString::to_string).unwrap_or_default();
        assert!(help.contains("Examples:\n"), "{}", command.get_name());
        assert!(help.lines().all(|line| line.chars().count() <= 100), "{}: {help}", command.get_name());
    }
}

/// Compares the generated parts of a document, each between two comments.
fn assert_document(name: &str, parts: &[(&str, String)]) {
    let path = format!("{}/../../docs/{name}", env!("CARGO_MANIFEST_DIR"));
    let document = fs::read_to_string(&path).unwrap();
    let mut expected = document.clone();
    for (part, text) in parts {
        let begin = format!("<!-- generated: {part} -->\n");
        let (before, rest) = expected.split_once(&begin).unwrap_or_else(|| panic!("docs/{name} has no {begin}"));
        let (_, after) = rest.split_once("<!-- end -->").unwrap_or_else(|| panic!("docs/{name}: {part} has no end"));
        expected = format!("{before}{begin}\n{}\n\n<!-- end -->{after}", text.trim());
    }
    if std::env::var_os("UPDATE_DOCS").is_some() {
        fs::write(&path, &expected).unwrap();
    } else {
        assert!(expected == document, "docs/{name} is out of date: run this test with UPDATE_DOCS=1");
    }
}

fn table<const N: usize>(head: [&str; N], rows: impl IntoIterator<Item = [String; N]>) -> String {
    let line =
        |cells: &[String]| format!("|{}\n", cells.iter().map(|cell| format!(" {cell} |")).collect::<Vec<_>>().concat());
    let escaped = |cells: [String; N]| cells.map(|cell| cell.replace('|', "\\|").replace('\n', " "));
    let rows = rows.into_iter().map(|cells| line(&escaped(cells))).collect::<String>();
    format!("{}|{}\n{rows}", line(&head.map(str::to_owned)), "---|".repeat(N))
}

/// Every command without subcommands, by its whole name.
fn every_command() -> Vec<(String, Command)> {
    let mut all = Vec::new();
    for command in definition().get_subcommands() {
        let name = command.get_name();
        let below = command.get_subcommands().map(|own| (format!("{name} {}", own.get_name()), own.clone()));
        all.extend(below);
        if !command.has_subcommands() {
            all.push((name.to_owned(), command.clone()));
        }
    }
    all
}

fn commands() -> String {
    let row = |(name, command): (String, Command)| {
        let positionals = command.get_positionals().map(|arg| {
            let more = if arg.get_num_args().is_some_and(|count| count.max_values() > 1) { "..." } else { "" };
            let value = format!("{}{more}", value_name(arg));
            if arg.is_required_set() { format!(" {value}") } else { format!(" [{value}]") }
        });
        [format!("`{name}{}`", positionals.collect::<String>()), about(&command)]
    };
    table(["command", "what it does"], every_command().into_iter().map(row))
}

fn flags() -> String {
    let all = every_command();
    let is_shared = |flag: &[String; 2]| {
        let has = |name: &str| all.iter().any(|(of, command)| of == name && own_flags(command).contains(flag));
        DEBATES.iter().all(|name| has(name))
    };
    let globals = definition().get_arguments().filter(|arg| arg.is_global_set()).map(flag).collect();
    let shared = all.iter().find(|(name, _)| name == DEBATES[0]).map(|(_, duel)| own_flags(duel)).unwrap_or_default();
    let shared: Vec<_> = shared.into_iter().filter(is_shared).collect();
    let debates = DEBATES.map(|name| format!("`{name}`")).join(", ");
    let mut parts = vec![("Every command".to_owned(), globals), (format!("Every debate ({debates})"), shared)];
    for (name, command) in &all {
        let is_debate = DEBATES.contains(&name.as_str());
        let own = own_flags(command).into_iter().filter(|flag| !is_debate || !is_shared(flag)).collect();
        parts.push((format!("`{name}`"), own));
    }
    let mut text = String::new();
    for (title, flags) in parts.into_iter().filter(|(_, flags): &(String, Vec<[String; 2]>)| !flags.is_empty()) {
        let _ = writeln!(text, "### {title}\n\n{}", table(["flag", "what it does"], flags));
    }
    text
}

fn own_flags(command: &Command) -> Vec<[String; 2]> {
    let is_own = |arg: &&Arg| !arg.is_hide_set() && !arg.is_global_set() && !arg.is_positional();
    command.get_arguments().filter(is_own).filter(|arg| arg.get_id() != "help").map(flag).collect()
}

fn flag(arg: &Arg) -> [String; 2] {
    let takes_value = matches!(arg.get_action(), ArgAction::Set | ArgAction::Append);
    let value = match arg.get_num_args().map_or(1, |count| count.min_values()) {
        _ if !takes_value => String::new(),
        0 => format!("[={}]", value_name(arg)),
        _ => format!(" {}", value_name(arg)),
    };
    let short = arg.get_short().map_or_else(String::new, |short| format!("`-{short}`, "));
    let help = arg.get_help().map(ToString::to_string).unwrap_or_default();
    let words = arg.get_possible_values().iter().map(|value| format!("`{}`", value.get_name())).collect::<Vec<_>>();
    let words = if takes_value && !words.is_empty() { format!(" ({})", words.join(", ")) } else { String::new() };
    let default =
        arg.get_default_values().iter().map(|value| format!(" [default: {}]", value.display())).collect::<Vec<_>>().concat();
    [format!("{short}`--{}{value}`", arg.get_long().unwrap_or_default()), format!("{help}{words}{default}")]
}

fn value_name(arg: &Arg) -> String {
    let names = arg.get_value_names().unwrap_or_default();
    if names.is_empty() { arg.get_id().as_str().to_uppercase() } else { names.join(" ") }
}

fn settings() -> String {
    let row = |(key, path): (&Key, String)| {
        let default = (key.field.default)().map(|value| format!("`{value}`")).unwrap_or_default();
        let default = if matches!(key.field.takes, Takes::Command) { "required".to_owned() } else { default };
        let project = if key.user_only { "no" } else { "yes" };
        [path, key.field.takes.in_words(), default, project.to_owned(), key.field.help.to_owned()]
    };
    table(["key", "takes", "default", "project may set it", "what it is for"], keys().into_iter().map(row))
}

/// Every key and its path, with `EFFORT` for all four.
fn keys() -> Vec<(&'static Key, String)> {
    let merged = |key: &'static Key| match key.path.rsplit_once('.') {
        Some((table, "low")) => Some((key, format!("`{table}.EFFORT`"))),
        Some((_, "medium" | "high" | "max")) => None,
        _ => Some((key, format!("`{}`", key.path))),
    };
    KEYS.iter().filter_map(merged).collect()
}

fn variables() -> String {
    let settings = keys().into_iter().map(|(key, path)| [key.variable().replace("_LOW", "_EFFORT"), path]);
    let others = OTHER_VARIABLES.map(|(name, help)| [name.to_owned(), help.to_owned()]);
    table(["variable", "sets"], settings.chain(others).map(|[name, sets]| [format!("`{name}`"), sets]))
}

/// The head of each prompt begins with a sentence on what it is.
fn prompts() -> String {
    let row = |(name, text): (&str, &str)| {
        let head = text.trim_start_matches("{#").split("#}").next().unwrap_or_default();
        let head = head.split_whitespace().collect::<Vec<_>>().join(" ");
        let (what, _) = head.split_once(". ").unwrap_or((head.trim_end_matches('.'), ""));
        let variables = variables_of(&head).iter().map(|name| format!("`{name}`")).collect::<Vec<_>>();
        [format!("`{name}`"), what.to_owned(), variables.join(", ")]
    };
    table(["name", "what it is", "variables"], BUILTIN.iter().map(|(name, text)| row((name, text))))
}

/// The variables that a head explains: `round: which one; least and most: how many tokens`.
fn variables_of(head: &str) -> Vec<&str> {
    let words: Vec<&str> = head.split_whitespace().collect();
    let is_name = |word: &str| word.chars().all(|c| c.is_ascii_lowercase() || c == '_');
    let mut found = Vec::new();
    for (at, word) in words.iter().enumerate() {
        let Some(name) = word.strip_suffix(':').filter(|name| is_name(name)) else { continue };
        if at > 1 && words[at - 1] == "and" && is_name(words[at - 2]) {
            found.push(words[at - 2]);
        }
        found.push(name);
    }
    found
}
