//! Tests of the crate from outside, one module a part.

#[cfg(feature = "service")]
mod service;
