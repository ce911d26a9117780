//! Small bodies that ask for much: memory and time stay within bounds that follow from the body's size.

use rowhaul::rows::{DecodeOptions, Form};

use super::{decode, decode_pieces, decode_with, types};

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
    body.extend(std::iter::repeat_n(", {}", 100_000));
    body.push(']');
    let rows = decode(body.as_bytes()).unwrap();
    assert_eq!((rows.len(), rows.schema().fields().len()), (100_001, 2_000));
    let shared = rows.batches().last().unwrap();
    assert_eq!(shared.column(0).to_data().buffers()[0].as_ptr(), shared.column(1).to_data().buffers()[0].as_ptr());
}

#[test]
fn a_table_far_larger_than_its_body_is_refused_with_the_rows_before() {
    let mut body = format!("[{}", keys(9_000));
    body.extend(std::iter::repeat_n(", {}", 100_000));
    body.push(']');
    let error = decode(body.as_bytes()).unwrap_err();
    assert!(error.message.contains("columns, nested ones included: too many to hold, most are empty"), "{error}");
    assert!(error.rows.len() > 10_000);
}

/// A row with an array of an object that has so many members, so many nested in each of those, and of so many that have none.
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
        for block_bytes in [100, 3 * row.len()] {
            let options = DecodeOptions { spare_cells: 400_000, threads, block_bytes, ..any() };
            for piece in [1000, body.len()] {
                let error = decode_pieces(body.as_bytes().chunks(piece), options.clone()).unwrap_err();
                assert!(error.message.starts_with("all rows together have more than "), "{error}");
                assert!(error.message.contains(" cells in 526 columns, nested ones included"), "{error}");
                assert_eq!((error.row, error.rows.len()), (Some(4), 4));
            }
        }
    }
}

#[test]
fn what_a_row_in_a_segment_of_its_own_is_counted_by_is_what_stands_before_it_there() {
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
    let body = format!("[{}]", rows.join(","));
    let options = DecodeOptions { spare_cells: 1 << 20, ..any() };
    let error = decode_with(body.as_bytes(), options).unwrap_err();
    assert!(error.message.contains("nested ones included: too many to hold"), "{error}");
}

#[test]
fn a_batch_ends_where_objects_in_arrays_have_many_cells() {
    let body = format!("[{}]", vec![array_of_empty_objects(1, 100, 1_000); 50].join(","));
    let options = DecodeOptions { batch_cells: 1 << 20, threads: 1, ..any() };
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
    body.extend(std::iter::repeat_n(", \"a\": {}", 200_000));
    body.push_str("}]");
    assert_eq!(types(&decode(body.as_bytes()).unwrap()), ["a: Utf8"]);
}

#[test]
fn notes_are_clipped_and_summed_up() {
    let long = "k".repeat(100_000);
    let inner: Vec<String> = (0..250).map(|key| format!("\"m{key}\": [1, \"x\"]")).collect();
    let members: Vec<String> = (0..40).map(|key| format!("\"{long}{key}\": {{{}}}", inner.join(","))).collect();
    let rows = decode(format!("[{{{}}}]", members.join(",")).as_bytes()).unwrap();
    let text: usize = rows.notes().iter().map(|note| note.to_string().len()).sum();
    assert!(rows.notes().len() <= 501 && text < 500_000, "{} {text}", rows.notes().len());
    assert!(rows.notes().last().unwrap().message.contains("notes more"));
}
