//! Names that are those of files, and names that only look so.

/// The letters behind the last dot, where something stands before it.
pub(super) fn extension(name: &str) -> Option<&str> {
    let (stem, extension) = name.rsplit_once('.')?;
    let plain = (1..=12).contains(&extension.len())
        && extension.starts_with(|c: char| c.is_ascii_alphabetic())
        && extension.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
    let stem_says_something = stem.chars().any(|c| c.is_alphanumeric() || matches!(c, '_' | ']' | ')'));
    (plain && stem_says_something).then_some(extension)
}

/// `.gitignore`, `.env`, `.env.local`.
pub(super) fn is_dot_file(name: &str) -> bool {
    name.strip_prefix('.').is_some_and(|rest| {
        rest.len() > 1 && rest.starts_with(|c: char| c.is_ascii_lowercase()) && !rest.contains(['(', ')', ','])
    })
}

/// Code that looks like a name with an extension: `console.log`, `res.json`, `self.c`, `user.name`, `a.b.c`.
pub(super) fn is_expression(name: &str) -> bool {
    const OBJECTS: [&str; 20] = [
        "self", "this", "console", "process", "res", "resp", "response", "req", "request", "math", "logger", "np", "os",
        "sys", "e", "i", "import", "window", "document", "event",
    ];
    const PROPERTIES: [&str; 12] =
        ["name", "value", "href", "id", "length", "size", "type", "key", "data", "target", "state", "count"];
    let Some((stem, extension)) = name.rsplit_once('.') else { return false };
    let object = stem.split('.').next().unwrap_or_default();
    let one_letter = extension.len() == 1;
    one_letter && (!matches!(extension, "c" | "h") || stem.split('.').all(|part| part.len() == 1))
        || OBJECTS.iter().any(|known| known.eq_ignore_ascii_case(object))
        || PROPERTIES.contains(&extension)
}

/// `Node.js`, `ASP.NET`: names of products.
pub(super) fn is_product(name: &str) -> bool {
    const STEMS: [&str; 22] = [
        "node", "next", "nuxt", "vue", "react", "express", "three", "d3", "ember", "backbone", "chart", "p5", "nest",
        "alpine", "solid", "discord", "moment", "day", "asp", "socket", "angular", "electron",
    ];
    let Some((stem, extension)) = name.rsplit_once('.') else { return false };
    ["js", "net", "io"].iter().any(|known| known.eq_ignore_ascii_case(extension))
        && STEMS.iter().any(|known| known.eq_ignore_ascii_case(stem))
}

/// `Fastify.js`, said in passing: libraries of this kind are written like names, and files of this kind seldom are.
pub(super) fn is_written_like_a_product(name: &str) -> bool {
    extension(name) == Some("js") && name.starts_with(char::is_uppercase)
}

/// `path/to/file.ext`, `$HOME/x.sh`: stands for a path and is none.
pub(super) fn is_placeholder(path: &str) -> bool {
    let variable = path.strip_prefix('$').is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_uppercase()));
    let mut bare = path.trim_start_matches('/');
    while let Some(rest) = bare.strip_prefix("../").or_else(|| bare.strip_prefix("./")) {
        bare = rest;
    }
    variable || bare.starts_with("path/to/") || extension(path) == Some("ext")
}

/// Papers of a project that are spoken of by these names, whatever their extension: `the README`.
pub(super) fn is_paper(name: &str) -> bool {
    matches!(name, "README" | "CHANGELOG" | "LICENSE" | "NOTICE")
}

/// Files that need no extension.
pub(super) fn is_known_name(name: &str) -> bool {
    #[rustfmt::skip]
    const NAMES: [&str; 18] = [
        "Makefile", "makefile", "Dockerfile", "Containerfile", "Justfile", "justfile", "Rakefile", "Gemfile",
        "Procfile", "Vagrantfile", "Jenkinsfile", "LICENSE", "NOTICE", "README", "CHANGELOG", "CODEOWNERS", "Brewfile",
        "Caddyfile",
    ];
    NAMES.contains(&name)
}

/// Folders in which projects keep files without an extension.
pub(super) fn is_known_folder(folder: &str) -> bool {
    ["bin", "src", "lib", "docs", "doc", "scripts", "script", "test", "tests", "tools", "config", "etc", "hooks"]
        .contains(&folder)
}

/// Extensions of what people keep in a project.
pub(super) fn is_known_extension(extension: &str) -> bool {
    #[rustfmt::skip]
    const KNOWN: [&str; 192] = [
        "adoc", "asm", "astro", "avro", "awk", "bash", "bat", "bazel", "bib", "bicep", "bin", "bz2", "bzl", "c", "cc",
        "cfg", "cjs", "clj", "cljs", "cmake", "conf", "cpp", "crt", "cs", "csproj", "css", "csv", "cts", "cu", "cxx",
        "dart", "dat", "diff", "doc", "dockerfile", "docx", "ejs", "elm", "env", "erb", "erl", "ex", "exe", "exs",
        "fish", "fs", "fsx", "gd", "gif", "glsl", "go", "gql", "gradle", "graphql", "groovy", "gz", "h", "haml",
        "hbs", "hcl", "hh", "hpp", "hrl", "hs", "htm", "html", "hxx", "ico", "ini", "ipynb", "j2", "jar", "java",
        "jinja", "jl", "jpeg", "jpg", "js", "json", "json5", "jsonc", "jsonl", "jsx", "kt", "kts", "less", "lhs",
        "liquid", "lisp", "lock", "log", "lua", "m4", "markdown", "md", "mdx", "mjs", "mk", "ml", "mli", "mm", "mod",
        "mp3", "mp4", "mts", "nim", "nix", "npy", "npz", "nu", "odp", "ods", "odt", "onnx", "parquet", "patch", "pdf",
        "pem", "php", "pkl", "pl", "plist", "pm", "png", "po", "ppt", "pptx", "prisma", "properties", "proto", "ps1",
        "psm1", "pug", "py", "pyi", "pyx", "qml", "rb", "rego", "rmd", "rs", "rst", "rtf", "sass", "sbt", "scala",
        "scm", "scss", "service", "sh", "sln", "snap", "sol", "sql", "sqlite", "sum", "sv", "svelte", "svg", "swift",
        "tar", "tex", "tf", "tfvars", "tgz", "tmpl", "toml", "ts", "tsv", "tsx", "ttf", "txt", "vb", "vhd", "vim",
        "vue", "wasm", "wat", "webp", "wgsl", "woff", "woff2", "xaml", "xls", "xlsx", "xml", "xz", "yaml", "yml",
        "zig", "zip", "zsh",
    ];
    // No known one is longer, and small letters need no memory of their own.
    let mut small = [0_u8; 12];
    let Some(small) = small.get_mut(..extension.len()) else { return false };
    small.copy_from_slice(extension.as_bytes());
    small.make_ascii_lowercase();
    KNOWN.binary_search_by(|known| known.as_bytes().cmp(small)).is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_known_extension_is_found() {
        for extension in ["adoc", "c", "RS", "Json5", "zsh", "woff2", "j2", "dockerfile"] {
            assert!(is_known_extension(extension), "{extension}");
        }
        for other in ["", "name", "verylongextension", "größe", "ext"] {
            assert!(!is_known_extension(other), "{other}");
        }
    }
}
