//! The cue of a debater.

use std::collections::BTreeSet;
use std::fmt::Write;

use minijinja::context;

use super::super::ending::open_point;
use super::super::rules::MOST_SOURCES;
use super::super::session::{Moment, Session};
use super::super::turn::{TurnLimits, sentence};
use crate::debate::Prompt;
use crate::formats::panel::{Debater, EntryType, LogEntry, SourceStatus};
use crate::formats::prompts::{PromptError, Quoted, render};

pub(in super::super) fn turn(
    session: &Session<'_>,
    debater: &Debater,
    limits: &TurnLimits,
    ruling: Option<u64>,
) -> Result<Prompt, PromptError> {
    let plan = session.debate.plan();
    let material = material(session, debater, ruling);
    let task = match session.moment {
        Moment::Opening => render(plan, "panel/opening.md", context! { material => material })?,
        Moment::Round(round) => {
            let values = context! {
                name => debater.name.as_str(),
                round => round,
                max => session.setup().max_rounds,
                material => material,
                may_challenge => limits.types.contains(&EntryType::SourceChallenge),
                may_ask => limits.types.contains(&EntryType::ClarificationRequest),
            };
            render(plan, "panel/round.md", values)?
        }
        Moment::Closing => render(plan, "panel/closing.md", context! { material => material })?,
    };
    Ok(Prompt { system: role(session, debater)?, user: format!("{}\n\n{task}", session.matter()?) })
}

/// Role and rules; they stay the same for a debater through the whole debate.
fn role(session: &Session<'_>, debater: &Debater) -> Result<String, PromptError> {
    let plan = session.debate.plan();
    let Debater { name, persona, starting_position, incentives, .. } = debater;
    let persona = format!("Persona: {persona}\nStarting position: {starting_position}\nIncentives: {incentives}");
    let others = session.setup().names().into_iter().filter(|other| *other != name.as_str());
    let others: Vec<String> = others.map(str::to_owned).collect();
    let evidence = plan.evidence.as_ref();
    render(
        plan,
        "panel/debater.md",
        context! {
            name => name.as_str(),
            persona => session.as_is(&format!("persona/{name}"), "who you are", &persona),
            others => others,
            most_sources => MOST_SOURCES,
            checked => evidence.is_some(),
            fetched => evidence.is_some_and(|evidence| evidence.fetch_sources),
            commands => plan.commands().map(<[String]>::to_vec),
            web => session.setup().web,
            reads_workspace => plan.reads_workspace(&debater.seat()),
        },
    )
}

/// What a debater reads: entries of this and the previous round in full, earlier ones in one sentence each, and what
/// concerns itself.
fn material(session: &Session<'_>, debater: &Debater, ruling: Option<u64>) -> Vec<Quoted> {
    let record = &session.record;
    let name = debater.name.as_str();
    let last = record.rounds;
    let round_of = |entry: &LogEntry| match entry.kind {
        EntryType::OpeningStatement => 0,
        EntryType::ClosingStatement => last + 1,
        _ => entry.round.unwrap_or(0),
    };
    let now = match session.moment {
        Moment::Opening => 0,
        Moment::Round(round) => round,
        Moment::Closing => last + 1,
    };
    let mut material = session.entries(&debater.seat(), session.spoken(), |entry| round_of(entry) + 1 >= now);
    let redactor = session.redactor();
    let ruling = ruling.and_then(|seq| record.entry(seq)).map(|entry| record.shown(entry, &redactor)).unwrap_or_default();
    let points: Vec<String> = record.unresolved.iter().zip(1..).map(|(point, number)| open_point(number, point)).collect();
    let key = |what: &str| format!("{what}/{name}/{now}/{}", session.next_seq());
    material.extend(session.as_is(&key("issues"), "findings and rulings on your entries", &issues(session, name)));
    let new = frameworks(session, name, now);
    material.extend(session.fenced(&key("frameworks"), "frameworks new in this round: address or defer each", &new));
    let asked = questions(session, name);
    material.extend(session.fenced(&key("questions"), "questions of the audience to you: answer them", &asked));
    material.extend(session.fenced(
        "closing/unresolved",
        "unresolved points: speak to them where you can",
        &points.join("\n"),
    ));
    material.extend(session.as_is(&key("ruling"), "the ruling on what you raised: continue your turn", &ruling));
    material
}

/// What was found of a debater's sources and ruled against it since it last spoke.
fn issues(session: &Session<'_>, name: &str) -> String {
    let record = &session.record;
    let redactor = session.redactor();
    let since = session.spoke.get(name).copied().unwrap_or(0);
    let mut text = String::new();
    for (entry, result) in record.results.iter().filter(|(entry, _)| *entry >= since) {
        if record.speaker(result.verified_seq) == name && result.status == SourceStatus::Unreliable {
            let (seq, why) = (result.verified_seq, sentence(&redactor.redact(&result.explanation)));
            // Writing to a string cannot fail.
            let _ = writeln!(text, "seq {seq}: {} is unreliable: {why} (result at seq {entry})", result.url);
        }
    }
    for redaction in record.redactions.iter().filter(|redaction| redaction.by >= since && redaction.speaker == name) {
        let _ = writeln!(text, "seq {}: redacted, {}", redaction.seq, redactor.redact_quotes(&redaction.reason));
    }
    let own = record.rulings.iter().filter(|ruling| ruling.entry >= since && ruling.against.as_deref() == Some(name));
    for entry in own.filter_map(|ruling| record.entry(ruling.entry)) {
        let _ = writeln!(text, "{}", record.shown(entry, &redactor));
    }
    text
}

/// Frameworks that others brought in during this round and that are new.
fn frameworks(session: &Session<'_>, name: &str, round: u32) -> String {
    let mut known: BTreeSet<String> = BTreeSet::new();
    let mut text = String::new();
    for entry in session.spoken().filter(|entry| !session.record.is_redacted(entry.seq)) {
        for framework in session.record.said.get(&entry.seq).into_iter().flat_map(|said| &said.frameworks) {
            let fresh = known.insert(framework.name.trim().to_lowercase());
            if fresh && entry.round == Some(round) && entry.speaker != name {
                let (what, seq) = (sentence(&framework.description), entry.seq);
                let _ = writeln!(text, "seq {seq}, {}: {}: {what}", entry.speaker, framework.name.trim());
            }
        }
    }
    text
}

fn questions(session: &Session<'_>, name: &str) -> String {
    let since = session.spoke.get(name).copied().unwrap_or(0);
    let own = session.record.questions.iter().filter(|question| question.to == name && question.entry >= since);
    own.map(|question| format!("seq {}: {}", question.entry, question.question)).collect::<Vec<_>>().join("\n")
}
