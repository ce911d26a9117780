//! Numbers side by side in an array and below each other, as a column of numbers reads them and as any other does.

use proptest::prelude::*;
use serde_json::Value;

use rowhaul::rows::{DecodeOptions, Form};

use super::{decode, decode_pieces, lines};

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
        "-2.5E-07",
        "123456789",
        "-123456789012345",
        "9007199254740992",
        "-12.345678901234567",
        "0.00012345678901234567",
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

/// So much text after numbers is more than the quick ways look ahead.
const AFTER: &str = "text that stands after the numbers of a row, and is no part of them, nor are 1.5 and 2";

/// Integers beyond ±2^53, which are text beside fractions.
const WIDE: [&str; 4] = ["9007199254740993", "-123456789012345678", "1234567890123456789", "-9223372036854775808"];

fn number() -> impl Strategy<Value = String> {
    prop_oneof![
        4 => "0|-?[1-9][0-9]{0,14}",
        4 => "-?(0|[1-9][0-9]{0,8})\\.[0-9]{1,20}",
        1 => "-?[1-9]\\.[0-9]{1,3}e-?[1-9]",
        1 => prop::sample::select(WIDE.to_vec()).prop_map(str::to_owned),
    ]
}

fn float() -> impl Strategy<Value = String> {
    prop_oneof![
        8 => "-?(0|[1-9][0-9]{0,2})\\.[0-9]{1,7}",
        4 => "-?(0|[1-9][0-9]{0,8})\\.[0-9]{8,20}",
        2 => "0|-?[1-9][0-9]{0,8}",
        1 => "-?[1-9](\\.[0-9]{1,17})?[eE][-+]?[0-9]{1,2}",
    ]
}

proptest! {
    #[test]
    fn numbers_of_a_member_are_what_the_standard_library_reads(
        numbers in proptest::collection::vec(number(), 1..30),
        spaces in prop::sample::select(vec!["", " ", "\n  "]),
    ) {
        let (whole, fractions): (Vec<String>, Vec<String>) =
            numbers.iter().cloned().partition(|number| !number.contains(['.', 'e']));
        let body = |numbers: &[String]| {
            let row = |number: &String| format!("{{\"v\":{spaces}{number}{spaces}}}");
            format!("[{}]", numbers.iter().map(row).collect::<Vec<_>>().join(","))
        };
        let cells = |numbers: &[String]| -> Vec<Value> {
            let rows = decode(body(numbers).as_bytes()).unwrap();
            lines(&rows).iter().map(|line| serde_json::from_str::<Value>(line).unwrap()["v"].clone()).collect()
        };
        for (cell, sent) in cells(&whole).iter().zip(&whole) {
            prop_assert_eq!(cell.as_i64(), sent.parse().ok(), "{}", sent);
        }
        let narrow: Vec<String> = numbers.into_iter().filter(|number| !WIDE.contains(&number.as_str())).collect();
        for numbers in [fractions, narrow] {
            for (cell, sent) in cells(&numbers).iter().zip(&numbers) {
                prop_assert_eq!(cell.as_f64().map(f64::to_bits), sent.parse().ok().map(f64::to_bits), "{}", sent);
            }
        }
    }

    #[test]
    fn numbers_of_short_arrays_are_what_the_standard_library_reads_wherever_the_body_is_cut(
        first in prop::sample::select(vec!["0.5", "0.5,1", "0.5,-1"]),
        arrays in proptest::collection::vec(proptest::collection::vec(float(), 1..4), 1..30),
        between in prop::sample::select(vec![",", ", "]),
        cut in any::<prop::sample::Index>(),
    ) {
        let rows = arrays.iter().map(|array| format!("{{\"v\":[[{}]]}}", array.join(between)));
        // The first makes it a column of floats, or of floats and integers.
        let rows: Vec<String> = [format!("{{\"v\":[[{first}]]}}")].into_iter().chain(rows).collect();
        let body = format!("[{},{{\"after\":\"{AFTER}\"}}]", rows.join(","));
        let (before, after) = body.as_bytes().split_at(cut.index(body.len()));
        let options = DecodeOptions { form: Form::Any, ..DecodeOptions::default() };
        for read in [decode(body.as_bytes()), decode_pieces([before, after], options)] {
            for (line, array) in lines(&read.unwrap()).iter().skip(1).zip(&arrays) {
                let row: Value = serde_json::from_str(line).unwrap();
                let told = row["v"][0].as_array().unwrap().iter().map(|value| value.as_f64().unwrap().to_bits());
                let sent = array.iter().map(|text| text.parse::<f64>().unwrap().to_bits());
                prop_assert_eq!(told.collect::<Vec<_>>(), sent.collect::<Vec<_>>(), "{:?}", array);
            }
        }
    }

    #[test]
    fn numbers_of_an_array_are_the_same_in_a_column_of_numbers(array in array_of_numbers()) {
        let read_after = |head: &str| {
            let cells = decode(format!("[{head}{{\"v\":{array},\"after\":\"{AFTER}\"}}]").as_bytes());
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
