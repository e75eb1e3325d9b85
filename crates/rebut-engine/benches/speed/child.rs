//! Our time around a child: from its start to its last byte and the last of its family, against a bare start and read of
//! the same program.

use std::io::{Read, Write};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use rebut_engine::process::{self, ChildLimits, Launch, Next};
use tokio_util::sync::CancellationToken;

use crate::figures::{median, ms, ms_text};
use crate::stage::Stage;
use crate::table::{Row, Table};

const TIMES: usize = 60;

/// What a child is told and says again: a short prompt, and a long one.
const SIZES: [(&str, usize); 2] = [("4 KB", 4_000), ("200 KB", 200_000)];

pub(crate) fn measure(stage: &Stage, table: &mut Table) {
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap();
    let folder = stage.folder("child");
    for (name, bytes) in SIZES {
        let input = "a line of about fifty bytes, as a tool may say it\n".repeat(bytes / 50).into_bytes();
        let launch = Launch {
            program: "cat".into(),
            arguments: Vec::new(),
            folder: folder.clone(),
            variables: Vec::new(),
            input: input.clone(),
        };
        let (mut ours, mut bares, mut differences) = (Vec::new(), Vec::new(), Vec::new());
        for _ in 0..TIMES {
            let bare = ms(bare(&launch));
            let our = ms(runtime.block_on(supervised(&launch)));
            ours.push(our);
            bares.push(bare);
            differences.push(our - bare);
        }
        let (our, bare, difference) = (median(ours), median(bares), median(differences));
        let row = Row::new(format!("a child that says {name}, to its last byte"), ms_text(our));
        table.add(row.ideal(format!("{} (bare)", ms_text(bare)), our / bare));
        table.add(Row::new("of it ours", ms_text(difference)).aim("< 5 ms", difference < 5.0));
    }
}

async fn supervised(launch: &Launch) -> Duration {
    let began = Instant::now();
    let output = process::run(launch, &ChildLimits::default(), &mut |_| Next::Continue, &CancellationToken::new()).await;
    let elapsed = began.elapsed();
    assert_eq!(output.unwrap().stdout.len(), launch.input.len());
    elapsed
}

/// The same with nothing around it.
fn bare(launch: &Launch) -> Duration {
    let began = Instant::now();
    let mut child = Command::new(&launch.program)
        .current_dir(&launch.folder)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut stdin = child.stdin.take().unwrap();
    let mut output = Vec::new();
    std::thread::scope(|scope| {
        // A child that speaks while it is told something would wait for ever for one that does not listen.
        scope.spawn(move || stdin.write_all(&launch.input).unwrap());
        child.stdout.take().unwrap().read_to_end(&mut output).unwrap();
    });
    assert!(child.wait().unwrap().success());
    let elapsed = began.elapsed();
    assert_eq!(output.len(), launch.input.len());
    elapsed
}
