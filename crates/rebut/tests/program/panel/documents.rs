//! A panel from its first word to its documents.

use std::fs;

use rebut_fakes::panel::PanelScript;

use super::{OUT, arguments, asked, document, documents, hold, log, machine_with_script, metadata, names};

const ALL: [&str; 7] = [
    "assessor-report.md",
    "blog-post.md",
    "debate-log.jsonl",
    "metadata.json",
    "summary.md",
    "transcript.md",
    "verifier-report.md",
];

#[test]
fn a_panel_of_two_three_or_eight_leaves_every_document_and_a_sound_log() {
    for (debaters, rounds) in [(2, 1), (3, 3), (8, 2)] {
        let panel = PanelScript { debaters, rounds };
        let env = machine_with_script(panel, &panel.script());
        let run = hold(&env, panel, &[]).exits(0).shows("## Outcome: anna_wins").shows("documents: ");
        let run = run.shows("### [seq 2] Phase: opening | anna | opening_statement");
        let _ =
            run.shows("Fact check of seq 2, docs/review.md:3: **verified**").shows("Findings relayed after the openings");
        assert_eq!(documents(&env), ALL);
        let _ = env.rebut(["check-log", "papers/debate-log.jsonl"]).exits(0).shows(": valid");
        let log = log(&env);
        let entries = 3 + 2 * debaters + rounds as usize * (2 * debaters + 2) + debaters + 5;
        assert_eq!(log.len(), entries, "{debaters} debaters");
        let metadata = metadata(&env);
        assert_eq!(
            (metadata["total_entries"].as_u64(), metadata["total_rounds"].as_u64()),
            (Some(entries as u64), Some(rounds.into()))
        );
        assert_eq!(metadata["verification_results"]["verified"], debaters * (1 + rounds as usize));
        assert_eq!(metadata["outcome"], "anna_wins");
        let closings: Vec<&str> =
            log.iter().filter(|e| e["type"] == "closing_statement").map(|e| e["speaker"].as_str().unwrap()).collect();
        let reversed: Vec<&str> = panel.names().iter().rev().copied().collect();
        assert_eq!(closings, reversed, "closings are in reverse order");
    }
}

#[test]
fn every_role_is_played_by_the_model_that_was_set_for_it() {
    let panel = PanelScript { debaters: 2, rounds: 1 };
    let env = machine_with_script(panel, &panel.script());
    let _ = hold(&env, panel, &[]).exits(0);
    let debate = env.debate();
    for (key, model) in [
        ("opening/anna", "anna"),
        ("round-1/ben", "ben"),
        ("round-1/ben/verification", "verifier"),
        ("round-1/audience", "audience"),
        ("chair/judgement/1", "chair"),
        ("reporter/blog-post", "reporter"),
        ("assessor/report", "assessor"),
    ] {
        let answered = debate.of_kind("answered").into_iter().find(|line| line.key() == key).unwrap();
        assert_eq!(answered.happening["answer"]["model"], model, "{key}");
    }
    let metadata = metadata(&env);
    assert_eq!(metadata["agents"]["chair"], "chair", "what answered");
    assert_eq!(metadata["seats"]["chair"], "script:seats.toml#chair", "what was asked for");
    assert_eq!(metadata["agents"]["debaters"][1]["model"], "ben");
}

#[test]
fn the_documents_of_a_panel_as_they_are_written() {
    let panel = PanelScript { debaters: 2, rounds: 1 };
    let env = machine_with_script(panel, &panel.script());
    let _ = hold(&env, panel, &[]).exits(0);
    let mut settings = insta::Settings::clone_current();
    settings.add_filter(r"\d{4}-\d\d-\d\dT[\d:.]+Z", "[time]");
    settings.add_filter(r"named \d{4}-\d\d-\d\d", "named [day]");
    settings.add_filter(r"debate-\d{8}T\d{6}Z-[0-9a-f]{4}", "[debate]");
    settings.bind(|| {
        insta::assert_snapshot!("transcript", document(&env, "transcript.md"));
        insta::assert_snapshot!("summary", document(&env, "summary.md"));
        insta::assert_snapshot!("metadata", document(&env, "metadata.json"));
        insta::assert_snapshot!("verifier_report", document(&env, "verifier-report.md"));
        insta::assert_snapshot!("assessor_report", document(&env, "assessor-report.md"));
    });
    let blog = document(&env, "blog-post.md");
    assert!(
        blog.starts_with("# Review and machines\n\nTwo cases.") && blog.contains("\n## Sources\n\n- docs/review.md:3"),
        "{blog}"
    );
}

#[test]
fn documents_that_were_deleted_are_written_again_as_they_were() {
    let panel = PanelScript { debaters: 2, rounds: 1 };
    let env = machine_with_script(panel, &panel.script());
    let _ = hold(&env, panel, &[]).exits(0);
    let before: Vec<String> = ALL.iter().map(|name| document(&env, name)).collect();
    fs::remove_dir_all(env.workspace().join("papers")).unwrap();
    let _ = env.rebut(["resume", "last"]).exits(0).says("only missing documents are written again");
    let after: Vec<String> = ALL.iter().map(|name| document(&env, name)).collect();
    assert_eq!(before, after);
    assert_eq!(asked(&env.debate()).iter().filter(|key| *key == "opening/anna").count(), 1);
}

#[test]
fn the_folder_is_named_by_time_and_topic_and_never_by_a_shell() {
    let panel = PanelScript { debaters: 2, rounds: 1 };
    let env = machine_with_script(panel, &panel.script());
    let topic = "Ship it? $(touch pwned); `touch pwned` \"../../x\"\nnow";
    let mut arguments = super::arguments(panel, &[]);
    topic.clone_into(&mut arguments[1]);
    let out = arguments.iter().position(|word| word == "--out").unwrap();
    arguments.drain(out..out + 2);
    let _ = env.rebut(arguments).exits(0);
    let folders = names(env.workspace().join("output"));
    assert_eq!(folders.len(), 1, "{folders:?}");
    let (stamp, slug) = folders[0].split_once('-').unwrap();
    assert!(stamp.len() == 16 && stamp.ends_with('Z') && stamp.contains('T'), "{stamp}");
    assert_eq!(slug, "ship-it-touch-pwned-touch-pwned-x-now");
    assert_eq!(names(env.workspace().join("output").join(&folders[0])), ALL);
    assert!(!names(env.workspace()).contains(&"pwned".to_owned()));
}

#[test]
fn documents_that_are_there_are_never_written_over() {
    let panel = PanelScript { debaters: 2, rounds: 1 };
    let env = machine_with_script(panel, &panel.script());
    env.write("papers/summary.md", "mine");
    let _ = hold(&env, panel, &[]).exits(2).says("already has a summary.md").says("name another folder");
    assert!(env.debates().is_empty());
    fs::remove_dir_all(env.workspace().join("papers")).unwrap();
    env.write("papers", "a file");
    let _ = hold(&env, panel, &[]).exits(2).says("is not a folder");
}

#[test]
fn what_models_write_is_harmless_on_the_screen_and_whole_in_the_log() {
    let panel = PanelScript { debaters: 2, rounds: 1 };
    let wild = "[CONJECTURE] \u{1b}[2J\u{1b}]0;owned\u{7} \"quoted\" and\nnew lines \u{202e}reversed";
    let entry = rebut_fakes::panel::said("opening_statement", wild, &[]);
    let opening = rebut_fakes::panel::text(&rebut_fakes::panel::turn(&[entry]));
    let script = panel.script().instead("opening/anna", [opening]);
    let env = machine_with_script(panel, &script);
    // One source less shifts every later seq, so that the debate ends otherwise than the script has it.
    let run = hold(&env, panel, &[]);
    assert!(!run.stdout.contains('\u{1b}') && !run.stdout.contains('\u{202e}'), "{run}");
    assert_eq!(log(&env)[2]["content"], wild.replace('\u{202e}', ""));
    let _ = env.rebut(["check-log", "papers/debate-log.jsonl"]).exits(0);
}

#[test]
fn programs_get_every_event_and_a_result_with_the_folder() {
    let panel = PanelScript { debaters: 2, rounds: 1 };
    let env = machine_with_script(panel, &panel.script());
    let lines = hold(&env, panel, &["--json"]).exits(0).json_lines();
    let result = lines.last().unwrap();
    assert_eq!((&result["type"], &result["exit"]), (&"result".into(), &0.into()));
    assert!(result["documents"].as_str().unwrap().ends_with("/papers"));
    assert_eq!(result["debate"]["outcome"], "anna_wins");
    let kinds: Vec<&str> = lines.iter().filter_map(|line| line["happening"]["kind"].as_str()).collect();
    assert!(kinds.contains(&"checked") && kinds.contains(&"recorded") && kinds.contains(&"finished"), "{kinds:?}");
    let _ = env.rebut(["list"]).exits(0).shows("completed");
    let _ = env.rebut(["replay"]).exits(0).shows("### [seq 2] Phase: opening | anna | opening_statement");
    let _ = env.rebut(["show"]).exits(0).shows("# Transcript: Should AI code review");
    let _ = env.rebut(["show", "--verify"]).exits(0).shows("journal intact");
    let _ = env.rebut(["export", "last", "--as", "md"]).exits(0).shows("## Round 1");
}

#[test]
fn the_example_that_anyone_can_repeat_is_held_as_the_documentation_has_it() {
    let repository = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let env = crate::machine();
    for file in ["seats.toml", "review-log.md"] {
        let path = std::path::Path::new("examples/panel").join(file);
        env.write(&path, fs::read(repository.join(&path)).unwrap());
    }
    let own = ["panel", super::TOPIC, "--min-rounds", "1", "--max-rounds", "1", "--out", "papers"].map(str::to_owned);
    let run = env.rebut(own.into_iter().chain(rebut_fakes::panel::offices("examples/panel/seats.toml"))).exits(0);
    let run = run.shows("## Outcome: security-researcher_wins");
    assert_eq!((run.stderr.as_str(), documents(&env)), ("", ALL.map(str::to_owned).to_vec()), "nothing is asked for again");
    let told = fs::read_to_string(repository.join("docs/panel.md")).unwrap();
    let shown = told.split("```text\n").nth(1).unwrap().split("```").next().unwrap();
    let whole = run.stdout.split_whitespace().collect::<Vec<_>>().join(" ");
    for part in shown.split("[…]") {
        let part = part.split("documents:").next().unwrap().split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(whole.contains(&part), "{part}");
    }
}

const TWO: PanelScript = PanelScript { debaters: 2, rounds: 1 };

#[test]
fn a_document_that_cannot_be_written_is_named_and_the_panel_is_not_called_complete() {
    let env = machine_with_script(TWO, &TWO.script());
    // The name that the summary has while it is half written is taken by a folder.
    let blocked = env.workspace().join("papers/.summary.md.new");
    fs::create_dir_all(&blocked).unwrap();
    let run = hold(&env, TWO, &[]).exits(3).says("not written: ").says("papers/summary.md").says("rebut resume ");
    assert!(!run.stderr.contains("papers/transcript.md, "), "{run}");
    fs::remove_dir(&blocked).unwrap();
    let _ = env.rebut(["resume", "last"]).exits(0);
    assert_eq!(documents(&env), ALL);
}

#[test]
fn documents_that_the_person_has_edited_are_left_alone() {
    let env = machine_with_script(TWO, &TWO.script());
    let _ = hold(&env, TWO, &[]).exits(0);
    let summary = document(&env, "summary.md");
    env.write("papers/summary.md", "My own words.\n");
    fs::remove_file(env.workspace().join("papers/blog-post.md")).unwrap();
    let _ = env.rebut(["replay", "last"]).exits(0);
    assert_eq!((document(&env, "summary.md").as_str(), documents(&env).len()), ("My own words.\n", 6), "replay only shows");
    let _ = env.rebut(["resume", "last"]).exits(0).says("papers/summary.md was edited and is left alone");
    assert_eq!(
        (document(&env, "summary.md").as_str(), documents(&env)),
        ("My own words.\n", ALL.map(str::to_owned).to_vec())
    );
    fs::remove_file(env.workspace().join("papers/summary.md")).unwrap();
    let _ = env.rebut(["resume", "last"]).exits(0);
    assert_eq!(document(&env, "summary.md"), summary);
}

#[test]
fn a_panel_that_does_not_start_removes_the_folders_it_made_and_no_other() {
    let script = TWO.script().instead("ready/ben", [rebut_fakes::ScriptLine::fail("auth")]);
    let env = machine_with_script(TWO, &script);
    fs::create_dir_all(env.workspace().join("papers")).unwrap();
    let _ = hold(&env, TWO, &[]).exits(1);
    assert_eq!(documents(&env), Vec::<String>::new());
    assert!(env.workspace().join("papers").is_dir(), "it was the person's own");
    let mut arguments = super::arguments(TWO, &[]);
    let out = arguments.iter().position(|word| word == "papers").unwrap();
    arguments[out] = "new/deep/papers".to_owned();
    let _ = env.rebut(arguments).exits(1);
    assert!(!env.workspace().join("new").exists(), "parents that were made for it go too");
}

#[test]
fn a_folder_that_another_panel_writes_into_is_refused() {
    let env = machine_with_script(TWO, &TWO.script());
    env.write("papers/.rebut-panel", "[]");
    let _ = hold(&env, TWO, &[])
        .exits(2)
        .says("another panel writes its documents into ")
        .says("name another folder with --out");
    // The claim of one that was killed before its first event counts for nothing.
    let killed = "debate-20260101T081503Z-3fa9";
    fs::create_dir_all(env.state().join(killed).join("blobs")).unwrap();
    env.write("papers/.rebut-panel", format!("{{\"debate\":\"{killed}\",\"created\":[]}}"));
    let _ = hold(&env, TWO, &[]).exits(0);
    assert_eq!(documents(&env), ALL);
}

#[test]
fn documents_do_not_leave_the_workspace_through_a_symlink() {
    let env = machine_with_script(TWO, &TWO.script());
    let outside = env.root().join("outside");
    std::fs::create_dir(&outside).unwrap();
    let link = |name: &str| std::os::unix::fs::symlink(&outside, env.workspace().join(name)).unwrap();
    link("output");
    let unnamed: Vec<String> = arguments(TWO, &[]).into_iter().filter(|word| !OUT.contains(&word.as_str())).collect();
    let run = env.rebut(unnamed).exits(2).says("leads out of the workspace through a symlink");
    let _ = run.says(&format!("--out {}", outside.display()));
    assert!(env.debates().is_empty());
    env.rebut_with("REBUT_FAULT", "kill-after:20", arguments(TWO, &[])).was_killed();
    std::fs::remove_dir_all(env.workspace().join("papers")).unwrap();
    link("papers");
    let _ = env.rebut(["resume", "last"]).exits(3).says("leads out of the workspace through a symlink");
    assert_eq!(names(outside), Vec::<String>::new());
}

/// Documents of a panel are no files of the workspace: neither the next debate nor a review reads them.
#[test]
fn documents_are_neither_pinned_nor_reviewed_nor_counted() {
    let panel = PanelScript { debaters: 2, rounds: 1 };
    let env = machine_with_script(panel, &panel.script());
    env.install("git");
    crate::review::git(&env, &["init", "--quiet"]);
    crate::review::git(&env, &["add", "."]);
    crate::review::git(&env, &["commit", "--quiet", "--message", "first"]);
    let facts = || {
        let seats = "script:seats.toml#anna,script:seats.toml#ben";
        let plan = env.rebut(["duel", super::TOPIC, "--tools", seats, "--dry-run", "--json"]).exits(0).json();
        let pin = plan["plan"]["evidence"]["scope"].clone();
        (pin["files"].clone(), pin["changed"].clone())
    };
    let before = facts();
    assert!(before.0.as_u64().is_some_and(|files| files > 0), "{before:?}");
    let _ = hold(&env, panel, &[]).exits(0);
    assert!(!documents(&env).is_empty());
    assert_eq!(facts(), before);
    let _ = env.rebut(["review", "--critic", "script:seats.toml#anna", "--dry-run"]).exits(2).says("nothing");
    // One that was changed is the user's.
    env.write("papers/transcript.md", "My own notes.");
    assert_eq!(facts().1, 1);
}
