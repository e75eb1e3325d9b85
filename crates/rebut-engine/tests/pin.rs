//! A pinned workspace: what is in it, what never is, and that nothing changes it afterwards.

#![cfg(unix)]
#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, SystemTime};

use rebut_engine::evidence::pin::{
    CopyError, Entry, Facts, Files, Kind, Limits, Live, Pin, PinError, ReadError, Source, Survey, Why,
};

const LIMITS: Limits = Limits { files: 1000, bytes: 1 << 20, file_bytes: 64 * 1024 };

/// A folder with a workspace and, beside it, a place for packs and one for copies.
struct Ground {
    dir: tempfile::TempDir,
}

impl Ground {
    /// A folder that git knows nothing of.
    fn plain() -> Self {
        let ground = Self { dir: tempfile::tempdir().unwrap() };
        for folder in ["ws", "tmp", "home"] {
            fs::create_dir(ground.root().join(folder)).unwrap();
        }
        ground
    }

    /// A repository without a commit.
    fn unborn() -> Self {
        let ground = Self::plain();
        git(&ground.ws(), &["init", "-q", "-b", "main"]);
        ground
    }

    /// A repository with a commit of two files and an ignored one.
    fn repository() -> Self {
        let ground = Self::unborn();
        ground.write("src/pool.rs", "fn pool() {}\n");
        ground.write("README.md", "# Pool\n");
        ground.write(".gitignore", ".env\ntarget/\n");
        ground.write(".env", "SECRET=hidden-word\n");
        ground.write("target/debug/out", "built\n");
        commit(&ground.ws());
        ground
    }

    fn root(&self) -> PathBuf {
        self.dir.path().canonicalize().unwrap()
    }

    fn ws(&self) -> PathBuf {
        self.root().join("ws")
    }

    fn write(&self, path: &str, content: impl AsRef<[u8]>) -> PathBuf {
        write(&self.ws().join(path), content)
    }

    fn survey(&self) -> Survey {
        Survey::of(&self.ws(), Some(&self.root().join("home")), LIMITS).unwrap()
    }

    fn pin(&self) -> Pin {
        self.pin_of(self.survey())
    }

    fn pin_of(&self, survey: Survey) -> Pin {
        let blobs = self.root().join("debate/blobs");
        let packed = survey.pack(&blobs).unwrap();
        let pin = Pin::open(&blobs.join(&packed.hash)).unwrap();
        assert_eq!(*pin.facts(), packed.facts);
        pin
    }

    /// The one pack that was written, as a file.
    fn pack(&self) -> PathBuf {
        let mut files = fs::read_dir(self.root().join("debate/blobs")).unwrap().map(|entry| entry.unwrap().path());
        let pack = files.next().unwrap();
        assert_eq!(files.next(), None);
        pack
    }
}

fn write(path: &Path, content: impl AsRef<[u8]>) -> PathBuf {
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, content).unwrap();
    path.to_owned()
}

/// Runs git as nobody in particular, and gives what it prints.
fn git(folder: &Path, arguments: &[&str]) -> String {
    let output = Command::new("git")
        .args(["-c", "user.name=n", "-c", "user.email=n@example.org", "-c", "protocol.file.allow=always"])
        .args(arguments)
        .current_dir(folder)
        .env("GIT_CONFIG_GLOBAL", "/dev/null")
        .env("GIT_CONFIG_SYSTEM", "/dev/null")
        .stdin(Stdio::null())
        .output()
        .unwrap();
    assert!(output.status.success(), "git {arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap().trim().to_owned()
}

fn commit(folder: &Path) {
    git(folder, &["add", "-A"]);
    git(folder, &["commit", "-q", "-m", "all"]);
}

fn paths(files: &dyn Files) -> Vec<&str> {
    files.entries().iter().map(Entry::path).collect()
}

fn text(files: &dyn Files, path: &str) -> String {
    let entry = files.lookup(path.as_bytes()).unwrap();
    String::from_utf8(files.read(entry).unwrap().bytes).unwrap()
}

fn left_out(facts: &Facts, why: Why) -> Vec<&str> {
    facts.left_out.iter().filter(|left| left.why == why).flat_map(|left| &left.first).map(String::as_str).collect()
}

fn pipe(path: &Path) {
    rustix::fs::mknodat(rustix::fs::CWD, path, rustix::fs::FileType::Fifo, 0o600.into(), 0).unwrap();
}

/// Everything below a folder, for a look at what is really there.
fn below(folder: &Path) -> Vec<String> {
    let mut all = Vec::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(next) = folders.pop() {
        for entry in fs::read_dir(&next).unwrap() {
            let entry = entry.unwrap();
            if entry.file_type().unwrap().is_dir() {
                folders.push(entry.path());
            } else {
                all.push(entry.path().strip_prefix(folder).unwrap().to_string_lossy().into_owned());
            }
        }
    }
    all.sort();
    all
}

#[test]
fn a_repository_is_kept_as_it_stands_in_the_folder() {
    let ground = Ground::repository();
    ground.write("src/pool.rs", "fn pool() { edited }\n");
    ground.write("staged.rs", "staged\n");
    git(&ground.ws(), &["add", "staged.rs"]);
    ground.write("staged.rs", "staged, then edited\n");
    ground.write("src/new file.rs", "new\n");
    fs::remove_file(ground.ws().join("README.md")).unwrap();
    let pin = ground.pin();
    assert_eq!(paths(&pin), [".gitignore", "src/new file.rs", "src/pool.rs", "staged.rs"]);
    assert_eq!(text(&pin, "src/pool.rs"), "fn pool() { edited }\n");
    assert_eq!(text(&pin, "staged.rs"), "staged, then edited\n");
    let facts = pin.facts();
    assert_eq!(facts.commit, Some(git(&ground.ws(), &["rev-parse", "HEAD"])));
    assert_eq!((facts.files, facts.changed, facts.new), (4, Some(3), 1));
    assert_eq!(facts.bytes, pin.entries().iter().map(|entry| entry.size).sum::<u64>());
    assert_eq!((facts.source.clone(), facts.left_out.len()), (Source::Git, 0));
    assert!(!pin.is_live());
}

#[test]
fn ignored_files_are_neither_in_the_pack_nor_in_the_copy() {
    let ground = Ground::repository();
    ground.write(".rebut/config.toml", "own");
    let pin = ground.pin();
    let bytes = fs::read(ground.pack()).unwrap();
    assert!(!bytes.windows(11).any(|window| window == b"hidden-word"));
    let copy = pin.lay_out(&ground.root().join("tmp")).unwrap();
    assert_eq!(below(copy.path()), [".gitignore", "README.md", "src/pool.rs"]);
}

#[test]
fn nothing_that_happens_to_the_repository_afterwards_changes_the_pin() {
    let ground = Ground::repository();
    ground.write("src/pool.rs", "uncommitted\n");
    let pin = ground.pin();
    git(&ground.ws(), &["checkout", "-q", "--", "."]);
    ground.write("src/pool.rs", "amended\n");
    git(&ground.ws(), &["commit", "-q", "-a", "--amend", "-m", "other"]);
    git(&ground.ws(), &["reflog", "expire", "--expire=now", "--all"]);
    git(&ground.ws(), &["gc", "-q", "--prune=now"]);
    assert_eq!(text(&pin, "src/pool.rs"), "uncommitted\n");
    fs::remove_dir_all(ground.ws()).unwrap();
    let again = Pin::open(&ground.pack()).unwrap();
    assert_eq!(text(&again, "src/pool.rs"), "uncommitted\n");
    assert_eq!(text(&again, "README.md"), "# Pool\n");
}

#[test]
fn the_same_files_give_the_same_pack_under_the_hash_of_its_bytes() {
    let ground = Ground::repository();
    let blobs = ground.root().join("debate/blobs");
    let one = ground.survey().pack(&blobs).unwrap();
    let other = ground.survey().pack(&blobs).unwrap();
    assert_eq!(one, other);
    let pack = ground.pack();
    assert_eq!(pack.file_name().unwrap(), one.hash.as_str());
    assert_eq!(blake3::hash(&fs::read(&pack).unwrap()).to_hex().as_str(), one.hash);
    assert_eq!(fs::metadata(&pack).unwrap().permissions().mode() & 0o777, 0o600);
}

#[test]
fn a_repository_without_a_commit_is_kept() {
    let ground = Ground::unborn();
    ground.write("added", "a");
    git(&ground.ws(), &["add", "added"]);
    ground.write("new", "n");
    let pin = ground.pin();
    assert_eq!(paths(&pin), ["added", "new"]);
    assert_eq!((pin.facts().commit.as_deref(), pin.facts().changed, pin.facts().new), (None, Some(1), 1));
}

#[test]
fn an_empty_repository_gives_an_empty_pin() {
    let pin = Ground::unborn().pin();
    assert_eq!((pin.entries().len(), pin.facts().files, pin.facts().bytes), (0, 0, 0));
}

#[test]
fn a_worktree_is_kept_with_its_own_files() {
    let ground = Ground::repository();
    let tree = ground.root().join("tree");
    git(&ground.ws(), &["worktree", "add", "-q", "-b", "side", tree.to_str().unwrap()]);
    write(&tree.join("README.md"), "# Side\n");
    write(&tree.join(".env"), "SECRET=x");
    assert!(tree.join(".git").is_file());
    let pin = ground.pin_of(Survey::of(&tree, None, LIMITS).unwrap());
    assert_eq!(paths(&pin), [".gitignore", "README.md", "src/pool.rs"]);
    assert_eq!(text(&pin, "README.md"), "# Side\n");
}

#[test]
fn a_repository_inside_the_workspace_that_git_does_not_know_is_named_and_left_out() {
    let ground = Ground::repository();
    git(&ground.ws(), &["worktree", "add", "-q", "-b", "side", "inner"]);
    let pin = ground.pin();
    assert_eq!(paths(&pin), [".gitignore", "README.md", "src/pool.rs"]);
    assert_eq!(left_out(pin.facts(), Why::Repository), ["inner/"]);
}

#[test]
fn a_part_of_a_repository_can_be_the_workspace() {
    let ground = Ground::repository();
    ground.write("src/deep/new.rs", "new\n");
    let pin = ground.pin_of(Survey::of(&ground.ws().join("src"), None, LIMITS).unwrap());
    assert_eq!(paths(&pin), ["deep/new.rs", "pool.rs"]);
    assert_eq!((pin.facts().changed, pin.facts().new), (Some(0), 1));
}

#[test]
fn submodules_are_walked_by_their_own_git() {
    let ground = Ground::repository();
    let library = ground.root().join("library");
    fs::create_dir(&library).unwrap();
    git(&library, &["init", "-q", "-b", "main"]);
    write(&library.join("lib.rs"), "lib\n");
    write(&library.join(".gitignore"), "*.log\n");
    commit(&library);
    for path in ["vendor/lib", "vendor/other"] {
        git(&ground.ws(), &["submodule", "--quiet", "add", library.to_str().unwrap(), path]);
    }
    commit(&ground.ws());
    git(&ground.ws(), &["submodule", "--quiet", "deinit", "-f", "vendor/other"]);
    ground.write("vendor/lib/lib.rs", "edited\n");
    ground.write("vendor/lib/new.rs", "new\n");
    ground.write("vendor/lib/run.log", "ignored there\n");
    let pin = ground.pin();
    let below: Vec<_> = paths(&pin).into_iter().filter(|path| path.starts_with("vendor")).collect();
    assert_eq!(below, ["vendor/lib/.gitignore", "vendor/lib/lib.rs", "vendor/lib/new.rs"]);
    assert_eq!(text(&pin, "vendor/lib/lib.rs"), "edited\n");
    assert_eq!((pin.facts().changed, pin.facts().new), (Some(1), 1));
    assert_eq!(left_out(pin.facts(), Why::Submodule), ["vendor/other"]);
}

#[test]
fn a_submodule_that_was_replaced_by_a_link_is_not_entered() {
    let ground = Ground::repository();
    let library = ground.root().join("library");
    fs::create_dir(&library).unwrap();
    git(&library, &["init", "-q", "-b", "main"]);
    write(&library.join("lib.rs"), "lib\n");
    commit(&library);
    git(&ground.ws(), &["submodule", "--quiet", "add", library.to_str().unwrap(), "lib"]);
    commit(&ground.ws());
    fs::remove_dir_all(ground.ws().join("lib")).unwrap();
    symlink(&library, ground.ws().join("lib")).unwrap();
    let pin = ground.pin();
    assert_eq!(left_out(pin.facts(), Why::Submodule), ["lib"]);
    assert!(pin.find(b"lib/lib.rs").is_none());
}

#[test]
fn files_that_a_sparse_checkout_leaves_out_are_taken_from_git() {
    let ground = Ground::repository();
    ground.write("docs/guide.md", "guide\n");
    ground.write("docs/run.sh", "#!/bin/sh\n");
    ground.write("docs/image", b"\x89PNG\0");
    ground.write("docs/large", "x".repeat(100_000));
    ground.write("docs/last.md", "last\n");
    fs::set_permissions(ground.ws().join("docs/run.sh"), fs::Permissions::from_mode(0o755)).unwrap();
    symlink("guide.md", ground.ws().join("docs/link")).unwrap();
    commit(&ground.ws());
    git(&ground.ws(), &["sparse-checkout", "set", "src"]);
    assert!(!ground.ws().join("docs").exists());
    let pin = ground.pin();
    assert_eq!(text(&pin, "docs/guide.md"), "guide\n");
    assert_eq!(text(&pin, "docs/link"), "guide\n");
    assert_eq!(text(&pin, "docs/last.md"), "last\n");
    assert_eq!(pin.find(b"docs/run.sh").unwrap().kind, Kind::File { executable: true });
    assert_eq!(left_out(pin.facts(), Why::Binary), ["docs/image"]);
    assert_eq!(left_out(pin.facts(), Why::TooLarge), ["docs/large"]);
    assert_eq!(pin.find(b"docs/large").unwrap().size, 100_000);
    assert_eq!(pin.facts().changed, Some(0));
}

#[test]
fn a_partial_clone_fetches_nothing_and_says_what_it_has_not() {
    let ground = Ground::repository();
    ground.write("docs/guide.md", "guide\n");
    commit(&ground.ws());
    git(&ground.ws(), &["config", "uploadpack.allowFilter", "true"]);
    let clone = ground.root().join("clone");
    let url = format!("file://{}", ground.ws().display());
    git(&ground.root(), &["clone", "-q", "--filter=blob:none", "--sparse", &url, "clone"]);
    let missing = || git(&clone, &["rev-list", "--objects", "--missing=print", "HEAD"]).matches("\n?").count();
    let before = missing();
    assert!(before > 0);
    let pin = ground.pin_of(Survey::of(&clone, None, LIMITS).unwrap());
    assert_eq!(left_out(pin.facts(), Why::Unfetched), ["docs/guide.md", "src/pool.rs"]);
    assert_eq!(text(&pin, "README.md"), "# Pool\n");
    assert_eq!(missing(), before);
}

#[test]
fn a_shallow_clone_is_kept() {
    let ground = Ground::repository();
    ground.write("README.md", "# Second\n");
    commit(&ground.ws());
    let url = format!("file://{}", ground.ws().display());
    git(&ground.root(), &["clone", "-q", "--depth", "1", &url, "clone"]);
    let clone = ground.root().join("clone");
    assert!(clone.join(".git/shallow").exists());
    let pin = ground.pin_of(Survey::of(&clone, None, LIMITS).unwrap());
    assert_eq!(paths(&pin), [".gitignore", "README.md", "src/pool.rs"]);
    assert_eq!(pin.facts().commit, Some(git(&clone, &["rev-parse", "HEAD"])));
}

#[test]
fn a_file_with_conflicts_is_kept_once_and_with_its_marks() {
    let ground = Ground::repository();
    git(&ground.ws(), &["checkout", "-q", "-b", "side"]);
    ground.write("README.md", "# Side\n");
    commit(&ground.ws());
    git(&ground.ws(), &["checkout", "-q", "main"]);
    ground.write("README.md", "# Main\n");
    commit(&ground.ws());
    let merge = Command::new("git")
        .args(["-c", "user.name=n", "-c", "user.email=n@example.org", "merge", "-q", "side"])
        .current_dir(ground.ws())
        .output();
    assert!(!merge.unwrap().status.success());
    let pin = ground.pin();
    assert_eq!(paths(&pin), [".gitignore", "README.md", "src/pool.rs"]);
    assert!(text(&pin, "README.md").contains("<<<<<<<"));
}

#[test]
fn a_folder_without_git_is_kept_under_the_usual_rules() {
    let ground = Ground::plain();
    ground.write(".gitignore", "*.log\n");
    ground.write(".ignore", "build/\n");
    ground.write(".env", "SECRET=x");
    ground.write("a.txt", "a");
    ground.write("sub/b.txt", "b");
    ground.write("sub/c.log", "c");
    ground.write("build/out", "o");
    symlink(ground.root().join("home"), ground.ws().join("sub/home")).unwrap();
    write(&ground.root().join("home/private.txt"), "private");
    let pin = ground.pin();
    assert_eq!(paths(&pin), ["a.txt", "sub/b.txt", "sub/home"]);
    assert_eq!(pin.find(b"sub/home").unwrap().kind, Kind::Link);
    assert!(matches!(pin.lookup(b"sub/home/private.txt"), Err(ReadError::Outside)));
    let facts = pin.facts();
    assert_eq!((facts.source.clone(), facts.commit.clone(), facts.changed), (Source::Folder, None, None));
}

#[test]
fn where_git_gives_no_answer_the_folder_is_walked_and_the_facts_say_so() {
    let ground = Ground::plain();
    ground.write(".git/HEAD", "no repository");
    ground.write("a.txt", "a");
    ground.write(".env", "SECRET=x");
    let pin = ground.pin();
    assert_eq!(paths(&pin), ["a.txt"]);
    assert!(matches!(&pin.facts().source, Source::FolderWithoutGit { said } if said.contains("git says")));
}

#[test]
fn the_home_folder_and_what_holds_it_are_no_project() {
    let ground = Ground::repository();
    for (workspace, home) in [("ws", "ws"), ("", "home"), ("ws", "ws/src")] {
        let survey = Survey::of(&ground.root().join(workspace), Some(&ground.root().join(home)), LIMITS);
        assert!(matches!(survey, Err(PinError::NoProject(_))), "{workspace} {home}");
    }
    assert!(matches!(Survey::of(Path::new("/"), None, LIMITS), Err(PinError::NoProject(_))));
    let live = Live::over(Path::new("/"), None, SystemTime::now(), 100);
    assert!(matches!(live, Err(PinError::NoProject(_))));
}

#[test]
fn a_folder_that_is_not_there_is_an_error_by_name() {
    let ground = Ground::plain();
    let error = Survey::of(&ground.root().join("nothing"), None, LIMITS).unwrap_err();
    assert!(error.to_string().contains("nothing"), "{error}");
}

#[test]
fn links_are_kept_as_links_and_lead_nowhere_outside() {
    let ground = Ground::repository();
    write(&ground.root().join("secret.txt"), "secret");
    symlink("../secret.txt", ground.ws().join("out")).unwrap();
    symlink(ground.ws().join("README.md"), ground.ws().join("absolute")).unwrap();
    symlink("src/pool.rs", ground.ws().join("in")).unwrap();
    symlink("src", ground.ws().join("folder")).unwrap();
    symlink("circle", ground.ws().join("circle")).unwrap();
    symlink("nothing", ground.ws().join("dangling")).unwrap();
    let pin = ground.pin();
    assert_eq!(text(&pin, "in"), "fn pool() {}\n");
    assert_eq!(text(&pin, "folder/pool.rs"), "fn pool() {}\n");
    let error = |path: &str| pin.read(pin.find(path.as_bytes()).unwrap()).unwrap_err();
    assert!(matches!(error("out"), ReadError::Outside));
    assert!(matches!(error("absolute"), ReadError::Outside));
    assert!(matches!(error("circle"), ReadError::Circle));
    assert!(matches!(error("dangling"), ReadError::Missing));
    let copy = pin.lay_out(&ground.root().join("tmp")).unwrap();
    let listed = below(copy.path());
    assert_eq!(listed, [".gitignore", "README.md", "dangling", "folder", "in", "src/pool.rs"]);
    assert_eq!(fs::read_to_string(copy.path().join("folder/pool.rs")).unwrap(), "fn pool() {}\n");
    assert_eq!((copy.missing()[0].why, copy.missing()[0].count), (Why::LeadsOut, 3));
}

#[test]
fn a_folder_that_was_replaced_by_a_link_takes_its_files_along() {
    let ground = Ground::repository();
    let elsewhere = ground.root().join("elsewhere");
    write(&elsewhere.join("pool.rs"), "outside\n");
    fs::remove_dir_all(ground.ws().join("src")).unwrap();
    symlink(&elsewhere, ground.ws().join("src")).unwrap();
    let pin = ground.pin();
    assert_eq!(paths(&pin), [".gitignore", "README.md", "src"]);
    assert!(matches!(pin.lookup(b"src/pool.rs"), Err(ReadError::Outside)));
}

#[test]
fn pipes_binaries_and_huge_files_are_known_by_name_alone() {
    let ground = Ground::repository();
    ground.write("pipe", "a file at first");
    ground.write("image.png", b"\x89PNG\r\n\0\0");
    commit(&ground.ws());
    fs::remove_file(ground.ws().join("pipe")).unwrap();
    pipe(&ground.ws().join("pipe"));
    let huge = fs::File::create(ground.ws().join("huge.bin")).unwrap();
    huge.set_len(2 << 30).unwrap();
    let pin = ground.pin();
    for (path, why, size) in [("pipe", Why::Special, 0), ("image.png", Why::Binary, 8), ("huge.bin", Why::TooLarge, 2 << 30)]
    {
        let entry = pin.find(path.as_bytes()).unwrap();
        assert_eq!((entry.kind, entry.size), (Kind::Left(why), size), "{path}");
        assert_eq!(left_out(pin.facts(), why), [path]);
        assert!(matches!(pin.read(entry), Err(ReadError::Left(left)) if left == why));
    }
    assert!(fs::metadata(ground.pack()).unwrap().size() < 100_000);
    let copy = pin.lay_out(&ground.root().join("tmp")).unwrap();
    assert_eq!(below(copy.path()), [".gitignore", "README.md", "src/pool.rs"]);
    assert_eq!(copy.missing().iter().map(|left| left.count).sum::<u64>(), 3);
}

#[test]
fn names_that_are_no_text_are_kept_as_they_are() {
    let ground = Ground::repository();
    let name = std::ffi::OsStr::from_bytes(b"caf\xe9 \n\"quoted\".rs");
    fs::write(ground.ws().join(name), "odd\n").unwrap();
    fs::write(ground.ws().join("日本 語.rs"), "unicode\n").unwrap();
    let pin = ground.pin();
    let entry = pin.find(name.as_bytes()).unwrap();
    assert_eq!(pin.read(entry).unwrap().bytes, b"odd\n");
    assert!(entry.path().starts_with("caf\u{fffd}"));
    assert_eq!(text(&pin, "日本 語.rs"), "unicode\n");
    let copy = pin.lay_out(&ground.root().join("tmp")).unwrap();
    assert_eq!(fs::read(copy.path().join(name)).unwrap(), b"odd\n");
}

#[test]
fn files_that_are_gone_or_changed_when_they_are_read_are_left_out_or_taken_as_they_are() {
    let ground = Ground::repository();
    for name in ["gone", "piped", "linked", "grown", "edited", "now_binary"] {
        ground.write(name, "before\n");
    }
    symlink("README.md", ground.ws().join("unlinked")).unwrap();
    write(&ground.root().join("secret.txt"), "secret");
    let survey = ground.survey();
    for name in ["gone", "piped", "linked", "unlinked"] {
        fs::remove_file(ground.ws().join(name)).unwrap();
    }
    pipe(&ground.ws().join("piped"));
    symlink("../secret.txt", ground.ws().join("linked")).unwrap();
    ground.write("unlinked", "a file now\n");
    ground.write("grown", "x".repeat(100_000));
    ground.write("edited", "after\n");
    ground.write("now_binary", b"\0");
    let pin = ground.pin_of(survey);
    assert_eq!(left_out(pin.facts(), Why::Vanished), ["gone", "linked", "unlinked"]);
    assert_eq!(left_out(pin.facts(), Why::Special), ["piped"]);
    assert_eq!(left_out(pin.facts(), Why::TooLarge), ["grown"]);
    assert_eq!(left_out(pin.facts(), Why::Binary), ["now_binary"]);
    assert_eq!(text(&pin, "edited"), "after\n");
    assert_eq!(pin.facts().files, pin.entries().len() as u64);
}

#[test]
fn a_workspace_that_is_too_large_is_found_out_and_leaves_nothing_behind() {
    let ground = Ground::repository();
    let few = Limits { files: 2, ..LIMITS };
    assert!(matches!(Survey::of(&ground.ws(), None, few), Err(PinError::TooLarge { files: 3, .. })));
    let plain = Ground::plain();
    for name in ["a", "b", "c"] {
        plain.write(name, name);
    }
    assert!(matches!(Survey::of(&plain.ws(), None, few), Err(PinError::TooLarge { files: 3, .. })));
    assert!(Survey::of(&plain.ws(), None, Limits { files: 3, ..LIMITS }).is_ok());
    let small = Limits { bytes: 20, ..LIMITS };
    let blobs = ground.root().join("debate/blobs");
    let packed = Survey::of(&ground.ws(), None, small).unwrap().pack(&blobs);
    assert!(matches!(packed, Err(PinError::TooLarge { bytes, .. }) if bytes > 20), "{packed:?}");
    assert_eq!(fs::read_dir(&blobs).unwrap().count(), 0);
}

#[test]
fn what_is_not_kept_does_not_count_towards_the_limit() {
    let ground = Ground::plain();
    ground.write("a.txt", "four");
    ground.write("image", vec![0; 50_000]);
    ground.write("large", "x".repeat(70_000));
    let limits = Limits { bytes: 4, ..LIMITS };
    let pin = ground.pin_of(Survey::of(&ground.ws(), None, limits).unwrap());
    assert_eq!((pin.facts().files, pin.facts().bytes), (3, 4));
}

#[test]
fn a_damaged_pack_is_an_error_by_name() {
    let ground = Ground::repository();
    let pin = ground.pin();
    let whole = fs::read(ground.pack()).unwrap();
    let damaged = ground.root().join("damaged");
    let open = |bytes: &[u8]| {
        fs::write(&damaged, bytes).unwrap();
        Pin::open(&damaged)
    };
    for length in [0, 1, 8, 60, 68, whole.len() / 2, whole.len() - 1] {
        assert!(matches!(open(&whole[..length]), Err(PinError::Damaged { .. })), "{length}");
    }
    // Every single byte: either the manifest is refused, or the file whose content it was.
    for at in 0..whole.len() {
        let mut bytes = whole.clone();
        bytes[at] ^= 0x20;
        match open(&bytes) {
            Err(PinError::Damaged { .. } | PinError::Version { .. }) => {}
            Err(other) => panic!("{at}: {other}"),
            Ok(opened) => {
                let refused = opened.entries().iter().filter(|entry| opened.read(entry).is_err()).count();
                assert_eq!(refused, 1, "{at}");
            }
        }
    }
    let error = open(b"not a pack, and long enough to have a footer: xxxxxxxxxxxxxxxxxxxxxxxxxxxx").unwrap_err();
    assert!(error.to_string().contains("is no pinned workspace"), "{error}");
    assert_eq!(text(&pin, "README.md"), "# Pool\n");
}

#[test]
fn a_pack_of_a_later_version_is_refused_by_name() {
    let ground = Ground::repository();
    ground.pin();
    let mut bytes = fs::read(ground.pack()).unwrap();
    let version = bytes.len() - 12;
    bytes[version] = 2;
    fs::write(ground.pack(), bytes).unwrap();
    assert!(matches!(Pin::open(&ground.pack()), Err(PinError::Version { version: 2, .. })));
}

#[test]
fn a_copy_is_read_only_and_goes_with_its_owner() {
    let ground = Ground::repository();
    ground.write("bin/run.sh", "#!/bin/sh\n");
    fs::set_permissions(ground.ws().join("bin/run.sh"), fs::Permissions::from_mode(0o755)).unwrap();
    let pin = ground.pin();
    let tmp = ground.root().join("tmp");
    let copy = pin.lay_out(&tmp).unwrap();
    let mode = |path: &str| fs::symlink_metadata(copy.path().join(path)).unwrap().permissions().mode() & 0o777;
    assert_eq!((mode("bin/run.sh"), mode("README.md"), mode("src"), mode("")), (0o555, 0o444, 0o555, 0o500));
    assert!(!copy.path().join(".git").exists() && copy.missing().is_empty());
    let second = pin.lay_out(&tmp).unwrap();
    assert_ne!(copy.path(), second.path());
    assert!(copy.path().join("README.md").exists(), "a copy in use is not swept");
    second.close().unwrap();
    drop(copy);
    assert_eq!(fs::read_dir(&tmp).unwrap().count(), 0);
}

#[test]
fn a_copy_is_not_put_into_a_repository() {
    let ground = Ground::repository();
    let pin = ground.pin();
    let inside = ground.ws().join("tmp");
    fs::create_dir(&inside).unwrap();
    assert!(matches!(pin.lay_out(&inside), Err(CopyError::InRepository { repository, .. }) if repository == ground.ws()));
    assert!(matches!(pin.lay_out(&ground.root().join("nothing")), Err(CopyError::Io { .. })));
}

#[test]
fn a_damaged_pack_leaves_no_half_copy() {
    let ground = Ground::repository();
    ground.pin();
    let mut bytes = fs::read(ground.pack()).unwrap();
    bytes[10] ^= 1;
    fs::write(ground.pack(), bytes).unwrap();
    let tmp = ground.root().join("tmp");
    assert!(matches!(Pin::open(&ground.pack()).unwrap().lay_out(&tmp), Err(CopyError::Pin { .. })));
    assert_eq!(fs::read_dir(&tmp).unwrap().count(), 0);
}

#[test]
fn a_live_folder_lists_the_same_files_and_says_what_changed_since() {
    let ground = Ground::repository();
    ground.write("new.rs", "new\n");
    symlink("../home", ground.ws().join("out")).unwrap();
    ground.write("image", b"\0");
    let hour = Duration::from_hours(1);
    let before = Live::over(&ground.ws(), None, SystemTime::now() - hour, LIMITS.file_bytes).unwrap();
    let after = Live::over(&ground.ws(), None, SystemTime::now() + hour, LIMITS.file_bytes).unwrap();
    assert_eq!(paths(&after), paths(&ground.pin()));
    assert!(after.is_live());
    let changed = |live: &Live, path: &[u8]| live.read(live.find(path).unwrap()).unwrap().changed_since;
    assert!(!changed(&after, b"new.rs"));
    assert!(changed(&before, b"new.rs"));
    // A time that was set back does not hide a change.
    let file = fs::File::options().write(true).open(ground.ws().join("new.rs")).unwrap();
    file.set_modified(SystemTime::now() - 2 * hour).unwrap();
    assert!(changed(&before, b"new.rs"));
    assert!(matches!(after.lookup(b"out/x"), Err(ReadError::Outside)));
    assert!(matches!(after.read(after.find(b"image").unwrap()), Err(ReadError::Left(Why::Binary))));
    assert!(after.find(b".env").is_none());
}

#[test]
fn a_live_file_that_turns_into_something_else_is_a_result() {
    let ground = Ground::repository();
    for name in ["gone", "piped", "linked", "grown", "folder"] {
        ground.write(name, "before\n");
    }
    let live = Live::over(&ground.ws(), None, SystemTime::now(), LIMITS.file_bytes).unwrap();
    assert_eq!(live.facts().files, 8);
    for name in ["gone", "piped", "linked", "folder"] {
        fs::remove_file(ground.ws().join(name)).unwrap();
    }
    pipe(&ground.ws().join("piped"));
    symlink("/etc/passwd", ground.ws().join("linked")).unwrap();
    fs::create_dir(ground.ws().join("folder")).unwrap();
    fs::File::options().write(true).open(ground.ws().join("grown")).unwrap().set_len(2 << 30).unwrap();
    let error = |path: &[u8]| live.read(live.find(path).unwrap()).unwrap_err();
    assert!(matches!(error(b"gone"), ReadError::Missing));
    assert!(matches!(error(b"linked"), ReadError::Missing));
    assert!(matches!(error(b"folder"), ReadError::Missing));
    assert!(matches!(error(b"piped"), ReadError::Left(Why::Special)));
    assert!(matches!(error(b"grown"), ReadError::Left(Why::TooLarge)));
    fs::remove_dir_all(ground.ws()).unwrap();
    assert!(matches!(error(b"README.md"), ReadError::Missing));
}
