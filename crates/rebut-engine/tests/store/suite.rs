//! The promises of every store. A new implementation runs this suite with a place of its own.

use std::collections::BTreeMap;
use std::sync::Arc;

use jiff::Timestamp;
use rebut_core::debate::{
    Amendment, Budget, Chance, DebateId, Decider, Effort, Entry, EntryKind, Event, Happening, Interruption, Outcome,
    Payload, Plan, Share, Status, StepKey,
};
use rebut_core::formats::duel::DuelSetup;
use rebut_core::judging::Rigor;
use rebut_engine::store::{self, Claim, Cursor, Earlier, Request, State, Store, StoreError, Summary};

/// Longer than what is written into a line.
const LONG: usize = 40_000;

/// What keeps a store from taking the third event and those after it.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Trouble {
    Full,
    ReadOnly,
    NotSynced,
}

/// Runs every test; `open` gives a store in the same place each time, with trouble where some is named.
pub(crate) async fn store_suite(open: &dyn Fn(Option<Trouble>) -> Arc<dyn Store>) {
    let store = open(None);
    nothing_is_there_yet(&*store).await;
    events_are_read_back_from_any_place(&*store).await;
    a_run_that_was_killed_after_any_event_goes_on_from_there(&*store).await;
    one_process_writes(&*store).await;
    an_append_that_fails_leaves_the_journal_as_it_was(open).await;
    requests_are_for_the_run_they_are_made_for(&*store).await;
    a_choice_is_asked_for_until_it_is_in_the_journal(&*store).await;
    debates_are_found_and_listed(&*store).await;
    what_was_not_begun_leaves_nothing(&*store).await;
    a_blob_is_a_local_file(&*store).await;
}

pub(crate) fn at() -> Timestamp {
    "2026-11-15T08:15:03.412Z".parse().unwrap()
}

pub(crate) fn record(key: &str, text: &str) -> Event {
    let entry = Entry::words(EntryKind::Announcement, text.to_owned());
    Event { at: at(), happening: Happening::Recorded { key: StepKey::new(key), entry } }
}

fn event(happening: Happening) -> Event {
    Event { at: at(), happening }
}

fn resumed() -> Event {
    event(Happening::Resumed { amendment: Amendment::default() })
}

fn finished() -> Event {
    let outcome = Outcome { status: Status::Completed, lines: Vec::new(), verdict: None, decision: None };
    event(Happening::Finished { outcome })
}

pub(crate) fn planned(id: &DebateId) -> Event {
    let plan = Plan {
        version: Plan::VERSION,
        id: id.clone(),
        parent: None,
        topic: format!("The topic of {id}"),
        format: "duel".into(),
        setup: Payload::of(DuelSetup::with_one_judge(1, Rigor::Quick)),
        seats: BTreeMap::new(),
        effort: Effort::High,
        timeout_ms: 2_000,
        context: Vec::new(),
        workspace: "/w".into(),
        workspace_readable: false,
        evidence: None,
        budget: Budget::default(),
        verdict_share: Share::default(),
        chance: Chance::from_nonce("fixed"),
        prompts: BTreeMap::new(),
        notes: Vec::new(),
    };
    event(Happening::Planned { plan: Box::new(plan) })
}

/// A debate with its first event.
async fn begun(store: &dyn Store) -> Box<dyn Claim> {
    let mut claim = store.create(at()).await.unwrap();
    let first = planned(claim.id());
    claim.append(&first).await.unwrap();
    claim
}

async fn events(store: &dyn Store, id: &DebateId) -> Vec<Event> {
    store.events(id, &Cursor::default()).await.unwrap().trusted().unwrap()
}

async fn state(store: &dyn Store, id: &DebateId) -> State {
    store.list().await.unwrap().into_iter().find(|debate| debate.id == *id).unwrap().state
}

async fn nothing_is_there_yet(store: &dyn Store) {
    assert!(store.list().await.unwrap().is_empty());
    assert!(matches!(store.find("last").await, Err(StoreError::NoDebates)));
    assert!(matches!(store.find("x").await, Err(StoreError::Unknown { .. })));
}

async fn events_are_read_back_from_any_place(store: &dyn Store) {
    let mut claim = begun(store).await;
    let id = claim.id().clone();
    let texts = ["one", "two \"quoted\"\nand a line,\"hash\":\"x\"}", "日本語 🦀", &"long ".repeat(LONG / 5)];
    let mut expected = events(store, &id).await;
    let mut read = store.events(&id, &Cursor::default()).await.unwrap().next;
    for (number, text) in texts.iter().enumerate() {
        let event = record(&format!("step-{number}"), text);
        claim.append(&event).await.unwrap();
        let since = store.events(&id, &read).await.unwrap();
        assert_eq!(since.events, std::slice::from_ref(&event), "only what is new");
        read = since.next;
        expected.push(event);
        assert_eq!(read.events, expected.len() as u64);
    }
    assert_eq!(events(store, &id).await, expected);
    assert!(store.events(&id, &read).await.unwrap().events.is_empty());
    drop(claim);
    store.remove(&id).await.unwrap();
    assert!(matches!(store.events(&id, &Cursor::default()).await, Err(StoreError::Unknown { .. })));
}

/// A killed process drops its claim without a word.
async fn a_run_that_was_killed_after_any_event_goes_on_from_there(store: &dyn Store) {
    let claim = begun(store).await;
    let id = claim.id().clone();
    let mut expected = events(store, &id).await;
    drop(claim);
    for epoch in 0..5 {
        let claimed = store.claim(&id, Earlier::Dropped).await.unwrap();
        assert_eq!((claimed.events, claimed.note), (expected.clone(), None));
        let mut claim = claimed.claim;
        assert_eq!(claim.epoch(), epoch);
        for event in [resumed(), record(&format!("step-{epoch}"), "said")] {
            claim.append(&event).await.unwrap();
            expected.push(event);
        }
        assert_eq!(claim.epoch(), epoch + 1);
        drop(claim);
        assert_eq!(state(store, &id).await, State::Interrupted, "no summary was stored");
    }
    store.remove(&id).await.unwrap();
}

async fn one_process_writes(store: &dyn Store) {
    let mut first = begun(store).await;
    let id = first.id().clone();
    assert!(store.is_claimed(&id).await.unwrap());
    match store.claim(&id, Earlier::Dropped).await.map(|claimed| claimed.claim) {
        Err(StoreError::Claimed { .. }) => {
            assert!(matches!(store.remove(&id).await, Err(StoreError::Claimed { .. })));
            first.append(&record("a", "still its own")).await.unwrap();
        }
        Ok(mut second) => {
            assert!(matches!(first.append(&record("a", "too late")).await, Err(StoreError::Stale { .. })));
            second.append(&record("a", "taken over")).await.unwrap();
        }
        Err(error) => panic!("{error}"),
    }
    drop(first);
    assert!(!store.is_claimed(&id).await.unwrap());
    assert_eq!(events(store, &id).await.len(), 2);
    store.remove(&id).await.unwrap();
}

async fn an_append_that_fails_leaves_the_journal_as_it_was(open: &dyn Fn(Option<Trouble>) -> Arc<dyn Store>) {
    for (trouble, word) in
        [(Trouble::Full, "no storage space"), (Trouble::ReadOnly, "read-only"), (Trouble::NotSynced, "the disk failed")]
    {
        let store = open(None);
        // The tables are there before the trouble begins.
        store.list().await.unwrap();
        let store = open(Some(trouble));
        let mut claim = begun(&*store).await;
        let id = claim.id().clone();
        claim.append(&record("a", "one")).await.unwrap();
        for _ in 0..2 {
            let error = claim.append(&record("b", &"two".repeat(LONG))).await.unwrap_err();
            assert!(error.to_string().contains(word), "{error}");
            assert_eq!(events(&*store, &id).await.len(), 2, "{trouble:?}");
        }
        drop(claim);
        let store = open(None);
        let mut claimed = store.claim(&id, Earlier::Dropped).await.unwrap();
        assert_eq!((claimed.events.len(), &claimed.note), (2, &None), "{trouble:?}");
        claimed.claim.append(&record("b", "two")).await.unwrap();
        assert_eq!(events(&*store, &id).await.len(), 3, "{trouble:?}");
        drop(claimed);
        store.remove(&id).await.unwrap();
    }
}

async fn requests_are_for_the_run_they_are_made_for(store: &dyn Store) {
    let mut claim = begun(store).await;
    let id = claim.id().clone();
    let choose = Request::Choose { key: StepKey::new("round-1/choice"), option: "B".into() };
    store.request(&id, &Request::Cancel).await.unwrap();
    assert_eq!(claim.requests().await.unwrap(), [Request::Cancel]);
    assert_eq!(claim.requests().await.unwrap(), [], "a request is taken once");
    store.request(&id, &Request::Cancel).await.unwrap();
    drop(claim);
    let mut claim = store.claim(&id, Earlier::Kept).await.unwrap().claim;
    assert_eq!(claim.requests().await.unwrap(), [Request::Cancel], "it survives a handover");
    store.request(&id, &Request::Cancel).await.unwrap();
    store.request(&id, &choose).await.unwrap();
    drop(claim);
    let mut claim = store.claim(&id, Earlier::Dropped).await.unwrap().claim;
    store.request(&id, &Request::Cancel).await.unwrap();
    let mut taken = claim.requests().await.unwrap();
    taken.sort_by_key(|request| *request != Request::Cancel);
    assert_eq!(taken, [Request::Cancel, choose], "one that is made for this run, and a choice, are kept");
    drop(claim);
    store.remove(&id).await.unwrap();
}

async fn a_choice_is_asked_for_until_it_is_in_the_journal(store: &dyn Store) {
    let mut claim = begun(store).await;
    let id = claim.id().clone();
    let key = StepKey::new("round-1/choice");
    let choose = |option: &str| Request::Choose { key: key.clone(), option: option.into() };
    store.request(&id, &choose("B")).await.unwrap();
    assert_eq!(claim.requests().await.unwrap(), [choose("B")]);
    drop(claim);
    let mut claim = store.claim(&id, Earlier::Dropped).await.unwrap().claim;
    assert_eq!(claim.requests().await.unwrap(), [choose("B")], "the run that took it was killed");
    let refused = store.request(&id, &choose("A")).await;
    assert!(matches!(refused, Err(StoreError::Chosen { option }) if option == "B"));
    store.request(&id, &choose("B")).await.unwrap();
    assert_eq!(claim.requests().await.unwrap(), [choose("B")], "there is one request per step");
    let other = Request::Choose { key: StepKey::new("round-2/choice"), option: "A".into() };
    store.request(&id, &other).await.unwrap();
    let chosen = Happening::Chosen { key: key.clone(), option: "B".into(), by: Decider::Person };
    claim.append(&event(chosen)).await.unwrap();
    assert_eq!(claim.requests().await.unwrap(), [other], "only what was chosen is settled");
    drop(claim);
    store.remove(&id).await.unwrap();
}

async fn debates_are_found_and_listed(store: &dyn Store) {
    let mut ids = Vec::new();
    for (place, last) in
        [None, Some(finished()), Some(event(Happening::Interrupted { by: Interruption::Signal }))].into_iter().enumerate()
    {
        let mut claim = store.create(at()).await.unwrap();
        let id = claim.id().clone();
        let mut events = vec![planned(&id)];
        events[0].at = at() + jiff::SignedDuration::from_millis(i64::try_from(place).unwrap());
        events.extend(last);
        for event in &events {
            claim.append(event).await.unwrap();
        }
        let summary = Summary::of(&store::read(store, &id).await.unwrap().0);
        claim.summarize(&summary).await.unwrap();
        ids.push(id);
    }
    let listed = store.list().await.unwrap();
    assert_eq!(listed.iter().map(|debate| &debate.id).collect::<Vec<_>>(), ids.iter().collect::<Vec<_>>(), "oldest first");
    let states: Vec<State> = listed.iter().map(|debate| debate.state).collect();
    assert_eq!(states, [State::Interrupted, State::Completed, State::Cancelled]);
    assert_eq!(listed[1].topic(), format!("The topic of {}", ids[1]));
    assert_eq!(store.find("last").await.unwrap(), ids[2]);
    for id in &ids {
        assert_eq!(store.find(&id.as_str()[7..]).await.unwrap(), *id);
    }
    assert!(matches!(store.find("debate-").await, Err(StoreError::Ambiguous { matches, .. }) if matches.len() == 3));
    assert!(matches!(store.find("").await, Err(StoreError::Unknown { .. })));
    let claim = store.claim(&ids[0], Earlier::Dropped).await.unwrap();
    assert_eq!(state(store, &ids[0]).await, State::Running);
    drop(claim);
    for id in ids {
        store.remove(&id).await.unwrap();
    }
}

async fn what_was_not_begun_leaves_nothing(store: &dyn Store) {
    let claim = store.create(at()).await.unwrap();
    let id = claim.id().clone();
    assert_eq!(state(store, &id).await, State::Running, "it is being prepared");
    assert!(matches!(store::read(store, &id).await, Err(StoreError::Beginning { .. })));
    claim.discard().await.unwrap();
    assert!(store.list().await.unwrap().is_empty());
    // A process that was killed before the first event.
    let claim = store.create(at()).await.unwrap();
    let id = claim.id().clone();
    drop(claim);
    assert_eq!(state(store, &id).await, State::Empty);
    assert!(matches!(store.claim(&id, Earlier::Dropped).await.map(drop), Err(StoreError::Empty { .. })));
    store.remove(&id).await.unwrap();
}

async fn a_blob_is_a_local_file(store: &dyn Store) {
    let mut claim = begun(store).await;
    let id = claim.id().clone();
    let content = b"the workspace".repeat(1_000);
    let hash = blake3::hash(&content).to_hex().to_string();
    std::fs::create_dir_all(claim.blobs()).unwrap();
    std::fs::write(claim.blobs().join(&hash), &content).unwrap();
    claim.keep(&hash).await.unwrap();
    drop(claim);
    assert_eq!(std::fs::read(store.blob(&id, &hash).await.unwrap()).unwrap(), content);
    store.remove(&id).await.unwrap();
}
