//! The sections of a debate as pieces.

use std::collections::{BTreeMap, BTreeSet};

use minijinja::value::Serde;
use minijinja::{Error, Value, context};
use rebut_core::debate::page::{Argument, FindingCard, LogItem, Part, Round, Section, Statement, Verdict};
use rebut_core::debate::{Debate, Status};
use rebut_core::evidence::check::Checked;
use rebut_core::evidence::{Answered, ClaimId, Evidence, LedgerClaim, Tally};
use rebut_core::report;
use rebut_engine::checks::{Excerpt, Excerpts};

use super::argument_map::{self, class_of, marks, standing, unchecked};
use super::markdown::{Anchors, escaped};
use super::pieces::{Piece, ROOT};
use super::templates::{render, safe};
use crate::terminal::harmless;

/// The anchor of a section, and its title.
type Title = (&'static str, &'static str);

pub(super) struct Sections<'a> {
    debate: &'a Debate,
    excerpts: &'a mut Excerpts,
    anchors: Value,
    pieces: Vec<Piece>,
    titles: Vec<Title>,
}

impl<'a> Sections<'a> {
    pub(super) fn of(debate: &'a Debate, excerpts: &'a mut Excerpts) -> Result<(Vec<Piece>, Vec<Title>), Error> {
        let sections = debate.format().page(debate);
        let anchors = Value::from_object(anchors(&sections));
        let mut page = Self { debate, excerpts, anchors, pieces: Vec::new(), titles: Vec::new() };
        let argument = sections.iter().find_map(|section| match &section.part {
            Part::Argument(argument) if !argument.ledger.claims.is_empty() => Some(argument),
            _ => None,
        });
        for Section { id, title, part } in &sections {
            let section = (*id, *title);
            match part {
                Part::Verdict(verdict) => page.verdict(section, verdict)?,
                Part::Rounds(rounds) => page.rounds(section, rounds, argument)?,
                Part::Argument(_) => {
                    if let Some(argument) = argument {
                        page.map(section, argument)?;
                    }
                }
                Part::Findings(cards) => page.findings(section, cards)?,
                Part::Log(items) => page.log(section, items)?,
                Part::Text(text) => page.leaf_section(section, "text", context! { text })?,
                Part::Patch(patch) => page.leaf_section(section, "text", context! { html => safe(diff(patch)) })?,
            }
        }
        if let Some(argument) = argument {
            page.claims(argument)?;
            page.evidence(argument)?;
        }
        let text = report::accounts_table(debate);
        page.leaf_section(("cost", "Time and cost"), "text", context! { text })?;
        Ok((page.pieces, page.titles))
    }

    /// Renders a template in which Markdown may refer to the page.
    fn render(&self, name: &str, values: Value) -> Result<String, Error> {
        render(name, context! { anchors => self.anchors.clone(), ..values })
    }

    fn is_pending(&self) -> bool {
        self.debate.plan().evidence.is_some() && self.debate.status() == Status::Running
    }

    fn leaf_section(&mut self, (id, title): Title, template: &str, values: Value) -> Result<(), Error> {
        self.titles.push((id, title));
        let html = self.render(template, context! { id, title, ..values })?;
        self.pieces.push(Piece::leaf(id, ROOT, html));
        Ok(())
    }

    /// A section that holds further pieces: filters for these tags, then items.
    fn section(&mut self, (id, title): Title, tags: impl IntoIterator<Item = String>) -> Result<(), Error> {
        self.titles.push((id, title));
        let open = self.render("section", context! { id, title })?;
        let slot = Some(format!("{id}-items"));
        self.pieces.push(Piece { slot, close: "</div></section>".to_owned(), ..Piece::leaf(id, ROOT, open) });
        let mut counts: BTreeMap<String, usize> = BTreeMap::new();
        for tag in tags {
            *counts.entry(tag).or_default() += 1;
        }
        if counts.len() > 1 {
            let tags: Vec<Value> = counts
                .iter()
                .filter_map(|(tag, count)| {
                    let (group, label) = tag.split_once(':')?;
                    Some(context! { tag, group, label, count })
                })
                .collect();
            let html = self.render("filters", context! { id, title, tags })?;
            self.pieces.push(Piece::leaf(format!("{id}-filters"), format!("{id}-items"), html));
        }
        Ok(())
    }

    fn verdict(&mut self, section: Title, verdict: &Verdict) -> Result<(), Error> {
        let Verdict { brief, firmness, ballots, passages } = verdict;
        // The first passage is open unless the lines above say the same.
        let mut said = brief.rows.iter().flat_map(|(_, lines)| lines);
        let is_open = passages.first().is_some_and(|(_, text)| !said.any(|line| line.trim() == text.trim()));
        let values = context! {
            headline => &brief.headline, tone => brief.tone.as_str(), rows => &brief.rows, firmness, passages, is_open,
            ballots => Value::from(Serde(ballots)),
        };
        self.leaf_section(section, "verdict", values)
    }

    fn rounds(&mut self, section @ (id, _): Title, rounds: &[Round], argument: Option<&Argument>) -> Result<(), Error> {
        let speakers = rounds.iter().flat_map(|round| &round.statements).map(|statement| &statement.speaker);
        self.section(section, speakers.map(|speaker| format!("speaker:{speaker}")))?;
        for (round, number) in rounds.iter().zip(1..) {
            let slot = format!("{id}-{number}");
            let is_only = rounds.len() == 1;
            let open = self.render("round", context! { id => &slot, title => &round.title, is_only })?;
            let (parent, close) = (format!("{id}-items"), "</div></div>".to_owned());
            let inner = format!("{slot}-items");
            self.pieces.push(Piece { slot: Some(inner.clone()), close, ..Piece::leaf(slot, parent, open) });
            for statement in &round.statements {
                let html = self.statement(statement, argument)?;
                self.pieces.push(Piece::leaf(statement.id.clone(), inner.clone(), html));
            }
        }
        Ok(())
    }

    fn statement(&self, statement: &Statement, argument: Option<&Argument>) -> Result<String, Error> {
        let claims = argument.iter().flat_map(|argument| {
            let own = argument.ledger.claims.iter().filter(|claim| claim.id.statement() == statement.id);
            own.map(|claim| self.claim(argument, claim))
        });
        let claims: Vec<Value> = claims.collect();
        let duration = report::duration(statement.duration_ms);
        self.render("statement", context! { statement => Value::from(Serde(statement)), claims, duration })
    }

    /// What every list of claims shows of one.
    fn claim(&self, argument: &Argument, claim: &LedgerClaim) -> Value {
        context! {
            id => claim.id.as_str(), statement => claim.id.statement(), text => &claim.text,
            marks => marks(claim, self.is_pending()),
            standing => standing(argument, claim), side => argument.side_of(&claim.id),
        }
    }

    fn map(&mut self, section: Title, argument: &Argument) -> Result<(), Error> {
        let map = argument_map::drawn(argument, self.is_pending());
        let claims = &argument.ledger.claims;
        let attackers: BTreeSet<&ClaimId> =
            claims.iter().flat_map(|claim| claim.attacked_by.iter().map(|attack| &attack.by)).collect();
        let mut shown = BTreeSet::new();
        let roots = claims.iter().filter(|claim| !attackers.contains(&claim.id));
        let branches: Vec<Value> = roots.map(|claim| self.branch(argument, claim, &mut shown)).collect();
        self.leaf_section(section, "map", context! { map, branches })
    }

    /// A claim in the list that says what the map shows, with the claims that attack it. One that attacks several is listed
    /// once in full.
    fn branch<'c>(&self, argument: &'c Argument, claim: &'c LedgerClaim, shown: &mut BTreeSet<&'c ClaimId>) -> Value {
        let is_shown_above = !shown.insert(&claim.id);
        let below = claim.attacked_by.iter().filter(|_| !is_shown_above);
        let below = below.filter_map(|attack| argument.ledger.claim(&attack.by));
        let attacks: Vec<Value> = below.map(|claim| self.branch(argument, claim, shown)).collect();
        context! {
            name => &argument.sides[argument.side_of(&claim.id)].name,
            evidence => Tally::of(claim.evidence.len(), &claim.checked).to_string(),
            attacks, is_shown_above, ..self.claim(argument, claim)
        }
    }

    fn claims(&mut self, argument: &Argument) -> Result<(), Error> {
        let tags = |claim: &LedgerClaim| {
            let side = format!("side:{}", argument.sides[argument.side_of(&claim.id)].name);
            let words = standing(argument, claim).into_iter().map(|word| format!("claim:{word}"));
            std::iter::once(side).chain(words).collect::<Vec<_>>()
        };
        self.section(("claims", "Claims"), argument.ledger.claims.iter().flat_map(tags))?;
        let open = self.render("claims", context! {})?;
        let (slot, close) = (Some("claims-rows".to_owned()), "</tbody></table></div>".to_owned());
        self.pieces.push(Piece { slot, close, ..Piece::leaf("claims-table", "claims-items", open) });
        for claim in &argument.ledger.claims {
            let attack = |by: &str, answer: Answered| {
                let answer = match answer {
                    Answered::Yes => "answered",
                    Answered::No => "unanswered",
                    Answered::NoChance => "no chance to answer",
                };
                context! { id => by, answer }
            };
            let attacked: Vec<Value> =
                claim.attacked_by.iter().map(|found| attack(found.by.as_str(), found.answer)).collect();
            let values = context! {
                tags => tags(claim).join("\n"), attacked, conceded => &claim.conceded_by,
                is_listed => !claim.evidence.is_empty(), withdrawn => claim.withdrawn, ..self.claim(argument, claim)
            };
            let html = self.render("claim", values)?;
            self.pieces.push(Piece::leaf(claim.id.as_str(), "claims-rows", html));
        }
        Ok(())
    }

    fn evidence(&mut self, argument: &Argument) -> Result<(), Error> {
        let with: Vec<&LedgerClaim> = argument.ledger.claims.iter().filter(|claim| !claim.evidence.is_empty()).collect();
        let tags = |claim: &LedgerClaim| {
            let words = claim.checked.iter().map(|found| found.result.as_str().replace('_', " "));
            words.map(|word| format!("evidence:{word}")).collect::<Vec<_>>()
        };
        self.section(("evidence", "Evidence"), with.iter().flat_map(|claim| tags(claim)))?;
        for claim in with {
            let items = self.evidence_items(&claim.evidence, &claim.checked);
            let values = context! { id => claim.id.as_str(), text => &claim.text, tags => tags(claim).join("\n"), items };
            let html = self.render("evidence", values)?;
            self.pieces.push(Piece::leaf(format!("ev-{}", claim.id), "evidence-items", html));
        }
        if !argument.ledger.false_mentions.is_empty() {
            let mentions: Vec<Value> = argument
                .ledger
                .false_mentions
                .iter()
                .map(|(place, found)| context! { place, what => found.evidence.described(), why => &found.detail })
                .collect();
            let html = self.render("mentions", context! { mentions })?;
            self.pieces.push(Piece::leaf("mentions", "evidence-items", html));
        }
        Ok(())
    }

    /// Listed evidence with what was found, and the lines that it points at.
    fn evidence_items(&mut self, listed: &[Evidence], checked: &[Checked]) -> Vec<Value> {
        // A version that was revised has other lines than the one that was pinned.
        let is_as_pinned = self.debate.revisions().is_empty();
        let mut items: Vec<Value> = Vec::new();
        for found in checked {
            let quote = found.evidence.quote.as_deref();
            let mut lines = quote.unwrap_or_default().lines().map(str::trim).filter(|line| !line.is_empty());
            let has = |excerpt: &Excerpt, line: &str| excerpt.lines.iter().any(|shown| shown.contains(line));
            let first = lines.next();
            let excerpt =
                self.excerpts.around(found).filter(|excerpt| is_as_pinned || first.is_some_and(|line| has(excerpt, line)));
            // A quote that can be read in its place is not shown twice.
            let is_shown =
                excerpt.as_ref().is_some_and(|excerpt| first.into_iter().chain(lines).all(|line| has(excerpt, line)));
            let mark = found.result.mark();
            items.push(context! {
                mark, kind => class_of(mark), result => found.result.as_str().replace('_', " "),
                place => found.evidence.to_string(), quote => quote.filter(|_| !is_shown), detail => &found.detail,
                output => &found.output, excerpt => excerpt.as_ref().map(excerpt_value),
            });
        }
        for evidence in listed.iter().skip(checked.len()) {
            let (mark, result) = unchecked(self.is_pending());
            items.push(context! {
                mark, kind => class_of(mark), result, place => evidence.to_string(), quote => &evidence.quote,
            });
        }
        items
    }

    fn findings(&mut self, section @ (id, _): Title, cards: &[FindingCard]) -> Result<(), Error> {
        let tags = |card: &FindingCard| [format!("severity:{}", card.severity), format!("state:{}", card.state)];
        self.section(section, cards.iter().flat_map(tags))?;
        if cards.is_empty() {
            let none = "<p id=\"no-findings\" data-piece class=\"empty\">No findings are on record.</p>";
            self.pieces.push(Piece::leaf("no-findings", format!("{id}-items"), none.to_owned()));
        }
        for card in cards {
            let items = self.evidence_items(&card.evidence, &card.checked);
            let fix = card.fix.as_deref().map(|fix| safe(diff(fix)));
            let html = self.render(
                "finding",
                context! { card => Value::from(Serde(card)), items, fix, tags => tags(card).join("\n") },
            )?;
            self.pieces.push(Piece::leaf(card.id.clone(), format!("{id}-items"), html));
        }
        Ok(())
    }

    fn log(&mut self, section @ (id, _): Title, items: &[LogItem]) -> Result<(), Error> {
        let tags = |item: &LogItem| {
            let redacted = item.redacted.as_ref().map(|_| "check:redacted".to_owned());
            let checks = item.checks.iter().map(|(_, status, _)| format!("check:{status}"));
            [format!("speaker:{}", item.speaker)].into_iter().chain(redacted).chain(checks).collect::<Vec<_>>()
        };
        self.section(section, items.iter().flat_map(tags))?;
        let mut last = None;
        for item in items {
            let is_new_part = last.replace(&item.part) != Some(&item.part);
            let html = self.render(
                "entry",
                context! { item => Value::from(Serde(item)), is_new_part, tags => tags(item).join("\n") },
            )?;
            self.pieces.push(Piece::leaf(format!("seq-{}", item.seq), format!("{id}-items"), html));
        }
        Ok(())
    }
}

fn anchors(sections: &[Section]) -> Anchors {
    let mut anchors = Anchors::default();
    for Section { part, .. } in sections {
        match part {
            Part::Rounds(rounds) => {
                anchors.0.extend(rounds.iter().flat_map(|round| &round.statements).map(|of| of.id.clone()));
            }
            Part::Argument(argument) => anchors.0.extend(argument.ledger.claims.iter().map(|claim| claim.id.to_string())),
            Part::Findings(cards) => anchors.0.extend(cards.iter().map(|card| card.id.clone())),
            Part::Log(items) => anchors.0.extend(items.iter().map(|item| format!("seq-{}", item.seq))),
            Part::Verdict(_) | Part::Text(_) | Part::Patch(_) => {}
        }
    }
    anchors
}

fn excerpt_value(excerpt: &Excerpt) -> Value {
    let lines: Vec<Value> = (excerpt.first..)
        .zip(&excerpt.lines)
        .map(|(number, text)| context! { number, text, meant => (excerpt.meant.first..=excerpt.meant.last).contains(&number) })
        .collect();
    context! { path => &excerpt.path, lines }
}

/// A patch whose lines have classes by kind.
fn diff(patch: &str) -> String {
    let line = |line: &str| {
        let kind = match line.as_bytes().first() {
            _ if line.starts_with("+++") || line.starts_with("---") || line.starts_with("diff ") => "file",
            Some(b'+') => "added",
            Some(b'-') => "removed",
            Some(b'@') => "hunk",
            _ => "context",
        };
        format!("<span class=\"{kind}\">{}</span>\n", escaped(&harmless(line)))
    };
    format!("<pre class=\"diff\" tabindex=\"0\"><code>{}</code></pre>", patch.lines().map(line).collect::<Vec<_>>().concat())
}
