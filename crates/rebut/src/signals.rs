//! Ctrl-C and its kin. They are heard on a thread of their own: the main one may be waiting for a disk, or for a reader that
//! has stopped reading.

use tokio_util::sync::CancellationToken;

use crate::error::{CommandError, Exit};
use crate::terminal::Screen;

/// Listens from now on. The first signal asks the debate to stop in good order; the second ends the process at once, and so
/// does the first where the debate has ended and only a reader is waited for.
pub(crate) fn listen(screen: &Screen) -> Result<CancellationToken, CommandError> {
    let stop = CancellationToken::new();
    let (asked, screen) = (stop.clone(), screen.clone());
    let (ready, listening) = std::sync::mpsc::channel();
    let cannot = |error: std::io::Error| CommandError::failed(format!("signals cannot be listened to: {error}"));
    let listen = move || {
        let runtime = match tokio::runtime::Builder::new_current_thread().enable_all().build() {
            Ok(runtime) => runtime,
            Err(error) => return drop(ready.send(Err(error))),
        };
        runtime.block_on(async move {
            let mut signals = match Signals::register() {
                Ok(signals) => signals,
                Err(error) => return drop(ready.send(Err(error))),
            };
            // Nobody waits for this any more only if the process is at its end.
            let _ = ready.send(Ok(()));
            signals.next().await;
            if screen.is_finishing() {
                std::process::exit(Exit::Cancelled as i32);
            }
            screen.error_text("Stopping… press Ctrl-C again to quit immediately");
            asked.cancel();
            // A terminal that is closed says so more than once, and nobody is left there who would be in a hurry.
            while signals.next().await != Heard::Stop {}
            // The guard ends what is under way.
            std::process::exit(Exit::Cancelled as i32);
        });
    };
    std::thread::Builder::new().name("signals".to_owned()).spawn(listen).map_err(cannot)?;
    match listening.recv() {
        Ok(Ok(())) => Ok(stop),
        Ok(Err(error)) => Err(cannot(error)),
        Err(_) => Err(CommandError::failed("signals cannot be listened to")),
    }
}

/// What was heard.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Heard {
    /// Somebody wants it to stop.
    Stop,
    /// The terminal is gone.
    #[cfg(unix)]
    HangUp,
}

#[cfg(unix)]
struct Signals {
    heard: Vec<(Heard, tokio::signal::unix::Signal)>,
    /// Held so that a file that grew too large is an error of the write, and not the end of the process.
    _file_too_large: tokio::signal::unix::Signal,
}

#[cfg(unix)]
impl Signals {
    fn register() -> std::io::Result<Self> {
        use tokio::signal::unix::{SignalKind, signal};
        const SIGXFSZ: i32 = 25;
        let kinds = [
            (Heard::Stop, SignalKind::interrupt()),
            (Heard::Stop, SignalKind::terminate()),
            (Heard::HangUp, SignalKind::hangup()),
        ];
        // Whoever started us may have said that a signal does not concern us, as nohup does.
        let kinds = kinds.into_iter().filter(|(_, kind)| !rebut_engine::process::ignores(kind.as_raw_value()));
        let heard = kinds.map(|(heard, kind)| Ok((heard, signal(kind)?))).collect::<std::io::Result<_>>()?;
        Ok(Self { heard, _file_too_large: signal(SignalKind::from_raw(SIGXFSZ))? })
    }

    async fn next(&mut self) -> Heard {
        std::future::poll_fn(|context| {
            let any =
                self.heard.iter_mut().find_map(|(heard, signal)| signal.poll_recv(context).is_ready().then_some(*heard));
            any.map_or(std::task::Poll::Pending, std::task::Poll::Ready)
        })
        .await
    }
}

#[cfg(not(unix))]
struct Signals;

#[cfg(not(unix))]
impl Signals {
    fn register() -> std::io::Result<Self> {
        Ok(Self)
    }

    async fn next(&mut self) -> Heard {
        let _ = tokio::signal::ctrl_c().await;
        Heard::Stop
    }
}
