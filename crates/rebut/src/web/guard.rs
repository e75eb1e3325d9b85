//! Which requests the server answers: those of a browser that opened the link, for the address the server listens on.
//!
//! The token in the link is exchanged for a cookie that scripts can't read and other sites can't send. The Origin header gives
//! away requests from other sites, the Host header DNS rebinding.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::sync::Arc;

use axum::extract::{Request, State};
use axum::http::header::{
    CACHE_CONTROL, CONTENT_SECURITY_POLICY, COOKIE, HOST, LOCATION, ORIGIN, REFERRER_POLICY, SET_COOKIE,
    X_CONTENT_TYPE_OPTIONS, X_FRAME_OPTIONS,
};
use axum::http::{HeaderMap, HeaderValue, Method, StatusCode, Uri};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use sha2::{Digest, Sha256};

use super::templates::policy;

/// What a request is checked against.
#[derive(Debug)]
pub(super) struct Guard {
    pub(super) address: SocketAddr,
    pub(super) token: String,
}

impl Guard {
    pub(super) fn link(&self, path: &str) -> String {
        let ip = match self.address.ip() {
            IpAddr::V4(ip) if ip.is_unspecified() => Ipv4Addr::LOCALHOST.into(),
            IpAddr::V6(ip) if ip.is_unspecified() => Ipv6Addr::LOCALHOST.into(),
            ip => ip,
        };
        format!("http://{}{path}?token={}", SocketAddr::new(ip, self.address.port()), self.token)
    }

    /// Browsers share cookies between ports, so the name contains the port.
    fn cookie(&self) -> String {
        format!("rebut-{}", self.address.port())
    }

    /// The cookie's value: not the token itself, which stays in the browser's history.
    fn ticket(&self) -> String {
        let digest = Sha256::digest(format!("rebut cookie\n{}\n{}", self.address.port(), self.token));
        digest.iter().map(|byte| format!("{byte:02x}")).collect::<Vec<_>>().concat()
    }

    /// Whether a Host header names this server. Other names may be DNS rebinding.
    fn is_ours(&self, host: &str) -> bool {
        let Some((name, port)) = host.rsplit_once(':') else { return self.address.port() == 80 && self.names(host) };
        port == self.address.port().to_string() && self.names(name)
    }

    fn names(&self, name: &str) -> bool {
        let bare = name.trim_start_matches('[').trim_end_matches(']');
        match bare.parse::<IpAddr>() {
            // An address needs no DNS.
            Ok(ip) => ip == self.address.ip() || ip.is_loopback() || self.address.ip().is_unspecified(),
            Err(_) => name.eq_ignore_ascii_case("localhost"),
        }
    }

    fn has_ticket(&self, headers: &HeaderMap) -> bool {
        let (name, ticket) = (self.cookie(), self.ticket());
        let all = headers.get_all(COOKIE).iter().filter_map(|value| value.to_str().ok());
        let mut cookies = all.flat_map(|all| all.split(';')).filter_map(|cookie| cookie.trim().split_once('='));
        cookies.any(|(known, value)| known == name && is_same(value, &ticket))
    }
}

/// Compares in constant time.
fn is_same(one: &str, other: &str) -> bool {
    let differ = one.bytes().zip(other.bytes()).fold(0, |differ, (a, b)| differ | (a ^ b));
    one.len() == other.len() && differ == 0
}

/// Passes a request on, or says why it is refused.
pub(super) async fn check(State(guard): State<Arc<Guard>>, request: Request, next: Next) -> Response {
    let mut response = match admitted(&guard, &request) {
        Ok(()) => next.run(request).await,
        Err(refused) => *refused,
    };
    let policy = format!("{}; frame-ancestors 'none'", policy(true));
    let headers = response.headers_mut();
    if let Ok(policy) = HeaderValue::from_str(&policy) {
        headers.insert(CONTENT_SECURITY_POLICY, policy);
    }
    headers.insert(X_FRAME_OPTIONS, HeaderValue::from_static("DENY"));
    headers.insert(X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    headers.insert(REFERRER_POLICY, HeaderValue::from_static("no-referrer"));
    headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
    headers.insert("cross-origin-opener-policy", HeaderValue::from_static("same-origin"));
    headers.insert("cross-origin-resource-policy", HeaderValue::from_static("same-origin"));
    response
}

fn admitted(guard: &Guard, request: &Request) -> Result<(), Box<Response>> {
    let headers = request.headers();
    let text = |name| headers.get(name).and_then(|value: &HeaderValue| value.to_str().ok());
    let refuse = |status: StatusCode, why: &'static str| Err(Box::new((status, why).into_response()));
    let Some(host) = text(HOST).filter(|host| guard.is_ours(host)) else {
        return refuse(StatusCode::MISDIRECTED_REQUEST, "wrong host: open the link that `rebut serve` printed\n");
    };
    let origin = text(ORIGIN);
    let is_own = origin.is_some_and(|origin| origin == format!("http://{host}"));
    let only_reads = *request.method() == Method::GET || *request.method() == Method::HEAD;
    if !is_own && (!only_reads || origin.is_some()) {
        return refuse(StatusCode::FORBIDDEN, "this request comes from another site\n");
    }
    if let Some(token) = token(request.uri()).filter(|_| only_reads) {
        if !is_same(token, &guard.token) {
            return refuse(
                StatusCode::FORBIDDEN,
                "this link is invalid or has expired: open the one that `rebut serve` printed\n",
            );
        }
        let cookie = format!("{}={}; Path=/; HttpOnly; SameSite=Strict", guard.cookie(), guard.ticket());
        let headers = [(SET_COOKIE, cookie), (LOCATION, request.uri().path().to_owned())];
        return Err(Box::new((StatusCode::SEE_OTHER, headers).into_response()));
    }
    if !guard.has_ticket(headers) {
        return refuse(StatusCode::UNAUTHORIZED, "open the link that `rebut serve` printed\n");
    }
    Ok(())
}

fn token(uri: &Uri) -> Option<&str> {
    uri.query()?.split('&').find_map(|pair| pair.strip_prefix("token="))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_addresses_of_the_server_itself_are_answered() {
        let guard = |address: &str| Guard { address: address.parse().unwrap(), token: "t".to_owned() };
        for (address, host, is_ours) in [
            ("127.0.0.1:4000", "127.0.0.1:4000", true),
            ("127.0.0.1:4000", "localhost:4000", true),
            ("127.0.0.1:4000", "localhost:4001", false),
            ("127.0.0.1:4000", "localhost", false),
            ("127.0.0.1:4000", "evil.example:4000", false),
            ("127.0.0.1:4000", "192.168.1.5:4000", false),
            ("[::1]:4000", "[::1]:4000", true),
            ("0.0.0.0:4000", "192.168.1.5:4000", true),
            ("0.0.0.0:4000", "rebound.example:4000", false),
            ("192.168.1.5:80", "192.168.1.5", true),
        ] {
            assert_eq!(guard(address).is_ours(host), is_ours, "{address} {host}");
        }
    }
}
