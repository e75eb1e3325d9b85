//! What the parties of a debate are said to do with a place: who weighs it sets it aside, and who cited it erred.
//!
//! One verb says both, by who does it: `I ignore X` sets it aside, `the challenger ignores X` stands by it; `the
//! challenger misread X` gives up what the challenger cited, and defends what the proposer did. So the subject is looked
//! for before the verb, past auxiliaries and adverbs.

use super::phrases::{DENYING, JOINING};
use super::words::{Piece, begins, closes};

/// Whose a place is, for whoever speaks of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Hand<'a> {
    /// Nobody knows.
    Unknown,
    /// A judge speaks of what these sides cited, by the names of their roles.
    CitedBy(&'a [&'a str]),
    /// The speaker cited it before.
    OfSpeaker,
}

/// Who does something with a place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Party {
    /// Whoever speaks, and what looks things up: these weigh a place.
    Weighing,
    /// Who cited it.
    Owner,
    /// Anybody else.
    Other,
}

impl Hand<'_> {
    fn party(self, piece: &Piece) -> Option<Party> {
        const WEIGHING: [&str; 13] = [
            "judge", "verdict", "decision", "ruling", "engine", "check", "checker", "verifier", "court", "i", "we", "my",
            "our",
        ];
        const SIDES: [&str; 11] =
            ["proposer", "challenger", "opponent", "opponents", "they", "he", "she", "it", "you", "side", "who"];
        let Piece::Word(word) = piece else { return None };
        let word = word.trim_end_matches("'s");
        match self {
            Self::CitedBy(sides) if sides.contains(&word) => Some(Party::Owner),
            Self::OfSpeaker if matches!(word, "i" | "we" | "my" | "our") => Some(Party::Owner),
            _ if WEIGHING.contains(&word) => Some(Party::Weighing),
            _ if SIDES.contains(&word) => Some(Party::Other),
            _ => None,
        }
    }

    /// The party that a clause named last.
    fn last_named(self, pieces: &[Piece]) -> Option<Party> {
        pieces.iter().rev().find_map(|piece| self.party(piece))
    }

    fn named_first(self, pieces: &[Piece]) -> Option<Party> {
        pieces.iter().find_map(|piece| self.party(piece))
    }
}

/// The subject of a verb, as what stands before the verb tells it.
struct Deed {
    party: Option<Party>,
    /// Whether the verb begins its clause, as in `Ignoring X, …` and `Please disregard X`.
    begins_clause: bool,
    is_denied: bool,
    /// Whether it is said to be rightly done.
    is_approved: bool,
}

fn deed(before: &[Piece], hand: Hand<'_>) -> Deed {
    const AUXILIARIES: [&str; 31] = [
        "have", "has", "had", "will", "would", "shall", "must", "should", "can", "could", "may", "might", "do", "does",
        "did", "to", "be", "been", "am", "is", "are", "was", "were", "being", "also", "thus", "still", "just", "then",
        "longer", "too",
    ];
    let mut deed = Deed { party: None, begins_clause: false, is_denied: false, is_approved: false };
    let mut rest = before;
    while let Some((last, lead)) = rest.split_last() {
        let adverb =
            matches!(last, Piece::Word(word) if word.ends_with("ly")) || last.is_any(&["therefore", "hence", "even"]);
        deed.is_denied |= last.is_any(&DENYING);
        deed.is_approved |= last.is_any(&["rightly", "correctly", "justly", "properly", "fairly", "right"]);
        if !(adverb || last.is_any(&AUXILIARIES) || last.is_any(&DENYING) || last.is_any(&["please", "right"])) {
            break;
        }
        rest = lead;
    }
    deed.party = rest.last().and_then(|piece| hand.party(piece));
    deed.begins_clause = rest.last().is_none_or(|piece| matches!(piece, Piece::Mark(_)) || piece.is_any(&JOINING));
    deed
}

/// Whether a word is a form of one of these verbs, which are written without their endings.
fn is_form(piece: &Piece, stems: &[&str]) -> bool {
    let Piece::Word(word) = piece else { return false };
    let endings = ["", "e", "s", "es", "d", "ed", "ing", "y", "ying", "ies", "ied"];
    stems.iter().any(|stem| word.strip_prefix(stem).is_some_and(|ending| endings.contains(&ending)))
}

/// Whether the words right before a place say that it is set aside, or that who cited it erred.
pub(super) fn is_given_up(before: &[Piece], behind: &[Piece], hand: Hand<'_>) -> bool {
    is_set_aside(before, behind, hand)
        || is_not_weighed(before, hand)
        || is_erred_on(before, hand)
        || is_blamed(before, hand)
        || is_passed_over(before, behind, hand)
}

/// `I disregard X`, `Ignoring X, …`, `the proposer rightly rejected X`.
fn is_set_aside(before: &[Piece], behind: &[Piece], hand: Hand<'_>) -> bool {
    const VERBS: [&str; 13] = [
        "ignor",
        "disregard",
        "discount",
        "dismiss",
        "reject",
        "exclud",
        "discard",
        "drop",
        "dropp",
        "abandon",
        "delet",
        "overrul",
        "forgo",
    ];
    const PARTED: [&str; 10] = ["set", "sett", "leav", "left", "put", "tak", "took", "rul", "throw", "threw"];
    let (verb, lead) = match before {
        [lead @ .., verb, particle] if particle.is_any(&["aside", "out", "back"]) && is_form(verb, &PARTED) => (verb, lead),
        [lead @ .., verb] if is_form(verb, &VERBS) => (verb, lead),
        _ => return false,
    };
    let deed = deed(lead, hand);
    // `Setting aside X would be wrong` and `by ignoring X` speak of doing so, and do not.
    let bare = || {
        let is_participle = matches!(verb, Piece::Word(word) if word.ends_with("ing"));
        let goes_on = matches!(behind.first(), Some(next) if next.is_any(&["as", "and", "altogether", "entirely", "here"]));
        // `Drop X` may speak of code.
        let commanded = hand == Hand::OfSpeaker
            && matches!(verb, Piece::Word(word) if !word.ends_with("ed"))
            && !is_form(verb, &["drop", "dropp", "delet", "abandon"]);
        if is_participle { closes(behind.first()) || goes_on } else { commanded }
    };
    let done = match deed.party {
        Some(Party::Weighing | Party::Owner) => true,
        Some(Party::Other) => deed.is_approved,
        None => deed.begins_clause && bare(),
    };
    // What the winner is said to have dropped, the judge has not: only who speaks of an own citation takes it back so.
    let own = deed.party != Some(Party::Owner) || hand == Hand::OfSpeaker;
    done && own && !deed.is_denied
}

/// `I do not count X`, `I no longer rely on X`.
fn is_not_weighed(before: &[Piece], hand: Hand<'_>) -> bool {
    const WEIGHING: [&str; 11] =
        ["count", "credit", "accept", "us", "weigh", "consider", "trust", "believ", "need", "defend", "repeat"];
    const RESTING: [&str; 6] = ["rel", "rest", "depend", "lean", "build", "insist"];
    let lead = match before {
        [rest @ .., on] if on.is_any(&["on", "upon"]) => {
            // `rest my decision on X`
            let ruled = rest.iter().rev().take_while(|piece| hand.party(piece).is_some() || piece.is_any(&["the", "this"]));
            match &rest[..rest.len() - ruled.count()] {
                [lead @ .., verb] if is_form(verb, &RESTING) => lead,
                _ => return false,
            }
        }
        [lead @ .., verb] if is_form(verb, &WEIGHING) => lead,
        _ => return false,
    };
    let deed = deed(lead, hand);
    let weighs = deed.party == Some(Party::Weighing) || (deed.party == Some(Party::Owner) && hand == Hand::OfSpeaker);
    deed.is_denied && weighs
}

/// `the challenger misread X`, `I was wrong to cite X`, `the challenger's slip on X`, where they had cited it.
fn is_erred_on(before: &[Piece], hand: Hand<'_>) -> bool {
    const ABOUT: [&str; 10] = ["of", "about", "on", "over", "regarding", "with", "in", "to", "at", "as"];
    const WORDS: [&str; 3] = ["misquot", "misstat", "miscit"];
    const VERBS: [&str; 8] = [
        "misread",
        "misrepresent",
        "mischaracteris",
        "mischaracteriz",
        "misdescrib",
        "misunderst",
        "misunderstood",
        "misreport",
    ];
    if let [lead @ .., verb] = before
        && (is_form(verb, &VERBS) || is_form(verb, &WORDS))
    {
        let deed = deed(lead, hand);
        // A claim misquotes as well; who defends a place says so of the other side.
        let quoted_it = is_form(verb, &WORDS) && (hand == Hand::Unknown || deed.party != Some(Party::Other));
        return (deed.party == Some(Party::Owner) || quoted_it) && !deed.is_denied;
    }
    if let [lead @ .., verb] = before
        && is_form(verb, &["cit", "quot", "invok", "rais"])
        && lead.iter().any(|piece| piece.is_any(&["should"]))
    {
        let deed = deed(lead, hand);
        return deed.party == Some(Party::Owner) && deed.is_denied;
    }
    let cited = matches!(before, [.., verb] if is_form(verb, &["cit", "quot", "invok", "mention", "nam", "rais", "offer"]));
    let rest = if cited { &before[..before.len() - 1] } else { before };
    let [lead @ .., about] = rest else { return false };
    if !about.is_any(&ABOUT) {
        return false;
    }
    let [lead @ .., called] = lead else { return false };
    if called.is_any(&["wrong", "mistaken", "incorrect", "careless", "imprecise"])
        || is_form(called, &["err", "slipp", "stumbl"])
    {
        let deed = deed(lead, hand);
        return deed.party == Some(Party::Owner) && !deed.is_denied;
    }
    let noun = called.is_any(&[
        "slip",
        "error",
        "mistake",
        "misstep",
        "inaccuracy",
        "blunder",
        "carelessness",
        "misreading",
        "misrepresentation",
    ]);
    // `an error in X` is one of the code, and `found a mistake` no own one.
    let clause = clause(lead);
    let own = matches!(clause.last(), Some(Piece::Word(word)) if word.ends_with("'s") || word == "my" || word == "our")
        || clause.iter().any(|piece| piece.is_any(&["made", "makes", "make", "committed"]));
    noun && own
        && !about.is_any(&["in", "at", "to"])
        && hand.last_named(clause) == Some(Party::Owner)
        && !clause.iter().any(|piece| piece.is_any(&DENYING))
}

/// `I penalise the challenger for X`, `I apologise for X`.
fn is_blamed(before: &[Piece], hand: Hand<'_>) -> bool {
    const BLAMING: [&str; 13] = [
        "penalis", "penaliz", "fault", "blam", "criticis", "criticiz", "dock", "los", "lost", "forfeit", "cost", "apologis",
        "apologiz",
    ];
    let [lead @ .., last] = before else { return false };
    let clause = clause(lead);
    last.is_any(&["for", "over"])
        && hand.last_named(clause) == Some(Party::Owner)
        && clause.iter().any(|piece| is_form(piece, &BLAMING) || piece.is_any(&["sorry"]))
        && !clause.iter().any(|piece| piece.is_any(&DENYING))
}

/// `TLS rather than X` for who weighs it, and `even without X`.
fn is_passed_over(before: &[Piece], behind: &[Piece], hand: Hand<'_>) -> bool {
    match before {
        [lead @ .., one, other]
            if one.is_any(&["rather"]) && other.is_any(&["than"]) || one.is_any(&["instead"]) && other.is_any(&["of"]) =>
        {
            // Whoever speaks of something else than the other side cited has not set that aside.
            let named = hand.last_named(lead).or_else(|| hand.named_first(behind));
            hand == Hand::Unknown || named != Some(Party::Other)
        }
        [.., even, without] => even.is_any(&["even"]) && without.is_any(&["without"]),
        [without] => without.is_any(&["without"]) && hand == Hand::OfSpeaker,
        _ => false,
    }
}

/// Words on both sides of a place by which who cited it takes it back: `I cited X by mistake`, `X should have been …`.
pub(super) fn is_taken_back(before: &[Piece], behind: &[Piece], hand: Hand<'_>) -> bool {
    if let [lead @ .., verb] = before
        && is_form(verb, &["cit", "quot", "invok", "rais"])
        && lead.iter().any(|piece| piece.is_any(&["should"]))
    {
        let deed = deed(lead, hand);
        return deed.party == Some(Party::Owner) && deed.is_denied;
    }
    let cited = matches!(before, [.., verb] if is_form(verb, &["cit", "quot", "invok", "mention", "nam"]));
    let mistaken = begins(behind, "by mistake").or_else(|| begins(behind, "in error|haste")).is_some();
    (cited && mistaken) || (hand == Hand::OfSpeaker && begins(behind, "should have been|read|said #").is_some())
}

/// The clause that these pieces end with.
fn clause(pieces: &[Piece]) -> &[Piece] {
    let begin = pieces.iter().rposition(|piece| matches!(piece, Piece::Mark(_)));
    &pieces[begin.map_or(0, |at| at + 1)..]
}
