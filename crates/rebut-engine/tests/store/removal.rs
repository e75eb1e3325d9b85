//! A debate is removed with its documents, unless a process has it.

use std::path::{Path, PathBuf};
use std::process::Command;

use futures_util::future::ready;
use jiff::Timestamp;
use rebut_core::debate::DebateId;
use rebut_engine::checks::Names;
use rebut_engine::config::Settings;
use rebut_engine::providers::Providers;
use rebut_engine::session::{Documents, Sessions};
use rebut_engine::store::{Claim, Claimed, Cursor, Earlier, Events, FileStore, Held, Listed, Name, Request, Store, Stored};

use crate::suite::{at, planned};

/// A store that was asked whether a debate is claimed just before a process claimed it.
struct AskedTooEarly(FileStore);

impl Store for AskedTooEarly {
    fn create(&self, name: Name, at: Timestamp) -> Stored<'_, Box<dyn Claim>> {
        self.0.create(name, at)
    }

    fn claim<'a>(&'a self, id: &'a DebateId, earlier: Earlier) -> Stored<'a, Claimed> {
        self.0.claim(id, earlier)
    }

    fn events<'a>(&'a self, id: &'a DebateId, since: &'a Cursor) -> Stored<'a, Events> {
        self.0.events(id, since)
    }

    fn is_claimed<'a>(&'a self, _: &'a DebateId) -> Stored<'a, bool> {
        Box::pin(ready(Ok(false)))
    }

    fn list(&self) -> Stored<'_, Vec<Listed>> {
        self.0.list()
    }

    fn find<'a>(&'a self, part: &'a str) -> Stored<'a, DebateId> {
        self.0.find(part)
    }

    fn blob<'a>(&'a self, id: &'a DebateId, hash: &'a str) -> Stored<'a, PathBuf> {
        self.0.blob(id, hash)
    }

    fn request<'a>(&'a self, id: &'a DebateId, request: &'a Request) -> Stored<'a, ()> {
        self.0.request(id, request)
    }

    fn hold<'a>(&'a self, id: &'a DebateId) -> Stored<'a, Box<dyn Held>> {
        self.0.hold(id)
    }
}

fn no_worker(_: &Path, _: &DebateId, _: u64) -> std::io::Result<Command> {
    Err(std::io::ErrorKind::Unsupported.into())
}

#[tokio::test]
async fn a_debate_that_was_just_resumed_keeps_its_documents() {
    let folder = tempfile::tempdir().unwrap();
    let (settings, providers) = (Settings::default(), Providers::default());
    let store = AskedTooEarly(FileStore::at(folder.path().join("state")));
    let state = folder.path().join("state");
    let sessions = Sessions {
        store: &store,
        state: &state,
        settings: &settings,
        providers: &providers,
        models: None,
        names: Names::of_test("").unwrap(),
        home: None,
        host: None,
        ai_state_dir: None,
        documents: Documents::Rendered,
        folder: folder.path(),
        worker: no_worker,
    };
    let mut claim = store.create(DebateId::new, at()).await.unwrap();
    let id = claim.id().clone();
    claim.append(&planned(&id)).await.unwrap();
    let documents = folder.path().join("reviews").join(id.as_str());
    std::fs::create_dir_all(&documents).unwrap();
    let record = serde_json::json!({ "documents": documents }).to_string();
    std::fs::write(state.join(id.as_str()).join("projections.json"), record).unwrap();
    assert_eq!(sessions.documents(&id), documents);
    let error = sessions.remove(&id).await.unwrap_err();
    assert!(error.to_string().contains("another process"), "{error}");
    assert!(documents.is_dir());
    drop(claim);
    sessions.remove(&id).await.unwrap();
    assert!(!documents.exists() && !state.join(id.as_str()).exists());
}
