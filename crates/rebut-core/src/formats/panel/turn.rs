//! A debater's answer: one to three entries, and the checks that reject it.
//!
//! An entry that breaks a rule of the debate but can be logged is accepted and ruled on (`rules.rs`).

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::entry::seq_list;
use super::rules::MOST_SOURCES;
use super::source::is_in;
use super::{EntryType, Figure, Listed};
use crate::debate::{Rejection, structured};
use crate::evidence::{occurs_in, or_default, strict_object};
use crate::report::text::one_line;

pub(super) const MOST_ENTRIES: usize = 3;
/// The longest entry that is taken, with all that it lists, in bytes: later prompts must have room for it.
const LONGEST_ENTRY: usize = 16 * 1024;
const LONGEST_SENTENCE: usize = 300;

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Turn {
    pub entries: Vec<Said>,
}

/// One entry, as the debater gave it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Said {
    #[serde(rename = "type")]
    pub kind: EntryType,
    pub content: String,
    /// The entry in one sentence, for later prompts.
    pub in_one_sentence: String,
    #[serde(default, deserialize_with = "or_default", skip_serializing_if = "Vec::is_empty")]
    pub sources: Vec<Listed>,
    /// How many sources it listed beyond those that count.
    #[serde(default)]
    pub more_sources: usize,
    #[serde(default, deserialize_with = "or_default", skip_serializing_if = "Vec::is_empty")]
    pub figures: Vec<Figure>,
    /// Named models or theories that it brings in.
    #[serde(default, deserialize_with = "or_default", skip_serializing_if = "Vec::is_empty")]
    pub frameworks: Vec<Framework>,
    /// The own entry whose source it withdraws or replaces.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub corrects_seq: Option<u64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rebuttal_to_seq: Option<u64>,
    /// The entry whose source is challenged.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub target_seq: Option<u64>,
    /// The claim that a challenged source does not support, in the words of its entry.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub claim: Option<String>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Framework {
    pub name: String,
    pub description: String,
}

/// What a debater may say at a point of the debate.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub(super) struct TurnLimits {
    pub(super) types: Vec<EntryType>,
    pub(super) most: usize,
    pub(super) rebuttable: BTreeSet<u64>,
    /// Own entries with sources, which can be corrected.
    pub(super) correctable: BTreeSet<u64>,
    /// Entries whose sources can be challenged, with their words.
    pub(super) challengeable: BTreeMap<u64, String>,
}

/// The JSON Schema of what may be said; `commands` as in [`crate::evidence::Evidence::schema`].
pub(super) fn schema(limits: &TurnLimits, commands: Option<&[String]>) -> Value {
    let text = || json!({"type": "string"});
    let list = |items: Value| json!({"type": "array", "items": items});
    let one_of = |seqs: Vec<&u64>| {
        let seqs: Vec<Value> = seqs.into_iter().map(|seq| json!(seq)).chain([Value::Null]).collect();
        json!({"type": ["integer", "null"], "enum": seqs})
    };
    let mut fields = json!({
        "type": {"type": "string", "enum": limits.types},
        "content": text(), "in_one_sentence": text(),
        "sources": list(Listed::schema(commands)),
        "figures": list(strict_object(json!({"value": text(), "source": {"type": "integer", "minimum": 1}}))),
        "frameworks": list(strict_object(json!({"name": text(), "description": text()}))),
    });
    if !limits.correctable.is_empty() {
        fields["corrects_seq"] = one_of(limits.correctable.iter().collect());
    }
    if !limits.rebuttable.is_empty() {
        fields["rebuttal_to_seq"] = one_of(limits.rebuttable.iter().collect());
    }
    if !limits.challengeable.is_empty() {
        fields["target_seq"] = one_of(limits.challengeable.keys().collect());
        fields["claim"] = json!({"type": ["string", "null"]});
    }
    let mut entries = list(strict_object(fields));
    (entries["minItems"], entries["maxItems"]) = (json!(1), json!(limits.most));
    strict_object(json!({ "entries": entries }))
}

/// Reads a turn, and rejects one that can't be logged.
pub(super) fn accept(limits: &TurnLimits, text: &str) -> Result<Turn, Rejection> {
    let mut turn: Turn = structured::read("turn", text)?;
    let (count, most) = (turn.entries.len(), limits.most);
    if count == 0 || count > most {
        return Err(refuse("entries", format!("give 1 to {most} entries; there were {count}")));
    }
    for (entry, number) in turn.entries.iter_mut().zip(1_usize..) {
        let length = json!(entry).to_string().len();
        if length > LONGEST_ENTRY {
            let reason = format!("entry {number} has {length} bytes; at most {LONGEST_ENTRY} are allowed");
            return Err(refuse("too_long", reason));
        }
        tidy(entry);
        if let Some((code, reason)) = refused(limits, entry, number == count) {
            return Err(refuse(code, format!("entry {number}: {reason}")));
        }
    }
    Ok(turn)
}

/// Why an entry is rejected: a code and the reason.
fn refused(limits: &TurnLimits, entry: &Said, last: bool) -> Option<(&'static str, String)> {
    if !limits.types.contains(&entry.kind) {
        let types: Vec<&str> = limits.types.iter().map(|kind| kind.as_str()).collect();
        return Some(("type", format!("`{}` can't be used here; use {}", entry.kind, types.join(", "))));
    }
    if entry.content.is_empty() || entry.in_one_sentence.is_empty() {
        return Some(("empty", "content or in_one_sentence is empty".to_owned()));
    }
    let seq = |of: Option<u64>, known: &dyn Fn(&u64) -> bool| of.filter(|seq| !known(seq));
    if let Some(seq) = seq(entry.corrects_seq, &|seq| limits.correctable.contains(seq)) {
        let known = list(limits.correctable.iter());
        return Some((
            "reference",
            format!("seq {seq} is not an entry of yours with a source; corrects_seq can be {known}"),
        ));
    }
    listed(entry).or_else(|| match entry.kind {
        EntryType::Rebuttal => match entry.rebuttal_to_seq {
            None => Some(("no_reference", "a rebuttal names the entry it answers in rebuttal_to_seq".to_owned())),
            Some(seq) if !limits.rebuttable.contains(&seq) => {
                Some(("reference", format!("seq {seq} can't be rebutted; use {}", list(limits.rebuttable.iter()))))
            }
            Some(_) => None,
        },
        EntryType::SourceChallenge if !last => Some(("order", "a challenge must be the last entry".to_owned())),
        EntryType::SourceChallenge => challenged(limits, entry),
        EntryType::ClarificationRequest if !last => {
            Some(("order", "a clarification request must be the last entry".to_owned()))
        }
        _ => None,
    })
}

/// What is wrong with the sources and figures of an entry.
fn listed(entry: &Said) -> Option<(&'static str, String)> {
    let mut places = BTreeSet::new();
    for (source, number) in entry.sources.iter().zip(1..) {
        if let Some(fault) = source.fault() {
            return Some(("source", format!("source {number} {fault}")));
        }
        if !places.insert(source.place()) {
            return Some(("source", format!("source {number} is listed twice; give each quote of a file its own lines")));
        }
    }
    for Figure { value, source } in &entry.figures {
        if *source == 0 || *source > entry.sources.len() {
            return Some(("figure", format!("the figure {value} names source {source}, which is not in the list")));
        }
        if !is_in(value, &entry.content) {
            return Some(("figure", format!("the figure {value} is not in content as it is listed")));
        }
    }
    None
}

fn challenged(limits: &TurnLimits, entry: &Said) -> Option<(&'static str, String)> {
    let Some((seq, words)) = entry.target_seq.and_then(|seq| limits.challengeable.get_key_value(&seq)) else {
        return Some((
            "reference",
            format!("target_seq names an entry with sources: {}", list(limits.challengeable.keys())),
        ));
    };
    let claim = entry.claim.as_deref().unwrap_or_default().trim().trim_end_matches(['.', '!', ',', ';']);
    let reason = format!("claim must be copied from seq {seq}: the words that its source does not support");
    (!occurs_in(claim, words)).then_some(("claim", reason))
}

/// Brings an entry into its form, without the fields that its type has no use for.
fn tidy(entry: &mut Said) {
    entry.content = entry.content.trim().to_owned();
    entry.in_one_sentence = sentence(&entry.in_one_sentence);
    entry.more_sources = entry.sources.len().saturating_sub(MOST_SOURCES);
    entry.sources.truncate(MOST_SOURCES);
    for source in &mut entry.sources {
        source.title = one_line(&source.title);
    }
    for framework in &mut entry.frameworks {
        framework.name = one_line(&framework.name);
    }
    if entry.kind != EntryType::Rebuttal {
        entry.rebuttal_to_seq = None;
    }
    if entry.kind != EntryType::SourceChallenge {
        (entry.target_seq, entry.claim) = (None, None);
    }
    if !entry.kind.argues() {
        (entry.sources, entry.more_sources, entry.figures, entry.corrects_seq) = (Vec::new(), 0, Vec::new(), None);
    }
}

fn refuse(code: &str, reason: String) -> Rejection {
    Rejection::new(format!("turn:{code}"), reason)
}

fn list<'s>(seqs: impl Iterator<Item = &'s u64>) -> String {
    Some(seq_list(seqs)).filter(|seqs| !seqs.is_empty()).unwrap_or_else(|| "none".to_owned())
}

/// One line of bounded length.
pub(super) fn sentence(text: &str) -> String {
    let line = one_line(text);
    if line.chars().count() <= LONGEST_SENTENCE {
        return line;
    }
    line.chars().take(LONGEST_SENTENCE - 1).chain(['…']).collect()
}
