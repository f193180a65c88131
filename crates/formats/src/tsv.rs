//! Parses one line of tab-separated values as a capture. The first line of the file names the columns.

use std::borrow::Cow;

use crate::capture::{Capture, CaptureSite, Origin};
use crate::error::Kind;
use crate::json_object::Value;
use crate::keys::{self, BODIES, BODY_B64, HOST, NAMES, Row, RowSite, URL};
use crate::lines::{column, trim_line_end, without_mark};
use crate::urls::as_text;

/// The null value of databases' text formats. It also works where an empty text is a value.
pub(crate) const NULL: &[u8] = br"\N";

/// The columns of a capture.
#[derive(Clone, Debug)]
pub(crate) struct Columns {
    /// The columns of the [`NAMES`], counted from 1.
    places: [Option<usize>; NAMES.len()],
    /// A column that may be the status, although it has another name.
    other_status: Option<String>,
    /// The number of columns.
    count: usize,
}

impl Columns {
    /// Parses the header line, ignoring case; `None` if it is blank.
    pub(crate) fn of_header(line: &[u8]) -> Result<Option<Self>, Kind> {
        let line = trim_line_end(without_mark(line));
        if line.trim_ascii().is_empty() {
            return Ok(None);
        }
        let header = String::from_utf8_lossy(line);
        let names: Vec<&str> = header.split('\t').map(|name| name.trim_ascii().trim_matches('"')).collect();
        let places = keys::places(&names)?.map(|place| place.map(|index| index + 1));
        let missing =
            |expected| Kind::missing_column(expected, header.split('\t').collect::<Vec<_>>().into_iter());
        if places[HOST].or(places[URL]).is_none() {
            return Err(missing(r#""host" or "url" in the first line"#));
        }
        if places[BODY_B64].is_none() && places[BODIES] == [None, None] {
            return Err(missing(r#""body" or "body_b64" in the first line"#));
        }
        if header.split('\t').any(|name| name.trim_ascii().starts_with('"')) {
            return Err(Kind::Quoted);
        }
        let other_status = names.iter().find(|name| keys::may_be_status(name)).map(|name| (*name).to_owned());
        Ok(Some(Columns { places, other_status, count: names.len() }))
    }

    /// Parses the capture on `line` at `origin`; `None` if the line is blank.
    ///
    /// # Errors
    /// Fails without a readable site. The line may then be the rest of the line before it, whose body has a line end that
    /// is not escaped.
    pub(crate) fn capture(&self, line: &[u8], origin: &Origin) -> Result<Option<Capture>, Kind> {
        let line = trim_line_end(line);
        if line.trim_ascii().is_empty() {
            return Ok(None);
        }
        let line = Line { columns: self, line };
        let why = match (keys::site(&line), line.check()) {
            // `Crawl-delay:5` would be a host, too.
            (Ok(RowSite { site: CaptureSite::Host(host), .. }), Err(why @ Kind::Cells { .. }))
                if !host.contains('.') =>
            {
                why
            }
            (Ok(site), _) if keys::may_be_site(&site.site) => {
                return Ok(Some(keys::capture_of(site, &line, origin)));
            }
            (_, Err(why)) | (Err(why), _) => why,
            (Ok(RowSite { site: CaptureSite::Host(host), .. }), _) => {
                Value::Text(host.into()).unexpected("host", "a host")
            }
            (Ok(RowSite { site: CaptureSite::Url(url), .. }), _) => {
                Value::Text(url.into()).unexpected("url", "a URL")
            }
        };
        Err(Kind::LostSite(Box::new(why)))
    }
}

/// A line, without its line end.
struct Line<'l> {
    columns: &'l Columns,
    line: &'l [u8],
}

impl Line<'_> {
    /// The cell of this name; `None` if the line has no such column, or null in it.
    fn cell(&self, name: usize) -> Option<&[u8]> {
        column(self.line, self.columns.places[name]?).filter(|cell| *cell != NULL)
    }
}

impl Row for Line<'_> {
    /// The value. An empty text counts as absent.
    fn value(&self, name: usize) -> Value<'_> {
        match self.cell(name).map(<[u8]>::trim_ascii) {
            None | Some([]) => Value::Absent,
            Some(cell) => Value::Text(as_text(cell)),
        }
    }

    fn body(&self, name: usize) -> Result<Option<Cow<'_, [u8]>>, Kind> {
        let cell = self.cell(name);
        Ok(cell.map(|cell| if name == BODY_B64 { Cow::Borrowed(cell) } else { Cow::Owned(unescaped(cell)) }))
    }

    fn other_status(&self) -> Option<String> {
        self.columns.other_status.clone()
    }

    fn check(&self) -> Result<(), Kind> {
        let (expected, found) = (self.columns.count, memchr::memchr_iter(b'\t', self.line).count() + 1);
        let mut bodies = (BODY_B64..BODIES.end).filter_map(|name| self.cell(name));
        if bodies.any(|body| body.starts_with(b"\"")) {
            Err(Kind::Quoted)
        } else if expected != found {
            Err(Kind::Cells { expected, found })
        } else {
            Ok(())
        }
    }

    fn missing_body(&self) -> Kind {
        Kind::NoValue(keys::TABLE_BODIES)
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
