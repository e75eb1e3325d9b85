//! What the reporter and the assessor write. All that can be computed is not asked of them.

use std::collections::{BTreeMap, BTreeSet};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::veil::word_count;
use crate::debate::{Rejection, structured};
use crate::named::named;

/// How many words a blog post has.
pub(super) const BLOG_WORDS: std::ops::RangeInclusive<usize> = 800..=1500;
/// How many words are taken from one that was asked for again.
const TAKEN_WORDS: std::ops::RangeInclusive<usize> = 400..=2200;

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
    /// Each participant's part.
    pub parts: Vec<Part>,
    /// Three to five ways to hold the next debate better.
    #[schemars(length(min = 3, max = 5))]
    pub execution_improvements: Vec<String>,
    /// Three to five ways to better documents.
    #[schemars(length(min = 3, max = 5))]
    pub output_improvements: Vec<String>,
}

named! {
    /// How well a debate was held.
    #[derive(JsonSchema)]
    pub enum Rating {
        Excellent = "Excellent",
        Good = "Good",
        Adequate = "Adequate",
        Poor = "Poor",
    }
}

/// How a participant did.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Part {
    /// The chair, a debater, the reporter, the verifier or the audience.
    pub who: String,
    /// What was good.
    pub strengths: Vec<String>,
    pub improvements: Vec<String>,
    /// What to do about it.
    pub suggestions: Vec<String>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct BlogPost {
    #[schemars(length(min = 1))]
    pub title: String,
    /// The text in Markdown: both cases and the takeaways, without links.
    #[schemars(length(min = 1))]
    pub body: String,
    /// The verified sources that it rests on.
    pub sources: Vec<String>,
}

impl BlogPost {
    pub(super) fn words(&self) -> usize {
        word_count(&self.body)
    }
}

/// What the reporter's texts can refer to.
#[derive(Clone, Debug, Default)]
pub(super) struct Ground {
    /// The entries of each debater that were not redacted.
    pub(super) standing: BTreeMap<String, BTreeSet<u64>>,
    /// How many entries the log has.
    pub(super) entries: u64,
    /// Sources that were verified.
    pub(super) verified: Vec<String>,
}

/// The JSON Schema of a summary of these debaters.
pub(super) fn summary_schema(ground: &Ground) -> Value {
    let mut schema = structured::schema::<SummaryNotes>();
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
        // A debater with fewer than three entries has fewer than three arguments.
        let fewest = standing.len().min(3);
        if !(fewest..=5).contains(&count) {
            return refuse("arguments", format!("name {fewest} to 5 key arguments of {name}; there were {count}"));
        }
        if let Some(stray) = own.iter().flat_map(|key| &key.arguments).find(|key| !standing.contains(&key.seq)) {
            return refuse("reference", format!("seq {} is redacted or no argument of {name}", stray.seq));
        }
    }
    if let Some(stranger) = notes.key_arguments.iter().find(|key| !ground.standing.contains_key(&key.name)) {
        return refuse("name", format!("`{}` is no debater of this panel", stranger.name));
    }
    let exchanged = || notes.notable_exchanges.iter().flat_map(|exchange| &exchange.seqs);
    if let Some(stray) = exchanged().find(|seq| **seq >= ground.entries) {
        return refuse("reference", format!("there is no entry with seq {stray}"));
    }
    Ok(notes)
}

impl SummaryNotes {
    /// Overview and flow, for the assessor.
    pub(super) fn told(&self) -> String {
        format!("{}\n\n{}", self.overview, self.flow)
    }
}

/// The JSON Schema of a blog post that can rest on these sources.
pub(super) fn blog_schema(verified: &[String]) -> Value {
    let mut schema = structured::schema::<BlogPost>();
    if let Some(field) = schema.pointer_mut("/properties/sources") {
        *field = match verified {
            [] => json!({ "type": "array", "items": {"type": "string"}, "maxItems": 0 }),
            _ => json!({ "type": "array", "items": {"type": "string", "enum": verified} }),
        };
    }
    schema
}

/// Reads the blog post. One that was asked for `again` may be somewhat shorter or longer than it should be.
pub(super) fn accept_blog(ground: &Ground, again: bool, text: &str) -> Result<BlogPost, Rejection> {
    let blog: BlogPost = structured::read("blog", text)?;
    let words = blog.words();
    let (fewest, most) = (BLOG_WORDS.start(), BLOG_WORDS.end());
    if !(if again { TAKEN_WORDS } else { BLOG_WORDS }).contains(&words) {
        return Err(Rejection::new("blog:length", format!("use {fewest} to {most} words; there were {words}")));
    }
    match blog.sources.iter().find(|source| !ground.verified.contains(source)) {
        Some(source) => Err(Rejection::new("blog:source", format!("{source} is not among the verified sources"))),
        None => Ok(blog),
    }
}

/// The JSON Schema of an assessment of these.
pub(super) fn assessment_schema(parts: &[&str]) -> Value {
    let mut schema = structured::schema::<Assessment>();
    if let Some(field) = schema.pointer_mut("/$defs/Part/properties/who") {
        *field = json!({ "type": "string", "enum": parts });
    }
    schema
}

/// Reads an assessment of these.
pub(super) fn accept_assessment(parts: &[&str], text: &str) -> Result<Assessment, Rejection> {
    let assessment: Assessment = structured::read("assessment", text)?;
    let refuse = |code: &str, reason: String| Err(Rejection::new(format!("assessment:{code}"), reason));
    for who in parts {
        let count = assessment.parts.iter().filter(|part| part.who == *who).count();
        if count != 1 {
            return refuse("parts", format!("assess {who} once; there were {count}"));
        }
    }
    if assessment.parts.len() != parts.len() {
        return refuse("parts", "assess only those who took part".to_owned());
    }
    for (what, list) in [
        ("execution_improvements", &assessment.execution_improvements),
        ("output_improvements", &assessment.output_improvements),
    ] {
        if !(3..=5).contains(&list.len()) {
            return refuse("count", format!("name 3 to 5 {what}; there were {}", list.len()));
        }
    }
    Ok(assessment)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ground() -> Ground {
        Ground {
            standing: BTreeMap::from([
                ("vc-partner".to_owned(), BTreeSet::from([2, 5])),
                ("anna".to_owned(), BTreeSet::new()),
            ]),
            entries: 9,
            verified: vec!["docs/a.md:3".to_owned()],
        }
    }

    #[test]
    fn a_summary_names_arguments_that_were_not_redacted() {
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

    #[test]
    fn a_blog_post_lists_verified_sources_and_has_its_length() {
        let code = |words: usize, source: &str, again| {
            let blog = json!({"title": "t", "body": "word ".repeat(words), "sources": [source]}).to_string();
            accept_blog(&ground(), again, &blog).map_or_else(|r| r.code, |_| "taken".to_owned())
        };
        assert_eq!(code(800, "docs/a.md:3", false), "taken");
        assert_eq!(code(799, "docs/a.md:3", false), "blog:length");
        assert_eq!(code(500, "docs/a.md:3", true), "taken");
        assert_eq!(code(800, "docs/b.md:3", true), "blog:source");
    }
}
