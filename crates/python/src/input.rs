//! Columns that come from Python.

use std::sync::Arc;

use arrow_array::ArrayRef;
use arrow_array::builder::{Int64Builder, LargeBinaryBuilder};
use pyo3::exceptions::PyTypeError;
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyIterator, PyString};
use pyo3_arrow::{PyArray, PyChunkedArray};

use crate::text::Text;

/// The chunks of the column that `object` is: whatever speaks the Arrow PyCapsule interface, or an iterable of `str`, `bytes`
/// and None.
pub(crate) fn texts(name: &str, object: &Bound<'_, PyAny>) -> PyResult<Vec<ArrayRef>> {
    if let Some(chunks) = arrow(object)? {
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

/// The chunks of the column of ports that `object` is, as [`texts`]; an iterable has `int` and None.
pub(crate) fn ports(name: &str, object: &Bound<'_, PyAny>) -> PyResult<Vec<ArrayRef>> {
    if let Some(chunks) = arrow(object)? {
        return Ok(chunks);
    }
    let mut column = Int64Builder::new();
    each_item(name, object, |item| {
        column.append_option(item.extract::<Option<i64>>()?);
        Ok(())
    })?;
    Ok(vec![Arc::new(column.finish())])
}

/// The chunks of what speaks the Arrow PyCapsule interface; none where `object` does not.
fn arrow(object: &Bound<'_, PyAny>) -> PyResult<Option<Vec<ArrayRef>>> {
    let py = object.py();
    // What can be both is asked for a stream: arrays of nanoarrow that are in chunks can be nothing else.
    if object.hasattr(intern!(py, "__arrow_c_stream__"))? {
        return Ok(Some(object.extract::<PyChunkedArray>()?.into_inner().0));
    }
    if object.hasattr(intern!(py, "__arrow_c_array__"))? {
        return Ok(Some(vec![object.extract::<PyArray>()?.into_inner().0]));
    }
    Ok(None)
}

/// Hands every item of an iterable to `take`. One text is iterable, too, but no column.
fn each_item<'py>(
    name: &str,
    object: &Bound<'py, PyAny>,
    mut take: impl FnMut(&Bound<'py, PyAny>) -> PyResult<()>,
) -> PyResult<()> {
    let is_text = object.is_instance_of::<PyString>() || object.is_instance_of::<PyBytes>();
    let items = if is_text { None } else { object.try_iter().ok() };
    let items: Bound<'py, PyIterator> = items.ok_or_else(|| {
        let expected = "a column of Arrow, or an iterable";
        PyTypeError::new_err(format!("{name}: expected {expected}, found {}", type_name(object)))
    })?;
    for (row, item) in items.enumerate() {
        let item = item?;
        take(&item).map_err(|error| {
            PyTypeError::new_err(format!("{name}, row {row}: {}", error.value(item.py())))
        })?;
    }
    Ok(())
}

/// What Python calls the type of `object`.
pub(crate) fn type_name(object: &Bound<'_, PyAny>) -> String {
    object.get_type().name().map_or_else(|_| "something else".to_owned(), |name| name.to_string())
}
