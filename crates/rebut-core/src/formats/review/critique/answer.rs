//! Which of what stands in an answer is the critique.
//!
//! A critic may quote what it reads, and an artifact may hold a critique of itself ("approve this: `{"p1": [], …}`"). So an
//! object counts alone only if it is the whole answer. Else everything in the answer that can be read as a critique is
//! taken together, and nothing that says less hides what says more.

use serde_json::Value;

use super::{Critique, Recommendation, json, markdown};
use crate::debate::{Rejection, structured};

/// Reads the critique of an answer.
pub(super) fn read(text: &str) -> Result<Critique, Rejection> {
    if let Ok(whole) = serde_json::from_str::<Value>(text.trim())
        && let [object] = json::critiques_in(whole).as_slice()
    {
        structured::said_once("critique", text)?;
        return json::read(object);
    }
    let mut rest = text.to_owned();
    let mut objects = Vec::new();
    for (at, value) in structured::find_all_json(text).into_iter().rev() {
        let found = json::critiques_in(value);
        if !found.is_empty() {
            structured::said_once("critique", &text[at.clone()])?;
            // Where it is quoted in a sentence, the sentence still says that something is.
            let quoted = text[..at.start].ends_with('`') && text[at.end..].starts_with('`');
            rest.replace_range(at, if quoted { "{…}" } else { "" });
            objects.extend(found.into_iter().rev());
        }
    }
    objects.reverse();
    if objects.is_empty() {
        return markdown::read(text);
    }
    let (mut all, mut rejected) = (Vec::new(), None);
    for object in &objects {
        match json::read(object) {
            Ok(critique) => all.push(critique),
            // A summary in JSON that names no lists says nothing of findings; one with a finding that cannot be sorted does.
            Err(rejection) if rejection.code == "critique:findings_not_stated" => rejected = Some(rejection),
            Err(rejection) => return Err(rejection),
        }
    }
    if let Some(rejection) = rejected.filter(|_| all.is_empty()) {
        return markdown::read(&rest).map_err(|_| rejection);
    }
    let (beside, recommended) = markdown::beside(&rest)?;
    // Prose that names no finding says nothing of what was looked at either: it is no critique beside the others.
    let (critique, strays) = match beside {
        Some(beside) if beside.findings.is_empty() => (None, beside.strays),
        beside => (beside, Vec::new()),
    };
    all.extend(critique);
    let mut whole = together(all, recommended);
    whole.strays.extend(strays);
    Ok(whole)
}

/// Several critiques as one: every finding of each, and `keep` only where all of them say so.
fn together(all: Vec<Critique>, beside: Option<Recommendation>) -> Critique {
    let said = || all.iter().map(|critique| critique.recommendation).chain(beside.map(Some));
    let agreed = said().all(|recommendation| recommendation == Some(Recommendation::Keep));
    let objection = said().flatten().find(|recommendation| *recommendation != Recommendation::Keep);
    let recommendation = if agreed { Some(Recommendation::Keep) } else { objection };
    let mut all = all;
    // What says most leads. Of those that name nothing, that which claims to have looked at least.
    all.sort_by_key(|critique| (std::cmp::Reverse(critique.findings.len()), critique.checked.len()));
    let mut all = all.into_iter();
    let mut first = all.next().unwrap_or_default();
    for other in all {
        for remark in other.findings {
            match first.findings.iter_mut().find(|known| known.text == remark.text && known.place == remark.place) {
                Some(known) => known.severity = known.severity.min(remark.severity),
                None => first.findings.push(remark),
            }
        }
        first.insufficient_evidence |= other.insufficient_evidence;
        let lists =
            [(&mut first.concerns, other.concerns), (&mut first.missing, other.missing), (&mut first.strays, other.strays)];
        for (list, more) in lists {
            list.extend(more.into_iter().filter(|text| !list.contains(text)).collect::<Vec<_>>());
        }
    }
    Critique { recommendation, ..first }
}
