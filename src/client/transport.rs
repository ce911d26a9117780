//! One HTTP request out, the head of its answer back. The only file that knows which HTTP library does it.
//!
//! What the library would do by itself is switched off: it follows no redirect, repeats nothing but what a connection gave back
//! unsent, decompresses nothing, sends no referer, and uses no proxy for this machine. The key is put into one header, marked as
//! sensitive. Whatever goes wrong is told apart by the one question that matters for money: may the request have been received?

use std::error::Error as StdError;
use std::io;
use std::sync::atomic::{AtomicU8, Ordering};
use std::time::Duration;

use reqwest::header::{ACCEPT, ACCEPT_ENCODING, AUTHORIZATION, CONTENT_TYPE, HeaderMap, HeaderName, HeaderValue};
use reqwest::redirect::Policy;

use super::address::Address;
use super::answer::decompress;
use super::config::ClientConfig;
use super::error::Error;
use super::error_kind::ErrorKind;
use super::shown::clipped;
use super::tls;

/// Idle connections are closed early, so that few requests meet one that the server is about to close.
const IDLE: Duration = Duration::from_secs(15);

pub(super) struct Transport {
    root: String,
    /// Keeps connections, and speaks HTTP/2 where the server does.
    kept: reqwest::Client,
    /// Opens a connection for each request. A start must not be written into one that is being closed, where nobody can say
    /// whether it was received: so it goes here, unless it is the first request of all, for which `kept` opens one as well.
    fresh: reqwest::Client,
    /// Which of them requests go to: see [`Transport::client_for`].
    use_of_kept: AtomicU8,
}

/// What is asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Verb<'a> {
    Get,
    Delete,
    /// A JSON body; the only request that may cost money.
    Post(&'a [u8]),
}

/// Nothing was sent over the kept client.
const UNUSED: u8 = 0;
/// Its first request is a start that waits for its answer.
const STARTING: u8 = 1;
/// It may have any connections.
const USED: u8 = 2;

impl Transport {
    pub(super) fn new(config: &ClientConfig, address: &Address) -> Result<Self, Error> {
        let headers = headers(config)?;
        let tls = tls::settings(address, config.ca_file.as_deref())?;
        let build = |is_fresh: bool| {
            let mut tls = tls.clone();
            let http1 = b"http/1.1".to_vec();
            tls.alpn_protocols = if is_fresh { vec![http1] } else { vec![b"h2".to_vec(), http1] };
            let mut builder = reqwest::Client::builder()
                .tls_backend_preconfigured(tls)
                .default_headers(headers.clone())
                .user_agent(concat!("rowhaul/", env!("CARGO_PKG_VERSION")))
                .redirect(Policy::none())
                .retry(reqwest::retry::never())
                .referer(false)
                .tcp_nodelay(true)
                .connect_timeout(config.connect_within())
                .pool_idle_timeout(IDLE);
            if is_fresh {
                builder = builder.http1_only().pool_max_idle_per_host(0);
            }
            if address.is_loopback {
                builder = builder.no_proxy();
            }
            builder.build().map_err(|error| {
                Error::new(ErrorKind::Config, "the HTTP client cannot be set up").with_source(error.without_url())
            })
        };
        Ok(Self {
            root: address.root.clone(),
            kept: build(false)?,
            fresh: build(true)?,
            use_of_kept: AtomicU8::new(UNUSED),
        })
    }

    /// The address before the paths of the contract.
    pub(super) fn root(&self) -> &str {
        &self.root
    }

    /// Sends a request to a path of the contract and waits for the head of the answer.
    pub(super) async fn send(&self, verb: Verb<'_>, path: &str) -> Result<Answer, Failure> {
        let url = format!("{}{path}", self.root);
        let (client, _until_answered) = self.client_for(verb);
        let request = match verb {
            Verb::Get => client.get(url),
            Verb::Delete => client.delete(url),
            Verb::Post(body) => client.post(url).header(CONTENT_TYPE, "application/json").body(body.to_vec()),
        };
        let response = request.send().await.map_err(|error| Failure::of(error, Stage::Head))?;
        let lengths = response.headers().get_all("content-length").iter().count();
        if lengths + usize::from(response.headers().contains_key("transfer-encoding")) > 1 {
            // Two statements of the length are how a second answer is smuggled in. Dropping the response unread closes
            // its connection, so that what follows answers nobody.
            return Err(Failure::malformed("the answer states its length twice"));
        }
        Ok(Answer(response))
    }

    /// The first request of all goes over the kept client, even if it is a start: the connection that is opened for it then
    /// serves what follows. Until such a start is answered everything else has connections of its own, for one that another
    /// request has used and left would be taken for the start.
    fn client_for(&self, verb: Verb<'_>) -> (&reqwest::Client, Option<Starting<'_>>) {
        let is_start = matches!(verb, Verb::Post(_));
        let next = if is_start { STARTING } else { USED };
        match self.use_of_kept.compare_exchange(UNUSED, next, Ordering::Relaxed, Ordering::Relaxed) {
            Ok(_) if is_start => (&self.kept, Some(Starting(&self.use_of_kept))),
            Err(now) if is_start || now == STARTING => (&self.fresh, None),
            Ok(_) | Err(_) => (&self.kept, None),
        }
    }
}

/// While the first start waits for its answer, or is given up.
struct Starting<'t>(&'t AtomicU8);

impl Drop for Starting<'_> {
    fn drop(&mut self) {
        self.0.store(USED, Ordering::Relaxed);
    }
}

fn headers(config: &ClientConfig) -> Result<HeaderMap, Error> {
    let mut bearer = HeaderValue::from_str(&config.api_key.bearer())
        .map_err(|_| Error::new(ErrorKind::Config, "the API key cannot stand in a header"))?;
    bearer.set_sensitive(true);
    Ok(HeaderMap::from_iter([
        (AUTHORIZATION, bearer),
        (ACCEPT, HeaderValue::from_static("application/json")),
        (ACCEPT_ENCODING, HeaderValue::from_static(decompress::ACCEPTED)),
    ]))
}

/// The head of an answer, with its body still to come.
pub(super) struct Answer(reqwest::Response);

impl Answer {
    pub(super) fn status(&self) -> u16 {
        self.0.status().as_u16()
    }

    /// The first header of this name, where it is text.
    pub(super) fn header(&self, name: &str) -> Option<&str> {
        self.0.headers().get(name)?.to_str().ok()
    }

    /// All headers of this name; what is not text is told as junk.
    pub(super) fn headers<'a>(&'a self, name: &'static str) -> impl Iterator<Item = &'a str> {
        let values = self.0.headers().get_all(HeaderName::from_static(name)).iter();
        values.map(|value| value.to_str().unwrap_or("junk"))
    }

    /// Whether the body is compressed, or what else an encoding may do to it.
    pub(super) fn is_encoded(&self) -> bool {
        self.headers("content-encoding").any(|named| !matches!(named.trim(), "" | "identity"))
    }

    /// Whether only the end of the connection ends the body, so that a broken one looks like a whole one.
    pub(super) fn ends_with_connection(&self) -> bool {
        let headers = self.0.headers();
        let has_end = headers.contains_key("content-length") || headers.contains_key("transfer-encoding");
        !has_end && self.0.version() <= reqwest::Version::HTTP_11
    }

    /// The next bytes of the body as they arrive, `None` at its end.
    pub(super) async fn chunk(&mut self) -> Result<Option<impl AsRef<[u8]> + Send + 'static + use<>>, Failure> {
        self.0.chunk().await.map_err(|error| Failure::of(error, Stage::Body))
    }
}

/// Why no whole answer came.
#[derive(Debug)]
pub(super) struct Failure {
    pub cause: Cause,
    /// Whether any of the request may have reached the service.
    pub was_sent: bool,
    /// The innermost reason, without addresses.
    pub detail: String,
    pub source: Option<Box<dyn StdError + Send + Sync>>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Cause {
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

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Stage {
    Head,
    Body,
}

impl Failure {
    fn malformed(detail: &str) -> Self {
        Self { cause: Cause::Malformed, was_sent: true, detail: detail.to_owned(), source: None }
    }

    fn of(error: reqwest::Error, stage: Stage) -> Self {
        let error = error.without_url();
        let chain =
            || std::iter::successors(Some(&error as &(dyn StdError + 'static)), |error| StdError::source(*error));
        let detail = chain().last().map(|innermost| clipped(&innermost.to_string())).unwrap_or_default();
        let hyper = chain().find_map(<dyn StdError>::downcast_ref::<hyper::Error>);
        let (cause, was_sent) = if error.is_connect() {
            (connect_cause(chain()), false)
        } else if error.is_builder() {
            (Cause::Connect, false)
        } else if hyper.is_some_and(hyper::Error::is_canceled) && stage == Stage::Head {
            // The connection was gone before it took the request, which is handed back unsent.
            (Cause::Connect, false)
        } else if hyper.is_some_and(hyper::Error::is_parse) || chain().any(is_bad_framing) {
            (Cause::Malformed, true)
        } else {
            (Cause::Closed, true)
        };
        Self { cause, was_sent, detail, source: Some(Box::new(error)) }
    }
}

fn connect_cause<'a>(mut chain: impl Iterator<Item = &'a (dyn StdError + 'static)>) -> Cause {
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
