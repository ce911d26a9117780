//! The Arrow IPC file format, also known as Feather 2, compressed with zstd.

use std::io::{self, Write};

use arrow_ipc::CompressionType;
use arrow_ipc::writer::{FileWriter, IpcWriteOptions};

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
    for batch in rows.batches() {
        writer.write(batch).map_err(io::Error::other)?;
    }
    writer.finish().map_err(io::Error::other)
}
