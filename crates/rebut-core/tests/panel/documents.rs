//! The documents of a debate, whole.

use rebut_core::report;
use serde_json::json;

use crate::TestDebate;
use crate::test_debate::panel::{GONE, GOOD, OTHER, challenge, entry, panel, turn};

/// A page that nobody could read.
const WALL: &str = "https://example.com/wall";

fn debate() -> TestDebate {
    let lie = "Nine of ten teams dropped review within a year, says the Harlow survey. So should we.";
    panel(2, |_| ())
        .says("opening/ben", turn(&[entry("opening_statement", "# Keep it\n\nIt saves time. Much of it.", OTHER)]))
        .says("round-1/anna", turn(&[entry("new_point", lie, GONE)]))
        .says("round-1/ben", turn(&[challenge(9, "Nine of ten teams dropped review within a year")]))
        .says("round-1/audience", json!({"questions": [{"to": "anna", "question": "Who pays?"}]}).to_string())
        .run()
}

#[test]
fn the_documents_of_a_panel() {
    let test = debate();
    let files = report::files(test.debate(), "");
    let names: Vec<&str> = files.iter().map(|(name, _)| name.as_str()).collect();
    assert_eq!(
        names,
        [
            "debate.json",
            "debate-log.jsonl",
            "transcript.md",
            "metadata.json",
            "verifier-report.md",
            "summary.md",
            "blog-post.md",
            "assessor-report.md"
        ]
    );
    for (name, text) in files.iter().filter(|(name, _)| name != "debate.json" && name != "blog-post.md") {
        insta::assert_snapshot!(name.replace(['.', '-'], "_"), text);
    }
    let blog = &files.iter().find(|(name, _)| name == "blog-post.md").expect("a blog post").1;
    assert!(blog.starts_with("# Review and machines\n\nword word"));
    assert!(blog.ends_with("\n## Sources\n\n- https://example.com/study\n- docs/review.md:3\n"), "{blog}");
    assert!(!blog.contains(OTHER) && !blog.contains(GONE));
}

#[test]
fn the_whole_debate_and_its_conclusion() {
    let test = debate();
    insta::assert_snapshot!("conclusion", report::conclusion(test.debate()));
    let document = report::document(test.debate());
    assert!(document.contains("## Time, tokens and cost"));
    let state = report::state(test.debate());
    assert_eq!((&state["outcome"], &state["rounds_completed"]), (&json!("anna_wins"), &json!(2)));
    assert_eq!(state["debaters"][0]["penalties"], json!(1));
}

#[test]
fn an_unfinished_debate_has_documents_too() {
    let test = debate();
    for length in [30, test.events().len() / 2] {
        let prefix = rebut_core::formats::fold(test.events()[..length].to_vec()).expect("a prefix");
        let files = report::files(&prefix, "");
        assert!(files.iter().any(|(name, _)| name == "transcript.md"));
        assert!(!files.iter().any(|(name, _)| name == "blog-post.md"));
        assert!(report::conclusion(&prefix).contains("The debate is not finished."));
    }
}

#[test]
fn what_happens_is_told_as_it_happens() {
    let test = debate();
    let mut folded = rebut_core::formats::begin(test.events()[0].clone()).expect("a plan");
    let mut told = Vec::new();
    let mut length = 0;
    for event in &test.events()[1..] {
        folded.apply(event.clone()).expect("an event");
        assert_eq!(folded.format().passage(&folded, event), None);
        let (new, now) = folded.format().log_since(&folded, length);
        assert_eq!(now, length + new.len(), "the log only ever grows at its end");
        told.extend(new);
        length = now;
    }
    let whole = told.join("\n");
    assert_eq!(told.len(), rebut_core::formats::panel::log(test.debate()).len(), "every entry is told once");
    assert!(whole.contains("Fact check of seq 2, https://example.com/study: **verified**"), "{whole}");
    assert!(whole.contains("### [seq 2] Phase: opening | anna | opening_statement"), "{whole}");
    assert!(whole.contains("chair | redaction"), "{whole}");
    assert!(whole.contains("audience | audience_question"), "{whole}");
}

#[test]
fn the_metadata_names_the_model_of_every_seat() {
    let test = debate();
    let files = report::files(test.debate(), "");
    let metadata = &files.iter().find(|(name, _)| name == "metadata.json").expect("metadata").1;
    let metadata: serde_json::Value = serde_json::from_str(metadata).expect("JSON");
    let agents = &metadata["agents"];
    let mut models: Vec<&str> =
        agents["debaters"].as_array().expect("debaters").iter().filter_map(|d| d["model"].as_str()).collect();
    models
        .extend(["chair", "verifier", "audience", "reporter", "assessor"].iter().filter_map(|seat| agents[*seat].as_str()));
    models.sort_unstable();
    models.dedup();
    assert_eq!(models.len(), 7, "each seat has a model of its own: {models:?}");
}

#[test]
fn the_model_in_the_metadata_is_the_one_that_answered_last() {
    let test = debate();
    let files = report::files(test.debate(), "");
    let metadata = &files.iter().find(|(name, _)| name == "metadata.json").expect("metadata").1;
    let metadata: serde_json::Value = serde_json::from_str(metadata).expect("JSON");
    assert_eq!(metadata["agents"]["chair"], "chair-7", "and not what was asked for");
    assert_eq!(metadata["agents"]["debaters"][0], serde_json::json!({"name": "anna", "model": "anna-7"}));
    let asked_for = test.debate().plan().seat(&rebut_core::debate::SeatName::new("chair")).expect("a chair").spec();
    assert_eq!(metadata["seats"]["chair"], asked_for.as_str());
}

#[test]
fn neither_a_persona_nor_a_correction_nor_a_source_acts_on_a_document() {
    let mut corrected = entry("new_point", "It is less. It still pays.", GOOD);
    corrected["corrects_seq"] = json!(8);
    corrected["in_one_sentence"] = serde_json::json!("<details><summary>x</summary> it is less");
    let test = panel(2, |setup| setup.debaters[0].persona = "<!-- nobody reads on".to_owned())
        .says("round-1/anna", turn(&[entry("new_point", "It saves time. Much of it.", OTHER)]))
        .says("round-2/anna", turn(&[corrected]))
        .run();
    for (name, text) in report::files(test.debate(), "") {
        if !name.contains(".json") {
            let live = text.replace("\\<", "");
            assert!(!live.contains("<!--") && !live.contains("<details>"), "{name}: {text}");
        }
    }
}

#[test]
fn characters_that_act_on_a_reader_are_shown_as_what_they_are() {
    let wild = "It \u{1b}[31mpays\u{7} and \u{202e}syap.";
    let test = panel(2, |_| ()).says("opening/ben", turn(&[entry("opening_statement", wild, OTHER)])).run();
    for (name, text) in report::files(test.debate(), "") {
        assert!(!text.contains(['\u{1b}', '\u{7}']), "{name}");
        assert!(name == "debate-log.jsonl" || !text.contains('\u{202e}'), "{name}");
    }
}

#[test]
fn what_rests_on_an_unreliable_source_is_not_given_to_the_blog_post() {
    let claim = "Machines read a change in forty seconds. So they are cheap.";
    let test = panel(2, |_| ())
        .says("round-1/anna", turn(&[entry("new_point", claim, OTHER), entry("new_point", "It pays. It does.", WALL)]))
        .run();
    let asked = &test.prompt("reporter/blog-post").user;
    assert!(!asked.contains("read a change in forty"), "{asked}");
    assert!(asked.contains(&format!("It pays. It does.\n\nSource 1: A study, {WALL} [unchecked]")), "{asked}");
    assert!(test.prompt("chair/judgement/1").user.contains("read a change in forty"), "the chair judges it");
}

#[test]
fn the_assessor_reads_what_the_reporter_wrote_and_what_is_missing() {
    let test = panel(2, |_| ()).fails("reporter/verifier-notes", rebut_core::debate::Cause::Timeout, "").run();
    let asked = &test.prompt("assessor/report").user;
    for words in ["The panel asked what review is for.", "Review and machines", "Missing: the notes on the verifier."] {
        assert!(asked.contains(words), "{words}: {asked}");
    }
}
