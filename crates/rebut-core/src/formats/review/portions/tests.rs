use proptest::prelude::*;
use proptest::test_runner::RngSeed;

use super::*;
use crate::diff::tests::{Made, made, written};

#[test]
fn the_riskiest_part_comes_first() {
    let file = |path: &str, line: &str| format!("--- a/{path}\n+++ b/{path}\n@@ -1 +1 @@\n-x\n+{line}\n");
    let text = [
        file("docs/auth.md", "how the password token works"),
        file("Cargo.lock", "version = 2"),
        file("src/color.rs", "let red = 3;"),
        file("src/login.rs", "if password == stored { unsafe { grant(session) } }"),
        file("tests/login.rs", "assert!(login(password))"),
    ]
    .concat();
    let all = portions(&Diff::parse(&text), 150);
    let order: Vec<&str> = all.pieces.iter().flat_map(|portion| portion.files.iter().map(String::as_str)).collect();
    assert_eq!(order.first(), Some(&"src/login.rs"));
    assert!(all.pieces.iter().all(|portion| portion.text.len() <= 150), "{order:?}");
    assert_eq!(order.len(), 5);
    assert!(all.pieces.windows(2).all(|two| two[0].risk >= two[1].risk));
}

proptest! {
    #![proptest_config(ProptestConfig { rng_seed: RngSeed::Fixed(0x3fa9), ..ProptestConfig::default() })]

    #[test]
    fn portions_leave_nothing_out(files in made(), most in 280_usize..500) {
        let files: Vec<Made> = files.into_iter().enumerate().map(|(at, file)| Made { path: format!("{at}{}", file.path), ..file }).collect();
        let diff = Diff::parse(&written(&files, true));
        let all = portions(&diff, most);
        prop_assert!(all.too_long.is_empty(), "{:?}", all.too_long);
        let mut found: Vec<FileDiff> = Vec::new();
        for portion in &all.pieces {
            prop_assert!(portion.text.len() <= most, "{} of {most}", portion.text.len());
            found.extend(Diff::parse(&portion.text).files);
        }
        prop_assert!(all.pieces.windows(2).all(|two| two[0].risk >= two[1].risk));
        // Put back in order, the lines are all there are, with the numbers that they had.
        found.sort_by_key(|file| (file.path().to_owned(), file.hunks.first().map(|hunk| (hunk.new_start + hunk.old_start, hunk.new_start))));
        let numbered = |files: &[FileDiff]| {
            let mut lines = Vec::new();
            for file in files {
                for hunk in &file.hunks {
                    let mut old = hunk.old_start + u32::from(hunk.old_count() == 0);
                    let mut new = hunk.new_start + u32::from(hunk.new_count() == 0);
                    for line in &hunk.lines {
                        let (on_old, on_new) = (!matches!(line, HunkLine::Added(_)), !matches!(line, HunkLine::Removed(_)));
                        if !matches!(line, HunkLine::NoNewline(_)) {
                            lines.push((file.path().to_owned(), on_old.then_some(old), on_new.then_some(new), line.to_string()));
                            (old, new) = (old + u32::from(on_old), new + u32::from(on_new));
                        }
                    }
                }
            }
            lines.sort();
            lines
        };
        prop_assert_eq!(numbered(&found), numbered(&diff.files));
        let mut paths: Vec<&str> = all.pieces.iter().flat_map(|portion| portion.files.iter().map(String::as_str)).collect();
        paths.sort_unstable();
        paths.dedup();
        let mut expected = diff.paths();
        expected.sort_unstable();
        prop_assert_eq!(paths, expected);
    }

    #[test]
    fn the_portions_of_a_snippet_are_the_whole_text(text in "([a-z {}é]{0,20}\n|\n|    [a-z]{1,9}\n){0,40}", most in 90_usize..300) {
        let portions = snippet_portions(&text, most);
        prop_assert!(portions.iter().all(|portion| portion.text.len() <= most && text.contains(&portion.text)));
        prop_assert_eq!(portions.iter().map(|portion| portion.text.len()).sum::<usize>(), text.len());
    }
}
