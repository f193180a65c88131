//! Converts texts, times and headers from Python.

use std::collections::HashMap;
use std::ffi::CString;

use pyo3::exceptions::{PyOverflowError, PyTypeError, PyUserWarning};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyMapping, PyString};
use robomata_columns::Query;
use robomata_engine::protocol::limits;
use robomata_engine::{Config, Crawler, Dialect, FetchStatus, Moment, read_crawler};

use crate::input::type_name;
use crate::policy_set::raised;

/// A `str` or `bytes`, without a copy.
pub(crate) enum Text<'py> {
    Str(Bound<'py, PyString>),
    Bytes(Bound<'py, PyBytes>),
}

impl<'py> FromPyObject<'_, 'py> for Text<'py> {
    type Error = PyErr;

    fn extract(object: Borrowed<'_, 'py, PyAny>) -> PyResult<Self> {
        if let Ok(text) = object.cast::<PyString>() {
            return if text.to_str().is_ok() { Ok(Text::Str(text.to_owned())) } else { encoded(&text) };
        }
        if let Ok(bytes) = object.cast::<PyBytes>() {
            return Ok(Text::Bytes(bytes.to_owned()));
        }
        Err(PyTypeError::new_err(format!("expected str or bytes, found {}", type_name(&object))))
    }
}

/// Encodes a text with surrogates. Surrogates that stand for undecodable bytes become these bytes; others are encoded
/// as in UTF-8.
fn encoded<'py>(text: &Bound<'py, PyString>) -> PyResult<Text<'py>> {
    let encode = |errors: &str| text.call_method1("encode", ("utf-8", errors));
    let bytes = encode("surrogateescape").or_else(|_| encode("surrogatepass"))?;
    Ok(Text::Bytes(bytes.cast_into::<PyBytes>()?))
}

impl Text<'_> {
    /// Returns the bytes; a `str` is encoded as UTF-8.
    pub(crate) fn bytes(&self) -> PyResult<&[u8]> {
        match self {
            Text::Str(text) => Ok(text.to_str()?.as_bytes()),
            Text::Bytes(bytes) => Ok(bytes.as_bytes()),
        }
    }

    /// Returns the text as a `String`; invalid UTF-8 is replaced.
    pub(crate) fn lossy(&self) -> PyResult<String> {
        Ok(String::from_utf8_lossy(self.bytes()?).into_owned())
    }

    /// Returns the crawler that the text names in `dialect`. A product token never contains invalid UTF-8.
    pub(crate) fn crawler(&self, dialect: Dialect) -> PyResult<Crawler> {
        crawler(&self.lossy()?, dialect)
    }
}

/// The crawler of a query: a product token, several tokens separated by commas, or a complete User-Agent.
pub(crate) struct Agent(String);

impl<'py> FromPyObject<'_, 'py> for Agent {
    type Error = PyErr;

    fn extract(object: Borrowed<'_, 'py, PyAny>) -> PyResult<Self> {
        Agent::of(&object.extract()?)
    }
}

impl Agent {
    pub(crate) fn of(text: &Text<'_>) -> PyResult<Self> {
        text.lossy().map(Agent)
    }

    /// Returns the query of this crawler at `now`, by default the current time.
    pub(crate) fn query(&self, usage: Option<&str>, now: Option<&Time>) -> PyResult<Query> {
        let query = Query::new(&self.0, usage).map_err(|error| raised(&error))?;
        Ok(match now {
            Some(now) => query.at(now.0),
            None => query,
        })
    }
}

/// Returns the crawler that a text names in `dialect`.
pub(crate) fn crawler(text: &str, dialect: Dialect) -> PyResult<Crawler> {
    read_crawler(text, dialect).map(|named| named.crawler).map_err(|error| value_error(&error))
}

/// Returns the dialect with this name.
pub(crate) fn dialect(name: &str) -> PyResult<Dialect> {
    name.parse().map_err(|error: robomata_engine::protocol::UnknownDialect| value_error(&error))
}

/// Returns how files in `dialect` are read with this limit; None for the dialect's default.
pub(crate) fn config(dialect: Dialect, max_robots_bytes: Option<Count>) -> PyResult<Config> {
    let config = Config::new(dialect);
    let Some(Count(bytes)) = max_robots_bytes else { return Ok(config) };
    // A negative number is as small as 0.
    let limit = limits::parsing_limit(u64::try_from(bytes).unwrap_or(0));
    let wrong = |_| {
        let (least, most) = (limits::MIN_PARSING_LIMIT, limits::MAX_PARSING_LIMIT);
        value_error(&format!("max_robots_bytes: expected {least} to {most}, found {bytes}"))
    };
    Ok(config.with_parsing_limit(limit.map_err(wrong)?))
}

/// Fails if `body`, which counts, is no text. `name` is the argument.
pub(crate) fn require_text(name: &str, body: &[u8]) -> PyResult<()> {
    robomata_engine::require_text(body).map_err(|error| value_error(&format!("{name}: {error}")))
}

/// A whole number of any size, at most `i64::MAX` and at least `i64::MIN`. Functions report those out of their own range, which
/// is smaller.
#[derive(Clone, Copy)]
pub(crate) struct Count(pub(crate) i64);

impl<'py> FromPyObject<'_, 'py> for Count {
    type Error = PyErr;

    fn extract(object: Borrowed<'_, 'py, PyAny>) -> PyResult<Self> {
        object.extract().map(Count).or_else(|error: PyErr| {
            if !error.is_instance_of::<PyOverflowError>(object.py()) {
                return Err(error);
            }
            Ok(Count(if object.lt(0)? { i64::MIN } else { i64::MAX }))
        })
    }
}

/// An instant since 1994: a `datetime` with a time zone, or seconds since 1970. Other numbers, such as `20261128`, are earlier.
pub(crate) struct Time(pub(crate) Moment);

impl<'py> FromPyObject<'_, 'py> for Time {
    type Error = PyErr;

    fn extract(object: Borrowed<'_, 'py, PyAny>) -> PyResult<Self> {
        let expected = || PyTypeError::new_err("expected a datetime with a time zone, or seconds since 1970");
        let seconds: f64 = match object.extract() {
            // A bool is a number in Python, and one of numpy can be made one.
            Ok(_) if matches!(&*type_name(&object), "bool" | "bool_") => return Err(expected()),
            Ok(seconds) => seconds,
            Err(_) => {
                if object.getattr("tzinfo").is_ok_and(|zone| zone.is_none()) {
                    return Err(value_error(&"expected a datetime with a time zone"));
                }
                object.call_method0("timestamp").map_err(|_| expected())?.extract()?
            }
        };
        let found = || value_error(&format!("expected seconds since 1970, found {seconds} (milliseconds?)"));
        let moment = Moment::from_clock(seconds).ok_or_else(found)?;
        moment.of_fetch().map(Time).map_err(|error| value_error(&error))
    }
}

/// Header fields: a mapping of names to values, or an iterable of (name, value) pairs.
pub(crate) struct Headers(pub(crate) Vec<(String, String)>);

impl<'py> FromPyObject<'_, 'py> for Headers {
    type Error = PyErr;

    fn extract(object: Borrowed<'_, 'py, PyAny>) -> PyResult<Self> {
        let pairs = if object.hasattr("items")? {
            object.call_method0("items")?
        } else {
            object.to_owned().into_any()
        };
        let mut headers = Vec::new();
        for pair in pairs.try_iter()? {
            let (name, value): (Text<'_>, Text<'_>) = pair?.extract()?;
            require_field(name.bytes()?, value.bytes()?)?;
            headers.push((name.lossy()?, value.lossy()?));
        }
        Ok(Headers(headers))
    }
}

/// The files that a robots.txt refers to, by locator: any mapping.
pub(crate) struct References<'py>(pub(crate) HashMap<String, Text<'py>>);

impl<'py> FromPyObject<'_, 'py> for References<'py> {
    type Error = PyErr;

    fn extract(object: Borrowed<'_, 'py, PyAny>) -> PyResult<Self> {
        if object.cast::<PyMapping>().is_err() {
            let found = type_name(&object);
            return Err(PyTypeError::new_err(format!(
                "references: expected a mapping of locators to files, found {found}"
            )));
        }
        let items = object.call_method0("items")?;
        items.try_iter()?.map(|item| item?.extract()).collect::<PyResult<_>>().map(References)
    }
}

/// Fails if these are no header field: a prohibition might be missing. A name is a token (RFC 9110, section 5.1), and a line of
/// a value continues only after a blank (obsolete folding, RFC 9112, section 5.2).
fn require_field(name: &[u8], value: &[u8]) -> PyResult<()> {
    let is_token = |byte: &u8| byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(byte);
    let is_folded = |(at, byte): (usize, &u8)| match (byte, value.get(at + 1)) {
        (b'\r', Some(b'\n' | b' ' | b'\t')) | (b'\n', Some(b' ' | b'\t')) => true,
        (byte, _) => !matches!(byte, b'\r' | b'\n'),
    };
    let expected = if name.is_empty() || !name.iter().all(is_token) {
        "a name of letters, digits and '-'"
    } else if !value.iter().enumerate().all(is_folded) {
        "a value of one line (pass one pair for each field line)"
    } else {
        return Ok(());
    };
    let name = String::from_utf8_lossy(name);
    Err(value_error(&format!("headers: '{}': expected {expected}", name.escape_debug())))
}

/// How a fetch ended: an HTTP status, or why there is none. Never `None`, with which a program says that there was no response.
#[derive(Clone, Copy)]
pub(crate) struct Status(pub(crate) FetchStatus);

const NO_RESPONSE: &str = "no-response";
const TOO_MANY_REDIRECTS: &str = "too-many-redirects";

impl<'py> FromPyObject<'_, 'py> for Status {
    type Error = PyErr;

    fn extract(object: Borrowed<'_, 'py, PyAny>) -> PyResult<Self> {
        let of_number = object.extract::<u16>().ok().and_then(FetchStatus::of_code);
        let status = of_number.or_else(|| match object.extract::<&str>().ok()? {
            NO_RESPONSE => Some(FetchStatus::NetworkFailure),
            TOO_MANY_REDIRECTS => Some(FetchStatus::TooManyRedirects),
            _ => None,
        });
        let expected = || {
            let found = object.repr().map_or_else(|_| type_name(&object), |text| text.to_string());
            value_error(&format!(
                "status: expected an HTTP status (100 to 999), '{NO_RESPONSE}' or '{TOO_MANY_REDIRECTS}', found {found}"
            ))
        };
        status.map(Status).ok_or_else(expected)
    }
}

impl<'py> IntoPyObject<'py> for Status {
    type Target = PyAny;
    type Output = Bound<'py, PyAny>;
    type Error = PyErr;

    fn into_pyobject(self, py: Python<'py>) -> PyResult<Self::Output> {
        let text = match self.0 {
            FetchStatus::Code(code) => return Ok(code.into_pyobject(py)?.into_any()),
            FetchStatus::Success => return Ok(200_u16.into_pyobject(py)?.into_any()),
            FetchStatus::NetworkFailure => NO_RESPONSE,
            FetchStatus::TooManyRedirects => TOO_MANY_REDIRECTS,
        };
        Ok(PyString::new(py, text).into_any())
    }
}

/// Reports a `UserWarning` at the line that called robomata.
pub(crate) fn warn(py: Python<'_>, message: &str) -> PyResult<()> {
    let message = CString::new(message.replace('\0', "\u{fffd}"))?;
    PyErr::warn(py, &py.get_type::<PyUserWarning>(), &message, 1)
}

/// Creates a `ValueError` with the message of `error`.
pub(crate) fn value_error(error: &impl std::fmt::Display) -> PyErr {
    pyo3::exceptions::PyValueError::new_err(error.to_string())
}
