//! The sections of a debate as pieces.

use std::collections::BTreeMap;

use minijinja::{Error, Value, context};
use rebut_core::debate::page::{Argument, FindingCard, LogItem, Part, Round, Section, Statement, Verdict};
use rebut_core::debate::{Debate, Status};
use rebut_core::evidence::check::Checked;
use rebut_core::evidence::{Answered, Evidence, LedgerClaim, Tally};
use rebut_core::report;
use rebut_engine::checks::{Excerpt, Excerpts};

use super::argument_map::{self, Branch, class_of, marks, standing};
use super::markdown::{Anchors, escaped, in_line, rendered};
use super::pieces::{Piece, ROOT};
use super::templates::{render, safe};
use crate::terminal::harmless;

/// The id and title of every section, in order.
pub(super) type Titles = Vec<(&'static str, &'static str)>;

/// Renders the sections of one debate.
pub(super) struct Sections<'a> {
    debate: &'a Debate,
    excerpts: &'a mut Excerpts,
    anchors: Anchors,
    pieces: Vec<Piece>,
    titles: Titles,
}

impl<'a> Sections<'a> {
    /// The pieces of all sections, and their titles.
    pub(super) fn of(debate: &'a Debate, excerpts: &'a mut Excerpts) -> Result<(Vec<Piece>, Titles), Error> {
        let sections = debate.format().page(debate);
        let anchors = anchors(&sections);
        let mut page = Self { debate, excerpts, anchors, pieces: Vec::new(), titles: Vec::new() };
        let argument = sections.iter().find_map(|section| match &section.part {
            Part::Argument(argument) if !argument.ledger.claims.is_empty() => Some(argument),
            _ => None,
        });
        for Section { id, title, part } in &sections {
            match part {
                Part::Verdict(verdict) => page.verdict(id, title, verdict)?,
                Part::Rounds(rounds) => page.rounds(id, title, rounds, argument)?,
                Part::Argument(_) => {
                    if let Some(argument) = argument {
                        page.map(id, title, argument)?;
                    }
                }
                Part::Findings(cards) => page.findings(id, title, cards)?,
                Part::Log(items) => page.log(id, title, items)?,
                Part::Text(text) => {
                    let html = page.markdown(text);
                    page.leaf_section(id, title, "text", context! { html })?;
                }
                Part::Patch(patch) => page.leaf_section(id, title, "text", context! { html => safe(diff(patch)) })?,
            }
        }
        if let Some(argument) = argument {
            page.claims(argument)?;
            page.evidence(argument)?;
        }
        let table = report::accounts_table(debate);
        page.leaf_section("cost", "Time and cost", "accounts", context! { html => page.markdown(&table) })?;
        Ok((page.pieces, page.titles))
    }

    fn markdown(&self, text: &str) -> Value {
        safe(rendered(text, &self.anchors))
    }

    fn line(&self, text: &str) -> Value {
        safe(in_line(text, &self.anchors))
    }

    /// Whether evidence may still be looked up.
    fn is_pending(&self) -> bool {
        self.debate.plan().evidence.is_some() && self.debate.status() == Status::Running
    }

    fn leaf_section(&mut self, id: &'static str, title: &'static str, template: &str, values: Value) -> Result<(), Error> {
        self.titles.push((id, title));
        let html = render(template, context! { id, title, ..values })?;
        self.pieces.push(Piece::leaf(id, ROOT, html));
        Ok(())
    }

    /// A section that holds further pieces: filters, then items.
    fn section(&mut self, id: &'static str, title: &'static str, filters: &[(&str, &str, usize)]) -> Result<(), Error> {
        self.titles.push((id, title));
        let open = render("section", context! { id, title })?;
        let slot = Some(format!("{id}-items"));
        self.pieces.push(Piece { slot, close: "</div></section>".to_owned(), ..Piece::leaf(id, ROOT, open) });
        if filters.len() > 1 {
            let values: Vec<Value> =
                filters.iter().map(|(tag, label, count)| context! { tag => *tag, label => *label, count }).collect();
            let html = render("filters", context! { id, title, values })?;
            self.pieces.push(Piece::leaf(format!("{id}-filters"), format!("{id}-items"), html));
        }
        Ok(())
    }

    fn verdict(&mut self, id: &'static str, title: &'static str, verdict: &Verdict) -> Result<(), Error> {
        let Verdict { brief, firmness, ballots, passages } = verdict;
        let rows: Vec<Value> = brief
            .rows
            .iter()
            .map(|(label, lines)| {
                let lines: Vec<Value> = lines.iter().map(|line| self.line(line)).collect();
                context! { label => *label, lines }
            })
            .collect();
        let ballots: Vec<Value> = ballots
            .iter()
            .map(|ballot| {
                let decisive: Vec<Value> = ballot
                    .decisive
                    .iter()
                    .map(|(id, why)| context! { id, linked => self.anchors.contains(id), why => self.line(why) })
                    .collect();
                let reasoning = self.markdown(&ballot.reasoning);
                context! { judge => &ballot.judge, result => &ballot.result, failed => ballot.failed, reasoning, decisive }
            })
            .collect();
        let passages: Vec<Value> =
            passages.iter().map(|(title, text)| context! { title => *title, html => self.markdown(text) }).collect();
        let firmness = firmness.as_ref().map(|(word, meaning)| context! { word, meaning });
        let values = context! {
            headline => self.line(&brief.headline), tone => brief.tone.as_str(), rows, firmness, ballots, passages,
        };
        self.leaf_section(id, title, "verdict", values)
    }

    fn rounds(
        &mut self,
        id: &'static str,
        title: &'static str,
        rounds: &[Round],
        argument: Option<&Argument>,
    ) -> Result<(), Error> {
        let speakers = rounds.iter().flat_map(|round| &round.statements).map(|statement| statement.speaker.as_str());
        let tags = counted(speakers.map(|speaker| format!("speaker:{speaker}")));
        self.section(id, title, &labelled(&tags))?;
        for (round, number) in rounds.iter().zip(1..) {
            let slot = format!("{id}-{number}");
            let open = render("round", context! { id => &slot, title => &round.title })?;
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
        let Statement { id, side, speaker, body, notes, model, duration_ms } = statement;
        let claims = argument.iter().flat_map(|argument| {
            let own = argument.ledger.claims.iter().filter(|claim| claim.id.statement() == *id);
            own.map(|claim| {
                let standing = standing(argument, claim);
                context! { id => claim.id.as_str(), text => self.line(&claim.text), marks => self.marks(claim), standing }
            })
        });
        let claims: Vec<Value> = claims.collect();
        let notes: Vec<Value> = notes.iter().map(|note| self.line(note)).collect();
        let values = context! {
            id, side, speaker, model, notes, claims, html => self.markdown(body), duration => report::duration(*duration_ms),
        };
        render("statement", values)
    }

    fn marks(&self, claim: &LedgerClaim) -> Vec<Value> {
        let words = claim.checked.iter().map(|found| found.result.as_str().replace('_', " "));
        let words =
            words.chain(std::iter::repeat(if self.is_pending() { "being checked" } else { "not checked" }.to_owned()));
        marks(claim, self.is_pending())
            .into_iter()
            .zip(words)
            .map(|(mark, word)| context! { mark, word, kind => class_of(mark) })
            .collect()
    }

    fn map(&mut self, id: &'static str, title: &'static str, argument: &Argument) -> Result<(), Error> {
        let svg = argument_map::drawn(argument, self.is_pending());
        let sides: Vec<Value> = argument.sides.iter().map(|side| context! { name => &side.name }).collect();
        let list = self.branches(argument, &argument_map::branches(argument));
        self.leaf_section(id, title, "map", context! { svg => safe(svg), list => safe(list), sides })
    }

    /// The list that says what the map shows.
    fn branches(&self, argument: &Argument, branches: &[Branch<'_>]) -> String {
        let item = |branch: &Branch<'_>| {
            let claim = branch.claim;
            let id = escaped(claim.id.as_str());
            if branch.is_shown_above {
                return format!("<li><a href=\"#{id}\">{id}</a>, shown above</li>");
            }
            let side = &argument.sides[argument.side_of(&claim.id)].name;
            let evidence = Tally::of(claim.evidence.len(), &claim.checked).to_string();
            let standing = standing(argument, claim).join(", ");
            let standing = if standing.is_empty() { standing } else { format!(" <em>{}</em>", escaped(&standing)) };
            let below = self.branches(argument, &branch.attacks);
            let below = if below.is_empty() { below } else { format!("<p>Attacked by</p>{below}") };
            format!(
                "<li><a href=\"#{}\">{id}</a> {}: {} <small>({})</small>{standing}{below}</li>",
                escaped(claim.id.statement()),
                escaped(&harmless(side)),
                in_line(&claim.text, &self.anchors),
                escaped(&evidence)
            )
        };
        let items = branches.iter().map(item).collect::<Vec<_>>().concat();
        if items.is_empty() { items } else { format!("<ul>{items}</ul>") }
    }

    fn claims(&mut self, argument: &Argument) -> Result<(), Error> {
        let words = argument.ledger.claims.iter().flat_map(|claim| standing(argument, claim));
        let sides = argument.ledger.claims.iter().map(|claim| &argument.sides[argument.side_of(&claim.id)].name);
        let tags = counted(sides.map(|name| format!("side:{name}")).chain(words.map(|word| format!("claim:{word}"))));
        self.section("claims", "Claims", &labelled(&tags))?;
        let open = render("claims", context! {})?;
        let (slot, close) = (Some("claims-rows".to_owned()), "</tbody></table></div>".to_owned());
        self.pieces.push(Piece { slot, close, ..Piece::leaf("claims-table", "claims-items", open) });
        for claim in &argument.ledger.claims {
            let side = argument.side_of(&claim.id);
            let standing = standing(argument, claim);
            let tags = tags_of(
                [format!("side:{}", argument.sides[side].name)]
                    .into_iter()
                    .chain(standing.iter().map(|word| format!("claim:{word}"))),
            );
            let attacked: Vec<Value> = claim
                .attacked_by
                .iter()
                .map(|attack| {
                    let answer = match attack.answer {
                        Answered::Yes => "answered",
                        Answered::No => "unanswered",
                        Answered::NoChance => "no chance to answer",
                    };
                    context! { id => attack.by.as_str(), answer }
                })
                .collect();
            let conceded: Vec<String> =
                claim.conceded_by.iter().map(|(who, round)| format!("{who}, round {round}")).collect();
            let values = context! {
                id => claim.id.as_str(), statement => claim.id.statement(), side, tags, standing, attacked, conceded,
                text => self.line(&claim.text), marks => self.marks(claim),
                is_listed => !claim.evidence.is_empty(), withdrawn => claim.withdrawn,
            };
            self.pieces.push(Piece::leaf(claim.id.as_str(), "claims-rows", render("claim", values)?));
        }
        Ok(())
    }

    fn evidence(&mut self, argument: &Argument) -> Result<(), Error> {
        let with: Vec<&LedgerClaim> = argument.ledger.claims.iter().filter(|claim| !claim.evidence.is_empty()).collect();
        let results = with.iter().flat_map(|claim| claim.checked.iter().map(tag_of));
        let tags = counted(results);
        self.section("evidence", "Evidence", &labelled(&tags))?;
        for claim in with {
            let tags = tags_of(claim.checked.iter().map(tag_of));
            let items = self.evidence_items(&claim.evidence, &claim.checked)?;
            let values = context! { id => claim.id.as_str(), text => self.line(&claim.text), tags, items => safe(items) };
            self.pieces.push(Piece::leaf(format!("ev-{}", claim.id), "evidence-items", render("evidence", values)?));
        }
        let mentions = argument.ledger.false_mentions.iter();
        let lines = mentions
            .map(|(place, found)| format!("- {place} mentions {}: {}\n", found.evidence.described(), found.detail))
            .collect::<Vec<_>>()
            .concat();
        if !lines.is_empty() {
            let html = self.markdown(&format!("Mentioned, and not there:\n\n{lines}"));
            let html = format!("<div id=\"mentions\" data-piece class=\"card\">{html}</div>");
            self.pieces.push(Piece::leaf("mentions", "evidence-items", html));
        }
        Ok(())
    }

    /// Listed evidence with what was found, and the lines that it points at.
    fn evidence_items(&mut self, listed: &[Evidence], checked: &[Checked]) -> Result<String, Error> {
        let pending = self.is_pending();
        // A version that was revised has other lines than the one that was pinned.
        let is_as_pinned = self.debate.revisions().is_empty();
        let mut items: Vec<Value> = Vec::new();
        for found in checked {
            let quote =
                found.evidence.quote.iter().flat_map(|quote| quote.lines()).map(str::trim).find(|line| !line.is_empty());
            let holds = |excerpt: &Excerpt| quote.is_some_and(|quote| excerpt.lines.iter().any(|line| line.contains(quote)));
            let excerpt = self.excerpts.around(found).filter(|excerpt| is_as_pinned || holds(excerpt));
            let mark = found.result.mark();
            items.push(context! {
                mark, kind => class_of(mark), result => found.result.as_str().replace('_', " "),
                place => found.evidence.to_string(), quote => &found.evidence.quote, detail => &found.detail,
                output => &found.output, excerpt => excerpt.as_ref().map(excerpt_value),
            });
        }
        for evidence in listed.iter().skip(checked.len()) {
            let (mark, result) = if pending { ('…', "being checked") } else { ('?', "not checked") };
            items.push(context! {
                mark, kind => class_of(mark), result, place => evidence.to_string(), quote => &evidence.quote,
            });
        }
        render("evidence_items", context! { items })
    }

    fn findings(&mut self, id: &'static str, title: &'static str, cards: &[FindingCard]) -> Result<(), Error> {
        let tags =
            counted(cards.iter().flat_map(|card| [format!("severity:{}", card.severity), format!("state:{}", card.state)]));
        self.section(id, title, &labelled(&tags))?;
        if cards.is_empty() {
            let none = "<p id=\"no-findings\" data-piece class=\"empty\">No findings are on record.</p>";
            self.pieces.push(Piece::leaf("no-findings", format!("{id}-items"), none.to_owned()));
        }
        for card in cards {
            let items = self.evidence_items(&card.evidence, &card.checked)?;
            let tags = tags_of([format!("severity:{}", card.severity), format!("state:{}", card.state)]);
            let values = context! {
                id => &card.id, severity => card.severity, state => card.state, open => card.open, tags,
                title => self.line(&card.title), explanation => self.markdown(&card.explanation),
                suggestion => self.markdown(&card.suggestion), raised => &card.raised, ruling => self.line(&card.ruling),
                items => safe(items), fix => card.fix.as_deref().map(|fix| safe(diff(fix))),
            };
            self.pieces.push(Piece::leaf(card.id.clone(), format!("{id}-items"), render("finding", values)?));
        }
        Ok(())
    }

    fn log(&mut self, id: &'static str, title: &'static str, items: &[LogItem]) -> Result<(), Error> {
        let tags_of_item = |item: &LogItem| {
            let redacted = item.redacted.as_ref().map(|_| "check:redacted".to_owned());
            let checks = item.checks.iter().map(|(_, status, _)| format!("check:{status}"));
            [format!("speaker:{}", item.speaker)].into_iter().chain(redacted).chain(checks).collect::<Vec<_>>()
        };
        let tags = counted(items.iter().flat_map(tags_of_item));
        self.section(id, title, &labelled(&tags))?;
        let mut part = None;
        for item in items {
            let new_part = Some(item.part.as_str()).filter(|now| part != Some(*now));
            part = Some(item.part.as_str());
            let sources: Vec<Value> = item
                .sources
                .iter()
                .map(|(title, place, read)| context! { title, place, read, link => is_web(place) })
                .collect();
            let checks: Vec<Value> = item
                .checks
                .iter()
                .map(|(place, status, why)| context! { place, status => *status, why => self.line(why), kind => kind_of(status) })
                .collect();
            let values = context! {
                seq => item.seq, part => new_part, side => item.side, speaker => &item.speaker, kind => item.kind.replace('_', " "),
                html => self.markdown(&item.body), redacted => &item.redacted, refers_to => item.refers_to.clone(), sources, checks,
                tags => tags_of(tags_of_item(item)),
            };
            self.pieces.push(Piece::leaf(format!("seq-{}", item.seq), format!("{id}-items"), render("entry", values)?));
        }
        Ok(())
    }
}

/// Every id that texts may refer to.
fn anchors(sections: &[Section]) -> Anchors {
    let mut anchors = Anchors::new();
    for Section { part, .. } in sections {
        match part {
            Part::Rounds(rounds) => {
                anchors.extend(rounds.iter().flat_map(|round| &round.statements).map(|of| of.id.clone()));
            }
            Part::Argument(argument) => anchors.extend(argument.ledger.claims.iter().map(|claim| claim.id.to_string())),
            Part::Findings(cards) => anchors.extend(cards.iter().map(|card| card.id.clone())),
            Part::Log(items) => anchors.extend(items.iter().map(|item| format!("seq-{}", item.seq))),
            Part::Verdict(_) | Part::Text(_) | Part::Patch(_) => {}
        }
    }
    anchors
}

/// How often each tag occurs, in the order of the tags.
fn counted(tags: impl Iterator<Item = String>) -> BTreeMap<String, usize> {
    let mut counts = BTreeMap::new();
    for tag in tags {
        *counts.entry(tag).or_default() += 1;
    }
    counts
}

/// Tags with what is shown of them: what follows their group.
fn labelled(tags: &BTreeMap<String, usize>) -> Vec<(&str, &str, usize)> {
    tags.iter()
        .map(|(tag, count)| (tag.as_str(), tag.split_once(':').map_or(tag.as_str(), |(_, label)| label), *count))
        .collect()
}

/// Tags as an attribute, a line each: they have spaces in them.
fn tags_of(tags: impl IntoIterator<Item = String>) -> String {
    tags.into_iter().collect::<Vec<_>>().join("\n")
}

fn tag_of(found: &Checked) -> String {
    format!("evidence:{}", found.result.as_str().replace('_', " "))
}

fn kind_of(status: &str) -> &'static str {
    match status {
        "verified" => "true",
        "fabricated" | "unreliable" => "false",
        _ => "unknown",
    }
}

fn is_web(place: &str) -> bool {
    place.starts_with("https://") || place.starts_with("http://")
}

fn excerpt_value(excerpt: &Excerpt) -> Value {
    let lines: Vec<Value> = (excerpt.first..)
        .zip(&excerpt.lines)
        .map(|(number, text)| context! { number, text, meant => (excerpt.meant.first..=excerpt.meant.last).contains(&number) })
        .collect();
    context! { path => &excerpt.path, lines }
}

/// A patch with its lines told apart.
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
