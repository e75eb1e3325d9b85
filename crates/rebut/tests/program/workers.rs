//! Debates in a database, which workers run: on a real Postgres, with workers that are killed, paused and asked to end.

mod chaos;
mod commands;

use std::time::Duration;

use rebut_core::debate::{Debate, DebateId};
use rebut_engine::store::postgres::{Address, ConnectOptions};
use rebut_engine::store::{self, PostgresStore};
use rebut_fakes::{Postgres, Running, Script, ScriptLine, TOPIC, TestEnv, postgres};
use rustix::process::Signal;

use crate::review::{self, with_a_compromise};
use crate::services::{duel, keys, provider, run, vendors};
use crate::{machine, machine_for, machine_judged_once, meaning, until};

/// A machine that keeps debates in a database.
struct Shared {
    env: TestEnv,
    schema: String,
}

/// How long a worker may be silent where a test waits for it to be given up.
const LEASE: &str = "2";

impl Shared {
    fn of(env: TestEnv) -> Self {
        let schema = postgres().schema();
        let env = env.set("REBUT_STORE", postgres().url()).set("REBUT_STORE_SCHEMA", &schema);
        Self { env, schema }
    }

    fn leased(env: TestEnv) -> Self {
        Self::of(env.set("REBUT_STORE_LEASE_SECONDS", LEASE).set("REBUT_STORE_HEARTBEAT_SECONDS", "0.2"))
    }

    fn sql(&self, statements: &str) -> String {
        postgres().sql(&format!("SET search_path TO {}; {statements}", self.schema))
    }

    fn worker(&self) -> Running {
        self.env.start(["worker", "--seats", "script", "--json"])
    }

    /// Queues a duel of the script and gives its id.
    fn queue(&self, more: &[&str]) -> String {
        let line = self.env.duel(&[&["--queue", "--json"], more].concat()).exits(0).json_lines().pop().unwrap();
        assert_eq!(line["type"], "queued");
        line["id"].as_str().unwrap().to_owned()
    }

    /// The debate as the database has it.
    fn read(&self, id: &str) -> Debate {
        read_from(&postgres().url(), &self.schema, id)
    }
}

/// A debate as a database has it.
fn read_from(url: &str, schema: &str, id: &str) -> Debate {
    let (lease, heartbeat) = (Duration::from_mins(1), Duration::from_secs(15));
    let options = ConnectOptions { schema: schema.to_owned(), root_certificate: None, lease, heartbeat };
    let store = PostgresStore::new(Address::read(url, options).unwrap(), std::env::temp_dir()).unwrap();
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let id = DebateId::parse(id).unwrap();
    runtime.block_on(async { store::read(&store, &id).await.unwrap().0 })
}

/// Waits for the worker to let a debate go, and gives how it left it.
fn left(worker: &mut Running) -> String {
    worker.wait_for(|line| line["type"] == "left")["status"].as_str().unwrap_or_default().to_owned()
}

/// Ends a worker in good order.
fn ended(worker: Running) {
    worker.signal(Signal::TERM);
    let _ = worker.end().exits(0);
}

#[test]
fn a_queued_debate_is_run_by_a_worker_that_has_no_checkout() {
    let here = Shared::of(machine_for(&Script::duel(2)));
    here.env.write("src/pool.rs", "one\ntwo\n");
    let alone = machine_for(&Script::duel(2));
    alone.write("src/pool.rs", "one\ntwo\n");
    let _ = alone.duel(&[]).exits(0);
    let id = here.queue(&[]);
    let _ = here.env.rebut(["list"]).exits(0).shows("queued");
    // Its workspace is gone; what a script says is in a file there, which another machine would have.
    let (workspace, script) = (here.env.workspace(), std::fs::read(here.env.workspace().join("debate.toml")).unwrap());
    std::fs::remove_dir_all(workspace.join("src")).unwrap();
    assert_eq!(std::fs::read(workspace.join("debate.toml")).unwrap(), script);
    let mut worker = here.worker();
    assert_eq!(left(&mut worker), "completed");
    ended(worker);
    assert_eq!(here.read(&id).meaning(), meaning(&alone.debate()), "the same as undisturbed on one machine");
    assert!(here.env.kept().iter().all(|file| !file.contains("blobs/")), "what it fetched is removed");
    let _ = here.env.rebut(["show", "last"]).exits(0).shows("## Verdict");
}

#[test]
fn a_run_that_is_killed_after_any_event_goes_on_once_its_lease_has_run_out() {
    let shared = Shared::of(machine_judged_once(&Script::duel(1)));
    let env = &shared.env;
    let _ = env.duel(&["--rounds", "1"]).exits(0);
    let undisturbed = shared.sql("SELECT id FROM debates");
    let expected = shared.read(&undisturbed);
    let _ = env.rebut(["rm", &undisturbed]).exits(0);
    for event in 0..expected.events() {
        env.duel_with_fault(&format!("kill-after:{event}"), &["--rounds", "1"]).was_killed();
        let id = shared.sql("SELECT id FROM debates");
        let _ = env.rebut(["resume", &id]).exits(1).says("is being run by another process");
        shared.sql("UPDATE debates SET until = now()");
        let _ = env.rebut(["resume", &id]).exits(0);
        let debate = shared.read(&id);
        assert_eq!(debate.meaning(), expected.meaning(), "{event}");
        // It is never killed between the intent of a call and its answer.
        assert_eq!(debate.accounts().total().calls_in_doubt, 0, "{event}");
        let _ = env.rebut(["rm", &id]).exits(0);
    }
}

#[test]
fn a_killed_worker_is_followed_by_another_and_its_call_is_in_doubt() {
    let script = Script::duel(1);
    let shared = Shared::leased(machine_for(&script.clone().instead("round-1/challenger", [ScriptLine::hang()])));
    let id = shared.queue(&["--rounds", "1"]);
    let first = shared.worker();
    until("the call is made", || shared.sql("SELECT key FROM calls") == "round-1/challenger");
    first.signal(Signal::KILL);
    drop(first);
    shared.env.rewrite(&script);
    let mut second = shared.worker();
    assert_eq!(left(&mut second), "completed");
    ended(second);
    let debate = shared.read(&id);
    assert_eq!(debate.accounts().total().calls_in_doubt, 1);
    assert_eq!(shared.sql("SELECT count(*) FROM calls"), "0");
    let _ = shared.env.rebut(["show", "last"]).exits(0).shows("(1 in doubt)");
}

#[test]
fn a_worker_that_was_paused_for_too_long_writes_nothing_when_it_wakes() {
    let script = Script::duel(1);
    let slow = |ms: i64| ScriptLine::text(script.answer("round-1/challenger")).set("delay_ms", ms);
    let shared = Shared::leased(machine_for(&script.clone().instead("round-1/challenger", [slow(1_000)])));
    let id = shared.queue(&["--rounds", "1"]);
    let mut paused = shared.worker();
    until("the call is made", || shared.sql("SELECT key FROM calls") == "round-1/challenger");
    paused.signal(Signal::STOP);
    let mut other = shared.worker();
    assert_eq!(left(&mut other), "completed");
    let events = shared.sql("SELECT count(*), max(lease) FROM events");
    paused.signal(Signal::CONT);
    let why = paused.wait_for(|line| line["type"] == "left")["error"].as_str().unwrap().to_owned();
    assert!(why.contains("was taken over by another process"), "{why}");
    assert_eq!(shared.sql("SELECT count(*), max(lease) FROM events"), events);
    assert_eq!(shared.read(&id).accounts().total().calls_in_doubt, 1);
    ended(paused);
    ended(other);
}

#[test]
fn a_worker_that_is_asked_to_end_lets_calls_end_and_gives_the_debate_back() {
    let script = Script::duel(1);
    let slow = ScriptLine::text(script.answer("round-1/challenger")).set("delay_ms", 500);
    let shared = Shared::of(machine_for(&script.clone().instead("round-1/challenger", [slow])));
    let id = shared.queue(&["--rounds", "1"]);
    let worker = shared.worker();
    let arriving = shared.env.state().join(&id).join("arriving.jsonl");
    until("its answer arrives", || std::fs::read_to_string(&arriving).is_ok_and(|text| text.contains("round-1/challenger")));
    ended(worker);
    assert_eq!(shared.sql("SELECT until IS NULL, queued IS NOT NULL FROM debates"), "t|t");
    let answers = |debate: &Debate| debate.calls().filter(|(_, call)| call.attempts == 1).count();
    let before = answers(&shared.read(&id));
    assert!(before >= 2, "the call was awaited");
    let mut next = shared.worker();
    assert_eq!(left(&mut next), "completed");
    ended(next);
    let debate = shared.read(&id);
    assert_eq!(debate.accounts().total().calls_in_doubt, 0);
    assert!(debate.calls().all(|(_, call)| call.attempts == 1), "nothing was asked twice");
}

#[test]
fn a_worker_takes_only_debates_whose_seats_it_can_fill() {
    let shared = Shared::of(machine_for(&Script::duel(1)));
    let id = shared.queue(&["--rounds", "1"]);
    shared.sql("UPDATE debates SET seats = '{claude,script}'");
    let other = shared.queue(&["--rounds", "1"]);
    let mut worker = shared.worker();
    let taken = worker.wait_for(|line| line["type"] == "taken");
    assert_eq!(taken["id"].as_str(), Some(other.as_str()));
    assert_eq!(left(&mut worker), "completed");
    ended(worker);
    let _ = shared.env.rebut(["cancel", &id]).exits(0);
    assert_eq!(shared.sql("SELECT count(*) FROM debates WHERE queued IS NOT NULL"), "0");
}

#[test]
fn what_cannot_be_queued_is_refused_before_anything_is_kept() {
    let shared = Shared::of(machine_for(&Script::duel(1)).set("REBUT_EVIDENCE_MAX_FILES", "1"));
    shared.env.write("a.rs", "one");
    shared.env.write("b.rs", "two");
    let _ = shared.env.duel(&["--queue"]).exits(2).says("the workspace is too large to send to a worker");
    let _ = shared.env.rebut(["list"]).exits(0);
    assert_eq!(shared.sql("SELECT count(*) FROM debates"), "0");
    let folder = machine_for(&Script::duel(1));
    let _ = folder.duel(&["--queue"]).exits(2).says("only a database has a queue");
    let _ = folder.rebut(["worker"]).exits(2).says("only a database has a queue");
}

#[test]
fn a_debate_that_no_worker_can_run_says_why() {
    let shared = Shared::of(machine_for(&Script::duel(1)));
    let _ = shared.queue(&["--rounds", "1"]);
    std::fs::remove_file(shared.env.workspace().join("debate.toml")).unwrap();
    let mut worker = shared.worker();
    let _ = worker.wait_for(|line| line["type"] == "left" && line["error"].is_string());
    until("it is taken out", || shared.sql("SELECT queued IS NULL FROM debates") == "t");
    ended(worker);
    let _ = shared.env.rebut(["list"]).exits(0).shows("interrupted: ").shows("debate.toml");
}

#[test]
fn a_choice_is_made_from_any_machine_and_a_worker_goes_on() {
    let shared = Shared::of(with_a_compromise());
    let _ = shared.env.rebut(review::arguments(&["--queue", "--mode", "manual"])).exits(0);
    let mut worker = shared.worker();
    assert_eq!(left(&mut worker), "waiting");
    assert_eq!(shared.sql("SELECT queued IS NULL FROM debates"), "t");
    let _ = shared.env.rebut(["choose", "last", "C"]).exits(0);
    assert_ne!(left(&mut worker), "interrupted");
    ended(worker);
}

#[test]
fn a_machine_is_checked_before_it_works() {
    let shared = Shared::of(machine_for(&Script::duel(1)));
    let _ = shared.env.rebut(["worker", "--check", "--seats", "script"]).exits(0).shows("database  ready, 0 waiting");
    let _ = shared.env.rebut(["worker", "--check", "--seats", "claude"]).exits(2).says("claude is not installed");
    let gone = machine().set("REBUT_STORE", "postgres://me:passwd@127.0.0.1:1/rebut");
    let run = gone.rebut(["worker", "--check", "--seats", "script"]).exits(1).says("127.0.0.1/rebut");
    assert!(!format!("{run}").contains("passwd"), "{run}");
    let run = gone.rebut(["config", "show"]).exits(0).shows("postgres://me:[redacted]@127.0.0.1:1/rebut");
    assert!(!format!("{run}").contains("passwd"), "{run}");
}

/// A server of its own, which is restarted under the worker: while that waits, and has to look at the queue of its own accord,
/// and while it makes a call.
#[test]
fn a_worker_outlives_restarts_of_the_database() {
    let server = Postgres::start("");
    let script = Script::duel(1);
    let slow = ScriptLine::text(script.answer("round-1/challenger")).set("delay_ms", 300);
    let env = machine_for(&script.clone().instead("round-1/challenger", [slow])).set("REBUT_STORE", server.url());
    let mut worker = env.start(["worker", "--seats", "script", "--json"]);
    let _ = worker.wait_for(|line| line["type"] == "waiting");
    let calls = || server.sql("SET search_path TO rebut; SELECT key FROM calls");
    for _ in 0..2 {
        let _ = env.duel(&["--queue", "--rounds", "1"]).exits(0);
        let _ = worker.wait_for(|line| line["type"] == "taken");
        until("the call is made", || calls() == "round-1/challenger");
        server.restart();
        assert_eq!(left(&mut worker), "completed");
        server.restart();
    }
    ended(worker);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_provider_that_limits_one_process_is_left_alone_by_all() {
    let provider = provider().await;
    let shared = Shared::of(vendors(&provider, "429"));
    tokio::task::block_in_place(|| {
        let _ = shared.env.rebut(["list"]).exits(0);
        let run = shared.env.start(duel(&[]));
        until("it is left alone", || shared.sql("SELECT name FROM providers WHERE quiet_until > now()") == "http/anthropic");
        let _ = shared.env.rebut(["cancel", "last"]).exits(0);
        let _ = run.end().exits(130);
    });
}

#[tokio::test(flavor = "multi_thread")]
async fn no_key_is_in_any_table() {
    let provider = provider().await;
    let shared = Shared::of(vendors(&provider, "ok"));
    let _ = run(&shared.env, &[&duel(&[])[..], &["--queue"]].concat()).exits(0);
    tokio::task::block_in_place(|| {
        let mut worker = shared.env.start(["worker", "--seats", "anthropic,openai,google", "--json"]);
        assert_eq!(left(&mut worker), "completed");
        ended(worker);
        let tables = shared.sql(&format!("SELECT tablename FROM pg_tables WHERE schemaname = '{}'", shared.schema));
        assert!(tables.lines().count() >= 7, "{tables}");
        let rows = tables.lines().map(|table| shared.sql(&format!("SELECT t::text FROM {table} t")));
        let all: Vec<String> = rows.chain([shared.sql("SELECT encode(content, 'escape') FROM blobs")]).collect();
        assert!(all.iter().any(|rows| rows.contains(TOPIC)), "the tables were read");
        for (name, key) in keys() {
            assert!(!all.iter().any(|rows| rows.contains(&key)), "{name}");
        }
    });
}
