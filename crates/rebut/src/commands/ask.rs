//! `rebut ask`

use std::ffi::OsString;

use clap::Args;
use rebut_core::formats::cross::Kind;

use crate::asking::{Asking, Wish, read_question};
use crate::desk::Desk;
use crate::error::CommandError;
use crate::starting::{Prepared, StartsDebate, understood};
use crate::terms::Terms;

/// Ask several tools one question and compare their answers
#[derive(Debug, Args)]
#[command(after_long_help = EXAMPLES)]
pub(crate) struct Ask {
    /// The question, or `-` to read it from standard input
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

Exit codes: 0 complete, 1 no answer, 2 usage, 3 an answer or the comparison is missing,
130 cancelled";

impl StartsDebate for Ask {
    fn terms(&self) -> &Terms {
        self.asking.terms()
    }

    fn prepare(&self, desk: &mut Desk) -> Result<Prepared, CommandError> {
        let request = read_question(desk, &self.question, Kind::Ask)?;
        self.asking.set_flags(desk)?;
        let understood = understood(&request);
        let (kind, question) = (Kind::Ask, request.topic);
        let wish = Wish { kind, question, gate: false, always_debate: false, named: false, from: None, understood };
        self.asking.prepare(desk, wish)
    }
}
