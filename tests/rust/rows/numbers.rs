//! Numbers side by side in an array, as a column of numbers reads them and as any other does.

use proptest::prelude::*;
use serde_json::Value;

use super::{decode, lines};

fn array_of_numbers() -> impl Strategy<Value = String> {
    let fine = [
        "0",
        "7",
        "42",
        "-3",
        "1234567",
        "12345678",
        "-1234567",
        "-0",
        "1.5",
        "-0.25",
        "123.4567",
        "0.12345678",
        "1e3",
    ];
    let element = prop_oneof![
        30 => prop::sample::select(fine.to_vec()),
        1 => prop::sample::select(vec!["01", "-", "1.", "2.5e", "", "null", "\"a\"", "-01.5", "1 2"]),
    ];
    let between = prop_oneof![
        20 => prop::sample::select(vec![",", ", "]),
        2 => prop::sample::select(vec![" ,", ",  ", ",\n"]),
    ];
    proptest::collection::vec((element, between), 0..12).prop_map(|parts| {
        let mut text = String::from("[");
        for (at, (element, between)) in parts.iter().enumerate() {
            text += if at > 0 { between } else { "" };
            text += element;
        }
        text + "]"
    })
}

proptest! {
    #[test]
    fn numbers_of_an_array_are_the_same_in_a_column_of_numbers(array in array_of_numbers()) {
        let read_after = |head: &str| {
            let cells = decode(format!("[{head}{{\"v\":{array}}}]").as_bytes());
            let told = cells.map(|rows| {
                let row: Value = serde_json::from_str(lines(&rows).last().unwrap()).unwrap();
                row["v"].as_array().unwrap().iter().map(|value| value.as_f64().ok_or_else(|| value.clone())).collect::<Vec<_>>()
            });
            told.map_err(|error| (error.message, error.byte_offset - head.len() as u64))
        };
        let expected = read_after("");
        for before in ["[1,-2]", "[1,2]", "[0.5,-1.5]"] {
            let told = read_after(&format!("{{\"v\":{before}}},"));
            // Beside text numbers are text.
            if !array.contains('"') {
                prop_assert_eq!(&told, &expected, "{} after {}", array, before);
            }
        }
    }
}
