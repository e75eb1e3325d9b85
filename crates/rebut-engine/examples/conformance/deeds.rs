//! What the model has each tool do, in the words of the tool's own tools.

use rebut_fakes::provider::ToolCall;
use serde_json::{Value, json};

use crate::case::Deed;
use crate::cell::Places;

fn call(name: &str, arguments: Value) -> ToolCall {
    ToolCall::new(name, arguments)
}

pub(crate) fn claude_calls(deed: Deed, places: &Places) -> Vec<ToolCall> {
    let (file, folder) = (places.secret(), places.outside.display().to_string());
    match deed {
        Deed::Write => vec![call("Write", json!({ "file_path": places.deed(), "content": "done" }))],
        Deed::Shell => vec![call("Bash", json!({ "command": places.touch(), "description": "makes a file" }))],
        Deed::ReadLink => vec![call("Read", json!({ "file_path": places.link() }))],
        Deed::ReadInside | Deed::ReadForbidden => vec![call("Read", json!({ "file_path": places.inside() }))],
        Deed::ReadOutside => vec![
            call("Read", json!({ "file_path": file })),
            call("Grep", json!({ "pattern": "SECRET", "path": folder, "output_mode": "content" })),
        ],
    }
}

pub(crate) fn codex_calls(deed: Deed, places: &Places) -> Vec<ToolCall> {
    // The name of its shell depends on its version and on the model: all are tried.
    let shell = |command: String| {
        vec![
            call("exec_command", json!({ "cmd": command })),
            call("shell_command", json!({ "command": command })),
            call("shell", json!({ "command": ["sh", "-c", command] })),
        ]
    };
    match deed {
        Deed::Write => vec![
            call("apply_patch", json!("*** Begin Patch\n*** Add File: deed.txt\n+done\n*** End Patch\n")),
            call(
                "exec_command",
                json!({ "cmd": "apply_patch '*** Begin Patch\n*** Add File: deed.txt\n+done\n*** End Patch'" }),
            ),
        ],
        Deed::Shell => shell(places.touch()),
        Deed::ReadLink => shell(format!("cat {}", places.link())),
        Deed::ReadInside | Deed::ReadForbidden => shell(format!("cat {}", places.inside())),
        Deed::ReadOutside => shell(format!("cat {}", places.secret())),
    }
}

pub(crate) fn gemini_calls(deed: Deed, places: &Places) -> Vec<ToolCall> {
    let (file, folder) = (places.secret(), places.outside.display().to_string());
    match deed {
        Deed::Write => vec![call("write_file", json!({ "file_path": places.deed(), "content": "done" }))],
        Deed::Shell => vec![call("run_shell_command", json!({ "command": places.touch() }))],
        Deed::ReadLink => vec![call("read_file", json!({ "file_path": places.link() }))],
        Deed::ReadInside | Deed::ReadForbidden => vec![call("read_file", json!({ "file_path": places.inside() }))],
        Deed::ReadOutside => vec![
            call("read_file", json!({ "file_path": file })),
            call("grep_search", json!({ "pattern": "SECRET", "dir_path": folder })),
            call("read_many_files", json!({ "include": [file] })),
        ],
    }
}

pub(crate) fn opencode_calls(deed: Deed, places: &Places) -> Vec<ToolCall> {
    let (file, folder) = (places.secret(), places.outside.display().to_string());
    match deed {
        Deed::Write => vec![call("write", json!({ "filePath": places.deed(), "content": "done" }))],
        Deed::Shell => vec![call("bash", json!({ "command": places.touch(), "description": "makes a file" }))],
        Deed::ReadLink => vec![call("read", json!({ "filePath": places.link() }))],
        Deed::ReadInside | Deed::ReadForbidden => vec![call("read", json!({ "filePath": places.inside() }))],
        Deed::ReadOutside => {
            vec![call("read", json!({ "filePath": file })), call("grep", json!({ "pattern": "SECRET", "path": folder }))]
        }
    }
}

pub(crate) fn copilot_calls(deed: Deed, places: &Places) -> Vec<ToolCall> {
    let (file, folder) = (places.secret(), places.outside.display().to_string());
    match deed {
        Deed::Write => vec![call("create", json!({ "path": places.deed(), "file_text": "done" }))],
        Deed::Shell => {
            vec![call("bash", json!({ "command": places.touch(), "description": "makes a file", "mode": "sync" }))]
        }
        Deed::ReadLink => vec![call("view", json!({ "path": places.link() }))],
        Deed::ReadInside | Deed::ReadForbidden => vec![call("view", json!({ "path": places.inside() }))],
        Deed::ReadOutside => vec![
            call("view", json!({ "path": file })),
            call("grep", json!({ "pattern": "SECRET", "path": folder, "output_mode": "content" })),
        ],
    }
}

pub(crate) fn qwen_calls(deed: Deed, places: &Places) -> Vec<ToolCall> {
    let (file, folder) = (places.secret(), places.outside.display().to_string());
    match deed {
        Deed::Write => vec![call("write_file", json!({ "file_path": places.deed(), "content": "done" }))],
        Deed::Shell => vec![call("run_shell_command", json!({ "command": places.touch(), "is_background": false }))],
        Deed::ReadLink => vec![call("read_file", json!({ "file_path": places.link() }))],
        Deed::ReadInside | Deed::ReadForbidden => vec![call("read_file", json!({ "file_path": places.inside() }))],
        Deed::ReadOutside => vec![
            call("read_file", json!({ "file_path": file })),
            call("grep_search", json!({ "pattern": "SECRET", "path": folder })),
        ],
    }
}

pub(crate) fn grok_calls(deed: Deed, places: &Places) -> Vec<ToolCall> {
    let (file, folder) = (places.secret(), places.outside.display().to_string());
    match deed {
        Deed::Write => vec![call("write", json!({ "file_path": places.deed(), "content": "done" }))],
        Deed::Shell => {
            vec![call("run_terminal_command", json!({ "command": places.touch(), "description": "makes a file" }))]
        }
        Deed::ReadLink => vec![call("read_file", json!({ "target_file": places.link() }))],
        Deed::ReadInside | Deed::ReadForbidden => vec![call("read_file", json!({ "target_file": places.inside() }))],
        Deed::ReadOutside => vec![
            call("read_file", json!({ "target_file": file })),
            call("grep", json!({ "pattern": "SECRET", "path": folder })),
        ],
    }
}
