//! The flow of a debate in which nothing goes wrong.

use rebut_core::debate::Status;
use rebut_core::formats::panel::{check_log, log};
use rebut_core::report;

use super::{contents, told};
use crate::test_debate::panel::{NAMES, panel};

#[test]
fn two_debaters_hold_openings_rounds_and_closings_in_reverse_order() {
    let test = panel(2, |_| ()).run();
    assert_eq!((test.status(), test.lines()), (Status::Completed, Vec::<&str>::new()));
    insta::assert_snapshot!("two_debaters", told(test.debate()).join("\n"));
    let asked = test.asked();
    let closings: Vec<&&str> =
        asked.iter().filter(|key| key.starts_with("closing/") && key.split('/').count() == 2).collect();
    assert_eq!(closings, [&"closing/ben", &"closing/anna"]);
    assert_eq!(test.outcome().decision.as_deref(), Some("anna_wins"));
    assert!(contents(&test, "conclusion")[0].starts_with("Debate concluded. Outcome: anna_wins. Reason: "));
}

#[test]
fn panels_of_any_size_leave_a_log_without_a_fault() {
    for debaters in [2, 3, 8] {
        let test = panel(debaters, |_| ()).run();
        assert_eq!(test.status(), Status::Completed, "{debaters}: {:?}", test.lines());
        let files = report::files(test.debate(), "");
        let log_file = &files.iter().find(|(name, _)| name == "debate-log.jsonl").expect("the log").1;
        assert_eq!(check_log(log_file), [], "{debaters}");
        let speakers = |kind: &str| {
            let log = log(test.debate());
            log.into_iter().filter(|entry| entry.kind.as_str() == kind).map(|entry| entry.speaker).collect::<Vec<_>>()
        };
        assert_eq!(speakers("opening_statement"), NAMES[..debaters]);
        let reversed: Vec<&str> = NAMES[..debaters].iter().rev().copied().collect();
        assert_eq!(speakers("closing_statement"), reversed);
    }
}
