//! Tables of the documents that have to name all there is.

use rebut_core::formats::prompts::BUILTIN;
use rebut_engine::config::{KEYS, OTHER_VARIABLES};

const CONFIGURATION: &str = include_str!("../../../../docs/configuration.md");

/// The cells of the rows that begin with this.
fn rows(beginning: &str) -> Vec<Vec<&'static str>> {
    let rows = CONFIGURATION.lines().filter(|line| line.starts_with(beginning));
    rows.map(|row| row.trim_matches('|').split('|').map(str::trim).collect()).collect()
}

/// Everything that is written as code in a cell.
fn code(cell: &str) -> Vec<&str> {
    cell.split('`').skip(1).step_by(2).collect()
}

/// The variables that the head of a prompt explains: `round: which one; name and persona: who speaks`.
fn variables(prompt: &str) -> Vec<String> {
    let head = prompt.split("#}").next().unwrap().split_whitespace().collect::<Vec<_>>();
    let is_name = |word: &str| word.chars().all(|c| c.is_ascii_lowercase() || c == '_');
    let mut found = Vec::new();
    for (at, word) in head.iter().enumerate() {
        let Some(name) = word.strip_suffix(':').filter(|name| is_name(name)) else { continue };
        if at > 1 && head[at - 1] == "and" && is_name(head[at - 2]) {
            found.push(head[at - 2].to_owned());
        }
        found.push(name.to_owned());
    }
    found
}

#[test]
fn the_table_of_prompts_has_each_with_its_variables() {
    let told = rows("| `");
    for (name, text) in BUILTIN.iter() {
        let row = told.iter().find(|row| code(row[0]) == [name]);
        let row = row.unwrap_or_else(|| panic!("docs/configuration.md has no row for {name}"));
        assert_eq!(code(row[2]), variables(text), "{name}");
    }
    let prompts = told.iter().filter(|row| row[0].ends_with(".md`"));
    assert_eq!(prompts.count(), BUILTIN.len(), "and no others");
}

#[test]
fn the_tables_of_settings_have_each_with_its_variable() {
    let keys: Vec<&str> = rows("| `").iter().flat_map(|row| code(row[0])).collect();
    let is_of = |table: &str, path: &str| path.starts_with(&format!("{table}."));
    for key in &KEYS {
        let path = key.path;
        if ["checks", "agents"].contains(&path) {
            assert!(keys.iter().any(|key| is_of(path, key)), "{path}");
            continue;
        }
        let efforts = ["low", "medium", "high", "max"].iter().fold(path.to_owned(), |path, effort| {
            path.strip_suffix(&format!(".{effort}")).map_or(path.clone(), |rest| format!("{rest}.EFFORT"))
        });
        let listed = match efforts.split('.').collect::<Vec<_>>()[..] {
            ["tools", _, ref rest @ ..] => format!("tools.NAME.{}", rest.join(".")),
            _ => efforts,
        };
        assert!(keys.contains(&listed.as_str()), "docs/configuration.md has no row for {listed}");
        if !is_of("tools", path) && !is_of("services", path) {
            let variable = format!("`{}`", key.variable());
            assert!(CONFIGURATION.contains(&variable), "docs/configuration.md has no {variable}");
        }
    }
    for variable in OTHER_VARIABLES {
        assert!(CONFIGURATION.contains(&format!("`{variable}`")), "{variable}");
    }
}
