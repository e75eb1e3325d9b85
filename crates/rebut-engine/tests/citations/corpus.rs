//! The corpus: how many of the labelled citations are found, what else is taken for one, and how they are judged.

use std::collections::BTreeMap;
use std::fmt;

use rebut_core::claims::Statement;
use rebut_core::claims::check::CheckResult;

use super::cases::{Case, cases, traps};
use super::repository::Repository;

/// What finding must reach.
const FOUND: f64 = 0.98;
/// What judging must reach.
const JUDGED: f64 = 0.99;

#[test]
fn citations_are_found_and_judged_as_a_careful_reader_does() {
    let repository = Repository::build();
    let read = |file, content| cases(file, content, &repository);
    let mut corpus = Vec::new();
    corpus.extend(read("forms", include_str!("texts/forms.txt")));
    corpus.extend(read("judging", include_str!("texts/judging.txt")));
    corpus.extend(read("paragraphs", include_str!("texts/paragraphs.txt")));
    corpus.extend(read("languages", include_str!("texts/languages.txt")));
    corpus.extend(read("claims", include_str!("texts/claims.txt")));
    corpus.extend(read("mentions", include_str!("texts/mentions.txt")));
    corpus.extend(traps("traps", include_str!("texts/traps.txt")));
    let figures = Figures::of(&corpus, &repository);
    println!("{figures}");
    assert!(figures.labelled() >= 300, "the corpus has {} citations", figures.labelled());
    figures.hold();
}

/// These were written when the rules stood: what they give is what other texts can expect.
#[test]
fn citations_of_texts_that_came_later_are_found_and_judged_as_well() {
    let repository = Repository::build();
    let mut corpus = cases("later", include_str!("texts/later.txt"), &repository);
    corpus.extend(traps("later traps", include_str!("texts/later_traps.txt")));
    let figures = Figures::of(&corpus, &repository);
    println!("{figures}");
    assert!(corpus.len() >= 60 && figures.labelled() >= 60, "{figures}");
    figures.hold();
}

/// These were written before there were rules for paths in quotation marks, behind links and out of the workspace.
#[test]
fn paths_in_quotation_marks_behind_links_and_out_of_the_workspace_are_found_and_judged_as_well() {
    let repository = Repository::build();
    let mut corpus = cases("outside", include_str!("texts/outside.txt"), &repository);
    corpus.extend(traps("outside traps", include_str!("texts/outside_traps.txt")));
    let figures = Figures::of(&corpus, &repository);
    println!("{figures}");
    assert!(corpus.len() >= 80 && figures.labelled() >= 50, "{figures}");
    figures.hold();
}

/// These are of a reader who looked for what the rules get wrong.
#[test]
fn what_a_critical_reader_wrote_is_found_and_judged_as_well() {
    let repository = Repository::build();
    let corpus = cases("third", include_str!("texts/third.txt"), &repository);
    let figures = Figures::of(&corpus, &repository);
    println!("{figures}");
    assert!(corpus.len() >= 90 && figures.labelled() >= 80, "{figures}");
    figures.hold();
}

/// These were rewritten from what readers of another hand found to be read wrongly, before it was mended.
#[test]
fn what_readers_found_to_be_read_wrongly_is_found_and_judged_as_well() {
    let repository = Repository::build();
    let corpus = cases("readers", include_str!("texts/readers.txt"), &repository);
    let figures = Figures::of(&corpus, &repository);
    println!("{figures}");
    assert!(corpus.len() >= 60 && figures.labelled() >= 60, "{figures}");
    figures.hold();
}

/// These are of somebody who had not seen the rules, over a repository of their own.
#[test]
fn what_another_hand_wrote_over_another_repository_is_found_and_judged_as_well() {
    let repository = Repository::parcel();
    let corpus = cases("parcel", include_str!("texts/parcel.txt"), &repository);
    let figures = Figures::of(&corpus, &repository);
    println!("{figures}");
    assert!(corpus.len() >= 450 && figures.labelled() >= 400, "{figures}");
    figures.hold();
}

/// And these of somebody else, when the texts before had been mended.
#[test]
fn what_a_third_hand_wrote_over_a_third_repository_is_found_and_judged_as_well() {
    let repository = Repository::drip();
    let corpus = cases("drip", include_str!("texts/drip.txt"), &repository);
    let figures = Figures::of(&corpus, &repository);
    println!("{figures}");
    assert!(corpus.len() >= 280 && figures.labelled() >= 400, "{figures}");
    figures.hold();
}

/// What came of a corpus.
#[derive(Default)]
struct Figures {
    texts: usize,
    found: usize,
    missed: usize,
    invented: usize,
    /// How often a citation that is labelled so was judged so.
    judged: BTreeMap<(CheckResult, CheckResult), usize>,
    differences: Vec<String>,
}

impl Figures {
    fn of(corpus: &[Case], repository: &Repository) -> Self {
        let examiner = repository.examiner();
        let mut figures = Self { texts: corpus.len(), ..Self::default() };
        for Case { name, text, expected } in corpus {
            let checked = examiner.examine_now(Statement::read(text).citations());
            // A place that is cited for several things is as good as the worst of them.
            let mut checked = checked;
            checked.sort_by_key(|checked| (checked.result.fails(), checked.result));
            let checked: BTreeMap<String, _> =
                checked.into_iter().map(|checked| (checked.citation.target.to_string(), checked)).collect();
            let mut differ = |what: String| figures.differences.push(format!("{name}: {what}\n    {text:?}"));
            for (citation, label) in expected {
                let Some(checked) = checked.get(citation) else {
                    figures.missed += 1;
                    differ(format!("{citation} is not found"));
                    continue;
                };
                figures.found += 1;
                *figures.judged.entry((*label, checked.result)).or_default() += 1;
                if checked.result != *label {
                    let quotes = (&checked.citation.quotes, &checked.citation.symbols);
                    differ(format!(
                        "{citation} is {label} and was judged {}: {} {quotes:?}",
                        checked.result, checked.detail
                    ));
                }
            }
            for citation in checked.keys().filter(|citation| !expected.contains_key(*citation)) {
                figures.invented += 1;
                differ(format!("{citation} is found and is no citation"));
            }
        }
        figures
    }

    fn labelled(&self) -> usize {
        self.found + self.missed
    }

    fn precision(&self) -> f64 {
        share(self.found, self.found + self.invented)
    }

    fn recall(&self) -> f64 {
        share(self.found, self.labelled())
    }

    /// How many of those that `of` picks by label or judgement are picked by both.
    fn agreement(&self, picks: fn(CheckResult) -> bool, of: fn((CheckResult, CheckResult)) -> CheckResult) -> f64 {
        let count = |pick: &dyn Fn(CheckResult, CheckResult) -> bool| -> usize {
            self.judged.iter().filter(|((label, judged), _)| pick(*label, *judged)).map(|(_, count)| count).sum()
        };
        share(count(&|label, judged| picks(label) && picks(judged)), count(&|label, judged| picks(of((label, judged)))))
    }

    /// How many were judged exactly as labelled.
    fn exact(&self) -> f64 {
        let same: usize = self.judged.iter().filter(|((label, judged), _)| label == judged).map(|(_, count)| count).sum();
        share(same, self.found)
    }

    /// Precision and recall of what is judged true, and of what is judged false.
    fn judging(&self) -> [(&'static str, f64); 4] {
        [
            ("judging, precision of true", self.agreement(CheckResult::holds, |(_, judged)| judged)),
            ("judging, recall of true", self.agreement(CheckResult::holds, |(label, _)| label)),
            ("judging, precision of false", self.agreement(CheckResult::fails, |(_, judged)| judged)),
            ("judging, recall of false", self.agreement(CheckResult::fails, |(label, _)| label)),
        ]
    }

    fn hold(&self) {
        assert!(self.precision() >= FOUND, "{self}");
        assert!(self.recall() >= FOUND, "{self}");
        for (what, reached) in self.judging() {
            assert!(reached >= JUDGED, "{what}: {reached:.4}\n{self}");
        }
        assert!(self.exact() >= JUDGED, "{self}");
    }
}

impl fmt::Display for Figures {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { texts, found, missed, invented, .. } = self;
        writeln!(f, "{texts} texts with {} citations: {found} found, {missed} missed, {invented} invented", found + missed)?;
        writeln!(f, "{:<28} {:.4}", "finding, precision", self.precision())?;
        writeln!(f, "{:<28} {:.4}", "finding, recall", self.recall())?;
        for (what, reached) in self.judging() {
            writeln!(f, "{what:<28} {reached:.4}")?;
        }
        writeln!(f, "{:<28} {:.4}", "judging, the very result", self.exact())?;
        for result in CheckResult::ALL {
            let labelled: usize = self.judged.iter().filter(|((label, _), _)| *label == result).map(|(_, n)| n).sum();
            let agreed = self.judged.get(&(result, result)).copied().unwrap_or_default();
            writeln!(f, "  {:<13} {agreed:>4} of {labelled:>4}", result.as_str())?;
        }
        self.differences.iter().try_for_each(|difference| writeln!(f, "{difference}"))
    }
}

#[expect(clippy::cast_precision_loss, reason = "nothing here is counted beyond 2^53")]
fn share(part: usize, whole: usize) -> f64 {
    if whole == 0 { 1.0 } else { part as f64 / whole as f64 }
}
