//! The claims of others that a sentence gives up by their ids.
//!
//! A sentence is read in clauses. An id is given up where its clause gives something up and has the id as what it gives up:
//! behind the verb, as the subject of what is granted, alone in brackets or behind a colon, or in a row with one that is.
//! What has an attacking verb of its own before it or behind it is not.

use super::spoken::behind_giving_up;
use crate::claims::ClaimId;

/// The claims that a sentence which concedes something gives up.
pub(super) fn ids_given_up(sentence: &str) -> Vec<ClaimId> {
    let small = sentence.to_lowercase().replace('\u{2019}', "'");
    if is_supposed(&small) {
        return Vec::new();
    }
    let mut given = Vec::new();
    let mut scope = Scope::Before;
    // Ids that stand before the words that give something up: `On P1.1, I concede.`
    let mut waiting: Vec<ClaimId> = Vec::new();
    let (mut outer, mut has_turned) = (Scope::Before, false);
    for clause in clauses(&small) {
        let text = clause.words.join(" ");
        match clause.opened_by {
            Opening::Bracket => outer = scope,
            Opening::BracketEnd => scope = outer,
            Opening::Colon if scope == Scope::Giving && !given.is_empty() => scope = Scope::Off,
            Opening::Turn => (scope, has_turned) = (Scope::Off, true),
            // `… that P1.2 is wrong and that P1.1 is right`.
            _ if scope == Scope::Off && !has_turned && is_granted_too(&clause.words) => scope = Scope::Giving,
            _ => {}
        }
        let turned = text.split_once(' ').filter(|_| clause.opened_by == Opening::Turn).map(|(_, behind)| behind);
        let heading = ["concession", "concessions"].contains(&text.as_str()).then_some("");
        let giving = heading.or_else(|| behind_giving_up(turned.unwrap_or(&text))).or_else(|| {
            let is_joined = scope != Scope::Before && turned.is_none();
            is_joined.then(|| behind_giving_up_without_subject(&text)).flatten()
        });
        if let Some(rest) = giving {
            if is_limited(rest) && !has_id(rest) {
                waiting.clear();
            }
            given.append(&mut waiting);
            given.extend(of_the_clause_itself(&clause.words));
            scope = of_clause(rest, true, Scope::Giving, &mut given);
        } else if scope == Scope::Before {
            waiting.extend(said_first(&clause.words));
        } else {
            scope = of_clause(&text, false, scope, &mut given);
        }
    }
    given.dedup();
    given
}

/// Whether a sentence, in small letters, gives something up only for the argument's sake, or on a condition.
pub(super) fn is_supposed(small: &str) -> bool {
    const SUPPOSED: [&str; 9] = [
        "sake of argument",
        "arguendo",
        "only if",
        "provided that",
        "wording of",
        "assuming",
        "as long as",
        "so long as",
        "on condition",
    ];
    SUPPOSED.iter().any(|words| small.contains(words))
}

/// The claims that a sentence plainly calls false, each as the subject of its clause: `P1.1 is false after all`.
pub(super) fn ids_called_false(sentence: &str) -> Vec<ClaimId> {
    let small = sentence.to_lowercase().replace('\u{2019}', "'");
    let called_false = |clause: Clause| {
        let (first, predicate) = clause.words.split_first()?;
        let id = ClaimId::read(first).filter(|_| clause.opened_by != Opening::Bracket)?;
        let predicate: Vec<&str> = predicate.iter().map(String::as_str).collect();
        (is_called_false(&predicate) && !is_limited(&predicate.join(" "))).then_some(id)
    };
    clauses(&small).into_iter().filter_map(called_false).collect()
}

/// Whether what is said of a claim plainly calls it false.
pub(super) fn is_called_false(predicate: &[&str]) -> bool {
    #[rustfmt::skip]
    const FALSE: [&str; 14] = [
        "false", "wrong", "untrue", "incorrect", "mistaken", "refuted", "invalid", "invented", "fabricated", "unfounded",
        "disproved", "disproven", "baseless", "nonsense",
    ];
    match predicate.first() {
        Some(&"is" | &"was" | &"remains") => predicate.iter().take(5).any(|word| FALSE.contains(word)),
        Some(&"fails" | &"collapses" | &"falls") => true,
        _ => false,
    }
}

/// `that P1.1 …`.
fn is_granted_too(words: &[String]) -> bool {
    matches!(words, [that, id, ..] if that == "that" && ClaimId::read(id).is_some())
}

/// `My attack on P1.1 was wrong.`, `P1.1 is conceded.`
fn of_the_clause_itself(words: &[String]) -> Option<ClaimId> {
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let (at, id) = words.iter().enumerate().find_map(|(at, word)| Some((at, ClaimId::read(word)?)))?;
    (at == 0 || (matches!(words[0], "my" | "our") && leads_to_what_is_given(&words[..at]))).then_some(id)
}

/// What the words of a clause are worth.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Scope {
    /// Nothing was given up yet.
    Before,
    /// What is named is given up.
    Giving,
    /// The sentence has turned to something else.
    Off,
}

/// The ids of a clause that are given up, and what holds for the next clause.
fn of_clause(text: &str, is_giving: bool, scope: Scope, given: &mut Vec<ClaimId>) -> Scope {
    let words: Vec<&str> = text.split(' ').filter(|word| !word.is_empty()).collect();
    let ids: Vec<(usize, ClaimId)> =
        words.iter().enumerate().filter_map(|(at, word)| Some((at, ClaimId::read(word)?))).collect();
    let mut scope = scope;
    let mut from = 0;
    for (number, (at, id)) in ids.iter().enumerate() {
        let lead = &words[from..*at];
        let until = ids.get(number + 1).map_or(words.len(), |(next, _)| *next);
        let tail = &words[at + 1..until];
        from = at + 1;
        let is_topic =
            !is_giving && matches!(lead, ["as", "for" | "to", ..] | ["on" | "regarding" | "concerning" | "about", ..]);
        let leads = !is_topic && if is_giving && number == 0 { leads_to_what_is_given(lead) } else { is_filler(lead) };
        let attacked_in_error = is_giving && number == 0 && is_attack_regretted(lead);
        // `…, as P1.1 says`, `what P1.1 says`, `…, which is P1.1`.
        let says = matches!(tail, ["says" | "states" | "shows" | "claims" | "argues" | "notes" | "has" | "puts", ..]);
        let told =
            (matches!(lead, ["as" | "what"] | ["that", "as"]) && says) || (lead == ["which", "is"] && tail.is_empty());
        if scope == Scope::Giving && (attacked_in_error || told || (leads && is_left_standing(tail))) {
            given.push(id.clone());
        } else {
            scope = Scope::Off;
        }
    }
    scope
}

/// Ids that a sentence begins with: `P1.1`, `On P1.1`, `As for P1.1 and P1.2`.
fn said_first(words: &[String]) -> Vec<ClaimId> {
    const LEADS: [&str; 18] = [
        "on",
        "regarding",
        "as",
        "for",
        "about",
        "concerning",
        "with",
        "regard",
        "respect",
        "to",
        "in",
        "light",
        "of",
        "given",
        "re",
        "the",
        "claim",
        "point",
    ];
    let plain = words.iter().all(|word| LEADS.contains(&word.as_str()) || is_joint(word) || ClaimId::read(word).is_some());
    // `P1.1 is correct, and I concede it.`
    if let [id, tail @ ..] = words
        && let Some(id) = ClaimId::read(id)
        && is_left_standing(&tail.iter().map(String::as_str).collect::<Vec<_>>())
    {
        return vec![id];
    }
    if plain { words.iter().filter_map(|word| ClaimId::read(word)).collect() } else { Vec::new() }
}

fn has_id(text: &str) -> bool {
    text.split(' ').any(|word| ClaimId::read(word).is_some())
}

/// Whether no more than a part of something is given up.
pub(super) fn is_limited(text: &str) -> bool {
    const LIMITS: [&str; 10] =
        ["part", "partly", "partially", "half", "only", "some", "somewhat", "degree", "extent", "principle"];
    text.split(' ').any(|word| LIMITS.contains(&word))
}

/// What a claim is called, and words around it that say nothing of it.
pub(super) const CLAIMS: [&str; 10] =
    ["claim", "claims", "point", "points", "argument", "arguments", "objection", "finding", "criticism", "case"];
#[rustfmt::skip]
const FILLERS: [&str; 44] = [
    "that", "the", "this", "these", "your", "its", "their", "his", "her", "both", "all", "each", "of", "to", "on", "about",
    "with", "regarding", "concerning", "in", "as", "for", "also", "likewise", "fully", "entirely", "proposer's",
    "challenger's", "opponent's", "following", "two", "three", "four", "namely", "see", "cf", "well", "too", "then",
    "equally", "similarly", "even", "id", "ids",
];

fn is_joint(word: &str) -> bool {
    matches!(word, "and" | "or" | "&" | "plus" | "und" | "et" | "y")
}

fn is_filler(words: &[&str]) -> bool {
    // `that of P1.1`, `both of P1.1`: a part of a claim is none.
    words.iter().all(|word| FILLERS.contains(word) || CLAIMS.contains(word) || is_joint(word)) && !is_relative(words)
}

/// `that leaves P1.1` is no `that P1.1 …`.
fn is_relative(words: &[&str]) -> bool {
    matches!(words.first(), Some(&"which" | &"who" | &"whose"))
}

/// Whether words between the verb and the id have the id as what is given up: `the TLS point`, `my objection to`. Where it
/// is about something of the claim (`the evidence of`, `my reading of`), the claim is not.
fn leads_to_what_is_given(words: &[&str]) -> bool {
    const OBJECTIONS: [&str; 14] = [
        "objection",
        "objections",
        "attack",
        "attacks",
        "criticism",
        "challenge",
        "opposition",
        "point",
        "argument",
        "case",
        "claim",
        "rejection",
        "position",
        "denial",
    ];
    const ABOUT: [&str; 8] = ["to", "on", "against", "of", "about", "regarding", "over", "concerning"];
    if is_filler(words) {
        return true;
    }
    match words {
        ["my" | "our" | "the" | "this" | "every" | "any", between @ .., noun, about]
            if between.len() <= 2 && OBJECTIONS.contains(noun) && ABOUT.contains(about) =>
        {
            true
        }
        // `that the proposer is right about`, `the point made in`.
        [.., "right" | "correct", "about" | "on" | "regarding" | "with"] => {
            !words.iter().any(|word| is_against(word) || matches!(*word, "i" | "we" | "my" | "our"))
        }
        ["the" | "your", .., noun, "made" | "raised" | "stated", "in" | "by" | "as"] => CLAIMS.contains(noun),
        ["the", "truth" | "substance" | "validity" | "correctness" | "whole" | "force", "of"] => true,
        ["the" | "your" | "this", topic @ .., noun] => {
            let plain =
                topic.iter().all(|word| !matches!(*word, "of" | "my" | "no" | "not" | "is" | "that" | "other" | "than"));
            topic.len() <= 3 && CLAIMS.contains(noun) && plain
        }
        _ => false,
    }
}

/// `I was wrong to call P1.2 false`: who regrets the attack gives up what was attacked.
fn is_attack_regretted(words: &[&str]) -> bool {
    const ATTACKING: [&str; 22] = [
        "call",
        "reject",
        "dispute",
        "attack",
        "deny",
        "doubt",
        "contest",
        "challenge",
        "question",
        "oppose",
        "dismiss",
        "calling",
        "rejecting",
        "disputing",
        "attacking",
        "denying",
        "doubting",
        "contesting",
        "challenging",
        "questioning",
        "opposing",
        "dismissing",
    ];
    matches!(words, ["to" | "in", verb] if ATTACKING.contains(verb))
}

/// Whether what is said of a claim leaves it standing: nothing, how far it is given up, or that it is right. Any other verb
/// is one that the speaker has against it, or says nothing of its truth.
fn is_left_standing(tail: &[&str]) -> bool {
    let tail: Vec<&str> = tail.iter().copied().filter(|word| !is_joint(word)).collect();
    match tail[..] {
        [] => true,
        ["'s", noun, ref rest @ ..] => CLAIMS.contains(&noun) && rest.is_empty(),
        _ if is_limited(&tail.join(" ")) && !tail.contains(&"not") => false,
        ["stands" | "stand" | "holds" | "hold" | "follows" | "survives" | "prevails" | "wins" | "applies", ..] => {
            !tail.iter().any(|word| is_against(word))
        }
        ["is" | "are" | "was" | "were" | "remains" | "remain" | "has" | "have", ref predicate @ ..] => {
            let been = !matches!(tail[0], "has" | "have") || predicate.first() == Some(&"been");
            been && !predicate.is_empty() && !predicate.iter().any(|word| is_against(word))
        }
        [first, ..] => {
            let plain =
                FILLERS.contains(&first) || CLAIMS.contains(&first) || is_preposition(first) || first.ends_with("ly");
            plain && !tail.iter().any(|word| matches!(*word, "if" | "when" | "once" | "wenn" | "falls" | "si"))
        }
    }
}

/// Words that lead on from what is given up, and say nothing against it.
fn is_preposition(word: &str) -> bool {
    #[rustfmt::skip]
    const LEADING_ON: [&str; 28] = [
        "from", "by", "at", "after", "now", "here", "outright", "unreservedly", "today", "which", "who", "given", "based",
        "under", "via", "through", "per", "into", "without", "because", "since", "altogether", "again", "too", "instead",
        "completely", "there", "round",
    ];
    LEADING_ON.contains(&word)
}

/// Whether a word says that a claim does not hold, may not hold, or that something else than its truth is meant.
fn is_against(word: &str) -> bool {
    #[rustfmt::skip]
    const AGAINST: [&str; 66] = [
        "not", "no", "never", "wrong", "false", "untrue", "incorrect", "mistaken", "invalid", "refuted", "rebutted",
        "disproved", "disproven", "contradicted", "undermined", "rejected", "disputed", "contested", "debatable",
        "arguable", "possible", "plausible", "questionable", "doubtful", "dubious", "unclear", "uncertain", "overstated",
        "exaggerated", "misleading", "misguided", "weak", "weaker", "incomplete", "irrelevant", "moot", "unproven",
        "unsupported", "unfounded", "baseless", "invented", "fabricated", "open", "stated", "put", "worded", "phrased",
        "written", "interesting", "relevant", "popular", "tempting", "clever", "based", "still", "less", "hardly",
        "barely", "too", "opinion", "taste", "dispute", "nonsense", "flawed", "circular", "nicht",
    ];
    AGAINST.contains(&word)
        || word.ends_with("n't")
        || matches!(word, "if" | "unless" | "might" | "may" | "could" | "perhaps")
}

/// `and accept P1.1`, `and withdraw my objection to P1.1`: the subject is that of the clause before.
fn behind_giving_up_without_subject(text: &str) -> Option<&str> {
    let text = text.strip_prefix("also ").unwrap_or(text);
    let verbs = ["concede ", "accept ", "grant ", "admit ", "agree with ", "no longer contest ", "no longer dispute "];
    if let Some(rest) = verbs.iter().find_map(|verb| text.strip_prefix(verb)) {
        return Some(rest);
    }
    let verbs = ["withdraw ", "drop ", "retract ", "abandon ", "give up "];
    verbs.iter().find_map(|verb| text.strip_prefix(verb)).filter(|rest| rest.starts_with("my "))
}

/// What a clause begins with.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Opening {
    Start,
    Comma,
    Colon,
    Bracket,
    BracketEnd,
    Joint,
    Turn,
}

/// A clause: words in small letters without marks.
pub(super) struct Clause {
    pub(super) opened_by: Opening,
    pub(super) words: Vec<String>,
}

/// The clauses of a sentence. A row of ids is one, whatever joins them, and so are a predicate and what it has two of.
pub(super) fn clauses(small: &str) -> Vec<Clause> {
    #[rustfmt::skip]
    const TURNS: [&str; 26] = [
        "but", "yet", "however", "although", "though", "while", "except", "not", "whereas", "aber", "nicht", "mais", "pero",
        "unless", "save", "leaving", "other", "apart", "aside", "excluding", "rather", "instead", "despite", "contrary",
        "unlike", "barring",
    ];
    let mut all = vec![Clause { opened_by: Opening::Start, words: Vec::new() }];
    let open = |opened_by: Opening, all: &mut Vec<Clause>| match all.last_mut() {
        // Of several openings in a row the weightiest counts.
        Some(last) if last.words.is_empty() => {
            if opened_by != Opening::Joint && opened_by != Opening::Comma && last.opened_by != Opening::Turn {
                last.opened_by = opened_by;
            }
        }
        _ => all.push(Clause { opened_by, words: Vec::new() }),
    };
    for word in small.split_whitespace().flat_map(parted) {
        match word {
            "," | ";" | "\u{2014}" | "\u{2013}" | "-" => open(Opening::Comma, &mut all),
            ":" => open(Opening::Colon, &mut all),
            "(" | "[" => open(Opening::Bracket, &mut all),
            ")" | "]" => open(Opening::BracketEnd, &mut all),
            word if is_joint(word) => open(Opening::Joint, &mut all),
            word => {
                if TURNS.contains(&word) {
                    open(Opening::Turn, &mut all);
                }
                if let Some(last) = all.last_mut() {
                    last.words.push(word.to_owned());
                }
            }
        }
    }
    all.retain(|clause| !clause.words.is_empty());
    all
}

/// A word without the marks around it, which are words of their own.
fn parted(word: &str) -> Vec<&str> {
    let marks = |c: char| ",;:()[]\u{2014}\u{2013}".contains(c);
    let word = word.trim_matches(['"', '\u{201c}', '\u{201d}', '*', '_', '`', '!', '?']);
    if !word.contains(char::is_alphanumeric) {
        return word.split("").filter(|mark| !mark.is_empty()).collect();
    }
    let start = word.len() - word.trim_start_matches(marks).len();
    let mut end = word.trim_end_matches(|c: char| marks(c) || matches!(c, '.' | '*' | '_' | '`' | '"' | '!' | '?')).len();
    end = end.max(start);
    let inner = word[start..end].trim_matches(['*', '_', '`']);
    let (inner, of) = match inner.strip_suffix("'s") {
        Some(id) if ClaimId::read(id).is_some() => (id, Some("'s")),
        _ => (inner, None),
    };
    let mut parts: Vec<&str> = word[..start].split("").filter(|mark| !mark.is_empty()).collect();
    // `P1.1/P1.2`, `P1.1—conceded`.
    let pieces: Vec<&str> = inner.split(['/', '\u{2014}', '\u{2013}', ',']).collect();
    if pieces.len() > 1 && pieces.iter().any(|piece| ClaimId::read(piece).is_some()) {
        parts.extend(pieces.iter().flat_map(|piece| [*piece, ","]).take(pieces.len() * 2 - 1));
    } else {
        parts.push(inner);
    }
    parts.extend(of);
    parts.extend(word[end..].split("").filter(|mark| !mark.is_empty() && mark.contains(marks)));
    parts
}

#[cfg(test)]
mod tests;
