//! A config file for a project in which every setting is a comment.

use super::{KEYS, Key, Takes};

const HEAD: &str = "\
# Settings of this project for rebut, for everyone who works on it.
# Remove the `#` before a setting to change it; `rebut config show` lists what is in effect.
";

/// Every setting that a project may have, with its help and its default or an example.
pub fn project_template() -> String {
    let mut tables: Vec<(&str, String)> = Vec::new();
    for key in KEYS.iter().filter(|key| !key.user_only && key.named_in().is_none()) {
        let (Some((table, name)), Some(value)) = (key.path.rsplit_once('.'), value(key)) else { continue };
        let lines = format!("# {}\n#{name} = {value}\n", key.field.help);
        match tables.iter_mut().find(|(known, _)| *known == table) {
            Some((_, text)) => text.push_str(&lines),
            None => tables.push((table, lines)),
        }
    }
    let tables = tables.iter().map(|(table, lines)| format!("\n[{table}]\n{lines}"));
    tables.fold(HEAD.to_owned(), |text, table| text + &table)
}

/// The default, or an example if there is none.
fn value(key: &Key) -> Option<String> {
    let example = || match key.field.takes {
        Takes::Seat => Some("\"claude\"".to_owned()),
        Takes::Whole(least, _) => Some(least.max(1).to_string()),
        Takes::Seconds => Some("240".to_owned()),
        Takes::Minutes => Some("10".to_owned()),
        Takes::Dollars => Some("1.0".to_owned()),
        Takes::Bool => Some("false".to_owned()),
        _ => None,
    };
    (key.field.default)().map(|value| value.to_string()).or_else(example)
}
