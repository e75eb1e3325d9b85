use super::*;

fn told(evidence: &str) -> Vec<String> {
    of(&find_in_evidence(evidence))
}

fn of(found: &[Citation]) -> Vec<String> {
    let marked = |mark: &str, words: &[String]| -> String {
        words.iter().flat_map(|word| [" ", mark, word].map(str::to_owned)).collect()
    };
    let all = found.iter();
    all.map(|c| format!("{}{}{}", c.target, marked("|", &c.quotes), marked("~", &c.symbols))).collect()
}

#[test]
fn code_at_the_end_of_a_line_is_quoted() {
    for (evidence, expected) in [
        ("src/pool.rs:35 `let x = drop(y);`", "src/pool.rs:35 |let x = drop(y);"),
        ("src/pool.rs:35: `let x = drop(y);`", "src/pool.rs:35 |let x = drop(y);"),
        ("src/pool.rs:35 reads `let x = drop(y);`", "src/pool.rs:35 |let x = drop(y);"),
        ("`src/pool.rs:35` `drop(y)`", "src/pool.rs:35 |drop(y)"),
        ("`src/pool.rs:35` — `let x = drop(y);`", "src/pool.rs:35 |let x = drop(y);"),
        ("src/net/tls.rs:11-13 `verify_hostname`", "src/net/tls.rs:11-13 ~verify_hostname"),
        ("`src/pool.rs:35`", "src/pool.rs:35"),
        ("`src/pool.rs:35 \"drop(y)\"`", "src/pool.rs:35 |drop(y)"),
        ("src/pool.rs:35\n```rust\ndrop(y);\n```", "src/pool.rs:35 |drop(y);"),
    ] {
        assert_eq!(told(evidence), [expected], "{evidence}");
        assert_eq!(of(&find_as_said(evidence)), [expected], "{evidence}");
    }
    assert_eq!(told("src/pool.rs:35\n```suggestion\ndrop(y);\n```"), ["src/pool.rs:35"]);
}

#[test]
fn a_quote_with_quotation_marks_in_it_is_one_quote() {
    for (quote, inner) in [
        (r#""panic!("no certificate");""#, r#"panic!("no certificate");"#),
        (r#""panic!(\"no certificate\");""#, r#"panic!(\"no certificate\");"#),
        (r#""version = "9.9.9"""#, r#"version = "9.9.9""#),
        (r#""<b class="x" id={y}>""#, r#"<b class="x" id={y}>"#),
        (r#""let x = "";""#, r#"let x = "";"#),
    ] {
        assert_eq!(told(&format!("src/a.rs:3 {quote}")), [format!("src/a.rs:3 |{inner}")], "{quote}");
    }
}

#[test]
fn every_place_of_a_line_has_the_words_that_follow_it_and_no_others() {
    for (evidence, expected) in [
        (r#"src/a.rs:3 "g()" and b.txt:1 "one""#, &["src/a.rs:3 |g()", "b.txt:1 |one"][..]),
        (r#"src/a.rs:3 "g()"; b.txt:1 "one""#, &["src/a.rs:3 |g()", "b.txt:1 |one"]),
        ("src/a.rs:3 \"g()\"\nb.txt:1 \"one\"", &["src/a.rs:3 |g()", "b.txt:1 |one"]),
        (r#"src/a.rs:3 "g()" and "h()""#, &["src/a.rs:3 |g() |h()"]),
        (r#"src/a.rs:3 "g()" panics with "called on a None value""#, &["src/a.rs:3 |g()"]),
        (r#"src/a.rs:3 "g()", while README says "never panics""#, &["src/a.rs:3 |g()"]),
        (r#"[pool](src/a.rs#L3) "g()""#, &["src/a.rs:3 |g()"]),
        ("[src/a.rs](src/a.rs#L3)", &["src/a.rs:3"]),
    ] {
        assert_eq!(told(evidence), expected, "{evidence}");
        assert_eq!(of(&find_as_said(evidence)), expected, "{evidence}");
    }
}

#[test]
fn only_what_is_denied_of_a_quote_itself_clears_it() {
    for evidence in [
        r#"src/a.rs:3 "let n = 5;" could overflow"#,
        r#"src/a.rs:3 "let n = 5;" - no null check"#,
        r#"src/a.rs:3 "let n = 5;", which should be 6"#,
        r#"src/a.rs:3 "let n = 5;" should be 6"#,
    ] {
        assert_eq!(of(&find_as_said(evidence)), ["src/a.rs:3 |let n = 5;"], "{evidence}");
    }
    for evidence in [
        r#"src/a.rs:3 "catch_unwind" is missing"#,
        r#"src/a.rs:3 "catch_unwind" is never called"#,
        r#"src/a.rs:3 "catch_unwind" should be used"#,
        r#"src/a.rs:3 is not wrapped in "catch_unwind""#,
    ] {
        assert_eq!(of(&find_as_said(evidence)), ["src/a.rs:3"], "{evidence}");
    }
}

#[test]
fn a_block_below_evidence_is_read_as_one_in_prose() {
    for (evidence, expected) in [
        ("src/a.rs:2\n```\n2 | let g = lock();\n```", "src/a.rs:2 | let g = lock();"),
        ("src/a.rs:2\n```diff title\n-let g = lock();\n```", "src/a.rs:2"),
        ("src/a.rs:2\n~~~rust\nlet g = lock();\n~~~", "src/a.rs:2 |let g = lock();"),
        ("src/a.rs:2\n````md\n```\nx y\n```\n````", "src/a.rs:2 |```\nx y\n```"),
        ("src/a.rs:2\n```\nlet g = lock();\n```\nas anybody can see", "src/a.rs:2 |let g = lock();"),
    ] {
        assert_eq!(told(evidence), [expected], "{evidence}");
    }
}

#[test]
fn lines_beside_a_commit_are_looked_up_too() {
    assert_eq!(told("commit abc1234 and src/a.rs:99"), ["commit abc1234 src/a.rs", "src/a.rs:99"]);
    assert_eq!(told("commit abc1234 src/a.rs"), ["commit abc1234 src/a.rs"]);
    assert_eq!(told("commit abc1234 and src/a.rs"), ["commit abc1234 src/a.rs"]);
}

#[test]
fn each_thing_of_a_line_has_the_quotes_that_directly_follow_it() {
    for (evidence, expected) in [
        (
            r#"commit 9b97ddd src/net/tls.rs and commit 7161ffd "rename""#,
            &["commit 9b97ddd src/net/tls.rs", "commit 7161ffd |rename"][..],
        ),
        (r#"commit 9b97ddd; grep "drop" in src = 2"#, &["commit 9b97ddd", "grep \"drop\" in src = 2"]),
        (
            r#"commit 9b97ddd https://example.com/x "words of the page""#,
            &["commit 9b97ddd", "https://example.com/x |words of the page"],
        ),
        (r#"commit 9b97ddd (the so-called "hotfix")"#, &["commit 9b97ddd"]),
        ("commit 9b97ddd `no such words`", &["commit 9b97ddd |no such words"]),
        (r#"commit 9b97ddd "tls tail" "nothing""#, &["commit 9b97ddd |tls tail |nothing"]),
        (r#"commit 9b97ddd src/a.rs "tls tail""#, &["commit 9b97ddd src/a.rs |tls tail"]),
        (r#"commit 9b97ddd "fix TLS" and src/a.rs:3 "x()""#, &["commit 9b97ddd |fix TLS", "src/a.rs:3 |x()"]),
        (r#"commit 9b97ddd: "fix TLS""#, &["commit 9b97ddd |fix TLS"]),
        (r#"commit 9b97ddd with the message "fix TLS""#, &["commit 9b97ddd |fix TLS"]),
        ("commit 9b97ddd broke `make test`", &["commit 9b97ddd"]),
        (r#"commits 9b97ddd and 7161ffd "no such words""#, &["commit 9b97ddd", "commit 7161ffd |no such words"]),
        ("commits 9b97ddd, 7161ffd", &["commit 9b97ddd", "commit 7161ffd"]),
        (r#"src/a.rs:3 "x()"; commit 9b97ddd "fix TLS""#, &["src/a.rs:3 |x()", "commit 9b97ddd |fix TLS"]),
        (r#"src/a.rs:3 "x()"; grep "drop" in src = 2"#, &["src/a.rs:3 |x()", "grep \"drop\" in src = 2"]),
        ("commit 9b97ddd and run test", &["commit 9b97ddd", "run test"]),
    ] {
        assert_eq!(told(evidence), expected, "{evidence}");
    }
}

#[test]
fn many_commits_in_a_line_are_read_once_each() {
    let line = "commit 9b97ddd \"x y\"; ".repeat(2_000);
    let read = |line: &str| work::of(|| find_in_evidence(line)).0;
    assert_eq!(find_in_evidence(&line).len(), 2_000);
    assert!(read(&line) <= 3 * read(&line[..line.len() / 2]), "in proportion to the line");
}

#[test]
fn what_is_said_of_several_lines_is_read_once() {
    let words = "so it is and so it stays ".repeat(400);
    let read = |lines: &str| work::of(|| find_in_evidence(&format!("the place src/a.rs:{lines} {words}"))).0;
    let (one, many) = (read("1"), read(&vec!["1"; 400].join(",")));
    assert!(many < 3 * one, "{one} for one line and {many} for many");
}
