//! Parses one line of tab-separated values as a capture. The first line of the file names the columns.

use std::borrow::Cow;
use std::sync::Arc;

use crate::capture::{Capture, Origin};
use crate::error::Kind;
use crate::json::{self, BASE64};
use crate::json_object::Value;
use crate::lines::{column, trim_line_end, without_mark};

use base64::Engine as _;

/// The null value of databases' text formats. It also works where an empty text is a value.
pub(crate) const NULL: &[u8] = br"\N";

/// The columns of a capture, counted from 1.
#[derive(Clone, Debug, Default)]
pub(crate) struct Columns {
    host: Option<usize>,
    url: Option<usize>,
    status: Option<usize>,
    location: Option<usize>,
    /// In the order of the names in [`json::TIME_KEYS`].
    times: [Option<usize>; json::TIME_KEYS.len()],
    body: Option<usize>,
    body_b64: Option<usize>,
}

impl Columns {
    /// Parses the header line, ignoring case; `None` if it is blank.
    pub(crate) fn of_header(line: &[u8]) -> Result<Option<Self>, Kind> {
        let line = trim_line_end(without_mark(line));
        if line.trim_ascii().is_empty() {
            return Ok(None);
        }
        let mut columns = Columns::default();
        for (n, name) in (1..).zip(line.split(|byte| *byte == b'\t')) {
            let name = name.trim_ascii().to_ascii_lowercase();
            let place = match &name[..] {
                b"host" => &mut columns.host,
                b"url" => &mut columns.url,
                b"status" | b"http_status" | b"fetch_status" => &mut columns.status,
                b"location" => &mut columns.location,
                b"body" | b"content" => &mut columns.body,
                b"body_b64" => &mut columns.body_b64,
                name => match json::TIME_KEYS.iter().position(|key| key.as_bytes() == name) {
                    Some(key) => &mut columns.times[key],
                    None => continue,
                },
            };
            place.get_or_insert(n);
        }
        let missing = |expected| {
            let names = String::from_utf8_lossy(line);
            Kind::missing_column(expected, names.split('\t').collect::<Vec<_>>().into_iter())
        };
        if columns.host.or(columns.url).is_none() {
            return Err(missing(r#""host" or "url" in the first line"#));
        }
        if columns.body.or(columns.body_b64).is_none() {
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
        let status = json::status("status", &value(line, self.status))?;
        // As in JSON, the first time with a value counts, in the order of the names.
        let times = json::TIME_KEYS.into_iter().zip(self.times.map(|column| value(line, column)));
        let time = times.into_iter().find(|(_, value)| *value != Value::Absent);
        let time = time.map_or(Ok(None), |(key, value)| json::time(key, &value))?;
        let missing = || Kind::NoValue(r#""body" or "body_b64""#);
        let body = json::required(self.body(line)?, self.status.is_some(), status, missing)?;
        let location = json::location(value(line, self.location))?;
        let resource = site.resource();
        Ok(Some(Capture { resource, site, body, status, location, time, origin: origin.clone() }))
    }

    fn body(&self, line: &[u8]) -> Result<Option<Arc<[u8]>>, Kind> {
        if let Some(encoded) = cell(line, self.body_b64) {
            let bytes = BASE64.decode(encoded.trim_ascii()).map_err(Kind::Base64)?;
            return Ok(Some(bytes.into()));
        }
        Ok(cell(line, self.body).map(|text| unescaped(text).into()))
    }
}

/// The cell in column `n`; `None` if the line has no such column, or null in it.
fn cell(line: &[u8], n: Option<usize>) -> Option<&[u8]> {
    column(line, n?).filter(|cell| *cell != NULL)
}

/// Like [`cell`], but an empty text counts as absent.
fn value(line: &[u8], n: Option<usize>) -> Value<'_> {
    match cell(line, n).map(<[u8]>::trim_ascii) {
        None | Some([]) => Value::Absent,
        Some(cell) => Value::Text(match std::str::from_utf8(cell) {
            Ok(text) => Cow::Borrowed(text),
            Err(_) => Cow::Owned(String::from_utf8_lossy(cell).into_owned()),
        }),
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
