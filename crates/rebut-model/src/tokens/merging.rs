//! Merging neighbours, the best pair first, until none is left: what both kinds of tokenizers do.

use std::cmp::Ordering;
use std::collections::BinaryHeap;

/// A pair that could be merged: how good that is, and what it becomes.
#[derive(Debug, Clone, Copy)]
pub(super) struct Merge {
    /// Larger is merged earlier; of equals the leftmost.
    pub(super) rank: f32,
    pub(super) token: u32,
}

#[derive(Debug, Clone, Copy)]
struct Symbol {
    token: u32,
    before: usize,
    after: usize,
    gone: bool,
}

#[derive(Debug)]
struct Candidate {
    merge: Merge,
    left: usize,
    right: usize,
    tokens: (u32, u32),
}

const NONE: usize = usize::MAX;

/// Merges a list of symbols in place. Takes time in proportion to its length (but for a logarithm), so that a megabyte
/// without a space is no trouble.
pub(super) fn merge(symbols: &mut Vec<u32>, better: &dyn Fn(u32, u32) -> Option<Merge>) {
    let count = symbols.len();
    let mut list: Vec<Symbol> = symbols
        .iter()
        .enumerate()
        .map(|(at, &token)| Symbol {
            token,
            before: if at == 0 { NONE } else { at - 1 },
            after: if at + 1 == count { NONE } else { at + 1 },
            gone: false,
        })
        .collect();
    let mut heap = BinaryHeap::new();
    let consider = |list: &[Symbol], heap: &mut BinaryHeap<Candidate>, left: usize| {
        let right = list[left].after;
        if right != NONE {
            let tokens = (list[left].token, list[right].token);
            if let Some(merge) = better(tokens.0, tokens.1) {
                heap.push(Candidate { merge, left, right, tokens });
            }
        }
    };
    for left in 0..count {
        consider(&list, &mut heap, left);
    }
    while let Some(Candidate { merge, left, right, tokens }) = heap.pop() {
        let stale = list[left].gone || list[right].gone || (list[left].token, list[right].token) != tokens;
        if stale || list[left].after != right {
            continue;
        }
        let after = list[right].after;
        list[left].token = merge.token;
        list[left].after = after;
        list[right].gone = true;
        if after != NONE {
            list[after].before = left;
        }
        if list[left].before != NONE {
            consider(&list, &mut heap, list[left].before);
        }
        consider(&list, &mut heap, left);
    }
    symbols.clear();
    symbols.extend(list.iter().filter(|symbol| !symbol.gone).map(|symbol| symbol.token));
}

impl Ord for Candidate {
    fn cmp(&self, other: &Self) -> Ordering {
        self.merge.rank.total_cmp(&other.merge.rank).then(other.left.cmp(&self.left))
    }
}

impl PartialOrd for Candidate {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Candidate {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Candidate {}
