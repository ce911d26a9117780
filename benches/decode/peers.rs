//! Body → table, or at least → values, in the ways that Rust offers.

use std::sync::Arc;

use arrow_array::RecordBatch;
use arrow_schema::{Schema, SchemaRef};
use arrow_select::concat::concat_batches;
use bytes::Bytes;
use rowhaul::rows::{DecodeOptions, Rows, decode};

use crate::bodies::Body;

/// The decoder of this crate, over a body that lies in memory: nothing is known of it before.
pub(crate) fn rowhaul(body: &Bytes, threads: usize) -> Rows {
    decode(body.clone(), DecodeOptions { threads, ..DecodeOptions::default() }).unwrap().rows
}

/// A tree of values and no table.
pub(crate) fn serde_json(body: &[u8]) -> serde_json::Value {
    serde_json::from_slice(body).unwrap()
}

/// Rows on lines, with the final schema given.
pub(crate) fn arrow_json(lines: &[u8], schema: &SchemaRef) -> Result<Vec<RecordBatch>, String> {
    let builder =
        arrow_json::ReaderBuilder::new(Arc::clone(schema)).with_batch_size(DecodeOptions::default().batch_rows);
    let reader = builder.build(lines).map_err(|error| error.to_string())?;
    reader.collect::<Result<_, _>>().map_err(|error| error.to_string())
}

/// The schema that rows turned out to have, without the notes in it.
pub(crate) fn schema(rows: &Rows) -> SchemaRef {
    let plain = rows.schema().fields().iter().map(|field| field.as_ref().clone().with_metadata([].into()));
    Arc::new(Schema::new(plain.collect::<Vec<_>>()))
}

/// Whether arrow-json's table is this crate's; in words, where it is not.
pub(crate) fn verdict(body: &Body) -> String {
    let rows = rowhaul(&body.envelope, 1);
    assert_eq!(rows.len(), body.rows, "{}", body.name);
    match arrow_json(&body.lines, &schema(&rows)) {
        Err(error) => format!("fails: {}", error.lines().next().unwrap_or_default()),
        Ok(batches) => {
            let whole = |batches: &[RecordBatch]| concat_batches(&batches[0].schema(), batches).unwrap();
            let is_same = whole(&batches).columns() == whole(rows.batches()).columns();
            if is_same { "the same table".to_owned() } else { "another table".to_owned() }
        }
    }
}
