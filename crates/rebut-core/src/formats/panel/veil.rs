//! Redacted words are taken out of whatever is shown after they were redacted: the entry itself, and every longer run of
//! its words where somebody else repeats them.

use std::collections::BTreeSet;

/// What stands where words were taken out.
pub const REDACTED: &str = "[REDACTED]";
/// So many words in a row that stand in a redacted entry are taken for a quotation of it.
const RUN: usize = 6;

/// The words that may not be shown any more.
#[derive(Clone, Debug, Default)]
pub struct Veil {
    runs: BTreeSet<Vec<String>>,
}

impl Veil {
    /// A veil over these texts. Runs of words that stand in `free` too, such as the topic, are nobody's alone.
    pub fn over<'a>(texts: impl IntoIterator<Item = &'a str>, free: &str) -> Self {
        let free = runs(&words(free), RUN);
        let mut hidden = BTreeSet::new();
        for text in texts {
            let words = words(text);
            // A text that is shorter than a run is hidden as a whole.
            hidden.extend(runs(&words, RUN.min(words.len()).max(3)));
        }
        Self { runs: hidden.difference(&free).cloned().collect() }
    }

    /// Whether nothing is hidden.
    pub fn is_empty(&self) -> bool {
        self.runs.is_empty()
    }

    /// Whether a text repeats hidden words.
    pub fn covers(&self, text: &str) -> bool {
        !self.hidden(text).is_empty()
    }

    /// The text with hidden words taken out.
    pub fn over_text(&self, text: &str) -> String {
        let mut shown = String::new();
        let mut from = 0;
        for (start, end) in self.hidden(text) {
            shown.push_str(&text[from..start]);
            shown.push_str(REDACTED);
            from = end;
        }
        shown.push_str(&text[from..]);
        shown
    }

    /// The stretches of the text that are hidden, in order and apart from each other.
    fn hidden(&self, text: &str) -> Vec<(usize, usize)> {
        if self.runs.is_empty() {
            return Vec::new();
        }
        let places = places(text);
        let plain: Vec<String> = places.iter().map(|(start, end)| text[*start..*end].to_lowercase()).collect();
        let lengths: BTreeSet<usize> = self.runs.iter().map(Vec::len).collect();
        let mut found: Vec<(usize, usize)> = Vec::new();
        for at in 0..plain.len() {
            for length in lengths.iter().copied().filter(|length| at + length <= plain.len()) {
                if self.runs.contains(&plain[at..at + length]) {
                    let (start, end) = (places[at].0, places[at + length - 1].1);
                    match found.last_mut() {
                        Some(last) if start <= last.1 => last.1 = last.1.max(end),
                        _ => found.push((start, end)),
                    }
                }
            }
        }
        found
    }
}

/// Where the words of a text stand.
fn places(text: &str) -> Vec<(usize, usize)> {
    let mut places = Vec::new();
    let mut start = None;
    for (at, c) in text.char_indices() {
        match (c.is_alphanumeric(), start) {
            (true, None) => start = Some(at),
            (false, Some(from)) => {
                places.push((from, at));
                start = None;
            }
            _ => {}
        }
    }
    places.extend(start.map(|from| (from, text.len())));
    places
}

fn words(text: &str) -> Vec<String> {
    places(text).into_iter().map(|(start, end)| text[start..end].to_lowercase()).collect()
}

fn runs(words: &[String], length: usize) -> BTreeSet<Vec<String>> {
    if length == 0 { BTreeSet::new() } else { words.windows(length).map(<[String]>::to_vec).collect() }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use proptest::test_runner::RngSeed;

    use super::*;

    const LIE: &str = "Nine of ten teams dropped review within a year, says the Harlow survey.";

    #[test]
    fn repeated_words_are_taken_out_and_all_others_stay() {
        let veil = Veil::over([LIE], "Should teams drop review?");
        assert_eq!(
            veil.over_text("Anna says that NINE of ten teams dropped review within a year; I doubt it."),
            "Anna says that [REDACTED]; I doubt it."
        );
        assert_eq!(veil.over_text("Teams dropped review."), "Teams dropped review.");
        assert!(Veil::over(["A short lie"], "").covers("It is a short lie, then."));
        assert!(!Veil::default().covers(LIE));
    }

    #[test]
    fn words_of_the_topic_are_nobodys_alone() {
        let topic = "Should AI code review replace human review?";
        let veil = Veil::over(["Yes: should AI code review replace human review? It must."], topic);
        assert_eq!(veil.over_text(topic), topic);
    }

    proptest! {
        #![proptest_config(ProptestConfig { rng_seed: RngSeed::Fixed(7), ..ProptestConfig::default() })]

        #[test]
        fn nothing_hidden_is_left_in_a_text(before in "\\PC{0,40}", after in "\\PC{0,40}") {
            let veil = Veil::over([LIE], "");
            let shown = veil.over_text(&format!("{before} {LIE} {after}"));
            prop_assert!(!shown.contains("dropped review within"));
            prop_assert!(!veil.covers(&shown));
        }
    }
}
