//! Which format a log has.

use super::scrapy;
use super::{LogFormat, LogReader};

/// Lines at the start of a log that are tried.
pub const SAMPLE: usize = 100;

/// The format of a log, and how sure that is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Detection {
    /// Who reads the log in its format.
    pub reader: LogReader,
    /// How many of the lines tried are well-formed lines of it.
    pub read: usize,
    /// How many lines were tried: not blank, at most [`SAMPLE`].
    pub tried: usize,
}

/// The order in which formats of lines are tried: of those that read equally many lines the first, which asks for more, counts.
const ORDER: [LogFormat; 10] = [
    LogFormat::Json,
    LogFormat::Heritrix,
    LogFormat::Scrapy,
    LogFormat::Cdxj,
    LogFormat::Cdx,
    LogFormat::Tsv,
    LogFormat::VhostCombined,
    LogFormat::Combined,
    LogFormat::VhostCommon,
    LogFormat::Common,
];

/// The format that reads most of the first of `lines`; `None` when no format reads any.
pub fn detect<'l>(lines: impl IntoIterator<Item = &'l [u8]>) -> Option<Detection> {
    let is_text = |line: &&[u8]| !line.trim_ascii().is_empty() && !line.starts_with(b"#");
    let lines: Vec<&[u8]> = lines.into_iter().filter(is_text).take(SAMPLE).collect();
    let of = |format| {
        let reader = LogReader::new(format, lines.iter().copied());
        let read = lines.iter().filter(|line| is_of(&reader, line)).count();
        Detection { reader, read, tried: lines.len() }
    };
    let best = ORDER.map(of).into_iter().rev().max_by_key(|detection| detection.read);
    best.filter(|detection| detection.read > 0)
}

fn is_of(reader: &LogReader, line: &[u8]) -> bool {
    match reader.format() {
        LogFormat::Scrapy => scrapy::is_message(line),
        _ => reader.read(line).is_ok(),
    }
}
