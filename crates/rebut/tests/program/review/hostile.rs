//! Repositories that are out to have a program run: whatever their `.git/config`, hooks and attributes name, nothing of it
//! is started, by no command of rebut's.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use rebut_fakes::{Script, ScriptLine, TestEnv};

use super::{
    PATCH, arguments, cast, commit, critique, early_drop, git, git_in, judgement, planned, repository, review, seats,
};

/// A repository in which every place that git takes a program from names one that leaves a trace.
struct Hostile {
    env: TestEnv,
}

impl Hostile {
    fn new(script: &Script) -> Self {
        let hostile = Self { env: repository(script) };
        fs::create_dir(hostile.traces()).unwrap();
        let env = &hostile.env;
        let library = env.root().join("library");
        fs::create_dir(&library).unwrap();
        git_in(env, &library, &["init", "--quiet"]);
        for text in ["fn one() {}\n", "fn two() {}\n"] {
            fs::write(library.join("lib.rs"), text).unwrap();
            git_in(env, &library, &["add", "."]);
            git_in(env, &library, &["commit", "--quiet", "--message", "Limit retries"]);
            sign(env, &library);
        }
        let pool = fs::read(env.workspace().join("src/pool.rs")).unwrap();
        env.write("src/pool.rs", super::BEFORE);
        git(env, &["submodule", "--quiet", "add", library.to_str().unwrap(), "vendor"]);
        let vendor = env.workspace().join("vendor");
        git_in(env, &vendor, &["checkout", "--quiet", "HEAD~1"]);
        for kind in KINDS {
            env.write(format!("data.{kind}"), "before\n");
        }
        commit(env, "with data");
        git(env, &["commit", "--quiet", "--allow-empty", "--message", "signed"]);
        sign(env, &env.workspace());
        git(env, &["update-ref", "refs/heads/old", "HEAD~1"]);

        // From here on git is dangerous.
        git_in(env, &vendor, &["checkout", "--quiet", "-"]);
        hostile.arm(&env.workspace().join(".git"), "");
        hostile.arm(&env.workspace().join(".git/modules/vendor"), "submodule-");
        env.write("src/pool.rs", pool);
        env.write(".gitattributes", attributes(""));
        // As long as before, so that git has to look into it, which is when a filter runs.
        fs::write(vendor.join("lib.rs"), "fn six() {}\n").unwrap();
        for kind in KINDS {
            env.write(format!("data.{kind}"), "after\n");
            env.write(format!("new.{kind}"), "new\n");
        }
        cast(env, script);
        hostile
    }

    fn traces(&self) -> PathBuf {
        self.env.root().join("traces")
    }

    /// A program that leaves a trace under this name, and hands through what it reads.
    fn program(&self, name: &str) -> String {
        self.program_that(name, "exec /bin/cat")
    }

    /// A program that leaves a trace under this name, and then does this.
    fn program_that(&self, name: &str, then: &str) -> String {
        let path = self.env.root().join(format!("program-{name}"));
        let trace = self.traces().join(name);
        fs::write(&path, format!("#!/bin/sh\n: > {}\n{then}\n", trace.display())).unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
        path.display().to_string()
    }

    /// Has a git folder name a program wherever git takes one from; each trace begins so.
    fn arm(&self, folder: &Path, prefix: &str) {
        let program = |name: &str| self.program(&format!("{prefix}{name}"));
        let hooks = folder.join("hooks");
        fs::create_dir_all(&hooks).unwrap();
        for hook in ["post-index-change", "post-checkout", "reference-transaction", "pre-commit", "applypatch-msg"] {
            fs::copy(program(&format!("hook-{hook}")), hooks.join(hook)).unwrap();
        }
        fs::write(folder.join("info/attributes"), attributes(prefix)).unwrap();
        fs::write(folder.join("included"), format!("[filter \"included\"]\n\tclean = {}\n", program("included"))).unwrap();
        fs::write(folder.join("config.worktree"), format!("[filter \"tree\"]\n\tclean = {}\n", program("tree"))).unwrap();
        let before = fs::read_to_string(folder.join("config")).unwrap();
        let mut config = vec![before, OTHER_SETTINGS.to_owned()];
        for (section, key) in [
            ("core", "fsmonitor"),
            ("core", "pager"),
            ("core", "editor"),
            ("core", "sshCommand"),
            ("core", "askPass"),
            ("core", "gitProxy"),
            ("core", "alternateRefsCommand"),
            ("diff", "external"),
            ("diff \"evil\"", "textconv"),
            ("diff \"evil\"", "command"),
            ("filter \"evil\"", "clean"),
            ("filter \"evil\"", "smudge"),
            ("filter \"long\"", "process"),
            ("filter \"a=b\"", "clean"),
            ("filter \"\"", "clean"),
            ("filter \"dot.ted\"", "clean"),
            ("gpg", "program"),
            ("gpg \"ssh\"", "program"),
            ("gpg \"ssh\"", "defaultKeyCommand"),
            ("credential", "helper"),
            ("interactive", "diffFilter"),
            ("merge \"evil\"", "driver"),
            ("pager", "diff"),
            ("pager", "log"),
            ("alias", "diff"),
            ("alias", "rev-parse"),
        ] {
            let name: String = format!("{section}-{key}").chars().filter(|c| c.is_alphanumeric() || *c == '-').collect();
            let shell = if section == "alias" { "!" } else { "" };
            config.push(format!("[{section}]\n\t{key} = \"{shell}{}\"\n", program(&name)));
        }
        // A submodule may have a filter that the repository around it does not know.
        config.push(format!("[filter \"{prefix}own\"]\n\tclean = {}\n", program("own")));
        let remote = self.program_that(&format!("{prefix}remote"), "exit 1");
        config.push(format!("[remote \"origin\"]\n\tpromisor = true\n\turl = ext::{remote}\n\tuploadpack = {remote}\n"));
        config.push(format!("[hook \"evil\"]\n\tevent = post-index-change\n\tcommand = {}\n", program("hook-by-config")));
        fs::write(folder.join("config"), config.concat()).unwrap();
    }

    /// What was started so far.
    fn started(&self) -> Vec<String> {
        let names = fs::read_dir(self.traces()).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap());
        let mut names: Vec<String> = names.collect();
        names.sort();
        names
    }

    #[track_caller]
    fn started_nothing(&self, by: &str) {
        assert_eq!(self.started(), Vec::<String>::new(), "started by {by}");
    }
}

/// Settings that name no program, and have others run.
const OTHER_SETTINGS: &str = "\
[extensions]
\tworktreeConfig = true
[log]
\tshowSignature = true
[include]
\tpath = included
[protocol \"ext\"]
\tallow = always
[filter \"evil\"]
\trequired = true
";

/// Kinds of files, each with a filter of its own.
const KINDS: [&str; 7] = ["evil", "long", "odd", "none", "dot", "inc", "tree"];

/// Attributes that give every kind its filter, and source files one that only the git folder with this prefix defines.
fn attributes(prefix: &str) -> String {
    let filters = ["evil", "long", "a=b", "", "dot.ted", "included", "tree"];
    let lines = KINDS.iter().zip(filters).map(|(kind, filter)| format!("*.{kind} filter={filter} diff=evil\n"));
    format!("*.rs filter={prefix}own diff=evil merge=evil\n{}", lines.collect::<Vec<_>>().concat())
}

/// Gives the newest commit a signature that nobody has made: whoever wants to see it checked starts a program.
fn sign(env: &TestEnv, folder: &Path) {
    let plain = git_in(env, folder, &["cat-file", "commit", "HEAD"]);
    let (head, message) = plain.split_once("\n\n").unwrap();
    let mark = "PGP SIGNATURE";
    let signature = format!("gpgsig -----BEGIN {mark}-----\n \n none\n -----END {mark}-----");
    let file = env.root().join("signed");
    fs::write(&file, format!("{head}\n{signature}\n\n{message}")).unwrap();
    let signed = git_in(env, folder, &["hash-object", "-t", "commit", "-w", file.to_str().unwrap()]);
    git_in(env, folder, &["update-ref", "HEAD", signed.trim()]);
}

fn revising() -> Script {
    seats()
        .call("round-1/critique", critique(&[early_drop("P1")], "revise"))
        .call("round-1/judgement", judgement(&[("F1", "valid", "P1")], &[]))
        .call("round-1/rewrite", ScriptLine::text(PATCH))
}

#[test]
fn git_itself_would_start_what_the_repository_names() {
    let hostile = Hostile::new(&seats());
    for ask in [&["diff", "HEAD"][..], &["status"], &["log", "-p"], &["checkout", "--quiet", "."]] {
        let _ = git(&hostile.env, ask);
    }
    let started = hostile.started();
    for name in [
        "core-fsmonitor",
        "diffevil-command",
        "filterevil-clean",
        "filterevil-smudge",
        "filterlong-process",
        "filterab-clean",
        "filter-clean",
        "filterdotted-clean",
        "included",
        "tree",
        "gpg-program",
        "own",
        "submodule-own",
        "submodule-core-fsmonitor",
        "hook-post-index-change",
    ] {
        assert!(started.iter().any(|trace| trace == name), "{name} is not among {started:?}");
    }
}

#[test]
fn a_review_of_any_scope_starts_nothing_that_the_repository_names() {
    let hostile = Hostile::new(&seats());
    let plan = planned(&hostile.env, &["--scope", "uncommitted"]);
    hostile.started_nothing("uncommitted");
    for kind in KINDS {
        assert!(plan.files().contains(&format!("data.{kind}").as_str()), "{:?}", plan.files());
        assert!(plan.files().contains(&format!("new.{kind}").as_str()), "{:?}", plan.files());
    }
    assert!(plan.notes().contains("the submodule vendor moves from"), "{}", plan.notes());
    for scope in ["commit:HEAD~1", "base:old~1", "range:HEAD~2..HEAD", "file:src/pool.rs"] {
        let _ = planned(&hostile.env, &["--scope", scope]);
        hostile.started_nothing(scope);
    }
    let diff = planned(&hostile.env, &["--scope", "commit:HEAD~1"]).artifact().to_owned();
    let _ = hostile.env.rebut_reading(diff.as_bytes(), arguments(&["-", "--dry-run"])).exits(0);
    hostile.started_nothing("a diff on standard input");
}

#[test]
fn a_review_that_revises_and_applies_starts_nothing_that_the_repository_names() {
    let hostile = Hostile::new(&revising());
    let run = review(&hostile.env, &["--intensity", "quick", "--scope", "uncommitted", "--apply"]).exits(0);
    let _ = run.says("written to the working tree (not staged): src/pool.rs");
    hostile.started_nothing("a review with --apply");
}

#[test]
fn a_duel_about_commits_starts_nothing_that_the_repository_names() {
    let hostile = Hostile::new(&seats());
    let env = &hostile.env;
    // By plumbing, which starts nothing.
    let head = git(env, &["rev-parse", "HEAD"]);
    let head = &head[..12];
    let opening = format!(
        "It holds.\n\n--- claims\n\
         claim: it was signed\nevidence: commit {head} \"signed\"\n\
         claim: it is there\nevidence: {head}:data.evil:1 \"before\"\n\
         claim: it was touched\nevidence: commit HEAD~1 data.evil\n"
    );
    env.rewrite(&Script::duel(1).instead("round-1/proposer", [ScriptLine::text(opening)]));
    hostile.started_nothing("the test itself");
    let run = env.duel(&["--rounds", "1", "--context", "diff"]).exits(0);
    let _ = run.shows(&format!("✔ commit {head}"));
    hostile.started_nothing("a duel");
    env.write("answer.md", format!("See commit {head}, which says \"signed\", and `git show {head}`.\n"));
    let _ = env.rebut(["verify", "answer.md"]).exits(0);
    hostile.started_nothing("verify");
}

#[test]
fn an_object_that_is_missing_is_not_fetched() {
    let hostile = Hostile::new(&seats());
    let env = &hostile.env;
    let object = git(env, &["rev-parse", "HEAD:data.evil"]);
    let (folder, rest) = object.trim().split_at(2);
    fs::remove_file(env.workspace().join(format!(".git/objects/{folder}/{rest}"))).unwrap();
    for scope in ["uncommitted", "commit:HEAD~1"] {
        let _ = review(env, &["--scope", scope, "--dry-run"]).exits(2).says("git says:");
        hostile.started_nothing(scope);
    }
    let mut plain = std::process::Command::new("git");
    let _ = plain.args(["show", "HEAD:data.evil"]).current_dir(env.workspace()).output().unwrap();
    assert_eq!(hostile.started(), ["remote"], "git itself would fetch it");
}
