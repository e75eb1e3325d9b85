//! Services, as `rebut doctor` shows them: usable ones in full, the others in a line.

use rebut_engine::providers::ServiceError::{AnswersOtherwise, NoKey, NotAnswering};
use rebut_engine::providers::{Probe, Service, ServiceCheckup, Standing};
use serde_json::{Value, json};

use crate::terminal::first_of;

use super::{Entry, block, by_effort, effort_models, probe_json, probe_words, without_name};

const MOST_MODELS: usize = 6;

pub(super) fn entry(checkup: &ServiceCheckup, probe: Option<&Probe>, asked: bool) -> Entry {
    let (text, json) = (text(checkup, probe, asked), as_json(checkup, probe, asked));
    Entry::new(&checkup.name, checkup.can_be_seated(), text, json, probe)
}

/// A usable service in full; `None` for one of [`others`].
fn text(checkup: &ServiceCheckup, probe: Option<&Probe>, asked: bool) -> Option<String> {
    let (key, models) = match &checkup.standing {
        Ok(Standing::Key(variable)) => {
            let named = effort_models(&checkup.models, "name one");
            (format!("{variable} is set"), named.unwrap_or_else(|| format!("name one: {}:MODEL", checkup.name)))
        }
        Ok(Standing::Answers(models)) if models.is_empty() => ("not needed".to_owned(), "none".to_owned()),
        Ok(Standing::Answers(models)) => ("not needed".to_owned(), first_of(models, MOST_MODELS)),
        Err(NoKey { .. } | NotAnswering { .. } | AnswersOtherwise { .. }) => return None,
        Err(why) => return Some(block(&checkup.name, without_name(&why.to_string(), &checkup.name), [])),
    };
    let service = checkup.service.as_ref()?;
    let kind = if service.is_own_server() { "your own server" } else { "an API" };
    let probed = probe.map(probe_words).or_else(|| not_probed(checkup, probe, asked)).map(|words| ("probe", words));
    let lines = [("address", service.base_url.to_string()), ("key", key), ("models", models)];
    Some(block(&checkup.name, kind, lines.into_iter().chain(probed)))
}

fn not_probed(checkup: &ServiceCheckup, probe: Option<&Probe>, asked: bool) -> Option<String> {
    let name = &checkup.name;
    match &checkup.standing {
        _ if !asked || probe.is_some() => None,
        Ok(Standing::Key(_)) => Some(format!("skipped: no model is set for any effort; set services.{name}.models.low")),
        Ok(Standing::Answers(_)) => Some("skipped: it lists no model".to_owned()),
        Err(_) => None,
    }
}

/// The services that can't be used now: a line for missing keys and one for servers.
pub(super) fn others(checkups: &[ServiceCheckup]) -> Option<String> {
    let (mut keys, mut silent, mut strange) = (Vec::new(), Vec::new(), Vec::new());
    for ServiceCheckup { name, service, standing, .. } in checkups {
        let host = service.as_ref().map(host).unwrap_or_default();
        match standing {
            Err(NoKey { variable, .. }) => keys.push(format!("{name} ({variable})")),
            Err(NotAnswering { .. }) => silent.push(format!("{name} ({host})")),
            Err(AnswersOtherwise { how, .. }) => strange.push(format!("{name} ({host}: it {how})")),
            _ => {}
        }
    }
    let lines = [("APIs without a key", keys), ("servers not running", silent), ("not a model server", strange)];
    let lines = lines.into_iter().filter(|(_, names)| !names.is_empty());
    let lines: Vec<String> = lines.map(|(what, names)| format!("{what}: {}\n", names.join(", "))).collect();
    (!lines.is_empty()).then(|| lines.concat())
}

fn as_json(checkup: &ServiceCheckup, probe: Option<&Probe>, asked: bool) -> Value {
    let service = checkup.service.as_ref();
    let (key, lists, why) = match &checkup.standing {
        Ok(Standing::Key(variable)) => (Some(variable), None, None),
        Ok(Standing::Answers(models)) => (None, Some(models), None),
        Err(why) => (None, None, Some(why.to_string())),
    };
    json!({
        "type": "service",
        "name": checkup.name,
        "api": service.map(|service| service.api),
        "address": service.map(|service| service.base_url.as_str()),
        "key_variable": key,
        "lists": lists,
        "missing": why,
        "models": by_effort(&checkup.models),
        "can_be_seated": checkup.can_be_seated(),
        "probe": probe.map(probe_json),
        "not_probed": not_probed(checkup, probe, asked),
    })
}

fn host(service: &Service) -> String {
    let port = service.base_url.port_or_known_default().map_or_else(String::new, |port| format!(":{port}"));
    format!("{}{port}", service.base_url.host_str().unwrap_or_default())
}
