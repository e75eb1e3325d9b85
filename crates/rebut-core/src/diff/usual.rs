//! A diff with the prefixes that git writes by default. `diff.noprefix` and `diff.mnemonicPrefix` are matters of taste, and
//! what is reviewed, applied and kept must not depend on them.

use std::borrow::Cow;
use std::fmt::Write;

use super::{Diff, FileDiff};

impl Diff {
    /// The text with `a/` before the paths of the old side and `b/` before those of the new one; all else as it stood. A
    /// text that has them already is given back as it is.
    pub fn with_usual_prefixes(text: &str) -> Cow<'_, str> {
        let mut diff = Self::parse(text);
        let mut changed = false;
        for file in &mut diff.files {
            let header = usual_header(file);
            if header != file.header {
                changed = true;
                file.header = header;
            }
        }
        if changed { Cow::Owned(diff.to_string()) } else { Cow::Borrowed(text) }
    }
}

/// The lines before the hunks with the usual prefixes. Headers of submodules and merges name paths without any.
fn usual_header(file: &FileDiff) -> String {
    let mut header = String::with_capacity(file.header.len() + 8);
    if file.combined {
        return file.header.clone();
    }
    for line in file.header.split_inclusive('\n') {
        let bare = line.trim_end_matches(['\n', '\r']);
        let end = &line[bare.len()..];
        // Both sides of the first line have a path, also where a file is new or gone.
        let either = |side: &Option<String>| side.as_deref().unwrap_or(file.path()).to_owned();
        let (start, paths) = if bare.starts_with("diff --git ") {
            ("diff --git ", format!("{} {}", quoted("a/", &either(&file.old)), quoted("b/", &either(&file.new))))
        } else if let Some((time, path)) = after(bare, "--- ").zip(file.old.as_deref()) {
            ("--- ", format!("{}{time}", quoted("a/", path)))
        } else if let Some((time, path)) = after(bare, "+++ ").zip(file.new.as_deref()) {
            ("+++ ", format!("{}{time}", quoted("b/", path)))
        } else {
            header.push_str(line);
            continue;
        };
        // Writing to a string cannot fail.
        let _ = write!(header, "{start}{paths}{end}");
    }
    header
}

/// What follows the path of a line that begins so: a tab and a time, or nothing.
fn after<'a>(line: &'a str, start: &str) -> Option<&'a str> {
    let rest = line.strip_prefix(start)?;
    Some(rest.find('\t').filter(|_| !rest.starts_with('"')).map_or("", |at| &rest[at..]))
}

/// A path as git writes it: in quotation marks where it has any itself, or a character that is none.
pub fn quoted(prefix: &str, path: &str) -> String {
    if !path.chars().any(|c| c.is_control() || matches!(c, '"' | '\\')) {
        return format!("{prefix}{path}");
    }
    let mut text = format!("\"{prefix}");
    for c in path.chars() {
        match c {
            '"' => text.push_str("\\\""),
            '\\' => text.push_str("\\\\"),
            '\n' => text.push_str("\\n"),
            '\t' => text.push_str("\\t"),
            c if c.is_control() => {
                let mut bytes = [0; 4];
                for byte in c.encode_utf8(&mut bytes).bytes() {
                    let _ = write!(text, "\\{byte:03o}");
                }
            }
            c => text.push(c),
        }
    }
    text.push('"');
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    const HUNK: &str = "@@ -1 +1 @@\n-a\n+b\n";

    /// The same change as git writes it with one setting or another.
    fn change(old: &str, new: &str) -> String {
        format!(
            "diff --git {old}src/a b.rs {new}src/a b.rs\nindex 1..2 100644\n--- {old}src/a b.rs\t\n+++ {new}src/a b.rs\t\n{HUNK}\
             diff --git {old}a/x.rs {new}a/x.rs\n--- {old}a/x.rs\n+++ {new}a/x.rs\n{HUNK}\
             diff --git {old}new.rs {new}new.rs\nnew file mode 100644\nindex 0..2\n--- /dev/null\n+++ {new}new.rs\n@@ -0,0 +1 @@\n+b\n\
             diff --git {old}gone.rs {new}gone.rs\ndeleted file mode 100644\nindex 1..0\n--- {old}gone.rs\n+++ /dev/null\n@@ -1 +0,0 @@\n-b\n\
             diff --git {old}before.rs {new}after.rs\nsimilarity index 90%\nrename from before.rs\nrename to after.rs\n--- {old}before.rs\n+++ {new}after.rs\n{HUNK}\
             diff --git \"{old}t\\tb.rs\" \"{new}t\\tb.rs\"\n--- \"{old}t\\tb.rs\"\n+++ \"{new}t\\tb.rs\"\n{HUNK}\
             diff --git {old}logo.png {new}logo.png\nindex 1..2 100644\nBinary files {old}logo.png and {new}logo.png differ\n"
        )
    }

    #[test]
    fn whatever_the_prefixes_it_is_the_same_diff() {
        let usual = change("a/", "b/");
        assert!(matches!(Diff::with_usual_prefixes(&usual), Cow::Borrowed(_)));
        let paths = ["src/a b.rs", "a/x.rs", "new.rs", "gone.rs", "after.rs", "t\tb.rs", "logo.png"];
        for (old, new) in [("", ""), ("i/", "w/"), ("c/", "i/"), ("c/", "w/"), ("1/", "2/"), ("b/", "a/")] {
            let written = change(old, new);
            assert_eq!(Diff::parse(&written).paths(), paths, "{old} {new}");
            let told = Diff::with_usual_prefixes(&written);
            // What git says of binary files is words, and is not read.
            let told = told.replace(&format!("{old}logo.png and {new}logo.png"), "a/logo.png and b/logo.png");
            assert_eq!(told, usual, "{old} {new}");
        }
    }

    #[test]
    fn what_is_no_header_stays_as_it_is() {
        for text in [
            "# Proposal\n\nNo diff at all.\n",
            "diff --cc src/a.rs\nindex 1,2..3\n--- a/src/a.rs\n+++ b/src/a.rs\n@@@ -1,1 -1,1 +1,1 @@@\n- a\n -b\n++c\n",
            "--- a/x.sql\n+++ b/x.sql\n@@ -1,2 +1 @@\n one\n--- old/comment\n",
        ] {
            assert_eq!(Diff::with_usual_prefixes(text), text);
        }
        let plain = "--- x.rs\t2026-01-01\r\n+++ x.rs\t2026-01-02\r\n@@ -1 +1 @@\n-a\n+b\n";
        let usual = "--- a/x.rs\t2026-01-01\r\n+++ b/x.rs\t2026-01-02\r\n@@ -1 +1 @@\n-a\n+b\n";
        assert_eq!(Diff::with_usual_prefixes(plain), usual);
    }
}
