//! Pages on the web through the built program: fetched only where that is asked for, once, and never again.

use rebut_fakes::{FileServer, Reply, Script, ScriptLine, TestEnv};

use crate::{machine, machine_for};

const PAGE: &str = "<title>Bench</title><p>Encoding JSON took 41 percent of the time.</p><p>It ran on 16 cores.</p>";
const OPENING: &str = r#"JSON is slow.

```json
{"claims": [{"text": "it takes 41 % of the time", "evidence": [{"url": "http://docs.example.com/bench"}]},
            {"text": "it ran on many cores", "evidence": [{"url": "http://docs.example.com/bench", "quote": "It ran on 32 cores."}]},
            {"text": "an inner page says so", "evidence": [{"url": "http://127.0.0.1:9/metrics"}]},
            {"text": "a page that is gone says so", "evidence": [{"url": "http://docs.example.com/gone"}]}]}
```"#;
const ANSWER: &str = r#"No.

```json
{"claims": [{"text": "few cores", "evidence": [{"url": "http://docs.example.com/bench", "quote": "It ran on 16 cores."}]}]}
```"#;

fn server() -> FileServer {
    let page = Reply::file(PAGE.as_bytes()).header("content-type", "text/html").without_ranges();
    FileServer::start().with("/bench", &[page])
}

/// A machine on which `docs.example.com` is the server.
fn beside(server: &FileServer) -> TestEnv {
    let script = Script::duel(1);
    let script = script.instead("round-1/proposer", [ScriptLine::text(OPENING)]);
    let script = script.instead("round-1/challenger", [ScriptLine::text(ANSWER)]);
    let names = format!("docs.example.com={}", server.at("").trim_start_matches("http://"));
    machine_for(&script).set("REBUT_TEST_SOURCES", names)
}

fn asked(server: &FileServer) -> Vec<String> {
    let mut paths: Vec<String> = server.asked().into_iter().map(|asked| asked.path).collect();
    paths.sort();
    paths
}

#[test]
fn a_page_that_is_cited_is_fetched_and_its_mark_stands_beside_it() {
    let server = server();
    let env = beside(&server);
    let run = env.duel(&["--rounds", "1", "--fetch-sources"]).exits(0);
    let run = run.says("REBUT_TEST_SOURCES is set, which is for tests");
    let run = run.shows("✘ http://docs.example.com/bench \"It ran on 32 cores.\": quote not found; the nearest words are");
    let run = run.shows("? http://127.0.0.1:9/metrics: its host has a loopback address, and was not asked");
    let run = run.shows("✘ http://docs.example.com/gone: its host has no such page (404)");
    let _ = run.shows("✔ http://docs.example.com/bench \"It ran on 16 cores.\": quote found");
    assert_eq!(asked(&server), ["/bench", "/gone"]);
    let prompt = env.debate().prompt("round-1/challenger");
    assert!(prompt.contains("✘ http://docs.example.com/gone: its host has no such page (404)"), "{prompt}");
    assert!(prompt.contains("or a `url` with a `quote`"), "{prompt}");
    let _ = env.rebut(["show", "--verify"]).exits(0);
    let _ = env.rebut(["replay"]).exits(0).shows("✔ http://docs.example.com/bench: ");
    assert_eq!(asked(&server), ["/bench", "/gone"], "looking at a debate asks nobody");
}

#[test]
fn without_the_flag_nobody_is_asked() {
    let server = server();
    let env = beside(&server);
    let run = env.duel(&["--rounds", "1"]).exits(0);
    let run = run.shows("? http://docs.example.com/bench: web pages are not fetched; --fetch-sources turns that on");
    assert!(!run.stderr.contains("REBUT_TEST_SOURCES"), "{run}");
    assert_eq!(asked(&server), [""; 0]);
}

#[test]
fn a_resumed_debate_does_not_fetch_a_page_again() {
    let server = server();
    let env = beside(&server);
    // Planned, started, answered, checked: the process is killed right behind the check.
    env.duel_with_fault("kill-after:3", &["--rounds", "1", "--fetch-sources"]).was_killed();
    assert_eq!(env.debate().of_kind("checked").len(), 1);
    assert_eq!(asked(&server), ["/bench", "/gone"]);
    let run = env.rebut(["resume"]).exits(0);
    let _ = run.shows("✔ http://docs.example.com/bench \"It ran on 16 cores.\": quote found");
    assert_eq!(asked(&server), ["/bench", "/gone"], "the challenger's page was known");
}

#[test]
fn a_long_page_is_kept_beside_the_journal_and_not_told_line_by_line() {
    let long = format!("<p>{}</p>{PAGE}", "words and more words. ".repeat(2_000));
    let page = Reply::file(long.as_bytes()).header("content-type", "text/html").without_ranges();
    let server = FileServer::start().with("/bench", &[page]);
    let env = beside(&server);
    let run = env.duel(&["--rounds", "1", "--fetch-sources", "--json"]).exits(0);
    let checked = run.json_lines().into_iter().find(|line| line["happening"]["kind"] == "checked").unwrap();
    let pages = checked["happening"]["pages"].as_array().unwrap();
    let page = &pages.iter().find(|page| page["url"] == "http://docs.example.com/bench").unwrap()["fetched"];
    assert_eq!((page["kind"].as_str(), page.get("text")), (Some("read"), None), "{page}");
    assert!(page["bytes"].as_u64().unwrap() > 40_000, "{page}");
    let journal = String::from_utf8(env.debate().bytes()).unwrap();
    assert!(!journal.contains("words and more words"));
    let _ = env.rebut(["show", "--verify"]).exits(0);
}

#[test]
fn the_users_config_may_say_so_and_a_projects_may_not() {
    let server = server();
    let env = beside(&server);
    env.user_config("[evidence]\nfetch_sources = true\n");
    let _ = env.duel(&["--dry-run"]).exits(0).shows("  fetches     cited web pages");
    env.write(".rebut/config.toml", "[evidence]\nfetch_sources = true\n");
    let _ = env.duel(&["--dry-run"]).exits(2).says("`evidence.fetch_sources` in ").says("is not a project's to set");
    assert_eq!(asked(&server), [""; 0]);
}

#[test]
fn any_text_can_be_verified_with_its_pages() {
    let server = server();
    let env = beside(&server);
    env.write("good.md", "JSON takes most of the time (http://docs.example.com/bench).\n");
    env.write("bad.md", "JSON takes most of the time (http://docs.example.com/gone).\n");
    let run = env.rebut(["verify", "--fetch-sources", "good.md"]).exits(0);
    let _ = run.shows("1: ✔ http://docs.example.com/bench: page exists (no quote to check)");
    let run = env.rebut(["verify", "--fetch-sources", "bad.md"]).exits(1);
    let _ = run.shows("1: ✘ http://docs.example.com/gone: its host has no such page (404)");
    let run = env.rebut(["verify", "bad.md"]).exits(0);
    let _ = run.shows("web pages are not fetched; --fetch-sources turns that on");
}

#[test]
fn a_table_of_names_that_is_none_is_refused() {
    let env = machine().set("REBUT_TEST_SOURCES", "docs.example.com");
    env.write("text.md", "nothing");
    let run = env.rebut(["verify", "--fetch-sources", "text.md"]).exits(2);
    let _ = run.says("REBUT_TEST_SOURCES: `docs.example.com` is not NAME=NUMBER or NAME=NUMBER:PORT");
}
