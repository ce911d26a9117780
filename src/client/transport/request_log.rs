//! The log of requests.

use std::fmt;
use std::time::Instant;

use super::failure::Cause;
use super::send::Method;
use crate::client::api_key::ApiKey;

/// A request and what came of it, logged when it is over, or nobody waits for it any more.
pub(super) struct RequestLog<'a> {
    pub(super) method: Method<'a>,
    pub(super) path: &'a str,
    pub(super) key: &'a ApiKey,
    pub(super) begun: Instant,
    pub(super) end: End,
}

/// What came of a request.
pub(super) enum End {
    /// Nothing: nobody waits for it any more.
    GivenUp,
    Status(u16),
    Failure(Cause),
}

impl fmt::Display for End {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::GivenUp => f.write_str("given up"),
            Self::Status(status) => status.fmt(f),
            Self::Failure(cause) => write!(f, "no answer ({cause:?})"),
        }
    }
}

impl Drop for RequestLog<'_> {
    fn drop(&mut self) {
        if log::log_enabled!(log::Level::Debug) {
            let Self { method, path, key, begun, end } = self;
            // A service may call its jobs what it likes.
            let path = key.redact_path(path);
            log::debug!("{} {path}: {end} after {:.3?}", method.as_hyper(), begun.elapsed());
        }
    }
}
