//! What redaction finds and what it leaves alone, shown on a labelled corpus.
//!
//! Secrets are put together when the tests run, so that no file here holds anything that looks like one. What is no
//! secret stands in `ordinary/` as it stands in repositories, and beside it all of this repository is read.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::print_stdout, reason = "these are tests")]

mod drawn;
mod secrets;

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use drawn::{BASE64, Drawn};
use proptest::prelude::*;
use proptest::test_runner::RngSeed;
use rebut_engine::redact::{redact, redact_keeping_lines, taken_out};
use secrets::Secret;

/// How many of each kind of secret are drawn.
const OF_EACH_KIND: u64 = 50;

#[test]
fn every_secret_of_a_known_form_is_found_and_nothing_beside_it() {
    let mut counts: BTreeMap<&str, (usize, usize)> = BTreeMap::new();
    let mut missed = Vec::new();
    for secret in (0..OF_EACH_KIND).flat_map(|seed| secrets::known(&mut Drawn::new(seed))) {
        let Secret { kind, text, expected } = secret;
        let count = counts.entry(kind).or_default();
        count.1 += 1;
        if redact(&text) == expected {
            count.0 += 1;
        } else {
            missed.push(format!("{kind}: {text:?} became {:?}", redact(&text)));
        }
    }
    for (kind, (found, all)) in &counts {
        println!("{kind:<28} {found:>4} of {all:>4}");
    }
    assert!(missed.is_empty(), "{} missed, for example\n{}", missed.len(), missed[..missed.len().min(12)].join("\n"));
}

#[test]
fn nearly_every_long_key_without_any_sign_is_found() {
    for length in [32, 40, 43, 64] {
        let found = (0..1_000)
            .filter(|seed| {
                let key = Drawn::new(*seed).characters(BASE64, length);
                !redact(&format!("it answered {key} to us")).contains(&key)
            })
            .count();
        println!("{length} drawn characters: {found} of 1000");
        assert!(found >= 970, "{length}: {found}");
    }
}

#[test]
fn nothing_is_found_in_ordinary_files() {
    let files = paths_below(&Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/redaction/ordinary"));
    assert!(files.len() >= 14, "{files:?}");
    nothing_in(&files);
}

#[test]
fn nothing_is_found_in_this_repository() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().unwrap();
    let mut files = paths_below(&root.join("crates"));
    for folder in ["docs", "examples", "scripts"] {
        files.extend(paths_below(&root.join(folder)));
    }
    files.extend(["Cargo.lock", "Cargo.toml", "README.md", "CONTRIBUTING.md", "CHANGELOG.md"].map(|name| root.join(name)));
    assert!(files.len() > 200);
    nothing_in(&files);
    let lock = include_str!("../../../../Cargo.lock");
    assert_eq!(redact(lock), lock);
}

#[test]
fn prose_about_bearers_and_keys_is_left_alone() {
    for text in [
        "Send a Bearer token with it, or a bearer certificate.",
        "Bearer authentication; bearer credentials, as RFC 6750 has them",
        "headers = {\"Authorization\": \"Bearer test-token-1\"}",
        "format!(\"Bearer {api_key}\")",
        "a bearer OAuth2.0 client, Bearer HTTP/1.1",
        "Set OPENAI_API_KEY: without it nothing is asked.",
        "X_API_KEY= and nothing else",
    ] {
        assert_eq!(redact(text), text);
    }
}

#[test]
fn code_that_hands_secrets_on_is_left_alone() {
    for text in [
        "let token = next_token2(input);",
        "connect(user=user, password=self.password1)",
        "token: Option<String>, password: String",
        "password: hash2,",
        "const API_TOKEN: &str = env!(\"API_TOKEN\");",
        "export GITHUB_TOKEN=$(gh auth token)",
        "GITHUB_TOKEN: ${{ secrets.GITHUB_TOKEN2 }}",
        "OPENAI_API_KEY=your-key-here-123",
        "OPENAI_API_KEY=<key>",
        "max_tokens: 128000, token_count = 12345678901",
        "PWD=/home/user1/project-2",
        "PRIMARY_KEY=\"user_id\"",
        "apiKey: process.env.OPENAI_API_KEY_2,",
        "\"token\": \"utf8-string-value\"",
        "X_API_KEY = default_value",
        "X_API_KEY = settings.of_mine_2",
        "X_API_KEY: undefined,",
        "`OPENAI_API_KEY`: not needed for local servers",
        "- OPENAI_API_KEY: read-from-config",
        "{\"INVALID_API_KEY\": \"Sign in once more\"}",
        "OPENAI_API_KEY=\"put your key here\"",
        "MY_API_KEY = os.environ[\"MY_API_KEY\"]",
    ] {
        assert_eq!(redact(text), text);
    }
}

#[test]
fn lines_stay_where_they_are_where_that_is_asked_for() {
    let begin = format!("-----BEGIN {} KEY-----", "PRIVATE");
    let end = format!("-----END {} KEY-----", "PRIVATE");
    let body = Drawn::new(3).characters(BASE64, 64);
    let text = format!("first\n{begin}\n{body}\n{end}\nlast\n");
    assert_eq!(redact_keeping_lines(&text), "first\n[redacted]\n\n\nlast\n");
    assert_eq!(redact(&text), "first\n[redacted]\nlast\n");
    assert_eq!(taken_out(&text, &redact(&text)), 1);
}

#[test]
fn data_in_base64_is_left_alone() {
    let mut drawn = Drawn::new(1);
    let image = format!("iVBORw0KGgo{}", drawn.characters(BASE64, 180));
    let line = |drawn: &mut Drawn| format!("{}\n", drawn.characters(BASE64, 76));
    let wrapped: String = (0..12).map(|_| line(&mut drawn)).collect();
    let certificate = [drawn.characters(BASE64, 64), drawn.characters(BASE64, 64), drawn.characters(BASE64, 22)].join("\\n");
    for text in [
        format!("![a dot](data:image/png;base64,{image}==)"),
        format!("const ICON = '{image}';"),
        format!("Content-Transfer-Encoding: base64\n\n{wrapped}"),
        format!("\"-----BEGIN CERTIFICATE-----\\n{certificate}\\n-----END CERTIFICATE-----\\n\""),
        format!("ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAI{} me@here", drawn.characters(BASE64, 43)),
        format!("{{\"blob\": \"{}\"}}", drawn.characters(BASE64, 4_000)),
        format!("\"contentHash\": \"{}==\"", drawn.characters(BASE64, 86)),
    ] {
        assert_eq!(redact(&text), text);
    }
}

#[test]
fn json_stays_json() {
    let drawn = Drawn::new(7).characters(BASE64, 40);
    let key = format!("gh{}_{}", "p", Drawn::new(8).characters(drawn::LETTERS, 36));
    let value = serde_json::json!({
        "api_key": format!("{key}"),
        "text": format!("line\n{key}\n{drawn}\t{}=\"Hunter-2000\"\nend", "password"),
        "env": format!("FIRST_TOKEN={drawn}\nSECOND_TOKEN='{drawn}'\n"),
    });
    let safe = redact(&value.to_string()).into_owned();
    let read: serde_json::Value = serde_json::from_str(&safe).unwrap();
    assert_eq!(read["api_key"], "[redacted]");
    assert_eq!(read["text"], "line\n[redacted]\n[redacted]\tpassword=\"[redacted]\"\nend");
    assert_eq!(read["env"], "FIRST_TOKEN=[redacted]\nSECOND_TOKEN='[redacted]'\n");
}

/// A search that begins anew at each of these beginnings, and goes to the end of the text each time, would take hours.
#[test]
fn a_megabyte_made_to_be_difficult_is_gone_through() {
    let begin = format!("-----BEGIN {} KEY-----", "PRIVATE");
    let end = format!("-----END {} KEY-----", "PRIVATE");
    let token = format!("gh{}_{}", "p", "a1B2c3D4".repeat(4));
    for unit in [
        "a",
        "aB3",
        "sk-",
        "eyJ",
        "eyJaaaaaaaa-",
        "token=",
        "token=\"",
        "password: '",
        "://a:",
        "://a:b@",
        "bearer ",
        "\\n",
        "%20",
        "-",
        "=",
        "A1b+/",
        "[redacted]",
        "é",
        "\u{1b}[31m",
        " ",
        "\n",
        &begin,
        &end,
        &format!("{begin}\nMIIE "),
        &format!("eyJaaaaaaaa-{token}-"),
        &format!("{begin}{end}"),
        &format!("PASSWORD={token}"),
        &format!("{}\n", "aB3+".repeat(16)),
    ] {
        let text = unit.repeat(1_000_000 / unit.len());
        let started = std::time::Instant::now();
        assert!(redact(&text).len() <= text.len(), "{unit:?}");
        println!("{:>6} ms for a megabyte of {unit:?}", started.elapsed().as_millis());
    }
}

proptest! {
    #![proptest_config(ProptestConfig { rng_seed: RngSeed::Fixed(0x3fa9), cases: 2_000, ..ProptestConfig::default() })]

    #[test]
    fn redacting_never_panics_and_once_is_enough(text in pieces()) {
        let once = redact(&text).into_owned();
        prop_assert_eq!(redact(&once), once.as_str());
    }
}

/// Texts of what the patterns look for, in every disorder.
fn pieces() -> impl Strategy<Value = String> {
    let signs = proptest::sample::select(vec![
        "-----BEGIN ",
        "-----END ",
        "PRIVATE KEY-----",
        "sk-",
        "ghp_",
        "eyJ",
        ".",
        "Bearer ",
        "Basic ",
        "API_KEY",
        "password",
        "_TOKEN",
        "=",
        ": ",
        "\"",
        "'",
        "\\",
        "\\n",
        "\\u00",
        "%",
        "://",
        "@",
        ":",
        "/",
        "[redacted]",
        "[",
        "]",
        "é",
        "日本",
        "\n",
        "AKIA",
        "--token ",
        "data:;base64,",
        "sha512-",
        "$",
        "{",
        "}",
        "r\"",
        "b'",
        "LS0tLS1CRUdJTi",
        "Version: ",
    ]);
    let drawn = "[A-Za-z0-9+/]{1,70}";
    let piece = prop_oneof![3 => signs.prop_map(str::to_owned), 1 => drawn, 1 => "\\PC{0,6}"];
    proptest::collection::vec(piece, 0..30).prop_map(|pieces| pieces.concat())
}

fn nothing_in(files: &[PathBuf]) {
    let mut hits = Vec::new();
    let mut counts: BTreeMap<String, (usize, usize)> = BTreeMap::new();
    for path in files {
        let Ok(text) = fs::read_to_string(path) else { continue };
        let kind = path.extension().unwrap_or_else(|| path.file_name().unwrap()).to_string_lossy().into_owned();
        let count = counts.entry(kind).or_default();
        count.0 += 1;
        let safe = redact(&text);
        let changed = safe.lines().zip(text.lines()).filter(|(safe, line)| safe != line).map(|(_, line)| line);
        let changed: Vec<String> = changed.map(|line| format!("{}: {line}", path.display())).collect();
        count.1 += changed.len();
        hits.extend(changed);
    }
    for (kind, (files, hits)) in &counts {
        println!("{kind:<10} {files:>4} files {hits:>3} false hits");
    }
    assert!(hits.is_empty(), "{} false hits, for example\n{}", hits.len(), hits[..hits.len().min(12)].join("\n"));
}

fn paths_below(folder: &Path) -> Vec<PathBuf> {
    rebut_fakes::files_below(folder).iter().map(|name| folder.join(name)).collect()
}
