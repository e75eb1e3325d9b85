//! Settings and prompts as they are read from files, variables and flags.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]
mod prompts;
mod values;

use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};

use rebut_core::debate::Effort;
use rebut_engine::config::{Color, ConfigError, KEYS, Layers, Level, Origin, Places, Seconds, ServiceApi, Settings};
use toml::Value;

/// A home and a workspace with config files, and variables.
struct Machine {
    _folder: tempfile::TempDir,
    places: Places,
    variables: Vec<(OsString, OsString)>,
}

impl Machine {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let places = Places::new(Some(&folder.path().join("home")), None, &folder.path().join("work"));
        Self { _folder: folder, places, variables: Vec::new() }
    }

    /// The config.toml of a level.
    fn file(&self, level: Level) -> PathBuf {
        toml_of(&self.places, level).unwrap()
    }

    fn write(self, path: &Path, text: &str) -> Self {
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
        self
    }

    fn user(self, text: &str) -> Self {
        let path = self.file(Level::User);
        self.write(&path, text)
    }

    fn project(self, text: &str) -> Self {
        let path = self.file(Level::Project);
        self.write(&path, text)
    }

    fn local(self, text: &str) -> Self {
        let path = self.file(Level::Local);
        self.write(&path, text)
    }

    fn set(mut self, name: &str, value: impl Into<OsString>) -> Self {
        self.variables.push((name.into(), value.into()));
        self
    }

    fn try_read(&self) -> Result<Layers, ConfigError> {
        Layers::read(&self.places, self.variables.clone())
    }

    fn read(&self) -> Layers {
        self.try_read().unwrap()
    }

    /// The error, with files by their names alone.
    fn error(&self) -> String {
        let text = self.try_read().unwrap_err().to_string();
        let folders = [self.places.user.clone().unwrap(), self.places.workspace.clone()];
        folders.iter().fold(text, |text, folder| text.replace(&format!("{}/", folder.display()), ""))
    }
}

fn toml_of(places: &Places, level: Level) -> Option<PathBuf> {
    places.files().into_iter().find(|(of, file)| *of == level && file.extension().unwrap() == "toml").map(|(_, file)| file)
}

fn user(text: &str) -> Machine {
    Machine::new().user(text)
}

fn set(name: &str, value: &str) -> Machine {
    Machine::new().set(name, value)
}

#[test]
fn a_later_level_wins_key_by_key() {
    let machine = user("[duel]\nproposer = 'claude'\nrounds = 3\neffort = 'low'\n[budget]\nmax_cost = 2\n")
        .project("[duel]\nrounds = 4\ncontext = ['diff', 'file=a.md']\n")
        .local("duel.context = ['none']\n")
        .set("REBUT_DUEL_EFFORT", "max")
        .set("HOME", "/u");
    let mut layers = machine.read();
    layers.set_flag("duel.rounds", 5.into(), "--rounds").unwrap();
    let duel = &layers.settings().duel;
    assert_eq!((duel.proposer.as_deref(), duel.rounds, duel.effort), (Some("claude"), 5, Effort::Max));
    assert_eq!((&duel.context[..], duel.timeout_seconds), (&["none".to_owned()][..], Seconds::whole(240)));
    assert_eq!(layers.settings().budget.max_cost, Some(2.0));

    let shown = |path: &str| layers.origin(path).to_string();
    assert_eq!(shown("duel.proposer"), format!("user ({})", machine.file(Level::User).display()));
    assert_eq!(shown("duel.context"), format!("local ({})", machine.file(Level::Local).display()));
    assert_eq!(shown("duel.effort"), "environment (REBUT_DUEL_EFFORT)");
    assert_eq!(shown("duel.rounds"), "flag (--rounds)");
    assert_eq!(shown("duel.timeout_seconds"), "built-in");
}

#[test]
fn without_files_and_variables_the_built_in_values_hold() {
    let machine = set("REBUT_DUEL_ROUNDS", "").set("REBUT_FAULT", "x").set("REBUT_DEPTH", "1").set("REBUTTAL", "1");
    assert_eq!(machine.read().settings(), &Settings::default());
    assert_eq!(machine.read().origin("duel.rounds"), Origin::default());
}

#[test]
fn a_project_sets_nothing_that_is_the_users() {
    let users: Vec<_> = KEYS.iter().filter(|key| key.user_only).map(|key| key.path.clone()).collect();
    for path in ["state.dir", "model.dir", "evidence.max_files", "evidence.fetch_sources", "review.transport"] {
        assert!(users.iter().any(|users| users == path), "{path}");
    }
    for table in ["tools.", "services.", "agents.", "checks."] {
        assert!(KEYS.iter().filter(|key| key.path.starts_with(table)).all(|key| key.user_only), "{table}");
    }
    for path in users.iter().filter(|path| !path.starts_with("agents.") && !path.starts_with("checks.")) {
        let path = path.replace("tools.NAME", "tools.codex").replace("NAME", "mine");
        for machine in
            [Machine::new().project(&format!("# theirs\n{path} = 1\n")), Machine::new().local(&format!("\n{path} = 1\n"))]
        {
            let error = machine.error();
            assert!(error.starts_with(&format!("`{path}` in .rebut/config")) && error.contains(":2:"), "{error}");
            assert!(error.contains("is not a project's to set"), "{error}");
        }
    }
}

#[test]
fn a_value_is_checked_where_it_is_set_even_if_a_later_level_overrides_it() {
    let machine = user("[duel]\nrounds = 6\n").project("duel.rounds = 1\n");
    assert_eq!(
        machine.error(),
        "invalid value 6 for `duel.rounds` in config.toml:2:10: expected a whole number from 1 to 5"
    );
    let expected = "invalid value \"6\" for `duel.rounds` in REBUT_DUEL_ROUNDS: expected a whole number from 1 to 5";
    assert_eq!(set("REBUT_DUEL_ROUNDS", "6").error(), expected);
    let flag = Layers::default().set_flag("duel.rounds", 6.into(), "--rounds").unwrap_err().to_string();
    assert_eq!(flag, "invalid value 6 for `duel.rounds` in --rounds: expected a whole number from 1 to 5");
}

#[test]
fn a_variable_is_read_by_the_type_of_its_key() {
    let machine = set("REBUT_DUEL_PROPOSER", "5")
        .set("REBUT_DUEL_JUDGE", "inf")
        .set("REBUT_DUEL_ROUNDS", " 3 ")
        .set("REBUT_DUEL_CONTEXT", "diff, file=a b.md,")
        .set("REBUT_CROSS_PARTNERS", "3")
        .set("REBUT_BUDGET_MAX_MINUTES", "5")
        .set("REBUT_BUDGET_MAX_COST", "0.25")
        .set("REBUT_EVIDENCE_FETCH_SOURCES", "true")
        .set("REBUT_STATE_DIR", "/tmp/x,y")
        .set("REBUT_OUTPUT_COLOR", "never");
    let layers = machine.read();
    let settings = layers.settings();
    assert_eq!((settings.duel.proposer.as_deref(), settings.duel.judge.as_deref()), (Some("5"), Some("inf")));
    assert_eq!((settings.duel.rounds, settings.cross.wanted()), (3, Some(3)));
    assert_eq!(settings.duel.context, ["diff", "file=a b.md"]);
    assert_eq!((settings.budget.max_minutes, settings.budget.max_cost), (Some(5.0), Some(0.25)));
    assert_eq!(settings.evidence.fetch_sources, Some(true));
    assert_eq!((settings.state.dir.as_deref(), settings.output.color), (Some("/tmp/x,y"), Color::Never));
}

#[test]
fn an_unknown_variable_is_an_error_with_the_nearest() {
    for (name, nearest) in [
        ("REBUT_MAX_TOKENS", "REBUT_BUDGET_MAX_TOKENS"),
        ("REBUT_ROUNDS", "REBUT_DUEL_ROUNDS"),
        ("REBUT_DUEL_EFORT", "REBUT_DUEL_EFFORT"),
    ] {
        assert_eq!(set(name, "").error(), format!("unknown environment variable {name}; did you mean {nearest}?"));
    }
}

#[cfg(unix)]
#[test]
fn a_variable_that_is_not_text_is_an_error_with_its_name() {
    use std::os::unix::ffi::OsStringExt;
    let error = Machine::new().set("REBUT_STATE_DIR", OsString::from_vec(b"/tmp/\xff".to_vec())).error();
    assert!(error.ends_with("for `state.dir` in REBUT_STATE_DIR: expected UTF-8 text"), "{error}");
}

#[test]
fn rows_show_every_setting_set_or_not() {
    let layers =
        user("[duel]\njudge = \"a\\n\\u001b[31m\"\n[budget]\nmax_minutes = 30\n[services.mine]\napi = 'chat'\n").read();
    let rows = layers.rows();
    assert_eq!(rows.len(), KEYS.len() + 1);
    let row = |key: &str| rows.iter().find(|row| row.key == key).unwrap();
    assert!(!row("duel.judge").value.as_ref().unwrap().contains(char::is_control));
    assert_eq!(row("budget.max_minutes").value.as_deref(), Some("30"));
    assert_eq!(row("services.mine.api").value.as_deref(), Some("\"chat\""));
    for key in KEYS.iter().filter(|key| key.named_in().is_none() && layers.origin(&key.path) == Origin::default()) {
        let default = (key.field.default)().map(|value| value.to_string());
        assert_eq!(row(&key.path).value, default, "{}", key.path);
        assert!((key.field.default)().is_none_or(|value| set_in_file(&key.path, &value).is_ok()), "{}", key.path);
    }
    let variables: std::collections::BTreeSet<_> = KEYS.iter().map(rebut_engine::config::Key::variable).collect();
    assert_eq!(variables.len(), KEYS.len(), "every key has a variable of its own");
}

fn set_in_file(path: &str, value: &Value) -> Result<Layers, ConfigError> {
    user(&format!("{path} = {value}\n")).try_read()
}

#[test]
fn limits_are_counted_in_the_units_of_a_plan() {
    let budget = user("budget = { max_minutes = 0.5, max_tokens = 1, max_cost = 0.25 }\n").read().settings().budget.budget();
    assert_eq!((budget.max_ms, budget.max_tokens), (Some(30_000), Some(1)));
    assert_eq!(budget.max_cost, rebut_core::debate::Cost::from_dollars(0.25));
}

#[test]
fn a_tools_settings_are_found_by_its_name() {
    let text = "[tools.codex]\nprogram = '/opt/codex'\nmodels = { high = 'gpt-9', max = 'auto' }\neffort.high = 'ultra'\n";
    let layers = user(&format!("{text}effort.low = 'auto'\n")).set("REBUT_TOOLS_CODEX_MODELS_LOW", "gpt-8").read();
    let codex = &layers.settings().tools["codex"];
    assert_eq!(codex.program.as_deref(), Some("/opt/codex"));
    assert_eq!(codex.models.values().collect::<Vec<_>>(), ["gpt-8", "gpt-9", "auto"]);
    let word = |effort| codex.effort_word(effort, Some(&["l", "m", "h", "x"])).map(|word| (word.word, word.is_own));
    assert_eq!(Effort::ALL.map(word), [None, Some(("m", false)), Some(("ultra", true)), Some(("x", false))]);
    let error = user("[tools.cloud]\nprogram = '/x'\n").error();
    assert!(error.starts_with("invalid value cloud for `tools` in config.toml:1:8: expected the name of a tool"), "{error}");
}

#[test]
fn a_services_settings_are_found_by_its_name() {
    let machine = user("[services.my-own]\napi = 'chat'\nbase_url = 'http://gpu:8000/v1'\n")
        .set("REBUT_SERVICES_MY_OWN_MODELS_HIGH", "big")
        .set("REBUT_SERVICES_OLLAMA_BASE_URL", "http://127.0.0.1:9/v1");
    let layers = machine.read();
    let services = &layers.settings().services;
    let mine = &services["my-own"];
    assert_eq!((mine.api, mine.models[&Effort::High].as_str()), (Some(ServiceApi::Chat), "big"));
    assert_eq!(services["ollama"].base_url.as_deref(), Some("http://127.0.0.1:9/v1"));
    assert_eq!(
        layers.origin("services.my-own.api"),
        Origin { level: Level::User, place: machine.file(Level::User).display().to_string() }
    );
    let error = set("REBUT_SERVICES_MY_OWN_MODELS_HIGH", "big").error();
    assert!(error.starts_with("unknown environment variable REBUT_SERVICES_MY_OWN_MODELS_HIGH"), "{error}");
    let error = user("[services.mine]\nbase_uri = 'http://x'\n").error();
    assert!(
        error.starts_with(
            "unknown setting `services.mine.base_uri` in config.toml:2:1; did you mean `services.NAME.base_url`?"
        ),
        "{error}"
    );
    for taken in ["claude", "script", "local", "-x", "Big", "2x"] {
        let error = user(&format!("[services.{taken}]\napi = 'chat'\n")).error();
        assert!(error.starts_with(&format!("invalid value {taken} for `services` in config.toml:1:11")), "{error}");
    }
}

#[test]
fn an_address_with_a_secret_is_refused_without_being_shown() {
    let address = format!("http://user:{}@127.0.0.1:9/v1?key={}", "passw0rd", "sekret1");
    let error = set("REBUT_SERVICES_OLLAMA_BASE_URL", &address).error();
    assert!(error.contains("not shown") && !error.contains("passw0rd") && !error.contains("sekret1"), "{error}");
}

#[test]
fn ai_debate_files_hold_rounds_time_and_models_of_a_panel() {
    let machine = Machine::new();
    let file = machine.places.workspace.join(".claude/ai-debate.json");
    let text = "{\"max_rounds\": 5, \"time_budget_minutes\": null, \"topic\": \"X\",\n\"models\": {\"chair\": \"claude\", \"debater\": \"x\"}}";
    let machine = machine.write(&file, text);
    let layers = machine.read();
    let panel = &layers.settings().panel;
    assert_eq!((panel.max_rounds, panel.time_budget_minutes, panel.models.chair.as_deref()), (5, 30, Some("claude")));
    let settings = "panel.max_rounds = 5, panel.models.chair = \"claude\", models.debater (not read), topic (not read)";
    let expected = format!("set by project ({}): {settings}", file.display());
    assert_eq!(layers.notes(&["panel"]), [expected]);
    let machine = machine.project("panel.max_rounds = 6\n");
    assert_eq!(machine.read().settings().panel.max_rounds, 6, "our own file wins");
    for (text, expected) in [
        ("{\n  \"max_rounds\": }", "malformed JSON in .claude/ai-debate.json:2:17: expected value"),
        ("{\"größe\": }", "malformed JSON in .claude/ai-debate.json:1:11: expected value"),
        (
            "{\n  \"models\": 3}",
            "invalid value 3 for `models` in .claude/ai-debate.json:2:13: expected an object of models by role",
        ),
        (
            "{\"max_rounds\": 50}",
            "invalid value 50 for `panel.max_rounds` in .claude/ai-debate.json:1:16: expected a whole number from 1 to 20",
        ),
    ] {
        assert_eq!(Machine::new().write_project_ai_debate(text).error(), expected);
    }
}

impl Machine {
    fn write_project_ai_debate(self, text: &str) -> Self {
        let path = self.places.workspace.join(".claude/ai-debate.json");
        self.write(&path, text)
    }
}

#[test]
fn the_users_file_is_in_the_xdg_folder_else_in_the_home_folder() {
    let user_file = |home: Option<&str>, xdg: Option<&str>| {
        toml_of(&Places::new(home.map(Path::new), xdg.map(Path::new), Path::new("/project")), Level::User)
    };
    let in_home = Some(PathBuf::from("/home/ada/.config/rebut/config.toml"));
    assert_eq!(user_file(Some("/home/ada"), Some("/xdg")), Some(PathBuf::from("/xdg/rebut/config.toml")));
    for not_set in [None, Some(""), Some("relative")] {
        assert_eq!(user_file(Some("/home/ada"), not_set), in_home);
    }
    assert_eq!((user_file(None, None), user_file(Some(""), None)), (None, None));
}
