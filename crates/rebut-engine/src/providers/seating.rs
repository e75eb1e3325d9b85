//! Seats of a duel that the user did not name. Pure: what is available comes in, the seating comes out.

use rebut_core::debate::SeatPlan;

use super::{PassedOver, local};

#[derive(Clone, Debug, Default)]
pub struct Wanted {
    pub proposer: Option<SeatPlan>,
    pub challenger: Option<SeatPlan>,
    pub judge: Option<SeatPlan>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Seating {
    pub proposer: SeatPlan,
    pub challenger: SeatPlan,
    pub judge: SeatPlan,
}

#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SeatingError {
    #[error("proposer and challenger are the same seat `{0}`; name two tools, or two models of one tool")]
    SameSeat(String),
    #[error("no tool, API or local server is available")]
    NoSeats,
}

/// Fills the seats that were not named. `available` is in order of preference.
pub fn seat(wanted: Wanted, available: &[SeatPlan]) -> Result<Seating, SeatingError> {
    let Wanted { proposer, challenger, judge } = wanted;
    if let (Some(proposer), Some(challenger)) = (&proposer, &challenger)
        && proposer.spec() == challenger.spec()
        // The embedded model may argue with itself: each side has its own seed, and it costs nothing.
        && proposer.tool != local::NAME
    {
        return Err(SeatingError::SameSeat(proposer.spec()));
    }
    let proposer = match (proposer, &challenger) {
        (Some(proposer), _) => proposer,
        (None, Some(challenger)) => opponent(challenger, available),
        (None, None) => available.first().cloned().ok_or(SeatingError::NoSeats)?,
    };
    let challenger = challenger.unwrap_or_else(|| opponent(&proposer, available));
    let judge = judge.unwrap_or_else(|| neutral(&proposer, &challenger, available));
    Ok(Seating { proposer, challenger, judge })
}

/// Why the seats that were not named went where they did, in one line.
pub fn why(wanted: &Wanted, seating: &Seating) -> Option<String> {
    let Seating { proposer, challenger, judge } = seating;
    let mut parts = Vec::new();
    if wanted.proposer.is_none() {
        let why = if wanted.challenger.is_some() { against(proposer, challenger) } else { "first available" };
        parts.push(format!("proposer {} ({why})", proposer.spec()));
    }
    if wanted.challenger.is_none() {
        parts.push(format!("challenger {} ({})", challenger.spec(), against(challenger, proposer)));
    }
    if wanted.judge.is_none() {
        let outsider = judge.family != proposer.family && judge.family != challenger.family;
        let why = if outsider { "from a vendor that does not debate" } else { "no other vendor available" };
        parts.push(format!("judge {} ({why})", judge.spec()));
    }
    (!parts.is_empty()).then(|| format!("Auto-selected: {}", parts.join(", ")))
}

/// The order of preference, and every candidate, one line each.
pub fn candidates(available: &[SeatPlan]) -> Vec<String> {
    let order = "order: installed tools, then APIs with a key, then servers that answer, then the embedded model";
    let line = |(place, seat): (usize, &SeatPlan)| {
        let over = if seat.transport.is_empty() { String::new() } else { format!(", over {}", seat.transport) };
        format!("candidate {}: {}, family {}{over}", place + 1, seat.spec(), seat.family)
    };
    std::iter::once(order.to_owned()).chain(available.iter().enumerate().map(line)).collect()
}

/// Why others were skipped, one line each: always those that the user has set up, the rest with `all`.
pub fn not_seated(passed_over: &[PassedOver], all: bool) -> Vec<String> {
    let shown = passed_over.iter().filter(|one| all || one.is_set_up);
    shown.map(|one| format!("skipped: {}", one.why)).collect()
}

fn against(seat: &SeatPlan, other: &SeatPlan) -> &'static str {
    if seat.family != other.family {
        "another vendor than its opponent"
    } else if seat.spec() != other.spec() {
        "no other vendor available"
    } else {
        "no other tool or service available"
    }
}

/// An opponent for `other`: from another family if there is one, then another tool, then the same seat again.
fn opponent(other: &SeatPlan, available: &[SeatPlan]) -> SeatPlan {
    let another_family = available.iter().find(|seat| seat.family != other.family);
    let another = another_family.or_else(|| available.iter().find(|seat| seat.spec() != other.spec()));
    another.unwrap_or(other).clone()
}

/// A judge from a family that does not debate, then the first available, then the proposer itself.
fn neutral(proposer: &SeatPlan, challenger: &SeatPlan, available: &[SeatPlan]) -> SeatPlan {
    let outsider = available.iter().find(|seat| seat.family != proposer.family && seat.family != challenger.family);
    outsider.or_else(|| available.first()).unwrap_or(proposer).clone()
}

/// Further judges, each of a vendor of its own; those that are not debating come first. With every seat named, `available`
/// is empty, and no other vendor gets the debate to read.
pub fn further_judges<'a>(seating: &'a Seating, available: &'a [SeatPlan]) -> Vec<&'a SeatPlan> {
    let Seating { proposer, challenger, judge } = seating;
    let (debating, outside): (Vec<&SeatPlan>, Vec<&SeatPlan>) = (available.iter().chain([challenger, proposer]))
        .partition(|seat| seat.family == proposer.family || seat.family == challenger.family);
    let mut judges: Vec<&SeatPlan> = Vec::new();
    for seat in outside.into_iter().chain(debating) {
        if std::iter::once(&judge).chain(&judges).all(|judge| judge.family != seat.family) {
            judges.push(seat);
        }
    }
    judges
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn further_judges_are_from_other_vendors_and_rather_no_debaters() {
        let [a, b, c, d] = [("a", "x"), ("b", "y"), ("c", "z"), ("d", "w")].map(|(tool, family)| SeatPlan {
            tool: tool.into(),
            family: family.into(),
            ..SeatPlan::default()
        });
        let seating = Seating { proposer: a.clone(), challenger: b.clone(), judge: c.clone() };
        let further = |seating: &Seating, available: &[SeatPlan]| -> String {
            further_judges(seating, available).iter().map(|seat| seat.tool.as_str()).collect()
        };
        assert_eq!(further(&seating, &[a.clone(), b, c.clone(), d]), "dab");
        assert_eq!(further(&seating, &[a.clone(), c]), "ab");
        assert_eq!(further(&seating, &[]), "ba");
        assert_eq!(further(&Seating { proposer: a.clone(), challenger: a.clone(), judge: a }, &[]), "");
    }
}
