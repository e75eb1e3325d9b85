//! Fabricated sources: redacted before the next round, in closings too; and out of every later prompt and document.

use rebut_core::formats::panel::{SourceStatus, record};
use rebut_core::report;
use serde_json::json;

use super::{contents, told};
use crate::TestDebate;
use crate::test_debate::panel::{GONE, GOOD, OTHER, challenge, entry, panel, rebuttal, source, turn};

const LIE: &str = "Nine of ten teams dropped review within a year, says the Harlow survey. So should we.";

fn with_a_lie(debaters: usize) -> TestDebate {
    panel(debaters, |_| ()).says("round-1/anna", turn(&[entry("new_point", LIE, GONE)]))
}

/// Everything that is shown after a redaction: the prompts from this key on, and the documents without the log.
fn shown_after(test: &TestDebate, key: &str) -> Vec<(String, String)> {
    let mut shown: Vec<(String, String)> =
        test.prompts().skip_while(|(of, _)| *of != key).map(|(of, prompt)| (of.to_owned(), prompt.user.clone())).collect();
    assert!(!shown.is_empty(), "{key}");
    let files = report::files(test.debate(), "").into_iter();
    shown.extend(files.filter(|(name, _)| name != "debate-log.jsonl"));
    shown
}

#[test]
fn a_fabricated_source_is_redacted_before_the_next_round_begins() {
    let test = with_a_lie(2).run();
    let log = told(test.debate());
    let redaction = log.iter().position(|line| line.contains("chair redaction about 8")).expect("a redaction");
    assert_eq!(log[redaction + 1].split(' ').nth(2), Some("2"), "round 2 is announced after it: {log:#?}");
    assert!(contents(&test, "announcement").iter().any(|text| text.contains("seq 8 fabricated")));
    assert_eq!(contents(&test, "ruling"), Vec::<String>::new(), "a finding of the background is a redaction alone");
}

#[test]
fn a_redacted_entry_its_title_its_url_and_runs_of_its_words_are_in_nothing_that_follows() {
    let mut lie = entry("new_point", &format!("{LIE} 九成的团队在一年之内完全放弃了人工代码审查因为它太慢了。"), GONE);
    lie["sources"] = json!([source(GONE, "The Quibble almanac")]);
    let repeated = format!(
        "It is not so that nine of ten teams dropped review within a year, whatever the The Quibble almanac at {GONE} says. \
         他说九成的团队在一年之内完全放弃了人工代码审查因为它太慢了。"
    );
    let test = panel(3, |_| ())
        .says("round-1/anna", turn(&[lie]))
        .says("round-1/ben", turn(&[rebuttal(&repeated, 10, "docs/review.md:3")]))
        .says("round-2/carla", turn(&[entry("new_point", &format!("As said: {LIE}"), GOOD)]))
        .run();
    for (key, text) in shown_after(&test, "round-2/anna") {
        for words in ["ten teams dropped review", "Harlow", "Quibble", "在一年之内完全放弃了"] {
            assert!(!text.contains(words), "{words} in {key}: {text}");
        }
    }
    let log = test.debate().format().log(test.debate()).expect("a log");
    assert!(log.contains("Harlow survey") && log.contains("Quibble"), "the log keeps all of it");
    let transcript = report::document(test.debate());
    assert!(transcript.contains("### [seq 10] Phase: rebuttal | anna | new_point\n\n[REDACTED — fabricated source"));
    assert!(transcript.contains(&format!("fabricated source ({GONE}: ")), "a ruling names the source: {transcript}");
    assert!(transcript.contains("[^redacted-10]: redaction at seq"), "{transcript}");
    assert!(transcript.contains("whatever the [REDACTED] at [REDACTED] says"), "{transcript}");
}

#[test]
fn runs_of_eight_words_titles_and_urls_are_taken_out_and_no_less() {
    let mut lie = entry("new_point", &format!("{LIE} 九成的团队在一年之内完全放弃了人工代码审查因为它太慢了"), GONE);
    lie["sources"] = json!([source(GONE, "The Harlow survey")]);
    for (text, shown) in [
        ("He says NINE of ten teams dropped review within a… no.", "He says [REDACTED]… no."),
        ("Nine of ten teams dropped review within.", "Nine of ten teams dropped review within."),
        ("Yes: nine of ten teams *dropped* review within a year, says nobody.", "Yes: [REDACTED] nobody."),
        ("See https://example.com/gone2, The Harlow surveyors.", "See https://example.com/gone2, The Harlow surveyors."),
        ("At example.com/gone, or (https://www.example.com/gone/page?x=1#y).", "At [REDACTED], or ([REDACTED])."),
        ("In The Harlow survey.", "In [REDACTED]."),
        ("他说九成的团队在一年之内完全放弃了人工代码审查因为它太快了。", "他说[REDACTED]快了。"),
        ("九成的团队在一年之内完全放弃了审查", "九成的团队在一年之内完全放弃了审查"),
    ] {
        let test = panel(2, |_| ())
            .says("round-1/anna", turn(&[lie.clone()]))
            .says("round-2/ben", turn(&[entry("new_point", text, GOOD)]))
            .run();
        assert_eq!(contents(&test, "redaction").len(), 1);
        assert!(report::document(test.debate()).contains(&format!("> {shown}\n")), "{}", report::document(test.debate()));
    }
}

#[test]
fn an_unreliable_source_is_a_ruling_and_a_warning_in_the_next_cue_and_can_be_corrected() {
    let mut corrected = entry("new_point", "The study says less. It still saves time.", GOOD);
    corrected["corrects_seq"] = json!(8);
    let test = panel(2, |_| ())
        .says("round-1/anna", turn(&[entry("new_point", "It saves time. Much of it.", OTHER)]))
        .says("round-2/anna", turn(&[corrected]))
        .run();
    assert_eq!(contents(&test, "ruling").len(), 1, "{:?}", contents(&test, "ruling"));
    assert!(contents(&test, "ruling")[0].contains("anna is warned"));
    assert!(test.prompt("round-2/anna").user.contains("findings and rulings on your entries"));
    assert!(!test.prompt("round-2/ben").user.contains("findings and rulings on your entries"));
    let points = contents(&test, "new_point");
    assert!(points.contains(&"SOURCE CORRECTION for seq 8: The study says less. It still saves time.".to_owned()));
    let record = record(test.debate()).expect("a panel");
    assert!(record.correction_of(8).is_some() && record.correction_of(9).is_none());
    assert_eq!(record.debater("anna").uncorrected, Vec::<u64>::new());
    let files = report::files(test.debate(), "");
    let report = &files.iter().find(|(name, _)| name == "verifier-report.md").expect("a report").1;
    assert!(report.contains("- seq 8 (anna), corrected at seq"), "{report}");
}

#[test]
fn a_redacted_entry_corrects_nothing() {
    let mut corrected = entry("new_point", "A better study says it too. Much of it.", GONE);
    corrected["corrects_seq"] = json!(8);
    let test = panel(2, |_| ())
        .says("round-1/anna", turn(&[entry("new_point", "It saves time. Much of it.", OTHER)]))
        .says("round-2/anna", turn(&[corrected]))
        .run();
    let record = record(test.debate()).expect("a panel");
    assert_eq!((record.correction_of(8), record.debater("anna").uncorrected), (None, vec![8]));
}

#[test]
fn a_warning_after_the_closings_asks_for_no_correction() {
    let test = panel(2, |_| ())
        .says("closing/ben", turn(&[entry("closing_statement", "All was said. See the study.", OTHER)]))
        .run();
    let warned = contents(&test, "ruling").into_iter().find(|text| text.contains("ben is warned")).expect("a warning");
    assert!(warned.ends_with("ben is warned; it is too late to withdraw it."), "{warned}");
}

#[test]
fn a_fabrication_in_a_closing_still_redacts_before_the_judgement() {
    let test = panel(2, |_| ())
        .says("closing/ben", turn(&[entry("closing_statement", "All was said. See the survey.", GONE)]))
        .run();
    let log = told(test.debate());
    let closing = log.iter().position(|line| line.contains("ben closing_statement")).expect("a closing");
    let result =
        log.iter().position(|line| line.ends_with(&format!("verification_result about {closing}"))).expect("a result");
    let redaction = log.iter().position(|line| line.ends_with(&format!("redaction about {closing}"))).expect("a redaction");
    let conclusion = log.iter().position(|line| line.contains("chair conclusion")).expect("a conclusion");
    let last = log.iter().position(|line| line.contains("anna closing_statement")).expect("the last closing");
    assert!(last < result && result < redaction && redaction < conclusion, "{log:#?}");
    assert!(!test.prompt("chair/judgement/1").user.contains("All was said"));
    assert!(contents(&test, "ruling")[0].contains(&format!("a closing can't list a new source: {GONE}")));
}

#[test]
fn what_was_said_before_and_sources_that_others_list_are_not_redacted() {
    let opening = "Human review found 41 of 60 faults at the Boehm works in a year. It pays, and it is so.";
    let mut copied = entry("new_point", opening, GONE);
    copied["sources"] = json!([source(GONE, "The Boehm records"), source("docs/review.md:3", "The log of reviews")]);
    let mut own = entry("new_point", "The log of reviews in docs/review.md:3 is mine. It counts.", "docs/review.md:3");
    own["sources"][0]["title"] = json!("The log of reviews");
    let test = panel(2, |_| ())
        .says("opening/ben", turn(&[entry("opening_statement", opening, "docs/review.md:3")]))
        .says("round-1/anna", turn(&[copied]))
        .says("round-2/ben", turn(&[own]))
        .run();
    assert_eq!(contents(&test, "redaction").len(), 1);
    let transcript = report::document(test.debate());
    assert!(transcript.contains(opening), "{transcript}");
    assert!(transcript.contains("The log of reviews in docs/review.md:3 is mine."), "{transcript}");
    assert!(test.prompt("chair/judgement/1").user.contains(opening));
}

#[test]
fn the_claim_of_a_challenge_goes_with_the_entry_that_it_quotes() {
    let test = with_a_lie(2).says("round-1/ben", turn(&[challenge(8, "Nine of ten teams dropped review")])).run();
    assert_eq!(contents(&test, "redaction").len(), 1, "{:?}", contents(&test, "ruling"));
    let transcript = report::document(test.debate());
    assert!(transcript.contains("The claim that fails: [REDACTED]"), "{transcript}");
    for (key, text) in shown_after(&test, "round-1/ben/2") {
        assert!(!text.contains("Nine of ten"), "{key}: {text}");
    }
}

#[test]
fn a_listed_figure_must_be_in_its_source_and_digits_in_prose_are_not_judged() {
    let figure = |value: &str| {
        let mut entry = entry("new_point", "Review found 41 of 60 faults, or 73 %. It is counted.", "docs/review.md:3");
        entry["figures"] = json!([{"value": value, "source": 1}]);
        entry
    };
    let test = panel(2, |_| ())
        .says("round-1/anna", turn(&[figure("73 %")]))
        .says("round-1/ben", turn(&[figure("41 of 60")]))
        .run();
    let record = record(test.debate()).expect("a panel");
    let told: Vec<&str> = record.results_of(8).map(|result| result.explanation.as_str()).collect();
    assert_eq!(told, ["the figure 73 % is not in it"]);
    assert_eq!(record.debater("ben").count(SourceStatus::Unreliable), 0);
    assert!(test.prompt("round-1/ben/verification").user.contains("Figures taken from it: 41 of 60"));
    assert!(!test.asked().contains(&"round-1/anna/verification"), "there is nothing left to judge");
}
