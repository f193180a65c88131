//! Columns that come from Python.

use std::sync::Arc;

use arrow_array::builder::{BinaryBuilder, Int64Builder};
use arrow_array::cast::AsArray;
use arrow_array::{Array, ArrayRef};
use arrow_schema::DataType;
use pyo3::exceptions::PyTypeError;
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyString};
use pyo3_arrow::{PyArray, PyChunkedArray};

use crate::column::whole;
use crate::text::{Text, value_error};

/// A column as it came: in one piece, or in chunks.
pub(crate) struct Input {
    pub(crate) chunks: Vec<ArrayRef>,
    /// Did it come in chunks, so that the answer goes back in chunks?
    pub(crate) is_chunked: bool,
}

impl Input {
    /// The column that `object` is: whatever speaks the Arrow PyCapsule interface, or an iterable of `str`, `bytes` and None.
    pub(crate) fn texts(name: &'static str, object: &Bound<'_, PyAny>) -> PyResult<Self> {
        match Input::arrow(object)? {
            Some(input) => Ok(input),
            None => Ok(Input::one(texts(name, object)?)),
        }
    }

    /// The column of ports that `object` is, as [`Input::texts`]; an iterable has `int` and None.
    pub(crate) fn ports(name: &'static str, object: &Bound<'_, PyAny>) -> PyResult<Self> {
        match Input::arrow(object)? {
            Some(input) => Ok(input),
            None => Ok(Input::one(ports(name, object)?)),
        }
    }

    fn one(array: ArrayRef) -> Self {
        Input { chunks: vec![array], is_chunked: false }
    }

    fn arrow(object: &Bound<'_, PyAny>) -> PyResult<Option<Self>> {
        let py = object.py();
        // What can be both is asked for a stream: arrays of nanoarrow that are in chunks can be nothing else.
        let chunks = if object.hasattr(intern!(py, "__arrow_c_stream__"))? {
            object.extract::<PyChunkedArray>()?.into_inner().0
        } else if object.hasattr(intern!(py, "__arrow_c_array__"))? {
            vec![object.extract::<PyArray>()?.into_inner().0]
        } else {
            return Ok(None);
        };
        let chunks: Vec<_> = chunks.into_iter().map(plain).collect::<PyResult<_>>()?;
        let is_chunked = chunks.len() != 1;
        Ok(Some(Input { chunks, is_chunked }))
    }

    /// The column in one piece: columns of parts need not be divided alike.
    pub(crate) fn into_one(self) -> PyResult<ArrayRef> {
        let data_type = self.chunks.first().map_or(DataType::Null, |chunk| chunk.data_type().clone());
        whole(&self.chunks, &data_type)
    }
}

/// What a dictionary's keys stand for, row by row; other columns as they are.
fn plain(array: ArrayRef) -> PyResult<ArrayRef> {
    match array.data_type() {
        DataType::Dictionary(..) => {
            let dictionary = array.as_any_dictionary();
            let values = arrow_select::take::take(dictionary.values().as_ref(), dictionary.keys(), None);
            values.map_err(|error| value_error(&error))
        }
        _ => Ok(array),
    }
}

fn texts(name: &str, object: &Bound<'_, PyAny>) -> PyResult<ArrayRef> {
    let mut column = BinaryBuilder::new();
    for (row, item) in items(name, object)?.enumerate() {
        let item = item?;
        if item.is_none() {
            column.append_null();
            continue;
        }
        let text: Text<'_> = item.extract().map_err(|error| in_row(name, row, &error, &item))?;
        column.append_value(text.octets()?);
    }
    Ok(Arc::new(column.finish()))
}

fn ports(name: &str, object: &Bound<'_, PyAny>) -> PyResult<ArrayRef> {
    let mut column = Int64Builder::new();
    for (row, item) in items(name, object)?.enumerate() {
        let item = item?;
        let port: Option<i64> = item.extract().map_err(|error| in_row(name, row, &error, &item))?;
        column.append_option(port);
    }
    Ok(Arc::new(column.finish()))
}

/// The items of an iterable. One text is iterable, too, but no column.
fn items<'py>(name: &str, object: &Bound<'py, PyAny>) -> PyResult<Bound<'py, pyo3::types::PyIterator>> {
    let is_text = object.is_instance_of::<PyString>() || object.is_instance_of::<PyBytes>();
    let items = if is_text { None } else { object.try_iter().ok() };
    items.ok_or_else(|| {
        let found =
            object.get_type().name().map_or_else(|_| "something else".to_owned(), |name| name.to_string());
        PyTypeError::new_err(format!("{name}: expected a column of Arrow, or an iterable, found {found}"))
    })
}

fn in_row(name: &str, row: usize, error: &PyErr, item: &Bound<'_, PyAny>) -> PyErr {
    PyTypeError::new_err(format!("{name}, row {row}: {}", error.value(item.py())))
}
