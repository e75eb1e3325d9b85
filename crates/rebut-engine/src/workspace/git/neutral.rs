//! What keeps a repository from having git run a program, or from being found where it is not.
//!
//! A repository's own settings and attributes can name programs in many places. Each is closed for every call: by settings
//! that are given with the call and go before the repository's, by variables, and by flags. Filters have no switch; those
//! that any setting defines are [turned off by name](super::Git).

use std::ffi::OsString;

/// A command of git. The list is closed, so that each has been looked at for what it could start.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum GitCommand {
    Apply,
    CatFile,
    CheckAttr,
    Config,
    Diff,
    DiffTree,
    HashObject,
    LsFiles,
    LsTree,
    MergeBase,
    RevParse,
    Show,
    Status,
}

/// Neither programs that show differences nor such that make text of files.
const PLAIN_DIFF: &[&str] = &["--no-ext-diff", "--no-textconv", "--no-color"];
/// The same, and no look into the files of submodules: git would start another git there, whose settings are others.
const PLAIN_FILES: &[&str] = &["--no-ext-diff", "--no-textconv", "--no-color", "--ignore-submodules=dirty"];

impl GitCommand {
    /// Its name, and the flags that it always has.
    pub(super) fn words(self) -> (&'static str, &'static [&'static str]) {
        match self {
            Self::Apply => ("apply", &[]),
            Self::CatFile => ("cat-file", &[]),
            Self::CheckAttr => ("check-attr", &[]),
            Self::Config => ("config", &[]),
            Self::Diff => ("diff", PLAIN_FILES),
            Self::DiffTree => ("diff-tree", PLAIN_DIFF),
            // Of a file, it would be what a filter makes of it.
            Self::HashObject => ("hash-object", &["--no-filters"]),
            Self::LsFiles => ("ls-files", &[]),
            Self::LsTree => ("ls-tree", &[]),
            Self::MergeBase => ("merge-base", &[]),
            Self::RevParse => ("rev-parse", &[]),
            Self::Show => ("show", PLAIN_DIFF),
            Self::Status => ("status", &["--ignore-submodules=dirty"]),
        }
    }

    /// Whether it looks into files of the working tree, or writes them: then git would run filters.
    pub(super) fn filters(self) -> bool {
        matches!(self, Self::Apply | Self::Diff | Self::Status)
    }
}

/// Settings that go before those of the repository and the user.
pub(super) const SETTINGS: [&str; 7] = [
    "core.fsmonitor=false",
    "core.hooksPath=/dev/null",
    "core.quotePath=false",
    // `git show` would check a signature by the program that the repository names.
    "log.showSignature=false",
    // Both change what differences look like; there are no flags for them.
    "diff.suppressBlankEmpty=false",
    "apply.ignoreWhitespace=no",
    // An abbreviated hash means a commit.
    "core.disambiguate=committish",
];

/// Variables of this process that git sees: where it finds itself and the user's settings, and the settings that are
/// gives by variables. Those that name a repository, or a program, are not among them.
pub(super) const INHERITED: [&str; 16] = [
    "PATH",
    "HOME",
    "XDG_CONFIG_HOME",
    "TMPDIR",
    // Whose repositories are trusted, under sudo.
    "SUDO_UID",
    "LD_LIBRARY_PATH",
    "DEVELOPER_DIR",
    "USERPROFILE",
    "SYSTEMROOT",
    "GIT_CEILING_DIRECTORIES",
    "GIT_DISCOVERY_ACROSS_FILESYSTEM",
    "GIT_CONFIG_COUNT",
    "GIT_CONFIG_KEY_*",
    "GIT_CONFIG_VALUE_*",
    "GIT_CONFIG_NOSYSTEM",
    "GIT_CONFIG_GLOBAL",
];

/// Variables that every git has.
pub(super) const VARIABLES: [(&str, &str); 8] = [
    // Else a list of commits is written one by one: a thousand system calls.
    ("GIT_FLUSH", "0"),
    ("GIT_OPTIONAL_LOCKS", "0"),
    ("GIT_NO_LAZY_FETCH", "1"),
    // For a git that does not know the variable above: no transport is allowed at all.
    ("GIT_ALLOW_PROTOCOL", "none"),
    ("GIT_TERMINAL_PROMPT", "0"),
    ("LC_ALL", "C"),
    ("REBUT_EMPTY", ""),
    ("REBUT_FALSE", "false"),
];

/// Settings that turn a filter off, with the variables that hold their values.
const OFF: [(&str, &str, &str); 4] = [
    ("clean", "", "REBUT_EMPTY"),
    ("smudge", "", "REBUT_EMPTY"),
    ("process", "", "REBUT_EMPTY"),
    ("required", "false", "REBUT_FALSE"),
];

/// How git is asked for the settings of filters, by name.
pub(super) const FILTER_KEYS: [&str; 4] =
    ["-z", "--name-only", "--get-regexp", "^filter\\..*\\.(clean|smudge|process|required)$"];

/// The names of filters in what git answers to that.
pub(super) fn filters_in(answer: &[u8]) -> Vec<Vec<u8>> {
    let keys = answer.split(|byte| *byte == 0).filter_map(|key| key.strip_prefix(b"filter."));
    let mut names: Vec<Vec<u8>> =
        keys.filter_map(|key| key.iter().rposition(|byte| *byte == b'.').map(|dot| key[..dot].to_vec())).collect();
    names.sort();
    names.dedup();
    names
}

/// Flags for git that turn these filters off.
pub(super) fn without_filters(names: &[Vec<u8>]) -> Vec<OsString> {
    let mut flags = Vec::new();
    for name in names {
        for (key, value, variable) in OFF {
            let setting = [b"filter.", &name[..], b".", key.as_bytes(), b"="].concat();
            if name.contains(&b'=') {
                // With `-c`, the name would end at its first equals sign. A git that does not know this flag ends with it.
                flags.push(words(&[b"--config-env=", &setting, variable.as_bytes()]));
            } else {
                flags.extend(["-c".into(), words(&[&setting, value.as_bytes()])]);
            }
        }
    }
    flags
}

fn words(parts: &[&[u8]]) -> OsString {
    super::as_path(&parts.concat()).into_os_string()
}
