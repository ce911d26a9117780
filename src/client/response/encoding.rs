//! Content encodings: which are asked for, and which one an answer says it has.

use crate::client::shown::clipped_word;
use crate::inflate::Coding;

/// What the client says it takes. Nothing else is undone.
pub(in crate::client) const ACCEPTED: &str = "gzip, zstd";
pub(in crate::client) const NONE_ACCEPTED: &str = "identity";

/// What the `Content-Encoding` headers of an answer say.
///
/// # Errors
/// Unknown encodings and several on top of each other: a client asks for one at most.
pub(super) fn coding<'a>(headers: impl Iterator<Item = &'a str>) -> Result<Coding, String> {
    let mut named = headers.flat_map(|header| header.split(',')).map(str::trim).filter(|name| !name.is_empty());
    match (named.next().map(str::to_ascii_lowercase).as_deref(), named.next()) {
        (_, Some(_)) => Err("the answer has several content encodings on top of each other".to_owned()),
        (None | Some("identity"), None) => Ok(Coding::Identity),
        (Some("gzip" | "x-gzip"), None) => Ok(Coding::Gzip),
        (Some("zstd"), None) => Ok(Coding::Zstd),
        (Some(other), None) => {
            let other = clipped_word(other);
            Err(format!("the answer has the content encoding `{other}`, which was not asked for"))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_known_encoding_is_undone_however_it_is_spelt() {
        for (headers, expected) in [
            (&[][..], Coding::Identity),
            (&["", " identity "], Coding::Identity),
            (&["GZIP"], Coding::Gzip),
            (&["x-gzip,"], Coding::Gzip),
            (&["zstd"], Coding::Zstd),
        ] {
            assert_eq!(coding(headers.iter().copied()), Ok(expected), "{headers:?}");
        }
    }

    #[test]
    fn unknown_and_stacked_encodings_are_refused() {
        for headers in [&["br"][..], &["deflate"], &["gzip, gzip"], &["zstd", "gzip"]] {
            assert!(coding(headers.iter().copied()).is_err(), "{headers:?}");
        }
    }
}
