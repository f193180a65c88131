//! Columns that are passed from Python.

use std::cell::Cell;
use std::panic::{self, AssertUnwindSafe};
use std::sync::{Arc, Once};
use std::thread;

use arrow_array::builder::{Int64Builder, LargeBinaryBuilder};
use arrow_array::{Array, ArrayRef, new_empty_array};
use arrow_schema::DataType;
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyFloat, PyIterator, PyString};
use pyo3_arrow::{PyArray, PyChunkedArray};

use crate::text::Text;

/// Returns the chunks of a column of text: an object with the Arrow PyCapsule interface, or an iterable of `str`,
/// `bytes` and missing values.
pub(crate) fn texts(name: &str, object: &Bound<'_, PyAny>) -> PyResult<Vec<ArrayRef>> {
    if let Some(chunks) = arrow(name, object)? {
        return Ok(chunks);
    }
    let mut column = LargeBinaryBuilder::new();
    each_item(name, object, |item| {
        let text: Option<Text<'_>> = item.extract()?;
        column.append_option(text.as_ref().map(Text::bytes).transpose()?);
        Ok(())
    })?;
    Ok(vec![Arc::new(column.finish())])
}

/// Returns the chunks of a column of ports: an object with the Arrow PyCapsule interface, or an iterable of `int` and
/// missing values.
pub(crate) fn ports(name: &str, object: &Bound<'_, PyAny>) -> PyResult<Vec<ArrayRef>> {
    if let Some(chunks) = arrow(name, object)? {
        return Ok(chunks);
    }
    let mut column = Int64Builder::new();
    each_item(name, object, |item| {
        column.append_option(item.extract::<Option<i64>>()?);
        Ok(())
    })?;
    Ok(vec![Arc::new(column.finish())])
}

/// Returns the chunks of an object with the Arrow PyCapsule interface, at least one; none if `object` does not have it.
fn arrow(name: &str, object: &Bound<'_, PyAny>) -> PyResult<Option<Vec<ArrayRef>>> {
    let py = object.py();
    // Polars exports a column of nulls in another layout than Arrow's.
    if object.getattr(intern!(py, "dtype")).is_ok_and(|dtype| dtype.str().is_ok_and(|text| text == "Null")) {
        return Ok(None);
    }
    // The stream comes first: chunked arrays of nanoarrow support only streams.
    if object.hasattr(intern!(py, "__arrow_c_stream__"))? {
        let (mut chunks, field) = imported(name, || object.extract::<PyChunkedArray>())?.into_inner();
        if chunks.is_empty() {
            // Only an array has a type that is validated.
            chunks.push(new_empty_array(field.data_type()));
        }
        return column(name, object, chunks).map(Some);
    }
    if object.hasattr(intern!(py, "__arrow_c_array__"))? {
        let array = imported(name, || object.extract::<PyArray>())?.into_inner().0;
        return column(name, object, vec![array]).map(Some);
    }
    Ok(None)
}

/// Refuses a table, which is a column of structs in the interface.
fn column(name: &str, object: &Bound<'_, PyAny>, chunks: Vec<ArrayRef>) -> PyResult<Vec<ArrayRef>> {
    if matches!(chunks[0].data_type(), DataType::Struct(_)) {
        let found = type_name(object);
        let message = format!("{name}: expected a column, found {found} (select one of its columns)");
        return Err(PyTypeError::new_err(message));
    }
    Ok(chunks)
}

/// Imports a column. The import panics if the column was already consumed, for example a capsule that is used twice.
fn imported<T>(name: &str, import: impl FnOnce() -> PyResult<T>) -> PyResult<T> {
    caught(import).unwrap_or_else(|_| {
        let message = "expected an Arrow column that can be imported, found none (was a capsule used twice?)";
        Err(PyValueError::new_err(format!("{name}: {message}")))
    })
}

thread_local! {
    /// Whether a panic of this thread becomes an exception, so that its message would be a second report.
    static IS_CAUGHT: Cell<bool> = const { Cell::new(false) };
}

/// Catches a panic of `run`, without its message on standard error.
fn caught<T>(run: impl FnOnce() -> T) -> thread::Result<T> {
    static HOOK: Once = Once::new();
    HOOK.call_once(|| {
        let report = panic::take_hook();
        panic::set_hook(Box::new(move |panic| {
            if !IS_CAUGHT.get() {
                report(panic);
            }
        }));
    });
    IS_CAUGHT.set(true);
    let result = panic::catch_unwind(AssertUnwindSafe(run));
    IS_CAUGHT.set(false);
    result
}

/// Passes every item of an iterable to `take`; a missing value as None. Refuses a single text: it is iterable, too, but not a column.
fn each_item<'py>(
    name: &str,
    object: &Bound<'py, PyAny>,
    mut take: impl FnMut(&Bound<'py, PyAny>) -> PyResult<()>,
) -> PyResult<()> {
    let is_text = object.is_instance_of::<PyString>() || object.is_instance_of::<PyBytes>();
    let items = if is_text { None } else { object.try_iter().ok() };
    let items: Bound<'py, PyIterator> = items.ok_or_else(|| {
        let expected = "an Arrow column or an iterable";
        PyTypeError::new_err(format!("{name}: expected {expected}, found {}", type_name(object)))
    })?;
    for (row, item) in items.enumerate() {
        let item = item?;
        take(&item)
            .or_else(|error| {
                if is_missing(&item) { take(&item.py().None().into_bound(item.py())) } else { Err(error) }
            })
            .map_err(|error| {
                PyTypeError::new_err(format!("{name}, row {row}: {}", error.value(item.py())))
            })?;
    }
    Ok(())
}

/// Whether an item is a missing value of pandas: `NA` or NaN.
fn is_missing(item: &Bound<'_, PyAny>) -> bool {
    item.cast::<PyFloat>().is_ok_and(|number| number.value().is_nan()) || type_name(item) == "NAType"
}

/// Returns the name of the type of `object` in Python.
pub(crate) fn type_name(object: &Bound<'_, PyAny>) -> String {
    object.get_type().name().map_or_else(|_| "something else".to_owned(), |name| name.to_string())
}
