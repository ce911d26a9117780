//! A table for a terminal: a few columns of a few rows, each cut to fit.

use std::fmt::Write as _;

use arrow_array::{Array, RecordBatch};
use arrow_cast::display::array_value_to_string;

use crate::rows::Rows;

/// Characters of a cell at most.
const WIDEST: usize = 28;

/// Columns beyond this many are not even measured.
const MOST_COLUMNS: usize = 40;

/// The first `count` rows, one line each under a head, of as many columns as fit into `width` characters; then what there is
/// besides.
pub(crate) fn fitting(rows: &Rows, count: usize, width: usize) -> String {
    let names: Vec<&str> = rows.schema().fields().iter().map(|field| field.name().as_str()).collect();
    let lines = cells(rows, &names[..names.len().min(MOST_COLUMNS)], count);
    let widths = widths(&lines);
    let ends = widths.iter().scan(0, |end, column| {
        *end += column + 2;
        Some(*end)
    });
    let columns = ends.take_while(|end| *end <= width + 2).count().max(usize::from(!names.is_empty()));
    let mut text = if names.is_empty() { String::new() } else { drawn(&lines, &widths[..columns]) };
    text += &counted(rows.len(), "row");
    if names.len() > columns {
        let _ = write!(text, ", {}", counted(names.len() - columns, "more column"));
    }
    text
}

/// So many things of a kind: `1 row`, `2 rows`.
pub(super) fn counted(count: usize, what: &str) -> String {
    format!("{count} {what}{}", if count == 1 { "" } else { "s" })
}

/// The first rows of the named columns, one line each under a head.
pub(super) fn compact(rows: &Rows, columns: &[&str], count: usize) -> String {
    let lines = cells(rows, columns, count);
    drawn(&lines, &widths(&lines))
}

/// Lines of cells, the first of them the head.
pub(super) fn lines(cells: &[Vec<String>]) -> String {
    drawn(cells, &widths(cells))
}

/// The head and the first rows, cell by cell.
fn cells(rows: &Rows, columns: &[&str], count: usize) -> Vec<Vec<String>> {
    let mut lines: Vec<Vec<String>> = vec![columns.iter().map(|&name| shortened(name)).collect()];
    for batch in rows.slice(0, count).batches() {
        lines.extend((0..batch.num_rows()).map(|row| columns.iter().map(|name| cell(batch, name, row)).collect()));
    }
    lines
}

fn widths(lines: &[Vec<String>]) -> Vec<usize> {
    let columns = lines.first().map_or(0, Vec::len);
    (0..columns).map(|at| lines.iter().map(|line| line[at].chars().count()).max().unwrap_or(0)).collect()
}

/// As many columns as there are widths.
fn drawn(lines: &[Vec<String>], widths: &[usize]) -> String {
    let mut text = String::new();
    for (number, line) in lines.iter().enumerate() {
        let padded: Vec<String> = line.iter().zip(widths).map(|(cell, width)| format!("{cell:<width$}")).collect();
        let _ = writeln!(text, "{}", padded.join("  ").trim_end());
        if number == 0 {
            let rule: Vec<String> = widths.iter().map(|width| "─".repeat(*width)).collect();
            let _ = writeln!(text, "{}", rule.join("  "));
        }
    }
    text
}

fn cell(batch: &RecordBatch, name: &str, row: usize) -> String {
    let Some(column) = batch.column_by_name(name).filter(|column| !column.is_null(row)) else {
        return "–".to_owned();
    };
    let mut text = array_value_to_string(column, row).unwrap_or_default();
    // A column of numbers may hold fractions elsewhere; a whole number in it is shown as one.
    if column.data_type().is_floating() && text.ends_with(".0") {
        text.truncate(text.len() - 2);
    }
    shortened(&text)
}

/// A text on one line and no wider than a cell.
fn shortened(text: &str) -> String {
    let visible = text.chars().map(|c| if c.is_control() { ' ' } else { c });
    if text.chars().count() <= WIDEST { visible.collect() } else { visible.take(WIDEST - 1).chain(['…']).collect() }
}
