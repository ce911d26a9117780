//! The members of a JSON object as they stand there: repeated ones included, values as their text.

use std::borrow::Cow;
use std::fmt;

use serde::de::{Deserialize, Deserializer, Error, MapAccess, Visitor};
use serde_json::value::RawValue;

/// Names, with U+FFFD for each half of a surrogate pair, which no text can hold.
pub(super) struct Members<'a>(pub(super) Vec<(Cow<'a, str>, &'a RawValue)>);

impl<'de> Deserialize<'de> for Members<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Reader;

        impl<'de> Visitor<'de> for Reader {
            type Value = Members<'de>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Members<'de>, A::Error> {
                let mut members = Vec::new();
                while let Some((name, value)) = map.next_entry::<&RawValue, _>()? {
                    members.push((text(name.get()).map_err(A::Error::custom)?, value));
                }
                Ok(Members(members))
            }
        }

        deserializer.deserialize_map(Reader)
    }
}

/// What a JSON string says.
fn text(json: &str) -> serde_json::Result<Cow<'_, str>> {
    match json.strip_prefix('"').and_then(|json| json.strip_suffix('"')) {
        Some(plain) if !plain.contains('\\') && !plain.contains(|letter: char| letter < ' ') => Ok(plain.into()),
        _ => serde_json::from_str(json).or_else(|_| serde_json::from_str(&without_halves(json))).map(Cow::Owned),
    }
}

/// A JSON string in which each half of a surrogate pair is replaced.
fn without_halves(json: &str) -> String {
    let mut whole = String::with_capacity(json.len());
    let mut rest = json;
    while let Some(at) = rest.find('\\') {
        let (before, escape) = rest.split_at(at);
        let length = match (half(escape), half(escape.get(6..).unwrap_or_default())) {
            (Some(0xd800..0xdc00), Some(0xdc00..0xe000)) => 12,
            (Some(_), _) => 6,
            // The letter after the backslash may be a backslash, too.
            (None, _) => 1 + escape[1..].chars().next().map_or(0, char::len_utf8),
        };
        whole.push_str(before);
        whole.push_str(if length == 6 { "\\ufffd" } else { &escape[..length] });
        rest = &escape[length..];
    }
    whole + rest
}

/// The half of a surrogate pair that a text begins with as an escape.
fn half(escape: &str) -> Option<u32> {
    let unit = u32::from_str_radix(escape.strip_prefix("\\u")?.get(..4)?, 16).ok()?;
    (0xd800..0xe000).contains(&unit).then_some(unit)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(json: &str) -> Vec<String> {
        let Members(members) = serde_json::from_str(json).unwrap();
        members.into_iter().map(|(name, _)| name.into_owned()).collect()
    }

    #[test]
    fn names_are_read_with_their_escapes_and_half_a_pair_is_replaced() {
        assert_eq!(names(r#"{"a": 1, "\u0041\\\"é": 2, "a": 3}"#), ["a", "A\\\"é", "a"]);
        assert_eq!(
            names(r#"{"\ud800": 1, "x\udc00\ud83d\ude00\ud83d\\ud800": 2}"#),
            ["\u{fffd}", "x\u{fffd}😀\u{fffd}\\ud800"]
        );
    }

    #[test]
    fn what_is_no_object_or_no_json_is_refused() {
        for json in ["[]", "1", "{", "{\"a\"}", "{\"a\n\": 1}", "{\"\\x\": 1}"] {
            assert!(serde_json::from_str::<Members<'_>>(json).is_err(), "{json}");
        }
    }
}
