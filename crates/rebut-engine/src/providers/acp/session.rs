//! Opening a session: what it is opened with, what it offers, and which options are chosen.

use std::path::Path;

use rebut_core::debate::{Cause, Failure};
use serde_json::{Value, json};

use super::agent::{AcpCommand, Quirks};
use crate::config::EffortWord;

#[derive(Clone, Debug, PartialEq)]
pub(super) struct Setting {
    pub(super) about: About,
    pub(super) method: &'static str,
    pub(super) params: Value,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum About {
    Mode,
    Model,
    Effort,
    Title,
}

pub(super) fn opening(command: &AcpCommand, folder: &Path, reads_workspace: bool) -> Result<Value, Failure> {
    let mut params = json!({ "cwd": folder, "mcpServers": [] });
    let own = command.own().map_err(|unreadable| Failure::new(Cause::Exit, unreadable.to_string()))?;
    if let Some(meta) = (command.quirks.session_meta)(&own, reads_workspace) {
        params["_meta"] = meta;
    }
    Ok(params)
}

/// Gives a session its title. Without one, an agent may send the prompt a second time to generate it.
pub(super) fn titled(offer: &Value, title: &str) -> Setting {
    let params = json!({ "sessionId": offer["sessionId"], "title": title });
    Setting { about: About::Title, method: "session/set_title", params }
}

/// What is to be set before the prompt. `offer` is what opening the session gave.
///
/// Choices are made by one of three ways, whichever the session offers: options of the session, modes, models.
pub(super) fn settings(
    offer: &Value,
    quirks: &Quirks,
    model: Option<&str>,
    effort: Option<EffortWord<'_>>,
) -> Result<Vec<Setting>, Failure> {
    let session = &offer["sessionId"];
    let mut settings = Vec::new();
    if let Some(mode) = quirks.mode {
        settings.extend(mode_setting(offer, mode)?);
    }
    // A model that the program was started with is set already.
    if let Some(model) = model.filter(|_| quirks.model_variable.is_none()) {
        settings.extend(model_setting(offer, model)?);
    }
    if let (Some(EffortWord { word, is_own }), Some(option)) = (effort, option(offer, "thought_level")) {
        if values(option).contains(&word) {
            settings.push(Setting { about: About::Effort, ..by_option(session, option, word) });
        } else if is_own {
            // Only a word that the user set must be known to the agent.
            let known = values(option).join(", ");
            return Err(Failure::new(Cause::Exit, format!("it knows no effort `{word}`, only {known}"))
                .with_advice("Correct `tools.NAME.effort` in your config.toml."));
        }
    }
    Ok(settings)
}

fn mode_setting(offer: &Value, mode: &str) -> Result<Option<Setting>, Failure> {
    let session = &offer["sessionId"];
    // Some agents write a mode as an address that ends in its name.
    let named = |id: &str| id == mode || id.rsplit_once('#').is_some_and(|(_, name)| name == mode);
    let available = offer["modes"]["availableModes"].as_array().map_or(&[][..], Vec::as_slice);
    if let Some(id) = available.iter().filter_map(|mode| mode["id"].as_str()).find(|id| named(id)) {
        let set = offer["modes"]["currentModeId"] == id;
        let params = json!({ "sessionId": session, "modeId": id });
        return Ok((!set).then_some(Setting { about: About::Mode, method: "session/set_mode", params }));
    }
    if let Some(option) = option(offer, "mode")
        && let Some(value) = values(option).into_iter().find(|value| named(value))
    {
        let set = option["currentValue"] == value;
        return Ok((!set).then(|| by_option(session, option, value)));
    }
    Err(Failure::new(Cause::Exit, format!("it offers no mode `{mode}`, so it can't be kept from writing")))
}

/// Whether a session lets its model be chosen at all.
pub(super) fn offers_models(offer: &Value) -> Result<(), Failure> {
    model_setting(offer, "").map(drop)
}

fn model_setting(offer: &Value, model: &str) -> Result<Option<Setting>, Failure> {
    let session = &offer["sessionId"];
    // A model that is not listed may be an alias that the agent knows.
    if let Some(option) = option(offer, "model") {
        let set = option["currentValue"] == model;
        return Ok((!set).then(|| Setting { about: About::Model, ..by_option(session, option, model) }));
    }
    if offer["models"].is_object() {
        let set = offer["models"]["currentModelId"] == model;
        let params = json!({ "sessionId": session, "modelId": model });
        return Ok((!set).then_some(Setting { about: About::Model, method: "session/set_model", params }));
    }
    Err(Failure::new(Cause::UnknownModel, "it offers no choice of model"))
}

fn by_option(session: &Value, option: &Value, value: &str) -> Setting {
    let params = json!({ "sessionId": session, "configId": option["id"], "value": value });
    Setting { about: About::Mode, method: "session/set_config_option", params }
}

fn option<'a>(offer: &'a Value, category: &str) -> Option<&'a Value> {
    let options = offer["configOptions"].as_array()?;
    options
        .iter()
        .find(|option| option["category"] == category)
        .or_else(|| options.iter().find(|option| option["id"] == category))
}

/// The values of an option, which may be in groups.
fn values(option: &Value) -> Vec<&str> {
    let entries = option["options"].as_array().map_or(&[][..], Vec::as_slice);
    entries
        .iter()
        .flat_map(|entry| match entry["value"].as_str() {
            Some(value) => vec![value],
            None => values(entry),
        })
        .collect()
}
