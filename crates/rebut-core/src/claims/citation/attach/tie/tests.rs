use super::super::super::find;

/// What is said to stand at the first path of a text: quotes, then names, then what perhaps does.
fn told(text: &str) -> [Vec<String>; 3] {
    let found = find(text);
    let first = found.first().unwrap_or_else(|| panic!("{text} cites nothing"));
    [first.quotes.clone(), first.symbols.clone(), first.perhaps.clone()]
}

#[test]
fn what_another_clause_speaks_of_is_no_quote() {
    for text in [
        "It exits at src/a.rs:9, so a unit with `Restart=on-failure` starts it again.",
        "It exits at src/a.rs:9, which `systemd` takes for a failure.",
        "With the limit in src/a.rs:9 and `MAX_TRIES` of five it waits 3 s.",
        "The guard at src/a.rs:9 is a `std::sync::MutexGuard`, so a panic poisons it.",
        "src/a.rs:9 makes it fail with `E_BUSY`.",
    ] {
        let [quotes, symbols, _] = told(text);
        assert!(quotes.is_empty() && symbols.is_empty(), "{text}: {quotes:?} {symbols:?}");
    }
}

#[test]
fn a_bracket_gives_the_place_of_what_stands_before_it() {
    for text in [
        "It runs as root (`USER root`, src/a.rs:9).",
        "It runs as root [`USER root`; src/a.rs:9].",
        "It never sleeps: `USER root` (src/a.rs:9).",
        "It is set — `USER root`, src/a.rs:9 — and stays so.",
        "It is compared with `USER root` (src/a.rs:9).",
        "That is a patch without end (`USER root`, src/a.rs:9).",
    ] {
        assert_eq!(told(text)[0], ["USER root"], "{text}");
    }
    let found = find("`MAX = 3` (src/a.rs:9) is compared with `n < MAX` (src/a.rs:33).");
    assert_eq!(found[0].quotes, ["MAX = 3"]);
    assert_eq!(found[1].quotes, ["n < MAX"]);
    let found = find("It reads `/etc/a.yaml` (src/a.rs:9).");
    assert_eq!(found.len(), 1);
    assert_eq!(found[0].quotes, ["/etc/a.yaml"]);
}

#[test]
fn a_clause_that_goes_on_about_the_place_quotes_it() {
    for text in [
        "src/a.rs:9 does not use `>=`; it says `if n == MAX {`.",
        "src/a.rs:9 is plain, it reads `if n == MAX {`.",
        "As src/a.rs:9 says, `if n == MAX {` ends it.",
    ] {
        assert_eq!(told(text)[0], ["if n == MAX {"], "{text}");
    }
}

#[test]
fn a_denial_reaches_over_a_path_with_a_verb_and_not_over_a_clause() {
    for text in [
        "Nowhere does `docs/a.md` say \"exactly once\".",
        "No line of src/a.rs:9 contains `panic(`.",
        "Nothing like e.g. `mem::forget(guard)` stands at src/a.rs:9.",
    ] {
        assert!(find(text).iter().all(|citation| citation.quotes.is_empty()), "{text}");
    }
    assert_eq!(told("It is not bounded: src/a.rs:9 contains `wait(forever)`.")[0], ["wait(forever)"]);
    assert_eq!(told("There is no limit. src/a.rs:9 contains `wait(forever)`.")[0], ["wait(forever)"]);
}

#[test]
fn a_commit_is_quoted_where_it_says_or_does_something() {
    for text in [
        "commit abc1234 says \"fix TLS\".",
        "commit abc1234 (\"fix TLS\") broke it.",
        "Commit abc1234, \"fix TLS\", broke it.",
        "In commit abc1234 \"fix TLS\" the check was removed.",
        "Commit abc1234 — \"fix TLS\" — broke it.",
        "The subject of commit abc1234 is \"fix TLS\".",
        "Commit abc1234 with the message \"fix TLS\" broke it.",
        "\"fix TLS\" (commit abc1234) broke it.",
        "Commit abc1234's message reads \"fix TLS\".",
        "Commit abc1234, whose message says \"fix TLS\", broke it.",
    ] {
        assert_eq!(told(text)[0], ["fix TLS"], "{text}");
    }
    for verb in ["adds", "added", "fixed", "inserts", "inserted", "contains", "includes", "removed", "introduced"] {
        assert_eq!(told(&format!("Commit abc1234 {verb} `verify(cert)?`."))[0], ["verify(cert)?"], "{verb}");
    }
    for text in [
        "At commit abc1234, `cargo test --all` passes.",
        "They call commit abc1234 \"a reckless change\".",
        "Commit abc1234: `cargo test` passes, `cargo clippy` fails.",
        "Commit abc1234 broke `make test`.",
        "Commit abc1234 enabled `cargo fmt --check` in CI.",
        "Commit abc1234 drops support for `rustc 1.60`.",
        "The \"fast path\" (commit abc1234) broke it.",
    ] {
        assert_eq!(told(text)[0], [""; 0], "{text}");
    }
}

#[test]
fn a_name_that_is_used_at_a_path_must_stand_there() {
    assert_eq!(told("`frobnicate` is called at src/a.rs:3.")[1], ["frobnicate"]);
    assert_eq!(told("`frobnicate` slows it down (src/a.rs:3).")[1], [""; 0]);
}
