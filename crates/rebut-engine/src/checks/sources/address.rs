//! Which addresses are asked for a page: public ones, over HTTP, without credentials.
//!
//! A cited page was named by a model. Fetching it from this machine could reach what the model cannot: servers on this
//! machine and its network. So an address is checked before anything is sent and after every redirect; names are resolved
//! first, and the numbers are checked.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use rebut_core::evidence::check::Judgement;
use reqwest::Url;

/// An address that may be fetched, as far as its text shows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Hop {
    pub(super) url: Url,
    /// The host, if it is a name that must still be looked up and not a number.
    pub(super) name: Option<String>,
}

impl Hop {
    /// Reads an address as it was cited.
    pub(super) fn read(address: &str) -> Result<Self, Judgement> {
        Self::look_at(Url::parse(address).map_err(|_| Judgement::unchecked("it is not an address"))?)
    }

    /// The next address of a redirect. Encryption is not given up on the way.
    pub(super) fn redirected(&self, location: &str) -> Result<Self, Judgement> {
        let next =
            self.url.join(location).map_err(|_| Judgement::unchecked("it redirects to something that is not an address"))?;
        if self.url.scheme() == "https" && next.scheme() == "http" {
            return Err(Judgement::unchecked("it redirects from https to http, which is not followed"));
        }
        Self::look_at(next).map_err(|refused| elsewhere(&refused))
    }

    fn look_at(url: Url) -> Result<Self, Judgement> {
        if !matches!(url.scheme(), "http" | "https") {
            return Err(Judgement::out_of_scope("only http and https are asked"));
        }
        if !url.username().is_empty() || url.password().is_some() {
            return Err(Judgement::out_of_scope("the address holds a name or a password, and was not asked"));
        }
        let name = url.host_str().ok_or_else(|| Judgement::unchecked("it is not an address"))?;
        // The parser has written every way to say a number (`0x7f.1`, `2130706433`) as this one.
        let number = name.trim_start_matches('[').trim_end_matches(']').parse();
        let name = number.is_err().then(|| name.to_owned());
        number.map_or(Ok(()), admit)?;
        Ok(Self { url, name })
    }

    /// Whether the port is that of the scheme. A port of its own is seldom a page's, and often a service's that trusts
    /// every client. Checked once the host is known, so that a host that is not public is reported as that.
    pub(super) fn admit_port(&self) -> Result<(), Judgement> {
        self.url.port().map_or(Ok(()), |_| Err(Judgement::unchecked("only the ports 80 and 443 are used")))
    }
}

/// The same, of where a page redirects to.
pub(super) fn elsewhere(refused: &Judgement) -> Judgement {
    Judgement::new(refused.result, format!("it redirects elsewhere: {}", refused.detail))
}

/// Whether a host of this number may be asked. The number is not shown: it would reveal how a network is built.
pub(super) fn admit(number: IpAddr) -> Result<(), Judgement> {
    let refused = match number {
        IpAddr::V4(number) => refused_v4(number),
        IpAddr::V6(number) => refused_v6(number),
    };
    match refused {
        None => Ok(()),
        Some(kind) => Err(Judgement::out_of_scope(format!("its host has {kind} address, and was not asked"))),
    }
}

/// What kind of address this is, if it is not a public one, by the registry of special addresses.
fn refused_v4(number: Ipv4Addr) -> Option<&'static str> {
    match number.octets() {
        [0, ..] => Some("an unspecified"),
        [10, ..] | [172, 16..=31, ..] | [192, 168, ..] => Some("a private"),
        [100, 64..=127, ..] => Some("a shared"),
        [127, ..] => Some("a loopback"),
        [169, 254, ..] => Some("a link-local"),
        [192, 0, 2, _] | [198, 51, 100, _] | [203, 0, 113, _] => Some("a documentation"),
        [192, 0, 0, _] | [192, 88, 99, _] | [198, 18..=19, ..] | [240..=255, ..] => Some("a reserved"),
        [224..=239, ..] => Some("a multicast"),
        _ => None,
    }
}

/// What is not in the space of public addresses is refused, whatever it is; what holds an IPv4 address is judged by it.
fn refused_v6(number: Ipv6Addr) -> Option<&'static str> {
    let parts = number.segments();
    let inner = |high: u16, low: u16| Ipv4Addr::from(u32::from(high) << 16 | u32::from(low));
    match parts {
        [0, 0, 0, 0, 0, 0, 0, 0] => Some("an unspecified"),
        [0, 0, 0, 0, 0, 0, 0, 1] => Some("a loopback"),
        // Mapped, translated by a network (NAT64), 6to4.
        [0, 0, 0, 0, 0, 0xffff, high, low] | [0x64, 0xff9b, 0, 0, 0, 0, high, low] | [0x2002, high, low, ..] => {
            refused_v4(inner(high, low))
        }
        [0xfe80..=0xfebf, ..] => Some("a link-local"),
        [0xfc00..=0xfdff | 0xfec0..=0xfeff, ..] => Some("a private"),
        [0xff00..=0xffff, ..] => Some("a multicast"),
        [0x2001, 0xdb8, ..] | [0x3fff, 0..=0xfff, ..] => Some("a documentation"),
        // Teredo, ORCHID, benchmarks and other protocols' own.
        [0x2001, 0..=0x1ff, ..] => Some("a reserved"),
        [0x2000..=0x3fff, ..] => None,
        _ => Some("a reserved"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_public_addresses_are_asked() {
        #[rustfmt::skip]
        let refused_ones = [
            ("0.1.2.3", "unspecified"), ("10.255.255.255", "private"), ("100.64.0.1", "shared"), ("127.255.0.9", "loopback"),
            ("169.254.169.254", "link-local"), ("172.31.255.255", "private"), ("192.0.0.8", "reserved"),
            ("192.0.2.1", "documentation"), ("192.168.1.1", "private"), ("198.19.255.255", "reserved"),
            ("224.0.0.1", "multicast"), ("255.255.255.255", "reserved"), ("::", "unspecified"), ("::1", "loopback"),
            ("::127.0.0.1", "reserved"), ("::ffff:10.1.2.3", "private"), ("::ffff:0:127.0.0.1", "reserved"),
            ("64:ff9b::10.0.0.1", "private"), ("64:ff9b:1::1", "reserved"), ("2001:10::1", "reserved"),
            ("2001:db8::1", "documentation"), ("2002:7f00:1::", "loopback"), ("3fff::1", "documentation"),
            ("4000::1", "reserved"), ("fd12:3456::1", "private"), ("febf::1", "link-local"), ("fec0::1", "private"),
            ("ff02::1", "multicast"),
        ];
        for (number, kind) in refused_ones {
            let refused = admit(number.parse().unwrap()).unwrap_err().detail;
            assert!(refused.contains(&format!(" {kind} address")), "{number}: {refused}");
        }
        let public = "1.1.1.1 9.255.255.255 11.0.0.0 100.63.255.255 100.128.0.0 126.255.255.255 128.0.0.1 172.15.255.255 \
            172.32.0.0 192.0.1.1 198.17.0.1 198.20.0.1 223.255.255.255 2606:4700::1111 2001:200::1 2001:db7::1 \
            2002:101:101::1 3fff:1000::1 ::ffff:1.1.1.1 64:ff9b::1.1.1.1";
        for number in public.split_whitespace() {
            assert_eq!(admit(number.parse().unwrap()), Ok(()), "{number}");
        }
    }

    fn outcome(hop: Result<Hop, Judgement>) -> String {
        match hop.and_then(|hop| hop.admit_port().map(|()| hop)) {
            Ok(hop) => format!("{} by {}", hop.url, hop.name.as_deref().unwrap_or("number")),
            Err(refused) => format!("{}: {}", refused.result, refused.detail),
        }
    }

    #[test]
    fn an_address_is_looked_at_before_anything_is_sent() {
        for (address, expected) in [
            ("https://example.com/a?b#c", "https://example.com/a?b#c by example.com"),
            ("http://1.1.1.1/", "http://1.1.1.1/ by number"),
            ("https://[2606:4700::1111]/", "https://[2606:4700::1111]/ by number"),
            ("HTTP://EXAMPLE.com:80/", "http://example.com/ by example.com"),
            ("http://127.0.0.1/", "out_of_scope: its host has a loopback address, and was not asked"),
            ("http://0x7f.1/", "out_of_scope: its host has a loopback address, and was not asked"),
            ("http://2130706433/", "out_of_scope: its host has a loopback address, and was not asked"),
            ("http://0177.0.0.1:8080/", "out_of_scope: its host has a loopback address, and was not asked"),
            ("http://[::ffff:127.0.0.1]/", "out_of_scope: its host has a loopback address, and was not asked"),
            ("http://[::1]:80/", "out_of_scope: its host has a loopback address, and was not asked"),
            ("http://１２７.0.0.1/", "out_of_scope: its host has a loopback address, and was not asked"),
            ("file:///etc/passwd", "out_of_scope: only http and https are asked"),
            ("ftp://example.com/", "out_of_scope: only http and https are asked"),
            ("https://ada:secret@example.com/", "out_of_scope: the address holds a name or a password, and was not asked"),
            ("https://ada@example.com/", "out_of_scope: the address holds a name or a password, and was not asked"),
            ("https://example.com:8443/", "unchecked: only the ports 80 and 443 are used"),
            ("http://example.com:443/", "unchecked: only the ports 80 and 443 are used"),
            ("https://exa mple/", "unchecked: it is not an address"),
            ("https://", "unchecked: it is not an address"),
        ] {
            assert_eq!(outcome(Hop::read(address)), expected, "{address}");
        }
    }

    #[test]
    fn a_redirect_is_looked_at_as_the_first_address_was() {
        let from = |address: &str| Hop::read(address).unwrap();
        for (first, location, expected) in [
            ("http://example.com/a/b", "../c", "http://example.com/c by example.com"),
            ("http://example.com/", "https://example.org/", "https://example.org/ by example.org"),
            ("https://example.com/", "//example.org/x", "https://example.org/x by example.org"),
            (
                "https://example.com/",
                "http://example.com/",
                "unchecked: it redirects from https to http, which is not followed",
            ),
            ("http://example.com/", "//example.com:22/", "unchecked: only the ports 80 and 443 are used"),
        ] {
            assert_eq!(outcome(from(first).redirected(location)), expected, "{first} to {location}");
        }
    }
}
