//! Parses one line of tab-separated values as a capture. The first line of the file names the columns.

use std::sync::Arc;

use crate::capture::{Capture, FetchResult, Origin};
use crate::error::Kind;
use crate::json::{self, BASE64};
use crate::json_object::Value;
use crate::lines::{column, trim_line_end, without_mark};
use crate::urls::as_text;

use base64::Engine as _;

/// The null value of databases' text formats. It also works where an empty text is a value.
pub(crate) const NULL: &[u8] = br"\N";

/// The columns of a capture, counted from 1. Several columns of one kind are in the order of their names.
#[derive(Clone, Debug)]
pub(crate) struct Columns {
    host: Option<usize>,
    url: Option<usize>,
    statuses: [Option<usize>; json::STATUS_KEYS.len()],
    location: Option<usize>,
    times: [Option<usize>; json::TIME_KEYS.len()],
    bodies: [Option<usize>; json::BODY_KEYS.len()],
    body_b64: Option<usize>,
}

/// The index of the first of `names` that is `name`, or else of the first one that differs only in case.
pub(crate) fn position<'n>(names: impl Iterator<Item = &'n str> + Clone, name: &str) -> Option<usize> {
    names.clone().position(|found| found == name).or_else(|| {
        let mut names = names;
        names.position(|found| found.eq_ignore_ascii_case(name))
    })
}

impl Columns {
    /// Parses the header line, ignoring case; `None` if it is blank.
    pub(crate) fn of_header(line: &[u8]) -> Result<Option<Self>, Kind> {
        let line = trim_line_end(without_mark(line));
        if line.trim_ascii().is_empty() {
            return Ok(None);
        }
        let header = String::from_utf8_lossy(line);
        let find = |name| position(header.split('\t').map(str::trim_ascii), name).map(|index| index + 1);
        let columns = Columns {
            host: find("host"),
            url: find("url"),
            statuses: json::STATUS_KEYS.map(find),
            location: find("location"),
            times: json::TIME_KEYS.map(find),
            bodies: json::BODY_KEYS.map(find),
            body_b64: find("body_b64"),
        };
        let missing =
            |expected| Kind::missing_column(expected, header.split('\t').collect::<Vec<_>>().into_iter());
        if columns.host.or(columns.url).is_none() {
            return Err(missing(r#""host" or "url" in the first line"#));
        }
        if columns.bodies == [None, None] && columns.body_b64.is_none() {
            return Err(missing(r#""body" or "body_b64" in the first line"#));
        }
        Ok(Some(columns))
    }

    /// Parses the capture on `line` at `origin`; `None` if the line is blank.
    pub(crate) fn capture(&self, line: &[u8], origin: &Origin) -> Result<Option<Capture>, Kind> {
        let line = trim_line_end(line);
        if line.is_empty() {
            return Ok(None);
        }
        let site = json::site(value(line, self.url), value(line, self.host))?;
        let time = first(line, json::TIME_KEYS, self.times);
        let time = time.map_or(Ok(None), |(key, value)| json::time(key, &value));
        Ok(Some(Capture::of_row(site, origin, time, self.result(line))))
    }

    /// As in JSON, the first status and the first time with a value count, in the order of the names.
    fn result(&self, line: &[u8]) -> Result<FetchResult, Kind> {
        let status = first(line, json::STATUS_KEYS, self.statuses);
        let status = status.map_or(Ok(None), |(key, value)| json::status(key, &value))?;
        let missing = || Kind::NoValue(r#""body" or "body_b64""#);
        let body =
            json::required(self.body(line)?, self.statuses.iter().any(Option::is_some), status, missing)?;
        Ok((status, body, json::location(value(line, self.location))?))
    }

    fn body(&self, line: &[u8]) -> Result<Option<Arc<[u8]>>, Kind> {
        if let Some(encoded) = cell(line, self.body_b64) {
            let bytes = BASE64.decode(encoded.trim_ascii()).map_err(Kind::Base64)?;
            return Ok(Some(bytes.into()));
        }
        Ok(self.bodies.iter().find_map(|body| cell(line, *body)).map(|text| unescaped(text).into()))
    }
}

/// The cell in column `n`; `None` if the line has no such column, or null in it.
fn cell(line: &[u8], n: Option<usize>) -> Option<&[u8]> {
    column(line, n?).filter(|cell| *cell != NULL)
}

/// The first of `columns` with a value, and its name.
fn first<'l, const N: usize>(
    line: &'l [u8],
    names: [&'static str; N],
    columns: [Option<usize>; N],
) -> Option<(&'static str, Value<'l>)> {
    let mut values = names.into_iter().zip(columns.map(|column| value(line, column)));
    values.find(|(_, value)| *value != Value::Absent)
}

/// Like [`cell`], but an empty text counts as absent.
fn value(line: &[u8], n: Option<usize>) -> Value<'_> {
    match cell(line, n).map(<[u8]>::trim_ascii) {
        None | Some([]) => Value::Absent,
        Some(cell) => Value::Text(as_text(cell)),
    }
}

/// Decodes a text in which tab, line ends and the backslash are escaped as `\t`, `\n`, `\r` and `\\`. A backslash
/// before anything else is not an escape, and stands for itself.
fn unescaped(text: &[u8]) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = memchr::memchr(b'\\', rest) {
        bytes.extend_from_slice(&rest[..at]);
        let (byte, length) = match rest.get(at + 1) {
            Some(b't') => (b'\t', 2),
            Some(b'n') => (b'\n', 2),
            Some(b'r') => (b'\r', 2),
            Some(b'\\') => (b'\\', 2),
            _ => (b'\\', 1),
        };
        bytes.push(byte);
        rest = &rest[at + length..];
    }
    bytes.extend_from_slice(rest);
    bytes
}
