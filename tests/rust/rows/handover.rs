//! However many threads read a body, and wherever it is cut among them, the result is that of one.

use arrow_array::RecordBatch;
use proptest::prelude::*;
use rowhaul::rows::{Declared, DecodeOptions, Decoder, Form, Limits, Survey, decode};

use super::{Outcome, decode_pieces, in_time, outcome};

/// Options under which even a body of some bytes is read by several threads.
fn several(threads: usize, chunk_bytes: usize) -> DecodeOptions {
    let limits = Limits { chunk_bytes, ..Limits::default() };
    DecodeOptions { form: Form::Any, threads, limits, ..DecodeOptions::default() }
}

fn alone(body: &[u8], options: &DecodeOptions) -> Outcome {
    outcome(&decode_pieces([body], DecodeOptions { threads: 1, ..options.clone() }))
}

/// What comes of a body of which all is there, so that nobody copies it.
fn whole(body: &[u8], options: &DecodeOptions) -> Outcome {
    outcome(&decode(body.to_vec(), options.clone()).map(|decoded| decoded.rows))
}

/// Text in strings that looks like what stands between two rows, or is hard to step over.
fn text() -> impl Strategy<Value = String> {
    prop_oneof![
        Just(r#""x""#.to_owned()),
        Just(r#""},{\"id\":1,""#.to_owned()),
        Just(r#""}\n{\"id\"""#.to_owned()),
        Just(r#""\\""#.to_owned()),
        Just(r#""a\\\"},{""#.to_owned()),
        Just(r#""\ud800""#.to_owned()),
        Just(r#""\ud83d\ude00 and a text beyond twelve bytes""#.to_owned()),
        Just("\"}{\u{e9}[]\"".to_owned()),
    ]
}

/// A value; objects in it have the keys of rows, some of them twice.
fn value() -> impl Strategy<Value = String> {
    let number = prop_oneof![
        (-3i64..4).prop_map(|number| number.to_string()),
        Just("2.5".to_owned()),
        Just("9007199254740993".to_owned()),
        Just("18446744073709551615".to_owned()),
        Just("1e400".to_owned()),
    ];
    let leaf = prop_oneof![
        2 => Just("null".to_owned()),
        1 => Just("true".to_owned()),
        4 => number,
        4 => text(),
    ];
    leaf.prop_recursive(3, 16, 4, |inner| {
        let list = proptest::collection::vec(inner.clone(), 0..4);
        prop_oneof![list.prop_map(|items| format!("[{}]", items.join(","))), object(inner)]
    })
}

fn object(value: impl Strategy<Value = String>) -> impl Strategy<Value = String> {
    let key = prop_oneof![4 => Just("id"), 2 => Just("b"), 2 => Just("c"), 1 => Just("\\ud800"), 1 => Just("}\\n,")];
    proptest::collection::vec((key, value), 0..5).prop_map(|members| {
        let members: Vec<String> = members.iter().map(|(key, value)| format!("\"{key}\":{value}")).collect();
        format!("{{{}}}", members.join(","))
    })
}

/// Rows that mostly begin with the same key, as rows do.
fn rows() -> impl Strategy<Value = Vec<String>> {
    let usual = (value(), value()).prop_map(|(b, c)| format!("{{\"id\":{b},\"c\":{c}}}"));
    proptest::collection::vec(prop_oneof![3 => usual, 1 => object(value())], 0..40)
}

/// What stands around rows and between them.
#[derive(Debug, Clone, Copy)]
enum Around {
    Array(&'static str),
    Envelope(&'static str),
    Lines(&'static str),
}

fn around() -> impl Strategy<Value = Around> {
    let comma = prop_oneof![Just(","), Just(", "), Just(" ,\n  ")];
    let line = prop_oneof![Just("\n"), Just("\r\n"), Just(" \n\n ")];
    prop_oneof![comma.clone().prop_map(Around::Array), comma.prop_map(Around::Envelope), line.prop_map(Around::Lines),]
}

fn body(rows: &[String], around: Around) -> Vec<u8> {
    let text = match around {
        Around::Array(between) => format!("[{}] ", rows.join(between)),
        Around::Envelope(between) => format!(
            "{{\"status\": \"completed\", \"data\": [{}], \"x\": {{\"id\": 1}}, \"row_count\": {}}}",
            rows.join(between),
            rows.len()
        ),
        Around::Lines(between) => rows.join(between),
    };
    text.into_bytes()
}

/// What happens to a body on its way.
#[derive(Debug, Clone, Copy)]
enum Damage {
    None,
    Cut(prop::sample::Index),
    Byte(prop::sample::Index, u8),
}

impl Damage {
    fn apply(self, body: &mut Vec<u8>) {
        match self {
            Self::Cut(at) if !body.is_empty() => body.truncate(at.index(body.len())),
            Self::Byte(at, byte) if !body.is_empty() => {
                let at = at.index(body.len());
                body[at] = byte;
            }
            _ => {}
        }
    }
}

fn damage() -> impl Strategy<Value = Damage> {
    let byte = prop_oneof![Just(b'}'), Just(b'{'), Just(b'"'), Just(b']'), Just(b','), Just(b' '), Just(0xff)];
    prop_oneof![
        3 => Just(Damage::None),
        1 => any::<prop::sample::Index>().prop_map(Damage::Cut),
        2 => (any::<prop::sample::Index>(), byte).prop_map(|(at, byte)| Damage::Byte(at, byte)),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, ..ProptestConfig::default() })]

    #[test]
    fn several_threads_read_what_one_reads(
        rows in rows(), around in around(), damage in damage(), threads in 2usize..5, chunk_bytes in 1usize..200, piece in 1usize..300,
        batch_rows in prop_oneof![Just(65_536), 1usize..5], max_columns in prop_oneof![4 => Just(10_000), 1 => 1usize..4], lines in any::<bool>(),
        spare_cells in prop_oneof![Just(256 << 20), 0u64..50], batch_cells in prop_oneof![Just(16 << 20), 1usize..50],
    ) {
        let mut body = body(&rows, around);
        damage.apply(&mut body);
        let form = if lines && matches!(around, Around::Lines(_)) { Form::Lines } else { Form::Any };
        let limits = Limits { batch_cells, spare_cells, chunk_bytes, ..Limits::default() };
        let options = DecodeOptions { form, threads, batch_rows, max_columns, limits, ..DecodeOptions::default() };
        let read = outcome(&decode_pieces(body.chunks(piece), options.clone()));
        let one = alone(&body, &options);
        prop_assert_eq!(&read, &one, "{}", String::from_utf8_lossy(&body));
        prop_assert_eq!(whole(&body, &options), one, "{}", String::from_utf8_lossy(&body));
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 100, ..ProptestConfig::default() })]

    #[test]
    fn a_stream_by_any_number_of_threads_is_what_one_reads(
        rows in rows(), around in around(), damage in damage(), threads in 1usize..4, chunk_bytes in 1usize..200,
        piece in 1usize..300, batch_rows in prop_oneof![Just(65_536), 1usize..5],
    ) {
        let mut body = body(&rows, around);
        damage.apply(&mut body);
        let options = DecodeOptions { batch_rows, ..several(threads, chunk_bytes) };
        let mut survey = Survey::new(options.clone());
        let surveyed = body.chunks(piece).try_for_each(|piece| survey.feed(piece)).and_then(|()| survey.finish());
        let streamed = surveyed.map(|surveyed| {
            let batches = surveyed.batches(std::io::Cursor::new(&body)).unwrap();
            let (schema, notes) = (arrow_array::RecordBatchReader::schema(&batches), batches.notes().to_vec());
            super::Rows::new(schema, batches.map(Result::unwrap).collect(), notes)
        });
        let (streamed, alone) = (outcome(&streamed), alone(&body, &options));
        // Of a stream only the rows read last are there when a fault comes.
        prop_assert_eq!(&streamed.error, &alone.error, "{}", String::from_utf8_lossy(&body));
        if streamed.error.is_none() {
            prop_assert_eq!(streamed, alone, "{}", String::from_utf8_lossy(&body));
        }
    }
}

/// Comments with replies that look like comments.
fn comments(count: usize) -> Vec<String> {
    let reply = |at: usize| format!("{{\"id\":{at},\"text\":\"re: \\\"}},{{\\\"id\\\":\",\"replies\":[]}}");
    let comment = |at: usize| {
        let replies: Vec<String> = (0..at % 4).map(reply).collect();
        format!("{{\"id\":{at},\"text\":\"comment {at}\",\"replies\":[{}]}}", replies.join(","))
    };
    (0..count).map(comment).collect()
}

#[test]
fn replies_of_the_shape_of_comments_are_never_taken_for_rows() {
    for chunk_bytes in [50, 333, 2000] {
        for first in [0, 1, 2] {
            let rows = &comments(500)[first..];
            let body = body(rows, Around::Envelope(","));
            let options = several(3, chunk_bytes);
            let read = decode_pieces(body.chunks(100), options.clone());
            assert_eq!(read.as_ref().unwrap().len(), rows.len());
            assert_eq!(outcome(&read), alone(&body, &options));
            assert_eq!(outcome(&read), whole(&body, &options));
        }
    }
}

#[test]
fn a_body_that_ends_at_any_byte_says_the_same_with_several_threads() {
    let body = body(&comments(12), Around::Array(", "));
    let options = several(2, 40);
    for end in 0..=body.len() {
        let read = decode_pieces(body[..end].chunks(64), options.clone());
        assert_eq!(outcome(&read), alone(&body[..end], &options), "cut at {end}");
        assert_eq!(outcome(&read), whole(&body[..end], &options), "cut at {end}");
    }
}

#[test]
fn what_a_body_may_not_hold_is_refused_at_the_same_place_wherever_it_stands() {
    let faults =
        [r#"{"id":01}"#, r#"{"id":1,}"#, "[]", "7", "", r#"{"id":"\x"}"#, "{\"id\":\"\n\"}", r#"{"id":1"#, "]"];
    for fault in faults {
        for at in [0, 1, 20, 39] {
            let mut rows = comments(40);
            rows[at] = fault.to_owned();
            let body = body(&rows, Around::Envelope(","));
            let options = several(3, 100);
            let read = decode_pieces([body.as_slice()], options.clone());
            assert!(read.is_err(), "{fault} as row {at}");
            assert_eq!(outcome(&read), alone(&body, &options), "{fault} as row {at}");
            assert_eq!(outcome(&read), whole(&body, &options), "{fault} as row {at}");
        }
    }
}

#[test]
fn a_key_that_stands_twice_is_told_of_as_by_one_thread_even_where_its_column_has_changed_meanwhile() {
    let mut rows = vec![r#"{"id":{"a":1}}"#.to_owned(); 30];
    rows[10] = r#"{"id":"text"}"#.to_owned();
    for at in 0..30 {
        let mut rows = rows.clone();
        rows[at] = r#"{"id":{"a":1,"a":2}}"#.to_owned();
        let body = body(&rows, Around::Array(","));
        let options = several(3, 30);
        assert_eq!(outcome(&decode_pieces([body.as_slice()], options.clone())), alone(&body, &options), "{at}");
        assert_eq!(whole(&body, &options), alone(&body, &options), "{at}");
    }
}

#[test]
fn which_of_two_faults_in_a_row_is_told_does_not_depend_on_the_rows_before() {
    let too_wide_and_broken = r#"{"id":1,"b":2,"c":{"id]:3}"#.to_owned();
    for before in [r#"{"id":1,"b":2}"#, r#"{"id":1,"id":2}"#] {
        let mut rows = vec![before.to_owned(); 30];
        rows.push(too_wide_and_broken.clone());
        let body = body(&rows, Around::Array(","));
        let options = DecodeOptions { max_columns: 2, ..several(2, 40) };
        let one = alone(&body, &options);
        assert_eq!(
            one.error.as_ref().map(|(message, ..)| &**message),
            Some("more columns than `max_columns` allows (2)"),
            "after {before}"
        );
        assert_eq!(outcome(&decode_pieces(body.chunks(50), options)), one, "after {before}");
    }
}

#[test]
fn what_a_column_becomes_is_the_same_whichever_thread_or_segment_met_which_kind() {
    let map = |from: usize| {
        let members: Vec<String> = (from..from + 129).map(|key| format!("\"k{key}\":{key}")).collect();
        format!("{{{}}}", members.join(","))
    };
    let deep = format!("{}1{}", "[".repeat(30), "]".repeat(30));
    let kinds = [
        "null",
        "true",
        "7",
        "-7",
        "9007199254740993",
        "9223372036854775808",
        "18446744073709551616",
        "0.25",
        "1e400",
        "\"text\"",
        "[]",
        "[1,null]",
        "[2.5]",
        "[\"a\"]",
        "{}",
        "{\"a\":1}",
        "{\"a\":[\"b\"]}",
        &map(0),
        &map(129),
        &deep,
    ];
    for first in kinds {
        for second in kinds {
            let row = |value: &&str| format!("{{\"id\":{value}}}");
            let rows: Vec<String> = [[first; 5], [second; 5]].concat().iter().map(row).collect();
            let body = body(&rows, Around::Array(","));
            let one = alone(&body, &several(1, 1));
            assert!(one.error.is_none());
            for (threads, batch_rows) in [(1, 1), (1, 4), (3, 65_536), (2, 3)] {
                let options = DecodeOptions { batch_rows, ..several(threads, 30) };
                assert_eq!(outcome(&decode_pieces(body.chunks(40), options.clone())), one, "{first} {second}");
                assert_eq!(whole(&body, &options), one, "{first} {second}");
            }
        }
    }
}

#[test]
fn declared_columns_come_first_with_several_threads_too() {
    let events = Declared::Agent(rowhaul::catalogue::find("events", "events").unwrap());
    let rows: Vec<String> = (0..100).map(|at| format!("{{\"going\":{at},\"k{}\":[{at}]}}", at / 30)).collect();
    let body = body(&rows, Around::Envelope(","));
    let options = DecodeOptions { declared: events, ..several(4, 100) };
    assert_eq!(outcome(&decode_pieces([body.as_slice()], options.clone())), alone(&body, &options));
}

#[test]
fn how_many_cells_may_be_empty_does_not_depend_on_threads() {
    let wide = |name: &str| {
        let members: Vec<String> = (0..100).map(|at| format!("\"{name}{at}\":1")).collect();
        format!("{{{}}}", members.join(","))
    };
    let narrow = |at: usize| format!("{{\"a0\":{at},\"p\":\"{}\"}}", "p".repeat(10));
    let mut rows = vec![wide("a")];
    rows.extend((0..1800).map(narrow));
    rows.push(wide("b"));
    rows.extend((0..2550).map(narrow));
    let body = body(&rows, Around::Envelope(","));
    let read_with = |spare_cells: u64| {
        let with_cells = |options: DecodeOptions| {
            let limits = Limits { spare_cells, ..options.limits };
            DecodeOptions { limits, ..options }
        };
        let one = alone(&body, &with_cells(several(1, 1)));
        for (threads, chunk_bytes) in [(2, 1000), (2, 30_000), (4, 7_777)] {
            let options = with_cells(several(threads, chunk_bytes));
            let read = decode_pieces(body.chunks(5000), options.clone());
            assert_eq!(outcome(&read), one, "{spare_cells} cells, {threads} threads, chunks of {chunk_bytes}");
            assert_eq!(whole(&body, &options), one, "{spare_cells} cells, {threads} threads, chunks of {chunk_bytes}");
        }
        one.error.is_none()
    };
    let read: Vec<bool> = (0..8).map(|step| read_with(step * 130_000)).collect();
    assert!(!read[0] && read[7]);
    assert!(read.is_sorted());
}

#[test]
fn no_batch_of_a_sparse_body_is_what_was_left_of_another() {
    let rows: Vec<String> =
        (10_000..70_000).map(|at| format!("{{\"id\":{at},\"c{:02}\":\"text\"}}", at % 50)).collect();
    let body = body(&rows, Around::Array(","));
    // A chunk would be three batches of 3200 rows, and one of the few that are left.
    let mut options = several(3, 256 << 10);
    options.limits.batch_cells = 3200 * 51;
    let one = alone(&body, &options);
    let fed = decode_pieces([body.as_slice()], options.clone());
    let whole = decode(body, options).map(|decoded| decoded.rows);
    for read in [fed, whole] {
        assert_eq!(outcome(&read), one);
        let read = read.unwrap();
        let mut lengths: Vec<usize> = read.batches().iter().map(RecordBatch::num_rows).collect();
        lengths.pop();
        // One ends where other threads begin.
        assert_eq!(lengths.iter().filter(|rows| **rows < 2500).count(), 1, "{lengths:?}");
    }
}

#[test]
fn rows_larger_than_a_chunk_are_read() {
    let long = |at: usize| format!("{{\"id\":{at},\"text\":\"{}\"}}", "x".repeat(at * 37 % 5000));
    let body = body(&(0..60).map(long).collect::<Vec<_>>(), Around::Lines("\n"));
    for piece in [10, 1000, usize::MAX] {
        let options = several(2, 64);
        assert_eq!(outcome(&decode_pieces(body.chunks(piece), options.clone())), alone(&body, &options));
        assert_eq!(whole(&body, &options), alone(&body, &options));
    }
}

#[test]
fn a_decoder_that_is_dropped_midway_does_not_hang() {
    let body = body(&comments(2000), Around::Array(","));
    for end in [0, 100, 5_000, 50_000] {
        let mut decoder = Decoder::new(several(4, 500));
        decoder.feed(&body[..end]).unwrap();
        in_time(move || drop(decoder));
    }
}
