//! Connections to the orders database, shared by all request handlers.

use std::sync::{Condvar, Mutex, PoisonError};
use std::time::Duration;

use crate::database::{Connection, Error};

pub struct Pool {
    idle: Mutex<Vec<Connection>>,
    returned: Condvar,
}

impl Pool {
    /// Opens `size` connections; no others are opened later.
    pub fn open(url: &str, size: usize) -> Result<Self, Error> {
        let idle = (0..size).map(|_| Connection::open(url)).collect::<Result<_, _>>()?;
        Ok(Self { idle: Mutex::new(idle), returned: Condvar::new() })
    }

    /// Waits for a connection, at most as long as the caller has patience.
    pub fn acquire(&self, patience: Duration) -> Result<Connection, Error> {
        let idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner);
        let (mut idle, waited) = self
            .returned
            .wait_timeout_while(idle, patience, |idle| idle.is_empty())
            .unwrap_or_else(PoisonError::into_inner);
        if waited.timed_out() {
            return Err(Error::Busy);
        }
        let mut connection = idle.pop().ok_or(Error::Busy)?;
        if connection.ping().is_err() {
            // The server closed it while it was idle; the caller tries again.
            return Err(Error::Closed);
        }
        Ok(connection)
    }

    pub fn release(&self, connection: Connection) {
        self.idle.lock().unwrap_or_else(PoisonError::into_inner).push(connection);
        self.returned.notify_one();
    }
}
