use super::*;

fn told(sentence: &str) -> String {
    ids_given_up(sentence).iter().map(ClaimId::as_str).collect::<Vec<_>>().join(" ")
}

#[test]
fn a_claim_is_given_up_by_its_id_in_many_words() {
    for sentence in [
        "I concede the TLS point (P1.1).",
        "I concede the TLS claim (P1.1): `verify_peer` returns true.",
        "I concede the TLS point P1.1.",
        "I concede: P1.1 is right.",
        "Conceded: P1.1.",
        "Concession: P1.1 is correct.",
        "**Concession:** I concede P1.1.",
        "I concede that P1.1 stands.",
        "I concede that P1.1 is accurate.",
        "I concede that P1.1 is well supported.",
        "I concede that P1.1 is verified by src/net/tls.rs:12.",
        "I concede P1.1 is factually correct.",
        "I concede that P1.1 is a real problem.",
        "I concede that TLS is a stub, as P1.1 says.",
        "I concede that TLS is a stub (P1.1).",
        "I concede P1.1 without reservation.",
        "You\u{2019}re right (P1.1).",
        "You are right: P1.1 is correct.",
        "I was wrong about P1.1.",
        "I was wrong to reject P1.1.",
        "I withdraw my attack on P1.1.",
        "I no longer contest P1.1.",
        "P1.1: I concede.",
        "P1.1 \u{2014} conceded.",
        "On P1.1, I concede.",
        "As for P1.1, you are right.",
        "I concede that the proposer is right about P1.1.",
        "I concede P1.1's point.",
        "I'll concede P1.1.",
        "We\u{2019}ll concede P1.1.",
        "I concede the point made in P1.1.",
        "I concede what P1.1 says.",
        "I concede that TLS is a stub, which is P1.1.",
        "P1.1 is correct, and I concede it.",
        "P1.1 is conceded.",
        "**P1.1 (conceded):** TLS is a stub.",
        "Concession (P1.1): TLS is a stub.",
        "My attack on P1.1 was wrong.",
        "I accept P1.1 as proven.",
        "While I concede P1.1, P1.2 is false.",
        "I concede that C1.1 was wrong and that P1.1 is right.",
    ] {
        assert_eq!(super::super::spoken_in(sentence).len(), 1, "{sentence}");
        assert_eq!(told(sentence), "P1.1", "{sentence}");
    }
    for sentence in [
        "I concede the following: P1.1 and P1.2.",
        "I concede P1.1/P1.2.",
        "I concede that P1.1 and P1.2 are both correct.",
        "I concede P1.1; I also accept that P1.2 is right.",
        "I concede P1.1 and withdraw my objection to P1.2.",
        "I concede the lock (P1.1) and the timeout (P1.2), but not the cache (P1.3).",
    ] {
        assert_eq!(told(sentence), "P1.1 P1.2", "{sentence}");
    }
}

#[test]
fn a_claim_with_a_verb_of_its_own_against_it_is_not() {
    for sentence in [
        "I concede P1.2 and reject P1.1.",
        "I concede P1.2 and maintain my attack on P1.1.",
        "I concede P1.2, and I still dispute P1.1.",
        "I concede P1.2, and P1.1 collapses.",
        "I concede P1.2, and P1.1 was refuted.",
        "I concede P1.2, P1.1 does not follow.",
        "I concede P1.2, which contradicts P1.1.",
        "I concede P1.2 \u{2014} P1.1 collapses under it.",
        "I concede P1.2, leaving P1.1 in dispute.",
        "I concede P1.2 because P1.1 is false.",
        "I concede P1.2 (P1.1 fails).",
        "I was wrong to call P1.2 false, and right to attack P1.1.",
        "I concede P1.2; as to P1.1, I do not.",
        "I concede P1.2, and as for P1.1, it is false.",
    ] {
        assert_eq!(told(sentence), "P1.2", "{sentence}");
    }
    for sentence in [
        "I concede that the pool leaks, and P1.1 has no evidence.",
        "I concede that the pool leaks, and dispute P1.1.",
        "I was wrong about the pool, and P1.1 was wrong too.",
        "I concede every point other than P1.1.",
        "I concede all of it apart from P1.1.",
        "I concede that my reading of P1.1 was too harsh.",
        "I concede that I misread P1.1.",
        "I concede that P1.1 cites a real line; the inference fails.",
        "I concede that the evidence of P1.1 exists.",
        "I concede that P1.1 is debatable.",
        "I concede that P1.1 might be right.",
        "I concede P1.1 in part.",
        "On P1.1, I concede a part of it.",
        "I concede P1.1 if src/net/tls.rs:12 is the shipped file.",
    ] {
        assert_eq!(told(sentence), "", "{sentence}");
    }
}

#[test]
fn only_who_calls_a_claim_false_has_it_against_it() {
    for sentence in
        ["P1.1 is false after all.", "Contrary to what I conceded, P1.1 is false.", "So P1.2 holds, and P1.1 fails."]
    {
        assert_eq!(ids_called_false(sentence).len(), 1, "{sentence}");
    }
    for sentence in ["P1.1 is not false.", "P1.1 is not decisive.", "P1.1 does not matter here.", "P1.1 is partly wrong."] {
        assert_eq!(ids_called_false(sentence).len(), 0, "{sentence}");
    }
}
