//! Connections to requests: accepts on the port and drives hyper on each connection.
//!
//! Hyper is driven by hand because axum's own `serve` waits for a request's head without end.

use std::convert::Infallible;
use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::body::Body;
use axum::http::{HeaderValue, header};
use axum::response::{IntoResponse, Response};
use http_body_util::BodyExt;
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::server::graceful::{GracefulShutdown, Watcher};
use tokio::net::{TcpListener, TcpSocket, TcpStream};
use tokio::runtime::Runtime;
use tokio::sync::{mpsc, oneshot};
use tower::ServiceExt;

use super::connections::{Admitted, Answering, Connections};
use super::error::ServiceError;
use super::faults::{OnWire, Script, perform};
use super::heads::Verdict;
use super::line::Line;
use super::response::Refusal;
use super::router::router;
use super::state::Shared;
use super::store::StoreError;

/// The longest head that is read whole. It is longer than any that is taken, so that a caller with a path of a megabyte
/// gets an answer (414) and not a broken connection.
const MAX_HEAD: usize = 1200 * 1024;

/// How many connections may wait in the system until they are accepted. Beyond it, callers try again after a second.
const QUEUE: u32 = 4096;

/// How long answers under way have to end once the service stops, and then its tasks.
const LAST_ANSWERS: Duration = Duration::from_millis(300);
const LAST_TASKS: Duration = Duration::from_millis(200);

/// A service that listens and does not answer yet.
pub(super) struct Listening {
    pub(super) state: Shared,
    runtime: Runtime,
    listener: TcpListener,
}

impl Listening {
    /// Makes the runtime, opens the port and makes the state for the address it got.
    pub(super) fn open(
        address: SocketAddr,
        state: impl FnOnce(SocketAddr) -> Result<Shared, StoreError>,
    ) -> Result<Self, ServiceError> {
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(2)
            .thread_name("rowhaul-service-worker")
            .enable_all()
            .build()
            .map_err(|error| ServiceError::system("no runtime for the local service", error))?;
        let bound = runtime.block_on(async { listen(address) }).and_then(|listener| {
            let bound = listener.local_addr()?;
            Ok((listener, bound))
        });
        let (listener, bound) =
            bound.map_err(|error| ServiceError::system(format!("cannot listen on {address}: {error}"), error))?;
        let state = state(bound)
            .map_err(|error| ServiceError::system("cannot use the data directory", io::Error::other(error)))?;
        Ok(Self { state, runtime, listener })
    }
}

fn listen(address: SocketAddr) -> io::Result<TcpListener> {
    let socket = if address.is_ipv4() { TcpSocket::new_v4() } else { TcpSocket::new_v6() }?;
    // Elsewhere this would let others take the port over.
    #[cfg(unix)]
    socket.set_reuseaddr(true)?;
    socket.bind(address)?;
    socket.listen(QUEUE)
}

/// Answers until `stopped` is heard of, then lets go of everything within half a second.
pub(super) fn run(listening: Listening, stopped: oneshot::Receiver<()>) {
    let Listening { state, runtime, listener } = listening;
    let router = router(&state);
    runtime.block_on(async {
        let connections = GracefulShutdown::new();
        tokio::select! {
            () = accept(listener, &state, &router, &connections) => {}
            _ = stopped => {}
        }
        let _ = tokio::time::timeout(LAST_ANSWERS, connections.shutdown()).await;
    });
    runtime.shutdown_timeout(LAST_TASKS);
}

async fn accept(listener: TcpListener, state: &Shared, router: &Router, graceful: &GracefulShutdown) {
    let connections = Connections::up_to(state.max_connections);
    loop {
        match listener.accept().await {
            Ok((stream, _)) => {
                let admitted = connections.admit().await;
                tokio::spawn(serve(stream, Arc::clone(state), router.clone(), admitted, graceful.watcher()));
            }
            // Out of descriptors, most likely: those in use will be given back.
            Err(_) => tokio::time::sleep(Duration::from_millis(50)).await,
        }
    }
}

/// Answers one connection until it closes, is told to, or has to make room.
async fn serve(stream: TcpStream, state: Shared, router: Router, admitted: Admitted, watcher: Watcher) {
    let _ = stream.set_nodelay(true);
    let (connection, line) = (&admitted.connection, Line::new(stream));
    let (order, mut ordered) = mpsc::channel(1);
    let service = service_fn(|request: hyper::Request<Incoming>| {
        let (router, order, answering) = (router.clone(), order.clone(), Answering::on(connection));
        let Verdict { is_torn, is_last } = line.begin();
        async move {
            let mut response =
                if is_torn { Refusal::torn().into_response() } else { router.oneshot(request.map(Body::new)).await? };
            if is_last {
                response.headers_mut().insert(header::CONNECTION, HeaderValue::from_static("close"));
            }
            if let Some(OnWire(fault)) = response.extensions_mut().remove() {
                let _ = order.send((Script::of(&fault, response).await, answering)).await;
                // The connection is taken away from here.
                return std::future::pending().await;
            }
            Ok::<_, Infallible>(until_sent(response, answering))
        }
    });
    let http = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(state.head_time)
        .max_buf_size(MAX_HEAD)
        .serve_connection(TokioIo::new(line.clone()), service);
    let script = tokio::select! {
        // What goes wrong on one connection is its caller's matter.
        _ = watcher.watch(http) => None,
        () = connection.hang_up.notified() => None,
        script = ordered.recv() => script,
    };
    if let (Some((script, _answering)), Some(stream)) = (script, line.take()) {
        tokio::select! {
            () = perform(stream, script, &state.clock) => {}
            () = connection.hang_up.notified() => {}
        }
    }
}

/// Keeps a connection busy until the body of an answer is out.
fn until_sent(response: Response, answering: Answering) -> Response {
    response.map(|body| {
        Body::new(body.map_frame(move |frame| {
            answering.gets_on();
            frame
        }))
    })
}
