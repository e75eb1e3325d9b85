//! Whether a sentence proposes what it leads to, or denies that this stands at its place.
//!
//! Code below a place, or behind a colon, is what stands there unless the sentence says otherwise. The words of a bug (`never
//! releases`, `is missing`, `could deadlock`) say nothing of the code: a proposal is told by its form, as a title (`suggested
//! fix for`), an order (`update … to`) or a wish (`should be`), and a denial by being said of the quote itself (`does not say`).
//! Where the form can mean both (`the improved version of`, `should be guarded`), nobody can tell.

use super::attach::{clause_of, goes_on_reading};
use super::words::{negates, placed_words, places, words};

/// Verbs by which somebody is asked to write something: what follows is to be, and is not yet.
#[rustfmt::skip]
const ASKING: [&str; 45] = [
    "run", "add", "insert", "append", "put", "write", "use", "try", "prefer", "call", "do", "return", "make", "set", "wrap",
    "surround", "guard", "update", "modify", "edit", "change", "rewrite", "replace", "turn", "convert", "move", "extract",
    "rename", "create", "introduce", "apply", "switch", "fix", "patch", "refactor", "verwende", "nutze", "schreibe", "ersetze",
    "ergänze", "utilise", "ajoute", "remplace", "usa", "añade",
];

/// Words before such a verb that leave it the head of its clause.
const LEADING: [&str; 9] = ["please", "then", "instead", "just", "simply", "rather", "better", "now", "also"];

/// Words before such a verb where nobody does it yet.
#[rustfmt::skip]
const UNDONE: [&str; 14] = [
    "to", "can", "could", "should", "would", "must", "may", "might", "let's", "us", "i'd", "we'd", "you'd", "i'll",
];

/// Words behind such a verb that make it a noun: `the use in src/a.rs`, `return type`.
const OF_A_NOUN: [&str; 10] = ["at", "in", "of", "on", "from", "type", "site", "sites", "value", "statement"];

/// Words of a title over what is proposed.
#[rustfmt::skip]
const TITLES: [&str; 50] = [
    "suggested", "suggestion", "suggestions", "suggest", "suggests", "propose", "proposes", "proposed", "proposal", "recommend",
    "recommends", "recommended", "recommendation", "fix", "fixed", "patch", "patched", "corrected", "correction", "improved",
    "improvement", "alternative", "rewritten", "refactored", "revised", "updated", "replacement", "remedy",
    "solution", "adding", "replacing", "introducing", "creating", "vorschlag", "vorgeschlagene", "korrigiert",
    "korrigierte", "korrektur", "lösung", "besser", "schlage", "proposition", "correction", "corrigé", "mieux", "sugerencia",
    "propuesta", "solución", "corregido", "mejor",
];

/// Those of them that are said of what was done already.
const MADE: [&str; 8] = ["fixed", "patched", "corrected", "improved", "rewritten", "refactored", "revised", "updated"];

/// Words behind the place of a title that say nothing of the code there.
#[rustfmt::skip]
const OF_A_TITLE: [&str; 27] = [
    "is", "are", "was", "would", "be", "looks", "look", "like", "this", "so", "as", "follows", "below", "now", "then", "the",
    "following", "reads", "says", "do", "ist", "lautet", "est", "es", "line", "lines", "to",
];

/// Words for a change that was made, behind `after`.
#[rustfmt::skip]
const CHANGE: [&str; 14] = [
    "change", "changes", "fix", "patch", "edit", "refactoring", "refactor", "rewrite", "fixed", "changed", "patched", "applied",
    "änderung", "correction",
];

/// Words of a wish in other languages, wherever they stand.
#[rustfmt::skip]
const WISHING: [&str; 33] = [
    "sollte", "sollten", "würde", "würden", "könnte", "könnten", "anlegen", "erstellen", "hinzufügen", "ersetzen",
    "umbenennen", "vorschlagen", "statt", "stattdessen", "devrait", "devraient", "faudrait", "serait", "pourrait", "ajouter",
    "remplacer", "renommer", "debería", "deberían", "habría", "podría", "añadir", "agregar", "reemplazar", "renombrar",
    "propongo", "deveria", "dovrebbe",
];

/// Verbs that lead to what is written.
#[rustfmt::skip]
const SAYING: [&str; 22] = [
    "say", "says", "read", "reads", "contain", "contains", "state", "states", "show", "shows", "have", "has", "look", "looks",
    "like", "mention", "mentions", "include", "includes", "hold", "holds", "there",
];

/// Where the words around a place lead.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Leads {
    /// To what stands there.
    There,
    /// Nobody can tell.
    Perhaps,
    /// To something that does not stand there.
    Elsewhere,
}

/// Where the words around a place lead. `behind` is what stands between the place and what it leads to.
pub(super) fn leads(before: &str, behind: &str) -> Leads {
    // `…, but it says`
    let further = clause_of(behind);
    if further.len() < behind.len() && goes_on_reading(further) {
        return Leads::There;
    }
    let clause = last_clause(before, behind);
    let (lead, own): (Vec<_>, Vec<_>) = (words(clause).collect(), words(behind).collect());
    let lead: Vec<&str> = lead.iter().map(|word| &**word).collect();
    let own: Vec<&str> = own.iter().map(|word| &**word).collect();
    let arrow = || behind.rsplit_once('→').is_some_and(|(_, last)| orders(last));
    let ordered = || orders(clause) || (behind.trim_start().starts_with(',') && orders(behind)) || arrow();
    if denies_the_quote(&lead, &own) || is_title(&lead, &own) || is_wished(&lead) || is_wished_behind(&own) || ordered() {
        Leads::Elsewhere
    } else if may_be_a_title(&lead, &own) || may_be_wished_behind(&own) {
        Leads::Perhaps
    } else {
        Leads::There
    }
}

/// Whether somebody says, in the clause before some words, that these should be there: `I expected`.
pub(super) fn is_wished_for(before: &str) -> bool {
    let lead: Vec<_> = words(behind_a_reason(clause_of(before))).collect();
    let lead: Vec<&str> = lead.iter().map(|word| &**word).collect();
    is_wished(&lead)
}

/// Whether a clause asks somebody to write something: `Update X to`, `At X, call`.
fn orders(text: &str) -> bool {
    asked(text).any(|asked| asked.heads)
}

/// A verb that asks somebody to write something.
pub(super) struct Asked {
    /// Where it stands.
    pub(super) at: usize,
    /// Whether it is the head of a clause, and no wish behind `to` or `should`.
    pub(super) heads: bool,
}

/// What is made for a place, or comes of it, and does not stand there.
#[rustfmt::skip]
const BESIDE: [&str; 13] = [
    "test", "output", "log", "logs", "reproduction", "repro", "reproducer", "config", "query", "benchmark", "result", "example",
    "usage",
];

/// Words of a title over something that is to be, or to be done.
const OTHERWISE: [&str; 11] = [
    "instead",
    "reproduce",
    "reproduction",
    "repro",
    "safer",
    "expected",
    "consider",
    "workaround",
    "suggestion",
    "suggested",
    "stattdessen",
];

/// Words of a title over what comes of the code, or of a place, and may be printed there or not.
#[rustfmt::skip]
const COMING_OF: [&str; 26] = [
    "concept", "response", "request", "input", "curl", "panic", "message", "error", "errors", "trace", "stack", "dump",
    "command", "commands", "ran", "run", "shell", "terminal", "scenario", "attack", "exploit", "beispiel", "ausgabe",
    "exemple", "ejemplo", "call",
];

/// Where a title leads that is a sentence of its own behind that of a place: `It reads:`, `Instead:`, `Output:`.
pub(super) fn title_leads(sentence: &str) -> Leads {
    let own: Vec<_> = words(sentence).collect();
    let any = |list: &[&str]| own.iter().any(|word| list.contains(&&**word));
    let few = own.len() <= 5 && sentence.trim_end().ends_with(':');
    match leads(sentence, "") {
        Leads::There if any(&COMING_OF) && few => Leads::Perhaps,
        Leads::There if any(&SAYING) || any(&["existing", "current", "actual"]) || !few => Leads::There,
        Leads::There if any(&OTHERWISE) => Leads::Elsewhere,
        Leads::There if any(&BESIDE) => Leads::Perhaps,
        told => told,
    }
}

/// The verbs of a text that ask somebody to write something: at the head of a clause, or behind a word such as `to`.
pub(super) fn asked(text: &str) -> impl Iterator<Item = Asked> {
    let mut all = placed_words(text).peekable();
    let mut last: Option<(String, bool)> = None;
    std::iter::from_fn(move || {
        while let Some((at, word)) = all.next() {
            let next = all.peek().map(|(_, next)| &**next);
            let earlier = text[..at].trim_end_matches(|c: char| c.is_whitespace() || matches!(c, '*' | '_'));
            let begins = earlier.is_empty() || earlier.ends_with([',', ':', ';', '.', '(', '—', '-']);
            let led = |how: &[&str]| {
                last.as_ref().is_some_and(|(last, begins)| how.contains(&&**last) && (last != "to" || !begins))
            };
            let (heads, undone) = (begins || led(&LEADING), led(&UNDONE));
            let asks = ASKING.contains(&&*word) && !is_something_else(&word, next) && (heads || undone);
            last = Some((word.into_owned(), begins));
            if asks {
                return Some(Asked { at, heads });
            }
        }
        None
    })
}

/// `the use in src/a.rs`, `return type`: a noun; `make no mistake`, `do note that`: an order to take heed.
fn is_something_else(word: &str, next: Option<&str>) -> bool {
    let Some(next) = next else { return false };
    match word {
        "add" | "insert" | "put" | "write" | "fix" | "edit" | "append" => false,
        "make" => matches!(next, "no" | "sure"),
        "do" => !matches!(next, "this" | "that" | "it" | "so" | "the" | "a" | "instead"),
        "return" | "turn" | "move" if next == "to" => true,
        _ => OF_A_NOUN.contains(&next),
    }
}

/// The clause that a place stands in, as far as it stands before it. A title may be parted from its place by a mark (`Fix: X:`),
/// a sentence is not (`Use it: X says`). What is told as a reason is no part of what is asked for.
fn last_clause<'a>(before: &'a str, behind: &str) -> &'a str {
    let bare = before.trim_end_matches(|c: char| !c.is_alphanumeric());
    if before[bare.len()..].contains([':', '—', '–']) && words(behind).next().is_some() {
        return "";
    }
    behind_a_reason(clause_of(bare))
}

/// What stands behind the last word that gives a reason or leads to a place: `you should change it because`.
pub(super) fn behind_a_reason(clause: &str) -> &str {
    let gives =
        |word: &str| matches!(word, "because" | "since" | "where" | "when" | "while" | "see" | "weil" | "da" | "car");
    let last = placed_words(clause).filter(|(_, word)| gives(word)).last();
    last.map_or(clause, |(at, _)| &clause[at..])
}

/// `Suggested fix for`, `After`, `the new`: the words before a place announce what it is to be.
fn is_title(lead: &[&str], own: &[&str]) -> bool {
    let bare = own.iter().all(|word| OF_A_TITLE.contains(word));
    let titled = lead.iter().take(4).take_while(|word| !negates(word) && !matches!(**word, "needs" | "need" | "is"));
    // `The fix at X reads` speaks of one that was made.
    let made = matches!(lead, ["the", _, "at" | "in"]) && !own.is_empty();
    // `The updated code at X is`: so is what was updated.
    let made = made || (lead.first() == Some(&"the") && !own.is_empty() && lead.iter().any(|word| MADE.contains(word)));
    let better = matches!(lead, ["better" | "besser" | "mieux" | "mejor", ..]) && lead.len() <= 4 && !lead.contains(&"look");
    let titled = bare && !made && (better || titled.into_iter().any(|word| TITLES.contains(word)));
    let after = |words: &[&str]| match words {
        ["after" | "nachher" | "après" | "después"] => true,
        ["after" | "once" | "nach" | "with", rest @ ..] if rest.len() <= 3 => rest.iter().any(|word| CHANGE.contains(word)),
        _ => false,
    };
    let new = matches!(
        lead,
        [.., "new" | "neue" | "neues" | "nouveau" | "nuevo"]
            | [.., "new", "version" | "implementation" | "body" | "variant" | "code", "of" | "for"]
    );
    // `Here's a test that covers X`, `For X I wrote this test`: made for the place, and not from there.
    let a_test = |three: &[&str]| {
        matches!(three[0], "a" | "an" | "my")
            && BESIDE.contains(&three[1])
            && matches!(three[2], "for" | "that" | "when" | "to")
    };
    let wrote = matches!(own, ["i" | "we", .., last] if BESIDE.contains(last));
    let made_for = wrote || (!is_placed(lead) && lead.windows(3).any(a_test));
    titled || (bare && after(lead)) || after(own) || (new && bare) || made_for
}

/// Whether a place is led to as one: `the test for it is in X`, `the updated line X`.
fn is_placed(lead: &[&str]) -> bool {
    lead.last().is_some_and(|word| matches!(*word, "at" | "in" | "from" | "line" | "lines"))
}

/// `The improved version of`, `a better variant of`, `something like this in`, `the config that X sets`: what follows may be what
/// stands there, or what is to stand there, or what comes of it.
fn may_be_a_title(lead: &[&str], own: &[&str]) -> bool {
    let reads = own.iter().any(|word| matches!(*word, "reads" | "says" | "contains" | "has"));
    let vague = lead.windows(2).any(|two| matches!(two, ["something", "like" | "along"] | ["these", "lines"]));
    let better =
        lead.iter().any(|word| matches!(*word, "better" | "nicer" | "cleaner" | "simpler")) && !lead.contains(&"look");
    let made = lead.iter().any(|word| MADE.contains(word));
    let named = lead.iter().position(|word| BESIDE.contains(word));
    let beside = named.is_some_and(|at| lead[at..].iter().any(|word| matches!(*word, "for" | "that" | "when" | "to")));
    vague || (!is_placed(lead) && !reads && (better || made || beside))
}

/// `I would write`, `one could have`, `we need to use`: somebody says what should be there.
fn is_wished(lead: &[&str]) -> bool {
    let modal = |word: &str| matches!(word, "would" | "should" | "could" | "might" | "can");
    let making =
        |word: &str| ASKING.contains(&word) || matches!(word, "have" | "expect" | "like" | "want" | "propose" | "be");
    let somebody = |word: &str| matches!(word, "i" | "we" | "you" | "one");
    let wishes =
        |word: &str| matches!(word, "expect" | "expected" | "propose" | "suggest" | "recommend" | "want" | "prefer");
    let three = lead.windows(3).any(|three| match three {
        [who, how, verb] if somebody(who) => modal(how) && making(verb),
        ["need" | "needs" | "want" | "have" | "ought" | "how" | "like", "to", verb] => ASKING.contains(verb),
        _ => false,
    });
    let two = lead.windows(2).any(|two| match two {
        ["i'd" | "we'd" | "you'd" | "it'd", verb] => making(verb),
        ["i" | "we", verb] => wishes(verb),
        _ => false,
    });
    three || two || lead.iter().any(|word| WISHING.contains(word) || matches!(*word, "imagine" | "suppose"))
}

/// `becomes`, `should be`, `would then read`: what is said of the place is what it is to be.
fn is_wished_behind(own: &[&str]) -> bool {
    let passing = |word: &&str| matches!(*word, "then" | "now" | "really" | "probably" | "thus" | "simply");
    let own: Vec<&str> = own.iter().copied().filter(|word| !passing(word)).collect();
    let denied = own.iter().any(|word| negates(word) || *word == "but");
    let ended = |word: Option<&&str>| word.is_none_or(|word| matches!(*word, "like" | "this" | "so" | "as" | "something"));
    let wished = match &own[..] {
        ["becomes" | "become", ..] => true,
        ["needs" | "need" | "wants" | "deserves", ..] => !denied,
        // `must be wrong`, `should be changed` say nothing of what is to stand there.
        ["should" | "must", "be", how, rest @ ..] => {
            !denied && (ended(Some(how)) || rest.iter().any(|word| matches!(*word, "by" | "with" | "as" | "to" | "like")))
        }
        ["should" | "ought" | "must", next, ..] => !denied && (*next != "have" || own.get(2) == Some(&"been")),
        _ => false,
    };
    let modal = |word: &str| matches!(word, "would" | "could" | "might" | "may" | "can" | "should" | "must");
    let to_be = (1..own.len()).any(|at| modal(own[at - 1]) && is_being(own[at]) && ended(own.get(at + 1)));
    wished || to_be || own.iter().any(|word| WISHING.contains(word))
}

/// `should be guarded`: what follows may be that which is to change, or what it is to become. `must be wrong` is said of the code.
fn may_be_wished_behind(own: &[&str]) -> bool {
    let judged =
        |word: &&str| matches!(*word, "wrong" | "false" | "incorrect" | "broken" | "noted" | "read" | "seen" | "the");
    matches!(own, ["should" | "must" | "could" | "can", "be", how, ..] if !judged(how) && !negates(how))
}

fn is_being(word: &str) -> bool {
    matches!(word, "be" | "become" | "read" | "look" | "say" | "do" | "go" | "use" | "call" | "return" | "help" | "work")
}

/// `does not say`, `is missing`, `nothing like this in`: it is denied that the words stand there.
fn denies_the_quote(lead: &[&str], own: &[&str]) -> bool {
    let passing =
        |word: &&&str| matches!(**word, "is" | "are" | "still" | "also" | "simply" | "entirely" | "clearly" | "does");
    let said = |words: &[&str]| words.last().is_some_and(|word| SAYING.contains(word));
    let none = matches!(lead, ["no" | "nothing" | "nowhere" | "neither" | "none" | "never" | "not", ..]);
    let placed = |word: Option<&&str>| word.is_none_or(|word| places(word));
    let lacking = match own {
        [] => match lead {
            ["missing" | "nowhere" | "not" | "absent" | "fehlt", rest @ ..] => placed(rest.first()),
            ["what's" | "what", rest @ ..] => rest.iter().take(2).any(|word| negates(word)),
            ["nothing", "like", ..] | [.., "no" | "not" | "never", "such", _] | ["no", "such", ..] => true,
            _ => false,
        },
        [.., last] => negates(last) && own[..own.len() - 1].iter().filter(|word| !passing(word)).count() == 0,
    };
    let near = &own[own.len().saturating_sub(3)..];
    lacking || (said(own) && (none || near.iter().any(|word| negates(word))))
}

#[cfg(test)]
mod tests;
