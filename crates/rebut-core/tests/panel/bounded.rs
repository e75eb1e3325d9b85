//! What prompts hold in full: all of it for the chair and the reporter, two rounds for a debater, less only where a seat's
//! context is too small.

use crate::TestDebate;
use crate::test_debate::panel::{GOOD, NAMES, entry, of, panel, turn};

const ROUNDS: u32 = 8;

/// A debate of long entries, where the seat of this name reads so many tokens.
fn long(debaters: usize, limited: Option<(&str, u64)>) -> TestDebate {
    let mut plan = panel(debaters, |setup| (setup.min_rounds, setup.max_rounds) = (ROUNDS, ROUNDS)).debate().plan().clone();
    for (name, seat) in &mut plan.seats {
        seat.context_tokens = limited.filter(|(limited, _)| *limited == name.as_str()).map(|(_, tokens)| tokens);
    }
    let mut test = of(plan);
    for round in 1..=ROUNDS {
        for name in &NAMES[..debaters] {
            let words = format!("What {name} says in round {round}. {}", "It is so for many reasons. ".repeat(60));
            test = test.says(&format!("round-{round}/{name}"), turn(&[entry("new_point", &words, GOOD)]));
        }
    }
    test.run()
}

#[test]
fn the_chair_and_the_reporter_read_every_entry_in_full() {
    let test = long(3, None);
    for key in ["chair/judgement/1", "chair/unresolved", "reporter/summary", "audience/conclusion", "assessor/report"] {
        let prompt = &test.prompt(key).user;
        for round in 1..=ROUNDS {
            assert!(prompt.contains(&format!("What anna says in round {round}. It is so")), "{key}, round {round}");
        }
        assert!(!prompt.contains("in one sentence each"), "{key}");
    }
}

#[test]
fn a_debater_reads_this_and_the_previous_round_in_full_and_its_cue_grows_linearly() {
    let test = long(3, None);
    let cue = &test.prompt("round-5/carla").user;
    for (words, in_full) in [("anna says in round 3", false), ("anna says in round 4", true), ("anna says in round 5", true)]
    {
        assert!(cue.contains(words), "{words}: {cue}");
        assert_eq!(cue.contains(&format!("{words}. It is so")), in_full, "{words}: {cue}");
    }
    let closing = &test.prompt("closing/anna").user;
    assert!(closing.contains("anna says in round 8. It is so") && !closing.contains("anna says in round 7. It is so"));
    let bytes = |round: u32| test.prompt(&format!("round-{round}/carla")).joined().len();
    let steps: Vec<usize> = (4..=ROUNDS).map(|round| bytes(round).saturating_sub(bytes(round - 1))).collect();
    // A round adds a sentence per entry, and not its 1600 bytes.
    assert!(steps.iter().all(|step| *step <= 3 * 200), "each round adds {steps:?}");
}

#[test]
fn a_small_context_shortens_the_oldest_entries_first_and_the_prompt_says_so() {
    let test = long(3, Some(("chair", 20_000)));
    let prompt = &test.prompt("chair/judgement/1").user;
    assert!(prompt.contains("entries in one sentence each: in full they don't fit your context"), "{prompt}");
    assert!(prompt.contains("What anna says in round 1") && !prompt.contains("What anna says in round 1. It is so"));
    assert!(prompt.contains("What carla says in round 8. It is so"), "{prompt}");
    assert!(prompt.len() < 60_000, "{}", prompt.len());
    assert!(!test.prompt("reporter/summary").user.contains("don't fit"), "only the seat that is small");
}
