//! What doctor tells of the embedded model.

use rebut_engine::models::{Installed, Known, size};
use rebut_engine::providers::{Probe, local};
use serde_json::{Value, json};

use super::{probe_json, probe_words};

/// What it is, whether its weights are here, and what it answered if it was asked.
pub(super) fn as_text(weights: Option<&Installed>, probe: Option<&Probe>) -> String {
    let Known { name, about, shipped, .. } = Known::DEFAULT;
    let here = match weights {
        Some(weights) => format!("weights     {}", weights.path.display()),
        None => format!(
            "weights     not here yet: the first debate that needs them fetches them ({}), or `rebut model pull {name}`",
            size(shipped)
        ),
    };
    let asked = probe.map(|probe| format!("  probe       {}\n", probe_words(probe))).unwrap_or_default();
    format!("{:<9} {name}, in this process; {about}\n  {here}\n{asked}", local::NAME)
}

/// The same for programs.
pub(super) fn as_json(weights: Option<&Installed>, probe: Option<&Probe>) -> Value {
    json!({
        "type": "embedded", "name": local::NAME, "model": Known::DEFAULT.name, "can_be_seated": weights.is_some(),
        "weights": weights.map(|weights| &weights.path), "probe": probe.map(probe_json),
    })
}
