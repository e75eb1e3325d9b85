//! The connection to the database: opened when it is first needed, and again when it is lost.
//!
//! A thread of its own drives it, so leases are renewed while a command is busy, and a claim can be given back wherever it is
//! dropped. Every statement is a transaction of its own and can be sent again: if its answer was lost, it may have been carried
//! out already.

use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use futures_util::{StreamExt, stream};
use tokio::runtime::{Builder, Handle, Runtime};
use tokio::sync::Notify;
use tokio::time::{Instant, sleep, timeout};
use tokio_postgres::types::ToSql;
use tokio_postgres::{AsyncMessage, Client, Row, Statement};

use super::address::Address;
use super::failure::Failure;
use super::{migrations, tls};
use crate::store::StoreError;

const FIRST_WAIT: Duration = Duration::from_millis(50);
const LONGEST_WAIT: Duration = Duration::from_secs(1);

pub(super) type Values<'v> = &'v [&'v (dyn ToSql + Sync)];

pub(super) struct Database {
    pub(super) address: Address,
    links: Arc<Links>,
    /// Whether there has been a connection: an address that never worked is not tried for long.
    has_worked: AtomicBool,
    /// Notified when a debate is queued.
    queued: Arc<Notify>,
    background: Background,
}

/// The connection in use. A task in the background opens it: a caller that is no longer polled would block all others.
#[derive(Default)]
struct Links {
    current: Mutex<Option<Arc<Link>>>,
    connecting: tokio::sync::Mutex<()>,
}

/// One connection, with the statements that it has prepared.
struct Link {
    client: Client,
    statements: Mutex<HashMap<&'static str, Statement>>,
}

/// The thread that drives connections.
struct Background(Option<Runtime>);

impl Drop for Background {
    fn drop(&mut self) {
        if let Some(runtime) = self.0.take() {
            runtime.shutdown_background();
        }
    }
}

impl Database {
    pub(super) fn at(address: Address) -> Result<Arc<Self>, StoreError> {
        let runtime = Builder::new_multi_thread().worker_threads(1).thread_name("database").enable_all().build();
        let runtime = runtime.map_err(|error| Failure::Tls(error.to_string()).at(&address.place, "reach"))?;
        Ok(Arc::new(Self {
            address,
            links: Arc::default(),
            has_worked: AtomicBool::new(false),
            queued: Arc::default(),
            background: Background(Some(runtime)),
        }))
    }

    /// Sends a statement and returns its rows. If the connection is lost, the statement is sent again over a new one, for up to
    /// a lease.
    pub(super) async fn query(
        &self,
        doing: &'static str,
        sql: &'static str,
        values: Values<'_>,
    ) -> Result<Vec<Row>, StoreError> {
        let ends = Instant::now() + self.address.options.lease;
        let mut wait = FIRST_WAIT;
        loop {
            let may_pass = self.has_worked.load(Ordering::Relaxed);
            let failure = match self.link().await {
                Err(failure) => failure,
                Ok(link) => match timeout(self.address.options.lease, link.query(sql, values)).await {
                    Ok(Ok(rows)) => return Ok(rows),
                    Ok(Err(error)) => {
                        let failure = Failure::from(error);
                        if link.client.is_closed() || failure.ends_connection() {
                            self.links.forget(&link);
                        } else if !failure.is_passing() {
                            return Err(failure.at(&self.address.place, doing));
                        }
                        failure
                    }
                    Err(_) => {
                        self.links.forget(&link);
                        Failure::Silent
                    }
                },
            };
            let passes = failure.is_passing() || failure.ends_connection();
            if !may_pass || !passes || Instant::now() + wait >= ends {
                return Err(failure.at(&self.address.place, doing));
            }
            sleep(wait).await;
            wait = (wait * 2).min(LONGEST_WAIT);
        }
    }

    /// Waits until another debate is queued; returns at once if that has happened since the last time.
    pub(super) async fn queued(&self) {
        self.queued.notified().await;
    }

    /// Runs what no caller waits for.
    pub(super) fn background(&self) -> Option<&Handle> {
        self.background.0.as_ref().map(Runtime::handle)
    }

    async fn link(&self) -> Result<Arc<Link>, Failure> {
        if let Some(link) = self.links.current() {
            return Ok(link);
        }
        let Some(background) = self.background() else { return Err(Failure::Silent) };
        let (links, address, queued) = (Arc::clone(&self.links), self.address.clone(), Arc::clone(&self.queued));
        let connecting = background.spawn(async move { links.connect(&address, queued).await });
        let link = connecting.await.map_err(|_| Failure::Silent)??;
        self.has_worked.store(true, Ordering::Relaxed);
        Ok(link)
    }
}

impl Links {
    fn current(&self) -> Option<Arc<Link>> {
        let current = self.current.lock().unwrap_or_else(PoisonError::into_inner);
        current.as_ref().filter(|link| !link.client.is_closed()).map(Arc::clone)
    }

    async fn connect(&self, address: &Address, queued: Arc<Notify>) -> Result<Arc<Link>, Failure> {
        let _one = self.connecting.lock().await;
        if let Some(link) = self.current() {
            return Ok(link);
        }
        let client = timeout(address.options.lease, connect(address, queued)).await.map_err(|_| Failure::Silent)??;
        let link = Arc::new(Link { client, statements: Mutex::default() });
        *self.current.lock().unwrap_or_else(PoisonError::into_inner) = Some(Arc::clone(&link));
        Ok(link)
    }

    fn forget(&self, link: &Arc<Link>) {
        let mut current = self.current.lock().unwrap_or_else(PoisonError::into_inner);
        if current.as_ref().is_some_and(|current| Arc::ptr_eq(current, link)) {
            *current = None;
        }
    }
}

impl Link {
    async fn query(&self, sql: &'static str, values: Values<'_>) -> Result<Vec<Row>, tokio_postgres::Error> {
        let known = self.statements.lock().unwrap_or_else(PoisonError::into_inner).get(sql).cloned();
        let statement = if let Some(statement) = known {
            statement
        } else {
            let statement = self.client.prepare(sql).await?;
            self.statements.lock().unwrap_or_else(PoisonError::into_inner).insert(sql, statement.clone());
            statement
        };
        self.client.query(&statement, values).await
    }
}

/// Connects and brings the tables up to date. The connection is driven by the runtime that this runs in.
async fn connect(address: &Address, queued: Arc<Notify>) -> Result<Client, Failure> {
    let tls = tls::connector(address.options.root_certificate.as_deref()).map_err(Failure::Tls)?;
    let (client, mut connection) = address.config.connect(tls).await?;
    tokio::spawn(async move {
        let mut messages = stream::poll_fn(move |context| connection.poll_message(context));
        while let Some(Ok(message)) = messages.next().await {
            if let AsyncMessage::Notification(_) = message {
                queued.notify_one();
            }
        }
    });
    let schema = &address.options.schema;
    client.batch_execute(&format!("SET search_path TO \"{schema}\"; SET client_min_messages TO warning")).await?;
    migrations::run(&client, schema).await?;
    client.batch_execute(&format!("LISTEN \"rebut_{schema}\"")).await?;
    Ok(client)
}
