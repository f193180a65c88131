//! The formats of frontiers, and the position of the URL in each.

use std::convert::Infallible;
use std::fmt;
use std::num::NonZeroUsize;
use std::path::Path;
use std::str::FromStr;

use crate::input::Compression;

/// The format of a file of URLs. All except Parquet may be compressed as a whole (gzip, zstd).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum FrontierFormat {
    /// One URL per line.
    #[default]
    Text,
    /// Tab-separated columns; the first line may be a header.
    Tsv,
    /// Comma-separated columns (RFC 4180); the first record may be a header.
    Csv,
    /// One JSON object per line.
    JsonLines,
    /// An index of a web archive, with a header line that names the columns.
    Cdx,
    /// An index of a web archive, with lines that end in JSON.
    Cdxj,
    /// A web archive: the target URIs of its responses, resources, revisits and requests.
    Warc,
    /// Parquet: a column of URLs, or columns of their parts as in Common Crawl's columnar index.
    Parquet,
}

impl FrontierFormat {
    /// All formats.
    pub const ALL: [FrontierFormat; 8] = [
        FrontierFormat::Text,
        FrontierFormat::Tsv,
        FrontierFormat::Csv,
        FrontierFormat::JsonLines,
        FrontierFormat::Cdx,
        FrontierFormat::Cdxj,
        FrontierFormat::Warc,
        FrontierFormat::Parquet,
    ];

    /// The name of the format: `text`, `tsv`, `csv`, `jsonl`, `cdx`, `cdxj`, `warc`, `parquet`.
    pub const fn as_str(self) -> &'static str {
        match self {
            FrontierFormat::Text => "text",
            FrontierFormat::Tsv => "tsv",
            FrontierFormat::Csv => "csv",
            FrontierFormat::JsonLines => "jsonl",
            FrontierFormat::Cdx => "cdx",
            FrontierFormat::Cdxj => "cdxj",
            FrontierFormat::Warc => "warc",
            FrontierFormat::Parquet => "parquet",
        }
    }

    /// The format by the name of a file, without `.gz` or `.zst` at its end; text if the name is inconclusive.
    ///
    /// ```
    /// use robomata_formats::FrontierFormat;
    ///
    /// assert_eq!(FrontierFormat::of_name("seeds.jsonl.zst".as_ref()), FrontierFormat::JsonLines);
    /// assert_eq!(FrontierFormat::of_name("seeds.txt".as_ref()), FrontierFormat::Text);
    /// ```
    pub fn of_name(path: &Path) -> Self {
        let stem = Compression::of_name(path).and_then(|_| path.file_stem()).map(Path::new);
        let extension = stem.unwrap_or(path).extension().and_then(|extension| extension.to_str());
        match extension.unwrap_or_default().to_ascii_lowercase().as_str() {
            "tsv" => FrontierFormat::Tsv,
            "csv" => FrontierFormat::Csv,
            "jsonl" | "ndjson" => FrontierFormat::JsonLines,
            "cdx" => FrontierFormat::Cdx,
            "cdxj" => FrontierFormat::Cdxj,
            "warc" => FrontierFormat::Warc,
            "parquet" => FrontierFormat::Parquet,
            _ => FrontierFormat::Text,
        }
    }
}

impl fmt::Display for FrontierFormat {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

/// The text is not the name of a [`FrontierFormat`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct UnknownFormat;

impl fmt::Display for UnknownFormat {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("expected text, tsv, csv, jsonl, cdx, cdxj, warc or parquet")
    }
}

impl std::error::Error for UnknownFormat {}

impl FromStr for FrontierFormat {
    type Err = UnknownFormat;

    fn from_str(name: &str) -> Result<Self, UnknownFormat> {
        FrontierFormat::ALL.into_iter().find(|format| format.as_str() == name).ok_or(UnknownFormat)
    }
}

/// The column of the URL.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum UrlColumn {
    /// The column with this number, counted from 1.
    Number(NonZeroUsize),
    /// The column with this name: in the header line, in the schema, or as a key of JSON objects.
    Name(String),
}

impl From<NonZeroUsize> for UrlColumn {
    fn from(number: NonZeroUsize) -> Self {
        UrlColumn::Number(number)
    }
}

impl FromStr for UrlColumn {
    type Err = Infallible;

    /// A positive number is the number of a column; anything else is a name.
    fn from_str(text: &str) -> Result<Self, Infallible> {
        Ok(text.parse().map_or_else(|_| UrlColumn::Name(text.to_owned()), UrlColumn::Number))
    }
}

impl fmt::Display for UrlColumn {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            UrlColumn::Number(number) => number.fmt(f),
            UrlColumn::Name(name) => f.pad(name),
        }
    }
}
