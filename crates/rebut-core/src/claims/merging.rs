//! The citations of a statement, in which every place stands once for what is said to stand there.

use std::collections::{BTreeMap, BTreeSet};

use super::citation::{Citation, Target};

/// Citations as they come: first those of the prose, then those of the claims.
#[derive(Default)]
pub(super) struct Merging {
    citations: Vec<Citation>,
    places: BTreeMap<Target, Place>,
    /// What each citation has, by its place: the words of each kind, and the claims.
    words: BTreeSet<(usize, usize, String)>,
    claims: BTreeSet<(usize, u32)>,
}

/// A place that was cited, with its citations.
#[derive(Default)]
struct Place {
    /// By the words that are said to stand there; by none where the place alone is named.
    by_words: BTreeMap<Vec<String>, usize>,
    /// Those that the prose says, and not one claim alone.
    in_prose: BTreeSet<usize>,
    /// The first of each claim.
    by_claim: BTreeMap<u32, usize>,
}

impl Merging {
    /// Adds a citation, or what is new of it to one that is known.
    pub(super) fn add(&mut self, found: Citation) {
        // Names do not matter where words are quoted.
        let said = [&found.quotes, &found.symbols, &found.figures].into_iter().find(|said| !said.is_empty());
        let said: Vec<String> = said.into_iter().flatten().map(|words| bare_name(words).to_owned()).collect();
        let place = self.places.entry(found.target.clone()).or_default();
        let bare = place.by_words.get(&[][..]).copied();
        let known = place.by_words.get(&said).copied().or_else(|| {
            if said.is_empty() {
                let of_claims = found.claims.iter().filter_map(|claim| place.by_claim.get(claim));
                of_claims.chain(place.in_prose.first()).min().copied()
            } else {
                // The place alone gets the words, unless other claims name it too.
                bare.filter(|at| self.citations[*at].claims.iter().all(|claim| found.claims.contains(claim)))
            }
        });
        let at = known.unwrap_or(self.citations.len());
        if known.is_none() {
            let (span, lead) = (found.span.clone(), found.lead.clone());
            self.citations.push(Citation { span, lead, ..Citation::of(found.target.clone()) });
        }
        // Words that are said of a place alone must stand there, whoever else says them of several together.
        self.citations[at].shared = match known {
            Some(_) if bare != known || said.is_empty() => self.citations[at].shared && (found.shared || said.is_empty()),
            _ => found.shared,
        };
        if known.is_none() || (bare == known && !said.is_empty()) {
            if known.is_some() {
                place.by_words.remove(&[][..]);
            }
            place.by_words.insert(said, at);
            if found.claims.is_empty() {
                place.in_prose.insert(at);
            } else {
                place.in_prose.remove(&at);
            }
        }
        for claim in &found.claims {
            let first = place.by_claim.entry(*claim).or_insert(at);
            *first = at.min(*first);
        }
        let citation = &mut self.citations[at];
        let words = [
            (&mut citation.quotes, found.quotes),
            (&mut citation.symbols, found.symbols),
            (&mut citation.figures, found.figures),
            (&mut citation.perhaps, found.perhaps),
        ];
        for (kind, (all, more)) in words.into_iter().enumerate() {
            all.extend(more.into_iter().filter(|words| self.words.insert((at, kind, words.clone()))));
        }
        citation.claims.extend(found.claims.into_iter().filter(|claim| self.claims.insert((at, *claim))));
    }

    /// All of them, in the order in which they came first.
    pub(super) fn into_citations(self) -> Vec<Citation> {
        self.citations
    }
}

/// A name without the brackets of a call: prose has `ghost()` for a name, a line of evidence quotes "ghost()", and both say the
/// same of a place.
fn bare_name(words: &str) -> &str {
    words.strip_suffix("()").unwrap_or(words)
}

impl Extend<Citation> for Merging {
    fn extend<T: IntoIterator<Item = Citation>>(&mut self, found: T) {
        found.into_iter().for_each(|found| self.add(found));
    }
}

#[cfg(test)]
mod tests {
    use super::super::Statement;
    use super::super::citation::Lines;
    use super::*;

    fn told(text: &str) -> Vec<String> {
        let citations = Statement::read(text).citations();
        citations.iter().map(|c| format!("{} {:?} {:?} {:?}", c.target, c.claims, c.quotes, c.symbols)).collect()
    }

    #[test]
    fn a_place_that_the_text_of_a_claim_names_is_the_one_of_the_prose() {
        let prose = "src/a.rs:2 reads \"let g = lock();\".";
        let once = ["src/a.rs:2 [1] [\"let g = lock();\"] []"];
        assert_eq!(told(&format!("{prose}\n--- claims\nclaim: x\nevidence: src/a.rs:2")), once);
        assert_eq!(told(&format!("{prose}\n--- claims\nclaim: src/a.rs:2 locks it")), once);
        assert_eq!(told(&format!("{prose}\n--- claims\nclaim: src/a.rs:2 locks it\nevidence: src/a.rs:2")), once);
    }

    #[test]
    fn a_name_of_the_prose_that_the_list_quotes_is_one_citation() {
        for (prose, listed) in [("ghost()", "ghost()"), ("ghost", "ghost()"), ("Pool::take()", "Pool::take()")] {
            let text = format!("No: `src/a.rs:7` reads `{prose}`.\n--- claims\nclaim: x\nevidence: src/a.rs:7 \"{listed}\"");
            let found = told(&text);
            assert_eq!(found.len(), 1, "{found:?}");
            assert!(found[0].starts_with(&format!("src/a.rs:7 [1] [\"{listed}\"]")), "{found:?}");
        }
        let other = told("`src/a.rs:7` reads `ghost()`.\n--- claims\nclaim: x\nevidence: src/a.rs:7 \"host()\"");
        assert_eq!(other.len(), 2, "{other:?}");
    }

    #[test]
    fn words_of_the_same_claim_are_said_of_the_place_that_it_names() {
        assert_eq!(
            told(
                "So.\n--- claims\nclaim: src/a.rs:2 reads \"drop(x);\"\nevidence: src/a.rs:2\nclaim: y\nevidence: src/a.rs:2"
            ),
            ["src/a.rs:2 [1, 2] [] []", "src/a.rs:2 [1] [\"drop(x);\"] []"]
        );
        assert_eq!(
            told("So.\n--- claims\nclaim: src/a.rs:2 reads \"drop(x);\"\nevidence: src/a.rs:2"),
            ["src/a.rs:2 [1] [\"drop(x);\"] []"]
        );
    }

    #[test]
    fn one_place_with_other_words_each_time_is_merged_without_comparing_them_all() {
        // With the square of the citations this would take many minutes.
        let of_one =
            |number: u32| Citation::of(Target::File { path: "src/a.rs".to_owned(), lines: Some(Lines::one(number)) });
        let (mut words, mut names) = (Merging::default(), Merging::default());
        for number in 0..60_000 {
            words.add(Citation { quotes: vec![format!("let g = {number};")], ..of_one(2) });
            let (quotes, symbols) = (vec!["f()".to_owned()], vec![format!("name{number}")]);
            names.add(Citation { quotes, symbols, claims: vec![number], ..of_one(2) });
        }
        assert_eq!(words.into_citations().len(), 60_000);
        let names = names.into_citations();
        assert_eq!((names.len(), names[0].symbols.len(), names[0].claims.len()), (1, 60_000, 60_000));
    }
}
