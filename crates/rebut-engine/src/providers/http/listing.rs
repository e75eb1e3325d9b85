//! Whether a server answers, and which models it has: asked once, and not for long.

use std::time::Duration;

use serde_json::Value;

use super::api::api;
use super::client::{self, Clients};
use super::key::Key;
use super::services::{Service, ServiceError};

/// How long a server on this machine may take to say what it has.
const SHORT: Duration = Duration::from_millis(800);

/// The most of a list that is read.
const MOST_BYTES: usize = 4 << 20;

/// The longest name of a model that is taken for one.
const LONGEST_NAME: usize = 300;

/// The models that the user's own server lists; it needs no key.
pub(in crate::providers) async fn models(service: &Service, clients: &Clients) -> Result<Vec<String>, ServiceError> {
    let answers = |how: String| {
        let (service, address) = (service.name.clone(), service.base_url.to_string());
        ServiceError::AnswersOtherwise { service, address, how }
    };
    let api = api(service.api);
    let url = service.address(api.models).ok_or_else(|| service.not_answering())?;
    let client = clients.client(&url).map_err(|_| service.not_answering())?;
    let sent = client.get(url).headers(client::headers(api, &Key::default())).timeout(SHORT).send().await;
    let response = sent.map_err(|error| match client::other_protocol(&client::reason(&error)) {
        Some(how) => answers(format!("answers, but {how}")),
        None => service.not_answering(),
    })?;
    let status = response.status();
    if !status.is_success() {
        return Err(answers(format!("answers with HTTP {} where its models should be", status.as_u16())));
    }
    let body = client::read_some(response, MOST_BYTES).await;
    let models = serde_json::from_slice(&body).ok().and_then(|body| listed(&body));
    models.ok_or_else(|| answers("answers, but not with a list of models".to_owned()))
}

/// The models of a list that can hold a conversation, in its order.
fn listed(body: &Value) -> Option<Vec<String>> {
    let models = body["data"].as_array().or_else(|| body["models"].as_array())?;
    let names = models.iter().filter_map(|model| ["id", "name", "model"].iter().find_map(|name| model[*name].as_str()));
    let talks = |name: &&str| !name.to_lowercase().contains("embed");
    // The names are shown, and go into plans.
    let harmless = |name: &&str| !name.is_empty() && name.len() <= LONGEST_NAME && !name.contains(char::is_control);
    Some(names.filter(talks).filter(harmless).map(|name| name.strip_prefix("models/").unwrap_or(name).to_owned()).collect())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn models_are_listed_in_order_without_those_that_only_embed() {
        let body = json!({ "object": "list", "data": [{ "id": "llama3.2" }, { "id": "nomic-embed-text" }, { "id": "b" },
            { "id": "\u{1b}[31mred" }, { "id": "" }, { "id": "x".repeat(301) }] });
        assert_eq!(listed(&body).unwrap(), ["llama3.2", "b"]);
        assert_eq!(listed(&json!({ "models": [{ "name": "models/gemini-x" }] })).unwrap(), ["gemini-x"]);
    }
}
