//! The bearer check (section 5). It looks at headers only, so a caller without the key never gets a body read.

use axum::extract::{Request, State};
use axum::http::header::AUTHORIZATION;
use axum::http::{HeaderMap, StatusCode, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use subtle::ConstantTimeEq;

use super::response::Refusal;
use super::state::Shared;

/// Lets requests through that show the key in exactly one `Authorization: Bearer <key>` header.
pub(super) async fn require_key(State(state): State<Shared>, request: Request, next: Next) -> Response {
    if shows_key(request.headers(), state.api_key()) {
        return next.run(request).await;
    }
    let message = "this needs the header `Authorization: Bearer <API_KEY>` with the service's key";
    Refusal::new(StatusCode::UNAUTHORIZED, "unauthorized", message)
        .with_header(header::WWW_AUTHENTICATE, "Bearer")
        .into_response()
}

/// Whether the one authorization header holds the key. How long the comparison takes tells nothing but the length.
fn shows_key(headers: &HeaderMap, key: &str) -> bool {
    let mut given = headers.get_all(AUTHORIZATION).iter();
    let (Some(value), None) = (given.next(), given.next()) else { return false };
    match value.as_bytes().split_at_checked("Bearer ".len()) {
        Some((scheme, token)) => scheme.eq_ignore_ascii_case(b"Bearer ") && bool::from(token.ct_eq(key.as_bytes())),
        None => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_one_well_formed_header_with_the_whole_key_will_do() {
        let shows = |values: &[&str]| {
            let mut headers = HeaderMap::new();
            for value in values {
                headers.append(AUTHORIZATION, value.parse().unwrap());
            }
            shows_key(&headers, "rh_live_k")
        };
        assert!(shows(&["Bearer rh_live_k"]));
        assert!(shows(&["bearer rh_live_k"]));
        let wrong: &[&[&str]] = &[
            &[],
            &[""],
            &["Bearer"],
            &["Bearer "],
            &["rh_live_k"],
            &["Basic rh_live_k"],
            &["Bearer rh_live_"],
            &["Bearer rh_live_kk"],
            &["Bearer  rh_live_k"],
            &["Bearer rh_live_k, Bearer rh_live_k"],
            &["Bearer rh_live_k", "Bearer rh_live_k"],
        ];
        for values in wrong {
            assert!(!shows(values), "{values:?}");
        }
    }
}
