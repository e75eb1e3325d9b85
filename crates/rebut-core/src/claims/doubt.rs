//! Whether a text calls a citation false.
//!
//! The words of such a doubt are those of code review too: a check `is missing`, a handler `returns false`, keys `are
//! exposed`. So a doubt counts by where it stands: it is said of the place itself, right behind it (`X does not exist`) or
//! right before it (`the invented X`), or of a word for a citation beside it (`the citation X failed`). Of a citation and of
//! a claim more can be said than of a place: these are wrong, unsupported or fall.

mod behind;
mod parties;
mod phrases;
#[cfg(test)]
mod tests;
mod words;

use std::ops::Range;

use super::citation::find_with_others;
use crate::evidence::ClaimId;
use behind::{had_it_existed, is_past_the_last_line, is_said_behind, is_said_further_on, is_set_against, predicate};
use parties::{is_given_up, is_taken_back};
use phrases::{
    ALLEGED, BEFORE_CITATION, BEFORE_PLACE, CALLED, CHECKS, CITATIONS, CITING, DENYING, FILES, INVENTED, JOINING, LEADING,
    POINTING, SHOWING, SIDES, UNCONVINCING, UNTRUE, WHERE, WRONGLY,
};
use words::{Piece, begins, ends, pieces};

pub(crate) use parties::Hand;

/// Whether the words around a place, or around the id of a claim, call it false or give it up. `hand` tells whose it is.
pub(crate) fn is_doubted(text: &str, span: Range<usize>, hand: Hand<'_>) -> bool {
    let (before, behind) = around(text, span.clone());
    let lead = pieces(before.trim_end_matches(['`', '*', '"', '\u{201c}']));
    let before = without_lines(&lead);
    let behind = pieces(behind.trim_start_matches(['`', '*', '"', '\u{201d}']));
    let subject = if ClaimId::read(&text[span]).is_some() { Subject::Claim } else { subject(before, &behind) };
    is_said_before(before, &behind, hand)
        || is_paired(before, &behind, hand)
        || (!is_denied(before)
            && (is_said_behind(before, &behind, subject)
                || is_said_further_on(&behind)
                || is_past_the_last_line(before, &behind)
                || is_set_against(before, &behind)))
}

/// What stands before a place whose lines are named first: `there is no` in `there is no line 77 in src/pool.rs`.
fn without_lines(before: &[Piece]) -> &[Piece] {
    match without(without(before, &["file"]), &["the"]) {
        [rest @ .., line, Piece::Word(number), of]
            if line.is_any(&["line", "lines", "zeile", "zeilen", "ligne"])
                && number.starts_with(|c: char| c.is_ascii_digit())
                && of.is_any(&["of", "in", "from", "at", "von", "de"]) =>
        {
            rest
        }
        _ => before,
    }
}

/// Whether a sentence with these words around a place speaks of something at the place, and not of the place: `the check in X`.
pub(crate) fn is_of_something_there(before: &str, behind: &str) -> bool {
    let before = pieces(before.trim_end_matches(['`', '*', '"', '\u{201c}']));
    let behind = pieces(behind.trim_start_matches(['`', '*', '"', '\u{201d}']));
    subject(&before, &behind) == Subject::SomethingThere
}

/// Whether a sentence calls a citation that it names or speaks of false.
pub(crate) fn doubts(sentence: &str) -> bool {
    let places = find_with_others(sentence).into_iter().map(|citation| citation.span);
    let ids = sentence.split_whitespace().filter(|word| ClaimId::read(word).is_some()).map(|word| {
        let at = word.as_ptr() as usize - sentence.as_ptr() as usize;
        at..at + word.len()
    });
    let all = pieces(sentence);
    let speaks_of_one = || all.split(|piece| matches!(piece, Piece::Mark(_))).any(doubts_a_citation);
    places.chain(ids).any(|span| is_doubted(sentence, span, Hand::Unknown)) || speaks_of_one()
}

/// What stands before and behind a place in its own sentence, as far as it is looked at: a text may be one sentence from
/// its beginning to its end.
pub(crate) fn around(text: &str, span: Range<usize>) -> (&str, &str) {
    const REACH: usize = 400;
    const ENDS: [&str; 8] = [". ", "! ", "? ", ".\n", "!\n", "?\n", "\n\n", "\n- "];
    let (from, to) = (span.start.saturating_sub(REACH), text.len().min(span.end + REACH));
    let from = (from..=span.start).find(|at| text.is_char_boundary(*at)).unwrap_or(span.start);
    let to = (span.end..=to).rev().find(|at| text.is_char_boundary(*at)).unwrap_or(span.end);
    let (before, behind) = (&text[from..span.start], &text[span.end..to]);
    let begin = ENDS.iter().filter_map(|end| Some(before.rfind(end)? + end.len())).max().unwrap_or(0);
    let end = ENDS.iter().filter_map(|end| behind.find(end)).min().unwrap_or(behind.len());
    (&before[begin..], &behind[..end])
}

/// What a sentence speaks of where it names a place.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Subject {
    /// The place itself, and so perhaps the code that stands there.
    Place,
    /// Something at the place: `the check in X`.
    SomethingThere,
    /// A claim, or the citing of the place: `the quote from X`.
    Claim,
    /// The looking up of it: `the check of X`.
    Check,
}

fn subject(before: &[Piece], behind: &[Piece]) -> Subject {
    let set_off = is_set_off(behind);
    let all = without_list(before);
    let mut rest = all;
    for _ in 0..5 {
        let Some((last, lead)) = rest.split_last() else { break };
        let followed_by = |words: &[&str]| all.get(rest.len()).is_some_and(|next| next.is_any(words));
        if last.is_any(&CHECKS) && followed_by(&["of", "on", "for"]) {
            return Subject::Check;
        }
        if last.is_any(&CITATIONS) && !followed_by(&["in"]) {
            return Subject::Claim;
        }
        let is_led = last.is_any(&POINTING) || last.is_any(&LEADING) || last.is_any(&WHERE) || last.is_any(&FILES);
        let parted = set_off && last.is_mark(&[',', '(']);
        if !(is_led || parted) {
            break;
        }
        rest = lead;
    }
    match all.get(rest.len()) {
        // `the cited code in X` is what is said to stand there.
        Some(outermost) if outermost.is_any(&WHERE) && !matches!(rest, [.., cited, _] if cited.is_any(&ALLEGED)) => {
            Subject::SomethingThere
        }
        _ => Subject::Place,
    }
}

/// Whether a place stands between commas or in brackets, and so only says which one is meant: `its evidence, X, failed`.
fn is_set_off(behind: &[Piece]) -> bool {
    let listed = behind.iter().take_while(|piece| piece.is_any(&["and", "or"]) || **piece == Piece::Place).count();
    behind.get(listed).is_some_and(|piece| piece.is_mark(&[',', ')']))
}

/// What stands before a list of places of which this is one: `X` in `a.rs:1, b.rs:2 and X`.
fn without_list(before: &[Piece]) -> &[Piece] {
    let mut rest = before;
    loop {
        let joints = rest.iter().rev().take_while(|piece| is_joint(piece)).count();
        match rest[..rest.len() - joints].split_last() {
            Some((Piece::Place, lead)) if joints > 0 => rest = lead,
            _ => return rest,
        }
    }
}

fn is_joint(piece: &Piece) -> bool {
    piece.is_mark(&[',', ';']) || piece.is_any(&["and", "or", "nor", "und", "et", "y"])
}

/// Whether what stands before denies what follows: nobody showed it, or it is said wrongly.
fn is_denied(before: &[Piece]) -> bool {
    let joined = |at: usize| before.get(at + 1).is_some_and(|next| next.is_any(&JOINING));
    let begin = (0..before.len()).rev().find(|at| match &before[*at] {
        Piece::Mark(',') => joined(*at),
        Piece::Mark(_) => true,
        _ => false,
    });
    let clause = &before[begin.map_or(0, |at| at + 1)..];
    let unshown = clause.iter().enumerate().any(|(at, piece)| {
        let near = &clause[at + 1..clause.len().min(at + 4)];
        let denies = piece.is_any(&DENYING) || piece.is_any(&["fail", "fails", "failed"]);
        denies && near.iter().any(|piece| piece.is_any(&SHOWING))
    });
    // `It is false that X is missing`, `the challenger is wrong that X does not exist`.
    let denied = matches!(clause, [.., called, that] if called.is_any(&UNTRUE) && that.is_any(&["that"]));
    unshown || denied || clause.iter().any(|piece| piece.is_any(&WRONGLY))
}

/// Whether the words right before a doubt deny it: `never refuted`.
fn is_denied_near(before: &[Piece]) -> bool {
    let clause = before.iter().rev().take_while(|piece| !matches!(piece, Piece::Mark(_)));
    clause.take(4).any(|piece| piece.is_any(&DENYING))
}

/// Whether the words right before a place call it false.
fn is_said_before(before: &[Piece], behind: &[Piece], hand: Hand<'_>) -> bool {
    let list = without_list(before);
    // `…, not X`; `it is not X alone`, `whether or not X runs` and `the challenger, not X, is mistaken` are no such thing.
    if let [.., parted, not] = list
        && not.is_any(&["not"])
        && (parted.is_mark(&[',']) || parted.is_any(&["and", "but"]))
    {
        return !behind.first().is_some_and(|next| next.is_mark(&[',']) || next.is_any(&["alone", "only"]));
    }
    // A clause before it says of a citation that it is false, or it speaks of something else: `the key is fake: X`.
    if let Some((mark, lead)) = list.split_last()
        && mark.is_mark(&['(', ':', '\u{2014}', '\u{2013}'])
    {
        return doubts_a_citation(lead.rsplit(|piece| matches!(piece, Piece::Mark(_))).next().unwrap_or_default());
    }
    let is_apposition =
        is_set_off(behind) && matches!(list, [.., noun, mark] if noun.is_any(&CITATIONS) && mark.is_mark(&[',']));
    let list = if is_apposition { &list[..list.len() - 1] } else { list };
    let bare = without(list, &POINTING);
    let of_file = without(without(bare, &FILES), &POINTING);
    let led = without(bare, &LEADING);
    let of_citation = Some(without(led, &CITATIONS)).filter(|rest| rest.len() < led.len());
    let said = |rest: &[Piece], phrases: &[&str]| {
        let at = phrases.iter().filter_map(|phrase| ends(rest, phrase)).min();
        at.is_some_and(|at| !is_denied_near(&rest[..at]) && !is_denied(&rest[..at]))
    };
    let invented = |rest: &[Piece]| {
        let called = rest.split_last().filter(|(last, _)| last.is_any(&INVENTED));
        called.is_some_and(|(_, lead)| !is_denied_near(lead) && !is_denied(lead))
    };
    // `there is no evidence in X` speaks of what stands there.
    let of_citation = of_citation.map(|rest| without(rest, &POINTING)).filter(|rest| !rest.ends_with(&pieces("no")));
    // `the challenger's X` is one word more.
    let whose = |rest: &[Piece]| is_given_up(without(without_owner(rest), &POINTING), behind, hand);
    whose(bare)
        || whose(of_file)
        || of_citation.is_some_and(whose)
        || said(bare, &BEFORE_PLACE)
        || said(of_file, &BEFORE_PLACE)
        || invented(bare)
        || invented(of_file)
        || of_citation.is_some_and(|rest| said(rest, &BEFORE_PLACE) || said(rest, &BEFORE_CITATION) || invented(rest))
}

/// The pieces without a word at their end that tells whose the next one is: `the challenger's`.
fn without_owner(pieces: &[Piece]) -> &[Piece] {
    match pieces.split_last() {
        Some((Piece::Word(word), rest)) if word.ends_with("'s") => rest,
        _ => pieces,
    }
}

/// The pieces without such words at their end. `that` leads to a clause more often than it points.
fn without<'a>(mut pieces: &'a [Piece], words: &[&str]) -> &'a [Piece] {
    while let Some((last, rest)) = pieces.split_last()
        && last.is_any(words)
        && !last.is_any(&["that"])
    {
        pieces = rest;
    }
    pieces
}

/// Words on both sides of a place that only together call it false: `neither X nor … exists`, `got X wrong`.
fn is_paired(before: &[Piece], behind: &[Piece], hand: Hand<'_>) -> bool {
    let lead = without(without_list(before), &POINTING);
    let last = |words: &[&str]| lead.last().is_some_and(|piece| piece.is_any(words));
    let next = |words: &[&str]| behind.first().is_some_and(|piece| piece.is_any(words));
    let exists = behind.iter().take(8).any(|piece| piece.is_any(&["exists", "exist", "existed"]));
    let convinces = !behind.iter().take(10).any(|piece| piece.is_any(&UNCONVINCING));
    let called = last(&["call", "calls", "called", "considers", "deems"]) && (next(&INVENTED) || next(&["false"]));
    let gone = || CALLED.iter().any(|phrase| begins(behind, phrase).is_some()) || next(&["gone", "out", "absent"]);
    (last(&["neither", "nor", "no", "none"]) && exists)
        || (last(&["whether"]) && next(&["exists", "exist", "existed"]))
        || (last(&["with"]) && gone())
        || is_taken_back(without_list(before), behind, hand)
        || had_it_existed(behind)
        || (last(&["made", "makes", "make", "making"]) && next(&["up"]))
        || (last(&["got", "gets", "get", "getting"]) && next(&["wrong"]))
        || (last(&["count", "counts", "counting", "hold", "holds", "holding"]) && next(&["against"]))
        || (ends(lead, "looked|looking|searched|searching for|up").is_some() && predicate(behind, Subject::Check).is_some())
        || (called && convinces && !is_denied(before) && !is_denied_near(before))
}

/// Whether a clause calls a citation false, or a file that it speaks of as one that is cited.
fn doubts_a_citation(clause: &[Piece]) -> bool {
    let no_file = "there is|was no such file|line|commit|path|place";
    (0..clause.len()).any(|at| {
        let (lead, rest) = clause.split_at(at);
        let cited = |lead: &[Piece]| {
            let bare = without(lead, &POINTING);
            let owned = bare.last().is_some_and(|word| matches!(word, Piece::Word(word) if word.ends_with("'s")));
            let is_cited = |rest: &[Piece]| rest.last().is_some_and(|verb| verb.is_any(&CITING));
            (bare.is_empty() && !lead.is_empty()) || owned || is_cited(bare) || is_cited(without(bare, &LEADING))
        };
        let noun = &rest[0];
        let of_citation = noun.is_any(&CITATIONS) && predicate(past_its_place(&rest[1..]), Subject::Claim).is_some();
        let of_file = noun.is_any(&FILES) && cited(lead) && predicate(&rest[1..], Subject::Place).is_some();
        let (adjective, next) = (noun, rest.get(1));
        let invented = adjective.is_any(&INVENTED)
            && next.is_some_and(|next| next.is_any(&CITATIONS) || (next.is_any(&FILES) && cited(lead)));
        // `the proposer invented its file`.
        let made_up = adjective.is_any(&["invented", "invents", "fabricated", "fabricates", "hallucinated", "hallucinates"])
            && lead.last().is_some_and(|who| who.is_any(&SIDES))
            && rest[1..]
                .iter()
                .find(|piece| !piece.is_any(&POINTING))
                .is_some_and(|what| what.is_any(&CITATIONS) || what.is_any(&FILES));
        let owned = matches!(lead.last(), Some(Piece::Word(word)) if word.ends_with("'s"));
        let false_one = adjective.is_any(&["false", "wrong", "failed", "unverified", "debunked", "refuted"])
            && next.is_some_and(|next| next.is_any(&CITATIONS) || (owned && next.is_any(&FILES)));
        let said = of_citation || of_file || invented || made_up || false_one || begins(rest, no_file).is_some();
        said && !is_denied(lead) && !is_denied_near(lead)
    })
}

/// What is said behind `of P1.1` and the like.
fn past_its_place(said: &[Piece]) -> &[Piece] {
    match said {
        [leading, Piece::Place, rest @ ..] if leading.is_any(&LEADING) => rest,
        [Piece::Place, rest @ ..] => rest,
        _ => said,
    }
}
