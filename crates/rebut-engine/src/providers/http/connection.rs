//! What went wrong with a connection, by the errors' types.

use std::error::Error;
use std::io;

use rustls::InvalidMessage;

/// The innermost reason of an error, for people.
pub(crate) fn reason(error: &dyn Error) -> String {
    let mut reason = error;
    while let Some(inner) = reason.source() {
        reason = inner;
    }
    reason.to_string()
}

/// Whether the other side's certificate is not trusted.
pub(crate) fn is_untrusted(error: &(dyn Error + 'static)) -> bool {
    matches!(cause(error), Some(rustls::Error::InvalidCertificate(_) | rustls::Error::NoCertificatesPresented))
}

/// What answers instead of the expected protocol.
pub(super) fn other_protocol(error: &reqwest::Error) -> Option<&'static str> {
    if let Some(rustls::Error::InvalidMessage(InvalidMessage::InvalidContentType)) = cause(error) {
        return Some("not HTTPS; an address of plain HTTP begins with http://");
    }
    let http: &hyper::Error = cause(error)?;
    // One that speaks before it is asked has no name among hyper's errors; all others have, or are the system's.
    let is_known = http.is_incomplete_message() || http.is_canceled() || http.is_closed() || http.is_timeout();
    let is_of_system = is_known || http.is_user() || cause::<io::Error>(error).is_some();
    (http.is_parse() || !is_of_system).then_some("not HTTP")
}

/// Whether the other side closed the connection before it said anything.
pub(super) fn was_closed(error: &reqwest::Error) -> bool {
    let is_incomplete = || cause(error).is_some_and(hyper::Error::is_incomplete_message);
    let is_broken = |error: &io::Error| {
        use io::ErrorKind::{BrokenPipe, ConnectionReset, UnexpectedEof};
        matches!(error.kind(), ConnectionReset | BrokenPipe | UnexpectedEof)
    };
    let is_closed = || is_incomplete() || cause(error).is_some_and(is_broken);
    error.is_request() && !error.is_connect() && !error.is_timeout() && is_closed()
}

/// The innermost cause of this type: an error that was cancelled by another holds it.
fn cause<'e, T: Error + 'static>(error: &'e (dyn Error + 'static)) -> Option<&'e T> {
    std::iter::successors(Some(error), |&error| next(error)).filter_map(|error| error.downcast_ref()).last()
}

/// What an `io::Error` wraps is not its source.
fn next<'e>(error: &'e (dyn Error + 'static)) -> Option<&'e (dyn Error + 'static)> {
    match error.downcast_ref::<io::Error>().and_then(io::Error::get_ref) {
        Some(wrapped) => Some(wrapped),
        None => error.source(),
    }
}
