//! Prompts stay bounded: a cue holds sentences and what must be answered, never the whole log.

use crate::TestDebate;
use crate::test_debate::panel::{GOOD, NAMES, entry, panel, rebuttal, turn};

const ROUNDS: u32 = 8;

/// A debate of long entries.
fn long(debaters: usize) -> TestDebate {
    let mut test = panel(debaters, |setup| (setup.min_rounds, setup.max_rounds) = (ROUNDS, ROUNDS));
    for round in 1..=ROUNDS {
        for name in &NAMES[..debaters] {
            let words = format!("What {name} says in round {round}. {}", "It is so for many reasons. ".repeat(60));
            test = test.says(&format!("round-{round}/{name}"), turn(&[entry("new_point", &words, GOOD)]));
        }
    }
    test.run()
}

#[test]
fn the_bytes_of_a_turn_grow_at_most_linearly_with_the_rounds() {
    for debaters in [3, 8] {
        let test = long(debaters);
        let last = NAMES[debaters - 1];
        let bytes = |round: u32| test.prompt(&format!("round-{round}/{last}")).joined().len();
        let steps: Vec<usize> = (3..=ROUNDS).map(|round| bytes(round).saturating_sub(bytes(round - 1))).collect();
        let largest = steps.iter().max().copied().unwrap_or_default();
        // A round adds a sentence an entry, and not its 1600 bytes.
        assert!(largest <= debaters * 200, "{debaters} debaters: each round adds {steps:?}");
        let first = steps.first().copied().unwrap_or_default();
        assert!(steps.iter().all(|step| *step <= first + 40), "{debaters} debaters: steps do not grow: {steps:?}");
    }
}

#[test]
fn what_need_not_be_answered_stands_in_a_cue_by_its_sentence_alone() {
    let test = long(3);
    let cue = &test.prompt("round-5/carla").user;
    assert!(cue.contains("What anna says in round 2") && !cue.contains("What anna says in round 2. It is so"), "{cue}");
    assert!(cue.contains("What anna says in round 5. It is so"), "the last argument of each of the others is there in full");
}

#[test]
fn what_is_given_in_full_is_bounded_and_the_rest_is_named() {
    let long = |n: usize| format!("Rebuttal {n}. {}", "It is otherwise. ".repeat(600));
    let mut test = panel(8, |_| ());
    for name in &NAMES[1..] {
        let entries: Vec<_> = (0..3).map(|n| rebuttal(&long(n), 2, "docs/review.md:3")).collect();
        test = test.says(&format!("round-1/{name}"), turn(&entries));
    }
    let test = test.run();
    let cue = &test.prompt("round-2/anna").user;
    assert!(cue.len() < 60_000, "{}", cue.len());
    assert!(cue.contains("Too long to be given in full, and above in one sentence each: seq "), "{}", cue.len());
}
