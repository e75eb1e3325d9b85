//! What looks like the path of a file, and the lines written behind it.
//!
//! Prose is full of things that look a little like paths: `and/or`, `Node.js`, `12:30`, `localhost:8080`. So the less a
//! place says by itself (a bare word says less than a code span), the more the word must look like a file's name.

use super::Lines;

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
    /// A name behind the path: `tests/a.py::test_x`.
    pub(super) symbol: Option<String>,
}

/// Reads a path with what stands behind it, if it is one. `word` has no marks or punctuation around it.
pub(super) fn read(word: &str, standing: Standing) -> Option<Written> {
    let word = word.trim();
    if word.is_empty() || word.len() > 1_024 || is_address(word) || word.chars().any(is_no_part) {
        return None;
    }
    let (path, lines, symbol) = split(word);
    let has_lines = !lines.is_empty() || symbol.is_some();
    let written = || Written { path: path.to_owned(), lines, symbol: symbol.map(str::to_owned) };
    looks_like_a_file(path, standing, has_lines).then(written)
}

/// Whether a word is an address on the web.
pub(super) fn is_address(word: &str) -> bool {
    word.contains("://") || word.starts_with("www.") || word.starts_with("mailto:")
}

/// The path, the lines behind it, and a name behind it.
fn split(word: &str) -> (&str, Vec<Lines>, Option<&str>) {
    if let Some((path, fragment)) = word.rsplit_once('#')
        && let Some(lines) = fragment_lines(fragment)
    {
        return (path, vec![lines], None);
    }
    // A compiler's form: `a.cs(12)` or `a.cs(12,5)`.
    if let Some(head) = word.strip_suffix(')')
        && let Some((path, inner)) = head.rsplit_once('(')
        && let Some(line) = inner.split(',').next().and_then(number)
        && inner.split(',').all(|part| number(part).is_some())
        && extension(path.rsplit(['/', '\\']).next().unwrap_or_default()).is_some_and(is_known_extension)
    {
        return (path, vec![Lines::one(line)], None);
    }
    // The colon of a drive is no end of a path.
    let from = if has_drive(word) { 2 } else { 0 };
    let Some(colon) = word[from..].find(':').map(|at| at + from) else { return (word, Vec::new(), None) };
    let (path, tail) = (&word[..colon], &word[colon + 1..]);
    if let Some(symbol) = tail.strip_prefix(':') {
        return if is_name(symbol) { (path, Vec::new(), Some(symbol)) } else { (word, Vec::new(), None) };
    }
    match line_list(tail) {
        Some(lines) => (path, lines, None),
        None if is_name(tail) => (path, Vec::new(), Some(tail)),
        None => (word, Vec::new(), None),
    }
}

/// `10`, `10-20`, `L10-L20`, `10:5` (line and column), `3,9-12`.
fn line_list(tail: &str) -> Option<Vec<Lines>> {
    let tail = tail.trim_end_matches(':');
    if let Some((line, column)) = tail.split_once(':') {
        // A column, or a range with columns: `10:5-12:3`.
        let column = column.split(['-', '\u{2013}', ':']).next().unwrap_or_default();
        return number(column).and(number(line)).map(|line| vec![Lines::one(line)]);
    }
    tail.split(',').map(|part| range(part.trim())).collect()
}

/// `10` or `10-20`, with `L` or without, with any dash.
pub(super) fn range(text: &str) -> Option<Lines> {
    let text = text.trim();
    match text.split_once(['-', '\u{2013}', '\u{2014}']) {
        Some((first, last)) => Some(Lines::new(number(unmarked(first))?, number(unmarked(last))?)),
        None => number(unmarked(text)).map(Lines::one),
    }
}

/// `L10`, `L10-L20`, `L10-20`, `L10C3-L20C5`.
fn fragment_lines(fragment: &str) -> Option<Lines> {
    fragment.strip_prefix(['L', 'l'])?;
    let without_column = |part: &str| part.split(['C', 'c']).next().unwrap_or_default().to_owned();
    match fragment.split_once('-') {
        Some((first, last)) => range(&format!("{}-{}", without_column(first), without_column(last))),
        None => range(&without_column(fragment)),
    }
}

fn unmarked(text: &str) -> &str {
    text.trim().trim_start_matches(['L', 'l', '#'])
}

/// A line's number: no sign, not nought, and no more than any file has.
pub(super) fn number(text: &str) -> Option<u32> {
    let digits = !text.is_empty() && text.len() <= 8 && text.bytes().all(|byte| byte.is_ascii_digit());
    digits.then(|| text.parse().ok()).flatten().filter(|line| *line > 0)
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

fn looks_like_a_file(path: &str, standing: Standing, has_lines: bool) -> bool {
    let path = path.replace('\\', "/");
    let path = path.trim_end_matches('/');
    let name = path.rsplit('/').next().unwrap_or_default();
    let spaced = path.contains(char::is_whitespace);
    if name.is_empty() || name.starts_with('-') || path.starts_with("--") || (spaced && standing == Standing::Bare) {
        return false;
    }
    if !path.chars().any(char::is_alphabetic) || (is_host(path) && standing != Standing::Explicit) {
        return false;
    }
    // A number, a version or a date with dots: `v1.2`, `3.11`.
    let has_folder = path.contains('/');
    let known = is_known_name(name) || extension(name).is_some_and(is_known_extension) || is_dot_file(name);
    let extended = extension(name).is_some() || is_known_name(name) || is_dot_file(name);
    if spaced && !known {
        return false;
    }
    match (standing, has_lines) {
        (Standing::Explicit, true) => true,
        (Standing::Explicit, false) => extended || (has_folder && !spaced),
        (Standing::Bare, true) if !has_folder => known,
        (Standing::Marked, true) if !has_folder => known || extended && !is_expression(name),
        (Standing::Marked, true) => extended || path.chars().any(char::is_lowercase) && !is_route(path),
        (Standing::Bare, true) => extended || leads_outside(path),
        (Standing::Marked, false) if has_folder => known,
        (Standing::Marked, false) => known && !is_expression(name) && !is_product(name),
        (Standing::Bare, false) => has_folder && (known || leads_outside(path)) && !is_expression(name) && !is_product(name),
    }
}

/// A path that stands outside any project.
fn leads_outside(path: &str) -> bool {
    const ROOTS: [&str; 12] =
        ["/etc/", "/usr/", "/var/", "/home/", "/root/", "/proc/", "/sys/", "/dev/", "/opt/", "/tmp/", "/Users/", "~/"];
    ROOTS.iter().any(|root| path.starts_with(root)) || path.starts_with("../")
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
    first == "localhost" || (first.contains('.') && !first.starts_with('.') && TOP.contains(&top.to_lowercase().as_str()))
}

/// `/users/:id`, `/api/v1/users`: an address inside a program.
fn is_route(path: &str) -> bool {
    path.starts_with('/') && !leads_outside(path) && extension(path.rsplit('/').next().unwrap_or_default()).is_none()
}

/// The letters behind the last dot, where something stands before it.
fn extension(name: &str) -> Option<&str> {
    let (stem, extension) = name.rsplit_once('.')?;
    let plain = (1..=12).contains(&extension.len())
        && extension.starts_with(|c: char| c.is_ascii_alphabetic())
        && extension.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
    let stem_says_something = stem.chars().any(|c| c.is_alphanumeric() || matches!(c, '_' | ']' | ')'));
    (plain && stem_says_something).then_some(extension)
}

/// `.gitignore`, `.env`, `.env.local`.
fn is_dot_file(name: &str) -> bool {
    name.strip_prefix('.').is_some_and(|rest| {
        rest.len() > 1 && rest.starts_with(|c: char| c.is_ascii_lowercase()) && !rest.contains(['(', ')', ','])
    })
}

/// Code that looks like a name with an extension: `console.log`, `res.json`, `self.c`.
fn is_expression(name: &str) -> bool {
    const OBJECTS: [&str; 17] = [
        "self", "this", "console", "process", "res", "resp", "response", "req", "request", "math", "logger", "np", "os",
        "sys", "e", "i", "import",
    ];
    let Some((stem, extension)) = name.rsplit_once('.') else { return false };
    let object = stem.split('.').next().unwrap_or_default().to_lowercase();
    extension.len() == 1 && !matches!(extension, "c" | "h") || OBJECTS.contains(&object.as_str())
}

/// `Node.js`, `ASP.NET`: names of products.
fn is_product(name: &str) -> bool {
    const STEMS: [&str; 22] = [
        "node", "next", "nuxt", "vue", "react", "express", "three", "d3", "ember", "backbone", "chart", "p5", "nest",
        "alpine", "solid", "discord", "moment", "day", "asp", "socket", "angular", "electron",
    ];
    let Some((stem, extension)) = name.rsplit_once('.') else { return false };
    matches!(extension.to_lowercase().as_str(), "js" | "net" | "io") && STEMS.contains(&stem.to_lowercase().as_str())
}

/// Files that need no extension.
fn is_known_name(name: &str) -> bool {
    const NAMES: [&str; 18] = [
        "Makefile",
        "makefile",
        "Dockerfile",
        "Containerfile",
        "Justfile",
        "justfile",
        "Rakefile",
        "Gemfile",
        "Procfile",
        "Vagrantfile",
        "Jenkinsfile",
        "LICENSE",
        "NOTICE",
        "README",
        "CHANGELOG",
        "CODEOWNERS",
        "Brewfile",
        "Caddyfile",
    ];
    NAMES.contains(&name)
}

/// Extensions of what people keep in a project.
fn is_known_extension(extension: &str) -> bool {
    const KNOWN: &str = " adoc asm astro awk bash bat bazel bib bicep bzl c cc cfg cjs clj cljs cmake conf cpp cs csproj css \
        csv cts cu cxx dart diff dockerfile ejs elm env erb erl ex exs fish fs fsx gd glsl go gql gradle graphql groovy h \
        haml hbs hcl hh hpp hrl hs htm html hxx ini ipynb java jinja j2 jl js json json5 jsonc jsonl jsx kt kts less lhs \
        lisp liquid lock log lua m4 markdown md mdx mjs mk ml mli mm mod mts nim nix nu patch php pl plist pm po prisma \
        properties proto ps1 psm1 pug py pyi pyx qml rb rego rmd rs rst sass sbt scala scm scss service sh sln snap sol sql \
        sum sv svelte svg swift tex tf tfvars tmpl toml ts tsv tsx txt vb vhd vim vue wat wgsl xaml xml yaml yml zig zsh ";
    let extension = extension.to_lowercase();
    KNOWN.contains(&format!(" {extension} "))
}
