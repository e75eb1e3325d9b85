//! The cue of a debater.

use std::collections::BTreeSet;
use std::fmt::Write;

use minijinja::context;
use serde_json::Value as Json;

use super::super::ending::open_point;
use super::super::entry::{EntryType, LogEntry};
use super::super::rules::{CONJECTURE, CORRECTION, MOST_SOURCES};
use super::super::session::Session;
use super::super::setup::Debater;
use super::super::turns::Interruptions;
use super::super::verification::SourceStatus;
use super::Moment;
use crate::debate::Prompt;
use crate::formats::prompts::{PromptError, Quoted, render};

/// The most bytes of others' entries that a cue gives in full.
const MOST_IN_FULL: usize = 32 * 1024;

/// The prompt with which a debater is called.
pub(in super::super) fn turn(
    session: &Session<'_>,
    debater: &Debater,
    moment: Moment,
    had: Interruptions,
    ruling: Option<u64>,
    schema: &Json,
) -> Result<Prompt, PromptError> {
    let task = match moment {
        Moment::Opening => opening(session, debater, schema)?,
        Moment::Round(round) => in_round(session, debater, round, had, ruling, schema)?,
        Moment::Closing => closing(session, debater, schema)?,
    };
    Ok(Prompt { system: role(session, debater)?, user: format!("{}\n\n{task}", session.matter()?) })
}

/// Role and rules; they stay the same for a debater through the whole debate.
fn role(session: &Session<'_>, debater: &Debater) -> Result<String, PromptError> {
    let plan = session.debate.plan();
    let Debater { name, persona, starting_position, incentives, .. } = debater;
    let persona = format!("Persona: {persona}\nStarting position: {starting_position}\nIncentives: {incentives}");
    let others = session.names().into_iter().filter(|other| *other != name.as_str());
    let others: Vec<String> = others.map(str::to_owned).collect();
    render(
        plan,
        "panel/debater.md",
        context! {
            name => name.as_str(),
            persona => session.fenced(&format!("persona/{name}"), "who you are", &persona),
            others => others,
            conjecture => CONJECTURE,
            correction => CORRECTION,
            most_sources => MOST_SOURCES,
            checked => plan.evidence.is_some(),
            fetched => plan.evidence.as_ref().is_some_and(|evidence| evidence.fetch_sources),
            web => session.setup().web,
            reads_workspace => session.reads_workspace(&debater.seat()),
        },
    )
}

fn opening(session: &Session<'_>, debater: &Debater, schema: &Json) -> Result<String, PromptError> {
    let earlier = session.lines(session.spoken());
    let earlier = session.as_is(&format!("openers/{}", debater.name), "who opened before you", &earlier);
    render(session.debate.plan(), "panel/opening.md", context! { earlier => earlier })
}

fn in_round(
    session: &Session<'_>,
    debater: &Debater,
    round: u32,
    had: Interruptions,
    ruling: Option<u64>,
    schema: &Json,
) -> Result<String, PromptError> {
    let name = debater.name.as_str();
    let key = |what: &str| format!("round-{round}/{name}/{what}");
    let earlier = session.lines(session.spoken().filter(|entry| entry.round != Some(round)));
    let so_far = session.lines(session.spoken().filter(|entry| entry.round == Some(round)));
    let ruling = ruling.and_then(|seq| session.minutes.entry(seq)).map(|entry| entry.content.as_str()).unwrap_or_default();
    render(
        session.debate.plan(),
        "panel/round.md",
        context! {
            name => name,
            round => round,
            max => session.setup().max_rounds,
            earlier => session.as_is(&format!("before/{round}"), "earlier entries, one sentence each", &earlier),
            so_far => session.as_is(&key("so-far"), "this round so far, one sentence each", &so_far),
            answer => to_answer(session, name),
            issues => session.fenced(&key("issues"), "what was found of your sources", &issues(session, name)),
            frameworks => session.fenced(&key("frameworks"), "named frameworks new in this round", &frameworks(session, name, round)),
            questions => session.fenced(&key("questions"), "questions of the audience to you", &questions(session, name)),
            ruling => session.fenced(&key("ruling"), "the ruling on what you raised", ruling),
            may_challenge => !had.challenged,
            may_ask => !had.asked_back,
        },
    )
}

fn closing(session: &Session<'_>, debater: &Debater, schema: &Json) -> Result<String, PromptError> {
    let name = debater.name.as_str();
    let key = |what: &str| format!("closing/{name}/{what}");
    let points = session.minutes.unresolved.iter().zip(1..).map(|(point, number)| open_point(number, point));
    let points = points.collect::<Vec<_>>().join("\n");
    let (closers, earlier): (Vec<&LogEntry>, Vec<&LogEntry>) =
        session.spoken().partition(|entry| entry.kind == EntryType::ClosingStatement);
    let entries = session.lines(earlier.into_iter());
    let closers = session.lines(closers.into_iter());
    render(
        session.debate.plan(),
        "panel/closing.md",
        context! {
            entries => session.as_is("closing/entries", "the entries of the debate, one sentence each", &entries),
            closers => session.as_is(&key("closers"), "who closed before you", &closers),
            unresolved => session.fenced("closing/unresolved", "points that are unresolved", &points),
            issues => session.fenced(&key("issues"), "what was found of your sources", &issues(session, name)),
            questions => session.fenced(&key("questions"), "questions of the audience to you", &questions(session, name)),
        },
    )
}

/// The entries that a debater must answer, in full: what was said against it since it last spoke; where nothing was, the
/// last argument of each of the others.
fn to_answer(session: &Session<'_>, name: &str) -> Vec<Quoted> {
    let since = session.spoke.get(name).copied().unwrap_or(0);
    let recent: Vec<&LogEntry> =
        session.minutes.standing().filter(|entry| entry.seq >= since && entry.speaker != name).collect();
    let against = |entry: &&&LogEntry| entry.rebuttal_to_seq.is_some_and(|seq| session.minutes.speaker(seq) == name);
    let mut answer: Vec<&LogEntry> = recent.iter().filter(against).copied().collect();
    if answer.is_empty() {
        let others: BTreeSet<&str> = session.minutes.standing().map(|entry| entry.speaker.as_str()).collect();
        for other in others.into_iter().filter(|other| *other != name) {
            answer.extend(session.minutes.standing().filter(|entry| entry.speaker == other).last());
        }
        answer.sort_by_key(|entry| entry.seq);
    }
    bounded(session, name, &answer)
}

/// As many of these entries in full as a cue has room for, the newest first of all, and a word on the others.
fn bounded(session: &Session<'_>, name: &str, answer: &[&LogEntry]) -> Vec<Quoted> {
    let mut room = MOST_IN_FULL;
    let first = answer.iter().rposition(|entry| {
        let fits = room >= entry.content.len();
        room = room.saturating_sub(entry.content.len());
        !fits
    });
    let (left_out, shown) = answer.split_at(first.map_or(0, |at| at + 1));
    let seqs: Vec<String> = left_out.iter().map(|entry| format!("seq {} ({})", entry.seq, entry.speaker)).collect();
    let told = format!("Too long to be given in full, and above in one sentence each: {}", seqs.join(", "));
    let key = format!("left-out/{name}/{}", session.next_seq());
    let told = if seqs.is_empty() { None } else { session.as_is(&key, "more that was said against you", &told) };
    told.into_iter().chain(shown.iter().filter_map(|entry| session.in_full(entry))).collect()
}

/// What was found of a debater's sources and ruled against it since it last spoke.
fn issues(session: &Session<'_>, name: &str) -> String {
    let minutes = &session.minutes;
    let since = session.spoke.get(name).copied().unwrap_or(0);
    let mut text = String::new();
    for (entry, result) in minutes.results.iter().filter(|(entry, _)| *entry >= since) {
        if minutes.speaker(result.verified_seq) == name && result.status == SourceStatus::Unreliable {
            // Writing to a string cannot fail.
            let (seq, why) = (result.verified_seq, super::super::turn::sentence(&minutes.explanation(result)));
            let _ = writeln!(text, "seq {seq}: {} is unreliable: {why} (result at seq {entry})", result.url);
        }
    }
    for redaction in minutes.redactions.iter().filter(|redaction| redaction.by >= since && redaction.speaker == name) {
        let _ = writeln!(text, "seq {}: redacted, {}", redaction.seq, redaction.reason);
    }
    let own = minutes.rulings.iter().filter(|ruling| ruling.entry >= since && ruling.against.as_deref() == Some(name));
    for entry in own.filter_map(|ruling| minutes.entry(ruling.entry)) {
        let _ = writeln!(text, "{}", minutes.words(entry));
    }
    text
}

/// Frameworks that others brought in during this round and nobody had named before.
fn frameworks(session: &Session<'_>, name: &str, round: u32) -> String {
    let mut known: BTreeSet<String> = BTreeSet::new();
    let mut text = String::new();
    for entry in session.spoken().filter(|entry| !session.minutes.is_redacted(entry.seq)) {
        for framework in session.minutes.said.get(&entry.seq).into_iter().flat_map(|said| &said.frameworks) {
            let fresh = known.insert(framework.name.trim().to_lowercase());
            if fresh && entry.round == Some(round) && entry.speaker != name {
                let (what, seq) = (super::super::turn::sentence(&framework.description), entry.seq);
                let _ = writeln!(text, "seq {seq}, {}: {}: {what}", entry.speaker, framework.name.trim());
            }
        }
    }
    text
}

/// Questions of the audience that a debater has not had yet.
fn questions(session: &Session<'_>, name: &str) -> String {
    let since = session.spoke.get(name).copied().unwrap_or(0);
    let own = session.minutes.questions.iter().filter(|question| question.to == name && question.entry >= since);
    own.map(|question| format!("seq {}: {}", question.entry, question.question)).collect::<Vec<_>>().join("\n")
}
