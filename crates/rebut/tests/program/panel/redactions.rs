//! Sources that are not there: struck from every prompt and document, and known by the log alone.

use rebut_fakes::panel::{Disturbed, PanelScript, SOURCE, result, said, text, turn};
use rebut_fakes::{FileServer, Reply, Script, TestEnv};
use serde_json::{Value, json};

use super::{asked, contents, document, documents, hold, log, machine_with_script, metadata};

const TWO: PanelScript = PanelScript { debaters: 2, rounds: 1 };
const GONE: &str = "http://docs.example.com/gone";
const THERE: &str = "http://docs.example.com/bench";
/// Words that are said nowhere else.
const STRUCK: &str = "Nine of ten teams dropped review within a year, says the Harlow survey.";

fn server() -> FileServer {
    let page = b"<title>Bench</title><p>Review found 41 of 60 faults before the merge.</p>";
    let page = Reply::file(page).header("content-type", "text/html").without_ranges();
    FileServer::start().with("/bench", &[page])
}

/// A machine on which `docs.example.com` is the server.
fn beside(server: &FileServer, panel: PanelScript, script: &Script) -> TestEnv {
    let names = format!("docs.example.com={}", server.at("").trim_start_matches("http://"));
    machine_with_script(panel, script).set("REBUT_TEST_SOURCES", names)
}

fn fabricating(kind: &str) -> Value {
    said(kind, STRUCK, &[GONE])
}

/// A panel of two in which anna's opening cites a page that is not there.
fn fabricated_opening() -> Script {
    let s = TWO.entry(1, 0) + 1;
    let script = TWO.script().instead("opening/anna", [text(&turn(&[fabricating("opening_statement")]))]);
    // The redaction comes before the round, so that everything behind it is one further.
    let script = TWO.turn(script, "round-1/anna", "rebuttal", s, Some(3));
    let script = TWO.turn(script, "round-1/ben", "rebuttal", s + 1, Some(s));
    TWO.papers(script, &Disturbed { arguments: vec![vec![s, s + 8], vec![3, s + 1, s + 7]], open: s + 1 })
}

#[test]
fn a_fabricated_source_is_redacted_before_the_next_round_and_out_of_all_that_follows() {
    let server = server();
    let env = beside(&server, TWO, &fabricated_opening());
    let run = hold(&env, TWO, &["--fetch-sources"]).exits(0);
    let run =
        run.shows("**fabricated**").shows("REDACTED: seq 2 (anna). Reason: fabricated source").shows("chair | redaction");
    assert_eq!(contents(&env, "redaction").len(), 1);
    let log = log(&env);
    let redacted = log.iter().position(|entry| entry["type"] == "redaction").unwrap();
    let round = log.iter().position(|entry| entry["content"] == "Round 1 of 1").unwrap();
    assert_eq!(redacted + 1, round, "before the round begins");
    assert_eq!(log[2]["content"], STRUCK, "the log alone keeps it");
    let debate = env.debate();
    for key in asked(&debate).iter().skip_while(|key| *key != "round-1/anna") {
        assert!(!debate.prompt(key).contains("Harlow"), "{key}");
    }
    for name in documents(&env).iter().filter(|name| *name != "debate-log.jsonl") {
        assert!(!document(&env, name).contains("Harlow"), "{name}");
    }
    let transcript = document(&env, "transcript.md");
    assert!(transcript.contains("### [seq 2] Phase: opening | anna | opening_statement\n\n[REDACTED — fabricated source"));
    assert!(document(&env, "verifier-report.md").contains("[REDACTED]"));
    let metadata = metadata(&env);
    assert_eq!((&metadata["redaction_count"], &metadata["redactions"][0]["speaker"]), (&json!(1), &json!("anna")));
    assert_eq!(metadata["verification_results"]["fabricated"], 1);
    let _ = env.rebut(["check-log", "papers/debate-log.jsonl"]).exits(0);
    // Reading it again shows no more than the documents do; the log as such does.
    assert!(!env.rebut(["show"]).exits(0).stdout.contains("Harlow"));
    let again = env.rebut(["replay"]).exits(0).shows("### [seq 2] Phase: opening | anna | opening_statement");
    assert!(!again.stdout.contains("Harlow"), "{}", again.stdout);
    let told = env.rebut(["show", "-q"]).exits(0).shows("## Outcome: anna_wins").shows("On record: sources verified ");
    assert!(!told.stdout.contains("### [seq 2]"), "the result alone: {}", told.stdout);
    let _ = env.rebut(["show", "last", "--format", "log"]).exits(0).shows("Harlow");
    drop(run);
}

#[test]
fn a_judgement_that_rests_on_a_redacted_entry_is_asked_for_again() {
    let server = server();
    let mut resting = TWO.judgement("anna_wins", "It argued well.");
    resting["decisive"][0]["seq"] = json!(2);
    let told = TWO.judgement("ben_wins", "Seq 2 of anna was redacted.");
    let script = fabricated_opening()
        .instead("chair/judgement/1", [text(&resting), text(&told)])
        .instead("chair/judgement/2", [text(&told)]);
    let env = beside(&server, TWO, &script);
    let _ = hold(&env, TWO, &["--fetch-sources"]).exits(0).says("invalid answer (").shows("## Outcome: ben_wins");
    let concluded = contents(&env, "conclusion");
    let record = "On record: sources verified 3, unreliable 0, fabricated 1, unchecked 0; redactions 1.";
    assert_eq!(concluded, [format!("Debate concluded. Outcome: ben_wins. Reason: Seq 2 of anna was redacted.\n{record}")]);
}

#[test]
fn a_challenge_in_the_middle_of_a_turn_is_ruled_on_at_once_and_the_turn_goes_on() {
    let server = server();
    let s = TWO.entry(1, 0);
    let challenge = json!({
        "type": "source_challenge", "content": format!("The source of seq {s} is not there."),
        "in_one_sentence": "The source is not there.", "target_seq": s, "claim": "Nine of ten teams",
    });
    let mut anna = fabricating("rebuttal");
    anna["rebuttal_to_seq"] = json!(3);
    let script = TWO.script().instead("round-1/anna", [text(&turn(&[anna]))]);
    let script = script.instead("round-1/ben", [text(&turn(&[challenge]))]);
    let script = TWO.turn(script, "round-1/ben/2", "rebuttal", s + 5, Some(2));
    let script = TWO.papers(script, &Disturbed { arguments: vec![vec![2, s + 11], vec![3, s + 5, s + 10]], open: s + 5 });
    let env = beside(&server, TWO, &script);
    let _ = hold(&env, TWO, &["--fetch-sources"]).exits(0);
    let kinds: Vec<String> = log(&env)[usize::try_from(s).unwrap()..]
        .iter()
        .take(6)
        .map(|entry| format!("{} {}", entry["speaker"].as_str().unwrap(), entry["type"].as_str().unwrap()))
        .collect();
    assert_eq!(
        kinds,
        [
            "anna rebuttal",
            "ben source_challenge",
            "verifier verification_result",
            "chair ruling",
            "chair redaction",
            "ben rebuttal"
        ]
    );
    let ruling = &contents(&env, "ruling")[0];
    assert!(ruling.contains("the challenge of ben holds, the source is fabricated"), "{ruling}");
    let debate = env.debate();
    let again = debate.prompt("round-1/ben/2");
    assert!(again.contains("the ruling on what you raised") && !again.contains("Harlow"), "{again}");
    assert!(debate.prompt("chair/judgement/1").contains("penalties 1"), "{}", debate.prompt("chair/judgement/1"));
    let _ = env.rebut(["check-log", "papers/debate-log.jsonl"]).exits(0);
}

#[test]
fn a_fabrication_in_a_closing_is_found_and_redacted_before_the_judgement() {
    let panel = PanelScript { debaters: 2, rounds: 2 };
    let server = server();
    let script = panel.script().instead("closing/anna", [text(&turn(&[fabricating("closing_statement")]))]);
    let env = beside(&server, panel, &script);
    let _ = hold(&env, panel, &["--fetch-sources"]).exits(0);
    let log = log(&env);
    let at = |kind: &str| log.iter().position(|entry| entry["type"] == kind).unwrap();
    assert!(at("closing_statement") < at("redaction") && at("redaction") < at("conclusion"));
    assert!(contents(&env, "ruling").iter().any(|ruling| ruling.contains("a closing can't list a new source")));
    assert!(!env.debate().prompt("chair/judgement/1").contains("Harlow"));
}

#[test]
fn an_unreliable_source_is_warned_about_in_the_next_cue() {
    let s = TWO.entry(1, 0) + 1;
    let unreliable = json!({"results": [result(2, SOURCE, "unreliable", "It speaks of faults and not of time.")]});
    let script = TWO.script().instead("opening/anna/verification", [text(&unreliable)]);
    let script = TWO.turn(script, "round-1/anna", "rebuttal", s, Some(3));
    let mut corrected = said("rebuttal", "It speaks of faults alone. Review pays.", &[SOURCE]);
    (corrected["rebuttal_to_seq"], corrected["corrects_seq"]) = (json!(3), json!(2));
    let script = script.instead("round-1/anna", [text(&turn(&[corrected]))]);
    let script = TWO.turn(script, "round-1/ben", "rebuttal", s + 1, Some(s));
    let script = TWO.papers(script, &Disturbed { arguments: vec![vec![2, s, s + 8], vec![3, s + 1, s + 7]], open: s + 1 });
    let env = machine_with_script(TWO, &script);
    let _ = hold(&env, TWO, &[])
        .exits(0)
        .shows("anna is warned and must withdraw or replace it")
        .shows("SOURCE CORRECTION for seq 2: It speaks");
    let cue = env.debate().prompt("round-1/anna");
    assert!(cue.contains("findings and rulings on your entries") && cue.contains("not of time"), "{cue}");
    assert_eq!(metadata(&env)["verification_results"]["unreliable"], 1);
}

#[test]
fn pages_are_fetched_once_each_unless_the_user_says_no() {
    let server = server();
    let cite = |script: Script, key: &str, kind: &str| {
        script.instead(key, [text(&turn(&[said(kind, "Review found 41 of 60 faults. So it pays.", &[THERE])]))])
    };
    let verified = |seq: u64| text(&json!({"results": [result(seq, THERE, "verified", "It says so.")]}));
    let script = cite(cite(TWO.script(), "opening/anna", "opening_statement"), "opening/ben", "opening_statement");
    let script = script.instead("opening/anna/verification", [verified(2)]);
    let script = script.instead("opening/ben/verification", [verified(3)]);
    let env = beside(&server, TWO, &script);
    let _ = hold(&env, TWO, &["--no-fetch-sources"]).exits(0);
    assert_eq!(server.asked().len(), 0);
    assert_eq!(metadata(&env)["verification_results"]["unchecked"], 2);
    assert!(
        !asked(&env.debate()).contains(&"opening/anna/verification".to_owned()),
        "a model never verifies an unread page"
    );
    env.clear();
    std::fs::remove_dir_all(env.workspace().join("papers")).unwrap();
    let _ = hold(&env, TWO, &[]).exits(0);
    assert_eq!(server.asked().len(), 1, "a page that was checked is not fetched again");
    assert!(env.debate().prompt("opening/ben/verification").contains("Review found 41 of 60 faults before the merge."));
    assert_eq!(metadata(&env)["verification_results"]["verified"], 4);
}

#[test]
fn a_rebuttal_that_mentions_a_fabricated_source_is_not_redacted() {
    let s = TWO.entry(1, 0) + 1;
    let lie = said("opening_statement", "Review costs more than it brings.", &["docs/none.md:7"]);
    let mut accuses = said("rebuttal", "There is no docs/none.md:7 in this project. So seq 2 rests on nothing.", &[SOURCE]);
    accuses["rebuttal_to_seq"] = json!(s);
    let script = TWO.script().instead("opening/anna", [text(&turn(&[lie]))]);
    let script = TWO.turn(script, "round-1/anna", "rebuttal", s, Some(3));
    let script = TWO.turn(script, "round-1/ben", "rebuttal", s + 1, Some(s));
    let script = script.instead("round-1/ben", [text(&turn(&[accuses]))]);
    let script = TWO.papers(script, &Disturbed { arguments: vec![vec![s, s + 8], vec![3, s + 1, s + 7]], open: s + 1 });
    let env = machine_with_script(TWO, &script);
    let _ = hold(&env, TWO, &[]).exits(0);
    assert_eq!(contents(&env, "redaction").len(), 1);
    assert_eq!(metadata(&env)["redactions"][0]["speaker"], "anna");
    let asked = env.debate().prompt("round-1/ben/verification");
    assert!(asked.contains("3: Review found 41 of 60 faults."), "the verifier reads the lines: {asked}");
}

#[test]
fn a_challenge_is_judged_by_the_text_of_the_source_and_what_was_said_against_it() {
    let s = TWO.entry(1, 0);
    let challenge = json!({
        "type": "source_challenge", "content": format!("The file of seq {s} counts faults and no time."),
        "in_one_sentence": "It counts no time.", "target_seq": s, "claim": "review pays.",
    });
    let held = json!({"results": [result(s, SOURCE, "unreliable", "It counts faults alone.")]});
    let script = TWO.script().instead("round-1/ben", [text(&turn(&[challenge]))]);
    let script = script.instead("round-1/ben/challenge", [text(&held)]);
    let script = TWO.turn(script, "round-1/ben/2", "rebuttal", s + 5, Some(2));
    let open = s + 5;
    let script = TWO.papers(script, &Disturbed { arguments: vec![vec![2, s, s + 11], vec![3, s + 5, s + 10]], open });
    let env = machine_with_script(TWO, &script);
    let run = hold(&env, TWO, &[]);
    let ruling = &contents(&env, "ruling")[0];
    assert!(ruling.contains("the challenge of ben holds, the source is unreliable"), "{ruling}\n{}", run.stdout);
    let asked = env.debate().prompt("round-1/ben/challenge");
    for words in ["counts faults and no time", "The claim that fails: review pays.", "3: Review found 41 of 60 faults."] {
        assert!(asked.contains(words), "{words}: {asked}");
    }
    let _ = env.rebut(["check-log", "papers/debate-log.jsonl"]).exits(0);
}
