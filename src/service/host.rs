//! The `Host` check: a page in a browser whose name was re-bound to this machine still sends its own name, and is refused.

use std::net::SocketAddr;

use axum::extract::{Request, State};
use axum::http::{HeaderMap, StatusCode, Uri, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};

use super::answer::Refusal;
use super::state::Shared;

/// Lets requests through that were meant for this service.
///
/// On loopback these are the ones that name the bound address, `localhost`, `127.0.0.1` or `[::1]` with the port. A service
/// that was bound to the network on purpose cannot know by which names it is reached, and takes any.
pub(super) async fn require_own(State(state): State<Shared>, request: Request, next: Next) -> Response {
    match named_host(request.headers(), request.uri()) {
        None => {
            let message = "a request names its host once, in the header `Host`";
            Refusal::new(StatusCode::BAD_REQUEST, "bad_host", message).into_response()
        }
        Some(host) if is_own(host, state.address) => next.run(request).await,
        Some(_) => {
            let message = "this service answers only to its own address and to localhost";
            Refusal::new(StatusCode::FORBIDDEN, "foreign_host", message).into_response()
        }
    }
}

/// The one host a request names; a proxy-like request line counts more than the header (RFC 9112, section 3.2.2).
fn named_host<'a>(headers: &'a HeaderMap, uri: &'a Uri) -> Option<&'a str> {
    let mut given = headers.get_all(header::HOST).iter();
    let (Some(host), None) = (given.next(), given.next()) else { return None };
    uri.authority().map(axum::http::uri::Authority::as_str).or(host.to_str().ok())
}

fn is_own(host: &str, bound: SocketAddr) -> bool {
    if !bound.ip().is_loopback() {
        return true;
    }
    let port = bound.port();
    let own = [bound.to_string(), format!("localhost:{port}"), format!("127.0.0.1:{port}"), format!("[::1]:{port}")];
    let without_port =
        |own: &String| port == 80 && own.strip_suffix(":80").is_some_and(|own| own.eq_ignore_ascii_case(host));
    own.iter().any(|own| own.eq_ignore_ascii_case(host) || without_port(own))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_names_of_this_machine_with_the_port_are_its_own() {
        let bound: SocketAddr = "127.0.0.1:4000".parse().unwrap();
        for own in ["127.0.0.1:4000", "localhost:4000", "LOCALHOST:4000", "[::1]:4000"] {
            assert!(is_own(own, bound), "{own}");
        }
        for foreign in
            ["", "evil.example", "evil.example:4000", "localhost", "localhost:4001", "localhost.evil.example:4000"]
        {
            assert!(!is_own(foreign, bound), "{foreign}");
        }
        assert!(is_own("localhost", "127.0.0.1:80".parse().unwrap()));
        assert!(is_own("anything.example", "0.0.0.0:4000".parse().unwrap()));
    }
}
