//! A panel under test: its plan, and answers that fit whatever is asked.

use rebut_core::debate::{Call, EvidenceRules, Payload, Plan, SeatName, Shape};
use rebut_core::evidence::check::CheckResult;
use rebut_core::formats::panel::{Debater, Office, PanelSetup};
use rebut_core::judging::Rigor;
use serde_json::{Value, json};

use super::{TestDebate, plan};

/// The names of debaters, in the order of the lineup.
pub(crate) const NAMES: [&str; 8] = ["anna", "ben", "carla", "dan", "ela", "finn", "gita", "hugo"];
/// A page that is there.
pub(crate) const GOOD: &str = "https://example.com/study";
/// A page that is not.
pub(crate) const GONE: &str = "https://example.com/gone";
/// A page that says something else.
pub(crate) const OTHER: &str = "https://example.com/other";

/// A panel of so many debaters, whose setup is changed before it begins. Sources are looked up.
pub(crate) fn panel(debaters: usize, change: impl FnOnce(&mut PanelSetup)) -> TestDebate {
    let debater = |name: &&str| Debater {
        name: (*name).to_owned(),
        persona: format!("{name}, who has run teams for years"),
        starting_position: format!("what {name} holds at first"),
        incentives: "teams that ship".to_owned(),
        model: None,
    };
    let mut setup = PanelSetup::new(NAMES[..debaters].iter().map(debater).collect());
    (setup.min_rounds, setup.max_rounds, setup.rigor) = (2, 2, Rigor::Quick);
    change(&mut setup);
    assert_eq!(setup.problems(), Vec::<String>::new());
    let mut plan = plan::duel(1);
    let seats = setup.debaters.iter().map(|debater| debater.name.as_str()).chain(Office::ALL.map(Office::as_str));
    plan.seats = seats.zip(1..).map(|(name, n)| (SeatName::new(name), plan::seat(&format!("tool{n}")))).collect();
    "Should AI code review replace human review?".clone_into(&mut plan.topic);
    "panel".clone_into(&mut plan.format);
    plan.setup = Payload::of(setup);
    plan.evidence = Some(EvidenceRules { fetch_sources: true, ..plan::evidence(1) });
    of(plan)
}

/// A panel of this plan, with a file and pages to cite.
pub(crate) fn of(plan: Plan) -> TestDebate {
    TestDebate::of(plan)
        .file("docs/review.md", "one\ntwo\nReview found 41 of 60 faults.\n")
        .page(GOOD, CheckResult::Verified)
        .page(GONE, CheckResult::Missing)
        .page(OTHER, CheckResult::Mismatch)
}

/// An entry with a source.
pub(crate) fn entry(kind: &str, content: &str, url: &str) -> Value {
    json!({
        "type": kind, "content": content, "in_one_sentence": sentence(content), "frameworks": [],
        "sources": [source(url, "A study")],
    })
}

/// A source: a page, or `path:line` of a file.
pub(crate) fn source(place: &str, title: &str) -> Value {
    match place.rsplit_once(':') {
        Some((path, line)) if !place.starts_with("http") => json!({"file": path, "lines": line, "title": title}),
        _ => json!({"url": place, "title": title}),
    }
}

/// An entry with a source that answers another.
pub(crate) fn rebuttal(content: &str, to: u64, url: &str) -> Value {
    let mut said = entry("rebuttal", content, url);
    said["rebuttal_to_seq"] = json!(to);
    said
}

/// A challenge of an entry's source.
pub(crate) fn challenge(target: u64, claim: &str) -> Value {
    json!({
        "type": "source_challenge", "content": format!("The source of seq {target} does not show it."),
        "in_one_sentence": "The source does not show it.", "target_seq": target, "claim": claim,
    })
}

/// The schema that stands in the prompt of a call.
pub(crate) fn schema_of(test: &TestDebate, key: &str) -> String {
    let prompt = &test.prompt(key).user;
    prompt.split("```").nth(1).unwrap_or_default().to_owned()
}

/// What a debater says in one call.
pub(crate) fn turn(entries: &[Value]) -> String {
    json!({ "entries": entries }).to_string()
}

fn proposed(name: &&str) -> Value {
    json!({"name": name, "persona": "An engineer.", "starting_position": "Keep it.", "incentives": "Sleep."})
}

fn sentence(content: &str) -> &str {
    content.split_once('.').map_or(content, |(first, _)| first)
}

/// An answer that is accepted, for this call.
pub(crate) fn fitting(key: &str, call: &Call) -> String {
    let Shape::Json { name, schema } = &call.shape else { panic!("a panel asks for JSON alone: {key}") };
    let prompt = call.prompt.user.as_str();
    let seat = call.seat.as_str();
    let listed = |pointer: &str| schema.pointer(pointer).and_then(Value::as_array).cloned().unwrap_or_default();
    match *name {
        "lineup" => json!({ "debaters": NAMES[..3].iter().map(proposed).collect::<Vec<_>>() }).to_string(),
        "ready" => json!({"ready": true}).to_string(),
        "turn" => said(key, seat, prompt, &listed("/properties/entries/items/properties/type/enum")),
        "verification" => json!({ "results": results(prompt) }).to_string(),
        "natural_end" => json!({"concluded": false, "reason": "Two points are open."}).to_string(),
        "clarification" => json!({"answer": "The topic is review of code before it is merged."}).to_string(),
        "unresolved" => {
            let seq = listed("/$defs/OpenPoint/properties/seqs/items/enum").remove(0);
            json!({"points": [{"point": "Who answers for a fault is open.", "seqs": [seq]}]}).to_string()
        }
        "questions" => json!({"questions": []}).to_string(),
        "judgement" => judgement(schema),
        "conclusion" => conclusion(&listed("/$defs/KeyEntry/properties/seq/enum")),
        "summary" => summary(prompt, &listed("/$defs/KeyArguments/properties/name/enum")),
        "blog" => {
            let verified = listed("/properties/sources/items/enum");
            json!({"title": "Review and machines", "body": "word ".repeat(900), "sources": verified}).to_string()
        }
        "notes" => json!({"notable_findings": ["Most sources are files of the project."]}).to_string(),
        "assessment" => assessment(&listed("/$defs/Part/properties/who/enum")),
        other => panic!("no answer for {other} at {key}"),
    }
}

fn said(key: &str, seat: &str, prompt: &str, types: &[Value]) -> String {
    let words = format!("By the word of {key} review pays");
    let source = if key.len().is_multiple_of(2) { GOOD } else { "docs/review.md:3" };
    match types[0].as_str() {
        Some("new_point") => {
            let to = entries(prompt).into_iter().rev().find(|(_, name, kind)| name != seat && argues(kind));
            let to = to.expect("somebody to answer").0;
            let answer = rebuttal(&format!("{words}. It does so against seq {to}."), to, source);
            turn(&[answer, entry("new_point", &format!("{words} anew. That is one more reason."), source)])
        }
        Some("closing_statement") => {
            let mut closing = entry("closing_statement", &format!("{words} in the end."), source);
            closing["sources"] = json!([]);
            turn(&[closing])
        }
        kind => turn(&[entry(kind.expect("a type"), &format!("{words} at first. Here is why."), source)]),
    }
}

/// The entries that a prompt lists in one sentence each: seq, speaker, type.
fn entries(prompt: &str) -> Vec<(u64, String, String)> {
    let line = |line: &str| {
        // In one sentence, or in full under its heading.
        let line = match line.strip_prefix("<<data ") {
            Some(heading) => heading.split_once(": ")?.1,
            None => line,
        };
        let (seq, rest) = line.strip_prefix("seq ")?.split_once(", ")?;
        let (name, rest) = rest.split_once(", ")?;
        let kind = rest.split([' ', ':', '>']).next()?.to_owned();
        (!line.contains("[REDACTED]")).then_some((seq.parse().ok()?, name.to_owned(), kind))
    };
    // A redacted entry says so under its heading.
    let lines: Vec<&str> = prompt.lines().collect();
    let redacted = |at: usize| lines.get(at + 1).is_some_and(|next| *next == "[REDACTED]");
    let known = lines.iter().enumerate().filter(|(at, _)| !redacted(*at));
    known.filter_map(|(_, text)| line(text)).collect()
}

fn argues(kind: &str) -> bool {
    !matches!(kind, "source_challenge" | "clarification_request")
}

fn results(prompt: &str) -> Vec<Value> {
    let source = |line: &str| {
        let (_, title) = line.strip_prefix("<<data ")?.strip_suffix(">>")?.split_once(": ")?;
        let (url, seq) = title.rsplit_once(" of seq ")?;
        Some(result(seq.parse().ok()?, url, "verified", "It says what the claim says."))
    };
    prompt.lines().filter_map(source).collect()
}

/// A result of the verifier.
pub(crate) fn result(seq: u64, url: &str, status: &str, explanation: &str) -> Value {
    json!({"verified_seq": seq, "url": url, "status": status, "explanation": explanation, "confidence": "high"})
}

/// A judgement on the debaters that the schema names, for the first outcome and by the first argument.
fn judgement(schema: &Value) -> String {
    let listed = |place: &str| schema.pointer(place).and_then(Value::as_array).cloned().unwrap_or_default();
    let names = listed("/$defs/Measured/properties/name/enum");
    let names: Vec<&str> = names.iter().filter_map(Value::as_str).collect();
    let outcome = &listed("/properties/outcome/enum")[0];
    let seq = listed("/$defs/KeyEntry/properties/seq/enum")[0].as_u64().expect("a seq");
    judged(&names, outcome.as_str().expect("an outcome"), seq, "Its arguments were the better supported ones.")
}

/// A judgement on these debaters that rests on this entry.
pub(crate) fn judged(names: &[&str], outcome: &str, seq: u64, reason: &str) -> String {
    let measured = |name: &&str| {
        json!({
            "name": name, "sourced_arguments": "strong", "rebuttals": "fair", "verifier_findings": "fair",
            "rules_kept": "strong", "persona_kept": "strong", "note": "It answered.",
        })
    };
    let debaters: Vec<Value> = names.iter().map(measured).collect();
    let decisive = json!([{"seq": seq, "why": "Nobody answered it."}]);
    json!({ "debaters": debaters, "outcome": outcome, "decisive": decisive, "reason": reason }).to_string()
}

fn conclusion(seqs: &[Value]) -> String {
    let text = "It weighs more than what was said against it. ".repeat(5);
    json!({
        "arguments": [{"seq": seqs[0], "why": text}, {"seq": seqs[1], "why": text}],
        "insight": text, "open_questions": [text], "view": text,
    })
    .to_string()
}

fn summary(prompt: &str, names: &[Value]) -> String {
    let all = entries(prompt);
    let of = |name: &Value| {
        let own = all.iter().filter(|(_, speaker, kind)| name == speaker && argues(kind)).take(3);
        let arguments: Vec<Value> = own.map(|(seq, ..)| json!({"seq": seq, "argument": "Review pays."})).collect();
        json!({ "name": name, "arguments": arguments })
    };
    let key_arguments: Vec<Value> = names.iter().map(of).collect();
    json!({
        "overview": "The panel asked what review is for.", "key_arguments": key_arguments,
        "notable_exchanges": [{"seqs": [all[0].0], "what": "The opening set the tone."}],
        "flow": "From principle to cost.",
    })
    .to_string()
}

fn assessment(who: &[Value]) -> String {
    let part = |who: &Value| json!({ "who": who, "strengths": ["clear"], "improvements": ["shorter"], "suggestions": ["fewer points a turn"] });
    let three = ["one", "two", "three"];
    json!({
        "rating": "Good", "parts": who.iter().map(part).collect::<Vec<_>>(),
        "execution_improvements": three, "output_improvements": three,
    })
    .to_string()
}
