//! What the words of a verdict rest on, and what they only speak of.

use super::*;
use crate::claims::{Spoken, Statement};

const OPENING: &str = "The pool waits.\n\n--- claims\nclaim: the lock is dropped\nevidence: src/pool.rs:88-95 \"drop\"\n\
    claim: it is short\nevidence: src/pool.rs:3\nclaim: it was measured\nevidence: commit abc1234";

fn ledger_of(statement: &Statement) -> Ledger {
    let check = |citation: Citation| {
        let holds = matches!(&citation.target, Target::File { lines: Some(lines), .. } if lines.first == 3);
        let result = if holds { CheckResult::Verified } else { CheckResult::Mismatch };
        let file = Some("crates/net/src/pool.rs".to_owned());
        Checked { citation, result, detail: String::new(), file, lines: None, likeness: None, output: None, passage: None }
    };
    let checked: Vec<Checked> = statement.citations().into_iter().map(check).collect();
    Ledger::of([Spoken { letter: "P", speaker: "proposer", round: 1, statement, checked: &checked }])
}

fn rests(argument: &str) -> Option<String> {
    let ledger = ledger_of(&Statement::read(OPENING));
    rests_on(&ledger, Some(Role::Proposer), argument).map(|found| found.citation.target.to_string())
}

#[test]
fn a_false_citation_is_known_by_file_and_lines_and_by_its_claim() {
    for argument in [
        "src/pool.rs:88-95 drops the lock.",
        "src/pool.rs:88 drops the lock.",
        "`pool.rs:90-99` drops the lock.",
        "crates/net/src/pool.rs:95 drops the lock.",
        "The lock is dropped, see P1.1.",
        "The wait is not bounded, and nothing that exists helps: src/pool.rs:88 shows it.",
        "src/pool.rs:88 shows that the check which failed is the wrong one.",
    ] {
        assert_eq!(rests(argument).as_deref(), Some("src/pool.rs:88-95"), "{argument}");
    }
    assert_eq!(rests("It was measured in commit abc12345.").as_deref(), Some("commit abc1234"));
}

#[test]
fn paths_are_one_file_where_one_is_the_end_of_the_other() {
    for (one, other, same) in [
        ("src/pool.rs", "crates/net/src/pool.rs", true),
        ("./src\\Pool.rs", "SRC/pool.rs/", true),
        ("pool.rs", "src/whirlpool.rs", false),
        ("src/pool.rs", "net/pool.rs", false),
        ("", "src/pool.rs", false),
    ] {
        assert_eq!((same_file(one, other), same_file(other, one)), (same, same), "{one} {other}");
    }
}

/// With words counted from the beginning of the text for every citation, this would not end.
#[test]
fn a_text_of_nothing_but_citations_is_read_once() {
    let text = "é src/other.rs:3 ".repeat(4_000);
    assert_eq!(rests(&text), None);
    assert_eq!(rests(&format!("{text}src/pool.rs:88")).as_deref(), Some("src/pool.rs:88-95"));
    // The same where every one of them might be called false, with a clause of its own.
    let ledger = ledger_of(&Statement::read(OPENING));
    let text = "src/other.rs:3, and the citation, which is, ".repeat(1_500);
    assert_eq!(not_looked_up(&ledger, &text).count(), 1_500);
}

#[test]
fn what_is_true_or_called_false_is_no_false_ground() {
    for argument in [
        "src/pool.rs:3 is short.",
        "`src/pool.rs` is short.",
        "P1.2 stands.",
        "The citation of src/pool.rs:88-95 was found to be false, yet the point holds.",
        "src/pool.rs:88 does not exist.",
        "P1.1 is unverified and was not needed.",
    ] {
        assert_eq!(rests(argument), None, "{argument}");
    }
}

#[test]
fn whose_false_citation_it_is_matters_only_where_it_is_laid_on_them() {
    let ledger = ledger_of(&Statement::read(OPENING));
    let rests = |winner: Option<Role>, text: &str| rests_on(&ledger, winner, text).is_some();
    assert!(rests(None, "src/pool.rs:88 drops it."));
    for text in ["src/pool.rs:88 drops it.", "src/pool.rs:88 drops it, as the challenger shows."] {
        assert!(rests(Some(Role::Challenger), text), "{text}");
    }
    for text in [
        "The proposer's case hangs on src/pool.rs:88.",
        "The challenger caught the citation of src/pool.rs:88.",
        "The proposer rests on P1.1 alone.",
    ] {
        assert!(!rests(Some(Role::Challenger), text), "{text}");
    }
    // For the one who made it, that is what the verdict rests on.
    assert!(rests(Some(Role::Proposer), "The proposer's case hangs on src/pool.rs:88."));
    assert!(rests(Some(Role::Proposer), "The challenger has not shown that src/pool.rs:88 is false."));
}

#[test]
fn the_reasoning_weighs_what_the_losing_side_cited_and_rests_on_it_only_where_it_says_so() {
    let ledger = ledger_of(&Statement::read(OPENING));
    let rests = |winner: Role, text: &str| !reasoning_rests_on(&ledger, winner, text).is_empty();
    for text in [
        "There is nothing at src/pool.rs:88.",
        "I give src/pool.rs:88 zero weight.",
        "Had src/pool.rs:88 existed, I would have ruled otherwise.",
        "src/pool.rs:88 could not be opened.",
    ] {
        assert!(!rests(Role::Challenger, text), "{text}");
    }
    for text in [
        "src/pool.rs:88 drops it, as the challenger shows.",
        "src/pool.rs:88 drops it, and this decides.",
        "src/pool.rs:88 drops it. This decides.",
        "The lock is dropped at src/pool.rs:88. That is why I vote against the proposal.",
        "src/pool.rs:88 drops it, which is reason enough to reject the proposal.",
        "My verdict rests on src/pool.rs:88.",
        "I rest my decision on src/pool.rs:88.",
        "I was persuaded by src/pool.rs:88.",
        "src/pool.rs:88 tips the scales.",
        "src/pool.rs:88 undermines the proposer's case.",
        "The proposer's own src/pool.rs:88 undermines its case, so the challenger wins.",
        "src/pool.rs:88 refutes P1.2.",
        "The challenger is right, given src/pool.rs:88.",
        "Because of src/pool.rs:88 I side against the proposal.",
    ] {
        assert!(rests(Role::Challenger, text), "{text}");
    }
    // Who else is named in the sentence says nothing of the place.
    for text in [
        "I doubt that anybody can open src/pool.rs:88, while the challenger's src/pool.rs:3 holds.",
        "The case hinges on src/pool.rs:88; the challenger's own was verified.",
        "That src/pool.rs:88 does not exist is decisive.",
        "The absence of src/pool.rs:88 decides it.",
        "I was not persuaded by src/pool.rs:88.",
        "I cannot base a verdict on src/pool.rs:88.",
        "The proposer claimed that src/pool.rs:88 proves the leak.",
    ] {
        assert!(!rests(Role::Challenger, text), "{text}");
    }
    assert!(rests(Role::Proposer, "src/pool.rs:88 drops it."), "what the winner invented is always a ground");
}

#[test]
fn a_claim_of_the_losing_side_is_no_ground_of_the_winner() {
    let ledger = ledger_of(&Statement::read(OPENING));
    let rests = |winner: Option<Role>, text: &str| rests_on(&ledger, winner, text).is_some();
    for text in ["P1.1 shows it.", "P1.1 and P1.3 carry no weight.", "I disregard P1.1.", "P1.1 falls."] {
        assert!(!rests(Some(Role::Challenger), text), "{text}");
    }
    assert!(rests(Some(Role::Proposer), "P1.1 shows it."));
    assert!(rests(None, "P1.1 shows it."));
}

#[test]
fn a_place_is_laid_on_the_losing_side_in_many_ways() {
    let ledger = ledger_of(&Statement::read(OPENING));
    let rests = |winner: Role, text: &str| rests_on(&ledger, Some(winner), text).is_some();
    for text in [
        "Without src/pool.rs:88 the proposer has nothing left.",
        "The proposer lost credibility by citing src/pool.rs:88.",
        "src/pool.rs:88 was cited by the proposer.",
        "src/pool.rs:88, the proposer's main exhibit, came to nothing.",
        "P1.1 hangs on src/pool.rs:88.",
        "The proposer pays for src/pool.rs:88.",
        "With src/pool.rs:88 comes the charge of fabrication.",
        "Credibility went with src/pool.rs:88.",
    ] {
        assert!(!rests(Role::Challenger, text), "{text}");
        assert!(rests(Role::Proposer, text), "{text}");
    }
    for text in [
        "The proposer is refuted by src/pool.rs:88.",
        "The proposer concedes that src/pool.rs:88 drops the lock.",
        "src/pool.rs:88, as the proposer admits, drops the lock.",
        "Nothing the challenger said is false: src/pool.rs:88 drops the lock.",
        "src/pool.rs:88 trusts unverified input.",
        "src/pool.rs:88 invents a key, and a check is missing.",
        "The proposer overlooks that src/pool.rs:88 drops the lock.",
        "The proposer cannot answer src/pool.rs:88, which drops the lock.",
        "Against the proposer, src/pool.rs:88 proves that the lock is dropped.",
        "As the proposer's own src/pool.rs:88 shows, the lock is dropped.",
        "P1.1 fails because src/pool.rs:88 drops the lock.",
    ] {
        assert!(rests(Role::Challenger, text), "{text}");
    }
}

/// They are looked up once the verdict is there.
#[test]
fn words_that_correct_a_false_quote_are_no_false_ground() {
    let ledger = ledger_of(&Statement::read(OPENING.replace("\"drop\"", "\"drop(the_lock);\"").as_str()));
    for winner in [Role::Proposer, Role::Challenger] {
        for text in [
            "src/pool.rs:88 actually reads `keep(the_lock);`, contrary to P1.3.",
            "The line src/pool.rs:88 says `keep(the_lock);`.",
        ] {
            assert_eq!(rests_on(&ledger, Some(winner), text), None, "{text}");
            assert_eq!(not_looked_up(&ledger, text).count(), 1, "{text}");
        }
        let again = "src/pool.rs:88 reads `drop(the_lock);`.";
        assert!(rests_on(&ledger, Some(winner), again).is_some());
        assert_eq!(not_looked_up(&ledger, again).count(), 0);
    }
}

/// The proposer invented a file and misquoted a line.
fn invented() -> Ledger {
    let statement = Statement::read(
        "Keys are logged.\n\n--- claims\nclaim: keys are logged\nevidence: src/auth/token.rs:10\n\
         claim: guard\nevidence: src/pool.rs:35\nclaim: false quote\nevidence: src/pool.rs:43 \"guard.push_front(conn);\"",
    );
    let check = |citation: Citation| {
        let place = citation.target.to_string();
        let result = match place.as_str() {
            "src/auth/token.rs:10" => CheckResult::Missing,
            "src/pool.rs:43" => CheckResult::Mismatch,
            _ => CheckResult::Verified,
        };
        Checked {
            citation,
            result,
            detail: String::new(),
            file: None,
            lines: None,
            likeness: None,
            output: None,
            passage: None,
        }
    };
    let checked: Vec<Checked> = statement.citations().into_iter().map(check).collect();
    Ledger::of([Spoken { letter: "P", speaker: "proposer", round: 1, statement: &statement, checked: &checked }])
}

#[test]
fn no_verdict_rests_on_an_invented_file_because_its_sentence_speaks_of_a_bug() {
    let ledger = invented();
    for text in [
        "API keys are exposed at src/auth/token.rs:10.",
        "src/auth/token.rs:10 returns false when the key is valid.",
        "A null check is missing in src/auth/token.rs:10.",
        "src/pool.rs:43 does not hold the lock.",
        "src/auth/token.rs:10 trusts unverified input.",
        "The default in src/auth/token.rs:10 is wrong.",
        "There is no such check in src/auth/token.rs:10.",
        "token.rs writes past the end of the buffer.",
        "P1.1 shows that a check is missing.",
    ] {
        assert!(rests_on(&ledger, Some(Role::Proposer), text).is_some(), "{text}");
    }
}

#[test]
fn a_verdict_may_say_in_many_words_that_the_losers_evidence_is_false() {
    let ledger = invented();
    for text in [
        "The citation src/auth/token.rs:10 failed the check.",
        "P1.1 falls, because its only evidence failed.",
        "The proposer's main point, P1.1, was not borne out by the check.",
        "The engine marked src/auth/token.rs:10 as missing.",
        "P1.1 is unsupported: the file is not in the repository.",
        "The proposer's central exhibit, src/auth/token.rs:10, turned out not to exist.",
        "I disregard P1.1 and P1.3.",
        "P1.1 and P1.3 carry no weight.",
        "The proposer lost credibility by citing src/auth/token.rs:10.",
        "Two of the proposer's four claims (P1.1, P1.3) failed verification.",
        "The challenger wins because P1.1 could not be verified.",
        "No trace of src/auth/token.rs:10 was found in the workspace.",
        "The proposer's quote from src/pool.rs:43 is wrong; the line calls push_back.",
        "src/pool.rs:43 actually reads `guard.push_back(conn);`, contrary to P1.3.",
        "P1.3 misquotes src/pool.rs:43.",
        "The proposer misread src/pool.rs:43.",
        "Without src/auth/token.rs:10 the proposer has nothing left.",
        "The proposer relied on src/auth/token.rs:10, and the lookup came back empty.",
        "P1.1 was struck by the evidence check.",
        "The proposer's evidence for P1.1 evaporated on inspection.",
        "P1.1 is built on sand: src/auth/token.rs is nowhere to be found.",
        "The proposer cites a phantom file (src/auth/token.rs:10).",
    ] {
        assert_eq!(rests_on(&ledger, Some(Role::Challenger), text), None, "{text}");
    }
}

#[test]
fn words_from_a_file_that_is_not_there_are_false_words() {
    let opening = "src/token.rs:10 says `log.info(api_key)`.";
    let ledger_with = |also: &str| {
        let statement = Statement::read(&format!("{opening} {also}"));
        let missing = |citation: &Citation| citation.target.to_string().contains("token");
        let result = |citation: &Citation| if missing(citation) { CheckResult::Missing } else { CheckResult::Verified };
        let checked: Vec<Checked> = statement
            .citations()
            .into_iter()
            .map(|citation| {
                let result = result(&citation);
                Checked::of(citation, result, "")
            })
            .collect();
        Ledger::of([Spoken { letter: "P", speaker: "proposer", round: 1, statement: &statement, checked: &checked }])
    };
    let rests = |also: &str, text: &str| rests_on(&ledger_with(also), Some(Role::Proposer), text).is_some();
    for text in ["`log.info(api_key)` is in the code.", "The quote `log.info(api_key)` decides."] {
        assert!(rests("", text), "{text}");
        assert!(!rests("src/log.rs:3 says `log.info(api_key)`.", text), "what stands elsewhere may be meant: {text}");
    }
    assert!(!rests("", "The quote `log.info(api_key)` was invented."));
}

#[test]
fn a_false_citation_is_known_by_what_it_names_too() {
    let opening = "Keys leak: src/token.rs:10. src/pool.rs:88 reads `drop(the_lock)`. It was commit deadbee.";
    let statement = Statement::read(opening);
    let mut checked: Vec<Checked> = ledger_of(&statement).beside.remove(0).1;
    for found in &mut checked {
        let pool = found.citation.target.to_string().contains("pool");
        found.result = if pool { CheckResult::Mismatch } else { CheckResult::Missing };
        found.file = None;
    }
    let ledger =
        Ledger::of([Spoken { letter: "P", speaker: "proposer", round: 1, statement: &statement, checked: &checked }]);
    for text in ["token.rs logs keys.", "The code reads `drop(the_lock)`.", "deadbee broke it."] {
        assert!(rests_on(&ledger, Some(Role::Proposer), text).is_some(), "{text}");
    }
    for text in ["token.rs does not exist.", "The quote `drop(the_lock)` was invented.", "other_token.rs logs keys."] {
        assert!(rests_on(&ledger, Some(Role::Proposer), text).is_none(), "{text}");
    }
}
