//! What the reporter and the assessor write. All that can be computed is not asked of them.

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::contradiction::contradiction;
use super::minutes::Minutes;
use super::record::Record;
use super::veil::{REPEATS, Veil};
use super::wording::sentences;
use crate::debate::{Rejection, structured};

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
    pub(super) veil: Rc<Veil>,
    /// What rests on unreliable sources, and belongs into no text that others shall rely on.
    pub(super) doubtful: Veil,
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
    if let Some(stranger) = notes.key_arguments.iter().find(|key| !ground.standing.contains_key(&key.name)) {
        return refuse("name", format!("`{}` is no debater of this panel", stranger.name));
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

/// How prose contradicts the record, in any of its parts.
pub(super) fn against_the_record(record: &Record, prose: &[String]) -> Option<String> {
    prose.iter().find_map(|text| contradiction(record, text))
}

impl Minutes<'_> {
    /// What a document says under words that still go against the record, with the first of those words; nothing where none
    /// do. Whoever reads the document alone reads that as well.
    pub fn objection(&self, prose: &[String]) -> Option<String> {
        let record = self.record();
        let text = prose.iter().find(|text| contradiction(&record, text).is_some())?;
        let sentence = sentences(text).into_iter().map(|range| text[range].trim());
        let sentence = sentence.into_iter().find(|sentence| contradiction(&record, sentence).is_some());
        let words = super::turn::sentence(sentence.unwrap_or(text));
        let why = contradiction(&record, sentence.unwrap_or(text))?;
        Some(format!("Words of this document go against the record: \"{words}\" ({why})."))
    }
}

impl SummaryNotes {
    /// It as a text, for whoever assesses it.
    pub(super) fn told(&self) -> String {
        let arguments = self
            .key_arguments
            .iter()
            .flat_map(|of| of.arguments.iter().map(|key| format!("{}, seq {}: {}", of.name, key.seq, key.argument)));
        let exchanges = self.notable_exchanges.iter().map(|exchange| format!("Exchange: {}", exchange.what));
        let lines = arguments.chain(exchanges).collect::<Vec<_>>().join("\n");
        format!("{}\n\n{lines}\n\n{}", self.overview, self.flow)
    }

    /// Everything that it says.
    pub fn prose(&self) -> Vec<String> {
        let arguments = self.key_arguments.iter().flat_map(|key| &key.arguments).map(|key| key.argument.clone());
        let exchanges = self.notable_exchanges.iter().map(|exchange| exchange.what.clone());
        [self.overview.clone(), self.flow.clone()].into_iter().chain(arguments).chain(exchanges).collect()
    }
}

impl Assessment {
    /// Everything that it says.
    pub fn prose(&self) -> Vec<String> {
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
    let mut schema = structured::schema::<Assessment>();
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
    use super::*;

    fn ground() -> Ground {
        Ground {
            standing: BTreeMap::from([
                ("vc-partner".to_owned(), BTreeSet::from([2, 5])),
                ("anna".to_owned(), BTreeSet::new()),
            ]),
            record: Record { entries: 9, ..Record::default() },
            ..Ground::default()
        }
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
