//! `blog-post.md` and `assessor-report.md`: what was written, under headings of ours.

use std::collections::BTreeSet;

use super::{View, in_line, list, push};
use crate::evidence::scan;
use crate::formats::panel;
use crate::report::quoted::contained;

pub(super) fn blog(view: &View<'_>) -> Option<String> {
    let blog = panel::blog_post(view.debate)?;
    let mut text = format!("# {}\n\n{}\n", view.line(&blog.title), contained(&view.shown(&blog.body)));
    if !blog.sources.is_empty() {
        text.push_str("\n## Sources\n\n");
        list(&mut text, blog.sources.iter().map(|url| in_line(url)));
    }
    let verified = view.record.verified_sources();
    let mentioned = scan(&blog.body).into_iter().map(|mention| mention.evidence.to_string());
    let unverified: BTreeSet<String> = mentioned.filter(|place| !verified.contains(place)).collect();
    if !unverified.is_empty() {
        text.push_str("\n## Mentioned, not verified\n\n");
        list(&mut text, unverified.iter().map(|place| view.line(place)));
    }
    Some(text)
}

pub(super) fn assessment(view: &View<'_>) -> Option<String> {
    let assessment = panel::assessment(view.debate)?;
    let mut text = format!("# Assessment: {}\n\n", in_line(&view.debate.plan().topic));
    push(&mut text, format_args!("Overall: **{}**\n", assessment.rating.as_str()));
    let shown = |items: &[String]| items.iter().map(|item| view.line(item)).collect::<Vec<_>>().into_iter();
    for part in &assessment.parts {
        push(&mut text, format_args!("\n## {}\n", part.who));
        for (title, items) in
            [("Strengths", &part.strengths), ("Improvements", &part.improvements), ("Suggestions", &part.suggestions)]
        {
            push(&mut text, format_args!("\n### {title}\n\n"));
            list(&mut text, shown(items));
        }
    }
    text.push_str("\n## How the next debate can be better\n\n");
    list(&mut text, shown(&assessment.execution_improvements));
    text.push_str("\n## How its documents can be better\n\n");
    list(&mut text, shown(&assessment.output_improvements));
    Some(text)
}
