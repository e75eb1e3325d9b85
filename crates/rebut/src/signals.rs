//! Ctrl-C and other signals, on a thread of their own: the main one may be waiting for a disk or a slow reader.

use tokio::runtime::Runtime;
use tokio::signal::unix::{SignalKind, signal};
use tokio::sync::mpsc::{UnboundedReceiver, unbounded_channel};
use tokio_util::sync::CancellationToken;

use crate::error::{CommandError, Exit};
use crate::run::runtime;
use crate::terminal::Screen;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Heard {
    Stop,
    HangUp,
}

/// Listens from now on. The first signal stops the debate in order; the second quits at once, as does the first if only the
/// output is left.
pub(crate) fn listen(screen: &Screen) -> Result<CancellationToken, CommandError> {
    let cannot = |error: std::io::Error| CommandError::failed(format!("can't listen to signals: {error}"));
    let runtime = runtime()?;
    let mut signals = match register(&runtime) {
        Ok(signals) => signals,
        Err(error) => {
            // The caller may be in another runtime, where one may not be dropped.
            runtime.shutdown_background();
            return Err(cannot(error));
        }
    };
    let stop = CancellationToken::new();
    let (asked, screen) = (stop.clone(), screen.clone());
    let listen = move || {
        runtime.block_on(async move {
            if signals.recv().await.is_none() {
                return;
            }
            if screen.is_finishing() {
                std::process::exit(Exit::Cancelled as i32);
            }
            screen.error_text("Stopping… press Ctrl-C again to quit immediately");
            asked.cancel();
            // A closing terminal sends several hang-ups, which are no second Ctrl-C.
            while signals.recv().await != Some(Heard::Stop) {}
            // The guard ends the children.
            std::process::exit(Exit::Cancelled as i32);
        });
    };
    std::thread::Builder::new().name("signals".to_owned()).spawn(listen).map_err(cannot)?;
    Ok(stop)
}

fn register(runtime: &Runtime) -> std::io::Result<UnboundedReceiver<Heard>> {
    const SIGXFSZ: i32 = 25;
    let _entered = runtime.enter();
    let (send, heard) = unbounded_channel();
    let kinds = [
        (Heard::Stop, SignalKind::interrupt()),
        (Heard::Stop, SignalKind::terminate()),
        (Heard::HangUp, SignalKind::hangup()),
    ];
    // A signal that the parent ignores, as nohup does, stays ignored.
    for (what, kind) in kinds.into_iter().filter(|(_, kind)| !rebut_engine::process::ignores(kind.as_raw_value())) {
        let (mut signal, send) = (signal(kind)?, send.clone());
        runtime.spawn(async move { while signal.recv().await.is_some() && send.send(what).is_ok() {} });
    }
    // From now on a file that grows too large makes the write fail, and doesn't kill the process.
    drop(signal(SignalKind::from_raw(SIGXFSZ))?);
    Ok(heard)
}
