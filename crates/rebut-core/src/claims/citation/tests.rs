use super::*;

/// The citations of a text in one line each: `target "quote" ~symbol`.
fn told(text: &str) -> Vec<String> {
    find(text).iter().map(tell).collect()
}

fn tell(citation: &Citation) -> String {
    let quotes = citation.quotes.iter().map(|quote| format!(" \"{quote}\""));
    let symbols = citation.symbols.iter().map(|symbol| format!(" ~{symbol}"));
    let figures = citation.figures.iter().map(|figure| format!(" ={figure}"));
    format!("{}{}", citation.target, quotes.chain(symbols).chain(figures).collect::<String>())
}

#[test]
fn a_path_with_lines_is_a_citation_in_every_form() {
    for (text, expected) in [
        ("See src/pool.rs:88.", "src/pool.rs:88"),
        ("See (src/pool.rs:88-95), please", "src/pool.rs:88-95"),
        ("See **`src/pool.rs:88–95`**", "src/pool.rs:88-95"),
        ("src/pool.rs#L10-L20 shows it", "src/pool.rs:10-20"),
        ("src/pool.rs#L10", "src/pool.rs:10"),
        ("pool.rs line 20 is wrong", "pool.rs:20"),
        ("`pool.rs` (lines 20-24) is wrong", "pool.rs:20-24"),
        ("on line 20 of `src/pool.rs` it waits", "src/pool.rs:20"),
        ("[the pool](src/pool.rs#L3)", "src/pool.rs:3"),
        ("[src/pool.rs:3](src/pool.rs)", "src/pool.rs:3"),
        ("src\\pool.rs:88", "src\\pool.rs:88"),
        ("C:\\work\\src\\pool.rs:88", "C:\\work\\src\\pool.rs:88"),
        ("/work/src/pool.rs:88", "/work/src/pool.rs:88"),
        ("`file://C:\\a\\b.rs:40-49`", "file://C:\\a\\b.rs:40-49"),
        ("`file:///C:/a/b.rs:40`", "file:///C:/a/b.rs:40"),
        ("`docs/my notes.md:3`", "docs/my notes.md:3"),
        ("see lines 3-9 of `web/app/`", "web/app/"),
        ("docs/my notes.md:3 says so", "docs/my notes.md:3"),
        ("docs/My Own Notes.md line 3 says so", "docs/My Own Notes.md:3"),
        ("see\u{a0}this README.md:3", "README.md:3"),
        ("see\u{3000}docs/my notes.md:3", "docs/my notes.md:3"),
        ("src/net and retry.rs:3 differ", "retry.rs:3"),
        ("the client/server README.md:3", "README.md:3"),
        ("commit abc1234 removed src/old.rs", "commit abc1234 src/old.rs"),
        ("src/größe.rs:7", "src/größe.rs:7"),
        ("src/app/[id]/page.tsx:7", "src/app/[id]/page.tsx:7"),
        ("src/pool.rs:88:14: warning", "src/pool.rs:88"),
        ("\"src/pool.rs\":88 waits", "src/pool.rs:88"),
        ("'my dir/file name.txt':9 says so", "my dir/file name.txt:9"),
        ("[src/pool.rs](src/pool.rs):88 waits", "src/pool.rs:88"),
        ("It waits, see `src/pool.rs` : 88.", "src/pool.rs:88"),
        ("src/pool.rs#88 waits", "src/pool.rs:88"),
        ("**src/pool.rs**:88 waits", "src/pool.rs:88"),
        ("src/pool.rs?plain=1#L88 waits", "src/pool.rs:88"),
        ("src/pool.rs:12345678901234567890123456 waits", "src/pool.rs:12345678901234567890123456"),
        ("src/pool.rs:17-14 waits", "src/pool.rs:17-14"),
        ("bin.dat:3 and no more", "bin.dat:3"),
        ("data.parquet:9 has it", "data.parquet:9"),
        ("leakdir/passwd:1 has it", "leakdir/passwd:1"),
        ("`.git/config:1` has it", ".git/config:1"),
        (".git/config:1 has it", ".git/config:1"),
        ("Makefile:12", "Makefile:12"),
        (".github/workflows/ci.yml:8", ".github/workflows/ci.yml:8"),
        ("commit abc1234 broke it", "commit abc1234"),
        ("see https://example.com/a.rs:80.", "https://example.com/a.rs:80"),
    ] {
        assert_eq!(told(text), [expected], "{text}");
    }
    assert_eq!(told("src/a.rs:3,9-12"), ["src/a.rs:3", "src/a.rs:9-12"]);
    assert_eq!(told("`tests/test_a.py::test_x`"), ["tests/test_a.py ~test_x"]);
}

#[test]
fn a_commit_and_the_file_it_is_said_to_change_are_one_claim() {
    for text in [
        "commit abc1234 changed src/pool.rs:3",
        "src/pool.rs:3 was changed in commit abc1234.",
        "src/pool.rs:3 was added by commit abc1234.",
        "`src/pool.rs:3` was completely rewritten in commit `abc1234`.",
    ] {
        assert!(told(text).contains(&"commit abc1234 src/pool.rs".to_owned()), "{text}: {:?}", told(text));
    }
    for text in
        ["src/pool.rs:3 was not changed in commit abc1234.", "src/pool.rs:3 is slow. It was changed in commit abc1234."]
    {
        assert_eq!(told(text), ["src/pool.rs:3", "commit abc1234"], "{text}");
    }
}

#[test]
fn what_only_looks_like_a_citation_is_none() {
    for text in [
        "At 12:30 we met.",
        "It listens on localhost:8080 and example.com:80.",
        "Use Node.js or `Next.js`, and/or ASP.NET 4:3.",
        "std::fs::read and foo::bar:3",
        "Version 1.2:3 of v1.2.3, ratio 16:9",
        "`console.log(x)`, `res.json`, `self.c`",
        "TCP/IP:80 and I/O:1",
        "GET /users/:id and POST /api/v1/users",
        "`src/**/*.rs` and `--flag=a.rs`",
        "Add a new file `src/cache.rs` for it.",
        "`cargo run --example a.rs`",
        "John 3:16",
        "It is vercel/next.js#88, and bitnami/redis:7 listens.",
        "key:value, a:b:c, 10:20-30",
        "It calls \"pool.wait(30)\" and user.name:3",
        "We commit to it; the commitment is deadbeef.",
        "src/old.rs was removed, and `src/older.rs:3` has been deleted too.",
        "The former src/old.rs:3-9 did so.",
        "Create src/new.rs:1-20 for it.",
    ] {
        assert_eq!(told(text), [""; 0], "{text}");
    }
}

#[test]
fn words_beside_a_path_are_said_to_stand_there() {
    for (text, expected) in [
        (r#"src/pool.rs:88 reads "drop(guard);" today."#, r#"src/pool.rs:88 "drop(guard);""#),
        (r#"It says "the lock is held" (src/pool.rs:88)."#, r#"src/pool.rs:88 "the lock is held""#),
        ("`src/pool.rs:88-95` calls `drop(guard)` before the await.", r#"src/pool.rs:88-95 "drop(guard)""#),
        ("`acquire` in src/pool.rs:88 waits.", "src/pool.rs:88 ~acquire"),
        (r#"The proposer claims "it is fast enough", but src/pool.rs:88 waits."#, "src/pool.rs:88"),
        (r#"src/pool.rs:88 should read "drop(guard);"."#, "src/pool.rs:88"),
        ("There is no `lock` in src/pool.rs:88.", "src/pool.rs:88"),
        ("src/pool.rs:88 is \"slow\".", "src/pool.rs:88 \"slow\""),
    ] {
        assert_eq!(told(text), [expected], "{text}");
    }
}

#[test]
fn code_that_nobody_says_to_stand_at_a_path_is_no_quote_of_it() {
    for text in [
        "Instead of `self.lock().unwrap()` (src/pool.rs:88), use `self.lock().unwrap_or_else(f)`.",
        "Better: `guard.pop_back(x)` in src/pool.rs:88.",
        "Consider `Mutex::new(queue)` in src/pool.rs:88.",
        "The equivalent of `await pool.acquire()` is in src/pool.rs:88.",
        "Calling `pool.acquire().await` (src/pool.rs:88) can deadlock.",
        "It fails with \"thread panicked at empty certificate\" at src/pool.rs:88.",
        "The so-called \"lock-free pool\" in src/pool.rs:88 is slow.",
        "What the topic calls \"connection reuse policy\" is src/pool.rs:88.",
        "See `src/pool.rs`, `line 88` for it.",
    ] {
        assert_eq!(told(text), ["src/pool.rs:88"], "{text}");
        assert!(find(text)[0].perhaps.is_empty(), "{text}");
    }
    // A place in backticks tells no less than a bare one.
    for text in ["/api/v1/users.json/etc/passwd:3", "`/api/v1/users.json/etc/passwd:3`"] {
        assert_eq!(told(text), ["/api/v1/users.json/etc/passwd:3"], "{text}");
    }
    // What somebody else is said to cite is not cited by whoever says so.
    assert_eq!(told("The opponent claims src/pool.rs:88 calls `push_front(conn)`."), Vec::<String>::new());
}

#[test]
fn a_place_that_a_sentence_calls_invented_is_no_evidence() {
    for text in ["src/pool.rs:88 does not exist.", "The proposer invented src/pool.rs:88.", "There is no `src/pool.rs:88`."]
    {
        assert_eq!(told(text), [""; 0], "{text}");
    }
}

#[test]
fn a_colon_leads_to_a_quote_and_loose_code_is_a_quote_perhaps() {
    for (text, expected) in [
        ("src/pool.rs:88 — we release early: `drop(nothing);`.", r#"src/pool.rs:88 "drop(nothing);""#),
        ("Laut `docs/a.md:3` hält der Pool „höchstens 128 Verbindungen“.", r#"docs/a.md:3 "höchstens 128 Verbindungen""#),
        ("`LIMIT` is 64 (`src/pool.rs:88`).", "src/pool.rs:88 ~LIMIT"),
    ] {
        assert_eq!(told(text), [expected], "{text}");
    }
    for text in [
        "src/pool.rs:88 pins tokio to `version = 2`.",
        "`drop(nothing);` is called at src/pool.rs:88.",
        "We call `drop(nothing);` too early (src/pool.rs:88).",
    ] {
        assert_eq!(told(text), ["src/pool.rs:88"], "{text}");
        assert_eq!(find(text)[0].perhaps.len(), 1, "{text}");
    }
    let shared = find("src/pool.rs, lines 20 and 28 define `new` and `acquire`.");
    assert_eq!(shared.iter().map(|c| c.symbols.join(" ")).collect::<Vec<_>>(), ["new", "acquire"]);
}

#[test]
fn figures_beside_one_page_are_said_to_stand_there() {
    for (text, expected) in [
        ("JSON takes 41 % of the time (https://example.com/bench).", "https://example.com/bench =41 %"),
        ("[The survey](https://example.com/a \"2024\") has 1,200 answers.", "https://example.com/a =1,200"),
        ("It is not 41 % as https://example.com/bench says.", "https://example.com/bench"),
        ("About 40 % (https://example.com/bench) of TLS 1.3.", "https://example.com/bench"),
        ("https://example.com/bench is long. We lose 41 %.", "https://example.com/bench"),
        (
            "https://example.com/bench says \"JSON took 41 % of it\", or $3.",
            "https://example.com/bench \"JSON took 41 % of it\" =$3",
        ),
    ] {
        assert_eq!(told(text), [expected], "{text}");
    }
    let two = "src/pool.rs:8 waits 30 ms while https://example.com/bench says 3 ms.";
    assert_eq!(told(two), ["src/pool.rs:8", "https://example.com/bench"]);
}

#[test]
fn a_block_under_a_path_is_its_quote() {
    let quote = "let guard = lock();\ndrop(guard);";
    for text in [
        format!("In `src/pool.rs:88-89`:\n\n```rust\n{quote}\n```\n"),
        format!("```rust src/pool.rs:88-89\n{quote}\n```"),
        format!("```88:89:src/pool.rs\n{quote}\n```"),
        format!("```rust\n// src/pool.rs:88-89\n{quote}\n```"),
        format!("The code (src/pool.rs:88-89) reads:\n```\n{quote}\n```"),
        format!("1. **Race** (`src/pool.rs:88-89`): the code does\n   ```rust\n{quote}\n   ```"),
    ] {
        assert_eq!(told(&text), [format!("src/pool.rs:88-89 \"{quote}\"")], "{text}");
    }
    assert_eq!(told(&format!("Change src/pool.rs:88 so that it becomes:\n```\n{quote}\n```")), ["src/pool.rs:88"]);
    assert_eq!(told(&format!("`src/pool.rs:88`:\n```diff\n{quote}\n```")), ["src/pool.rs:88"]);
}

#[test]
fn what_is_set_off_below_a_path_is_its_quote() {
    let quote = "let guard = lock();\ndrop(guard);";
    for text in [
        "src/pool.rs:88-89\n> let guard = lock();\n> drop(guard);\n",
        "See `src/pool.rs:88-89`:\n\n> let guard = lock();\n> drop(guard);\n\nIt waits.",
        "See src/pool.rs:88-89:\n\n    let guard = lock();\n    drop(guard);\n\nIt waits.",
        "In `src/pool.rs` (lines 88-89):\n\n> let guard = lock();\n> drop(guard);\n",
        "> `src/pool.rs:88-89`\n> ```rust\n> let guard = lock();\n> drop(guard);\n> ```\n",
        "> From `src/pool.rs:88-89`:\n> ```rust\n> let guard = lock();\n> drop(guard);\n> ```\n",
        "See **src/pool.rs:88-89**:\n\tlet guard = lock();\n\tdrop(guard);",
    ] {
        assert_eq!(told(text), [format!("src/pool.rs:88-89 \"{quote}\"")], "{text}");
    }
    for text in [
        "The proposer on src/pool.rs:88:\n> it is fast enough for us",
        "Change src/pool.rs:88:\n> it is fast enough for us",
        "It waits at src/pool.rs:88, I say.\n> it is fast enough for us",
        "- see src/pool.rs:88\n    which waits for long",
    ] {
        assert_eq!(told(text), ["src/pool.rs:88"], "{text}");
    }
    assert_eq!(told("They say of src/a.rs:3:\n> no, src/b.rs:4 does"), ["src/a.rs:3", "src/b.rs:4"]);
}

#[test]
fn the_list_of_claims_has_forms_of_its_own() {
    let told = |evidence: &str| find_in_evidence(evidence).iter().map(tell).collect::<Vec<_>>();
    assert_eq!(told(r#"src/pool.rs:88-95 "drop(guard);""#), [r#"src/pool.rs:88-95 "drop(guard);""#]);
    assert_eq!(told("docs/my notes.md:3"), ["docs/my notes.md:3"]);
    assert_eq!(told("bin/deploy"), ["bin/deploy"]);
    assert_eq!(told("commit abc1234 src/pool.rs"), ["commit abc1234 src/pool.rs"]);
    assert_eq!(told(r#"grep "unwrap\(" in src = 14"#), [r#"grep "unwrap\(" in src = 14"#]);
    assert_eq!(told(r#"grep "TODO""#), [r#"grep "TODO""#]);
    assert_eq!(told("run test"), ["run test"]);
    assert_eq!(told("run test; rm -rf /"), [""; 0]);
    assert_eq!(told(r#"https://example.com/x "41 percent""#), [r#"https://example.com/x "41 percent""#]);
    assert_eq!(told(r#"http://127.0.0.1:8080/x "41 %""#), [r#"http://127.0.0.1:8080/x "41 %""#]);
    assert_eq!(told("<https://example.com/x>"), ["https://example.com/x"]);
    assert_eq!(told("the RFC says so"), [""; 0]);
}

#[test]
fn words_of_a_sentence_about_a_place_are_not_said_to_stand_there() {
    let told =
        |evidence: &str| find_as_said(evidence).iter().map(|c| format!("{} {:?}", c.target, c.quotes)).collect::<Vec<_>>();
    for quoted in [
        "src/a.rs:3 \"fn f3\"",
        "`src/a.rs:3` \"fn f3\"",
        "src/a.rs:3 — \"fn f3\"",
        "src/a.rs:3 reads \"fn f3\"",
        "src/a.rs:3 \"fn f3\" runs first",
    ] {
        assert_eq!(told(quoted), ["src/a.rs:3 [\"fn f3\"]"], "{quoted}");
    }
    for about in [
        "src/a.rs:3 is not wrapped in \"catch_unwind\"",
        "src/a.rs:3 should call `catch_unwind` instead",
        "src/a.rs:3 lacks \"catch_unwind\"",
        "src/a.rs:3 \"catch_unwind\" is missing",
        "src/a.rs:3 \"catch_unwind\" isn't there",
        "nowhere in src/a.rs:3 is `catch_unwind` used",
        "src/a.rs:3 never calls catch_unwind",
    ] {
        assert_eq!(told(about), ["src/a.rs:3 []"], "{about}");
        assert!(find_as_said(about).iter().all(|citation| citation.symbols.is_empty()), "{about}");
    }
}

#[test]
fn a_block_of_what_a_search_printed_is_one_citation_a_line() {
    let block = |lines: &str| told(&format!("It says:\n\n```\n{lines}\n```\n"));
    assert_eq!(
        block("src/pool.rs:35:    drop(guard);\nmy dir/pool.rs:3:9: wait();"),
        ["src/pool.rs:35 \"drop(guard);\"", "my dir/pool.rs:3 \"wait();\""]
    );
    for text in ["It says\nsrc/pool.rs:35:let x = other();", "- src/pool.rs:35:9:    let x = other();\n- so"] {
        assert_eq!(told(text), ["src/pool.rs:35 \"let x = other();\""], "{text}");
    }
    for text in ["src/pool.rs:35: use f() here", "src/pool.rs:35:9: warning: f() is unused", "src/pool.rs:35:bad"] {
        assert_eq!(told(text), ["src/pool.rs:35"], "{text}");
    }
    // What a program says of a place is not in the file.
    assert_eq!(block("panicked at src/pool.rs:35: index out of bounds"), [""; 0]);
}

#[test]
fn a_quotation_is_from_the_source_right_below_it() {
    for source in [
        "— src/pool.rs:35",
        "> src/pool.rs:35",
        "> `src/pool.rs:35`",
        "src/pool.rs:35",
        "> — src/pool.rs:35",
        "\n— src/pool.rs:35",
        "Source: `src/pool.rs:35`",
        "(src/pool.rs:35)",
    ] {
        let text = format!("> let x = other();\n{source}\n");
        assert_eq!(told(&text), ["src/pool.rs:35 \"let x = other();\""], "{text}");
    }
    assert_eq!(told("> I doubt it.\nSo does src/pool.rs:35."), ["src/pool.rs:35"]);
    assert_eq!(told("> The bug is in\n> src/pool.rs:35\n\nSo I said."), ["src/pool.rs:35"]);
    assert_eq!(told("> src/a.rs:3\n> src/b.rs:4\n"), ["src/a.rs:3", "src/b.rs:4"]);
}

#[test]
fn what_a_program_says_of_a_place_is_no_quote_of_it() {
    for text in [
        "src/pool.rs:29:unwrap() used on lock",
        "tests/test_pool.py:2:E501 line too long (99 > 79 characters)",
        "cmd/server/main.go:2:5:undefined: foo()",
    ] {
        assert!(find(text).iter().all(|citation| citation.quotes.is_empty()), "{text}");
    }
    assert_eq!(told("src/pool.rs:35:    drop(guard);"), ["src/pool.rs:35 \"drop(guard);\""]);
    // An index of code is no number of a source.
    assert_eq!(told("arr[1] = \"some words here\" is set.\n\n[1]: src/pool.rs:29\n"), ["src/pool.rs:29"]);
}

#[test]
fn a_path_that_names_lines_is_no_beginning_of_one_with_spaces() {
    assert_eq!(told("docs/my#L3-L9 users.json:12 has it"), ["docs/my:3-9", "users.json:12"]);
    assert_eq!(told("docs/my users.json:12 has it"), ["docs/my users.json:12"]);
}
