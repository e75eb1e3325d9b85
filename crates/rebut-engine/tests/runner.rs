//! The runner does what a format asks for: in order, at once where it may, inside every limit.
#![expect(clippy::unwrap_used, clippy::panic, reason = "a test that cannot go on fails")]

mod stage;

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use futures_util::FutureExt;
use rebut_core::debate::{
    Action, Cause, Choice, Debate, Decider, Entry, EntryKind, EvidenceRules, Happening, Plan, RunOn, Scope, Status, Trial,
    Tried,
};
use rebut_core::evidence::Evidence;
use rebut_core::evidence::check::CheckResult;
use rebut_core::evidence::check::Cited;
use rebut_engine::checks::{Allowed, Examiner, OpenSnapshot};
use rebut_engine::runner::{Limits, Stop};
use rebut_engine::store::{Earlier, FileStore, Request, Store};
use stage::{Acted, Stage, ask, done, resumed, step};

#[tokio::test(start_paused = true)]
async fn records_come_before_the_calls_of_their_batch_and_in_their_order() {
    let acted = Stage::new(|debate| {
        let entry = |text: &str| Action::Record(Entry::words(EntryKind::Announcement, text.into()));
        let mut steps = vec![step("call", ask("a")), step("note-1", entry("first")), step("note-2", entry("second"))];
        if debate.answered(&"call".into_key()).is_some() {
            steps = vec![done()];
        }
        steps
    })
    .says("call", "yes")
    .act()
    .await;
    assert_eq!(
        acted.story(),
        ["planned", "recorded note-1", "recorded note-2", "started call", "answered call", "finished"]
    );
}

/// A format that asks for all of these at once, and ends when each has come to its end.
fn asking(keys: &'static [&'static str]) -> Stage {
    Stage::new(move |debate| {
        let has_ended = |key: &&str| debate.answered(&key.into_key()).is_some() || debate.failed(&key.into_key()).is_some();
        if keys.iter().all(has_ended) { vec![done()] } else { keys.iter().map(|key| step(key, ask("a"))).collect() }
    })
}

fn one_call() -> Stage {
    asking(&["one"])
}

#[tokio::test(start_paused = true)]
async fn steps_of_one_batch_run_at_the_same_time() {
    let stage = asking(&["one", "two", "three"]);
    let acted = stage.says_after("one", "1", 50).says_after("two", "2", 10).says_after("three", "3", 30).act().await;
    assert_eq!(acted.most_at_once, 3);
    assert_eq!(acted.story()[4..7], ["answered two", "answered three", "answered one"]);
}

#[tokio::test(start_paused = true)]
async fn no_more_calls_run_at_once_than_a_lane_and_all_lanes_together_may_hold() {
    const KEYS: [&str; 6] = ["one", "two", "three", "four", "five", "six"];
    for (limits, most) in [(Limits::new(None, &[("stage", 2)]), 2), (Limits::new(Some(1), &[]), 1)] {
        let mut stage = KEYS.iter().fold(asking(&KEYS), |stage, key| stage.says_after(key, "yes", 10));
        stage.limits = limits;
        assert_eq!(stage.act().await.most_at_once, most);
    }
}

#[tokio::test(start_paused = true)]
async fn the_time_budget_ends_a_call_that_still_waits_for_its_turn() {
    let mut stage = asking(&["holds", "waits"]).hangs("holds").says("waits", "never asked");
    stage.limits = Limits::new(Some(1), &[]);
    stage.max_ms = Some(1_000);
    let acted = stage.act().await;
    assert_eq!((acted.failure("holds").cause, acted.failure("waits").cause), (Cause::Budget, Cause::Budget));
}

#[tokio::test(start_paused = true)]
async fn a_step_that_is_returned_again_is_not_begun_twice() {
    let acted = Stage::new(|debate| {
        let mut steps = vec![step("one", ask("a")), step("one", ask("a"))];
        if debate.answered(&"one".into_key()).is_some() {
            steps.push(done());
        }
        steps
    })
    .says("one", "yes")
    .act()
    .await;
    assert_eq!(acted.story(), ["planned", "started one", "answered one", "finished"]);
}

#[tokio::test(start_paused = true)]
async fn a_cancelled_step_fails_as_cancelled_and_the_rest_goes_on() {
    let acted = Stage::new(|debate| match (debate.answered(&"quick".into_key()), debate.failed(&"slow".into_key())) {
        (None, _) => vec![step("slow", ask("a")), step("quick", ask("a"))],
        (Some(_), None) => vec![step("slow", Action::Cancel)],
        (Some(_), Some(_)) => vec![done()],
    })
    .hangs("slow")
    .says_after("quick", "yes", 10)
    .act()
    .await;
    assert_eq!(acted.failure("slow").cause, Cause::Cancelled);
    assert_eq!(acted.debate.status(), Status::Completed);
}

#[tokio::test(start_paused = true)]
async fn the_end_cancels_what_is_under_way() {
    let acted = Stage::new(|debate| match debate.answered(&"quick".into_key()) {
        None => vec![step("slow", ask("a")), step("quick", ask("a"))],
        Some(_) => vec![done()],
    })
    .hangs("slow")
    .says_after("quick", "yes", 10)
    .act()
    .await;
    assert_eq!(acted.story().last().unwrap(), "finished");
    assert_eq!(acted.failure("slow").cause, Cause::Cancelled);
}

/// How often a format is asked in a debate whose one call is answered so.
async fn times_asked(answered: impl FnOnce(Stage) -> Stage) -> usize {
    let times = Arc::new(AtomicUsize::new(0));
    let counted = Arc::clone(&times);
    let stage = Stage::new(move |debate| {
        counted.fetch_add(1, Ordering::SeqCst);
        if debate.answered(&"one".into_key()).is_some() { vec![done()] } else { vec![step("one", ask("a"))] }
    });
    let acted = answered(stage).act().await;
    assert_eq!(acted.story(), ["planned", "started one", "answered one", "finished"]);
    times.load(Ordering::SeqCst)
}

#[tokio::test(start_paused = true)]
async fn the_format_is_asked_after_an_event_and_at_no_other_time() {
    assert_eq!(times_asked(|stage| stage.says("one", "yes")).await, 2);
    assert_eq!(times_asked(|stage| stage.streams("one", "yes", 5_000)).await, 2);
    assert_eq!(times_asked(|stage| stage.says_after("one", "yes", 1_900)).await, 2);
}

fn choosing() -> Stage {
    Stage::new(|debate| match debate.choice(&"choice".into_key()) {
        None => vec![step(
            "choice",
            Action::Choose(Choice {
                question: "Which?".into(),
                options: vec![("A".into(), "keep".into()), ("B".into(), "change".into())],
                recommended: "A".into(),
            }),
        )],
        Some(_) => vec![done()],
    })
}

#[tokio::test]
async fn the_person_chooses_and_without_one_the_recommendation_stands() {
    for (answer, expected, by) in [
        (Some("B"), "B", Decider::Person),
        (None, "A", Decider::Recommendation),
        (Some("nonsense"), "A", Decider::Recommendation),
    ] {
        let mut stage = choosing();
        stage.person = answer;
        let acted = stage.act().await;
        assert_eq!(acted.debate.choice(&"choice".into_key()), Some(expected));
        assert!(
            acted.events.iter().any(|event| matches!(&event.happening, Happening::Chosen { by: who, .. } if *who == by))
        );
    }
}

#[tokio::test(start_paused = true)]
async fn a_call_that_outlives_its_limit_has_timed_out() {
    let acted = one_call().hangs("one").act().await;
    assert_eq!(acted.failure("one").cause, Cause::Timeout);
}

#[tokio::test(start_paused = true)]
async fn passing_failures_are_tried_again_inside_the_limit_and_written_down() {
    for cause in [Cause::RateLimited, Cause::Unavailable, Cause::Stalled] {
        let acted = one_call().fails("one", cause, None).fails("one", cause, Some(20)).says("one", "at last").act().await;
        let expected = ["planned", "started one", "retrying one", "retrying one", "answered one", "finished"];
        assert_eq!(acted.story(), expected, "{cause:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_wait_that_would_outlive_the_limit_is_told_and_not_begun() {
    let acted = one_call().fails("one", Cause::RateLimited, Some(9_999_000)).says("one", "never heard").act().await;
    let failure = acted.failure("one");
    assert_eq!(failure.cause, Cause::RateLimited);
    assert_eq!(failure.advice.as_deref(), Some("It asks to wait 167 min; then continue with `rebut resume last`."));
    assert_eq!(acted.story(), ["planned", "started one", "failed one", "finished"]);
}

#[tokio::test(start_paused = true)]
async fn retries_end_with_the_limit_of_the_whole_call() {
    let acted = one_call().fails("one", Cause::Unavailable, Some(700)).act().await;
    assert_eq!(acted.failure("one").cause, Cause::Unavailable);
    // The limit is 2,000 ms and every try waits 700 ms: two fit, a third does not.
    assert_eq!(acted.story().iter().filter(|line| line.starts_with("retrying")).count(), 2);
}

#[tokio::test(start_paused = true)]
async fn no_other_failure_is_tried_again() {
    for cause in Cause::ALL {
        if matches!(cause, Cause::RateLimited | Cause::Unavailable | Cause::Stalled | Cause::Truncated) {
            continue;
        }
        let acted = one_call().fails("one", cause, None).says("one", "never heard").act().await;
        assert_eq!(acted.failure("one").cause, cause);
    }
}

#[tokio::test(start_paused = true)]
async fn an_answer_that_breaks_off_is_tried_again_once() {
    let once = one_call().fails("one", Cause::Truncated, None).says("one", "whole").act().await;
    assert_eq!(once.story(), ["planned", "started one", "retrying one", "answered one", "finished"]);
    let twice = one_call().fails("one", Cause::Truncated, None).fails("one", Cause::Truncated, None);
    assert_eq!(twice.says("one", "never heard").act().await.failure("one").cause, Cause::Truncated);
}

#[tokio::test(start_paused = true)]
async fn a_seat_that_stalls_after_its_first_words_is_not_tried_again() {
    let acted = one_call().stalls_after_words("one").says("one", "never heard").act().await;
    assert_eq!(acted.failure("one").cause, Cause::Stalled);
}

#[tokio::test(start_paused = true)]
async fn an_empty_answer_and_a_refusal_never_become_content() {
    for (text, cause) in [("  \n", Cause::Empty), ("I'm sorry, but I can't help with that.", Cause::Refused)] {
        assert_eq!(one_call().says("one", text).act().await.failure("one").cause, cause);
    }
}

#[tokio::test(start_paused = true)]
async fn secrets_are_gone_before_an_answer_or_a_failure_is_written() {
    // Put together here, so that no scanner takes this file for a leak.
    let key = format!("sk-{}-{}", "ant", "a1b2".repeat(6));
    let stage = one_call().fails_saying("one", Cause::Unavailable, &format!("refused {key}"));
    let journal = stage.says("one", &format!("use {key} for it")).act().await.journal();
    assert!(journal.contains("refused [redacted]") && journal.contains("use [redacted] for it"));
    assert!(!journal.contains("sk-ant"));
}

#[tokio::test(start_paused = true)]
async fn an_answer_that_cannot_be_written_down_is_handed_back() {
    let mut stage = one_call().says("one", "dearly bought");
    stage.fault = Some("full:2".parse().unwrap());
    let Acted { error: Some(error), .. } = stage.act().await else { panic!("the disk was full") };
    let rebut_engine::runner::RunError::Store { unsaved, .. } = error else { panic!("{error}") };
    assert_eq!(unsaved[0].1, "dearly bought");
}

#[tokio::test(start_paused = true)]
async fn a_format_that_neither_goes_on_nor_ends_is_stuck() {
    let acted = Stage::new(|_| Vec::new()).act().await;
    assert!(matches!(acted.error, Some(rebut_engine::runner::RunError::Stuck)));
}

#[tokio::test(start_paused = true)]
async fn seats_are_closed_however_the_debate_ends() {
    for stage in [one_call().says("one", "yes"), one_call().hangs("one"), Stage::new(|_| Vec::new())] {
        let closed = stage.closed.clone();
        stage.act().await;
        assert_eq!(closed.load(Ordering::SeqCst), 1);
    }
}

#[tokio::test(start_paused = true)]
async fn a_stopped_debate_gives_up_its_calls_and_can_be_resumed() {
    let stop = Stop::default();
    stop.signal.cancel();
    let mut stage = one_call().hangs("one");
    stage.stop = stop;
    let acted = stage.act().await;
    assert_eq!(acted.story(), ["planned", "started one", "abandoned one", "interrupted"]);
    assert_eq!(acted.debate.status(), Status::Cancelled);
    assert_eq!(acted.debate.spent_tokens(), 15, "what it used until then is on record");
    let again = one_call().says("one", "yes").resume(acted.folder).await;
    assert_eq!(again.story()[4..], ["resumed", "started one", "answered one", "finished"]);
}

#[tokio::test(start_paused = true)]
async fn after_a_request_to_stop_nothing_is_begun() {
    let stage = one_call().hangs("one");
    stage.stop.signal.cancel();
    let acted = stage.act().await;
    // A request comes while an answer is being looked at: the next call is not made any more.
    let store = FileStore::at(acted.folder.path());
    let id = store.find("last").await.unwrap();
    let asked = store.clone();
    let again = Stage::new(move |debate| match debate.answered(&"one".into_key()) {
        None => vec![step("one", ask("a"))],
        Some(_) if debate.entry(&"note".into_key()).is_none() => {
            asked.request(&id, &Request::Cancel).now_or_never().unwrap().unwrap();
            vec![step("note", Action::Record(Entry::words(EntryKind::Announcement, "noted".into())))]
        }
        Some(_) => vec![step("two", ask("a"))],
    })
    .says("one", "yes")
    .says("two", "yes")
    .resume(acted.folder)
    .await;
    assert_eq!(again.story()[4..], ["resumed", "started one", "answered one", "recorded note", "interrupted"]);
    let id = store.find("last").await.unwrap();
    let mut claimed = store.claim(&id, Earlier::Kept).await.unwrap();
    assert_eq!(claimed.claim.requests().await.unwrap(), [], "the request is taken");
}

#[tokio::test(start_paused = true)]
async fn a_request_to_stop_is_for_the_process_that_has_the_claim() {
    let stage = one_call().hangs("one");
    stage.stop.signal.cancel();
    let folder = stage.act().await.folder;
    let store = FileStore::at(folder.path());
    let id = store.find("last").await.unwrap();
    // One that was made before is dropped.
    store.request(&id, &Request::Cancel).await.unwrap();
    let runner = resumed(&store, Earlier::Dropped).await;
    // One that is made while the debate is prepared is followed.
    store.request(&id, &Request::Cancel).await.unwrap();
    let acted = one_call().says("one", "yes").play(runner, folder).await;
    assert_eq!(acted.story()[4..], ["resumed", "interrupted"]);
    // So is one that is made before a worker takes it over.
    store.request(&id, &Request::Cancel).await.unwrap();
    let runner = resumed(&store, Earlier::Kept).await;
    let acted = one_call().says("one", "yes").play(runner, acted.folder).await;
    assert_eq!(acted.story()[6..], ["resumed", "interrupted"]);
}

#[tokio::test(start_paused = true)]
async fn a_choice_that_was_requested_is_taken_by_the_next_run() {
    let stage = one_call().hangs("one");
    stage.stop.signal.cancel();
    let folder = stage.act().await.folder;
    let store = FileStore::at(folder.path());
    let id = store.find("last").await.unwrap();
    store.request(&id, &Request::Choose { key: "choice".into_key(), option: "B".into() }).await.unwrap();
    let acted = choosing().resume(folder).await;
    assert_eq!(acted.debate.choice(&"choice".into_key()), Some("B"));
    assert_eq!(acted.debate.decider(&"choice".into_key()), Some(Decider::Person));
}

/// Two patches of a file in this folder: the second is tried on what the first makes of it.
fn trying(folder: &std::path::Path) -> Stage {
    std::fs::write(folder.join("f"), "one\n").unwrap();
    let try_patch = |debate: &Debate, key: &str, from: &str, to: &str| {
        let patch = format!("--- a/f\n+++ b/f\n@@ -1 +1 @@\n-{from}\n+{to}\n");
        vec![step(key, Action::Try(Trial { revisions: debate.revisions().to_vec(), patch }))]
    };
    let mut stage = Stage::new(move |debate| match debate.trials().count() {
        0 => try_patch(debate, "z", "one", "two"),
        1 => try_patch(debate, "a", "two", "three"),
        2 => try_patch(debate, "m", "two", "four"),
        _ => vec![done()],
    });
    stage.examiner = Some(Examiner::of_folder(folder, None, 1000, Allowed::default()).unwrap());
    stage
}

#[tokio::test]
async fn a_patch_is_tried_on_what_the_ones_before_it_made() {
    let folder = tempfile::tempdir().unwrap();
    let acted = trying(folder.path()).act().await;
    assert_eq!(acted.story(), ["planned", "tried z", "tried a", "tried m", "finished"]);
    assert!(matches!(acted.debate.trial(&"m".into_key()), Some(Tried::Fails { why }) if why.contains("`two`")));
    // In the order of what happened, not of the keys.
    let revisions = acted.debate.revisions();
    assert_eq!(revisions.len(), 2);
    assert!(revisions[0].ends_with("-one\n+two\n") && revisions[1].ends_with("-two\n+three\n"), "{revisions:?}");
}

#[tokio::test]
async fn a_trial_that_is_stopped_leaves_no_trace_and_is_made_again() {
    let folder = tempfile::tempdir().unwrap();
    let mut stage = trying(folder.path());
    stage.stop = Stop::default();
    stage.stop.signal.cancel();
    let acted = stage.act().await;
    assert_eq!(acted.story(), ["planned", "interrupted"]);
    let again = trying(folder.path()).resume(acted.folder).await;
    assert_eq!(again.story()[2..], ["resumed", "tried z", "tried a", "tried m", "finished"]);
}

use stage::IntoKey;

/// Its files are listed when the debate begins, and not when somebody first cites one.
#[tokio::test(start_paused = true)]
async fn a_file_that_is_deleted_during_a_debate_over_the_live_workspace_was_there() {
    use CheckResult::{ChangedSince, Missing, Unchecked, Verified};
    let acted = Stage::new(|_| vec![done()]).act().await;
    let workspace = tempfile::tempdir().unwrap();
    for file in ["a.rs", "b.rs"] {
        std::fs::write(workspace.path().join(file), "fn f() {}\n").unwrap();
    }
    let scope = Scope::Live { why: "it is too large".to_owned() };
    let plan = Plan {
        workspace: workspace.path().display().to_string(),
        evidence: Some(EvidenceRules { scope, commands: None, run_on: RunOn::default(), fetch_sources: false }),
        ..acted.debate.plan().clone()
    };
    let began = jiff::Timestamp::now() + jiff::SignedDuration::from_hours(1);
    let opened = OpenSnapshot::of(&plan, began, acted.folder.path(), 1 << 20, Allowed::default()).unwrap();
    std::fs::remove_file(workspace.path().join("a.rs")).unwrap();
    let found = |opened: &OpenSnapshot| {
        ["a.rs", "b.rs", "c.rs", "new.rs", "ignored.log", "sub/deep.rs"].map(|path| {
            let target = Evidence::file(path, None);
            opened.examiner(None).examine_now(vec![Cited::mentioned(target)])[0].result
        })
    };
    assert_eq!(found(&opened), [ChangedSince, Verified, Missing, Missing, Missing, Missing]);
    // Seats that read the workspace see what is new and what is ignored: it is not checked, and not called missing.
    std::fs::write(workspace.path().join(".gitignore"), "*.log\n").unwrap();
    std::fs::write(workspace.path().join("new.rs"), "fn new() {}\n").unwrap();
    std::fs::write(workspace.path().join("ignored.log"), "key\n").unwrap();
    assert_eq!(found(&opened), [ChangedSince, Verified, Missing, Unchecked, Unchecked, Missing]);
    std::fs::create_dir(workspace.path().join("sub")).unwrap();
    std::fs::write(workspace.path().join("sub/deep.rs"), "fn deep() {}\n").unwrap();
    assert_eq!(found(&opened), [ChangedSince, Verified, Missing, Unchecked, Unchecked, Unchecked]);
    // A process that resumes the debate still knows what was there.
    std::fs::remove_file(workspace.path().join("b.rs")).unwrap();
    let opened = OpenSnapshot::of(&plan, began, acted.folder.path(), 1 << 20, Allowed::default()).unwrap();
    assert_eq!(found(&opened)[..3], [ChangedSince, ChangedSince, Missing]);
    // Where the workspace is gone the debate can go on, and nothing is false.
    drop(workspace);
    let opened = OpenSnapshot::of(&plan, began, acted.folder.path(), 1 << 20, Allowed::default()).unwrap();
    assert!(opened.note.as_ref().is_some_and(|note| note.contains("is gone")), "{:?}", opened.note);
    assert_eq!(found(&opened), [Unchecked; 6]);
}

#[tokio::test(start_paused = true)]
async fn an_amend_during_a_debate_over_the_live_workspace_makes_no_commit_missing() {
    let acted = Stage::new(|_| vec![done()]).act().await;
    let workspace = tempfile::tempdir().unwrap();
    let git = |arguments: &[&str]| rebut_fakes::git(workspace.path(), arguments);
    std::fs::write(workspace.path().join("a.rs"), "fn f() {}\n").unwrap();
    git(&["init", "-q"]);
    git(&["add", "-A"]);
    git(&["commit", "-q", "-m", "one"]);
    let head = git(&["rev-parse", "HEAD"]);
    let scope = Scope::Live { why: "it is too large".to_owned() };
    let plan = Plan {
        workspace: workspace.path().display().to_string(),
        evidence: Some(EvidenceRules { scope, commands: None, run_on: RunOn::default(), fetch_sources: false }),
        ..acted.debate.plan().clone()
    };
    let open = || OpenSnapshot::of(&plan, jiff::Timestamp::now(), acted.folder.path(), 1 << 20, Allowed::default()).unwrap();
    let opened = open();
    git(&["commit", "-q", "--amend", "-m", "two"]);
    git(&["reflog", "expire", "--expire=now", "--all"]);
    git(&["gc", "-q", "--prune=now"]);
    for opened in [opened, open()] {
        let target = Evidence::commit(head[..9].to_owned());
        assert_eq!(opened.examiner(None).examine_now(vec![Cited::mentioned(target)])[0].result, CheckResult::Verified);
    }
}
