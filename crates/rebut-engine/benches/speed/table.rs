//! The table.

use std::fmt;

/// What was measured, row by row.
#[derive(Default)]
pub(crate) struct Table {
    rows: Vec<Row>,
}

/// One row.
#[derive(Default)]
pub(crate) struct Row {
    pub(crate) what: String,
    pub(crate) measured: String,
    /// What cannot be done faster, measured in the same run.
    pub(crate) ideal: String,
    /// Measured by ideal.
    pub(crate) ratio: Option<f64>,
    pub(crate) aim: String,
    pub(crate) met: Option<bool>,
}

impl Table {
    pub(crate) fn add(&mut self, row: Row) {
        self.rows.push(row);
    }
}

impl Row {
    /// A row without an aim.
    pub(crate) fn new(what: impl Into<String>, measured: impl Into<String>) -> Self {
        Self { what: what.into(), measured: measured.into(), ..Self::default() }
    }

    /// With the ideal and how many times it was measured.
    pub(crate) fn ideal(self, ideal: impl Into<String>, ratio: f64) -> Self {
        Self { ideal: ideal.into(), ratio: Some(ratio), ..self }
    }

    /// With an aim, and whether it is met.
    pub(crate) fn aim(self, aim: impl Into<String>, met: bool) -> Self {
        Self { aim: aim.into(), met: Some(met), ..self }
    }
}

impl fmt::Display for Table {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let head = ["what", "measured", "ideal", "ratio", "aim", ""].map(str::to_owned);
        let rows: Vec<[String; 6]> = self
            .rows
            .iter()
            .map(|row| {
                let ratio = row.ratio.map_or_else(String::new, |ratio| format!("{ratio:.2}"));
                let met = row.met.map_or("", |met| if met { "met" } else { "MISSED" }).to_owned();
                [row.what.clone(), row.measured.clone(), row.ideal.clone(), ratio, row.aim.clone(), met]
            })
            .collect();
        let width =
            |column: usize| rows.iter().chain([&head]).map(|cells| cells[column].chars().count()).max().unwrap_or_default();
        let widths: [usize; 6] = std::array::from_fn(width);
        let line = |cells: &[String; 6]| {
            let cell = |column: usize| format!("{:<1$}", cells[column], widths[column]);
            format!("| {} |", (0..6).map(cell).collect::<Vec<_>>().join(" | "))
        };
        writeln!(f, "{}", line(&head))?;
        writeln!(f, "|{}|", widths.map(|width| "-".repeat(width + 2)).join("|"))?;
        rows.iter().try_for_each(|cells| writeln!(f, "{}", line(cells)))
    }
}
