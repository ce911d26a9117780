//! Members of rows, by whatever names and in whatever order.

use proptest::prelude::*;
use serde_json::{Map, Value};

use super::{decode, lines, types};

/// Members that stand in one order, of which no object needs to have all; one name has to be escaped, and all can be.
const MEMBERS: [&str; 15] = [
    "a",
    "ab",
    "abc",
    "a name of more than sixteen bytes",
    "a name of more than sixteen letters",
    "e",
    "é",
    "größe und 東京🎷",
    "g\"",
    "h",
    "",
    "j",
    "k",
    "l",
    "m",
];

/// How the names of a row are written.
#[derive(Debug, Clone, Copy)]
enum Names {
    AsTheyAre,
    InAscii,
    InCapitals,
    AllEscaped,
}

impl Names {
    fn written(self, name: &str) -> String {
        let escaped = |unit: u16| match self {
            Self::InCapitals => format!("\\u{unit:04X}"),
            _ => format!("\\u{unit:04x}"),
        };
        let plain = Value::from(name).to_string();
        let of_character = |character: char| match self {
            Self::AsTheyAre => character.to_string(),
            Self::InAscii | Self::InCapitals if character.is_ascii() => character.to_string(),
            _ => character.encode_utf16(&mut [0; 2]).iter().copied().map(escaped).collect(),
        };
        match self {
            Self::AllEscaped => format!("\"{}\"", name.chars().map(of_character).collect::<String>()),
            _ => plain.chars().map(of_character).collect(),
        }
    }
}

#[test]
fn lone_surrogates_in_a_name_are_counted_in_every_row() {
    let row = r#"{"a\ud800": 1, "b": 2}"#;
    let rows = decode(format!("[{}]", [row; 40].join(", ")).as_bytes()).unwrap();
    assert_eq!(types(&rows), ["a\u{fffd}: Int64", "b: Int64"]);
    assert!(rows.notes().iter().any(|note| note.to_string().contains("40 ")), "{:?}", rows.notes());
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, ..ProptestConfig::default() })]

    #[test]
    fn members_may_come_and_go_and_change_their_order_and_how_they_are_written(
        rows in proptest::collection::vec((prop_oneof![
            4 => proptest::sample::subsequence((0..MEMBERS.len()).collect::<Vec<_>>(), 0..=MEMBERS.len()),
            1 => Just((0..MEMBERS.len()).collect::<Vec<_>>()).prop_shuffle(),
            1 => proptest::collection::vec(0..MEMBERS.len(), 0..MEMBERS.len()),
        ], 0usize..8), 1..30),
        names in proptest::sample::subsequence(vec![Names::AsTheyAre, Names::InAscii, Names::InCapitals, Names::AllEscaped], 1..=4),
        between in prop_oneof![Just(","), Just(", "), Just(",\n  "), Just(" ,\r\n\t"), Just(",\n\n          ")],
        colon in prop_oneof![Just(":"), Just(": "), Just(" : ")],
    ) {
        let row = |(members, way): &(Vec<usize>, usize)| {
            let names = names[way % names.len()];
            let member = |at: &usize| format!("{}{colon}{at}", names.written(MEMBERS[*at]));
            let members = members.iter().map(member).collect::<Vec<_>>().join(between);
            format!("{{\"nested\"{colon}{{{members}}}{}{members}}}", if members.is_empty() { "" } else { between })
        };
        let body = format!("[{}]", rows.iter().map(row).collect::<Vec<_>>().join(","));
        let read = decode(body.as_bytes()).unwrap();
        for (line, (members, _)) in lines(&read).iter().zip(&rows) {
            let line: Map<String, Value> = serde_json::from_str(line).unwrap();
            let held: Map<String, Value> = members.iter().map(|&at| (MEMBERS[at].to_owned(), Value::from(at))).collect();
            let nested = line["nested"].as_object().cloned().unwrap_or_default();
            for (name, expected) in MEMBERS.iter().map(|name| (*name, held.get(*name))) {
                let given = |cell: Option<&Value>| cell.filter(|cell| !cell.is_null()).cloned();
                prop_assert_eq!(given(line.get(name)), expected.cloned(), "{} in {}", name, body);
                prop_assert_eq!(given(nested.get(name)), expected.cloned(), "{} in {}", name, body);
            }
        }
        prop_assert_eq!(read.len(), rows.len());
    }
}
