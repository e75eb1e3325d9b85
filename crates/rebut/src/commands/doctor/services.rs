//! Services, as `rebut doctor` shows them: usable ones in full, the others in a line.

use rebut_engine::providers::{Probe, Service, ServiceCheckup, ServiceError, Standing};
use serde_json::{Value, json};

use super::{Entry, block, by_effort, effort_models, probe_json, probe_words, without_name};

const MOST_MODELS: usize = 6;

pub(super) fn entry(checkup: &ServiceCheckup, probe: Option<&Probe>, asked: bool) -> Entry {
    let (text, json) = (text(checkup, probe, asked), as_json(checkup, probe, asked));
    Entry::new(&checkup.name, checkup.can_be_seated(), text, json, probe)
}

/// A usable service in full; `None` for one of [`others`].
fn text(checkup: &ServiceCheckup, probe: Option<&Probe>, asked: bool) -> Option<String> {
    let (key, models) = match &checkup.standing {
        Standing::Key(variable) => {
            let named = effort_models(&checkup.models, "name one");
            (format!("{variable} is set"), named.unwrap_or_else(|| format!("name one: {}:MODEL", checkup.name)))
        }
        Standing::Answers(models) => ("not needed".to_owned(), listed(models)),
        Standing::NoKey(ServiceError::NoKey { .. }) | Standing::Silent | Standing::Strange(_) => return None,
        Standing::NoKey(why) | Standing::NotSetUp(why) => {
            return Some(block(&checkup.name, without_name(&why.to_string(), &checkup.name), []));
        }
    };
    let service = checkup.service.as_ref().ok()?;
    let kind = if service.is_own_server() { "your own server" } else { "an API" };
    let probed = probe.map(probe_words).or_else(|| not_probed(checkup, probe, asked)).map(|words| ("probe", words));
    let lines = [("address", service.base_url.to_string()), ("key", key), ("models", models)];
    Some(block(&checkup.name, kind, lines.into_iter().chain(probed)))
}

fn not_probed(checkup: &ServiceCheckup, probe: Option<&Probe>, asked: bool) -> Option<String> {
    let name = &checkup.name;
    match &checkup.standing {
        _ if !asked || probe.is_some() => None,
        Standing::Key(_) => Some(format!("skipped: no model is set for any effort; set services.{name}.models.low")),
        Standing::Answers(_) => Some("skipped: it lists no model".to_owned()),
        Standing::NoKey(_) | Standing::Silent | Standing::Strange(_) | Standing::NotSetUp(_) => None,
    }
}

/// The services that can't be used now: a line for missing keys and one for servers.
pub(super) fn others(checkups: &[ServiceCheckup]) -> Option<String> {
    let keys = checkups.iter().filter_map(|checkup| match &checkup.standing {
        Standing::NoKey(ServiceError::NoKey { variable, .. }) => Some(format!("{} ({variable})", checkup.name)),
        _ => None,
    });
    let silent = checkups.iter().filter(|checkup| checkup.standing == Standing::Silent);
    let servers = silent.filter_map(|checkup| Some(format!("{} ({})", checkup.name, host(checkup.service.as_ref().ok()?))));
    let line = |what: &str, names: Vec<String>| (!names.is_empty()).then(|| format!("{what}: {}\n", names.join(", ")));
    let strange = checkups.iter().filter_map(|checkup| match (&checkup.standing, &checkup.service) {
        (Standing::Strange(how), Ok(service)) => Some(format!("{} ({}: it {how})", checkup.name, host(service))),
        _ => None,
    });
    let lines = [
        line("APIs without a key", keys.collect()),
        line("servers not running", servers.collect()),
        line("not a model server", strange.collect()),
    ];
    Some(lines.into_iter().flatten().collect::<String>()).filter(|lines| !lines.is_empty())
}

fn as_json(checkup: &ServiceCheckup, probe: Option<&Probe>, asked: bool) -> Value {
    let service = checkup.service.as_ref().ok();
    let (key, lists, why) = match &checkup.standing {
        Standing::Key(variable) => (Some(variable), None, None),
        Standing::Answers(models) => (None, Some(models), None),
        Standing::Silent => (None, None, Some("it does not answer".to_owned())),
        Standing::Strange(how) => (None, None, Some(format!("it {how}"))),
        Standing::NoKey(why) | Standing::NotSetUp(why) => (None, None, Some(why.to_string())),
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

fn listed(models: &[String]) -> String {
    let more = models.len().saturating_sub(MOST_MODELS);
    let shown = models.iter().take(MOST_MODELS).cloned().collect::<Vec<_>>().join(", ");
    match more {
        _ if models.is_empty() => "none".to_owned(),
        0 => shown,
        more => format!("{shown} and {more} more"),
    }
}

fn host(service: &Service) -> String {
    let port = service.base_url.port_or_known_default().map_or_else(String::new, |port| format!(":{port}"));
    format!("{}{port}", service.base_url.host_str().unwrap_or_default())
}
