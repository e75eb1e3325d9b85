//! Labelled pairs of findings: how often it is right about what is the same. The labels were written before the code that
//! decides; those that are held out were not used to set a bar or to choose a word.

#![expect(clippy::print_stdout, reason = "the figures are for whoever tunes: cargo test sameness -- --nocapture")]

use rebut_core::formats::review::sameness::{Anchor, Subject, anchor_of, same};
use serde::Deserialize;

/// The least F1 over all pairs.
const LEAST: f64 = 0.9;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Pair {
    id: u32,
    kind: String,
    same: bool,
    one: Finding,
    other: Finding,
    #[serde(default)]
    why: String,
    #[serde(default)]
    held_out: bool,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Finding {
    at: String,
    text: String,
}

#[derive(Default)]
struct Score {
    right: u32,
    invented: u32,
    overlooked: u32,
}

impl Score {
    fn note(&mut self, expected: bool, found: bool) {
        self.right += u32::from(expected && found);
        self.invented += u32::from(!expected && found);
        self.overlooked += u32::from(expected && !found);
    }

    fn f1(&self) -> f64 {
        f64::from(2 * self.right) / f64::from(2 * self.right + self.invented + self.overlooked)
    }

    fn tell(&self, name: &str) {
        let share = |of: u32| f64::from(self.right) / f64::from(self.right + of);
        let (precision, recall) = (share(self.invented), share(self.overlooked));
        println!("{name}: precision {precision:.3}, recall {recall:.3}, F1 {:.3}", self.f1());
    }
}

fn anchors(place: &str) -> Vec<Anchor> {
    anchor_of(place).into_iter().collect()
}

#[test]
fn findings_that_people_call_the_same_are_the_same() {
    let pairs: Vec<Pair> = serde_json::from_str(include_str!("sameness/pairs.json")).expect("labelled pairs");
    assert!(pairs.len() >= 80, "{} pairs", pairs.len());
    let (mut all, mut tuned, mut held_out) = (Score::default(), Score::default(), Score::default());
    for pair in &pairs {
        let (one, other) = (anchors(&pair.one.at), anchors(&pair.other.at));
        assert_eq!(one.is_empty(), pair.one.at.is_empty(), "pair {}: {}", pair.id, pair.one.at);
        let found =
            same(&Subject { text: &pair.one.text, anchors: &one }, &Subject { text: &pair.other.text, anchors: &other });
        let held = pair.held_out;
        all.note(pair.same, found);
        if held { &mut held_out } else { &mut tuned }.note(pair.same, found);
        // What is held out is counted and not shown, so that it stays held out.
        if found != pair.same && !held {
            println!(
                "pair {} ({}, {}) was taken for {found}: {} | {}",
                pair.id, pair.kind, pair.why, pair.one.text, pair.other.text
            );
        }
    }
    tuned.tell("tuned on");
    held_out.tell("held out");
    all.tell("all");
    assert!(all.f1() >= LEAST, "F1 {:.3}", all.f1());
}
