//! Requests and what they say, as tables; then what holds for every request.

use proptest::prelude::*;

use super::*;

const KNOWN: [&str; 4] = ["claude", "codex", "gemini", "opencode"];

/// What a request says: `codex gemini 3 high: X`, with a dash for what it leaves open.
fn said(request: &str) -> String {
    let Wording { topic, proposer, challenger, rounds, effort, .. } =
        read(request, &KNOWN).unwrap_or_else(|error| panic!("{request:?}: {error}"));
    let or_dash = |text: Option<String>| text.unwrap_or_else(|| "-".to_owned());
    let rounds = rounds.map(|rounds| rounds.to_string());
    let effort = effort.map(|effort| effort.as_str().to_owned());
    format!("{} {} {} {}: {topic}", or_dash(proposer), or_dash(challenger), or_dash(rounds), or_dash(effort))
}

fn refused(request: &str) -> WordingError {
    read(request, &KNOWN).expect_err(request)
}

#[test]
fn a_head_names_the_proposer_first_and_may_open_with_a_verb() {
    for head in [
        "codex vs gemini about",
        "Codex VS. GEMINI About",
        "codex versus gemini:",
        "codex against gemini :",
        "between codex and gemini about:",
        "with codex and gemini:\n",
        "  debate codex\tvs\n gemini\nabout\n",
        "a duel with codex and gemini:",
        "start a debate between codex and gemini about",
        "let codex debate gemini about",
        "let codex and gemini debate about",
    ] {
        assert_eq!(said(&format!("{head} X")), "codex gemini - -: X", "{head}");
    }
    for (request, expected) in [
        ("with codex about X", "codex - - -: X"),
        ("have a debate with codex: X", "codex - - -: X"),
        ("codex:gpt-5 vs claude:opus about X", "codex:gpt-5 claude:opus - -: X"),
        ("claude vs claude:Opus[1m]: X", "claude claude:Opus[1m] - -: X"),
        ("with opencode:openai/gpt-5@x:free: X", "opencode:openai/gpt-5@x:free - - -: X"),
        ("with codex: claude vs gemini about X", "codex - - -: claude vs gemini about X"),
    ] {
        assert_eq!(said(request), expected);
    }
    assert_eq!(read("codex vs gemini about X", &["codex"]).unwrap().proposer, None, "only known tools are seats");
}

#[test]
fn items_at_the_end_say_rounds_and_effort() {
    for (items, expected) in [
        (", 1 round", "1 -"),
        (",\nfive ROUNDS  ", "5 -"),
        (", deep", "3 -"),
        (", quick", "- low"),
        (", medium effort", "- medium"),
        (", Carefully", "- high"),
        (", maximum effort.", "- max"),
        (", 3 rounds, thorough ?!", "3 high"),
        (", 2 rounds, 4 rounds", "4 -"),
        (", quick, max effort", "- max"),
        (", 2 rounds, deep", "2 -"),
    ] {
        assert_eq!(said(&format!("X{items}")), format!("- - {expected}: X"), "{items}");
    }
    assert_eq!(said("Tabs, quick., 3 rounds!"), "- - 3 -: Tabs, quick.", "only the last item ends the sentence");
    assert_eq!(said("Tabs, quick, spaces, deep, 2 rounds"), "- - 2 -: Tabs, quick, spaces");
}

#[test]
fn what_does_not_fit_to_the_last_word_is_the_topic() {
    for request in [
        "codex about X",
        "let codex debate about X",
        "codex: vs gemini about X",
        "codex vs gemini:X",
        "with codex:-x about X",
        "with codex:gpt,5 about X",
        "Rust vs Go about latency",
        "claude vs a human about X",
        "codex and gemini: a comparison",
        "codex vs gemini vs claude about X",
        "talk with codex about X",
        "codex vs gemini",
        "debate: X",
        "a quick fix, or a thorough one for 3 rounds of review",
        "7 rounds",
        "Is it good, 3 rounds of it",
        "Is it good, 7 rounds, really",
        "Is it good, many rounds",
        "Is it good, \"thorough\"",
        "Do we simulate 1,000 rounds",
        "应该用 gRPC 吗？要快，三轮",
        "line one\n\n  line two\r\n\tsay \"yes\", 'no' or `maybe`",
    ] {
        assert_eq!(said(request), format!("- - - -: {request}"));
    }
}

#[test]
fn what_cannot_be_followed_is_an_error() {
    for items in ["7 rounds", "zero rounds", "-1 rounds", "99999999999999999999 rounds"] {
        assert_eq!(refused(&format!("X, {items}, quick")), WordingError::Rounds { said: items.to_owned() });
    }
    assert_eq!(refused("X, 7 rounds").to_string(), "`7 rounds` is out of range: a duel has 1 to 5 rounds");
    for request in [" \n\t", "codex vs gemini about", "with codex: , 3 rounds", ", 3 rounds"] {
        assert_eq!(refused(request), WordingError::NoTopic, "{request:?}");
    }
    assert_eq!(refused("let Claude:opus debate claude:opus about X"), WordingError::SameSeat("claude:opus".to_owned()));
}

#[test]
fn what_was_understood_is_said_with_its_words() {
    let request = "Debate between  Codex and gemini:2.5-pro about tabs, Deep,  max\neffort.";
    assert_eq!(
        read(request, &KNOWN).unwrap().understood,
        [
            "proposer codex (from \"Debate between Codex and gemini:2.5-pro\")",
            "challenger gemini:2.5-pro (from \"Debate between Codex and gemini:2.5-pro\")",
            "3 rounds (from \"Deep\")",
            "effort max (from \"max effort\")",
        ]
    );
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
            prop_assert!(request.contains(&wording.topic) && !wording.topic.trim().is_empty());
            prop_assert!(wording.rounds.is_none_or(|rounds| ROUNDS.contains(&rounds)));
        }
    }
}
