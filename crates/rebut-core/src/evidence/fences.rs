//! Fenced blocks of Markdown, as CommonMark has them: line by line, closed by the same character at least as long.

use std::ops::Range;

/// A fenced block of a text, by its bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Fence {
    /// The block with both fences; to the end of the text if it is not closed.
    pub(crate) whole: Range<usize>,
    /// The lines between the fences.
    pub(crate) inside: Range<usize>,
}

/// The fenced blocks of a text, in order.
pub(crate) fn fences(text: &str) -> Vec<Fence> {
    let mut fences = Vec::new();
    let mut open: Option<(usize, usize, FenceLine)> = None;
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        let (start, end) = (at, at + line.len());
        at = end;
        match (open, FenceLine::of(line)) {
            (Some((whole, inside, own)), Some(other)) if other.closes(own) => {
                fences.push(Fence { whole: whole..end, inside: inside..start });
                open = None;
            }
            (None, Some(begins)) => open = Some((start, end, begins)),
            _ => {}
        }
    }
    if let Some((whole, inside, ..)) = open {
        fences.push(Fence { whole: whole..text.len(), inside: inside..text.len() });
    }
    fences
}

/// Where code begins or ends: three or more backticks or tildes, with up to three spaces before them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct FenceLine {
    pub(crate) mark: char,
    pub(crate) length: usize,
    /// Whether nothing follows the marks; a closing fence has nothing after it.
    bare: bool,
}

impl FenceLine {
    pub(crate) fn of(line: &str) -> Option<Self> {
        let start = line.trim_start_matches(' ');
        let mark = start.chars().next().filter(|c| matches!(c, '`' | '~') && line.len() - start.len() <= 3)?;
        let rest = start.trim_start_matches(mark);
        let length = start.len() - rest.len();
        // The words after an opening fence of backticks hold none.
        let is_one = length >= 3 && !(mark == '`' && rest.contains('`'));
        is_one.then(|| Self { mark, length, bare: rest.trim().is_empty() })
    }

    /// The fence that is open after a line, where this one was before it.
    pub(crate) fn after(open: Option<Self>, line: &str) -> Option<Self> {
        match (open, Self::of(line)) {
            (None, begins) => begins,
            (Some(own), Some(other)) if other.closes(own) => None,
            (Some(own), _) => Some(own),
        }
    }

    fn closes(self, own: Self) -> bool {
        self.mark == own.mark && self.length >= own.length && self.bare
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn insides(text: &str) -> Vec<&str> {
        fences(text).into_iter().map(|fence| &text[fence.inside]).collect()
    }

    #[test]
    fn a_block_is_closed_by_its_own_kind_of_fence() {
        assert_eq!(insides("a\n```json\n{}\n```\nb"), ["{}\n"]);
        assert_eq!(insides("````\n```\nx\n```\n````\n"), ["```\nx\n```\n"]);
        assert_eq!(insides("~~~\n```\n~~~\n```\ny\n```"), ["```\n", "y\n"]);
        assert_eq!(insides("   ```\nx\n  ```  \n"), ["x\n"]);
        assert_eq!(insides("```\nx\n``` y\n```"), ["x\n``` y\n"]);
    }

    #[test]
    fn what_only_looks_like_a_fence_opens_nothing() {
        assert_eq!(insides("a ```json\n    ```\n``` a`b\n``\n"), [""; 0]);
    }

    #[test]
    fn a_block_that_is_not_closed_ends_with_the_text() {
        assert_eq!(insides("```json\n{\n"), ["{\n"]);
        assert_eq!(insides("```"), [""]);
    }
}
