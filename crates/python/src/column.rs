//! Columns that are returned to Python.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use arrow_array::cast::AsArray;
use arrow_array::types::{Float64Type, UInt32Type, UInt64Type};
use arrow_array::{Array, ArrayRef};
use arrow_schema::{DataType, Field, FieldRef};
use pyo3::basic::CompareOp;
use pyo3::exceptions::{PyIndexError, PyTypeError};
use pyo3::prelude::*;
use pyo3::types::{PyCapsule, PyDict, PyList, PyTuple};
use pyo3_arrow::error::PyArrowResult;
use pyo3_arrow::ffi::{ArrayIterator, to_array_pycapsules, to_schema_pycapsule, to_stream_pycapsule};

use crate::records::verdict_row;
use crate::text::{Count, value_error};

/// A column of answers in Arrow's layout. Libraries that support the Arrow PyCapsule interface use it without a copy:
/// `pyarrow.array(column)`, `polars.Series(column)`, `nanoarrow.Array(column)`.
#[pyclass(frozen, module = "robomata", sequence)]
pub(crate) struct Column {
    chunks: Vec<ArrayRef>,
    /// The end of each chunk.
    ends: Vec<usize>,
    field: FieldRef,
}

impl Column {
    /// Creates a column from chunks of the type `data_type`.
    pub(crate) fn new(chunks: Vec<ArrayRef>, data_type: DataType) -> Self {
        let mut end = 0;
        let ends = chunks.iter().map(|chunk| {
            end += chunk.len();
            end
        });
        Column { ends: ends.collect(), chunks, field: Arc::new(Field::new("", data_type, true)) }
    }

    /// Returns the value of a row, or none after the last row.
    fn value<'py>(&self, py: Python<'py>, row: usize) -> PyResult<Option<Bound<'py, PyAny>>> {
        let number = self.ends.partition_point(|&end| end <= row);
        let Some(chunk) = self.chunks.get(number) else { return Ok(None) };
        let start = self.ends[number] - chunk.len();
        value(py, chunk, row - start).map(Some)
    }
}

/// Iterates over the values of a column.
#[pyclass(frozen, module = "robomata")]
pub(crate) struct ColumnIterator {
    column: Py<Column>,
    row: AtomicUsize,
}

#[pymethods]
impl ColumnIterator {
    fn __iter__(slf: Py<Self>) -> Py<Self> {
        slf
    }

    fn __next__<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyAny>>> {
        self.column.get().value(py, self.row.fetch_add(1, Ordering::Relaxed))
    }
}

#[pymethods]
impl Column {
    fn __len__(&self) -> usize {
        self.ends.last().copied().unwrap_or(0)
    }

    /// A column with rows would be true, whatever they are: `if policies.allowed([url], agent)` would allow everything.
    fn __bool__(&self) -> PyResult<bool> {
        Err(PyTypeError::new_err("a Column has no truth value: use column[row], or len(column)"))
    }

    fn __getitem__<'py>(&self, py: Python<'py>, row: Count) -> PyResult<Bound<'py, PyAny>> {
        let Count(row) = row;
        let from_end = if row < 0 { self.__len__() } else { 0 };
        let row = isize::try_from(row).ok().and_then(|row| from_end.checked_add_signed(row));
        let value = row.map(|row| self.value(py, row)).transpose()?.flatten();
        value.ok_or_else(|| PyIndexError::new_err("column index out of range"))
    }

    fn __iter__(slf: Py<Self>) -> ColumnIterator {
        ColumnIterator { column: slf, row: AtomicUsize::new(0) }
    }

    /// Returns the values as Python objects: `bool` or `dict`, and None for nulls.
    fn to_pylist<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        let list = PyList::empty(py);
        for chunk in &self.chunks {
            for row in 0..chunk.len() {
                list.append(value(py, chunk, row)?)?;
            }
        }
        Ok(list)
    }

    /// Returns a new array of numpy: of `bool` for answers without a null, else of Python objects. Whole numbers are refused: as
    /// positions, False and True would be the first two rows, whatever they are.
    #[pyo3(signature = (dtype = None, copy = None))]
    fn __array__<'py>(
        &self,
        py: Python<'py>,
        dtype: Option<Bound<'py, PyAny>>,
        copy: Option<bool>,
    ) -> PyResult<Bound<'py, PyAny>> {
        if copy == Some(false) {
            return Err(value_error(&"a Column cannot become an array without a copy"));
        }
        let numpy = py.import("numpy")?;
        let is_mask = *self.field.data_type() == DataType::Boolean;
        if let Some(dtype) = &dtype {
            let kind: String = numpy.call_method1("dtype", (dtype,))?.getattr("kind")?.extract()?;
            if is_mask && !matches!(&*kind, "b" | "O") {
                return Err(PyTypeError::new_err(
                    "a Column of answers is no column of numbers or positions: use it as a mask, as in frame[column.to_pylist()]",
                ));
            }
        }
        let has_nulls = self.chunks.iter().any(|chunk| chunk.null_count() > 0);
        let own = if is_mask && !has_nulls { "bool" } else { "object" };
        let dtype = dtype.unwrap_or(own.into_pyobject(py)?.into_any());
        numpy.call_method1("array", (self.to_pylist(py)?, dtype))
    }

    /// Only the same column is equal. Other comparisons are errors: they would compare no row, so that `!=` would always hold.
    fn __richcmp__<'py>(
        slf: &Bound<'py, Self>,
        other: &Bound<'py, PyAny>,
        operator: CompareOp,
    ) -> PyResult<Bound<'py, PyAny>> {
        let py = slf.py();
        let is_same = slf.is(other);
        let holds = match operator {
            CompareOp::Eq => Some(is_same),
            CompareOp::Ne => Some(!is_same),
            _ => None,
        };
        if let Some(holds) = holds.filter(|_| is_same || other.is_none()) {
            return Ok(holds.into_pyobject(py)?.to_owned().into_any());
        }
        let message = "a Column cannot be compared: use column.to_pylist(), or pyarrow.array(column)";
        Err(value_error(&message))
    }

    fn __hash__(slf: &Bound<'_, Self>) -> usize {
        slf.as_ptr() as usize
    }

    /// The name of the Arrow type.
    #[getter]
    fn r#type(&self) -> String {
        self.field.data_type().to_string()
    }

    fn __repr__(&self) -> String {
        format!("<robomata.Column of {} rows, {}>", self.__len__(), self.field.data_type())
    }

    fn __arrow_c_schema__<'py>(&self, py: Python<'py>) -> PyArrowResult<Bound<'py, PyCapsule>> {
        to_schema_pycapsule(py, self.field.as_ref())
    }

    #[pyo3(signature = (requested_schema = None))]
    fn __arrow_c_array__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<Bound<'py, PyCapsule>>,
    ) -> PyArrowResult<Bound<'py, PyTuple>> {
        let array = whole(&self.chunks, self.field.data_type())?;
        to_array_pycapsules(py, Arc::clone(&self.field), &array, requested_schema)
    }

    #[pyo3(signature = (requested_schema = None))]
    fn __arrow_c_stream__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<Bound<'py, PyCapsule>>,
    ) -> PyArrowResult<Bound<'py, PyCapsule>> {
        let chunks = self.chunks.clone().into_iter().map(Ok);
        let reader = Box::new(ArrayIterator::new(chunks, Arc::clone(&self.field)));
        to_stream_pycapsule(py, reader, requested_schema)
    }
}

/// Concatenates arrays of one type.
fn whole(chunks: &[ArrayRef], data_type: &DataType) -> PyResult<ArrayRef> {
    match chunks {
        [] => Ok(arrow_array::new_empty_array(data_type)),
        [chunk] => Ok(Arc::clone(chunk)),
        chunks => {
            let chunks: Vec<&dyn Array> = chunks.iter().map(AsRef::as_ref).collect();
            arrow_select::concat::concat(&chunks).map_err(|error| value_error(&error))
        }
    }
}

/// Converts one value of a column of answers: a boolean, a text, a number or a struct of them.
fn value<'py>(py: Python<'py>, array: &ArrayRef, row: usize) -> PyResult<Bound<'py, PyAny>> {
    if array.is_null(row) {
        return Ok(py.None().into_bound(py));
    }
    match array.data_type() {
        DataType::Boolean => Ok(array.as_boolean().value(row).into_pyobject(py)?.to_owned().into_any()),
        DataType::Utf8 => Ok(array.as_string::<i32>().value(row).into_pyobject(py)?.into_any()),
        DataType::UInt32 => Ok(array.as_primitive::<UInt32Type>().value(row).into_pyobject(py)?.into_any()),
        DataType::UInt64 => Ok(array.as_primitive::<UInt64Type>().value(row).into_pyobject(py)?.into_any()),
        DataType::Float64 => Ok(array.as_primitive::<Float64Type>().value(row).into_pyobject(py)?.into_any()),
        DataType::Struct(fields) => {
            let is_verdict = fields.find("verdict").is_some();
            let dict = if is_verdict { verdict_row(py)? } else { PyDict::new(py) };
            for (field, column) in fields.iter().zip(array.as_struct().columns()) {
                dict.set_item(field.name(), value(py, column, row)?)?;
            }
            Ok(dict.into_any())
        }
        other => Err(value_error(&format!("a column of answers cannot have the type {other}"))),
    }
}
