//! Workers that are killed, stopped for longer than their lease and cut off from a database that is restarted: every debate ends,
//! and as if nothing had happened.
//!
//! Here a small version runs; `scripts/chaos` sets the variables for a large one.

use std::collections::BTreeMap;
use std::io;
use std::net::{Shutdown, TcpListener, TcpStream};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use rebut_fakes::panel::PanelScript;
use rebut_fakes::{Postgres, Running, Script, TestEnv};
use rustix::process::Signal;

use super::read_from;
use crate::{cross, machine_for, meaning, panel, review, until};

/// How many debates there are. Every third comes with a disturbance.
const DEBATES: (&str, u64) = ("REBUT_CHAOS_DEBATES", 10);
const SEED: (&str, u64) = ("REBUT_CHAOS_SEED", 20_261_118);
const WORKERS: usize = 4;
/// The lease of workers, in seconds; a pause lasts longer.
const LEASE: &str = "2";
const PAUSE: Duration = Duration::from_secs(3);

fn number((name, usual): (&str, u64)) -> u64 {
    std::env::var(name).ok().map_or(usual, |text| text.parse().unwrap())
}

/// The same numbers for the same seed.
struct Dice(u64);

impl Dice {
    fn below(&mut self, most: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0).unwrap() % most
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Disturbance {
    /// A worker is killed, and another one starts.
    Kill,
    /// A worker is stopped for longer than its lease.
    Pause,
    /// Every connection to the database is cut.
    Drop,
    /// The database crashes and starts again.
    Restart,
}

impl Disturbance {
    const ALL: [Self; 4] = [Self::Kill, Self::Pause, Self::Drop, Self::Restart];

    /// Equally many of each, in any order.
    fn planned(number: usize, dice: &mut Dice) -> Vec<Self> {
        let mut planned: Vec<Self> = Self::ALL.into_iter().cycle().take(number).collect();
        (1..number).rev().for_each(|place| planned.swap(place, dice.below(place + 1)));
        planned
    }
}

/// The way to the database, on which every connection can be dropped.
struct Proxy {
    port: u16,
    open: Arc<Mutex<Vec<TcpStream>>>,
}

impl Proxy {
    fn to(target: u16) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let (port, open) = (listener.local_addr().unwrap().port(), Arc::new(Mutex::new(Vec::new())));
        let kept = Arc::clone(&open);
        // It ends with the process of the test.
        std::thread::spawn(move || {
            for client in listener.incoming().flatten() {
                let Ok(server) = TcpStream::connect(("127.0.0.1", target)) else { continue };
                for (from, to) in [(&client, &server), (&server, &client)] {
                    let (mut from, mut to) = (from.try_clone().unwrap(), to.try_clone().unwrap());
                    kept.lock().unwrap().push(from.try_clone().unwrap());
                    std::thread::spawn(move || {
                        let _ = io::copy(&mut from, &mut to);
                        let _ = to.shutdown(Shutdown::Both);
                    });
                }
            }
        });
        Self { port, open }
    }

    fn drop_all(&self) {
        for stream in self.open.lock().unwrap().drain(..) {
            let _ = stream.shutdown(Shutdown::Both);
        }
    }
}

/// A kind of debate: where it is held, with which words, and what it means undisturbed.
struct Kind {
    env: TestEnv,
    words: Vec<String>,
    meaning: String,
}

/// Every format, each held once undisturbed, in a folder.
fn kinds() -> Vec<Kind> {
    let words = |words: Vec<&str>| words.into_iter().map(str::to_owned).collect::<Vec<_>>();
    let slow = |script: Script| script.everywhere("delay_ms", 100);
    let panel = PanelScript { debaters: 2, rounds: 1 };
    let duel = machine_for(&slow(Script::duel(2)));
    let duel_words = words(duel.duel_arguments(&[]));
    [
        (duel, duel_words),
        (cross::machine_with_script(&slow(cross::script(2, 0))), words(cross::arguments("ask", &cross::TWO, &[]))),
        (cross::machine_with_script(&slow(cross::script(3, 1))), words(cross::arguments("cross", &cross::THREE, &[]))),
        (review::with_a_compromise(), words(review::arguments(&[]))),
        (panel::machine_with_script(panel, &slow(panel.script())), panel::arguments(panel, &[])),
    ]
    .into_iter()
    .map(|(env, words)| {
        let run = env.rebut(&words);
        assert!(matches!(run.code, Some(0 | 3)), "{run}");
        let meaning = meaning(&env.debate());
        Kind { env, words, meaning }
    })
    .collect()
}

#[test]
fn whatever_happens_to_workers_every_debate_ends_as_if_nothing_had() {
    let (debates, mut dice) = (usize::try_from(number(DEBATES)).unwrap(), Dice(number(SEED)));
    let server = Postgres::start("");
    server.sql("CREATE ROLE chaos LOGIN SUPERUSER PASSWORD 'passwd'");
    let proxy = Proxy::to(server.port());
    let url = format!("postgres://chaos:passwd@127.0.0.1:{}/rebut?sslmode=disable", proxy.port);
    let sql = |statements: &str| server.sql(&format!("SET search_path TO rebut; {statements}"));
    let kinds = kinds();
    let mut submitted = Vec::new();
    for number in 0..debates {
        let kind = &kinds[number % kinds.len()];
        // Each panel has a folder of its own.
        let own = format!("papers-{number}");
        let words = kind.words.iter().map(|word| if word == "papers" { &own } else { word });
        let run = kind.env.rebut_with("REBUT_STORE", &server.url(), words.map(String::as_str).chain(["--queue", "--json"]));
        let line = run.exits(0).json_lines().pop().unwrap();
        submitted.push((line["id"].as_str().unwrap().to_owned(), &kind.meaning));
    }
    // Every call that was about to be paid for.
    sql("CREATE TABLE asked (debate text, key text, lease bigint);
         CREATE FUNCTION note() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
             INSERT INTO asked VALUES (NEW.debate, NEW.key, NEW.lease); RETURN NEW; END $$;
         CREATE TRIGGER note AFTER INSERT ON calls FOR EACH ROW EXECUTE FUNCTION note()");
    let worker = |place: usize| {
        let mut command = kinds[place % kinds.len()].env.command(["worker", "--seats", "script", "--json"]);
        command.env("REBUT_STORE", &url);
        command.env("REBUT_STORE_LEASE_SECONDS", LEASE).env("REBUT_STORE_HEARTBEAT_SECONDS", "0.3");
        Running::start(&mut command)
    };
    let mut workers: Vec<Running> = (0..WORKERS).map(worker).collect();
    let done = || sql("SELECT count(*) FROM debates WHERE queued IS NULL").parse::<usize>().unwrap();
    let mut stopped: BTreeMap<usize, Instant> = BTreeMap::new();
    let planned = Disturbance::planned((debates / 3).max(8), &mut dice);
    // Spread over the run: each comes once its share of the debates has ended, the last one before all have.
    for (number, disturbance) in planned.iter().enumerate() {
        until("enough debates end", || {
            wake(&workers, &mut stopped, Instant::now());
            done() >= number * debates / planned.len()
        });
        let place = dice.below(WORKERS);
        match disturbance {
            Disturbance::Kill => {
                workers[place].signal(Signal::KILL);
                workers[place] = worker(place);
                stopped.remove(&place);
            }
            Disturbance::Pause => {
                workers[place].signal(Signal::STOP);
                stopped.insert(place, Instant::now() + PAUSE);
            }
            Disturbance::Drop => proxy.drop_all(),
            Disturbance::Restart => server.restart(),
        }
    }
    let before_the_last = done();
    let mut events = 0;
    while done() < debates || !stopped.is_empty() {
        until("progress", || {
            wake(&workers, &mut stopped, Instant::now());
            let now = sql("SELECT count(*) FROM events").parse::<u64>().unwrap();
            std::mem::replace(&mut events, now) != now || done() == debates
        });
    }
    for worker in workers {
        worker.signal(Signal::TERM);
        let _ = worker.end().exits(0);
    }
    let back =
        "SELECT count(*) FROM (SELECT lease < lag(lease) OVER (PARTITION BY debate ORDER BY seq) AS back FROM events) e
                WHERE back";
    assert_eq!(sql(back), "0", "an event under a lease that had passed");
    let mut in_doubt = 0;
    for (id, meaning) in &submitted {
        let debate = read_from(&server.url(), "rebut", id);
        assert_eq!(debate.meaning(), **meaning, "{id}, a {}", debate.plan().format);
        in_doubt += u64::from(debate.accounts().total().calls_in_doubt);
    }
    let kinds_of = |name: &str| format!("(line::json #>> '{{event,happening,kind}}') = '{name}'");
    let outcomes = ["answered", "rejected", "failed"].map(kinds_of).join(" OR ");
    let asked: u64 = sql("SELECT count(*) FROM asked").parse().unwrap();
    let ended: u64 = sql(&format!("SELECT count(*) FROM events WHERE {outcomes}")).parse().unwrap();
    assert_eq!(asked - ended, in_doubt, "a call was paid for twice without being counted");
    let [kills, pauses, drops, restarts] =
        Disturbance::ALL.map(|kind| planned.iter().filter(|disturbance| **disturbance == kind).count());
    println!(
        "{debates} debates, {kills} kills, {pauses} pauses, {drops} times all connections dropped, {restarts} restarts, the \
         last with {} debates to go: {asked} calls asked, {in_doubt} in doubt, and asked again",
        debates - before_the_last
    );
}

/// Has the workers go on whose pause is over.
fn wake(workers: &[Running], stopped: &mut BTreeMap<usize, Instant>, now: Instant) {
    stopped.retain(|place, until| {
        let is_stopped = now < *until;
        if !is_stopped {
            workers[*place].signal(Signal::CONT);
        }
        is_stopped
    });
}
