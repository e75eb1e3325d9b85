//! What calls a place false, and what only speaks of a bug at it. `X` stands for the place.

use super::*;

mod giving_up;

const PLACE: &str = "src/auth/token.rs:10";

fn doubted(text: &str) -> bool {
    doubted_by(text, Hand::Unknown)
}

fn doubted_by(text: &str, hand: Hand<'_>) -> bool {
    let text = text.replace('X', PLACE);
    let at = text.find(PLACE).unwrap();
    is_doubted(&text, at..at + PLACE.len(), hand)
}

/// What a judge says of a place that the challenger cited.
fn judged(text: &str) -> bool {
    doubted_by(text, Hand::CitedBy(&["challenger"]))
}

/// What somebody says of an own citation.
fn taken_back(text: &str) -> bool {
    doubted_by(text, Hand::OfSpeaker)
}

#[test]
fn a_bug_at_a_place_is_no_doubt_of_the_place() {
    for text in [
        "API keys are exposed at X.",
        "X exposes the API keys.",
        "X returns false when the key is valid.",
        "A null check is missing in X.",
        "A null check is missing at X.",
        "The null check is missing in X.",
        "X does not hold the lock.",
        "The exception is caught and dropped at X.",
        "X trusts unverified input.",
        "X answers with 404 not found for valid keys.",
        "X reads out of range.",
        "The default in X is wrong.",
        "X logs keys that should nowhere be logged.",
        "There is no such check in X.",
        "X doesn't say why it logs keys, and that is decisive.",
        "X assumes falsely that the key is public.",
        "X writes past the end of the buffer.",
        "X is plainly insecure.",
        "X exposes the key.",
        "X shows that the check which failed is the wrong one.",
        "The wait is not bounded, and nothing that exists helps: X shows it.",
        "It is false. Then X drops the lock.",
    ] {
        assert!(!doubted(text), "{text}");
    }
}

#[test]
fn words_of_code_review_are_no_doubts() {
    for text in [
        "X leaves the token unverified.",
        "X never checks whether the file exists.",
        "X does not check that the key exists.",
        "X fails when the file is missing.",
        "X returns a false positive.",
        "The handler at X is broken and the default is wrong.",
        "X invents a session id for every call.",
        "X hides the error, so the failure is nowhere logged.",
        "No lock is held at X.",
        "There is no null check in X.",
        "There is no test for X.",
        "X is missing a bounds check.",
        "The lock is missing at X, which decides the case.",
        "X discards the exposed key.",
        "X is a bogus check that lets everybody in.",
        "X is wrong about the expiry.",
        "X ignores a missing file.",
        "The fake key at X is logged.",
        "X makes up a key when none is given.",
        "The key that X reads does not exist.",
        "X passes unverified tokens to the fictitious user.",
        "X rejects valid tokens as invalid.",
        "X disregards the header.",
        "The header is disregarded at X.",
        "A false result is returned by X.",
        "X refutes the challenger's claim that the file is missing.",
        "X disproves the claim.",
        "X struck the challenger's case.",
        "Evidence of the leak is X, and the challenger's citation is false.",
        "X is out of range of the lock's protection.",
        "X writes to a file that does not exist.",
        "X is exposed to the network.",
        "X was caught leaking keys.",
        "The quote check in X is false for empty input.",
        "The evidence at X shows that keys are exposed.",
        "The citation X shows that the null check is missing.",
        "The file X has no lock.",
        "X falsely reports success.",
        "X lacks a null check.",
        "X fails the check for expired keys.",
        "X is where verification failed.",
        "X leaks keys, and the file is missing a lock.",
        "The missing lock at X decides.",
        "The missing check (X) decides.",
        "The null check in the file is missing (X).",
        "Keys leak: X.",
        "X's default is false.",
        "There is no evidence in X that the lock is held.",
        "X is false for expired keys, so everybody gets in.",
        "The claim at stake is decided by X.",
        "The bug is real: X returns early, and no such check follows.",
        "X opens the log, but the file does not exist.",
        "The session id is invented (X).",
        "The check is fake: X.",
        "It opens a bogus file (X).",
        "The lock at X is missing.",
        "The null check in X is missing.",
        "The null check in the file X is missing.",
        "The return value of X is false.",
        "The key read from X does not exist.",
        "The handle opened by X is invented.",
    ] {
        assert!(!doubted(text), "{text}");
    }
}

#[test]
fn a_doubt_that_is_denied_is_none() {
    for text in [
        "The other side has not shown that X is false.",
        "The challenger never refuted X.",
        "X was never refuted.",
        "Nobody has shown that X is invented.",
        "The challenger wrongly calls X invented.",
        "X is not invented; it logs the keys.",
        "X is neither invented nor misquoted.",
        "The claim that X leaks is not refuted.",
        "The challenger did not disprove X.",
        "The challenger failed to show that X does not exist.",
        "It is not true that X does not exist.",
        "The challenger's objection that X does not exist is unconvincing.",
        "I see no reason to disregard X.",
        "X could not be refuted.",
        "The citation X was not refuted.",
        "There is no proof that X is fabricated.",
    ] {
        assert!(!doubted(text), "{text}");
    }
}

#[test]
fn a_citation_is_called_false_in_many_ways() {
    for text in [
        "The citation X failed the check.",
        "The check refuted X.",
        "The engine marked X as missing.",
        "The proposer's central exhibit, X, turned out not to exist.",
        "X was debunked.",
        "No trace of X was found in the workspace.",
        "The proposer's quote from X is wrong; the line calls push_back.",
        "P1.3 misquotes X.",
        "The proposer relied on X, and the lookup came back empty.",
        "Since X is bogus, only P1.2 remains.",
        "P1.1 is built on sand: X is nowhere to be found.",
        "The proposer cites a phantom file (X).",
        "X lies beyond the end of the file, so P1.4 is weakened.",
        "X does not hold up, but TLS is decisive.",
        "The proposer's X is invented.",
        "I give no weight to X, which is false.",
        "The citation X failed the check, so P1.1 falls.",
        "P1.1 rests on a file that does not exist (X).",
        "The proposer fabricated evidence (X, src/pool.rs:43, src/pool.rs:99), which costs it credibility.",
        "The proposer fabricated evidence (src/pool.rs:43, X, src/pool.rs:99), which costs it credibility.",
        "Three of the proposer's citations are false: X; src/pool.rs:43; src/pool.rs:99.",
        "Three of the proposer's citations are false: src/pool.rs:43; src/pool.rs:99; X.",
        "Although the proposer cites X, that file is missing.",
        "Die Stelle X gibt es nicht.",
        "The cited X was invented.",
        "The case hangs on X, and the challenger demolished it.",
        "They cite X, for which there is no file.",
        "The file behind X cannot be found.",
        "The citation X is marked ✘.",
        "Er weist nach, dass es X nicht gibt.",
        "X doesn’t exist.",
        "The citation of X was found to be false, yet the point holds.",
        "I take it back: X was made up.",
    ] {
        assert!(doubted(text), "{text}");
    }
}

#[test]
fn a_citation_is_called_false_in_words_of_another_hand() {
    for text in [
        "X does not appear anywhere in the repository.",
        "X is a fabrication.",
        "I could not locate X.",
        "The engine found that X is missing.",
        "According to the evidence check, X is not in the workspace.",
        "The cited file (`X`) does not exist.",
        "X was flagged ✘ by the engine.",
        "We must set X aside, because it could not be verified.",
        "I place no weight on X.",
        "The reference to X is fictitious.",
        "X could not be found.",
        "**X** turned out to be invented.",
        "X proved to be a hallucination.",
        "Its evidence, X, failed verification.",
        "Its evidence (X) did not survive the check.",
        "X is, as the check shows, invented.",
        "X points past the end of the file.",
        "X was marked as missing, so nothing rests on it.",
        "The lookup of X came back empty.",
        "Neither X nor src/other.rs:3 exists.",
        "The false citation of X costs it the point on keys.",
        "The unverified X cannot carry the point.",
        "Leaving X aside, the TLS argument decides.",
        "Even ignoring X, which is false, TLS decides.",
        "The claim about X was refuted by the evidence check.",
        "X was looked up and is false.",
        "X was looked up and not found.",
        "The citation at X is wrong.",
        "The proposer misquoted X.",
        "X does not say what the proposer claims.",
        "X: no such file.",
        "Das Zitat aus X ist falsch.",
        "X ist erfunden.",
        "X n'existe pas.",
        "El archivo X no existe.",
        "X has been struck.",
        "X is disregarded, since it failed its check.",
        "The verdict does not rest on X.",
        "I do not rely on X.",
        "Setting aside the invented X, TLS decides.",
        "The proposer's evidence at X is fabricated.",
        "The file X is not part of the repository.",
        "X cannot be trusted, as it does not exist.",
        "X was cited by the proposer and does not exist.",
        "X, cited in round 1, does not exist.",
        "The repository has no X.",
        "X logs nothing: there is no such file.",
        "X and src/pool.rs:99 do not exist.",
    ] {
        assert!(doubted(text), "{text}");
    }
}

#[test]
fn a_claim_is_doubted_in_wider_words_than_a_place() {
    for text in [
        "P1.1 falls, because its only evidence failed.",
        "P1.1 and P1.3 carry no weight.",
        "I disregard P1.1 and P1.3.",
        "P1.1 is unsupported: the file is not in the repository.",
        "The challenger wins because P1.1 could not be verified.",
        "P1.1 was struck by the evidence check.",
        "P1.1 is unverified and was not needed.",
        "P1.1 is wrong.",
        "Claim P1.1 collapsed under verification.",
        "P1.1 has a ✘.",
        "P1.1 rests on an invented file.",
        "P1.1 was not borne out by the check.",
        "The proposer's evidence for P1.1 evaporated on inspection.",
    ] {
        assert!(is_doubted(text, text.find("P1.1").map(|at| at..at + 4).unwrap(), Hand::Unknown), "{text}");
    }
    for text in ["P1.1 decides.", "P1.1 shows that the default is wrong.", "P1.1 was not refuted.", "P1.1 is not wrong."] {
        assert!(!is_doubted(text, text.find("P1.1").map(|at| at..at + 4).unwrap(), Hand::Unknown), "{text}");
    }
}

#[test]
fn words_that_were_quoted_are_doubted_where_they_are_denied() {
    let doubted = |text: &str| {
        let at = text.find("push_front(conn)").unwrap();
        is_doubted(text, at..at + 16, Hand::Unknown)
    };
    for text in [
        "The quote `push_front(conn)` was invented.",
        "The file does not say `push_front(conn)`.",
        "The line reads `push_back(conn)`, not `push_front(conn)`.",
        "`push_front(conn)` stands nowhere in the file.",
        "`push_front(conn)` does not stand there.",
    ] {
        assert!(doubted(text), "{text}");
    }
    for text in ["It calls `push_front(conn)`, which is wrong.", "`push_front(conn)` does not lock."] {
        assert!(!doubted(text), "{text}");
    }
}

#[test]
fn a_claim_that_speaks_of_a_bug_calls_nothing_false() {
    for text in [
        "the file is invented",
        "src/auth/token.rs:10 does not exist",
        "the evidence of P1.1 is false",
        "there is no such file",
        "the proposer's citation failed",
        "P1.1 is false",
        "the cited lines do not exist",
    ] {
        assert!(doubts(text), "{text}");
    }
    for text in [
        "keys are exposed",
        "the endpoint exposes secrets",
        "the null check is missing",
        "the lock file is missing",
        "the default is wrong",
        "the handler does not hold the lock",
        "keys are logged at src/auth/token.rs:10",
    ] {
        assert!(!doubts(text), "{text}");
    }
}

/// A text may be one sentence from its beginning to its end, and all of it places.
#[test]
fn what_stands_far_from_a_place_is_not_read() {
    let text = format!("{PLACE} {}does not exist", "é ".repeat(100_000));
    assert!(!is_doubted(&text, 0..PLACE.len(), Hand::Unknown));
}

#[test]
fn sentences_of_another_day_are_told_apart() {
    for text in [
        "The file named in X was not in the snapshot.",
        "X simply isn't there.",
        "Nobody can find X in this repository.",
        "The proposer's only source, X, is imaginary.",
        "X was never part of the codebase.",
        "The proposer made X up.",
        "The judge's check could not confirm X.",
        "X gets no credit, because the file does not exist.",
        "As marked, X is false.",
        "The citation to X is broken.",
        "The claim that keys are logged fails with X, which does not exist.",
        "X (✘) is worthless.",
        "X: missing.",
        "That citation, X, is not real.",
        "X is not a real file.",
        "The quoted words do not stand in X.",
        "X contains no such line.",
        "X has no such line.",
        "X does not contain the quoted words.",
        "The line quoted from X is invented.",
        "The evidence check rejected X.",
        "X should be discounted.",
        "X must be disregarded.",
        "X cannot be used, since the check failed.",
        "X did not check out.",
        "We discard X as fabricated.",
        "Its reliance on X, a non-existent file, is fatal.",
        "Citing X was a fabrication.",
        "The proposer's reference (X) leads nowhere.",
        "X is among the citations that failed.",
        "The two false citations, X and src/pool.rs:43, decide against the proposer.",
        "X turned out to be false on lookup.",
        "X war nicht auffindbar.",
        "Le fichier X est introuvable.",
    ] {
        assert!(doubted(text), "{text}");
    }
    for text in [
        "X drops a packet that was never found.",
        "X shows that nothing is verified.",
        "At X the caller is given a nonexistent handle.",
        "The code in X is dead and misleading.",
        "X is unverified input going straight to exec.",
        "X contains no lock.",
        "X has no check for null.",
        "X does not contain a timeout.",
        "X fails.",
        "X is a false economy.",
        "The claim is proven by X; the challenger's evidence is false.",
        "X, and not the challenger's false citation, decides.",
        "X disregards whatever the file says.",
        "The missing file handling at X decides.",
        "A failed lookup is swallowed at X.",
        "Because of X the check never fails.",
        "X does not exist in a vacuum: it leaks.",
        "The file is not closed: X.",
        "The line is missing a semicolon: X.",
        "X is refused by nobody, and the keys leak.",
        "The false default (X) leaks keys.",
        "The reference counting in X is wrong.",
        "The quote handling in X is broken.",
        "The claim check at X is missing.",
        "The evidence log at X is false.",
        "X leaves the path unverified and the file exposed.",
        "The path in X is wrong.",
        "The source at X is untrusted and false.",
        "The reference in X is wrong.",
        "The commit at X is invalid.",
        "X catches the invented error and drops it.",
        "There is no doubt that X leaks.",
        "The proposer did not invent X.",
        "Not only X but also src/pool.rs:35 shows it.",
        "X proves the challenger false.",
        "X is the place where the lookup fails.",
        "X calls a function that is nowhere defined.",
        "The file X is never closed.",
        "Without a lock X leaks.",
        "Nothing in X checks the key.",
        "X does not verify the signature.",
        "The token is not verified in X.",
        "The challenger could not refute X.",
        "The challenger's claim that X is invented was itself false.",
    ] {
        assert!(!doubted(text), "{text}");
    }
}

#[test]
fn sentences_of_a_third_day_are_told_apart() {
    for text in [
        "X did not survive verification.",
        "X was shown to be false.",
        "X has been refuted by the engine.",
        "X is flatly invented.",
        "X is completely fabricated.",
        "The file X never existed.",
        "X is unverifiable.",
        "X fails verification.",
        "X earned a ✘.",
        "The engine says X is missing.",
        "X is listed as false.",
        "X is one of the two citations that were found to be false.",
        "The engine looked for X and found nothing.",
        "The engine looked up X and it does not exist.",
        "Looking up X yields nothing.",
        "X: the engine found no such file.",
        "I treat X as unproven.",
        "I count X against the proposer.",
        "The invention of X weighs heavily against the proposer.",
        "The fabricated evidence in X weighs heavily.",
        "Fabricating X disqualifies the proposer.",
        "X, being invented, proves nothing.",
        "X proves nothing, as it was invented.",
        "X proves nothing.",
        "X adds nothing, since the line does not exist.",
        "X is inadmissible.",
    ] {
        assert!(doubted(text), "{text}");
    }
    for text in [
        "X frees memory that does not exist any more.",
        "X makes the check useless.",
        "X is false advertising for a lock.",
        "The proposer showed at X that the file is missing.",
        "X is an invented protocol without review.",
        "X, where the check is missing, decides.",
        "X, which is missing a lock, decides.",
        "X (a missing check) decides.",
        "X: the check is missing.",
        "X: a false default.",
        "X - the default is false.",
        "X confirms that the citation count is wrong.",
        "X is bad: it fails the check.",
        "X relies on a false claim of the docs.",
        "The claims in the token are not verified at X.",
        "The proposer's evidence, X, shows that input is unverified.",
        "The proposer's evidence (X) that the file is missing is decisive.",
        "The evidence is X, which fails to lock.",
        "The citation X stands, while the challenger's evidence failed.",
        "The proposer is right: X is never checked.",
        "X shows an invented file name.",
        "X withdraws the lock.",
        "X dismisses the error.",
        "The claim P1.2 and X decide; nothing here is false.",
        "X is at fault, and the test that should catch it is missing.",
        "Both sides saw X, and the check is missing there.",
        "It is X that makes the claim of safety false.",
        "The challenger's file is invented, whereas X leaks keys.",
        "Since the evidence of the challenger failed, X decides.",
        "The challenger's citation failed; X did not.",
    ] {
        assert!(!doubted(text), "{text}");
    }
}
