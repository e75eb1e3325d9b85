//! The plan of a debate under test: tools that nobody has, and no randomness.

use std::collections::BTreeMap;

use rebut_core::debate::{
    Budget, Chance, DebateId, Effort, EvidenceRules, Payload, PinFacts, Plan, RunOn, Scope, SeatName, SeatPlan, Share, Usage,
};
use rebut_core::formats::cross::{CrossSetup, Kind};
use rebut_core::formats::duel::DuelSetup;
use rebut_core::judging::Rigor;

/// When every debate under test begins.
pub(super) const BEGINNING: &str = "2026-11-15T08:15:03Z";
/// What an answer uses where the script says nothing else.
pub(super) const USAGE: Usage = Usage { input_tokens: Some(1_000), output_tokens: Some(300), cost: None };

/// A duel of so many rounds with one ballot.
pub(crate) fn duel(rounds: u32) -> Plan {
    let seats = [("proposer", "alder"), ("challenger", "birch"), ("judge", "cedar")];
    Plan {
        version: Plan::VERSION,
        id: DebateId::new(BEGINNING.parse().expect("a time"), 0x3fa9),
        parent: None,
        topic: "Should we replace our REST gateway with gRPC?".to_owned(),
        format: "duel".to_owned(),
        setup: Payload::of(DuelSetup::with_one_judge(rounds, Rigor::Quick)),
        seats: seats.into_iter().map(|(name, tool)| (SeatName::new(name), seat(tool))).collect(),
        effort: Effort::High,
        timeout_ms: 240_000,
        context: Vec::new(),
        workspace: "/srv/gateway".to_owned(),
        workspace_readable: true,
        evidence: None,
        budget: Budget::default(),
        verdict_share: Share::default(),
        chance: Chance::from_nonce("0123456789abcdef"),
        prompts: BTreeMap::new(),
        notes: Vec::new(),
    }
}

/// A cross of so many partners and rounds about a question for yes or no.
pub(super) fn cross(partners: u32, rounds: u32) -> Plan {
    const TOOLS: [&str; 8] = ["alder", "birch", "cedar", "dogwood", "elm", "fir", "ginkgo", "hazel"];
    let seats = (1..=partners).zip(TOOLS).map(|(number, tool)| (SeatName::new(format!("partner-{number}")), seat(tool)));
    let setup = CrossSetup {
        kind: Kind::Cross,
        partners,
        rounds,
        gate: false,
        always_debate: false,
        named: false,
        options: vec!["yes".to_owned(), "no".to_owned()],
        opening: None,
    };
    Plan {
        format: "cross".to_owned(),
        setup: Payload::of(setup),
        seats: seats.chain([(SeatName::new("moderator"), seat("maple"))]).collect(),
        ..duel(1)
    }
}

/// That citations are looked up in a workspace of so many files.
pub(crate) fn evidence(files: usize) -> EvidenceRules {
    let pin = PinFacts {
        pack: "0".repeat(64),
        files: files as u64,
        bytes: 0,
        commit: None,
        changed: 0,
        git_failed: None,
        left_out: Vec::new(),
    };
    EvidenceRules { scope: Scope::Pinned(pin), commands: None, run_on: RunOn::default(), fetch_sources: false }
}

/// A seat of this tool.
pub(crate) fn seat(tool: &str) -> SeatPlan {
    SeatPlan {
        enforces_schema: false,
        tier: None,
        tool: tool.to_owned(),
        model: Some(format!("{tool}-large")),
        family: format!("{tool} works"),
        data_goes_to: "nobody".to_owned(),
        reads_workspace: tool == "alder",
        context_tokens: Some(200_000),
        price: None,
        transport: String::new(),
    }
}
