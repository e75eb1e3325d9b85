//! Prompts that replace built-in ones are tried before the first call, with the variables they will have and no others.

use minijinja::{Value, context};

use crate::debate::Plan;
use crate::formats::prompts::{self, PromptError, Sample};

/// Tries every prompt that replaces a built-in one of this format.
pub fn check_prompts(plan: &Plan) -> Result<(), PromptError> {
    prompts::check(plan, "panel", sample_values)
}

fn sample_values(name: &str, sample: Sample) -> Value {
    let Sample { full } = sample;
    let quoted = || sample.quoted();
    let perhaps = || sample.perhaps();
    let several = sample.several();
    let schema = "{}";
    match name {
        "panel/matter.md" => context! { topic => "x", context => several },
        "panel/debater.md" => context! {
            name => "anna", persona => quoted(), others => vec!["ben"], conjecture => "x", correction => "x",
            most_sources => 5, checked => full, fetched => full, web => full, reads_workspace => full,
        },
        "panel/opening.md" => context! { earlier => perhaps() },
        "panel/round.md" => context! {
            name => "anna", round => 1, max => 3, earlier => perhaps(), so_far => perhaps(), answer => several,
            issues => perhaps(), frameworks => perhaps(), questions => perhaps(), ruling => perhaps(),
            may_challenge => full, may_ask => full,
        },
        "panel/closing.md" => context! {
            entries => perhaps(), closers => perhaps(), unresolved => perhaps(), issues => perhaps(),
            questions => perhaps(),
        },
        "panel/convener.md" => context! { reads_workspace => full },
        "panel/lineup.md" => {
            context! { hints => perhaps(), wish => perhaps(), before => perhaps() }
        }
        "panel/ready.md" => context! { seat => "anna" },
        "panel/verification.md" => {
            context! { entries => several.clone(), sources => several, challenge => perhaps() }
        }
        "panel/natural_end.md" => context! { round => 1, earlier => perhaps(), entries => perhaps() },
        "panel/clarification.md" => context! { question => perhaps(), entries => perhaps() },
        "panel/unresolved.md" => context! { candidates => perhaps() },
        "panel/judgement.md" => context! {
            personas => perhaps(), entries => perhaps(), full => several, facts => perhaps(), rulings => perhaps(),
            several_fabricated => full, outcomes => vec!["draw"],
        },
        "panel/questions.md" => context! { round => 1, entries => perhaps() },
        "panel/chair.md" | "panel/verifier.md" | "panel/audience.md" | "panel/reporter.md" | "panel/assessor.md" => {
            context! { debaters => vec!["anna", "ben"], reads_workspace => full }
        }
        _ => context! {
            entries => perhaps(), closings => several.clone(), facts => perhaps(), rulings => perhaps(), results => perhaps(),
            outcome => perhaps(), audience => perhaps(), verified => perhaps(), papers => several.clone(),
            missing => if full { vec!["x"] } else { Vec::new() }, void => full,
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::formats::prompts::BUILTIN;

    #[test]
    fn every_prompt_of_a_panel_renders_with_the_variables_it_lists() {
        let mut environment = minijinja::Environment::new();
        environment.set_undefined_behavior(minijinja::UndefinedBehavior::Strict);
        for (name, text) in BUILTIN.into_iter().filter(|(name, _)| name.starts_with("panel/")) {
            for full in [true, false] {
                let rendered = environment.render_str(text, sample_values(name, Sample { full }));
                assert!(rendered.is_ok(), "{name}: {rendered:?}");
            }
        }
    }
}
