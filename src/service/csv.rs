//! Rows as CSV by RFC 4180: a header, comma, CR LF, quotes where needed, UTF-8; nested cells as JSON text, null as
//! nothing.

use csv::{Terminator, Writer, WriterBuilder};

use super::served::Served;
use super::store::StoreError;

/// The CSV text of a job's rows, one line at a time.
pub(super) struct CsvText {
    rows: Served,
    header: Option<Vec<String>>,
}

impl CsvText {
    pub(super) fn new(rows: Served) -> Self {
        Self { header: Some(rows.columns.clone()), rows }
    }

    /// Writes the next line; false when there is no other.
    pub(super) fn write(&mut self, out: &mut Vec<u8>) -> Result<bool, StoreError> {
        let cells = match self.header.take() {
            Some(header) => header,
            None => match self.rows.next_cells()? {
                Some(cells) => cells,
                None => return Ok(false),
            },
        };
        let mut writer: Writer<&mut Vec<u8>> = WriterBuilder::new().terminator(Terminator::CRLF).from_writer(out);
        writer.write_record(cells).expect("a Vec takes every byte, and one line has no other to differ from");
        Ok(true)
    }
}
