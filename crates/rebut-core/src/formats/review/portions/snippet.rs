//! A long snippet of code in portions, cut where the code itself pauses.

use super::{Portion, risk};

/// Splits a snippet into portions of at most this many bytes, riskiest first. It is cut before top-level items that follow a
/// blank line; within an item that is too long, at blank lines, then between lines, and in the middle of a line only
/// where the line alone is too long. Nothing is left out.
pub(in crate::formats::review) fn snippet_portions(text: &str, most_bytes: usize) -> Vec<Portion> {
    let most = most_bytes.max(4);
    let lines: Vec<&str> = text.split_inclusive('\n').collect();
    let mut blocks = Vec::new();
    for item in cut(&lines, starts_item(&lines)) {
        add(&item, most, &mut blocks);
    }
    let mut portions: Vec<Portion> = Vec::new();
    for block in blocks {
        match portions.last_mut().filter(|portion| portion.text.len() + block.len() <= most) {
            Some(portion) => portion.text.push_str(&block),
            None => portions.push(Portion { text: block, ..Portion::default() }),
        }
    }
    for portion in &mut portions {
        portion.risk = risk::score("", portion.text.lines());
    }
    portions.sort_by_key(|portion| std::cmp::Reverse(portion.risk));
    portions
}

/// For each line whether an item begins with it: it is at the outermost indentation, after a blank line.
fn starts_item(lines: &[&str]) -> Vec<bool> {
    let indentation = |line: &str| line.len() - line.trim_start().len();
    let outermost = lines.iter().filter(|line| !line.trim().is_empty()).map(|line| indentation(line)).min().unwrap_or(0);
    let blank_before = |at: usize| at > 0 && lines[at - 1].trim().is_empty();
    let starts = lines.iter().enumerate().map(|(at, line)| {
        let closes = line.trim_start().starts_with(['}', ')', ']']);
        !line.trim().is_empty() && !closes && indentation(line) == outermost && blank_before(at)
    });
    starts.collect()
}

/// The runs of lines between the marked ones.
fn cut<'a>(lines: &[&'a str], starts: Vec<bool>) -> Vec<Vec<&'a str>> {
    let mut runs: Vec<Vec<&str>> = Vec::new();
    for (line, starts) in lines.iter().zip(starts) {
        match runs.last_mut().filter(|_| !starts) {
            Some(run) => run.push(line),
            None => runs.push(vec![line]),
        }
    }
    runs
}

/// Adds a run of lines as one block, or as smaller ones where it is too long.
fn add(run: &[&str], most: usize, blocks: &mut Vec<String>) {
    let whole: usize = run.iter().map(|line| line.len()).sum();
    if whole <= most {
        blocks.push(run.concat());
        return;
    }
    let after_blank = (0..run.len()).map(|at| at > 0 && run[at - 1].trim().is_empty() && !run[at].trim().is_empty());
    let parts = cut(run, after_blank.collect());
    if parts.len() > 1 {
        for part in &parts {
            add(part, most, blocks);
        }
        return;
    }
    for line in run {
        let mut rest = *line;
        while rest.len() > most {
            let end = (1..=most).rev().find(|at| rest.is_char_boundary(*at)).unwrap_or(rest.len());
            blocks.push(rest[..end].to_owned());
            rest = &rest[end..];
        }
        blocks.push(rest.to_owned());
    }
}
