//! Tools, as `rebut doctor` shows them.

use std::path::Path;

use rebut_core::debate::Effort;
use rebut_engine::providers::{Checkup, Probe, SignIn};
use serde_json::{Value, json};

use super::{Entry, block, by_effort, effort_models, probe_json, probe_words, without_name};

pub(super) fn entry(checkup: &Checkup, probe: Option<&Probe>) -> Entry {
    let (is_signed_in, signed_in) = match &checkup.sign_in {
        SignIn::Key(variable) => (Some(true), json!({ "variable": variable })),
        SignIn::File(file) => (Some(true), json!({ "file": file })),
        SignIn::Confirmed => (Some(true), Value::Null),
        SignIn::No(_) => (Some(false), Value::Null),
        SignIn::Unknown => (None, Value::Null),
    };
    let json = json!({
        "type": "tool",
        "name": checkup.name,
        "program": checkup.program,
        "missing": checkup.missing,
        "version": checkup.version.as_ref().ok(), "no_version": checkup.version.as_ref().err(),
        "transports": checkup.transports,
        "limits": checkup.limits,
        "signed_in": is_signed_in,
        "signed_in_by": signed_in,
        "models": by_effort(&checkup.models),
        "effort": by_effort(&checkup.efforts),
        "can_be_seated": checkup.can_be_seated(),
        "probe": probe.map(probe_json),
    });
    let entry = Entry::new(&checkup.name, checkup.can_be_seated(), Some(text(checkup, probe)), json, probe);
    Entry { is_signed_out: checkup.signed_out().is_some(), ..entry }
}

fn text(checkup: &Checkup, probe: Option<&Probe>) -> String {
    let Some(program) = &checkup.program else {
        let why = checkup.missing.as_deref().unwrap_or_default();
        return block(&checkup.name, without_name(why, &checkup.name), []);
    };
    let version = match &checkup.version {
        Ok(Some(version)) => version.clone(),
        Err(why) => format!("version unknown: {why}"),
        Ok(None) if checkup.is_own_agent() => "an agent of your own".to_owned(),
        Ok(None) => "version unknown".to_owned(),
    };
    let mut lines = vec![
        ("program", program.display().to_string()),
        ("transports", checkup.transports.join(", ")),
        ("signed in", sign_in_words(&checkup.sign_in)),
        ("models", models(checkup)),
    ];
    lines.extend(effort_words(checkup).map(|words| ("effort", words)));
    lines.extend(checkup.limits.iter().map(|limit| ("limits", limit.clone())));
    lines.extend(probe.map(|probe| ("probe", probe_words(probe))));
    block(&checkup.name, &version, lines)
}

fn sign_in_words(sign_in: &SignIn) -> String {
    match sign_in {
        SignIn::Key(variable) => format!("probably: {variable} is set"),
        SignIn::File(file) => format!("probably: {} exists", at_home(file)),
        SignIn::Confirmed => "yes".to_owned(),
        SignIn::No(advice) => format!("no. {advice}"),
        SignIn::Unknown => "unknown: neither its key nor its file was found; run with --probe".to_owned(),
    }
}

fn at_home(file: &Path) -> String {
    let home = std::env::home_dir().filter(|home| !home.as_os_str().is_empty());
    match home.and_then(|home| file.strip_prefix(home).ok().map(Path::to_owned)) {
        Some(rest) => format!("~/{}", rest.display()),
        None => file.display().to_string(),
    }
}

fn models(checkup: &Checkup) -> String {
    effort_models(&checkup.models, "its own").unwrap_or_else(|| "its own, at every effort".to_owned())
}

/// The tool's words for efforts, if they differ from ours.
fn effort_words(checkup: &Checkup) -> Option<String> {
    let is_other = |(effort, word): &(Effort, Option<String>)| word.as_deref() != Some(effort.as_str());
    let words = effort_models(&checkup.efforts, "not set")?;
    checkup.efforts.iter().any(is_other).then_some(words)
}
