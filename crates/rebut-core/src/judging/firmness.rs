//! How firm a verdict is, counted from the ballots.

use crate::named::named;

named! {
    /// From the weakest to the firmest.
    pub enum Firmness {
        Undecided = "undecided",
        /// There is one ballot, which proves nothing about the next.
        Single = "single",
        /// More than half of the ballots name the same side.
        Leaning = "leaning",
        /// All of them do.
        Firm = "firm",
    }
}

impl Firmness {
    /// The firmness of this many ballots for either side; none where there are none.
    pub fn of(votes: [usize; 2]) -> Option<Self> {
        let [fewer, more] = if votes[0] < votes[1] { votes } else { [votes[1], votes[0]] };
        match (fewer, more) {
            (_, 0) => None,
            (0, 1) => Some(Self::Single),
            (0, _) => Some(Self::Firm),
            (fewer, more) if fewer == more => Some(Self::Undecided),
            _ => Some(Self::Leaning),
        }
    }

    /// The word that a result begins with.
    pub fn heading(self) -> &'static str {
        match self {
            Self::Single => "Single ballot",
            Self::Firm => "Firm",
            Self::Leaning => "Leaning",
            Self::Undecided => "Undecided",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_ballots_make_the_firmness() {
        let table = [
            ([0, 0], None),
            ([1, 0], Some(Firmness::Single)),
            ([2, 0], Some(Firmness::Firm)),
            ([1, 1], Some(Firmness::Undecided)),
            ([5, 1], Some(Firmness::Leaning)),
            ([2, 1], Some(Firmness::Leaning)),
            ([3, 3], Some(Firmness::Undecided)),
            ([6, 0], Some(Firmness::Firm)),
        ];
        for ([one, other], firmness) in table {
            assert_eq!(Firmness::of([one, other]), firmness, "{one}:{other}");
            assert_eq!(Firmness::of([other, one]), firmness, "{other}:{one}");
        }
    }
}
