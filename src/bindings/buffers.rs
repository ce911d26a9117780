//! Rows as bytes and buffers: for pickling, for numpy, and for slices with a step.

use arrow_array::cast::AsArray;
use arrow_array::{Array, ArrayRef, RecordBatch, RecordBatchOptions, UInt64Array};
use arrow_ipc::reader::StreamReader;
use arrow_ipc::writer::StreamWriter;
use arrow_schema::{ArrowError, DataType};
use arrow_select::take::take_arrays;

use crate::rows::Rows;

/// The rows as a stream of Arrow IPC.
pub(super) fn to_ipc(rows: &Rows) -> Result<Vec<u8>, ArrowError> {
    let mut writer = StreamWriter::try_new(Vec::new(), rows.schema())?;
    for batch in rows.batches() {
        writer.write(batch)?;
    }
    writer.into_inner()
}

/// The rows of such a stream, without notes.
pub(super) fn from_ipc(bytes: &[u8]) -> Result<Rows, ArrowError> {
    let reader = StreamReader::try_new(bytes, None)?;
    let schema = reader.schema();
    Ok(Rows::new(schema, reader.collect::<Result<_, _>>()?, Vec::new()))
}

/// Every `step`-th row, `length` of them, from `start` on; backwards where the step is negative.
pub(super) fn take(rows: &Rows, start: usize, length: usize, step: isize) -> Result<Rows, ArrowError> {
    let mut places = (0..length as isize).map(|at| (start as isize + at * step) as usize).peekable();
    // Batch by batch: nested text of all of them may not fit into one.
    let mut batches = Vec::new();
    let mut end = 0;
    for batch in rows.batches() {
        batches.push((end, batch));
        end += batch.num_rows();
    }
    if step < 0 {
        batches.reverse();
    }
    let mut taken = Vec::new();
    for (first, batch) in batches {
        let is_inside = |place: &usize| (first..first + batch.num_rows()).contains(place);
        let inside = std::iter::from_fn(|| places.next_if(is_inside)).map(|place| (place - first) as u64);
        let inside = UInt64Array::from_iter_values(inside);
        if !inside.is_empty() {
            let columns = take_arrays(batch.columns(), &inside, None)?;
            let count = RecordBatchOptions::new().with_row_count(Some(inside.len()));
            taken.push(RecordBatch::try_new_with_options(batch.schema(), columns, &count)?);
        }
    }
    Ok(Rows::new(rows.schema().clone(), taken, rows.notes().to_vec()))
}

/// Numbers as they lie in memory, booleans as one byte each; and one byte for each value that says whether it is
/// missing. `None` for other types.
pub(super) fn plain(array: &ArrayRef) -> Option<(Vec<u8>, Option<Vec<u8>>)> {
    let values = match array.data_type() {
        DataType::Boolean => array.as_boolean().values().iter().map(u8::from).collect(),
        kind if kind.is_integer() || matches!(kind, DataType::Float32 | DataType::Float64) => {
            let data = array.to_data();
            let width = kind.primitive_width()?;
            let start = data.offset() * width;
            data.buffers().first()?.as_slice().get(start..start + array.len() * width)?.to_vec()
        }
        _ => return None,
    };
    let nulls = array.nulls().filter(|nulls| nulls.null_count() > 0);
    Some((values, nulls.map(|nulls| nulls.iter().map(|is_there| u8::from(!is_there)).collect())))
}
