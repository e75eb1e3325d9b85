//! `rebut ask`

use std::ffi::OsString;

use clap::Args;
use rebut_core::formats::cross::Kind;

use crate::asked::Asked;
use crate::asking::{Asking, Wish, read_question};
use crate::desk::Desk;
use crate::error::{CommandError, Exit};

/// Several tools answer one question at once, shown side by side with where they agree and differ
#[derive(Debug, Args)]
#[command(after_long_help = EXAMPLES)]
pub(crate) struct Ask {
    /// What is asked, or `-` to read it from standard input
    #[arg(value_name = "QUESTION")]
    question: Vec<OsString>,
    #[command(flatten)]
    asking: Asking,
}

const EXAMPLES: &str = "\
Examples:
  rebut ask \"How should we version our API?\" --partners claude,codex,gemini
  rebut ask \"Should we ship on Friday?\" --options yes,no,after-the-audit
  git diff | rebut ask - --partners 3
  rebut cross --from last       have the partners critique each other's answers

Exit codes: 0 all answered and compared, 1 nobody answered, 2 usage, 3 a voice or the comparison is
missing, 130 cancelled";

impl Ask {
    pub(crate) fn asked(&self) -> Asked {
        self.asking.asked(&self.question)
    }

    pub(crate) fn run(self, mut desk: Desk) -> Result<Exit, CommandError> {
        let question = read_question(&mut desk, &self.question, Kind::Ask)?;
        self.asking.set_flags(&mut desk)?;
        let wish = Wish { kind: Kind::Ask, question, gate: false, always_debate: false, named: false, from: None };
        self.asking.hold(&desk, wish)
    }
}
