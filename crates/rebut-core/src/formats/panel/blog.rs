//! The blog post: about the topic alone, by verified sources, and without a trace of the debate that it came from.

use std::collections::BTreeSet;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::addresses::{addresses, bare, bare_addresses, same};
use super::figures::number_of;
use super::papers::Ground;
use super::record::seqs;
use super::veil::REPEATS;
use super::wording::sentences;
use crate::claims::citation::{self, Target};
use crate::debate::{Rejection, structured};

/// How many words a blog post has.
pub const BLOG_WORDS: std::ops::RangeInclusive<usize> = 800..=1500;
/// How many words are taken from one that was asked again.
const TAKEN_WORDS: std::ops::RangeInclusive<usize> = 400..=2200;
/// Words that only a debate on a panel has.
#[rustfmt::skip]
const TRACES: [&str; 27] = [
    "this debate", "the debate", "debater", "debaters", "the verifier", "opening statement", "opening statements",
    "closing statement", "closing statements", "closing remarks", "opening remarks", "panelist", "panelists", "panellist",
    "panellists", "the panel", "this panel", "panel discussion", "panel debate", "recent debate",
    "panel of experts", "closing argument", "closing arguments", "first speaker", "second speaker", "the fact-checker",
    "from the record",
];
/// Words that mostly speak of one, and can be words of a topic: they are asked about once, and noted then.
#[rustfmt::skip]
const LIKELY: [&str; 22] = [
    "discussant", "no winner",
    "a debate", "the chair", "the audience", "the judge", "the moderator", "a moderator", "moderator", "a winner",
    "the winner", "rebuttal", "rebuttals", "the speaker", "speakers", "transcript",
    "the debates", "the verdict", "redacted", "penalised", "penalized", "the log",
];

/// The blog post.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct BlogPost {
    /// Its title.
    #[schemars(length(min = 1))]
    pub title: String,
    /// The text in Markdown, both cases and the takeaways included.
    #[schemars(length(min = 1))]
    pub body: String,
    /// How many sentences were left out of it; no part of what is asked for.
    #[serde(default, skip_serializing_if = "super::chair::is_zero")]
    #[schemars(skip)]
    pub left_out: usize,
}

/// Reads the blog post: nothing in it is redacted, unverified, unreliable, or a trace of the debate.
pub(super) fn accept_blog(ground: &Ground, again: bool, text: &str) -> Result<BlogPost, Rejection> {
    let mut blog: BlogPost = structured::read("blog", text)?;
    blog.left_out = 0;
    let refuse = |code: &str, reason: String| Err(Rejection::new(format!("blog:{code}"), reason));
    let words = blog.words();
    let (fewest, most) = (BLOG_WORDS.start(), BLOG_WORDS.end());
    if !(if again { TAKEN_WORDS } else { BLOG_WORDS }).contains(&words) {
        return refuse("length", format!("use from {fewest} to {most} words; there were {words}"));
    }
    let whole = blog.whole();
    if let Some(url) = unverified(ground, &whole) {
        return refuse("source", format!("{url} was not verified; cite verified sources only"));
    }
    if ground.veil.covers(&whole) {
        return refuse("redacted", REPEATS.to_owned());
    }
    if ground.doubtful.covers(&whole) {
        let shown = ground.doubtful.over_text(&whole);
        let at = shown.find(super::REDACTED).unwrap_or(0);
        let before: String = shown[..at].chars().rev().take(60).collect::<Vec<_>>().into_iter().rev().collect();
        return refuse("unreliable", format!("it repeats what rests on an unreliable source, after \"…{before}\""));
    }
    let trace = traces(ground, &whole, &TRACES, |own, word| own == word).first().map(|trace| (*trace).to_owned());
    let trace = trace.or_else(|| seqs(&whole).first().map(|seq| format!("seq {seq}")));
    let likely = blog.likely_traces(ground);
    // One such word can be a word of the text; two of them, or somebody who says something, are not.
    let sure = likely.len() > 1 || blog.quotes_somebody(ground);
    let trace = trace.or_else(|| round(&whole)).or_else(|| likely.into_iter().next().filter(|_| !again || sure));
    if let Some(trace) = trace {
        return refuse("trace", format!("\"{trace}\" gives away that there was a debate; write about the topic alone"));
    }
    // What was asked about once and is said again is left out, as it is of a conclusion.
    if again {
        blog.leave_out(ground);
    }
    Ok(blog)
}

/// A source of a blog post that was not verified: an address, however it is written, a file or a commit.
fn unverified(ground: &Ground, text: &str) -> Option<String> {
    let is_verified = |url: &String| ground.verified.iter().any(|known| same(known, url) || same(bare(known), bare(url)));
    let cited = citation::find(text).into_iter().map(|citation| citation.target);
    let known: Vec<Target> =
        ground.verified.iter().flat_map(|url| citation::find(url)).map(|citation| citation.target).collect();
    // A file is named where lines of it are verified; other lines of it are not.
    let is_file = |target: &Target| match target {
        Target::File { path, lines: None } => {
            known.iter().any(|known| matches!(known, Target::File { path: known, .. } if known == path))
        }
        _ => false,
    };
    let places =
        cited.filter(|target| !matches!(target, Target::Page { .. }) && !known.contains(target) && !is_file(target));
    let bare = bare_addresses(text).into_iter().filter(|word| !is_pair_of_names(word));
    let addresses = addresses(text).into_iter().chain(bare).filter(|url| !is_verified(url));
    addresses.chain(places.map(|target| target.to_string())).next()
}

/// `Node.js/Express`, which is two names and no address.
fn is_pair_of_names(word: &str) -> bool {
    let capital = |name: &str| name.starts_with(char::is_uppercase) && name.chars().all(char::is_alphanumeric);
    word.split_once('/').is_some_and(|(one, other)| one.starts_with(char::is_uppercase) && capital(other))
}

/// `round 2`, which only a debate has; a round 2 of funding is another matter.
fn round(text: &str) -> Option<String> {
    let words = words(text);
    let of_debate = |word: &String| number_of(word).is_some() || matches!(word.as_str(), "the" | "this" | "debate");
    let is_round = |at: &usize| {
        let other = words.get(at + 2).is_some_and(|next| next == "of") && !words.get(at + 3).is_some_and(of_debate);
        words[*at] == "round" && words.get(at + 1).is_some_and(|number| number_of(number).is_some()) && !other
    };
    (0..words.len()).find(is_round).map(|at| words[at..at + 2].join(" "))
}

/// A word without the ending of its plural.
fn stem(word: &str) -> &str {
    word.strip_suffix('s').unwrap_or(word)
}

/// Verbs that tell what somebody said.
const SAYING: [&str; 20] = [
    "argued",
    "argues",
    "said",
    "says",
    "claimed",
    "claims",
    "replied",
    "countered",
    "counters",
    "objected",
    "conceded",
    "insisted",
    "maintains",
    "asked",
    "put",
    "puts",
    "held",
    "holds",
    "showed",
    "noted",
];

/// The words of a text in lower case, without what marks a genitive.
fn words(text: &str) -> Vec<String> {
    let plain = |word: &str| {
        let word = word.trim_matches(|c: char| !c.is_alphanumeric()).to_lowercase().replace('\u{2019}', "'");
        word.strip_suffix("'s").map_or(word.clone(), str::to_owned)
    };
    text.split(|c: char| c.is_whitespace() || matches!(c, '/' | '—' | '–'))
        .map(plain)
        .filter(|word| !word.is_empty())
        .collect()
}

impl BlogPost {
    /// How many words its text has.
    pub(super) fn words(&self) -> usize {
        self.body.split_whitespace().count()
    }

    fn whole(&self) -> String {
        format!("{}\n{}", self.title, self.body)
    }

    /// What is likely a trace of the debate, each once: a word for its parts, or the name of a debater. It can be a word of
    /// the text as well, so that a single one is asked about once.
    pub(super) fn likely_traces(&self, ground: &Ground) -> Vec<String> {
        likely(ground, &self.whole())
    }

    /// Takes out the sentences that have such a trace.
    fn leave_out(&mut self, ground: &Ground) {
        let mut kept = String::new();
        for range in sentences(&self.body) {
            let sentence = &self.body[range];
            if likely(ground, sentence).is_empty() {
                kept.push_str(sentence);
            } else {
                self.left_out += 1;
            }
        }
        self.body = kept;
    }

    /// Whether it tells what a debater said.
    fn quotes_somebody(&self, ground: &Ground) -> bool {
        let named: Vec<String> = named(ground, &self.whole()).iter().map(|name| name.to_lowercase()).collect();
        words(&self.whole()).windows(2).any(|pair| named.contains(&pair[0]) && SAYING.contains(&pair[1].as_str()))
    }
}

/// Those of these phrases that stand in a text. The words of the topic, in any form, give nothing away.
fn traces<'p>(ground: &Ground, text: &str, phrases: &[&'p str], alike: fn(&str, &str) -> bool) -> Vec<&'p str> {
    let (own, topic) = (words(text), words(&ground.topic));
    let known = |word: &&str| topic.iter().any(|known| stem(known) == stem(word));
    let stands = |phrase: &&&str| {
        let phrase: Vec<&str> = phrase.split(' ').collect();
        let of_topic = phrase.iter().filter(|word| !matches!(**word, "the" | "this" | "a")).all(known);
        let same = |window: &[String]| window.iter().zip(&phrase).all(|(own, word)| alike(own, word));
        !of_topic && own.windows(phrase.len()).any(same)
    };
    phrases.iter().filter(stands).copied().collect()
}

/// What is likely a trace of the debate in a text.
fn likely(ground: &Ground, text: &str) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    let mut heads: BTreeSet<String> = BTreeSet::new();
    for phrase in traces(ground, text, &LIKELY, |own, word| stem(own) == stem(word)) {
        if heads.insert(stem(phrase.rsplit(' ').next().unwrap_or(phrase)).to_owned()) {
            found.push(phrase.to_owned());
        }
    }
    found.extend(named(ground, text));
    if found.is_empty() {
        let struck = || sentences(text).into_iter().find_map(|range| struck(ground, &text[range]));
        found.extend(counted(ground, text).or_else(struck));
    }
    found
}

/// The debaters that a text names and the topic does not.
fn named(ground: &Ground, text: &str) -> Vec<String> {
    let (own, topic) = (words(text), words(&ground.topic));
    let is_named = |name: &&String| {
        let name = name.to_lowercase();
        own.contains(&name) && !topic.contains(&name)
    };
    ground.standing.keys().filter(is_named).cloned().collect()
}

/// `speaker one`, and `three rounds` of nothing.
fn counted(ground: &Ground, text: &str) -> Option<String> {
    let (own, topic) = (words(text), words(&ground.topic));
    let known = |word: &str| topic.iter().any(|known| stem(known) == stem(word));
    let at = (1..own.len()).find(|at| {
        let (before, word) = (own[at - 1].as_str(), own[*at].as_str());
        let rounds = word == "rounds" && number_of(before).is_some() && own.get(at + 1).is_none_or(|next| next != "of");
        (rounds && !known(word)) || (before == "speaker" && number_of(word).is_some() && !known(before))
    })?;
    Some(own[at - 1..=at].join(" "))
}

/// What was ruled of a source or a claim, which a text about the topic alone does not tell.
fn struck(ground: &Ground, sentence: &str) -> Option<String> {
    let (own, topic) = (words(sentence), words(&ground.topic));
    let new = |word: &&String| !topic.iter().any(|known| stem(known) == stem(word));
    let cited = |word: &&String| matches!(stem(word), "source" | "citation" | "claim");
    let ruled = |word: &&String| ["fabricat", "redact", "struck", "invented"].iter().any(|begins| word.starts_with(begins));
    let ruled = own.iter().filter(new).find(ruled)?;
    own.iter().filter(new).any(|word| cited(&word)).then(|| ruled.clone())
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use serde_json::json;

    use super::super::record::Record;
    use super::super::veil::{Struck, Veil};
    use super::*;

    fn ground(topic: &str) -> Ground {
        let veil = |text| Veil::over(&Struck { texts: vec![text], ..Struck::default() }, &[]);
        Ground {
            standing: BTreeMap::from([
                ("open-source".to_owned(), BTreeSet::from([2, 5])),
                ("anna".to_owned(), BTreeSet::new()),
            ]),
            verified: vec!["https://example.com/good".to_owned(), "docs/review.md:3".to_owned()],
            record: Record { entries: 9, ..Record::default() },
            topic: topic.to_owned(),
            veil: veil("Nine of ten teams dropped review within a year.").into(),
            doubtful: veil("Review pays back its cost in two weeks of work."),
        }
    }

    fn of(topic: &str, body: &str, filler: usize, again: bool) -> String {
        let text = json!({"title": "Review", "body": format!("{body} {}", "word ".repeat(filler))}).to_string();
        accept_blog(&ground(topic), again, &text).map_or_else(|r| r.code, |_| "taken".to_owned())
    }

    fn blog(body: &str, filler: usize, again: bool) -> String {
        of("Review?", body, filler, again)
    }

    #[test]
    fn a_blog_post_holds_nothing_unverified_unreliable_or_redacted() {
        assert_eq!(blog("See https://example.com/good.", 900, false), "taken");
        assert_eq!(blog("Short.", 20, false), "blog:length");
        assert_eq!(blog("Long.", 1600, false), "blog:length");
        assert_eq!(blog("Long.", 1600, true), "taken");
        assert_eq!(blog("See https://example.com/bad.", 900, false), "blog:source");
        assert_eq!(blog("Nine of ten teams dropped review within a year.", 900, false), "blog:redacted");
        assert_eq!(blog("Review pays back its cost in two weeks of work.", 900, true), "blog:unreliable");
        for source in
            ["docs/none.md:3", "www.evil.example/x", "evil.example/page", "[x](//evil.example/z)", "commit abc1234"]
        {
            assert_eq!(blog(&format!("As {source} shows, it is so."), 900, false), "blog:source", "{source}");
        }
        assert_eq!(blog("See example.com/good and docs/review.md:3, and/or both.", 900, false), "taken");
    }

    #[test]
    fn a_blog_post_has_no_trace_of_the_debate() {
        for trace in [
            "As seq 4 says.",
            "In this debate both are right.",
            "In round 2 it turned.",
            "In round two the case was turned around.",
            "In her closing argument she stayed firm.",
            "Our panel of experts was split.",
            "The first speaker said no, the second speaker yes.",
            "One claim was struck from the record.",
            "As anna put it, anna put much.",
            "The panel's verdict.",
            "A panel discussion on review.",
            "In a recent debate two experts argued.",
            "The judge declared a winner.",
            "Anna argued well.",
            "In round 2 of 3 it turned.",
        ] {
            assert_eq!(blog(trace, 900, true), "blog:trace", "{trace}");
        }
        for likely in [
            "The audience agreed.",
            "The judge was right.",
            "Anna is a name.",
            "A moderator asked.",
            "This is open-source work.",
            "The rebuttal was strong.",
        ] {
            assert_eq!(blog(likely, 900, false), "blog:trace", "{likely}");
            assert_eq!(blog(likely, 900, true), "taken", "{likely} may be a word of the text, and is left out");
        }
    }

    #[test]
    fn a_sentence_with_a_trace_that_is_said_again_is_left_out() {
        for likely in [
            "One claim was thrown out because its source was fabricated.",
            "The report said that the source was fabricated.",
            "One side's source turned out to be invented and was struck out.",
            "The discussants were at odds.",
            "They clashed for three rounds.",
            "The judges were right.",
            "There was no winner.",
            "Speaker one wanted review; speaker two did not.",
        ] {
            assert_eq!(blog(likely, 900, false), "blog:trace", "{likely}");
            let text = json!({"title": "Review", "body": format!("It pays. {likely} It does. {}", "word ".repeat(900))});
            let taken = accept_blog(&ground("Review?"), true, &text.to_string()).expect("taken when asked again");
            assert!(
                taken.body.starts_with("It pays. It does. word") && taken.left_out == 1,
                "{likely}: {}",
                &taken.body[..60]
            );
        }
        assert_eq!(of("Are sources fabricated?", "A source is fabricated with ease.", 900, false), "taken");
        assert_eq!(blog("It took three rounds of funding, and nobody invented it.", 900, false), "taken");
    }

    #[test]
    fn the_words_of_the_topic_give_nothing_away() {
        assert_eq!(of("Should the judge be elected?", "The judge is elected in some states.", 900, false), "taken");
        assert_eq!(of("Do solar panels pay?", "The panel pays for itself. The panels do.", 900, false), "taken");
        assert_eq!(blog("Node.js/Express and GitHub.com/Actions had a round 2 of funding.", 900, false), "taken");
        assert_eq!(blog("See docs/review.md for it.", 900, false), "taken");
        assert_eq!(blog("See docs/review.md:9 for it.", 900, false), "blog:source");
        assert_eq!(of("Is open-source work paid?", "Much of open-source work is not.", 900, false), "taken");
    }
}
