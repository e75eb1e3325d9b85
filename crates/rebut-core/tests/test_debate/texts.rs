//! What the seats of a debate under test say: answers that fit their calls, and some that do not.

use rebut_core::debate::StepKey;
use rebut_core::formats::duel::{self, Leg};
use serde_json::{Value, json};

/// The concession that the proposer makes in its second statement.
pub(crate) const CONCESSION: &str = "I concede that browsers need a proxy in front of it.";

/// The first words of the statement of a key, which stand in no other one.
pub(crate) fn first_words(key: &str) -> &'static str {
    let text = STATEMENTS.iter().find(|(known, ..)| *known == key).map_or("", |(_, text, _)| text);
    text.split_once('.').map_or(text, |(first, _)| first)
}

/// An answer that is accepted, for the call of this key.
pub(crate) fn fitting(key: &str) -> String {
    if let Some(key) = key.strip_prefix("exchange/") {
        return fitting(key).replace("\"P", "\"Q").replace("\"C", "\"D");
    }
    if key.contains("/closing/") {
        return format!("{} closes: the measurements decide it.", key.rsplit('/').next().unwrap_or_default());
    }
    if key.starts_with("verdict") {
        return if key.ends_with("/2") { exchanged(&verdict()) } else { verdict() }.to_string();
    }
    if key.starts_with("synthesis") {
        return synthesis().to_string();
    }
    if key.starts_with("comparison") {
        return comparison().to_string();
    }
    if let Some((round, number)) = key.strip_prefix("round-").and_then(|rest| rest.split_once("/partner-")) {
        // Everybody but the second partner says yes, and nobody moves.
        let position = if number.starts_with('2') { "no" } else { "yes" };
        if number.ends_with("/claims") {
            return stance_block(round, number, position).to_string();
        }
        return stance(round, number, position);
    }
    if key.ends_with("/claims") {
        return r#"{"position": "Keep it.", "claims": [], "concedes": []}"#.to_owned();
    }
    if key.ends_with("/summary") {
        return SUMMARY.to_owned();
    }
    let statement = STATEMENTS.iter().find(|(known, ..)| *known == key);
    statement.map_or_else(|| panic!("no text for `{key}`"), |(_, text, block)| with_block(text, block))
}

/// A statement of this prose that ends with this block.
pub(crate) fn with_block(prose: &str, block: &str) -> String {
    format!("{prose}\n\n```json\n{block}\n```\n")
}

/// The same verdict on a ballot with the labels exchanged.
pub(crate) fn exchanged(verdict: &Value) -> Value {
    let text = verdict.to_string().replace("\"A1", "\"@1").replace("\"B1", "\"A1").replace("\"@1", "\"B1");
    let mut verdict: Value = serde_json::from_str(&text).expect("JSON");
    verdict["winner"] = json!(if verdict["winner"] == "A" { "B" } else { "A" });
    verdict
}

/// The key of the first ballot of a sitting.
pub(crate) fn verdict_key(sitting: u32) -> StepKey {
    Leg::First.ballot_key(sitting, &duel::judge_seat(1), 1)
}

/// A verdict that keeps every rule, on a debate of at least one round.
pub(crate) fn verdict() -> Value {
    json!({
        "winner": "B",
        "reasoning": "The gain was shown for two routes only, and the cost of a second protocol for all of them.",
        "decisive": [
            {"ref": "B1", "why": "Two routes carry 80 % of the encoding cost."},
            {"ref": "A1", "why": "The measurement covers the gateway alone."}
        ],
        "quality": {"genuine_disagreement": "high", "evidence_quality": "high", "challenge_depth": "medium"},
        "agreements": [{"point": "JSON encoding dominates the CPU time", "claims": []}],
        "disagreements": [{"point": "one protocol or two", "a": "two for a year", "b": "one"}],
        "unresolved": ["What the mobile clients would gain was never measured."],
        "recommendation": "Keep REST, cache the two hot routes, and measure again in a quarter."
    })
}

/// An answer of a partner that can be told from every other; it says that it did not move.
pub(crate) fn stance(round: &str, number: &str, position: &str) -> String {
    let critique = if round == "0" { String::new() } else { format!("Critique {number} in round {round}.\n\n") };
    let block = stance_block(round, number, position);
    with_block(&format!("{critique}Answer {number} of round {round}."), &block.to_string())
}

/// An answer that moves to this position because of these claims.
pub(crate) fn moved(round: &str, number: &str, position: &str, because: &[&str]) -> String {
    let mut block = stance_block(round, number, position);
    block["moved"] = json!("yes");
    block["because"] = json!(because);
    with_block(&format!("Answer {number} of round {round}."), &block.to_string())
}

fn stance_block(round: &str, number: &str, position: &str) -> Value {
    let mut block =
        json!({"position": position, "claims": [{"text": format!("Claim {number} of round {round}"), "evidence": []}]});
    if round != "0" {
        block["moved"] = json!("no");
    }
    block
}

/// A synthesis that keeps every rule.
pub(crate) fn synthesis() -> Value {
    json!({
        "points": [
            {"kind": "agree", "partners": ["Partner A", "Partner B"], "claims": [], "text": "Both measured the gateway."},
            {"kind": "differ", "partners": ["Partner A", "Partner B"], "claims": [], "text": "They differ on the proxy."}
        ],
        "synthesis": "Keep REST where Partner B measured it, and cache the two hot routes."
    })
}

/// A synthesis in which the partners agree on everything that is named.
pub(crate) fn agreed() -> Value {
    let mut synthesis = synthesis();
    synthesis["points"][1]["kind"] = json!("agree");
    synthesis
}

/// A comparison that keeps every rule.
pub(crate) fn comparison() -> Value {
    json!({ "points": synthesis()["points"] })
}

/// A verdict that names no winner.
pub(crate) fn verdict_without_winner() -> String {
    let mut verdict = verdict();
    verdict["winner"] = json!("both");
    verdict.to_string()
}

/// A verdict for a side that is decided by this claim or statement first.
pub(crate) fn verdict_on(winner: &str, decisive: &str) -> String {
    let mut verdict = verdict();
    verdict["winner"] = json!(if winner == "proposer" { "A" } else { "B" });
    verdict["decisive"][0] = json!({"ref": decisive.replace('P', "A").replace('C', "B"), "why": "It decides."});
    verdict["decisive"][1]["ref"] = json!(if decisive == "P1" { "B1" } else { "A1" });
    verdict.to_string()
}

/// A statement that is nothing but its block.
pub(crate) const NO_PROSE: &str = "```json\n{\"claims\": [{\"text\": \"gRPC is faster\"}]}\n```";

const SUMMARY: &str = "\
P wants gRPC between gateway and services and rests on bench/gateway.md:12-20. C wants REST \
with a cache on the two hot routes and rests on config/routes.yaml:40-55.

Both agree that JSON encoding dominates the gateway's CPU time (bench/gateway.md:12-20). Open: whether the gain outside \
the two hot routes pays for a second protocol.";

/// The statements by key: their prose and their block.
const STATEMENTS: [(&str, &str, &str); 10] = [
    (
        "round-1/proposer",
        "Replace it. JSON encoding takes 41 % of the gateway's CPU time (`bench/gateway.md:12-20`: \"encode 41.2 %\"), and \
protobuf takes 6 % on the same load.

Clients already generate their code from a schema (`clients/Makefile:8`), so the change reaches them as a rebuild.",
        r#"{"claims": [{"text": "JSON encoding takes 41 % of the gateway's CPU time", "evidence": [{"file": "bench/gateway.md", "lines": "12-20"}]}, {"text": "Teams will like the generated clients"}]}"#,
    ),
    (
        "round-1/challenger",
        "The opening measures the gateway and leaves out its clients. Browsers cannot speak gRPC without a proxy \
(gRPC-Web documentation, \"Basics\"), and two routes carry 80 % of the encoding cost (`config/routes.yaml:40-55`).

Alternative: cache these two routes. That teams will like the clients is unsupported.",
        r#"{"claims": [{"text": "Two routes carry 80 % of the encoding cost", "evidence": [{"file": "config/routes.yaml", "lines": "40-55"}]}]}"#,
    ),
    (
        "round-2/proposer",
        "On the browsers: I concede that browsers need a proxy in front of it. The position changes to gRPC behind the \
edge and gRPC-Web at the edge.

On the cache: its hit rate is 12 % on these routes (`ops/cache.log:88`), so it saves little.",
        r#"{"claims": [{"text": "The hit rate on the hot routes is 12 %", "evidence": [{"file": "ops/cache.log", "lines": "88"}]}], "concedes": [{"claim": "C1.1", "words": "I concede that browsers need a proxy in front of it."}]}"#,
    ),
    (
        "round-2/challenger",
        "The proxy that is now conceded costs a hop on every call from a browser, and nobody has measured it. The hit rate \
of 12 % is from before the key was fixed (`ops/cache.log:140`, \"hit 64 %\").",
        r#"{"claims": [{"text": "The hit rate is 64 % since the key was fixed", "evidence": [{"file": "ops/cache.log", "lines": "140"}]}]}"#,
    ),
    (
        "round-3/proposer",
        "The 64 % were measured at night (`ops/cache.log:139`, \"window 02:00-04:00\"), when no writes happen. I concede \
that the hop of the proxy is unmeasured.",
        r#"{"claims": [{"text": "The later hit rate comes from a window without writes", "evidence": [{"file": "ops/cache.log", "lines": "139"}]}], "concedes": [{"claim": "C2.1", "words": "I concede that the hop of the proxy is unmeasured."}]}"#,
    ),
    (
        "round-3/challenger",
        "An unmeasured hop cannot be weighed against a measured cache. By day the rate is 51 % (`ops/cache.log:152`), which \
still removes most of the encoding.",
        r#"{"claims": [{"text": "By day the hit rate is 51 %", "evidence": [{"file": "ops/cache.log", "lines": "152"}]}]}"#,
    ),
    (
        "round-4/proposer",
        "At 51 % the cache leaves half of the cost, and gRPC leaves an eighth of it (`bench/gateway.md:31`).",
        r#"{"claims": [{"text": "gRPC leaves an eighth of the encoding cost", "evidence": [{"file": "bench/gateway.md", "lines": "31"}]}]}"#,
    ),
    (
        "round-4/challenger",
        "That eighth counts the gateway without its proxy (`bench/gateway.md:29`, \"edge excluded\").",
        r#"{"claims": [{"text": "The benchmark leaves the edge out", "evidence": [{"file": "bench/gateway.md", "lines": "29"}]}]}"#,
    ),
    (
        "round-5/proposer",
        "Between services there is no edge, and 70 % of the calls are of that kind (`ops/traffic.csv:3`).",
        r#"{"claims": [{"text": "70 % of the calls never meet the edge", "evidence": [{"file": "ops/traffic.csv", "lines": "3"}]}]}"#,
    ),
    (
        "round-5/challenger",
        "Those calls bypass the gateway already (`config/mesh.yaml:12`), so they are no reason to replace it.",
        r#"{"claims": [{"text": "Calls between services bypass the gateway", "evidence": [{"file": "config/mesh.yaml", "lines": "12"}]}]}"#,
    ),
];
