//! The structured tail of a statement: lines after `--- claims`.
//!
//! Nothing of it is lost: what cannot be read as an item is prose of the statement, and looked up there.

mod headings;
mod json;
mod keys;

use std::collections::BTreeMap;

use super::citation::{closes, find_in_evidence, opens};
use super::{Claim, ClaimId};
use headings::{Heading, headings};
pub(super) use headings::{Lists, Split, split};
use keys::{Key, Keyed, bullet, is_something_else, keyed, unlisted};

/// What the tail says.
#[derive(Debug, Default)]
pub(super) struct Tail {
    pub(super) claims: Vec<Claim>,
    pub(super) concessions: Vec<Concession>,
    /// Evidence that stands below no claim. It is told in the prose too.
    pub(super) evidence: Vec<String>,
    /// The lines that are no items, as they were written.
    pub(super) prose: String,
}

/// A concession of the tail.
#[derive(Debug)]
pub(super) struct Concession {
    /// What is said to stand in the prose.
    pub(super) quote: String,
    /// The claims that it concedes.
    pub(super) claims: Vec<ClaimId>,
}

/// Reads the tail's lines. A line that begins no item goes on with the one before it, where it can be told to belong there;
/// else it is prose, as everything is behind a blank line.
pub(super) fn read(split: &Split<'_>) -> Tail {
    let mut reader = Reader { in_fence: split.in_fence, ..Reader::default() };
    let mut from = 0;
    for heading in headings(split.lines).into_iter().filter(Heading::heads_another) {
        reader.list(&split.lines[from..heading.span.start]);
        reader.line("");
        from = heading.span.end;
    }
    reader.list(&split.lines[from..]);
    reader.tail()
}

/// An item of the list while it is read.
struct Item {
    key: Key,
    id: Option<ClaimId>,
    value: String,
    /// How far its line is set in.
    indent: usize,
    /// Whether its line has nothing but the word, and a list of its own may follow.
    heads_a_list: bool,
}

/// What the next line can go on with.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
enum Open {
    /// The last item.
    Item,
    /// Prose, or nothing.
    #[default]
    Prose,
}

#[derive(Default)]
struct Reader {
    items: Vec<Item>,
    prose: Vec<String>,
    open: Open,
    in_fence: bool,
    /// Whether the last claim says anything: what stands below none is told in the prose.
    has_claim: bool,
    /// Whether any claim begins with a word for it, and not with its id alone.
    has_words_of_claims: bool,
}

impl Reader {
    /// The lines of one list.
    fn list(&mut self, lines: &str) {
        let mut rest = lines;
        if let Some(json::Listed { items, prose, behind }) = json::listed(rest) {
            for item in items {
                let (line, block) = item.split_once('\n').map_or((&*item, None), |(line, block)| (line, Some(block)));
                self.line(line);
                if let Some(block) = block {
                    self.block(block);
                }
            }
            self.line("");
            // Each is said by itself: no words are quoted from a place that another one names.
            for words in prose {
                words.lines().for_each(|line| self.say(line));
                self.prose.push(String::new());
            }
            rest = behind;
        }
        let mut blocks = Blocks::default();
        while !rest.is_empty() {
            let (line, behind) = rest.split_once('\n').unwrap_or((rest, ""));
            let closing = self.in_fence && unlisted(line).0.is_empty() && !line.trim().is_empty();
            if let Some(block) = blocks.first_of(rest).filter(|_| !closing) {
                self.block(&rest[..block]);
                rest = &rest[block..];
            } else {
                self.line(line);
                rest = behind;
            }
        }
    }

    /// A block of code that is closed: below evidence it is what stands there.
    fn block(&mut self, block: &str) {
        match self.items.last_mut() {
            Some(item) if item.key == Key::Evidence && self.open == Open::Item => {
                item.value.push('\n');
                item.value.push_str(block.trim());
                if !self.has_claim {
                    self.prose.extend(block.lines().map(str::to_owned));
                }
            }
            _ => {
                // What is listed in another form is no code: citations in it count.
                let info = block.lines().next().unwrap_or_default().trim().trim_matches(['`', '~']).trim();
                let is_list = matches!(info, "" | "text" | "txt" | "json" | "yaml" | "yml" | "markdown" | "md" | "csv");
                let lines = block.trim_end().lines();
                let inner = lines.clone().count().saturating_sub(2);
                self.begin_prose();
                if is_list {
                    self.prose.extend(lines.skip(1).take(inner).map(str::to_owned));
                } else {
                    self.prose.extend(lines.map(str::to_owned));
                }
            }
        }
    }

    fn line(&mut self, raw: &str) {
        let (line, bare) = unlisted(raw);
        if opens(raw, 0..raw.len()).is_some() && keyed(bare).is_none() {
            // The list's own fence; what is said in its line is prose.
            self.in_fence = !self.in_fence;
            self.open = if self.in_fence { self.open } else { Open::Prose };
            if !line.chars().all(|c| c.is_alphanumeric() || matches!(c, '-' | '+' | '#' | '_')) {
                self.say(raw.trim_start_matches([' ', '`', '~']));
            }
        } else if raw.trim().is_empty() {
            let waits = self.items.last().is_some_and(|item| item.value.is_empty() || item.heads_a_list);
            if self.open == Open::Prose {
                self.prose.push(String::new());
            } else if !waits {
                self.open = Open::Prose;
            }
        } else if let Some(found) = keyed(bare).filter(|found| !found.by_id_alone || self.takes_ids_alone()) {
            self.begin(&found, raw);
        } else {
            self.go_on(raw, line, bare);
        }
    }

    /// Whether `P1.2: …` begins a claim: in the list, and behind a gap in it where claims begin so.
    fn takes_ids_alone(&self) -> bool {
        self.open == Open::Item || !self.has_words_of_claims
    }

    /// Begins an item, or several: `claim: a | evidence: src/pool.rs:9`.
    fn begin(&mut self, found: &Keyed<'_>, raw: &str) {
        let indent = raw.len() - raw.trim_start().len();
        for (place, (key, id, value)) in in_one_line(found).into_iter().enumerate() {
            let heads_a_list = value.is_empty();
            if key == Key::Claim {
                self.has_claim = !heads_a_list;
                self.has_words_of_claims |= !found.by_id_alone;
            }
            // Below no claim an attack attacks nothing, and evidence is the statement's; an attack is its ids alone.
            let is_loose = match key {
                Key::Evidence => id.is_none() && !self.has_claim && !is_none(&value),
                Key::Attacks => !heads_a_list && (!self.has_claim || !is_ids_alone(&value)),
                Key::Claim | Key::Concede => false,
            };
            if is_loose && place == 0 {
                let attacks = key == Key::Attacks && self.has_claim;
                self.say(behind_ids(&value).filter(|_| attacks).unwrap_or(raw));
            }
            self.items.push(Item { key, id, value, indent, heads_a_list });
        }
        self.open = Open::Item;
    }

    /// A line that begins no item.
    fn go_on(&mut self, raw: &str, line: &str, bare: &str) {
        let listed = bullet(raw);
        let Some(item) = self.items.last_mut().filter(|_| self.open == Open::Item && !is_something_else(bare)) else {
            return self.say(raw);
        };
        let key = item.key;
        let is_loose = match key {
            Key::Evidence => !self.has_claim,
            Key::Attacks => !self.has_claim || !is_ids_alone(bare),
            Key::Claim | Key::Concede => false,
        };
        match listed {
            _ if item.value.is_empty() => listed.unwrap_or(line).clone_into(&mut item.value),
            Some(text) if item.heads_a_list || (key == Key::Evidence && begins_with_a_place(text)) => {
                let (value, indent, heads_a_list) = (text.to_owned(), item.indent, item.heads_a_list);
                self.items.push(Item { key, id: None, value, indent, heads_a_list });
            }
            None if is_continued(item, raw, line) => {
                item.value.push(' ');
                item.value.push_str(line);
            }
            _ => return self.say(raw),
        }
        self.has_claim |= key == Key::Claim;
        if is_loose {
            self.prose.push(raw.trim_end().to_owned());
        }
    }

    /// A line that is prose.
    fn say(&mut self, raw: &str) {
        self.begin_prose();
        self.prose.push(raw.trim_end().to_owned());
    }

    fn begin_prose(&mut self) {
        if self.open == Open::Item {
            self.prose.push(String::new());
        }
        self.open = Open::Prose;
    }

    fn tail(self) -> Tail {
        let mut tail = Tail { prose: self.prose.join("\n").trim_matches('\n').trim_end().to_owned(), ..Tail::default() };
        let mut current: Option<usize> = None;
        let mut by_id: BTreeMap<ClaimId, usize> = BTreeMap::new();
        for item in self.items {
            let value = item.value.trim();
            match item.key {
                Key::Claim => {
                    current = (!value.is_empty()).then_some(tail.claims.len());
                    if let Some(number) = current {
                        let (id, text) = item.id.map_or_else(|| own_id(value, number + 1), |id| (Some(id), value));
                        by_id.extend(id.map(|id| (id, number)));
                        tail.claims.push(Claim { text: text.to_owned(), ..Claim::default() });
                    }
                }
                Key::Evidence if names_nothing(value) => {}
                Key::Evidence => {
                    let meant = item.id.and_then(|id| by_id.get(&id).copied()).or(current);
                    match meant.and_then(|number| tail.claims.get_mut(number)) {
                        Some(claim) => claim.evidence.push(value.to_owned()),
                        None => tail.evidence.push(value.to_owned()),
                    }
                }
                Key::Attacks => {
                    if let Some(claim) = current.and_then(|number| tail.claims.get_mut(number)) {
                        claim.attacks.extend(ids(value));
                    }
                }
                Key::Concede if is_none(value) => {}
                Key::Concede => {
                    let (concession, beside) = concession(value);
                    if !find_in_evidence(&beside).is_empty() {
                        tail.evidence.push(beside);
                    }
                    tail.concessions.push(concession);
                }
            }
        }
        tail
    }
}

/// `P1.2: it leaks` as the second claim has its own id before it; before another it says whose claim it speaks of, and stays.
fn own_id(text: &str, number: usize) -> (Option<ClaimId>, &str) {
    let Some((head, rest)) = text.split_once([':', '\u{ff1a}']) else { return (None, text) };
    let id = id(head.trim_matches(['*', '_', '`', '[', ']', '(', ')', ' ']));
    let is_own = id.as_ref().is_some_and(|id| id.as_str().rsplit_once('.').is_some_and(|(_, n)| n == number.to_string()));
    if is_own { (id, rest.trim_start_matches(['*', '_', '`']).trim()) } else { (None, text) }
}

/// What an attack says behind the claims that it names: these are entered, and only the rest is prose.
fn behind_ids(value: &str) -> Option<&str> {
    let parts = value.split_inclusive(|c: char| c.is_whitespace() || c == ',' || c == ';');
    let named = parts.take_while(|part| is_ids_alone(part)).map(str::len).sum();
    (named > 0).then(|| &value[named..]).filter(|rest| !rest.is_empty())
}

/// Whether a line names claims and says nothing of them.
fn is_ids_alone(text: &str) -> bool {
    let mut words = text.split(|c: char| c.is_whitespace() || c == ',' || c == ';').filter(|word| !word.is_empty());
    words.all(|word| id(word).is_some() || matches!(word, "and" | "und" | "&") || is_none(word))
}

/// Whether a line goes on with an item: one that is set in further or ends a quotation does. What is said at the line's
/// beginning in a sentence of its own is no part of evidence or of a concession.
fn is_continued(item: &Item, raw: &str, line: &str) -> bool {
    let set_in = raw.len() - raw.trim_start().len() > item.indent;
    let in_quotation = item.value.matches('"').count() % 2 == 1
        || item.value.matches('\u{201c}').count() > item.value.matches('\u{201d}').count();
    item.key == Key::Claim || set_in || in_quotation || !line.starts_with(char::is_uppercase)
}

/// Whether an item of a list is evidence by itself.
fn begins_with_a_place(text: &str) -> bool {
    let first = text.split_whitespace().next().unwrap_or_default().trim_matches(['`', '*', '"', '(', '[']);
    let is_named = matches!(first, "commit" | "commits" | "grep" | "rg" | "run");
    (is_named || first.contains(['/', '.', ':', '#'])) && !find_in_evidence(text).is_empty()
}

/// The longest fence that opens a block. Nobody writes longer ones.
const LONGEST_FENCE: usize = 16;

/// The blocks of code of a list.
#[derive(Default)]
struct Blocks {
    /// For a fence, by its mark and length, up to where none closes it: how much of the text is left there. Without that, each
    /// of many fences that nobody closes would be looked for through all of the list.
    unclosed: BTreeMap<(char, usize), usize>,
}

impl Blocks {
    /// The length of a block of code that what is left of the list begins with, up to its closing fence. A list that stands
    /// in a fence of its own has only the closing one.
    fn first_of(&mut self, text: &str) -> Option<usize> {
        let (opening, body) = text.split_once('\n')?;
        let open = opens(opening, 0..opening.len()).filter(|open| open.length <= LONGEST_FENCE)?;
        let fence = (open.mark, open.length);
        if self.unclosed.get(&fence).is_some_and(|left| text.len() > *left) {
            return None;
        }
        let mut at = opening.len() + 1;
        for line in body.split_inclusive('\n') {
            if keyed(unlisted(line).1).is_some() {
                break;
            }
            at += line.len();
            if closes(line.trim_start(), &open) {
                return Some(at);
            }
        }
        self.unclosed.insert(fence, text.len() - at);
        None
    }
}

/// `claim: a | evidence: src/pool.rs:9`: several items in one line.
fn in_one_line(found: &Keyed<'_>) -> Vec<(Key, Option<ClaimId>, String)> {
    let mut items: Vec<(Key, Option<ClaimId>, String)> = Vec::new();
    for (place, part) in found.value.split(" | ").enumerate() {
        match (keyed(part.trim()).filter(|_| place > 0), items.last_mut()) {
            (Some(next), _) => items.push((next.key, next.id, next.value.into_owned())),
            (None, Some((.., value))) => {
                value.push_str(" | ");
                value.push_str(part);
            }
            (None, None) => items.push((found.key, found.id.clone(), part.to_owned())),
        }
    }
    items
}

/// Whether a line of evidence says that there is none, and names none: `none of the tests cover it, see src/a.rs:9` does.
fn names_nothing(value: &str) -> bool {
    // One word is no place, though it may look like one: `n/a`.
    is_none(value) && (!value.contains(char::is_whitespace) || find_in_evidence(value).is_empty())
}

/// Words with which a speaker says that there is nothing: `none`, `None (opinion)`, `keine`, `I have no evidence`.
fn is_none(value: &str) -> bool {
    const NONE: [&str; 14] = [
        "none",
        "n/a",
        "na",
        "nil",
        "null",
        "nothing",
        "unproven",
        "unsupported",
        "keine",
        "keiner",
        "nichts",
        "aucune",
        "ninguna",
        "nessuna",
    ];
    let value = value.trim_matches(|c: char| !c.is_alphanumeric()).to_lowercase();
    let value = value.replace('’', "'");
    let first = value.split(['(', ',', ';', ':', '—']).next().unwrap_or_default().trim_end_matches([' ', '-', '.']);
    let first = first.split(" - ").next().unwrap_or_default();
    let denied = ["no evidence", "without evidence", "i have no", "none ", "keine belege", "kein beleg"];
    value.is_empty() || NONE.contains(&first) || denied.iter().any(|lead| first.starts_with(lead))
}

/// The ids of claims in a text.
fn ids(text: &str) -> impl Iterator<Item = ClaimId> {
    text.split(|c: char| c.is_whitespace() || c == ',' || c == ';').filter_map(id)
}

fn id(word: &str) -> Option<ClaimId> {
    ClaimId::read(word.trim_matches(['(', ')', '[', ']', ':', '.', '\u{2014}', '\u{2013}']))
}

/// `C1.2 "I concede that …"`: the ids stand outside of the quotation marks, or before the words where there are no marks.
///
/// What else is said beside the words is given too: it may name evidence.
fn concession(value: &str) -> (Concession, String) {
    let marks = ['"', '\u{201c}', '\u{201d}'];
    match (value.find(marks), value.rfind(marks)) {
        (Some(open), Some(close)) if open < close => {
            let outside = format!("{} {}", &value[..open], &value[close..].trim_start_matches(marks));
            let quote = unquoted(&value[open..close]).replace("\\\"", "\"");
            (Concession { quote, claims: ids(&outside).collect() }, value[close..].trim_start_matches(marks).to_owned())
        }
        _ => {
            let words = value.split_inclusive(|c: char| c.is_whitespace() || c == ',' || c == ';');
            let between = |word: &str| word == "and" || !word.contains(char::is_alphanumeric);
            let is_lead = |word: &&str| id(word.trim_end_matches([',', ';', ' '])).is_some() || between(word.trim());
            let lead: usize = words.take_while(is_lead).map(str::len).sum();
            let claims: Vec<ClaimId> = ids(&value[..lead]).collect();
            let quote = if claims.is_empty() { value } else { &value[lead..] };
            (Concession { quote: unquoted(quote).to_owned(), claims }, String::new())
        }
    }
}

fn unquoted(value: &str) -> &str {
    value.trim_matches(['"', '\u{201c}', '\u{201d}', ' '])
}

#[cfg(test)]
mod tests;
