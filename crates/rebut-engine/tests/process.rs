//! A child is heard, limited and ended, whatever it does; nothing of it survives.
#![cfg(unix)]
#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use std::time::Duration;

use rebut_engine::process::{ChildEvent, ChildLimits, End, Launch, Next, Output, Subprocess, run};
use rebut_fakes::Mark;
use tokio_util::sync::CancellationToken;

/// A shell that does this, with a mark by which its family can be found.
struct Shell {
    launch: Launch,
    child_limits: ChildLimits,
    mark: Mark,
}

impl Shell {
    fn doing(script: &str) -> Self {
        let mark = Mark::new();
        let launch = Launch {
            program: "/bin/sh".into(),
            arguments: vec!["-c".into(), script.into()],
            folder: "/".into(),
            variables: vec![(Mark::NAME.into(), mark.value.clone().into())],
            input: Vec::new(),
        };
        let child_limits = ChildLimits { grace: Duration::from_millis(100), ..ChildLimits::default() };
        Self { launch, child_limits, mark }
    }

    async fn heard(&self, cancel: &CancellationToken, mut listen: impl FnMut(&str) -> Next + Send) -> Output {
        let output = run(&self.launch, &self.child_limits, &mut listen, cancel).await.unwrap();
        assert_eq!(self.mark.survivors(), Vec::<String>::new());
        output
    }

    async fn run(&self) -> (Output, Vec<String>) {
        let mut lines = Vec::new();
        let output = self
            .heard(&CancellationToken::new(), |line| {
                lines.push(line.to_owned());
                Next::Continue
            })
            .await;
        (output, lines)
    }
}

fn code(output: &Output) -> Option<i32> {
    match output.end {
        End::Exited(status) => status.code(),
        _ => None,
    }
}

#[tokio::test]
async fn a_child_reads_its_input_and_is_heard_line_by_line() {
    let mut shell = Shell::doing("cat; echo last >&2; printf end; exit 3");
    shell.launch.input = "größe\nzwei\n".repeat(20_000).into_bytes();
    let (output, lines) = shell.run().await;
    assert_eq!(lines.len(), 40_001);
    assert_eq!(lines[0], "größe");
    assert_eq!(lines[40_000], "end", "a last line needs no newline");
    assert_eq!(code(&output), Some(3));
    assert_eq!(output.stderr, b"last\n");
}

#[tokio::test]
async fn a_child_that_does_not_read_its_input_is_no_error() {
    let mut shell = Shell::doing("echo done");
    shell.launch.input = vec![b'x'; 4_000_000];
    let (output, lines) = shell.run().await;
    assert_eq!((code(&output), lines), (Some(0), vec!["done".to_owned()]));
}

#[tokio::test]
async fn a_flood_on_both_pipes_is_cut_and_deadlocks_nobody() {
    let mut shell = Shell::doing("yes error >&2 & yes output");
    shell.child_limits.most_bytes = 1_000_000;
    let (output, _) = shell.run().await;
    assert_eq!(output.end, End::TooLarge);
    assert_eq!(output.stdout.len(), 1_000_000);
    assert!(output.stderr.len() <= 64 * 1024);
}

#[tokio::test]
async fn complaints_without_end_are_read_and_only_the_last_are_kept() {
    let (output, lines) =
        Shell::doing("head -c 20000000 /dev/zero | tr '\\0' e >&2; echo last >&2; echo answer").run().await;
    assert_eq!((code(&output), lines), (Some(0), vec!["answer".to_owned()]));
    assert_eq!(output.stderr.len(), 64 * 1024);
    assert!(output.stderr.ends_with(b"elast\n"));
}

#[tokio::test]
async fn bytes_that_are_no_text_are_heard_as_far_as_they_are() {
    let (_, lines) = Shell::doing("printf 'a\\377b\\n\\300\\n'").run().await;
    assert_eq!(lines, ["a\u{fffd}b", "\u{fffd}"]);
}

#[tokio::test]
async fn a_child_that_has_said_enough_is_ended() {
    let shell = Shell::doing("echo one; echo enough; sleep 1000");
    let cancel = CancellationToken::new();
    let output = shell.heard(&cancel, |line| if line == "enough" { Next::Stop } else { Next::Continue }).await;
    assert_eq!(output.end, End::Stopped);
    assert_eq!(output.stdout, b"one\nenough\n");
}

#[tokio::test]
async fn a_child_that_ignores_being_asked_to_end_is_killed() {
    let shell = Shell::doing("trap '' TERM INT HUP; echo ready; while :; do sleep 1000; done");
    let cancel = CancellationToken::new();
    let stop = cancel.clone();
    let output = shell
        .heard(&cancel, move |_| {
            stop.cancel();
            Next::Continue
        })
        .await;
    assert_eq!(output.end, End::Cancelled);
}

/// Its member has no mark, so that nothing but the signal to the group ends it.
#[tokio::test]
async fn a_group_that_ignores_being_asked_to_end_is_killed_as_a_whole() {
    let stubborn = "trap '' TERM; echo $$; while :; do sleep 1000; done";
    let shell = Shell::doing(&format!("env -i sh -c \"{}\" & wait", stubborn.replace('$', "\\$")));
    let mut subprocess = Subprocess::start(&shell.launch, &shell.child_limits).unwrap();
    let member = hear(&mut subprocess, 1).await.remove(0);
    subprocess.end().await;
    // It is no child of ours: between the signal and its end lies a moment.
    let state = || std::fs::read_to_string(format!("/proc/{member}/stat")).unwrap_or_default();
    let lives = || state().rsplit_once(") ").is_some_and(|(_, rest)| !rest.starts_with(['Z', 'X']));
    let lives = (0..100_000).all(|_| {
        std::thread::yield_now();
        lives()
    });
    let pid = rustix::process::Pid::from_raw(member.parse().unwrap()).unwrap();
    let _ = rustix::process::kill_process(pid, rustix::process::Signal::KILL);
    assert!(!lives, "{}", state());
}

#[tokio::test]
async fn a_child_that_is_asked_to_end_may_say_goodbye() {
    let folder = tempfile::tempdir().unwrap();
    let mut shell = Shell::doing("trap 'echo bye > goodbye; exit 0' TERM; echo ready; while :; do sleep 0.01; done");
    shell.launch.folder = folder.path().to_owned();
    shell.child_limits.grace = Duration::from_secs(20);
    let cancel = CancellationToken::new();
    let stop = cancel.clone();
    shell
        .heard(&cancel, move |_| {
            stop.cancel();
            Next::Continue
        })
        .await;
    assert_eq!(std::fs::read_to_string(folder.path().join("goodbye")).unwrap(), "bye\n");
}

#[tokio::test]
async fn a_grandchild_that_holds_the_pipe_is_not_waited_for() {
    let (output, lines) = Shell::doing("sleep 1000 & echo answer").run().await;
    assert_eq!((code(&output), lines), (Some(0), vec!["answer".to_owned()]));
}

#[cfg(target_os = "linux")]
#[tokio::test]
async fn a_grandchild_that_left_the_group_is_found_all_the_same() {
    let (output, _) = Shell::doing("setsid sleep 1000 & echo answer").run().await;
    assert_eq!(code(&output), Some(0));
    let shell = Shell::doing("setsid sh -c 'trap \"\" TERM; while :; do sleep 1000; done' & echo answer; sleep 1000");
    let output = shell.heard(&CancellationToken::new(), |_| Next::Stop).await;
    assert_eq!(output.end, End::Stopped);
}

#[tokio::test]
async fn the_grace_is_for_the_whole_group_and_not_for_its_leader_alone() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("work");
    let member =
        format!("trap 'sleep 0.2; echo done > {}; exit' TERM; echo ready; while :; do sleep 0.01; done", file.display());
    let mut shell = Shell::doing(&format!("sh -c \"{member}\" & trap exit TERM; while :; do sleep 0.01; done"));
    shell.child_limits.grace = Duration::from_mins(1);
    let output = shell.heard(&CancellationToken::new(), |_| Next::Stop).await;
    assert_eq!(output.end, End::Stopped);
    assert_eq!(std::fs::read_to_string(file).unwrap(), "done\n");
}

#[tokio::test]
async fn a_child_that_closes_its_output_and_lives_on_has_said_what_it_had_to_say() {
    let (output, lines) = Shell::doing("echo answer; exec >&- 2>&-; sleep 1000").run().await;
    assert_eq!((output.end, lines), (End::Stopped, vec!["answer".to_owned()]));
}

#[tokio::test]
async fn silence_has_its_limits() {
    let mut shell = Shell::doing("sleep 1000");
    shell.child_limits.limits.first_output = Some(Duration::from_millis(100));
    assert_eq!(shell.run().await.0.end, End::Stalled(Duration::from_millis(100)));
    let mut shell = Shell::doing("echo first; sleep 1000");
    shell.child_limits.limits.stall = Some(Duration::from_millis(100));
    let (output, lines) = shell.run().await;
    assert_eq!((output.end, lines), (End::Stalled(Duration::from_millis(100)), vec!["first".to_owned()]));
}

#[tokio::test]
async fn one_that_closed_its_output_is_not_stalled() {
    let mut shell = Shell::doing("echo answer; exec sleep 1000 >&-");
    shell.child_limits.limits.stall = Some(Duration::from_millis(300));
    shell.child_limits.grace = Duration::from_millis(600);
    let (output, lines) = shell.run().await;
    assert_eq!((output.end, lines), (End::Stopped, vec!["answer".to_owned()]));
}

#[tokio::test]
async fn a_word_that_it_has_started_is_no_first_output() {
    let mut shell = Shell::doing("echo started; echo started; sleep 1000");
    shell.child_limits.limits.first_output = Some(Duration::from_millis(200));
    shell.child_limits.limits.stall = Some(Duration::from_mins(1));
    let output = shell.heard(&CancellationToken::new(), |_| Next::Idle).await;
    assert_eq!(output.end, End::Stalled(Duration::from_millis(200)));
}

#[tokio::test]
async fn signs_of_life_without_end_put_off_neither_limit() {
    let alive = |line: &str| if line == "begun" { Next::Continue } else { Next::Idle };
    let mut shell = Shell::doing("while :; do echo alive; sleep 0.02; done");
    shell.child_limits.limits.first_output = Some(Duration::from_millis(200));
    assert_eq!(shell.heard(&CancellationToken::new(), alive).await.end, End::Stalled(Duration::from_millis(200)));
    let mut shell = Shell::doing("echo begun; while :; do echo alive; sleep 0.02; done");
    shell.child_limits.limits.first_output = Some(Duration::from_mins(1));
    shell.child_limits.limits.stall = Some(Duration::from_millis(200));
    assert_eq!(shell.heard(&CancellationToken::new(), alive).await.end, End::Stalled(Duration::from_millis(200)));
}

#[tokio::test]
async fn a_call_that_is_dropped_takes_its_child_along() {
    let shell = Shell::doing("sleep 1000 & echo ready; sleep 1000");
    let (ready, heard) = tokio::sync::oneshot::channel();
    let mut ready = Some(ready);
    let cancel = CancellationToken::new();
    {
        let mut listen = |_: &str| {
            let _ = ready.take().map(|ready| ready.send(()));
            Next::Continue
        };
        let running = run(&shell.launch, &shell.child_limits, &mut listen, &cancel);
        tokio::select! {
            _ = running => panic!("it ended by itself"),
            _ = heard => {}
        }
    }
    assert_eq!(shell.mark.survivors(), Vec::<String>::new());
}

#[tokio::test]
async fn a_program_that_is_not_there_is_an_error() {
    let mut shell = Shell::doing("");
    shell.launch.program = "/no/such/program".into();
    let error =
        run(&shell.launch, &shell.child_limits, &mut |_| Next::Continue, &CancellationToken::new()).await.unwrap_err();
    assert_eq!(error.kind(), std::io::ErrorKind::NotFound);
}

/// A shell that stays, and what it says until it has said so many lines or ended.
async fn hear(subprocess: &mut Subprocess, most: usize) -> Vec<String> {
    let mut lines = Vec::new();
    while lines.len() < most {
        match subprocess.next_event().await {
            ChildEvent::Line(line) => lines.push(line),
            ChildEvent::ErrorLine(_) => {}
            ChildEvent::TooLarge => lines.push("too much".to_owned()),
            ChildEvent::Ended(status) => {
                lines.push(format!("ended {:?}", status.and_then(|status| status.code())));
                break;
            }
        }
    }
    lines
}

#[tokio::test]
async fn a_subprocess_is_told_and_heard_until_it_is_ended() {
    let shell = Shell::doing("while read -r line; do echo \"heard $line\"; done");
    let mut subprocess = Subprocess::start(&shell.launch, &shell.child_limits).unwrap();
    subprocess.send_line("one");
    assert_eq!(hear(&mut subprocess, 1).await, ["heard one"]);
    subprocess.send_line("two");
    subprocess.send_line("three");
    assert_eq!(hear(&mut subprocess, 2).await, ["heard two", "heard three"]);
    assert!(!subprocess.is_gone());
    subprocess.end().await;
    assert_eq!(shell.mark.survivors(), Vec::<String>::new());
}

/// On Linux a child is sent a signal when the thread that started it ends.
#[tokio::test]
async fn a_subprocess_outlives_the_thread_that_asked_for_it() {
    let shell = Shell::doing("while read -r line; do echo \"heard $line\"; done");
    let runtime = tokio::runtime::Handle::current();
    let (launch, child_limits) = (shell.launch.clone(), shell.child_limits);
    let start = move || {
        let _within = runtime.enter();
        Subprocess::start(&launch, &child_limits).unwrap()
    };
    let mut subprocess = std::thread::spawn(start).join().unwrap();
    for _ in 0..50 {
        subprocess.send_line("one");
        assert_eq!(hear(&mut subprocess, 1).await, ["heard one"]);
    }
    subprocess.end().await;
}

#[tokio::test]
async fn a_subprocess_that_writes_before_it_reads_blocks_nobody() {
    let shell = Shell::doing("head -c 3000000 /dev/zero | tr '\\0' e >&2; yes line | head -n 100000; wc -c");
    let mut subprocess = Subprocess::start(&shell.launch, &shell.child_limits).unwrap();
    for _ in 0..30 {
        subprocess.send_line(&"x".repeat(9_999));
    }
    assert_eq!(hear(&mut subprocess, 100_000).await.len(), 100_000);
    assert!(subprocess.stderr().ends_with(b"ee"));
    subprocess.end().await;
    assert_eq!(shell.mark.survivors(), Vec::<String>::new());
}

#[tokio::test]
async fn a_subprocess_that_ends_is_heard_to_its_last_word() {
    let shell = Shell::doing("echo last; echo why >&2; exit 3");
    let mut subprocess = Subprocess::start(&shell.launch, &shell.child_limits).unwrap();
    assert_eq!(hear(&mut subprocess, 9).await, ["last", "ended Some(3)"]);
    assert!(subprocess.is_gone());
    assert_eq!(subprocess.stderr(), b"why\n");
    // It can be asked again and again.
    assert_eq!(hear(&mut subprocess, 9).await, ["ended Some(3)"]);
}

#[tokio::test]
async fn a_subprocess_that_closes_its_output_or_leaves_it_to_others_is_not_waited_for() {
    let shell = Shell::doing("echo last; exec >&- 2>&-; sleep 1000");
    let mut subprocess = Subprocess::start(&shell.launch, &shell.child_limits).unwrap();
    assert_eq!(hear(&mut subprocess, 9).await, ["last", "ended None"]);
    subprocess.end().await;
    assert_eq!(shell.mark.survivors(), Vec::<String>::new());
    let shell = Shell::doing("sleep 1000 & echo last");
    let mut subprocess = Subprocess::start(&shell.launch, &shell.child_limits).unwrap();
    assert_eq!(hear(&mut subprocess, 9).await, ["last", "ended Some(0)"]);
    subprocess.end().await;
    assert_eq!(shell.mark.survivors(), Vec::<String>::new());
}

#[tokio::test]
async fn what_a_subprocess_may_say_counts_anew_in_every_turn() {
    let mut shell = Shell::doing("while read -r line; do echo 0123456789; done");
    shell.child_limits.most_bytes = 30;
    let mut subprocess = Subprocess::start(&shell.launch, &shell.child_limits).unwrap();
    for _ in 0..20 {
        subprocess.begin_turn();
        subprocess.send_line("go on");
        assert_eq!(hear(&mut subprocess, 1).await, ["0123456789"]);
    }
    for _ in 0..3 {
        subprocess.send_line("go on");
    }
    let heard = hear(&mut subprocess, 9).await;
    assert!(heard.contains(&"too much".to_owned()) && heard.last().unwrap().starts_with("ended"), "{heard:?}");
}

#[tokio::test]
async fn a_subprocess_that_is_dropped_takes_everything_along() {
    let shell = Shell::doing("trap '' TERM; sleep 1000 & setsid sleep 1000 & echo ready; sleep 1000");
    let mut subprocess = Subprocess::start(&shell.launch, &shell.child_limits).unwrap();
    assert_eq!(hear(&mut subprocess, 1).await, ["ready"]);
    drop(subprocess);
    assert_eq!(shell.mark.survivors(), Vec::<String>::new());
}
