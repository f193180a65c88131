//! Reads URLs from Arrow columns: whole, or in parts as in Common Crawl's index.

mod texts;

use arrow_array::Array;
use robomata_protocol::{UrlParts, UrlRef};

use crate::texts::{Port, Ports, Texts};

/// Columns of URLs, whole or in parts, with one URL per row. Texts may be Utf8, LargeUtf8, Utf8View, or the three
/// binary layouts. Shares the memory of the columns.
#[derive(Clone, Debug)]
pub struct Urls {
    columns: Columns,
}

#[derive(Clone, Debug)]
enum Columns {
    Whole(Texts),
    Parts(Box<Parts>),
}

/// The parts of URLs (see [`UrlParts`]).
#[derive(Clone, Debug)]
struct Parts {
    protocol: Texts,
    host: Texts,
    port: Ports,
    path: Texts,
    query: Texts,
}

/// A column has an unsupported type or length.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{column}: expected {expected}, found {found}")]
pub struct ColumnError {
    /// The column.
    pub column: &'static str,
    /// What the column may be.
    pub expected: &'static str,
    /// What was found.
    pub found: String,
}

/// No URL.
const INVALID: UrlRef<'static> = UrlRef::Text(b"");

impl Urls {
    /// Creates the input from one column of URLs.
    ///
    /// # Errors
    /// Fails when `urls` is not a text column.
    pub fn whole(urls: &dyn Array) -> Result<Self, ColumnError> {
        Ok(Urls { columns: Columns::Whole(Texts::new("url", urls)?) })
    }

    /// Creates the input from the columns `url_protocol`, `url_host_name`, `url_port`, `url_path` and `url_query` of
    /// Common Crawl's index. A row without protocol or host is null. A null port or a port of -1 means that the URL has
    /// none. A query that is null or empty means that the URL has none, too: those who divide URLs drop the `?` of an
    /// empty query (`urlsplit` of Python, `URL.search` of JavaScript, `RawQuery` of Go). So a URL that ends in `?` can only
    /// be given as a whole. One `?` at the beginning of a query does not count. A null path is empty.
    ///
    /// A row is invalid if its path is neither empty nor begins with `/`, if its host contains `/`, `?`, `#`, `@` or a
    /// backslash, or if its protocol contains `:`: in one text, they would be the URL of another host or path. A row with a
    /// query is also invalid if its path is null, or if the path is empty and the query begins with `/`: these are a path and
    /// a query in the wrong order.
    ///
    /// # Errors
    /// Fails when a column has the wrong type (the port may be any integer), or when the columns differ in length.
    pub fn parts(
        protocol: &dyn Array,
        host: &dyn Array,
        port: &dyn Array,
        path: &dyn Array,
        query: &dyn Array,
    ) -> Result<Self, ColumnError> {
        let columns =
            [("protocol", protocol), ("host", host), ("port", port), ("path", path), ("query", query)];
        for (column, array) in columns {
            if array.len() != protocol.len() {
                let expected = "as many rows as protocols";
                return Err(ColumnError { column, expected, found: format!("{}", array.len()) });
            }
        }
        let parts = Parts {
            protocol: Texts::new("protocol", protocol)?,
            host: Texts::new("host", host)?,
            port: Ports::new("port", port)?,
            path: Texts::new("path", path)?,
            query: Texts::new("query", query)?,
        };
        Ok(Urls { columns: Columns::Parts(Box::new(parts)) })
    }

    /// The number of rows.
    pub fn len(&self) -> usize {
        match &self.columns {
            Columns::Whole(urls) => urls.len(),
            Columns::Parts(parts) => parts.protocol.len().min(parts.port.len()),
        }
    }

    /// Returns whether there are no rows.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The URL of a row, without blanks around it; none if it is null. A URL with control characters
    /// ([`robomata_protocol::requestable`]), or with parts that do not fit ([`Urls::parts`]), is the empty text, which is
    /// invalid.
    #[inline]
    pub fn at(&self, row: usize) -> Option<UrlRef<'_>> {
        self.written(row).map(|url| url.requestable().unwrap_or(INVALID))
    }

    /// The URL of a row as written; none if it is null. A URL with parts that do not fit is the empty text, which is invalid.
    #[inline]
    pub fn written(&self, row: usize) -> Option<UrlRef<'_>> {
        match &self.columns {
            Columns::Whole(urls) => urls.at(row).map(UrlRef::Text),
            Columns::Parts(parts) => parts.at(row),
        }
    }
}

impl Parts {
    #[inline]
    fn at(&self, row: usize) -> Option<UrlRef<'_>> {
        let (scheme, host) = (self.protocol.at(row)?, self.host.at(row)?);
        let port = match self.port.at(row) {
            Port::None => None,
            Port::Number(port) => Some(port),
            Port::Wrong => return Some(INVALID),
        };
        let query = self.query.at(row).map(|query| query.strip_prefix(b"?").unwrap_or(query));
        let query = query.filter(|query| !query.iter().all(|byte| matches!(byte, b' ' | b'\t')));
        let path = match (self.path.at(row), query) {
            (None, Some(_)) | (Some(b""), Some([b'/', ..])) => return Some(INVALID),
            (path, _) => path.unwrap_or_default(),
        };
        let parts = UrlParts { scheme, host, port, path, query };
        Some(if parts.fit() { UrlRef::Parts(parts) } else { INVALID })
    }
}
