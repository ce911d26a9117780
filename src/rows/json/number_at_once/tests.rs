//! The readers held against each other, and against `number`.

use super::marks::Marks;
use super::*;
use crate::rows::json::cursor::Cursor;
use crate::rows::json::number::Number;
use crate::rows::json::scan::{BLOCK, LANES};
use proptest::prelude::*;

const BEFORE: &str = "\"data\":[{\"item\":";
const AFTER: &str = ",\"name\":\"more text than a number has bytes\"";

/// What was read at once, as bits, and how many bytes it has.
fn at_once(around: &[u8]) -> Option<(Result<i64, u64>, usize)> {
    let integer = integer_at_once::<true>(around).or_else(|| long_integer_at_once(around));
    integer
        .map(|(value, end)| (Ok(value), end))
        .or_else(|| decimal_at_once::<false>(around, true).map(|(value, end)| (Err(value.to_bits()), end)))
}

proptest! {
    #[test]
    fn a_number_at_once_is_what_any_number_is(
        text in prop_oneof![
            "-?[0-9]{1,20}",
            "-?[1-9][0-9]{0,19}",
            "-?(0|[1-9][0-9]{0,9})\\.[0-9]{1,21}",
            "-?0\\.0{0,9}[0-9]{8,17}",
            "-?0[0-9]{0,2}(\\.[0-9]{0,3})?",
            "-?(0|[1-9][0-9]{0,9})(\\.[0-9]{1,19})?[eE][-+]?[0-9]{1,4}",
            "[-0-9.eE]{1,9}",
        ],
        after in prop::sample::select(vec![",", "}", "]", " ", "\n", "e3", "E-1", ".5", "-", "/", ":", ""]),
        before in "[0-9\\[ ,.\"]{16}",
        more in "[0-9\\[ ,.\"]{0,40}",
    ) {
        let body = format!("{before}{text}{after}{more}");
        let around = body.as_bytes();
        let unsigned = integer_at_once::<false>(around);
        let signed = integer_at_once::<true>(around);
        prop_assert_eq!(unsigned, signed.filter(|_| !text.starts_with('-')));
        let mut cursor = Cursor { at: LANES, ..Cursor::new(around, false) };
        let number = cursor.number().ok();
        if let Some((read, end)) = at_once(around) {
            let number = match number.unwrap() {
                Number::Int(value) => Ok(value),
                Number::Float(value) | Number::Rounded(value) => Err(value.to_bits()),
                other => panic!("{other:?}"),
            };
            prop_assert_eq!((read, LANES + end), (number, cursor.at));
        }
        // What is rounded is left where it may not be.
        let told = decimal_at_once::<true>(around, false).or_else(|| scientific_at_once(around, false));
        prop_assert!(told.is_none() || !matches!(number, Some(Number::Rounded(_))));
        let float = decimal_at_once::<true>(around, true).or_else(|| scientific_at_once(around, true));
        if let Some((read, end)) = float {
            let number = match number.unwrap() {
                Number::Int(value) => value as f64,
                Number::Float(value) | Number::Rounded(value) => value,
                other => panic!("{other:?}"),
            };
            prop_assert_eq!((read.to_bits(), LANES + end), (number.to_bits(), cursor.at));
        }
    }

    #[test]
    fn marks_of_a_block_tell_what_those_of_the_number_do(
        text in "-?[0-9]{0,9}(\\.[0-9]{0,22})?[-,eE\\]a]?[0-9]?",
        before in 0..LANES,
    ) {
        let body = format!("{BEFORE}{text}{}", AFTER.repeat(2));
        let around = &body.as_bytes()[BEFORE.len() - LANES..];
        let block: &[u8; BLOCK] = around[LANES - before..].first_chunk().unwrap();
        let marks = Marks::of(block).after(before);
        prop_assert!(marks.has_end());
        prop_assert_eq!(decimal_marked::<true>(around, marks, true), decimal_at_once::<true>(around, true));
        prop_assert_eq!(decimal_marked::<false>(around, marks, true), decimal_at_once::<false>(around, true));
    }
}

#[test]
fn numbers_found_in_blocks_are_those_that_stand_there_and_no_block_goes_beyond_the_window() {
    let texts = ["0.5", "-12.25", "7.125", "0.1234567890123456", "-0.0", "99.75"];
    let body = format!("[{}", texts.join(",").repeat(9).replace("99.750.5", "99.75,0.5"));
    let (mut block, mut at, mut read) = (MarkedBlock::default(), 1, 0);
    while at + BLOCK <= body.len() {
        let expected = body[at..].split(',').next().unwrap();
        let around = [&[b'['; LANES], &body.as_bytes()[at..]].concat();
        let (value, end) =
            decimal_marked::<false>(&around, block.marks_at(body.as_bytes(), at).unwrap(), true).unwrap();
        assert_eq!((value.to_bits(), end), (expected.parse::<f64>().unwrap().to_bits(), expected.len()), "{at}");
        (at, read) = (at + end + 1, read + 1);
    }
    assert!(read > 40, "{read}");
    assert!(MarkedBlock::default().marks_at(body.as_bytes(), at).is_none());
}

#[test]
fn whole_numbers_among_decimals_are_read_at_once_unless_they_have_a_sign() {
    let read = |text: &str| decimal_at_once::<true>(format!("{BEFORE}{text}{AFTER}").as_bytes(), true);
    let values = ["0", "7", "12345678", "7.5", "-7.5"].map(|text| read(text).map(|(value, _)| value));
    assert_eq!(values, [0.0, 7.0, 12_345_678.0, 7.5, -7.5].map(Some));
    assert_eq!(["-7", "-0", "07", "7.", "7e1", "123456789", ""].map(read), [None; 7]);
}

#[test]
fn numbers_with_an_exponent_are_read_at_once() {
    let read = |text: &str| scientific_at_once(format!("{BEFORE}{text}{AFTER}").as_bytes(), true);
    let texts = ["1e-05", "-1E5", "6.02e+23", "-1.2345678901234567e-9", "1234567.12345e0", "0e7", "1e027"];
    for text in texts {
        assert_eq!(read(text), Some((text.parse().unwrap(), text.len())), "{text}");
    }
    let left = ["1e", "1e+", "1.e5", ".5e5", "01e5", "-e5", "1e0005", "1e300", "1.5", "15", "12345678901234567890e1"];
    assert_eq!(left.map(read), [None; 11]);
}

#[test]
fn most_numbers_are_read_at_once() {
    let read = [
        "0",
        "-0",
        "7",
        "-12",
        "123456789",
        "123456789012345",
        "-123456789012345",
        "1234567890123456",
        "123456789012345678",
        "-123456789012345678",
        "9223372036854775807",
        "-9223372036854775807",
        "0.5",
        "-0.0",
        "12345678.1234567",
        "-122.4194155",
        "-122.41941550000001",
        "0.1234567890123456789",
        "0.00012345678901234567",
        "1234567.12345678901",
        "-1234567.123456789012",
        "0.0000001234567890123456",
    ];
    let left = [
        "12345678.12345678",
        "0.00000001234567890123456",
        "01",
        "-",
        "1.",
        ".5",
        "-01.5",
        "123456789.5",
        "1e3",
        "1.5e3",
        "9223372036854775808",
        "-9223372036854775808",
        "0123456789012345678",
        "1234567890123456789.5",
        "1234567890123456789e3",
        "12.1234567890123456789",
        "null",
    ];
    for (texts, is_read) in [(&read[..], true), (&left, false)] {
        for text in texts {
            let body = format!("{BEFORE}{text}{AFTER}");
            assert_eq!(at_once(body.as_bytes()).is_some(), is_read, "{text}");
        }
    }
}
