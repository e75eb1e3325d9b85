//! How a database is reached. Its address can hold a password, which is shown nowhere.

use std::net::IpAddr;
use std::path::PathBuf;
use std::time::Duration;

use tokio_postgres::Config;
use tokio_postgres::config::{Host, SslMode};

use crate::store::StoreError;

/// A database, a schema in it, and how long a silent process keeps its debate.
#[derive(Clone)]
pub struct Address {
    pub(super) config: Config,
    pub(super) options: ConnectOptions,
    /// Host and database, for messages.
    pub(super) place: String,
    /// The address as it was given, for processes that are started with it.
    pub(super) url: String,
}

#[derive(Clone, Debug)]
pub struct ConnectOptions {
    pub schema: String,
    /// A file with a certificate that is trusted beside the system's.
    pub root_certificate: Option<PathBuf>,
    pub lease: Duration,
    pub heartbeat: Duration,
}

impl Address {
    pub fn read(url: &str, options: ConnectOptions) -> Result<Self, StoreError> {
        let refused = |why: String| StoreError::Address { why };
        if !url.starts_with("postgres://") && !url.starts_with("postgresql://") {
            return Err(refused("it does not begin with postgres://".to_owned()));
        }
        // An encrypted connection is always verified, so these mean the same.
        let plain = url.replace("sslmode=verify-full", "sslmode=require").replace("sslmode=verify-ca", "sslmode=require");
        let mut config: Config = plain.parse().map_err(|error: tokio_postgres::Error| {
            let cause = std::error::Error::source(&error).map(ToString::to_string);
            refused(cause.unwrap_or_else(|| error.to_string()))
        })?;
        if config.get_hosts().is_empty() && config.get_hostaddrs().is_empty() {
            return Err(refused("it names no host".to_owned()));
        }
        if !is_schema(&options.schema) {
            return Err(refused(format!("invalid schema name `{}`", options.schema)));
        }
        if options.heartbeat >= options.lease {
            return Err(refused("store.heartbeat_seconds is not below store.lease_seconds".to_owned()));
        }
        // Nothing leaves this machine in the clear unless the user asks for it.
        let stays_here = config.get_hosts().iter().all(is_here) && config.get_hostaddrs().iter().all(IpAddr::is_loopback);
        if config.get_ssl_mode() == SslMode::Prefer && !stays_here {
            config.ssl_mode(SslMode::Require);
        }
        config.application_name("rebut");
        if config.get_connect_timeout().is_none() {
            config.connect_timeout(options.lease);
        }
        // The system refuses less than a second.
        config.keepalives_idle(options.heartbeat.max(Duration::from_secs(1))).tcp_user_timeout(options.lease);
        let place = place(&config);
        Ok(Self { config, options, place, url: url.to_owned() })
    }
}

/// Whether it can be the name of a schema. It becomes part of statements.
pub(crate) fn is_schema(name: &str) -> bool {
    let is_sign = |sign: u8| matches!(sign, b'a'..=b'z' | b'0'..=b'9' | b'_');
    name.len() <= 40 && name.starts_with(|first: char| first.is_ascii_lowercase()) && name.bytes().all(is_sign)
}

/// Whether what is sent there stays on this machine.
fn is_here(host: &Host) -> bool {
    match host {
        Host::Tcp(name) => name == "localhost" || name.parse().is_ok_and(|ip: IpAddr| ip.is_loopback()),
        #[cfg(unix)]
        Host::Unix(_) => true,
    }
}

fn place(config: &Config) -> String {
    let host = match config.get_hosts().first() {
        Some(Host::Tcp(name)) => name.clone(),
        #[cfg(unix)]
        Some(Host::Unix(path)) => path.display().to_string(),
        None => String::new(),
    };
    format!("{host}/{}", config.get_dbname().or(config.get_user()).unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(url: &str) -> Result<Address, StoreError> {
        let (lease, heartbeat) = (Duration::from_mins(1), Duration::from_secs(15));
        Address::read(url, ConnectOptions { schema: "rebut".into(), root_certificate: None, lease, heartbeat })
    }

    #[test]
    fn what_leaves_this_machine_is_encrypted_unless_the_user_says_otherwise() {
        for (url, mode) in [
            ("postgres://u:p@db.example/rebut", SslMode::Require),
            ("postgres://u@db.example/rebut?sslmode=verify-full", SslMode::Require),
            ("postgres://u@db.example/rebut?sslmode=prefer", SslMode::Require),
            ("postgres://u@localhost/rebut?hostaddr=192.0.2.7", SslMode::Require),
            ("postgres://u@db.example/rebut?sslmode=disable", SslMode::Disable),
            ("postgres://u@localhost/rebut", SslMode::Prefer),
            ("postgres://u@127.0.0.1/rebut", SslMode::Prefer),
            ("postgres://u@%2Frun%2Fpostgresql/rebut", SslMode::Prefer),
        ] {
            assert_eq!(read(url).unwrap().config.get_ssl_mode(), mode, "{url}");
        }
    }

    #[test]
    fn no_error_names_the_password() {
        for url in ["postgres://me:passwd@db/x?nothing=1", "mysql://me:passwd@db", "postgres://me:passwd@db:port/x"] {
            let error = read(url).map(drop).unwrap_err().to_string();
            assert!(!error.contains("passwd"), "{error}");
        }
        assert_eq!(read("postgres://me:passwd@db/x").unwrap().place, "db/x");
    }
}
