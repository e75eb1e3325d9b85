//! The argument map: claims as nodes by side and round, attacks and concessions as edges, laid out from the ledger.
//!
//! Screen readers and keyboards get the same as a list.

use std::collections::{BTreeMap, BTreeSet};

use minijinja::{Value, context};
use rebut_core::debate::page::Argument;
use rebut_core::evidence::{Answered, ClaimId, LedgerClaim};

const NODE: (i32, i32) = (290, 62);
const LANE_GAP: i32 = 130;
const NODE_GAP: i32 = 12;
const HEAD: i32 = 30;
const ROUND_GAP: i32 = 30;
const MARGIN: i32 = 12;
/// How many characters fit on a line of a node, and how many lines there are.
const LINE: usize = 40;
const LINES: usize = 2;
/// The most marks of evidence that a node shows.
const MARKS: usize = 8;

pub(super) fn standing(argument: &Argument, claim: &LedgerClaim) -> Vec<&'static str> {
    let attacks =
        || argument.ledger.claims.iter().flat_map(|claim| &claim.attacked_by).filter(|attack| attack.by == claim.id);
    [
        (argument.is_decisive(&claim.id), "decisive"),
        (claim.is_refuted(), "evidence false"),
        (attacks().any(|attack| attack.answer == Answered::No), "unanswered"),
        (attacks().any(|attack| attack.answer == Answered::NoChance), "no chance to answer"),
        (!claim.conceded_by.is_empty(), "conceded"),
        (claim.walked_back, "walked back"),
        (claim.withdrawn.is_some(), "withdrawn"),
        (claim.evidence.is_empty(), "no evidence"),
    ]
    .into_iter()
    .filter_map(|(is_so, word)| is_so.then_some(word))
    .collect()
}

/// The mark before each piece of a claim's evidence, and what it means.
pub(super) fn marks(claim: &LedgerClaim, pending: bool) -> Vec<Value> {
    let checked = claim.checked.iter().map(|found| (found.result.mark(), found.result.as_str().replace('_', " ")));
    let others = claim.evidence.iter().skip(claim.checked.len()).map(|_| unchecked(pending));
    let others = others.map(|(mark, word)| (mark, word.to_owned()));
    checked.chain(others).map(|(mark, word)| context! { mark, word, kind => class_of(mark) }).collect()
}

/// The mark of evidence without a result: `…` while it may still be checked.
pub(super) fn unchecked(pending: bool) -> (char, &'static str) {
    if pending { ('…', "being checked") } else { ('?', "not checked") }
}

/// What the map's template draws; nothing where no claims are listed.
pub(super) fn drawn(argument: &Argument, pending: bool) -> Option<Value> {
    if argument.ledger.claims.is_empty() {
        return None;
    }
    let layout = Layout::of(argument);
    let heads = layout.heads.iter().map(|(statement, (lane, (x, y)))| {
        let round = statement.trim_start_matches(|c: char| c.is_ascii_alphabetic());
        context! { statement, lane, x, y => y + HEAD - 12, name => cut(&argument.sides[*lane].name, 26), round }
    });
    let heads: Vec<Value> = heads.collect();
    let nodes = argument.ledger.claims.iter().filter_map(|claim| node(argument, claim, &layout, pending));
    let nodes: Vec<Value> = nodes.collect();
    let ((width, height), (node_width, node_height)) = (layout.size, NODE);
    let edges = edges(argument, &layout);
    Some(context! { width, height, node_width, node_height, edges, heads, nodes })
}

struct Layout {
    /// The lane and place of every claim, by its id.
    nodes: BTreeMap<ClaimId, (usize, (i32, i32))>,
    /// The same of every statement that lists claims.
    heads: BTreeMap<String, (usize, (i32, i32))>,
    size: (i32, i32),
}

impl Layout {
    fn of(argument: &Argument) -> Self {
        let round_of = |claim: &ClaimId| -> u32 {
            claim.statement().trim_start_matches(|c: char| c.is_ascii_alphabetic()).parse().unwrap_or(0)
        };
        // A statement that only concedes has a place too.
        let conceding: BTreeSet<(u32, usize)> = argument
            .ledger
            .concessions
            .iter()
            .filter_map(|conceded| {
                let lane = argument.sides.iter().position(|side| side.speaker == conceded.speaker)?;
                Some((conceded.round, lane))
            })
            .collect();
        let rounds: BTreeSet<u32> = argument.ledger.claims.iter().map(|claim| round_of(&claim.id)).collect();
        let rounds: BTreeSet<u32> = rounds.into_iter().chain(conceding.iter().map(|(round, _)| *round)).collect();
        let (mut nodes, mut heads, mut top) = (BTreeMap::new(), BTreeMap::new(), MARGIN);
        for round in rounds {
            let mut bottom = top;
            for lane in 0..argument.sides.len() {
                let x = MARGIN + i32::try_from(lane).unwrap_or(0) * (NODE.0 + LANE_GAP);
                let of_lane = |claim: &&LedgerClaim| round_of(&claim.id) == round && argument.side_of(&claim.id) == lane;
                let mut y = top + HEAD;
                if conceding.contains(&(round, lane)) {
                    heads.insert(format!("{}{round}", argument.sides[lane].letter), (lane, (x, top)));
                    bottom = bottom.max(y);
                }
                for claim in argument.ledger.claims.iter().filter(of_lane) {
                    heads.entry(claim.id.statement().to_owned()).or_insert((lane, (x, top)));
                    nodes.insert(claim.id.clone(), (lane, (x, y)));
                    y += NODE.1 + NODE_GAP;
                }
                bottom = bottom.max(y);
            }
            top = bottom + ROUND_GAP;
        }
        let lanes = i32::try_from(argument.sides.len()).unwrap_or(1).max(1);
        let width = 2 * MARGIN + lanes * NODE.0 + (lanes - 1) * LANE_GAP;
        Self { nodes, heads, size: (width, (top - ROUND_GAP + MARGIN).max(1)) }
    }
}

fn edges(argument: &Argument, layout: &Layout) -> Vec<Value> {
    let mut edges = Vec::new();
    for claim in &argument.ledger.claims {
        for attack in &claim.attacked_by {
            let (Some(from), Some(to)) = (layout.nodes.get(&attack.by), layout.nodes.get(&claim.id)) else { continue };
            let (answer, arrow) = match attack.answer {
                Answered::Yes => ("answered", "attack"),
                Answered::No => ("unanswered", "unanswered"),
                Answered::NoChance => ("last", "attack"),
            };
            let curve = curve((from.0, beside(from.1)), (to.0, beside(to.1)));
            edges.push(context! { kind => "attack", answer, arrow, curve });
        }
    }
    for concession in &argument.ledger.concessions {
        let side = argument.sides.iter().find(|side| side.speaker == concession.speaker);
        let from = side.and_then(|side| layout.heads.get(&format!("{}{}", side.letter, concession.round)));
        let (Some((lane, (x, y))), Some(to)) = (from, layout.nodes.get(&concession.claim)) else { continue };
        let curve = curve((*lane, (*x, y + HEAD - 16)), (to.0, beside(to.1)));
        edges.push(context! { kind => "concession", answer => "", arrow => "concession", curve });
    }
    edges
}

fn beside((x, y): (i32, i32)) -> (i32, i32) {
    (x, y + NODE.1 / 2)
}

/// A curve from one lane to another; within a lane it goes around on the left.
fn curve(from: (usize, (i32, i32)), to: (usize, (i32, i32))) -> String {
    let ((from_lane, (mut x1, y1)), (to_lane, (mut x2, y2))) = (from, to);
    // Edges bend at different places, so they don't run on top of each other.
    let bend = LANE_GAP / 4 + (y1 / (NODE.1 + NODE_GAP)) % 5 * (LANE_GAP / 8);
    let (mut c1, mut c2) = (x1 - bend.min(40), x2 - bend.min(40));
    if from_lane < to_lane {
        x1 += NODE.0;
        (c1, c2) = (x1 + bend, x2 - bend);
    } else if from_lane > to_lane {
        x2 += NODE.0;
        (c1, c2) = (x1 - bend, x2 + bend);
    }
    format!("M{x1} {y1}C{c1} {y1} {c2} {y2} {x2} {y2}")
}

fn node(argument: &Argument, claim: &LedgerClaim, layout: &Layout, pending: bool) -> Option<Value> {
    let (lane, (x, y)) = layout.nodes.get(&claim.id)?;
    let standing = standing(argument, claim);
    let classes = standing.iter().map(|word| word.replace(' ', "-")).collect::<Vec<_>>().join(" ");
    let marks = marks(claim, pending);
    let is_decisive = standing.contains(&"decisive");
    let word = standing.iter().find(|word| **word != "decisive" && **word != "no evidence").copied();
    Some(context! {
        lane, x, y, classes, is_decisive, id => claim.id.as_str(), statement => claim.id.statement(),
        title => cut(&claim.text, 400), marks => &marks[..marks.len().min(MARKS)], more => marks.len().saturating_sub(MARKS),
        standing => word.or(is_decisive.then_some("decisive")), lines => wrapped(&claim.text),
    })
}

pub(super) fn class_of(mark: char) -> &'static str {
    match mark {
        '✔' | '≈' => "true",
        '✘' => "false",
        '…' => "pending",
        _ => "unknown",
    }
}

fn cut(text: &str, most: usize) -> String {
    let start: String = text.chars().take(most).collect();
    if start.len() < text.len() { format!("{}…", start.trim_end()) } else { start }
}

fn wrapped(text: &str) -> Vec<String> {
    let mut lines = vec![String::new()];
    for word in text.split_whitespace() {
        let last = lines.len() - 1;
        let length = lines[last].chars().count();
        if length > 0 && length + 1 + word.chars().count() > LINE {
            if lines.len() == LINES {
                lines[last] = format!("{}…", cut(&lines[last], LINE - 1).trim_end_matches('…'));
                return lines;
            }
            lines.push(cut(word, LINE));
        } else {
            let line = format!("{} {word}", lines[last]);
            lines[last] = cut(line.trim_start(), LINE);
        }
    }
    lines
}
