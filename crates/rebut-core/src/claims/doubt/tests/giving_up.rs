//! Who gives a place up, and who stands by it.

use super::*;

#[test]
fn who_says_that_the_other_side_got_it_wrong_stands_by_the_place() {
    for text in [
        "The challenger is wrong about X: it logs the keys.",
        "The challenger misread X, which plainly logs the keys.",
        "The challenger dismissed X without an answer.",
        "By ignoring X the challenger lost the debate.",
    ] {
        assert!(!doubted(text), "{text}");
    }
    for text in ["I disregard X.", "The judge must ignore X.", "The check rejected X."] {
        assert!(doubted(text), "{text}");
    }
}

#[test]
fn a_judge_sets_a_place_aside_with_auxiliaries_and_adverbs_between() {
    for text in [
        "Ignoring X, the challenger still wins.",
        "Even ignoring X, TLS decides.",
        "I have disregarded X.",
        "I therefore disregard X.",
        "I have to dismiss X.",
        "I have deliberately excluded X.",
        "The judge has to ignore X.",
        "I ignored the challenger's X.",
        "I do not count X.",
        "I cannot credit X, so the other side prevails.",
        "I do not rest my decision on X.",
        "The proposer rightly rejected X.",
        "X should be ignored.",
        "With X discounted, TLS still stands.",
        "I rely on TLS rather than X.",
        "I am not relying on X.",
        "The proposer was right to reject X.",
        "X has to be ignored.",
        "No weight is given to X.",
        "I penalise the challenger for X.",
        "That X does not exist costs the challenger little.",
        "Whether X exists does not matter.",
        "X would have been decisive had it existed.",
    ] {
        assert!(judged(text), "{text}");
    }
    for text in [
        "I cannot ignore X.",
        "I did not discount X.",
        "I count X for the challenger.",
        "The proposer must ignore X to win.",
        "The proposer has to ignore X to make its case.",
        "The proposer does not accept X, and offers nothing instead.",
        "By ignoring X the proposer lost the debate.",
        "Ignoring X would be a mistake.",
        "Setting aside X would be wrong: it logs the key.",
        "It would be wrong to ignore X.",
        "Drop X and the leak is gone.",
        "Instead of X the proposer discussed TLS.",
        "The proposer talked about TLS instead of X.",
        "The proposer, not X, is mistaken.",
        "The proposer called X invented, which I find unconvincing.",
        "The proposer's claim that X is invented was never backed up.",
        "The attempt to discredit X failed.",
        "The challenger deserves credit for X.",
        "The challenger earns a point for X.",
        "The challenger pointed out the error in X.",
        "The challenger found a mistake at X.",
        "The challenger made no mistake with X.",
        "I reject the objection to X.",
        "X is void, so the error is lost.",
        "The check of X finds nothing to stop it.",
    ] {
        assert!(!judged(text), "{text}");
    }
}

#[test]
fn who_erred_on_a_place_gives_it_up_only_where_it_was_theirs() {
    for text in [
        "The SIDE misread X.",
        "The SIDE misquoted X, which logs the key.",
        "The SIDE was wrong about X, though right about TLS.",
        "The SIDE was mistaken on X.",
        "The SIDE erred on X, yet its TLS point holds.",
        "The SIDE was wrong to cite X.",
        "The SIDE's slip on X does not matter.",
        "The SIDE should not have cited X.",
    ] {
        assert!(judged(&text.replace("SIDE", "challenger")), "{text}");
        assert!(!judged(&text.replace("SIDE", "proposer")), "{text}");
    }
}

#[test]
fn a_place_is_doubted_in_the_words_of_the_engine() {
    for text in [
        "X is a mismatch.",
        "X (mismatch) does not help the challenger.",
        "The second citation, X, was marked as a mismatch.",
        "I note the mismatch at X.",
        "X failed.",
        "The challenger also cited X, which failed.",
        "X is out of bounds.",
        "X: the file has 60 lines.",
        "src/auth/token.rs has only 9 lines, so X cannot be checked.",
        "src/auth/token.rs ends at line 9, so X is no help.",
        "X is beyond the 9 lines of the file.",
        "The record shows ✘ for X, while the rest holds.",
        "The key claim hinges on X, which the engine could not find; the rest holds.",
        "src/net/tls.rs:12 verified, X did not.",
        "Neither src/pool.rs:99 nor X exists, so the critique stands.",
        "There is no line 10 in X.",
        "Line 10 of X does not exist.",
        "The cited code in X does not exist.",
    ] {
        assert!(judged(text), "{text}");
    }
    for text in ["X failed to mask the key.", "X fails on expired keys.", "The class has 60 lines, and X logs the key."] {
        assert!(!judged(text), "{text}");
    }
}

#[test]
fn an_own_citation_is_taken_back_in_many_ways() {
    for text in [
        "I erred on X.",
        "Please disregard X.",
        "Ignore X; I cited it in error.",
        "I was wrong to cite X.",
        "My reference to X was a mistake.",
        "I made a mistake with X, which I cannot find any more.",
        "I apologise for X, which I invented.",
        "I drop X and rely on src/pool.rs:35.",
        "I no longer rely on X.",
        "I cited X by mistake.",
        "Correction: X should have been src/pool.rs:35.",
        "X cannot be defended.",
        "Without X my case still stands on src/pool.rs:35.",
        "Even without X, src/pool.rs:35 suffices.",
    ] {
        assert!(taken_back(text), "{text}");
    }
    for text in [
        "I stand by X.",
        "I do not withdraw X.",
        "I will not retract X.",
        "I rely on X again.",
        "The challenger was wrong to dismiss X.",
        "The challenger erred on X.",
        "The challenger is wrong that X does not exist.",
        "The challenger claims that X does not exist, but it does.",
        "It is false that X is missing.",
        "Without a lock X leaks.",
    ] {
        assert!(!taken_back(text), "{text}");
    }
}

#[test]
fn who_is_said_to_have_invented_a_file_is_doubted() {
    for text in ["the proposer invented its file", "the challenger fabricated this quote", "they invented the citation"] {
        assert!(doubts(text), "{text}");
    }
    for text in ["the handler invented a session id", "the cache invented its key", "it invented the protocol"] {
        assert!(!doubts(text), "{text}");
    }
}
