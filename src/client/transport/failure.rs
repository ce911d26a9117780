//! Why no whole answer came, and the one question that matters for money: may the request have been received?

use std::error::Error as StdError;
use std::io;

use hyper_util::client::legacy;
use rustls::AlertDescription;

use super::route::AtProxy;
use crate::client::shown::clipped;

/// Why no whole answer came.
#[derive(Debug)]
pub(in crate::client) struct Failure {
    pub cause: Cause,
    /// Whether any of the request may have reached the service.
    pub was_sent: bool,
    /// The innermost reason, without addresses.
    pub detail: String,
    pub source: Option<Box<dyn StdError + Send + Sync>>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::client) enum Cause {
    /// No connection: refused, no such host, no route, no file descriptors, too slow.
    Connect,
    /// The other side could not prove who it is, or speaks no common TLS.
    Tls,
    /// The proxy could not be reached, or reaches nobody.
    Proxy,
    /// The proxy could not prove who it is.
    ProxyTls,
    /// A proxy wants credentials.
    ProxyCredentials,
    /// The answer breaks the rules of HTTP.
    Malformed,
    /// Where the answer ends cannot be told, so that what follows may be anybody's.
    Misframed,
    /// The connection broke.
    Closed,
}

impl Failure {
    pub(super) fn misframed(detail: &str) -> Self {
        Self { cause: Cause::Misframed, was_sent: true, detail: detail.to_owned(), source: None }
    }

    /// No head of an answer came.
    pub(super) fn of_head(error: legacy::Error) -> Self {
        let hyper = chain(&error).find_map(<dyn StdError>::downcast_ref::<hyper::Error>);
        // What hyper calls cancelled is handed back unsent: the connection was gone before it took the request.
        let is_unsent = error.is_connect() || hyper.is_some_and(hyper::Error::is_canceled);
        // Since TLS 1.3 a client is told only after its handshake that a certificate of its own was wanted.
        let no_certificate = rustls::Error::AlertReceived(AlertDescription::CertificateRequired);
        if is_unsent {
            Self::unsent(connect_cause(&error), error)
        } else if innermost(&error) == no_certificate.to_string() {
            // By its text, which is all that HTTP/2 keeps of an error.
            Self::unsent(Cause::Tls, error)
        } else {
            Self::broken(error)
        }
    }

    /// Nothing has left this machine for the service.
    pub(super) fn unsent(cause: Cause, error: impl StdError + Send + Sync + 'static) -> Self {
        Self { cause, was_sent: false, detail: innermost(&error), source: Some(Box::new(error)) }
    }

    /// The answer did not come to its end.
    pub(super) fn broken(error: impl StdError + Send + Sync + 'static) -> Self {
        let hyper = chain(&error).find_map(<dyn StdError>::downcast_ref::<hyper::Error>);
        let says = |what: &str| hyper.is_some_and(|error| error.to_string().contains(what));
        let is_of_connection = says("http2 error") || chain(&error).any(|error| of_tls(error).is_some());
        let cause = if is_of_connection {
            Cause::Closed
        } else if says("content-length parsed") || says("transfer-encoding parsed") {
            Cause::Misframed
        } else if hyper.is_some_and(hyper::Error::is_parse) || chain(&error).any(is_bad_framing) {
            Cause::Malformed
        } else {
            Cause::Closed
        };
        Self { cause, was_sent: true, detail: innermost(&error), source: Some(Box::new(error)) }
    }
}

/// An error and what it came from, down to the first.
fn chain<'e>(error: &'e (dyn StdError + 'static)) -> impl Iterator<Item = &'e (dyn StdError + 'static)> {
    std::iter::successors(Some(error), |error| StdError::source(*error))
}

fn innermost(error: &(dyn StdError + 'static)) -> String {
    chain(error).last().map(|innermost| clipped(&innermost.to_string())).unwrap_or_default()
}

fn connect_cause(error: &(dyn StdError + 'static)) -> Cause {
    if chain(error).any(|error| error.to_string().contains("proxy authorization required")) {
        return Cause::ProxyCredentials;
    }
    let is_at_proxy = chain(error).any(<dyn StdError>::is::<AtProxy>);
    let is_of_tls = chain(error).any(|error| of_tls(error).is_some());
    match (is_at_proxy, is_of_tls) {
        (true, true) => Cause::ProxyTls,
        (true, false) => Cause::Proxy,
        (false, true) => Cause::Tls,
        (false, false) => Cause::Connect,
    }
}

/// Errors of TLS come wrapped in errors of input and output, one in the other, which name no source.
fn of_tls<'e>(error: &'e (dyn StdError + 'static)) -> Option<&'e rustls::Error> {
    match error.downcast_ref::<io::Error>().and_then(io::Error::get_ref) {
        Some(inner) => of_tls(inner),
        None => error.downcast_ref(),
    }
}

/// A chunk size that is none, and the like; the library reports these as input and output errors.
fn is_bad_framing(error: &(dyn StdError + 'static)) -> bool {
    let kind = error.downcast_ref::<io::Error>().map(io::Error::kind);
    matches!(kind, Some(io::ErrorKind::InvalidInput | io::ErrorKind::InvalidData))
}
