use super::*;

fn at(place: &str) -> Vec<Anchor> {
    anchor_of(place).into_iter().collect()
}

fn are_same(one: (&str, &str), other: (&str, &str)) -> bool {
    let (anchors, others) = (at(one.0), at(other.0));
    let (one, other) = (Subject { text: one.1, anchors: &anchors }, Subject { text: other.1, anchors: &others });
    assert_eq!(same(&one, &other), same(&other, &one), "it does not matter who is asked");
    same(&one, &other)
}

#[test]
fn an_anchor_is_read_from_every_form_of_a_place() {
    for (place, expected) in [
        ("src/a.rs:10", Some(("src/a.rs", 10, 10))),
        ("src/a.rs:10-20", Some(("src/a.rs", 10, 20))),
        ("src/a.rs:20-10", Some(("src/a.rs", 10, 20))),
        ("src/a.rs#L10-L20", Some(("src/a.rs", 10, 20))),
        ("`src/a.rs:10`", Some(("src/a.rs", 10, 10))),
        ("src/a.rs:10:5", Some(("src/a.rs", 10, 10))),
        ("line 10 of src/a.rs", Some(("src/a.rs", 10, 10))),
        ("src/my pool.rs:3", Some(("src/my pool.rs", 3, 3))),
        ("src/my pool.rs:3-5 \"the words: 7\"", Some(("src/my pool.rs", 3, 5))),
        ("see src/a.rs:3", Some(("src/a.rs", 3, 3))),
        ("src/a.rs:3, src/b.rs:4", Some(("src/a.rs", 3, 3))),
        ("src/a.rs", None),
        ("Section 3", None),
        ("", None),
    ] {
        let anchor = anchor_of(place);
        assert_eq!(anchor.as_ref().map(|a| (a.path.as_str(), a.first, a.last)), expected, "{place}");
    }
}

#[test]
fn neither_the_place_nor_the_words_alone_make_two_findings_one() {
    let leak = "The response body is never closed, which leaks connections.";
    assert!(are_same(("a.go:70", leak), ("a.go:72", "resp.Body is not closed: connection leak.")));
    assert!(!are_same(("a.go:70", leak), ("b.go:70", leak)), "another file");
    assert!(!are_same(("a.go:70", leak), ("a.go:80", leak)), "another line");
    assert!(!are_same(("a.go:70", leak), ("a.go:70", "The URL is built without escaping.")), "another matter");
    assert!(!are_same(("a.go:70", leak), ("", leak)), "only one has a place");
}

#[test]
fn what_is_said_of_everything_makes_nothing_the_same() {
    assert!(!are_same(("", "Missing error handling in the parser."), ("", "Missing error handling in the cache.")));
    assert!(!are_same(
        ("a.rs:1", "Missing tests for this function."),
        ("a.rs:1", "Missing documentation for this function.")
    ));
    assert!(are_same(("a.rs:1", "Missing error handling."), ("a.rs:2", "missing error handling")), "but the same words do");
}

#[test]
fn a_path_without_its_folders_is_the_same_file() {
    let text = "The retry loop never ends when the server is down.";
    assert!(are_same(("src/net/retry.rs:8", text), ("retry.rs:9", text)));
    assert!(are_same(("./src/retry.rs:8", text), ("src/retry.rs:9", text)));
    assert!(!are_same(("src/noretry.rs:8", text), ("retry.rs:9", text)));
}

#[test]
fn likeness_knows_no_case_order_marks_or_line_numbers() {
    let one = "`userId` is logged at src/a.rs:10, line 12.";
    assert!((likeness(one, "LOGGED is: User_ID, at src/a.rs:99 (line 14)") - 1.0).abs() < 1e-9);
    assert!(likeness(one, "The lock order is inverted.") < 0.2);
    assert!(likeness("", "").total_cmp(&1.0).is_eq() && likeness("", "x").total_cmp(&0.0).is_eq());
}
