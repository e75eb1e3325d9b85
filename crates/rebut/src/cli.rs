//! The command line: what can be typed, and what a bare topic means.

use std::ffi::OsString;
use std::path::PathBuf;

use clap::error::ErrorKind;
use clap::{Args, CommandFactory, Parser};
use rebut_core::debate::DebateId;
use rebut_engine::planning::Host;

use crate::commands::Command;
use crate::error::CommandError;

/// AI tools argue a decision out under rules that are enforced
#[derive(Debug, Parser)]
#[command(name = "rebut", version, subcommand_required = true, after_long_help = EXAMPLES)]
#[command(override_usage = "rebut TOPIC [OPTIONS]\n       rebut COMMAND [OPTIONS]")]
pub(crate) struct Arguments {
    /// What to do.
    #[command(subcommand)]
    pub(crate) command: Command,
    /// What holds for every command.
    #[command(flatten)]
    pub(crate) shared: Shared,
}

/// What holds for every command, shown behind what is a command's own.
#[derive(Clone, Debug, Args)]
#[command(next_display_order = 900)]
pub(crate) struct Shared {
    /// Stream events as JSON lines on standard output; text for people goes to standard error
    #[arg(long, global = true)]
    pub(crate) json: bool,
    /// Show only the result: of a debate, the verdict alone
    #[arg(long, short, global = true, conflicts_with = "verbose")]
    pub(crate) quiet: bool,
    /// Show also what is asked, tried again and rejected
    #[arg(long, short, global = true)]
    pub(crate) verbose: bool,
    /// No colours (also: NO_COLOR)
    #[arg(long, global = true)]
    pub(crate) no_color: bool,
    /// Where debates are kept [default: $REBUT_STATE_DIR, else the platform's state directory]
    #[arg(long, global = true, value_name = "DIR")]
    pub(crate) state_dir: Option<PathBuf>,
}

const EXAMPLES: &str = "\
Examples:
  rebut \"Should we replace our REST gateway with gRPC?\" --proposer claude --challenger gemini
  rebut \"codex vs gemini about our retry policy, 3 rounds, thorough\"
  rebut resume            go on with the last debate that was cut off
  rebut show last         read it again

Exit codes: 0 done, 1 failed, 2 usage, 3 partial or uncontested, 4 findings remain, 130 cancelled";

/// Flags that may stand before a command and take no value.
const SHARED_FLAGS: [&str; 6] = ["--json", "--quiet", "-q", "--verbose", "-v", "--no-color"];

/// The commands that hold a debate.
pub(crate) const DEBATES: [&str; 5] = ["duel", "review", "ask", "cross", "panel"];

/// What clap adds to the commands: help on one of them.
const HELP: &str = "help";

/// Words that people type for a command of another name.
const ALIKE: [(&str, &str); 9] = [
    ("status", "show"),
    ("result", "show"),
    ("view", "show"),
    ("continue", "resume"),
    ("stop", "cancel"),
    ("kill", "cancel"),
    ("delete", "rm"),
    ("remove", "rm"),
    ("uninstall", "install TOOL --uninstall"),
];

/// Stands for a command line on standard input, as a list of words in JSON: one on the command line itself has an end, and
/// everybody on the machine can read it. For this program calling itself.
pub(crate) const ON_STDIN: &str = "--arguments-on-stdin";

/// The arguments, with those on standard input in their place.
pub(crate) fn with_stdin(mut arguments: Vec<OsString>) -> Result<Vec<OsString>, CommandError> {
    if arguments.last().is_some_and(|last| last == ON_STDIN) {
        arguments.pop();
        let words: Vec<String> = serde_json::from_reader(std::io::stdin().lock())
            .map_err(|error| CommandError::usage(format!("{ON_STDIN} takes a list of words in JSON: {error}")))?;
        arguments.extend(words.into_iter().map(OsString::from));
    }
    Ok(arguments)
}

/// Reads a command line that names its command. Help is an error here, since nobody sees it otherwise.
pub(crate) fn read(arguments: Vec<OsString>) -> Result<Arguments, String> {
    Arguments::try_parse_from(arguments).map_err(|error| plain_text(&error))
}

/// The first word of a text that looks like a flag of a command which holds a debate: `--proposer`.
pub(crate) fn flag_in(text: &str) -> Option<String> {
    let definition = definition();
    let debates = definition.get_subcommands().filter(|command| DEBATES.contains(&command.get_name()));
    let flags: Vec<&str> = debates.flat_map(clap::Command::get_arguments).filter_map(clap::Arg::get_long).collect();
    text.split_whitespace().find_map(|word| {
        let name = word.strip_prefix("--")?.split('=').next()?.trim_end_matches([',', '.', ';', ':', '?', '!']);
        flags.contains(&name).then(|| format!("--{name}"))
    })
}

/// Reads the command line. Without a command, it is a duel about a topic.
pub(crate) fn parse(mut arguments: Vec<OsString>) -> Result<Arguments, CommandError> {
    let bare = place_of_bare_topic(&arguments);
    if let Some(at) = bare {
        arguments.insert(at, "duel".into());
    }
    match Arguments::try_parse_from(arguments) {
        Ok(arguments) => {
            if let (Some(_), Command::Duel(duel)) = (bare, &arguments.command) {
                refuse_unknown_command(duel.topic())?;
            }
            Ok(arguments)
        }
        Err(error) => Err(told_by_clap(&error)),
    }
}

/// What is wrong with a command line, in clap's words: told like every other error, so that programs hear of it too and
/// nothing that was typed does anything to a terminal. Help that was asked for is no error, and is printed at once.
fn told_by_clap(error: &clap::Error) -> CommandError {
    if !error.use_stderr() || error.kind() == ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand {
        error.exit();
    }
    CommandError::usage(plain_text(error))
}

fn plain_text(error: &clap::Error) -> String {
    let text = error.render().to_string();
    text.strip_prefix("error: ").unwrap_or(&text).trim_end().to_owned()
}

/// The whole command line as a definition, for help, completions and the manual.
pub(crate) fn definition() -> clap::Command {
    Arguments::command()
}

/// Where a command would stand, if none stands there.
fn place_of_bare_topic(arguments: &[OsString]) -> Option<usize> {
    let mut at = 1;
    while let Some(argument) = arguments.get(at).and_then(|argument| argument.to_str()) {
        if argument == "--state-dir" {
            at += 2;
        } else if SHARED_FLAGS.contains(&argument) || argument.starts_with("--state-dir=") {
            at += 1;
        } else if ["-h", "--help", "-V", "--version", HELP].contains(&argument)
            || command_names().iter().any(|name| name == argument)
        {
            return None;
        } else {
            return Some(at);
        }
    }
    // Something that is not UTF-8 can be a topic; nothing at all is a topic that is asked for.
    Some(at.min(arguments.len()))
}

/// One unknown word, alone or ahead of what commands are given (`status last`), is more likely a mistyped command than a
/// topic, and so is the first of two where it is nearly a command's name; a debate costs money. What could not be a command's name, such as a sentence in a language without spaces, is
/// a topic.
fn refuse_unknown_command(topic: &[OsString]) -> Result<(), CommandError> {
    let word = match topic {
        [word] => word,
        [word, what] if what.to_str().is_some_and(is_for_commands) || word.to_str().is_some_and(is_nearly_a_command) => word,
        _ => return Ok(()),
    };
    let Some(word) = word.to_str().filter(|word| *word != "-" && could_be_a_command(word)) else { return Ok(()) };
    let error = CommandError::usage(format!("there is no command `{word}`"));
    let names = command_names();
    let alike = ALIKE.iter().find(|(other, _)| *other == word).map(|(_, name)| (*name).to_owned());
    let near = || names.into_iter().min_by_key(|name| strsim::osa_distance(name, word));
    let close = alike.or_else(|| near().filter(|name| strsim::osa_distance(name, word) <= 3));
    let error = close.into_iter().fold(error, |error, name| error.hint(format!("did you mean `rebut {name}`?")));
    let topic: Vec<_> = topic.iter().map(|word| word.to_string_lossy()).collect();
    let length = if topic.len() == 1 { "one word" } else { "two words" };
    Err(error.hint(format!("to debate a topic of {length}: rebut duel {}", topic.join(" "))))
}

/// Whether a word is what commands are given: a debate, by its id or the end of it, or a tool.
fn is_for_commands(word: &str) -> bool {
    let end_of_an_id = word.len() >= 4
        && word.chars().all(|c| matches!(c, '0'..='9' | 'a'..='f'))
        && word.contains(|c: char| c.is_ascii_digit())
        && word.contains(|c: char| c.is_ascii_alphabetic());
    let is_tool = || Host::ALL.iter().any(|host| host.tool() == word);
    word == "last" || end_of_an_id || DebateId::parse(word).is_some() || is_tool()
}

/// Whether a word is what people type for a command, or differs from one by a slip of the finger. Among short words nearly
/// all are alike, so that two slips count only in longer ones.
fn is_nearly_a_command(word: &str) -> bool {
    let slips = if word.len() > 4 { 2 } else { 1 };
    ALIKE.iter().any(|(other, _)| *other == word)
        || command_names().iter().chain([&HELP.to_owned()]).any(|name| strsim::osa_distance(name, word) <= slips)
}

fn could_be_a_command(word: &str) -> bool {
    word.len() <= 30 && !word.is_empty() && word.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.'))
}

fn command_names() -> Vec<String> {
    definition().get_subcommands().map(|command| command.get_name().to_owned()).collect()
}

/// Joins a topic that was typed without quotes.
pub(crate) fn joined(words: &[OsString]) -> Result<String, CommandError> {
    let words: Option<Vec<&str>> = words.iter().map(|word| word.to_str()).collect();
    Ok(words.ok_or_else(|| CommandError::usage("the topic is not UTF-8"))?.join(" "))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn place(words: &[&str]) -> Option<usize> {
        let arguments: Vec<OsString> = ["rebut"].iter().chain(words).map(OsString::from).collect();
        place_of_bare_topic(&arguments)
    }

    #[test]
    fn the_definition_is_sound() {
        definition().debug_assert();
    }

    #[test]
    fn a_bare_topic_is_a_duel_and_a_command_is_itself() {
        assert_eq!(place(&["Should we?"]), Some(1));
        assert_eq!(place(&["--json", "--state-dir", "list", "Should we?"]), Some(4));
        assert_eq!(place(&["--rounds", "3", "Should we?"]), Some(1));
        assert_eq!(place(&["-"]), Some(1));
        assert_eq!(place(&[]), Some(1));
        assert_eq!(place(&["list"]), None);
        assert_eq!(place(&["--json", "list"]), None);
        assert_eq!(place(&["--help"]), None);
    }

    #[test]
    fn what_looks_like_a_flag_of_a_debate_is_found_in_a_text() {
        for (text, flag) in [
            ("Should we? --proposer claude", Some("--proposer")),
            ("Should we? --scope=base:main", Some("--scope")),
            ("Do it, --rounds, or not", Some("--rounds")),
            ("Should we rename `--rounds`?", None),
            ("Should cargo have --workspace?", None),
            ("a -- b", None),
        ] {
            assert_eq!(flag_in(text).as_deref(), flag, "{text}");
        }
    }

    #[test]
    fn a_lone_unknown_word_is_never_a_debate() {
        let refused = |words: &[&str]| parse(words.iter().map(OsString::from).collect()).is_err();
        assert!(refused(&["rebut", "lst"]));
        assert!(refused(&["rebut", "kubernetes", "--rounds", "2"]));
        assert!(refused(&["rebut", "--rounds", "1", "lst"]));
        assert!(refused(&["rebut", "--json", "--", "lst"]));
        assert!(!refused(&["rebut", "duel", "lst"]));
        for words in
            [["sohw", "3fa9"], ["shwo", "pool"], ["resmue", "last"], ["exprt", "pool"], ["foo", "3fa9"], ["view", "it"]]
        {
            assert!(refused(&["rebut", words[0], words[1]]), "{words:?}");
        }
        for words in [["ship", "it"], ["kubernetes", "now"], ["Rust", "or Go?"], ["vim", "emacs"], ["budget", "2026"]] {
            assert!(!refused(&["rebut", words[0], words[1]]), "{words:?}");
        }
        assert!(!refused(&["rebut", "Should we?"]));
        assert!(!refused(&["rebut", "should", "we", "ship"]));
        assert!(!refused(&["rebut", "RESTゲートウェイをgRPCに置き換えるべきですか"]));
        assert!(!refused(&["rebut", "-"]));
        assert!(!refused(&["rebut", "--rounds", "2"]));
    }
}
