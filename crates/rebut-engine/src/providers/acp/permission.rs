//! What an agent may do when it asks: only read and search inside the workspace.

use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use crate::workspace::plain;

/// Names of arguments that are commands. Reading is done by tools that read: a command could do anything.
const COMMANDS: [&str; 4] = ["command", "commands", "cmd", "script"];

/// Names of arguments that are files or folders. What other arguments say is checked too: see [`may_say`].
const PATHS: [&str; 10] =
    ["path", "paths", "file", "files", "file_path", "filePath", "absolute_path", "dir_path", "directory", "filepath"];

/// The reply to a request for permission: one of the options that were offered, by its kind.
///
/// `call` is the tool call as far as it is known, from earlier updates and from the request itself. With no folder
/// to read in, nothing is allowed.
pub(super) fn decide(call: &Value, options: &Value, folder: Option<&Path>) -> Value {
    let allowed = folder.is_some_and(|folder| is_reading(call, folder));
    // Leave is given once: the next call is looked at again.
    let wanted: &[&str] = if allowed { &["allow_once"] } else { &["reject_once", "reject_always"] };
    let offered = options.as_array().map_or(&[][..], Vec::as_slice);
    let of_kind = |kind: &&str| offered.iter().find(|option| option["kind"] == **kind);
    match wanted.iter().find_map(of_kind).or_else(|| offered.iter().find(|option| option["kind"] == "reject_once")) {
        Some(option) => json!({ "outcome": { "outcome": "selected", "optionId": option["optionId"] } }),
        // Nothing that says no is on offer: the whole request is given back.
        None => cancelled(),
    }
}

/// The reply that gives a request back without a decision.
pub(super) fn cancelled() -> Value {
    json!({ "outcome": { "outcome": "cancelled" } })
}

fn is_reading(call: &Value, folder: &Path) -> bool {
    let mut said = Vec::new();
    for place in ["locations", "rawInput"] {
        collect(place, &call[place], &mut said);
    }
    let is_path = |name: &str| PATHS.contains(&name);
    let stays_inside = said.iter().all(|(name, text)| {
        !COMMANDS.contains(name) && may_say(text, folder) && (!is_path(name) || is_inside(text, folder))
    });
    match call["kind"].as_str() {
        // A read that does not say of what cannot be seen to be inside.
        Some("read") => stays_inside && said.iter().any(|(name, text)| is_path(name) && !text.is_empty()),
        // A search without a folder is one in the folder it runs in.
        Some("search") => stays_inside,
        _ => false,
    }
}

/// Every argument of an input by its name, however deep, with each text that it holds.
fn collect<'a>(name: &'a str, value: &'a Value, said: &mut Vec<(&'a str, &'a str)>) {
    match value {
        Value::String(text) => said.push((name, text)),
        Value::Array(items) => items.iter().for_each(|item| collect(name, item, said)),
        Value::Object(fields) => {
            for (name, value) in fields {
                said.push((name, ""));
                collect(name, value, said);
            }
        }
        _ => {}
    }
}

/// Whether a text, whatever its name, is no path and no pattern that leads out of the folder.
fn may_say(text: &str, folder: &Path) -> bool {
    let is_a_path = !stays(text) || text.contains("://") || folder.join(text).symlink_metadata().is_ok();
    // A pattern may name several: `{src,../x}/*`.
    let mut choices = text.split(['{', '}', ',']).skip(1);
    (!is_a_path || is_inside(text, folder)) && choices.all(stays)
}

/// Whether a pattern names nothing outside of the folder it is used in.
fn stays(pattern: &str) -> bool {
    !pattern.starts_with(['/', '~', '\\']) && !pattern.split(['/', '\\']).any(|part| part == "..")
}

/// Whether a path is in the folder, also when links are followed.
fn is_inside(path: &str, folder: &Path) -> bool {
    let path = path.strip_prefix("file://").unwrap_or(path);
    // Other addresses are no files, and only a tool knows whose home `~` is.
    if path.contains("://") || path.starts_with('~') {
        return false;
    }
    let Ok(folder) = folder.canonicalize() else { return false };
    plain_and_real(&folder.join(path)).is_some_and(|real| real.starts_with(&folder))
}

/// The path with its links followed as far as it exists. `..` after a link may lead elsewhere than the text says; where the
/// two differ there is no path.
fn plain_and_real(path: &Path) -> Option<PathBuf> {
    let text = plain(path);
    let real = |path: &Path| {
        let there = path.ancestors().find(|ancestor| ancestor.exists())?;
        let rest = path.strip_prefix(there).ok()?;
        Some(plain(&there.canonicalize().ok()?.join(rest)))
    };
    let (by_text, by_links) = (real(&text)?, real(path)?);
    (by_text == by_links).then_some(by_links)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn options() -> Value {
        // The ids say the opposite of the kinds: only the kinds count.
        json!([
            { "optionId": "reject", "kind": "allow_always" },
            { "optionId": "no", "kind": "allow_once" },
            { "optionId": "yes", "kind": "reject_once" },
        ])
    }

    fn is_allowed(call: &Value, folder: &Path) -> bool {
        match decide(call, &options(), Some(folder))["outcome"]["optionId"].as_str() {
            Some("no") => true,
            Some("yes") => false,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn reading_and_searching_inside_the_workspace_is_allowed_and_nothing_else_is() {
        let folder = tempfile::tempdir().unwrap();
        let folder = folder.path();
        std::fs::create_dir(folder.join("src")).unwrap();
        std::fs::write(folder.join("src/a.rs"), "").unwrap();
        #[cfg(unix)]
        std::os::unix::fs::symlink("/", folder.join("out")).unwrap();
        let inside = folder.join("src/a.rs").display().to_string();
        let at = |kind: &str, path: &str| json!({ "kind": kind, "locations": [{ "path": path, "line": 3 }] });
        let input = |kind: &str, input: Value| json!({ "kind": kind, "rawInput": input });
        for call in [
            at("read", &inside),
            at("read", "src/a.rs"),
            at("read", "src/not-there.rs"),
            at("search", "."),
            input("read", json!({ "file_path": inside })),
            input("read", json!({ "files": [inside, "src"] })),
            input("search", json!({ "pattern": "fn .*main" })),
            input("search", json!({ "pattern": "x", "path": folder })),
            input(
                "search",
                json!({ "pattern": "x{2,3}", "root": folder, "include": "*.{rs,md}", "options": { "cwd": "src" } }),
            ),
            at("read", &format!("file://{inside}")),
        ] {
            assert!(is_allowed(&call, folder), "{call}");
        }
        for call in [
            at("read", "/etc/passwd"),
            at("read", "../x"),
            at("read", "src/../../x"),
            at("read", "~/.ssh/id_rsa"),
            at("read", "out/etc/passwd"),
            at("read", "out/../src/a.rs"),
            at("read", "file:///etc/passwd"),
            at("read", "https://example.com/x"),
            json!({ "kind": "read" }),
            json!({ "kind": "read", "locations": [{ "path": inside }], "rawInput": { "file_path": "/etc/passwd" } }),
            input("search", json!({ "pattern": "/etc/*" })),
            input("search", json!({ "pattern": "src/../../*" })),
            input("search", json!({ "pattern": "BEGIN", "cwd": "~/.ssh" })),
            input("search", json!({ "pattern": "x", "target_directories": ["src", "../x"] })),
            input("search", json!({ "pattern": "x", "where": { "uri": "file:///etc" } })),
            input("search", json!({ "pattern": "x", "include": "{src,../../x}/*" })),
            input("search", json!({ "pattern": "x", "command": "grep -r x /" })),
            input("read", json!({ "file_path": "src/a.rs", "and": ["/etc/passwd"] })),
            input("read", json!({ "file_path": "src/a.rs", "cmd": ["cat", "src/a.rs"] })),
            json!({ "locations": [{ "path": inside }] }),
        ] {
            assert!(!is_allowed(&call, folder), "{call}");
        }
        for kind in ["edit", "delete", "move", "execute", "fetch", "other", "think"] {
            assert!(!is_allowed(&at(kind, &inside), folder), "{kind}");
        }
    }

    #[test]
    fn leave_is_never_given_for_more_than_once_and_a_missing_no_gives_the_request_back() {
        let folder = tempfile::tempdir().unwrap();
        let call = json!({ "kind": "read", "locations": [{ "path": "a" }] });
        let always = json!([{ "optionId": "a", "kind": "allow_always" }, { "optionId": "r", "kind": "reject_once" }]);
        assert_eq!(decide(&call, &always, Some(folder.path()))["outcome"]["optionId"], "r");
        let only_yes = json!([{ "optionId": "a", "kind": "allow_always" }]);
        assert_eq!(decide(&call, &only_yes, Some(folder.path())), cancelled());
        assert_eq!(decide(&json!({ "kind": "edit" }), &Value::Null, Some(folder.path())), cancelled());
    }
}
