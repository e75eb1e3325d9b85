//! Closed questions: which answers can be given, and which one an answer gives.

/// What a partner answers that takes none of the options.
pub const UNDECIDED: &str = "undecided";

/// The fewest and the most options of a question.
pub const COUNT: std::ops::RangeInclusive<usize> = 2..=12;
/// The longest option, in characters.
const LONGEST: usize = 80;

/// Options that cannot be used.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum OptionsError {
    /// Too few or too many.
    #[error("a closed question has {} to {} options, and these are {count}", COUNT.start(), COUNT.end())]
    Count {
        /// How many there are.
        count: usize,
    },
    /// One twice.
    #[error("the option `{0}` is named twice")]
    Twice(String),
    /// One that cannot be told from prose.
    #[error("the option `{0}` is no short phrase in one line")]
    Unusable(String),
    /// The word that is kept for no option.
    #[error("`{UNDECIDED}` is always possible, and no option of its own")]
    Undecided,
}

/// Reads a list of options as it is typed: `a,b,c`.
pub fn read_list(text: &str) -> Result<Vec<String>, OptionsError> {
    let options: Vec<String> = text.split(',').map(|option| option.trim().to_owned()).collect();
    let options: Vec<String> = options.into_iter().filter(|option| !option.is_empty()).collect();
    if !COUNT.contains(&options.len()) {
        return Err(OptionsError::Count { count: options.len() });
    }
    for (place, option) in options.iter().enumerate() {
        if option.chars().count() > LONGEST || option.chars().any(char::is_control) || plain(option).is_empty() {
            return Err(OptionsError::Unusable(option.chars().take(LONGEST).filter(|c| !c.is_control()).collect()));
        }
        if plain(option) == UNDECIDED {
            return Err(OptionsError::Undecided);
        }
        if options[..place].iter().any(|other| plain(other) == plain(option)) {
            return Err(OptionsError::Twice(option.clone()));
        }
    }
    Ok(options)
}

/// Words with which a question begins that is answered with yes or no.
const ASKING: [&str; 24] = [
    "should",
    "shall",
    "is",
    "are",
    "was",
    "were",
    "do",
    "does",
    "did",
    "can",
    "could",
    "will",
    "would",
    "has",
    "have",
    "had",
    "must",
    "may",
    "might",
    "am",
    "isn't",
    "aren't",
    "shouldn't",
    "doesn't",
];

/// Whether a question reads as one for yes or no: it is one sentence in English that begins with a verb which asks, and
/// names no alternative.
pub fn asks_yes_or_no(question: &str) -> bool {
    let question = question.trim();
    let Some(body) = question.strip_suffix('?') else { return false };
    let lower = body.to_lowercase().replace('\u{2019}', "'");
    let words: Vec<&str> = lower.split_whitespace().map(|word| word.trim_matches([',', '"', '(', ')'])).collect();
    let one_sentence = !body.contains(['?', '\n']) && !body.contains(". ") && !body.contains(": ");
    let bare = match words.as_slice() {
        [before @ .., "or", "not"] => before,
        all => all,
    };
    one_sentence
        && bare.first().is_some_and(|first| ASKING.contains(first))
        && !bare.contains(&"or")
        && !asks_for_something(bare)
}

/// Whether a question asks politely for something to be said: "Can you list the best databases?"
fn asks_for_something(words: &[&str]) -> bool {
    const SAYING: [&str; 26] = [
        "list",
        "name",
        "explain",
        "describe",
        "suggest",
        "recommend",
        "give",
        "tell",
        "show",
        "write",
        "compare",
        "summarise",
        "summarize",
        "propose",
        "outline",
        "find",
        "help",
        "review",
        "draft",
        "design",
        "rank",
        "pick",
        "choose",
        "say",
        "provide",
        "advise",
    ];
    let rest = match words {
        ["can" | "could" | "will" | "would", "you" | "someone" | "somebody" | "anyone", rest @ ..] => rest,
        ["may" | "can" | "could", "i", "ask" | "know" | "have", ..] => return true,
        _ => return false,
    };
    let rest = match rest {
        ["please" | "kindly" | "briefly", rest @ ..] => rest,
        all => all,
    };
    rest.first().is_some_and(|verb| SAYING.contains(verb))
}

/// The option that a stated position takes, in the option's own spelling; [`UNDECIDED`] where it says so.
pub fn taken<'a>(options: &'a [String], position: &str) -> Option<&'a str> {
    let said = plain(position);
    let all = || options.iter().map(String::as_str).chain([UNDECIDED]);
    if let Some(exact) = all().find(|option| plain(option) == said) {
        return Some(exact);
    }
    // "Yes, but only …" takes yes; of options of which one begins with the other, the longer one is meant.
    let begins = |option: &&str| {
        said.strip_prefix(plain(option).as_str()).is_some_and(|rest| rest.starts_with(|c: char| !c.is_alphanumeric()))
    };
    let mut fitting: Vec<&str> = all().filter(begins).collect();
    fitting.sort_by_key(|option| std::cmp::Reverse(option.len()));
    // What follows must not take another one: "yes or no" takes none.
    let chosen = *fitting.first()?;
    let rest = said.strip_prefix(plain(chosen).as_str()).unwrap_or_default();
    let words = |text: &str| -> Vec<String> {
        text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()).map(str::to_owned).collect()
    };
    let others = words(&without_sayings(rest));
    let names_another = options.iter().filter(|option| *option != chosen).any(|option| {
        let wanted = words(&plain(option));
        others.windows(wanted.len().max(1)).any(|window| window == wanted.as_slice())
    });
    (!names_another).then_some(chosen)
}

/// A text without turns of phrase in which `no` is no answer.
fn without_sayings(text: &str) -> String {
    const SAYINGS: [&str; 8] =
        ["no doubt", "no question", "no reason", "no matter", "no need", "no longer", "no other", "no objection"];
    SAYINGS.iter().fold(text.to_owned(), |text, saying| text.replace(saying, " "))
}

/// A position in lower case, without marks around it.
fn plain(text: &str) -> String {
    let words: Vec<&str> = text.split_whitespace().collect();
    let text = words.join(" ").to_lowercase();
    text.trim_matches(['.', '!', '"', '\'', '`', '*', '(', ')', '[', ']', ' ', ':', ',', '\u{201c}', '\u{201d}']).to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_are_read_from_a_list() {
        assert_eq!(read_list("yes,no").unwrap(), ["yes", "no"]);
        assert_eq!(read_list("TCP/IP, QUIC").unwrap(), ["TCP/IP", "QUIC"]);
        assert_eq!(read_list("yes/no"), Err(OptionsError::Count { count: 1 }));
        assert_eq!(read_list(" Postgres , SQLite,").unwrap(), ["Postgres", "SQLite"]);
        assert_eq!(read_list("only"), Err(OptionsError::Count { count: 1 }));
        assert_eq!(read_list("a,A"), Err(OptionsError::Twice("A".into())));
        assert_eq!(read_list("a,undecided"), Err(OptionsError::Undecided));
        assert_eq!(read_list("a,\"\""), Err(OptionsError::Unusable("\"\"".into())));
    }

    #[test]
    fn a_question_for_yes_or_no_is_known_by_its_words() {
        for question in
            ["Should we ship?", "Is this safe or not?", "Does the pool leak, as issue 7 says?", "Can you trust it?"]
        {
            assert!(asks_yes_or_no(question), "{question}");
        }
        for question in [
            "Should we use gRPC or REST?",
            "Which database fits?",
            "Should we ship",
            "We ship on Fridays. Should we?",
            "Is it: a, b?",
            "Sollen wir liefern?",
            "Can you list the best databases?",
            "Could you please explain what fits us?",
            "May I ask what you think of it?",
        ] {
            assert!(!asks_yes_or_no(question), "{question}");
        }
    }

    #[test]
    fn a_position_takes_one_option_or_none() {
        let options = |text: &str| read_list(text).unwrap();
        let yes_no = options("yes,no");
        for (said, option) in [
            ("yes", Some("yes")),
            ("**Yes.**", Some("yes")),
            ("No, not before the audit", Some("no")),
            ("undecided", Some(UNDECIDED)),
            ("Yes - no doubt about it", Some("yes")),
            ("Yes, no question.", Some("yes")),
            ("yes or no", None),
            ("Yes - no, wait", None),
            ("yes and no", None),
            ("not sure", None),
            ("maybe", None),
            ("", None),
        ] {
            assert_eq!(taken(&yes_no, said), option, "{said}");
        }
        let nested = options("Postgres,Postgres with Citus");
        assert_eq!(taken(&nested, "postgres with citus, sharded"), Some("Postgres with Citus"));
        assert_eq!(taken(&nested, "Postgres"), Some("Postgres"));
    }
}
