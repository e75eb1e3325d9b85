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
    environment.add_filter("markdown", with_anchors(markdown::rendered));
    environment.add_filter("inline", with_anchors(markdown::in_line));
    TEMPLATES.iter().try_for_each(|(name, text)| environment.add_template(name, text))?;
    Ok(environment)
});

pub(super) fn render(name: &str, values: Value) -> Result<String, Error> {
    let environment = ENVIRONMENT.as_ref().map_err(|error| Error::new(ErrorKind::InvalidOperation, error.to_string()))?;
    environment.get_template(name)?.render(values)
}

/// A filter for Markdown of a model, with links to the ids of the page.
fn with_anchors(html: fn(&str, &Anchors) -> String) -> impl Fn(&State<'_, '_>, &str) -> Result<Value, Error> {
    move |state, text| {
        let anchors = state.lookup("anchors");
        let anchors = anchors.as_ref().and_then(|anchors| anchors.downcast_object_ref::<Anchors>());
        let no_anchors = || Error::new(ErrorKind::UndefinedError, "no anchors");
        anchors.map(|anchors| safe(html(text, anchors))).ok_or_else(no_anchors)
    }
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
