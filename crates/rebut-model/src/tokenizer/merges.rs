//! Applies BPE merges to a word: the pair of the lowest rank first, until no pair can be merged.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashMap};

pub(super) struct Merge {
    /// The lowest is merged first; of equals the leftmost.
    pub(super) rank: u32,
    /// The token that the pair becomes.
    pub(super) token: u32,
}

/// A node of a linked list over the word's tokens.
struct Node {
    token: u32,
    previous: usize,
    next: usize,
    removed: bool,
}

const NONE: usize = usize::MAX;

/// Merges in place, in time n log n: a megabyte without a space is no problem.
pub(super) fn apply(tokens: &mut Vec<u32>, merges: &HashMap<(u32, u32), Merge>) {
    let count = tokens.len();
    let node = |(at, &token): (usize, &u32)| Node {
        token,
        previous: if at == 0 { NONE } else { at - 1 },
        next: if at + 1 == count { NONE } else { at + 1 },
        removed: false,
    };
    let mut nodes: Vec<Node> = tokens.iter().enumerate().map(node).collect();
    // Candidates are not removed when their nodes change: one that no longer describes its nodes is ignored.
    let mut heap = BinaryHeap::new();
    let push = |nodes: &[Node], heap: &mut BinaryHeap<_>, left: usize| {
        let right = nodes[left].next;
        if right != NONE {
            let pair = (nodes[left].token, nodes[right].token);
            if let Some(merge) = merges.get(&pair) {
                heap.push(Reverse((merge.rank, left, right, pair, merge.token)));
            }
        }
    };
    for left in 0..count {
        push(&nodes, &mut heap, left);
    }
    while let Some(Reverse((_, left, right, pair, token))) = heap.pop() {
        let changed = nodes[left].removed || nodes[right].removed || (nodes[left].token, nodes[right].token) != pair;
        if changed || nodes[left].next != right {
            continue;
        }
        let next = nodes[right].next;
        nodes[left].token = token;
        nodes[left].next = next;
        nodes[right].removed = true;
        if next != NONE {
            nodes[next].previous = left;
        }
        if nodes[left].previous != NONE {
            push(&nodes, &mut heap, nodes[left].previous);
        }
        push(&nodes, &mut heap, left);
    }
    tokens.clear();
    tokens.extend(nodes.iter().filter(|node| !node.removed).map(|node| node.token));
}
