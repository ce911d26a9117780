//! The Arrow IPC file format, also known as Feather 2, compressed with zstd.

use std::borrow::Cow;
use std::io::{self, Write};

use arrow_array::RecordBatch;
use arrow_ipc::CompressionType;
use arrow_ipc::writer::{FileWriter, IpcWriteOptions};
use arrow_schema::DataType;
use arrow_select::concat::concat_batches;

use crate::rows::Rows;

pub fn write_ipc(rows: &Rows, out: impl Write) -> io::Result<()> {
    write_ipc_with(rows, out, &[])
}

/// The same with texts of one's own in the footer.
pub(in crate::rows) fn write_ipc_with(rows: &Rows, out: impl Write, footer: &[(&str, &str)]) -> io::Result<()> {
    let options =
        IpcWriteOptions::default().try_with_compression(Some(CompressionType::ZSTD)).map_err(io::Error::other)?;
    let mut writer = FileWriter::try_new_with_options(out, rows.schema(), options).map_err(io::Error::other)?;
    footer.iter().for_each(|(key, text)| writer.write_metadata(*key, *text));
    for batch in in_one_dictionary(rows)?.iter() {
        writer.write(batch).map_err(io::Error::other)?;
    }
    writer.finish().map_err(io::Error::other)
}

/// The batches, as one where a caller's schema asked for dictionaries: each batch has its own, and a file has one for each column.
fn in_one_dictionary(rows: &Rows) -> io::Result<Cow<'_, [RecordBatch]>> {
    let fields = rows.schema().flattened_fields();
    if !fields.iter().any(|field| matches!(field.data_type(), DataType::Dictionary(..))) {
        return Ok(Cow::Borrowed(rows.batches()));
    }
    let whole = concat_batches(rows.schema(), rows.batches()).map_err(io::Error::other)?;
    Ok(Cow::Owned(vec![whole]))
}
