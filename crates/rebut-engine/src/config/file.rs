//! One file: read with limits, and taken apart into settings with the spot at which each stands.
//!
//! Levels and merging are not known here.

use std::fs::{self, File};
use std::io::{ErrorKind, Read};
use std::path::Path;

use serde::Deserialize;
use toml::Spanned;
use toml::de::{DeString, DeTable, DeValue, ValueDeserializer};

use super::error::{harmless, short};
use super::keys::{is_table, nearest_path, nearest_table};
use super::{ConfigError, Key, Spot, key};

/// The largest file that is read.
pub(super) const MAX_BYTES: u64 = 1 << 20;

/// A setting as a file has it.
#[derive(Debug)]
pub(super) struct Entry {
    pub(super) key: &'static Key,
    /// The path as it is written: that of a service has the service's name in it.
    pub(super) path: String,
    pub(super) value: toml::Value,
    /// The value as it is written.
    pub(super) written: String,
    pub(super) spot: Spot,
}

/// The text of a file; `None` where there is none.
pub(super) fn read_text(path: &Path) -> Result<Option<String>, ConfigError> {
    let unreadable = |error: std::io::Error| ConfigError::Unreadable { path: path.to_owned(), reason: error.to_string() };
    // Looked at before it is opened: opening a pipe waits for a writer.
    match fs::metadata(path) {
        Ok(found) if found.is_file() => {}
        Ok(_) => return Err(ConfigError::NotAFile { path: path.to_owned() }),
        // Below a file there is nothing either: `HOME=/dev/null` is a way to have no config.
        Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => return Ok(None),
        Err(error) => return Err(unreadable(error)),
    }
    let mut bytes = Vec::new();
    File::open(path).and_then(|file| file.take(MAX_BYTES + 1).read_to_end(&mut bytes)).map_err(unreadable)?;
    if bytes.len() as u64 > MAX_BYTES {
        return Err(ConfigError::TooLarge { path: path.to_owned() });
    }
    String::from_utf8(bytes).map(Some).map_err(|_| ConfigError::NotText { path: path.to_owned() })
}

/// The settings of a file, in its order.
pub(super) fn parse(path: &Path, text: &str) -> Result<Vec<Entry>, ConfigError> {
    let source = Source { path, text };
    let document = DeTable::parse(text).map_err(|error| ConfigError::Malformed {
        language: "TOML",
        spot: source.spot(error.span().map_or(0, |span| span.start)),
        reason: harmless(error.message()),
    })?;
    let mut entries = Vec::new();
    source.collect("", document.get_ref(), &mut entries)?;
    Ok(entries)
}

/// The text of a file, and where it comes from.
pub(super) struct Source<'a> {
    pub(super) path: &'a Path,
    pub(super) text: &'a str,
}

impl Source<'_> {
    fn collect(&self, table: &str, content: &DeTable<'_>, entries: &mut Vec<Entry>) -> Result<(), ConfigError> {
        let mut content: Vec<_> = content.iter().collect();
        // The parser sorts by name; of several faults the first in the file is the one to report.
        content.sort_by_key(|(name, _)| name.span().start);
        for (name, value) in content {
            let path = join(table, name.get_ref());
            if let Some(key) = key(&path) {
                match value.get_ref() {
                    // A setting that is a whole table.
                    DeValue::Table(named) if !key.path.contains('.') => self.collect_named(key, named, entries)?,
                    _ => entries.push(self.entry(key, path, value)?),
                }
                continue;
            }
            match value.get_ref() {
                DeValue::Table(inner) if is_table(&path) => self.collect(&path, inner, entries)?,
                _ if is_table(&path) => return Err(self.wrong(value, &path, "a table of settings")),
                DeValue::Table(_) if table.is_empty() => return Err(self.unknown(name, &path, nearest_table(&path))),
                _ => return Err(self.unknown(name, &path, nearest_path(&path))),
            }
        }
        Ok(())
    }

    /// A setting with names of the person's own in it: each stands for itself, so that a fault is told where it stands.
    fn collect_named(&self, key: &'static Key, named: &DeTable<'_>, entries: &mut Vec<Entry>) -> Result<(), ConfigError> {
        let mut named: Vec<_> = named.iter().collect();
        named.sort_by_key(|(name, _)| name.span().start);
        for (name, value) in named {
            let path = join(key.path, name.get_ref());
            let Entry { value, written, spot, .. } = self.entry(key, path, value)?;
            let value = toml::Table::from_iter([(name.get_ref().to_string(), value)]).into();
            entries.push(Entry { key, path: key.path.to_owned(), value, written, spot });
        }
        Ok(())
    }

    fn entry(&self, key: &'static Key, path: String, value: &Spanned<DeValue<'_>>) -> Result<Entry, ConfigError> {
        // The one thing that TOML allows and the conversion does not is a number too large for any setting.
        let converted = toml::Value::deserialize(ValueDeserializer::from(value.clone()));
        Ok(Entry {
            key,
            value: converted.map_err(|_| self.wrong(value, &path, key.takes))?,
            path,
            written: self.written(value),
            spot: self.spot(value.span().start),
        })
    }

    fn written(&self, value: &Spanned<DeValue<'_>>) -> String {
        short(self.text.get(value.span()).unwrap_or_default())
    }

    fn wrong(&self, value: &Spanned<DeValue<'_>>, key: &str, takes: &str) -> ConfigError {
        let (key, takes) = (key.to_owned(), takes.to_owned());
        ConfigError::WrongValue { spot: self.spot(value.span().start), key, value: self.written(value), takes }
    }

    fn unknown(&self, name: &Spanned<DeString<'_>>, key: &str, nearest: String) -> ConfigError {
        ConfigError::UnknownKey { spot: self.spot(name.span().start), key: key.to_owned(), nearest }
    }

    pub(super) fn spot(&self, at: usize) -> Spot {
        let before = self.text.get(..at).unwrap_or(self.text);
        let line = before.matches('\n').count() + 1;
        let column = before.rsplit('\n').next().unwrap_or_default().chars().count() + 1;
        Spot::File { path: self.path.to_owned(), line, column }
    }
}

/// The path of a name in a table. A name that needs quotes keeps them, so that `"duel.rounds"` is not `duel.rounds`.
fn join(table: &str, name: &str) -> String {
    let bare = !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-'));
    let name = if bare { short(name) } else { short(&format!("{name:?}")) };
    if table.is_empty() { name } else { format!("{table}.{name}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fault(text: &str) -> String {
        parse(Path::new("c.toml"), text).unwrap_err().to_string()
    }

    #[test]
    fn tables_and_dotted_keys_say_the_same() {
        let paths = |text| parse(Path::new("c.toml"), text).unwrap().iter().map(|entry| entry.key.path).collect::<Vec<_>>();
        let expected = ["duel.rounds", "budget.max_cost"];
        assert_eq!(paths("[duel]\nrounds = 3\n[budget]\nmax_cost = 1.5\n"), expected);
        assert_eq!(paths("duel.rounds = 3\nbudget.max_cost = 1.5\n"), expected);
        assert_eq!(paths("duel = { rounds = 3 }\r\nbudget = { max_cost = 1.5 }\r\n"), expected);
    }

    #[test]
    fn an_unknown_key_is_named_with_its_spot_and_the_nearest() {
        let expected = "unknown setting `duel.ronds` in c.toml:3:1; the nearest is `duel.rounds`";
        assert_eq!(fault("# é\n[duel]\nronds = 3\n"), expected);
        assert_eq!(fault("[bugdet]\nmax_cost = 3\n"), "unknown setting `bugdet` in c.toml:1:2; the nearest is `budget`");
        assert_eq!(fault("rounds = 3\n"), "unknown setting `rounds` in c.toml:1:1; the nearest is `duel.rounds`");
        let deep = "unknown setting `duel.extra` in c.toml:1:7; the nearest is `duel.effort`";
        assert_eq!(fault("[duel.extra.more]\nrounds = 3\n"), deep);
    }

    #[test]
    fn the_first_fault_of_a_file_is_reported() {
        assert!(fault("[output]\nzz = 1\naa = 2\n[duel]\nbb = 3\n").contains("`output.zz` in c.toml:2:1"));
    }

    #[test]
    fn a_quoted_name_with_a_dot_is_not_a_path() {
        let expected = "unknown setting `\"duel.rounds\"` in c.toml:1:1; the nearest is `duel.rounds`";
        assert_eq!(fault("\"duel.rounds\" = 3\n"), expected);
    }

    #[test]
    fn a_table_that_is_none_is_a_wrong_value() {
        assert_eq!(fault("duel = 3\n"), "wrong value 3 for `duel` in c.toml:1:8; it takes a table of settings");
        assert!(fault("[[duel]]\nrounds = 3\n").contains("for `duel` in c.toml:1:1; it takes a table of settings"));
    }

    #[test]
    fn malformed_text_is_named_with_line_and_column() {
        assert!(fault("[duel]\nrounds = = 3\n").starts_with("malformed TOML in c.toml:2:10: "));
        assert!(fault("[duel]\nrounds = 1\nrounds = 2\n").starts_with("malformed TOML in c.toml:3:1: duplicate key"));
        assert!(fault("[duel\n").starts_with("malformed TOML in c.toml:1:"));
    }

    #[test]
    fn a_number_too_large_for_toml_is_a_wrong_value() {
        let expected =
            "wrong value 99999999999999999999 for `duel.rounds` in c.toml:1:15; it takes a whole number from 1 to 5";
        assert_eq!(fault("duel.rounds = 99999999999999999999\n"), expected);
    }

    #[test]
    fn what_a_file_brings_into_an_error_is_short_and_without_escape_codes() {
        let long = "x".repeat(5000);
        for text in [
            "\"\\u001b[31m\" = 1\n".to_owned(),
            format!("\"{long}\\n\" = 1\n"),
            format!("{long} = 1\n"),
            format!("duel = '{long}'\n"),
            "\u{1b}\n".to_owned(),
        ] {
            let fault = fault(&text);
            assert!(fault.chars().count() < 250 && !fault.contains(char::is_control), "{fault}");
        }
    }

    #[test]
    fn every_text_is_read_or_refused_with_a_spot_within_it() {
        use proptest::prelude::*;
        let seed = proptest::test_runner::RngSeed::Fixed(20_261_115);
        let config = ProptestConfig { cases: 256, failure_persistence: None, rng_seed: seed, ..ProptestConfig::default() };
        let word = r#"\PC{0,8}|\[|\]|duel|rounds|budget|state|dir|[.={}"'\\, #\n\r\x1b\ufeff]|[0-9]{1,25}|-?inf|nan"#;
        let texts = proptest::collection::vec(word, 0..12).prop_map(|words| words.concat());
        proptest!(config, |(text in texts)| {
            let parsed = parse(Path::new("c.toml"), &text);
            prop_assert!(parsed.as_ref().err().is_none_or(|fault| !fault.to_string().contains(char::is_control)));
            match parsed {
                Ok(_) => {}
                Err(
                    ConfigError::Malformed { spot, .. }
                    | ConfigError::UnknownKey { spot, .. }
                    | ConfigError::WrongValue { spot, .. },
                ) => {
                    let Spot::File { line, column, .. } = spot else { panic!("{spot}") };
                    let width = text.split('\n').nth(line - 1).map(|line| line.chars().count());
                    prop_assert!(width.is_some_and(|width| column <= width + 2), "{text:?} {line}:{column}");
                }
                Err(other) => panic!("{other}"),
            }
        });
    }

    #[test]
    fn a_missing_file_is_no_fault() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("file");
        assert_eq!(read_text(&file), Ok(None));
        fs::write(&file, "x").unwrap();
        assert_eq!(read_text(&file.join("config.toml")), Ok(None));
        assert_eq!(read_text(&file), Ok(Some("x".to_owned())));
    }

    #[test]
    fn a_folder_in_a_files_place_is_a_fault() {
        let folder = tempfile::tempdir().unwrap();
        assert_eq!(read_text(folder.path()), Err(ConfigError::NotAFile { path: folder.path().to_owned() }));
    }

    #[test]
    fn a_file_that_is_not_text_or_too_large_is_a_fault() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("config.toml");
        fs::write(&path, b"[duel]\n# \xff\n").unwrap();
        assert_eq!(read_text(&path), Err(ConfigError::NotText { path: path.clone() }));
        let most = usize::try_from(MAX_BYTES).unwrap();
        fs::write(&path, "#".repeat(most)).unwrap();
        assert!(read_text(&path).unwrap().is_some());
        fs::write(&path, "#".repeat(most + 1)).unwrap();
        assert_eq!(read_text(&path), Err(ConfigError::TooLarge { path }));
    }

    #[cfg(unix)]
    #[test]
    fn a_file_that_cannot_be_opened_is_a_fault_with_its_path() {
        // A loop of links: unlike mode bits it stops also root.
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("config.toml");
        std::os::unix::fs::symlink(&path, &path).unwrap();
        let fault = read_text(&path).unwrap_err();
        assert!(matches!(&fault, ConfigError::Unreadable { path: named, .. } if *named == path), "{fault}");
    }
}
