//! A table for a terminal: a few columns of a few rows, each cut to fit.

use std::fmt::Write as _;

use arrow_schema::DataType;

use crate::ledger::{Entry, moment};
use crate::rows::{Rows, breaks_lines};

/// Characters of a cell at most.
const WIDEST: usize = 28;

/// Columns beyond this many are not even measured.
const MOST_COLUMNS: usize = 40;

/// The first `count` rows, one line each under a head, of as many columns as fit into `width` characters; then what
/// there is besides.
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
    if rows.len() > count {
        let _ = write!(text, "{count} of ");
    }
    text += &counted(rows.len(), "row");
    if names.len() > columns {
        let _ = write!(text, ", {}", counted(names.len() - columns, "more column"));
    }
    if !rows.notes().is_empty() {
        let _ = write!(text, ", {}", counted(rows.notes().len(), "note"));
    }
    text
}

/// So many things of a kind: `1 row`, `2 rows`.
pub(super) fn counted(count: usize, what: &str) -> String {
    format!("{count} {what}{}", if count == 1 { "" } else { "s" })
}

/// When a start was written down, to the second.
pub(super) fn started_at(entry: &Entry) -> String {
    let mut at = moment(entry.written_at);
    at.truncate("2026-01-01T00:00:00".len());
    at.replace('T', " ")
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
    let head = columns.iter().map(|&name| shortened(name)).collect();
    let fields = columns.iter().map(|name| rows.schema().field_with_name(name));
    let types: Vec<DataType> = fields.map(|field| field.map_or(DataType::Null, |f| f.data_type().clone())).collect();
    let rows = rows.slice(0, count).texts(columns);
    let lines = rows.into_iter().map(|row| row.into_iter().zip(&types).map(|(text, kind)| cell(text, kind)).collect());
    std::iter::once(head).chain(lines).collect()
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

fn cell(text: Option<String>, kind: &DataType) -> String {
    match text {
        None => "–".to_owned(),
        // A column of numbers may hold fractions elsewhere; a whole number in it is shown as one.
        Some(text) if kind.is_floating() => shortened(text.strip_suffix(".0").unwrap_or(&text)),
        // A time with nanoseconds and a zone is longer than a cell, and what is finest stands last.
        Some(text) if kind.is_temporal() => text,
        Some(text) => shortened(&text),
    }
}

/// A text on one line and no wider than a cell.
fn shortened(text: &str) -> String {
    shortened_to(text, WIDEST)
}

/// A text in one line, of so many characters at most.
pub(super) fn shortened_to(text: &str, most: usize) -> String {
    let visible = text.chars().map(|c| if breaks_lines(c) { ' ' } else { c });
    if text.chars().count() <= most { visible.collect() } else { visible.take(most - 1).chain(['…']).collect() }
}
