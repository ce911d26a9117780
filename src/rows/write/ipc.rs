//! The Arrow IPC file format, also known as Feather 2, compressed with zstd.

use std::borrow::Cow;
use std::io::{self, Write};
use std::sync::Arc;

use arrow_array::{ArrayRef, RecordBatch};
use arrow_ipc::CompressionType;
use arrow_ipc::writer::{FileWriter, IpcWriteOptions};
use arrow_schema::{DataType, FieldRef, Schema};

use super::pandas::with_pandas_types;
use crate::rows::Rows;
use crate::rows::table::new_batch;

pub fn write_ipc(rows: &Rows, out: impl Write) -> io::Result<()> {
    write(rows, &with_pandas_types(rows), out, &[])
}

/// Writes rows with texts of one's own in the footer, and nothing that is for pandas.
pub(in crate::rows) fn write_ipc_with(rows: &Rows, out: impl Write, footer: &[(&str, &str)]) -> io::Result<()> {
    write(rows, rows.schema(), out, footer)
}

fn write(rows: &Rows, schema: &Schema, out: impl Write, footer: &[(&str, &str)]) -> io::Result<()> {
    let options =
        IpcWriteOptions::default().try_with_compression(Some(CompressionType::ZSTD)).map_err(io::Error::other)?;
    let mut writer = FileWriter::try_new_with_options(out, schema, options).map_err(io::Error::other)?;
    footer.iter().for_each(|(key, text)| writer.write_metadata(*key, *text));
    for batch in with_one_dictionary(rows)?.iter() {
        writer.write(batch).map_err(io::Error::other)?;
    }
    writer.finish().map_err(io::Error::other)
}

/// The batches, with one dictionary for all where a caller's schema asked for dictionaries: each batch has its own, and
/// a file has one for each column.
fn with_one_dictionary(rows: &Rows) -> io::Result<Cow<'_, [RecordBatch]>> {
    let batches = rows.batches();
    let holds_dictionary = |field: &FieldRef| {
        let flat = Schema::new(vec![Arc::clone(field)]);
        flat.flattened_fields().iter().any(|field| matches!(field.data_type(), DataType::Dictionary(..)))
    };
    let fields = rows.schema().fields();
    if batches.len() < 2 || !fields.iter().any(holds_dictionary) {
        return Ok(Cow::Borrowed(batches));
    }
    let mut columns: Vec<Vec<ArrayRef>> = batches.iter().map(|batch| batch.columns().to_vec()).collect();
    for (at, _) in fields.iter().enumerate().filter(|(_, field)| holds_dictionary(field)) {
        let whole = rows.whole_column(at).map_err(io::Error::other)?;
        let mut start = 0;
        for (columns, batch) in columns.iter_mut().zip(batches) {
            columns[at] = whole.slice(start, batch.num_rows());
            start += batch.num_rows();
        }
    }
    let batch = |(columns, batch): (_, &RecordBatch)| new_batch(Arc::clone(rows.schema()), columns, batch.num_rows());
    Ok(Cow::Owned(columns.into_iter().zip(batches).map(batch).collect()))
}
