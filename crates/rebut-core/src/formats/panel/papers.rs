//! What the reporter and the assessor write. All that can be computed is not asked of them.

use std::collections::{BTreeMap, BTreeSet};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::figures::{addresses, same};
use super::record::seqs;
use super::veil::Veil;
use crate::debate::{Rejection, structured};

/// How many words a blog post has.
pub const BLOG_WORDS: std::ops::RangeInclusive<usize> = 800..=1500;
/// How many words are taken from one that was asked again.
const TAKEN_WORDS: std::ops::RangeInclusive<usize> = 400..=2200;
/// Words that give away that there was a debate.
const TRACES: [&str; 8] = [
    "this debate",
    "the debate",
    "debater",
    "the verifier",
    "the chair ruled",
    "opening statement",
    "closing statement",
    "panelist",
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
    /// How many entries the log has.
    pub(super) entries: u64,
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
pub(super) fn accept_summary(ground: &Ground, text: &str) -> Result<SummaryNotes, Rejection> {
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
    if let Some(stray) = notes.notable_exchanges.iter().flat_map(|e| &e.seqs).find(|seq| **seq >= ground.entries) {
        return refuse("reference", format!("there is no entry with seq {stray}"));
    }
    if ground.veil.covers(&json!(notes).to_string()) {
        return refuse("redacted", "it repeats words that were redacted; leave them out".to_owned());
    }
    Ok(notes)
}

/// Reads the blog post: nothing in it is redacted, unverified, or a trace of the debate.
pub(super) fn accept_blog(ground: &Ground, again: bool, text: &str) -> Result<BlogPost, Rejection> {
    let blog: BlogPost = structured::read("blog", text)?;
    let refuse = |code: &str, reason: String| Err(Rejection::new(format!("blog:{code}"), reason));
    let words = blog.body.split_whitespace().count();
    let (fewest, most) = (BLOG_WORDS.start(), BLOG_WORDS.end());
    if !(if again { TAKEN_WORDS } else { BLOG_WORDS }).contains(&words) {
        return refuse("length", format!("use from {fewest} to {most} words; there were {words}"));
    }
    let whole = format!("{}\n{}", blog.title, blog.body);
    let is_verified = |url: &String| ground.verified.iter().any(|known| same(known, url));
    if let Some(url) = addresses(&whole).into_iter().find(|url| !is_verified(url)) {
        return refuse("source", format!("{url} was not verified; cite verified sources only"));
    }
    if ground.veil.covers(&whole) {
        return refuse("redacted", "it repeats words that were redacted; leave them out".to_owned());
    }
    let lower = whole.to_lowercase();
    // A name of one plain word can be a word of the text; one with a hyphen cannot.
    let names = ground.standing.keys().map(|name| name.to_lowercase()).filter(|name| name.contains('-'));
    let trace = TRACES.iter().map(|trace| (*trace).to_owned()).chain(names).find(|trace| lower.contains(trace));
    if let Some(trace) = trace.or_else(|| seqs(&whole).first().map(|seq| format!("seq {seq}"))) {
        return refuse("trace", format!("\"{trace}\" gives away that there was a debate; write about the topic alone"));
    }
    Ok(blog)
}

/// Reads the notes on the verifier's work.
pub(super) fn accept_notes(ground: &Ground, text: &str) -> Result<VerifierNotes, Rejection> {
    let notes: VerifierNotes = structured::read("notes", text)?;
    let whole = notes.notable_findings.join("\n");
    if ground.veil.covers(&whole) {
        return Err(Rejection::new("notes:redacted", "it repeats words that were redacted; leave them out"));
    }
    if let Some(seq) = seqs(&whole).into_iter().find(|seq| *seq >= ground.entries) {
        return Err(Rejection::new("notes:reference", format!("there is no entry with seq {seq}")));
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
pub(super) fn accept_assessment(parts: &[&str], veil: &Veil, text: &str) -> Result<Assessment, Rejection> {
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
    if veil.covers(&json!(assessment).to_string()) {
        return refuse("redacted", "it repeats words that were redacted; leave them out".to_owned());
    }
    Ok(assessment)
}

#[cfg(test)]
mod tests {
    use super::super::veil::Struck;
    use super::*;

    fn ground() -> Ground {
        Ground {
            standing: BTreeMap::from([("vc-partner".to_owned(), BTreeSet::from([2, 5]))]),
            verified: vec!["https://example.com/good".to_owned()],
            entries: 9,
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
    }

    #[test]
    fn a_summary_names_arguments_that_stand() {
        let code = |seqs: &[u64]| {
            let arguments: Vec<Value> = seqs.iter().map(|seq| json!({"seq": seq, "argument": "a"})).collect();
            let notes = json!({
                "overview": "o", "key_arguments": [{"name": "vc-partner", "arguments": arguments}],
                "notable_exchanges": [], "flow": "f",
            });
            accept_summary(&ground(), &notes.to_string()).map_or_else(|r| r.code, |_| "taken".to_owned())
        };
        assert_eq!(code(&[2, 5]), "taken");
        assert_eq!(code(&[2]), "summary:arguments");
        assert_eq!(code(&[2, 4]), "summary:reference");
    }
}
