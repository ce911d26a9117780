//! One HTTP request out, the head of its answer back. The only folder that knows which HTTP library does it.
//!
//! `send` does it, over connections that [`route`] makes and [`tls`] secures, and [`response`] is what comes back:
//! [`framing`] says where it ends, [`failure`] what went wrong, and [`request_log`] tells of each. Nothing is done
//! beyond what is asked: no redirect is followed, nothing is repeated but what a connection gave back unsent, nothing
//! is decompressed, and no proxy is used for this machine. The key is put into one header, marked as sensitive.

mod failure;
mod framing;
mod request_log;
mod response;
mod route;
mod send;
mod tls;

pub(super) use failure::{Cause, Failure};
pub(super) use response::Response;
pub(super) use send::{Encodings, Method, Transport};
