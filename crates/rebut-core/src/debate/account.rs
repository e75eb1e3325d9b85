//! Who used what: time, tokens and cost by seat and phase.

use serde::{Deserialize, Serialize};

use super::{Phase, SeatName, Usage, is_default};

/// The accounts of a debate: a row for each seat and phase, in the order in which they first appeared.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Accounts {
    rows: Vec<Account>,
}

/// What one seat used in one phase.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Account {
    pub seat: SeatName,
    pub phase: Phase,
    /// Calls that ended, however they ended.
    pub calls: u32,
    /// Of those, calls that were cut off: they were asked again, and may have been paid for twice.
    #[serde(default, skip_serializing_if = "is_default")]
    pub calls_in_doubt: u32,
    pub ms: u64,
    pub input_tokens: Sum,
    pub output_tokens: Sum,
    /// Billionths of a dollar.
    pub cost: Sum,
}

/// A sum in which some parts may be unknown.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Sum {
    pub known: u64,
    pub unknown: u32,
}

impl Sum {
    pub fn add(&mut self, part: Option<u64>) {
        match part {
            Some(part) => self.known = self.known.saturating_add(part),
            None => self.unknown += 1,
        }
    }

    pub fn merge(&mut self, other: Self) {
        self.known = self.known.saturating_add(other.known);
        self.unknown += other.unknown;
    }
}

impl Accounts {
    pub fn rows(&self) -> &[Account] {
        &self.rows
    }

    /// The total, as one row without seat and phase.
    pub fn total(&self) -> Account {
        let mut total = Account { seat: SeatName::new("total"), ..Account::default() };
        for row in &self.rows {
            total.calls += row.calls;
            total.calls_in_doubt += row.calls_in_doubt;
            total.ms = total.ms.saturating_add(row.ms);
            total.input_tokens.merge(row.input_tokens);
            total.output_tokens.merge(row.output_tokens);
            total.cost.merge(row.cost);
        }
        total
    }

    /// Books a call that ended.
    pub(super) fn book(&mut self, seat: &SeatName, phase: &Phase, ms: u64, usage: Usage) {
        let row = self.row(seat, phase);
        row.calls += 1;
        row.ms = row.ms.saturating_add(ms);
        row.use_up(usage);
    }

    /// Books what a call used before it is retried, as far as the tool reported it.
    pub(super) fn book_retry(&mut self, seat: &SeatName, phase: &Phase, usage: Usage) {
        if usage != Usage::default() {
            self.row(seat, phase).use_up(usage);
        }
    }

    pub(super) fn book_doubt(&mut self, seat: &SeatName, phase: &Phase) {
        self.row(seat, phase).calls_in_doubt += 1;
    }

    fn row(&mut self, seat: &SeatName, phase: &Phase) -> &mut Account {
        let place = self.rows.iter().position(|row| row.seat == *seat && row.phase == *phase).unwrap_or_else(|| {
            self.rows.push(Account { seat: seat.clone(), phase: phase.clone(), ..Account::default() });
            self.rows.len() - 1
        });
        &mut self.rows[place]
    }
}

impl Account {
    fn use_up(&mut self, usage: Usage) {
        self.input_tokens.add(usage.input_tokens);
        self.output_tokens.add(usage.output_tokens);
        self.cost.add(usage.cost.map(super::Cost::nanodollars));
    }
}
