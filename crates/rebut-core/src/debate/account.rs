//! Who used what: time, tokens and cost by seat and phase.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::{Phase, SeatName, Usage};

/// The accounts of a debate: a row for each seat and phase, in the order in which they first appeared.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Accounts {
    rows: Vec<Account>,
    #[serde(skip)]
    places: BTreeMap<(SeatName, Phase), usize>,
}

/// What one seat used in one phase.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Account {
    /// Who.
    pub seat: SeatName,
    /// In which part of the debate.
    pub phase: Phase,
    /// Calls that ended, however they ended.
    pub calls: u32,
    /// Time in those calls.
    pub ms: u64,
    /// Tokens of prompts.
    pub input_tokens: Sum,
    /// Tokens of answers.
    pub output_tokens: Sum,
    /// Billionths of a dollar.
    pub cost: Sum,
}

/// A sum in which some parts may be unknown.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Sum {
    /// What is known.
    pub known: u64,
    /// How many parts are not.
    pub unknown: u32,
}

impl Sum {
    /// Adds a part that may be unknown.
    pub fn add(&mut self, part: Option<u64>) {
        match part {
            Some(part) => self.known += part,
            None => self.unknown += 1,
        }
    }

    /// Adds another sum.
    pub fn merge(&mut self, other: Self) {
        self.known += other.known;
        self.unknown += other.unknown;
    }
}

impl Accounts {
    /// The rows.
    pub fn rows(&self) -> &[Account] {
        &self.rows
    }

    /// Everything together, as one row without seat and phase of its own.
    pub fn total(&self) -> Account {
        let mut total = Account::empty(SeatName::new("total"), Phase(String::new()));
        for row in &self.rows {
            total.calls += row.calls;
            total.ms += row.ms;
            total.input_tokens.merge(row.input_tokens);
            total.output_tokens.merge(row.output_tokens);
            total.cost.merge(row.cost);
        }
        total
    }

    /// Books a call that ended.
    pub(super) fn book(&mut self, seat: &SeatName, phase: &Phase, ms: u64, usage: Usage) {
        let place = *self.places.entry((seat.clone(), phase.clone())).or_insert_with(|| {
            self.rows.push(Account::empty(seat.clone(), phase.clone()));
            self.rows.len() - 1
        });
        if let Some(row) = self.rows.get_mut(place) {
            row.calls += 1;
            row.ms += ms;
            row.input_tokens.add(usage.input_tokens);
            row.output_tokens.add(usage.output_tokens);
            row.cost.add(usage.cost.map(super::Cost::nanodollars));
        }
    }
}

impl Account {
    fn empty(seat: SeatName, phase: Phase) -> Self {
        Self {
            seat,
            phase,
            calls: 0,
            ms: 0,
            input_tokens: Sum::default(),
            output_tokens: Sum::default(),
            cost: Sum::default(),
        }
    }
}
