//! Debates in a database: what it adds to a call, how soon a worker begins, how many debates workers end in a minute, and how
//! long a list takes.

use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use jiff::Timestamp;
use rebut_core::debate::{DebateId, StepKey};
use rebut_engine::store::postgres::{Address, ConnectOptions};
use rebut_engine::store::{Claim, FileStore, Intent, PostgresStore, Store};
use rebut_fakes::{Postgres, Script};

use crate::appends::event;
use crate::figures::{median, ms, ms_text};
use crate::program::{ended, program};
use crate::stage::Stage;
use crate::table::{Row, Table};

const CALLS: usize = 300;
const DEBATES: usize = 24;
const AT_ONCE: usize = 2;
const ANSWER_MS: i64 = 200;
const LISTED: usize = 100_000;

pub(crate) fn measure(stage: &Stage, table: &mut Table) {
    let Some(program) = program() else {
        table.add(Row::new("workers", "not measured: build the program with cargo build --release"));
        return;
    };
    // Its own settings, but for what a crash of the machine would cost: that is what is measured.
    let server = Postgres::start("fsync = on");
    own_time(&server, stage, table);
    let place = Place { server: &server, program: &program, folder: stage.folder("workers") };
    place.throughput(table);
    place.list(table);
}

/// What a database adds to the writes of a call.
fn own_time(server: &Postgres, stage: &Stage, table: &mut Table) {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let folder = stage.folder("own-time");
    let (lease, heartbeat) = (Duration::from_mins(1), Duration::from_secs(15));
    let options = ConnectOptions { schema: "own_time".into(), root_certificate: None, lease, heartbeat };
    let database = PostgresStore::new(Address::read(&server.url(), options).unwrap(), &folder).unwrap();
    let [in_files, in_database] = [&FileStore::at(folder.join("files")) as &dyn Store, &database].map(|store| {
        runtime.block_on(async {
            let mut claim = store.create(DebateId::new, Timestamp::now()).await.unwrap();
            let mut taken = Vec::new();
            for number in 0..CALLS {
                taken.push(ms(call(claim.as_mut(), number).await));
            }
            median(taken)
        })
    });
    let more = in_database - in_files;
    let row = Row::new("a call's events in a database", ms_text(in_database));
    table.add(row.ideal(format!("{} (in files)", ms_text(in_files)), in_database / in_files));
    table.add(Row::new("of it more than in files", ms_text(more)).aim("< 3 ms", more < 3.0));
}

/// The intent and the two events of a call, and the look for requests between them.
async fn call(claim: &mut dyn Claim, number: usize) -> Duration {
    let began = Instant::now();
    let key = StepKey::new(format!("step-{number}"));
    claim.append(&event(2 * number)).await.unwrap();
    if let Some(calls) = claim.calls() {
        let intent = Intent { key: &key, provider: "cli/claude", most: Some(4), overall: None };
        calls.begin(&intent).await.unwrap();
    }
    claim.requests().await.unwrap();
    claim.append(&event(2 * number + 1)).await.unwrap();
    claim.requests().await.unwrap();
    began.elapsed()
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

    /// Ends debates with one, two and four workers, each of which runs two at once.
    fn throughput(&self, table: &mut Table) {
        std::fs::write(self.folder.join("debate.toml"), Script::duel(2).everywhere("delay_ms", ANSWER_MS).to_toml())
            .unwrap();
        let seats = ["--tools", "script:debate.toml#north,script:debate.toml#south", "--judge", "script:debate.toml#bench"];
        let duel = [&["duel", "Should it?", "--queue"][..], &seats].concat();
        let mut alone = None;
        for workers in [1_usize, 2, 4] {
            for _ in 0..DEBATES {
                ended(self.command(&duel));
            }
            let running: Vec<Killed> = (0..workers).map(|_| self.worker()).collect();
            let began = Instant::now();
            while self.sql("SELECT count(*) FROM debates WHERE queued IS NOT NULL") != "0" {
                std::thread::sleep(Duration::from_millis(20));
            }
            #[expect(clippy::cast_precision_loss, reason = "there are few")]
            let rate = DEBATES as f64 / began.elapsed().as_secs_f64() * 60.0;
            drop(running);
            #[expect(clippy::cast_precision_loss, reason = "there are few")]
            let linear = *alone.get_or_insert(rate) * workers as f64;
            let row = Row::new(format!("debates a minute, {workers} workers"), format!("{rate:.0}"));
            table.add(row.ideal(format!("{linear:.0} (linear)"), rate / linear).aim("> 0.9 of linear", rate / linear > 0.9));
        }
        self.sql("CREATE TABLE seen (what text, at timestamptz DEFAULT clock_timestamp());
            CREATE FUNCTION note() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN INSERT INTO seen VALUES (TG_ARGV[0]); RETURN NEW; END $$;
            CREATE TRIGGER called AFTER INSERT ON calls FOR EACH ROW EXECUTE FUNCTION note('called');
            CREATE TRIGGER freed AFTER UPDATE ON debates FOR EACH ROW
                WHEN (OLD.until IS NOT NULL AND NEW.until IS NULL AND NEW.queued IS NOT NULL) EXECUTE FUNCTION note('queued')");
        let _worker = self.worker();
        let times = (0..5).map(|_| {
            self.sql("DELETE FROM seen");
            ended(self.command(&duel));
            while self.sql("SELECT count(*) FROM debates WHERE queued IS NOT NULL") != "0" {
                std::thread::sleep(Duration::from_millis(20));
            }
            let sql = "SELECT extract(epoch FROM (SELECT min(at) FROM seen WHERE what = 'called')
                - (SELECT min(at) FROM seen WHERE what = 'queued')) * 1000";
            self.sql(sql).parse::<f64>().unwrap()
        });
        // The first one may come before the worker waits.
        let soon = median(times.collect());
        table.add(Row::new("submitted to first call", ms_text(soon)).aim("< 100 ms", soon < 100.0));
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
        let times = (0..10).map(|_| ms(ended(self.command(&["list", "--all"]))));
        let took = median(times.collect());
        let row = Row::new(format!("list of {LISTED} debates in a database"), ms_text(took));
        table.add(row.aim("< 100 ms", took < 100.0));
    }
}

/// A worker that is killed in the end: nothing waits for it.
struct Killed(Child);

impl Drop for Killed {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}
