//! CSV by RFC 4180: a header, CRLF, quotes where needed. Null is an empty field, nested values are JSON text.

use std::io::{self, Write};

use ::csv::{ErrorKind, Terminator, WriterBuilder};

use super::cells::Cells;
use crate::rows::Rows;

#[derive(Debug, Clone, Copy, Default)]
pub struct CsvOptions {
    /// Puts `'` before text that a spreadsheet would run as a formula (it starts with `=`, `+`, `-`, `@`, tab or CR).
    pub escape_formulas: bool,
}

pub fn write_csv(rows: &Rows, out: impl Write, options: CsvOptions) -> io::Result<()> {
    write(rows, out, options).map_err(|error| match error.into_kind() {
        // As it was: wrapped, the system's number for it could not be told.
        ErrorKind::Io(error) => error,
        other => io::Error::other(format!("{other:?}")),
    })
}

fn write(rows: &Rows, out: impl Write, options: CsvOptions) -> ::csv::Result<()> {
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
            .map(|(array, field)| (Cells::nesting_json_text(array, field), array.data_type().is_numeric()))
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

fn push_escaped(text: &[u8], options: CsvOptions, out: &mut Vec<u8>) {
    if options.escape_formulas && matches!(text.first(), Some(b'=' | b'+' | b'-' | b'@' | b'\t' | b'\r')) {
        out.push(b'\'');
    }
    out.extend_from_slice(text);
}
