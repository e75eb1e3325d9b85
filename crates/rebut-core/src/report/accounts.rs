//! The table of time, tokens and cost.

use crate::debate::{Account, Cost, Debate, Sum};

const HEADINGS: [&str; 7] = ["seat", "phase", "calls", "time", "tokens in", "tokens out", "cost"];

/// Time, tokens and cost by seat and phase as a Markdown table whose columns line up; unknown is said to be unknown.
pub fn accounts_table(debate: &Debate) -> String {
    let accounts = debate.accounts();
    let title = |account: &Account| debate.format().seat_title(debate.plan(), &account.seat);
    let mut rows: Vec<[String; 7]> = vec![HEADINGS.map(str::to_owned)];
    rows.extend(accounts.rows().iter().map(|account| row(title(account), account)));
    rows.push(row(accounts.total().seat.to_string(), &accounts.total()));
    let widths: Vec<usize> =
        (0..HEADINGS.len()).map(|column| rows.iter().map(|row| row[column].chars().count()).max().unwrap_or(0)).collect();
    let mut lines: Vec<String> = rows.iter().map(|row| line(row, &widths)).collect();
    let rule: Vec<String> = widths.iter().map(|width| "-".repeat(*width)).collect();
    lines.insert(1, format!("| {} |", rule.join(" | ")));
    lines.join("\n")
}

/// A duration as people say it: `0.8 s`, `42 s`, `3 min 20 s`, `4 min`.
pub fn duration(ms: u64) -> String {
    match ms {
        0..10_000 => format!("{}.{} s", ms / 1000, ms % 1000 / 100),
        10_000..120_000 => format!("{} s", ms / 1000),
        _ if ms % 60_000 < 1000 => format!("{} min", ms / 60_000),
        _ => format!("{} min {} s", ms / 60_000, ms % 60_000 / 1000),
    }
}

fn row(seat: String, account: &Account) -> [String; 7] {
    [
        seat,
        account.phase.to_string(),
        account.calls.to_string(),
        duration(account.ms),
        sum(account.input_tokens, account.calls, |tokens| tokens.to_string()),
        sum(account.output_tokens, account.calls, |tokens| tokens.to_string()),
        sum(account.cost, account.calls, |nanos| Cost::from_nanodollars(nanos).to_string()),
    ]
}

fn sum(sum: Sum, calls: u32, shown: impl Fn(u64) -> String) -> String {
    match sum.unknown {
        0 => shown(sum.known),
        unknown if unknown >= calls => "unknown".to_owned(),
        unknown => format!("{} + {unknown} unknown", shown(sum.known)),
    }
}

fn line(row: &[String; 7], widths: &[usize]) -> String {
    let cells: Vec<String> = row.iter().zip(widths).map(|(cell, width)| format!("{cell:<width$}")).collect();
    format!("| {} |", cells.join(" | "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_read_as_people_say_them() {
        assert_eq!(
            [0, 850, 9_999, 42_000, 200_000, 240_000].map(duration),
            ["0.0 s", "0.8 s", "9.9 s", "42 s", "3 min 20 s", "4 min"]
        );
    }
}
