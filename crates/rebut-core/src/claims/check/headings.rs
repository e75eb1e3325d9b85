//! The headings of a document, as links name them.

use super::FileText;

/// The line of the heading that a link names, the first is 1: `limits-of-a-call` for `## Limits of a call`. Headings that are
/// the same are told apart by a number, and an anchor that is written out counts as well.
pub(super) fn heading_line(file: &FileText, wanted: &str) -> Option<u32> {
    let wanted = wanted.to_lowercase();
    let mut seen: Vec<String> = Vec::new();
    let mut fenced = false;
    let mut before = "";
    for (line, number) in file.lines().zip(1_u32..) {
        let bare = line.trim();
        if bare.starts_with("```") || bare.starts_with("~~~") {
            fenced = !fenced;
        }
        let anchors = [format!("id=\"{wanted}\""), format!("name=\"{wanted}\""), format!("{{#{wanted}}}")];
        if anchors.iter().any(|anchor| line.to_lowercase().contains(anchor.as_str())) {
            return Some(number);
        }
        let underlined = bare.len() > 1 && (bare.bytes().all(|b| b == b'=') || bare.bytes().all(|b| b == b'-'));
        let heading = match bare.trim_start_matches('#') {
            _ if fenced => None,
            text if text.len() < bare.len() && (text.starts_with(' ') || text.is_empty()) => Some((text, number)),
            _ if underlined && !before.is_empty() => Some((before, number - 1)),
            _ => None,
        };
        if let Some((text, at)) = heading {
            let slug = slug(text);
            let same = seen.iter().filter(|known| **known == slug).count();
            let told = if same == 0 { slug.clone() } else { format!("{slug}-{same}") };
            if told == wanted {
                return Some(at);
            }
            seen.push(slug);
        }
        before = bare;
    }
    None
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
        let file = FileText::new(GUIDE.as_bytes());
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
            assert_eq!(heading_line(&file, name), Some(line), "{name}");
        }
        for name in ["no-heading", "again-2", "guide", "see-the-apiapimd"] {
            assert_eq!(heading_line(&file, name), None, "{name}");
        }
    }
}
