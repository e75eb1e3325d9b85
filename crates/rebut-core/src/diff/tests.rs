use proptest::prelude::*;
use proptest::test_runner::RngSeed;

use super::*;

const RENAMED: &str = "diff --git a/src/old name.rs b/src/new name.rs\nsimilarity index 90%\nrename from src/old name.rs\n\
    rename to src/new name.rs\nindex 1111111..2222222 100644\n--- a/src/old name.rs\t\n+++ b/src/new name.rs\t\n\
    @@ -1,4 +1,5 @@ fn main() {\n one\n-two\n+TWO\n+more\n three\n four\n@@ -10,2 +11 @@\n ten\n-eleven\n";

/// Everything that git writes without hunks, and a few with.
pub(crate) const ODDITIES: &str = "diff --git a/run.sh b/run.sh\nold mode 100644\nnew mode 100755\n\
    diff --git a/a.txt b/b.txt\nsimilarity index 100%\nrename from a.txt\nrename to b.txt\n\
    diff --git a/c.txt b/d.txt\nsimilarity index 100%\ncopy from c.txt\ncopy to d.txt\n\
    diff --git a/empty b/empty\nnew file mode 100644\nindex 0000000..e69de29\n\
    diff --git a/logo.png b/logo.png\nindex 1111111..2222222 100644\nBinary files a/logo.png and b/logo.png differ\n\
    diff --git a/blob.bin b/blob.bin\nnew file mode 100644\nindex 0000000..1111111\nGIT binary patch\nliteral 4\nLcmZQzWMT#Y01f~L\n\n\
    literal 0\nHcmV?d00001\n\n\
    diff --git a/lib/sub b/lib/sub\nindex 1111111..2222222 160000\n--- a/lib/sub\n+++ b/lib/sub\n@@ -1 +1 @@\n\
    -Subproject commit 1111111111111111111111111111111111111111\n+Subproject commit 2222222222222222222222222222222222222222\n\
    diff --git a/gone.rs b/gone.rs\ndeleted file mode 100644\nindex 1111111..0000000\n--- a/gone.rs\n+++ /dev/null\n@@ -1,2 +0,0 @@\n-a\n-b\n\
    \\ No newline at end of file\n\
    diff --git a/neu.rs b/neu.rs\nnew file mode 100644\nindex 0000000..1111111\n--- /dev/null\n+++ b/neu.rs\n@@ -0,0 +1 @@\n+x\r\n\
    diff --git \"a/\\303\\244 \\\"q\\\".txt\" \"b/\\303\\244 \\\"q\\\".txt\"\nindex 1111111..2222222 100644\n--- \"a/\\303\\244 \\\"q\\\".txt\"\n\
    +++ \"b/\\303\\244 \\\"q\\\".txt\"\n@@ -1 +1 @@\n-\n+-- a line that looks like a header\n\
    diff --cc merged.rs\nindex 1111111,2222222..3333333\n--- a/merged.rs\n+++ b/merged.rs\n@@@ -1,2 -1,2 +1,3 @@@\n  one\n +two\n+ three\n";

#[test]
fn what_git_writes_is_written_back_as_it_stood() {
    for text in [
        RENAMED,
        ODDITIES,
        "",
        "no diff\n",
        "commit abc\n\n    message\n\ndiff --git a/x b/x\nold mode 100644\nnew mode 100755\n",
    ] {
        assert_eq!(Diff::parse(text).to_string(), text);
    }
}

#[test]
fn every_kind_of_change_is_told() {
    let diff = Diff::parse(ODDITIES);
    let told: Vec<String> = diff
        .files
        .iter()
        .map(|file| {
            let sides = format!("{} -> {}", file.old.as_deref().unwrap_or("-"), file.new.as_deref().unwrap_or("-"));
            let marks = [(file.binary, "binary"), (file.combined, "combined"), (file.is_submodule(), "submodule")];
            let marks: Vec<&str> = marks.iter().filter(|(is, _)| *is).map(|(_, name)| *name).collect();
            format!("{sides} {:?} {} {}", file.moved, file.hunks.len(), marks.join(" ")).trim().to_owned()
        })
        .collect();
    assert_eq!(
        told,
        [
            "run.sh -> run.sh No 0",
            "a.txt -> b.txt Renamed 0",
            "c.txt -> d.txt Copied 0",
            "- -> empty No 0",
            "logo.png -> logo.png No 0 binary",
            "- -> blob.bin No 0 binary",
            "lib/sub -> lib/sub No 1 submodule",
            "gone.rs -> - No 1",
            "- -> neu.rs No 1",
            "ä \"q\".txt -> ä \"q\".txt No 1",
            "merged.rs -> merged.rs No 0 combined",
        ]
    );
    assert_eq!(diff.files[8].hunks[0].lines, [HunkLine::Added("x\r".into())], "a carriage return belongs to the line");
    assert_eq!(
        diff.files[9].hunks[0].lines,
        [HunkLine::Removed(String::new()), HunkLine::Added("-- a line that looks like a header".into())]
    );
    assert_eq!(diff.paths()[7..], ["gone.rs", "neu.rs", "ä \"q\".txt", "merged.rs"]);
}

#[test]
fn a_plain_diff_is_read_too() {
    for (text, sides) in [
        ("--- a/x.rs\n+++ b/x.rs\n@@ -1 +1 @@\n-a\n+b\n", ("x.rs", "x.rs")),
        ("--- x.rs.orig\t2026-01-01 10:00:00\n+++ x.rs\t2026-01-02 10:00:00\n@@ -1 +1 @@\n-a\n+b\n", ("x.rs.orig", "x.rs")),
        ("diff -u a/x.rs b/x.rs\n--- a/x.rs\n+++ b/x.rs\n@@ -1 +1 @@\n-a\n+b\n", ("x.rs", "x.rs")),
        (
            "diff --git src/x.rs src/x.rs\nindex 1..2\n--- src/x.rs\n+++ src/x.rs\n@@ -1 +1 @@\n-a\n+b\n",
            ("src/x.rs", "src/x.rs"),
        ),
        ("diff --git i/x.rs w/x.rs\nindex 1..2\n--- i/x.rs\n+++ w/x.rs\n@@ -1 +1 @@\n-a\n+b\n", ("x.rs", "x.rs")),
    ] {
        let diff = Diff::parse(text);
        assert_eq!(diff.files.len(), 1, "{text}");
        assert_eq!((diff.files[0].old.as_deref(), diff.files[0].new.as_deref()), (Some(sides.0), Some(sides.1)), "{text}");
        assert_eq!(diff.to_string(), text);
    }
    let two = "--- a\n+++ b\n@@ -1 +1 @@\n-x\n+y\n--- c\n+++ d\n@@ -1 +1 @@\n-x\n+y\n";
    assert_eq!(Diff::parse(two).files.len(), 2);
}

#[test]
fn a_series_of_patches_is_read_with_the_words_between() {
    let text = "From 1 Mon Sep 17\nSubject: x\n---\n a.rs | 2 +-\n\ndiff --git a/a.rs b/a.rs\nindex 1..2 100644\n--- a/a.rs\n+++ b/a.rs\n\
        @@ -1 +1 @@\n-a\n+b\n-- \n2.43.0\n\nFrom 2 Mon Sep 17\n---\n\ndiff --git a/b.rs b/b.rs\nold mode 100644\nnew mode 100755\n\ncommit 3\n";
    let diff = Diff::parse(text);
    assert_eq!(diff.to_string(), text);
    assert_eq!(diff.paths(), ["a.rs", "b.rs"]);
    assert_eq!(diff.files[0].hunks[0].lines.len(), 2);
    assert_eq!(diff.files[0].trailer, "-- \n2.43.0\n\nFrom 2 Mon Sep 17\n---\n\n");
}

#[test]
fn wrong_counts_do_not_lose_lines() {
    let diff = Diff::parse(
        "--- a/x\n+++ b/x\n@@ -1,1 +1,1 @@\n one\n-two\n+TWO\n+three\n@@ -9,9 +9,9 @@\n nine\n+ten\ndiff --git a/y b/y\nold mode 1\nnew mode 2\n",
    );
    assert_eq!(diff.files[0].hunks[0].lines.len(), 4);
    assert_eq!(diff.files[0].hunks[1].lines.len(), 2);
    assert_eq!(diff.paths(), ["x", "y"]);
    let emptied = Diff::parse("--- a/x\n+++ b/x\n@@ -1,3 +1,3 @@\n one\n\n-two\n+TWO\n");
    assert_eq!(emptied.files[0].hunks[0].lines[1], HunkLine::Context(String::new()), "editors take the space away");
}

#[test]
fn what_models_write_is_read_as_it_is_meant() {
    let lines = |text: &str| Diff::parse(text).files[0].hunks[0].lines.iter().map(HunkLine::mark).collect::<String>();
    // Header lines in a hunk are lines; counts that are too high take no lines of the next file.
    assert_eq!(lines("--- a/x\n+++ b/x\n@@ -1,3 +1,2 @@\n one\n--- a comment\n-+++ b\n+two\n"), " --+");
    let two = Diff::parse("--- a/x\n+++ b/x\n@@ -1,9 +1,9 @@\n-a\n+b\n--- a/y\n+++ b/y\n@@ -1 +1 @@\n-a\n+b\n");
    assert_eq!(two.paths(), ["x", "y"]);
    // Words and empty lines after the last hunk are no part of it, and empty lines within it are.
    for header in ["@@ -3,2 +3,2 @@", "@@ -3,9 +3,9 @@", "@@ -3 +3 @@", "@@ @@", "@@ ... @@ fn a()"] {
        for after in ["\n\nThat is all.\n", "```\nmore\n", "", "\n"] {
            let text = format!("--- a/x\n+++ b/x\n{header}\n a\n\n-b\n+c\n{after}");
            assert_eq!(lines(&text), "  -+", "{text}");
        }
    }
    let unnumbered = "--- a/x\n+++ b/x\n@@ ... @@ fn a()\n-b\n+c\n";
    assert_eq!(Diff::parse(unnumbered).to_string(), unnumbered);
    assert_eq!(Diff::parse("words\n--- a/x\n+++ b/x\n@@ -1 +1 @@\n-b\n+c\nmore\n").files[0].place, 1..7);
}

#[test]
fn a_header_that_names_several_files_is_told() {
    let git = |header: &str| format!("diff --git a/x b/x\n{header}@@ -1 +1 @@\n-a\n+b\n");
    for (header, inconsistent) in [
        ("--- a/x\n+++ b/x\n", false),
        ("--- a/x\n+++ b/y\n", true),
        ("--- a/y\n+++ b/x\n", true),
        ("deleted file mode 100644\n--- a/x\n+++ /dev/null\n", false),
        ("rename from x\nrename to y\n--- a/x\n+++ b/y\n", false),
        ("rename from x\nrename to y\n--- /dev/null\n+++ b/y\n", true),
    ] {
        assert_eq!(Diff::parse(&git(header)).files[0].inconsistent, inconsistent, "{header}");
    }
}

#[test]
fn a_text_is_a_diff_only_as_a_whole() {
    for (text, expected) in [
        (RENAMED, true),
        ("commit abc\nAuthor: x\n\n    message\n\ndiff --git a/x b/x\nold mode 1\nnew mode 2\n", true),
        ("# Proposal\n\n```diff\ndiff --git a/x b/x\n--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+b\n```\n", false),
        ("Submodule lib/x 1234567..89abcde:\n  > a commit\n", true),
        ("--- a heading\n+++ and more\nbut no hunk\n", false),
        ("Some text\n---\nmore\n", false),
        ("", false),
    ] {
        assert_eq!(Diff::is_diff(text), expected, "{text}");
    }
}

#[test]
fn a_line_is_carried_to_the_new_side() {
    let diff = Diff::parse(RENAMED);
    let new = |line: u32| Some(("src/new name.rs".to_owned(), line));
    for (line, expected) in [
        (1, new(1)),
        (2, None),
        (3, new(4)),
        (4, new(5)),
        (5, new(6)),
        (9, new(10)),
        (10, new(11)),
        (11, None),
        (12, new(12)),
    ] {
        assert_eq!(diff.carried("src/old name.rs", line), expected, "line {line}");
    }
    assert_eq!(diff.carried("other.rs", 7), Some(("other.rs".to_owned(), 7)));
    let odd = Diff::parse(ODDITIES);
    assert_eq!(odd.carried("a.txt", 3), Some(("b.txt".to_owned(), 3)));
    assert_eq!(odd.carried("c.txt", 3), Some(("c.txt".to_owned(), 3)), "a copy leaves the original");
    assert_eq!(odd.carried("gone.rs", 1), None);
    assert_eq!(odd.carried("logo.png", 1), None);
    let inserted = Diff::parse("--- a/x\n+++ b/x\n@@ -2,0 +3,2 @@\n+new\n+new\n");
    assert_eq!((inserted.carried("x", 2), inserted.carried("x", 3)), (Some(("x".into(), 2)), Some(("x".into(), 5))));
}

#[test]
fn what_a_change_removes_is_known() {
    let diff = Diff::parse(
        "--- a/x.rs\n+++ b/x.rs\n@@ -1,4 +1,3 @@\n fn f() {\n-    let a  = lock();\n-    wait(a);\n+    wait(lock());\n }\n",
    );
    for (quote, expected) in [
        ("let a = lock();", true),
        ("let a = lock();\nwait(a);", true),
        ("fn f() {\n    let a = lock();", true),
        ("-    wait(a);", true),
        ("-    wait(a);\n+    wait(lock());", true),
        ("fn f() {", false),
        ("wait(lock());", false),
        ("", false),
        ("nothing", false),
    ] {
        assert_eq!(diff.removes("x.rs", quote), expected, "{quote}");
    }
    assert!(!diff.removes("y.rs", "wait(a);"));
    let odd = Diff::parse(ODDITIES);
    assert_eq!(
        ["gone.rs", "a.txt", "c.txt", "run.sh", "b.txt", "nowhere"].map(|path| odd.removed_path(path)),
        [true, true, false, false, false, false]
    );
}

#[derive(Clone, Debug)]
pub(crate) struct Made {
    pub(crate) path: String,
    pub(crate) hunks: Vec<Vec<HunkLine>>,
}

fn line() -> impl Strategy<Value = HunkLine> {
    let text = || "[a-z+@ \\-\\\\{}é\\r]{0,12}".prop_map(|text| text);
    prop_oneof![text().prop_map(HunkLine::Context), text().prop_map(HunkLine::Added), text().prop_map(HunkLine::Removed)]
}

pub(crate) fn made() -> impl Strategy<Value = Vec<Made>> {
    let hunk = prop::collection::vec(line(), 1..12);
    let file = ("[a-z]{1,6}(/[a-z ä]{1,5}x)?\\.rs", prop::collection::vec(hunk, 0..4));
    prop::collection::vec(file.prop_map(|(path, hunks)| Made { path, hunks }), 0..4)
}

/// The diff as git would write it.
pub(crate) fn written(files: &[Made], last_has_no_newline: bool) -> String {
    let mut text = String::new();
    for file in files {
        let path = &file.path;
        text += "diff --git a/PATH b/PATH\nindex 1111111..2222222 100644\n".replace("PATH", path).as_str();
        if !file.hunks.is_empty() {
            let tab = if path.contains(' ') { "\t" } else { "" };
            text += "--- a/PATH\n+++ b/PATH\n".replace("PATH", &[path, tab].concat()).as_str();
        }
        let (mut old, mut new) = (1, 1);
        for lines in &file.hunks {
            let mut hunk = Hunk { old_start: old, new_start: new, section: " fn x()".into(), lines: lines.clone() };
            old += hunk.old_count() + 7;
            new += hunk.new_count() + 7;
            hunk.old_start -= u32::from(hunk.old_count() == 0);
            hunk.new_start -= u32::from(hunk.new_count() == 0);
            if last_has_no_newline {
                hunk.lines.push(HunkLine::NoNewline(" No newline at end of file".into()));
            }
            text.push_str(&hunk.to_string());
        }
    }
    text
}

fn hunk_lines(diff: &Diff) -> Vec<(String, HunkLine)> {
    let lines = diff
        .files
        .iter()
        .flat_map(|file| file.hunks.iter().flat_map(|hunk| &hunk.lines).map(|line| (file.path().to_owned(), line.clone())));
    lines.collect()
}

proptest! {
    #![proptest_config(ProptestConfig { rng_seed: RngSeed::Fixed(0x3fa9), ..ProptestConfig::default() })]

    #[test]
    fn parsing_undoes_writing(files in made(), open in any::<bool>()) {
        let text = written(&files, open);
        let diff = Diff::parse(&text);
        prop_assert_eq!(diff.to_string(), text);
        prop_assert_eq!(diff.files.len(), files.len());
        for (read, file) in diff.files.iter().zip(&files) {
            prop_assert_eq!(read.path(), file.path.as_str());
            prop_assert_eq!(read.hunks.len(), file.hunks.len());
        }
    }

    #[test]
    fn any_text_is_written_back_and_nothing_panics(text in "(diff --git a/x b/x\n|--- a/x\n|\\+\\+\\+ b/x\n|@@ -1,2 \\+1 @@\n|@@ -4294967295,9 \\+4294967295,9 @@\n|@@@ -1 -1 \\+1 @@@\n|-a\n|\\+b\n| c\n|\\\\ No\n|Binary files a and b differ\n|rename from x\n|\"\\\\3\n|\\PC{0,9}\n){0,20}", path in "[a-z]{1,2}", line in prop_oneof![0_u32..9, (u32::MAX - 9)..=u32::MAX]) {
        let diff = Diff::parse(&text);
        let again = Diff::parse(&diff.to_string());
        prop_assert_eq!(hunk_lines(&again).len(), hunk_lines(&diff).len());
        let _ = (diff.carried(&path, line), diff.removes("x", &text), Diff::is_diff(&text));
    }
}
