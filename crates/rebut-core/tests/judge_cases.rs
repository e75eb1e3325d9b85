//! Proves the answer key of every built-in judge case.
//!
//! A proof is a block of Rust whose value is the right answer: arithmetic is evaluated, logic enumerated, and for code and
//! standard-library cases the block is the snippet itself, compared letter by letter with the one that the case shows.
//! Every statement ends with `Answer: …`, so a key is right only if the side that it names gives the proven answer and the
//! other side does not.

#![allow(
    clippy::all,
    clippy::pedantic,
    clippy::unwrap_used,
    unused,
    reason = "snippets are written to be puzzling, not idiomatic"
)]

mod arithmetic;
mod code;
mod logic;
mod standard_library;

use std::collections::BTreeSet;

use rebut_core::judge_check::{Case, Kind, Label, built_in};

/// The proofs of one kind of cases: the answer of a case by its id.
macro_rules! proofs {
    ($($id:literal => $proof:block)*) => {
        pub(super) const IDS: &[&str] = &[$($id),*];

        pub(super) fn answer(id: &str) -> Option<String> {
            match id {
                $($id => Some($proof.to_string()),)*
                _ => None,
            }
        }
    };
}
use proofs;

#[test]
fn every_answer_key_is_proven() {
    let cases = built_in().expect("the built-in cases");
    assert!(cases.len() >= 84, "{} cases", cases.len());
    for case in &cases {
        prove(case).unwrap_or_else(|problem| panic!("{}: {problem}", case.id));
    }
    let known: BTreeSet<&str> = cases.iter().map(|case| case.id.as_str()).collect();
    for id in [arithmetic::IDS, logic::IDS, code::IDS, standard_library::IDS].concat() {
        assert!(known.contains(id), "{id}: a proof without a case");
    }
}

#[test]
fn a_wrong_key_and_a_case_without_a_proof_are_refused() {
    for case in built_in().expect("the built-in cases") {
        let wrong = Case { better: case.better.other(), ..case.clone() };
        assert!(prove(&wrong).is_err(), "{}: the wrong key passes", case.id);
        assert_eq!(prove(&Case { id: "new".into(), ..case }), Err("no proof".into()));
    }
}

#[test]
fn a_snippet_that_differs_from_the_one_run_is_refused() {
    let cases = built_in().expect("the built-in cases");
    for mut case in cases.into_iter().filter(|case| matches!(case.kind, Kind::Code | Kind::Std)) {
        case.question = case.question.replacen("\n```rust\n", "\n```rust\n ", 1);
        assert_eq!(prove(&case), Err("the snippet shown is not the one that is run".into()), "{}", case.id);
    }
}

#[test]
fn only_correctness_tells_the_sides_apart() {
    let cases = built_in().expect("the built-in cases");
    for case in &cases {
        let [words_a, words_b] = [&case.a, &case.b].map(|text| text.split_whitespace().count());
        assert!((60..=160).contains(&words_a) && (60..=160).contains(&words_b), "{}: {words_a}, {words_b} words", case.id);
        let [long, short] = [case.a.len().max(case.b.len()), case.a.len().min(case.b.len())];
        assert!(long * 100 <= short * 112, "{}: {long} and {short} bytes", case.id);
    }
    for kind in [Kind::Arithmetic, Kind::Logic, Kind::Code, Kind::Std] {
        let same: Vec<&Case> = cases.iter().filter(|case| case.kind == kind).collect();
        let about_half = |count: usize| (same.len() * 2 / 5..=same.len() * 3 / 5).contains(&count);
        assert!(same.len() >= 21, "{kind:?}: {}", same.len());
        assert!(about_half(same.iter().filter(|case| case.better == Label::A).count()), "{kind:?}: sides");
        let longer = same.iter().filter(|case| case.text(case.better).len() > case.text(case.better.other()).len());
        assert!(about_half(longer.count()), "{kind:?}: the right side is longer");
    }
}

fn prove(case: &Case) -> Result<(), String> {
    let (answer, source) = match case.kind {
        Kind::Arithmetic => (arithmetic::answer(&case.id), None),
        Kind::Logic => (logic::answer(&case.id), None),
        Kind::Code => (code::answer(&case.id), Some(code::SOURCE)),
        Kind::Std => (standard_library::answer(&case.id), Some(standard_library::SOURCE)),
        Kind::Own => (None, None),
    };
    let answer = answer.ok_or("no proof")?;
    if let Some(source) = source {
        let shown = shown_snippet(&case.question).ok_or("no snippet is shown")?;
        if run_snippet(source, &case.id) != Some(shown) {
            return Err("the snippet shown is not the one that is run".into());
        }
    }
    let claimed = |side| case.text(side).rsplit_once(" Answer: ").map(|(_, answer)| answer);
    let (right, wrong) = (claimed(case.better), claimed(case.better.other()));
    match (right, wrong) {
        (Some(right), Some(wrong)) if right == answer && wrong != answer => Ok(()),
        _ => Err(format!("the key names {right:?}, the other side says {wrong:?}, the proof gives {answer:?}")),
    }
}

fn shown_snippet(question: &str) -> Option<String> {
    let (_, snippet) = question.split_once("\n```rust\n")?;
    Some(snippet.strip_suffix("\n```")?.to_owned())
}

fn run_snippet(source: &str, id: &str) -> Option<String> {
    let (_, after) = source.split_once(&format!("\n    \"{id}\" => {{\n"))?;
    let (block, _) = after.split_once("\n    }\n")?;
    Some(block.lines().map(|line| line.strip_prefix("        ").unwrap_or(line)).collect::<Vec<_>>().join("\n"))
}

fn yes_or_no(yes: bool) -> &'static str {
    if yes { "yes" } else { "no" }
}

fn knight_or_knave(knight: bool) -> &'static str {
    if knight { "knight" } else { "knave" }
}

fn implies(condition: bool, consequence: bool) -> bool {
    !condition || consequence
}

fn pairs() -> impl Iterator<Item = (bool, bool)> {
    (0..4).map(|bits| (bits & 1 == 1, bits & 2 == 2))
}

fn triples() -> impl Iterator<Item = (bool, bool, bool)> {
    (0..8).map(|bits| (bits & 1 == 1, bits & 2 == 2, bits & 4 == 4))
}

/// One individual of a model: whether it belongs to the classes A, B and C.
#[derive(Clone, Copy)]
struct Individual {
    a: bool,
    b: bool,
    c: bool,
}

struct Model(Vec<Individual>);

impl Model {
    fn all(&self, holds: impl Fn(Individual) -> bool) -> bool {
        self.0.iter().all(|individual| holds(*individual))
    }

    fn any(&self, holds: impl Fn(Individual) -> bool) -> bool {
        self.0.iter().any(|individual| holds(*individual))
    }
}

/// All models of three classes, as sets of the eight kinds of individuals.
///
/// They decide every syllogism: two individuals of the same kind make the same sentences true as one of them.
fn models() -> impl Iterator<Item = Model> {
    (0..256_u32).map(|set| {
        let present = triples().enumerate().filter(move |(kind, _)| set >> kind & 1 == 1);
        Model(present.map(|(_, (a, b, c))| Individual { a, b, c }).collect())
    })
}

/// All orders of `count` things, each as the place of every thing.
fn permutations(count: usize) -> Vec<Vec<usize>> {
    let mut orders = vec![Vec::new()];
    for _ in 0..count {
        let longer = |order: &Vec<usize>| {
            (0..count).filter(|n| !order.contains(n)).map(|n| [&order[..], &[n]].concat()).collect::<Vec<_>>()
        };
        orders = orders.iter().flat_map(longer).collect();
    }
    orders
}
