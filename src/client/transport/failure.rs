//! Why no whole answer came, and the one question that matters for money: may the request have been received?

use std::error::Error as StdError;
use std::io;

use hyper_util::client::legacy;

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
    /// A proxy wants credentials.
    ProxyCredentials,
    /// The answer breaks the rules of HTTP.
    Malformed,
    /// The connection broke.
    Closed,
}

impl Failure {
    pub(super) fn malformed(detail: &str) -> Self {
        Self { cause: Cause::Malformed, was_sent: true, detail: detail.to_owned(), source: None }
    }

    /// No head of an answer came.
    pub(super) fn of_head(error: legacy::Error) -> Self {
        let hyper = chain(&error).find_map(<dyn StdError>::downcast_ref::<hyper::Error>);
        if error.is_connect() {
            Self::unsent(connect_cause(chain(&error)), error)
        } else if hyper.is_some_and(hyper::Error::is_canceled) {
            // The connection was gone before it took the request, which is handed back unsent.
            Self::unsent(Cause::Connect, error)
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
        let is_malformed = hyper.is_some_and(hyper::Error::is_parse) || chain(&error).any(is_bad_framing);
        let cause = if is_malformed { Cause::Malformed } else { Cause::Closed };
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

fn connect_cause<'e>(mut chain: impl Iterator<Item = &'e (dyn StdError + 'static)>) -> Cause {
    let cause = chain.find_map(|error| {
        if is_tls(error) {
            Some(Cause::Tls)
        } else if error.to_string().contains("proxy authorization required") {
            Some(Cause::ProxyCredentials)
        } else {
            None
        }
    });
    cause.unwrap_or(Cause::Connect)
}

/// Errors of TLS come wrapped in errors of input and output, one in the other, which name no source.
fn is_tls(error: &(dyn StdError + 'static)) -> bool {
    match error.downcast_ref::<io::Error>().and_then(io::Error::get_ref) {
        Some(inner) => is_tls(inner),
        None => error.is::<rustls::Error>(),
    }
}

/// A chunk size that is none, and the like; the library reports these as input and output errors.
fn is_bad_framing(error: &(dyn StdError + 'static)) -> bool {
    let kind = error.downcast_ref::<io::Error>().map(io::Error::kind);
    matches!(kind, Some(io::ErrorKind::InvalidInput | io::ErrorKind::InvalidData))
}
