//! Sessions over a store: a debate is removed with its documents, unless a process has it, and its seats are opened once.

use std::path::{Path, PathBuf};
use std::process::Command;

use futures_util::future::ready;
use jiff::Timestamp;
use rebut_core::debate::{DebateId, Happening, SeatName, SeatPlan};
use rebut_engine::checks::{Names, Snapshot};
use rebut_engine::config::Settings;
use rebut_engine::providers::Providers;
use rebut_engine::session::{Documents, Sessions, Start};
use rebut_engine::store::{Claim, Claimed, Cursor, Earlier, Events, FileStore, Held, Listed, Request, Store, Stored};
use tokio_util::sync::CancellationToken;

use crate::suite::{at, planned};

/// A store that was asked whether a debate is claimed just before a process claimed it.
struct AskedTooEarly(FileStore);

impl Store for AskedTooEarly {
    fn create(&self, at: Timestamp) -> Stored<'_, Box<dyn Claim>> {
        self.0.create(at)
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

fn sessions<'e>(
    store: &'e dyn Store,
    folder: &'e Path,
    state: &'e Path,
    settings: &'e Settings,
    providers: &'e Providers,
) -> Sessions<'e> {
    Sessions {
        store,
        state,
        settings,
        providers,
        models: None,
        names: Names::of_test("").unwrap(),
        home: None,
        host: None,
        ai_state_dir: None,
        documents: Documents::Rendered,
        folder,
        worker: no_worker,
    }
}

/// Opened twice, a copy of the workspace would be made twice.
#[tokio::test]
async fn a_debate_that_starts_detached_opens_its_seats_in_the_worker_alone() {
    let folder = tempfile::tempdir().unwrap();
    let state = folder.path().join("state");
    let (settings, providers, store) = (Settings::default(), Providers::default(), FileStore::at(&state));
    let sessions = sessions(&store, folder.path(), &state, &settings, &providers);
    let start = || {
        let Happening::Planned { mut plan } = planned(&DebateId::new(at(), 0)).happening else { panic!("no plan") };
        let seat = SeatPlan {
            tool: "script".into(),
            model: Some("missing.toml#proposer".into()),
            family: "script".into(),
            data_goes_to: "nobody".into(),
            reads_workspace: false,
            context_tokens: None,
            price: None,
            transport: "script".into(),
            enforces_schema: false,
            tier: None,
        };
        plan.seats.insert(SeatName::new("proposer"), seat);
        Start { plan: *plan, snapshot: Snapshot::nothing("there are no files"), documents: None }
    };
    let (observer, stop) = (&mut (), CancellationToken::new());
    let here = sessions.start(start(), observer, &stop).await.err().unwrap();
    assert!(here.to_string().contains("missing.toml"), "{here}");
    assert!(store.list().await.unwrap().is_empty(), "a start that fails leaves nothing");
    let detached = sessions.start_detached(start(), observer, &stop).await.unwrap_err();
    assert!(detached.to_string().starts_with("this program can't be found"), "{detached}");
    assert_eq!(store.list().await.unwrap().len(), 1, "it can be resumed here");
}

#[tokio::test]
async fn a_debate_that_was_just_resumed_keeps_its_documents() {
    let folder = tempfile::tempdir().unwrap();
    let (settings, providers) = (Settings::default(), Providers::default());
    let store = AskedTooEarly(FileStore::at(folder.path().join("state")));
    let state = folder.path().join("state");
    let sessions = sessions(&store, folder.path(), &state, &settings, &providers);
    let mut claim = store.create(at()).await.unwrap();
    let id = claim.id().clone();
    claim.append(&planned(&id)).await.unwrap();
    let documents = folder.path().join("reviews").join(id.folder_name());
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
