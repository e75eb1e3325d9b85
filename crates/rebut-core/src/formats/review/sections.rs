//! What a text is by its marks, and how it is parted into code and proposal.

use super::{Confidence, Target};

use crate::diff::Diff;
use crate::evidence::fences;

/// The words in a heading that make its section a proposal.
const PROPOSAL_WORDS: [&str; 8] =
    ["design", "proposal", "approach", "decision", "trade-off", "tradeoff", "rebuttal", "response"];

/// What a text is, by its marks: a diff or fenced code is code, a proposal's heading makes it a proposal, both make it
/// mixed, and a text without any mark is a proposal.
pub fn detect(text: &str) -> (Target, Confidence) {
    if Diff::is_diff(text) {
        return (Target::Code, Confidence::High);
    }
    let lines = lines(text);
    let has = |wanted: Kind| lines.iter().any(|(kind, _)| *kind == wanted);
    let size = |wanted: Kind| lines.iter().filter(|(kind, _)| *kind == wanted).map(|(_, line)| line.trim().len()).sum();
    let (prose, code): (usize, usize) = (size(Kind::Other), size(Kind::Code));
    match (has(Kind::Code), has(Kind::Proposal)) {
        (true, true) => (Target::Mixed, Confidence::High),
        (true, false) if prose == 0 => (Target::Code, Confidence::High),
        // Code with words around it; where the words are more than the code, it may well be meant as both.
        (true, false) => (Target::Code, if prose > code { Confidence::Low } else { Confidence::Medium }),
        (false, true) => (Target::Proposal, Confidence::High),
        (false, false) => (Target::Proposal, Confidence::Medium),
    }
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Parts {
    /// Fenced blocks, with their fences.
    pub code: String,
    /// Sections under a proposal's headings; where there is none, all text that is not code.
    pub proposal: String,
}

pub fn split(text: &str) -> Parts {
    if Diff::is_diff(text) {
        return Parts { code: text.to_owned(), proposal: String::new() };
    }
    let lines = lines(text);
    let joined = |wanted: Kind| {
        let lines: Vec<&str> = lines.iter().filter(|(kind, _)| *kind == wanted).map(|(_, line)| *line).collect();
        let text = lines.join("\n");
        if text.trim().is_empty() { String::new() } else { text }
    };
    let has_heading = lines.iter().any(|(kind, _)| *kind == Kind::Proposal);
    Parts { code: joined(Kind::Code), proposal: joined(if has_heading { Kind::Proposal } else { Kind::Other }) }
}

/// Languages whose name after a fence is not the ending of their files.
const ENDINGS: &str = "rust:rs python:py python3:py javascript:js node:js typescript:ts golang:go kotlin:kt c++:cpp cc:cpp \
                       csharp:cs c#:cs ruby:rb bash:sh shell:sh zsh:sh yml:yaml patch:diff diff:diff";

/// The ending that a file of this language has, by the word after a fence.
pub fn ending_of(language: &str) -> &'static str {
    let lower = language.to_lowercase();
    let mut known = ENDINGS.split_whitespace().filter_map(|pair| pair.split_once(':'));
    let named = known.find(|(name, _)| *name == lower).map(|(_, ending)| ending);
    named.or_else(|| CODE.split(' ').find(|ending| *ending == lower)).unwrap_or("txt")
}

/// Endings of files that hold code or settings, and no prose.
const CODE: &str = "asm astro bash bat c cc cjs clj cljs cmake cmd cpp cs css cts cxx dart el erl ex exs fish fs fsx go gradle \
    graphql groovy h hcl hh hpp hrl hs htm html hxx ini ipynb java jl js json jsx kt kts less lisp lua m mjs ml mli mm mts nim \
    nix php pl pm proto ps1 py pyi r rb rs s sass scala scm scss sh sol sql sv svelte swift tcl tf toml ts tsx v vb vhd vhdl \
    vue wat xml yaml yml zig zsh";

/// Whether files with this ending, in small letters and without its dot, hold code.
pub fn is_code(ending: &str) -> bool {
    CODE.split(' ').any(|known| known == ending)
}

/// The language of the first fenced block that names one.
pub fn first_language(text: &str) -> Option<&str> {
    text.lines().find_map(|line| {
        let word = line.trim_start().strip_prefix("```")?.trim_start_matches('`').split([' ', ',', '{']).next()?;
        (!word.is_empty()).then_some(word)
    })
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Code,
    Proposal,
    Other,
}

/// The lines of a text, each with what it is.
fn lines(text: &str) -> Vec<(Kind, &str)> {
    let code = fences(text);
    // The level of the proposal heading whose section this is.
    let mut proposal: Option<usize> = None;
    let mut at = 0;
    let lines = text.split_inclusive('\n').map(|line| {
        let start = at;
        at += line.len();
        let line = line.trim_end_matches(['\n', '\r']);
        if code.iter().any(|fence| fence.whole.contains(&start)) {
            return (Kind::Code, line);
        }
        if let Some((level, title)) = heading(line) {
            if is_proposal(title) {
                // A heading below one that is a proposal's already belongs to it.
                proposal = Some(proposal.map_or(level, |open| open.min(level)));
            } else if proposal.is_some_and(|open| level <= open) {
                proposal = None;
            }
        }
        (if proposal.is_some() { Kind::Proposal } else { Kind::Other }, line)
    });
    lines.collect()
}

/// Level and words of a heading: `## Design`.
pub(super) fn heading(line: &str) -> Option<(usize, &str)> {
    let level = line.chars().take_while(|c| *c == '#').count();
    let rest = line.get(level..)?;
    ((1..=6).contains(&level) && rest.starts_with([' ', '\t']))
        .then(|| (level, rest.trim().trim_end_matches('#').trim_end()))
}

fn is_proposal(title: &str) -> bool {
    let lower = title.to_lowercase().replace(['‑', '–'], "-").replace("trade off", "trade-off");
    let words = lower.split(|c: char| !(c.is_alphanumeric() || c == '-'));
    let plural = |word: &str| word.strip_suffix('s').unwrap_or(word).to_owned();
    words.map(plural).any(|word| PROPOSAL_WORDS.contains(&word.as_str()))
}
