//! Markdown of models as inert HTML: raw HTML is shown as text, links lead to the web or to mail only, pictures aren't
//! loaded. Ids of claims, statements, findings and entries become links within the page.

use std::collections::BTreeSet;

use minijinja::HtmlEscape;
use minijinja::value::Object;
use pulldown_cmark::{CowStr, Event, HeadingLevel, Options, Parser, Tag, TagEnd, html};

use crate::terminal::harmless;

/// The anchors of a page that text may refer to.
#[derive(Debug, Default)]
pub(super) struct Anchors(pub(super) BTreeSet<String>);

impl Object for Anchors {}

pub(super) fn rendered(text: &str, anchors: &Anchors) -> String {
    let text = harmless(text);
    let options = Options::ENABLE_TABLES | Options::ENABLE_STRIKETHROUGH;
    let mut inside = Inside::default();
    let events = Parser::new_ext(&text, options).flat_map(|event| inside.safe(event, anchors));
    let mut rendered = String::with_capacity(text.len() * 3 / 2);
    html::push_html(&mut rendered, events);
    rendered
}

/// The same for a text of one line, without a paragraph around it.
pub(super) fn in_line(text: &str, anchors: &Anchors) -> String {
    let whole = rendered(&text.split_whitespace().collect::<Vec<_>>().join(" "), anchors);
    let inner = whole.trim().strip_prefix("<p>").and_then(|rest| rest.strip_suffix("</p>"));
    inner.filter(|inner| !inner.contains("<p>")).map_or_else(|| whole.clone(), str::to_owned)
}

/// A text with links at the ids of the page.
pub(super) fn linked(text: &str, anchors: &Anchors) -> String {
    let mut html = String::with_capacity(text.len() + 16);
    let mut rest = text;
    while let Some(start) = rest.find(|c: char| c.is_ascii_alphanumeric()) {
        let word = &rest[start..];
        let end = word.find(|c: char| !(c.is_ascii_alphanumeric() || c == '.' || c == '-')).unwrap_or(word.len());
        let word = word[..end].trim_end_matches(['.', '-']);
        html.push_str(&escaped(&rest[..start]));
        let after = &rest[start + word.len()..];
        // `seq 12` has a space in it.
        let number =
            after.strip_prefix(' ').map(|after| &after[..after.find(|c: char| !c.is_ascii_digit()).unwrap_or(after.len())]);
        let entry = number.filter(|number| word == "seq" && anchors.0.contains(&format!("seq-{number}")));
        rest = match entry {
            Some(number) => {
                html.push_str(&reference(&format!("seq-{number}"), &format!("seq {number}")));
                &after[1 + number.len()..]
            }
            None if anchors.0.contains(word) => {
                html.push_str(&reference(word, word));
                after
            }
            None => {
                html.push_str(&escaped(word));
                after
            }
        };
    }
    html.push_str(&escaped(rest));
    html
}

pub(super) fn escaped(text: &str) -> String {
    HtmlEscape(text).to_string()
}

fn reference(anchor: &str, shown: &str) -> String {
    format!("<a class=\"ref\" href=\"#{}\">{}</a>", escaped(anchor), escaped(shown))
}

/// The elements around the current event.
#[derive(Default)]
struct Inside {
    code: bool,
    /// Links that are open, each with whether it is one on the page.
    links: Vec<bool>,
}

impl Inside {
    fn safe<'a>(&mut self, event: Event<'a>, anchors: &Anchors) -> Vec<Event<'a>> {
        let html = |text: String| vec![Event::InlineHtml(CowStr::from(text))];
        match event {
            Event::Html(text) | Event::InlineHtml(text) => vec![Event::Text(text)],
            Event::Start(Tag::HtmlBlock) => vec![Event::Start(Tag::Paragraph)],
            Event::End(TagEnd::HtmlBlock) => vec![Event::End(TagEnd::Paragraph)],
            Event::Start(Tag::Heading { level, .. }) => {
                vec![Event::Start(Tag::Heading { level: lowered(level), id: None, classes: Vec::new(), attrs: Vec::new() })]
            }
            Event::End(TagEnd::Heading(level)) => vec![Event::End(TagEnd::Heading(lowered(level)))],
            Event::Start(Tag::Link { dest_url, .. } | Tag::Image { dest_url, .. }) => {
                let is_link = leads_outside(&dest_url) && !self.links.contains(&true);
                self.links.push(is_link);
                if !is_link {
                    return Vec::new();
                }
                html(format!("<a href=\"{}\" rel=\"noopener noreferrer nofollow\">", escaped(&dest_url)))
            }
            Event::End(TagEnd::Link | TagEnd::Image) => {
                if self.links.pop() == Some(true) {
                    html("</a>".to_owned())
                } else {
                    Vec::new()
                }
            }
            Event::Start(Tag::CodeBlock(_)) => {
                self.code = true;
                html("<pre tabindex=\"0\"><code>".to_owned())
            }
            Event::End(TagEnd::CodeBlock) => {
                self.code = false;
                html("</code></pre>\n".to_owned())
            }
            Event::Text(text) if !self.code && self.links.is_empty() => html(linked(&text, anchors)),
            event => vec![event],
        }
    }
}

fn leads_outside(address: &str) -> bool {
    let scheme = address.split_once(':').map(|(scheme, _)| scheme.to_ascii_lowercase());
    scheme.is_some_and(|scheme| ["http", "https", "mailto"].contains(&scheme.as_str()))
}

/// A model's headings rank below those of the page.
fn lowered(level: HeadingLevel) -> HeadingLevel {
    match level {
        HeadingLevel::H1 | HeadingLevel::H2 => HeadingLevel::H4,
        HeadingLevel::H3 => HeadingLevel::H5,
        _ => HeadingLevel::H6,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn anchors() -> Anchors {
        Anchors(["P1.2", "C1", "seq-12"].map(str::to_owned).into())
    }

    #[test]
    fn text_of_models_executes_nothing() {
        for (text, expected) in [
            ("</script><script>alert(1)</script>", "&lt;/script&gt;&lt;script&gt;alert(1)&lt;/script&gt;"),
            ("a <img src=x onerror=alert(1)> b", "&lt;img src=x onerror=alert(1)&gt;"),
            ("<div>\n<b>\n</div>", "&lt;div&gt;"),
            ("[x](javascript:alert(1))", "<p>x</p>"),
            ("[x](JaVaScRiPt:alert(1))", "<p>x</p>"),
            ("<javascript:alert(1)>", "javascript:alert(1)"),
            ("[x](data:text/html,y)", "<p>x</p>"),
            ("[x](#verdict)", "<p>x</p>"),
            ("![x](https://example.com/x.png)", "<a href=\"https:&#x2f;&#x2f;example.com&#x2f;x.png\" rel="),
            ("[x](https://e.com/\"onclick=\"y)", "https:&#x2f;&#x2f;e.com&#x2f;&quot;onclick=&quot;y"),
            ("```html\"><script>\n</code><script>x</script>\n```", "<code>&lt;/code&gt;&lt;script&gt;"),
            ("a\u{202e}b\u{1b}[31m", "a\u{fffd}b\u{241b}[31m"),
        ] {
            let html = rendered(text, &anchors());
            assert!(html.contains(expected), "{text}: {html}");
            assert!(
                !html.contains("<script") && !html.contains("<img") && !html.contains("javascript:alert(1)\""),
                "{html}"
            );
        }
    }

    #[test]
    fn ids_of_the_page_become_links() {
        let html = rendered("P1.2 is false (see C1.), C1.9 and [seq 12], seq 13, `P1.2`", &anchors());
        assert_eq!(html.matches("<a class=\"ref\"").count(), 3, "{html}");
        assert!(html.contains("href=\"#seq-12\">seq 12</a>") && html.contains("<code>P1.2</code>"), "{html}");
    }
}
