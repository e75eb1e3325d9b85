//! Names taken out of what partners pass on to each other: who reads shall weigh what is said, not who says it.
//!
//! A name that the question or the attached material holds is part of the matter and stays, unless a speaker says it of
//! itself. Paths and identifiers are left alone: evidence must stay what it is.

use super::partners;
use crate::debate::{Debate, Plan, StepKey};

/// What stands in the place of a name.
pub(super) const HIDDEN: &str = "[a model]";

/// The names by which the models of a family call themselves.
const BRANDS: [(&str, &[&str]); 8] = [
    ("anthropic", &["claude", "anthropic"]),
    ("openai", &["chatgpt", "gpt", "openai", "codex"]),
    ("google", &["gemini"]),
    ("xai", &["grok", "xai"]),
    ("deepseek", &["deepseek"]),
    ("mistral", &["mistral"]),
    ("meta", &["llama"]),
    ("alibaba", &["qwen"]),
];

/// Words before a name with which a speaker says who it is.
const OF_ITSELF: [&str; 12] = [
    "as",
    "i am",
    "i'm",
    "am",
    "my name is",
    "this is",
    "trained by",
    "made by",
    "developed by",
    "built by",
    "created by",
    "here is",
];

/// Further words of a model's name.
const SURNAMES: [&str; 12] =
    ["opus", "sonnet", "haiku", "code", "pro", "flash", "ultra", "mini", "nano", "turbo", "large", "cli"];

/// The names that are taken out of what is passed on in this debate.
#[derive(Clone, Debug, Default)]
pub(super) struct Names {
    /// Names in lower case, longest first, each with whether it is part of the matter.
    names: Vec<(String, bool)>,
}

impl Names {
    /// The names of everybody who takes part.
    pub(super) fn of(debate: &Debate) -> Self {
        let plan = debate.plan();
        let mut names: Vec<String> = Vec::new();
        for partner in partners(plan) {
            let Some(seat) = plan.seat(&partner.seat()) else { continue };
            let family = seat.family.to_lowercase();
            names.extend(
                BRANDS.iter().filter(|(of, _)| *of == family).flat_map(|(_, brands)| brands.iter().map(ToString::to_string)),
            );
            if !["script", "local"].contains(&seat.tool.as_str()) {
                names.push(seat.tool.to_lowercase());
            }
            names.extend(seat.model.iter().map(|model| model.to_lowercase()));
        }
        let answered = debate.calls().filter_map(|(key, _): (&StepKey, _)| debate.answered(key)?.model.as_deref());
        names.extend(answered.map(str::to_lowercase));
        names.retain(|name| name.chars().count() >= 3 && name.chars().any(char::is_alphabetic));
        names.sort_by_key(|name| std::cmp::Reverse(name.len()));
        names.dedup();
        let matter = matter(plan);
        Self { names: names.into_iter().map(|name| (name.clone(), occurs(&matter, &name))).collect() }
    }

    /// The text without them.
    pub(super) fn hidden(&self, text: &str) -> String {
        self.names.iter().fold(text.to_owned(), |text, (name, in_matter)| without(&text, name, *in_matter))
    }
}

fn matter(plan: &Plan) -> String {
    let attached = plan.context.iter().flat_map(|item| [item.label.as_str(), item.text.as_str()]);
    std::iter::once(plan.topic.as_str()).chain(attached).collect::<Vec<_>>().join("\n").to_lowercase()
}

fn occurs(text: &str, name: &str) -> bool {
    text.match_indices(name).any(|(at, _)| stands_alone(text, at, at + name.len()))
}

/// Whether the bytes are a word, and no part of a path or an identifier.
fn stands_alone(text: &str, from: usize, to: usize) -> bool {
    let joins = |c: char| c.is_alphanumeric() || matches!(c, '_' | '/' | '\\' | '@' | '#' | '.' | '-' | '~');
    let before = text[..from].chars().next_back();
    let mut after = text[to..].chars();
    let ends = match after.next() {
        Some('.' | '-') => !after.next().is_some_and(|c| c.is_alphanumeric() || c == '/'),
        Some(c) => !(c.is_alphanumeric() || matches!(c, '_' | '/' | '\\' | '@' | '(')),
        None => true,
    };
    !before.is_some_and(joins) && ends
}

/// The text without a name; of one that is part of the matter, only where a speaker says it of itself.
fn without(text: &str, name: &str, in_matter: bool) -> String {
    // Lower case of ASCII alone: places stay the same.
    let lower = text.to_ascii_lowercase();
    let mut out = String::with_capacity(text.len());
    let mut done = 0;
    for (at, _) in lower.match_indices(name) {
        if at < done {
            continue;
        }
        let end = with_version(&lower, at + name.len());
        if !stands_alone(&lower, at, end) || (in_matter && !said_of_itself(&lower[..at])) {
            continue;
        }
        out.push_str(&text[done..at]);
        out.push_str(HIDDEN);
        done = end;
    }
    out.push_str(&text[done..]);
    out
}

/// The end of a name with the version and the surnames behind it: `gpt-5.2`, `claude opus 4`.
fn with_version(lower: &str, mut end: usize) -> usize {
    loop {
        let rest = &lower[end..];
        let gap = usize::from(rest.starts_with([' ', '-']));
        let word: String = rest[gap..].chars().take_while(|c| c.is_ascii_alphanumeric() || *c == '.').collect();
        let word = word.trim_end_matches('.');
        let is_version = word.starts_with(|c: char| c.is_ascii_digit())
            && word.len() <= 8
            && (gap == 0 || rest.starts_with('-') || word.len() <= 4);
        if word.is_empty() || !(is_version || (gap == 1 && SURNAMES.contains(&word))) {
            return end;
        }
        end += gap + word.len();
    }
}

fn said_of_itself(before: &str) -> bool {
    let before = before.trim_end().trim_end_matches(['*', '"', ',']).trim_end();
    OF_ITSELF.iter().any(|words| before.strip_suffix(words).is_some_and(|rest| !rest.ends_with(char::is_alphanumeric)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(of: &[(&str, bool)]) -> Names {
        Names { names: of.iter().map(|(name, matter)| ((*name).to_owned(), *matter)).collect() }
    }

    #[test]
    fn names_of_partners_are_taken_out_with_their_versions() {
        let names = names(&[("claude-opus-4", false), ("claude", false), ("gpt", false)]);
        for (said, told) in [
            ("As Claude, I disagree with GPT-5.2.", "As [a model], I disagree with [a model]."),
            ("Claude Opus 4 wrote this", "[a model] wrote this"),
            ("(claude-opus-4)", "([a model])"),
            ("CLAUDE's answer", "[a model]'s answer"),
            ("GPT 5 is it", "[a model] is it"),
        ] {
            assert_eq!(names.hidden(said), told);
        }
    }

    #[test]
    fn paths_and_identifiers_stay_what_they_are() {
        let names = names(&[("claude", false), ("codex", false)]);
        for text in
            ["src/claude.rs:12", "`claude_home`", "CLAUDE.md:3", "tools/codex/mod.rs", "@claude", "claude()", "precodex"]
        {
            assert_eq!(names.hidden(text), text);
        }
    }

    #[test]
    fn a_name_of_the_matter_stays_unless_it_is_said_of_oneself() {
        let names = names(&[("gemini", true)]);
        assert_eq!(names.hidden("Gemini costs less. I am Gemini."), "Gemini costs less. I am [a model].");
    }
}
