//! Blocks of code whose place stands a passage further up, with a title of what stands there between them:
//! `- **File**: src/pool.rs:3` above `- **Code**:`.

use std::ops::Range;

use super::attach::{Mark, Said};
use super::sentences::{Heading, heads_a_block};
use super::words::words;

/// The place that the passages before a block of code name.
#[derive(Default)]
pub(super) struct Above {
    /// The citation of the only place of the last passage that names any.
    place: Option<Heading>,
    /// The same where nothing but a title would stand between it and a block: its passage leads to what follows it.
    leading: Option<Heading>,
}

/// What a title calls the code of a file.
const CODE: [&str; 6] = ["code", "snippet", "excerpt", "line", "lines", "implementation"];

/// What says of it that it stands there as yet: what is proposed has a title as well.
const AS_YET: [&str; 6] = ["current", "currently", "existing", "offending", "problematic", "vulnerable"];

impl Above {
    /// A passage of prose stands here, with these marks. Gives the citation that a block of code right behind it is the quote of.
    pub(super) fn prose(&mut self, text: &str, range: Range<usize>, marks: &[Mark]) -> Option<Heading> {
        let passage = &text[range.clone()];
        match Title::of(passage).filter(|_| marks.is_empty()) {
            Some(Title::AsYet) => return self.place,
            Some(Title::Code) => return self.leading,
            None => {}
        }
        let own = heads_a_block(text, range.start..range.start + without_closing_tags(passage).len(), marks);
        let mut places = marks.iter().filter_map(|mark| match &mark.said {
            Said::Path(cited) => Some(cited.start),
            Said::Quote(_) | Said::Code(_) => None,
        });
        self.place = match (places.next(), places.next()) {
            (Some(at), None) => Some(Heading { at, quotes: true }),
            // The items of a list say something of the place that one of them names: `- **Severity**: high`.
            (None, None) if is_item(passage) => self.place,
            _ => None,
        };
        self.leading = own;
        own
    }
}

/// A passage that is a title of code as it stands in a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Title {
    /// `**Code**:`, which may be somebody's own.
    Code,
    /// `Current code:`
    AsYet,
}

impl Title {
    fn of(passage: &str) -> Option<Self> {
        let passage = passage.trim();
        if passage.len() > LONGEST_TITLE || !passage.trim_end_matches('*').ends_with(':') {
            return None;
        }
        let own: Vec<_> = words(passage).filter(|word| word != "the").collect();
        let (last, before) = own.split_last()?;
        let as_yet = !before.is_empty() && before.iter().all(|word| AS_YET.contains(&&**word));
        let title = if as_yet { Self::AsYet } else { Self::Code };
        (CODE.contains(&&**last) && (as_yet || before.is_empty())).then_some(title)
    }
}

/// The longest title, in bytes.
const LONGEST_TITLE: usize = 60;

fn is_item(passage: &str) -> bool {
    ["- ", "* ", "+ ", "• "].iter().any(|bullet| passage.trim_start().starts_with(bullet))
}

/// `src/pool.rs:3</b></summary>`: what closes around a place stands behind it and says nothing.
fn without_closing_tags(passage: &str) -> &str {
    let mut rest = passage;
    while let Some((before, tag)) = rest.trim_end().strip_suffix('>').and_then(|open| open.rsplit_once("</"))
        && tag.len() <= 12
        && tag.chars().all(char::is_alphanumeric)
    {
        rest = before;
    }
    rest
}

#[cfg(test)]
mod tests {
    use super::super::find;

    fn quotes(text: &str) -> Vec<Vec<String>> {
        find(text).into_iter().map(|citation| citation.quotes).collect()
    }

    const BLOCK: &str = "```rust\nlet guard = lock();\n```\n";

    #[test]
    fn a_title_of_code_leads_from_the_place_above_it_to_the_block() {
        for head in [
            "- **Where**: src/a.rs:9\n- **Code**:\n",
            "- **Location:** `src/a.rs:9`\n- **Snippet:**\n",
            "## `src/a.rs:9`: the lock is never given back\n\nThe current code:\n\n",
            "src/a.rs:9 blocks.\n\n**Existing implementation:**\n\n",
            "- File: src/a.rs:9\n- Severity: high\n- Offending lines:\n",
            "<details><summary>src/a.rs:9</summary>\n\n",
            "<summary><b>src/a.rs:9</b></summary>\n",
            "**File:** `src/a.rs`, **Line:** 9\n\n",
            "**Path**: src/a.rs, **Lines**: 9-11\n",
        ] {
            assert_eq!(quotes(&format!("{head}{BLOCK}")), [["let guard = lock();"]], "{head}");
        }
    }

    #[test]
    fn a_title_of_something_else_leads_nowhere() {
        for head in [
            "- **Where**: src/a.rs:9\n- **Fix**:\n",
            "- **Where**: src/a.rs:9\n- **Fix**: take it once\n- **Code**:\n",
            "src/a.rs:9 should lock once.\n\nCode:\n\n",
            "## src/a.rs:9 blocks\n\nSuggested code:\n\n",
            "## src/a.rs:9 blocks\n\nCurrent output:\n\n",
            "## src/a.rs:9 blocks\n\nThe caller is fine.\n\nCurrent code:\n\n",
        ] {
            assert_eq!(quotes(&format!("{head}{BLOCK}")), [[""; 0]], "{head}");
        }
        let several = format!("src/a.rs:9 and src/b.rs:3 block.\n\nCurrent code:\n\n{BLOCK}");
        assert_eq!(quotes(&several), [[""; 0], [""; 0]]);
        let once = format!("## src/a.rs:9\n\nCurrent code:\n\n{BLOCK}\nCode:\n\n```rust\nlet other = 1;\n```\n");
        assert_eq!(quotes(&once), [["let guard = lock();"]]);
    }
}
