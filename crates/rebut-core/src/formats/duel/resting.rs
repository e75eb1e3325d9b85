//! Whether the words of a verdict rest on a citation that was found to be false.
//!
//! A verdict names evidence in its own way: another part of the path, one line of several, or only the claim. So places
//! are compared by the file that they lead to and by lines that overlap, and a claim counts with all that it cites.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use crate::claims::check::{CheckResult, Checked};
use crate::claims::citation::{self, Citation, Target};
use crate::claims::doubt::{Hand, is_doubted};
use crate::claims::place::{same_file, same_place};
use crate::claims::{ClaimId, Ledger, stands_in};

use super::Role;
use super::laid::{is_laid_on, is_taken_for, loser};

/// The false citation that a text rests on, whoever made it. One that the words around it call false is no ground; nor is
/// one of the side that loses, where the sentence says that it is theirs, and none of their claims ever is. Where other words
/// are said to stand there than those that do not, they are looked up instead. `winner` is the side that the text speaks for,
/// if it is one.
pub(super) fn rests_on<'a>(ledger: &'a Ledger, winner: Option<Role>, text: &str) -> Option<&'a Checked> {
    grounds(ledger, winner, text, &|_| false).into_iter().next()
}

/// The same for the reasoning, which weighs both sides: of a place of the side that loses, the sentence must say that the
/// winner has it or that it decides. All of them, each place once.
pub(super) fn reasoning_rests_on<'a>(ledger: &'a Ledger, winner: Role, text: &str) -> Vec<&'a Checked> {
    let mut found = grounds(ledger, Some(winner), text, &|span| !is_taken_for(winner, text, span));
    let mut known: BTreeSet<&Target> = BTreeSet::new();
    found.retain(|found| known.insert(&found.citation.target));
    found
}

fn grounds<'a>(
    ledger: &'a Ledger,
    winner: Option<Role>,
    text: &str,
    is_weighed: &dyn Fn(Range<usize>) -> bool,
) -> Vec<&'a Checked> {
    let is_own = |place: &str| winner.is_none_or(|winner| place.starts_with(winner.letter()));
    let excused = |places: &[&str], span: Range<usize>| {
        let laid = || winner.is_some_and(|winner| is_laid_on(loser(winner), text, span.clone()));
        is_doubted(text, span.clone(), Hand::CitedBy(&sides(places)))
            || (!places.iter().any(|place| is_own(place)) && (laid() || is_weighed(span.clone())))
    };
    let false_ones: Vec<(String, &Checked)> = ledger.false_citations().collect();
    let by_place = citation::find_with_others(text).into_iter().filter_map(|citation| {
        let meant = false_ones.iter().filter(|(_, found)| is_meant(ledger, &citation.target, found));
        let meant = meant.filter(|(_, found)| !says_otherwise(&citation, found));
        let (places, meant): (Vec<&str>, Vec<&Checked>) = meant.map(|(place, found)| (place.as_str(), *found)).unzip();
        meant.first().copied().filter(|_| !excused(&places, citation.span.clone()))
    });
    // Many places may have one name, which is looked for once for each side.
    let mut known: BTreeMap<(String, bool), bool> = BTreeMap::new();
    let by_name = false_ones.iter().filter_map(|(place, found)| {
        let named = names(ledger, found).into_iter().any(|name| {
            let key = (name, is_own(place));
            if let Some(named) = known.get(&key) {
                return *named;
            }
            let named = places_of(text, &key.0).any(|span| !excused(&[place], span));
            known.insert(key, named);
            named
        });
        named.then_some(*found)
    });
    let by_claim = named_claims(text).filter(|(id, _)| is_own(id.as_str())).filter_map(|(id, span)| {
        let claim = ledger.claims.iter().find(|claim| claim.id == id)?;
        let nothing_else = claim.other_evidence.is_empty() && claim.citations.iter().all(|found| found.result.is_false());
        claim.citations.first().filter(|_| nothing_else && !is_doubted(text, span, Hand::CitedBy(&sides(&[id.as_str()]))))
    });
    by_place.chain(by_name).chain(by_claim).collect()
}

/// The sides that made citations which stand at these places of the ledger.
fn sides(places: &[&str]) -> Vec<&'static str> {
    let made = |role: &Role| places.iter().any(|place| place.starts_with(role.letter()));
    Role::DEBATERS.into_iter().filter(made).map(Role::as_str).collect()
}

/// Whether other words are said to stand at a place than those that were not found there. Where the file is not there,
/// nothing stands in it.
fn says_otherwise(citation: &Citation, found: &Checked) -> bool {
    let told = |quote: &String| {
        let mut known = found.citation.quotes.iter();
        known.any(|other| other.trim() == quote.trim() || stands_in(quote, other) || stands_in(other, quote))
    };
    let quotes = &citation.quotes;
    found.result == CheckResult::Mismatch
        && !found.citation.quotes.is_empty()
        && !quotes.is_empty()
        && !quotes.iter().any(told)
}

/// The shortest words that are known again by themselves, in characters.
const SHORTEST_QUOTE: usize = 8;

/// How a false citation is named without its place: by the words that are said to stand there and do not, by the name of a
/// file that is not there, by the hash of a commit that is none.
fn names(ledger: &Ledger, found: &Checked) -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    match (&found.citation.target, found.result) {
        (Target::File { path, .. }, CheckResult::Missing) => {
            let name = path.rsplit(['/', '\\']).next().unwrap_or_default();
            let known = all(ledger).any(|other| other.result.holds() && names_file(other, name));
            names.extend((name.contains('.') && !known).then(|| name.to_owned()));
            // Nothing stands in a file that is not there.
            names.extend(telling_quotes(ledger, found));
        }
        (Target::File { .. }, CheckResult::Mismatch) => {
            // Of several quotes the false one is not known.
            names.extend(telling_quotes(ledger, found).filter(|_| found.citation.quotes.len() == 1));
        }
        (Target::Commit { hash, .. }, CheckResult::Missing) => names.push(hash.clone()),
        _ => {}
    }
    names
}

/// The quotes of a false citation that are known again by themselves, and that nobody quoted rightly from elsewhere.
fn telling_quotes<'a>(ledger: &'a Ledger, found: &'a Checked) -> impl Iterator<Item = String> + 'a {
    let quotes = found.citation.quotes.iter().map(|quote| quote.trim());
    let telling = quotes.filter(|quote| quote.chars().count() >= SHORTEST_QUOTE);
    let stands = |quote: &str| {
        all(ledger).any(|other| other.result.holds() && other.citation.quotes.iter().any(|held| held.trim() == quote))
    };
    telling.filter(move |quote| !stands(quote)).map(str::to_owned)
}

fn names_file(found: &Checked, name: &str) -> bool {
    found.file.as_deref().is_some_and(|file| same_file(file, name))
}

/// Where a name stands in a text as words of its own, and not as a part of a path.
fn places_of<'a>(text: &'a str, name: &'a str) -> impl Iterator<Item = Range<usize>> + 'a {
    let part = |c: char| c.is_alphanumeric() || matches!(c, '_' | '/' | '\\' | '-');
    text.match_indices(name).map(|(at, found)| at..at + found.len()).filter(move |span| {
        let (before, behind) = (text[..span.start].chars().next_back(), text[span.end..].chars().next());
        !before.is_some_and(part) && !behind.is_some_and(|c| part(c) || c == ':')
    })
}

/// What a text cites and the debate has not found to be false already, as far as the text itself does not call it false:
/// a place that only this text names, or other words that are said to stand there.
pub(super) fn not_looked_up(ledger: &Ledger, text: &str) -> impl Iterator<Item = Citation> {
    let false_ones: Vec<&Checked> = ledger.false_citations().map(|(_, found)| found).collect();
    citation::find_with_others(text).into_iter().filter_map(move |citation| {
        let is_known = |found: &&Checked| is_meant(ledger, &citation.target, found) && !says_otherwise(&citation, found);
        let known = false_ones.iter().any(is_known);
        // Where it stands in one text of several says nothing.
        (!known && !is_doubted(text, citation.span.clone(), Hand::CitedBy(&[])))
            .then_some(Citation { span: 0..0, ..citation })
    })
}

/// Whether the place that is cited is the false one. Where somebody cited the same lines rightly, that may be meant,
/// unless it is the very same place.
fn is_meant(ledger: &Ledger, cited: &Target, found: &Checked) -> bool {
    if !same_place(cited, found) {
        return false;
    }
    *cited == found.citation.target || !all(ledger).any(|other| other.result.holds() && same_place(cited, other))
}

/// All that was looked up.
fn all(ledger: &Ledger) -> impl Iterator<Item = &Checked> {
    let of_claims = ledger.claims.iter().flat_map(|claim| &claim.citations);
    of_claims.chain(ledger.beside.iter().flat_map(|(_, beside)| beside))
}

/// Whether a statement cites the place of this finding, or one that overlaps it.
pub(super) fn is_cited_in_statement(ledger: &Ledger, found: &Checked) -> bool {
    all(ledger).any(|other| same_place(&found.citation.target, other))
}

/// The ids of claims that a text names, and where.
fn named_claims(text: &str) -> impl Iterator<Item = (ClaimId, Range<usize>)> {
    text.split(|c: char| !(c.is_alphanumeric() || c == '.')).filter_map(move |word| {
        let word = word.trim_matches('.');
        let at = word.as_ptr() as usize - text.as_ptr() as usize;
        Some((ClaimId::read(word)?, at..at + word.len()))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::claims::{Spoken, Statement};

    const OPENING: &str = "The pool waits.\n\n--- claims\nclaim: the lock is dropped\nevidence: src/pool.rs:88-95 \"drop\"\n\
        claim: it is short\nevidence: src/pool.rs:3\nclaim: it was measured\nevidence: commit abc1234";

    fn ledger_of(statement: &Statement) -> Ledger {
        let check = |citation: Citation| {
            let holds = matches!(&citation.target, Target::File { lines: Some(lines), .. } if lines.first == 3);
            let result = if holds { CheckResult::Verified } else { CheckResult::Mismatch };
            let file = Some("crates/net/src/pool.rs".to_owned());
            Checked {
                citation,
                result,
                detail: String::new(),
                file,
                lines: None,
                likeness: None,
                output: None,
                passage: None,
            }
        };
        let checked: Vec<Checked> = statement.citations().into_iter().map(check).collect();
        Ledger::of([Spoken { letter: "P", speaker: "proposer", round: 1, statement, checked: &checked }])
    }

    fn rests(argument: &str) -> Option<String> {
        let ledger = ledger_of(&Statement::read(OPENING));
        rests_on(&ledger, Some(Role::Proposer), argument).map(|found| found.citation.target.to_string())
    }

    #[test]
    fn a_false_citation_is_known_by_file_and_lines_and_by_its_claim() {
        for argument in [
            "src/pool.rs:88-95 drops the lock.",
            "src/pool.rs:88 drops the lock.",
            "`pool.rs:90-99` drops the lock.",
            "crates/net/src/pool.rs:95 drops the lock.",
            "The lock is dropped, see P1.1.",
            "The wait is not bounded, and nothing that exists helps: src/pool.rs:88 shows it.",
            "src/pool.rs:88 shows that the check which failed is the wrong one.",
        ] {
            assert_eq!(rests(argument).as_deref(), Some("src/pool.rs:88-95"), "{argument}");
        }
        assert_eq!(rests("It was measured in commit abc12345.").as_deref(), Some("commit abc1234"));
    }

    #[test]
    fn paths_are_one_file_where_one_is_the_end_of_the_other() {
        for (one, other, same) in [
            ("src/pool.rs", "crates/net/src/pool.rs", true),
            ("./src\\Pool.rs", "SRC/pool.rs/", true),
            ("pool.rs", "src/whirlpool.rs", false),
            ("src/pool.rs", "net/pool.rs", false),
            ("", "src/pool.rs", false),
        ] {
            assert_eq!((same_file(one, other), same_file(other, one)), (same, same), "{one} {other}");
        }
    }

    /// With words counted from the beginning of the text for every citation, this would not end.
    #[test]
    fn a_text_of_nothing_but_citations_is_read_once() {
        let text = "é src/other.rs:3 ".repeat(4_000);
        assert_eq!(rests(&text), None);
        assert_eq!(rests(&format!("{text}src/pool.rs:88")).as_deref(), Some("src/pool.rs:88-95"));
        // The same where every one of them might be called false, with a clause of its own.
        let ledger = ledger_of(&Statement::read(OPENING));
        let text = "src/other.rs:3, and the citation, which is, ".repeat(1_500);
        assert_eq!(not_looked_up(&ledger, &text).count(), 1_500);
    }

    #[test]
    fn what_is_true_or_called_false_is_no_false_ground() {
        for argument in [
            "src/pool.rs:3 is short.",
            "`src/pool.rs` is short.",
            "P1.2 stands.",
            "The citation of src/pool.rs:88-95 was found to be false, yet the point holds.",
            "src/pool.rs:88 does not exist.",
            "P1.1 is unverified and was not needed.",
        ] {
            assert_eq!(rests(argument), None, "{argument}");
        }
    }

    #[test]
    fn whose_false_citation_it_is_matters_only_where_it_is_laid_on_them() {
        let ledger = ledger_of(&Statement::read(OPENING));
        let rests = |winner: Option<Role>, text: &str| rests_on(&ledger, winner, text).is_some();
        assert!(rests(None, "src/pool.rs:88 drops it."));
        for text in ["src/pool.rs:88 drops it.", "src/pool.rs:88 drops it, as the challenger shows."] {
            assert!(rests(Some(Role::Challenger), text), "{text}");
        }
        for text in [
            "The proposer's case hangs on src/pool.rs:88.",
            "The challenger caught the citation of src/pool.rs:88.",
            "The proposer rests on P1.1 alone.",
        ] {
            assert!(!rests(Some(Role::Challenger), text), "{text}");
        }
        // For the one who made it, that is what the verdict rests on.
        assert!(rests(Some(Role::Proposer), "The proposer's case hangs on src/pool.rs:88."));
        assert!(rests(Some(Role::Proposer), "The challenger has not shown that src/pool.rs:88 is false."));
    }

    #[test]
    fn the_reasoning_weighs_what_the_losing_side_cited_and_rests_on_it_only_where_it_says_so() {
        let ledger = ledger_of(&Statement::read(OPENING));
        let rests = |winner: Role, text: &str| !reasoning_rests_on(&ledger, winner, text).is_empty();
        for text in [
            "There is nothing at src/pool.rs:88.",
            "I give src/pool.rs:88 zero weight.",
            "Had src/pool.rs:88 existed, I would have ruled otherwise.",
            "src/pool.rs:88 could not be opened.",
        ] {
            assert!(!rests(Role::Challenger, text), "{text}");
        }
        for text in [
            "src/pool.rs:88 drops it, as the challenger shows.",
            "src/pool.rs:88 drops it, and this decides.",
            "src/pool.rs:88 drops it. This decides.",
            "The lock is dropped at src/pool.rs:88. That is why I vote against the proposal.",
            "src/pool.rs:88 drops it, which is reason enough to reject the proposal.",
            "My verdict rests on src/pool.rs:88.",
            "I rest my decision on src/pool.rs:88.",
            "I was persuaded by src/pool.rs:88.",
            "src/pool.rs:88 tips the scales.",
            "src/pool.rs:88 undermines the proposer's case.",
            "The proposer's own src/pool.rs:88 undermines its case, so the challenger wins.",
            "src/pool.rs:88 refutes P1.2.",
            "The challenger is right, given src/pool.rs:88.",
            "Because of src/pool.rs:88 I side against the proposal.",
        ] {
            assert!(rests(Role::Challenger, text), "{text}");
        }
        // Who else is named in the sentence says nothing of the place.
        for text in [
            "I doubt that anybody can open src/pool.rs:88, while the challenger's src/pool.rs:3 holds.",
            "The case hinges on src/pool.rs:88; the challenger's own was verified.",
            "That src/pool.rs:88 does not exist is decisive.",
            "The absence of src/pool.rs:88 decides it.",
            "I was not persuaded by src/pool.rs:88.",
            "I cannot base a verdict on src/pool.rs:88.",
            "The proposer claimed that src/pool.rs:88 proves the leak.",
        ] {
            assert!(!rests(Role::Challenger, text), "{text}");
        }
        assert!(rests(Role::Proposer, "src/pool.rs:88 drops it."), "what the winner invented is always a ground");
    }

    #[test]
    fn a_claim_of_the_losing_side_is_no_ground_of_the_winner() {
        let ledger = ledger_of(&Statement::read(OPENING));
        let rests = |winner: Option<Role>, text: &str| rests_on(&ledger, winner, text).is_some();
        for text in ["P1.1 shows it.", "P1.1 and P1.3 carry no weight.", "I disregard P1.1.", "P1.1 falls."] {
            assert!(!rests(Some(Role::Challenger), text), "{text}");
        }
        assert!(rests(Some(Role::Proposer), "P1.1 shows it."));
        assert!(rests(None, "P1.1 shows it."));
    }

    #[test]
    fn a_place_is_laid_on_the_losing_side_in_many_ways() {
        let ledger = ledger_of(&Statement::read(OPENING));
        let rests = |winner: Role, text: &str| rests_on(&ledger, Some(winner), text).is_some();
        for text in [
            "Without src/pool.rs:88 the proposer has nothing left.",
            "The proposer lost credibility by citing src/pool.rs:88.",
            "src/pool.rs:88 was cited by the proposer.",
            "src/pool.rs:88, the proposer's main exhibit, came to nothing.",
            "P1.1 hangs on src/pool.rs:88.",
            "The proposer pays for src/pool.rs:88.",
            "With src/pool.rs:88 comes the charge of fabrication.",
            "Credibility went with src/pool.rs:88.",
        ] {
            assert!(!rests(Role::Challenger, text), "{text}");
            assert!(rests(Role::Proposer, text), "{text}");
        }
        for text in [
            "The proposer is refuted by src/pool.rs:88.",
            "The proposer concedes that src/pool.rs:88 drops the lock.",
            "src/pool.rs:88, as the proposer admits, drops the lock.",
            "Nothing the challenger said is false: src/pool.rs:88 drops the lock.",
            "src/pool.rs:88 trusts unverified input.",
            "src/pool.rs:88 invents a key, and a check is missing.",
            "The proposer overlooks that src/pool.rs:88 drops the lock.",
            "The proposer cannot answer src/pool.rs:88, which drops the lock.",
            "Against the proposer, src/pool.rs:88 proves that the lock is dropped.",
            "As the proposer's own src/pool.rs:88 shows, the lock is dropped.",
            "P1.1 fails because src/pool.rs:88 drops the lock.",
        ] {
            assert!(rests(Role::Challenger, text), "{text}");
        }
    }

    /// They are looked up once the verdict is there.
    #[test]
    fn words_that_correct_a_false_quote_are_no_false_ground() {
        let ledger = ledger_of(&Statement::read(OPENING.replace("\"drop\"", "\"drop(the_lock);\"").as_str()));
        for winner in [Role::Proposer, Role::Challenger] {
            for text in [
                "src/pool.rs:88 actually reads `keep(the_lock);`, contrary to P1.3.",
                "The line src/pool.rs:88 says `keep(the_lock);`.",
            ] {
                assert_eq!(rests_on(&ledger, Some(winner), text), None, "{text}");
                assert_eq!(not_looked_up(&ledger, text).count(), 1, "{text}");
            }
            let again = "src/pool.rs:88 reads `drop(the_lock);`.";
            assert!(rests_on(&ledger, Some(winner), again).is_some());
            assert_eq!(not_looked_up(&ledger, again).count(), 0);
        }
    }

    /// The proposer invented a file and misquoted a line.
    fn invented() -> Ledger {
        let statement = Statement::read(
            "Keys are logged.\n\n--- claims\nclaim: keys are logged\nevidence: src/auth/token.rs:10\n\
             claim: guard\nevidence: src/pool.rs:35\nclaim: false quote\nevidence: src/pool.rs:43 \"guard.push_front(conn);\"",
        );
        let check = |citation: Citation| {
            let place = citation.target.to_string();
            let result = match place.as_str() {
                "src/auth/token.rs:10" => CheckResult::Missing,
                "src/pool.rs:43" => CheckResult::Mismatch,
                _ => CheckResult::Verified,
            };
            Checked {
                citation,
                result,
                detail: String::new(),
                file: None,
                lines: None,
                likeness: None,
                output: None,
                passage: None,
            }
        };
        let checked: Vec<Checked> = statement.citations().into_iter().map(check).collect();
        Ledger::of([Spoken { letter: "P", speaker: "proposer", round: 1, statement: &statement, checked: &checked }])
    }

    #[test]
    fn no_verdict_rests_on_an_invented_file_because_its_sentence_speaks_of_a_bug() {
        let ledger = invented();
        for text in [
            "API keys are exposed at src/auth/token.rs:10.",
            "src/auth/token.rs:10 returns false when the key is valid.",
            "A null check is missing in src/auth/token.rs:10.",
            "src/pool.rs:43 does not hold the lock.",
            "src/auth/token.rs:10 trusts unverified input.",
            "The default in src/auth/token.rs:10 is wrong.",
            "There is no such check in src/auth/token.rs:10.",
            "token.rs writes past the end of the buffer.",
            "P1.1 shows that a check is missing.",
        ] {
            assert!(rests_on(&ledger, Some(Role::Proposer), text).is_some(), "{text}");
        }
    }

    #[test]
    fn a_verdict_may_say_in_many_words_that_the_losers_evidence_is_false() {
        let ledger = invented();
        for text in [
            "The citation src/auth/token.rs:10 failed the check.",
            "P1.1 falls, because its only evidence failed.",
            "The proposer's main point, P1.1, was not borne out by the check.",
            "The engine marked src/auth/token.rs:10 as missing.",
            "P1.1 is unsupported: the file is not in the repository.",
            "The proposer's central exhibit, src/auth/token.rs:10, turned out not to exist.",
            "I disregard P1.1 and P1.3.",
            "P1.1 and P1.3 carry no weight.",
            "The proposer lost credibility by citing src/auth/token.rs:10.",
            "Two of the proposer's four claims (P1.1, P1.3) failed verification.",
            "The challenger wins because P1.1 could not be verified.",
            "No trace of src/auth/token.rs:10 was found in the workspace.",
            "The proposer's quote from src/pool.rs:43 is wrong; the line calls push_back.",
            "src/pool.rs:43 actually reads `guard.push_back(conn);`, contrary to P1.3.",
            "P1.3 misquotes src/pool.rs:43.",
            "The proposer misread src/pool.rs:43.",
            "Without src/auth/token.rs:10 the proposer has nothing left.",
            "The proposer relied on src/auth/token.rs:10, and the lookup came back empty.",
            "P1.1 was struck by the evidence check.",
            "The proposer's evidence for P1.1 evaporated on inspection.",
            "P1.1 is built on sand: src/auth/token.rs is nowhere to be found.",
            "The proposer cites a phantom file (src/auth/token.rs:10).",
        ] {
            assert_eq!(rests_on(&ledger, Some(Role::Challenger), text), None, "{text}");
        }
    }

    #[test]
    fn words_from_a_file_that_is_not_there_are_false_words() {
        let opening = "src/token.rs:10 says `log.info(api_key)`.";
        let ledger_with = |also: &str| {
            let statement = Statement::read(&format!("{opening} {also}"));
            let missing = |citation: &Citation| citation.target.to_string().contains("token");
            let result = |citation: &Citation| if missing(citation) { CheckResult::Missing } else { CheckResult::Verified };
            let checked: Vec<Checked> = statement
                .citations()
                .into_iter()
                .map(|citation| {
                    let result = result(&citation);
                    Checked::of(citation, result, "")
                })
                .collect();
            Ledger::of([Spoken { letter: "P", speaker: "proposer", round: 1, statement: &statement, checked: &checked }])
        };
        let rests = |also: &str, text: &str| rests_on(&ledger_with(also), Some(Role::Proposer), text).is_some();
        for text in ["`log.info(api_key)` is in the code.", "The quote `log.info(api_key)` decides."] {
            assert!(rests("", text), "{text}");
            assert!(!rests("src/log.rs:3 says `log.info(api_key)`.", text), "what stands elsewhere may be meant: {text}");
        }
        assert!(!rests("", "The quote `log.info(api_key)` was invented."));
    }

    #[test]
    fn a_false_citation_is_known_by_what_it_names_too() {
        let opening = "Keys leak: src/token.rs:10. src/pool.rs:88 reads `drop(the_lock)`. It was commit deadbee.";
        let statement = Statement::read(opening);
        let mut checked: Vec<Checked> = ledger_of(&statement).beside.remove(0).1;
        for found in &mut checked {
            let pool = found.citation.target.to_string().contains("pool");
            found.result = if pool { CheckResult::Mismatch } else { CheckResult::Missing };
            found.file = None;
        }
        let ledger =
            Ledger::of([Spoken { letter: "P", speaker: "proposer", round: 1, statement: &statement, checked: &checked }]);
        for text in ["token.rs logs keys.", "The code reads `drop(the_lock)`.", "deadbee broke it."] {
            assert!(rests_on(&ledger, Some(Role::Proposer), text).is_some(), "{text}");
        }
        for text in ["token.rs does not exist.", "The quote `drop(the_lock)` was invented.", "other_token.rs logs keys."] {
            assert!(rests_on(&ledger, Some(Role::Proposer), text).is_none(), "{text}");
        }
    }
}
