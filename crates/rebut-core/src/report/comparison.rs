//! Two debates side by side: what each came to, on what, and what it took.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use super::accounts::duration;
use super::plan::{seats_in_order, thousands};
use super::text::{first_line, in_cell, push};
use crate::debate::{Cost, Debate, NewVersion, Sum};
use crate::evidence::Tally;

/// Two debates as a Markdown table; what only one has is left empty in the other.
pub fn comparison(debates: [&Debate; 2]) -> String {
    let columns = debates.map(rows);
    let mut names: Vec<&str> = Vec::new();
    for (name, _) in columns.iter().flatten() {
        if !names.contains(&name.as_str()) {
            names.push(name);
        }
    }
    let heads = debates.map(|debate| debate.plan().id.short().to_owned());
    let mut text = format!("| | {} | {} |\n|---|---|---|\n", heads[0], heads[1]);
    for name in names {
        let [one, other] = [&columns[0], &columns[1]].map(|rows| {
            let values = rows.iter().filter(|(of, _)| of == name).map(|(_, value)| in_cell(value));
            values.collect::<Vec<_>>().join(" · ")
        });
        push(&mut text, format_args!("| {name} | {one} | {other} |\n"));
    }
    text
}

/// The same as data.
pub fn comparison_json(debates: [&Debate; 2]) -> Value {
    let one = |debate: &Debate| {
        let brief = debate.format().brief(debate, NewVersion::Proposed);
        let (plan, total) = (debate.plan(), debate.accounts().total());
        json!({
            "id": plan.id, "parent": plan.parent, "kind": plan.format, "topic": plan.topic,
            "seats": super::seats(plan), "status": debate.status(),
            "headline": brief.headline, "brief": brief.rows.into_iter().collect::<BTreeMap<_, _>>(),
            "firmness": debate.format().firmness(debate), "tallies": debate.format().claims_json(debate)["tallies"],
            "calls": total.calls, "elapsed_ms": debate.elapsed_ms(debate.last_at()),
            "tokens": debate.spent_tokens(), "input_tokens": total.input_tokens, "output_tokens": total.output_tokens, "cost": total.cost,
        })
    };
    json!({ "type": "compare", "debates": debates.map(one) })
}

/// What is compared, in the order in which it is read. A name can have several values.
fn rows(debate: &Debate) -> Vec<(String, String)> {
    let (plan, total) = (debate.plan(), debate.accounts().total());
    let brief = debate.format().brief(debate, NewVersion::Proposed);
    let mut rows = vec![("result".to_owned(), brief.headline)];
    for (label, values) in brief.rows {
        rows.extend(values.into_iter().map(|value| (label.to_lowercase(), value)));
    }
    let seats = seats_in_order(plan, &debate.format().outline(plan));
    let mut tallies: Vec<_> = tallies(debate).into_iter().collect();
    tallies.sort_by_key(|(side, _)| seats.iter().position(|(name, _)| name.as_str() == side));
    rows.extend(tallies.into_iter().map(|(side, tally)| (format!("evidence of {side}"), tally.to_string())));
    rows.extend(seats.into_iter().map(|(name, seat)| (name.to_string(), seat.spec())));
    rows.push(("topic".to_owned(), first_line(&plan.topic)));
    let parent = plan.parent.as_ref();
    rows.extend(parent.map(|parent| ("fork of".to_owned(), format!("{} after {}", parent.id.short(), parent.after))));
    rows.push(("rounds".to_owned(), debate.format().rounds_done(debate).to_string()));
    rows.push(("calls".to_owned(), total.calls.to_string()));
    rows.push(("time".to_owned(), duration(debate.elapsed_ms(debate.last_at()))));
    let estimated = if total.input_tokens.unknown + total.output_tokens.unknown > 0 { " (partly estimated)" } else { "" };
    rows.push(("tokens".to_owned(), format!("{}{estimated}", thousands(debate.spent_tokens()))));
    rows.push(("cost".to_owned(), cost(total.cost)));
    rows
}

/// The counts of evidence by side, where the format counts it so.
fn tallies(debate: &Debate) -> BTreeMap<String, Tally> {
    serde_json::from_value(debate.format().claims_json(debate)["tallies"].take()).unwrap_or_default()
}

fn cost(sum: Sum) -> String {
    let known = Cost::from_nanodollars(sum.known);
    match sum.unknown {
        0 => known.to_string(),
        _ if sum.known == 0 => "unknown".to_owned(),
        unknown => format!("{known} + {unknown} unknown"),
    }
}
