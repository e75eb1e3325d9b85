//! Which words near a path are said to stand there.
//!
//! A quote that is taken for evidence and is none makes an honest speaker a liar, so a quote counts only where the
//! sentence ties it to the path: it stands beside it, or a word like "reads" leads from one to the other. What is denied
//! or proposed ("should read", "there is no") is not said to stand there.

mod mentioned;
mod tie;

use std::borrow::Cow;
use std::cell::OnceCell;
use std::ops::Range;

use super::commits::is_change;
use super::sentences::marked_sentences;
use super::words::{advises, changes, denies, placed_words, says_absent, tells, words};
use super::{Citation, Lines, Target, lines, path, work};
use crate::claims::figure::telling;
pub(super) use mentioned::Mentioned;
use tie::Tie;
pub(super) use tie::{clause_of, goes_on_reading};

/// Something in a passage that matters here.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Mark {
    /// Where it stands, marks included.
    pub(super) span: Range<usize>,
    /// What it is.
    pub(super) said: Said,
}

/// What a mark is; ranges of words are without their marks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Said {
    /// These citations.
    Path(Range<usize>),
    /// Words in quotation marks.
    Quote(Range<usize>),
    /// Words in backticks.
    Code(Range<usize>),
}

/// The shortest quote that is looked up; less stands everywhere.
const SHORTEST_QUOTE: usize = 3;
/// The shortest piece of code that is a quote and not a name.
const SHORTEST_CODE: usize = 6;
/// How far from a path words are looked at, in bytes. What is further away is not tied to it, and a sentence of ten
/// thousand paths must not be read ten thousand times.
const WINDOW: usize = 240;

/// Gives the file of a sentence the lines that the sentence names further on. Where it names several files nobody knows whose
/// they are.
pub(super) fn give_lines(
    text: &str,
    within: Range<usize>,
    marks: &[Mark],
    citations: &mut Vec<Citation>,
    companions: &mut Vec<(usize, usize)>,
) {
    if !marks.iter().any(|mark| matches!(mark.said, Said::Path(_))) {
        return;
    }
    for (sentence, inside) in marked_sentences(text, within, marks) {
        let mut files = inside.iter().filter_map(|mark| match &mark.said {
            Said::Path(range) if matches!(citations[range.start].target, Target::File { .. }) => Some(range.clone()),
            _ => None,
        });
        let (Some(file), None) = (files.next(), files.next()) else { continue };
        if !wants_lines(&citations[file.start]) {
            continue;
        }
        let starts = [sentence.start].into_iter().chain(inside.iter().map(|mark| mark.span.end));
        let ends = inside.iter().map(|mark| mark.span.start).chain([sentence.end]);
        let own_words: Vec<&str> = starts.zip(ends).filter_map(|(start, end)| text.get(start..end)).collect();
        if own_words.iter().any(|words| denies_a_line(words)) {
            continue;
        }
        let own_words = own_words.into_iter();
        let lines = lines::further_on(own_words).unwrap_or_default();
        give_each(lines, file.start, citations, companions);
    }
}

/// `so line 77 does not exist`: such a line is nobody's.
fn denies_a_line(text: &str) -> bool {
    let all: Vec<_> = placed_words(text).collect();
    all.windows(3).any(|three| {
        let [(_, line), (_, number), (at, next)] = three else { return false };
        let numbered =
            matches!(&**line, "line" | "lines" | "zeile" | "zeilen") && number.starts_with(|c: char| c.is_ascii_digit());
        let denied = matches!(&**next, "does" | "do" | "doesn't" | "don't" | "cannot" | "is" | "gibt");
        numbered && denied && says_absent(beginning(&text[*at..], WINDOW))
    })
}

/// Whether lines that are named apart from a citation's file can be its own. A folder has none, whatever the sentence counts.
pub(super) fn wants_lines(citation: &Citation) -> bool {
    matches!(&citation.target, Target::File { path, lines: None } if !path::names_a_folder(path))
}

/// Gives a file these lines. What is quoted stands at one of several: the others are looked up by themselves.
pub(super) fn give_each(lines: Vec<Lines>, at: usize, citations: &mut Vec<Citation>, companions: &mut Vec<(usize, usize)>) {
    let mut lines = lines.into_iter();
    let Target::File { path, lines: named } = &mut citations[at].target else { return };
    *named = lines.next();
    let (path, span) = (path.clone(), citations[at].span.clone());
    for line in lines {
        companions.push((citations.len(), at));
        let target = Target::File { path: path.clone(), lines: Some(line) };
        citations.push(Citation { span: span.clone(), ..Citation::of(target) });
    }
}

/// Gives every path the words that are said to stand there, and adds to the citations that are only mentioned.
pub(super) fn attach(
    text: &str,
    within: Range<usize>,
    marks: &[Mark],
    citations: &mut [Citation],
    mentioned: &mut Mentioned,
) {
    for (sentence, inside) in marked_sentences(text, within, marks) {
        work::read(inside.len());
        if inside.iter().any(|mark| matches!(mark.said, Said::Path(_))) {
            let sentence = Sentence::read(text, sentence, inside);
            sentence.attach(citations);
            mentioned.not_there.extend(sentence.values(citations));
            sentence.mentioned(citations, mentioned);
        }
    }
}

/// A sentence that names a path.
struct Sentence<'a> {
    text: &'a str,
    span: Range<usize>,
    marks: &'a [Mark],
    /// Where something is first denied or proposed, and where a change is first asked for.
    denial: Option<usize>,
    change: Option<usize>,
    /// Whether anything is denied, advised or told in it: asked of many marks, and read once.
    advice: OnceCell<bool>,
}

/// What words near a commit are to it.
#[derive(Clone, Copy, PartialEq, Eq)]
enum OfCommit {
    /// What its message says, or what somebody says to stand in it.
    Message,
    /// What it changes.
    Change,
}

/// What words near a path are to it.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Attached {
    /// They are said to stand there.
    Quote,
    /// A name that stands there or near by.
    Symbol,
    /// Nobody can tell.
    Perhaps,
}

impl<'a> Sentence<'a> {
    fn read(text: &'a str, span: Range<usize>, marks: &'a [Mark]) -> Self {
        let mut sentence = Self { text, span, marks, denial: None, change: None, advice: OnceCell::new() };
        let (mut denial, mut change) = (None, None);
        for (at, word) in sentence.own_words() {
            denial = denial.or_else(|| denies(&word).then_some(at));
            change = change.or_else(|| changes(&word).then_some(at));
        }
        (sentence.denial, sentence.change) = (denial, change);
        sentence
    }

    /// The speaker's own words, without what is quoted: that denies nothing.
    fn own_words(&self) -> impl Iterator<Item = (usize, Cow<'a, str>)> {
        let starts = [self.span.start].into_iter().chain(self.marks.iter().map(|mark| mark.span.end));
        let ends = self.marks.iter().map(|mark| mark.span.start).chain([self.span.end]);
        let text = self.text;
        starts.zip(ends).flat_map(move |(start, end)| {
            placed_words(text.get(start..end).unwrap_or_default()).map(move |(at, word)| (start + at, word))
        })
    }

    fn attach(&self, citations: &mut [Citation]) {
        let one_path = self.is_about_one_path(citations);
        // The next path behind each mark.
        let mut after: Vec<Option<&Mark>> = vec![None; self.marks.len()];
        for at in (1..self.marks.len()).rev() {
            let next = &self.marks[at];
            after[at - 1] = if matches!(next.said, Said::Path(_)) { Some(next) } else { after[at] };
        }
        let mut before = None;
        for (mark, after) in self.marks.iter().zip(after) {
            let words = match &mark.said {
                Said::Path(_) => {
                    before = Some(mark);
                    continue;
                }
                Said::Quote(words) | Said::Code(words) => self.text[words.clone()].trim(),
            };
            let Some((path, tie)) = self.tie(mark, before, after) else { continue };
            let Said::Path(range) = &path.said else { continue };
            let is_commit = matches!(citations[range.start].target, Target::Commit { .. });
            let is_code = matches!(mark.said, Said::Code(_));
            let tie = match is_commit.then(|| self.of_commit(path, mark)) {
                Some(None) => continue,
                Some(Some(OfCommit::Message)) => Tie::Beside,
                Some(Some(OfCommit::Change)) | None => tie,
            };
            let Some(kind) = kind(words, is_code, tie, one_path) else { continue };
            if kind == Attached::Perhaps && tie != Tie::Doubtful && self.is_advice() {
                continue;
            }
            for citation in &mut citations[range.clone()] {
                let all = match kind {
                    Attached::Quote => &mut citation.quotes,
                    Attached::Symbol => &mut citation.symbols,
                    Attached::Perhaps => &mut citation.perhaps,
                };
                let words = if kind == Attached::Symbol { words.trim_end_matches("()") } else { words };
                all.push(words.to_owned());
            }
        }
        self.share_out(citations);
        if one_path && self.denial.is_none() {
            self.attach_figures(citations);
        }
    }

    /// What words beside a commit are to it: its message stands beside the hash or is called so, and what it changes is the
    /// object of a verb that puts or takes words. `it broke x` and `it drops support for x` say nothing of its words.
    fn of_commit(&self, commit: &Mark, mark: &Mark) -> Option<OfCommit> {
        let is_quote = matches!(mark.said, Said::Quote(_));
        let lead = self.text_before(commit.span.start.min(mark.span.start));
        let Some(gap) = self.text.get(commit.span.end..mark.span.start) else {
            // `"fix the lock" (commit abc1234)`; `the "fast path" (…)` is somebody's name for something.
            let named =
                words(lead).last().is_some_and(|word| matches!(&*word, "the" | "a" | "an" | "this" | "that" | "our"));
            return (is_quote && !named && self.is_given_for(mark, commit)).then_some(OfCommit::Message);
        };
        let is_message = |word: &str| matches!(word, "message" | "titled" | "subject" | "title");
        let says = |word: &str| {
            matches!(
                word,
                "says" | "said" | "reads" | "states" | "contains" | "contained" | "includes" | "included" | "lautet"
            ) || matches!(word, "inserts" | "inserted")
        };
        let own: Vec<_> = words(gap).collect();
        let called = own.iter().any(|word| is_message(word))
            || (words(lead).any(|word| is_message(&word))
                && own.iter().all(|word| matches!(&**word, "is" | "was" | "reads")));
        let bare = gap.trim_matches(|c: char| c.is_whitespace() || matches!(c, '`' | '*' | ')'));
        let judged =
            || words(lead).any(|word| matches!(&*word, "call" | "calls" | "called" | "dubbed" | "considers" | "labels"));
        if is_quote && (called || (matches!(bare, "(" | ":" | "," | "—" | "–" | "") && !judged())) {
            return Some(OfCommit::Message);
        }
        let verb = own.iter().rposition(|word| says(word) || is_change(word))?;
        let effect = matches!(&*own[verb], "broke" | "enabled" | "disabled" | "updates" | "updated" | "touches" | "touched");
        let led_off = |word: &str| matches!(word, "for" | "so" | "that" | "where" | "which" | "what" | "about" | "when");
        let object = own.len() - verb <= 5 && !own[verb + 1..].iter().any(|word| led_off(word));
        (object && !effect).then_some(if is_quote && says(&own[verb]) { OfCommit::Message } else { OfCommit::Change })
    }

    /// `/etc/agent.yaml` (src/main.go:17): a path out of the workspace whose place in the code is given is a value that stands
    /// there, and no citation of its own. Gives which.
    fn values(&self, citations: &mut [Citation]) -> Vec<usize> {
        let mut values = Vec::new();
        for (mark, next) in self.marks.iter().zip(&self.marks[1..]) {
            let (Said::Path(outer), Said::Path(inner)) = (&mark.said, &next.said) else { continue };
            let Target::File { path, lines: None } = &citations[outer.start].target else { continue };
            let lined = matches!(citations[inner.start].target, Target::File { lines: Some(_), .. });
            let marked = self.text[mark.span.clone()].starts_with(['`', '"']);
            if lined && marked && path.starts_with(['/', '~']) && self.is_given_for(mark, next) {
                let path = path.clone();
                citations[inner.clone()].iter_mut().for_each(|citation| citation.quotes.push(path.clone()));
                values.extend(outer.clone());
            }
        }
        values
    }

    /// `lines 20 and 28 define \`new\` and \`acquire\``: as many names as lines belong to them one by one.
    fn share_out(&self, citations: &mut [Citation]) {
        for mark in self.marks {
            let Said::Path(range) = &mark.said else { continue };
            let all = &mut citations[range.clone()];
            let count = all.len();
            if count < 2 {
                continue;
            }
            for (at, citation) in all.iter_mut().enumerate() {
                for words in [&mut citation.quotes, &mut citation.symbols] {
                    if words.len() == count {
                        *words = vec![words.swap_remove(at)];
                    }
                }
            }
        }
    }

    /// Whether anything is denied, advised or told in the sentence.
    fn is_advice(&self) -> bool {
        *self.advice.get_or_init(|| {
            work::read(self.span.len());
            let advises = |word: &str| advises(word) || (tells(word) && !matches!(word, "called" | "used"));
            self.denial.is_some() || self.own_words().any(|(_, word)| advises(&word))
        })
    }

    /// The figures of a sentence that names one page and nothing else are said to stand there.
    fn attach_figures(&self, citations: &mut [Citation]) {
        let first = self.marks.iter().find_map(|mark| match &mark.said {
            Said::Path(range) => Some(range.start),
            _ => None,
        });
        let Some(citation) = first.and_then(|at| citations.get_mut(at)) else { return };
        if !matches!(citation.target, Target::Page { .. }) {
            return;
        }
        let mut at = self.span.start;
        let ends = self.marks.iter().map(|mark| (mark.span.start, mark.span.end)).chain([(self.span.end, self.span.end)]);
        let mut own_words = String::new();
        for (end, next) in ends {
            own_words.push_str(self.text.get(at..end).unwrap_or_default());
            // What stands on either side of a mark is not one word.
            own_words.push('\n');
            at = next.max(at);
        }
        work::read(own_words.len());
        citation.figures = telling(&own_words);
    }

    fn is_about_one_path(&self, citations: &[Citation]) -> bool {
        let mut places = self.marks.iter().filter_map(|mark| match &mark.said {
            Said::Path(range) => Some(place(citations, range)),
            _ => None,
        });
        let first = places.next();
        places.all(|place| Some(place) == first)
    }

    /// The text before a place, as far as it matters.
    fn text_before(&self, at: usize) -> &'a str {
        let start = self.span.start.max(at.saturating_sub(WINDOW)).min(at);
        let start = (start..=at).find(|at| self.text.is_char_boundary(*at)).unwrap_or(at);
        &self.text[start..at]
    }

    /// The text behind a place up to the next mark, as far as it matters.
    fn behind(&self, at: usize) -> &'a str {
        let next = self.marks.partition_point(|mark| mark.span.start < at);
        let next = self.marks.get(next).map_or(self.span.end, |mark| mark.span.start);
        let end = next.min(self.span.end).min(at + WINDOW).max(at);
        let end = (at..=end).rev().find(|end| self.text.is_char_boundary(*end)).unwrap_or(at);
        &self.text[at..end]
    }
}

/// Whether the words are a quote or a name, or neither.
fn kind(words: &str, is_code: bool, tie: Tie, one_path: bool) -> Option<Attached> {
    let length = words.chars().count();
    let name = is_name(words);
    if is_code && name {
        return (one_path && length >= SHORTEST_QUOTE && !matches!(tie, Tie::Apart | Tie::Doubtful))
            .then_some(Attached::Symbol);
    }
    if is_code && matches!(tie, Tie::Loose | Tie::Apart | Tie::Doubtful) {
        // Several words or signs of code: a thing that stands somewhere.
        let value = words.contains(['.', ':']) && words.contains(|c: char| c.is_ascii_digit());
        let code = words.contains(is_code_mark) || value || words.split_whitespace().count() > 1;
        return (one_path && code && length >= SHORTEST_CODE).then_some(Attached::Perhaps);
    }
    // A sentence in quotation marks is likely somebody's words, and a few words are not.
    if tie == Tie::Loose && !is_code && words.split_whitespace().count() >= 4 {
        return one_path.then_some(Attached::Perhaps);
    }
    let quote = match tie {
        _ if is_code => length >= SHORTEST_CODE,
        Tie::Beside => length >= SHORTEST_QUOTE,
        Tie::Reading => length >= 12 && (words.split_whitespace().count() >= 3 || words.contains(is_code_mark)),
        Tie::Loose | Tie::Apart | Tie::Doubtful => false,
    };
    quote.then_some(Attached::Quote)
}

fn is_code_mark(c: char) -> bool {
    matches!(c, '(' | ')' | '{' | '}' | ';' | '=' | '<' | '>' | '_' | '[' | ']' | '#' | '&' | '|')
}

/// A name in code.
pub(super) fn is_name(words: &str) -> bool {
    let name = words.trim_end_matches("()").trim_start_matches(['&', '.', '@', '$', '#']);
    let begins = name.starts_with(|c: char| c.is_alphabetic() || c == '_');
    begins && name.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | ':' | '.' | '!'))
}

/// The first bytes of a text, as far as characters end there.
pub(super) fn beginning(text: &str, bytes: usize) -> &str {
    let end = (0..=bytes.min(text.len())).rev().find(|end| text.is_char_boundary(*end)).unwrap_or(0);
    &text[..end]
}

/// The place that citations of one mark point at.
fn place<'a>(citations: &'a [Citation], range: &Range<usize>) -> Option<&'a str> {
    match &citations.get(range.start)?.target {
        Target::File { path, .. } | Target::Past { path, .. } => Some(path),
        Target::Page { url } => Some(url),
        _ => None,
    }
}
