//! What was there before `rebut install` comes back with `--uninstall`.

use std::fs;
use std::os::unix::fs::symlink;

use super::{FOREIGN, files, folders, names, put};
use crate::machine;

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
fn an_own_command_comes_back() {
    let env = machine();
    let skill = env.home().join(".claude/skills/debate/SKILL.md");
    put(&skill, "my own words\n");
    let _ = env.rebut(["install", "claude", "--yes"]).exits(0).says("SKILL.md.before-rebut");
    assert_ne!(fs::read_to_string(&skill).unwrap(), "my own words\n");
    let _ = env.rebut(["install", "claude", "--uninstall", "--yes"]).exits(0);
    let left: Vec<_> = files(&env.home()).into_iter().collect();
    assert_eq!(left, [(skill, "my own words\n".to_owned())], "the backup is gone with its reason");
}

#[test]
fn an_entry_of_somebody_else_comes_back() {
    let env = machine();
    let settings = env.home().join(".copilot/mcp-config.json");
    put(&settings, FOREIGN);
    let _ = env.rebut(["install", "copilot", "--yes"]).exits(0).says("starts something else; it is replaced");
    let with = fs::read_to_string(&settings).unwrap();
    assert!(!with.contains("npx"), "{with}");
    // The tool writes into its settings meanwhile.
    fs::write(&settings, with.replacen('{', "{\n  \"theme\": \"dark\",", 1)).unwrap();
    let run = env.rebut(["install", "copilot", "--uninstall", "--yes"]).exits(0);
    let _ = run.says("mcp-config.json.before-rebut stays");
    let expected = FOREIGN.replacen('{', "{\n  \"theme\": \"dark\",", 1);
    assert_eq!(fs::read_to_string(&settings).unwrap(), expected);
    assert_eq!(fs::read_to_string(settings.with_file_name("mcp-config.json.before-rebut")).unwrap(), FOREIGN);
}

#[test]
fn an_entry_of_somebody_else_is_not_taken_out() {
    let env = machine();
    let settings = env.home().join(".copilot/mcp-config.json");
    put(&settings, FOREIGN);
    let run = env.rebut(["install", "copilot", "--uninstall", "--yes"]).exits(0);
    let _ = run.says("starts something else, and is left alone").shows("is not installed");
    assert_eq!(fs::read_to_string(&settings).unwrap(), FOREIGN);
}

#[test]
fn a_file_that_was_there_stays_however_little_it_holds() {
    for text in ["", "{}", "{}\n", "{\n  \"mcpServers\": {}\n}\n"] {
        let env = machine();
        let settings = env.home().join(".claude.json");
        put(&settings, text);
        let _ = env.rebut(["install", "claude", "--yes"]).exits(0);
        let _ = env.rebut(["install", "claude", "--uninstall", "--yes"]).exits(0);
        assert_eq!(files(&env.home()).into_iter().collect::<Vec<_>>(), [(settings, text.to_owned())]);
    }
    // One that somebody else made for an entry like ours.
    let env = machine();
    let settings = env.home().join(".claude.json");
    put(&settings, "{\"mcpServers\":{\"rebut\":{\"command\":\"rebut\",\"args\":[\"mcp\"]}}}");
    let _ = env.rebut(["install", "claude", "--uninstall", "--yes"]).exits(0);
    assert_eq!(fs::read_to_string(&settings).unwrap(), "{\"mcpServers\":{}}");
}

#[test]
fn a_link_stays_a_link() {
    let env = machine();
    let (settings, kept) = (env.home().join(".claude.json"), env.root().join("dotfiles/claude.json"));
    put(&kept, "{}");
    symlink(&kept, &settings).unwrap();
    let _ = env.rebut(["install", "claude", "--yes"]).exits(0);
    assert!(settings.is_symlink() && fs::read_to_string(&kept).unwrap().contains("rebut"));
    let _ = env.rebut(["install", "claude", "--uninstall", "--yes"]).exits(0);
    assert!(settings.is_symlink());
    assert_eq!(files(&env.root().join("dotfiles")).into_iter().collect::<Vec<_>>(), [(kept.clone(), "{}".to_owned())]);
    // A link to nowhere is neither followed nor replaced.
    fs::remove_file(&kept).unwrap();
    let _ = env
        .rebut(["install", "claude", "--yes"])
        .exits(2)
        .says("a link to a file that is not there")
        .says("remove the link");
    assert!(settings.is_symlink() && !kept.exists());
    // A command that is a link to ours is somebody's own arrangement.
    fs::remove_file(&settings).unwrap();
    let (skill, checkout) = (env.home().join(".claude/skills/debate/SKILL.md"), env.root().join("checkout/SKILL.md"));
    let ours = include_str!("../../../../../skills/debate/SKILL.md");
    put(&checkout, ours);
    fs::create_dir_all(skill.parent().unwrap()).unwrap();
    symlink(&checkout, &skill).unwrap();
    let _ = env.rebut(["install", "claude", "--uninstall", "--yes"]).exits(0).says("a link that rebut did not make");
    assert!(skill.is_symlink() && fs::read_to_string(&checkout).unwrap() == ours);
}

#[test]
fn every_install_that_changes_a_file_keeps_what_was_there() {
    let env = machine();
    let settings = env.home().join(".codex/config.toml");
    let backup = |name: &str| fs::read_to_string(settings.with_file_name(format!("config.toml.{name}"))).ok();
    put(&settings, "model = \"first\"\n");
    let _ = env.rebut(["install", "codex", "--yes"]).exits(0);
    put(&settings, "model = \"second\"\n");
    let _ = env.rebut(["install", "codex", "--yes"]).exits(0).says("config.toml.before-rebut-2");
    assert_eq!(backup("before-rebut").as_deref(), Some("model = \"first\"\n"));
    assert_eq!(backup("before-rebut-2").as_deref(), Some("model = \"second\"\n"));
    let _ = env.rebut(["install", "codex", "--uninstall", "--yes"]).exits(0).says("config.toml.before-rebut stays");
    assert_eq!(fs::read_to_string(&settings).unwrap(), "model = \"second\"\n");
    assert_eq!(backup("before-rebut").as_deref(), Some("model = \"first\"\n"), "it is nowhere else");
    assert_eq!(backup("before-rebut-2"), None, "it is in the settings again");
}

#[test]
fn a_move_of_the_program_leaves_no_backup_behind() {
    let env = machine();
    let settings = env.home().join(".codex/config.toml");
    put(&settings, "model = \"mine\"\n");
    let _ = env.rebut(["install", "codex", "--yes"]).exits(0);
    let older = fs::read_to_string(&settings).unwrap().replace(env!("CARGO_BIN_EXE_rebut"), "/old/rebut");
    fs::write(&settings, &older).unwrap();
    let _ = env.rebut(["install", "codex", "--yes"]).exits(0).says("config.toml.before-rebut-2");
    let _ = env.rebut(["install", "codex", "--uninstall", "--yes"]).exits(0);
    let left: Vec<_> = files(&env.home()).into_iter().collect();
    assert_eq!(left, [(settings, "model = \"mine\"\n".to_owned())]);
}

#[test]
fn a_command_of_an_older_version_is_ours() {
    let env = machine();
    let _ = env.rebut(["install", "claude", "--yes"]).exits(0);
    let skill = env.home().join(".claude/skills/debate/SKILL.md");
    let record = env.state().join("installed.json");
    let written = serde_json::to_string(&fs::read_to_string(&skill).unwrap()).unwrap();
    fs::write(&record, fs::read_to_string(&record).unwrap().replace(&written, "\"older words\"")).unwrap();
    fs::write(&skill, "older words").unwrap();
    let _ = env.rebut(["install", "claude", "--yes"]).exits(0);
    assert_eq!(
        names(&env, &skill.with_file_name("")),
        ["home/.claude/skills/debate/SKILL.md"],
        "no backup of our own words"
    );
    let _ = env.rebut(["install", "claude", "--uninstall", "--yes"]).exits(0);
    assert_eq!(names(&env, &env.home()), [""; 0]);
}

#[test]
fn folders_that_were_there_stay() {
    let env = machine();
    let skills = env.home().join(".claude/skills");
    fs::create_dir_all(&skills).unwrap();
    let _ = env.rebut(["install", "claude", "--yes"]).exits(0);
    let _ = env.rebut(["install", "claude", "--uninstall", "--yes"]).exits(0);
    assert_eq!(folders(&env.home()), [env.home().join(".claude"), skills]);
    let _ = env.rebut(["install", "codex", "--yes"]).exits(0);
    put(&env.home().join(".codex/auth.json"), "{}");
    let _ = env.rebut(["install", "codex", "--uninstall", "--yes"]).exits(0);
    assert_eq!(names(&env, &env.home()), ["home/.codex/auth.json"]);
}

#[test]
fn an_entry_that_was_written_by_hand_comes_back_with_what_is_in_it() {
    let by_hand = [
        (
            "claude",
            ".claude.json",
            r#"{"mcpServers":{"rebut":{"command":"rebut","args":["mcp"],"env":{"OPENAI_API_KEY":"k"}}}}"#,
        ),
        (
            "opencode",
            ".config/opencode/opencode.json",
            r#"{"mcp":{"rebut":{"type":"local","command":["rebut","mcp"],"environment":{"A":"b"}}}}"#,
        ),
        (
            "codex",
            ".codex/config.toml",
            "[mcp_servers.rebut]\ncommand = \"rebut\" # mine\nargs = [\"mcp\"]\n\n[mcp_servers.rebut.env]\nA = \"b\"\n",
        ),
    ];
    for (tool, file, text) in by_hand {
        let env = machine();
        let settings = env.home().join(file);
        put(&settings, text);
        let _ = env.rebut(["install", tool, "--yes"]).exits(0);
        assert_ne!(fs::read_to_string(&settings).unwrap(), text, "{tool}");
        let _ = env.rebut(["install", tool, "--uninstall", "--yes"]).exits(0);
        assert_eq!(files(&env.home()).into_iter().collect::<Vec<_>>(), [(settings.clone(), text.to_owned())]);
        // Whoever takes it out without having put it in finds it beside.
        let _ = env.rebut(["install", tool, "--uninstall", "--yes"]).exits(0);
        let backup = settings.with_file_name(format!("{}.before-rebut", settings.file_name().unwrap().display()));
        assert_eq!(fs::read_to_string(backup).unwrap(), text, "{tool}");
    }
}

#[test]
fn what_a_person_added_to_the_entry_is_kept_when_it_goes() {
    let env = machine();
    let _ = env.rebut(["install", "claude", "--yes"]).exits(0);
    let settings = env.home().join(".claude.json");
    let mine = fs::read_to_string(&settings).unwrap().replace("\"args\"", "\"env\": { \"A\": \"b\" },\n      \"args\"");
    fs::write(&settings, &mine).unwrap();
    let _ = env.rebut(["install", "claude", "--uninstall", "--yes"]).exits(0);
    assert_eq!(fs::read_to_string(settings.with_file_name(".claude.json.before-rebut")).unwrap(), mine);
}
