//! Small bodies that ask for much: memory and time stay within bounds that follow from the body's size.

use std::sync::Arc;

use arrow_schema::{DataType, Field, Schema};
use rowhaul::rows::{Declared, DecodeOptions, Form, Limits};

use super::{decode, decode_pieces, decode_with, in_time, types};

fn any() -> DecodeOptions {
    DecodeOptions { form: Form::Any, ..DecodeOptions::default() }
}

fn keys(count: usize) -> String {
    let members: Vec<String> = (0..count).map(|key| format!("\"k{key}\": \"text\"")).collect();
    format!("{{{}}}", members.join(","))
}

#[test]
fn sparse_columns_cost_what_is_in_them() {
    let mut body = format!("[{}", keys(2_000));
    body.extend(std::iter::repeat_n(", {}", 10_000));
    body.push(']');
    let rows = decode(body.as_bytes()).unwrap();
    assert_eq!((rows.len(), rows.schema().fields().len()), (10_001, 2_000));
    let shared = rows.batches().last().unwrap();
    assert_eq!(shared.column(0).to_data().buffers()[0].as_ptr(), shared.column(1).to_data().buffers()[0].as_ptr());
}

#[test]
fn a_table_far_larger_than_its_body_is_refused_with_the_rows_before() {
    let mut body = format!("[{}", keys(900));
    body.extend(std::iter::repeat_n(", {}", 10_000));
    body.push(']');
    let error = decode_with(
        body.as_bytes(),
        DecodeOptions { limits: Limits { spare_cells: 1 << 20, ..Limits::default() }, ..any() },
    )
    .unwrap_err();
    assert!(error.message.contains("columns, nested ones included: too many to hold, most are empty"), "{error}");
    assert!(error.rows.len() > 1_000);
}

#[test]
fn columns_of_a_value_that_does_not_count_are_not_too_many_whatever_rows_stand_before() {
    let wide: Vec<String> = (0..256).map(|key| format!("\"o{key}\": {}", keys(256))).collect();
    let row = format!("{{\"b\": {{{}}}, \"b\": 1}}", wide.join(","));
    for before in ["", "{\"a\": 1, \"a\": 2},", "{\"a\": 1},"] {
        let body = format!("[{before}{row}]");
        assert_eq!(types(&decode(body.as_bytes()).unwrap()).last().unwrap(), "b: Int64");
        let in_pieces = decode_pieces(body.as_bytes().chunks(100_000), any()).unwrap();
        assert_eq!(in_pieces.len(), if before.is_empty() { 1 } else { 2 });
    }
}

#[test]
fn a_table_that_is_too_large_by_one_column_names_it_and_what_reads_it() {
    let row = |at: usize| format!("{{\"id\":{at},\"m\":{{\"a{}\":{{\"b{}\":1}}}}}}", at % 120, at / 120 % 120);
    let body = format!("[{}]", (0..15_000).map(row).collect::<Vec<_>>().join(","));
    let limits = Limits { spare_cells: 1 << 20, ..Limits::default() };
    let error = decode_with(body.as_bytes(), DecodeOptions { limits: limits.clone(), ..any() }).unwrap_err();
    assert!(error.message.ends_with("; most columns are in `m`, which is JSON text where a schema asks for a string"));
    let text = Arc::new(Schema::new(vec![Field::new("m", DataType::Utf8, true)]));
    let options = DecodeOptions { declared: Declared::Schema(text), limits, ..any() };
    assert_eq!(decode_with(body.as_bytes(), options).unwrap().len(), 15_000);
}

/// A row with an array of an object that has so many members, so many nested in each of those, and of so many that have
/// none.
fn array_of_empty_objects(outer: usize, inner: usize, count: usize) -> String {
    let members: Vec<String> = (0..outer).map(|key| format!("\"o{key}\": {}", keys(inner))).collect();
    format!("{{\"list\": [{{{}}}{}]}}", members.join(","), ", {}".repeat(count))
}

#[test]
fn objects_in_an_array_have_cells_as_rows_have() {
    let bloated = array_of_empty_objects(250, 60, 100_000);
    for (body, rows) in [(format!("[{bloated}]"), 0), (format!("[{{\"list\": null}}, {bloated}, {{}}]"), 1)] {
        let error = decode(body.as_bytes()).unwrap_err();
        let most = (256 << 20) + bloated.len();
        assert!(error.message.starts_with(&format!("the row has more than {most} cells in 15251 columns")), "{error}");
        assert_eq!((error.row, error.rows.len()), (Some(rows as u64), rows));
        assert_eq!(error.byte_offset, body.find(&bloated).unwrap() as u64);
    }
}

#[test]
fn all_objects_in_arrays_together_have_cells_as_rows_have() {
    let row = array_of_empty_objects(25, 20, 300);
    let body = format!("[{}]", vec![row.as_str(); 20].join(","));
    for threads in [1, 2, 4] {
        for chunk_bytes in [100, 3 * row.len()] {
            let limits = Limits { spare_cells: 400_000, chunk_bytes, ..Limits::default() };
            let options = DecodeOptions { threads, limits, ..any() };
            for piece in [1000, body.len()] {
                let error = decode_pieces(body.as_bytes().chunks(piece), options.clone()).unwrap_err();
                assert!(error.message.starts_with("all rows together have more than "), "{error}");
                assert!(error.message.contains(" cells in 526 columns, nested ones included"), "{error}");
                assert_eq!((error.row, error.rows.len()), (Some(4), 4));
            }
        }
    }
}

/// What comes of a body with so many spare cells: the number of rows, or the row of the fault and its message. The same
/// with any number of threads, and in any pieces.
fn outcome(body: &str, spare_cells: u64) -> Result<usize, (Option<u64>, String)> {
    // Cells in a full batch count, whatever becomes text after it.
    let _ = outcome_in_batches(body, spare_cells, Limits::default().batch_cells);
    outcome_in_batches(body, spare_cells, 256 << 20)
}

fn outcome_in_batches(body: &str, spare_cells: u64, batch_cells: usize) -> Result<usize, (Option<u64>, String)> {
    let read = |threads, chunk_bytes, piece| {
        let limits = Limits { spare_cells, chunk_bytes, batch_cells, ..Limits::default() };
        let options = DecodeOptions { threads, limits, ..any() };
        let rows = decode_pieces(body.as_bytes().chunks(piece), options);
        rows.map(|rows| rows.len()).map_err(|error| (error.row, error.message))
    };
    let whole = read(1, 4 << 20, body.len());
    for (threads, chunk_bytes, piece) in
        [(2, 10_000, body.len()), (4, 1_000, 5_000), (3, 100_000, body.len()), (1, 1, 777)]
    {
        assert_eq!(
            read(threads, chunk_bytes, piece),
            whole,
            "{threads} threads, chunks of {chunk_bytes}, pieces of {piece}"
        );
    }
    whole
}

fn groups(count: usize, each: usize) -> String {
    let members: Vec<String> = (0..count).map(|group| format!("\"g{group}\": {}", keys(each))).collect();
    format!("{{{}}}", members.join(","))
}

#[test]
fn columns_of_a_map_are_gone_and_have_no_cells() {
    let maps: Vec<String> = (0..300).map(|map| format!("{{\"m\": {{\"B{map}\": {}}}}}", keys(20))).collect();
    let row = format!("{{\"l\": [{}{}]}}", maps.join(","), ", {\"m\": {\"B1\": {}}}".repeat(2_000));
    assert_eq!(outcome(&format!("[{row}, {{\"a\": 1}}]"), 100_000), Ok(2));
}

#[test]
fn columns_of_objects_in_arrays_of_arrays_are_no_columns_of_the_outer_ones() {
    let body = format!("[{{\"l\": [[{}]{}]}}]", keys(200), ", []".repeat(5_000));
    assert_eq!(outcome(&body, 100_000), Ok(1));
}

#[test]
fn rows_have_no_cells_in_columns_of_objects_in_arrays() {
    let rows: Vec<String> = (0..5_000).map(|row| format!("{{\"a\": {row}, \"name\": \"x\"}}")).collect();
    let body = format!("[{{\"l\": [{}]}}, {}]", groups(4, 50), rows.join(","));
    assert_eq!(outcome(&body, 100_000), Ok(5_001));
}

#[test]
fn a_row_is_too_much_or_not_whatever_became_text_before_it() {
    let text = format!("{{\"t\": \"{}\"}},", "x".repeat(300)).repeat(30);
    let large = format!("{{\"l\": [{{\"m\": {}}}{}]}}", groups(257, 12), ", {}".repeat(1_000));
    let body = format!("[{{\"p\": {}}}, {{\"p\": 1}}, {text}{large}, {text}{{}}]", groups(150, 20));
    assert_eq!(outcome(&body, 300_000), Ok(64));
}

#[test]
fn columns_that_become_text_again_and_again_are_refused_nowhere_that_depends_on_threads() {
    let (mut rows, mut target) = (vec!["{}".to_owned(); 100], 400);
    for wide in 0..8 {
        rows.push(format!("{{\"p{wide}\": {}}}", groups(900_000 / target / 200 + 1, 200)));
        rows.resize(target, "{}".to_owned());
        rows.push(format!("{{\"p{wide}\": 1}}"));
        target += target / 2;
    }
    assert_eq!(outcome(&format!("[{}]", rows.join(",")), 1 << 20), Ok(rows.len()));
    // Where no more becomes text, the cells of the last are too many in the end.
    rows.push(format!("{{\"q\": {}}}", groups(10, 200)));
    rows.resize(rows.len() + 1_000, "{}".to_owned());
    let (row, message) = outcome(&format!("[{}]", rows.join(",")), 1 << 20).unwrap_err();
    assert!(message.starts_with("all rows together have more than "), "{message}");
    assert!(row.unwrap() as usize >= rows.len() - 1_001, "{row:?}");
}

#[test]
fn rows_that_name_few_of_thousands_of_columns_come_in_small_batches() {
    let rows: Vec<String> = (0..6_000).map(|row| format!("{{\"k{}\": {row}}}", row * 7 % 2_000)).collect();
    let body = format!("[{}]", rows.join(","));
    for threads in [1, 2] {
        let limits = Limits { chunk_bytes: 20_000, ..Limits::default() };
        let rows = decode_with(body.as_bytes(), DecodeOptions { threads, limits, ..any() }).unwrap();
        let largest = rows.batches().iter().map(|batch| batch.num_rows() * batch.num_columns()).max();
        assert_eq!(rows.len(), 6_000);
        // The first has rows from before there were all columns.
        assert!(largest.unwrap() < 8 << 20, "{threads} threads: {largest:?}");
    }
}

#[test]
fn columns_that_are_counted_anew_hide_no_cells() {
    let empty = |count| vec!["{}".to_owned(); count];
    let wide = |name: &str, groups_of: usize| format!("{{\"{name}\": {}}}", groups(groups_of, 250));
    let rows =
        [vec![wide("w", 180)], empty(60), vec!["{\"w\": 1}".to_owned()], empty(400), vec![wide("q", 85)], empty(300)];
    let (row, message) = outcome(&format!("[{}]", rows.concat().join(",")), 1 << 20).unwrap_err();
    assert!(message.starts_with("all rows together have more than "), "{message}");
    assert_eq!(row, Some(462));
}

#[test]
fn columns_that_became_text_make_room_for_others_in_the_same_segment() {
    let mut rows = vec![format!("{{\"w\": {}}}", groups(255, 254)), keys(270)];
    for map in 0..40 {
        rows.push(format!("{{\"w\": {{\"g0\": {{}}}}, \"m{map}\": {}}}", keys(230 - map)));
        rows.push(format!("{{\"m{map}\": 1}}"));
    }
    let rows = decode(format!("[{}]", rows.join(",")).as_bytes()).unwrap();
    assert_eq!((rows.len(), rows.batches().len()), (82, 1));
}

#[test]
fn columns_that_became_text_earlier_do_not_count_for_a_row() {
    let columns: Vec<String> = (0..256).map(|key| format!("\"a{key}\": {}", keys(255))).collect();
    let texts: Vec<String> = (0..256).map(|key| format!("\"a{key}\": 1")).collect();
    let long = format!("{{\"x\": [{}]}}", vec!["[]"; 1_060_000].join(","));
    for between in [0, 300] {
        let body = format!("[{{{}}},{}{{{}}},{long}]", columns.join(","), "{},".repeat(between), texts.join(","));
        assert_eq!(decode(body.as_bytes()).unwrap().len(), 3 + between);
    }
}

#[test]
fn columns_that_become_text_hide_no_cells_that_come_later() {
    let wide = |name: &str, count: usize| format!("{{\"{name}\": [{}]}}", keys(count));
    let many: Vec<String> = (0..300).map(|key| format!("\"n{key}\": 1")).collect();
    let mut rows = vec![format!(
        "{{\"l\": [{{{}}}]}}",
        (0..60).map(|key| format!("\"o{key}\": {}", keys(200))).collect::<Vec<_>>().join(",")
    )];
    rows.extend(vec![format!("{{\"x\": [{}]}}", vec!["[]"; 400].join(",")); 25]);
    rows.push(format!("{{\"l\": [{{{}}}]}}", many.join(",")));
    rows.push(wide("m", 200));
    rows.extend(vec![format!("{{\"m\": [{}]}}", vec!["{}"; 2_000].join(",")); 50]);
    let (row, message) = outcome(&format!("[{}]", rows.join(",")), 1 << 20).unwrap_err();
    assert!(message.starts_with("all rows together have more than "), "{message}");
    assert!(message.contains("nested ones included: too many to hold"), "{message}");
    assert!(row > Some(27), "{row:?}");
}

#[test]
fn a_batch_ends_where_objects_in_arrays_have_many_cells() {
    let body = format!("[{}]", vec![array_of_empty_objects(1, 100, 1_000); 50].join(","));
    let options = DecodeOptions { limits: Limits { batch_cells: 1 << 20, ..Limits::default() }, threads: 1, ..any() };
    let rows = decode_with(body.as_bytes(), options).unwrap();
    assert_eq!((rows.len(), rows.batches()[0].num_rows()), (50, 11));
}

#[test]
fn columns_are_counted_at_every_depth() {
    let inner: Vec<String> = (0..200).map(|key| format!("\"m{key}\": 1")).collect();
    let outer: Vec<String> = (0..400).map(|key| format!("\"k{key}\": {{{}}}", inner.join(","))).collect();
    let error = decode(format!("[{{{}}}]", outer.join(",")).as_bytes()).unwrap_err();
    assert!(error.message.contains("65536 columns, nested ones included"), "{error}");
}

#[test]
fn maps_in_disguise_do_not_count_as_columns() {
    let inner: Vec<String> = (0..300).map(|key| format!("\"m{key}\": 1")).collect();
    let outer: Vec<String> = (0..400).map(|key| format!("\"k{key}\": {{{}}}", inner.join(","))).collect();
    let rows = decode(format!("[{{{}}}]", outer.join(",")).as_bytes()).unwrap();
    assert_eq!(types(&rows)[399], "k399: Utf8");
}

#[test]
fn a_key_that_comes_again_and_again_takes_linear_time() {
    let inner: Vec<String> = (0..200).map(|key| format!("\"m{key}\": {{\"x\": 1}}")).collect();
    let mut body = format!("[{{\"a\": {{{}}}", inner.join(","));
    body.extend(std::iter::repeat_n(", \"a\": {}", 1_000_000));
    body.push_str("}]");
    let rows = in_time(move || decode(body.as_bytes()).unwrap());
    assert_eq!(types(&rows), ["a: Utf8"]);
}

#[test]
fn rows_that_move_a_column_and_then_take_that_back_take_linear_time() {
    // Each row in two makes text of the numbers before it, only for a value that does not count.
    let rows: Vec<String> = (0..400_000)
        .map(|at| if at % 2 == 0 { format!("{{\"a\": {at}}}") } else { format!("{{\"a\": \"x\", \"a\": {at}}}") })
        .collect();
    let rows = in_time(move || decode(format!("[{}]", rows.join(",")).as_bytes()).unwrap());
    assert_eq!((types(&rows), rows.len()), (vec!["a: Int64".to_owned()], 400_000));
}

#[test]
fn a_long_name_around_many_others_is_not_copied_for_each_of_them() {
    let objects = vec!["{}"; 255];
    let members = |values: Vec<&str>| {
        let members = values.iter().enumerate().map(|(at, value)| format!("\"m{at}\":{value}"));
        format!("{{{}}}", members.collect::<Vec<_>>().join(","))
    };
    let body = format!("[{{\"{}\":{}}}]", "k".repeat(8 << 20), members(vec![&members(objects); 255]));
    let rows = in_time(move || decode(body.as_bytes()).unwrap());
    assert_eq!((rows.len(), rows.schema().fields().len()), (1, 1));
}

#[test]
fn what_is_nested_too_deep_is_refused_wherever_it_stands() {
    let deep = |levels: usize| format!("{}{}", "[".repeat(levels), "]".repeat(levels));
    let objects = |levels: usize| format!("{}1{}", "{\"o\":".repeat(levels), "}".repeat(levels));
    // What stands before, after, and at what level of nesting.
    for (before, after, level) in [
        ("[{\"a\":", "}]", 1),
        ("[{\"a\":[null,", "]}]", 2),
        ("[{\"a\":\"text\"},{\"a\":", "}]", 1),
        ("[{\"a\":1,\"a\":", "}]", 1),
        ("[{\"a\":", ",\"a\":1}]", 1),
        ("{\"a\":", "}\n{\"a\":1}", 1),
        ("{\"status\":\"completed\",\"other\":", ",\"data\":[]}", 1),
        ("{\"status\":\"completed\",\"data\":[],\"other\":", "}", 1),
    ] {
        for nested in [&deep as &dyn Fn(usize) -> String, &objects] {
            let body = |levels| format!("{before}{}{after}", nested(levels));
            let whole = decode(body(128 - level).as_bytes());
            assert!(whole.is_ok(), "{before} {}", whole.unwrap_err());
            for levels in [129 - level, 100_000] {
                let error = decode(body(levels).as_bytes()).unwrap_err();
                assert!(error.message.contains("nested deeper than 128 levels"), "{before}: {error}");
            }
        }
    }
}

#[test]
fn notes_are_clipped_and_summed_up() {
    let long = "k".repeat(100_000);
    let inner: Vec<String> = (0..250).map(|key| format!("\"m{key}\": [1, \"x\"]")).collect();
    let members: Vec<String> = (0..40).map(|key| format!("\"{long}{key}\": {{{}}}", inner.join(","))).collect();
    let rows = decode(format!("[{{{}}}]", members.join(",")).as_bytes()).unwrap();
    let text: usize = rows.notes().iter().map(|note| note.to_string().len()).sum();
    assert!(rows.notes().len() <= 501 && text < 500_000, "{} {text}", rows.notes().len());
    assert!(rows.notes().last().unwrap().message.contains("more notes"));
}
