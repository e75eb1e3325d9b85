//! Debates in a database: what it adds to a call, how soon a worker begins, how many debates workers end in a minute, and how
//! long a list takes.

use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use rebut_engine::store::postgres::{Address, ConnectOptions};
use rebut_engine::store::{FileStore, PostgresStore, Store};
use rebut_fakes::{Postgres, Script};

use crate::figures::{busy_time, float, median, ms, ms_text};
use crate::program::{ended, program};
use crate::stage::{MOST_ROUNDS, Stage};
use crate::table::{Row, Table};

const TIMES: usize = 9;
const DEBATES: usize = 48;
/// How many of them a worker runs at once.
const AT_ONCE: usize = 2;
const ANSWER_MS: usize = 200;
/// How many answers of a debate come one after the other: four statements, and the ballots at once.
const IN_TURN: f64 = 5.0;
const LISTED: usize = 100_000;

pub(crate) fn measure(stage: &Stage, table: &mut Table) {
    let Some(program) = program() else {
        table.add(Row::new("workers", "not measured: build the program with cargo build --release"));
        return;
    };
    // Writes are synced, as where it is used.
    let server = Postgres::start("fsync = on");
    own_time(&server, stage, table);
    let place = Place { server: &server, program: &program, folder: stage.folder("workers") };
    place.throughput(table);
    place.start(table);
    place.list(table);
}

/// What a call takes beyond its answer, with the debate in files and in a database.
fn own_time(server: &Postgres, stage: &Stage, table: &mut Table) {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let folder = stage.folder("own-time");
    let (lease, heartbeat) = (Duration::from_mins(1), Duration::from_secs(15));
    let options = ConnectOptions { schema: "own_time".into(), root_certificate: None, lease, heartbeat };
    let database = PostgresStore::new(Address::read(&server.url(), options).unwrap(), &folder).unwrap();
    let files = FileStore::at(&folder);
    let once = |store: &dyn Store| {
        runtime.block_on(async {
            let debate = stage.begin_in(store, &folder, stage.plan(MOST_ROUNDS, 0), false).await;
            let started = Instant::now();
            let (debate, _) = debate.run().await;
            ms(started.elapsed()) / float(debate.calls().count())
        })
    };
    // Connects.
    once(&database);
    let (in_files, in_database) = (0..TIMES).map(|_| (once(&files), once(&database))).unzip();
    let (in_files, in_database) = (median(in_files), median(in_database));
    let more = in_database - in_files;
    let row = Row::new("overhead a call, in a database", ms_text(in_database));
    table.add(row.ideal(format!("{} (in files)", ms_text(in_files)), in_database / in_files));
    table.add(Row::new("of it more than in files", ms_text(more)).aim("< 3 ms", more < 3.0));
}

struct Place<'p> {
    server: &'p Postgres,
    program: &'p Path,
    folder: std::path::PathBuf,
}

impl Place<'_> {
    fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(self.program);
        command.env_clear().env("HOME", &self.folder).env("REBUT_STORE", self.server.url());
        command.current_dir(&self.folder).args(arguments).stdout(Stdio::null()).stderr(Stdio::null());
        command
    }

    fn sql(&self, statements: &str) -> String {
        self.server.sql(&format!("SET search_path TO rebut; {statements}"))
    }

    /// Has one, two and four workers run the same debates.
    fn throughput(&self, table: &mut Table) {
        let script = Script::duel(2).everywhere("delay_ms", i64::try_from(ANSWER_MS).unwrap());
        std::fs::write(self.folder.join("debate.toml"), script.to_toml()).unwrap();
        let mut linear = 60.0 * float(AT_ONCE) / (IN_TURN * 1e-3 * float(ANSWER_MS));
        for workers in [1, 2, 4] {
            (0..DEBATES).for_each(|_| self.submit());
            let busy = busy_time();
            let running: Vec<Killed> = (0..workers).map(|_| self.worker()).collect();
            self.wait_for_all();
            drop(running);
            let busy = busy.zip(busy_time()).map(|((busy, all), (busy_now, all_now))| (busy_now - busy) / (all_now - all));
            let busy = busy.map_or_else(String::new, |share| format!(", processors {:.0} % busy", share * 100.0));
            // From the first that was taken to the end of the last.
            let took = "SELECT extract(epoch FROM max(at) - min(at)) FROM (
                SELECT (line::json #>> '{event,at}')::timestamptz AS at FROM events WHERE lease > 1) e";
            let rate = 60.0 * float(DEBATES) / self.sql(took).parse::<f64>().unwrap();
            self.sql("DELETE FROM debates");
            let row = Row::new(format!("debates a minute, {workers} of {AT_ONCE} at once"), format!("{rate:.0}{busy}"));
            table.add(if workers == 1 {
                let row = row.ideal(format!("{linear:.0} (only the answers)"), rate / linear);
                linear = rate;
                row
            } else {
                let linear = linear * float(workers);
                row.ideal(format!("{linear:.0} (linear)"), rate / linear).aim(">= 0.9 × ideal", rate / linear >= 0.9)
            });
        }
    }

    /// How soon a worker that waits asks the first question of a debate.
    fn start(&self, table: &mut Table) {
        self.sql(
            "CREATE TABLE seen (what text, at timestamptz DEFAULT clock_timestamp());
             CREATE FUNCTION note() RETURNS trigger LANGUAGE plpgsql AS $$
                 BEGIN INSERT INTO seen VALUES (TG_ARGV[0]); RETURN NEW; END $$;
             CREATE TRIGGER called AFTER INSERT ON calls FOR EACH ROW EXECUTE FUNCTION note('called');
             CREATE TRIGGER freed AFTER UPDATE ON debates FOR EACH ROW
                 WHEN (OLD.until IS NOT NULL AND NEW.until IS NULL AND NEW.queued IS NOT NULL) EXECUTE FUNCTION note('queued')",
        );
        let _worker = self.worker();
        let once = || {
            self.sql("DELETE FROM seen");
            self.submit();
            self.wait_for_all();
            let took = "SELECT extract(epoch FROM (SELECT min(at) FROM seen WHERE what = 'called')
                - (SELECT min(at) FROM seen WHERE what = 'queued')) * 1000";
            self.sql(took).parse::<f64>().unwrap()
        };
        // The worker waits once it has run the first.
        once();
        let took = median((0..5).map(|_| once()).collect());
        table.add(Row::new("submitted to first call", ms_text(took)).aim("< 100 ms", took < 100.0));
    }

    fn submit(&self) {
        let seats = ["--tools", "script:debate.toml#north,script:debate.toml#south", "--judge", "script:debate.toml#bench"];
        ended(self.command(&[&["duel", "Should it?", "--queue"][..], &seats].concat()));
    }

    fn wait_for_all(&self) {
        while self.sql("SELECT count(*) FROM debates WHERE queued IS NOT NULL") != "0" {
            std::thread::sleep(Duration::from_millis(50));
        }
    }

    fn worker(&self) -> Killed {
        Killed(self.command(&["worker", "--seats", "script", "--at-once", &AT_ONCE.to_string()]).spawn().unwrap())
    }

    fn list(&self, table: &mut Table) {
        self.sql(&format!(
            "INSERT INTO debates (id, began, created, events, summary, summarized, workspace)
             SELECT 'debate-20260101T' || lpad((n / 2)::text, 6, '0') || 'Z-' || lpad(to_hex(n % 65536), 4, '0'),
                 '20260101' || lpad((n / 2)::text, 6, '0'), d.created, d.events, d.summary, d.events, d.workspace
             FROM generate_series(1, {LISTED}) n, (SELECT * FROM debates WHERE summary IS NOT NULL LIMIT 1) d; ANALYZE debates"
        ));
        for (what, arguments) in [("all", ["list", "--all"].as_slice()), ("those of a folder without any", &["list"])] {
            let folder = self.folder.join("empty");
            std::fs::create_dir_all(&folder).unwrap();
            let times = (0..10).map(|_| {
                let mut command = self.command(arguments);
                command.current_dir(&folder);
                ms(ended(command))
            });
            let took = median(times.collect());
            let row = Row::new(format!("list of {LISTED} debates in a database, {what}"), ms_text(took));
            table.add(row.aim("< 100 ms", took < 100.0));
        }
    }
}

/// A worker that is killed once it is no longer needed.
struct Killed(Child);

impl Drop for Killed {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}
