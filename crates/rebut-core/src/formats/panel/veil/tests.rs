use proptest::prelude::*;
use proptest::test_runner::RngSeed;

use super::*;

const LIE: &str = "Nine of ten teams dropped review within a year, says the Harlow survey.";

fn over(text: &str, before: &[&str]) -> Veil {
    Veil::over(&Struck { texts: vec![text], ..Struck::default() }, before)
}

#[test]
fn repeated_words_are_taken_out_and_all_others_stay() {
    let veil = over(LIE, &["Should teams drop review?"]);
    assert_eq!(
        veil.over_text("Anna says that NINE of ten teams dropped review within a year; I doubt it."),
        "Anna says that [REDACTED]; I doubt it."
    );
    assert_eq!(veil.over_text("Teams dropped review."), "Teams dropped review.");
    assert!(!Veil::default().covers(LIE));
}

#[test]
fn short_quotations_names_and_figures_are_taken_out_too() {
    let veil = over("Under the Kano rule 73 deployments failed, a rise of 41 percent, and teams dropped review.", &[]);
    for text in [
        "the Kano rule",
        "Kano and its 73 deployments",
        "he says \"Kano\"",
        "failed, a rise of 41 %",
        "and teams dropped review",
    ] {
        assert!(veil.covers(text), "{text}");
    }
    for text in ["Kano is a town.", "We had 73 deployments.", "It was 41 % or so."] {
        assert!(!veil.covers(text), "{text}: one name or figure says little by itself");
    }
    assert!(!veil.covers("They say a rise is good, and that teams dropped it."));
    assert!(over("Ban reviewers.", &["Should we review?"]).covers("Anna wants to ban reviewers."));
    let named = Struck { named: vec!["https://harlow.example/nine-teams", "The Marlow matrix"], ..Struck::default() };
    let veil = Veil::over(&named, &[]);
    assert_eq!(veil.over_text("harlow.example/nine-teams, by the marlow matrix"), "[REDACTED], by [REDACTED]");
}

#[test]
fn a_script_without_spaces_is_read_by_its_characters() {
    let veil = over("九成的团队在一年内放弃了代码审查。", &["代码审查应该被取代吗"]);
    assert_eq!(veil.over_text("他说九成的团队在一年内放弃,不对。代码审查有用。"), "他说[REDACTED],不对。代码审查有用。");
}

#[test]
fn what_was_said_before_is_hidden_nowhere() {
    let opening = "Human review found 41 % of all faults, as Boehm has shown in 1981. It pays.";
    let veil = over(opening, &[opening]);
    assert!(veil.is_empty(), "{veil:?}");
    let veil = over(&format!("{opening} Nobody at Harlow reviews anything at all nowadays."), &[opening]);
    assert_eq!(veil.over_text(opening), opening);
    assert!(veil.covers("Nobody at Harlow reviews."));
    assert!(over("It is so.", &[]).over_text("It is so that review pays.").contains("It is so"));
}

#[test]
fn an_honest_opponent_keeps_its_words_and_a_name_at_the_start_is_one_too() {
    let veil = over("In 10 years Google and Europe moved on. Zanzibar proves it in 73 harbours.", &["It is so."]);
    for text in ["Europe has other laws.", "Ten people waited 10 years for it.", "Zanzibar is far."] {
        assert_eq!(veil.over_text(text), text);
    }
    let shown = veil.over_text("Unlike his Zanzibar and its 73 harbours, I stay.");
    assert_eq!(shown, "Unlike his [REDACTED] and its [REDACTED], I stay.");
}

#[test]
fn what_stands_in_a_verified_source_is_free_however_long_it_is() {
    let file = "The Harlow survey counts teams: nine of ten teams dropped review within a year of the fire.";
    let veil = over(LIE, &[file]);
    for text in ["The Harlow survey counts teams.", "\"Nine of ten teams dropped review within a year\", it says."] {
        assert_eq!(veil.over_text(text), text);
    }
    assert!(veil.covers("It is true that review within a year, says the Harlow survey, is over."));
}

#[test]
fn each_entry_hides_what_was_new_in_it_alone() {
    let struck = |text, at| Struck { texts: vec![text], at, ..Struck::default() };
    let heard = Heard::new;
    let (first, later) = ("The Kano rule costs mornings.", "The Kano rule costs evenings, says Marlow.");
    let veil = Veil::over_all(
        &[struck(first, 4), struck(later, 9)],
        &[heard("The Kano rule costs evenings.", 6), heard("He likes mornings.", 0)],
    );
    assert_eq!(veil.over_text("the Kano rule costs mornings"), "[REDACTED]");
    assert!(veil.covers("the Kano rule costs nothing"), "it was new in the first");
    let veil = Veil::over_all(&[struck(later, 9)], &[heard("The Kano rule costs evenings.", 6)]);
    assert!(!veil.covers("the Kano rule costs evenings"), "it was heard before");
    assert!(veil.covers("costs evenings, says Marlow"));
}

#[test]
fn two_names_hide_each_other_only_beside_a_word_that_is_shared() {
    let veil = over("Harlow measured it, and Marlow went on. Review failed 73 teams.", &["He measured what failed."]);
    for text in ["Harlow never said so; Marlow dropped it.", "Neither Marlow nor Harlow is here."] {
        assert_eq!(veil.over_text(text), text);
    }
    assert_eq!(veil.over_text("Harlow measured it with Marlow."), "[REDACTED] measured it with [REDACTED].");
    assert_eq!(veil.over_text("\"Harlow\" is far."), "\"[REDACTED]\" is far.");
}

#[test]
fn a_figure_is_hidden_however_its_number_and_its_unit_are_written() {
    let struck = Struck {
        texts: vec!["In the Harlow survey 87 percent of teams dropped review within a year."],
        author: "anna",
        topic: "Does review pay?",
        ..Struck::default()
    };
    let veil = Veil::over(&struck, &["Does review pay?"]);
    for text in [
        "Anna says 87 per cent.",
        "Some 87 out of 100 teams dropped review in that survey.",
        "It is 87 pct of teams.",
        "87.0 percent of teams dropped it.",
        "Roughly 87 teams in a hundred dropped review.",
        "The survey has it at 87 of 100 teams.",
        "Eighty-seven percent of teams dropped it.",
        "eighty seven per cent of teams",
        "８７ percent of teams dropped.",
        "87,0 % of teams",
    ] {
        let shown = veil.over_text(text);
        assert!(shown.contains(REDACTED) && !shown.contains("87") && !shown.to_lowercase().contains("eighty"), "{shown}");
    }
    for text in
        ["There were 87 chairs in the hall.", "For 87 % of an hour I waited.", "See seq 87 on teams.", "86 of 100 teams"]
    {
        assert_eq!(veil.over_text(text), text);
    }
}

#[test]
fn what_an_opponent_says_by_a_verified_source_is_its_own_save_figures_and_names() {
    let struck = Struck {
        texts: vec!["Careful reviewers catch faults of intent. At Harlow they catch 87 percent of them every year."],
        at: 8,
        author: "anna",
        ..Struck::default()
    };
    let own = |own| Heard {
        own: Some(own),
        ..Heard::new("Careful reviewers catch faults of intent. At Harlow they catch 87 percent of them every year.", 0)
    };
    let hides = |heard: &[Heard<'_>]| Veil::over_all(std::slice::from_ref(&struck), heard);
    let thesis = "Careful reviewers catch faults of intent.";
    assert!(hides(&[]).covers(thesis));
    assert_eq!(hides(&[own("ben")]).over_text(thesis), thesis);
    assert!(hides(&[own("anna")]).covers(thesis), "nobody frees their own words");
    assert!(hides(&[own("ben")]).covers("At Harlow they catch 87 percent of them every year."));
}

proptest! {
    #![proptest_config(ProptestConfig { rng_seed: RngSeed::Fixed(7), ..ProptestConfig::default() })]

    #[test]
    fn nothing_hidden_is_left_in_a_text(before in "\\PC{0,40}", after in "\\PC{0,40}") {
        let veil = over(LIE, &[]);
        let shown = veil.over_text(&format!("{before} {LIE} {after}"));
        prop_assert!(!shown.contains("dropped review within"));
        prop_assert!(!veil.covers(&shown));
    }
}
