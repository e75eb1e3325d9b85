//! A real Postgres server for tests, in a temporary folder. It ends with the process that started it, however that ends.

use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::net::TcpListener;
use std::os::unix::fs::{PermissionsExt, chown};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU32, Ordering};

/// Names the folder of Postgres's programs, where they are not in a usual place.
const VARIABLE: &str = "REBUT_TEST_POSTGRES";

/// The user and group without any rights.
const NOBODY: (u32, u32) = (65534, 65534);

/// How often another port is tried: one that was free can be taken by the time that the server binds it.
const PORTS: u32 = 50;

/// Starts the server, says so, and waits for the end of its input, which comes with the end of the process that holds the other
/// end. A signal to everything in a terminal must not end this first.
const WATCH: &str = r#"
trap '' HUP INT TERM
"$1/pg_ctl" -D "$2/data" -l "$2/log" -w -t 600 -o "-k $2 -p $3" start >"$2/start" 2>&1 && echo ready
cat >/dev/null
"$1/pg_ctl" -D "$2/data" -m immediate stop >/dev/null 2>&1
rm -rf "$2"
"#;

const SETTINGS: &str = "
listen_addresses = '127.0.0.1'
max_connections = 200
fsync = off
full_page_writes = off
autovacuum = off
shared_buffers = 32MB
";

/// A server of its own.
pub struct Postgres {
    programs: PathBuf,
    folder: PathBuf,
    port: u16,
    /// The user that it runs as, where this process runs as root, which it refuses.
    user: Option<(u32, u32)>,
    schemas: AtomicU32,
    /// Ends the server and removes its folder once its input is closed.
    watch: Child,
}

/// The server that all tests of this process share.
pub fn postgres() -> &'static Postgres {
    static SERVER: OnceLock<Postgres> = OnceLock::new();
    SERVER.get_or_init(|| Postgres::start(""))
}

impl Postgres {
    /// Starts a server with these settings beside the usual ones.
    pub fn start(settings: &str) -> Self {
        let programs = programs();
        let user = rustix::process::geteuid().is_root().then_some(NOBODY);
        let folder = tempfile::Builder::new().prefix("rebut-pg-").tempdir().expect("a temporary folder").keep();
        if let Some((user, group)) = user {
            chown(&folder, Some(user), Some(group)).expect("another owner for the folder");
        }
        let data = folder.join("data");
        let mut init = as_user(user, &programs.join("initdb"));
        init.arg("-D").arg(&data).args(["-U", "rebut", "-A", "trust", "-E", "UTF8", "--locale=C", "--no-sync"]);
        let made = init.current_dir(&folder).output().expect("initdb starts");
        assert!(made.status.success(), "initdb: {}", String::from_utf8_lossy(&made.stderr));
        fs::write(data.join("postgresql.auto.conf"), format!("{SETTINGS}\n{settings}\n")).expect("the settings");
        let rules = "local all all trust\nhost all all 127.0.0.1/32 scram-sha-256\n";
        fs::write(data.join("pg_hba.conf"), rules).expect("the rules of access");
        for _ in 0..PORTS {
            let free = TcpListener::bind("127.0.0.1:0").and_then(|listener| listener.local_addr()).expect("a free port");
            let port = free.port();
            let mut watch = as_user(user, Path::new("/bin/sh"));
            watch.args(["-c", WATCH, "watch"]).args([&programs, &folder]).arg(port.to_string()).current_dir("/");
            // Not in the group that Ctrl-C reaches.
            watch.process_group(0).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
            let mut watch = watch.spawn().expect("a shell");
            let mut said = String::new();
            let output = watch.stdout.take().expect("its output");
            BufReader::new(output).read_line(&mut said).expect("its first line");
            if said.trim() == "ready" {
                let server = Self { programs, folder, port, user, schemas: AtomicU32::new(0), watch };
                server.sql("CREATE DATABASE rebut");
                return server;
            }
            let log = fs::read_to_string(folder.join("log")).unwrap_or_default();
            assert!(log.contains("could not create any TCP/IP sockets"), "Postgres did not start: {log}");
            // The folder is needed once more, and its watch would remove it.
            let _ = watch.kill();
            let _ = watch.wait();
        }
        panic!("no port was free");
    }

    /// The address of the database, over a socket that needs no password.
    pub fn url(&self) -> String {
        format!("postgres://rebut@{}:{}/rebut", self.folder.display().to_string().replace('/', "%2F"), self.port)
    }

    /// The address over TCP, for a role with a password.
    pub fn tcp_url(&self, role: &str, password: &str) -> String {
        format!("postgres://{role}:{password}@localhost:{}/rebut", self.port)
    }

    pub fn port(&self) -> u16 {
        self.port
    }

    /// The name of a schema that no other test has.
    pub fn schema(&self) -> String {
        format!("test_{}", self.schemas.fetch_add(1, Ordering::Relaxed))
    }

    /// Runs statements as the superuser, and gives what they print: a row per line, columns parted by `|`.
    pub fn sql(&self, statements: &str) -> String {
        let database = if statements.starts_with("CREATE DATABASE") { "postgres" } else { "rebut" };
        let mut psql = Command::new(self.programs.join("psql"));
        psql.args(["-X", "-q", "-A", "-t", "-v", "ON_ERROR_STOP=1", "-U", "rebut", "-d", database, "-f", "-"]);
        psql.arg("-h").arg(&self.folder).args(["-p", &self.port.to_string()]).env_remove("PGOPTIONS");
        let psql = psql.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn();
        let mut psql = psql.expect("psql starts");
        psql.stdin.take().expect("its input").write_all(statements.as_bytes()).expect("the statements are read");
        let output = psql.wait_with_output().expect("psql ends");
        assert!(output.status.success(), "{statements}: {}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8_lossy(&output.stdout).trim_end().to_owned()
    }

    /// Ends the server as a crash does, and starts it again. Returns once it takes connections.
    pub fn restart(&self) {
        let mut restart = as_user(self.user, &self.programs.join("pg_ctl"));
        restart.arg("-D").arg(self.folder.join("data")).arg("-l").arg(self.folder.join("log"));
        restart.args(["-w", "-t", "600", "-m", "immediate", "restart"]).current_dir("/");
        // What it starts must not keep this process's output open.
        let status = restart.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).status();
        assert!(status.expect("pg_ctl starts").success(), "Postgres did not start again");
    }

    /// Writes a file into the server's folder that only the server can read.
    pub fn put(&self, name: &str, content: &str) -> PathBuf {
        let path = self.folder.join("data").join(name);
        fs::write(&path, content).expect("a file in the server's folder");
        fs::set_permissions(&path, fs::Permissions::from_mode(0o600)).expect("its mode");
        if let Some((user, group)) = self.user {
            chown(&path, Some(user), Some(group)).expect("its owner");
        }
        path
    }
}

impl Drop for Postgres {
    fn drop(&mut self) {
        // Waiting closes its input first.
        let _ = self.watch.wait();
    }
}

fn as_user(user: Option<(u32, u32)>, program: &Path) -> Command {
    let mut command = Command::new(program);
    if let Some((user, group)) = user {
        command.uid(user).gid(group);
    }
    // The developer's own database is not asked.
    for name in ["PGHOST", "PGPORT", "PGUSER", "PGDATABASE", "PGPASSWORD", "PGDATA"] {
        command.env_remove(name);
    }
    command
}

/// The folder of Postgres's programs.
fn programs() -> PathBuf {
    let named = std::env::var_os(VARIABLE).map(PathBuf::from);
    let path = std::env::var_os("PATH").unwrap_or_default();
    let versions = fs::read_dir("/usr/lib/postgresql").into_iter().flatten().flatten();
    let debian = versions.map(|version| version.path().join("bin"));
    let mut folders = named.into_iter().chain(std::env::split_paths(&path)).chain(debian);
    let found = folders.find_map(|folder| Some(folder.join("initdb").canonicalize().ok()?.parent()?.to_owned()));
    found.unwrap_or_else(|| {
        panic!(
            "Postgres is not installed, and the test needs it: install it (Debian, Ubuntu: apt install postgresql), or name \
             the folder of initdb in {VARIABLE}; scripts/test does either"
        )
    })
}
