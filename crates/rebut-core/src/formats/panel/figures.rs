//! Figures and addresses in a text: what a closing may not bring in anew, and what must stand in a cited page.

use crate::claims::citation::{self, Target};

/// Units that make a figure of a number of one digit.
const UNITS: [&str; 9] = ["%", "percent", "million", "billion", "trillion", "bn", "m", "k", "x"];

/// The figures of a text as they are written: numbers with a percent sign, a currency, a decimal, a unit of size behind
/// them, or of at least two digits. References to entries (`seq 12`), rounds, lists and parts of words are none.
pub(super) fn figures(text: &str) -> Vec<String> {
    let text = without_addresses(text);
    let words: Vec<&str> = text.split_whitespace().collect();
    let mut found = Vec::new();
    for (at, word) in words.iter().enumerate() {
        let before = at.checked_sub(1).map(|at| plain(words[at]));
        if before.as_deref().is_some_and(|word| matches!(word, "seq" | "seqs" | "round" | "rounds" | "entry")) {
            continue;
        }
        let bare = word.trim_matches(|c: char| !c.is_ascii_digit() && !matches!(c, '%' | '$' | '€' | '£'));
        let number: String = bare.chars().filter(char::is_ascii_digit).collect();
        if number.is_empty() || word.chars().filter(|c| c.is_alphabetic()).count() > 2 || word.starts_with("[seq") {
            continue;
        }
        // `1.` and `2)` number the items of a list.
        let listed =
            bare.len() == number.len() && number.len() < 3 && word.ends_with([')', '.']) && starts_line(&text, word);
        let marked = bare.contains(['%', '$', '€', '£', '.', ',']) && bare.len() > 1;
        let unit = words.get(at + 1).map(|next| plain(next)).is_some_and(|next| UNITS.contains(&next.as_str()));
        // `7 of 9` is one figure.
        let of = words.get(at + 1).is_some_and(|next| plain(next) == "of");
        let whole = words.get(at + 2).map(|last| plain(last)).filter(|last| of && last.parse::<u64>().is_ok());
        if let Some(last) = whole.filter(|_| !listed) {
            let shown = format!("{bare} of {last}");
            if !found.contains(&shown) {
                found.push(shown);
            }
        }
        if !listed && (marked || unit || number.len() >= 2) {
            let shown = if unit { format!("{bare} {}", plain(words[at + 1])) } else { bare.to_owned() };
            if !found.contains(&shown) {
                found.push(shown);
            }
        }
    }
    found
}

/// The value of a figure, so that `1,200` is `1200` and `41 %` is `41%`, `41 percent`.
pub(super) fn value(figure: &str) -> String {
    let number: String = figure.chars().filter(|c| c.is_ascii_digit() || *c == '.').collect();
    let number = number.trim_end_matches('.');
    if let Some((part, all)) = figure.split_once(" of ") {
        return format!("{} of {}", value(part), value(all));
    }
    let number = if number.contains('.') { number.trim_end_matches('0').trim_end_matches('.') } else { number };
    let percent = figure.contains('%') || figure.contains("percent");
    format!("{number}{}", if percent { "%" } else { "" })
}

/// The addresses on the web that a text holds.
pub(super) fn addresses(text: &str) -> Vec<String> {
    let mut found = Vec::new();
    for citation in citation::find(text) {
        if let Target::Page { url } = citation.target
            && !found.contains(&url)
        {
            found.push(url);
        }
    }
    // What the finder leaves alone, such as a host of this machine, is an address all the same.
    for word in text.split(|c: char| c.is_whitespace() || matches!(c, '(' | ')' | '<' | '>' | '"' | '[' | ']')) {
        let word = word.trim_end_matches(['.', ',', ';', ':', '!', '?', '\'']);
        if (word.starts_with("https://") || word.starts_with("http://")) && !found.iter().any(|known| same(known, word)) {
            found.push(word.to_owned());
        }
    }
    found
}

/// An address without what it begins with.
pub(super) fn bare(url: &str) -> &str {
    let url = url.split_once("://").map_or(url, |(_, rest)| rest);
    url.strip_prefix("www.").unwrap_or(url)
}

/// Addresses that are written without what an address begins with: `www.example.com`, `example.com/page`, `doi:10.1/2`.
pub(super) fn bare_addresses(text: &str) -> Vec<String> {
    let words = text.split(|c: char| c.is_whitespace() || matches!(c, '(' | ')' | '<' | '>' | '"' | '[' | ']'));
    let address = |word: &str| {
        let word = word.trim_matches(|c: char| !c.is_alphanumeric());
        let lower = word.to_lowercase();
        let (host, path) = lower.split_once('/').map_or((lower.as_str(), false), |(host, _)| (host, true));
        let labels: Vec<&str> = host.split('.').collect();
        let top = labels.last().is_some_and(|top| top.len() > 1 && top.chars().all(|c| c.is_ascii_alphabetic()));
        let is_host = labels.len() > 1 && top && labels.iter().all(|label| !label.is_empty());
        let found =
            !lower.contains("://") && ((is_host && (path || lower.starts_with("www."))) || lower.starts_with("doi:"));
        found.then(|| word.to_owned())
    };
    words.filter_map(address).collect()
}

/// Whether two addresses are one page, whatever the fragment and the slash at the end.
pub(super) fn same(one: &str, other: &str) -> bool {
    fn bare(url: &str) -> &str {
        url.split('#').next().unwrap_or(url).trim_end_matches('/')
    }
    bare(one) == bare(other)
}

fn without_addresses(text: &str) -> String {
    let line = |line: &str| {
        let words = line.split(' ').filter(|word| !word.contains("://"));
        words.collect::<Vec<_>>().join(" ")
    };
    text.lines().map(line).collect::<Vec<_>>().join("\n")
}

fn starts_line(text: &str, word: &str) -> bool {
    text.lines().any(|line| line.trim_start().starts_with(word))
}

fn plain(word: &str) -> String {
    word.trim_matches(|c: char| !c.is_alphanumeric() && c != '%').to_lowercase()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_are_told_from_references_lists_and_names() {
        assert_eq!(
            figures("It takes 41 % of 1,200 runs, $3.5 million and 7 percent."),
            ["41 %", "1,200", "$3.5 million", "7 percent"]
        );
        assert_eq!(
            figures("See seq 12 and round 3; 1. first\n2) second; HTTP2 and https://example.com/2024/55"),
            Vec::<String>::new()
        );
        assert_eq!(figures("Three of 4 agreed."), Vec::<String>::new());
        assert_eq!(figures("In 2024 it was 17."), ["2024", "17"]);
        assert_eq!(figures("It was 7 of 9."), ["7 of 9"]);
    }

    #[test]
    fn a_figure_has_one_value_however_it_is_written() {
        assert_eq!(value("41 %"), value("41%"));
        assert_eq!(value("41 percent"), value("41%"));
        assert_eq!(value("1,200"), value("1200"));
        assert_eq!(value("3.50"), value("3.5"));
        assert_ne!(value("41 %"), value("41"));
    }

    #[test]
    fn addresses_are_found_once() {
        let text = "See (https://example.com/a), https://example.com/a and http://localhost/x.";
        assert_eq!(addresses(text), ["https://example.com/a", "http://localhost/x"]);
        assert!(same("https://example.com/a/", "https://example.com/a#part"));
        assert_eq!(
            bare_addresses("See www.example.com, (example.com/a), doi:10.1/2, docs/a.md, and/or https://example.com/b."),
            ["www.example.com", "example.com/a", "doi:10.1/2"]
        );
    }
}
