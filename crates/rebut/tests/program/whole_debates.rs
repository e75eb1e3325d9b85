//! Every format run to its end over services whose model knows only the schema it is given.

use std::fmt::Write as _;

use rebut_fakes::provider::Provider;
use rebut_fakes::{DebateFolder, WHOLE_DEBATES, WholeDebate};

use crate::machine;

/// Runs a debate over three APIs and returns the roles that were seen in it.
async fn run(debate: &'static WholeDebate) -> Vec<String> {
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
    let ended = tokio::task::block_in_place(|| env.rebut(debate.arguments(&seats))).exits(debate.exit);
    let result = ended.json_lines().pop().unwrap();
    let seen = DebateFolder::of_result(&result, &env.state()).unwrap().roles_seen().unwrap();
    let mut roles: Vec<String> = seen.into_iter().map(|seen| seen.role).collect();
    roles.dedup();
    roles
}

/// Schema and prompt say everything a format asks for: an answer that fits them is accepted the first time.
#[tokio::test(flavor = "multi_thread")]
async fn every_format_finishes_with_answers_that_fit_its_schemas() {
    let running: Vec<_> = WHOLE_DEBATES.iter().map(|debate| (debate, tokio::spawn(run(debate)))).collect();
    let mut done = String::new();
    for (debate, running) in running {
        let roles = running.await.unwrap().join(", ");
        writeln!(done, "{}, {}: {roles}", debate.format, debate.about).unwrap();
    }
    insta::assert_snapshot!(done);
}
