//! Places that no white space parts from what stands beside them: `src/a.rs:3,src/b.rs:4`, `<td>src/a.rs:3</td>`,
//! `see:src/a.rs:3`.

use std::ops::Range;

use super::bare::bare;
use super::commits::HEAD;
use super::lines::is_line_word;
use super::path::{self, Standing, Written, has_known_extension};
use super::pieces::{Kind, Piece, pieces};
use super::work;

/// The longest place that is looked for beside others, in bytes.
const LONGEST: usize = 1_024;

/// How many signs may stand between the bracket that closes behind a place and the word that goes on.
const CLOSING: usize = 8;

/// Where a word ends that is read letter by letter, and where the next one begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Seam {
    pub(super) end: usize,
    pub(super) next: usize,
}

/// What was read of a word.
pub(super) struct Seams {
    start: usize,
    /// Where what may be a place begins.
    from: usize,
    /// Where the lines of it may begin.
    lines: Option<usize>,
    /// Whether a colon was met.
    led: bool,
    /// Whether the word is one as a whole: an address, or a number with a path behind it that is none of ours.
    whole: bool,
}

/// What stands before a colon and a path that are no place: names of modules, addresses and branches.
#[rustfmt::skip]
const SCHEMES: [&str; 17] = [
    "node", "npm", "jsr", "deno", "bun", "jdbc", "git", "webpack", "classpath", "urn", "main", "master", "develop", "trunk",
    "dart", "package", "ext",
];

impl Seams {
    /// Those of a word that begins here.
    pub(super) fn of_word_at(start: usize) -> Self {
        Self { start, from: start, lines: None, led: false, whole: false }
    }

    /// Whether the word ends before this character, or behind the place before it.
    pub(super) fn before(&mut self, text: &str, here: usize, c: char, limit: usize) -> Option<Seam> {
        let behind = here + c.len_utf8();
        // No address has one of these.
        let parts = matches!(c, '|' | '<' | '>');
        let address = || text[behind..limit].starts_with("//") && path::ends_with_a_scheme(&text[self.start..here]);
        self.whole = (self.whole && !parts) || (c == ':' && address());
        match c {
            _ if self.whole => None,
            // `2..=9`
            '=' if text[self.from..here].ends_with("..") => None,
            // No path has one of these.
            ';' | '|' | '<' | '>' | '=' | '→' => {
                let seam = self.place_until(text, here, behind);
                (self.from, self.lines) = (behind, None);
                seam
            }
            // Paths have these, and lists of lines.
            ',' | '&' | '+' | '/' => {
                let number = self.lines.is_some_and(|at| is_number(&text[at..here]));
                let goes_on = text[behind..limit].starts_with(|c: char| c.is_ascii_digit());
                if number && goes_on && c != '/' {
                    return None;
                }
                let seam = if number { self.place_until(text, here, behind) } else { None };
                // What has lines and is no place is none with more behind it, either: `host:8080/a.rs:3`.
                self.whole = number && seam.is_none() && c == '/';
                self.from = if number { behind } else { self.from };
                self.lines = None;
                seam
            }
            // `acquire(src/pool.rs:28)`: a name, and where it stands.
            '(' if text[self.from..here].ends_with(|c: char| c.is_alphanumeric() || c == ']') => {
                let length = text[behind..limit].find(|c: char| c.is_whitespace() || matches!(c, ':' | '#' | '(' | ')'));
                let inside = &text[behind..behind + length.unwrap_or(0)];
                work::read(inside.len());
                if inside.contains(['/', '\\']) {
                    (self.from, self.lines) = (behind, None);
                }
                None
            }
            ':' | '#' => {
                let leads = c == ':' && !std::mem::replace(&mut self.led, true);
                let seam = if leads { self.behind_a_colon(text, here, limit) } else { None };
                // `see:src/a.rs:3`: a word, and what may be a place.
                if leads && seam.is_none() && self.is_led_by_a_word(text, here, limit) {
                    (self.from, self.lines) = (behind, None);
                } else {
                    self.lines = Some(self.lines.unwrap_or(behind));
                }
                seam
            }
            // `f(src/a.rs:3),g(src/b.rs:4)`, `(src/a.rs:3).Then`: the bracket around a place closes, and the word goes on.
            ')' | ']' | '}' if self.lines.is_some_and(|at| here - at <= LONGEST && is_number(&text[at..here])) => {
                let open = [('(', ')'), ('[', ']'), ('{', '}')].iter().find(|(_, close)| *close == c).map(|(open, _)| *open);
                let inside = text[self.from..here].trim_start_matches(['(', '[', '{', '*', '_', '"']);
                work::read(inside.len());
                let next = text[behind..limit].chars().take(CLOSING).find(|c| c.is_alphanumeric() || c.is_whitespace());
                let goes_on = next.is_some_and(char::is_alphanumeric) && !open.is_some_and(|open| inside.contains(open));
                if goes_on { self.place_until(text, here, behind) } else { None }
            }
            _ => None,
        }
    }

    /// Whether the place that the word ends with has something before it.
    pub(super) fn at_end(&self, text: &str, end: usize) -> Option<Seam> {
        if self.whole || self.from == self.start { None } else { self.place_until(text, end, end) }
    }

    /// Where the word ends if what was read since the last seam is a place.
    fn place_until(&self, text: &str, here: usize, behind: usize) -> Option<Seam> {
        let span = self.from..here;
        let lined = self.lines.is_some() && (3..=LONGEST).contains(&span.len());
        if !lined || !is_place(text, span) {
            return None;
        }
        let (start, from) = (self.start, self.from);
        Some(if from == start { Seam { end: here, next: behind } } else { Seam { end: from, next: from } })
    }

    /// `src/a.rs:line 3` is a place and a word.
    fn behind_a_colon(&self, text: &str, here: usize, limit: usize) -> Option<Seam> {
        if !has_known_extension(&text[self.start..here]) {
            return None;
        }
        let behind = super::attach::beginning(&text[here + 1..limit], LONGEST);
        let word = &behind[..behind.find(|c: char| !c.is_alphabetic()).unwrap_or(behind.len())];
        let number = behind[word.len()..].trim_start_matches([' ', '#', '.']);
        let named = word.len() > 1 && is_line_word(word) && number.starts_with(|c: char| c.is_ascii_digit());
        named.then_some(Seam { end: here, next: here })
    }

    /// `see:src/a.rs:3`: whether a word stands before the colon that is neither a file nor the name of a scheme or a commit.
    fn is_led_by_a_word(&self, text: &str, here: usize, limit: usize) -> bool {
        let head = &text[self.start..here];
        let behind = &text[here + 1..limit];
        let file = has_known_extension(head);
        let head = head.trim_start_matches(['(', '[', '*', '_', '"']);
        let is_word = (2..=12).contains(&head.len()) && head.chars().all(char::is_alphabetic);
        let is_hash = head.len() >= 7 && head.bytes().all(|byte| byte.is_ascii_hexdigit());
        let named = is_hash || head == HEAD || SCHEMES.contains(&head);
        is_word && !file && !named && !behind.starts_with("//") && !is_version(behind)
    }
}

/// Several places in one pair of backticks, with nothing but a sign between them: `a.rs:3,b.rs:4`.
pub(super) fn places_in_code(text: &str, piece: &Piece) -> Option<Vec<(Range<usize>, Written)>> {
    let Kind::Code(inner) = &piece.kind else { return None };
    let words = &text[inner.clone()];
    if words.contains(char::is_whitespace) || !words.contains([',', ';', '|', '&', '+', '/']) || !words.contains(':') {
        return None;
    }
    let parts = pieces(text, inner.clone()).into_iter().map(|part| {
        let span = bare(text, part.span);
        let written = path::read(&text[span.clone()], Standing::Marked)?;
        (!written.lines.is_empty()).then_some((span, written))
    });
    parts.collect::<Option<Vec<_>>>().filter(|parts| parts.len() > 1)
}

/// `rustc:1.70/src/lib.rs:3`
fn is_version(behind: &str) -> bool {
    behind.starts_with(|c: char| c.is_ascii_digit())
}

/// `12`, `L12`, `12-20`.
fn is_number(text: &str) -> bool {
    !text.is_empty() && text.chars().all(|c| c.is_ascii_digit() || path::is_dash(c) || matches!(c, 'L' | 'C' | ':' | ','))
}

/// Whether this is a file with lines of it.
fn is_place(text: &str, span: Range<usize>) -> bool {
    work::read(span.len());
    let word = &text[bare(text, span)];
    path::read(word, Standing::Bare).is_some_and(|written| !written.lines.is_empty())
}

#[cfg(test)]
mod tests {
    use super::super::find;

    fn told(text: &str) -> Vec<String> {
        find(text).iter().map(|citation| citation.target.to_string()).collect()
    }

    #[test]
    fn an_address_and_a_name_of_a_module_are_one_word_each() {
        for text in [
            "at foo (http://localhost:5173/src/auth/App.tsx:99:5)",
            "See registry.example.com:5000/team/app.rs:3 there.",
            "at async run (node:internal/modules/run_main.js:95:5)",
            "rustc:1.70/src/pool.rs:99",
            "at com.app.Main.run(Main.java:12)",
            "jdbc:postgresql://db:5432/app.sql:3",
            "#1 main (package:app/src/main.dart:55:14)",
            "#0 List.[] (dart:core-patch/array.dart:264:36)",
            "at ext:core/01_core.js:190:30",
            "s3://bucket/src/a.rs:3 and git+ssh://host/src/a.rs:3",
        ] {
            assert_eq!(told(text), [""; 0], "{text}");
        }
        for text in [
            "https://example.com:8080/src/pool.rs:99",
            "https://h.example/?f=src/a.rs:3&g=1",
            "https://h.example/a;v=src/a.rs:3",
        ] {
            assert_eq!(told(&format!("See {text} there.")), [text], "{text}");
        }
        assert_eq!(told("|https://h.example/a|src/b.rs:4|"), ["https://h.example/a", "src/b.rs:4"]);
        assert_eq!(told("Pool::acquire(src/pool.rs:28) locks."), ["src/pool.rs:28"]);
        assert_eq!(told("error[E0433](src/pool.rs:6:17) is new"), ["src/pool.rs:6"]);
        assert_eq!(told("in app/(group)/page.tsx:3 too"), ["app/(group)/page.tsx:3"]);
    }

    #[test]
    fn places_that_nothing_but_a_sign_parts_are_places() {
        for sign in [",", ";", "|", "/", "&", "+", "<br>", "<br/>", "→", "->", "=>"] {
            let text = format!("See src/a.rs:3{sign}src/b.rs:4-9.");
            assert_eq!(told(&text), ["src/a.rs:3", "src/b.rs:4-9"], "{text}");
        }
        assert_eq!(told("See `src/a.rs:3,src/b.rs:4`."), ["src/a.rs:3", "src/b.rs:4"]);
        let evidence = super::super::find_in_evidence("src/a.rs:3,src/b.rs:4");
        assert_eq!(evidence.iter().map(|found| found.target.to_string()).collect::<Vec<_>>(), ["src/a.rs:3", "src/b.rs:4"]);
        assert_eq!(told("See src/a.rs:3,9,src/b.rs:4,5."), ["src/a.rs:3", "src/a.rs:9", "src/b.rs:4", "src/b.rs:5"]);
        assert_eq!(told("|src/a.rs:3|bad|"), ["src/a.rs:3"]);
        assert_eq!(told("|bad|src/a.rs|"), ["src/a.rs"]);
        assert_eq!(told("<td>src/a.rs:3</td><td>src/b.rs:4</td>"), ["src/a.rs:3", "src/b.rs:4"]);
        assert_eq!(told("<details><summary>src/a.rs:3</summary>"), ["src/a.rs:3"]);
        assert_eq!(told("see:src/a.rs:3"), ["src/a.rs:3"]);
        assert_eq!(told("(file:src/a.rs:3)"), ["src/a.rs:3"]);
        assert_eq!(told("path=src/a.rs:3"), ["src/a.rs:3"]);
    }

    #[test]
    fn none_of_several_places_is_lost() {
        for text in [
            "See:src/a.rs:3,src/b.rs:4-9.",
            "(callers:src/a.rs:3;src/b.rs:4-9)",
            "acquire(src/a.rs:3),release(src/b.rs:4-9) both wait.",
            "acquire(src/a.rs:3)/release(src/b.rs:4-9)",
            "(src/a.rs:3)and(src/b.rs:4-9)",
            "[src/a.rs:3],[src/b.rs:4-9]",
        ] {
            assert_eq!(told(text), ["src/a.rs:3", "src/b.rs:4-9"], "{text}");
        }
        for text in ["(src/a.rs:3).Then it waits.", "See [src/a.rs:3]and so on.", "{src/a.rs:3}x", "see:src/a.rs:3:///"] {
            assert_eq!(told(text), ["src/a.rs:3"], "{text}");
        }
        for text in ["at Main.run(Main.java:12).then", "main:src/a.rs:3", "app/(group)/page:x)y"] {
            assert_eq!(told(text), [""; 0], "{text}");
        }
        assert_eq!(told("app/[id].tsx:3]and"), [""; 0]);
        assert_eq!(told("src/a,b.rs:3 and see:src/c,d.rs:3"), ["src/a,b.rs:3", "src/c,d.rs:3"]);
    }

    #[test]
    fn a_number_before_two_slashes_is_no_scheme() {
        for text in ["src/a.rs:3:///", "src/a.rs:3:// waits", "It is src/a.rs:3:///"] {
            assert_eq!(told(text), ["src/a.rs:3"], "{text}");
        }
    }

    #[test]
    fn what_is_glued_to_lines_does_not_hide_them() {
        for (text, expected) in [
            ("See src/a.rs:3ff.", "src/a.rs:3"),
            ("See src/a.rs:3f for it.", "src/a.rs:3"),
            ("See src/a.rs:3+ for it.", "src/a.rs:3"),
            ("See src/a.rs:~3 for it.", "src/a.rs:3"),
            ("src/a.rb:3:in `f'", "src/a.rb:3"),
            ("See src/a.rs:3-bad", "src/a.rs:3"),
            ("See src/a.rs:3–bad", "src/a.rs:3"),
            ("See src/a.rs:3->x", "src/a.rs:3"),
            ("See src/a.rs:2..=9", "src/a.rs:2-9"),
            ("See src/a.rs:2\u{2011}9", "src/a.rs:2-9"),
            ("See `src/a.rs:2\u{2212}9`", "src/a.rs:2-9"),
            ("See src/a.rs:2—9.", "src/a.rs:2-9"),
            ("See src/a.rs:2 - 9.", "src/a.rs:2-9"),
            ("src/a.rs:2 to 9 shows it.", "src/a.rs:2-9"),
            ("See src/a.rs lines 2\u{2011}9.", "src/a.rs:2-9"),
            ("See src/a.rs:line 9.", "src/a.rs:9"),
            ("See src/a.rs#line-9.", "src/a.rs:9"),
            ("See src/a.rs: 9", "src/a.rs:9"),
            ("src/a.rs：9 shows it", "src/a.rs:9"),
            ("见src/a.rs第9行", "src/a.rs:9"),
            ("见 src/a.rs的第9行。", "src/a.rs:9"),
        ] {
            assert_eq!(told(text), [expected], "{text}");
        }
        for text in ["src/a.rs:2 - 9 problems", "src/a.rs:2 to 9 callers", "src/a.rs:2 - it waits"] {
            assert_eq!(told(text), ["src/a.rs:2"], "{text}");
        }
    }

    #[test]
    fn what_only_looks_like_glued_places_is_none() {
        for text in [
            "We use image:1.2.3 and redis:7-alpine at 12:30-13:00.",
            "http://localhost:80/src and http://10.0.0.1:80,http://b:81",
            "a:b,c:d;e:f|g:h and 16:9/4:3",
            "It is width:3px;height:4px in docker-compose.yml:3.8, style.css:10px.",
            "Node.js:18-slim, library/node:18-alpine, foo/bar:1.2-rc1",
            "std::fs:3,std::io:4",
            "Version v1.2.3,v1.2.4 of key=value:3;x=4:5",
            "mailto:ann@example.com and ratio:16:9",
        ] {
            assert_eq!(told(text), [""; 0], "{text}");
        }
    }

    #[test]
    fn a_file_may_have_signs_in_its_name_and_a_list_be_long() {
        assert_eq!(told("src/a,b.rs:3"), ["src/a,b.rs:3"]);
        assert_eq!(told("src/a&b/c+d.rs:3"), ["src/a&b/c+d.rs:3"]);
        let list: Vec<String> = (1..=2_000).map(|line| line.to_string()).collect();
        assert_eq!(told(&format!("src/a.rs:{}", list.join(","))).len(), 2_000);
    }
}
