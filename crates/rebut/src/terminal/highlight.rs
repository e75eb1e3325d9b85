//! Code in colour: syntect finds what each piece is, and the terminal's own colours show it.

use std::sync::LazyLock;

use syntect::parsing::{ParseState, Scope, ScopeStack, SyntaxSet};

use super::spans::{Color, Line, Span, Style};

static SYNTAXES: LazyLock<SyntaxSet> = LazyLock::new(SyntaxSet::load_defaults_newlines);

/// What each kind of code looks like; the first that matches the innermost scope counts.
static STYLES: LazyLock<Vec<(Scope, Style)>> = LazyLock::new(|| {
    let styles = [
        ("comment", Style::DIM),
        ("string", Style::colored(Color::Green)),
        ("constant", Style::colored(Color::Cyan)),
        ("keyword.operator", Style::default()),
        ("keyword", Style::colored(Color::Magenta)),
        ("storage", Style::colored(Color::Magenta)),
        ("entity.name", Style::colored(Color::Blue)),
        ("support", Style::colored(Color::Blue)),
        ("markup.inserted", Style::colored(Color::Green)),
        ("markup.deleted", Style::colored(Color::Red)),
        ("meta.diff.range", Style::colored(Color::Cyan)),
    ];
    styles.into_iter().filter_map(|(name, style)| Some((Scope::new(name).ok()?, style))).collect()
});

/// The lines of code in a language; without colour where the language is unknown.
pub(super) fn highlighted(code: &str, language: &str) -> Vec<Line> {
    let plain = || code.lines().map(|line| vec![Span::new(line, Style::default())]).collect();
    let Some(syntax) = (!language.is_empty()).then(|| SYNTAXES.find_syntax_by_token(language)).flatten() else {
        return plain();
    };
    let mut state = ParseState::new(syntax);
    let mut scopes = ScopeStack::new();
    let mut lines = Vec::new();
    for line in code.lines() {
        let text = format!("{line}\n");
        let Ok(changes) = state.parse_line(&text, &SYNTAXES) else { return plain() };
        let mut spans = Line::new();
        let mut from = 0;
        for (at, change) in changes {
            push(&mut spans, &text[from..at], &scopes);
            from = at;
            if scopes.apply(&change).is_err() {
                return plain();
            }
        }
        push(&mut spans, &text[from..], &scopes);
        lines.push(spans);
    }
    lines
}

fn push(spans: &mut Line, text: &str, scopes: &ScopeStack) {
    let text = text.trim_end_matches('\n');
    if !text.is_empty() {
        spans.push(Span::new(text, style(scopes)));
    }
}

fn style(scopes: &ScopeStack) -> Style {
    let of = |scope: &Scope| STYLES.iter().find(|(prefix, _)| prefix.is_prefix_of(*scope)).map(|(_, style)| *style);
    scopes.as_slice().iter().rev().find_map(of).unwrap_or_default()
}
