//! What looks like the path of a file, and the lines written behind it.
//!
//! Prose is full of things that look a little like paths: `and/or`, `Node.js`, `12:30`, `localhost:8080`. So the less a
//! place says by itself (a bare word says less than a code span), the more the word must look like a file's name.

use super::Lines;
use super::names::{
    extension, is_dot_file, is_expression, is_known_extension, is_known_folder, is_known_name, is_placeholder, is_product,
    is_written_like_a_product,
};
use super::outside::{is_route, leads_outside, names_a_file};

/// The longest path, in bytes. The list of its lines may be longer: `a.rs:1,2,3`.
const LONGEST: usize = 1_024;

/// How a path stands in the text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Standing {
    /// A word among others.
    Bare,
    /// A code span or the target of a link.
    Marked,
    /// In the list of claims, where evidence is asked for.
    Explicit,
}

/// A path and the lines behind it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Written {
    /// The path as it was written.
    pub(super) path: String,
    /// The lines: several where several are named (`a.rs:3,9-12`).
    pub(super) lines: Vec<Lines>,
    /// A name behind the path, `tests/a.py::test_x`; or a heading, with its mark: `#limits`.
    pub(super) symbol: Option<String>,
}

/// Reads a path with what stands behind it, if it is one. `word` has no marks or punctuation around it.
pub(super) fn read(word: &str, standing: Standing) -> Option<Written> {
    let word = word.trim();
    // A viewer on the web writes this between a file and its lines.
    let shown_plain = word.contains("?plain=1#").then(|| word.replacen("?plain=1#", "#", 1));
    let word = shown_plain.as_deref().unwrap_or(word);
    // Copied from an address.
    let spaced = word.contains("%20").then(|| word.replace("%20", " "));
    let (word, standing) = spaced.as_deref().map_or((word, standing), |word| (word, Standing::Marked));
    if word.is_empty() || is_address(word) {
        return None;
    }
    let (path, lines, symbol) = split(word);
    // Whatever stands behind lines is no part of the path: `a.rs:2..=9`.
    let whole = if lines.is_empty() { word } else { path };
    if whole.len() > LONGEST || whole.chars().any(is_no_part) {
        return None;
    }
    let heading = heading_behind(word).filter(|_| lines.is_empty() && symbol.is_none());
    let behind = match (&lines[..], symbol) {
        ([], None) => Behind::Nothing,
        ([], Some(_)) => Behind::Symbol,
        _ => Behind::Lines,
    };
    let symbol = symbol.map(str::to_owned).or_else(|| heading.map(|heading| format!("#{heading}")));
    let written = || Written { path: path.to_owned(), lines, symbol };
    looks_like_a_file(path, standing, behind).then(written)
}

/// Reads a bare file's name, `README.md`: too little to be a citation unless words are quoted from it.
pub(super) fn read_name(word: &str) -> Option<Written> {
    let named = word.len() <= 80
        && (is_known_name(word) || extension(word).is_some_and(is_known_extension))
        && !word.contains(is_no_part)
        && !word.contains(['/', '\\', ':', '(', '@', '#'])
        && !(is_expression(word) || is_product(word) || is_written_like_a_product(word) || is_host(word));
    named.then(|| Written { path: word.to_owned(), lines: Vec::new(), symbol: None })
}

/// Whether a word is the path of a script, which may stand before what it is given.
pub(super) fn is_program(word: &str) -> bool {
    let runs =
        |extension: &str| matches!(extension, "sh" | "bash" | "py" | "rb" | "pl" | "js" | "mjs" | "ts" | "zsh" | "ps1");
    word.contains('/') && extension(word).is_some_and(runs) && !word.contains(is_no_part)
}

/// What stands behind a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Behind {
    Nothing,
    Lines,
    Symbol,
}

/// Whether a path says of itself that it is a folder: `web/app/`.
pub(super) fn names_a_folder(path: &str) -> bool {
    path.ends_with(['/', '\\'])
}

/// Whether a word is an address on the web.
pub(super) fn is_address(word: &str) -> bool {
    let schemed = || word.split_once("://").is_some_and(|(before, _)| ends_with_a_scheme(before));
    (schemed() && !word.starts_with("file://")) || word.starts_with("www.") || word.starts_with("mailto:")
}

/// Whether what stands before `://` ends with the scheme of an address: `http`, `git+ssh`, `s3`. The number of a line is none:
/// `src/pool.rs:6:///`.
pub(super) fn ends_with_a_scheme(before: &str) -> bool {
    let scheme = before.rsplit(|c: char| !(c.is_ascii_alphanumeric() || matches!(c, '+' | '-' | '.'))).next();
    scheme.is_some_and(|scheme| scheme.starts_with(|c: char| c.is_ascii_alphabetic()))
}

/// Whether a word can only be the beginning of a path whose next part has a space in it: `docs/design` before `notes.md`.
pub(super) fn begins_a_spaced_path(word: &str) -> bool {
    let slashed = word.replace('\\', "/");
    let (first, last) = (slashed.trim_start_matches("./").split('/').next(), slashed.rsplit('/').next());
    let open = last.is_some_and(|last| !last.is_empty() && !last.contains(['.', ':', ',', ')', '`', '#']));
    open && !is_address(word)
        && (is_absolute(word) || word.starts_with("./") || first.is_some_and(|first| is_known_folder(&first.to_lowercase())))
}

/// `/home/ada/My`, `C:\My`.
pub(super) fn is_absolute(word: &str) -> bool {
    has_drive(word) || leads_outside(word)
}

/// Whether an address leads to a page that others can read: not to this machine or its network.
pub(super) fn is_page(address: &str) -> bool {
    let Some(rest) = address.strip_prefix("https://").or_else(|| address.strip_prefix("http://")) else { return false };
    let host = rest.split(['/', '?', '#']).next().unwrap_or_default();
    let host = host.rsplit('@').next().unwrap_or_default();
    let host = host.split(':').next().unwrap_or_default().to_ascii_lowercase();
    let template = address.contains(['{', '}', '$', '<', '>', '`']);
    let inner = ["localhost", "local", "internal", "lan", "test"].contains(&host.rsplit('.').next().unwrap_or_default());
    host.contains('.') && !template && !inner && host.parse::<std::net::Ipv4Addr>().is_err()
}

/// The path, the lines behind it, and a name behind it.
fn split(word: &str) -> (&str, Vec<Lines>, Option<&str>) {
    if let Some((path, fragment)) = word.rsplit_once('#')
        && let Some(lines) = fragment_lines(fragment)
    {
        return (without_heading(path), vec![lines], None);
    }
    // `src/pool.rs#88`; `owner/next.js#88` is an issue.
    if let Some((path, line)) = word.split_once('#')
        && let Some(line) = number(line)
        && has_known_extension(path)
        && !is_product(path.rsplit(['/', '\\']).next().unwrap_or_default())
    {
        return (path, vec![one_line(line)], None);
    }
    let word = without_heading(word);
    if let Some((path, line)) = word.rsplit_once('@')
        && let Some(line) = number(line)
        && has_known_extension(path)
    {
        return (path, vec![one_line(line)], None);
    }
    // A compiler's form: `a.cs(12)` or `a.cs(12,5)`.
    if let Some(head) = word.strip_suffix(')')
        && let Some((path, inner)) = head.rsplit_once('(')
        && let Some(line) = inner.split(',').next().and_then(number)
        && inner.split(',').all(|part| number(part).is_some())
        && has_known_extension(path)
    {
        return (path, vec![one_line(line)], None);
    }
    // The colons of `file://` and of a drive, also of one behind it, are no end of a path.
    let behind_scheme = word.strip_prefix("file://").unwrap_or(word);
    let behind_root = behind_scheme.strip_prefix('/').filter(|rest| has_drive(rest)).unwrap_or(behind_scheme);
    let from = word.len() - behind_root.len() + if has_drive(behind_root) { 2 } else { 0 };
    let Some(colon) = word[from..].find(':').map(|at| at + from) else { return (word, Vec::new(), None) };
    let (path, tail) = (&word[..colon], &word[colon + 1..]);
    if let Some(symbol) = tail.strip_prefix(':') {
        return if is_name(symbol) { (path, Vec::new(), Some(symbol)) } else { (word, Vec::new(), None) };
    }
    match line_list(tail) {
        Some(lines) => (path, lines, None),
        None if is_name(tail) => (path, Vec::new(), Some(tail)),
        None => match first_lines(tail).filter(|_| has_known_extension(path)) {
            Some(lines) => (path, vec![lines], None),
            None => (word, Vec::new(), None),
        },
    }
}

/// The lines that something else is glued to: `3ff`, `3+`, `~3`, `3:in`, `3-bad`. A version, a share or a measure is no line.
fn first_lines(tail: &str) -> Option<Lines> {
    let tail = tail.strip_prefix(['~', '≈']).unwrap_or(tail);
    let digits = |text: &str| text.len() - text.trim_start_matches(|c: char| c.is_ascii_digit()).len();
    let (first, rest) = tail.split_at(digits(tail));
    let first = number(first)?;
    let last = rest.strip_prefix(is_dash).map(|rest| rest.split_at(digits(rest)));
    let (last, rest) = last.and_then(|(last, rest)| Some((number(last)?, rest))).unwrap_or((first, rest));
    let follows = matches!(rest.split(|c: char| !c.is_alphanumeric()).next(), Some("" | "f" | "ff"));
    // Another place may stand behind a sign that parts them.
    let parted = rest.len() > 1 && rest.starts_with([',', ';', '|', '&', '+', '<', '→']);
    let apart = parted || rest.starts_with(['.', '%', '/', '°', ')', ']', '}']) || rest.contains(char::is_whitespace);
    (follows && !apart).then(|| Lines::written(first, last))
}

/// The heading behind a document, as links name it: `docs/API.md#limits`.
fn heading_behind(word: &str) -> Option<&str> {
    let (path, heading) = word.split_once('#')?;
    let document = extension(path.rsplit(['/', '\\']).next()?)?;
    let plain = !heading.is_empty() && heading.chars().all(|c| c.is_alphanumeric() || matches!(c, '-' | '_'));
    (["md", "markdown", "mdx"].iter().any(|known| known.eq_ignore_ascii_case(document)) && plain).then_some(heading)
}

/// A document without the heading behind it: `docs/API.md#limits`.
fn without_heading(word: &str) -> &str {
    word.split_once('#').filter(|(path, _)| has_known_extension(path)).map_or(word, |(path, _)| path)
}

/// `10`, `10-20`, `L10-L20`, `10:5` (line and column), `3,9-12`.
fn line_list(tail: &str) -> Option<Vec<Lines>> {
    let tail = tail.trim_end_matches(':');
    if let Some((line, column)) = tail.split_once(':') {
        // A column, or a range with columns: `10:5-12:3`.
        let column = column.split(|c| is_dash(c) || c == ':').next().unwrap_or_default();
        return number(column).and(number(line)).map(|line| vec![one_line(line)]);
    }
    tail.split([',', '+', '&']).map(|part| range(part.trim())).collect()
}

/// `10`, `10-20` or `10..20`, with `L` or without, with any dash.
pub(super) fn range(text: &str) -> Option<Lines> {
    let text = text.trim();
    let dotted = text.split_once("..").map(|(first, last)| (first, last.strip_prefix('=').unwrap_or(last)));
    match dotted.or_else(|| text.split_once(is_dash)) {
        Some((first, last)) => Some(Lines::written(number(unmarked(first))?, number(unmarked(last))?)),
        None => number(unmarked(text)).map(one_line),
    }
}

/// A hyphen, or any of the signs that are printed for one between two numbers.
pub(super) fn is_dash(c: char) -> bool {
    matches!(c, '-' | '\u{2010}'..='\u{2015}' | '\u{2212}' | '\u{fe63}' | '\u{ff0d}')
}

/// `L10`, `L10-L20`, `L10-20`, `L10C3-L20C5`, `line-10`, `lines-10-20`.
fn fragment_lines(fragment: &str) -> Option<Lines> {
    let spelled = fragment.strip_prefix("lines").or_else(|| fragment.strip_prefix("line"));
    if let Some(lines) = spelled {
        return range(lines.trim_start_matches(['-', '=']));
    }
    fragment.strip_prefix(['L', 'l'])?;
    let without_column = |part: &str| part.split(['C', 'c']).next().unwrap_or_default().to_owned();
    match fragment.split_once(is_dash) {
        Some((first, last)) => range(&format!("{}-{}", without_column(first), without_column(last))),
        None => range(&without_column(fragment)),
    }
}

fn unmarked(text: &str) -> &str {
    text.trim().trim_start_matches(['L', 'l', '#'])
}

/// A line's number, without a sign. No file has a line nought or one beyond all counting: both are read, and are found
/// to be false where they are looked up.
pub(super) fn number(text: &str) -> Option<u128> {
    let digits = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    digits.then(|| text.parse().unwrap_or(u128::MAX))
}

fn one_line(number: u128) -> Lines {
    Lines::written(number, number)
}

/// A name in code: `acquire`, `Pool::acquire`, `test_x[3]`.
fn is_name(text: &str) -> bool {
    let name = text.trim_end_matches("()");
    !name.is_empty()
        && name.starts_with(|c: char| c.is_alphabetic() || c == '_')
        && name.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | ':' | '.' | '[' | ']'))
        && name.len() <= 120
}

fn has_drive(word: &str) -> bool {
    let bytes = word.as_bytes();
    bytes.len() > 2 && bytes[0].is_ascii_alphabetic() && bytes[1] == b':' && matches!(bytes[2], b'\\' | b'/')
}

/// Characters that no path in a citation has: marks of patterns, shells and templates.
fn is_no_part(c: char) -> bool {
    matches!(c, '*' | '?' | '<' | '>' | '|' | '"' | '`' | ';' | '=' | '{' | '}') || c.is_control()
}

/// Whether a path ends like a file that people keep in a project.
pub(super) fn has_known_extension(path: &str) -> bool {
    extension(path.rsplit(['/', '\\']).next().unwrap_or_default()).is_some_and(is_known_extension)
}

fn looks_like_a_file(path: &str, standing: Standing, behind: Behind) -> bool {
    let path = path.replace('\\', "/");
    let whole = path.strip_prefix("file://").unwrap_or(&path);
    // `file:///C:/a.rs`: the root before a drive says nothing.
    let whole = whole.strip_prefix('/').filter(|rest| has_drive(rest)).unwrap_or(whole);
    let path = whole.trim_end_matches('/');
    let name = path.rsplit('/').next().unwrap_or_default();
    let spaced = path.contains(char::is_whitespace);
    let behind_drive = if has_drive(path) { &path[2..] } else { path };
    if behind_drive.contains(':')
        || name.is_empty()
        || name.starts_with('-')
        || path.starts_with("--")
        || (spaced && standing == Standing::Bare)
    {
        return false;
    }
    if !path.chars().any(char::is_alphabetic) || (is_host(path) && standing != Standing::Explicit) {
        return false;
    }
    // Lines are those of a file, wherever a person's own folder is.
    if is_placeholder(path) && !(behind == Behind::Lines && path.starts_with("$HOME/")) {
        return false;
    }
    // `/\.rs$/`: a pattern.
    if whole.len() > path.len() && whole.starts_with('/') && !leads_outside(path) {
        return false;
    }
    let has_folder = path.contains('/');
    let dotted = is_dot_file(name) && behind != Behind::Symbol;
    let known = is_known_name(name) || extension(name).is_some_and(is_known_extension) || dotted;
    let extended = extension(name).is_some() || is_known_name(name) || dotted;
    // The name of a field is longer than an extension that nobody knows.
    let short = extended && extension(name).is_none_or(|extension| extension.len() <= 5);
    if spaced && !known {
        return false;
    }
    let is_code = || is_expression(name) || is_product(name);
    // `/api/v1/users.json` is asked of a server, unless somebody names lines of it.
    if standing != Standing::Explicit && behind == Behind::Nothing && is_route(path) {
        return false;
    }
    let outside = (leads_outside(path) || has_drive(path)) && names_a_file(path);
    match (standing, behind) {
        (Standing::Explicit, Behind::Lines | Behind::Symbol) => true,
        (Standing::Explicit, Behind::Nothing) => extended || (has_folder && !spaced) || is_folder(whole),
        // `node.js:18` is a version, and `me@host.rs:22` a machine.
        (Standing::Bare, Behind::Lines | Behind::Symbol) if !has_folder => {
            known && !is_product(name) && name.find('@').is_none_or(|at| at == 0)
        }
        (Standing::Marked, Behind::Lines | Behind::Symbol) if !has_folder => known || short && !is_expression(name),
        (Standing::Marked, Behind::Lines | Behind::Symbol) => {
            // What a bare word tells, a marked one tells too.
            let named = behind == Behind::Lines && names_a_file(path);
            extended || named || path.chars().any(char::is_lowercase) && !is_route(path)
        }
        (Standing::Bare, Behind::Lines | Behind::Symbol) => {
            let in_known_folder = behind == Behind::Lines
                && path.split('/').next().is_some_and(|first| is_known_folder(first) || first == ".git");
            extended || leads_outside(path) || in_known_folder || behind == Behind::Lines && names_a_file(path)
        }
        (Standing::Marked, Behind::Nothing) if has_folder => {
            known || outside || is_folder(whole) || extended && path.split('/').all(is_plain_part)
        }
        (Standing::Marked, Behind::Nothing) => known && !is_code() || is_folder(whole),
        (Standing::Bare, Behind::Nothing) => has_folder && (known || outside) && !is_code(),
    }
}

/// `src/net/`: a folder that is written as one. `s/old/new/` is none.
fn is_folder(path: &str) -> bool {
    let Some(inner) = path.strip_suffix('/') else { return false };
    let first = inner.split('/').next().unwrap_or_default();
    first.len() > 1 && inner.split('/').all(is_plain_part)
}

/// A part of a path as files and folders are mostly called.
fn is_plain_part(part: &str) -> bool {
    !part.is_empty() && part.chars().all(|c| c.is_alphanumeric() || matches!(c, '.' | '_' | '-' | '+'))
}

/// `example.com`, `api.example.com/v1`, `localhost`, `10.0.0.1`.
fn is_host(path: &str) -> bool {
    const TOP: [&str; 18] = [
        "com",
        "org",
        "net",
        "io",
        "dev",
        "app",
        "edu",
        "gov",
        "local",
        "localhost",
        "internal",
        "lan",
        "ai",
        "co",
        "uk",
        "de",
        "eu",
        "xyz",
    ];
    let first = path.split('/').next().unwrap_or_default();
    let top = first.rsplit('.').next().unwrap_or_default();
    first == "localhost"
        || (first.contains('.') && !first.starts_with('.') && TOP.iter().any(|known| known.eq_ignore_ascii_case(top)))
}
