//! What is said of who sits where, and of prompts that a person brings along.

use rebut_core::debate::{Amendment, Cost, Effort, Price, PromptOverride, SeatPlan};
use rebut_core::formats::duel::{self, Role, judge_seat};
use rebut_core::formats::prompts;

use crate::TestDebate;
use crate::test_debate::seat;

fn notes(seats: [(&str, &str, &str); 3]) -> Vec<String> {
    let debate = TestDebate::planned(1, |plan| {
        let names = [Role::Proposer.seat(), Role::Challenger.seat(), judge_seat(1)];
        for (name, (tool, model, family)) in names.iter().zip(seats) {
            let planned = plan.seats.get_mut(name).expect("a seat");
            tool.clone_into(&mut planned.tool);
            planned.model = Some(model.to_owned());
            family.clone_into(&mut planned.family);
        }
    });
    duel::seat_notes(debate.debate().plan())
}

#[test]
fn three_families_need_no_word() {
    assert_eq!(notes([("a", "m", "x"), ("b", "m", "y"), ("c", "m", "z")]), Vec::<String>::new());
}

#[test]
fn one_model_on_both_sides_two_models_of_one_tool_and_one_family_are_named() {
    let first = |seats| notes(seats).remove(0);
    let outside = ("c", "m", "z");
    assert_eq!(
        first([("a", "m", "x"), ("a", "m", "x"), outside]),
        "a:m argues both sides, with different seeds if the tool supports them"
    );
    assert_eq!(first([("a", "m", "x"), ("a", "n", "x"), outside]), "both sides are a, with different models");
    assert_eq!(first([("a", "m", "x"), ("b", "m", "x"), outside]), "both debaters are from the same vendor (x)");
}

fn priced(dollars: f64) -> Option<Price> {
    let cost = Cost::from_dollars(dollars)?;
    Some(Price { input: cost, output: cost })
}

#[test]
fn debaters_of_different_strength_are_named() {
    let unequal = |change: fn(&mut SeatPlan, &mut SeatPlan)| {
        let debate = TestDebate::planned(1, |plan| {
            let [mut one, mut other] = ["alder", "birch"].map(seat);
            other.family.clone_from(&one.family);
            change(&mut one, &mut other);
            plan.seats.extend([(Role::Proposer.seat(), one), (Role::Challenger.seat(), other)]);
        });
        duel::seat_notes(debate.debate().plan()).remove(0)
    };
    let same_tier =
        |one: &mut SeatPlan, other: &mut SeatPlan| (one.tier, other.tier) = (Some(Effort::Max), Some(Effort::Max));
    assert_eq!(unequal(same_tier), "both debaters are from the same vendor (alder works)");
    let tiers = "alder:alder-large and birch:birch-large are unequal debaters (they are different tiers of one vendor): the \
                 stronger tends to win whatever it argues";
    assert_eq!(unequal(|one, other| (one.tier, other.tier) = (Some(Effort::Low), Some(Effort::Max))), tiers);
    assert_eq!(unequal(|one, other| (one.price, other.price) = (priced(1.0), priced(5.0))), tiers);
    assert!(unequal(|one, _| "local".clone_into(&mut one.tool)).contains("(one is an embedded model)"));
}

#[test]
fn a_judge_of_a_debating_family_is_flagged_and_a_new_judge_takes_the_flag_away() {
    let debate = TestDebate::planned(1, |plan| {
        let judge = plan.seats[&Role::Proposer.seat()].clone();
        plan.seats.insert(judge_seat(1), judge);
    });
    let debate = debate.run();
    assert!(duel::seat_notes(debate.debate().plan())[0].ends_with("is from the same vendor as a debater"));
    let seats = [(judge_seat(1), seat("dogwood"))].into();
    let debate = debate.resume(Amendment { seats, ..Amendment::default() });
    assert_eq!(duel::seat_notes(debate.debate().plan()), Vec::<String>::new());
}

fn check(name: &str, text: &str) -> Result<(), String> {
    let debate = TestDebate::planned(1, |plan| {
        let replaced = PromptOverride { origin: "/own/prompt.md".into(), from_project: false, text: text.into() };
        plan.prompts.insert(name.to_owned(), replaced);
    });
    prompts::check(debate.debate().plan()).map_err(|error| error.to_string())
}

#[test]
fn a_prompt_of_the_persons_own_is_tried_with_the_variables_it_will_have() {
    assert_eq!(check("duel/defence.md", "# Round {{ round }}"), Ok(()));
    assert_eq!(check("duel/matter.md", "# {{ topic }}{% for e in exchanges %}{{ e.text }}{% endfor %}"), Ok(()));
    // The topic is a variable of another prompt, and would be missing only after everything else was paid for.
    let error = check("duel/verdict.md", "# {{ topic }}").expect_err("no such variable");
    assert!(error.starts_with("the prompt `duel/verdict.md` (/own/prompt.md) can't be rendered"), "{error}");
    assert!(check("duel/opening.md", "{{ round }}").is_err());
    assert!(check("duel/summary.md", "{% if %}").is_err());
    // What may be missing must be asked for before it is used.
    assert!(check("duel/matter.md", "{{ summary.text }}").is_err());
}

#[test]
fn every_built_in_prompt_passes_the_same_trial() {
    for (name, text) in rebut_core::formats::prompts::BUILTIN.iter() {
        assert_eq!(check(name, text), Ok(()), "{name}");
    }
}
