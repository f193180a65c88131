//! The input columns.

use arrow_array::Array;
use robomata_engine::{UrlParts, UrlRef};

use crate::error::ColumnsError;
use crate::texts::{Port, Ports, Texts};

/// Columns of URLs, whole or in parts, with one URL per row. Texts may be Utf8, LargeUtf8, Utf8View, or the three
/// binary layouts.
#[derive(Clone, Copy)]
pub struct Urls<'a> {
    columns: Columns<'a>,
}

#[derive(Clone, Copy)]
enum Columns<'a> {
    Whole(Texts<'a>),
    Parts(Parts<'a>),
}

/// The parts of URLs (see [`UrlParts`]).
#[derive(Clone, Copy)]
struct Parts<'a> {
    protocol: Texts<'a>,
    host: Texts<'a>,
    port: Ports<'a>,
    path: Texts<'a>,
    query: Texts<'a>,
}

impl<'a> Urls<'a> {
    /// Creates the input from one column of URLs.
    ///
    /// # Errors
    /// Fails when `urls` is not a text column.
    pub fn whole(urls: &'a dyn Array) -> Result<Self, ColumnsError> {
        Ok(Urls { columns: Columns::Whole(Texts::new("url", urls)?) })
    }

    /// Creates the input from the columns `url_protocol`, `url_host_name`, `url_port`, `url_path` and `url_query` of
    /// Common Crawl's index. A row without protocol or host is null. A null port, a port of -1 or a null query means
    /// that the URL has none. A null path is empty.
    ///
    /// # Errors
    /// Fails when a column has the wrong type (the port may be any integer), or when the columns differ in length.
    pub fn parts(
        protocol: &'a dyn Array,
        host: &'a dyn Array,
        port: &'a dyn Array,
        path: &'a dyn Array,
        query: &'a dyn Array,
    ) -> Result<Self, ColumnsError> {
        let columns =
            [("protocol", protocol), ("host", host), ("port", port), ("path", path), ("query", query)];
        for (column, array) in columns {
            if array.len() != protocol.len() {
                let expected = "as many rows as protocols";
                return Err(ColumnsError::Column { column, expected, found: format!("{}", array.len()) });
            }
        }
        let parts = Parts {
            protocol: Texts::new("protocol", protocol)?,
            host: Texts::new("host", host)?,
            port: Ports::new("port", port)?,
            path: Texts::new("path", path)?,
            query: Texts::new("query", query)?,
        };
        Ok(Urls { columns: Columns::Parts(parts) })
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
}

impl<'a> Urls<'a> {
    /// The URL of a row; none if it is null. A URL with an impossible port is the empty text, which is invalid.
    #[inline]
    pub(crate) fn at(&self, row: usize) -> Option<UrlRef<'a>> {
        match &self.columns {
            Columns::Whole(urls) => urls.at(row).map(UrlRef::Text),
            Columns::Parts(parts) => parts.at(row),
        }
    }
}

impl<'a> Parts<'a> {
    #[inline]
    fn at(&self, row: usize) -> Option<UrlRef<'a>> {
        let (scheme, host) = (self.protocol.at(row)?, self.host.at(row)?);
        let port = match self.port.at(row) {
            Port::None => None,
            Port::Number(port) => Some(port),
            Port::Wrong => return Some(UrlRef::Text(b"")),
        };
        let path = self.path.at(row).unwrap_or_default();
        Some(UrlRef::Parts(UrlParts { scheme, host, port, path, query: self.query.at(row) }))
    }
}
