use super::*;

fn hear(script: &str, limit: Duration, unwanted: bool) -> Result<Vec<u8>, GitError> {
    let mut shell = Command::new("/bin/sh");
    shell.args(["-c", script]);
    let mut heard = Vec::new();
    listen(shell, Vec::new(), &[0], limit, &|| unwanted, |piece| {
        heard.extend_from_slice(piece);
        Ok::<_, GitError>(if heard.len() > 10 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) })
    })?;
    Ok(heard)
}

#[test]
fn a_git_that_hangs_is_ended_with_its_limit_or_when_nobody_wants_it() {
    let soon = Duration::from_millis(1);
    assert_eq!(hear("exec sleep 600", soon, false), Err(GitError::Late(soon)));
    assert_eq!(hear("exec sleep 600", LIMIT, true), Err(GitError::Unwanted));
    // What it has started holds the pipe open, and is ended too.
    assert_eq!(hear("sleep 600 & exec sleep 600", soon, false), Err(GitError::Late(soon)));
    // It has closed its output and does not end.
    let soon = Duration::from_millis(300);
    assert_eq!(hear("exec >&- 2>&-; sleep 600", soon, false), Err(GitError::Late(soon)));
}

#[test]
fn what_a_git_prints_and_complains_of_is_heard_up_to_its_bound() {
    let hear = |script: &str| hear(script, LIMIT, false);
    assert_eq!(hear("printf 1234567890").as_deref(), Ok(&b"1234567890"[..]));
    assert!(hear("while :; do printf 1234567890; done").is_ok_and(|heard| heard.len() > 10));
    let said = hear("echo 'error: no' >&2; echo more >&2; exit 3").unwrap_err();
    assert_eq!((said.to_string(), said.in_full()), ("git says: error: no".into(), "git says: no; more".into()));
    assert_eq!(hear("exit 3").unwrap_err().to_string(), "git says: nothing");
}

#[test]
fn records_are_whole_however_they_come() {
    let (mut begun, mut records) = (Vec::new(), Vec::new());
    for piece in ["a\0b", "c\0\0", "d", "", "e\0rest"] {
        let mut take = |record: &[u8]| {
            records.push(String::from_utf8_lossy(record).into_owned());
            Ok::<(), GitError>(())
        };
        split_records(&mut begun, piece.as_bytes(), &mut take).unwrap();
    }
    assert_eq!((records.join("|"), &begun[..]), ("a|bc||de".to_owned(), &b"rest"[..]));
}
