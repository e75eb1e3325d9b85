//! The comma list at the end of a request, which says how long and how hard the seats argue.

use super::{ROUNDS, WordingError};
use crate::debate::Effort;
use crate::formats::wording::{effort, is_number, value};

const DEEP_ROUNDS: u32 = 3;

/// The items at the end of a request, each with the words that said it.
pub(super) struct Tail<'a> {
    /// What stands before the first item.
    pub(super) before: &'a str,
    pub(super) rounds: Option<(u32, String)>,
    pub(super) effort: Option<(Effort, String)>,
}

/// Reads items from the end of the text, as long as they fit.
pub(super) fn read(text: &str) -> Result<Tail<'_>, WordingError> {
    let (mut count, mut depth, mut level) = (None, None, None);
    let mut before = text;
    // Only the last item can end the sentence.
    let mut closing: &[char] = &['?', '!', '.'];
    while let Some((rest, item)) = before.rsplit_once(',') {
        if groups_thousands(rest, item) {
            break;
        }
        let said: Vec<&str> = item.trim_end().trim_end_matches(closing).split_whitespace().collect();
        let said = said.join(" ");
        let Some(item) = Item::read(&said)? else { break };
        // Reading goes backwards: what is there already was said later, and stays.
        match item {
            Item::Rounds(rounds) => _ = count.get_or_insert((rounds, said)),
            Item::Deep => _ = depth.get_or_insert((DEEP_ROUNDS, said)),
            Item::Effort(effort) => _ = level.get_or_insert((effort, said)),
        }
        before = rest;
        closing = &[];
    }
    Ok(Tail { before, rounds: count.or(depth), effort: level })
}

enum Item {
    Rounds(u32),
    /// More rounds than usual, which any number overrules.
    Deep,
    Effort(Effort),
}

impl Item {
    /// The item of these words; `None` where they are part of the topic.
    fn read(said: &str) -> Result<Option<Self>, WordingError> {
        let lower = said.to_ascii_lowercase();
        let words: Vec<&str> = lower.split(' ').collect();
        Ok(match words.as_slice() {
            ["deep" | "extended"] => Some(Self::Deep),
            [number, "round" | "rounds"] if is_number(number) => match value(number) {
                Some(rounds) if ROUNDS.contains(&rounds) => Some(Self::Rounds(rounds)),
                _ => return Err(WordingError::Rounds { said: said.to_owned() }),
            },
            words => effort(words).map(Self::Effort),
        })
    }
}

/// Whether a comma stands inside a number: "1,000 rounds" is no list.
fn groups_thousands(before: &str, after: &str) -> bool {
    let digits = after.bytes().take_while(u8::is_ascii_digit).count();
    before.ends_with(|c: char| c.is_ascii_digit()) && digits == 3
}
