//! The embedded model, as `rebut doctor` shows it.

use rebut_engine::models::{Installed, Known, size};
use rebut_engine::providers::{Probe, local};
use serde_json::json;

use super::{Entry, block, probe_json, probe_words};

/// The weights if they are installed, or why that is unknown.
pub(super) type Found = Result<Option<Installed>, String>;

pub(super) fn entry(weights: &Found, probe: Option<&Probe>) -> Entry {
    let Known { name, about, shipped, .. } = Known::DEFAULT;
    let where_they_are = match weights {
        Ok(Some(weights)) => weights.path.display().to_string(),
        Err(why) => format!("unknown: {why}"),
        Ok(None) => format!(
            "not installed: fetched by the first debate that needs them ({}), or by `rebut model pull {name}`",
            size(shipped)
        ),
    };
    let asked = probe.map(|probe| ("probe", probe_words(probe)));
    let lines = [("weights", where_they_are)].into_iter().chain(asked);
    let here = weights.as_ref().ok().and_then(Option::as_ref);
    let text = block(local::NAME, &format!("{name}, in this process; {about}"), lines);
    let json = json!({
        "type": "embedded", "name": local::NAME, "model": name, "can_be_seated": here.is_some(),
        "weights": here.map(|weights| &weights.path), "missing": weights.as_ref().err(), "probe": probe.map(probe_json),
    });
    Entry::new(local::NAME, here.is_some(), Some(text), json, probe)
}
