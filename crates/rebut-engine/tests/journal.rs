//! The journal keeps what it acknowledged, cuts what was torn, and trusts nothing that was changed.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use std::fs;
use std::path::Path;

use proptest::prelude::*;
use rebut_core::debate::{Entry, EntryKind, Event, Happening, StepKey};
use rebut_engine::journal::{BLOBS, FILE, Journal, JournalError, read};
use rebut_engine::shelf::Shelf;
use tempfile::TempDir;

fn record(key: &str, text: &str) -> Event {
    let entry = Entry::words(EntryKind::Announcement, text.to_owned());
    Event {
        at: "2026-11-15T08:15:03.412Z".parse().unwrap(),
        happening: Happening::Recorded { key: StepKey::new(key), entry },
    }
}

/// A journal of these texts in a folder of its own, closed.
fn written(texts: &[&str]) -> (TempDir, Vec<Event>) {
    let folder = tempfile::tempdir().unwrap();
    let mut journal = Journal::create(folder.path(), None).unwrap();
    let events: Vec<Event> = (0..).zip(texts).map(|(n, text)| record(&format!("step-{n}"), text)).collect();
    for event in &events {
        journal.append(event).unwrap();
    }
    (folder, events)
}

fn lines(folder: &Path) -> Vec<String> {
    fs::read_to_string(folder.join(FILE)).unwrap().lines().map(|line| format!("{line}\n")).collect()
}

fn damaged_line(folder: &Path) -> u64 {
    match Journal::open(folder, None) {
        Err(JournalError::Damaged { line, .. }) => line,
        other => panic!("opened, although it was changed: {other:?}"),
    }
}

#[test]
fn what_was_appended_is_read_back() {
    let (folder, events) = written(&["one", "two \"quoted\"\nand a line,\"hash\":\"x\"}", "日本語 🦀"]);
    assert_eq!(read(folder.path()).unwrap().trusted().unwrap(), events);
}

#[test]
fn a_line_torn_at_any_byte_is_cut_and_the_journal_goes_on() {
    let (folder, events) = written(&["one", "two", "three"]);
    let whole = fs::read(folder.path().join(FILE)).unwrap();
    let last = whole.len() - lines(folder.path())[2].len();
    for cut in last..whole.len() {
        fs::write(folder.path().join(FILE), &whole[..cut]).unwrap();
        let (mut journal, kept, note) = Journal::open(folder.path(), None).unwrap();
        // A line that lacks nothing but its newline is whole: what it tells of was paid for.
        let complete = cut == whole.len() - 1;
        assert_eq!(kept, events[..if complete { 3 } else { 2 }], "cut at {cut}");
        assert_eq!(note.is_some(), cut > last && !complete, "cut at {cut}");
        journal.append(&record("after", "more")).unwrap();
        drop(journal);
        let again = read(folder.path()).unwrap().trusted().unwrap();
        assert_eq!(again.last(), Some(&record("after", "more")), "cut at {cut}");
    }
}

#[test]
fn a_changed_line_is_refused_wherever_it_stands() {
    let (folder, _) = written(&["one", "two", "three"]);
    let original = lines(folder.path());
    for line in 0..3 {
        let mut changed = original.clone();
        changed[line] = changed[line].replacen("step", "slip", 1);
        fs::write(folder.path().join(FILE), changed.concat()).unwrap();
        assert_eq!(damaged_line(folder.path()), line as u64 + 1);
        assert_eq!(read(folder.path()).unwrap().events.len(), line, "what stands before it can be read");
        assert_eq!(fs::read_to_string(folder.path().join(FILE)).unwrap(), changed.concat(), "nothing is written");
    }
}

#[test]
fn removed_swapped_and_repeated_lines_are_refused() {
    let (folder, _) = written(&["one", "two", "three"]);
    let [one, two, three] = <[String; 3]>::try_from(lines(folder.path())).unwrap();
    for (content, line) in [
        (format!("{one}{three}"), 2),
        (format!("{two}{three}"), 1),
        (format!("{one}{three}{two}"), 2),
        (format!("{one}{one}{two}{three}"), 2),
        (format!("{one}\n{two}{three}"), 2),
    ] {
        fs::write(folder.path().join(FILE), content).unwrap();
        assert_eq!(damaged_line(folder.path()), line);
    }
}

#[test]
fn a_long_text_lies_in_a_blob_and_is_checked() {
    let long = "long ".repeat(10_000);
    let (folder, events) = written(&["short", &long, &long]);
    assert!(fs::metadata(folder.path().join(FILE)).unwrap().len() < 2_000);
    let blobs: Vec<_> = fs::read_dir(folder.path().join(BLOBS)).unwrap().map(|blob| blob.unwrap().path()).collect();
    assert_eq!(blobs.len(), 1, "the same text is kept once");
    assert_eq!(read(folder.path()).unwrap().trusted().unwrap(), events);
    fs::write(&blobs[0], "changed").unwrap();
    assert_eq!(damaged_line(folder.path()), 2);
    fs::remove_file(&blobs[0]).unwrap();
    assert_eq!(damaged_line(folder.path()), 2);
}

#[test]
fn a_reference_never_leads_out_of_the_folder() {
    let (folder, _) = written(&["{\"$blob\":\"../../etc/passwd\"}"]);
    let events = read(folder.path()).unwrap().trusted().unwrap();
    assert_eq!(events, [record("step-0", "{\"$blob\":\"../../etc/passwd\"}")]);
}

#[test]
fn whoever_looks_before_the_first_event_waits_for_it() {
    let root = tempfile::tempdir().unwrap();
    let shelf = Shelf::at(root.path());
    let shelved = shelf.claim("2026-11-15T08:15:03Z".parse().unwrap(), None).unwrap();
    let mut journal = Journal::create(&shelved.folder, None).unwrap();
    let early = shelved.events();
    assert!(matches!(early, Err(JournalError::Beginning { .. })), "{early:?}");
    let looking = {
        let shelved = shelved.clone();
        std::thread::spawn(move || shelved.events())
    };
    journal.append(&record("a", "one")).unwrap();
    assert_eq!(looking.join().unwrap().unwrap(), [record("a", "one")]);
    drop(journal);
    fs::write(shelved.folder.join(FILE), "").unwrap();
    assert!(matches!(shelved.events(), Err(JournalError::Empty { .. })), "nobody is about to write it any more");
}

#[test]
fn one_process_writes_and_anybody_reads() {
    let folder = tempfile::tempdir().unwrap();
    let mut journal = Journal::create(folder.path(), None).unwrap();
    journal.append(&record("a", "one")).unwrap();
    assert!(Journal::is_being_written(folder.path()));
    assert!(matches!(Journal::open(folder.path(), None), Err(JournalError::Locked { .. })));
    assert_eq!(read(folder.path()).unwrap().events.len(), 1);
    drop(journal);
    assert!(!Journal::is_being_written(folder.path()));
    assert!(Journal::open(folder.path(), None).is_ok());
}

#[test]
fn a_second_journal_in_the_same_folder_is_refused() {
    let (folder, _) = written(&["one"]);
    assert!(matches!(Journal::create(folder.path(), None), Err(JournalError::Io { .. })));
}

#[test]
fn a_full_and_a_read_only_disk_leave_the_journal_as_it_was() {
    for (fault, word) in [("full:1", "no storage space"), ("read-only:1", "read-only")] {
        let folder = tempfile::tempdir().unwrap();
        let mut journal = Journal::create(folder.path(), Some(fault.parse().unwrap())).unwrap();
        journal.append(&record("a", "one")).unwrap();
        let before = fs::read(folder.path().join(FILE)).unwrap();
        let error = journal.append(&record("b", "two")).unwrap_err();
        assert!(error.to_string().contains(word), "{error}");
        assert!(error.hint().contains(if word == "read-only" { "writable" } else { "make room" }), "{}", error.hint());
        assert_eq!(fs::read(folder.path().join(FILE)).unwrap(), before);
    }
}

#[test]
fn an_event_that_could_not_be_made_to_last_is_not_in_the_journal() {
    let folder = tempfile::tempdir().unwrap();
    let mut journal = Journal::create(folder.path(), Some("not-synced:1".parse().unwrap())).unwrap();
    journal.append(&record("a", "one")).unwrap();
    let before = fs::read(folder.path().join(FILE)).unwrap();
    for _ in 0..2 {
        let error = journal.append(&record("b", "two")).unwrap_err();
        assert!(error.to_string().contains("the disk failed"), "{error}");
        assert_eq!(fs::read(folder.path().join(FILE)).unwrap(), before);
    }
    drop(journal);
    let (mut journal, kept, note) = Journal::open(folder.path(), None).unwrap();
    assert_eq!((kept.len(), note), (1, None));
    journal.append(&record("b", "two")).unwrap();
    assert_eq!(read(folder.path()).unwrap().trusted().unwrap().len(), 2);
}

#[test]
fn first_debates_that_begin_at_once_all_begin() {
    for _ in 0..20 {
        let project = tempfile::tempdir().unwrap();
        fs::create_dir(project.path().join(".git")).unwrap();
        let shelf = Shelf::at(project.path().join("state"));
        let barrier = std::sync::Barrier::new(4);
        std::thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| {
                    barrier.wait();
                    shelf.claim("2026-11-15T08:15:03Z".parse().unwrap(), None).unwrap();
                });
            }
        });
        assert_eq!(shelf.all().unwrap().len(), 4);
    }
}

#[test]
fn whoever_lists_debates_while_others_are_removed_is_not_told_of_an_error() {
    let root = tempfile::tempdir().unwrap();
    let shelf = Shelf::at(root.path());
    let at = "2026-11-15T08:15:03Z".parse().unwrap();
    let _stays = shelf.claim(at, None).unwrap();
    std::thread::scope(|scope| {
        let coming_and_going = scope.spawn(|| {
            for _ in 0..300 {
                let gone = shelf.claim(at, None).unwrap();
                shelf.remove(&gone).unwrap();
            }
        });
        while !coming_and_going.is_finished() {
            assert!(!shelf.all().unwrap().is_empty());
        }
    });
}

#[test]
fn whoever_waits_for_a_debate_that_is_being_removed_finds_it_gone() {
    let (folder, _) = written(&["one"]);
    let held = Journal::hold(folder.path()).unwrap().unwrap();
    std::thread::scope(|scope| {
        let waiting = scope.spawn(|| Journal::open(folder.path(), None).map(drop));
        fs::remove_file(folder.path().join(FILE)).unwrap();
        drop(held);
        assert!(matches!(waiting.join().unwrap(), Err(JournalError::Missing { .. })));
    });
    assert!(Journal::hold(folder.path()).unwrap().is_none());
}

#[test]
fn a_folder_that_vanishes_is_an_error_and_the_journal_is_written_again() {
    let folder = tempfile::tempdir().unwrap();
    let own = folder.path().join("debate");
    let mut journal = Journal::create(&own, None).unwrap();
    journal.append(&record("a", "one")).unwrap();
    fs::remove_dir_all(&own).unwrap();
    let error = journal.append(&record("b", "two")).unwrap_err();
    assert!(matches!(error, JournalError::Vanished { restored: true, .. }), "{error}");
    assert_eq!(read(&own).unwrap().trusted().unwrap(), [record("a", "one"), record("b", "two")]);
}

#[test]
fn a_journal_that_was_replaced_is_left_alone() {
    let (folder, _) = written(&["one"]);
    let (mut journal, ..) = Journal::open(folder.path(), None).unwrap();
    fs::remove_file(folder.path().join(FILE)).unwrap();
    fs::write(folder.path().join(FILE), "somebody else's").unwrap();
    let error = journal.append(&record("b", "two")).unwrap_err();
    assert!(matches!(error, JournalError::Vanished { restored: false, .. }), "{error}");
    assert_eq!(fs::read_to_string(folder.path().join(FILE)).unwrap(), "somebody else's");
}

#[cfg(unix)]
#[test]
fn files_and_folders_are_private() {
    use std::os::unix::fs::PermissionsExt;
    let outer = tempfile::tempdir().unwrap();
    let folder = outer.path().join("state/debate");
    let mut journal = Journal::create(&folder, None).unwrap();
    journal.append(&record("a", &"long ".repeat(10_000))).unwrap();
    let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!(mode(&folder), 0o700);
    assert_eq!(mode(&folder.join(FILE)), 0o600);
    assert_eq!(mode(&folder.join(BLOBS)), 0o700);
    let blob = fs::read_dir(folder.join(BLOBS)).unwrap().next().unwrap().unwrap().path();
    assert_eq!(mode(&blob), 0o600);
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, ..ProptestConfig::default() })]

    #[test]
    fn any_bytes_are_read_without_a_panic(bytes in proptest::collection::vec(any::<u8>(), 0..400)) {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join(FILE), &bytes).unwrap();
        let reading = read(folder.path()).unwrap();
        prop_assert!(reading.events.is_empty());
    }

    #[test]
    fn any_text_comes_back_as_it_was(texts in proptest::collection::vec("(\\PC|\\n|\\r|\\x00){0,60}", 1..6)) {
        let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
        let (folder, events) = written(&texts);
        prop_assert_eq!(read(folder.path()).unwrap().trusted().unwrap(), events);
    }

    #[test]
    fn one_changed_byte_is_always_noticed(at in 0_usize..10_000, to in any::<u8>()) {
        let (folder, events) = written(&["one", "two"]);
        let mut bytes = fs::read(folder.path().join(FILE)).unwrap();
        let at = at % bytes.len();
        prop_assume!(bytes[at] != to);
        bytes[at] = to;
        fs::write(folder.path().join(FILE), &bytes).unwrap();
        let reading = read(folder.path()).unwrap();
        let newline_lost = at == bytes.len() - 1;
        prop_assert!(newline_lost || reading.problem.is_some() || reading.torn_bytes > 0);
        prop_assert_eq!(&events[..reading.events.len()], &reading.events[..]);
    }
}
