//! Texts that say the opposite of each other, mostly in the same words.

/// What can be too much of one thing and too little of it.
const TOO: [(&str, &str); 13] = [
    ("early", "late"),
    ("short", "long"),
    ("strict", "lax"),
    ("strict", "loose"),
    ("strict", "lenient"),
    ("much", "little"),
    ("high", "low"),
    ("large", "small"),
    ("big", "small"),
    ("fast", "slow"),
    ("many", "few"),
    ("tight", "loose"),
    ("complex", "simple"),
];

/// Words that exclude each other wherever they stand.
const EXCLUSIVE: [(&str, &str); 9] = [
    ("once", "every"),
    ("never", "twice"),
    ("never", "always"),
    ("enabled", "disabled"),
    ("enable", "disable"),
    ("unrealistic", "generous"),
    ("missing", "redundant"),
    ("missing", "superfluous"),
    ("missing", "unnecessary"),
];

/// From which likeness on a negation in only one of two texts makes them opposites; below, they are worded too differently
/// to tell.
const ALIKE_BUT_FOR_NEGATION: f64 = 0.85;

/// The words of a text as they stand, in lower case.
#[derive(Clone, Debug)]
pub(super) struct Said(Vec<String>);

impl Said {
    pub(super) fn of(text: &str) -> Self {
        let plain = text.to_lowercase().replace("n't", " not").replace("n’t", " not");
        Self(plain.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()).map(str::to_owned).collect())
    }

    fn words(&self) -> Vec<&str> {
        self.0.iter().map(String::as_str).collect()
    }
}

/// Whether two texts say the opposite of each other. `likeness` is theirs.
pub(super) fn opposed(one: &Said, other: &Said, likeness: f64) -> bool {
    let pairs = |pairs: &[(&str, &str)], one: &[&str], other: &[&str]| {
        let only = |words: &[&str], others: &[&str], word: &str| words.contains(&word) && !others.contains(&word);
        let excludes = |a: &str, b: &str| only(one, other, a) && only(other, one, b);
        pairs.iter().any(|(a, b)| excludes(a, b) || excludes(b, a))
    };
    let (one_words, other_words) = (one.words(), other.words());
    pairs(&TOO, &behind_too(&one_words), &behind_too(&other_words))
        || pairs(&EXCLUSIVE, &one_words, &other_words)
        || (is_excess(&one_words) && is_absence(&other_words))
        || (is_excess(&other_words) && is_absence(&one_words))
        || (likeness >= ALIKE_BUT_FOR_NEGATION && denies(&one_words) != denies(&other_words))
}

/// The words behind each "too".
fn behind_too<'a>(words: &[&'a str]) -> Vec<&'a str> {
    words.windows(2).filter(|pair| pair[0] == "too").map(|pair| pair[1]).collect()
}

/// "too much", "too often".
fn is_excess(words: &[&str]) -> bool {
    behind_too(words).iter().any(|word| matches!(*word, "much" | "many" | "often"))
}

/// "not at all", "never".
fn is_absence(words: &[&str]) -> bool {
    words.contains(&"never") || words.windows(2).any(|pair| pair == ["at", "all"])
}

/// Whether something is denied or said to be missing.
fn denies(words: &[&str]) -> bool {
    let denial = |word: &&str| {
        matches!(
            *word,
            "not" | "never" | "cannot" | "no" | "without" | "nobody" | "nothing" | "none" | "neither" | "out" | "open"
        ) || ["lack", "miss", "omit", "absent", "undefined", "unspecified", "unclear", "ignor"]
            .iter()
            .any(|start| word.starts_with(start))
    };
    words.iter().any(denial)
}
