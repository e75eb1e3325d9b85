//! Links, pipes, binaries, huge files, odd names, and files that change under the reader.

use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};
use std::sync::Arc;
use std::time::SystemTime;

use rebut_core::evidence::Evidence;
use rebut_core::evidence::check::Cited;
use rebut_engine::checks::{Allowed, Examiner};
use rebut_engine::workspace::pin::{Files, Kind, Live, ReadError, Why};

use crate::ground::{Ground, LIMITS, as_nobody, commit, files_below, left_out, part, paths, pipe, text, write};

#[test]
fn links_are_kept_as_links_and_lead_nowhere_outside() {
    let ground = Ground::repository();
    write(&ground.root().join("secret.txt"), "secret");
    symlink("../secret.txt", ground.ws().join("out")).unwrap();
    symlink(ground.ws().join("README.md"), ground.ws().join("src/absolute")).unwrap();
    symlink(ground.root().join("secret.txt"), ground.ws().join("absolute-out")).unwrap();
    symlink("src/pool.rs", ground.ws().join("in")).unwrap();
    symlink("src", ground.ws().join("folder")).unwrap();
    symlink("..", ground.ws().join("src/up")).unwrap();
    symlink("circle", ground.ws().join("circle")).unwrap();
    symlink("nothing", ground.ws().join("dangling")).unwrap();
    let pin = ground.pin();
    assert_eq!(text(&pin, "in"), "fn pool() {}\n");
    for path in ["folder/pool.rs", "src/up/folder/pool.rs", "src/./../folder//pool.rs"] {
        assert_eq!(text(&pin, path), "fn pool() {}\n", "{path}");
    }
    assert!(matches!(pin.lookup(b"folder/../../secret.txt"), Err(ReadError::Outside)));
    let error = |path: &str| pin.read(pin.find(path.as_bytes()).unwrap()).unwrap_err();
    assert!(matches!(error("out"), ReadError::Outside));
    assert!(matches!(error("absolute-out"), ReadError::Outside));
    assert_eq!(text(&pin, "src/absolute"), "# Pool\n");
    let live = Live::over(&ground.ws(), None, SystemTime::now(), LIMITS.file_bytes).unwrap();
    assert_eq!(text(&live, "src/absolute"), "# Pool\n");
    assert!(matches!(error("circle"), ReadError::Circle));
    assert!(matches!(error("dangling"), ReadError::Missing));
    let copy = pin.lay_out(&ground.root().join("tmp")).unwrap();
    let listed = files_below(copy.path());
    assert_eq!(listed, [".gitignore", "README.md", "dangling", "folder", "in", "src/absolute", "src/pool.rs", "src/up"]);
    // One that is absolute leads to the copy's own file, and not back to the workspace.
    ground.write("README.md", "edited\n");
    assert_eq!(fs::read_to_string(copy.path().join("src/absolute")).unwrap(), "# Pool\n");
    assert_eq!(fs::read_to_string(copy.path().join("folder/pool.rs")).unwrap(), "fn pool() {}\n");
    let missing: Vec<_> = copy.missing().iter().map(|left| (left.why, left.count)).collect();
    assert_eq!(missing, [(Why::LeadsOut, 2), (Why::Circle, 1)]);
}

#[test]
fn a_file_in_a_folder_that_cannot_be_read_is_not_called_missing() {
    if part().is_none() && rustix::process::geteuid().is_root() {
        return as_nobody("odd_files::a_file_in_a_folder_that_cannot_be_read_is_not_called_missing");
    }
    for ground in [Ground::repository(), Ground::plain()] {
        ground.write("closed/deep/a.rs", "a\n");
        ground.write("open/b.rs", "b\n");
        fs::set_permissions(ground.ws().join("closed"), fs::Permissions::from_mode(0o0)).unwrap();
        let pinned = Examiner::over_pin(Arc::new(ground.pin()), &ground.ws(), Allowed::default());
        let live = Examiner::of_folder(&ground.ws(), None, LIMITS.file_bytes, Allowed::default()).unwrap();
        for examiner in [pinned, live] {
            assert_eq!(told(&examiner, "closed/deep/a.rs", None), "unchecked: a folder in the path can't be read");
            assert!(told(&examiner, "open/none.rs", None).starts_with("missing: "));
        }
        fs::set_permissions(ground.ws().join("closed"), fs::Permissions::from_mode(0o700)).unwrap();
    }
}

#[test]
fn a_file_that_is_no_utf_8_is_read_by_the_letters_that_it_may_have() {
    let ground = Ground::repository();
    ground.write("latin.rs", b"caf\xe9 line\nna\xefve \x93way\x94\n");
    ground.write("mixed.txt", b"caf\xc3\xa9 and \xe9t\xe9\n");
    ground.write("kanji.txt", b"\x93\xfa\x96\x7b\n");
    let examiner = Examiner::over_pin(Arc::new(ground.pin()), &ground.ws(), Allowed::default());
    for (path, quote) in [("latin.rs", "café line"), ("latin.rs", "naïve “way”"), ("mixed.txt", "café and été")] {
        assert!(told(&examiner, path, Some(quote)).starts_with("verified: "), "{quote}");
    }
    let unsure = "unchecked: the file is not UTF-8, so quotes beyond ASCII can't be checked";
    assert_eq!(told(&examiner, "kanji.txt", Some("日本")), unsure);
    assert!(told(&examiner, "latin.rs", Some("cafe lane of ours")).starts_with("mismatch: "));
}

fn told(examiner: &Examiner, path: &str, quote: Option<&str>) -> String {
    let file = Evidence::file(path, None);
    let file = Evidence { quote: quote.map(str::to_owned), ..file };
    let found = examiner.examine_now(vec![Cited::mentioned(file)]);
    format!("{}: {}", found[0].result, found[0].detail)
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
    assert_eq!(files_below(copy.path()), [".gitignore", "README.md", "src/pool.rs"]);
    assert_eq!(copy.missing().iter().map(|left| left.count).sum::<u64>(), 3);
}

#[test]
fn a_name_that_is_not_utf_8_is_left_out_and_any_other_is_kept() {
    let ground = Ground::repository();
    fs::write(ground.ws().join(std::ffi::OsStr::from_bytes(b"caf\xe9.rs")), "odd\n").unwrap();
    let odd = "日本 \n\"quoted\".rs";
    ground.write(odd, "unicode\n");
    let pin = ground.pin();
    assert_eq!(left_out(pin.facts(), Why::Unnamable), ["caf\u{fffd}.rs"]);
    assert_eq!(text(&pin, odd), "unicode\n");
    let copy = pin.lay_out(&ground.root().join("tmp")).unwrap();
    assert_eq!(fs::read(copy.path().join(odd)).unwrap(), b"unicode\n");
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
    assert_eq!(left_out(pin.facts(), Why::Vanished), ["gone", "linked"]);
    assert_eq!(pin.find(b"unlinked").unwrap().kind, Kind::Symlink);
    assert_eq!(left_out(pin.facts(), Why::Special), ["piped"]);
    assert_eq!(left_out(pin.facts(), Why::TooLarge), ["grown"]);
    assert_eq!(left_out(pin.facts(), Why::Binary), ["now_binary"]);
    assert_eq!(text(&pin, "edited"), "after\n");
    assert_eq!(pin.facts().files, pin.entries().len() as u64);
}

#[test]
fn what_may_not_be_read_is_named() {
    if part().is_none() && rustix::process::geteuid().is_root() {
        return as_nobody("odd_files::what_may_not_be_read_is_named");
    }
    let ground = Ground::repository();
    let closed = |path: &str| fs::set_permissions(ground.ws().join(path), fs::Permissions::from_mode(0o000)).unwrap();
    closed("README.md");
    closed("src");
    let pin = ground.pin();
    assert_eq!(left_out(pin.facts(), Why::Unreadable), ["src/pool.rs", "README.md"]);
    assert!(matches!(pin.read(pin.find(b"README.md").unwrap()), Err(ReadError::Left(Why::Unreadable))));
    let plain = Ground::plain();
    plain.write("a", "a");
    plain.write("deep/b", "b");
    fs::set_permissions(plain.ws().join("deep"), fs::Permissions::from_mode(0o000)).unwrap();
    let pin = plain.pin();
    assert_eq!((paths(&pin), left_out(pin.facts(), Why::Unreadable)), (vec!["a"], vec!["deep"]));
    // So that the folders can be removed.
    for folder in [ground.ws().join("src"), plain.ws().join("deep")] {
        fs::set_permissions(folder, fs::Permissions::from_mode(0o700)).unwrap();
    }
}
