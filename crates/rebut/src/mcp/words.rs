//! The words of a slash command, read as a command line: by the same parser, and with the same flags.

use crate::cli;
use crate::commands::Command;
use crate::mcp::names::FormatName;

/// A command line that a host's words stand for.
#[derive(Debug)]
pub(super) struct CommandLine {
    pub(super) format: FormatName,
    /// What comes after the name of the format.
    pub(super) words: Vec<String>,
    pub(super) command: Command,
}

/// Reads the words. Their first one may name the format; else it is the one that is asked for. Where nothing says what to
/// debate, the uncommitted changes are reviewed, as `rebut review` does.
pub(super) fn read(text: &str, asked: Option<FormatName>) -> Result<CommandLine, String> {
    let mut words = split(text);
    let named = FormatName::ALL.into_iter().find(|format| words.first().is_some_and(|word| word == format.as_str()));
    if named.is_some() {
        words.remove(0);
    }
    if let Some(format) = named.or(asked) {
        return parse(format, words);
    }
    let duel = parse(FormatName::Duel, words.clone());
    if duel.as_ref().is_ok_and(|line| line.command.asked().has_topic) {
        return duel;
    }
    let review = parse(FormatName::Review, words);
    match (duel, review) {
        (_, Ok(review)) if !review.command.asked().has_topic => Ok(review),
        // A topic with flags that a duel does not have is no text to review.
        (Err(error), _) | (Ok(_), Err(error)) => Err(error),
        (Ok(duel), Ok(_)) => Ok(duel),
    }
}

/// Reads the words of a command line after the name of the format.
pub(super) fn parse(format: FormatName, words: Vec<String>) -> Result<CommandLine, String> {
    let line = ["rebut", format.as_str()].into_iter().chain(words.iter().map(String::as_str));
    let parsed = cli::read(line.map(Into::into).collect())?;
    if parsed.shared.state_dir.is_some() {
        return Err("--state-dir is for the command line; debates are kept where this server keeps them".to_owned());
    }
    Ok(CommandLine { format, words, command: parsed.command })
}

/// The words of a line. Quotation marks around a word, or around the value of a flag, hold it together; one that is not
/// closed, or stands inside a word as in `what's`, is a character like any other.
fn split(text: &str) -> Vec<String> {
    let mut words = Vec::new();
    let mut rest = text.trim_start();
    while !rest.is_empty() {
        let plain = rest.find(char::is_whitespace).unwrap_or(rest.len());
        // `--topic="a b"`: what stands before the value belongs to the word.
        let value = if rest.starts_with("--") { rest[..plain].find('=').map_or(0, |at| at + 1) } else { 0 };
        let (word, end) = match quoted(&rest[value..]) {
            Some((inner, length)) => (format!("{}{inner}", &rest[..value]), value + length),
            None => (rest[..plain].to_owned(), plain),
        };
        words.push(word);
        rest = rest[end..].trim_start();
    }
    words
}

/// What stands between quotation marks at the beginning of a text, and how many bytes it takes with them.
fn quoted(text: &str) -> Option<(&str, usize)> {
    const MARKS: [(char, char); 4] = [('"', '"'), ('\'', '\''), ('“', '”'), ('‘', '’')];
    let (open, close) = MARKS.into_iter().find(|(open, _)| text.starts_with(*open))?;
    let inner = &text[open.len_utf8()..];
    let ends = inner.match_indices(close).find(|(at, mark)| {
        let after = &inner[at + mark.len()..];
        after.is_empty() || after.starts_with(char::is_whitespace)
    });
    ends.map(|(at, mark)| (&inner[..at], open.len_utf8() + at + mark.len()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(text: &str) -> String {
        match read(text, None) {
            Ok(CommandLine { format, words, .. }) => format!("{} {}", format.as_str(), words.join("|")),
            Err(error) => format!("error: {}", error.lines().next().unwrap_or_default()),
        }
    }

    #[test]
    fn words_are_split_as_people_write_them() {
        for (text, words) in [
            ("What's the right retry policy?", &["What's", "the", "right", "retry", "policy?"][..]),
            ("\"Ship it now?\" --rounds 3", &["Ship it now?", "--rounds", "3"]),
            ("--context='file=my notes.md' go", &["--context=file=my notes.md", "go"]),
            ("“Ship it?” --tools a,b", &["Ship it?", "--tools", "a,b"]),
            ("an \"open end", &["an", "\"open", "end"]),
            ("say \"hi\", then", &["say", "\"hi\",", "then"]),
            ("  ", &[]),
        ] {
            assert_eq!(split(text), words, "{text}");
        }
    }

    #[test]
    fn the_words_say_which_debate_it_is() {
        let duel = "duel Should|we|shard?|--proposer|claude|--challenger|gemini|--rounds|3";
        assert_eq!(told("Should we shard? --proposer claude --challenger gemini --rounds 3"), duel);
        assert_eq!(told(""), "review ");
        assert_eq!(told("--target auto --max-rounds 3 --mode auto"), "review --target|auto|--max-rounds|3|--mode|auto");
        assert_eq!(told("review --scope base:main"), "review --scope|base:main");
        assert_eq!(told("panel Four-day week? --max-rounds 2"), "panel Four-day|week?|--max-rounds|2");
        assert_eq!(told("Ship it? --max-rounds 3"), "error: unexpected argument '--max-rounds' found");
        assert_eq!(told("Ship it? --proposr claude"), "error: unexpected argument '--proposr' found");
        assert!(told("Ship it? --state-dir /tmp").starts_with("error: --state-dir is for the command line"));
        assert!(read("--help", Some(FormatName::Duel)).unwrap_err().contains("--proposer <SEAT>"), "help ends no server");
    }
}
