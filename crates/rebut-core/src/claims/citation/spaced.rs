//! Paths with spaces in them: where they begin, and what is a command or a sentence instead.

use std::ops::Range;

use super::path::{self, Standing};
use super::{lines, work};

/// The most bytes and words that are kept of what stands before a path.
const LEAD: (usize, usize) = (96, 6);

/// The words right before a path that may belong to it: those since a mark that no path has, on its line, if one of them
/// has a folder in it or the path itself may go on with a folder's name.
pub(super) fn lead(before: &str) -> &str {
    let Some(joined) = before.strip_suffix(' ') else { return "" };
    let mut from = joined.len().saturating_sub(LEAD.0);
    while !joined.is_char_boundary(from) {
        from += 1;
    }
    let near = &joined[from..];
    work::read(near.len());
    let is_mark = |c: char| matches!(c, '\n' | '"' | '`' | ';' | ':' | ',' | '(' | '[' | '<' | '|' | '*') || c.is_control();
    let near = near.rfind(is_mark).map_or(near, |at| &near[at..]).trim_start_matches(is_mark);
    let start = near.rmatch_indices(' ').nth(LEAD.1 - 1).map_or(0, |(at, _)| at + 1);
    near[start..].trim_start()
}

/// Words that part a path from the next word, and are no part of it.
#[rustfmt::skip]
const BETWEEN_PATHS: [&str; 24] = [
    "and", "or", "then", "in", "at", "see", "of", "the", "to", "with", "from", "by", "for", "is", "are", "but", "as", "on",
    "not", "has", "reads", "says", "while", "where",
];

/// How many words a path with spaces may have, from the one with its first folder to the one with its name.
const SPACED_WORDS: usize = 4;

/// A path with spaces that nothing marks as one, by its last word: `docs/design notes.md:3`. It begins at a word that can
/// only be the beginning of a path: a folder that projects have, or the root, without a file's name behind it; and lines of it
/// are named. Where no file is called so, it is looked up by its last word alone.
pub(super) fn unmarked(text: &str, within: &Range<usize>, last: &Range<usize>) -> Option<Range<usize>> {
    let name = &text[last.clone()];
    let has_name = path::read(name, Standing::Bare).is_some() || path::read_name(name).is_some();
    if !has_name || name.starts_with(['/', '~', '.']) || path::is_address(name) {
        return None;
    }
    let mut start = last.start;
    for _ in 1..SPACED_WORDS {
        let before = text[within.start..start].strip_suffix(' ')?;
        // Some white space has more than one byte.
        let word = before.rsplit(char::is_whitespace).next().unwrap_or(before);
        let from = before.len() - word.len();
        work::read(word.len() + 1);
        start = within.start + from;
        if word.contains(['/', '\\']) {
            let bare = word.trim_start_matches(['(', '[', '"', '\'', '*']);
            let start = start + (word.len() - bare.len());
            let whole = start..last.end;
            let begins = path::begins_a_spaced_path(bare) && (path::is_absolute(bare) || !name.contains(['/', '\\']));
            let written = path::read(&text[whole.clone()], Standing::Marked).filter(|_| begins)?;
            let lines_follow = || lines::behind(&text[last.end..within.end]).is_some();
            return (!written.lines.is_empty() || lines_follow()).then_some(whole);
        }
        let plain = !word.is_empty() && word.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | '-' | '&'));
        if !plain || BETWEEN_PATHS.iter().any(|known| known.eq_ignore_ascii_case(word)) {
            return None;
        }
    }
    None
}

/// Programs and words that stand before a path and are no part of it.
#[rustfmt::skip]
const BEFORE_PATHS: [&str; 44] = [
    "cargo", "git", "cat", "rm", "npm", "npx", "node", "python", "python3", "pytest", "go", "make", "sed", "vim", "vi", "code",
    "less", "open", "run", "bash", "sh", "grep", "rg", "head", "tail", "ls", "cd", "mv", "cp", "docker", "yarn", "pnpm",
    "deno", "bun", "ruby", "java", "rustc", "tsc", "nano", "bat", "diff", "edit", "read", "file",
];

/// Words of sentences that names of folders seldom begin with, and files of several words seldom have.
#[rustfmt::skip]
const OF_SENTENCES: [&str; 34] = [
    "i", "we", "you", "he", "she", "it", "they", "this", "that", "these", "a", "an", "was", "were", "be", "use", "used", "uses",
    "using", "why", "how", "what", "when", "if", "no", "yes", "do", "does", "did", "will", "can", "should", "must", "ship",
];

/// How many words a folder or a file of a path with spaces may have.
const WORDS_OF_A_PART: usize = 4;
/// How many its first folder may have in backticks: `vitest run src/a.ts:3` is a command.
const WORDS_IN_CODE: usize = 2;

/// A code span, or words in quotation marks, that are a command and not a path with spaces: its first word names no folder.
pub(super) fn is_command(words: &str, code: bool, lined: bool) -> bool {
    match words.split_once(char::is_whitespace) {
        Some(_) if has_spaced_folder(words, code, lined) => false,
        Some((first, rest)) => {
            !first.contains(['/', '\\']) && (rest.contains(['/', '\\']) || !rest.contains(':')) && !first.is_empty()
        }
        None => false,
    }
}

/// `my dir/file name.txt:9`: a folder of several words, and lines of a file in it. `code` says whether it stands in
/// backticks, `lined` whether lines are named behind it.
fn has_spaced_folder(words: &str, code: bool, lined: bool) -> bool {
    let first = words.split_whitespace().next().unwrap_or_default();
    let names_lines = || path::read(words, Standing::Marked).is_some_and(|written| !written.lines.is_empty());
    let folder = words.split(['/', '\\']).next().unwrap_or_default();
    folder.len() < words.len()
        && is_part(folder)
        && (!code || folder.split(' ').count() <= WORDS_IN_CODE)
        && !is_one_of(&BEFORE_PATHS, first)
        && !is_one_of(&BETWEEN_PATHS, first)
        && (lined || names_lines())
}

/// Whether words that nothing but marks stand around are a path as a whole, with a folder and a file's extension, and no
/// sentence that has both: `my dir/file name.txt`, not `he used client/server and Node.js`.
pub(super) fn is_path_alone(words: &str) -> bool {
    let parts = || words.split(['/', '\\']);
    let sentence = |word: &str| is_one_of(&OF_SENTENCES, word) || is_one_of(&BETWEEN_PATHS, word);
    let first = words.split_whitespace().next().unwrap_or_default();
    parts().nth(1).is_some()
        && parts().all(is_part)
        && !words.split([' ', '/', '\\']).any(sentence)
        && !is_one_of(&BEFORE_PATHS, first)
        && path::read(words, Standing::Marked).is_some()
}

/// A folder's or a file's name of a few plain words.
fn is_part(part: &str) -> bool {
    let plain = |word: &str| !word.is_empty() && word.chars().all(|c| c.is_alphanumeric() || "_-.&+()[],'’".contains(c));
    // A sentence ends between words, or goes on behind a comma.
    let ends = |word: &str| word.ends_with(['.', ',', ';', '!']) || word.starts_with("--");
    let mut words = part.split(' ');
    let last = words.next_back().unwrap_or_default();
    let climbs = part.contains(' ') && matches!(last, "." | "..");
    plain(last) && !climbs && part.split(' ').count() <= WORDS_OF_A_PART && words.all(|word| plain(word) && !ends(word))
}

fn is_one_of(words: &[&str], word: &str) -> bool {
    words.iter().any(|known| known.eq_ignore_ascii_case(word))
}
