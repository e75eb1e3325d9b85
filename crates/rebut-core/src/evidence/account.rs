//! A statement's claims with what was found of their evidence, as prompts show them.

use std::fmt::Write;

use super::{ClaimId, Listing};
use crate::evidence::check::Checked;

/// The longest text of a claim that is repeated, in characters.
const LONGEST: usize = 300;

/// The claims of a statement by their ids, with marks; then its concessions, what was dropped from its list, and places
/// that its prose mentions and that do not exist.
pub(crate) fn account(letter: &str, round: u32, listing: Option<&Listing>, checked: &[Checked]) -> String {
    let mut text = String::new();
    // Writing to a string cannot fail.
    let Some(listing) = listing else {
        let _ = writeln!(text, "no claims listed");
        mentions(&mut text, checked);
        return text;
    };
    for (claim, number) in listing.claims.iter().zip(1..) {
        let _ = write!(text, "{} {}", ClaimId::new(letter, round, number), short(&claim.text));
        if claim.evidence.is_empty() {
            text.push_str(" (no evidence)");
        }
        if !claim.attacks.is_empty() {
            let ids: Vec<&str> = claim.attacks.iter().map(ClaimId::as_str).collect();
            let _ = write!(text, " [attacks {}]", ids.join(", "));
        }
        text.push('\n');
        let found: Vec<&Checked> = checked.iter().filter(|found| found.claim == Some(number)).collect();
        for found in &found {
            let _ = writeln!(text, "  {found}");
        }
        // What is not looked up is shown as it was listed.
        for evidence in claim.evidence.iter().skip(found.len()) {
            let _ = writeln!(text, "  ? {}", evidence.described());
        }
    }
    for concession in &listing.concedes {
        let verb = if concession.claim.is_of(letter) { "withdraws" } else { "concedes" };
        let _ = write!(text, "{verb} {}", concession.claim);
        if let Some(words) = &concession.words {
            let _ = write!(text, ": \"{}\"", short(words));
        }
        text.push('\n');
    }
    for dropped in &listing.dropped {
        let _ = writeln!(text, "left out: {dropped}");
    }
    mentions(&mut text, checked);
    text
}

/// A text of a speaker in one line that is not too long to stand among many.
pub(crate) fn short(text: &str) -> String {
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    if line.chars().count() <= LONGEST { line } else { line.chars().take(LONGEST).chain(['…']).collect() }
}

fn mentions(text: &mut String, checked: &[Checked]) {
    for found in checked.iter().filter(|found| found.claim.is_none() && found.result.is_false()) {
        let _ = writeln!(text, "mentioned: {}: {}", found.evidence.described(), found.detail);
    }
}
