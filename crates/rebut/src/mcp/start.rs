//! What a client asks for when it starts a debate, and the command line that says the same.

use std::path::PathBuf;

use rebut_engine::planning::Host;
use schemars::JsonSchema;
use serde::Deserialize;

use super::names::{EffortName, FormatName, HostName, ModeName};
use super::words::{self, CommandLine};
use crate::cli;

/// What a debate is started with: the words of a slash command in `arguments`, or field by field. Seats are written `tool` or
/// `tool:model`; without them, the best that are there are taken.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Start {
    /// The words that the user typed after the slash command, unchanged: read as `rebut`'s own command line, flags included
    /// ("Should we shard? --proposer claude --rounds 3", "review --scope base:main"). Empty words review the uncommitted
    /// changes. Only `format`, `artifact`, `folder`, `host` and `wait_seconds` can be given beside them.
    #[serde(default)]
    pub(super) arguments: Option<String>,
    /// The way of debating [default: duel].
    #[serde(default)]
    pub(super) format: Option<FormatName>,
    /// What is debated or asked. Wishes are understood: "codex vs gemini about our retry policy, 3 rounds, thorough". A
    /// review needs none.
    #[serde(default)]
    pub(super) topic: Option<String>,
    /// Of a review: the text that is reviewed, such as the last message or the selection. Without it, a scope is reviewed.
    #[serde(default)]
    pub(super) artifact: Option<String>,
    /// Of a review: what is reviewed: uncommitted, commit:SHA, base:BRANCH, range:A..B or file:PATH.
    #[serde(default)]
    pub(super) scope: Option<String>,
    /// Of a review: who chooses after each round.
    #[serde(default)]
    pub(super) mode: Option<ModeName>,
    /// How many rounds.
    #[serde(default)]
    pub(super) rounds: Option<u32>,
    /// How hard the seats think.
    #[serde(default)]
    pub(super) effort: Option<EffortName>,
    /// Of a duel: who takes a position.
    #[serde(default)]
    pub(super) proposer: Option<String>,
    /// Of a duel: who attacks it.
    #[serde(default)]
    pub(super) challenger: Option<String>,
    /// Of a duel or a review: who decides.
    #[serde(default)]
    pub(super) judge: Option<String>,
    /// Of an ask or a cross: who answers.
    #[serde(default)]
    pub(super) partners: Option<Vec<String>>,
    /// Of an ask or a cross: who sums up.
    #[serde(default)]
    pub(super) moderator: Option<String>,
    /// Of an ask or a cross: the answers that can be given.
    #[serde(default)]
    pub(super) options: Option<Vec<String>>,
    /// Of a cross: the ask that it goes on from, by id or `last`; its question stays, so that there is no `topic`.
    #[serde(default)]
    pub(super) from: Option<String>,
    /// Of a review: who critiques.
    #[serde(default)]
    pub(super) critic: Option<String>,
    /// Of a review: who writes revisions. What is reviewed was written by the host, whoever that is.
    #[serde(default)]
    pub(super) author: Option<String>,
    /// Of a panel: who should debate, in words ("a VC and a labour economist"). The chair proposes them, and the proposal is
    /// taken.
    #[serde(default)]
    pub(super) with: Option<String>,
    /// Of a panel: a file in TOML or JSON that says who debates.
    #[serde(default)]
    pub(super) debaters: Option<String>,
    /// What goes into every prompt: `diff`, or `file=PATH`. Not of a review.
    #[serde(default)]
    pub(super) context: Option<Vec<String>>,
    /// Stop after N minutes with a partial result.
    #[serde(default)]
    pub(super) max_minutes: Option<f64>,
    /// Stop before N tokens are used, with a partial result. Not for reviews.
    #[serde(default)]
    pub(super) max_tokens: Option<u64>,
    /// Stop before N dollars are spent, with a partial result. Not for reviews.
    #[serde(default)]
    pub(super) max_cost: Option<f64>,
    /// The folder of the project. Without it, the one in which the server was started.
    #[serde(default)]
    pub(super) folder: Option<PathBuf>,
    /// Of a review: the tool that wrote what is reviewed, so that another family critiques it. Without it, the client that
    /// calls.
    #[serde(default)]
    pub(super) host: Option<HostName>,
    /// How long to wait for the end before the answer is given. The debate goes on in any case.
    #[serde(default)]
    pub(super) wait_seconds: Option<f64>,
}

impl Start {
    /// The command line that says the same; or what does not go together. `client` is the name of the program that calls.
    pub(super) fn line(&self, client: Option<&str>) -> Result<CommandLine, String> {
        let mut line = match &self.arguments {
            Some(arguments) => self.line_of_words(arguments)?,
            None => self.line_of_fields()?,
        };
        let mut flags = Vec::new();
        let asked = line.command.asked();
        if !asked.ends_soon {
            flags.push("--detach".to_owned());
        }
        if line.format == FormatName::Panel && !asked.takes_lineup {
            // Nobody is at a terminal who could approve of the lineup.
            flags.push("--yes".to_owned());
        }
        let has_host = matches!(line.format, FormatName::Review | FormatName::Duel);
        if has_host && !line.words.iter().any(|word| word.starts_with("--host")) {
            let host = self.host.map(|name| name.0).or_else(|| client.and_then(Host::called));
            flags.extend(host.map(|host| format!("--host={}", host.tool())));
        }
        line.words.splice(..0, flags);
        Ok(line)
    }

    fn line_of_words(&self, arguments: &str) -> Result<CommandLine, String> {
        if let Some(field) = self.beside_arguments() {
            return Err(format!("`arguments` holds all of the user's words: say `{field}` there, or leave `arguments` out"));
        }
        let mut line = words::read(arguments, self.format)?;
        if let Some(artifact) = &self.artifact {
            if line.format != FormatName::Review || line.command.asked().has_topic {
                return Err(
                    "`artifact` is the text of a review, and `arguments` names another matter: give one of them".to_owned()
                );
            }
            line.words.extend(["--".to_owned(), artifact.clone()]);
        }
        Ok(line)
    }

    fn line_of_fields(&self) -> Result<CommandLine, String> {
        let format = self.format.unwrap_or_default();
        self.check(format)?;
        let mut words: Vec<String> = Vec::new();
        let mut flag = |name: &str, value: Option<String>| {
            // One word, so that a value which begins with a dash is no flag.
            words.extend(value.map(|value| format!("{name}={value}")));
        };
        let is_review = format == FormatName::Review;
        flag("--proposer", self.proposer.clone());
        flag("--challenger", self.challenger.clone());
        flag("--judge", self.judge.clone());
        flag("--partners", joined("partner", self.partners.as_deref())?);
        flag("--moderator", self.moderator.clone());
        flag("--options", joined("option", self.options.as_deref())?);
        flag("--from", self.from.clone());
        flag("--critic", self.critic.clone());
        flag("--author", self.author.clone());
        flag("--with", self.with.clone());
        flag("--debaters", self.debaters.clone());
        flag("--scope", self.scope.clone());
        flag("--mode", self.mode.map(|mode| mode.as_str().to_owned()));
        flag("--effort", self.effort.map(|effort| effort.as_str().to_owned()));
        let rounds = match format {
            FormatName::Review | FormatName::Panel => "--max-rounds",
            FormatName::Duel | FormatName::Ask | FormatName::Cross => "--rounds",
        };
        flag(rounds, self.rounds.map(|rounds| rounds.to_string()));
        let minutes = if is_review { "--budget-minutes" } else { "--max-minutes" };
        flag(minutes, self.max_minutes.map(|minutes| minutes.to_string()));
        flag("--max-tokens", self.max_tokens.map(|tokens| tokens.to_string()));
        flag("--max-cost", self.max_cost.map(|cost| cost.to_string()));
        for what in self.context.iter().flatten() {
            flag("--context", Some(what.clone()));
        }
        let topic = self.topic.as_ref().filter(|topic| !topic.trim().is_empty());
        if let Some(text) = self.artifact.as_ref().or(topic) {
            words.extend(["--".to_owned(), text.clone()]);
        }
        words::parse(format, words)
    }

    /// A field that was given beside `arguments` and is said there.
    fn beside_arguments(&self) -> Option<&'static str> {
        let given = [
            ("topic", self.topic.is_some()),
            ("scope", self.scope.is_some()),
            ("mode", self.mode.is_some()),
            ("rounds", self.rounds.is_some()),
            ("effort", self.effort.is_some()),
            ("proposer", self.proposer.is_some()),
            ("challenger", self.challenger.is_some()),
            ("judge", self.judge.is_some()),
            ("partners", given(self.partners.as_deref())),
            ("moderator", self.moderator.is_some()),
            ("options", given(self.options.as_deref())),
            ("from", self.from.is_some()),
            ("critic", self.critic.is_some()),
            ("author", self.author.is_some()),
            ("with", self.with.is_some()),
            ("debaters", self.debaters.is_some()),
            ("context", given(self.context.as_deref())),
            ("max_minutes", self.max_minutes.is_some()),
            ("max_tokens", self.max_tokens.is_some()),
            ("max_cost", self.max_cost.is_some()),
        ];
        given.into_iter().find(|(_, is_given)| *is_given).map(|(field, _)| field)
    }

    /// What is said of one format must be said of this one.
    fn check(&self, format: FormatName) -> Result<(), String> {
        if let Some(flag) = self.topic.as_deref().and_then(cli::flag_in) {
            return Err(format!(
                "`topic` contains {flag}, which looks like a flag: pass the user's words in `arguments` instead, or write it \
                 in backticks where the topic is about it"
            ));
        }
        let (duel, review) = (format == FormatName::Duel, format == FormatName::Review);
        let asked = matches!(format, FormatName::Ask | FormatName::Cross);
        let said = [
            ("proposer", self.proposer.is_some(), duel),
            ("challenger", self.challenger.is_some(), duel),
            ("judge", self.judge.is_some(), duel || review),
            ("partners", given(self.partners.as_deref()), asked),
            ("moderator", self.moderator.is_some(), asked),
            ("options", given(self.options.as_deref()), asked),
            ("from", self.from.is_some(), format == FormatName::Cross),
            ("critic", self.critic.is_some(), review),
            ("author", self.author.is_some(), review),
            ("artifact", self.artifact.is_some(), review),
            ("scope", self.scope.is_some(), review),
            ("with", self.with.is_some(), format == FormatName::Panel),
            ("debaters", self.debaters.is_some(), format == FormatName::Panel),
            ("mode", self.mode.is_some(), review),
            ("rounds", self.rounds.is_some(), format != FormatName::Ask),
            ("context", given(self.context.as_deref()), !review),
            ("host", self.host.is_some(), review),
            ("max_tokens", self.max_tokens.is_some(), !review),
            ("max_cost", self.max_cost.is_some(), !review),
        ];
        let name = match format {
            FormatName::Ask => "an ask".to_owned(),
            format => format!("a {}", format.as_str()),
        };
        if let Some((what, ..)) = said.iter().find(|(_, is_said, fits)| *is_said && !fits) {
            return Err(format!("`{what}` is nothing of {name}; leave it out, or choose another format"));
        }
        let has_topic = self.topic.as_ref().is_some_and(|topic| !topic.trim().is_empty());
        let matters = [has_topic, self.artifact.is_some(), self.scope.is_some()];
        if review && matters.into_iter().filter(|is_given| *is_given).count() > 1 {
            return Err("a review is of an artifact, a scope or the text in `topic`: give one of them".to_owned());
        }
        if self.from.is_some() && has_topic {
            return Err("`from` goes on with the question of that debate; leave `topic` out".to_owned());
        }
        if !review && !has_topic && self.from.is_none() {
            return Err(format!("{name} needs a `topic`"));
        }
        Ok(())
    }
}

fn given(words: Option<&[String]>) -> bool {
    words.is_some_and(|words| !words.is_empty())
}

/// The words as one list. A command line parts it at commas.
fn joined(what: &str, words: Option<&[String]>) -> Result<Option<String>, String> {
    let words = words.unwrap_or_default();
    if let Some(word) = words.iter().find(|word| word.contains(',')) {
        return Err(format!("the {what} `{word}` holds a comma, which parts one from the next; leave it out"));
    }
    Ok((!words.is_empty()).then(|| words.join(",")))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(start: &Start) -> Vec<String> {
        start.line(Some("claude-code")).unwrap().words
    }

    fn refused(start: &Start) -> String {
        start.line(None).unwrap_err()
    }

    #[test]
    fn a_topic_is_never_a_flag() {
        let start = Start { topic: Some("--state-dir=/ or not?".into()), rounds: Some(3), ..Start::default() };
        assert_eq!(words(&start), ["--detach", "--host=claude", "--rounds=3", "--", "--state-dir=/ or not?"]);
        let start = Start { topic: Some("Shard it? --proposer claude".into()), ..Start::default() };
        assert!(
            refused(&start).starts_with("`topic` contains --proposer, which looks like a flag: pass the user's words in")
        );
    }

    #[test]
    fn words_of_a_host_are_a_command_line() {
        let start = |arguments: &str| Start { arguments: Some(arguments.into()), ..Start::default() };
        assert_eq!(words(&start("Shard it? --rounds 3")), ["--detach", "--host=claude", "Shard", "it?", "--rounds", "3"]);
        assert_eq!(words(&start("")), ["--detach", "--host=claude"]);
        assert_eq!(words(&start("panel Shard it?"))[..2], ["--detach", "--yes"]);
        assert_eq!(words(&start("Shard it? --dry-run")), ["--host=claude", "Shard", "it?", "--dry-run"]);
        let artifact = Start { artifact: Some("We rewrite it.".into()), ..start("review --mode manual") };
        assert_eq!(words(&artifact), ["--detach", "--host=claude", "--mode", "manual", "--", "We rewrite it."]);
        let both = Start { rounds: Some(2), ..start("Shard it?") };
        assert_eq!(
            refused(&both),
            "`arguments` holds all of the user's words: say `rounds` there, or leave `arguments` out"
        );
    }

    #[test]
    fn the_artifact_of_a_review_is_a_word_and_the_client_is_its_author() {
        let start = Start { format: Some(FormatName::Review), artifact: Some("We rewrite it.".into()), ..Start::default() };
        assert_eq!(words(&start), ["--detach", "--host=claude", "--", "We rewrite it."]);
        assert_eq!(words(&Start { host: Some(HostName(Host::named("gemini").unwrap())), ..start })[1], "--host=gemini");
    }

    #[test]
    fn what_is_of_another_format_is_refused() {
        let start = Start { topic: Some("X?".into()), partners: Some(vec!["claude".into()]), ..Start::default() };
        assert_eq!(refused(&start), "`partners` is nothing of a duel; leave it out, or choose another format");
        assert_eq!(refused(&Start::default()), "a duel needs a `topic`");
    }

    #[test]
    fn what_does_not_go_together_is_said() {
        let ask = Start { format: Some(FormatName::Ask), topic: Some("X?".into()), ..Start::default() };
        let torn = Start { options: Some(vec!["yes, now".into(), "no".into()]), ..ask.clone() };
        assert!(refused(&torn).starts_with("the option `yes, now` holds a comma"));
        let rounds = Start { rounds: Some(2), ..ask };
        assert!(refused(&rounds).starts_with("`rounds` is nothing of an ask"));
        let cross = Start { format: Some(FormatName::Cross), from: Some("last".into()), ..Start::default() };
        assert!(refused(&Start { topic: Some("Y?".into()), ..cross }).ends_with("leave `topic` out"));
        let review = Start { format: Some(FormatName::Review), artifact: Some("X".into()), ..Start::default() };
        assert!(refused(&Start { scope: Some("uncommitted".into()), ..review }).contains("give one of them"));
    }
}
