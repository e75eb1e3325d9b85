//! Debates in files: torn lines are cut, nothing that was changed is trusted, and nothing is lost.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use futures_util::FutureExt;
use proptest::prelude::*;
use rebut_core::debate::{DebateId, Event};
use rebut_engine::store::files::{BLOBS, JOURNAL};
use rebut_engine::store::{Claim, Cursor, Earlier, Events, Fault, FileStore, Store, StoreError};
use tempfile::TempDir;

use super::suite::{Trouble, at, planned, record, store_suite};

#[tokio::test]
async fn the_store_in_files_keeps_the_promises_of_every_store() {
    let root = tempfile::tempdir().unwrap();
    store_suite(&|trouble| {
        let fault = trouble.map(|trouble| match trouble {
            Trouble::Full => Fault::Full(2),
            Trouble::ReadOnly => Fault::ReadOnly(2),
            Trouble::NotSynced => Fault::NotSynced(2),
        });
        Arc::new(FileStore::at(root.path()).with_fault(fault))
    })
    .await;
}

/// A debate of these texts, not claimed.
struct Written {
    _root: TempDir,
    store: FileStore,
    id: DebateId,
    folder: PathBuf,
    events: Vec<Event>,
}

impl Written {
    fn new(texts: &[&str]) -> Self {
        let root = tempfile::tempdir().unwrap();
        let store = FileStore::at(root.path());
        let mut claim = created(&store);
        let id = claim.id().clone();
        let records = (1..).zip(texts).map(|(n, text)| record(&format!("step-{n}"), text));
        let events: Vec<Event> = std::iter::once(planned(&id)).chain(records).collect();
        for event in &events {
            append(&mut *claim, event).unwrap();
        }
        let folder = root.path().join(id.as_str());
        Self { _root: root, store, id, folder, events }
    }

    fn journal(&self) -> PathBuf {
        self.folder.join(JOURNAL)
    }

    fn lines(&self) -> Vec<String> {
        fs::read_to_string(self.journal()).unwrap().lines().map(|line| format!("{line}\n")).collect()
    }

    fn read(&self) -> Events {
        self.store.events(&self.id, &Cursor::default()).now_or_never().unwrap().unwrap()
    }

    #[expect(clippy::type_complexity, reason = "taken apart where it is called")]
    fn claim(&self) -> Result<(Box<dyn Claim>, Vec<Event>, Option<String>), StoreError> {
        let claimed = self.store.claim(&self.id, Earlier::Dropped).now_or_never().unwrap()?;
        Ok((claimed.claim, claimed.events, claimed.note))
    }

    #[track_caller]
    fn damaged_line(&self) -> u64 {
        match self.claim().map(|(_, events, _)| events) {
            Err(StoreError::Damaged(damage)) => damage.line,
            other => panic!("claimed, although it was changed: {other:?}"),
        }
    }
}

fn created(store: &FileStore) -> Box<dyn Claim> {
    store.create(at()).now_or_never().unwrap().unwrap()
}

fn append(claim: &mut dyn Claim, event: &Event) -> Result<(), StoreError> {
    claim.append(event).now_or_never().unwrap()
}

#[test]
fn a_line_torn_at_any_byte_is_cut_and_the_journal_goes_on() {
    let debate = Written::new(&["two", "three"]);
    let whole = fs::read(debate.journal()).unwrap();
    let last = whole.len() - debate.lines()[2].len();
    for cut in last..whole.len() {
        fs::write(debate.journal(), &whole[..cut]).unwrap();
        let (mut claim, kept, note) = debate.claim().unwrap();
        // A line that lacks nothing but its newline is whole: what it tells of was paid for.
        let complete = cut == whole.len() - 1;
        assert_eq!(kept, debate.events[..if complete { 3 } else { 2 }], "cut at {cut}");
        assert_eq!(note.is_some(), cut > last && !complete, "cut at {cut}");
        append(&mut *claim, &record("after", "more")).unwrap();
        drop(claim);
        assert_eq!(debate.read().trusted().unwrap().last(), Some(&record("after", "more")), "cut at {cut}");
    }
}

#[test]
fn a_line_that_was_followed_without_its_newline_is_followed_on() {
    let debate = Written::new(&["two"]);
    let whole = fs::read(debate.journal()).unwrap();
    fs::write(debate.journal(), &whole[..whole.len() - 1]).unwrap();
    let read = debate.read();
    assert_eq!(read.events.len(), 2);
    let (mut claim, ..) = debate.claim().unwrap();
    append(&mut *claim, &record("after", "more")).unwrap();
    let since = debate.store.events(&debate.id, &read.next).now_or_never().unwrap().unwrap();
    assert_eq!(since.trusted().unwrap(), [record("after", "more")]);
}

#[test]
fn a_changed_line_is_refused_wherever_it_is() {
    let debate = Written::new(&["two", "three"]);
    let original = debate.lines();
    for line in 0..3 {
        let mut changed = original.clone();
        changed[line] = changed[line].replacen("at", "et", 1);
        fs::write(debate.journal(), changed.concat()).unwrap();
        assert_eq!(debate.damaged_line(), line as u64 + 1);
        assert_eq!(debate.read().events.len(), line, "what comes before it can be read");
        assert_eq!(fs::read_to_string(debate.journal()).unwrap(), changed.concat(), "nothing is written");
    }
}

#[test]
fn removed_swapped_and_repeated_lines_are_refused() {
    let debate = Written::new(&["two", "three"]);
    let [one, two, three] = <[String; 3]>::try_from(debate.lines()).unwrap();
    for (content, line) in [
        (format!("{one}{three}"), 2),
        (format!("{two}{three}"), 1),
        (format!("{one}{three}{two}"), 2),
        (format!("{one}{one}{two}{three}"), 2),
        (format!("{one}\n{two}{three}"), 2),
    ] {
        fs::write(debate.journal(), content).unwrap();
        assert_eq!(debate.damaged_line(), line);
    }
}

#[test]
fn a_long_text_is_in_a_blob_and_is_checked() {
    let long = "long ".repeat(10_000);
    let debate = Written::new(&[&long, &long]);
    assert!(fs::metadata(debate.journal()).unwrap().len() < 3_000);
    let blobs: Vec<_> = fs::read_dir(debate.folder.join(BLOBS)).unwrap().map(|blob| blob.unwrap().path()).collect();
    assert_eq!(blobs.len(), 1, "the same text is kept once");
    assert_eq!(debate.read().trusted().unwrap(), debate.events);
    fs::write(&blobs[0], "changed").unwrap();
    assert_eq!(debate.damaged_line(), 2);
    fs::remove_file(&blobs[0]).unwrap();
    assert_eq!(debate.damaged_line(), 2);
}

#[test]
fn a_reference_never_leads_out_of_the_folder() {
    let debate = Written::new(&["{\"$blob\":\"../../etc/passwd\"}"]);
    assert_eq!(debate.read().trusted().unwrap(), debate.events);
}

#[test]
fn first_debates_that_begin_at_once_all_begin() {
    for _ in 0..20 {
        let project = tempfile::tempdir().unwrap();
        fs::create_dir(project.path().join(".git")).unwrap();
        let store = FileStore::at(project.path().join("state"));
        let barrier = std::sync::Barrier::new(4);
        std::thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| {
                    barrier.wait();
                    drop(created(&store));
                });
            }
        });
        assert_eq!(store.list().now_or_never().unwrap().unwrap().len(), 4);
    }
}

#[test]
fn a_list_is_made_while_debates_are_removed() {
    let root = tempfile::tempdir().unwrap();
    let store = FileStore::at(root.path());
    let _stays = created(&store);
    std::thread::scope(|scope| {
        let coming_and_going = scope.spawn(|| {
            for _ in 0..300 {
                created(&store).discard().now_or_never().unwrap().unwrap();
            }
        });
        while !coming_and_going.is_finished() {
            assert!(!store.list().now_or_never().unwrap().unwrap().is_empty());
        }
    });
}

#[test]
fn a_folder_that_vanishes_is_an_error_and_the_journal_is_written_again() {
    let root = tempfile::tempdir().unwrap();
    let state = root.path().join("state");
    let store = FileStore::at(&state);
    let mut claim = created(&store);
    let id = claim.id().clone();
    append(&mut *claim, &planned(&id)).unwrap();
    fs::remove_dir_all(&state).unwrap();
    let error = append(&mut *claim, &record("b", "two")).unwrap_err();
    assert!(matches!(error, StoreError::Vanished { restored: true, .. }), "{error}");
    drop(claim);
    assert_eq!(store.find("last").now_or_never().unwrap().unwrap(), id, "it is found again");
    let read = store.events(&id, &Cursor::default()).now_or_never().unwrap().unwrap();
    assert_eq!(read.trusted().unwrap(), [planned(&id), record("b", "two")]);
}

#[test]
fn a_journal_that_was_replaced_is_left_alone() {
    let debate = Written::new(&[]);
    let (mut claim, ..) = debate.claim().unwrap();
    fs::remove_file(debate.journal()).unwrap();
    fs::write(debate.journal(), "of another program").unwrap();
    let error = append(&mut *claim, &record("b", "two")).unwrap_err();
    assert!(matches!(error, StoreError::Vanished { restored: false, .. }), "{error}");
    assert_eq!(fs::read_to_string(debate.journal()).unwrap(), "of another program");
}

#[cfg(unix)]
#[test]
fn files_and_folders_are_private() {
    use std::os::unix::fs::PermissionsExt;
    let debate = Written::new(&[&"long ".repeat(10_000)]);
    let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!(mode(&debate.folder), 0o700);
    assert_eq!(mode(&debate.journal()), 0o600);
    assert_eq!(mode(&debate.folder.join(BLOBS)), 0o700);
    let blob = fs::read_dir(debate.folder.join(BLOBS)).unwrap().next().unwrap().unwrap().path();
    assert_eq!(mode(&blob), 0o600);
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, ..ProptestConfig::default() })]

    #[test]
    fn any_bytes_are_read_without_a_panic(bytes in proptest::collection::vec(any::<u8>(), 0..400)) {
        let debate = Written::new(&[]);
        fs::write(debate.journal(), &bytes).unwrap();
        prop_assert!(debate.read().events.is_empty());
    }

    #[test]
    fn any_text_comes_back_as_it_was(texts in proptest::collection::vec("(\\PC|\\n|\\r|\\x00){0,60}", 1..6)) {
        let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
        let debate = Written::new(&texts);
        prop_assert_eq!(debate.read().trusted().unwrap(), debate.events);
    }

    #[test]
    fn one_changed_byte_is_always_noticed(at in 0_usize..10_000, to in any::<u8>()) {
        let debate = Written::new(&["two"]);
        let mut bytes = fs::read(debate.journal()).unwrap();
        let at = at % bytes.len();
        prop_assume!(bytes[at] != to);
        bytes[at] = to;
        fs::write(debate.journal(), &bytes).unwrap();
        let reading = debate.read();
        let newline_lost = at == bytes.len() - 1;
        prop_assert!(newline_lost || reading.damage.is_some() || reading.torn_bytes > 0);
        prop_assert_eq!(&debate.events[..reading.events.len()], &reading.events[..]);
    }
}
