//! Which language a block of code is said to be in, and whether a file can have it.

/// Languages by the words that head their blocks, which are their files' endings as well. What is written for one is often
/// headed by another of the same row.
#[rustfmt::skip]
const LANGUAGES: [&[&str]; 16] = [
    &["rust", "rs"],
    &["go", "golang"],
    &["python", "py", "pyi", "python3"],
    &["javascript", "typescript", "js", "ts", "jsx", "tsx", "mjs", "cjs", "mts", "cts", "vue", "svelte"],
    &["c", "h", "cpp", "c++", "cc", "cxx", "hpp", "hh", "m", "mm", "objc"],
    &["java", "kotlin", "kt", "kts", "scala", "groovy", "gradle"],
    &["csharp", "cs", "c#", "fsharp", "fs"],
    &["ruby", "rb"],
    &["php"],
    &["swift"],
    &["elixir", "ex", "exs"],
    &["sql"],
    &["json", "jsonc", "json5"],
    &["toml"],
    &["css", "scss", "less"],
    &["sh", "bash", "shell", "zsh", "fish", "console", "terminal", "shell-session", "powershell", "ps1", "bat", "http"],
];

/// Whether a block that is headed so cannot be what stands in a file: both have a language, and not the same. A block without
/// one, and a file whose language may hold any other, can be each other's.
pub(super) fn is_of_another(heading: &str, path: &str) -> bool {
    let label = heading.split([' ', ',', '{']).next().unwrap_or_default();
    let ending = path.rsplit(['/', '\\']).next().and_then(|name| name.rsplit_once('.')).map_or("", |(_, ending)| ending);
    let of = |word: &str| LANGUAGES.iter().position(|names| names.iter().any(|name| name.eq_ignore_ascii_case(word)));
    matches!((of(label), of(ending)), (Some(block), Some(file)) if block != file)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_block_in_another_language_is_told_by_its_heading() {
        for (heading, path) in [("sh", "src/a.rs"), ("console", "a/b.c"), ("sql", "db.go"), ("rust ignore", "web/a.tsx")] {
            assert!(is_of_another(heading, path), "{heading} {path}");
        }
        for (heading, path) in [
            ("rust", "src/a.rs"),
            ("", "src/a.rs"),
            ("text", "src/a.rs"),
            ("js", "web/a.tsx"),
            ("bash", "ci.yml"),
            ("sh", "Makefile"),
            ("Rust,ignore", "src/a.rs"),
            ("json", "README.md"),
        ] {
            assert!(!is_of_another(heading, path), "{heading} {path}");
        }
    }
}
