//! Every format to its end, over services whose model knows nothing but the schema that it is given.

use rebut_fakes::provider::Provider;
use rebut_fakes::{DebateFolder, WHOLE_DEBATES, WholeDebate};

use crate::machine;

/// Holds a debate over three APIs, and gives what was done in it.
async fn hold(debate: &'static WholeDebate) -> Vec<String> {
    let provider = Provider::start().await.unwrap();
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
    let run = tokio::task::block_in_place(|| env.rebut(debate.arguments(&seats))).exits(debate.exit);
    let result = run.json_lines().pop().unwrap();
    let deeds = DebateFolder::of_result(&result).unwrap().deeds();
    let mut tasks: Vec<String> = deeds.unwrap().into_iter().map(|deed| deed.task).collect();
    tasks.dedup();
    tasks
}

/// What a format asks for, its schema and its prompt say: an answer that fits them is accepted at once.
#[tokio::test(flavor = "multi_thread")]
async fn every_format_comes_to_its_end_with_answers_that_fit_its_schemas() {
    let held: Vec<_> = WHOLE_DEBATES.iter().map(|debate| (debate, tokio::spawn(hold(debate)))).collect();
    let mut done = String::new();
    for (debate, held) in held {
        let tasks = held.await.unwrap().join(", ");
        done.push_str(&format!("{}, {}: {tasks}\n", debate.format, debate.about));
    }
    insta::assert_snapshot!(done);
}
