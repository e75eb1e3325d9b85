//! Fabricated sources: redacted before the next round, in closings too; and out of every later prompt and document.

use rebut_core::formats::panel::minutes;
use rebut_core::report;

use super::{contents, told};
use crate::TestDebate;
use crate::test_debate::panel::{GONE, GOOD, OTHER, challenge, entry, panel, rebuttal, turn};

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
fn redacted_words_are_in_no_later_prompt_and_in_no_document_but_the_log() {
    let repeated = "It is not so that nine of ten teams dropped review within a year. Look again.";
    let test = with_a_lie(3)
        .says("round-1/ben", turn(&[rebuttal(repeated, 10, "docs/review.md:3")]))
        .says("round-2/carla", turn(&[entry("new_point", "As said, nine of ten teams dropped review within a year.", GOOD)]))
        .run();
    let hidden = |shown: &str| {
        let shown = shown.to_lowercase();
        shown.contains("teams dropped review within") || shown.contains("harlow survey")
    };
    let begins = test.prompts().position(|(key, _)| key == "round-2/anna").expect("a second round");
    // Carla says it once more in round 2, and is the one who may be shown its own rejected words.
    for (key, prompt) in test.prompts().skip(begins) {
        assert!(!hidden(&prompt.user), "{key}: {}", prompt.user);
    }
    for (name, text) in report::files(test.debate(), "") {
        assert_eq!(hidden(&text), name == "debate-log.jsonl", "{name}");
    }
    let transcript = report::document(test.debate());
    assert!(transcript.contains("### [seq 10] Phase: rebuttal | anna | new_point\n\n[REDACTED — fabricated source"));
    assert!(transcript.contains("[^redacted-10]: redaction at seq"), "{transcript}");
    assert!(!hidden(&transcript));
}

#[test]
fn an_unreliable_source_is_a_ruling_and_a_warning_in_the_next_cue_and_can_be_corrected() {
    let corrected = "SOURCE CORRECTION for seq 8: the study says less. It still saves time.";
    let test = panel(2, |_| ())
        .says("round-1/anna", turn(&[entry("new_point", "It saves time. Much of it.", OTHER)]))
        .says("round-2/anna", turn(&[entry("new_point", corrected, GOOD)]))
        .run();
    assert_eq!(contents(&test, "ruling").len(), 1, "{:?}", contents(&test, "ruling"));
    assert!(contents(&test, "ruling")[0].contains("anna is warned"));
    assert!(test.prompt("round-2/anna").user.contains("Withdraw or replace what is unreliable"));
    assert!(!test.prompt("round-2/ben").user.contains("what was found of your sources"));
    let minutes = minutes(test.debate()).expect("a panel");
    assert_eq!(minutes.corrections.iter().map(|(of, _)| *of).collect::<Vec<_>>(), [8]);
    assert_eq!(minutes.debater("anna").uncorrected, Vec::<u64>::new());
    let files = report::files(test.debate(), "");
    let report = &files.iter().find(|(name, _)| name == "verifier-report.md").expect("a report").1;
    assert!(report.contains("- seq 8 (anna), corrected at seq"), "{report}");
}

#[test]
fn whoever_is_warned_after_the_last_word_is_not_told_to_withdraw() {
    let test = panel(2, |_| ())
        .says("closing/ben", turn(&[entry("closing_statement", "All was said. See the study.", OTHER)]))
        .run();
    let warned = contents(&test, "ruling").into_iter().find(|text| text.contains("ben is warned")).expect("a warning");
    assert!(warned.ends_with("ben is warned; nothing can be withdrawn any more."), "{warned}");
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
    assert!(!test.prompt("chair/judgement").user.contains("All was said"));
    // A new source in a closing breaks a rule as well.
    assert!(contents(&test, "ruling")[0].contains("a closing brings in no new source"));
}

#[test]
fn a_fabricator_hides_nothing_that_others_have_said() {
    let opening = "Human review found 41 of 60 faults at the Boehm works in a year. It pays, and it is so.";
    let mut copied = entry("new_point", opening, GONE);
    copied["in_one_sentence"] = serde_json::json!("It is so.");
    let test = panel(2, |_| ())
        .says("opening/ben", turn(&[entry("opening_statement", opening, "docs/review.md:3")]))
        .says("round-1/anna", turn(&[copied]))
        .run();
    assert_eq!(contents(&test, "redaction").len(), 1);
    let files = report::files(test.debate(), "");
    let transcript = &files.iter().find(|(name, _)| name == "transcript.md").expect("a transcript").1;
    assert!(transcript.contains(opening), "{transcript}");
    assert!(test.prompt("chair/judgement").user.contains(opening));
    for (key, text) in shown_after(&test, "round-2/anna") {
        assert!(!text.contains("of anna. [REDACTED]") && !text.contains("Human review found [REDACTED]"), "{key}: {text}");
    }
}

#[test]
fn names_frameworks_sources_short_quotations_and_claims_of_a_redacted_entry_are_out_of_what_follows() {
    let mut lie = entry(
        "new_point",
        "Under the Zanzibar ratio reviewers waste 83 mornings yearly. 九成的团队在一年内放弃了审查。",
        GONE,
    );
    lie["frameworks"] = serde_json::json!([{"name": "Zanzibar ratio", "description": "Mornings per reviewer."}]);
    lie["sources"][0]["title"] = serde_json::json!("The Quibble almanac");
    let mut challenged = challenge(8, "Reviewers squander their mornings.");
    challenged["in_one_sentence"] = serde_json::json!("Reviewers squander no mornings.");
    let answer = "Nobody wastes 83 mornings yearly, whatever the Quibble almanac says. 他说九成的团队在一年内放弃。";
    let test = panel(2, |_| ())
        .says("round-1/anna", turn(&[lie]))
        .says("round-1/ben", turn(&[rebuttal(answer, 8, "docs/review.md:3"), challenged]))
        .run();
    assert_eq!(contents(&test, "redaction").len(), 1, "{:?}", contents(&test, "ruling"));
    for (key, text) in shown_after(&test, "round-1/ben/2") {
        for word in ["Zanzibar", "Quibble", "83 mornings", "squander", "九成的团队", "mornings yearly"] {
            assert!(!text.contains(word), "{word} in {key}: {text}");
        }
    }
}

#[test]
fn a_redacted_claim_is_hidden_by_its_figure_in_other_words_too() {
    let lie = "In the Harlow survey 87 percent of teams dropped review within a year. So should we.";
    let said = |text: &str| turn(&[entry("new_point", text, "docs/review.md:3")]);
    let test = panel(3, |_| ())
        .says("round-1/anna", turn(&[entry("new_point", lie, GONE)]))
        .says("round-2/ben", said("Anna says 87 percent of all teams gave it up. No. 87% dropped it, it is said."))
        .says("round-2/carla", said("For 87 % of an hour I waited. It was long."))
        .run();
    let transcript = report::document(test.debate());
    assert!(transcript.contains("Anna says [REDACTED] of all teams gave it up. No. [REDACTED] dropped it"), "{transcript}");
    assert!(transcript.contains("For 87 % of an hour I waited."), "another figure of somebody else: {transcript}");
}

#[test]
fn what_an_opponent_says_by_a_verified_source_of_its_own_is_not_hidden() {
    let own = "At Harlow review found 41 of 60 faults. So it pays.";
    let test = with_a_lie(2).says("round-2/ben", turn(&[entry("new_point", own, "docs/review.md:3")])).run();
    assert!(test.prompt("chair/judgement").user.contains("At Harlow review found 41 of 60 faults"));
}

#[test]
fn nobody_has_an_opponents_words_struck_by_calling_them_a_claim() {
    let honest = "Human reviewers explain their findings to whoever wrote code.";
    // What is no challenge has no claim, and the claim of a challenge can be anybody's words.
    let mut stray = entry("new_point", "Review is a habit. It stays one.", GOOD);
    (stray["target_seq"], stray["claim"]) = (serde_json::json!(10), serde_json::json!(honest));
    let test = with_a_lie(3)
        .says("round-1/ben", turn(&[entry("new_point", honest, "docs/review.md:3")]))
        .says("round-1/carla", turn(&[challenge(10, &format!("Nine of ten teams dropped review within a year: {honest}"))]))
        .says("round-2/anna", turn(&[stray]))
        .run();
    assert_eq!(contents(&test, "redaction").len(), 1);
    let transcript = report::document(test.debate());
    assert!(transcript.contains(honest), "{transcript}");
    assert!(transcript.contains("The claim that fails: [REDACTED]"), "{transcript}");
    assert!(test.prompt("closing/ben").user.contains("Human reviewers explain their findings"));
    let later = test.prompt("closing/ben").user.lines().find(|line| line.contains("Review is a habit")).map(str::to_owned);
    assert!(later.is_some(), "what is no challenge is not told as one");
}

#[test]
fn whoever_recalls_in_a_closing_that_a_source_was_fabricated_does_not_cite_it() {
    let missing = "docs/nothere.md:7";
    let mut closing = entry("closing_statement", "Anna's file docs/nothere.md:7 does not exist; I stay with mine.", GOOD);
    closing["sources"] = serde_json::json!([]);
    let test = panel(2, |_| ())
        .says("round-1/anna", turn(&[entry("new_point", "Review costs more than it brings. So it is.", missing)]))
        .says("closing/ben", turn(&[closing]))
        .run();
    let minutes = minutes(test.debate()).expect("a panel");
    assert_eq!(minutes.debater("ben").record.unreliable, 0);
    assert!(!contents(&test, "ruling").iter().any(|text| text.contains("ben is warned")));
}

#[test]
fn no_ruling_names_the_figure_of_a_redacted_entry_whoever_has_repeated_it() {
    let mut repeated = entry("new_point", "They saved 73 % of everything. It is so.", "docs/review.md:3");
    repeated["in_one_sentence"] = serde_json::json!("They saved much.");
    let test = panel(2, |_| ())
        .says("round-1/anna", turn(&[entry("new_point", "It saves 73 % of the time. It was measured.", GONE)]))
        .says("round-2/ben", turn(&[repeated]))
        .run();
    assert_eq!(contents(&test, "redaction").len(), 1);
    let rulings = contents(&test, "ruling").join("\n");
    assert!(rulings.contains("the figure 73 % stands in no source"), "the log keeps it: {rulings}");
    for (key, text) in shown_after(&test, "closing/ben") {
        assert!(!text.contains("the figure 73 %"), "{key}: {text}");
    }
    assert!(report::document(test.debate()).contains("the figure [REDACTED] stands in no source of the entry"));
}

#[test]
fn the_persons_own_words_on_the_lineup_are_hidden_nowhere() {
    let wished = "a clerk of the Harlow survey who counts what teams dropped";
    let test = panel(2, |setup| {
        wished.clone_into(&mut setup.hints);
        setup.debaters[0].persona = "A clerk.".to_owned();
    })
    .says("round-1/anna", turn(&[entry("new_point", &format!("I am {wished}. So I know."), GONE)]))
    .run();
    let veil = minutes(test.debate()).expect("a panel").veil(&rebut_core::formats::panel::matter(test.debate().plan()));
    assert_eq!(veil.over_text(wished), wished);
}

#[test]
fn whoever_points_at_a_fabricated_source_or_corrects_ones_own_is_not_redacted_for_it() {
    let missing = "docs/none.md:7";
    let accused = rebuttal("Look for docs/none.md:7 yourselves: there is no such file. So seq 8 rests on nothing.", 8, GOOD);
    let mut bare =
        entry("new_point", "[CONJECTURE] Without docs/none.md:7 of seq 8 little is left. That is my guess.", GOOD);
    bare["sources"] = serde_json::json!([]);
    let corrected = "SOURCE CORRECTION for seq 8: docs/none.md:7 was a slip. It stays a guess.";
    let test = panel(2, |_| ())
        .says("round-1/anna", turn(&[entry("new_point", "Review costs more than it brings. The file shows it.", missing)]))
        .says("round-1/ben", turn(&[accused, bare]))
        .says("round-2/anna", turn(&[entry("new_point", corrected, GOOD)]))
        .run();
    assert_eq!(contents(&test, "redaction").len(), 1, "{:?}", contents(&test, "redaction"));
    let minutes = minutes(test.debate()).expect("a panel");
    assert_eq!(minutes.debater("ben").record.fabricated, 0);
    assert_eq!(minutes.debater("ben").record.unreliable, 0);
}

#[test]
fn a_ruling_on_an_entry_that_is_redacted_later_does_not_keep_its_figures() {
    let mut closing = entry("closing_statement", "Zanzibar proves it in 73 harbours. It does.", GONE);
    closing["in_one_sentence"] = serde_json::json!("It is proven.");
    let test = panel(2, |_| ()).says("closing/ben", turn(&[closing])).run();
    assert!(contents(&test, "ruling").iter().any(|text| text.contains("names 73")), "the log keeps it");
    for (key, text) in shown_after(&test, "chair/judgement") {
        assert!(!text.contains("names 73") && !text.contains("Zanzibar"), "{key}: {text}");
    }
}

#[test]
fn a_figure_that_stands_in_none_of_the_sources_is_found_whatever_they_are() {
    let mut two = entry("new_point", "It saves 73 % of the time. It was measured.", "docs/review.md:3");
    two["sources"] = serde_json::json!([{"url": "docs/review.md:3", "title": "t"}, {"url": GOOD, "title": "t"}]);
    let found = rebuttal("Nobody saves 73 % of anything. It is said to.", 8, "docs/review.md:3");
    let test = panel(2, |_| ()).says("round-1/anna", turn(&[two])).says("round-1/ben", turn(&[found])).run();
    let minutes = minutes(test.debate()).expect("a panel");
    let told: Vec<&str> = minutes.results_of(8).map(|result| result.explanation.as_str()).collect();
    assert_eq!(told, ["the figure 73 % stands in no source of the entry"; 2]);
    assert_eq!(minutes.debater("ben").record.unreliable, 0, "whoever answers a figure need not have a source for it");
}

#[test]
fn a_figure_once_borne_out_stays_so_for_those_who_took_it_up() {
    // Ben says 41 % after anna's entry was verified; carla challenges anna's entry later, and it is verified once more.
    let first = entry("new_point", "Review found 41 of 60 faults. It is counted.", "docs/review.md:3");
    let taken_up = entry("new_point", "That is 41 of 60 faults. It is many.", "docs/review.md:1");
    let test = panel(3, |setup| (setup.min_rounds, setup.max_rounds) = (3, 3))
        .says("round-1/anna", turn(&[first]))
        .says("round-2/ben", turn(&[taken_up]))
        .says("round-2/carla", turn(&[challenge(10, "Review found 41 of 60 faults.")]))
        .run();
    let minutes = minutes(test.debate()).expect("a panel");
    assert_eq!(minutes.debater("ben").record.unreliable, 0, "{:?}", contents(&test, "ruling"));
    assert!(contents(&test, "ruling").iter().any(|text| text.contains("the challenge of carla is dismissed")));
}

#[test]
fn neither_a_guess_nor_the_number_of_a_line_bears_a_figure_out() {
    let mut guess = entry("conjecture", "[CONJECTURE] It saves 73 % of the time. Perhaps.", GOOD);
    guess["sources"] = serde_json::json!([]);
    let later = entry("new_point", "It saves 73 % of the time. It does.", "docs/review.md:3");
    let line = entry("new_point", "It takes three hours. It does.", "docs/review.md:3");
    let test = panel(2, |_| ()).says("round-1/anna", turn(&[guess, later])).says("round-1/ben", turn(&[line])).run();
    let minutes = minutes(test.debate()).expect("a panel");
    let told: Vec<&str> = [9, 10].iter().flat_map(|seq| minutes.results_of(*seq)).map(|r| r.explanation.as_str()).collect();
    assert_eq!(
        told,
        ["the figure 73 % stands in no source of the entry", "the figure three hours stands in no source of the entry"]
    );
}

#[test]
fn whoever_mocks_a_redacted_claim_beside_a_real_source_does_not_bring_it_back() {
    let mocked = "Even the Harlow survey is a joke. Review found 41 of 60 faults.";
    let test = with_a_lie(2).says("round-2/ben", turn(&[entry("new_point", mocked, "docs/review.md:3")])).run();
    for (key, text) in shown_after(&test, "closing/ben") {
        assert!(!text.contains("Harlow"), "{key}: {text}");
    }
    let transcript = report::document(test.debate());
    assert!(transcript.contains("is a joke. Review found 41 of 60 faults."), "{transcript}");
}

#[test]
fn a_true_quotation_of_a_verified_source_is_never_hidden() {
    let lie = "By the almanac \"Review found 41 of 60 faults.\" and nothing else. So it fails.";
    let quoted = "The file has it: \"Review found 41 of 60 faults.\" That is much.";
    let body = format!("Review found 41 of 60 faults. {}", "word ".repeat(900));
    let test = panel(2, |_| ())
        .says("round-1/anna", turn(&[entry("new_point", lie, GONE)]))
        .says("round-2/ben", turn(&[entry("new_point", quoted, "docs/review.md:3")]))
        .says("reporter/blog-post", serde_json::json!({"title": "Review", "body": body}).to_string())
        .run();
    assert_eq!(contents(&test, "redaction").len(), 1);
    let transcript = report::document(test.debate());
    assert!(transcript.contains(quoted), "{transcript}");
    assert_eq!(test.rejections("reporter/blog-post"), Vec::<String>::new());
}

#[test]
fn a_source_that_only_the_words_name_is_looked_up_and_can_be_challenged_whoever_cited_the_file_before() {
    let mut bare = entry("new_point", "As docs/review.md:9 shows, nobody reads it. It is so.", GOOD);
    bare["sources"] = serde_json::json!([]);
    let test = panel(2, |_| ())
        .says("opening/anna", turn(&[entry("opening_statement", "It is so. It is.", "docs/review.md:3")]))
        .says("round-1/anna", turn(&[bare]))
        .says("round-1/ben", turn(&[challenge(8, "nobody reads it")]))
        .run();
    assert_eq!(test.rejections("round-1/ben"), Vec::<String>::new());
    let minutes = minutes(test.debate()).expect("a panel");
    assert_eq!(minutes.results_of(8).map(|result| result.url.as_str()).collect::<Vec<_>>(), ["docs/review.md:9"]);
    assert!(contents(&test, "ruling").iter().any(|text| text.contains("the source is unreliable")));
}

#[test]
fn nobody_has_an_opponents_thesis_struck_by_saying_it_first_beside_a_false_source() {
    let thesis = "Careful reviewers catch intent faults that machines never notice.";
    let first = "It is said that careful reviewers catch intent faults that machines never notice. I doubt it.";
    let own = format!("{thesis} Review found 41 of 60 faults.");
    let said = |text: &str| {
        let mut said = entry("new_point", text, "docs/review.md:3");
        said["in_one_sentence"] = serde_json::json!(thesis);
        turn(&[said])
    };
    let test = panel(2, |_| ())
        .says("round-1/anna", turn(&[entry("new_point", first, GONE)]))
        .says("round-1/ben", said(&own))
        .says("round-2/ben", said(&format!("As I said: {thesis} It stays so.")))
        .run();
    assert_eq!(contents(&test, "redaction").len(), 1);
    let transcript = report::document(test.debate());
    assert!(transcript.contains(&own) && transcript.contains(&format!("As I said: {thesis}")), "{transcript}");
    assert!(test.prompt("chair/judgement").user.contains(thesis));
    assert!(!transcript.contains("I doubt it"), "{transcript}");
    // Whoever answers what was redacted says it of that entry, and not for itself.
    let answered = rebuttal(&own, 8, "docs/review.md:3");
    let test = panel(2, |_| ())
        .says("round-1/anna", turn(&[entry("new_point", first, GONE)]))
        .says("round-1/ben", turn(&[answered]))
        .run();
    assert!(!report::document(test.debate()).contains("machines never notice"));
}
