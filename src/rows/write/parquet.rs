//! Parquet, with the Arrow schema kept so that readers get the same types back, pandas too.

use std::io::{self, Write};
use std::str::FromStr;

use ::parquet::arrow::ArrowWriter;
use ::parquet::basic::{Compression as Codec, ZstdLevel};
use ::parquet::file::properties::WriterProperties;

use super::pandas::with_pandas_types;
use crate::rows::Rows;

/// How pages are compressed. Default: zstd, the smallest at nearly the speed of snappy.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Compression {
    #[default]
    Zstd,
    Snappy,
    None,
}

impl FromStr for Compression {
    type Err = String;

    fn from_str(name: &str) -> Result<Self, String> {
        match name {
            "zstd" => Ok(Self::Zstd),
            "snappy" => Ok(Self::Snappy),
            "none" | "uncompressed" => Ok(Self::None),
            other => Err(format!("compression must be one of zstd, snappy, none, not `{other}`")),
        }
    }
}

pub fn write_parquet(rows: &Rows, out: impl Write + Send, compression: Compression) -> io::Result<()> {
    let codec = match compression {
        Compression::Zstd => Codec::ZSTD(ZstdLevel::default()),
        Compression::Snappy => Codec::SNAPPY,
        Compression::None => Codec::UNCOMPRESSED,
    };
    let properties = WriterProperties::builder().set_compression(codec).build();
    let mut writer = ArrowWriter::try_new(out, with_pandas_types(rows), Some(properties)).map_err(io::Error::other)?;
    for batch in rows.batches() {
        writer.write(batch).map_err(io::Error::other)?;
    }
    writer.close().map(drop).map_err(io::Error::other)
}
