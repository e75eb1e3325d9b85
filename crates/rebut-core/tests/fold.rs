//! The fold, on random courses of random duels: failures, rejections, retries, kills and stops at any step.

use std::collections::{BTreeMap, BTreeSet};

use proptest::collection::{btree_map, vec};
use proptest::prelude::*;
use proptest::test_runner::RngSeed;
use rebut_core::debate::{
    Amendment, BudgetLimit, CallState, Cause, Debate, Decider, Entry, EntryKind, Event, Failure, FoldError, Happening,
    Interruption, Outcome, Phase, Prompt, SeatName, Status, StepKey, Usage,
};
use rebut_core::formats::duel::{self, Bout, Leg, Role};
use rebut_core::formats::{begin, fold};

use crate::test_debate::texts;
use crate::{Cut, Reply, TestDebate};

/// What happens to a duel on its way.
#[derive(Clone, Debug)]
struct Course {
    rounds: u32,
    troubles: Vec<(usize, Trouble)>,
    cuts: BTreeMap<usize, Cut>,
    max_tokens: Option<u64>,
    taken_up_again: bool,
}

/// What happens to a call.
#[derive(Clone, Debug)]
enum Trouble {
    Fails(Cause),
    Rejected,
    RejectedTwice,
    Stumbles(Cause),
}

impl Course {
    /// The course, without the kills and stops.
    fn uncut(&self) -> TestDebate {
        let mut keys = vec![texts::verdict_key(1)];
        keys.extend((1..=self.rounds).flat_map(|round| Role::ALL.map(|role| Leg::First.statement_key(round, role))));
        keys.extend((3..=self.rounds).map(|round| Leg::First.summary_key(round)));
        let mut debate = TestDebate::planned(self.rounds, |plan| plan.budget.max_tokens = self.max_tokens);
        for (place, trouble) in &self.troubles {
            let key = keys[place % keys.len()].as_str();
            let bad = if key == "verdict/judge/1" { texts::verdict_without_winner() } else { texts::NO_PROSE.to_owned() };
            debate = match trouble {
                Trouble::Fails(cause) => debate.fails(key, *cause, "as it happens"),
                Trouble::Stumbles(cause) => debate.on(key, Reply::Stumbles(Failure::new(*cause, ""))),
                Trouble::Rejected => debate.says(key, bad),
                Trouble::RejectedTwice => debate.says(key, bad.as_str()).says(key, bad),
            };
        }
        debate
    }

    /// The course, to its end.
    fn run(&self) -> TestDebate {
        let debate = self.cuts.iter().fold(self.uncut(), |debate, (after, cut)| debate.cut(*after, *cut)).run();
        if self.taken_up_again { debate.resume(Amendment::default()) } else { debate }
    }
}

fn courses() -> impl Strategy<Value = Course> {
    let cause = || proptest::sample::select(Cause::ALL.to_vec());
    let trouble = prop_oneof![
        cause().prop_map(Trouble::Fails),
        Just(Trouble::Rejected),
        Just(Trouble::RejectedTwice),
        cause().prop_map(Trouble::Stumbles),
    ];
    let cut = prop_oneof![Just(Cut::Killed), Just(Cut::Stopped)];
    let troubles = vec((any::<usize>(), trouble), 0..4);
    let cuts = btree_map(1_usize..50, cut, 0..8);
    let max_tokens = proptest::option::weighted(0.3, 2_000_u64..25_000);
    (duel::ROUNDS, troubles, cuts, max_tokens, any::<bool>()).prop_map(
        |(rounds, troubles, cuts, max_tokens, taken_up_again)| Course { rounds, troubles, cuts, max_tokens, taken_up_again },
    )
}

/// The same courses on every machine and every day.
fn fixed() -> ProptestConfig {
    let rng_seed = RngSeed::Fixed(0x3fa9);
    ProptestConfig { cases: 40, rng_seed, failure_persistence: None, ..ProptestConfig::default() }
}

/// Every debate that the events pass through.
fn prefixes(events: &[Event]) -> Vec<Debate> {
    let mut debate = begin(events[0].clone()).expect("a plan comes first");
    let mut debates = vec![debate.clone()];
    for event in &events[1..] {
        debate.apply(event.clone()).expect("what a runner wrote can be folded");
        debates.push(debate.clone());
    }
    debates
}

/// The error of an event that cannot follow; the debate must stay as it was.
fn refused(debate: &Debate, happening: &Happening) -> FoldError {
    let mut same = debate.clone();
    let error = same.apply(Event { at: debate.last_at(), happening: happening.clone() });
    assert_eq!(&same, debate, "a refused event changed the debate: {happening:?}");
    error.expect_err("an event that can't follow")
}

fn started(key: &StepKey) -> Happening {
    Happening::Started {
        key: key.clone(),
        attempt: 1,
        seat: SeatName::new("proposer"),
        phase: Phase("round 1".to_owned()),
        prompt: Prompt::default(),
        limit_ms: 1,
        reserved_tokens: 1,
    }
}

/// Every way in which a call can come to an end.
fn endings(debate: &TestDebate, key: &StepKey) -> Vec<Happening> {
    let mut endings = vec![
        Happening::Failed { key: key.clone(), failure: Failure::new(Cause::Exit, "") },
        Happening::Retrying { key: key.clone(), failure: Failure::new(Cause::RateLimited, ""), wait_ms: 1 },
        Happening::Abandoned { key: key.clone(), usage: Usage::default(), in_doubt: false },
    ];
    endings.extend(debate.events().iter().find_map(|event| match &event.happening {
        Happening::Answered { answer, content, .. } => {
            Some(Happening::Answered { key: key.clone(), answer: answer.clone(), content: content.clone() })
        }
        _ => None,
    }));
    endings.extend(debate.events().iter().find_map(|event| match &event.happening {
        Happening::Rejected { answer, rejection, .. } => {
            Some(Happening::Rejected { key: key.clone(), answer: answer.clone(), rejection: rejection.clone() })
        }
        _ => None,
    }));
    endings
}

fn entry(text: &str) -> Entry {
    Entry::words(EntryKind::Announcement, text.to_owned())
}

proptest! {
    #![proptest_config(fixed())]

    #[test]
    fn any_prefix_of_a_journal_is_a_debate_that_knows_what_comes_next(course in courses()) {
        let debate = course.run();
        let events = debate.events();
        for (length, prefix) in (1..).zip(prefixes(events)) {
            prop_assert_eq!(&fold(events[..length].iter().cloned()).unwrap(), &prefix);
            prop_assert_eq!(prefix.events(), u64::try_from(length).unwrap());
            let format = prefix.format();
            let steps = format.next(&prefix);
            prop_assert_eq!(&steps, &format.next(&prefix), "the same debate gives the same steps");
            let keys: BTreeSet<&StepKey> = steps.iter().map(|step| &step.key).collect();
            prop_assert_eq!(keys.len(), steps.len(), "each step once");
            let waits = prefix.under_way_keys().next().is_some();
            prop_assert_eq!(steps.is_empty() && !waits, prefix.outcome().is_some(), "it goes on until it has ended");
        }
    }

    #[test]
    fn events_survive_the_journal(course in courses()) {
        let debate = course.run();
        let lines: Vec<String> = debate.events().iter().map(|event| serde_json::to_string(event).unwrap()).collect();
        prop_assert!(lines.iter().all(|line| !line.contains('\n')));
        let read: Vec<Event> = lines.iter().map(|line| serde_json::from_str(line).unwrap()).collect();
        prop_assert_eq!(&read[..], debate.events());
        prop_assert_eq!(&fold(read).unwrap(), debate.debate());
    }

    #[test]
    fn no_call_is_answered_twice(course in courses()) {
        let debate = course.run();
        let mut answered = BTreeSet::new();
        for event in debate.events() {
            if let Happening::Answered { key, .. } = &event.happening {
                prop_assert!(answered.insert(key), "`{}` was answered twice", key);
            }
        }
    }

    #[test]
    fn kills_and_stops_change_nothing_of_what_a_debate_says(course in courses()) {
        // Whether a call still fits into a budget is a matter of time.
        let course = Course { max_tokens: None, ..course };
        let straight = Course { cuts: BTreeMap::new(), ..course.clone() }.run();
        let cut = course.run();
        prop_assert_eq!(cut.outcome(), straight.outcome());
        prop_assert_eq!(cut.debate().meaning(), straight.debate().meaning());
    }

    #[test]
    fn the_order_of_arrival_changes_neither_statements_nor_outcome(course in courses(), places in vec(0_usize..2, 40)) {
        let course = Course { max_tokens: None, ..course };
        let straight = course.uncut().run();
        let other = course.uncut().arriving(places).run();
        prop_assert_eq!(other.outcome(), straight.outcome());
        let said = |debate: &TestDebate| -> Vec<_> {
            Bout::first(debate.debate()).statements().map(|turn| (turn.said.round, turn.role, turn.said.statement.clone())).collect()
        };
        prop_assert_eq!(said(&other), said(&straight));
        for (key, _) in other.prompts().filter(|(key, _)| !key.ends_with("/summary")) {
            prop_assert_eq!(other.prompt(key), straight.prompt(key));
        }
    }

    #[test]
    fn an_event_that_cannot_follow_is_refused_by_name_and_changes_nothing(course in courses()) {
        let debate = course.run();
        let plan = Happening::Planned { plan: Box::new(debate.debate().plan().clone()) };
        let finished = Happening::Finished { outcome: debate.outcome().clone() };
        for prefix in prefixes(debate.events()) {
            if prefix.outcome().is_some() {
                for late in [plan.clone(), finished.clone(), started(&StepKey::new("late"))] {
                    prop_assert_eq!(refused(&prefix, &late), FoldError::AfterTheEnd);
                }
                continue;
            }
            prop_assert_eq!(refused(&prefix, &plan), FoldError::SecondPlan);
            let unknown = StepKey::new("never-asked");
            for ending in endings(&debate, &unknown) {
                prop_assert_eq!(refused(&prefix, &ending), FoldError::NotUnderWay(unknown.clone()));
            }
            for (key, call) in prefix.calls() {
                match call.state {
                    CallState::Open => {}
                    CallState::UnderWay { .. } => {
                        prop_assert_eq!(refused(&prefix, &started(key)), FoldError::BeganTwice(key.clone()));
                    }
                    CallState::Answered(_) | CallState::Failed(_) => {
                        prop_assert_eq!(refused(&prefix, &started(key)), FoldError::BeganTwice(key.clone()));
                        for ending in endings(&debate, key) {
                            prop_assert_eq!(refused(&prefix, &ending), FoldError::NotUnderWay(key.clone()));
                        }
                    }
                }
            }
            for (key, _) in prefix.entries() {
                let again = Happening::Recorded { key: key.clone(), entry: entry("once more") };
                prop_assert_eq!(refused(&prefix, &again), FoldError::BeganTwice(key.clone()));
            }
        }
    }
}

#[test]
fn a_debate_begins_with_its_plan_and_with_nothing_else() {
    let at = TestDebate::duel(1).events()[0].at;
    let stopped = Event { at, happening: Happening::Interrupted { by: Interruption::Command } };
    assert_eq!(begin(stopped), Err(FoldError::NoPlan));
    assert_eq!(fold([]), Err(FoldError::NoPlan));
}

#[test]
fn what_was_recorded_or_chosen_stands() {
    let mut debate = TestDebate::duel(1).debate().clone();
    let at = debate.last_at();
    let key = StepKey::new("greeting");
    debate.apply(Event { at, happening: Happening::Recorded { key: key.clone(), entry: entry("hear") } }).expect("words");
    let chosen = |key: &StepKey| Happening::Chosen { key: key.clone(), option: "go".to_owned(), by: Decider::Person };
    assert_eq!(refused(&debate, &chosen(&key)), FoldError::BeganTwice(key.clone()));
    assert_eq!(refused(&debate, &started(&key)), FoldError::BeganTwice(key));
    let fork = StepKey::new("fork");
    debate.apply(Event { at, happening: chosen(&fork) }).expect("a choice");
    assert_eq!(debate.choice(&fork), Some("go"));
    assert_eq!(refused(&debate, &chosen(&fork)), FoldError::BeganTwice(fork));
}

#[test]
fn a_clock_that_is_set_back_takes_no_time_away() {
    let mut debate = TestDebate::duel(1).debate().clone();
    let began = debate.began_at();
    let spent = |at| Event { at, happening: Happening::BudgetSpent { limit: BudgetLimit::Time } };
    let second = jiff::SignedDuration::from_secs(1);
    debate.apply(spent(began + second * 5)).expect("later");
    debate.apply(spent(began + second)).expect("a clock that was set back");
    debate.apply(spent(began + second * 6)).expect("later");
    assert_eq!(debate.elapsed_ms(debate.last_at()), 6_000);
}

#[test]
fn an_outcome_is_all_that_ends_a_debate() {
    let mut debate = TestDebate::duel(1).debate().clone();
    let at = debate.last_at();
    assert_eq!(debate.status(), Status::Running);
    debate.apply(Event { at, happening: Happening::Interrupted { by: Interruption::Signal } }).expect("a stop");
    assert_eq!(debate.status(), Status::Cancelled);
    let outcome = Outcome { status: Status::Partial, lines: Vec::new(), verdict: None, decision: None };
    debate.apply(Event { at, happening: Happening::Finished { outcome } }).expect("an end");
    assert_eq!(debate.status(), Status::Partial);
}
