//! Prompts: files beside the format that uses them, rendered by a template engine.
//!
//! Every text that a model, a diff or a page wrote goes into a prompt through [`Quoted`], fenced by a marker that does
//! not occur in it.

use std::collections::BTreeMap;
use std::sync::{Arc, LazyLock};

use minijinja::syntax::SyntaxConfig;
use minijinja::value::{Enumerator, Object, ValueKind};
use minijinja::{Environment, Error, UndefinedBehavior, Value, context};

use super::{FORMATS, format_of};
use crate::debate::{Chance, ContextItem, Outcome, Plan, Status};

/// The prompt with which every rejected answer is asked for again.
pub const REPAIR: &str = "repair.md";

/// Every built-in prompt by name.
pub static BUILTIN: LazyLock<BTreeMap<&str, &str>> = LazyLock::new(|| {
    let own = FORMATS.iter().flat_map(|(_, format)| format.features().prompts);
    own.copied().chain([(REPAIR, include_str!("repair.md"))]).collect()
});

/// The prompts of a format, from its folder `prompts`.
macro_rules! prompts {
    ($format:literal: $($name:literal)*) => {
        &[$((concat!($format, "/", $name, ".md"), include_str!(concat!("prompts/", $name, ".md")))),*]
    };
}
pub(super) use prompts;

/// A prompt that cannot be rendered: only one that replaces a built-in one can be at fault.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the prompt `{name}` ({origin}) can't be rendered: {reason}")]
pub struct PromptError {
    /// The prompt's name.
    pub name: String,
    pub origin: String,
    /// What the template engine says.
    pub reason: String,
}

impl PromptError {
    /// The end of a debate whose own prompt cannot be rendered.
    pub(super) fn outcome(&self) -> Outcome {
        let lines = vec![format!("Debate failed: {self}."), "Fix or remove that file, then start again.".to_owned()];
        Outcome::without_verdict(Status::Failed, lines)
    }
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

/// What the user attached, fenced.
pub(super) fn attached(plan: &Plan) -> Vec<Quoted> {
    let quoted =
        |item: &ContextItem| Quoted::new(&plan.chance, &format!("context/{}", item.label), item.label.as_str(), &item.text);
    plan.context.iter().map(quoted).collect()
}

impl From<Quoted> for Value {
    fn from(quoted: Quoted) -> Self {
        context! { title => quoted.title, marker => quoted.marker, text => quoted.text }
    }
}

/// The built-in prompts, each read once, when it is first asked for: a debate needs few of them.
static TEMPLATES: LazyLock<Result<Environment<'static>, Error>> = LazyLock::new(|| {
    let mut environment = environment()?;
    environment.set_loader(|name| Ok(BUILTIN.get(name).copied()));
    Ok(environment)
});

/// Renders a prompt of the plan: its own one where it replaces the built-in.
pub fn render(plan: &Plan, name: &str, values: Value) -> Result<String, PromptError> {
    debug_assert!(numbers_are_named(&values), "{name}: {values:?}");
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

/// Renders the plan's own prompts, so that a faulty one is found before the first call: with the variables of the built-in
/// prompts that they replace, first with all of them set, then without those that the built-in prompt asks about.
pub fn check(plan: &Plan) -> Result<(), PromptError> {
    let of_format = format_of(plan).features().prompts.iter().map(|(name, _)| *name).chain([REPAIR]);
    for name in of_format.filter(|name| plan.prompts.contains_key(*name)) {
        for full in [true, false] {
            render(plan, name, samples(name, full))?;
        }
    }
    Ok(())
}

fn samples(name: &str, full: bool) -> Value {
    let template = TEMPLATES.as_ref().ok().and_then(|templates| templates.get_template(name).ok());
    let variables = template.map(|template| template.undeclared_variables(false)).unwrap_or_default();
    let text = BUILTIN.get(name).copied().unwrap_or_default();
    let conditions: Vec<&str> =
        text.split("{%").filter_map(|tag| tag.trim_start_matches(['-', ' ']).strip_prefix("if ")).collect();
    let is_optional = |variable: &str| {
        let words =
            |condition: &&str| condition.split("%}").next().unwrap_or_default().split(' ').any(|word| word == variable);
        conditions.iter().any(words)
    };
    let value = |variable: String| {
        let value = if NUMBERS.contains(&variable.as_str()) {
            if full { 2 } else { 1 }.into()
        } else {
            Value::from_object(Sample { is_set: full || !is_optional(&variable) })
        };
        (variable, value)
    };
    variables.into_iter().map(value).collect::<BTreeMap<_, _>>().into()
}

/// The variables that prompts may count with; all others are texts, fenced texts and lists.
const NUMBERS: [&str; 9] = ["last_round", "least", "max", "most", "most_sources", "partners", "round", "rounds", "words"];

/// Whether exactly the values that are numbers are named so.
fn numbers_are_named(values: &Value) -> bool {
    let is_one = |name: &Value| values.get_item(name).is_ok_and(|value| value.kind() == ValueKind::Number);
    let is_named = |name: &Value| name.as_str().is_some_and(|name| NUMBERS.contains(&name));
    values.try_iter().is_ok_and(|mut names| names.all(|name| is_one(&name) == is_named(&name)))
}

/// Stands for the value of any other variable: a text, a fenced text or a list of these.
#[derive(Debug)]
struct Sample {
    is_set: bool,
}

impl Object for Sample {
    fn get_value(self: &Arc<Self>, key: &Value) -> Option<Value> {
        let is_known = key.as_str().is_none_or(|key| ["title", "marker", "text", "name"].contains(&key));
        (self.is_set && is_known).then(|| "x".into())
    }

    fn enumerate(self: &Arc<Self>) -> Enumerator {
        let item = || Value::from_object(Self { is_set: true });
        Enumerator::Values(self.is_set.then(item).into_iter().collect())
    }

    fn is_true(self: &Arc<Self>) -> bool {
        self.is_set
    }

    fn render(self: &Arc<Self>, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("x")
    }
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
    fn every_prompt_can_be_read_and_lists_its_variables_at_the_top() {
        for (name, text) in BUILTIN.iter() {
            assert!(TEMPLATES.as_ref().unwrap().get_template(name).is_ok(), "{name}");
            assert!(text.starts_with("{# "), "{name}");
        }
    }
}
