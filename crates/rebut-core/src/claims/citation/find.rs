//! Citations in a text as people and models write it.

use std::collections::BTreeSet;
use std::ops::Range;

use super::attach::{Mark, Mentioned, Said, attach, give_lines};
use super::attribution::Before;
use super::bare::{bare, trimmed};
use super::blocks::{block, lines_of, printed, quoted};
use super::commits::{HEAD, in_a_commit, is_commit_by_what_it_does, is_hash, name_files_of_commits, shown_by_git};
use super::headed::Above;
use super::names::is_paper;
use super::others::heads_what_is_told;
use super::passages::{Passage, passages, plainly};
use super::path::{self, Standing, Written};
use super::pieces::{Kind, Piece, pieces_with};
use super::references::{References, definition, without_title};
use super::sentences::Heading;
use super::table::Table;
use super::{Citation, Target, glued, json, lines, spaced};

/// Words behind which a hash names a commit.
const COMMIT_WORDS: [&str; 6] = ["commit", "commits", "revision", "rev", "sha", "changeset"];

/// Words behind which "commit" is a verb.
const PLEDGING: [&str; 13] =
    ["i", "we", "you", "they", "who", "will", "would", "must", "can", "could", "should", "may", "people"];

/// Every citation of a text, in order. Takes time in proportion to the text.
pub fn find(text: &str) -> Vec<Citation> {
    found(text).evidence(Told::None)
}

/// The same with those that are told as somebody else's, or as invented: whoever judges them rests on them as well.
pub fn find_with_others(text: &str) -> Vec<Citation> {
    found(text).evidence(Told::All)
}

/// Those alone that are told as somebody else's: whoever never cited them has them foisted on.
pub(in super::super) fn find_told_of_others(text: &str) -> Vec<Citation> {
    found(text).evidence(Told::OfOthersAlone)
}

/// Which of the places that are told as somebody else's, or as invented, are wanted.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Told {
    None,
    All,
    OfOthersAlone,
}

fn found(text: &str) -> Found {
    found_in(text, Within::Text)
}

/// Whether a text is what somebody said, or a string of JSON in it. Nobody writes JSON in strings of JSON in strings of it.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Within {
    Text,
    String,
}

fn found_in(text: &str, outer: Within) -> Found {
    let passages = passages(text);
    let mut found = Found { references: references(text, &passages), ..Found::default() };
    // The last path of the passage before a block of code, if the block can be its quote.
    let mut heading: Option<Heading> = None;
    let (mut table, mut before, mut above) = (Table::default(), Before::default(), Above::default());
    for passage in passages {
        match passage {
            Passage::Prose(range) => {
                let first = found.citations.len();
                let defined = defined(text, &range);
                let range = defined.as_ref().map_or(range, |(_, rest)| rest.clone());
                let marks = marks(text, range.clone(), &mut found);
                table.give_lines(&text[range.clone()], first, &mut found.citations, &mut found.companions);
                give_lines(text, range.clone(), &marks, &mut found.citations, &mut found.companions);
                attach(text, range.clone(), &marks, &mut found.citations, &mut found.mentioned);
                found.references.share(text, range.clone(), &marks, &mut found.citations);
                if let Some((label, _)) = defined {
                    found.references.made(label, first..found.citations.len());
                }
                heading = above.prose(text, range.clone(), &marks);
                before.prose(&text[range.clone()], range.start, &marks, &mut found.citations);
            }
            Passage::Printed(line) => {
                (heading, before, above) = (None, Before::default(), Above::default());
                found.citations.extend(printed(text, line));
            }
            Passage::Json(range) => {
                (heading, before, above) = (None, Before::default(), Above::default());
                found.json(text, range, outer);
            }
            Passage::Fence { info, body } => {
                before.block(if heading.is_some() { "" } else { &text[body.clone()] });
                block(text, info, body, heading.take(), &mut found.citations);
                above = Above::default();
            }
            Passage::SetOff(lines) => match heading.take().filter(|heading| !is_told(text, &found.citations[heading.at])) {
                Some(Heading { at, quotes }) => {
                    let citation = &mut found.citations[at];
                    let quote = quoted(&plainly(&text[lines]));
                    match (quotes, citation.quotes.is_empty()) {
                        (true, _) => citation.quotes.extend(quote),
                        (false, true) => citation.perhaps.extend(quote),
                        (false, false) => {}
                    }
                }
                // Nobody says that it stands there: it is prose.
                None => {
                    for line in lines_of(text, lines) {
                        let marks = marks(text, line.clone(), &mut found);
                        attach(text, line, &marks, &mut found.citations, &mut found.mentioned);
                    }
                }
            },
        }
    }
    found
}

/// What the labels of a text stand for.
fn references(text: &str, passages: &[Passage]) -> References {
    let mut references = References::of_text(text.len());
    for passage in passages {
        let Passage::Prose(range) = passage else { continue };
        let Some((label, rest)) = defined(text, range) else { continue };
        let mut found = Found::default();
        marks(text, rest, &mut found);
        let Found { citations, slight, .. } = found;
        let slight: BTreeSet<usize> = slight.into_iter().collect();
        let places = citations.into_iter().enumerate().filter(|(at, _)| !slight.contains(at));
        references.define(label, places.map(|(_, citation)| citation.target));
    }
    references
}

/// The label that a passage defines, and the rest of it, which says what it stands for.
fn defined<'a>(text: &'a str, passage: &Range<usize>) -> Option<(&'a str, Range<usize>)> {
    let (label, from) = definition(&text[passage.clone()])?;
    let start = passage.start + from;
    Some((label, start..start + without_title(&text[start..passage.end]).len()))
}

/// Whether the words before a path say that somebody's words follow, and not the file's.
fn is_told(text: &str, citation: &Citation) -> bool {
    heads_what_is_told(text[..citation.span.start].rsplit('\n').next().unwrap_or_default())
}

/// What was found so far, and by their places in it what counts only under a condition.
#[derive(Default)]
struct Found {
    citations: Vec<Citation>,
    /// Further citations of a mark, by their places, each with that of its first: what is said of one is said of all.
    companions: Vec<(usize, usize)>,
    /// Names that say too little by themselves: they count if something is quoted from there.
    slight: Vec<usize>,
    /// Files that are only mentioned are no evidence, and need not be there.
    mentioned: Mentioned,
    /// Sources by their labels.
    references: References,
}

impl Found {
    /// Takes the citations of the last mark back.
    fn take_back(&mut self, mark: &Mark) {
        if let Said::Path(range) = &mark.said {
            self.citations.truncate(range.start);
            self.slight.retain(|at| *at < range.start);
            self.companions.retain(|(at, _)| *at < range.start);
            self.references.take_back(range.start);
        }
    }

    /// Takes in what JSON says: each string of it is a text of its own.
    fn json(&mut self, text: &str, range: Range<usize>, outer: Within) {
        for told in json::told(text, range) {
            match told {
                json::Told::Place(citations) => self.citations.extend(citations),
                json::Told::Words(string) if text[string.clone()].contains('\\') => {
                    let words = serde_json::from_str::<String>(&text[string.clone()]).unwrap_or_default();
                    if outer == Within::Text {
                        self.take_in(found_in(&words, Within::String), &string);
                    }
                }
                json::Told::Words(string) => {
                    let inner = string.start + 1..string.end - 1;
                    let marks = marks(text, inner.clone(), self);
                    give_lines(text, inner.clone(), &marks, &mut self.citations, &mut self.companions);
                    attach(text, inner, &marks, &mut self.citations, &mut self.mentioned);
                }
            }
        }
    }

    /// Takes in what was found in a text that stands here in other letters.
    fn take_in(&mut self, inner: Self, span: &Range<usize>) {
        let first = self.citations.len();
        let Self { citations, companions, slight, mentioned, references: _ } = inner;
        self.citations.extend(citations.into_iter().map(|found| Citation { span: span.clone(), ..found }));
        self.companions.extend(companions.into_iter().map(|(at, of)| (first + at, first + of)));
        self.slight.extend(slight.into_iter().map(|at| first + at));
        let Mentioned { proposed, not_there, invented, of_others } = mentioned;
        let own = &mut self.mentioned;
        for (own, inner) in [
            (&mut own.proposed, proposed),
            (&mut own.not_there, not_there),
            (&mut own.invented, invented),
            (&mut own.of_others, of_others),
        ] {
            own.extend(inner.into_iter().map(|at| first + at));
        }
    }

    fn evidence(self, told: Told) -> Vec<Citation> {
        let Self { citations, companions, slight, mentioned, references } = self;
        let Mentioned { proposed, not_there, invented, of_others } = mentioned;
        let mut only_defined = vec![false; citations.len()];
        references.only_define(&citations).for_each(|at| only_defined[at] = true);
        let places = |list: &[usize]| {
            let mut is_in = vec![false; citations.len()];
            for at in list {
                is_in[*at] = true;
            }
            for (at, of) in &companions {
                is_in[*at] = is_in[*of];
            }
            is_in
        };
        let [slight, proposed, not_there, invented, of_others] =
            [slight, proposed, not_there, invented, of_others].map(|list| places(&list));
        let counts = |at: usize, citation: &Citation| {
            let anothers = match told {
                Told::None => of_others[at] || invented[at],
                Told::All => false,
                Told::OfOthersAlone => !of_others[at],
            };
            if only_defined[at] {
                return false;
            }
            match &citation.target {
                Target::File { lines, .. } => {
                    let only_mentioned = lines.is_none() && (slight[at] || proposed[at]);
                    !not_there[at] && !anothers && (!citation.quotes.is_empty() || !only_mentioned)
                }
                // Nothing is said of the one that is checked out by naming it.
                Target::Commit { hash, path: None } if hash == HEAD => false,
                Target::Commit { .. } | Target::Past { .. } => !anothers,
                _ => told != Told::OfOthersAlone,
            }
        };
        let mut at = 0..;
        let mut evidence: Vec<Citation> =
            citations.into_iter().filter(|citation| at.next().is_some_and(|at| counts(at, citation))).collect();
        // Companions were found last, and stand where their first one does.
        evidence.sort_by_key(|citation| citation.span.start);
        evidence
    }
}

/// The marks of a passage: paths, which become citations, and words that can be quotes.
fn marks(text: &str, within: Range<usize>, found: &mut Found) -> Vec<Mark> {
    let pieces = pieces_with(text, within.clone(), &found.references);
    let mut marks = Vec::new();
    let mut after_commit = false;
    // "They commit 1234567 dollars": a number among words is a number.
    let (mut before, mut pledged) = ("", false);
    for piece in &pieces {
        if piece.kind == Kind::Source {
            let targets = found.references.places_of(&text[piece.span.clone()]);
            if !targets.is_empty() {
                found.references.cites(found.citations.len());
                marks.push(cite(&mut found.citations, piece.span.clone(), targets, None));
            }
            continue;
        }
        let content = content(text, piece);
        let inner = &text[content.clone()];
        let hash = inner.trim_start_matches('#');
        let named =
            after_commit && (is_hash(hash) && !(pledged && hash.bytes().all(|byte| byte.is_ascii_digit())) || hash == HEAD);
        if let Some(parts) = glued::places_in_code(text, piece) {
            for (span, Written { path, lines, .. }) in parts {
                let targets = lines.into_iter().map(|lines| Target::File { path: path.clone(), lines: Some(lines) });
                marks.push(cite(&mut found.citations, span, targets.collect(), None));
            }
            continue;
        }
        if let Some((targets, symbol)) = in_a_commit(inner).filter(|_| matches!(piece.kind, Kind::Word | Kind::Code(_))) {
            marks.push(cite(&mut found.citations, content, targets, symbol));
            continue;
        }
        if let Some(targets) = further_lines(text, piece, &marks, &found.citations) {
            marks.push(cite(&mut found.citations, piece.span.clone(), targets, None));
            continue;
        }
        if let Some(hash) = shown_by_git(piece, inner) {
            let target = Target::Commit { hash: hash.to_lowercase(), path: None };
            marks.push(cite(&mut found.citations, content, vec![target], None));
            continue;
        }
        if named || is_commit_by_what_it_does(text, &within, piece, hash, content.end) {
            let hash = if hash == HEAD { hash.to_owned() } else { hash.to_lowercase() };
            let target = Target::Commit { hash, path: None };
            marks.push(cite(&mut found.citations, content, vec![target], None));
            continue;
        }
        pledged = PLEDGING.iter().any(|word| word.eq_ignore_ascii_case(before)) || (after_commit && pledged);
        before = inner;
        after_commit = COMMIT_WORDS.iter().any(|word| word.eq_ignore_ascii_case(inner))
            || (after_commit && matches!(inner, "and" | "&" | "" | "und" | "et" | "y"));
        // The word may be the end of a path with spaces in it, whose beginning can have been taken for something else.
        let spaced = (piece.kind == Kind::Word).then(|| spaced::unmarked(text, &within, &content)).flatten();
        while let Some(taken) =
            marks.pop_if(|taken: &mut Mark| spaced.as_ref().is_some_and(|all| all.start <= taken.span.start))
        {
            found.take_back(&taken);
        }
        // The lines of a path may stand in a mark of their own.
        if piece.kind != Kind::Word && marks.last().is_some_and(|taken: &Mark| taken.span.end > piece.span.start) {
            continue;
        }
        if let Some(mark) = mark(text, &within, piece, spaced.unwrap_or(content), found) {
            marks.push(mark);
        }
    }
    name_files_of_commits(text, &marks, &mut found.citations, &mut found.companions);
    marks
}

/// `src/pool.rs:38`, `:49` and `L56`: more lines of the path before, in marks of their own.
fn further_lines(text: &str, piece: &Piece, marks: &[Mark], citations: &[Citation]) -> Option<Vec<Target>> {
    let written = text[piece.span.clone()].trim_matches(['`', '*', '(', ')', ',', '.', ';']);
    let lines = match written.strip_prefix(':') {
        Some(rest) => path::range(rest)?,
        None if matches!(piece.kind, Kind::Code(_)) && written.starts_with('L') => path::range(written)?,
        None => return None,
    };
    let last = marks.last()?;
    let Said::Path(cited) = &last.said else { return None };
    let Target::File { path, lines: Some(_) } = &citations[cited.start].target else { return None };
    let gap = text.get(last.span.end..piece.span.start).filter(|gap| gap.len() <= 120 && !gap.contains(". "))?;
    let joined = super::words::words(gap).all(|word| matches!(&*word, "and" | "or" | "und" | "et" | "y" | "at"));
    (joined || written.starts_with(':')).then(|| vec![Target::File { path: path.clone(), lines: Some(lines) }])
}

/// Whether a word names a commit that a hash follows.
pub(super) fn is_commit_word(word: &str) -> bool {
    COMMIT_WORDS.contains(&word)
}

/// What one piece is, apart from commits.
fn mark(text: &str, within: &Range<usize>, piece: &Piece, content: Range<usize>, found: &mut Found) -> Option<Mark> {
    let inner = &text[content.clone()];
    if inner.starts_with("http://") || inner.starts_with("https://") {
        // A link may have a title behind its address.
        let url = inner.split_whitespace().next().unwrap_or(inner);
        let page = || vec![Target::Page { url: url.to_owned() }];
        return path::is_page(url).then(|| cite(&mut found.citations, content, page(), None));
    }
    let standing = if piece.kind == Kind::Word { Standing::Bare } else { Standing::Marked };
    // Behind a link's target stands the bracket that closes it.
    let from = if matches!(piece.kind, Kind::Link { .. }) { piece.span.end } else { content.end };
    let lined = || lines::behind(&text[from..within.end]).is_some();
    let read = match &piece.kind {
        Kind::Word if inner.contains(' ') => path::read(inner, Standing::Marked),
        Kind::Word => path::read(inner, standing).or_else(|| followed_by_lines(text, within, &content, inner)),
        Kind::Code(_) if spaced::is_command(inner, true, lined()) || is_first_part(&text[piece.span.end..within.end]) => {
            None
        }
        // A script with what it is given: `tools/flash.sh build/drip.bin`.
        Kind::Code(_) => match inner.split_once(' ') {
            Some((program, _)) if path::is_program(program) => path::read(program, standing),
            _ => path::read(inner, standing),
        },
        Kind::Link { label, target } => linked(&text[label.clone()], &text[target.clone()]),
        Kind::Source => None,
        // Words that end with a path are no path, in quotation marks as in backticks; but nobody quotes a command with them.
        Kind::Quote(_) if spaced::is_command(inner, false, lined()) && !spaced::is_path_alone(inner) => None,
        // A path can stand in quotation marks, with its lines behind it.
        Kind::Quote(_) => {
            path::read(inner, standing).filter(|written| !written.lines.is_empty() || inner.contains(['/', '\\']))
        }
    };
    let read = read.filter(|written| !is_specifier(written, &text[within.start..piece.span.start]));
    if let Some(mut written) = read {
        let behind = lines_around(&text[within.start..piece.span.start], &text[from..within.end], &mut written);
        let end = behind.map_or(piece.span.end.max(content.end), |length| from + length);
        let start = if piece.kind == Kind::Word { content.start } else { piece.span.start };
        let end = if piece.kind == Kind::Word && end <= piece.span.end { content.end } else { end };
        let Written { path, lines, symbol } = written;
        if lines.is_empty() && is_paper(&path) {
            found.slight.push(found.citations.len());
        }
        let target = |lines| Target::File { path: path.clone(), lines };
        let targets = if lines.is_empty() { vec![target(None)] } else { lines.into_iter().map(Some).map(target).collect() };
        let mark = cite(&mut found.citations, start..end, targets, symbol);
        if let (Kind::Word, Said::Path(cited)) = (&piece.kind, &mark.said) {
            let lead = spaced::lead(&text[within.start..start]);
            found.citations[cited.clone()].iter_mut().for_each(|citation| lead.clone_into(&mut citation.lead));
        }
        return Some(mark);
    }
    if piece.kind == Kind::Word
        && let Some(Written { path, .. }) = path::read_name(inner)
    {
        found.slight.push(found.citations.len());
        return Some(cite(&mut found.citations, content, vec![Target::File { path, lines: None }], None));
    }
    match &piece.kind {
        Kind::Quote(_) if json::is_part_of_object(text, within, &piece.span) => None,
        Kind::Quote(words) => Some(Mark { span: piece.span.clone(), said: Said::Quote(words.clone()) }),
        Kind::Code(words) => Some(Mark { span: piece.span.clone(), said: Said::Code(words.clone()) }),
        Kind::Word | Kind::Link { .. } | Kind::Source => None,
    }
}

/// Gives a path the lines that the words around it name. Gives how far they reach into what stands behind it.
fn lines_around(before: &str, behind: &str, written: &mut Written) -> Option<usize> {
    // A folder has none, whatever the sentence counts.
    if path::names_a_folder(&written.path) {
        return None;
    }
    if let Some(first) = written.lines.last().copied() {
        if let Some((lines, length)) = lines::until(behind, first) {
            written.lines.pop();
            written.lines.push(lines);
            return Some(length);
        }
        let (lines, length) = lines::also(behind)?;
        written.lines.extend(lines);
        return Some(length);
    }
    let Some((lines, length)) = lines::behind(behind) else {
        written.lines.extend(lines::before(before));
        return None;
    };
    written.lines = lines;
    Some(length)
}

fn cite(citations: &mut Vec<Citation>, span: Range<usize>, targets: Vec<Target>, symbol: Option<String>) -> Mark {
    let first = citations.len();
    let symbols: Vec<String> = symbol.into_iter().collect();
    citations.extend(targets.into_iter().map(|target| Citation {
        span: span.clone(),
        symbols: symbols.clone(),
        ..Citation::of(target)
    }));
    Mark { span, said: Said::Path(first..citations.len()) }
}

/// `[src/a.rs:10](src/a.rs#L10)`: the target says where; the label may say the lines.
pub(super) fn linked(label: &str, target: &str) -> Option<Written> {
    let target = target.split_once(" \"").map_or(target, |(target, _)| target).trim().trim_matches(['<', '>']);
    if path::is_address(target) || target.starts_with('#') {
        return None;
    }
    let target = target.replace("%20", " ");
    // A link's target is one word, or a path with spaces, and no sentence.
    if spaced::is_command(&target, true, true) {
        return None;
    }
    let mut written = path::read(&target, Standing::Marked)?;
    if written.lines.is_empty() {
        let label = path::read(label.trim_matches('`'), Standing::Marked);
        written.lines = label.map(|label| label.lines).unwrap_or_default();
    }
    Some(written)
}

/// A bare name that is no path by itself becomes one by the lines behind it: `pool.rs line 20`.
fn followed_by_lines(text: &str, within: &Range<usize>, content: &Range<usize>, inner: &str) -> Option<Written> {
    let written = path::read_name(inner)?;
    let lines_follow = lines::behind(&text[content.end..within.end]).is_some();
    (lines_follow || lines::before(&text[within.start..content.start]).is_some()).then_some(written)
}

/// The inner text of a piece without marks and punctuation around it.
fn content(text: &str, piece: &Piece) -> Range<usize> {
    match &piece.kind {
        Kind::Code(inner) | Kind::Quote(inner) => trimmed(text, inner.clone(), char::is_whitespace),
        Kind::Link { target, .. } => target.clone(),
        Kind::Word => bare(text, piece.span.clone()),
        Kind::Source => piece.span.clone(),
    }
}

/// `imports ../shared/types.ts`: what one file calls another, and no place in the workspace.
fn is_specifier(Written { path, lines, symbol }: &Written, before: &str) -> bool {
    let relative = path.starts_with("./") || path.starts_with("../");
    relative && lines.is_empty() && symbol.is_none() && super::words::imports(before)
}

/// Whether a code span is only the first part of a word: `Cargo.toml`-like.
fn is_first_part(after: &str) -> bool {
    after.strip_prefix('-').is_some_and(|rest| rest.starts_with(char::is_alphabetic))
}
