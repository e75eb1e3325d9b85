//! What can go wrong with a database, and what the user can do about it.

use std::error::Error as _;

use tokio_postgres::error::{Error, SqlState};

use crate::store::StoreError;

/// Why the database did not do what it was asked to.
#[derive(Debug)]
pub(super) enum Failure {
    Sql(Error),
    /// It did not answer in time.
    Silent,
    /// Its tables are of a later version.
    Newer {
        found: i32,
        known: i32,
    },
    /// TLS cannot be set up.
    Tls(String),
}

/// What kind of failure it was.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DatabaseFault {
    /// There is no connection; the next attempt may have one.
    Unreachable,
    /// The user, the password, the database or the certificate is not accepted.
    SignIn,
    /// The role may not do that.
    Rights,
    Full,
    ReadOnly,
    /// A later version of rebut has changed the tables.
    Newer,
    Other,
}

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        Self::Sql(error)
    }
}

impl Failure {
    /// Whether another connection may work where this one doesn't.
    pub(super) fn ends_connection(&self) -> bool {
        let Self::Sql(error) = self else { return matches!(self, Self::Silent) };
        let Some(code) = error.code() else {
            // A certificate that is refused once is refused again.
            return !is_about_tls(error);
        };
        // Shutting down, starting up, too many connections, a plan that a migration made invalid; class 08 is connections.
        let passing = [
            &SqlState::ADMIN_SHUTDOWN,
            &SqlState::CRASH_SHUTDOWN,
            &SqlState::CANNOT_CONNECT_NOW,
            &SqlState::TOO_MANY_CONNECTIONS,
            &SqlState::FEATURE_NOT_SUPPORTED,
        ];
        passing.contains(&code) || code.code().starts_with("08")
    }

    /// Whether the same statement can succeed the next time on the same connection.
    pub(super) fn is_passing(&self) -> bool {
        let Self::Sql(error) = self else { return false };
        matches!(error.code(), Some(code) if [&SqlState::T_R_SERIALIZATION_FAILURE, &SqlState::T_R_DEADLOCK_DETECTED].contains(&code))
    }

    fn fault(&self) -> DatabaseFault {
        let error = match self {
            Self::Sql(error) => error,
            Self::Silent => return DatabaseFault::Unreachable,
            Self::Newer { .. } => return DatabaseFault::Newer,
            Self::Tls(_) => return DatabaseFault::SignIn,
        };
        let Some(code) = error.code() else {
            return if is_about_tls(error) { DatabaseFault::SignIn } else { DatabaseFault::Unreachable };
        };
        match code {
            &SqlState::INSUFFICIENT_PRIVILEGE => DatabaseFault::Rights,
            &SqlState::DISK_FULL => DatabaseFault::Full,
            &SqlState::READ_ONLY_SQL_TRANSACTION => DatabaseFault::ReadOnly,
            &SqlState::INVALID_CATALOG_NAME => DatabaseFault::SignIn,
            code if code.code().starts_with("28") => DatabaseFault::SignIn,
            _ if self.ends_connection() => DatabaseFault::Unreachable,
            _ => DatabaseFault::Other,
        }
    }

    pub(super) fn at(&self, place: &str, doing: &'static str) -> StoreError {
        let why = match self {
            Self::Sql(error) => said(error),
            Self::Silent => "no answer in time".to_owned(),
            Self::Newer { found, known } => {
                format!("its tables have version {found}, and this rebut knows them up to version {known}")
            }
            Self::Tls(why) => why.clone(),
        };
        StoreError::Database { doing, place: place.to_owned(), why, fault: self.fault() }
    }
}

impl DatabaseFault {
    pub(in crate::store) fn hint(self) -> &'static str {
        match self {
            Self::Unreachable => "check that Postgres runs and that store.url names it; `rebut worker --check` tries it",
            Self::SignIn => "check user, password, database and sslmode in store.url, and store.root_certificate",
            Self::Rights => {
                "let the owner of the schema run `rebut worker --check` once, then grant this role its rights (docs/workers.md)"
            }
            Self::Full => "make room on the database's disk, then `rebut resume`: everything that was shown is kept",
            Self::ReadOnly => "name the primary in store.url: this database is read-only",
            Self::Newer => "update rebut on this machine",
            Self::Other => "the database's own log says more; then `rebut resume`",
        }
    }
}

fn is_about_tls(error: &Error) -> bool {
    let mut cause = error.source();
    while let Some(error) = cause {
        if error.is::<rustls::Error>() {
            return true;
        }
        // `source` skips what an I/O error wraps.
        let wrapped = error.downcast_ref::<std::io::Error>().and_then(std::io::Error::get_ref);
        if matches!(wrapped, Some(wrapped) if wrapped.is::<rustls::Error>()) {
            return true;
        }
        cause = error.source();
    }
    // A server without TLS is refused before any handshake.
    error.to_string().contains("TLS handshake")
}

/// What the database said, or why it said nothing. No part of the address is in it.
fn said(error: &Error) -> String {
    if let Some(error) = error.as_db_error() {
        return error.message().to_owned();
    }
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(error) = cause {
        let more = error.to_string();
        if !text.ends_with(&more) {
            text = format!("{text}: {more}");
        }
        cause = error.source();
    }
    text
}
