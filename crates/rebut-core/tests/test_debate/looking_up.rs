//! Evidence looked up in the files and among the pages of a debate under test.

use rebut_core::debate::Check;
use rebut_core::evidence::Subject;
use rebut_core::evidence::check::{
    CheckResult, Checked, Cited, FileText, Judgement, PathIndex, SearchBudget, Unread, as_claimed, check_file, check_texts,
};
use rebut_core::evidence::source::{Fetched, SourcePage};

use super::TestDebate;

impl TestDebate {
    /// The pages that were read for these findings and are not known yet.
    pub(super) fn fetched(&self, findings: &[Checked]) -> Vec<SourcePage> {
        let mut pages: Vec<SourcePage> = Vec::new();
        for found in findings.iter().filter(|found| found.result.holds()) {
            let url = found.evidence.to_string();
            let known = self.debate.pages().iter().chain(&pages).any(|page| page.url == url);
            if self.pages.contains_key(&url) && !known {
                let fetched = Fetched::Read { text: "The text of the page.".to_owned() };
                pages.push(SourcePage { url, led_to: None, fetched });
            }
        }
        pages
    }

    /// Looks citations up in the files and among the pages of this debate.
    pub(super) fn look_up(&self, check: Check) -> Vec<Checked> {
        let index = PathIndex::new(self.files.keys().cloned(), ["/srv/gateway".to_owned()]);
        let read = |at: usize| Ok::<_, Unread>(FileText::new(self.files[&index.paths()[at]].as_bytes()));
        let texts: Vec<(String, FileText)> =
            check.texts.into_iter().map(|(name, text)| (name, FileText::new(text.as_bytes()))).collect();
        let mut budget = SearchBudget::default();
        let mut look_up = |cited: Cited| {
            if let Some(own) = check_texts(&cited, &texts, &mut budget) {
                return own;
            }
            let known = self.pages.get(&cited.evidence.to_string()).copied();
            if let Subject::File { .. } = cited.evidence.subject() {
                return as_claimed(check_file(cited, &index, read, &mut budget));
            }
            // This debate is about no repository, and may run nothing: all but pages of its table cannot be looked up.
            let detail = known.map_or("nobody could look it up", |_| "as the table of pages has it");
            Checked::of(cited, Judgement::new(known.unwrap_or(CheckResult::Unchecked), detail))
        };
        check.evidence.into_iter().map(&mut look_up).collect()
    }
}
