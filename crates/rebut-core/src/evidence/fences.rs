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
    let mut open: Option<(usize, usize, char, usize)> = None;
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        let (start, end) = (at, at + line.len());
        at = end;
        match (open, run(line)) {
            (Some((whole, inside, mark, length)), Some((other, count, rest)))
                if other == mark && count >= length && rest.trim().is_empty() =>
            {
                fences.push(Fence { whole: whole..end, inside: inside..start });
                open = None;
            }
            // The words after an opening fence of backticks hold none.
            (None, Some((mark, count, rest))) if mark == '~' || !rest.contains('`') => {
                open = Some((start, end, mark, count));
            }
            _ => {}
        }
    }
    if let Some((whole, inside, ..)) = open {
        fences.push(Fence { whole: whole..text.len(), inside: inside..text.len() });
    }
    fences
}

/// The fence that a line begins with: its character, its length, and what follows it.
fn run(line: &str) -> Option<(char, usize, &str)> {
    let bare = line.trim_start_matches(' ');
    let mark = bare.chars().next().filter(|c| matches!(c, '`' | '~') && line.len() - bare.len() <= 3)?;
    let rest = bare.trim_start_matches(mark);
    let length = bare.len() - rest.len();
    (length >= 3).then_some((mark, length, rest))
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
