//! Concessions: verbatim quotes, checked against the text they are said to stand in.

use super::ClaimId;

/// The shortest quote that counts, in characters: less says nothing and stands everywhere.
const SHORTEST: usize = 8;

/// Whether the quote stands in the text word for word; white space and the style of quotation marks do not matter.
pub fn stands_in(quote: &str, text: &str) -> bool {
    Plain::new(text).holds(quote)
}

/// A text in which words are looked for more than once: white space and the style of quotation marks are made the same.
pub(super) struct Plain(String);

impl Plain {
    pub(super) fn new(text: &str) -> Self {
        Self(plain(text))
    }

    /// Whether the quote stands in it word for word.
    pub(super) fn holds(&self, quote: &str) -> bool {
        Self::new(quote).is_part_of(self)
    }

    /// Whether it stands in the other text word for word.
    pub(super) fn is_part_of(&self, text: &Self) -> bool {
        self.0.chars().nth(SHORTEST - 1).is_some() && text.0.contains(&self.0)
    }
}

/// Sentences of a text that begin with a plain concession. What is quoted of others is none, and neither is one that
/// concedes nothing.
pub(super) fn spoken_in(body: &str) -> Vec<String> {
    sentences(body).filter(|sentence| concedes(sentence)).map(str::to_owned).collect()
}

/// Sentences of a text in which its speaker takes an earlier concession back: they concede nothing, they do the contrary.
pub(super) fn taken_back_in(body: &str) -> Vec<&str> {
    sentences(body).filter(|sentence| takes_back(&plain_small(sentence))).collect()
}

fn concedes(sentence: &str) -> bool {
    let sentence = plain_small(sentence);
    !takes_back(&sentence) && (gives_up(&sentence) || behind_a_lead(&sentence).is_some_and(gives_up))
}

/// The words of a sentence in small letters, without what marks them.
fn plain_small(sentence: &str) -> String {
    sentence.replace('\u{2019}', "'").replace("**", "").replace("__", "").to_lowercase()
}

/// What stands behind a few words and a comma: `On TLS, I concede.` A condition is no concession.
fn behind_a_lead(sentence: &str) -> Option<&str> {
    const CONDITIONS: [&str; 14] =
        ["if", "unless", "when", "once", "until", "before", "should", "were", "that", "says", "said", "wenn", "falls", "si"];
    let (lead, rest) = sentence.split_once(", ")?;
    let mut words = lead.split_whitespace();
    let few = words.clone().count() <= 5 && !lead.contains(['"', '\u{201c}', ':']);
    (few && !words.any(|word| CONDITIONS.contains(&word))).then_some(rest)
}

/// Words that may stand between `I` and what it does.
#[rustfmt::skip]
const BETWEEN: [&str; 18] = [
    "must", "do", "have", "to", "need", "will", "can", "only", "fully", "hereby", "readily", "gladly", "freely", "also",
    "therefore", "thus", "happily", "openly",
];

/// What a speaker gives up.
#[rustfmt::skip]
const POSITIONS: [&str; 24] = [
    "position", "claim", "claims", "point", "points", "argument", "arguments", "thesis", "objection", "objections",
    "statement", "proposal", "assertion", "criticism", "challenge", "demand", "opposition", "view", "stance", "support",
    "recommendation", "conclusion", "case", "earlier",
];

/// Verbs that give something up, whatever it is.
#[rustfmt::skip]
const GIVING_UP: [&str; 20] = [
    "concede", "grant that", "grant the", "admit that", "accept that", "accept the point", "accept your point", "was wrong",
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
    let begins = |opening: &&str| sentence.strip_prefix(*opening).is_some_and(|rest| is_apart(rest) && !is_nothing(rest));
    if OPENINGS.iter().any(begins) || is_own_error(sentence) || is_taken_back_in_german(sentence) {
        return true;
    }
    let Some(mut rest) = ["i ", "we "].iter().find_map(|who| sentence.strip_prefix(who)) else { return false };
    loop {
        let given_up = GIVING_UP.iter().filter_map(|verb| rest.strip_prefix(verb));
        if given_up.into_iter().any(|what| is_apart(what) && !is_nothing(what)) {
            return true;
        }
        let positions = GIVING_UP_POSITIONS.iter().filter_map(|verb| rest.strip_prefix(verb));
        if positions.into_iter().any(|what| is_apart(what) && is_position(what)) {
            return true;
        }
        if let Some(what) = rest.strip_prefix("now think").or_else(|| rest.strip_prefix("now believe")) {
            return words(what).any(|word| matches!(word, "right" | "better" | "should" | "wrong"));
        }
        match rest.split_once(' ') {
            Some((word, behind)) if BETWEEN.contains(&word) => rest = behind,
            _ => return false,
        }
    }
}

/// `my earlier position was wrong`.
fn is_own_error(sentence: &str) -> bool {
    let mut words = words(sentence);
    let own = matches!(words.next(), Some("my" | "our"));
    let near: Vec<&str> = words.take(5).collect();
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

/// Whether a sentence, in small letters, takes a concession back: `I withdraw my concession`, `I was wrong to concede`.
fn takes_back(sentence: &str) -> bool {
    let conceded = words(sentence).any(|word| word.starts_with("conce") || word.starts_with("zugeständnis"));
    let mut own = words(sentence);
    let own_voice = own.any(|word| matches!(word, "i" | "we" | "ich" | "wir"));
    let verbs =
        ["withdraw", "retract", "revoke", "take back", "take my", "take it back", "nehme", "ziehe", "no longer concede"];
    let regrets = ["wrong to concede", "wrong to have conceded", "should not have conceded", "shouldn't have conceded"];
    let revoked = conceded && verbs.iter().any(|verb| sentence.contains(verb));
    let no_longer =
        sentence.contains("no longer hold that") && words_with_dots(sentence).any(|id| ClaimId::read(id).is_some());
    own_voice && (revoked || regrets.iter().any(|words| sentence.contains(words)) || no_longer)
}

/// Words that may be the ids of claims.
pub(super) fn words_with_dots(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !(c.is_alphanumeric() || c == '.')).map(|word| word.trim_matches('.'))
}

/// Words whose full stop ends no sentence.
const SHORTENED: [&str; 9] = ["e.g", "i.e", "cf", "vs", "approx", "resp", "incl", "z.b", "p.ex"];

/// The sentences of a text that are its speaker's own: up to a full stop, a question or an exclamation mark before white
/// space, or the line's end. Quoted lines and what stands in quotation marks are left out.
fn sentences(body: &str) -> impl Iterator<Item = &str> {
    body.lines().filter(|line| !line.trim_start().starts_with('>')).flat_map(|line| {
        let ends = line.char_indices().filter(move |(at, c)| {
            // The word before it is looked at last, and once: it may be as long as the text.
            let word = || {
                let parts = line[..*at].rsplit(|c: char| c.is_whitespace() || c == '(');
                parts.into_iter().next().unwrap_or_default().to_lowercase()
            };
            matches!(c, '.' | '!' | '?')
                && line[at + c.len_utf8()..].trim_start_matches(['*', '_']).chars().next().is_none_or(char::is_whitespace)
                && !SHORTENED.contains(&word().as_str())
        });
        let mut from = 0;
        let mut parts: Vec<&str> = Vec::new();
        let mut quoted = false;
        for end in ends.map(|(at, c)| at + c.len_utf8()).chain([line.len()]) {
            let part = &line[from..end];
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

fn plain(text: &str) -> String {
    let words: Vec<&str> = text.split_whitespace().collect();
    words.join(" ").replace(['\u{201c}', '\u{201d}'], "\"").replace(['\u{2018}', '\u{2019}'], "'")
}

#[cfg(test)]
mod tests {
    use super::*;

    /// With work that grew faster than the text, this would not end.
    #[test]
    fn a_word_of_a_megabyte_is_no_more_than_a_word() {
        let body = format!("I concede that it is long. {}", "a".repeat(1 << 20));
        assert_eq!(sentences(&body).count(), 2);
    }

    #[test]
    fn a_position_is_given_up_in_other_words_too() {
        for body in [
            "I withdraw my position.",
            "I was wrong.",
            "I was wrong about the lock.",
            "I now agree with the challenger.",
            "I now support REST.",
            "I now hold that REST is enough.",
            "I retract that claim.",
            "- I\u{2019}ve changed my mind.",
            "I must concede that it is typed.",
            "I fully concede the point.",
            "On TLS, I concede.",
            "Conceded.",
            "I withdraw that claim.",
            "I admit that it is typed.",
            "You are right that it is typed.",
            "The challenger is right about TLS.",
            "I accept that it is typed.",
            "I give up this point.",
            "My earlier position was wrong.",
            "I now think we should wait.",
            "I no longer hold that the lock is fine.",
            "Ich räume ein, dass es stimmt.",
            "Ich ziehe meine Position zurück.",
            "Ich habe mich geirrt.",
        ] {
            assert_eq!(spoken_in(body).len(), 1, "{body}");
        }
        for body in [
            "I retract nothing.",
            "I was wrongly quoted.",
            "> I was wrong.",
            "They say \"I was wrong\".",
            "I agree that it is typed.",
            "I now holdings",
            "I withdraw my money daily.",
            "I do not concede this.",
            "If you are right, I concede.",
            "I now think of another case.",
            "I drop the guard early.",
            "I withdraw my concession of C1.1: TLS is fine.",
            "I retract what I conceded.",
            "I was wrong to concede C1.1.",
            "I no longer hold that C1.1 is right.",
        ] {
            assert_eq!(spoken_in(body), Vec::<String>::new(), "{body}");
        }
    }

    #[test]
    fn a_concession_is_taken_back_in_many_words() {
        for body in [
            "I withdraw my concession of C1.1: TLS is fine.",
            "I retract my concession on TLS; it is verified.",
            "C1.1 is wrong after all, and I take my concession back.",
            "I no longer hold that C1.1 is right.",
            "I was wrong to concede C1.1.",
            "**I withdraw the concession.** So.",
            "I retract what I conceded.",
        ] {
            assert_eq!(taken_back_in(body).len(), 1, "{body}");
            assert_eq!(spoken_in(body), Vec::<String>::new(), "{body}");
        }
        for body in ["I concede it.", "The challenger withdraws the concession.", "I retract my claim."] {
            assert_eq!(taken_back_in(body), Vec::<&str>::new(), "{body}");
        }
    }

    #[test]
    fn a_sentence_in_bold_ends_where_it_ends() {
        assert_eq!(spoken_in("**I concede that it is a stub.** Nothing more."), ["I concede that it is a stub."]);
    }

    #[test]
    fn only_what_a_speaker_gives_up_in_own_words_is_conceded() {
        for body in [
            "I concede nothing.",
            "I concede no point of it.",
            "> I concede that proxies are needed.",
            "The challenger says: \"It is slow. I concede that it is typed.\" So be it.",
            "They wrote \u{201c}It is slow. I concede that it is typed.\u{201d}",
            "\"I concede that it is typed.\"",
        ] {
            assert_eq!(spoken_in(body), Vec::<String>::new(), "{body}");
        }
        for (body, conceded) in [
            (
                "- I concede that some tools, e.g. browsers, need a proxy. Still.",
                "I concede that some tools, e.g. browsers, need a proxy.",
            ),
            (
                "I concede that tools,\u{a0}e.g. browsers, need it.\u{a0}Still.",
                "I concede that tools,\u{a0}e.g. browsers, need it.",
            ),
            ("It says \"no\". I concede that it is typed.", "I concede that it is typed."),
            ("I concede the point about \"types\". No more.", "I concede the point about \"types\"."),
        ] {
            assert_eq!(spoken_in(body), [conceded], "{body}");
        }
    }
}
