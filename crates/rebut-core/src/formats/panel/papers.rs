//! What the reporter and the assessor write. All that can be computed is not asked of them.

use std::collections::{BTreeMap, BTreeSet};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::addresses::{addresses, bare, bare_addresses, same};
use super::contradiction::contradiction;
use super::record::{Record, seqs};
use super::veil::{REPEATS, Veil};
use crate::claims::citation::{self, Target};
use crate::debate::{Rejection, structured};

/// How many words a blog post has.
pub const BLOG_WORDS: std::ops::RangeInclusive<usize> = 800..=1500;
/// How many words are taken from one that was asked again.
const TAKEN_WORDS: std::ops::RangeInclusive<usize> = 400..=2200;
/// Words that give away that there was a debate.
const TRACES: [&str; 17] = [
    "this debate",
    "the debate",
    "debater",
    "the verifier",
    "the chair ",
    "the chair,",
    "opening statement",
    "closing statement",
    "panelist",
    "panellist",
    "the panel ",
    "the panel,",
    "the panel.",
    "the audience",
    "the judge",
    "a winner",
    "the winner",
];

/// The reporter's part of the summary.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SummaryNotes {
    /// What the debate was about and how it went, in a few sentences.
    #[schemars(length(min = 1))]
    pub overview: String,
    /// The key arguments of each debater.
    pub key_arguments: Vec<KeyArguments>,
    /// Exchanges that are worth reading.
    pub notable_exchanges: Vec<Exchange>,
    /// How the debate moved.
    #[schemars(length(min = 1))]
    pub flow: String,
}

/// The key arguments of a debater.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct KeyArguments {
    /// The debater.
    pub name: String,
    /// Three to five of them.
    #[schemars(length(max = 5))]
    pub arguments: Vec<KeyArgument>,
}

/// An argument in one sentence.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct KeyArgument {
    /// The entry it stands in.
    pub seq: u64,
    /// The argument.
    #[schemars(length(min = 1))]
    pub argument: String,
}

/// An exchange between entries.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Exchange {
    /// The entries.
    #[schemars(length(min = 1))]
    pub seqs: Vec<u64>,
    /// What happened between them.
    #[schemars(length(min = 1))]
    pub what: String,
}

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
}

/// The reporter's notes on the verifier's work.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct VerifierNotes {
    /// What is worth knowing of the findings, one sentence each.
    pub notable_findings: Vec<String>,
}

/// The assessor's report.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Assessment {
    /// How well the debate was held.
    pub rating: Rating,
    /// Everybody's part.
    pub parts: Vec<Part>,
    /// Three to five ways to hold the next debate better.
    #[schemars(length(min = 3, max = 5))]
    pub execution_improvements: Vec<String>,
    /// Three to five ways to better documents.
    #[schemars(length(min = 3, max = 5))]
    pub output_improvements: Vec<String>,
}

/// How well a debate was held.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[expect(missing_docs, reason = "the names say it")]
pub enum Rating {
    Excellent,
    Good,
    Adequate,
    Poor,
}

impl Rating {
    /// The rating in one word.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Excellent => "Excellent",
            Self::Good => "Good",
            Self::Adequate => "Adequate",
            Self::Poor => "Poor",
        }
    }
}

/// How somebody did.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Part {
    /// The chair, a debater, the reporter, the verifier or the audience.
    pub who: String,
    /// What was good.
    pub strengths: Vec<String>,
    /// What was not.
    pub improvements: Vec<String>,
    /// What to do about it.
    pub suggestions: Vec<String>,
}

/// What the reporter's texts are held to.
#[derive(Clone, Debug, Default)]
pub(super) struct Ground {
    /// The entries of each debater that stand.
    pub(super) standing: BTreeMap<String, BTreeSet<u64>>,
    /// Sources that were verified.
    pub(super) verified: Vec<String>,
    /// What stands on record.
    pub(super) record: Record,
    /// The topic, whose words give nothing away.
    pub(super) topic: String,
    /// What may not be repeated.
    pub(super) veil: Veil,
}

/// The JSON Schema of a summary of these debaters.
pub(super) fn summary_schema(ground: &Ground) -> Value {
    let mut schema = schemars::schema_for!(SummaryNotes).to_value();
    let names: Vec<&String> = ground.standing.keys().collect();
    let seqs: BTreeSet<&u64> = ground.standing.values().flatten().collect();
    if let Some(field) = schema.pointer_mut("/$defs/KeyArguments/properties/name") {
        *field = json!({ "type": "string", "enum": names });
    }
    if let Some(field) = schema.pointer_mut("/$defs/KeyArgument/properties/seq") {
        *field = json!({ "type": "integer", "enum": seqs });
    }
    schema
}

/// Reads the reporter's part of the summary.
pub(super) fn accept_summary(ground: &Ground, again: bool, text: &str) -> Result<SummaryNotes, Rejection> {
    let notes: SummaryNotes = structured::read("summary", text)?;
    let refuse = |code: &str, reason: String| Err(Rejection::new(format!("summary:{code}"), reason));
    for (name, standing) in &ground.standing {
        let own: Vec<&KeyArguments> = notes.key_arguments.iter().filter(|key| key.name == *name).collect();
        let count: usize = own.iter().map(|key| key.arguments.len()).sum();
        // Whoever said less than three things has less than three arguments.
        let fewest = standing.len().min(3);
        if !(fewest..=5).contains(&count) {
            return refuse("arguments", format!("name from {fewest} to 5 key arguments of {name}; there were {count}"));
        }
        if let Some(stray) = own.iter().flat_map(|key| &key.arguments).find(|key| !standing.contains(&key.seq)) {
            return refuse("reference", format!("seq {} is no argument of {name} that stands", stray.seq));
        }
    }
    let exchanged = || notes.notable_exchanges.iter().flat_map(|exchange| &exchange.seqs);
    if let Some(stray) = exchanged().find(|seq| **seq >= ground.record.entries) {
        return refuse("reference", format!("there is no entry with seq {stray}"));
    }
    if let Some(reason) = against_the_record(&ground.record, &notes.prose()).filter(|_| !again) {
        return refuse("contradicts_the_record", reason);
    }
    if ground.veil.covers(&json!(notes).to_string()) {
        return refuse("redacted", REPEATS.to_owned());
    }
    Ok(notes)
}

/// Reads the blog post: nothing in it is redacted, unverified, or a trace of the debate.
pub(super) fn accept_blog(ground: &Ground, again: bool, text: &str) -> Result<BlogPost, Rejection> {
    let blog: BlogPost = structured::read("blog", text)?;
    let refuse = |code: &str, reason: String| Err(Rejection::new(format!("blog:{code}"), reason));
    let words = blog.words();
    let (fewest, most) = (BLOG_WORDS.start(), BLOG_WORDS.end());
    if !(if again { TAKEN_WORDS } else { BLOG_WORDS }).contains(&words) {
        return refuse("length", format!("use from {fewest} to {most} words; there were {words}"));
    }
    let whole = format!("{}\n{}", blog.title, blog.body);
    if let Some(url) = unverified(ground, &whole) {
        return refuse("source", format!("{url} was not verified; cite verified sources only"));
    }
    if ground.veil.covers(&whole) {
        return refuse("redacted", REPEATS.to_owned());
    }
    let lower = whole.to_lowercase();
    // A name of one plain word can be a word of the text; one with a hyphen cannot.
    let names = ground.standing.keys().map(|name| name.to_lowercase()).filter(|name| name.contains('-'));
    let trace = TRACES.iter().map(|trace| (*trace).to_owned()).chain(names).find(|trace| lower.contains(trace));
    let trace = trace.or_else(|| round(&lower));
    let trace = trace.or_else(|| blog.named(ground).filter(|_| !again));
    if let Some(trace) = trace.or_else(|| seqs(&whole).first().map(|seq| format!("seq {seq}"))) {
        let trace = trace.trim_end_matches([' ', ',', '.']);
        return refuse("trace", format!("\"{trace}\" gives away that there was a debate; write about the topic alone"));
    }
    Ok(blog)
}

/// A source of a blog post that was not verified: an address, however it is written, a file or a commit.
fn unverified(ground: &Ground, text: &str) -> Option<String> {
    let is_verified = |url: &String| ground.verified.iter().any(|known| same(known, url) || same(bare(known), bare(url)));
    let cited = citation::find(text).into_iter().map(|citation| citation.target);
    let known: Vec<Target> =
        ground.verified.iter().flat_map(|url| citation::find(url)).map(|citation| citation.target).collect();
    let places = cited.filter(|target| !matches!(target, Target::Page { .. }) && !known.contains(target));
    let addresses = addresses(text).into_iter().chain(bare_addresses(text)).filter(|url| !is_verified(url));
    addresses.chain(places.map(|target| target.to_string())).next()
}

/// `round 2`, which only a debate has.
fn round(lower: &str) -> Option<String> {
    let words: Vec<&str> = lower.split_whitespace().map(|word| word.trim_matches(|c: char| !c.is_alphanumeric())).collect();
    let mut pairs = words.windows(2);
    pairs.find(|pair| pair[0] == "round" && pair[1].parse::<u32>().is_ok()).map(|pair| pair.join(" "))
}

/// How prose contradicts the record, in any of its parts.
pub(super) fn against_the_record(record: &Record, prose: &[String]) -> Option<String> {
    prose.iter().find_map(|text| contradiction(record, None, text))
}

impl BlogPost {
    /// How many words its text has.
    pub(super) fn words(&self) -> usize {
        self.body.split_whitespace().count()
    }

    /// The name of a debater that stands in it as a word. A name of one plain word can be a word of the text, so that it is
    /// asked about once, and noted then.
    pub(super) fn named(&self, ground: &Ground) -> Option<String> {
        let words = |text: &str| -> BTreeSet<String> {
            text.split(|c: char| !c.is_alphanumeric() && c != '-').map(str::to_lowercase).collect()
        };
        let (own, topic) = (words(&format!("{} {}", self.title, self.body)), words(&ground.topic));
        ground
            .standing
            .keys()
            .find(|name| own.contains(&name.to_lowercase()) && !topic.contains(&name.to_lowercase()))
            .cloned()
    }
}

impl SummaryNotes {
    /// Everything that it says.
    pub(super) fn prose(&self) -> Vec<String> {
        let arguments = self.key_arguments.iter().flat_map(|key| &key.arguments).map(|key| key.argument.clone());
        let exchanges = self.notable_exchanges.iter().map(|exchange| exchange.what.clone());
        [self.overview.clone(), self.flow.clone()].into_iter().chain(arguments).chain(exchanges).collect()
    }
}

impl Assessment {
    /// Everything that it says.
    pub(super) fn prose(&self) -> Vec<String> {
        let parts = self.parts.iter().flat_map(|part| [&part.strengths, &part.improvements, &part.suggestions]);
        let lists = parts.chain([&self.execution_improvements, &self.output_improvements]);
        lists.flatten().cloned().collect()
    }
}

/// Reads the notes on the verifier's work.
pub(super) fn accept_notes(ground: &Ground, again: bool, text: &str) -> Result<VerifierNotes, Rejection> {
    let notes: VerifierNotes = structured::read("notes", text)?;
    let whole = notes.notable_findings.join("\n");
    if ground.veil.covers(&whole) {
        return Err(Rejection::new("notes:redacted", REPEATS));
    }
    if let Some(reason) = against_the_record(&ground.record, &[whole]).filter(|_| !again) {
        return Err(Rejection::new("notes:contradicts_the_record", reason));
    }
    Ok(notes)
}

/// The JSON Schema of an assessment of these.
pub(super) fn assessment_schema(parts: &[&str]) -> Value {
    let mut schema = schemars::schema_for!(Assessment).to_value();
    if let Some(field) = schema.pointer_mut("/$defs/Part/properties/who") {
        *field = json!({ "type": "string", "enum": parts });
    }
    schema
}

/// Reads an assessment of these.
pub(super) fn accept_assessment(parts: &[&str], ground: &Ground, again: bool, text: &str) -> Result<Assessment, Rejection> {
    let assessment: Assessment = structured::read("assessment", text)?;
    let refuse = |code: &str, reason: String| Err(Rejection::new(format!("assessment:{code}"), reason));
    for who in parts {
        let count = assessment.parts.iter().filter(|part| part.who == *who).count();
        if count != 1 {
            return refuse("parts", format!("assess {who} once; there were {count}"));
        }
    }
    if assessment.parts.len() != parts.len() {
        return refuse("parts", "assess those who took part and nobody else".to_owned());
    }
    for (what, list) in [
        ("execution_improvements", &assessment.execution_improvements),
        ("output_improvements", &assessment.output_improvements),
    ] {
        if !(3..=5).contains(&list.len()) {
            return refuse("count", format!("name from 3 to 5 {what}; there were {}", list.len()));
        }
    }
    if let Some(reason) = against_the_record(&ground.record, &assessment.prose()).filter(|_| !again) {
        return refuse("contradicts_the_record", reason);
    }
    if ground.veil.covers(&json!(assessment).to_string()) {
        return refuse("redacted", REPEATS.to_owned());
    }
    Ok(assessment)
}

#[cfg(test)]
mod tests {
    use super::super::veil::Struck;
    use super::*;

    fn ground() -> Ground {
        Ground {
            standing: BTreeMap::from([
                ("vc-partner".to_owned(), BTreeSet::from([2, 5])),
                ("anna".to_owned(), BTreeSet::new()),
            ]),
            verified: vec!["https://example.com/good".to_owned(), "docs/review.md:3".to_owned()],
            record: Record { entries: 9, ..Record::default() },
            topic: "Review?".to_owned(),
            veil: Veil::over(&Struck {
                texts: vec!["Nine of ten teams dropped review within a year."],
                ..Struck::default()
            }),
        }
    }

    fn blog(body: &str, filler: usize, again: bool) -> String {
        let text = json!({"title": "Review", "body": format!("{body} {}", "word ".repeat(filler))}).to_string();
        accept_blog(&ground(), again, &text).map_or_else(|r| r.code, |_| "taken".to_owned())
    }

    #[test]
    fn a_blog_post_holds_nothing_unverified_redacted_or_of_the_debate() {
        assert_eq!(blog("See https://example.com/good.", 900, false), "taken");
        assert_eq!(blog("Short.", 20, false), "blog:length");
        assert_eq!(blog("Long.", 1600, false), "blog:length");
        assert_eq!(blog("Long.", 1600, true), "taken");
        assert_eq!(blog("See https://example.com/bad.", 900, false), "blog:source");
        assert_eq!(blog("Nine of ten teams dropped review within a year.", 900, false), "blog:redacted");
        assert_eq!(blog("As seq 4 says.", 900, false), "blog:trace");
        assert_eq!(blog("The vc-partner objects.", 900, false), "blog:trace");
        assert_eq!(blog("In this debate both are right.", 900, false), "blog:trace");
        for trace in ["In round 2 it turned.", "The audience agreed.", "The judge declared a winner.", "Anna argued well."] {
            assert_eq!(blog(trace, 900, false), "blog:trace", "{trace}");
        }
        assert_eq!(blog("Anna argued well.", 900, true), "taken", "it may be a word of the text, and is noted");
        for source in
            ["docs/none.md:3", "www.evil.example/x", "evil.example/page", "[x](//evil.example/z)", "commit abc1234"]
        {
            assert_eq!(blog(&format!("As {source} shows, it is so."), 900, false), "blog:source", "{source}");
        }
        assert_eq!(blog("See example.com/good and docs/review.md:3, and/or both.", 900, false), "taken");
    }

    #[test]
    fn a_summary_names_arguments_that_stand() {
        let code = |seqs: &[u64]| {
            let arguments: Vec<Value> = seqs.iter().map(|seq| json!({"seq": seq, "argument": "a"})).collect();
            let notes = json!({
                "overview": "o", "key_arguments": [{"name": "vc-partner", "arguments": arguments}],
                "notable_exchanges": [], "flow": "f",
            });
            accept_summary(&ground(), false, &notes.to_string()).map_or_else(|r| r.code, |_| "taken".to_owned())
        };
        assert_eq!(code(&[2, 5]), "taken");
        assert_eq!(code(&[2]), "summary:arguments");
        assert_eq!(code(&[2, 4]), "summary:reference");
    }
}
