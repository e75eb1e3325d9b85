//! Whoever judges a source gets what stands there: lines of a file with those around them, and what a commit says of itself.

use rebut_core::claims::citation::{Citation, Lines, Target};

use crate::repository::Repository;

fn wanted(target: Target) -> Citation {
    Citation { with_text: true, ..Citation::of(target) }
}

#[test]
fn lines_and_commits_come_with_their_text_where_it_is_wanted() {
    let repository = Repository::build();
    let file = Target::File { path: "src/pool.rs".to_owned(), lines: Some(Lines::new(2, 2)) };
    let commit = Target::Commit { hash: repository.commits[2].clone(), path: None };
    let missing = Target::File { path: "src/none.rs".to_owned(), lines: None };
    let asked = vec![wanted(file.clone()), wanted(commit), wanted(missing), Citation::of(file)];
    let found = repository.examiner().examine_now(asked);
    let passage = found[0].passage.as_deref().unwrap();
    assert!(passage.starts_with("1: ") && passage.contains("\n2: "), "{passage}");
    let told = found[1].passage.as_deref().unwrap();
    assert!(told.starts_with("Wait longer") && told.contains("src/pool.rs"), "{told}");
    assert_eq!((&found[2].passage, &found[3].passage), (&None, &None), "nothing of what is not there or not wanted");
}
