//! Ctrl-C and other signals, on a thread of their own: the main one may be waiting for a disk or a slow reader.

use tokio_util::sync::CancellationToken;

use crate::error::{CommandError, Exit};
use crate::run::runtime;
use crate::terminal::Screen;

/// Listens from now on. The first signal stops the debate in order; the second quits at once, as does the first if only the
/// output is left.
pub(crate) fn listen(screen: &Screen) -> Result<CancellationToken, CommandError> {
    let cannot = |error: std::io::Error| CommandError::failed(format!("can't listen to signals: {error}"));
    let runtime = runtime()?;
    let registered = {
        let _entered = runtime.enter();
        Signals::register()
    };
    let mut signals = match registered {
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
            signals.next().await;
            if screen.is_finishing() {
                std::process::exit(Exit::Cancelled as i32);
            }
            screen.error_text("Stopping… press Ctrl-C again to quit immediately");
            asked.cancel();
            // A closing terminal sends several hang-ups, which are no second Ctrl-C.
            while signals.next().await != Heard::Stop {}
            // The guard ends the children.
            std::process::exit(Exit::Cancelled as i32);
        });
    };
    std::thread::Builder::new().name("signals".to_owned()).spawn(listen).map_err(cannot)?;
    Ok(stop)
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Heard {
    Stop,
    HangUp,
}

struct Signals {
    heard: Vec<(Heard, tokio::signal::unix::Signal)>,
    /// Keeps SIGXFSZ from killing the process, so that the write fails instead.
    _file_too_large: tokio::signal::unix::Signal,
}

impl Signals {
    fn register() -> std::io::Result<Self> {
        use tokio::signal::unix::{SignalKind, signal};
        const SIGXFSZ: i32 = 25;
        let kinds = [
            (Heard::Stop, SignalKind::interrupt()),
            (Heard::Stop, SignalKind::terminate()),
            (Heard::HangUp, SignalKind::hangup()),
        ];
        // A signal that the parent ignores, as nohup does, stays ignored.
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
