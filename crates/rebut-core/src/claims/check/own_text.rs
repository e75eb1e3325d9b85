//! Citations of texts that stand in the debate alone, such as a proposal under review: no file need be read for them.

use super::super::citation::{Citation, Target};
use super::{Checked, FileText, PathIndex, Patience, Unread, examine};

/// Looks up those citations that name one of these texts: an answer for each citation, none for those of other things.
/// A text whose name begins with `./` is meant by exactly that path, any other by its name in whatever folder.
pub fn examine_own(citations: &[Citation], texts: &[(String, String)]) -> Vec<Option<Checked>> {
    let read: Vec<(PathIndex, FileText)> = texts
        .iter()
        .map(|(name, text)| (PathIndex::new([name.clone()], std::iter::empty()), FileText::new(text.as_bytes())))
        .collect();
    let mut patience = Patience::default();
    let mut one = |citation: &Citation| {
        let Target::File { path, lines } = &citation.target else { return None };
        let named = path.rsplit(['/', '\\']).next().unwrap_or(path);
        let plain = path.trim_start_matches("./");
        // A text that is named by a path is cited by that path; one that has only a name, in whatever folder.
        let is_meant = |name: &str| match name.strip_prefix("./") {
            Some(whole) => [plain.strip_prefix("a/"), Some(plain)].contains(&Some(whole)),
            None => name.eq_ignore_ascii_case(named),
        };
        let at = texts.iter().position(|(name, _)| is_meant(name))?;
        let ((index, text), (name, _)) = (read.get(at)?, texts.get(at)?);
        Some(examine(citation.clone(), name, *lines, index, |_| Ok::<_, Unread>(text), &mut patience))
    };
    citations.iter().map(&mut one).collect()
}

#[cfg(test)]
mod tests {
    use super::super::CheckResult;
    use super::*;
    use crate::claims::citation::find;

    #[test]
    fn the_debates_own_text_is_looked_up_and_files_are_handed_back() {
        let texts = [("artifact.md".to_owned(), "# Design\n\nWe use gRPC everywhere.\n".to_owned())];
        let found = find(
            "See artifact.md:3 \"We use gRPC everywhere.\", then artifact.md:9 \"nothing of it\", and src/a.rs:1 \"x\".",
        );
        let results: Vec<Option<CheckResult>> =
            examine_own(&found, &texts).into_iter().map(|checked| Some(checked?.result)).collect();
        assert_eq!(results, [Some(CheckResult::Verified), Some(CheckResult::Mismatch), None]);
    }

    #[test]
    fn a_text_with_a_path_is_meant_by_that_path_alone() {
        let texts = [("./src/old.rs".to_owned(), "fn old() {}\n".to_owned())];
        let found = find("src/old.rs:1 \"fn old\", lib/old.rs:1 \"fn old\", src/old.rs:2 \"fn new\"");
        let results: Vec<Option<CheckResult>> =
            examine_own(&found, &texts).into_iter().map(|checked| Some(checked?.result)).collect();
        assert_eq!(results, [Some(CheckResult::Verified), None, Some(CheckResult::Mismatch)]);
    }
}
