//! Texts and files that mean harm: a result for each, never a crash, a hang or a read outside.

use std::fmt::Write as _;
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use rebut_core::claims::Statement;
use rebut_core::claims::check::{CheckResult, Checked};
use rebut_core::claims::citation::{Citation, Target};
use rebut_engine::evidence::pin::{Limits, Pin, Survey};
use rebut_engine::evidence::{Allowed, AllowedCommands, Examiner};
use tempfile::TempDir;

use super::repository::git;

const FILE_BYTES: u64 = 1 << 20;
const SECRET: &str = "the words that stand outside";

/// A workspace with a file beside it that nobody may read.
struct Ground(TempDir);

impl Ground {
    fn new() -> Self {
        let ground = Self(tempfile::tempdir().unwrap());
        fs::create_dir_all(ground.ws().join("src")).unwrap();
        fs::write(ground.ws().join("src/pool.rs"), "fn pool() {}\nfn wait() {}\n").unwrap();
        fs::write(ground.outside(), format!("{SECRET}\n")).unwrap();
        ground
    }

    fn ws(&self) -> PathBuf {
        self.0.path().canonicalize().unwrap().join("ws")
    }

    fn outside(&self) -> PathBuf {
        self.0.path().canonicalize().unwrap().join("outside.txt")
    }

    /// The folder as it is now.
    fn live(&self) -> Examiner {
        Examiner::of_folder(&self.ws(), None, FILE_BYTES, allowed()).unwrap()
    }

    /// The folder as it is kept for a debate.
    fn pinned(&self) -> Examiner {
        let limits = Limits { files: 1000, bytes: 64 << 20, file_bytes: FILE_BYTES };
        let blobs = self.0.path().join("blobs");
        let packed = Survey::of(&self.ws(), None, limits).unwrap().pack(&blobs).unwrap();
        Examiner::over(Arc::new(Pin::open(&blobs.join(packed.hash)).unwrap()), &self.ws(), allowed())
    }

    fn both(&self) -> [Examiner; 2] {
        [self.live(), self.pinned()]
    }
}

fn allowed() -> Allowed {
    Allowed { commands: Some(AllowedCommands::default()), sources: None }
}

fn examined(examiner: &Examiner, text: &str) -> Vec<Checked> {
    examiner.examine_now(Statement::read(text).citations())
}

/// The results of a text's citations.
fn results(examiner: &Examiner, text: &str) -> Vec<CheckResult> {
    examined(examiner, text).into_iter().map(|checked| checked.result).collect()
}

/// A citation as nobody writes it, past whoever looks for them in texts.
fn cited(path: impl Into<String>) -> Citation {
    let target = Target::File { path: path.into(), lines: None };
    Citation { quotes: vec![SECRET.to_owned()], ..Citation::of(target) }
}

#[test]
fn a_path_out_of_the_workspace_is_out_of_scope_however_it_is_written() {
    let ground = Ground::new();
    let outside = ground.outside().display().to_string();
    let paths = [
        "../../etc/passwd",
        "../outside.txt",
        "src/../../outside.txt",
        "./../outside.txt",
        "src/./../.././outside.txt",
        "..\\outside.txt",
        "src\\..\\..\\outside.txt",
        "/etc/passwd",
        "//etc/passwd",
        "~/.ssh/id_rsa",
        "file:///etc/passwd",
        "C:\\Windows\\win.ini",
        &outside,
        &format!("{}/../outside.txt", ground.ws().display()),
    ];
    for examiner in ground.both() {
        for path in paths {
            let found = examiner.examine_now(vec![cited(path)]).remove(0);
            assert_eq!(found.result, CheckResult::OutOfScope, "{path}: {}", found.detail);
        }
        assert_eq!(results(&examiner, "See ../../etc/passwd:1 and /etc/shadow:1."), [CheckResult::OutOfScope; 2]);
    }
}

#[test]
fn a_link_out_of_the_workspace_is_not_followed() {
    let ground = Ground::new();
    let parent = ground.outside().parent().unwrap().to_owned();
    symlink(ground.outside(), ground.ws().join("absolute.txt")).unwrap();
    symlink("../outside.txt", ground.ws().join("relative.txt")).unwrap();
    symlink("relative.txt", ground.ws().join("twice.txt")).unwrap();
    symlink(parent, ground.ws().join("folder")).unwrap();
    symlink("circle.txt", ground.ws().join("circle.txt")).unwrap();
    for examiner in ground.both() {
        for path in ["absolute.txt", "relative.txt", "twice.txt"] {
            let found = examiner.examine_now(vec![cited(path)]).remove(0);
            assert_eq!(found.result, CheckResult::OutOfScope, "{path}: {}", found.detail);
        }
        let circle = examiner.examine_now(vec![cited("circle.txt")]).remove(0);
        assert_eq!((circle.result, circle.detail.as_str()), (CheckResult::Unchecked, "its links lead in a circle"));
        let found = results(&examiner, &format!("--- claims\nclaim: x\nevidence: grep \"{SECRET}\""));
        assert_eq!(found, [CheckResult::Mismatch], "a search finds nothing outside");
    }
}

#[test]
fn what_lies_behind_a_folders_link_out_of_the_workspace_is_out_of_scope() {
    let ground = Ground::new();
    let parent = ground.outside().parent().unwrap().to_owned();
    for (target, link) in [
        (parent.to_str().unwrap(), "absolute"),
        ("..", "relative"),
        ("relative", "twice"),
        ("twice/ws/src", "in_and_out_again"),
        ("src", "inner"),
        ("../..", "src/deeper"),
        ("/etc", "src/system"),
        ("no/such/folder", "dangling"),
        ("round", "round"),
    ] {
        symlink(target, ground.ws().join(link)).unwrap();
    }
    for examiner in ground.both() {
        for path in [
            "absolute/outside.txt",
            "relative/outside.txt",
            "relative/no such file.txt",
            "twice/outside.txt",
            "in_and_out_again/pool.rs",
            "src/deeper/outside.txt",
            "src/system/passwd",
            "inner/system/passwd",
            "inner/deeper/outside.txt",
            "inner\\deeper\\outside.txt",
            "./relative/outside.txt",
            "src/../relative/outside.txt",
            &format!("{}/relative/outside.txt", ground.ws().display()),
        ] {
            let found = examiner.examine_now(vec![cited(path)]).remove(0);
            assert_eq!(found.result, CheckResult::OutOfScope, "{path}: {}", found.detail);
            assert!(!found.to_string().contains(SECRET), "{found}");
        }
        let round = examiner.examine_now(vec![cited("round/outside.txt")]).remove(0);
        assert_eq!(round.result, CheckResult::Unchecked, "{}", round.detail);
        assert_eq!(results(&examiner, "inner/pool.rs:2 reads `fn wait() {}`"), [CheckResult::Verified]);
        assert_eq!(results(&examiner, "inner/pool.rs:2 reads `fn wait(&self) {}`"), [CheckResult::Mismatch]);
        assert_eq!(results(&examiner, "inner/pool.rs:3 waits"), [CheckResult::Mismatch]);
        assert_eq!(results(&examiner, "inner/other.rs:2 and dangling/x.rs:1"), [CheckResult::Missing; 2]);
        let linked = examiner.examine_now(vec![cited("inner")]).remove(0);
        assert_eq!((linked.result, linked.detail.as_str()), (CheckResult::Unchecked, "it is a link to a folder"));
        let searched = |place: &str| results(&examiner, &format!("--- claims\nclaim: x\nevidence: grep \"fn\" in {place}"));
        assert_eq!(searched("inner"), [CheckResult::Verified]);
        assert_eq!(searched("relative"), [CheckResult::OutOfScope]);
        assert_eq!(searched("inner/deeper"), [CheckResult::OutOfScope]);
    }
}

#[test]
fn a_number_beyond_all_counting_is_told_as_it_was_written() {
    let ground = Ground::new();
    for examiner in ground.both() {
        for written in ["src/pool.rs:99999999999999999999", "src/pool.rs:2-340282366920938463463374"] {
            let found = examined(&examiner, &format!("See {written}."));
            assert_eq!((found[0].result, found[0].citation.target.to_string()), (CheckResult::Mismatch, written.to_owned()));
        }
    }
}

#[test]
fn evidence_of_another_scheme_is_unchecked_with_the_reason() {
    let ground = Ground::new();
    for examiner in ground.both() {
        for address in ["ftp://ftp.example.org/figures.csv", "s3://bucket/figures.csv", "gopher://example.org/1"] {
            let found = examined(&examiner, &format!("--- claims\nclaim: x\nevidence: {address} \"42\"")).remove(0);
            assert_eq!((found.result, found.citation.target.to_string()), (CheckResult::Unchecked, address.to_owned()));
            assert_eq!(found.detail, "only http and https addresses are looked into");
        }
        let found = results(&examiner, "--- claims\nclaim: x\nevidence: file:///etc/passwd");
        assert_eq!(found, [CheckResult::OutOfScope]);
    }
}

#[test]
fn what_is_no_text_is_unchecked_with_the_reason() {
    let ground = Ground::new();
    let huge = fs::File::create(ground.ws().join("huge.log")).unwrap();
    huge.set_len(2 << 30).unwrap();
    fs::write(ground.ws().join("image.png"), b"\x89PNG\0\0\0\n\n").unwrap();
    let pipe = ground.ws().join("pipe.txt");
    rustix::fs::mknodat(rustix::fs::CWD, &pipe, rustix::fs::FileType::Fifo, 0o600.into(), 0).unwrap();
    let _socket = std::os::unix::net::UnixListener::bind(ground.ws().join("socket.txt")).unwrap();
    for (examiner, kind) in ground.both().into_iter().zip(["live", "pinned"]) {
        for (path, why) in [("huge.log", "max_file_bytes"), ("image.png", "binary")] {
            let found = examined(&examiner, &format!("`{path}:1` says \"x y z\"")).remove(0);
            assert_eq!(found.result, CheckResult::Unchecked, "{kind} {path}: {}", found.detail);
            assert!(found.detail.contains(why), "{kind} {path}: {}", found.detail);
            assert_eq!(results(&examiner, &format!("It is `{path}`.")), [CheckResult::Verified], "it is there");
        }
        for path in ["pipe.txt", "socket.txt"] {
            let found = examined(&examiner, &format!("{path}:1 waits.")).remove(0);
            assert_eq!(
                (found.result, found.detail.as_str()),
                (CheckResult::Unchecked, "it is no regular file"),
                "{kind} {path}"
            );
            let found = examined(&examiner, &format!("It is `{path}`.")).remove(0);
            assert!(found.detail.ends_with("it is no regular file"), "{kind} {path}: {found}");
        }
    }
}

#[test]
fn a_search_says_what_it_did_not_search() {
    let ground = Ground::new();
    fs::create_dir(ground.ws().join("data")).unwrap();
    fs::File::create(ground.ws().join("data/huge.log")).unwrap().set_len(2 << 30).unwrap();
    fs::write(ground.ws().join("data/large.txt"), "root\n".repeat(300_000)).unwrap();
    fs::write(ground.ws().join("data/image.png"), b"root\0\0\0\n").unwrap();
    fs::write(ground.ws().join("data/few.txt"), "root\nroot\n").unwrap();
    symlink("pool.rs", ground.ws().join("src/link.rs")).unwrap();
    let pipe = ground.ws().join("pipe.txt");
    rustix::fs::mknodat(rustix::fs::CWD, &pipe, rustix::fs::FileType::Fifo, 0o600.into(), 0).unwrap();
    for examiner in ground.both() {
        let search = |search: &str| {
            let found = examined(&examiner, &format!("--- claims\nclaim: x\nevidence: grep {search}")).remove(0);
            (found.result, found.detail)
        };
        for file in ["data/huge.log", "data/large.txt", "data/image.png", "pipe.txt"] {
            for said in ["= 0", "= 3", ""] {
                let (result, detail) = search(&format!("\"root\" in {file} {said}"));
                assert_eq!(result, CheckResult::Unchecked, "{file} {said}: {detail}");
            }
        }
        let in_data = (CheckResult::Unchecked, "0 lines match, 3 files were not searched".to_owned());
        assert_eq!(search("\"toor\" in data = 0"), in_data);
        assert_eq!(search("\"root\" in data").0, CheckResult::Verified);
        assert_eq!(search("\"root\" in data = 1").0, CheckResult::Mismatch);
        // A link to a file beside it is not counted again, but may be named.
        assert_eq!(search("\"fn\" in src = 2"), (CheckResult::Verified, "2 lines match".to_owned()));
        assert_eq!(search("\"fn\" in src/link.rs = 2").0, CheckResult::Verified);
    }
}

#[test]
fn a_pipe_that_git_does_not_list_is_no_regular_file() {
    let ground = Ground::new();
    git(&ground.ws(), &["init", "-q"]);
    rustix::fs::mknodat(rustix::fs::CWD, ground.ws().join("src/pipe.rs"), rustix::fs::FileType::Fifo, 0o600.into(), 0)
        .unwrap();
    symlink("src", ground.ws().join("link")).unwrap();
    for examiner in ground.both() {
        for path in ["src/pipe.rs", "./src/pipe.rs", "link/pipe.rs"] {
            let found = examiner.examine_now(vec![cited(path)]).remove(0);
            assert_eq!((found.result, found.detail.as_str()), (CheckResult::Unchecked, "it is no regular file"), "{path}");
        }
    }
}

#[test]
fn what_git_keeps_for_itself_is_out_of_scope() {
    let ground = Ground::new();
    git(&ground.ws(), &["init", "-q"]);
    for examiner in ground.both() {
        for text in [".git/config:1 has it.", "See `.git/HEAD:1`.", "See `./.git/config:1`."] {
            assert_eq!(results(&examiner, text), [CheckResult::OutOfScope], "{text}");
        }
        assert_eq!(results(&examiner, "See .github/workflows/ci.yml:1."), [CheckResult::Missing]);
    }
}

#[test]
fn a_file_that_goes_away_or_becomes_another_is_told_apart() {
    let ground = Ground::new();
    for name in ["gone.rs", "pipe.rs", "link.rs", "folder.rs", "binary.rs"] {
        fs::write(ground.ws().join(name), "fn f() {}\n").unwrap();
    }
    let pinned = ground.pinned();
    let live = ground.live();
    // Now the files are listed, and none of these is read yet.
    assert_eq!(results(&live, "src/pool.rs:2 waits"), [CheckResult::Verified]);
    let place = |name: &str| {
        let path = ground.ws().join(name);
        fs::remove_file(&path).unwrap();
        path
    };
    place("gone.rs");
    rustix::fs::mknodat(rustix::fs::CWD, place("pipe.rs"), rustix::fs::FileType::Fifo, 0o600.into(), 0).unwrap();
    symlink(ground.outside(), place("link.rs")).unwrap();
    fs::create_dir(place("folder.rs")).unwrap();
    fs::write(place("binary.rs"), b"\0\0\0").unwrap();
    for (name, expected) in [
        ("gone.rs", CheckResult::ChangedSince),
        ("pipe.rs", CheckResult::Unchecked),
        ("link.rs", CheckResult::ChangedSince),
        ("folder.rs", CheckResult::ChangedSince),
        ("binary.rs", CheckResult::Unchecked),
    ] {
        let found = live.examine_now(vec![cited(name)]).remove(0);
        assert_eq!(found.result, expected, "{name}: {}", found.detail);
        assert_eq!(results(&pinned, &format!("`{name}:1` reads `fn f() {{}}`")), [CheckResult::Verified], "{name}");
    }
    // The whole workspace goes away.
    fs::remove_dir_all(ground.ws()).unwrap();
    assert!(live.examine_now(vec![cited("binary.rs")])[0].result != CheckResult::Verified);
    assert_eq!(results(&pinned, "src/pool.rs:2 waits"), [CheckResult::Verified]);
}

#[test]
fn ten_thousand_citations_in_one_text_have_a_result_each() {
    let ground = Ground::new();
    let mut sentence = String::from("All of it:");
    let mut list = String::new();
    let mut quoted = String::new();
    for number in 1..=10_000 {
        write!(sentence, " src/pool.rs:{number},").unwrap();
        writeln!(list, "- `src/file{number}.rs:{number}` has \"fn f{number}()\"").unwrap();
        writeln!(quoted, "src/pool.rs:{number} reads \"words that stand nowhere {number}\". ").unwrap();
    }
    for examiner in ground.both() {
        let found = results(&examiner, &sentence);
        assert_eq!(found.len(), 10_000);
        assert_eq!(found.iter().filter(|result| **result == CheckResult::Verified).count(), 2);
        assert_eq!(results(&examiner, &list), [CheckResult::Missing; 10_000]);
        assert_eq!(results(&examiner, &quoted), [CheckResult::Mismatch; 10_000]);
    }
}

/// What grows faster than the text shows where files have one name and many lines, and where quotes are searched for.
#[test]
fn thousands_of_citations_of_files_of_one_name_have_a_result_each() {
    let ground = Ground::new();
    let (files, lines) = (400, 200);
    for number in 0..files {
        let folder = ground.ws().join(format!("packages/p{number}/src"));
        fs::create_dir_all(&folder).unwrap();
        let text: Vec<String> = (1..=lines).map(|line| format!("export const v{line} = {number};\n")).collect();
        let text = text.concat();
        fs::write(folder.join("index.ts"), text).unwrap();
    }
    let mut text = String::new();
    for number in 0..2_000 {
        let (file, line) = (number % files, number / files * 9 + 1);
        writeln!(text, "As was said, see packages/p{file}/src/index.ts:{line} and p{file}/src/index.ts:{}.", lines + line)
            .unwrap();
        writeln!(text, "In packages/p{file}/src/index.ts:{line} stands \"v{line} = {file};\" ({number}).").unwrap();
        writeln!(text, "There is also packages/q{file}/src/index.ts:{number}, and index.ts:{number}.\n").unwrap();
    }
    for examiner in ground.both() {
        let found = results(&examiner, &text);
        let count = |wanted| found.iter().filter(|result| **result == wanted).count();
        assert_eq!(count(CheckResult::Verified), 2_000);
        assert!(count(CheckResult::Mismatch) > 0 && count(CheckResult::Missing) > 0 && count(CheckResult::Ambiguous) > 0);
    }
}

#[test]
fn bytes_that_are_no_text_are_looked_up_all_the_same() {
    let ground = Ground::new();
    fs::write(ground.ws().join("latin.txt"), b"caf\xe9 au lait\nplain words\n").unwrap();
    let odd = Path::new(std::ffi::OsStr::from_bytes(b"odd\xff.rs")).to_owned();
    fs::write(ground.ws().join(&odd), "fn odd() {}\n").unwrap();
    for examiner in ground.both() {
        assert_eq!(results(&examiner, "latin.txt:2 reads \"plain words\""), [CheckResult::Verified]);
        assert_eq!(results(&examiner, "latin.txt:1 reads \"au lait\""), [CheckResult::Verified]);
        let text = String::from_utf8_lossy(b"\xff\xfe src/pool.rs:2 \xc3( odd\xff.rs:1 \xf0\x9f").into_owned();
        let found = examined(&examiner, &text);
        assert_eq!(found[0].result, CheckResult::Verified, "{:?}", found[0]);
        assert!(found.iter().all(|found| found.result != CheckResult::Mismatch), "{found:?}");
    }
}

#[test]
fn paths_that_no_file_can_have_are_missing() {
    let ground = Ground::new();
    let long = format!("src/{}.rs", "x".repeat(100_000));
    let deep = "a/".repeat(50_000) + "b.rs";
    let up = "../".repeat(50_000) + "etc/passwd";
    for examiner in ground.both() {
        for path in ["src/\0pool.rs", "src/pool.rs\0", "\u{202e}sr.loop", "", " ", ".", "/", "\\", ":", long.as_str(), &deep]
        {
            let found = examiner.examine_now(vec![cited(path)]).remove(0);
            assert!(found.result != CheckResult::Verified, "{path:.40?}: {}", found.detail);
        }
        assert_eq!(examiner.examine_now(vec![cited(up.as_str())])[0].result, CheckResult::OutOfScope);
    }
}

#[test]
fn patterns_that_take_for_ever_do_not() {
    let ground = Ground::new();
    fs::write(ground.ws().join("long.txt"), "a".repeat(500_000)).unwrap();
    for examiner in ground.both() {
        let found = |pattern: &str| results(&examiner, &format!("--- claims\nclaim: x\nevidence: grep \"{pattern}\""));
        assert_eq!(found("(a+)+$"), [CheckResult::Verified]);
        assert_eq!(found("(a*)*b"), [CheckResult::Mismatch]);
        assert_eq!(found("((a{1,100}){1,100}){1,100}"), [CheckResult::Unchecked]);
        assert_eq!(found("(unclosed"), [CheckResult::Mismatch]);
    }
}

/// Where the folder is gone before anybody has listed it, nobody can say that a file was invented.
#[test]
fn a_workspace_that_cannot_be_listed_makes_no_citation_false() {
    let ground = Ground::new();
    let examiner = ground.live();
    fs::rename(ground.ws(), ground.0.path().join("elsewhere")).unwrap();
    let text = "See `src/pool.rs:1`.\n\n--- claims\nclaim: it waits\nevidence: grep \"wait\" in src = 1\n";
    for checked in examined(&examiner, text) {
        assert_eq!(checked.result, CheckResult::Unchecked, "{checked}");
        assert!(checked.detail.contains("could not be listed"), "{checked}");
    }
}
