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
    match name {
        "panel/matter.md" => context! { topic => "x", context => several },
        "panel/debater.md" => context! {
            name => "anna", persona => quoted(), others => vec!["ben"], most_sources => 5, checked => full, fetched => full,
            commands => full.then(|| vec!["test"]), web => full, reads_workspace => full,
        },
        "panel/round.md" => context! {
            name => "anna", round => 1, max => 3, material => several, may_challenge => full, may_ask => full,
        },
        "panel/convener.md" => context! { reads_workspace => full },
        "panel/lineup.md" => context! { hints => perhaps(), wish => perhaps(), before => perhaps() },
        "panel/ready.md" => context! { seat => "anna" },
        "panel/verification.md" => context! { material => several, challenge => perhaps() },
        "panel/natural_end.md" | "panel/questions.md" => context! { round => 1, material => several },
        "panel/judgement.md" => context! { material => several, several_fabricated => full },
        "panel/assessment.md" => context! {
            material => several, missing => if full { vec!["x"] } else { Vec::new() }, void => full,
        },
        "panel/chair.md" | "panel/verifier.md" | "panel/audience.md" | "panel/reporter.md" | "panel/assessor.md" => {
            context! { debaters => vec!["anna", "ben"], reads_workspace => full }
        }
        _ => context! { material => several },
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
        for (name, text) in BUILTIN.iter().filter(|(name, _)| name.starts_with("panel/")) {
            for full in [true, false] {
                let rendered = environment.render_str(text, sample_values(name, Sample { full }));
                assert!(rendered.is_ok(), "{name}: {rendered:?}");
            }
        }
    }
}
