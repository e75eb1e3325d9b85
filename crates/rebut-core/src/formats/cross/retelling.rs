//! What somebody said, as somebody else reads it: the letters under which the speaker knows the others are exchanged for
//! those of the reader, or for names where a person reads.
//!
//! What was said is kept as it was said; this is only how it is told. A letter is exchanged where it names a partner beyond
//! doubt: behind the word `Partner`, as an owner (`A's claim`), or in the id of a claim that the speaker has read. What
//! stands in quotation marks or in code is somebody's words and stays. Where a letter is left that may be one of the
//! speaker's, the reader is told whose letters these are.

use std::collections::BTreeMap;
use std::ops::Range;

use super::labels::Labels;
use super::{Given, Partner, answers, given, last_round, latest, moderator, name, partners, setup};
use crate::claims::ClaimId;
use crate::debate::Debate;

/// A text as it is told.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Told {
    /// The text.
    pub text: String,
    /// Whose letters are left in it, where some are: `A is birch, B is cedar`.
    pub letters: Option<String>,
}

/// What a partner said, as a person reads it.
pub fn told(debate: &Debate, given: &Given<'_>, text: &str) -> Told {
    Speech::of(debate, given).told(text, &Listener::Person)
}

/// What the moderator said, as a person reads it.
pub fn told_by_moderator(debate: &Debate, text: &str) -> Told {
    Speech::of_moderator(debate).told(text, &Listener::Person)
}

/// Who listens.
pub(super) enum Listener<'a> {
    /// A seat, which knows the others by these labels.
    Seat(&'a Labels),
    /// The person, who knows everybody by name.
    Person,
}

/// How one speaker knew the others when it spoke.
pub(super) struct Speech<'a> {
    debate: &'a Debate,
    /// The letters it knew; none in round 0, and where names are open.
    letters: Vec<(char, Partner)>,
    by: By,
}

#[derive(Clone, Copy)]
enum By {
    Partner(Partner, u32),
    Moderator,
}

impl<'a> Speech<'a> {
    /// An answer.
    pub(super) fn of(debate: &'a Debate, given: &Given<'_>) -> Self {
        let letters = if given.round == 0 { Vec::new() } else { Labels::of(debate, &given.partner.seat()).letters() };
        Self { debate, letters, by: By::Partner(given.partner, given.round) }
    }

    /// Every answer: letters are read once for each partner, who has the same in all rounds.
    pub(super) fn of_all(debate: &'a Debate) -> Vec<(Given<'a>, Self)> {
        let known = partners(debate.plan()).map(|partner| (partner, Labels::of(debate, &partner.seat()).letters()));
        let known: BTreeMap<Partner, Vec<(char, Partner)>> = known.collect();
        let spoken = answers(debate).map(|given| {
            let letters = known.get(&given.partner).filter(|_| given.round > 0).cloned().unwrap_or_default();
            (given, Self { debate, letters, by: By::Partner(given.partner, given.round) })
        });
        spoken.collect()
    }

    /// What the moderator says.
    pub(super) fn of_moderator(debate: &'a Debate) -> Self {
        Self { debate, letters: Labels::of(debate, &moderator()).letters(), by: By::Moderator }
    }

    /// The id that a claim has in the debate, where the speaker has read it under this one.
    pub(super) fn claim(&self, id: &ClaimId) -> Option<ClaimId> {
        let (letter, rest) = id.as_str().split_at_checked(1)?;
        let (round, number) = rest.split_once('.')?;
        let (round, number) = (round.parse().ok()?, number.parse().ok()?);
        let partner = if setup(self.debate.plan()).is_some_and(|setup| setup.named) {
            Partner::of_letter(letter)?
        } else {
            self.partner(letter.chars().next()?)?
        };
        self.has_read(partner, round, number).then(|| ClaimId::new(partner.letter(), round, number))
    }

    /// A text as this listener reads it.
    pub(super) fn told(&self, text: &str, to: &Listener<'_>) -> Told {
        if self.letters.is_empty() {
            return Told { text: text.to_owned(), letters: None };
        }
        let mut kept = self.kept(text).into_iter().peekable();
        let (mut out, mut left) = (String::with_capacity(text.len()), false);
        let mut at = 0;
        while let Some(c) = text[at..].chars().next() {
            // They stand in the order of the text; one that begins inside of a mention is passed by.
            while kept.next_if(|span| span.start < at).is_some() {}
            if let Some(span) = kept.next_if(|span| span.start == at) {
                left |= self.names_somebody(&text[span.clone()]);
                out.push_str(&text[span.clone()]);
                at = span.end;
                continue;
            }
            let found = begins_a_word(text, at)
                .then(|| self.mention(text, at).or_else(|| self.id(text, at)).or_else(|| self.owner(text, at)))
                .flatten();
            if let Some((end, parts)) = found {
                at = self.push(&mut out, text, end, &parts, to);
                continue;
            }
            left |= begins_a_word(text, at) && self.stands_alone(text, at);
            out.push(c);
            at += c.len_utf8();
        }
        Told { text: out, letters: left.then(|| self.legend(to)) }
    }

    fn legend(&self, to: &Listener<'_>) -> String {
        let one = |(letter, partner): &(char, Partner)| format!("{letter} is {}", self.called(*partner, to));
        self.letters.iter().map(one).collect::<Vec<_>>().join(", ")
    }

    fn called(&self, partner: Partner, to: &Listener<'_>) -> String {
        match to {
            Listener::Seat(labels) if labels.is_read_by(partner) => "you".to_owned(),
            Listener::Seat(labels) => labels.title(partner),
            Listener::Person => name(self.debate.plan(), partner),
        }
    }

    fn partner(&self, letter: char) -> Option<Partner> {
        self.letters.iter().find(|(known, _)| *known == letter).map(|(_, partner)| *partner)
    }

    /// Whether the speaker has read this claim: nobody is shown ids of its own.
    fn has_read(&self, partner: Partner, round: u32, number: u32) -> bool {
        let debate = self.debate;
        let shown = match self.by {
            By::Partner(speaker, spoke) => partner != speaker && round < spoke,
            By::Moderator => {
                let end = last_round(debate).and_then(|last| latest(debate, last, partner));
                round == 0 || end.is_some_and(|end| end.round == round)
            }
        };
        let claims = || given(debate, round, partner).map_or(0, |given| given.stance.statement.claims.len());
        debate.plan().evidence.is_some() && shown && (1..=claims()).contains(&(number as usize))
    }

    /// Writes what was found, and says where the text goes on.
    fn push(&self, out: &mut String, text: &str, end: usize, parts: &[Part<'_>], to: &Listener<'_>) -> usize {
        let mut own = false;
        for part in parts {
            own = false;
            match part {
                Part::Between(words) => out.push_str(words),
                Part::Name(partner) => {
                    let called = self.called(*partner, to);
                    own = called == "you";
                    out.push_str(&called);
                }
                Part::Id(partner, rest) => {
                    let letter = match to {
                        Listener::Seat(labels) if labels.is_read_by(*partner) => "YOU",
                        Listener::Seat(labels) => labels.letter(*partner),
                        Listener::Person => partner.letter(),
                    };
                    out.push_str(letter);
                    out.push_str(rest);
                }
            }
        }
        // "you's claim" is "your claim".
        match possessive(text, end).filter(|_| own) {
            Some(behind) => {
                out.push('r');
                behind
            }
            None => end,
        }
    }

    /// `Partner A`, `partners A, B and C`, `Partner **A**`, `Partner A/B`.
    fn mention<'t>(&self, text: &'t str, at: usize) -> Option<(usize, Vec<Part<'t>>)> {
        let (mut end, first) = self.titled(text, at)?;
        let mut parts = first;
        while let Some((behind, more)) = self.further(text, end) {
            parts.extend(more);
            end = behind;
        }
        Some((end, parts))
    }

    /// The word `Partner` and a letter.
    fn titled<'t>(&self, text: &'t str, at: usize) -> Option<(usize, Vec<Part<'t>>)> {
        let word = behind_title(text, at)?;
        let gap = end_of(text, word, |c| c.is_whitespace() || matches!(c, '-' | '"' | '\u{201c}' | '`') || is_markup(c));
        if gap == word || gap - word > 4 {
            return None;
        }
        let markup = text[word..gap].trim_start_matches(|c: char| c.is_whitespace() || c == '-');
        let (end, partner) = self.letter(text, gap)?;
        Some((end, vec![Part::Between(markup), Part::Name(partner)]))
    }

    /// A further letter behind one: ` and B`, `/B`, `, Partner B`.
    fn further<'t>(&self, text: &'t str, at: usize) -> Option<(usize, Vec<Part<'t>>)> {
        const BETWEEN: [&str; 18] = [
            ", and ", ", or ", " and ", " or ", " nor ", " vs. ", " vs ", " versus ", " & ", " + ", " / ", "/", "&", ", ",
            " und ", " et ", " y ", " oder ",
        ];
        let closed = end_of(text, at, is_markup);
        let between = BETWEEN.iter().find(|words| text[closed..].starts_with(**words))?;
        let behind = closed + between.len();
        if let Some((end, titled)) = self.titled(text, behind) {
            return Some((end, std::iter::once(Part::Between(&text[at..behind])).chain(titled).collect()));
        }
        let opened = end_of(text, behind, is_markup);
        let (end, partner) = self.letter(text, opened)?;
        Some((end, vec![Part::Between(&text[at..opened]), Part::Name(partner)]))
    }

    /// A letter that somebody is known by, and nothing that goes on.
    fn letter(&self, text: &str, at: usize) -> Option<(usize, Partner)> {
        let letter = text[at..].chars().next()?;
        let partner = self.partner(letter)?;
        let end = at + letter.len_utf8();
        let mut behind = text[end..].chars();
        let goes_on = match behind.next() {
            Some('.' | '-' | '_' | '\'' | '\u{2019}') => {
                behind.next().is_some_and(char::is_alphanumeric) && possessive(text, end).is_none()
            }
            Some(c) => c.is_alphanumeric() || matches!(c, '+' | '#'),
            None => false,
        };
        (!goes_on).then_some((end, partner))
    }

    /// The id of a claim that the speaker has read: `A0.2`.
    fn id<'t>(&self, text: &'t str, at: usize) -> Option<(usize, Vec<Part<'t>>)> {
        let partner = self.partner(text[at..].chars().next()?)?;
        let digits = |from: usize| end_of(text, from, |c| c.is_ascii_digit());
        let dot = digits(at + 1);
        let end = text[dot..].starts_with('.').then(|| digits(dot + 1))?;
        let mut behind = text[end..].chars();
        let goes_on = match behind.next() {
            Some('.') => behind.next().is_some_and(char::is_alphanumeric),
            Some(c) => c.is_alphanumeric() || matches!(c, '_' | '/' | '-'),
            None => false,
        };
        let (round, number) = (text[at + 1..dot].parse().ok()?, text[dot + 1..end].parse().ok()?);
        (!goes_on && self.has_read(partner, round, number)).then(|| (end, vec![Part::Id(partner, &text[at + 1..end])]))
    }

    /// A letter alone that owns something, where a sentence speaks of somebody: `A's claim`, but not `plan A's cost`.
    fn owner<'t>(&self, text: &'t str, at: usize) -> Option<(usize, Vec<Part<'t>>)> {
        const BEFORE: [&str; 38] = [
            "and", "or", "but", "nor", "that", "than", "as", "with", "without", "to", "of", "on", "in", "by", "from", "for",
            "against", "about", "both", "while", "since", "because", "if", "when", "where", "is", "not", "like", "unlike",
            "contrary", "i", "accept", "concede", "reject", "dispute", "share", "see", "take",
        ];
        let (end, partner) = self.letter(text, at)?;
        possessive(text, end)?;
        let before = text[..at].trim_end_matches(|c: char| c.is_whitespace() || is_markup(c));
        let word = last_word(before).to_lowercase();
        (word.is_empty() || BEFORE.contains(&word.as_str())).then(|| (end, vec![Part::Name(partner)]))
    }

    /// Whether a letter stands here alone that may be one of the speaker's.
    fn stands_alone(&self, text: &str, at: usize) -> bool {
        const OTHERS: [&str; 22] = [
            "plan", "option", "section", "appendix", "vitamin", "grade", "type", "class", "variant", "step", "phase",
            "model", "route", "case", "series", "team", "version", "figure", "table", "part", "schema", "group",
        ];
        const VERBS: [&str; 24] = [
            "and", "or", "nor", "is", "was", "has", "says", "said", "errs", "claims", "argues", "but", "vs", "does", "did",
            "holds", "agrees", "differs", "measured", "also", "alone", "still", "cites", "concedes",
        ];
        let Some((end, _)) = self.letter(text, at) else { return false };
        let before = last_word(text[..at].trim_end()).to_lowercase();
        let behind = text[end..].strip_prefix(' ').unwrap_or_default();
        let next = &behind[..end_of(behind, 0, char::is_alphanumeric)];
        // "A better way" begins with an article.
        let article = text[at..].starts_with('A') && !next.is_empty() && !VERBS.contains(&next);
        !article && !OTHERS.contains(&before.as_str())
    }

    /// Whether words that stay as they are name somebody by a letter.
    fn names_somebody(&self, words: &str) -> bool {
        let starts = words.char_indices().map(|(at, _)| at).filter(|at| begins_a_word(words, *at));
        starts.into_iter().any(|at| self.titled(words, at).is_some() || self.id(words, at).is_some())
    }

    /// Words that stay as they are: code, quotations and lines that quote. A quotation that is nothing but a title is none.
    fn kept(&self, text: &str) -> Vec<Range<usize>> {
        let is_name = |inside: &str| self.titled(inside, 0).is_some_and(|(end, _)| end == inside.len());
        let is_id = |inside: &str| self.id(inside, 0).is_some_and(|(end, _)| end == inside.len());
        let mut spans: Vec<Range<usize>> = Vec::new();
        let (mut at, mut fence) = (0, None);
        for line in text.split_inclusive('\n') {
            let (from, to) = (at, at + line.len());
            at = to;
            let begins = line.trim_start();
            match fence {
                Some(open) if begins.starts_with("```") => {
                    spans.push(open..to);
                    fence = None;
                }
                Some(_) => {}
                None if begins.starts_with("```") => fence = Some(from),
                None if begins.starts_with('>') => spans.push(from..to),
                None => spans.extend(
                    quoted(text, from, to)
                        .into_iter()
                        .filter(|(span, mark)| {
                            let inside = text[span.clone()].trim_matches(*mark).trim_matches(['\u{201c}', '\u{201d}']);
                            !(is_name(inside) || (*mark == '`' && is_id(inside)))
                        })
                        .map(|(span, _)| span),
                ),
            }
        }
        spans.extend(fence.map(|open| open..text.len()));
        spans
    }
}

/// What stands in the place of a mention.
enum Part<'t> {
    Between(&'t str),
    Name(Partner),
    Id(Partner, &'t str),
}

/// Code and quotations in a line, each with its mark. A quotation may go on to the end of the line before it ends.
fn quoted(text: &str, from: usize, to: usize) -> Vec<(Range<usize>, char)> {
    let mut spans = Vec::new();
    // Marks that do not stand in the rest of the line: nobody looks for them again.
    let mut missing: Vec<char> = Vec::new();
    let mut at = from;
    while let Some(c) = text[at..to].chars().next() {
        let inside = at + c.len_utf8();
        let close = match c {
            '`' => Some('`'),
            '\u{201c}' => Some('\u{201d}'),
            '"' if !text[..at].ends_with(char::is_alphanumeric) => Some('"'),
            _ => None,
        };
        let end = close.filter(|close| !missing.contains(close)).and_then(|close| {
            let found = text[inside..to].find(close);
            missing.extend(found.is_none().then_some(close));
            Some(inside + found? + close.len_utf8())
        });
        match end {
            Some(end) => {
                spans.push((at..end, c));
                at = end;
            }
            None => at = inside,
        }
    }
    spans
}

fn begins_a_word(text: &str, at: usize) -> bool {
    let mut before = text[..at].chars().rev();
    match before.next() {
        Some('_') => !before.next().is_some_and(char::is_alphanumeric),
        Some(c) => !(c.is_alphanumeric() || matches!(c, '/' | '\\' | '@' | '#' | '-' | '.')),
        None => true,
    }
}

/// The end of the word `Partner` or `Partners`, in any case, where it stands here.
fn behind_title(text: &str, at: usize) -> Option<usize> {
    let word = "partner".len();
    text.get(at..at + word).filter(|head| head.eq_ignore_ascii_case("partner"))?;
    let plural = text[at + word..].starts_with(['s', 'S']);
    Some(at + word + usize::from(plural))
}

fn is_markup(c: char) -> bool {
    matches!(c, '*' | '_')
}

fn end_of(text: &str, at: usize, is_part: impl Fn(char) -> bool) -> usize {
    text[at..].find(|c: char| !is_part(c)).map_or(text.len(), |length| at + length)
}

/// The end of `'s`, where it stands here and ends a word.
fn possessive(text: &str, at: usize) -> Option<usize> {
    let rest = &text[at..];
    let behind = rest.strip_prefix("'s").or_else(|| rest.strip_prefix("\u{2019}s"))?;
    (!behind.starts_with(char::is_alphanumeric)).then(|| text.len() - behind.len())
}

fn last_word(text: &str) -> &str {
    let start =
        text.rfind(|c: char| !c.is_alphanumeric()).map_or(0, |at| at + text[at..].chars().next().map_or(1, char::len_utf8));
    &text[start..]
}
