//! `rebut install`: what is written into the settings of other tools, and taken out of them again.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use rebut_fakes::{Terminal, TestEnv};

use crate::machine;

const TOOLS: [&str; 5] = ["claude", "codex", "gemini", "opencode", "copilot"];

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
    ] {
        let env = machine();
        let run = env.rebut(["install", tool, "--yes"]).exits(0);
        let _ = run.shows(&format!("rebut is installed in {tool}")).shows("+++ ");
        assert_eq!(names(&env, &env.home()), expected, "{tool}");
        let all: String = files(&env.home()).into_values().collect();
        assert!(all.contains(env!("CARGO_BIN_EXE_rebut")) && all.contains("\"mcp\""), "{tool}: {all}");
        let before = files(&env.home());
        let _ = env.rebut(["install", tool, "--yes"]).exits(0).shows("is installed already");
        assert_eq!(files(&env.home()), before, "{tool}: a second time changes nothing");
        let _ = env.rebut(["install", tool, "--uninstall", "--yes"]).exits(0).shows("is taken out of");
        assert_eq!(names(&env, &env.home()), [""; 0], "{tool}: nothing is left");
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
    ] {
        let env = machine();
        let _ = env.rebut(["install", tool, "--scope", "project", "--yes"]).exits(0);
        assert_eq!(names(&env, &env.workspace()), expected, "{tool}");
        assert!(files(&env.home()).is_empty(), "{tool}: the person's own settings are left alone");
    }
}

#[test]
fn what_was_there_is_kept_and_comes_back_to_the_byte() {
    let env = machine();
    let settings = env.home().join(".config/opencode/opencode.jsonc");
    let mine = "{\n  // my own\n  \"theme\": \"dark\",\n  \"mcp\": {\n    \"other\": { \"type\": \"local\", \"command\": [\"o\"] }\n  }\n}\n";
    fs::create_dir_all(settings.parent().unwrap()).unwrap();
    fs::write(&settings, mine).unwrap();
    let _ = env.rebut(["install", "opencode", "--yes"]).exits(0).says("opencode.jsonc.before-rebut");
    let with = fs::read_to_string(&settings).unwrap();
    assert!(with.contains("// my own") && with.contains("\"other\"") && with.contains("\"rebut\""), "{with}");
    assert_eq!(fs::read_to_string(settings.with_file_name("opencode.jsonc.before-rebut")).unwrap(), mine);
    let _ = env.rebut(["install", "opencode", "--uninstall", "--yes"]).exits(0);
    let left = files(&env.home());
    assert_eq!(left.into_iter().collect::<Vec<_>>(), [(settings, mine.to_owned())], "the backup is gone with its reason");
}

#[test]
fn a_command_that_somebody_rewrote_is_left_alone() {
    let env = machine();
    let _ = env.rebut(["install", "claude", "--yes"]).exits(0);
    let skill = env.home().join(".claude/skills/debate/SKILL.md");
    fs::write(&skill, "my own words").unwrap();
    let _ = env.rebut(["install", "claude", "--uninstall", "--yes"]).exits(0).says("is not as rebut wrote it");
    assert_eq!(fs::read_to_string(&skill).unwrap(), "my own words");
}

#[test]
fn nothing_is_changed_unasked() {
    for tool in TOOLS {
        let env = machine();
        let _ = env.rebut(["install", tool]).exits(2).says("--yes does it without asking");
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
    let _ = env.rebut(["install", "codex", "--yes"]).exits(2).says("it is no TOML").says("mend the file");
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
