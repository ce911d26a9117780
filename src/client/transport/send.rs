//! Sending one request, over the right connection, and waiting for the head of what comes back.

use std::sync::atomic::{AtomicU8, Ordering};
use std::time::{Duration, Instant};

use bytes::Bytes;
use http_body_util::Full;
use hyper::header::{
    ACCEPT, ACCEPT_ENCODING, AUTHORIZATION, CONTENT_TYPE, HeaderMap, HeaderValue, PROXY_AUTHORIZATION, USER_AGENT,
};
use hyper::{Request, Uri};
use hyper_util::client::legacy::Client;
use hyper_util::client::legacy::connect::capture_connection;
use hyper_util::rt::{TokioExecutor, TokioTimer};

use super::failure::{Cause, Failure};
use super::request_log::{End, RequestLog};
use super::response::Response;
use super::route::{Connector, Route};
use super::{framing, tls};
use crate::client::address::Address;
use crate::client::api_key::ApiKey;
use crate::client::config::ClientConfig;
use crate::client::error::Error;
use crate::client::error_kind::ErrorKind;
use crate::client::response::encoding;

/// Idle connections are closed early, so that few requests meet one that the server is about to close.
const IDLE: Duration = Duration::from_secs(15);

/// How many bytes of one answer may be on their way over HTTP/2, and of all answers over one connection. A large result
/// comes no faster than so many in the time to the service and back: with hyper's 2 MiB that was 23 MB a second where
/// this takes 80 ms.
const ON_THE_WAY: u32 = 8 << 20;
const ALL_ON_THE_WAY: u32 = 2 * ON_THE_WAY;

pub(in crate::client) struct Transport {
    root: String,
    /// What must not stand in a line of the log.
    key: ApiKey,
    /// What every request says.
    headers: HeaderMap,
    /// Keeps connections, and speaks HTTP/2 where the server does.
    kept: Pool,
    /// Opens a connection for each request. A start must not be written into one that is being closed, where nobody can
    /// say whether it was received: so it goes here, unless it is the first request of all, for which `kept` opens one
    /// as well.
    fresh: Pool,
    /// Which of them requests go to: see [`Transport::pool_for`].
    use_of_kept: AtomicU8,
}

type Pool = Client<Connector, Full<Bytes>>;

/// What is asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::client) enum Method<'a> {
    Get,
    Delete,
    /// A JSON body; the only request that may cost money.
    Post(&'a [u8]),
}

impl Method<'_> {
    pub(super) fn as_hyper(self) -> hyper::Method {
        match self {
            Self::Get => hyper::Method::GET,
            Self::Delete => hyper::Method::DELETE,
            Self::Post(_) => hyper::Method::POST,
        }
    }
}

/// In which encodings the body of an answer may come.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::client) enum Encodings {
    /// All that can be undone here.
    Known,
    /// None: as it is.
    Identity,
}

/// Nothing was sent over the kept connections.
const UNUSED: u8 = 0;
/// Its first request is a start that waits for its answer.
const STARTING: u8 = 1;
/// It may have any connections.
const USED: u8 = 2;

impl Transport {
    pub(in crate::client) fn new(config: &ClientConfig, address: &Address) -> Result<Self, Error> {
        let unusable = |message: &str| Error::new(ErrorKind::Config, message);
        let service: Uri =
            address.root.parse().map_err(|error| unusable("the base address cannot be used").with_source(error))?;
        let route = Route::to(&service, address.is_loopback)?;
        let headers = headers(config, &route)?;
        let is_secured = address.is_https || route.is_secured_to_proxy();
        let tls = tls::settings(is_secured, config.ca_file.as_deref())?;
        let connector = |protocols: &[&[u8]]| {
            route.clone().connector(tls.clone(), protocols, headers[USER_AGENT].clone(), config.connect_within())
        };
        let mut builder = Client::builder(TokioExecutor::new());
        builder.timer(TokioTimer::new()).pool_timer(TokioTimer::new()).pool_idle_timeout(IDLE);
        builder.http2_initial_stream_window_size(ON_THE_WAY).http2_initial_connection_window_size(ALL_ON_THE_WAY);
        let kept = builder.build(connector(&[b"h2", b"http/1.1"]));
        let fresh = builder.pool_max_idle_per_host(0).build(connector(&[b"http/1.1"]));
        let key = config.api_key.clone();
        Ok(Self { root: address.root.clone(), key, headers, kept, fresh, use_of_kept: AtomicU8::new(UNUSED) })
    }

    /// The address before the paths of the contract.
    pub(in crate::client) fn root(&self) -> &str {
        &self.root
    }

    /// Sends a request to a path of the contract and waits for the head of the answer.
    pub(in crate::client) async fn send(
        &self,
        method: Method<'_>,
        path: &str,
        encodings: Encodings,
    ) -> Result<Response, Failure> {
        let mut log = RequestLog { method, path, key: &self.key, begun: Instant::now(), end: End::GivenUp };
        let sent = self.pass(method, path, encodings).await;
        log.end = match &sent {
            Ok(response) => End::Status(response.status()),
            Err(failure) => End::Failure(failure.cause),
        };
        sent
    }

    async fn pass(&self, method: Method<'_>, path: &str, encodings: Encodings) -> Result<Response, Failure> {
        let mut request = self.request(method, path)?;
        if encodings == Encodings::Identity {
            request.headers_mut().insert(ACCEPT_ENCODING, HeaderValue::from_static(encoding::NONE_ACCEPTED));
        }
        let connection = capture_connection(&mut request);
        let (pool, _until_answered) = self.pool_for(method);
        let response = pool.request(request).await.map_err(Failure::of_head)?;
        if framing::is_stated_twice(response.headers()) {
            // What follows on this connection must answer nobody.
            if let Some(connection) = connection.connection_metadata().as_ref() {
                connection.poison();
            }
            return Err(Failure::misframed("the answer states its length twice"));
        }
        Ok(Response(response))
    }

    fn request(&self, method: Method<'_>, path: &str) -> Result<Request<Full<Bytes>>, Failure> {
        let address = format!("{}{path}", self.root);
        let body = match method {
            Method::Get | Method::Delete => Full::default(),
            Method::Post(body) => Full::from(body.to_vec()),
        };
        let mut request = Request::new(body);
        *request.uri_mut() = Uri::try_from(address).map_err(|error| Failure::unsent(Cause::Connect, error))?;
        *request.method_mut() = method.as_hyper();
        *request.headers_mut() = self.headers.clone();
        if matches!(method, Method::Post(_)) {
            request.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
        }
        Ok(request)
    }

    /// The first request of all goes over a kept connection, even if it is a start: the connection that is opened for
    /// it then serves what follows. Until such a start is answered, everything else has connections of its own: one
    /// that another request has used and given back could be taken for the start.
    fn pool_for(&self, method: Method<'_>) -> (&Pool, Option<Starting<'_>>) {
        let is_start = matches!(method, Method::Post(_));
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

fn headers(config: &ClientConfig, route: &Route) -> Result<HeaderMap, Error> {
    let mut bearer = HeaderValue::from_str(&config.api_key.bearer())
        .map_err(|_| Error::new(ErrorKind::Config, "the API key cannot stand in a header"))?;
    bearer.set_sensitive(true);
    let mut headers = HeaderMap::from_iter([
        (USER_AGENT, HeaderValue::from_static(concat!("rowhaul/", env!("CARGO_PKG_VERSION")))),
        (AUTHORIZATION, bearer),
        (ACCEPT, HeaderValue::from_static("application/json")),
        (ACCEPT_ENCODING, HeaderValue::from_static(encoding::ACCEPTED)),
    ]);
    if let Some(credentials) = route.credentials() {
        headers.insert(PROXY_AUTHORIZATION, credentials.clone());
    }
    Ok(headers)
}
