//! The one thread that starts children.
//!
//! On Linux a child is killed when the thread that started it ends (`die_with_parent`), and threads of a runtime come and
//! go. This one lives as long as the process.

use std::io;
use std::sync::OnceLock;
use std::sync::mpsc::{self, Sender};

use tokio::process::{Child, Command};
use tokio::runtime::Handle;

/// A command, the runtime that listens to the child, and where the child goes.
type Order = (Command, Handle, Sender<io::Result<Child>>);

/// `None` if the thread could not be started.
static STARTER: OnceLock<Option<Sender<Order>>> = OnceLock::new();

/// Starts a child that ends with this process, not with the calling thread.
pub(super) fn spawn(command: Command) -> io::Result<Child> {
    let runtime = Handle::try_current().map_err(io::Error::other)?;
    let starter = STARTER.get_or_init(|| {
        let (orders, taken) = mpsc::channel::<Order>();
        let start = move || {
            for (mut command, runtime, reply) in taken {
                let _within = runtime.enter();
                let _ = reply.send(command.spawn());
            }
        };
        std::thread::Builder::new().name("children".to_owned()).spawn(start).ok().map(|_| orders)
    });
    let none = || io::Error::other("the thread that starts children cannot be started");
    let (reply, child) = mpsc::channel();
    starter.as_ref().ok_or_else(none)?.send((command, runtime, reply)).map_err(|_| none())?;
    child.recv().map_err(|_| none())?
}
