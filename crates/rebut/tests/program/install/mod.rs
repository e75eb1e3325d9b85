//! `rebut install`: what is written into the settings of other tools, and taken out of them again.

mod backups;

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;

use rebut_fakes::{Terminal, TestEnv};

use crate::machine;

const TOOLS: [&str; 7] = ["claude", "codex", "gemini", "opencode", "copilot", "qwen", "grok"];

/// Every file below a folder with its text.
fn files(folder: &Path) -> BTreeMap<PathBuf, String> {
    let mut found = BTreeMap::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            found.extend(files(&path));
        } else {
            found.insert(path.clone(), fs::read_to_string(&path).unwrap());
        }
    }
    found
}

/// Every folder below a folder.
fn folders(folder: &Path) -> Vec<PathBuf> {
    let below = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).filter(|path| path.is_dir());
    below.flat_map(|path| [vec![path.clone()], folders(&path)].concat()).collect()
}

/// Writes a file with the folders above it.
fn put(path: &Path, text: &str) {
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, text).unwrap();
}

fn mode(path: &Path) -> u32 {
    fs::metadata(path).unwrap().permissions().mode() & 0o777
}

/// A machine with stand-ins for the tools that have `mcp add` and `mcp remove`: they write the entry, or remove the file.
fn machine_with_tools() -> TestEnv {
    let env = machine();
    for (tool, user, project) in [
        ("claude", ".claude.json", ".mcp.json"),
        ("gemini", ".gemini/settings.json", ".gemini/settings.json"),
        ("copilot", ".copilot/mcp-config.json", ""),
        ("qwen", ".qwen/settings.json", ".qwen/settings.json"),
        ("grok", ".grok/config.toml", ".grok/config.toml"),
    ] {
        let is_toml = Path::new(user).extension().is_some_and(|end| end == "toml");
        let empty = if is_toml { "" } else { r#"{ "mcpServers": {} }"# };
        let entry = if is_toml {
            r#"[mcp_servers.rebut]\ncommand = "%s"\nargs = ["mcp"]\nenabled = true\n"#
        } else {
            r#"{"mcpServers":{"rebut":{"command":"%s","args":["mcp"]}}}\n"#
        };
        let script = format!(
            "settings=\"$HOME/{user}\"\nfor word; do [ \"$word\" != project ] || settings=\"$PWD/{project}\"; \
             case \"$word\" in rebut|*/rebut) program=$word;; esac; done\n\
             echo \"$@\" >>\"$HOME/../calls\"\n[ \"$2\" = remove ] && {{ echo '{empty}' >\"$settings\"; exit; }}\n\
             [ \"$2\" = add ] || exit 9\n[ ! -e \"$settings\" ] || {{ echo taken >&2; exit 1; }}\n\
             /bin/mkdir -p \"${{settings%/*}}\"\n\
             printf '{entry}' \"$program\" >\"$settings\""
        );
        env.install_script(tool, &script);
    }
    env
}

const FOREIGN: &str = "{\n  \"mcpServers\": {\n    \"rebut\": { \"command\": \"npx\", \"args\": [\"theirs\"] }\n  }\n}\n";

fn names(env: &TestEnv, folder: &Path) -> Vec<String> {
    let mut names: Vec<String> =
        files(folder).keys().map(|path| path.strip_prefix(env.root()).unwrap().display().to_string()).collect();
    names.sort();
    names
}

#[test]
fn each_tool_gets_its_entry_and_its_command_and_loses_them_again() {
    for (tool, expected) in [
        ("claude", ["home/.claude.json", "home/.claude/skills/debate/SKILL.md"]),
        ("codex", ["home/.codex/config.toml", "home/.codex/skills/debate/SKILL.md"]),
        ("gemini", ["home/.gemini/commands/debate.toml", "home/.gemini/settings.json"]),
        ("opencode", ["home/.config/opencode/commands/debate.md", "home/.config/opencode/opencode.json"]),
        ("copilot", ["home/.copilot/mcp-config.json", "home/.copilot/skills/debate/SKILL.md"]),
        ("qwen", ["home/.qwen/settings.json", "home/.qwen/skills/debate/SKILL.md"]),
        ("grok", ["home/.grok/config.toml", "home/.grok/skills/debate/SKILL.md"]),
    ] {
        let env = machine_with_tools();
        let run = env.rebut(["install", tool, "--yes"]).exits(0);
        let _ = run.shows(&format!("installed rebut in {tool}")).shows("debate");
        assert_eq!(names(&env, &env.home()), expected, "{tool}");
        let all: String = files(&env.home()).into_values().collect();
        assert!(all.contains(env!("CARGO_BIN_EXE_rebut")) && all.contains("\"mcp\""), "{tool}: {all}");
        let before = files(&env.home());
        let _ = env.rebut(["install", tool, "--yes"]).exits(0).shows("is already installed");
        assert_eq!(files(&env.home()), before, "{tool}: a second time changes nothing");
        let _ = env.rebut(["install", tool, "--uninstall", "--yes"]).exits(0).shows("removed rebut from");
        assert_eq!(names(&env, &env.home()), [""; 0], "{tool}: nothing is left");
        assert!(folders(&env.home()).is_empty(), "{tool}: no folder either");
        let _ = env.rebut(["install", tool, "--uninstall", "--yes"]).exits(0).shows("is not installed");
    }
}

#[test]
fn a_projects_own_settings_are_in_the_project() {
    for (tool, expected) in [
        ("claude", ["workspace/.claude/skills/debate/SKILL.md", "workspace/.mcp.json"]),
        ("codex", ["workspace/.codex/config.toml", "workspace/.codex/skills/debate/SKILL.md"]),
        ("gemini", ["workspace/.gemini/commands/debate.toml", "workspace/.gemini/settings.json"]),
        ("opencode", ["workspace/.opencode/commands/debate.md", "workspace/opencode.json"]),
        ("copilot", ["workspace/.github/mcp.json", "workspace/.github/skills/debate/SKILL.md"]),
        ("qwen", ["workspace/.qwen/settings.json", "workspace/.qwen/skills/debate/SKILL.md"]),
        ("grok", ["workspace/.grok/config.toml", "workspace/.grok/skills/debate/SKILL.md"]),
    ] {
        let env = machine_with_tools();
        let run = env.rebut(["install", tool, "--scope", "project", "--yes"]).exits(0);
        let _ = run.says("`rebut` is not on your PATH");
        assert_eq!(names(&env, &env.workspace()), expected, "{tool}");
        assert!(files(&env.home()).is_empty(), "{tool}: the person's own settings are left alone");
        let all: String = files(&env.workspace()).into_values().collect();
        assert!(all.contains("\"rebut\"") && !all.contains(env!("CARGO_BIN_EXE_rebut")), "{tool}: {all}");
        let _ = env.rebut(["install", tool, "--scope", "project", "--uninstall", "--yes"]).exits(0);
        assert!(
            folders(&env.workspace()).is_empty() && files(&env.workspace()).is_empty(),
            "{tool}: the project itself stays"
        );
    }
}

#[test]
fn a_command_that_somebody_rewrote_is_left_alone() {
    let env = machine_with_tools();
    let _ = env.rebut(["install", "claude", "--yes"]).exits(0);
    let skill = env.home().join(".claude/skills/debate/SKILL.md");
    fs::write(&skill, "my own words").unwrap();
    let _ = env.rebut(["install", "claude", "--uninstall", "--yes"]).exits(0).says("is not as rebut wrote it");
    assert_eq!(fs::read_to_string(&skill).unwrap(), "my own words");
}

#[test]
fn nothing_is_changed_unasked() {
    for tool in TOOLS {
        let env = machine_with_tools();
        let _ = env.rebut(["install", tool]).exits(2).says("use --yes to make the changes without asking");
        let _ = env.rebut(["install", tool, "--dry-run"]).exits(0).shows("+++ ");
        assert!(files(&env.home()).is_empty(), "{tool}");
    }
    let env = machine();
    let run = Terminal::open().run(&mut env.command(["install", "codex"]), "n\n").exits(130);
    let _ = run.says("Make these changes?").shows("nothing was changed");
    assert!(files(&env.home()).is_empty());
}

#[test]
fn settings_that_cannot_be_read_are_left_alone() {
    let env = machine();
    fs::create_dir(env.home().join(".codex")).unwrap();
    let settings = env.home().join(".codex/config.toml");
    fs::write(&settings, "model = [").unwrap();
    let _ = env.rebut(["install", "codex", "--yes"]).exits(2).says("it is not TOML").says("fix the file");
    assert_eq!(files(&env.home()).into_values().collect::<Vec<_>>(), ["model = ["]);
}

#[test]
fn the_tools_own_variables_say_where_its_settings_are() {
    let env = machine();
    let elsewhere = env.root().join("elsewhere");
    let env = env.set("CODEX_HOME", &elsewhere);
    let _ = env.rebut(["install", "codex", "--yes"]).exits(0);
    assert!(elsewhere.join("config.toml").exists() && files(&env.home()).is_empty());
}

#[test]
fn what_changes_while_the_diff_is_read_is_not_written_over() {
    let env = machine();
    let (settings, skill) =
        (env.home().join(".config/opencode/opencode.json"), env.home().join(".config/opencode/commands/debate.md"));
    put(&settings, "{}");
    // A diff that no pipe holds: the program stands still in it until the reader, having changed the settings, reads on.
    let long = "my own words\n".repeat(20_000);
    put(&skill, &long);
    let line = format!(
        "{{ \"$0\" \"$@\"; echo \"exit $?\"; }} | {{ read -r first; printf '{{ }}' >'{}'; /bin/cat; }}; exit",
        settings.display()
    );
    let output = env.command_behind(&line, ["install", "opencode", "--yes"]).output().unwrap();
    let (shown, said) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert!(said.contains("has changed meanwhile") && said.contains("run it again"), "{said}");
    assert!(shown.ends_with("exit 1\n"), "{}", &shown[shown.len().saturating_sub(200)..]);
    let left: Vec<_> = files(&env.home()).into_iter().collect();
    assert_eq!(left, [(skill, long), (settings, "{ }".to_owned())]);
}

#[test]
fn settings_are_open_to_nobody_else() {
    let env = machine();
    let settings = env.home().join(".config/opencode/opencode.json");
    let _ = env.rebut(["install", "opencode", "--yes"]).exits(0);
    assert_eq!(mode(&settings), 0o600, "new ones");
    for wish in [0o600, 0o640] {
        let env = machine();
        let settings = env.home().join(".config/opencode/opencode.json");
        put(&settings, "{}");
        fs::set_permissions(&settings, fs::Permissions::from_mode(wish)).unwrap();
        let _ = env.rebut(["install", "opencode", "--yes"]).exits(0);
        let backup = settings.with_file_name("opencode.json.before-rebut");
        assert_eq!((mode(&settings), mode(&backup)), (wish, wish));
    }
}

#[test]
fn read_only_settings_are_left_alone() {
    let env = machine();
    let settings = env.home().join(".config/opencode/opencode.json");
    put(&settings, "{}");
    fs::set_permissions(&settings, fs::Permissions::from_mode(0o444)).unwrap();
    let _ = env.rebut(["install", "opencode", "--yes"]).exits(2).says("is read-only").says("chmod u+w");
    assert_eq!(files(&env.home()).into_values().collect::<Vec<_>>(), ["{}"]);
    let _ = env.rebut(["install", "opencode", "--uninstall", "--yes"]).exits(0).shows("is not installed");
}

#[test]
fn what_a_person_added_to_the_entry_survives_a_second_install() {
    let env = machine();
    let _ = env.rebut(["install", "opencode", "--yes"]).exits(0);
    let settings = env.home().join(".config/opencode/opencode.json");
    let mine = fs::read_to_string(&settings)
        .unwrap()
        .replace("\"enabled\"", "\"environment\": { \"A\": \"b\" },\n      \"enabled\"");
    fs::write(&settings, mine.replace(env!("CARGO_BIN_EXE_rebut"), "/old/rebut")).unwrap();
    let _ = env.rebut(["install", "opencode", "--yes"]).exits(0);
    assert_eq!(fs::read_to_string(&settings).unwrap(), mine);
}

#[test]
fn what_keeps_an_entry_from_working_is_said() {
    let env = machine();
    put(
        &env.home().join(".config/opencode/opencode.json"),
        r#"{"mcp":{"rebut":{"type":"local","command":["rebut","mcp"],"enabled":false}}}"#,
    );
    let _ = env.rebut(["install", "opencode", "--yes"]).exits(0).says("is switched off, and stays so");
    let settings = env.home().join(".codex/config.toml");
    put(
        &settings,
        "[mcp_servers.rebut]\ncommand = \"rebut\"\nargs = [\"--state-dir\", \"/x\", \"mcp\"]\nenv_vars = [\"A\"]\n",
    );
    let _ = env.rebut(["install", "codex", "--yes"]).exits(0).says("add REBUT_DEPTH to `env_vars`");
    let text = fs::read_to_string(&settings).unwrap();
    assert!(text.contains("args = [\"--state-dir\", \"/x\", \"mcp\"]"), "{text}");
}

#[test]
fn the_commands_show_lines_that_a_shell_takes_and_say_how_to_find_a_debate_again() {
    let skill = include_str!("../../../../../skills/debate/SKILL.md");
    let lines: Vec<&str> = skill.lines().filter_map(|line| line.strip_prefix("    rebut ")).collect();
    assert!(lines.len() >= 3, "{lines:?}");
    for line in lines {
        let status = Command::new("/bin/sh").args(["-n", "-c", &format!("rebut {line}")]).status().unwrap();
        assert!(status.success(), "{line}");
    }
    let commands =
        [skill, include_str!("../../../../../commands/debate.toml"), include_str!("../../../../../opencode/debate.md")];
    for text in commands {
        assert!(text.contains("the id `last`") && text.contains("`debate_list`"), "{text}");
    }
}

#[test]
fn the_commands_pass_the_users_words_on_for_rebut_to_parse() {
    for (text, words) in [
        (include_str!("../../../../../skills/debate/SKILL.md"), "$ARGUMENTS"),
        (include_str!("../../../../../commands/debate.toml"), "{{args}}"),
        (include_str!("../../../../../opencode/debate.md"), "$ARGUMENTS"),
    ] {
        assert!(text.contains(&format!("The user's words: {words}\n")), "{text}");
        assert!(text.contains("`arguments`") && text.contains("unchanged") && text.contains("like its own command line"));
        assert!(text.contains("words review the uncommitted changes"), "a bare /debate: {text}");
    }
}

#[test]
fn codex_hands_the_depth_and_the_keys_on() {
    let env = machine();
    let _ = env.rebut(["install", "codex", "--yes"]).exits(0);
    let settings: toml::Table = fs::read_to_string(env.home().join(".codex/config.toml")).unwrap().parse().unwrap();
    let names = settings["mcp_servers"]["rebut"]["env_vars"].as_array().unwrap();
    for name in ["REBUT_DEPTH", "REBUT_STATE_DIR", "XDG_STATE_HOME", "ANTHROPIC_API_KEY", "GEMINI_API_KEY"] {
        assert!(names.iter().any(|there| there.as_str() == Some(name)), "{name}");
    }
}

#[test]
fn not_even_a_half_written_file_is_open_to_others() {
    let secret = "{\"key\":\"secret\"}";
    // Killed at the first byte of the backup, of the new file in place of the old one, and of one that was not there.
    for (settings, backup) in [(Some(secret), None), (Some(secret), Some(secret)), (None, None)] {
        let env = machine();
        let home = env.home();
        let env = env.set("XDG_CONFIG_HOME", &home);
        let path = env.home().join("opencode/opencode.json");
        for (path, text) in [(path.clone(), settings), (path.with_file_name("opencode.json.before-rebut"), backup)] {
            if let Some(text) = text {
                put(&path, text);
                fs::set_permissions(&path, fs::Permissions::from_mode(0o600)).unwrap();
            }
        }
        let before = files(&env.home());
        let output = env.command_behind("umask 0; ulimit -f 0", ["install", "opencode", "--yes"]).output().unwrap();
        assert!(!output.status.success());
        let after = files(&env.home());
        assert_eq!(after.len(), before.len() + 1, "{after:?}");
        assert!(before.iter().all(|(path, text)| after[path] == *text), "{after:?}");
        assert!(after.keys().all(|path| mode(path) == 0o600), "{after:?}");
    }
}

#[test]
fn a_pipe_in_the_place_of_a_file_is_an_error_and_is_not_waited_for() {
    for (tool, settings, command) in [
        ("claude", ".claude.json", ".claude/skills/debate/SKILL.md"),
        ("gemini", ".gemini/settings.json", ".gemini/commands/debate.toml"),
    ] {
        for pipe in [settings, command] {
            let env = machine_with_tools();
            let path = env.root().join("home").join(pipe);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            crate::pipe_at(&path);
            for more in [&["--yes"][..], &["--uninstall", "--yes"]] {
                let run = env.rebut([&["install", tool], more].concat());
                let is_left_alone = more.contains(&"--uninstall") && pipe == command;
                let run = if is_left_alone { run } else { run.exits(2) };
                assert!(is_left_alone || run.stderr.contains("is a pipe or a device"), "{run}");
            }
        }
    }
}

#[test]
fn a_tool_with_commands_of_its_own_changes_its_settings_itself() {
    let env = machine_with_tools();
    let program = env!("CARGO_BIN_EXE_rebut");
    let line = format!("claude mcp add -s user rebut -- {program} mcp");
    let _ = env.rebut(["install", "claude", "--dry-run"]).exits(0).shows(&format!("$ {line}\n"));
    let settings = env.home().join(".claude.json");
    put(&settings, FOREIGN);
    let run = env.rebut(["install", "claude", "--yes"]).exits(0).says("starts something else; it is replaced");
    let backup = settings.with_file_name(".claude.json.before-rebut");
    let _ = run.says(&format!("backup: {}", backup.display()));
    assert_eq!(fs::read_to_string(backup).unwrap(), FOREIGN);
    let calls = fs::read_to_string(env.root().join("calls")).unwrap();
    assert_eq!(calls, format!("mcp remove -s user rebut\nmcp add -s user rebut -- {program} mcp\n"));
}

#[test]
fn a_tool_that_is_missing_or_fails_is_reported() {
    let env = machine();
    let _ = env.rebut(["install", "gemini", "--yes"]).exits(1).says("gemini is not on the search path");
    env.install_script("gemini", "echo 'no room' >&2; exit 3");
    let _ = env.rebut(["install", "gemini", "--yes"]).exits(1).says("mcp` failed: no room");
    assert!(files(&env.home()).is_empty());
}
