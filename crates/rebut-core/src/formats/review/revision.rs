//! The artifact rewritten: a patch where it is in files, else the whole text.

use serde::{Deserialize, Serialize};

use crate::debate::Rejection;
use crate::diff::Diff;

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "written", rename_all = "snake_case")]
pub enum Revision {
    /// A patch to files of the workspace; whether it applies is tried by the engine.
    Patch {
        patch: String,
    },
    Text {
        text: String,
    },
}

/// Reads a patch: the fenced blocks that are one, else everything from the first line of a diff on.
pub(super) fn accept_patch(answer: &str) -> Result<Revision, Rejection> {
    let mut patch: String = fenced(answer).into_iter().filter(|block| Diff::is_diff(block)).collect();
    if patch.is_empty() {
        // A fence that was opened in the prose before it is closed after it.
        let rest = answer[Diff::parse(answer).preamble.len()..].trim_end();
        patch = format!("{}\n", rest.strip_suffix("\n```").unwrap_or(rest));
    }
    let has_hunks = Diff::parse(&patch).files.iter().any(|file| !file.hunks.is_empty());
    if has_hunks {
        Ok(Revision::Patch { patch })
    } else {
        Err(Rejection::new("revision:no_patch", "the answer has no patch; answer with one unified diff in a ```diff block"))
    }
}

/// Reads a text between its marks; `is_diff` says whether it must be a diff.
pub(super) fn accept_text(answer: &str, marker: &str, current: &str, is_diff: bool) -> Result<Revision, Rejection> {
    let (open, close) = (format!("<<{marker}>>"), format!("<<end {marker}>>"));
    // The last of them: a mark may be quoted before it is used.
    let inside = answer.rsplit_once(open.as_str()).and_then(|(_, rest)| rest.split_once(close.as_str()));
    let Some((text, _)) = inside else {
        let reason = format!("the whole new text must be between the lines `{open}` and `{close}`");
        return Err(Rejection::new("revision:no_text", reason));
    };
    let text = text.trim_matches('\n');
    if text.trim().is_empty() {
        return Err(Rejection::new("revision:empty", "the new text is empty"));
    }
    if text.trim() == current.trim() {
        return Err(Rejection::new("revision:unchanged", "the new text is the old one; write what the findings ask for"));
    }
    if is_diff && Diff::parse(text).files.iter().all(|file| file.hunks.is_empty()) {
        return Err(Rejection::new("revision:no_diff", "the new text must be a whole unified diff, as the old one is"));
    }
    Ok(Revision::Text { text: format!("{text}\n") })
}

/// The insides of Markdown fences, each with its last line end. A fence is closed by a line without other text: a patch of a
/// Markdown file contains fences too, after its `+`, `-` and spaces.
fn fenced(answer: &str) -> Vec<String> {
    let mut blocks = Vec::new();
    let mut open: Option<String> = None;
    for line in answer.split_inclusive('\n') {
        match &mut open {
            None if line.starts_with("```") => open = Some(String::new()),
            None => {}
            Some(block) if line.trim_end() == "```" => {
                blocks.push(std::mem::take(block));
                open = None;
            }
            Some(block) => block.push_str(line),
        }
    }
    blocks.extend(open.map(|block| format!("{}\n", block.trim_end_matches('\n'))));
    blocks
}

#[cfg(test)]
mod tests {
    use super::*;

    const PATCH: &str = "--- a/x.md\n+++ b/x.md\n@@ -1,3 +1,3 @@\n ```\n-a\n+b\n ```\n";

    #[test]
    fn a_patch_is_found_fenced_or_bare() {
        let expected = Ok(Revision::Patch { patch: PATCH.to_owned() });
        assert_eq!(accept_patch(&format!("I changed one line.\n\n```diff\n{PATCH}```\nDone.")), expected);
        assert_eq!(accept_patch(&format!("Here:\n{PATCH}")), expected);
        assert_eq!(accept_patch(&format!("```diff\n{PATCH}")), expected);
    }

    #[test]
    fn prose_is_no_patch() {
        for answer in ["I would change line 3.", "```rust\nfn a() {}\n```", "--- a\nno plus line", ""] {
            assert_eq!(accept_patch(answer).unwrap_err().code, "revision:no_patch", "{answer}");
        }
    }
}
