//! A pinned workspace to try patches on.

use std::sync::Arc;

use rebut_core::debate::{Trial, Tried};
use rebut_core::evidence::check::{CheckResult, Checked, Cited};
use rebut_core::evidence::mentions;
use rebut_engine::checks::{Allowed, Examiner};
use rebut_engine::workspace::pin::{Limits, Pin, Survey};
use tokio_util::sync::CancellationToken;

use crate::ground::Ground;

pub(crate) const LIMITS: Limits = Limits { files: 1000, bytes: 1 << 20, file_bytes: 64 * 1024 };

/// A pinned workspace, and whoever tries patches on it.
pub(crate) struct Bench {
    pub(crate) ground: Ground,
    pub(crate) pin: Arc<Pin>,
    pub(crate) examiner: Examiner,
}

impl Bench {
    pub(crate) fn over(ground: Ground) -> Self {
        let blobs = ground.root().join("debate/blobs");
        let packed = Survey::of(&ground.ws(), None, LIMITS).unwrap().pack(&blobs).unwrap();
        let pin = Arc::new(Pin::open(&blobs.join(packed.hash)).unwrap());
        let examiner = Examiner::over(Arc::clone(&pin) as _, &ground.ws(), Allowed::default());
        Self { ground, pin, examiner }
    }

    pub(crate) fn repository() -> Self {
        Self::over(Ground::repository())
    }

    pub(crate) async fn tries(&self, revisions: &[String], patch: &str) -> Result<String, String> {
        let trial = Trial { revisions: revisions.to_vec(), patch: patch.to_owned() };
        match self.examiner.try_patch(trial, &CancellationToken::new()).await.unwrap() {
            Tried::Applies { patch } => Ok(patch),
            Tried::Fails { why } => Err(why),
        }
    }

    pub(crate) async fn checks(&self, revisions: &[String], text: &str) -> Vec<Checked> {
        // A piece of evidence as it is listed, or prose that mentions some.
        let cited = match serde_json::from_str(text) {
            Ok(evidence) => vec![Cited::by_claim(1, evidence)],
            Err(_) => mentions(text),
        };
        assert!(!cited.is_empty(), "{text}");
        self.examiner.examine(cited, revisions, &CancellationToken::new()).await
    }

    pub(crate) async fn result(&self, revisions: &[String], text: &str) -> CheckResult {
        self.checks(revisions, text).await.remove(0).result
    }
}

/// A patch of the pool's fifth line, with this line before its hunk.
pub(crate) fn fifth(header: &str) -> String {
    format!("--- a/src/pool.rs\n+++ b/src/pool.rs\n{header}\n line 4\n-line 5\n+line five\n line 6\n")
}

pub(crate) const CANONICAL: &str =
    "@@ -2,7 +2,7 @@\n line 2\n line 3\n line 4\n-line 5\n+line five\n line 6\n line 7\n line 8\n";
