//! Addresses in a text, however they are written, and whether two of them are one page.

use crate::claims::citation::{self, Target};

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

#[cfg(test)]
mod tests {
    use super::*;

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
