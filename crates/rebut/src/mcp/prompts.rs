//! The prompts that a client offers its person: one a format.

use rmcp::model::{GetPromptResult, JsonObject, Prompt, PromptArgument, PromptMessage, Role};

use super::names::FormatName;

/// Every prompt.
pub(super) fn all() -> Vec<Prompt> {
    FormatName::ALL.into_iter().map(prompt).collect()
}

/// A prompt with its words filled in; none where there is no such prompt.
pub(super) fn filled(name: &str, arguments: Option<&JsonObject>) -> Option<GetPromptResult> {
    let format = FormatName::ALL.into_iter().find(|format| format.as_str() == name)?;
    let said = arguments.and_then(|arguments| arguments.get(argument(format))).and_then(|value| value.as_str());
    let said = said.map(str::trim).filter(|said| !said.is_empty());
    let text = match (format, said) {
        (FormatName::Review, None) => {
            "Call debate_start with format `review` and empty `arguments`, so that the uncommitted changes are reviewed."
                .to_owned()
        }
        (FormatName::Review, Some(what)) => format!(
            "Call debate_start with format `review`. The user's words: {what}\nIf they are flags, pass them unchanged as \
             `arguments`; if they name a commit, a branch, a range or a file, give it as `scope`; if they mean your last \
             message or a selection, give its text as `artifact`."
        ),
        (format, Some(what)) => {
            format!(
                "Call debate_start with format `{}` and these words, unchanged, as `arguments`:\n{what}",
                format.as_str()
            )
        }
        (format, None) => format!(
            "Ask the user what the {} is about, then call debate_start with format `{}` and their words as `arguments`.",
            format.as_str(),
            format.as_str()
        ),
    };
    let text = format!(
        "{text}\n\nWhile it runs, call debate_status with wait_seconds 45 until it has ended; where it waits for a choice, \
         ask the person and call debate_choose. Then call debate_result and show the conclusion as it is: who argued, \
         the verdict, which citations were verified and which were false, and what remains open. Add \
         nothing to the verdict that is not in it."
    );
    Some(GetPromptResult::new(vec![PromptMessage::new_text(Role::User, text)]).with_description(describe(format)))
}

fn prompt(format: FormatName) -> Prompt {
    let word = PromptArgument::new(argument(format)).with_required(format != FormatName::Review);
    let word = word.with_description(match format {
        FormatName::Review => "A scope, such as base:main, or words for what is reviewed [default: what is not committed]",
        _ => "What it is about, with flags such as --rounds 3; wishes such as \"codex vs gemini\" are understood",
    });
    Prompt::new(format.as_str(), Some(describe(format)), Some(vec![word]))
}

fn argument(format: FormatName) -> &'static str {
    match format {
        FormatName::Review => "what",
        _ => "topic",
    }
}

fn describe(format: FormatName) -> &'static str {
    match format {
        FormatName::Duel => "Two tools argue a topic, a third decides",
        FormatName::Review => "A change or a text is critiqued by another family's model, and decided on",
        FormatName::Ask => "Several tools answer one question, side by side",
        FormatName::Cross => "Several tools answer, critique each other and converge",
        FormatName::Panel => "A chaired panel debates a topic, with a verifier and an audience",
    }
}
