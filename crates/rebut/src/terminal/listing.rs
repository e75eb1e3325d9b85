//! Rows for people and for programs: fitted columns under a head on a terminal, and elsewhere whole cells between tabs.

use console::{Alignment, measure_text_width, pad_str, truncate_str};

use super::spans::{Span, Style, painted};
use super::table::widths;
use super::{Screen, harmless};

const GAP: &str = "  ";
const NARROWEST: usize = 10;

impl Screen {
    pub(crate) fn rows(&self, head: &[&str], rows: &[Vec<String>]) {
        let clean = |cell: &String| harmless(&cell.replace(char::is_whitespace, " ")).into_owned();
        let rows: Vec<Vec<String>> = rows.iter().map(|row| row.iter().map(clean).collect()).collect();
        let Some(columns) = self.columns else {
            return rows.iter().for_each(|row| self.print(&row.join("\t")));
        };
        let head: Vec<String> = head.iter().map(|&name| name.to_owned()).collect();
        let (widths, _) = widths(&head, &rows, |cell| measure_text_width(cell), columns, NARROWEST);
        let title = fitted(&head, &widths);
        self.print(&if self.color { painted(&[Span::new(title, Style::DIM)]) } else { title });
        for row in &rows {
            self.print(&fitted(row, &widths));
        }
    }
}

fn fitted(row: &[String], widths: &[usize]) -> String {
    let cell = |(cell, width): (&String, &usize)| {
        pad_str(&truncate_str(cell, *width, "…"), *width, Alignment::Left, None).into_owned()
    };
    row.iter().zip(widths).map(cell).collect::<Vec<_>>().join(GAP).trim_end().to_owned()
}
