//! The command line: what can be typed, and what a bare topic means.

use std::ffi::OsString;
use std::path::PathBuf;

use clap::error::ErrorKind;
use clap::{ArgMatches, Args, CommandFactory, FromArgMatches, Parser};
use rebut_core::formats::wording;
use rebut_engine::providers::Providers;

use crate::commands::{Command, Duel};
use crate::error::CommandError;
use crate::terminal::has_terminal;

/// Have AI tools debate a decision under enforced rules
#[derive(Debug, Parser)]
#[command(name = "rebut", version, subcommand_required = true, after_long_help = EXAMPLES)]
#[command(override_usage = "rebut TOPIC [OPTIONS]\n       rebut COMMAND [OPTIONS]")]
pub(crate) struct Arguments {
    #[command(subcommand)]
    pub(crate) command: Command,
    #[command(flatten)]
    pub(crate) shared: Shared,
}

/// The flags of every command, shown after its own.
#[derive(Clone, Debug, Default, Args)]
#[command(next_display_order = 900, next_help_heading = "Global options")]
pub(crate) struct Shared {
    /// Write events as JSON lines to standard output, and text to standard error
    #[arg(long, global = true)]
    pub(crate) json: bool,
    /// Print only the result
    #[arg(long, short, global = true, conflicts_with = "verbose")]
    pub(crate) quiet: bool,
    /// Also print what is asked, retried and rejected
    #[arg(long, short, global = true)]
    pub(crate) verbose: bool,
    /// Disable colors (also: NO_COLOR)
    #[arg(long, global = true)]
    pub(crate) no_color: bool,
    /// Where debates are stored [default: $REBUT_STATE_DIR, else the platform's state directory]
    #[arg(long, global = true, value_name = "DIR")]
    pub(crate) state_dir: Option<PathBuf>,
    /// Keep debates in this Postgres database (also: $REBUT_STORE)
    #[arg(long, global = true, value_name = "URL")]
    pub(crate) store: Option<String>,
}

const EXAMPLES: &str = "\
Examples:
  rebut \"Should we replace our REST gateway with gRPC?\" --proposer claude --challenger gemini
  rebut \"codex vs gemini about our retry policy, 3 rounds, thorough\"
  rebut review            review uncommitted changes
  rebut resume            continue the last interrupted debate
  rebut show last         show the last debate

Exit codes: 0 done, 1 failed, 2 usage, 3 partial or uncontested, 4 findings remain, 130 cancelled";

/// Flags that may come before a command and take no value.
const SHARED_FLAGS: [&str; 6] = ["--json", "--quiet", "-q", "--verbose", "-v", "--no-color"];

pub(crate) const DEBATES: [&str; 5] = ["duel", "review", "ask", "cross", "panel"];

const HELP: &str = "help";

/// What people type for a command with another name.
const ALIKE: [(&str, &str); 15] = [
    ("status", "show"),
    ("result", "show"),
    ("view", "show"),
    ("continue", "resume"),
    ("stop", "cancel"),
    ("kill", "cancel"),
    ("delete", "rm"),
    ("remove", "rm"),
    ("uninstall", "install TOOL --uninstall"),
    ("ls", "list"),
    ("log", "list"),
    ("history", "list"),
    ("search", "list"),
    ("find", "list"),
    ("diff", "review"),
];

/// Parses a command line with a command. A request for help is an error too: the caller has no terminal.
pub(crate) fn read(arguments: Vec<OsString>) -> Result<(Arguments, ArgMatches), String> {
    let matches = definition().try_get_matches_from(arguments).map_err(|error| plain_text(&error))?;
    let arguments = Arguments::from_arg_matches(&matches).map_err(|error| plain_text(&error))?;
    Ok((arguments, matches))
}

/// The first word of a text that looks like a flag of a command that starts a debate: `--proposer`.
pub(crate) fn flag_in(text: &str) -> Option<String> {
    let definition = definition();
    let debates = definition.get_subcommands().filter(|command| DEBATES.contains(&command.get_name()));
    let flags: Vec<&str> = debates.flat_map(clap::Command::get_arguments).filter_map(clap::Arg::get_long).collect();
    text.split_whitespace().find_map(|word| {
        let name = word.strip_prefix("--")?.split('=').next()?.trim_end_matches([',', '.', ';', ':', '?', '!']);
        flags.contains(&name).then(|| format!("--{name}"))
    })
}

/// Reads the command line. Without a command it is a request in words, or the topic of a duel.
pub(crate) fn parse(mut arguments: Vec<OsString>) -> Result<Arguments, CommandError> {
    let bare = place_of_bare_topic(&arguments);
    if let Some(at) = bare {
        if at == arguments.len() && !has_terminal() {
            arguments.push("--help".into());
        } else {
            arguments.insert(at, command_of_words(&arguments[at..]).unwrap_or("duel").into());
        }
    }
    let mut arguments = Arguments::try_parse_from(arguments).map_err(|error| clap_error(&error))?;
    if let (Some(_), Command::Duel(duel)) = (bare, &mut arguments.command) {
        match check_bare_topic(duel) {
            Err(error) if !has_terminal() => return Err(error),
            checked => duel.doubt = checked.err(),
        }
        duel.is_guided = has_terminal() && duel.topic.is_empty() && !duel.names_seats();
    }
    Ok(arguments)
}

/// Whether words without a command are meant as a topic.
pub(crate) fn check_bare_topic(duel: &Duel) -> Result<(), CommandError> {
    let topic = joined(&duel.topic)?;
    let is_meant = duel.names_seats() || topic.is_empty() || topic == "-" || reads_like_a_topic(&topic);
    if is_meant { Ok(()) } else { Err(no_command(&topic)) }
}

pub(crate) fn command_of_words(words: &[OsString]) -> Option<&'static str> {
    let words: Vec<&str> = words.iter().map_while(|word| word.to_str().filter(|word| !word.starts_with('-'))).collect();
    wording::read(&words.join(" "), None, &Providers::default().known_names()).command
}

/// Clap's errors are reported like all others, so that programs get them too and nothing typed reaches a terminal raw.
/// Requested help is printed at once.
fn clap_error(error: &clap::Error) -> CommandError {
    if !error.use_stderr() || error.kind() == ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand {
        error.exit();
    }
    CommandError::usage(plain_text(error))
}

fn plain_text(error: &clap::Error) -> String {
    let text = error.render().to_string();
    text.strip_prefix("error: ").unwrap_or(&text).trim_end().to_owned()
}

pub(crate) fn definition() -> clap::Command {
    Arguments::command()
}

/// What a command does, in a line.
pub(crate) fn about(command: &clap::Command) -> String {
    command.get_about().map(ToString::to_string).unwrap_or_default()
}

/// Where a command belongs, if there is none.
fn place_of_bare_topic(arguments: &[OsString]) -> Option<usize> {
    let mut at = 1;
    while let Some(argument) = arguments.get(at).and_then(|argument| argument.to_str()) {
        if ["--state-dir", "--store"].contains(&argument) {
            at += 2;
        } else if SHARED_FLAGS.contains(&argument)
            || argument.starts_with("--state-dir=")
            || argument.starts_with("--store=")
        {
            at += 1;
        } else if ["-h", "--help", "-V", "--version", HELP].contains(&argument)
            || command_names().iter().any(|name| name == argument)
        {
            return None;
        } else {
            return Some(at);
        }
    }
    // Something that is not UTF-8 can be a topic; nothing at all asks for one.
    Some(at.min(arguments.len()))
}

/// Whether words are surely a topic: a debate costs money, and a mistyped command must not.
fn reads_like_a_topic(text: &str) -> bool {
    let words: Vec<&str> = text.split_whitespace().collect();
    // Scripts without spaces: two characters count as a word.
    let unspaced = text.chars().filter(|c| matches!(c, '\u{e00}'..='\u{e7f}' | '\u{3040}'..='\u{9fff}')).count();
    let is_long = words.len() + unspaced / 2 >= 4;
    text.contains(['?', '？'])
        || wording::read(text, None, &Providers::default().known_names()).command.is_some()
        || is_long && !words.first().is_some_and(|first| is_nearly_a_command(first))
}

fn no_command(text: &str) -> CommandError {
    let first = text.split_whitespace().next().unwrap_or_default();
    let commands = command_names().into_iter().map(|name| (name.clone(), name));
    let alike = ALIKE.map(|(word, name)| (word.to_owned(), name.to_owned()));
    let (slips, nearest) = commands
        .chain(alike)
        .map(|(word, name)| (strsim::osa_distance(&word, first), name))
        .min_by_key(|(slips, _)| *slips)
        .unwrap_or_default();
    let nearest = (slips <= most_slips(first)).then_some(nearest);
    CommandError::usage(format!("`{first}` is not a command, and this does not read like a topic"))
        .hint(
            nearest.map_or("run `rebut --help` for the commands".to_owned(), |name| format!("did you mean `rebut {name}`?")),
        )
        .hint("to debate it, phrase it as a question or use `rebut duel TOPIC`")
}

/// Whether a word is what people type for a command, or nearly one. Short words are all alike, so two typos count only in
/// longer ones.
fn is_nearly_a_command(word: &str) -> bool {
    ALIKE.iter().any(|(other, _)| *other == word)
        || command_names().iter().chain([&HELP.to_owned()]).any(|name| strsim::osa_distance(name, word) <= most_slips(word))
}

fn most_slips(word: &str) -> usize {
    if word.len() > 4 { 2 } else { 1 }
}

fn command_names() -> Vec<String> {
    definition().get_subcommands().map(|command| command.get_name().to_owned()).collect()
}

pub(crate) fn joined(words: &[OsString]) -> Result<String, CommandError> {
    let words: Option<Vec<&str>> = words.iter().map(|word| word.to_str()).collect();
    Ok(words.ok_or_else(|| CommandError::usage("the topic is not UTF-8"))?.join(" "))
}
