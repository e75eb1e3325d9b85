//! Whoever looks the citations of a debate up.

use std::path::Path;
use std::sync::{Arc, Weak};
use std::time::{Duration, SystemTime};

use rebut_core::claims::check::{CheckResult, Checked, Judgement, Patience, Resolved, examine, judge_page};
use rebut_core::claims::citation::{Citation, Target};
use rebut_core::debate::{Debate, Setup, Trial, Tried};
use rebut_core::evidence::source::SourcePage;
use tokio_util::sync::CancellationToken;

use super::commands::{AllowedCommands, Commands, Place, Ran};
use super::commits::Commits;
use super::past::Past;
use super::pin::{Copy, Files, History, Live, Pin, PinError, below_copy};
use super::revising::{Version, Versions};
use super::searches::{Wanted, search};
use super::sources::{Page, Sources};
use super::spellings::spellings;
use super::texts::{Behind, Texts};
use crate::redact::is_redacted;

/// Looks citations up, in whatever the debate has for that.
#[derive(Clone)]
pub struct Examiner {
    inner: Arc<Inner>,
    /// What the seats read, which goes with what is debated.
    copy: Option<Weak<Copy>>,
    /// The folder of the workspace, by its path in it, that relative paths are written from.
    written_in: Option<String>,
}

struct Inner {
    versions: Result<Versions, String>,
    commits: Option<Commits>,
    past: Past,
    /// Searches are run with them.
    commands: Option<Commands>,
    sources: Option<Sources>,
}

/// What may be done beyond reading files. Nothing of it unless the person says so.
#[derive(Clone, Debug, Default)]
pub struct Allowed {
    /// Searches and these commands.
    pub commands: Option<AllowedCommands>,
    /// Pages on the web are fetched.
    pub sources: Option<Sources>,
}

impl Examiner {
    /// Looks up in these files. `workspace` is where they come from: its repository is asked for commits, and commands
    /// are run there.
    pub fn over(files: Arc<dyn Files>, workspace: &Path, allowed: Allowed) -> Self {
        Self::looking_in(files, Place::Folder(workspace.to_owned()), workspace, History::default(), allowed)
    }

    /// The same for files that are kept. Commands are run in copies of them.
    pub fn over_pin(pin: Arc<Pin>, workspace: &Path, allowed: Allowed) -> Self {
        let files = Arc::clone(&pin) as Arc<dyn Files>;
        let history = History { hashes: pin.facts().history.clone(), commits: pin.facts().commits.clone() };
        Self::looking_in(files, Place::CopyOf(pin), workspace, history, allowed)
    }

    /// The same for a workspace as it is now, which may have been another one when the debate began.
    pub fn over_live(live: Live, workspace: &Path, allowed: Allowed) -> Self {
        let history = live.history();
        Self::looking_in(Arc::new(live), Place::Folder(workspace.to_owned()), workspace, history, allowed)
    }

    fn looking_in(files: Arc<dyn Files>, place: Place, workspace: &Path, history: History, allowed: Allowed) -> Self {
        let shell_folder = std::env::var_os("PWD");
        let home = std::env::home_dir();
        let roots = spellings(workspace, shell_folder.as_deref().map(Path::new), home.as_deref());
        let Allowed { commands, sources } = allowed;
        let commands = commands.map(|commands| Commands::new(commands, place));
        let versions = Ok(Versions::begin(files, roots));
        Self::new(Inner { versions, commits: Commits::of(workspace, history), past: Past::default(), commands, sources })
    }

    /// Looks up in a folder as it is now. `home` is the person's home folder, which is no project.
    pub fn of_folder(folder: &Path, home: Option<&Path>, file_bytes: u64, allowed: Allowed) -> Result<Self, PinError> {
        // Nothing can have changed since a moment that is still to come.
        let began = SystemTime::now() + Duration::from_hours(24 * 365);
        let files: Arc<dyn Files> = Arc::new(Live::over(folder, home, began, file_bytes)?);
        Ok(Self::over(files, folder, allowed))
    }

    /// Looks nothing up but pages on the web, where that is allowed; for this reason.
    pub fn over_nothing(why: impl Into<String>, sources: Option<Sources>) -> Self {
        Self::new(Inner { versions: Err(why.into()), commits: None, past: Past::default(), commands: None, sources })
    }

    fn new(inner: Inner) -> Self {
        Self { inner: Arc::new(inner), copy: None, written_in: None }
    }

    /// The same, for seats that read this copy: it is moved on with what is debated.
    #[must_use]
    pub fn with_copy(self, copy: &Arc<Copy>) -> Self {
        Self { copy: Some(Arc::downgrade(copy)), ..self }
    }

    /// The same for a text that lies in this folder of the workspace: `./` and `../` are meant from there, or else from the
    /// root.
    #[must_use]
    pub fn written_in(self, folder: &str) -> Self {
        Self { written_in: Some(folder.to_owned()), ..self }
    }

    /// The same, which knows what was found earlier in the debate: no page is fetched and no command run a second time.
    #[must_use]
    pub fn knowing(self, debate: &Debate) -> Self {
        if let Some(sources) = &self.inner.sources {
            sources.know(debate.pages());
        }
        if let Some(commands) = &self.inner.commands {
            let base = match &debate.plan().setup {
                Setup::Review(review) => review.artifact.form.base(),
                Setup::Duel(_) | Setup::Cross(_) | Setup::Panel(_) => None,
            };
            for (revisions, findings) in debate.findings_by_version() {
                let patches: Vec<String> = base.map(str::to_owned).into_iter().chain(revisions.iter().cloned()).collect();
                commands.know(&patches, findings);
            }
        }
        self
    }

    /// The pages that were fetched since this was last asked for: they belong into the journal.
    pub fn take_fetched(&self) -> Vec<SourcePage> {
        self.inner.sources.as_ref().map(Sources::take_new).unwrap_or_default()
    }

    /// A citation as it is looked up. What names a file by where a copy lies means the workspace's, whichever debate's copy
    /// it was and whenever: what was said before a debate was resumed names one that is gone.
    fn at_home(&self, mut citation: Citation, at: &At) -> Citation {
        let path = match &mut citation.target {
            Target::File { path, .. }
            | Target::Past { path, .. }
            | Target::Search { path: Some(path), .. }
            | Target::Commit { path: Some(path), .. } => path,
            Target::Search { .. } | Target::Commit { .. } | Target::Command { .. } | Target::Page { .. } => return citation,
        };
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
        citation
    }

    /// Looks these up, and answers in their order. They speak of what these revisions, oldest first, have made of the
    /// files. Once cancelled it ends soon.
    pub async fn examine(&self, citations: Vec<Citation>, revisions: &[String], cancel: &CancellationToken) -> Vec<Checked> {
        let Some(version) = cancel.run_until_cancelled(self.version(revisions)).await else { return Vec::new() };
        if let Some(sources) = &self.inner.sources {
            let page = |citation: &Citation| match &citation.target {
                Target::Page { url } if is_page(url) => Some(url.clone()),
                _ => None,
            };
            let urls: Vec<String> = citations.iter().filter_map(page).collect();
            sources.fetch(&urls, cancel).await;
        }
        let mut found = Vec::with_capacity(citations.len());
        // A relative path is told as it was written, wherever it was looked up.
        let written: Vec<Target> = match self.written_in {
            Some(_) => citations.iter().map(|citation| citation.target.clone()).collect(),
            None => Vec::new(),
        };
        let mut rest = citations.into_iter().map(|citation| self.at_home(citation, &version)).peekable();
        while rest.peek().is_some() && !cancel.is_cancelled() {
            // Commands take their time and are waited for; everything between them is looked up in one go.
            let batch: Vec<Citation> =
                std::iter::from_fn(|| rest.next_if(|c| !matches!(c.target, Target::Command { .. }))).collect();
            let examiner = self.clone();
            let stop = cancel.clone();
            let asked = batch.clone();
            let at = version.clone();
            let looked_up = tokio::task::spawn_blocking(move || examiner.inner.look_up(batch, &at, &stop)).await;
            // A citation is never lost: where the search itself broke off, that is what is said of it.
            found.extend(looked_up.unwrap_or_else(|_| {
                let broke_off = |citation| plainly(citation, CheckResult::Unchecked, BROKE_OFF.to_owned());
                asked.into_iter().map(broke_off).collect()
            }));
            if let Some(citation) = rest.next()
                && let Target::Command { name } = &citation.target
            {
                let Ran { result, detail, output } = self.run_command(name, revisions, &version, cancel).await;
                found.push(Checked { output, ..plainly(citation, result, detail) });
            }
        }
        for (found, written) in found.iter_mut().zip(written) {
            found.citation.target = written;
        }
        found
    }

    /// Runs a command in the version that these revisions have led to, or in the last one before it in which it may run.
    async fn run_command(&self, name: &str, revisions: &[String], version: &At, cancel: &CancellationToken) -> Ran {
        let Some(commands) = &self.inner.commands else {
            let detail = self.inner.versions.as_ref().err().map_or(OFF, String::as_str).to_owned();
            return Ran { result: CheckResult::Unchecked, detail, output: None };
        };
        let before = &revisions[..commands.may_run_after(revisions)];
        if before.len() == revisions.len() {
            return commands.run(name, revisions, version, cancel).await;
        }
        let version = self.version(before).await;
        commands.run(name, before, &version, cancel).await.before_revisions()
    }

    /// The same for what is debated before any revision, for a test that waits on this thread; commands are not run, and no
    /// page is fetched.
    #[doc(hidden)]
    pub fn examine_now(&self, citations: Vec<Citation>) -> Vec<Checked> {
        let first = self.inner.versions.as_ref().map(|versions| Arc::clone(versions.first())).map_err(Clone::clone);
        self.inner.look_up(citations, &first, &CancellationToken::new())
    }

    /// Tries whether a patch applies. Where it does, what is debated moves on, and the copy that the seats read with it.
    ///
    /// Nothing comes back once it is cancelled, and nothing is left then.
    pub async fn try_patch(&self, trial: Trial, cancel: &CancellationToken) -> Option<Tried> {
        let Trial { mut revisions, patch } = trial;
        let work = tokio::time::timeout(TRIAL, self.tried(&revisions, &patch));
        let late = || Err(format!("it was not tried to its end in {} s", TRIAL.as_secs()));
        let tried = cancel.run_until_cancelled(work).await?.unwrap_or_else(|_| late());
        let (patch, version) = match tried {
            Ok(tried) => tried,
            Err(why) => return Some(Tried::Fails { why }),
        };
        if let Err(why) = self.move_copy(&version).await {
            // What was moved of it goes back, as far as it can; the next move finds the rest.
            let _ = self.catch_up(&revisions).await;
            return Some(Tried::Fails { why });
        }
        revisions.push(patch.clone());
        if let Ok(versions) = &self.inner.versions {
            versions.keep(revisions, version).await;
        }
        Some(Tried::Applies { patch })
    }

    async fn tried(&self, revisions: &[String], patch: &str) -> Result<(String, Arc<Version>), String> {
        let versions = self.inner.versions.as_ref().map_err(|why| format!("there is nothing to try it on: {why}"))?;
        let version = versions.after(revisions).await?;
        versions.try_on(&version, patch).await
    }

    /// Brings the copy that the seats read to what these revisions, oldest first, have made of the files: for a debate that
    /// is taken up again.
    pub async fn catch_up(&self, revisions: &[String]) -> Result<(), String> {
        let version = self.version(revisions).await?;
        self.move_copy(&version).await
    }

    async fn move_copy(&self, version: &Arc<Version>) -> Result<(), String> {
        let Some(copy) = self.copy.as_ref().and_then(Weak::upgrade) else { return Ok(()) };
        let version = Arc::clone(version);
        let moved = tokio::task::spawn_blocking(move || copy.bring_to(&version.files, &version.revised)).await;
        moved
            .map_err(|_| BROKE_OFF.to_owned())?
            .map_err(|error| format!("the copy that seats read cannot be brought to this version: {error}"))
    }

    /// Makes the copy that the seats read what it was, whatever a seat has done to it: for a seat that is to be asked.
    pub async fn put_copy_right(&self) -> Result<(), String> {
        let (Some(copy), Ok(versions)) = (self.copy.as_ref().and_then(Weak::upgrade), &self.inner.versions) else {
            return Ok(());
        };
        let first = Arc::clone(versions.first());
        let right = tokio::task::spawn_blocking(move || copy.put_right(&first.files)).await;
        let right = right.map_err(|_| BROKE_OFF.to_owned())?;
        right.map(|_| ()).map_err(|error| format!("the copy that seats read cannot be made what it was: {error}"))
    }

    /// What is debated after these revisions; or why nothing can be looked up in it.
    async fn version(&self, revisions: &[String]) -> Result<Arc<Version>, String> {
        match &self.inner.versions {
            Ok(versions) => versions.after(revisions).await,
            Err(why) => Err(why.clone()),
        }
    }
}

/// The version that is looked up in, or why there is none.
type At = Result<Arc<Version>, String>;

/// How long a trial may take.
const TRIAL: Duration = Duration::from_mins(1);

/// What is said where looking up ended in a fault of our own.
const BROKE_OFF: &str = "the search broke off; this is a fault in rebut";

/// What is said of what only the workspace itself still says.
const REVISED: &str = "it stands so in the workspace, which a revision of this debate has changed";

/// What is said of words in a file whose letters nobody knows for certain.
const OTHER_LETTERS: &str = "the file is no UTF-8, and what is quoted has letters that may be written otherwise in it";

/// What is said of pages where none are fetched.
const UNFETCHED: &str = "web pages are not fetched; --fetch-sources turns that on";

/// What is said of addresses that are no page's.
const OTHER_SCHEME: &str = "only http and https addresses are looked into";

/// What is said of pages that were not reached any more.
const TOO_MANY: &str = "it was not fetched: too many pages are cited, or they took too long";

/// What is said of searches and commands that are not allowed.
const OFF: &str = "searches and commands are run only with --allow-checks";

impl Inner {
    fn look_up(&self, citations: Vec<Citation>, at: &At, cancel: &CancellationToken) -> Vec<Checked> {
        let mut patience = Patience::default();
        // Files that could not be listed are not missing: nobody knows.
        let unlisted = at.as_ref().ok().and_then(|version| version.files.unlisted());
        let unlisted = unlisted.map(|why| format!("the workspace's files could not be listed: {why}"));
        let texts = match (&unlisted, at) {
            (Some(why), _) | (None, Err(why)) => Err(why),
            (None, Ok(version)) => Ok(&version.texts),
        };
        // Seats that read the workspace itself read it without its revisions.
        let unrevised = match (at, &self.versions) {
            (Ok(version), Ok(versions)) if version.files.is_live() && !version.revised.is_empty() => {
                Some(&versions.first().texts)
            }
            _ => None,
        };
        let citations = citations.into_iter().take_while(|_| !cancel.is_cancelled());
        citations
            .map(|citation| {
                let as_written = citation.clone();
                let found = self.look_one_up(citation, texts, &mut patience, cancel);
                match (&found.citation.target, unrevised) {
                    (Target::File { .. }, Some(unrevised)) if found.result.is_false() => {
                        let before = self.look_one_up(as_written, Ok(unrevised), &mut patience, cancel);
                        if before.result == CheckResult::Verified {
                            plainly(found.citation, CheckResult::ChangedSince, REVISED.to_owned())
                        } else {
                            found
                        }
                    }
                    _ => found,
                }
            })
            .collect()
    }

    fn look_one_up(
        &self,
        citation: Citation,
        texts: Result<&Texts, &String>,
        patience: &mut Patience,
        cancel: &CancellationToken,
    ) -> Checked {
        let unchecked = |citation, why: &str| plainly(citation, CheckResult::Unchecked, why.to_owned());
        match (citation.target.clone(), texts) {
            (Target::File { path, lines }, Ok(texts)) => {
                // What a quote has lost is not in the text that it is looked up in either.
                let quotes_secret = citation.quotes.iter().any(|quote| is_redacted(quote));
                let mut look = |citation, path: &str| {
                    let mut place = None;
                    let read = |at| {
                        place = Some(at);
                        if quotes_secret { texts.read_redacted(at) } else { texts.read(at) }
                    };
                    let found = examine(citation, path, lines, texts.index(), read, patience);
                    match found.result {
                        CheckResult::Mismatch
                            if has_other_letters(&found.citation)
                                && place.is_some_and(|at| texts.is_of_other_letters(at)) =>
                        {
                            Checked { result: CheckResult::Unchecked, detail: OTHER_LETTERS.to_owned(), ..found }
                        }
                        CheckResult::Missing => match texts.instead_of_missing(path) {
                            Some((result, why)) => plainly(found.citation, result, why),
                            None => found,
                        },
                        _ => found,
                    }
                };
                let found = look(citation, &path);
                if found.result != CheckResult::Missing {
                    return found;
                }
                // What lies behind a folder's link is in no list of files.
                match texts.behind_links(&path) {
                    Some(Behind::Inside(there)) => look(found.citation, &there),
                    Some(Behind::Nowhere(result, why)) => plainly(found.citation, result, why.to_owned()),
                    None => found,
                }
            }
            (Target::Search { .. }, Ok(_)) if self.commands.is_none() => unchecked(citation, OFF),
            (Target::Search { pattern, path, count }, Ok(texts)) => {
                let wanted = Wanted { pattern: &pattern, path: path.as_deref(), count };
                let (result, detail) = search(texts, &wanted, patience, cancel);
                plainly(citation, result, detail)
            }
            (Target::File { .. } | Target::Search { .. }, Err(why)) => unchecked(citation, why),
            (Target::Commit { hash, path }, _) => match &self.commits {
                Some(commits) => {
                    let unwanted = || cancel.is_cancelled();
                    let hash = commits.pinned(&hash).to_owned();
                    let (mut result, mut detail) = commits.look_up(&hash, path.as_deref(), &unwanted);
                    if result == CheckResult::Verified
                        && let Some(quoted) = commits.quoted(&citation, &hash, path.as_deref(), patience, &unwanted)
                    {
                        (result, detail) = quoted;
                    }
                    let passage = (citation.with_text && result.holds()).then(|| commits.told(&hash)).flatten();
                    Checked { passage, ..plainly(citation, result, detail) }
                }
                None => unchecked(citation, "the workspace is no git repository"),
            },
            (Target::Past { .. }, _) => match &self.commits {
                Some(commits) => self.past.look_up(citation, commits, patience, &|| cancel.is_cancelled()),
                None => unchecked(citation, "the workspace is no git repository"),
            },
            (Target::Command { .. }, _) => unchecked(citation, OFF),
            (Target::Page { url }, _) => self.look_into_page(citation, &url, patience),
        }
    }

    fn look_into_page(&self, citation: Citation, url: &str, patience: &mut Patience) -> Checked {
        if !is_page(url) {
            return plainly(citation, CheckResult::Unchecked, OTHER_SCHEME.to_owned());
        }
        let Some(sources) = &self.sources else {
            return plainly(citation, CheckResult::Unchecked, UNFETCHED.to_owned());
        };
        match sources.page(url) {
            Some(Page::Read(text)) => {
                let Judgement { result, detail, likeness, .. } = judge_page(&text, &citation, patience);
                Checked { likeness, ..plainly(citation, result, detail) }
            }
            Some(Page::Not(result, why)) => plainly(citation, result, why),
            None => plainly(citation, CheckResult::Unchecked, TOO_MANY.to_owned()),
        }
    }
}

/// Whether an address is one that pages have, as far as its scheme tells.
fn is_page(url: &str) -> bool {
    let scheme = url.split_once("://").map_or("", |(scheme, _)| scheme);
    ["http", "https"].iter().any(|known| known.eq_ignore_ascii_case(scheme))
}

/// Whether letters beyond ASCII are said to stand there.
fn has_other_letters(citation: &Citation) -> bool {
    citation.quotes.iter().chain(&citation.symbols).chain(&citation.perhaps).any(|words| !words.is_ascii())
}

fn plainly(citation: Citation, result: CheckResult, detail: String) -> Checked {
    Checked { citation, result, detail, file: None, lines: None, likeness: None, output: None, passage: None }
}
