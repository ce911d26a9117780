//! Requests that may be repeated: everything but a start.

use std::time::Duration;

use serde::de::DeserializeOwned;
use tokio::time::{Instant, timeout};

use super::Client;
use super::call::Call;
use super::deadline::Deadline;
use super::error::Error;
use super::error_kind::{ErrorKind, Outcome};
use super::pacing::pacer::Priority;
use super::pacing::retry::{Attempts, Retry};
use super::response::body::{self, BodyError, Bounds, Consume, FinishError};
use super::response::json::Json;
use super::response::refusal::{Refusal, of_proxy_credentials};
use super::transport::{Cause, Encodings, Failure, Method, Response};

/// At most this much of a refusal is read.
pub(super) const REFUSAL_BYTES: u64 = 64 << 10;

/// At most this much of an answer that is no download: a list of thousands of agents fits.
const SMALL_BYTES: u64 = 16 << 20;

/// What is asked for, and how it is called in errors.
#[derive(Debug, Clone)]
pub(super) struct HttpRequest<'a> {
    pub method: Method<'a>,
    pub path: String,
    /// Such as ``the status of job `x` ``.
    pub what: String,
    /// Rows may be large and slow; anything else has to come as a whole in time.
    pub is_download: bool,
    /// Who goes first where requests have to wait.
    pub priority: Priority,
}

impl HttpRequest<'_> {
    pub(super) fn get(path: impl Into<String>, what: impl Into<String>) -> Self {
        Self { method: Method::Get, path: path.into(), what: what.into(), is_download: false, priority: Priority::Call }
    }

    /// The same, asked for by a wait that can wait.
    pub(super) fn poll(path: impl Into<String>, what: impl Into<String>) -> Self {
        Self { priority: Priority::Poll, ..Self::get(path, what) }
    }
}

impl Client {
    /// Asks until there is a 2xx answer, whole, or no more repeats are allowed.
    pub(super) async fn fetch<C: Consume>(
        &self,
        call: &Call,
        request: &HttpRequest<'_>,
        mut make: impl FnMut() -> Result<C, Error> + Send,
    ) -> Result<C::Output, Error> {
        let mut attempts = if request.is_download { Attempts::for_rows() } else { Attempts::default() };
        let (mut was_repeated, mut encodings) = (false, Encodings::Known);
        loop {
            self.turn(call, request.priority).await?;
            call.count_attempt();
            // Far larger than all that waits for its turn.
            match Box::pin(self.attempt(call, request, encodings, make()?)).await {
                Ok(output) => {
                    self.0.pacer.succeeded();
                    self.0.quota.refill(was_repeated);
                    return Ok(output);
                }
                Err((error, retry)) => {
                    if !self.pause(call, &mut attempts, retry, &error).await {
                        return Err(error);
                    }
                    was_repeated = true;
                    if retry == Retry::OnceUncompressed {
                        encodings = Encodings::Identity;
                    }
                }
            }
        }
    }

    /// Asks once, whatever comes of it. That the service wants fewer requests is heeded all the same; that it is not
    /// ready for this one puts off no other.
    pub(super) async fn fetch_json_once<T>(&self, call: &Call, request: &HttpRequest<'_>) -> Result<T, Error>
    where
        T: DeserializeOwned + Send,
    {
        call.count_attempt();
        match self.attempt(call, request, Encodings::Known, Json::new(&request.what)).await {
            Ok(answer) => {
                self.0.pacer.succeeded();
                Ok(answer)
            }
            Err((error, retry)) => {
                if let (Retry::Throttled(asked), Some(429)) = (retry, error.status_code()) {
                    self.slow_down(None, asked);
                }
                Err(error)
            }
        }
    }

    /// A small JSON answer as a value of its own type.
    pub(super) async fn fetch_json<T: DeserializeOwned + Send>(
        &self,
        call: &Call,
        request: &HttpRequest<'_>,
    ) -> Result<T, Error> {
        self.fetch(call, request, || Ok(Json::new(&request.what))).await
    }

    /// Waits for the turn of the next request.
    pub(super) async fn turn(&self, call: &Call, priority: Priority) -> Result<(), Error> {
        self.0.pacer.turn(priority, call.deadline).await.map_err(|wait| {
            let message = if wait.is_zero() && !call.has_asked() {
                "the time for this call was over before anything was sent"
            } else if wait.is_zero() {
                "the time for this call is over"
            } else {
                "the deadline comes before the turn of the next request, which the rate limit puts off"
            };
            let wait = Some(wait).filter(|wait| !wait.is_zero());
            Error::new(ErrorKind::RequestTimeout, message).with_retry_after(wait)
        })
    }

    /// Puts off all requests of this client: for as long as a call means to pause, or else as the service asked.
    fn slow_down(&self, pause: Option<Duration>, asked: Option<Duration>) {
        let longest = self.config().retry.longest_retry_after;
        let known = pause.or(asked.filter(|asked| *asked <= longest)).unwrap_or_default();
        if !self.0.clock.pass(known) {
            self.0.pacer.throttled(known, asked);
        }
    }

    /// Prepares a repeat after this error; `false` where there is to be none. A pause that the service asked for is
    /// that of the whole client: it goes to the pacer, where the next turn waits for it. Any other is slept here, and
    /// paid for out of the retry quota.
    pub(super) async fn pause(&self, call: &Call, attempts: &mut Attempts, retry: Retry, error: &Error) -> bool {
        let policy = &self.config().retry;
        let pause = attempts.next(policy, retry, &mut fastrand::Rng::new());
        if let Retry::Throttled(asked) = retry {
            // Even a call that gives up has learned for all others that the service wants fewer requests.
            self.slow_down(pause, asked);
        }
        let Some(pause) = pause else { return false };
        let now = Instant::now();
        if now.checked_add(pause).is_none_or(|moment| !call.deadline.allows(moment)) {
            return false;
        }
        let is_throttled = matches!(retry, Retry::Throttled(_));
        if !is_throttled && !self.0.quota.take() {
            return false;
        }
        if log::log_enabled!(log::Level::Info) {
            let mut why = error.message().to_owned();
            self.key().redact(&mut why);
            log::info!("{why}; sent again in {pause:.1?}");
        }
        if !is_throttled {
            self.let_pass(pause).await;
        }
        true
    }

    async fn attempt<C: Consume>(
        &self,
        call: &Call,
        request: &HttpRequest<'_>,
        encodings: Encodings,
        consumer: C,
    ) -> Result<C::Output, (Error, Retry)> {
        let whole = call.deadline.cut(Instant::now(), self.config().request_timeout);
        let by = Deadline::after(Instant::now(), Some(whole));
        let what = &request.what;
        let mut answer = match timeout(whole, self.0.transport.send(request.method, &request.path, encodings)).await {
            Ok(Ok(answer)) => answer,
            Ok(Err(failure)) => return Err(failed(failure, what, self.address())),
            Err(_) => {
                return Err((slow(what, &format!("no answer came within {whole:.1?}")), Retry::Backoff));
            }
        };
        self.0.clock.learn(&answer);
        if !matches!(answer.status(), 200..=299) {
            let refusal = self.read_refusal(&mut answer, by).await;
            let retry = refusal.retry();
            return Err((refusal.into_error(what, self.key()), retry));
        }
        let bounds = if request.is_download {
            let bytes = self.config().max_response_bytes;
            Bounds { bytes, whole_by: call.deadline, idle: self.config().request_timeout }
        } else {
            Bounds { bytes: SMALL_BYTES, whole_by: by, idle: whole }
        };
        let threads = if request.is_download { self.config().threads } else { 1 };
        self.read_answer(&mut answer, bounds, threads, what, consumer).await
    }

    /// Reads an answer into its consumer. Where that fails, says whether the same request may do better.
    async fn read_answer<C: Consume>(
        &self,
        answer: &mut Response,
        bounds: Bounds,
        threads: usize,
        what: &str,
        mut consumer: C,
    ) -> Result<C::Output, (Error, Retry)> {
        consumer.begin(answer);
        match body::read_with(answer, bounds, threads, &mut consumer).await {
            Ok(()) => consumer.finish().map_err(|unfinished| match unfinished {
                FinishError::Early(error) if answer.ends_with_connection() => {
                    let message = format!("the connection broke before the answer for {what} was whole");
                    (error.retold(ErrorKind::Read, message), Retry::Backoff)
                }
                FinishError::Short(error) if answer.ends_with_connection() => (error, Retry::Backoff),
                FinishError::Early(error) | FinishError::Short(error) | FinishError::Wrong(error) => {
                    let retry = retry_unusable(&error, answer);
                    (error, retry)
                }
            }),
            Err(BodyError::Refused(error)) => {
                let retry = retry_unusable(&error, answer);
                Err((error, retry))
            }
            Err(BodyError::Failed(failure)) => Err(failed(failure, what, self.address())),
            Err(BodyError::Slow(message)) => Err((slow(what, &message), Retry::Backoff)),
            Err(BodyError::BadEncoding(message)) => {
                let retry = if answer.is_encoded() { Retry::OnceUncompressed } else { Retry::Never };
                Err((Error::bad_response(format!("the answer for {what} cannot be read: {message}")), retry))
            }
        }
    }

    pub(super) async fn read_refusal(&self, answer: &mut Response, by: Deadline) -> Refusal {
        let bounds = Bounds { bytes: REFUSAL_BYTES, whole_by: by, idle: self.config().request_timeout };
        let body = body::read_beginning(answer, bounds).await;
        Refusal::new(answer, body, self.key())
    }
}

/// Whether a body that its reader refused is asked for again: one that came encoded may have been garbled on its way,
/// which shows in what is inflated before the check sum at its end is reached.
fn retry_unusable(error: &Error, answer: &Response) -> Retry {
    let is_unreadable = matches!(error.kind(), ErrorKind::Decode(_) | ErrorKind::BadResponse);
    if is_unreadable && answer.is_encoded() { Retry::OnceUncompressed } else { Retry::Never }
}

/// A request that got no answer, or not a whole one.
pub(super) fn failed(failure: Failure, what: &str, address: &str) -> (Error, Retry) {
    let Failure { cause, was_sent, detail, source } = failure;
    let outcome = if was_sent { Outcome::Unknown } else { Outcome::NotSent };
    let (error, retry) = match cause {
        Cause::Connect => {
            let message = format!("no connection to {address} for {what}: {detail}");
            let hint = connect_hint(&detail, "is `base_url` right, and does the service run?");
            (Error::new(ErrorKind::Connect, message).with_hint(hint), Retry::Backoff)
        }
        Cause::Tls => {
            let message = format!("no secure connection to {address} for {what}: {detail}");
            (Error::new(ErrorKind::Connect, message).with_hint(tls_hint(&detail, "service")), Retry::Never)
        }
        Cause::Proxy => {
            let message = format!("no connection to {address} through the proxy for {what}: {detail}");
            let hint = "is the proxy right that the environment names (`HTTPS_PROXY`, `HTTP_PROXY`, `ALL_PROXY`)? Hosts \
                        that are to be reached without it stand in `NO_PROXY`";
            let hint = connect_hint(&detail, hint);
            (Error::new(ErrorKind::Connect, message).with_hint(hint), Retry::Backoff)
        }
        Cause::ProxyTls => {
            let message = format!("no secure connection to the proxy for {what}: {detail}");
            (Error::new(ErrorKind::Connect, message).with_hint(tls_hint(&detail, "proxy")), Retry::Never)
        }
        Cause::ProxyCredentials => (of_proxy_credentials(what), Retry::Never),
        Cause::Malformed | Cause::Misframed => {
            let message = format!("the answer for {what} breaks the rules of HTTP: {detail}");
            let retry = if cause == Cause::Malformed { Retry::Once } else { Retry::Never };
            (Error::bad_response(message), retry)
        }
        Cause::Closed => {
            let message = format!("the connection broke before the answer for {what} was whole: {detail}");
            (Error::new(ErrorKind::Read, message), Retry::Backoff)
        }
    };
    let error = error.with_outcome(outcome);
    (if let Some(source) = source { error.with_source(source) } else { error }, retry)
}

/// What a user may do about a connection that did not come about, for a reason that is this process's or the `usual`
/// one.
fn connect_hint<'h>(detail: &str, usual: &'h str) -> &'h str {
    if detail.contains("open files") {
        "this process has too many files open; close some, or raise its limit (`ulimit -n`)"
    } else {
        usual
    }
}

/// What a user may do about a connection to the service or the proxy that could not be secured; rustls names the alerts
/// of TLS as RFC 8446 does.
fn tls_hint(detail: &str, other: &str) -> String {
    if detail.ends_with("CertificateRequired") {
        format!("the {other} wants a certificate of its client, and there is no way to give one here")
    } else if detail.ends_with("NoApplicationProtocol") {
        format!("the {other} speaks no HTTP/1.1, over which starts go")
    } else {
        format!(
            "a certificate of the {other}'s own authority is trusted with `ca_file=` (its PEM file); a {other} that speaks no TLS \
             has an address with `http://`"
        )
    }
}

fn slow(what: &str, message: &str) -> Error {
    Error::new(ErrorKind::RequestTimeout, format!("{message}: {what}")).with_outcome(Outcome::Unknown)
}
