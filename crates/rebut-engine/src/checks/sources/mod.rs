//! Pages on the web that are cited: fetched once, kept, and looked into. Only where the user allows it.
//!
//! What may be asked is [`address`]'s to say, what a name leads to [`names`]', how a page is fetched [`fetch`]'s, and
//! what of it is text [`text`]'s. Whether a page says what a citation says it does is the core's
//! ([`judge_page`](rebut_core::evidence::check::judge_page)).

mod address;
mod fetch;
mod html;
mod names;
mod text;

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use futures_util::stream::{self, StreamExt};
use rebut_core::evidence::check::{CheckResult, FileText};
use rebut_core::evidence::source::{Fetched, SourcePage};
use tokio_util::sync::CancellationToken;

use crate::redact::redact;
use fetch::{Brought, Fetcher};

pub(super) use html::windows_1252;
pub use names::{Names, TEST_VARIABLE};

/// How many pages are fetched at once.
const AT_ONCE: usize = 4;
/// How many pages are fetched for one statement.
const MOST_PAGES: usize = 40;
/// How long a page may take, redirects included.
const PAGE_LIMIT: Duration = Duration::from_secs(15);
/// How long the pages of one statement may take together.
const LIMIT: Duration = Duration::from_mins(1);
/// How many bytes of pages are kept in a debate.
const MOST_KEPT: usize = 64 * 1024 * 1024;

/// The pages of a debate: those that were fetched, and what fetches more. Clones share them.
#[derive(Clone)]
pub struct Sources {
    inner: Arc<Inner>,
}

struct Inner {
    fetcher: Fetcher,
    kept: Mutex<Kept>,
    /// A fetch holds the page's turn: several statements can cite it at the same time.
    turns: Mutex<BTreeMap<String, Arc<tokio::sync::Mutex<()>>>>,
}

#[derive(Default)]
struct Kept {
    pages: BTreeMap<String, Page>,
    /// Those that are in no journal yet, in the order in which they came.
    new: Vec<SourcePage>,
    bytes: usize,
}

/// A page as it is looked into, or what is said of every citation of it.
#[derive(Clone)]
pub(super) enum Page {
    Read(Arc<FileText>),
    Not(CheckResult, String),
}

impl Sources {
    /// Pages that are fetched by names as these know them.
    pub fn new(names: Names) -> Self {
        Self::within(PAGE_LIMIT, names)
    }

    /// The same with another limit on how long a page may take.
    pub fn within(limit: Duration, names: Names) -> Self {
        Self {
            inner: Arc::new(Inner { fetcher: Fetcher::new(names, limit), kept: Mutex::default(), turns: Mutex::default() }),
        }
    }

    /// Whether names are looked up in a test's table.
    pub fn are_a_tests(&self) -> bool {
        self.inner.fetcher.names().are_a_tests()
    }

    /// Takes pages that were fetched earlier in the debate for known: they are not fetched again.
    pub fn know<'a>(&self, pages: impl IntoIterator<Item = &'a SourcePage>) {
        let mut kept = self.kept();
        pages.into_iter().for_each(|page| kept.keep(page));
    }

    /// Fetches those of the pages that are not known yet, and gives them; one that another statement is waiting for is waited
    /// for and not fetched twice. Once cancelled it ends soon; what is not
    /// fetched then stays unknown.
    ///
    /// A page that could not be fetched is known as such, and is not tried again.
    pub async fn fetch(&self, urls: &[String], cancel: &CancellationToken) -> Vec<SourcePage> {
        let wanted: Vec<String> = {
            let kept = self.kept();
            let mut seen = BTreeSet::new();
            let addresses = urls.iter().map(|url| SourcePage::address(url));
            let unknown =
                addresses.filter(|address| !kept.pages.contains_key(*address) && seen.insert((*address).to_owned()));
            unknown.take(MOST_PAGES).map(str::to_owned).collect()
        };
        let one = |url: String| async move {
            let turn = self.turn(&url);
            let _mine = turn.lock().await;
            if self.kept().bytes > MOST_KEPT || self.kept().pages.contains_key(&url) {
                return None;
            }
            let Brought { fetched, led_to } = self.inner.fetcher.fetch(&url).await;
            // What is kept is safe to be kept: a page is as good a place for a secret as any.
            let fetched = match fetched {
                Fetched::Read { text } => {
                    // A long page takes a while, and everything else runs on this thread.
                    let clean = tokio::task::spawn_blocking(move || redact(&text).into_owned()).await;
                    Fetched::Read { text: clean.ok()? }
                }
                other => other,
            };
            let page = SourcePage { url, led_to: led_to.map(|url| redact(&url).into_owned()), fetched };
            let mut kept = self.kept();
            kept.keep(&page);
            kept.new.push(page.clone());
            Some(page)
        };
        let mut all = stream::iter(wanted.into_iter().map(one)).buffer_unordered(AT_ONCE);
        let mut fetched = Vec::new();
        let deadline = tokio::time::sleep(LIMIT);
        tokio::pin!(deadline);
        loop {
            tokio::select! {
                biased;
                () = cancel.cancelled() => return fetched,
                () = &mut deadline => return fetched,
                next = all.next() => match next {
                    Some(page) => fetched.extend(page),
                    None => return fetched,
                },
            }
        }
    }

    /// The pages that were fetched since this was last asked for: they belong into the journal.
    pub fn take_new(&self) -> Vec<SourcePage> {
        std::mem::take(&mut self.kept().new)
    }

    /// A page that is known.
    pub(super) fn page(&self, url: &str) -> Option<Page> {
        self.kept().pages.get(SourcePage::address(url)).cloned()
    }

    fn turn(&self, url: &str) -> Arc<tokio::sync::Mutex<()>> {
        let mut turns = self.inner.turns.lock().unwrap_or_else(PoisonError::into_inner);
        turns.entry(url.to_owned()).or_default().clone()
    }

    fn kept(&self) -> MutexGuard<'_, Kept> {
        self.inner.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Kept {
    fn keep(&mut self, SourcePage { url, fetched, .. }: &SourcePage) {
        let page = match (fetched, fetched.failure()) {
            (Fetched::Read { text }, _) => {
                self.bytes += text.len();
                Page::Read(Arc::new(FileText::new(text.as_bytes())))
            }
            (_, Some((result, why))) => Page::Not(result, why.to_owned()),
            (_, None) => return,
        };
        self.pages.insert(url.clone(), page);
    }
}

impl fmt::Debug for Sources {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Sources").field("names", self.inner.fetcher.names()).finish_non_exhaustive()
    }
}
