//! What the scanner of prose finds, by labelled lines (`mentions/corpus.txt`) and for any text at all.

use proptest::prelude::*;
use rebut_core::evidence::{Mention, scan};

/// The places of a text as the corpus writes them.
fn places(text: &str) -> Vec<String> {
    let shown = |Mention { evidence, .. }: Mention| match &evidence.quote {
        Some(quote) => format!("{evidence} \"{quote}\"").replace('\n', "⏎"),
        None => evidence.to_string(),
    };
    scan(text).into_iter().map(shown).collect()
}

#[test]
fn labelled_lines_are_read_as_labelled() {
    let corpus = include_str!("mentions/corpus.txt");
    let labelled: Vec<&str> = corpus.lines().filter(|line| !line.is_empty() && !line.starts_with("# ")).collect();
    assert!(labelled.len() >= 80, "{} lines", labelled.len());
    let wrong = labelled.into_iter().filter_map(|line| {
        let (text, expected) = line.split_once('\t').expect("a text, a tab and its places");
        let expected: Vec<&str> = expected.split('\t').filter(|place| *place != "-").collect();
        let found = places(&text.replace('⏎', "\n"));
        (found != expected).then(|| format!("{text}\n  expected {expected:?}\n  found    {found:?}"))
    });
    let wrong: Vec<String> = wrong.collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn a_span_covers_the_place_as_written() {
    let text = "é `src/a.rs` lines 3–9,\r\n```\nx\n```\n(Commit `3fa9c2e`): https://example.com/.";
    let spans: Vec<&str> = scan(text).into_iter().map(|mention| &text[mention.span]).collect();
    assert_eq!(spans, ["src/a.rs` lines 3–9", "Commit `3fa9c2e", "https://example.com/"]);
}

/// In quadratic time this would not finish.
#[test]
fn a_megabyte_of_openings_without_an_end_is_read() {
    let openings =
        ["a/b:", "`", "`` ` ", "`a /b ", "\"", " \"a.rs:1", "„", "[a.rs:1](", "/[", "https://a(", "commit `", "a.rs*"];
    let lines = openings.map(|opening| format!("- {}", opening.repeat(100_000 / opening.len())));
    let text = lines.join("\n") + &"\na.rs:1\n```\n```".repeat(10_000);
    assert!(text.len() > 1_000_000);
    assert!(scan(&text).len() > 20_000);
}

proptest! {
    #[test]
    fn spans_are_parts_of_the_text_in_order(
        text in prop_oneof![
            any::<String>(),
            "[a-c./:`\"'„“”‘’#L0-9 \n()\\[\\]*_é設\\\\-]{0,80}",
            "((src/)?a\\.rs(:|#L| lines? )?[0-9]{0,3}|commit |[0-9a-f]{6,8}|https?://|`{1,3}|[ \n\"“”(\\[\\])…–]){0,30}",
        ]
    ) {
        let mut end = 0;
        for Mention { span, evidence } in scan(&text) {
            prop_assert!(end <= span.start && span.start < span.end);
            let written = text.get(span.clone()).expect("a span ends between characters").replace("\\_", "_");
            let subject = [evidence.commit, evidence.url, evidence.file].into_iter().flatten().next();
            prop_assert!(subject.is_some_and(|subject| written.contains(&subject)), "{written}");
            end = span.end;
        }
    }
}
