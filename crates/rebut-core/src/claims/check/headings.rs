//! The headings of a document, as links name them.

use std::collections::BTreeMap;

use super::super::citation::{OpenFence, closes, opens};

/// The names of a document's headings, with their lines: `limits-of-a-call` for `## Limits of a call`.
#[derive(Debug)]
pub(super) struct Headings(BTreeMap<String, u32>);

impl Headings {
    /// Those of a document. Headings that are the same are told apart by a number, and an anchor that is written out counts
    /// as well.
    pub(super) fn of<'a>(lines: impl Iterator<Item = &'a str>) -> Self {
        let mut named: BTreeMap<String, u32> = BTreeMap::new();
        let mut same: BTreeMap<String, u32> = BTreeMap::new();
        let mut fence: Option<OpenFence> = None;
        let mut before = "";
        for (line, number) in lines.zip(1_u32..) {
            let bare = line.trim();
            for anchor in anchors(line) {
                named.entry(anchor).or_insert(number);
            }
            let fenced = fence.is_some();
            fence = match fence {
                Some(open) => Some(open).filter(|open| !closes(bare, open)),
                None => opens(line, 0..line.len()),
            };
            let underlined = bare.len() > 1 && (bare.bytes().all(|b| b == b'=') || bare.bytes().all(|b| b == b'-'));
            let heading = match bare.trim_start_matches('#') {
                _ if fenced => None,
                text if text.len() < bare.len() && (text.starts_with(' ') || text.is_empty()) => Some((text, number)),
                _ if underlined && !before.is_empty() => Some((before, number - 1)),
                _ => None,
            };
            if let Some((text, at)) = heading {
                let slug = slug(text);
                let times = same.entry(slug.clone()).or_insert(0);
                let told = if *times == 0 { slug } else { format!("{slug}-{times}") };
                *times += 1;
                named.entry(told).or_insert(at);
            }
            // What stands in a block is no heading, whatever follows the block.
            before = if fenced || fence.is_some() { "" } else { bare };
        }
        Self(named)
    }

    /// The line of the heading that a link names so, the first is 1.
    pub(super) fn line(&self, name: &str) -> Option<u32> {
        self.0.get(&name.to_lowercase()).copied()
    }
}

/// The anchors that a line writes out, in small letters.
fn anchors(line: &str) -> Vec<String> {
    let marks = [("id=\"", '"'), ("name=\"", '"'), ("{#", '}')];
    if !line.contains("=\"") && !line.contains("{#") {
        return Vec::new();
    }
    let lower = line.to_lowercase();
    let all = marks.iter().flat_map(|(open, close)| {
        lower.split(open).skip(1).filter_map(|behind| behind.split_once(*close)).map(|(anchor, _)| anchor.to_owned())
    });
    all.collect()
}

/// A heading as a link names it: small letters, `-` for each space, and nothing else but letters, digits, `-` and `_`.
fn slug(heading: &str) -> String {
    let heading = heading.trim().trim_end_matches('#').trim();
    let mut plain = String::with_capacity(heading.len());
    let mut rest = heading;
    // Of a link only its label is shown.
    while let Some((label, target)) = rest.split_once("](") {
        plain.push_str(label);
        rest = target.split_once(')').map_or("", |(_, behind)| behind);
    }
    plain.push_str(rest);
    let letters = plain.chars().filter(|c| c.is_alphanumeric() || matches!(c, '-' | '_' | ' '));
    letters.map(|c| if c == ' ' { '-' } else { c }).flat_map(char::to_lowercase).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const GUIDE: &str = "# The Guide\n\n## `limits.calls`, and why\n\n## See [the API](API.md)\n\nBelow it\n--------\n\n\
                         ```\n# no heading\n```\n## Again\n## Again ##\n<a id=\"old-name\"></a>\n## Größe & Maß\n";

    #[test]
    fn headings_are_found_by_what_links_call_them() {
        let headings = Headings::of(GUIDE.lines());
        for (name, line) in [
            ("the-guide", 1),
            ("limitscalls-and-why", 3),
            ("see-the-api", 5),
            ("below-it", 7),
            ("again", 13),
            ("again-1", 14),
            ("old-name", 15),
            ("Größe--maß", 16),
        ] {
            assert_eq!(headings.line(name), Some(line), "{name}");
        }
        for name in ["no-heading", "again-2", "guide", "see-the-apiapimd"] {
            assert_eq!(headings.line(name), None, "{name}");
        }
    }

    #[test]
    fn a_block_ends_with_the_fence_that_it_began_with() {
        let text = "````md\n```\n# inside\n````\n## After\n~~~\n```\n# in here\n~~~\n## Last\n```\n# never closed\n";
        let headings = Headings::of(text.lines());
        let told = ["after", "last", "inside", "in-here", "never-closed"].map(|name| headings.line(name));
        assert_eq!(told, [Some(5), Some(10), None, None, None]);
    }

    #[test]
    fn headings_are_read_once_however_many_are_the_same() {
        // With the square of the lines this would take hours.
        let text = "#\n".repeat(400_000);
        let file = super::super::FileText::new(text.as_bytes());
        for number in 1..2_000 {
            assert_eq!(file.heading(&format!("-{number}")), Some(number + 1));
            assert_eq!(file.heading("nowhere"), None);
        }
    }
}
