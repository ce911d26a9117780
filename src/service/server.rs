//! Connections to requests: accepts on the port and drives hyper on each connection.
//!
//! Hyper is driven by hand because axum's own `serve` waits for a request's head without end.

use std::convert::Infallible;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::body::Body;
use axum::response::Response;
use http_body_util::BodyExt;
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::server::graceful::{GracefulShutdown, Watcher};
use tokio::net::{TcpListener, TcpStream};
use tokio::runtime::Runtime;
use tokio::sync::oneshot;
use tower::ServiceExt;

use super::connections::{Admitted, Answering, Connections};
use super::error::ServiceError;
use super::router::router;
use super::state::Shared;

/// How long the head of a request may take, and how long a connection may idle.
const HEAD_TIME: Duration = Duration::from_secs(15);

/// The longest head that is read whole. It is longer than any that is taken, so that a caller with a path of a megabyte
/// gets an answer (414) and not a broken connection.
const MAX_HEAD: usize = 1200 * 1024;

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
    pub(super) fn open(address: SocketAddr, state: impl FnOnce(SocketAddr) -> Shared) -> Result<Self, ServiceError> {
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(2)
            .thread_name("rowhaul-service-worker")
            .enable_all()
            .build()
            .map_err(|error| ServiceError::system("no runtime for the local service", error))?;
        let bound = runtime.block_on(TcpListener::bind(address)).and_then(|listener| {
            let bound = listener.local_addr()?;
            Ok((listener, bound))
        });
        let (listener, bound) =
            bound.map_err(|error| ServiceError::system(format!("cannot listen on {address}: {error}"), error))?;
        Ok(Self { state: state(bound), runtime, listener })
    }
}

/// Answers until `stopped` is heard of, then lets go of everything within half a second.
pub(super) fn run(listening: Listening, stopped: oneshot::Receiver<()>) {
    let Listening { state, runtime, listener } = listening;
    let router = router(&state);
    runtime.block_on(async {
        let connections = GracefulShutdown::new();
        tokio::select! {
            () = accept(listener, &router, &connections) => {}
            _ = stopped => {}
        }
        let _ = tokio::time::timeout(LAST_ANSWERS, connections.shutdown()).await;
    });
    runtime.shutdown_timeout(LAST_TASKS);
}

async fn accept(listener: TcpListener, router: &Router, graceful: &GracefulShutdown) {
    let connections = Arc::<Connections>::default();
    loop {
        match listener.accept().await {
            Ok((stream, _)) => {
                let admitted = connections.admit().await;
                tokio::spawn(serve(stream, router.clone(), admitted, graceful.watcher()));
            }
            // Out of descriptors, most likely: those in use will be given back.
            Err(_) => tokio::time::sleep(Duration::from_millis(50)).await,
        }
    }
}

/// Answers one connection until it closes, is told to, or has to make room.
async fn serve(stream: TcpStream, router: Router, admitted: Admitted, watcher: Watcher) {
    let _ = stream.set_nodelay(true);
    let connection = &admitted.connection;
    let service = service_fn(|request: hyper::Request<Incoming>| {
        let (router, answering) = (router.clone(), Answering::on(connection));
        async move {
            let response = router.oneshot(request.map(Body::new)).await?;
            Ok::<_, Infallible>(until_sent(response, answering))
        }
    });
    let http = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(HEAD_TIME)
        .max_buf_size(MAX_HEAD)
        .serve_connection(TokioIo::new(stream), service);
    tokio::select! {
        // What goes wrong on one connection is its caller's matter.
        _ = watcher.watch(http) => {}
        () = connection.hang_up.notified() => {}
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
