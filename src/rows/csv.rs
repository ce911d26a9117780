//! CSV answers as text columns: `007` stays `007`.

use std::sync::Arc;

use arrow_array::builder::StringBuilder;
use arrow_array::{ArrayRef, RecordBatch};
use arrow_schema::{DataType, Field, Schema, SchemaRef};
use csv::StringRecord;

use super::envelope::BOM;
use super::error::DecodeError;
use super::error_kind::DecodeErrorKind;
use super::limits::{MAX_ROW_BYTES, too_many_columns};
use super::options::DecodeOptions;
use super::table::{Rows, new_batch};

/// Decodes a whole CSV body with a header. Every column is text under its own name; an empty field is null.
///
/// # Errors
/// Refuses records of another length than the header, more than `max_columns` names, names that stand twice, invalid
/// UTF-8, records that are larger than any row may be, and a quote that stays open. The records before are in the
/// error.
pub fn decode_csv(bytes: &[u8], max_columns: usize) -> Result<Rows, DecodeError> {
    let mut reader = Reader::over(bytes);
    let header = reader.header(max_columns).map_err(|fault| fault.after(Rows::empty(), false))?;
    let mut records = Records::under(&header);
    match reader.read_into(&mut records) {
        Ok(()) => Ok(records.finish()),
        Err(fault) => Err(fault.after(records.finish(), true)),
    }
}

/// What stands in a body, the header first.
struct Reader<'b> {
    csv: csv::Reader<&'b [u8]>,
    /// Where the quote stands that is open at the end. What it is in goes on to the end, so it is the last.
    open_quote: Option<u64>,
    /// Bytes before the header: the byte order mark.
    skipped: u64,
}

impl<'b> Reader<'b> {
    fn over(bytes: &'b [u8]) -> Self {
        let body = bytes.strip_prefix(BOM).unwrap_or(bytes);
        Self {
            csv: csv::ReaderBuilder::new().from_reader(body),
            open_quote: open_quote(body).map(|at| at as u64),
            skipped: (bytes.len() - body.len()) as u64,
        }
    }

    fn header(&mut self, max_columns: usize) -> Result<StringRecord, Fault> {
        let header = self.csv.headers().cloned().map_err(|error| self.fault_of(&error))?;
        self.check_quotes()?;
        if header.len() > max_columns {
            let message = too_many_columns(max_columns);
            return Err(Fault { kind: DecodeErrorKind::TooManyColumns, ..self.fault_at(message, 0) });
        }
        let mut names: Vec<&str> = header.iter().collect();
        names.sort_unstable();
        if let Some(twice) = names.windows(2).find_map(|pair| (pair[0] == pair[1]).then_some(pair[0])) {
            return Err(self.fault_at(format!("the column `{twice}` appears twice in the header"), 0));
        }
        Ok(header)
    }

    fn read_into(&mut self, records: &mut Records) -> Result<(), Fault> {
        let mut record = StringRecord::new();
        loop {
            let read = self.csv.read_record(&mut record);
            self.check_quotes()?;
            if !read.map_err(|error| self.fault_of(&error))? {
                return Ok(());
            }
            if record.as_slice().len() > MAX_ROW_BYTES {
                let at = record.position().map_or(0, csv::Position::byte);
                return Err(self.fault_at(format!("a record is larger than {} MiB", MAX_ROW_BYTES >> 20), at));
            }
            records.push(&record);
        }
    }

    /// Fails where what was read last goes on to the end, for want of a quote.
    fn check_quotes(&self) -> Result<(), Fault> {
        match self.open_quote {
            Some(at) if self.csv.position().byte() > at => {
                Err(self.fault_at("a quoted field is never closed".to_owned(), at))
            }
            _ => Ok(()),
        }
    }

    fn fault_of(&self, error: &csv::Error) -> Fault {
        self.fault_at(in_words(error.kind()), error.position().map_or(0, csv::Position::byte))
    }

    /// What is wrong at a byte of what the library reads.
    fn fault_at(&self, message: String, at: u64) -> Fault {
        Fault { kind: DecodeErrorKind::Malformed, message, byte_offset: at + self.skipped }
    }
}

/// Records in batches of bounded size, as rows are.
struct Records {
    options: DecodeOptions,
    schema: SchemaRef,
    full: Vec<RecordBatch>,
    open: Vec<StringBuilder>,
    len: usize,
    bytes: usize,
}

impl Records {
    fn under(header: &StringRecord) -> Self {
        let fields: Vec<Field> = header.iter().map(|name| Field::new(name, DataType::Utf8, true)).collect();
        Self {
            options: DecodeOptions::default(),
            schema: Arc::new(Schema::new(fields)),
            full: Vec::new(),
            open: header.iter().map(|_| StringBuilder::with_capacity(0, 0)).collect(),
            len: 0,
            bytes: 0,
        }
    }

    fn push(&mut self, record: &StringRecord) {
        for (column, text) in self.open.iter_mut().zip(record.iter()) {
            column.append_option(Some(text).filter(|text| !text.is_empty()));
        }
        self.len += 1;
        self.bytes += record.as_slice().len();
        let cells = self.len.saturating_mul(self.open.len());
        if self.len >= self.options.batch_rows
            || self.bytes >= self.options.limits.batch_bytes
            || cells >= self.options.limits.batch_cells
        {
            self.close();
        }
    }

    fn close(&mut self) {
        let arrays = self.open.iter_mut().map(|column| Arc::new(column.finish()) as ArrayRef).collect();
        self.full.push(new_batch(Arc::clone(&self.schema), arrays, self.len));
        (self.len, self.bytes) = (0, 0);
    }

    fn finish(mut self) -> Rows {
        if self.len > 0 {
            self.close();
        }
        Rows::new(self.schema, self.full, Vec::new())
    }
}

/// What is wrong with a record, but for where it is.
fn in_words(error: &csv::ErrorKind) -> String {
    match error {
        csv::ErrorKind::UnequalLengths { expected_len, len, .. } => {
            format!("not CSV: a record of {len} fields under a header of {expected_len}")
        }
        csv::ErrorKind::Utf8 { err, .. } => {
            format!("not CSV: field {} of a record is not valid UTF-8", err.field() + 1)
        }
        _ => "not CSV".to_owned(),
    }
}

/// What is wrong, and where in the body.
struct Fault {
    kind: DecodeErrorKind,
    message: String,
    byte_offset: u64,
}

impl Fault {
    /// The error of a body with these rows before the fault, which is in a row or before all.
    fn after(self, rows: Rows, is_in_row: bool) -> DecodeError {
        let rows_read = rows.len() as u64;
        let row = is_in_row.then_some(rows_read);
        let Self { kind, message, byte_offset } = self;
        DecodeError { kind, message, byte_offset, row, rows_read, rows: Box::new(rows) }
    }
}

/// Where the quote that is open at the end stands. Only at the beginning of a field does a quote open one; within a
/// field it is a character like any other.
fn open_quote(bytes: &[u8]) -> Option<usize> {
    enum In {
        Beginning,
        Plain,
        Quotes(usize),
        /// After a quote in quotes: their end, or half of a quote that stands for itself.
        Closing(usize),
    }
    let mut state = In::Beginning;
    for (at, byte) in bytes.iter().enumerate() {
        state = match (state, byte) {
            (In::Quotes(open), b'"') => In::Closing(open),
            (In::Quotes(open), _) | (In::Closing(open), b'"') => In::Quotes(open),
            (In::Beginning, b'"') => In::Quotes(at),
            (_, b',' | b'\n' | b'\r') => In::Beginning,
            _ => In::Plain,
        };
    }
    match state {
        In::Quotes(open) => Some(open),
        _ => None,
    }
}
