//! What is said about the debate is held to its record: the chair's conclusion, the audience's, and the documents.

use rebut_core::formats::panel::check_log;
use rebut_core::report;

use super::contents;
use crate::TestDebate;
use crate::test_debate::panel::{GONE, entry, judged, panel, turn};

const LIE: &str = "Nine of ten teams dropped review within a year, says the Harlow survey. So should we.";

fn with_a_lie(debaters: usize) -> TestDebate {
    panel(debaters, |_| ()).says("round-1/anna", turn(&[entry("new_point", LIE, GONE)]))
}

#[test]
fn a_conclusion_that_denies_a_redaction_is_asked_for_again() {
    let names = ["anna", "ben"];
    let test = with_a_lie(2)
        .says("chair/judgement", judged(&names, "ben_wins", "No fabricated sources were found. Ben argued better."))
        .says("chair/judgement", judged(&names, "ben_wins", "Anna's source at seq 8 was fabricated and redacted."))
        .run();
    assert_eq!(test.rejections("chair/judgement"), ["judgement:contradicts_the_record"]);
    assert!(
        test.prompt("chair/judgement")
            .user
            .contains("\"No fabricated sources were found.\": it speaks of sources, or of what was found")
    );
    assert_eq!(test.lines(), Vec::<&str>::new(), "what names its entry is taken");
    assert_eq!(test.outcome().decision.as_deref(), Some("ben_wins"));
}

#[test]
fn a_conclusion_cannot_rest_on_a_redacted_entry() {
    let names = ["anna", "ben"];
    let test = with_a_lie(2).says("chair/judgement", judged(&names, "anna_wins", "Seq 8 decides it.")).run();
    assert_eq!(test.rejections("chair/judgement"), ["judgement:contradicts_the_record"]);
}

#[test]
fn where_several_fabricate_the_debate_can_be_void_and_no_blog_post_is_written() {
    let test = with_a_lie(2)
        .says(
            "round-1/ben",
            turn(&[entry("new_point", "The Marlow survey says the opposite. All went back to review.", GONE)]),
        )
        .says("chair/judgement", judged(&["anna", "ben"], "void", "Seqs 8 and 9 rest on fabricated sources."))
        .run();
    assert!(test.prompt("chair/judgement").user.contains("More than one debater has fabricated sources."));
    assert_eq!(test.outcome().decision.as_deref(), Some("void"));
    assert!(!test.asked().contains(&"reporter/blog-post"));
    let files = report::files(test.debate(), "");
    assert!(!files.iter().any(|(name, _)| name == "blog-post.md"));
    assert!(files.iter().any(|(name, _)| name == "assessor-report.md"));
    let log = &files.iter().find(|(name, _)| name == "debate-log.jsonl").expect("the log").1;
    assert_eq!(check_log(log), []);
}

#[test]
fn an_audience_that_names_entries_which_are_not_there_has_it_in_its_conclusion() {
    let words = "As seq 99 shows it weighs more than what was said against it. ".repeat(4);
    let said = |seq: u64| {
        serde_json::json!({
            "arguments": [{"seq": seq, "why": words}, {"seq": seq, "why": words}],
            "insight": words, "open_questions": [words], "view": words,
        })
    };
    let test = with_a_lie(2)
        .says("audience/conclusion", said(2).to_string())
        .says("audience/conclusion", said(2).to_string())
        .run();
    assert_eq!(test.rejections("audience/conclusion"), ["conclusion:contradicts_the_record"]);
    let concluded = contents(&test, "audience_conclusion").remove(0);
    assert!(
        concluded.ends_with("The audience's words do not fit the record: there is no entry with seq 99."),
        "{concluded}"
    );
    let files = report::files(test.debate(), "");
    let of = |name: &str| &files.iter().find(|(known, _)| known == name).expect("a file").1;
    assert!(of("summary.md").contains("there is no entry with seq 99."));
    assert_eq!(check_log(of("debate-log.jsonl")), []);
}

#[test]
fn what_is_written_about_the_debate_is_held_to_the_record_asked_again_once_and_noted_then() {
    let denied = serde_json::json!({"notable_findings": ["No source was fabricated, as seq 999 shows."]}).to_string();
    let test = with_a_lie(2).says("reporter/verifier-notes", denied.clone()).says("reporter/verifier-notes", denied).run();
    assert_eq!(test.rejections("reporter/verifier-notes"), ["notes:contradicts_the_record"]);
    let told = test.lines().join("\n");
    assert!(told.contains("The part on the verifier was asked for again and still goes against the record"), "{told}");
    let files = report::files(test.debate(), "");
    let of = |name: &str| &files.iter().find(|(known, _)| known == name).expect("a file").1;
    let objection = "Words of this document go against the record: \"No source was fabricated, as seq 999 shows.\" (";
    assert!(of("verifier-report.md").contains(objection), "{}", of("verifier-report.md"));
    assert!(!of("summary.md").contains("go against the record"));
    let sound =
        serde_json::json!({"notable_findings": ["One source was fabricated, at seq 8, which was redacted."]}).to_string();
    let test = with_a_lie(2).says("reporter/verifier-notes", sound).run();
    assert_eq!((test.rejections("reporter/verifier-notes"), test.lines()), (Vec::new(), Vec::new()));
}

#[test]
fn a_blog_post_that_stays_too_short_is_taken_and_that_is_said() {
    let short = serde_json::json!({"title": "Review", "body": "word ".repeat(500)}).to_string();
    let test = panel(2, |_| ()).says("reporter/blog-post", short.clone()).says("reporter/blog-post", short).run();
    assert_eq!(test.rejections("reporter/blog-post"), ["blog:length"]);
    assert_eq!(test.lines(), ["The blog post was asked for again and still has 500 words; it should have 800 to 1500."]);
}

#[test]
fn the_chairs_figures_are_compared_with_the_record_which_stands_under_every_conclusion() {
    let mut wrong: serde_json::Value =
        serde_json::from_str(&judged(&["anna", "ben"], "ben_wins", "Keine Quelle war erfunden.")).expect("a judgement");
    wrong["debaters"][0]["record"] = serde_json::json!({
        "verified": 4, "unreliable": 0, "fabricated": 0, "unchecked": 0, "redactions": 0, "penalties": 0,
    });
    let test = with_a_lie(2).says("chair/judgement", wrong.to_string()).run();
    assert_eq!(test.rejections("chair/judgement"), ["judgement:record"]);
    let asked = &test.prompt("chair/judgement").user;
    assert!(asked.contains("in the `record` of anna:") && asked.contains("fabricated is 1 and not 0"), "{asked}");
    let concluded = &contents(&test, "conclusion")[0];
    assert!(concluded.contains("\nOn record: verified ") && concluded.contains("fabricated 1"), "{concluded}");
}

#[test]
fn a_sentence_on_the_record_that_is_said_again_is_left_out_of_the_conclusion_which_says_so() {
    let denied = judged(&["anna", "ben"], "ben_wins", "No fabricated sources were found. Ben argued better.");
    let test = with_a_lie(2).says("chair/judgement", denied.clone()).says("chair/judgement", denied).run();
    assert_eq!(test.rejections("chair/judgement"), ["judgement:contradicts_the_record"]);
    let asked = &test.prompt("chair/judgement").user;
    assert!(asked.contains("does not name the entry that it means; write `seq N`"), "{asked}");
    assert_eq!(test.outcome().decision.as_deref(), Some("ben_wins"));
    let left_out = "A sentence of the chair on the record was left out.";
    assert_eq!(test.lines(), [format!("The judgement was asked for again: {left_out}")]);
    let concluded = &contents(&test, "conclusion")[0];
    assert!(concluded.contains(&format!("Reason: Ben argued better.\n{left_out}\nOn record: ")), "{concluded}");
    let files = report::files(test.debate(), "");
    let of = |name: &str| &files.iter().find(|(known, _)| known == name).expect("a file").1;
    for name in ["metadata.json", "summary.md", "transcript.md"] {
        assert!(of(name).contains(left_out) && !of(name).contains("No fabricated sources"), "{name}: {}", of(name));
    }
    assert_eq!(check_log(of("debate-log.jsonl")), []);
}

#[test]
fn a_conclusion_that_names_its_entries_is_taken_at_once() {
    let reason = "Ben showed that the source of seq 8 was fabricated. The redacted seq 8 does not count.";
    let test = with_a_lie(2).says("chair/judgement", judged(&["anna", "ben"], "ben_wins", reason)).run();
    assert_eq!((test.rejections("chair/judgement"), test.lines()), (Vec::new(), Vec::new()));
    assert!(contents(&test, "conclusion")[0].contains(reason));
    let log = report::log(test.debate()).expect("a log");
    assert_eq!(check_log(&log), []);
}

#[test]
fn a_stray_reference_that_is_repeated_and_a_record_of_the_chairs_own_cost_no_conclusion() {
    let stray = judged(&["anna", "ben"], "ben_wins", "Seq 400 decides it.\nOn record: verified 99.");
    let test = with_a_lie(2).says("chair/judgement", stray.clone()).says("chair/judgement", stray).run();
    assert_eq!(test.rejections("chair/judgement"), ["judgement:reference"]);
    let concluded = &contents(&test, "conclusion")[0];
    assert!(
        concluded.contains("Reason: Nothing else was said.\nA sentence of the chair on the record was left out."),
        "{concluded}"
    );
    assert!(!concluded.contains("verified 99") && !concluded.contains("400"), "{concluded}");
}

#[test]
fn where_nobody_could_read_the_sources_no_conclusion_says_that_none_was_fabricated() {
    let names = ["anna", "ben"];
    let test = panel(2, |_| ())
        .says("round-1/anna", turn(&[entry("new_point", "It costs too much. All say so.", "https://example.com/wall")]))
        .says("chair/judgement", judged(&names, "ben_wins", "None of the sources was fabricated."))
        .run();
    assert_eq!(test.rejections("chair/judgement"), ["judgement:contradicts_the_record"]);
    assert!(contents(&test, "conclusion")[0].contains("unchecked 1;"));
}

#[test]
fn the_chair_and_the_audience_name_no_entry_that_is_not_there() {
    let ask = serde_json::json!({"type": "clarification_request", "content": "Which?", "in_one_sentence": "Which?"});
    let question = |text: &str| serde_json::json!({"questions": [{"to": "anna", "question": text}]}).to_string();
    let test = panel(2, |_| ())
        .says("round-1/anna", turn(&[ask]))
        .says("round-1/anna/clarification", serde_json::json!({"answer": "See seq 400."}).to_string())
        .says("round-1/audience", question("What of seq 900?"))
        .run();
    assert_eq!(test.rejections("round-1/anna/clarification"), ["clarification:reference"]);
    assert_eq!(test.rejections("round-1/audience"), ["questions:reference"]);
}

#[test]
fn what_is_refused_for_redacted_words_is_shown_again_without_them() {
    let body = format!("Nine of ten teams dropped review within a year. {}", "word ".repeat(900));
    let repeated = serde_json::json!({"title": "Review", "body": body}).to_string();
    let test = with_a_lie(2).says("reporter/blog-post", repeated).run();
    assert_eq!(test.rejections("reporter/blog-post"), ["blog:redacted"]);
    let asked = &test.prompt("reporter/blog-post").user;
    assert!(asked.contains("your rejected answer") && asked.contains("[REDACTED]. word"), "{asked}");
    assert!(!asked.contains("teams dropped review within"), "{asked}");
}
