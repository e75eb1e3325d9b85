//! Every final decision, and the order in which a round ends.

use rebut_fakes::ScriptLine;
use serde_json::{Value, json};

use super::{
    PATCH, agreement, cited, concrete_p1, critique, decided, early_drop, early_drop_judged, finding, git, json_file, judged,
    judgement, kept, letters, repository, review, ruling, same, seats, written_by,
};

#[test]
fn nothing_of_weight_keeps_the_original() {
    let script = seats()
        .call("round-1/critique", critique(&[early_drop("P3")], "revise"))
        .call("round-1/judgement", judgement(&[("F1", "valid", "P3")], &[]));
    let env = repository(&script);
    let _ = review(&env, &[]).exits(0).shows("- Keep Original").shows("A (no P1 or P2 confirmed");
    assert_eq!((decided(&env), letters(&env)), ("Keep Original".into(), vec!["A".to_owned()]));
}

#[test]
fn a_critic_that_agrees_is_not_judged() {
    let env = repository(&seats().call("round-1/critique", agreement()));
    let _ = review(&env, &[]).exits(0).shows("- Converged (agreement)").shows("Converged: yes");
    let metadata = json_file(&kept(&env), "metadata.json");
    assert_eq!(metadata["rounds"][0]["choice"], "AUTO_STOP");
    assert_eq!(metadata["rounds"][0]["judge_recommendation"], serde_json::Value::Null);
}

#[test]
fn a_concrete_p1_is_accepted_and_written_by_the_critic() {
    let script = seats()
        .call("round-1/critique", critique(&[early_drop("P1")], "revise"))
        .call("round-1/judgement", concrete_p1())
        .call("round-1/rewrite", ScriptLine::text(PATCH));
    let env = repository(&script);
    let _ = review(&env, &[]).exits(0).shows("- Accept Opposite\n");
    assert_eq!(written_by(&env, "round-1/rewrite"), "critic");
}

#[test]
fn an_acceptance_need_not_be_written() {
    let script =
        seats().call("round-1/critique", critique(&[early_drop("P1")], "revise")).call("round-1/judgement", concrete_p1());
    let env = repository(&script);
    let _ = review(&env, &["--skip-materialize-opposite"]).exits(0);
    assert_eq!(decided(&env), "Accept Opposite (materialization skipped)");
}

#[test]
fn a_rewrite_that_fails_is_no_acceptance() {
    let script = seats()
        .call("round-1/critique", critique(&[early_drop("P1")], "revise"))
        .call("round-1/judgement", concrete_p1())
        .call("round-1/rewrite", ScriptLine::fail("timeout"));
    let env = repository(&script);
    let _ = review(&env, &[]).exits(3).shows("the new version of round 1 could not be written");
    assert_eq!(decided(&env), "Stopped");
}

#[test]
fn a_compromise_of_the_last_round_is_the_result() {
    let script = early_drop_judged("P1").call("round-1/rewrite", ScriptLine::text(PATCH));
    let env = repository(&script);
    let _ =
        review(&env, &["--intensity", "quick"]).exits(0).shows("- Compromise").shows("[addressed, and not critiqued again]");
    assert_eq!(letters(&env), ["C"]);
    assert_eq!(written_by(&env, "round-1/rewrite"), "author");
}

#[test]
fn a_compromise_that_is_not_the_last_is_critiqued_again() {
    let script =
        early_drop_judged("P1").call("round-1/rewrite", ScriptLine::text(PATCH)).call("round-2/critique", agreement());
    let env = repository(&script);
    let _ = review(&env, &[]).exits(0).shows("- Converged (agreement)").shows("[addressed, and not raised again]");
    let prompt = kept(&env).prompt("round-2/critique");
    assert!(prompt.contains("+    conn.after(guard)"), "{prompt}");
}

#[test]
fn an_important_point_that_nobody_raised_asks_for_a_compromise() {
    let script = seats()
        .call("round-1/critique", critique(&[early_drop("P3")], "revise"))
        .call("round-1/judgement", judgement(&[("F1", "valid", "P3")], &[("no test covers the wait", true)]))
        .call("round-1/rewrite", ScriptLine::text(PATCH));
    let env = repository(&script);
    let _ = review(&env, &["--intensity", "quick"]).exits(0);
    assert_eq!((decided(&env), letters(&env)), ("Compromise".into(), vec!["C".to_owned()]));
}

#[test]
fn a_p1_that_needs_evidence_is_answered_and_the_critic_sees_the_answer() {
    let script = seats()
        .call("round-1/critique", critique(&[early_drop("P1")], "continue"))
        .call("round-1/judgement", judgement(&[("F1", "needs_evidence", "P1")], &[]))
        .call("round-1/rebuttal", ScriptLine::text("F1: wait() locks again by itself, see src/pool.rs:4 \"pool.wait(30)\"."))
        .call("round-2/critique", agreement());
    let env = repository(&script);
    let _ = review(&env, &[]).exits(0).shows("- Converged (agreement)").shows("[answered, and not raised again]");
    let prompt = kept(&env).prompt("round-2/critique");
    assert!(prompt.contains("wait() locks again by itself"), "{prompt}");
    assert!(prompt.contains("✔ src/pool.rs:4"), "{prompt}");
    assert_eq!(letters(&env), ["D", "-"]);
    assert_eq!(written_by(&env, "round-1/rebuttal"), "author");
    // It is a phase of its own in the accounts, and its evidence was looked up.
    let accounts = json_file(&kept(&env), "debate.json")["rebut"]["accounts"].clone();
    let rows = accounts.as_array().unwrap();
    let rebuttals: Vec<_> = rows.iter().filter(|row| row["phase"] == "rebuttal").map(|row| row["seat"].clone()).collect();
    assert_eq!(rebuttals, ["author"], "{accounts:#}");
    assert_eq!(kept(&env).of_kind("checked").last().unwrap().key(), "round-1/rebuttal/evidence");
}

#[test]
fn a_rebuttal_has_no_place_in_the_last_round() {
    let script = seats()
        .call("round-1/critique", critique(&[early_drop("P1")], "continue"))
        .call("round-1/judgement", judgement(&[("F1", "needs_evidence", "P2")], &[]));
    let env = repository(&script);
    let run = review(&env, &["--max-rounds", "1"]).exits(3);
    let _ = run.shows("### Unresolved\n\n- P2 F1 `src/pool.rs:3` the guard is dropped before the wait [needs evidence]");
    assert_eq!(decided(&env), "Stopped");
}

#[test]
fn a_later_round_with_nothing_new_is_stopped() {
    let script = early_drop_judged("P1")
        .call("round-1/rewrite", ScriptLine::text(PATCH))
        .call("round-2/critique", critique(&[], "revise"))
        .call("round-2/judgement", judgement(&[], &[]));
    let env = repository(&script);
    let _ = review(&env, &[]).exits(0).shows("this round raised nothing new");
    assert_eq!((decided(&env), letters(&env)), ("Stopped".into(), vec!["C".to_owned(), "E".to_owned()]));
}

#[test]
fn two_rounds_without_anything_new_of_weight_have_converged() {
    let aside = |text: &str, line: &str, quote: &str| [finding("P3", text, line, quote)];
    let first = aside("the name acquire says little", "src/pool.rs:1", "acquire");
    let second = aside("thirty is a number without a name", "src/pool.rs:3", "pool.wait(30)");
    let again = PATCH
        .replace("-    drop(guard);\n-    pool.wait(30)\n", "-    let conn = pool.wait(30);\n-    conn.after(guard)\n")
        .replace("+    conn.after(guard)", "+    conn.after_all(guard)");
    let last = again
        .replace("conn.after_all(guard)", "conn.after_it(guard)")
        .replace("-    conn.after(guard)", "-    conn.after_all(guard)");
    let third = aside("nothing says why it locks at all", "src/pool.rs:2", "let guard = pool.lock();");
    let missed_again = |id: &str| {
        let missing = json!({ "title": "no test covers the wait", "important": true, "same_as": "M1" });
        judged(&[ruling(id, "valid", "P3")], &[missing])
    };
    // What the judge misses in the first round is new there, and not any more afterwards.
    let script = seats()
        .call("round-1/critique", critique(&first, "revise"))
        .call("round-1/judgement", judgement(&[("F1", "valid", "P3")], &[("no test covers the wait", true)]))
        .call("round-1/rewrite", ScriptLine::text(PATCH))
        .call("round-2/critique", critique(&second, "revise"))
        .call("round-2/judgement", missed_again("F2"))
        .call("round-2/rewrite", ScriptLine::text(again))
        .call("round-3/critique", critique(&third, "revise"))
        .call("round-3/judgement", missed_again("F3"))
        .call("round-3/rewrite", ScriptLine::text(last));
    let env = repository(&script);
    let _ = review(&env, &[]).exits(0).shows("rounds 2 and 3 raised no new P1 or P2");
    assert_eq!(decided(&env), "Converged (two consecutive rounds with no new P1/P2)");
    assert_eq!(letters(&env), ["C", "C", "C"]);
}

#[test]
fn without_any_critique_nothing_is_invented() {
    let script = seats()
        .call("round-1/critique", ScriptLine::fail("auth"))
        .call("round-1/critique/stand-in", ScriptLine::fail("not_installed"));
    let env = repository(&script);
    let _ = review(&env, &[]).exits(1).shows("- Stopped (backend error - no review performed)");
    let metadata = json_file(&kept(&env), "metadata.json");
    assert_eq!(metadata["rounds"][0]["backend_unavailable"], true);
    assert_eq!(metadata["status"], "closed");
}

#[test]
fn the_judges_seat_stands_in_for_a_critic_that_fails() {
    // The critic itself has failed, so that nothing counts as agreement without a judge.
    let script = seats()
        .call("round-1/critique", ScriptLine::fail("auth"))
        .call("round-1/critique/stand-in", agreement())
        .call("round-1/judgement", judgement(&[], &[]));
    let env = repository(&script);
    let _ = review(&env, &[]).exits(0);
    let metadata = json_file(&kept(&env), "metadata.json");
    assert_eq!(metadata["fallback_local_backend"], true);
    assert_eq!(metadata["rounds"][0]["backend_unavailable"], true);
    assert_eq!(decided(&env), "Keep Original");
}

#[test]
fn the_budget_ends_a_review() {
    let script = seats().call("round-1/critique", ScriptLine::hang());
    let env = repository(&script);
    let _ = review(&env, &["--budget-minutes", "0.004"]).exits(3);
    assert_eq!(decided(&env), "Stopped (budget exceeded)");
}

#[test]
fn nothing_is_ever_staged_or_committed() {
    let script = early_drop_judged("P1").call("round-1/rewrite", ScriptLine::text(PATCH));
    let env = repository(&script);
    let before = (git(&env, &["status", "--porcelain"]), git(&env, &["rev-parse", "HEAD"]));
    let _ = review(&env, &["--intensity", "quick"]).exits(0);
    assert_eq!((git(&env, &["status", "--porcelain"]), git(&env, &["rev-parse", "HEAD"])), before);
}

#[test]
fn a_valid_p1_stays_open_after_a_rebuttal() {
    let other = finding("P1", "the pool may be empty here", "src/pool.rs:2", "pool.lock()");
    let script = seats()
        .call("round-1/critique", critique(&[early_drop("P1"), other], "continue"))
        .call("round-1/judgement", judgement(&[("F1", "valid", "P1"), ("F2", "needs_evidence", "P1")], &[]))
        .call("round-1/rebuttal", ScriptLine::text("F2: the pool is never empty."))
        .call("round-2/critique", agreement());
    let env = repository(&script);
    let run = review(&env, &["--fail-on", "p1"]).exits(4).says("1 valid P1 finding remains");
    let _ = run.shows("F1 `src/pool.rs:3` the guard is dropped before the wait [open]");
}

#[test]
fn what_the_judge_would_call_a_p1_is_answered_too() {
    let script = seats()
        .call("round-1/critique", critique(&[early_drop("P2")], "continue"))
        .call("round-1/judgement", judgement(&[("F1", "needs_evidence", "P1")], &[]))
        .call("round-1/rebuttal", ScriptLine::text("F1: it locks again."))
        .call("round-2/critique", agreement());
    let env = repository(&script);
    let _ = review(&env, &[]).exits(0);
    assert_eq!(letters(&env), ["D", "-"]);
}

#[test]
fn whoever_stood_in_writes_what_is_accepted() {
    let script = seats()
        .call("round-1/critique", ScriptLine::fail("not_installed"))
        .call("round-1/critique/stand-in", critique(&[early_drop("P1")], "revise"))
        .call("round-1/judgement", concrete_p1())
        .call("round-1/rewrite", ScriptLine::text(PATCH));
    let env = repository(&script);
    let _ = review(&env, &[]).exits(0);
    assert_eq!(decided(&env), "Accept Opposite");
    assert_eq!(written_by(&env, "round-1/rewrite"), "stand-in");
}

#[test]
fn a_stop_with_open_findings_of_weight_is_no_decision() {
    let script = early_drop_judged("P1")
        .call(
            "round-1/rewrite",
            ScriptLine::text(PATCH.replace("+    let conn = pool.wait(30);", "+    drop(guard); let conn = pool.wait(30);")),
        )
        .call("round-2/critique", critique(&[early_drop("P1")], "revise"))
        .call("round-2/judgement", judged(&[same("F2", "valid", "P1", "F1")], &[]));
    let env = repository(&script);
    let _ = review(&env, &[]).exits(3).shows("this round raised nothing new");
    assert_eq!(letters(&env), ["C", "E"]);
}

#[test]
fn a_p1_that_still_needs_evidence_leaves_ci_open() {
    let script = seats()
        .call("round-1/critique", critique(&[early_drop("P1")], "revise"))
        .call("round-1/judgement", judgement(&[("F1", "needs_evidence", "P1")], &[]));
    // The user keeps the original: that alone exits with 0.
    for (more, exit) in [(&[][..], 0), (&["--fail-on", "p1"], 3), (&["--fail-on", "p2"], 3)] {
        let env = repository(&script);
        let arguments = super::arguments(&[&["--mode", "manual"], more].concat());
        let run = env.rebut_reading(b"A\n", arguments).exits(exit);
        assert_eq!(run.stderr.contains("still needs evidence"), exit == 3, "{run}");
    }
    let valid = early_drop_judged("P1");
    let env = repository(&valid);
    let _ = env.rebut_reading(b"A\n", super::arguments(&["--mode", "manual", "--fail-on", "p1"])).exits(4);
}

/// The judge of round 2 rules on what was raised again as F2, with this evidence.
fn ruled_again(kind: &str, severity: &str, evidence: &[Value]) -> ScriptLine {
    let mut ruling = same("F2", kind, severity, "F1");
    ruling["evidence"] = evidence.into();
    judged(&[ruling], &[])
}

#[test]
fn a_valid_p1_remains_when_the_critic_repeats_it_with_quotes_that_the_patch_removed() {
    let script = early_drop_judged("P1")
        .call("round-1/rewrite", ScriptLine::text(PATCH))
        .call("round-2/critique", critique(&[early_drop("P1")], "revise"))
        .call("round-2/judgement", ruled_again("invalid", "P1", &[]));
    let env = repository(&script);
    let run = review(&env, &["--fail-on", "p1"]).exits(4).says("1 valid P1 finding remains");
    let run = run.shows("F1 `src/pool.rs:3` the guard is dropped before the wait [fixed in the new version]");
    let _ = run.shows("F2 (same as F1) P2 needs evidence (by the engine)");
    // Nor does it help where the judge does not see that it is the same.
    let unseen = script.call("round-2/judgement", judgement(&[("F2", "invalid", "P1")], &[]));
    let _ = review(&repository(&unseen), &["--fail-on", "p1"]).exits(4);
}

#[test]
fn a_valid_p1_stays_open_when_a_repetition_misquotes_code_that_no_patch_touched() {
    let misquoted = finding("P1", "the guard is dropped before the wait", "src/pool.rs:3", "launch_the_rockets();");
    let elsewhere = PATCH
        .replace(
            " fn acquire(pool: &Pool) -> Conn {",
            "-fn acquire(pool: &Pool) -> Conn {\n+fn acquire(pool: &Pool) -> Lease {",
        )
        .replace(
            "-    drop(guard);\n-    pool.wait(30)\n+    let conn = pool.wait(30);\n+    conn.after(guard)",
            "     drop(guard);\n     pool.wait(30)",
        );
    let script = early_drop_judged("P1")
        .call("round-1/rewrite", ScriptLine::text(elsewhere))
        .call("round-2/critique", critique(&[misquoted], "revise"))
        .call("round-2/judgement", ruled_again("invalid", "P1", &[]));
    let env = repository(&script);
    let _ = review(&env, &["--fail-on", "p1"]).exits(4).shows("the guard is dropped before the wait [open]");
}

#[test]
fn a_judge_takes_a_valid_p1_back_only_with_evidence_that_holds() {
    let again = || finding("P1", "the guard is dropped before the wait", "src/pool.rs:3", "let conn = pool.wait(30);");
    let fixed = || cited("src/pool.rs:4", "conn.after(guard)");
    for (kind, severity, evidence, state) in [
        ("invalid", "P1", vec![], "open"),
        ("invalid", "P1", vec![cited("src/pool.rs:4", "")], "open"),
        ("invalid", "P1", vec![cited("src/pool.rs:4", "guard.keep()")], "open"),
        ("invalid", "P1", vec![fixed()], "fixed in the new version"),
        ("needs_evidence", "P1", vec![fixed()], "open"),
        // In what was given it is as grave as it was, whatever the new version made of it.
        ("valid", "P3", vec![fixed()], "open"),
    ] {
        // What was cited in round 1 stays, so that only the judge can say that it is fixed.
        let patch = PATCH.replace("-    drop(guard);\n", "     drop(guard);\n");
        let script = early_drop_judged("P1")
            .call("round-1/rewrite", ScriptLine::text(patch))
            .call("round-2/critique", critique(&[again()], "revise"))
            .call("round-2/judgement", ruled_again(kind, severity, &evidence));
        let env = repository(&script);
        let run = review(&env, &["--fail-on", "p1"]).exits(4);
        let _ = run.shows(&format!("[{state}]"));
        let prompt = kept(&env).prompt("round-2/judgement");
        assert!(prompt.contains("F1 P1 at src/pool.rs:3: the guard is dropped before the wait [ruled valid, "), "{prompt}");
    }
}
