//! What a command line asks of a debate, as far as whoever passes it on must know before it is run.

use std::path::PathBuf;

use rebut_engine::providers::SeatSpec;

use crate::terms::Terms;

/// What is asked of a debate.
#[derive(Debug, Default)]
pub(crate) struct Asked {
    /// Whether there are words for what is debated.
    pub(crate) has_topic: bool,
    /// Whether it ends by itself or leaves the debate to a worker: no flag for that is missing.
    pub(crate) ends_soon: bool,
    /// Whether a lineup is taken without asking.
    pub(crate) takes_lineup: bool,
    /// As they are named, by flags or in the wording of the topic.
    seats: Vec<String>,
    files: Vec<PathBuf>,
}

impl Asked {
    pub(crate) fn of(has_topic: bool, terms: &Terms) -> Self {
        Self { has_topic, ends_soon: terms.detach || terms.dry_run, ..Self::default() }
    }

    /// The same with seats as they were named.
    pub(crate) fn seats<'s>(mut self, seats: impl IntoIterator<Item = &'s String>) -> Self {
        self.seats.extend(seats.into_iter().cloned());
        self
    }

    /// The same with files.
    pub(crate) fn files(mut self, files: impl IntoIterator<Item = PathBuf>) -> Self {
        self.files.extend(files);
        self
    }

    /// The same with what goes into every prompt.
    pub(crate) fn context(self, context: &[String]) -> Self {
        self.files(context.iter().filter_map(|what| what.strip_prefix("file=")).map(PathBuf::from))
    }

    /// Every file that is named, that of a seat included.
    pub(crate) fn every_file(&self) -> Vec<PathBuf> {
        // One seat, or several with commas between them: as a name has commas too, each is looked at both ways.
        let each = self.seats.iter().flat_map(|seats| std::iter::once(seats.as_str()).chain(seats.split(',')));
        let of_seats = each.filter_map(|seat| {
            let spec = SeatSpec::parse(seat.trim()).ok()?;
            spec.file().map(PathBuf::from)
        });
        self.files.iter().cloned().chain(of_seats).collect()
    }
}
