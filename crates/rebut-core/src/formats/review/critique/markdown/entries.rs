//! The parts of a critique that are lists of texts.

use super::super::Critique;
use super::super::json::area;
use super::super::none::is_none;
use super::titles::Part;

/// Adds an entry to a part; where the part has none, the words are nobody's.
pub(super) fn push(critique: &mut Critique, part: Part, text: &str) {
    match part {
        Part::Summary => {
            if !critique.summary.is_empty() {
                critique.summary.push('\n');
            }
            critique.summary.push_str(text);
        }
        Part::Checked => {
            let area = area(text);
            if !area.file.is_empty() || !area.aspects.is_empty() {
                critique.checked.push(area);
            }
        }
        part => {
            if let Some(list) = list(critique, part).filter(|_| !is_none(text)) {
                list.push(text.to_owned());
            }
        }
    }
}

/// Goes on with the last entry of a part; false if there is none.
pub(super) fn append(critique: &mut Critique, part: Part, text: &str) -> bool {
    let last = match part {
        Part::Summary => Some(&mut critique.summary).filter(|summary| !summary.is_empty()),
        Part::Checked => {
            let last = critique.checked.last_mut();
            return last.map(|area| area.aspects.push(text.to_owned())).is_some();
        }
        part => list(critique, part).and_then(|list| list.last_mut()),
    };
    let Some(last) = last else { return false };
    last.push('\n');
    last.push_str(text);
    true
}

fn list(critique: &mut Critique, part: Part) -> Option<&mut Vec<String>> {
    match part {
        Part::Agreements => Some(&mut critique.agreements),
        Part::Concerns => Some(&mut critique.concerns),
        Part::Suggestions => Some(&mut critique.suggestions),
        Part::Missing => Some(&mut critique.missing),
        Part::Evidence => Some(&mut critique.evidence),
        _ => None,
    }
}
