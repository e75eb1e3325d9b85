//! The page of a debate: as a file, and as it is served, in a real browser where there is something to click.

mod browser;

use std::fmt::Write;

use browser::{Answered, Browser, request};
use rebut_fakes::{Running, Script, ScriptLine, TestEnv, postgres, verdict, with_block};
use rustix::process::Signal;
use serde_json::json;

use crate::detached::until_it_is;
use crate::review::{self, with_a_compromise};
use crate::{machine, machine_for};

const TOKEN: &str = "a-token-of-the-test";
pub(crate) const FLAGS: &str =
    "--tools script:debate.toml#north,script:debate.toml#south --judge script:debate.toml#bench --rounds 1";

/// A server that runs, and its address.
pub(crate) struct Server {
    running: Running,
    address: String,
}

impl Server {
    pub(crate) fn start(env: &TestEnv, port: &str) -> Self {
        let arguments = ["--json", "serve", "--no-open", "--port", port];
        let mut running = Running::start(env.command(arguments).env("REBUT_SERVE_TOKEN", TOKEN));
        let link = running.wait_for(|line| line["type"] == "serving")["link"].as_str().unwrap().to_owned();
        let address = link.strip_prefix("http://").unwrap().split('/').next().unwrap().to_owned();
        assert_eq!(link, format!("http://{address}/?token={TOKEN}"));
        Self { running, address }
    }

    fn port(&self) -> &str {
        self.address.rsplit(':').next().unwrap()
    }

    pub(crate) fn link(&self, path: &str) -> String {
        format!("http://{}{path}?token={TOKEN}", self.address)
    }

    fn get(&self, path: &str, headers: &[&str]) -> Answered {
        request(&self.address, "GET", path, headers, "")
    }

    /// The cookie that the link is exchanged for.
    fn cookie(&self) -> String {
        let answer = self.get(&format!("/?token={TOKEN}"), &[]);
        assert_eq!(answer.status, 303, "{}", answer.head);
        let line = answer.head.lines().find_map(|line| line.strip_prefix("set-cookie: ")).unwrap();
        for word in ["httponly", "samesite=strict"] {
            assert!(line.contains(word), "{line}");
        }
        format!("Cookie: {}", line.split(';').next().unwrap())
    }
}

/// The page of the only debate, before the link's token is taken off.
fn page_of(server: &Server, env: &TestEnv) -> String {
    server.link(&format!("/d/{}", env.debate().id))
}

#[test]
fn a_debate_is_planned_started_and_followed_to_its_verdict() {
    let script = Script::duel(1).everywhere("delay_ms", 300).everywhere("cost_usd", 0.25);
    let env = machine_for(&script);
    let server = Server::start(&env, "0");
    let Some(browser) = Browser::open(1400, 900) else { return };
    browser.go(&server.link("/"));
    browser.until("document.querySelector('#start')");
    browser.write("textarea[name=topic]", "Should the page be live?");
    browser.write("input[name=flags]", FLAGS);
    browser.click("#start [data-post=plan]");
    browser.until("document.querySelector('#start pre').textContent.includes('script:debate.toml#north')");
    assert!(!env.state().exists() || env.debates().is_empty(), "a plan starts nothing");
    browser.click("#start [data-post=start]");
    browser.until("location.pathname.startsWith('/d/')");
    browser.run("window.sameDocument = true");
    browser.until("document.querySelector('.headline').textContent.includes('wins')");
    browser.until("document.querySelector('.state').textContent === 'completed'");
    browser.until("/^[$]0[.][1-9]|^[$][1-9]/.test(document.querySelector('.cost').textContent)");
    let said = "['P1', 'C1', 'P1.1', 'C1.1', 'map', 'claims', 'ev-C1.1'].every((id) => document.getElementById(id))";
    browser.until(&format!("window.sameDocument && {said}"));
    // What is cited does not exist, which was found while the page was open.
    browser.until("document.getElementById('P1.1').querySelector('.mark').textContent === '✘'");
    for asked in browser.requests() {
        assert!(asked.starts_with(&format!("http://{}/", server.address)), "{asked}");
    }
}

#[test]
fn a_debate_is_cancelled_and_resumed_by_click_while_its_answer_arrives() {
    let partial = "It arrives word by word, and more comes.";
    let hanging = ScriptLine::hang().set("partial", partial).set("delay_ms", 2_000);
    let env = machine_for(&Script::duel(1).instead("round-1/challenger", [hanging]));
    let _ = env.duel(&["--detach", "--rounds", "1"]).exits(0);
    let server = Server::start(&env, "0");
    let Some(browser) = Browser::open(1400, 900) else { return };
    browser.go(&page_of(&server, &env));
    browser.until("document.querySelector('.arriving').textContent.startsWith('It arrives word')");
    browser.click("button[data-post=cancel]");
    browser.until("document.querySelector('.state').textContent === 'cancelled'");
    env.rewrite(&Script::duel(1));
    browser.click("button[data-post=resume]");
    browser.until("document.querySelector('.state').textContent === 'completed'");
    assert_eq!(env.debate().answers()["round-1/proposer"], 1, "nothing is paid for twice");
}

#[test]
fn a_choice_is_made_by_click() {
    let env = with_a_compromise();
    let _ = env.rebut(review::arguments(&["--mode", "manual", "--detach"])).exits(0);
    until_it_is(&env, "waiting");
    let server = Server::start(&env, "0");
    let Some(browser) = Browser::open(1400, 900) else { return };
    browser.go(&page_of(&server, &env));
    browser.until("document.querySelector('#choice form').textContent.includes('C recommended')");
    browser.click("#choice [value=C]");
    browser.until("document.querySelector('.state').textContent === 'completed'");
    browser.until("document.getElementById('choice').hidden && document.querySelector('#F1 .diff .added')");
}

#[test]
fn a_debate_is_judged_again_by_click_once_its_plan_is_seen() {
    let script = Script::duel(1).judged("verdict/2/judge-2", "challenger").priced("other", 2.0, 10.0);
    let env = machine_for(&script);
    let _ = env.duel(&["--rounds", "1"]).exits(0);
    let server = Server::start(&env, "0");
    let Some(browser) = Browser::open(1400, 900) else { return };
    browser.go(&page_of(&server, &env));
    browser.click("#rejudge summary");
    browser.write("#rejudge input[name=judges]", "script:debate.toml#other");
    browser.click("#rejudge [data-post='rejudge/plan']");
    browser.until(
        "/judge-2 script:debate.toml#other[^]*2 calls[^]*[$]0[.]/.test(document.querySelector('#rejudge pre').innerText)",
    );
    assert_eq!(env.debate().answers().len(), 4, "a plan asks nobody");
    browser.click("#rejudge [data-post='rejudge']");
    browser.until("document.querySelectorAll('.ballot').length === 4 && document.querySelector('#rejudge summary')");
    browser.until("document.querySelector('.firmness').innerText === 'Firm 4 of 4 ballots agree'");
    let _ = env.rebut(["show", "last"]).exits(0).shows("script:debate.toml#other (challenger shown first): challenger");
}

#[test]
fn an_open_page_outlives_its_server_and_is_sent_what_it_lacks() {
    let env = machine_for(&Script::duel(1).instead("round-1/challenger", [ScriptLine::hang()]));
    let _ = env.duel(&["--detach", "--rounds", "1"]).exits(0);
    let mut server = Server::start(&env, "0");
    let Some(browser) = Browser::open(1400, 900) else { return };
    browser.go(&page_of(&server, &env));
    browser.until("document.querySelector('.call')");
    browser.run("window.sameDocument = true");
    server.running.signal(Signal::KILL);
    browser.until("!document.querySelector('.link-state').hidden");
    let _ = env.rebut(["cancel", "last"]).exits(0);
    until_it_is(&env, "cancelled");
    env.rewrite(&Script::duel(1));
    let _ = env.rebut(["resume", "last"]).exits(0);
    let port = server.port().to_owned();
    server = Server::start(&env, &port);
    browser.until("document.querySelector('.state').textContent === 'completed'");
    browser.until("window.sameDocument && document.getElementById('C1') && document.querySelector('.link-state').hidden");
    // What a browser has, it is not sent again.
    let first_event = |last: &str| {
        browser.run(&format!(
            "return fetch(document.body.dataset.path + '/events', {{ headers: {{ 'Last-Event-ID': {last} }} }}).then(async \
             (answer) => {{ const reader = answer.body.getReader(); const decoder = new TextDecoder(); let text = ''; \
             while (!text.includes('\\n\\n')) text += decoder.decode((await reader.read()).value, {{ stream: true }}); \
             reader.cancel(); return text }})"
        ))
    };
    let (all, rest) = (first_event("'1'"), first_event("'999'"));
    let (all, rest) = (all.as_str().unwrap(), rest.as_str().unwrap());
    assert!(all.contains("event: change") && all.contains("P1.1") && !rest.contains("P1.1"), "{rest}");
    assert!(rest.contains("event: change") && rest.contains("completed"), "{rest}");
    drop(server);
}

#[test]
fn hostile_text_executes_nothing_and_breaks_no_layout() {
    let hack = "</script><script>window.hacked = 1</script><img src=x onerror='window.hacked = 1'>";
    let (long, longer) = ("x".repeat(20_000), format!("{hack} and on ").repeat(50_000));
    let body = format!(
        "{hack}\n\n[link](javascript:window.hacked=1) [mail](mailto:a@b.c) \u{202e}gnp.exe\u{1b}[31m {long} {longer}"
    );
    let name = "<svg onload=window.hacked=1>.md";
    let evidence = json!([{ "file": name, "lines": "1", "quote": "</script><script>window.hacked = 2</script>" }]);
    let block = json!({ "position": hack, "claims": [{ "text": format!("{hack} {long}"), "evidence": evidence }] });
    let reasoning = verdict("challenger").replace("brought the better evidence", &hack.replace('"', "'"));
    let script = Script::duel(1)
        .instead("round-1/proposer", [ScriptLine::text(with_block(&body, &block))])
        .instead("verdict", [ScriptLine::text(reasoning)]);
    let env = machine_for(&script);
    env.write(name, "</script><script>window.hacked = 2</script>\n");
    let mut topic = format!("{hack} \u{202e}\u{1b}[31m ");
    while topic.len() < 380_000 {
        write!(topic, "{hack} a topic without end ").unwrap();
    }
    let seats = env.duel_arguments(&["--rounds", "1"]);
    let arguments = ["duel", "-"].into_iter().chain(seats.into_iter().skip(2));
    let _ = env.rebut_reading(topic.as_bytes(), arguments).exits(0);
    let file = env.root().join("page.html");
    let _ = env.rebut(["export", "last", "--as", "html", "-o", file.to_str().unwrap()]).exits(0);
    let server = Server::start(&env, "0");
    for width in [360, 1400] {
        let Some(browser) = Browser::open(1400, 900) else { return };
        let size = json!({ "width": width, "height": 900, "deviceScaleFactor": 1, "mobile": false });
        let _ = browser.devtools("Emulation.setDeviceMetricsOverride", &size);
        for address in [format!("file://{}", file.display()), page_of(&server, &env)] {
            browser.go(&address);
            browser.until("document.getElementById('P1.1') && document.querySelector('.excerpt .meant')");
            let state = browser.run(
                "return { hacked: window.hacked === undefined, images: document.images.length, \
                 scripts: document.scripts.length, wide: document.documentElement.scrollWidth - innerWidth, \
                 links: [...document.links].filter((a) => !/^(https?|mailto|file):/.test(a.href)).length, \
                 turned: /[\\u202e\\u001b]/.test(document.body.textContent) }",
            );
            let wide = state["wide"].as_i64().unwrap();
            assert!(wide <= 0, "{address} at {width}: {wide} too wide");
            let expected = json!({ "hacked": true, "images": 0, "scripts": 1, "wide": wide, "links": 0, "turned": false });
            assert_eq!(state, expected, "{address}");
            for asked in browser.requests() {
                assert!(asked.starts_with(&format!("http://{}/", server.address)), "{asked}");
            }
        }
    }
}

#[test]
fn filters_search_and_keys_work_in_a_file() {
    let env = machine_for(&Script::duel(2));
    let _ = env.duel(&["--rounds", "2"]).exits(0);
    let file = env.root().join("page.html");
    let _ = env.rebut(["export", "last", "--as", "html", "-o", file.to_str().unwrap()]).exits(0);
    let text = std::fs::read_to_string(&file).unwrap();
    assert!(text.len() < 300_000 && !text.contains("unsafe-inline"), "{} bytes", text.len());
    let Some(browser) = Browser::open(1400, 900) else { return };
    browser.go(&format!("file://{}#C2", file.display()));
    browser.until("document.querySelector(':target').id === 'C2'");
    browser.click("#rounds [data-filter^='speaker:Proposer']");
    browser.until("document.getElementById('C1').hidden && !document.getElementById('P1').hidden");
    browser.until("new URLSearchParams(location.search).get('f').startsWith('speaker:Proposer')");
    // A link leads to what is filtered away.
    browser.run("const link = document.querySelector('a[href=\"#C1\"]'); link.dispatchEvent(new MouseEvent('click', { bubbles: true, cancelable: true }))");
    browser.until("!document.getElementById('C1').hidden");
    browser.write("#search", "challenger in round 2");
    browser.until("document.getElementById('P1').hidden && !document.getElementById('C2').hidden");
    browser.run("document.getElementById('search').value = ''; document.getElementById('search').dispatchEvent(new Event('input', { bubbles: true }))");
    browser.until("!document.getElementById('P1').hidden");
    let press = |key: &str| {
        browser.run(&format!("document.body.dispatchEvent(new KeyboardEvent('keydown', {{ key: '{key}', bubbles: true }}))"))
    };
    browser.run("document.getElementById('P1').focus()");
    press("n");
    browser.until("document.activeElement.id === 'C1'");
    press("p");
    browser.until("document.activeElement.id === 'P1'");
    // The map leads to statements; the list below it has the same claims for the keyboard.
    browser.click("#map .node[href='#C2']");
    browser.until("location.hash === '#C2' && document.querySelector(':target').id === 'C2'");
    browser.run("document.querySelector('.tree summary').focus()");
    browser.until(
        "[...document.querySelectorAll('.tree li > a')].map((link) => link.textContent).sort().join() === 'C1.1,C2.1,P1.1,P2.1'",
    );
    let _ = browser.devtools("Emulation.setEmulatedMedia", &json!({ "media": "print" }));
    browser.run("dispatchEvent(new Event('beforeprint'))");
    browser.until("getComputedStyle(document.querySelector('nav')).display === 'none'");
    browser.until("[...document.querySelectorAll('details')].every((details) => details.open)");
}

#[test]
fn only_the_browser_with_the_link_is_answered() {
    let env = machine_for(&Script::duel(1));
    let _ = env.duel(&["--rounds", "1"]).exits(0);
    let server = Server::start(&env, "0");
    let (cookie, own) = (server.cookie(), format!("Origin: http://{}", server.address));
    let path = format!("/d/{}", env.debate().id);
    for (headers, status) in [
        (vec![], 401),
        (vec![cookie.as_str()], 200),
        (vec!["Cookie: rebut-1=x"], 401),
        (vec![cookie.as_str(), "Host: rebound.example"], 421),
        (vec![cookie.as_str(), "Origin: http://evil.example"], 403),
    ] {
        let answer = server.get(&path, &headers);
        assert_eq!(answer.status, status, "{headers:?}");
        for line in ["x-frame-options: deny", "frame-ancestors 'none'", "cache-control: no-store"] {
            assert!(answer.head.contains(line), "{}", answer.head);
        }
        assert_eq!(
            answer.body.contains("had the stronger case") || answer.body.contains("class=\"headline\""),
            status == 200
        );
    }
    assert_eq!(server.get("/?token=another-token-1234", &[]).status, 403);
    let unknown = server.get("/d/%3Cscript%3E", &[&cookie]);
    assert!(unknown.status == 404 && unknown.body.contains("no such debate: &lt;script&gt;"), "{}", unknown.body);
    let json = "Content-Type: application/json";
    for (origin, status) in [(None, 403), (Some("Origin: http://evil.example"), 403), (Some(own.as_str()), 422)] {
        let headers: Vec<&str> = [cookie.as_str(), json].into_iter().chain(origin).collect();
        let answer = request(&server.address, "POST", &format!("{path}/cancel"), &headers, "{}");
        assert_eq!(answer.status, status, "{origin:?}: {}", answer.body);
    }
}

#[test]
fn other_addresses_need_a_token_of_the_user() {
    let env = machine();
    let _ = env.rebut(["serve", "--no-open", "--listen", "0.0.0.0"]).exits(2).says("requires a token of your own");
    let short = env.rebut_with("REBUT_SERVE_TOKEN", "short", ["serve", "--no-open"]);
    let _ = short.exits(2).says("REBUT_SERVE_TOKEN needs at least 16");
}

#[test]
fn quoted_lines_of_a_debate_in_a_database_are_shown_on_a_machine_without_them() {
    let evidence = json!([{ "file": "limits.md", "lines": "2" }]);
    let block = json!({ "position": "Yes", "claims": [{ "text": "Forty are enough", "evidence": evidence }] });
    let script = Script::duel(1).instead("round-1/proposer", [ScriptLine::text(with_block("Forty.", &block))]);
    let env = machine_for(&script).set("REBUT_STORE", postgres().url()).set("REBUT_STORE_SCHEMA", postgres().schema());
    env.write("limits.md", "Connections:\nat most forty of them\n");
    let _ = env.duel(&["--rounds", "1"]).exits(0);
    std::fs::remove_dir_all(env.state()).unwrap();
    let quoted = "<span class=\"meant\"><i>2</i> at most forty of them</span>";
    let page = env.rebut(["open", "last"]).exits(0).stdout;
    assert!(std::fs::read_to_string(page.trim()).unwrap().contains(quoted));
    let server = Server::start(&env, "0");
    let cookie = server.cookie();
    let list = server.get("/", &[&cookie]).body;
    let path = list.split('"').find(|part| part.starts_with("/d/")).unwrap_or_else(|| panic!("{list}"));
    assert!(server.get(path, &[&cookie]).body.contains(quoted));
}

#[test]
fn a_page_without_its_pinned_files_says_so() {
    let env = machine_for(&Script::duel(1));
    let _ = env.duel(&["--rounds", "1"]).exits(0);
    let debate = env.debate();
    std::fs::remove_file(debate.kept.join(debate.pack().unwrap())).unwrap();
    let _ = env.rebut(["export", "last", "--as", "html"]).exits(0).shows("No lines of files are shown: failed to read");
}

#[test]
fn a_page_is_opened_from_its_file() {
    let env = machine_for(&Script::duel(1));
    let _ = env.duel(&["--rounds", "1"]).exits(0);
    let run = env.rebut(["open", "last"]).exits(0).says("xdg-open is not installed: open the file yourself");
    let page = std::fs::read_to_string(run.stdout.trim()).unwrap();
    assert!(page.contains("class=\"headline\"") && page.contains("Content-Security-Policy"));
    env.install_script("xdg-open", &format!("echo \"$1\" > {}", env.root().join("opened").display()));
    let _ = env.rebut(["open", "last"]).exits(0);
    let opened = env.root().join("opened");
    crate::until("the browser", || std::fs::read_to_string(&opened).is_ok_and(|opened| opened == run.stdout));
}
