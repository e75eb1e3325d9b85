//! What is read of answers as tools give them.

mod findings;
mod nothing;
mod outside;
mod quoted;
mod whole;

use super::*;

/// The findings of an answer in one line each: `P1 text @place`.
fn told(text: &str) -> Vec<String> {
    let critique = read(text).unwrap_or_else(|rejection| panic!("{}: {}\n{text}", rejection.code, rejection.reason));
    critique.findings.iter().map(tell).collect()
}

fn tell(remark: &Remark) -> String {
    let place = remark.place.as_ref().map(|place| format!(" @{place}")).unwrap_or_default();
    format!("{} {}{place}", remark.severity.as_str(), remark.text)
}

fn code(text: &str) -> String {
    read(text).map(|critique| format!("{critique:?}")).unwrap_err().code
}
