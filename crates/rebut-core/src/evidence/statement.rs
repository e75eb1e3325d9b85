//! A statement: Markdown for people, then one fenced JSON block that lists what its speaker claims and concedes.
//!
//! The block is read strictly and the prose not at all.

use std::cell::LazyCell;
use std::collections::BTreeSet;
use std::sync::OnceLock;

use serde::{Deserialize, Deserializer, Serialize};
use serde_json::{Value, json};

use super::check::Cited;
use super::fences::fences;
use super::item::strict_object;
use super::{ClaimId, Evidence, mentions};
use crate::debate::structured;

/// The most prose of a statement that is kept, in bytes: several times what is asked for.
const MOST_PROSE: usize = 24 * 1024;
/// The most claims of a statement that count, and the most pieces of evidence of a claim.
const MOST_CLAIMS: usize = 30;
const MOST_EVIDENCE: usize = 10;
/// The longest path, address or pattern of evidence, the longest quote, and the longest position, in bytes.
const LONGEST_NAME: usize = 1_000;
const LONGEST_QUOTE: usize = 4_000;
const LONGEST_POSITION: usize = 2_000;
/// How many entries that were left out are named.
const MOST_DROPPED: usize = 10;
/// The shortest words of a concession that are looked for, in characters: fewer say nothing and are found anywhere.
const SHORTEST_WORDS: usize = 8;

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Statement {
    /// The prose, without the block.
    pub body: String,
    /// How many bytes the prose had before it was cut, if it was.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cut_from: Option<usize>,
    /// What the block lists, or why there is none.
    pub block: Block,
    #[serde(skip)]
    pub(crate) mentions: Mentions,
}

/// What the prose mentions, scanned when it is first asked for: a format asks after every event.
#[derive(Clone, Debug, Default)]
pub(crate) struct Mentions(OnceLock<Vec<Cited>>);

impl PartialEq for Mentions {
    fn eq(&self, _other: &Self) -> bool {
        true
    }
}

impl Eq for Mentions {}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Block {
    Listed(Listing),
    /// There is none, or it could not be read, for this reason.
    Missing(String),
}

impl Block {
    /// The block of a statement that was asked for in a separate call. It is asked for once.
    pub fn asked_for(text: &str, body: &str, known: Known<'_>) -> Self {
        let json = structured::find_json(text).ok_or_else(|| "no JSON object".to_owned());
        json.and_then(|json| Listing::read(json, body, known)).map_or_else(Self::Missing, Self::Listed)
    }

    pub fn listing(&self) -> Option<&Listing> {
        match self {
            Self::Listed(listing) => Some(listing),
            Self::Missing(_) => None,
        }
    }
}

impl Default for Block {
    fn default() -> Self {
        Self::Listed(Listing::default())
    }
}

/// What a speaker lists: position, claims and concessions.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Listing {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub position: Option<String>,
    /// Whether the speaker moved since its last answer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub moved: Option<Moved>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub because: Vec<ClaimId>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub claims: Vec<Claim>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub concedes: Vec<Concession>,
    /// What was left out of the list, each with its reason: `names C9.9: no such claim`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub dropped: Vec<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Moved {
    No,
    Partly,
    /// To another position.
    Yes,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Claim {
    /// The claim in one sentence.
    pub text: String,
    /// The evidence for it; none makes the claim unsupported.
    #[serde(default, skip_serializing_if = "Vec::is_empty", deserialize_with = "or_default")]
    pub evidence: Vec<Evidence>,
    #[serde(default, skip_serializing_if = "Vec::is_empty", deserialize_with = "or_default")]
    pub attacks: Vec<ClaimId>,
}

/// A concession: a claim of another side that is granted, or one of the speaker's own that is withdrawn.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Concession {
    pub claim: ClaimId,
    /// The words of the statement that concede it, if they occur there.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub words: Option<String>,
}

/// The claims that a statement can name: those made before it.
#[derive(Clone, Copy, Debug)]
pub struct Known<'a> {
    /// The letter of the speaker's own claims.
    pub own: &'a str,
    pub ids: &'a BTreeSet<ClaimId>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Wire {
    #[serde(default)]
    position: Option<String>,
    #[serde(default)]
    moved: Option<Moved>,
    #[serde(default, deserialize_with = "or_default")]
    because: Vec<ClaimId>,
    claims: Vec<Claim>,
    #[serde(default, deserialize_with = "or_default")]
    concedes: Vec<Concession>,
}

impl Statement {
    /// Reads an answer. None where it has a block and no prose.
    pub fn read(text: &str, known: Known<'_>) -> Option<Self> {
        let (prose, block) = split(text);
        if prose.is_empty() {
            return None;
        }
        let (body, cut_from) = cut(&prose);
        let block = match block {
            Some(block) => match Listing::read(block, &prose, known) {
                Ok(listing) => Block::Listed(listing),
                Err(why) => Block::Missing(why),
            },
            None => Block::Missing("no block with claims".to_owned()),
        };
        Some(Self { body, cut_from, block, mentions: Mentions::default() })
    }

    pub(super) fn mentions(&self) -> &[Cited] {
        self.mentions.0.get_or_init(|| mentions(&self.body))
    }

    pub fn listing(&self) -> Option<&Listing> {
        self.block.listing()
    }
}

impl Listing {
    /// Reads the JSON of a block, or of an answer that is nothing else. `prose` is the statement it belongs to.
    pub fn read(json: &str, prose: &str, known: Known<'_>) -> Result<Self, String> {
        let Wire { position, moved, because, claims, concedes } =
            serde_json::from_str(json.trim()).map_err(|error| error.to_string())?;
        let position = position.filter(|text| !text.trim().is_empty() && text.len() <= LONGEST_POSITION);
        let mut listing = Self { position, moved, ..Self::default() };
        listing.because = listing.only_known(because, known);
        listing.claims = claims;
        listing.bound();
        for at in 0..listing.claims.len() {
            let attacks = std::mem::take(&mut listing.claims[at].attacks);
            let (own, others): (Vec<_>, Vec<_>) = attacks.into_iter().partition(|id| id.is_of(known.own));
            listing.dropped.extend(own.iter().map(|id| format!("attacks {}: the speaker's own claim", id.shown())));
            listing.claims[at].attacks = listing.only_known(others, known);
        }
        let prose = LazyCell::new(|| plain(prose));
        for Concession { claim, words } in concedes {
            let words = words.filter(|words| {
                let words = plain(words);
                words.chars().count() >= SHORTEST_WORDS && prose.contains(words.trim_end_matches(['.', '!', ',', ';']))
            });
            for claim in listing.only_known(vec![claim], known) {
                if !listing.concedes.iter().any(|known| known.claim == claim) {
                    listing.concedes.push(Concession { claim, words: words.clone() });
                }
            }
        }
        let more = listing.dropped.len().saturating_sub(MOST_DROPPED);
        listing.dropped.truncate(MOST_DROPPED);
        if more > 0 {
            listing.dropped.push(format!("{more} more"));
        }
        Ok(listing)
    }

    /// The JSON Schema of a block. `others` are the ids that can be attacked, `all` those that can be conceded or
    /// withdrawn, `commands` as in [`Evidence::schema`].
    pub fn schema(others: &[ClaimId], all: &[ClaimId], commands: Option<&[String]>) -> Value {
        let claim = strict_object(json!({
            "text": {"type": "string"},
            "evidence": {"type": "array", "items": Evidence::schema(commands)},
            "attacks": ids(others),
        }));
        let concession = strict_object(json!({
            "claim": one_of(all),
            "words": {"type": ["string", "null"]},
        }));
        let concedes = if all.is_empty() { ids(all) } else { json!({"type": "array", "items": concession}) };
        strict_object(json!({
            "position": {"type": "string"},
            "claims": {"type": "array", "items": claim},
            "concedes": concedes,
        }))
    }

    /// Drops ids that no claim has, and each id after its first use.
    fn only_known(&mut self, ids: Vec<ClaimId>, known: Known<'_>) -> Vec<ClaimId> {
        let mut kept: Vec<ClaimId> = Vec::new();
        for id in ids {
            if !known.ids.contains(&id) {
                self.dropped.push(format!("names {}: no such claim", id.shown()));
            } else if !kept.contains(&id) {
                kept.push(id);
            }
        }
        kept
    }

    /// Keeps the list to a size that every later prompt can carry.
    fn bound(&mut self) {
        for claim in self.claims.iter_mut().filter(|claim| claim.text.trim().is_empty()) {
            "(no text)".clone_into(&mut claim.text);
        }
        let more = self.claims.len().saturating_sub(MOST_CLAIMS);
        self.claims.truncate(MOST_CLAIMS);
        if more > 0 {
            self.dropped.push(format!("{more} more claims: only {MOST_CLAIMS} count"));
        }
        for (claim, number) in self.claims.iter_mut().zip(1..) {
            let listed = claim.evidence.len();
            claim.evidence.retain(is_bounded);
            if claim.evidence.len() < listed {
                self.dropped.push(format!("evidence of claim {number} that is too long"));
            }
            let more = claim.evidence.len().saturating_sub(MOST_EVIDENCE);
            claim.evidence.truncate(MOST_EVIDENCE);
            if more > 0 {
                self.dropped.push(format!("{more} more pieces of evidence for claim {number}: only {MOST_EVIDENCE} count"));
            }
        }
    }
}

/// Whether evidence is short enough for every later prompt.
fn is_bounded(evidence: &Evidence) -> bool {
    let Evidence { file, commit, url, search, within, run, quote, .. } = evidence;
    let names = [file, commit, url, search, within, run];
    names.into_iter().flatten().all(|name| name.len() <= LONGEST_NAME)
        && quote.as_ref().is_none_or(|quote| quote.len() <= LONGEST_QUOTE)
}

/// Whether words occur in a text, white space, emphasis and the style of quotation marks aside.
pub fn occurs_in(words: &str, text: &str) -> bool {
    let words = plain(words);
    !words.is_empty() && plain(text).contains(&words)
}

/// The schema of an array of these ids.
pub(crate) fn ids(of: &[ClaimId]) -> Value {
    if of.is_empty() {
        return json!({"type": "array", "items": {"type": "string"}, "maxItems": 0});
    }
    json!({"type": "array", "items": one_of(of)})
}

fn one_of(ids: &[ClaimId]) -> Value {
    json!({"type": "string", "enum": ids})
}

/// The prose of an answer, and the inside of its last fenced block if that is a JSON object with `claims`, or tries to be.
fn split(text: &str) -> (String, Option<&str>) {
    if is_block(text) {
        return (String::new(), Some(text));
    }
    let last = fences(text).pop().filter(|fence| is_block(&text[fence.inside.clone()]));
    match last {
        None => (text.trim().to_owned(), None),
        Some(fence) => {
            let (before, after) = (text[..fence.whole.start].trim(), text[fence.whole.end..].trim());
            let prose = if after.is_empty() { before.to_owned() } else { format!("{before}\n\n{after}") };
            (prose.trim().to_owned(), Some(&text[fence.inside]))
        }
    }
}

fn is_block(text: &str) -> bool {
    let text = text.trim();
    text.starts_with('{') && text.contains("\"claims\"")
}

/// Prose that is longer than is kept, up to the last paragraph that fits.
fn cut(prose: &str) -> (String, Option<usize>) {
    if prose.len() <= MOST_PROSE {
        return (prose.to_owned(), None);
    }
    let end = prose.floor_char_boundary(MOST_PROSE);
    let end = prose[..end].rfind("\n\n").filter(|at| *at > MOST_PROSE / 2).unwrap_or(end);
    (prose[..end].trim_end().to_owned(), Some(prose.len()))
}

fn plain(text: &str) -> String {
    let bare = text.replace(['*', '_', '`'], "");
    let words = bare.split_whitespace().collect::<Vec<_>>().join(" ");
    words.replace(['\u{201c}', '\u{201d}'], "\"").replace(['\u{2018}', '\u{2019}'], "'")
}

/// Null is the same as nothing.
pub(crate) fn or_default<'de, D: Deserializer<'de>, T: Deserialize<'de> + Default>(from: D) -> Result<T, D::Error> {
    Ok(Option::<T>::deserialize(from)?.unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Statement {
        let ids = [ClaimId::new("P", 1, 1), ClaimId::new("P", 1, 2), ClaimId::new("C", 1, 1)].into();
        Statement::read(text, Known { own: "C", ids: &ids }).expect("there is prose")
    }

    fn listed(json: &str) -> Listing {
        let prose = "The lock goes first.\n\nI **concede** that the\nfirst start stays slow.";
        let statement = read(&format!("{prose}\n\n```json\n{json}\n```"));
        assert_eq!(statement.body, prose);
        statement.listing().unwrap_or_else(|| panic!("{:?}", statement.block)).clone()
    }

    #[test]
    fn a_statement_is_prose_and_its_last_block() {
        let listing = listed(
            r#"{"position": "Fix the leak first.",
                "claims": [{"text": "acquire() drops the lock",
                            "evidence": [{"file": "src/pool.rs", "lines": "88-95", "quote": "drop(guard);"}],
                            "attacks": ["P1.2"]}, {"text": "plain", "evidence": null}],
                "concedes": [{"claim": "P1.1", "words": "I concede that the first start stays slow."}]}"#,
        );
        assert_eq!(listing.position.as_deref(), Some("Fix the leak first."));
        assert_eq!(listing.claims[0].evidence[0].to_string(), "src/pool.rs:88-95");
        assert_eq!(listing.claims[0].attacks, [ClaimId::new("P", 1, 2)]);
        assert!(listing.claims[1].evidence.is_empty());
        assert_eq!(listing.concedes[0].words.as_deref(), Some("I concede that the first start stays slow."));
        assert!(listing.dropped.is_empty());
    }

    #[test]
    fn ids_that_no_claim_has_are_dropped_and_shown() {
        let listing = listed(
            r#"{"claims": [{"text": "x", "attacks": ["C9.9", "C1.1", "P1.2", "P1.2", "nonsense"]}],
                "concedes": [{"claim": "P7.1"}, {"claim": "C1.1", "words": "never said anywhere"}]}"#,
        );
        assert_eq!(listing.claims[0].attacks, [ClaimId::new("P", 1, 2)]);
        assert_eq!(listing.concedes, [Concession { claim: ClaimId::new("C", 1, 1), words: None }]);
        let dropped = [
            "attacks C9.9: the speaker's own claim",
            "attacks C1.1: the speaker's own claim",
            "names nonsense: no such claim",
            "names P7.1: no such claim",
        ];
        assert_eq!(listing.dropped, dropped);
    }

    #[test]
    fn without_a_block_the_statement_is_kept_as_it_is() {
        for (text, body) in [
            ("Only prose.", "Only prose."),
            ("Prose.\n```rust\nlet x;\n```", "Prose.\n```rust\nlet x;\n```"),
            ("Prose.\n```json\n{\"claims\": [}\n```\nMore.", "Prose.\n\nMore."),
            ("Prose.\n```json\n{\"claims\": [], \"extra\": 1}\n```", "Prose."),
            (
                "Prose.\n```json\n{\"claims\": []}\n```\n```\nlast\n```",
                "Prose.\n```json\n{\"claims\": []}\n```\n```\nlast\n```",
            ),
        ] {
            let statement = read(text);
            assert_eq!((statement.body.as_str(), statement.listing()), (body, None), "{text}");
        }
    }

    #[test]
    fn a_block_alone_is_no_statement() {
        for text in ["```json\n{\"claims\": []}\n```", " {\"claims\": []} ", "\n"] {
            assert_eq!(Statement::read(text, Known { own: "C", ids: &BTreeSet::new() }), None, "{text}");
        }
    }

    #[test]
    fn a_list_has_a_greatest_length() {
        let claim = format!(r#"{{"text": "x", "evidence": [{}]}}"#, [r#"{"file": "a"}"#; 12].join(","));
        let listing = listed(&format!(r#"{{"claims": [{}]}}"#, vec![claim; 32].join(",")));
        assert_eq!((listing.claims.len(), listing.claims[0].evidence.len()), (MOST_CLAIMS, MOST_EVIDENCE));
        assert_eq!(listing.dropped[0], "2 more claims: only 30 count");
    }
}
