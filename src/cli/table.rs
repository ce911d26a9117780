//! A table for a terminal: a few columns of a few rows, each cut to fit.

use std::fmt::Write as _;

use arrow_array::{Array, RecordBatch};
use arrow_cast::display::array_value_to_string;

use crate::rows::Rows;

/// Characters of a cell at most.
const WIDEST: usize = 28;

/// The first rows of the named columns, one line each under a head.
pub(super) fn compact(rows: &Rows, columns: &[&str], count: usize) -> String {
    let mut lines: Vec<Vec<String>> = vec![columns.iter().map(|&name| name.to_owned()).collect()];
    for batch in rows.slice(0, count).batches() {
        lines.extend((0..batch.num_rows()).map(|row| columns.iter().map(|name| cell(batch, name, row)).collect()));
    }
    let width = |at: usize| lines.iter().map(|line| line[at].chars().count()).max().unwrap_or(0);
    let widths: Vec<usize> = (0..columns.len()).map(width).collect();
    let mut text = String::new();
    for (number, line) in lines.iter().enumerate() {
        let padded: Vec<String> = line.iter().zip(&widths).map(|(cell, width)| format!("{cell:<width$}")).collect();
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
    let text: String = text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
    if text.chars().count() <= WIDEST {
        return text;
    }
    text.chars().take(WIDEST - 1).chain(['…']).collect()
}
