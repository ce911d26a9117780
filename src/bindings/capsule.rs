//! Arrow's `PyCapsule` protocol: how tables and schemas cross to other libraries, and schemas back.
//!
//! The only file of the bindings with unsafe code.

use std::ffi::CStr;

use arrow_array::ffi::to_ffi;
use arrow_array::ffi_stream::FFI_ArrowArrayStream;
use arrow_array::{ArrayRef, RecordBatchIterator, RecordBatchReader};
use arrow_cast::{CastOptions, cast_with_options};
use arrow_schema::ffi::FFI_ArrowSchema;
use arrow_schema::{ArrowError, DataType, Schema};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyCapsule;

use crate::rows::{Rows, TextConverter, TextLayout};

const STREAM: &CStr = c"arrow_array_stream";
const SCHEMA: &CStr = c"arrow_schema";
const ARRAY: &CStr = c"arrow_array";

/// The format of a struct, which a schema is.
const STRUCT: &str = "+s";

/// The rows as a stream of struct arrays. Text is laid out a batch at a time, so that a receiver which looks at each
/// and lets go of it never has all of it twice.
pub(super) fn stream<'py>(py: Python<'py>, rows: &Rows, layout: TextLayout) -> PyResult<Bound<'py, PyCapsule>> {
    let schema = layout.of_schema(rows.schema());
    let mut converter = TextConverter::new(schema.clone());
    let batches = rows.batches().to_vec().into_iter().map(move |batch| Ok(converter.convert(&batch)));
    reader(py, Box::new(RecordBatchIterator::new(batches, schema)))
}

/// Batches as they come, as a stream of struct arrays.
pub(super) fn reader(py: Python<'_>, batches: Box<dyn RecordBatchReader + Send>) -> PyResult<Bound<'_, PyCapsule>> {
    PyCapsule::new_with_value(py, FFI_ArrowArrayStream::new(batches), STREAM)
}

pub(super) fn schema<'py>(py: Python<'py>, schema: &Schema) -> PyResult<Bound<'py, PyCapsule>> {
    PyCapsule::new_with_value(py, FFI_ArrowSchema::try_from(schema).map_err(broken)?, SCHEMA)
}

/// An array with its type.
pub(super) fn array<'py>(
    py: Python<'py>,
    array: &ArrayRef,
) -> PyResult<(Bound<'py, PyCapsule>, Bound<'py, PyCapsule>)> {
    let (data, kind) = to_ffi(&array.to_data()).map_err(broken)?;
    Ok((PyCapsule::new_with_value(py, kind, SCHEMA)?, PyCapsule::new_with_value(py, data, ARRAY)?))
}

/// The schema of anything that speaks the protocol, or of a schema capsule itself.
pub(super) fn import_schema(given: &Bound<'_, PyAny>) -> PyResult<Schema> {
    let made;
    let capsule = if let Ok(capsule) = given.cast::<PyCapsule>() {
        capsule
    } else {
        let Some(export) = given.getattr_opt("__arrow_c_schema__")? else { return Err(no_schema(given)?) };
        made = export.call0()?;
        made.cast::<PyCapsule>()?
    };
    let held = held(capsule)?;
    // Types and fields speak the protocol, too.
    if held.format() != STRUCT {
        return Err(no_schema(given)?);
    }
    Schema::try_from(held).map_err(broken)
}

fn no_schema(given: &Bound<'_, PyAny>) -> PyResult<PyErr> {
    let kind = given.get_type().name()?;
    Ok(PyTypeError::new_err(format!(
        "an Arrow schema is wanted (anything with `__arrow_c_schema__`, such as `pyarrow.schema({{...}})`), not {kind}"
    )))
}

/// How text is to be handed to a receiver that would like a type: as a view if it asks for one anywhere in it, else as
/// usual. By the protocol such a request need not be met; one that is not understood is none.
pub(super) fn layout_for(requested: Option<&Bound<'_, PyAny>>, usual: TextLayout) -> TextLayout {
    if requested_type(requested).is_some_and(|kind| holds_views(&kind)) { TextLayout::View } else { usual }
}

/// A column in the type that a receiver would like, where every value survives that; else as it is.
pub(super) fn as_requested(array: ArrayRef, requested: Option<&Bound<'_, PyAny>>) -> ArrayRef {
    let Some(kind) = requested_type(requested).filter(|kind| kind != array.data_type()) else { return array };
    let options = CastOptions { safe: false, ..CastOptions::default() };
    let into = |array: &ArrayRef, kind: &DataType| cast_with_options(array, kind, &options).ok();
    let made = into(&array, &kind).filter(|made| into(made, array.data_type()).as_ref() == Some(&array));
    made.unwrap_or(array)
}

fn requested_type(requested: Option<&Bound<'_, PyAny>>) -> Option<DataType> {
    DataType::try_from(held(requested?.cast::<PyCapsule>().ok()?).ok()?).ok()
}

/// What a schema capsule holds. A table's schema is that of a struct; a column's is any type.
fn held<'a>(capsule: &'a Bound<'_, PyCapsule>) -> PyResult<&'a FFI_ArrowSchema> {
    let pointer = capsule.pointer_checked(Some(SCHEMA))?.cast::<FFI_ArrowSchema>();
    // SAFETY: the name of the capsule was checked, and by the protocol it then holds an `ArrowSchema`, which lives as
    // long as the capsule does; it is only read here.
    let schema = unsafe { pointer.as_ref() };
    if schema.release.is_none() {
        // Whoever took it has freed what it points to.
        return Err(PyValueError::new_err(
            "the Arrow schema was released: its capsule has been taken by someone before",
        ));
    }
    Ok(schema)
}

fn holds_views(kind: &DataType) -> bool {
    match kind {
        DataType::Utf8View => true,
        DataType::List(item) | DataType::LargeList(item) => holds_views(item.data_type()),
        DataType::Struct(fields) => fields.iter().any(|field| holds_views(field.data_type())),
        _ => false,
    }
}

fn broken(error: ArrowError) -> PyErr {
    PyValueError::new_err(error.to_string())
}
