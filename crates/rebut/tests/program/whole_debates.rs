//! Every format run to its end over services whose model knows only the schema it is given.

use std::fmt::Write as _;

use rebut_fakes::provider::Provider;
use rebut_fakes::{WHOLE_DEBATES, WholeDebate};

use crate::machine;

/// Runs a debate over three APIs and returns the calls that were answered in it, none of which had to be asked again.
fn run(debate: &'static WholeDebate) -> Vec<String> {
    let provider = Provider::start();
    let env = machine()
        .set("ANTHROPIC_BASE_URL", provider.base("ok"))
        .set("ANTHROPIC_API_KEY", "not-a-real-key")
        .set("OPENAI_BASE_URL", provider.base("ok") + "/v1")
        .set("OPENAI_API_KEY", "not-a-real-key")
        .set("GOOGLE_GEMINI_BASE_URL", provider.base("ok"))
        .set("GEMINI_API_KEY", "not-a-real-key");
    env.install("git");
    let vendors = ["anthropic", "openai", "google"].map(str::to_owned);
    let seats: Vec<String> = vendors.into_iter().cycle().take(debate.seats()).collect();
    debate.prepare(&env.workspace(), &seats, &provider);
    let _ = env.rebut(debate.arguments(&seats)).exits(debate.exit);
    for kind in ["failed", "rejected", "retrying", "abandoned"] {
        let wrong: Vec<_> = env.debate().of_kind(kind).into_iter().map(|line| line.happening).collect();
        assert!(wrong.is_empty(), "{}: {wrong:?}", debate.about);
    }
    env.debate().answers().into_keys().collect()
}

/// Schema and prompt say everything a format asks for: an answer that fits them is accepted the first time.
#[test]
fn every_format_finishes_with_answers_that_fit_its_schemas() {
    let running: Vec<_> = WHOLE_DEBATES.iter().map(|debate| (debate, std::thread::spawn(|| run(debate)))).collect();
    let mut done = String::new();
    for (debate, running) in running {
        let calls = running.join().unwrap().join(", ");
        writeln!(done, "{}, {}: {calls}", debate.format, debate.about).unwrap();
    }
    insta::assert_snapshot!(done);
}
