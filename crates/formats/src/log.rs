//! Reads requests from logs: access logs of web servers, and the logs and archives of crawlers.
//!
//! A log is read line by line. [`LogReader::read`] parses a line as a [`LogEntry`], or returns an error. [`detect`]
//! finds the format of a file from its first lines.
//!
//! Parquet and WARC files have no lines. They are detected by name or by first bytes, and read with
//! [`Frontier::of_logs`](crate::Frontier::of_logs). [`LogRows`] reads the rows of Parquet. A web archive is converted
//! to one line for each request that it documents.
//!
//! | format | a line is | notes |
//! |---|---|---|
//! | [`Common`](LogFormat::Common) | `client ident user [time] "request" status bytes` | no user agent; an ident with a dot is the virtual host, as lighttpd writes it |
//! | [`Combined`](LogFormat::Combined) | Common, then `"referrer" "user agent"`; anything after that (further fields of nginx, quoted or not) is ignored | |
//! | [`VhostCommon`](LogFormat::VhostCommon), [`VhostCombined`](LogFormat::VhostCombined) | the same after the virtual host, `%v` or `%v:%p` | hosts |
//! | [`Json`](LogFormat::Json) | an object, see below | fields depend on the keys |
//! | [`Heritrix`](LogFormat::Heritrix) | Heritrix's crawl.log; the time of a request is the start of its fetch, if recorded | URLs, refusals (status -9998); a URL for which nothing was sent, as for lack of its host, is no request |
//! | [`Scrapy`](LogFormat::Scrapy) | a message of Scrapy's log, assumed to be in UTC: `Crawled`, `Redirecting`, `Retrying`, or `Forbidden by robots.txt`; a page of its cache is no request | URLs, refusals |
//! | [`Cdx`](LogFormat::Cdx), [`Cdxj`](LogFormat::Cdxj) | a capture, parsed by [`crate::cdx`]: a fetch of a crawler, stored in an archive | URLs; sorted by URL, not by time |
//! | [`Tsv`](LogFormat::Tsv) | tab-separated columns, named by the first line, see below | fields depend on the columns |
//! | [`Parquet`](LogFormat::Parquet) | a row with the same columns | fields depend on the columns |
//! | [`Warc`](LogFormat::Warc) | a response, resource or revisit of a web archive, or a request without any of them | URLs, sometimes user agents |
//!
//! The table lists the keys of JSON lines and the columns of TSV and Parquet. The keys include those of nginx's usual
//! `log_format`s, Caddy, Traefik and Elastic; the columns include those of Common Crawl's columnar index. If several
//! are present, the first one counts. In JSON, a dot leads into an object, and a list stands for its first item. Column
//! names are matched without regard to case. A name that is there twice is an error. An empty value, `-` and, in TSV, `\N`
//! count as absent.
//!
//! | field | keys |
//! |---|---|
//! | time | `StartUTC`, `ts`, `time`, `timestamp`, `@timestamp`, `time_iso8601`, `time_local`, `msec`, `fetch_time`, `warc_date`, `date`. The value is parsed as a [`Timestamp`], in Common's format, or as milliseconds if the number is too large for seconds. In Parquet the column type gives the unit, or else seconds |
//! | client | `remote_addr`, `request.remote_ip`, `request.client_ip`, `ClientHost`, `remote_ip`, `client_ip`, `clientip`, `client` |
//! | host | `request.host`, `RequestAddr`, `RequestHost`, `http_host`, `host`, `vhost`, `server_name`, `url_host_name`; a `RequestPort` belongs to it |
//! | scheme | `scheme`, `RequestScheme`, `x_forwarded_proto`, `url_protocol`; `https` if `request.tls` is present |
//! | method | `request.method`, `RequestMethod`, `request_method`, `method`, `verb` |
//! | target | `request.uri`, `RequestPath`, `request_uri`; then `request`; then `uri`, `url` |
//! | parts of the target | `path`, `url_path`, or a `uri` or `url` that begins with a slash; then `query`, `query_string`, `args` or `url_query` unless the path has one; with `path` or `url_path`, `port` or `url_port` belongs to the host |
//! | method and target | `request` as text: `GET /x HTTP/1.1`, or only the target; a target without a method means GET. An absolute URL in `uri` or `url` counts before the target of a request line |
//! | status | `status`, `DownstreamStatus`, `status_code`, `response`, `http_status`, `fetch_status` |
//! | bytes | `body_bytes_sent`, `size`, `DownstreamContentSize`, `bytes_sent`, `bytes` |
//! | user agent | `http_user_agent`, `request.headers.User-Agent`, `request_User-Agent`, `user_agent`, `User-Agent`, `agent`, `ua` |
//! | referrer | `http_referer`, `request.headers.Referer`, `request_Referer`, `referer`, `referrer` |
//!
//! ```
//! use robomata_formats::log::{LogFormat, LogLine, LogReader};
//!
//! let line = br#"192.0.2.7 - - [17/May/2015:10:05:03 +0200] "GET /a?b=\"c\" HTTP/1.1" 200 12 "-" "ExampleBot/1.0""#;
//! let reader = LogReader::new(LogFormat::Combined, []);
//! let LogLine::Entry(entry) = reader.read(line).unwrap() else { panic!("a request") };
//! assert_eq!(entry.time.to_string(), "2015-05-17T08:05:03Z");
//! assert_eq!(*entry.target, *br#"/a?b="c""#);
//! assert_eq!(entry.agent.as_deref(), Some(&b"ExampleBot/1.0"[..]));
//! ```

mod cdx;
mod clf;
mod detect;
pub(crate) mod fields;
mod heritrix;
mod json;
pub(crate) mod record;
mod scrapy;
mod tsv;
mod warc;

use std::borrow::Cow;
use std::fmt;
use std::str::FromStr;

pub use detect::{Detection, SAMPLE, detect};
pub(crate) use fields::is_http;
pub(crate) use warc::write as write_exchange;

use self::tsv::Header;
use crate::cdx::CdxColumns;
use crate::error::{InputError, Kind};
use crate::file_name::FileName;
use crate::lines::trim_line_end;
pub use crate::rows::LogRows;
use crate::time::Timestamp;

/// The format of a log.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum LogFormat {
    /// NCSA's Common Log Format.
    Common,
    /// The Combined Log Format of Apache and nginx.
    Combined,
    /// Common after the virtual host.
    VhostCommon,
    /// Combined after the virtual host.
    VhostCombined,
    /// One JSON object per line.
    Json,
    /// Heritrix's crawl.log.
    Heritrix,
    /// Scrapy's log.
    Scrapy,
    /// An index of a web archive, with a header line that names its columns.
    Cdx,
    /// An index of a web archive, with lines that end in JSON.
    Cdxj,
    /// Tab-separated columns, named by the first line.
    Tsv,
    /// Rows of Parquet.
    Parquet,
    /// A web archive.
    Warc,
}

/// Parses the lines of one log, by its format and, for CDX and TSV, its columns.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LogReader {
    format: LogFormat,
    cdx: CdxColumns,
    /// The TSV header. None if there is no header line, and in all other formats.
    header: Option<Header>,
}

/// A parsed line of a log.
#[derive(Clone, Debug, PartialEq, Eq)]
#[expect(clippy::large_enum_variant, reason = "nearly every line is a request")]
pub enum LogLine<'l> {
    /// A request.
    Entry(LogEntry<'l>),
    /// A valid line without a request.
    Aside(Aside),
}

/// The kinds of lines that contain no HTTP request.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Aside {
    /// A blank line, a comment (`#`), or the header of an index.
    Blank,
    /// A connection without a readable request line: `-`, a TLS handshake on the plain port, other bytes.
    NoRequest,
    /// A look-up of a host (`dns:`), or a URL with a scheme other than http and https.
    OtherScheme,
    /// Any other message of a crawler, such as one about a URL for which nothing was sent.
    OtherMessage,
}

/// One request in a log. Bytes are as logged, with escapes decoded.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LogEntry<'l> {
    /// The time of the request or of the response: server logs do not distinguish them.
    pub time: Timestamp,
    /// Whether the log records fractions of seconds.
    pub precision: Precision,
    /// The address or name of the client.
    pub client: Option<Cow<'l, [u8]>>,
    /// The requested host, perhaps with a port.
    pub host: Option<Cow<'l, [u8]>>,
    /// `http` or `https`, if the log records it.
    pub scheme: Option<Cow<'l, [u8]>>,
    /// The method, as sent.
    pub method: Cow<'l, [u8]>,
    /// The request target: a path with its query, or an absolute URL.
    pub target: Cow<'l, [u8]>,
    /// The HTTP status, or a crawler's own code (0 or less) if there was no response.
    pub status: Option<i32>,
    /// The size of the response in bytes.
    pub bytes: Option<u64>,
    /// The User-Agent field; `None` if the log has none, or `-`.
    pub agent: Option<Cow<'l, [u8]>>,
    /// Whether the log records User-Agents. If so, `agent` is `None` because the client sent none.
    pub has_agent: bool,
    /// The Referer field.
    pub referrer: Option<Cow<'l, [u8]>>,
    /// Whether the crawler itself refused the request because of the robots.txt, so that none was sent.
    pub refused: bool,
}

/// The precision of the times in a log.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Precision {
    /// Whole seconds. An interval between two times may be wrong by up to one second.
    Seconds,
    /// Milliseconds or finer.
    Milliseconds,
}

/// A line that does not match its format: what was expected.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("expected {0}; the line is skipped")]
pub struct Malformed(pub(crate) &'static str);

impl LogFormat {
    /// All formats, in the order for display.
    pub const ALL: [LogFormat; 12] = [
        LogFormat::Common,
        LogFormat::Combined,
        LogFormat::VhostCommon,
        LogFormat::VhostCombined,
        LogFormat::Json,
        LogFormat::Heritrix,
        LogFormat::Scrapy,
        LogFormat::Cdx,
        LogFormat::Cdxj,
        LogFormat::Tsv,
        LogFormat::Parquet,
        LogFormat::Warc,
    ];

    /// The name of the format: `common`, `combined`, `vhost-common`, `vhost-combined`, `json`, `heritrix`, `scrapy`,
    /// `cdx`, `cdxj`, `tsv`, `parquet` or `warc`.
    pub const fn as_str(self) -> &'static str {
        match self {
            LogFormat::Common => "common",
            LogFormat::Combined => "combined",
            LogFormat::VhostCommon => "vhost-common",
            LogFormat::VhostCombined => "vhost-combined",
            LogFormat::Json => "json",
            LogFormat::Heritrix => "heritrix",
            LogFormat::Scrapy => "scrapy",
            LogFormat::Cdx => "cdx",
            LogFormat::Cdxj => "cdxj",
            LogFormat::Tsv => "tsv",
            LogFormat::Parquet => "parquet",
            LogFormat::Warc => "warc",
        }
    }

    /// Returns whether a crawler writes this format. Such a log does not name its crawler, and records refused fetches.
    pub const fn is_of_crawler(self) -> bool {
        matches!(self, LogFormat::Heritrix | LogFormat::Scrapy)
    }
}

impl LogReader {
    /// Creates a reader for a log of `format` that begins with the lines `head`. CDX takes its columns from a header
    /// line in `head`, or uses the usual columns, as many as in the first line. TSV requires a header line.
    pub fn new<'l>(format: LogFormat, head: impl IntoIterator<Item = &'l [u8]>) -> Self {
        let mut reader = LogReader { format, cdx: CdxColumns::default(), header: None };
        let mut head = head.into_iter();
        match format {
            LogFormat::Cdx => {
                let lines: Vec<&[u8]> = head.filter(|line| !line.trim_ascii().is_empty()).collect();
                let header = lines.iter().find_map(|line| CdxColumns::of_header(line));
                let first = lines.first().map(|line| CdxColumns::without_header(trim_line_end(line)));
                reader.cdx = header.or(first).unwrap_or_default();
            }
            LogFormat::Tsv => reader.header = head.find_map(Header::of),
            _ => {}
        }
        reader
    }

    /// The format of the log.
    pub fn format(&self) -> LogFormat {
        self.format
    }

    /// Checks that the header line of the log `file` names no column twice whose values count.
    ///
    /// # Errors
    /// Fails for such a column. [`LogReader::read`] then fails for each line of a request.
    pub fn check_header(&self, file: &FileName) -> Result<(), InputError> {
        match self.header.as_ref().map(|header| &header.columns) {
            Some(Err(duplicate)) => {
                Err(InputError::new(file.clone(), None, Kind::DuplicateColumn(duplicate.clone())))
            }
            _ => Ok(()),
        }
    }

    /// Returns whether the lines are roughly in the order of time. Indexes are sorted by URL. So is TSV from Common
    /// Crawl's index, which has a time called `fetch_time`.
    pub fn is_in_order(&self) -> bool {
        let is_index = |header: &Header| header.columns.as_ref().is_ok_and(|columns| columns.is_index);
        !matches!(self.format, LogFormat::Cdx | LogFormat::Cdxj)
            && !self.header.as_ref().is_some_and(is_index)
    }

    /// Parses `line`, with or without its line end.
    ///
    /// # Errors
    /// Fails when the line does not match the format.
    pub fn read<'l>(&self, line: &'l [u8]) -> Result<LogLine<'l>, Malformed> {
        let line = trim_line_end(line);
        let is_comment = line.starts_with(b"#")
            && match self.format {
                LogFormat::Scrapy | LogFormat::Warc => false,
                // A row may begin so, too.
                LogFormat::Tsv => !line.contains(&b'\t'),
                _ => true,
            };
        if is_comment || line.trim_ascii().is_empty() {
            return Ok(LogLine::Aside(Aside::Blank));
        }
        match self.format {
            LogFormat::Common => clf::read(line, clf::Layout { vhost: false, agent: false }),
            LogFormat::Combined => clf::read(line, clf::Layout { vhost: false, agent: true }),
            LogFormat::VhostCommon => clf::read(line, clf::Layout { vhost: true, agent: false }),
            LogFormat::VhostCombined => clf::read(line, clf::Layout { vhost: true, agent: true }),
            LogFormat::Json => json::read(line),
            LogFormat::Heritrix => heritrix::read(line),
            LogFormat::Scrapy => scrapy::read(line),
            LogFormat::Cdx => cdx::read(line, &self.cdx),
            LogFormat::Cdxj => cdx::read_cdxj(line),
            LogFormat::Tsv => tsv::read(line, self.header.as_ref()),
            LogFormat::Warc => warc::read(line),
            LogFormat::Parquet => Err(Malformed("rows of Parquet, which has no lines")),
        }
    }
}

impl fmt::Display for LogFormat {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

impl FromStr for LogFormat {
    type Err = String;

    fn from_str(name: &str) -> Result<Self, String> {
        let found = LogFormat::ALL.into_iter().find(|format| format.as_str() == name);
        found.ok_or_else(|| format!("expected a log format, found {name:?}"))
    }
}
