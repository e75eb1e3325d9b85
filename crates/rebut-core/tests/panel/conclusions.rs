//! The chair's judgement is fields; the record is printed beside it, and its words are for people.

use rebut_core::formats::panel::check_log;
use rebut_core::report;
use serde_json::json;

use super::contents;
use crate::TestDebate;
use crate::test_debate::panel::{GONE, entry, judged, panel, turn};

const LIE: &str = "Nine of ten teams dropped review within a year, says the Harlow survey. So should we.";

fn with_a_lie(debaters: usize) -> TestDebate {
    panel(debaters, |_| ()).says("round-1/anna", turn(&[entry("new_point", LIE, GONE)]))
}

#[test]
fn the_record_is_printed_beside_whatever_the_chair_says() {
    let reason =
        "Anna brought better sources than Ben. No source was fabricated.\nOn record: sources verified 99; redactions 0.";
    let test = with_a_lie(2).says("chair/judgement/1", judged(&["anna", "ben"], "ben_wins", 2, reason)).run();
    assert_eq!((test.rejections("chair/judgement/1"), test.lines()), (Vec::new(), Vec::new()), "no sentence is judged");
    assert_eq!(test.outcome().decision.as_deref(), Some("ben_wins"));
    let concluded = &contents(&test, "conclusion")[0];
    assert_eq!(concluded.lines().count(), 2, "only the engine's line begins with the record: {concluded}");
    let last = concluded.lines().last().expect("a line");
    assert!(last.starts_with("On record: sources verified ") && last.contains("fabricated 1, unchecked 0; redactions 1."));
    let files = report::files(test.debate(), "");
    assert!(
        files.iter().any(|(name, text)| name == "summary.md" && text.contains("fabricated 1, unchecked 0; redactions 1."))
    );
    assert_eq!(check_log(&test.debate().format().log(test.debate()).expect("a log")), []);
}

#[test]
fn a_blog_post_that_stays_too_short_is_taken_and_that_is_said() {
    let short = json!({"title": "Review", "body": "word ".repeat(500), "sources": []}).to_string();
    let test = panel(2, |_| ()).says("reporter/blog-post", short.clone()).says("reporter/blog-post", short).run();
    assert_eq!(test.rejections("reporter/blog-post"), ["blog:length"]);
    assert_eq!(test.lines(), ["The blog post was asked for again and still has 500 words; it should have 800 to 1500."]);
}

#[test]
fn what_a_blog_post_mentions_and_nobody_verified_is_named_under_it() {
    let body = format!("See https://example.com/elsewhere. {}", "word ".repeat(900));
    let blog = json!({"title": "Review", "body": body, "sources": ["docs/review.md:3"]}).to_string();
    let test = panel(2, |_| ()).says("reporter/blog-post", blog).run();
    let files = report::files(test.debate(), "");
    let blog = &files.iter().find(|(name, _)| name == "blog-post.md").expect("a blog post").1;
    let end = "## Sources\n\n- docs/review.md:3\n\n## Mentioned, not verified\n\n- https://example.com/elsewhere\n";
    assert!(blog.ends_with(end), "{blog}");
}
