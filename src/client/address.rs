//! The address of the service: what is understood, what is refused, and what is never repeated in an error.

use std::net::IpAddr;

use url::{Host, Url};

use super::api_key::ApiKey;
use super::error::Error;
use super::error_kind::ErrorKind;

/// A base address, ready for the paths of the contract to be put after it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Address {
    /// Scheme, host, port and prefix, without a trailing slash and without `/api/v1`.
    pub root: String,
    pub is_loopback: bool,
    pub is_https: bool,
}

impl Address {
    /// Reads what a user gave as `base_url`.
    ///
    /// An address that may hold a secret (user information, a query, the key itself, or no address at all) is refused
    /// without being repeated.
    pub(super) fn parse(text: &str, key: &ApiKey, allow_http: bool) -> Result<Self, Error> {
        let refuse = |message: &str, hint: &str| Err(Error::new(ErrorKind::Config, message).with_hint(hint));
        let text = text.trim();
        if text.is_empty() {
            return refuse("there is no base address", "pass `base_url=` or set `ROWHAUL_BASE_URL`");
        }
        if key.is_in(text) {
            return refuse("the base address holds the API key", "pass the key as `api_key=` only");
        }
        let shape = "an address looks like `https://api.example.com`";
        let has_scheme =
            |scheme: &str| text.get(..scheme.len()).is_some_and(|start| start.eq_ignore_ascii_case(scheme));
        if !has_scheme("https://") && !has_scheme("http://") {
            return refuse("the base address must start with `https://` or `http://`", shape);
        }
        let Ok(url) = Url::parse(text) else { return refuse("the base address cannot be read", shape) };
        if !url.username().is_empty() || url.password().is_some() {
            return refuse(
                "the base address holds user information",
                "the key is the only credential: remove all up to `@`",
            );
        }
        if url.query().is_some() || url.fragment().is_some() {
            return refuse("the base address holds a query or a fragment", "remove all from `?` or `#` on");
        }
        let is_loopback = is_loopback(&url);
        if url.scheme() == "http" && !is_loopback && !allow_http {
            return refuse(
                "plain `http://` to another machine would send the API key in the clear",
                "use `https://`, or pass `allow_http=True` if the network in between is trusted",
            );
        }
        let root = url.as_str().trim_end_matches('/');
        let root = root.strip_suffix("/api/v1").unwrap_or(root).trim_end_matches('/').to_owned();
        Ok(Self { root, is_loopback, is_https: url.scheme() == "https" })
    }
}

fn is_loopback(url: &Url) -> bool {
    match url.host() {
        Some(Host::Domain(name)) => name.trim_end_matches('.').eq_ignore_ascii_case("localhost"),
        Some(Host::Ipv4(ip)) => ip.is_loopback(),
        Some(Host::Ipv6(ip)) => IpAddr::V6(ip).to_canonical().is_loopback(),
        None => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(text: &str) -> Result<Address, Error> {
        Address::parse(text, &ApiKey::new("canary-0123456789").unwrap(), false)
    }

    #[test]
    fn a_trailing_api_v1_is_understood_and_other_prefixes_are_kept() {
        for (given, root) in [
            ("https://h.example", "https://h.example"),
            ("https://h.example/api/v1/", "https://h.example"),
            ("https://h.example:8443/gate/way", "https://h.example:8443/gate/way"),
            (" https://h.example/gate/api/v1 ", "https://h.example/gate"),
            ("http://127.0.0.1:8000/", "http://127.0.0.1:8000"),
            ("http://[::1]:8000", "http://[::1]:8000"),
        ] {
            assert_eq!(parse(given).unwrap().root, root);
        }
    }

    #[test]
    fn a_short_key_may_be_a_part_of_the_hosts_name() {
        let key = ApiKey::new("test").unwrap();
        for good in ["https://test.example.com", "https://latest.example.com/testing"] {
            assert!(Address::parse(good, &key, false).is_ok(), "{good}");
        }
        assert!(Address::parse("https://h.example/test/x", &key, false).is_err());
    }

    #[test]
    fn an_address_that_may_hold_a_secret_is_refused_and_not_repeated() {
        for bad in [
            "",
            "canary-0123456789",
            "h.example",
            "localhost:80",
            "ftp://h.example/canary",
            "https://canary@h.example",
            "https://u:canary@h.example",
            "https://h.example?key=canary",
            "https://h.example/canary-0123456789/x",
        ] {
            let error = parse(bad).unwrap_err();
            assert!(matches!(error.kind(), ErrorKind::Config), "{bad}");
            assert!(!format!("{error} {error:?}").contains("canary"), "{error:?}");
        }
    }

    #[test]
    fn plain_http_is_for_this_machine_unless_allowed() {
        assert!(parse("http://h.example").is_err());
        assert!(parse("http://127.0.0.1.h.example").is_err());
        assert!(parse("http://localhost:1").unwrap().is_loopback);
        assert!(parse("http://127.9.9.9:1").unwrap().is_loopback);
        let key = ApiKey::new("canary-0123456789").unwrap();
        assert!(!Address::parse("http://h.example", &key, true).unwrap().is_loopback);
    }
}
