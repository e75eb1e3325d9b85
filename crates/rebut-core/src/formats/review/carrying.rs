//! Where lines of one version of the artifact are in a later one.

use super::versions::revisions_before;
use super::{current_text, setup};
use crate::debate::Debate;
use crate::diff::Diff;
use crate::evidence::check::Checked;
use crate::evidence::{Evidence, Lines};
use crate::report::text::one_line;

/// The changes to the artifact between the versions of two rounds.
pub(super) struct Carrying {
    /// The patches, oldest first, where it is revised by patches.
    patches: Vec<Diff>,
    /// The artifact's own text, where it is rewritten as a whole.
    own: Option<Own>,
}

/// The text of an artifact that is no file of the workspace, under the names by which its lines are cited.
struct Own {
    names: (String, String),
    before: String,
    now: String,
}

impl Carrying {
    /// What was made of it from the version of one round to that of another.
    pub(super) fn between(debate: &Debate, from: u32, to: u32) -> Self {
        let already = revisions_before(debate, from).count();
        let patches = revisions_before(debate, to).skip(already).map(Diff::parse).collect();
        let name = |round| setup(debate.plan()).and_then(|setup| setup.artifact.form.own_name(round));
        let text = |round| current_text(debate, round);
        let own = name(from).zip(name(to)).map(|names| Own { names, before: text(from), now: text(to) });
        Self { patches, own }
    }

    /// Evidence with its lines as they are now; without lines where they are gone.
    pub(super) fn carried(&self, evidence: &Evidence) -> Evidence {
        let (Some(path), Some(lines)) = (&evidence.file, evidence.lines) else { return evidence.clone() };
        let ends = [self.line(path, lines.first), self.line(path, lines.last)];
        let length = lines.last - lines.first;
        let (file, lines) = match ends {
            [Some((file, first)), Some((_, last))] => (file, Some(Lines::new(first, last))),
            [Some((file, first)), None] => (file, Some(Lines::new(first, first.saturating_add(length)))),
            [None, Some((file, last))] => (file, Some(Lines::new(last.saturating_sub(length).max(1), last))),
            [None, None] => (self.renamed(path), None),
        };
        Evidence { file: Some(file), lines, ..evidence.clone() }
    }

    /// Whether nothing of what this evidence was found to cite is in the version of now. Where no lines are known to be
    /// cited, it is unknown.
    pub(super) fn has_lost(&self, found: &[Checked]) -> bool {
        let holding = found.iter().filter(|checked| checked.result.holds() && !checked.evidence.absent);
        let mut cited = holding.filter_map(|checked| Some((checked, checked.file.as_deref()?, checked.lines?))).peekable();
        cited.peek().is_some()
            && cited.all(|(checked, file, lines)| self.is_gone(file, lines, checked.evidence.quote.is_some()))
    }

    /// A quote is gone with any of its lines, bare lines only with all of them: they say where, and not what.
    fn is_gone(&self, file: &str, lines: Lines, quoted: bool) -> bool {
        if let Some(own) = self.own.as_ref().filter(|own| own.names.0 == file) {
            let before: Vec<&str> = own.before.lines().collect();
            let at = |line: u32| usize::try_from(line).unwrap_or(usize::MAX).min(before.len());
            let cited = one_line(&before[at(lines.first.saturating_sub(1))..at(lines.last)].join(" "));
            return !cited.is_empty() && !one_line(&own.now).contains(&cited);
        }
        let mut gone = (lines.first..=lines.last).map(|line| self.line(file, line).is_none());
        if quoted { gone.any(|gone| gone) } else { gone.all(|gone| gone) }
    }

    fn line(&self, path: &str, line: u32) -> Option<(String, u32)> {
        if let Some(own) = self.own.as_ref().filter(|own| own.names.0 == path) {
            return own.line(line).map(|line| (own.names.1.clone(), line));
        }
        self.patches.iter().try_fold((path.to_owned(), line), |(path, line), patch| patch.carried(&path, line))
    }

    fn renamed(&self, path: &str) -> String {
        match self.own.as_ref().filter(|own| own.names.0 == path) {
            Some(own) => own.names.1.clone(),
            None => self
                .patches
                .iter()
                .fold(path.to_owned(), |path, patch| patch.renamed_to(&path).map(str::to_owned).unwrap_or(path)),
        }
    }
}

impl Own {
    /// Where the same line is now, nearest to where it was.
    fn line(&self, line: u32) -> Option<u32> {
        let at = usize::try_from(line).ok()?.checked_sub(1)?;
        let words = self.before.lines().nth(at)?.trim();
        let places = self.now.lines().enumerate().filter(|(_, other)| other.trim() == words).map(|(place, _)| place);
        u32::try_from(places.min_by_key(|place| place.abs_diff(at))? + 1).ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_carried_through_a_patch() {
        let patch = "--- a/a.rs\n+++ b/b.rs\n@@ -1,4 +1,6 @@\n a\n+b\n+c\n+d\n e\n-f\n g\n";
        let patch = format!("diff --git a/a.rs b/b.rs\nrename from a.rs\nrename to b.rs\n{patch}");
        let carrying = Carrying { patches: vec![Diff::parse(&patch)], own: None };
        let carried = |lines| carrying.carried(&Evidence::file("a.rs", Lines::read(lines))).to_string();
        assert_eq!(
            ["1", "2", "2-4", "2-3", "3", "9", "3-4"].map(carried),
            ["b.rs:1", "b.rs:5", "b.rs:5-6", "b.rs:5-6", "b.rs", "b.rs:11", "b.rs:5-6"]
        );
        assert_eq!(carrying.carried(&Evidence::file("c.rs", Lines::read("7"))).to_string(), "c.rs:7");
    }
}
