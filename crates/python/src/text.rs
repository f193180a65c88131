//! Text as Python has it.

use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyString};
use robomata::{Crawler, Dialect, crawler_of_user_agent};

/// A `str` or `bytes`, where it lies.
pub(crate) enum Text<'py> {
    Str(Bound<'py, PyString>),
    Bytes(Bound<'py, PyBytes>),
}

impl<'py> FromPyObject<'_, 'py> for Text<'py> {
    type Error = PyErr;

    fn extract(object: Borrowed<'_, 'py, PyAny>) -> PyResult<Self> {
        if let Ok(text) = object.cast::<PyString>() {
            return Ok(Text::Str(text.to_owned()));
        }
        if let Ok(bytes) = object.cast::<PyBytes>() {
            return Ok(Text::Bytes(bytes.to_owned()));
        }
        Err(PyTypeError::new_err(format!("expected str or bytes, found {}", object.get_type().name()?)))
    }
}

impl Text<'_> {
    /// Its octets: of a `str` in UTF-8.
    pub(crate) fn octets(&self) -> PyResult<&[u8]> {
        match self {
            Text::Str(text) => Ok(text.to_str()?.as_bytes()),
            Text::Bytes(bytes) => Ok(bytes.as_bytes()),
        }
    }

    /// The crawler that it names; octets that are no UTF-8 are in no product token.
    pub(crate) fn crawler(&self) -> PyResult<Crawler> {
        Ok(crawler_of_user_agent(&String::from_utf8_lossy(self.octets()?)))
    }
}

/// The dialect of this name.
pub(crate) fn dialect(name: &str) -> PyResult<Dialect> {
    name.parse().map_err(|error: robomata::protocol::UnknownDialect| value_error(&error))
}

/// A `ValueError` that says what the error says.
pub(crate) fn value_error(error: &impl std::fmt::Display) -> PyErr {
    pyo3::exceptions::PyValueError::new_err(error.to_string())
}
