//! The embedded model, as `rebut doctor` shows it.

use rebut_engine::models::{Installed, Known, size};
use rebut_engine::providers::{Probe, local};
use serde_json::{Value, json};

use super::{probe_json, probe_words};

/// The weights if they are installed, or why that is unknown.
pub(super) type Found = Result<Option<Installed>, String>;

pub(super) fn as_text(weights: &Found, probe: Option<&Probe>) -> String {
    let Known { name, about, shipped, .. } = Known::DEFAULT;
    let here = match weights {
        Ok(Some(weights)) => format!("weights     {}", weights.path.display()),
        Err(why) => format!("weights     unknown: {why}"),
        Ok(None) => format!(
            "weights     not installed: fetched by the first debate that needs them ({}), or by `rebut model pull {name}`",
            size(shipped)
        ),
    };
    let asked = probe.map(|probe| format!("  probe       {}\n", probe_words(probe))).unwrap_or_default();
    format!("{:<9} {name}, in this process; {about}\n  {here}\n{asked}", local::NAME)
}

pub(super) fn as_json(weights: &Found, probe: Option<&Probe>) -> Value {
    let here = weights.as_ref().ok().and_then(Option::as_ref);
    json!({
        "type": "embedded", "name": local::NAME, "model": Known::DEFAULT.name, "can_be_seated": here.is_some(),
        "weights": here.map(|weights| &weights.path), "missing": weights.as_ref().err(), "probe": probe.map(probe_json),
    })
}
