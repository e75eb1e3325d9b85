//! Debates in a database: what every store promises, on a real server, and what many machines need beyond that.

use std::sync::Arc;
use std::time::Duration;

use rebut_core::debate::{DebateId, Event};
use rebut_engine::store::postgres::{Address, ConnectOptions};
use rebut_engine::store::{Claim, Cursor, Earlier, Intent, PostgresStore, Queued, Store, StoreError};
use rebut_fakes::postgres;
use tempfile::TempDir;

use super::suite::{Trouble, at, planned, record, store_suite};

/// A lease that no test outlives, however slow the machine is.
const LONG: Duration = Duration::from_mins(10);
/// A lease that runs out as soon as it is waited for.
const SHORT: Duration = Duration::from_millis(400);

/// A schema of its own in the server of all tests.
struct Place {
    schema: String,
    cache: TempDir,
}

impl Place {
    fn new() -> Self {
        Self { schema: postgres().schema(), cache: tempfile::tempdir().unwrap() }
    }

    /// A store of its own, as another machine has it.
    fn store(&self) -> PostgresStore {
        self.leased(LONG, LONG / 4)
    }

    /// One whose claims run out after this, renewed as often as that.
    fn leased(&self, lease: Duration, heartbeat: Duration) -> PostgresStore {
        self.opened(&postgres().url(), lease, heartbeat)
    }

    fn opened(&self, url: &str, lease: Duration, heartbeat: Duration) -> PostgresStore {
        let options = ConnectOptions { schema: self.schema.clone(), root_certificate: None, lease, heartbeat };
        PostgresStore::new(Address::read(url, options).unwrap(), self.cache.path()).unwrap()
    }

    fn sql(&self, statements: &str) -> String {
        postgres().sql(&format!("SET search_path TO {}; {statements}", self.schema))
    }

    /// Has the server refuse the events from the third on.
    fn refuse(&self, trouble: Trouble) {
        let (code, message) = match trouble {
            Trouble::Full => ("53100", "no storage space"),
            Trouble::ReadOnly => ("25006", "it is read-only"),
            Trouble::NotSynced => ("58030", "the disk failed"),
        };
        self.sql(&format!(
            "CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
                IF NEW.seq >= 2 THEN RAISE EXCEPTION '{message}' USING ERRCODE = '{code}'; END IF; RETURN NEW; END $$;
             CREATE TRIGGER refuse BEFORE INSERT ON events FOR EACH ROW EXECUTE FUNCTION refuse()"
        ));
    }

    fn take_all(&self) {
        self.sql("DROP FUNCTION IF EXISTS refuse() CASCADE");
    }
}

async fn begun(store: &PostgresStore) -> Box<dyn Claim> {
    let mut claim = store.create(at()).await.unwrap();
    let first = planned(claim.id());
    claim.append(&first).await.unwrap();
    claim
}

async fn events(store: &PostgresStore, id: &DebateId) -> Vec<Event> {
    store.events(id, &Cursor::default()).await.unwrap().trusted().unwrap()
}

#[tokio::test]
async fn the_store_in_a_database_keeps_the_promises_of_every_store() {
    let place = Place::new();
    store_suite(&|trouble| {
        let store = place.store();
        match trouble {
            Some(trouble) => place.refuse(trouble),
            None => place.take_all(),
        }
        Arc::new(store)
    })
    .await;
}

/// Has the lease of a debate run out, as if its process had been silent for so long.
fn silence(place: &Place, id: &DebateId) {
    place.sql(&format!("UPDATE debates SET until = now() - interval '1 s' WHERE id = '{id}'"));
}

#[tokio::test]
async fn what_a_process_writes_after_another_took_over_is_refused() {
    let place = Place::new();
    let (one, other) = (place.store(), place.store());
    let mut late = begun(&one).await;
    let id = late.id().clone();
    late.append(&record("a", "in time")).await.unwrap();
    assert!(matches!(other.claim(&id, Earlier::Dropped).await.map(drop), Err(StoreError::Claimed { .. })));
    silence(&place, &id);
    let mut claimed = other.claim(&id, Earlier::Dropped).await.unwrap();
    claimed.claim.append(&record("b", "taken over")).await.unwrap();
    let refused = late.append(&record("b", "too late")).await;
    assert!(matches!(refused, Err(StoreError::Stale { .. })), "{refused:?}");
    assert!(matches!(late.requests().await, Err(StoreError::Stale { .. })), "it learns of it without an event, too");
    assert!(matches!(late.append(&record("c", "too late")).await, Err(StoreError::Stale { .. })));
    drop(late);
    assert!(one.is_claimed(&id).await.unwrap(), "it can't let go what it has not");
    assert_eq!(events(&one, &id).await.last(), Some(&record("b", "taken over")));
    assert_eq!(place.sql("SELECT string_agg(lease::text, ' ' ORDER BY seq) FROM events"), "1 1 2");
}

#[tokio::test]
async fn a_process_that_was_silent_goes_on_where_no_other_took_over() {
    let place = Place::new();
    let store = place.store();
    let mut claim = begun(&store).await;
    let id = claim.id().clone();
    silence(&place, &id);
    assert!(!store.is_claimed(&id).await.unwrap());
    claim.append(&record("a", "awake")).await.unwrap();
    assert!(store.is_claimed(&id).await.unwrap(), "its lease runs again");
}

#[tokio::test]
async fn a_lease_is_renewed_while_its_process_lives_and_ends_with_it() {
    let place = Place::new();
    let store = place.leased(LONG, SHORT);
    let claim = begun(&store).await;
    let id = claim.id().clone();
    let until = || place.sql("SELECT until FROM debates");
    let first = until();
    while until() == first {
        tokio::time::sleep(SHORT / 4).await;
    }
    drop(claim);
    assert_eq!(place.sql("SELECT until IS NULL FROM debates"), "t");
    drop(store.claim(&id, Earlier::Dropped).await.unwrap());
}

#[tokio::test(flavor = "multi_thread")]
async fn of_many_that_claim_a_debate_at_once_one_has_it() {
    let place = Place::new();
    let id = begun(&place.store()).await.id().clone();
    for _ in 0..5 {
        let claims = (0..8).map(|_| {
            let (store, id) = (place.store(), id.clone());
            tokio::spawn(async move { store.claim(&id, Earlier::Dropped).await })
        });
        let mut had = Vec::new();
        for claim in claims.collect::<Vec<_>>() {
            match claim.await.unwrap() {
                Ok(claimed) => had.push(claimed),
                Err(StoreError::Claimed { .. }) => {}
                Err(error) => panic!("{error}"),
            }
        }
        assert_eq!(had.len(), 1);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn many_machines_make_the_tables_at_once() {
    let place = Place::new();
    let stores = (0..8).map(|_| {
        let store = place.store();
        tokio::spawn(async move { store.list().await.map(|debates| debates.len()) })
    });
    for listed in stores.collect::<Vec<_>>() {
        assert_eq!(listed.await.unwrap().unwrap(), 0);
    }
    assert_eq!(place.sql("SELECT count(*) FROM migrations"), "1");
}

#[tokio::test]
async fn tables_of_a_later_version_are_left_alone() {
    let place = Place::new();
    place.store().list().await.unwrap();
    place.sql("INSERT INTO migrations (version) VALUES (1000)");
    let error = place.store().list().await.map(drop).unwrap_err();
    assert!(error.to_string().contains("its tables have version 1000"), "{error}");
    assert_eq!(error.hint(), "update rebut on this machine");
}

#[tokio::test]
async fn a_lost_connection_is_made_again_and_nothing_is_written_twice() {
    let place = Place::new();
    place.sql(&format!("CREATE ROLE {} LOGIN SUPERUSER", place.schema));
    let store = place.opened(&postgres().url().replace("//rebut@", &format!("//{}@", place.schema)), LONG, LONG / 4);
    let mut claim = begun(&store).await;
    let id = claim.id().clone();
    for number in 0..3 {
        place.sql(&format!("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = '{}'", place.schema));
        claim.append(&record(&format!("step-{number}"), &"long ".repeat(10_000))).await.unwrap();
    }
    assert_eq!(events(&store, &id).await.len(), 4);
}

#[tokio::test]
async fn a_worker_is_notified_of_a_debate_for_it() {
    let place = Place::new();
    let (worker, other) = (place.store(), place.store());
    let queue = worker.queue().unwrap();
    let tools = ["script".to_owned()];
    assert!(queue.next(&tools).await.unwrap().is_none());
    let mut claim = begun(&other).await;
    let id = claim.id().clone();
    assert!(claim.queue(Queued::For(&tools)).await.unwrap());
    assert!(queue.next(&tools).await.unwrap().is_none(), "it is claimed");
    drop(claim);
    tokio::time::timeout(LONG / 10, queue.news(LONG)).await.unwrap();
    assert_eq!(queue.next(&tools).await.unwrap().unwrap().claim.id(), &id);
}

fn answered(key: &str) -> Event {
    use rebut_core::debate::{Cause, Failure, Happening, StepKey};
    let failure = Failure::new(Cause::Refused, "");
    Event { at: at(), happening: Happening::Failed { key: StepKey::new(key), failure } }
}

#[tokio::test]
async fn limits_on_calls_are_those_of_all_processes_together() {
    use rebut_core::debate::StepKey;
    let place = Place::new();
    let (one, other) = (place.store(), place.store());
    let (mut first, second) = (begun(&one).await, begun(&other).await);
    let key = StepKey::new("round-1/proposer");
    let intent = Intent { key: &key, provider: "cli/claude", most: Some(1), overall: None };
    first.calls().unwrap().begin(&intent).await.unwrap();
    let asked = |provider: &str, most: &str, overall: &str| {
        let id = second.id();
        place.sql(&format!(
            "BEGIN; SELECT coalesce(begin_call('{id}', 1, 'k', '{provider}', {most}, {overall}, 7), 0); ROLLBACK"
        ))
    };
    assert_eq!(asked("cli/claude", "1", "NULL"), "7", "it is asked again after 7 ms");
    assert_eq!(asked("cli/claude", "2", "NULL"), "0");
    assert_eq!(asked("cli/codex", "1", "NULL"), "0", "another provider has its own");
    assert_eq!(asked("cli/codex", "1", "1"), "7", "one of all");
    silence(&place, first.id());
    assert_eq!(asked("cli/claude", "1", "NULL"), "0", "a process that is gone makes no calls");
    first.append(&record("a", "it lives")).await.unwrap();
    let waiting = tokio::spawn(async move {
        let key = StepKey::new("other");
        let intent = Intent { key: &key, provider: "cli/claude", most: Some(1), overall: None };
        second.calls().unwrap().begin(&intent).await.map(|()| second)
    });
    first.append(&answered("round-1/proposer")).await.unwrap();
    let second = waiting.await.unwrap().unwrap();
    assert_eq!(place.sql("SELECT debate FROM calls"), second.id().to_string());
}

#[tokio::test]
async fn a_provider_that_limits_its_rate_is_left_alone_by_all_processes() {
    use rebut_core::debate::StepKey;
    let place = Place::new();
    let (one, other) = (place.store(), place.store());
    let (first, second) = (begun(&one).await, begun(&other).await);
    let calls = first.calls().unwrap();
    calls.slow_down("http/anthropic", Duration::from_hours(1)).await.unwrap();
    calls.slow_down("http/anthropic", Duration::from_secs(1)).await.unwrap();
    let wait = place.sql(&format!("SELECT begin_call('{}', 1, 'k', 'http/anthropic', 4, NULL, 7)", second.id()));
    assert!(wait.parse::<u64>().unwrap() > 3_000_000, "the longer wait counts: {wait}");
    let key = StepKey::new("k");
    let intent = Intent { key: &key, provider: "http/anthropic", most: Some(4), overall: None };
    let waiting = second.calls().unwrap();
    place.sql("UPDATE providers SET quiet_until = now()");
    waiting.begin(&intent).await.unwrap();
}

#[tokio::test]
async fn a_call_is_in_doubt_once_its_intent_was_written_and_no_outcome() {
    use rebut_core::debate::StepKey;
    use rebut_engine::store::Doubt;
    let place = Place::new();
    let (one, other) = (place.store(), place.store());
    let mut claim = begun(&one).await;
    let id = claim.id().clone();
    let keys = ["paid", "ended", "again"].map(StepKey::new);
    for key in &keys {
        let intent = Intent { key, provider: "script/x", most: None, overall: None };
        claim.calls().unwrap().begin(&intent).await.unwrap();
    }
    claim.append(&answered("ended")).await.unwrap();
    silence(&place, &id);
    let claimed = other.claim(&id, Earlier::Dropped).await.unwrap();
    assert_eq!(claimed.in_doubt, Doubt::About(vec![StepKey::new("again"), StepKey::new("paid")]));
    // The one that is late cannot begin another, nor the same once more.
    let intent = Intent { key: &keys[0], provider: "script/x", most: None, overall: None };
    assert!(matches!(claim.calls().unwrap().begin(&intent).await, Err(StoreError::Stale { .. })));
}

#[tokio::test]
async fn a_blob_travels_in_chunks_and_goes_with_the_last_debate_that_has_it() {
    let (place, elsewhere) = (Place::new(), tempfile::tempdir().unwrap());
    let store = place.store();
    let content: Vec<u8> = (0..2_500_000_u32).map(|n| (n % 251) as u8).collect();
    let hash = blake3::hash(&content).to_hex().to_string();
    let mut ids = Vec::new();
    for _ in 0..2 {
        let mut claim = begun(&store).await;
        std::fs::create_dir_all(claim.blobs()).unwrap();
        std::fs::write(claim.blobs().join(&hash), &content).unwrap();
        claim.keep(&hash).await.unwrap();
        ids.push(claim.id().clone());
    }
    assert_eq!(place.sql("SELECT count(*), max(length(content)) FROM blobs"), "3|1048576", "it is there once");
    let machine = Place { schema: place.schema.clone(), cache: elsewhere };
    let path = machine.store().blob(&ids[0], &hash).await.unwrap();
    assert!(path.starts_with(machine.cache.path()));
    assert_eq!(std::fs::read(&path).unwrap(), content);
    store.remove(&ids[0]).await.unwrap();
    assert_eq!(place.sql("SELECT count(*) FROM blobs"), "3");
    store.remove(&ids[1]).await.unwrap();
    assert_eq!(place.sql("SELECT count(*) FROM blobs"), "0");
}

#[tokio::test]
async fn a_changed_row_is_noticed() {
    let place = Place::new();
    let store = place.store();
    let mut claim = begun(&store).await;
    let id = claim.id().clone();
    claim.append(&record("a", &"long ".repeat(10_000))).await.unwrap();
    drop(claim);
    for change in ["UPDATE blobs SET content = 'changed'", "UPDATE events SET line = replace(line, 'topic', 'tropic')"] {
        place.sql(change);
        assert!(matches!(store.claim(&id, Earlier::Dropped).await.map(drop), Err(StoreError::Damaged(_))), "{change}");
        assert!(!store.is_claimed(&id).await.unwrap());
    }
}

/// A role that works with the tables and cannot change them, as docs/workers.md has it.
#[tokio::test]
async fn each_team_has_a_schema_and_a_role_of_its_own() {
    let (ours, theirs) = (Place::new(), Place::new());
    for place in [&ours, &theirs] {
        let schema = &place.schema;
        // The owner makes the tables.
        place.store().list().await.unwrap();
        place.sql(&format!("CREATE ROLE {schema}_worker LOGIN PASSWORD 'passwd'"));
        let grants = include_str!("../../../../deploy/roles.sql");
        place.sql(&format!("\n\\set schema {schema}\n\\set role {schema}_worker\n{grants}"));
    }
    let role = format!("{}_worker", ours.schema);
    let url = format!("{}?sslmode=disable", postgres().tcp_url(&role, "passwd"));
    let store = ours.opened(&url, LONG, LONG / 4);
    let mut claim = begun(&store).await;
    claim.append(&record("a", &"long ".repeat(10_000))).await.unwrap();
    let id = claim.id().clone();
    drop(claim);
    assert_eq!(store.list().await.unwrap().len(), 1);
    store.remove(&id).await.unwrap();
    let denied = theirs.opened(&url, LONG, LONG / 4).list().await.map(drop).unwrap_err();
    assert!(denied.to_string().contains("permission denied"), "{denied}");
    let schema = &ours.schema;
    let may = |what: &str| postgres().sql(&format!("SELECT {what}"));
    assert_eq!(may(&format!("has_schema_privilege('{role}', '{schema}', 'CREATE')")), "f");
    assert_eq!(may(&format!("has_table_privilege('{role}', '{schema}.migrations', 'INSERT, UPDATE, DELETE')")), "f");
}

#[tokio::test]
async fn a_connection_is_encrypted_and_the_server_verified() {
    let (server, place) = (postgres(), Place::new());
    let root_key = rcgen::KeyPair::generate().unwrap();
    let mut root = rcgen::CertificateParams::new(Vec::new()).unwrap();
    root.is_ca = rcgen::IsCa::Ca(rcgen::BasicConstraints::Unconstrained);
    let root_certificate = root.self_signed(&root_key).unwrap();
    let own_key = rcgen::KeyPair::generate().unwrap();
    let own = rcgen::CertificateParams::new(vec!["localhost".to_owned()]).unwrap();
    let own = own.signed_by(&own_key, &rcgen::Issuer::new(root, root_key)).unwrap();
    let trusted = place.cache.path().join("root.pem");
    std::fs::write(&trusted, root_certificate.pem()).unwrap();
    let role = &place.schema;
    server.sql(&format!("CREATE ROLE {role} LOGIN SUPERUSER PASSWORD 'passwd'"));
    let url = format!("{}?sslmode=require", server.tcp_url(role, "passwd"));
    let opened = |root: Option<&std::path::Path>| {
        let schema = place.schema.clone();
        let options = ConnectOptions { schema, root_certificate: root.map(Into::into), lease: LONG, heartbeat: LONG / 4 };
        PostgresStore::new(Address::read(&url, options).unwrap(), place.cache.path()).unwrap()
    };
    let refused = async |root: Option<&std::path::Path>| opened(root).list().await.map(drop).unwrap_err().to_string();
    let plain = refused(Some(&trusted)).await;
    assert!(plain.contains("server does not support TLS") && !plain.contains("passwd"), "{plain}");
    // The programs of PyPI are built without TLS.
    if server.sql("SHOW ssl_library").is_empty() {
        return;
    }
    let (key, certificate) = (server.put("key.pem", &own_key.serialize_pem()), server.put("own.pem", &own.pem()));
    server.sql(&format!(
        "ALTER SYSTEM SET ssl_key_file = '{}'; ALTER SYSTEM SET ssl_cert_file = '{}'; ALTER SYSTEM SET ssl = on;
         SELECT pg_reload_conf()",
        key.display(),
        certificate.display()
    ));
    // The server reads its settings in its own time.
    while server.sql("SHOW ssl") != "on" {}
    let store = opened(Some(&trusted));
    let _claim = begun(&store).await;
    assert_eq!(
        server.sql(&format!("SELECT ssl FROM pg_stat_ssl JOIN pg_stat_activity USING (pid) WHERE usename = '{role}'")),
        "t"
    );
    let untrusted = refused(None).await;
    assert!(untrusted.contains("certificate") && !untrusted.contains("passwd"), "{untrusted}");
}
