//! Whether a file says what a citation says it does.

use super::super::citation::Lines;
use super::nearest::{Nearest, Patience, Weary, nearest};
use super::quote::{parts, place, says_something};
use super::{CheckResult, FileText};

/// How many lines beside the cited ones a name may stand.
const NEAR: u32 = 5;

/// What was found in a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Judgement {
    /// The result.
    pub result: CheckResult,
    /// The finding in a few words.
    pub detail: String,
    /// Where it really stands.
    pub lines: Option<Lines>,
    /// How alike the nearest text is, in percent.
    pub likeness: Option<u8>,
}

impl Judgement {
    /// The same for what is said of several sources together: what does not stand in one of them may stand in another.
    pub(super) fn of_several(self, several: bool) -> Self {
        if !several || self.result != CheckResult::Mismatch {
            return self;
        }
        let detail = format!("{}; it may stand in another of the sources that are named together", self.detail);
        Self { result: CheckResult::Unchecked, detail, ..self }
    }
}

/// Judges the lines, quotes and names of a citation by the file's text.
pub fn judge(
    file: &FileText,
    lines: Option<Lines>,
    quotes: &[String],
    symbols: &[String],
    patience: &mut Patience,
) -> Judgement {
    let quotes: Vec<&str> = quotes.iter().map(String::as_str).filter(|quote| says_something(quote)).collect();
    let weary = |Weary| found(CheckResult::Unchecked, Weary.to_string(), None);
    // No quote vouches for a line or a heading that no file can have, or this one has not.
    if lines.is_some_and(|lines| lines.first == 0) {
        return found(CheckResult::Mismatch, format!("there is no line 0; {}", length(file)), None);
    }
    let (headings, symbols): (Vec<&String>, Vec<&String>) = symbols.iter().partition(|symbol| symbol.starts_with('#'));
    let headings = headings.iter().map(|heading| heading.trim_start_matches('#'));
    let headings: Vec<(&str, Option<u32>)> = headings.map(|heading| (heading, file.heading(heading))).collect();
    let gone = headings.iter().find(|(_, at)| at.is_none());
    let no_heading = gone.map(|(gone, _)| format!("there is no heading `#{gone}` in the file"));
    if let Some(detail) = no_heading {
        return found(CheckResult::Mismatch, detail, None);
    }
    if !quotes.is_empty() {
        return judge_quotes(file, lines, &quotes, patience).unwrap_or_else(weary);
    }
    let too_far = lines.filter(|lines| lines.last > file.line_count());
    if too_far.is_some() {
        return found(CheckResult::Mismatch, length(file), None);
    }
    if symbols.is_empty()
        && let Some(at) = headings.iter().find_map(|(_, at)| *at)
    {
        return found(CheckResult::Verified, "the heading is there", Some(Lines::one(at)));
    }
    if symbols.is_empty() {
        let detail = if lines.is_some() { "the lines are there, nothing is quoted" } else { "the file is there" };
        return found(CheckResult::Verified, detail, lines);
    }
    judge_symbols(file, lines, &symbols, patience).unwrap_or_else(weary)
}

/// Takes into account what may be said to stand there: where it stands nowhere in the file, the citation is neither verified
/// nor false.
pub(super) fn judge_perhaps(file: &FileText, judged: Judgement, perhaps: &[String], patience: &mut Patience) -> Judgement {
    if judged.result != CheckResult::Verified {
        return judged;
    }
    for words in perhaps {
        if place(file, words, judged.lines, patience) == Ok(None) {
            let detail = format!("{}; `{}` does not stand in the file", judged.detail, beginning(words));
            return found(CheckResult::Unchecked, detail, judged.lines);
        }
    }
    judged
}

fn judge_quotes(
    file: &FileText,
    lines: Option<Lines>,
    quotes: &[&str],
    patience: &mut Patience,
) -> Result<Judgement, Weary> {
    let mut moved: Option<(Lines, String)> = None;
    let mut stands: Option<Lines> = None;
    for quote in quotes {
        // Of several the one that is meant is named.
        let which = if quotes.len() > 1 { format!("the quote \"{}\"", beginning(quote)) } else { "the quote".to_owned() };
        match place(file, quote, lines, patience)? {
            Some(at) if lines.is_none_or(|lines| stands_there(lines, at, quote)) => stands = Some(at),
            Some(at) => moved = moved.or(Some((at, which))),
            None => {
                let length = lines.filter(|lines| lines.last > file.line_count()).map(|_| format!("{}; ", length(file)));
                let length = length.unwrap_or_default();
                return Ok(match nearest(file, quote, patience) {
                    Some(Nearest { lines, likeness }) => Judgement {
                        likeness: Some(likeness),
                        ..found(
                            CheckResult::Mismatch,
                            format!("{length}{which} does not stand in the file; line {lines} is {likeness} % alike"),
                            Some(lines),
                        )
                    },
                    None => found(CheckResult::Mismatch, format!("{length}{which} does not stand in the file"), None),
                });
            }
        }
    }
    Ok(match moved {
        Some((at, which)) => found(CheckResult::Relocated, format!("{which} stands at line{} {at}", plural(at)), Some(at)),
        // Lines that are not there are not where it stands.
        None if lines.is_some_and(|lines| lines.last > file.line_count()) => {
            let at = stands.map_or_else(String::new, |at| format!("the quote stands at line{} {at}; ", plural(at)));
            found(CheckResult::Relocated, format!("{at}{}", length(file)), stands)
        }
        None => found(CheckResult::Verified, "the quote stands there", stands),
    })
}

/// Whether what was found stands at the cited lines. A quote may go on behind them; one that something was left out of
/// ends near them, since words from all over a file can be joined that way.
fn stands_there(lines: Lines, at: Lines, quote: &str) -> bool {
    let begins = (lines.first..=lines.last).contains(&at.first);
    begins && (parts(quote).len() < 2 || at.last <= lines.last.saturating_add(NEAR))
}

/// The first words of a quote.
fn beginning(quote: &str) -> String {
    const MOST: usize = 40;
    let line = quote.split_whitespace().collect::<Vec<_>>().join(" ");
    if line.chars().count() <= MOST { line } else { line.chars().take(MOST).chain(['…']).collect() }
}

fn judge_symbols(
    file: &FileText,
    lines: Option<Lines>,
    symbols: &[&String],
    patience: &mut Patience,
) -> Result<Judgement, Weary> {
    let reach = lines.map(|lines| Lines::new(lines.first.saturating_sub(NEAR).max(1), lines.last.saturating_add(NEAR)));
    let mut here: Vec<(String, Lines)> = Vec::new();
    let mut elsewhere: Vec<(String, Lines)> = Vec::new();
    let mut nowhere: Vec<String> = Vec::new();
    for symbol in symbols {
        // A path of names is known by its last one, and that one is told.
        let last = symbol.rsplit([':', '.']).find(|part| !part.is_empty()).unwrap_or(symbol);
        let whole = file.find(symbol, reach, patience)?;
        let (name, at) = if whole.is_some() || last == symbol.as_str() {
            (symbol.as_str(), whole)
        } else {
            (last, file.find(last, reach, patience)?)
        };
        let name = format!("`{name}`");
        match at {
            Some(at) if reach.is_none_or(|reach| (reach.first..=reach.last).contains(&at.first)) => here.push((name, at)),
            Some(at) => elsewhere.push((name, at)),
            None => nowhere.push(format!("`{symbol}`")),
        }
    }
    let names = |all: &[(String, Lines)]| all.iter().map(|(name, _)| name.as_str()).collect::<Vec<_>>().join(", ");
    let verb = |count: usize| if count == 1 { "stands" } else { "stand" };
    let near = if lines.is_some() { "there or near by" } else { "in the file" };
    if let Some((_, at)) = here.first() {
        let told = format!("{} {} {near}", names(&here), verb(here.len()));
        // One true name does not vouch for another that stands nowhere; nor is the place false for it.
        if !nowhere.is_empty() {
            let missing = if nowhere.len() == 1 { "does" } else { "do" };
            let detail = format!("{told}; {} {missing} not stand in the file", nowhere.join(", "));
            return Ok(found(CheckResult::Unchecked, detail, Some(*at)));
        }
        return Ok(found(CheckResult::Verified, told, Some(*at)));
    }
    if let Some((symbol, at)) = elsewhere.first() {
        return Ok(found(CheckResult::Relocated, format!("{symbol} stands at line {}", at.first), Some(*at)));
    }
    let detail = match &nowhere[..] {
        [only] => format!("{only} does not stand in the file"),
        names => format!("none of {} stands in the file", names.join(", ")),
    };
    Ok(found(CheckResult::Mismatch, detail, None))
}

fn length(file: &FileText) -> String {
    match file.line_count() {
        1 => "the file has 1 line".to_owned(),
        count => format!("the file has {count} lines"),
    }
}

fn plural(lines: Lines) -> &'static str {
    if lines.first == lines.last { "" } else { "s" }
}

pub(super) fn found(result: CheckResult, detail: impl Into<String>, lines: Option<Lines>) -> Judgement {
    Judgement { result, detail: detail.into(), lines, likeness: None }
}

#[cfg(test)]
mod tests {
    use super::*;

    const POOL: &str = "use std::sync::Mutex;\n\nfn acquire(pool: &Pool) -> Conn {\n    let guard = pool.lock();\n    drop(guard);\n    pool.wait(30)\n}\n";

    fn told(lines: Option<(u32, u32)>, quotes: &[&str], symbols: &[&str]) -> String {
        let own = |words: &[&str]| words.iter().map(|word| (*word).to_owned()).collect::<Vec<_>>();
        let lines = lines.map(|(first, last)| Lines::new(first, last));
        let file = FileText::new(POOL.as_bytes());
        let judged = judge(&file, lines, &own(quotes), &own(symbols), &mut Patience::default());
        format!("{}: {}", judged.result, judged.detail)
    }

    #[test]
    fn lines_must_be_there() {
        assert_eq!(told(Some((4, 5)), &[], &[]), "verified: the lines are there, nothing is quoted");
        assert_eq!(told(Some((7, 8)), &[], &[]), "mismatch: the file has 7 lines");
        assert_eq!(told(None, &[], &[]), "verified: the file is there");
    }

    #[test]
    fn a_quote_must_stand_at_the_lines() {
        assert_eq!(told(Some((4, 5)), &["drop(guard);"], &[]), "verified: the quote stands there");
        assert_eq!(told(Some((5, 5)), &["drop( guard );"], &[]), "verified: the quote stands there");
        assert_eq!(told(Some((5, 5)), &["drop(gu ard);"], &[]).split(':').next(), Some("mismatch"));
        assert_eq!(told(Some((4, 5)), &["let guard = pool.lock();   drop(guard)"], &[]), "verified: the quote stands there");
        assert_eq!(told(Some((6, 6)), &["drop(guard);"], &[]), "relocated: the quote stands at line 5");
        assert_eq!(told(Some((88, 95)), &["drop(guard);"], &[]), "relocated: the quote stands at line 5");
        assert_eq!(told(None, &["drop(guard)"], &[]), "verified: the quote stands there");
        assert_eq!(
            told(Some((3, 6)), &["fn acquire(pool: &Pool) -> Conn { ... pool.wait(30)"], &[]),
            "verified: the quote stands there"
        );
        assert_eq!(
            told(Some((6, 6)), &["pool.wait(3)"], &[]),
            "mismatch: the quote does not stand in the file; line 6 is 80 % alike"
        );
        assert_eq!(told(Some((6, 6)), &["launch the rockets"], &[]), "mismatch: the quote does not stand in the file");
    }

    #[test]
    fn spaces_beside_signs_marks_of_markdown_and_the_first_letter_do_not_matter() {
        let file =
            FileText::new(b"Run `make install` and set **POOL_LIMIT**.\nThe pool keeps at most\n64 connections.\n*p = 0;\n");
        let told = |quote: &str, line| {
            let lines = Some(Lines::one(line));
            judge(&file, lines, &[quote.to_owned()], &[], &mut Patience::default()).result
        };
        assert_eq!(told("Run make install and set POOL_LIMIT.", 1), CheckResult::Verified);
        assert_eq!(told("the pool keeps at most 64 connections", 2), CheckResult::Verified);
        assert_eq!(told("[t]he pool keeps at most 64 connections", 2), CheckResult::Verified);
        assert_eq!(told("the pool keeps at most 65 connections", 2), CheckResult::Mismatch);
        assert_eq!(told("the poolkeeps at most 64 connections", 2), CheckResult::Mismatch);
        assert_eq!(told("* p=0;", 4), CheckResult::Verified);
    }

    #[test]
    fn code_that_may_be_meant_neither_proves_nor_refutes() {
        let file = FileText::new(POOL.as_bytes());
        let told = |perhaps: &str, lines| {
            let judged = judge(&file, Some(Lines::one(lines)), &[], &[], &mut Patience::default());
            let judged = judge_perhaps(&file, judged, &[perhaps.to_owned()], &mut Patience::default());
            format!("{}: {}", judged.result, judged.detail)
        };
        assert_eq!(told("drop(guard);", 5), "verified: the lines are there, nothing is quoted");
        assert_eq!(
            told("drop(nothing);", 5),
            "unchecked: the lines are there, nothing is quoted; `drop(nothing);` does not stand in the file"
        );
        assert_eq!(told("drop(nothing);", 9), "mismatch: the file has 7 lines");
    }

    #[test]
    fn what_is_joined_by_an_omission_stands_in_this_order() {
        let text = "drop(x);\nlet g = lock();\nfoo();\nbar();\ndrop(x);\nif allowed { deny(user) }\n";
        let file = FileText::new(text.as_bytes());
        let told = |lines: (u32, u32), quote: &str| {
            let lines = Some(Lines::new(lines.0, lines.1));
            let judged = judge(&file, lines, &[quote.to_owned()], &[], &mut Patience::default());
            (judged.result, judged.lines.map(|lines| lines.to_string()))
        };
        let verified = |lines: &str| (CheckResult::Verified, Some(lines.to_owned()));
        // The nearest `drop(x);` stands before the lock; the one that is meant behind it.
        assert_eq!(told((2, 5), "let g = lock(); … drop(x);"), verified("2-5"));
        assert_eq!(told((6, 6), "allowed … deny(user)"), verified("6"));
        assert_eq!(told((6, 6), "deny(user) … allowed").0, CheckResult::Mismatch);
        assert_eq!(told((2, 6), "let g = lock(); … bar(); … let g = lock();").0, CheckResult::Mismatch);
        assert_eq!(told((1, 2), "drop(x); … drop(x);"), verified("1-5"));
        assert_eq!(told((5, 5), "drop(x); … bar();"), (CheckResult::Relocated, Some("1-4".to_owned())));
        assert_eq!(told((2, 5), "let g=lock( ); … drop(x),"), verified("2-5"));
    }

    #[test]
    fn the_parts_of_a_quote_are_searched_for_with_patience() {
        let file = FileText::new(format!("alpha\n{}beta\n", "gamma\n".repeat(1_000)).as_bytes());
        let quote = "alpha … beta".to_owned() + &" … gamma".repeat(1_000);
        let mut patience = Patience::to_search(3 * file.len());
        assert_eq!(judge(&file, None, &[quote], &[], &mut patience).result, CheckResult::Unchecked);
    }

    #[test]
    fn a_quote_of_signs_alone_is_looked_up_and_one_of_nothing_is_none() {
        assert_eq!(told(Some((7, 7)), &["}"], &[]), "verified: the quote stands there");
        assert_eq!(told(Some((7, 7)), &["::"], &[]), "relocated: the quote stands at line 1");
        assert_eq!(told(Some((7, 7)), &["//"], &[]), "mismatch: the quote does not stand in the file");
        for nothing in ["...", "…", "[…]", " "] {
            assert_eq!(told(Some((7, 7)), &[nothing], &[]), "verified: the lines are there, nothing is quoted", "{nothing}");
        }
    }

    #[test]
    fn a_sentence_of_a_comment_goes_over_several_lines() {
        let text = "//! Jobs are handed out; a worker that does not\n//! renew its lease in time loses the job.\n\n\
                    # drop(guard) when\n# it is done\n *   Waits for\n * the lock.\nlet a = 1;\n// drop(b);\n";
        let file = FileText::new(text.as_bytes());
        let told = |quote: &str, first, last| {
            judge(&file, Some(Lines::new(first, last)), &[quote.to_owned()], &[], &mut Patience::default()).result
        };
        assert_eq!(told("a worker that does not renew its lease in time loses the job", 1, 2), CheckResult::Verified);
        assert_eq!(told("drop(guard) when it is done", 4, 4), CheckResult::Verified);
        assert_eq!(told("waits for the lock", 6, 7), CheckResult::Verified);
        assert_eq!(told("a worker that does not keep its lease in time loses the job", 1, 2), CheckResult::Mismatch);
        // What is quoted as a comment is no code.
        assert_eq!(told("// let a = 1;", 8, 8), CheckResult::Mismatch);
        assert_eq!(told("let a = 1;\n// drop(b);", 8, 9), CheckResult::Verified);
    }

    #[test]
    fn marks_of_a_quote_may_be_escaped_as_in_markdown() {
        let file = FileText::new(b"#define SIZE 8 /* a_b */\n");
        let quotes = [r"\#define SIZE 8 /\* a\_b \*/".to_owned()];
        assert_eq!(judge(&file, None, &quotes, &[], &mut Patience::default()).result, CheckResult::Verified);
    }

    #[test]
    fn line_breaks_of_a_quote_may_be_written_as_in_json() {
        for quote in [
            r"let guard = pool.lock();\n    drop(guard);",
            r"let guard = pool.lock();\n\tdrop(guard);\n",
            r"use std::sync::Mutex;\n\nfn acquire(pool: &Pool) -> Conn {",
        ] {
            let lines = if quote.starts_with("use") { (1, 3) } else { (4, 5) };
            assert_eq!(told(Some(lines), &[quote], &[]), "verified: the quote stands there", "{quote}");
        }
        assert_eq!(told(Some((4, 5)), &[r"drop(guard);\nlet guard"], &[]).split(':').next(), Some("mismatch"));
        let file = FileText::new(b"print(\"a\\n\")\n");
        let quotes = [r#"print("a\n")"#.to_owned()];
        assert_eq!(judge(&file, None, &quotes, &[], &mut Patience::default()).result, CheckResult::Verified);
    }

    #[test]
    fn marks_in_a_quote_may_be_escaped() {
        let file = FileText::new(b"panic!(\"empty\");\nlet s = \"a \\\"b\\\"\";\n");
        let told = |quote: &str| judge(&file, None, &[quote.to_owned()], &[], &mut Patience::default()).result;
        assert_eq!(told("panic!(\\\"empty\\\");"), CheckResult::Verified);
        assert_eq!(told("let s = \"a \\\"b\\\"\";"), CheckResult::Verified);
        assert_eq!(told("panic!(\\\"full\\\");"), CheckResult::Mismatch);
    }

    #[test]
    fn a_line_is_quoted_with_the_sign_of_its_diff() {
        assert_eq!(told(Some((5, 5)), &["+    drop(guard);"], &[]), "verified: the quote stands there");
        assert_eq!(
            told(Some((4, 5)), &["+    let guard = pool.lock();\n+    drop(guard);"], &[]),
            "verified: the quote stands there"
        );
        assert_eq!(told(Some((5, 5)), &["+    launch(rockets);"], &[]).split(':').next(), Some("mismatch"));
    }

    #[test]
    fn a_quote_does_not_vouch_for_lines_that_are_not_there() {
        assert_eq!(
            told(Some((3, 99)), &["drop(guard);"], &[]),
            "relocated: the quote stands at line 5; the file has 7 lines"
        );
    }

    #[test]
    fn a_quote_does_not_vouch_for_a_line_nought_or_a_heading_that_is_not_there() {
        assert_eq!(
            told(Some((0, 3)), &["use std::sync::Mutex;"], &[]),
            "mismatch: there is no line 0; the file has 7 lines"
        );
        assert_eq!(told(None, &["drop(guard);"], &["#nowhere"]), "mismatch: there is no heading `#nowhere` in the file");
        let file = FileText::new(b"# Limits\n\ntext words here\n");
        let (quote, heading) = (["text words here".to_owned()], ["#limits".to_owned()]);
        assert_eq!(judge(&file, None, &quote, &heading, &mut Patience::default()).result, CheckResult::Verified);
    }

    #[test]
    fn there_is_no_line_nought_and_none_behind_the_last() {
        assert_eq!(told(Some((0, 0)), &[], &[]), "mismatch: there is no line 0; the file has 7 lines");
        assert_eq!(told(Some((u32::MAX, u32::MAX)), &[], &["acquire"]), "mismatch: the file has 7 lines");
    }

    #[test]
    fn of_several_quotes_the_false_one_is_named() {
        assert_eq!(
            told(Some((5, 5)), &["drop(guard);", "launch the rockets"], &[]),
            "mismatch: the quote \"launch the rockets\" does not stand in the file"
        );
        assert_eq!(
            told(Some((5, 5)), &["pool.wait(30)", "drop(guard);"], &[]),
            "relocated: the quote \"pool.wait(30)\" stands at line 6"
        );
    }

    #[test]
    fn an_omission_joins_no_words_from_all_over_a_file() {
        let far = format!("let lock = take();\n{}drop(lock);\n", "\n".repeat(40));
        let quote = ["let lock = take(); ... drop(lock);".to_owned()];
        let judged = judge(&FileText::new(far.as_bytes()), Some(Lines::one(1)), &quote, &[], &mut Patience::default());
        assert_eq!((judged.result, judged.detail.as_str()), (CheckResult::Relocated, "the quote stands at lines 1-42"));
        let whole = Some(Lines::new(1, 42));
        assert_eq!(
            judge(&FileText::new(far.as_bytes()), whole, &quote, &[], &mut Patience::default()).result,
            CheckResult::Verified
        );
    }

    #[test]
    fn a_quote_for_which_too_much_was_searched_is_not_called_false() {
        let quotes = ["launch the rockets".to_owned()];
        let judged = judge(&FileText::new(POOL.as_bytes()), None, &quotes, &[], &mut Patience::to_search(10));
        assert_eq!(judged.result, CheckResult::Unchecked);
        assert_eq!(judged.detail, "too much was searched for this text already");
    }

    #[test]
    fn a_name_must_stand_at_or_near_the_lines() {
        assert_eq!(told(Some((5, 5)), &[], &["acquire"]), "verified: `acquire` stands there or near by");
        assert_eq!(
            told(Some((5, 5)), &[], &["Pool::release", "acquire"]),
            "unchecked: `acquire` stands there or near by; `Pool::release` does not stand in the file"
        );
        assert_eq!(told(Some((5, 5)), &[], &["acquire", "guard"]), "verified: `acquire`, `guard` stand there or near by");
        assert_eq!(told(Some((5, 5)), &[], &["nothing.drop"]), "verified: `drop` stands there or near by");
        assert_eq!(told(Some((5, 5)), &[], &["release"]), "mismatch: `release` does not stand in the file");
        let far = format!("{}\nfn release() {{}}\n", "\n".repeat(40));
        let judged =
            judge(&FileText::new(far.as_bytes()), Some(Lines::one(3)), &[], &["release".into()], &mut Patience::default());
        assert_eq!(judged.detail, "`release` stands at line 42");
    }
}
