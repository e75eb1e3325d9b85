//! Citations of the list of claims, where every line names evidence and nothing else.
//!
//! The forms that the prompts teach: `path:first-last "words"`, `commit HASH path`, `grep "PATTERN" in path = 3`,
//! `run NAME`, and an address with a quote.

use std::borrow::Cow;
use std::ops::Range;

use super::attach::is_name;
use super::bare::bare;
use super::blocks::without_numbers;
use super::find::{find, linked};
use super::passages::{closes, opens};
use super::path::{self, Standing, Written};
use super::pieces::{Kind, pieces};
use super::search::search;
use super::words::{denies, tells, words};
use super::work;
use super::{Citation, Target};

/// The citations of one line of evidence. Each place has the words that directly follow it; where one place is named, also
/// those that a sentence leads to.
pub(in super::super) fn find_in_evidence(evidence: &str) -> Vec<Citation> {
    read(evidence, Leading::Anyhow)
}

/// The same where evidence is written in sentences too: words count as said to stand at a place only if they directly
/// follow it, as in `path:3 "words"`. What is called for, denied or told of a place is no quote of it: `path:3 is not
/// wrapped in "catch_unwind"` is not false since `catch_unwind` does not stand there.
pub(crate) fn find_as_said(evidence: &str) -> Vec<Citation> {
    read(evidence, Leading::Directly)
}

/// How words must follow a place to be said to stand there.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Leading {
    Anyhow,
    Directly,
}

fn read(evidence: &str, leading: Leading) -> Vec<Citation> {
    let (line, block) = without_block(evidence.trim());
    let line = without_ticks(line);
    let things = things(line);
    if things.len() > 1 || hashes(line).is_some() {
        return things.into_iter().flat_map(|thing| thing_of(unjoined(&line[thing]), leading)).collect();
    }
    let mut found = thing_of(line, leading);
    if let Some(block) = block
        && let Some(path) = found.last().and_then(file_of).map(str::to_owned)
    {
        let own = found.iter_mut().filter(|citation| file_of(citation) == Some(&path));
        own.for_each(|citation| citation.quotes.push(block.clone().into_owned()));
    }
    found
}

/// The file of which a citation names what stands there.
fn file_of(citation: &Citation) -> Option<&str> {
    match &citation.target {
        Target::File { path, .. } | Target::Past { path, .. } => Some(path),
        _ => None,
    }
}

/// The things of a line that names commits, searches or commands, each with what is said of it: they begin with `commit HASH`,
/// an address behind a commit, or behind a mark or a word that joins them. A line of places alone is one thing.
fn things(line: &str) -> Vec<Range<usize>> {
    let mut starts = vec![0];
    let (mut behind_commit, mut quoted, mut joined) = (false, false, true);
    for piece in pieces(line, 0..line.len()) {
        let word = &line[piece.span.clone()];
        let at = piece.span.start;
        if is_quote(&piece.kind) && !is_marked_place(line, &piece.kind) {
            (joined, quoted) = (false, true);
            continue;
        }
        let is_commit = hashes(&line[at..]).is_some();
        let is_other = joined && begins_another(&line[at..]);
        // A place behind what is quoted of a commit is none of the commit's.
        let named = &line[bare(line, piece.span.clone())];
        let is_named = behind_commit && (path::is_page(named) || (quoted && is_place(named)));
        if at > 0 && (is_commit || is_other || is_named) {
            starts.push(at);
            quoted = false;
        }
        behind_commit = is_commit || (behind_commit && !is_other && !is_named);
        joined = word.ends_with([';', ',']) || JOINTS.contains(&word);
    }
    let ends = starts.iter().skip(1).copied().chain([line.len()]);
    starts.iter().copied().zip(ends).map(|(start, end)| start..end).collect()
}

/// Whether a search or a command begins here.
fn begins_another(rest: &str) -> bool {
    let mut words = rest.split_whitespace();
    match (words.next(), words.next()) {
        (Some("run"), Some(name)) => command(&format!("run {}", name.trim_end_matches([';', ',']))).is_some(),
        (Some("git"), Some("grep")) | (Some("grep" | "egrep" | "fgrep" | "rg" | "ripgrep"), Some(_)) => true,
        _ => false,
    }
}

/// A thing without what joins it to the next.
fn unjoined(thing: &str) -> &str {
    let ends = |c: char| c.is_whitespace() || matches!(c, ';' | ',');
    let thing = thing.trim_start().trim_end_matches(ends);
    let thing = JOINTS.iter().find_map(|joint| thing.strip_suffix(joint)?.strip_suffix(' ')).unwrap_or(thing);
    thing.trim_end_matches(ends)
}

/// What one thing of a line names.
fn thing_of(thing: &str, leading: Leading) -> Vec<Citation> {
    if let Some(found) = search(thing) {
        return found;
    }
    if let Some(target) = command(thing) {
        return vec![Citation::of(target)];
    }
    match commit(thing) {
        Some(Commits { all: mut commits, said, beside }) => {
            if let Some(last) = commits.last_mut() {
                (last.quotes, last.symbols) = said_of_commit(&thing[said..]);
            }
            // `commit HASH and src/a.rs:3` names lines as well.
            commits.extend(beside.into_iter().flat_map(|rest| of_places(rest, leading)));
            commits
        }
        None => of_places(thing, leading),
    }
}

/// Words that may lead from a commit to what stands in its message or in what it changes.
#[rustfmt::skip]
const LEADS_OF_COMMITS: [&str; 22] = [
    "message", "subject", "title", "titled", "called", "the", "its", "is", "adds", "added", "removes", "removed", "changes",
    "changed", "introduces", "introduced", "line", "says", "reads", "with", "contains", "has",
];

/// The quotes and names that follow a commit at once.
fn said_of_commit(rest: &str) -> (Vec<String>, Vec<String>) {
    let first = first_quote(rest, 0..rest.len());
    let first = if rest.starts_with(['"', '`', '\u{201c}']) { 0 } else { first };
    let leads = words(&rest[..first]).all(|word| LEADS_OF_COMMITS.contains(&&*word) || LEADS.contains(&&*word));
    // A quote at the very beginning of a part is taken for its place.
    if leads { said(&format!(" {rest}"), 0..rest.len() + 1) } else { (Vec::new(), Vec::new()) }
}

/// The citations of a line that names files and pages.
fn of_places(line: &str, leading: Leading) -> Vec<Citation> {
    let mut found: Vec<Citation> = Vec::new();
    let first = places(line, 0..line.len());
    for part in parts(line) {
        match places(line, part.clone()) {
            Some(places) if first.is_some() => found.extend(with_words(line, part, places)),
            _ => {}
        }
    }
    if first.is_none() {
        found = in_a_sentence(line, leading);
    }
    found
}

/// A line of evidence that is a sentence: with one place, the words that follow it are said to stand there, whatever leads
/// to them, unless they are denied.
fn in_a_sentence(line: &str, leading: Leading) -> Vec<Citation> {
    let mut found = find(line);
    let place = found.first().map(|first| first.span.clone());
    let one_place = found.iter().all(|citation| Some(&citation.span) == place.as_ref());
    // Of several lines of one place the same is said.
    let (quotes, names) = match place.filter(|_| one_place && leading == Leading::Anyhow) {
        Some(place) => said_behind(line, place.end.min(line.len())),
        None => (Vec::new(), Vec::new()),
    };
    for citation in &mut found {
        if leading == Leading::Directly {
            citation.quotes.clear();
            citation.symbols.clear();
        } else if citation.quotes.is_empty() && citation.symbols.is_empty() {
            citation.quotes.clone_from(&quotes);
            citation.symbols.clone_from(&names);
        }
        citation.span = 0..0;
    }
    found
}

/// The quotes and names that a sentence leads to behind a place, unless they are denied.
fn said_behind(line: &str, place: usize) -> (Vec<String>, Vec<String>) {
    let until = first_quote(line, place..line.len());
    work::read(line.len() - place);
    let denied = words(&line[place..until]).any(|word| denies(&word) || tells(&word));
    if denied { (Vec::new(), Vec::new()) } else { said(line, place..line.len()) }
}

/// The place that a part of a line begins with, with what is said to stand there.
fn with_words(line: &str, part: Range<usize>, mut places: Vec<Citation>) -> Vec<Citation> {
    let (quotes, names) = said(line, part);
    for citation in &mut places {
        citation.quotes.clone_from(&quotes);
        citation.symbols.extend(names.iter().cloned());
    }
    places
}

/// What stands alone before the quotes of a part: a file, a link to one or a page.
fn places(line: &str, part: Range<usize>) -> Option<Vec<Citation>> {
    let head = &line[part.start..first_quote(line, part)];
    if let Some(target) = page(without_lead(head)) {
        return Some(vec![Citation::of(target)]);
    }
    let Written { path, lines, symbol } = alone(without_lead(head))?;
    let symbols: Vec<String> = symbol.into_iter().collect();
    let target = |lines| Target::File { path: path.clone(), lines };
    let targets = if lines.is_empty() { vec![target(None)] } else { lines.into_iter().map(Some).map(target).collect() };
    Some(targets.into_iter().map(|target| Citation { symbols: symbols.clone(), ..Citation::of(target) }).collect())
}

/// The parts of a line that begin with a place of their own: the first, and each behind the words of the one before it.
fn parts(line: &str) -> Vec<Range<usize>> {
    let mut parts = Vec::new();
    let mut start = 0;
    let mut quoted = false;
    for piece in pieces(line, 0..line.len()) {
        let names_a_place = match &piece.kind {
            Kind::Quote(_) | Kind::Source => false,
            Kind::Word => is_place(&line[bare(line, piece.span.clone())]),
            Kind::Code(inner) => is_place(&line[inner.clone()]),
            Kind::Link { target, .. } => is_place(&line[target.clone()]),
        };
        if names_a_place && quoted {
            parts.push(start..piece.span.start);
            (start, quoted) = (piece.span.start, false);
        }
        quoted |= !names_a_place && is_quote(&piece.kind) && piece.span.start > 0;
    }
    parts.push(start..line.len());
    parts
}

fn is_place(word: &str) -> bool {
    path::is_page(word) || path::read(word, Standing::Marked).is_some_and(|written| !written.lines.is_empty())
}

/// A line without the backticks around all of it.
pub(in super::super) fn without_ticks(line: &str) -> &str {
    let inner = line.trim_start_matches('`');
    let length = line.len() - inner.len();
    let whole = inner.strip_suffix(&line[..length]).filter(|inner| length > 0 && !inner.contains('`'));
    whole.unwrap_or(line).trim()
}

/// A line, and what a block of code below it quotes.
fn without_block(evidence: &str) -> (&str, Option<Cow<'_, str>>) {
    let mut at = 0;
    for line in evidence.split_inclusive('\n') {
        if at > 0
            && let Some(open) = opens(line, at..at + line.len())
        {
            let info = evidence[open.info.clone()].split_whitespace().next().unwrap_or_default();
            let body = &evidence[open.body_start..];
            let end = body.split_inclusive('\n').take_while(|line| !closes(line.trim_start(), &open)).map(str::len).sum();
            let body = body[..end].trim_matches('\n');
            let quoted = !matches!(info, "diff" | "patch" | "suggestion") && !body.trim().is_empty();
            return (evidence[..at].trim_end(), quoted.then(|| without_numbers(body)));
        }
        at += line.len();
    }
    (evidence, None)
}

/// Words that may lead from a place to what stands there.
const LEADS: [&str; 12] =
    ["reads", "says", "states", "contains", "shows", "has", "where", "with", "lautet", "enthält", "steht", "sagt"];

fn without_lead(head: &str) -> &str {
    let head = head.trim_end().trim_end_matches([':', ',', '-', '—', '(']).trim_end();
    LEADS.iter().find_map(|lead| head.strip_suffix(lead)).filter(|place| place.ends_with(' ')).unwrap_or(head)
}

/// Words between two quotes of one place.
const JOINTS: [&str; 8] = ["and", "then", "or", "plus", "und", "et", "y", "also"];

/// The quotes and the names that follow a place at once: what stands behind other words is somebody else's. One that is said
/// to be missing there is none.
fn said(line: &str, part: Range<usize>) -> (Vec<String>, Vec<String>) {
    let (mut quotes, mut names) = (Vec::new(), Vec::new());
    let marked: Vec<_> = pieces(line, part.clone())
        .into_iter()
        .filter(|piece| piece.span.start > part.start && is_quote(&piece.kind) && !is_marked_place(line, &piece.kind))
        .collect();
    let mut before: Option<usize> = None;
    for (at, piece) in marked.iter().enumerate() {
        let joined = before.is_none_or(|end| {
            let mut between = line[end..piece.span.start].split(|c: char| !c.is_alphanumeric());
            between.all(|word| word.is_empty() || JOINTS.contains(&word))
        });
        if !joined {
            break;
        }
        before = Some(piece.span.end);
        let next = marked.get(at + 1).map_or(part.end, |next| next.span.start);
        let (Kind::Quote(inner) | Kind::Code(inner)) = &piece.kind else { continue };
        let inner = line[inner.clone()].trim();
        if inner.is_empty() || is_said_to_be_missing(&line[piece.span.end..next]) {
            continue;
        }
        match piece.kind {
            Kind::Code(_) if is_name(inner) => names.push(inner.trim_end_matches("()").to_owned()),
            Kind::Code(_) if inner.len() <= 2 => {}
            _ => quotes.push(inner.to_owned()),
        }
    }
    (quotes, names)
}

/// Whether the words right behind a quote say that it is not there, or that it should be: `"lock()" is never called`. What
/// follows behind other words is no predicate of it: `"let n = 5;" could overflow`.
fn is_said_to_be_missing(behind: &str) -> bool {
    let words: Vec<_> = words(behind).take(4).collect();
    let words: Vec<&str> = words.iter().map(|word| &**word).collect();
    let parted = behind.trim_start().starts_with([',', ';', '.', ':', '-', '—', '(']);
    !parted
        && match words[..] {
            ["is" | "are" | "was" | "were" | "does" | "do" | "did" | "has" | "ist" | "wird", next, ..] => matches!(
                next,
                "missing"
                    | "absent"
                    | "gone"
                    | "removed"
                    | "expected"
                    | "needed"
                    | "required"
                    | "lacking"
                    | "never"
                    | "not"
                    | "nowhere"
                    | "nicht"
                    | "no"
            ),
            ["isn't" | "aren't" | "wasn't" | "doesn't" | "don't" | "fehlt", ..] => true,
            ["should" | "must" | "would" | "needs" | "ought", "be" | "to" | "have", next, ..] => matches!(
                next,
                "used" | "called" | "added" | "there" | "here" | "present" | "inserted" | "be" | "been" | "checked" | "run"
            ),
            _ => false,
        }
}

/// A path that stands alone before the quotes, perhaps with spaces in it.
fn alone(head: &str) -> Option<Written> {
    let head = head.trim().trim_end_matches([':', ',', '-', '—', '(']).trim().trim_matches('`');
    let words = head.split_whitespace().count();
    if head.starts_with('[')
        && let [piece] = &pieces(head, 0..head.len())[..]
        && let Kind::Link { label, target } = &piece.kind
    {
        return linked(&head[label.clone()], &head[target.clone()]);
    }
    path::read(head, Standing::Explicit).filter(|written| words == 1 || !written.lines.is_empty())
}

/// An address that stands alone before the quotes. What is named as evidence is looked at whatever it leads to: that a
/// page is on somebody's own machine is then found out, and said.
fn page(head: &str) -> Option<Target> {
    let url = head.trim().trim_end_matches([':', ',', '-', '—', '(']).trim().trim_matches(['<', '>', '`']);
    // Of another scheme is only said that it is not looked into: evidence that is named is never dropped.
    let address = url.split_once("://").is_some_and(|(scheme, _)| is_scheme(scheme) && scheme != "file");
    (address && !url.contains(char::is_whitespace)).then(|| Target::Page { url: url.to_owned() })
}

fn is_scheme(word: &str) -> bool {
    word.starts_with(|c: char| c.is_ascii_alphabetic())
        && word.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '+' | '-' | '.'))
}

/// Where the first quote of a part begins that is not the place itself.
fn first_quote(line: &str, part: Range<usize>) -> usize {
    pieces(line, part.clone())
        .into_iter()
        .find(|piece| is_quote(&piece.kind) && piece.span.start > part.start)
        .map_or(part.end, |piece| piece.span.start)
}

/// Whether words in marks are a place and no quote.
fn is_marked_place(line: &str, kind: &Kind) -> bool {
    matches!(kind, Kind::Code(inner) if path::read(line[inner.clone()].trim(), Standing::Marked).is_some())
}

fn is_quote(kind: &Kind) -> bool {
    matches!(kind, Kind::Quote(_) | Kind::Code(_))
}

/// `run NAME`: a command that the person allows, by its name alone.
fn command(evidence: &str) -> Option<Target> {
    let name = evidence.strip_prefix("run")?.strip_prefix(char::is_whitespace)?.trim().trim_matches(['`', '"']);
    let plain = !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '_'));
    plain.then(|| Target::Command { name: name.to_owned() })
}

/// The commits that a thing of a line begins with.
struct Commits<'a> {
    all: Vec<Citation>,
    /// Where what is said of the last of them begins.
    said: usize,
    /// What is named beside them by a word that joins it.
    beside: Option<&'a str>,
}

/// The hashes behind the word at the beginning of a text, and where they end: `commit HASH`, `commits HASH and HASH`.
fn hashes(evidence: &str) -> Option<(Vec<String>, usize)> {
    let rest = evidence.strip_prefix("commit")?;
    let rest = rest.strip_prefix('s').unwrap_or(rest).strip_prefix(char::is_whitespace)?;
    let mut at = evidence.len() - rest.len();
    let mut hashes = Vec::new();
    let (mut is_joined, mut end) = (true, at);
    for word in rest.split_inclusive(char::is_whitespace) {
        let trimmed = word.trim_end();
        match hash(trimmed).filter(|_| is_joined) {
            Some(hash) => {
                hashes.push(hash);
                is_joined = trimmed.ends_with(',');
                end = at + word.len();
            }
            None if !hashes.is_empty() && (JOINTS.contains(&trimmed) || trimmed == "&") => is_joined = true,
            None if trimmed.is_empty() => {}
            None => break,
        }
        at += word.len();
    }
    (!hashes.is_empty()).then_some((hashes, end))
}

fn hash(word: &str) -> Option<String> {
    let hash = without_marks(word);
    let is_hash = (7..=40).contains(&hash.len()) && hash.bytes().all(|b| b.is_ascii_hexdigit());
    is_hash.then(|| hash.to_lowercase())
}

fn without_marks(word: &str) -> &str {
    word.trim_matches(['`', ',', ';', '"', '(', ')', ':'])
}

/// `commit HASH`, `commit HASH path`, `commits HASH and HASH`, and what is named beside them.
fn commit(evidence: &str) -> Option<Commits<'_>> {
    let (mut hashes, end) = hashes(evidence)?;
    let last = hashes.pop()?;
    let behind = &evidence[end..];
    // The path stands in the words before the first quote.
    let first = first_quote(evidence, end.saturating_sub(1)..evidence.len());
    let words = evidence[end..first.max(end)].split_inclusive(char::is_whitespace);
    let (mut written, mut said) = (None, end);
    let mut start = end;
    for word in words.chain(evidence[first.max(end)..].split_inclusive(char::is_whitespace).take(1)) {
        if let Some(path) = path::read(without_marks(word.trim_end()), Standing::Explicit) {
            (written, said) = (Some(path), start + word.len());
            break;
        }
        start += word.len();
    }
    let has_lines = written.as_ref().is_some_and(|written| !written.lines.is_empty());
    let joined = behind.trim_start().split_once(char::is_whitespace).filter(|(word, _)| JOINTS.contains(word));
    let beside = joined.filter(|_| has_lines).map(|(_, beside)| beside);
    let target = |hash, path| Citation::of(Target::Commit { hash, path });
    let mut commits: Vec<Citation> = hashes.into_iter().map(|hash| target(hash, None)).collect();
    commits.push(target(last, written.map(|written| written.path)));
    // What is said of lines that are named beside it is said of these.
    let said = if beside.is_some() { evidence.len() } else { said };
    Some(Commits { all: commits, said, beside })
}

#[cfg(test)]
mod tests;
