//! Whether a page on the web says what a citation says it does.
//!
//! Lines mean nothing on a page, and code that a sentence names is more often the project's than the page's: so a quote
//! must stand there, a figure must, and a name only may.

use super::super::citation::Citation;
use super::super::figure::{Figure, Stands};
use super::judge::{Judgement, found};
use super::nearest::nearest;
use super::quote::{place, says_something};
use super::{CheckResult, FileText, Patience, Weary};

/// Judges a citation by the text of its page.
pub fn judge_page(page: &FileText, citation: &Citation, patience: &mut Patience) -> Judgement {
    let quotes: Vec<&str> = citation.quotes.iter().map(String::as_str).filter(|quote| says_something(quote)).collect();
    let judged =
        if quotes.is_empty() { judge_figures(page, citation, patience) } else { judge_quotes(page, &quotes, patience) };
    judged.unwrap_or_else(|Weary| found(CheckResult::Unchecked, Weary.to_string(), None)).of_several(citation.shared)
}

fn judge_quotes(page: &FileText, quotes: &[&str], patience: &mut Patience) -> Result<Judgement, Weary> {
    for quote in quotes {
        if place(page, quote, None, patience)?.is_some() {
            continue;
        }
        // `42 %` is quoted rightly where the page has `42 percent`.
        match figure(page, quote, patience)? {
            Some(Stands::Wholly) => {}
            Some(Stands::AsNumber) => return Ok(found(CheckResult::Unchecked, without_unit(quote), None)),
            Some(Stands::Nowhere) => {
                return Ok(found(CheckResult::Mismatch, format!("{} does not stand in the page", quote.trim()), None));
            }
            None => {
                let nearest = nearest(page, quote, patience);
                let likeness = nearest.map(|nearest| nearest.likeness);
                let detail = match likeness {
                    Some(likeness) => {
                        format!("the quote does not stand in the page; the likest words are {likeness} % alike")
                    }
                    None => "the quote does not stand in the page".to_owned(),
                };
                return Ok(Judgement { likeness, ..found(CheckResult::Mismatch, detail, None) });
            }
        }
    }
    Ok(found(CheckResult::Verified, "the quote stands there", None))
}

/// With nothing quoted, one of the figures must stand there: a sentence may draw others from elsewhere. Those that do not
/// are named all the same.
fn judge_figures(page: &FileText, citation: &Citation, patience: &mut Patience) -> Result<Judgement, Weary> {
    let (mut there, mut as_number, mut nowhere) = (Vec::new(), Vec::new(), Vec::new());
    for written in &citation.figures {
        match figure(page, written, patience)? {
            Some(Stands::Wholly) => there.push(written.as_str()),
            Some(Stands::AsNumber) => as_number.push(written.as_str()),
            Some(Stands::Nowhere) => nowhere.push(written.as_str()),
            None => {}
        }
    }
    let stand = |figures: &[&str]| if figures.len() == 1 { "stands" } else { "stand" };
    let detail = match (&there[..], &as_number[..], &nowhere[..]) {
        ([], [], []) => return Ok(found(CheckResult::Verified, "the page is there, nothing is quoted", None)),
        ([], [], [only]) => format!("{only} does not stand in the page"),
        ([], [], all) => format!("none of {} stands in the page", all.join(", ")),
        ([], [first, ..], _) => without_unit(first),
        (there, _, []) => format!("{} {} there", there.join(", "), stand(there)),
        (there, _, not) => format!("{} {} there, {} not", there.join(", "), stand(there), not.join(", ")),
    };
    let result = match (&there[..], &as_number[..]) {
        ([], []) => CheckResult::Mismatch,
        ([], _) => CheckResult::Unchecked,
        _ => CheckResult::Verified,
    };
    Ok(found(result, detail, None))
}

/// Whether these words are a figure, and the page has it.
fn figure(page: &FileText, words: &str, patience: &mut Patience) -> Result<Option<Stands>, Weary> {
    let Some(figure) = Figure::read(words) else { return Ok(None) };
    patience.search(page.len())?;
    Ok(Some(figure.stands_in(page.text())))
}

fn without_unit(figure: &str) -> String {
    format!("the number of {} stands there, but not with its unit", figure.trim())
}

#[cfg(test)]
mod tests {
    use super::super::super::citation::Target;
    use super::*;

    const PAGE: &str = "Benchmarks of gateways\nEncoding JSON took 41 percent of the processor’s time,\nin 1,200 runs.\n\
        The server MUST answer with 413 (Content Too Large).\n| share | 17 |\n";

    fn told(quotes: &[&str], figures: &[&str]) -> String {
        let own = |words: &[&str]| words.iter().map(|word| (*word).to_owned()).collect::<Vec<_>>();
        let target = Target::Page { url: "https://example.com/".to_owned() };
        let citation = Citation {
            span: 0..0,
            claims: Vec::new(),
            target,
            lead: String::new(),
            quotes: own(quotes),
            perhaps: Vec::new(),
            symbols: vec!["PoolConfig".to_owned()],
            figures: own(figures),
            shared: false,
            with_text: false,
            absent: false,
        };
        let judged = judge_page(&FileText::new(PAGE.as_bytes()), &citation, &mut Patience::default());
        format!("{}: {}", judged.result, judged.detail)
    }

    #[test]
    fn a_quote_must_stand_in_the_page() {
        assert_eq!(told(&["413 (Content Too Large)"], &[]), "verified: the quote stands there");
        assert_eq!(told(&["41 percent of the processor's time, in 1,200 runs"], &[]), "verified: the quote stands there");
        assert_eq!(told(&["Encoding JSON … 1,200 runs"], &[]), "verified: the quote stands there");
        assert_eq!(
            told(&["The server MAY answer with 413 (Content Too Large)."], &[]),
            "mismatch: the quote does not stand in the page; the likest words are 89 % alike"
        );
        assert_eq!(told(&["launch the rockets"], &[]), "mismatch: the quote does not stand in the page");
    }

    #[test]
    fn a_figure_is_looked_up_as_a_number() {
        assert_eq!(told(&["41 %"], &[]), "verified: the quote stands there");
        assert_eq!(told(&["42 %"], &[]), "mismatch: 42 % does not stand in the page");
        assert_eq!(told(&["17 %"], &[]), "unchecked: the number of 17 % stands there, but not with its unit");
        assert_eq!(told(&[], &["41 %"]), "verified: 41 % stands there");
        assert_eq!(told(&[], &["3 GB", "1200"]), "verified: 1200 stands there, 3 GB not");
        assert_eq!(told(&[], &["41%", "1200"]), "verified: 41%, 1200 stand there");
        assert_eq!(told(&[], &["3 GB", "17 %"]), "unchecked: the number of 17 % stands there, but not with its unit");
        assert_eq!(told(&[], &["3 GB", "12 %"]), "mismatch: none of 3 GB, 12 % stands in the page");
    }

    #[test]
    fn what_is_said_of_several_pages_may_stand_in_another_one() {
        let target = Target::Page { url: "https://example.com/".to_owned() };
        for (figure, result) in [("42 %", CheckResult::Unchecked), ("41 %", CheckResult::Verified)] {
            let citation = Citation { figures: vec![figure.to_owned()], shared: true, ..Citation::of(target.clone()) };
            let judged = judge_page(&FileText::new(PAGE.as_bytes()), &citation, &mut Patience::default());
            assert_eq!(judged.result, result, "{}", judged.detail);
        }
    }

    #[test]
    fn a_name_that_is_not_in_the_page_is_no_lie() {
        assert_eq!(told(&[], &[]), "verified: the page is there, nothing is quoted");
    }
}
