//! The key, and the few ways it may be looked at.

use std::fmt;

use hmac::{Hmac, Mac};
use sha2::{Digest, Sha256};

use super::error::Error;
use super::error_kind::ErrorKind;
use super::shown::CUT;
use crate::wire::percent_encoded;

/// A secret that goes into the `Authorization` header and nowhere else.
///
/// It has no `Display`, its `Debug` hides it, and only `transport` reads it. Its shape is checked when
/// it is made; which prefix a key has is the service's affair.
#[derive(Clone, PartialEq, Eq)]
pub struct ApiKey(String);

/// What stands where the key stood.
const REDACTED: &str = "[redacted]";

/// Shorter texts are no secrets, and cutting them out of an error would garble it.
const LEAST_REDACTED: usize = 6;

impl ApiKey {
    /// Takes a key as it was issued.
    ///
    /// # Errors
    /// `Config`, never with the key in it, when the text cannot be one: empty, with blanks, line breaks or characters
    /// beyond ASCII, or with `Bearer ` in front.
    pub fn new(text: impl Into<String>) -> Result<Self, Error> {
        let text = text.into();
        match complaint(&text) {
            None => Ok(Self(text)),
            Some((message, hint)) => Err(Error::new(ErrorKind::Config, message).with_hint(hint)),
        }
    }

    /// Eight hexadecimal digits that tell two keys apart and give neither away.
    pub fn fingerprint(&self) -> String {
        let digest = Sha256::digest(self.0.as_bytes());
        format!("{:02x}{:02x}{:02x}{:02x}", digest[0], digest[1], digest[2], digest[3])
    }

    /// What tells this key at this address from any other to whoever holds the salt, and gives neither away.
    pub(super) fn mark(&self, salt: &[u8], address: &str) -> [u8; 32] {
        let mut mac = Hmac::<Sha256>::new_from_slice(salt).expect("a salt of any length is taken");
        [self.0.as_bytes(), b"\0", address.as_bytes()].into_iter().for_each(|part| mac.update(part));
        mac.finalize().into_bytes().into()
    }

    /// Whether the key stands in the address `text`. One as short as `test` does so by chance in many a host's name,
    /// and counts only where it is a word of its own elsewhere.
    pub(super) fn is_in(&self, text: &str) -> bool {
        let is_part = |c: Option<char>| c.is_some_and(|c| c.is_ascii_alphanumeric());
        text.match_indices(&self.0).any(|(at, key)| {
            let (before, after) = (&text[..at], &text[at + key.len()..]);
            let stands_alone = !is_part(before.chars().next_back()) && !is_part(after.chars().next());
            key.len() >= LEAST_REDACTED || (stands_alone && !after.starts_with('.') && !before.ends_with("://"))
        })
    }

    /// `text` without the key, for everything that came from a server and is shown to a person.
    pub fn redact(&self, text: &mut String) {
        if self.0.len() >= LEAST_REDACTED && text.contains(&self.0) {
            *text = text.replace(&self.0, REDACTED);
        }
        // A text that was cut may end in the middle of the key.
        let cuts: Vec<usize> = text.match_indices(CUT).map(|(at, _)| at).collect();
        for cut in cuts.into_iter().rev() {
            let mut lengths = (LEAST_REDACTED..self.0.len()).rev();
            if let Some(length) = lengths.find(|length| text[..cut].ends_with(&self.0[..*length])) {
                text.replace_range(cut - length..cut, REDACTED);
            }
        }
    }

    /// A path without the key, where it is a part of it that was percent-encoded.
    pub(super) fn redact_path(&self, path: &str) -> String {
        let mut redacted = path.to_owned();
        self.redact(&mut redacted);
        let encoded = percent_encoded(&self.0);
        if self.0.len() >= LEAST_REDACTED { redacted.replace(&encoded, REDACTED) } else { redacted }
    }

    /// A JSON text without the key, also where a string spells it with escapes.
    pub fn redact_json(&self, json: &str) -> String {
        if self.0.len() < LEAST_REDACTED {
            return json.to_owned();
        }
        let mut redacted = String::with_capacity(json.len());
        let (mut done, mut at) = (0, 0);
        while at < json.len() {
            match self.spelled_at(&json.as_bytes()[at..]) {
                Some(length) => {
                    redacted.push_str(&json[done..at]);
                    redacted.push_str(REDACTED);
                    at += length;
                    done = at;
                }
                None => at += spelled(&json.as_bytes()[at..]).map_or(1, |(_, length)| length),
            }
        }
        redacted.push_str(&json[done..]);
        redacted
    }

    /// The length of the key where a part of a JSON string begins with it.
    fn spelled_at(&self, json: &[u8]) -> Option<usize> {
        self.0.bytes().try_fold(0, |at, wanted| match spelled(&json[at..])? {
            (byte, length) if byte == wanted => Some(at + length),
            _ => None,
        })
    }

    pub(super) fn bearer(&self) -> String {
        format!("Bearer {}", self.0)
    }
}

/// The first byte of a part of a JSON string, and how much of the string it takes. A character beyond ASCII that is
/// spelled by an escape counts as 0, which is in no key.
fn spelled(json: &[u8]) -> Option<(u8, usize)> {
    match json {
        [b'\\', b'u', digits @ ..] => {
            let digits = digits.get(..4).and_then(|digits| std::str::from_utf8(digits).ok());
            let unit = digits.and_then(|digits| u32::from_str_radix(digits, 16).ok())?;
            Some((u8::try_from(unit).unwrap_or_default(), 6))
        }
        [b'\\', byte, ..] => Some((*byte, 2)),
        [byte, ..] => Some((*byte, 1)),
        [] => None,
    }
}

fn complaint(text: &str) -> Option<(&'static str, &'static str)> {
    if text.is_empty() {
        return Some(("the API key is empty", "pass `api_key=` or set `ROWHAUL_API_KEY`"));
    }
    if text.get(..7).is_some_and(|start| start.eq_ignore_ascii_case("bearer ")) {
        return Some(("the API key starts with `Bearer `", "pass the key alone; the header is made from it"));
    }
    if !text.is_ascii() {
        return Some((
            "the API key holds characters beyond ASCII",
            "copy it again; a quotation mark may have slipped in",
        ));
    }
    if text.bytes().any(|byte| !byte.is_ascii_graphic()) {
        return Some((
            "the API key holds blanks or control characters",
            "copy it again without blanks and line breaks",
        ));
    }
    None
}

impl fmt::Debug for ApiKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "ApiKey({REDACTED})")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_that_cannot_be_a_key_is_refused_without_being_shown() {
        for bad in
            ["", "canary 1234", " canary", "canary\n", "canäry", "Bearer canary", "bearer canary", "can\u{7f}ary"]
        {
            let error = ApiKey::new(bad).unwrap_err();
            assert!(matches!(error.kind(), ErrorKind::Config), "{bad:?}");
            assert!(!format!("{error} {error:?}").contains("canary"), "{error:?}");
        }
    }

    #[test]
    fn a_key_is_hidden_and_known_by_a_short_hash() {
        let key = ApiKey::new("canary-0123456789").unwrap();
        assert_eq!(format!("{key:?}"), "ApiKey([redacted])");
        assert_eq!(key.fingerprint().len(), 8);
        let mut text = "echo: canary-0123456789!".to_owned();
        key.redact(&mut text);
        assert_eq!(text, "echo: [redacted]!");
        let mut text = "`canary-01234…` and `can…`".to_owned();
        key.redact(&mut text);
        assert_eq!(text, "`[redacted]…` and `can…`");
    }

    #[test]
    fn in_a_path_the_key_is_found_as_it_is_encoded() {
        for (key, path) in [
            ("ab/cd?ef123", "/jobs/x-ab%2Fcd%3Fef123/results"),
            ("canary-0123456789", "/jobs/x-canary-0123456789/results"),
        ] {
            assert_eq!(ApiKey::new(key).unwrap().redact_path(path), "/jobs/x-[redacted]/results");
        }
    }

    #[test]
    fn in_json_the_key_is_found_however_a_string_spells_it() {
        let key = ApiKey::new("canary-0123456789").unwrap();
        let json = r#"{"\u0063anary\u002d0123456789": ["é\"canary-0123456789", "\ud800\\u0063anary-0123456789"]}"#;
        let redacted = r#"{"[redacted]": ["é\"[redacted]", "\ud800\\u0063anary-0123456789"]}"#;
        assert_eq!(key.redact_json(json), redacted);
        assert_eq!(key.redact_json("\"torn canary \\"), "\"torn canary \\");
        assert_eq!(key.redact_json("\"torn \\u00"), "\"torn \\u00");
    }
}
