//! What a client must not get: files outside its folders, what is in them, other workspaces' debates, and the server's end.

use std::io::{BufRead, BufReader, Write};
use std::process::Stdio;

use rebut_fakes::{DebateFolder, Script, TestEnv};
use rmcp::model::ReadResourceRequestParams;
use serde_json::{Value, json};

use super::{Client, block_on, duel, text, with};

// Put together here, so that no scanner takes this file for a leak.
const KEYS: &str = concat!(
    "[default]\naws_access_key_",
    "id = AK",
    "IAIOSFODNN7EXAMPLE\naws_secret_access_",
    "key = wJalrXUtnFE",
    "MIK7MDENG\n"
);

/// A machine with a folder beside its workspace that holds keys and a lineup.
fn beside_a_secret() -> TestEnv {
    let env = with(&Script::duel(1));
    env.write("../elsewhere/credentials", KEYS);
    env
}

#[test]
fn an_error_quotes_nothing_of_a_file() {
    let env = with(&Script::duel(1));
    env.write("keys.toml", KEYS);
    env.write("keys.json", json!({ "SECRET": "wJalrXUtnFEMIK7MDENG" }).to_string());
    block_on(async {
        let client = Client::of(&env).await;
        for wish in [
            duel(&json!({ "judge": "script:keys.toml" })),
            json!({ "format": "panel", "topic": "X?", "debaters": "keys.toml" }),
            json!({ "format": "panel", "topic": "X?", "debaters": "keys.json" }),
        ] {
            let result = client.call("debate_start", wish.clone()).await;
            assert_eq!(result.is_error, Some(true), "{wish}");
            let told = text(&result);
            assert!(told.contains("keys.") && told.contains("line "), "{told}");
            for secret in ["AKIA", "wJalr", "SECRET", "aws_"] {
                assert!(!told.contains(secret), "{told}");
            }
        }
        client.close().await;
    });
}

#[test]
fn files_and_folders_stay_inside_the_clients_own() {
    let env = beside_a_secret();
    let outside = env.workspace().join("../elsewhere").canonicalize().unwrap();
    let file = outside.join("credentials").display().to_string();
    std::os::unix::fs::symlink(&outside, env.workspace().join("link")).unwrap();
    std::fs::create_dir(env.workspace().join("a,..")).unwrap();
    block_on(async {
        let client = Client::of(&env).await;
        for wish in [
            duel(&json!({ "judge": format!("script:{file}") })),
            duel(&json!({ "judge": "script:../elsewhere/credentials#x" })),
            duel(&json!({ "judge": "script:link/credentials" })),
            duel(&json!({ "judge": "script:a,../../../elsewhere/credentials" })),
            duel(&json!({ "context": [format!("file={file}")] })),
            duel(&json!({ "folder": outside })),
            json!({ "format": "review", "scope": format!("file:{file}") }),
            json!({ "format": "panel", "topic": "X?", "debaters": file }),
            json!({ "format": "ask", "topic": "X?", "partners": ["claude", format!("script:{file}")] }),
            json!({ "arguments": format!("X? --context file={file}") }),
            json!({ "arguments": format!("review --artifact-file {file}") }),
            json!({ "arguments": format!("panel X? --out {}", outside.display()) }),
            json!({ "arguments": format!("X? --tools claude,script:{file}") }),
            json!({ "arguments": format!("claude vs script:{file} about shipping") }),
            json!({ "topic": format!("script:{file} vs claude about shipping") }),
        ] {
            let result = client.call("debate_start", wish.clone()).await;
            assert_eq!(result.is_error, Some(true), "{wish}");
            assert!(text(&result).contains("is outside the folders of this client"), "{wish}: {}", text(&result));
        }
        let cited = client.call("verify", json!({ "text": "`credentials:1`", "folder": outside })).await;
        assert!(text(&cited).contains("is outside the folders of this client"), "{}", text(&cited));
        client.close().await;
    });
    assert!(env.debates().is_empty(), "nothing was begun");
}

#[test]
fn files_that_keys_are_kept_in_are_refused_to_a_client_and_not_to_the_user() {
    let env = with(&Script::duel(1));
    env.write(".env", "WORD=mine\n");
    std::os::unix::fs::symlink(".env", env.workspace().join("notes.md")).unwrap();
    block_on(async {
        let client = Client::of(&env).await;
        for wish in [
            duel(&json!({ "context": ["file=.env"] })),
            duel(&json!({ "context": ["file=notes.md"] })),
            json!({ "arguments": "review --artifact-file .env" }),
            json!({ "format": "review", "scope": "file:.env" }),
        ] {
            let result = client.call("debate_start", wish.clone()).await;
            assert_eq!(result.is_error, Some(true), "{wish}");
            assert!(text(&result).contains("named like a file with secrets"), "{wish}: {}", text(&result));
        }
        client.close().await;
    });
    let _ = env.duel(&["--rounds", "1", "--dry-run", "--context", "file=.env"]).exits(0);
}

#[test]
fn a_host_starts_nothing_by_a_slip_and_gives_no_trust() {
    let env = with(&Script::duel(1));
    block_on(async {
        let client = Client::of(&env).await;
        for (words, why) in [
            ("rm last", "does not read like a topic"),
            ("exprt last", "does not read like a topic"),
            ("Should we ship? --trust-project-prompts", "is not available here"),
            ("Should we ship? --allow-checks=revised", "is not available here"),
        ] {
            let refused = client.call("debate_start", json!({ "arguments": words })).await;
            assert!(refused.is_error == Some(true) && text(&refused).contains(why), "{words}: {}", text(&refused));
        }
        client.close().await;
    });
    assert!(env.debates().is_empty(), "nothing was begun");
}

#[test]
fn the_roots_of_a_client_are_its_own_too() {
    let env = with(&Script::duel(1));
    let root = env.workspace().join("../elsewhere");
    env.write("../elsewhere/seats.toml", Script::duel(1).to_toml());
    let root = root.canonicalize().unwrap();
    block_on(async {
        let uri = format!("file://{}", root.display());
        let client = Client::with_roots(&env, vec![uri]).await;
        let standing = client.told("debate_start", duel(&json!({ "folder": root }))).await;
        assert_eq!(standing["status"], "completed", "{standing}");
        client.close().await;
    });
    assert_eq!(env.debate().plan()["workspace"], root.display().to_string());
}

#[test]
fn only_the_workspaces_own_debates_are_listed_told_and_stopped() {
    let env = with(&Script::duel(1));
    let _ = env.duel(&["--rounds", "1"]).exits(0);
    env.write("../elsewhere/debate.toml", Script::duel(1).to_toml());
    let elsewhere = env.workspace().join("../elsewhere").canonicalize().unwrap();
    let mut command = env.command(env.duel_arguments(&["--rounds", "1"]));
    assert!(command.current_dir(&elsewhere).output().unwrap().status.success());
    let is_other = |debate: &DebateFolder| debate.plan()["workspace"] == elsewhere.display().to_string();
    let (other, own): (Vec<DebateFolder>, Vec<DebateFolder>) = env.debates().into_iter().partition(is_other);
    let (own, other) = (own[0].id.clone(), other[0].id.clone());
    block_on(async {
        let client = Client::of(&env).await;
        let listed = client.service.list_all_resources().await.unwrap();
        assert_eq!(listed.len(), 2);
        assert!(listed.iter().all(|resource| resource.uri.contains(&own)), "{listed:?}");
        let read = |id: &str| ReadResourceRequestParams::new(format!("rebut://debates/{id}/transcript"));
        assert!(client.service.read_resource(read(&own)).await.is_ok());
        let refused = client.service.read_resource(read(&other)).await.unwrap_err().to_string();
        assert!(refused.contains("belongs to another workspace"), "{refused}");
        let debates = client.told("debate_list", json!({})).await;
        assert_eq!(debates["debates"].as_array().unwrap().len(), 1, "{debates}");
        for tool in ["debate_status", "debate_result", "debate_cancel"] {
            let refused = client.call(tool, json!({ "id": other })).await;
            assert!(text(&refused).contains("belongs to another workspace"), "{tool}: {}", text(&refused));
        }
        let onwards = client.call("debate_start", json!({ "format": "cross", "from": other })).await;
        assert!(text(&onwards).contains("belongs to another workspace"), "{}", text(&onwards));
        client.close().await;
    });
}

#[test]
fn what_is_too_long_or_too_deep_is_answered_with_an_error() {
    let env = with(&Script::duel(1));
    let mut command = env.command(["mcp"]);
    let mut server = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    let (mut to, mut from) = (server.stdin.take().unwrap(), BufReader::new(server.stdout.take().unwrap()));
    let mut answer = |message: &str| -> Value {
        to.write_all(message.as_bytes()).and_then(|()| to.write_all(b"\n")).unwrap();
        let mut line = String::new();
        from.read_line(&mut line).unwrap();
        serde_json::from_str(&line).unwrap()
    };
    let call = |id: u32, topic: &str| {
        json!({ "method": "tools/call", "params": { "name": "debate_start", "arguments": { "topic": topic } },
                "jsonrpc": "2.0", "id": id })
        .to_string()
    };
    let long = answer(&call(1, &"x".repeat(60 << 20)));
    assert_eq!((&long["id"], &long["error"]["code"]), (&Value::Null, &json!(-32600)), "{long}");
    let deep = answer(&"[".repeat(1_000_000));
    assert_eq!((&deep["id"], &deep["error"]["code"]), (&Value::Null, &json!(-32700)), "{deep}");
    let hello = json!({ "jsonrpc": "2.0", "id": 4, "method": "initialize", "params": {
        "protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": { "name": "test", "version": "1" } } });
    let hello = answer(&hello.to_string());
    assert_eq!(hello["result"]["serverInfo"]["name"], "rebut", "the server goes on: {hello}");
    drop(to);
    assert!(server.wait().unwrap().success());
}
