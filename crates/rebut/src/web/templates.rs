//! The templates of the page. Every value is escaped, and control characters in it are made visible.

use std::sync::LazyLock;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use minijinja::syntax::SyntaxConfig;
use minijinja::{AutoEscape, Environment, Error, ErrorKind, State, UndefinedBehavior, Value, escape_formatter};
use sha2::{Digest, Sha256};

use super::markdown::{self, Anchors};
use crate::terminal::harmless;

pub(super) const STYLE: &str = include_str!("templates/page.css");
pub(super) const SCRIPT: &str = include_str!("templates/page.js");

macro_rules! templates {
    ($($name:literal)*) => {
        &[$(($name, include_str!(concat!("templates/", $name, ".html")))),*]
    };
}

const TEMPLATES: &[(&str, &str)] = templates![
    "choice" "claim" "claims" "entry" "evidence" "evidence_items" "filters" "finding" "head" "list" "map" "mentions" "nav"
    "now" "page" "refused" "rejudge" "round" "section" "statement" "status" "text" "verdict"
];

static ENVIRONMENT: LazyLock<Result<Environment<'static>, Error>> = LazyLock::new(|| {
    let mut environment = Environment::new();
    environment.set_syntax(SyntaxConfig::builder().trim_blocks(true).lstrip_blocks(true).build()?);
    environment.set_undefined_behavior(UndefinedBehavior::SemiStrict);
    environment.set_auto_escape_callback(|_| AutoEscape::Html);
    environment.set_formatter(|out, state, value| match value.as_str() {
        Some(text) if !value.is_safe() => escape_formatter(out, state, &Value::from(harmless(text).as_ref())),
        _ => escape_formatter(out, state, value),
    });
    environment.add_filter("markdown", markdown_filter);
    environment.add_filter("inline", inline_filter);
    TEMPLATES.iter().try_for_each(|(name, text)| environment.add_template(name, text))?;
    Ok(environment)
});

pub(super) fn render(name: &str, values: Value) -> Result<String, Error> {
    let environment = ENVIRONMENT.as_ref().map_err(|error| Error::new(ErrorKind::InvalidOperation, error.to_string()))?;
    environment.get_template(name)?.render(values)
}

/// Markdown of a model as inert HTML, with links to the ids of the page.
fn markdown_filter(state: &State<'_, '_>, text: &str) -> Result<Value, Error> {
    with_anchors(state, |anchors| markdown::rendered(text, anchors))
}

/// The same on one line, without a paragraph around it.
fn inline_filter(state: &State<'_, '_>, text: &str) -> Result<Value, Error> {
    with_anchors(state, |anchors| markdown::in_line(text, anchors))
}

fn with_anchors(state: &State<'_, '_>, html: impl FnOnce(&Anchors) -> String) -> Result<Value, Error> {
    let anchors = state.lookup("anchors");
    let anchors = anchors.as_ref().and_then(|anchors| anchors.downcast_object_ref::<Anchors>());
    anchors.map(|anchors| safe(html(anchors))).ok_or_else(|| Error::new(ErrorKind::UndefinedError, "no anchors"))
}

pub(super) fn safe(html: impl Into<String>) -> Value {
    Value::from_safe_string(html.into())
}

/// The Content-Security-Policy: this script and this style, and nothing loaded. A served page may also call its server.
pub(super) fn policy(is_served: bool) -> String {
    let hash = |text: &str| format!("'sha256-{}'", STANDARD.encode(Sha256::digest(text)));
    let own = if is_served { "'self'" } else { "'none'" };
    format!(
        "default-src 'none'; script-src {}; style-src {}; img-src data:; connect-src {own}; form-action {own}; base-uri 'none'",
        hash(SCRIPT),
        hash(STYLE)
    )
}
