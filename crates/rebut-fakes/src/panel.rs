//! A panel for scripted seats: every answer, with the seqs that an undisturbed log has.

use serde_json::{Value, json};

use crate::script::{Line, Script};

pub const DEBATERS: [&str; 8] = ["anna", "ben", "carla", "dan", "ela", "finn", "gita", "hugo"];
pub const SOURCE: &str = "docs/review.md:3";
pub const SOURCE_FILE: (&str, &str) = ("docs/review.md", "one\ntwo\nReview found 41 of 60 faults.\n");
const OFFICES: [&str; 5] = ["chair", "verifier", "audience", "reporter", "assessor"];

/// A panel in which every call is answered, each turn has one entry and cites [`SOURCE`], and the first debater wins.
#[derive(Clone, Copy, Debug)]
pub struct PanelScript {
    /// How many debate.
    pub debaters: usize,
    /// How many rounds are held.
    pub rounds: u32,
}

/// Where a panel was disturbed: what is written about it knows other entries then.
#[derive(Clone, Debug, Default)]
pub struct Disturbed {
    /// The valid arguments of each debater, three to five where there are that many.
    pub arguments: Vec<Vec<u64>>,
    pub open: u64,
}

impl PanelScript {
    pub fn names(self) -> &'static [&'static str] {
        &DEBATERS[..self.debaters]
    }

    pub fn opening(self, debater: usize) -> u64 {
        2 + debater as u64
    }

    /// The seq of a debater's entry in a round. Openings and rounds are each followed by a result an entry and the chair's
    /// word on them; a round begins with the chair's word as well.
    pub fn entry(self, round: u32, debater: usize) -> u64 {
        let count = self.debaters as u64;
        let first_round = 3 + 2 * count;
        first_round + u64::from(round - 1) * (2 * count + 2) + 1 + debater as u64
    }

    pub fn script(self) -> Script {
        let names = self.names();
        let mut script = Script::default();
        for seat in names.iter().chain(&OFFICES) {
            script = script.of_family(seat, seat).call(&format!("ready/{seat}"), text(&json!({ "ready": true })));
        }
        for (name, place) in names.iter().zip(0..) {
            script = self.turn(script, &format!("opening/{name}"), "opening_statement", self.opening(place), None);
        }
        for round in 1..=self.rounds {
            for (name, place) in names.iter().zip(0..) {
                // The last entry of the previous speaker.
                let before = match place {
                    0 if round == 1 => self.opening(self.debaters - 1),
                    0 => self.entry(round - 1, self.debaters - 1),
                    _ => self.entry(round, place - 1),
                };
                let key = format!("round-{round}/{name}");
                script = self.turn(script, &key, "rebuttal", self.entry(round, place), Some(before));
            }
            script = script
                .call(&format!("round-{round}/audience"), text(&json!({ "questions": [] })))
                .call(&format!("round-{round}/chair/natural-end"), text(&json!({"concluded": false, "reason": "Not yet."})));
        }
        for name in names {
            let words = format!("{name} stays with it in the end.");
            script = script.call(&format!("closing/{name}"), text(&turn(&[said("closing_statement", &words, &[])])));
        }
        let open = self.entry(self.rounds, self.debaters - 1);
        self.papers(self.other_papers(script), &Disturbed { arguments: self.arguments(), open })
    }

    pub fn turn(self, script: Script, key: &str, kind: &str, seq: u64, to: Option<u64>) -> Script {
        let mut entry = said(kind, &format!("What is said at {key} is that review pays. It found faults."), &[SOURCE]);
        if let Some(to) = to {
            entry["rebuttal_to_seq"] = json!(to);
        }
        let result = result(seq, SOURCE, "verified", "It says what the claim says.");
        script
            .instead(key, [text(&turn(&[entry]))])
            .instead(&format!("{key}/verification"), [text(&json!({ "results": [result] }))])
    }

    /// A judgement on all of them.
    pub fn judgement(self, outcome: &str, reason: &str) -> Value {
        let measured = |name: &&str| {
            json!({
                "name": name, "sourced_arguments": "strong", "rebuttals": "fair", "verifier_findings": "strong",
                "rules_kept": "strong", "persona_kept": "fair", "note": "It answered.",
            })
        };
        let debaters: Vec<Value> = self.names().iter().map(measured).collect();
        // The opening of the second debater is valid in every test.
        let decisive = json!([{"seq": self.opening(1), "why": "Nobody answered it."}]);
        json!({ "debaters": debaters, "outcome": outcome, "decisive": decisive, "reason": reason })
    }

    /// The arguments of each debater in an undisturbed panel, three of each: closings where there are no others.
    fn arguments(self) -> Vec<Vec<u64>> {
        let first_closing = self.entry(self.rounds, self.debaters - 1) + self.debaters as u64 + 4;
        let own = |place: usize| {
            let rounds = (1..=self.rounds).map(move |round| self.entry(round, place));
            let closing = first_closing + (self.debaters - 1 - place) as u64;
            std::iter::once(self.opening(place)).chain(rounds).chain([closing]).take(3).collect()
        };
        (0..self.debaters).map(own).collect()
    }

    /// The papers about entries, for a panel that was disturbed.
    pub fn papers(self, script: Script, disturbed: &Disturbed) -> Script {
        let words = "It weighs more than what was said against it. ".repeat(5);
        let weighed = |place: usize| json!({"seq": disturbed.arguments[place][0], "why": words});
        let conclusion = json!({
            "arguments": [weighed(0), weighed(1)], "insight": words, "open_questions": [words], "view": words,
        });
        let of = |(name, seqs): (&&str, &Vec<u64>)| {
            let arguments: Vec<Value> = seqs.iter().map(|seq| json!({"seq": seq, "argument": "Review pays."})).collect();
            json!({ "name": name, "arguments": arguments })
        };
        let summary = json!({
            "overview": "The panel asked what review is for.",
            "key_arguments": self.names().iter().zip(&disturbed.arguments).map(of).collect::<Vec<_>>(),
            "notable_exchanges": [{"seqs": [2, 3], "what": "The openings set the tone."}],
            "flow": "From principle to cost.",
        });
        let open = json!({"points": [{"point": "Who answers for a fault is open.", "seqs": [disturbed.open]}]});
        script
            .instead("chair/unresolved", [text(&open)])
            .instead("audience/conclusion", [text(&conclusion)])
            .instead("reporter/summary", [text(&summary)])
    }

    /// What refers to no entry.
    fn other_papers(self, script: Script) -> Script {
        let blog = json!({
            "title": "Review and machines", "body": format!("Two cases.\n\n{}", "word ".repeat(900)), "sources": [SOURCE],
        });
        let part = |who: &&str| json!({"who": who, "strengths": ["clear"], "improvements": ["shorter"], "suggestions": ["fewer points a turn"]});
        let who: Vec<&str> =
            ["chair"].iter().chain(self.names()).chain(&["reporter", "verifier", "audience"]).copied().collect();
        let three = ["one", "two", "three"];
        let assessment = json!({
            "rating": "Good", "parts": who.iter().map(part).collect::<Vec<_>>(),
            "execution_improvements": three, "output_improvements": three,
        });
        script
            .call("chair/judgement/1", text(&self.judgement("anna_wins", "Its arguments were better supported.")))
            .call("chair/judgement/2", text(&self.judgement("anna_wins", "Its arguments were better supported.")))
            .call("reporter/blog-post", text(&blog))
            .call("reporter/verifier-notes", text(&json!({"notable_findings": ["All rely on one file."]})))
            .call("assessor/report", text(&assessment))
    }

    /// The lineup as a file, each debater with its own seat in this script.
    pub fn lineup(self, script: &str) -> String {
        let debater = |name: &&str| {
            format!(
                "[[debaters]]\nname = \"{name}\"\npersona = \"{name} has run teams for years.\"\n\
                 starting_position = \"What {name} holds at first.\"\nincentives = \"Teams that ship.\"\n\
                 model = \"script:{script}#{name}\"\n"
            )
        };
        self.names().iter().map(debater).collect()
    }
}

pub fn offices(script: &str) -> Vec<String> {
    OFFICES.iter().flat_map(|office| [format!("--{office}"), format!("script:{script}#{office}")]).collect()
}

pub fn text(value: &Value) -> Line {
    Line::text(value.to_string())
}

pub fn turn(entries: &[Value]) -> Value {
    json!({ "entries": entries })
}

/// An entry with these sources: pages, or `path:line` of files.
pub fn said(kind: &str, content: &str, sources: &[&str]) -> Value {
    let source = |place: &&str| match place.rsplit_once(':') {
        Some((path, line)) if !place.starts_with("http") => json!({"file": path, "lines": line, "title": "A record"}),
        _ => json!({"url": place, "title": "A record"}),
    };
    let sources: Vec<Value> = sources.iter().map(source).collect();
    let sentence = content.split('.').next().unwrap_or_default();
    json!({"type": kind, "content": content, "in_one_sentence": sentence, "frameworks": [], "sources": sources})
}

pub fn result(seq: u64, url: &str, status: &str, explanation: &str) -> Value {
    json!({"verified_seq": seq, "url": url, "status": status, "explanation": explanation, "confidence": "high"})
}
