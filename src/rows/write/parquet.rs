//! Parquet, with the Arrow schema kept so that readers get the same types back, pandas too.

use std::io::{self, Write};
use std::str::FromStr;
use std::sync::Arc;

use ::parquet::arrow::ArrowWriter;
use ::parquet::basic::{Compression as Codec, ZstdLevel};
use ::parquet::file::properties::WriterProperties;
use arrow_array::RecordBatch;
use arrow_cast::{CastOptions, cast_with_options};
use arrow_schema::{DataType, FieldRef, Schema, SchemaRef, TimeUnit};

use super::need_columns::need_columns;
use super::pandas::with_pandas_types;
use crate::rows::Rows;
use crate::rows::table::new_batch;

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
    need_columns(rows, "Parquet")?;
    let codec = match compression {
        Compression::Zstd => Codec::ZSTD(ZstdLevel::default()),
        Compression::Snappy => Codec::SNAPPY,
        Compression::None => Codec::UNCOMPRESSED,
    };
    let properties = WriterProperties::builder().set_compression(codec).build();
    let schema = storable_schema(&with_pandas_types(rows));
    let mut writer = ArrowWriter::try_new(out, Arc::clone(&schema), Some(properties)).map_err(io::Error::other)?;
    for batch in rows.batches() {
        writer.write(&storable(batch, &schema)?).map_err(io::Error::other)?;
    }
    writer.close().map(drop).map_err(io::Error::other)
}

/// The schema with types that Parquet has: it counts no seconds, and no milliseconds to a day, and readers would get
/// plain integers.
fn storable_schema(schema: &Schema) -> SchemaRef {
    let fields = schema.fields().iter().map(storable_field);
    Arc::new(Schema::new_with_metadata(fields.collect::<Vec<_>>(), schema.metadata().clone()))
}

fn storable_field(field: &FieldRef) -> FieldRef {
    stored(field).unwrap_or_else(|| Arc::clone(field))
}

/// The field of what a type is stored as; `None` where that is itself.
fn stored(field: &FieldRef) -> Option<FieldRef> {
    let data_type = storable_type(field.data_type())?;
    Some(Arc::new(field.as_ref().clone().with_data_type(data_type)))
}

/// What a type is stored as; `None` where that is itself.
fn storable_type(data_type: &DataType) -> Option<DataType> {
    let stored = match data_type {
        DataType::Timestamp(TimeUnit::Second, zone) => DataType::Timestamp(TimeUnit::Millisecond, zone.clone()),
        DataType::Time32(TimeUnit::Second) => DataType::Time32(TimeUnit::Millisecond),
        DataType::Date64 => DataType::Date32,
        DataType::List(item) => DataType::List(storable_field(item)),
        DataType::LargeList(item) => DataType::LargeList(storable_field(item)),
        DataType::FixedSizeList(item, size) => DataType::FixedSizeList(storable_field(item), *size),
        DataType::Struct(members) => DataType::Struct(members.iter().map(storable_field).collect()),
        // The writer takes no dictionary of views.
        DataType::Dictionary(keys, values) if **values == DataType::Utf8View => {
            DataType::Dictionary(keys.clone(), Box::new(DataType::Utf8))
        }
        DataType::Dictionary(keys, values) if **values == DataType::BinaryView => {
            DataType::Dictionary(keys.clone(), Box::new(DataType::Binary))
        }
        DataType::Dictionary(keys, values) => DataType::Dictionary(keys.clone(), Box::new(storable_type(values)?)),
        // Arrow does not cast what is in these to what is in others of them.
        DataType::ListView(item) => DataType::List(stored(item)?),
        DataType::LargeListView(item) => DataType::LargeList(stored(item)?),
        DataType::RunEndEncoded(_, values) => storable_type(values.data_type())?,
        _ => return None,
    };
    (stored != *data_type).then_some(stored)
}

/// A batch of such a schema.
fn storable(batch: &RecordBatch, schema: &SchemaRef) -> io::Result<RecordBatch> {
    let exactly = CastOptions { safe: false, ..CastOptions::default() };
    let columns = batch.columns().iter().zip(schema.fields());
    let columns = columns.map(|(array, field)| cast_with_options(array, field.data_type(), &exactly));
    let columns = columns.collect::<Result<_, _>>().map_err(io::Error::other)?;
    Ok(new_batch(Arc::clone(schema), columns, batch.num_rows()))
}
