use super::*;

fn tail_of(lines: &str) -> Tail {
    read(&Split { body: "", lines, in_fence: false })
}

#[test]
fn evidence_that_is_named_is_never_dropped() {
    for value in [
        "None of the tests cover it, see src/a.rs:99",
        "nothing, but see src/a.rs:99",
        "I have no doubt: src/a.rs:99",
        "none (src/a.rs:99)",
    ] {
        let tail = tail_of(&format!("claim: x\nevidence: {value}\n"));
        assert_eq!(tail.claims[0].evidence, [value]);
    }
    for value in ["none", "n/a", "N/A.", "none (n/a)", "None - a guess"] {
        let tail = tail_of(&format!("claim: x\nevidence: {value}\n"));
        assert_eq!(tail.claims[0].evidence, [""; 0], "{value}");
    }
}

#[test]
fn a_block_ends_with_a_fence_like_its_own() {
    for block in ["```rust\ndrop(x);\n```", "~~~\ndrop(x);\n~~~", "````md\n```\ndrop(x);\n```\n````"] {
        let text = format!("claim: x\nevidence: src/a.rs:1\n{block}\nevidence: src/b.rs:2\n\nAnd so on.");
        let tail = tail_of(&text);
        assert_eq!(tail.claims[0].evidence, [format!("src/a.rs:1\n{block}"), "src/b.rs:2".to_owned()]);
        assert_eq!(tail.prose, "And so on.");
    }
    let tail = tail_of("claim: x\nevidence: src/a.rs:1\n~~~");
    assert_eq!(tail.claims[0].evidence, ["src/a.rs:1"]);
}

#[test]
fn fences_that_nobody_closes_are_looked_for_once() {
    // With the square of the lines this would take hours.
    for fence in ["```a\n", "~~~ a\n", "```a\n````b\n"] {
        for end in ["", "claim: y\n"] {
            let tail = tail_of(&format!("claim: x\nevidence: y\n{}{end}", fence.repeat(40_000)));
            assert_eq!(tail.claims[0].evidence.len(), 1);
        }
    }
}

#[test]
fn who_names_no_evidence_says_so_in_many_words() {
    for value in ["none", "None.", "-", "n/a", "None (opinion)", "nil", "keine", "none - a guess", "No evidence found"] {
        assert!(is_none(value), "{value}");
    }
    for value in ["common knowledge", "see above", "src/none.rs:3", "RFC 7540 section 4", "nonesuch"] {
        assert!(!is_none(value), "{value}");
    }
}

#[test]
fn the_ids_of_a_concession_stand_before_its_words_or_behind_them() {
    for (line, ids, quote) in [
        ("P1.1 \"I concede it.\"", "P1.1", "I concede it."),
        ("P1.1, P1.2 I concede both.", "P1.1 P1.2", "I concede both."),
        ("P1.1 and P1.2: I concede both.", "P1.1 P1.2", "I concede both."),
        ("P1.1 \u{2014} \u{201c}I concede it.\u{201d}", "P1.1", "I concede it."),
        ("\"I concede it.\" (P1.1)", "P1.1", "I concede it."),
        ("P1.1 \"the \\\"stub\\\" is real\"", "P1.1", "the \"stub\" is real"),
        ("P1.1", "P1.1", ""),
        ("I concede it.", "", "I concede it."),
    ] {
        let (read, _) = concession(line);
        let told: Vec<&str> = read.claims.iter().map(ClaimId::as_str).collect();
        assert_eq!((told.join(" ").as_str(), read.quote.as_str()), (ids, quote), "{line}");
    }
}
