//! Requests out of logs: access logs of web servers, and the logs and archives of crawlers themselves.
//!
//! A log is read line by line: [`LogReader::read`] makes a line a [`LogEntry`], or says why it is none. Which format a
//! file has is found on its first lines by [`detect`]. What has no lines, Parquet and WARC, is known by its name or its
//! first bytes, and comes out of [`Frontier::of_logs`](crate::Frontier::of_logs): the rows of Parquet are read by
//! [`LogRows`], and of an archive a line is made for each request that it tells of.
//!
//! | format | a line is | it has |
//! |---|---|---|
//! | [`Common`](LogFormat::Common) | `client ident user [time] "request" status bytes` | no user agent |
//! | [`Combined`](LogFormat::Combined) | Common, then `"referrer" "user agent"`; whatever follows (nginx's further fields, quoted or not) is passed over | |
//! | [`VhostCommon`](LogFormat::VhostCommon), [`VhostCombined`](LogFormat::VhostCombined) | the same behind the virtual host, `%v` or `%v:%p` | hosts |
//! | [`Json`](LogFormat::Json) | an object, see below | what its keys say |
//! | [`Heritrix`](LogFormat::Heritrix) | Heritrix's crawl.log; the time of a request is the begin of its fetch, where it says one | URLs, refusals (status -9998) |
//! | [`Scrapy`](LogFormat::Scrapy) | a message of Scrapy's log, taken to be in UTC: `Crawled`, `Redirecting`, `Retrying`, and `Forbidden by robots.txt` | URLs, refusals |
//! | [`Cdx`](LogFormat::Cdx), [`Cdxj`](LogFormat::Cdxj) | a capture, as [`crate::cdx`] reads it: what a crawler fetched and an archive kept, by URL | URLs; no order of time |
//! | [`Tsv`](LogFormat::Tsv) | columns that tabs separate; the first line names them, see below | what its columns say |
//! | [`Parquet`](LogFormat::Parquet) | a row, with the same columns | what its columns say |
//! | [`Warc`](LogFormat::Warc) | a response, resource or revisit of a web archive, or a request without any of them | URLs, perhaps user agents |
//!
//! The keys of JSON lines, those of nginx's usual `log_format`s, Caddy, Traefik and Elastic, and the columns of TSV and
//! Parquet, those of Common Crawl's columnar index among them. Of several the first that is there counts. In JSON a dot
//! leads into an object, a list stands for its first item; of columns the names count in any case. Nothing, `-` and, in
//! TSV, `\N` say nothing.
//!
//! | field | keys |
//! |---|---|
//! | time | `ts`, `time`, `timestamp`, `@timestamp`, `StartUTC`, `time_iso8601`, `time_local`, `msec`, `fetch_time`, `warc_date`, `date` (as [`Timestamp`] reads them, as Common writes it, or in milliseconds where they are too many for seconds; of Parquet the type says what numbers count, without a unit seconds) |
//! | client | `remote_addr`, `request.remote_ip`, `request.client_ip`, `ClientHost`, `remote_ip`, `client_ip`, `clientip`, `client` |
//! | host | `request.host`, `RequestHost`, `http_host`, `host`, `vhost`, `server_name`, `url_host_name` |
//! | scheme | `scheme`, `RequestScheme`, `x_forwarded_proto`, `url_protocol`; `https` where there is `request.tls` |
//! | method | `request.method`, `RequestMethod`, `request_method`, `method`, `verb` |
//! | target | `request.uri`, `RequestPath`, `request_uri`, `uri`, `url` |
//! | its parts | `path` or `url_path`, then `query`, `query_string` or `url_query`; to the host belongs then `port` or `url_port` |
//! | both | `request` as text: `GET /x HTTP/1.1`; a target without a method was got |
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
mod fields;
mod heritrix;
mod json;
mod record;
mod rows;
mod scrapy;
mod tsv;
mod warc;

use std::borrow::Cow;
use std::fmt;
use std::str::FromStr;

pub use detect::{Detection, SAMPLE, detect};
pub(crate) use fields::is_http;
pub use rows::LogRows;
pub(crate) use rows::places;
pub(crate) use warc::write as write_exchange;

use self::tsv::Header;
use crate::cdx::CdxColumns;
use crate::lines::trim_line_end;
use crate::time::Timestamp;

/// How a log is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum LogFormat {
    /// NCSA's Common Log Format.
    Common,
    /// Apache's and nginx's Combined.
    Combined,
    /// Common behind the virtual host.
    VhostCommon,
    /// Combined behind the virtual host.
    VhostCombined,
    /// A JSON object a line.
    Json,
    /// Heritrix's crawl.log.
    Heritrix,
    /// Scrapy's log.
    Scrapy,
    /// An index of a web archive, whose header line names its columns.
    Cdx,
    /// An index of a web archive, whose lines end in JSON.
    Cdxj,
    /// Columns that tabs separate, named by the first line.
    Tsv,
    /// Rows of Parquet.
    Parquet,
    /// A web archive.
    Warc,
}

/// How the lines of one log are read: its format and, of CDX and TSV, its columns.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LogReader {
    format: LogFormat,
    cdx: CdxColumns,
    /// None of a TSV without one, and of any other format.
    header: Option<Header>,
}

/// What a line of a log is.
#[derive(Clone, Debug, PartialEq, Eq)]
#[expect(clippy::large_enum_variant, reason = "nearly every line is a request")]
pub enum LogLine<'l> {
    /// A request.
    Entry(LogEntry<'l>),
    /// Well-formed, but no request.
    Aside(Aside),
}

/// Lines of a log that tell of no HTTP request.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Aside {
    /// A blank line, a comment (`#`), or the header of an index.
    Blank,
    /// A connection without a readable request line: `-`, a TLS handshake on the plain port, other bytes.
    NoRequest,
    /// A look-up of a host (`dns:`), or a URL of another scheme than http and https.
    OtherScheme,
    /// A message of a crawler about something else.
    OtherMessage,
}

/// One request, as a log tells of it. Bytes are those that were logged, escapes undone.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LogEntry<'l> {
    /// When it was made, or answered: logs of servers do not say which.
    pub time: Timestamp,
    /// Does the log write fractions of seconds?
    pub precision: Precision,
    /// The address or name of the client.
    pub client: Option<Cow<'l, [u8]>>,
    /// The host that was asked, perhaps with a port.
    pub host: Option<Cow<'l, [u8]>>,
    /// `http` or `https`, where the log says it.
    pub scheme: Option<Cow<'l, [u8]>>,
    /// The method, in capitals as it was sent.
    pub method: Cow<'l, [u8]>,
    /// The request target: a path with its query, or an absolute URL.
    pub target: Cow<'l, [u8]>,
    /// The HTTP status; a crawler's own code (0 or less) when there was no answer.
    pub status: Option<i32>,
    /// Bytes of the response.
    pub bytes: Option<u64>,
    /// The User-Agent field; `None` where the log has none, or `-`.
    pub agent: Option<Cow<'l, [u8]>>,
    /// The Referer field.
    pub referrer: Option<Cow<'l, [u8]>>,
    /// Did the crawler itself refuse the request because of the robots.txt? Then none was made.
    pub refused: bool,
}

/// How exactly a log tells the time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Precision {
    /// Whole seconds: an interval between two is right but for one second.
    Seconds,
    /// Milliseconds or finer.
    Milliseconds,
}

/// A line that is none of its format: what was expected there.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("expected {0}; the line is skipped")]
pub struct Malformed(pub(crate) &'static str);

impl LogFormat {
    /// All formats, in the order in which texts list them.
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

    /// The name: `common`, `combined`, `vhost-common`, `vhost-combined`, `json`, `heritrix`, `scrapy`, `cdx`, `cdxj`,
    /// `tsv`, `parquet` or `warc`.
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

    /// Is it written by a crawler, which names itself nowhere and says what it refused to fetch?
    pub const fn is_of_crawler(self) -> bool {
        matches!(self, LogFormat::Heritrix | LogFormat::Scrapy)
    }
}

impl LogReader {
    /// The reader of a log of `format` whose first lines are `head`: CDX has its columns from the header line among
    /// them, or the usual ones; TSV has none but those that a header line names.
    pub fn new<'l>(format: LogFormat, head: impl IntoIterator<Item = &'l [u8]>) -> Self {
        let mut reader = LogReader { format, cdx: CdxColumns::default(), header: None };
        let mut head = head.into_iter();
        match format {
            LogFormat::Cdx => reader.cdx = head.find_map(CdxColumns::of_header).unwrap_or_default(),
            LogFormat::Tsv => reader.header = head.find_map(Header::of),
            _ => {}
        }
        reader
    }

    /// The format.
    pub fn format(&self) -> LogFormat {
        self.format
    }

    /// Are the lines in the order of time, but for small disorder? Indexes are sorted by URL; so is TSV out of Common
    /// Crawl's, whose time is called `fetch_time`.
    pub fn is_in_order(&self) -> bool {
        let is_index = |header: &Header| header.columns.is_index;
        !matches!(self.format, LogFormat::Cdx | LogFormat::Cdxj)
            && !self.header.as_ref().is_some_and(is_index)
    }

    /// What `line`, with or without its line end, is.
    ///
    /// # Errors
    /// When it is no line of this format.
    pub fn read<'l>(&self, line: &'l [u8]) -> Result<LogLine<'l>, Malformed> {
        let line = trim_line_end(line);
        let has_comments = !matches!(self.format, LogFormat::Scrapy | LogFormat::Warc);
        if line.trim_ascii().is_empty() || (line.starts_with(b"#") && has_comments) {
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
        found.ok_or_else(|| format!("expected a format of logs, found {name:?}"))
    }
}
