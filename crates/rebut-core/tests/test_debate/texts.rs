//! What the seats of a debate under test say: answers that fit their calls, and some that do not.

use serde_json::{Value, json};

/// The concession that the proposer makes in its second statement.
pub(crate) const CONCESSION: &str = "I concede that browsers need a proxy in front of it.";

/// The first words of the statement of a key, which stand in no other one.
pub(crate) fn first_words(key: &str) -> &'static str {
    let text = STATEMENTS.iter().find(|(known, _)| *known == key).map_or("", |(_, text)| text);
    text.split_once('.').map_or(text, |(first, _)| first)
}

/// An answer that is accepted, for the call of this key.
pub(crate) fn fitting(key: &str) -> String {
    if key.starts_with("verdict") {
        return verdict().to_string();
    }
    if key.starts_with("synthesis") {
        return synthesis("partial").to_string();
    }
    if key.starts_with("comparison") {
        return comparison().to_string();
    }
    if let Some((round, number)) = key.strip_prefix("round-").and_then(|rest| rest.split_once("/partner-")) {
        // Everybody but the second partner says yes, and nobody moves.
        let position = if number.starts_with('2') { "no" } else { "yes" };
        return stance(round, number, position);
    }
    if key.ends_with("/summary") {
        return SUMMARY.to_owned();
    }
    let statement = STATEMENTS.iter().find(|(known, _)| *known == key);
    statement.map_or_else(|| panic!("no text for `{key}`"), |(_, text)| (*text).to_owned())
}

/// A verdict that keeps every rule, on a debate of at least one round.
pub(crate) fn verdict() -> Value {
    json!({
        "winner": "challenger",
        "reasoning": "The gain was shown for two routes only, and the cost of a second protocol for all of them.",
        "decisive": [
            {"statement": "round-1/challenger", "argument": "Two routes carry 80 % of the encoding cost."},
            {"statement": "round-1/proposer", "argument": "The measurement covers the gateway alone."}
        ],
        "quality": {"genuine_disagreement": "high", "evidence_quality": "high", "challenge_depth": "medium"},
        "agreements": [{"point": "JSON encoding dominates the CPU time", "evidence": "both rest on the same profile"}],
        "disagreements": [{"point": "one protocol or two", "proposer": "two for a year", "challenger": "one"}],
        "unsupported": [{"statement": "round-1/proposer", "claim": "Teams will like the generated clients"}],
        "unresolved": ["What the mobile clients would gain was never measured."],
        "recommendation": "Keep REST, cache the two hot routes, and measure again in a quarter."
    })
}

/// An answer of a partner that can be told from every other.
pub(crate) fn stance(round: &str, number: &str, position: &str) -> String {
    let critique = if round == "0" { String::new() } else { format!("Critique {number} in round {round}.\n\n--- answer\n") };
    format!(
        "{critique}Answer {number} of round {round}.\n\n--- claims\nclaim: Claim {number} of round {round}\nevidence: none\n\
         --- position\nposition: {position}\nconfidence: 70\n"
    )
}

/// A synthesis that keeps every rule, and reports so much agreement.
pub(crate) fn synthesis(agreement: &str) -> Value {
    json!({
        "moved": [
            {"kind": "held", "partners": ["Partner A"], "text": "Partner A held its ground on cost."},
            {"kind": "differ", "partners": ["Partner A", "Partner B"], "text": "They differ on the proxy."}
        ],
        "synthesis": "Keep REST where Partner B measured it, and cache the two hot routes.",
        "disagreements": ["Whether the proxy is worth its cost."],
        "agreement": agreement
    })
}

/// A comparison that keeps every rule.
pub(crate) fn comparison() -> Value {
    json!({
        "points": [
            {"kind": "agree", "partners": ["Partner A", "Partner B"], "text": "Both measured the gateway."},
            {"kind": "differ", "partners": ["Partner A", "Partner B"], "text": "They differ on what follows."}
        ],
        "agreement": "partial"
    })
}

/// A verdict that does not choose.
pub(crate) fn verdict_on_the_fence() -> String {
    let mut verdict = verdict();
    verdict["recommendation"] = json!("Both approaches have merit.");
    verdict.to_string()
}

/// A verdict for a side, with an argument of one statement as the first decisive one.
pub(crate) fn verdict_on(winner: &str, statement: &str, argument: &str) -> String {
    let mut verdict = verdict();
    verdict["winner"] = json!(winner);
    verdict["decisive"][0] = json!({"statement": statement, "argument": argument});
    verdict.to_string()
}

/// A statement that holds nothing but its list of claims.
pub(crate) const NO_PROSE: &str = "--- claims\nclaim: gRPC is faster\nevidence: none\n";

const SUMMARY: &str = "\
The proposer wants gRPC between gateway and services and rests on bench/gateway.md:12-20. The challenger wants REST \
with a cache on the two hot routes and rests on config/routes.yaml:40-55.

Both agree that JSON encoding dominates the gateway's CPU time (bench/gateway.md:12-20). Open: whether the gain outside \
the two hot routes pays for a second protocol.";

const STATEMENTS: [(&str, &str); 10] = [
    (
        "round-1/proposer",
        "Replace it. JSON encoding takes 41 % of the gateway's CPU time (`bench/gateway.md:12-20`: \"encode 41.2 %\"), and \
protobuf takes 6 % on the same load.

Clients already generate their code from a schema (`clients/Makefile:8`), so the change reaches them as a rebuild.

--- claims
claim: JSON encoding takes 41 % of the gateway's CPU time
evidence: bench/gateway.md:12-20
claim: Teams will like the generated clients
evidence: none
",
    ),
    (
        "round-1/challenger",
        "The opening measures the gateway and leaves out its clients. Browsers cannot speak gRPC without a proxy \
(gRPC-Web documentation, \"Basics\"), and two routes carry 80 % of the encoding cost (`config/routes.yaml:40-55`).

Alternative: cache these two routes. That teams will like the clients is unsupported.

--- claims
claim: Two routes carry 80 % of the encoding cost
evidence: config/routes.yaml:40-55
",
    ),
    (
        "round-2/proposer",
        "On the browsers: I concede that browsers need a proxy in front of it. The position changes to gRPC behind the \
edge and gRPC-Web at the edge.

On the cache: its hit rate is 12 % on these routes (`ops/cache.log:88`), so it saves little.

--- claims
claim: The hit rate on the hot routes is 12 %
evidence: ops/cache.log:88
concede: \"I concede that browsers need a proxy in front of it.\"
",
    ),
    (
        "round-2/challenger",
        "The proxy that is now conceded costs a hop on every call from a browser, and nobody has measured it. The hit rate \
of 12 % is from before the key was fixed (`ops/cache.log:140`, \"hit 64 %\").

--- claims
claim: The hit rate is 64 % since the key was fixed
evidence: ops/cache.log:140
",
    ),
    (
        "round-3/proposer",
        "The 64 % were measured at night (`ops/cache.log:139`, \"window 02:00-04:00\"), when no writes happen. I concede \
that the hop of the proxy is unmeasured.

--- claims
claim: The later hit rate comes from a window without writes
evidence: ops/cache.log:139
concede: \"I concede that the hop of the proxy is unmeasured.\"
",
    ),
    (
        "round-3/challenger",
        "An unmeasured hop cannot be weighed against a measured cache. By day the rate is 51 % (`ops/cache.log:152`), which \
still removes most of the encoding.

--- claims
claim: By day the hit rate is 51 %
evidence: ops/cache.log:152
",
    ),
    (
        "round-4/proposer",
        "At 51 % the cache leaves half of the cost, and gRPC leaves an eighth of it (`bench/gateway.md:31`).

--- claims
claim: gRPC leaves an eighth of the encoding cost
evidence: bench/gateway.md:31
",
    ),
    (
        "round-4/challenger",
        "That eighth counts the gateway without its proxy (`bench/gateway.md:29`, \"edge excluded\").

--- claims
claim: The benchmark leaves the edge out
evidence: bench/gateway.md:29
",
    ),
    (
        "round-5/proposer",
        "Between services there is no edge, and 70 % of the calls are of that kind (`ops/traffic.csv:3`).

--- claims
claim: 70 % of the calls never meet the edge
evidence: ops/traffic.csv:3
",
    ),
    (
        "round-5/challenger",
        "Those calls bypass the gateway already (`config/mesh.yaml:12`), so they are no reason to replace it.

--- claims
claim: Calls between services bypass the gateway
evidence: config/mesh.yaml:12
",
    ),
];
