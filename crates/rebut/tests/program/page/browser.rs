//! A real browser: Chromium, driven over WebDriver by one chromedriver for all tests of a program.
//!
//! `REBUT_TEST_BROWSER=skip` leaves these tests out; `scripts/test` says so in its summary.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::os::unix::process::CommandExt;
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use tempfile::TempDir;

/// An answer to a request over HTTP.
#[derive(Clone, Debug)]
pub(super) struct Answered {
    pub(super) status: u16,
    /// The head, in lower case.
    pub(super) head: String,
    pub(super) body: String,
}

/// Sends one request to a server on this machine. `headers` are whole lines.
pub(super) fn request(address: &str, method: &str, path: &str, headers: &[&str], body: &str) -> Answered {
    let mut stream = TcpStream::connect(address).unwrap();
    let named = headers.iter().any(|line| line.to_lowercase().starts_with("host:"));
    let host = if named { String::new() } else { format!("Host: {address}\r\n") };
    let lines: String = headers.iter().flat_map(|line| [line, "\r\n"]).collect();
    let head =
        format!("{method} {path} HTTP/1.1\r\n{host}{lines}Content-Length: {}\r\nConnection: close\r\n\r\n", body.len());
    stream.write_all(format!("{head}{body}").as_bytes()).unwrap();
    let mut reader = BufReader::new(stream);
    let mut head = String::new();
    while !head.ends_with("\r\n\r\n") {
        let read = reader.read_line(&mut head).unwrap();
        assert!(read > 0, "the answer ended in its head: {head}");
    }
    let status = head.split(' ').nth(1).and_then(|status| status.parse().ok()).unwrap();
    let head = head.to_lowercase();
    // Not every server closes the connection that it was asked to close.
    let length = head.lines().find_map(|line| line.strip_prefix("content-length:")?.trim().parse().ok());
    let mut body = vec![0; length.unwrap_or(0)];
    match length {
        Some(_) => reader.read_exact(&mut body),
        None => reader.read_to_end(&mut body).map(drop),
    }
    .unwrap();
    Answered { status, head, body: String::from_utf8_lossy(&body).into_owned() }
}

/// A window of a browser with a profile of its own. It is closed when this is dropped.
pub(super) struct Browser {
    session: String,
    _profile: TempDir,
    /// A machine that runs many tests at once has no room for many browsers.
    _turn: MutexGuard<'static, ()>,
}

static TURN: Mutex<()> = Mutex::new(());

struct Driver {
    address: String,
    /// When this process ends, however it does, this pipe closes, and the driver's whole group is ended.
    _ends_with_us: ChildStdin,
    _shell: Child,
}

impl Driver {
    fn shared() -> &'static Self {
        static DRIVER: OnceLock<Driver> = OnceLock::new();
        DRIVER.get_or_init(|| {
            let mut command = Command::new("/bin/sh");
            command.args(["-c", "chromedriver --port=0 2>&1 <&- & cat >/dev/null; kill -TERM 0; sleep 1; kill -KILL 0"]);
            let mut child = command.process_group(0).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
            let pipe = child.stdin.take().unwrap();
            let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
            let port = lines.find_map(|line| {
                let line = line.ok()?;
                line.strip_suffix('.')?.strip_prefix("ChromeDriver was started successfully on port ").map(str::to_owned)
            });
            let port =
                port.unwrap_or_else(|| panic!("chromedriver is not installed: apt-get install chromium chromium-driver"));
            // Read on, so that the driver never waits for a reader.
            std::thread::spawn(move || lines.for_each(drop));
            Self { address: format!("127.0.0.1:{port}"), _ends_with_us: pipe, _shell: child }
        })
    }
}

impl Browser {
    /// A browser with a window of this size; none where the user leaves these tests out.
    pub(super) fn open(width: u32, height: u32) -> Option<Self> {
        if std::env::var("REBUT_TEST_BROWSER").is_ok_and(|wish| wish == "skip") {
            return None;
        }
        let turn = TURN.lock().unwrap_or_else(PoisonError::into_inner);
        let profile = tempfile::tempdir().unwrap();
        let size = format!("--window-size={width},{height}");
        let folder = format!("--user-data-dir={}", profile.path().display());
        let flags = "--headless --no-sandbox --disable-gpu --disable-quic --no-first-run --disable-component-update \
                     --disable-background-networking --disable-sync --disable-dev-shm-usage";
        let flags: Vec<&str> = flags.split(' ').chain([size.as_str(), &folder]).collect();
        let wanted = json!({ "capabilities": { "alwaysMatch": {
            "browserName": "chrome", "goog:chromeOptions": { "args": flags }, "goog:loggingPrefs": { "performance": "ALL" },
            "unhandledPromptBehavior": "dismiss",
        } } });
        let created = call("POST", "/session", &wanted);
        let session = created["sessionId"].as_str().unwrap_or_else(|| panic!("no browser: {created}")).to_owned();
        Some(Self { session, _profile: profile, _turn: turn })
    }

    pub(super) fn go(&self, address: &str) {
        self.post("url", &json!({ "url": address }));
    }

    /// What a script returns.
    pub(super) fn run(&self, script: &str) -> Value {
        self.post("execute/sync", &json!({ "script": script, "args": [] }))
    }

    /// Waits until an expression is true.
    #[track_caller]
    pub(super) fn until(&self, expression: &str) {
        let began = Instant::now();
        while self.run(&format!("return Boolean({expression})")) != true {
            if began.elapsed() > Duration::from_mins(1) {
                let text = self.run("return location.href + '\\n' + document.body.innerText.slice(0, 3000)");
                panic!("waited in vain: {expression}\n{}", text.as_str().unwrap_or_default());
            }
            std::thread::sleep(Duration::from_millis(20));
        }
    }

    /// Clicks what a selector finds, as a user does.
    #[track_caller]
    pub(super) fn click(&self, selector: &str) {
        let shown = format!(
            "(() => {{ const found = document.querySelector({}); if (found) found.scrollIntoView({{ block: 'center' }}); \
             return found; }})()",
            json!(selector)
        );
        let began = Instant::now();
        loop {
            self.until(&shown);
            // A page that changes may replace it just now.
            let click = format!("/session/{}/element/{}/click", self.session, self.find(selector));
            match try_call("POST", &click, &json!({})) {
                Ok(_) => return,
                Err(why) => assert!(began.elapsed() < Duration::from_mins(1), "{why}"),
            }
        }
    }

    /// Types into what a selector finds.
    #[track_caller]
    pub(super) fn write(&self, selector: &str, text: &str) {
        self.post(&format!("element/{}/value", self.find(selector)), &json!({ "text": text }));
    }

    /// A command of the browser's own protocol.
    pub(super) fn devtools(&self, command: &str, parameters: &Value) -> Value {
        self.post("goog/cdp/execute", &json!({ "cmd": command, "params": parameters }))
    }

    /// Every address on a network that anything was asked of since the last look.
    pub(super) fn requests(&self) -> Vec<String> {
        let log = self.post("se/log", &json!({ "type": "performance" }));
        let entries = log.as_array().into_iter().flatten().filter_map(|entry| entry["message"].as_str());
        let messages = entries.filter_map(|message| serde_json::from_str::<Value>(message).ok());
        let sent = messages.filter(|message| message["message"]["method"] == "Network.requestWillBeSent");
        let asked = sent.filter_map(|sent| Some(sent["message"]["params"]["request"]["url"].as_str()?.to_owned()));
        asked.filter(|address| ["http", "ws", "ftp"].iter().any(|scheme| address.starts_with(scheme))).collect()
    }

    fn find(&self, selector: &str) -> String {
        let found = self.post("element", &json!({ "using": "css selector", "value": selector }));
        let id = found.as_object().and_then(|found| found.values().next()?.as_str());
        id.unwrap_or_else(|| panic!("{selector}: {found}")).to_owned()
    }

    fn post(&self, what: &str, body: &Value) -> Value {
        call("POST", &format!("/session/{}/{what}", self.session), body)
    }
}

impl Drop for Browser {
    fn drop(&mut self) {
        call("DELETE", &format!("/session/{}", self.session), &json!({}));
    }
}

fn call(method: &str, path: &str, body: &Value) -> Value {
    try_call(method, path, body).unwrap_or_else(|why| {
        // A test that ends with its own reason still closes its browser.
        assert!(std::thread::panicking(), "{why}");
        Value::Null
    })
}

fn try_call(method: &str, path: &str, body: &Value) -> Result<Value, String> {
    let body = if method == "DELETE" { String::new() } else { body.to_string() };
    let answer = request(&Driver::shared().address, method, path, &["Content-Type: application/json"], &body);
    let mut value: Value = serde_json::from_str(&answer.body).unwrap_or_default();
    let value = value["value"].take();
    if answer.status == 200 {
        return Ok(value);
    }
    Err(format!("{method} {path}: {} {}", answer.status, value["message"].as_str().unwrap_or_default()))
}
