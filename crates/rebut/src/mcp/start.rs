//! What a client asks for when it starts a debate, and the command line that says the same.

use std::ffi::OsString;
use std::path::PathBuf;

use rebut_engine::planning::Host;
use schemars::JsonSchema;
use serde::Deserialize;

use super::names::{EffortName, FormatName, HostName, ModeName};

/// What a debate is started with. Seats are written `tool` or `tool:model`; without them, the best that are there are taken.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Start {
    /// The way of debating.
    #[serde(default)]
    pub(super) format: FormatName,
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
    /// End with what there is after so many minutes.
    #[serde(default)]
    pub(super) max_minutes: Option<f64>,
    /// End with what there is before so many tokens are used. Not of a review.
    #[serde(default)]
    pub(super) max_tokens: Option<u64>,
    /// End with what there is before so many dollars are spent. Not of a review.
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
    /// The command line that says the same, without the words for every command; what goes to its standard input; or what
    /// does not go together. `client` is the name of the program that calls.
    pub(super) fn command_line(&self, client: Option<&str>) -> Result<(Vec<OsString>, Option<String>), String> {
        self.check()?;
        let mut line: Vec<OsString> = vec![self.format.as_str().into(), "--detach".into()];
        let mut flag = |name: &str, value: Option<String>| {
            if let Some(value) = value {
                // One word, so that a value which begins with a dash is no flag.
                line.push(format!("{name}={value}").into());
            }
        };
        let is_review = self.format == FormatName::Review;
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
        let rounds = match self.format {
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
        if is_review || self.format == FormatName::Duel {
            let host = self.host.map(HostName::host).or_else(|| client.and_then(Host::called));
            flag("--host", host.map(|host| host.tool().to_owned()));
        }
        if self.format == FormatName::Panel {
            // Nobody is at a terminal who could approve of the lineup.
            line.push("--yes".into());
        }
        // Words of a client are read from standard input: a command line has an end, and others see it.
        let topic = self.topic.as_ref().filter(|topic| !topic.trim().is_empty());
        if is_review {
            let text = self.artifact.as_ref().or(topic);
            line.extend(text.map(|_| "-".into()));
            return Ok((line, text.cloned()));
        }
        line.extend(topic.map(|_| "--words-on-stdin".into()));
        Ok((line, topic.cloned()))
    }

    /// What is said of one format must be said of this one.
    fn check(&self) -> Result<(), String> {
        let (duel, review) = (self.format == FormatName::Duel, self.format == FormatName::Review);
        let asked = matches!(self.format, FormatName::Ask | FormatName::Cross);
        let said = [
            ("proposer", self.proposer.is_some(), duel),
            ("challenger", self.challenger.is_some(), duel),
            ("judge", self.judge.is_some(), duel || review),
            ("partners", given(self.partners.as_deref()), asked),
            ("moderator", self.moderator.is_some(), asked),
            ("options", given(self.options.as_deref()), asked),
            ("from", self.from.is_some(), self.format == FormatName::Cross),
            ("critic", self.critic.is_some(), review),
            ("author", self.author.is_some(), review),
            ("artifact", self.artifact.is_some(), review),
            ("scope", self.scope.is_some(), review),
            ("with", self.with.is_some(), self.format == FormatName::Panel),
            ("debaters", self.debaters.is_some(), self.format == FormatName::Panel),
            ("mode", self.mode.is_some(), review),
            ("rounds", self.rounds.is_some(), self.format != FormatName::Ask),
            ("context", given(self.context.as_deref()), !review),
            ("host", self.host.is_some(), review),
            ("max_tokens", self.max_tokens.is_some(), !review),
            ("max_cost", self.max_cost.is_some(), !review),
        ];
        let name = match self.format {
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

    fn line(start: &Start) -> Vec<String> {
        let (line, _) = start.command_line(Some("claude-code")).unwrap();
        line.into_iter().map(|word| word.into_string().unwrap()).collect()
    }

    #[test]
    fn a_topic_is_never_a_word_of_the_command_line() {
        let start = Start { topic: Some("--state-dir=/ or not?".into()), rounds: Some(3), ..Start::default() };
        assert_eq!(line(&start), ["duel", "--detach", "--rounds=3", "--words-on-stdin"]);
        assert_eq!(start.command_line(None).unwrap().1.as_deref(), Some("--state-dir=/ or not?"));
    }

    #[test]
    fn the_artifact_of_a_review_is_read_from_standard_input_and_the_client_is_its_author() {
        let start = Start { format: FormatName::Review, artifact: Some("We rewrite it.".into()), ..Start::default() };
        let (words, input) = start.command_line(Some("claude-code")).unwrap();
        assert_eq!(words, ["review", "--detach", "--host=claude", "-"]);
        assert_eq!(input.as_deref(), Some("We rewrite it."));
        assert_eq!(line(&Start { host: Some(HostName::Gemini), ..start })[2], "--host=gemini");
    }

    #[test]
    fn what_is_of_another_format_is_refused() {
        let start = Start { topic: Some("X?".into()), partners: Some(vec!["claude".into()]), ..Start::default() };
        assert_eq!(
            start.command_line(None).unwrap_err(),
            "`partners` is nothing of a duel; leave it out, or choose another format"
        );
        assert_eq!(Start::default().command_line(None).unwrap_err(), "a duel needs a `topic`");
    }

    #[test]
    fn what_does_not_go_together_is_said() {
        let ask = Start { format: FormatName::Ask, topic: Some("X?".into()), ..Start::default() };
        let torn = Start { options: Some(vec!["yes, now".into(), "no".into()]), ..ask.clone() };
        assert!(torn.command_line(None).unwrap_err().starts_with("the option `yes, now` holds a comma"));
        let rounds = Start { rounds: Some(2), ..ask };
        assert!(rounds.command_line(None).unwrap_err().starts_with("`rounds` is nothing of an ask"));
        let cross =
            Start { format: FormatName::Cross, from: Some("last".into()), topic: Some("Y?".into()), ..Start::default() };
        assert!(cross.command_line(None).unwrap_err().ends_with("leave `topic` out"));
        let review = Start { format: FormatName::Review, artifact: Some("X".into()), ..Start::default() };
        let both = Start { scope: Some("uncommitted".into()), ..review };
        assert!(both.command_line(None).unwrap_err().contains("give one of them"));
    }
}
