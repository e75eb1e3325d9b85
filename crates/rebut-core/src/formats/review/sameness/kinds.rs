//! Kinds of trouble, told by the words that reviewers use for them: two critics that name the same kind at the same place
//! mean the same thing, even if they share few other words.

use std::collections::BTreeSet;

/// Kinds of which there can be one for everything in a file, so that sharing them says little.
const GENERAL: [&str; 3] = ["docs", "naming", "tests"];

/// Each kind with the beginnings of its words; a hyphen stands for a space too.
const KINDS: [(&str, &str); 56] = [
    ("injection", "inject sqli concatenat interpolat parameteriz"),
    ("scripting", "xss scripting escap unescap"),
    ("traversal", "travers ../"),
    ("deadlock", "deadlock hang livelock inversion"),
    ("race", "race concurren simultan thread atomic volatile"),
    ("authorization", "authoriz authoris permission privileg forbidden owns unauthor"),
    ("forgery", "forge spoof tamper signature"),
    ("exposure", "expos visible leak disclos reveal plaintext redact unredact logg print"),
    ("expiry", "expir stale ttl outdated"),
    ("unreleased", "leak unclosed close dangling freed cleanup cycle weak retain"),
    ("memory", "memory oom exhaust unbound grow evict"),
    ("wraparound", "overflow underflow wraps"),
    ("bounds", "bounds index off-by-one past strcpy overrun"),
    ("panic", "panic unwrap crash abort"),
    ("null", "null nil dereferenc undefined"),
    ("ignored", "ignor discard swallow silent vanish lost disappear"),
    ("endless", "unlimit unbound limit maximum endless infinite forever never-ends"),
    ("slow", "slow quadratic linear n+1 complexity inefficient exponential backtrack redos degrad"),
    ("rounding", "float round decimal"),
    ("weak-hash", "md5 sha1 bcrypt argon2"),
    ("interception", "certificate man-in-the-middle mitm intercept"),
    ("timing", "timing constant-time"),
    ("forwarding", "ssrf redirect"),
    ("twice", "idempot twice double duplicat"),
    ("rollback", "rollback revert reversib undo"),
    ("breaking", "compatib breaking backward"),
    ("docs", "document doc docs comment docstring"),
    ("tests", "test tests coverage untested"),
    ("naming", "name rename naming descriptive"),
    ("hard-coded", "hard-coded hardcoded"),
    ("irreproducible", "reproduc pinned pin seed"),
    ("quoting", "quot unquot"),
    ("time-zone", "timezone utc time-zone"),
    ("leftover", "left-behind leftover clean remov"),
    ("exit-code", "exit status"),
    ("timeout", "timeout deadline hang stuck respond unresponsive blocks-for indefinite wait-for"),
    ("transaction", "transaction commit rollback rolled roll"),
    ("encoding", "utf unicode multi-byte non-ascii ascii character encoding"),
    ("division", "divid division zero"),
    ("privilege", "root privileg sudo setuid admin capabilit"),
    ("guessable", "guess predict entropy brute random seed bits"),
    ("scan", "index scan lookup"),
    ("order", "order sort ties tie stable reorder determinis"),
    ("configured", "startup start-up restart reload hot runtime run-time toggl flag"),
    ("unchecked-status", "status 200 404 500"),
    ("allocation", "realloc malloc alloc free"),
    ("mutation", "mutat immutab direct setstate"),
    ("regex", "regex regular-expression backtrack quantifier redos"),
    ("detached", "spawn detach join await cancel outlive"),
    ("clock", "clock time-jump system-time monotonic backwards"),
    ("oncall", "paged on-call oncall alert pager"),
    ("gradual", "canary staged gradual big-bang all-at-once at-once phase"),
    ("unused", "unused dead-code unreachable"),
    ("deserializing", "deseriali unseriali pickle unmarshal"),
    ("all-at-once", "backoff back-off jitter thundering stampede"),
    ("daylight-saving", "dst daylight"),
];

/// The kinds of trouble that a text names.
#[derive(Clone, Debug)]
pub(super) struct Kinds(BTreeSet<&'static str>);

impl Kinds {
    pub(super) fn of(text: &str) -> Self {
        let lower = text.to_lowercase();
        let is_mark = |c: char| !c.is_ascii_alphanumeric() && !matches!(c, '+' | '.' | '/' | '-');
        let words: Vec<&str> = lower.split(is_mark).filter(|word| !word.is_empty()).collect();
        let names = |cue: &str| {
            words.iter().any(|word| word.starts_with(cue)) || (cue.contains('-') && lower.contains(&cue.replace('-', " ")))
        };
        Self(KINDS.iter().filter(|(_, cues)| cues.split(' ').any(names)).map(|(kind, _)| *kind).collect())
    }

    /// What the kinds add to the likeness of two texts: most where both name the same, less than nothing where both name
    /// some and share none.
    pub(super) fn bonus(&self, other: &Self) -> f64 {
        let both = self.0.intersection(&other.0).count();
        let all = self.0.union(&other.0).count();
        match (both, self.0.is_empty() || other.0.is_empty()) {
            (0, true) => 0.0,
            (0, false) => -0.15,
            (both, _) => 0.4 * super::words::count(both) / super::words::count(all),
        }
    }

    /// Whether they share a kind that says something.
    pub(super) fn meet(&self, other: &Self) -> bool {
        self.0.intersection(&other.0).any(|kind| !GENERAL.contains(kind))
    }
}
