//! The sentences in which a speaker gives something up, or takes that back.

use super::by_id::ids_called_false;
use super::own::ids_withdrawn;
use crate::claims::ClaimId;

/// Sentences of a text that begin with a plain concession. What is quoted of others is none, and neither is one that
/// concedes nothing.
pub(super) fn spoken_in(body: &str) -> Vec<String> {
    sentences(body).filter(|sentence| concedes(sentence)).map(in_one_line).collect()
}

/// A sentence in one line, without marks of emphasis, of which it may have one half.
fn in_one_line(sentence: &str) -> String {
    let words = sentence.replace("**", "").replace("__", "");
    words.lines().map(str::trim).collect::<Vec<_>>().join(" ")
}

/// The claims that sentences of a text plainly call false.
pub(in crate::claims) fn called_false_in(body: &str) -> Vec<ClaimId> {
    sentences(body).flat_map(ids_called_false).collect()
}

/// The claims that sentences of a text give up where they are the speaker's own.
pub(in crate::claims) fn withdrawn_in(body: &str) -> Vec<ClaimId> {
    sentences(body)
        .filter(|sentence| !is_taking_back(sentence))
        .flat_map(|sentence| ids_withdrawn(sentence, concedes(sentence)))
        .collect()
}

/// Sentences of a text in which its speaker takes an earlier concession back: they concede nothing, they do the contrary.
pub(in crate::claims) fn taken_back_in(body: &str) -> Vec<&str> {
    sentences(body).filter(|sentence| is_taking_back(sentence)).collect()
}

fn is_taking_back(sentence: &str) -> bool {
    takes_back(&plain_small(sentence))
}

fn concedes(sentence: &str) -> bool {
    let sentence = plain_small(sentence);
    !takes_back(&sentence) && (gives_up(&sentence) || behind_a_lead(&sentence).into_iter().flatten().any(gives_up))
}

/// The words of a sentence in small letters, without what marks them.
fn plain_small(sentence: &str) -> String {
    in_one_line(sentence).replace('\u{2019}', "'").to_lowercase()
}

/// What stands behind a few words and a comma, or behind what is spoken of: `On TLS, I concede.`, `P1.1: conceded.` A condition
/// is no concession.
fn behind_a_lead(sentence: &str) -> [Option<&str>; 2] {
    const CONDITIONS: [&str; 14] =
        ["if", "unless", "when", "once", "until", "before", "should", "were", "that", "says", "said", "wenn", "falls", "si"];
    let is_lead = |lead: &str| {
        let mut words = lead.split_whitespace();
        let few = words.clone().count() <= 5 && !lead.contains(['"', '\u{201c}', ':']);
        few && !words.any(|word| CONDITIONS.contains(&word))
    };
    let names_a_claim = |lead: &str| words_with_dots(lead).any(|word| ClaimId::read(word).is_some());
    let behind_comma = sentence.split_once(", ").filter(|(lead, _)| is_lead(lead));
    let behind_id = sentence.split_once([':', '\u{2014}', '\u{2013}']);
    let behind_id = behind_id.filter(|(lead, _)| is_lead(lead) && names_a_claim(lead));
    [behind_comma.map(|(_, rest)| rest), behind_id.map(|(_, rest)| rest.trim_start())]
}

/// Words that may stand between `I` and what it does.
#[rustfmt::skip]
pub(super) const BETWEEN: [&str; 18] = [
    "must", "do", "have", "to", "need", "will", "can", "only", "fully", "hereby", "readily", "gladly", "freely", "also",
    "therefore", "thus", "happily", "openly",
];

/// What a speaker gives up.
#[rustfmt::skip]
const POSITIONS: [&str; 27] = [
    "position", "claim", "claims", "point", "points", "argument", "arguments", "thesis", "objection", "objections",
    "statement", "proposal", "assertion", "criticism", "challenge", "demand", "opposition", "view", "stance", "support",
    "recommendation", "conclusion", "case", "earlier", "attack", "attacks", "rejection",
];

/// Verbs that give something up, whatever it is.
#[rustfmt::skip]
const GIVING_UP: [&str; 28] = [
    "concede", "grant that", "grant the", "admit that", "accept that", "accept the point", "accept your point", "was wrong",
    "no longer contest", "no longer dispute", "no longer oppose", "no longer challenge", "no longer deny", "no longer object",
    "was mistaken about", "was mistaken on",
    "were wrong", "stand corrected", "now agree", "now support", "now hold", "no longer hold", "no longer defend",
    "no longer maintain", "have changed my mind", "change my position", "reverse my position", "switch sides",
];

/// Verbs that do so only with a position behind them: `withdraw my claim`, not `withdraw my money`.
const GIVING_UP_POSITIONS: [&str; 5] = ["withdraw", "retract", "abandon", "give up", "drop"];

/// Beginnings of sentences that give something up, in other persons and languages.
#[rustfmt::skip]
const OPENINGS: [&str; 34] = [
    "conceded", "concession:", "point conceded", "point taken", "you are right", "you're right", "the challenger is right",
    "the proposer is right", "the opponent is right", "my opponent is right", "i've changed my mind", "we've changed our mind",
    "ich räume ein", "wir räumen ein", "ich gebe zu", "ich habe mich geirrt", "ich lag falsch", "das war falsch von mir",
    "sie haben recht", "du hast recht", "ich gestehe zu", "der herausforderer hat recht", "die herausforderin hat recht",
    "je concède", "je reconnais que", "j'avais tort", "vous avez raison", "je retire ma", "je retire mon", "concedo",
    "reconozco que", "me equivoqué", "tiene usted razón", "retiro mi",
];

/// Whether a sentence, in small letters, begins with a position that is given up.
fn gives_up(sentence: &str) -> bool {
    behind_giving_up(sentence).is_some()
}

/// What stands behind the words by which a sentence, in small letters, gives something up.
pub(super) fn behind_giving_up(sentence: &str) -> Option<&str> {
    let something = |rest: &&str| is_apart(rest) && !is_nothing(rest);
    let sentence = JOINING.iter().find_map(|word| sentence.strip_prefix(word)).unwrap_or(sentence);
    if is_said_of_a_claim(sentence) {
        return Some("");
    }
    if let Some(rest) = OPENINGS.iter().filter_map(|opening| sentence.strip_prefix(*opening)).find(something) {
        return Some(rest);
    }
    if is_own_error(sentence) || is_taken_back_in_german(sentence) {
        return Some("");
    }
    let (sentence, thought_over) = behind_reflection(sentence);
    let mut rest = ["i ", "we ", "i'll ", "we'll "].iter().find_map(|who| sentence.strip_prefix(who))?;
    if thought_over && let Some(what) = AGREEING.iter().filter_map(|verb| rest.strip_prefix(verb)).find(something) {
        return Some(what);
    }
    if let Some(what) = ["and now ", "and i now "].iter().find_map(|now| Some(rest.split_once(now)?.1))
        && AGREEING.iter().filter_map(|verb| what.strip_prefix(verb)).any(|what| something(&what))
    {
        return Some(rest);
    }
    let accepted =
        ["accept ", "grant ", "admit ", "agree with ", "agree to "].iter().filter_map(|verb| rest.strip_prefix(verb));
    if let Some(what) = accepted.into_iter().find(|what| names_a_claim_first(what)) {
        return Some(what);
    }
    loop {
        if let Some(what) = GIVING_UP.iter().filter_map(|verb| rest.strip_prefix(verb)).find(something) {
            return Some(what);
        }
        let positions = GIVING_UP_POSITIONS.iter().filter_map(|verb| rest.strip_prefix(verb));
        if let Some(what) = positions.into_iter().find(|what| is_apart(what) && is_position(what)) {
            return Some(what);
        }
        if let Some(what) = rest.strip_prefix("now think").or_else(|| rest.strip_prefix("now believe")) {
            return words(what).any(|word| matches!(word, "right" | "better" | "should" | "wrong")).then_some(what);
        }
        let now =
            rest.strip_prefix("now ").into_iter().flat_map(|now| AGREEING.iter().filter_map(|verb| now.strip_prefix(verb)));
        if let Some(what) = now.into_iter().find(something) {
            return Some(what);
        }
        match rest.split_once(' ') {
            Some((word, behind)) if BETWEEN.contains(&word) => rest = behind,
            _ => return None,
        }
    }
}

/// Words before a sentence that join it to others.
const JOINING: [&str; 8] = ["while ", "although ", "though ", "even though ", "and ", "but ", "so ", "still, "];

/// `P1.1 is conceded`, `P1.1 (conceded)`, `Concession (P1.1)`.
fn is_said_of_a_claim(sentence: &str) -> bool {
    let words: Vec<&str> = words_with_dots(sentence).filter(|word| !word.is_empty()).take(3).collect();
    let is_id = |word: &&str| ClaimId::read(word).is_some();
    match words[..] {
        [id, "is" | "are" | "stands", "conceded"] | [id, "conceded", ..] | ["concession", id, ..] => is_id(&id),
        _ => false,
    }
}

/// Whether an id stands first in what is accepted: `claim P1.1`, not `the risk`.
fn names_a_claim_first(what: &str) -> bool {
    let mut words =
        words_with_dots(what).filter(|word| !matches!(*word, "" | "the" | "claim" | "claims" | "point" | "both"));
    words.next().is_some_and(|word| ClaimId::read(word).is_some())
}

/// Verbs that take a side: whoever does so now, or upon reflection, has left another.
const AGREEING: [&str; 14] = [
    "agree",
    "favour",
    "favor",
    "prefer",
    "support",
    "endorse",
    "accept",
    "side with",
    "lean toward",
    "lean towards",
    "recommend",
    "come down",
    "see that",
    "back ",
];

/// A sentence without the words that say that it was thought over, and whether it has any.
fn behind_reflection(sentence: &str) -> (&str, bool) {
    const REFLECTION: [&str; 10] = [
        "upon reflection",
        "on reflection",
        "on second thought",
        "having reconsidered",
        "after reconsidering",
        "having thought about it",
        "upon reconsideration",
        "on reconsideration",
        "fair point",
        "after all",
    ];
    let behind = REFLECTION.iter().find_map(|lead| sentence.strip_prefix(lead));
    behind.map_or((sentence, false), |rest| (rest.trim_start_matches([',', ':', ';', '.', '-', '\u{2014}', ' ']), true))
}

/// `my earlier position was wrong`.
fn is_own_error(sentence: &str) -> bool {
    let mut words = words(sentence);
    let own = matches!(words.next(), Some("my" | "our"));
    let near: Vec<&str> = words.take(8).collect();
    let position = near.iter().take(2).any(|word| POSITIONS.contains(word));
    let wrong = near
        .windows(2)
        .any(|pair| matches!(pair[0], "was" | "were") && matches!(pair[1], "wrong" | "mistaken" | "false" | "incorrect"));
    own && position && wrong
}

/// `ich ziehe meine Position zurück`, `ich nehme das zurück`.
fn is_taken_back_in_german(sentence: &str) -> bool {
    let begins = ["ich ziehe ", "ich nehme ", "wir ziehen ", "wir nehmen "].iter().any(|lead| sentence.starts_with(lead));
    begins && words(sentence).any(|word| word == "zurück") && !words(sentence).any(|word| matches!(word, "nichts" | "nicht"))
}

/// What a sentence says is given up is the speaker's position, or a word for it.
fn is_position(what: &str) -> bool {
    let words: Vec<&str> = words(what).take(4).collect();
    let meant = matches!(words[..], ["it" | "that" | "this" | "them"] | ["it" | "that" | "this", ..]);
    let named = words.iter().any(|word| POSITIONS.contains(word));
    (meant && (words.len() == 1 || named)) || named && !is_nothing(what)
}

/// Whether nothing is conceded after all.
fn is_nothing(what: &str) -> bool {
    const NOTHING: [&str; 9] = ["nothing", "none", "neither", "no", "nil", "not", "zero", "little", "nichts"];
    let first: Vec<&str> = words(what).take(2).collect();
    match first[..] {
        [first, ..] if NOTHING.contains(&first) => true,
        ["about" | "with", second] => NOTHING.contains(&second),
        _ => false,
    }
}

/// Whether what stands behind a word is another one.
fn is_apart(rest: &str) -> bool {
    !rest.starts_with(|c: char| c.is_alphanumeric() || c == '-')
}

fn words(text: &str) -> impl Iterator<Item = &str> + Clone {
    text.split(|c: char| !(c.is_alphanumeric() || c == '\'')).filter(|word| !word.is_empty())
}

/// What a concession that is taken back is called.
#[rustfmt::skip]
const REVOKED: [&str; 13] = [
    "withdrawn", "retracted", "revoked", "rescinded", "premature", "hasty", "rash", "mistaken", "mistake", "error", "wrong",
    "unwarranted", "misplaced",
];

/// Whether a sentence, in small letters, takes a concession back: `I withdraw my concession`, `I was wrong to concede`. The
/// concession is what is taken back: `I withdraw my concern` speaks of something else.
fn takes_back(sentence: &str) -> bool {
    let words: Vec<&str> = words(sentence).collect();
    let is_conceded = |word: &&str| {
        matches!(*word, "concede" | "conceded" | "conceding" | "concession" | "concessions")
            || word.starts_with("zugeständnis")
    };
    let is_own = |word: &&str| matches!(*word, "i" | "we" | "ich" | "wir");
    let near = |from: usize, many: usize| &words[from.min(words.len())..words.len().min(from + many)];
    let revoked = words.iter().enumerate().any(|(at, verb)| {
        let lead = &words[at.saturating_sub(4)..at];
        let denied = lead.iter().any(|word| matches!(*word, "not" | "never" | "nothing" | "don't" | "won't" | "nicht"));
        let back = || near(at + 1, 8).iter().any(|word| matches!(*word, "back" | "zurück"));
        let takes = match *verb {
            "withdraw" | "retract" | "revoke" | "rescind" | "reverse" | "undo" | "cancel" | "widerrufe" | "widerrufen" => {
                true
            }
            "take" | "nehme" | "nehmen" | "ziehe" | "ziehen" => back(),
            _ => false,
        };
        takes && !denied && lead.iter().any(is_own) && near(at + 1, 4).iter().any(is_conceded)
    });
    let regrets = ["wrong to concede", "wrong to have conceded", "should not have conceded", "shouldn't have conceded"];
    let own_voice = words.iter().any(is_own);
    let regretted = regrets.iter().any(|words| sentence.contains(words)) || sentence.contains("no longer concede");
    let no_longer =
        sentence.contains("no longer hold that") && words_with_dots(sentence).any(|id| ClaimId::read(id).is_some());
    let withdrawn = matches!(words[..], ["my" | "our", conceded, ..] if is_conceded(&conceded))
        && words.iter().any(|word| REVOKED.contains(word))
        && !words.iter().any(|word| matches!(*word, "not" | "never"));
    let hasty = ["quick", "hasty", "eager", "fast", "ready", "generous"].iter().any(|how| {
        ["to concede", "to have conceded", "in conceding"]
            .iter()
            .any(|words| sentence.contains(&format!("too {how} {words}")))
    });
    let contrary = ["contrary to what i conceded", "contrary to my concession", "contrary to my earlier concession"];
    let contrary = contrary.iter().any(|words| sentence.contains(words));
    revoked || withdrawn || contrary || (own_voice && (regretted || no_longer || hasty))
}

/// Words that may be the ids of claims.
pub(in crate::claims) fn words_with_dots(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !(c.is_alphanumeric() || c == '.')).map(|word| word.trim_matches('.'))
}

/// Words whose full stop ends no sentence.
const SHORTENED: [&str; 9] = ["e.g", "i.e", "cf", "vs", "approx", "resp", "incl", "z.b", "p.ex"];

/// The sentences of a text that are its speaker's own: up to a full stop, a question or an exclamation mark before white
/// space, or the paragraph's end. Quoted lines and what stands in quotation marks are left out.
fn sentences(body: &str) -> impl Iterator<Item = &str> {
    paragraphs(body).into_iter().flat_map(|text| {
        let ends = text.char_indices().filter(move |(at, c)| {
            // The word before it is looked at last, and once: it may be as long as the text.
            let word = || {
                let parts = text[..*at].rsplit(|c: char| c.is_whitespace() || c == '(');
                parts.into_iter().next().unwrap_or_default().to_lowercase()
            };
            matches!(c, '.' | '!' | '?')
                && text[at + c.len_utf8()..].trim_start_matches(['*', '_']).chars().next().is_none_or(char::is_whitespace)
                && !SHORTENED.contains(&word().as_str())
        });
        let mut from = 0;
        let mut parts: Vec<&str> = Vec::new();
        let mut quoted = false;
        for end in ends.map(|(at, c)| at + c.len_utf8()).chain([text.len()]) {
            let part = &text[from..end];
            if !quoted {
                parts.push(part);
            }
            quoted = part.chars().fold(quoted, |quoted, c| match c {
                '"' => !quoted,
                '\u{201c}' | '\u{201e}' | '\u{ab}' => true,
                '\u{201d}' | '\u{bb}' => false,
                _ => quoted,
            });
            from = end;
        }
        parts.into_iter().map(|part| part.trim().trim_start_matches(['-', '*', ' '])).filter(|part| !part.is_empty())
    })
}

/// The paragraphs and the items of lists of a text, however their lines are wrapped. One in which a quotation mark has no
/// other is read line by line, so that the mark hides no more than its line.
fn paragraphs(body: &str) -> Vec<&str> {
    let mut paragraphs: Vec<&str> = Vec::new();
    let (mut from, mut at) = (0, 0);
    let mut close = |from: usize, to: usize| {
        let text = &body[from..to];
        if text.matches('"').count().is_multiple_of(2) { paragraphs.push(text) } else { paragraphs.extend(text.lines()) }
    };
    for line in body.split_inclusive('\n') {
        let start = line.trim_start();
        let item = start.trim_start_matches(|c: char| c.is_ascii_digit()).strip_prefix(['-', '*', '+', '.', ')']);
        let begins = start.is_empty()
            || start.starts_with(['>', '#', '|'])
            || start.starts_with("```")
            || item.is_some_and(|behind| behind.starts_with(char::is_whitespace));
        if begins {
            close(from, at);
            from = at;
        }
        at += line.len();
        if start.starts_with(['>', '#', '|']) {
            // Such a line is one of its own; a quoted one is somebody else's.
            if !start.starts_with('>') {
                close(from, at);
            }
            from = at;
        }
    }
    close(from, at);
    paragraphs
}

#[cfg(test)]
mod tests;
