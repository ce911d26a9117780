//! The `Host` check: a page in a browser whose name was re-bound to this machine still sends its own name, and is
//! refused.

use std::net::{IpAddr, SocketAddr};

use axum::extract::{Request, State};
use axum::http::{HeaderMap, StatusCode, Uri, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};

use super::response::Refusal;
use super::state::Shared;

/// Lets requests through that were meant for this service.
///
/// On loopback these are the ones that name the bound address, `localhost`, `127.0.0.1` or `[::1]` with the port. A
/// service that was bound to the network on purpose also takes any address that is written in numbers, with any port,
/// as it may be reached through others: what a browser re-binds is always a name. Names it is meant to be reached by
/// are configured.
pub(super) async fn require_own(State(state): State<Shared>, request: Request, next: Next) -> Response {
    match named_host(request.headers(), request.uri()) {
        None => {
            let message = "a request names its host once, in the header `Host`";
            Refusal::new(StatusCode::BAD_REQUEST, "bad_host", message).into_response()
        }
        Some(host) if is_own(host, state.address) || is_named(host, &state.names) => next.run(request).await,
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
    if !bound.ip().is_loopback() && is_number(without_port(host)) {
        return true;
    }
    let port = bound.port();
    let own = [bound.to_string(), format!("localhost:{port}"), format!("127.0.0.1:{port}"), format!("[::1]:{port}")];
    let at_port_80 =
        |own: &String| port == 80 && own.strip_suffix(":80").is_some_and(|own| own.eq_ignore_ascii_case(host));
    own.iter().any(|own| own.eq_ignore_ascii_case(host) || at_port_80(own))
}

/// Whether it is one of the configured names, as it stands there or with any port.
fn is_named(host: &str, names: &[String]) -> bool {
    names.iter().any(|name| name.eq_ignore_ascii_case(host) || name.eq_ignore_ascii_case(without_port(host)))
}

fn without_port(host: &str) -> &str {
    match host.rsplit_once(':') {
        Some((name, port)) if port.bytes().all(|byte| byte.is_ascii_digit()) && !name.ends_with(':') => name,
        _ => host,
    }
}

fn is_number(name: &str) -> bool {
    let bare = name.strip_prefix('[').and_then(|name| name.strip_suffix(']')).unwrap_or(name);
    bare.parse::<IpAddr>().is_ok()
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
    }

    #[test]
    fn a_service_for_the_network_is_reached_by_numbers_and_by_its_configured_names_only() {
        let bound = "0.0.0.0:4000".parse().unwrap();
        for own in ["10.0.0.7:4000", "10.0.0.7", "[fe80::1]:80", "localhost:4000"] {
            assert!(is_own(own, bound), "{own}");
        }
        for foreign in ["anything.example", "evil.example:4000", "10.0.0.7.evil.example:4000", "1234:4000", ""] {
            assert!(!is_own(foreign, bound), "{foreign}");
        }
        let names = ["double.test".to_owned(), "other.test:81".to_owned()];
        assert!(is_named("Double.test:4000", &names) && is_named("double.test", &names));
        assert!(is_named("other.test:81", &names) && !is_named("other.test:82", &names));
        assert!(!is_named("double.test.evil.example", &names));
    }
}
