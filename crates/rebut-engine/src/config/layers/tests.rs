//! Tests of the levels.

use std::fs;

use rebut_core::debate::Effort;

use super::super::{Color, Seconds, ServiceApi};
use super::*;

fn user() -> Origin {
    Origin::User(PathBuf::from("/u/config.toml"))
}

fn project() -> Origin {
    Origin::Project(PathBuf::from("/p/.rebut/config.toml"))
}

fn local() -> Origin {
    Origin::Local(PathBuf::from("/p/.rebut/config.local.toml"))
}

fn file(origin: &Origin, text: &str) -> Result<Layers, ConfigError> {
    let mut layers = Layers::default();
    layers.add_file(origin, text)?;
    Ok(layers)
}

fn variables(pairs: &[(&str, &str)]) -> Result<Layers, ConfigError> {
    let mut layers = Layers::default();
    layers.add_environment(pairs.iter().map(|(name, value)| (name.into(), value.into())))?;
    Ok(layers)
}

fn fault(result: Result<Layers, ConfigError>) -> String {
    result.unwrap_err().to_string()
}

#[test]
fn without_any_level_the_built_in_values_hold() {
    let layers = Layers::default();
    assert_eq!(layers.settings(), &Settings::default());
    assert_eq!(layers.origin("duel.rounds"), Origin::BuiltIn);
}

#[test]
fn a_later_level_wins_key_by_key() {
    let mut layers = Layers::default();
    layers.add_file(&user(), "[duel]\nproposer = 'claude'\nrounds = 3\neffort = 'low'\n[budget]\nmax_cost = 2\n").unwrap();
    layers.add_file(&project(), "[duel]\nrounds = 4\ncontext = ['diff', 'file=a.md']\n").unwrap();
    layers.add_file(&local(), "duel.context = ['none']\n").unwrap();
    layers.add_environment([("REBUT_DUEL_EFFORT".into(), "max".into()), ("HOME".into(), "/u".into())]).unwrap();
    layers.set_flag("duel.rounds", 5.into(), "--rounds").unwrap();

    let settings = layers.settings();
    assert_eq!(settings.duel.proposer.as_deref(), Some("claude"));
    assert_eq!((settings.duel.rounds, settings.duel.effort), (5, Effort::Max));
    assert_eq!(settings.duel.context, ["none"]);
    assert_eq!(settings.budget.max_cost, Some(2.0));
    assert_eq!(settings.duel.timeout_seconds, Seconds::whole(240));

    assert_eq!(layers.origin("duel.proposer"), user());
    assert_eq!(layers.origin("duel.context"), local());
    assert_eq!(layers.origin("duel.effort"), Origin::Environment("REBUT_DUEL_EFFORT".to_owned()));
    assert_eq!(layers.origin("duel.rounds"), Origin::Flag("--rounds".to_owned()));
    assert_eq!(layers.origin("duel.timeout_seconds"), Origin::BuiltIn);
}

#[test]
fn an_origin_reads_as_level_and_place() {
    assert_eq!(Origin::BuiltIn.to_string(), "built-in");
    assert_eq!(user().to_string(), "user (/u/config.toml)");
    assert_eq!(project().to_string(), "project (/p/.rebut/config.toml)");
    assert_eq!(local().to_string(), "local (/p/.rebut/config.local.toml)");
    assert_eq!(Origin::Environment("REBUT_X".to_owned()).to_string(), "environment (REBUT_X)");
    assert_eq!(Origin::Flag("--rounds".to_owned()).to_string(), "flag (--rounds)");
}

#[test]
fn a_projects_files_set_nothing_that_is_the_users() {
    for origin in [project(), local()] {
        for (path, text) in KEYS.iter().filter(|key| key.who == Who::UserOnly).map(|key| {
            let name = if key.path.starts_with("tools.") { "codex" } else { "mine" };
            (key.path_for(name), "= '/tmp/x'\n")
        }) {
            let fault = fault(file(&origin, &format!("# theirs\n{path} {text}")));
            let spot = format!("{}:2:", origin.file().unwrap().display());
            assert!(
                fault.starts_with(&format!("`{path}` in {spot}")) && fault.contains("not a project's to set"),
                "{fault}"
            );
        }
    }
    assert_eq!(file(&user(), "state.dir = '/tmp/x'\n").unwrap().settings().state.dir.as_deref(), Some("/tmp/x"));
}

#[test]
fn a_value_out_of_range_is_named_with_key_place_and_what_is_allowed() {
    let expected = "wrong value 6 for `duel.rounds` in /u/config.toml:2:10; it takes a whole number from 1 to 5";
    assert_eq!(fault(file(&user(), "[duel]\nrounds = 6\n")), expected);
    let expected = "wrong value \"6\" for `duel.rounds` in REBUT_DUEL_ROUNDS; it takes a whole number from 1 to 5";
    assert_eq!(fault(variables(&[("REBUT_DUEL_ROUNDS", "6")])), expected);
    let flag = Layers::default().set_flag("duel.rounds", 6.into(), "--rounds").unwrap_err();
    assert_eq!(flag.to_string(), "wrong value 6 for `duel.rounds` in --rounds; it takes a whole number from 1 to 5");
}

#[test]
fn no_key_takes_a_value_outside_its_range_or_of_another_type() {
    for (path, wrong) in [
        ("duel.proposer", &["''", "' '", "3", "['claude']", "{}"][..]),
        ("duel.challenger", &["''"]),
        ("duel.judge", &["''"]),
        ("duel.rounds", &["0", "6", "-1", "2.0", "'2'", "1979-05-27"]),
        ("duel.effort", &["'High'", "''", "3", "true"]),
        ("duel.timeout_seconds", &["0", "-5", "86401", "9223372036854775807", "0.05", "'1'"]),
        ("duel.context", &["'diff'", "[1]", "[['diff']]"]),
        ("budget.max_minutes", &["0", "0.0", "-1", "inf", "nan", "1e300", "0.000001", "'5'"]),
        ("budget.max_tokens", &["0", "-1", "1.5"]),
        ("budget.max_cost", &["0", "-0.0", "-inf", "nan", "1e12", "1e-12"]),
        ("limits.calls", &["0", "-1"]),
        ("limits.local", &["0"]),
        ("limits.cli", &["0"]),
        ("limits.http", &["0"]),
        ("limits.context_bytes", &["0"]),
        ("limits.retry_wait_ms", &["0"]),
        ("limits.first_output_seconds", &["0", "86401"]),
        ("limits.stall_seconds", &["0", "86401"]),
        ("evidence.max_files", &["0", "-1"]),
        ("evidence.max_bytes", &["0", "1.5"]),
        ("evidence.max_file_bytes", &["0", "67108865", "'4 MiB'"]),
        ("state.dir", &["''", "'~/debates'", "1"]),
        ("output.color", &["'sometimes'", "true"]),
        ("tools.claude.program", &["''", "'claude'", "'./claude'", "'~/bin/claude'", "1"]),
        ("services.anthropic.api", &["'http'", "1"]),
        ("services.mine.base_url", &["''", "'example.com'", "'ftp://x'", "'https://u:p@x'", "1"]),
        ("services.mine.key_env", &["''", "'sk-1'", "'key'", "1"]),
        ("services.mine.family", &["''", "'Two Words'"]),
        ("services.mine.context_tokens", &["0", "'8k'"]),
        ("services.mine.structured", &["'yes'", "1"]),
        ("services.mine.models.low", &["''", "'-m'", "'a b'"]),
        ("services.mine.effort.low", &["''", "'Very High'"]),
        ("services.mine.prices", &["['m']", "['m 1 2 3 4']", "'m 1 2'", "['m 1 -2']"]),
        ("tools.codex.effort.max", &["''", "'-m'", "'a b'", "'$(id)'", "1"]),
        ("tools.copilot.models.max", &["''", "'-m'", "'a b'", "'$(id)'", "1"]),
    ] {
        for value in wrong {
            let fault = fault(file(&user(), &format!("{path} = {value}\n")));
            // An address that may hold a secret is not shown.
            let value = if path.ends_with("base_url") && value.contains(['@', '?', '#']) {
                "(not shown, since it may hold a secret)"
            } else {
                value
            };
            let expected = format!("wrong value {value} for `{path}` in /u/config.toml:1:{}; it takes ", path.len() + 4);
            assert!(fault.starts_with(&expected), "{fault}");
        }
    }
}

#[test]
fn a_fault_counts_also_where_a_later_level_covers_it() {
    let mut layers = Layers::default();
    assert!(layers.add_file(&user(), "duel.rounds = 9\n").is_err());
    assert_eq!(layers.settings(), &Settings::default());
}

#[test]
fn a_variable_is_read_by_the_type_of_its_key() {
    let layers = variables(&[
        ("REBUT_DUEL_PROPOSER", "5"),
        ("REBUT_DUEL_JUDGE", "inf"),
        ("REBUT_DUEL_ROUNDS", " 3 "),
        ("REBUT_DUEL_CONTEXT", "diff, file=a b.md,"),
        ("REBUT_BUDGET_MAX_MINUTES", "5"),
        ("REBUT_BUDGET_MAX_COST", "0.25"),
        ("REBUT_STATE_DIR", "/tmp/x,y"),
        ("REBUT_OUTPUT_COLOR", "never"),
    ])
    .unwrap();
    let settings = layers.settings();
    assert_eq!((settings.duel.proposer.as_deref(), settings.duel.judge.as_deref()), (Some("5"), Some("inf")));
    assert_eq!(settings.duel.rounds, 3);
    assert_eq!(settings.duel.context, ["diff", "file=a b.md"]);
    assert_eq!((settings.budget.max_minutes, settings.budget.max_cost), (Some(5.0), Some(0.25)));
    assert_eq!(settings.state.dir.as_deref(), Some("/tmp/x,y"));
    assert_eq!(settings.output.color, Color::Never);
    assert!(variables(&[("REBUT_BUDGET_MAX_COST", "nan")]).is_err());
    assert!(variables(&[("REBUT_DUEL_ROUNDS", "two")]).is_err());
    assert_eq!(variables(&[("REBUT_DUEL_CONTEXT", "diff")]).unwrap().settings().duel.context, ["diff"]);
}

#[test]
fn an_unknown_variable_of_ours_is_a_fault_with_the_nearest() {
    let expected = "unknown environment variable REBUT_MAX_TOKENS; the nearest is REBUT_BUDGET_MAX_TOKENS";
    assert_eq!(fault(variables(&[("REBUT_MAX_TOKENS", "5")])), expected);
    let expected = "unknown environment variable REBUT_ROUNDS; the nearest is REBUT_DUEL_ROUNDS";
    assert_eq!(fault(variables(&[("REBUT_ROUNDS", "")])), expected);
    let expected = "unknown environment variable REBUT_DUEL_EFORT; the nearest is REBUT_DUEL_EFFORT";
    assert_eq!(fault(variables(&[("REBUT_DUEL_EFORT", "low")])), expected);
}

#[test]
fn an_empty_variable_and_one_that_is_no_setting_change_nothing() {
    let layers = variables(&[
        ("REBUT_DUEL_ROUNDS", ""),
        ("REBUT_FAULT", "x"),
        ("REBUT_DEPTH", "1"),
        ("REBUT_CHILD", "1"),
        ("REBUTTAL", "1"),
    ])
    .unwrap();
    assert_eq!(layers.settings(), &Settings::default());
    assert_eq!(layers.origin("duel.rounds"), Origin::BuiltIn);
}

#[cfg(unix)]
#[test]
fn a_variable_that_is_not_text_is_a_fault_with_its_name() {
    use std::os::unix::ffi::OsStringExt;
    let mut layers = Layers::default();
    let not_text = OsString::from_vec(b"/tmp/\xff".to_vec());
    let fault = layers.add_environment([("REBUT_STATE_DIR".into(), not_text)]).unwrap_err().to_string();
    assert!(fault.ends_with("for `state.dir` in REBUT_STATE_DIR; it takes UTF-8 text"), "{fault}");
}

#[test]
fn a_flag_of_an_unknown_key_is_a_fault() {
    let fault = Layers::default().set_flag("duel.round", 3.into(), "--rounds").unwrap_err().to_string();
    assert_eq!(fault, "unknown setting `duel.round` in --rounds; the nearest is `duel.rounds`");
}

#[test]
fn rows_show_every_setting_also_those_that_nobody_set() {
    let text = "[duel]\njudge = \"a\\n\\u001b[31m\"\ncontext = ['diff']\n[budget]\nmax_minutes = 30\n";
    let layers = file(&user(), text).unwrap();
    let rows = layers.rows();
    assert_eq!(rows.iter().map(|row| row.key.as_str()).collect::<Vec<_>>(), KEYS.map(|key| key.path));
    let shown: Vec<_> = rows.iter().map(|row| row.value.as_deref().unwrap_or("-")).collect();
    let judge = shown[2];
    assert!(!judge.contains(char::is_control), "{judge}");
    let expected = [
        "-",
        "-",
        judge,
        "2",
        "\"high\"",
        "240",
        "[\"diff\"]",
        "\"cli\"",
        "-",
        "-",
        "-",
        "\"standard\"",
        "\"auto\"",
        "\"high\"",
        "\"cli\"",
        "[]",
        "-",
        "1",
        "\"high\"",
        "240",
        "\"cli\"",
        "3",
        "8",
        "30",
        "-",
        "-",
        "-",
        "-",
        "-",
        "\"high\"",
        "240",
        "\"cli\"",
        "30.0",
        "-",
        "-",
        "-",
        "1",
        "4",
        "4",
        "400000",
        "1000",
        "-",
        "-",
        "60",
        "50000",
        "268435456",
        "4194304",
        "-",
        "-",
        "-",
        "-",
        "-",
        "\"auto\"",
    ];
    let of_tools_and_services = ["-"; 26];
    let expected = [&expected[..], &of_tools_and_services].concat();
    assert_eq!(shown, expected);
    assert_eq!((&rows[2].origin, &rows[3].origin), (&user(), &Origin::BuiltIn));
    assert!(rows.iter().all(|row| !row.help.is_empty()));
}

#[test]
fn files_are_read_from_their_places_and_missing_ones_are_fine() {
    let folder = tempfile::tempdir().unwrap();
    let places = Places::new(Some(&folder.path().join("home")), None, &folder.path().join("work"));
    let read = || Layers::read(&places, [("REBUT_LIMITS_CLI".into(), "2".into())]);
    assert_eq!(read().unwrap().settings().limits.cli, 2);

    let user_file = places.user_file().unwrap();
    for (path, text) in [
        (&user_file, "limits = { cli = 7, local = 7, calls = 7 }\nstate.dir = '/s'\n"),
        (&places.project_file(), "limits = { local = 8, calls = 8 }\n"),
        (&places.local_file(), "limits = { calls = 9 }\n"),
    ] {
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
    let layers = read().unwrap();
    let limits = &layers.settings().limits;
    assert_eq!((limits.cli, limits.local, limits.calls), (2, 8, Some(9)));
    assert_eq!(layers.origin("state.dir"), Origin::User(user_file));
    assert_eq!(layers.origin("limits.local"), Origin::Project(places.project_file()));
    assert_eq!(layers.origin("limits.calls"), Origin::Local(places.local_file()));

    fs::remove_file(places.local_file()).unwrap();
    fs::create_dir(places.local_file()).unwrap();
    assert_eq!(read().unwrap_err(), ConfigError::NotAFile { path: places.local_file() });
}

#[test]
fn what_is_said_of_a_tool_is_found_under_its_name() {
    let text = "[tools.codex]\nprogram = '/opt/codex'\n[tools.codex.models]\nhigh = 'gpt-9'\nmax = 'auto'\n";
    let layers = file(&user(), text).unwrap();
    let codex = layers.settings().tools.of("codex").unwrap();
    assert_eq!(codex.program.as_deref(), Some("/opt/codex"));
    assert_eq!((codex.models.of(Effort::High), codex.models.of(Effort::Max)), (Some("gpt-9"), Some("auto")));
    assert_eq!(codex.models.of(Effort::Low), None);
    assert_eq!(layers.settings().tools.of("script"), None);
    let layers = variables(&[("REBUT_TOOLS_CODEX_MODELS_LOW", "gpt-8")]).unwrap();
    assert_eq!(layers.settings().tools.of("codex").unwrap().models.low.as_deref(), Some("gpt-8"));
    let text = "[tools.codex.effort]\nhigh = 'ultra'\nlow = 'auto'\n";
    let layers = file(&user(), text).unwrap();
    let word = |effort| {
        let tools = &layers.settings().tools;
        let word = tools.of("codex").unwrap().effort_word(effort, Some(&["l", "m", "h", "x"]));
        word.map(|word| (word.word.to_owned(), word.is_own))
    };
    let expected = [None, Some(("m".to_owned(), false)), Some(("ultra".to_owned(), true)), Some(("x".to_owned(), false))];
    assert_eq!(Effort::ALL.map(word), expected);
    let expected = "unknown setting `tools.gemini.effort`";
    assert!(fault(file(&user(), "[tools.gemini.effort]\nhigh = 'x'\n")).starts_with(expected), "it has no such word");
    let expected = "unknown setting `tools.cloud` in /u/config.toml:1:8; the nearest is `tools.claude`";
    assert_eq!(fault(file(&user(), "[tools.cloud]\nprogram = '/x'\n")), expected);
}

#[test]
fn what_is_said_of_a_service_is_found_under_its_name() {
    let text = "[services.mine]\napi = 'chat'\nbase_url = 'http://gpu:8000/v1'\nmodels.high = 'big'\n";
    let layers = file(&user(), text).unwrap();
    let mine = layers.settings().services.of("mine").unwrap();
    assert_eq!(mine.api, Some(ServiceApi::Chat));
    assert_eq!(mine.models.of(Effort::High), Some("big"));
    assert_eq!(layers.origin("services.mine.api"), user());
    let rows = layers.rows();
    let said: Vec<_> = rows[KEYS.len()..].iter().map(|row| (row.key.as_str(), row.value.as_deref())).collect();
    let expected = [
        ("services.mine.api", Some("\"chat\"")),
        ("services.mine.base_url", Some("\"http://gpu:8000/v1\"")),
        ("services.mine.models.high", Some("\"big\"")),
    ];
    assert_eq!(said, expected);
    let fault = fault(file(&user(), "[services.mine]\nbase_uri = 'http://x'\n"));
    let expected = "unknown setting `services.mine.base_uri` in /u/config.toml:2:1; the nearest is `services.NAME.base_url`";
    assert_eq!(fault, expected);
}

#[test]
fn a_service_cannot_have_the_name_of_a_tool() {
    let fault = fault(file(&user(), "[services.claude]\napi = 'chat'\n"));
    assert!(fault.starts_with("unknown setting `services.claude` in /u/config.toml:1:11"), "{fault}");
}

#[test]
fn a_variable_sets_what_is_said_of_a_built_in_service_and_of_one_of_the_files() {
    let layers = variables(&[("REBUT_SERVICES_OLLAMA_BASE_URL", "http://127.0.0.1:9/v1")]).unwrap();
    assert_eq!(layers.settings().services.of("ollama").unwrap().base_url.as_deref(), Some("http://127.0.0.1:9/v1"));
    let mine = [("REBUT_SERVICES_MY_OWN_MODELS_HIGH", "big")];
    assert!(fault(variables(&mine)).starts_with("unknown environment variable REBUT_SERVICES_MY_OWN_MODELS_HIGH"));
    let mut layers = file(&user(), "services.my-own.api = 'chat'\n").unwrap();
    layers.add_environment(mine.map(|(name, value)| (name.into(), value.into()))).unwrap();
    assert_eq!(layers.settings().services.of("my-own").unwrap().models.high.as_deref(), Some("big"));
}

#[test]
fn an_address_with_a_secret_is_refused_without_being_shown() {
    let address = format!("http://user:{}@127.0.0.1:9/v1?key={}", "passw0rd", "sekret1");
    let fault = fault(variables(&[("REBUT_SERVICES_OLLAMA_BASE_URL", &address)]));
    assert!(fault.contains("not shown") && !fault.contains("passw0rd") && !fault.contains("sekret1"), "{fault}");
}
