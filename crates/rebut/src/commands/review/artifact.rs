//! What a review is about: found, read, and classified as code, proposal or both.

use std::path::{Path, PathBuf};

use rebut_core::diff::Diff;
use rebut_core::formats::review::{Artifact, Confidence, Form, Target, detect, ending_of, first_language, is_code, split};
use rebut_core::formats::wording;
use rebut_engine::checks::Snapshot;
use rebut_engine::config::ProjectFiles;
use rebut_engine::workspace::{
    Base, Collected, DiffState, ReviewScope, ScopeError, collect, diff_state, plain, project_files, read_given, staged, stat,
};

use super::Review;
use crate::app::App;
use crate::cli::joined;
use crate::error::CommandError;
use crate::flags::read_stdin;

const MOST_BYTES: u64 = 16 * 1024 * 1024;

/// The branches that others start from, in the order they are looked for.
const DEFAULT_BRANCHES: [&str; 4] = ["main", "master", "origin/main", "origin/master"];

/// What is reviewed, and what its evidence is checked against.
pub(super) struct Found {
    pub(super) artifact: Artifact,
    pub(super) target: Target,
    pub(super) confidence: Confidence,
    pub(super) scope: String,
    pub(super) topic: String,
    pub(super) snapshot: Snapshot,
    /// Which version of the project's settings counts.
    pub(super) project: ProjectFiles,
    pub(super) notes: Vec<String>,
}

enum Pointer {
    Text(String),
    File(PathBuf),
    Scope(ReviewScope),
}

impl Review {
    /// The artifact: what was given, else the uncommitted changes.
    pub(super) fn find_artifact(&self, app: &App) -> Result<Found, CommandError> {
        let wanted = match self.target.as_str() {
            "auto" => None,
            text => Some(text.parse::<Target>().map_err(CommandError::usage)?),
        };
        let pointer = self.pointer(app)?;
        if let (Some(Pointer::Scope(_)), Some(target)) = (&pointer, wanted)
            && target != Target::Code
        {
            return Err(CommandError::usage(format!("--target {} can't be used for code from git", target.as_str()))
                .hint("leave out --target"));
        }
        match pointer {
            Some(Pointer::Text(text)) if text == "-" => of_text(app, text_on_stdin(app)?, "stdin".to_owned(), wanted, None),
            Some(Pointer::Text(text)) => of_text(app, text, "text".to_owned(), wanted, None),
            Some(Pointer::File(path)) => of_file(app, &path, wanted),
            Some(Pointer::Scope(scope)) => of_scope(app, &scope, Confidence::High),
            None if wanted == Some(Target::Proposal) => {
                Err(CommandError::usage("no proposal to review").hint("give a file, a text, or `-` for standard input"))
            }
            None => {
                let mut found = of_scope(app, &ReviewScope::Uncommitted, Confidence::Medium)?;
                if wanted == Some(Target::Mixed) {
                    found.notes.push(alone_in_it("proposal", Target::Code));
                }
                Ok(found)
            }
        }
    }

    fn pointer(&self, app: &App) -> Result<Option<Pointer>, CommandError> {
        if let Some(text) = &self.artifact {
            return Ok(Some(Pointer::Text(text.clone())));
        }
        if let Some(path) = &self.artifact_file {
            return Ok(Some(Pointer::File(path.clone())));
        }
        if let Some(scope) = &self.scope {
            let scope = scope.parse().map_err(|error: ScopeError| CommandError::usage(error.to_string()))?;
            return Ok(Some(Pointer::Scope(scope)));
        }
        if self.content.is_empty() {
            return Ok(None);
        }
        let text = joined(&self.content)?;
        if wording::read(&text, Some("review"), &[]).command == Some("review") {
            return Ok(None);
        }
        resolve(text, &app.place.folder).map(Some)
    }
}

/// A file, a revision or a range, else a text. A single word that is none of them is a typo.
fn resolve(text: String, folder: &Path) -> Result<Pointer, CommandError> {
    if text.trim().is_empty() {
        return Ok(Pointer::Text(text));
    }
    let path = folder.join(&text);
    if !text.contains('\n') && path.exists() {
        let is_source = path.extension().is_some_and(|ending| is_code(&ending.to_string_lossy().to_lowercase()));
        return Ok(if is_source { Pointer::Scope(ReviewScope::File(text.into())) } else { Pointer::File(text.into()) });
    }
    if text == "-" || text.contains(char::is_whitespace) || !text.is_ascii() {
        return Ok(Pointer::Text(text));
    }
    let scope = if text.contains("..") { format!("range:{text}") } else { format!("commit:{text}") };
    let scope = scope.parse().map_err(|_| CommandError::usage(format!("no such file or revision: {text}")))?;
    Ok(Pointer::Scope(scope))
}

/// The text of a file. One with the ending of code is code.
fn of_file(app: &App, path: &Path, wanted: Option<Target>) -> Result<Found, CommandError> {
    let (text, is_utf8) = read_file(&plain(&app.place.folder.join(path)))?;
    let ending = path.extension().map(|ending| ending.to_string_lossy().to_lowercase());
    let code = ending.filter(|ending| is_code(ending));
    let mut found = of_text(app, text, format!("artifact-file:{}", path.display()), wanted, code.as_deref())?;
    if !is_utf8 {
        found.notes.push(format!("{} is not UTF-8; invalid bytes are replaced", path.display()));
    }
    Ok(found)
}

/// Code from git. The confidence is high where the user named the scope.
fn of_scope(app: &App, scope: &ReviewScope, confidence: Confidence) -> Result<Found, CommandError> {
    let own = rebut_engine::session::OwnFiles::of(&app.state);
    let collect =
        |scope: &ReviewScope| collect(scope, &app.place.folder, &app.place.workspace, MOST_BYTES, &|path| own.holds(path));
    let collected = match collect(scope) {
        Ok(collected) => collected,
        Err(ScopeError::Nothing(_))
            if *scope == ReviewScope::Uncommitted
                && let Ok(diff) = staged(&app.place.workspace, MOST_BYTES)
                && !diff.trim().is_empty() =>
        {
            let notes = vec!["reviewing the staged change, which is no longer in the working tree".to_owned()];
            return of_diff(app, &diff, "uncommitted".to_owned(), Confidence::Medium, Base::Head, notes);
        }
        Err(error @ ScopeError::Nothing(_)) if confidence == Confidence::High => {
            return Err(CommandError::nothing(error.to_string()));
        }
        Err(error @ ScopeError::Nothing(_)) => {
            let branch = DEFAULT_BRANCHES.into_iter().find_map(|branch| {
                let base = ReviewScope::Base(branch.to_owned());
                collect(&base).ok().map(|collected| (branch, collected))
            });
            let Some((branch, collected)) = branch else { return Err(scope_error(&error)) };
            let question = format!("No uncommitted changes. Review this branch since {branch}?");
            if !app.screen.confirm_unless_no(&question, BRANCH_HELP) {
                let hint = format!("review this branch with: rebut review --scope base:{branch}");
                return Err(CommandError::usage(error.to_string()).hint(hint));
            }
            collected
        }
        Err(error) => return Err(scope_error(&error)),
    };
    let Collected { scope, diff, is_diff, stat, reviewed, base, mut notes } = collected;
    let home = app.home.as_deref();
    let limits = (&app.layers.settings().evidence).into();
    let snapshot = Snapshot::of_review(&reviewed, &app.place.workspace, home, limits, &|path| own.holds(path));
    let form = match &scope {
        ReviewScope::File(path) if !is_diff => Form::File { path: path.display().to_string() },
        _ => Form::Change,
    };
    let topic = match &form {
        Form::File { path } => format!("the file {path}"),
        _ => change_topic(&diff, &scope.to_string()),
    };
    let artifact = Artifact::new(diff, form, stat);
    let base = base.as_deref().map_or(Base::Head, Base::Commit);
    let project = if is_diff { before(app, base, artifact.diff(), &mut notes)? } else { ProjectFiles::Workspace };
    let (target, scope) = (Target::Code, scope.to_string());
    Ok(Found { artifact, target, confidence, scope, topic, snapshot, project, notes })
}

fn before(app: &App, base: Base<'_>, change: &Diff, notes: &mut Vec<String>) -> Result<ProjectFiles, CommandError> {
    let (files, note) = project_files(&app.places, base, change).map_err(|error| CommandError::failed(error.to_string()))?;
    notes.extend(note);
    Ok(files)
}

/// A text that was given. `code` is the ending of a file of code.
fn of_text(
    app: &App,
    text: String,
    scope: String,
    wanted: Option<Target>,
    code: Option<&str>,
) -> Result<Found, CommandError> {
    if text.trim().is_empty() {
        return Err(CommandError::usage(format!("nothing to review: {scope} is empty")));
    }
    let mut notes = Vec::new();
    let (target, confidence) = match wanted {
        Some(target) => (target, Confidence::High),
        None if code.is_some() => (Target::Code, Confidence::High),
        None => confirmed(app, detect(&text))?,
    };
    let target = single_where_one_part_is_empty(target, &text, &mut notes);
    if target == Target::Code && code.is_none() && Diff::is_diff(&text) {
        return of_diff(app, &text, scope, confidence, Base::Unknown, notes);
    }
    let (text, form) = match target {
        Target::Code if let Some(ending) = code => (text, Form::Snippet { ending: ending.to_owned() }),
        Target::Code => {
            let (code, language) = alone(&text);
            (code, Form::Snippet { ending: ending_of(language.unwrap_or_default()).to_owned() })
        }
        _ => (text, Form::Text),
    };
    let snapshot = app.snapshot();
    let topic = text_topic(&text, target);
    let artifact = Artifact::new(text, form, String::new());
    Ok(Found { artifact, target, confidence, scope, topic, snapshot, project: ProjectFiles::Workspace, notes })
}

/// A diff that was given: applied to the workspace, applicable to it, or unrelated.
fn of_diff(
    app: &App,
    text: &str,
    scope: String,
    confidence: Confidence,
    base: Base<'_>,
    mut notes: Vec<String>,
) -> Result<Found, CommandError> {
    let text = Diff::with_usual_prefixes(text).into_owned();
    let stat = stat(text.as_bytes()).unwrap_or_default();
    let topic = change_topic(&text, &scope);
    let (form, snapshot) = match diff_state(&app.place.workspace, text.as_bytes()) {
        DiffState::Applied => (Form::Change, app.snapshot()),
        DiffState::ToBeApplied { revision } => {
            notes.push("the diff is not applied to the working tree: lines are numbered as if it were".to_owned());
            let why = "it is not in the working tree".to_owned();
            (Form::LooseChange { why, base: Some(revision) }, app.snapshot())
        }
        DiffState::Neither { why } => {
            notes.push(format!("the diff does not fit this workspace ({why}): only its own lines can be cited"));
            (Form::LooseChange { why, base: None }, Snapshot::nothing("the diff does not fit this workspace"))
        }
    };
    let artifact = Artifact::new(text, form, stat);
    let project = before(app, base, artifact.diff(), &mut notes)?;
    Ok(Found { artifact, target: Target::Code, confidence, scope, topic, snapshot, project, notes })
}

const BRANCH_HELP: &str = "`y` reviews every change since the branch began; `rebut review HEAD~1` reviews the last commit.";
const KIND_HELP: &str = "Code is reviewed for bugs, a proposal for its reasoning. Enter accepts the guess.";

/// The kind of a text; asks the user if unsure.
fn confirmed(app: &App, detected: (Target, Confidence)) -> Result<(Target, Confidence), CommandError> {
    let (target, confidence) = detected;
    if confidence != Confidence::Low || !app.screen.can_ask() {
        return Ok(detected);
    }
    let question = format!("This looks like {}. Review it as that? [Y/code/proposal/mixed]", target.as_str());
    let answer = app.screen.ask(&question, KIND_HELP).unwrap_or_default().to_lowercase();
    if answer.is_empty() || answer == "y" || answer == "yes" {
        return Ok((target, Confidence::High));
    }
    answer.parse().map(|target| (target, Confidence::High)).map_err(CommandError::usage)
}

fn single_where_one_part_is_empty(target: Target, text: &str, notes: &mut Vec<String>) -> Target {
    if target != Target::Mixed {
        return target;
    }
    let parts = split(text);
    let (single, missing) = match (parts.code.is_empty(), parts.proposal.is_empty()) {
        (true, _) => (Target::Proposal, "code"),
        (_, true) => (Target::Code, "proposal"),
        _ => return target,
    };
    notes.push(alone_in_it(missing, single));
    single
}

fn alone_in_it(missing: &str, single: Target) -> String {
    format!("no {missing} found: reviewing it as {} only", single.as_str())
}

/// The code of a text that is a single fenced block.
fn alone(text: &str) -> (String, Option<&str>) {
    let language = first_language(text);
    let lines: Vec<&str> = text.trim().lines().collect();
    let is_fence = |line: &&str| line.starts_with("```") || line.starts_with("~~~");
    match lines.as_slice() {
        [first, inside @ .., last] if is_fence(first) && is_fence(last) && !inside.iter().any(is_fence) => {
            (format!("{}\n", inside.join("\n")), language)
        }
        _ => (text.to_owned(), language),
    }
}

fn change_topic(diff: &str, scope: &str) -> String {
    let files = Diff::parse(diff).paths().len();
    let files = if files == 1 { "1 file".to_owned() } else { format!("{files} files") };
    format!("a change to {files} ({scope})")
}

fn text_topic(text: &str, target: Target) -> String {
    let first = text.lines().map(|line| line.trim_start_matches(['#', ' ', '`'])).find(|line| !line.trim().is_empty());
    let first: String = first.unwrap_or_default().chars().take(80).collect();
    match target {
        Target::Code => "a piece of code".to_owned(),
        _ => format!("{}: {}", target.as_str(), first.trim()),
    }
}

/// The text of a file, and whether it is UTF-8.
fn read_file(path: &Path) -> Result<(String, bool), CommandError> {
    let bytes = read_given(path, MOST_BYTES).map_err(|error| CommandError::unreadable(path, &error))?;
    if bytes.contains(&0) {
        return Err(CommandError::usage(ScopeError::Binary(path.display().to_string()).to_string()));
    }
    Ok((as_text(&bytes), std::str::from_utf8(&bytes).is_ok()))
}

/// A diff can contain lines that are not UTF-8, and colours of a git with `color.ui=always`.
fn as_text(bytes: &[u8]) -> String {
    console::strip_ansi_codes(&String::from_utf8_lossy(bytes)).into_owned()
}

fn text_on_stdin(app: &App) -> Result<String, CommandError> {
    let bytes = read_stdin(&app.screen, MOST_BYTES)?;
    if bytes.trim_ascii().is_empty() {
        return Err(CommandError::usage("nothing to review on standard input"));
    }
    Ok(as_text(&bytes))
}

fn scope_error(error: &ScopeError) -> CommandError {
    let hint = match error {
        ScopeError::NoRepository(_) => "name a file or a text, or `-` for standard input",
        _ => "name an existing file, a revision, a range or a text, `-` for standard input, or --scope base:BRANCH",
    };
    CommandError::usage(error.to_string()).hint(hint)
}
