//! Whole debates of every format: a workspace to argue about, and a command line with a seat for each role.
//!
//! The answers come from the stand-in provider, through services or through the real tools.

use std::path::Path;

use serde_json::json;

use crate::provider::Provider;
use crate::{git, write};

#[derive(Debug)]
pub struct WholeDebate {
    pub format: &'static str,
    pub about: &'static str,
    arguments: &'static [&'static str],
    /// The flag of each seat. Seats with the same flag are joined by commas; a seat without one goes into the lineup.
    flags: &'static [&'static str],
    /// The exit code: a review that leaves findings open is not complete.
    pub exit: i32,
    known: &'static [(&'static str, &'static str)],
}

/// Every format; a review in each way that an author or critic can be asked to write.
#[rustfmt::skip]
pub const WHOLE_DEBATES: [WholeDebate; 7] = [
    whole("duel", "three rounds, the first of them summed up", &["duel", QUESTION, "--rounds", "3"],
        &["--proposer", "--challenger", "--judge"], 0, &[]),
    whole("review", "of code, with a compromise", &["review", "--scope", "uncommitted", "--max-rounds", "1"], REVIEWERS, 0,
        &[("file", "src/pool.rs"), ("lines", "3"), ("concrete", "false"), ("diff", PATCH)]),
    whole("review", "of a text, with the critic's version", &["review", "--artifact-file", "plan.md", "--max-rounds", "1"],
        REVIEWERS, 0, &[("file", "plan.md"), ("lines", "3")]),
    whole("review", "of a text, with a rebuttal", &["review", "--artifact-file", "plan.md", "--max-rounds", "2"],
        REVIEWERS, 3, &[("file", "plan.md"), ("lines", "3"), ("ruling", "needs_evidence")]),
    whole("ask", "two partners", &["ask", QUESTION], PARTNERS, 0, &[]),
    whole("cross", "two partners, one round of critique", &["cross", QUESTION], PARTNERS, 0, &[]),
    whole("panel", "two debaters, a round",
        &["panel", QUESTION, "--debaters", "lineup.json", "--min-rounds", "1", "--max-rounds", "2"],
        &["--chair", "--verifier", "--audience", "--reporter", "--assessor", "", ""], 0,
        &[("file", "src/pool.rs"), ("lines", "3"), ("content", "The pool waits 30 seconds for a connection."), ("value", "30")]),
];

const fn whole(
    format: &'static str,
    about: &'static str,
    arguments: &'static [&'static str],
    flags: &'static [&'static str],
    exit: i32,
    known: &'static [(&'static str, &'static str)],
) -> WholeDebate {
    WholeDebate { format, about, arguments, flags, exit, known }
}

const QUESTION: &str = "How should we size our connection pool?";
const REVIEWERS: &[&str] = &["--critic", "--judge", "--author"];
const PARTNERS: &[&str] = &["--partners", "--partners", "--moderator"];
pub const DEBATERS: [&str; 2] = ["anna", "ben"];

/// The workspace's file before the change, after it, and after the patch of the model.
const BEFORE: &str = "fn acquire(pool: &Pool) -> Conn {\n    let guard = pool.lock();\n    pool.wait(30)\n}\n";
const AFTER: &str =
    "fn acquire(pool: &Pool) -> Conn {\n    let guard = pool.lock();\n    drop(guard);\n    pool.wait(30)\n}\n";
const PATCH: &str = "--- a/src/pool.rs\n+++ b/src/pool.rs\n@@ -1,5 +1,4 @@\n fn acquire(pool: &Pool) -> Conn {\n     let guard = \
                     pool.lock();\n-    drop(guard);\n     pool.wait(30)\n }";

impl WholeDebate {
    pub fn prepare(&self, workspace: &Path, seats: &[String], provider: &Provider) {
        let write = |name: &str, content: &str| write(&workspace.join(name), content);
        write("plan.md", "# Plan\n\nWe replace the pool in one step, and measure it afterwards.\n");
        write("src/pool.rs", BEFORE);
        let debater = |(name, model): (&&str, &String)| {
            json!({ "name": name, "persona": format!("{name} runs the service."), "starting_position": "It depends on load.",
                "incentives": "Quiet nights.", "model": model })
        };
        let lineup: Vec<_> = DEBATERS.iter().zip(seats.iter().skip(5)).map(debater).collect();
        write("lineup.json", &json!({ "debaters": lineup }).to_string());
        for arguments in [&["init", "--quiet"][..], &["add", "."], &["commit", "--quiet", "--message", "The pool"]] {
            git(workspace, arguments);
        }
        write("src/pool.rs", AFTER);
        for (name, value) in self.known {
            provider.know(name, value);
        }
    }

    /// How many seats it has.
    pub fn seats(&self) -> usize {
        self.flags.len()
    }

    /// The command line with these seats; it prints JSON lines.
    pub fn arguments(&self, seats: &[String]) -> Vec<String> {
        let mut by_flag: Vec<(&str, Vec<&str>)> = Vec::new();
        for (flag, seat) in self.flags.iter().zip(seats).filter(|(flag, _)| !flag.is_empty()) {
            match by_flag.iter_mut().find(|(known, _)| known == flag) {
                Some((_, seats)) => seats.push(seat),
                None => by_flag.push((flag, vec![seat])),
            }
        }
        let seats = by_flag.into_iter().flat_map(|(flag, seats)| [flag.to_owned(), seats.join(",")]);
        self.arguments.iter().map(|word| (*word).to_owned()).chain(seats).chain(["--json".to_owned()]).collect()
    }
}
