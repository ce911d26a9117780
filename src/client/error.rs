//! The one error of the client: what happened, to what, and what is known about the money.

use std::error::Error as StdError;
use std::fmt;
use std::time::Duration;

use super::api_key::ApiKey;
use super::error_kind::{ErrorKind, Outcome};
use crate::catalogue::Invalid;
use crate::rows::DecodeErrorKind;
use crate::wire::{InvalidName, JobId};

/// Why an operation failed.
///
/// Opaque on purpose: what went wrong is [`kind`](Self::kind), what that means for a started run is
/// [`outcome`](Self::outcome). No text of it ever holds the API key, whatever a server echoes.
pub struct Error(Box<Inner>);

#[derive(Debug)]
struct Inner {
    kind: ErrorKind,
    message: String,
    hint: Option<String>,
    outcome: Outcome,
    job_id: Option<JobId>,
    attempts: u32,
    elapsed: Duration,
    retry_after: Option<Duration>,
    excerpt: Option<String>,
    source: Option<Box<dyn StdError + Send + Sync>>,
}

/// Characters of an excerpt at most.
const LONGEST_EXCERPT: usize = 512;

impl Error {
    pub fn kind(&self) -> &ErrorKind {
        &self.0.kind
    }

    /// What happened, in lower case and without a final dot.
    pub fn message(&self) -> &str {
        &self.0.message
    }

    /// What the user can do about it, where there is something.
    pub fn hint(&self) -> Option<&str> {
        self.0.hint.as_deref()
    }

    /// What is known about the start, or about the request where there was none.
    pub fn outcome(&self) -> Outcome {
        self.0.outcome
    }

    /// The job, from the moment its id was received.
    pub fn job_id(&self) -> Option<&JobId> {
        self.0.job_id.as_ref()
    }

    /// HTTP requests sent, or tried to be sent, by the operation.
    pub fn attempts(&self) -> u32 {
        self.0.attempts
    }

    /// Time since the operation began.
    pub fn elapsed(&self) -> Duration {
        self.0.elapsed
    }

    /// How long the server asked to wait, if it did; at most 10^10 seconds.
    pub fn retry_after(&self) -> Option<Duration> {
        self.0.retry_after
    }

    /// The first bytes of what came back: at most 512, escaped to printable ASCII.
    pub fn excerpt(&self) -> Option<&str> {
        self.0.excerpt.as_deref()
    }

    /// The HTTP status of an [`ErrorKind::Api`].
    pub fn status_code(&self) -> Option<u16> {
        match self.0.kind {
            ErrorKind::Api { status, .. } => Some(status),
            _ => None,
        }
    }

    /// Whether the same operation may succeed later without anything being changed.
    pub fn is_temporary(&self) -> bool {
        match self.0.kind {
            ErrorKind::Connect
            | ErrorKind::Read
            | ErrorKind::RequestTimeout
            | ErrorKind::JobTimeout
            | ErrorKind::ResultsNotReady => true,
            ErrorKind::Api { status, .. } => matches!(status, 408 | 429 | 500..),
            _ => false,
        }
    }

    /// Whether the rate limit puts the next request beyond the time there is.
    pub(super) fn is_put_off(&self) -> bool {
        matches!(self.kind(), ErrorKind::RequestTimeout) && self.retry_after().is_some()
    }

    pub(super) fn new(kind: ErrorKind, message: impl Into<String>) -> Self {
        Self(Box::new(Inner {
            kind,
            message: message.into(),
            hint: None,
            outcome: Outcome::NotSent,
            job_id: None,
            attempts: 0,
            elapsed: Duration::ZERO,
            retry_after: None,
            excerpt: None,
            source: None,
        }))
    }

    pub(super) fn bad_response(message: impl Into<String>) -> Self {
        Self::new(ErrorKind::BadResponse, message).with_outcome(Outcome::Unknown)
    }

    pub(super) fn with_hint(mut self, hint: impl Into<String>) -> Self {
        self.0.hint = Some(hint.into());
        self
    }

    pub(super) fn with_outcome(mut self, outcome: Outcome) -> Self {
        self.0.outcome = outcome;
        self
    }

    pub(super) fn with_retry_after(mut self, retry_after: Option<Duration>) -> Self {
        self.0.retry_after = retry_after;
        self
    }

    pub(super) fn with_excerpt(mut self, body: &[u8]) -> Self {
        self.0.excerpt = (!body.is_empty()).then(|| excerpt(body));
        self
    }

    pub(super) fn with_source(mut self, source: impl Into<Box<dyn StdError + Send + Sync>>) -> Self {
        self.0.source = Some(source.into());
        self
    }

    /// The same facts under another kind and message, for a caller that knows what they mean.
    pub(super) fn retold(mut self, kind: ErrorKind, message: impl Into<String>) -> Self {
        self.0.kind = kind;
        self.0.message = message.into();
        self
    }

    /// The same error in other words.
    pub(super) fn reworded(mut self, message: impl Into<String>) -> Self {
        self.0.message = message.into();
        self
    }

    /// What every error of an operation is given before it leaves the client.
    pub(super) fn seal(mut self, key: &ApiKey, job_id: Option<&JobId>, attempts: u32, elapsed: Duration) -> Self {
        // Unless the job failed, is gone or was never there, what failed is the asking: it goes on, or its rows wait to
        // be fetched.
        let leaves_job = !matches!(self.0.kind, ErrorKind::JobFailed | ErrorKind::Api { status: 404 | 410, .. });
        let inner = &mut *self.0;
        inner.attempts = attempts;
        inner.elapsed = elapsed;
        if let Some(id) = job_id {
            inner.job_id = Some(id.clone());
            inner.outcome = Outcome::Accepted;
            if leaves_job {
                let line = match &inner.kind {
                    ErrorKind::Decode(error) if error.kind == DecodeErrorKind::TooManyColumns => {
                        format!("{} reads them for nothing more", widened_by(id))
                    }
                    // The same bytes would most likely come again.
                    ErrorKind::Decode(_) => format!("{} saves the body as sent", saved_by(id)),
                    _ => format!("{} takes it up again", taken_up_by(id)),
                };
                inner.hint = Some(inner.hint.take().map_or(line.clone(), |hint| format!("{hint}; {line}")));
            }
        }
        key.redact(&mut inner.message);
        // The key goes first, then the rest is cut: the other way round could leave half of it at the end.
        inner.hint.as_mut().into_iter().chain(inner.excerpt.as_mut()).for_each(|text| key.redact(text));
        inner.kind.texts_mut().for_each(|text| key.redact(text));
        inner.excerpt.as_mut().into_iter().for_each(cut);
        self
    }
}

impl From<Invalid> for Error {
    fn from(Invalid { field, reason }: Invalid) -> Self {
        let message = format!("parameter `{field}`: {reason}");
        Self::new(ErrorKind::InvalidParams { field, reason }, message)
    }
}

impl From<InvalidName> for Error {
    fn from(invalid: InvalidName) -> Self {
        let message = invalid.to_string();
        Self::new(ErrorKind::InvalidParams { field: "name".to_owned(), reason: message.clone() }, message)
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0.message)?;
        if let Some(id) = self.job_id().filter(|id| !self.0.message.contains(id.as_str())) {
            write!(f, " (job `{id}`)")?;
        }
        match self.hint() {
            Some(hint) => write!(f, "\nhint: {hint}"),
            None => Ok(()),
        }
    }
}

impl fmt::Debug for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl StdError for Error {
    fn source(&self) -> Option<&(dyn StdError + 'static)> {
        self.0.source.as_deref().map(|source| source as &(dyn StdError + 'static))
    }
}

/// What takes a job up again, as errors show it: of a client that is awaited, too, so that it ends where they begin to
/// differ.
pub fn taken_up_by(id: &JobId) -> String {
    format!("`client.job({:?})`", id.as_str())
}

/// The one line that saves a job's results as they came.
pub fn saved_by(id: &JobId) -> String {
    format!("`client.job({:?}).download(path)`", id.as_str())
}

/// The one line that reads the results of a job with more columns.
pub fn widened_by(id: &JobId) -> String {
    format!("`client.job({:?}).rows(max_columns=…)`", id.as_str())
}

/// The beginning of a body in printable ASCII, still longer than it will be shown.
fn excerpt(body: &[u8]) -> String {
    let beginning = &body[..body.len().min(8 * LONGEST_EXCERPT)];
    // A quotation mark is printable; escaping it would only make JSON harder to read.
    beginning.escape_ascii().to_string().replace("\\\"", "\"").replace("\\'", "'")
}

fn cut(text: &mut String) {
    if text.len() > LONGEST_EXCERPT {
        text.truncate(LONGEST_EXCERPT - 3);
        text.push_str("...");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_hint_stands_on_its_own_line_and_the_job_is_named_once() {
        let key = ApiKey::new("canary-0123456789").unwrap();
        let id: JobId = "j1".parse().unwrap();
        let sealed = |message: &str| Error::new(ErrorKind::Read, message).seal(&key, Some(&id), 2, Duration::ZERO);
        let hint = "hint: `client.job(\"j1\")` takes it up again";
        assert_eq!(sealed("cut off").to_string(), format!("cut off (job `j1`)\n{hint}"));
        assert_eq!(sealed("job `j1` is gone").to_string(), format!("job `j1` is gone\n{hint}"));
        assert_eq!(sealed("cut off").with_hint("try again").to_string(), "cut off (job `j1`)\nhint: try again");
        assert_eq!(sealed("x").outcome(), Outcome::Accepted);
    }

    #[test]
    fn every_error_about_a_job_says_how_to_take_it_up_unless_it_failed_or_is_not_there() {
        let key = ApiKey::new("canary-0123456789").unwrap();
        let id: JobId = "j1".parse().unwrap();
        let api = |status| ErrorKind::Api { status, code: None, message: None, request_id: None };
        let hint = |kind| Error::new(kind, "x").seal(&key, Some(&id), 1, Duration::ZERO).hint().map(str::to_owned);
        for kind in [api(401), api(403), api(409), ErrorKind::BadResponse, ErrorKind::Ledger] {
            assert!(hint(kind).unwrap().contains("`client.job(\"j1\")`"));
        }
        for kind in [ErrorKind::JobFailed, api(404), api(410)] {
            assert_eq!(hint(kind), None);
        }
    }

    #[test]
    fn a_body_that_cannot_be_decoded_is_not_worth_asking_for_again_but_for_saving() {
        let key = ApiKey::new("canary-0123456789").unwrap();
        let id: JobId = "j1".parse().unwrap();
        let Err(broken) = crate::rows::decode(b"[", crate::rows::DecodeOptions::default()) else {
            panic!("half a list is no body")
        };
        let error = Error::new(ErrorKind::Decode(broken), "x").seal(&key, Some(&id), 1, Duration::ZERO);
        assert_eq!(error.hint(), Some("`client.job(\"j1\").download(path)` saves the body as sent"));
    }

    #[test]
    fn an_excerpt_is_short_printable_and_without_the_key() {
        let key = ApiKey::new("canary-0123456789").unwrap();
        let body = [b"{\"echo\": \"canary-0123456789\"}\n\xff".as_slice(), &[b'x'; 600]].concat();
        let error = Error::bad_response("canary-0123456789").with_excerpt(&body).seal(&key, None, 1, Duration::ZERO);
        let shown = error.excerpt().unwrap();
        assert!(shown.starts_with(r#"{"echo": "[redacted]"}\n\xff"#) && shown.len() <= 512, "{shown}");
        assert!(!format!("{error:?}").contains("canary"));
    }

    #[test]
    fn a_key_at_the_end_of_an_excerpt_is_not_left_in_half() {
        let key = ApiKey::new("canary-0123456789").unwrap();
        for before in 490..515 {
            let body = ["x".repeat(before).as_bytes(), b"canary-0123456789"].concat();
            let error = Error::bad_response("x").with_excerpt(&body).seal(&key, None, 1, Duration::ZERO);
            assert!(!format!("{error:?}").contains("cana"), "{error:?}");
        }
    }
}
