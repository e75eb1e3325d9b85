//! The answers of scripted seats, as a file of theirs.

use std::collections::BTreeMap;

use serde::Serialize;
use serde_json::json;
use toml::{Table, Value};

use crate::with_block;

#[derive(Clone, Debug, Default, Serialize)]
pub struct Script {
    models: BTreeMap<String, Table>,
    #[serde(rename = "call")]
    calls: Vec<Line>,
}

#[derive(Clone, Debug, Serialize)]
pub struct Line(Table);

impl Line {
    pub fn text(text: impl Into<String>) -> Self {
        Self(Table::new()).set("text", text.into())
    }

    pub fn fail(cause: &str) -> Self {
        Self(Table::new()).set("fail", cause)
    }

    /// Nothing comes until it is cancelled.
    pub fn hang() -> Self {
        Self(Table::new()).set("hang", true)
    }

    pub fn set(mut self, field: &str, value: impl Into<Value>) -> Self {
        self.0.insert(field.to_owned(), value.into());
        self
    }
}

impl Script {
    /// A duel in which every call is answered at once, and the challenger wins.
    pub fn duel(rounds: u32) -> Self {
        let mut script = Self::default();
        for round in 1..=rounds {
            if round > 2 {
                let summary = format!("What was said before round {} in short.", round - 1);
                script = script.call(&format!("round-{round}/summary"), Line::text(summary));
            }
            for role in ["proposer", "challenger"] {
                script = script.call(&format!("round-{round}/{role}"), Line::text(statement(round, role)));
            }
        }
        // A debate that is judged a second time has calls of its own for it.
        let again = ["verdict/2/judge", "verdict/2/judge-2"];
        again.iter().fold(script.judged("verdict/judge", "challenger"), |script, judge| script.judged(judge, "proposer"))
    }

    /// The same with both ballots of a judge for this side.
    pub fn judged(mut self, judge: &str, winner: &str) -> Self {
        for number in [1, 2] {
            self = self.instead(&format!("{judge}/{number}"), [Line::text(ballot(winner, number))]);
        }
        self
    }

    /// The same with one more entry; entries of one key follow each other.
    pub fn call(mut self, key: &str, line: Line) -> Self {
        self.calls.push(line.set("key", key));
        self
    }

    /// The same with these entries in the place of all that the key had.
    pub fn instead(mut self, key: &str, lines: impl IntoIterator<Item = Line>) -> Self {
        self.calls.retain(|line| line.0["key"].as_str() != Some(key));
        lines.into_iter().fold(self, |script, line| script.call(key, line))
    }

    pub fn where_key(mut self, is_so: impl Fn(&str) -> bool, field: &str, value: impl Into<Value>) -> Self {
        let value = value.into();
        for line in self.calls.iter_mut().filter(|line| line.0["key"].as_str().is_some_and(&is_so)) {
            line.0.insert(field.to_owned(), value.clone());
        }
        self
    }

    pub fn everywhere(self, field: &str, value: impl Into<Value>) -> Self {
        self.where_key(|_| true, field, value)
    }

    pub fn priced(self, name: &str, input: f64, output: f64) -> Self {
        self.model(name, "input_usd_per_million", input).model(name, "output_usd_per_million", output)
    }

    pub fn of_family(self, name: &str, family: &str) -> Self {
        self.model(name, "family", family)
    }

    pub fn reading(self, name: &str, tokens: i64) -> Self {
        self.model(name, "context_tokens", tokens)
    }

    fn model(mut self, name: &str, field: &str, value: impl Into<Value>) -> Self {
        self.models.entry(name.to_owned()).or_default().insert(field.to_owned(), value.into());
        self
    }

    pub fn answer(&self, key: &str) -> String {
        let line = self.calls.iter().find(|line| line.0["key"].as_str() == Some(key)).expect("such a key");
        line.0["text"].as_str().expect("an answer").to_owned()
    }

    pub fn to_toml(&self) -> String {
        toml::to_string(self).expect("a script is TOML")
    }
}

/// A statement unlike every other, with a claim and, from the proposer in later rounds, a concession.
fn statement(round: u32, role: &str) -> String {
    let evidence = json!([{"file": format!("src/{role}.rs"), "lines": round.to_string()}]);
    let claims = json!([{"text": format!("Claim of the {role} in round {round}"), "evidence": evidence}]);
    let argument = format!("Argument of the {role} in round {round}.");
    if role == "proposer" && round > 1 {
        let words = format!("I concede point {round} of the {role}.");
        let concedes = json!([{"claim": format!("C{}.1", round - 1), "words": words}]);
        return with_block(&format!("{argument} {words}"), &json!({"claims": claims, "concedes": concedes}));
    }
    with_block(&argument, &json!({"claims": claims}))
}

/// The first ballot for this side.
pub fn verdict(winner: &str) -> String {
    ballot(winner, 1)
}

/// A ballot that keeps the rules, for this side; on the second the labels are exchanged. The files that statements cite
/// need not exist, so that what decides is named in the statement of the loser.
pub fn ballot(winner: &str, number: u32) -> String {
    let (proposer, challenger) = if number % 2 == 1 { ("A", "B") } else { ("B", "A") };
    let (won, lost) = if winner == "challenger" { (challenger, proposer) } else { (proposer, challenger) };
    let (a, b) = if number % 2 == 1 { ("a rewrite", "a cache") } else { ("a cache", "a rewrite") };
    json!({
        "winner": won,
        "reasoning": format!("[{won}] brought the better evidence."),
        "decisive": [
            {"ref": format!("{lost}1"), "why": "It names no sources."},
            {"ref": format!("{lost}1"), "why": "It leaves out what matters."}
        ],
        "quality": {"genuine_disagreement": "high", "evidence_quality": "medium", "challenge_depth": "low"},
        "agreements": [{"point": "The gateway is slow", "claims": []}],
        "disagreements": [{"point": "The remedy", "a": a, "b": b}],
        "unresolved": ["Who pays for it?"],
        "recommendation": format!("Do as [{won}] says.")
    })
    .to_string()
}
