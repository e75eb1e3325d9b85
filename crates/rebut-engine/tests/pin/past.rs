//! Files as they stood in a commit, while the workspace goes on.

use std::sync::Arc;

use rebut_core::claims::citation::find;
use rebut_engine::evidence::{Allowed, Examiner};

use super::ground::{Ground, commit, git};

fn told(examiner: &Examiner, text: &str) -> Vec<String> {
    examiner.examine_now(find(text)).iter().map(ToString::to_string).collect()
}

#[test]
fn a_file_is_looked_up_as_it_stood_in_the_commit_that_is_named_with_it() {
    let ground = Ground::repository();
    ground.write("src/past.rs", "fn one() {}\nfn two() { old(); }\n");
    commit(&ground.ws());
    let old = git(&ground.ws(), &["rev-parse", "HEAD"]).trim().to_owned();
    ground.write("src/past.rs", "fn one() {}\n");
    commit(&ground.ws());
    let pin = Arc::new(ground.pin());
    let examiner = Examiner::over_pin(pin, &ground.ws(), Allowed::default());
    let there = format!("✔ {old}:src/past.rs:2: verified, the quote stands there, in that commit");
    assert_eq!(told(&examiner, &format!("src/past.rs@{old}:2 reads `fn two() {{ old(); }}`.")), [there.as_str()]);
    assert_eq!(told(&examiner, &format!("{old}:src/past.rs:2 reads `fn two() {{ old(); }}`.")), [there.as_str()]);
    let [lines] = &told(&examiner, &format!("See {old}:src/past.rs:9."))[..] else { panic!("one citation") };
    assert_eq!(*lines, format!("✘ {old}:src/past.rs:9: the file has 2 lines, in that commit"));
    let [gone] = &told(&examiner, &format!("See {old}:src/nope.rs:9."))[..] else { panic!("one citation") };
    assert_eq!(*gone, format!("✘ {old}:src/nope.rs:9: missing, there is no such file, in that commit"));
    assert_eq!(
        told(&examiner, "See 0123abcd9:src/past.rs:1."),
        ["✘ 0123abcd9:src/past.rs:1: missing, there is no such commit"]
    );
    // The commit that was checked out when the debate began, whatever is now.
    ground.write("src/past.rs", "fn three() {}\n");
    commit(&ground.ws());
    assert_eq!(
        told(&examiner, "HEAD:src/past.rs:1 reads `fn one() {}`."),
        ["✔ HEAD:src/past.rs:1: verified, the quote stands there, in that commit"]
    );
    let touched = "✔ commit HEAD src/past.rs: verified, the commit touches the file";
    assert_eq!(told(&examiner, "Commit HEAD changed src/past.rs.")[0], touched);
    assert!(told(&examiner, "Commit HEAD changed README.md.")[0].starts_with("✘ commit HEAD README.md:"));
}
