//! The prompts that a client offers its user: one per format.

use rmcp::model::{GetPromptResult, JsonObject, Prompt, PromptArgument, PromptMessage, Role};

use super::request::formats;
use crate::cli::about;

pub(super) fn all() -> Vec<Prompt> {
    let prompt = |format: clap::Command| {
        let name = format.get_name();
        let (required, description) = match name {
            "review" => (false, "A file, a revision, a range or flags [default: uncommitted changes]"),
            _ => (true, "The topic, with flags (--rounds 3) or words (\"codex vs gemini: …\")"),
        };
        let topic = PromptArgument::new("topic").with_required(required).with_description(description);
        Prompt::new(name, Some(about(&format)), Some(vec![topic]))
    };
    formats().map(prompt).collect()
}

/// A prompt with its words filled in; none if there is no such prompt.
pub(super) fn filled(name: &str, arguments: Option<&JsonObject>) -> Option<GetPromptResult> {
    let format = formats().find(|format| format.get_name() == name)?;
    let topic = arguments.and_then(|arguments| arguments.get("topic")).and_then(|value| value.as_str());
    let topic = topic.map(str::trim).unwrap_or_default();
    let task = match name {
        "review" if topic.is_empty() => {
            "Call debate_start with format `review` and empty `arguments` to review the uncommitted changes.".to_owned()
        }
        "review" => format!(
            "Call debate_start with format `review`. The user's words: {topic}\nIf they mean your last message or a \
             selection, pass its text as `artifact`; otherwise pass the words unchanged as `arguments`."
        ),
        _ => format!(
            "Call debate_start with format `{name}` and these words, unchanged, as `arguments` (if there are none, ask the \
             user for the topic):\n{topic}"
        ),
    };
    let text = format!(
        "{task}\n\nCall debate_status with wait_seconds 45 until it has ended. If it is waiting for a choice, ask the user and \
         call debate_choose. Then call debate_result and show the conclusion as it is: who argued, the verdict, which \
         citations were verified and which were false, and what remains open. Add nothing to the verdict."
    );
    Some(GetPromptResult::new(vec![PromptMessage::new_text(Role::User, text)]).with_description(about(&format)))
}
