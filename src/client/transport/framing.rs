//! What the head of an answer says of where its body ends.

use hyper::Version;
use hyper::header::{CONTENT_LENGTH, HeaderMap, TRANSFER_ENCODING};

/// Two statements of the length are how a second answer is smuggled in after the first, even where they agree.
pub(super) fn is_stated_twice(headers: &HeaderMap) -> bool {
    let of_one = |value: &[u8]| value.split(|byte| *byte == b',').count();
    let lengths: usize = headers.get_all(CONTENT_LENGTH).iter().map(|value| of_one(value.as_bytes())).sum();
    lengths + usize::from(headers.contains_key(TRANSFER_ENCODING)) > 1
}

/// Whether only the end of the connection ends the body, so that a broken one looks like a whole one.
pub(super) fn ends_with_connection(version: Version, headers: &HeaderMap) -> bool {
    let encodings = headers.get_all(TRANSFER_ENCODING).iter().next_back();
    let is_chunked = encodings.is_some_and(|named| {
        let last = named.as_bytes().rsplit(|byte| *byte == b',').next().unwrap_or_default();
        last.trim_ascii().eq_ignore_ascii_case(b"chunked")
    });
    version <= Version::HTTP_11 && !is_chunked && !headers.contains_key(CONTENT_LENGTH)
}

#[cfg(test)]
mod tests {
    use hyper::header::{HeaderName, HeaderValue};

    use super::*;

    fn headers(of: &[(&'static str, &'static str)]) -> HeaderMap {
        let of = of.iter().map(|(name, value)| (HeaderName::from_static(name), HeaderValue::from_static(value)));
        of.fold(HeaderMap::new(), |mut headers, (name, value)| {
            headers.append(name, value);
            headers
        })
    }

    #[test]
    fn a_length_is_stated_twice_in_one_header_or_in_two() {
        assert!(!is_stated_twice(&headers(&[])));
        assert!(!is_stated_twice(&headers(&[("content-length", "2")])));
        assert!(!is_stated_twice(&headers(&[("transfer-encoding", "gzip, chunked")])));
        assert!(is_stated_twice(&headers(&[("content-length", "2, 2")])));
        assert!(is_stated_twice(&headers(&[("content-length", "2"), ("content-length", "2")])));
        assert!(is_stated_twice(&headers(&[("content-length", "2"), ("transfer-encoding", "chunked")])));
    }

    #[test]
    fn a_body_without_a_length_and_without_chunks_ends_with_its_connection() {
        let ends = |version, of| ends_with_connection(version, &headers(of));
        assert!(ends(Version::HTTP_11, &[]));
        assert!(ends(Version::HTTP_11, &[("transfer-encoding", "gzip")]));
        assert!(!ends(Version::HTTP_11, &[("transfer-encoding", "gzip, Chunked")]));
        assert!(!ends(Version::HTTP_11, &[("content-length", "0")]));
        assert!(!ends(Version::HTTP_2, &[]));
    }
}
