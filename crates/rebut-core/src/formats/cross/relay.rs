//! How partners know each other: one label per partner, the same for all readers, and no names of tools or models.

use std::borrow::Cow;

use super::{Partner, partners, setup};
use crate::debate::{Plan, SeatName};

const HIDDEN: &str = "[a model]";
/// Kinds of seats whose names say nothing and are ordinary words.
const NOT_NAMES: [&str; 2] = ["script", "local"];

/// What a partner is called in prompts: `Partner A`, or its name if names are shown.
pub fn label(plan: &Plan, partner: Partner) -> String {
    match setup(plan) {
        Some(setup) if setup.named => name(plan, partner),
        _ => partner.title(),
    }
}

/// What a partner is called in documents: its tool, else its seat as it is written on the command line if several have
/// that tool, and with its place if that is the same too.
pub fn name(plan: &Plan, partner: Partner) -> String {
    let Some(seat) = plan.seat(&partner.seat()) else { return partner.title() };
    let others = || partners(plan).filter(|other| *other != partner).filter_map(|other| plan.seat(&other.seat()));
    if others().all(|other| other.tool != seat.tool) {
        seat.tool.clone()
    } else if others().all(|other| other.spec() != seat.spec()) {
        seat.spec()
    } else {
        format!("{} ({})", seat.spec(), partner.title())
    }
}

/// The stable title of a partner's thread: `debate-should-we-ship-partner-1`.
pub fn thread(plan: &Plan, seat: &SeatName) -> String {
    const LONGEST: usize = 40;
    let words = plan.topic.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()).map(str::to_lowercase);
    let mut topic = String::new();
    for word in words {
        if topic.chars().count() + word.chars().count() > LONGEST {
            break;
        }
        topic.push('-');
        topic.push_str(&word);
    }
    format!("debate{topic}-{seat}")
}

/// The names that are taken out of what partners and moderator read.
#[derive(Clone, Debug, Default)]
pub(super) struct Names(Vec<String>);

impl Names {
    /// The tools and models of the plan, except those that the question or the attached material names; none if names
    /// are shown.
    pub(super) fn of(plan: &Plan) -> Self {
        if setup(plan).is_none_or(|setup| setup.named) {
            return Self::default();
        }
        let tools = plan.seats.values().filter(|seat| !NOT_NAMES.contains(&seat.tool.as_str()));
        let of_seats = tools.flat_map(|seat| [Some(seat.spec()), Some(seat.tool.clone()), seat.model.clone()]);
        let mut names: Vec<String> = of_seats.flatten().map(|name| name.to_ascii_lowercase()).collect();
        names.retain(|name| !name.is_empty());
        // The longest name at a place is the one that is meant.
        names.sort_by(|one, other| other.len().cmp(&one.len()).then_with(|| one.cmp(other)));
        names.dedup();
        let matter = plan.context.iter().map(|item| item.text.as_str()).chain([plan.topic.as_str()]);
        let occurring = |text: &str| -> Vec<String> {
            found(text, &names).map(|(at, length)| text[at..at + length].to_ascii_lowercase()).collect()
        };
        let occurring: Vec<String> = matter.flat_map(occurring).collect();
        names.retain(|name| !occurring.contains(name));
        Self(names)
    }

    /// A text without these names.
    pub(super) fn hidden<'a>(&self, text: &'a str) -> Cow<'a, str> {
        let mut kept = String::new();
        let mut end = 0;
        for (at, length) in found(text, &self.0) {
            kept.push_str(&text[end..at]);
            kept.push_str(HIDDEN);
            end = at + length;
        }
        if end == 0 { Cow::Borrowed(text) } else { Cow::Owned(kept + &text[end..]) }
    }
}

/// Where names occur as whole words, with their lengths; never inside a path or an identifier.
fn found<'a>(text: &str, names: &'a [String]) -> impl Iterator<Item = (usize, usize)> + use<'a> {
    // ASCII letters keep their places when their case changes.
    let lower = text.to_ascii_lowercase();
    let mut at = 0;
    std::iter::from_fn(move || {
        while at < lower.len() {
            let (here, rest) = (at, &lower[at..]);
            let name = names.iter().find(|name| {
                rest.starts_with(name.as_str()) && begins_word(&lower[..here]) && ends_word(&rest[name.len()..])
            });
            at += name.map_or_else(|| rest.chars().next().map_or(1, char::len_utf8), String::len);
            if let Some(name) = name {
                return Some((here, name.len()));
            }
        }
        None
    })
}

fn begins_word(before: &str) -> bool {
    !before.ends_with(|c: char| is_joined(c) || c == '.') && !before.ends_with("::")
}

fn ends_word(after: &str) -> bool {
    let mut next = after.chars();
    match next.next() {
        Some('.') => !next.next().is_some_and(char::is_alphanumeric),
        Some(':') => !next.next().is_some_and(|c| c == ':' || c.is_alphanumeric()),
        Some(c) => !is_joined(c),
        None => true,
    }
}

fn is_joined(c: char) -> bool {
    c.is_alphanumeric() || "_-/\\@#".contains(c)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_hidden_as_whole_words_and_nowhere_else() {
        let names = Names(["claude:opus", "codex", "opus"].map(str::to_owned).to_vec());
        for (text, shown) in [
            ("As Codex, I agree with CLAUDE:opus.", "As [a model], I agree with [a model]."),
            ("**Codex**: yes (codex's view)", "**[a model]**: yes ([a model]'s view)"),
            (
                "src/codex.rs:3, codex.rs, .codex/x, codex_home, run::codex",
                "src/codex.rs:3, codex.rs, .codex/x, codex_home, run::codex",
            ),
            ("A magnum opus", "A magnum [a model]"),
            ("codexes and İopus", "codexes and İopus"),
        ] {
            assert_eq!(names.hidden(text), shown);
        }
    }
}
