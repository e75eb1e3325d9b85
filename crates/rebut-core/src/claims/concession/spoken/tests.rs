use super::*;

/// With work that grew faster than the text, this would not end.

#[test]
fn a_word_of_a_megabyte_is_no_more_than_a_word() {
    let body = format!("I concede that it is long. {}", "a".repeat(1 << 20));
    assert_eq!(sentences(&body).count(), 2);
}

#[test]
fn a_position_is_given_up_in_other_words_too() {
    for body in [
        "I withdraw my position.",
        "I was wrong.",
        "I was wrong about the lock.",
        "I now agree with the challenger.",
        "I now support REST.",
        "I now hold that REST is enough.",
        "I retract that claim.",
        "- I\u{2019}ve changed my mind.",
        "I must concede that it is typed.",
        "I fully concede the point.",
        "On TLS, I concede.",
        "Conceded.",
        "I withdraw that claim.",
        "I admit that it is typed.",
        "You are right that it is typed.",
        "The challenger is right about TLS.",
        "I accept that it is typed.",
        "I give up this point.",
        "My earlier position was wrong.",
        "I now think we should wait.",
        "I no longer hold that the lock is fine.",
        "Ich räume ein, dass es stimmt.",
        "Ich ziehe meine Position zurück.",
        "Ich habe mich geirrt.",
        "I no longer contest P1.1.",
        "P1.1: conceded.",
        "As for P1.1, I concede: it is so.",
        "I give up gRPC and now favour REST.",
        "Upon reflection I agree with the proposer that gRPC wins.",
        "On reflection, I prefer REST.",
    ] {
        assert_eq!(spoken_in(body).len(), 1, "{body}");
    }
    for body in [
        "I retract nothing.",
        "I was wrongly quoted.",
        "> I was wrong.",
        "They say \"I was wrong\".",
        "I agree that it is typed.",
        "I now holdings",
        "I withdraw my money daily.",
        "I do not concede this.",
        "If you are right, I concede.",
        "I now think of another case.",
        "I drop the guard early.",
        "I withdraw my concession of C1.1: TLS is fine.",
        "I retract what I conceded.",
        "I was wrong to concede C1.1.",
        "I no longer hold that C1.1 is right.",
    ] {
        assert_eq!(spoken_in(body), Vec::<String>::new(), "{body}");
    }
}

#[test]
fn a_concession_is_taken_back_in_many_words() {
    for body in [
        "I withdraw my concession of C1.1: TLS is fine.",
        "I retract my concession on TLS; it is verified.",
        "C1.1 is wrong after all, and I take my concession back.",
        "I no longer hold that C1.1 is right.",
        "I was wrong to concede C1.1.",
        "**I withdraw the concession.** So.",
        "I retract what I conceded.",
        "I hereby withdraw the earlier\nconcession.",
        "My concession of C1.1 is withdrawn.",
        "Ich nehme mein Zugeständnis zurück.",
        "My concession of C1.1 was premature.",
        "I was too quick to concede C1.1; it is wrong.",
        "Contrary to what I conceded, C1.1 is false.",
    ] {
        assert_eq!(taken_back_in(body).len(), 1, "{body}");
        assert_eq!(spoken_in(body), Vec::<String>::new(), "{body}");
    }
    for body in [
        "I concede it.",
        "The challenger withdraws the concession.",
        "I retract my claim.",
        "I withdraw my concern about latency.",
        "I concede that we must withdraw the cache from the hot path, see src/a.rs:3.",
        "We retract the concept of a queue.",
        "I do not withdraw my concession.",
        "I think that they should withdraw the concession.",
        "My concession was not premature.",
    ] {
        assert_eq!(taken_back_in(body), Vec::<&str>::new(), "{body}");
    }
}

#[test]
fn a_wrapped_sentence_is_one() {
    let body = "- I concede that TLS is a stub, which\n  was my main point.\n- Second.\n";
    assert_eq!(spoken_in(body), ["I concede that TLS is a stub, which was my main point."]);
    assert_eq!(spoken_in("5\" disks\nI concede it all."), ["I concede it all."]);
    assert_eq!(spoken_in("> So.\n> I concede it all.\n## I concede it all"), Vec::<String>::new());
}

#[test]
fn a_sentence_in_bold_ends_where_it_ends() {
    assert_eq!(spoken_in("**I concede that it is a stub.** Nothing more."), ["I concede that it is a stub."]);
}

#[test]
fn only_what_a_speaker_gives_up_in_own_words_is_conceded() {
    for body in [
        "I concede nothing.",
        "I concede no point of it.",
        "> I concede that proxies are needed.",
        "The challenger says: \"It is slow. I concede that it is typed.\" So be it.",
        "They wrote \u{201c}It is slow. I concede that it is typed.\u{201d}",
        "\"I concede that it is typed.\"",
    ] {
        assert_eq!(spoken_in(body), Vec::<String>::new(), "{body}");
    }
    for (body, conceded) in [
        (
            "- I concede that some tools, e.g. browsers, need a proxy. Still.",
            "I concede that some tools, e.g. browsers, need a proxy.",
        ),
        (
            "I concede that tools,\u{a0}e.g. browsers, need it.\u{a0}Still.",
            "I concede that tools,\u{a0}e.g. browsers, need it.",
        ),
        ("It says \"no\". I concede that it is typed.", "I concede that it is typed."),
        ("I concede the point about \"types\". No more.", "I concede the point about \"types\"."),
    ] {
        assert_eq!(spoken_in(body), [conceded], "{body}");
    }
}
