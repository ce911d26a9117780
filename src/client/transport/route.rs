//! How a connection to the service comes about: straight or through a proxy, secured where the address says so, and all
//! of that within one span of time.

use std::env;
use std::error::Error as StdError;
use std::fmt;
use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use hyper::header::{HeaderMap, HeaderValue, USER_AGENT};
use hyper::rt::{Read, ReadBufCursor, Write};
use hyper::{Uri, http};
use hyper_rustls::{HttpsConnector, MaybeHttpsStream};
use hyper_util::client::legacy::connect::proxy::Tunnel;
use hyper_util::client::legacy::connect::{Connected, Connection, HttpConnector};
use hyper_util::client::proxy::matcher::{Intercept, Matcher};
use hyper_util::rt::TokioIo;
use rustls::ClientConfig;
use tokio::net::TcpStream;
use tokio::time::timeout;
use tower::util::{BoxCloneSyncService, ServiceExt, service_fn};

use crate::client::error::Error;
use crate::client::error_kind::ErrorKind;

/// Makes a connection to an address.
pub(super) type Connector = BoxCloneSyncService<Uri, MaybeHttpsStream<Hop>, BoxError>;

type BoxError = Box<dyn StdError + Send + Sync>;

/// When the other side of a silent connection is asked whether it is still there, how often, and how long what was sent
/// may go unacknowledged before the connection counts as broken.
const KEEPALIVE: Duration = Duration::from_secs(15);
const KEEPALIVE_RETRIES: u32 = 3;
#[cfg(target_os = "linux")]
const UNACKNOWLEDGED: Duration = Duration::from_secs(30);

/// The way to a service, which is the same for all requests of a client.
#[derive(Clone)]
pub(super) enum Route {
    Direct,
    /// The proxy is asked for addresses of plain HTTP itself, and passes the answers on.
    Forwarded(Intercept),
    /// The proxy passes on bytes that it cannot read.
    Tunnelled(Intercept),
}

impl Route {
    /// The way that the environment, or else the system, asks for.
    ///
    /// # Errors
    /// `Config` where a proxy is named that cannot be read, or spoken to: the key must not take another way than the
    /// one that was asked for.
    pub(super) fn to(service: &Uri, is_loopback: bool) -> Result<Self, Error> {
        if is_loopback {
            return Ok(Self::Direct);
        }
        if let Some(name) = unreadable_proxy(service) {
            return Err(no_proxy(format!("`{name}` in the environment names a proxy that cannot be read")));
        }
        let Some(proxy) = Matcher::from_system().intercept(service) else { return Ok(Self::Direct) };
        match proxy.uri().scheme_str() {
            Some("http" | "https") => {}
            other => {
                let scheme = other.unwrap_or_default();
                return Err(no_proxy(format!("the environment names a proxy of `{scheme}`, which is not spoken here")));
            }
        }
        let is_secured = service.scheme() == Some(&http::uri::Scheme::HTTPS);
        Ok(if is_secured { Self::Tunnelled(proxy) } else { Self::Forwarded(proxy) })
    }

    /// What each request has to say to a proxy that reads it.
    pub(super) fn credentials(&self) -> Option<&HeaderValue> {
        match self {
            Self::Forwarded(proxy) => proxy.basic_auth(),
            Self::Direct | Self::Tunnelled(_) => None,
        }
    }

    /// Whether there is a proxy that is itself spoken to by TLS.
    pub(super) fn is_secured_to_proxy(&self) -> bool {
        match self {
            Self::Direct => false,
            Self::Forwarded(proxy) | Self::Tunnelled(proxy) => proxy.uri().scheme_str() == Some("https"),
        }
    }

    /// Makes connections this way, over which the service may choose one of the protocols if they are secured. Each
    /// takes `within` at most, names, proxy and TLS included.
    pub(super) fn connector(
        self,
        mut tls: ClientConfig,
        protocols: &[&[u8]],
        user_agent: HeaderValue,
        within: Duration,
    ) -> Connector {
        let way = Way { tcp: tcp(within), tls_to_proxy: tls.clone().into(), user_agent, route: self };
        tls.alpn_protocols = protocols.iter().map(|name| name.to_vec()).collect();
        let is_direct = matches!(way.route, Self::Direct);
        let secured = HttpsConnector::from((service_fn(move |service| way.clone().begin(service)), tls));
        BoxCloneSyncService::new(service_fn(move |service: Uri| {
            let connecting = secured.clone().oneshot(service);
            async move {
                timeout(within, connecting).await.unwrap_or_else(|_| {
                    let slow = io::Error::new(io::ErrorKind::TimedOut, "it took too long").into();
                    Err(if is_direct { slow } else { AtProxy(slow).into() })
                })
            }
        }))
    }
}

fn no_proxy(message: String) -> Error {
    Error::new(ErrorKind::Config, message)
        .with_hint("name a proxy of `http` or `https`, or the service's host in `NO_PROXY`")
}

/// The variable that names the proxy for a service, where that is none: another would be taken instead of it, or none
/// at all.
fn unreadable_proxy(service: &Uri) -> Option<&'static str> {
    let is_secured = service.scheme() == Some(&http::uri::Scheme::HTTPS);
    let own = if is_secured { ["HTTPS_PROXY", "https_proxy"] } else { ["HTTP_PROXY", "http_proxy"] };
    let first = |names: [&'static str; 2]| names.into_iter().find_map(|name| Some((name, env::var(name).ok()?)));
    let excepted = first(["NO_PROXY", "no_proxy"]).map(|(_, hosts)| hosts).unwrap_or_default();
    let is_proxy = |value: &str| {
        let matcher = Matcher::builder().all(value).no(excepted.as_str()).build();
        matcher.intercept(service).is_some()
    };
    // A server's CGI programs take no proxy from the environment: who asks them could name one, by a header.
    if env::var_os("REQUEST_METHOD").is_some() || !is_proxy("http://any") {
        return None;
    }
    let mut named = [own, ["ALL_PROXY", "all_proxy"]].into_iter().filter_map(first);
    let (name, value) = named.find(|(_, value)| !value.trim().is_empty())?;
    (!is_proxy(&value)).then_some(name)
}

/// What failed on the way to the service was the proxy, or what it was asked for.
#[derive(Debug)]
pub(super) struct AtProxy(BoxError);

impl fmt::Display for AtProxy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the proxy failed")
    }
}

impl StdError for AtProxy {
    fn source(&self) -> Option<&(dyn StdError + 'static)> {
        Some(&*self.0)
    }
}

/// What the first part of a connection is made with: all but the TLS of the service.
#[derive(Clone)]
struct Way {
    tcp: HttpConnector,
    tls_to_proxy: Arc<ClientConfig>,
    user_agent: HeaderValue,
    route: Route,
}

impl Way {
    async fn begin(self, service: Uri) -> Result<Hop, BoxError> {
        let to_proxy = |tcp| HttpsConnector::from((tcp, self.tls_to_proxy));
        match self.route {
            Route::Direct => Ok(Hop { stream: self.tcp.oneshot(service).await?.into(), is_forwarded: false }),
            Route::Forwarded(proxy) => {
                let stream = to_proxy(self.tcp).oneshot(proxy.uri().clone()).await.map_err(AtProxy)?;
                Ok(Hop { stream, is_forwarded: true })
            }
            Route::Tunnelled(proxy) => {
                let named = HeaderMap::from_iter([(USER_AGENT, self.user_agent)]);
                let mut tunnel = Tunnel::new(proxy.uri().clone(), to_proxy(self.tcp)).with_headers(named);
                if let Some(credentials) = proxy.basic_auth() {
                    tunnel = tunnel.with_auth(credentials.clone());
                }
                let stream = tunnel.oneshot(service).await.map_err(|error| AtProxy(error.into()))?;
                Ok(Hop { stream, is_forwarded: false })
            }
        }
    }
}

fn tcp(within: Duration) -> HttpConnector {
    let mut tcp = HttpConnector::new();
    // Addresses of https as well: TLS comes on top.
    tcp.enforce_http(false);
    tcp.set_nodelay(true);
    // Shared out among the addresses of a name, so that one that is dead leaves time for the others.
    tcp.set_connect_timeout(Some(within));
    tcp.set_keepalive(Some(KEEPALIVE));
    tcp.set_keepalive_interval(Some(KEEPALIVE));
    tcp.set_keepalive_retries(Some(KEEPALIVE_RETRIES));
    #[cfg(target_os = "linux")]
    tcp.set_tcp_user_timeout(Some(UNACKNOWLEDGED));
    tcp
}

/// The bytes between this machine and the service, or the proxy that is asked instead.
pub(super) struct Hop {
    stream: MaybeHttpsStream<TokioIo<TcpStream>>,
    /// Requests then name the whole address.
    is_forwarded: bool,
}

impl Connection for Hop {
    fn connected(&self) -> Connected {
        self.stream.connected().proxy(self.is_forwarded)
    }
}

impl Read for Hop {
    fn poll_read(mut self: Pin<&mut Self>, cx: &mut Context<'_>, buf: ReadBufCursor<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_read(cx, buf)
    }
}

impl Write for Hop {
    fn poll_write(mut self: Pin<&mut Self>, cx: &mut Context<'_>, buf: &[u8]) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.stream).poll_write(cx, buf)
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(cx)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bufs: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.stream).poll_write_vectored(cx, bufs)
    }
}
