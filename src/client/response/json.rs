//! A small JSON answer, and what is said of a body that is none.

use std::marker::PhantomData;

use serde::de::{DeserializeOwned, IgnoredAny};

use super::body::{Consume, FinishError};
use crate::client::error::Error;
use crate::client::shown::{clipped, clipped_to, clipped_word};
use crate::client::transport::Response;
use crate::wire::Problem;

/// What to do about a page where the service should be.
pub(super) const IS_THIS_THE_SERVICE: &str = "a page answers where the service should: is `base_url` right (what stands before `/api/v1`), or does a sign-in page come first?";

/// Reads a small body into a value. The stated type does not matter, only whether it parses.
pub(in crate::client) struct Json<'a, T> {
    what: &'a str,
    content_type: Option<String>,
    body: Vec<u8>,
    value: PhantomData<fn() -> T>,
}

impl<'a, T> Json<'a, T> {
    pub(in crate::client) fn new(what: &'a str) -> Self {
        Self { what, content_type: None, body: Vec::new(), value: PhantomData }
    }
}

impl<T: DeserializeOwned> Consume for Json<'_, T> {
    type Output = T;

    fn begin(&mut self, head: &Response) {
        self.content_type = head.header("content-type").map(str::to_owned);
    }

    fn feed(&mut self, bytes: &[u8]) -> Result<(), Error> {
        self.body.extend_from_slice(bytes);
        Ok(())
    }

    fn finish(self) -> Result<T, FinishError> {
        let body = &self.body;
        let is_object = body.trim_ascii_start().starts_with(b"{");
        let (fault, is_cut) = match serde_json::from_slice(body) {
            Ok(value) if is_object => return Ok(value),
            // A list of its members would do for serde.
            Ok(_) => ("not what the contract says: no object".to_owned(), false),
            Err(error) if serde_json::from_slice::<IgnoredAny>(body).is_ok() => {
                let why = if is_object { clipped(&error.to_string()) } else { "no object".to_owned() };
                (format!("not what the contract says: {why}"), false)
            }
            Err(error) => (not_json(body, self.content_type.as_deref()), error.is_eof() && !is_blank(body)),
        };
        let told = Error::bad_response(format!("the answer for {} is {fault}", self.what)).with_excerpt(body);
        let told = if is_page(body) { told.with_hint(IS_THIS_THE_SERVICE) } else { told };
        Err(if is_cut { FinishError::Early(told) } else { FinishError::Wrong(told) })
    }
}

/// Whether a body is a page for people.
pub(super) fn is_page(body: &[u8]) -> bool {
    body.trim_ascii_start().starts_with(b"<")
}

/// Says what a body is that should have been JSON: nothing, a page with its title, a type, or broken.
pub(in crate::client) fn not_json(body: &[u8], content_type: Option<&str>) -> String {
    if is_blank(body) {
        return "empty".to_owned();
    }
    let kind = content_type.map_or("of no stated type".to_owned(), |kind| format!("`{}`", clipped_word(kind)));
    match Problem::parse(body).message {
        Some(title) => format!("no JSON but {kind}, titled `{}`", clipped_to(&title, 400)),
        None => format!("no JSON ({kind})"),
    }
}

fn is_blank(body: &[u8]) -> bool {
    body.iter().all(u8::is_ascii_whitespace)
}
