//! Cited web pages: fetched once, kept and searched. Only if the user allows it.
//!
//! [`address`] decides what may be asked, [`names`] resolves hosts, [`fetch`] fetches a page and [`text`] extracts its text.
//! Whether a page says what a citation claims is decided in the core
//! ([`judge_page`](rebut_core::evidence::check::judge_page)).

mod address;
mod fetch;
mod html;
mod names;
mod text;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use futures_util::stream::{self, StreamExt};
use rebut_core::evidence::check::{FileText, Judgement};
use rebut_core::evidence::source::{Fetched, SourcePage};
use tokio::sync::OnceCell;
use tokio_util::sync::CancellationToken;

use fetch::Fetcher;

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
#[derive(Clone, Debug)]
pub struct Sources {
    inner: Arc<Inner>,
}

#[derive(Debug)]
struct Inner {
    fetcher: Fetcher,
    /// By address; several statements can cite a page at the same time, and it is fetched once.
    pages: Mutex<BTreeMap<String, Arc<OnceCell<Page>>>>,
    /// Those that are in no journal yet, in the order in which they came.
    new: Mutex<Vec<SourcePage>>,
    bytes: AtomicUsize,
}

/// A page that quotes are searched in, or the result for every citation of it.
#[derive(Clone, Debug)]
pub(super) enum Page {
    Read(Arc<FileText>),
    Not(Judgement),
}

impl Sources {
    /// Pages that are fetched by names as these know them.
    pub fn new(names: Names) -> Self {
        Self::within(PAGE_LIMIT, names)
    }

    /// The same with another limit on how long a page may take.
    pub fn within(limit: Duration, names: Names) -> Self {
        let (pages, new) = (Mutex::default(), Mutex::default());
        Self { inner: Arc::new(Inner { fetcher: Fetcher::new(names, limit), pages, new, bytes: AtomicUsize::new(0) }) }
    }

    /// Adds pages that were fetched earlier in the debate: they are not fetched again.
    pub fn know<'a>(&self, pages: impl IntoIterator<Item = &'a SourcePage>) {
        for page in pages {
            self.pages().insert(page.url.clone(), Arc::new(OnceCell::new_with(Some(self.kept(page)))));
        }
    }

    /// Fetches those of the pages that are not known yet. Once cancelled it ends soon; what is not fetched then stays
    /// unknown.
    ///
    /// A page that could not be fetched is known as such, and is not tried again.
    pub async fn fetch(&self, urls: &[String], cancel: &CancellationToken) {
        let mut seen = BTreeSet::new();
        let addresses = urls.iter().map(|url| SourcePage::address(url));
        let unknown = addresses.filter(|address| self.page(address).is_none() && seen.insert(*address));
        let wanted: Vec<String> = unknown.take(MOST_PAGES).map(str::to_owned).collect();
        let one = |url: String| async move {
            let page = Arc::clone(self.pages().entry(url.clone()).or_default());
            // What is not kept stays unknown.
            let _ = page.get_or_try_init(|| self.fetch_one(url)).await;
        };
        let all = stream::iter(wanted.into_iter().map(one)).buffer_unordered(AT_ONCE).collect::<Vec<()>>();
        let _ = cancel.run_until_cancelled(tokio::time::timeout(LIMIT, all)).await;
    }

    async fn fetch_one(&self, url: String) -> Result<Page, ()> {
        if self.inner.bytes.load(Ordering::Relaxed) > MOST_KEPT {
            return Err(());
        }
        let page = self.inner.fetcher.fetch(url).await;
        let kept = self.kept(&page);
        self.inner.new.lock().unwrap_or_else(PoisonError::into_inner).push(page);
        Ok(kept)
    }

    /// The pages that were fetched since the last call, for the journal.
    pub fn take_new(&self) -> Vec<SourcePage> {
        std::mem::take(&mut self.inner.new.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// A page that is known.
    pub(super) fn page(&self, url: &str) -> Option<Page> {
        self.pages().get(SourcePage::address(url)).and_then(|page| page.get().cloned())
    }

    fn kept(&self, page: &SourcePage) -> Page {
        match &page.fetched {
            Fetched::Read { text } => {
                self.inner.bytes.fetch_add(text.len(), Ordering::Relaxed);
                Page::Read(Arc::new(FileText::new(text.as_bytes())))
            }
            Fetched::Not { result, why } => Page::Not(Judgement::new(*result, why)),
        }
    }

    fn pages(&self) -> MutexGuard<'_, BTreeMap<String, Arc<OnceCell<Page>>>> {
        self.inner.pages.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
