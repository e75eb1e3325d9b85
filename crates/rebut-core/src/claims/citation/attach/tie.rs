//! Which path a mark belongs to, and how closely.

use super::super::others::is_told_by_somebody;
use super::super::proposals::{Leads, asked, behind_a_reason, is_wished_for, leads};
use super::super::sentences::ends_with_an_abbreviation;
use super::super::words::{
    advises, attributes, denies, leads_into, names, negates, placed_words, places, prints, reads, says_absent, supposes,
    tells, words,
};
use super::{Mark, Said, Sentence, WINDOW, is_name, lines};

/// How many words may stand between a path and what it is said to hold.
const NEAR: usize = 8;

/// How a mark is tied to a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Tie {
    /// Side by side.
    Beside,
    /// By a word like "reads".
    Reading,
    /// Only by the clause.
    Loose,
    /// Only by the sentence: another clause speaks of it.
    Apart,
    /// By words that may say that it stands there, or that it is to stand there, or what comes of it.
    Doubtful,
}

impl Sentence<'_> {
    /// The path that a mark belongs to.
    pub(super) fn tie<'m>(&self, mark: &Mark, before: Option<&'m Mark>, after: Option<&'m Mark>) -> Option<(&'m Mark, Tie)> {
        if let Some(path) = after
            && (self.is_given_for(mark, path)
                || (self.stands_beside(mark, path) && !before.is_some_and(|before| self.reads_on(before, mark))))
        {
            return (!self.is_led_away(mark, path)).then_some((path, Tie::Beside));
        }
        let Some(path) = before else { return self.tie_ahead(mark, after?) };
        if is_told_by_somebody(self.text_before(path.span.start)) {
            return None;
        }
        let tie = self.tie_back(mark, path)?;
        if says_absent(self.behind(mark.span.end)) {
            return None;
        }
        let lead = self.text_before(path.span.start);
        if words(lead).last().is_some_and(|word| supposes(&word)) || is_called_wrong(lead) {
            return None;
        }
        Some((path, tie))
    }

    /// `drop(guard);` is called at src/pool.rs:35.
    fn tie_ahead<'m>(&self, mark: &Mark, path: &'m Mark) -> Option<(&'m Mark, Tie)> {
        if !self.is_near(mark, path) || self.is_led_away(mark, path) {
            return None;
        }
        let (Said::Quote(words) | Said::Code(words)) = &mark.said else { return None };
        match (self.is_value(mark, path), is_name(self.text[words.clone()].trim())) {
            (true, _) => Some((path, Tie::Beside)),
            (false, true) => self.is_used_there(mark, path).then_some((path, Tie::Loose)),
            (false, false) => Some((path, Tie::Loose)),
        }
    }

    /// How the words between a path and a mark behind it tie them.
    fn tie_back(&self, mark: &Mark, path: &Mark) -> Option<Tie> {
        let gap = self.text.get(path.span.end..mark.span.start).filter(|gap| gap.len() <= WINDOW)?;
        let lead = self.text_before(path.span.start);
        let sourced = attributes(lead) || names_a_source(clause_of(lead), gap);
        let clause = if sourced { None } else { self.last_clause(path.span.end, gap) };
        // `…; it says`: another clause that goes on about the place.
        let goes_on = clause.is_some_and(|at| goes_on_reading(&gap[at..]));
        let from = if goes_on { clause.unwrap_or_default() } else { 0 };
        let opened = gap.trim_end().ends_with(':');
        // `Fix X (`x`)`: what stands right beside the place in a bracket is its own, whatever is asked for.
        let beside = gap.contains('(') && words(gap).next().is_none();
        let goes = if beside { Leads::There } else { leads(lead, gap) };
        if goes == Leads::Elsewhere {
            return None;
        }
        let mut own: Vec<_> = Vec::new();
        let mut count = 0;
        for (at, word) in placed_words(&gap[from..]) {
            count += 1;
            // What other marks hold denies nothing: `new` is a name there.
            if self.is_marked(path.span.end + from + at) {
                continue;
            }
            let wished = leads_into(&word) && self.change.is_some_and(|change| change < path.span.start);
            // Behind a colon stands what the words before it speak of: `X never unlocks: x`.
            let apart =
                (denies(&word) && !opened && !matches!(&*word, "added" | "created")) || tells(&word) || advises(&word);
            if apart || wished || word.starts_with("fail") || count > NEAR {
                return None;
            }
            own.push(word);
        }
        if goes_on && goes == Leads::There {
            return Some(Tie::Reading);
        }
        let own: Vec<&str> = own.iter().map(|word| &**word).collect();
        // `X prints y`: what a program prints need not stand in it as it is printed.
        if goes == Leads::Perhaps || own.last().is_some_and(|word| matches!(*word, "prints" | "outputs" | "logs")) {
            return Some(Tie::Doubtful);
        }
        if clause.is_some() {
            return Some(Tie::Apart);
        }
        // A colon leads like a word that says so, and so does who is named as the source of all that follows.
        let told = opened || sourced || self.has_lines_behind(mark);
        let tie = match &own[..] {
            // `is a Mutex` says of which kind it is.
            [.., "is" | "are" | "was", "a" | "an" | "ein" | "eine" | "un" | "une"] if count > 1 && !told => Tie::Apart,
            _ if count <= 1 => Tie::Beside,
            _ if told || leads_to_words(&own) => Tie::Reading,
            _ => Tie::Loose,
        };
        // `Nowhere does README.md say`: with a verb between them the denial reaches over the path.
        let verbless = own.iter().all(|word| !reads(word) && !matches!(*word, "say" | "contain" | "mention" | "show"));
        let denied = !opened && self.is_denied_before(path);
        if denied && !(tie == Tie::Beside && verbless) { None } else { Some(tie) }
    }

    /// Whether the line of a mark is named right behind it: `("too large", line 15)`, `x (line 15)`.
    fn has_lines_behind(&self, mark: &Mark) -> bool {
        let behind = self.behind(mark.span.end);
        let rest = behind.strip_prefix(", ").or_else(|| behind.strip_prefix(" ("));
        rest.is_some_and(|rest| lines::behind(&format!(" {rest}")).is_some())
    }

    /// Where, between a path and a mark behind it, the last clause begins that is not the path's own.
    fn last_clause(&self, start: usize, gap: &str) -> Option<usize> {
        let mut last = None;
        // `PATH and the 15s interval` speaks of two things.
        if words(gap).next().is_some_and(|word| joins(&word)) && !gap.trim_start().starts_with([',', ';']) {
            last = Some(0);
        }
        let mut told = gap.starts_with(')');
        for (at, c) in gap.char_indices() {
            if self.is_marked(start + at) {
                told = true;
                continue;
            }
            told |= c.is_alphanumeric();
            let rest = &gap[at + c.len_utf8()..];
            let parts = c == ';' || (c == ',' && (rest.is_empty() || rest.starts_with(char::is_whitespace)));
            if parts && (c == ';' || told || words(rest).next().is_some_and(|word| joins(&word) || leads_off(&word))) {
                last = Some(at + c.len_utf8());
            }
        }
        last
    }

    /// Whether a place lies in a mark.
    fn is_marked(&self, at: usize) -> bool {
        let next = self.marks.partition_point(|mark| mark.span.end <= at);
        self.marks.get(next).is_some_and(|mark| mark.span.contains(&at))
    }

    /// Whether something is denied or proposed in the clause before a path. A denial ends with its clause, and what is
    /// proposed is so to the end of the sentence.
    fn is_denied_before(&self, path: &Mark) -> bool {
        let Some(denial) = self.denial.filter(|denial| *denial < path.span.start) else { return false };
        let lead = self.text_before(path.span.start);
        // What lies further back than that is not looked at again.
        if denial + lead.len() < path.span.start {
            return true;
        }
        let proposed = words(behind_a_reason(lead)).any(|word| denies(&word) && !negates(&word) && !is_told_of_facts(&word));
        let clause = clause_of(lead);
        proposed || (words(clause).any(|word| negates(&word)) && !leads_to_a_fact(clause))
    }

    /// Whether the words before a mark say that it is not what stands at the path behind it: it is denied, advised, told,
    /// printed, or somebody's name for it.
    fn is_led_away(&self, mark: &Mark, path: &Mark) -> bool {
        let lead = self.text_before(mark.span.start);
        // `… without a fix (`x`, a.rs:3)`: what stands before a bracket is said of something else.
        let opened = lead.rfind(['(', '[', ')', ']']).filter(|at| lead[*at..].starts_with(['(', '[']));
        let lead = opened.map_or(lead, |at| &lead[at + 1..]);
        let own = lead.len() - clause_of(lead).len();
        let is_quote = matches!(mark.said, Said::Quote(_));
        // Whoever names the place of a message in brackets says that it is written there.
        let placed = self.is_given_for(mark, path);
        let all: Vec<_> = placed_words(lead).collect();
        let near = &all[all.len().saturating_sub(4)..];
        let opened = lead.trim_end_matches(['`', '*', '"', ' ']).ends_with(':');
        let at_place = self.text.get(mark.span.end..path.span.start).is_some_and(|gap| words(gap).eq(["at"]));
        let away = |at: usize, word: &str| {
            (!opened && denies(word) && (at >= own || !negates(word)) && !is_told_of_facts(word))
                || (advises(word) && !(at_place && word.ends_with("ing")))
                || (is_quote && !placed && prints(word))
                || word == "so-called"
        };
        let from = near.first().map_or(0, |(at, _)| *at);
        let asked = asked(lead).any(|asked| asked.at >= from);
        // `With x at a.rs:3 the problem would vanish.`
        let supposed = all.first().is_some_and(|(_, word)| word == "with" && all.len() == 1)
            && words(self.behind(path.span.end)).any(|word| word == "would");
        near.iter().any(|(at, word)| away(*at, word))
            || asked
            || supposed
            || (opened && leads(lead, "") == Leads::Elsewhere)
            || is_wished_for(lead)
            || (is_quote && near.last().is_some_and(|(_, word)| names(word)))
            || says_absent(self.behind(path.span.end))
    }

    /// Whether a path stands a few words behind a mark.
    fn is_near(&self, mark: &Mark, path: &Mark) -> bool {
        let gap = self.text.get(mark.span.end..path.span.start).filter(|gap| gap.len() <= 60);
        gap.is_some_and(|gap| {
            let own = gap.strip_prefix([',', ';']).filter(|rest| words(rest).all(|word| places(&word))).unwrap_or(gap);
            !own.contains(['\n', ',', ';', ':']) && words(gap).count() <= 6 && !words(gap).any(|word| denies(&word))
        })
    }

    /// `drop` is called at src/pool.rs:35.
    fn is_used_there(&self, mark: &Mark, path: &Mark) -> bool {
        let gap = self.text.get(mark.span.end..path.span.start).unwrap_or_default();
        let own: Vec<_> = words(gap).collect();
        let own: Vec<&str> = own.iter().map(|word| &**word).collect();
        let [be, done, .., joint] = &own[..] else { return false };
        let used = ["called", "defined", "declared", "used", "read", "set", "taken", "checked", "created", "invoked"];
        matches!(*be, "is" | "are" | "gets") && used.contains(done) && matches!(*joint, "at" | "in" | "on" | "line")
    }

    /// `LIMIT` is 64 (src/pool.rs:11): what is said of a name is said to stand at the path in brackets.
    fn is_value(&self, mark: &Mark, path: &Mark) -> bool {
        let gap = self.text.get(mark.span.end..path.span.start).unwrap_or_default();
        let told = words(gap).next().is_some_and(|word| matches!(&*word, "is" | "equals" | "defaults" | "ist" | "beträgt"));
        told && gap.trim_end_matches(['`', '*']).ends_with('(') && words(gap).count() <= 4
    }

    /// Whether a path is given as the place of the mark before it: `x` (a.rs:3), (`x`, a.rs:3), — `x`, see a.rs:3.
    pub(super) fn is_given_for(&self, mark: &Mark, path: &Mark) -> bool {
        let Some(gap) = self.text.get(mark.span.end..path.span.start).filter(|gap| gap.len() <= 120) else { return false };
        // `(x and y, a.rs:3)`: the other words of the bracket are given a place as well.
        let bare: String =
            gap.char_indices().filter(|(at, _)| !self.is_marked(mark.span.end + at)).map(|(_, c)| c).collect();
        let shared = bare.len() < gap.len();
        if bare.contains('\n') || !words(&bare).all(|word| places(&word) || (shared && word == "and")) {
            return false;
        }
        let gap = if shared { bare.trim_start().trim_start_matches("and").trim_start_matches(',') } else { &bare };
        let plain = gap.trim_matches(|c: char| c.is_whitespace() || matches!(c, '`' | '*' | '"' | '_'));
        let inner = plain.trim_start_matches(['(', '[', ',', ';', ' ']);
        if inner.contains(['(', '[', ',', ';', ')', ']']) {
            return false;
        }
        match plain.chars().next() {
            Some('(' | '[') => true,
            Some(',' | ';') => {
                let lead = self.text_before(mark.span.start);
                let opened = lead.rfind(['(', '[', ':', '—', '–', ')', ']']).map(|at| &lead[at..]);
                let clause = opened.filter(|clause| !clause.starts_with([')', ']']));
                clause.is_some_and(|clause| words(clause).count() <= 3)
            }
            _ => false,
        }
    }

    /// Whether only words like "in" stand between a mark and the path behind it.
    fn stands_beside(&self, mark: &Mark, path: &Mark) -> bool {
        let gap = self.text.get(mark.span.end..path.span.start).filter(|gap| gap.len() <= WINDOW);
        // A comma or a full stop ends what is quoted, unless the quote is followed by who says it.
        let Some(gap) = gap else { return false };
        // The number of a source may stand behind the full stop: `"…".[1]`.
        let is_label = self.text[path.span.clone()].starts_with('[');
        let gap = if is_label { gap.trim_start_matches(['.', ',', ';']) } else { gap };
        // What begins the next line belongs to the quote only where a word leads over the line's end.
        if gap.split_once('\n').is_some_and(|(lead, _)| words(lead).count() == 0) {
            return false;
        }
        let says = words(gap).eq(["says"]);
        // `is named X and stands in a.rs`
        let gap = gap.strip_prefix(" and ").filter(|rest| words(rest).count() > 1).unwrap_or(gap);
        (says || !gap.trim_start().starts_with([',', '.', ';']))
            && words(gap).count() <= 6
            && words(gap).all(|word| places(&word))
    }

    /// Whether a word like "reads" leads right from a path to a mark: `a.rs:1 reads "…"`.
    fn reads_on(&self, path: &Mark, mark: &Mark) -> bool {
        let gap = self.text.get(path.span.end..mark.span.start).filter(|gap| gap.len() <= WINDOW);
        gap.is_some_and(|gap| !gap.contains([',', ';', '\n']) && words(gap).last().is_some_and(|word| reads(&word)))
    }
}

/// Whether a word that can propose something is said of what is there as often: `the new code at`, `this could deadlock`.
fn is_told_of_facts(word: &str) -> bool {
    matches!(word, "new" | "added" | "created" | "could" | "would")
}

/// `it is not safe that`: what follows is so, whatever is denied before it, unless the denial is of the saying of it.
fn leads_to_a_fact(clause: &str) -> bool {
    let all: Vec<_> = words(clause).collect();
    let all: Vec<&str> = all.iter().map(|word| &**word).collect();
    let [lead @ .., "that"] = &all[..] else { return false };
    let said = |word: &&str| {
        matches!(
            *word,
            "true" | "case" | "say" | "said" | "claim" | "think" | "believe" | "mean" | "show" | "prove" | "suggest" | "so"
        ) || matches!(
            *word,
            "correct" | "right" | "evidence" | "proof" | "sign" | "find" | "found" | "see" | "argue" | "imply"
        )
    };
    !lead.iter().rev().take(2).any(said)
}

/// Whether the words before a path call what is said of it wrong: `it is wrong to say that`, `the claim that`.
fn is_called_wrong(lead: &str) -> bool {
    let lead: Vec<_> = words(lead).collect();
    let near: Vec<&str> = lead[lead.len().saturating_sub(6)..].iter().map(|word| &**word).collect();
    let wrong = near
        .iter()
        .position(|word| matches!(*word, "wrong" | "false" | "incorrect" | "untrue" | "mistaken" | "falsch" | "faux"));
    let said = |word: &&str| {
        matches!(*word, "say" | "saying" | "claim" | "think" | "assume" | "suggest" | "sagen" | "dire" | "that")
    };
    wrong.is_some_and(|at| near[at..].iter().any(said)) || near.ends_with(&["claim", "that"])
}

/// Words that join two things, or begin a clause with another subject.
fn joins(word: &str) -> bool {
    matches!(
        word,
        "and"
            | "or"
            | "but"
            | "plus"
            | "so"
            | "yet"
            | "und"
            | "oder"
            | "aber"
            | "sodass"
            | "et"
            | "ou"
            | "mais"
            | "donc"
            | "y"
            | "o"
            | "pero"
    )
}

/// Words behind a comma that lead to another clause.
fn leads_off(word: &str) -> bool {
    matches!(
        word,
        "which"
            | "where"
            | "while"
            | "whereas"
            | "as"
            | "since"
            | "because"
            | "hence"
            | "thus"
            | "therefore"
            | "then"
            | "although"
            | "though"
            | "wobei"
            | "weshalb"
            | "was"
            | "denn"
            | "weil"
            | "während"
            | "qui"
            | "ce"
            | "car"
            | "alors"
            | "que"
            | "porque"
            | "así"
            | "mientras"
            | "what"
            | "who"
            | "making"
            | "meaning"
    )
}

/// Whether a clause behind the one with the path goes on about it and leads to words: `which reads`, `it says`.
pub(in super::super) fn goes_on_reading(clause: &str) -> bool {
    let all: Vec<_> = words(clause).collect();
    let Some((verb, before)) = all.split_last() else { return false };
    let weak = matches!(&**verb, "the" | "as" | "with" | "where" | "does" | "has" | "uses");
    let about = |word: &str| {
        matches!(
            word,
            "it" | "which"
                | "where"
                | "that"
                | "there"
                | "line"
                | "file"
                | "code"
                | "also"
                | "and"
                | "but"
                | "clearly"
                | "the"
                | "actually"
                | "literally"
                | "plainly"
                | "rather"
                | "es"
                | "sie"
                | "dort"
                | "il"
                | "elle"
                | "instead"
        )
    };
    !weak && (reads(verb) || verb == "say") && !before.is_empty() && before.iter().all(|word| about(word))
}

/// Whether the words between a path and a mark lead to what is written there: the first verb behind the path, or the last
/// word before the mark does.
fn leads_to_words(own: &[&str]) -> bool {
    let weak = |word: &str| matches!(word, "is" | "as" | "with" | "the" | "where" | "does" | "read");
    let passing =
        |word: &str| matches!(word, "also" | "then" | "already" | "literally" | "clearly" | "itself" | "still" | "only");
    let article = |word: &str| {
        matches!(
            word,
            "the" | "a" | "an" | "only" | "just" | "exactly" | "still" | "that" | "der" | "die" | "das" | "dass" | "que"
        )
    };
    let first = own.iter().find(|word| !passing(word)).is_some_and(|word| reads(word) && !weak(word));
    first || own.iter().rev().find(|word| !article(word)).is_some_and(|word| reads(word) || *word == "clear")
}

/// Whether a clause names a path as the source of what follows behind its comma: `According to the notes (a.md), …`, `As the
/// comment in a.rs puts it, …`.
fn names_a_source(lead: &str, gap: &str) -> bool {
    let lead: Vec<_> = words(lead).collect();
    let lead: Vec<&str> = lead.iter().map(|word| &**word).collect();
    let says = || words(gap).filter(|word| word != "it").last().is_some_and(|word| reads(&word));
    match &lead[..] {
        ["according", "to", ..] | ["laut" | "gemäß" | "selon" | "según", ..] => true,
        ["as" | "wie", ..] => says(),
        _ => false,
    }
}

/// The last clause of a text: what stands behind its last colon, dash or semicolon, or comma with a word that joins.
pub(in super::super) fn clause_of(lead: &str) -> &str {
    let parted = lead.char_indices().rev().find(|(at, c)| {
        let rest = &lead[at + c.len_utf8()..];
        // Looked for near by: between many commas no word need stand at all.
        let joined = || words(super::beginning(rest, 32)).next().is_some_and(|word| joins(&word) || leads_off(&word));
        // A small letter begins a sentence where a path does.
        let stops = matches!(c, '.' | '!' | '?')
            && rest.starts_with(char::is_whitespace)
            && !(*c == '.' && ends_with_an_abbreviation(&lead[..*at]));
        matches!(c, ':' | ';' | '—' | '–') || stops || (*c == ',' && joined())
    });
    parted.map_or(lead, |(at, c)| &lead[at + c.len_utf8()..])
}

#[cfg(test)]
mod tests;
