//! Prompts: files beside the format that uses them, rendered by a template engine.
//!
//! Every text that a model, a diff or a page wrote goes into a prompt through [`Quoted`], fenced by a marker that does
//! not occur in it.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use minijinja::syntax::SyntaxConfig;
use minijinja::{Environment, Error, UndefinedBehavior, Value, context};

use super::FORMATS;
use crate::debate::{Chance, Plan};

/// The prompt with which every rejected answer is asked for again.
pub const REPAIR: &str = "repair.md";

/// Every built-in prompt by name.
pub static BUILTIN: LazyLock<BTreeMap<&str, &str>> = LazyLock::new(|| {
    let own = FORMATS.iter().flat_map(|(_, format)| format.prompts());
    own.copied().chain([(REPAIR, include_str!("repair.md"))]).collect()
});

/// The prompts of a format, which stand in the folder `prompts` beside it.
macro_rules! prompts {
    ($format:literal: $($name:literal)*) => {
        &[$((concat!($format, "/", $name, ".md"), include_str!(concat!("prompts/", $name, ".md")))),*]
    };
}
pub(super) use prompts;

/// A prompt that cannot be rendered: only one that replaces a built-in one can be at fault.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the prompt `{name}` ({origin}) cannot be rendered: {reason}")]
pub struct PromptError {
    /// The prompt's name.
    pub name: String,
    pub origin: String,
    /// What the template engine says.
    pub reason: String,
}

/// Text of others, with the marker that fences it.
#[derive(Clone, Debug)]
pub struct Quoted {
    /// What it is: `round 1, proposer`.
    pub title: String,
    pub marker: String,
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
        let listed: Vec<_> = BUILTIN.keys().copied().collect();
        assert_eq!(files, listed);
    }

    #[test]
    fn every_prompt_lists_its_variables_at_the_top() {
        for (name, text) in BUILTIN.iter() {
            assert!(text.starts_with("{# "), "{name}");
        }
    }
}
