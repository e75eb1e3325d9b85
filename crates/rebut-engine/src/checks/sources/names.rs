//! What the names of hosts lead to: asked of the system, or, in tests, of a table.

use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex, PoisonError};

use rebut_core::evidence::check::Judgement;
use tokio::sync::OnceCell;

use super::address::admit;

/// The variable that holds a table of names, for tests.
pub const TEST_VARIABLE: &str = "REBUT_TEST_SOURCES";

/// Resolves names.
#[derive(Clone, Debug)]
pub struct Names {
    resolver: Resolver,
    /// The certificates that servers of a test's own are trusted by.
    roots: Vec<Vec<u8>>,
}

/// A name that is reserved for good, and leads to a host. Where not even this one is known, as in networks that answer
/// for a few names only, it says nothing that another is not.
const ALWAYS_THERE: &str = "example.com";

#[derive(Clone, Debug)]
enum Resolver {
    /// The system; and whether it knows a name that has always been there, once that was asked.
    System(Arc<OnceCell<bool>>),
    /// Only a table: a name that is not in it leads nowhere.
    Table(Arc<Table>),
}

/// What each name leads to, the first time it is asked for, the second, and so on; the last stays. A number without a port is
/// judged as any other; one with a port is a server of the test's own, which is asked wherever it is.
type Table = BTreeMap<String, Mutex<Vec<SocketAddr>>>;

impl Names {
    /// What the user should know of these names.
    pub fn note(&self) -> Option<String> {
        let of_test = matches!(self.resolver, Resolver::Table(_));
        of_test
            .then(|| format!("{TEST_VARIABLE} is set, which is for tests: names lead where it says, also to this machine"))
    }

    /// As a test names them: `docs.example.com=127.0.0.1:43121,inner.example.com=10.0.0.1`. A number with a port is a
    /// server of the test's own and is asked; one without is what the name leads to, and is judged. With `+` between them
    /// the name leads somewhere else each time. Names that are not listed lead nowhere.
    pub fn of_test(table: &str) -> Result<Self, String> {
        let mut names = Table::new();
        for entry in table.split(',').map(str::trim).filter(|entry| !entry.is_empty()) {
            let wrong = || format!("`{entry}` is not NAME=NUMBER or NAME=NUMBER:PORT");
            let (name, places) = entry.split_once('=').ok_or_else(wrong)?;
            let place = |text: &str| {
                let number = || text.parse().map(|number| SocketAddr::new(number, 0));
                text.parse().or_else(|_| number()).map_err(|_| wrong())
            };
            let mut places = places.split('+').map(place).collect::<Result<Vec<_>, _>>()?;
            places.reverse();
            names.insert(name.to_owned(), Mutex::new(places));
        }
        Ok(Self { resolver: Resolver::Table(Arc::new(names)), roots: Vec::new() })
    }

    /// The same for servers that encrypt: they are trusted by this certificate (DER), and by no other. Names of the system
    /// are trusted by what the system trusts, whatever is said here.
    #[must_use]
    pub fn trusting(mut self, certificate: &[u8]) -> Self {
        self.roots.push(certificate.to_vec());
        self
    }

    /// The certificates that a test's servers are trusted by; none if the system's count.
    pub(super) fn roots(&self) -> Option<&[Vec<u8>]> {
        (matches!(self.resolver, Resolver::Table(_)) && !self.roots.is_empty()).then_some(&self.roots)
    }

    /// The numbers of a host, all of which may be asked. One that may not spoils the others: a name that leads to a
    /// public host now and to an inner one the next moment is no page's.
    pub(super) async fn look_up(&self, name: &str) -> Result<Vec<SocketAddr>, Judgement> {
        match &self.resolver {
            Resolver::System(answers) => {
                let found = match tokio::net::lookup_host((name, 0)).await {
                    Ok(found) => found.collect(),
                    Err(error) if is_unknown(&error.to_string()) => Vec::new(),
                    Err(_) => return Err(Judgement::unchecked("its host could not be looked up")),
                };
                if found.is_empty() {
                    let always_there = || async { tokio::net::lookup_host((ALWAYS_THERE, 0)).await.is_ok() };
                    return Err(not_there(*answers.get_or_init(always_there).await));
                }
                found.iter().try_for_each(|place: &SocketAddr| admit(place.ip())).map(|()| found)
            }
            Resolver::Table(table) => {
                let places = table.get(name).ok_or_else(|| Judgement::missing("there is no such host"))?;
                let mut places = places.lock().unwrap_or_else(PoisonError::into_inner);
                let place = if places.len() > 1 { places.pop() } else { places.last().copied() };
                match place {
                    Some(number) if number.port() == 0 => admit(number.ip()).map(|()| vec![number]),
                    Some(server) => Ok(vec![server]),
                    None => Err(Judgement::missing("there is no such host")),
                }
            }
        }
    }
}

impl Default for Names {
    /// Those of the system.
    fn default() -> Self {
        Self { resolver: Resolver::System(Arc::default()), roots: Vec::new() }
    }
}

/// Whether a name is not there. The system tells only in words whether there is no such host or no server to ask; these are
/// the words of glibc, musl, macOS and Windows for the former.
fn is_unknown(said: &str) -> bool {
    let unknown = ["not known", "no address associated", "does not resolve", "no such host", "no data of the requested"];
    let said = said.to_lowercase();
    unknown.iter().any(|words| said.contains(words))
}

/// What it means that a name is not there, where another that always is was found or not.
fn not_there(always_there: bool) -> Judgement {
    if always_there {
        Judgement::missing("there is no such host")
    } else {
        Judgement::unchecked("hosts can't be looked up from here")
    }
}

#[cfg(test)]
mod tests {
    use rebut_core::evidence::check::CheckResult::{Missing, Unchecked};

    use super::*;

    #[tokio::test]
    async fn a_name_of_this_machine_is_judged_by_what_it_leads_to() {
        let refused = Names::default().look_up("localhost").await.unwrap_err();
        assert_eq!(refused.detail, "its host has a loopback address, and was not asked");
    }

    #[test]
    fn no_server_to_ask_is_not_the_same_as_no_such_host() {
        let unknown = |words: &str| is_unknown(&format!("failed to lookup address information: {words}"));
        assert!(unknown("Name or service not known"));
        assert!(unknown("nodename nor servname provided, or not known"));
        assert!(unknown("No address associated with hostname"));
        assert!(unknown("Name does not resolve"));
        assert!(!unknown("Temporary failure in name resolution"));
        assert!(!unknown("Try again"));
        assert_eq!(not_there(true).result, Missing);
        assert_eq!(not_there(false).result, Unchecked);
    }
}
