use proptest::prelude::*;
use proptest::test_runner::RngSeed;

use super::*;

#[test]
fn a_statement_ends_with_its_claims() {
    let statement = Statement::read(
        "Use gRPC.\n\nI concede that browsers need a proxy.\n\n--- claims\n\
         claim: JSON takes 41 % of gateway CPU\nevidence: bench/gateway.md:12-20\nevidence: src/codec.rs:8\n\
         claim: it is faster\nevidence: none\n\
         concede: \"I concede that browsers\n need a proxy.\"\nconcede: \"Nobody said this.\"\n",
    );
    assert_eq!(statement.body, "Use gRPC.\n\nI concede that browsers need a proxy.");
    assert_eq!(statement.claims.len(), 2);
    assert_eq!(statement.claims[0].evidence, ["bench/gateway.md:12-20", "src/codec.rs:8"]);
    assert_eq!(statement.unsupported().map(|c| c.text.as_str()).collect::<Vec<_>>(), ["it is faster"]);
    assert_eq!(statement.concessions, ["I concede that browsers need a proxy."]);
    assert_eq!(statement.unfounded_concessions, ["Nobody said this."]);
}

#[test]
fn a_statement_without_a_tail_is_no_failure() {
    let statement = Statement::read("  Keep REST. I concede that streaming is harder! The rest stands.\n");
    assert_eq!(statement.body, "Keep REST. I concede that streaming is harder! The rest stands.");
    assert_eq!(statement.claims, []);
    assert_eq!(statement.concessions, ["I concede that streaming is harder!"]);
}

#[test]
fn a_concession_that_the_tail_leaves_out_counts_all_the_same() {
    let statement = Statement::read(
        "I concede that browsers need a proxy. I concede that streams are rare.\n\n--- claims\n\
         concede: \"I concede that browsers need a proxy.\"",
    );
    assert_eq!(statement.concessions, ["I concede that browsers need a proxy.", "I concede that streams are rare."]);
}

#[test]
fn no_more_concessions_count_than_anybody_makes() {
    let many: Vec<String> = (0..4_000).map(|number| format!("I concede that it is a{number}.")).collect();
    let many = many.join(" ");
    for text in [
        many.clone(),
        format!("{many}\n--- claims\nclaim: one"),
        format!("{many}\n--- claims\nconcede: \"I concede that it is a7.\""),
    ] {
        let statement = Statement::read(&text);
        assert_eq!(statement.concessions.len(), concession::MOST);
        assert!(statement.concessions.iter().any(|quote| quote == "I concede that it is a7."));
    }
}

#[test]
fn a_claim_may_attack_another_and_a_concession_may_name_what_it_concedes() {
    let statement = Statement::read(
        "I concede that browsers need a proxy.\n\n--- claims\nclaim: JSON is slow\nattacks: C1.2 and C1.3\n\
         concede: C1.1 \"I concede that browsers need a proxy.\"\nconcede: C1.4 \"Nobody said this.\"",
    );
    let ids = |text: &[&str]| text.iter().map(|id| ClaimId::read(id).unwrap()).collect::<Vec<_>>();
    assert_eq!(statement.claims[0].attacks, ids(&["C1.2", "C1.3"]));
    assert_eq!(statement.conceded.keys().cloned().collect::<Vec<_>>(), ids(&["C1.1"]));
    assert_eq!(statement.unfounded_concessions, ["Nobody said this."]);
}

#[test]
fn the_same_place_in_prose_and_list_is_one_citation() {
    let statement = Statement::read(
        "It waits (src/pool.rs:8 reads \"drop(guard);\").\n\n--- claims\nclaim: it waits\nevidence: src/pool.rs:8\n\
         claim: it is slow\nevidence: src/pool.rs:8 \"pool.wait(30)\"\nevidence: run bench",
    );
    let told: Vec<String> =
        statement.citations().iter().map(|c| format!("{} {:?} {:?}", c.target, c.claims, c.quotes)).collect();
    assert_eq!(told, ["src/pool.rs:8 [1] [\"drop(guard);\"]", "src/pool.rs:8 [2] [\"pool.wait(30)\"]", "run bench [2] []"]);
}

#[test]
fn a_place_that_is_cited_again_for_other_words_is_looked_up_again() {
    let told = |text: &str| -> Vec<String> {
        let citations = Statement::read(text).citations();
        citations.iter().map(|c| format!("{} {:?} {:?}", c.target, c.quotes, c.symbols)).collect()
    };
    assert_eq!(
        told("`src/pool.rs:8` holds `acquire`.\n\n`src/pool.rs:8` holds `release`.\n\nSee src/pool.rs:8."),
        ["src/pool.rs:8 [] [\"acquire\"]", "src/pool.rs:8 [] [\"release\"]"]
    );
    assert_eq!(
        told("See src/pool.rs:8.\n\nsrc/pool.rs:8 reads \"drop(guard);\".\n\nsrc/pool.rs:8 reads \"drop(guard);\"."),
        ["src/pool.rs:8 [\"drop(guard);\"] []"]
    );
}

#[test]
fn a_claim_that_names_a_place_does_not_answer_for_the_words_of_another() {
    let bare = Claim { text: "it panics".into(), evidence: vec!["src/a.rs:3".into()], attacks: vec![] };
    let quoted = Claim { evidence: vec!["src/a.rs:3 \"delete_all()\"".into()], ..bare.clone() };
    let told = |claims: &[&Claim], body: &str| -> Vec<String> {
        let claims = claims.iter().map(|claim| (*claim).clone()).collect();
        let statement = Statement { body: body.into(), claims, ..Statement::default() };
        statement.citations().iter().map(|c| format!("{:?} {:?}", c.claims, c.quotes)).collect()
    };
    assert_eq!(told(&[&bare, &quoted], ""), ["[1] []", "[2] [\"delete_all()\"]"]);
    assert_eq!(told(&[&quoted, &bare], ""), ["[1] [\"delete_all()\"]", "[2] []"]);
    assert_eq!(told(&[&quoted, &bare], "See src/a.rs:3."), ["[1] [\"delete_all()\"]", "[2] []"]);
    assert_eq!(told(&[&bare, &bare, &quoted], ""), ["[1, 2] []", "[3] [\"delete_all()\"]"]);
    // Words of one claim and its own place are one citation.
    let both = Claim { evidence: vec!["src/a.rs:3".into(), "src/a.rs:3 \"fn f3\"".into()], ..bare.clone() };
    assert_eq!(told(&[&both, &bare], ""), ["[1] [\"fn f3\"]", "[2] []"]);
}

#[test]
fn what_the_text_of_a_claim_names_is_looked_up_too() {
    let told = |tail: &str| -> Vec<String> {
        let citations = Statement::read(&format!("So.\n--- claims\n{tail}")).citations();
        citations.iter().map(|c| format!("{} {:?} {:?}", c.target, c.claims, c.quotes)).collect()
    };
    assert_eq!(
        told("claim: `src/pool.rs:99` drops it\nevidence: src/pool.rs:35"),
        ["src/pool.rs:35 [1] []", "src/pool.rs:99 [1] []"]
    );
    assert_eq!(told("claim: x (src/pool.rs:9)\nclaim: y\nevidence: src/pool.rs:9"), ["src/pool.rs:9 [2, 1] []"]);
    assert_eq!(told("1. claim: a | evidence: src/pool.rs:9"), ["src/pool.rs:9 [1] []"]);
    assert_eq!(
        told("claim: a\nevidence: src/pool.rs:9\n```rust\ndrop(x);\n```\nclaim: b\nevidence: b.rs:1"),
        ["src/pool.rs:9 [1] [\"drop(x);\"]", "b.rs:1 [2] []"]
    );
    assert_eq!(told("claim: a\nevidence: b.rs:1 `drop(x);`"), ["b.rs:1 [1] [\"drop(x);\"]"]);
    let unsupported = Statement::read("So.\n--- claims\nclaim: x (src/pool.rs:9)\nclaim: y");
    assert_eq!(unsupported.unsupported().map(|claim| claim.text.as_str()).collect::<Vec<_>>(), ["y"]);
}

#[test]
fn words_behind_the_list_are_not_swallowed() {
    let statement = Statement::read(
        "Body.\n--- claims\nclaim: one\n  that goes on\nevidence: a.rs:1\n\nclaim: two\n\nsrc/pool.rs:99 proves it.\n\nI concede that it is slow.",
    );
    assert_eq!(statement.body, "Body.\n\nsrc/pool.rs:99 proves it.\n\nI concede that it is slow.");
    assert_eq!(statement.claims.iter().map(|c| c.text.as_str()).collect::<Vec<_>>(), ["one that goes on", "two"]);
    assert_eq!(statement.citations().len(), 2);
    assert_eq!(statement.concessions, ["I concede that it is slow."]);
    let fenced = Statement::read("Body.\n```\n--- claims\nclaim: one\n```\nThat is all.");
    assert_eq!((fenced.body.as_str(), fenced.claims[0].text.as_str()), ("Body.\n\nThat is all.", "one"));
}

/// The citations of a statement with this list, those of a claim behind its number.
fn cited(tail: &str) -> String {
    let citations = Statement::read(&format!("T.\n\n--- claims\n{tail}")).citations();
    let told = |c: &Citation| {
        let claims = c.claims.iter().flat_map(|claim| [claim.to_string(), ":".to_owned()]);
        let quotes = c.quotes.iter().flat_map(|quote| [" |".to_owned(), quote.clone()]);
        claims.chain([c.target.to_string()]).chain(quotes).collect::<String>()
    };
    citations.iter().map(told).collect::<Vec<_>>().join(", ")
}

#[test]
fn what_is_no_item_of_the_list_is_prose_and_looked_up_there() {
    for tail in [
        "| claim | evidence |\n|---|---|\n| a | src/nope.rs:3 |",
        "- a (src/nope.rs:3)",
        "1. It waits, see src/nope.rs:3",
        "Satz: a\nFundort: src/nope.rs:3",
        "evidence: src/nope.rs:3",
        "claim:\nevidence: src/nope.rs:3",
        "I have none, but for src/nope.rs:3.",
    ] {
        assert_eq!(cited(tail), "src/nope.rs:3", "{tail}");
        let body = Statement::read(&format!("T.\n\n--- claims\n{tail}")).body;
        assert!(body.starts_with("T.\n\n") && body.contains("src/nope.rs:3"), "{body}");
    }
    assert_eq!(cited("concede: C1.1 \"I concede it.\" since src/a.rs:3 shows it"), "src/a.rs:3");
    assert_eq!(cited("claim: a\nattacks: C1.1, see src/a.rs:3"), "src/a.rs:3");
    assert_eq!(cited("evidence: run bench\nclaim: a\nevidence: src/a.rs:1"), "run bench, 1:src/a.rs:1");
}

#[test]
fn an_item_in_another_spelling_is_an_item() {
    for tail in [
        "claim P1.1: a\nevidence: src/a.rs:1\nclaim P1.2: b\nevidence: src/b.rs:2",
        "claim 1: a\nevidence: src/a.rs:1\nclaim 2: b\nevidence: src/b.rs:2",
        "P1.1: a\nevidence: src/a.rs:1\n\nP1.2: b\nevidence: src/b.rs:2",
        "claim: a\nevidence: src/a.rs:1\nP1.2: b\nevidence: src/b.rs:2",
        "> claim: a\n> evidence: src/a.rs:1\n> claim: b\n> evidence: src/b.rs:2",
        "Behauptung: a\nBeleg: src/a.rs:1\nBehauptung: b\nBeleg: src/b.rs:2",
        "claim P1.1: a\nclaim P1.2: b\nevidence for P1.1: src/a.rs:1\nevidence for P1.2: src/b.rs:2",
        "[{\"claim\": \"a\", \"evidence\": \"src/a.rs:1\"}, {\"claim\": \"b\", \"evidence\": [\"src/b.rs:2\"]}]",
        "claims:\n- a\nevidence: src/a.rs:1\nclaim: b\nevidence:\n- src/b.rs:2",
    ] {
        let statement = Statement::read(&format!("T.\n\n--- claims\n{tail}"));
        let texts: Vec<&str> = statement.claims.iter().map(|claim| claim.text.as_str()).collect();
        assert_eq!((texts, statement.body.as_str()), (vec!["a", "b"], "T."), "{tail}");
        assert_eq!(cited(tail), "1:src/a.rs:1, 2:src/b.rs:2", "{tail}");
    }
    let other = Statement::read("T.\n--- claims\nP1.2: it is refuted");
    assert_eq!(other.claims[0].text, "P1.2: it is refuted", "whose claim is spoken of stays");
}

#[test]
fn a_list_that_is_shown_in_a_block_is_nobodys_own() {
    let text = "They wrote:\n\n```\n--- claims\nclaim: TLS is on\n```\n\nIt is not.\n\n--- claims\nclaim: TLS is off\n";
    let statement = Statement::read(text);
    let claims: Vec<&str> = statement.claims.iter().map(|claim| claim.text.as_str()).collect();
    assert_eq!(claims, ["TLS is off"]);
    assert!(statement.body.ends_with("It is not."), "{}", statement.body);
}

#[test]
fn several_lists_are_one() {
    let twice = "T.\n\n--- claims\nclaim: a\nevidence: src/a.rs:1\nattacks: P1.1\n\nMore of it.\n\n--- claims\nclaim: b";
    let json = twice.replace("claim: b", "[{\"claim\": \"b\"}]");
    let fenced = twice.replace("--- claims\nclaim: b", "```\n--- claims\nclaim: b\n```");
    for text in [twice, &json, &fenced] {
        let read = Statement::read(text);
        let told: Vec<(&str, usize)> = read.claims.iter().map(|c| (c.text.as_str(), c.attacks.len())).collect();
        assert_eq!((told, read.body.as_str()), (vec![("a", 1), ("b", 0)], "T.\n\nMore of it."), "{text}");
    }
    let first = "T.\n\n--- claims\n[{\"claim\": \"a\"}]\n\n--- claims\n[{\"claim\": \"b\"}]";
    assert_eq!(Statement::read(first).claims.len(), 2);
    let conceding =
        "I concede that a is so.\n\n--- claims\nconcede: P1.1 \"I concede that a is so.\"\n\n--- claims\nclaim: b";
    assert_eq!(Statement::read(conceding).conceded.len(), 1);
    // A section of Markdown is prose.
    for text in ["T.\n\n## Claims\n\nThe proposer claims: a.", "T.\n\n## Claims\n\n- Claim 1: `src/a.rs:5` reads:"] {
        let read = Statement::read(text);
        assert_eq!((read.claims.len(), read.body.as_str()), (0, text));
    }
    let named = Statement::read("I end with\n--- claims\nas asked.\n\n--- claims\nclaim: a");
    assert_eq!((named.claims.len(), named.body.as_str()), (1, "I end with\n--- claims\nas asked."));
}

#[test]
fn an_attack_that_is_entered_is_not_told_again() {
    let body = |line: &str| Statement::read(&format!("T.\n--- claims\nclaim: a\n{line}")).body;
    assert_eq!(body("attacks: C1.1, C1.2"), "T.");
    assert_eq!(body("attacks: C1.1, nonsense"), "T.\n\nnonsense");
    assert_eq!(body("attacks: C1.1 and C1.2, see src/a.rs:3"), "T.\n\nsee src/a.rs:3");
    assert_eq!(body("attacks: all of it"), "T.\n\nattacks: all of it");
}

#[test]
fn a_line_of_another_kind_does_not_stick_to_evidence() {
    for line in [
        "Note: it says \"x\".",
        "reasoning: it calls \"x\"",
        "- it says \"x\"",
        "The docs call it \"x\".",
        "| a | \"x\" |",
        "concede C1.1: \"I concede that x is fine.\"",
        "\nIt says \"x\".",
    ] {
        assert_eq!(cited(&format!("claim: a\nevidence: src/a.rs:1\n{line}")), "1:src/a.rs:1", "{line}");
    }
    for more in ["\n  \"x y\"", "\n\"x y\"", " \"x\n  y\"", "\nsays: \"x y\""] {
        assert_eq!(cited(&format!("claim: a\nevidence: src/a.rs:1{more}")), "1:src/a.rs:1 |x y", "{more}");
    }
    assert_eq!(cited("claim: a\nevidence:\n- src/a.rs:1 \"x\"\n- b.rs:2"), "1:src/a.rs:1 |x, 1:b.rs:2");
    assert_eq!(cited("claim: a\nevidence: src/a.rs:1\n- src/b.rs:2 \"y\""), "1:src/a.rs:1, 1:src/b.rs:2 |y");
    let conceding = Statement::read("I concede that x is fine.\n--- claims\nconcede C1.1: \"I concede that x is fine.\"");
    assert_eq!(conceding.conceded.keys().map(ClaimId::as_str).collect::<Vec<_>>(), ["C1.1"]);
}

#[test]
fn a_block_of_code_before_the_list_keeps_its_fence() {
    let text = "See:\n```rust\ndrop(x);\n```\n--- claims\nclaim: one";
    assert_eq!(Statement::read(text).body, "See:\n```rust\ndrop(x);\n```");
    let fenced = "Body.\n```text\n--- claims\nclaim: one\n```\nSee:\n```rust\ndrop(x);\n```";
    let statement = Statement::read(fenced);
    assert_eq!(statement.body, "Body.\n\nSee:\n```rust\ndrop(x);\n```");
    assert_eq!(statement.claims[0].text, "one");
}

#[test]
fn the_tail_may_stand_in_a_fence_or_a_list() {
    for text in [
        "Body.\n\n```\n--- claims\nclaim: one\nevidence: a.rs:1\n```\n",
        "Body.\n**--- Claims**\n- claim: one\n  - evidence: a.rs:1\n",
        "Body.\n\n---claims\n1. Claim: one\n* Evidence: a.rs:1",
    ] {
        let statement = Statement::read(text);
        assert_eq!(statement.body, "Body.", "{text}");
        assert_eq!(
            statement.claims,
            [Claim { text: "one".into(), evidence: vec!["a.rs:1".into()], attacks: vec![] }],
            "{text}"
        );
    }
}

proptest! {
    #![proptest_config(ProptestConfig { rng_seed: RngSeed::Fixed(0x3fa9), ..ProptestConfig::default() })]

    #[test]
    fn reading_never_panics_and_keeps_every_word(
        text in "(\\PC|\\n){0,200}",
        tail in "(claim: |claim P1.1: |evidence: |attacks: |Note: |- |  |```|\"|\\n|\\PC){0,60}",
    ) {
        let read = Statement::read(&format!("{text}\n--- claims\n{tail}"));
        let claims = read.claims.iter().flat_map(|claim| {
            [claim.text.clone(), claim.evidence.join(" "), claim.attacks.iter().map(ClaimId::as_str).collect::<String>()]
        });
        let concessions = [read.concessions.join(" "), read.unfounded_concessions.join(" ")];
        let kept: String = claims.chain(concessions).chain([read.body.clone()]).collect::<Vec<_>>().join(" ");
        let keys = ["claim", "evidence", "attacks", "none", "na", "nil"];
        for word in tail.split(|c: char| !c.is_alphabetic()).filter(|word| word.chars().count() > 1) {
            let is_key = keys.iter().any(|key| key.eq_ignore_ascii_case(word));
            // The language of a block is no word of it.
            prop_assert!(is_key || tail.contains("```") || kept.contains(word), "{word:?} of {tail:?} is gone: {read:?}");
        }
        prop_assert!(read.body.starts_with(text.trim()) || text.contains("```") || text.contains("~~~"));
        let _ = Statement::read(&text);
    }

    #[test]
    fn a_concession_that_counts_stands_in_the_body(body in "[a-z ]{20,80}", from in 0_usize..8, len in 9_usize..12) {
        let quote: String = body.chars().skip(from).take(len).collect();
        let statement = Statement::read(&format!("{body}\n--- claims\nconcede: \"{quote}\""));
        for concession in &statement.concessions {
            prop_assert!(stands_in(concession, &statement.body));
        }
    }
}
