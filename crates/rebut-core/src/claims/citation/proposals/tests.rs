use super::super::find;

fn quotes(text: &str) -> Vec<String> {
    find(text).into_iter().flat_map(|citation| citation.quotes).collect()
}

#[test]
fn what_was_made_or_must_change_is_no_proposal() {
    for text in [
        "Something is off at src/pool.rs:35: `mem::forget(guard);`.",
        "The updated code at src/pool.rs:35 is `mem::forget(guard);`.",
        "The patched line src/pool.rs:35 is `mem::forget(guard);`.",
        "src/pool.rs:35 must be wrong: `mem::forget(guard);`.",
    ] {
        assert_eq!(find(text)[0].quotes.len(), 1, "{text}");
    }
    for text in ["src/pool.rs:35 should be `drop(guard);`.", "src/pool.rs:35 should be replaced by `drop(guard);`."] {
        assert_eq!(find(text)[0].quotes.len(), 0, "{text}");
    }
}

#[test]
fn where_nobody_can_tell_code_is_neither_a_quote_nor_passed_over() {
    let told = |lead: &str| {
        let found = find(&format!("{lead}\n\n```rust\nmem::forget(guard);\n```\n"));
        (found[0].quotes.len(), found[0].perhaps.len())
    };
    for lead in [
        "src/pool.rs:35 should be rewritten:",
        "src/pool.rs:35 should be guarded:",
        "A better version of src/pool.rs:35:",
        "Even better for src/pool.rs:35:",
        "Something like this at src/pool.rs:35:",
        "The corrected code for src/pool.rs:35 is:",
        "The improved src/pool.rs:35 looks like this:",
        "The test that covers src/pool.rs:35:",
        "The config that src/pool.rs:35 sets:",
        "Test plan for src/pool.rs:35:",
        "src/pool.rs:35 leaks. Config:",
        "src/pool.rs:35 leaks. Proof of concept:",
        "src/pool.rs:35 leaks. The result is:",
        "src/pool.rs:35 leaks. The panic message:",
        "src/pool.rs:35 leaks. This input crashes it:",
        "src/pool.rs:35 leaks. The stack trace shows:",
    ] {
        assert_eq!(told(lead), (0, 1), "{lead}");
    }
    for lead in [
        "The test for it in tests/pool.rs:5:",
        "tests/pool.rs:8 is the test:",
        "The test that covers it, tests/pool.rs:8, reads:",
        "The config for the probe is in src/pool.rs:35:",
        "The query to blame is at src/pool.rs:35:",
        "src/pool.rs:35 leaks. Instead it reads:",
        "src/pool.rs:35 leaks. The config reads:",
        "src/pool.rs:35 leaks. The test says:",
        "src/pool.rs:35 leaks. Currently:",
        "src/pool.rs:35 leaks. The code:",
        "src/pool.rs:35 leaks. Quoted verbatim:",
        "src/pool.rs:35 leaks. Evidence:",
        "src/pool.rs:35 leaks. Before:",
        "src/pool.rs:35 leaks. The bug:",
        "tests/pool.rs:8 is slow. Existing test:",
    ] {
        assert_eq!(told(lead), (1, 0), "{lead}");
    }
    for lead in ["src/pool.rs:35 leaks. Expected:", "src/pool.rs:35 leaks. Workaround:", "src/pool.rs:35 leaks. Consider:"] {
        assert_eq!(told(lead), (0, 0), "{lead}");
    }
}

#[test]
fn what_may_be_wished_or_printed_beside_a_place_is_no_sure_quote() {
    for text in [
        "src/a.rs:9 should be fixed: `mem::forget(guard);` is wrong.",
        "The fixed version of src/a.rs:9 uses `mem::forget(guard);`.",
        "The log that src/a.rs:9 writes is `mem::forget(guard);`.",
        "src/a.rs:9 prints `mem::forget(guard);`.",
    ] {
        let found = find(text);
        assert_eq!((found[0].quotes.len(), found[0].perhaps.len()), (0, 1), "{text}");
    }
    assert_eq!(quotes("`src/a.rs:9` runs as root \u{2192} use `USER 65532` there."), [""; 0]);
}

#[test]
fn a_title_of_its_own_over_a_block_makes_it_no_quote_of_the_place_before() {
    let quoted = |lead: &str| {
        let text = format!("src/pool.rs:29 unwraps. {lead}\n\n```rust\nlet guard = lock()?;\n```\n");
        find(&text)[0].quotes.len()
    };
    for lead in ["Instead:", "To reproduce:", "A safer version:", "Output:"] {
        assert_eq!(quoted(lead), 0, "{lead}");
    }
    for lead in ["Here's a test that covers src/pool.rs:47:", "For src/pool.rs:47 I wrote this test:"] {
        let text = format!("{lead}\n\n```rust\nassert_eq!(pool.prune(), 0);\n```\n");
        assert_eq!(find(&text)[0].quotes.len(), 0, "{lead}");
    }
    assert_eq!(find("The test at tests/pool.rs:3:\n\n```rust\nassert!(x);\n```\n")[0].quotes.len(), 1);
    assert_eq!(quoted("It reads:"), 1);
}

#[test]
fn code_below_a_place_is_its_quote_where_the_sentence_speaks_of_a_bug() {
    for said in [
        "src/a.rs:9 never releases the lock:",
        "The lock is not released at src/a.rs:9:",
        "There is no unlock in src/a.rs:9:",
        "src/a.rs:9 leaks the guard without unlocking:",
        "The error handling is missing in src/a.rs:9:",
        "The error handling is missing (src/a.rs:9):",
        "Missing unlock at src/a.rs:9:",
        "The new guard is leaked at src/a.rs:9:",
        "src/a.rs:9, added later, leaks the guard:",
        "This could deadlock (src/a.rs:9):",
        "This would deadlock, see src/a.rs:9:",
        "Nothing unlocks it \u{2014} src/a.rs:9:",
        "src/a.rs:9 should have dropped the guard, but it says:",
        "src/a.rs:9 should never block:",
        "src/a.rs:9 leaks the guard instead of dropping it:",
        "After this change src/a.rs:9 leaks the guard:",
        "Let us look at src/a.rs:9:",
        "You should change this, see src/a.rs:9:",
        "It could have leaked (src/a.rs:9):",
        "src/a.rs:9 needs the lock but never takes it:",
        "Consider src/a.rs:9:",
        "After the lock is taken, src/a.rs:9 leaks it:",
    ] {
        let text = format!("{said}\n\n```rust\nmem::forget(guard);\n```");
        assert_eq!(quotes(&text), ["mem::forget(guard);"], "{said}");
    }
}

#[test]
fn code_that_is_proposed_below_a_place_is_no_quote_of_it() {
    for said in [
        "Suggested change for src/a.rs:9:",
        "Suggested fix (src/a.rs:9):",
        "Fix for src/a.rs:9:",
        "Here is how I would rewrite src/a.rs:9:",
        "New version of src/a.rs:9:",
        "The new src/a.rs:9:",
        "Patched src/a.rs:9:",
        "**After** src/a.rs:9:",
        "src/a.rs:9 after the change:",
        "src/a.rs:9 (after):",
        "Update src/a.rs:9 to:",
        "Insert at src/a.rs:9:",
        "In src/a.rs:9, do this instead:",
        "Something like this in src/a.rs:9 would do:",
        "src/a.rs:9 becomes:",
        "src/a.rs:9 should be:",
        "You need to change src/a.rs:9 to:",
    ] {
        let text = format!("{said}\n\n```rust\nmem::drop(guard);\n```");
        assert_eq!(quotes(&text), [""; 0], "{said}");
    }
}

#[test]
fn code_that_is_said_not_to_stand_there_is_no_quote() {
    for said in
        ["src/a.rs:9 does not say:", "src/a.rs:9 lacks:", "Missing in src/a.rs:9:", "Nothing like this in src/a.rs:9:"]
    {
        let text = format!("{said}\n\n```rust\nmem::drop(guard);\n```");
        assert_eq!(quotes(&text), [""; 0], "{said}");
    }
}

#[test]
fn words_of_a_bug_beside_a_place_leave_the_code_its_quote() {
    for text in [
        "src/a.rs:9 never unlocks: `mem::forget(guard);`.",
        "This could deadlock: `mem::forget(guard);` at src/a.rs:9.",
        "The new code at src/a.rs:9 reads `mem::forget(guard);`.",
        "The added line src/a.rs:9 reads `mem::forget(guard);`.",
        "You could not know that src/a.rs:9 says `mem::forget(guard);`.",
        "It is not safe that src/a.rs:9 has `mem::forget(guard);`.",
        "The problem with running `mem::forget(guard);` at src/a.rs:9 is the leak.",
        "To make it worse, src/a.rs:9 says `mem::forget(guard);`.",
        "Let me quote src/a.rs:9: `mem::forget(guard);`.",
        "The fix at src/a.rs:9 is `mem::forget(guard);`.",
        "We put connections back with `mem::forget(guard);` (src/a.rs:9).",
        "Releases insert via `mem::forget(guard);` (src/a.rs:9).",
        "src/a.rs:9 does the insert: `mem::forget(guard);`.",
        "src/a.rs:9 declares put as `mem::forget(guard);`.",
        "Callers use `mem::forget(guard);` (src/a.rs:9).",
        "Use it with care: src/a.rs:9 says `mem::forget(guard);`.",
        "You should change this because src/a.rs:9 says `mem::forget(guard);`.",
        "The updated handler takes the lock and runs `mem::forget(guard);` (src/a.rs:9).",
        "Fix the race in the worker that calls `mem::forget(guard);` (src/a.rs:9).",
    ] {
        assert_eq!(quotes(text), ["mem::forget(guard);"], "{text}");
    }
}

#[test]
fn an_order_or_a_wish_beside_a_place_quotes_nothing() {
    for text in [
        "Wrap src/a.rs:9 in `timeout(limit, open())`.",
        "Guard src/a.rs:9 with `if cfg!(test)`.",
        "Return `Err(Exhausted::new())` at src/a.rs:9.",
        "Return early at src/a.rs:9 with `return Err(Full);`.",
        "Make src/a.rs:9 `idle: RwLock<Vec<u8>>`.",
        "At src/a.rs:9, call `lock().map_err(x)` instead of `unwrap()`.",
        "At src/a.rs:9, do `mem::drop(guard)` first.",
        "Fix at src/a.rs:9: `self.idle.lock().await`.",
        "Suggestion (src/a.rs:9): `self.idle.lock().await`.",
        "My fix for src/a.rs:9 is `self.idle.lock().await`.",
        "It'd be safer to have `self.idle.lock().await` at src/a.rs:9.",
        "With `self.idle.lock().await` at src/a.rs:9 the problem would vanish.",
        "src/a.rs:9 forgets `.map_err(Full::from)?`.",
        "I expected `.map_err(Full::from)?` at src/a.rs:9.",
        "After the fix src/a.rs:9 reads `self.idle.lock().await`.",
        "Once fixed, src/a.rs:9 says `self.idle.lock().await`.",
        "Run `make install` (Makefile:1) first.",
    ] {
        assert_eq!(quotes(text), [""; 0], "{text}");
    }
    // What is asked to be taken away stands there.
    assert_eq!(quotes("Remove `drop(guard);` at src/a.rs:9."), ["drop(guard);"]);
    assert_eq!(quotes("Fix src/a.rs:9 (`drop(guard);`) soon."), ["drop(guard);"]);
}

#[test]
fn what_is_in_doubt_takes_nothing_from_a_quote() {
    let found = find("`src/a.rs:9` reads `std::env::var(\"PORT\")`. Output:\n\n```\nlistening on 7070\n```\n");
    assert_eq!((found[0].quotes.len(), found[0].perhaps.len()), (1, 0));
}
