//! What is said behind a place, by its own clause or by a further one of its sentence, that calls it false.

use super::phrases::{
    ALLEGATIONS, BEING, CALLED, CHECKS, CITATIONS, CLAIM_CALLED, FILES, INVENTED, JOINING, OF_CHECK, OF_CLAIM, OF_PLACE,
    PASSING, POINTING, TELLING_WHOSE, UNCONVINCING,
};
use super::words::{Piece, begins, closes, pieces};
use super::{Subject, is_denied_near, is_joint, without_list};

/// `… would have been decisive, had it existed`.
pub(super) fn had_it_existed(behind: &[Piece]) -> bool {
    (0..behind.len()).any(|at| begins(&behind[at..], "had it|they|that existed|been").is_some())
}

/// Whether the words right behind a place call it false.
pub(super) fn is_said_behind(before: &[Piece], behind: &[Piece], subject: Subject) -> bool {
    let listed = behind.iter().take_while(|piece| is_joint(piece) || **piece == Piece::Place).count();
    let listed = if behind[..listed].contains(&Piece::Place) { listed } else { 0 };
    // What is said right behind it is said of the thing there; `, which` leads back to the place.
    let leads_back = |piece: &Piece| matches!(piece, Piece::Mark(_)) || piece.is_any(&["which"]);
    if subject == Subject::SomethingThere && !behind.get(listed).is_some_and(leads_back) {
        return false;
    }
    // `That X does not exist costs the challenger little.`
    let alleged = matches!(before, [.., noun, that] if noun.is_any(&ALLEGATIONS) && that.is_any(&["that"]));
    let a_fact = !alleged && before.ends_with(&pieces("that")) && is_a_fact(&behind[listed..]);
    let failed = || stands_first(without_list(before), behind.get(listed)) && begins_failed(&behind[listed..]);
    let end = predicate(&behind[listed..], subject).or_else(|| (a_fact || failed()).then_some(3));
    let Some(end) = end else { return false };
    let rest = behind.get(listed + end..).unwrap_or_default();
    // `…, but it does.`
    let taken_back = [", but|yet it|they|that does|do|did|is|exists|exist", "but|yet it|they does|do|did|is|exists|exist"];
    let taken_back = taken_back.iter().any(|phrase| begins(rest, phrase).is_some());
    // `The objection that X does not exist is unconvincing.`
    let unconvincing = alleged && rest.iter().take(8).any(|piece| piece.is_any(&UNCONVINCING));
    !(taken_back || unconvincing)
}

/// Whether a place is what its clause speaks of, and no object: `the attempt to discredit X failed` speaks of the attempt.
fn stands_first(before: &[Piece], next: Option<&Piece>) -> bool {
    let led = |last: &Piece| {
        let owner = matches!(last, Piece::Word(word) if word.ends_with("'s"));
        owner || matches!(last, Piece::Mark(_)) || last.is_any(&JOINING) || last.is_any(&POINTING) || last.is_any(&FILES)
    };
    before.last().is_none_or(led) || next.is_some_and(|next| next.is_mark(&[',', '(']))
}

/// The engine's own word for a citation that is false, which code does too: `X failed`, `X, which failed,`.
fn begins_failed(said: &[Piece]) -> bool {
    begins(said, "?both|all|also failed .").or_else(|| begins(said, ", which|that ?also failed .")).is_some()
}

/// Whether it is told as a fact that something does not exist, of which more is said: `does not exist costs …`.
fn is_a_fact(said: &[Piece]) -> bool {
    let end = begins(said, "do|does|did not exist").or_else(|| begins(said, "is|was|are|were missing|invented|false"));
    let goes_on = |next: &Piece| matches!(next, Piece::Word(word) if word.ends_with('s') || word.ends_with("ed"));
    end.and_then(|end| said.get(end)).is_some_and(|next| goes_on(next) || next.is_any(&["cost", "may", "does", "was"]))
}

/// Whether the sentence counts the lines of a file because a place lies behind them: `the file has 60 lines, so X …`.
pub(super) fn is_past_the_last_line(before: &[Piece], behind: &[Piece]) -> bool {
    let counted = |pieces: &[Piece]| {
        (1..pieces.len()).any(|at| {
            let of_file = pieces[at - 1] == Piece::Place || pieces[at - 1].is_any(&["file", "which", "that", "it"]);
            let counted = begins(&pieces[at..], "has|contains|had ?only|just|but|exactly 0 lines");
            let counted = counted.or_else(|| begins(&pieces[at..], "ends|stops at|with|after line 0"));
            // `and` goes on to something else.
            let goes_on = |end: usize| pieces[at + end..].iter().take(2).any(|next| next.is_any(&["and"]));
            of_file && counted.is_some_and(|end| !goes_on(end))
        })
    };
    counted(before) || counted(behind)
}

/// `Y is verified, X is not`: what was said of another place right before is denied of this one.
pub(super) fn is_set_against(before: &[Piece], behind: &[Piece]) -> bool {
    const HELD: &str = "?is|was|has|were|did ?been verified|held|holds|hold|stands|stood|passed|exists|real|there|found";
    let held = (0..before.len()).any(|at| {
        before[at] == Piece::Place && begins(&before[at + 1..], HELD).is_some_and(|end| closes(before.get(at + 1 + end)))
    });
    held && begins(behind, "is|was|did|does|are|were|do not .").is_some()
}

/// Where words that call their subject false end, if these do.
pub(super) fn predicate(said: &[Piece], subject: Subject) -> Option<usize> {
    const MOST: usize = 12;
    let mut at = 0;
    while at <= said.len().min(MOST) {
        let (passed, rest) = said.split_at(at);
        let is_called = passed.iter().any(|piece| piece.is_any(&BEING) || matches!(piece, Piece::Mark(_)));
        if let Some(end) = called_false(rest, subject, is_called) {
            return Some(at + end);
        }
        let whose = told_whose(rest);
        let may_pass = rest.first().is_some_and(|next| is_passing(next) || next.is_mark(&[',', ':', '(', ')', '\u{2014}']));
        match (whose, may_pass) {
            (0, false) => return None,
            (0, true) => at += 1,
            (whose, _) => at += whose,
        }
    }
    None
}

/// Words between a subject and what is said of it; how it is said (`flatly`) does not matter.
fn is_passing(piece: &Piece) -> bool {
    piece.is_any(&PASSING) || matches!(piece, Piece::Word(word) if word.ends_with("ly"))
}

fn called_false(rest: &[Piece], subject: Subject, is_called: bool) -> Option<usize> {
    let any = |phrases: &[&str]| phrases.iter().find_map(|phrase| begins(rest, phrase));
    let invented = || {
        let next = rest.get(1);
        let of_citation = next.is_some_and(|next| next.is_any(&CITATIONS) || next.is_any(&FILES));
        let goes_on = closes(next) || next.is_some_and(|next| next.is_any(&["by", "from", "out", "for", "throughout"]));
        (rest.first().is_some_and(|word| word.is_any(&INVENTED)) && (of_citation || goes_on)).then_some(1)
    };
    let of_place = || any(&OF_PLACE).or_else(|| any(&CALLED).or_else(invented).filter(|_| is_called));
    match subject {
        Subject::Place | Subject::SomethingThere => of_place(),
        Subject::Claim => of_place().or_else(|| any(&OF_CLAIM)).or_else(|| any(&CLAIM_CALLED).filter(|_| is_called)),
        Subject::Check => any(&OF_CHECK),
    }
}

/// How many pieces only tell whose a place is: `, cited in round 1,`.
fn told_whose(said: &[Piece]) -> usize {
    let mark = usize::from(said.first().is_some_and(|piece| piece.is_mark(&[',', '('])));
    let told = said[mark..].iter().take_while(|piece| piece.is_any(&TELLING_WHOSE) || **piece == Piece::Place).count();
    let ended = mark == 1 && said.get(1 + told).is_some_and(|piece| piece.is_mark(&[',', ')']));
    let begun = said.first().is_some_and(|piece| piece.is_any(&["cited", "quoted", "named", "invoked", "offered"]));
    if told > 0 && (ended || begun) { mark + told } else { 0 }
}

/// Whether a further clause of the sentence calls the place false: `, but that file does not exist`.
pub(super) fn is_said_further_on(behind: &[Piece]) -> bool {
    #[rustfmt::skip]
    const NO_FILE: [&str; 6] = [
        "?for ?which there is|was no such file|line|commit|path|place", "for which there is|was no file|line|commit .",
        "?which|that|but ?the i|we|engine|check|checker|verifier|judge|record could|can|did not find|locate|open|confirm|verify|see",
        "no such file|line|path|commit|place exists", "could|can not find|locate|verify|confirm it|this|that|them .",
        "which i|we invented|fabricated|hallucinated .",
    ];
    let direct = behind.first().is_some_and(|piece| matches!(piece, Piece::Mark(_)) || piece.is_any(&JOINING));
    let starts = (0..behind.len()).filter(|at| matches!(behind[*at], Piece::Mark(_)) || behind[*at].is_any(&JOINING));
    starts.into_iter().any(|at| {
        let clause = &behind[at + 1..];
        let pointing = clause.iter().take_while(|piece| piece.is_any(&POINTING)).count();
        let said = clause.get(pointing).is_some_and(|noun| {
            let named = direct || clause[..pointing].iter().any(|word| word.is_any(&["that", "this", "these", "those"]));
            let rest = &clause[pointing + 1..];
            (noun.is_any(&FILES) && named && pointing > 0 && predicate(rest, Subject::Place).is_some())
                || (noun.is_any(&CITATIONS) && predicate(rest, Subject::Claim).is_some())
                || (noun.is_any(&CHECKS) && predicate(rest, Subject::Check).is_some())
        });
        said || NO_FILE.iter().any(|phrase| begins(clause, phrase).is_some()) || strikes_it(clause)
    })
}

/// `the challenger demolished it`.
fn strikes_it(clause: &[Piece]) -> bool {
    let ended = clause.iter().position(|piece| matches!(piece, Piece::Mark(_))).unwrap_or(clause.len());
    (1..ended.min(8)).any(|at| {
        let phrase = "demolished|refuted|debunked|disproved|struck|discredited|exposed it|that|this|them .";
        begins(&clause[at..], phrase).is_some() && !is_denied_near(&clause[..at])
    })
}
