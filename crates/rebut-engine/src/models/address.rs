//! Which addresses may be asked, and where a redirect may lead.

use reqwest::Url;

use crate::providers::http::is_loopback;

/// Whether an address may be asked: over TLS, or on this machine; and without a password in it, for none is ever sent.
pub(super) fn check(url: &Url) -> Result<(), String> {
    if !url.username().is_empty() || url.password().is_some() {
        return Err("an address with a user or password in it is not asked".to_owned());
    }
    match url.scheme() {
        "https" => Ok(()),
        "http" if is_loopback(url) => Ok(()),
        "http" => Err("an address must begin with https://; plain http is for this machine only".to_owned()),
        other => Err(format!("{other}: is no way to fetch weights; an address begins with https://")),
    }
}

/// Where a redirect leads, if it may lead there. Nobody else sends us to a service of this machine.
pub(super) fn follow(from: &Url, location: &str) -> Result<Url, String> {
    let to = from.join(location).map_err(|_| "it redirects to something that is no address".to_owned())?;
    check(&to).map_err(|_| format!("it redirects to {}, which is not asked", super::source::plain(&to)))?;
    if is_loopback(&to) && !is_loopback(from) {
        return Err("it redirects to this machine, which is not asked".to_owned());
    }
    Ok(to)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn follows(from: &str, location: &str) -> Option<String> {
        follow(&Url::parse(from).unwrap(), location).ok().map(String::from)
    }

    #[test]
    fn a_redirect_may_change_the_host_and_nothing_of_the_safety() {
        let from = "https://hub.example/owner/repo/resolve/main/a.gguf";
        assert_eq!(follows(from, "https://store.example/x?sig=1").as_deref(), Some("https://store.example/x?sig=1"));
        assert_eq!(follows(from, "/other/a.gguf").as_deref(), Some("https://hub.example/other/a.gguf"));
        for location in
            ["http://store.example/x", "http://127.0.0.1/x", "https://localhost/x", "file:///x", "https://a:b@c/x"]
        {
            assert_eq!(follows(from, location), None, "{location}");
        }
    }

    #[test]
    fn on_this_machine_plain_http_will_do() {
        for here in ["http://127.0.0.1:1/a", "http://[::1]:1/a", "http://localhost:1/a"] {
            assert_eq!(check(&Url::parse(here).unwrap()), Ok(()));
        }
        assert_eq!(follows("http://127.0.0.1:1/a", "http://127.0.0.1:2/b").as_deref(), Some("http://127.0.0.1:2/b"));
        assert!(check(&Url::parse("http://localhost.example/a").unwrap()).is_err());
    }
}
