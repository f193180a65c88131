//! The input columns.

use arrow_array::Array;
use robomata::UrlParts;

use crate::error::ColumnsError;
use crate::texts::{Port, Ports, Texts};

/// Columns of URLs, whole or in parts, with one URL per row. Texts may be Utf8, LargeUtf8, Utf8View, or the three
/// binary layouts.
#[derive(Clone, Copy)]
pub struct Urls<'a> {
    pub(crate) columns: Columns<'a>,
}

#[derive(Clone, Copy)]
pub(crate) enum Columns<'a> {
    Whole(Texts<'a>),
    Parts(Parts<'a>),
}

/// The parts of URLs (see [`UrlParts`]).
#[derive(Clone, Copy)]
pub(crate) struct Parts<'a> {
    pub(crate) protocol: Texts<'a>,
    pub(crate) host: Texts<'a>,
    port: Ports<'a>,
    path: Texts<'a>,
    query: Texts<'a>,
}

/// One row of URL parts.
#[derive(Clone, Copy)]
pub(crate) enum Row<'a> {
    /// The protocol or the host is null.
    Null,
    /// The port is out of range.
    Invalid,
    Url(UrlParts<'a>),
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

impl<'a> Parts<'a> {
    #[inline]
    pub(crate) fn at(&self, row: usize) -> Row<'a> {
        let (Some(scheme), Some(host)) = (self.protocol.at(row), self.host.at(row)) else { return Row::Null };
        let port = match self.port.at(row) {
            Port::None => None,
            Port::Number(port) => Some(port),
            Port::Wrong => return Row::Invalid,
        };
        let path = self.path.at(row).unwrap_or_default();
        Row::Url(UrlParts { scheme, host, port, path, query: self.query.at(row) })
    }
}
