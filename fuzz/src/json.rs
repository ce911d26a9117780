//! A body as serde_json reads it: what is valid is for serde_json to say, and numbers keep their text.
//!
//! Of keys that stand twice the first place and the last value count. Lone surrogates become U+FFFD.

use std::fmt;

use serde::de::{Deserialize, Deserializer, MapAccess, Visitor};
use serde_json::value::RawValue;

/// A value of the body.
#[derive(Debug, Clone, PartialEq)]
pub enum Json {
    Null,
    Boolean(bool),
    /// As sent.
    Number(String),
    Text(String),
    Array(Vec<Json>),
    Object(Vec<(String, Json)>),
}

impl Json {
    /// Reads a value that serde_json has found valid.
    pub fn read(raw: &RawValue) -> Self {
        let text = raw.get();
        match text.as_bytes()[0] {
            b'n' => Self::Null,
            b't' => Self::Boolean(true),
            b'f' => Self::Boolean(false),
            b'"' => Self::Text(parsed::<Text>(text).0),
            b'[' => Self::Array(parsed::<Vec<&RawValue>>(text).into_iter().map(Self::read).collect()),
            b'{' => Self::Object(distinct(members(raw))),
            _ => Self::Number(text.to_owned()),
        }
    }

    pub fn member(&self, name: &str) -> Option<&Self> {
        match self {
            Self::Object(members) => members.iter().find(|(key, _)| key == name).map(|(_, value)| value),
            _ => None,
        }
    }
}

/// The members of an object in their order, all of them.
pub fn members(object: &RawValue) -> Vec<(String, &RawValue)> {
    parsed::<Members<'_>>(object.get()).0
}

/// Levels of nesting, in text that is valid.
pub fn depth(raw: &RawValue) -> usize {
    let (mut open, mut deepest) = (0, 0);
    let mut bytes = raw.get().bytes();
    let mut is_in_text = false;
    while let Some(byte) = bytes.next() {
        match byte {
            b'"' => is_in_text = !is_in_text,
            b'\\' => drop(bytes.next()),
            b'[' | b'{' if !is_in_text => {
                open += 1;
                deepest = deepest.max(open);
            }
            b']' | b'}' if !is_in_text => open -= 1,
            _ => {}
        }
    }
    deepest
}

fn distinct(all: Vec<(String, &RawValue)>) -> Vec<(String, Json)> {
    let mut members: Vec<(String, &RawValue)> = Vec::new();
    for (key, value) in all {
        match members.iter_mut().find(|(known, _)| *known == key) {
            Some((_, known)) => *known = value,
            None => members.push((key, value)),
        }
    }
    members.into_iter().map(|(key, value)| (key, Json::read(value))).collect()
}

fn parsed<'a, T: Deserialize<'a>>(text: &'a str) -> T {
    serde_json::from_str(text).expect("a part of valid JSON is valid JSON")
}

struct Members<'a>(Vec<(String, &'a RawValue)>);

impl<'a> Deserialize<'a> for Members<'a> {
    fn deserialize<D: Deserializer<'a>>(deserializer: D) -> Result<Self, D::Error> {
        struct InOrder;

        impl<'a> Visitor<'a> for InOrder {
            type Value = Members<'a>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }

            fn visit_map<A: MapAccess<'a>>(self, mut map: A) -> Result<Self::Value, A::Error> {
                let mut members = Vec::new();
                while let Some((Text(key), value)) = map.next_entry()? {
                    members.push((key, value));
                }
                Ok(Members(members))
            }
        }

        deserializer.deserialize_map(InOrder)
    }
}

/// A string, in which serde_json takes lone surrogates only when asked for bytes.
struct Text(String);

impl<'a> Deserialize<'a> for Text {
    fn deserialize<D: Deserializer<'a>>(deserializer: D) -> Result<Self, D::Error> {
        struct Bytes;

        impl Visitor<'_> for Bytes {
            type Value = Text;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a string")
            }

            fn visit_bytes<E>(self, bytes: &[u8]) -> Result<Self::Value, E> {
                Ok(Text(without_surrogates(bytes)))
            }
        }

        deserializer.deserialize_bytes(Bytes)
    }
}

/// Surrogates come as three bytes that start with ED A0 to ED BF, which is no UTF-8.
fn without_surrogates(bytes: &[u8]) -> String {
    let mut text = bytes.to_vec();
    for at in 2..text.len() {
        if text[at - 2] == 0xed && text[at - 1] >= 0xa0 {
            text[at - 2..=at].copy_from_slice("\u{fffd}".as_bytes());
        }
    }
    String::from_utf8(text).expect("everything else is UTF-8")
}
