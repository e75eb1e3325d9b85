//! What a file may hold, and what is said of one that cannot be used.

use std::fs;

use proptest::prelude::*;
use rebut_engine::config::{ConfigError, Level};

use crate::{Machine, user};

#[test]
fn no_key_takes_a_value_outside_its_range_or_of_another_type() {
    for (path, wrong) in [
        ("duel.proposer", &["''", "' '", "3", "['claude']"][..]),
        ("duel.rounds", &["0", "6", "-1", "2.0", "'2'", "1979-05-27", "99999999999999999999"]),
        ("duel.effort", &["'High'", "''", "3", "true"]),
        ("duel.timeout_seconds", &["0", "-5", "86401", "9223372036854775807", "0.05", "'1'", "nan"]),
        ("duel.context", &["'diff'", "[1]", "[['diff']]"]),
        ("cross.partners", &["['claude']", "['1']", "['9']", "['a', ' ']", "'3'"]),
        ("panel.time_budget_minutes", &["-1", "1441"]),
        ("budget.max_minutes", &["0", "0.0", "-1", "inf", "nan", "1e300", "0.000001", "'5'"]),
        ("budget.max_tokens", &["0", "-1", "1.5"]),
        ("budget.max_cost", &["0", "-0.0", "-inf", "nan", "1e12", "1e-12"]),
        ("limits.calls", &["0", "-1"]),
        ("limits.stall_seconds", &["0", "86401"]),
        ("evidence.max_file_bytes", &["0", "67108865", "'4 MiB'"]),
        ("evidence.fetch_sources", &["'yes'", "1"]),
        ("state.dir", &["''", "'~/debates'", "1"]),
        ("output.color", &["'sometimes'", "true"]),
        ("tools.claude.program", &["''", "'claude'", "'./claude'", "'~/bin/claude'", "1"]),
        ("tools.claude.env", &["['A-B']", "['']", "['1A']", "'A'"]),
        ("tools.codex.effort.max", &["''", "'-m'", "'a b'", "'$(id)'", "1"]),
        ("tools.codex.models.max", &["''", "'-m'", "'a b'", "'$(id)'", "1"]),
        ("services.anthropic.api", &["'http'", "1"]),
        ("services.mine.base_url", &["''", "'example.com'", "'ftp://x'", "'file:///x'", "1"]),
        ("services.mine.key_env", &["''", "'sk-1'", "'key'", "1"]),
        ("services.mine.family", &["''", "'Two Words'"]),
        ("services.mine.prices", &["['m']", "['m 1 2 3 4']", "'m 1 2'", "['m 1 -2']", "['m nan 2']", "['$m 1 2']"]),
        ("duel", &["3"]),
        ("agents.b", &["3", "{ family = 'x' }"]),
    ] {
        for value in wrong {
            let error = user(&format!("{path} = {value}\n")).error();
            let expected = format!("invalid value {value} for `{path}` in config.toml:1:{}: expected ", path.len() + 4);
            assert!(error.starts_with(&expected), "{error}");
        }
    }
}

#[test]
fn every_value_that_a_key_takes_can_be_written() {
    let text = "[duel]\nrounds = 5\ntimeout_seconds = 0.3\n[cross]\npartners = ['3']\nrounds = 0\n[budget]\nmax_cost = 2\n\
        [services.mine]\nbase_url = 'http://[::1]:9/'\nprices = ['m/x:free 0 0.5 0.1', 'gpt-6.1-sol 2 10']\n\
        [agents.b]\ncommand = ['x', '']\n[checks.test]\ncommand = ['/bin/sh', '-c', 'true']\nenv = ['lower_case']\n";
    let layers = user(text).read();
    let settings = layers.settings();
    assert_eq!((settings.duel.timeout_seconds.millis(), settings.cross.wanted()), (300, Some(3)));
    assert_eq!(settings.services["mine"].prices.len(), 2);
    assert_eq!(settings.checks["test"].time_limit, 300);
}

#[test]
fn tables_dotted_keys_and_inline_tables_are_the_same() {
    let read = |text| user(text).read().settings().clone();
    let expected = read("[duel]\nrounds = 3\n[budget]\nmax_cost = 1.5\n");
    assert_eq!(read("duel.rounds = 3\nbudget.max_cost = 1.5\n"), expected);
    assert_eq!(read("duel = { rounds = 3 }\r\nbudget = { max_cost = 1.5 }\r\n"), expected);
}

#[test]
fn an_unknown_key_is_named_with_its_place_and_the_nearest() {
    for (text, key, place, nearest) in [
        ("# é\n[duel]\nronds = 3\n", "duel.ronds", "3:1", "duel.rounds"),
        ("[bugdet]\nmax_cost = 3\n", "bugdet", "1:2", "budget"),
        ("rounds = 3\n", "rounds", "1:1", "duel.rounds"),
        ("budget.tokens = 3\n", "budget.tokens", "1:8", "budget.max_tokens"),
        ("limits.max_minutes = 3\n", "limits.max_minutes", "1:8", "budget.max_minutes"),
        ("state_dir = 'x'\n", "state_dir", "1:1", "state.dir"),
        ("[duel.extra.more]\nrounds = 3\n", "duel.extra", "1:7", "duel.effort"),
        ("\"duel.rounds\" = 3\n", "\"duel.rounds\"", "1:1", "duel.rounds"),
        ("[output]\nzz = 1\naa = 2\n[duel]\nbb = 3\n", "output.zz", "2:1", "output.color"),
    ] {
        let expected = format!("unknown setting `{key}` in config.toml:{place}; did you mean `{nearest}`?");
        assert_eq!(user(text).error(), expected);
    }
}

#[test]
fn malformed_text_is_named_with_line_and_column() {
    assert!(user("[duel]\nrounds = = 3\n").error().starts_with("malformed TOML in config.toml:2:10: "));
    assert!(
        user("[duel]\nrounds = 1\nrounds = 2\n").error().starts_with("malformed TOML in config.toml:3:1: duplicate key")
    );
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
        let error = user(&text).error();
        assert!(error.chars().count() < 250 && !error.contains(char::is_control), "{error}");
    }
}

#[test]
fn every_text_is_read_or_refused_with_a_place_within_it() {
    let seed = proptest::test_runner::RngSeed::Fixed(20_261_115);
    let config = ProptestConfig { cases: 256, failure_persistence: None, rng_seed: seed, ..ProptestConfig::default() };
    let word = r#"\PC{0,8}|\[|\]|duel|rounds|budget|state|dir|agents|[.={}"'\\, #\n\r\x1b\ufeff]|[0-9]{1,25}|-?inf|nan"#;
    let texts = proptest::collection::vec(word, 0..12).prop_map(|words| words.concat());
    proptest!(config, |(text in texts)| {
        let Err(error) = user(&text).try_read() else { return Ok(()) };
        prop_assert!(!error.to_string().contains(char::is_control));
        let (ConfigError::Malformed { spot, .. } | ConfigError::UnknownKey { spot, .. } | ConfigError::WrongValue { spot, .. }) = error
            else { panic!("{error}") };
        let mut place = spot.rsplit(':').map(|number| number.parse::<usize>().unwrap());
        let (column, line) = (place.next().unwrap(), place.next().unwrap());
        let width = text.split('\n').nth(line - 1).map(|line| line.chars().count());
        prop_assert!(width.is_some_and(|width| column <= width + 2), "{text:?} {line}:{column}");
    });
}

#[test]
fn a_file_that_is_none_not_text_or_too_large_is_an_error() {
    let machine = Machine::new();
    let path = machine.file(Level::User);
    fs::create_dir_all(&path).unwrap();
    assert_eq!(machine.error(), "can't read config.toml: it is a folder");
    fs::remove_dir(&path).unwrap();
    fs::write(&path, b"[duel]\n# \xff\n").unwrap();
    assert_eq!(machine.error(), "can't read config.toml: it is not UTF-8 text");
    fs::write(&path, "#".repeat(1 << 20)).unwrap();
    assert!(machine.try_read().is_ok());
    fs::write(&path, "#".repeat((1 << 20) + 1)).unwrap();
    assert_eq!(machine.error(), "can't read config.toml: it is larger than 1048576 bytes");
}

#[cfg(unix)]
#[test]
fn a_file_that_cannot_be_opened_is_an_error_with_its_path() {
    // A loop of symlinks: unlike mode bits it stops root too.
    let machine = user("");
    let path = machine.file(Level::User);
    fs::remove_file(&path).unwrap();
    std::os::unix::fs::symlink(&path, &path).unwrap();
    let error = machine.try_read().unwrap_err();
    assert!(matches!(&error, ConfigError::Unreadable { path: named, .. } if *named == path), "{error}");
}
