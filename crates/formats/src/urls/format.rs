//! Which formats frontiers come in, and where the URL stands in each.

use std::convert::Infallible;
use std::fmt;
use std::num::NonZeroUsize;
use std::path::Path;
use std::str::FromStr;

use crate::input::Compression;

/// How a file holds URLs. All but Parquet may be compressed as a whole (gzip, zstd).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum FrontierFormat {
    /// One URL a line.
    #[default]
    Text,
    /// Columns that tabs separate; the first line may be a header.
    Tsv,
    /// Columns that commas separate, as RFC 4180 has them; the first record may be a header.
    Csv,
    /// A JSON object a line.
    JsonLines,
    /// An index of a web archive, its header line naming the columns.
    Cdx,
    /// An index of a web archive whose lines end in JSON.
    Cdxj,
    /// A web archive: the target URIs of its responses, resources, revisits and requests.
    Warc,
    /// Parquet: a column of URLs, or their parts in columns as Common Crawl's columnar index has them.
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

    /// The format's name: `text`, `tsv`, `csv`, `jsonl`, `cdx`, `cdxj`, `warc`, `parquet`.
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

    /// What a file's name says, a `.gz` or `.zst` at its end left aside; text when it says nothing.
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

/// The text names no [`FrontierFormat`].
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

/// Which column is the URL.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum UrlColumn {
    /// The one at this place, counted from 1.
    Number(NonZeroUsize),
    /// The one of this name: in the header line, in the schema, or the key of JSON objects.
    Name(String),
}

impl From<NonZeroUsize> for UrlColumn {
    fn from(number: NonZeroUsize) -> Self {
        UrlColumn::Number(number)
    }
}

impl FromStr for UrlColumn {
    type Err = Infallible;

    /// A number from 1 on is a place, anything else a name.
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
