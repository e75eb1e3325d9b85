//! Prompts: files beside the format that uses them, rendered by a template engine.
//!
//! Every text that a model, a diff or a page wrote goes into a prompt through [`Quoted`], fenced by a marker that does
//! not occur in it.

use std::sync::LazyLock;

use minijinja::syntax::SyntaxConfig;
use minijinja::{Environment, Error, UndefinedBehavior, Value, context};

use crate::debate::{Chance, Plan};

/// The prompt with which every rejected answer is asked for again.
pub const REPAIR: &str = "repair.md";

/// Every built-in prompt by name.
pub const BUILTIN: [(&str, &str); 52] = [
    ("repair.md", include_str!("repair.md")),
    ("cross/again.md", include_str!("cross/prompts/again.md")),
    ("cross/claims.md", include_str!("cross/prompts/claims.md")),
    ("cross/critique.md", include_str!("cross/prompts/critique.md")),
    ("cross/matter.md", include_str!("cross/prompts/matter.md")),
    ("cross/moderator.md", include_str!("cross/prompts/moderator.md")),
    ("cross/opening.md", include_str!("cross/prompts/opening.md")),
    ("cross/partner.md", include_str!("cross/prompts/partner.md")),
    ("cross/synthesis.md", include_str!("cross/prompts/synthesis.md")),
    ("duel/claims.md", include_str!("duel/prompts/claims.md")),
    ("duel/debater.md", include_str!("duel/prompts/debater.md")),
    ("duel/judge.md", include_str!("duel/prompts/judge.md")),
    ("duel/matter.md", include_str!("duel/prompts/matter.md")),
    ("duel/opening.md", include_str!("duel/prompts/opening.md")),
    ("duel/response.md", include_str!("duel/prompts/response.md")),
    ("duel/defence.md", include_str!("duel/prompts/defence.md")),
    ("duel/follow_up.md", include_str!("duel/prompts/follow_up.md")),
    ("duel/short.md", include_str!("duel/prompts/short.md")),
    ("duel/summary.md", include_str!("duel/prompts/summary.md")),
    ("duel/verdict.md", include_str!("duel/prompts/verdict.md")),
    ("panel/assessment.md", include_str!("panel/prompts/assessment.md")),
    ("panel/assessor.md", include_str!("panel/prompts/assessor.md")),
    ("panel/audience.md", include_str!("panel/prompts/audience.md")),
    ("panel/blog.md", include_str!("panel/prompts/blog.md")),
    ("panel/chair.md", include_str!("panel/prompts/chair.md")),
    ("panel/clarification.md", include_str!("panel/prompts/clarification.md")),
    ("panel/closing.md", include_str!("panel/prompts/closing.md")),
    ("panel/conclusion.md", include_str!("panel/prompts/conclusion.md")),
    ("panel/convener.md", include_str!("panel/prompts/convener.md")),
    ("panel/debater.md", include_str!("panel/prompts/debater.md")),
    ("panel/judgement.md", include_str!("panel/prompts/judgement.md")),
    ("panel/lineup.md", include_str!("panel/prompts/lineup.md")),
    ("panel/matter.md", include_str!("panel/prompts/matter.md")),
    ("panel/natural_end.md", include_str!("panel/prompts/natural_end.md")),
    ("panel/notes.md", include_str!("panel/prompts/notes.md")),
    ("panel/opening.md", include_str!("panel/prompts/opening.md")),
    ("panel/questions.md", include_str!("panel/prompts/questions.md")),
    ("panel/ready.md", include_str!("panel/prompts/ready.md")),
    ("panel/reporter.md", include_str!("panel/prompts/reporter.md")),
    ("panel/round.md", include_str!("panel/prompts/round.md")),
    ("panel/summary.md", include_str!("panel/prompts/summary.md")),
    ("panel/unresolved.md", include_str!("panel/prompts/unresolved.md")),
    ("panel/verification.md", include_str!("panel/prompts/verification.md")),
    ("panel/verifier.md", include_str!("panel/prompts/verifier.md")),
    ("review/author.md", include_str!("review/prompts/author.md")),
    ("review/critic.md", include_str!("review/prompts/critic.md")),
    ("review/critique.md", include_str!("review/prompts/critique.md")),
    ("review/judge.md", include_str!("review/prompts/judge.md")),
    ("review/judgement.md", include_str!("review/prompts/judgement.md")),
    ("review/matter.md", include_str!("review/prompts/matter.md")),
    ("review/rebuttal.md", include_str!("review/prompts/rebuttal.md")),
    ("review/rewrite.md", include_str!("review/prompts/rewrite.md")),
];

/// A prompt that cannot be rendered: only one that replaces a built-in one can be at fault.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the prompt `{name}` ({origin}) cannot be rendered: {reason}")]
pub struct PromptError {
    /// The prompt's name.
    pub name: String,
    /// The file it was read from.
    pub origin: String,
    /// What the template engine says.
    pub reason: String,
}

/// A text that somebody else wrote, with the marker that fences it.
#[derive(Clone, Debug)]
pub struct Quoted {
    /// What it is: `round 1, proposer`.
    pub title: String,
    /// The fence.
    pub marker: String,
    /// The text.
    pub text: String,
}

impl Quoted {
    /// Fences a text, without the white space at its end; `key` names it within the debate.
    pub fn new(chance: &Chance, key: &str, title: impl Into<String>, text: &str) -> Self {
        let text = text.trim_end();
        // A title can be a file's name, and names can hold anything: on the fence's own line it must stay one line.
        let title: String = title.into().chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
        let title = title.replace("<<", "‹‹").replace(">>", "››");
        Self { marker: chance.marker(key, text), title, text: text.to_owned() }
    }
}

impl From<Quoted> for Value {
    fn from(quoted: Quoted) -> Self {
        context! { title => quoted.title, marker => quoted.marker, text => quoted.text }
    }
}

/// The built-in prompts, each read once.
static TEMPLATES: LazyLock<Result<Environment<'static>, Error>> = LazyLock::new(|| {
    let mut environment = environment()?;
    BUILTIN.iter().try_for_each(|(name, text)| environment.add_template(name, text))?;
    Ok(environment)
});

/// Renders a prompt of the plan: its own one where it replaces the built-in.
pub fn render(plan: &Plan, name: &str, values: Value) -> Result<String, PromptError> {
    let (origin, rendered) = match plan.prompts.get(name) {
        Some(replaced) => (
            replaced.origin.as_str(),
            environment()
                .and_then(|environment| environment.render_str(&replaced.text, values))
                .map_err(|error| error.to_string()),
        ),
        None => ("built-in", render_builtin(name, values)),
    };
    rendered.map(|text| text.trim().to_owned()).map_err(|reason| PromptError {
        name: name.to_owned(),
        origin: origin.to_owned(),
        reason,
    })
}

fn render_builtin(name: &str, values: Value) -> Result<String, String> {
    let templates = TEMPLATES.as_ref().map_err(ToString::to_string)?;
    templates.get_template(name).and_then(|template| template.render(values)).map_err(|error| error.to_string())
}

fn environment() -> Result<Environment<'static>, Error> {
    let mut environment = Environment::new();
    environment.set_undefined_behavior(UndefinedBehavior::Strict);
    environment.set_syntax(SyntaxConfig::builder().trim_blocks(true).lstrip_blocks(true).build()?);
    Ok(environment)
}

/// Values to try a prompt with.
#[derive(Clone, Copy)]
pub(super) struct Sample {
    /// Whether everything is there, or nothing that may be missing.
    pub(super) full: bool,
}

impl Sample {
    /// A text that is always there.
    pub(super) fn quoted(self) -> Quoted {
        Quoted { title: "t".into(), marker: "m".into(), text: "x".into() }
    }

    /// A text that may be missing.
    pub(super) fn perhaps(self) -> Option<Quoted> {
        self.full.then(|| self.quoted())
    }

    /// Texts of which there may be none.
    pub(super) fn several(self) -> Vec<Quoted> {
        self.perhaps().into_iter().collect()
    }
}

/// Renders every prompt of a format that replaces a built-in one, with the variables it will have and no others, so that a
/// faulty one is found before the first call: once with everything there is, and once with nothing that may be missing.
/// `values` gives the variables of a prompt of the format.
pub(super) fn check(plan: &Plan, format: &str, values: fn(&str, Sample) -> Value) -> Result<(), PromptError> {
    let is_own = |name: &&String| name.strip_prefix(format).is_some_and(|rest| rest.starts_with('/')) || *name == REPAIR;
    plan.prompts.keys().filter(is_own).try_for_each(|name| {
        [true, false].into_iter().try_for_each(|full| {
            let values = match name.as_str() {
                REPAIR => context! { reason => "x", answer => "x", marker => "m" },
                name => values(name, Sample { full }),
            };
            render(plan, name, values).map(drop)
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_list_names_every_prompt_file_once() {
        let mut files = vec!["repair.md".to_owned()];
        for format in ["cross", "duel", "panel", "review"] {
            let folder = format!("{}/src/formats/{format}/prompts", env!("CARGO_MANIFEST_DIR"));
            for file in std::fs::read_dir(folder).unwrap() {
                files.push(format!("{format}/{}", file.unwrap().file_name().to_string_lossy()));
            }
        }
        files.sort();
        let mut listed: Vec<_> = BUILTIN.iter().map(|(name, _)| (*name).to_owned()).collect();
        listed.sort();
        assert_eq!(files, listed);
    }

    #[test]
    fn every_prompt_lists_its_variables_at_the_top() {
        for (name, text) in BUILTIN {
            assert!(text.starts_with("{# "), "{name}");
        }
    }
}
