//! Requests and what they say, as tables; then what holds for every request.

use proptest::prelude::*;

use super::*;

const KNOWN: [&str; 4] = ["claude", "codex", "gemini", "opencode"];

fn said(request: &str) -> Wording {
    read(request, &KNOWN).unwrap_or_else(|error| panic!("{request:?}: {error}"))
}

fn refused(request: &str) -> WordingError {
    read(request, &KNOWN).expect_err(request)
}

/// Each request has this topic and says nothing else.
fn assert_plain(requests: &[&str]) {
    for request in requests {
        let plain = Wording {
            topic: (*request).to_owned(),
            proposer: None,
            challenger: None,
            rounds: None,
            effort: None,
            understood: Vec::new(),
        };
        assert_eq!(said(request), plain, "{request:?}");
    }
}

/// Each request names these seats for the topic `X`.
fn assert_seats(cases: &[(&str, &str, Option<&str>)]) {
    for (request, proposer, challenger) in cases {
        let wording = said(request);
        assert_eq!(wording.topic, "X", "{request:?}");
        assert_eq!(wording.proposer.as_deref(), Some(*proposer), "{request:?}");
        assert_eq!(wording.challenger.as_deref(), *challenger, "{request:?}");
    }
}

/// Each list of items, said after the topic `X`, asks for these rounds and this effort.
fn assert_items(cases: &[(&str, Option<u32>, Option<Effort>)]) {
    for (items, rounds, effort) in cases {
        let wording = said(&format!("X{items}"));
        assert_eq!(wording.topic, "X", "{items:?}");
        assert_eq!((wording.rounds, wording.effort), (*rounds, *effort), "{items:?}");
    }
}

#[test]
fn a_head_names_the_proposer_first() {
    assert_seats(&[
        ("codex vs gemini about X", "codex", Some("gemini")),
        ("gemini vs codex about X", "gemini", Some("codex")),
        ("codex vs. gemini about X", "codex", Some("gemini")),
        ("codex versus gemini: X", "codex", Some("gemini")),
        ("codex against gemini about X", "codex", Some("gemini")),
        ("between codex and gemini about X", "codex", Some("gemini")),
        ("between codex vs gemini: X", "codex", Some("gemini")),
        ("with codex and gemini: X", "codex", Some("gemini")),
        ("with codex and gemini about X", "codex", Some("gemini")),
    ]);
}

#[test]
fn a_head_may_open_with_a_verb() {
    assert_seats(&[
        ("debate codex vs gemini about X", "codex", Some("gemini")),
        ("duel codex vs gemini: X", "codex", Some("gemini")),
        ("debate between codex and gemini about X", "codex", Some("gemini")),
        ("a debate between codex and gemini about X", "codex", Some("gemini")),
        ("a duel with codex and gemini: X", "codex", Some("gemini")),
        ("start a debate between codex and gemini about X", "codex", Some("gemini")),
        ("have a debate with codex about X", "codex", None),
        ("run debate with codex: X", "codex", None),
        ("let codex debate gemini about X", "codex", Some("gemini")),
        ("have codex duel gemini: X", "codex", Some("gemini")),
        ("let codex and gemini debate about X", "codex", Some("gemini")),
    ]);
}

#[test]
fn one_tool_alone_is_named_only_after_with() {
    assert_seats(&[
        ("with codex about X", "codex", None),
        ("with codex: X", "codex", None),
        ("debate with codex about X", "codex", None),
    ]);
    assert_plain(&["codex about X", "codex: X", "between codex about X", "debate codex: X", "let codex debate about X"]);
}

#[test]
fn the_separator_may_stand_anywhere_that_is_no_model() {
    assert_seats(&[
        ("codex vs gemini : X", "codex", Some("gemini")),
        ("codex vs gemini about: X", "codex", Some("gemini")),
        ("  codex\tvs\n gemini\nabout\nX  ", "codex", Some("gemini")),
        ("codex vs gemini:\nX", "codex", Some("gemini")),
    ]);
    assert_plain(&["codex: vs gemini about X", "codex vs gemini:: X", "codex vs gemini:X", "codex vs gemini, about X"]);
}

#[test]
fn a_seat_may_carry_a_model() {
    assert_seats(&[
        ("codex:gpt-5 vs claude:opus about X", "codex:gpt-5", Some("claude:opus")),
        ("claude:opus vs gemini:2.5-pro: X", "claude:opus", Some("gemini:2.5-pro")),
        ("claude:opus vs gemini: X", "claude:opus", Some("gemini")),
        ("claude:opus vs claude:haiku about X", "claude:opus", Some("claude:haiku")),
        ("claude vs claude:haiku about X", "claude", Some("claude:haiku")),
        ("with claude:Opus[1m] about X", "claude:Opus[1m]", None),
        ("with opencode:openai/gpt-5@x:free: X", "opencode:openai/gpt-5@x:free", None),
    ]);
    assert_plain(&["with codex:-x about X", "with codex:gpt+5 about X", "with codex:gpt,5 about X", "with codex:größe: X"]);
}

#[test]
fn letter_case_matters_only_in_models() {
    assert_seats(&[
        ("Codex VS GEMINI About X", "codex", Some("gemini")),
        ("Between CLAUDE:Opus And Codex: X", "claude:Opus", Some("codex")),
    ]);
    assert_eq!(read("with codex about X", &["Codex"]).unwrap().proposer.as_deref(), Some("codex"));
}

#[test]
fn a_head_with_a_foreign_word_is_topic() {
    assert_plain(&[
        "Rust vs Go about latency",
        "claude vs a human about X",
        "a human vs claude about X",
        "Should we use codex or gemini: a question",
        "codex and gemini about X",
        "codex and gemini: a comparison",
        "codex vs gemini vs claude about X",
        "with codex, gemini: X",
        "with codex and gemini and claude: X",
        "talk with codex about X",
        "the debate between codex and gemini about X",
        "\"codex vs gemini\" about X",
        "codex vs gemini",
        "debate: X",
        "a duel about X",
        "about X",
        ": X",
        "vs about X",
        "What is it about: X",
    ]);
}

#[test]
fn only_known_tools_are_seats() {
    let wording = read("codex vs gemini about X", &["codex"]).unwrap();
    assert_eq!((wording.topic.as_str(), wording.proposer), ("codex vs gemini about X", None));
    assert_eq!(read("with codex: X", &[]).unwrap().proposer, None);
}

#[test]
fn the_first_separator_ends_the_head() {
    assert_eq!(said("codex vs gemini about Rust: about now or later?").topic, "Rust: about now or later?");
    assert_eq!(said("with codex: about time").topic, "about time");
    assert_eq!(said("with codex: claude vs gemini about X").topic, "claude vs gemini about X");
}

#[test]
fn items_count_rounds() {
    assert_items(&[
        (", 1 round", Some(1), None),
        (", one round", Some(1), None),
        (", two rounds", Some(2), None),
        (", 3 rounds", Some(3), None),
        (",3 rounds", Some(3), None),
        (" ,  Four   ROUNDS  ", Some(4), None),
        (",\n5 rounds\n", Some(5), None),
        (", five rounds", Some(5), None),
        (", deep", Some(3), None),
        (", extended", Some(3), None),
    ]);
}

#[test]
fn items_say_the_effort() {
    for (words, effort) in [
        ("quick", Effort::Low),
        ("quickly", Effort::Low),
        ("fast", Effort::Low),
        ("low effort", Effort::Low),
        ("medium effort", Effort::Medium),
        ("thorough", Effort::High),
        ("thoroughly", Effort::High),
        ("careful", Effort::High),
        ("Carefully", Effort::High),
        ("high effort", Effort::High),
        ("max effort", Effort::Max),
        ("maximum effort", Effort::Max),
    ] {
        assert_items(&[(&format!(", {words}"), None, Some(effort))]);
    }
}

#[test]
fn the_last_word_of_a_kind_wins_and_a_count_wins_over_deep() {
    assert_items(&[
        (", 3 rounds, thorough", Some(3), Some(Effort::High)),
        (", thorough, 3 rounds", Some(3), Some(Effort::High)),
        (", 2 rounds, 4 rounds", Some(4), None),
        (", quick, max effort", None, Some(Effort::Max)),
        (", deep, 2 rounds", Some(2), None),
        (", 2 rounds, deep", Some(2), None),
        (", 2 rounds, deep, quick, one round, extended", Some(1), Some(Effort::Low)),
    ]);
}

#[test]
fn only_the_last_item_may_end_the_sentence() {
    assert_items(&[
        (", 3 rounds.", Some(3), None),
        (", quick, 3 rounds ?!", Some(3), Some(Effort::Low)),
        (", thorough...  ", None, Some(Effort::High)),
    ]);
    let wording = said("Tabs? quick., 3 rounds!");
    assert_eq!((wording.topic.as_str(), wording.rounds), ("Tabs? quick.", Some(3)));
    let wording = said("Tabs, quick., 3 rounds!");
    assert_eq!((wording.topic.as_str(), wording.rounds, wording.effort), ("Tabs, quick.", Some(3), None));
    assert_eq!(said("Tabs or spaces?!, quick").topic, "Tabs or spaces?!");
}

#[test]
fn words_inside_the_topic_are_never_read() {
    assert_plain(&[
        "a quick fix, or a thorough one for 3 rounds of review",
        "3 rounds",
        "7 rounds",
        "quick",
        "quick fix or 3 rounds",
        "Is it good, 3 rounds of it",
        "Is it good, very thorough",
        "Is it good, thorough and 3 rounds",
        "Is it good, 3 rounds,",
        "Is it good, 3 rounds, really",
        "Is it good, 7 rounds, really",
        "Is it good; 3 rounds",
        "Is it good, rounds",
        "Is it good, many rounds",
        "Is it good, 1.5 rounds",
        "Is it good, no effort",
        "Is it good, effort",
        "Is it good, \"thorough\"",
        "Is it good, ?",
        "Do we simulate 1,000 rounds",
        "Do we simulate 1,000,000 rounds?",
    ]);
}

#[test]
fn reading_stops_at_the_first_item_that_does_not_fit() {
    let wording = said("Tabs, quick, spaces, or both, deep, 2 rounds");
    assert_eq!((wording.topic.as_str(), wording.rounds, wording.effort), ("Tabs, quick, spaces, or both", Some(2), None));
    assert_eq!(said("Tabs,, quick").topic, "Tabs,");
    assert_eq!(said("quick, thorough").topic, "quick");
    assert_eq!(said("GPT-4 or GPT-5,3 rounds").topic, "GPT-4 or GPT-5");
}

#[test]
fn rounds_out_of_range_are_an_error() {
    for items in
        ["7 rounds", "0 rounds", "zero rounds", "Six rounds", "-1 rounds", "99999999999999999999 rounds", "100 rounds"]
    {
        assert_eq!(refused(&format!("X, {items}")), WordingError::Rounds { said: items.to_owned() });
        assert_eq!(refused(&format!("X, {items}!")), WordingError::Rounds { said: items.to_owned() });
        assert_eq!(refused(&format!("X, {items}, 3 rounds, quick")), WordingError::Rounds { said: items.to_owned() });
    }
    assert_eq!(refused("X, 7 rounds").to_string(), "`7 rounds` is out of range: a duel has 1 to 5 rounds");
}

#[test]
fn a_request_without_a_topic_is_an_error() {
    for request in [
        "",
        " \n\t",
        "codex vs gemini about",
        "codex vs gemini:",
        "codex vs gemini :  ",
        "with codex: , 3 rounds",
        "codex vs gemini about, quick",
        ", 3 rounds",
    ] {
        assert_eq!(refused(request), WordingError::NoTopic, "{request:?}");
    }
}

#[test]
fn the_same_seat_twice_is_an_error() {
    for (request, seat) in [
        ("codex vs codex about X", "codex"),
        ("with Codex and CODEX: X", "codex"),
        ("let Claude:opus debate claude:opus about X", "claude:opus"),
    ] {
        assert_eq!(refused(request), WordingError::SameSeat(seat.to_owned()), "{request:?}");
    }
}

#[test]
fn topics_pass_through_unharmed() {
    for topic in [
        "Sollen wir „Größe“ umbenennen?",
        "应该用 gRPC 吗？要快，三轮",
        "нужен ли нам GraphQL: да, нет?",
        "line one\n\n  line two\r\n\tline three",
        "say \"yes\", 'no' or `maybe`",
        "🦀 vs 🐹",
        "a \u{0} b",
    ] {
        assert_plain(&[topic]);
        assert_eq!(said(&format!(" \n{topic}\t ")).topic, topic);
        assert_eq!(said(&format!("codex vs gemini about\u{3000}{topic} , 3 rounds, quick!")).topic, topic);
    }
}

#[test]
fn what_was_understood_is_said_with_its_words() {
    let wording = said("Debate between  Codex and gemini:2.5-pro about tabs, Deep,  max\neffort.");
    assert_eq!(
        wording.understood,
        [
            "proposer codex (from \"Debate between Codex and gemini:2.5-pro\")",
            "challenger gemini:2.5-pro (from \"Debate between Codex and gemini:2.5-pro\")",
            "3 rounds (from \"Deep\")",
            "effort max (from \"max effort\")",
        ]
    );
    let wording = said("with codex: tabs, deep, one round, quick, thorough");
    let expected =
        ["proposer codex (from \"with codex\")", "1 round (from \"one round\")", "effort high (from \"thorough\")"];
    assert_eq!(wording.understood, expected);
}

/// Requests that come close to the grammar, which random text never does.
fn nearly_a_request() -> impl Strategy<Value = String> {
    "((codex|Gemini|claude:opus|vs|and|with|between|let|a|debate|about|:|,|3 rounds|7 rounds|deep|quick|\
      max effort|[.?é]|\\PC)( |\n|\u{3000})?){0,16}"
}

proptest! {
    #[test]
    fn reading_never_panics_and_the_topic_is_a_part_of_the_request(
        request in prop_oneof![any::<String>(), nearly_a_request()],
    ) {
        if let Ok(wording) = read(&request, &KNOWN) {
            prop_assert!(request.contains(&wording.topic));
            prop_assert_eq!(wording.topic.trim(), &wording.topic);
            prop_assert!(!wording.topic.is_empty());
            prop_assert!(wording.rounds.is_none_or(|rounds| ROUNDS.contains(&rounds)));
            prop_assert!(wording.challenger.is_none() || wording.challenger != wording.proposer);
        }
    }

    #[test]
    fn a_request_without_comma_colon_and_about_is_its_topic(
        request in prop_oneof![any::<String>(), nearly_a_request()],
    ) {
        let request = request.to_lowercase().replace([',', ':'], " ").replace("about", "");
        prop_assume!(!request.contains("about"));
        match read(&request, &KNOWN) {
            Ok(wording) => {
                prop_assert_eq!(&wording.topic, request.trim());
                prop_assert_eq!(wording.understood, Vec::<String>::new());
            }
            Err(error) => {
                prop_assert_eq!(error, WordingError::NoTopic);
                prop_assert_eq!(request.trim(), "");
            }
        }
    }

    #[test]
    fn what_is_said_around_a_topic_is_read_whatever_the_topic(
        topic in "[^,\\s]([^,]{0,40}[^,\\s])?",
        rounds in ROUNDS,
        versus in prop::sample::select(vec!["vs", "versus", "against"]),
        separator in prop::sample::select(vec![" about", ":", " :"]),
    ) {
        let wording = said(&format!("codex {versus} gemini{separator} {topic}, quick, {rounds} rounds"));
        prop_assert_eq!(wording.topic, topic);
        prop_assert_eq!(wording.proposer.as_deref(), Some("codex"));
        prop_assert_eq!(wording.challenger.as_deref(), Some("gemini"));
        prop_assert_eq!((wording.rounds, wording.effort), (Some(rounds), Some(Effort::Low)));
    }
}
