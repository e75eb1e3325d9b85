//! Names taken out of what partners pass on to each other: who reads shall weigh what is said, not who says it.
//!
//! A name that the question or the attached material holds is part of the matter and stays, unless a speaker says it of
//! itself. Paths and identifiers are left alone: evidence must stay what it is.

use std::collections::BTreeMap;

use super::partners;
use crate::debate::{Debate, Plan, StepKey};

/// What stands in the place of a name.
pub(super) const HIDDEN: &str = "[a model]";

/// The names by which the models of a family call themselves and their makers.
const BRANDS: [(&str, &[&str]); 8] = [
    ("anthropic", &["claude", "anthropic", "sonnet"]),
    ("openai", &["chatgpt", "gpt", "openai", "codex"]),
    ("google", &["gemini", "deepmind"]),
    ("xai", &["grok", "xai"]),
    ("deepseek", &["deepseek"]),
    ("mistral", &["mistral"]),
    ("meta", &["llama"]),
    ("alibaba", &["qwen"]),
];

/// Names that are other things too: they are taken out only where a speaker says them of itself.
const SHY: [&str; 8] = ["opus", "haiku", "google", "bard", "microsoft", "meta", "alibaba", "mistral ai"];

/// Words before a name with which a speaker says who it is.
const OF_ITSELF: [&str; 21] = [
    "i",
    "i am",
    "i'm",
    "am",
    "my name is",
    "call me",
    "this is",
    "trained by",
    "made by",
    "made at",
    "developed by",
    "built by",
    "created by",
    "here is",
    "signed",
    "signed by",
    "regards",
    "sincerely",
    "yours",
    "speaking as",
    "writing as",
];

/// Words behind a name with which a speaker says who it is, or who made it.
const BEHIND: [&str; 9] = [
    " here",
    " speaking",
    " made me",
    " trained me",
    " built me",
    " created me",
    " developed me",
    " is my name",
    " is who i am",
];

/// What a name may be joined with and still be the name: `Claude-like`.
const JOINED: [&str; 9] = ["like", "style", "based", "esque", "family", "written", "generated", "made", "powered"];

/// Further words of a model's name.
const SURNAMES: [&str; 12] =
    ["opus", "sonnet", "haiku", "code", "pro", "flash", "ultra", "mini", "nano", "turbo", "large", "cli"];

/// The names that are taken out of what is passed on in this debate.
#[derive(Clone, Debug, Default)]
pub(super) struct Names {
    /// Names in lower case, longest first, each with whether it stays unless it is said of oneself: it is part of the
    /// matter, or a word for other things too.
    names: Vec<(String, bool)>,
}

impl Names {
    /// The names of everybody who takes part.
    pub(super) fn of(debate: &Debate) -> Self {
        let plan = debate.plan();
        let (mut names, mut shy): (Vec<String>, Vec<&str>) = (Vec::new(), Vec::new());
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
        // A name of two characters is one only with a number in it: `o3`.
        names.retain(|name| {
            let least = if name.chars().any(|c| c.is_ascii_digit()) { 2 } else { 3 };
            name.chars().count() >= least && name.chars().any(char::is_alphabetic)
        });
        // Whoever takes part, a speaker may say that it is any of them.
        shy.extend(
            BRANDS.iter().flat_map(|(_, brands)| brands.iter()).filter(|brand| !names.iter().any(|name| name == *brand)),
        );
        shy.extend(SHY);
        names.extend(shy.iter().map(ToString::to_string));
        names.sort_by(|one, other| other.len().cmp(&one.len()).then_with(|| one.cmp(other)));
        names.dedup();
        let matter = matter(plan);
        let stays = |name: &str| shy.contains(&name) || occurs(&matter, name);
        Self { names: names.into_iter().map(|name| (name.clone(), stays(&name))).collect() }
    }

    /// The text without them.
    pub(super) fn hidden(&self, text: &str) -> String {
        // Lower case of ASCII alone: places stay the same.
        let lower = text.to_ascii_lowercase();
        let lists = self.lists(&lower);
        // What was found, by where it begins; no two of them overlap.
        let mut found: BTreeMap<usize, usize> = BTreeMap::new();
        for (name, stays) in &self.names {
            for (at, _) in lower.match_indices(name.as_str()) {
                let end = with_version(&lower, at + name.len());
                let known = found.range(..end).next_back().is_some_and(|(_, to)| at < *to);
                let in_list = || lists.range(..=at).next_back().is_some_and(|(_, to)| at < *to);
                if !known && (in_list() || stands_alone(text, at, end)) && (!stays || said_of_itself(&lower, at, end)) {
                    found.insert(at, end);
                }
            }
        }
        let (mut out, mut done) = (String::with_capacity(text.len()), 0);
        for (at, end) in found {
            out.push_str(&text[done..at]);
            out.push_str(HIDDEN);
            done = end;
        }
        out.push_str(&text[done..]);
        out
    }

    /// Where names stand with nothing but a stroke between them, each with its end: these are names, and no path.
    fn lists(&self, lower: &str) -> BTreeMap<usize, usize> {
        let is_name = |part: &str| {
            self.names.iter().any(|(name, _)| {
                part.strip_prefix(name.as_str()).is_some_and(|_| with_version(part, name.len()) == part.len())
            })
        };
        let runs = lower.split(|c: char| !(c.is_ascii_alphanumeric() || matches!(c, '/' | '-' | '.')));
        let lists = runs.filter(|run| {
            let run = run.trim_end_matches('.');
            run.contains('/') && run.split('/').all(is_name)
        });
        lists
            .map(|run| (run.as_ptr() as usize - lower.as_ptr() as usize, run))
            .map(|(at, run)| (at, at + run.len()))
            .collect()
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
    let joins = |c: char| c.is_alphanumeric() || matches!(c, '/' | '\\' | '@' | '#' | '.' | '-' | '~');
    let mut before = text[..from].chars().rev();
    let begins = match before.next() {
        // `_Claude_` is set in italics, `the_claude` is an identifier.
        Some('_') => !before.next().is_some_and(char::is_alphanumeric),
        Some(c) => !joins(c),
        None => true,
    };
    let behind = &text[to..];
    let mut after = behind.chars();
    let ends = match after.next() {
        Some('-') => {
            let word = &behind[1..];
            let joined = JOINED.iter().any(|end| {
                let fits = word.get(..end.len()).is_some_and(|begun| begun.eq_ignore_ascii_case(end));
                fits && !word[end.len()..].starts_with(|c: char| c.is_alphanumeric() || c == '-')
            });
            joined || !after.next().is_some_and(|c| c.is_alphanumeric() || c == '/')
        }
        Some('.') => !after.next().is_some_and(|c| c.is_alphanumeric() || c == '/'),
        Some('_') => !after.next().is_some_and(char::is_alphanumeric),
        // `claude()` is code, `Claude(the model)` is not.
        Some('(') => text[from..].starts_with(char::is_uppercase) && after.next() != Some(')'),
        Some(c) => !(c.is_alphanumeric() || matches!(c, '/' | '\\' | '@')),
        None => true,
    };
    begins && ends
}

/// The end of a name with the version and the surnames behind it: `gpt-5.2`, `claude opus 4`.
fn with_version(lower: &str, mut end: usize) -> usize {
    // More words than this no model has, and longer ones are neither versions nor surnames.
    const MOST_WORDS: usize = 6;
    const LONGEST_WORD: usize = 64;
    for _ in 0..MOST_WORDS {
        let rest = &lower[end..];
        let gap = usize::from(rest.starts_with([' ', '-']));
        let word: String =
            rest[gap..].chars().take(LONGEST_WORD).take_while(|c| c.is_ascii_alphanumeric() || *c == '.').collect();
        let word = word.trim_end_matches('.');
        let is_version = word.starts_with(|c: char| c.is_ascii_digit())
            && word.len() <= 8
            && (gap == 0 || rest.starts_with('-') || word.len() <= 4);
        if word.is_empty() || !(is_version || (gap == 1 && SURNAMES.contains(&word))) {
            break;
        }
        end += gap + word.len();
    }
    end
}

/// Whether a speaker says the name at this place of itself.
fn said_of_itself(lower: &str, at: usize, end: usize) -> bool {
    let open = lower[..at].trim_end_matches(['*', '_', '"', '`']);
    let before = open.trim_end().trim_end_matches([',', ':']).trim_end();
    let behind = lower[end..].trim_start_matches(['*', '_', '"', '`']);
    let says = |words: &str| before.strip_suffix(words).is_some_and(|rest| !rest.ends_with(char::is_alphanumeric));
    if OF_ITSELF.iter().any(|words| says(words)) {
        return true;
    }
    let goes_on = |rest: &str| rest.starts_with(|c: char| c.is_alphanumeric());
    // "Claude here:", but not "Claude here costs less".
    let names_itself = |words: &str| {
        behind
            .strip_prefix(words)
            .is_some_and(|rest| !goes_on(rest) && (words.ends_with(" me") || !goes_on(rest.trim_start_matches(' '))))
    };
    if BEHIND.iter().any(|words| names_itself(words)) {
        return true;
    }
    // "As Claude, I …", but not "as well as Claude".
    if let Some(rest) = before.strip_suffix("as").filter(|rest| !rest.ends_with(char::is_alphanumeric)) {
        let first = rest.trim_end().is_empty() || rest.trim_end().ends_with(['.', '!', '?', ':', ';', ',', '(', '\u{2014}']);
        let me = behind.starts_with(',') || behind.starts_with(" i ") || behind.starts_with(" i'");
        return first && me;
    }
    // A line at the end that is a dash and the name.
    let is_last = behind.chars().all(|c| c.is_whitespace() || matches!(c, '.' | '!' | ')'));
    let line = || open[open.rfind('\n').map_or(0, |newline| newline + 1)..].trim();
    is_last && ["\u{2014}", "\u{2013}", "--", "-", "~"].contains(&line())
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
            ("_Claude_ and **GPT**", "_[a model]_ and **[a model]**"),
            ("GPT/Claude differ", "[a model]/[a model] differ"),
            ("Claude(the model) and a Claude-like tone", "[a model](the model) and a [a model]-like tone"),
        ] {
            assert_eq!(names.hidden(said), told);
        }
    }

    #[test]
    fn paths_and_identifiers_stay_what_they_are() {
        let names = names(&[("claude", false), ("codex", false)]);
        for text in [
            "src/claude.rs:12",
            "`claude_home`",
            "CLAUDE.md:3",
            "tools/codex/mod.rs",
            "@claude",
            "claude()",
            "precodex",
            "codex/claude.md",
            "claude-home",
        ] {
            assert_eq!(names.hidden(text), text);
        }
    }

    #[test]
    fn a_name_of_the_matter_stays_unless_it_is_said_of_oneself() {
        let names = names(&[("gemini", true)]);
        assert_eq!(names.hidden("Gemini costs less. I am Gemini."), "Gemini costs less. I am [a model].");
        for (said, told) in [
            ("I, Gemini, say so.", "I, [a model], say so."),
            ("Done.\nSigned, Gemini.", "Done.\nSigned, [a model]."),
            ("Gemini here: yes.", "[a model] here: yes."),
            ("As Gemini, I say yes.", "As [a model], I say yes."),
            ("Yes.\n\n\u{2014} Gemini", "Yes.\n\n\u{2014} [a model]"),
            (
                "It costs as much as Gemini, and Gemini here costs less.",
                "It costs as much as Gemini, and Gemini here costs less.",
            ),
            ("Tools such as Gemini", "Tools such as Gemini"),
        ] {
            assert_eq!(names.hidden(said), told);
        }
    }

    #[test]
    fn a_maker_is_taken_out_where_a_speaker_says_who_made_it() {
        let names = names(&[("google", true), ("o3", false)]);
        assert_eq!(names.hidden("Google made me, o3. Use Google Cloud."), "[a model] made me, [a model]. Use Google Cloud.");
    }
}
