//! What was there is never lost.

use std::fs;
use std::os::unix::fs::symlink;

use super::{FOREIGN, files, put};
use crate::machine;

const TOML: &str = "# mine\nmodel = \"m\" # best\n\n[mcp_servers.other]\ncommand = \"o\"\n";
const JSON: &str = "{\n  // mine\n  \"theme\": \"dark\",\n  \"mcp\": { \"other\": { \"type\": \"remote\" } }\n}\n";

#[test]
fn settings_keep_everything_else_and_come_back() {
    for (tool, path, text) in [
        ("codex", ".codex/config.toml", TOML.to_owned()),
        ("codex", ".codex/config.toml", TOML.replace('\n', "\r\n")),
        ("codex", ".codex/config.toml", "model = \"m\"".to_owned()),
        ("opencode", ".config/opencode/opencode.json", JSON.to_owned()),
        ("opencode", ".config/opencode/opencode.jsonc", format!("\u{feff}{}", JSON.replace('\n', "\r\n"))),
        ("opencode", ".config/opencode/opencode.json", "{\"theme\":\"dark\"}".to_owned()),
    ] {
        let env = machine();
        let path = env.home().join(path);
        put(&path, &text);
        let _ = env.rebut(["install", tool, "--yes"]).exits(0).says("backup: ");
        let with = fs::read_to_string(&path).unwrap();
        assert!(with.contains(env!("CARGO_BIN_EXE_rebut")), "{with}");
        for line in text.lines().filter(|line| line.contains("mine") || line.contains("best") || line.contains("dark\",")) {
            assert!(with.contains(line), "{line}: {with}");
        }
        assert_eq!(with.contains("\r\n"), text.contains("\r\n"), "{with:?}");
        let _ = env.rebut(["install", tool, "--uninstall", "--yes"]).exits(0);
        let left = fs::read_to_string(&path).unwrap();
        let plain = |text: &str| text.chars().filter(|c| !c.is_whitespace()).collect::<String>();
        assert_eq!(plain(&left), plain(&text));
        if left == text {
            assert_eq!(files(&env.home()).len(), 1, "a backup of what is there again is removed");
        }
    }
}

#[test]
fn an_entry_of_somebody_else_is_backed_up_before_it_is_replaced_and_never_removed() {
    let env = machine();
    let foreign = FOREIGN.replace("mcpServers", "mcp");
    let path = env.home().join(".config/opencode/opencode.json");
    put(&path, &foreign);
    let _ =
        env.rebut(["install", "opencode", "--uninstall", "--yes"]).exits(0).says("starts something else, and is left alone");
    assert_eq!(fs::read_to_string(&path).unwrap(), foreign);
    let _ = env.rebut(["install", "opencode", "--yes"]).exits(0).says("it is replaced");
    assert_eq!(fs::read_to_string(path.with_file_name("opencode.json.before-rebut")).unwrap(), foreign);
}

#[test]
fn no_backup_is_overwritten() {
    let env = machine();
    let command = env.home().join(".codex/skills/debate/SKILL.md");
    for (text, backup) in [("one", "SKILL.md.before-rebut"), ("two", "SKILL.md.before-rebut-2")] {
        put(&command, text);
        let _ = env.rebut(["install", "codex", "--yes"]).exits(0);
        assert_eq!(fs::read_to_string(command.with_file_name(backup)).unwrap(), text);
    }
}

#[test]
fn what_a_user_added_to_the_entry_is_backed_up_when_it_goes() {
    let env = machine();
    let path = env.home().join(".codex/config.toml");
    let _ = env.rebut(["install", "codex", "--yes"]).exits(0);
    let mine = fs::read_to_string(&path).unwrap() + "tool_timeout_sec = 90\n";
    put(&path, &mine);
    let _ = env.rebut(["install", "codex", "--uninstall", "--yes"]).exits(0).says("backup: ");
    assert!(!path.exists());
    assert_eq!(fs::read_to_string(path.with_file_name("config.toml.before-rebut")).unwrap(), mine);
}

#[test]
fn a_symlink_stays_a_symlink_and_one_to_nowhere_is_left_alone() {
    let env = machine();
    let (path, kept) = (env.home().join(".codex/config.toml"), env.root().join("dotfiles/config.toml"));
    put(&kept, TOML);
    put(&path, "");
    fs::remove_file(&path).unwrap();
    symlink(&kept, &path).unwrap();
    let _ = env.rebut(["install", "codex", "--yes"]).exits(0);
    assert!(path.is_symlink() && fs::read_to_string(&kept).unwrap().contains("[mcp_servers.rebut]"));
    fs::remove_file(&kept).unwrap();
    let _ = env.rebut(["install", "codex", "--yes"]).exits(2).says("it is a symlink to a file that does not exist");
}

#[test]
fn what_is_not_settings_is_left_alone() {
    for (tool, path, text) in [
        ("opencode", ".config/opencode/opencode.json", "[]"),
        ("opencode", ".config/opencode/opencode.json", "{ \"mcp\": [] }"),
        ("opencode", ".config/opencode/opencode.json", "{ \"mcp\": "),
        ("opencode", ".config/opencode/opencode.json", "{ \"mcp\": { \"rebut\": {}, \"rebut\": { \"x\": 1 } } }"),
        ("codex", ".codex/config.toml", "mcp_servers = 5"),
    ] {
        let env = machine();
        put(&env.home().join(path), text);
        let _ = env.rebut(["install", tool, "--yes"]).exits(2).says("it is left alone").says("fix the file");
        assert_eq!(files(&env.home()).into_values().collect::<Vec<_>>(), [text], "{text}");
    }
}
