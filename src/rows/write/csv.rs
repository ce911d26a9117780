//! CSV by RFC 4180: a header, CRLF, quotes where needed. Null is an empty field, nested values are JSON text.

use std::io::{self, Write};

use ::csv::{ErrorKind, Terminator, WriterBuilder};
use arrow_schema::DataType;

use super::cells::Cells;
use super::need_columns::need_columns;
use crate::rows::Rows;

#[derive(Debug, Clone, Copy, Default)]
pub struct CsvOptions {
    /// Puts `'` before text that a spreadsheet would run as a formula: with `=`, `+`, `-` or `@` in front, in full
    /// width too, or with a tab or a line break.
    pub escape_formulas: bool,
}

/// What begins a formula, in full width too, or makes the text after it begin a cell.
const FORMULAS: [&str; 11] = ["=", "+", "-", "@", "\t", "\r", "\n", "＝", "＋", "－", "＠"];

pub fn write_csv(rows: &Rows, out: impl Write, options: CsvOptions) -> io::Result<()> {
    write(rows, out, options).map_err(|error| match error.into_kind() {
        // As it was: wrapped, the system's number for it could not be told.
        ErrorKind::Io(error) => error,
        other => io::Error::other(format!("{other:?}")),
    })
}

fn write(rows: &Rows, out: impl Write, options: CsvOptions) -> ::csv::Result<()> {
    need_columns(rows, "CSV")?;
    let mut writer = WriterBuilder::new().terminator(Terminator::CRLF).from_writer(out);
    if !rows.schema().fields().is_empty() {
        let mut header = Vec::new();
        for field in rows.schema().fields() {
            header.clear();
            push_escaped(field.name().as_bytes(), options, &mut header);
            writer.write_field(&header)?;
        }
        writer.write_record(None::<&[u8]>)?;
    }
    let mut cell = Vec::new();
    let mut escaped = Vec::new();
    for batch in rows.batches() {
        let columns = batch.columns().iter().zip(rows.schema().fields());
        let columns: Vec<(Cells, bool)> = columns
            .map(|(array, field)| (Cells::nesting_json_text(array, field), is_of_numbers(array.data_type())))
            .collect();
        for row in 0..batch.num_rows() {
            for (column, is_number) in &columns {
                cell.clear();
                column.write(row, &mut cell);
                if *is_number {
                    writer.write_field(&cell)?;
                } else {
                    escaped.clear();
                    push_escaped(&cell, options, &mut escaped);
                    writer.write_field(&escaped)?;
                }
            }
            writer.write_record(None::<&[u8]>)?;
        }
    }
    Ok(writer.flush()?)
}

/// Whether a column holds numbers, which a spreadsheet takes as such.
fn is_of_numbers(data_type: &DataType) -> bool {
    match data_type {
        DataType::Dictionary(_, values) => is_of_numbers(values),
        DataType::RunEndEncoded(_, values) => is_of_numbers(values.data_type()),
        other => other.is_numeric(),
    }
}

fn push_escaped(text: &[u8], options: CsvOptions, out: &mut Vec<u8>) {
    if options.escape_formulas && FORMULAS.iter().any(|begin| text.starts_with(begin.as_bytes())) {
        out.push(b'\'');
    }
    out.extend_from_slice(text);
}
