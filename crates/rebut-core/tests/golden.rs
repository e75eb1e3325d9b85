//! Journals of earlier versions. Nothing was released yet, so none of them is read.

use rebut_core::debate::{FoldError, Plan};
use rebut_core::formats::begin;

use crate::TestDebate;

#[test]
fn a_journal_of_another_version_is_refused() {
    let test = TestDebate::duel(1).run();
    let mut first = serde_json::to_value(&test.events()[0]).expect("an event is JSON");
    first["happening"]["plan"]["version"] = 3.into();
    let first = serde_json::from_value(first).expect("an event");
    let error = begin(first).expect_err("another version");
    assert_eq!(error, FoldError::OtherVersion { version: 3 });
    assert!(error.to_string().contains(&format!("this build reads version {} only", Plan::VERSION)));
}
