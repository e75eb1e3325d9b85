//! Looks up the evidence of a debate.

use std::path::Path;
use std::sync::{Arc, Weak};
use std::time::{Duration, SystemTime};

use rebut_core::debate::{Check, Debate, Trial, Tried};
use rebut_core::evidence::check::{
    CheckResult, Checked, Cited, FileText, Judgement, Resolved, SearchBudget, as_claimed, check_file, check_texts,
    judge_page, quote_as_claimed,
};
use rebut_core::evidence::source::SourcePage;
use rebut_core::evidence::{Evidence, Subject};
use tokio_util::sync::CancellationToken;

use super::commands::{AllowedCommands, Commands, Place, Ran};
use super::commits::Commits;
use super::searches::search;
use super::sources::{Page, Sources};
use super::texts::{Texts, roots};
use super::versions::{Version, Versions};
use crate::blocking::aside;
use crate::redact::is_redacted;
use crate::workspace::pin::{Copy, Files, Live, Pin, PinError, below_copy};

/// Looks up evidence in what the debate has for that.
#[derive(Clone)]
pub struct Examiner {
    inner: Arc<Inner>,
    /// The copy that the seats read; it follows the revisions.
    copy: Option<Weak<Copy>>,
    /// The folder that relative paths start from, by its path in the workspace.
    written_in: Option<String>,
}

struct Inner {
    versions: Result<Versions, String>,
    commits: Option<Commits>,
    /// Searches are run with them.
    commands: Option<Commands>,
    sources: Option<Sources>,
}

/// What the user allows beyond reading files.
#[derive(Clone, Debug, Default)]
pub struct Allowed {
    /// Searches and these commands.
    pub commands: Option<AllowedCommands>,
    /// Pages on the web are fetched.
    pub sources: Option<Sources>,
}

impl Examiner {
    /// Looks up in these files of a workspace, whose repository is asked for commits and where commands run.
    pub fn over(files: Arc<dyn Files>, workspace: &Path, allowed: Allowed) -> Self {
        Self::looking_in(files, Place::Folder(workspace.to_owned()), workspace, None, allowed)
    }

    /// The same for pinned files. Commands run in copies of them.
    pub fn over_pin(pin: Arc<Pin>, workspace: &Path, allowed: Allowed) -> Self {
        let files = Arc::clone(&pin) as Arc<dyn Files>;
        let head = pin.facts().commit.clone();
        Self::looking_in(files, Place::CopyOf(pin), workspace, head, allowed)
    }

    /// The same for a workspace as it is now, which may have changed since the debate began.
    pub fn over_live(live: Live, workspace: &Path, allowed: Allowed) -> Self {
        let head = live.head().map(str::to_owned);
        Self::looking_in(Arc::new(live), Place::Folder(workspace.to_owned()), workspace, head, allowed)
    }

    fn looking_in(files: Arc<dyn Files>, place: Place, workspace: &Path, head: Option<String>, allowed: Allowed) -> Self {
        let roots = roots(workspace, std::env::home_dir().as_deref());
        let Allowed { commands, sources } = allowed;
        let commands = commands.map(|commands| Commands::new(commands, place));
        let versions = Ok(Versions::begin(files, roots));
        Self::new(Inner { versions, commits: Commits::of(workspace, head), commands, sources })
    }

    /// Looks up in a folder as it is now. `home` is the user's home folder, which is no project.
    pub fn of_folder(folder: &Path, home: Option<&Path>, file_bytes: u64, allowed: Allowed) -> Result<Self, PinError> {
        // Nothing can have changed since a time in the future.
        let began = SystemTime::now() + Duration::from_hours(24 * 365);
        let files: Arc<dyn Files> = Arc::new(Live::over(folder, home, began, file_bytes)?);
        Ok(Self::over(files, folder, allowed))
    }

    /// Looks up web pages only, if allowed; for this reason.
    pub fn over_nothing(why: impl Into<String>, sources: Option<Sources>) -> Self {
        Self::new(Inner { versions: Err(why.into()), commits: None, commands: None, sources })
    }

    fn new(inner: Inner) -> Self {
        Self { inner: Arc::new(inner), copy: None, written_in: None }
    }

    /// The same for seats that read this copy: it follows the revisions.
    #[must_use]
    pub fn with_copy(self, copy: &Arc<Copy>) -> Self {
        Self { copy: Some(Arc::downgrade(copy)), ..self }
    }

    /// The same for a text in this folder of the workspace: `./` and `../` start there, or else at the root.
    #[must_use]
    pub fn written_in(self, folder: &str) -> Self {
        Self { written_in: Some(folder.to_owned()), ..self }
    }

    /// The same with what was found earlier in the debate: no page is fetched and no command run twice.
    #[must_use]
    pub fn knowing(self, debate: &Debate) -> Self {
        if let Some(sources) = &self.inner.sources {
            sources.know(debate.pages());
        }
        if let Some(commands) = &self.inner.commands {
            let base = debate.format().reach(debate.plan()).base;
            for (revisions, findings) in debate.findings_by_version() {
                let patches: Vec<String> = base.map(str::to_owned).into_iter().chain(revisions.iter().cloned()).collect();
                commands.know(&patches, findings);
            }
        }
        self
    }

    /// The pages fetched since the last call, for the journal.
    pub fn take_fetched(&self) -> Vec<SourcePage> {
        self.inner.sources.as_ref().map(Sources::take_new).unwrap_or_default()
    }

    /// Evidence as it is looked up: a path in any copy, even one that is gone, means the file of the workspace.
    fn in_workspace(&self, mut cited: Cited, at: &At) -> Cited {
        let Evidence { file, within, search, .. } = &mut cited.evidence;
        let Some(path) = (if search.is_some() { within } else { file }) else { return cited };
        if let Some(inside) = below_copy(path) {
            *path = inside.to_owned();
        }
        if let (Some(folder), Ok(version)) = (&self.written_in, at)
            && (path.starts_with("./") || path.starts_with("../"))
        {
            let index = version.texts.index();
            let from_there = format!("{folder}/{path}");
            let is_there = |path: &str| matches!(index.resolve(path), Resolved::File(_) | Resolved::Folder);
            let leads_out = |path: &str| index.resolve(path) == Resolved::Outside;
            if is_there(&from_there) || (leads_out(path) && !leads_out(&from_there)) {
                *path = from_there;
            }
        }
        cited
    }

    /// Looks up the evidence of a check; a text of the check goes before a file of the same name. Once cancelled it ends
    /// soon, and gives fewer results.
    pub async fn check(&self, check: Check, cancel: &CancellationToken) -> Vec<Checked> {
        let Check { evidence, revisions, texts } = check;
        let texts: Vec<(String, FileText)> =
            texts.into_iter().map(|(name, text)| (name, FileText::new(text.as_bytes()))).collect();
        let mut budget = SearchBudget::default();
        let own: Vec<_> = evidence.iter().map(|cited| check_texts(cited, &texts, &mut budget)).collect();
        let others = evidence.into_iter().zip(&own).filter(|(_, own)| own.is_none()).map(|(cited, _)| cited).collect();
        let mut found = self.examine(others, &revisions, cancel).await.into_iter();
        own.into_iter().filter_map(|own| own.or_else(|| found.next())).collect()
    }

    /// Looks these up in the files after these revisions, oldest first. Once cancelled it ends soon.
    pub async fn examine(&self, evidence: Vec<Cited>, revisions: &[String], cancel: &CancellationToken) -> Vec<Checked> {
        let version = self.version(revisions).await;
        if let Some(sources) = &self.inner.sources {
            let page = |cited: &Cited| match cited.evidence.subject() {
                Subject::Page { url } if is_page(url) => Some(url.to_owned()),
                _ => None,
            };
            let urls: Vec<String> = evidence.iter().filter_map(page).collect();
            sources.fetch(&urls, cancel).await;
        }
        let mut found: Vec<Checked> = Vec::with_capacity(evidence.len());
        // A path is shown as it was written.
        let written: Vec<Evidence> = evidence.iter().map(|cited| cited.evidence.clone()).collect();
        let mut rest = evidence.into_iter().map(|cited| self.in_workspace(cited, &version)).peekable();
        while rest.peek().is_some() && !cancel.is_cancelled() {
            // Commands are awaited one by one; everything between them is looked up in one go.
            let is_command = |cited: &Cited| matches!(cited.evidence.subject(), Subject::Command { .. });
            let batch: Vec<Cited> = std::iter::from_fn(|| rest.next_if(|cited| !is_command(cited))).collect();
            let examiner = self.clone();
            let stop = cancel.clone();
            let asked = batch.clone();
            let at = version.clone();
            let looked_up = aside(move || Ok(examiner.inner.look_up(batch, &at, &stop))).await;
            // Evidence is never lost.
            found.extend(looked_up.unwrap_or_else(|why| {
                asked.into_iter().map(|cited| Checked::of(cited, Judgement::unchecked(&why))).collect()
            }));
            if let Some(cited) = rest.next()
                && let Subject::Command { name } = cited.evidence.subject()
            {
                let Ran { judgement, output } = self.run_command(name, revisions, &version, cancel).await;
                found.push(Checked { output, ..Checked::of(cited, judgement) });
            }
        }
        for (found, written) in found.iter_mut().zip(written) {
            found.evidence = written;
        }
        found
    }

    /// Runs a command in the version after these revisions, or in the last one before it in which it may run.
    async fn run_command(&self, name: &str, revisions: &[String], version: &At, cancel: &CancellationToken) -> Ran {
        let Some(commands) = &self.inner.commands else {
            return Judgement::unchecked(self.inner.versions.as_ref().err().map_or(OFF, String::as_str)).into();
        };
        let before = &revisions[..commands.may_run_after(revisions)];
        if before.len() == revisions.len() {
            return commands.run(name, revisions, version, cancel).await;
        }
        let version = self.version(before).await;
        commands.run(name, before, &version, cancel).await.before_revisions()
    }

    /// The same before any revision, for tests without a runtime; no command runs and no page is fetched.
    #[doc(hidden)]
    pub fn examine_now(&self, evidence: Vec<Cited>) -> Vec<Checked> {
        self.inner.look_up(evidence, &self.inner.first(), &CancellationToken::new())
    }

    /// Tries whether a patch applies. If so, the copy that the seats read is moved to the new version. `None` if cancelled.
    pub async fn try_patch(&self, trial: Trial, cancel: &CancellationToken) -> Option<Tried> {
        let Trial { mut revisions, patch } = trial;
        let (examiner, before) = (self.clone(), revisions.clone());
        let tried = aside(move || examiner.inner.tried(&before, &patch));
        let (patch, version) = match cancel.run_until_cancelled(tried).await? {
            Ok(tried) => tried,
            Err(why) => return Some(Tried::Fails { why }),
        };
        if let Err(why) = self.move_copy(&version).await {
            // The next move finds what cannot be moved back.
            let _ = self.catch_up(&revisions).await;
            return Some(Tried::Fails { why });
        }
        revisions.push(patch.clone());
        if let Ok(versions) = &self.inner.versions {
            versions.keep(revisions, version);
        }
        Some(Tried::Applies { patch })
    }

    /// Moves the copy that the seats read to the version after these revisions, for a debate that is resumed.
    pub async fn catch_up(&self, revisions: &[String]) -> Result<(), String> {
        let version = self.version(revisions).await?;
        self.move_copy(&version).await
    }

    async fn move_copy(&self, version: &Arc<Version>) -> Result<(), String> {
        let Some(copy) = self.copy.as_ref().and_then(Weak::upgrade) else { return Ok(()) };
        let version = Arc::clone(version);
        let moved = move || {
            let moved = copy.bring_to(&version.files, &version.revised);
            moved.map_err(|error| format!("can't move the copy that seats read to this version: {error}"))
        };
        aside(moved).await
    }

    /// Restores the copy that the seats read, before a seat is asked.
    pub async fn restore_copy(&self) -> Result<(), String> {
        let (Some(copy), Ok(versions)) = (self.copy.as_ref().and_then(Weak::upgrade), &self.inner.versions) else {
            return Ok(());
        };
        let first = Arc::clone(versions.first());
        let failed = |error| format!("can't restore the copy that seats read: {error}");
        aside(move || copy.restore(&first.files).map_err(failed)).await
    }

    /// The files after these revisions; or why nothing can be looked up in them.
    async fn version(&self, revisions: &[String]) -> At {
        if revisions.is_empty() {
            return self.inner.first();
        }
        let (examiner, revisions) = (self.clone(), revisions.to_vec());
        aside(move || examiner.inner.versions.as_ref().map_err(Clone::clone)?.after(&revisions)).await
    }
}

/// The version that is looked up in, or why there is none.
type At = Result<Arc<Version>, String>;

const OFF: &str = "searches and commands run only with --allow-checks";

impl Inner {
    /// The files before any revision.
    fn first(&self) -> At {
        self.versions.as_ref().map(|versions| Arc::clone(versions.first())).map_err(Clone::clone)
    }

    fn tried(&self, revisions: &[String], patch: &str) -> Result<(String, Arc<Version>), String> {
        let versions = self.versions.as_ref().map_err(|why| format!("there is nothing to try it on: {why}"))?;
        let version = versions.after(revisions)?;
        versions.try_on(&version, patch)
    }

    fn look_up(&self, evidence: Vec<Cited>, at: &At, cancel: &CancellationToken) -> Vec<Checked> {
        let mut budget = SearchBudget::default();
        // If files could not be listed, they are unknown, not missing.
        let unlisted = at.as_ref().ok().and_then(|version| version.files.live()?.unlisted());
        let unlisted = unlisted.map(|why| format!("the workspace's files could not be listed: {why}"));
        let texts = match (&unlisted, at) {
            (Some(why), _) | (None, Err(why)) => Err(why),
            (None, Ok(version)) => Ok(&version.texts),
        };
        // Seats that read the workspace itself see it without the revisions.
        let unrevised = match (at, &self.versions) {
            (Ok(version), Ok(versions)) if version.files.live().is_some() && !version.revised.is_empty() => {
                Some(&versions.first().texts)
            }
            _ => None,
        };
        let mut one = |cited: Cited| {
            let Some(unrevised) = unrevised.filter(|_| matches!(cited.evidence.subject(), Subject::File { .. })) else {
                return self.look_one_up(cited, texts, &mut budget, cancel);
            };
            let found = self.look_one_up(cited.clone(), texts, &mut budget, cancel);
            if found.result.is_false() {
                let before = self.look_one_up(cited.clone(), Ok(unrevised), &mut budget, cancel);
                if before.result == CheckResult::Verified {
                    return Checked::of(
                        cited,
                        Judgement::new(
                            CheckResult::ChangedSince,
                            "it is so in the workspace, without the revisions of this debate",
                        ),
                    );
                }
            }
            found
        };
        evidence.into_iter().take_while(|_| !cancel.is_cancelled()).map(&mut one).collect()
    }

    fn look_one_up(
        &self,
        cited: Cited,
        texts: Result<&Texts, &String>,
        budget: &mut SearchBudget,
        cancel: &CancellationToken,
    ) -> Checked {
        let unchecked = |cited, why: &str| Checked::of(cited, Judgement::unchecked(why));
        if cited.evidence.quote.as_deref().is_some_and(is_redacted) {
            return unchecked(cited, "the quote contained a secret, which was removed");
        }
        let unwanted = || cancel.is_cancelled();
        let evidence = cited.evidence.clone();
        match (evidence.subject(), texts, &self.commits) {
            (Subject::File { path, .. }, Ok(texts), _) => as_claimed(look_in_file(cited, path, texts, budget)),
            (Subject::Search { .. }, Ok(_), _) if self.commands.is_none() => unchecked(cited, OFF),
            (Subject::Search { pattern, within, count }, Ok(texts), _) => {
                Checked::of(cited, search(texts, pattern, within, count, budget, cancel))
            }
            (Subject::File { .. } | Subject::Search { .. }, Err(why), _) => unchecked(cited, why),
            (Subject::Commit { .. }, _, None) => unchecked(cited, "the workspace is not a git repository"),
            (Subject::Commit { hash, file: Some(_), lines: Some(_) }, _, Some(commits)) => {
                as_claimed(commits.look_up_file(cited, commits.pinned(hash), budget, &unwanted))
            }
            (Subject::Commit { hash, file, .. }, _, Some(commits)) => {
                let hash = commits.pinned(hash);
                let mut judgement = commits.look_up(hash, file, &unwanted);
                if judgement.result == CheckResult::Verified && evidence.quote.is_some() {
                    judgement = commits.quoted(&evidence, hash, budget, &unwanted);
                }
                // A quote that is neither in the message nor in the diff may be in the file as of the commit.
                if file.is_some() && evidence.quote.is_some() && (judgement.result.is_false() || evidence.absent) {
                    return as_claimed(commits.look_up_file(cited, hash, budget, &unwanted));
                }
                let passage = (cited.with_text && judgement.result.holds()).then(|| commits.summary(hash)).flatten();
                quote_as_claimed(Checked { passage, ..Checked::of(cited, judgement) })
            }
            (Subject::Command { .. }, _, _) => unchecked(cited, OFF),
            (Subject::Page { url }, _, _) => {
                let judgement = self.look_into_page(&cited.evidence, url, budget);
                quote_as_claimed(Checked::of(cited, judgement))
            }
        }
    }

    fn look_into_page(&self, evidence: &Evidence, url: &str, budget: &mut SearchBudget) -> Judgement {
        match &self.sources {
            _ if !is_page(url) => Judgement::unchecked("only http and https pages are fetched"),
            None => Judgement::unchecked("web pages are not fetched; --fetch-sources turns that on"),
            Some(sources) => match sources.page(url) {
                Some(Page::Read(text)) => judge_page(&text, evidence, budget),
                Some(Page::Not(why)) => why,
                None => Judgement::unchecked("not fetched: too many pages are cited, or they took too long"),
            },
        }
    }
}

fn look_in_file(cited: Cited, path: &str, texts: &Texts, budget: &mut SearchBudget) -> Checked {
    let mut look = |cited: &Cited, path: &str| {
        let mut place = None;
        let read = |at| {
            place = Some(at);
            texts.read(at)
        };
        let found = check_file(cited.clone(), texts.index(), read, budget);
        let beyond_ascii = cited.evidence.quote.as_deref().is_some_and(|quote| !quote.is_ascii());
        match found.result {
            CheckResult::Mismatch if beyond_ascii && place.is_some_and(|at| texts.is_not_utf8(at)) => Checked::of(
                cited.clone(),
                Judgement::unchecked("the file is not UTF-8, so quotes beyond ASCII can't be checked"),
            ),
            CheckResult::Missing => match texts.instead_of_missing(path) {
                Some(judgement) => Checked::of(cited.clone(), judgement),
                None => found,
            },
            _ => found,
        }
    };
    let found = look(&cited, path);
    if found.result != CheckResult::Missing {
        return found;
    }
    // The list of files has no paths through a symlink to a folder.
    match texts.through_symlinks(path) {
        Some(Ok(there)) => {
            let evidence = Evidence { file: Some(there.clone()), ..cited.evidence.clone() };
            Checked { evidence: cited.evidence.clone(), ..look(&Cited { evidence, ..cited }, &there) }
        }
        Some(Err(judgement)) => Checked::of(cited, judgement),
        None => found,
    }
}

fn is_page(url: &str) -> bool {
    let scheme = url.split_once("://").map_or("", |(scheme, _)| scheme);
    ["http", "https"].iter().any(|known| known.eq_ignore_ascii_case(scheme))
}
